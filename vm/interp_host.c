/* Instructions that leave the bytecode: kernels, builtins, packed functions.

   A kernel's buffers are checked against its signature at every call, in a loop that does nothing
   else; on failure a slower check finds the reason. Scratch memory of a callee is returned when it
   ends. */
#include "vm/interp.h"

#include <stdio.h>
#include <string.h>

/* --- kernels --------------------------------------------------------------------------------- */

static rlx_status bad_dim(const rlx_vm *vm, const rlxv_kernel *k, uint32_t param, uint32_t dim,
                          const int64_t *dims, int64_t got, rlx_error *err)
{
    const rlxv_type *t = &vm->exe->types[k->params[param].type];
    int64_t want;
    if (!rlxv_eval(vm->exe, t->raw_dims[dim].index, dims, &want))
        return rlx_fail(err, RLX_E_SHAPE,
                        "kernel %.*s, buffer %u, dimension %u: overflow or division by zero",
                        (int)k->name.len, k->name.data, param, dim);
    return rlx_fail(err, RLX_E_SHAPE,
                    "kernel %.*s, buffer %u, dimension %u: expected %lld, got %lld",
                    (int)k->name.len, k->name.data, param, dim, (long long)want, (long long)got);
}

/* The slow half of buffer_fits: reports what is wrong. */
static RLXV_RARE rlx_status bad_buffer(const rlx_vm *vm, const rlxv_kernel *k, uint32_t param,
                                       rlx_value v, const int64_t *dims, rlx_error *err)
{
    const rlxv_kernel_param *p = &k->params[param];
    char want[24], got[24];
    if (v.kind != RLX_KIND_TENSOR)
        return rlx_fail(err, RLX_E_INVALID_ARG, "kernel %.*s, buffer %u: a %s is not a tensor",
                        (int)k->name.len, k->name.data, param, rlx_kind_name((rlx_kind)v.kind));
    const rlx_tensor *t = v.as.tensor;
    if (!rlx_dtype_eq(t->dtype, p->dtype))
        return rlx_fail(err, RLX_E_SHAPE, "kernel %.*s, buffer %u: expected %s, got %s",
                        (int)k->name.len, k->name.data, param, rlx_dtype_name(p->dtype, want),
                        rlx_dtype_name(t->dtype, got));
    if (t->ndim != p->n_dims)
        return rlx_fail(err, RLX_E_SHAPE, "kernel %.*s, buffer %u: expected rank %u, got %u",
                        (int)k->name.len, k->name.data, param, p->n_dims, t->ndim);
    for (uint32_t i = 0; i < p->n_dims; i++) {
        int64_t value;
        if (!rlxv_eval(vm->exe, vm->exe->types[p->type].raw_dims[i].index, dims, &value) ||
            value != t->dims[i])
            return bad_dim(vm, k, param, i, dims, t->dims[i], err);
    }
    return rlx_fail(err, RLX_E_INVALID_ARG, "kernel %.*s, buffer %u: a constant cannot be written",
                    (int)k->name.len, k->name.data, param);
}

static RLXV_RARE bool fits_expression(const rlx_vm *vm, const rlxv_dim *d, const int64_t *dims,
                                      int64_t got)
{
    int64_t want;
    return rlxv_eval(vm->exe, d->index, dims, &want) && want == got;
}

static inline bool buffer_fits(const rlx_vm *vm, const rlxv_kernel_param *p, const rlx_value *v,
                               const int64_t *dims)
{
    if (v->kind != RLX_KIND_TENSOR)
        return false;
    const rlx_tensor *t = v->as.tensor;
    if (memcmp(&t->dtype, &p->dtype, sizeof t->dtype) != 0 || t->ndim != p->n_dims ||
        (p->is_output && t->header.readonly))
        return false;
    const int64_t *got = t->dims;
    for (const rlxv_dim *d = p->dims, *end = d + p->n_dims; d != end; d++, got++) {
        const bool fits = d->kind == RLXV_DIM_CONST  ? d->value == *got
                          : d->kind == RLXV_DIM_SLOT ? dims[d->index] == *got
                                                     : fits_expression(vm, d, dims, *got);
        if (!fits)
            return false;
    }
    return true;
}

static RLXV_RARE rlx_status kernel_failed(rlxv_worker *w, uint32_t n, const rlxv_kernel *k,
                                          int32_t rc, rlx_error *err)
{
    const char *message = NULL;
    rlx_status status = RLX_E_KERNEL;
    for (uint32_t i = 0; i < n; i++) {
        if (!message && w[i].message[0])
            message = w[i].message;
        if (w[i].refused != RLX_OK)
            status = w[i].refused;
    }
    if (message && status == RLX_E_INVALID_ARG) { /* of a value: RLX_KERNEL_CHECK_RANGE */
        rlx_fail(err, status, "%s", message);
        if (err && w[0].at.line)
            rlxv_set_place(&w[0].at, err);
    } else if (message) {
        rlx_fail(err, status, "kernel %.*s: %s", (int)k->name.len, k->name.data, message);
    } else {
        rlx_fail(err, status, "kernel %.*s failed with %d", (int)k->name.len, k->name.data, rc);
    }
    for (uint32_t i = 0; i < n; i++) {
        w[i].message[0] = 0;
        w[i].refused = RLX_OK;
    }
    return status;
}

/* Reports a tensor that the host cannot reach, passed to a host kernel. */
static RLXV_RARE rlx_status far_buffer(const rlxv_kernel *k, const rlxv_frame *f,
                                       const uint32_t *buffers, rlx_error *err)
{
    char what[160];
    uint32_t i = 0;
    while (!f->regs[buffers[i]].as.object->is_remote)
        i++;
    snprintf(what, sizeof what, "kernel %.*s, buffer %u, in register %u",
             (int)(k->name.len < 80 ? k->name.len : 80), k->name.data, i, buffers[i]);
    return rlxv_out_of_reach(f->regs[buffers[i]].as.tensor, what, err);
}

static RLXV_RARE rlx_status not_available(const rlx_vm *vm, const rlxv_kernel *k, rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOT_FOUND, "kernel %.*s is not available: %s", (int)k->name.len,
                    k->name.data,
                    vm->exe->native.present ? "the native code was not trusted"
                                            : "the host registered none with this name");
}

static inline rlx_status run_kernel(rlx_vm *vm, const rlxv_frame *f, const rlxv_kernel *k,
                                    rlx_kernel_fn fn, rlx_error *err)
{
    rlxv_worker *worker = &vm->workers[0];
    rlxv_scratch_mark mark = rlxv_scratch_now(worker);
    worker->refused = RLX_OK;
    worker->at.line = 0;
    int32_t rc = fn(f->pointers, f->dims, &worker->ctx);
    rlxv_scratch_reset(worker, mark);
    return rc ? kernel_failed(worker, vm->n_workers, k, rc, err) : RLX_OK;
}

/* The same, and the instrument hears of it. |buffers|: their registers, in the instruction |w|;
 * |fn|: NULL for a kernel of a device, which gets |room|. */
static RLXV_RARE rlx_status run_and_tell(rlx_vm *vm, rlxv_frame *f, const uint32_t *w,
                                         const uint32_t *buffers, rlx_kernel_fn fn,
                                         const rlxv_plan_room *room, rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[w[1]];
    rlx_call_info info = rlxv_call_info(vm, f, w, RLX_CALL_KERNEL, k->name,
                                        rlxv_gather_values(f, buffers - 1), k->n_params);
    info.dims = f->dims;
    info.n_dims = k->n_dims;
    rlx_value ignored = rlx_none();
    bool run = rlxv_tell_before(vm, &info, &ignored);
    rlxv_release_value(ignored);
    if (!run)
        return RLX_OK;
    rlx_status status =
        fn ? run_kernel(vm, f, k, fn, err) : rlxv_launch_kernel(vm, f, w[1], buffers, room, err);
    rlxv_tell_after(vm, &info, status, rlx_none());
    return status;
}

/* A kernel that is not a function of the host, or has buffers out of the host's reach. */
static __attribute__((noinline)) rlx_status
call_elsewhere(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, const uint32_t *buffers,
               bool is_remote, const rlxv_plan_room *room, rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[w[1]];
    if (k->module == RLX_NONE)
        return is_remote ? far_buffer(k, f, buffers, err) : not_available(vm, k, err);
    if (vm->before || vm->after)
        return run_and_tell(vm, f, w, buffers, NULL, room, err);
    return rlxv_launch_kernel(vm, f, w[1], buffers, room, err);
}

/* The instruction at |w|, whose lists begin at |lists|; |room|: of call_kernel_in, else NULL. */
static inline rlx_status call_kernel(rlx_vm *vm, rlxv_frame *f, const uint32_t *w,
                                     const uint32_t *lists, const rlxv_plan_room *room,
                                     rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[w[1]];
    const uint32_t *buffers = lists + 1 + lists[0] + 1;
    const int64_t *dims = rlxv_gather_dims(f, lists);
    rlx_kernel_fn fn = vm->kernels[w[1]];
    uint8_t is_remote = 0;
    for (uint32_t i = 0, n = k->n_params; i < n; i++) {
        const rlx_value *v = &f->regs[buffers[i]];
        if (!buffer_fits(vm, &k->params[i], v, dims))
            return bad_buffer(vm, k, i, *v, dims, err);
        f->pointers[i] = v->as.tensor->data;
        is_remote |= v->as.tensor->header.is_remote;
    }
    if (!fn || is_remote)
        return call_elsewhere(vm, f, w, buffers, is_remote, room, err);
    if (vm->before || vm->after)
        return run_and_tell(vm, f, w, buffers, fn, room, err);
    return run_kernel(vm, f, k, fn, err);
}

rlx_status rlxv_call_kernel(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    return call_kernel(vm, f, w, w + 2, NULL, err);
}

rlx_status rlxv_call_kernel_in(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlxv_worker *worker = &vm->workers[0];
    const rlxv_scratch_plan outer = worker->plan; /* state of a kernel that called this one */
    rlxv_plan_room room;
    RLX_TRY(rlxv_plan_bytes(f, w[2], &room, err));
    worker->plan = (rlxv_scratch_plan){0};
    if (!room.storage->header.is_remote)
        worker->plan =
            (rlxv_scratch_plan){(uint8_t *)room.storage->data + room.offset, room.size, 0};
    rlx_status status = call_kernel(vm, f, w, w + 3, &room, err);
    worker->plan = outer;
    return status;
}

/* --- builtins and packed functions ----------------------------------------------------------- */

static rlx_status call_host(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_call_kind kind,
                            rlx_str name, rlx_packed_fn fn, void *user, rlx_error *err)
{
    const rlx_value *args = rlxv_gather_values(f, w + 3);
    rlx_value result = rlx_none();
    rlx_status status = RLX_OK;
    rlx_call_info info;
    bool run = true;
    if (vm->before || vm->after) {
        info = rlxv_call_info(vm, f, w, kind, name, args, w[3]);
        run = rlxv_tell_before(vm, &info, &result);
    }
    if (run) {
        rlx_call_context cc = {vm, user};
        rlxv_worker *worker = &vm->workers[0];
        rlxv_scratch_mark mark = rlxv_scratch_now(worker);
        rlx_value_clear(&result);
        status = fn(&cc, args, w[3], &result, err);
        rlxv_scratch_reset(worker, mark);
        worker->message[0] = 0;
        if (status != RLX_OK) {
            rlx_value_clear(&result);
            if (err && err->code != status) /* the function set no error */
                rlx_fail(err, status, "%.*s: %s", (int)name.len, name.data,
                         rlx_status_name(status));
        }
        if (vm->after)
            rlxv_tell_after(vm, &info, status, result);
    }
    if (status == RLX_OK)
        rlxv_set_reg(f, w[1], result);
    return status;
}

rlx_status rlxv_call_builtin(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlx_builtin *b = vm->exe->builtins[w[2]];
    RLX_TRY(rlxv_check_builtin(b, rlxv_gather_values(f, w + 3), w[3], err));
    return call_host(vm, f, w, RLX_CALL_BUILTIN, vm->exe->imports[w[2]], b->fn, NULL, err);
}

rlx_status rlxv_call_packed(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_str name = rlx_string_get(vm->exe->constants[w[2]].value.as.string);
    const rlxv_name *row;
    RLX_TRY(rlxv_find_packed(vm, name, &row, err));
    if (row->builtin)
        RLX_TRY(rlxv_check_builtin(row->builtin, rlxv_gather_values(f, w + 3), w[3], err));
    return call_host(vm, f, w, RLX_CALL_PACKED, name, row->packed, row->user, err);
}
