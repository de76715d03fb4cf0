/* Private to compiler/passes: what the rewriting of products and of convolutions of integers share
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
    rlxc_map
        sums; /* rlxc_rvar made of a convolution's sums -> what quantized_convs.c keeps of it */
    const uint32_t *uses; /* by variable id, of the function before the pass */
    uint32_t n_uses;
    bool changed;
} rlxc_quantized;

/* --- what is an operand made of --- */

/* Whether |weight| comes from constants alone, and one is of integers and large enough for its
 * |elements|. |numbers|: no such constant is asked for. */
bool rlxc_quantized_weight(const rlxc_quantized *p, rlxc_atom weight, int64_t elements,
                           bool numbers);
/* The value of a constant of one element; else NULL. */
const rlxc_expr *rlxc_quantized_single(const rlxc_quantized *p, rlxc_atom a);
typedef struct rlxc_quantized_bytes { /* x - zero */
    rlxc_atom x, zero;                /* x of 8 bits; zero: a scalar of its type */
} rlxc_quantized_bytes;

/* Takes apart the int32 |x|, which may be the difference of two. */
bool rlxc_quantized_bytes_of(const rlxc_quantized *p, rlxc_atom x, rlxc_quantized_bytes *out);
rlxc_atom rlxc_quantized_cast(rlxc_builder *b, rlxc_atom x, rlx_dtype dtype, const char *name);
/* Whether |inner|, which |x| is made of, can be read where |x| can. */
bool rlxc_quantized_visible(rlxc_atom x, rlxc_atom inner);
/* The int32 that |x| is |*scale| times of: R.dequantize or what it stands for, with one scale.
 * NONE where it is no such value. */
rlxc_atom rlxc_quantized_integers(rlxc_quantized *p, rlxc_builder *b, rlxc_atom x,
                                  const rlxc_expr **scale);

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
/* (number - zero) of the weight as |dtype|. */
const rlxc_expr *rlxc_packing_number(const rlxc_quant_chain *c, int64_t zero, rlx_dtype dtype);
/* The sum of (number - zero) of each column, a vector of int32. */
rlxc_atom rlxc_pack_sums(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                         int64_t zero);
/* |value| of each column, a vector. */
rlxc_atom rlxc_pack_columns(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                            const rlxc_expr *value);

/* --- quantized_convs.c --- */

/* What takes the place of a convolution of 8-bit integers; NONE where it is none. */
rlxc_atom rlxc_quantized_conv(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *conv);
/* What takes the place of the division of such a result by the second argument, which is on its way
 * to be quantized again, as one operator or several; NONE where it is none. */
rlxc_atom rlxc_quantized_divide(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *divide);

#endif
