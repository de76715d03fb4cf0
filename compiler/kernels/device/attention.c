/* Rule flash: attention on a device without its n x n matrix, with the running maximum and sum of
 * the CPU's rule (kernels/attention/attention.c).
 *
 * A thread has a query, which it keeps in registers with the sum of the weighted values. It goes
 * through the keys that the query sees; the threads of a block read the same key and value at the
 * same time, so these come from a cache. Nothing is shared, and no thread waits. */
#include "compiler/kernels/attention/attention_body.h"
#include "compiler/kernels/rules.h"

enum {
    QUERIES = 64,       /* of a block */
    FEWEST_QUERIES = 8, /* with fewer there is more work for threads in the matrix */
    MOST_ELEMENTS = 256 /* of a query and a result: registers of a thread */
};

static bool find(const rlxc_stages *s, uint32_t i, rlxc_attention *a)
{
    int64_t queries;
    if (s->target->device.warp < 2)
        return rlxc_decline(s,
                            "threads do not run in lockstep: each would read all keys separately");
    if (i > 0)
        return rlxc_decline(s, "attention begins with the function's first block");
    if (!rlxc_attention_find(s, a))
        return false;
    if (a->form.size + a->form.value_size > MOST_ELEMENTS)
        return rlxc_decline(s, "a query and its result have %d elements, more than registers hold",
                            (int)(a->form.size + a->form.value_size));
    if (rlxc_is_int(a->queries, &queries) && queries < FEWEST_QUERIES)
        return rlxc_decline(s, "only %d queries", (int)queries);
    return true;
}

bool rlxc_decide_flash(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_attention a;
    if (!find(c->s, i, &a))
        return false;
    const int64_t most = c->s->target->device.threads;
    *(rlxc_flash_sizes *)sizes = (rlxc_flash_sizes){.queries = most < QUERIES ? most : QUERIES};
    return true;
}

/* A variable of the thread. */
static const rlxc_expr *cell(fused *t, const char *name)
{
    return at1(t, local(t, name, 0, 1), num(t, 0));
}

/* What a key adds: the weights so far shrink where the maximum grows. */
static const rlxc_stmt *key(fused *t, const rlxc_expr *j)
{
    rlxc_schedule *outer = t->c, inner = {.s = outer->s};
    const rlxc_expr *d = rlxc_loop_var(t->ctx, "d"), *e = rlxc_loop_var(t->ctx, "e");
    const rlxc_expr *max = at1(t, t->max, num(t, 0)), *sum = at1(t, t->sum, num(t, 0));
    t->c = &inner;
    const rlxc_expr *score = cell(t, "score"), *before = cell(t, "before"),
                    *weight = cell(t, "weight"), *out = at1(t, t->ot, e);
    push(t, set(t, score, real(t, 0)));
    const rlxc_expr *term = times(t, at1(t, t->qt, d), key_in_place(t, j, d));
    push(t, unrolled(t, d, t->a->form.size, set(t, score, plus(t, score, term))));
    push(t, set(t, score, masked(t, t->i0, j, NULL, score)));
    push(t, set(t, before, max));
    push(t, set(t, max, larger(t, max, score)));
    push(t, set(t, weight, exp_of(t, rlxc_sub(t->ctx, score, max))));
    push(t, set(t, before, exp_of(t, rlxc_sub(t->ctx, before, max))));
    push(t, set(t, sum, plus(t, times(t, sum, before), weight)));
    const rlxc_expr *more = times(t, weight, value_in_place(t, j, e));
    push(t,
         unrolled(t, e, t->a->form.value_size, set(t, out, plus(t, times(t, out, before), more))));
    t->c = outer;
    return rlxc_body_of(&inner);
}

static const rlxc_stmt *query(fused *t)
{
    rlxc_schedule *outer = t->c, inner = {.s = outer->s};
    const rlxc_expr *begin, *end, *j = rlxc_loop_var(t->ctx, "j"), *d = rlxc_loop_var(t->ctx, "d"),
                                  *e = rlxc_loop_var(t->ctx, "e");
    t->c = &inner;
    t->qt = local(t, "q", 0, t->a->form.size);
    t->ot = local(t, "o", 0, t->a->form.value_size);
    t->max = local(t, "largest", 0, 1);
    t->sum = local(t, "sum", 0, 1);
    push(t, unrolled(t, d, t->a->form.size,
                     set(t, at1(t, t->qt, d), scaled(t, query_at(t, t->i0, d)))));
    push(t, unrolled(t, e, t->a->form.value_size, set(t, at1(t, t->ot, e), real(t, 0))));
    push(t, set(t, at1(t, t->max, num(t, 0)), lowest(t)));
    push(t, set(t, at1(t, t->sum, num(t, 0)), real(t, 0)));
    rlxc_attention_visible(t, 1, &begin, &end);
    t->j0 = begin;
    push(t, loop(t, j, rlxc_sub(t->ctx, end, begin), key(t, j)));
    const rlxc_expr *sum = at1(t, t->sum, num(t, 0)), *inverse = cell(t, "inverse");
    push(t, set(t, inverse, inverse_of(t, sum)));
    const rlxc_expr *value = result_value(t, t->i0, e, at1(t, t->ot, e), sum, inverse);
    push(t, unrolled(t, e, t->a->form.value_size, set(t, result_place(t, t->i0, e), value)));
    t->c = outer;
    return rlxc_body_of(&inner);
}

static const rlxc_stmt *bound(fused *t, const rlxc_expr *var, const rlxc_expr *extent, int axis,
                              const rlxc_stmt *body)
{
    rlxc_stmt *out =
        rlxc_copy(t->ctx, rlxc_loop_of(t->ctx, var, extent, RLXC_LOOP_BOUND, body), sizeof *out);
    out->loop.thread = rlxc_thread_name(t->ctx, axis);
    return out;
}

bool rlxc_apply_flash(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_flash_sizes *z = sizes;
    rlxc_attention a;
    if (!find(c->s, i, &a))
        return false;
    fused t = {.ctx = c->s->ctx, .a = &a, .c = c};
    const rlxc_expr *p = rlxc_loop_var(t.ctx, "block"), *thread = rlxc_loop_var(t.ctx, "thread");
    const rlxc_expr *heads = a.form.extents[RLXC_ROLE_HEAD];
    const rlxc_expr *blocks = rlxc_split_count(t.ctx, a.queries, z->queries);
    t.b = divided(&t, p, times(&t, heads, blocks));
    t.h = rest(&t, divided(&t, p, blocks), heads);
    t.i0 = plus(&t, times(&t, rest(&t, p, blocks), num(&t, z->queries)), thread);
    const rlxc_stmt *body =
        rlxc_stmt_if(t.ctx, rlxc_binary(t.ctx, RLXC_EXPR_LT, t.i0, a.queries), query(&t), NULL);
    body = bound(&t, thread, num(&t, z->queries), RLXC_THREAD_IDX, body);
    const rlxc_expr *all = times(&t, times(&t, a.form.extents[RLXC_ROLE_BATCH], heads), blocks);
    RLXC_PUSH(t.ctx, &c->out, bound(&t, p, all, 0, body));
    c->s->temps.count = 0;
    return true;
}
