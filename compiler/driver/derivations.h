/* Finds equal lifted constants: those computed by the same operators from the same weights.
 *
 * Passes compute constants where they need them, so functions that read the same weight, and the
 * CPU levels of a file, repeat the same computations. */
#ifndef RLXC_DRIVER_DERIVATIONS_H
#define RLXC_DRIVER_DERIVATIONS_H

#include "compiler/ir/relax.h"

typedef struct rlxc_derivations { /* zero: empty */
    rlxc_map first;               /* constant -> the first that is the same */
    rlxc_map by_hash;
} rlxc_derivations;

/* The representative of |c|: the first equal constant that was passed to this function. Pass the
 * operands of |c| before |c|. Weights as they were read are equal if their names and bytes are. */
const rlxc_constant *rlxc_first_derived(rlxc_context *ctx, rlxc_derivations *d,
                                        const rlxc_constant *c);

#endif
