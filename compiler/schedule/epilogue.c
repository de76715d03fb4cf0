/* Epilogues: the stage over a result (bias, activation, residual) that runs where the result is
 * computed, before it is stored. */
#include "compiler/schedule/stages.h"

static uint32_t stored_axes(const rlxc_stage *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_axes; k++)
        n += !p->reduces[k];
    return n;
}

/* True if |q| maps the elements of |p|, read at |indices|, to elements at the same place. */
static bool maps(rlxc_context *ctx, const rlxc_stage *q, const rlxc_stage *p,
                 const rlxc_expr *const *indices)
{
    if (!q->simple || q->done || q->init || q->n_axes != p->out->ndim || q->out->ndim != q->n_axes)
        return false;
    for (uint32_t d = 0; d < q->n_axes; d++)
        if (indices[d] != q->vars[d] || q->indices[d] != q->vars[d] ||
            !rlxc_prove_eq(ctx, q->extents[d], p->out->shape[d], NULL))
            return false;
    return true;
}

/* True if stage |at| may run earlier, between the tiles of stages |first| to |i|: nothing up to it
 * may read or write its results, and nothing in between may write its operands. */
static bool may_run_at(const rlxc_stages *s, uint32_t at, uint32_t first, uint32_t i)
{
    const rlxc_buffer *out = s->items[at].out;
    for (uint32_t k = first; k < at; k++) {
        const rlxc_stage *q = &s->items[k];
        const rlxc_expr *const *indices;
        bool same;
        if (q->removed)
            continue;
        if (!q->simple || q->out == out || rlxc_stage_loads(s, k, out, &indices, &same) > 0 ||
            (k > i && rlxc_stage_loads(s, at, q->out, &indices, &same) > 0))
            return false;
    }
    return true;
}

/* |q|, which maps |p|, without the axes of dimensions of one element for which |p| has a constant
 * index. */
static rlxc_stage *without_units(rlxc_context *ctx, const rlxc_stage *q, const rlxc_stage *p)
{
    rlxc_stage *own = rlxc_copy(ctx, q, sizeof *own);
    const rlxc_expr *zeros[RLXC_STAGE_AXES], *units[RLXC_STAGE_AXES];
    uint32_t n = 0;
    own->n_axes = 0;
    for (uint32_t d = 0; d < q->n_axes; d++) {
        if (rlxc_is_const(p->indices[d], 0) && rlxc_is_const(q->extents[d], 1)) {
            units[n] = q->vars[d];
            zeros[n++] = rlxc_i64(ctx, 0);
            continue;
        }
        own->vars[own->n_axes] = q->vars[d];
        own->extents[own->n_axes++] = q->extents[d];
    }
    if (own->n_axes != stored_axes(p))
        return NULL;
    const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)q->out->ndim + 1) * sizeof *at);
    for (uint32_t d = 0; d < q->out->ndim; d++)
        at[d] = rlxc_replace(ctx, q->indices[d], units, zeros, n);
    own->indices = at;
    own->value = rlxc_replace(ctx, q->value, units, zeros, n);
    own->changed = true;
    return own;
}

/* |q|, which reads |p| at |indices|, where p's last two axes are quotient and remainder of q's last
 * one, with two axes for it: the groups of a convolution and their outputs. NULL: |q| is another
 * stage. */
static rlxc_stage *with_groups(rlxc_context *ctx, const rlxc_stage *q, const rlxc_stage *p,
                               const rlxc_expr *const *indices)
{
    const uint32_t n = q->n_axes, last = n - 1;
    int64_t each;
    if (!q->simple || q->done || q->init || n == 0 || n >= RLXC_STAGE_AXES ||
        p->out->ndim != n + 1 || q->out->ndim != n)
        return NULL;
    for (uint32_t d = 0; d < n; d++)
        if (q->indices[d] != q->vars[d] ||
            (d < last && (indices[d] != q->vars[d] ||
                          !rlxc_prove_eq(ctx, q->extents[d], p->out->shape[d], NULL))))
            return NULL;
    const rlxc_expr *all = rlxc_mul(ctx, p->out->shape[last], p->out->shape[n]);
    if (!rlxc_is_int(p->out->shape[n], &each) || each < 1 ||
        !rlxc_is_part(indices[last], RLXC_EXPR_FLOORDIV, q->vars[last], each) ||
        !rlxc_is_part(indices[n], RLXC_EXPR_FLOORMOD, q->vars[last], each) ||
        !rlxc_prove_eq(ctx, q->extents[last], all, NULL))
        return NULL;
    rlxc_stage *own = rlxc_copy(ctx, q, sizeof *own);
    rlxc_split_axis(ctx, own, last, each);
    return own;
}

rlxc_stage *rlxc_epilogue_of(const rlxc_stages *s, uint32_t first, uint32_t i)
{
    rlxc_stage *found = rlxc_epilogue_on_tile(s, first, i);
    return found && found->out->ndim == s->items[i].out->ndim && found->n_axes == found->out->ndim
               ? found
               : NULL;
}

rlxc_stage *rlxc_epilogue_on_tile(const rlxc_stages *s, uint32_t first, uint32_t i)
{
    const rlxc_stage *p = &s->items[i];
    rlxc_stage *found = NULL;
    uint32_t at = s->n;
    if (!rlxc_stage_is_temp(s, p->out))
        return NULL;
    for (uint32_t k = 0; k < s->n; k++) {
        const rlxc_stage *q = &s->items[k];
        const rlxc_expr *const *indices;
        bool same;
        if (k == i || q->removed)
            continue;
        if (q->simple && q->out == p->out)
            return NULL;
        if (rlxc_stage_loads(s, k, p->out, &indices, &same) == 0)
            continue;
        if (at < s->n || k < i || !same)
            return NULL;
        found = !maps(s->ctx, q, p, indices)     ? with_groups(s->ctx, q, p, indices)
                : stored_axes(p) == p->out->ndim ? &s->items[k]
                                                 : without_units(s->ctx, q, p);
        if (!found)
            return NULL;
        at = k;
    }
    return at < s->n && may_run_at(s, at, first, i) ? found : NULL;
}

bool rlxc_take_epilogue(const rlxc_stages *s, uint32_t first, uint32_t i, bool wanted,
                        rlxc_stage **out)
{
    *out = wanted ? rlxc_epilogue_of(s, first, i) : NULL;
    return *out || !wanted ||
           rlxc_decline(s, "epilogue is 1, but no block maps %s element by element",
                        s->items[i].out->name);
}

void rlxc_epilogue_done(rlxc_stages *s, uint32_t i, rlxc_stage *epilogue)
{
    if (!epilogue)
        return;
    const rlxc_expr *const *indices;
    bool same;
    for (uint32_t k = 0; k < s->n; k++) /* |epilogue| may be a copy of the only reader */
        if (k != i && !s->items[k].removed &&
            rlxc_stage_loads(s, k, s->items[i].out, &indices, &same) > 0)
            s->items[k].removed = true;
    rlxc_stage_drop_temp(s, s->items[i].out);
}

const rlxc_expr *rlxc_epilogue_value(rlxc_context *ctx, const rlxc_stage *e,
                                     const rlxc_buffer *from, const rlxc_expr *const *at,
                                     const rlxc_expr *value)
{
    /* a variable stands for the value until the axes have been replaced */
    const rlxc_expr *mark = rlxc_var(ctx, rlxc_intern_cstr(ctx, "result"), from->dtype);
    const rlxc_expr *mapped = rlxc_replace_loads(ctx, e->value, from, mark);
    mapped = rlxc_replace(ctx, mapped, e->vars, at, e->n_axes);
    return rlxc_substitute(ctx, mapped, &mark, &value, 1);
}
