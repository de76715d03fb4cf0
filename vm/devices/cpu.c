/* The kind "cpu": memories of the host. cpu:0 is the heap itself, whose tensors are those without a
 * device; further ones are rows of a registry, each a range of bytes or an amount of the heap. What
 * is taken of a range is a list, sorted by its places; the first gap that is large enough is given.
 * Everything happens at once, so there is nothing to wait for, and no code to load: kernels of the
 * host work in these memories. */
#include "vm/device.h"

#include <rlx/memory.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 128 };

typedef struct taken {
    size_t begin, bytes;
} taken;

typedef struct cpu {
    const rlxv_cpu_row *row; /* NULL: cpu:0 */
    size_t used;
    taken *list; /* memory of the heap: |begin| is its address */
    uint32_t n, capacity;
} cpu;

static const rlxv_cpu_row *row_of(const void *user, uint32_t id)
{
    const rlxv_devices *t = user;
    for (uint32_t i = 0; t && i < t->n_cpus; i++)
        if (t->cpus[i]->id == id)
            return t->cpus[i];
    return NULL;
}

static uint32_t count(void *user, rlx_error *err)
{
    (void)err;
    const rlxv_devices *t = user;
    uint32_t n = 1;
    for (uint32_t i = 0; t && i < t->n_cpus; i++)
        n = t->cpus[i]->id + 1 > n ? t->cpus[i]->id + 1 : n;
    return n;
}

static rlx_status info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err)
{
    const rlxv_cpu_row *row = row_of(user, id);
    if (!row && id != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "no device of this number was registered");
    *out = (rlx_device_info){.units = 1,
                             .warp = 1,
                             .max_threads = 1,
                             .is_host_memory = true,
                             .has_float64 = true,
                             .has_float16 = true};
    if (row) {
        out->memory_bytes = row->bytes;
        snprintf(out->name, sizeof out->name, "%s of the host", row->scope);
    } else {
        out->memory_bytes = rlx_memory_now().available;
        snprintf(out->name, sizeof out->name, "the host");
    }
    return RLX_OK;
}

static rlx_status open_cpu(void *user, uint32_t id, void **out_device, rlx_error *err)
{
    cpu *c = rlx_alloc(NULL, sizeof *c, 16);
    if (!c)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while opening a device");
    *c = (cpu){.row = row_of(user, id)};
    *out_device = c;
    return RLX_OK;
}

static void close_cpu(void *device)
{
    cpu *c = device;
    rlx_free(NULL, c->list, c->capacity * sizeof *c->list, 16);
    rlx_free(NULL, c, sizeof *c, 16);
}

static void insert(cpu *c, uint32_t at, size_t begin, size_t bytes)
{
    memmove(c->list + at + 1, c->list + at, (c->n - at) * sizeof *c->list);
    c->list[at] = (taken){begin, bytes};
    c->n++;
    c->used += bytes;
}

/* Where |bytes| fit first in the row's range, and the place in the list; false: nowhere. */
static bool find_gap(const cpu *c, size_t bytes, size_t *begin, uint32_t *at)
{
    const uintptr_t base = (uintptr_t)c->row->memory;
    size_t from = 0;
    for (uint32_t i = 0; i <= c->n; i++) {
        const size_t end = i < c->n ? c->list[i].begin : c->row->bytes;
        const size_t skip = (ALIGN - (base + from) % ALIGN) % ALIGN;
        if (skip <= end - from && bytes <= end - from - skip) {
            *begin = from + skip;
            *at = i;
            return true;
        }
        if (i < c->n)
            from = c->list[i].begin + c->list[i].bytes;
    }
    return false;
}

static rlx_status refuse(const cpu *c, size_t bytes, rlx_error *err)
{
    return rlx_fail(err, RLX_E_LIMIT, "%zu bytes do not fit beside %zu in use; %s has %zu", bytes,
                    c->used, c->row->scope, c->row->bytes);
}

static rlx_status alloc_memory(void *device, size_t bytes, const char *scope, void **out_memory,
                               rlx_error *err)
{
    cpu *c = device;
    const rlx_allocator *a = c->row ? &c->row->allocator : NULL;
    size_t begin = 0;
    uint32_t at = 0;
    if (c->row && strcmp(scope, "global") != 0 && strcmp(scope, c->row->scope) != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no memory '%.60s' here, only '%s'", scope,
                        c->row->scope);
    if (!rlxv_grow(NULL, (void **)&c->list, &c->capacity, c->n, sizeof *c->list))
        return rlx_fail(err, RLX_E_NOMEM, "out of memory");
    if (c->row && bytes > c->row->bytes - c->used)
        return refuse(c, bytes, err);
    if (c->row && c->row->memory) {
        if (!find_gap(c, bytes, &begin, &at))
            return refuse(c, bytes, err);
        *out_memory = c->row->memory + begin;
    } else {
        *out_memory = rlx_alloc(a, bytes, ALIGN);
        if (!*out_memory)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes)", bytes);
        begin = (uintptr_t)*out_memory;
        while (at < c->n && c->list[at].begin < begin)
            at++;
    }
    insert(c, at, begin, bytes);
    return RLX_OK;
}

static void release_memory(void *device, void *memory)
{
    cpu *c = device;
    const bool is_range = c->row && c->row->memory;
    const size_t begin = (uintptr_t)memory - (is_range ? (uintptr_t)c->row->memory : 0);
    uint32_t i = 0;
    while (i < c->n && c->list[i].begin != begin)
        i++;
    if (i == c->n)
        return;
    const size_t bytes = c->list[i].bytes;
    c->n--;
    memmove(c->list + i, c->list + i + 1, (c->n - i) * sizeof *c->list);
    c->used -= bytes;
    if (!is_range)
        rlx_free(c->row ? &c->row->allocator : NULL, memory, bytes, ALIGN);
}

static uint8_t *bytes_at(rlx_device_at at)
{
    return (uint8_t *)at.memory + at.offset;
}

static rlx_status copy_in(void *device, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err)
{
    (void)device;
    (void)out_event;
    (void)err;
    memcpy(bytes_at(to), from, bytes);
    return RLX_OK;
}

static rlx_status copy_out(void *device, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err)
{
    (void)device;
    (void)out_event;
    (void)err;
    memcpy(to, bytes_at(from), bytes);
    return RLX_OK;
}

static rlx_status copy(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                       void **out_event, rlx_error *err)
{
    return copy_in(device, to, bytes_at(from), bytes, out_event, err);
}

static rlx_status sync_cpu(void *device, rlx_error *err)
{
    (void)device;
    (void)err;
    return RLX_OK;
}

const rlx_device_api rlxv_cpu_api = {.size = sizeof rlxv_cpu_api,
                                     .kind = "cpu",
                                     .type = RLX_DEVICE_CPU,
                                     .count = count,
                                     .info = info,
                                     .open = open_cpu,
                                     .close = close_cpu,
                                     .alloc = alloc_memory,
                                     .release = release_memory,
                                     .copy_in = copy_in,
                                     .copy_out = copy_out,
                                     .copy = copy,
                                     .sync = sync_cpu};
