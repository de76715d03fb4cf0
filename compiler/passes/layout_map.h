/* Values with reordered dimensions, for pass conv_layout.
 *
 * A moved value has a twin: the same elements in another order of the dimensions, which is computed
 * instead. The value itself becomes the twin transposed back; dce drops it if nothing reads it, so
 * transpositions between operators cancel. Twins do not outlive the block that binds them. */
#ifndef RLXC_PASSES_LAYOUT_MAP_H
#define RLXC_PASSES_LAYOUT_MAP_H

#include "compiler/ir/rewrite.h"

typedef struct rlxc_layout_entry {
    rlxc_rvar *var; /* for a tuple of tensors: a tuple, each tensor in this order */
    uint32_t n;
    int64_t order[RLXC_MAX_NDIM]; /* dimension i is dimension order[i] of the value */
    bool found; /* transposed by the module itself: used by operators that move, but does not make
                 * any move */
} rlxc_layout_entry;

typedef struct rlxc_layout_map {
    rlxc_map of;     /* rlxc_rvar -> rlxc_layout_entry */
    rlxc_map groups; /* rlxc_rvar -> a view of it (propagate_layout_groups.c) */
    bool moved;      /* something was moved, so transposed values may be used */
} rlxc_layout_map;

/* NULL when |a| has none. */
const rlxc_layout_entry *rlxc_layout_map_find(const rlxc_layout_map *twins, rlxc_atom a);

/* The type of |a| if it is a tensor of |rank| known dimensions (0: any rank above 0), else NULL.
 */
const rlxc_sinfo *rlxc_movable(const rlxc_builder *b, rlxc_atom a, uint32_t rank);

/* |x| with its dimensions in |order|; constants are permuted here. NONE when memory is out. */
rlxc_atom rlxc_permuted(rlxc_builder *b, rlxc_atom x, uint32_t rank, const int64_t *order);

/* As above, from the twin of |x| if it has one; else the result becomes its twin. */
rlxc_atom rlxc_layout_map_in(rlxc_layout_map *twins, rlxc_builder *b, rlxc_atom x, uint32_t rank,
                             const int64_t *order);

/* Replaces the binding's value by |twin|, in |order|, under its name. */
rlxc_rewrite_action rlxc_layout_map_replace(rlxc_layout_map *twins, rlxc_builder *b,
                                            const rlxc_binding *old, rlxc_atom twin,
                                            const int64_t *order, rlxc_atom *replacement);

/* Records that |var| is |value| in |order|; |value| stays as it is. */
void rlxc_layout_map_note(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_rvar *value,
                          rlxc_rvar *var, uint32_t n, const int64_t *order);

/* Moves operators that keep the order of dimensions, by the layout flags of their rows
 * (RLXC_OP_BY_ELEMENT etc.), if an operand has a twin. */
rlxc_rewrite_action rlxc_propagate_layout(rlxc_layout_map *twins, rlxc_builder *b,
                                          rlxc_binding *binding, rlxc_atom *replacement);

/* As above for groups of channels, in the part of the network that joins them with their pixels.
 * |call|: of an operator. */
rlxc_rewrite_action rlxc_propagate_layout_groups(rlxc_layout_map *twins, rlxc_builder *b,
                                                 rlxc_binding *call, rlxc_atom *replacement);

#endif
