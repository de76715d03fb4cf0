/* Pass check_bounds, on request: checks the reads and writes of PrimFuncs at run time, except those
 * proved to stay inside their buffer.
 *
 * The checks of a statement come right before it (access_checks.h), those of a while's condition
 * before the loop and at the end of its body; a failed check ends the kernel before the access. The
 * pass runs on user code and legalized operators, before fusion and schedules: those derive their
 * accesses from the ones proved here, and do not touch a function with a check. */
#include "compiler/ir/op.h"
#include "compiler/ir/operation.h"
#include "compiler/passes/access_checks.h"
#include "compiler/passes/passes.h"

typedef rlxc_access_checks walk;

static const rlxc_stmt *guard(walk *w, const rlxc_stmt *s);

/* Starts a statement: later checks go to |list|, and facts of the previous statement are dropped.
 */
static void begin(walk *w, rlxc_stmts *list)
{
    w->seen = (rlxc_map){0};
    w->log.count = 0;
    w->out = list;
}

static const rlxc_stmt *after_checks(walk *w, const rlxc_stmts *checks, const rlxc_stmt *s)
{
    if (checks->items.count == 0)
        return s;
    const rlxc_stmt *parts[2] = {rlxc_stmts_seq(w->ctx, checks), s};
    return rlxc_stmt_seq(w->ctx, parts, 2);
}

static const rlxc_stmt *guard_scope(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    const rlxc_stmt *out = s ? guard(w, s) : NULL;
    rlxc_reach_leave(&w->reach, scope);
    return out;
}

static const rlxc_stmt *guard_loop(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    rlxc_stmts before = {0};
    begin(w, &before);
    rlxc_check_expr(w, s->loop.min);
    rlxc_check_expr(w, s->loop.extent);
    rlxc_reach_enter(&w->reach, s->loop.var, s->loop.min, s->loop.extent);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *out);
    out->loop.body = guard(w, s->loop.body);
    rlxc_reach_leave(&w->reach, scope);
    return after_checks(w, &before, out->loop.body == s->loop.body ? s : out);
}

static const rlxc_stmt *guard_while(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    rlxc_stmts before = {0};
    begin(w, &before);
    rlxc_check_expr(w, s->while_.cond);
    rlxc_reach_assume(&w->reach, s->while_.cond, true);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *out);
    out->while_.body = guard(w, s->while_.body);
    rlxc_reach_leave(&w->reach, scope);
    if (before.items.count > 0) {
        const rlxc_stmt *parts[2] = {out->while_.body, rlxc_stmts_seq(w->ctx, &before)};
        out->while_.body = rlxc_stmt_seq(w->ctx, parts, 2);
    }
    return after_checks(w, &before, out->while_.body == s->while_.body ? s : out);
}

static const rlxc_stmt *guard_if(walk *w, const rlxc_stmt *s)
{
    rlxc_stmts before = {0};
    begin(w, &before);
    rlxc_check_expr(w, s->if_.cond);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *out);
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    rlxc_reach_assume(&w->reach, s->if_.cond, true);
    out->if_.then = guard(w, s->if_.then);
    rlxc_reach_leave(&w->reach, scope);
    rlxc_reach_assume(&w->reach, s->if_.cond, false);
    out->if_.otherwise = guard_scope(w, s->if_.otherwise);
    rlxc_reach_leave(&w->reach, scope);
    const bool changed = out->if_.then != s->if_.then || out->if_.otherwise != s->if_.otherwise;
    return after_checks(w, &before, changed ? out : s);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* A symbolic shape of a matched buffer is that of its region. */
static void note_match(walk *w, const rlxc_match_region *m)
{
    const rlxc_buffer *b = m->buffer, *source = m->source.buffer;
    rlxc_map_set(w->ctx, &w->matches, rlxc_key(b), (void *)(uintptr_t)m);
    for (uint32_t i = 0; i < b->ndim && b->ndim <= source->ndim; i++)
        if (b->shape[i]->kind == RLXC_EXPR_VAR && !b->shape[i]->from_memory)
            rlxc_reach_bind(
                &w->reach, b->shape[i],
                rlxc_reach_resolve(&w->reach, m->source.extents[i + source->ndim - b->ndim]));
}

/* The predicate in terms of variables outside the block. */
static const rlxc_expr *predicate_outside(walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    const rlxc_expr **vars = rlxc_try_alloc(w->ctx, b->n_axes + 1u, sizeof *vars);
    if (s->block.predicate == NULL || vars == NULL)
        return s->block.predicate;
    for (uint32_t i = 0; i < b->n_axes; i++)
        vars[i] = b->axes[i].var;
    return rlxc_substitute(w->ctx, s->block.predicate, vars, s->block.values, b->n_axes);
}

static const rlxc_stmt *guard_block(walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    rlxc_stmts before = {0}, inside = {0};
    const rlxc_expr *predicate = predicate_outside(w, s);
    begin(w, &before);
    rlxc_check_exprs(w, s->block.values, b->n_axes);
    rlxc_check_expr(w, predicate);
    for (uint32_t i = 0; i < b->n_axes; i++)
        rlxc_reach_bind(&w->reach, b->axes[i].var,
                        rlxc_reach_resolve(&w->reach, s->block.values[i]));
    for (uint32_t i = 0; i < b->n_allocs; i++)
        rlxc_note_temporary(w, b->allocs[i]);
    begin(w, &inside);
    for (uint32_t i = 0; i < b->n_matches; i++) {
        rlxc_check_exprs(w, b->matches[i].source.mins, b->matches[i].source.buffer->ndim);
        note_match(w, &b->matches[i]);
    }
    rlxc_block *own = rlxc_copy(w->ctx, b, sizeof *own);
    if (b->init != NULL) /* may run beyond the predicate, where the reduction does not */
        own->init = after_checks(w, &inside, guard_scope(w, b->init));
    if (predicate != NULL)
        rlxc_reach_assume(&w->reach, predicate, true);
    own->body = after_checks(w, &inside, guard_scope(w, b->body));
    rlxc_reach_leave(&w->reach, scope);
    if (own->body == b->body && own->init == b->init)
        return after_checks(w, &before, s);
    own->annotations = rlxc_with_tag(w->ctx, b->annotations, NULL); /* checks are no part of it */
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *out);
    out->block.block = own;
    return after_checks(w, &before, out);
}

/* --- statements ------------------------------------------------------------------------------- */

static const rlxc_stmt *guard_seq(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    rlxc_stmts out = {0};
    bool changed = false;
    for (uint32_t i = 0; i < s->seq.n && !rlxc_failed(w->ctx); i++) {
        const rlxc_stmt *item = guard(w, s->seq.items[i]);
        changed = changed || item != s->seq.items[i];
        RLXC_PUSH(w->ctx, &out.items, item);
    }
    rlxc_reach_leave(&w->reach, scope);
    return changed ? rlxc_stmts_seq(w->ctx, &out) : s;
}

/* Records an address in a variable if it is that of a buffer's memory. */
static void note_let(walk *w, const rlxc_expr *var, const rlxc_expr *value)
{
    const rlxc_memory *m = value->kind == RLXC_EXPR_VAR && rlxc_dtype_is_handle(value->dtype)
                               ? rlxc_map_get(&w->memories, rlxc_key(value))
                               : NULL;
    if (m != NULL)
        rlxc_note_memory(w, var, NULL, m->name, m->bytes);
    else if (rlxc_dtype_is_int(value->dtype) && !value->from_memory && !var->from_memory)
        rlxc_reach_bind(&w->reach, var, rlxc_reach_resolve(&w->reach, value));
}

static void check_declared(walk *w, const rlxc_buffer *b)
{
    rlxc_check_exprs(w, b->shape, b->ndim);
    if (b->strides != NULL)
        rlxc_check_exprs(w, b->strides, b->ndim);
    rlxc_check_expr(w, b->elem_offset);
    if (b->data != NULL && !rlxc_map_get(&w->memories, rlxc_key(b->data)))
        rlxc_note_temporary(w, b); /* the declaration allocates it */
}

static void check_leaf(walk *w, const rlxc_stmt *s)
{
    switch (s->kind) {
    case RLXC_STMT_LET:
        rlxc_check_expr(w, s->let.value);
        note_let(w, s->let.var, s->let.value);
        return;
    case RLXC_STMT_STORE:
        rlxc_check_exprs(w, s->store.indices, s->store.n);
        rlxc_check_expr(w, s->store.value);
        rlxc_check_access(w, "store to", s->store.buffer, s->store.indices, s->store.n);
        return;
    case RLXC_STMT_EVALUATE:
        rlxc_check_expr(w, s->evaluate);
        return;
    case RLXC_STMT_ASSERT:
        rlxc_check_expr(w, s->assert_.cond);
        return;
    case RLXC_STMT_ALLOCATE:
        rlxc_check_exprs(w, s->allocate.extents, s->allocate.n);
        rlxc_note_memory(
            w, s->allocate.var, NULL, s->allocate.var->var.name,
            rlxc_bytes_of_shape(w->ctx, s->allocate.dtype, s->allocate.extents, s->allocate.n));
        return;
    case RLXC_STMT_ALLOCATE_CONST:
        rlxc_note_memory(w, s->allocate_const.var, NULL, s->allocate_const.var->var.name,
                         rlxc_i64(w->ctx, (int64_t)s->allocate_const.nbytes));
        return;
    case RLXC_STMT_DECL_BUFFER:
        check_declared(w, s->decl);
        return;
    case RLXC_STMT_ATTR:
        rlxc_check_expr(w, s->attr.value);
        return;
        RLXC_NESTING_STMTS(RLXC_STMT_CASE)
        return;
    }
}

static const rlxc_stmt *guard(walk *w, const rlxc_stmt *s)
{
    const rlxc_range outer = w->range;
    const rlxc_stmt *out = s;
    rlxc_stmts before = {0};
    if (rlxc_failed(w->ctx))
        return s;
    if (s->range.line != 0)
        w->range = s->range;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        out = guard_seq(w, s);
        break;
    case RLXC_STMT_FOR:
        out = guard_loop(w, s);
        break;
    case RLXC_STMT_WHILE:
        out = guard_while(w, s);
        break;
    case RLXC_STMT_IF:
        out = guard_if(w, s);
        break;
    case RLXC_STMT_BLOCK:
        out = guard_block(w, s);
        break;
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        begin(w, &before);
        check_leaf(w, s);
        out = after_checks(w, &before, s);
        break;
    }
    w->range = outer;
    return out;
}

static void check_function(rlxc_context *ctx, rlxc_prim_func *f)
{
    walk w = {.ctx = ctx, .reach = {.ctx = ctx}, .range = f->range};
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer != NULL)
            rlxc_note_buffer(&w, f->params[i].buffer);
    f->body = guard(&w, f->body);
    if (w.n > 0)
        f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "op_pattern"),
                                   rlxc_attr_int(RLXC_PATTERN_OPAQUE));
}

bool rlxc_pass_check_bounds(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim != NULL)
            check_function(ctx, module->globals.items[i]->prim);
    return !rlxc_failed(ctx);
}
