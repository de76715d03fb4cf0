/* Constants of a C program: static arrays, or offsets in the weights that the caller passes.
 *
 * A macro precedes each array, which its user may define, for example as a section attribute:
 * NAME_CONSTANTS, or NAME_CONSTANTS_POOL if the module has pools for constants
 * (compiler/ir/pool.h). Pools are tried in order, as for an executable. */
#include <inttypes.h>
#include <string.h>

#include "compiler/codegen/c.h"
#include "compiler/codegen/pool_fit.h"
#include "rlx/plan.h"

enum { ALIGN = 64, LEAST_APART = 64 /* bytes of a constant that is a weight */ };
#define OPEN_ROOM ((uint64_t)1 << 60) /* of a pool without a limit */

/* A place in the weights: a macro over the parameter of that name. */
static const char *weight(rlxc_c_module *m, const rlxc_constant *c, const char *type)
{
    const char *name =
        rlxc_c_global_name(&m->cl, rlxc_c_identifier(m->ctx, c->name ? c->name : "constant", true));
    const size_t offset = (m->weights_bytes + ALIGN - 1) / ALIGN * ALIGN;
    RLXC_PUSH(m->ctx, &m->weights, (rlxc_c_weight){c, offset});
    if (__builtin_add_overflow(offset, c->nbytes, &m->weights_bytes))
        rlxc_error(m->ctx, (rlxc_range){0}, "the weights are too large");
    rlxc_text_printf(&m->data_text,
                     "#define %s ((const %s *)(const void *)((const unsigned char *)weights + "
                     "%zu))\n",
                     name, type, offset);
    return name;
}

const char *rlxc_c_constant(rlxc_c_module *m, const rlxc_constant *c)
{
    rlxc_cl *g = &m->cl;
    const char *name = rlxc_map_get(&m->constants, rlxc_key(c));
    const bool apart = m->apart && c->nbytes >= LEAST_APART;
    m->weight_uses += apart;
    if (name)
        return name;
    const char *why = rlxc_cl_lacks_type(g->target, c->dtype);
    if (why)
        rlxc_error(m->ctx, g->range, "constant %s: %s", c->name ? c->name : "", why);
    name = apart ? weight(m, c, rlxc_cl_memory_type(g, c->dtype))
                 : rlxc_c_global_name(g, c->name ? c->name : "constant");
    rlxc_map_set(m->ctx, &m->constants, rlxc_key(c), (void *)(uintptr_t)name);
    if (!apart)
        RLXC_PUSH(m->ctx, &m->arrays, ((rlxc_c_array){c, name, g->range}));
    return name;
}

/* --- pools ------------------------------------------------------------------------------------ */

/* Chooses the pool of each array; false after an error. */
static bool choose(rlxc_c_module *m, rlxc_pool_buffer *buffers)
{
    uint8_t pools[RLXC_MAX_POOLS];
    uint64_t room[RLXC_MAX_POOLS];
    rlxc_pool_misfit misfit;
    const uint32_t n = m->arrays.count, n_pools = m->constant_pools.n;
    for (uint32_t i = 0; i < n_pools; i++) {
        const uint64_t size = m->constant_pools.items[i].size;
        pools[i] = (uint8_t)i;
        room[i] = size < OPEN_ROOM ? size : OPEN_ROOM;
    }
    for (uint32_t i = 0; i < n; i++)
        buffers[i] =
            (rlxc_pool_buffer){.last = 1,
                               .bytes = (m->arrays.items[i].constant->nbytes + RLX_PLAN_ALIGN - 1) /
                                        RLX_PLAN_ALIGN * RLX_PLAN_ALIGN,
                               .pools = pools,
                               .n_pools = n_pools,
                               .range = m->arrays.items[i].range};
    if (rlxc_fit_pools(m->ctx, buffers, n, room, NULL, &misfit))
        return true;
    if (rlxc_failed(m->ctx))
        return false;
    rlxc_error(m->ctx, buffers[misfit.buffer].range,
               "memory pool '%s' has %" PRIu64 " bytes, the constants for it need %" PRIu64,
               m->constant_pools.items[misfit.pool].name, m->constant_pools.items[misfit.pool].size,
               misfit.peak);
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_is_misfit(&buffers[i], &misfit))
            rlxc_note(m->ctx, buffers[i].range, "one of them: %s, %zu bytes",
                      m->arrays.items[i].name, m->arrays.items[i].constant->nbytes);
    return false;
}

static const char *macro_of(rlxc_c_module *m, const rlxc_pool *pool)
{
    return pool ? rlxc_internf(m->ctx, "%s_CONSTANTS_%s", m->macro,
                               rlxc_c_identifier(m->ctx, pool->name, true))
                : rlxc_internf(m->ctx, "%s_CONSTANTS", m->macro);
}

static void define(rlxc_c_module *m, const rlxc_pool *pool)
{
    const char *macro = macro_of(m, pool);
    rlxc_text_printf(&m->data_text, "#ifndef %s\n#define %s\n#endif\n", macro, macro);
}

/* Operands of what became no code name constants that nothing uses. */
static void forget_unused(rlxc_c_module *m)
{
    rlxc_map words = {0};
    uint32_t n = 0;
    rlxc_c_note_words(&m->kernel_text, &words);
    rlxc_c_note_words(&m->graph_text, &words);
    for (uint32_t i = 0; i < m->arrays.count; i++)
        if (rlxc_map_get(&words, rlxc_key(m->arrays.items[i].name)))
            m->arrays.items[n++] = m->arrays.items[i];
    m->arrays.count = n;
}

void rlxc_c_write_constants(rlxc_c_module *m)
{
    rlxc_cl *g = &m->cl;
    forget_unused(m);
    const uint32_t n = m->arrays.count, n_pools = m->constant_pools.n;
    if (rlxc_failed(m->ctx) || n == 0)
        return;
    rlxc_pool_buffer *buffers = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *buffers);
    if (!buffers || (n_pools > 0 && !choose(m, buffers)))
        return;
    rlxc_text_puts(&m->data_text,
                   "\n/* Where constants lie: the user may define it as an attribute, "
                   "say of a section. */\n");
    for (uint32_t i = 0; i < n_pools; i++)
        define(m, &m->constant_pools.items[i]);
    if (n_pools == 0)
        define(m, NULL);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_c_array *a = &m->arrays.items[i];
        const rlxc_constant *c = a->constant;
        const size_t item = c->dtype.bits <= 8 ? 1 : c->dtype.bits / 8u, count = c->nbytes / item;
        rlxc_text_printf(&m->data_text, "\nstatic %s const %s %s[%zu] = ",
                         macro_of(m, n_pools ? &m->constant_pools.items[buffers[i].pool] : NULL),
                         rlxc_cl_memory_type(g, c->dtype), a->name, count ? count : 1);
        rlxc_cl_elements(g, &m->data_text, c->dtype, c->data, c->nbytes);
        rlxc_text_puts(&m->data_text, ";\n");
    }
}
