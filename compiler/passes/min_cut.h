/* Minimum cut of a network: which nodes are on the source's side. */
#ifndef RLXC_PASSES_MIN_CUT_H
#define RLXC_PASSES_MIN_CUT_H

#include "compiler/base/context.h"

#define RLXC_UNCUT (INT64_C(1) << 62) /* capacity of arcs that no cut may take */

typedef struct rlxc_arc { /* arc i ^ 1 goes back */
    uint32_t to, next;    /* the next arc out of the same node, or UINT32_MAX */
    int64_t left;         /* capacity that is not used */
} rlxc_arc;

typedef struct rlxc_network { /* nodes 0 and 1 are source and sink */
    rlxc_context *ctx;
    RLXC_VEC(uint32_t) first; /* arc by node */
    RLXC_VEC(rlxc_arc) arcs;
} rlxc_network;

void rlxc_network_init(rlxc_network *n, rlxc_context *ctx);
uint32_t rlxc_network_node(rlxc_network *n);
/* An arc that costs |capacity| to cut: when |from| is on the source's side and |to| is not. */
void rlxc_network_arc(rlxc_network *n, uint32_t from, uint32_t to, int64_t capacity);
/* For each node, whether it is on the sink's side of the minimum cut with the smallest sink side;
 * NULL when memory ran out. */
const bool *rlxc_min_cut(rlxc_network *n);

#endif
