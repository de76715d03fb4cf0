/* Emits the checks of check.h. They are calls of builtins that no pass may drop; pass legalize
 * drops them where the module is compiled with --lenient. */
#include "compiler/onnx/check.h"

static rlxc_atom name_of(rlxc_ox *im, const char *what)
{
    return rlxc_atom_string(im->ctx, rlxc_internf(im->ctx, "%.100s: %s", im->node->op_type, what));
}

/* A call of the builtin |name| that is never dropped. Its result is unused: a check of numbers
 * returns none, a checked tensor is returned as an object. */
static void emit(rlxc_ox *im, const char *name, const rlxc_atom *args, uint32_t n)
{
    if (!rlxc_ox_good(im))
        return;
    const rlxc_sinfo **types = rlxc_alloc(im->ctx, sizeof *types);
    types[0] = args[0].kind == RLXC_ATOM_PRIM ? rlxc_sinfo_tuple(im->ctx, NULL, 0)
                                              : rlxc_sinfo_object(im->ctx);
    rlxc_binding *call = rlxc_binding_new(
        im->ctx, RLXC_FORM_CALL, rlxc_rvar_new(im->ctx, im->frame->b.function, "_", types[0]));
    call->callee = rlxc_atom_extern(im->ctx, name);
    call->args = rlxc_copy(im->ctx, args, n * sizeof *args);
    call->n_args = n;
    call->sinfo_args = types;
    call->n_sinfo_args = 1;
    call->range = im->frame->b.range;
    (void)rlxc_emit(&im->frame->b, call);
}

void rlxc_ox_check_number(rlxc_ox *im, const rlxc_expr *e, const rlxc_expr *low,
                          const rlxc_expr *high, const char *what)
{
    int64_t value, least, most = INT64_MAX;
    if (im->failed)
        return;
    e = rlxc_canonical(im->ctx, e, NULL);
    low = rlxc_canonical(im->ctx, low, NULL);
    high = high ? rlxc_canonical(im->ctx, high, NULL) : rlxc_ox_i(im, INT64_MAX);
    if ((rlxc_is_const(low, INT64_MIN) || rlxc_prove_le(im->ctx, low, e, NULL)) &&
        (rlxc_is_const(high, INT64_MAX) || rlxc_prove_le(im->ctx, e, high, NULL)))
        return;
    if (rlxc_is_int(e, &value) && rlxc_is_int(low, &least) && rlxc_is_int(high, &most)) {
        if (least == INT64_MIN)
            rlxc_ox_fail(im, "%s is %lld, expected at most %lld", what, (long long)value,
                         (long long)most);
        else if (most == INT64_MAX)
            rlxc_ox_fail(im, "%s is %lld, expected at least %lld", what, (long long)value,
                         (long long)least);
        else if (most == least)
            rlxc_ox_fail(im, "%s is %lld, expected %lld", what, (long long)value, (long long)least);
        else
            rlxc_ox_fail(im, "%s is %lld, expected %lld to %lld", what, (long long)value,
                         (long long)least, (long long)most);
        return;
    }
    const rlxc_atom args[4] = {rlxc_atom_prim(e), rlxc_atom_prim(low), rlxc_atom_prim(high),
                               name_of(im, what)};
    emit(im, "rlx.check_number", args, 4);
}

void rlxc_ox_check_least(rlxc_ox *im, const rlxc_expr *e, int64_t low, const char *what)
{
    rlxc_ox_check_number(im, e, rlxc_ox_i(im, low), NULL, what);
}

const rlxc_expr *rlxc_ox_checked_axis(rlxc_ox *im, const rlxc_expr *e, uint32_t ndim)
{
    const rlxc_expr *n = rlxc_ox_i(im, ndim);
    rlxc_ox_check_number(im, e, rlxc_sub(im->ctx, rlxc_ox_i(im, 0), n),
                         rlxc_sub(im->ctx, n, rlxc_ox_i(im, 1)), "an axis");
    return rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, e, rlxc_ox_i(im, 0)),
                      rlxc_add(im->ctx, e, n), e);
}

void rlxc_ox_check_nonzero(rlxc_ox *im, const rlxc_expr *e, const char *what)
{
    if (im->failed || rlxc_prove_ne(im->ctx, e, rlxc_ox_i(im, 0), NULL))
        return;
    e = rlxc_canonical(im->ctx, e, NULL);
    if (rlxc_is_const(e, 0)) {
        rlxc_ox_fail(im, "%s is 0", what);
        return;
    }
    const rlxc_atom args[2] = {rlxc_atom_prim(e), name_of(im, what)};
    emit(im, "rlx.check_nonzero", args, 2);
}

void rlxc_ox_check_elements(rlxc_ox *im, rlxc_atom x, const rlxc_expr *low, const rlxc_expr *high,
                            const char *what)
{
    low = rlxc_canonical(im->ctx, low, NULL);
    high = rlxc_canonical(im->ctx, high, NULL);
    const rlxc_atom args[4] = {x, rlxc_atom_shape(im->ctx, &low, 1),
                               rlxc_atom_shape(im->ctx, &high, 1), name_of(im, what)};
    emit(im, "rlx.check_index", args, 4);
}

void rlxc_ox_check_nonzero_elements(rlxc_ox *im, rlxc_atom x, const char *what)
{
    const rlxc_atom args[2] = {x, name_of(im, what)};
    emit(im, "rlx.check_nonzero", args, 2);
}
