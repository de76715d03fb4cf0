/* Decides whether the compiler may evaluate the expression of a weight's element. * A module's
 * PrimFuncs are trusted like native code when the model runs, but not at compile time: a model of
 * unknown origin must be safe to compile. Indices must provably lie inside the constants that they
 * read, and no part may wrap around; divisors must be positive; only intrinsics that compute
 * numbers from numbers are allowed. */
#include "compiler/passes/quant_chain.h"

#include <string.h>

#include "compiler/ir/intrinsics.h"

typedef struct safety {
    rlxc_context *ctx;
    const rlxc_bounds *bounds; /* of the variables */
    bool holds;
} safety;

static bool lies_in(const safety *s, const rlxc_expr *e, rlxc_bound range)
{
    rlxc_bound b = rlxc_bound_of(s->ctx, e, s->bounds);
    return b.min > INT64_MIN && b.max < INT64_MAX && b.min >= range.min && b.max <= range.max;
}

/* A part of an index. */
static bool check_index(void *user, const rlxc_expr *e)
{
    safety *s = user;
    s->holds =
        s->holds && (!rlxc_dtype_is_int(e->dtype) || lies_in(s, e, rlxc_type_range(e->dtype)));
    return s->holds;
}

static void check_load(safety *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < e->load.n && s->holds; i++) {
        int64_t n = 0;
        rlxc_expr_visit(s->ctx, e->load.indices[i], check_index, s);
        s->holds = s->holds && rlxc_is_int(e->load.buffer->shape[i], &n) &&
                   lies_in(s, e->load.indices[i], (rlxc_bound){0, n - 1});
    }
}

static bool is_plain_call(const rlxc_expr *e)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    return row && row->lowering != RLXC_LOWER_CALLEE &&
           (row->result == RLXC_RESULT_SAME || row->result == RLXC_RESULT_SECOND);
}

static bool check_element(void *user, const rlxc_expr *e)
{
    safety *s = user;
    bool divides = e->kind == RLXC_EXPR_DIV || e->kind == RLXC_EXPR_MOD ||
                   e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    if (e->dtype.lanes != 1 || e->kind == RLXC_EXPR_LET ||
        (e->kind == RLXC_EXPR_CALL && !is_plain_call(e)) ||
        (divides && rlxc_dtype_is_int(e->dtype) &&
         !lies_in(s, e->bin.b, (rlxc_bound){1, INT64_MAX})))
        s->holds = false;
    if (e->kind == RLXC_EXPR_LOAD)
        check_load(s, e);
    return s->holds;
}

bool rlxc_quant_is_safe(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    safety s = {ctx, bounds, true};
    rlxc_expr_visit(ctx, e, check_element, &s);
    return s.holds;
}
