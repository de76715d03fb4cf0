/* Private to pass plan_devices: which tensors must share a device, and where copies may be made.
 *
 * Every tensor in a type has a node: those of a variable, of a function's parameters and result, of
 * a callable's. Nodes of the same value are joined. A use that may need the value on another device
 * is a possible copy. Constants have no node: they are loaded where they are used. */
#ifndef RLXC_PASSES_DEVICE_PLAN_H
#define RLXC_PASSES_DEVICE_PLAN_H

#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/placement.h"

#define RLXC_NO_NODE UINT32_MAX

typedef struct rlxc_device_node {
    uint32_t parent;  /* towards the node that stands for all joined ones, its own parent */
    uint32_t value;   /* position of the value that is made here, or RLXC_NO_NODE */
    int32_t place;    /* position in the module's table, or RLXC_NO_PLACE; of the standing node */
    bool is_given;    /* set if the module's text states the device; else planning chose it */
    bool is_small;    /* may be a size or a counter: follows its uses rather than the default */
    rlxc_range range; /* where the place was said */
} rlxc_device_node;

/* A body, and where it is in the next one out. */
typedef struct rlxc_device_scope rlxc_device_scope;
struct rlxc_device_scope {
    rlxc_body *body;
    const rlxc_device_scope *parent;
    uint32_t block, index, depth; /* of the binding that holds the body, in |parent| */
};

/* An operand, or part of one, which may have to be a copy. */
typedef struct rlxc_device_use {
    rlxc_atom *at; /* a variable */
    uint32_t leaf; /* which tensor of its type */
    uint32_t source, user;
    const rlxc_device_scope *scope;
    uint32_t block, index; /* the binding in |scope|; block n_blocks: the body's result */
} rlxc_device_use;

typedef struct rlxc_device_plan {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_options *options;
    int32_t host;      /* place of the CPU's plain memory */
    uint32_t on_host;  /* a node at |host| */
    int32_t preferred; /* --default-device, or |host| */
    RLXC_VEC(rlxc_device_node) nodes;
    RLXC_VEC(rlxc_placed_value) values;
    RLXC_VEC(rlxc_device_use) uses;
    rlxc_map bases;      /* variable or function -> 1 + node of its type's first tensor */
    rlxc_map definition; /* variable -> binding */
} rlxc_device_plan;

/* A type and the node of its first tensor. */
typedef struct rlxc_device_tree {
    const rlxc_sinfo *type;
    uint32_t base;
} rlxc_device_tree;

/* The number of tensors in a type, those of callables' signatures counted. */
uint32_t rlxc_device_leaves(const rlxc_sinfo *s);
rlxc_device_tree rlxc_device_tree_of(rlxc_device_plan *p, const rlxc_rvar *var);
/* The types of the parameters, then of the result. */
rlxc_device_tree rlxc_device_tree_of_function(rlxc_device_plan *p, const rlxc_function *f);
uint32_t rlxc_device_root(rlxc_device_plan *p, uint32_t node);
/* The place of a node once all have one. */
int32_t rlxc_device_place(rlxc_device_plan *p, uint32_t node);

/* Collects the devices that the module states, and what follows from them. False after an error. */
bool rlxc_device_flow(rlxc_device_plan *p);
/* Gives every type its devices, and makes the copies. */
void rlxc_device_apply(rlxc_device_plan *p);

/* True if operand |i| of an operator on explicit memory is the number of a device. */
bool rlxc_names_device(const rlxc_binding *b, uint32_t i, int64_t *out_index);
/* Reports errors about devices that do not depend on where values are placed. */
bool rlxc_check_devices(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options);

#endif
