/* rlx.view: the bytes of a tensor from an offset on, read as another shape and type.
 *
 * A whole tensor in another shape is the instruction VIEW and never comes here. Tensors of the
 * runtime start at their storage's data and keep its type, so another type or a part is copied;
 * values are immutable, so the copy is not observable. */
#include "builtins/builtins.h"

#include <string.h>

rlx_status rlxb_view(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    (void)n;
    rlx_tensor *t, *copy = NULL;
    RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
    rlx_dtype dtype = rlx_tensor_dtype(t);
    uint32_t ndim = rlx_tensor_ndim(t);
    const int64_t *dims = rlx_tensor_dims(t);
    int64_t offset = 0;
    if (args[1].kind != RLX_KIND_NONE) {
        rlx_shape *shape;
        RLX_TRY(rlxb_shape(args, 1, &shape, err));
        ndim = rlx_shape_ndim(shape);
        dims = rlx_shape_dims(shape);
    }
    if (args[2].kind != RLX_KIND_NONE)
        RLX_TRY(rlxb_dtype(args, 2, &dtype, err));
    if (args[3].kind != RLX_KIND_NONE)
        RLX_TRY(rlxb_int(args, 3, &offset, err));
    size_t bytes, whole = rlx_tensor_nbytes(t);
    if (!rlx_nbytes(dims, ndim, dtype, &bytes) || offset < 0 || (uint64_t)offset > whole ||
        bytes > whole - (size_t)offset)
        return rlx_fail(err, RLX_E_SHAPE, "view: the view lies outside the tensor of %zu bytes",
                        whole);
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, ndim, dims, &copy, err));
    if (bytes > 0)
        memcpy(rlx_tensor_mutable_data(copy), (const char *)rlx_tensor_data(t) + offset, bytes);
    *out = rlx_of_tensor(copy);
    return RLX_OK;
}
