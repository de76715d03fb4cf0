/* The callee's side of inline_prim_calls: replaces parameters and T.ret.
 *
 * A return that is not the last statement of the function also sets a flag; later statements run
 * only while the flag is 0, and loops then do nothing. */
#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/passes/inline_calls.h"

static void push(rlxc_callee *c, rlxc_stmt_list *list, const rlxc_stmt *s)
{
    ((rlxc_stmt *)(uintptr_t)s)->range = c->range; /* made just now */
    RLXC_PUSH(c->ctx, list, s);
}

rlxc_buffer *rlxc_declare_local(rlxc_context *ctx, const char *name, rlx_dtype dtype,
                                const rlxc_expr *const *extent, rlxc_stmt_list *out)
{
    rlxc_buffer *buffer = rlxc_buffer_new(ctx, name, dtype, extent, 1);
    buffer->scope = rlxc_intern_cstr(ctx, "local");
    rlxc_stmt *memory = rlxc_alloc(ctx, sizeof *memory), *decl = rlxc_alloc(ctx, sizeof *decl);
    memory->kind = RLXC_STMT_ALLOCATE;
    memory->allocate.var = buffer->data;
    memory->allocate.dtype = dtype;
    memory->allocate.extents = buffer->shape;
    memory->allocate.n = 1;
    memory->allocate.scope = buffer->scope;
    decl->kind = RLXC_STMT_DECL_BUFFER;
    decl->decl = buffer;
    RLXC_PUSH(ctx, out, memory);
    RLXC_PUSH(ctx, out, decl);
    return buffer;
}

/* --- arguments ------------------------------------------------------------------------------- */

typedef struct places {
    rlxc_context *ctx;
    rlxc_map vars;    /* the callee's variable -> the argument */
    rlxc_map buffers; /* the callee's buffer -> the one with the argument's memory */
} places;

static const rlxc_expr *placed_leaf(void *user, const rlxc_expr *e)
{
    places *p = user;
    return e->kind == RLXC_EXPR_VAR ? rlxc_map_get(&p->vars, rlxc_key(e)) : NULL;
}

static const rlxc_expr *placed(void *user, const rlxc_expr *e)
{
    places *p = user;
    return e ? rlxc_expr_rewrite(p->ctx, e, placed_leaf, p) : NULL;
}

static rlxc_buffer *placed_buffer(void *user, const rlxc_buffer *b)
{
    places *p = user;
    rlxc_buffer *known = rlxc_map_get(&p->buffers, rlxc_key(b));
    const rlxc_expr *data = b->data ? rlxc_map_get(&p->vars, rlxc_key(b->data)) : NULL;
    if (known || !data)
        return known;
    rlxc_buffer *made = rlxc_copy(p->ctx, b, sizeof *b);
    made->data = data;
    rlxc_map_set(p->ctx, &p->buffers, rlxc_key(b), made);
    return made;
}

/* Binds |var| of the callee to |value|. */
static void bind_var(rlxc_callee *c, places *p, const rlxc_expr *var, const rlxc_expr *value)
{
    if (value->kind == RLXC_EXPR_VAR && rlxc_dtype_is_handle(var->dtype))
        rlxc_map_set(c->ctx, &p->vars, rlxc_key(var), (void *)(uintptr_t)value);
    else
        push(c, c->out, rlxc_stmt_let(c->ctx, var, value));
}

static bool bind_number(rlxc_callee *c, places *p, const rlxc_expr *var, const rlxc_expr *value)
{
    bool handle = rlxc_dtype_is_handle(var->dtype);
    if (handle != rlxc_dtype_is_handle(value->dtype) || rlxc_dtype_is_void(value->dtype) ||
        value->dtype.lanes != var->dtype.lanes) {
        rlxc_error(c->ctx, c->range, "parameter '%s' of PrimFunc '%s' is %s, got %s", var->var.name,
                   c->f->name, rlxc_dtype_name(c->ctx, var->dtype),
                   rlxc_dtype_name(c->ctx, value->dtype));
        return false;
    }
    bind_var(c, p, var, handle ? value : rlxc_cast(c->ctx, var->dtype, value));
    return true;
}

/* Matches the callee's dimension |want| with |have|: binds it, or requires equality. */
static bool bind_dim(rlxc_callee *c, rlxc_map *bound, const char *name, uint32_t d,
                     const rlxc_expr *want, const rlxc_expr *have)
{
    int64_t a, b;
    have = rlxc_cast(c->ctx, want->dtype, have);
    if (want->kind == RLXC_EXPR_VAR && !rlxc_map_get(bound, rlxc_key(want))) {
        rlxc_map_set(c->ctx, bound, rlxc_key(want), bound);
        push(c, c->out, rlxc_stmt_let(c->ctx, want, have));
        return true;
    }
    if (rlxc_is_int(want, &a) && rlxc_is_int(have, &b) && a != b) {
        rlxc_error(c->ctx, c->range,
                   "buffer '%s' of PrimFunc '%s' has %lld elements in dimension %u, got %lld", name,
                   c->f->name, (long long)a, d, (long long)b);
        return false;
    }
    if (rlxc_canonical(c->ctx, want, NULL) == rlxc_canonical(c->ctx, have, NULL))
        return true;
    rlxc_stmt *check = rlxc_alloc(c->ctx, sizeof *check);
    check->kind = RLXC_STMT_ASSERT;
    check->assert_.cond = rlxc_binary(c->ctx, RLXC_EXPR_EQ, want, have);
    check->assert_.message =
        rlxc_internf(c->ctx, "dimension %u of buffer '%s' of PrimFunc '%s'", d, name, c->f->name);
    push(c, c->out, check);
    return true;
}

static bool is_named(const rlxc_expr *e, const char *name)
{
    return e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, name) == 0;
}

/* A parameter that is a buffer; |array|: T.tvm_stack_make_array(data, shape, strides, number of
 * dimensions, a number of the element type, offset). */
static bool bind_buffer(rlxc_callee *c, places *p, rlxc_map *bound, const rlxc_buffer *want,
                        const rlxc_expr *array)
{
    if (!is_named(array, "tvm_stack_make_array") ||
        !is_named(array->call.args[1], "tvm_stack_make_shape")) {
        rlxc_error(c->ctx, c->range,
                   "parameter '%s' of PrimFunc '%s' is a buffer: pass a buffer, not an address",
                   want->name, c->f->name);
        return false;
    }
    const rlxc_expr *const *have = array->call.args;
    bool strided = is_named(have[2], "tvm_stack_make_shape");
    if (have[1]->call.n != want->ndim || !rlxc_dtype_eq(have[4]->dtype, want->dtype) ||
        want->strides || (strided && have[2]->call.n != want->ndim)) {
        rlxc_error(c->ctx, c->range,
                   "parameter '%s' of PrimFunc '%s' is a buffer of %u dimension%s of %s%s, got %u "
                   "of %s",
                   want->name, c->f->name, want->ndim, want->ndim == 1 ? "" : "s",
                   rlxc_dtype_name(c->ctx, want->dtype),
                   want->strides ? " with strides, which calls cannot pass" : "", have[1]->call.n,
                   rlxc_dtype_name(c->ctx, have[4]->dtype));
        return false;
    }
    for (uint32_t i = 0; i < want->ndim; i++)
        if (!bind_dim(c, bound, want->name, i, want->shape[i], have[1]->call.args[i]))
            return false;
    bind_var(c, p, want->data, have[0]);
    rlxc_buffer *made = rlxc_copy(c->ctx, want, sizeof *want);
    made->data = placed(p, want->data);
    if (strided)
        made->strides = have[2]->call.args;
    if (!rlxc_is_const(have[5], 0)) {
        if (want->elem_offset && want->elem_offset->kind == RLXC_EXPR_VAR)
            push(c, c->out,
                 rlxc_stmt_let(c->ctx, want->elem_offset,
                               rlxc_cast(c->ctx, want->elem_offset->dtype, have[5])));
        made->elem_offset = have[5];
    }
    rlxc_map_set(c->ctx, &p->buffers, rlxc_key(want), made);
    rlxc_stmt *decl = rlxc_alloc(c->ctx, sizeof *decl);
    decl->kind = RLXC_STMT_DECL_BUFFER;
    decl->decl = made;
    push(c, c->out, decl);
    return true;
}

bool rlxc_bind_arguments(rlxc_callee *c, const rlxc_expr *const *args)
{
    places p = {.ctx = c->ctx};
    rlxc_map bound = {0};
    rlxc_prim_func *f = c->f;
    for (uint32_t i = 0; i < f->n_params; i++) /* numbers first: shapes may use them */
        if (!f->params[i].buffer) {
            rlxc_map_set(c->ctx, &bound, rlxc_key(f->params[i].var), &bound);
            if (!bind_number(c, &p, f->params[i].var, args[i]))
                return false;
        }
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer && !bind_buffer(c, &p, &bound, f->params[i].buffer, args[i]))
            return false;
    const rlxc_stmt_rewriter rewriter = {.user = &p, .expr = placed, .buffer = placed_buffer};
    f->body = rlxc_stmt_rewrite(c->ctx, f->body, &rewriter);
    return !rlxc_failed(c->ctx);
}

/* --- returns --------------------------------------------------------------------------------- */

typedef struct returns {
    rlxc_callee *c;
    rlxc_buffer *flag;
    bool used;
} returns;

static bool is_return(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_EVALUATE && is_named(s->evaluate, "ret") &&
           s->evaluate->call.n == 1;
}

static bool find_return(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found |= is_return(s);
    return !*found;
}

static bool may_return(const rlxc_stmt *s)
{
    bool found = false;
    if (s)
        rlxc_stmt_visit(s, find_return, &found);
    return found;
}

static const rlxc_expr *flag_is(const returns *r, rlxc_expr_kind kind, int64_t value)
{
    const rlxc_expr *zero = rlxc_int(r->c->ctx, RLX_I32, 0);
    return rlxc_binary(r->c->ctx, kind, rlxc_load(r->c->ctx, r->flag, &zero, 1),
                       rlxc_int(r->c->ctx, RLX_I32, value));
}

static const rlxc_stmt *store_return(returns *r, const rlxc_stmt *s, bool last)
{
    rlxc_callee *c = r->c;
    rlxc_stmt_list list = {0};
    const rlxc_expr *zero = rlxc_int(c->ctx, RLX_I32, 0), *value = s->evaluate->call.args[0];
    if (c->result)
        push(c, &list,
             rlxc_stmt_store(c->ctx, c->result, &zero, 1,
                             rlxc_cast(c->ctx, c->result->dtype, value)));
    if (!last) {
        r->used = true;
        push(c, &list, rlxc_stmt_store(c->ctx, r->flag, &zero, 1, rlxc_int(c->ctx, RLX_I32, 1)));
    }
    return list.count > 0 ? rlxc_stmt_seq(c->ctx, list.items, list.count)
                          : rlxc_stmt_evaluate(c->ctx, zero);
}

static const rlxc_stmt *without_returns(returns *r, const rlxc_stmt *s, bool last);

/* From the last statement that may return to the first, puts the rest under a condition. */
static const rlxc_stmt *sequence(returns *r, const rlxc_stmt *s, bool last)
{
    rlxc_context *ctx = r->c->ctx;
    const rlxc_stmt *rest = NULL;
    const rlxc_stmt **items = rlxc_alloc(ctx, ((size_t)s->seq.n + 1) * sizeof *items);
    uint32_t end = s->seq.n;
    for (uint32_t i = s->seq.n; i-- > 0;) {
        if (i > 0 && !may_return(s->seq.items[i - 1]))
            continue;
        uint32_t n = 0;
        for (uint32_t k = i; k < end; k++)
            items[n++] = without_returns(r, s->seq.items[k], last && k + 1 == s->seq.n);
        if (rest)
            items[n++] = rlxc_stmt_if(ctx, flag_is(r, RLXC_EXPR_EQ, 0), rest, NULL);
        rest = rlxc_stmt_seq(ctx, items, n);
        end = i;
    }
    return rest;
}

/* |s| with stores in place of returns; |last|: it is the end of the function. */
static const rlxc_stmt *without_returns(returns *r, const rlxc_stmt *s, bool last)
{
    rlxc_context *ctx = r->c->ctx;
    if (!may_return(s))
        return s;
    if (s->kind == RLXC_STMT_SEQ)
        return sequence(r, s, last);
    if (s->kind == RLXC_STMT_EVALUATE)
        return store_return(r, s, last);
    rlxc_stmt *copy = (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(ctx, s);
    if (s->kind == RLXC_STMT_IF) {
        copy->if_.then = without_returns(r, s->if_.then, last);
        if (s->if_.otherwise)
            copy->if_.otherwise = without_returns(r, s->if_.otherwise, last);
    } else if (s->kind == RLXC_STMT_BLOCK) {
        rlxc_block *block = rlxc_copy(ctx, s->block.block, sizeof *block);
        block->body = without_returns(r, block->body, last && block->n_axes == 0);
        block->has_writes = false; /* the result is one of them now */
        copy->block.block = block;
    } else if (s->kind == RLXC_STMT_WHILE) {
        copy->while_.body = without_returns(r, s->while_.body, false);
        copy->while_.cond =
            rlxc_binary(ctx, RLXC_EXPR_AND, flag_is(r, RLXC_EXPR_EQ, 0), s->while_.cond);
    } else if (s->kind == RLXC_STMT_FOR) {
        if (s->loop.kind == RLXC_LOOP_PARALLEL || s->loop.kind == RLXC_LOOP_VECTORIZED)
            rlxc_error(ctx, r->c->range, "PrimFunc '%s' returns from a parallel or vectorized loop",
                       r->c->f->name);
        const rlxc_stmt *body = without_returns(r, s->loop.body, false);
        copy->loop.body = rlxc_stmt_if(ctx, flag_is(r, RLXC_EXPR_EQ, 0), body, NULL);
    }
    return copy;
}

void rlxc_run_callee(rlxc_callee *c, rlxc_stmt_list *declared)
{
    rlxc_context *ctx = c->ctx;
    const rlxc_expr *zero = rlxc_int(ctx, RLX_I32, 0), *one = rlxc_int(ctx, RLX_I32, 1);
    rlxc_stmt_list flag = {0};
    returns r = {.c = c};
    if (!rlxc_dtype_is_void(c->f->ret_dtype))
        c->result = rlxc_declare_local(ctx, "result", c->f->ret_dtype, &one, declared);
    r.flag = rlxc_declare_local(ctx, "returned", RLX_I32, &one, &flag);
    const rlxc_stmt *body = without_returns(&r, c->f->body, true);
    for (uint32_t i = 0; r.used && i < flag.count; i++)
        RLXC_PUSH(ctx, declared, flag.items[i]);
    if (r.used)
        push(c, c->out, rlxc_stmt_store(ctx, r.flag, &zero, 1, zero));
    RLXC_PUSH(ctx, c->out, body);
}
