/* Reduction across threads, in halving steps through shared memory:
 *
 *     a[t] = value                              for all threads t < 5
 *     b[t] = a[t] + a[t + 3], or a[t]           t < 3, where t + 3 < 5
 *     c[t] = b[t] + b[t + 2], or b[t]           t < 2
 *     d[0] = c[0] + c[1]
 *     out = d[0]
 *
   with a barrier after each. Each step has its own memory, so one barrier per step is enough. */
#include "compiler/ir/thread_reduce.h"

#include "compiler/ir/expr.h"
#include "compiler/ir/intrinsics.h"

typedef struct building {
    rlxc_context *ctx;
    const rlxc_thread_reduction *r;
    RLXC_VEC(const rlxc_stmt *) out;
} building;

typedef struct level { /* the memory of a step: |threads| values of each group */
    rlxc_buffer *memory[RLXC_MAX_REDUCED];
    uint32_t threads;
} level;

static void push(building *b, const rlxc_stmt *s)
{
    RLXC_PUSH(b->ctx, &b->out, s);
}

static const rlxc_expr *number(building *b, uint32_t n)
{
    return rlxc_int(b->ctx, RLX_I32, n);
}

static level new_level(building *b, uint32_t threads)
{
    level out = {.threads = threads};
    const rlxc_expr *shape[2] = {number(b, b->r->groups), number(b, threads)};
    for (uint32_t i = 0; i < b->r->reducer->n; i++) {
        rlxc_buffer *memory = rlxc_buffer_new(b->ctx, rlxc_intern_cstr(b->ctx, "reduced"),
                                              b->r->reducer->identity[i]->dtype, shape, 2);
        memory->scope = rlxc_intern_cstr(b->ctx, "shared");
        push(b, rlxc_stmt_allocate(b->ctx, memory));
        out.memory[i] = memory;
    }
    return out;
}

static void barrier(building *b)
{
    const rlxc_expr *scope = rlxc_string(b->ctx, "shared");
    push(b, rlxc_stmt_evaluate(b->ctx, rlxc_intrinsic_call(b->ctx, "tvm_storage_sync", &scope, 1)));
}

static const rlxc_expr *read(building *b, const level *l, uint32_t i, const rlxc_expr *thread)
{
    const rlxc_expr *at[2] = {b->r->group, thread};
    return rlxc_load(b->ctx, l->memory[i], at, 2);
}

static const rlxc_stmt *write(building *b, const level *l, uint32_t i, const rlxc_expr *value)
{
    const rlxc_expr *at[2] = {b->r->group, b->r->thread};
    return rlxc_stmt_store(b->ctx, l->memory[i], at, 2, value);
}

/* Each thread's values, or those that change nothing. */
static const rlxc_expr *given(building *b, uint32_t i)
{
    const rlxc_expr *identity = b->r->reducer->identity[i];
    const rlxc_expr *value = rlxc_cast(b->ctx, identity->dtype, b->r->value[i]);
    return b->r->cond ? rlxc_select(b->ctx, b->r->cond, value, identity) : value;
}

/* |to| = the values of |from| and those |to->threads| behind them. */
static const rlxc_stmt *step(building *b, const level *from, const level *to)
{
    const rlxc_reducer *red = b->r->reducer;
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *vars[2 * RLXC_MAX_REDUCED], *values[2 * RLXC_MAX_REDUCED];
    const rlxc_expr *other = rlxc_add(ctx, b->r->thread, number(b, to->threads));
    const rlxc_stmt *both[RLXC_MAX_REDUCED], *one[RLXC_MAX_REDUCED];
    for (uint32_t i = 0; i < red->n; i++) {
        vars[2 * i] = red->x[i];
        vars[2 * i + 1] = red->y[i];
        values[2 * i] = read(b, from, i, b->r->thread);
        values[2 * i + 1] = read(b, from, i, other);
    }
    for (uint32_t i = 0; i < red->n; i++) {
        const rlxc_expr *sum = rlxc_substitute(ctx, red->result[i], vars, values, 2 * red->n);
        both[i] = write(b, to, i, rlxc_cast(ctx, red->identity[i]->dtype, sum));
        one[i] = write(b, to, i, values[2 * i]);
    }
    const rlxc_stmt *meet = rlxc_stmt_seq(ctx, both, red->n);
    if (2 * to->threads > from->threads)
        meet = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, other, number(b, from->threads)),
                            meet, rlxc_stmt_seq(ctx, one, red->n));
    return rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, b->r->thread, number(b, to->threads)),
                        meet, NULL);
}

const rlxc_stmt *rlxc_reduce_threads(rlxc_context *ctx, const rlxc_thread_reduction *r)
{
    building b = {.ctx = ctx, .r = r};
    const rlxc_expr *sum[RLXC_MAX_REDUCED];
    for (uint32_t i = 0; i < r->reducer->n; i++)
        sum[i] = given(&b, i);
    if (r->threads > 1) {
        level now = new_level(&b, r->threads);
        for (uint32_t i = 0; i < r->reducer->n; i++)
            push(&b, write(&b, &now, i, sum[i]));
        barrier(&b);
        while (now.threads > 1 && !rlxc_failed(ctx)) {
            const level next = new_level(&b, (now.threads + 1) / 2);
            push(&b, step(&b, &now, &next));
            barrier(&b);
            now = next;
        }
        for (uint32_t i = 0; i < r->reducer->n; i++)
            sum[i] = read(&b, &now, i, number(&b, 0));
    }
    for (uint32_t i = 0; i < r->reducer->n; i++) {
        const rlxc_buffer *to = r->out[i]->load.buffer;
        push(&b, rlxc_stmt_store(ctx, to, r->out[i]->load.indices, r->out[i]->load.n,
                                 rlxc_cast(ctx, to->dtype, sum[i])));
    }
    return rlxc_stmt_seq(ctx, b.out.items, b.out.count);
}
