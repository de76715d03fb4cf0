/* Private to device planning: how devices that a module states propagate from node to node
   (device_plan.h).
 *
 * device_relate.c joins nodes and records possible copies; device_calls.c has the requirements of
 * calls on their operands and results; device_flow.c walks over functions. */
#ifndef RLXC_PASSES_DEVICE_WALK_H
#define RLXC_PASSES_DEVICE_WALK_H

#include "compiler/passes/device_plan.h"

typedef struct rlxc_device_walk {
    rlxc_device_plan *p;
    const rlxc_device_scope *scope;
    uint32_t block, index; /* of the binding */
    rlxc_range range;
} rlxc_device_walk;

typedef enum rlxc_device_link { RLXC_COPIES, RLXC_SAME } rlxc_device_link;

typedef struct rlxc_device_relation {
    rlxc_device_walk *w;
    rlxc_device_link how;
    rlxc_atom *at; /* the variable whose type |from| is; NULL: none, and nothing is copied */
    uint32_t leaf; /* of the next tensor of |from| */
    bool unboxes;  /* a value of type Object is moved to where |to| says */
} rlxc_device_relation;

/* Operand |i|, which the walk has made the binding's own. */
static inline rlxc_atom *rlxc_device_operand(const rlxc_binding *b, uint32_t i)
{
    return (rlxc_atom *)(uintptr_t)&b->args[i];
}

/* Sets the node's place to |place|; it is an error if the module's text states another one. */
void rlxc_device_pin(rlxc_device_walk *w, uint32_t node, int32_t place, bool is_given);
/* Puts the tensors of |t| without a stated device on the host; with |all| a tensor elsewhere is an
   error. */
void rlxc_device_pin_to_host(rlxc_device_walk *w, rlxc_device_tree t, bool all);
/* Requires the two nodes to have the same place. */
void rlxc_device_join(rlxc_device_walk *w, uint32_t a, uint32_t b);
uint32_t rlxc_device_new_node(rlxc_device_walk *w, int32_t place);
/* |from|, the type of a value, flows into |to|; either may be known less precisely. */
void rlxc_device_relate(rlxc_device_relation *r, rlxc_device_tree from, rlxc_device_tree to);
/* The operand |at| flows into |to|. */
void rlxc_device_into(rlxc_device_walk *w, rlxc_atom *at, rlxc_device_tree to,
                      rlxc_device_link how);
/* Every tensor of the operand |at| is used at |node|. */
void rlxc_device_use_at(rlxc_device_walk *w, rlxc_atom *at, uint32_t node, rlxc_device_link how);

/* A call of an operator; of a function, PrimFunc or closure. */
void rlxc_device_operator(rlxc_device_walk *w, const rlxc_binding *b);
void rlxc_device_call(rlxc_device_walk *w, const rlxc_binding *b);

#endif
