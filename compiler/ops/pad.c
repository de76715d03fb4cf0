/* pad: positions outside the input are a constant, or elements read from elsewhere in it. An empty
 * dimension has no elements, so its padding is 0. */
#include "compiler/ops/device_forms.h"

#include <string.h>

static bool pad_widths(const rlxc_call_view *v, int32_t ndim, int64_t out[2 * RLXC_MAX_NDIM])
{
    uint32_t n;
    rlxc_attr_get_ints(v->call, "pad_width", out, 2 * RLXC_MAX_NDIM, &n);
    if (ndim != RLXC_UNKNOWN_NDIM && n != 2 * (uint32_t)ndim) {
        rlxc_infer_error(v,
                         "pad_width must have %d values, (before, after) of each dimension, "
                         "got %u",
                         2 * ndim, n);
        return false;
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_pad(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t widths[2 * RLXC_MAX_NDIM];
    if (!rlxc_infer_begin(&v, ctx, module, call) || !pad_widths(&v, v.in[0]->ndim, widths))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, x->ndim);
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    for (uint32_t i = 0; i < dims.n; i++) {
        int64_t both;
        if (__builtin_add_overflow(widths[2 * i], widths[2 * i + 1], &both))
            return rlxc_infer_error(&v, "pad_width is too large");
        dims.at[i] = rlxc_add(ctx, x->dims[i], rlxc_i64(ctx, both));
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* The index in a dimension of |n| that position |p| reads; |p| is relative to the input and may be
 * any distance outside. */
static const rlxc_expr *pad_source(rlxc_context *ctx, char mode, const rlxc_expr *p,
                                   const rlxc_expr *n)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1),
                    *last = rlxc_sub(ctx, n, one);
    if (mode == 'e') /* replicate the edge */
        return rlxc_binary(ctx, RLXC_EXPR_MAX, zero, rlxc_binary(ctx, RLXC_EXPR_MIN, p, last));
    if (mode == 'c') /* circular */
        return rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, rlxc_binary(ctx, RLXC_EXPR_MAX, n, one));
    /* reflect without repeating the border: period 2 (n - 1) */
    const rlxc_expr *period = rlxc_canonical(
        ctx, rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_mul(ctx, last, rlxc_i64(ctx, 2)), one), NULL);
    const rlxc_expr *at = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, period);
    return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, at, n), at, rlxc_sub(ctx, period, at));
}

/* Stores |x| with before[i] places in front of dimension i (NULL: nothing around it). Places
 * outside are read from elsewhere in |x|, or |filling| where |mode| is 'k', a constant. */
static void store_padded(rlxc_te *te, const rlxc_te_operand *x, const rlxc_buffer *out,
                         const rlxc_expr *const *before, char mode, const rlxc_expr *filling)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM], *inside = NULL;
    uint32_t elsewhere = 0; /* dimensions whose padding is read from the input */
    rlxc_te_spatial(te, "PadInput", out);
    for (uint32_t i = 0; i < out->ndim; i++) {
        const rlxc_expr *n = x->dims[i], *p = te->axes[i];
        at[i] = p;
        if (!before[i])
            continue;
        p = rlxc_sub(ctx, p, before[i]);
        if (mode != 'k') {
            at[i] = pad_source(ctx, mode, p, n);
            elsewhere |= 1u << i;
            continue;
        }
        at[i] = p;
        const rlxc_expr *test =
            rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), p),
                        rlxc_binary(ctx, RLXC_EXPR_LT, p, n));
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, test) : test;
    }
    const rlxc_expr *value = rlxc_te_get(te, x, at);
    for (uint32_t i = 0; i < out->ndim; i++)
        if (elsewhere >> i & 1)
            value = rlxc_te_if_not_empty(ctx, x->dims[i], value);
    if (inside)
        value = rlxc_te_if(ctx, inside, value, filling);
    rlxc_te_store(te, out, value);
}

rlxc_atom rlxc_legalize_pad(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    int64_t widths[2 * RLXC_MAX_NDIM];
    if (!rlxc_te_begin(&te, b, call, "pad", RLXC_PATTERN_INJECTIVE) ||
        !pad_widths(&te.view, te.out->ndim, widths))
        return (rlxc_atom){0};
    const char *name = rlxc_attr_get_str(call, "pad_mode", "constant");
    char mode = strcmp(name, "replicate") == 0     ? 'e'
                : name[0] == 'c' && name[1] == 'o' ? 'k'
                                                   : name[0];
    const rlxc_expr *before[RLXC_MAX_NDIM] = {0};
    for (uint32_t i = 0; i < (uint32_t)te.out->ndim; i++)
        if (widths[2 * i] != 0 || widths[2 * i + 1] != 0)
            before[i] = rlxc_i64(ctx, widths[2 * i]);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "PadInput");
    store_padded(&te, &x, out, before, mode,
                 rlxc_te_number(ctx, out->dtype, rlxc_attr_get_float(call, "pad_value", 0)));
    return rlxc_te_finish(&te);
}

/* rlx.pad on a device: (x, widths in front, shape of the result, mode, value). */
bool rlxc_form_pad(rlxc_te *te)
{
    static const char modes[] = {'k', 'e', 'r', 'c'}; /* as the builtin counts them */
    rlxc_context *ctx = te->ctx;
    const rlxc_sinfo *s = te->view.in[0], *filling = te->view.in[4];
    const rlxc_binding *call = te->call;
    const rlxc_expr *e = call->n_args == 5 ? rlxc_prim_arg(ctx, te->b->module, call, 3) : NULL;
    const rlxc_expr *before[RLXC_MAX_NDIM];
    int64_t mode;
    if (!e || !rlxc_is_int(e, &mode) || mode < 0 || mode >= (int64_t)sizeof modes || !s ||
        !filling || s->kind != RLXC_SINFO_TENSOR || filling->kind != RLXC_SINFO_TENSOR ||
        filling->ndim != 0 || !rlxc_dtype_eq(s->dtype, filling->dtype) || s->dtype.bits < 8 ||
        s->ndim < 1 || call->args[1].kind != RLXC_ATOM_SHAPE ||
        call->args[1].n != (uint32_t)s->ndim || te->out->kind != RLXC_SINFO_TENSOR ||
        te->out->ndim != s->ndim)
        return false;
    const rlxc_te_operand x = rlxc_te_operand_of(te, 0, "x");
    if (!x.buffer)
        return false;
    for (uint32_t i = 0; i < call->args[1].n; i++)
        before[i] = rlxc_te_expr(te, call->args[1].dims[i]);
    const rlxc_te_operand value =
        modes[mode] == 'k' ? rlxc_te_operand_of(te, 4, "value") : (rlxc_te_operand){0};
    const rlxc_buffer *out = rlxc_te_output(te, "PadInput");
    store_padded(te, &x, out, before, modes[mode],
                 modes[mode] == 'k' ? rlxc_te_get(te, &value, NULL) : NULL);
    return true;
}
