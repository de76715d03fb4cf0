/* Kernels of devices. The code of a module is loaded on a device once, for all VMs of the
 * executable there; a VM binds a kernel to a device when it first calls it there: the functions of
 * its launches, and room for their arguments. A call evaluates sizes and numbers, takes scratch
 * memory, and asks for the launches; since the device works in order, the scratch memory is given
 * back at once. */
#include "vm/vm_impl.h"

#include <string.h>

/* A module that is loaded on a device; the device's lock guards the list and the counts. */
struct rlxv_device_code {
    rlxv_device_code *next;
    const rlx_executable *exe; /* compared only: the VMs that hold the code hold it */
    uint32_t module, refs;
    void *handle;
};

struct rlxv_bound_kernel {
    rlxv_bound_kernel *next; /* of the same kernel, on another device */
    rlx_device *device;      /* retained */
    rlxv_device_code *code;
    void **functions;           /* by launch */
    rlxv_device_block **blocks; /* by scratch buffer; NULL: in the memory plan, or none */
    rlx_device_at *scratch;     /* by scratch buffer */
    rlx_launch_value *args;     /* of the launch with most */
    uint64_t taken;             /* bytes of |blocks| */
    size_t bytes;               /* of all of this */
};

/* --- code ---------------------------------------------------------------------------------------
 */

/* Tries the images in turn. */
static rlx_status load_images(rlx_device *d, const rlxv_device_module *m, void **out,
                              rlx_error *err)
{
    rlx_status status = rlx_fail(err, RLX_E_VERSION, "the file has no code for it");
    for (uint32_t i = 0; i < m->n_images && status == RLX_E_VERSION; i++)
        status = d->api.load(d->handle, m->images[i].format, m->images[i].data, m->images[i].size,
                             out, err);
    return status == RLX_OK ? RLX_OK : rlxv_device_failed(d, NULL, status, err);
}

static rlx_status take_code(rlx_device *d, const rlx_executable *exe, uint32_t module,
                            rlxv_device_code **out, rlx_error *err)
{
    rlx_status status = RLX_OK;
    if (!d->api.load)
        return rlx_fail(err, RLX_E_DEVICE, "%s runs no kernels of its own", d->name);
    pthread_mutex_lock(&d->lock);
    rlxv_device_code *c = d->code;
    while (c && (c->exe != exe || c->module != module))
        c = c->next;
    if (!c) {
        c = rlx_alloc(&d->allocator, sizeof *c, 16);
        if (!c) {
            status = rlx_fail(err, RLX_E_NOMEM, "out of memory for the code of %s", d->name);
        } else {
            *c = (rlxv_device_code){d->code, exe, module, 0, NULL};
            status = load_images(d, &exe->modules[module], &c->handle, err);
            if (status == RLX_OK)
                d->code = c;
            else
                rlx_free(&d->allocator, c, sizeof *c, 16);
        }
    }
    if (status == RLX_OK) {
        c->refs++;
        *out = c;
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

static void give_back_code(rlx_device *d, rlxv_device_code *c)
{
    pthread_mutex_lock(&d->lock);
    if (--c->refs == 0) {
        rlxv_device_code **at = &d->code;
        while (*at != c)
            at = &(*at)->next;
        *at = c->next;
        d->api.unload(d->handle, c->handle);
        rlx_free(&d->allocator, c, sizeof *c, 16);
    }
    pthread_mutex_unlock(&d->lock);
}

/* --- binding ------------------------------------------------------------------------------------
 */

static void unbind(rlx_vm *vm, rlxv_bound_kernel *b)
{
    if (b->code)
        give_back_code(b->device, b->code);
    rlx_device_release(b->device);
    rlx_free(&vm->allocator, b, b->bytes, 16);
}

void rlxv_unbind_kernels(rlx_vm *vm)
{
    for (uint32_t i = 0; i < vm->exe->n_kernels; i++)
        while (vm->bound[i]) {
            rlxv_bound_kernel *b = vm->bound[i];
            vm->bound[i] = b->next;
            unbind(vm, b);
        }
}

/* Room for |k|; its numbers are bounded by the size of the file. */
static rlxv_bound_kernel *new_bound(rlx_vm *vm, const rlxv_kernel *k, rlx_device *d)
{
    size_t n_args = 0, bytes = sizeof(rlxv_bound_kernel);
    for (uint32_t i = 0; i < k->n_launches; i++)
        n_args = k->launches[i].n_args > n_args ? k->launches[i].n_args : n_args;
    const size_t functions = k->n_launches * sizeof(void *);
    const size_t blocks = k->n_scratch * sizeof(rlxv_device_block *);
    const size_t scratch = k->n_scratch * sizeof(rlx_device_at);
    bytes += functions + blocks + scratch + n_args * sizeof(rlx_launch_value);
    rlxv_bound_kernel *b = rlx_alloc(&vm->allocator, bytes, 16);
    if (!b)
        return NULL;
    memset(b, 0, bytes);
    b->bytes = bytes;
    b->device = rlx_device_retain(d);
    b->functions = (void **)(b + 1);
    b->blocks = (rlxv_device_block **)((uint8_t *)b->functions + functions);
    b->scratch = (rlx_device_at *)((uint8_t *)b->blocks + blocks);
    b->args = (rlx_launch_value *)((uint8_t *)b->scratch + scratch);
    return b;
}

static rlx_status find_functions(rlxv_bound_kernel *b, const rlxv_kernel *k, rlx_error *err)
{
    rlx_device *d = b->device;
    rlx_status status = RLX_OK;
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < k->n_launches && status == RLX_OK; i++) {
        const char *name = k->launches[i].function;
        status = d->api.find(d->handle, b->code->handle, name, &b->functions[i], err);
        if (status != RLX_OK)
            status = rlxv_device_failed(d, name, status, err);
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

static rlx_status bind_to(rlx_vm *vm, uint32_t index, rlx_device *d, rlxv_bound_kernel **out,
                          rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[index];
    const rlx_str kind = vm->exe->modules[k->module].kind;
    if (!rlx_str_eq(kind, rlx_str_from(d->api.kind)))
        return rlx_fail(err, RLX_E_DEVICE, "kernel %.*s is for devices %.*s, its tensors lie on %s",
                        (int)k->name.len, k->name.data, (int)kind.len, kind.data, d->name);
    if (!vm->exe->trusts_code)
        return rlx_fail(err, RLX_E_NOT_FOUND,
                        "kernel %.*s is not available: the code for devices was not trusted",
                        (int)k->name.len, k->name.data);
    rlxv_bound_kernel *b = new_bound(vm, k, d);
    if (!b)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for a kernel of %s", d->name);
    rlx_status status = take_code(d, vm->exe, k->module, &b->code, err);
    if (status == RLX_OK)
        status = find_functions(b, k, err);
    if (status != RLX_OK) {
        unbind(vm, b);
        return status;
    }
    b->next = vm->bound[index];
    vm->bound[index] = b;
    *out = b;
    return RLX_OK;
}

/* --- calls --------------------------------------------------------------------------------------
 */

/* The device that all buffers lie on. */
static rlx_status common_device(const rlxv_frame *f, const rlxv_kernel *k, const uint32_t *buffers,
                                rlx_device **out, rlx_error *err)
{
    rlx_device *d = NULL;
    for (uint32_t i = 0; i < k->n_params; i++) {
        const rlx_tensor *t = f->regs[buffers[i]].as.tensor;
        rlx_device *own = t->storage->device;
        if (i == 0)
            d = own;
        if (!own || own != d)
            return rlx_fail(err, RLX_E_DEVICE, "kernel %.*s, buffer %u: the tensor lies on %s%s%s",
                            (int)k->name.len, k->name.data, i, rlxv_tensor_place_name(t),
                            i ? ", earlier ones on " : ", the kernel is a device's",
                            i && d ? d->name : "");
    }
    if (!d)
        return rlx_fail(err, RLX_E_DEVICE, "kernel %.*s of a device has no buffers",
                        (int)k->name.len, k->name.data);
    *out = d;
    return RLX_OK;
}

static rlx_status number_of(const rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k, uint32_t e,
                            int64_t *out, rlx_error *err)
{
    if (rlxv_eval(vm->exe, e, f->dims, out))
        return RLX_OK;
    return rlx_fail(err, RLX_E_SHAPE, "kernel %.*s: a size overflows or is divided by zero",
                    (int)k->name.len, k->name.data);
}

/* From the buffer in the memory plan as long as it lasts; what does not fit has a block of its own.
 */
static rlx_status take_scratch(rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k,
                               rlxv_bound_kernel *b, const rlxv_plan_room *room, rlx_error *err)
{
    const bool planned = room && room->storage->device == b->device;
    size_t at = planned ? room->offset : 0, left = planned ? room->size : 0;
    for (uint32_t i = 0; i < k->n_scratch; i++) {
        int64_t n;
        RLX_TRY(number_of(vm, f, k, k->scratch[i], &n, err));
        if (n < 0)
            return rlx_fail(err, RLX_E_LIMIT, "kernel %.*s: scratch memory of %lld bytes",
                            (int)k->name.len, k->name.data, (long long)n);
        const size_t bytes = (size_t)n;
        if (planned && bytes <= left) {
            const size_t skip = (RLX_PLAN_ALIGN - bytes % RLX_PLAN_ALIGN) % RLX_PLAN_ALIGN;
            const size_t step = skip <= left - bytes ? bytes + skip : left;
            b->scratch[i] = (rlx_device_at){room->storage->data, at};
            at += step;
            left -= step;
            continue;
        }
        RLX_TRY(rlxv_pool_take_device(vm->pool, bytes, err));
        b->taken += bytes;
        RLX_TRY(rlxv_device_take(b->device, NULL, bytes, &b->blocks[i], err));
        b->scratch[i] = (rlx_device_at){b->blocks[i]->memory, 0};
    }
    return RLX_OK;
}

static void give_back_scratch(rlx_vm *vm, const rlxv_kernel *k, rlxv_bound_kernel *b)
{
    vm->pool->device_bytes -= b->taken;
    b->taken = 0;
    for (uint32_t i = 0; i < k->n_scratch; i++) {
        if (b->blocks[i])
            rlxv_device_give_back(b->blocks[i]);
        b->blocks[i] = NULL;
    }
}

static rlx_status argument(const rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k,
                           const rlxv_bound_kernel *b, const uint32_t *buffers,
                           const rlx_launch_row_arg *row, rlx_launch_value *out, rlx_error *err)
{
    out->kind = row->type;
    if (row->source == RLX_LAUNCH_PARAM) {
        out->as.at = rlxv_tensor_at(f->regs[buffers[row->value]].as.tensor);
        return RLX_OK;
    }
    if (row->source == RLX_LAUNCH_SCRATCH) {
        out->as.at = b->scratch[row->value];
        return RLX_OK;
    }
    int64_t value;
    RLX_TRY(number_of(vm, f, k, row->value, &value, err));
    if (row->type == RLX_LAUNCH_F32 || row->type == RLX_LAUNCH_F64)
        memcpy(&out->as.f, &value, sizeof out->as.f);
    else if (row->type == RLX_LAUNCH_I32 && value != (int32_t)value)
        return rlx_fail(err, RLX_E_LIMIT, "kernel %.*s: %lld does not fit its 32 bits",
                        (int)k->name.len, k->name.data, (long long)value);
    else
        out->as.i = value;
    return RLX_OK;
}

/* Numbers of blocks or threads; |*out_any| is false if one of them is 0 or less. */
static rlx_status extents(const rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k,
                          const uint32_t *exprs, uint32_t out[3], bool *out_any, rlx_error *err)
{
    *out_any = true;
    for (int i = 0; i < 3; i++) {
        int64_t n;
        RLX_TRY(number_of(vm, f, k, exprs[i], &n, err));
        if (n > INT32_MAX)
            return rlx_fail(err, RLX_E_LIMIT, "kernel %.*s: %lld blocks or threads",
                            (int)k->name.len, k->name.data, (long long)n);
        *out_any &= n > 0;
        out[i] = n > 0 ? (uint32_t)n : 0;
    }
    return RLX_OK;
}

static rlx_status check_block(const rlxv_kernel *k, const rlx_device *d, const rlx_launch *l,
                              bool any, rlx_error *err)
{
    const uint64_t limit = d->info.max_threads ? d->info.max_threads : UINT32_MAX;
    uint64_t threads = 1;
    for (int i = 0; i < 3 && threads <= limit; i++)
        threads *= l->block[i];
    if (any && threads <= limit &&
        (!d->info.shared_bytes || l->shared_bytes <= d->info.shared_bytes))
        return RLX_OK;
    return rlx_fail(err, RLX_E_LIMIT,
                    "kernel %.*s: blocks of %u * %u * %u threads with %u bytes of shared memory; "
                    "%s allows %llu and %llu",
                    (int)k->name.len, k->name.data, l->block[0], l->block[1], l->block[2],
                    l->shared_bytes, d->name, (unsigned long long)limit,
                    (unsigned long long)d->info.shared_bytes);
}

static rlx_status launch(const rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k, uint32_t i,
                         rlxv_bound_kernel *b, const uint32_t *buffers, rlx_error *err)
{
    const rlxv_launch *row = &k->launches[i];
    rlx_launch l = {
        .name = row->function, .function = b->functions[i], .args = b->args, .n_args = row->n_args};
    bool any;
    int64_t shared;
    RLX_TRY(extents(vm, f, k, row->grid, l.grid, &any, err));
    if (!any)
        return RLX_OK;
    RLX_TRY(extents(vm, f, k, row->block, l.block, &any, err));
    RLX_TRY(number_of(vm, f, k, row->shared, &shared, err));
    l.shared_bytes = shared < 0 || shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
    RLX_TRY(check_block(k, b->device, &l, any, err));
    for (uint32_t a = 0; a < row->n_args; a++)
        RLX_TRY(argument(vm, f, k, b, buffers, &row->args[a], &b->args[a], err));
    return rlxv_device_launch(b->device, &l, vm->watch, err);
}

rlx_status rlxv_launch_kernel(rlx_vm *vm, rlxv_frame *f, uint32_t index, const uint32_t *buffers,
                              const rlxv_plan_room *room, rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[index];
    rlx_device *d = NULL;
    RLX_TRY(common_device(f, k, buffers, &d, err));
    rlxv_bound_kernel *b = vm->bound[index];
    while (b && b->device != d)
        b = b->next;
    if (!b)
        RLX_TRY(bind_to(vm, index, d, &b, err));
    rlx_status status = take_scratch(vm, f, k, b, room, err);
    for (uint32_t i = 0; i < k->n_launches && status == RLX_OK; i++)
        status = launch(vm, f, k, i, b, buffers, err);
    give_back_scratch(vm, k, b);
    return status;
}
