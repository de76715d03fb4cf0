/* Private to pass fold_constant: fold_cut.c chooses which values computed from constants are
 * stored, and which are computed where they are read; fold_run.c computes them. */
#ifndef RLXC_PASSES_FOLD_H
#define RLXC_PASSES_FOLD_H

#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"
#include "rlx/base.h"

/* A value that fold_constant could store. */
typedef struct rlxc_fold_value {
    const rlxc_binding *binding;
    int64_t bytes;
    bool is_read;    /* by kernels that can compute it themselves */
    bool is_needed;  /* as a constant, by something else */
    bool is_decoded; /* set: it is computed when the program runs */
} rlxc_fold_value;

/* True if the kernel of |b| can compute the elements of its operands as it reads them. */
bool rlxc_reads_by_element(const rlxc_binding *b);
/* True if |b| is such a computation: its kernel can become part of one that reads the value. */
bool rlxc_is_by_element(const rlxc_binding *b);

/* Sets is_decoded of those of the |n| values for which that makes the stored constants smaller. The
 * values are in the order of their bindings. */
void rlxc_cut_folds(rlxc_context *ctx, rlxc_fold_value *values, uint32_t n);

/* A field of the tuple that the scratch function returns, and what it becomes. */
typedef struct rlxc_fold_result {
    rlxc_constant *constant; /* of a tensor: gets its bytes; NULL: a new one is made */
    rlxc_atom atom;          /* set: the constant, or a tuple of constants */
} rlxc_fold_result;

/* Compiles |scratch|, whose function |main| has the bindings of |block| and returns a tuple of |n|
 * values, and runs it. False with |err|, or with an error in |ctx|. */
bool rlxc_run_folds(rlxc_context *ctx, rlxc_module *scratch, rlxc_function *main,
                    rlxc_binding_block *block, const rlxc_options *options,
                    rlxc_fold_result *results, uint32_t n, rlx_error *err);

#endif
