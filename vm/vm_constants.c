/* Constants of an executable on a device. Constants in the host's memory, such as a memory pool of
 * the CPU, are copied once for all VMs of the executable that have the device open, because such
 * memory is small; on other devices each VM has its own copies. */
#include "vm/interp.h"

#include <string.h>

/* The copies in one scope of one device. */
struct rlxv_copies {
    rlxv_copies *next; /* of the executable; the list and all in it are under its lock */
    rlx_device *device;
    char scope[RLXV_SCOPE];
    uint32_t n_users;      /* VMs; the last one frees the copies */
    rlx_tensor *tensors[]; /* by constant of the executable; NULL: none yet */
};

static size_t copies_bytes(const rlx_executable *exe)
{
    return sizeof(rlxv_copies) + exe->n_constants * sizeof(rlx_tensor *);
}

/* Those of |vd|, found or new; NULL if memory is out. */
static rlxv_copies *join(rlx_executable *exe, rlxv_vm_device *vd)
{
    rlxv_copies *c = vd->shared ? vd->shared : exe->copies;
    while (c && (c->device != vd->device || strcmp(c->scope, vd->scope) != 0))
        c = c->next;
    if (!c) {
        c = rlx_alloc(&exe->allocator, copies_bytes(exe), 16);
        if (!c)
            return NULL;
        memset(c, 0, copies_bytes(exe));
        c->device = vd->device;
        memcpy(c->scope, vd->scope, sizeof c->scope);
        c->next = exe->copies;
        exe->copies = c;
    }
    c->n_users += vd->shared == NULL;
    vd->shared = c;
    return c;
}

static void leave(rlx_executable *exe, rlxv_copies *c)
{
    rlxv_copies **at = &exe->copies;
    if (--c->n_users > 0)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    for (uint32_t i = 0; i < exe->n_constants; i++)
        if (c->tensors[i])
            rlxv_release(&c->tensors[i]->header);
    rlx_free(&exe->allocator, c, copies_bytes(exe), 16);
}

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory for the constants on a device");
}

/* Moves constant |c|, into memory of |pool| if it is not NULL. */
static rlx_status move(rlx_vm *vm, uint32_t c, const rlxv_vm_device *vd, rlxv_pool *pool,
                       rlx_tensor **out, rlx_error *err)
{
    rlx_tensor *constant = vm->exe->constants[c].value.as.tensor;
    RLX_TRY(rlxv_tensor_move(pool, pool ? NULL : &vm->exe->allocator, constant, vd->device,
                             vd->scope, vm->watch, out, err));
    if (*out != constant)
        (*out)->header.readonly = 1;
    return RLX_OK;
}

static rlx_status take_shared(rlx_vm *vm, uint32_t c, rlxv_vm_device *vd, rlx_error *err)
{
    rlx_executable *exe = vm->exe;
    rlxv_lock_take(&exe->copies_lock);
    rlxv_copies *all = join(exe, vd);
    rlx_status status = all ? RLX_OK : no_memory(err);
    if (all && !all->tensors[c])
        status = move(vm, c, vd, NULL, &all->tensors[c], err);
    if (status == RLX_OK) {
        vd->constants[c] = all->tensors[c];
        rlxv_retain(&vd->constants[c]->header);
    }
    rlxv_lock_leave(&exe->copies_lock);
    return status;
}

/* Constant |c| on device |v|, where the VM has not used it yet. */
static rlx_status take_constant(rlx_vm *vm, uint32_t c, uint32_t v, rlx_error *err)
{
    rlxv_vm_device *vd = &vm->devices[v];
    const size_t bytes = vm->exe->n_constants * sizeof *vd->constants;
    rlx_device *d;
    RLX_TRY(rlxv_vm_device_at(vm, v, &d, err));
    if (!vd->constants) {
        vd->constants = rlx_alloc(&vm->allocator, bytes, 16);
        if (!vd->constants)
            return no_memory(err);
        memset(vd->constants, 0, bytes);
    }
    if (d && d->info.is_host_memory)
        return take_shared(vm, c, vd, err);
    return move(vm, c, vd, vm->pool, &vd->constants[c], err);
}

rlx_status rlxv_load_const_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tensor **constants = vm->devices[w[3]].constants;
    if (!constants || !constants[w[2]]) {
        RLX_TRY(take_constant(vm, w[2], w[3], err));
        constants = vm->devices[w[3]].constants;
    }
    rlxv_retain(&constants[w[2]]->header);
    rlxv_set_reg(f, w[1], rlx_of_tensor(constants[w[2]]));
    return RLX_OK;
}

static bool lies_in(const rlx_storage *s, const void *data)
{
    const uintptr_t at = (uintptr_t)data, begin = s ? (uintptr_t)s->data : 0;
    return s && at >= begin && at - begin < s->size;
}

bool rlxv_vm_is_constant(const rlx_vm *vm, const void *data)
{
    const rlx_executable *exe = vm->exe;
    bool is = lies_in(exe->data, data) || lies_in(exe->weights, data);
    for (uint32_t v = 0; v < exe->n_devices; v++)
        for (uint32_t c = 0; vm->devices[v].constants && c < exe->n_constants && !is; c++)
            is = vm->devices[v].constants[c] && lies_in(vm->devices[v].constants[c]->storage, data);
    return is;
}

void rlxv_vm_constants_free(rlx_vm *vm, rlxv_vm_device *vd)
{
    rlx_executable *exe = vm->exe;
    for (uint32_t c = 0; vd->constants && c < exe->n_constants; c++)
        if (vd->constants[c])
            rlxv_release(&vd->constants[c]->header);
    rlx_free(&vm->allocator, vd->constants, exe->n_constants * sizeof *vd->constants, 16);
    if (!vd->shared)
        return;
    rlxv_lock_take(&exe->copies_lock);
    leave(exe, vd->shared);
    rlxv_lock_leave(&exe->copies_lock);
}
