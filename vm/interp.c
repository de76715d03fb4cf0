/* The interpreter: a plain switch over decoded words, relying on the guarantees listed in verify.c.
 * Value-dependent conditions are checked here: kinds the verifier could not determine, sizes,
 * kernel signatures, limits. An instruction that fails leaves through one exit, which adds the
 * place in
   the source, drops the frames of this entry and leaves the VM usable. Calls between bytecode
   functions push frames on the VM's own stack; C recursion happens only through host functions,
   and its depth is bounded. */
#include "vm/interp.h"

#include <rlx/checked.h>
#include <stdio.h>
#include <string.h>

static rlx_status wrong_kind(uint32_t r, rlx_value v, const char *wanted, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "register %u holds a %s, expected a %s", r,
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
        rlxv_match_args(vm->exe, fn, callee->regs, fn->n_params, callee->slots, false, err);
    if (status != RLX_OK) {
        rlxv_frame_pop(vm, callee);
        return status;
    }
    callee->kind = closure ? RLX_CALL_CLOSURE : RLX_CALL_FUNCTION;
    if (vm->before) {
        rlx_value replacement = rlx_none();
        rlx_call_info info =
            rlxv_call_info(vm, f, w, callee->kind, fn->name, callee->regs, fn->n_params);
        if (!rlxv_tell_before(vm, &info, &replacement)) {
            rlxv_frame_pop(vm, callee);
            rlxv_set_reg(f, w[1], replacement);
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
        return rlx_fail(err, RLX_E_INVALID_ARG, "the closure belongs to another executable");
    return push_callee(vm, f, w, v.as.closure->function, v.as.closure, out_callee, err);
}

/* A tail call of the function by itself: reuses the frame, so that loops written as recursion need
 * no memory. The instrument and the profile see it as the same call. */
static rlx_status begin_anew(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlxv_function *fn = f->fn;
    const rlx_value *args = rlxv_gather_values(f, w + 1);
    for (uint32_t i = 0; i < fn->n_params; i++)
        rlxv_retain_value(args[i]);
    for (uint32_t i = 0; i < fn->n_registers; i++)
        rlxv_set_reg(f, i, i < fn->n_params ? args[i] : rlx_none());
    return rlxv_match_args(vm->exe, fn, f->regs, fn->n_params, f->slots, false, err);
}

static void tell_return(rlx_vm *vm, const rlxv_frame *callee, rlx_status status, rlx_value result)
{
    if (!vm->after || !callee->caller)
        return;
    rlx_call_info info = rlxv_call_info(vm, callee->caller, callee->caller->pc, callee->kind,
                                        callee->fn->name, callee->regs, callee->fn->n_params);
    rlxv_tell_after(vm, &info, status, result);
}

/* Checks the result of |f| and takes its reference out of the register. */
static rlx_status take_result(const rlx_vm *vm, rlxv_frame *f, uint32_t r, rlx_value *out,
                              rlx_error *err)
{
    const rlxv_type *t = &vm->exe->types[f->fn->result_type];
    if (t->kind != RLX_TYPE_OBJECT) {
        rlxv_match m = {vm->exe, f->fn, RLX_NONE, "result", 0, f->slots};
        RLX_TRY(rlxv_match_value(&m, f->fn->result_type, f->regs[r], err));
    }
    *out = f->regs[r];
    if (r < f->fn->n_params && vm->after) /* who hears of the return sees the arguments */
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
        return rlx_fail(err, RLX_E_LIMIT, "storage size %lld is out of range", (long long)size);
    RLX_TRY(rlxv_storage_new(vm->pool, NULL, (size_t)size, w[3], &s, err));
    rlxv_set_reg(f, w[1], (rlx_value){RLX_KIND_STORAGE, 0, {.storage = s}});
    return RLX_OK;
}

static rlx_status alloc_tensor(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value storage = f->regs[w[2]];
    rlx_tensor *t;
    if (storage.kind != RLX_KIND_STORAGE)
        return wrong_kind(w[2], storage, "storage", err);
    RLX_TRY(rlxv_tensor_in(vm->pool, NULL, storage.as.storage, f->slots[w[3]],
                           rlxv_dtype_of_word(w[4]), w[5], rlxv_gather_dims(f, w + 5), &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static RLXV_RARE rlx_status new_header(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tensor *t;
    RLX_TRY(rlxv_plan_tensor_new(vm, f, w[2], &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

/* The header cached in the layout, if nothing else holds it; else a new one. */
static inline rlx_status plan_tensor(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    const rlxv_plan_tensor *row = &f->fn->plan.tensors[w[2]];
    rlx_tensor *const *headers = f->regions[row->region].headers;
    rlx_tensor *t = headers ? headers[row->index] : NULL;
    if (!t || !t->header.pool || atomic_load_explicit(&t->header.refs, memory_order_relaxed) != 1)
        return new_header(vm, f, w, err);
    atomic_store_explicit(&t->header.refs, 2, memory_order_relaxed);
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static rlx_status new_tensor(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tensor *t;
    RLX_TRY(rlxv_tensor_new(vm->pool, NULL, rlxv_dtype_of_word(w[2]), w[3],
                            rlxv_gather_dims(f, w + 3), &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static rlx_status view(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    rlx_tensor *t;
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(w[2], v, "tensor", err);
    RLX_TRY(rlxv_tensor_reshape(vm->pool, NULL, v.as.tensor, w[3], rlxv_gather_dims(f, w + 3), &t,
                                err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static rlx_status view_at(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    rlx_tensor *t;
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(w[2], v, "tensor", err);
    RLX_TRY(rlxv_tensor_part(vm->pool, NULL, v.as.tensor, f->slots[w[3]], w[4],
                             rlxv_gather_dims(f, w + 4), &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tensor(t));
    return RLX_OK;
}

static void kill_register(const rlx_vm *vm, rlxv_frame *f, uint32_t r)
{
    rlxv_set_reg(f, r, rlx_none());
    if (vm->options.debug_poison)
        f->regs[r].as.i = (int64_t)0xA5A5A5A5A5A5A5A5u;
}

/* --- values and shapes ----------------------------------------------------------------------- */

/* The 64 bits of a number: an int or bool as an integer, a float as the bits of its float64. */
static rlx_status bits_of(uint32_t r, rlx_value v, int64_t *out, rlx_error *err)
{
    bool is_int = v.kind == RLX_KIND_INT || v.kind == RLX_KIND_BOOL;
    if (v.kind != RLX_KIND_FLOAT && !is_int)
        return wrong_kind(r, v, "float", err);
    double value = is_int ? (double)v.as.i : v.as.f;
    memcpy(out, &value, sizeof value);
    return RLX_OK;
}

/* The integer in an int, a bool, or a tensor of integers or bools: of rank 0 or, where |any_rank|,
 * of one element. */
static rlx_status integer_of(uint32_t r, rlx_value v, bool any_rank, int64_t *out, rlx_error *err)
{
    if (v.kind == RLX_KIND_INT || v.kind == RLX_KIND_BOOL) {
        *out = v.as.i;
        return RLX_OK;
    }
    if (v.kind != RLX_KIND_TENSOR)
        return wrong_kind(r, v, "number", err);
    const rlx_tensor *t = v.as.tensor;
    uint8_t code = t->dtype.code;
    bool one = t->ndim == 0 || (any_rank && rlx_tensor_numel(t) == 1);
    if (!one || (code != RLX_INT && code != RLX_UINT && code != RLX_BOOL))
        return rlx_fail(err, RLX_E_SHAPE, "register %u: a %s is needed", r,
                        any_rank ? "tensor of one integer" : "0-dim tensor of integers");
    if (t->header.is_remote) {
        char what[32];
        snprintf(what, sizeof what, "register %u", r);
        return rlxv_out_of_reach(t, what, err);
    }
    uint64_t bits = 0;
    uint32_t unused = 64u - t->dtype.bits;
    memcpy(&bits, t->data, t->nbytes); /* little-endian, as the whole library */
    bits = bits << unused;
    if (code == RLX_INT) {
        *out = (int64_t)bits >> unused;
        return RLX_OK;
    }
    bits >>= unused;
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
    if (rlx_dtype_is_float(dtype))
        return rlx_float((double)i);
    return rlx_int(i);
}

static rlx_status make_tuple(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_tuple *t;
    RLX_TRY(rlxv_tuple_new(vm->pool, NULL, w[2], rlxv_gather_values(f, w + 2), &t, err));
    rlxv_set_reg(f, w[1], rlx_of_tuple(t));
    return RLX_OK;
}

static rlx_status tuple_item(rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_value v = f->regs[w[2]];
    if (v.kind != RLX_KIND_TUPLE)
        return wrong_kind(w[2], v, "tuple", err);
    if (w[3] >= v.as.tuple->n)
        return rlx_fail(err, RLX_E_SHAPE, "index %u is out of range for a tuple of %u", w[3],
                        v.as.tuple->n);
    rlxv_set_reg(f, w[1], rlxv_retain_value(v.as.tuple->items[w[3]]));
    return RLX_OK;
}

static rlx_status make_closure(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err)
{
    rlx_closure *c;
    RLX_TRY(rlxv_closure_new(vm->pool, NULL, vm->exe, w[2], w[3], rlxv_gather_values(f, w + 3), &c,
                             err));
    rlxv_set_reg(f, w[1], rlx_of_closure(c));
    return RLX_OK;
}

static rlx_status make_shape(rlx_vm *vm, rlxv_frame *f, uint32_t d, const int64_t *dims, uint32_t n,
                             rlx_error *err)
{
    rlx_shape *s;
    RLX_TRY(rlxv_shape_new(vm->pool, NULL, n, dims, &s, err));
    rlxv_set_reg(f, d, rlx_of_shape(s));
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
    rlxv_match m = {vm->exe, f->fn, (uint32_t)(w - f->fn->code), "value", w[1], f->slots};
    const int64_t *dims = NULL;
    uint32_t n = 0;
    if (shape) {
        RLX_TRY(dims_of(w[1], f->regs[w[1]], &dims, &n, err));
        return rlxv_match_dims(&m, w[2], dims, n, err);
    }
    return rlxv_match_value(&m, w[2], f->regs[w[1]], err);
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
    const rlxv_expr *e = &vm->exe->exprs[w[1]];
    while (e->op == RLX_EXPR_SELECT) /* several conditions: the first names the operands */
        e = &vm->exe->exprs[e->a];
    bool comparison = e->op == RLX_EXPR_EQ || e->op == RLX_EXPR_NE || e->op == RLX_EXPR_LT ||
                      e->op == RLX_EXPR_LE;
    if (!comparison)
        return rlx_fail(err, RLX_E_SHAPE, "%.*s", (int)text.len, text.data);
    int64_t a, b;
    const bool equal = e->op == RLX_EXPR_EQ;
    if (equal && vm->exe->exprs[e->a].op == RLX_EXPR_FLOORMOD) /* "must be a multiple" */
        e = &vm->exe->exprs[e->a];
    RLX_TRY(eval(vm, f, e->a, &a, err));
    RLX_TRY(eval(vm, f, e->b, &b, err));
    if (equal)
        return rlx_fail(err, RLX_E_SHAPE, "%.*s: %lld and %lld", (int)text.len, text.data,
                        (long long)a, (long long)b);
    return rlx_fail(err, RLX_E_SHAPE, "%.*s: %lld %s %lld does not hold", (int)text.len, text.data,
                    (long long)a, rlxv_expr_infix(e->op), (long long)b);
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

/* Locations are added only once: a run starts without one. The rest of the text stays as it is. */
static void forget(rlx_error *err)
{
    err->code = RLX_OK;
    err->message[0] = 0;
    err->where.file[0] = 0;
    err->where.line = err->where.column = 0;
}

rlx_status rlxv_run(rlx_vm *vm, rlxv_frame *entry, rlx_value *out, rlx_error *err)
{
    rlxv_frame *f = entry, *callee;
    const uint32_t *w = f->fn->code, *next;
    rlx_status status = RLX_OK;
    rlx_value v;
    int64_t i;
    if (err)
        forget(err);
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
            rlxv_set_reg(f, callee->result, v);
            rlxv_frame_pop(vm, callee);
            next = f->pc + (f->pc[0] >> 16);
            break;
        case RLX_OP_GOTO:
            next = f->fn->code + w[1];
            if (next <= w && is_cancelled(vm))
                status = cancelled(err);
            break;
        case RLX_OP_IF:
            status = integer_of(w[1], f->regs[w[1]], true, &i, err);
            if (status == RLX_OK && i == 0)
                next = f->fn->code + w[2];
            if (status == RLX_OK && next <= w && is_cancelled(vm))
                status = cancelled(err);
            break;
        case RLX_OP_AGAIN:
            status = is_cancelled(vm) ? cancelled(err) : begin_anew(vm, f, w, err);
            next = f->fn->code;
            break;
        case RLX_OP_CALL_KERNEL:
            status = is_cancelled(vm) ? cancelled(err) : rlxv_call_kernel(vm, f, w, err);
            break;
        case RLX_OP_CALL_KERNEL_IN:
            status = is_cancelled(vm) ? cancelled(err) : rlxv_call_kernel_in(vm, f, w, err);
            break;
        case RLX_OP_CALL_BUILTIN:
            status = is_cancelled(vm) ? cancelled(err) : rlxv_call_builtin(vm, f, w, err);
            break;
        case RLX_OP_CALL_PACKED:
            status = is_cancelled(vm) ? cancelled(err) : rlxv_call_packed(vm, f, w, err);
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
        case RLX_OP_PLAN:
            status = rlxv_plan_enter(vm, f, w[1], err);
            break;
        case RLX_OP_PLAN_TENSOR:
            status = plan_tensor(vm, f, w, err);
            break;
        case RLX_OP_KILL:
            kill_register(vm, f, w[1]);
            break;
        case RLX_OP_VIEW:
            status = view(vm, f, w, err);
            break;
        case RLX_OP_VIEW_AT:
            status = view_at(vm, f, w, err);
            break;
        case RLX_OP_LOAD_CONST:
            rlxv_set_reg(f, w[1], rlxv_retain_value(vm->exe->constants[w[2]].value));
            break;
        case RLX_OP_MOVE:
            rlxv_set_reg(f, w[1], rlxv_retain_value(f->regs[w[2]]));
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
            status = make_shape(vm, f, w[1], rlxv_gather_dims(f, w + 2), w[2], err);
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
            status = integer_of(w[2], f->regs[w[2]], false, &f->slots[w[1]], err);
            break;
        case RLX_OP_BITS_OF_VALUE:
            status = bits_of(w[2], f->regs[w[2]], &f->slots[w[1]], err);
            break;
        case RLX_OP_VALUE_OF_SLOT:
            rlxv_set_reg(f, w[1], value_of(f->slots[w[2]], rlxv_dtype_of_word(w[3])));
            break;
        case RLX_OP_DIM_OF:
            status = dim_of(f, w, err);
            break;
        case RLX_OP_CHECK:
            status = check(vm, f, w, err);
            break;
        case RLX_OP_TO_VDEVICE:
            status = is_cancelled(vm) ? cancelled(err) : rlxv_to_vdevice(vm, f, w, err);
            break;
        case RLX_OP_ALLOC_STORAGE_ON:
            status = rlxv_alloc_storage_on(vm, f, w, err);
            break;
        case RLX_OP_NEW_TENSOR_ON:
            status = rlxv_new_tensor_on(vm, f, w, err);
            break;
        case RLX_OP_LOAD_CONST_ON:
            status = rlxv_load_const_on(vm, f, w, err);
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
