/* Bytecode emission: the memory plan of a function.
 *
 * A planned storage becomes a buffer, in use from its first tensor to its last kill in the order of
 * the code; neither emits an instruction. A branch may begin with kills of storage that only the
 * other branch uses; these do not end its interval. Tensors are made by plan_tensor. Sizes that the
 * symbols of the signature determine belong to a region for each device, laid out at the entry; a
 * size that needs a symbol bound later starts a region of its own, laid out there with all symbols
 * known by then, which later buffers on the same path join. The regions of the two branches of an
 * IF share the same bytes. */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/op.h"

/* One more than the highest slot of the symbols of |e|; UINT32_MAX where one has none. */
static uint32_t slots_of(rlxc_bc_function *fn, const rlxc_expr *e)
{
    rlxc_var_list vars = {0};
    uint32_t n = 0;
    rlxc_collect_vars(fn->ctx, e, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++) {
        uintptr_t slot = (uintptr_t)rlxc_map_get(&fn->symbols.slots, rlxc_key(vars.vars.items[i]));
        if (slot == 0)
            return UINT32_MAX;
        n = slot > n ? (uint32_t)slot : n;
    }
    return n;
}

bool rlxc_bc_are_bound(rlxc_bc_function *fn, const rlxc_expr *e)
{
    return slots_of(fn, e) != UINT32_MAX;
}

static rlxc_bc_region lay_out(rlxc_bc_function *fn, uint32_t device)
{
    rlxc_bc_region r = {fn->n_regions++, fn->n_slots, device};
    rlx_error err = {0};
    if (device && !fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range,
                   rlx_exec_builder_region_device(fn->m->builder, r.index, device, &err), &err);
    RLXC_BC_EMIT(fn, RLX_OP_PLAN, r.index);
    RLXC_PUSH(fn->ctx, &fn->regions, r);
    return r;
}

rlxc_bc_region rlxc_bc_region_on(rlxc_bc_function *fn, const rlxc_expr *size, uint32_t device)
{
    uint32_t needed = slots_of(fn, size);
    for (uint32_t i = 0; i < fn->regions.count; i++)
        if (fn->regions.items[i].device == device && needed <= fn->regions.items[i].n_slots)
            return fn->regions.items[i];
    return lay_out(fn, device);
}

/* The pools of a storage, and of the scratch memory that a kernel may need. */
static void enter_pools(rlxc_bc_function *fn, const rlxc_binding *b)
{
    uint32_t device;
    if (rlxc_is_planned_storage(b))
        rlxc_bc_enter_pools(fn, rlxc_bc_device_at(fn->m, b->args[1], fn->range));
    else if (rlxc_bc_has_scratch(fn, b, &device))
        rlxc_bc_enter_pools(fn, device);
}

static bool lay_out_known(void *user, rlxc_binding *b)
{
    rlxc_bc_function *fn = user;
    if (fn->m->pools.n > 0)
        enter_pools(fn, b);
    if (rlxc_is_planned_storage(b) && b->args[0].kind == RLXC_ATOM_SHAPE && b->args[0].n == 1 &&
        slots_of(fn, b->args[0].dims[0]) <= fn->n_slots) {
        const uint32_t device = rlxc_bc_device_at(fn->m, b->args[1], fn->range);
        if (!rlxc_bc_pools_for(fn->m, device, RLXC_POOL_WORKSPACE))
            rlxc_bc_region_on(fn, b->args[0].dims[0], device);
    }
    return !fn->m->failed;
}

void rlxc_bc_plan_entry(rlxc_bc_function *fn)
{
    rlxc_each_binding(&fn->f->body, lay_out_known, fn);
}

static rlxc_bc_room room_for(rlxc_bc_function *fn, const rlxc_expr *size, uint32_t device)
{
    const rlxc_bc_candidates *pools = rlxc_bc_pools_for(fn->m, device, RLXC_POOL_WORKSPACE);
    if (pools)
        return rlxc_bc_pool_room(fn, size, pools);
    rlxc_bc_room room = {.region = rlxc_bc_region_on(fn, size, device)};
    room.bytes = rlxc_bc_expr(fn->m, &fn->symbols, size, fn->range);
    return room;
}

static uint32_t begin_buffer(rlxc_bc_function *fn, const rlxc_bc_room *room, const char *what)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(
            fn->m, fn->range,
            rlx_exec_builder_buffer(fn->m->builder, room->region.index, room->bytes, &out, &err),
            &err);
    if (room->pools)
        RLXC_PUSH(fn->ctx, &fn->pooled,
                  (rlxc_bc_pooled){out, room->most, room->pools, what, fn->range});
    return out;
}

uint32_t rlxc_bc_buffer(rlxc_bc_function *fn, const rlxc_expr *size, uint32_t device,
                        const char *what)
{
    const rlxc_bc_room room = room_for(fn, size, device);
    return begin_buffer(fn, &room, what);
}

void rlxc_bc_buffer_end(rlxc_bc_function *fn, uint32_t buffer)
{
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_buffer_end(fn->m->builder, buffer, &err),
                   &err);
}

static void fail(rlxc_bc_function *fn, const rlxc_binding *b, const char *what)
{
    if (!fn->m->failed)
        rlxc_error(fn->ctx, b->range, "R.%s: %s", b->op->name, what);
    fn->m->failed = true;
}

void rlxc_bc_planned_storage(rlxc_bc_function *fn, const rlxc_binding *b)
{
    rlxc_atom size = b->args[0];
    if (size.kind != RLXC_ATOM_SHAPE || size.n != 1 || b->var->id >= fn->n_vars) {
        fail(fn, b, "the size of planned storage must be a shape of one dimension, in bytes");
        return;
    }
    const uint32_t device = rlxc_bc_device_at(fn->m, b->args[1], b->range);
    rlxc_bc_place *place = &fn->places[b->var->id];
    place->is_planned = true;
    place->room = room_for(fn, size.dims[0], device);
}

bool rlxc_bc_is_in_plan(const rlxc_bc_function *fn, rlxc_atom storage)
{
    return storage.kind == RLXC_ATOM_VAR && storage.var->id < fn->n_vars &&
           fn->places[storage.var->id].is_planned;
}

void rlxc_bc_kill_planned(rlxc_bc_function *fn, const rlxc_rvar *storage)
{
    rlxc_bc_place *place = &fn->places[storage->id];
    if (!place->has_buffer || (fn->enters_branch && place->has_end))
        return;
    rlxc_bc_buffer_end(fn, place->buffer);
    place->has_end = true;
}

/* A tensor of |buffer| and |type| that no live variable holds: the VM keeps one header for each. */
static rlxc_bc_planned *planned_tensor(rlxc_bc_function *fn, uint32_t buffer, uint32_t type)
{
    uint64_t key = ((uint64_t)buffer << 32 | type) + 1;
    rlxc_bc_planned *first = rlxc_map_get(&fn->planned, key), *t = first;
    rlx_error err = {0};
    while (t && t->is_held)
        t = t->next;
    if (!t) {
        t = rlxc_alloc(fn->ctx, sizeof *t);
        *t = (rlxc_bc_planned){.next = first};
        rlxc_map_set(fn->ctx, &fn->planned, key, t);
        if (!fn->m->failed)
            rlxc_bc_ok(fn->m, fn->range,
                       rlx_exec_builder_plan_tensor(fn->m->builder, buffer, type, &t->index, &err),
                       &err);
    }
    t->is_held = true;
    return t;
}

bool rlxc_bc_planned_tensor(rlxc_bc_function *fn, const rlxc_binding *b)
{
    int64_t offset;
    rlxc_atom shape = b->args[2], dtype = b->args[3];
    rlxc_bc_place *place = &fn->places[b->args[0].var->id];
    if (shape.kind != RLXC_ATOM_SHAPE || dtype.kind != RLXC_ATOM_DTYPE ||
        b->args[1].kind != RLXC_ATOM_PRIM || !rlxc_is_int(b->args[1].prim, &offset) ||
        offset != 0) {
        fail(fn, b, "a tensor in planned storage needs offset 0, all dimensions and a data type");
        return true;
    }
    for (uint32_t i = 0; i < shape.n; i++)
        if (slots_of(fn, shape.dims[i]) > place->room.region.n_slots)
            return false;
    const rlxc_sinfo *t =
        rlxc_sinfo_tensor(fn->ctx, dtype.dtype, (int32_t)shape.n, shape.dims, NULL);
    if (!place->has_buffer) {
        const char *what = place->room.pools ? rlxc_internf(fn->ctx, "'%s', %s", b->var->name,
                                                            rlxc_sinfo_text(fn->ctx, t))
                                             : NULL;
        place->buffer = begin_buffer(fn, &place->room, what);
    }
    place->has_buffer = true;
    uint32_t type = rlxc_bc_type(fn->m, &fn->symbols, t, NULL, false, fn->range);
    uint32_t dst = rlxc_bc_define(fn, b->var);
    rlxc_bc_planned *planned = planned_tensor(fn, place->buffer, type);
    fn->planned_of[b->var->id] = planned;
    RLXC_BC_EMIT(fn, RLX_OP_PLAN_TENSOR, dst, planned->index);
    return true;
}
