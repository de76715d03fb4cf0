/* Temporaries that hold values of one iteration get a place for each iteration, so that the loops
 * around can be split (normal_nests.c):
 *
 *   for i, j in T.grid(n, m):                     for i, j in T.grid(n, m):
 *       s[0] = 0                                      s[i, j] = 0
 *       for k in range(l):                            for k in range(l):
 *           s[0] = s[0] + A[i, k] * B[k, j]               s[i, j] = s[i, j] + A[i, k] * B[k, j]
 *       C[i, j] = T.max(s[0], 0)                      C[i, j] = T.max(s[i, j], 0)
 *
 * A temporary that is allocated in the loops holds nothing at the start of an iteration. Of others
 * it is proved that each iteration stores all elements before it loads one. The places come in the
 * order in which a reader has the loops and dimensions in its indices. */
#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

enum { MOST_AXES = 64 };

/* --- uses ------------------------------------------------------------------------------------- */

typedef struct around {
    const rlxc_expr *vars[RLXC_NEST_LOOPS], *extents[RLXC_NEST_LOOPS]; /* or of a block's axes */
    uint32_t n;
    const rlxc_stmt *inside; /* the statements that use it */
} around;

/* The stores to |buffer|, among loops. */
typedef struct stores {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    const around *loops;
    const rlxc_expr *vars[MOST_AXES], *values[MOST_AXES]; /* of the blocks' axes */
    uint32_t n;
    bool apart; /* each depends on each of the loops */
} stores;

static bool depends(const stores *u, const rlxc_stmt *store, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < store->store.n; i++) {
        const rlxc_expr *at = rlxc_canonical(u->ctx, store->store.indices[i], NULL);
        for (uint32_t k = u->n; k-- > 0;) { /* values of inner axes use those of outer ones */
            if (rlxc_expr_uses_var(u->ctx, at, var))
                return true;
            at = rlxc_substitute(u->ctx, at, &u->vars[k], &u->values[k], 1);
        }
        if (rlxc_expr_uses_var(u->ctx, rlxc_canonical(u->ctx, at, NULL), var))
            return true;
    }
    return false;
}

static bool note_store(void *user, const rlxc_stmt *s)
{
    stores *u = user;
    for (uint32_t k = 0; s->kind == RLXC_STMT_BLOCK && k < s->block.block->n_axes; k++) {
        if (u->n == MOST_AXES) {
            u->apart = false;
            break;
        }
        u->vars[u->n] = s->block.block->axes[k].var;
        u->values[u->n++] = s->block.values[k];
    }
    if (s->kind != RLXC_STMT_STORE || s->store.buffer != u->buffer)
        return true;
    for (uint32_t i = 0; i < u->loops->n && u->apart; i++)
        u->apart = rlxc_is_const(u->loops->extents[i], 1) || depends(u, s, u->loops->vars[i]);
    return true;
}

/* True if iterations of |loops| store to different elements of |buffer|. */
static bool are_apart(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_buffer *buffer,
                      const around *loops)
{
    stores u = {.ctx = ctx, .buffer = buffer, .apart = true, .loops = loops};
    rlxc_stmt_visit(s, note_store, &u);
    return u.apart;
}

static bool uses(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_buffer *buffer)
{
    const rlxc_buffer_use u = rlxc_use_of(ctx, s, buffer);
    return rlxc_is_used(&u);
}

/* --- the loops around all uses ---------------------------------------------------------------- */

/* The loop over |var|, or the block with that axis. */
typedef struct scope {
    const rlxc_expr *var;
    const rlxc_stmt *found;
} scope;

static bool find_scope(void *user, const rlxc_stmt *s)
{
    scope *at = user;
    if (s->kind == RLXC_STMT_FOR ? s->loop.var == at->var
                                 : s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes > 0 &&
                                       s->block.block->axes[0].var == at->var)
        at->found = s;
    return !at->found;
}

/* True if each iteration over |var| in |whole|, where |buffer| is allocated, has a buffer of its
 * own; |whole| is NULL for buffers that are not allocated in it. */
static bool is_around(rlxc_context *ctx, const rlxc_stmt *whole, const rlxc_buffer *buffer,
                      const rlxc_expr *var)
{
    scope at = {.var = var};
    if (!whole)
        return true;
    rlxc_stmt_visit(whole, find_scope, &at);
    return at.found && rlxc_use_of(ctx, at.found, buffer).allocates;
}

/* The loops and axes of blocks around all uses of |buffer| in |s|; false: it cannot be placed. */
static bool find_around(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_stmt *whole,
                        const rlxc_buffer *buffer, around *out)
{
    out->inside = s;
    if (s->kind == RLXC_STMT_FOR && !is_around(ctx, whole, buffer, s->loop.var))
        return true;
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes > 0 &&
        !is_around(ctx, whole, buffer, s->block.block->axes[0].var))
        return true;
    if (s->kind == RLXC_STMT_FOR) {
        if (out->n == RLXC_NEST_LOOPS || !rlxc_is_const(s->loop.min, 0))
            return false;
        for (uint32_t i = 0; i < out->n; i++)
            if (rlxc_expr_uses_var(ctx, s->loop.extent, out->vars[i]))
                return false;
        out->vars[out->n] = s->loop.var;
        out->extents[out->n++] = s->loop.extent;
        return find_around(ctx, s->loop.body, whole, buffer, out);
    }
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->body->kind != RLXC_STMT_STORE) {
        const rlxc_block *b = s->block.block;
        if (b->init || s->block.predicate || b->n_axes > RLXC_NEST_LOOPS)
            return false;
        out->n = b->n_axes ? 0 : out->n;
        for (uint32_t k = 0; k < b->n_axes; k++) {
            if (b->axes[k].kind != RLXC_AXIS_SPATIAL)
                return false;
            out->vars[out->n] = b->axes[k].var;
            out->extents[out->n++] = b->axes[k].extent;
        }
        return find_around(ctx, b->body, whole, buffer, out);
    }
    if (s->kind != RLXC_STMT_SEQ)
        return true;
    const rlxc_stmt *only = NULL;
    for (uint32_t i = 0; i < s->seq.n; i++)
        if (uses(ctx, s->seq.items[i], buffer)) {
            if (only)
                return true;
            only = s->seq.items[i];
        }
    return only && find_around(ctx, only, whole, buffer, out);
}

/* True if |s|, of which the first part uses |buffer|, stores all its elements before it loads one.
 */
static bool stores_first(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_buffer *buffer,
                         const rlxc_temps *temps)
{
    rlxc_nests nests = {0};
    return rlxc_distribute(ctx, s, temps, &nests) && nests.count > 0 &&
           nests.items[0].block->body->store.buffer == buffer && !nests.items[0].whole &&
           !rlxc_nest_reads_own(ctx, nests.items[0].block) &&
           rlxc_nest_stores_all(ctx, &nests.items[0]);
}

/* The same for the first statement of |inside| that uses |buffer|. */
static bool stored_first(rlxc_context *ctx, const rlxc_stmt *inside, const rlxc_buffer *buffer,
                         const rlxc_temps *temps)
{
    for (uint32_t i = 0; inside->kind == RLXC_STMT_SEQ && i < inside->seq.n; i++)
        if (uses(ctx, inside->seq.items[i], buffer))
            return stores_first(ctx, inside->seq.items[i], buffer, temps);
    return false;
}

bool rlxc_is_stored_first(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *buffer)
{
    around loops = {.n = 0};
    const rlxc_temps none = {0};
    return (stmt->kind == RLXC_STMT_SEQ ? stored_first(ctx, stmt, buffer, &none)
                                        : stores_first(ctx, stmt, buffer, &none)) ||
           (find_around(ctx, stmt, NULL, buffer, &loops) &&
            stored_first(ctx, loops.inside, buffer, &none));
}

/* The loops whose iterations each store all of |buffer| before they load from it, else those in
 * which it is allocated; false: it cannot be placed. */
static bool find_fresh(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt *whole,
                       const rlxc_buffer *buffer, const rlxc_temps *temps, around *out)
{
    *out = (around){.n = 0};
    if (find_around(ctx, stmt, NULL, buffer, out) && stored_first(ctx, out->inside, buffer, temps))
        return true;
    *out = (around){.n = 0};
    return whole && find_around(ctx, stmt, whole, buffer, out);
}

/* Leaves out the loops that are not used in storing to |buffer|: their iterations store the same.
 */
static void leave_unused(rlxc_context *ctx, around *loops, const rlxc_buffer *buffer)
{
    const rlxc_stmt *s = loops->inside;
    const rlxc_stmt *const *items = s->kind == RLXC_STMT_SEQ ? s->seq.items : &s;
    const uint32_t count = s->kind == RLXC_STMT_SEQ ? s->seq.n : 1;
    uint32_t n = 0;
    for (uint32_t k = 0; k < loops->n; k++) {
        bool used = false;
        for (uint32_t i = 0; i < count && !used; i++)
            used = rlxc_use_of(ctx, items[i], buffer).stores > 0 &&
                   rlxc_stmt_uses_var(ctx, items[i], loops->vars[k]);
        loops->vars[n] = loops->vars[k];
        loops->extents[n] = loops->extents[k];
        n += used;
    }
    loops->n = n;
}

/* --- a place for each iteration --------------------------------------------------------------- */

enum { MOST_DIMS = RLXC_NEST_LOOPS + RLXC_MAX_NDIM };

typedef struct places {
    rlxc_context *ctx;
    const rlxc_buffer *from;
    const around *loops;
    bool tiles;
    uint32_t order[MOST_DIMS]; /* of the loops and then the dimensions, unless |tiles| */
} places;

/* Of a tile, the positions in all tiles together; else the loops and dimensions in their order, but
 * for those of one element. The first loops have no dimension in a tile that has fewer than loops.
 */
static void place(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const places *p = user;
    const around *loops = p->loops;
    const uint32_t without = p->tiles ? loops->n - p->from->ndim : 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < loops->n && p->tiles; i++) {
        const rlxc_expr *var = rlxc_cast(p->ctx, RLX_I64, loops->vars[i]);
        out[i] = i < without
                     ? var
                     : rlxc_add(p->ctx,
                                rlxc_mul(p->ctx, var,
                                         rlxc_cast(p->ctx, RLX_I64, p->from->shape[i - without])),
                                rlxc_cast(p->ctx, RLX_I64,
                                          rlxc_canonical(p->ctx, at[i - without], NULL)));
    }
    for (uint32_t i = 0; i < loops->n + p->from->ndim && !p->tiles; i++) {
        const uint32_t k = p->order[i];
        const rlxc_expr *extent = k < loops->n ? loops->extents[k] : p->from->shape[k - loops->n];
        if (!rlxc_is_const(extent, 1))
            out[n++] = k < loops->n ? rlxc_cast(p->ctx, RLX_I64, loops->vars[k]) : at[k - loops->n];
    }
}

/* The statement that reads the buffer, and the first index there that uses each of the loops and
 * dimensions. */
typedef struct reader {
    stores axes;
    const rlxc_expr *load;
    uint32_t at[MOST_DIMS];
    bool found;
} reader;

static bool find_load(void *user, const rlxc_expr *e)
{
    reader *r = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == r->axes.buffer)
        r->load = e;
    return !r->load;
}

/* |e| over the loops. */
static const rlxc_expr *outside(const reader *r, const rlxc_expr *e)
{
    for (uint32_t k = r->axes.n; k-- > 0;)
        e = rlxc_substitute(r->axes.ctx, e, &r->axes.vars[k], &r->axes.values[k], 1);
    return rlxc_canonical(r->axes.ctx, e, NULL);
}

static bool find_reader(void *user, const rlxc_stmt *s)
{
    reader *r = user;
    const around *loops = r->axes.loops;
    note_store(&r->axes, s);
    r->load = NULL;
    if (r->found || s->kind != RLXC_STMT_STORE || s->store.buffer == r->axes.buffer)
        return !r->found;
    rlxc_expr_visit(r->axes.ctx, s->store.value, find_load, r);
    r->found = r->load != NULL;
    for (uint32_t k = 0; r->found && k < loops->n + r->axes.buffer->ndim; k++) {
        const rlxc_expr *var =
            k < loops->n ? loops->vars[k] : outside(r, r->load->load.indices[k - loops->n]);
        r->at[k] = 0;
        if (var->kind != RLXC_EXPR_VAR)
            continue;
        while (r->at[k] < s->store.n &&
               !rlxc_expr_uses_var(r->axes.ctx, outside(r, s->store.indices[r->at[k]]), var))
            r->at[k]++;
        r->found = r->at[k] < s->store.n;
    }
    return !r->found;
}

/* The order of the loops and dimensions in what reads the buffer; else the loops come first. */
static void find_order(places *p, const rlxc_stmt *stmt)
{
    const uint32_t n = p->loops->n + p->from->ndim;
    reader r = {.axes = {.ctx = p->ctx, .buffer = p->from, .loops = p->loops, .apart = true}};
    rlxc_stmt_visit(stmt, find_reader, &r);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t to = k;
        for (; to > 0 && r.found && r.at[p->order[to - 1]] > r.at[k]; to--)
            p->order[to] = p->order[to - 1];
        p->order[to] = k;
    }
}

enum { MOST_GROWTH = 4 };

/* True if |size| elements are not more than a few times those of a parameter, whose unknown
 * dimensions are not 0: larger temporaries are better stored to again and again. */
static bool is_moderate(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_expr *size)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *b = f->params[i].buffer;
        const rlxc_expr *most = rlxc_i64(ctx, MOST_GROWTH);
        for (uint32_t k = 0; b && k < b->ndim; k++) {
            const bool known = rlxc_is_int(b->shape[k], &(int64_t){0});
            const rlxc_expr *dim = rlxc_cast(ctx, RLX_I64, b->shape[k]);
            most = rlxc_mul(ctx, most, known ? dim : rlxc_add(ctx, dim, rlxc_i64(ctx, 1)));
        }
        if (b && rlxc_prove_le(ctx, size, most, NULL))
            return true;
    }
    return false;
}

/* The buffer with places for all iterations; NULL: it would be too large. */
static rlxc_buffer *enlarged(const places *p, const rlxc_prim_func *f)
{
    rlxc_context *ctx = p->ctx;
    const around *loops = p->loops;
    const rlxc_expr *shape[RLXC_MAX_NDIM];
    rlxc_buffer *own = rlxc_copy(ctx, p->from, sizeof *own);
    const uint32_t without = p->tiles ? loops->n - p->from->ndim : 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < loops->n + p->from->ndim; i++) {
        const uint32_t k = p->tiles ? i : p->order[i];
        const rlxc_expr *extent = k < loops->n ? loops->extents[k] : p->from->shape[k - loops->n];
        if (p->tiles && i < loops->n)
            extent = i < without ? extent
                                 : rlxc_mul(ctx, rlxc_cast(ctx, RLX_I64, extent),
                                            rlxc_cast(ctx, RLX_I64, p->from->shape[i - without]));
        else if (p->tiles || rlxc_is_const(extent, 1))
            continue;
        if (n == RLXC_MAX_NDIM)
            return NULL;
        shape[n++] = rlxc_cast(ctx, RLX_I64, extent);
    }
    if (!is_moderate(ctx, f, rlxc_product(ctx, shape, n)))
        return NULL;
    own->shape = rlxc_copy(ctx, shape, n * sizeof *shape);
    own->ndim = n;
    own->scope = rlxc_intern_cstr(ctx, "global");
    return own;
}

const rlxc_stmt *rlxc_place_local(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt *whole,
                                  rlxc_places kind, const rlxc_prim_func *f,
                                  const rlxc_temps *temps, const rlxc_buffer **buffer)
{
    around loops;
    bool fixed = true;
    if ((*buffer)->strides || (*buffer)->elem_offset ||
        !find_fresh(ctx, stmt, whole, *buffer, temps, &loops))
        return NULL;
    if (rlxc_use_of(ctx, stmt, *buffer).address)
        return NULL;
    if (kind == RLXC_OWN_PLACES)
        leave_unused(ctx, &loops, *buffer);
    if (are_apart(ctx, stmt, *buffer, &loops))
        return stmt;
    for (uint32_t i = 0; i < (*buffer)->ndim; i++) {
        fixed = fixed && rlxc_is_int((*buffer)->shape[i], &(int64_t){0});
        for (uint32_t k = 0; k < loops.n; k++)
            if (rlxc_expr_uses_var(ctx, (*buffer)->shape[i], loops.vars[k]))
                return NULL;
    }
    places p = {
        ctx, *buffer, &loops, kind == RLXC_TILE_PLACES && fixed && (*buffer)->ndim <= loops.n, {0}};
    if ((*buffer)->ndim > RLXC_MAX_NDIM)
        return NULL;
    find_order(&p, stmt);
    rlxc_buffer *own = enlarged(&p, f);
    if (!own)
        return NULL;
    const rlxc_redirection redirection = {ctx, *buffer, own, place, &p, false};
    *buffer = own;
    return rlxc_redirect_stmt(&redirection, stmt);
}

/* --- moved elements --------------------------------------------------------------------------- */

typedef struct move {
    rlxc_context *ctx;
    const rlxc_buffer *to;
    const rlxc_stmt *store;
    const rlxc_expr *vars[MOST_AXES], *values[MOST_AXES]; /* of blocks' axes */
    const rlxc_expr *loops[RLXC_NEST_LOOPS];              /* around the store */
    uint32_t n, n_loops;
    const rlxc_expr *cond;                /* of the store, or NULL */
    const rlxc_expr *value;               /* of the store, over loops */
    const rlxc_expr *at[RLX_MAX_NDIM];    /* the loop that an index of the store counts, or NULL, */
    const rlxc_expr *begin[RLX_MAX_NDIM]; /* and where it begins */
    const rlxc_buffer *from;
    bool vector; /* several elements are read at once */
} move;

static void suppose(move *m, const rlxc_expr *cond)
{
    cond = rlxc_substitute(m->ctx, cond, m->vars, m->values, m->n);
    m->cond = m->cond ? rlxc_binary(m->ctx, RLXC_EXPR_AND, m->cond, cond) : cond;
}

/* Finds the only store in |s|, which is nothing but loops, blocks and conditions around it. */
static bool find_only_store(move *m, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_FOR) {
        if (!rlxc_is_const(s->loop.min, 0) || m->n_loops == RLXC_NEST_LOOPS)
            return false;
        m->loops[m->n_loops++] = s->loop.var;
        return find_only_store(m, s->loop.body);
    }
    if (s->kind == RLXC_STMT_BLOCK) {
        const rlxc_block *b = s->block.block;
        if (b->init || b->n_matches || b->n_axes > MOST_AXES - m->n)
            return false;
        for (uint32_t k = 0; k < b->n_axes; k++) {
            const rlxc_expr *value =
                rlxc_substitute(m->ctx, s->block.values[k], m->vars, m->values, m->n);
            m->vars[m->n] = b->axes[k].var;
            m->values[m->n++] = value;
        }
        if (s->block.predicate)
            suppose(m, s->block.predicate);
        return find_only_store(m, b->body);
    }
    if (s->kind == RLXC_STMT_IF && !s->if_.otherwise) {
        suppose(m, s->if_.cond);
        return find_only_store(m, s->if_.then);
    }
    m->store = s;
    return s->kind == RLXC_STMT_STORE && s->store.buffer == m->to && s->store.n <= RLX_MAX_NDIM;
}

/* Reads the store's index |i|: one of its loops, added to what does not use them, or only that: an
 * iteration has no other element then. */
static bool read_index(move *m, uint32_t i)
{
    rlxc_context *ctx = m->ctx;
    const rlxc_expr *e = rlxc_substitute(ctx, m->store->store.indices[i], m->vars, m->values, m->n);
    e = rlxc_canonical(ctx, rlxc_wide(ctx, e), NULL);
    for (uint32_t k = 0; k < m->n_loops; k++) {
        int64_t by;
        if (!rlxc_linear_in(ctx, e, m->loops[k], &by, &e) || (by != 0 && (by != 1 || m->at[i])))
            return false;
        m->at[i] = by == 1 ? m->loops[k] : m->at[i];
    }
    m->begin[i] = e;
    for (uint32_t k = 0; k < i && m->at[i]; k++)
        if (m->at[k] == m->at[i])
            return false;
    return true;
}

static bool read_move(move *m, const rlxc_stmt *stmt)
{
    rlxc_context *ctx = m->ctx;
    m->value = rlxc_substitute(ctx, m->store->store.value, m->vars, m->values, m->n);
    if (m->cond) { /* where it does not hold, a reader finds what was never stored */
        const rlxc_expr *args[] = {m->cond, m->value,
                                   rlxc_neutral(ctx, RLXC_EXPR_ADD, m->value->dtype)};
        m->value = rlxc_call(ctx, m->value->dtype, "if_then_else", args, 3);
    }
    const rlxc_expr *load = rlxc_load_moved(ctx, m->value);
    if (!load || load->load.buffer->data == m->to->data)
        return false;
    for (uint32_t i = 0; i < m->store->store.n; i++)
        if (!read_index(m, i))
            return false;
    for (uint32_t i = 0; i < m->n_loops; i++) { /* the last iteration of such a loop would count */
        bool known = !rlxc_expr_uses_var(ctx, m->value, m->loops[i]);
        for (uint32_t k = 0; k < m->store->store.n; k++)
            known = known || m->at[k] == m->loops[i];
        if (!known)
            return false;
    }
    m->from = load->load.buffer;
    const rlxc_buffer_use from = rlxc_use_of(ctx, stmt, m->from);
    return from.stores == 0 && !from.address;
}

static const rlxc_expr *read_source(void *user, const rlxc_expr *e)
{
    move *m = user;
    const rlxc_expr *vars[RLX_MAX_NDIM], *values[RLX_MAX_NDIM];
    uint32_t n = 0;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != m->to)
        return NULL;
    m->vector = m->vector || e->dtype.lanes > 1;
    for (uint32_t i = 0; i < e->load.n && !m->vector; i++)
        if (m->at[i]) {
            const rlxc_expr *at = rlxc_expr_rewrite(m->ctx, e->load.indices[i], read_source, m);
            at = rlxc_canonical(m->ctx, rlxc_sub(m->ctx, rlxc_wide(m->ctx, at), m->begin[i]), NULL);
            vars[n] = m->at[i];
            values[n++] = rlxc_cast(m->ctx, m->at[i]->dtype, at);
        }
    return rlxc_substitute(m->ctx, m->value, vars, values, n);
}

static const rlxc_expr *read_sources(void *user, const rlxc_expr *e)
{
    move *m = user;
    return rlxc_expr_rewrite(m->ctx, e, read_source, m);
}

/* Removes the store, and what is around it alone. */
static const rlxc_stmt *without_store(void *user, const rlxc_stmt *s)
{
    const move *m = user;
    const bool empty = s == m->store ||
                       (s->kind == RLXC_STMT_FOR && rlxc_stmt_is_nothing(s->loop.body)) ||
                       (s->kind == RLXC_STMT_BLOCK && rlxc_stmt_is_nothing(s->block.block->body));
    return empty ? rlxc_stmt_nothing(m->ctx) : NULL;
}

const rlxc_stmt *rlxc_inline_local(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt *whole,
                                   const rlxc_temps *temps, const rlxc_buffer *buffer)
{
    around loops;
    move m = {.ctx = ctx, .to = buffer};
    if (buffer->strides || buffer->elem_offset ||
        !find_fresh(ctx, stmt, whole, buffer, temps, &loops) || loops.inside->kind != RLXC_STMT_SEQ)
        return NULL;
    const rlxc_stmt *seq = loops.inside;
    for (uint32_t i = 0; i < seq->seq.n; i++) {
        const rlxc_buffer_use u = rlxc_use_of(ctx, seq->seq.items[i], buffer);
        if (!rlxc_is_used(&u))
            continue;
        if (!m.store ? !find_only_store(&m, seq->seq.items[i]) : u.address || u.stores)
            return NULL;
    }
    if (!m.store || !read_move(&m, stmt))
        return NULL;
    const rlxc_stmt_rewriter removal = {.user = &m, .stmt = without_store};
    const rlxc_stmt_rewriter reading = {.user = &m, .expr = read_sources};
    stmt = rlxc_stmt_rewrite(ctx, rlxc_stmt_rewrite(ctx, stmt, &removal), &reading);
    return m.vector ? NULL : stmt;
}

/* --- allocations in loops --------------------------------------------------------------------- */

typedef struct declarations {
    const rlxc_expr *data;
    uint32_t n;
} declarations;

static bool count_declaration(void *user, const rlxc_stmt *s)
{
    declarations *d = user;
    d->n += s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == d->data;
    return true;
}

/* The allocation in |seq| of the buffer that |s| declares, if it has no views in |whole|; or NULL.
 */
static const rlxc_stmt *allocation(const rlxc_stmt *whole, const rlxc_stmt *seq, const rlxc_stmt *s)
{
    if (s->kind != RLXC_STMT_DECL_BUFFER)
        return NULL;
    declarations d = {.data = s->decl->data};
    rlxc_stmt_visit(whole, count_declaration, &d);
    for (uint32_t i = 0; i < seq->seq.n && d.n == 1; i++) {
        const rlxc_stmt *a = seq->seq.items[i];
        if (a->kind == RLXC_STMT_ALLOCATE && a->allocate.var == s->decl->data &&
            !a->allocate.cond && rlxc_dtype_eq(a->allocate.dtype, s->decl->dtype))
            return a;
    }
    return NULL;
}

const rlxc_stmt *rlxc_seq_without_allocs(rlxc_context *ctx, const rlxc_stmt *whole,
                                         const rlxc_stmt *seq, rlxc_buffers *out)
{
    const rlxc_stmt **kept = rlxc_alloc(ctx, (seq->seq.n + (size_t)1) * sizeof *kept);
    RLXC_VEC(const rlxc_stmt *) taken = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < seq->seq.n; i++) {
        const rlxc_stmt *s = seq->seq.items[i], *of = allocation(whole, seq, s);
        if (!of)
            continue;
        RLXC_PUSH(ctx, &taken, s);
        RLXC_PUSH(ctx, &taken, of);
        RLXC_PUSH(ctx, out, s->decl);
    }
    for (uint32_t i = 0; i < seq->seq.n; i++) {
        bool gone = false;
        for (uint32_t k = 0; k < taken.count; k++)
            gone = gone || taken.items[k] == seq->seq.items[i];
        if (!gone)
            kept[n++] = seq->seq.items[i];
    }
    return taken.count == 0 ? seq : n == 0 ? rlxc_stmt_nothing(ctx) : rlxc_stmt_seq(ctx, kept, n);
}

typedef struct taking {
    rlxc_context *ctx;
    const rlxc_stmt *whole;
    rlxc_buffers *out;
} taking;

static const rlxc_stmt *take(void *user, const rlxc_stmt *s)
{
    taking *t = user;
    if (s->kind == RLXC_STMT_SEQ)
        return rlxc_seq_without_allocs(t->ctx, t->whole, s, t->out);
    if (s->kind != RLXC_STMT_BLOCK || s->block.block->n_allocs == 0)
        return NULL;
    rlxc_block *own = rlxc_copy(t->ctx, s->block.block, sizeof *own);
    rlxc_stmt *realize = rlxc_copy(t->ctx, s, sizeof *realize);
    for (uint32_t i = 0; i < own->n_allocs; i++)
        RLXC_PUSH(t->ctx, t->out, own->allocs[i]);
    own->allocs = NULL;
    own->n_allocs = 0;
    realize->block.block = own;
    return realize;
}

const rlxc_stmt *rlxc_without_allocs(rlxc_context *ctx, const rlxc_stmt *stmt, rlxc_buffers *out)
{
    taking t = {ctx, stmt, out};
    const rlxc_stmt_rewriter rewriter = {.user = &t, .stmt = take};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}
