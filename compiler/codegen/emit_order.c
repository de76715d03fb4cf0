/* Bytecode emission: the order of functions.
 *
 * Functions are emitted in the module's order, but with memory pools callees come first, because a
 * callee's part of a pool is not available to its caller. A call of a closure may call any function
 * that is used as a value. */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/op.h"

#include <string.h>

typedef RLXC_VEC(uint32_t) index_vec;

typedef struct order {
    rlxc_bc_module *m;
    index_vec *callees; /* of each global: globals */
    bool *calls_values;
    uint8_t *state; /* 1: entered, 2: in |out| */
    index_vec values, path, next;
    uint32_t current, *out, n_out;
} order;

static void note_callee(order *o, const rlxc_function *f)
{
    uintptr_t index = (uintptr_t)rlxc_map_get(&o->m->global_of, rlxc_key(f));
    if (index)
        RLXC_PUSH(o->m->ctx, &o->callees[o->current], (uint32_t)index - 1);
}

static void note_atom(void *user, rlxc_atom atom)
{
    order *o = user;
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(o->m->module, atom.text) : NULL;
    if (!g || !g->relax || rlxc_bc_is_value(o->m, g->relax))
        return;
    rlxc_map_set(o->m->ctx, &o->m->pool_values, rlxc_key(g->relax), o);
    RLXC_PUSH(o->m->ctx, &o->values,
              (uint32_t)(uintptr_t)rlxc_map_get(&o->m->global_of, rlxc_key(g->relax)) - 1);
}

static bool may_be_closure(rlxc_atom atom)
{
    const rlxc_sinfo *type = atom.kind == RLXC_ATOM_VAR ? atom.var->sinfo : NULL;
    return atom.kind == RLXC_ATOM_GLOBAL ||
           (type && (type->kind == RLXC_SINFO_OBJECT || type->kind == RLXC_SINFO_CALLABLE));
}

bool rlxc_bc_calls_back(const char *name, const rlxc_atom *args, uint32_t n)
{
    bool may = rlxc_find_builtin(name) == NULL;
    for (uint32_t i = 0; i < n && !may; i++)
        may = may_be_closure(args[i]);
    return may;
}

static bool note_binding(void *user, rlxc_binding *b)
{
    order *o = user;
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], note_atom, o);
    if (b->form == RLXC_FORM_IF) {
        rlxc_atom_visit(b->then->result, note_atom, o);
        rlxc_atom_visit(b->otherwise->result, note_atom, o);
    }
    const rlxc_global *g = b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(o->m->module, b->callee.text)
                               : NULL;
    if (g && g->relax)
        note_callee(o, g->relax);
    else if (b->form == RLXC_FORM_CALL &&
             (b->op ? (b->op->flags & RLXC_OP_CALLS) != 0
                    : b->callee.kind == RLXC_ATOM_VAR ||
                          (b->callee.kind == RLXC_ATOM_EXTERN &&
                           rlxc_bc_calls_back(b->callee.text, b->args, b->n_args))))
        o->calls_values[o->current] = true;
    return true;
}

bool rlxc_bc_is_value(const rlxc_bc_module *m, const rlxc_function *f)
{
    return rlxc_map_get(&m->pool_values, rlxc_key(f)) != NULL;
}

/* The |k|-th callee of global |g|; false past the last. */
static bool callee_at(const order *o, uint32_t g, uint32_t k, uint32_t *out)
{
    const uint32_t own = o->callees[g].count;
    if (k < own) {
        *out = o->callees[g].items[k];
        return true;
    }
    if (!o->calls_values[g] || k - own >= o->values.count)
        return false;
    *out = o->values.items[k - own];
    return true;
}

static void enter(order *o, uint32_t g)
{
    o->state[g] = 1;
    RLXC_PUSH(o->m->ctx, &o->path, g);
    RLXC_PUSH(o->m->ctx, &o->next, 0);
}

/* Depth first from |root|, without recursion: chains of calls may be long. */
static void visit(order *o, uint32_t root)
{
    if (o->state[root] == 0)
        enter(o, root);
    while (o->path.count > 0 && !rlxc_out_of_memory(o->m->ctx)) {
        const uint32_t g = o->path.items[o->path.count - 1];
        uint32_t callee;
        if (callee_at(o, g, o->next.items[o->next.count - 1]++, &callee)) {
            if (o->state[callee] == 0)
                enter(o, callee);
            continue;
        }
        o->path.count--;
        o->next.count--;
        o->state[g] = 2;
        o->out[o->n_out++] = g;
    }
}

const uint32_t *rlxc_bc_order(rlxc_bc_module *m)
{
    const uint32_t n = m->module->globals.count;
    order o = {.m = m};
    o.out = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *o.out);
    if (o.out && m->pools.n == 0) {
        for (uint32_t i = 0; i < n; i++)
            o.out[i] = i;
        return o.out;
    }
    o.callees = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *o.callees);
    o.calls_values = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *o.calls_values);
    o.state = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *o.state);
    if (!o.out || !o.callees || !o.calls_values || !o.state)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (m->module->globals.items[i]->relax)
            rlxc_map_set(m->ctx, &m->global_of, rlxc_key(m->module->globals.items[i]->relax),
                         (void *)(uintptr_t)(i + 1));
    for (o.current = 0; o.current < n; o.current++) {
        const rlxc_function *f = m->module->globals.items[o.current]->relax;
        if (!f)
            continue;
        rlxc_each_binding(&f->body, note_binding, &o);
        rlxc_atom_visit(f->body.result, note_atom, &o);
    }
    for (uint32_t i = 0; i < n; i++)
        visit(&o, i);
    return rlxc_out_of_memory(m->ctx) ? NULL : o.out;
}
