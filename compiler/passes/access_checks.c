/* Checks of the accesses in expressions (access_checks.h).
 *
 * For each index that rlxc_reach_inside does not prove, a T.check_index precedes the statement, in
 * order of use, and after the checks of the index's own parts. An access under a condition
 * (T.if_then_else, and, or) is checked under it, in vectors by lanes. An element of a view, matched
 * or declared over the memory of another buffer, is checked against the view's shape, then against
 * that memory. */
#include "compiler/passes/access_checks.h"

#include <string.h>

#include "compiler/ir/intrinsics.h"

enum { MAX_CHECKS = 1 << 16, MAX_VIEWS = 64 };

typedef rlxc_access_checks walk;

/* False if |object| was seen before. */
static bool is_new(walk *w, const void *object)
{
    if (rlxc_map_get(&w->seen, rlxc_key(object)))
        return false;
    rlxc_map_set(w->ctx, &w->seen, rlxc_key(object), w);
    RLXC_PUSH(w->ctx, &w->log, object);
    return true;
}

static void forget(walk *w, uint32_t mark)
{
    while (w->log.count > mark)
        rlxc_map_set(w->ctx, &w->seen, rlxc_key(w->log.items[--w->log.count]), NULL);
}

const rlxc_stmt *rlxc_stmts_seq(rlxc_context *ctx, const rlxc_stmts *s)
{
    return rlxc_stmt_seq(ctx, s->items.items, s->items.count);
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool has_effects(void *user, const rlxc_expr *e)
{
    bool *found = user;
    const rlxc_intrinsic *row =
        e->kind == RLXC_EXPR_CALL ? rlxc_find_intrinsic(e->call.name, strlen(e->call.name)) : NULL;
    *found = *found || (row != NULL && rlxc_intrinsic_has_effects(row));
    return !*found;
}

/* True if |e| may be evaluated twice, by the check and by the access. */
static bool may_repeat(walk *w, const rlxc_expr *e)
{
    bool found = false;
    rlxc_expr_visit(w->ctx, e, has_effects, &found);
    if (found)
        rlxc_error(w->ctx, w->range,
                   "check_bounds: an index or a condition calls a function with effects: "
                   "assign the result to a variable before");
    return !found;
}

static const char *place(walk *w)
{
    if (w->range.line == 0)
        return "";
    return rlxc_internf(w->ctx, " (%s:%u:%u)", rlxc_file_base(w->ctx, w->range.file), w->range.line,
                        w->range.col);
}

/* 0 <= index < size, or the kernel fails with "|before| INDEX |between| SIZE". */
static void check_index(walk *w, const rlxc_expr *index, const rlxc_expr *size, const char *before,
                        const char *between)
{
    rlxc_context *ctx = w->ctx;
    if (rlxc_reach_inside(&w->reach, index, size) || !may_repeat(w, index))
        return;
    if (++w->n > MAX_CHECKS) {
        rlxc_error(ctx, w->range, "check_bounds: more than %d checks in one function", MAX_CHECKS);
        return;
    }
    const rlxc_expr *args[4] = {rlxc_string(ctx, before), index, rlxc_string(ctx, between), size};
    const rlxc_stmt *s = rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, "check_index", args, 4));
    if (w->mask != NULL && index->dtype.lanes == w->mask->dtype.lanes)
        s = rlxc_stmt_if(ctx, w->mask, s, NULL);
    RLXC_PUSH(ctx, &w->out->items, s);
}

static int64_t bytes_of(rlx_dtype t)
{
    return (int64_t)t.lanes * (t.bits <= 8 ? 1 : t.bits / 8);
}

static const rlxc_expr *times(walk *w, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(w->ctx, rlxc_cast(w->ctx, RLX_I64, a), rlxc_i64(w->ctx, b));
}

const rlxc_expr *rlxc_bytes_of_shape(rlxc_context *ctx, rlx_dtype t,
                                     const rlxc_expr *const *extents, uint32_t n)
{
    const rlxc_expr *bytes = rlxc_i64(ctx, bytes_of(t));
    for (uint32_t i = 0; i < n; i++)
        bytes = rlxc_mul(ctx, bytes, rlxc_cast(ctx, RLX_I64, extents[i]));
    return bytes;
}

void rlxc_note_memory(walk *w, const rlxc_expr *data, const rlxc_buffer *of, const char *name,
                      const rlxc_expr *bytes)
{
    rlxc_memory *m = rlxc_alloc(w->ctx, sizeof *m);
    *m = (rlxc_memory){of, name, bytes};
    rlxc_map_set(w->ctx, &w->memories, rlxc_key(data), m);
}

static bool is_given_layout(const rlxc_expr *e)
{
    return e == NULL || e->kind == RLXC_EXPR_VAR || rlxc_is_const(e, 0);
}

/* True if elements are contiguous from the start: symbolic layouts of parameters are. */
static bool is_compact(const rlxc_buffer *b)
{
    for (uint32_t i = 0; b->strides != NULL && i < b->ndim; i++)
        if (b->strides[i]->kind != RLXC_EXPR_VAR)
            return false;
    return is_given_layout(b->elem_offset);
}

void rlxc_note_buffer(walk *w, const rlxc_buffer *b)
{
    rlxc_note_memory(w, b->data, is_compact(b) ? b : NULL, b->name,
                     rlxc_bytes_of_shape(w->ctx, b->dtype, b->shape, b->ndim));
}

void rlxc_note_temporary(walk *w, const rlxc_buffer *b)
{
    uint32_t n;
    const rlxc_expr *const *extents = rlxc_memory_extents(w->ctx, b, &n);
    rlxc_note_memory(w, b->data, is_compact(b) ? b : NULL, b->name,
                     rlxc_bytes_of_shape(w->ctx, b->dtype, extents ? extents : b->shape, n));
}

/* The position of an element in the memory of its buffer, in elements. */
static const rlxc_expr *position(walk *w, const rlxc_buffer *b, const rlxc_expr *const *indices)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *at = rlxc_i64(ctx, 0), *stride = rlxc_i64(ctx, 1);
    if (b->elem_offset != NULL)
        at = rlxc_cast(ctx, RLX_I64, b->elem_offset);
    for (uint32_t i = b->ndim; i-- > 0;) {
        rlx_dtype wide = RLX_I64;
        wide.lanes = indices[i]->dtype.lanes;
        const rlxc_expr *step = b->strides != NULL ? b->strides[i] : stride;
        at = rlxc_add(ctx, at, rlxc_mul(ctx, rlxc_cast(ctx, wide, indices[i]), step));
        stride = rlxc_mul(ctx, stride, rlxc_cast(ctx, RLX_I64, b->shape[i]));
    }
    return at;
}

/* An element of a buffer over the memory of another one. */
static void check_memory(walk *w, const char *what, const rlxc_buffer *b,
                         const rlxc_expr *const *indices)
{
    const rlxc_memory *m = b->data ? rlxc_map_get(&w->memories, rlxc_key(b->data)) : NULL;
    if (m == NULL || m->of == b)
        return;
    const rlxc_expr *spare =
        rlxc_sub(w->ctx, m->bytes, rlxc_bytes_of_shape(w->ctx, b->dtype, b->shape, b->ndim));
    if (is_compact(b) && rlxc_reach_inside(&w->reach, rlxc_i64(w->ctx, 0),
                                           rlxc_add(w->ctx, spare, rlxc_i64(w->ctx, 1))))
        return;
    const int64_t bytes = bytes_of(b->dtype);
    const rlxc_expr *at = position(w, b, indices);
    const rlxc_expr *last = rlxc_add(w->ctx, rlxc_mul(w->ctx, at, rlxc_i64(w->ctx, bytes)),
                                     rlxc_i64(w->ctx, bytes - 1));
    check_index(w, last, m->bytes,
                rlxc_internf(w->ctx, "%s '%s'%s outside of the memory of '%s': byte ", what,
                             b->name, place(w), m->name),
                ", the bytes are ");
}

static void check_element(walk *w, const char *what, const rlxc_buffer *b,
                          const rlxc_expr *const *indices, uint32_t n, uint32_t depth)
{
    const rlxc_match_region *m = rlxc_map_get(&w->matches, rlxc_key(b));
    for (uint32_t i = 0; i < n && i < b->ndim; i++)
        check_index(w, indices[i], b->shape[i],
                    rlxc_internf(w->ctx, "%s '%s'%s outside of the buffer: index %u is ", what,
                                 b->name, place(w), i),
                    ", the dimension is ");
    if (m == NULL && n == b->ndim)
        check_memory(w, what, b, indices);
    if (m == NULL || n != b->ndim || depth == MAX_VIEWS || b->ndim > m->source.buffer->ndim)
        return;
    const rlxc_buffer *source = m->source.buffer;
    const uint32_t skip = source->ndim - b->ndim;
    const rlxc_expr **moved = rlxc_try_alloc(w->ctx, source->ndim + 1u, sizeof *moved);
    for (uint32_t i = 0; moved != NULL && i < source->ndim; i++)
        moved[i] =
            i < skip ? m->source.mins[i] : rlxc_add(w->ctx, m->source.mins[i], indices[i - skip]);
    if (moved != NULL)
        check_element(w, what, source, moved, source->ndim, depth + 1);
}

void rlxc_check_access(walk *w, const char *what, const rlxc_buffer *b,
                       const rlxc_expr *const *indices, uint32_t n)
{
    if (is_new(w, rlxc_load(w->ctx, b, indices, n)))
        check_element(w, what, b, indices, n, 0);
}

/* --- expressions ------------------------------------------------------------------------------ */

/* Checks of |e|, which is evaluated if |cond| holds, or does not. */
static void check_under(walk *w, const rlxc_expr *cond, bool holds, const rlxc_expr *e)
{
    rlxc_stmts inside = {0}, *outside = w->out;
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    const uint32_t mark = w->log.count;
    w->out = &inside;
    rlxc_reach_assume(&w->reach, cond, holds);
    rlxc_check_expr(w, e);
    rlxc_reach_leave(&w->reach, scope);
    forget(w, mark);
    w->out = outside;
    if (inside.items.count > 0 && may_repeat(w, cond))
        RLXC_PUSH(w->ctx, &outside->items,
                  rlxc_stmt_if(w->ctx, holds ? cond : rlxc_not(w->ctx, cond),
                               rlxc_stmts_seq(w->ctx, &inside), NULL));
}

/* As above in the lanes of a vector condition. */
static void check_in_lanes(walk *w, const rlxc_expr *mask, const rlxc_expr *e)
{
    const rlxc_expr *outer = w->mask;
    const uint32_t mark = w->log.count;
    const bool nested = outer != NULL && outer->dtype.lanes == mask->dtype.lanes;
    w->mask = nested ? rlxc_binary(w->ctx, RLXC_EXPR_AND, outer, mask) : mask;
    if (may_repeat(w, mask))
        rlxc_check_expr(w, e);
    forget(w, mark);
    w->mask = outer;
}

static void check_choice(walk *w, const rlxc_expr *cond, const rlxc_expr *yes, const rlxc_expr *no)
{
    rlxc_check_expr(w, cond);
    if (cond->dtype.lanes == 1) {
        check_under(w, cond, true, yes);
        check_under(w, cond, false, no);
        return;
    }
    check_in_lanes(w, cond, yes);
    check_in_lanes(w, rlxc_not(w->ctx, cond), no);
}

/* T.address_of(A[i, j]): for a vector the first element. */
static void check_address(walk *w, const rlxc_expr *load)
{
    const rlxc_expr *first[MAX_VIEWS];
    const uint32_t n = load->load.n;
    if (n > MAX_VIEWS) {
        rlxc_error(w->ctx, w->range, "check_bounds: more than %d dimensions", MAX_VIEWS);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *index = load->load.indices[i];
        rlxc_check_expr(w, index);
        first[i] = index->kind == RLXC_EXPR_RAMP ? index->ramp.base : index;
    }
    check_element(w, "address of", load->load.buffer, first, n, 0);
}

/* |count| elements of type |t| from |offset| on, passed on as an address. */
static void check_span(walk *w, const rlxc_expr *data, rlx_dtype t, const rlxc_expr *offset,
                       const rlxc_expr *count)
{
    const rlxc_memory *m = rlxc_map_get(&w->memories, rlxc_key(data));
    if (m == NULL)
        return;
    rlxc_context *ctx = w->ctx;
    rlxc_stmts inside = {0}, *outside = w->out;
    const rlxc_expr *some = rlxc_binary(ctx, RLXC_EXPR_GT, count, rlxc_int(ctx, count->dtype, 0));
    const rlxc_reach_mark scope = rlxc_reach_scope(&w->reach);
    const rlxc_expr *first = times(w, offset, bytes_of(t));
    const rlxc_expr *last =
        rlxc_sub(ctx, times(w, rlxc_add(ctx, rlxc_cast(ctx, RLX_I64, offset), count), bytes_of(t)),
                 rlxc_i64(ctx, 1));
    const char *text =
        rlxc_internf(ctx, "address in '%s'%s outside of the buffer: byte ", m->name, place(w));
    w->out = &inside;
    rlxc_reach_assume(&w->reach, some, true);
    check_index(w, first, m->bytes, text, ", the bytes are ");
    check_index(w, last, m->bytes, text, ", the bytes are ");
    rlxc_reach_leave(&w->reach, scope);
    w->out = outside;
    if (inside.items.count > 0 && may_repeat(w, count))
        RLXC_PUSH(ctx, &outside->items,
                  rlxc_stmt_if(ctx, some, rlxc_stmts_seq(w->ctx, &inside), NULL));
}

static bool is_call(const rlxc_expr *e, const char *name, uint32_t n)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n >= n && strcmp(e->call.name, name) == 0;
}

static void check_call(walk *w, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args;
    if (is_call(e, "if_then_else", 3)) {
        check_choice(w, a[0], a[1], a[2]);
        return;
    }
    if (is_call(e, "address_of", 1) && a[0]->kind == RLXC_EXPR_LOAD) {
        check_address(w, a[0]);
        return;
    }
    for (uint32_t i = 0; i < e->call.n; i++)
        rlxc_check_expr(w, a[i]);
    if (is_call(e, "tvm_access_ptr", 5) && rlxc_dtype_is_int(a[2]->dtype) &&
        rlxc_dtype_is_int(a[3]->dtype))
        check_span(w, a[1], a[0]->dtype, a[2], a[3]);
    if (is_call(e, "tvm_stack_make_array", 6) && is_call(a[1], "tvm_stack_make_shape", 0) &&
        rlxc_dtype_is_int(a[5]->dtype)) {
        const rlxc_expr *count = rlxc_i64(w->ctx, 1);
        for (uint32_t i = 0; i < a[1]->call.n; i++)
            count = rlxc_mul(w->ctx, count, rlxc_cast(w->ctx, RLX_I64, a[1]->call.args[i]));
        check_span(w, a[0], a[4]->dtype, a[5], count);
    }
}

static void check_logical(walk *w, const rlxc_expr *e)
{
    rlxc_check_expr(w, e->bin.a);
    if (rlxc_reach_may_change(w->ctx, e->bin.b) && e->bin.a->dtype.lanes == 1 &&
        e->bin.b->dtype.lanes == 1)
        check_under(w, e->bin.a, e->kind == RLXC_EXPR_AND, e->bin.b);
    else
        rlxc_check_expr(w, e->bin.b);
}

void rlxc_check_expr(walk *w, const rlxc_expr *e)
{
    if (e == NULL || rlxc_failed(w->ctx))
        return;
    switch ((rlxc_expr_kind)e->kind) {
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return;
        RLXC_NUMBER_EXPRS(RLXC_EXPR_CASE)
    case RLXC_EXPR_LOAD:
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
    case RLXC_EXPR_SELECT:
    case RLXC_EXPR_CALL:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        break;
    }
    if (!is_new(w, e))
        return;
    if (e->kind == RLXC_EXPR_LOAD) {
        rlxc_check_exprs(w, e->load.indices, e->load.n);
        check_element(w, "load from", e->load.buffer, e->load.indices, e->load.n, 0);
    } else if (e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR) {
        check_logical(w, e);
    } else if (rlxc_is_binary(e)) {
        rlxc_check_expr(w, e->bin.a);
        rlxc_check_expr(w, e->bin.b);
    } else if (e->kind == RLXC_EXPR_NOT || e->kind == RLXC_EXPR_CAST) {
        rlxc_check_expr(w, e->bin.a);
    } else if (e->kind == RLXC_EXPR_SELECT) { /* both sides are computed */
        rlxc_check_expr(w, e->select.cond);
        rlxc_check_expr(w, e->select.yes);
        rlxc_check_expr(w, e->select.no);
    } else if (e->kind == RLXC_EXPR_CALL) {
        check_call(w, e);
    } else if (e->kind == RLXC_EXPR_LET) {
        rlxc_check_expr(w, e->let.value);
        rlxc_check_expr(w, rlxc_substitute(w->ctx, e->let.body, &e->let.var, &e->let.value, 1));
    } else {
        rlxc_check_expr(w, e->ramp.base);
        rlxc_check_expr(w, e->ramp.stride);
    }
}

void rlxc_check_exprs(walk *w, const rlxc_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        rlxc_check_expr(w, items[i]);
}
