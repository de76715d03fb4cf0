/* Kernels of devices. The code of a module is loaded on a device once, for all VMs of the
 * executable there; a VM binds a kernel to a device when it first calls it there: the functions of
 * its launches, and room for their arguments. A call evaluates sizes and numbers, takes scratch
 * memory, and asks for the launches; since the device works in order, the scratch memory is given
 * back at once. */
#include "vm/vm_impl.h"

#include <stdio.h>
#include <string.h>

/* A module that is loaded on a device; the device's lock guards the list and the counts. */
struct rlxv_device_code {
    rlxv_device_code *next;
    const rlx_executable *exe; /* only compared: the VMs that hold the code keep it alive */
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
    rlxv_device_block *checks;  /* CHECK_WORDS for each; NULL: it has none */
    rlxv_bound_kernel *asked;   /* the next in vm->asked; itself: the last */
    const rlxv_kernel *kernel;
    size_t bytes; /* of all of this */
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
    rlxv_lock_take(&d->lock);
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
    rlxv_lock_leave(&d->lock);
    return status;
}

static void give_back_code(rlx_device *d, rlxv_device_code *c)
{
    rlxv_lock_take(&d->lock);
    if (--c->refs == 0) {
        rlxv_device_code **at = &d->code;
        while (*at != c)
            at = &(*at)->next;
        *at = c->next;
        d->api.unload(d->handle, c->handle);
        rlx_free(&d->allocator, c, sizeof *c, 16);
    }
    rlxv_lock_leave(&d->lock);
}

/* --- binding ------------------------------------------------------------------------------------
 */

static void unbind(rlx_vm *vm, rlxv_bound_kernel *b)
{
    if (b->code)
        give_back_code(b->device, b->code);
    if (b->checks)
        rlxv_device_give_back(b->checks);
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
    b->kernel = k;
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
    rlxv_lock_take(&d->lock);
    for (uint32_t i = 0; i < k->n_launches && status == RLX_OK; i++) {
        const char *name = k->launches[i].function;
        status = d->api.find(d->handle, b->code->handle, name, &b->functions[i], err);
        if (status != RLX_OK)
            status = rlxv_device_failed(d, name, status, err);
    }
    rlxv_lock_leave(&d->lock);
    return status;
}

/* --- checks -------------------------------------------------------------------------------------
 */

/* Of a check: whether it failed, and two numbers. */
enum { CHECK_WORDS = 3 };

uint32_t rlxv_count_checks(rlx_str lines)
{
    uint32_t n = lines.len > 0;
    for (size_t i = 0; i < lines.len; i++)
        n += lines.data[i] == '\n';
    return n;
}

static rlx_status move_checks(rlxv_bound_kernel *b, int64_t *words, bool in, rlx_error *err)
{
    rlx_device *d = b->device;
    const rlx_device_at at = {b->checks->memory, 0};
    const size_t bytes = b->kernel->n_checks * CHECK_WORDS * sizeof *words;
    rlx_status status;
    if (in) {
        rlxv_lock_take(&d->lock);
        status = d->api.copy_in(d->handle, at, words, bytes, NULL, err);
        rlxv_lock_leave(&d->lock);
    } else {
        status = d->api.copy_out(d->handle, words, at, bytes, NULL, err);
    }
    return status == RLX_OK ? RLX_OK : rlxv_device_failed(d, NULL, status, err);
}

/* Calls |move| with words of zeros. */
static rlx_status
with_words(rlxv_bound_kernel *b,
           rlx_status (*move)(rlxv_bound_kernel *b, int64_t *words, rlx_error *err), rlx_error *err)
{
    const size_t bytes = b->kernel->n_checks * CHECK_WORDS * sizeof(int64_t);
    int64_t *words = rlx_alloc(&b->device->allocator, bytes, 16);
    if (!words)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for the checks of a kernel");
    memset(words, 0, bytes);
    const rlx_status status = move(b, words, err);
    rlx_free(&b->device->allocator, words, bytes, 16);
    return status;
}

static rlx_status clear_checks(rlxv_bound_kernel *b, int64_t *words, rlx_error *err)
{
    return move_checks(b, words, true, err);
}

static rlx_status take_checks(rlxv_bound_kernel *b, rlx_error *err)
{
    const size_t bytes = b->kernel->n_checks * CHECK_WORDS * sizeof(int64_t);
    RLX_TRY(rlxv_device_take(b->device, NULL, bytes, &b->checks, err));
    return with_words(b, clear_checks, err);
}

/* KERNEL with the line of check |i|, in which {a} and {b} are replaced. */
static rlx_status check_failed(const rlxv_kernel *k, uint32_t i, const int64_t *words,
                               rlx_error *err)
{
    const rlxv_launch *l = k->launches;
    char text[256];
    size_t n = 0;
    while (l + 1 < k->launches + k->n_launches &&
           i >= l->first_check + rlxv_count_checks(l->checks))
        l++;
    const char *at = l->checks.data, *end = at + l->checks.len;
    for (i -= l->first_check; i > 0 && at < end; at++)
        i -= *at == '\n';
    for (; at < end && *at != '\n' && n < sizeof text - 24; at++)
        if (end - at >= 3 && at[0] == '{' && (at[1] == 'a' || at[1] == 'b') && at[2] == '}') {
            n += (size_t)snprintf(text + n, sizeof text - n, "%lld",
                                  (long long)words[at[1] == 'a' ? 1 : 2]);
            at += 2;
        } else {
            text[n++] = *at;
        }
    return rlx_fail(err, RLX_E_KERNEL, "kernel %.*s: %.*s", (int)k->name.len, k->name.data, (int)n,
                    text);
}

/* Reports the first check that failed, and clears all. */
static rlx_status read_checks(rlxv_bound_kernel *b, int64_t *words, rlx_error *err)
{
    rlx_status status = move_checks(b, words, false, err);
    for (uint32_t i = 0; i < b->kernel->n_checks && status == RLX_OK; i++)
        if (words[i * CHECK_WORDS] != 0)
            status = check_failed(b->kernel, i, words + i * CHECK_WORDS, err);
    if (status == RLX_E_KERNEL && with_words(b, clear_checks, NULL) != RLX_OK)
        return status; /* the device is lost, as the next call says */
    return status;
}

rlx_status rlxv_end_checks(rlx_vm *vm, rlx_status status, rlx_value *result, rlx_error *err)
{
    rlx_status worst = RLX_OK;
    for (rlxv_bound_kernel *b = vm->asked, *next; b; b = next) {
        rlx_error other;
        next = b->asked == b ? NULL : b->asked;
        b->asked = NULL;
        const rlx_status now =
            with_words(b, read_checks, worst == RLX_OK && status == RLX_OK ? err : &other);
        if (now == RLX_E_KERNEL && worst == RLX_OK && status != RLX_OK && err)
            *err = other; /* what came after it may be a consequence */
        worst = worst == RLX_OK ? now : worst;
    }
    vm->asked = NULL;
    if (worst != RLX_OK && status == RLX_OK)
        rlxv_release_value(*result);
    return worst == RLX_E_KERNEL || status == RLX_OK ? worst : status;
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
    if (status == RLX_OK && k->n_checks)
        status = take_checks(b, err);
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

/* Taken from the buffer in the memory plan as long as it lasts; the rest gets blocks of its own. */
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
                           const rlxv_launch *l, const rlx_launch_row_arg *row,
                           rlx_launch_value *out, rlx_error *err)
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
    if (row->source == RLX_LAUNCH_CHECKS) {
        out->as.at =
            (rlx_device_at){b->checks->memory, l->first_check * CHECK_WORDS * sizeof(int64_t)};
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
        RLX_TRY(argument(vm, f, k, b, buffers, row, &row->args[a], &b->args[a], err));
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
    if (k->n_checks && !b->asked) {
        b->asked = vm->asked ? vm->asked : b;
        vm->asked = b;
    }
    rlx_status status = take_scratch(vm, f, k, b, room, err);
    for (uint32_t i = 0; i < k->n_launches && status == RLX_OK; i++)
        status = launch(vm, f, k, i, b, buffers, err);
    give_back_scratch(vm, k, b);
    return status;
}
