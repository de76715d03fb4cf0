/* Operators that join tensors and cut them: concat, stack, split, strided_slice.
 *
 * Slice bounds follow Python: negative ones count from the end, those beyond are clipped (unless
 * assume_inbound says that they are not). The clipped bounds are symbolic expressions, so the
 * result's shape is known even where its size is not. */
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

enum {
    MAX_SELECTED = 8, /* joins of more tensors use a loop nest for each */
    MAX_WRITTEN = 64, /* concat of more joins groups of them first: LLVM takes more than linear time
                       * for the loops of one function, and equal groups are one function */
};

/* --- concat, stack --- */

/* The axis of a join: attribute |axis| in |ndim|; None is 0 for vectors. */
static bool join_axis(const rlxc_call_view *v, int32_t ndim, uint32_t *out)
{
    const rlxc_attr *attr = rlxc_attrs_find(&v->call->attrs, "axis");
    if ((!attr || attr->kind == RLXC_ATTR_NONE) && ndim != 1) {
        rlxc_infer_error(v, "an axis is needed for tensors of %d dimensions", ndim);
        return false;
    }
    return rlxc_axis_in(v, rlxc_attr_get_int(v->call, "axis", 0), ndim, out);
}

/* The common element type and rank of the tensors in argument 0 (void, unknown: not known). */
static bool join_types(const rlxc_call_view *v, rlx_dtype *dtype, int32_t *ndim)
{
    const rlxc_sinfo *tuple = v->in[0];
    *dtype = rlxc_dtype_void();
    *ndim = RLXC_UNKNOWN_NDIM;
    if (tuple->n_fields == 0) {
        rlxc_infer_fail(v, 0, "expected at least one tensor");
        return false;
    }
    for (uint32_t i = 0; i < tuple->n_fields; i++) {
        const rlxc_sinfo *s = tuple->fields[i];
        if (rlxc_dtype_is_void(*dtype))
            *dtype = s->dtype;
        if (*ndim == RLXC_UNKNOWN_NDIM)
            *ndim = s->ndim;
        bool agrees = (rlxc_dtype_is_void(s->dtype) || rlxc_dtype_eq(s->dtype, *dtype)) &&
                      (s->ndim == RLXC_UNKNOWN_NDIM || s->ndim == *ndim);
        if (!agrees) {
            rlxc_infer_fail(v, 0, "tensor %u differs in rank or element type: %s and %s", i,
                            rlxc_sinfo_text(v->ctx, tuple->fields[0]), rlxc_sinfo_text(v->ctx, s));
            return false;
        }
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_concat(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    int32_t ndim;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !join_types(&v, &dtype, &ndim))
        return NULL;
    if (ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, dtype, ndim);
    if (!join_axis(&v, ndim, &axis))
        return NULL;
    rlxc_dims dims = {.n = (uint32_t)ndim};
    const rlxc_expr *length = rlxc_i64(ctx, 0);
    uint32_t first = 0;
    bool known = true;
    for (uint32_t i = 0; i < v.in[0]->n_fields; i++) {
        const rlxc_sinfo *s = v.in[0]->fields[i];
        if (!rlxc_dims_known(s)) {
            known = false;
            continue;
        }
        length = rlxc_canonical(ctx, rlxc_add(ctx, length, s->dims[axis]), NULL);
        if (!dims.at[0])
            first = i;
        for (uint32_t k = 0; k < dims.n; k++) {
            int64_t a, b;
            if (!dims.at[k])
                dims.at[k] = s->dims[k];
            if (k == axis || dims.at[k] == s->dims[k])
                continue;
            bool a_int = rlxc_is_int(dims.at[k], &a), b_int = rlxc_is_int(s->dims[k], &b);
            if (a_int && b_int)
                return rlxc_infer_fail(&v, 0,
                                       "tensor %u has extent %lld in dimension %u, the others %lld",
                                       i, (long long)b, k, (long long)a);
            if (!rlxc_require_equal(&v, rlxc_size_of_field(&v, 0, first, k),
                                    rlxc_size_of_field(&v, 0, i, k)))
                return NULL;
        }
    }
    if (!known)
        return rlxc_sinfo_tensor(ctx, dtype, ndim, NULL, v.in[0]->fields[0]->vdevice);
    dims.at[axis] = length;
    return rlxc_sinfo_tensor(ctx, dtype, ndim, dims.at, v.in[0]->fields[0]->vdevice);
}

/* if at < end of first: first, else ...; built from the last part backwards. */
static const rlxc_expr *pick_part(rlxc_te *te, const rlxc_te_operand *parts, uint32_t n,
                                  uint32_t axis)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM], *offset = rlxc_i64(ctx, 0), *value = NULL;
    memcpy(at, te->axes, te->n_axes * sizeof at[0]);
    for (uint32_t i = 0; i < n; i++) {
        at[axis] = rlxc_canonical(ctx, rlxc_sub(ctx, te->axes[axis], offset), NULL);
        const rlxc_expr *part = rlxc_te_get(te, &parts[i], at);
        value = value ? rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LE, offset, te->axes[axis]),
                                   part, value)
                      : part;
        offset = rlxc_canonical(ctx, rlxc_add(ctx, offset, parts[i].dims[axis]), NULL);
    }
    return value;
}

static void append_part(rlxc_te *te, const rlxc_te_operand *part, const rlxc_buffer *out,
                        uint32_t axis, const rlxc_expr *offset)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_spatial(te, "T_concat", part->buffer);
    memcpy(at, te->axes, te->n_axes * sizeof at[0]);
    at[axis] = rlxc_add(te->ctx, at[axis], offset);
    rlxc_te_store_at(te, out, at, NULL, rlxc_te_get(te, part, te->axes));
}

static bool is_empty(const rlxc_sinfo *part, uint32_t axis)
{
    return part->dims && rlxc_is_const(part->dims[axis], 0);
}

/* The |n| > MAX_WRITTEN tensors of the tuple, joined by groups. */
static rlxc_atom concat_groups(rlxc_builder *b, const rlxc_binding *call, uint32_t n)
{
    const rlxc_atom tuple = call->args[0];
    rlxc_atom *groups = rlxc_alloc(b->ctx, (n / MAX_WRITTEN + 1) * sizeof *groups);
    uint32_t n_groups = 0;
    for (uint32_t from = 0; from < n; from += MAX_WRITTEN) {
        rlxc_atom parts[MAX_WRITTEN];
        uint32_t k = 0;
        for (; k < MAX_WRITTEN && from + k < n; k++)
            parts[k] = rlxc_lower_field(b, call, tuple, from + k);
        const rlxc_atom group = rlxc_atom_tuple(b->ctx, parts, k);
        groups[n_groups++] =
            k == 1 ? parts[0] : rlxc_lower_op(b, call, "concat", &group, 1, call->attrs);
    }
    const rlxc_atom all = rlxc_atom_tuple(b->ctx, groups, n_groups);
    return rlxc_failed(b->ctx) ? (rlxc_atom){0}
                               : rlxc_lower_op(b, call, "concat", &all, 1, call->attrs);
}

rlxc_atom rlxc_legalize_concat(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t axis;
    const rlxc_sinfo *tuple = rlxc_atom_sinfo(b->ctx, b->module, call->args[0]);
    if (tuple && tuple->kind == RLXC_SINFO_TUPLE && tuple->n_fields > MAX_WRITTEN)
        return concat_groups(b, call, tuple->n_fields);
    if (!rlxc_te_begin(&te, b, call, "concatenate", RLXC_PATTERN_INJECTIVE) ||
        !join_axis(&te.view, te.out->ndim, &axis))
        return (rlxc_atom){0};
    const uint32_t n_fields = te.view.in[0]->n_fields;
    uint32_t n = 0;
    rlxc_te_operand *parts = rlxc_alloc(b->ctx, n_fields * sizeof *parts);
    for (uint32_t i = 0; i < n_fields; i++)
        if (!is_empty(te.view.in[0]->fields[i], axis) || (n == 0 && i + 1 == n_fields))
            parts[n++] = rlxc_te_field_of(&te, 0, i, "part");
    if (rlxc_failed(b->ctx))
        return (rlxc_atom){0};
    const rlxc_buffer *out = rlxc_te_output(&te, "T_concat");
    if (n <= MAX_SELECTED) {
        rlxc_te_spatial(&te, "T_concat", out);
        rlxc_te_store(&te, out, pick_part(&te, parts, n, axis));
        return rlxc_te_finish(&te);
    }
    const rlxc_expr *offset = rlxc_i64(b->ctx, 0);
    te.pattern = RLXC_PATTERN_OPAQUE;
    for (uint32_t i = 0; i < n && !rlxc_failed(b->ctx); i++) {
        append_part(&te, &parts[i], out, axis, offset);
        offset = rlxc_canonical(b->ctx, rlxc_add(b->ctx, offset, parts[i].dims[axis]), NULL);
    }
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_stack(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    int32_t ndim;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !join_types(&v, &dtype, &ndim))
        return NULL;
    if (ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, dtype, ndim);
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), ndim + 1, &axis))
        return NULL;
    const rlxc_sinfo *first = v.in[0]->fields[0];
    bool known = rlxc_dims_known(first);
    for (uint32_t i = 1; i < v.in[0]->n_fields && known; i++) {
        const rlxc_sinfo *s = v.in[0]->fields[i];
        known = rlxc_dims_known(s);
        for (int32_t k = 0; k < ndim && known; k++) {
            int64_t x, y;
            if (rlxc_is_int(first->dims[k], &x) && rlxc_is_int(s->dims[k], &y) && x != y)
                return rlxc_infer_fail(&v, 0,
                                       "tensor %u has extent %lld in dimension %d, the first %lld",
                                       i, (long long)y, k, (long long)x);
            if (!rlxc_require_equal(&v, rlxc_size_of_field(&v, 0, 0, (uint32_t)k),
                                    rlxc_size_of_field(&v, 0, i, (uint32_t)k)))
                return NULL;
        }
    }
    if (!known)
        return rlxc_tensor_ndim(&v, dtype, ndim + 1);
    rlxc_dims dims = {.n = (uint32_t)ndim + 1};
    for (uint32_t i = 0, k = 0; i < dims.n; i++)
        dims.at[i] = i == axis ? rlxc_i64(ctx, v.in[0]->n_fields) : first->dims[k++];
    return rlxc_tensor_of(&v, dtype, &dims);
}

/* Part 0 where |axis| is 0, else part 1 where it is 1, else ...; built from the last part
 * backwards.
 */
static const rlxc_expr *pick_layer(rlxc_te *te, const rlxc_te_operand *parts, uint32_t n,
                                   uint32_t axis)
{
    const rlxc_expr *at[RLXC_MAX_NDIM], *value = NULL;
    for (uint32_t i = 0, k = 0; i < te->n_axes; i++)
        if (i != axis)
            at[k++] = te->axes[i];
    for (uint32_t i = n; i-- > 0;) {
        const rlxc_expr *part = rlxc_te_get(te, &parts[i], at);
        value = value ? rlxc_te_if(te->ctx,
                                   rlxc_binary(te->ctx, RLXC_EXPR_LT, te->axes[axis],
                                               rlxc_i64(te->ctx, (int64_t)i + 1)),
                                   part, value)
                      : part;
    }
    return value;
}

/* The block that stores part |p|. */
static void store_layer(rlxc_te *te, const rlxc_te_operand *part, const rlxc_buffer *out,
                        uint32_t axis, uint32_t p)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_block(te, "T_stack");
    for (uint32_t i = 0, k = 0; i < out->ndim; i++)
        at[i] = i == axis ? rlxc_i64(te->ctx, p)
                          : rlxc_te_axis(te, RLXC_AXIS_SPATIAL, rlxc_internf(te->ctx, "ax%u", k++),
                                         out->shape[i]);
    rlxc_te_store_at(te, out, at, NULL, rlxc_te_get(te, part, te->axes));
}

rlxc_atom rlxc_legalize_stack(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t axis;
    if (!rlxc_te_begin(&te, b, call, "stack", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), te.out->ndim, &axis))
        return (rlxc_atom){0};
    uint32_t n = te.view.in[0]->n_fields;
    rlxc_te_operand *parts = rlxc_alloc(b->ctx, n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = rlxc_te_field_of(&te, 0, i, "part");
    if (rlxc_failed(b->ctx))
        return (rlxc_atom){0};
    const rlxc_buffer *out = rlxc_te_output(&te, "T_stack");
    if (n <= MAX_SELECTED) {
        rlxc_te_spatial(&te, "T_stack", out);
        rlxc_te_store(&te, out, pick_layer(&te, parts, n, axis));
        return rlxc_te_finish(&te);
    }
    te.pattern = RLXC_PATTERN_OPAQUE;
    for (uint32_t p = 0; p < n && !rlxc_failed(b->ctx); p++)
        store_layer(&te, &parts[p], out, axis, p);
    return rlxc_te_finish(&te);
}

/* --- split --- */

/* An upper bound of the number of parts, in [1, RLXC_TE_MAX_OUTPUTS + 1]. */
static size_t split_count(const rlxc_binding *call)
{
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, "indices_or_sections");
    int64_t sections = 1;
    if (attr && attr->kind == RLXC_ATTR_LIST)
        sections = (int64_t)attr->list.count + 1;
    else if (!attr || !rlxc_attr_as_int(attr, &sections) || sections < 1)
        return 1;
    return sections > RLXC_TE_MAX_OUTPUTS ? RLXC_TE_MAX_OUTPUTS + 1 : (size_t)sections;
}

/* The boundaries 0 = at[0], at[1], ... of |n| parts along a dimension of |length|; the last ends at
 * |length|. False after an error. */
static bool split_points(const rlxc_call_view *v, const rlxc_expr *length, const rlxc_expr **at,
                         uint32_t *out_n)
{
    rlxc_context *ctx = v->ctx;
    const rlxc_attr *attr = rlxc_attrs_find(&v->call->attrs, "indices_or_sections");
    int64_t sections, size, whole;
    at[0] = rlxc_i64(ctx, 0);
    if (attr && attr->kind == RLXC_ATTR_LIST) {
        *out_n = attr->list.count + 1;
        if (*out_n > RLXC_TE_MAX_OUTPUTS) {
            rlxc_infer_error(v, "%u parts exceed the limit", *out_n);
            return false;
        }
        for (uint32_t i = 0; i < attr->list.count; i++) {
            int64_t point, before = 0;
            if (!rlxc_attr_as_int(&attr->list.items[i], &point) || point < 0 ||
                (i > 0 && rlxc_is_int(at[i], &before) && point < before)) {
                rlxc_infer_error(v, "indices must be integers that do not decrease");
                return false;
            }
            if (rlxc_is_int(length, &whole) && point > whole)
                point = whole;
            at[i + 1] = rlxc_i64(ctx, point);
        }
        return true;
    }
    if (!attr || !rlxc_attr_as_int(attr, &sections) || sections < 1 ||
        sections > RLXC_TE_MAX_OUTPUTS) {
        rlxc_infer_error(v, "indices_or_sections must be a positive integer or a list");
        return false;
    }
    *out_n = (uint32_t)sections;
    const rlxc_expr *part = rlxc_canonical(
        ctx,
        rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_add(ctx, length, rlxc_i64(ctx, sections - 1)),
                    rlxc_i64(ctx, sections)),
        NULL);
    if (rlxc_is_int(length, &whole) && rlxc_is_int(part, &size) && size * (sections - 1) > whole) {
        rlxc_infer_error(v, "%lld elements cannot be split into %lld parts", (long long)whole,
                         (long long)sections);
        return false;
    }
    for (uint32_t i = 1; i < *out_n; i++)
        at[i] = rlxc_canonical(ctx, rlxc_mul(ctx, part, rlxc_i64(ctx, i)), NULL);
    return true;
}

static const rlxc_expr *part_length(rlxc_context *ctx, const rlxc_expr *const *at, uint32_t i,
                                    uint32_t n, const rlxc_expr *length)
{
    return rlxc_canonical(ctx, rlxc_sub(ctx, i + 1 < n ? at[i + 1] : length, at[i]), NULL);
}

const rlxc_sinfo *rlxc_infer_split(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis = 0, n;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), x->ndim, &axis))
        return NULL;
    bool known = rlxc_dims_known(x);
    const rlxc_expr *length = known ? x->dims[axis] : rlxc_i64(ctx, INT32_MAX);
    const rlxc_expr **at = rlxc_alloc(ctx, (split_count(call) + 1) * sizeof *at);
    if (!split_points(&v, length, at, &n))
        return NULL;
    const rlxc_sinfo **parts = rlxc_alloc(ctx, n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) {
        if (!known) {
            parts[i] = rlxc_tensor_ndim(&v, x->dtype, x->ndim);
            continue;
        }
        rlxc_dims dims = {.n = (uint32_t)x->ndim};
        memcpy(dims.at, x->dims, dims.n * sizeof dims.at[0]);
        dims.at[axis] = part_length(ctx, at, i, n, length);
        parts[i] = rlxc_tensor_of(&v, x->dtype, &dims);
    }
    return rlxc_sinfo_tuple(ctx, parts, n);
}

rlxc_atom rlxc_legalize_split(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t axis, n;
    if (!rlxc_te_begin(&te, b, call, "split", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    const rlxc_sinfo *s = te.view.in[0];
    const rlxc_expr **at = rlxc_alloc(b->ctx, (split_count(call) + 1) * sizeof *at);
    if (!rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), s->ndim, &axis) ||
        !split_points(&te.view, s->dims[axis], at, &n))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    for (uint32_t i = 0; i < n; i++)
        rlxc_te_output(&te, rlxc_internf(b->ctx, "T_split_sections%s%.0u", i ? "_" : "", i));
    for (uint32_t i = 0; i < n && !rlxc_failed(b->ctx); i++) {
        const rlxc_buffer *out = te.outputs.items[i];
        const rlxc_expr *from[RLXC_MAX_NDIM];
        rlxc_te_spatial(&te, out->name, out);
        memcpy(from, te.axes, te.n_axes * sizeof from[0]);
        from[axis] = rlxc_add(b->ctx, from[axis], rlxc_te_expr(&te, at[i]));
        rlxc_te_store(&te, out, rlxc_te_get(&te, &x, from));
    }
    return rlxc_te_finish(&te);
}

/* --- strided_slice --- */

/* Longer strides leave any dimension too, and sizes would overflow. */
#define FARTHEST (INT64_C(1) << 48)

typedef struct slice {
    const rlxc_expr *begin[RLXC_MAX_NDIM]; /* clipped, per dimension; NULL: whole dimension */
    const rlxc_expr *length[RLXC_MAX_NDIM];
    int64_t stride[RLXC_MAX_NDIM];
} slice;

/* A bound as Python reads it: from the end when negative, clipped to [low, high]. */
static const rlxc_expr *clip_bound(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *dim,
                                   const rlxc_expr *low, const rlxc_expr *high)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    int64_t known;
    if (rlxc_is_int(e, &known) && known <= -INT64_MAX) /* spelling of "up to the first element" */
        return low;
    if (rlxc_prove_lt(ctx, e, zero, NULL))
        e = rlxc_add(ctx, e, dim);
    else if (!rlxc_prove_le(ctx, zero, e, NULL))
        e = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, e, zero), rlxc_add(ctx, e, dim), e);
    e = rlxc_canonical(ctx, e, NULL);
    if (!rlxc_prove_le(ctx, e, high, NULL))
        e = rlxc_prove_le(ctx, high, e, NULL) ? high : rlxc_binary(ctx, RLXC_EXPR_MIN, e, high);
    if (!rlxc_prove_le(ctx, low, e, NULL))
        e = rlxc_binary(ctx, RLXC_EXPR_MAX, e, low);
    return rlxc_canonical(ctx, e, NULL);
}

/* False after an error; |out_known| false where a bound or dimension is not known. */
static bool read_slice(const rlxc_call_view *v, slice *out, bool *out_known)
{
    rlxc_context *ctx = v->ctx;
    const rlxc_sinfo *x = v->in[0];
    rlxc_dims axes, begin, end, strides = {0};
    *out = (slice){0};
    *out_known = rlxc_dims_known(x);
    if (!rlxc_prim_list(v, 1, &axes)) {
        rlxc_infer_fail(v, 1, "must be constant");
        return false;
    }
    /* Reads every list even after an error, because their lengths are compared below. */
    bool begin_known = rlxc_prim_list(v, 2, &begin);
    bool end_known = rlxc_prim_list(v, 3, &end);
    bool strides_known = !v->in[4] || rlxc_prim_list(v, 4, &strides);
    bool known = begin_known && end_known && strides_known;
    *out_known &= known;
    bool has_strides = v->in[4] && strides.n > 0;
    if (axes.n != begin.n || axes.n != end.n || (has_strides && axes.n != strides.n)) {
        rlxc_infer_error(v, "axes, begin and end must have equal lengths, got %u, %u and %u",
                         axes.n, begin.n, end.n);
        return false;
    }
    uint32_t seen = 0;
    bool inbound = rlxc_attr_get_bool(v->call, "assume_inbound", false);
    for (uint32_t i = 0; i < axes.n; i++) {
        int64_t axis, stride = 1;
        uint32_t k;
        if (!rlxc_is_int(axes.at[i], &axis)) {
            rlxc_infer_fail(v, 1, "must be constant");
            return false;
        }
        if (x->ndim == RLXC_UNKNOWN_NDIM)
            continue;
        if (!rlxc_axis_in(v, axis, x->ndim, &k))
            return false;
        if (seen >> k & 1) {
            rlxc_infer_fail(v, 1, "axis %lld occurs twice", (long long)axis);
            return false;
        }
        seen |= 1u << k;
        if (has_strides && known && !rlxc_is_int(strides.at[i], &stride)) {
            *out_known = false;
            continue;
        }
        if (stride == 0 || stride == INT64_MIN) {
            rlxc_infer_fail(v, 4, "stride %lld is invalid", (long long)stride);
            return false;
        }
        if (!*out_known)
            continue;
        stride = stride > FARTHEST ? FARTHEST : stride < -FARTHEST ? -FARTHEST : stride;
        const rlxc_expr *one = rlxc_i64(ctx, 1), *zero = rlxc_i64(ctx, 0), *dim = x->dims[k];
        const rlxc_expr *low = stride > 0 ? zero : rlxc_i64(ctx, -1);
        const rlxc_expr *high =
            stride > 0 ? dim : rlxc_canonical(ctx, rlxc_sub(ctx, dim, one), NULL);
        const rlxc_expr *from = rlxc_canonical(ctx, begin.at[i], NULL),
                        *to = rlxc_canonical(ctx, end.at[i], NULL);
        if (!inbound) {
            from = clip_bound(ctx, from, dim, low, high);
            to = clip_bound(ctx, to, dim, low, high);
        }
        int64_t step = stride > 0 ? stride : -stride;
        const rlxc_expr *span = stride > 0 ? rlxc_sub(ctx, to, from) : rlxc_sub(ctx, from, to);
        span = rlxc_canonical(ctx, rlxc_add(ctx, span, rlxc_i64(ctx, step - 1)), NULL);
        const rlxc_expr *length = rlxc_canonical(
            ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, span, rlxc_i64(ctx, step)), NULL);
        if (!inbound && !rlxc_prove_le(ctx, zero, length, NULL))
            length = rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_MAX, length, zero), NULL);
        out->begin[k] = from;
        out->length[k] = length;
        out->stride[k] = stride;
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_strided_slice(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    slice s;
    bool known;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_slice(&v, &s, &known))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (!known)
        return rlxc_tensor_ndim(&v, x->dtype, x->ndim);
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    for (uint32_t i = 0; i < dims.n; i++)
        dims.at[i] = s.begin[i] ? s.length[i] : x->dims[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* Position |at| of dimension |k|, clipped unless the slice provably stays inside: assume_inbound is
 * only a claim, and a kernel must not read outside its buffers if it is false. */
static const rlxc_expr *kept_inside(rlxc_te *te, const slice *s, uint32_t k, const rlxc_expr *at,
                                    const rlxc_expr *dim)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1);
    const rlxc_expr *first = s->begin[k],
                    *steps = rlxc_mul(ctx, rlxc_sub(ctx, s->length[k], one),
                                      rlxc_i64(ctx, s->stride[k])),
                    *last = rlxc_canonical(ctx, rlxc_add(ctx, first, steps), NULL);
    const rlxc_expr *low = s->stride[k] > 0 ? first : last, *high = s->stride[k] > 0 ? last : first;
    const rlxc_expr *x_dim = te->view.in[0]->dims[k];
    if (rlxc_prove_le(ctx, zero, low, NULL) && rlxc_prove_lt(ctx, high, x_dim, NULL))
        return at;
    at = rlxc_binary(ctx, RLXC_EXPR_MIN, at, rlxc_sub(ctx, dim, one));
    return rlxc_binary(ctx, RLXC_EXPR_MAX, at, zero);
}

rlxc_atom rlxc_legalize_strided_slice(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    slice s;
    bool known;
    if (!rlxc_te_begin(&te, b, call, "strided_slice", RLXC_PATTERN_INJECTIVE) ||
        !read_slice(&te.view, &s, &known))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_strided_slice");
    rlxc_te_spatial(&te, "T_strided_slice", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *value;
    bool inbound = rlxc_attr_get_bool(call, "assume_inbound", false);
    for (uint32_t i = 0; i < out->ndim; i++) {
        at[i] = te.axes[i];
        if (s.begin[i])
            at[i] = rlxc_add(b->ctx, rlxc_mul(b->ctx, at[i], rlxc_i64(b->ctx, s.stride[i])),
                             rlxc_te_expr(&te, s.begin[i]));
        if (s.begin[i] && inbound)
            at[i] = kept_inside(&te, &s, i, at[i], x.dims[i]);
    }
    value = rlxc_te_get(&te, &x, at);
    for (uint32_t i = 0; i < out->ndim; i++)
        if (s.begin[i] && inbound)
            value = rlxc_te_if_not_empty(b->ctx, x.dims[i], value);
    rlxc_te_store(&te, out, value);
    return rlxc_te_finish(&te);
}
