/* Planned memory at run time: layouts for given symbol values, the memory block, the tensors. A
 * plan instruction looks up its layout by the values of the relevant slots among the last
 * RLXV_MAX_LAYOUTS of the region, or computes it. The region then takes the next bytes of the
 * arena, which is a stack: a frame's bytes are returned with the frame. Each device has an arena of
 * its own. The arena is one block. A
 * call that needs more while the arena is empty replaces the block; a need in the middle of a call
 * gets storage of its own, and the block grows at the next entry. A layout caches the headers of
 * its tensors, so that making one is an increment. A header that is still held elsewhere, or that
 * left the VM, is replaced; a layout in use by an outer frame lends none of its headers. Tensors
 * retain their block: whatever the bytecode does, they point to valid memory until they are
 * released. */
#include "vm/vm_impl.h"

#include <rlx/checked.h>
#include <stdio.h>
#include <string.h>

#define MAX_ARENA ((uint64_t)1 << 46)

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory for planned tensors");
}

/* --- the block -------------------------------------------------------------------------------- */

/* The arena of a region's device, which is open; rows that name the host share the host's. */
static uint32_t area_at(const rlx_vm *vm, const rlxv_region *r)
{
    return vm->devices[r->device].device ? r->device : 0;
}

static void set_used(rlx_vm *vm, uint32_t v, uint64_t used)
{
    vm->devices[v].area.used = used;
    if (v == 0)
        vm->pool->arena_used = used;
}

typedef struct block_owner { /* frees a block on any thread that drops its last tensor */
    rlx_allocator allocator;
    size_t size, align;
} block_owner;

static void free_block(void *user, void *data)
{
    block_owner *o = user;
    rlx_allocator a = o->allocator;
    rlx_free(&a, data, o->size, o->align);
    rlx_free(&a, o, sizeof *o, 16);
}

static bool is_huge(uint64_t size)
{
    return size >= 2 * RLXV_HUGE_PAGE;
}

/* Sizes are limited to MAX_ARENA, far from overflow. */
static uint64_t whole_pages(uint64_t size)
{
    const uint64_t page = is_huge(size) ? RLXV_HUGE_PAGE : RLXV_SMALL_PAGE;
    return (size + page - 1) / page * page;
}

static rlx_status new_block(rlx_vm *vm, size_t size, rlx_storage **out, rlx_error *err)
{
    bool huge = is_huge(size);
    size_t align = huge ? RLXV_HUGE_PAGE : RLX_PLAN_ALIGN;
    block_owner *o = rlx_alloc(&vm->allocator, sizeof *o, 16);
    void *data = o ? rlx_alloc(&vm->allocator, size, align) : NULL;
    vm->pool->allocator_calls += 2;
    if (!data) {
        rlx_free(&vm->allocator, o, sizeof *o, 16);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for planned tensors)", size);
    }
    if (huge)
        rlxv_want_huge_pages(data, size);
    *o = (block_owner){vm->allocator, size, align};
    rlx_status status =
        rlxv_storage_wrap(vm->pool, NULL, data, size, false, free_block, o, out, err);
    if (status != RLX_OK)
        free_block(o, data);
    return status;
}

/* Uses the host's memory as the block; it is never replaced. */
static rlx_status wrap_host_arena(rlx_vm *vm, rlx_error *err)
{
    uintptr_t at = (uintptr_t)vm->options.arena;
    size_t skip = (RLX_PLAN_ALIGN - at % RLX_PLAN_ALIGN) % RLX_PLAN_ALIGN;
    size_t size = vm->options.arena_bytes > skip ? vm->options.arena_bytes - skip : 0;
    void *data = size ? (uint8_t *)vm->options.arena + skip : vm->options.arena;
    return rlxv_storage_wrap(vm->pool, NULL, data, size, false, NULL, NULL,
                             &vm->devices[0].area.block, err);
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* Drops the headers, and their references to the block. */
static void unbind(rlxv_layout *l)
{
    for (uint32_t i = 0; i < l->region->n_tensors; i++) {
        if (l->headers[i])
            rlxv_release(&l->headers[i]->header);
        l->headers[i] = NULL;
    }
    l->storage = NULL;
}

static void free_layout(rlx_vm *vm, rlxv_layout *l)
{
    unbind(l);
    vm->pool->reserved_bytes -= l->bytes;
    rlx_free(&vm->allocator, l, l->bytes, 16);
}

/* Those that have headers in |block|. */
static void unbind_all(rlx_vm *vm, const rlx_storage *block)
{
    for (uint32_t i = 0; vm->layouts && i < vm->exe->n_regions; i++)
        for (uint32_t k = 0; k < vm->layouts[i].n; k++)
            if (vm->layouts[i].items[k]->storage == block)
                unbind(vm->layouts[i].items[k]);
}

/* Allocates memory of a layout; counted, but too small to be refused. */
static rlxv_layout *alloc_layout(rlx_vm *vm, const rlxv_region *r)
{
    size_t words =
        (size_t)r->n_slots + r->n_values + r->n_buffers + r->n_tensors; /* bounded by the file */
    size_t header = (sizeof(rlxv_layout) + 15) & ~(size_t)15, bytes = header + words * 8;
    rlxv_layout *l = rlx_alloc(&vm->allocator, bytes, 16);
    vm->pool->allocator_calls++;
    if (!l)
        return NULL;
    vm->pool->reserved_bytes += bytes;
    *l = (rlxv_layout){.region = r, .bytes = bytes};
    l->slots = (int64_t *)((uint8_t *)l + header);
    l->values = l->slots + r->n_slots;
    l->offsets = (uint64_t *)(l->values + r->n_values);
    l->headers = (rlx_tensor **)(l->offsets + r->n_buffers);
    for (uint32_t i = 0; i < r->n_tensors; i++)
        l->headers[i] = NULL;
    return l;
}

static bool is_for(const rlxv_layout *l, const int64_t *slots)
{
    const rlxv_region *r = l->region;
    for (uint32_t i = 0; i < r->n_slots; i++)
        if (l->slots[i] != slots[r->slots[i]])
            return false;
    return true;
}

/* Moves |l| to the front; evicts the last one that no frame uses. */
static void keep_layout(rlx_vm *vm, rlxv_layout_cache *c, rlxv_layout *l)
{
    uint32_t at = c->n;
    if (c->n == RLXV_MAX_LAYOUTS) {
        while (at > 0 && c->items[at - 1]->in_use)
            at--;
        if (at == 0)
            return;
        free_layout(vm, c->items[--at]);
    } else {
        c->n++;
    }
    memmove(c->items + 1, c->items, at * sizeof *c->items);
    c->items[0] = l;
    l->cached = true;
}

/* The layout for the frame's slots; in use from now on. */
static rlx_status take_layout(rlx_vm *vm, const rlxv_frame *f, uint32_t z, rlxv_layout **out,
                              rlx_error *err)
{
    const rlxv_region *r = &f->fn->plan.regions[z];
    rlxv_layout_cache *c = &vm->layouts[f->fn->plan.first_region + z];
    const rlxv_layout *same = NULL;
    for (uint32_t i = 0; i < c->n; i++) {
        rlxv_layout *l = c->items[i];
        if (!is_for(l, f->slots))
            continue;
        same = l;
        if (l->in_use)
            continue;
        memmove(c->items + 1, c->items, i * sizeof *c->items);
        c->items[0] = l;
        l->in_use = true;
        *out = l;
        return RLX_OK;
    }
    rlxv_layout *l = alloc_layout(vm, r);
    if (!l)
        return no_memory(err);
    for (uint32_t i = 0; i < r->n_slots; i++)
        l->slots[i] = f->slots[r->slots[i]];
    if (same) {
        memcpy(l->values, same->values, r->n_values * sizeof *l->values);
        memcpy(l->offsets, same->offsets, r->n_buffers * sizeof *l->offsets);
        l->sums = same->sums;
    } else {
        rlx_status status = rlxv_layout_compute(&vm->allocator, vm->exe, f->fn, r, f->slots,
                                                l->values, l->offsets, &l->sums, err);
        vm->pool->allocator_calls++;
        if (status != RLX_OK) {
            free_layout(vm, l);
            return status;
        }
        keep_layout(vm, c, l);
    }
    l->in_use = true;
    *out = l;
    return RLX_OK;
}

static void give_back_layout(rlx_vm *vm, rlxv_layout *l)
{
    l->in_use = false;
    if (!l->cached)
        free_layout(vm, l);
}

/* --- regions ---------------------------------------------------------------------------------- */

/* "n = 128, b = 1": the slots that determine the size. */
static void describe_slots(const rlxv_frame *f, const rlxv_region *r, char *text, size_t size)
{
    size_t used = 0;
    char name[64];
    text[0] = 0;
    for (uint32_t i = 0; i < r->n_slots && used < size; i++) {
        rlx_str s = rlxv_slot_name_of(f->fn, r->slots[i], name, sizeof name);
        int n = snprintf(text + used, size - used, "%s%.*s = %lld", i ? ", " : " at ", (int)s.len,
                         s.data, (long long)f->slots[r->slots[i]]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static rlx_status too_small(const rlx_vm *vm, const rlxv_frame *f, uint32_t z, uint64_t needed,
                            rlx_error *err)
{
    char at[160];
    describe_slots(f, &f->fn->plan.regions[z], at, sizeof at);
    return rlx_fail(err, RLX_E_LIMIT,
                    "%.*s needs %llu bytes of planned memory%s, the arena given has %zu",
                    (int)f->fn->name.len, f->fn->name.data, (unsigned long long)needed, at,
                    vm->devices[0].area.block ? vm->devices[0].area.block->size : 0);
}

/* "f needs 8 bytes of planned memory at n = 2" */
static void describe_need(const rlxv_frame *f, uint32_t z, uint64_t needed, char *text, size_t size)
{
    char at[160];
    describe_slots(f, &f->fn->plan.regions[z], at, sizeof at);
    snprintf(text, size, "%.*s needs %llu bytes of planned memory%s", (int)f->fn->name.len,
             f->fn->name.data, (unsigned long long)needed, at);
}

static rlx_status over_limit(const rlxv_frame *f, uint32_t z, uint64_t needed,
                             const rlxv_room *room, rlx_error *err)
{
    char what[256];
    describe_need(f, z, needed, what, sizeof what);
    return rlxv_no_room(room, what, err);
}

/* A block that left the VM with a tensor now belongs to the tensor; so does one that is to be
 * replaced. */
static void drop_block(rlx_vm *vm, uint32_t v)
{
    rlxv_area *area = &vm->devices[v].area;
    if (!area->block)
        return;
    unbind_all(vm, area->block);
    rlxv_release(&area->block->header);
    area->block = NULL;
    if (v == 0)
        vm->pool->arena_bytes = 0;
}

/* |size| bytes of the device for region |z|. */
static rlx_status take_device_bytes(rlx_vm *vm, const rlxv_frame *f, uint32_t z, uint64_t size,
                                    rlx_storage **out, rlx_error *err)
{
    rlxv_vm_device *d = &vm->devices[f->fn->plan.regions[z].device];
    char what[256];
    const rlx_status status =
        rlxv_storage_on(vm->pool, NULL, d->device, d->scope, (size_t)size, out, err);
    if (status == RLX_OK)
        return RLX_OK;
    describe_need(f, z, size, what, sizeof what);
    rlx_error_prefix(err, "%s: ", what);
    return status;
}

/* While nothing is laid out: replaces the block by one of at least |size| bytes. It grows with
 * slack, so that a sequence growing step by step does not need a new block each time. */
static rlx_status grow_block(rlx_vm *vm, const rlxv_frame *f, uint32_t z, uint32_t v, uint64_t size,
                             rlx_error *err)
{
    rlxv_area *area = &vm->devices[v].area;
    rlxv_room room;
    uint64_t sizes[] = {whole_pages(area->block ? size + size / 8 : size), whole_pages(size), size};
    uint32_t k = 0;
    drop_block(vm, v);
    if (v != 0 && area->least > 0)
        return take_device_bytes(vm, f, z, size, &area->block, err);
    if (v != 0)
        return take_device_bytes(vm, f, z, sizes[0], &area->block, NULL) == RLX_OK
                   ? RLX_OK
                   : take_device_bytes(vm, f, z, size, &area->block, err);
    if (!rlxv_pool_has_room(vm->pool, size, &room))
        return over_limit(f, z, size, &room, err);
    while (k < 2 && !rlxv_pool_has_room(vm->pool, sizes[k], &room))
        k++;
    RLX_TRY(new_block(vm, (size_t)sizes[k], &area->block, err));
    vm->pool->arena_bytes = area->block->size;
    return RLX_OK;
}

/* |size| bytes for a region, from the block if they fit. */
static rlx_status take_bytes(rlx_vm *vm, rlxv_frame *f, uint32_t z, uint64_t size, rlx_error *err)
{
    rlxv_region_use *use = &f->regions[z];
    rlx_device *device;
    RLX_TRY(rlxv_vm_device_at(vm, f->fn->plan.regions[z].device, &device, err));
    const uint32_t v = area_at(vm, &f->fn->plan.regions[z]);
    rlxv_area *area = &vm->devices[v].area;
    uint64_t top = area->used, end = top + size;
    rlxv_room room;
    bool is_hosts = v == 0 && vm->options.arena != NULL;
    if (end > MAX_ARENA)
        return rlx_fail(err, RLX_E_LIMIT,
                        "planned memory of %llu bytes does not fit in the address space",
                        (unsigned long long)end);
    if (is_hosts && (!area->block || !area->block->header.pool)) {
        drop_block(vm, v);
        RLX_TRY(wrap_host_arena(vm, err));
    }
    if (is_hosts && end > area->block->size)
        return too_small(vm, f, z, end, err);
    uint64_t wanted = end > area->wanted ? end : area->wanted;
    if (wanted < area->least)
        wanted = area->least;
    if (!is_hosts && top == 0 &&
        (!area->block || !area->block->header.pool || area->block->size < wanted))
        RLX_TRY(grow_block(vm, f, z, v, wanted, err));
    use->top_before = top;
    if (end <= area->block->size) {
        use->storage = area->block;
        use->base = (size_t)top;
        rlxv_retain(&area->block->header);
    } else if (device) {
        RLX_TRY(take_device_bytes(vm, f, z, size, &use->storage, err));
        use->base = 0;
    } else {
        if (!rlxv_pool_has_room(vm->pool, size, &room))
            return over_limit(f, z, size, &room, err);
        RLX_TRY(rlxv_storage_new(vm->pool, NULL, (size_t)size, RLX_PLAN_ALIGN, &use->storage, err));
        use->base = 0;
    }
    area->wanted = wanted;
    if (end > area->recent)
        area->recent = end;
    set_used(vm, v, end);
    rlxv_pool_note_peak(vm->pool);
    return RLX_OK;
}

static void leave_region(rlx_vm *vm, rlxv_region_use *use)
{
    /* Only the block may outlive the call. */
    if (use->storage != vm->devices[area_at(vm, use->layout->region)].area.block)
        unbind(use->layout);
    rlxv_release(&use->storage->header);
    give_back_layout(vm, use->layout);
    use->layout = NULL;
    use->headers = NULL;
}

/* Releases region |z| before it is laid out again, and all regions that the frame laid out after
 * it. */
static void leave_from(rlx_vm *vm, rlxv_frame *f, uint32_t z)
{
    const rlxv_region *regions = f->fn->plan.regions;
    const uint32_t v = area_at(vm, &regions[z]);
    uint64_t top = f->regions[z].top_before;
    for (uint32_t i = 0; i < f->fn->plan.n_regions; i++)
        if (i == z || (f->regions[i].layout && f->regions[i].top_before > top &&
                       area_at(vm, &regions[i]) == v))
            leave_region(vm, &f->regions[i]);
    set_used(vm, v, top);
}

rlx_status rlxv_plan_enter(rlx_vm *vm, rlxv_frame *f, uint32_t z, rlx_error *err)
{
    rlxv_layout *l = NULL;
    rlxv_region_use *use = &f->regions[z];
    if (f->fn->plan.regions[z].n_buffers == 0)
        return RLX_OK;
    if (use->layout)
        leave_from(vm, f, z);
    RLX_TRY(take_layout(vm, f, z, &l, err));
    /* The host's block may be empty. */
    uint64_t size = l->sums.peak ? l->sums.peak : RLX_PLAN_ALIGN;
    rlx_status status = take_bytes(vm, f, z, size, err);
    if (status != RLX_OK) {
        give_back_layout(vm, l);
        return status;
    }
    use->layout = l;
    use->headers = l->headers;
    if (l->storage != use->storage || l->base != use->base) {
        unbind(l);
        l->storage = use->storage;
        l->base = use->base;
    }
    if (vm->pool->poison && !use->storage->header.is_remote)
        memset((uint8_t *)use->storage->data + use->base, 0xA5, (size_t)size);
    return RLX_OK;
}

void rlxv_plan_leave(rlx_vm *vm, rlxv_frame *f)
{
    for (uint32_t z = 0; z < f->fn->plan.n_regions; z++) {
        rlxv_region_use *use = &f->regions[z];
        if (!use->layout)
            continue;
        const uint32_t v = area_at(vm, use->layout->region);
        if (use->top_before < vm->devices[v].area.used)
            set_used(vm, v, use->top_before);
        leave_region(vm, use);
    }
}

/* --- tensors ---------------------------------------------------------------------------------- */

static rlx_status not_laid_out(uint32_t z, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "region %u of the memory plan is not laid out", z);
}

rlx_status rlxv_plan_tensor_new(rlx_vm *vm, rlxv_frame *f, uint32_t p, rlx_tensor **out,
                                rlx_error *err)
{
    const rlxv_plan_tensor *row = &f->fn->plan.tensors[p];
    const rlxv_region_use *use = &f->regions[row->region];
    rlxv_layout *l = use->layout;
    if (!l)
        return not_laid_out(row->region, err);
    const rlxv_type *type = &vm->exe->types[row->type];
    const rlxv_region *r = l->region;
    int64_t dims[RLX_MAX_NDIM];
    rlx_tensor *t, **header = &l->headers[row->index];
    for (uint32_t i = 0; i < type->n_dims; i++)
        dims[i] = l->values[r->dim_values[row->dims + i]];
    uint32_t buffer = f->fn->plan.buffer_index[row->buffer];
    RLX_TRY(rlxv_tensor_in(vm->pool, NULL, use->storage, (int64_t)(use->base + l->offsets[buffer]),
                           type->dtype, type->n_dims, dims, &t, err));
    if (*header)
        rlxv_release(&(*header)->header);
    *header = t;
    rlxv_retain(&t->header);
    *out = t;
    return RLX_OK;
}

rlx_status rlxv_plan_bytes(const rlxv_frame *f, uint32_t u, rlxv_plan_room *out, rlx_error *err)
{
    const rlxv_plan *plan = &f->fn->plan;
    const rlxv_region_use *use = &f->regions[plan->buffers[u].region];
    if (!use->layout)
        return not_laid_out(plan->buffers[u].region, err);
    uint32_t buffer = plan->buffer_index[u];
    *out = (rlxv_plan_room){use->storage, use->base + use->layout->offsets[buffer],
                            (size_t)use->layout->values[use->layout->region->size_value[buffer]]};
    return RLX_OK;
}

/* --- the VM's ends ---------------------------------------------------------------------------- */

rlx_status rlxv_plans_create(rlx_vm *vm, rlx_error *err)
{
    size_t bytes = (size_t)vm->exe->n_regions * sizeof *vm->layouts;
    if (bytes == 0)
        return RLX_OK;
    vm->layouts = rlx_alloc(&vm->allocator, bytes, 16);
    if (!vm->layouts)
        return no_memory(err);
    for (uint32_t i = 0; i < vm->exe->n_regions; i++)
        vm->layouts[i].n = 0;
    return RLX_OK;
}

static void free_layouts(rlx_vm *vm)
{
    for (uint32_t i = 0; vm->layouts && i < vm->exe->n_regions; i++) {
        rlxv_layout_cache *c = &vm->layouts[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < c->n; k++) {
            if (c->items[k]->in_use)
                c->items[kept++] = c->items[k];
            else
                free_layout(vm, c->items[k]);
        }
        c->n = kept;
    }
}

void rlxv_plans_trim(rlx_vm *vm)
{
    free_layouts(vm);
    for (uint32_t v = 0; vm->devices && v < vm->exe->n_devices; v++) {
        if (vm->devices[v].area.used > 0)
            continue;
        drop_block(vm, v);
        vm->devices[v].area.wanted = 0;
    }
}

bool rlxv_plans_age(rlx_vm *vm)
{
    bool gave = false;
    for (uint32_t v = 0; v < vm->exe->n_devices; v++) {
        rlxv_area *area = &vm->devices[v].area;
        const bool is_large = area->block && !(v == 0 && vm->options.arena) && area->used == 0 &&
                              rlxv_is_far_more(area->block->size, area->recent);
        if (is_large) {
            drop_block(vm, v);
            area->wanted = area->recent;
        }
        area->recent = 0;
        gave |= is_large;
    }
    return gave;
}

uint64_t rlxv_plans_idle_bytes(const rlx_vm *vm)
{
    uint64_t bytes = 0;
    for (uint32_t v = 0; v < vm->exe->n_devices; v++) {
        const rlx_storage *block = vm->devices[v].area.block;
        bytes += block && block->header.pool ? block->header.bytes : 0;
    }
    for (uint32_t i = 0; vm->layouts && i < vm->exe->n_regions; i++) {
        for (uint32_t k = 0; k < vm->layouts[i].n; k++) {
            const rlxv_layout *l = vm->layouts[i].items[k];
            for (uint32_t h = 0; h < l->region->n_tensors; h++) {
                const rlx_tensor *t = l->headers[h];
                if (t && t->header.pool &&
                    atomic_load_explicit(&t->header.refs, memory_order_relaxed) == 1)
                    bytes += t->header.bytes;
            }
        }
    }
    return bytes;
}

void rlxv_plans_destroy(rlx_vm *vm)
{
    if (vm->pool)
        rlxv_plans_trim(vm);
    rlx_free(&vm->allocator, vm->layouts, (size_t)vm->exe->n_regions * sizeof *vm->layouts, 16);
}
