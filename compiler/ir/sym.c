/* Canonical forms: from an expression to its polynomial (sym_state.h) and back, and the public
 * interface of sym.h except evaluation (sym_evaluate.c).
 *
 * Results without bounds are cached in the context. Work is bounded per call: beyond RLXC_SYM_WORK
 * the rest of an expression stays as written, which is always correct. */
#include "compiler/ir/sym_state.h"

#include "rlx/checked.h"

#include <assert.h>
#include <string.h>

static rlxc_sym_cache *sym_cache(rlxc_context *ctx)
{
    if (!ctx->sym)
        ctx->sym = rlxc_alloc(ctx, sizeof *ctx->sym);
    return ctx->sym;
}

rlxc_sym rlxc_sym_begin(rlxc_context *ctx, const rlxc_bounds *bounds)
{
    rlxc_sym s = {.ctx = ctx, .bounds = bounds, .cache = sym_cache(ctx)};
    s.polys = rlxc_scratch_take(ctx);
    s.others = rlxc_scratch_take(ctx);
    s.ranges = rlxc_scratch_take(ctx);
    s.ends = rlxc_scratch_take(ctx);
    return s;
}

void rlxc_sym_end(rlxc_sym *s)
{
    rlxc_scratch_give(s->ctx, &s->polys);
    rlxc_scratch_give(s->ctx, &s->others);
    rlxc_scratch_give(s->ctx, &s->ranges);
    rlxc_scratch_give(s->ctx, &s->ends);
}

void *rlxc_sym_alloc(rlxc_sym *s, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    assert(size <= sizeof s->slab->bytes);
    if (!s->slab || size > sizeof s->slab->bytes - s->used) {
        rlxc_slab **next = s->slab ? &s->slab->next : &s->cache->slabs;
        if (!*next)
            *next = rlxc_alloc(s->ctx, sizeof **next);
        s->slab = *next;
        s->used = 0;
    }
    void *piece = s->slab->bytes + s->used;
    s->used += size;
    return piece;
}

bool rlxc_is_index_type(rlx_dtype t)
{
    return t.code == RLX_INT && t.lanes == 1 && (t.bits == 64 || t.bits == 32);
}

static const rlxc_expr *simplify_other(rlxc_sym *s, const rlxc_expr *e);

/* Proves a <= b (|strict| 0) or a < b (1) from the bounds of each. */
static bool apart(rlxc_sym *s, const rlxc_expr *a, const rlxc_expr *b, int64_t strict)
{
    rlxc_bound x = rlxc_sym_bound(s, a), y = rlxc_sym_bound(s, b);
    return x.max != INT64_MAX && y.min != INT64_MIN && (strict ? x.max < y.min : x.max <= y.min);
}

/* As above for polynomials. */
static bool ordered(rlxc_sym *s, rlxc_poly *a, rlxc_poly *b, int64_t strict, uint32_t effort)
{
    rlxc_poly *difference = NULL;
    if (rlxc_poly_exact(s, a) && rlxc_poly_exact(s, b))
        difference = rlxc_poly_add(s, b, -1, a);
    if (difference && strict)
        difference = rlxc_poly_add(s, difference, -1, rlxc_poly_const(s, a->dtype, strict));
    if (difference && rlxc_poly_nonneg(s, difference, effort))
        return true;
    /* The difference may overflow: with the bounds of 64 bits, say. */
    return apart(s, rlxc_poly_build(s, a), rlxc_poly_build(s, b), strict);
}

/* MIN and MAX of operands that are provably ordered. */
static rlxc_poly *min_max_poly(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_poly *a = rlxc_poly_of(s, e->bin.a), *b = rlxc_poly_of(s, e->bin.b);
    bool is_min = e->kind == RLXC_EXPR_MIN;
    if (!a || !b)
        return NULL;
    if (ordered(s, a, b, 0, 2))
        return is_min ? a : b;
    if (ordered(s, b, a, 0, 2))
        return is_min ? b : a;
    const rlxc_expr *x = rlxc_poly_build(s, a), *y = rlxc_poly_build(s, b);
    /* Variables first, constants last: min(n, 4). */
    bool swap = x->kind == RLXC_EXPR_INT || (y->kind != RLXC_EXPR_INT && rlxc_expr_order(x, y) > 0);
    return rlxc_poly_atom(s,
                          rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, swap ? y : x, swap ? x : y));
}

static rlxc_poly *binary_poly(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    if (kind == RLXC_EXPR_MIN || kind == RLXC_EXPR_MAX)
        return min_max_poly(s, e);
    rlxc_poly *a = rlxc_poly_of(s, e->bin.a), *b = rlxc_poly_of(s, e->bin.b);
    if (kind == RLXC_EXPR_ADD)
        return rlxc_poly_add(s, a, 1, b);
    if (kind == RLXC_EXPR_SUB)
        return rlxc_poly_add(s, a, -1, b);
    if (kind == RLXC_EXPR_MUL)
        return rlxc_poly_mul(s, a, b);
    return rlxc_poly_divide(s, kind, a, b);
}

/* The polynomial of an expression of an index type; NULL: leave it as written. */
static rlxc_poly *compute_poly(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_INT)
        return rlxc_poly_const(s, e->dtype, e->i);
    if (rlxc_is_binary(e))
        return s->work > RLXC_SYM_WORK ? NULL : binary_poly(s, e);
    const rlxc_expr *simple = simplify_other(s, e);
    if (simple != e && simple->kind != e->kind && simple->depth <= RLXC_SYM_RAW_DEPTH)
        return rlxc_poly_of(s, simple);
    return rlxc_poly_atom(s, simple);
}

rlxc_poly *rlxc_poly_of(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_poly *p = rlxc_map_get(&s->polys, rlxc_key(e));
    if (p)
        return p;
    if (e->depth > RLXC_SYM_FACTOR_DEPTH)
        return NULL;
    if (rlxc_out_of_memory(s->ctx) || !rlxc_is_index_type(e->dtype))
        return rlxc_poly_atom(s, e);
    p = compute_poly(s, e);
    if (!p)
        p = rlxc_poly_atom(s, e);
    rlxc_map_set(s->ctx, &s->polys, rlxc_key(e), p);
    return p;
}

const rlxc_expr *rlxc_canon(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT || rlxc_out_of_memory(s->ctx))
        return e;
    if (!rlxc_is_index_type(e->dtype))
        return simplify_other(s, e);
    if (e->depth > RLXC_SYM_RAW_DEPTH)
        return e;
    return rlxc_poly_build(s, rlxc_poly_of(s, e));
}

/* Gives int32 and int64 operands one type: a constant takes the other's, else int32 is widened. */
static void unify_index_types(rlxc_context *ctx, const rlxc_expr **a, const rlxc_expr **b)
{
    if (rlx_dtype_eq((*a)->dtype, (*b)->dtype) || !rlxc_is_index_type((*a)->dtype) ||
        !rlxc_is_index_type((*b)->dtype))
        return;
    const rlxc_expr **wide = (*a)->dtype.bits == 64 ? a : b, **narrow = wide == a ? b : a;
    if ((*wide)->kind == RLXC_EXPR_INT && rlxc_wrap_int(RLX_I32, (*wide)->i) == (*wide)->i)
        *wide = rlxc_int(ctx, RLX_I32, (*wide)->i);
    else if ((*narrow)->depth < RLXC_SYM_RAW_DEPTH)
        *narrow = rlxc_cast(ctx, RLX_I64, *narrow);
}

/* a <= b with |strict| 0, a < b with 1. */
static bool prove_order(rlxc_sym *s, const rlxc_expr *a, const rlxc_expr *b, int64_t strict)
{
    unify_index_types(s->ctx, &a, &b);
    if (!rlx_dtype_eq(a->dtype, b->dtype) || !rlxc_is_index_type(a->dtype) ||
        a->depth > RLXC_SYM_RAW_DEPTH || b->depth > RLXC_SYM_RAW_DEPTH) {
        if (rlxc_dtype_is_float(a->dtype) || rlxc_dtype_is_float(b->dtype))
            return false;
        return (a == b && !strict) || apart(s, a, b, strict);
    }
    return ordered(s, rlxc_poly_of(s, a), rlxc_poly_of(s, b), strict, RLXC_SYM_EFFORT);
}

static bool prove_equal(rlxc_sym *s, const rlxc_expr *a, const rlxc_expr *b)
{
    unify_index_types(s->ctx, &a, &b);
    if (a == b)
        return true;
    if (!rlx_dtype_eq(a->dtype, b->dtype) || !rlxc_is_index_type(a->dtype) ||
        a->depth > RLXC_SYM_RAW_DEPTH || b->depth > RLXC_SYM_RAW_DEPTH)
        return false;
    rlxc_poly *difference = rlxc_poly_add(s, rlxc_poly_of(s, b), -1, rlxc_poly_of(s, a));
    if (!difference)
        return false;
    rlxc_bound range = rlxc_sym_bound(s, rlxc_poly_build(s, difference));
    return difference->n == 0 || (range.min == 0 && range.max == 0);
}

static bool prove_different(rlxc_sym *s, const rlxc_expr *a, const rlxc_expr *b)
{
    unify_index_types(s->ctx, &a, &b);
    if (prove_order(s, a, b, 1) || prove_order(s, b, a, 1))
        return true;
    if (!rlx_dtype_eq(a->dtype, b->dtype) || !rlxc_is_index_type(a->dtype) ||
        a->depth > RLXC_SYM_RAW_DEPTH || b->depth > RLXC_SYM_RAW_DEPTH)
        return false;
    /* A common divisor of the coefficients that does not divide the constant. */
    rlxc_poly *x = rlxc_poly_of(s, a), *y = rlxc_poly_of(s, b), *d = rlxc_poly_add(s, y, -1, x);
    if (!d || d->n < 2 || d->terms[d->n - 1].n != 0 || !rlxc_poly_exact(s, x) ||
        !rlxc_poly_exact(s, y))
        return false;
    int64_t common = 0;
    for (uint32_t i = 0; i + 1 < d->n; i++) {
        int64_t u = d->terms[i].coef, v = common;
        while (v) {
            int64_t r = v == -1 ? 0 : u % v;
            u = v;
            v = r;
        }
        common = u;
    }
    return common != 0 && common != -1 && d->terms[d->n - 1].coef % common != 0;
}

/* A comparison of a quotient by a positive number with a number, without the quotient: 4 <= x // 8
 * is 32 <= x. NULL: it is something else. */
static const rlxc_expr *compare_quotient(rlxc_sym *s, rlxc_expr_kind kind, const rlxc_expr *a,
                                         const rlxc_expr *b)
{
    const bool strict = kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT;
    if (!strict && kind != RLXC_EXPR_LE && kind != RLXC_EXPR_GE)
        return NULL;
    if (kind == RLXC_EXPR_GT || kind == RLXC_EXPR_GE)
        return compare_quotient(s, strict ? RLXC_EXPR_LT : RLXC_EXPR_LE, b, a);
    const bool left = a->kind == RLXC_EXPR_FLOORDIV;
    const rlxc_expr *q = left ? a : b;
    int64_t by, number;
    if (q->kind != RLXC_EXPR_FLOORDIV || !rlxc_is_int(q->bin.b, &by) || by <= 0 ||
        !rlxc_is_int(left ? b : a, &number) ||
        (strict != left && __builtin_add_overflow(number, 1, &number)) ||
        __builtin_mul_overflow(number, by, &number) || q->dtype.lanes != 1 ||
        number < rlxc_type_range(q->dtype).min || number > rlxc_type_range(q->dtype).max)
        return NULL;
    const rlxc_expr *limit = rlxc_int(s->ctx, q->dtype, number);
    return left ? rlxc_binary(s->ctx, RLXC_EXPR_LT, q->bin.a, limit)
                : rlxc_binary(s->ctx, RLXC_EXPR_LE, limit, q->bin.a);
}

static const rlxc_expr *simplify_compare(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    const rlxc_expr *a = e->bin.a, *b = e->bin.b;
    if (kind == RLXC_EXPR_EQ || kind == RLXC_EXPR_NE) {
        if (prove_equal(s, a, b))
            return rlxc_bool(s->ctx, kind == RLXC_EXPR_EQ);
        if (prove_different(s, a, b))
            return rlxc_bool(s->ctx, kind == RLXC_EXPR_NE);
    } else {
        if (kind == RLXC_EXPR_GT || kind == RLXC_EXPR_GE) {
            const rlxc_expr *swapped = a;
            a = b;
            b = swapped;
        }
        bool strict = kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT;
        if (prove_order(s, a, b, strict))
            return rlxc_bool(s->ctx, true);
        if (prove_order(s, b, a, !strict))
            return rlxc_bool(s->ctx, false);
    }
    return NULL;
}

/* Canonical children of a list; |items| itself when nothing changed. */
static const rlxc_expr *const *canon_list(rlxc_sym *s, const rlxc_expr *const *items, uint32_t n)
{
    const rlxc_expr **changed = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *item = rlxc_canon(s, items[i]);
        if (item != items[i] && !changed) {
            changed = rlxc_alloc(s->ctx, n * sizeof *changed);
            memcpy(changed, items, n * sizeof *changed);
        }
        if (changed)
            changed[i] = item;
    }
    return changed ? changed : items;
}

static bool too_deep(const rlxc_expr *child)
{
    return child->depth >= RLXC_MAX_EXPR_DEPTH - 1;
}

static bool list_too_deep(const rlxc_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (too_deep(items[i]))
            return true;
    return false;
}

typedef struct replacement {
    const rlxc_expr *from, *to;
} replacement;

static const rlxc_expr *replace_one(void *user, const rlxc_expr *e)
{
    const replacement *r = user;
    return e == r->from ? r->to : NULL;
}

/* True if |yes|, where |cond| holds, is |no|: `max(n - 1, 0) if n - 1 == 1 else n - 1`. */
static bool arms_meet(rlxc_sym *s, const rlxc_expr *cond, const rlxc_expr *yes, const rlxc_expr *no)
{
    if (cond->kind == RLXC_EXPR_OR)
        return arms_meet(s, cond->bin.a, yes, no) && arms_meet(s, cond->bin.b, yes, no);
    if (cond->kind != RLXC_EXPR_EQ || !rlxc_is_index_type(cond->bin.a->dtype) ||
        cond->bin.b->kind != RLXC_EXPR_INT)
        return false;
    replacement r = {cond->bin.a, cond->bin.b};
    const rlxc_expr *there = rlxc_expr_rewrite_all(s->ctx, no, replace_one, &r);
    return there != no && rlxc_canon(s, there) ==
                              rlxc_canon(s, rlxc_expr_rewrite_all(s->ctx, yes, replace_one, &r));
}

/* |e| without bounds that it does not have where it is |value|: max(n, 0) == 1 is n == 1. */
static const rlxc_expr *without_bounds(const rlxc_expr *e, const rlxc_expr *value)
{
    int64_t c, k;
    while ((e->kind == RLXC_EXPR_MAX || e->kind == RLXC_EXPR_MIN) && rlxc_is_int(value, &c) &&
           rlxc_is_int(e->bin.b, &k) && (e->kind == RLXC_EXPR_MAX ? k < c : k > c))
        e = e->bin.a;
    return e;
}

/* |e| with canonical children. A canonical form may be deeper than the original; if it would exceed
 * the depth limit, |e| stays. */
static const rlxc_expr *rebuild_other(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_context *ctx = s->ctx;
    if (rlxc_is_binary(e)) {
        if (rlxc_is_compare((rlxc_expr_kind)e->kind) && rlxc_is_index_type(e->bin.a->dtype)) {
            const rlxc_expr *decided = simplify_compare(s, e);
            if (decided)
                return decided;
        }
        const rlxc_expr *a = rlxc_canon(s, e->bin.a), *b = rlxc_canon(s, e->bin.b);
        if (e->kind == RLXC_EXPR_EQ || e->kind == RLXC_EXPR_NE)
            a = without_bounds(a, b);
        const rlxc_expr *plain = compare_quotient(s, (rlxc_expr_kind)e->kind, a, b);
        if (plain)
            return plain;
        return too_deep(a) || too_deep(b) ? e : rlxc_binary(ctx, (rlxc_expr_kind)e->kind, a, b);
    }
    if (e->kind == RLXC_EXPR_NOT || e->kind == RLXC_EXPR_CAST) {
        const rlxc_expr *a = rlxc_canon(s, e->bin.a);
        if (too_deep(a))
            return e;
        return e->kind == RLXC_EXPR_NOT ? rlxc_not(ctx, a) : rlxc_cast(ctx, e->dtype, a);
    }
    if (e->kind == RLXC_EXPR_SELECT) {
        const rlxc_expr *cond = rlxc_canon(s, e->select.cond);
        const rlxc_expr *yes = rlxc_canon(s, e->select.yes), *no = rlxc_canon(s, e->select.no);
        if (yes == no || arms_meet(s, cond, yes, no))
            return no;
        return too_deep(cond) || too_deep(yes) || too_deep(no) ? e
                                                               : rlxc_select(ctx, cond, yes, no);
    }
    if (e->kind == RLXC_EXPR_LOAD) {
        const rlxc_expr *const *indices = canon_list(s, e->load.indices, e->load.n);
        if (indices == e->load.indices || list_too_deep(indices, e->load.n))
            return e;
        return rlxc_load(ctx, e->load.buffer, indices, e->load.n);
    }
    if (e->kind == RLXC_EXPR_CALL) {
        const rlxc_expr *const *args = canon_list(s, e->call.args, e->call.n);
        if (rlxc_is_choice(e) && args[0]->kind == RLXC_EXPR_INT)
            return args[0]->i ? args[1] : args[2];
        if (args == e->call.args || list_too_deep(args, e->call.n))
            return e;
        return rlxc_call(ctx, e->dtype, e->call.name, args, e->call.n);
    }
    if (e->kind == RLXC_EXPR_LET) {
        const rlxc_expr *value = rlxc_canon(s, e->let.value), *body = rlxc_canon(s, e->let.body);
        return too_deep(value) || too_deep(body) ? e : rlxc_let(ctx, e->let.var, value, body);
    }
    if (e->kind == RLXC_EXPR_RAMP) {
        const rlxc_expr *base = rlxc_canon(s, e->ramp.base);
        const rlxc_expr *stride = rlxc_canon(s, e->ramp.stride);
        return too_deep(base) || too_deep(stride) ? e : rlxc_ramp(ctx, base, stride, e->ramp.lanes);
    }
    if (e->kind == RLXC_EXPR_BROADCAST) {
        const rlxc_expr *value = rlxc_canon(s, e->ramp.base);
        return too_deep(value) ? e : rlxc_broadcast(ctx, value, e->ramp.lanes);
    }
    return e;
}

/* Nodes that are not sums: everything that is not of an index type, and opaque index nodes. */
static const rlxc_expr *simplify_other(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->depth == 1 || rlxc_out_of_memory(s->ctx))
        return e;
    const rlxc_expr *known = rlxc_map_get(&s->others, rlxc_key(e));
    if (known)
        return known;
    const rlxc_expr *result = rebuild_other(s, e);
    rlxc_map_set(s->ctx, &s->others, rlxc_key(e), (void *)(uintptr_t)result);
    return result;
}

/* --- the public interface -------------------------------------------------------------------- */

void rlxc_bounds_set(rlxc_context *ctx, rlxc_bounds *bounds, const rlxc_expr *var, rlxc_bound range)
{
    RLXC_PUSH(ctx, &bounds->vars, var);
    RLXC_PUSH(ctx, &bounds->ranges, range);
    if (bounds->vars.count > bounds->ranges.count)
        bounds->vars.count = bounds->ranges.count; /* a list could not grow */
    if (bounds->ranges.count > bounds->vars.count)
        bounds->ranges.count = bounds->vars.count;
}

const rlxc_expr *rlxc_canonical(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    if (e->depth == 1 || rlxc_out_of_memory(ctx))
        return e;
    rlxc_map *known = &sym_cache(ctx)->canonical;
    if (!bounds) {
        const rlxc_expr *c = rlxc_map_get(known, rlxc_key(e));
        if (c)
            return c;
    }
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    const rlxc_expr *result = rlxc_canon(&s, e);
    rlxc_sym_end(&s);
    if (!bounds) {
        rlxc_map_set(ctx, known, rlxc_key(e), (void *)(uintptr_t)result);
        rlxc_map_set(ctx, known, rlxc_key(result), (void *)(uintptr_t)result);
    }
    return result;
}

const rlxc_expr *rlxc_simplify(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    return rlxc_canonical(ctx, e, bounds);
}

rlxc_bound rlxc_bound_of(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    rlxc_bound written = rlxc_sym_bound(&s, e);
    rlxc_bound canonical = rlxc_sym_bound(&s, rlxc_canon(&s, e));
    rlxc_sym_end(&s);
    return (rlxc_bound){written.min > canonical.min ? written.min : canonical.min,
                        written.max < canonical.max ? written.max : canonical.max};
}

bool rlxc_prove_eq(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds)
{
    if (a == b)
        return true;
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    bool proven = prove_equal(&s, a, b);
    rlxc_sym_end(&s);
    return proven;
}

bool rlxc_prove_le(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds)
{
    if (a == b) /* also where it is too large to be analysed */
        return true;
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    bool proven = prove_order(&s, a, b, 0);
    rlxc_sym_end(&s);
    return proven;
}

bool rlxc_prove_lt(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds)
{
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    bool proven = prove_order(&s, a, b, 1);
    rlxc_sym_end(&s);
    return proven;
}

bool rlxc_prove_ne(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds)
{
    rlxc_sym s = rlxc_sym_begin(ctx, bounds);
    bool proven = prove_different(&s, a, b);
    rlxc_sym_end(&s);
    return proven;
}

const rlxc_expr *rlxc_product(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n)
{
    const rlxc_expr *product = rlxc_i64(ctx, 1);
    for (uint32_t i = 0; i < n; i++)
        product = rlxc_canonical(ctx, rlxc_mul(ctx, product, dims[i]), NULL);
    return product;
}

bool rlxc_linear_in(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var,
                    int64_t *out_coefficient, const rlxc_expr **out_rest)
{
    if (!rlxc_is_index_type(e->dtype) || e->depth > RLXC_SYM_RAW_DEPTH)
        return false;
    rlxc_sym s = rlxc_sym_begin(ctx, NULL);
    rlxc_poly *p = rlxc_poly_of(&s, e);
    rlxc_sum *rest = rlxc_sum_new(&s, e->dtype);
    int64_t coefficient = 0;
    bool linear = true;
    for (uint32_t i = 0; i < p->n && linear; i++) {
        const rlxc_term *t = &p->terms[i];
        if (t->n == 1 && t->factors[0] == var) {
            coefficient = t->coef;
            continue;
        }
        for (uint32_t f = 0; f < t->n && linear; f++)
            linear = !rlxc_expr_uses_var(ctx, t->factors[f], var);
        rlxc_sum_add(rest, t->coef, t->factors, t->n);
    }
    rlxc_poly *others = linear ? rlxc_sum_poly(&s, rest) : NULL;
    if (others) {
        *out_coefficient = coefficient;
        *out_rest = rlxc_poly_build(&s, others);
    }
    rlxc_sym_end(&s);
    return others != NULL;
}
