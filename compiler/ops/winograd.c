/* The operator by which pass conv_layout replaces 3x3 convolutions with a constant weight: minimal
 * filtering with the transformed weight, channels last; see compiler/ops/winograd_stages.h. */
#include "compiler/ops/require.h"
#include "compiler/ops/window.h"
#include "compiler/ops/winograd_stages.h"

enum { IN = RLXC_WINOGRAD_IN, FILTER = RLXC_WINOGRAD_FILTER };

/* NHWC, [6, 6, I / groups, O] -> NHWC */
const rlxc_sinfo *rlxc_infer_conv_winograd(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read(&v, "data_layout", &w) ||
        !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *u = v.in[1];
    if (w.channel != 3 || w.out_channel != 3)
        return rlxc_infer_error(&v, "data_layout must be \"NHWC\"");
    if (!rlxc_dtype_is_void(dtype) && !rlxc_dtype_eq(dtype, RLX_F32))
        return rlxc_infer_fail(&v, 0, "expected float32, got %s", rlxc_sinfo_text(ctx, x));
    if (u->ndim != RLXC_UNKNOWN_NDIM && u->ndim != 4)
        return rlxc_infer_fail(&v, 1, "expected 4 dimensions, got %s", rlxc_sinfo_text(ctx, u));
    if (!rlxc_dims_known(x) || !rlxc_dims_known(u))
        return rlxc_tensor_ndim(&v, dtype, 4);
    if (!rlxc_is_const(u->dims[0], IN) || !rlxc_is_const(u->dims[1], IN))
        return rlxc_infer_fail(&v, 1, "expected 6x6 values a filter, got %s",
                               rlxc_sinfo_text(ctx, u));
    w.w_in = 2;
    w.w_out = 3;
    if (!rlxc_window_check_groups(&v, &w, rlxc_attr_get_int(call, "groups", 1)))
        return NULL;
    rlxc_dims dims = {.at = {x->dims[0], NULL, NULL, u->dims[3]}, .n = 4};
    for (uint32_t i = 0; i < 2; i++) {
        int64_t grown = w.before[i] + w.after[i] - (FILTER - 1);
        dims.at[1 + i] =
            rlxc_canonical(ctx, rlxc_add(ctx, x->dims[1 + i], rlxc_i64(ctx, grown)), NULL);
        if (!rlxc_window_fits(&v, dims.at[1 + i]))
            return NULL;
    }
    return rlxc_tensor_of(&v, dtype, &dims);
}

/* A block over |buffer| and the named reduction axes, with its summand. */
static void sum_block(rlxc_te *te, const rlxc_buffer *buffer, const char *const *names,
                      const rlxc_expr *const *extents, uint32_t n)
{
    rlxc_te_spatial(te, buffer->name, buffer);
    for (uint32_t i = 0; i < n; i++)
        rlxc_te_axis(te, RLXC_AXIS_REDUCE, names[i], extents[i]);
}

static void add(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *value)
{
    rlxc_te_reduce(te, buffer, rlxc_te_number(te->ctx, buffer->dtype, 0),
                   rlxc_add(te->ctx, rlxc_te_load(te, buffer, te->axes), value));
}

rlxc_atom rlxc_legalize_conv_winograd(rlxc_builder *b, const rlxc_binding *call)
{
    static const char *const names[] = {"r", "s"}, *const channel[] = {"rc"};
    rlxc_te te;
    rlxc_window window;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "conv2d_winograd", RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_window_read(&te.view, "data_layout", &window))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), u = rlxc_te_operand_of(&te, 1, "w");
    const rlxc_expr *in = rlxc_i64(ctx, IN), *elements[2] = {in, in};
    const int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    const rlxc_expr *each = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, u.dims[3], rlxc_i64(ctx, groups));
    rlxc_winograd w = {.x = x.buffer,
                       .weight = u.buffer,
                       .y = rlxc_te_output(&te, "conv2d_winograd"),
                       .outputs = groups > 1 ? rlxc_canonical(ctx, each, NULL) : NULL,
                       .before = {window.before[0], window.before[1]}};
    const rlxc_expr *tiles = rlxc_winograd_tiles(ctx, w.y);
    const rlxc_expr *v_dims[4] = {in, in, tiles, x.dims[3]},
                    *m_dims[5] = {in, in, tiles, u.dims[3]};
    if (w.outputs) {
        m_dims[3] = rlxc_i64(ctx, groups);
        m_dims[4] = w.outputs;
    }
    w.v = rlxc_te_temp(&te, "winograd_input", w.x->dtype, v_dims, 4);
    w.m = rlxc_te_temp(&te, "winograd_product", w.x->dtype, m_dims, w.outputs ? 5 : 4);
    sum_block(&te, w.v, names, elements, 2);
    add(&te, w.v, rlxc_winograd_input(ctx, &w, te.axes));
    sum_block(&te, w.m, channel, &u.dims[2], 1);
    add(&te, w.m, rlxc_winograd_product(ctx, &w, te.axes));
    sum_block(&te, w.y, names, elements, 2);
    add(&te, w.y, rlxc_winograd_output(ctx, &w, te.axes));
    return rlxc_te_finish(&te);
}
