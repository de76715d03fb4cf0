/* Proofs required by steps: that a block's iterations are distinct, that a loop may run in any
 * order, that values read were written in the same iteration.
 *
 * An axis' value is read as a sum of digits, scale * (base // lower % extent), with bases that are
 * loops or sums themselves. The values of the axes tell the loops apart where the scales of a sum
 * are those of a number system and the digits of a base do not overlap. */
#include <string.h>

#include "compiler/schedule/tree.h"

typedef struct digit {
    const rlxc_expr *base, *scale, *lower, *extent;
} digit;

typedef struct digits {
    RLXC_VEC(digit) items;
} digits;

typedef struct proof {
    rlxc_engine *e;
    rlxc_spans spans;           /* of the loops around the block */
    const rlxc_expr *condition; /* of the block, or NULL */
    digits all;
    const char *why;
} proof;

enum { MAX_SUMS = 8 }; /* sums inside of sums */

static const rlxc_expr *one(const proof *p)
{
    return rlxc_i64(p->e->ctx, 1);
}

static const rlxc_expr *times(const proof *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_simple(p->e, rlxc_mul(p->e->ctx, a, b));
}

static bool at_most(const proof *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_prove_le(p->e->ctx, a, b, NULL);
}

/* a // b if |b| provably divides |a|, else NULL. A loop whose extent has the factor 0 has no
 * iterations, so divisors are taken to be positive. */
static const rlxc_expr *quotient(const proof *p, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *q = rlxc_simple(p->e, rlxc_binary(p->e->ctx, RLXC_EXPR_FLOORDIV, a, b));
    return rlxc_prove_eq(p->e->ctx, rlxc_mul(p->e->ctx, q, b), a, NULL) ? q : NULL;
}

static const rlxc_expr *without_cast(const rlxc_expr *x)
{
    while (x->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(x->bin.a->dtype))
        x = x->bin.a;
    return x;
}

/* False if |value| uses loops. */
static bool is_fixed(const proof *p, const rlxc_expr *value)
{
    for (uint32_t i = 0; i < p->spans.vars.count; i++)
        if (rlxc_expr_uses_var(p->e->ctx, value, p->spans.vars.items[i]))
            return false;
    return true;
}

/* The number d for which x // d is |base|; 0: none. */
static int64_t number_between(const proof *p, const rlxc_expr *x, const rlxc_expr *base)
{
    rlxc_context *ctx = p->e->ctx;
    for (uint32_t i = 0; i < p->spans.vars.count; i++) {
        const rlxc_expr *var = p->spans.vars.items[i], *rest;
        int64_t of_x = 0, of_base = 0;
        if (!rlxc_linear_in(ctx, base, var, &of_base, &rest) || of_base < 1 ||
            !rlxc_linear_in(ctx, x, var, &of_x, &rest) || of_x < of_base || of_x % of_base != 0)
            continue;
        const rlxc_expr *by = rlxc_i64(ctx, of_x / of_base);
        if (rlxc_simple(p->e, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, x, by)) == base)
            return of_x / of_base;
    }
    return 0;
}

/* The extent of |base| by |condition|, which limits the base times a number; NULL: it says nothing.
 */
static const rlxc_expr *limit_of(const proof *p, const rlxc_expr *condition, const rlxc_expr *base)
{
    rlxc_context *ctx = p->e->ctx;
    if (condition && condition->kind == RLXC_EXPR_AND) {
        const rlxc_expr *of_a = limit_of(p, condition->bin.a, base);
        return of_a ? of_a : limit_of(p, condition->bin.b, base);
    }
    if (!condition || condition->kind != RLXC_EXPR_LT || !is_fixed(p, condition->bin.b))
        return NULL;
    const int64_t d = number_between(p, condition->bin.a, base);
    if (d < 1)
        return NULL;
    const rlxc_expr *up = rlxc_add(ctx, condition->bin.b, rlxc_i64(ctx, d - 1));
    return rlxc_simple(p->e, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, rlxc_i64(ctx, d)));
}

static const rlxc_expr *extent_of(const proof *p, const rlxc_expr *base)
{
    const rlxc_expr *limit = base->kind == RLXC_EXPR_VAR ? NULL : limit_of(p, p->condition, base);
    if (limit)
        return limit;
    rlxc_span span = rlxc_span_of(p->e, &p->spans, base);
    if (!span.max || !span.min || !rlxc_is_const(span.min, 0))
        return NULL;
    return rlxc_simple(p->e, rlxc_add(p->e->ctx, span.max, one(p)));
}

/* x // (rest * c) as base // (rest * (c / d)), where x // d is a base that has digits already. */
static void divide_known(const proof *p, const rlxc_expr **x, const rlxc_expr **by)
{
    const rlxc_expr *product = *by;
    if (product->kind != RLXC_EXPR_MUL || product->bin.b->kind != RLXC_EXPR_INT)
        return;
    for (uint32_t i = 0; i < p->all.items.count; i++) {
        const rlxc_expr *base = p->all.items.items[i].base;
        const int64_t d = base->kind == RLXC_EXPR_VAR ? 0 : number_between(p, *x, base);
        if (d < 1 || product->bin.b->i % d != 0)
            continue;
        *x = base;
        *by = times(p, product->bin.a, rlxc_i64(p->e->ctx, product->bin.b->i / d));
        return;
    }
}

/* base // lower % extent; anything else is a base of its own. */
static bool read_digit(proof *p, const rlxc_expr *x, digit *out)
{
    x = without_cast(x);
    bool divides = x->kind == RLXC_EXPR_FLOORDIV, cuts = x->kind == RLXC_EXPR_FLOORMOD;
    if ((divides || cuts) && is_fixed(p, x->bin.b)) {
        const rlxc_expr *of = x->bin.a, *by = x->bin.b;
        if (divides)
            divide_known(p, &of, &by);
        if (!read_digit(p, of, out))
            return false;
        if (divides) {
            const rlxc_expr *up = rlxc_add(p->e->ctx, out->extent, rlxc_sub(p->e->ctx, by, one(p)));
            const rlxc_expr *exact = quotient(p, out->extent, by);
            out->lower = times(p, out->lower, by);
            out->extent =
                exact ? exact
                      : rlxc_simple(p->e, rlxc_binary(p->e->ctx, RLXC_EXPR_FLOORDIV, up, by));
        } else if (at_most(p, by, out->extent) || !at_most(p, out->extent, by)) {
            out->extent = by;
        }
        return true;
    }
    const rlxc_expr *extent = extent_of(p, x);
    *out = (digit){.base = x, .scale = one(p), .lower = one(p), .extent = extent};
    return extent != NULL;
}

/* True if no remainder cuts the digit |x|: it has all that is above its lowest place. */
static bool is_uncut(const rlxc_expr *x)
{
    x = without_cast(x);
    while (x->kind == RLXC_EXPR_FLOORDIV)
        x = without_cast(x->bin.a);
    return x->kind != RLXC_EXPR_FLOORMOD;
}

/* base // lower - base // (lower * extent) * extent: what base // lower % extent is simplified to
 * where the extent is symbolic. */
static bool read_remainder(proof *p, const rlxc_expr *x, digit *out)
{
    digit above;
    if (x->kind != RLXC_EXPR_SUB || x->bin.b->kind != RLXC_EXPR_MUL)
        return false;
    const rlxc_expr *of = x->bin.b->bin.a, *extent = x->bin.b->bin.b;
    if (is_fixed(p, of)) {
        of = extent;
        extent = x->bin.b->bin.a;
    }
    if (!is_fixed(p, extent) || !is_uncut(x->bin.a) || !is_uncut(of) ||
        !read_digit(p, x->bin.a, out) || !read_digit(p, of, &above) || above.base != out->base ||
        !rlxc_prove_eq(p->e->ctx, above.lower, times(p, out->lower, extent), NULL))
        return false;
    out->extent = extent;
    return true;
}

static bool read_sum(proof *p, const rlxc_expr *x, const rlxc_expr *scale, digits *out)
{
    digit d;
    x = without_cast(x);
    if (read_remainder(p, x, &d)) {
        d.scale = scale;
        RLXC_PUSH(p->e->ctx, &out->items, d);
        return true;
    }
    if (x->kind == RLXC_EXPR_ADD)
        return read_sum(p, x->bin.a, scale, out) && read_sum(p, x->bin.b, scale, out);
    if (is_fixed(p, x))
        return true;
    if (x->kind == RLXC_EXPR_SUB && is_fixed(p, x->bin.b))
        return read_sum(p, x->bin.a, scale, out);
    if (x->kind == RLXC_EXPR_MUL && is_fixed(p, x->bin.b))
        return read_sum(p, x->bin.a, times(p, scale, x->bin.b), out);
    if (x->kind == RLXC_EXPR_MUL && is_fixed(p, x->bin.a))
        return read_sum(p, x->bin.b, times(p, scale, x->bin.a), out);
    if (!read_digit(p, x, &d))
        return false;
    d.scale = scale;
    if (!rlxc_is_const(d.extent, 1))
        RLXC_PUSH(p->e->ctx, &out->items, d);
    return true;
}

/* True if the digits of a sum are independent: each scale exceeds the range of all lower digits. */
static bool is_number_system(const proof *p, digits *sum)
{
    const rlxc_expr *top = rlxc_i64(p->e->ctx, 0); /* the maximum of the digits so far */
    uint32_t n = sum->items.count;
    for (uint32_t done = 0; done < n; done++) {
        uint32_t least = done;
        for (uint32_t i = done + 1; i < n; i++)
            if (at_most(p, sum->items.items[i].scale, sum->items.items[least].scale))
                least = i;
        digit d = sum->items.items[least];
        sum->items.items[least] = sum->items.items[done];
        sum->items.items[done] = d;
        if (!rlxc_prove_lt(p->e->ctx, top, d.scale, NULL))
            return false;
        const rlxc_expr *most = times(p, d.scale, rlxc_sub(p->e->ctx, d.extent, one(p)));
        top = rlxc_simple(p->e, rlxc_add(p->e->ctx, top, most));
    }
    return true;
}

/* True if digit |a| is below |b|: it ends where |b| or a digit between them begins. */
static bool is_below(const proof *p, const digit *a, const digit *b)
{
    const rlxc_expr *end = times(p, a->lower, a->extent);
    return at_most(p, end, b->lower) || quotient(p, b->lower, end);
}

static bool overlap(const proof *p, const digit *a, const digit *b)
{
    return !is_below(p, a, b) && !is_below(p, b, a);
}

/* Takes the digits of |value| into |p->all|; sums that are bases are checked as values are. */
static bool take_value(proof *p, const rlxc_expr *value, uint32_t depth)
{
    digits sum = {0};
    if (depth > MAX_SUMS || !read_sum(p, value, one(p), &sum) || !is_number_system(p, &sum)) {
        p->why = rlxc_internf(p->e->ctx, "%s may have the same value in different iterations",
                              rlxc_expr_text(p->e, value));
        return false;
    }
    for (uint32_t i = 0; i < sum.items.count; i++) {
        const digit *d = &sum.items.items[i];
        bool known = false;
        for (uint32_t k = 0; k < p->all.items.count; k++) {
            if (p->all.items.items[k].base != d->base)
                continue;
            known = true;
            if (overlap(p, &p->all.items.items[k], d)) {
                p->why = rlxc_internf(p->e->ctx, "%s is used twice", rlxc_expr_text(p->e, d->base));
                return false;
            }
        }
        RLXC_PUSH(p->e->ctx, &p->all.items, *d);
        if (!known && d->base->kind != RLXC_EXPR_VAR && !take_value(p, d->base, depth + 1))
            return false;
    }
    return true;
}

/* True if each base is used completely: no digit is missing between 1 and its extent. Required to
 * distinguish the iterations of every loop. */
static bool is_complete(proof *p, const rlxc_expr *base)
{
    const rlxc_expr *at = one(p), *end = extent_of(p, base);
    for (uint32_t rounds = 0; rounds <= p->all.items.count; rounds++) {
        if (end && at_most(p, end, at))
            return true;
        bool moved = false;
        for (uint32_t k = 0; k < p->all.items.count && !moved; k++) {
            const digit *d = &p->all.items.items[k];
            if (d->base != base || !rlxc_prove_eq(p->e->ctx, d->lower, at, NULL))
                continue;
            at = times(p, at, d->extent);
            moved = true;
        }
        if (!moved)
            break;
    }
    p->why =
        rlxc_internf(p->e->ctx, "its axes may have the same values in different iterations of %s",
                     rlxc_expr_text(p->e, base));
    return false;
}

static bool uses_axes(proof *p, const rlxc_node *block, const rlxc_expr *index)
{
    for (uint32_t k = 0; k < block->block->n_axes; k++)
        if (rlxc_expr_uses_var(p->e->ctx, index, block->block->axes[k].var))
            return true;
    return false;
}

/* True if a block that reads its own result does so at the same place. What it initializes may
 * differ in dimensions that no axis serves, where an iteration has several elements. */
static bool reads_in_place(proof *p, const rlxc_node *block)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(p->e, block, &all);
    for (uint32_t w = 0; w < all.items.count; w++)
        for (uint32_t r = 0; r < all.items.count && all.items.items[w].writes; r++) {
            const rlxc_access *a = &all.items.items[w], *b = &all.items.items[r];
            bool same = b->writes || b->buffer != a->buffer || a->buffer->ndim == 0 ||
                        (a->indices && b->indices && a->n == b->n);
            for (uint32_t k = 0; k < a->n && same && !b->writes && b->buffer == a->buffer; k++)
                same = a->indices[k] == b->indices[k] ||
                       (a->in_init && !uses_axes(p, block, a->indices[k]) &&
                        !uses_axes(p, block, b->indices[k]));
            if (same)
                continue;
            p->why = rlxc_internf(p->e->ctx,
                                  "it reads elements of '%s' that other iterations "
                                  "write",
                                  a->buffer->name);
            return false;
        }
    return true;
}

/* Iterations for which |condition| does not hold do not run: a loop's span ends where it ends. */
static void clip(proof *p, const rlxc_expr *condition)
{
    rlxc_context *ctx = p->e->ctx;
    if (condition->kind == RLXC_EXPR_AND) {
        clip(p, condition->bin.a);
        clip(p, condition->bin.b);
    }
    if (condition->kind != RLXC_EXPR_LT || !is_fixed(p, condition->bin.b))
        return;
    for (uint32_t i = 0; i < p->spans.vars.count; i++) {
        int64_t factor = 0;
        const rlxc_expr *rest = NULL;
        rlxc_span *span = &p->spans.spans.items[i];
        if (!rlxc_linear_in(ctx, condition->bin.a, p->spans.vars.items[i], &factor, &rest) ||
            factor < 1)
            continue;
        const rlxc_expr *least = rlxc_span_of(p->e, &p->spans, rest).min;
        if (!least || !at_most(p, rlxc_i64(ctx, 0), least))
            continue;
        const rlxc_expr *last = rlxc_sub(ctx, condition->bin.b, one(p));
        last = rlxc_simple(p->e, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, last, rlxc_i64(ctx, factor)));
        if (span->max && at_most(p, last, span->max))
            span->max = last;
    }
}

/* True if the values of the axes (all, or those that use |of|) distinguish the iterations of their
 * loops (or of |of|). */
static bool tells_apart(rlxc_engine *e, const rlxc_node *block, const rlxc_expr *of,
                        const char **why)
{
    proof p = {.e = e, .why = "", .condition = block->predicate};
    rlxc_node_list loops = {0};
    rlxc_loops_around(e, block, &loops);
    for (uint32_t i = 0; i < loops.items.count; i++)
        rlxc_span_loop(e, &p.spans, loops.items.items[i]->var, loops.items.items[i]->min,
                       loops.items.items[i]->extent);
    if (block->predicate)
        clip(&p, block->predicate);
    bool ok = reads_in_place(&p, block);
    for (uint32_t i = block->block->n_axes; i-- > 0 && ok;) /* quotients behind their remainders */
        ok = (of && !rlxc_expr_uses_var(e->ctx, block->values[i], of)) ||
             take_value(&p, block->values[i], 0);
    for (uint32_t i = 0; i < p.all.items.count && ok; i++)
        ok = (of && !rlxc_expr_uses_var(e->ctx, p.all.items.items[i].base, of)) ||
             is_complete(&p, p.all.items.items[i].base);
    *why = p.why;
    return ok;
}

bool rlxc_is_injective(rlxc_engine *e, const rlxc_node *block, const char **why)
{
    return tells_apart(e, block, NULL, why);
}

bool rlxc_is_reduction(const rlxc_node *block)
{
    for (uint32_t i = 0; i < block->block->n_axes; i++)
        if (block->block->axes[i].kind != RLXC_AXIS_SPATIAL)
            return true;
    return false;
}

bool rlxc_serves(rlxc_engine *e, const rlxc_node *loop, const rlxc_node *block, rlxc_axis_kind kind,
                 const char **out_axis)
{
    for (uint32_t i = 0; i < block->block->n_axes; i++) {
        const rlxc_axis *axis = &block->block->axes[i];
        if (axis->kind != kind || !rlxc_expr_uses_var(e->ctx, block->values[i], loop->var))
            continue;
        if (out_axis)
            *out_axis = axis->var->var.name;
        return true;
    }
    return false;
}

/* True if each axis that uses |loop| is in an index of every store: otherwise iterations share
 * elements. */
static bool stores_tell_apart(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_access *a = &all.items.items[i];
        bool found = !a->writes;
        for (uint32_t k = 0; k < block->block->n_axes && !found; k++) {
            if (!rlxc_expr_uses_var(e->ctx, block->values[k], loop->var))
                continue;
            for (uint32_t d = 0; d < a->n && a->indices && !found; d++)
                found = rlxc_expr_uses_var(e->ctx, a->indices[d], block->block->axes[k].var);
        }
        if (!found)
            return rlxc_refuse(e,
                               "iterations of loop %s write the same elements of '%s' (block '%s')",
                               rlxc_loop_name(e, loop), a->buffer->name, rlxc_block_of(block));
    }
    return true;
}

bool rlxc_check_spatial(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    static const struct {
        rlxc_axis_kind kind;
        const char *what;
    } kinds[] = {
        {RLXC_AXIS_REDUCE, "reduction"}, {RLXC_AXIS_SCAN, "scan"}, {RLXC_AXIS_OPAQUE, "opaque"}};
    const char *axis = NULL, *why;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rlxc_serves(e, loop, block, kinds[i].kind, &axis))
            return rlxc_refuse(e, "loop %s drives the %s axis '%s' of block '%s'",
                               rlxc_loop_name(e, loop), kinds[i].what, axis, rlxc_block_of(block));
    if (!tells_apart(e, block, loop->var, &why))
        return rlxc_refuse(e, "block '%s': %s", rlxc_block_of(block), why);
    return stores_tell_apart(e, block, loop);
}

/* True if two regions are provably disjoint, or one contains the other. */
static bool meet_in_place(rlxc_engine *e, const rlxc_span *inner, const rlxc_span *outer,
                          uint32_t n, const rlxc_bounds *bounds)
{
    rlxc_context *ctx = e->ctx;
    bool inside = true;
    for (uint32_t k = 0; k < n && inside; k++) /* most often they are the same */
        inside = inner[k].min && inner[k].max && inner[k].min == outer[k].min &&
                 inner[k].max == outer[k].max;
    if (inside)
        return true;
    inside = true;
    for (uint32_t k = 0; k < n; k++) {
        rlxc_span a = inner[k], b = outer[k];
        if ((a.min && b.max && rlxc_prove_lt(ctx, b.max, a.min, bounds)) ||
            (a.max && b.min && rlxc_prove_lt(ctx, a.max, b.min, bounds)))
            return true;
        inside = inside && a.min && a.max && b.min && b.max &&
                 rlxc_prove_le(ctx, b.min, a.min, bounds) &&
                 rlxc_prove_le(ctx, a.max, b.max, bounds);
    }
    return inside;
}

enum { MAX_NDIM = 64 };

/* True if blocks |a| and |b| below |loop| access common elements of |buffer|, of which |a| writes
 * |written|, only in the same iteration. */
static bool check_pair(rlxc_engine *e, const rlxc_node *loop, const rlxc_node *a,
                       const rlxc_span *written, const rlxc_node *b, const rlxc_buffer *buffer)
{
    rlxc_bounds bounds = rlxc_bounds_at(e, loop);
    rlxc_span other[MAX_NDIM];
    uint32_t n = buffer->ndim;
    if (rlxc_block_region(e, b, loop, buffer, false, other) &&
        !meet_in_place(e, other, written, n, &bounds))
        return rlxc_refuse(e,
                           "block '%s' reads elements of '%s' that block '%s' writes in another "
                           "iteration of loop %s",
                           rlxc_block_of(b), buffer->name, rlxc_block_of(a),
                           rlxc_loop_name(e, loop));
    if (rlxc_block_region(e, b, loop, buffer, true, other) &&
        !meet_in_place(e, other, written, n, &bounds) &&
        !meet_in_place(e, written, other, n, &bounds))
        return rlxc_refuse(e,
                           "blocks '%s' and '%s' write the same elements of '%s' in different "
                           "iterations of loop %s",
                           rlxc_block_of(a), rlxc_block_of(b), buffer->name,
                           rlxc_loop_name(e, loop));
    return true;
}

bool rlxc_check_covered(rlxc_engine *e, const rlxc_node *loop)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, loop->kids.items.items[0], false, &blocks);
    for (uint32_t w = 0; w < blocks.items.count; w++) {
        const rlxc_node *writer = blocks.items.items[w];
        rlxc_accesses_in all = {0};
        rlxc_span written[MAX_NDIM];
        rlxc_block_accesses(e, writer, &all);
        for (uint32_t i = 0; i < all.items.count; i++) {
            const rlxc_buffer *buffer = all.items.items[i].buffer;
            if (!all.items.items[i].writes || buffer->ndim > MAX_NDIM ||
                !rlxc_block_region(e, writer, loop, buffer, true, written))
                continue;
            for (uint32_t r = 0; r < blocks.items.count; r++)
                if (r != w && !check_pair(e, loop, writer, written, blocks.items.items[r], buffer))
                    return false;
        }
    }
    return true;
}
