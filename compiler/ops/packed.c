/* packed.unpack, packed.pack: convert between bytes and elements smaller than a byte
 * (rlx/packed.h). The pass unpack emits them; PrimFuncs have such elements only as values, never in
 * memory. */
#include "compiler/ops/te.h"

static const rlxc_expr *number(rlxc_context *ctx, int64_t value)
{
    return rlxc_int(ctx, RLX_I32, value);
}

/* The packed type of attribute dtype; false after an error. */
static bool packed_type(const rlxc_call_view *v, rlx_dtype *out)
{
    *out = rlxc_attr_get_dtype(v->call, "dtype");
    if (!rlx_dtype_is_packed(*out))
        rlxc_infer_error(v, "attribute 'dtype' must be a type of less than a byte, got %s",
                         rlxc_dtype_name(v->ctx, *out));
    return rlx_dtype_is_packed(*out);
}

const rlxc_sinfo *rlxc_infer_unpack(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    rlx_dtype t;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !packed_type(&v, &t))
        return NULL;
    if (!rlxc_dtype_eq(v.in[0]->dtype, RLX_U8) || v.in[0]->ndim != 1)
        return rlxc_infer_fail(&v, 0, "expected a vector of uint8, got %s",
                               rlxc_sinfo_text(ctx, v.in[0]));
    if (!rlxc_shape_arg(&v, 1, &dims, &ndim))
        return rlxc_infer_fail(&v, 1, "its dimensions must be known");
    return rlxc_tensor_of(&v, RLX_DTYPE(t.code, 8), &dims);
}

rlxc_atom rlxc_legalize_unpack(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "unpack", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    const rlx_dtype t = rlxc_attr_get_dtype(call, "dtype");
    const int64_t each = 8 / t.bits, mask = (1 << t.bits) - 1, sign = 1 << (t.bits - 1);
    rlxc_te_operand bytes = rlxc_te_operand_of(&te, 0, "bytes");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_unpack");
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *place = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < out->ndim; i++)
        place = rlxc_add(ctx, rlxc_mul(ctx, place, out->shape[i]), te.axes[i]);
    const rlxc_expr *at = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, place, rlxc_i64(ctx, each));
    const rlxc_expr *rest = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, place, rlxc_i64(ctx, each));
    const rlxc_expr *args[2] = {
        rlxc_cast(ctx, RLX_I32, rlxc_te_get(&te, &bytes, &at)),
        rlxc_cast(ctx, RLX_I32, rlxc_mul(ctx, rest, rlxc_i64(ctx, t.bits)))};
    const rlxc_expr *pair[2] = {
        rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "shift_right"), args, 2), number(ctx, mask)};
    const rlxc_expr *value = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "bitwise_and"), pair, 2);
    if (t.code == RLX_INT) { /* the upper half of the numbers is negative */
        pair[0] = rlxc_add(ctx, value, number(ctx, sign));
        value =
            rlxc_sub(ctx, rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "bitwise_and"), pair, 2),
                     number(ctx, sign));
    }
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_pack(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype t;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !packed_type(&v, &t))
        return NULL;
    if (v.in[0]->ndim != 1 || !rlxc_dims_known(v.in[0]))
        return rlxc_infer_fail(&v, 0, "expected a vector of known size, got %s",
                               rlxc_sinfo_text(ctx, v.in[0]));
    const rlxc_dims dims = {.at = {rlxc_packed_bytes(ctx, v.in[0]->dims, 1, t)}, .n = 1};
    return rlxc_tensor_of(&v, RLX_U8, &dims);
}

rlxc_atom rlxc_legalize_pack(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "pack", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    const rlx_dtype t = rlxc_attr_get_dtype(call, "dtype");
    const int64_t each = 8 / t.bits;
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_pack");
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *byte = NULL, *none = number(ctx, 0);
    for (int64_t i = 0; i < each; i++) {
        const rlxc_expr *at =
            rlxc_add(ctx, rlxc_mul(ctx, te.axes[0], rlxc_i64(ctx, each)), rlxc_i64(ctx, i));
        const rlxc_expr *inside = rlxc_binary(ctx, RLXC_EXPR_LT, at, x.dims[0]);
        const rlxc_expr *value = rlxc_cast(ctx, t, rlxc_te_get(&te, &x, &at));
        const rlxc_expr *args[2] = {rlxc_cast(ctx, RLX_I32, value), number(ctx, (1 << t.bits) - 1)};
        args[0] = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "bitwise_and"), args, 2);
        args[1] = number(ctx, i * t.bits);
        value = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "shift_left"), args, 2);
        value = i == 0 ? value : rlxc_te_if(ctx, inside, value, none);
        byte = byte ? rlxc_add(ctx, byte, value) : value;
    }
    rlxc_te_store(&te, out, rlxc_cast(ctx, RLX_U8, byte));
    return rlxc_te_finish(&te);
}

const rlxc_expr *rlxc_packed_bytes(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n,
                                   rlx_dtype t)
{
    const rlxc_expr *each = rlxc_i64(ctx, 8 / t.bits);
    const rlxc_expr *all = rlxc_add(ctx, rlxc_product(ctx, dims, n), rlxc_i64(ctx, 8 / t.bits - 1));
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, all, each);
}
