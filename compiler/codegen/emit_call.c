/* Bytecode emission: calls of kernels, functions, closures, builtins and packed functions.
 *
 * A kernel's dims are found by matching the PrimFunc's parameters against the arguments: a lone
 * variable is the argument's dimension, as an expression where the compiler knows it and read from
 * the tensor at run time where it does not; a variable that occurs only in larger expressions is
 * solved for. Scalar parameters come from prim arguments or from tir_vars. The VM checks every
 * buffer against the kernel's signature, so a wrong guess is an error and never a wrong access. */
#include <stdio.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/device.h"

typedef struct dim_solver {
    rlxc_bc_function *fn;
    const rlxc_bc_kernel *kernel;
    uint32_t *slots;                /* of each dim, RLX_NONE: not known yet */
    const rlxc_prim_param **params; /* with buffers, one per register */
    const rlxc_sinfo **types;       /* of the arguments */
    uint32_t *regs;
    uint32_t n;
    uint32_t device;    /* that the kernel runs on */
    uint32_t constants; /* where it reads them */
    bool has_scratch;   /* the memory plan may have its scratch memory */
} dim_solver;

static uint32_t dim_index(const rlxc_bc_kernel *k, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < k->n_dims; i++)
        if (k->dims[i] == var)
            return i;
    return RLX_NONE;
}

static bool type_dims_known(const rlxc_sinfo *t, uint32_t ndim)
{
    return t && t->kind == RLXC_SINFO_TENSOR && t->dims && t->ndim == (int32_t)ndim;
}

/* Lone variables: from the types, else from the tensors at run time. */
static void solve_lone(dim_solver *s, bool at_run_time)
{
    for (uint32_t p = 0; p < s->n; p++) {
        const rlxc_buffer *buffer = s->params[p]->buffer;
        bool known = type_dims_known(s->types[p], buffer->ndim);
        for (uint32_t d = 0; d < buffer->ndim; d++) {
            uint32_t k = dim_index(s->kernel, buffer->shape[d]);
            if (k == RLX_NONE || s->slots[k] != RLX_NONE)
                continue;
            if (known) {
                s->slots[k] = rlxc_bc_slot(s->fn, s->types[p]->dims[d]);
            } else if (at_run_time) {
                s->slots[k] = rlxc_bc_temp_slot(s->fn);
                RLXC_BC_EMIT(s->fn, RLX_OP_DIM_OF, s->slots[k], s->regs[p], d);
            }
        }
    }
}

static uint32_t builder_node(rlxc_bc_function *fn, rlx_expr_op op, uint32_t a, uint32_t b)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_expr(fn->m->builder, op, a, b, 0, &out, &err),
                   &err);
    return out;
}

static uint32_t builder_slot(rlxc_bc_function *fn, uint32_t slot)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_slot_expr(fn->m->builder, slot, &out, &err),
                   &err);
    return out;
}

/* dim = coefficient * var + rest with everything in rest solved: var = (dim - rest) //
 * coefficient. */
static bool solve_linear(dim_solver *s, uint32_t param, uint32_t dim, uint32_t unknown)
{
    rlxc_bc_function *fn = s->fn;
    const rlxc_buffer *buffer = s->params[param]->buffer;
    int64_t coefficient;
    const rlxc_expr *rest;
    if (!rlxc_linear_in(fn->ctx, buffer->shape[dim], s->kernel->dims[unknown], &coefficient,
                        &rest) ||
        coefficient == 0)
        return false;
    rlxc_var_list vars = {0};
    rlxc_collect_vars(fn->ctx, rest, &vars);
    rlxc_bc_symbols symbols = {0};
    for (uint32_t i = 0; i < vars.vars.count; i++) {
        uint32_t k = dim_index(s->kernel, vars.vars.items[i]);
        if (k == RLX_NONE || s->slots[k] == RLX_NONE)
            return false;
        rlxc_map_set(fn->ctx, &symbols.slots, rlxc_key(vars.vars.items[i]),
                     (void *)((uintptr_t)s->slots[k] + 1));
    }
    uint32_t whole = rlxc_bc_temp_slot(fn);
    if (type_dims_known(s->types[param], buffer->ndim))
        whole = rlxc_bc_slot(fn, s->types[param]->dims[dim]);
    else
        RLXC_BC_EMIT(fn, RLX_OP_DIM_OF, whole, s->regs[param], dim);
    uint32_t out = rlxc_bc_temp_slot(fn);
    uint32_t rest_expr = rlxc_bc_expr(fn->m, &symbols, rest, fn->range);
    uint32_t difference = builder_node(fn, RLX_EXPR_SUB, builder_slot(fn, whole), rest_expr);
    uint32_t divisor = rlxc_bc_expr(fn->m, &symbols, rlxc_i64(fn->ctx, coefficient), fn->range);
    RLXC_BC_EMIT(fn, RLX_OP_EVAL_SLOT, out,
                 builder_node(fn, RLX_EXPR_FLOORDIV, difference, divisor));
    s->slots[unknown] = out;
    return true;
}

static bool solve_rest(dim_solver *s, uint32_t unknown)
{
    for (uint32_t p = 0; p < s->n; p++)
        for (uint32_t d = 0; d < s->params[p]->buffer->ndim; d++)
            if (rlxc_expr_uses_var(s->fn->ctx, s->params[p]->buffer->shape[d],
                                   s->kernel->dims[unknown]) &&
                solve_linear(s, p, d, unknown))
                return true;
    return false;
}

static bool solve_all(dim_solver *s)
{
    solve_lone(s, false);
    solve_lone(s, true);
    for (bool progress = true; progress;) {
        progress = false;
        for (uint32_t k = 0; k < s->kernel->n_dims; k++)
            if (s->slots[k] == RLX_NONE)
                progress |= solve_rest(s, k);
    }
    for (uint32_t k = 0; k < s->kernel->n_dims; k++) {
        if (s->slots[k] != RLX_NONE)
            continue;
        if (!s->fn->m->failed)
            rlxc_error(s->fn->ctx, s->fn->range,
                       "call of PrimFunc '%s': the arguments do not determine its variable '%s'; "
                       "pass it with tir_vars",
                       s->kernel->f->name, s->kernel->dims[k]->var.name);
        s->fn->m->failed = true;
        return false;
    }
    return true;
}

static bool is_scalar_atom(rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_PRIM || (atom.kind == RLXC_ATOM_VAR && atom.var->sinfo &&
                                           atom.var->sinfo->kind == RLXC_SINFO_PRIM);
}

static bool wrong_arguments(rlxc_bc_function *fn, const rlxc_prim_func *f, const char *what)
{
    if (!fn->m->failed)
        rlxc_error(fn->ctx, fn->range, "call of PrimFunc '%s' with %u parameters: %s", f->name,
                   f->n_params, what);
    fn->m->failed = true;
    return false;
}

/* Pairs parameters with arguments. */
static bool pair(dim_solver *s, const rlxc_atom *args, uint32_t n_args, const uint32_t *extra,
                 uint32_t n_extra)
{
    rlxc_bc_function *fn = s->fn;
    const rlxc_prim_func *f = s->kernel->f;
    uint32_t next = 0, next_extra = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i].buffer) {
            if (next >= n_args)
                return wrong_arguments(fn, f, "too few arguments");
            if (args[next].kind != RLXC_ATOM_VAR && args[next].kind != RLXC_ATOM_CONSTANT)
                return wrong_arguments(fn, f,
                                       rlxc_internf(fn->ctx,
                                                    "the argument for buffer '%s' is not "
                                                    "a tensor",
                                                    f->params[i].buffer->name));
            s->params[s->n] = &f->params[i];
            s->types[s->n] = rlxc_atom_sinfo(fn->ctx, fn->m->module, args[next]);
            s->regs[s->n++] = rlxc_bc_atom_on(fn, args[next++], s->constants);
            continue;
        }
        uint32_t k = dim_index(s->kernel, f->params[i].var), slot;
        bool is_float = rlxc_dtype_is_float(f->params[i].var->dtype);
        if (next < n_args && is_scalar_atom(args[next]))
            slot = rlxc_bc_scalar_slot(fn, args[next++], is_float);
        else if (is_float)
            return wrong_arguments(fn, f, "a floating-point parameter has no value");
        else if (next_extra < n_extra)
            slot = extra[next_extra++];
        else
            return wrong_arguments(fn, f, "a scalar parameter has no value");
        if (k != RLX_NONE)
            s->slots[k] = slot;
    }
    if (next < n_args || next_extra < n_extra)
        return wrong_arguments(fn, f, "too many arguments");
    return true;
}

/* Each dim from the call's types; NULL if they do not determine it. */
static const rlxc_expr **dim_values(const dim_solver *s)
{
    const rlxc_expr **values =
        rlxc_alloc(s->fn->ctx, ((size_t)s->kernel->n_dims + 1) * sizeof *values);
    for (uint32_t k = 0; k < s->kernel->n_dims; k++)
        values[k] = NULL;
    for (uint32_t p = 0; p < s->n; p++) {
        const rlxc_buffer *buffer = s->params[p]->buffer;
        for (uint32_t d = 0; type_dims_known(s->types[p], buffer->ndim) && d < buffer->ndim; d++) {
            uint32_t k = dim_index(s->kernel, buffer->shape[d]);
            if (k != RLX_NONE)
                values[k] = s->types[p]->dims[d];
        }
    }
    return values;
}

static void emit_kernel_call(dim_solver *s)
{
    rlxc_bc_function *fn = s->fn;
    const rlxc_bc_kernel *kernel = s->kernel;
    uint32_t workspace, n = 0;
    bool has_workspace =
        rlxc_bc_workspace(fn, kernel, s->has_scratch ? s->device : 0, dim_values(s), &workspace);
    uint32_t *words = rlxc_alloc(fn->ctx, ((size_t)kernel->n_dims + s->n + 4) * sizeof *words);
    words[n++] = kernel->index;
    if (has_workspace)
        words[n++] = workspace;
    words[n++] = kernel->n_dims;
    for (uint32_t k = 0; k < kernel->n_dims; k++)
        words[n++] = s->slots[k];
    words[n++] = s->n;
    for (uint32_t i = 0; i < s->n; i++)
        words[n++] = s->regs[i];
    rlxc_bc_op(fn, has_workspace ? RLX_OP_CALL_KERNEL_IN : RLX_OP_CALL_KERNEL, words, n);
    if (has_workspace)
        rlxc_bc_buffer_end(fn, workspace);
}

void rlxc_bc_kernel_call(rlxc_bc_function *fn, const rlxc_prim_func *f, const rlxc_atom *args,
                         uint32_t n, const rlxc_atom *tir_vars)
{
    const rlxc_bc_kernel *kernel = rlxc_bc_kernel_of(fn->m, f, fn->range);
    size_t capacity = (size_t)f->n_params + 1;
    dim_solver s = {.fn = fn, .kernel = kernel};
    const char *where;
    s.device = rlxc_bc_kernel_device(fn->m, f, args, n, fn->range, &where);
    s.constants = rlxc_bc_constants_device(fn->m, f, args, n, fn->range);
    const rlxc_vdevice *row = where ? rlxc_find_vdevice(fn->m->module, where) : NULL;
    s.has_scratch = row && rlxc_is_plain_scope(row->scope);
    s.slots = rlxc_alloc(fn->ctx, ((size_t)kernel->n_dims + 1) * sizeof(uint32_t));
    s.params = rlxc_alloc(fn->ctx, capacity * sizeof *s.params);
    s.types = rlxc_alloc(fn->ctx, capacity * sizeof *s.types);
    s.regs = rlxc_alloc(fn->ctx, capacity * sizeof *s.regs);
    for (uint32_t k = 0; k < kernel->n_dims; k++)
        s.slots[k] = RLX_NONE;
    const uint32_t *extra = NULL;
    uint32_t n_extra = 0;
    if (tir_vars && !rlxc_bc_shape_slots(fn, *tir_vars, &extra, &n_extra)) {
        wrong_arguments(fn, f, "the number of tir_vars is not known");
        return;
    }
    if (!pair(&s, args, n, extra, n_extra) || !solve_all(&s) || fn->m->failed)
        return;
    emit_kernel_call(&s);
}

/* --- other callees ---------------------------------------------------------- */

/* Checks the result of a packed function or a closure against the declared type. */
static void check_claim(rlxc_bc_function *fn, const rlxc_rvar *var, uint32_t reg)
{
    const rlxc_sinfo *claim = var->sinfo;
    if (!claim || claim->kind == RLXC_SINFO_OBJECT || rlxc_is_void(claim))
        return;
    RLXC_BC_EMIT(fn, RLX_OP_MATCH_TYPE, reg,
                 rlxc_bc_type(fn->m, &fn->symbols, claim, NULL, true, fn->range));
}

static void emit_into(rlxc_bc_function *fn, rlx_opcode op, uint32_t dst, uint32_t callee,
                      const uint32_t *regs, uint32_t n)
{
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range,
                   rlx_exec_builder_call(fn->m->builder, op, dst, callee, regs, n, &err), &err);
}

static void call(rlxc_bc_function *fn, rlx_opcode op, const rlxc_rvar *var, uint32_t callee,
                 const uint32_t *regs, uint32_t n)
{
    const uint32_t dst = rlxc_bc_define(fn, var);
    emit_into(fn, op, dst, callee, regs, n);
    if (op == RLX_OP_CALL_PACKED || op == RLX_OP_CALL_CLOSURE)
        check_claim(fn, var, dst);
}

static void call_closure(rlxc_bc_function *fn, const rlxc_rvar *var, rlxc_atom callee,
                         uint32_t closure, const uint32_t *regs, uint32_t n)
{
    const rlxc_sinfo *type = callee.kind == RLXC_ATOM_VAR ? callee.var->sinfo : NULL;
    if ((type && type->kind == RLXC_SINFO_CALLABLE) || fn->m->values.count == 0) {
        call(fn, RLX_OP_CALL_CLOSURE, var, closure, regs, n);
        return;
    }
    const uint32_t made = rlxc_bc_temp_reg(fn), dst = rlxc_bc_define(fn, var);
    emit_into(fn, RLX_OP_CALL_CLOSURE, made, closure, regs, n);
    check_claim(fn, var, made);
    RLXC_BC_EMIT(fn, RLX_OP_MOVE, dst, rlxc_bc_moved(fn, var->sinfo, made));
}

/* Reports a wrong number of arguments for |builtin|, which the verifier would refuse at load.
 */
static bool takes(rlxc_bc_function *fn, const rlx_builtin *builtin, uint32_t n)
{
    const uint32_t least = (uint32_t)builtin->min_args;
    if (n >= least && (builtin->max_args < 0 || n <= (uint32_t)builtin->max_args))
        return true;
    char most[24] = "";
    if (builtin->max_args < 0)
        snprintf(most, sizeof most, " or more");
    else if (builtin->max_args > builtin->min_args)
        snprintf(most, sizeof most, " to %d", builtin->max_args);
    rlxc_error(fn->ctx, fn->range, "builtin '%s' takes %u%s arguments, got %u", builtin->name,
               least, most, n);
    fn->m->failed = true;
    return false;
}

/* rlx.check_nonzero of a shape's number, whose result nobody reads, is an instruction: it costs a
 * tenth of a call. Conditions stay calls, because the instruction's message would show their
 * operands. */
static bool checks_nonzero(rlxc_bc_function *fn, const rlxc_rvar *var, const char *name,
                           const rlxc_atom *args, uint32_t n)
{
    if (strcmp(name, "rlx.check_nonzero") != 0 || n != 2 || fn->uses[var->id] > 0 ||
        args[0].kind != RLXC_ATOM_PRIM || args[1].kind != RLXC_ATOM_STRING ||
        rlxc_dtype_is_float(args[0].prim->dtype) || args[0].prim->kind == RLXC_EXPR_SELECT ||
        rlxc_dtype_is_bool(args[0].prim->dtype))
        return false;
    rlxc_bc_check(fn, args[0].prim, rlxc_internf(fn->ctx, "%s is 0", args[1].text));
    return true;
}

static void call_extern(rlxc_bc_function *fn, const rlxc_rvar *var, const char *name,
                        const rlxc_atom *args, uint32_t n)
{
    if (checks_nonzero(fn, var, name, args, n))
        return;
    const uint32_t *regs = rlxc_bc_args(fn, args, n, NULL);
    const rlx_builtin *builtin = rlxc_find_builtin(name);
    fn->calls_values = fn->calls_values || rlxc_bc_calls_back(name, args, n);
    if (builtin != NULL) {
        if (!takes(fn, builtin, n))
            return;
        call(fn, RLX_OP_CALL_BUILTIN, var, rlxc_bc_import(fn->m, name, fn->range), regs, n);
        return;
    }
    uint32_t text = 0;
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range,
                   rlx_exec_builder_const_string(fn->m->builder, rlx_str_from(name), &text, &err),
                   &err);
    call(fn, RLX_OP_CALL_PACKED, var, text, regs, n);
}

void rlxc_bc_callable(rlxc_bc_function *fn, const rlxc_rvar *var, rlxc_atom callee,
                      const rlxc_atom *args, uint32_t n)
{
    if (callee.kind == RLXC_ATOM_EXTERN) {
        call_extern(fn, var, callee.text, args, n);
        return;
    }
    if (callee.kind != RLXC_ATOM_GLOBAL) {
        uint32_t closure = rlxc_bc_atom(fn, callee);
        fn->calls_values = true;
        const uint32_t *regs =
            rlxc_bc_args(fn, args, n, rlxc_atom_sinfo(fn->ctx, fn->m->module, callee));
        call_closure(fn, var, callee, closure, regs, n);
        return;
    }
    const rlxc_global *g = rlxc_module_find(fn->m->module, callee.text);
    if (!g || !g->relax) {
        rlxc_error(fn->ctx, fn->range, "there is no Relax function '%s'", callee.text);
        fn->m->failed = true;
        return;
    }
    uintptr_t index = (uintptr_t)rlxc_map_get(&fn->m->functions, rlxc_key(g->relax));
    const uint32_t *regs = rlxc_bc_args(fn, args, n, rlxc_function_sinfo(fn->ctx, g->relax));
    RLXC_PUSH(fn->ctx, &fn->callees, g->relax);
    call(fn, RLX_OP_CALL_FUNC, var, (uint32_t)index - 1, regs, n);
}

void rlxc_bc_again(rlxc_bc_function *fn, const rlxc_atom *args, uint32_t n)
{
    uint32_t *words = rlxc_alloc(fn->ctx, ((size_t)n + 1) * sizeof *words);
    const uint32_t *regs = rlxc_bc_args(fn, args, n, rlxc_function_sinfo(fn->ctx, fn->f));
    words[0] = n;
    for (uint32_t i = 0; i < n; i++)
        words[i + 1] = regs[i];
    rlxc_bc_op(fn, RLX_OP_AGAIN, words, n + 1);
}

static const rlxc_prim_func *prim_of(rlxc_bc_function *fn, rlxc_atom atom)
{
    if (atom.kind != RLXC_ATOM_GLOBAL)
        return NULL;
    const rlxc_global *g = rlxc_module_find(fn->m->module, atom.text);
    return g ? g->prim : NULL;
}

/* vm.call_tir_dyn and the runtime's name for it: callee, arguments, and the tir_vars last. */
void rlxc_bc_call_tir_dyn(rlxc_bc_function *fn, rlxc_atom callee, const rlxc_atom *args, uint32_t n)
{
    const rlxc_prim_func *f = prim_of(fn, callee);
    if (!f || n == 0) {
        rlxc_error(fn->ctx, fn->range, "call_tir_dyn needs a PrimFunc and its arguments");
        fn->m->failed = true;
        return;
    }
    const rlxc_sinfo *last = rlxc_atom_sinfo(fn->ctx, fn->m->module, args[n - 1]);
    bool has_vars = last && last->kind == RLXC_SINFO_SHAPE;
    rlxc_bc_kernel_call(fn, f, args, n - has_vars, has_vars ? &args[n - 1] : NULL);
}

static void emit_call(rlxc_bc_function *fn, const rlxc_binding *b)
{
    if (b->op) {
        rlxc_bc_operator(fn, b);
        return;
    }
    const rlxc_prim_func *f = prim_of(fn, b->callee);
    if (f)
        rlxc_bc_kernel_call(fn, f, b->args, b->n_args, NULL);
    else if (b->callee.kind == RLXC_ATOM_EXTERN && b->n_args > 0 &&
             strcmp(b->callee.text, "vm.builtin.call_tir_dyn") == 0)
        rlxc_bc_call_tir_dyn(fn, b->args[0], b->args + 1, b->n_args - 1);
    else
        rlxc_bc_callable(fn, b->var, b->callee, b->args, b->n_args);
}

/* Kernel calls and kills define no register; if their variable is read all the same, it is the
 * empty tuple. Planned storage is not a value: its tensors name its buffer. */
void rlxc_bc_call(rlxc_bc_function *fn, const rlxc_binding *b)
{
    emit_call(fn, b);
    if (!fn->m->failed && fn->uses[b->var->id] > 0 && fn->reg[b->var->id] == 0 &&
        !rlxc_bc_is_in_plan(fn, rlxc_atom_var(b->var)))
        rlxc_bc_make_tuple(fn, b->var, NULL, 0);
}
