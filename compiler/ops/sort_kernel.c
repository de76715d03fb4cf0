/* rlx.topk, rlx.sort and rlx.argsort as kernels.
 *
 * On a device each element counts those that come before it: n comparisons for each of n elements
 * need no order among threads, and for lines of up to MOST_RANKED cost less than copies to the
 * host. Longer lines, and those of unknown length, are sorted on the host. A program in C merges
 * the lines, of any length (sort_merge.c). The order is that of the builtins: stable, NaN last in
 * both directions. */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/ops/device_forms.h"
#include "compiler/ops/sort_kernel.h"

enum { MOST_RANKED = 1024 };

const rlxc_expr *rlxc_sort_beats(const rlxc_te *te, bool descending, const rlxc_expr *a,
                                 const rlxc_expr *b)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *first = rlxc_binary(ctx, descending ? RLXC_EXPR_GT : RLXC_EXPR_LT, a, b);
    if (!rlxc_dtype_is_float(a->dtype))
        return first;
    const rlxc_expr *only_b = rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_EQ, a, a),
                                          rlxc_binary(ctx, RLXC_EXPR_NE, b, b));
    return rlxc_binary(ctx, RLXC_EXPR_OR, first, only_b); /* it is NaN */
}

/* Fails where a line has less than |count| elements. */
static void check_count(rlxc_te *te, const rlxc_sort *r, const rlxc_expr *count)
{
    const rlxc_expr *length = r->x.dims[r->axis];
    rlxc_te_block(te, "count");
    rlxc_te_body(te, NULL,
                 rlxc_form_fail_if(te, rlxc_binary(te->ctx, RLXC_EXPR_GT, count, length),
                                   "topk: k is ", count, ", the most is ", length));
}

/* ranks: how many elements of the line come before each. */
static void find_ranks(rlxc_te *te, rlxc_sort *r)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_int(ctx, RLX_I32, 0), *one = rlxc_int(ctx, RLX_I32, 1);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    r->ranks = rlxc_te_temp(te, "ranks", RLX_I32, r->x.dims, r->x.ndim);
    rlxc_te_spatial(te, "ranks", r->ranks);
    const rlxc_expr *j = rlxc_te_axis(te, RLXC_AXIS_REDUCE, "k", r->x.dims[r->axis]);
    memcpy(at, te->axes, r->x.ndim * sizeof at[0]);
    at[r->axis] = j;
    const rlxc_expr *own = rlxc_te_widen(te, rlxc_te_get(te, &r->x, te->axes)),
                    *other = rlxc_te_widen(te, rlxc_te_get(te, &r->x, at));
    const rlxc_expr *earlier =
        rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LT, j, te->axes[r->axis]),
                    rlxc_not(ctx, rlxc_sort_beats(te, r->descending, own, other)));
    const rlxc_expr *before =
        rlxc_binary(ctx, RLXC_EXPR_OR, rlxc_sort_beats(te, r->descending, other, own), earlier);
    rlxc_te_reduce(
        te, r->ranks, zero,
        rlxc_add(ctx, rlxc_te_load(te, r->ranks, te->axes), rlxc_select(ctx, before, one, zero)));
}

/* places: the element of each rank, as the sum over all of those that have it. */
static void find_places(rlxc_te *te, rlxc_sort *r, const rlxc_expr *count)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM], *zero = rlxc_int(ctx, RLX_I32, 0);
    memcpy(dims, r->x.dims, r->x.ndim * sizeof dims[0]);
    dims[r->axis] = count;
    r->places = rlxc_te_temp(te, "places", RLX_I32, dims, r->x.ndim);
    rlxc_te_spatial(te, "places", r->places);
    const rlxc_expr *i = rlxc_te_axis(te, RLXC_AXIS_REDUCE, "k", r->x.dims[r->axis]);
    memcpy(at, te->axes, r->x.ndim * sizeof at[0]);
    at[r->axis] = i;
    const rlxc_expr *is_here = rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_te_load(te, r->ranks, at),
                                           rlxc_cast(ctx, RLX_I32, te->axes[r->axis]));
    rlxc_te_reduce(te, r->places, zero,
                   rlxc_add(ctx, rlxc_te_load(te, r->places, te->axes),
                            rlxc_select(ctx, is_here, rlxc_cast(ctx, RLX_I32, i), zero)));
}

static void store_values(rlxc_te *te, const rlxc_sort *r)
{
    const rlxc_buffer *out = rlxc_te_output(te, "values");
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_spatial(te, "values", out);
    memcpy(at, te->axes, r->x.ndim * sizeof at[0]);
    at[r->axis] = rlxc_cast(te->ctx, RLX_I64, rlxc_te_load(te, r->places, te->axes));
    rlxc_te_store(te, out, rlxc_te_get(te, &r->x, at));
}

static void store_indices(rlxc_te *te, const rlxc_sort *r)
{
    const rlxc_buffer *out = rlxc_te_output(te, "indices");
    rlxc_te_spatial(te, "indices", out);
    rlxc_te_store(te, out, rlxc_cast(te->ctx, out->dtype, rlxc_te_load(te, r->places, te->axes)));
}

/* The first |count| elements of the order along |axis|. */
static bool rank(rlxc_te *te, int64_t axis, bool descending, const rlxc_expr *count, bool values,
                 bool indices)
{
    const rlxc_sinfo *s = te->view.in[0];
    const bool merges = !te->b->target;
    int64_t length;
    if (!s || s->kind != RLXC_SINFO_TENSOR || s->ndim < 1 || s->dtype.bits < 8 ||
        (!rlxc_dtype_is_int(s->dtype) && !rlxc_dtype_is_float(s->dtype)) || axis < -s->ndim ||
        axis >= s->ndim)
        return false;
    rlxc_sort r = {.axis = (uint32_t)(axis < 0 ? axis + s->ndim : axis), .descending = descending};
    if (!merges && (!rlxc_is_int(s->dims[r.axis], &length) || length < 1 || length > MOST_RANKED))
        return false;
    r.x = rlxc_te_operand_of(te, 0, "x");
    if (!r.x.buffer)
        return false;
    const bool fits = rlxc_prove_le(te->ctx, count, s->dims[r.axis], NULL);
    count = rlxc_te_expr(te, count);
    if (!fits)
        check_count(te, &r, count);
    if (merges) {
        rlxc_sort_merge(te, &r, count);
    } else {
        find_ranks(te, &r);
        find_places(te, &r, count);
    }
    if (values)
        store_values(te, &r);
    if (indices)
        store_indices(te, &r);
    return true;
}

/* The constant integer argument |i|. */
static bool constant(const rlxc_te *te, uint32_t i, int64_t *out)
{
    const rlxc_expr *e =
        i < te->call->n_args ? rlxc_prim_arg(te->ctx, te->b->module, te->call, i) : NULL;
    return e && rlxc_is_int(e, out);
}

bool rlxc_form_topk(rlxc_te *te)
{
    int64_t axis, largest, k;
    const rlxc_sinfo *out = te->out;
    const rlxc_expr *count =
        te->call->n_args == 6 ? rlxc_prim_arg(te->ctx, te->b->module, te->call, 1) : NULL;
    if (!count || te->call->args[3].kind != RLXC_ATOM_STRING || !constant(te, 2, &axis) ||
        !constant(te, 4, &largest))
        return false;
    const bool both = out->kind == RLXC_SINFO_TUPLE && out->n_fields == 2,
               values = te->call->args[3].text[0] != 'i';
    if (!both && out->kind != RLXC_SINFO_TENSOR)
        return false;
    if (rlxc_is_int(count, &k) && k < 0 && te->view.in[0]->ndim > 0) {
        const int32_t ndim = te->view.in[0]->ndim;
        if (axis < -ndim || axis >= ndim)
            return false;
        count = te->view.in[0]->dims[axis < 0 ? axis + ndim : axis];
    }
    return rank(te, axis, largest != 0, count, both || values, both || !values);
}

/* The whole order: of the values, or where they are. */
static bool order(rlxc_te *te, bool indices)
{
    int64_t axis, descending;
    const rlxc_sinfo *s = te->view.in[0];
    if (!constant(te, 1, &axis) || !constant(te, 2, &descending) || !s ||
        s->kind != RLXC_SINFO_TENSOR || axis < -s->ndim || axis >= s->ndim)
        return false;
    return rank(te, axis, descending != 0, s->dims[axis < 0 ? axis + s->ndim : axis], !indices,
                indices);
}

bool rlxc_form_sort(rlxc_te *te)
{
    return order(te, false);
}

bool rlxc_form_argsort(rlxc_te *te)
{
    return order(te, true);
}
