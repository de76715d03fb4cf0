/* The interpreter: a plain switch over decoded words, relying on what verify.c lists.

   What depends on values is checked here: kinds the verifier could not see, sizes, kernel
   signatures, limits. An instruction that fails leaves through one exit, which adds the place in
   the source, drops the frames of this entry and leaves the VM usable. Calls between bytecode
   functions push frames on the VM's own stack; C recursion happens only through host functions,
   and its depth is bounded. */
#include "vm/vm_impl.h"

#include <rlx/checked.h>
#include <string.h>

static inline void set_reg(rlxv_frame *f, uint32_t r, rlx_value v)
{
    rlx_value old = f->regs[r];
    f->regs[r] = v;
    rlxv_release_value(old);
}

static inline rlx_dtype dtype_of_word(uint32_t w)
{
    return (rlx_dtype){(uint8_t)w, (uint8_t)(w >> 8), (uint16_t)(w >> 16)};
}

static rlx_status wrong_kind(uint32_t r, rlx_value v, const char *wanted, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "register %u holds a %s where a %s is needed", r,
                    rlx_kind_name((rlx_kind)v.kind), wanted);
}

static inline bool is_cancelled(const rlx_vm *vm)
{
    return vm->options.cancel && atomic_load_explicit(vm->options.cancel, memory_order_relaxed);
}

static rlx_status cancelled(rlx_error *err)
{
    return rlx_fail(err, RLX_E_CANCELLED, "the call was cancelled");
}

/* Copies a list of slots into the frame's gather area. */
static inline const int64_t *gather_dims(rlxv_frame *f, const uint32_t *list)
{
    for (uint32_t i = 0; i < list[0]; i++)
        f->dims[i] = f->slots[list[1 + i]];
    return f->dims;
}

static inline const rlx_value *gather_values(rlxv_frame *f, const uint32_t *list)
{
    for (uint32_t i = 0; i < list[0]; i++)
        f->values[i] = f->regs[list[1 + i]];
    return f->values;
}

/* --- instrument ------------------------------------------------------------------------------ */

static rlx_call_info call_info(const rlx_vm *vm, const rlxv_frame *f, const uint32_t *w,
                               rlx_call_kind kind, rlx_str name, const rlx_value *args, uint32_t n)
{
    return (rlx_call_info){.kind = kind,
                           .name = name,
                           .function = (uint32_t)(f->fn - vm->exe->functions),
                           .pc = (uint32_t)(w - f->fn->code),
                           .args = args,
                           .n_args = n};
}

static inline bool tell_before(rlx_vm *vm, const rlx_call_info *info, rlx_value *replacement)
{
    return !vm->before || vm->before(vm->instrument_user, info, replacement);
}

static inline void tell_after(rlx_vm *vm, const rlx_call_info *info, rlx_status status,
                              rlx_value result)
{
    if (vm->after)
        vm->after(vm->instrument_user, info, status, result);
}

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

/* The rare half of check_buffer: says what is wrong. */
static rlx_status bad_buffer(const rlx_vm *vm, const rlxv_kernel *k, uint32_t param, rlx_value v,
                             const int64_t *dims, rlx_error *err)
{
    const rlxv_kernel_param *p = &k->params[param];
    char want[24], got[24];
    if (v.kind != RLX_KIND_TENSOR)
        return rlx_fail(err, RLX_E_INVALID_ARG, "kernel %.*s, buffer %u: a %s is no tensor",
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

static inline bool buffer_fits(const rlx_vm *vm, const rlxv_kernel_param *p, rlx_value v,
                               const int64_t *dims)
{
    if (v.kind != RLX_KIND_TENSOR)
        return false;
    const rlx_tensor *t = v.as.tensor;
    if (!rlx_dtype_eq(t->dtype, p->dtype) || t->ndim != p->n_dims ||
        (p->is_output && t->header.readonly))
        return false;
    for (uint32_t i = 0; i < p->n_dims; i++) {
        const rlxv_dim *d = &p->dims[i];
        int64_t want;
        if (d->kind == RLXV_DIM_SLOT)
            want = dims[d->index];
        else if (d->kind == RLXV_DIM_CONST)
            want = d->value;
        else if (!rlxv_eval(vm->exe, d->index, dims, &want))
            return false;
        if (want != t->dims[i])
            return false;
    }
    return true;
}

static rlx_status kernel_failed(rlxv_worker *w, uint32_t n, const rlxv_kernel *k, int32_t rc,
                                rlx_error *err)
{
    const char *message = NULL;
    rlx_status status = RLX_E_KERNEL;
    for (uint32_t i = 0; i < n; i++) {
        if (!message && w[i].message[0])
            message = w[i].message;
        if (w[i].refused != RLX_OK)
            status = w[i].refused;
    }
    if (message)
        rlx_fail(err, status, "kernel %.*s: %s", (int)k->name.len, k->name.data, message);
    else
        rlx_fail(err, status, "kernel %.*s failed with %d", (int)k->name.len, k->name.data, rc);
    for (uint32_t i = 0; i < n; i++) {
        w[i].message[0] = 0;
        w[i].refused = RLX_OK;
    }
    return status;
}

static rlx_status call_kernel(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlxv_kernel *k = &vm->exe->kernels[w[1]];
    const uint32_t *buffers = w + 3 + w[2] + 1;
    const int64_t *dims = gather_dims(f, w + 2);
    rlx_kernel_fn fn = vm->kernels[w[1]];
    for (uint32_t i = 0; i < k->n_params; i++) {
        rlx_value v = f->regs[buffers[i]];
        if (!buffer_fits(vm, &k->params[i], v, dims))
            return bad_buffer(vm, k, i, v, dims, err);
        f->pointers[i] = v.as.tensor->data;
    }
    if (!fn)
        return rlx_fail(err, RLX_E_NOT_FOUND, "kernel %.*s is not there: %s", (int)k->name.len,
                        k->name.data,
                        vm->exe->native.present ? "the native code was not trusted"
                                                : "the host registered none of its name");
    rlx_call_info info;
    if (vm->before || vm->after) {
        info = call_info(vm, f, w, RLX_CALL_KERNEL, k->name, gather_values(f, buffers - 1),
                         k->n_params);
        info.dims = dims;
        info.n_dims = k->n_dims;
        rlx_value ignored = rlx_none();
        bool run = tell_before(vm, &info, &ignored);
        rlxv_release_value(ignored);
        if (!run)
            return RLX_OK;
    }
    rlxv_worker *worker = &vm->workers[0];
    rlxv_scratch_mark mark = rlxv_scratch_now(worker);
    worker->refused = RLX_OK;
    int32_t rc = fn(f->pointers, dims, &worker->ctx);
    rlxv_scratch_reset(worker, mark);
    rlx_status status = rc ? kernel_failed(worker, vm->n_workers, k, rc, err) : RLX_OK;
    if (vm->after)
        tell_after(vm, &info, status, rlx_none());
    return status;
}

/* --- builtins and packed functions ----------------------------------------------------------- */

static rlx_status call_host(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_call_kind kind,
                            rlx_str name, rlx_packed_fn fn, void *user, rlx_error *err)
{
    const rlx_value *args = gather_values(f, w + 3);
    rlx_value result = rlx_none();
    rlx_status status = RLX_OK;
    rlx_call_info info;
    bool run = true;
    if (vm->before || vm->after) {
        info = call_info(vm, f, w, kind, name, args, w[3]);
        run = tell_before(vm, &info, &result);
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
            if (err && err->code != status) /* the function filled nothing in */
                rlx_fail(err, status, "%.*s: %s", (int)name.len, name.data,
                         rlx_status_name(status));
        }
        if (vm->after)
            tell_after(vm, &info, status, result);
    }
    if (status == RLX_OK)
        set_reg(f, w[1], result);
    return status;
}

static rlx_status call_builtin(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlx_builtin *b = vm->exe->builtins[w[2]];
    return call_host(vm, f, w, RLX_CALL_BUILTIN, vm->exe->imports[w[2]], b->fn, NULL, err);
}

static rlx_status call_packed(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_str name = rlx_string_get(vm->exe->constants[w[2]].value.as.string);
    const rlxv_name *row = rlxv_find_packed(vm, name);
    if (!row)
        return rlx_fail(err, RLX_E_NOT_FOUND, "no packed function or builtin is named '%.*s'",
                        (int)name.len, name.data);
    RLX_TRY(rlxv_check_arity(row, w[3], err));
    return call_host(vm, f, w, RLX_CALL_PACKED, name, row->packed, row->user, err);
}

/* --- calls of bytecode ----------------------------------------------------------------------- */

/* Pushes the frame of a callee: |n| arguments from registers |args|, then the closure's values.
 *out_callee is NULL if the instrument skipped the call. */
static rlx_status push_callee(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, uint32_t function,
                              const rlx_closure *closure, rlxv_frame **out_callee, rlx_error *err)
{
    const rlxv_function *fn = &vm->exe->functions[function];
    uint32_t n = w[3], bound = closure ? closure->n : 0;
    rlxv_frame *callee;
    *out_callee = NULL;
    if (n > fn->n_params || n + bound != fn->n_params)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s takes %u arguments, got %u and %u bound ones",
                        (int)fn->name.len, fn->name.data, fn->n_params, n, bound);
    RLX_TRY(rlxv_frame_push(vm, fn, &callee, err));
    for (uint32_t i = 0; i < n; i++)
        callee->regs[i] = rlxv_retain_value(f->regs[w[4 + i]]);
    for (uint32_t i = 0; i < bound; i++)
        callee->regs[n + i] = rlxv_retain_value(closure->captured[i]);
    rlx_status status =
        rlxv_match_args(vm->exe, fn, callee->regs, fn->n_params, callee->slots, err);
    if (status != RLX_OK) {
        rlxv_frame_pop(vm, callee);
        return status;
    }
    callee->kind = closure ? RLX_CALL_CLOSURE : RLX_CALL_FUNCTION;
    if (vm->before) {
        rlx_value replacement = rlx_none();
        rlx_call_info info =
            call_info(vm, f, w, callee->kind, fn->name, callee->regs, fn->n_params);
        if (!tell_before(vm, &info, &replacement)) {
            rlxv_frame_pop(vm, callee);
            set_reg(f, w[1], replacement);
            return RLX_OK;
        }
        rlxv_release_value(replacement);
    }
    callee->caller = f;
    callee->result = w[1];
    f->pc = w;
    if (vm->profile)
        rlxv_profile_call(vm->profile, callee);
    *out_callee = callee;
    return RLX_OK;
}

static rlx_status call_closure(rlx_vm *vm, rlxv_frame *f, const uint32_t *w,
                               rlxv_frame **out_callee, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    *out_callee = NULL;
    if (v.kind != RLX_KIND_CLOSURE)
        return wrong_kind(w[2], v, "closure", err);
    if (v.as.closure->exe != vm->exe)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a closure of another executable");
    return push_callee(vm, f, w, v.as.closure->function, v.as.closure, out_callee, err);
}

static void tell_return(rlx_vm *vm, const rlxv_frame *callee, rlx_status status, rlx_value result)
{
    if (!vm->after || !callee->caller)
        return;
    rlx_call_info info = call_info(vm, callee->caller, callee->caller->pc, callee->kind,
                                   callee->fn->name, callee->regs, callee->fn->n_params);
    tell_after(vm, &info, status, result);
}

/* Checks the result of |f| and takes its reference out of the register. */
static rlx_status take_result(const rlx_vm *vm, rlxv_frame *f, uint32_t r, rlx_value *out,
                              rlx_error *err)
{
    const rlxv_type *t = &vm->exe->types[f->fn->result_type];
    if (t->kind != RLX_TYPE_OBJECT) {
        rlxv_match m = {vm->exe, f->fn, RLX_NONE, "result", 0, f->slots};
        RLX_TRY(rlxv_match_bind(&m, f->fn->result_type, f->regs[r], err));
        RLX_TRY(rlxv_match_check(&m, f->fn->result_type, f->regs[r], err));
    }
    *out = f->regs[r];
    if (r < f->fn->n_params)
        rlxv_retain_value(*out);
    else
        f->regs[r] = rlx_none();
    return RLX_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

static rlx_status alloc_storage(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    int64_t size = f->slots[w[2]];
    rlx_storage *s;
    if (size < 0)
        return rlx_fail(err, RLX_E_LIMIT, "a storage of %lld bytes", (long long)size);
    RLX_TRY(rlxv_storage_new(vm->pool, NULL, (size_t)size, w[3], &s, err));
    set_reg(f, w[1], (rlx_value){RLX_KIND_STORAGE, 0, {.storage = s}});
    return RLX_OK;
}

static rlx_status alloc_tensor(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value storage = f->regs[w[2]];
    rlx_tensor *t;
    if (storage.kind != RLX_KIND_STORAGE)
        return wrong_kind(w[2], storage, "storage", err);
    RLX_TRY(rlxv_tensor_in(vm->pool, NULL, storage.as.storage, f->slots[w[3]], dtype_of_word(w[4]),
                           w[5], gather_dims(f, w + 5), &t, err));
    set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static rlx_status new_tensor(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tensor *t;
    RLX_TRY(
        rlxv_tensor_new(vm->pool, NULL, dtype_of_word(w[2]), w[3], gather_dims(f, w + 3), &t, err));
    set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static rlx_status view(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    rlx_tensor *t;
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(w[2], v, "tensor", err);
    RLX_TRY(rlxv_tensor_reshape(vm->pool, NULL, v.as.tensor, w[3], gather_dims(f, w + 3), &t, err));
    set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static void kill_register(const rlx_vm *vm, rlxv_frame *f, uint32_t r)
{
    set_reg(f, r, rlx_none());
    if (vm->options.debug_poison)
        f->regs[r].as.i = (int64_t)0xA5A5A5A5A5A5A5A5u;
}

/* --- values and shapes ----------------------------------------------------------------------- */

/* The integer in an int, a bool, or a 0-dim tensor of integers or bools. */
static rlx_status integer_of(uint32_t r, rlx_value v, int64_t *out, rlx_error *err)
{
    if (v.kind == RLX_KIND_INT || v.kind == RLX_KIND_BOOL) {
        *out = v.as.i;
        return RLX_OK;
    }
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(r, v, "number", err);
    const rlx_tensor *t = v.as.tensor;
    uint8_t code = t->dtype.code;
    if (t->ndim != 0 || (code != RLX_INT && code != RLX_UINT && code != RLX_BOOL))
        return rlx_fail(err, RLX_E_SHAPE, "register %u: a 0-dim tensor of integers is needed", r);
    uint64_t bits = 0;
    uint32_t unused = 64u - t->dtype.bits;
    memcpy(&bits, t->data, t->nbytes); /* little-endian, as the whole library */
    if (code == RLX_INT) {
        *out = (int64_t)(bits << unused) >> unused;
        return RLX_OK;
    }
    if (bits > INT64_MAX)
        return rlx_fail(err, RLX_E_SHAPE, "register %u: %llu does not fit a signed integer", r,
                        (unsigned long long)bits);
    *out = code == RLX_BOOL ? bits != 0 : (int64_t)bits;
    return RLX_OK;
}

static rlx_value value_of(int64_t i, rlx_dtype dtype)
{
    if (dtype.code == RLX_BOOL)
        return rlx_bool(i != 0);
    if (dtype.code == RLX_FLOAT || dtype.code == RLX_BFLOAT)
        return rlx_float((double)i);
    return rlx_int(i);
}

static rlx_status make_tuple(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tuple *t;
    RLX_TRY(rlxv_tuple_new(vm->pool, NULL, w[2], gather_values(f, w + 2), &t, err));
    set_reg(f, w[1], rlx_of_tuple(t));
    return RLX_OK;
}

static rlx_status tuple_item(rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    if (v.kind != RLX_KIND_TUPLE)
        return wrong_kind(w[2], v, "tuple", err);
    if (w[3] >= v.as.tuple->n)
        return rlx_fail(err, RLX_E_SHAPE, "item %u of a tuple of %u", w[3], v.as.tuple->n);
    set_reg(f, w[1], rlxv_retain_value(v.as.tuple->items[w[3]]));
    return RLX_OK;
}

static rlx_status make_closure(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_closure *c;
    RLX_TRY(
        rlxv_closure_new(vm->pool, NULL, vm->exe, w[2], w[3], gather_values(f, w + 3), &c, err));
    set_reg(f, w[1], rlx_of_closure(c));
    return RLX_OK;
}

static rlx_status make_shape(rlx_vm *vm, rlxv_frame *f, uint32_t d, const int64_t *dims, uint32_t n,
                             rlx_error *err)
{
    rlx_shape *s;
    RLX_TRY(rlxv_shape_new(vm->pool, NULL, n, dims, &s, err));
    set_reg(f, d, rlx_of_shape(s));
    return RLX_OK;
}

/* The dims of a tensor or a shape value. */
static rlx_status dims_of(uint32_t r, rlx_value v, const int64_t **out, uint32_t *out_n,
                          rlx_error *err)
{
    if (v.kind == RLX_KIND_TENSOR) {
        *out = v.as.tensor->dims;
        *out_n = v.as.tensor->ndim;
    } else if (v.kind == RLX_KIND_SHAPE) {
        *out = v.as.shape->dims;
        *out_n = v.as.shape->n;
    } else {
        return wrong_kind(r, v, "tensor or shape", err);
    }
    return RLX_OK;
}

static rlx_status dim_of(rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const int64_t *dims = NULL;
    uint32_t n = 0;
    RLX_TRY(dims_of(w[2], f->regs[w[2]], &dims, &n, err));
    if (w[3] >= n)
        return rlx_fail(err, RLX_E_SHAPE, "dimension %u of a value of rank %u", w[3], n);
    f->slots[w[1]] = dims[w[3]];
    return RLX_OK;
}

static rlx_status match(const rlx_vm *vm, rlxv_frame *f, const uint32_t *w, bool shape,
                        rlx_error *err)
{
    rlxv_match m = {vm->exe, f->fn, (uint32_t)(w - f->fn->code), "value", 0, f->slots};
    const int64_t *dims = NULL;
    uint32_t n = 0;
    if (shape) {
        RLX_TRY(dims_of(w[1], f->regs[w[1]], &dims, &n, err));
        return rlxv_match_dims(&m, w[2], dims, n, err);
    }
    RLX_TRY(rlxv_match_bind(&m, w[2], f->regs[w[1]], err));
    return rlxv_match_check(&m, w[2], f->regs[w[1]], err);
}

static rlx_status eval(const rlx_vm *vm, rlxv_frame *f, uint32_t e, int64_t *out, rlx_error *err)
{
    if (rlxv_eval(vm->exe, e, f->slots, out))
        return RLX_OK;
    return rlx_fail(err, RLX_E_SHAPE, "a size overflows or is divided by zero");
}

static rlx_status check(const rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    int64_t v;
    RLX_TRY(eval(vm, f, w[1], &v, err));
    if (v)
        return RLX_OK;
    rlx_str text = rlx_string_get(vm->exe->constants[w[2]].value.as.string);
    return rlx_fail(err, RLX_E_SHAPE, "%.*s", (int)text.len, text.data);
}

static rlx_status to_vdevice(rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(w[2], v, "tensor", err);
    set_reg(f, w[1], rlxv_retain_value(v));
    return RLX_OK;
}

/* --- the loop -------------------------------------------------------------------------------- */

static void unwind(rlx_vm *vm, rlxv_frame *f, rlx_status status, rlx_error *err)
{
    while (f) {
        rlxv_frame *caller = f->caller;
        rlxv_add_location(f->fn, (uint32_t)(f->pc - f->fn->code), err);
        tell_return(vm, f, status, rlx_none());
        if (vm->profile && caller)
            rlxv_profile_return(vm->profile, f, vm->n_frames);
        rlxv_frame_pop(vm, f);
        f = caller;
    }
}

rlx_status rlxv_run(rlx_vm *vm, rlxv_frame *entry, rlx_value *out, rlx_error *err)
{
    rlxv_frame *f = entry, *callee;
    const uint32_t *w = f->fn->code, *next;
    rlx_status status = RLX_OK;
    rlx_value v;
    int64_t i;
    if (err)
        *err = (rlx_error){0}; /* locations are added only once: start without one */
    for (;;) {
        if (vm->budget-- == 0) {
            vm->budget = 0;
            status = rlx_fail(err, RLX_E_LIMIT, "the limit of %llu instructions is reached",
                              (unsigned long long)vm->options.max_instructions);
            break;
        }
        if (vm->profile)
            rlxv_profile_step(vm->profile, f, w, vm->n_frames);
        next = w + (w[0] >> 16);
        switch ((rlx_opcode)(w[0] & 0xff)) {
        case RLX_OP_RET:
            status = take_result(vm, f, w[1], &v, err);
            if (status != RLX_OK)
                break;
            tell_return(vm, f, RLX_OK, v);
            if (vm->profile && f->caller)
                rlxv_profile_return(vm->profile, f, vm->n_frames);
            callee = f;
            f = f->caller;
            if (!f) {
                rlxv_frame_pop(vm, callee);
                *out = v;
                return RLX_OK;
            }
            set_reg(f, callee->result, v);
            rlxv_frame_pop(vm, callee);
            next = f->pc + (f->pc[0] >> 16);
            break;
        case RLX_OP_GOTO:
            next = f->fn->code + w[1];
            if (next <= w && is_cancelled(vm))
                status = cancelled(err);
            break;
        case RLX_OP_IF:
            status = integer_of(w[1], f->regs[w[1]], &i, err);
            if (status == RLX_OK && i == 0)
                next = f->fn->code + w[2];
            if (status == RLX_OK && next <= w && is_cancelled(vm))
                status = cancelled(err);
            break;
        case RLX_OP_CALL_KERNEL:
            status = is_cancelled(vm) ? cancelled(err) : call_kernel(vm, f, w, err);
            break;
        case RLX_OP_CALL_BUILTIN:
            status = is_cancelled(vm) ? cancelled(err) : call_builtin(vm, f, w, err);
            break;
        case RLX_OP_CALL_PACKED:
            status = is_cancelled(vm) ? cancelled(err) : call_packed(vm, f, w, err);
            break;
        case RLX_OP_CALL_FUNC:
        case RLX_OP_CALL_CLOSURE:
            callee = NULL;
            if (is_cancelled(vm))
                status = cancelled(err);
            else if ((w[0] & 0xff) == RLX_OP_CALL_FUNC)
                status = push_callee(vm, f, w, w[2], NULL, &callee, err);
            else
                status = call_closure(vm, f, w, &callee, err);
            if (status == RLX_OK && callee) {
                f = callee;
                next = f->fn->code;
            }
            break;
        case RLX_OP_MAKE_CLOSURE:
            status = make_closure(vm, f, w, err);
            break;
        case RLX_OP_ALLOC_STORAGE:
            status = alloc_storage(vm, f, w, err);
            break;
        case RLX_OP_ALLOC_TENSOR:
            status = alloc_tensor(vm, f, w, err);
            break;
        case RLX_OP_NEW_TENSOR:
            status = new_tensor(vm, f, w, err);
            break;
        case RLX_OP_KILL:
            kill_register(vm, f, w[1]);
            break;
        case RLX_OP_VIEW:
            status = view(vm, f, w, err);
            break;
        case RLX_OP_LOAD_CONST:
            set_reg(f, w[1], rlxv_retain_value(vm->exe->constants[w[2]].value));
            break;
        case RLX_OP_MOVE:
            set_reg(f, w[1], rlxv_retain_value(f->regs[w[2]]));
            break;
        case RLX_OP_MAKE_TUPLE:
            status = make_tuple(vm, f, w, err);
            break;
        case RLX_OP_TUPLE_ITEM:
            status = tuple_item(f, w, err);
            break;
        case RLX_OP_MATCH_TYPE:
            status = match(vm, f, w, false, err);
            break;
        case RLX_OP_MATCH_SHAPE:
            status = match(vm, f, w, true, err);
            break;
        case RLX_OP_MAKE_SHAPE:
            status = make_shape(vm, f, w[1], gather_dims(f, w + 2), w[2], err);
            break;
        case RLX_OP_SHAPE_OF:
            v = f->regs[w[2]];
            status = v.kind == RLX_KIND_TENSOR
                         ? make_shape(vm, f, w[1], v.as.tensor->dims, v.as.tensor->ndim, err)
                         : wrong_kind(w[2], v, "tensor", err);
            break;
        case RLX_OP_EVAL_SLOT:
            status = eval(vm, f, w[2], &f->slots[w[1]], err);
            break;
        case RLX_OP_SLOT_OF_VALUE:
            status = integer_of(w[2], f->regs[w[2]], &f->slots[w[1]], err);
            break;
        case RLX_OP_VALUE_OF_SLOT:
            set_reg(f, w[1], value_of(f->slots[w[2]], dtype_of_word(w[3])));
            break;
        case RLX_OP_DIM_OF:
            status = dim_of(f, w, err);
            break;
        case RLX_OP_CHECK:
            status = check(vm, f, w, err);
            break;
        case RLX_OP_TO_VDEVICE:
            status = to_vdevice(f, w, err);
            break;
        }
        if (status != RLX_OK)
            break;
        w = next;
    }
    f->pc = w;
    unwind(vm, f, status, err);
    return status;
}
