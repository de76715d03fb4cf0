/* Operators of com.microsoft that equal standard ones, or nearly: older versions, or versions
 * without some input or result. The standard handlers run, in the operator set with the same
 * meaning. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/standard.h"

enum { MEANT = 17 }; /* operator set */

/* The standard operator |row->arg| on the node as it is. */
void rlxc_ox_import_renamed(rlxc_ox *im, const rlxc_ox_row *row)
{
    bool known;
    const int64_t opset = im->opset;
    const rlxc_ox_row *meant = rlxc_ox_find_row("", row->arg, &known);
    im->opset = MEANT;
    meant->fn(im, meant);
    im->opset = opset;
}

/* Range whose step is 1 where it is not given. */
void rlxc_ox_import_range_by_one(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlx_dtype t = rlxc_ox_type(im, rlxc_ox_in(im, 0));
    rlxc_atom in[3] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1),
                       rlxc_ox_has(im, 2) ? rlxc_ox_in(im, 2) : rlxc_ox_number(im, t, 1)};
    for (uint32_t i = 0; i < 3; i++)
        if (rlxc_ox_ndim(im, in[i]) == 1) /* of one element */
            in[i] = rlxc_ox_reshape(im, in[i], NULL, 0);
    rlxc_ox_set(im, 0, rlxc_ox_standard(im, "Range", in, 3));
}

/* Unsqueeze at one axis, a scalar. */
void rlxc_ox_import_expand_dims(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[2] = {rlxc_ox_in(im, 0), rlxc_ox_cast(im, rlxc_ox_in(im, 1), RLX_I64)};
    const int64_t opset = im->opset;
    im->opset = MEANT;
    rlxc_ox_set(im, 0, rlxc_ox_standard(im, "Unsqueeze", in, 2));
    im->opset = opset;
}

/* Distances of the rows of two matrices, or their squares. */
void rlxc_ox_import_row_distances(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a = rlxc_ox_in(im, 0), b = rlxc_ox_in(im, 1);
    const int64_t second[1] = {1}, first[1] = {0}, last[1] = {2};
    if (rlxc_ox_ndim(im, a) != 2 || rlxc_ox_ndim(im, b) != 2) {
        rlxc_ox_fail(im, "expected two matrices");
        return;
    }
    rlxc_atom by = rlxc_ox_op2(im, "subtract", rlxc_ox_expand_dims(im, a, second, 1),
                               rlxc_ox_expand_dims(im, b, first, 1));
    rlxc_atom y = rlxc_ox_reduce(im, "sum", rlxc_ox_op2(im, "multiply", by, by), last, 1, false);
    if (rlxc_ox_is(im, "metric", "sqeuclidean", "euclidean"))
        y = rlxc_ox_op1(im, "sqrt", y);
    rlxc_ox_set(im, 0, y);
}

/* X + Y * gate, one gate a row. */
void rlxc_ox_import_gated_add(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[2] = {rlxc_ox_in(im, 1), rlxc_ox_in(im, 2)};
    rlxc_ox_set(im, 0, rlxc_ox_sum(im, rlxc_ox_in(im, 0), rlxc_ox_standard(im, "Mul", in, 2)));
}

/* x * sigmoid(x) of the input times a number. */
void rlxc_ox_import_scaled_silu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlx_dtype t = rlxc_ox_type(im, rlxc_ox_in(im, 0));
    rlxc_atom by = rlxc_ox_number(im, t, rlxc_ox_float(im, "alpha", 1));
    if (rlxc_ox_has(im, 1))
        by = rlxc_ox_cast(im, rlxc_ox_reshape(im, rlxc_ox_in(im, 1), NULL, 0), t);
    rlxc_atom z = rlxc_ox_op2(im, "multiply", rlxc_ox_in(im, 0), by);
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "multiply", z, rlxc_ox_op1(im, "sigmoid", z)));
}
