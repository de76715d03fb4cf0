/* A PrimFunc's body as a list of stages, and queries on them. */
#include "compiler/schedule/stages.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/schedule/normal.h"

/* --- recognising stages ---------------------------------------------------------------------- */

static bool same_exprs(const rlxc_expr *const *a, const rlxc_expr *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Checks that the axes are the loops: each value is one loop variable from 0, and none is left. */
static bool match_axes(rlxc_context *ctx, rlxc_stage *stage, const rlxc_stmt *const *loops,
                       uint32_t n_loops, const rlxc_expr *const *values, const rlxc_computation *c)
{
    bool used[RLXC_STAGE_AXES] = {false};
    if (c->n_axes != n_loops)
        return false;
    for (uint32_t k = 0; k < c->n_axes; k++) {
        uint32_t i = 0;
        while (i < n_loops && loops[i]->loop.var != values[k])
            i++;
        if (i == n_loops || used[i])
            return false;
        used[i] = true;
        stage->vars[k] = c->vars[k];
        stage->extents[k] = rlxc_cast(ctx, RLX_I64, loops[i]->loop.extent);
        stage->reduces[k] = c->reduces[k];
    }
    stage->n_axes = n_loops;
    return true;
}

/* Orders the axes as in the results, reductions last: all orders are equivalent. */
static void order_axes(rlxc_stage *s)
{
    rlxc_stage old = *s;
    uint32_t n = 0;
    bool taken[RLXC_STAGE_AXES] = {false};
    for (uint32_t pass = 0; pass <= s->out->ndim; pass++) {
        for (uint32_t k = 0; k < s->n_axes; k++) {
            bool wanted = pass == s->out->ndim || s->indices[pass] == old.vars[k];
            if (taken[k] || !wanted)
                continue;
            taken[k] = true;
            s->vars[n] = old.vars[k];
            s->extents[n] = old.extents[k];
            s->reduces[n++] = old.reduces[k];
        }
    }
}

static bool search_effects(void *user, const rlxc_expr *e)
{
    bool *found = user;
    const rlxc_intrinsic *row =
        e->kind == RLXC_EXPR_CALL ? rlxc_find_intrinsic(e->call.name, strlen(e->call.name)) : NULL;
    *found |= rlxc_dtype_is_handle(e->dtype) && e->kind == RLXC_EXPR_VAR;
    *found |= row && rlxc_intrinsic_has_effects(row);
    return !*found;
}

bool rlxc_may_move(rlxc_context *ctx, const rlxc_expr *value)
{
    bool found = false;
    rlxc_expr_visit(ctx, value, search_effects, &found);
    return !found;
}

/* Drops reduction axes of one step, except the last one. */
static void drop_single_steps(rlxc_context *ctx, rlxc_stage *s)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    uint32_t left = 0, n = 0;
    for (uint32_t k = 0; k < s->n_axes; k++)
        left += s->reduces[k];
    for (uint32_t k = 0; k < s->n_axes; k++) {
        if (s->reduces[k] && left > 1 && rlxc_is_const(s->extents[k], 1)) {
            s->value = rlxc_simplify(ctx, rlxc_replace(ctx, s->value, &s->vars[k], &zero, 1), NULL);
            left--;
            continue;
        }
        s->vars[n] = s->vars[k];
        s->extents[n] = s->extents[k];
        s->reduces[n++] = s->reduces[k];
    }
    s->n_axes = n;
}

uint32_t rlxc_last_dim(const rlxc_buffer *b)
{
    uint32_t i = b->ndim > 0 ? b->ndim - 1 : 0;
    while (i > 0 && rlxc_is_const(b->shape[i], 1))
        i--;
    return i;
}

typedef struct mention_of {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *at; /* with |except|: the use that does not count */
    bool except, found;
} mention_of;

static bool search_mention(void *user, const rlxc_expr *e)
{
    mention_of *m = user;
    if (e == m->buffer->data)
        m->found = true;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == m->buffer->data)
        m->found = m->found || !m->except || e->load.buffer != m->buffer ||
                   !same_exprs(e->load.indices, m->at, e->load.n);
    return !m->found;
}

bool rlxc_mentions(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *buffer)
{
    mention_of m = {.buffer = buffer};
    rlxc_expr_visit(ctx, e, search_mention, &m);
    return m.found;
}

bool rlxc_mentions_elsewhere(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *buffer,
                             const rlxc_expr *const *at)
{
    mention_of m = {buffer, at, true, false};
    rlxc_expr_visit(ctx, e, search_mention, &m);
    return m.found;
}

/* True if the stage reads elements of its result other than the one it stores. The order of its
 * iterations counts then, though its axes may say otherwise. */
static bool reads_result_elsewhere(rlxc_context *ctx, const rlxc_stage *s)
{
    bool reads = rlxc_mentions_elsewhere(ctx, s->value, s->out, s->indices) ||
                 (s->init && rlxc_mentions_elsewhere(ctx, s->init, s->out, s->indices));
    for (uint32_t i = 0; i < s->out->ndim && !reads; i++)
        reads = rlxc_mentions_elsewhere(ctx, s->indices[i], s->out, s->indices);
    return reads;
}

/* True if the block |s| in |loops| reduces step by step, such as a sum with a decay, and not in the
 * order of its axes. */
static bool reorders_steps(rlxc_context *ctx, const rlxc_stmt *const *loops, uint32_t n,
                           const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    uint32_t next = 0;
    if (b->body->kind != RLXC_STMT_STORE || rlxc_is_update(ctx, b->body))
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind != RLXC_AXIS_REDUCE)
            continue;
        uint32_t i = 0;
        while (i < n && loops[i]->loop.var != s->block.values[k])
            i++;
        if (i < next && i < n && !rlxc_is_const(loops[i]->loop.extent, 1))
            return true;
        next = i < n ? i : next;
    }
    return false;
}

static void recognise(rlxc_context *ctx, const rlxc_stmt *s, rlxc_stage *stage)
{
    const rlxc_stmt *loops[RLXC_STAGE_AXES];
    uint32_t n = 0;
    bool depends = false;
    *stage = (rlxc_stage){.stmt = s, .tagged = RLXC_OPERATIONS};
    while (s->kind == RLXC_STMT_FOR && n < RLXC_STAGE_AXES && s->loop.kind == RLXC_LOOP_SERIAL &&
           rlxc_is_const(s->loop.min, 0) && s->loop.annotations.count == 0) {
        for (uint32_t i = 0; i < n; i++)
            depends = depends || rlxc_expr_uses_var(ctx, s->loop.extent, loops[i]->loop.var);
        loops[n++] = s;
        s = s->loop.body;
    }
    stage->odd = "the range of a loop depends on a loop around it";
    if (depends)
        return;
    stage->odd = s->kind == RLXC_STMT_FOR
                     ? "a loop is parallel, vectorised, unrolled, annotated, or does not begin at 0"
                     : "loops around anything but a single block";
    if (s->kind != RLXC_STMT_BLOCK)
        return;
    const rlxc_block *b = s->block.block;
    stage->odd = "the block has allocations, matched regions, annotations or a predicate";
    if (b->n_allocs || b->n_matches || rlxc_is_annotated(&b->annotations) ||
        (s->block.predicate && !rlxc_is_const(s->block.predicate, 1)))
        return;
    rlxc_computation c;
    if (!rlxc_computation_of(ctx, b, &c, &stage->odd))
        return;
    stage->odd = "the result is a view, or its value has effects";
    if (c.out->ndim > RLXC_STAGE_AXES || c.out->strides || c.out->elem_offset ||
        !rlxc_may_move(ctx, c.value))
        return;
    stage->odd = "the block's axes are not exactly the loop variables";
    if (!match_axes(ctx, stage, loops, n, s->block.values, &c))
        return;
    stage->odd = "the steps of its reduction do not run in the order of their axes";
    if (reorders_steps(ctx, loops, n, s))
        return;
    stage->tagged = rlxc_tagged_kind(&b->annotations);
    stage->out = c.out;
    stage->indices = c.indices;
    stage->value = c.value;
    stage->init = c.init;
    stage->odd = "it reads elements of its result that other iterations store";
    if (reads_result_elsewhere(ctx, stage))
        return;
    bool reduces = false;
    for (uint32_t i = 0; i < n; i++)
        reduces = reduces || stage->reduces[i];
    order_axes(stage);
    drop_single_steps(ctx, stage);
    stage->odd = "a reduction without an initial value, or an element stored more than once";
    stage->simple = reduces == (b->init != NULL) && rlxc_stage_is_pointwise(stage);
}

bool rlxc_prefers_short_code(const rlxc_stages *s)
{
    return s->options->opt_level <= 1 && s->target != rlxc_target_c();
}

uint32_t rlxc_tile_registers(const rlxc_stages *s)
{
    enum { FEW = 12 };
    const uint32_t all = s->target->sum_registers;
    return rlxc_prefers_short_code(s) && all > FEW ? FEW : all;
}

bool rlxc_stages_of(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f,
                    rlxc_stages *out)
{
    *out = (rlxc_stages){.ctx = ctx,
                         .options = options,
                         .target = rlxc_prim_target(ctx, f, options->target),
                         .f = f};
    const rlxc_stmt *body = f->body;
    if (body->kind == RLXC_STMT_BLOCK) {
        out->root = body->block.block;
        if (out->root->n_axes || out->root->n_matches || out->root->init)
            return false;
        body = out->root->body;
        for (uint32_t i = 0; i < out->root->n_allocs; i++)
            RLXC_PUSH(ctx, &out->temps, out->root->allocs[i]);
    }
    uint32_t n = body->kind == RLXC_STMT_SEQ ? body->seq.n : 1;
    out->items = rlxc_try_alloc(ctx, n ? n : 1, sizeof *out->items);
    if (!out->items)
        return false;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_stmt *s = body->kind == RLXC_STMT_SEQ ? body->seq.items[i] : body;
        if (s->kind != RLXC_STMT_FOR && s->kind != RLXC_STMT_BLOCK && s->kind != RLXC_STMT_STORE)
            return false; /* lets, allocations, ...: their scope must stay as it is */
        recognise(ctx, s, &out->items[i]);
        any = any || out->items[i].simple;
    }
    out->n = n;
    return any;
}

/* --- operators ------------------------------------------------------------------------------- */

bool rlxc_stage_operation(const rlxc_stages *s, const rlxc_stage *stage, rlxc_operation *out)
{
    const char *why = "";
    const bool asks = s->options->explain && s->options->explain->asking;
    const rlxc_computation c = {.vars = stage->vars,
                                .extents = stage->extents,
                                .reduces = stage->reduces,
                                .n_axes = stage->n_axes,
                                .out = stage->out,
                                .indices = stage->indices,
                                .value = stage->value,
                                .init = stage->init};
    if (!stage->simple)
        return rlxc_decline(s, "%s", stage->odd);
    if ((stage->tagged != RLXC_OPERATIONS &&
         rlxc_operation_prove(s->ctx, &c, stage->tagged, out, NULL)) ||
        rlxc_operation_recognise(s->ctx, &c, out, asks ? &why : NULL))
        return true;
    return rlxc_decline(s, "not recognised: %s", why);
}

bool rlxc_stage_product(const rlxc_stages *s, const rlxc_stage *stage, rlxc_operation *out)
{
    if (!rlxc_stage_operation(s, stage, out))
        return false;
    return (out->x && !out->where) || rlxc_decline(s, "%s is a %s, not a product", stage->out->name,
                                                   rlxc_operation_name(out->kind));
}

/* --- statements ------------------------------------------------------------------------------- */

const char *rlxc_stage_name(const rlxc_stage *stage)
{
    const rlxc_stmt *at = stage->stmt;
    while (at->kind == RLXC_STMT_FOR)
        at = at->loop.body;
    return at->kind == RLXC_STMT_BLOCK && at->block.block->name ? at->block.block->name : "";
}

const rlxc_stmt *rlxc_restated(rlxc_context *ctx, const rlxc_stage *s)
{
    const rlxc_stmt *loops[RLXC_STAGE_AXES], *at = s->stmt;
    uint32_t n = 0;
    for (; at->kind == RLXC_STMT_FOR; at = at->loop.body)
        loops[n++] = at;
    rlxc_block *block = rlxc_copy(ctx, at->block.block, sizeof *block);
    block->has_reads = false;
    block->n_reads = 0;
    block->body = rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->value);
    if (s->init)
        block->init = rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->init);
    const rlxc_stmt *body = rlxc_stmt_block(ctx, block, at->block.values, at->block.predicate);
    while (n-- > 0) {
        rlxc_stmt *loop = rlxc_copy(ctx, loops[n], sizeof *loop);
        loop->loop.body = body;
        body = loop;
    }
    return rlxc_tag_blocks(ctx, body);
}

/* --- questions ------------------------------------------------------------------------------- */

bool rlxc_stage_is_temp(const rlxc_stages *s, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < s->temps.count; i++)
        if (s->temps.items[i] == buffer)
            return true;
    return false;
}

void rlxc_stage_drop_temp(rlxc_stages *s, const rlxc_buffer *buffer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->temps.count; i++)
        if (s->temps.items[i] != buffer)
            s->temps.items[kept++] = s->temps.items[i];
    s->temps.count = kept;
}

typedef struct load_search {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *indices;
    uint32_t n;
    bool same;
} load_search;

static bool search_loads(void *user, const rlxc_expr *e)
{
    load_search *q = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == q->buffer) {
        if (q->n++ == 0)
            q->indices = e->load.indices;
        else if (!same_exprs(q->indices, e->load.indices, e->load.n))
            q->same = false;
    }
    if (e == q->buffer->data) { /* its address: any access */
        q->n++;
        q->same = false;
    }
    return true;
}

typedef struct mention {
    rlxc_context *ctx;
    load_search search;
} mention;

static const rlxc_expr *mention_expr(void *user, const rlxc_expr *e)
{
    mention *m = user;
    rlxc_expr_visit(m->ctx, e, search_loads, &m->search);
    return NULL;
}

static bool mention_stmt(void *user, const rlxc_stmt *s)
{
    mention *m = user;
    const rlxc_buffer *buffer = m->search.buffer;
    if (s->kind == RLXC_STMT_STORE && s->store.buffer == buffer)
        m->search.n++;
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == buffer->data)
        m->search.n++;
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_matches; i++)
        m->search.n += s->block.block->matches[i].source.buffer == buffer;
    return true;
}

uint32_t rlxc_stage_loads(const rlxc_stages *s, uint32_t i, const rlxc_buffer *buffer,
                          const rlxc_expr *const **out_indices, bool *out_same)
{
    const rlxc_stage *stage = &s->items[i];
    mention m = {s->ctx, {buffer, NULL, 0, true}};
    if (stage->simple) {
        rlxc_expr_visit(s->ctx, stage->value, search_loads, &m.search);
        if (stage->init)
            rlxc_expr_visit(s->ctx, stage->init, search_loads, &m.search);
        for (uint32_t k = 0; k < stage->out->ndim; k++)
            rlxc_expr_visit(s->ctx, stage->indices[k], search_loads, &m.search);
    } else {
        rlxc_stmt_rewriter r = {.user = &m, .expr = mention_expr};
        rlxc_stmt_rewrite(s->ctx, stage->stmt, &r);
        rlxc_stmt_visit(stage->stmt, mention_stmt, &m);
        m.search.same = false;
    }
    *out_indices = m.search.indices;
    *out_same = m.search.same;
    return m.search.n;
}

bool rlxc_stage_is_pointwise(const rlxc_stage *stage)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < stage->out->ndim; k++) {
        const rlxc_expr *index = stage->indices[k];
        if (rlxc_is_const(index, 0) && rlxc_is_const(stage->out->shape[k], 1))
            continue; /* keepdims */
        while (next < stage->n_axes && stage->reduces[next])
            next++;
        if (next == stage->n_axes || stage->vars[next] != index)
            return false;
        next++;
    }
    while (next < stage->n_axes && stage->reduces[next])
        next++;
    return next == stage->n_axes;
}

bool rlxc_access_stride(rlxc_context *ctx, const rlxc_buffer *buffer,
                        const rlxc_expr *const *indices, const rlxc_expr *var, int64_t *out)
{
    int64_t scale = 1, total = 0;
    bool symbolic = false; /* the scale is no longer a number */
    for (uint32_t i = buffer->ndim; i-- > 0;) {
        int64_t coefficient, extent;
        const rlxc_expr *rest;
        if (!rlxc_expr_uses_var(ctx, indices[i], var))
            coefficient = 0;
        else if (!rlxc_linear_in(ctx, indices[i], var, &coefficient, &rest))
            return false;
        if (coefficient && symbolic) {
            *out = INT64_MAX;
            return true;
        }
        if (__builtin_mul_overflow(coefficient, scale, &coefficient) ||
            __builtin_add_overflow(total, coefficient, &total))
            return false;
        if (rlxc_is_int(buffer->shape[i], &extent)) {
            if (__builtin_mul_overflow(scale, extent, &scale))
                return false;
        } else {
            symbolic = true;
        }
    }
    *out = total;
    return true;
}

/* --- helpers of the rules -------------------------------------------------------------------- */

const rlxc_expr *rlxc_replace(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *const *vars,
                              const rlxc_expr *const *values, uint32_t n)
{
    const rlxc_expr **typed = rlxc_alloc(ctx, (n + 1) * sizeof *typed);
    for (uint32_t i = 0; i < n; i++)
        typed[i] = rlxc_cast(ctx, vars[i]->dtype, values[i]);
    return rlxc_substitute(ctx, e, vars, typed, n);
}

typedef struct load_change {
    const rlxc_buffer *from;
    const rlxc_expr *to;
} load_change;

static const rlxc_expr *change_load(void *user, const rlxc_expr *e)
{
    const load_change *change = user;
    return e->kind == RLXC_EXPR_LOAD && e->load.buffer == change->from ? change->to : NULL;
}

const rlxc_expr *rlxc_replace_loads(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *from,
                                    const rlxc_expr *to)
{
    load_change change = {from, to};
    return rlxc_expr_rewrite(ctx, e, change_load, &change);
}

const rlxc_expr *rlxc_stage_elements(rlxc_context *ctx, const rlxc_stage *s)
{
    const rlxc_expr *total = rlxc_i64(ctx, 1);
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (!s->reduces[i])
            total = rlxc_simplify(ctx, rlxc_mul(ctx, total, s->extents[i]), NULL);
    return total;
}
