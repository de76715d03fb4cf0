/* Writes lifted constants (ir/lifted.h) to a file of their own, with the program that computes them
 * from other weights. */
#ifndef RLXC_DRIVER_LIFT_PARAMS_H
#define RLXC_DRIVER_LIFT_PARAMS_H

#include "compiler/base/options.h"
#include "compiler/driver/derivations.h"
#include "compiler/ir/relax.h"
#include "rlx/builder.h"

/* The weights that a level's program reads, and the level's builder. */
typedef struct rlxc_lifted_level {
    rlx_exec_builder *builder;
    rlx_weight_place *places;
    uint32_t n;
    void *code; /* the program's executable, in the arena */
    size_t size;
} rlxc_lifted_level;

typedef struct rlxc_lifted_file {
    const char *path;
    RLXC_VEC(const rlxc_constant *) tensors; /* in the order of the file */
    RLXC_VEC(rlx_weight_place) places;
    rlxc_derivations derivations; /* of all levels */
    rlxc_map by_constant;         /* the first that is the same -> 1 + its index in the two */
    uint64_t size;
    RLXC_VEC(rlxc_lifted_level) levels;
} rlxc_lifted_file;

/* Adds the lifted constants that the Relax functions of |module| read to options->lifted_file, for
 * |builder|. |out_places|: constant -> 1 + its offset. Does nothing if there are none. */
bool rlxc_lift_params(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                      rlx_exec_builder *builder, rlxc_map *out_places);

/* Writes the file with what was added, and gives the builders their sections; |file| may be NULL
 * or empty. */
bool rlxc_write_lifted(rlxc_context *ctx, const rlxc_lifted_file *file);

#endif
