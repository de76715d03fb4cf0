/* Bytecode emission: constants in memory pools (kind=constants of compiler/ir/pool.h).
 *
 * A constant lies in a pool of the device on which it is read, if that device has pools for
 * constants. That is the device of the kernel that reads it, or of the type that it gets as an
 * argument, an item of a tuple or a result. A kernel of the CPU whose tensors lie in a scope reads
 * constants in the pool of that scope, if there is one. Constants without a device, such as those
 * that builtins and packed functions read, are on the CPU. The instruction that loads it names the
 * row of the pool, into which the VM copies it once. The choice is that of buffers which are all in
 * use at once (pool_fit.c). */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"

#include <inttypes.h>

/* What the memories of the CPU align a block to (vm/devices/cpu.c): a constant takes a multiple. */
enum { BLOCK = 128, MOST_NOTES = 8 };
#define MOST_BYTES ((uint64_t)1 << 46)

typedef struct use { /* of a constant, on one row of the file's devices */
    rlxc_atom atom;
    uint64_t key; /* of rlxc_bc_module.constant_rows */
    rlxc_range range;
} use;

typedef struct constants {
    rlxc_bc_module *m;
    RLXC_VEC(use) uses;
    RLXC_VEC(rlxc_pool_buffer) buffers; /* of each use */
} constants;

static uint64_t key_of(uint32_t constant, uint32_t device)
{
    return ((uint64_t)device << 33) + constant + 1;
}

/* --- what is used where ----------------------------------------------------------------------- */

static void note_use(constants *c, rlxc_atom atom, uint32_t device, rlxc_range range)
{
    rlxc_bc_module *m = c->m;
    const rlxc_bc_candidates *pools =
        atom.kind == RLXC_ATOM_CONSTANT ? rlxc_bc_pools_for(m, device, RLXC_POOL_CONSTANTS) : NULL;
    if (!pools)
        return;
    const uint64_t key = key_of(rlxc_bc_tensor_constant(m, atom.constant, range), device);
    const uint64_t bytes = atom.constant->nbytes;
    if (rlxc_map_get(&m->constant_rows, key))
        return;
    if (bytes > MOST_BYTES) {
        rlxc_error(m->ctx, range, "a constant of %" PRIu64 " bytes is too large for memory pools",
                   bytes);
        m->failed = true;
        return;
    }
    rlxc_map_set(m->ctx, &m->constant_rows, key, m);
    RLXC_PUSH(m->ctx, &c->uses, (use){atom, key, range});
    RLXC_PUSH(m->ctx, &c->buffers,
              (rlxc_pool_buffer){.last = 1,
                                 .bytes = (bytes + BLOCK - 1) / BLOCK * BLOCK,
                                 .pools = pools->items,
                                 .n_pools = pools->count});
}

uint32_t rlxc_bc_constants_device(rlxc_bc_module *m, const rlxc_prim_func *f, const rlxc_atom *args,
                                  uint32_t n, rlxc_range range)
{
    const char *where;
    uint32_t row = rlxc_bc_kernel_device(m, f, args, n, range, &where);
    if (m->pools.n == 0 || rlxc_prim_is_device(f))
        return row;
    for (uint32_t i = 0; i < n && row == 0; i++)
        if (args[i].kind == RLXC_ATOM_VAR)
            row = rlxc_bc_device(m, rlxc_sinfo_device(m->module, args[i].var->sinfo), range);
    return rlxc_bc_pools_for(m, row, RLXC_POOL_CONSTANTS) ? row : 0;
}

/* As rlxc_bc_atom_as loads it for |type|, which may be NULL. Tuples nest at most RLXC_MAX_DEPTH
 * deep.
 */
static void note_atom(constants *c, rlxc_atom atom, const rlxc_sinfo *type, rlxc_range range)
{
    rlxc_bc_module *m = c->m;
    const char *where = NULL;
    if (atom.kind == RLXC_ATOM_CONSTANT && type && type->kind == RLXC_SINFO_TENSOR)
        where = rlxc_sinfo_device(m->module, type);
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_TUPLE && i < atom.n; i++)
        note_atom(c, atom.items[i],
                  type && type->kind == RLXC_SINFO_TUPLE && i < type->n_fields ? type->fields[i]
                                                                               : NULL,
                  range);
    note_use(c, atom, where ? rlxc_bc_device(m, where, range) : 0, range);
}

/* |types|: of the first of the values, |n_types| of them. */
static void note_values(constants *c, const rlxc_atom *values, uint32_t n,
                        const rlxc_sinfo *const *types, uint32_t n_types, rlxc_range range)
{
    for (uint32_t i = 0; i < n; i++)
        note_atom(c, values[i], i < n_types ? types[i] : NULL, range);
}

static void note_kernel(constants *c, const rlxc_prim_func *f, const rlxc_atom *args, uint32_t n,
                        rlxc_range range)
{
    const uint32_t device = rlxc_bc_constants_device(c->m, f, args, n, range);
    for (uint32_t i = 0; i < n; i++)
        note_use(c, args[i], device, range);
}

/* A call by name, or by an operator, whose arguments may be one tuple after the callee. */
static void note_call(constants *c, const rlxc_binding *b)
{
    rlxc_bc_module *m = c->m;
    const bool by_name =
        b->callee.kind == RLXC_ATOM_EXTERN && b->n_args > 0 && b->args[0].kind == RLXC_ATOM_GLOBAL;
    const bool packed = b->op && b->n_args == 2 && b->args[1].kind == RLXC_ATOM_TUPLE;
    const uint32_t skipped = b->op || by_name ? 1 : 0;
    const rlxc_atom callee = skipped ? b->args[0] : b->callee;
    const rlxc_atom *args = packed ? b->args[1].items : b->args + skipped;
    const uint32_t n = packed ? b->args[1].n : b->n_args - skipped;
    const rlxc_global *g =
        callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(m->module, callee.text) : NULL;
    const rlxc_sinfo *type = callee.kind == RLXC_ATOM_VAR ? callee.var->sinfo : NULL;
    if (g && g->relax)
        type = rlxc_function_sinfo(m->ctx, g->relax);
    if (g && g->prim) {
        note_kernel(c, g->prim, args, n, b->range);
        return;
    }
    const bool known = type && type->kind == RLXC_SINFO_CALLABLE && !type->opaque;
    const uint32_t n_types = known && !by_name ? type->n_fields : 0;
    /* A closure holds the last parameters. */
    const uint32_t first = rlxc_is_op(b, "make_closure") && n_types > n ? n_types - n : 0;
    note_values(c, args, n, n_types ? type->fields + first : NULL, n_types - first, b->range);
}

static bool note_binding(void *user, rlxc_binding *b)
{
    constants *c = user;
    rlxc_bc_module *m = c->m;
    const rlxc_sinfo *type = b->var->sinfo;
    const bool is_tuple = b->form == RLXC_FORM_TUPLE && type && type->kind == RLXC_SINFO_TUPLE;
    if (rlxc_is_op(b, "to_vdevice")) {
        const char *where = rlxc_attr_get_str(b, "dst_vdevice", NULL);
        note_use(c, b->args[0], where ? rlxc_bc_device(m, where, b->range) : 0, b->range);
    } else if (b->form == RLXC_FORM_CALL && b->n_args > 0 &&
               (!b->op || rlxc_has_op_flag(b, RLXC_OP_CALLS))) {
        note_call(c, b);
    } else if (b->form == RLXC_FORM_TUPLE_GET && b->args[0].kind == RLXC_ATOM_TUPLE &&
               b->index < b->args[0].n) {
        note_atom(c, b->args[0].items[b->index], type, b->range);
    } else if (is_tuple) {
        note_values(c, b->args, b->n_args, type->fields, type->n_fields, b->range);
    } else {
        note_values(c, b->args, b->n_args, &type, 1, b->range);
    }
    if (b->form == RLXC_FORM_IF) {
        note_atom(c, b->then->result, type, b->then->result_range);
        note_atom(c, b->otherwise->result, type, b->otherwise->result_range);
    }
    return !m->failed;
}

/* --- what does not fit ------------------------------------------------------------------------ */

/* Names the largest of those that the misfit counts, by falling size. */
static void note_largest(const constants *c, const rlxc_pool_misfit *misfit)
{
    rlxc_context *ctx = c->m->ctx;
    uint64_t below = UINT64_MAX; /* those of this size up to |from| are named */
    uint32_t from = 0, best;
    for (uint32_t n = 0; n < MOST_NOTES; n++) {
        best = UINT32_MAX;
        for (uint32_t i = 0; i < c->uses.count; i++) {
            const rlxc_pool_buffer *b = &c->buffers.items[i];
            if (rlxc_is_misfit(b, misfit) &&
                (b->bytes < below || (b->bytes == below && i > from)) &&
                (best == UINT32_MAX || b->bytes > c->buffers.items[best].bytes))
                best = i;
        }
        if (best == UINT32_MAX)
            return;
        const use *u = &c->uses.items[best];
        const char *name = u->atom.constant->name;
        below = c->buffers.items[best].bytes;
        from = best;
        rlxc_note(ctx, u->range, "one of the largest: %s%s%s%s, %zu bytes", name ? "'" : "",
                  name ? name : "", name ? "', " : "",
                  rlxc_sinfo_text(ctx, rlxc_atom_sinfo(ctx, c->m->module, u->atom)),
                  u->atom.constant->nbytes);
    }
}

static void do_not_fit(const constants *c, const rlxc_pool_misfit *misfit)
{
    const rlxc_pool *pool = c->m->on_devices.items[misfit->pool].pool;
    c->m->failed = true;
    rlxc_error(c->m->ctx, c->uses.items[misfit->buffer].range,
               "memory pool '%s' has %" PRIu64 " bytes, the constants for it need %" PRIu64,
               pool->name, pool->size, misfit->peak);
    note_largest(c, misfit);
}

/* --- the choice ------------------------------------------------------------------------------- */

static bool is_wrong(const constants *c, uint32_t i)
{
    rlxc_internal(c->m->ctx, c->uses.items[i].range, "emit_bytecode",
                  "memory plan: a constant of %" PRIu64 " bytes does not fit in its pool",
                  c->buffers.items[i].bytes);
    return false;
}

static bool choose(constants *c)
{
    rlxc_bc_module *m = c->m;
    rlxc_pool_buffer *buffers = c->buffers.items;
    const uint32_t n = c->buffers.count;
    uint64_t room[RLXC_BC_MOST_POOLS];
    rlxc_pool_misfit misfit;
    uint32_t wrong;
    for (uint32_t i = 0; i < m->on_devices.count; i++)
        room[i] = m->on_devices.items[i].pool->size;
    if (!rlxc_fit_pools(m->ctx, buffers, n, room, m->layout, &misfit)) {
        if (!rlxc_failed(m->ctx))
            do_not_fit(c, &misfit);
        return false;
    }
    if (!rlxc_check_pools(buffers, n, room, m->on_devices.count, &wrong))
        return is_wrong(c, wrong);
    for (uint32_t i = 0; i < n; i++) {
        rlxc_bc_pool *pool = &m->on_devices.items[buffers[i].pool];
        pool->used += c->uses.items[i].atom.constant->nbytes;
        if (pool->used > pool->pool->size)
            return is_wrong(c, i);
        pool->used = (pool->used + BLOCK - 1) / BLOCK * BLOCK;
    }
    return true;
}

bool rlxc_bc_place_constants(rlxc_bc_module *m)
{
    constants c = {.m = m};
    for (uint32_t i = 0; i < m->module->globals.count && m->pools.n > 0; i++) {
        const rlxc_function *f = m->module->globals.items[i]->relax;
        if (!f)
            continue;
        rlxc_each_binding(&f->body, note_binding, &c);
        note_atom(&c, f->body.result, f->ret, f->body.result_range);
    }
    if (m->failed || rlxc_failed(m->ctx))
        return false;
    if (c.uses.count == 0)
        return true;
    if (!choose(&c))
        return false;
    for (uint32_t i = 0; i < c.uses.count; i++) {
        const uint32_t row = m->on_devices.items[c.buffers.items[i].pool].device;
        rlxc_map_set(m->ctx, &m->constant_rows, c.uses.items[i].key, (void *)((uintptr_t)row + 1));
    }
    return true;
}

uint32_t rlxc_bc_constant_row(const rlxc_bc_module *m, uint32_t index, uint32_t device)
{
    const uintptr_t row = (uintptr_t)rlxc_map_get(&m->constant_rows, key_of(index, device));
    return row ? (uint32_t)row - 1 : device;
}
