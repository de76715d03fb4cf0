/* Shared by gemm.c, which builds a product from blocks of elements, and fragments.c, which builds
 * it from fragments of tensor cores. */
#ifndef RLXC_KERNELS_DEVICE_GEMM_BLOCKS_H
#define RLXC_KERNELS_DEVICE_GEMM_BLOCKS_H

#include "compiler/kernels/device/gemm.h"

typedef struct rlxc_gemm_blocks {
    rlxc_context *ctx;
    rlxc_gemm g;
    const rlxc_expr *padded[RLXC_GEMM_AXES]; /* extents up to multiples */
    const rlxc_expr *vars[RLXC_GEMM_AXES];   /* of the block being made, or values; NULL: none */
    const char *name;
    bool clamp;                         /* beyond the last row and column are these again */
    const rlxc_fragment_kind *fragment; /* of fragments.c */
} rlxc_gemm_blocks;

typedef struct rlxc_gemm_loop { /* an axis of a block being made, with a loop of its own */
    const rlxc_expr *var, *extent;
    bool reduces;
} rlxc_gemm_loop;

/* The stage's expression in |vars|. */
const rlxc_expr *rlxc_gemm_in_vars(const rlxc_gemm_blocks *r, const rlxc_expr *e);
/* Loops around block NAME<suffix>. */
const rlxc_stmt *rlxc_gemm_nest(const rlxc_gemm_blocks *r, const char *suffix,
                                const rlxc_gemm_loop *axes, uint32_t n, const rlxc_stmt *body,
                                const rlxc_stmt *init);
/* The stage's expression in |vars|; where these, of these kinds, are beyond extents that were
 * padded, 0, or with |clamp| that of the last row and column: what comes of it is nowhere stored.
 */
const rlxc_expr *rlxc_gemm_padded(rlxc_gemm_blocks *r, const rlxc_gemm_axis *kinds, uint32_t n,
                                  const rlxc_expr *value);
/* The store of |value|, an element of the product at |vars|, or of what the epilogue makes of it.
 */
const rlxc_stmt *rlxc_gemm_result(const rlxc_gemm_blocks *r, const rlxc_expr *value, bool epilogue);

/* fragments.c: whether tensor cores can do it in tiles of these sizes; then the factors are those
 * without conversions. */
bool rlxc_gemm_fits_fragments(rlxc_gemm_blocks *r, bool allow_tf32, int64_t fragment, int64_t rows,
                              int64_t columns, int64_t terms);
/* fragments.c: the blocks NAME_x, NAME_w, NAME and NAME_out for products of 16 rows, 8 columns and
 * a fragment's terms by a warp; their buffers but the result. */
void rlxc_gemm_fragments(rlxc_gemm_blocks *r, bool epilogue, const rlxc_stmt *parts[4],
                         rlxc_buffer *temps[3]);

#endif
