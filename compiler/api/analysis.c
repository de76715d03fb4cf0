/* Analyses of functions for users of the library. */
#include "compiler/api/handles.h"

#include "compiler/ir/sym.h"

#include <string.h>

/* --- variables ------------------------------------------------------------------------------- */

typedef RLXC_VEC(const rlxc_rvar *) var_vec;
typedef RLXC_VEC(const rlxc_binding *) binding_vec;
typedef RLXC_VEC(const char *) name_vec;

typedef struct collecting {
    rlxc_context *ctx;
    rlxc_map seen, bound;
    var_vec all;
    rlxc_var_list symbols;
} collecting;

static void see(collecting *c, const rlxc_rvar *v)
{
    if (v == NULL || rlxc_map_get(&c->seen, rlxc_key(v)) != NULL)
        return;
    rlxc_map_set(c->ctx, &c->seen, rlxc_key(v), c);
    RLXC_PUSH(c->ctx, &c->all, v);
    if (v->sinfo != NULL)
        rlxc_sinfo_collect_vars(c->ctx, v->sinfo, &c->symbols);
    else if (v->annotation != NULL)
        rlxc_sinfo_collect_vars(c->ctx, v->annotation, &c->symbols);
}

static void bind(collecting *c, const rlxc_rvar *v)
{
    see(c, v);
    rlxc_map_set(c->ctx, &c->bound, rlxc_key(v), c);
}

static void see_atom(void *user, rlxc_atom atom)
{
    collecting *c = user;
    if (atom.kind == RLXC_ATOM_VAR)
        see(c, atom.var);
    else if (atom.kind == RLXC_ATOM_PRIM)
        rlxc_collect_vars(c->ctx, atom.prim, &c->symbols);
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_SHAPE && i < atom.n; i++)
        rlxc_collect_vars(c->ctx, atom.dims[i], &c->symbols);
}

static void collect_body(collecting *c, const rlxc_body *body);

static void collect_function(collecting *c, const rlxc_function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        bind(c, f->params[i]);
    collect_body(c, &f->body);
}

static void collect_body(collecting *c, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            rlxc_atom_visit(b->callee, see_atom, c);
            for (uint32_t a = 0; a < b->n_args; a++)
                rlxc_atom_visit(b->args[a], see_atom, c);
            for (uint32_t a = 0; a < b->n_sinfo_args; a++)
                rlxc_sinfo_collect_vars(c->ctx, b->sinfo_args[a], &c->symbols);
            if (b->then != NULL)
                collect_body(c, b->then);
            if (b->otherwise != NULL)
                collect_body(c, b->otherwise);
            if (b->function != NULL)
                collect_function(c, b->function);
            bind(c, b->var);
        }
    }
    rlxc_atom_visit(body->result, see_atom, c);
}

rlx_status rlx_ir_function_vars(rlx_ir_module *m, const rlx_ir_function *f, rlx_ir_which which,
                                rlx_ir_vars *out, rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    collecting c = {.ctx = call.compiler->ctx};
    var_vec chosen = {NULL, 0, 0};
    collect_function(&c, of_function(f));
    for (uint32_t i = 0; i < c.all.count; i++) {
        const bool bound = rlxc_map_get(&c.bound, rlxc_key(c.all.items[i])) != NULL;
        if (which == RLX_IR_ALL_VARS || bound == (which == RLX_IR_BOUND_VARS))
            RLXC_PUSH(c.ctx, &chosen, c.all.items[i]);
    }
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    *out = (rlx_ir_vars){(const rlx_ir_var *const *)(const void *)chosen.items, chosen.count};
    return RLX_OK;
}

rlx_status rlx_ir_function_symbols(rlx_ir_module *m, const rlx_ir_function *f, rlx_ir_names *out,
                                   rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    collecting c = {.ctx = call.compiler->ctx};
    name_vec names = {NULL, 0, 0};
    collect_function(&c, of_function(f));
    for (uint32_t i = 0; i < c.symbols.vars.count; i++)
        RLXC_PUSH(c.ctx, &names, c.symbols.vars.items[i]->var.name);
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    *out = (rlx_ir_names){names.items, names.count};
    return RLX_OK;
}

void rlxc_api_symbols(rlxc_context *ctx, const rlxc_function *f, rlxc_var_list *io_list)
{
    collecting c = {.ctx = ctx, .symbols = *io_list};
    collect_function(&c, f);
    *io_list = c.symbols;
}

/* --- calls ----------------------------------------------------------------------------------- */

typedef struct calls {
    rlxc_context *ctx;
    rlxc_map seen;
    name_vec names;
} calls;

static void note_global(void *user, rlxc_atom atom)
{
    calls *c = user;
    if (atom.kind != RLXC_ATOM_GLOBAL || rlxc_map_get(&c->seen, rlxc_key(atom.text)) != NULL)
        return;
    rlxc_map_set(c->ctx, &c->seen, rlxc_key(atom.text), c);
    RLXC_PUSH(c->ctx, &c->names, atom.text);
}

rlx_status rlx_ir_function_called(rlx_ir_module *m, const rlx_ir_function *f, rlx_ir_names *out,
                                  rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    calls c = {.ctx = call.compiler->ctx};
    rlxc_body_visit(&of_function(f)->body, note_global, &c);
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    *out = (rlx_ir_names){c.names.items, c.names.count};
    return RLX_OK;
}

/* --- use and definition ---------------------------------------------------------------------- */

typedef struct search {
    const rlxc_rvar *var;
    const rlxc_binding *found;
} search;

static bool defines(void *user, const rlx_ir_binding *b)
{
    search *s = user;
    if (of_binding(b)->var != s->var)
        return true;
    s->found = of_binding(b);
    return false;
}

const rlx_ir_binding *rlx_ir_function_definition(const rlx_ir_function *f, const rlx_ir_var *v)
{
    search s = {of_var(v), NULL};
    if (f == NULL || v == NULL)
        return NULL;
    rlx_ir_visit(to_body(&of_function(f)->body), defines, &s);
    return to_binding(s.found);
}

typedef struct users {
    rlxc_context *ctx;
    const rlxc_rvar *var;
    binding_vec list;
    bool hit, returned;
} users;

static void reads(void *user, rlxc_atom atom)
{
    users *u = user;
    u->hit = u->hit || (atom.kind == RLXC_ATOM_VAR && atom.var == u->var);
}

static void check_result(users *u, const rlxc_body *body)
{
    u->hit = false;
    rlxc_atom_visit(body->result, reads, u);
    u->returned = u->returned || u->hit;
}

static bool note_use(void *user, const rlx_ir_binding *handle)
{
    users *u = user;
    const rlxc_binding *b = of_binding(handle);
    if (b->then != NULL)
        check_result(u, b->then);
    if (b->otherwise != NULL)
        check_result(u, b->otherwise);
    if (b->function != NULL)
        check_result(u, &b->function->body);
    u->hit = false;
    rlxc_atom_visit(b->callee, reads, u);
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], reads, u);
    if (u->hit)
        RLXC_PUSH(u->ctx, &u->list, b);
    return true;
}

rlx_status rlx_ir_function_uses(rlx_ir_module *m, const rlx_ir_function *f, const rlx_ir_var *v,
                                rlx_ir_bindings *out, bool *out_returned, rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || v == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function, variable or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    users u = {.ctx = call.compiler->ctx, .var = of_var(v)};
    rlx_ir_visit(to_body(&of_function(f)->body), note_use, &u);
    check_result(&u, &of_function(f)->body);
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    *out =
        (rlx_ir_bindings){(const rlx_ir_binding *const *)(const void *)u.list.items, u.list.count};
    if (out_returned != NULL)
        *out_returned = u.returned;
    return RLX_OK;
}

/* --- reshape --------------------------------------------------------------------------------- */

typedef struct nest { /* loops round the one block that stores */
    const rlxc_expr *vars[RLXC_MAX_NDIM], *extents[RLXC_MAX_NDIM];
    uint32_t n;
    const rlxc_stmt *block;
} nest;

static bool is_zero(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_INT && e->i == 0;
}

static bool is_plain(const rlxc_block *b)
{
    return b->n_allocs == 0 && b->n_matches == 0 && b->init == NULL;
}

static bool find_nest(const rlxc_stmt *s, nest *out)
{
    for (;;) {
        if (s->kind == RLXC_STMT_FOR) {
            if (out->n == RLXC_MAX_NDIM || !is_zero(s->loop.min))
                return false;
            out->vars[out->n] = s->loop.var;
            out->extents[out->n++] = s->loop.extent;
            s = s->loop.body;
        } else if (s->kind == RLXC_STMT_BLOCK && is_plain(s->block.block) &&
                   s->block.predicate == NULL) {
            out->block = s;
            if (s->block.block->n_axes > 0)
                return true;
            s = s->block.block->body;
        } else {
            return false;
        }
    }
}

/* Each axis is a loop of its own, from end to end. */
static bool axes_are_loops(rlxc_context *ctx, const nest *n)
{
    const rlxc_block *b = n->block->block.block;
    bool taken[RLXC_MAX_NDIM] = {false};
    if (b->n_axes != n->n)
        return false;
    for (uint32_t i = 0; i < b->n_axes; i++) {
        uint32_t k = 0;
        while (k < n->n && (taken[k] || n->vars[k] != n->block->block.values[i]))
            k++;
        if (k == n->n || b->axes[i].kind != RLXC_AXIS_SPATIAL || !is_zero(b->axes[i].min) ||
            !rlxc_prove_eq(ctx, b->axes[i].extent, n->extents[k], NULL))
            return false;
        taken[k] = true;
    }
    return true;
}

/* |indices| are the axes, each once, over the whole of |buffer|. */
static bool covers(rlxc_context *ctx, const rlxc_block *b, const rlxc_buffer *buffer,
                   const rlxc_expr *const *indices)
{
    bool taken[RLXC_MAX_NDIM] = {false};
    if (buffer->ndim != b->n_axes)
        return false;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        uint32_t k = 0;
        while (k < b->n_axes && (taken[k] || b->axes[k].var != indices[i]))
            k++;
        if (k == b->n_axes || !rlxc_prove_eq(ctx, b->axes[k].extent, buffer->shape[i], NULL))
            return false;
        taken[k] = true;
    }
    return true;
}

/* Positions are computed in the type that the indices have; a cast in between would hide sums. */
static const rlxc_expr *in_type(rlxc_context *ctx, rlx_dtype t, const rlxc_expr *e)
{
    return rlxc_cast(ctx, t, e);
}

static bool same(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_prove_eq(ctx, in_type(ctx, b->dtype, a), b, NULL);
}

/* index * size + rest, where |rest| is below |size|: e // size and e % size make e, and
 * (e // size) % n and e % size make e % (n * size). */
static const rlxc_expr *joined(rlxc_context *ctx, const rlxc_expr *index, const rlxc_expr *size,
                               const rlxc_expr *rest)
{
    const rlxc_expr *n = NULL, *div = index;
    if (index->kind == RLXC_EXPR_FLOORMOD) {
        div = index->bin.a;
        n = index->bin.b;
    }
    if (rest->kind == RLXC_EXPR_FLOORMOD && div->kind == RLXC_EXPR_FLOORDIV &&
        same(ctx, rest->bin.b, size) && same(ctx, div->bin.b, size) &&
        same(ctx, div->bin.a, rest->bin.a)) {
        const rlxc_expr *e = rest->bin.a;
        if (n == NULL)
            return e;
        return rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, e,
                           rlxc_mul(ctx, in_type(ctx, e->dtype, n), in_type(ctx, e->dtype, size)));
    }
    return rlxc_add(ctx, rlxc_mul(ctx, in_type(ctx, size->dtype, index), size),
                    in_type(ctx, size->dtype, rest));
}

/* The position of an element in row-major order. */
static const rlxc_expr *flat(rlxc_context *ctx, rlx_dtype t, const rlxc_buffer *buffer,
                             const rlxc_expr *const *indices)
{
    const rlxc_expr *size = rlxc_int(ctx, t, 1);
    const rlxc_expr *sum = rlxc_int(ctx, t, 0);
    for (uint32_t i = buffer->ndim; i-- > 0;) {
        sum = i + 1 == buffer->ndim ? indices[i] : joined(ctx, indices[i], size, sum);
        size = rlxc_mul(ctx, size, in_type(ctx, t, buffer->shape[i]));
    }
    return in_type(ctx, t, sum);
}

static bool copies(rlxc_context *ctx, const rlxc_prim_func *f, const nest *n)
{
    const rlxc_block *b = n->block->block.block;
    const rlxc_stmt *s = b->body;
    const rlxc_buffer *in = f->params[0].buffer, *out = f->params[1].buffer;
    if (s->kind != RLXC_STMT_STORE || s->store.buffer != out ||
        s->store.value->kind != RLXC_EXPR_LOAD || s->store.value->load.buffer != in ||
        !rlx_dtype_eq(in->dtype, out->dtype) || !covers(ctx, b, out, s->store.indices) ||
        !rlxc_prove_eq(ctx, rlxc_product(ctx, in->shape, in->ndim),
                       rlxc_product(ctx, out->shape, out->ndim), NULL))
        return false;
    rlxc_bounds bounds = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (uint32_t i = 0; i < b->n_axes; i++) {
        const rlxc_bound size = rlxc_bound_of(ctx, b->axes[i].extent, NULL);
        const int64_t max = size.max == INT64_MAX ? INT64_MAX : size.max - 1;
        rlxc_bounds_set(ctx, &bounds, b->axes[i].var, (rlxc_bound){0, max});
    }
    const rlx_dtype t = out->ndim > 0 ? s->store.indices[0]->dtype : RLX_I64;
    return rlxc_prove_eq(ctx, flat(ctx, t, out, s->store.indices),
                         flat(ctx, t, in, s->store.value->load.indices), &bounds);
}

bool rlx_ir_prim_is_reshape(rlx_ir_module *m, const rlx_ir_prim *handle)
{
    const rlxc_prim_func *f = of_prim(handle);
    nest n = {.n = 0};
    if (m == NULL || f == NULL || rlxc_out_of_memory(m->compiler->ctx) || f->n_params < 2)
        return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *b = f->params[i].buffer;
        if ((i < 2) != (b != NULL) || (b != NULL && (b->strides != NULL || b->elem_offset != NULL)))
            return false;
    }
    return find_nest(f->body, &n) && axes_are_loops(m->compiler->ctx, &n) &&
           copies(m->compiler->ctx, f, &n) && !rlxc_out_of_memory(m->compiler->ctx);
}
