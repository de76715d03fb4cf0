/* The memory of buffers: what a statement does with it, and memory of its own for each of the
 * temporaries that StorageRewrite lets share an allocation, where each is stored whole before it is
 * read. */
#include "compiler/schedule/normal.h"

/* --- uses ------------------------------------------------------------------------------------- */

typedef struct walk {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    const rlxc_stmt *at;
    rlxc_buffer_use use;
} walk;

static void note_access(walk *w, const rlxc_buffer *buffer, uint32_t lanes)
{
    w->use.views = w->use.views || buffer != w->buffer;
    w->use.vectors = w->use.vectors || lanes > 1;
}

static bool note_node(void *user, const rlxc_expr *e)
{
    walk *w = user;
    const rlxc_stmt_kind in = w->at->kind;
    w->use.address = w->use.address || e == w->buffer->data || rlxc_takes_address(e, w->buffer);
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer->data != w->buffer->data)
        return true;
    note_access(w, e->load.buffer, e->dtype.lanes);
    w->use.loads = true;
    w->use.elsewhere = w->use.elsewhere || (in != RLXC_STMT_STORE && in != RLXC_STMT_IF &&
                                            in != RLXC_STMT_BLOCK && in != RLXC_STMT_LET);
    return true;
}

static bool note_block(walk *w, const rlxc_block *b)
{
    for (uint32_t i = 0; i < b->n_matches; i++)
        w->use.matches = w->use.matches || b->matches[i].source.buffer->data == w->buffer->data;
    for (uint32_t i = 0; i < b->n_allocs; i++)
        w->use.allocates = w->use.allocates || b->allocs[i] == w->buffer;
    return true;
}

static bool note_stmt(void *user, const rlxc_stmt *s)
{
    walk *w = user;
    const rlxc_expr *data = w->buffer->data;
    w->at = s;
    rlxc_stmt_nodes(w->ctx, s, note_node, w);
    if (s->kind == RLXC_STMT_STORE && s->store.buffer->data == data) {
        w->use.stores++;
        note_access(w, s->store.buffer, s->store.value->dtype.lanes);
    }
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == data) {
        w->use.views = w->use.views || s->decl != w->buffer;
        w->use.allocates = w->use.allocates || s->decl == w->buffer;
    }
    return s->kind != RLXC_STMT_BLOCK || note_block(w, s->block.block);
}

rlxc_buffer_use rlxc_use_of(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *buffer)
{
    walk w = {.ctx = ctx, .buffer = buffer};
    rlxc_stmt_visit(stmt, note_stmt, &w);
    return w.use;
}

/* --- memory that temporaries share ------------------------------------------------------------ */

enum { MOST_SHARES = 8 };

/* The buffers over one allocation, and the statements of a sequence that use each of them. */
typedef struct shares {
    rlxc_context *ctx;
    rlxc_buffer *items[MOST_SHARES]; /* the first is the one that is allocated */
    uint32_t n, first[MOST_SHARES], last[MOST_SHARES];
    const rlxc_buffer *searched; /* as for accesses */
    bool found;
} shares;

static bool find_share(void *user, const rlxc_stmt *s)
{
    shares *a = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == a->items[0]->data &&
        s->decl != a->items[0] && a->n <= MOST_SHARES) {
        if (a->n < MOST_SHARES)
            a->items[a->n] = s->decl;
        a->n++;
    }
    return true;
}

static bool find_load_of(void *user, const rlxc_expr *e)
{
    shares *a = user;
    a->found = a->found || (e->kind == RLXC_EXPR_LOAD && e->load.buffer == a->searched);
    return !a->found;
}

static bool find_access(void *user, const rlxc_stmt *s)
{
    shares *a = user;
    a->found = a->found || (s->kind == RLXC_STMT_STORE && s->store.buffer == a->searched);
    rlxc_stmt_nodes(a->ctx, s, find_load_of, a);
    return !a->found;
}

static bool accesses(shares *a, const rlxc_stmt *s, const rlxc_buffer *buffer)
{
    a->searched = buffer;
    a->found = false;
    rlxc_stmt_visit(s, find_access, a);
    return a->found;
}

/* Finds the statements of |seq| that use each; false: one is not used. */
static bool find_intervals(shares *a, const rlxc_stmt *seq)
{
    for (uint32_t k = 0; k < a->n; k++) {
        bool used = false;
        for (uint32_t i = 0; i < seq->seq.n; i++)
            if (accesses(a, seq->seq.items[i], a->items[k])) {
                a->first[k] = used ? a->first[k] : i;
                a->last[k] = i;
                used = true;
            }
        if (!used)
            return false;
    }
    return true;
}

/* The sequence in the loops of the only statement of |seq| that uses the memory; or NULL. */
static const rlxc_stmt *inner_sequence(const shares *a, const rlxc_stmt *seq)
{
    for (uint32_t k = 0; k < a->n; k++)
        if (a->first[k] != a->first[0] || a->last[k] != a->first[0])
            return NULL;
    const rlxc_stmt *s = seq->seq.items[a->first[0]];
    while (s->kind == RLXC_STMT_FOR)
        s = s->loop.body;
    return s->kind == RLXC_STMT_SEQ ? s : NULL;
}

/* True if the buffers hold nothing for one another in |seq|, which allocates their memory: each is
 * used by other statements, and stores its elements before it loads them. What the first one of a
 * fresh allocation loads before is unknown anyway. */
static bool are_separate(shares *a, const rlxc_stmt *seq)
{
    bool fresh = true;
    if (!find_intervals(a, seq))
        return false;
    for (const rlxc_stmt *inner; (inner = inner_sequence(a, seq)); fresh = false) {
        seq = inner;
        if (!find_intervals(a, seq))
            return false;
    }
    for (uint32_t k = 0; k < a->n; k++) {
        const uint32_t n = a->last[k] - a->first[k] + 1;
        bool earliest = true;
        for (uint32_t i = 0; i < a->n; i++) {
            if (i != k && a->first[i] <= a->last[k] && a->first[k] <= a->last[i])
                return false;
            earliest = earliest && a->first[k] <= a->first[i];
        }
        const rlxc_stmt *uses = rlxc_stmt_seq(a->ctx, seq->seq.items + a->first[k], n);
        if (!(fresh && earliest) && !rlxc_is_stored_first(a->ctx, uses, a->items[k]))
            return false;
    }
    return true;
}

static const rlxc_stmt *without_declaration(void *user, const rlxc_stmt *s)
{
    const shares *a = user;
    return s->kind == RLXC_STMT_DECL_BUFFER && s->decl == a->searched ? rlxc_stmt_nothing(a->ctx)
                                                                      : NULL;
}

/* |seq| with |other| for |buffer|, which it no longer declares. */
static const rlxc_stmt *exchanged(shares *a, const rlxc_stmt *seq, const rlxc_buffer *buffer,
                                  const rlxc_buffer *other)
{
    const rlxc_stmt_rewriter rewriter = {.user = a, .stmt = without_declaration};
    a->searched = buffer;
    seq = rlxc_stmt_rewrite(a->ctx, seq, &rewriter);
    return rlxc_exchange_buffer(a->ctx, seq, buffer, other);
}

static bool same_form(rlxc_context *ctx, const rlxc_buffer *a, const rlxc_buffer *b)
{
    bool same = rlxc_dtype_eq(a->dtype, b->dtype) && a->ndim == b->ndim;
    for (uint32_t i = 0; i < a->ndim && same; i++)
        same = rlxc_prove_eq(ctx, a->shape[i], b->shape[i], NULL);
    return same;
}

/* |seq| with memory of its own for each buffer over that of |buffer|, which it or the block around
 * it allocates. The memory is allocated in |seq|, too: what iterations inside of it leave to later
 * ones stays. */
static const rlxc_stmt *with_own_memory(rlxc_context *ctx, const rlxc_stmt *seq,
                                        rlxc_buffer *buffer)
{
    shares a = {.ctx = ctx, .items = {buffer}, .n = 1};
    rlxc_stmt_visit(seq, find_share, &a);
    if (seq->kind != RLXC_STMT_SEQ || a.n < 2 || a.n > MOST_SHARES)
        return seq;
    for (uint32_t k = 0; k < a.n; k++) {
        const rlxc_buffer_use u = rlxc_use_of(ctx, seq, a.items[k]);
        if (u.address || u.matches || !rlxc_is_compact(a.items[k]))
            return seq;
    }
    for (uint32_t k = a.n; k-- > 1;) /* the same buffer again */
        if (same_form(ctx, a.items[k], buffer)) {
            seq = exchanged(&a, seq, a.items[k], buffer);
            a.items[k] = a.items[--a.n];
        }
    if (seq->kind != RLXC_STMT_SEQ || a.n < 2 || !are_separate(&a, seq))
        return seq;
    for (uint32_t k = 1; k < a.n; k++) {
        rlxc_buffer *own = rlxc_buffer_new(ctx, a.items[k]->name, a.items[k]->dtype,
                                           a.items[k]->shape, a.items[k]->ndim);
        const rlxc_stmt *parts[] = {rlxc_stmt_allocate(ctx, own),
                                    exchanged(&a, seq, a.items[k], own)};
        seq = rlxc_stmt_seq(ctx, parts, 2);
    }
    return seq;
}

static const rlxc_stmt *separate(void *user, const rlxc_stmt *s)
{
    const rlxc_stmt *own = s;
    for (uint32_t i = 1; s->kind == RLXC_STMT_SEQ && i < s->seq.n; i++) {
        const rlxc_stmt *a = s->seq.items[i - 1], *d = s->seq.items[i];
        if (a->kind == RLXC_STMT_ALLOCATE && !a->allocate.cond &&
            d->kind == RLXC_STMT_DECL_BUFFER && d->decl->data == a->allocate.var)
            own = with_own_memory(user, own, d->decl);
    }
    return own == s ? NULL : own;
}

void rlxc_separate_memory(rlxc_context *ctx, rlxc_prim_func *f)
{
    const rlxc_stmt_rewriter apart = {.user = ctx, .stmt = separate};
    f->body = rlxc_stmt_rewrite(ctx, f->body, &apart);
    if (f->body->kind != RLXC_STMT_BLOCK || f->body->block.block->n_axes > 0)
        return;
    rlxc_block *root = rlxc_copy(ctx, f->body->block.block, sizeof *root);
    const rlxc_stmt *const written = root->body;
    for (uint32_t i = 0; i < root->n_allocs; i++)
        root->body = with_own_memory(ctx, root->body, root->allocs[i]);
    if (root->body == written)
        return;
    rlxc_forget_regions(root);
    f->body = rlxc_stmt_block(ctx, root, f->body->block.values, f->body->block.predicate);
}
