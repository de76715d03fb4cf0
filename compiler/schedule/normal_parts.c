/* Splits loops around several blocks into a nest for each block. A statement is split completely
 * or not at all. Each block computes its element from the values of its axes alone, and each nest
 * is proved to reach each element of a box once; so a block may run for all elements before the
 * next one starts, unless that one changes its operands. Of two blocks that store to one buffer,
 * the first is the init of a reduction and the second its update, both with the same elements in
 * each iteration of the loops they share; else what the first stores moves to a temporary:
 *
 *   for i in range(n):                            for i, j in T.grid(n, m):
 *       for j in range(m):                            o_1[i, j] = T.exp(x[i, j])
 *           o[i, j] = T.exp(x[i, j])              for i, j in T.grid(n, m):
 *       for j in range(m):                            t[i] = t[i] + o_1[i, j]
 *           t[i] = t[i] + o[i, j]                 for i, j in T.grid(n, m):
 *       for j in range(m):                            o[i, j] = o_1[i, j] / t[i]
 *           o[i, j] = o[i, j] / t[i]
 *
 * What counts in the first or last iteration of a loop only is a nest without that loop. So is what
 * stores the same in each iteration. */
#include <string.h>

#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

enum { MOST_PARTS = 256 }; /* of a statement: each two of them are compared */

static uint32_t shared_loops(const rlxc_nest *a, const rlxc_nest *b)
{
    uint32_t n = 0;
    while (n < a->n_loops && n < b->n_loops && a->loops[n] == b->loops[n])
        n++;
    return n;
}

/* The value of an axis where the loops that are not shared, or have one iteration, are at 0. */
static const rlxc_expr *shared_part(rlxc_context *ctx, const rlxc_nest *nest, uint32_t shared,
                                    const rlxc_expr *value)
{
    for (uint32_t i = 0; i < nest->n_loops; i++) {
        if (i < shared && !rlxc_is_const(nest->loops[i]->loop.extent, 1))
            continue;
        const rlxc_expr *var = nest->loops[i]->loop.var, *zero = rlxc_int(ctx, var->dtype, 0);
        value = rlxc_substitute(ctx, value, &var, &zero, 1);
    }
    return rlxc_canonical(ctx, rlxc_cast(ctx, RLX_I64, value), NULL);
}

/* True if both have the same elements in each iteration of the shared loops. */
static bool same_elements(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b,
                          uint32_t shared)
{
    for (uint32_t i = 0; i < a->block->body->store.n; i++) {
        const rlxc_expr *x = a->block->body->store.indices[i];
        const rlxc_expr *y = b->block->body->store.indices[i];
        uint32_t p = rlxc_block_axis(a->block, x), q = rlxc_block_axis(b->block, y);
        bool constant = p == a->block->n_axes || q == b->block->n_axes;
        if (constant ? x != y
                     : !rlxc_prove_eq(ctx, a->extents[p], b->extents[q], NULL) ||
                           shared_part(ctx, a, shared, a->realize->block.values[p]) !=
                               shared_part(ctx, b, shared, b->realize->block.values[q]))
            return false;
    }
    return true;
}

/* True if a shared loop is a reduction loop of |nest|, and |other| (NULL: any) runs in more of its
 * iterations than |turn|. */
static bool shares_reduction(rlxc_context *ctx, const rlxc_nest *nest, const rlxc_nest *other,
                             rlxc_turn turn, uint32_t shared)
{
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        for (uint32_t i = 0; i < shared && nest->block->axes[k].kind == RLXC_AXIS_REDUCE; i++)
            if ((!other || other->once[i] != turn) &&
                rlxc_expr_uses_var(ctx, nest->realize->block.values[k], nest->loops[i]->loop.var))
                return true;
    return false;
}

/* True if an axis or condition of |nest| uses |loop|. */
static bool uses_loop(rlxc_context *ctx, const rlxc_nest *nest, const rlxc_stmt *loop)
{
    return rlxc_realize_uses(ctx, nest->realize, nest->block->n_axes, loop->loop.var);
}

static bool is_last(rlxc_turn turn)
{
    return turn == RLXC_LAST_TURN || turn == RLXC_LATE_TURN;
}

/* True if |b| computes elements from sums of |a| in each iteration of the reduction: only the last
 * ones are complete. */
static bool last_counts(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b, uint32_t shared)
{
    const rlxc_stmt *store = b->block->body;
    const rlxc_buffer *sums = a->block->body->store.buffer;
    if (b->block->init || rlxc_nest_reads_own(ctx, b->block) || store->store.n != sums->ndim ||
        rlxc_mentions_elsewhere(ctx, store->store.value, sums, store->store.indices) ||
        !same_elements(ctx, a, b, shared))
        return false;
    for (uint32_t k = 0; k < a->block->n_axes; k++)
        for (uint32_t i = 0; i < shared && a->block->axes[k].kind == RLXC_AXIS_REDUCE; i++) {
            const rlxc_expr *var = a->loops[i]->loop.var;
            bool used = rlxc_expr_uses_var(ctx, a->realize->block.values[k], var);
            if (used && (!is_last(b->once[i]) || uses_loop(ctx, b, a->loops[i])))
                return false;
        }
    return true;
}

/* --- several values of one element ------------------------------------------------------------ */

/* What looks for loads in |reader| of what |writer| stores. */
typedef struct reading {
    rlxc_context *ctx;
    const rlxc_nest *writer, *reader;
    uint32_t shared; /* loops around both */
    bool own;        /* all loads are of elements that the same iteration stores */
} reading;

/* |e|, over the axes of the reader, over its loops. */
static const rlxc_expr *in_loops(const reading *r, const rlxc_expr *e)
{
    const rlxc_block *b = r->reader->block;
    for (uint32_t k = 0; k < b->n_axes; k++)
        e = rlxc_substitute(r->ctx, e, &b->axes[k].var, &r->reader->realize->block.values[k], 1);
    return e;
}

/* True if index |i| of load |e| is that of the store, or does not depend on the shared loops in
 * either and is one that an iteration stores. */
static bool is_own_index(const reading *r, const rlxc_expr *e, uint32_t i)
{
    const rlxc_nest *w = r->writer;
    const rlxc_block *b = r->reader->block;
    const rlxc_expr *stored = w->block->body->store.indices[i], *loaded = e->load.indices[i];
    const uint32_t p = rlxc_block_axis(w->block, stored);
    if (p == w->block->n_axes)
        return loaded == stored;
    stored = rlxc_cast(r->ctx, RLX_I64, w->realize->block.values[p]);
    const rlxc_expr *value = rlxc_cast(r->ctx, RLX_I64, in_loops(r, loaded));
    const rlxc_expr *x = shared_part(r->ctx, w, r->shared, stored),
                    *y = shared_part(r->ctx, r->reader, r->shared, value);
    if (x != y)
        return false;
    if (!rlxc_is_const(x, 0))
        return rlxc_canonical(r->ctx, stored, NULL) == x &&
               rlxc_canonical(r->ctx, value, NULL) == y;
    /* any of the elements that the iteration stores: all there are, or those of an equal axis */
    const uint32_t q = rlxc_block_axis(b, loaded);
    return rlxc_prove_eq(r->ctx, w->extents[p], e->load.buffer->shape[i], NULL) ||
           (q < b->n_axes && rlxc_prove_eq(r->ctx, w->extents[p], r->reader->extents[q], NULL));
}

static bool look_load(void *user, const rlxc_expr *e)
{
    reading *r = user;
    const rlxc_buffer *x = r->writer->block->body->store.buffer;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer->data != x->data)
        return r->own;
    r->own = r->own && e->load.buffer == x;
    for (uint32_t i = 0; i < x->ndim && r->own; i++)
        r->own = is_own_index(r, e, i);
    return r->own;
}

/* True if |b| loads only such elements of what |a| stores as the same iteration of the shared loops
 * stores. */
static bool reads_own_turn(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b)
{
    reading r = {ctx, a, b, shared_loops(a, b), true};
    rlxc_expr_visit(ctx, b->block->body->store.value, look_load, &r);
    if (b->block->init)
        rlxc_expr_visit(ctx, b->block->init->store.value, look_load, &r);
    return r.own;
}

/* True if |a| and |b|, which follows it and stores to the same buffer, are the init and the update
 * of a reduction. */
static bool is_update_of(rlxc_context *ctx, const rlxc_nest *b, const rlxc_nest *a)
{
    const uint32_t shared = shared_loops(a, b);
    for (uint32_t l = 0; l < shared; l++) /* |a| runs again, or first, after |b| */
        if (a->once[l] != b->once[l] &&
            (a->once[l] == RLXC_LAST_TURN || b->once[l] == RLXC_FIRST_TURN))
            return false;
    return !a->whole && !b->whole && !a->block->init && !b->block->init &&
           !rlxc_nest_reads_own(ctx, a->block) && rlxc_nest_reads_own(ctx, b->block) &&
           !shares_reduction(ctx, b, a, RLXC_FIRST_TURN, shared) &&
           same_elements(ctx, a, b, shared);
}

static const rlxc_buffer *stored_by(const rlxc_nest *nest)
{
    return nest->block->body->store.buffer;
}

static bool reduces(const rlxc_nest *nest)
{
    bool found = false;
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        found = found || nest->block->axes[k].kind != RLXC_AXIS_SPATIAL;
    return found;
}

/* True if |x| decides which elements |nest| computes. */
static bool controls(rlxc_context *ctx, const rlxc_nest *nest, const rlxc_buffer *x)
{
    const rlxc_expr *cond = nest->realize->block.predicate;
    bool found = cond && rlxc_mentions(ctx, cond, x);
    for (uint32_t i = 0; i < nest->block->n_axes && !found; i++)
        found = rlxc_mentions(ctx, nest->extents[i], x);
    return found;
}

/* True if a condition leaves out iterations of loops shared with |last| that store elements which
 * other iterations store as well. */
static bool skips_iterations(rlxc_context *ctx, const rlxc_nest *nest, uint32_t shared)
{
    const rlxc_expr *cond = nest->realize->block.predicate;
    for (uint32_t l = 0; l < shared && cond; l++) {
        const rlxc_expr *var = nest->loops[l]->loop.var;
        bool stored = !rlxc_expr_uses_var(ctx, cond, var);
        for (uint32_t k = 0; k < nest->block->n_axes && !stored; k++)
            stored = rlxc_expr_uses_var(ctx, nest->realize->block.values[k], var);
        if (!stored)
            return true;
    }
    return false;
}

/* True if what nests[r] loads of the buffer of nests[k] was stored after nests[k] ran last: a nest
 * before it, from nests[w] on, shares as many loops with nests[k]. */
static bool reads_fresh(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t w, uint32_t r,
                        uint32_t k)
{
    const rlxc_buffer *x = stored_by(nests[k]);
    const uint32_t n = shared_loops(nests[r], nests[k]);
    bool fresh = r == w || !rlxc_nest_reads(ctx, nests[r]->block, x);
    for (uint32_t i = w; i < r && !fresh; i++) {
        uint32_t m = stored_by(nests[i]) == x ? shared_loops(nests[i], nests[k]) : 0;
        while (m < n && rlxc_is_const(nests[r]->loops[m]->loop.extent, 1))
            m++;
        fresh = stored_by(nests[i]) == x && m >= n;
    }
    return fresh && (stored_by(nests[r]) != x ||
                     !shares_reduction(ctx, nests[r], nests[k], RLXC_LAST_TURN, n));
}

/* True if the stores to the buffer of nests[k] in nests before it, of which the first is nests[w],
 * and all loads of them, may move to another buffer: nests[k] stores the same elements in the same
 * iterations, and no iteration loads what another one stored. */
static bool may_rename(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t w, uint32_t k)
{
    const rlxc_nest *last = nests[k];
    const rlxc_buffer *x = stored_by(last);
    if (last->whole || (reduces(last) && !last->block->init) || x->strides ||
        (rlxc_nest_reads_own(ctx, nests[w]->block) && !nests[w]->block->init) ||
        (shared_loops(nests[w], last) == 0 && !rlxc_nest_stores_all(ctx, nests[w])))
        return false;
    for (uint32_t r = w; r < k; r++)
        if (!reads_fresh(ctx, nests, w, r, k))
            return false;
    for (uint32_t i = 0; i <= k; i++) {
        const rlxc_nest *a = nests[i];
        if (controls(ctx, a, x) || (i < w && rlxc_nest_reads(ctx, a->block, x)))
            return false;
        if (stored_by(a)->data != x->data)
            continue;
        const uint32_t shared = shared_loops(a, last);
        for (uint32_t l = 0; l < shared; l++)
            if (last->once[l] != RLXC_LAST_TURN && a->once[l] != RLXC_EACH_TURN)
                return false;
        if (stored_by(a) != x || a->whole || skips_iterations(ctx, a, shared) ||
            !same_elements(ctx, a, last, shared))
            return false;
        for (uint32_t r = i + 1; r <= k; r++)
            if (!reads_own_turn(ctx, a, nests[r]))
                return false;
    }
    return true;
}

/* Nest |nest| with |to| for |from| in its loads, and (|stores|) its stores. */
static void rename_in(rlxc_context *ctx, rlxc_nest *nest, const rlxc_buffer *from,
                      const rlxc_buffer *to, bool stores)
{
    rlxc_block *own = rlxc_copy(ctx, nest->block, sizeof *own);
    own->body = rlxc_with_buffer(ctx, own->body, from, to, stores);
    own->init = own->init ? rlxc_with_buffer(ctx, own->init, from, to, stores) : NULL;
    if (own->body == nest->block->body && own->init == nest->block->init)
        return;
    rlxc_forget_regions(own);
    nest->block = own;
    nest->plain = false;
}

/* True if nests[k] continues a reduction: all nests before it that store to its buffer are its
 * init. An update of one step comes right after that. */
static bool continues(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t w, uint32_t k)
{
    bool update = reduces(nests[k]) ||
                  (w + 1 == k &&
                   rlxc_expr_visit(ctx, nests[w]->block->body->store.value, rlxc_is_no_load, NULL));
    for (uint32_t i = 0; i < k && update; i++)
        update = stored_by(nests[i])->data != stored_by(nests[k])->data ||
                 is_update_of(ctx, nests[k], nests[i]);
    return update;
}

void rlxc_separate_values(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t n,
                          const rlxc_temps *temps)
{
    for (uint32_t k = 1; k < n && !rlxc_failed(ctx); k++) {
        const rlxc_buffer *x = stored_by(nests[k]);
        uint32_t w = 0;
        while (w < k && stored_by(nests[w])->data != x->data)
            w++;
        if (w == k || (temps && rlxc_temp_writers(temps, x) == 0) || continues(ctx, nests, w, k) ||
            !may_rename(ctx, nests, w, k))
            continue;
        rlxc_buffer *value = rlxc_buffer_new(ctx, x->name, x->dtype, x->shape, x->ndim);
        for (uint32_t i = w; i < k; i++) {
            if (stored_by(nests[i]) == x)
                nests[i]->temp = value;
            rename_in(ctx, nests[i], x, value, true);
        }
        if (!nests[k]->block->init)
            rename_in(ctx, nests[k], x, value, false);
    }
}

/* --- splitting -------------------------------------------------------------------------------- */

/* True if all of |a| may run before all of |b|, which follows it. */
static bool may_part(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b,
                     const rlxc_temps *temps)
{
    const rlxc_buffer *x = a->block->body->store.buffer, *y = b->block->body->store.buffer;
    uint32_t shared = shared_loops(a, b);
    if (shared == 0)
        return true;
    if (x->data == y->data)
        return x == y && is_update_of(ctx, b, a);
    if (rlxc_nest_reads(ctx, a->block, y))
        return false;
    if (!rlxc_nest_reads(ctx, b->block, x))
        return true;
    const bool own_turn = reads_own_turn(ctx, a, b);
    if (!a->temp && rlxc_temp_writers(temps, x) != 1 &&
        (!own_turn || skips_iterations(ctx, a, shared)))
        return false;
    for (uint32_t l = 0; l < shared; l++)
        if (a->once[l] == RLXC_LAST_TURN && b->once[l] != RLXC_LAST_TURN)
            return false;
    if (!shares_reduction(ctx, a, b, RLXC_LAST_TURN, shared))
        return own_turn || !shares_reduction(ctx, a, NULL, RLXC_EACH_TURN, shared);
    return last_counts(ctx, a, b, shared);
}

/* True if no nest needs the unfinished results of others. Elements computed from unfinished sums
 * are late: the iterations of the reduction overwrite them. What reads them must be late too. */
static bool finished(rlxc_context *ctx, const rlxc_nest *nests, uint32_t n)
{
    bool *late = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *late);
    for (uint32_t i = 0; i < n && late; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            const rlxc_nest *a = &nests[i], *b = &nests[k];
            const uint32_t shared = shared_loops(a, b);
            if (a->block->body->store.buffer->data == b->block->body->store.buffer->data ||
                !rlxc_nest_reads(ctx, b->block, a->block->body->store.buffer) ||
                (!late[i] && !shares_reduction(ctx, a, NULL, RLXC_EACH_TURN, shared)))
                continue;
            late[k] = true;
            for (uint32_t l = 0; l < shared && late[i]; l++)
                if (!rlxc_is_const(a->loops[l]->loop.extent, 1) &&
                    !uses_loop(ctx, a, a->loops[l]) &&
                    (b->once[l] == RLXC_FIRST_TURN || uses_loop(ctx, b, a->loops[l])))
                    return false;
        }
    return late != NULL;
}

/* Marks the loops of |b| that are reduction loops of |a|, from whose sums it computes, if they have
 * iterations: the last one counts (last_counts proves it). */
static void mark_last(rlxc_context *ctx, const rlxc_nest *a, rlxc_nest *b)
{
    if (!rlxc_nest_reads(ctx, b->block, a->block->body->store.buffer) || b->block->init ||
        rlxc_nest_reads_own(ctx, b->block))
        return;
    for (uint32_t l = 0; l < shared_loops(a, b); l++)
        for (uint32_t k = 0; k < a->block->n_axes; k++)
            if (b->once[l] == RLXC_EACH_TURN && a->block->axes[k].kind == RLXC_AXIS_REDUCE &&
                rlxc_expr_uses_var(ctx, a->realize->block.values[k], a->loops[l]->loop.var) &&
                rlxc_bound_of(ctx, a->loops[l]->loop.extent, NULL).min > 0)
                b->once[l] = RLXC_LATE_TURN;
}

static bool may_be_empty(rlxc_context *ctx, const rlxc_expr *extent)
{
    return rlxc_bound_of(ctx, extent, NULL).min <= 0;
}

bool rlxc_stores_without_step(rlxc_context *ctx, const rlxc_nest *nest)
{
    bool found = nest->steps != NULL;
    for (uint32_t k = 0; k < nest->block->n_axes && nest->by_step; k++)
        found = found || (nest->block->axes[k].kind == RLXC_AXIS_REDUCE &&
                          may_be_empty(ctx, nest->extents[k]));
    for (uint32_t l = 0; l < nest->n_loops; l++)
        found = found || (nest->once[l] == RLXC_FIRST_TURN &&
                          may_be_empty(ctx, nest->loops[l]->loop.extent));
    return found;
}

/* True if |a|, which counts in the first iteration of a loop that may have none, is the initial
 * value of a sum over that loop among |nests|: the initial value of an empty sum is stored, as with
 * T.init. */
static bool may_be_first(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *nests, uint32_t n)
{
    for (uint32_t l = 0; l < a->n_loops; l++) {
        bool sum = a->once[l] != RLXC_FIRST_TURN || !may_be_empty(ctx, a->loops[l]->loop.extent);
        for (uint32_t k = 0; k < n && !sum; k++)
            sum = nests[k].block->body->store.buffer == a->block->body->store.buffer &&
                  l < shared_loops(a, &nests[k]) && rlxc_nest_reads_own(ctx, nests[k].block) &&
                  uses_loop(ctx, &nests[k], a->loops[l]);
        if (!sum)
            return false;
    }
    return true;
}

/* True if the steps that |a|, an init, is written for are those of a sum among |nests|: where there
 * are none, the sum is that of none. */
static bool has_sum(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *nests, uint32_t n)
{
    bool found = !a->steps;
    for (uint32_t i = 0; i < n && !found; i++) {
        const rlxc_block *b = nests[i].block;
        for (uint32_t k = 0; k < b->n_axes && !found; k++)
            found =
                stored_by(&nests[i]) == stored_by(a) && rlxc_nest_reads_own(ctx, b) &&
                b->axes[k].kind == RLXC_AXIS_REDUCE && shared_loops(a, &nests[i]) > 0 &&
                rlxc_prove_eq(ctx, rlxc_cast(ctx, RLX_I64, nests[i].extents[k]), a->steps, NULL);
    }
    return found;
}

/* --- iterations that repeat others ------------------------------------------------------------ */

/* The nests inside one loop, of which some store the same in each of its iterations. */
typedef struct repeats {
    rlxc_context *ctx;
    rlxc_nest *nests;
    uint32_t n, depth; /* of the loop */
    const rlxc_stmt *loop;
    bool *same;
} repeats;

static bool is_inside(const repeats *r, uint32_t i)
{
    return r->depth < r->nests[i].n_loops && r->nests[i].loops[r->depth] == r->loop;
}

/* Nest |i| as it is in one iteration of the loops that it does not use. */
static rlxc_nest without_unused(const repeats *r, uint32_t i)
{
    rlxc_nest x = r->nests[i];
    for (uint32_t l = 0; l < x.n_loops; l++)
        if (x.once[l] == RLXC_EACH_TURN && !uses_loop(r->ctx, &x, x.loops[l]) &&
            !may_be_empty(r->ctx, x.loops[l]->loop.extent))
            x.once[l] = RLXC_FIRST_TURN;
    return x;
}

/* True if nests[b] stores the elements that nests[a] does in each iteration of the loop. */
static bool stores_again(const repeats *r, uint32_t a, uint32_t b)
{
    rlxc_nest x = without_unused(r, a), y = without_unused(r, b);
    return stored_by(&x) == stored_by(&y) && rlxc_nest_axes(r->ctx, &x) &&
           rlxc_nest_axes(r->ctx, &y) && same_elements(r->ctx, &x, &y, shared_loops(&x, &y));
}

static bool depends_on(const repeats *r, const rlxc_nest *nest, const rlxc_buffer *x)
{
    const rlxc_expr *cond = nest->realize->block.predicate;
    bool found =
        rlxc_nest_reads(r->ctx, nest->block, x) || (cond && rlxc_mentions(r->ctx, cond, x));
    for (uint32_t i = 0; i < nest->n_loops && !found; i++)
        found = rlxc_mentions(r->ctx, nest->loops[i]->loop.extent, x);
    for (uint32_t i = 0; i < nest->block->n_axes && !found; i++)
        found = rlxc_mentions(r->ctx, nest->realize->block.values[i], x);
    return found;
}

/* True if nests[a] runs wherever the loop does for nests[b]: no loop around it is left to its first
 * or last iteration for nests[a] alone. */
static bool runs_with(const repeats *r, uint32_t a, uint32_t b)
{
    for (uint32_t l = 0; l < r->depth; l++)
        if (r->nests[a].once[l] != RLXC_EACH_TURN && r->nests[a].once[l] != r->nests[b].once[l])
            return false;
    return true;
}

/* True if nests[g] stores the same again, supposing that the others marked do: nothing else changes
 * what it reads or stores, or has read that, and it begins with values that it does not read. */
static bool stays_same(const repeats *r, uint32_t g)
{
    const rlxc_nest *nest = &r->nests[g];
    const rlxc_buffer *x = stored_by(nest);
    uint32_t first = r->n;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!is_inside(r, i))
            continue;
        const rlxc_nest *other = &r->nests[i];
        const bool stores = stored_by(other)->data == x->data;
        if (r->same[i] && stores && first == r->n)
            first = i;
        if (r->same[i] ? i < first && depends_on(r, other, x)
                       : stores || depends_on(r, nest, stored_by(other)) ||
                             (i < g && depends_on(r, other, x)))
            return false;
    }
    const rlxc_block *begin = r->nests[first].block;
    return (begin->init || !rlxc_nest_reads_own(r->ctx, begin)) &&
           (first == g || (runs_with(r, first, g) && stores_again(r, first, g)));
}

/* Takes the axis away that an update outside of blocks has for |loop| without using it. */
static void drop_idle_axis(rlxc_context *ctx, rlxc_nest *nest, const rlxc_stmt *loop)
{
    const rlxc_block *b = nest->block;
    uint32_t at = 0;
    while (at < b->n_axes && nest->realize->block.values[at] != loop->loop.var)
        at++;
    if (at == b->n_axes || b->axes[at].kind != RLXC_AXIS_REDUCE || b->init ||
        rlxc_stmt_uses_var(ctx, b->body, b->axes[at].var))
        return;
    rlxc_block *block = rlxc_copy(ctx, b, sizeof *block);
    rlxc_axis *axes = rlxc_copy(ctx, b->axes, b->n_axes * sizeof *axes);
    const rlxc_expr **values =
        rlxc_copy(ctx, nest->realize->block.values, b->n_axes * sizeof *values);
    rlxc_stmt *realize = rlxc_copy(ctx, nest->realize, sizeof *realize);
    block->n_axes--;
    memmove(&axes[at], &axes[at + 1], (block->n_axes - at) * sizeof *axes);
    memmove(&values[at], &values[at + 1], (block->n_axes - at) * sizeof *values);
    block->axes = axes;
    realize->block.block = block;
    realize->block.values = values;
    nest->block = block;
    nest->realize = realize;
}

/* Marks the nests that store the same in each iteration of |loop|, which has iterations: the first
 * one counts. */
static void mark_first(rlxc_context *ctx, rlxc_nest *nests, uint32_t n, const rlxc_stmt *loop,
                       uint32_t depth)
{
    rlxc_nest *own = rlxc_copy(ctx, nests, n * sizeof *own);
    repeats r = {ctx, own, n, depth, loop, rlxc_try_alloc(ctx, (size_t)n + 1, sizeof(bool))};
    bool changed = r.same && !may_be_empty(ctx, loop->loop.extent);
    for (uint32_t i = 0; i < n && changed; i++) {
        if (!is_inside(&r, i) || own[i].once[depth] != RLXC_EACH_TURN)
            continue;
        drop_idle_axis(ctx, &own[i], loop);
        r.same[i] = !uses_loop(ctx, &own[i], loop);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            const bool leaves = r.same[i] && !stays_same(&r, i);
            r.same[i] = r.same[i] && !leaves;
            changed = changed || leaves;
        }
    }
    for (uint32_t i = 0; i < n && r.same; i++)
        if (r.same[i]) {
            nests[i] = own[i];
            nests[i].once[depth] = RLXC_FIRST_TURN;
        }
}

/* Marks what loops around several nests compute again and again, such as rows of a temporary that
 * each element of the row computes whole. */
static void mark_repeated(rlxc_context *ctx, rlxc_nest *nests, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t shared = shared_loops(&nests[i - 1], &nests[i]);
        for (uint32_t l = i > 1 ? shared_loops(&nests[i - 2], &nests[i - 1]) : 0; l < shared; l++)
            mark_first(ctx, nests, n, nests[i].loops[l], l);
    }
}

bool rlxc_distribute(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_temps *temps,
                     rlxc_nests *out)
{
    const uint32_t first = out->count;
    bool done = rlxc_take_apart(ctx, stmt, out) && out->count - first <= MOST_PARTS;
    if (done && out->count > first)
        mark_repeated(ctx, &out->items[first], out->count - first);
    for (uint32_t i = first; i < out->count && done; i++)
        for (uint32_t k = i + 1; k < out->count; k++)
            mark_last(ctx, &out->items[i], &out->items[k]);
    for (uint32_t i = first; i < out->count && done; i++)
        done = may_be_first(ctx, &out->items[i], &out->items[first], out->count - first);
    for (uint32_t i = first; i < out->count && done; i++)
        done = rlxc_nest_axes(ctx, &out->items[i]) ||
               (rlxc_temp_writers(temps, stored_by(&out->items[i])) == 1 &&
                rlxc_nest_whole(ctx, &out->items[i]));
    for (uint32_t i = first; i < out->count && done; i++)
        done = has_sum(ctx, &out->items[i], &out->items[first], out->count - first);
    rlxc_nest **own = rlxc_try_alloc(ctx, (size_t)out->count + 1, sizeof *own);
    for (uint32_t i = first; i < out->count && own; i++)
        own[i - first] = &out->items[i];
    done = done && own;
    if (done)
        rlxc_separate_values(ctx, own, out->count - first, NULL);
    for (uint32_t i = first; i < out->count && done; i++)
        for (uint32_t k = i + 1; k < out->count && done; k++)
            done = may_part(ctx, &out->items[i], &out->items[k], temps);
    done = done && (out->count == first || finished(ctx, &out->items[first], out->count - first));
    if (!done)
        out->count = first;
    return done;
}
