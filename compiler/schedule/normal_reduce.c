/* Reductions in normal form: the init is part of the block, the update has the accumulator first,
 * then the new term, no reduction sums up the results of another one (rfactor), none begins with
 * elements of a buffer (they are added after it), and a condition on a reduction axis is its extent
 * where that is possible. */
#include <math.h>
#include <string.h>

#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

bool rlxc_commutes(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_MUL || e->kind == RLXC_EXPR_MIN ||
           e->kind == RLXC_EXPR_MAX || e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR;
}

static bool is_load_of(const rlxc_expr *e, const rlxc_buffer *buffer)
{
    return e->kind == RLXC_EXPR_LOAD && e->load.buffer == buffer;
}

static rlxc_block *changed(rlxc_context *ctx, const rlxc_block *block)
{
    rlxc_block *copy = rlxc_copy(ctx, block, sizeof *copy);
    rlxc_forget_regions(copy);
    return copy;
}

void rlxc_order_operands(rlxc_context *ctx, rlxc_nest *nest)
{
    const rlxc_stmt *store = nest->block->body;
    const rlxc_expr *v = store->store.value;
    if (!rlxc_commutes(v) || !is_load_of(v->bin.b, store->store.buffer) ||
        is_load_of(v->bin.a, store->store.buffer))
        return;
    rlxc_block *block = changed(ctx, nest->block);
    block->body =
        rlxc_store_of(ctx, store, rlxc_binary(ctx, (rlxc_expr_kind)v->kind, v->bin.b, v->bin.a));
    nest->block = block;
}

/* --- conditions ------------------------------------------------------------------------------- */

static bool is_zero(const rlxc_expr *e)
{
    return rlxc_is_const(e, 0) || (e->kind == RLXC_EXPR_FLOAT && e->f == 0.0);
}

static void set_term(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *term)
{
    const rlxc_stmt *store = nest->block->body;
    const rlxc_expr *v = store->store.value;
    rlxc_block *block = changed(ctx, nest->block);
    block->body =
        rlxc_store_of(ctx, store, rlxc_binary(ctx, (rlxc_expr_kind)v->kind, v->bin.a, term));
    nest->block = block;
    nest->plain = false;
}

const rlxc_expr *rlxc_neutral(rlxc_context *ctx, rlxc_expr_kind kind, rlx_dtype t)
{
    if (kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_MUL)
        return rlxc_cast(ctx, t, rlxc_i64(ctx, kind == RLXC_EXPR_MUL));
    if (kind != RLXC_EXPR_MIN && kind != RLXC_EXPR_MAX)
        return NULL;
    if (t.code == RLX_FLOAT && t.bits >= 32) /* the others may have no infinity */
        return rlxc_float(ctx, t, kind == RLXC_EXPR_MIN ? (double)INFINITY : -(double)INFINITY);
    const rlxc_bound range = rlxc_type_range(t);
    return t.code == RLX_INT ? rlxc_int(ctx, t, kind == RLXC_EXPR_MIN ? range.max : range.min)
                             : NULL;
}

/* True if |nest| is an update with the accumulator first. */
static bool is_ordered(const rlxc_nest *nest)
{
    const rlxc_stmt *store = nest->block->body;
    const rlxc_expr *v = store->store.value;
    return rlxc_commutes(v) && is_load_of(v->bin.a, store->store.buffer);
}

/* True if the term |e| changes no result of |nest|. */
static bool is_neutral(rlxc_context *ctx, const rlxc_nest *nest, const rlxc_expr *e)
{
    const rlxc_block *b = nest->block;
    const rlxc_expr *v = b->body->store.value;
    if (v->kind == RLXC_EXPR_ADD)
        return is_zero(e);
    return e == rlxc_neutral(ctx, (rlxc_expr_kind)v->kind, v->dtype) ||
           ((v->kind == RLXC_EXPR_MIN || v->kind == RLXC_EXPR_MAX) && b->init &&
            e == b->init->store.value);
}

bool rlxc_guard_term(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *cond)
{
    const rlxc_block *b = nest->block;
    const rlxc_stmt *store = b->body;
    rlxc_order_operands(ctx, nest);
    const rlxc_expr *v = nest->block->body->store.value;
    const rlxc_expr *neutral =
        is_ordered(nest) ? rlxc_neutral(ctx, (rlxc_expr_kind)v->kind, v->dtype) : NULL;
    if (!neutral)
        return false;
    for (uint32_t i = 0; i < store->store.n; i++) {
        const uint32_t k = rlxc_block_axis(b, store->store.indices[i]);
        if (k < b->n_axes &&
            !rlxc_prove_le(ctx, nest->extents[k], store->store.buffer->shape[i], NULL))
            return false;
    }
    const rlxc_expr *term = nest->block->body->store.value->bin.b;
    const rlxc_expr *args[] = {cond, term, neutral};
    set_term(ctx, nest, rlxc_call(ctx, term->dtype, "if_then_else", args, 3));
    return true;
}

static void set_extent(rlxc_context *ctx, rlxc_nest *nest, uint32_t axis, const rlxc_expr *extent)
{
    rlxc_block *block = changed(ctx, nest->block);
    rlxc_axis *axes = rlxc_copy(ctx, block->axes, block->n_axes * sizeof *axes);
    nest->extents[axis] = axes[axis].extent = extent;
    block->axes = axes;
    nest->block = block;
    nest->plain = false;
}

void rlxc_shorten_reduction(rlxc_context *ctx, rlxc_nest *nest)
{
    const rlxc_expr *e = is_ordered(nest) ? nest->block->body->store.value->bin.b : NULL;
    if (!e || !rlxc_is_choice(e) || e->call.args[0]->kind != RLXC_EXPR_LT ||
        !is_neutral(ctx, nest, e->call.args[2]))
        return;
    const rlxc_expr *limit = e->call.args[0]->bin.b;
    const uint32_t k = rlxc_block_axis(nest->block, e->call.args[0]->bin.a);
    if (k == nest->block->n_axes || nest->block->axes[k].kind != RLXC_AXIS_REDUCE ||
        limit->from_memory || !rlxc_prove_le(ctx, rlxc_i64(ctx, 0), limit, NULL) ||
        !rlxc_prove_le(ctx, limit, nest->extents[k], NULL))
        return;
    for (uint32_t i = 0; i < nest->block->n_axes; i++)
        if (rlxc_expr_uses_var(ctx, limit, nest->block->axes[i].var))
            return;
    set_term(ctx, nest, e->call.args[1]);
    set_extent(ctx, nest, k, limit);
}

/* --- init ------------------------------------------------------------------------------------- */

/* The name of the block before another tool split it. */
static const char *whole_name(rlxc_context *ctx, const char *name)
{
    static const char suffix[] = "_update";
    const size_t n = strlen(name), tail = sizeof suffix - 1;
    return n > tail && strcmp(name + n - tail, suffix) == 0 ? rlxc_intern(ctx, name, n - tail)
                                                            : name;
}

/* True if |init| stores exactly the elements that |update| does; *out is its value over the axes of
 * update. */
static bool match_results(rlxc_context *ctx, const rlxc_nest *update, const rlxc_nest *init,
                          const rlxc_expr **out)
{
    const rlxc_block *u = update->block, *b = init->block;
    const rlxc_expr *vars[RLXC_NEST_AXES], *values[RLXC_NEST_AXES];
    const rlxc_stmt *store = b->body;
    uint32_t n = 0;
    if (u->init || b->init || store->store.buffer != u->body->store.buffer ||
        rlxc_nest_reads_own(ctx, b) || !rlxc_nest_reads_own(ctx, u))
        return false;
    for (uint32_t i = 0; i < store->store.n; i++) {
        const rlxc_expr *x = store->store.indices[i], *y = u->body->store.indices[i];
        const uint32_t p = rlxc_block_axis(b, x), q = rlxc_block_axis(u, y);
        if (p == b->n_axes || q == u->n_axes) {
            if (x != y)
                return false;
            continue;
        }
        if (!rlxc_prove_eq(ctx, init->extents[p], update->extents[q], NULL))
            return false;
        vars[n] = x;
        values[n++] = rlxc_cast(ctx, x->dtype, y);
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE)
            return false;
    *out = rlxc_substitute(ctx, store->store.value, vars, values, n);
    return true;
}

static void set_init(rlxc_context *ctx, rlxc_nest *update, const rlxc_stmt *at,
                     const rlxc_expr *value)
{
    rlxc_block *joined = changed(ctx, update->block);
    rlxc_stmt *start = rlxc_copy(ctx, at, sizeof *start);
    start->store.indices = joined->body->store.indices;
    start->store.value = value;
    joined->init = start;
    joined->name = whole_name(ctx, joined->name);
    update->block = joined;
}

typedef struct beginning {
    const rlxc_buffer *buffer;
    const rlxc_expr *value;
} beginning;

static const rlxc_expr *with_beginning(void *user, const rlxc_expr *e)
{
    const beginning *b = user;
    return is_load_of(e, b->buffer) ? b->value : NULL;
}

bool rlxc_join_init(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init)
{
    const rlxc_expr *value;
    bool reduces = false;
    for (uint32_t k = 0; k < update->block->n_axes; k++)
        reduces = reduces || update->block->axes[k].kind == RLXC_AXIS_REDUCE;
    if (!match_results(ctx, update, init, &value))
        return false;
    if (reduces) {
        set_init(ctx, update, init->block->body, value);
        return true;
    }
    const rlxc_stmt *store = update->block->body; /* of one step, whose loop was dropped */
    beginning own = {store->store.buffer, value};
    rlxc_block *block = changed(ctx, update->block);
    block->body =
        rlxc_store_of(ctx, store, rlxc_expr_rewrite(ctx, store->store.value, with_beginning, &own));
    update->block = block;
    update->plain = false;
    return true;
}

static const rlxc_expr *wide_load(void *user, const rlxc_expr *e)
{
    rlxc_context *ctx = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)e->load.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = rlxc_wide(ctx, rlxc_expr_rewrite(ctx, e->load.indices[i], wide_load, ctx));
    return rlxc_load(ctx, e->load.buffer, at, e->load.n);
}

/* |e| for comparisons: all indices are of int64, and simplified. */
static const rlxc_expr *comparable(rlxc_context *ctx, const rlxc_expr *e)
{
    return rlxc_simplify(ctx, rlxc_expr_rewrite(ctx, e, wide_load, ctx), NULL);
}

typedef struct first_step {
    rlxc_context *ctx;
    const rlxc_expr *var, *extent;
    bool exists;
} first_step;

/* Finds a load at index step + 1 of a dimension of extent + 1 elements. The first term reads
 * element 0 of it, so there is one, and the extent is not negative. */
static bool find_first_step(void *user, const rlxc_expr *e)
{
    first_step *f = user;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < e->load.n && !f->exists; i++) {
        int64_t by;
        const rlxc_expr *rest, *more = rlxc_add(f->ctx, f->extent, rlxc_i64(f->ctx, 1));
        f->exists =
            rlxc_linear_in(f->ctx, rlxc_wide(f->ctx, e->load.indices[i]), f->var, &by, &rest) &&
            by == 1 && rlxc_is_const(rlxc_canonical(f->ctx, rest, NULL), 1) &&
            rlxc_prove_eq(f->ctx, rlxc_wide(f->ctx, e->load.buffer->shape[i]), more, NULL);
    }
    return !f->exists;
}

bool rlxc_join_first(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init)
{
    const rlxc_block *b = update->block;
    const rlxc_expr *first, *v = b->body->store.value;
    uint32_t r = b->n_axes;
    if (!is_ordered(update) || !match_results(ctx, update, init, &first))
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind == RLXC_AXIS_REDUCE && r < b->n_axes)
            return false;
        r = b->axes[k].kind == RLXC_AXIS_REDUCE ? k : r;
    }
    if (r == b->n_axes)
        return false;
    const rlxc_expr *neutral = rlxc_neutral(ctx, (rlxc_expr_kind)v->kind, v->dtype);
    const rlxc_expr *var = b->axes[r].var, *one = rlxc_int(ctx, var->dtype, 1);
    const rlxc_expr *before = rlxc_int(ctx, var->dtype, -1), *earlier = rlxc_sub(ctx, var, one);
    const rlxc_expr *term = rlxc_substitute(ctx, v->bin.b, &var, &before, 1);
    const rlxc_expr *extent = rlxc_wide(ctx, update->extents[r]);
    first_step step = {ctx, var, extent, rlxc_prove_le(ctx, rlxc_i64(ctx, 0), extent, NULL)};
    rlxc_expr_visit(ctx, v->bin.b, find_first_step, &step);
    if (!step.exists || !neutral || comparable(ctx, term) != comparable(ctx, first))
        return false;
    set_init(ctx, update, init->block->body, neutral);
    set_term(ctx, update,
             rlxc_simplify(ctx, rlxc_substitute(ctx, v->bin.b, &var, &earlier, 1), NULL));
    set_extent(ctx, update, r, rlxc_simplify(ctx, rlxc_add(ctx, update->extents[r], one), NULL));
    return true;
}

/* --- partial results -------------------------------------------------------------------------- */

/* The new term of a reduction with an init, in the order of rlxc_order_operands; or NULL. */
static const rlxc_expr *term_of(rlxc_context *ctx, const rlxc_nest *nest)
{
    const rlxc_block *b = nest->block;
    const rlxc_expr *v = b->body->store.value;
    return b->init && rlxc_commutes(v) && is_load_of(v->bin.a, b->body->store.buffer) &&
                   !rlxc_mentions(ctx, v->bin.b, b->body->store.buffer)
               ? v->bin.b
               : NULL;
}

bool rlxc_split_init(rlxc_context *ctx, rlxc_nest *nest, rlxc_nest *rest, rlxc_buffer **temp)
{
    const rlxc_block *b = nest->block;
    const rlxc_stmt *store = b->body;
    const rlxc_expr *v = store->store.value, *from[RLXC_NEST_AXES], *to[RLXC_NEST_AXES];
    const rlxc_expr *neutral =
        term_of(ctx, nest) ? rlxc_neutral(ctx, (rlxc_expr_kind)v->kind, v->dtype) : NULL;
    if (!neutral || rlxc_expr_visit(ctx, b->init->store.value, rlxc_is_no_load, NULL))
        return false;
    const rlxc_buffer *out = store->store.buffer;
    *temp = rlxc_buffer_new(ctx, out->name, out->dtype, out->shape, out->ndim);
    *rest = (rlxc_nest){.realize = nest->realize};
    rlxc_axis *axes = rlxc_alloc(ctx, ((size_t)b->n_axes + 1) * sizeof *axes);
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind != RLXC_AXIS_SPATIAL) {
            if (rlxc_expr_uses_var(ctx, b->init->store.value, b->axes[k].var))
                return false;
            continue;
        }
        from[n] = b->axes[k].var;
        axes[n] = b->axes[k];
        axes[n].var = to[n] = rlxc_var_like(ctx, from[n]);
        rest->vars[n] = rlxc_var_like(ctx, nest->vars[k]);
        rest->extents[n++] = nest->extents[k];
    }
    const rlxc_stmt *first = rlxc_store_with(ctx, b->init, from, to, n);
    const rlxc_expr *sum = rlxc_load(ctx, *temp, first->store.indices, first->store.n);
    rlxc_block *after = rlxc_alloc(ctx, sizeof *after), *own = changed(ctx, b);
    *after = (rlxc_block){.name = b->name, .axes = axes, .n_axes = n};
    after->body = rlxc_store_of(ctx, first,
                                rlxc_binary(ctx, (rlxc_expr_kind)v->kind, first->store.value, sum));
    own->body = rlxc_with_buffer(ctx, store, out, *temp, true);
    own->init = rlxc_store_of(ctx, rlxc_with_buffer(ctx, b->init, out, *temp, true), neutral);
    rest->block = after;
    nest->block = own;
    nest->plain = false;
    return !rlxc_failed(ctx);
}

/* True if it makes no difference that each partial result of |partial| begins with its init. */
static bool begins_neutral(rlxc_context *ctx, const rlxc_nest *whole, const rlxc_nest *partial)
{
    const rlxc_expr *init = partial->block->init->store.value;
    return (init->kind == RLXC_EXPR_INT || init->kind == RLXC_EXPR_FLOAT) &&
           is_neutral(ctx, whole, init);
}

typedef struct loads_of {
    rlxc_context *ctx;
    const rlxc_expr *var;
    const rlxc_block *partial;
} loads_of;

/* True if a load that uses the reduction axes of the partial sum uses the variable, too. */
static bool load_uses(void *user, const rlxc_expr *e)
{
    const loads_of *l = user;
    bool reduced = false;
    if (e->kind != RLXC_EXPR_LOAD || rlxc_expr_uses_var(l->ctx, e, l->var))
        return true;
    for (uint32_t k = 0; k < l->partial->n_axes && !reduced; k++)
        reduced = l->partial->axes[k].kind == RLXC_AXIS_REDUCE &&
                  rlxc_expr_uses_var(l->ctx, e, l->partial->axes[k].var);
    return !reduced;
}

const rlxc_stmt *rlxc_merge_partial(rlxc_context *ctx, const rlxc_nest *whole,
                                    const rlxc_nest *partial)
{
    const rlxc_block *w = whole->block, *p = partial->block;
    const rlxc_expr *load = term_of(ctx, whole), *term = term_of(ctx, partial);
    const rlxc_stmt *store = p->body;
    const rlxc_expr *from[RLXC_NEST_AXES], *to[RLXC_NEST_AXES];
    bool read[RLXC_NEST_AXES] = {false};
    uint32_t n = 0;
    if (!load || !term || !is_load_of(load, store->store.buffer) ||
        w->body->store.value->kind != store->store.value->kind ||
        !begins_neutral(ctx, whole, partial))
        return NULL;
    for (uint32_t i = 0; i < store->store.n; i++) {
        const uint32_t k = rlxc_block_axis(p, store->store.indices[i]);
        const uint32_t q = rlxc_block_axis(w, load->load.indices[i]);
        if (k < p->n_axes && rlxc_is_const(partial->extents[k], 1) &&
            rlxc_is_const(load->load.indices[i], 0)) {
            from[n] = p->axes[k].var;
            to[n] = rlxc_int(ctx, from[n]->dtype, 0);
            n++;
            continue;
        }
        if (k == p->n_axes || q == w->n_axes || read[q] ||
            !rlxc_prove_eq(ctx, partial->extents[k], whole->extents[q], NULL))
            return NULL;
        loads_of loads = {ctx, p->axes[k].var, p};
        if (w->axes[q].kind == RLXC_AXIS_REDUCE && !rlxc_expr_visit(ctx, term, load_uses, &loads))
            return NULL; /* such as the sums of the columns of a product */
        read[q] = true;
        from[n] = p->axes[k].var;
        to[n++] = w->axes[q].var;
    }
    rlxc_nest merged = *whole;
    rlxc_block *block = changed(ctx, w);
    rlxc_axis *axes = rlxc_alloc(ctx, ((size_t)w->n_axes + p->n_axes) * sizeof *axes);
    for (uint32_t k = 0; k < w->n_axes; k++)
        axes[k] = w->axes[k];
    for (uint32_t k = 0; k < p->n_axes; k++) {
        if (p->axes[k].kind != RLXC_AXIS_REDUCE)
            continue;
        if (block->n_axes == RLXC_NEST_AXES)
            return NULL;
        merged.vars[block->n_axes] = partial->vars[k];
        merged.extents[block->n_axes] = partial->extents[k];
        axes[block->n_axes] = p->axes[k];
        from[n] = p->axes[k].var;
        to[n++] = axes[block->n_axes++].var = rlxc_var_like(ctx, p->axes[k].var);
    }
    block->axes = axes;
    block->annotations = (rlxc_attrs){0};
    block->body = rlxc_store_of(ctx, w->body,
                                rlxc_binary(ctx, (rlxc_expr_kind)w->body->store.value->kind,
                                            w->body->store.value->bin.a,
                                            rlxc_substitute(ctx, term, from, to, n)));
    for (uint32_t k = 0; k < block->n_axes; k++)
        axes[k].extent = merged.extents[k];
    rlxc_order_axes(ctx, block, axes, merged.vars);
    for (uint32_t k = 0; k < block->n_axes; k++)
        merged.extents[k] = axes[k].extent;
    merged.block = block;
    merged.plain = false;
    return rlxc_nest_stmt(ctx, &merged);
}
