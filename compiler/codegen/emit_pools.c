/* Bytecode emission: memory pools (compiler/ir/pool.h). Those for constants: emit_constants.c.
 *
 * Each pool is a region of a function's memory plan, laid out at the entry. The pools that take a
 * buffer's device and scope are its candidates, in the order given. A buffer with a known maximum
 * size may lie in any of them; the pool is chosen at the end of the function, when all intervals
 * are known (pool_fit.c), with the callees' part reserved. A buffer of unknown size lies in the
 * first pool without a limit. The row of a CPU pool has the target "pool NAME": the runtime uses
 * the memory that the host program has registered for its scope. */
#include "compiler/codegen/emit.h"

#include "compiler/analysis/static_size.h"
#include "compiler/ir/device.h"
#include "rlx/plan.h"

#include <string.h>

enum { MOST_NOTES = 24 };
#define MOST_BYTES ((int64_t)1 << 46)

/* --- candidates ------------------------------------------------------------------------------- */

bool rlxc_bc_find_pools(rlxc_bc_module *m)
{
    return rlxc_pools_of(m->ctx, m->module, &m->pools);
}

static uint8_t on_device(rlxc_bc_module *m, const rlxc_pool *pool, uint32_t device)
{
    uint32_t i = 0;
    while (i < m->on_devices.count &&
           (m->on_devices.items[i].pool != pool || m->on_devices.items[i].device != device))
        i++;
    if (i == RLXC_BC_MOST_POOLS) {
        rlxc_error(m->ctx, (rlxc_range){0}, "memory pools on more than %d devices",
                   RLXC_BC_MOST_POOLS);
        m->failed = true;
        return 0;
    }
    if (i == m->on_devices.count)
        RLXC_PUSH(m->ctx, &m->on_devices, (rlxc_bc_pool){pool, device, 0});
    return (uint8_t)i;
}

const rlxc_bc_candidates *rlxc_bc_pools_for(rlxc_bc_module *m, uint32_t device,
                                            rlxc_pool_kind holds)
{
    if (m->pools.n == 0)
        return NULL;
    const uint64_t key = ((uint64_t)holds << 32) + device + 1;
    rlxc_bc_candidates *known = rlxc_map_get(&m->candidates, key);
    if (known)
        return known->count > 0 ? known : NULL;
    const rlxc_vdevice *where = device < m->rows.count ? m->rows.items[device] : NULL;
    size_t length = 3;
    const char *kind = where ? rlxc_target_kind(&where->target, &length) : "cpu";
    known = rlxc_alloc(m->ctx, sizeof *known);
    for (uint32_t i = 0; i < m->pools.n; i++) {
        const rlxc_pool *pool = &m->pools.items[i];
        if (pool->kind == holds && rlxc_pool_takes(pool, kind, length, where ? where->scope : NULL))
            RLXC_PUSH(m->ctx, known, on_device(m, pool, rlxc_bc_pool_row(m, pool, where)));
    }
    rlxc_map_set(m->ctx, &m->candidates, key, known);
    return known->count > 0 ? known : NULL;
}

/* --- buffers ---------------------------------------------------------------------------------- */

bool rlxc_bc_has_limit(const rlxc_bc_module *m, uint8_t pool)
{
    return m->on_devices.items[pool].pool->size != RLXC_POOL_OPEN;
}

void rlxc_bc_enter_pools(rlxc_bc_function *fn, uint32_t device)
{
    const rlxc_bc_candidates *pools = rlxc_bc_pools_for(fn->m, device, RLXC_POOL_WORKSPACE);
    for (uint32_t i = 0; pools && i < pools->count && !fn->m->failed; i++)
        rlxc_bc_region_on(fn, rlxc_i64(fn->ctx, 0),
                          fn->m->on_devices.items[pools->items[i]].device);
}

/* The most bytes that |size| can be, rounded up; -1: not known. */
static int64_t most_bytes(rlxc_bc_function *fn, const rlxc_expr *size)
{
    const rlxc_bounds bounds = rlxc_stated_bounds(fn->ctx, fn->f);
    const rlxc_bound b = rlxc_bound_of(fn->ctx, size, &bounds);
    if (b.max < 0 || b.max > MOST_BYTES)
        return -1;
    return (b.max + RLX_PLAN_ALIGN - 1) / RLX_PLAN_ALIGN * RLX_PLAN_ALIGN;
}

static void no_pool(rlxc_bc_function *fn, const rlxc_expr *size)
{
    const rlxc_bounds bounds = rlxc_stated_bounds(fn->ctx, fn->f);
    const char *symbol = "values known at run time";
    rlxc_var_list vars = {0};
    rlxc_collect_vars(fn->ctx, size, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++)
        if (rlxc_bound_of(fn->ctx, vars.vars.items[i], &bounds).max > MOST_BYTES)
            symbol = vars.vars.items[i]->var.name;
    rlxc_error(fn->ctx, fn->range,
               "all memory pools for this have a size limit, but its size depends on %s, which has "
               "no upper bound (add --bound, or a last pool without a size)",
               symbol);
    fn->m->failed = true;
}

rlxc_bc_room rlxc_bc_pool_room(rlxc_bc_function *fn, const rlxc_expr *size,
                               const rlxc_bc_candidates *pools)
{
    rlxc_bc_module *m = fn->m;
    const int64_t most = most_bytes(fn, size);
    rlxc_bc_room room = {.bytes = 0};
    uint32_t at = 0;
    while (most < 0 && at < pools->count && rlxc_bc_has_limit(m, pools->items[at]))
        at++;
    if (at == pools->count) {
        no_pool(fn, size);
        return room;
    }
    if (most >= 0 && rlxc_bc_has_limit(m, pools->items[at])) {
        room.pools = pools;
        room.most = (uint64_t)most;
        size = rlxc_i64(fn->ctx, most);
    }
    room.region = rlxc_bc_region_on(fn, size, m->on_devices.items[pools->items[at]].device);
    room.bytes = rlxc_bc_expr(m, &fn->symbols, size, fn->range);
    return room;
}

/* --- the choice ------------------------------------------------------------------------------- */

typedef struct choice {
    rlxc_bc_function *fn;
    rlxc_pool_buffer *buffers;
    uint64_t room[RLXC_BC_MOST_POOLS];  /* of each pool, without what callees take */
    uint64_t below[RLXC_BC_MOST_POOLS]; /* that callees take */
} choice;

static void add_callee(choice *c, const rlxc_function *callee)
{
    rlxc_bc_module *m = c->fn->m;
    const uint64_t *needs = rlxc_map_get(&m->needs, rlxc_key(callee));
    if (!needs)
        rlxc_map_set(m->ctx, &m->recursive, rlxc_key(callee), m);
    for (uint32_t i = 0; needs && i < RLXC_BC_MOST_POOLS; i++)
        c->below[i] = needs[i] > c->below[i] ? needs[i] : c->below[i];
}

static void add_callees(choice *c)
{
    const rlxc_module *module = c->fn->m->module;
    for (uint32_t i = 0; i < c->fn->callees.count; i++)
        add_callee(c, c->fn->callees.items[i]);
    for (uint32_t i = 0; c->fn->calls_values && i < module->globals.count; i++)
        if (module->globals.items[i]->relax &&
            rlxc_bc_is_value(c->fn->m, module->globals.items[i]->relax))
            add_callee(c, module->globals.items[i]->relax);
}

static bool fill(choice *c)
{
    rlxc_bc_function *fn = c->fn;
    for (uint32_t i = 0; i < fn->pooled.count; i++) {
        const rlxc_bc_pooled *p = &fn->pooled.items[i];
        rlx_plan_buffer row = {0};
        if (!rlx_exec_builder_buffer_at(fn->m->builder, p->buffer, &row))
            return false;
        c->buffers[i] = (rlxc_pool_buffer){.first = row.first,
                                           .last = row.last,
                                           .bytes = p->bytes,
                                           .pools = p->pools->items,
                                           .n_pools = p->pools->count,
                                           .what = p->what,
                                           .range = p->range};
    }
    for (uint32_t i = 0; i < fn->m->on_devices.count; i++) {
        const uint64_t size = fn->m->on_devices.items[i].pool->size;
        c->room[i] = size == RLXC_POOL_OPEN ? size : size > c->below[i] ? size - c->below[i] : 0;
    }
    return true;
}

static void set_offsets(const choice *c)
{
    rlxc_bc_function *fn = c->fn;
    for (uint32_t i = 0; i < fn->pooled.count && !fn->m->failed; i++) {
        const rlxc_pool_buffer *b = &c->buffers[i];
        const rlxc_bc_region region =
            rlxc_bc_region_on(fn, rlxc_i64(fn->ctx, 0), fn->m->on_devices.items[b->pool].device);
        rlx_error err = {0};
        rlxc_bc_ok(fn->m, fn->range,
                   rlx_exec_builder_place_buffer(
                       fn->m->builder, fn->pooled.items[i].buffer, region.index,
                       rlxc_bc_has_limit(fn->m, b->pool) ? b->offset : RLX_PLAN_AT_RUN_TIME, &err),
                   &err);
    }
}

/* What a call of the function takes of each pool, its callees included. */
static void set_needs(const choice *c)
{
    rlxc_bc_function *fn = c->fn;
    uint64_t *needs = rlxc_alloc(fn->ctx, RLXC_BC_MOST_POOLS * sizeof *needs);
    for (uint32_t i = 0; i < fn->pooled.count; i++) {
        const rlxc_pool_buffer *b = &c->buffers[i];
        if (rlxc_bc_has_limit(fn->m, b->pool) && b->offset + b->bytes > needs[b->pool])
            needs[b->pool] = b->offset + b->bytes;
    }
    for (uint32_t i = 0; i < fn->m->on_devices.count; i++) {
        needs[i] += c->below[i];
        if (needs[i] == 0 || !rlxc_map_get(&fn->m->recursive, rlxc_key(fn->f)))
            continue;
        rlxc_error(fn->ctx, fn->f->range,
                   "memory pool '%s' has a size limit, but '%s', which needs %llu bytes of it, may "
                   "be called again while it runs",
                   fn->m->on_devices.items[i].pool->name, fn->f->name,
                   (unsigned long long)needs[i]);
        fn->m->failed = true;
    }
    rlxc_map_set(fn->ctx, &fn->m->needs, rlxc_key(fn->f), needs);
}

void rlxc_bc_place_pools(rlxc_bc_function *fn)
{
    choice c = {.fn = fn};
    rlxc_pool_misfit misfit;
    uint32_t wrong;
    if (fn->m->failed || fn->m->pools.n == 0)
        return;
    c.buffers = rlxc_try_alloc(fn->ctx, (size_t)fn->pooled.count + 1, sizeof *c.buffers);
    if (!c.buffers)
        return;
    add_callees(&c);
    if (!fill(&c))
        return;
    if (!rlxc_fit_pools(fn->ctx, c.buffers, fn->pooled.count, c.room, fn->m->layout, &misfit)) {
        if (!rlxc_failed(fn->ctx))
            rlxc_report_misfit(fn->ctx, fn->m->on_devices.items[misfit.pool].pool, &misfit,
                               fn->f->name, c.below[misfit.pool], c.buffers, fn->pooled.count);
        fn->m->failed = true;
        return;
    }
    if (!rlxc_check_pools(c.buffers, fn->pooled.count, c.room, fn->m->on_devices.count, &wrong)) {
        rlxc_internal(fn->ctx, fn->pooled.items[wrong].range, "emit_bytecode",
                      "memory plan: %s does not fit in its pool",
                      fn->pooled.items[wrong].what ? fn->pooled.items[wrong].what : "memory");
        fn->m->failed = true;
        return;
    }
    set_offsets(&c);
    set_needs(&c);
    rlxc_bc_note_taken(fn);
}

/* --- metadata --------------------------------------------------------------------------------- */

/* Into the rows of pools that calls take from: how much that is. */
static void find_most_used(rlxc_bc_module *m)
{
    for (uint32_t i = 0; i < m->module->globals.count; i++) {
        const rlxc_function *f = m->module->globals.items[i]->relax;
        const uint64_t *needs = f ? rlxc_map_get(&m->needs, rlxc_key(f)) : NULL;
        for (uint32_t k = 0; needs && k < m->on_devices.count; k++)
            if (needs[k] > m->on_devices.items[k].used)
                m->on_devices.items[k].used = needs[k];
    }
}

static uint64_t most_used(const rlxc_bc_module *m, const rlxc_pool *pool)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < m->on_devices.count; k++)
        if (m->on_devices.items[k].pool == pool && m->on_devices.items[k].used > most)
            most = m->on_devices.items[k].used;
    return most;
}

/* The rows of pools of the CPU say how much of them calls take. */
static void set_rows(rlxc_bc_module *m)
{
    for (uint32_t i = 0; i < m->on_devices.count && !m->failed; i++) {
        const rlxc_bc_pool *p = &m->on_devices.items[i];
        const rlxc_vdevice *where = m->rows.items[p->device];
        size_t length = 0;
        const char *kind = where ? rlxc_target_kind(&where->target, &length) : "";
        rlx_error err = {0};
        if (p->device == 0 || p->pool->size == RLXC_POOL_OPEN ||
            p->pool->kind != RLXC_POOL_WORKSPACE || (length > 0 && !rlxc_is_cpu_kind(kind, length)))
            continue;
        const char *text = rlxc_internf(m->ctx, "pool %s %llu", p->pool->name,
                                        (unsigned long long)most_used(m, p->pool));
        rlxc_bc_ok(m, (rlxc_range){0},
                   rlx_exec_builder_device_target(m->builder, p->device, rlx_str_from(text), &err),
                   &err);
    }
}

void rlxc_bc_pool_metadata(rlxc_bc_module *m)
{
    find_most_used(m);
    rlxc_bc_check_needs(m);
    set_rows(m);
    for (uint32_t i = 0; i < m->pools.n && !m->failed; i++) {
        const rlxc_pool *pool = &m->pools.items[i];
        rlx_error err = {0};
        const char *key = rlxc_internf(m->ctx, "pool.%s", pool->name);
        const char *text = rlxc_pool_text(m->ctx, pool);
        if (pool->size != RLXC_POOL_OPEN || pool->kind == RLXC_POOL_CONSTANTS)
            text =
                rlxc_internf(m->ctx, "%s,used=%llu", text, (unsigned long long)most_used(m, pool));
        rlxc_bc_ok(
            m, (rlxc_range){0},
            rlx_exec_builder_metadata(m->builder, rlx_str_from(key), rlx_str_from(text), &err),
            &err);
    }
}
