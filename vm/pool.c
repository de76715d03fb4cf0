/* The memory pool of a VM: object headers and storages, kept for reuse and counted against limits.

   Headers are recycled by size in steps of 64 bytes. Storages are recycled with their header, by
   size class: eight classes a doubling, so a block is at most an eighth larger than requested, and
   a model with varying sizes reuses its blocks. Storage of large results comes back when the host
   has released them. Memory unused between two agings goes back to the allocator. Single-owner:
   everything here runs on the VM's thread. */
#include "vm/object.h"
#include "vm/returns.h"

#include <rlx/checked.h>
#include <rlx/memory.h>
#include <stdio.h>
#include <string.h>

#define STORAGE_ALIGN ((size_t)64)
#define MAX_STORAGE ((size_t)1 << 46)
#define MAX_HEADERS 4096u

uint32_t rlxv_size_class(size_t size, size_t *out_block)
{
    if (size <= 64) {
        *out_block = 64;
        return 0;
    }
    size_t s = size - 1;
    uint32_t e = 63u - (uint32_t)__builtin_clzll(s);
    size_t step = (s >> (e - 3)) & 7;
    *out_block = (9 + step) << (e - 3);
    return (e - 6) * 8 + (uint32_t)step + 1;
}

rlxv_pool *rlxv_pool_create(const rlx_allocator *a)
{
    rlxv_pool *p = rlx_alloc(a, sizeof *p, _Alignof(rlxv_pool));
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    atomic_init(&p->scratch_bytes, 0);
    p->allocator = a ? *a : *rlx_default_allocator();
    p->granted = RLXV_GRANT;
    p->system_limit = UINT64_MAX;
    p->returns = rlxv_returns_create(a);
    if (!p->returns) {
        rlx_free(a, p, sizeof *p, _Alignof(rlxv_pool));
        return NULL;
    }
    return p;
}

static void free_pool(rlxv_pool *p)
{
    rlx_allocator a = p->allocator;
    rlxv_returns_release(p->returns);
    rlx_free(&a, p, sizeof *p, _Alignof(rlxv_pool));
}

/* Frees a storage that is on no list. */
static void free_storage(const rlx_allocator *a, rlx_storage *s)
{
    rlx_free(a, s->data, s->block, s->align);
    rlx_free(a, s, s->header.bytes, 16);
}

static bool may_keep(const rlxv_pool *p, const rlx_storage *s)
{
    return !p->max_cached || p->cached_bytes + s->block <= p->max_cached;
}

/* Puts a storage without references on the list of its class. */
static void keep_storage(rlxv_pool *p, rlx_storage *s)
{
    rlxv_storage_list *list = &p->storages[s->size_class];
    s->header.next = (rlx_object *)list->head;
    list->head = s;
    list->count++;
    p->kept[s->size_class / 64] |= UINT64_C(1) << s->size_class % 64;
    p->cached_bytes += s->block;
}

/* Allows |s|, which leaves the pool, to come back if the limit of unused storage permits. */
static void lend_storage(rlxv_pool *p, rlx_storage *s)
{
    const uint64_t limit = p->max_cached ? p->max_cached : UINT64_MAX;
    const uint64_t rest = limit > p->cached_bytes ? limit - p->cached_bytes : 0;
    atomic_store_explicit(&p->returns->limit, rest, memory_order_relaxed);
    s->home = rlxv_returns_retain(p->returns);
}

/* Moves the storage of released results to the lists. */
static void collect(rlxv_pool *p)
{
    rlx_storage *next;
    if (p->orphan || !rlxv_returns_any(p->returns))
        return;
    for (rlx_storage *s = rlxv_returns_take(p->returns); s; s = next) {
        next = (rlx_storage *)s->header.next;
        s->header.pool = p;
        if (p->poison)
            memset(s->data, 0xA5, s->block);
        if (may_keep(p, s))
            keep_storage(p, s);
        else
            free_storage(&p->allocator, s);
    }
}

static void trim_list(rlxv_pool *p, rlxv_storage_list *list, uint32_t n)
{
    for (; n > 0 && list->head; n--) {
        rlx_storage *s = list->head;
        list->head = (rlx_storage *)s->header.next;
        list->count--;
        p->cached_bytes -= s->block;
        free_storage(&p->allocator, s);
    }
    list->low = list->count;
}

void rlxv_pool_trim(rlxv_pool *p)
{
    collect(p);
    for (uint32_t i = 0; i < RLXV_STORAGE_CLASSES; i++)
        trim_list(p, &p->storages[i], UINT32_MAX);
    for (uint32_t i = 0; i < RLXV_OBJECT_CLASSES; i++) {
        while (p->objects[i]) {
            rlx_object *o = p->objects[i];
            p->objects[i] = o->next;
            rlx_free(&p->allocator, o, o->bytes, 16);
        }
        p->object_counts[i] = 0;
    }
}

void rlxv_pool_age(rlxv_pool *p)
{
    collect(p);
    for (uint32_t w = 0; w < RLXV_STORAGE_CLASSES / 64; w++)
        for (uint64_t bits = p->kept[w]; bits != 0; bits &= bits - 1) {
            rlxv_storage_list *list = &p->storages[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            trim_list(p, list, list->low);
            if (list->count == 0)
                p->kept[w] &= ~(bits & -bits);
        }
}

void rlxv_pool_abandon(rlxv_pool *p)
{
    rlxv_pool_trim(p);
    p->orphan = true;
    rlx_storage *next;
    for (rlx_storage *s = rlxv_returns_close(p->returns); s; s = next) {
        next = (rlx_storage *)s->header.next;
        free_storage(&p->allocator, s);
    }
    if (p->live_objects == 0)
        free_pool(p);
}

/* Memory taken in this entry may still be untouched, so that the system counts it as available:
 * keep its first answer. */
static bool ask_system(rlxv_pool *p, uint64_t held, uint64_t bytes, rlxv_room *room)
{
    const rlx_memory m = rlx_memory_now();
    const uint64_t limit = m.available < UINT64_MAX - held ? held + m.available : UINT64_MAX;
    if (limit < p->system_limit)
        p->system_limit = limit;
    room->source = m.source;
    room->left = p->system_limit > held ? p->system_limit - held : 0;
    p->granted = 0;
    if (bytes > room->left)
        return false;
    p->granted = room->left - bytes < RLXV_GRANT ? room->left - bytes : RLXV_GRANT;
    return true;
}

bool rlxv_pool_has_room(rlxv_pool *p, uint64_t bytes, rlxv_room *out)
{
    collect(p);
    const uint64_t scratch = atomic_load_explicit(&p->scratch_bytes, memory_order_relaxed);
    const uint64_t used = rlxv_pool_used(p) + scratch;
    *out = (rlxv_room){used, p->max_bytes > used ? p->max_bytes - used : 0, NULL};
    if (p->max_bytes == 0) {
        if (p->is_unlimited)
            return true;
        if (bytes <= p->granted) {
            p->granted -= bytes;
            return true;
        }
        if (ask_system(p, used + p->cached_bytes, bytes, out))
            return true;
        rlxv_pool_trim(p);
        return ask_system(p, used, bytes, out);
    }
    if (used + p->cached_bytes + bytes <= p->max_bytes)
        return true;
    rlxv_pool_trim(p);
    return used + bytes <= p->max_bytes;
}

rlx_status rlxv_no_room(const rlxv_room *room, const char *what, rlx_error *err)
{
    if (room->source)
        return rlx_fail(err, RLX_E_LIMIT, "%s, beside %llu in use; %s has %llu available", what,
                        (unsigned long long)room->used, room->source,
                        (unsigned long long)room->left);
    return rlx_fail(err, RLX_E_LIMIT, "%s, beside %llu in use; the limit is %llu", what,
                    (unsigned long long)room->used, (unsigned long long)(room->used + room->left));
}

static rlx_status make_room(rlxv_pool *p, uint64_t bytes, rlx_error *err)
{
    rlxv_room room;
    if (rlxv_pool_has_room(p, bytes, &room))
        return RLX_OK;
    char what[64];
    snprintf(what, sizeof what, "the VM needs %llu bytes", (unsigned long long)bytes);
    return rlxv_no_room(&room, what, err);
}

rlx_status rlxv_pool_take_device(rlxv_pool *p, uint64_t bytes, rlx_error *err)
{
    if (p->max_bytes)
        RLX_TRY(make_room(p, bytes, err));
    p->device_bytes += bytes;
    return RLX_OK;
}

static void *pool_alloc(rlxv_pool *p, size_t bytes, size_t align)
{
    p->allocator_calls++;
    void *m = rlx_alloc(&p->allocator, bytes, align);
    if (!m && p->cached_bytes > 0) { /* releasing unused storage may help */
        rlxv_pool_trim(p);
        m = rlx_alloc(&p->allocator, bytes, align);
    }
    return m;
}

void rlxv_pool_note_peak(rlxv_pool *p)
{
    uint64_t planned = p->arena_used < p->arena_bytes ? p->arena_used : p->arena_bytes;
    if (p->live_bytes + planned > p->peak_bytes)
        p->peak_bytes = p->live_bytes + planned;
}

static void count_live(rlxv_pool *p, uint64_t bytes)
{
    p->live_bytes += bytes;
    rlxv_pool_note_peak(p);
}

rlx_status rlxv_pool_reserve(rlxv_pool *p, size_t bytes, size_t align, void **out, rlx_error *err)
{
    RLX_TRY(make_room(p, bytes, err));
    void *m = pool_alloc(p, bytes, align);
    if (!m)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for the VM's stack)", bytes);
    p->reserved_bytes += bytes;
    *out = m;
    return RLX_OK;
}

void rlxv_pool_unreserve(rlxv_pool *p, void *data, size_t bytes, size_t align)
{
    if (!data)
        return;
    p->reserved_bytes -= bytes;
    rlx_free(&p->allocator, data, bytes, align);
}

static void init_object(rlx_object *o, size_t bytes, rlx_kind kind, rlxv_pool *p,
                        const rlx_allocator *a)
{
    atomic_init(&o->refs, 1);
    o->kind = (uint8_t)kind;
    o->readonly = 0;
    o->is_remote = 0;
    o->reserved = 0;
    o->bytes = bytes;
    o->pool = p;
    o->next = NULL;
    o->allocator = *a;
}

rlx_status rlxv_object_new(rlxv_pool *p, const rlx_allocator *a, size_t bytes, rlx_kind kind,
                           void *out, rlx_error *err)
{
    rlx_object *o;
    bytes = (bytes + 63) & ~(size_t)63;
    if (!p) {
        o = rlx_alloc(a, bytes, 16);
        if (!o)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for an object)", bytes);
        init_object(o, bytes, kind, NULL, a ? a : rlx_default_allocator());
        *(rlx_object **)out = o;
        return RLX_OK;
    }
    size_t c = bytes / 64 - 1;
    if (c < RLXV_OBJECT_CLASSES && p->objects[c] &&
        (p->max_bytes == 0 || rlxv_pool_used(p) + bytes <= p->max_bytes)) {
        o = p->objects[c];
        p->objects[c] = o->next;
        p->object_counts[c]--;
        o->kind = (uint8_t)kind;
        o->readonly = 0;
        o->is_remote = 0;
        o->next = NULL;
        atomic_store_explicit(&o->refs, 1, memory_order_relaxed);
    } else {
        RLX_TRY(make_room(p, bytes, err));
        o = pool_alloc(p, bytes, 16);
        if (!o)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for an object)", bytes);
        init_object(o, bytes, kind, p, &p->allocator);
    }
    count_live(p, bytes);
    p->live_objects++;
    *(rlx_object **)out = o;
    return RLX_OK;
}

static void object_gone(rlxv_pool *p)
{
    if (--p->live_objects == 0 && p->orphan)
        free_pool(p);
}

void rlxv_object_free(rlx_object *o)
{
    rlxv_pool *p = o->pool;
    if (!p) {
        rlx_allocator a = o->allocator;
        rlx_free(&a, o, o->bytes, 16);
        return;
    }
    p->live_bytes -= o->bytes;
    size_t c = o->bytes / 64 - 1;
    if (!p->orphan && c < RLXV_OBJECT_CLASSES && p->object_counts[c] < MAX_HEADERS) {
        o->next = p->objects[c];
        p->objects[c] = o;
        p->object_counts[c]++;
    } else {
        rlx_free(&p->allocator, o, o->bytes, 16);
    }
    object_gone(p);
}

/* A host's own allocator may have memory that the system does not know about. */
static bool is_custom(const rlx_allocator *a)
{
    return a && a->alloc != rlx_default_allocator()->alloc;
}

static rlx_status alloc_data(rlxv_pool *p, const rlx_allocator *a, rlx_storage *s, rlx_error *err)
{
    if (p)
        RLX_TRY(make_room(p, s->block, err));
    else if (!is_custom(a) && s->block >= RLXV_GRANT)
        RLX_TRY(rlx_memory_check(s->block, "a tensor", err));
    s->data = p ? pool_alloc(p, s->block, s->align) : rlx_alloc(a, s->block, s->align);
    if (!s->data)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for a tensor)", s->block);
    return RLX_OK;
}

rlx_status rlxv_storage_new(rlxv_pool *p, const rlx_allocator *a, size_t size, size_t align,
                            rlx_storage **out, rlx_error *err)
{
    size_t block;
    if (size > MAX_STORAGE)
        return rlx_fail(err, RLX_E_LIMIT, "a storage of %zu bytes exceeds the address space", size);
    uint32_t c = rlxv_size_class(size, &block);
    if (align < STORAGE_ALIGN)
        align = STORAGE_ALIGN;
    bool pooled = p && align == STORAGE_ALIGN;
    rlxv_storage_list *list = pooled ? &p->storages[c] : NULL;
    rlx_storage *s;
    if (pooled && !list->head && block >= RLXV_RETURN_LEAST)
        collect(p);
    if (pooled && list->head) {
        s = list->head;
        list->head = (rlx_storage *)s->header.next;
        if (--list->count < list->low)
            list->low = list->count;
        p->cached_bytes -= s->block;
        s->header.next = NULL;
        atomic_store_explicit(&s->header.refs, 1, memory_order_relaxed);
        count_live(p, s->header.bytes);
        p->live_objects++;
    } else {
        RLX_TRY(rlxv_object_new(p, a, sizeof *s, RLX_KIND_STORAGE, &s, err));
        s->block = pooled || !p ? block : (size ? size : 1);
        s->align = align;
        s->size_class = pooled ? c : RLXV_NO_CLASS;
        s->release = NULL;
        s->user = NULL;
        s->home = NULL;
        s->device = NULL;
        rlx_status status = alloc_data(p, a, s, err);
        if (status != RLX_OK) {
            rlxv_object_free(&s->header);
            return status;
        }
    }
    if (p)
        count_live(p, s->block);
    s->size = size;
    *out = s;
    return RLX_OK;
}

void rlxv_storage_free(rlx_storage *s)
{
    rlxv_pool *p = s->header.pool;
    if (s->block == 0) {
        rlx_device *device = s->device;
        if (s->release)
            s->release(s->user, s->data);
        if (device && p)
            p->device_bytes -= s->size;
        rlxv_object_free(&s->header);
        if (device)
            rlx_device_release(device);
        return;
    }
    if (!p) {
        rlxv_returns *home = s->home;
        s->home = NULL;
        if (!home || !rlxv_returns_put(home, s)) {
            rlx_allocator a = s->header.allocator;
            free_storage(&a, s);
        }
        if (home)
            rlxv_returns_release(home);
        return;
    }
    p->live_bytes -= s->block;
    if (p->poison)
        memset(s->data, 0xA5, s->block);
    if (s->size_class == RLXV_NO_CLASS || p->orphan || !may_keep(p, s)) {
        rlx_free(&p->allocator, s->data, s->block, s->align);
        rlxv_object_free(&s->header);
        return;
    }
    keep_storage(p, s);
    p->live_bytes -= s->header.bytes;
    object_gone(p);
}

void rlxv_export(rlxv_pool *p, rlx_value v)
{
    rlx_object *todo = NULL;
    if (v.kind < RLX_KIND_TENSOR || v.as.object->pool != p || !p)
        return;
    todo = v.as.object;
    todo->pool = NULL;
    todo->next = NULL;
    p->live_objects--;
    while (todo) {
        rlx_object *o = todo;
        const rlx_value *items = NULL;
        uint32_t n = 0;
        rlx_value storage;
        todo = o->next;
        o->next = NULL;
        p->live_bytes -= o->bytes;
        if (o->kind == RLX_KIND_TENSOR) {
            storage = (rlx_value){RLX_KIND_STORAGE, 0, {.storage = ((rlx_tensor *)o)->storage}};
            items = &storage;
            n = 1;
        } else if (o->kind == RLX_KIND_TUPLE) {
            items = ((rlx_tuple *)o)->items;
            n = ((rlx_tuple *)o)->n;
        } else if (o->kind == RLX_KIND_CLOSURE) {
            items = ((rlx_closure *)o)->captured;
            n = ((rlx_closure *)o)->n;
        } else if (o->kind == RLX_KIND_STORAGE) {
            rlx_storage *s = (rlx_storage *)o;
            p->live_bytes -= s->block;
            p->device_bytes -= s->device ? s->size : 0;
            if (s->block >= RLXV_RETURN_LEAST && s->size_class != RLXV_NO_CLASS)
                lend_storage(p, s);
        }
        for (uint32_t i = 0; i < n; i++) {
            if (items[i].kind >= RLX_KIND_TENSOR && items[i].as.object->pool == p) {
                items[i].as.object->pool = NULL;
                items[i].as.object->next = todo;
                todo = items[i].as.object;
                p->live_objects--;
            }
        }
    }
}
