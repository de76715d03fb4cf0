/* rlx.inspect: the fields of a tensor as DLPack has them. Tensors here are compact and begin at the
 * first byte of their view, so strides follow from the shape and offsets are 0. */
#include "builtins/builtins.h"

static bool is(rlx_str text, const char *name)
{
    return rlx_str_eq(text, rlx_str_from(name));
}

/* Dimension |axis| of |t|, or with |stride| its stride in elements. */
static rlx_status dimension(const rlx_tensor *t, int64_t axis, bool stride, int64_t *out,
                            rlx_error *err)
{
    uint32_t at, ndim = rlx_tensor_ndim(t);
    const int64_t *dims = rlx_tensor_dims(t);
    RLX_TRY(rlxb_axis(axis, ndim, &at, err));
    *out = stride ? 1 : dims[at];
    for (uint32_t i = at + 1; stride && i < ndim; i++)
        if (!rlx_mul_i64(*out, dims[i], out))
            return rlx_fail(err, RLX_E_LIMIT, "the stride of dimension %u overflows", at);
    return RLX_OK;
}

rlx_status rlxb_inspect(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)cc;
    rlx_tensor *t;
    RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
    rlx_str what = rlxb_text(args, n, 1);
    rlx_dtype dtype = rlx_tensor_dtype(t);
    int64_t value = 0, axis = 0;
    if (is(what, "shape") || is(what, "stride")) {
        if (n < 3)
            return rlx_fail(err, RLX_E_INVALID_ARG, "inspect: the dimension is missing");
        RLX_TRY(rlxb_int(args, 2, &axis, err));
        RLX_TRY(dimension(t, axis, is(what, "stride"), &value, err));
    } else if (is(what, "ndim")) {
        value = rlx_tensor_ndim(t);
    } else if (is(what, "code")) {
        value = dtype.code;
    } else if (is(what, "bits")) {
        value = dtype.bits;
    } else if (is(what, "lanes")) {
        value = dtype.lanes;
    } else if (!is(what, "offset")) {
        return rlx_fail(err, RLX_E_INVALID_ARG, "inspect: no field '%.*s'", (int)what.len,
                        what.data);
    }
    *out = rlx_int(value);
    return RLX_OK;
}
