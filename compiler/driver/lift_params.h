/* Lifted constants (ir/lifted.h) in a file of their own: the file, and the program that makes them
 * from other weights. */
#ifndef RLXC_DRIVER_LIFT_PARAMS_H
#define RLXC_DRIVER_LIFT_PARAMS_H

#include "compiler/base/options.h"
#include "compiler/ir/relax.h"
#include "rlx/builder.h"

/* Writes the lifted constants that the Relax functions of |module| read to options->weights_path,
 * and gives |builder| their section. |out_places|: constant -> 1 + its offset. Does nothing where
 * there are none. */
bool rlxc_lift_params(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                      rlx_exec_builder *builder, rlxc_map *out_places);

#endif
