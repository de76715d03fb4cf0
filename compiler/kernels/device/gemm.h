/* A stage that is a product, described by rows, columns and terms, for rule product, and the
 * rewrite "gemm" that its list of steps begins with. */
#ifndef RLXC_KERNELS_DEVICE_GEMM_H
#define RLXC_KERNELS_DEVICE_GEMM_H

#include "compiler/schedule/engine.h"
#include "compiler/schedule/stages.h"

typedef enum rlxc_gemm_axis {
    RLXC_GEMM_BATCH, /* both factors have it */
    RLXC_GEMM_ROW,
    RLXC_GEMM_COLUMN,
    RLXC_GEMM_TERM,
    RLXC_GEMM_AXES
} rlxc_gemm_axis;

typedef struct rlxc_gemm {
    const rlxc_stage *stage;    /* with groups as axes of their own */
    const rlxc_stage *epilogue; /* the block behind it that maps its result */
    rlxc_operation op;
    uint32_t axes[RLXC_GEMM_AXES][RLXC_STAGE_AXES], n[RLXC_GEMM_AXES]; /* of the stage */
    const rlxc_expr *extents[RLXC_GEMM_AXES];                          /* of all of them together */
} rlxc_gemm;

/* groups.c: axes that one factor uses as a quotient alone, as grouped convolutions do, become two
 * of a stage like g->stage. */
void rlxc_gemm_split_groups(rlxc_context *ctx, rlxc_gemm *g);

/* Stage |i| as a product with at least one row axis and column axis; false with a reason. */
bool rlxc_gemm_of(const rlxc_stages *s, uint32_t i, rlxc_gemm *out);

typedef struct rlxc_fragment_kind { /* an instruction of tensor cores: fragments.c has the rows */
    rlx_dtype dtype;                /* of the factors in memory */
    const char *shape, *type;       /* in T.ptx_mma */
    int64_t terms, per_register;    /* terms of one instruction, elements in 32 bits */
    bool rounds;                    /* it rounds the factors to fewer digits */
} rlxc_fragment_kind;

/* The instruction for the factors of |g|: float16 or bfloat16 numbers that are summed in float32,
 * where allowed also float32 ones; NULL: none. *out_x and *out_w are the factors before a
 * conversion that the instruction makes. */
const rlxc_fragment_kind *rlxc_gemm_fragment(const rlxc_gemm *g, bool allow_tf32,
                                             const rlxc_expr **out_x, const rlxc_expr **out_w);

/* The rewrite "gemm": the factors become blocks NAME_x[b, m, k] and NAME_w[b, k, n] of shared
 * memory, with zeros up to multiples of sizes "rows", "columns" and "terms"; NAME[b, m, n] is their
 * product in each thread's memory, and NAME_out its copy to the result, with the epilogue if size
 * "epilogue" is 1. With size "clamp" rows and columns are not filled up with zeros but with the
 * last of them. Several axes of a kind are one here: a convolution is a product whose x is read
 * through its windows. There is no b where there are no batches. With size "fragment" (the terms of
 * an instruction of tensor cores: 16, of TF32 8) the blocks are those of fragments.c: their axes
 * are tiles of 16 rows, 8 columns and so many terms, lanes of a warp, and a lane's elements. TF32
 * needs --allow-tf32. */
extern const rlxc_kernel_row rlxc_gemm_row;

typedef struct rlxc_gemm_sizes {
    int64_t rows, columns, terms, epilogue, clamp, fragment;
} rlxc_gemm_sizes;

/* Appends the step that asks for the rewrite. */
void rlxc_step_gemm(rlxc_schedule_steps *l, rlxc_step_ref block, const rlxc_gemm_sizes *sizes);

#endif
