/* Ranges of the elements of integer tensors (value_range.h). One row per operator that is
 * understood; all others are unknown. */
#include "compiler/ops/value_range.h"

#include <string.h>

#include "compiler/ir/constant.h"

enum { MOST_ELEMENTS = 1 << 20 }; /* size limit of constants that are searched */

typedef struct scope {
    rlxc_context *ctx;
    const rlxc_module *module;
    rlxc_map *ranges;
    const rlxc_binding *b;
} scope;

static rlxc_value_range range_of(rlxc_context *ctx, const rlxc_expr *low, const rlxc_expr *high)
{
    return (rlxc_value_range){rlxc_canonical(ctx, low, NULL), rlxc_canonical(ctx, high, NULL)};
}

static bool constant_range(rlxc_context *ctx, const rlxc_constant *k, rlxc_value_range *out)
{
    const size_t size = k->dtype.bits / 8u, n = size ? k->nbytes / size : 0;
    if (!rlxc_dtype_is_int(k->dtype) || n == 0 || n > MOST_ELEMENTS || k->lifted)
        return false;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const int64_t value = rlxc_constant_int(k, i);
        if (k->dtype.code == RLX_UINT && value < 0)
            return false;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *out = (rlxc_value_range){rlxc_i64(ctx, low), rlxc_i64(ctx, high)};
    return true;
}

bool rlxc_find_value_range(rlxc_context *ctx, rlxc_map *ranges, rlxc_atom x, rlxc_value_range *out)
{
    if (x.kind == RLXC_ATOM_CONSTANT)
        return constant_range(ctx, x.constant, out);
    const rlxc_value_range *found =
        x.kind == RLXC_ATOM_VAR ? rlxc_map_get(ranges, rlxc_key(x.var)) : NULL;
    if (found)
        *out = *found;
    return found != NULL;
}

static bool argument(const scope *s, uint32_t i, rlxc_value_range *out)
{
    return i < s->b->n_args && rlxc_find_value_range(s->ctx, s->ranges, s->b->args[i], out);
}

static bool is_nonnegative(const scope *s, const rlxc_value_range *r)
{
    return rlxc_prove_le(s->ctx, rlxc_i64(s->ctx, 0), r->low, NULL);
}

static bool range_same(const scope *s, rlxc_value_range *out)
{
    return argument(s, 0, out);
}

static bool range_astype(const scope *s, rlxc_value_range *out)
{
    const rlxc_sinfo *from = rlxc_atom_sinfo(s->ctx, s->module, s->b->args[0]),
                     *to = s->b->var->sinfo;
    if (!from || !to || !rlxc_dtype_is_int(from->dtype) || !rlxc_dtype_is_int(to->dtype))
        return false;
    const bool fits = from->dtype.code == to->dtype.code
                          ? from->dtype.bits <= to->dtype.bits
                          : from->dtype.code == RLX_UINT && from->dtype.bits < to->dtype.bits;
    return fits && argument(s, 0, out);
}

static bool range_arange(const scope *s, rlxc_value_range *out)
{
    const rlxc_expr *p[3], *one = rlxc_i64(s->ctx, 1);
    rlxc_arange_args(s->ctx, s->module, s->b, p);
    int64_t step;
    for (uint32_t i = 0; i < 3; i++)
        if (!p[i] || rlxc_dtype_is_float(p[i]->dtype))
            return false;
    if (!rlxc_is_int(p[2], &step) || step == 0 || rlxc_dtype_is_float(s->b->var->sinfo->dtype))
        return false;
    *out = step > 0 ? range_of(s->ctx, p[0], rlxc_sub(s->ctx, p[1], one))
                    : range_of(s->ctx, rlxc_add(s->ctx, p[1], one), p[0]);
    return true;
}

/* Indices along an axis of argument 0, or into all of it. */
static bool range_positions(const scope *s, rlxc_value_range *out)
{
    const rlxc_sinfo *x = rlxc_atom_sinfo(s->ctx, s->module, s->b->args[0]);
    const rlxc_attr *axis = rlxc_attrs_find(&s->b->attrs, "axis");
    if (!x || x->kind != RLXC_SINFO_TENSOR || !rlxc_dims_known(x) || x->ndim == 0)
        return false;
    int64_t at;
    const rlxc_expr *size = NULL;
    if (!axis || axis->kind == RLXC_ATTR_NONE) {
        size = rlxc_product(s->ctx, x->dims, (uint32_t)x->ndim);
    } else if (rlxc_attr_as_int(axis, &at) && at >= -x->ndim && at < x->ndim) {
        size = x->dims[at < 0 ? at + x->ndim : at];
    }
    if (!size)
        return false;
    const rlxc_expr *zero = rlxc_i64(s->ctx, 0);
    *out = range_of(s->ctx, zero, rlxc_sub(s->ctx, size, rlxc_i64(s->ctx, 1)));
    return true;
}

static bool range_nonzero(const scope *s, rlxc_value_range *out)
{
    const rlxc_sinfo *x = rlxc_atom_sinfo(s->ctx, s->module, s->b->args[0]);
    return x && x->ndim == 1 && range_positions(s, out);
}

static bool both(const scope *s, rlxc_value_range *x, rlxc_value_range *y)
{
    const rlxc_sinfo *t = s->b->var->sinfo;
    return t && rlxc_dtype_is_int(t->dtype) && t->dtype.bits >= 32 && argument(s, 0, x) &&
           argument(s, 1, y);
}

static bool range_add(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!both(s, &x, &y))
        return false;
    *out = range_of(s->ctx, rlxc_add(s->ctx, x.low, y.low), rlxc_add(s->ctx, x.high, y.high));
    return true;
}

static bool range_subtract(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!both(s, &x, &y))
        return false;
    *out = range_of(s->ctx, rlxc_sub(s->ctx, x.low, y.high), rlxc_sub(s->ctx, x.high, y.low));
    return true;
}

static bool range_multiply(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!both(s, &x, &y) || !is_nonnegative(s, &x) || !is_nonnegative(s, &y))
        return false;
    *out = range_of(s->ctx, rlxc_mul(s->ctx, x.low, y.low), rlxc_mul(s->ctx, x.high, y.high));
    return true;
}

static bool range_floor_mod(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    const rlxc_expr *zero = rlxc_i64(s->ctx, 0);
    if (!argument(s, 1, &y) || !rlxc_prove_lt(s->ctx, zero, y.low, NULL))
        return false;
    const bool follows_divisor = strcmp(s->b->op->name, "floor_mod") == 0;
    if (!follows_divisor && (!argument(s, 0, &x) || !is_nonnegative(s, &x)))
        return false;
    *out = range_of(s->ctx, zero, rlxc_sub(s->ctx, y.high, rlxc_i64(s->ctx, 1)));
    return true;
}

static bool range_floor_divide(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!both(s, &x, &y) || !is_nonnegative(s, &x) ||
        !rlxc_prove_lt(s->ctx, rlxc_i64(s->ctx, 0), y.low, NULL))
        return false;
    *out = range_of(s->ctx, rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, x.low, y.high),
                    rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, x.high, y.low));
    return true;
}

static bool range_limited(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!both(s, &x, &y))
        return false;
    const rlxc_expr_kind kind =
        strcmp(s->b->op->name, "minimum") == 0 ? RLXC_EXPR_MIN : RLXC_EXPR_MAX;
    *out = range_of(s->ctx, rlxc_binary(s->ctx, kind, x.low, y.low),
                    rlxc_binary(s->ctx, kind, x.high, y.high));
    return true;
}

static bool range_clip(const scope *s, rlxc_value_range *out)
{
    const rlxc_expr *low = rlxc_prim_arg(s->ctx, s->module, s->b, 1),
                    *high = rlxc_prim_arg(s->ctx, s->module, s->b, 2);
    const rlxc_sinfo *t = s->b->var->sinfo;
    if (!t || !rlxc_dtype_is_int(t->dtype) || !low || !high || rlxc_dtype_is_float(low->dtype) ||
        rlxc_dtype_is_float(high->dtype) || !rlxc_prove_le(s->ctx, low, high, NULL))
        return false;
    *out = range_of(s->ctx, low, high);
    return true;
}

static bool range_where(const scope *s, rlxc_value_range *out)
{
    rlxc_value_range x, y;
    if (!argument(s, 1, &x) || !argument(s, 2, &y))
        return false;
    *out = range_of(s->ctx, rlxc_binary(s->ctx, RLXC_EXPR_MIN, x.low, y.low),
                    rlxc_binary(s->ctx, RLXC_EXPR_MAX, x.high, y.high));
    return true;
}

static const struct {
    const char *op;
    bool (*range)(const scope *s, rlxc_value_range *out);
} rows[] = {
    {"reshape", range_same},
    {"flatten", range_same},
    {"expand_dims", range_same},
    {"squeeze", range_same},
    {"permute_dims", range_same},
    {"broadcast_to", range_same},
    {"strided_slice", range_same},
    {"tile", range_same},
    {"repeat", range_same},
    {"flip", range_same},
    {"take", range_same},
    {"gather_elements", range_same},
    {"gather_nd", range_same},
    {"sort", range_same},
    {"to_vdevice", range_same},
    {"hint_on_device", range_same},
    {"astype", range_astype},
    {"arange", range_arange},
    {"argsort", range_positions},
    {"argmax", range_positions},
    {"argmin", range_positions},
    {"nonzero", range_nonzero},
    {"add", range_add},
    {"subtract", range_subtract},
    {"multiply", range_multiply},
    {"floor_mod", range_floor_mod},
    {"mod", range_floor_mod},
    {"floor_divide", range_floor_divide},
    {"divide", range_floor_divide},
    {"minimum", range_limited},
    {"maximum", range_limited},
    {"clip", range_clip},
    {"where", range_where},
};

void rlxc_note_value_range(rlxc_context *ctx, const rlxc_module *module, rlxc_map *ranges,
                           const rlxc_binding *b, rlxc_atom value)
{
    const scope s = {ctx, module, ranges, b};
    rlxc_value_range range = {0};
    bool known = false;
    if (value.kind != RLXC_ATOM_VAR || !b->var->sinfo || b->var->sinfo->kind != RLXC_SINFO_TENSOR)
        return;
    if (b->form == RLXC_FORM_COPY || b->form == RLXC_FORM_MATCH_CAST)
        known = argument(&s, 0, &range);
    for (size_t i = 0; b->form == RLXC_FORM_CALL && b->op && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op, b->op->name) == 0)
            known = rows[i].range(&s, &range);
    if (known && !rlxc_failed(ctx))
        rlxc_map_set(ctx, ranges, rlxc_key(value.var), rlxc_copy(ctx, &range, sizeof range));
}
