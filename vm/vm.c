/* VMs: creation, registration, and state between calls (saved functions, stateful inputs and
 * outputs, statistics). */
#include "vm/need.h"
#include "vm/returns.h"
#include "vm/vm_impl.h"

#include <string.h>

#define DEFAULT_FRAMES 10000u
#define DEFAULT_POOL_BYTES ((uint64_t)1 << 30)

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory in the VM");
}

static rlx_status index_builtins(rlx_vm *vm, rlx_error *err)
{
    uint32_t n;
    const rlx_builtin *rows = rlx_builtin_table(&n);
    for (uint32_t i = 0; i < n; i++) {
        rlxv_name row = {
            .name = rlx_str_from(rows[i].name), .packed = rows[i].fn, .builtin = &rows[i]};
        RLX_TRY(rlxv_names_set(&vm->builtins, &row, err));
    }
    return RLX_OK;
}

static rlx_status resolve_kernels(rlx_vm *vm, rlx_error *err)
{
    const rlx_executable *exe = vm->exe;
    vm->kernels = rlx_alloc(&vm->allocator, exe->n_kernels * sizeof *vm->kernels, 16);
    vm->states = rlx_alloc(&vm->allocator, exe->n_functions * sizeof *vm->states, 16);
    if (vm->states)
        memset(vm->states, 0, exe->n_functions * sizeof *vm->states);
    if (!vm->kernels || !vm->states)
        return no_memory(err);
    for (uint32_t i = 0; i < exe->n_kernels; i++) {
        vm->kernels[i] = exe->kernels[i].fn;
        if (exe->kernels[i].module != RLX_NONE || vm->kernels[i] || exe->native.present ||
            !vm->registry)
            continue;
        const rlxv_name *row = rlxv_names_find(&vm->registry->kernels, exe->kernels[i].symbol);
        vm->kernels[i] = row ? row->kernel : NULL;
    }
    return RLX_OK;
}

rlx_status rlx_vm_create(rlx_executable *exe, const rlx_vm_options *options, rlx_vm **out,
                         rlx_error *err)
{
    RLXV_NEED(err, exe && out);
    const rlx_allocator *a =
        options && options->allocator ? options->allocator : rlx_default_allocator();
    rlx_vm *vm = rlx_alloc(a, sizeof *vm, _Alignof(rlx_vm));
    if (!vm)
        return no_memory(err);
    memset(vm, 0, sizeof *vm);
    if (options)
        vm->options = *options;
    const bool is_unlimited = vm->options.max_bytes == UINT64_MAX;
    if (is_unlimited)
        vm->options.max_bytes = 0;
    vm->allocator = *a;
    vm->options.allocator = &vm->allocator;
    if (vm->options.max_frames == 0)
        vm->options.max_frames = DEFAULT_FRAMES;
    if (vm->options.pool_bytes == 0)
        vm->options.pool_bytes = DEFAULT_POOL_BYTES;
    vm->exe = rlx_executable_retain(exe);
    if (vm->options.registry)
        vm->registry = rlx_registry_retain(vm->options.registry);
    rlxv_names_init(&vm->packed, &vm->allocator);
    rlxv_names_init(&vm->builtins, &vm->allocator);
    rlx_status status = RLX_OK;
    if (vm->options.shared_threads)
        vm->threads = rlx_threads_retain(vm->options.shared_threads);
    else
        status = rlx_threads_create(&vm->allocator, vm->options.threads, &vm->threads, err);
    vm->pool = rlxv_pool_create(&vm->allocator);
    if (!vm->pool) {
        status = status != RLX_OK ? status : no_memory(err);
    } else {
        vm->pool->max_bytes = vm->options.max_bytes;
        vm->pool->is_unlimited = is_unlimited;
        vm->pool->max_cached = vm->options.pool_bytes;
        vm->pool->poison = vm->options.debug_poison;
    }
    if (status == RLX_OK)
        status = rlxv_workers_create(vm, vm->threads->n, err);
    if (status == RLX_OK)
        status = index_builtins(vm, err);
    if (status == RLX_OK)
        status = resolve_kernels(vm, err);
    if (status == RLX_OK)
        status = rlxv_vm_devices_create(vm, err);
    if (status == RLX_OK)
        status = rlxv_vm_sections_create(vm, err);
    if (status == RLX_OK)
        status = rlxv_plans_create(vm, err);
    if (status != RLX_OK) {
        rlx_vm_destroy(vm);
        return status;
    }
    *out = vm;
    return RLX_OK;
}

static void drop_values(rlx_vm *vm, rlx_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        rlxv_release_value(values[i]);
    rlx_free(&vm->allocator, values, n * sizeof *values, 16);
}

static void drop_state(rlx_vm *vm, rlxv_state *s)
{
    if (!s)
        return;
    drop_values(vm, s->args, s->n_args);
    rlxv_release_value(s->output);
    rlx_free(&vm->allocator, s, sizeof *s, 16);
}

void rlx_vm_destroy(rlx_vm *vm)
{
    if (!vm)
        return;
    rlx_allocator a = vm->allocator;
    for (uint32_t i = 0; vm->states && i < vm->exe->n_functions; i++)
        drop_state(vm, vm->states[i]);
    for (uint32_t i = 0; i < vm->n_saved; i++) {
        rlx_free(&a, (void *)(uintptr_t)vm->saved[i].name.data, vm->saved[i].name.len, 1);
        drop_values(vm, vm->saved[i].args, vm->saved[i].n_args);
    }
    rlx_free(&a, vm->saved, vm->saved_capacity * sizeof *vm->saved, 16);
    rlx_free(&a, vm->states, vm->exe->n_functions * sizeof *vm->states, 16);
    rlx_free(&a, vm->kernels, vm->exe->n_kernels * sizeof *vm->kernels, 16);
    rlxv_names_deinit(&vm->packed);
    rlxv_vm_sections_destroy(vm);
    rlxv_names_deinit(&vm->builtins);
    rlxv_workers_destroy(vm);
    rlx_threads_release(vm->threads);
    rlxv_plans_destroy(vm);
    rlxv_vm_devices_destroy(vm);
    if (vm->pool) {
        rlxv_stack_free(vm);
        rlxv_pool_abandon(vm->pool);
    }
    rlx_registry_release(vm->registry);
    rlx_executable_release(vm->exe);
    rlx_free(&a, vm, sizeof *vm, _Alignof(rlx_vm));
}

rlx_executable *rlx_vm_executable(const rlx_vm *vm)
{
    if (!vm)
        return NULL;
    return vm->exe;
}

rlx_status rlx_vm_register(rlx_vm *vm, rlx_str name, rlx_packed_fn fn, void *user,
                           void (*destroy)(void *user), rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(name) && fn);
    rlxv_name row = {.name = name, .packed = fn, .user = user, .destroy = destroy};
    return rlxv_names_set(&vm->packed, &row, err);
}

void rlx_vm_set_instrument(rlx_vm *vm, rlx_instrument_before before, rlx_instrument_after after,
                           void *user)
{
    if (!vm)
        return;
    vm->before = before;
    vm->after = after;
    vm->instrument_user = user;
}

/* --- by name --------------------------------------------------------------------------------- */

static rlx_status unknown_function(rlx_str name, rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOT_FOUND, "the executable has no function '%.*s'", (int)name.len,
                    name.data);
}

/* An exported function. */
static rlx_status find_function(const rlx_vm *vm, rlx_str name, uint32_t *out, rlx_error *err)
{
    *out = rlx_executable_find_function(vm->exe, name);
    if (*out == RLX_NONE || !vm->exe->functions[*out].exported)
        return unknown_function(name, err);
    return RLX_OK;
}

static rlxv_saved *find_saved(rlx_vm *vm, rlx_str name)
{
    for (uint32_t i = 0; i < vm->n_saved; i++)
        if (rlx_str_eq(vm->saved[i].name, name))
            return &vm->saved[i];
    return NULL;
}

rlx_status rlx_vm_invoke(rlx_vm *vm, rlx_str function, const rlx_value *args, uint32_t n,
                         rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && (args || n == 0) && out);
    uint32_t f = rlx_executable_find_function(vm->exe, function);
    if (f != RLX_NONE && vm->exe->functions[f].exported)
        return rlxv_enter(vm, f, args, n, NULL, 0, out, err);
    const rlxv_saved *s = find_saved(vm, function);
    if (!s)
        return unknown_function(function, err);
    return rlxv_enter(vm, s->function, args, n, s->args, s->n_args, out, err);
}

rlx_status rlx_vm_make_closure(rlx_vm *vm, rlx_str function, const rlx_value *bound, uint32_t n,
                               rlx_closure **out, rlx_error *err)
{
    RLXV_NEED(err,
              vm && RLXV_IS_STR(function) && (bound || n == 0) && rlxv_are_values(bound, n) && out);
    uint32_t f;
    RLX_TRY(find_function(vm, function, &f, err));
    if (n > vm->exe->functions[f].n_params)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s takes %u arguments, %u are bound",
                        (int)function.len, function.data, vm->exe->functions[f].n_params, n);
    return rlxv_closure_new(NULL, &vm->allocator, vm->exe, f, n, bound, out, err);
}

/* Checks arguments against the signature, as a call would, and copies them. */
static rlx_status copy_args(rlx_vm *vm, uint32_t f, const rlx_value *args, uint32_t n,
                            rlx_value **out, rlx_error *err)
{
    const rlxv_function *fn = &vm->exe->functions[f];
    size_t bytes = ((size_t)fn->n_slots + 1) * sizeof(int64_t);
    int64_t *slots = rlx_alloc(&vm->allocator, bytes, 16);
    if (!slots)
        return no_memory(err);
    rlx_status status = rlxv_match_args(vm->exe, fn, args, n, slots, true, err);
    rlx_free(&vm->allocator, slots, bytes, 16);
    RLX_TRY(status);
    rlx_value *copy = rlx_alloc(&vm->allocator, n * sizeof *copy, 16);
    if (!copy)
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        copy[i] = rlxv_retain_value(args[i]);
    *out = copy;
    return RLX_OK;
}

rlx_status rlx_vm_save_function(rlx_vm *vm, rlx_str function, rlx_str saved, const rlx_value *args,
                                uint32_t n, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && RLXV_IS_STR(saved) && (args || n == 0) &&
                       rlxv_are_values(args, n));
    uint32_t f;
    rlx_value *copy;
    RLX_TRY(find_function(vm, function, &f, err));
    if (rlx_executable_find_function(vm->exe, saved) != RLX_NONE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the executable has a function '%.*s' of its own",
                        (int)saved.len, saved.data);
    RLX_TRY(copy_args(vm, f, args, n, &copy, err));
    rlxv_saved *s = find_saved(vm, saved);
    if (s) {
        drop_values(vm, s->args, s->n_args);
    } else {
        char *name = rlx_alloc(&vm->allocator, saved.len, 1);
        if (!name || !rlxv_grow(&vm->allocator, (void **)&vm->saved, &vm->saved_capacity,
                                vm->n_saved, sizeof *vm->saved)) {
            rlx_free(&vm->allocator, name, saved.len, 1);
            drop_values(vm, copy, n);
            return no_memory(err);
        }
        if (saved.len)
            memcpy(name, saved.data, saved.len);
        s = &vm->saved[vm->n_saved++];
        s->name = (rlx_str){name, saved.len};
    }
    s->function = f;
    s->args = copy;
    s->n_args = n;
    return RLX_OK;
}

/* --- the stateful way ------------------------------------------------------------------------- */

rlx_status rlx_vm_set_input(rlx_vm *vm, rlx_str function, const rlx_value *args, uint32_t n,
                            rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && (args || n == 0) && rlxv_are_values(args, n));
    uint32_t f;
    rlx_value *copy;
    RLX_TRY(find_function(vm, function, &f, err));
    RLX_TRY(copy_args(vm, f, args, n, &copy, err));
    rlxv_state *s = vm->states[f];
    if (!s) {
        s = rlx_alloc(&vm->allocator, sizeof *s, 16);
        if (!s) {
            drop_values(vm, copy, n);
            return no_memory(err);
        }
        memset(s, 0, sizeof *s);
        vm->states[f] = s;
    } else {
        drop_values(vm, s->args, s->n_args);
    }
    s->args = copy;
    s->n_args = n;
    return RLX_OK;
}

rlx_status rlx_vm_invoke_stateful(rlx_vm *vm, rlx_str function, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function));
    uint32_t f;
    rlx_value out;
    RLX_TRY(find_function(vm, function, &f, err));
    rlxv_state *s = vm->states[f];
    if (!s)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s has no inputs yet: set_input first",
                        (int)function.len, function.data);
    RLX_TRY(rlxv_enter(vm, f, s->args, s->n_args, NULL, 0, &out, err));
    rlx_value_clear(&s->output);
    s->output = out;
    s->has_output = true;
    return RLX_OK;
}

/* The part of the output at |path|, borrowed. */
static rlx_status output_at(rlx_vm *vm, rlx_str function, const uint32_t *path, uint32_t n_path,
                            rlx_value *out, rlx_error *err)
{
    uint32_t f;
    RLX_TRY(find_function(vm, function, &f, err));
    rlxv_state *s = vm->states[f];
    if (!s || !s->has_output)
        return rlx_fail(err, RLX_E_NOT_FOUND, "%.*s has no output yet: invoke it first",
                        (int)function.len, function.data);
    rlx_value v = s->output;
    for (uint32_t i = 0; i < n_path; i++) {
        if (v.kind != RLX_KIND_TUPLE || path[i] >= v.as.tuple->n)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the output of %.*s has no item %u at level %u",
                            (int)function.len, function.data, path[i], i);
        v = v.as.tuple->items[path[i]];
    }
    *out = v;
    return RLX_OK;
}

rlx_status rlx_vm_get_output(rlx_vm *vm, rlx_str function, const uint32_t *path, uint32_t n_path,
                             rlx_value *out, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && (path || n_path == 0) && out);
    rlx_value v;
    RLX_TRY(output_at(vm, function, path, n_path, &v, err));
    *out = rlxv_retain_value(v);
    return RLX_OK;
}

rlx_status rlx_vm_get_output_arity(rlx_vm *vm, rlx_str function, const uint32_t *path,
                                   uint32_t n_path, int32_t *out, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && (path || n_path == 0) && out);
    rlx_value v;
    RLX_TRY(output_at(vm, function, path, n_path, &v, err));
    *out = v.kind == RLX_KIND_TUPLE ? (int32_t)v.as.tuple->n : -1;
    return RLX_OK;
}

/* --- figures --------------------------------------------------------------------------------- */

void rlx_vm_get_stats(const rlx_vm *vm, rlx_vm_stats *out)
{
    if (!vm || !out)
        return;
    const rlxv_pool *p = vm->pool;
    uint64_t in_block = p->arena_used < p->arena_bytes ? p->arena_used : p->arena_bytes;
    uint64_t idle = rlxv_plans_idle_bytes(vm);
    *out = (rlx_vm_stats){p->live_bytes - idle + in_block,
                          p->cached_bytes + atomic_load(&p->returns->bytes) + p->arena_bytes -
                              in_block + idle,
                          p->peak_bytes, p->allocator_calls, vm->instructions};
}

void rlx_vm_reset_stats(rlx_vm *vm)
{
    if (!vm)
        return;
    vm->pool->peak_bytes = vm->pool->live_bytes + vm->pool->arena_used;
    vm->pool->allocator_calls = 0;
    vm->instructions = 0;
}

void rlx_vm_trim(rlx_vm *vm)
{
    if (!vm)
        return;
    rlxv_plans_trim(vm);
    rlxv_vm_devices_trim(vm);
    rlxv_pool_trim(vm->pool);
}
