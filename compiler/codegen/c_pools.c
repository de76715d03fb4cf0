/* Memory pools of a program in C (compiler/ir/pool.h): a function has a pointer for each pool that
 * takes what is planned for the CPU, and what it needs lies at offsets from these. */
#include "compiler/codegen/c_graph.h"
#include "compiler/codegen/pool_fit.h"
#include "rlx/plan.h"

enum { LEAST_ALIGN = 8 };
#define OPEN_ROOM ((uint64_t)1 << 60) /* of a pool without a limit */

void rlxc_c_find_pools(rlxc_c_module *m)
{
    rlxc_pools all;
    if (!rlxc_pools_of(m->ctx, m->module, &all))
        return;
    for (uint32_t i = 0; i < all.n; i++)
        if (rlxc_pool_takes(&all.items[i], "cpu", 3, NULL)) {
            rlxc_pools *to =
                all.items[i].kind == RLXC_POOL_WORKSPACE ? &m->pools : &m->constant_pools;
            to->items[to->n++] = all.items[i];
        }
}

static uint32_t alignment(const rlxc_pool *pool)
{
    return pool->align > LEAST_ALIGN ? pool->align : LEAST_ALIGN;
}

/* The parts as buffers that may be in each pool; NULL when memory is out. */
static rlxc_pool_buffer *buffers_of(rlxc_c_graph *w, const uint8_t *pools)
{
    const uint32_t n = w->plan.parts.count;
    rlxc_pool_buffer *buffers = rlxc_try_alloc(w->ctx, (size_t)n + 1, sizeof *buffers);
    for (uint32_t i = 0; buffers && i < n; i++) {
        const rlxc_c_part *p = &w->plan.parts.items[i];
        const uint64_t most = (uint64_t)rlxc_bound_of(w->ctx, p->bytes, &w->plan.bounds).max;
        buffers[i] = (rlxc_pool_buffer){.first = p->first,
                                        .last = (p->last < w->step ? p->last : w->step) + 1,
                                        .bytes = (most + RLX_PLAN_ALIGN - 1) / RLX_PLAN_ALIGN *
                                                 RLX_PLAN_ALIGN,
                                        .pools = pools,
                                        .n_pools = w->m->pools.n,
                                        .what = p->what,
                                        .range = p->range};
    }
    return buffers;
}

static bool place(rlxc_c_graph *w)
{
    uint8_t pools[RLXC_MAX_POOLS];
    uint64_t room[RLXC_MAX_POOLS];
    rlxc_pool_misfit misfit;
    uint32_t wrong;
    const uint32_t n = w->plan.parts.count, n_pools = w->m->pools.n;
    for (uint32_t i = 0; i < n_pools; i++) {
        const uint64_t size = w->m->pools.items[i].size;
        pools[i] = (uint8_t)i;
        room[i] = size < OPEN_ROOM ? size : OPEN_ROOM;
    }
    rlxc_pool_buffer *buffers = buffers_of(w, pools);
    if (!buffers)
        return false;
    if (!rlxc_fit_pools(w->ctx, buffers, n, room, NULL, &misfit)) {
        if (!rlxc_failed(w->ctx))
            rlxc_report_misfit(w->ctx, &w->m->pools.items[misfit.pool], &misfit, w->f->name, 0,
                               buffers, n);
        return false;
    }
    if (!rlxc_check_pools(buffers, n, room, n_pools, &wrong)) {
        rlxc_internal(w->ctx, buffers[wrong].range, "emit_c", "a part does not fit in its pool");
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t end = buffers[i].offset + buffers[i].bytes;
        w->plan.parts.items[i].pool = buffers[i].pool;
        w->plan.parts.items[i].offset = (int64_t)buffers[i].offset;
        if (end > w->pool_bytes[buffers[i].pool])
            w->pool_bytes[buffers[i].pool] = end;
    }
    return true;
}

void rlxc_c_place_in_pools(rlxc_c_graph *w, rlxc_c_signature *s)
{
    if (w->m->pools.n == 0 || rlxc_failed(w->ctx))
        return;
    if (w->plan.has_late)
        rlxc_c_refuse(w, w->f->range, "memory pools where only data determines sizes");
    if (!w->plan.is_static && !rlxc_failed(w->ctx)) {
        rlxc_error(w->ctx, w->f->range,
                   "%s: memory pools in C need an upper bound of each symbol that sizes depend on "
                   "(--bound)",
                   w->f->name);
        return;
    }
    if (rlxc_failed(w->ctx) || !place(w))
        return;
    for (uint32_t i = 0; i < w->m->pools.n; i++) {
        const rlxc_pool *pool = &w->m->pools.items[i];
        const char *name = rlxc_c_identifier(w->ctx, pool->name, false);
        const char *bytes =
            rlxc_c_global_name(w->g, rlxc_internf(w->ctx, "%s_%s_bytes", w->f->name, name));
        rlxc_text_printf(&w->m->header_text, "\n#define %s %llu", bytes,
                         (unsigned long long)w->pool_bytes[i]);
        w->pools[i] = rlxc_c_declare(
            w, s, "void *", name,
            rlxc_internf(w->ctx, "memory pool %s, %s bytes, aligned to %u; NULL if these are 0",
                         pool->name, bytes, alignment(pool)));
    }
    rlxc_text_puts(&w->m->header_text, "\n");
}

void rlxc_c_check_pools(rlxc_c_graph *w)
{
    for (uint32_t i = 0; i < w->m->pools.n; i++) {
        if (w->pool_bytes[i] == 0)
            continue;
        rlxc_cl_line(w->g, "if (!%s || (uintptr_t)%s %% %u != 0)", w->pools[i], w->pools[i],
                     alignment(&w->m->pools.items[i]));
        rlxc_cl_line(w->g, "  return %s_E_MEMORY;", w->m->macro);
    }
}
