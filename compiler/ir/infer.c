/* The type of a binding: from its form, the operator's row, or the callee's signature.
 *
 * Calls of functions match the callee's parameters against the arguments, symbols included; the
 * result is the callee's with the symbols substituted. Dimensions that depend on a symbol that no
 * argument binds become unknown, because the symbols of two functions are different variables. The
 * join of an If drops the symbols that only its branches bind. Only contradictions are errors: what
 * may agree is checked at run time by the entry checks. */
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"

static const rlxc_sinfo *object(rlxc_context *ctx)
{
    return rlxc_sinfo_object(ctx);
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* --- calls ------------------------------------------------------------------------------------ */

typedef struct signature {
    const char *name;
    const rlxc_function *function; /* for the parameters' names, or NULL */
    const rlxc_sinfo *const *params;
    uint32_t n;
    const rlxc_sinfo *ret;
    bool is_global; /* symbols of |ret| that no parameter binds are unknown to the caller */
} signature;

typedef struct scope {
    const rlxc_bindings *bound;
    rlxc_var_list own; /* symbols of the callee's parameters */
    bool is_global;
} scope;

static bool contains(const rlxc_expr *const *items, uint32_t n, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < n; i++)
        if (items[i] == var)
            return true;
    return false;
}

static bool is_bound(void *user, const rlxc_expr *var)
{
    const scope *s = user;
    if (contains(s->bound->vars.items, s->bound->vars.count, var))
        return true;
    return !s->is_global && !contains(s->own.vars.items, s->own.vars.count, var);
}

/* Symbols in a Callable are not counted as those of |s|: they may be the callee's own. */
static bool has_callable(const rlxc_sinfo *s)
{
    if (s->kind == RLXC_SINFO_CALLABLE)
        return true;
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        if (has_callable(s->fields[i]))
            return true;
    return false;
}

static const rlxc_sinfo *bind_result(rlxc_context *ctx, const signature *sig,
                                     const rlxc_bindings *bound)
{
    rlxc_var_list used = {0};
    rlxc_sinfo_collect_vars(ctx, sig->ret, &used);
    if (used.vars.count == 0 && !has_callable(sig->ret))
        return sig->ret;
    scope s = {.bound = bound, .is_global = sig->is_global};
    if (!sig->is_global)
        for (uint32_t i = 0; i < sig->n; i++)
            rlxc_sinfo_collect_vars(ctx, sig->params[i], &s.own);
    const rlxc_sinfo *ret = rlxc_sinfo_erase(ctx, sig->ret, is_bound, &s);
    return rlxc_sinfo_substitute(ctx, ret, bound->vars.items, bound->values.items,
                                 bound->vars.count);
}

static bool has_negative_size(const rlxc_sinfo *s)
{
    int64_t size;
    bool found = false;
    for (int32_t i = 0; s->kind == RLXC_SINFO_TENSOR && s->dims && i < s->ndim; i++)
        found |= rlxc_is_int(s->dims[i], &size) && size < 0;
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        found |= has_negative_size(s->fields[i]);
    return found;
}

static void report_argument(rlxc_context *ctx, const rlxc_binding *call, const signature *sig,
                            uint32_t i, const rlxc_sinfo *got)
{
    const char *expected = rlxc_sinfo_text(ctx, sig->params[i]);
    if (sig->function)
        rlxc_error(ctx, call->range, "argument '%s' of '%s': expected %s, got %s",
                   sig->function->params[i]->name, sig->name, expected, rlxc_sinfo_text(ctx, got));
    else
        rlxc_error(ctx, call->range, "argument %u of '%s': expected %s, got %s", i + 1, sig->name,
                   expected, rlxc_sinfo_text(ctx, got));
    const rlxc_rvar *param = sig->function ? sig->function->params[i] : NULL;
    const rlxc_rvar *callee = call->callee.kind == RLXC_ATOM_VAR ? call->callee.var : NULL;
    const rlxc_range range = param ? param->range : callee ? callee->range : call->range;
    rlxc_note_devices(ctx, sig->params[i], param ? param->name : sig->name, range, got,
                      call->args[i]);
}

static const rlxc_sinfo *infer_signature_call(rlxc_context *ctx, const rlxc_module *module,
                                              const rlxc_binding *call, const signature *sig)
{
    if (call->n_args != sig->n) {
        rlxc_error(ctx, call->range, "'%s' takes %u argument%s, but %u %s given", sig->name, sig->n,
                   plural(sig->n), call->n_args, call->n_args == 1 ? "was" : "were");
        return object(ctx);
    }
    rlxc_bindings bound = {0};
    /* Twice, so that an expression of a symbol that a later parameter binds is compared too. */
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < sig->n; i++) {
            const rlxc_sinfo *got = rlxc_atom_sinfo(ctx, module, call->args[i]);
            if (!rlxc_sinfo_match(ctx, sig->params[i], got, &bound)) {
                report_argument(ctx, call, sig, i, got);
                return object(ctx);
            }
        }
    const rlxc_sinfo *result = bind_result(ctx, sig, &bound);
    if (has_negative_size(result))
        rlxc_error(ctx, call->range, "the result of '%s' has a negative size: %s", sig->name,
                   rlxc_sinfo_text(ctx, result));
    return result;
}

static const rlxc_sinfo *infer_global_call(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    const rlxc_global *g = module ? rlxc_module_find(module, call->callee.text) : NULL;
    if (!g) {
        rlxc_error(ctx, call->range, "the module has no function '%s'", call->callee.text);
        return object(ctx);
    }
    if (g->prim) {
        if (call->n_args != g->prim->n_params)
            rlxc_error(ctx, call->range, "'%s' takes %u argument%s, but %u %s given", g->name,
                       g->prim->n_params, plural(g->prim->n_params), call->n_args,
                       call->n_args == 1 ? "was" : "were");
        return rlxc_dtype_is_void(g->prim->ret_dtype)
                   ? rlxc_sinfo_tuple(ctx, NULL, 0)
                   : rlxc_sinfo_prim(ctx, g->prim->ret_dtype, NULL);
    }
    const rlxc_sinfo *type = rlxc_function_sinfo(ctx, g->relax);
    if (type->kind != RLXC_SINFO_CALLABLE)
        return object(ctx);
    signature sig = {g->name, g->relax, type->fields, type->n_fields, type->ret, true};
    return infer_signature_call(ctx, module, call, &sig);
}

/* The result type that sinfo_args= states: one type as it is, several as a tuple, none as Object.
 */
static const rlxc_sinfo *stated_result(rlxc_context *ctx, const rlxc_binding *call)
{
    if (call->n_sinfo_args == 0)
        return object(ctx);
    if (call->n_sinfo_args == 1)
        return call->sinfo_args[0];
    return rlxc_sinfo_tuple(ctx, call->sinfo_args, call->n_sinfo_args);
}

static const rlxc_sinfo *infer_value_call(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    const char *name = call->callee.kind == RLXC_ATOM_VAR ? call->callee.var->name : "callee";
    const rlxc_sinfo *type = rlxc_atom_sinfo(ctx, module, call->callee);
    if (type->kind == RLXC_SINFO_OBJECT)
        return stated_result(ctx, call);
    if (type->kind != RLXC_SINFO_CALLABLE) {
        rlxc_error(ctx, call->range, "'%s' is not a function: it is %s", name,
                   rlxc_sinfo_text(ctx, type));
        return object(ctx);
    }
    if (type->opaque)
        return type->ret ? type->ret : stated_result(ctx, call);
    signature sig = {name, NULL, type->fields, type->n_fields, type->ret, false};
    return infer_signature_call(ctx, module, call, &sig);
}

/* The first tensor in |s| of a storage-only type (float8, int4); NULL if there is none. */
static const rlxc_sinfo *stored_part(const rlxc_sinfo *s)
{
    const rlxc_sinfo *found = NULL;
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields && !found; i++)
        found = stored_part(s->fields[i]);
    return s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_stored(s->dtype) ? s : found;
}

static const rlxc_sinfo *infer_call(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    if (call->op) {
        const rlxc_sinfo *s =
            call->op->infer ? call->op->infer(ctx, module, call) : stated_result(ctx, call);
        const rlxc_sinfo *stored = s && !rlxc_call_stores(call) ? stored_part(s) : NULL;
        if (stored)
            rlxc_error(ctx, call->range, "%s: %s is a storage-only type: convert to it with astype",
                       call->op->name, rlxc_dtype_name(ctx, stored->dtype));
        return s ? s : object(ctx);
    }
    switch (call->callee.kind) {
    case RLXC_ATOM_GLOBAL:
        return infer_global_call(ctx, module, call);
    case RLXC_ATOM_EXTERN:
        return stated_result(ctx, call);
    case RLXC_ATOM_VAR:
        return infer_value_call(ctx, module, call);
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_SHAPE:
    case RLXC_ATOM_PRIM:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_TUPLE:
        break;
    }
    rlxc_error(ctx, call->range, "the callee of '%s' cannot be called", call->var->name);
    return object(ctx);
}

/* --- If --------------------------------------------------------------------------------------- */

typedef enum origin { UNMET = 0, OUTSIDE, BRANCH } origin;

typedef struct branch_scope {
    rlxc_context *ctx;
    rlxc_var_list candidates; /* symbols of the joined type, few */
    origin *origins;          /* of each */
    rlxc_var_list scratch;
} branch_scope;

/* Records the origin of symbols in s->scratch that occur for the first time, and empties it. */
static void meet_symbols(branch_scope *s, origin from)
{
    for (uint32_t i = 0; i < s->scratch.vars.count; i++)
        for (uint32_t k = 0; k < s->candidates.vars.count; k++)
            if (s->candidates.vars.items[k] == s->scratch.vars.items[i] && s->origins[k] == UNMET)
                s->origins[k] = from;
    s->scratch.vars.count = 0;
}

static void meet_atom(void *user, rlxc_atom atom)
{
    branch_scope *s = user;
    if (atom.kind == RLXC_ATOM_VAR && atom.var->sinfo)
        rlxc_sinfo_collect_vars(s->ctx, atom.var->sinfo, &s->scratch);
    else if (atom.kind == RLXC_ATOM_SHAPE)
        for (uint32_t i = 0; i < atom.n; i++)
            rlxc_collect_vars(s->ctx, atom.dims[i], &s->scratch);
    else if (atom.kind == RLXC_ATOM_PRIM)
        rlxc_collect_vars(s->ctx, atom.prim, &s->scratch);
    meet_symbols(s, OUTSIDE);
}

static bool has_match_cast(const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_MATCH_CAST)
                return true;
            if (b->form == RLXC_FORM_IF &&
                (has_match_cast(b->then) || has_match_cast(b->otherwise)))
                return true;
        }
    return false;
}

/* Finds which candidates |body| itself binds: those of a match_cast that no earlier operand
 * mentions. A symbol bound outside, and mentioned nowhere else in the branch, counts as bound here;
 * that only loses precision. */
static void find_origins(branch_scope *s, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks && !rlxc_failed(s->ctx); i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            for (uint32_t a = 0; a < b->n_args; a++)
                rlxc_atom_visit(b->args[a], meet_atom, s);
            if (b->form == RLXC_FORM_MATCH_CAST) {
                rlxc_sinfo_collect_vars(s->ctx, b->sinfo_args[0], &s->scratch);
                meet_symbols(s, BRANCH);
            } else if (b->form == RLXC_FORM_IF) {
                find_origins(s, b->then);
                find_origins(s, b->otherwise);
            }
        }
}

static bool from_outside(void *user, const rlxc_expr *var)
{
    const branch_scope *s = user;
    for (uint32_t k = 0; k < s->candidates.vars.count; k++)
        if (s->candidates.vars.items[k] == var)
            return s->origins[k] != BRANCH;
    return true;
}

static void check_condition(rlxc_context *ctx, const rlxc_module *module, const rlxc_binding *b)
{
    const rlxc_sinfo *cond = rlxc_atom_sinfo(ctx, module, b->args[0]);
    bool fits = cond->kind == RLXC_SINFO_OBJECT;
    if (cond->kind == RLXC_SINFO_TENSOR || cond->kind == RLXC_SINFO_PRIM)
        fits = rlxc_dtype_is_bool(cond->dtype) || rlxc_dtype_is_void(cond->dtype) ||
               cond->dtype.code == RLX_INT || cond->dtype.code == RLX_UINT;
    bool sized = cond->kind == RLXC_SINFO_TENSOR && cond->dims;
    for (int32_t i = 0; fits && sized && i < cond->ndim; i++) {
        int64_t size;
        fits = !rlxc_is_int(cond->dims[i], &size) || size == 1;
    }
    if (!fits)
        rlxc_error(ctx, b->range, "the condition of an if must be a scalar bool or integer, got %s",
                   rlxc_sinfo_text(ctx, cond));
}

static const rlxc_sinfo *infer_if(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *b)
{
    check_condition(ctx, module, b);
    const rlxc_sinfo *yes = rlxc_atom_sinfo(ctx, module, b->then->result);
    const rlxc_sinfo *no = rlxc_atom_sinfo(ctx, module, b->otherwise->result);
    const rlxc_sinfo *joined = rlxc_sinfo_join(ctx, yes, no);
    branch_scope s = {.ctx = ctx};
    rlxc_sinfo_collect_vars(ctx, joined, &s.candidates);
    uint32_t n = s.candidates.vars.count;
    if (n == 0 || (!has_match_cast(b->then) && !has_match_cast(b->otherwise)))
        return joined;
    s.origins = rlxc_alloc(ctx, n * sizeof *s.origins);
    find_origins(&s, b->then);
    find_origins(&s, b->otherwise);
    return rlxc_sinfo_erase(ctx, joined, from_outside, &s);
}

/* --- the other forms -------------------------------------------------------------------------- */

static const rlxc_sinfo *infer_tuple_get(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *b)
{
    const rlxc_sinfo *tuple = rlxc_atom_sinfo(ctx, module, b->args[0]);
    if (tuple->kind == RLXC_SINFO_OBJECT)
        return tuple;
    if (tuple->kind != RLXC_SINFO_TUPLE) {
        rlxc_error(ctx, b->range, "field %u of '%s' is taken from %s, not from a tuple", b->index,
                   b->var->name, rlxc_sinfo_text(ctx, tuple));
        return object(ctx);
    }
    if (b->index >= tuple->n_fields) {
        rlxc_error(ctx, b->range, "index %u is out of range for a tuple of %u field%s", b->index,
                   tuple->n_fields, plural(tuple->n_fields));
        return object(ctx);
    }
    return tuple->fields[b->index];
}

static const rlxc_sinfo *infer_match_cast(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *b)
{
    const rlxc_sinfo *value = rlxc_atom_sinfo(ctx, module, b->args[0]);
    const rlxc_sinfo *pattern = b->sinfo_args[0];
    if (!rlxc_sinfo_compatible(ctx, pattern, value))
        rlxc_error(ctx, b->range, "match_cast of '%s' can never succeed: the value is %s, not %s",
                   b->var->name, rlxc_sinfo_text(ctx, value), rlxc_sinfo_text(ctx, pattern));
    return pattern;
}

const rlxc_sinfo *rlxc_infer_binding(rlxc_context *ctx, const rlxc_module *module,
                                     rlxc_binding *binding)
{
    const rlxc_sinfo *s = NULL;
    /* Operands may be missing after memory ran out. */
    if (rlxc_out_of_memory(ctx))
        return binding->var->sinfo = object(ctx);
    switch (binding->form) {
    case RLXC_FORM_COPY:
        s = rlxc_atom_sinfo(ctx, module, binding->args[0]);
        break;
    case RLXC_FORM_CALL:
        s = infer_call(ctx, module, binding);
        break;
    case RLXC_FORM_TUPLE: {
        rlxc_atom tuple = {.kind = RLXC_ATOM_TUPLE, .n = binding->n_args, .items = binding->args};
        s = rlxc_atom_sinfo(ctx, module, tuple);
        break;
    }
    case RLXC_FORM_TUPLE_GET:
        s = infer_tuple_get(ctx, module, binding);
        break;
    case RLXC_FORM_MATCH_CAST:
        s = infer_match_cast(ctx, module, binding);
        break;
    case RLXC_FORM_IF:
        s = infer_if(ctx, module, binding);
        break;
    case RLXC_FORM_FUNCTION:
        s = rlxc_function_sinfo(ctx, binding->function);
        break;
    }
    binding->var->sinfo = s ? s : object(ctx);
    return binding->var->sinfo;
}
