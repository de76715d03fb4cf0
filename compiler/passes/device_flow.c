/* Device planning: the walk that propagates devices from value to value (device_walk.h). */
#include <string.h>

#include "compiler/passes/device_walk.h"

static void walk_function(rlxc_device_plan *p, rlxc_function *f, const rlxc_device_scope *parent,
                          uint32_t block, uint32_t index);
static void walk_body(rlxc_device_plan *p, rlxc_body *body, rlxc_device_tree result,
                      const rlxc_device_scope *parent, uint32_t block, uint32_t index);

static void flow_tuple_get(rlxc_device_walk *w, const rlxc_binding *b)
{
    const rlxc_atom *from = b->args;
    if (from->kind == RLXC_ATOM_TUPLE && b->index < from->n) {
        rlxc_device_into(w, (rlxc_atom *)(uintptr_t)&from->items[b->index],
                         rlxc_device_tree_of(w->p, b->var), RLXC_SAME);
        return;
    }
    if (from->kind != RLXC_ATOM_VAR)
        return;
    rlxc_device_tree field = rlxc_device_tree_of(w->p, from->var);
    rlxc_device_relation r = {.w = w, .how = RLXC_SAME};
    if (field.type->kind == RLXC_SINFO_TUPLE && b->index < field.type->n_fields) {
        for (uint32_t i = 0; i < b->index; i++)
            field.base += rlxc_device_leaves(field.type->fields[i]);
        field.type = field.type->fields[b->index];
    }
    rlxc_device_relate(&r, field, rlxc_device_tree_of(w->p, b->var));
}

static void match_cast(rlxc_device_walk *w, const rlxc_binding *b, rlxc_device_tree out)
{
    rlxc_device_relation r = {.w = w, .how = RLXC_SAME};
    if (b->args[0].kind != RLXC_ATOM_VAR) {
        rlxc_device_into(w, rlxc_device_operand(b, 0), out, RLXC_SAME);
        return;
    }
    const rlxc_device_tree from = rlxc_device_tree_of(w->p, b->args[0].var);
    r.unboxes = from.type->kind == RLXC_SINFO_OBJECT;
    rlxc_device_relate(&r, from, out);
}

static void flow_binding(rlxc_device_walk *w, rlxc_binding *b)
{
    rlxc_device_plan *p = w->p;
    const rlxc_device_tree out = rlxc_device_tree_of(p, b->var);
    switch (b->form) {
    case RLXC_FORM_COPY:
        rlxc_device_into(w, rlxc_device_operand(b, 0), out, RLXC_SAME);
        return;
    case RLXC_FORM_MATCH_CAST:
        match_cast(w, b, out);
        return;
    case RLXC_FORM_CALL:
        if (b->op)
            rlxc_device_operator(w, b);
        else
            rlxc_device_call(w, b);
        return;
    case RLXC_FORM_TUPLE: {
        rlxc_device_tree field = {NULL, out.base};
        for (uint32_t i = 0; i < b->n_args; i++) {
            const bool known = out.type->kind == RLXC_SINFO_TUPLE && i < out.type->n_fields;
            field.type = known ? out.type->fields[i] : out.type;
            rlxc_device_into(w, rlxc_device_operand(b, i), field, RLXC_COPIES);
            if (known)
                field.base += rlxc_device_leaves(field.type);
        }
        return;
    }
    case RLXC_FORM_TUPLE_GET:
        flow_tuple_get(w, b);
        return;
    case RLXC_FORM_IF:
        rlxc_device_use_at(w, rlxc_device_operand(b, 0), p->on_host, RLXC_COPIES);
        walk_body(p, b->then, out, w->scope, w->block, w->index);
        walk_body(p, b->otherwise, out, w->scope, w->block, w->index);
        return;
    case RLXC_FORM_FUNCTION: {
        rlxc_device_relation r = {.w = w, .how = RLXC_SAME};
        rlxc_device_relate(&r, rlxc_device_tree_of_function(p, b->function), out);
        walk_function(p, b->function, w->scope, w->block, w->index);
        return;
    }
    }
}

/* The operand lists of a binding become its own, so that copies can be put into them. */
static void own_atoms(rlxc_device_plan *p, const rlxc_atom **items, uint32_t n)
{
    rlxc_atom *own = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *own);
    if (!own)
        return;
    memcpy(own, *items, n * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        if (own[i].kind == RLXC_ATOM_TUPLE)
            own_atoms(p, &own[i].items, own[i].n);
    *items = own;
}

static void walk_body(rlxc_device_plan *p, rlxc_body *body, rlxc_device_tree result,
                      const rlxc_device_scope *parent, uint32_t block, uint32_t index)
{
    rlxc_device_scope *scope = rlxc_alloc(p->ctx, sizeof *scope);
    *scope = (rlxc_device_scope){body, parent, block, index, parent ? parent->depth + 1 : 0};
    rlxc_device_walk w = {.p = p, .scope = scope};
    for (w.block = 0; w.block < body->n_blocks; w.block++)
        for (w.index = 0; w.index < body->blocks[w.block]->n; w.index++) {
            rlxc_binding *b = body->blocks[w.block]->bindings[w.index];
            if (rlxc_out_of_memory(p->ctx))
                return;
            w.range = b->range;
            if (b->n_args > 0)
                own_atoms(p, &b->args, b->n_args);
            rlxc_map_set(p->ctx, &p->definition, rlxc_key(b->var), b);
            flow_binding(&w, b);
        }
    w.index = 0;
    w.range = body->result_range;
    if (body->result.kind == RLXC_ATOM_TUPLE)
        own_atoms(p, &body->result.items, body->result.n);
    rlxc_device_into(&w, &body->result, result, RLXC_COPIES);
}

static void walk_function(rlxc_device_plan *p, rlxc_function *f, const rlxc_device_scope *parent,
                          uint32_t block, uint32_t index)
{
    rlxc_device_walk w = {.p = p, .range = f->range};
    rlxc_device_tree t = rlxc_device_tree_of_function(p, f);
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_device_relation r = {.w = &w, .how = RLXC_SAME};
        const rlxc_device_tree param = {t.type->fields[i], t.base};
        const rlxc_device_tree own = rlxc_device_tree_of(p, f->params[i]);
        rlxc_device_relate(&r, own, param);
        t.base += rlxc_device_leaves(param.type);
        /* Callers of the module keep large tensors on the device that the module states. */
        for (uint32_t k = 0; !f->parent && k < rlxc_device_leaves(own.type); k++)
            if (!f->is_private && !rlxc_out_of_memory(p->ctx) &&
                own.type->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_float(own.type->dtype))
                p->nodes.items[rlxc_device_root(p, own.base + k)].is_small = false;
    }
    t.type = t.type->ret ? t.type->ret : rlxc_sinfo_object(p->ctx);
    walk_body(p, &f->body, t, parent, block, index);
}

bool rlxc_device_flow(rlxc_device_plan *p)
{
    rlxc_device_walk w = {.p = p};
    p->on_host = rlxc_device_new_node(&w, p->host);
    for (uint32_t i = 0; i < p->module->globals.count && !rlxc_out_of_memory(p->ctx); i++)
        if (p->module->globals.items[i]->relax)
            walk_function(p, p->module->globals.items[i]->relax, NULL, 0, 0);
    return !rlxc_failed(p->ctx);
}
