/* Reductions: sum, prod, max, min; mean, variance, std; argmax, argmin; running sums and products;
 * collapse_sum_to, collapse_sum_like.
 *
 * Over no elements: sum 0, prod 1, max and min the type's smallest and largest number. float16 and
 * bfloat16 accumulate in float32 and are rounded once at the end. */
#include "compiler/ops/reduce.h"

#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"

#include <math.h>
#include <string.h>

static bool is_op(const rlxc_binding *call, const char *name)
{
    return strcmp(call->op->name, name) == 0;
}

static const rlxc_sinfo *reduced(const rlxc_call_view *v, uint32_t set, rlx_dtype dtype)
{
    const rlxc_sinfo *x = v->in[0];
    bool keep = rlxc_attr_get_bool(v->call, "keepdims", false);
    int32_t ndim = keep ? x->ndim : x->ndim - __builtin_popcount(set);
    if (ndim == 0)
        return rlxc_tensor_of(v, dtype, &(rlxc_dims){0});
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(v, dtype, ndim);
    rlxc_dims dims = {0};
    for (uint32_t i = 0; i < (uint32_t)x->ndim; i++) {
        if (!(set >> i & 1))
            dims.at[dims.n++] = x->dims[i];
        else if (keep)
            dims.at[dims.n++] = rlxc_i64(v->ctx, 1);
    }
    return rlxc_tensor_of(v, dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_reduce(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t set;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (rlxc_dtype_is_bool(x->dtype) && call->op->legalize != rlxc_legalize_reduce)
        return rlxc_infer_fail(&v, 0, "expected numeric elements, got bool");
    if ((is_op(call, "variance") || is_op(call, "std")) && rlxc_dtype_is_int(x->dtype))
        return rlxc_infer_fail(&v, 0, "expected floating-point elements, got %s",
                               rlxc_dtype_name(ctx, x->dtype));
    if (x->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_axes_in(&v, "axis", x->ndim, &set) ? reduced(&v, set, x->dtype) : NULL;
    const rlxc_attr *axis = rlxc_attrs_find(&call->attrs, "axis");
    bool all = !axis || axis->kind == RLXC_ATTR_NONE;
    if (all && !rlxc_attr_get_bool(call, "keepdims", false))
        return rlxc_tensor_of(&v, x->dtype, &(rlxc_dims){0});
    return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
}

void rlxc_te_reduction(rlxc_te *te, const char *name, const rlxc_te_operand *x, uint32_t set,
                       bool keepdims, const rlxc_expr **out_at)
{
    rlxc_te_block(te, name);
    for (uint32_t i = 0, k = 0; i < x->ndim; i++) {
        bool gone = set >> i & 1;
        if (gone && !keepdims)
            continue;
        const rlxc_expr *extent = gone ? rlxc_i64(te->ctx, 1) : x->dims[i];
        const rlxc_expr *axis =
            rlxc_te_axis(te, RLXC_AXIS_SPATIAL, rlxc_internf(te->ctx, "ax%u", k++), extent);
        if (!gone)
            out_at[i] = axis;
    }
    for (uint32_t i = 0; i < x->ndim; i++)
        if (set >> i & 1)
            out_at[i] =
                rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(te->ctx, "k%u", i), x->dims[i]);
}

const rlxc_buffer *rlxc_te_reduced_temp(rlxc_te *te, const char *name, rlx_dtype dtype,
                                        const rlxc_te_operand *x, uint32_t set, bool keepdims)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->ndim; i++) {
        if (!(set >> i & 1))
            dims[n++] = x->dims[i];
        else if (keepdims)
            dims[n++] = rlxc_i64(te->ctx, 1);
    }
    return rlxc_te_temp(te, name, dtype, dims, n);
}

const rlxc_expr *rlxc_te_count(rlxc_te *te, const rlxc_te_operand *x, uint32_t set)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->ndim; i++)
        if (set >> i & 1)
            dims[n++] = x->dims[i];
    return rlxc_product(te->ctx, dims, n);
}

const rlxc_expr *rlxc_te_over_count(rlxc_te *te, const rlxc_expr *sum, const rlxc_expr *count)
{
    int64_t n;
    if (rlxc_dtype_is_float(sum->dtype) && rlxc_is_int(count, &n) && n > 0)
        return rlxc_mul(te->ctx, sum, rlxc_float(te->ctx, sum->dtype, 1.0 / (double)n));
    return rlxc_te_div(te->ctx, sum, rlxc_cast(te->ctx, sum->dtype, count));
}

const rlxc_expr *rlxc_te_max_init(rlxc_te *te, rlx_dtype dtype, bool lowest)
{
    rlxc_context *ctx = te->ctx;
    if (!rlxc_dtype_is_float(dtype))
        return lowest ? rlxc_te_lowest(ctx, dtype) : rlxc_te_highest(ctx, dtype);
    return rlxc_float(ctx, dtype, lowest ? -(double)INFINITY : (double)INFINITY);
}

/* The result itself if it has the accumulator's type, else a temporary. */
static const rlxc_buffer *accumulator(rlxc_te *te, const rlxc_buffer *out, const char *name)
{
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    return rlxc_dtype_eq(dtype, out->dtype) ? out
                                            : rlxc_te_temp(te, name, dtype, out->shape, out->ndim);
}

void rlxc_te_round(rlxc_te *te, const rlxc_buffer *from, const rlxc_buffer *out)
{
    if (from == out)
        return;
    rlxc_te_spatial(te, "compute", out);
    rlxc_te_store(te, out, rlxc_cast(te->ctx, out->dtype, rlxc_te_load(te, from, te->axes)));
}

static rlxc_atom reduce_bools(rlxc_te *te, const rlxc_te_operand *x, uint32_t set, bool keep,
                              const rlxc_buffer *out, bool any)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_reduction(te, "x_red", x, set, keep, at);
    rlxc_te_reduce(te, out, rlxc_bool(te->ctx, !any),
                   rlxc_binary(te->ctx, any ? RLXC_EXPR_OR : RLXC_EXPR_AND,
                               rlxc_te_load(te, out, te->axes), rlxc_te_get(te, x, at)));
    return rlxc_te_finish(te);
}

rlxc_atom rlxc_legalize_reduce(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t set;
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_REDUCE) ||
        !rlxc_axes_in(&te.view, "axis", te.view.in[0]->ndim, &set))
        return (rlxc_atom){0};
    bool keep = rlxc_attr_get_bool(call, "keepdims", false);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "x_red");
    const rlxc_buffer *acc = accumulator(&te, out, "x_red_temp");
    if (rlxc_dtype_is_bool(out->dtype)) { /* sum and max: any of them; prod and min: all */
        bool any = is_op(call, "sum") || is_op(call, "max");
        return reduce_bools(&te, &x, set, keep, out, any);
    }
    rlxc_expr_kind kind = is_op(call, "sum")    ? RLXC_EXPR_ADD
                          : is_op(call, "prod") ? RLXC_EXPR_MUL
                          : is_op(call, "max")  ? RLXC_EXPR_MAX
                                                : RLXC_EXPR_MIN;
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_reduction(&te, "x_red", &x, set, keep, at);
    const rlxc_expr *element = rlxc_te_widen(&te, rlxc_te_get(&te, &x, at));
    const rlxc_expr *init = kind == RLXC_EXPR_ADD ? rlxc_te_number(b->ctx, acc->dtype, 0)
                            : kind == RLXC_EXPR_MUL
                                ? rlxc_te_number(b->ctx, acc->dtype, 1)
                                : rlxc_te_max_init(&te, acc->dtype, kind == RLXC_EXPR_MAX);
    rlxc_te_reduce(&te, acc, init,
                   rlxc_binary(b->ctx, kind, rlxc_te_load(&te, acc, te.axes), element));
    rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_moments(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t set;
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_axes_in(&te.view, "axis", te.view.in[0]->ndim, &set))
        return (rlxc_atom){0};
    bool keep = rlxc_attr_get_bool(call, "keepdims", false), is_mean = is_op(call, "mean");
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_divide");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *sum = rlxc_te_reduced_temp(&te, "x_red", dtype, &x, set, keep);
    const rlxc_expr *at[RLXC_MAX_NDIM], *zero = rlxc_te_number(ctx, dtype, 0);
    const rlxc_expr *count = rlxc_te_count(&te, &x, set);
    rlxc_te_reduction(&te, "x_red", &x, set, keep, at);
    const rlxc_expr *element = rlxc_te_widen(&te, rlxc_te_get(&te, &x, at));
    rlxc_te_reduce(&te, sum, zero, rlxc_add(ctx, rlxc_te_load(&te, sum, te.axes), element));
    if (!is_mean) {
        const rlxc_buffer *squares =
            rlxc_te_reduced_temp(&te, "x_red_squares", dtype, &x, set, keep);
        rlxc_te_reduction(&te, "x_red_squares", &x, set, keep, at);
        element = rlxc_te_widen(&te, rlxc_te_get(&te, &x, at));
        const rlxc_expr *distance =
            rlxc_sub(ctx, element, rlxc_te_over_count(&te, rlxc_te_load(&te, sum, te.axes), count));
        rlxc_te_reduce(
            &te, squares, zero,
            rlxc_add(ctx, rlxc_te_load(&te, squares, te.axes), rlxc_mul(ctx, distance, distance)));
        sum = squares;
    }
    rlxc_te_spatial(&te, "T_divide", out);
    const rlxc_expr *value = rlxc_te_over_count(&te, rlxc_te_load(&te, sum, te.axes), count);
    if (is_op(call, "std"))
        value = rlxc_te_call1(ctx, "sqrt", value);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- argmax, argmin --- */

/* The set of reduced axes: one, or all. */
static bool arg_axes(const rlxc_call_view *v, uint32_t *out_set)
{
    return rlxc_axes_in(v, "axis", v->in[0]->ndim, out_set);
}

const rlxc_sinfo *rlxc_infer_arg_reduce(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t set;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    if (v.in[0]->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, RLX_I64, RLXC_UNKNOWN_NDIM);
    return arg_axes(&v, &set) ? reduced(&v, set, RLX_I64) : NULL;
}

static const rlxc_expr *is_nan(rlxc_context *ctx, const rlxc_expr *x)
{
    return rlxc_call(ctx, RLX_B8, rlxc_intern_cstr(ctx, "isnan"), &x, 1);
}

const rlxc_expr *rlxc_te_better(rlxc_context *ctx, bool largest, const rlxc_expr *element,
                                const rlxc_expr *old)
{
    const rlxc_expr *better = rlxc_binary(ctx, largest ? RLXC_EXPR_GT : RLXC_EXPR_LT, element, old);
    if (!rlxc_dtype_is_float(element->dtype))
        return better;
    return rlxc_binary(
        ctx, RLXC_EXPR_OR, better,
        rlxc_binary(ctx, RLXC_EXPR_AND, is_nan(ctx, element), rlxc_not(ctx, is_nan(ctx, old))));
}

/* The position among the reduced dimensions, row-major. */
static const rlxc_expr *position(rlxc_context *ctx, const rlxc_te_operand *x, uint32_t set,
                                 const rlxc_expr *const *at)
{
    const rlxc_expr *here = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < x->ndim; i++)
        if (set >> i & 1)
            here = rlxc_add(ctx, rlxc_mul(ctx, here, x->dims[i]), at[i]);
    return here;
}

/* The best, then the first position that has it. Both vectorize; positions in 32 bits, if the
 * number of elements is known to fit. */
static rlxc_atom first_of_best(rlxc_te *te, const rlxc_te_operand *x, uint32_t set, bool keep,
                               bool is_max, const rlxc_buffer *out)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM], *count = rlxc_te_count(te, x, set);
    int64_t n;
    const bool is_short = rlxc_is_int(count, &n) && n <= INT32_MAX;
    const rlx_dtype dtype = rlxc_te_compute_dtype(x->dtype), place = is_short ? RLX_I32 : RLX_I64;
    const rlxc_buffer *best = rlxc_te_reduced_temp(te, "x_red_best", dtype, x, set, keep);
    const rlxc_buffer *first =
        is_short ? rlxc_te_reduced_temp(te, "x_red_first", place, x, set, keep) : out;
    rlxc_te_reduction(te, "x_red_best", x, set, keep, at);
    rlxc_te_reduce(te, best, rlxc_te_max_init(te, dtype, is_max),
                   rlxc_binary(ctx, is_max ? RLXC_EXPR_MAX : RLXC_EXPR_MIN,
                               rlxc_te_load(te, best, te->axes),
                               rlxc_te_widen(te, rlxc_te_get(te, x, at))));
    rlxc_te_reduction(te, "x_red_first", x, set, keep, at);
    const rlxc_expr *element = rlxc_te_widen(te, rlxc_te_get(te, x, at)),
                    *value = rlxc_te_load(te, best, te->axes);
    const rlxc_expr *has_it = rlxc_binary(ctx, RLXC_EXPR_EQ, element, value);
    if (rlxc_dtype_is_float(dtype))
        has_it =
            rlxc_binary(ctx, RLXC_EXPR_OR, has_it,
                        rlxc_binary(ctx, RLXC_EXPR_AND, is_nan(ctx, element), is_nan(ctx, value)));
    const rlxc_expr *none = rlxc_cast(ctx, place, count);
    const rlxc_expr *here = rlxc_cast(ctx, place, position(ctx, x, set, at));
    rlxc_te_reduce(te, first, none,
                   rlxc_binary(ctx, RLXC_EXPR_MIN, rlxc_te_load(te, first, te->axes),
                               rlxc_select(ctx, has_it, here, none)));
    rlxc_te_round(te, first, out);
    return rlxc_te_finish(te);
}

rlxc_atom rlxc_legalize_arg_reduce(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t set;
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_OUT_FUSABLE) ||
        !arg_axes(&te.view, &set))
        return (rlxc_atom){0};
    bool keep = rlxc_attr_get_bool(call, "keepdims", false), is_max = is_op(call, "argmax");
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "x_red");
    if (!rlxc_dtype_is_bool(x.dtype))
        return first_of_best(&te, &x, set, keep, is_max, out);
    const rlxc_buffer *best = rlxc_te_reduced_temp(&te, "x_red_temp_v1", x.dtype, &x, set, keep);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    rlxc_te_reduction(&te, "x_red_temp", &x, set, keep, at);
    const rlxc_expr *here = position(ctx, &x, set, at);
    const rlxc_expr *element = rlxc_te_get(&te, &x, at);
    const rlxc_expr *old = rlxc_te_load(&te, best, te.axes),
                    *old_at = rlxc_te_load(&te, out, te.axes);
    const rlxc_expr *better = rlxc_te_better(ctx, is_max, element, old);
    const rlxc_expr *worst = rlxc_te_max_init(&te, x.dtype, is_max);
    const rlxc_buffer *const buffers[2] = {out, best};
    const rlxc_expr *const inits[2] = {rlxc_i64(ctx, 0), worst};
    const rlxc_expr *const values[2] = {rlxc_select(ctx, better, here, old_at),
                                        rlxc_select(ctx, better, element, old)};
    rlxc_te_reduce2(&te, buffers, inits, values);
    return rlxc_te_finish(&te);
}

/* --- cumsum, cumprod --- */

const rlxc_sinfo *rlxc_infer_scan(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (rlxc_dtype_is_void(dtype))
        dtype = x->dtype;
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, "axis");
    if (!attr || attr->kind == RLXC_ATTR_NONE) {
        if (!rlxc_dims_known(x))
            return rlxc_tensor_ndim(&v, dtype, 1);
        rlxc_dims dims = {.at = {rlxc_product(ctx, x->dims, (uint32_t)x->ndim)}, .n = 1};
        return rlxc_tensor_of(&v, dtype, &dims);
    }
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), x->ndim, &axis))
        return NULL;
    return rlxc_tensor_like(&v, x, dtype);
}

/* The store with |by| for |var|. */
static const rlxc_stmt *store_at(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_expr *var,
                                 const rlxc_expr *by)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < s->store.n; i++)
        at[i] = rlxc_substitute(ctx, s->store.indices[i], &var, &by, 1);
    return rlxc_stmt_store(ctx, s->store.buffer, at, s->store.n,
                           rlxc_substitute(ctx, s->store.value, &var, &by, 1));
}

/* A loop of vectors over |var|, then one over the remaining elements: the compiler cannot tell that
 * a row of the result and the row before it, which |store| reads, lie apart. */
static const rlxc_stmt *loop_of_vectors(rlxc_context *ctx, const rlxc_expr *var,
                                        const rlxc_expr *extent, const rlxc_stmt *store)
{
    enum { LANES = 8 };
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *lanes = rlxc_i64(ctx, LANES);
    const rlxc_expr *outer = rlxc_var(ctx, "v", RLX_I64), *inner = rlxc_var(ctx, "l", RLX_I64);
    const rlxc_expr *begin = rlxc_mul(ctx, outer, lanes);
    const rlxc_expr *count =
        rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, extent, lanes), NULL);
    const rlxc_expr *done = rlxc_canonical(ctx, rlxc_mul(ctx, count, lanes), NULL);
    const rlxc_expr *left = rlxc_canonical(ctx, rlxc_sub(ctx, extent, done), NULL);
    const rlxc_expr *rest = rlxc_var(ctx, "r", RLX_I64);
    const rlxc_stmt *parts[2];
    parts[0] = rlxc_stmt_for(ctx, inner, zero, lanes, RLXC_LOOP_VECTORIZED,
                             store_at(ctx, store, var, rlxc_add(ctx, begin, inner)));
    parts[0] = rlxc_stmt_for(ctx, outer, zero, count, RLXC_LOOP_SERIAL, parts[0]);
    parts[1] = rlxc_stmt_for(ctx, rest, zero, left, RLXC_LOOP_SERIAL,
                             store_at(ctx, store, var, rlxc_add(ctx, done, rest)));
    return rlxc_stmt_seq(ctx, parts, rlxc_is_const(left, 0) ? 1 : 2);
}

/* The loops over the axes behind the scanned one are inside it, so that rows are added to rows. */
rlxc_atom rlxc_legalize_scan(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    bool product = is_op(call, "cumprod"), exclusive = rlxc_attr_get_bool(call, "exclusive", false);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_cum");
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, "axis");
    bool flat = !attr || attr->kind == RLXC_ATTR_NONE;
    int64_t given = rlxc_attr_get_int(call, "axis", 0);
    uint32_t axis = flat ? 0 : (uint32_t)(given < 0 ? given + (int64_t)out->ndim : given);
    const rlxc_expr *k = rlxc_var(ctx, "k", RLX_I64), *zero = rlxc_i64(ctx, 0);
    const rlxc_expr *before_k = rlxc_sub(ctx, k, rlxc_i64(ctx, 1));
    const rlxc_expr *at[RLXC_MAX_NDIM], *before[RLXC_MAX_NDIM], *source[RLXC_MAX_NDIM];
    rlxc_te_block(&te, "T_cum");
    for (uint32_t i = 0; i < out->ndim; i++) {
        const char *name = rlxc_internf(ctx, "ax%u", i);
        at[i] = i < axis    ? rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, name, out->shape[i])
                : i == axis ? k
                            : rlxc_var(ctx, name, RLX_I64);
    }
    memcpy(before, at, out->ndim * sizeof at[0]);
    before[axis] = before_k;
    const rlxc_expr *read = exclusive ? before_k : k;
    if (flat) {
        rlxc_te_unflatten(&te, read, x.dims, x.ndim, source);
    } else {
        memcpy(source, at, out->ndim * sizeof at[0]);
        source[axis] = read;
    }
    const rlxc_expr *neutral = rlxc_te_number(ctx, out->dtype, product ? 1 : 0);
    const rlxc_expr *first = rlxc_binary(ctx, RLXC_EXPR_LT, zero, k);
    const rlxc_expr *element = rlxc_cast(ctx, out->dtype, rlxc_te_get(&te, &x, source));
    const rlxc_expr *sum = rlxc_binary(ctx, product ? RLXC_EXPR_MUL : RLXC_EXPR_ADD,
                                       rlxc_te_load(&te, out, before), element);
    const rlxc_expr *begin = exclusive ? neutral : element;
    const bool rows = axis + 1 < out->ndim;
    const rlxc_expr *value = rows ? sum : rlxc_te_if(ctx, first, sum, begin);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, out, at, out->ndim, value),
                    *other = rlxc_stmt_store(ctx, out, at, out->ndim, begin);
    for (uint32_t i = out->ndim; i-- > axis + 1;) {
        body = i + 1 == out->ndim
                   ? loop_of_vectors(ctx, at[i], out->shape[i], body)
                   : rlxc_stmt_for(ctx, at[i], zero, out->shape[i], RLXC_LOOP_SERIAL, body);
        other = rlxc_stmt_for(ctx, at[i], zero, out->shape[i], RLXC_LOOP_SERIAL, other);
    }
    if (rows)
        body = rlxc_stmt_if(ctx, first, body, rlxc_stmt_clone(ctx, other));
    body = rlxc_stmt_for(ctx, k, zero, out->shape[axis], RLXC_LOOP_SERIAL, body);
    rlxc_te_body(&te, NULL, body);
    return rlxc_te_finish(&te);
}

/* --- collapse_sum_to, collapse_sum_like: the sum that undoes a broadcast --- */

const rlxc_sinfo *rlxc_infer_collapse_sum(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_shape_arg(&v, 1, &dims, &ndim))
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    if (x->ndim != RLXC_UNKNOWN_NDIM && ndim > x->ndim)
        return rlxc_infer_fail(&v, 1, "has more dimensions than 'x': %s", rlxc_sinfo_text(ctx, x));
    for (int32_t i = 0; rlxc_dims_known(x) && i < ndim; i++)
        if (!rlxc_require(&v, RLXC_FITS, rlxc_size_of(&v, 1, (uint32_t)i),
                          rlxc_size_of(&v, 0, (uint32_t)(x->ndim - ndim + i))))
            return NULL;
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* A dimension f reduced to t is t rows of f / t elements; t is f or 1. */
rlxc_atom rlxc_legalize_collapse_sum(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    rlxc_call_view v;
    rlxc_dims dims, rows = {0};
    int32_t ndim;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_infer_begin(&v, ctx, b->module, call))
        return (rlxc_atom){0};
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_shape_arg(&v, 1, &dims, &ndim) || !rlxc_dims_known(x)) {
        rlxc_infer_error(&v, "cannot be compiled: shapes are not known");
        return (rlxc_atom){0};
    }
    for (int32_t i = 0; i < x->ndim; i++) {
        const int32_t k = i - (x->ndim - ndim);
        const rlxc_expr *from = x->dims[i], *one = rlxc_i64(ctx, 1), *to = k < 0 ? one : dims.at[k];
        const bool stays = k >= 0 && rlxc_prove_eq(ctx, from, to, NULL);
        const bool known = stays || rlxc_is_const(to, 1);
        if (rows.n + 2 > RLXC_MAX_NDIM) {
            rlxc_infer_error(&v, "more than %d dimensions", RLXC_MAX_NDIM);
            return (rlxc_atom){0};
        }
        if (stays || !known)
            rows.at[rows.n++] = to;
        if (!stays) {
            axes[n++] = rows.n;
            to = rlxc_binary(ctx, RLXC_EXPR_MAX, to, one);
            rows.at[rows.n++] =
                rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, from, to), NULL);
        }
    }
    const rlxc_attrs attrs = rlxc_one_attr(ctx, "axis", rlxc_attr_ints(ctx, axes, n));
    rlxc_atom y = call->args[0];
    if (rows.n > (uint32_t)x->ndim)
        y = rlxc_lower_reshape(b, call, y, rows.at, rows.n);
    if (n > 0)
        y = rlxc_lower_op(b, call, "sum", &y, 1, attrs);
    return rlxc_lower_reshape(b, call, y, dims.at, dims.n);
}
