/* Pass lift_functions: local functions become private global functions.
 *
 * A local function's free variables become trailing parameters (make_closure binds last
 * parameters), and the symbols it uses from enclosing scopes become one trailing parameter of type
 * R.Shape([...]), so that they are bound and checked at entry like any other. If the function's
 * variable is only called, the calls go straight to the global with the captures as arguments; if
 * it is used as a value it becomes make_closure. Calls of every other function value become
 * invoke_closure.
 *
 * Lifted functions are appended to the module and processed in turn, so nesting needs no recursion
 * here. Symbols and variables keep their identity: they occur in one function after the move as
 * before. */
#include "compiler/passes/passes.h"

#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"

typedef struct lift {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *host; /* the outermost function being cleaned */
    rlxc_map symbols;    /* symbols bound in host so far */
} lift;

/* The captures of one local function. */
typedef struct captures {
    rlxc_context *ctx;
    rlxc_map bound; /* rvars bound inside */
    rlxc_map seen;
    RLXC_VEC(rlxc_rvar *) vars;
    rlxc_var_list symbols;
    rlxc_rvar *self;
} captures;

typedef bool (*atom_fn)(void *user, rlxc_atom *io_atom);

/* Applies |fn| to every atom of a binding (tuples' items included); arrays are copied when changed.
 */
static bool map_atom(rlxc_context *ctx, rlxc_atom *io_atom, atom_fn fn, void *user)
{
    if (io_atom->kind != RLXC_ATOM_TUPLE)
        return fn(user, io_atom);
    bool changed = false;
    rlxc_atom *items = rlxc_copy(ctx, io_atom->items, io_atom->n * sizeof *items);
    for (uint32_t i = 0; i < io_atom->n; i++)
        changed |= map_atom(ctx, &items[i], fn, user);
    if (changed)
        io_atom->items = items;
    return changed;
}

static void map_args(rlxc_context *ctx, rlxc_binding *b, atom_fn fn, void *user)
{
    if (b->n_args == 0)
        return;
    rlxc_atom *args = rlxc_copy(ctx, b->args, b->n_args * sizeof *args);
    bool changed = false;
    for (uint32_t i = 0; i < b->n_args; i++)
        changed |= map_atom(ctx, &args[i], fn, user);
    if (changed)
        b->args = args;
}

/* Calls |visit| for each binding of the body, bodies of If and local functions included, in order.
 */
typedef void (*binding_fn)(void *user, rlxc_binding *b);
typedef struct body_walk {
    binding_fn binding;
    void (*result)(void *user, rlxc_atom *atom);
    void *user;
} body_walk;

static void walk_body(const body_walk *w, rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            rlxc_binding *b = body->blocks[i]->bindings[k];
            w->binding(w->user, b);
            if (b->form == RLXC_FORM_FUNCTION)
                walk_body(w, &b->function->body);
            if (b->form == RLXC_FORM_IF) {
                walk_body(w, b->then);
                walk_body(w, b->otherwise);
            }
        }
    }
    w->result(w->user, &body->result);
}

/* --- captures --- */

static void use_symbols(captures *c, const rlxc_sinfo *s)
{
    if (s)
        rlxc_sinfo_collect_vars(c->ctx, s, &c->symbols);
}

static bool use_atom(void *user, rlxc_atom *a)
{
    captures *c = user;
    if (a->kind == RLXC_ATOM_SHAPE) {
        for (uint32_t i = 0; i < a->n; i++)
            rlxc_collect_vars(c->ctx, a->dims[i], &c->symbols);
    } else if (a->kind == RLXC_ATOM_PRIM) {
        rlxc_collect_vars(c->ctx, a->prim, &c->symbols);
    } else if (a->kind == RLXC_ATOM_VAR && a->var != c->self &&
               !rlxc_map_get(&c->bound, rlxc_key(a->var)) &&
               !rlxc_map_get(&c->seen, rlxc_key(a->var))) {
        rlxc_map_set(c->ctx, &c->seen, rlxc_key(a->var), a->var);
        RLXC_PUSH(c->ctx, &c->vars, a->var);
    }
    return false;
}

static void use_result(void *user, rlxc_atom *a)
{
    captures *c = user;
    map_atom(c->ctx, a, use_atom, c);
}

static void bind_params(captures *c, const rlxc_function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_map_set(c->ctx, &c->bound, rlxc_key(f->params[i]), f->params[i]);
        use_symbols(c, f->params[i]->sinfo);
    }
    use_symbols(c, f->ret);
}

static void use_binding(void *user, rlxc_binding *b)
{
    captures *c = user;
    map_atom(c->ctx, &b->callee, use_atom, c);
    map_args(c->ctx, b, use_atom, c);
    use_symbols(c, b->var->sinfo);
    for (uint32_t i = 0; i < b->n_sinfo_args; i++)
        use_symbols(c, b->sinfo_args[i]);
    if (b->form == RLXC_FORM_FUNCTION)
        bind_params(c, b->function);
    rlxc_map_set(c->ctx, &c->bound, rlxc_key(b->var), b->var);
}

/* --- replacing uses --- */

typedef struct replace {
    rlxc_context *ctx;
    rlxc_map by_var;        /* captured rvar -> new parameter rvar */
    rlxc_rvar *self;        /* the local function's variable */
    const char *global;     /* its lifted name */
    const rlxc_atom *extra; /* captures as visible where the code runs */
    uint32_t n_extra;
    rlxc_rvar *closure; /* replacement for value uses of self; NULL: self stays */
    bool escapes;       /* out: self is used as a value */
} replace;

static bool replace_atom(void *user, rlxc_atom *a)
{
    replace *r = user;
    if (a->kind != RLXC_ATOM_VAR)
        return false;
    if (a->var == r->self) {
        r->escapes = true;
        if (r->closure)
            *a = rlxc_atom_var(r->closure);
        return r->closure != NULL;
    }
    rlxc_rvar *param = rlxc_map_get(&r->by_var, rlxc_key(a->var));
    if (!param)
        return false;
    *a = rlxc_atom_var(param);
    return true;
}

static void replace_result(void *user, rlxc_atom *a)
{
    replace *r = user;
    map_atom(r->ctx, a, replace_atom, r);
}

static void replace_binding(void *user, rlxc_binding *b)
{
    replace *r = user;
    map_args(r->ctx, b, replace_atom, r);
    if (b->form != RLXC_FORM_CALL || b->op)
        return;
    if (b->callee.kind == RLXC_ATOM_VAR && b->callee.var == r->self) {
        rlxc_atom *args = rlxc_alloc(r->ctx, (b->n_args + r->n_extra + 1) * sizeof *args);
        for (uint32_t i = 0; i < b->n_args; i++)
            args[i] = b->args[i];
        for (uint32_t i = 0; i < r->n_extra; i++)
            args[b->n_args + i] = r->extra[i];
        b->callee = rlxc_atom_global(r->ctx, r->global);
        b->args = args;
        b->n_args += r->n_extra;
        return;
    }
    map_atom(r->ctx, &b->callee, replace_atom, r);
}

/* --- lifting one function --- */

static rlxc_atom *capture_atoms(lift *l, const captures *c, const rlxc_var_list *symbols,
                                uint32_t *out_n)
{
    uint32_t n = c->vars.count + (symbols->vars.count > 0);
    rlxc_atom *atoms = rlxc_alloc(l->ctx, (n + 1) * sizeof *atoms);
    for (uint32_t i = 0; i < c->vars.count; i++)
        atoms[i] = rlxc_atom_var(c->vars.items[i]);
    if (symbols->vars.count > 0)
        atoms[n - 1] = rlxc_atom_shape(l->ctx, symbols->vars.items, symbols->vars.count);
    *out_n = n;
    return atoms;
}

static rlxc_binding *make_closure(lift *l, rlxc_rvar *var, const char *global,
                                  const rlxc_atom *extra, uint32_t n_extra, rlxc_range range)
{
    rlxc_binding *b = rlxc_binding_new(l->ctx, RLXC_FORM_CALL, var);
    b->op = rlxc_find_operator("make_closure", 12);
    rlxc_atom args[2] = {rlxc_atom_global(l->ctx, global), rlxc_atom_tuple(l->ctx, extra, n_extra)};
    b->args = rlxc_copy(l->ctx, args, sizeof args);
    b->n_args = 2;
    b->range = range;
    return b;
}

/* Turns |b| (a FUNCTION binding of the host) into make_closure; true when it is only ever called
 * and can be dropped. |rest| is the host's body: uses of the variable in it are redirected. */
static bool lift_function(lift *l, rlxc_binding *b, rlxc_body *rest)
{
    rlxc_context *ctx = l->ctx;
    rlxc_function *f = b->function;
    captures c = {.ctx = ctx, .self = b->var};
    bind_params(&c, f);
    const body_walk find = {use_binding, use_result, &c};
    walk_body(&find, &f->body);
    rlxc_var_list symbols = {0};
    for (uint32_t i = 0; i < c.symbols.vars.count; i++) {
        if (rlxc_map_get(&l->symbols, rlxc_key(c.symbols.vars.items[i])))
            RLXC_PUSH(ctx, &symbols.vars, c.symbols.vars.items[i]);
    }

    uint32_t n_extra;
    rlxc_atom *outside = capture_atoms(l, &c, &symbols, &n_extra);
    rlxc_function *lifted = f;
    lifted->parent = NULL;
    lifted->is_private = true;
    lifted->n_vars = l->host->n_vars;
    lifted->name = rlxc_internf(ctx, "%s_%s", l->host->name, b->var->name);
    rlxc_rvar **params = rlxc_alloc(ctx, (f->n_params + n_extra + 1) * sizeof *params);
    rlxc_atom *inside = rlxc_alloc(ctx, (n_extra + 1) * sizeof *inside);
    replace within = {.ctx = ctx, .self = b->var, .extra = inside, .n_extra = n_extra};
    for (uint32_t i = 0; i < f->n_params; i++)
        params[i] = f->params[i];
    for (uint32_t i = 0; i < n_extra; i++) {
        bool is_var = i < c.vars.count;
        const rlxc_sinfo *s =
            is_var ? c.vars.items[i]->sinfo
                   : rlxc_sinfo_shape(ctx, (int32_t)symbols.vars.count, symbols.vars.items);
        rlxc_rvar *p = rlxc_rvar_new(ctx, lifted, is_var ? c.vars.items[i]->name : "symbols", s);
        p->given = is_var ? c.vars.items[i]->given : NULL;
        params[f->n_params + i] = p;
        if (is_var) {
            rlxc_map_set(ctx, &within.by_var, rlxc_key(c.vars.items[i]), p);
            inside[i] = rlxc_atom_var(p);
        } else {
            inside[i] = outside[i];
        }
    }
    uint32_t n_own = f->n_params;
    lifted->params = params;
    lifted->n_params = n_own + n_extra;
    rlxc_global *global = rlxc_module_add_relax(ctx, l->module, lifted, true);
    if (!global)
        return false;
    within.global = global->name;

    /* Inside: recursion calls the global; as a value it is a closure over the same captures. */
    rlxc_rvar *again = rlxc_rvar_new(ctx, lifted, b->var->name, b->var->sinfo);
    within.closure = again;
    const body_walk fix_inside = {replace_binding, replace_result, &within};
    walk_body(&fix_inside, &lifted->body);
    if (within.escapes) {
        rlxc_binding_block *block = rlxc_block_new(ctx, false);
        rlxc_block_push(ctx, block,
                        make_closure(l, again, global->name, inside, n_extra, b->range));
        rlxc_body old = lifted->body;
        lifted->body.blocks = NULL;
        lifted->body.n_blocks = 0;
        rlxc_body_push(ctx, &lifted->body, block);
        for (uint32_t i = 0; i < old.n_blocks; i++)
            rlxc_body_push(ctx, &lifted->body, old.blocks[i]);
    }

    /* Outside. */
    replace around = {
        .ctx = ctx, .self = b->var, .global = global->name, .extra = outside, .n_extra = n_extra};
    const body_walk fix_outside = {replace_binding, replace_result, &around};
    walk_body(&fix_outside, rest);
    *b = *make_closure(l, b->var, global->name, outside, n_extra, b->range);
    return !around.escapes;
}

/* --- the walk over a host function --- */

static void note_symbols(lift *l, const rlxc_sinfo *s)
{
    rlxc_var_list list = {0};
    if (s)
        rlxc_sinfo_collect_vars(l->ctx, s, &list);
    for (uint32_t i = 0; i < list.vars.count; i++)
        rlxc_map_set(l->ctx, &l->symbols, rlxc_key(list.vars.items[i]), l);
}

/* A value of unknown type counts as pure where only pure calls are allowed. */
static void call_value(lift *l, const rlxc_binding_block *block, rlxc_binding *b)
{
    const rlxc_sinfo *s = b->callee.var->sinfo;
    const bool pure =
        s && s->kind == RLXC_SINFO_CALLABLE ? s->pure : block->is_dataflow || l->host->is_pure;
    rlxc_atom args[2] = {b->callee, rlxc_atom_tuple(l->ctx, b->args, b->n_args)};
    b->op = pure ? rlxc_find_operator("invoke_pure_closure", 19)
                 : rlxc_find_operator("invoke_closure", 14);
    b->callee = (rlxc_atom){0};
    b->args = rlxc_copy(l->ctx, args, sizeof args);
    b->n_args = 2;
    b->sinfo_args = rlxc_copy(l->ctx, &b->var->sinfo, sizeof b->var->sinfo);
    b->n_sinfo_args = 1;
}

static void lift_body(lift *l, rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        rlxc_binding_block *block = body->blocks[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < block->n && !rlxc_failed(l->ctx); k++) {
            rlxc_binding *b = block->bindings[k];
            bool drop = false;
            if (b->form == RLXC_FORM_FUNCTION) {
                drop = lift_function(l, b, &l->host->body);
            } else if (b->form == RLXC_FORM_IF) {
                lift_body(l, b->then);
                lift_body(l, b->otherwise);
            } else if (b->form == RLXC_FORM_MATCH_CAST) {
                note_symbols(l, b->sinfo_args[0]);
            } else if (b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_VAR) {
                call_value(l, block, b);
            }
            if (!drop)
                block->bindings[kept++] = b;
        }
        block->n = kept;
    }
}

bool rlxc_pass_lift_functions(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        lift l = {.ctx = ctx, .module = module, .host = f};
        for (uint32_t k = 0; k < f->n_params; k++)
            note_symbols(&l, f->params[k]->sinfo);
        lift_body(&l, &f->body);
    }
    return !rlxc_failed(ctx);
}
