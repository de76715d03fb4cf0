/* Groups of bindings of a block that one call can replace: merge_groups.c. */
#ifndef RLXC_PASSES_MERGE_GROUPS_H
#define RLXC_PASSES_MERGE_GROUPS_H

#include "compiler/ir/relax.h"

typedef struct rlxc_merge_groups {
    rlxc_context *ctx;
    uint32_t n;                          /* bindings; at first each is a group */
    uint32_t *parent;                    /* of a binding in the tree of its group */
    uint32_t *first;                     /* by group: its first binding, ... */
    uint32_t *last_member, *next_member; /* ... and all as a list */
    uint32_t *first_read, *reads;        /* by binding: the bindings whose values it reads */
    uint32_t *before, *after;            /* by group: its neighbours in the order, */
    int64_t *label;                      /* and its place there */
    uint32_t *seen, round;               /* by group: the last search that met it */
} rlxc_merge_groups;

/* |places|: variable -> 1 + place in the block. False when memory ran out. */
bool rlxc_merge_groups_init(rlxc_merge_groups *g, rlxc_context *ctx,
                            const rlxc_binding_block *block, const rlxc_map *places);
/* The binding that stands for the group of |i|. */
uint32_t rlxc_merge_group_of(rlxc_merge_groups *g, uint32_t i);
/* Joins the groups of two bindings, unless a value would leave the group and come back. */
void rlxc_merge_groups_join(rlxc_merge_groups *g, uint32_t a, uint32_t b);

#endif
