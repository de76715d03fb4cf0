/* Proves the reservations of memory pools for calls. It shares nothing with the code that computes
 * them (emit_pools.c), finds callees (emit_call.c) and orders functions (emit_order.c).
 *
 * A reservation is the number of bytes of each pool for each function. The reservations are
 * sufficient if each is at least what the function's own buffers take plus the reservation of any
 * function that it may call: then no chain of calls, however deep, takes more. A tail call that
 * restarts its function does not count. The buffers are read back from the builder, the calls from
 * the module. The reservations must also fit into the pools, and into the sizes that the file
 * states. */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/op.h"

typedef struct proof {
    rlxc_bc_module *m;
    const rlxc_function *f;
    const uint64_t *own, *claim;
    rlxc_map values; /* functions that are used other than by a call */
    bool holds;
} proof;

/* --- what a function's own buffers take ------------------------------------------------------- */

/* The pool of memory that the region is laid out in, an index of |m->on_devices|. */
static uint32_t pool_of(const rlxc_bc_function *fn, uint32_t region)
{
    const rlxc_bc_module *m = fn->m;
    for (uint32_t i = 0; i < fn->regions.count; i++)
        for (uint32_t k = 0; k < m->on_devices.count; k++)
            if (fn->regions.items[i].index == region &&
                fn->regions.items[i].device == m->on_devices.items[k].device &&
                m->on_devices.items[k].pool->kind == RLXC_POOL_WORKSPACE)
                return k;
    return RLXC_BC_MOST_POOLS;
}

void rlxc_bc_note_taken(rlxc_bc_function *fn)
{
    rlxc_bc_module *m = fn->m;
    uint64_t *taken = rlxc_alloc(m->ctx, RLXC_BC_MOST_POOLS * sizeof *taken);
    for (uint32_t i = 0; i < fn->pooled.count && !m->failed; i++) {
        const uint64_t bytes = fn->pooled.items[i].bytes;
        rlx_plan_buffer row;
        if (!rlx_exec_builder_buffer_at(m->builder, fn->pooled.items[i].buffer, &row))
            continue;
        const uint32_t k = pool_of(fn, row.region);
        if (k == RLXC_BC_MOST_POOLS || m->on_devices.items[k].pool->size == RLXC_POOL_OPEN)
            continue;
        if (row.offset == RLX_PLAN_AT_RUN_TIME || bytes > RLXC_POOL_OPEN - row.offset)
            taken[k] = RLXC_POOL_OPEN;
        else if (row.offset + bytes > taken[k])
            taken[k] = row.offset + bytes;
    }
    rlxc_map_set(m->ctx, &m->taken, rlxc_key(fn->f), taken);
}

/* --- what it may call ------------------------------------------------------------------------- */

static const rlxc_function *function_at(const rlxc_bc_module *m, rlxc_atom atom)
{
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(m->module, atom.text) : NULL;
    return g ? g->relax : NULL;
}

static void note_value(void *user, rlxc_atom atom)
{
    proof *p = user;
    const rlxc_function *f = function_at(p->m, atom);
    if (f)
        rlxc_map_set(p->m->ctx, &p->values, rlxc_key(f), p->m);
}

static bool note_values(void *user, rlxc_binding *b)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], note_value, user);
    if (b->form == RLXC_FORM_IF) {
        rlxc_atom_visit(b->then->result, note_value, user);
        rlxc_atom_visit(b->otherwise->result, note_value, user);
    }
    return true;
}

static void check_call(proof *p, const rlxc_function *callee)
{
    const uint64_t *below = rlxc_map_get(&p->m->needs, rlxc_key(callee));
    for (uint32_t k = 0; k < p->m->on_devices.count; k++) {
        const uint64_t needed = below ? below[k] : RLXC_POOL_OPEN;
        p->holds = p->holds && p->claim[k] >= p->own[k] && needed <= p->claim[k] - p->own[k];
    }
}

static bool holds_function(rlxc_atom atom)
{
    const rlxc_sinfo *type = atom.kind == RLXC_ATOM_VAR ? atom.var->sinfo : NULL;
    return atom.kind == RLXC_ATOM_GLOBAL ||
           (type && (type->kind == RLXC_SINFO_OBJECT || type->kind == RLXC_SINFO_CALLABLE));
}

/* A call of a closure, or of a packed function, or of a builtin that is given a function. */
static bool may_call_values(const rlxc_binding *b)
{
    const rlxc_atom callee = b->op && b->n_args > 0 ? b->args[0] : b->callee;
    if (b->op && (!rlxc_has_op_flag(b, RLXC_OP_CALLS) || rlxc_is_op(b, "make_closure")))
        return false;
    if (callee.kind == RLXC_ATOM_VAR)
        return true;
    if (callee.kind != RLXC_ATOM_EXTERN)
        return false;
    bool may = !rlxc_find_builtin(callee.text);
    for (uint32_t i = 0; i < b->n_args; i++)
        may = may || holds_function(b->args[i]);
    return may;
}

static bool check_binding(void *user, rlxc_binding *b)
{
    proof *p = user;
    if (b->form != RLXC_FORM_CALL)
        return true;
    const rlxc_function *callee = b->op ? NULL : function_at(p->m, b->callee);
    if (callee && !(callee == p->f && rlxc_map_get(&p->m->restarts, rlxc_key(b))))
        check_call(p, callee);
    for (uint32_t i = 0; may_call_values(b) && i < p->m->module->globals.count; i++) {
        const rlxc_function *f = p->m->module->globals.items[i]->relax;
        if (f && rlxc_map_get(&p->values, rlxc_key(f)))
            check_call(p, f);
    }
    return p->holds;
}

/* --- the proof -------------------------------------------------------------------------------- */

static void check_function(proof *p)
{
    const rlxc_bc_module *m = p->m;
    for (uint32_t k = 0; k < m->on_devices.count && p->holds; k++) {
        const rlxc_bc_pool *pool = &m->on_devices.items[k];
        if (pool->pool->kind == RLXC_POOL_WORKSPACE && pool->pool->size != RLXC_POOL_OPEN)
            p->holds = p->own[k] <= p->claim[k] && p->claim[k] <= pool->used &&
                       pool->used <= pool->pool->size;
    }
    if (p->holds)
        rlxc_each_binding(&p->f->body, check_binding, p);
}

void rlxc_bc_check_needs(rlxc_bc_module *m)
{
    const rlxc_module *module = m->module;
    proof p = {.m = m, .holds = true};
    for (uint32_t i = 0; i < module->globals.count && m->pools.n > 0; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        rlxc_each_binding(&f->body, note_values, &p);
        rlxc_atom_visit(f->body.result, note_value, &p);
    }
    for (uint32_t i = 0; i < module->globals.count && m->pools.n > 0; i++) {
        p.f = module->globals.items[i]->relax;
        p.own = p.f ? rlxc_map_get(&m->taken, rlxc_key(p.f)) : NULL;
        p.claim = p.f ? rlxc_map_get(&m->needs, rlxc_key(p.f)) : NULL;
        if (!p.f || rlxc_failed(m->ctx))
            continue;
        p.holds = p.own && p.claim;
        if (p.holds)
            check_function(&p);
        if (p.holds)
            continue;
        rlxc_internal(m->ctx, p.f->range, "emit_bytecode",
                      "memory plan: '%s' and its callees take more of a pool than was reserved",
                      p.f->name);
        m->failed = true;
    }
}
