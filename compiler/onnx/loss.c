/* Losses of classification, by their definitions. */
#include <string.h>

#include "compiler/onnx/handlers.h"

/* From log-probabilities (N, C, ...) and classes (N, ...). */
static rlxc_atom nll(rlxc_ox *im, rlxc_atom x, rlxc_atom target)
{
    const int64_t one[1] = {1};
    rlx_dtype t = rlxc_ox_type(im, x);
    const char *reduction = rlxc_ox_str(im, "reduction", "mean");
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_atom zero = rlxc_ox_number(im, t, 0), keep = {0}, weight = {0};
    if (ndim < 2 || rlxc_ox_ndim(im, target) + 1 != ndim) {
        rlxc_ox_fail(im, "expected scores (N, C, ...) and classes (N, ...)");
        return x;
    }
    target = rlxc_ox_cast(im, target, RLX_I64);
    bool ignores = rlxc_ox_attr(im, "ignore_index") != NULL;
    if (ignores) {
        rlxc_atom ignored = rlxc_ox_number(im, RLX_I64, (double)rlxc_ox_int(im, "ignore_index", 0));
        keep = rlxc_ox_op2(im, "not_equal", target, ignored);
        target = rlxc_ox_op3(im, "where", keep, target, rlxc_ox_number(im, RLX_I64, 0));
    }
    const rlxc_atom args[2] = {x, rlxc_ox_expand_dims(im, target, one, 1)};
    rlxc_atom picked = rlxc_ox_opv(im, "gather_elements", args, 2,
                                   rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1));
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, target, dims);
    rlxc_atom loss = rlxc_ox_op1(im, "negative", rlxc_ox_reshape(im, picked, dims, ndim - 1));
    bool weighted = rlxc_ox_has(im, 2);
    if (weighted)
        weight = rlxc_ox_take(im, rlxc_ox_in(im, 2), target, 0);
    if (weighted && ignores)
        weight = rlxc_ox_op3(im, "where", keep, weight, zero);
    else if (ignores)
        weight = rlxc_ox_cast(im, keep, t);
    if (weighted || ignores)
        loss = rlxc_ox_op2(im, "multiply", loss, weight);
    if (strcmp(reduction, "none") == 0)
        return loss;
    if (strcmp(reduction, "sum") == 0)
        return rlxc_ox_reduce(im, "sum", loss, NULL, 0, false);
    if (!weighted && !ignores)
        return rlxc_ox_reduce(im, "mean", loss, NULL, 0, false);
    return rlxc_ox_op2(im, "divide", rlxc_ox_reduce(im, "sum", loss, NULL, 0, false),
                       rlxc_ox_reduce(im, "sum", weight, NULL, 0, false));
}

void rlxc_ox_import_nll_loss(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0, nll(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)));
}

void rlxc_ox_import_softmax_cross_entropy(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom logs = rlxc_ox_op0(im, "nn.log_softmax", rlxc_ox_in(im, 0),
                                 rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1));
    rlxc_ox_set(im, 0, nll(im, logs, rlxc_ox_in(im, 1)));
    rlxc_ox_set(im, 1, logs);
}
