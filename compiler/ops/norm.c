/* Normalisations: softmax, log_softmax, layer_norm, rms_norm, group_norm, batch_norm.
 *
 * Softmax subtracts the maximum; variances are computed around the mean in a second pass, which
 * avoids cancellation. float16 and bfloat16 are computed in float32. */
#include "compiler/ops/reduce.h"
#include "compiler/ops/require.h"

#include <string.h>

static bool check_float(const rlxc_call_view *v, uint32_t i)
{
    rlx_dtype t = v->in[i]->dtype;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_float(t))
        return true;
    rlxc_infer_fail(v, i, "expected floating-point elements, got %s", rlxc_dtype_name(v->ctx, t));
    return false;
}

/* --- softmax --- */

const rlxc_sinfo *rlxc_infer_float_axis(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_float(&v, 0))
        return NULL;
    if (v.in[0]->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", -1), v.in[0]->ndim, &axis))
        return NULL;
    return v.in[0];
}

/* The index of a buffer that lacks dimension |axis|, at the block's first axes. */
static void without_axis(const rlxc_te *te, uint32_t n, uint32_t axis, const rlxc_expr **out)
{
    for (uint32_t i = 0, k = 0; i < n; i++)
        if (i != axis)
            out[k++] = te->axes[i];
}

rlxc_atom rlxc_legalize_softmax(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    bool is_log = strcmp(call->op->name, "nn.log_softmax") == 0;
    if (!rlxc_te_begin(&te, b, call, is_log ? "log_softmax" : "softmax",
                       RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", -1), te.out->ndim, &axis))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, is_log ? "T_log_softmax_norm" : "T_softmax_norm");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    uint32_t set = 1u << axis, n = x.ndim;
    const rlxc_buffer *max = rlxc_te_reduced_temp(&te, "T_softmax_maxelem", dtype, &x, set, false);
    const rlxc_buffer *exp = is_log ? NULL : rlxc_te_temp(&te, "T_softmax_exp", dtype, x.dims, n);
    const rlxc_buffer *sum = rlxc_te_reduced_temp(&te, "T_softmax_expsum", dtype, &x, set, false);
    const rlxc_expr *at[RLXC_MAX_NDIM], *rest[RLXC_MAX_NDIM];

    rlxc_te_reduction(&te, max->name, &x, set, false, at);
    rlxc_te_reduce(&te, max, rlxc_te_lowest(ctx, dtype),
                   rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_te_load(&te, max, te.axes),
                               rlxc_te_widen(&te, rlxc_te_get(&te, &x, at))));
    if (exp) {
        rlxc_te_spatial(&te, exp->name, exp);
        without_axis(&te, n, axis, rest);
        const rlxc_expr *shifted = rlxc_sub(ctx, rlxc_te_widen(&te, rlxc_te_get(&te, &x, te.axes)),
                                            rlxc_te_load(&te, max, rest));
        rlxc_te_store(&te, exp, rlxc_te_call1(ctx, "exp_nonpositive", shifted));
    }
    rlxc_te_reduction(&te, sum->name, &x, set, false, at);
    const rlxc_expr *term =
        exp ? rlxc_te_load(&te, exp, at)
            : rlxc_te_call1(ctx, "exp_nonpositive",
                            rlxc_sub(ctx, rlxc_te_widen(&te, rlxc_te_get(&te, &x, at)),
                                     rlxc_te_load(&te, max, te.axes)));
    rlxc_te_reduce(&te, sum, rlxc_te_number(ctx, dtype, 0),
                   rlxc_add(ctx, rlxc_te_load(&te, sum, te.axes), term));
    rlxc_te_spatial(&te, out->name, out);
    without_axis(&te, n, axis, rest);
    const rlxc_expr *total = rlxc_te_load(&te, sum, rest), *value;
    if (exp) {
        /* one division per row */
        const rlxc_expr *inverse = rlxc_te_div(ctx, rlxc_te_number(ctx, dtype, 1), total);
        value = rlxc_mul(ctx, rlxc_te_load(&te, exp, te.axes), inverse);
    } else {
        value = rlxc_sub(ctx,
                         rlxc_sub(ctx, rlxc_te_widen(&te, rlxc_te_get(&te, &x, te.axes)),
                                  rlxc_te_load(&te, max, rest)),
                         rlxc_te_call1(ctx, "log", total));
    }
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- layer_norm, rms_norm --- */

/* Parameters |first|... of a norm must have the dimensions of x that are in |set|. */
static bool check_params(const rlxc_call_view *v, uint32_t first, uint32_t set)
{
    const rlxc_sinfo *x = v->in[0];
    for (uint32_t p = first; p < v->n_inputs; p++) {
        const rlxc_sinfo *s = v->in[p];
        if (s->ndim != RLXC_UNKNOWN_NDIM && s->ndim != __builtin_popcount(set)) {
            rlxc_infer_fail(v, p, "expected %d dimensions, those of the axes, got %s",
                            __builtin_popcount(set), rlxc_sinfo_text(v->ctx, s));
            return false;
        }
        if (!rlxc_dims_known(s) || !rlxc_dims_known(x))
            continue;
        for (uint32_t i = 0, k = 0; i < (uint32_t)x->ndim; i++) {
            int64_t want, got;
            if (!(set >> i & 1))
                continue;
            const rlxc_expr *d = s->dims[k++];
            if (rlxc_is_int(x->dims[i], &want) && rlxc_is_int(d, &got) && want != got) {
                rlxc_infer_fail(v, p, "dimension %u must be %lld, got %lld", k - 1, (long long)want,
                                (long long)got);
                return false;
            }
            if (!rlxc_require_equal(v, rlxc_size_of(v, 0, i), rlxc_size_of(v, p, k - 1)))
                return false;
        }
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_norm(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t set;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_float(&v, 0))
        return NULL;
    if (v.in[0]->ndim == RLXC_UNKNOWN_NDIM)
        return v.in[0];
    if (!rlxc_axes_in(&v, "axes", v.in[0]->ndim, &set) || !check_params(&v, 1, set))
        return NULL;
    return v.in[0];
}

/* Operands and temporaries of a normalisation over |set|. */
typedef struct sweep {
    rlxc_te_operand x;
    rlx_dtype dtype;
    uint32_t set;
    const rlxc_expr *count;
    const rlxc_buffer *sum;     /* of x; NULL: the mean counts as 0 */
    const rlxc_buffer *squares; /* of (x - mean) */
} sweep;

static const rlxc_expr *centred(rlxc_te *te, const sweep *s, const rlxc_expr *const *at,
                                const rlxc_expr *const *rest)
{
    const rlxc_expr *element = rlxc_te_widen(te, rlxc_te_get(te, &s->x, at));
    if (!s->sum)
        return element;
    return rlxc_sub(te->ctx, element,
                    rlxc_te_over_count(te, rlxc_te_load(te, s->sum, rest), s->count));
}

static const rlxc_expr *inverse_deviation(rlxc_te *te, const sweep *s, const rlxc_expr *const *rest)
{
    const rlxc_expr *variance =
        rlxc_te_over_count(te, rlxc_te_load(te, s->squares, rest), s->count);
    double epsilon = rlxc_attr_get_float(te->call, "epsilon", 1e-5);
    return rlxc_te_call1(te->ctx, "rsqrt",
                         rlxc_add(te->ctx, variance, rlxc_float(te->ctx, s->dtype, epsilon)));
}

/* The blocks that sum x (with |mean|) and the squared deviations from the mean. */
static sweep moments(rlxc_te *te, rlxc_te_operand x, uint32_t set, bool mean)
{
    sweep s = {.x = x, .set = set, .dtype = rlxc_te_compute_dtype(x.dtype)};
    const rlxc_expr *at[RLXC_MAX_NDIM], *zero = rlxc_float(te->ctx, s.dtype, 0);
    s.count = rlxc_te_count(te, &x, set);
    if (mean) {
        const rlxc_buffer *sum = rlxc_te_reduced_temp(te, "x_red_temp_v0", s.dtype, &x, set, false);
        rlxc_te_reduction(te, "x_red_temp_v0", &x, set, false, at);
        rlxc_te_reduce(te, sum, zero,
                       rlxc_add(te->ctx, rlxc_te_load(te, sum, te->axes),
                                rlxc_te_widen(te, rlxc_te_get(te, &x, at))));
        s.sum = sum;
    }
    s.squares = rlxc_te_reduced_temp(te, "x_red_temp_v1", s.dtype, &x, set, false);
    rlxc_te_reduction(te, "x_red_temp_v1", &x, set, false, at);
    const rlxc_expr *d = centred(te, &s, at, te->axes);
    rlxc_te_reduce(
        te, s.squares, zero,
        rlxc_add(te->ctx, rlxc_te_load(te, s.squares, te->axes), rlxc_mul(te->ctx, d, d)));
    return s;
}

/* Splits the block's axes into those of the parameters (in the set) and the others. */
static void split_axes(const rlxc_te *te, const sweep *s, const rlxc_expr **params,
                       const rlxc_expr **rest)
{
    for (uint32_t i = 0; i < s->x.ndim; i++)
        *(s->set >> i & 1 ? params++ : rest++) = te->axes[i];
}

static rlxc_atom legalize_norm(rlxc_builder *b, const rlxc_binding *call, bool layer)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t set;
    if (!rlxc_te_begin(&te, b, call, layer ? "layer_norm" : "rms_norm", RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_axes_in(&te.view, "axes", te.out->ndim, &set))
        return (rlxc_atom){0};
    bool scale = !layer || rlxc_attr_get_bool(call, "scale", true),
         center = layer && rlxc_attr_get_bool(call, "center", true);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), gamma = {0}, beta = {0};
    if (scale)
        gamma = rlxc_te_operand_of(&te, 1, layer ? "gamma" : "weight");
    if (center)
        beta = rlxc_te_operand_of(&te, 2, "beta");
    const char *name = layer ? "T_layer_norm" : "T_rms_norm";
    const rlxc_buffer *out = rlxc_te_output(&te, name);
    sweep s = moments(&te, x, set, layer);
    const rlxc_expr *params[RLXC_MAX_NDIM], *rest[RLXC_MAX_NDIM];
    rlxc_te_spatial(&te, name, out);
    split_axes(&te, &s, params, rest);
    const rlxc_expr *value =
        rlxc_mul(ctx, centred(&te, &s, te.axes, rest), inverse_deviation(&te, &s, rest));
    if (scale)
        value = rlxc_mul(ctx, value, rlxc_cast(ctx, s.dtype, rlxc_te_get(&te, &gamma, params)));
    if (center)
        value = rlxc_add(ctx, value, rlxc_cast(ctx, s.dtype, rlxc_te_get(&te, &beta, params)));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_layer_norm(rlxc_builder *b, const rlxc_binding *call)
{
    return legalize_norm(b, call, true);
}

rlxc_atom rlxc_legalize_rms_norm(rlxc_builder *b, const rlxc_binding *call)
{
    return legalize_norm(b, call, false);
}

/* --- group_norm --- */

const rlxc_sinfo *rlxc_infer_group_norm(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t set, channel;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_float(&v, 0))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    int64_t groups = rlxc_attr_get_int(call, "num_groups", 1), channels;
    if (groups < 1)
        return rlxc_infer_error(&v, "num_groups is %lld", (long long)groups);
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "channel_axis", 1), x->ndim, &channel) ||
        !rlxc_axes_in(&v, "axes", x->ndim, &set) || !check_params(&v, 1, 1u << channel))
        return NULL;
    if (set >> channel & 1)
        return rlxc_infer_error(&v, "axes must not name the channel axis");
    if (rlxc_dims_known(x) && rlxc_is_int(x->dims[channel], &channels) && channels % groups != 0)
        return rlxc_infer_error(&v, "%lld channels do not divide into %lld groups",
                                (long long)channels, (long long)groups);
    if (rlxc_dims_known(x) &&
        !rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, channel), rlxc_size_given(&v, groups)))
        return NULL;
    return x;
}

/* Begins a reduction over the group's channels and the axes in |set|; x's index to |at|. */
static void group_reduction(rlxc_te *te, const char *name, const rlxc_te_operand *x, uint32_t set,
                            uint32_t channel, int64_t groups, const rlxc_expr *per_group,
                            const rlxc_expr **at)
{
    const rlxc_expr *group = NULL;
    rlxc_te_block(te, name);
    for (uint32_t i = 0; i < x->ndim; i++) {
        const char *axis = rlxc_internf(te->ctx, "ax%u", i);
        if (i == channel)
            group = rlxc_te_axis(te, RLXC_AXIS_SPATIAL, axis, rlxc_i64(te->ctx, groups));
        else if (!(set >> i & 1))
            at[i] = rlxc_te_axis(te, RLXC_AXIS_SPATIAL, axis, x->dims[i]);
    }
    const rlxc_expr *c = rlxc_te_axis(te, RLXC_AXIS_REDUCE, "k_c", per_group);
    at[channel] = rlxc_add(te->ctx, rlxc_mul(te->ctx, group, per_group), c);
    for (uint32_t i = 0; i < x->ndim; i++)
        if (set >> i & 1)
            at[i] = rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(te->ctx, "k%u", i), x->dims[i]);
}

rlxc_atom rlxc_legalize_group_norm(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t set, channel;
    if (!rlxc_te_begin(&te, b, call, "group_norm", RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "channel_axis", 1), te.out->ndim,
                      &channel) ||
        !rlxc_axes_in(&te.view, "axes", te.out->ndim, &set))
        return (rlxc_atom){0};
    int64_t groups = rlxc_attr_get_int(call, "num_groups", 1);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"),
                    gamma = rlxc_te_operand_of(&te, 1, "gamma"),
                    beta = rlxc_te_operand_of(&te, 2, "beta");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_group_norm");
    const rlxc_expr *per_group = rlxc_canonical(
        ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, x.dims[channel], rlxc_i64(ctx, groups)), NULL);
    sweep s = {.x = x, .set = set, .dtype = rlxc_te_compute_dtype(x.dtype)};
    s.count = rlxc_canonical(ctx, rlxc_mul(ctx, rlxc_te_count(&te, &x, set), per_group), NULL);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM], *zero = rlxc_float(ctx, s.dtype, 0);
    uint32_t n = 0;
    for (uint32_t i = 0; i < x.ndim; i++)
        if (i == channel || !(set >> i & 1))
            dims[n++] = i == channel ? rlxc_i64(ctx, groups) : x.dims[i];
    const rlxc_buffer *sum = rlxc_te_temp(&te, "x_red_temp_v0", s.dtype, dims, n);
    const rlxc_buffer *squares = rlxc_te_temp(&te, "x_red_temp_v1", s.dtype, dims, n);
    group_reduction(&te, sum->name, &x, set, channel, groups, per_group, at);
    rlxc_te_reduce(&te, sum, zero,
                   rlxc_add(ctx, rlxc_te_load(&te, sum, te.axes), centred(&te, &s, at, NULL)));
    s.sum = sum;
    group_reduction(&te, squares->name, &x, set, channel, groups, per_group, at);
    const rlxc_expr *d = centred(&te, &s, at, te.axes);
    rlxc_te_reduce(&te, squares, zero,
                   rlxc_add(ctx, rlxc_te_load(&te, squares, te.axes), rlxc_mul(ctx, d, d)));
    s.squares = squares;
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *rest[RLXC_MAX_NDIM];
    n = 0;
    for (uint32_t i = 0; i < x.ndim; i++)
        if (i == channel)
            rest[n++] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, te.axes[i], per_group);
        else if (!(set >> i & 1))
            rest[n++] = te.axes[i];
    const rlxc_expr *value =
        rlxc_mul(ctx, centred(&te, &s, te.axes, rest), inverse_deviation(&te, &s, rest));
    const rlxc_expr *const *c = &te.axes[channel];
    if (rlxc_attr_get_bool(call, "scale", true))
        value = rlxc_mul(ctx, value, rlxc_cast(ctx, s.dtype, rlxc_te_get(&te, &gamma, c)));
    if (rlxc_attr_get_bool(call, "center", true))
        value = rlxc_add(ctx, value, rlxc_cast(ctx, s.dtype, rlxc_te_get(&te, &beta, c)));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- batch_norm --- */

const rlxc_sinfo *rlxc_infer_batch_norm(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t channel;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_float(&v, 0))
        return NULL;
    if (v.in[0]->ndim != RLXC_UNKNOWN_NDIM &&
        (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 1), v.in[0]->ndim, &channel) ||
         !check_params(&v, 1, 1u << channel)))
        return NULL;
    const rlxc_sinfo *fields[3] = {v.in[0], v.in[3], v.in[4]};
    return rlxc_sinfo_tuple(ctx, fields, 3);
}

/* Emits only the normalised tensor as a kernel; the other two results are the arguments. */
rlxc_atom rlxc_legalize_batch_norm(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    if (rlxc_attr_get_bool(call, "training", false))
        return rlxc_legalize_batch_norm_training(b, call);
    if (!rlxc_te_begin(&te, b, call, "batch_norm", RLXC_PATTERN_BROADCAST))
        return (rlxc_atom){0};
    const rlxc_sinfo *all = te.out;
    te.out = all->fields[0];
    if (!rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 1), te.out->ndim, &axis))
        return (rlxc_atom){0};
    bool scale = rlxc_attr_get_bool(call, "scale", true),
         center = rlxc_attr_get_bool(call, "center", true);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), gamma = {0}, beta = {0};
    if (scale)
        gamma = rlxc_te_operand_of(&te, 1, "gamma");
    if (center)
        beta = rlxc_te_operand_of(&te, 2, "beta");
    rlxc_te_operand mean = rlxc_te_operand_of(&te, 3, "moving_mean"),
                    variance = rlxc_te_operand_of(&te, 4, "moving_var");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_batch_norm");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    double epsilon = rlxc_attr_get_float(call, "epsilon", 1e-5);
    rlxc_te_spatial(&te, "T_batch_norm", out);
    const rlxc_expr *const *c = &te.axes[axis];
    const rlxc_expr *spread = rlxc_add(ctx, rlxc_cast(ctx, dtype, rlxc_te_get(&te, &variance, c)),
                                       rlxc_float(ctx, dtype, epsilon));
    const rlxc_expr *value =
        rlxc_te_div(ctx,
                    rlxc_sub(ctx, rlxc_te_widen(&te, rlxc_te_get(&te, &x, te.axes)),
                             rlxc_cast(ctx, dtype, rlxc_te_get(&te, &mean, c))),
                    rlxc_te_call1(ctx, "sqrt", spread));
    if (scale)
        value = rlxc_mul(ctx, value, rlxc_cast(ctx, dtype, rlxc_te_get(&te, &gamma, c)));
    if (center)
        value = rlxc_add(ctx, value, rlxc_cast(ctx, dtype, rlxc_te_get(&te, &beta, c)));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    rlxc_atom normalised = rlxc_te_finish(&te);
    if (normalised.kind == RLXC_ATOM_NONE)
        return normalised;
    rlxc_binding *tuple = rlxc_binding_new(ctx, RLXC_FORM_TUPLE,
                                           rlxc_rvar_new(ctx, b->function, call->var->name, all));
    rlxc_atom fields[3] = {normalised, call->args[3], call->args[4]};
    tuple->args = rlxc_copy(ctx, fields, sizeof fields);
    tuple->n_args = 3;
    tuple->range = call->range;
    return rlxc_emit(b, tuple);
}
