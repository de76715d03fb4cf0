/* Pass check_accesses: a load or store that provably leaves its buffer is an error at its line.
 *
 * An index that is affine in the loops around it has its least and greatest value at ends of the
 * loops and takes both whenever the loops run. An access under no condition is refused where one of
 * the two lies outside of the buffer's dimension, for constants and for symbolic sizes. Everything
 * else is left alone: indices that are not affine or come from memory, whatever stands under a
 * condition, and loops whose lengths depend on other loops. The module is not changed. */
#include "compiler/ir/sym.h"
#include "compiler/passes/passes.h"

#include <string.h>

typedef struct loop {
    const rlxc_expr *var, *first, *last; /* in terms of the function's symbols alone */
} loop;

typedef struct walk {
    rlxc_context *ctx;
    RLXC_VEC(loop) loops;               /* that surely run, outermost first */
    RLXC_VEC(const rlxc_expr *) bound;  /* axes and lets in scope, */
    RLXC_VEC(const rlxc_expr *) values; /* and what they are, made of loops and symbols */
    rlxc_map seen;                      /* expressions of the current statement */
    rlxc_range range;
} walk;

/* --- values ----------------------------------------------------------------------------------- */

static void bind(walk *w, const rlxc_expr *var, const rlxc_expr *value)
{
    RLXC_PUSH(w->ctx, &w->bound, var);
    RLXC_PUSH(w->ctx, &w->values, value);
}

static const rlxc_expr *resolve(walk *w, const rlxc_expr *e)
{
    return rlxc_substitute(w->ctx, e, w->bound.items, w->values.items, w->bound.count);
}

static bool uses_loops(const walk *w, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < w->loops.count; i++)
        if (rlxc_expr_uses_var(w->ctx, e, w->loops.items[i].var))
            return true;
    return false;
}

/* The value of |index| at the end of the loops where it is least or greatest; NULL where it is not
 * known to be affine. */
static const rlxc_expr *extreme(walk *w, const rlxc_expr *index, bool greatest)
{
    rlxc_context *ctx = w->ctx;
    for (uint32_t i = w->loops.count; i-- > 0;) {
        const loop *l = &w->loops.items[i];
        if (!rlxc_expr_uses_var(ctx, index, l->var))
            continue;
        const rlxc_expr *next = rlxc_add(ctx, l->var, rlxc_int(ctx, l->var->dtype, 1));
        const rlxc_expr *moved = rlxc_substitute(ctx, index, &l->var, &next, 1);
        const rlxc_expr *step = rlxc_canonical(ctx, rlxc_sub(ctx, moved, index), NULL);
        const rlxc_expr *zero = rlxc_int(ctx, step->dtype, 0);
        bool up = rlxc_prove_le(ctx, zero, step, NULL);
        if (uses_loops(w, step) || (!up && !rlxc_prove_le(ctx, step, zero, NULL)))
            return NULL;
        index = rlxc_substitute(ctx, index, &l->var, up == greatest ? &l->last : &l->first, 1);
    }
    return rlxc_canonical(ctx, index, NULL);
}

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
        const rlxc_expr *index = resolve(w, indices[i]), *size = resolve(w, b->shape[i]);
        if (index->from_memory || index->dtype.lanes != 1 || !rlxc_dtype_is_int(index->dtype))
            continue;
        const rlxc_expr *least = extreme(w, index, false), *most = extreme(w, index, true);
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

/* What is surely computed where |e| is: not the sides of a choice, nor what only an address is
 * taken of. */
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
        if (strcmp(e->call.name, "if_then_else") == 0 && e->call.n > 0)
            check_expr(w, e->call.args[0]);
        else if (strcmp(e->call.name, "address_of") != 0)
            for (uint32_t i = 0; i < e->call.n; i++)
                check_expr(w, e->call.args[i]);
        return;
    case RLXC_EXPR_LET:
        check_expr(w, e->let.value);
        bind(w, e->let.var, resolve(w, e->let.value));
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

/* A loop that runs, or runs for some sizes, as often whatever other loops do. */
static void check_loop(walk *w, const rlxc_stmt *s)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *first = resolve(w, s->loop.min), *extent = resolve(w, s->loop.extent);
    check_expr(w, s->loop.min);
    check_expr(w, s->loop.extent);
    if (first->from_memory || extent->from_memory || uses_loops(w, first) ||
        uses_loops(w, extent) || rlxc_prove_le(ctx, extent, rlxc_int(ctx, extent->dtype, 0), NULL))
        return;
    const rlxc_expr *last =
        rlxc_sub(ctx, rlxc_add(ctx, first, extent), rlxc_int(ctx, extent->dtype, 1));
    RLXC_PUSH(ctx, &w->loops, ((loop){s->loop.var, first, last}));
    check_stmt(w, s->loop.body);
    if (w->loops.count > 0)
        w->loops.count--;
}

static void check_block(walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    for (uint32_t i = 0; i < b->n_axes; i++)
        bind(w, b->axes[i].var, resolve(w, s->block.values[i]));
    if (s->block.predicate != NULL && !rlxc_is_const(s->block.predicate, 1))
        return;
    if (b->init != NULL)
        check_stmt(w, b->init);
    check_stmt(w, b->body);
}

static void check_stmt(walk *w, const rlxc_stmt *s)
{
    const uint32_t scope = w->bound.count;
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
        bind(w, s->let.var, resolve(w, s->let.value));
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
    w->bound.count = w->values.count = scope;
}

bool rlxc_pass_check_accesses(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f == NULL)
            continue;
        walk w = {.ctx = ctx, .range = f->range};
        check_stmt(&w, f->body);
    }
    return !rlxc_failed(ctx);
}
