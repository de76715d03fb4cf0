/* Chooses which values computed from constants are stored, and which are computed where they are
 * read: fold_cut.c. */
#ifndef RLXC_PASSES_FOLD_CUT_H
#define RLXC_PASSES_FOLD_CUT_H

#include "compiler/ir/rewrite.h"

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

#endif
