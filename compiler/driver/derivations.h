/* Which lifted constants are the same: computed by the same operators from the same weights.
 *
 * Passes compute constants where they need them, so functions that read one weight, and the CPU
 * levels of a file, state the same computations of it more than once. */
#ifndef RLXC_DRIVER_DERIVATIONS_H
#define RLXC_DRIVER_DERIVATIONS_H

#include "compiler/ir/relax.h"

typedef struct rlxc_derivations { /* zero: empty */
    rlxc_map first;               /* constant -> the first that is the same */
    rlxc_map by_hash;
} rlxc_derivations;

/* The first constant that was asked for of those that are the same as |c|. The operands of |c| must
 * have been asked for before. Weights as they were read are the same if name and bytes are. */
const rlxc_constant *rlxc_first_derived(rlxc_context *ctx, rlxc_derivations *d,
                                        const rlxc_constant *c);

#endif
