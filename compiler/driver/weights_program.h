/* The program that computes the weights of a file from other weights: a separate executable. Its
 * function "weights" takes the original weights and returns a tuple of the weights that kernels
 * read. */
#ifndef RLXC_DRIVER_WEIGHTS_PROGRAM_H
#define RLXC_DRIVER_WEIGHTS_PROGRAM_H

#include "compiler/base/options.h"
#include "compiler/driver/derivations.h"

typedef RLXC_VEC(const rlxc_constant *) rlxc_constants;

/* Compiles the program for the CPU of |options|. |needed|: |results| and all that they are computed
 * from, operands first. The caller frees |*out_data| of |*out_size| with rlx_free, aligned to 64.
 */
bool rlxc_weights_program(rlxc_context *ctx, const rlxc_options *options,
                          rlxc_derivations *derivations, const rlxc_constants *needed,
                          const rlxc_constants *results, void **out_data, size_t *out_size);

#endif
