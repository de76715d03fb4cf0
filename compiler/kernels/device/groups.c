/* Products in groups: an axis of both factors that one of them uses as a // q alone, such as the
 * output channel of a grouped convolution, is a batch axis a // q and an axis a % q of the other
 * factor alone. */
#include "compiler/kernels/device/gemm.h"

typedef struct quotients { /* of an axis, in a factor */
    const rlxc_expr *axis, *quotient;
    const rlxc_expr *now; /* what replaces it */
} quotients;

static bool find_quotient(void *user, const rlxc_expr *e)
{
    quotients *q = user;
    int64_t by;
    if (e->kind == RLXC_EXPR_FLOORDIV && e->bin.a == q->axis && rlxc_is_int(e->bin.b, &by) &&
        by > 1)
        q->quotient = e;
    return !q->quotient;
}

static const rlxc_expr *replace_quotient(void *user, const rlxc_expr *e)
{
    const quotients *q = user;
    return e == q->quotient ? q->now : NULL;
}

/* The number of elements of a group if |factor| uses |axis| as a quotient alone; then *out is the
 * factor with |group| in its place. 0: it does not. */
static int64_t members(rlxc_context *ctx, const rlxc_expr *factor, const rlxc_expr *axis,
                       const rlxc_expr *group, const rlxc_expr **out)
{
    quotients q = {.axis = axis, .now = rlxc_cast(ctx, axis->dtype, group)};
    int64_t by = 0;
    rlxc_expr_visit(ctx, factor, find_quotient, &q);
    if (!q.quotient || !rlxc_is_int(q.quotient->bin.b, &by))
        return 0;
    *out = rlxc_expr_rewrite_all(ctx, factor, replace_quotient, &q);
    return rlxc_expr_uses_var(ctx, *out, axis) ? 0 : by;
}

/* |stage| with axis |a| of n * q iterations split into two axes of n and q. */
static rlxc_stage *with_groups(rlxc_context *ctx, const rlxc_stage *stage, uint32_t a, int64_t q,
                               const rlxc_expr *group, const rlxc_expr *member)
{
    rlxc_stage *out = rlxc_copy(ctx, stage, sizeof *out);
    int64_t n;
    if (!rlxc_is_int(stage->extents[a], &n))
        return NULL;
    for (uint32_t k = out->n_axes++; k > a + 1; k--) {
        out->vars[k] = out->vars[k - 1];
        out->extents[k] = out->extents[k - 1];
        out->reduces[k] = out->reduces[k - 1];
    }
    out->vars[a] = group;
    out->extents[a] = rlxc_i64(ctx, n / q);
    out->vars[a + 1] = member;
    out->extents[a + 1] = rlxc_i64(ctx, q);
    out->reduces[a + 1] = false;
    return out;
}

static const rlxc_expr *split(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *axis,
                              const rlxc_expr *value)
{
    return rlxc_simplify(ctx, rlxc_substitute(ctx, e, &axis, &value, 1), NULL);
}

void rlxc_gemm_split_groups(rlxc_context *ctx, rlxc_gemm *g)
{
    const rlxc_stage *s = g->stage;
    for (uint32_t a = 0; a < s->n_axes && s->n_axes < RLXC_STAGE_AXES; a++) {
        const rlxc_expr *axis = s->vars[a], *x = NULL, *w = NULL;
        const rlxc_expr *group = rlxc_var(ctx, rlxc_intern_cstr(ctx, "vgroup"), RLX_I64);
        const rlxc_expr *member = rlxc_var(ctx, rlxc_intern_cstr(ctx, "vmember"), RLX_I64);
        int64_t n, q;
        if (s->reduces[a] || !rlxc_is_int(s->extents[a], &n) ||
            !rlxc_expr_uses_var(ctx, g->op.x, axis) || !rlxc_expr_uses_var(ctx, g->op.w, axis))
            continue;
        if ((q = members(ctx, g->op.x, axis, group, &x)) == 0)
            q = members(ctx, g->op.w, axis, group, &w);
        if (q == 0 || n % q != 0)
            continue;
        const rlxc_expr *value = rlxc_add(ctx, rlxc_mul(ctx, group, rlxc_i64(ctx, q)), member);
        value = rlxc_cast(ctx, axis->dtype, value);
        rlxc_stage *now = with_groups(ctx, s, a, q, group, member);
        const rlxc_expr **indices = rlxc_try_alloc(ctx, s->out->ndim, sizeof *indices);
        if (!now || !indices)
            return;
        for (uint32_t d = 0; d < s->out->ndim; d++)
            indices[d] = split(ctx, s->indices[d], axis, value);
        now->indices = indices;
        g->op.x = w ? split(ctx, g->op.x, axis, value) : x;
        g->op.w = w ? w : split(ctx, g->op.w, axis, value);
        g->stage = s = now;
    }
}
