/* Devices of an executable in a VM. A device is opened when an instruction first names it, so that
   a function that needs no device runs on machines without one. */
#include "vm/interp.h"
#include "vm/need.h"

#include <string.h>

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory for the devices of a VM");
}

static rlx_status copy_text(char *to, size_t size, rlx_str text, rlx_error *err)
{
    if (text.len >= size)
        return rlx_fail(err, RLX_E_LIMIT, "the name '%.40s' of a device is too long", text.data);
    if (text.len)
        memcpy(to, text.data, text.len);
    to[text.len] = 0;
    return RLX_OK;
}

static bool is_pool(const rlx_device_row *row)
{
    return row->target.len > 5 && memcmp(row->target.data, "pool ", 5) == 0;
}

/* The most bytes that calls take of a pool with a limit, from "pool sram 49152". */
static uint64_t pool_bytes(const rlx_device_row *row)
{
    uint64_t bytes = 0;
    rlx_str s = row->target;
    while (s.len > 0 && s.data[s.len - 1] != ' ')
        s.len--;
    for (size_t i = s.len; i < row->target.len; i++) {
        const char c = s.data[i];
        if (c < '0' || c > '9' || bytes > UINT32_MAX)
            return 0;
        bytes = bytes * 10 + (uint64_t)(c - '0');
    }
    return bytes;
}

rlx_status rlxv_vm_devices_create(rlx_vm *vm, rlx_error *err)
{
    const rlx_executable *exe = vm->exe;
    vm->devices = rlx_alloc(&vm->allocator, exe->n_devices * sizeof *vm->devices, 16);
    vm->bound = rlx_alloc(&vm->allocator, exe->n_kernels * sizeof *vm->bound, 16);
    if (vm->devices)
        memset(vm->devices, 0, exe->n_devices * sizeof *vm->devices);
    if (vm->bound)
        memset(vm->bound, 0, exe->n_kernels * sizeof *vm->bound);
    if (!vm->devices || !vm->bound)
        return no_memory(err);
    vm->devices[0].is_opened = true;
    for (uint32_t v = 1; v < exe->n_devices; v++) {
        const rlx_device_row *row = &exe->devices[v];
        rlxv_vm_device *d = &vm->devices[v];
        RLX_TRY(copy_text(d->kind, sizeof d->kind, row->kind, err));
        RLX_TRY(copy_text(d->scope, sizeof d->scope, row->scope, err));
        d->is_opened = row->id == 0 && strcmp(d->kind, rlxv_cpu_api.kind) == 0 &&
                       strcmp(d->scope, "global") == 0;
        if (is_pool(row))
            d->area.least = pool_bytes(row);
    }
    return RLX_OK;
}

void rlxv_vm_devices_destroy(rlx_vm *vm)
{
    const rlx_executable *exe = vm->exe;
    if (vm->bound)
        rlxv_unbind_kernels(vm);
    rlx_free(&vm->allocator, vm->bound, exe->n_kernels * sizeof *vm->bound, 16);
    for (uint32_t v = 0; vm->devices && v < exe->n_devices; v++) {
        rlxv_vm_device *d = &vm->devices[v];
        rlxv_vm_constants_free(vm, d);
        rlx_device_release(d->device);
    }
    rlx_free(&vm->allocator, vm->devices, exe->n_devices * sizeof *vm->devices, 16);
    vm->devices = NULL;
}

void rlxv_vm_devices_trim(rlx_vm *vm)
{
    for (uint32_t v = 1; v < vm->exe->n_devices; v++)
        if (vm->devices[v].device)
            rlxv_device_trim(vm->devices[v].device);
}

/* The scope of a memory pool of the host: if the host program has registered no memory of that
 * name, the host's ordinary memory is used. */
static bool is_pools_scope(const rlx_executable *exe, rlx_str scope)
{
    for (uint32_t v = 1; v < exe->n_devices; v++)
        if (is_pool(&exe->devices[v]) && rlx_str_eq(exe->devices[v].scope, scope))
            return true;
    return false;
}

rlx_status rlxv_vm_device_at(rlx_vm *vm, uint32_t v, rlx_device **out, rlx_error *err)
{
    rlxv_vm_device *d = &vm->devices[v];
    if (!d->is_opened) {
        uint32_t id = vm->exe->devices[v].id;
        if (!vm->exe->trusts_code && rlxv_device_has_driver(vm->registry, d->kind))
            return rlx_fail(err, RLX_E_NOT_FOUND,
                            "%s:%u is not opened: the file was not trusted to use drivers", d->kind,
                            id);
        const bool is_host = id == 0 && strcmp(d->kind, rlxv_cpu_api.kind) == 0;
        if (is_host)
            id = rlxv_cpu_with_scope(vm->registry, d->scope);
        if (is_host && id == 0 && !is_pools_scope(vm->exe, vm->exe->devices[v].scope))
            return rlx_fail(err, RLX_E_NOT_FOUND,
                            "cpu:0: there is no memory '%.60s' here, only 'global'", d->scope);
        if (!is_host || id != 0)
            RLX_TRY(rlx_device_open(vm->registry, d->kind, id, &d->device, err));
        d->is_opened = true;
    }
    *out = d->device;
    return RLX_OK;
}

static rlx_status gather(rlx_vm *vm, bool on, rlx_error *err)
{
    rlx_status status = RLX_OK;
    for (uint32_t v = 1; v < vm->exe->n_devices; v++) {
        rlxv_vm_device *vd = &vm->devices[v];
        rlx_device *d = vd->device;
        if (on == vd->gathers || !d || !d->api.gather)
            continue;
        vd->gathers = on;
        rlxv_lock_take(&d->lock);
        const rlx_status now = d->api.gather(d->handle, on, status == RLX_OK ? err : NULL);
        rlxv_lock_leave(&d->lock);
        if (now != RLX_OK && status == RLX_OK)
            status = rlxv_device_failed(d, NULL, now, err);
    }
    return status;
}

void rlxv_begin_launches(rlx_vm *vm)
{
    if (vm->options.device_graphs)
        (void)gather(vm, true, NULL); /* without it, launches go one by one */
}

rlx_status rlxv_end_launches(rlx_vm *vm, rlx_status status, rlx_value *result, rlx_error *err)
{
    if (!vm->options.device_graphs)
        return status;
    const rlx_status now = gather(vm, false, status == RLX_OK ? err : NULL);
    if (status != RLX_OK || now == RLX_OK)
        return status;
    rlxv_release_value(*result);
    return now;
}

rlx_status rlx_vm_sync(rlx_vm *vm, rlx_error *err)
{
    RLXV_NEED(err, vm);
    for (uint32_t v = 1; v < vm->exe->n_devices; v++)
        if (vm->devices[v].device)
            RLX_TRY(rlx_device_sync(vm->devices[v].device, err));
    return RLX_OK;
}

/* --- instructions -------------------------------------------------------------------------------
 */

rlx_status rlxv_to_vdevice(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlx_value v = f->regs[w[2]];
    rlx_device *d;
    rlx_tensor *t;
    if (v.kind != RLX_KIND_TENSOR)
        return rlx_fail(err, RLX_E_INVALID_ARG, "register %u holds a %s, expected a tensor", w[2],
                        rlx_kind_name((rlx_kind)v.kind));
    RLX_TRY(rlxv_vm_device_at(vm, w[3], &d, err));
    RLX_TRY(rlxv_tensor_move(vm->pool, NULL, v.as.tensor, d, vm->devices[w[3]].scope, vm->watch, &t,
                             err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

rlx_status rlxv_alloc_storage_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const int64_t size = f->slots[w[2]];
    rlx_device *d;
    rlx_storage *s;
    if (size < 0)
        return rlx_fail(err, RLX_E_LIMIT, "storage size %lld is out of range", (long long)size);
    RLX_TRY(rlxv_vm_device_at(vm, w[4], &d, err));
    if (d)
        RLX_TRY(rlxv_storage_on(vm->pool, NULL, d, vm->devices[w[4]].scope, (size_t)size, &s, err));
    else
        RLX_TRY(rlxv_storage_new(vm->pool, NULL, (size_t)size, w[3], &s, err));
    rlxv_set_reg(f, w[1], (rlx_value){RLX_KIND_STORAGE, 0, {.storage = s}});
    return RLX_OK;
}

rlx_status rlxv_new_tensor_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_device *d;
    rlx_tensor *t;
    RLX_TRY(rlxv_vm_device_at(vm, w[3], &d, err));
    RLX_TRY(rlxv_tensor_on(vm->pool, NULL, d, vm->devices[w[3]].scope, rlxv_dtype_of_word(w[2]),
                           w[4], rlxv_gather_dims(f, w + 4), &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}
