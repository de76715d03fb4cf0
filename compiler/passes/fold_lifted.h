/* The steps that pass fold_batch_norm folds into a convolution, and the operators with which the
 * weights program (ir/lifted.h) repeats them on other weights. */
#ifndef RLXC_PASSES_FOLD_LIFTED_H
#define RLXC_PASSES_FOLD_LIFTED_H

#include "compiler/ir/relax.h"

typedef enum rlxc_step_kind {
    RLXC_STEP_ADD,
    RLXC_STEP_SUBTRACT,
    RLXC_STEP_MULTIPLY,
    RLXC_STEP_DIVIDE,
    RLXC_STEP_NORM /* (y - mean) * gamma / sqrt(variance + epsilon) + beta */
} rlxc_step_kind;

typedef struct rlxc_affine_step {
    rlxc_step_kind kind;
    const rlxc_constant *by[4]; /* one value, or one for each channel; NORM: gamma, beta, mean,
                                   variance, else one constant */
    double epsilon;
    bool scaled, centred; /* NORM: by gamma, by beta */
} rlxc_affine_step;
typedef RLXC_VEC(rlxc_affine_step) rlxc_affine_steps;

/* |product| is |weight|, whose first dimension is the channels, after |steps|, and |sum| is 0 after
 * |steps|; both have their bytes. Records that in each of them that is computed from a lifted
 * constant. */
void rlxc_fold_lifted(rlxc_context *ctx, const rlxc_constant *weight,
                      const rlxc_affine_steps *steps, rlxc_constant *product, rlxc_constant *sum);

#endif
