/* Threads of devices in the forms that TVM prints, as loops that are bound to them:
 *
 *   bx = T.launch_thread("blockIdx.x", 4)              the rest of the block runs in these threads
 *   with T.launch_thread("blockIdx.x", 4) as bx:
 *   tx = T.env_thread("threadIdx.x")                   a name only, until it is launched:
 *   T.launch_thread(tx, 32)                            or: with T.launch_thread(tx, 32):
 *   T.attr(tx, "thread_extent", 32)                    or with "virtual_thread"
 *   T.attr(T.iter_var(tx, T.Range(0, 32), "ThreadIndex", "threadIdx.x"), "thread_extent", 32)
 *
 * Virtual threads ("vthread") run one after the other: their loop is unrolled. A sum across threads
 *
 *   with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", ...):
 *       T.tvm_thread_allreduce(T.uint32(1), value, cond, sum[0], tx)
 *
 * becomes its steps at once (compiler/ir/thread_reduce.h). */
#include <string.h>

#include "compiler/ir/thread_reduce.h"
#include "compiler/script/parse_tir.h"

/* --- launches --------------------------------------------------------------------------------- */

/* The loop kind of a thread's name; false with a diagnostic. */
static bool thread_tag(rlxc_tir_parser *t, const rlxc_py *e, const char *tag, rlxc_loop_kind *kind,
                       const char **out)
{
    const int axis = rlxc_thread_axis(tag);
    *out = axis >= 0 ? rlxc_thread_name(t->p->ctx, axis) : NULL;
    *kind = axis >= 0 ? RLXC_LOOP_BOUND : RLXC_LOOP_UNROLLED;
    if (axis >= 0 || strncmp(tag, "vthread", 7) == 0 || strcmp(tag, "cthread") == 0)
        return true;
    rlxc_error(t->p->ctx, e->range,
               "unknown thread axis \"%.40s\": blockIdx.x, .y, .z or threadIdx.x, .y, .z", tag);
    return false;
}

bool rlxc_tir_thread_tag(rlxc_tir_parser *t, const rlxc_py *e, rlxc_loop_kind *kind,
                         const char **out)
{
    return thread_tag(t, e, e->text, kind, out);
}

/* Opens a loop: what follows in the list until rlxc_tir_end_launches is its body. */
static void launch(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *what, const char *tag,
                   const char *name, rlx_dtype dtype, const rlxc_py *extent, rlxc_range range)
{
    rlxc_parser *p = t->p;
    const char *thread;
    rlxc_loop_kind kind;
    const rlxc_expr *count = rlxc_parse_prim(p, extent);
    if (!count || !thread_tag(t, what, tag, &kind, &thread))
        return;
    if (!rlxc_dtype_is_int(count->dtype) || count->dtype.lanes != 1) {
        rlxc_error(p->ctx, extent->range, "the number of threads must be an integer, got %s",
                   rlxc_dtype_name(p->ctx, count->dtype));
        return;
    }
    if (p->depth >= RLXC_MAX_DEPTH) {
        rlxc_error(p->ctx, range, "loops are nested more than %d deep", RLXC_MAX_DEPTH);
        return;
    }
    if (!rlxc_dtype_is_void(dtype))
        count = rlxc_cast(p->ctx, dtype, count);
    rlxc_stmt *loop = rlxc_tir_new(t, RLXC_STMT_FOR);
    loop->loop.var = rlxc_var(p->ctx, name, count->dtype);
    loop->loop.min = rlxc_int(p->ctx, count->dtype, 0);
    loop->loop.extent = count;
    loop->loop.kind = kind;
    loop->loop.thread = thread;
    rlxc_tir_push(t, out, loop, range);
    rlxc_tir_begin_thread(t, loop->loop.var, loop->loop.min, count, thread);
    p->depth++;
    t->n_loops++;
    t->loop = NULL; /* no jump leaves the threads */
    rlxc_name *as = rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_EXPR);
    as->expr = loop->loop.var;
    as->loop_min = loop->loop.min;
    as->loop_extent = count;
}

void rlxc_tir_begin_thread(rlxc_tir_parser *t, const rlxc_expr *var, const rlxc_expr *min,
                           const rlxc_expr *extent, const char *tag)
{
    const rlxc_tir_thread here = {var, min, extent, tag, t->loop};
    RLXC_PUSH(t->p->ctx, &t->threads, here);
}

void rlxc_tir_end_launches(rlxc_tir_parser *t, rlxc_stmts *out, uint32_t from)
{
    for (uint32_t i = out->list.count; i-- > from;) {
        const rlxc_stmt *s = out->list.items[i];
        if (s->kind != RLXC_STMT_FOR || s->loop.body)
            continue;
        rlxc_stmt *own = (rlxc_stmt *)(uintptr_t)s; /* made by launch */
        own->loop.body = rlxc_stmt_seq(t->p->ctx, out->list.items + i + 1, out->list.count - i - 1);
        out->list.count = i + 1;
        t->p->depth--;
        t->n_loops--;
        if (t->threads.count > 0) /* unless memory ran out */
            t->loop = t->threads.items[--t->threads.count].loop;
    }
}

/* T.launch_thread(thread, extent); |as| may be NULL. */
static void launch_thread(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, const char *as)
{
    rlxc_parser *p = t->p;
    const rlxc_py *thread = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "thread");
    const rlxc_py *extent = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "extent");
    const rlxc_name *env =
        thread && thread->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, thread->text) : NULL;
    if (!thread || !extent || call->n > 2) {
        rlxc_error(p->ctx, call->range, "T.launch_thread takes a thread and a number of threads");
    } else if (thread->kind == RLXC_PY_STRING) {
        rlxc_text name = {.ctx = p->ctx};
        for (const char *c = thread->text; *c; c++)
            rlxc_text_add(&name, *c == '.' ? "_" : c, 1);
        launch(t, out, thread, thread->text,
               as ? as : rlxc_intern(p->ctx, name.data ? name.data : "", name.length),
               rlxc_dtype_void(), extent, call->range);
    } else if (env && env->kind == RLXC_NAME_THREAD) {
        launch(t, out, thread, env->thread, thread->text, env->thread_dtype, extent, call->range);
        if (as)
            rlxc_tir_define(t, as, rlxc_names_find(&p->names, thread->text)->expr);
    } else if (!rlxc_parse_is_broken(p, thread)) {
        rlxc_error(p->ctx, thread->range,
                   "%s is not a thread: T.launch_thread takes \"threadIdx.x\" or a name from "
                   "T.env_thread that no enclosing statement launches",
                   rlxc_py_describe(p->ctx, thread));
    }
}

static void env_thread(rlxc_tir_parser *t, const char *name, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const rlxc_py *tag = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "thread_tag");
    const rlxc_py *dtype = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "dtype");
    const char *thread;
    rlxc_loop_kind kind;
    rlx_dtype type = RLX_I32;
    if (!tag || tag->kind != RLXC_PY_STRING || call->n > 2) {
        rlxc_error(p->ctx, call->range, "T.env_thread takes the name of a thread axis in quotes");
        return;
    }
    if ((dtype && !rlxc_parse_dtype(p, dtype, &type)) ||
        !thread_tag(t, tag, tag->text, &kind, &thread))
        return;
    if (!rlxc_dtype_is_int(type) || type.lanes != 1) {
        rlxc_error(p->ctx, dtype ? dtype->range : call->range, "a thread is an integer, not %s",
                   rlxc_dtype_name(p->ctx, type));
        return;
    }
    rlxc_name *as = rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_THREAD);
    as->thread = rlxc_intern_cstr(p->ctx, tag->text);
    as->thread_dtype = type;
}

bool rlxc_tir_thread_declaration(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                                 const rlxc_py *call, const char *path)
{
    if (strcmp(path, "T.launch_thread") == 0)
        launch_thread(t, out, call, name);
    else if (strcmp(path, "T.env_thread") == 0)
        env_thread(t, name, call);
    else
        return false;
    return true;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The thread of an attribute: a name from T.env_thread, or T.iter_var(name, range, kind, tag). */
static void thread_attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const rlxc_py *node = call->items[0], *var = node;
    const rlxc_name *env =
        node->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, node->text) : NULL;
    const char *tag = env && env->kind == RLXC_NAME_THREAD ? env->thread : NULL;
    rlx_dtype dtype = tag ? env->thread_dtype : rlxc_dtype_void();
    if (!tag && node->kind == RLXC_PY_CALL && rlxc_parse_path_is(p, node->base, "T.iter_var") &&
        node->n == 4 && node->items[3]->kind == RLXC_PY_STRING) {
        var = node->items[0];
        tag = node->items[3]->text;
        env = var->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, var->text) : NULL;
        if (env && env->kind == RLXC_NAME_EXPR)
            dtype = env->expr->dtype;
    }
    if (!tag || (var->kind != RLXC_PY_NAME && var->kind != RLXC_PY_STRING)) {
        if (!rlxc_parse_is_broken(p, node))
            rlxc_error(
                p->ctx, node->range,
                "%s is not a thread: T.attr(..., \"%s\", n) takes a name from T.env_thread or "
                "T.iter_var(name, range, \"ThreadIndex\", \"threadIdx.x\")",
                rlxc_py_describe(p->ctx, node), call->items[1]->text);
        return;
    }
    launch(t, out, node, tag, var->text, dtype, call->items[2], call->range);
}

/* lambda x0, x1, y0, y1: (a, b), [identity of each] */
static const rlxc_reducer *parse_reducer(rlxc_tir_parser *t, const rlxc_py *e)
{
    rlxc_parser *p = t->p;
    const rlxc_py *f = e->n > 0 ? e->items[0] : rlxc_py_keyword(e, "combiner");
    const rlxc_py *identity = e->n > 1 ? e->items[1] : rlxc_py_keyword(e, "identity");
    if (!f || !identity || f->kind != RLXC_PY_LAMBDA || !rlxc_py_is_list(identity) ||
        identity->n == 0 || identity->n > RLXC_MAX_REDUCED || f->n_keywords != 2 * identity->n) {
        rlxc_error(p->ctx, e->range,
                   "T.comm_reducer takes a lambda of two parameters for each of at most %d values, "
                   "and a list of their identity elements",
                   RLXC_MAX_REDUCED);
        return NULL;
    }
    const uint32_t mark = rlxc_names_mark(&p->names);
    const rlxc_py *body = f->a;
    const bool many = rlxc_py_is_list(body) || body->kind == RLXC_PY_TUPLE;
    rlxc_reducer *r = rlxc_alloc(p->ctx, sizeof *r);
    bool ok = (many ? body->n : 1) == identity->n;
    if (!ok)
        rlxc_error(p->ctx, body->range, "%u results for %u values", many ? body->n : 1,
                   identity->n);
    for (; ok && r->n < identity->n; r->n++) {
        const rlxc_expr *value = rlxc_parse_prim(p, identity->items[r->n]);
        if (!(ok = value != NULL))
            break;
        r->identity[r->n] = value;
        r->x[r->n] = rlxc_var(p->ctx, f->keyword_names[r->n], value->dtype);
        r->y[r->n] = rlxc_var(p->ctx, f->keyword_names[r->n + identity->n], value->dtype);
    }
    for (uint32_t i = 0; ok && i < r->n; i++) {
        rlxc_tir_define(t, f->keyword_names[i], r->x[i]);
        rlxc_tir_define(t, f->keyword_names[i + r->n], r->y[i]);
    }
    for (uint32_t i = 0; ok && i < r->n; i++)
        ok = (r->result[i] = rlxc_parse_prim(p, many ? body->items[i] : body)) != NULL;
    rlxc_names_restore(p->ctx, &p->names, mark);
    return ok ? r : NULL;
}

bool rlxc_tir_thread_attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    const char *key = call->items[1]->text;
    const rlxc_py *node = call->items[0];
    if (strcmp(key, "thread_extent") == 0 || strcmp(key, "virtual_thread") == 0) {
        thread_attribute(t, out, call);
        return true;
    }
    if (strcmp(key, "reduce_scope") != 0 || node->kind != RLXC_PY_CALL ||
        !rlxc_parse_path_is(t->p, node->base, "T.comm_reducer"))
        return false;
    t->reducer = parse_reducer(t, node);
    return true;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* The element that a result goes to: sum[0]; sum or sum.data where it has one element. */
static const rlxc_expr *result_place(rlxc_tir_parser *t, const rlxc_py *e)
{
    rlxc_parser *p = t->p;
    const bool data = e->kind == RLXC_PY_ATTR && strcmp(e->text, "data") == 0;
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, data ? e->base : e);
    const rlxc_expr *place = buffer                     ? rlxc_parse_only_element(p, buffer)
                             : e->kind == RLXC_PY_INDEX ? rlxc_parse_prim(p, e)
                                                        : NULL;
    if (place && place->kind == RLXC_EXPR_LOAD && place->dtype.lanes == 1)
        return place;
    if (!rlxc_failed(p->ctx) && !rlxc_parse_is_broken(p, e))
        rlxc_error(p->ctx, e->range,
                   "a result of T.tvm_thread_allreduce is an element of a buffer, as in sum[0]");
    return NULL;
}

/* Where |e| is a thread around this statement; -1 with a diagnostic: it is none. */
static int32_t thread_around(rlxc_tir_parser *t, const rlxc_py *e, const rlxc_expr *var)
{
    for (uint32_t i = t->threads.count; i-- > 0;)
        if (t->threads.items[i].var == var && t->threads.items[i].tag &&
            rlxc_thread_axis(t->threads.items[i].tag) >= RLXC_THREAD_IDX)
            return (int32_t)i;
    rlxc_error(t->p->ctx, e->range,
               "%s is not bound to threadIdx.x, .y or .z around T.tvm_thread_allreduce",
               rlxc_py_describe(t->p->ctx, e));
    return -1;
}

/* number = number * extent + thread */
static bool add_digit(rlxc_tir_parser *t, const rlxc_py *call, uint32_t thread,
                      const rlxc_expr **number, uint32_t *count)
{
    enum { MAX_THREADS = 1 << 16 };
    rlxc_context *ctx = t->p->ctx;
    const rlxc_tir_thread *row = &t->threads.items[thread];
    int64_t n;
    if (!rlxc_is_int(row->extent, &n) || n < 1 || n > MAX_THREADS / *count) {
        rlxc_error(ctx, call->range,
                   "T.tvm_thread_allreduce needs a small constant number of threads %s", row->tag);
        return false;
    }
    *count *= (uint32_t)n;
    *number = rlxc_add(ctx, rlxc_mul(ctx, *number, rlxc_int(ctx, RLX_I32, n)),
                       rlxc_cast(ctx, RLX_I32, rlxc_sub(ctx, row->var, row->min)));
    return true;
}

/* Numbers the threads by the arguments from |first| on, and the groups by all other threads. */
static bool number_threads(rlxc_tir_parser *t, const rlxc_py *call, uint32_t first,
                           rlxc_thread_reduction *r)
{
    bool taken[RLXC_THREAD_AXES] = {false};
    r->thread = r->group = rlxc_int(t->p->ctx, RLX_I32, 0);
    r->threads = r->groups = 1;
    for (uint32_t i = first; i < call->n; i++) {
        const rlxc_expr *e = rlxc_parse_prim(t->p, call->items[i]);
        if (!e)
            return false;
        if (rlxc_is_const(e, 0)) /* a single thread */
            continue;
        const int32_t at = thread_around(t, call->items[i], e);
        if (at < 0)
            return false;
        bool *seen = &taken[rlxc_thread_axis(t->threads.items[at].tag)];
        if (!*seen && !add_digit(t, call, (uint32_t)at, &r->thread, &r->threads))
            return false;
        *seen = true;
    }
    for (uint32_t i = t->threads.count; i-- > 0;) {
        const int axis = t->threads.items[i].tag ? rlxc_thread_axis(t->threads.items[i].tag) : -1;
        if (axis < RLXC_THREAD_IDX || taken[axis])
            continue;
        if (!add_digit(t, call, i, &r->group, &r->groups))
            return false;
        taken[axis] = true;
    }
    return true;
}

/* T.tvm_thread_allreduce(count, values..., cond, results..., threads...) */
static void allreduce(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_thread_reduction r = {.reducer = t->reducer};
    int64_t n;
    if (!t->reducer) {
        rlxc_error(p->ctx, call->range,
                   "T.tvm_thread_allreduce must be inside T.attr(T.comm_reducer(...), "
                   "\"reduce_scope\", ...)");
        return;
    }
    const rlxc_expr *count = call->n > 0 ? rlxc_parse_prim(p, call->items[0]) : NULL;
    if (call->n > 0 && !count)
        return;
    if (!count || !rlxc_is_int(count, &n) || n != t->reducer->n ||
        call->n < 2 * t->reducer->n + 2) {
        rlxc_error(p->ctx, call->range,
                   "T.tvm_thread_allreduce takes %u, the number of values of its reducer, then "
                   "the values, a condition, the results and the threads",
                   t->reducer->n);
        return;
    }
    for (uint32_t i = 0; i < t->reducer->n; i++) {
        const rlxc_py *item = call->items[1 + i];
        r.value[i] = rlxc_parse_prim(p, item);
        if (!r.value[i])
            return;
        if (rlxc_dtype_is_handle(r.value[i]->dtype) || r.value[i]->dtype.lanes != 1) {
            rlxc_error(p->ctx, item->range, "T.tvm_thread_allreduce takes numbers, got %s",
                       rlxc_dtype_name(p->ctx, r.value[i]->dtype));
            return;
        }
        if (!(r.out[i] = result_place(t, call->items[2 + t->reducer->n + i])))
            return;
    }
    if (!(r.cond = rlxc_tir_condition(t, call->items[1 + t->reducer->n])) ||
        !number_threads(t, call, 2 + 2 * t->reducer->n, &r))
        return;
    const rlxc_stmt *all = rlxc_reduce_threads(p->ctx, &r);
    for (uint32_t i = 0; i < (all->kind == RLXC_STMT_SEQ ? all->seq.n : 1); i++)
        rlxc_tir_push(t, out, all->kind == RLXC_STMT_SEQ ? all->seq.items[i] : all, call->range);
}

bool rlxc_tir_thread_statement(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call,
                               const char *path, const char *as)
{
    const uint32_t errors = rlxc_error_count(t->p->ctx);
    if (strcmp(path, "T.launch_thread") == 0)
        launch_thread(t, out, call, as);
    else if (strcmp(path, "T.tvm_thread_allreduce") == 0)
        allreduce(t, out, call);
    else
        return false;
    if (as && rlxc_error_count(t->p->ctx) > errors) /* uses of it are not reported */
        rlxc_names_define(t->p->ctx, &t->p->names, as, RLXC_NAME_BROKEN);
    return true;
}
