/* Spellings of TIR that mean the same, as one: the first step of normal form.
 *
 *   T.pow(x, 2)                      x * x
 *   i >> 3, i << 3, i & 7            i // 8, i * 8, i % 8: indices only, words of weights are loads
 *   T.Not(i >= n)                    i < n, of integers
 *   T.Let(v * v, where={v: x})       x * x
 *   v = i * 8; A[v] = B[v]           A[i * 8] = B[i * 8]: indices only
 *   for i in range(8): A[i // 2]     the loop, indices and comparisons of indices in int64
 *   for i in range(n): A[i % n]      for i in range(n): A[i] */
#include <string.h>

#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

/* Nodes of a value that is written for its name: chains of larger ones would double. */
enum { SMALL = 24 };

/* --- expressions ------------------------------------------------------------------------------ */

/* For rlxc_expr_rewrite_all: rewrites the parts of what it replaces, and only those, so that no
 * node is rewritten twice. */
static const rlxc_expr *plain(void *user, const rlxc_expr *e);

static const rlxc_expr *plain_all(rlxc_context *ctx, const rlxc_expr *e)
{
    return rlxc_expr_rewrite_all(ctx, e, plain, ctx);
}

static bool is_call_of(const rlxc_expr *e, const char *name)
{
    return strcmp(e->call.name, name) == 0;
}

/* A shift by a constant, or a mask of the lowest bits, as arithmetic; NULL: another call. */
static const rlxc_expr *plain_bits(rlxc_context *ctx, const rlxc_expr *e)
{
    const bool mask = is_call_of(e, "bitwise_and"), left = is_call_of(e, "shift_left");
    int64_t by;
    if ((!mask && !left && !is_call_of(e, "shift_right")) || !rlxc_is_index_type(e->dtype) ||
        e->call.args[0]->from_memory || !rlxc_is_int(e->call.args[1], &by) || by < 0 ||
        by >= INT32_MAX || (mask ? (by & (by + 1)) != 0 : by > e->dtype.bits - 2))
        return NULL;
    const rlxc_expr *unit = rlxc_int(ctx, e->dtype, mask ? by + 1 : (int64_t)1 << by);
    return rlxc_binary(ctx,
                       mask   ? RLXC_EXPR_FLOORMOD
                       : left ? RLXC_EXPR_MUL
                              : RLXC_EXPR_FLOORDIV,
                       plain_all(ctx, e->call.args[0]), unit);
}

/* The comparison that holds where |e|, one of integers, does not; NULL: |e| is another node. */
static const rlxc_expr *opposite(rlxc_context *ctx, const rlxc_expr *e)
{
    static const rlxc_expr_kind pairs[][2] = {
        {RLXC_EXPR_LT, RLXC_EXPR_GE}, {RLXC_EXPR_LE, RLXC_EXPR_GT}, {RLXC_EXPR_EQ, RLXC_EXPR_NE}};
    if (!rlxc_is_compare((rlxc_expr_kind)e->kind) || !rlxc_is_index_type(e->bin.a->dtype))
        return NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < 2; k++)
            if (pairs[i][k] == (rlxc_expr_kind)e->kind)
                return rlxc_binary(ctx, pairs[i][1 - k], e->bin.a, e->bin.b);
    return NULL;
}

/* The nodes of |e|, which count again where they occur again; at most |most| + 1. */
static uint32_t size_of(const rlxc_expr *e, uint32_t most)
{
    uint32_t n = 1;
    if (rlxc_is_binary(e)) {
        n += size_of(e->bin.a, most);
        n += n <= most ? size_of(e->bin.b, most) : 0;
    } else if (e->kind == RLXC_EXPR_CAST) {
        n += size_of(e->bin.a, most);
    } else if (e->kind == RLXC_EXPR_LOAD) {
        for (uint32_t i = 0; i < e->load.n && n <= most; i++)
            n += size_of(e->load.indices[i], most);
    } else if (e->kind != RLXC_EXPR_VAR && e->kind != RLXC_EXPR_INT && e->kind != RLXC_EXPR_FLOAT) {
        n = most + 1;
    }
    return n <= most ? n : most + 1;
}

static const rlxc_expr *plain(void *user, const rlxc_expr *e)
{
    rlxc_context *ctx = user;
    const rlxc_expr *turned = e->kind == RLXC_EXPR_NOT ? opposite(ctx, e->bin.a) : NULL;
    if (turned)
        return plain_all(ctx, turned);
    if (e->kind == RLXC_EXPR_LET && rlxc_may_move(ctx, e->let.value)) {
        const rlxc_expr *value = plain_all(ctx, e->let.value);
        if (size_of(value, SMALL) <= SMALL)
            return plain_all(ctx, rlxc_substitute(ctx, e->let.body, &e->let.var, &value, 1));
        return rlxc_let(ctx, e->let.var, value, plain_all(ctx, e->let.body));
    }
    if (e->kind != RLXC_EXPR_CALL || e->call.n != 2)
        return NULL;
    if (rlxc_dtype_is_float(e->dtype) && is_call_of(e, "pow"))
        return rlxc_pow(ctx, plain_all(ctx, e->call.args[0]), plain_all(ctx, e->call.args[1]));
    return plain_bits(ctx, e);
}

static const rlxc_expr *plain_expr(void *user, const rlxc_expr *e)
{
    return plain_all(user, e);
}

/* --- lets of indices -------------------------------------------------------------------------- */

enum { MOST_LETS = 32 };

typedef struct lets {
    rlxc_context *ctx;
    const rlxc_expr *vars[MOST_LETS], *values[MOST_LETS];
    uint32_t n;
} lets;

static const rlxc_expr *with_values(void *user, const rlxc_expr *e)
{
    const lets *l = user;
    return rlxc_substitute(l->ctx, e, l->vars, l->values, l->n);
}

static const rlxc_expr *size_with_values(const lets *l, const rlxc_expr *e)
{
    return rlxc_simplify(l->ctx, rlxc_substitute(l->ctx, e, l->vars, l->values, l->n), NULL);
}

static const rlxc_expr *const *sizes_with_values(const lets *l, const rlxc_expr *const *sizes,
                                                 uint32_t n)
{
    const rlxc_expr **own = rlxc_alloc(l->ctx, ((size_t)n + 1) * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = size_with_values(l, sizes[i]);
    return own;
}

static void put_values(const lets *l, rlxc_buffer *b)
{
    b->shape = sizes_with_values(l, b->shape, b->ndim);
    if (b->strides)
        b->strides = sizes_with_values(l, b->strides, b->ndim);
    if (b->elem_offset)
        b->elem_offset = size_with_values(l, b->elem_offset);
}

/* Puts the values for the names in the shapes of the buffers that |s| declares, and simplifies
 * those. */
static bool put_in_buffers(void *user, const rlxc_stmt *s)
{
    const lets *l = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER)
        put_values(l, s->decl);
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_allocs; i++)
        put_values(l, s->block.block->allocs[i]);
    return true;
}

static bool find_match(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_BLOCK && s->block.block->n_matches > 0);
    return !*found;
}

/* The branch that runs if the condition of |s| is known when compiling; else NULL. */
static const rlxc_stmt *known_branch(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_expr *cond = rlxc_simplify(ctx, s->if_.cond, NULL);
    if (rlxc_is_const(cond, 0))
        return s->if_.otherwise ? s->if_.otherwise : rlxc_stmt_nothing(ctx);
    return rlxc_is_const(cond, 1) ? s->if_.then : NULL;
}

static bool find_other(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind != RLXC_STMT_STORE && s->kind != RLXC_STMT_IF &&
                        s->kind != RLXC_STMT_SEQ && s->kind != RLXC_STMT_FOR);
    return !*found;
}

/* The block |s|, if it contains nothing but stores. Without axes, it becomes its body under its
 * condition. With axes, it loses its stated regions: they spell its indices a second time, and can
 * be computed again. NULL: it stays. */
static const rlxc_stmt *plain_block(rlxc_context *ctx, const rlxc_stmt *s)
{
    bool other = s->block.block->n_allocs + s->block.block->n_matches > 0;
    rlxc_stmt_visit(s->block.block->body, find_other, &other);
    if (!other && s->block.predicate && s->block.block->n_axes == 0 && !s->block.block->init)
        return rlxc_stmt_if(ctx, s->block.predicate, s->block.block->body, NULL);
    if (other || (!s->block.block->has_reads && !s->block.block->has_writes))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, s, sizeof *own);
    rlxc_block *block = rlxc_copy(ctx, s->block.block, sizeof *block);
    rlxc_forget_regions(block);
    own->block.block = block;
    return own;
}

/* |s| without names for indices, known conditions, regions of blocks, and hints of how to unroll;
 * NULL: it has none. */
static const rlxc_stmt *plain_stmt(void *user, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_ATTR)
        return strncmp(s->attr.key, "pragma_", 7) == 0 ? rlxc_stmt_nothing(user) : NULL;
    if (s->kind == RLXC_STMT_IF)
        return known_branch(user, s);
    if (s->kind == RLXC_STMT_BLOCK)
        return plain_block(user, s);
    lets l = {.ctx = user};
    const rlxc_stmt_rewriter rewriter = {.user = &l, .expr = with_values};
    bool matches = false;
    uint32_t n = 0;
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    rlxc_stmt_visit(s, find_match, &matches);
    const rlxc_stmt **kept = rlxc_alloc(l.ctx, ((size_t)s->seq.n + 1) * sizeof *kept);
    for (uint32_t i = 0; i < s->seq.n && !matches; i++) {
        const rlxc_stmt *own = s->seq.items[i];
        if (l.n > 0) {
            own = rlxc_stmt_rewrite(l.ctx, own, &rewriter);
            rlxc_stmt_visit(own, put_in_buffers, &l);
        }
        if (own->kind == RLXC_STMT_LET && l.n < MOST_LETS &&
            rlxc_is_index_type(own->let.var->dtype) && !own->let.value->from_memory &&
            i + 1 < s->seq.n && size_of(own->let.value, SMALL) <= SMALL) {
            l.vars[l.n] = own->let.var;
            l.values[l.n++] = own->let.value;
        } else {
            kept[n++] = own;
        }
    }
    return l.n > 0 ? rlxc_stmt_seq(l.ctx, kept, n) : NULL;
}

const rlxc_stmt *rlxc_plain_exprs(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .expr = plain_expr, .stmt = plain_stmt};
    stmt = rlxc_stmt_rewrite(ctx, stmt, &rewriter);
    rlxc_stmt_visit(stmt, put_in_buffers, &(lets){.ctx = ctx});
    return stmt;
}

/* --- indices in int64 ------------------------------------------------------------------------- */

typedef struct widening {
    rlxc_context *ctx;
    rlxc_bounds bounds; /* of loops */
    RLXC_VEC(const rlxc_stmt *) loops;
    bool simplify; /* comparisons of digits */
} widening;

typedef struct wide_vars {
    rlxc_context *ctx;
    const rlxc_expr **from, **to; /* a variable of int64 as int32 */
    uint32_t n;
} wide_vars;

static const rlxc_expr *with_wide_vars(void *user, const rlxc_expr *e)
{
    const wide_vars *v = user;
    return rlxc_substitute(v->ctx, e, v->from, v->to, v->n);
}

static const rlxc_stmt *rewrite_wide(wide_vars *v, const rlxc_stmt *s)
{
    const rlxc_stmt_rewriter rewriter = {.user = v, .expr = with_wide_vars};
    return rlxc_stmt_rewrite(v->ctx, s, &rewriter);
}

/* A variable of int64 for |var| in |s|; NULL: it is one, or a buffer's shape uses it. */
static const rlxc_expr *wide_var(wide_vars *v, const rlxc_expr *var, const rlxc_stmt *s)
{
    if (var->dtype.bits == 64 || rlxc_shapes_buffers(v->ctx, s, var))
        return NULL;
    const rlxc_expr *wide = rlxc_var(v->ctx, var->var.name, RLX_I64);
    v->from[v->n] = var;
    v->to[v->n++] = rlxc_cast(v->ctx, var->dtype, wide);
    return wide;
}

static const rlxc_stmt *with_wide_loop(widening *w, const rlxc_stmt *s)
{
    const rlxc_expr *from, *to;
    wide_vars v = {w->ctx, &from, &to, 0};
    const rlxc_expr *var = wide_var(&v, s->loop.var, s->loop.body);
    if (!var)
        return NULL;
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    own->loop.var = var;
    own->loop.min = rlxc_cast(w->ctx, RLX_I64, s->loop.min);
    own->loop.extent = rlxc_cast(w->ctx, RLX_I64, rlxc_simplify(w->ctx, s->loop.extent, NULL));
    own->loop.body = rewrite_wide(&v, s->loop.body);
    if (rlxc_is_const(own->loop.min, 0))
        rlxc_bounds_set(w->ctx, &w->bounds, var, (rlxc_bound){0, INT32_MAX - 1});
    return own;
}

static const rlxc_stmt *with_wide_axes(widening *w, const rlxc_stmt *s)
{
    rlxc_context *ctx = w->ctx;
    const uint32_t n = s->block.block->n_axes;
    wide_vars v = {ctx, rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *v.from),
                   rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *v.to), 0};
    const rlxc_expr **values = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *values);
    rlxc_axis *axes = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *axes);
    for (uint32_t i = 0; i < n; i++) {
        axes[i] = s->block.block->axes[i];
        values[i] = s->block.values[i];
        const rlxc_expr *var = wide_var(&v, axes[i].var, s);
        if (!var)
            continue;
        axes[i] = (rlxc_axis){axes[i].kind, var, rlxc_cast(ctx, RLX_I64, axes[i].min),
                              rlxc_cast(ctx, RLX_I64, axes[i].extent)};
        values[i] = rlxc_cast(ctx, RLX_I64, values[i]);
        if (rlxc_is_const(axes[i].min, 0))
            rlxc_bounds_set(ctx, &w->bounds, var, (rlxc_bound){0, INT32_MAX - 1});
        rlxc_bound_loop(ctx, &w->bounds, var, axes[i].min, axes[i].extent);
    }
    if (v.n == 0)
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, rewrite_wide(&v, s), sizeof *own);
    rlxc_block *block = rlxc_copy(ctx, own->block.block, sizeof *block);
    block->axes = axes;
    own->block.block = block;
    own->block.values = values;
    return own;
}

/* The loop or block |s| with variables of int64; NULL: it has those, or is another statement. */
static const rlxc_stmt *with_wide(void *user, const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR     ? with_wide_loop(user, s)
           : s->kind == RLXC_STMT_BLOCK ? with_wide_axes(user, s)
                                        : NULL;
}

static bool note_bound(void *user, const rlxc_stmt *s)
{
    widening *w = user;
    if (s->kind == RLXC_STMT_FOR && rlxc_is_const(s->loop.min, 0)) {
        rlxc_bound_loop(w->ctx, &w->bounds, s->loop.var, s->loop.min, s->loop.extent);
        RLXC_PUSH(w->ctx, &w->loops, s);
    }
    return true;
}

static const rlxc_expr *plain_digit(void *user, const rlxc_expr *e);

/* x // n * n + x % n, which is x; NULL: |e| is something else. */
static const rlxc_expr *whole_digits(widening *w, const rlxc_expr *e)
{
    const rlxc_expr *high = e->bin.a, *low = e->bin.b;
    return e->kind == RLXC_EXPR_ADD && high->kind == RLXC_EXPR_MUL &&
                   high->bin.a->kind == RLXC_EXPR_FLOORDIV && low->kind == RLXC_EXPR_FLOORMOD &&
                   high->bin.a->bin.a == low->bin.a && high->bin.a->bin.b == low->bin.b &&
                   high->bin.b == low->bin.b
               ? rlxc_expr_rewrite_all(w->ctx, low->bin.a, plain_digit, w)
               : NULL;
}

/* |e| without its division, where that is exact: v // n is 0 and v % n is v for a loop's variable
 * below n, (x * n + v) // n is x; x // n * n + x % n is x. NULL: another node. */
static const rlxc_expr *plain_digit(void *user, const rlxc_expr *e)
{
    widening *w = user;
    if (e->kind != RLXC_EXPR_FLOORDIV && e->kind != RLXC_EXPR_FLOORMOD)
        return whole_digits(w, e);
    for (uint32_t i = 0; i < w->loops.count; i++)
        if (w->loops.items[i]->loop.var == e->bin.a && w->loops.items[i]->loop.extent == e->bin.b)
            return e->kind == RLXC_EXPR_FLOORMOD ? e->bin.a : rlxc_int(w->ctx, e->dtype, 0);
    const rlxc_expr *plain = rlxc_canonical(w->ctx, e, &w->bounds);
    return rlxc_divisions_in(w->ctx, plain) == 0 ? plain : NULL;
}

static const rlxc_expr *wide_node(void *user, const rlxc_expr *e);

static const rlxc_expr *wide_all(widening *w, const rlxc_expr *e)
{
    return rlxc_expr_rewrite_all(w->ctx, e, wide_node, w);
}

/* |e|, an index, as int64: indices do not wrap around. */
static const rlxc_expr *wide_index(widening *w, const rlxc_expr *e)
{
    for (int i = 0; i < 2 && rlxc_is_index_type(e->dtype); i++) {
        rlxc_space s = {.ctx = w->ctx, .bounds = &w->bounds};
        const rlxc_expr *from = i == 0 ? e : rlxc_simplify(w->ctx, e, &w->bounds);
        const rlxc_expr *wide = rlxc_space_widened(&s, from, NULL, NULL, 0);
        if (!s.failed)
            return rlxc_expr_rewrite_all(w->ctx, wide, plain_digit, w);
    }
    return wide_all(w, e);
}

/* |e|, an operand of a comparison, as int64 if that makes no difference; or NULL. */
static const rlxc_expr *wide_operand(widening *w, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = w->ctx, .bounds = &w->bounds};
    if (!rlxc_is_index_type(e->dtype) || !rlxc_space_fits(&s, e, NULL, NULL, 0, &w->bounds))
        return NULL;
    e = rlxc_space_widened(&s, e, NULL, NULL, 0);
    return s.failed ? NULL : rlxc_expr_rewrite_all(w->ctx, e, plain_digit, w);
}

static const rlxc_expr *const *wide_indices(widening *w, const rlxc_expr *const *at, uint32_t n)
{
    const rlxc_expr **own = rlxc_alloc(w->ctx, ((size_t)n + 1) * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = wide_index(w, at[i]);
    return own;
}

static const rlxc_expr *wide_node(void *user, const rlxc_expr *e)
{
    widening *w = user;
    if (e->kind == RLXC_EXPR_LOAD && e->dtype.lanes == 1)
        return rlxc_load(w->ctx, e->load.buffer, wide_indices(w, e->load.indices, e->load.n),
                         e->load.n);
    if (e->kind == RLXC_EXPR_CAST && rlxc_is_index_type(e->bin.a->dtype)) {
        const rlxc_expr *of = wide_operand(w, e->bin.a);
        return of ? rlxc_cast(w->ctx, e->dtype, of) : NULL;
    }
    if (!rlxc_is_compare((rlxc_expr_kind)e->kind))
        return NULL;
    const rlxc_expr *a = wide_operand(w, e->bin.a), *b = a ? wide_operand(w, e->bin.b) : NULL;
    if (!b)
        return NULL;
    e = rlxc_binary(w->ctx, (rlxc_expr_kind)e->kind, a, b);
    return w->simplify && rlxc_divisions_in(w->ctx, e) > 0 ? rlxc_simplify(w->ctx, e, &w->bounds)
                                                           : e;
}

static const rlxc_expr *wide_expr(void *user, const rlxc_expr *e)
{
    return wide_all(user, e);
}

static const rlxc_stmt *wide_extent(widening *w, const rlxc_stmt *s)
{
    const rlxc_expr *wide = s->loop.var->dtype.bits == 64 ? wide_index(w, s->loop.extent) : NULL;
    if (!wide || wide == s->loop.extent)
        return NULL;
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    own->loop.extent = wide;
    return own;
}

/* The store |s| with wide indices, the block with wide values of its axes, or the loop with a wide
 * extent; NULL: it has them, or is another statement. */
static const rlxc_stmt *wide_stmt(void *user, const rlxc_stmt *s)
{
    widening *w = user;
    if (s->kind == RLXC_STMT_FOR)
        return wide_extent(w, s);
    const bool store = s->kind == RLXC_STMT_STORE && !rlxc_stores_vector(s);
    if (!store && s->kind != RLXC_STMT_BLOCK)
        return NULL;
    const rlxc_expr *const *old = store ? s->store.indices : s->block.values;
    const uint32_t n = store ? s->store.n : s->block.block->n_axes;
    const rlxc_expr **wide = rlxc_alloc(w->ctx, ((size_t)n + 1) * sizeof *wide);
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        wide[i] = wide_index(w, old[i]);
        if (!store)
            wide[i] = rlxc_cast(w->ctx, s->block.block->axes[i].var->dtype, wide[i]);
        same = same && wide[i] == old[i];
    }
    if (same)
        return NULL;
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    if (store) {
        own->store.indices = wide;
        return own;
    }
    own->block.values = wide;
    return own;
}

const rlxc_stmt *rlxc_wide_indices(rlxc_context *ctx, const rlxc_stmt *stmt, bool simplify)
{
    widening w = {.ctx = ctx, .simplify = simplify};
    const rlxc_stmt_rewriter loops = {.user = &w, .stmt = with_wide};
    const rlxc_stmt_rewriter indices = {.user = &w, .expr = wide_expr, .stmt = wide_stmt};
    stmt = rlxc_stmt_rewrite(ctx, stmt, &loops);
    rlxc_stmt_visit(stmt, note_bound, &w);
    return rlxc_stmt_rewrite(ctx, stmt, &indices);
}
