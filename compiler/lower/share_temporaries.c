/* Temporaries of a lowered function that are never in use at the same time share memory.
 *
 *     t1 = T.allocate([n], ...)                 t1 = T.allocate([n], ...)
 *     t2 = T.allocate([n], ...)                 t2 = T.allocate([n], ...)
 *     t3 = T.allocate([n], ...)           ->    b1, b2 = T.decl_buffer(data=t1), ...(data=t2)
 *     b1, b2, b3 = T.decl_buffer(...)           b3 = T.decl_buffer((n,), data=t1)
 *     for ...: b1[...] = ...                    for ...: b1[...] = ...
 *     for ...: b2[...] = b1[...]                for ...: b2[...] = b1[...]
 *     for ...: b3[...] = b2[...]                for ...: b3[...] = b2[...]
 *
 * The statements of a sequence are its points in time: a temporary is in use from the first of them
 * that mentions its memory to the last, whole loops included. The largest are placed first, those
 * of equal size in the order of their first use, each in the first memory that is large enough and
 * not in use at the same time. Temporaries of one size therefore take as many places as are in use
 * at once, which is optimal. Temporaries whose address is taken, those on the stack, and those
 * whose size the sequence computes are not changed. The launches of a device function run in order,
 * so the same holds there. */
#include <string.h>

#include "compiler/lower/lower.h"

enum { MOST = 256 /* temporaries of a sequence; the work grows with the square */ };

typedef struct temporary {
    const rlxc_stmt *allocate;
    const rlxc_expr *bytes;
    uint32_t at;          /* item of the sequence */
    uint32_t first, last; /* items that use it; first > last: none */
    uint32_t place;       /* the temporary, placed before, whose memory it takes; or itself */
    bool is_fixed;
} temporary;

typedef struct sharing {
    rlxc_context *ctx;
    rlxc_map owner;   /* data -> the data it is replaced by */
    rlxc_map buffers; /* buffer -> the same over its owner */
    rlxc_map joined;  /* ALLOCATE -> the statement that takes its place */
    rlxc_map seen;    /* data that some place allocates */
    rlxc_map several; /* data that several places allocate: loops that were cut */
    /* While a sequence is analysed: */
    temporary *of;
    uint32_t n, at;
    rlxc_map index; /* data -> number in |of|, + 1 */
    rlxc_map bound; /* variables that the sequence itself binds */
    bool depends;
} sharing;

/* --- uses ------------------------------------------------------------------------------------- */

static temporary *temporary_of(const sharing *s, const rlxc_expr *data)
{
    uintptr_t i = (uintptr_t)rlxc_map_get(&s->index, rlxc_key(data));
    return i ? &s->of[i - 1] : NULL;
}

static void note_use(sharing *s, const rlxc_expr *data, bool fix)
{
    temporary *t = temporary_of(s, data);
    if (!t)
        return;
    if (t->first > s->at)
        t->first = s->at;
    t->last = s->at;
    t->is_fixed = t->is_fixed || fix;
}

static bool note_node(void *user, const rlxc_expr *e)
{
    sharing *s = user;
    if (e->kind == RLXC_EXPR_LOAD)
        note_use(s, e->load.buffer->data, false);
    else if (e->kind == RLXC_EXPR_VAR)
        note_use(s, e, true);
    else if (e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "address_of") == 0 &&
             e->call.args[0]->kind == RLXC_EXPR_LOAD)
        note_use(s, e->call.args[0]->load.buffer->data, true);
    return true;
}

static bool note_stmt(void *user, const rlxc_stmt *stmt)
{
    sharing *s = user;
    if (stmt->kind == RLXC_STMT_STORE)
        note_use(s, stmt->store.buffer->data, false);
    if (stmt->kind == RLXC_STMT_ATTR && stmt->attr.node.kind == RLXC_ATTR_EXPR)
        rlxc_expr_visit(s->ctx, stmt->attr.node.expr, note_node, s);
    rlxc_stmt_nodes(s->ctx, stmt, note_node, s);
    return true;
}

static bool note_allocation(void *user, const rlxc_stmt *stmt)
{
    sharing *s = user;
    if (stmt->kind != RLXC_STMT_ALLOCATE)
        return true;
    const uint64_t key = rlxc_key(stmt->allocate.var);
    if (rlxc_map_get(&s->seen, key))
        rlxc_map_set(s->ctx, &s->several, key, s);
    rlxc_map_set(s->ctx, &s->seen, key, s);
    return true;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool check_bound(void *user, const rlxc_expr *e)
{
    sharing *s = user;
    s->depends = s->depends || e->from_memory || rlxc_map_get(&s->bound, rlxc_key(e));
    return !s->depends;
}

/* Lists the temporaries of |seq| in scratch memory, whose sizes are known where it begins. */
static void list_temporaries(sharing *s, const rlxc_stmt *seq)
{
    int64_t constant;
    for (uint32_t i = 0; i < seq->seq.n; i++)
        if (seq->seq.items[i]->kind == RLXC_STMT_LET)
            rlxc_map_set(s->ctx, &s->bound, rlxc_key(seq->seq.items[i]->let.var), s);
    for (uint32_t i = 0; i < seq->seq.n && s->n < MOST; i++) {
        const rlxc_stmt *a = seq->seq.items[i];
        if (a->kind != RLXC_STMT_ALLOCATE || a->allocate.cond ||
            strcmp(a->allocate.scope, "global") != 0 ||
            rlxc_map_get(&s->several, rlxc_key(a->allocate.var)))
            continue;
        const rlxc_expr *bytes =
            rlxc_extents_bytes(s->ctx, a->allocate.dtype, a->allocate.extents, a->allocate.n);
        if (rlxc_is_int(bytes, &constant) && constant <= RLXC_STACK_LIMIT)
            continue;
        s->depends = false;
        for (uint32_t k = 0; k < a->allocate.n && !s->depends; k++)
            rlxc_expr_visit(s->ctx, a->allocate.extents[k], check_bound, s);
        if (s->depends)
            continue;
        s->of[s->n] = (temporary){.allocate = a, .bytes = bytes, .at = i, .first = UINT32_MAX};
        rlxc_map_set(s->ctx, &s->index, rlxc_key(a->allocate.var), (void *)(uintptr_t)++s->n);
    }
}

static bool goes_before(sharing *s, const temporary *a, const temporary *b)
{
    if (a->bytes != b->bytes && rlxc_prove_le(s->ctx, b->bytes, a->bytes, NULL))
        return true;
    if (a->bytes != b->bytes && rlxc_prove_le(s->ctx, a->bytes, b->bytes, NULL))
        return false;
    return a->first < b->first;
}

static bool fits(sharing *s, const temporary *t, const temporary *into)
{
    return t->bytes == into->bytes || rlxc_prove_le(s->ctx, t->bytes, into->bytes, NULL);
}

static bool is_free(const sharing *s, const uint32_t *order, uint32_t n, uint32_t place,
                    const temporary *t)
{
    for (uint32_t i = 0; i < n; i++) {
        const temporary *other = &s->of[order[i]];
        if (other->place == place && other->first <= t->last && t->first <= other->last)
            return false;
    }
    return true;
}

/* Gives each temporary a place; true if any shares one. */
static bool place_all(sharing *s, uint32_t *order)
{
    uint32_t n = 0;
    bool any = false;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = n;
        s->of[i].place = i;
        if (s->of[i].is_fixed || s->of[i].first > s->of[i].last)
            continue;
        for (; at > 0 && goes_before(s, &s->of[i], &s->of[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
        n++;
    }
    for (uint32_t i = 1; i < n; i++) {
        temporary *t = &s->of[order[i]];
        for (uint32_t k = 0; k < i && t->place == order[i]; k++) {
            const uint32_t place = s->of[order[k]].place;
            if (place == order[k] && fits(s, t, &s->of[place]) && is_free(s, order, i, place, t))
                t->place = place;
        }
        any = any || t->place != order[i];
    }
    return any;
}

/* The members of a place share one allocation, with the size of the largest, at the position of the
   first. */
static void join(sharing *s)
{
    for (uint32_t place = 0; place < s->n; place++) {
        const temporary *largest = &s->of[place], *first = NULL;
        for (uint32_t i = 0; i < s->n && largest->place == place; i++) {
            const temporary *t = &s->of[i];
            if (t->place != place)
                continue;
            if (!first) {
                rlxc_stmt *a = rlxc_copy(s->ctx, largest->allocate, sizeof *a);
                first = t;
                a->allocate.var = first->allocate->allocate.var;
                rlxc_map_set(s->ctx, &s->joined, rlxc_key(first->allocate), a);
                continue;
            }
            rlxc_map_set(s->ctx, &s->joined, rlxc_key(t->allocate),
                         (void *)(uintptr_t)rlxc_stmt_nothing(s->ctx));
            rlxc_map_set(s->ctx, &s->owner, rlxc_key(t->allocate->allocate.var),
                         (void *)(uintptr_t)first->allocate->allocate.var);
        }
    }
}

static bool share_sequence(void *user, const rlxc_stmt *stmt)
{
    sharing *s = user;
    uint32_t n = 0;
    for (uint32_t i = 0; stmt->kind == RLXC_STMT_SEQ && i < stmt->seq.n; i++)
        n += stmt->seq.items[i]->kind == RLXC_STMT_ALLOCATE;
    if (n < 2)
        return true;
    n = n < MOST ? n : MOST;
    uint32_t *order = rlxc_alloc(s->ctx, n * sizeof *order);
    s->of = rlxc_alloc(s->ctx, n * sizeof *s->of);
    s->n = 0;
    s->index = s->bound = (rlxc_map){0};
    list_temporaries(s, stmt);
    for (s->at = 0; s->at < stmt->seq.n && s->n > 1; s->at++)
        rlxc_stmt_visit(stmt->seq.items[s->at], note_stmt, s);
    if (s->n > 1 && place_all(s, order))
        join(s);
    return true;
}

/* --- rewriting -------------------------------------------------------------------------------- */

static rlxc_buffer *over_owner(void *user, const rlxc_buffer *b)
{
    sharing *s = user;
    const rlxc_expr *data = b->data ? rlxc_map_get(&s->owner, rlxc_key(b->data)) : NULL;
    if (!data)
        return NULL;
    rlxc_buffer *own = rlxc_map_get(&s->buffers, rlxc_key(b));
    if (!own) {
        own = rlxc_copy(s->ctx, b, sizeof *own);
        own->data = data;
        rlxc_map_set(s->ctx, &s->buffers, rlxc_key(b), own);
    }
    return own;
}

static const rlxc_stmt *as_joined(void *user, const rlxc_stmt *stmt)
{
    const sharing *s = user;
    return rlxc_map_get(&s->joined, rlxc_key(stmt));
}

const rlxc_stmt *rlxc_share_temporaries(rlxc_context *ctx, const rlxc_stmt *body)
{
    sharing s = {.ctx = ctx};
    rlxc_stmt_visit(body, note_allocation, &s);
    rlxc_stmt_visit(body, share_sequence, &s);
    if (s.joined.count == 0 || rlxc_out_of_memory(ctx))
        return body;
    return rlxc_stmt_rewrite(
        ctx, body, &(rlxc_stmt_rewriter){.user = &s, .stmt = as_joined, .buffer = over_owner});
}
