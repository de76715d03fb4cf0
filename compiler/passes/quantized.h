/* Private to compiler/passes: shared by the rewriting of integer products and convolutions
 * (quantized_products.c, quantized_convs.c, quant_pack.c). */
#ifndef RLXC_PASSES_QUANTIZED_H
#define RLXC_PASSES_QUANTIZED_H

#include "compiler/kernels/quantized/quant.h"
#include "compiler/ops/reduce.h"
#include "compiler/passes/quant_chain.h"
#include "compiler/target/target.h"

typedef struct rlxc_quantized {
    rlxc_context *ctx;
    const rlxc_options *options;
    rlxc_map defs; /* rlxc_rvar -> rlxc_binding */
    rlxc_map sums; /* rlxc_rvar computed from a convolution's sums -> state of quantized_convs.c */
    const uint32_t *uses; /* by variable id, of the function before the pass */
    uint32_t n_uses;
    bool changed;
} rlxc_quantized;

/* --- what is an operand made of --- */

/* True if |weight| is computed from constants alone, one of them integers and large enough for its
 * |elements|. |numbers|: such a constant is not required. */
bool rlxc_quantized_weight(const rlxc_quantized *p, rlxc_atom weight, int64_t elements,
                           bool numbers);
/* The value of a constant of one element; else NULL. */
const rlxc_expr *rlxc_quantized_single(const rlxc_quantized *p, rlxc_atom a);
typedef struct rlxc_quantized_bytes { /* x - zero */
    rlxc_atom x, zero;                /* x of 8 bits; zero: a scalar of its type */
} rlxc_quantized_bytes;

/* Decomposes the int32 |x|, which may be the difference of two. */
bool rlxc_quantized_bytes_of(const rlxc_quantized *p, rlxc_atom x, rlxc_quantized_bytes *out);
rlxc_atom rlxc_quantized_cast(rlxc_builder *b, rlxc_atom x, rlx_dtype dtype, const char *name);
/* True if |inner|, from which |x| is computed, is visible where |x| is. */
bool rlxc_quantized_visible(rlxc_atom x, rlxc_atom inner);
/* The int32 n with |x| = n * |*scale|: R.dequantize or its spelled-out form, with one scale. NONE
 * if |x| is not such a value. */
rlxc_atom rlxc_quantized_integers(rlxc_quantized *p, rlxc_builder *b, rlxc_atom x,
                                  const rlxc_expr **scale);

/* True if the product |call| of |x| with a narrow weight has types that integer or float kernels
   support. */
bool rlxc_quantized_types_fit(const rlxc_quantized *p, const rlxc_binding *call,
                              const rlxc_sinfo *x, const rlxc_sinfo *y);
/* |matmul| with the weight |c| as quantized_matmul, |q| says how; NONE after an error. */
rlxc_atom rlxc_quantized_replace(const rlxc_quantized *p, rlxc_builder *b,
                                 const rlxc_binding *matmul, rlxc_quant_chain *c, rlxc_quant *q);

/* --- constants that are made of the weight, to be evaluated with the constants (quant_pack.c) ---
 */

typedef struct rlxc_packing {
    rlxc_quant_chain *c;
    rlxc_te *te;
    rlxc_map own; /* leaf's buffer -> parameter of the PrimFunc */
} rlxc_packing;

/* |value| of row and column, 0 outside the weight. */
const rlxc_expr *rlxc_packing_place(rlxc_packing *p, const rlxc_expr *value, const rlxc_expr *k,
                                    const rlxc_expr *n);
/* Emits the call of a function that is to be evaluated with the constants. */
rlxc_atom rlxc_packing_finish(rlxc_te *te);
/* The words (|what| NULL), or values that a group shares, as kernels/quantized/quant.h has them. */
rlxc_atom rlxc_pack_panels(rlxc_quant_chain *c, const rlxc_quant *q, rlxc_builder *b,
                           const rlxc_binding *call, const char *name, const rlxc_expr *what);
/* The entries of the weight's palette that its numbers read, multiplied with |scale| unless that is
 * NULL: a vector of float32, padded to what |q|'s words can read. */
rlxc_atom rlxc_pack_palette(rlxc_quant_chain *c, const rlxc_quant *q, rlxc_builder *b,
                            const rlxc_binding *call, const rlxc_expr *scale);
/* (number - zero) of the weight as |dtype|. */
const rlxc_expr *rlxc_packing_number(const rlxc_quant_chain *c, int64_t zero, rlx_dtype dtype);
/* The sum of (number - zero) of each column, a vector of int32. */
rlxc_atom rlxc_pack_sums(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                         int64_t zero);
/* |value| of each column, a vector. */
rlxc_atom rlxc_pack_columns(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                            const rlxc_expr *value);

/* --- quantized_dynamic.c --- */

/* The replacement of a product of int32 whose second operand is bytes minus their zero, both known
 * at run time only; NONE if it is not one. */
rlxc_atom rlxc_quantized_dynamic(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *matmul);

/* --- quantized_moves.c --- */

/* The replacement of |quantize|, R.quantize or a cast, of values that were dequantized with the
 * same parameters and then moved: the moved numbers; NONE for other values. */
rlxc_atom rlxc_quantized_moved(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *quantize);

/* --- quantized_convs.c --- */

/* The replacement of a convolution of 8-bit integers; NONE for other calls. */
rlxc_atom rlxc_quantized_conv(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *conv);
/* The replacement of the division of such a result by the second argument, on its way to being
 * quantized again, as one operator or several; NONE if it is not one. */
rlxc_atom rlxc_quantized_divide(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *divide);

#endif
