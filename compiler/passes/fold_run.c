/* Runs the scratch module of pass fold_constant.
 *
 * Its large constants become parameters of its function, and are given to the VM where they lie:
 * weights would be copied into the executable and out of it otherwise. A transposed weight becomes
 * a parameter, too: the copy that aligns its elements puts them in their new order. */
#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/ir/op.h"
#include "compiler/passes/fold.h"
#include "rlx/builder.h"
#include "rlx/vm.h"

enum { LARGE_BYTES = 1 << 16 };

/* --- parameters ------------------------------------------------------------------------------- */

/* |order| of the dimensions of |constant|; NULL: their own. */
typedef struct parameter {
    const rlxc_constant *constant;
    const int64_t *order;
} parameter;

typedef struct parameters {
    rlxc_context *ctx;
    rlxc_function *main;
    rlxc_map vars_of; /* rlxc_constant, or rlxc_rvar of a transposed one -> rlxc_rvar */
    RLXC_VEC(rlxc_rvar *) vars;
    RLXC_VEC(parameter) all;
} parameters;

static rlxc_rvar *add_parameter(parameters *p, uint64_t key, const rlxc_sinfo *type, parameter made)
{
    rlxc_rvar *var = rlxc_rvar_new(p->ctx, p->main, "weight", type);
    rlxc_map_set(p->ctx, &p->vars_of, key, var);
    RLXC_PUSH(p->ctx, &p->vars, var);
    RLXC_PUSH(p->ctx, &p->all, made);
    return var;
}

static const rlxc_constant *large_constant(rlxc_atom a)
{
    const rlxc_constant *c = a.kind == RLXC_ATOM_CONSTANT ? a.constant : NULL;
    return c && !c->lifted && c->nbytes >= LARGE_BYTES && c->dtype.bits >= 8 ? c : NULL;
}

/* |a| with parameters for large constants. Lifted ones stay, whose bytes passes may not look at. */
static rlxc_atom with_parameters(parameters *p, rlxc_atom a)
{
    const rlxc_constant *c = large_constant(a);
    if (c || a.kind == RLXC_ATOM_VAR) {
        const uint64_t key = c ? rlxc_key(c) : rlxc_key(a.var);
        rlxc_rvar *var = rlxc_map_get(&p->vars_of, key);
        if (!var && c)
            var = add_parameter(p, key, rlxc_atom_sinfo(p->ctx, NULL, a), (parameter){c, NULL});
        return var ? rlxc_atom_var(var) : a;
    }
    if (a.kind != RLXC_ATOM_TUPLE)
        return a;
    rlxc_atom *items = rlxc_alloc(p->ctx, ((size_t)a.n + 1) * sizeof *items);
    for (uint32_t i = 0; i < a.n; i++)
        items[i] = with_parameters(p, a.items[i]);
    return rlxc_atom_tuple(p->ctx, items, a.n);
}

/* Whether |b| transposes a large constant; its value is a parameter then. */
static bool becomes_parameter(parameters *p, const rlxc_binding *b)
{
    if (b->form != RLXC_FORM_CALL || !b->op || strcmp(b->op->name, "permute_dims") != 0)
        return false;
    const rlxc_constant *c = large_constant(b->args[0]);
    int64_t order[RLXC_MAX_NDIM];
    if (!c || !rlxc_permutation(b, (int32_t)c->ndim, order))
        return false;
    add_parameter(p, rlxc_key(b->var), b->var->sinfo,
                  (parameter){c, rlxc_copy(p->ctx, order, sizeof order)});
    return true;
}

/* The parameter as a tensor: of the constant's own bytes, or of a copy if they are not aligned or
 * in another order. */
static bool tensor_of(const parameter *p, rlx_value *out, rlx_error *err)
{
    const rlxc_constant *c = p->constant;
    rlx_tensor *t = NULL;
    int64_t shape[RLXC_MAX_NDIM];
    if (!p->order && (uintptr_t)c->data % rlx_dtype_size(c->dtype) == 0) {
        if (rlx_tensor_wrap(NULL, c->dtype, c->ndim, c->shape, (void *)(uintptr_t)c->data, NULL,
                            NULL, &t, err) != RLX_OK)
            return false;
    } else {
        for (uint32_t i = 0; i < c->ndim; i++)
            shape[i] = c->shape[p->order ? p->order[i] : i];
        if (rlx_tensor_create(NULL, c->dtype, c->ndim, shape, &t, err) != RLX_OK)
            return false;
        if (p->order)
            rlxc_copy_permuted(c, c->ndim, c->shape, p->order, rlx_tensor_mutable_data(t));
        else
            memcpy(rlx_tensor_mutable_data(t), c->data, c->nbytes);
    }
    *out = rlx_of_tensor(t);
    return true;
}

/* --- running ---------------------------------------------------------------------------------- */

static void release_tensor(void *user)
{
    rlx_value_release(rlx_of_tensor(user));
}

/* The bytes of |t|, as long as the context lives: large ones where they are. NULL: out of memory.
 */
static const void *keep_bytes(rlxc_context *ctx, rlx_tensor *t)
{
    const size_t nbytes = rlx_tensor_nbytes(t);
    if (nbytes < LARGE_BYTES) {
        void *data = rlxc_try_alloc_unset(ctx, nbytes + 1, 1);
        return data && nbytes ? memcpy(data, rlx_tensor_data(t), nbytes) : data;
    }
    rlx_value_retain(rlx_of_tensor(t));
    if (rlxc_on_destroy(ctx, release_tensor, t))
        return rlx_tensor_data(t);
    release_tensor(t);
    return NULL;
}

/* |known|: the constant that the value becomes; NULL: a new one. */
static bool store_value(rlxc_context *ctx, rlx_value v, rlxc_constant *known, rlxc_atom *out)
{
    if (v.kind == RLX_KIND_TUPLE) {
        uint32_t n = rlx_tuple_count(v.as.tuple);
        rlxc_atom *items = rlxc_alloc(ctx, (n + 1) * sizeof *items);
        for (uint32_t i = 0; i < n; i++) {
            if (!store_value(ctx, rlx_tuple_get(v.as.tuple, i), NULL, &items[i]))
                return false;
        }
        *out = rlxc_atom_tuple(ctx, items, n);
        return true;
    }
    if (v.kind != RLX_KIND_TENSOR)
        return false;
    rlx_tensor *t = v.as.tensor;
    const void *data = keep_bytes(ctx, t);
    if (!data)
        return false;
    if (!known)
        known = rlxc_constant_new(ctx, rlx_tensor_dtype(t), rlx_tensor_ndim(t), rlx_tensor_dims(t),
                                  NULL, rlx_tensor_nbytes(t));
    known->data = data;
    known->nbytes = rlx_tensor_nbytes(t);
    *out = rlxc_atom_constant(known);
    return true;
}

static bool run(const parameters *p, rlx_exec_builder *builder, rlx_value *args,
                rlxc_fold_result *results, uint32_t n, rlx_error *err)
{
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_value result = rlx_none();
    const rlx_load_options load = {.trust_native = true};
    bool ok = true;
    for (uint32_t i = 0; i < p->all.count && ok; i++)
        ok = tensor_of(&p->all.items[i], &args[i], err);
    ok = ok && rlx_exec_builder_load(builder, &load, &exe, err) == RLX_OK &&
         rlx_vm_create(exe, NULL, &vm, err) == RLX_OK &&
         rlx_vm_invoke(vm, RLX_STR("main"), args, p->all.count, &result, err) == RLX_OK;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = store_value(p->ctx, rlx_tuple_get(result.as.tuple, i), results[i].constant,
                         &results[i].atom);
    rlx_value_release(result);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return ok;
}

bool rlxc_run_folds(rlxc_context *ctx, rlxc_module *scratch, rlxc_function *main,
                    rlxc_binding_block *block, const rlxc_options *options,
                    rlxc_fold_result *results, uint32_t n, rlx_error *err)
{
    parameters p = {.ctx = ctx, .main = main};
    uint32_t left = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        rlxc_binding *b = block->bindings[i];
        if (becomes_parameter(&p, b))
            continue;
        rlxc_atom *own = rlxc_alloc(ctx, ((size_t)b->n_args + 1) * sizeof *own);
        for (uint32_t k = 0; k < b->n_args; k++)
            own[k] = with_parameters(&p, b->args[k]);
        b->args = own;
        block->bindings[left++] = b;
    }
    block->n = left;
    main->params = p.vars.items;
    main->n_params = p.vars.count;
    rlx_value *args = rlxc_try_alloc(ctx, (size_t)p.vars.count + 1, sizeof *args);
    rlx_exec_builder *builder = NULL;
    for (uint32_t i = 0; args && i < p.vars.count; i++)
        args[i] = rlx_none();
    const bool ok = args && !rlxc_failed(ctx) &&
                    rlx_exec_builder_create(NULL, &builder, err) == RLX_OK &&
                    options->compile_here(ctx, scratch, options->lenient, builder) &&
                    run(&p, builder, args, results, n, err);
    for (uint32_t i = 0; args && i < p.vars.count; i++)
        rlx_value_release(args[i]);
    rlx_exec_builder_destroy(builder);
    return ok;
}
