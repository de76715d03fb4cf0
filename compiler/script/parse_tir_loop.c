/* Loops and branches of TIR. T.grid is a nest of loops; bounds become a start and an extent. A
 * loop with a step counts from 0. Virtual threads (vthread) run one after the other: their loop is
 * unrolled. */
#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/script/parse_tir.h"

typedef struct loop {
    const char *name; /* of the variable */
    const char *key;  /* the name in the text: equal, except for a grid held by one name */
    const rlxc_expr *min, *extent, *var;
    int64_t step; /* 1 if the loop variable is the name's value */
} loop;

typedef struct loops {
    loop at[RLXC_MAX_DEPTH];
    uint32_t n;
    rlxc_loop_kind kind;
    const char *thread; /* BOUND */
    rlxc_attrs annotations;
} loops;

static bool loop_kind(const char *path, rlxc_loop_kind *out)
{
    static const struct {
        const char *path;
        rlxc_loop_kind kind;
    } kinds[] = {{"range", RLXC_LOOP_SERIAL},
                 {"T.range", RLXC_LOOP_SERIAL},
                 {"T.serial", RLXC_LOOP_SERIAL},
                 {"T.parallel", RLXC_LOOP_PARALLEL},
                 {"T.vectorized", RLXC_LOOP_VECTORIZED},
                 {"T.unroll", RLXC_LOOP_UNROLLED},
                 {"T.unrolled", RLXC_LOOP_UNROLLED},
                 {"T.thread_binding", RLXC_LOOP_BOUND},
                 {"T.grid", RLXC_LOOP_SERIAL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].path, path) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

static const rlxc_expr *loop_bound(rlxc_tir_parser *t, const rlxc_py *e)
{
    const rlxc_expr *bound = rlxc_parse_prim(t->p, e);
    if (bound && (!rlxc_dtype_is_int(bound->dtype) || bound->dtype.lanes != 1)) {
        rlxc_error(t->p->ctx, e->range, "the bounds of a loop must be integers, got %s",
                   rlxc_dtype_name(t->p->ctx, bound->dtype));
        return NULL;
    }
    return bound;
}

const rlxc_expr *rlxc_parsed_extent(rlxc_parser *p, const rlxc_expr *min, const rlxc_expr *end)
{
    if (rlxc_is_const(min, 0))
        return end;
    if (end->kind == RLXC_EXPR_ADD && end->bin.a == min)
        return end->bin.b;
    return rlxc_canonical(p->ctx, rlxc_sub(p->ctx, end, min), NULL);
}

static bool constant_step(rlxc_tir_parser *t, const rlxc_py *e, int64_t *out)
{
    const rlxc_expr *step = rlxc_parse_prim(t->p, e);
    if (!step)
        return false;
    if (!rlxc_is_int(step, out) || *out < 1 || *out > INT32_MAX) {
        rlxc_error(t->p->ctx, e->range, "the step of a loop must be a positive constant");
        return false;
    }
    return true;
}

/* range(a, b), T.serial(a, b) etc.: one loop. */
static bool one_loop(rlxc_tir_parser *t, const rlxc_py *call, const char *path, loops *out)
{
    rlxc_parser *p = t->p;
    const rlxc_py *stop = rlxc_py_keyword(call, "stop"), *start = rlxc_py_keyword(call, "start");
    if (call->n > 0)
        stop = call->n == 1 ? call->items[0] : call->items[1];
    if (call->n > 1)
        start = call->items[0];
    const rlxc_py *step = rlxc_py_keyword(call, "step");
    if (call->n > 2 && out->kind != RLXC_LOOP_BOUND)
        step = call->items[2];
    if (!stop || call->n > 3) {
        rlxc_error(p->ctx, call->range, "%s takes an end, or a start and an end", path);
        return false;
    }
    out->at[0].step = 1;
    if (step && step->kind != RLXC_PY_NONE && !constant_step(t, step, &out->at[0].step))
        return false;
    const rlxc_expr *min = start ? loop_bound(t, start) : NULL;
    const rlxc_expr *end = start && !min ? NULL : loop_bound(t, stop);
    if (!end)
        return false;
    if (!min)
        min = rlxc_int(p->ctx, end->dtype, 0);
    if (!rlxc_parse_unify(p, &min, &end))
        return false;
    out->n = 1;
    out->at[0].min = min;
    out->at[0].extent = rlxc_parsed_extent(p, min, end);
    if (out->at[0].step > 1) { /* counted from 0 */
        const rlxc_expr *by = rlxc_int(p->ctx, min->dtype, out->at[0].step);
        const rlxc_expr *up =
            rlxc_add(p->ctx, out->at[0].extent, rlxc_int(p->ctx, min->dtype, out->at[0].step - 1));
        out->at[0].extent =
            rlxc_canonical(p->ctx, rlxc_binary(p->ctx, RLXC_EXPR_FLOORDIV, up, by), NULL);
    }
    const rlxc_py *annotations = rlxc_py_keyword(call, "annotations");
    return !annotations || annotations->kind == RLXC_PY_NONE ||
           rlxc_parse_attr_dict(p, annotations, &out->annotations);
}

/* thread="threadIdx.x" of T.thread_binding */
static bool thread_of(rlxc_tir_parser *t, const rlxc_py *call, loops *out)
{
    const rlxc_py *thread = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "thread");
    if (!thread || thread->kind != RLXC_PY_STRING) {
        rlxc_error(t->p->ctx, call->range, "T.thread_binding needs thread=\"threadIdx.x\"");
        return false;
    }
    return rlxc_tir_thread_tag(t, thread, &out->kind, &out->thread);
}

static bool grid_loops(rlxc_tir_parser *t, const rlxc_py *call, loops *out)
{
    if (call->n_keywords > 0) {
        rlxc_error(t->p->ctx, call->range, "T.grid takes extents and no keyword");
        return false;
    }
    const rlxc_py *extents;
    if (!rlxc_parse_flat(t->p, call, call->items, call->n, &extents))
        return false;
    if (extents->n == 0 || extents->n > RLXC_MAX_DEPTH) {
        rlxc_error(t->p->ctx, call->range, "T.grid takes 1 to %d extents", RLXC_MAX_DEPTH);
        return false;
    }
    for (out->n = 0; out->n < extents->n; out->n++) {
        loop *l = &out->at[out->n];
        const rlxc_py *item = extents->items[out->n];
        if (item->kind == RLXC_PY_TUPLE && item->n == 2) { /* (begin, end) */
            l->min = loop_bound(t, item->items[0]);
            const rlxc_expr *end = l->min ? loop_bound(t, item->items[1]) : NULL;
            if (!end || !rlxc_parse_unify(t->p, &l->min, &end))
                return false;
            l->extent = rlxc_parsed_extent(t->p, l->min, end);
            continue;
        }
        if (!(l->extent = loop_bound(t, item)))
            return false;
        l->min = rlxc_int(t->p->ctx, l->extent->dtype, 0);
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->at[i].step = 1;
    return true;
}

static bool parse_loops(rlxc_tir_parser *t, const rlxc_py *target, const rlxc_py *e, loops *out)
{
    rlxc_parser *p = t->p;
    *out = (loops){0};
    const char *path = NULL;
    if (e->kind == RLXC_PY_CALL) {
        path = rlxc_parse_path(p, e->base);
        if (!path && e->base->dotted && strcmp(e->base->dotted, "range") == 0)
            path = "range";
    }
    if (!path || !loop_kind(path, &out->kind)) {
        rlxc_error(p->ctx, e->range, "%s is not supported as a loop",
                   path ? path : rlxc_py_describe(p->ctx, e));
        return false;
    }
    if (out->kind == RLXC_LOOP_BOUND && !thread_of(t, e, out))
        return false;
    if (!(strcmp(path, "T.grid") == 0 ? grid_loops(t, e, out) : one_loop(t, e, path, out)))
        return false;
    bool many = target->kind == RLXC_PY_TUPLE;
    if (!many && out->n > 1 && target->kind == RLXC_PY_NAME) { /* for axes in T.grid(n, m) */
        for (uint32_t i = 0; i < out->n; i++) {
            out->at[i].name = rlxc_internf(p->ctx, "%s_%u", target->text, i);
            out->at[i].key = rlxc_internf(p->ctx, "%s.%u", target->text, i);
        }
        return true;
    }
    if ((many ? target->n : 1) != out->n) {
        rlxc_error(p->ctx, target->range, "%u loop variables for %u loops", many ? target->n : 1,
                   out->n);
        return false;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        const rlxc_py *name = many ? target->items[i] : target;
        if (name->kind != RLXC_PY_NAME) {
            rlxc_error(p->ctx, name->range, "a loop variable must be a name");
            return false;
        }
        out->at[i].name = out->at[i].key = name->text;
    }
    return true;
}

void rlxc_tir_for(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    loops all;
    rlxc_range range = p->py.token.range;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    const rlxc_py *target = rlxc_py_expr_tuple(&p->py), *e = NULL;
    if (target && !rlxc_py_accept_word(&p->py, "in"))
        rlxc_py_unexpected(&p->py, "'in'");
    else if (target)
        e = rlxc_py_expr(&p->py);
    if (!e || !parse_loops(t, target, e, &all)) {
        rlxc_py_skip(&p->py);
        return;
    }
    if (p->depth + all.n > RLXC_MAX_DEPTH) {
        rlxc_error(p->ctx, range, "loops are nested more than %d deep", RLXC_MAX_DEPTH);
        rlxc_py_skip(&p->py);
        return;
    }
    range = rlxc_py_range_to_here(&p->py, range);
    uint32_t mark = rlxc_names_mark(&p->names);
    const char *keys[RLXC_MAX_DEPTH];
    for (uint32_t i = 0; i < all.n; i++) {
        loop *l = &all.at[i];
        keys[i] = l->key;
        l->var = rlxc_var(p->ctx, l->name, l->extent->dtype);
        rlxc_name *name = rlxc_names_define(p->ctx, &p->names, l->key, RLXC_NAME_EXPR);
        name->expr = l->var;
        name->loop_min = l->min;
        name->loop_extent = l->extent;
        if (l->step > 1) {
            const rlxc_expr *by = rlxc_int(p->ctx, l->var->dtype, l->step);
            name->expr = rlxc_add(p->ctx, l->min, rlxc_mul(p->ctx, l->var, by));
            name->loop_extent = NULL;
            l->min = rlxc_int(p->ctx, l->var->dtype, 0);
        }
    }
    if (target->kind == RLXC_PY_NAME && all.n > 1)
        rlxc_parse_name_sequence(p, target, keys, all.n);
    p->depth += all.n;
    t->n_loops++;
    rlxc_tir_loop here = {.kind = all.kind}, *outer = t->loop;
    const uint32_t threads = t->threads.count;
    if (all.thread)
        rlxc_tir_begin_thread(t, all.at[0].var, all.at[0].min, all.at[0].extent, all.thread);
    t->loop = &here;
    const rlxc_stmt *body = rlxc_tir_end_jumps(t, &here, rlxc_tir_body(t));
    t->loop = outer;
    t->threads.count = threads;
    t->n_loops--;
    p->depth -= all.n;
    rlxc_names_restore(p->ctx, &p->names, mark);
    for (uint32_t i = all.n; i > 0; i--) {
        const loop *l = &all.at[i - 1];
        rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_FOR);
        stmt->range = range;
        stmt->loop.var = l->var;
        stmt->loop.min = l->min;
        stmt->loop.extent = l->extent;
        stmt->loop.kind = all.kind;
        stmt->loop.thread = all.thread;
        stmt->loop.annotations = all.annotations;
        stmt->loop.body = body;
        body = stmt;
        if (here.flag && i == all.n && all.n > 1) { /* each loop of a grid starts from its own
                                                     * minimum */
            rlxc_stmts fresh = {0};
            rlxc_tir_begin_jumps(t, &here, &fresh, range);
            rlxc_tir_push(t, &fresh, body, range);
            body = rlxc_tir_seq(t, &fresh);
        }
    }
    if (all.n == 1)
        rlxc_tir_begin_jumps(t, &here, out, range);
    rlxc_tir_push(t, out, body, range);
}

/* The condition of if, elif or while, at its word. */
/* The condition of an if may be a vector of bools: a mask for the vector accesses under it. */
static const rlxc_expr *mask_or_condition(rlxc_tir_parser *t, const rlxc_py *e)
{
    const rlxc_expr *cond = rlxc_parse_prim(t->p, e);
    bool is_mask = cond && rlxc_dtype_is_bool(cond->dtype) && cond->dtype.lanes > 1;
    return is_mask || !cond ? cond : rlxc_tir_as_condition(t, e, cond);
}

static const rlxc_expr *header_condition(rlxc_tir_parser *t, bool mask)
{
    rlxc_py_next(&t->p->py);
    rlxc_py_reset(&t->p->py);
    const rlxc_py *e = rlxc_py_expr(&t->p->py);
    const rlxc_expr *cond = !e ? NULL : mask ? mask_or_condition(t, e) : rlxc_tir_condition(t, e);
    if (!e)
        rlxc_py_skip(&t->p->py);
    else if (!cond)
        return rlxc_bool(t->p->ctx, true); /* reported; the block is still read */
    return cond;
}

void rlxc_tir_if(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    rlxc_range range = p->py.token.range;
    const rlxc_expr *cond = header_condition(t, true);
    if (!cond)
        return;
    const rlxc_stmt *then = rlxc_tir_body(t), *otherwise = NULL;
    if (rlxc_py_is_word(&p->py, "elif")) {
        rlxc_stmts nested = {0};
        if (rlxc_parse_enter(p, p->py.token.range)) {
            rlxc_tir_if(t, &nested);
            rlxc_parse_leave(p);
        } else {
            rlxc_py_skip(&p->py);
        }
        otherwise = rlxc_tir_seq(t, &nested);
    } else if (rlxc_py_accept_word(&p->py, "else")) {
        otherwise = rlxc_tir_body(t);
    }
    if (otherwise && cond && cond->dtype.lanes > 1)
        rlxc_error(p->ctx, range, "a vector condition cannot have an else branch");
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_IF);
    stmt->if_.cond = cond;
    stmt->if_.then = then;
    stmt->if_.otherwise = otherwise;
    rlxc_tir_push(t, out, stmt, range);
}

void rlxc_tir_while(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_range range = t->p->py.token.range;
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_WHILE);
    if (!(stmt->while_.cond = header_condition(t, false)))
        return;
    rlxc_tir_loop here = {.kind = RLXC_LOOP_SERIAL}, *outer = t->loop;
    t->loop = &here;
    stmt->while_.body = rlxc_tir_end_jumps(t, &here, rlxc_tir_body(t));
    t->loop = outer;
    stmt->while_.cond = rlxc_tir_goes_on(t, &here, stmt->while_.cond);
    rlxc_tir_begin_jumps(t, &here, out, range);
    rlxc_tir_push(t, out, stmt, range);
}
