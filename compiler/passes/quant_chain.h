/* Private to compiler/passes: weights that a module computes from constant integers, as an
 * expression of their indices. */
#ifndef RLXC_PASSES_QUANT_CHAIN_H
#define RLXC_PASSES_QUANT_CHAIN_H

#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/passes.h"

/* A constant that the expression reads, or a value of the function. */
typedef struct rlxc_quant_leaf {
    const rlxc_constant *constant; /* NULL: |value| */
    const rlxc_constant *of;       /* the module's, of which it is a narrower copy, or itself */
    rlxc_atom value;
    rlxc_buffer *buffer;
    bool wide; /* holds the numbers: integers, at least four bits per weight */
} rlxc_quant_leaf;

typedef struct rlxc_quant_chain {
    rlxc_context *ctx;
    const rlxc_options *options;
    rlxc_module *scratch; /* the operators of the chain, lowered */
    rlxc_builder builder; /* of its function */
    rlxc_map defs;        /* rlxc_rvar of the scratch function -> rlxc_binding */
    RLXC_VEC(rlxc_quant_leaf) leaves;
    int64_t rows, columns; /* of the weight, (rows, columns) or a filter (O, I, H, W): then
                              row (h * W + w) * I + i, column o */
    const rlxc_expr *row, *column;
    uint32_t steps; /* of substitution so far */
    /* weight = (number - zero) * scale, or (palette[number] - zero) * scale; or the number is the
     * bits of a bfloat16 */
    bool bfloat16;
    const rlxc_expr *number;  /* integer */
    const rlxc_expr *zero;    /* float32 or NULL: none */
    const rlxc_expr *scale;   /* float32 or float16, or NULL: 1 */
    int64_t least, most;      /* of the number */
    int64_t palette_entries;  /* limit, set by the caller; 0: no palettes */
    const rlxc_expr *palette; /* a load of a leaf at the number; NULL: none */
    uint32_t palette_axis;    /* the index that is the number */
    int64_t group;            /* number of rows that share scale and zero */
} rlxc_quant_chain;

/* Decomposes |weight|; |defs| maps the function's variables to bindings. False if |weight| does not
 * have this form. */
bool rlxc_quant_chain_of(rlxc_quant_chain *c, rlxc_module *module, const rlxc_map *defs,
                         rlxc_atom weight);

/* The module's own functions are evaluated at compile time: true if the expression reads nothing
 * outside the constants, cannot trap and calls nothing. */
bool rlxc_quant_is_safe(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds);

#endif
