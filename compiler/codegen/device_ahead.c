/* Copies ahead: fills a block's memory for later iterations of a loop while the current one works.
 *
 *     for k: copy piece k; use it      becomes, with n turns ahead and n + 1 places for a piece,
 *
 *     for p < n: copy piece p, which is a group
 *     for k: wait for all groups but the last n - 1; all threads wait for each other
 *            copy piece k + n, which is a group, to the place that turn k - 1 used
 *            use piece k
 *
 * Copies are T.ptx_cp_async where an element of 4 or 8 bytes moves unchanged; others are ordinary
 * stores, which are complete at the barrier. Only for CUDA, and for loops with the annotation
 * RLXC_COPIES_AHEAD, which says how far; a loop without such copies, or with other statements in
 * its iterations, is not changed. */
#include <math.h>
#include <string.h>

#include "compiler/codegen/device_launch.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/mma.h"
#include "compiler/ir/sym.h"

enum { MOST_AHEAD = 4, MOST_ITEMS = 64, MOST_NDIM = 16 };

typedef struct parts { /* of the loop's body, in order */
    rlxc_context *ctx;
    const rlxc_stmt *loop;
    RLXC_VEC(const rlxc_stmt *) memory, copies, uses;
    rlxc_map own;     /* data of the memory */
    rlxc_map written; /* data of what else the body writes */
    bool refused;
    int64_t ahead;
    uint32_t n_async;
} parts;

/* --- what the loop does ----------------------------------------------------------------------- */

static bool is_own(const parts *p, const rlxc_buffer *b)
{
    return rlxc_map_get(&p->own, rlxc_key(b->data)) != NULL;
}

/* What happens at an address is not known. */
static bool find_address(void *user, const rlxc_expr *e)
{
    parts *p = user;
    p->refused =
        p->refused || (e->kind == RLXC_EXPR_CALL && rlxc_dtype_is_handle(e->dtype)); /* void, too */
    return !p->refused;
}

static void find_written(void *user, const rlxc_expr *e)
{
    parts *p = user;
    if (rlxc_mma_has_matrices(e))
        rlxc_map_set(p->ctx, &p->written,
                     rlxc_key(rlxc_mma_matrix(e, RLXC_MMA_C)->load.buffer->data), p->ctx);
    else
        rlxc_expr_visit(p->ctx, e, find_address, p);
}

static bool look_stmt(void *user, const rlxc_stmt *s)
{
    parts *p = user;
    rlxc_stmt_exprs(s, find_written, p);
    if (s->kind == RLXC_STMT_STORE && !is_own(p, s->store.buffer))
        rlxc_map_set(p->ctx, &p->written, rlxc_key(s->store.buffer->data), p->ctx);
    p->refused = p->refused || s->kind == RLXC_STMT_WHILE || s->kind == RLXC_STMT_ATTR;
    return true;
}

typedef struct copying {
    const parts *p;
    bool fits;
} copying;

static bool look_source(void *user, const rlxc_expr *e)
{
    copying *c = user;
    if (e->kind == RLXC_EXPR_LOAD) {
        const rlxc_buffer *b = e->load.buffer;
        const bool global = !b->scope || strcmp(b->scope, "global") == 0;
        c->fits = c->fits && global && !is_own(c->p, b) &&
                  !rlxc_map_get(&c->p->written, rlxc_key(b->data));
    }
    if (e->kind == RLXC_EXPR_CALL) {
        const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
        c->fits = c->fits && row && row->lowering != RLXC_LOWER_DEVICE &&
                  row->lowering != RLXC_LOWER_CALLEE;
    }
    return c->fits;
}

static bool look_copy(void *user, const rlxc_stmt *s)
{
    copying *c = user;
    rlxc_stmt_nodes(c->p->ctx, s, look_source, c);
    c->fits = c->fits && (s->kind == RLXC_STMT_SEQ || s->kind == RLXC_STMT_FOR ||
                          s->kind == RLXC_STMT_IF || s->kind == RLXC_STMT_STORE);
    if (s->kind == RLXC_STMT_STORE)
        c->fits = c->fits && is_own(c->p, s->store.buffer);
    return c->fits;
}

/* True if the statement only fills own memory with what the loop does not change. */
static bool is_copy(const parts *p, const rlxc_stmt *s)
{
    copying c = {p, true};
    rlxc_stmt_visit(s, look_copy, &c);
    return c.fits;
}

static bool look_use(void *user, const rlxc_stmt *s)
{
    parts *p = user;
    p->refused = p->refused || s->kind == RLXC_STMT_ALLOCATE || s->kind == RLXC_STMT_DECL_BUFFER ||
                 (s->kind == RLXC_STMT_STORE && is_own(p, s->store.buffer));
    return !p->refused;
}

static bool add_memory(parts *p, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_ALLOCATE) {
        if (!rlxc_is_shared(s->allocate.scope) || s->allocate.cond || s->allocate.n >= MOST_NDIM)
            return false;
        rlxc_map_set(p->ctx, &p->own, rlxc_key(s->allocate.var), p->ctx);
    } else {
        const rlxc_buffer *b = s->decl;
        if (!is_own(p, b) || b->strides || b->elem_offset || b->ndim >= MOST_NDIM)
            return false;
    }
    RLXC_PUSH(p->ctx, &p->memory, s);
    return true;
}

/* Finds the parts; false if the loop is another one. */
static bool split(parts *p)
{
    const rlxc_stmt *body = p->loop->loop.body;
    uint32_t i = 0;
    if (body->kind != RLXC_STMT_SEQ || body->seq.n > MOST_ITEMS || rlxc_has_barrier(body))
        return false;
    const rlxc_stmt *const *items = body->seq.items;
    for (; i < body->seq.n &&
           (items[i]->kind == RLXC_STMT_ALLOCATE || items[i]->kind == RLXC_STMT_DECL_BUFFER);
         i++)
        if (!add_memory(p, items[i]))
            return false;
    rlxc_stmt_visit(body, look_stmt, p);
    for (; i < body->seq.n && is_copy(p, items[i]); i++)
        RLXC_PUSH(p->ctx, &p->copies, items[i]);
    for (; i < body->seq.n; i++) {
        RLXC_PUSH(p->ctx, &p->uses, items[i]);
        p->refused = p->refused || items[i]->kind == RLXC_STMT_LET;
        rlxc_stmt_visit(items[i], look_use, p);
    }
    for (uint32_t m = 0; m < p->memory.count; m++) /* whose sums would change places */
        if (p->memory.items[m]->kind == RLXC_STMT_ALLOCATE &&
            rlxc_map_get(&p->written, rlxc_key(p->memory.items[m]->allocate.var)))
            return false;
    return !p->refused && p->memory.count && p->copies.count && p->uses.count;
}

/* --- places ----------------------------------------------------------------------------------- */

typedef struct place {
    const rlxc_expr *number;
    uint32_t ndim; /* of the buffer without places */
} place;

static void put_place(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const place *to = user;
    out[0] = to->number;
    memcpy(out + 1, at, to->ndim * sizeof *at);
}

static const rlxc_expr **with_places(parts *p, const rlxc_expr *const *shape, uint32_t n)
{
    const rlxc_expr **out = rlxc_alloc(p->ctx, (MOST_NDIM + 1) * sizeof *out);
    out[0] = rlxc_i64(p->ctx, p->ahead + 1);
    memcpy(out + 1, shape, n * sizeof *shape);
    return out;
}

/* The statement with |number| as the index of each piece. */
static const rlxc_stmt *at_place(parts *p, const rlxc_stmt *s, const rlxc_stmt *const *decls,
                                 const rlxc_expr *number)
{
    for (uint32_t i = 0; i < p->memory.count; i++) {
        if (p->memory.items[i]->kind != RLXC_STMT_DECL_BUFFER)
            continue;
        place to = {number, p->memory.items[i]->decl->ndim};
        const rlxc_redirection r = {.ctx = p->ctx,
                                    .from = p->memory.items[i]->decl,
                                    .to = decls[i]->decl,
                                    .map = put_place,
                                    .user = &to};
        s = rlxc_redirect_stmt(&r, s);
    }
    return s;
}

/* The statements that make the memory, with a place for each piece. */
static const rlxc_stmt **make_memory(parts *p)
{
    const rlxc_stmt **out = rlxc_alloc(p->ctx, MOST_ITEMS * sizeof *out);
    for (uint32_t i = 0; i < p->memory.count; i++) {
        rlxc_stmt *s = rlxc_copy(p->ctx, p->memory.items[i], sizeof *s);
        if (s->kind == RLXC_STMT_ALLOCATE) {
            s->allocate.extents = with_places(p, s->allocate.extents, s->allocate.n);
            s->allocate.n++;
        } else {
            rlxc_buffer *b = rlxc_copy(p->ctx, s->decl, sizeof *b);
            b->shape = with_places(p, b->shape, b->ndim);
            b->ndim++;
            s->decl = b;
        }
        out[i] = s;
    }
    return out;
}

/* --- copies ----------------------------------------------------------------------------------- */

static bool find_load(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_LOAD;
    return !*found;
}

/* True if an index of the load is read from memory: that must not be done where the condition
 * around it fails. */
static bool gathers(rlxc_context *ctx, const rlxc_expr *load)
{
    bool found = false;
    for (uint32_t i = 0; i < load->load.n; i++)
        rlxc_expr_visit(ctx, load->load.indices[i], find_load, &found);
    return found;
}

static bool is_zero(const rlxc_expr *e)
{
    return rlxc_is_const(e, 0) || (e->kind == RLXC_EXPR_FLOAT && e->f == 0 && !signbit(e->f));
}

static const rlxc_expr *address(rlxc_context *ctx, const rlxc_expr *load)
{
    return rlxc_intrinsic_call(ctx, "address_of", &load, 1);
}

static const rlxc_stmt *as_async(void *user, const rlxc_stmt *s)
{
    parts *p = user;
    rlxc_context *ctx = p->ctx;
    if (s->kind != RLXC_STMT_STORE)
        return NULL;
    const rlxc_expr *from = s->store.value, *cond = NULL;
    const rlx_dtype t = s->store.buffer->dtype;
    if (rlxc_is_choice(from) && is_zero(from->call.args[2])) {
        cond = from->call.args[0];
        from = from->call.args[1];
    }
    if (from->kind != RLXC_EXPR_LOAD || (t.bits != 32 && t.bits != 64) || t.lanes != 1 ||
        !rlx_dtype_eq(from->dtype, t) || (cond && gathers(ctx, from)))
        return NULL;
    const rlxc_expr *to = rlxc_load(ctx, s->store.buffer, s->store.indices, s->store.n);
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    const rlxc_expr *args[7] = {rlxc_string(ctx, rlxc_dtype_name(ctx, t)),
                                address(ctx, to),
                                zero,
                                address(ctx, from),
                                zero,
                                rlxc_i64(ctx, t.bits / 8),
                                cond};
    p->n_async++;
    return rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, "ptx_cp_async", args, cond ? 7 : 6));
}

typedef struct turn_at {
    rlxc_context *ctx;
    const rlxc_expr *var, *value;
} turn_at;

static const rlxc_expr *put_turn(void *user, const rlxc_expr *e)
{
    const turn_at *t = user;
    return rlxc_substitute(t->ctx, e, &t->var, &t->value, 1);
}

/* The copies of iteration |at|, if there is one, as a group. */
static const rlxc_stmt *copies_of(parts *p, const rlxc_stmt *const *decls, const rlxc_expr *at)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_expr *places = rlxc_i64(ctx, p->ahead + 1), *wide = rlxc_cast(ctx, RLX_I64, at);
    const rlxc_expr *number = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, wide, places);
    const rlxc_stmt *s = rlxc_stmt_seq(ctx, p->copies.items, p->copies.count);
    turn_at turn = {ctx, p->loop->loop.var, at};
    s = rlxc_stmt_rewrite(ctx, s, &(rlxc_stmt_rewriter){.user = &turn, .expr = put_turn});
    s = rlxc_stmt_clone(ctx, at_place(p, s, decls, number));
    s = rlxc_stmt_rewrite(ctx, s, &(rlxc_stmt_rewriter){.user = p, .stmt = as_async});
    const rlxc_expr *extent = rlxc_cast(ctx, RLX_I64, p->loop->loop.extent);
    s = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, wide, extent), s, NULL);
    const rlxc_expr *group = rlxc_intrinsic_call(ctx, "ptx_commit_group", NULL, 0);
    return rlxc_stmt_seq(ctx, (const rlxc_stmt *[]){s, rlxc_stmt_evaluate(ctx, group)}, 2);
}

static const rlxc_stmt *call(rlxc_context *ctx, const char *name, const rlxc_expr *arg)
{
    return rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, name, &arg, 1));
}

static const rlxc_stmt *ahead(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    parts p = {.ctx = ctx, .loop = s};
    const rlxc_attr *note = s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_SERIAL
                                ? rlxc_attrs_find(&s->loop.annotations, RLXC_COPIES_AHEAD)
                                : NULL;
    if (!note || !rlxc_attr_as_int(note, &p.ahead) || p.ahead < 1 || p.ahead > MOST_AHEAD ||
        !rlxc_is_const(s->loop.min, 0) || !split(&p))
        return NULL;
    const rlxc_expr *var = s->loop.var, *n = rlxc_int(ctx, var->dtype, p.ahead);
    const rlxc_expr *first = rlxc_var(ctx, rlxc_intern_cstr(ctx, "piece"), var->dtype);
    const rlxc_stmt **memory = make_memory(&p);
    const rlxc_stmt *before = rlxc_stmt_for(ctx, first, rlxc_int(ctx, var->dtype, 0), n,
                                            RLXC_LOOP_SERIAL, copies_of(&p, memory, first));
    const rlxc_expr *wide = rlxc_cast(ctx, RLX_I64, var), *places = rlxc_i64(ctx, p.ahead + 1);
    const rlxc_stmt *uses = rlxc_stmt_seq(ctx, p.uses.items, p.uses.count);
    const rlxc_stmt *turn[] = {
        call(ctx, "ptx_wait_group", rlxc_i64(ctx, p.ahead - 1)),
        call(ctx, "tvm_storage_sync", rlxc_string(ctx, "shared")),
        copies_of(&p, memory, rlxc_add(ctx, var, n)),
        at_place(&p, uses, memory, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, wide, places))};
    if (p.n_async == 0)
        return NULL; /* nothing would run meanwhile */
    rlxc_stmt *loop = rlxc_copy(ctx, s, sizeof *s);
    loop->loop.annotations = rlxc_attrs_without(ctx, s->loop.annotations, RLXC_COPIES_AHEAD);
    loop->loop.body = rlxc_stmt_seq(ctx, turn, 4);
    const rlxc_stmt *all[] = {rlxc_stmt_seq(ctx, memory, p.memory.count), before, loop};
    return rlxc_stmt_seq(ctx, all, 3);
}

const rlxc_stmt *rlxc_copy_ahead(rlxc_context *ctx, const rlxc_target *target,
                                 const rlxc_stmt *body)
{
    if (strcmp(target->kind, "cuda") != 0)
        return body;
    const rlxc_stmt *out =
        rlxc_stmt_rewrite(ctx, body, &(rlxc_stmt_rewriter){.user = ctx, .stmt = ahead});
    return rlxc_shared_bytes(out) <= target->device.shared_bytes ? out : body;
}
