/* Memory of devices: blocks and their reuse, storages and tensors in them, copies.
 *
 * A freed block is kept for the next allocation of its size class and scope; at most as much is
 * kept as was ever in use at once. If a device has no room for the size of a class, the exact size
 * is allocated. Devices whose memory is the host's keep no blocks: allocating costs nothing there,
 * and the memory may be small. */
#include "vm/device.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 46)
#define STAGE_BYTES ((size_t)4 << 20)

struct rlxv_scope_name {
    struct rlxv_scope_name *next;
    size_t length;
    char text[];
};

static const char *const global_scope = "global";

/* --- blocks -------------------------------------------------------------------------------------
 */

/* The device's own copy of a name; NULL if memory is out. */
static const char *intern_scope(rlx_device *d, const char *scope)
{
    if (!scope || !*scope || strcmp(scope, global_scope) == 0)
        return global_scope;
    for (struct rlxv_scope_name *s = d->scopes; s; s = s->next)
        if (strcmp(s->text, scope) == 0)
            return s->text;
    const size_t length = strlen(scope);
    struct rlxv_scope_name *s = rlx_alloc(&d->allocator, sizeof *s + length + 1, 16);
    if (!s)
        return NULL;
    s->next = d->scopes;
    s->length = length;
    memcpy(s->text, scope, length + 1);
    d->scopes = s;
    return s->text;
}

void rlxv_device_forget_scopes(rlx_device *d)
{
    while (d->scopes) {
        struct rlxv_scope_name *s = d->scopes;
        d->scopes = s->next;
        rlx_free(&d->allocator, s, sizeof *s + s->length + 1, 16);
    }
}

static void free_block(rlxv_device_block *b)
{
    rlx_device *d = b->device;
    d->api.release(d->handle, b->memory);
    rlx_free(&d->allocator, b, sizeof *b, 16);
}

static void free_unused(rlx_device *d)
{
    for (uint32_t i = 0; i < RLXV_DEVICE_CLASSES; i++)
        while (d->unused[i]) {
            rlxv_device_block *b = d->unused[i];
            d->unused[i] = b->next;
            free_block(b);
        }
    d->cached_bytes = 0;
}

void rlxv_device_trim(rlx_device *d)
{
    rlxv_lock_take(&d->lock);
    free_unused(d);
    rlxv_lock_leave(&d->lock);
}

static rlxv_device_block *take_unused(rlx_device *d, uint32_t size_class, const char *scope)
{
    for (rlxv_device_block **at = &d->unused[size_class]; *at; at = &(*at)->next)
        if ((*at)->scope == scope) {
            rlxv_device_block *b = *at;
            *at = b->next;
            d->cached_bytes -= b->bytes;
            return b;
        }
    return NULL;
}

/* |rounded| bytes, or |bytes| if the device has no more. */
static rlx_status new_block(rlx_device *d, const char *scope, size_t bytes, size_t rounded,
                            uint32_t size_class, rlxv_device_block **out, rlx_error *err)
{
    rlxv_device_block *b = scope ? rlx_alloc(&d->allocator, sizeof *b, 16) : NULL;
    if (!b)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for a block of %s", d->name);
    *b = (rlxv_device_block){NULL, d, NULL, rounded, scope, size_class};
    rlx_status status = d->api.alloc(d->handle, rounded, scope, &b->memory, err);
    if (status == RLX_E_LIMIT || status == RLX_E_NOMEM) {
        free_unused(d);
        status = d->api.sync(d->handle, err); /* what was freed may be in use until then */
        if (status == RLX_OK)
            status = d->api.alloc(d->handle, rounded, scope, &b->memory, err);
    }
    if ((status == RLX_E_LIMIT || status == RLX_E_NOMEM) && bytes < rounded) {
        b->bytes = bytes;
        b->size_class = RLXV_NO_CLASS;
        status = d->api.alloc(d->handle, bytes, scope, &b->memory, err);
    }
    if (status != RLX_OK) {
        rlx_free(&d->allocator, b, sizeof *b, 16);
        return rlxv_device_failed(d, NULL, status, err);
    }
    *out = b;
    return RLX_OK;
}

static rlx_status too_much(const rlx_device *d, size_t bytes, rlx_error *err)
{
    return rlx_fail(err, RLX_E_LIMIT, "%zu bytes on %s exceed the address space", bytes, d->name);
}

rlx_status rlxv_device_take(rlx_device *d, const char *scope, size_t bytes, rlxv_device_block **out,
                            rlx_error *err)
{
    size_t rounded;
    if (bytes > MAX_BYTES)
        return too_much(d, bytes, err);
    const uint32_t size_class = rlxv_size_class(bytes, &rounded);
    if (d->info.is_host_memory)
        rounded = bytes ? bytes : 1;
    rlx_status status = RLX_OK;
    rlxv_lock_take(&d->lock);
    scope = intern_scope(d, scope);
    rlxv_device_block *b = scope ? take_unused(d, size_class, scope) : NULL;
    if (!b)
        status = new_block(d, scope, bytes ? bytes : 1, rounded, size_class, &b, err);
    if (status == RLX_OK) {
        d->stats.live_bytes += b->bytes;
        if (d->stats.live_bytes > d->stats.peak_bytes)
            d->stats.peak_bytes = d->stats.live_bytes;
        *out = b;
    }
    rlxv_lock_leave(&d->lock);
    return status;
}

void rlxv_device_give_back(rlxv_device_block *b)
{
    rlx_device *d = b->device;
    rlxv_lock_take(&d->lock);
    d->stats.live_bytes -= b->bytes;
    if (!d->info.is_host_memory && b->size_class != RLXV_NO_CLASS &&
        d->cached_bytes + b->bytes <= d->stats.peak_bytes) {
        b->next = d->unused[b->size_class];
        d->unused[b->size_class] = b;
        d->cached_bytes += b->bytes;
    } else {
        free_block(b);
    }
    rlxv_lock_leave(&d->lock);
}

/* --- storages and tensors -----------------------------------------------------------------------
 */

static void release_block(void *user, void *data)
{
    (void)data;
    rlxv_device_give_back(user);
}

rlx_status rlxv_storage_on(rlxv_pool *p, const rlx_allocator *a, rlx_device *d, const char *scope,
                           size_t bytes, rlx_storage **out, rlx_error *err)
{
    if (!d || d->is_host)
        return rlxv_storage_new(p, a, bytes, 64, out, err);
    rlxv_device_block *b;
    if (bytes > MAX_BYTES)
        return too_much(d, bytes, err);
    if (p)
        RLX_TRY(rlxv_pool_take_device(p, bytes, err));
    rlx_status status = rlxv_device_take(d, scope, bytes, &b, err);
    if (status == RLX_OK) {
        status = rlxv_storage_wrap(p, a, b->memory, bytes, false, release_block, b, out, err);
        if (status != RLX_OK)
            rlxv_device_give_back(b);
    }
    if (status == RLX_OK)
        rlxv_storage_set_device(*out, d);
    else if (p)
        p->device_bytes -= bytes;
    return status;
}

void rlxv_storage_set_device(rlx_storage *s, rlx_device *d)
{
    s->device = rlx_device_retain(d);
    s->header.is_remote = !d->info.is_host_memory;
}

rlx_status rlxv_tensor_on(rlxv_pool *p, const rlx_allocator *a, rlx_device *d, const char *scope,
                          rlx_dtype dtype, uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                          rlx_error *err)
{
    if (!d || d->is_host)
        return rlxv_tensor_new(p, a, dtype, ndim, dims, out, err);
    size_t bytes;
    rlx_storage *s;
    RLX_TRY(rlxv_tensor_bytes(dtype, ndim, dims, &bytes, err));
    RLX_TRY(rlxv_storage_on(p, a, d, scope, bytes, &s, err));
    const rlx_status status = rlxv_tensor_in(p, a, s, 0, dtype, ndim, dims, out, err);
    rlxv_release(&s->header); /* the tensor holds it now */
    return status;
}

rlx_device *rlx_tensor_device(const rlx_tensor *t)
{
    return t ? t->storage->device : NULL;
}

rlx_device_at rlx_tensor_place(const rlx_tensor *t)
{
    return t && t->storage->device ? rlxv_tensor_at(t) : (rlx_device_at){NULL, 0};
}

const char *rlxv_tensor_place_name(const rlx_tensor *t)
{
    return t->storage->device ? t->storage->device->name : "the host";
}

rlx_status rlxv_out_of_reach(const rlx_tensor *t, const char *what, rlx_error *err)
{
    return rlx_fail(err, RLX_E_DEVICE, "%s: the tensor lies on %s, out of the host's reach", what,
                    rlxv_tensor_place_name(t));
}

rlx_status rlxv_value_out_of_reach(rlx_value v, const char *what, rlx_error *err)
{
    if (v.kind == RLX_KIND_TENSOR)
        return rlxv_out_of_reach(v.as.tensor, what, err);
    return rlx_fail(err, RLX_E_DEVICE, "%s: the %s holds a tensor out of the host's reach", what,
                    rlx_kind_name((rlx_kind)v.kind));
}

rlx_status rlx_tensor_create_on(const rlx_allocator *a, rlx_device *d, const char *scope,
                                rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                                rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, d && (dims || ndim == 0) && out);
    return rlxv_tensor_on(NULL, a, d, scope, dtype, ndim, dims, out, err);
}

/* --- copies -------------------------------------------------------------------------------------
 */

static rlx_status copied(rlx_device *d, rlx_work_kind kind, size_t bytes, rlx_status status,
                         void *event, const rlxv_watch *watch, rlx_error *err)
{
    static const char *const names[] = {"", "a copy to it", "a copy from it", "a copy within it"};
    if (status != RLX_OK)
        return rlxv_device_failed(d, names[kind], status, err);
    if (watch)
        watch->add(watch->user, &(rlxv_work){kind, d, NULL, bytes, event});
    return RLX_OK;
}

static rlx_status copy_in(rlx_device *d, rlx_device_at to, const void *from, size_t bytes,
                          const rlxv_watch *watch, rlx_error *err)
{
    void *event = NULL;
    rlxv_lock_take(&d->lock);
    const rlx_status status =
        d->api.copy_in(d->handle, to, from, bytes, watch && d->api.event_time ? &event : NULL, err);
    if (status == RLX_OK) {
        d->stats.bytes_in += bytes;
        d->stats.copies_in++;
    }
    rlxv_lock_leave(&d->lock);
    return copied(d, RLX_WORK_COPY_IN, bytes, status, event, watch, err);
}

/* Without the lock, since it waits. */
static rlx_status copy_out(rlx_device *d, void *to, rlx_device_at from, size_t bytes,
                           const rlxv_watch *watch, rlx_error *err)
{
    void *event = NULL;
    const rlx_status status = d->api.copy_out(d->handle, to, from, bytes,
                                              watch && d->api.event_time ? &event : NULL, err);
    if (status == RLX_OK) {
        rlxv_lock_take(&d->lock);
        d->stats.bytes_out += bytes;
        d->stats.copies_out++;
        rlxv_lock_leave(&d->lock);
    }
    return copied(d, RLX_WORK_COPY_OUT, bytes, status, event, watch, err);
}

static rlx_status copy_within(rlx_device *d, rlx_device_at to, rlx_device_at from, size_t bytes,
                              const rlxv_watch *watch, rlx_error *err)
{
    void *event = NULL;
    rlxv_lock_take(&d->lock);
    const rlx_status status =
        d->api.copy(d->handle, to, from, bytes, watch && d->api.event_time ? &event : NULL, err);
    if (status == RLX_OK) {
        d->stats.bytes_within += bytes;
        d->stats.copies_within++;
    }
    rlxv_lock_leave(&d->lock);
    return copied(d, RLX_WORK_COPY_WITHIN, bytes, status, event, watch, err);
}

/* From one device to another, through memory of the host. */
static rlx_status copy_across(const rlx_tensor *to, const rlx_tensor *from, const rlxv_watch *watch,
                              rlx_error *err)
{
    const size_t bytes = from->nbytes, stage = bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
    rlx_device_at source = rlxv_tensor_at(from), target = rlxv_tensor_at(to);
    void *between = rlx_alloc(NULL, stage, 64);
    if (!between)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for a copy between devices");
    rlx_status status = RLX_OK;
    for (size_t at = 0; status == RLX_OK && at < bytes; at += stage) {
        const size_t n = bytes - at < stage ? bytes - at : stage;
        status = copy_out(from->storage->device, between, source, n, watch, err);
        if (status == RLX_OK)
            status = copy_in(to->storage->device, target, between, n, watch, err);
        source.offset += n;
        target.offset += n;
    }
    rlx_free(NULL, between, stage, 64);
    return status;
}

rlx_status rlxv_copy_tensor(rlx_tensor *to, const rlx_tensor *from, const rlxv_watch *watch,
                            rlx_error *err)
{
    rlx_device *target = to->storage->device, *source = from->storage->device;
    const size_t bytes = from->nbytes;
    if (bytes == 0)
        return RLX_OK;
    if (target && target == source)
        return copy_within(target, rlxv_tensor_at(to), rlxv_tensor_at(from), bytes, watch, err);
    if (target && !from->header.is_remote)
        return copy_in(target, rlxv_tensor_at(to), from->data, bytes, watch, err);
    if (source && !to->header.is_remote)
        return copy_out(source, to->data, rlxv_tensor_at(from), bytes, watch, err);
    if (target && source)
        return copy_across(to, from, watch, err);
    memcpy(to->data, from->data, bytes);
    return RLX_OK;
}

/* The scope that a storage of a device has; NULL: not known. */
static const char *scope_of(const rlx_storage *s)
{
    return s->release == release_block ? ((const rlxv_device_block *)s->user)->scope : NULL;
}

static bool is_there(const rlx_tensor *t, const rlx_device *d, const char *scope)
{
    const rlx_storage *s = t->storage;
    if (!d || d->is_host)
        return !s->device;
    if (s->device != d)
        return false;
    const char *own = scope_of(s);
    return !scope || !*scope || !own || strcmp(own, scope) == 0;
}

static rlx_status copy_to(rlxv_pool *p, const rlx_allocator *a, const rlx_tensor *t, rlx_device *d,
                          const char *scope, const rlxv_watch *watch, rlx_tensor **out,
                          rlx_error *err)
{
    rlx_tensor *copy;
    RLX_TRY(rlxv_tensor_on(p, a, d, scope, t->dtype, t->ndim, t->dims, &copy, err));
    const rlx_status status = rlxv_copy_tensor(copy, t, watch, err);
    if (status != RLX_OK)
        rlxv_release(&copy->header);
    else
        *out = copy;
    return status;
}

rlx_status rlxv_tensor_move(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *t, rlx_device *d,
                            const char *scope, const rlxv_watch *watch, rlx_tensor **out,
                            rlx_error *err)
{
    if (!is_there(t, d, scope))
        return copy_to(p, a, t, d, scope, watch, out, err);
    rlxv_retain(&t->header);
    *out = t;
    return RLX_OK;
}

rlx_status rlxv_tensor_copy(rlxv_pool *p, const rlx_tensor *t, const rlxv_watch *watch,
                            rlx_tensor **out, rlx_error *err)
{
    return copy_to(p, NULL, t, t->storage->device, scope_of(t->storage), watch, out, err);
}

rlx_status rlx_tensor_to_device(const rlx_allocator *a, rlx_tensor *t, rlx_device *d,
                                rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, t && out);
    RLX_TRY(rlxv_tensor_move(NULL, a, t, d, NULL, NULL, out, err));
    if (*out == t)
        rlxv_export(t->header.pool, (rlx_value){RLX_KIND_TENSOR, 0, {.tensor = t}});
    return RLX_OK;
}
