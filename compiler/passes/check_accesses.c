/* Pass check_accesses: a load or store that provably leaves its buffer is an error at its line.
 *
 * An index that is affine in the enclosing loops takes its minimum and maximum at ends of the
 * loops, and takes both whenever the loops run. An unconditional access is an error if one of the
 * two lies outside the buffer's dimension, for constant and symbolic sizes. Everything else is left
 * alone: indices that are not affine or come from memory, accesses under a condition, and loops
 * whose lengths depend on other loops. The module is not changed. */
#include "compiler/analysis/reach.h"
#include "compiler/passes/passes.h"

#include <string.h>

typedef struct walk {
    rlxc_context *ctx;
    rlxc_reach reach;
    rlxc_map seen; /* expressions of the current statement */
    rlxc_range range;
} walk;

/* --- accesses --------------------------------------------------------------------------------- */

static void report(walk *w, const char *what, const rlxc_buffer *b, uint32_t dimension,
                   const rlxc_expr *reached)
{
    int64_t value, size;
    if (rlxc_is_int(reached, &value) && rlxc_is_int(b->shape[dimension], &size))
        rlxc_error(w->ctx, w->range,
                   "%s '%s' outside of the buffer: index %u reaches %lld, the dimension is %lld",
                   what, b->name, dimension, (long long)value, (long long)size);
    else
        rlxc_error(w->ctx, w->range,
                   "%s '%s' outside of the buffer: index %u reaches beyond dimension %u", what,
                   b->name, dimension, dimension);
}

static void check_access(walk *w, const char *what, const rlxc_buffer *b,
                         const rlxc_expr *const *indices, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < b->ndim; i++) {
        const rlxc_expr *index = rlxc_reach_resolve(&w->reach, indices[i]),
                        *size = rlxc_reach_resolve(&w->reach, b->shape[i]);
        if (index->from_memory || index->dtype.lanes != 1 || !rlxc_dtype_is_int(index->dtype))
            continue;
        const rlxc_expr *least = rlxc_reach_end(&w->reach, index, false),
                        *most = rlxc_reach_end(&w->reach, index, true);
        const rlxc_expr *out = NULL;
        if (least && rlxc_prove_lt(w->ctx, least, rlxc_int(w->ctx, least->dtype, 0), NULL))
            out = least;
        else if (most && rlxc_prove_le(w->ctx, size, most, NULL))
            out = most;
        if (out != NULL) {
            report(w, what, b, i, out);
            return;
        }
    }
}

/* Visits the parts that are always evaluated with |e|: not the sides of a conditional, nor accesses
 * whose address is taken. */
static void check_expr(walk *w, const rlxc_expr *e)
{
    if (e == NULL || rlxc_map_get(&w->seen, rlxc_key(e)))
        return;
    rlxc_map_set(w->ctx, &w->seen, rlxc_key(e), w);
    switch ((rlxc_expr_kind)e->kind) {
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return;
        RLXC_NUMBER_EXPRS(RLXC_EXPR_CASE)
        check_expr(w, e->bin.b);
        check_expr(w, e->bin.a);
        return;
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
        check_expr(w, e->bin.a);
        return;
    case RLXC_EXPR_SELECT:
        check_expr(w, e->select.cond);
        return;
    case RLXC_EXPR_LOAD:
        for (uint32_t i = 0; i < e->load.n; i++)
            check_expr(w, e->load.indices[i]);
        check_access(w, "load from", e->load.buffer, e->load.indices, e->load.n);
        return;
    case RLXC_EXPR_CALL:
        if (rlxc_is_choice(e))
            check_expr(w, e->call.args[0]);
        else if (strcmp(e->call.name, "address_of") != 0)
            for (uint32_t i = 0; i < e->call.n; i++)
                check_expr(w, e->call.args[i]);
        return;
    case RLXC_EXPR_LET:
        check_expr(w, e->let.value);
        rlxc_reach_bind(&w->reach, e->let.var, rlxc_reach_resolve(&w->reach, e->let.value));
        check_expr(w, e->let.body);
        return;
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        check_expr(w, e->ramp.base);
        return;
    }
}

/* --- statements ------------------------------------------------------------------------------- */

static void check_stmt(walk *w, const rlxc_stmt *s);

/* True for a loop that runs at least for some sizes, with a length independent of other loops. */
static void check_loop(walk *w, const rlxc_stmt *s)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *first = rlxc_reach_resolve(&w->reach, s->loop.min),
                    *extent = rlxc_reach_resolve(&w->reach, s->loop.extent);
    check_expr(w, s->loop.min);
    check_expr(w, s->loop.extent);
    if (first->from_memory || extent->from_memory || rlxc_reach_uses_loops(&w->reach, first) ||
        rlxc_reach_uses_loops(&w->reach, extent) ||
        rlxc_prove_le(ctx, extent, rlxc_int(ctx, extent->dtype, 0), NULL))
        return;
    const rlxc_expr *last =
        rlxc_sub(ctx, rlxc_add(ctx, first, extent), rlxc_int(ctx, extent->dtype, 1));
    const rlxc_reach_mark outside = rlxc_reach_scope(&w->reach);
    RLXC_PUSH(ctx, &w->reach.loops, ((rlxc_reach_loop){s->loop.var, first, last}));
    check_stmt(w, s->loop.body);
    rlxc_reach_leave(&w->reach, outside);
}

static void check_block(walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    for (uint32_t i = 0; i < b->n_axes; i++)
        rlxc_reach_bind(&w->reach, b->axes[i].var,
                        rlxc_reach_resolve(&w->reach, s->block.values[i]));
    if (s->block.predicate != NULL && !rlxc_is_const(s->block.predicate, 1))
        return;
    if (b->init != NULL)
        check_stmt(w, b->init);
    check_stmt(w, b->body);
}

static void check_stmt(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    if (s->range.line != 0)
        w->range = s->range;
    w->seen = (rlxc_map){0};
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !rlxc_out_of_memory(w->ctx); i++)
            check_stmt(w, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        check_loop(w, s);
        break;
    case RLXC_STMT_BLOCK:
        check_block(w, s);
        break;
    case RLXC_STMT_WHILE:
        check_expr(w, s->while_.cond);
        break;
    case RLXC_STMT_IF:
        check_expr(w, s->if_.cond);
        break;
    case RLXC_STMT_LET:
        check_expr(w, s->let.value);
        rlxc_reach_bind(&w->reach, s->let.var, rlxc_reach_resolve(&w->reach, s->let.value));
        return; /* in scope to the end of its SEQ */
    case RLXC_STMT_STORE:
        for (uint32_t i = 0; i < s->store.n; i++)
            check_expr(w, s->store.indices[i]);
        check_expr(w, s->store.value);
        check_access(w, "store to", s->store.buffer, s->store.indices, s->store.n);
        break;
    case RLXC_STMT_EVALUATE:
        check_expr(w, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        check_expr(w, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    rlxc_reach_leave(&w->reach, scope);
}

bool rlxc_pass_check_accesses(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f == NULL)
            continue;
        walk w = {.ctx = ctx, .reach = {.ctx = ctx}, .range = f->range};
        check_stmt(&w, f->body);
    }
    return !rlxc_failed(ctx);
}
