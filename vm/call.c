/* The ways into the VM: from the host by name, index or closure, and from inside a call; and the
   constructors that builtins use.

   The outermost entry resets the instruction budget; on exit the result is detached from the pool,
   so that the host may keep it as long as it likes, on any thread. */
#include "vm/need.h"
#include "vm/vm_impl.h"

#include <stdio.h>
#include <string.h>

/* Number of entries after which memory that none of them needed goes back to the allocator. */
#define AGE_EVERY 16u

static void age(rlx_vm *vm)
{
    rlxv_pool_age(vm->pool);
    bool gave = rlxv_plans_age(vm);
    for (uint32_t i = 0; i < vm->n_workers; i++)
        gave |= rlxv_scratch_age(&vm->workers[i]);
    if (gave && vm->allocator.alloc == rlx_default_allocator()->alloc)
        rlxv_default_purge();
}

static void leave_host(rlx_vm *vm, uint64_t budget, rlx_status status, const rlx_value *out)
{
    vm->instructions += budget - vm->budget;
    if (status == RLX_OK)
        rlxv_export(vm->pool, *out);
    if (++vm->entries % AGE_EVERY == 0)
        age(vm);
    rlxv_stack_trim(vm);
    vm->pool->system_limit = UINT64_MAX;
}

/* A program without devices does not accept tensors on devices. */
static rlx_status check_reach(const rlxv_function *fn, const rlx_value *args, rlx_error *err)
{
    for (uint32_t i = 0; i < fn->n_params; i++) {
        char name[64], what[160];
        if (args[i].kind < RLX_KIND_TENSOR || !args[i].as.object->is_remote)
            continue;
        snprintf(what, sizeof what, "argument %u '%s' of %.*s", i,
                 rlx_name_text(fn->params[i].name, name, sizeof name),
                 (int)(fn->name.len < 64 ? fn->name.len : 64), fn->name.data);
        return rlxv_value_out_of_reach(args[i], what, err);
    }
    return RLX_OK;
}

rlx_status rlxv_enter(rlx_vm *vm, uint32_t function, const rlx_value *args, uint32_t n,
                      const rlx_value *bound, uint32_t n_bound, rlx_value *out, rlx_error *err)
{
    const rlxv_function *fn = &vm->exe->functions[function];
    rlxv_frame *f;
    rlx_value result;
    if (vm->host_depth >= RLXV_MAX_HOST_DEPTH)
        return rlx_fail(err, RLX_E_LIMIT, "calls through host functions are nested deeper than %u",
                        RLXV_MAX_HOST_DEPTH);
    if (n > fn->n_params || n_bound != fn->n_params - n)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s takes %u arguments, got %u",
                        (int)fn->name.len, fn->name.data,
                        n_bound < fn->n_params ? fn->n_params - n_bound : 0, n);
    if (vm->host_depth == 0)
        vm->budget = vm->options.max_instructions ? vm->options.max_instructions : UINT64_MAX;
    uint64_t budget = vm->budget;
    RLXV_NEED(err, rlxv_are_values(args, n));
    RLX_TRY(rlxv_frame_push(vm, fn, &f, err));
    for (uint32_t i = 0; i < n; i++)
        f->regs[i] = rlxv_retain_value(args[i]);
    for (uint32_t i = 0; i < n_bound; i++)
        f->regs[n + i] = rlxv_retain_value(bound[i]);
    rlx_status status = rlxv_match_args(vm->exe, fn, f->regs, fn->n_params, f->slots, true, err);
    if (status == RLX_OK && vm->exe->n_devices == 1)
        status = check_reach(fn, f->regs, err);
    if (status != RLX_OK) {
        const rlxv_debug_row *first = rlxv_debug_at(fn, 0);
        if (first && first->column) /* else it is a node, which may not read the argument */
            rlxv_add_location(fn, 0, err);
        rlxv_frame_pop(vm, f);
        return status;
    }
    if (vm->host_depth == 0)
        rlxv_begin_launches(vm);
    vm->host_depth++;
    status = rlxv_run(vm, f, &result, err);
    vm->host_depth--;
    if (vm->host_depth == 0)
        status = rlxv_end_launches(vm, status, &result, err);
    if (vm->profile)
        rlxv_profile_stop(vm->profile, vm->n_frames);
    if (vm->host_depth == 0 && vm->asked)
        status = rlxv_end_checks(vm, status, &result, err);
    if (vm->host_depth == 0)
        leave_host(vm, budget, status, &result);
    if (status == RLX_OK)
        *out = result;
    return status;
}

rlx_status rlxv_enter_closure(rlx_vm *vm, rlx_closure *c, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    if (c->exe != vm->exe)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the closure belongs to another executable");
    return rlxv_enter(vm, c->function, args, n, c->captured, c->n, out, err);
}

rlx_status rlx_vm_invoke_index(rlx_vm *vm, uint32_t function, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, vm && (args || n == 0) && out);
    if (function >= vm->exe->n_functions)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no function %u", function);
    return rlxv_enter(vm, function, args, n, NULL, 0, out, err);
}

rlx_status rlx_vm_invoke_closure(rlx_vm *vm, rlx_closure *closure, const rlx_value *args,
                                 uint32_t n, rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, vm && closure && (args || n == 0) && out);
    return rlxv_enter_closure(vm, closure, args, n, out, err);
}

/* --- for builtins and packed functions ---------------------------------------------------------
 */

static RLXV_RARE rlx_status far_argument(const rlx_builtin *b, const rlx_value *args, uint32_t i,
                                         rlx_error *err)
{
    char what[96];
    snprintf(what, sizeof what, "builtin %s, argument %u", b->name, i);
    return rlxv_value_out_of_reach(args[i], what, err);
}

rlx_status rlxv_check_builtin(const rlx_builtin *b, const rlx_value *args, uint32_t n,
                              rlx_error *err)
{
    if (n < (uint32_t)b->min_args || (b->max_args >= 0 && n > (uint32_t)b->max_args))
        return rlx_fail(err, RLX_E_INVALID_ARG, "builtin %s called with %u arguments", b->name, n);
    for (uint32_t i = 0; i < n && !(b->flags & RLX_BUILTIN_ANY_DEVICE); i++)
        if (args[i].kind >= RLX_KIND_TENSOR && args[i].as.object->is_remote)
            return far_argument(b, args, i, err);
    return RLX_OK;
}

rlx_vm *rlx_call_vm(rlx_call_context *cc)
{
    if (!cc)
        return NULL;
    return cc->vm;
}

void *rlx_call_user(rlx_call_context *cc)
{
    if (!cc)
        return NULL;
    return cc->user;
}

void rlx_call_output(rlx_call_context *cc, rlx_str text)
{
    if (!cc || !RLXV_IS_STR(text))
        return;
    const rlx_vm_options *o = &cc->vm->options;
    if (o->output)
        o->output(o->output_user, text);
}

rlx_kernel_context *rlx_call_kernel_context(rlx_call_context *cc)
{
    if (!cc)
        return NULL;
    return &cc->vm->workers[0].ctx;
}

rlx_status rlx_call_alloc_tensor(rlx_call_context *cc, rlx_dtype dtype, uint32_t ndim,
                                 const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, cc && (dims || ndim == 0) && out);
    return rlxv_tensor_new(cc->vm->pool, NULL, dtype, ndim, dims, out, err);
}

rlx_status rlx_call_copy_tensor(rlx_call_context *cc, const rlx_tensor *from, rlx_tensor **out,
                                rlx_error *err)
{
    RLXV_NEED(err, cc && from && out);
    return rlxv_tensor_copy(cc->vm->pool, from, cc->vm->watch, out, err);
}

rlx_status rlx_call_product(rlx_call_context *cc, const rlx_tensor *x, const rlx_tensor *w,
                            rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, cc && x && w && out);
    return rlxv_device_product(cc->vm->pool, x, w, cc->vm->watch, out, err);
}

rlx_status rlx_call_alloc_storage(rlx_call_context *cc, size_t bytes, size_t align,
                                  rlx_storage **out, rlx_error *err)
{
    RLXV_NEED(err, cc && out);
    if (align == 0 || align > RLXV_MAX_ALIGN || (align & (align - 1)) != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "alignment %zu", align);
    return rlxv_storage_new(cc->vm->pool, NULL, bytes, align, out, err);
}

rlx_status rlx_call_storage_tensor(rlx_call_context *cc, rlx_storage *storage, int64_t offset,
                                   rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                                   rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, cc && storage && (dims || ndim == 0) && out);
    return rlxv_tensor_in(cc->vm->pool, NULL, storage, offset, dtype, ndim, dims, out, err);
}

rlx_status rlx_call_view(rlx_call_context *cc, rlx_tensor *base, uint32_t ndim, const int64_t *dims,
                         rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, cc && base && (dims || ndim == 0) && out);
    return rlxv_tensor_reshape(cc->vm->pool, NULL, base, ndim, dims, out, err);
}

rlx_status rlx_call_make_shape(rlx_call_context *cc, uint32_t n, const int64_t *dims,
                               rlx_shape **out, rlx_error *err)
{
    RLXV_NEED(err, cc && (dims || n == 0) && out);
    return rlxv_shape_new(cc->vm->pool, NULL, n, dims, out, err);
}

rlx_status rlx_call_make_tuple(rlx_call_context *cc, uint32_t n, const rlx_value *items,
                               rlx_tuple **out, rlx_error *err)
{
    RLXV_NEED(err, cc && (items || n == 0) && rlxv_are_values(items, n) && out);
    return rlxv_tuple_new(cc->vm->pool, NULL, n, items, out, err);
}

rlx_status rlx_call_make_string(rlx_call_context *cc, rlx_str text, rlx_string **out,
                                rlx_error *err)
{
    RLXV_NEED(err, cc && RLXV_IS_STR(text) && out);
    return rlxv_string_new(cc->vm->pool, NULL, text, out, err);
}

rlx_status rlx_call_closure(rlx_call_context *cc, rlx_closure *closure, const rlx_value *args,
                            uint32_t n, rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, cc && closure && (args || n == 0) && out);
    return rlxv_enter_closure(cc->vm, closure, args, n, out, err);
}

rlx_status rlx_call_packed(rlx_call_context *cc, rlx_str name, const rlx_value *args, uint32_t n,
                           rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, cc && RLXV_IS_STR(name) && (args || n == 0) && out);
    rlx_vm *vm = cc->vm;
    const rlxv_name *row;
    rlx_value result = rlx_none();
    RLX_TRY(rlxv_find_packed(vm, name, &row, err));
    if (row->builtin)
        RLX_TRY(rlxv_check_builtin(row->builtin, args, n, err));
    if (vm->host_depth >= RLXV_MAX_HOST_DEPTH)
        return rlx_fail(err, RLX_E_LIMIT, "calls through host functions are nested deeper than %u",
                        RLXV_MAX_HOST_DEPTH);
    rlx_call_context inner = {vm, row->user};
    vm->host_depth++;
    rlx_status status = row->packed(&inner, args, n, &result, err);
    vm->host_depth--;
    if (status != RLX_OK)
        rlxv_release_value(result);
    else
        *out = result;
    return status;
}

void rlx_call_export(rlx_call_context *cc, rlx_value v)
{
    if (!cc)
        return;
    rlxv_export(cc->vm->pool, v);
}
