/* Tables of names, and the registry that hosts share between VMs. */
#include "vm/file.h"
#include "vm/need.h"
#include "vm/vm_impl.h"

#include <string.h>

void rlxv_names_init(rlxv_names *t, const rlx_allocator *a)
{
    *t = (rlxv_names){.allocator = *a};
}

static void drop_row(rlxv_names *t, rlxv_name *row)
{
    if (row->destroy)
        row->destroy(row->user);
    rlx_free(&t->allocator, (void *)(uintptr_t)row->name.data, row->name.len, 1);
}

void rlxv_names_deinit(rlxv_names *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        drop_row(t, &t->rows[i]);
    rlx_free(&t->allocator, t->rows, t->capacity * sizeof *t->rows, 16);
    rlx_free(&t->allocator, t->hash, t->hash_size * sizeof *t->hash, 16);
    t->rows = NULL;
    t->hash = NULL;
    t->count = t->capacity = t->hash_size = 0;
}

static uint32_t *place_of(const rlxv_names *t, rlx_str name)
{
    uint32_t mask = t->hash_size - 1, h = (uint32_t)rlxv_checksum(name.data, name.len) & mask;
    while (t->hash[h] && !rlx_str_eq(t->rows[t->hash[h] - 1].name, name))
        h = (h + 1) & mask;
    return &t->hash[h];
}

const rlxv_name *rlxv_names_find(const rlxv_names *t, rlx_str name)
{
    uint32_t row = t->hash_size ? *place_of(t, name) : 0;
    return row ? &t->rows[row - 1] : NULL;
}

static bool grow(rlxv_names *t)
{
    if (!rlxv_grow(&t->allocator, (void **)&t->rows, &t->capacity, t->count, sizeof *t->rows))
        return false;
    if (t->count + 1 < t->hash_size / 2)
        return true;
    uint32_t size = t->hash_size ? t->hash_size * 2 : 32;
    uint32_t *hash = rlx_alloc(&t->allocator, size * sizeof *hash, 16);
    if (!hash)
        return false;
    memset(hash, 0, size * sizeof *hash);
    rlx_free(&t->allocator, t->hash, t->hash_size * sizeof *t->hash, 16);
    t->hash = hash;
    t->hash_size = size;
    for (uint32_t i = 0; i < t->count; i++)
        *place_of(t, t->rows[i].name) = i + 1;
    return true;
}

rlx_status rlxv_names_set(rlxv_names *t, const rlxv_name *row, rlx_error *err)
{
    char *name = rlx_alloc(&t->allocator, row->name.len, 1);
    if (!name || !grow(t)) {
        rlx_free(&t->allocator, name, row->name.len, 1);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while registering a name");
    }
    if (row->name.len)
        memcpy(name, row->name.data, row->name.len);
    rlxv_name fresh = *row;
    fresh.name.data = name;
    uint32_t *place = place_of(t, fresh.name);
    if (*place) {
        drop_row(t, &t->rows[*place - 1]);
        t->rows[*place - 1] = fresh;
    } else {
        t->rows[t->count++] = fresh;
        *place = t->count;
    }
    return RLX_OK;
}

rlx_status rlx_registry_create(const rlx_allocator *a, rlx_registry **out, rlx_error *err)
{
    RLXV_NEED(err, out);
    rlx_registry *r = rlx_alloc(a, sizeof *r, _Alignof(rlx_registry));
    if (!r)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while creating a registry");
    atomic_init(&r->refs, 1);
    r->allocator = a ? *a : *rlx_default_allocator();
    rlxv_names_init(&r->packed, &r->allocator);
    rlxv_names_init(&r->kernels, &r->allocator);
    rlxv_names_init(&r->sections, &r->allocator);
    rlxv_devices_init(&r->devices);
    *out = r;
    return RLX_OK;
}

rlx_registry *rlx_registry_retain(rlx_registry *r)
{
    if (!r)
        return NULL;
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void rlx_registry_release(rlx_registry *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    rlx_allocator a = r->allocator;
    rlxv_names_deinit(&r->packed);
    rlxv_names_deinit(&r->kernels);
    rlxv_names_deinit(&r->sections);
    rlxv_devices_deinit(&r->devices, &a);
    rlx_free(&a, r, sizeof *r, _Alignof(rlx_registry));
}

rlx_status rlx_registry_add_packed(rlx_registry *r, rlx_str name, rlx_packed_fn fn, void *user,
                                   void (*destroy)(void *user), rlx_error *err)
{
    RLXV_NEED(err, r && RLXV_IS_STR(name) && fn);
    rlxv_name row = {.name = name, .packed = fn, .user = user, .destroy = destroy};
    return rlxv_names_set(&r->packed, &row, err);
}

rlx_status rlx_registry_add_kernel(rlx_registry *r, rlx_str symbol, rlx_kernel_fn fn,
                                   rlx_error *err)
{
    RLXV_NEED(err, r && RLXV_IS_STR(symbol) && fn);
    rlxv_name row = {.name = symbol, .kernel = fn};
    return rlxv_names_set(&r->kernels, &row, err);
}
