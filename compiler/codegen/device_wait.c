/* Checks in a launch with barriers: a thread whose check failed must still come to the barriers for
 * which the others of its block wait. It keeps a number, "runs", that the check sets to 0, and from
 * there on does nothing but wait:
 *
 *     T.check_index(i)            T.check_index(i)                 (sets runs[0] = 0 if it fails)
 *     s[t] = a[i]           ->    if runs[0] != 0: s[t] = a[i]
 *     (barrier)                   (barrier)
 *     o[t] = s[63 - t]            if runs[0] != 0: o[t] = s[63 - t]
 *
 * Conditions and loops around barriers are the same for all threads, so they read no memory
 * (device_sync.c) and stay as they are. */
#include "compiler/codegen/device_launch.h"
#include "compiler/ir/intrinsics.h"

typedef struct waiting {
    rlxc_context *ctx;
    const rlxc_expr *runs; /* whether no check has failed so far */
} waiting;

typedef struct run { /* of statements under one condition */
    RLXC_VEC(const rlxc_stmt *) all, guarded;
} run;

static bool find_check(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || rlxc_stmt_is_check(s);
    return !*found;
}

static bool has_check(const rlxc_stmt *s)
{
    bool found = false;
    rlxc_stmt_visit(s, find_check, &found);
    return found;
}

static bool find_load(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_LOAD;
    return !*found;
}

static const rlxc_expr *if_it_runs(const waiting *w, const rlxc_expr *value)
{
    const rlx_dtype t = value->dtype;
    rlx_dtype one = t;
    one.lanes = 1;
    const rlxc_expr *zero =
        rlxc_dtype_is_float(t) ? rlxc_float(w->ctx, one, 0) : rlxc_int(w->ctx, one, 0);
    if (t.lanes > 1)
        zero = rlxc_broadcast(w->ctx, zero, t.lanes);
    const rlxc_expr *args[3] = {w->runs, value, zero};
    return rlxc_intrinsic_call(w->ctx, "if_then_else", args, 3);
}

/* Its variable is used beyond barriers: it has a value in any case. */
static const rlxc_stmt *let(const waiting *w, const rlxc_stmt *s)
{
    bool loads = false;
    rlxc_expr_visit(w->ctx, s->let.value, find_load, &loads);
    return loads && !rlxc_dtype_is_handle(s->let.var->dtype)
               ? rlxc_stmt_let(w->ctx, s->let.var, if_it_runs(w, s->let.value))
               : s;
}

static const rlxc_stmt *go_on(const waiting *w, const rlxc_stmt *s, bool stopped);

/* |stopped|: a check may have failed before. */
static const rlxc_stmt *inside(const waiting *w, const rlxc_stmt *s, bool stopped)
{
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *s);
    const bool again = stopped || has_check(s);
    if (s->kind == RLXC_STMT_FOR) {
        out->loop.body = go_on(w, s->loop.body, again);
    } else if (s->kind == RLXC_STMT_WHILE) {
        out->while_.body = go_on(w, s->while_.body, again);
        if (!rlxc_has_barrier(s)) /* which may wait for what it does itself */
            out->while_.cond = if_it_runs(w, s->while_.cond);
    } else if (s->kind == RLXC_STMT_IF) {
        out->if_.then = go_on(w, s->if_.then, stopped);
        out->if_.otherwise = s->if_.otherwise ? go_on(w, s->if_.otherwise, stopped) : NULL;
    }
    return out;
}

static void end_run(const waiting *w, run *r)
{
    if (r->guarded.count)
        RLXC_PUSH(w->ctx, &r->all,
                  rlxc_stmt_if(w->ctx, w->runs,
                               rlxc_stmt_seq(w->ctx, r->guarded.items, r->guarded.count), NULL));
    r->guarded.count = 0;
}

/* Adds |s|; true if a check may have failed after it. */
static bool add(const waiting *w, run *r, const rlxc_stmt *s, bool stopped)
{
    const bool waits = rlxc_has_barrier(s), checks = has_check(s);
    const bool declares = s->kind == RLXC_STMT_LET || s->kind == RLXC_STMT_ALLOCATE ||
                          s->kind == RLXC_STMT_ALLOCATE_CONST || s->kind == RLXC_STMT_DECL_BUFFER;
    const rlxc_stmt *own = s;
    if (s->kind == RLXC_STMT_FOR || s->kind == RLXC_STMT_WHILE || s->kind == RLXC_STMT_IF)
        own = waits ? inside(w, s, stopped) : checks ? inside(w, s, false) : s;
    else if (s->kind == RLXC_STMT_LET && stopped)
        own = let(w, s);
    if (stopped && !waits && !declares) {
        RLXC_PUSH(w->ctx, &r->guarded, own);
        if (checks) /* what follows asks again */
            end_run(w, r);
    } else {
        end_run(w, r);
        RLXC_PUSH(w->ctx, &r->all, own);
    }
    return stopped || checks;
}

static const rlxc_stmt *go_on(const waiting *w, const rlxc_stmt *s, bool stopped)
{
    run r = {0};
    if (s->kind == RLXC_STMT_SEQ)
        for (uint32_t i = 0; i < s->seq.n && !rlxc_failed(w->ctx); i++)
            stopped = add(w, &r, s->seq.items[i], stopped);
    else
        add(w, &r, s, stopped);
    end_run(w, &r);
    return rlxc_stmt_seq(w->ctx, r.all.items, r.all.count);
}

void rlxc_device_go_on(rlxc_context *ctx, rlxc_launch *launch)
{
    const rlxc_expr *one = rlxc_int(ctx, RLX_I32, 1), *zero = rlxc_int(ctx, RLX_I32, 0);
    rlxc_buffer *memory = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, "runs"), RLX_I32, &one, 1);
    memory->scope = rlxc_intern_cstr(ctx, "local");
    const waiting w = {ctx, rlxc_binary(ctx, RLXC_EXPR_NE, rlxc_load(ctx, memory, &zero, 1), zero)};
    const rlxc_stmt *all[3] = {rlxc_stmt_allocate(ctx, memory),
                               rlxc_stmt_store(ctx, memory, &zero, 1, one),
                               go_on(&w, launch->body, false)};
    launch->stop = rlxc_stmt_store(ctx, memory, &zero, 1, zero);
    launch->body = rlxc_stmt_seq(ctx, all, 3);
}
