/* Kinds of devices, and devices opened: found by kind and number, shared, closed with the last
 * reference. The calls that are not about memory are here too (device_memory.c has those). */
#include "vm/devices/driver.h"
#include "vm/need.h"
#include "vm/vm_impl.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KIND = 40 };

static const rlx_device_api *const built_in[] = {
    &rlxv_cpu_api,
#if !RLX_BARE
    &rlxv_opencl_api,
    &rlxv_cuda_api,
#endif
};
#define N_BUILT_IN (sizeof built_in / sizeof *built_in)

/* Devices of the built-in kinds are the process's. */
static rlxv_devices of_process = {.lock = RLXV_LOCK_NEW};

void rlxv_devices_init(rlxv_devices *t)
{
    *t = (rlxv_devices){.opened = NULL};
    rlxv_lock_init(&t->lock);
}

void rlxv_devices_deinit(rlxv_devices *t, const rlx_allocator *a)
{
    for (uint32_t i = 0; i < t->n_kinds; i++) {
        char *name = (char *)(uintptr_t)t->kinds[i]->api.kind;
        rlx_free(a, name, strlen(name) + 1, 1);
        rlx_free(a, t->kinds[i], sizeof *t->kinds[i], 16);
    }
    rlx_free(a, t->kinds, t->kinds_capacity * sizeof(void *), 16);
    for (uint32_t i = 0; i < t->n_cpus; i++) {
        char *scope = (char *)(uintptr_t)t->cpus[i]->scope;
        rlx_free(a, scope, strlen(scope) + 1, 1);
        rlx_free(a, t->cpus[i], sizeof *t->cpus[i], 16);
    }
    rlx_free(a, t->cpus, t->cpus_capacity * sizeof(void *), 16);
    rlxv_lock_destroy(&t->lock);
}

/* --- kinds -------------------------------------------------------------------------------------
 */

static char *copy_name(const rlx_allocator *a, const char *name)
{
    size_t bytes = strlen(name) + 1;
    char *copy = rlx_alloc(a, bytes, 1);
    if (copy)
        memcpy(copy, name, bytes);
    return copy;
}

/* The function that every kind must have and |api| lacks; NULL if it has them all. */
static const char *missing_function(const rlx_device_api *api)
{
    const bool runs = api->load || api->unload || api->find || api->launch;
    const struct {
        bool there;
        const char *name;
    } needed[] = {{api->count != NULL, "count"},     {api->info != NULL, "info"},
                  {api->open != NULL, "open"},       {api->close != NULL, "close"},
                  {api->alloc != NULL, "alloc"},     {api->release != NULL, "release"},
                  {api->copy_in != NULL, "copy_in"}, {api->copy_out != NULL, "copy_out"},
                  {api->copy != NULL, "copy"},       {api->sync != NULL, "sync"},
                  {!runs || api->load, "load"},      {!runs || api->unload, "unload"},
                  {!runs || api->find, "find"},      {!runs || api->launch, "launch"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].there)
            return needed[i].name;
    return NULL;
}

static rlx_status check_kind(const rlx_registry *r, const char *kind, rlx_error *err)
{
    const size_t length = strnlen(kind, MAX_KIND + 1);
    if (length == 0 || length > MAX_KIND || strchr(kind, ':'))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "the name of a kind of device has 1 to %d characters, none of them ':'",
                        MAX_KIND);
    if (strcmp(kind, rlxv_cpu_api.kind) == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "the kind 'cpu' cannot be replaced: rlx_registry_add_cpu adds to it");
    for (uint32_t i = 0; i < r->devices.n_kinds; i++)
        if (strcmp(r->devices.kinds[i]->api.kind, kind) == 0)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the registry already has the device kind '%s'",
                            kind);
    return RLX_OK;
}

rlx_status rlx_registry_add_device(rlx_registry *r, const rlx_device_api *api, void *user,
                                   rlx_error *err)
{
    RLXV_NEED(err, r && api && api->kind);
    rlx_device_api full = {0};
    if (api->size < offsetof(rlx_device_api, count))
        return rlx_fail(err, RLX_E_INVALID_ARG, "rlx_device_api.size is %zu", api->size);
    memcpy(&full, api, api->size < sizeof full ? api->size : sizeof full);
    RLX_TRY(check_kind(r, full.kind, err));
    const char *missing = missing_function(&full);
    if (missing)
        return rlx_fail(err, RLX_E_INVALID_ARG, "devices '%s' have no function '%s'", full.kind,
                        missing);
    rlxv_devices *t = &r->devices;
    rlxv_device_kind *k = rlx_alloc(&r->allocator, sizeof *k, 16);
    char *name = copy_name(&r->allocator, full.kind);
    if (!k || !name ||
        !rlxv_grow(&r->allocator, (void **)&t->kinds, &t->kinds_capacity, t->n_kinds,
                   sizeof *t->kinds)) {
        rlx_free(&r->allocator, name, strlen(full.kind) + 1, 1);
        rlx_free(&r->allocator, k, sizeof *k, 16);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while registering a device");
    }
    full.kind = name;
    *k = (rlxv_device_kind){full, user};
    t->kinds[t->n_kinds++] = k;
    return RLX_OK;
}

rlx_status rlx_registry_add_cpu(rlx_registry *r, const rlx_cpu_device *row, rlx_error *err)
{
    RLXV_NEED(err, r && row);
    rlx_cpu_device full = {0};
    memcpy(&full, row, row->size < sizeof full ? row->size : sizeof full);
    rlxv_devices *t = &r->devices;
    if (full.id == 0 || full.bytes == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        full.id ? "a device of 0 bytes" : "cpu:0 is the host's own memory");
    for (uint32_t i = 0; i < t->n_cpus; i++)
        if (t->cpus[i]->id == full.id)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the registry already has a device cpu:%u",
                            full.id);
    const char *scope = full.scope ? full.scope : "global";
    rlxv_cpu_row *c = rlx_alloc(&r->allocator, sizeof *c, 16);
    char *name = copy_name(&r->allocator, scope);
    if (!c || !name ||
        !rlxv_grow(&r->allocator, (void **)&t->cpus, &t->cpus_capacity, t->n_cpus,
                   sizeof *t->cpus)) {
        rlx_free(&r->allocator, name, strlen(scope) + 1, 1);
        rlx_free(&r->allocator, c, sizeof *c, 16);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while registering a device");
    }
    *c = (rlxv_cpu_row){full.id, full.memory, full.bytes, name, r->allocator};
    t->cpus[t->n_cpus++] = c;
    return RLX_OK;
}

const char *rlx_device_kind(const rlx_registry *r, uint32_t i)
{
    const uint32_t own = r ? r->devices.n_kinds : 0;
    if (i < own)
        return r->devices.kinds[i]->api.kind;
    return i - own < N_BUILT_IN ? built_in[i - own]->kind : NULL;
}

/* The kind as |r| knows it, and the table that has its opened devices. */
static rlx_status find_kind(const rlx_registry *r, const char *kind, rlxv_device_kind *out,
                            const rlxv_devices **out_owner, rlx_error *err)
{
    for (uint32_t i = 0; r && i < r->devices.n_kinds; i++)
        if (strcmp(r->devices.kinds[i]->api.kind, kind) == 0) {
            *out = *r->devices.kinds[i];
            *out_owner = &r->devices;
            return RLX_OK;
        }
    for (size_t i = 0; i < N_BUILT_IN; i++)
        if (strcmp(built_in[i]->kind, kind) == 0) {
            const bool is_registrys = built_in[i] == &rlxv_cpu_api && r && r->devices.n_cpus > 0;
            *out_owner = is_registrys ? &r->devices : &of_process;
            *out = (rlxv_device_kind){*built_in[i], NULL};
            if (is_registrys)
                out->user = (void *)(uintptr_t)&r->devices;
            return RLX_OK;
        }
    return rlx_fail(err, RLX_E_NOT_FOUND, "there is no kind of device '%.*s'", MAX_KIND, kind);
}

uint32_t rlxv_cpu_with_scope(const rlx_registry *r, const char *scope)
{
    for (uint32_t i = 0; r && i < r->devices.n_cpus; i++)
        if (strcmp(r->devices.cpus[i]->scope, scope) == 0)
            return r->devices.cpus[i]->id;
    return 0;
}

bool rlxv_device_has_driver(const rlx_registry *r, const char *kind)
{
    rlxv_device_kind k;
    const rlxv_devices *owner;
    return find_kind(r, kind, &k, &owner, NULL) == RLX_OK && owner == &of_process &&
           strcmp(kind, rlxv_cpu_api.kind) != 0;
}

uint32_t rlx_device_count(const rlx_registry *r, const char *kind, rlx_error *err)
{
    rlxv_device_kind k;
    const rlxv_devices *owner;
    if (!kind) {
        rlx_fail(err, RLX_E_INVALID_ARG, "%s: a required pointer is NULL", __func__);
        return 0;
    }
    return find_kind(r, kind, &k, &owner, err) == RLX_OK ? k.api.count(k.user, err) : 0;
}

static void end_texts(rlx_device_info *info)
{
    info->name[sizeof info->name - 1] = 0;
    info->driver[sizeof info->driver - 1] = 0;
    info->arch[sizeof info->arch - 1] = 0;
}

rlx_status rlx_device_look(const rlx_registry *r, const char *kind, uint32_t id,
                           rlx_device_info *out, rlx_error *err)
{
    RLXV_NEED(err, kind && out);
    rlxv_device_kind k;
    const rlxv_devices *owner;
    RLX_TRY(find_kind(r, kind, &k, &owner, err));
    *out = (rlx_device_info){.warp = 1};
    RLX_TRY(k.api.info(k.user, id, out, err));
    end_texts(out);
    return RLX_OK;
}

/* --- opened devices ----------------------------------------------------------------------------
 */

static bool is_kind(const rlx_device *d, const char *kind, uint32_t id)
{
    return d->id == id && strcmp(d->api.kind, kind) == 0;
}

/* A device of |k|, not in a list yet. */
static rlx_status open_new(rlx_registry *r, const rlxv_device_kind *k, uint32_t id,
                           rlx_device **out, rlx_error *err)
{
    rlx_device *d = rlx_alloc(r ? &r->allocator : NULL, sizeof *d, _Alignof(rlx_device));
    if (!d)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while opening a device");
    memset(d, 0, sizeof *d);
    d->allocator = r ? r->allocator : *rlx_default_allocator();
    d->api = k->api;
    d->id = id;
    d->info.warp = 1;
    atomic_init(&d->refs, 1);
    snprintf(d->name, sizeof d->name, "%s:%u", k->api.kind, id);
    rlx_status status = k->api.info(k->user, id, &d->info, err);
    if (status == RLX_OK)
        status = k->api.open(k->user, id, &d->handle, err);
    if (status != RLX_OK) {
        rlx_allocator a = d->allocator;
        status = rlxv_device_failed(d, NULL, status, err);
        rlx_free(&a, d, sizeof *d, _Alignof(rlx_device));
        return status;
    }
    end_texts(&d->info);
    rlxv_lock_init(&d->lock);
    rlxv_lock_init(&d->code_lock);
    d->is_host = strcmp(d->api.kind, rlxv_cpu_api.kind) == 0 && id == 0;
    *out = d;
    return RLX_OK;
}

rlx_status rlx_device_open(rlx_registry *r, const char *kind, uint32_t id, rlx_device **out,
                           rlx_error *err)
{
    RLXV_NEED(err, kind && out);
    rlxv_device_kind k;
    const rlxv_devices *found;
    RLX_TRY(find_kind(r, kind, &k, &found, err));
    rlx_registry *holder = found == &of_process ? NULL : r;
    rlxv_devices *owner = holder ? &holder->devices : &of_process;
    rlx_status status = RLX_OK;
    rlxv_lock_take(&owner->lock);
    rlx_device *d = owner->opened;
    while (d && !is_kind(d, kind, id))
        d = d->next;
    if (d) {
        atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    } else {
        status = open_new(holder, &k, id, &d, err);
        if (status == RLX_OK) {
            d->owner = owner;
            d->registry = holder ? rlx_registry_retain(holder) : NULL;
            d->next = owner->opened;
            owner->opened = d;
        }
    }
    rlxv_lock_leave(&owner->lock);
    if (status == RLX_OK)
        *out = d;
    return status;
}

rlx_device *rlx_device_retain(rlx_device *d)
{
    if (d)
        atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return d;
}

static void close_device(rlx_device *d)
{
    rlxv_device_trim(d);
    rlxv_device_forget_scopes(d);
    d->api.close(d->handle);
    rlxv_lock_destroy(&d->lock);
    rlxv_lock_destroy(&d->code_lock);
    rlx_allocator a = d->allocator;
    rlx_free(&a, d, sizeof *d, _Alignof(rlx_device));
}

void rlx_device_release(rlx_device *d)
{
    if (!d)
        return;
    uint32_t refs = atomic_load_explicit(&d->refs, memory_order_relaxed);
    while (refs > 1)
        if (atomic_compare_exchange_weak_explicit(&d->refs, &refs, refs - 1, memory_order_release,
                                                  memory_order_relaxed))
            return;
    /* Perhaps the last one: nobody may find the device in the list meanwhile. */
    rlxv_devices *owner = d->owner;
    rlx_registry *registry = NULL;
    rlxv_lock_take(&owner->lock);
    if (atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1) {
        rlx_device **at = &owner->opened;
        while (*at != d)
            at = &(*at)->next;
        *at = d->next;
        registry = d->registry;
        close_device(d);
    }
    rlxv_lock_leave(&owner->lock);
    rlx_registry_release(registry);
}

const char *rlx_device_name(const rlx_device *d)
{
    return d ? d->name : "";
}

int32_t rlx_device_type(const rlx_device *d)
{
    return d ? d->api.type : 0;
}

uint32_t rlx_device_id(const rlx_device *d)
{
    return d ? d->id : 0;
}

const rlx_device_info *rlx_device_facts(const rlx_device *d)
{
    return d ? &d->info : NULL;
}

void rlx_device_get_stats(const rlx_device *d, rlx_device_stats *out)
{
    if (!d || !out)
        return;
    rlx_device *locked = (rlx_device *)(uintptr_t)d;
    rlxv_lock_take(&locked->lock);
    *out = d->stats;
    rlxv_lock_leave(&locked->lock);
}

/* --- calls --------------------------------------------------------------------------------------
 */

rlx_status rlxv_device_failed(const rlx_device *d, const char *what, rlx_status status,
                              rlx_error *err)
{
    if (err && (err->code != status || !err->message[0])) /* the function set no error */
        rlx_fail(err, status, "%s", rlx_status_name(status));
    rlx_error_prefix(err, "%s%s%s: ", d->name, what ? ", " : "", what ? what : "");
    return status;
}

rlx_status rlx_device_sync(rlx_device *d, rlx_error *err)
{
    RLXV_NEED(err, d);
    const rlx_status status = d->api.sync(d->handle, err);
    return status == RLX_OK ? RLX_OK : rlxv_device_failed(d, NULL, status, err);
}

rlx_status rlx_device_build(rlx_device *d, rlx_str format, const void *code, size_t size,
                            rlx_device_sink *sink, void *user, rlx_error *err)
{
    RLXV_NEED(err, d && format.data && code && sink);
    if (!d->api.build)
        return rlx_fail(err, RLX_E_NOT_FOUND, "%s: devices of the kind '%s' give out no binaries",
                        d->name, d->api.kind);
    rlxv_lock_take(&d->lock);
    const rlx_status status = d->api.build(d->handle, format, code, size, sink, user, err);
    rlxv_lock_leave(&d->lock);
    return status == RLX_OK ? RLX_OK : rlxv_device_failed(d, NULL, status, err);
}

rlx_status rlxv_device_launch(rlx_device *d, const rlx_launch *launch, const rlxv_watch *watch,
                              rlx_error *err)
{
    void *event = NULL;
    rlxv_lock_take(&d->lock);
    const rlx_status status =
        d->api.launch(d->handle, launch, watch && d->api.event_time ? &event : NULL, err);
    d->stats.launches += status == RLX_OK;
    rlxv_lock_leave(&d->lock);
    if (status != RLX_OK)
        return rlxv_device_failed(d, launch->name, status, err);
    if (watch)
        watch->add(watch->user, &(rlxv_work){RLX_WORK_LAUNCH, d, launch->name, 0, event});
    return RLX_OK;
}

bool rlxv_device_event_time(rlx_device *d, void *event, uint64_t *out_begin, uint64_t *out_end)
{
    if (!event || !d->api.event_time)
        return false;
    return d->api.event_time(d->handle, event, out_begin, out_end, NULL) == RLX_OK;
}
