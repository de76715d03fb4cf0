/* The invariants of the IR, checked in one linear walk. Numbers appear in internal messages.
 *
 *  1. A module's globals have distinct names, by_name finds each, and each is exactly one function.
 *  2. Each Relax variable is bound once; ids are below the outermost function's n_vars.
 *  3. A variable is used only after it is bound, in its function or a local one, and not outside
 *     the If branch that binds it.
 *  4. Dataflow variables are bound in dataflow blocks and used nowhere else.
 *  5. A symbolic variable is bound before its use: by a lone occurrence in a parameter's type or in
 *     a match_cast. A local function may use its parent's.
 *  6. Each body has a result; each binding has what its form needs.
 *  7. Operators have as many operands as their schema says.
 *  8. Names of global functions resolve.
 *  9. A call of a PrimFunc (call_tir or direct) fits its parameters: count, and types as far as
 *     they are decidable.
 * 10. If occurs in binding blocks only.
 * 11. No effects in dataflow blocks, nor in functions that are pure (unless attribute
 *     relax.force_pure says so). Writing to memory that the function itself allocated (explicit
 *     memory, direct PrimFunc calls) is not an effect.
 * 12.-16. of PrimFuncs: wellformed_tir.c.
 * 17.-19. of devices: wellformed_device.c.
 * 20. A stated size (of a tensor's type, a buffer or an allocation) is not a negative number. Only
 *     in modules from outside: a derived size may be negative in a branch that is never taken, and
 *     the code there checks it.
 *
 * Types are checked only for their symbols here; inference checks that they agree. */
#include "compiler/ir/wellformed.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ir/op.h"

enum { BOUND = 1, VISIBLE = 2 };

typedef struct arity {
    bool known;
    uint32_t min, max;
} arity;

typedef struct walk {
    rlxc_checker *c;
    const rlxc_module *module;
    arity *arities;     /* by operator index */
    rlxc_map prim_sigs; /* PrimFunc -> TUPLE of its parameters' types */

    uint8_t *state; /* by variable id */
    uint32_t n_vars;
    rlxc_map symbols; /* bound symbolic variables */
    RLXC_VEC(const rlxc_rvar *) visible;
    RLXC_VEC(const rlxc_expr *) scoped_symbols; /* in order of binding, undone when a scope ends */
    rlxc_range range;                           /* of the binding being checked */
    bool pure, in_dataflow;
} walk;

void rlxc_violation(rlxc_checker *c, rlxc_range range, int number, const char *format, ...)
{
    if (c->violations++ >= RLXC_MAX_ERRORS)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (c->internal)
        rlxc_internal(c->ctx, range, c->stage, "%s: invariant %d: %s", c->function, number, text);
    else
        rlxc_error(c->ctx, range, "%s", text);
}

void rlxc_check_stated_sizes(rlxc_checker *c, rlxc_range range, const char *what,
                             const rlxc_expr *const *sizes, uint32_t n)
{
    int64_t size;
    for (uint32_t i = 0; i < n && !c->internal; i++)
        if (rlxc_is_int(sizes[i], &size) && size < 0)
            rlxc_violation(c, range, 20, "dimension %u of %s is negative (%lld)", i, what,
                           (long long)size);
}

/* --- symbols ---------------------------------------------------------------------------------- */

static bool symbol_bound(walk *w, const rlxc_expr *var)
{
    return rlxc_map_get(&w->symbols, rlxc_key(var)) != NULL;
}

static void bind_symbol(walk *w, const rlxc_expr *var)
{
    if (symbol_bound(w, var))
        return;
    rlxc_map_set(w->c->ctx, &w->symbols, rlxc_key(var), (void *)(uintptr_t)var);
    RLXC_PUSH(w->c->ctx, &w->scoped_symbols, var);
}

static bool check_symbol(void *user, const rlxc_expr *e)
{
    walk *w = user;
    if (e->kind == RLXC_EXPR_VAR && !symbol_bound(w, e))
        rlxc_violation(w->c, w->range, 5, "symbolic variable '%s' is used before it is bound",
                       e->var.name);
    return true;
}

static void check_expr(walk *w, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_VAR)
        check_symbol(w, e);
    else if (e->kind != RLXC_EXPR_INT)
        rlxc_expr_visit(w->c->ctx, e, check_symbol, w);
}

static void check_stated(walk *w, const rlxc_sinfo *s)
{
    if (s->kind == RLXC_SINFO_TENSOR && s->dims)
        rlxc_check_stated_sizes(w->c, w->range, "a tensor", s->dims, (uint32_t)s->ndim);
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        check_stated(w, s->fields[i]);
}

/* The symbols of callables are their own. */
static void check_sinfo(walk *w, const rlxc_sinfo *s)
{
    if (s->value)
        check_expr(w, s->value);
    if (s->dims)
        for (int32_t i = 0; i < s->ndim; i++)
            check_expr(w, s->dims[i]);
    if (s->kind == RLXC_SINFO_TUPLE)
        for (uint32_t i = 0; i < s->n_fields; i++)
            check_sinfo(w, s->fields[i]);
}

static void bind_lone_symbols(walk *w, const rlxc_sinfo *s)
{
    if (s->value && s->value->kind == RLXC_EXPR_VAR)
        bind_symbol(w, s->value);
    if (s->dims)
        for (int32_t i = 0; i < s->ndim; i++)
            if (s->dims[i]->kind == RLXC_EXPR_VAR)
                bind_symbol(w, s->dims[i]);
    if (s->kind == RLXC_SINFO_TUPLE)
        for (uint32_t i = 0; i < s->n_fields; i++)
            bind_lone_symbols(w, s->fields[i]);
}

/* --- variables -------------------------------------------------------------------------------- */

static void bind_var(walk *w, const rlxc_rvar *v)
{
    if (v->id >= w->n_vars) {
        rlxc_violation(w->c, w->range, 2, "variable '%s' has id %u of %u", v->name, v->id,
                       w->n_vars);
        return;
    }
    if (w->state[v->id] & BOUND)
        rlxc_violation(w->c, w->range, 2, "variable '%s' is bound twice", v->name);
    w->state[v->id] = BOUND | VISIBLE;
    RLXC_PUSH(w->c->ctx, &w->visible, v);
}

static void check_atom(void *user, rlxc_atom a)
{
    walk *w = user;
    switch (a.kind) {
    case RLXC_ATOM_VAR:
        if (a.var->id >= w->n_vars || !(w->state[a.var->id] & VISIBLE))
            rlxc_violation(w->c, w->range, 3, "variable '%s' is used where it is not defined",
                           a.var->name);
        break;
    case RLXC_ATOM_SHAPE:
        for (uint32_t i = 0; i < a.n; i++)
            check_expr(w, a.dims[i]);
        break;
    case RLXC_ATOM_PRIM:
        check_expr(w, a.prim);
        break;
    case RLXC_ATOM_GLOBAL:
        if (!rlxc_module_find(w->module, a.text))
            rlxc_violation(w->c, w->range, 8, "the module has no function '%s'", a.text);
        break;
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_EXTERN:
    case RLXC_ATOM_TUPLE:
        break;
    }
}

typedef struct mark {
    uint32_t visible, symbols;
} mark;

static mark scope_begin(const walk *w)
{
    return (mark){w->visible.count, w->scoped_symbols.count};
}

static void scope_end(walk *w, mark m)
{
    while (w->visible.count > m.visible)
        w->state[w->visible.items[--w->visible.count]->id] = BOUND;
    while (w->scoped_symbols.count > m.symbols)
        rlxc_map_set(w->c->ctx, &w->symbols,
                     rlxc_key(w->scoped_symbols.items[--w->scoped_symbols.count]), NULL);
}

/* Hides the dataflow variables of the block that ends; its outputs and symbols stay. */
static void dataflow_end(walk *w, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < w->visible.count; i++) {
        const rlxc_rvar *v = w->visible.items[i];
        if (v->is_dataflow)
            w->state[v->id] = BOUND;
        else
            w->visible.items[kept++] = v;
    }
    w->visible.count = kept;
}

/* --- calls ------------------------------------------------------------------------------------ */

static void check_arity(walk *w, const rlxc_binding *b)
{
    arity *a = &w->arities[b->op->index];
    if (!a->known) {
        rlxc_op_schema schema;
        rlxc_operator_schema(w->c->ctx, b->op, &schema);
        a->known = true;
        a->max = schema.variadic ? UINT32_MAX : schema.n_inputs;
        for (uint32_t i = 0; i < schema.n_inputs; i++)
            if (!schema.inputs[i].optional && !(schema.variadic && i + 1 == schema.n_inputs))
                a->min = i + 1;
    }
    if (b->n_args < a->min || b->n_args > a->max)
        rlxc_violation(w->c, b->range, 7, "operator '%s' takes %s%u operands, but %u were given",
                       b->op->name, a->min == a->max ? "" : "at least ", a->min, b->n_args);
}

/* The types of a PrimFunc's parameters as one TUPLE; made once for each. */
static const rlxc_sinfo *prim_signature(walk *w, const rlxc_prim_func *f)
{
    const rlxc_sinfo *known = rlxc_map_get(&w->prim_sigs, rlxc_key(f));
    if (known)
        return known;
    rlxc_context *ctx = w->c->ctx;
    const rlxc_sinfo **params =
        rlxc_try_alloc(ctx, (size_t)f->n_params + 1, sizeof(const rlxc_sinfo *));
    if (!params)
        return rlxc_sinfo_object(ctx);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_prim_param *p = &f->params[i];
        if (p->buffer)
            params[i] = p->buffer->ndim > RLXC_MAX_NDIM
                            ? rlxc_sinfo_object(ctx)
                            : rlxc_sinfo_tensor(ctx, p->buffer->dtype, (int32_t)p->buffer->ndim,
                                                p->buffer->shape, NULL);
        else if (rlxc_dtype_is_handle(p->var->dtype))
            params[i] = rlxc_sinfo_object(ctx);
        else
            params[i] = rlxc_sinfo_prim(ctx, p->var->dtype, p->var);
    }
    const rlxc_sinfo *signature = rlxc_sinfo_tuple(ctx, params, f->n_params);
    rlxc_map_set(ctx, &w->prim_sigs, rlxc_key(f), (void *)(uintptr_t)signature);
    return signature;
}

typedef RLXC_VEC(const rlxc_sinfo *) sinfo_vec;

static void push_fields(walk *w, sinfo_vec *types, const rlxc_sinfo *s)
{
    if (s->kind != RLXC_SINFO_TUPLE) {
        RLXC_PUSH(w->c->ctx, types, s);
        return;
    }
    for (uint32_t i = 0; i < s->n_fields; i++)
        RLXC_PUSH(w->c->ctx, types, s->fields[i]);
}

static void check_prim_call(walk *w, const rlxc_binding *b, const rlxc_prim_func *f,
                            const sinfo_vec *types)
{
    if (types->count != f->n_params) {
        rlxc_violation(w->c, b->range, 9,
                       "'%s' has %u parameters, but the call gives %u (outputs counted)", f->name,
                       f->n_params, types->count);
        return;
    }
    const rlxc_sinfo *signature = prim_signature(w, f);
    if (signature->kind != RLXC_SINFO_TUPLE)
        return;
    rlxc_bindings bound = {0};
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < f->n_params; i++) {
            const rlxc_sinfo *want = signature->fields[i], *got = types->items[i];
            /* Symbols are int64 in the graph whatever the PrimFunc calls them. */
            if (want->kind == RLXC_SINFO_PRIM && got->kind == RLXC_SINFO_PRIM &&
                rlxc_dtype_is_int(want->dtype) && rlxc_dtype_is_int(got->dtype))
                continue;
            if (rlxc_sinfo_match(w->c->ctx, want, got, &bound))
                continue;
            rlxc_violation(w->c, b->range, 9, "argument %u of '%s': expected %s, got %s", i + 1,
                           f->name, rlxc_sinfo_text(w->c->ctx, want),
                           rlxc_sinfo_text(w->c->ctx, got));
            return;
        }
}

static void check_call_tir(walk *w, const rlxc_binding *b)
{
    rlxc_context *ctx = w->c->ctx;
    if (b->n_args < 2 || b->args[0].kind != RLXC_ATOM_GLOBAL) {
        rlxc_violation(w->c, b->range, 9, "call_tir needs a PrimFunc of the module");
        return;
    }
    const rlxc_global *g = rlxc_module_find(w->module, b->args[0].text);
    if (!g)
        return; /* reported as invariant 8 */
    if (!g->prim) {
        rlxc_violation(w->c, b->range, 9, "call_tir of '%s', which is not a PrimFunc", g->name);
        return;
    }
    if (b->n_sinfo_args != 1) {
        rlxc_violation(w->c, b->range, 9, "call_tir of '%s' states no result type", g->name);
        return;
    }
    const rlxc_sinfo *args = rlxc_atom_sinfo(ctx, w->module, b->args[1]);
    if (args->kind == RLXC_SINFO_OBJECT)
        return;
    sinfo_vec types = {0};
    push_fields(w, &types, args);
    push_fields(w, &types, b->sinfo_args[0]);
    if (b->n_args > 2 && b->args[2].kind == RLXC_ATOM_SHAPE)
        for (uint32_t i = 0; i < b->args[2].n; i++)
            RLXC_PUSH(ctx, &types, rlxc_sinfo_prim(ctx, RLX_I64, b->args[2].dims[i]));
    check_prim_call(w, b, g->prim, &types);
}

/* Invariant 9, of a call by call_tir or a direct one. */
static void check_callee_types(walk *w, const rlxc_binding *b)
{
    if (b->op) {
        if (strcmp(b->op->name, "call_tir") == 0)
            check_call_tir(w, b);
        return;
    }
    const rlxc_global *g =
        b->callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->module, b->callee.text) : NULL;
    if (!g || !g->prim)
        return;
    sinfo_vec types = {0};
    for (uint32_t i = 0; i < b->n_args; i++)
        RLXC_PUSH(w->c->ctx, &types, rlxc_atom_sinfo(w->c->ctx, w->module, b->args[i]));
    check_prim_call(w, b, g->prim, &types);
}

bool rlxc_check_callee_types(rlxc_context *ctx, const rlxc_module *module, const rlxc_binding *call)
{
    rlxc_checker c = {.ctx = ctx};
    walk w = {.c = &c, .module = module};
    check_callee_types(&w, call);
    return c.violations == 0;
}

static bool callee_is_pure(const walk *w, const rlxc_binding *b)
{
    const rlxc_attr *pure = rlxc_attrs_find(&b->attrs, "pure");
    int64_t stated;
    if (pure && rlxc_attr_as_int(pure, &stated))
        return stated != 0;
    if (b->callee.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_global *g = rlxc_module_find(w->module, b->callee.text);
        return !g || !g->relax || g->relax->is_pure;
    }
    if (b->callee.kind == RLXC_ATOM_EXTERN)
        return strncmp(b->callee.text, "rlx.", 4) == 0; /* the form that legalization emits */
    const rlxc_sinfo *s = b->callee.kind == RLXC_ATOM_VAR ? b->callee.var->sinfo : NULL;
    return !s || s->kind != RLXC_SINFO_CALLABLE || s->pure;
}

static const char *callee_name(const rlxc_binding *b)
{
    switch (b->callee.kind) {
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return b->callee.text;
    case RLXC_ATOM_VAR:
        return b->callee.var->name;
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_SHAPE:
    case RLXC_ATOM_PRIM:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_TUPLE:
        break;
    }
    return "?";
}

static void check_call(walk *w, const rlxc_binding *b)
{
    bool pure;
    if (b->op) {
        check_arity(w, b);
        pure = !(b->op->flags & RLXC_OP_IMPURE) || (b->op->flags & RLXC_OP_MEMORY);
    } else {
        if (b->callee.kind != RLXC_ATOM_GLOBAL && b->callee.kind != RLXC_ATOM_EXTERN &&
            b->callee.kind != RLXC_ATOM_VAR) {
            rlxc_violation(w->c, b->range, 6, "the callee of '%s' cannot be called", b->var->name);
            return;
        }
        check_atom(w, b->callee);
        pure = callee_is_pure(w, b);
    }
    check_callee_types(w, b);
    if (pure)
        return;
    const char *name = b->op ? b->op->name : callee_name(b);
    if (w->in_dataflow)
        rlxc_violation(w->c, b->range, 11, "impure call of '%s' in a dataflow block", name);
    else if (w->pure)
        rlxc_violation(w->c, b->range, 11,
                       "impure call of '%s' in '%s', which is not marked pure=False", name,
                       w->c->function);
}

/* --- bodies ----------------------------------------------------------------------------------- */

static void check_function(walk *w, const rlxc_function *f);
static void check_body(walk *w, const rlxc_body *body);

static void check_branch(walk *w, const rlxc_body *body)
{
    mark m = scope_begin(w);
    check_body(w, body);
    scope_end(w, m);
}

static bool has_parts(const rlxc_binding *b)
{
    switch (b->form) {
    case RLXC_FORM_COPY:
    case RLXC_FORM_TUPLE_GET:
        return b->n_args == 1 && b->args[0].kind != RLXC_ATOM_NONE;
    case RLXC_FORM_CALL:
    case RLXC_FORM_TUPLE:
        return b->n_args == 0 || b->args;
    case RLXC_FORM_MATCH_CAST:
        return b->n_args == 1 && b->n_sinfo_args == 1 && b->sinfo_args[0];
    case RLXC_FORM_IF:
        return b->n_args == 1 && b->then && b->otherwise;
    case RLXC_FORM_FUNCTION:
        return b->function != NULL;
    }
    return false;
}

static void check_binding(walk *w, const rlxc_binding *b)
{
    w->range = b->range;
    if (!b->var || !has_parts(b)) {
        rlxc_violation(w->c, b->range, 6, "a binding lacks parts of its form");
        return;
    }
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], check_atom, w);
    if (b->form == RLXC_FORM_CALL)
        check_call(w, b);
    if (b->form == RLXC_FORM_MATCH_CAST)
        bind_lone_symbols(w, b->sinfo_args[0]);
    for (uint32_t i = 0; i < b->n_sinfo_args; i++) {
        check_sinfo(w, b->sinfo_args[i]);
        check_stated(w, b->sinfo_args[i]);
    }
    if (b->form == RLXC_FORM_IF) {
        if (w->in_dataflow)
            rlxc_violation(w->c, b->range, 10, "an if is inside a dataflow block");
        check_branch(w, b->then);
        check_branch(w, b->otherwise);
        w->range = b->range;
    }
    bind_var(w, b->var);
    if (b->form == RLXC_FORM_FUNCTION)
        check_function(w, b->function);
    if (b->var->is_dataflow && !w->in_dataflow)
        rlxc_violation(w->c, b->range, 4,
                       "dataflow variable '%s' is bound outside a dataflow block", b->var->name);
    if (b->var->sinfo)
        check_sinfo(w, b->var->sinfo);
    else if (w->c->internal)
        rlxc_violation(w->c, b->range, 6, "variable '%s' has no type", b->var->name);
    if (w->module->is_placed)
        rlxc_check_binding_devices(w->c, w->module, b);
}

static void check_body(walk *w, const rlxc_body *body)
{
    bool outer = w->in_dataflow;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        uint32_t first = w->visible.count;
        w->in_dataflow = block->is_dataflow;
        for (uint32_t k = 0; k < block->n && !rlxc_out_of_memory(w->c->ctx); k++)
            check_binding(w, block->bindings[k]);
        if (block->is_dataflow)
            dataflow_end(w, first);
    }
    w->in_dataflow = outer;
    w->range = body->result_range;
    if (body->result.kind == RLXC_ATOM_NONE)
        rlxc_violation(w->c, w->range, 6, "a body has no result");
    rlxc_atom_visit(body->result, check_atom, w);
}

static bool forces_pure(const rlxc_function *f)
{
    const rlxc_attr *attr = rlxc_attrs_find(&f->attrs, "relax.force_pure");
    int64_t value;
    return attr && rlxc_attr_as_int(attr, &value) && value != 0;
}

/* A local function is walked in its parent's scope; its own bindings are hidden afterwards. */
static void check_function(walk *w, const rlxc_function *f)
{
    bool outer_pure = w->pure, outer_dataflow = w->in_dataflow, forced = false;
    for (const rlxc_function *g = f; g; g = g->parent)
        forced |= forces_pure(g);
    mark m = scope_begin(w);
    w->pure = f->is_pure && !forced;
    w->in_dataflow = false;
    w->range = f->range;
    for (uint32_t i = 0; i < f->n_params; i++) {
        bind_var(w, f->params[i]);
        if (f->params[i]->sinfo)
            bind_lone_symbols(w, f->params[i]->sinfo);
    }
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->sinfo) {
            check_sinfo(w, f->params[i]->sinfo);
            check_stated(w, f->params[i]->sinfo);
        }
    check_body(w, &f->body);
    w->range = f->range;
    if (f->ret) {
        check_sinfo(w, f->ret);
        check_stated(w, f->ret);
    }
    if (w->module->is_placed)
        rlxc_check_function_devices(w->c, w->module, f);
    scope_end(w, m);
    w->pure = outer_pure;
    w->in_dataflow = outer_dataflow;
}

static void check_outermost(walk *w, const rlxc_function *f)
{
    w->n_vars = f->n_vars;
    w->state = rlxc_try_alloc(w->c->ctx, (size_t)f->n_vars + 1, 1);
    w->symbols = (rlxc_map){0};
    w->visible.count = w->scoped_symbols.count = 0;
    if (w->state)
        check_function(w, f);
}

bool rlxc_well_formed(rlxc_context *ctx, const rlxc_module *module, const char *stage,
                      bool internal)
{
    rlxc_checker c = {.ctx = ctx, .stage = stage, .internal = internal, .function = "module"};
    walk w = {.c = &c, .module = module};
    uint32_t n_operators = 0;
    rlxc_operators(&n_operators);
    w.arities = rlxc_alloc(ctx, ((size_t)n_operators + 1) * sizeof *w.arities);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_out_of_memory(ctx); i++) {
        const rlxc_global *g = module->globals.items[i];
        c.function = g->name;
        if (rlxc_module_find(module, g->name) != g || (g->relax == NULL) == (g->prim == NULL)) {
            rlxc_violation(&c, (rlxc_range){0}, 1, "the name '%s' is defined twice", g->name);
            continue;
        }
        if (g->relax)
            check_outermost(&w, g->relax);
        else
            rlxc_check_prim_func(&c, g->prim);
    }
    return c.violations == 0 && !rlxc_out_of_memory(ctx);
}
