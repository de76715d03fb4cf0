/* Chooses places for the free nodes so that copies between places move the fewest bytes.
 *
 * A value is made at the place of its source node; each other place with a user node costs one
 * copy. With two places the solution is exact, by a minimum cut. With more, cuts between pairs of
 * places improve the solution in turn, and small groups of nodes are then searched exhaustively. */
#ifndef RLXC_PASSES_PLACEMENT_H
#define RLXC_PASSES_PLACEMENT_H

#include "compiler/base/context.h"

enum { RLXC_MAX_PLACES = 64, RLXC_NO_PLACE = -1 };

typedef struct rlxc_placed_value {
    uint32_t source;          /* node */
    int64_t bytes;            /* of one copy, 1 to RLXC_MAX_COPY */
    RLXC_VEC(uint32_t) users; /* nodes */
} rlxc_placed_value;

#define RLXC_MAX_COPY (INT64_C(1) << 40)

typedef struct rlxc_placement {
    int32_t *place; /* by node; RLXC_NO_PLACE: free */
    uint32_t n_nodes;
    rlxc_placed_value *values;
    uint32_t n_values;
    int32_t preferred; /* place of nodes for which every place costs the same */
} rlxc_placement;

/* The bytes of all copies; free nodes cost nothing. */
int64_t rlxc_placement_cost(const rlxc_placement *p);
/* Gives each free node a place; false when memory ran out. */
bool rlxc_place(rlxc_context *ctx, rlxc_placement *p);

#endif
