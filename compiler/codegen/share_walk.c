/* Encodes a loop as a list of tokens, equal for similar loops, and the constants in which they may
 * differ; and rebuilds the loop with variables in place of these. One walk does both, so that the
 * order of the constants is the same. */
#include "compiler/codegen/share.h"

#include <string.h>

#include "compiler/codegen/codegen.h"
#include "compiler/ir/intrinsics.h"

enum {
    SHORT_LOOP = 32,    /* trip counts up to this decide how a loop is unrolled, */
    SMALL_LOOP = 16,    /* unless it has more statements than this in all turns */
    SMALL_LOCAL = 1024, /* elements of a temporary on the stack */
    OTHER = 1000,       /* tokens above all enum values */
    KNOWN,
    NEW,
    SLOT
};

static void token(rlxc_share_walk *w, uint64_t value)
{
    if (w->tokens.count >= RLXC_SHARE_TOKENS)
        w->bad = true;
    else
        RLXC_PUSH(w->ctx, &w->tokens, value);
}

static void dtype_token(rlxc_share_walk *w, rlx_dtype t)
{
    token(w, (uint64_t)t.code << 32 | (uint64_t)t.bits << 16 | t.lanes);
}

static void text_token(rlxc_share_walk *w, const char *text)
{
    token(w, text ? rlxc_key(text) : OTHER); /* interned */
}

static const rlxc_expr *walk_expr(rlxc_share_walk *w, const rlxc_expr *e);

static void bind(rlxc_share_walk *w, const rlxc_expr *var)
{
    rlxc_map_set(w->ctx, &w->numbers, rlxc_key(var), (void *)(uintptr_t)++w->n_numbers);
    dtype_token(w, var->dtype);
}

/* All uses of |var| are in loops that can have a private copy; one of those is here. */
static bool is_closed(const rlxc_share_walk *w, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < w->scope->closed.count; i++)
        for (uint32_t k = 0; w->scope->closed.items[i].var == var && k < w->n_around; k++)
            if (w->scope->closed.items[i].loop == w->around[k])
                return true;
    return false;
}

/* A variable from outside: a parameter, or a temporary that becomes local to the loop. */
static void import(rlxc_share_walk *w, const rlxc_expr *var)
{
    const rlxc_stmt *local = rlxc_map_get(&w->scope->locals, rlxc_key(var));
    bind(w, var);
    token(w, var->var.nonneg);
    token(w, (uintptr_t)rlxc_map_get(&w->scope->memory, rlxc_key(var)));
    if (local && is_closed(w, var)) {
        const bool is_decl = local->kind == RLXC_STMT_DECL_BUFFER;
        int64_t count = is_decl ? local->decl->shape[0]->i : local->allocate.extents[0]->i;
        token(w, local->kind);
        dtype_token(w, is_decl ? local->decl->dtype : local->allocate.dtype);
        token(w, (uint64_t)count);
        RLXC_PUSH(w->ctx, &w->locals, local);
        return;
    }
    /* held in registers of the enclosing loops, or not passable by a call */
    w->bad = w->bad || local || var->dtype.lanes > 1 || w->vars.count == RLXC_SHARE_VARS;
    RLXC_PUSH(w->ctx, &w->vars, var);
}

static const rlxc_expr *walk_var(rlxc_share_walk *w, const rlxc_expr *var)
{
    uintptr_t number = (uintptr_t)rlxc_map_get(&w->numbers, rlxc_key(var));
    token(w, number ? KNOWN : NEW);
    if (number)
        token(w, number);
    else
        import(w, var);
    return var;
}

/* True if |e| consists only of constants and the function's dimensions, or of a body's sizes. */
static bool is_size(const rlxc_share_walk *w, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_INT)
        return true;
    if (e->kind == RLXC_EXPR_VAR)
        return rlxc_map_get(w->scope->sizes, rlxc_key(e)) != NULL;
    const bool computes = e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB ||
                          e->kind == RLXC_EXPR_MUL || e->kind == RLXC_EXPR_FLOORDIV ||
                          e->kind == RLXC_EXPR_FLOORMOD || e->kind == RLXC_EXPR_MIN ||
                          e->kind == RLXC_EXPR_MAX;
    return computes && is_size(w, e->bin.a) && is_size(w, e->bin.b);
}

static bool may_differ(const rlxc_share_walk *w, const rlxc_expr *e)
{
    const bool fits = rlxc_dtype_eq(e->dtype, RLX_I64) || rlxc_dtype_eq(e->dtype, RLX_I32);
    return fits && !w->literal && (e->kind == RLXC_EXPR_INT ? e->i >= 2 : is_size(w, e));
}

static const rlxc_expr *walk_size(rlxc_share_walk *w, const rlxc_expr *e)
{
    dtype_token(w, e->dtype);
    token(w, SLOT);
    const uint32_t slot = w->slot++;
    w->bad = w->bad || slot >= RLXC_SHARE_SLOTS;
    if (w->slots)
        return w->slots[slot] ? w->slots[slot] : e;
    RLXC_PUSH(w->ctx, &w->values, e);
    return e;
}

static const rlxc_expr *walk_literal(rlxc_share_walk *w, const rlxc_expr *e)
{
    const bool outer = w->literal;
    w->literal = true;
    e = walk_expr(w, e);
    w->literal = outer;
    return e;
}

static const rlxc_expr *const *walk_exprs(rlxc_share_walk *w, const rlxc_expr *const *items,
                                          uint32_t n)
{
    const rlxc_expr **out = rlxc_alloc(w->ctx, ((size_t)n + 1) * sizeof *out);
    token(w, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = walk_expr(w, items[i]);
    return out;
}

/* The buffer with its sizes rewritten, on first encounter. */
static const rlxc_buffer *walk_buffer(rlxc_share_walk *w, const rlxc_buffer *b)
{
    typedef struct known {
        const rlxc_buffer *buffer;
        uint32_t number;
    } known;
    known *k = rlxc_map_get(&w->buffers, rlxc_key(b));
    token(w, k ? KNOWN : NEW);
    if (k) {
        token(w, k->number);
        return k->buffer;
    }
    const bool outer = w->literal;
    const bool is_local = rlxc_map_get(&w->scope->locals, rlxc_key(b->data)) != NULL;
    rlxc_buffer *copy = rlxc_copy(w->ctx, b, sizeof *copy);
    k = rlxc_alloc(w->ctx, sizeof *k);
    *k = (known){w->slots ? copy : b, w->n_buffers++};
    rlxc_map_set(w->ctx, &w->buffers, rlxc_key(b), k);
    dtype_token(w, b->dtype);
    walk_var(w, b->data);
    w->literal = outer || is_local;
    copy->shape = walk_exprs(w, b->shape, b->ndim);
    token(w, b->strides != NULL);
    if (b->strides)
        copy->strides = walk_exprs(w, b->strides, b->ndim);
    token(w, b->elem_offset != NULL);
    if (b->elem_offset)
        copy->elem_offset = walk_expr(w, b->elem_offset);
    w->literal = outer;
    text_token(w, b->scope);
    token(w, b->align);
    token(w, b->offset_factor);
    return k->buffer;
}

/* Constant indices keep temporaries in registers. */
static const rlxc_expr *const *walk_indices(rlxc_share_walk *w, const rlxc_buffer *b,
                                            const rlxc_expr *const *indices, uint32_t n)
{
    const bool outer = w->literal;
    w->literal = outer || rlxc_map_get(&w->scope->memory, rlxc_key(b->data)) == NULL ||
                 rlxc_map_get(&w->scope->locals, rlxc_key(b->data)) != NULL;
    const rlxc_expr *const *out = walk_exprs(w, indices, n);
    w->literal = outer;
    return out;
}

static const rlxc_expr *walk_binary(rlxc_share_walk *w, const rlxc_expr *e)
{
    const bool divides = e->kind == RLXC_EXPR_DIV || e->kind == RLXC_EXPR_FLOORDIV ||
                         e->kind == RLXC_EXPR_FLOORMOD || e->kind == RLXC_EXPR_MOD;
    const rlxc_expr *a = walk_expr(w, e->bin.a);
    const bool is_fast = divides && w->serial > 0 && e->bin.b->kind == RLXC_EXPR_INT;
    const rlxc_expr *b = is_fast ? walk_literal(w, e->bin.b) : walk_expr(w, e->bin.b);
    return a == e->bin.a && b == e->bin.b ? e : rlxc_binary(w->ctx, (rlxc_expr_kind)e->kind, a, b);
}

/* The hint that rlxc_fetch makes. */
static bool is_prefetch(const rlxc_expr *e)
{
    return strcmp(e->call.name, "call_llvm_intrin") == 0 && e->call.n > 1 &&
           e->call.args[0]->kind == RLXC_EXPR_STRING &&
           strcmp(e->call.args[0]->s, "llvm.prefetch") == 0;
}

static const rlxc_expr *walk_call(rlxc_share_walk *w, const rlxc_expr *e)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    const bool is_choice = rlxc_is_choice(e);
    if (!row || (rlxc_intrinsic_has_effects(row) && !is_prefetch(e)) ||
        strcmp(e->call.name, "ret") == 0)
        w->bad = true;
    text_token(w, e->call.name);
    token(w, e->call.n);
    const rlxc_expr **args = rlxc_alloc(w->ctx, ((size_t)e->call.n + 1) * sizeof *args);
    for (uint32_t i = 0; i < e->call.n && !w->bad; i++)
        args[i] = e->call.args[i]->kind == RLXC_EXPR_INT && !is_choice
                      ? walk_literal(w, e->call.args[i])
                      : walk_expr(w, e->call.args[i]);
    return w->slots && !w->bad ? rlxc_call(w->ctx, e->dtype, e->call.name, args, e->call.n) : e;
}

static const rlxc_expr *walk_load(rlxc_share_walk *w, const rlxc_expr *e)
{
    const rlxc_buffer *b = walk_buffer(w, e->load.buffer);
    const rlxc_expr *const *indices = walk_indices(w, e->load.buffer, e->load.indices, e->load.n);
    return w->slots ? rlxc_load(w->ctx, b, indices, e->load.n) : e;
}

static const rlxc_expr *walk_other(rlxc_share_walk *w, const rlxc_expr *e)
{
    const rlxc_expr *a, *b, *c;
    if (rlxc_is_binary(e))
        return walk_binary(w, e);
    switch (e->kind) {
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
        a = walk_expr(w, e->bin.a);
        if (a == e->bin.a)
            return e;
        return e->kind == RLXC_EXPR_NOT ? rlxc_not(w->ctx, a) : rlxc_cast(w->ctx, e->dtype, a);
    case RLXC_EXPR_SELECT:
        a = walk_expr(w, e->select.cond);
        b = walk_expr(w, e->select.yes);
        c = walk_expr(w, e->select.no);
        return w->slots ? rlxc_select(w->ctx, a, b, c) : e;
    case RLXC_EXPR_LOAD:
        return walk_load(w, e);
    case RLXC_EXPR_CALL:
        return walk_call(w, e);
    case RLXC_EXPR_RAMP:
        a = walk_expr(w, e->ramp.base);
        b = walk_literal(w, e->ramp.stride);
        token(w, e->ramp.lanes);
        return a == e->ramp.base ? e : rlxc_ramp(w->ctx, a, b, e->ramp.lanes);
    case RLXC_EXPR_BROADCAST:
        a = walk_expr(w, e->ramp.base);
        token(w, e->ramp.lanes);
        return a == e->ramp.base ? e : rlxc_broadcast(w->ctx, a, e->ramp.lanes);
    case RLXC_EXPR_STRING:
        text_token(w, e->s);
        return e;
    default: /* variables bound inside an expression */
        w->bad = true;
        return e;
    }
}

/* Expressions are walked as trees, because which parts are shared depends on the constants. */
static const rlxc_expr *walk_expr(rlxc_share_walk *w, const rlxc_expr *e)
{
    if (w->bad)
        return e;
    if (may_differ(w, e))
        return walk_size(w, e);
    token(w, e->kind);
    if (e->kind == RLXC_EXPR_VAR)
        return walk_var(w, e);
    dtype_token(w, e->dtype);
    if (e->kind == RLXC_EXPR_INT) {
        token(w, (uint64_t)e->i);
        return e;
    }
    if (e->kind == RLXC_EXPR_FLOAT) {
        uint64_t bits;
        memcpy(&bits, &e->f, sizeof bits);
        token(w, bits);
        return e;
    }
    const rlxc_expr *out = walk_other(w, e);
    w->bad = w->bad || !rlxc_dtype_eq(out->dtype, e->dtype);
    return out;
}

/* --- statements ------------------------------------------------------------------------------- */

static const rlxc_stmt *walk_stmt(rlxc_share_walk *w, const rlxc_stmt *s);

static void walk_annotations(rlxc_share_walk *w, const rlxc_attrs *attrs)
{
    token(w, attrs->count);
    for (uint32_t i = 0; i < attrs->count; i++) {
        int64_t value = 0;
        w->bad = w->bad || !rlxc_attr_as_int(&attrs->values[i], &value);
        text_token(w, attrs->keys[i]);
        token(w, (uint64_t)value);
    }
}

static const rlxc_expr *walk_trips(rlxc_share_walk *w, const rlxc_stmt *s, const rlxc_expr *e)
{
    int64_t n;
    const bool counts = s->loop.kind == RLXC_LOOP_SERIAL || s->loop.kind == RLXC_LOOP_PARALLEL;
    const bool is_short = s->loop.kind == RLXC_LOOP_SERIAL && rlxc_is_int(e, &n) &&
                          n <= SHORT_LOOP &&
                          n * rlxc_count_statements(s->loop.body, SMALL_LOOP + 1) <= SMALL_LOOP;
    return counts && !is_short ? walk_expr(w, e) : walk_literal(w, e);
}

static const rlxc_stmt *walk_for(rlxc_share_walk *w, const rlxc_stmt *s)
{
    rlxc_stmt *copy = rlxc_copy(w->ctx, s, sizeof *copy);
    const int64_t times = w->times;
    const bool is_parallel = s->loop.kind == RLXC_LOOP_PARALLEL;
    token(w, (uint64_t)s->loop.kind);
    walk_annotations(w, &s->loop.annotations);
    copy->loop.min = walk_trips(w, s, s->loop.min);
    copy->loop.extent = walk_trips(w, s, s->loop.extent);
    bind(w, s->loop.var);
    if (w->n_around == RLXC_SHARE_DEPTH) {
        w->bad = true;
        return s;
    }
    w->around[w->n_around++] = s;
    int64_t n;
    if (s->loop.kind == RLXC_LOOP_UNROLLED && rlxc_is_int(s->loop.extent, &n) && n > 0 && n < 256)
        w->times *= n;
    w->may_fail = w->may_fail || is_parallel;
    w->serial += !is_parallel;
    copy->loop.body = walk_stmt(w, s->loop.body);
    w->serial -= !is_parallel;
    w->times = times;
    w->n_around--;
    return copy;
}

static bool is_small(const rlxc_expr *const *extents, uint32_t n)
{
    int64_t count = 1, extent;
    for (uint32_t i = 0; i < n; i++)
        if (!rlxc_is_int(extents[i], &extent) || extent < 0 ||
            __builtin_mul_overflow(count, extent, &count) || count > SMALL_LOCAL)
            return false;
    return true;
}

/* A small inner temporary, on the stack: its size decides the code. */
static void walk_local(rlxc_share_walk *w, const rlxc_expr *var, rlx_dtype dtype,
                       const rlxc_expr *const *extents, uint32_t n)
{
    w->bad = w->bad || !is_small(extents, n);
    for (uint32_t i = 0; i < n && !w->bad; i++)
        walk_literal(w, extents[i]);
    bind(w, var);
    dtype_token(w, dtype);
}

/* A large one, in scratch memory: its size may differ. Its name is in the message when memory is
 * out. */
static void walk_scratch(rlxc_share_walk *w, rlxc_stmt *s)
{
    text_token(w, s->allocate.var->var.name);
    s->allocate.extents = walk_exprs(w, s->allocate.extents, s->allocate.n);
    bind(w, s->allocate.var);
    dtype_token(w, s->allocate.dtype);
    w->may_fail = true;
}

static const rlxc_stmt *walk_seq(rlxc_share_walk *w, const rlxc_stmt *s)
{
    const rlxc_stmt **items = rlxc_alloc(w->ctx, ((size_t)s->seq.n + 1) * sizeof *items);
    token(w, s->seq.n);
    for (uint32_t i = 0; i < s->seq.n && !w->bad; i++)
        items[i] = walk_stmt(w, s->seq.items[i]);
    return w->slots && !w->bad ? rlxc_stmt_seq(w->ctx, items, s->seq.n) : s;
}

static const rlxc_stmt *walk_leaf(rlxc_share_walk *w, const rlxc_stmt *s)
{
    rlxc_stmt *copy = rlxc_copy(w->ctx, s, sizeof *copy);
    switch (s->kind) {
    case RLXC_STMT_LET:
        copy->let.value = walk_expr(w, s->let.value);
        bind(w, s->let.var);
        break;
    case RLXC_STMT_STORE:
        copy->store.buffer = walk_buffer(w, s->store.buffer);
        copy->store.indices = walk_indices(w, s->store.buffer, s->store.indices, s->store.n);
        copy->store.value = walk_expr(w, s->store.value);
        w->weight += w->times;
        break;
    case RLXC_STMT_EVALUATE:
        copy->evaluate = walk_expr(w, s->evaluate);
        break;
    case RLXC_STMT_ALLOCATE:
        w->bad = w->bad || s->allocate.cond;
        if (is_small(s->allocate.extents, s->allocate.n))
            walk_local(w, s->allocate.var, s->allocate.dtype, s->allocate.extents, s->allocate.n);
        else
            walk_scratch(w, copy);
        break;
    case RLXC_STMT_DECL_BUFFER:
        if (!rlxc_map_get(&w->numbers, rlxc_key(s->decl->data)) &&
            !rlxc_map_get(&w->scope->memory, rlxc_key(s->decl->data)))
            walk_local(w, s->decl->data, s->decl->dtype, s->decl->shape, s->decl->ndim);
        copy->decl = (rlxc_buffer *)(uintptr_t)walk_buffer(w, s->decl);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_FOR:
    case RLXC_STMT_IF:
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        w->bad = true;
    }
    return copy;
}

static const rlxc_stmt *walk_stmt(rlxc_share_walk *w, const rlxc_stmt *s)
{
    if (w->bad)
        return s;
    token(w, (uint64_t)s->kind);
    if (s->kind == RLXC_STMT_SEQ)
        return walk_seq(w, s);
    if (s->kind == RLXC_STMT_FOR)
        return walk_for(w, s);
    if (s->kind != RLXC_STMT_IF)
        return walk_leaf(w, s);
    rlxc_stmt *copy = rlxc_copy(w->ctx, s, sizeof *copy);
    copy->if_.cond = walk_expr(w, s->if_.cond);
    copy->if_.then = walk_stmt(w, s->if_.then);
    token(w, s->if_.otherwise != NULL);
    if (s->if_.otherwise)
        copy->if_.otherwise = walk_stmt(w, s->if_.otherwise);
    return copy;
}

const rlxc_stmt *rlxc_share_walk_loop(rlxc_share_walk *w)
{
    w->times = 1;
    token(w, w->scope->flags);
    const rlxc_stmt *out = walk_stmt(w, w->loop);
    return w->bad || rlxc_out_of_memory(w->ctx) ? NULL : out;
}
