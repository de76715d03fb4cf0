/* Checks of values on devices: kernels that read them and fail at an illegal one.
 *
 * There is one kernel for each source location, which its message names; it writes nothing. The
 * function's call reports a failure when it ends; until then operators that read the values stay
 * within their operands and do not divide by 0, as with --lenient. */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/ops/device_forms.h"

/* "take: index", which argument |i| of the builtin says, with |rest|. */
static const char *message(const rlxc_te *te, uint32_t i, const char *rest)
{
    const rlxc_atom what = te->call->args[i];
    return rlxc_internf(te->ctx, "%s%s", what.kind == RLXC_ATOM_STRING ? what.text : "a value",
                        rest);
}

const rlxc_stmt *rlxc_form_fail_if(rlxc_te *te, const rlxc_expr *wrong, const char *before,
                                   const rlxc_expr *a, const char *between, const rlxc_expr *b)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_range at = te->call->range;
    const char *label = rlxc_line_label(ctx, at.file, at.line),
               *file = rlxc_file_base(ctx, at.file);
    const char *text = label ? rlxc_internf(ctx, "%s: %s", label, before)
                             : rlxc_internf(ctx, "%s:%u:%u: %s", file, at.line, at.col, before);
    const rlxc_expr *args[4] = {rlxc_string(ctx, text), a, rlxc_string(ctx, between), b};
    return rlxc_stmt_if(ctx, wrong,
                        rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, "check_index", args, 4)),
                        NULL);
}

/* Fails where |wrong|: "|before|: of 6 elements the one at 3", its place in row-major order. */
static const rlxc_stmt *fail_at(rlxc_te *te, const rlxc_expr *wrong, const char *before,
                                const rlxc_te_operand *x)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < te->n_axes; i++)
        at = rlxc_add(ctx, rlxc_mul(ctx, at, x->dims[i]), te->axes[i]);
    return rlxc_form_fail_if(te, wrong, rlxc_internf(ctx, "%s: of ", before),
                             rlxc_product(ctx, x->dims, te->n_axes), " elements the one at ", at);
}

static const rlxc_expr *either(rlxc_te *te, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(te->ctx, RLXC_EXPR_OR, a, b);
}

static const rlxc_expr *both(rlxc_te *te, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(te->ctx, RLXC_EXPR_AND, a, b);
}

static const rlxc_expr *compare(rlxc_te *te, rlxc_expr_kind kind, const rlxc_expr *a,
                                const rlxc_expr *b)
{
    return rlxc_binary(te->ctx, kind, a, b);
}

static const rlxc_expr *as_i64(rlxc_te *te, const rlxc_expr *e)
{
    return rlxc_cast(te->ctx, RLX_I64, rlxc_te_expr(te, e));
}

/* Begins a block with an axis for each dimension of operand 0; returns its element there. A NULL
 * result: a check has nothing to read. */
static const rlxc_expr *each_element(rlxc_te *te, rlxc_te_operand *x)
{
    *x = rlxc_te_operand_of(te, 0, "x");
    if (!x->buffer)
        return NULL;
    rlxc_te_spatial(te, "checked", x->buffer);
    return rlxc_te_get(te, x, te->axes);
}

/* --- rlx.check_index: low <= x < high, by places of the last dimension ------------------------ */

/* |value| is outside [low, high) and not |except|, which may be NULL. */
static const rlxc_stmt *check_range(rlxc_te *te, const rlxc_expr *value, const rlxc_expr *low,
                                    const rlxc_expr *high, const rlxc_expr *except,
                                    const rlxc_expr *where)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *wrong =
        either(te, compare(te, RLXC_EXPR_LT, value, low), compare(te, RLXC_EXPR_GE, value, high));
    int64_t first;
    const char *expected =
        rlxc_is_int(low, &first)
            ? rlxc_internf(ctx, " is out of range: expected %lld to ", (long long)first)
            : " is out of range: expected at most ";
    if (except)
        wrong = both(te, wrong, compare(te, RLXC_EXPR_NE, value, except));
    if (where)
        wrong = both(te, where, wrong);
    return rlxc_form_fail_if(te, wrong, message(te, 3, " "), value, expected,
                             rlxc_sub(ctx, high, rlxc_i64(ctx, 1)));
}

bool rlxc_form_check_index(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_binding *call = te->call;
    const rlxc_sinfo *s = te->view.in[0];
    const rlxc_stmt *body[RLXC_MAX_NDIM + 1];
    rlxc_te_operand x;
    uint32_t n = 0;
    int64_t last;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_int(s->dtype) || s->dtype.bits < 8 ||
        call->n_args < 4 || call->args[1].kind != RLXC_ATOM_SHAPE ||
        call->args[2].kind != RLXC_ATOM_SHAPE || call->args[1].n != call->args[2].n ||
        call->args[1].n == 0 || call->args[1].n > RLXC_MAX_NDIM)
        return false;
    const rlxc_atom low = call->args[1], high = call->args[2];
    if (low.n > 1 && (s->ndim < 1 || !rlxc_is_int(s->dims[s->ndim - 1], &last) || last != low.n))
        return false;
    for (uint32_t k = 0; k < low.n; k++) /* else some wrong numbers look right to T.check_index */
        if (!rlxc_prove_le(ctx, low.dims[k], rlxc_i64(ctx, 0), NULL))
            return false;
    const rlxc_expr *except = NULL;
    if (call->n_args > 4 && !(except = rlxc_prim_arg(ctx, te->b->module, call, 4)))
        return false;
    const rlxc_expr *element = each_element(te, &x);
    if (!element)
        return false;
    const rlxc_expr *value = rlxc_cast(ctx, RLX_I64, element);
    if (s->dtype.code == RLX_UINT && s->dtype.bits == 64)
        body[n++] = fail_at(te, compare(te, RLXC_EXPR_LT, value, rlxc_i64(ctx, 0)),
                            message(te, 3, " is out of range, 2^63 or more"), &x);
    if (except)
        except = as_i64(te, except);
    for (uint32_t k = 0; k < low.n; k++)
        body[n++] = check_range(
            te, value, as_i64(te, low.dims[k]), as_i64(te, high.dims[k]), except,
            low.n > 1 ? compare(te, RLXC_EXPR_EQ, te->axes[x.ndim - 1], rlxc_i64(ctx, k)) : NULL);
    rlxc_te_body(te, NULL, rlxc_stmt_seq(ctx, body, n));
    return true;
}

/* --- rlx.check_first: 0 <= x < high for the first element of each row of floats --------------- */

bool rlxc_form_check_first(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_sinfo *s = te->view.in[0];
    const rlxc_expr *limit = rlxc_prim_arg(ctx, te->b->module, te->call, 1);
    int64_t columns, most;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_float(s->dtype) || s->ndim != 2 ||
        !limit || !rlxc_is_int(s->dims[1], &columns) || columns < 1)
        return false;
    const rlxc_te_operand x = rlxc_te_operand_of(te, 0, "x");
    if (!x.buffer)
        return false;
    rlxc_te_block(te, "checked");
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *high = as_i64(te, limit);
    const rlxc_expr *row = rlxc_te_axis(te, RLXC_AXIS_SPATIAL, "ax0", x.dims[0]);
    const rlxc_expr *at[2] = {row, zero}, *value = rlxc_te_widen(te, rlxc_te_get(te, &x, at));
    const rlxc_expr *right =
        both(te, compare(te, RLXC_EXPR_GE, value, rlxc_te_number(ctx, value->dtype, 0)),
             compare(te, RLXC_EXPR_LT, value, rlxc_cast(ctx, value->dtype, high)));
    const char *limits =
        rlxc_is_int(limit, &most)
            ? rlxc_internf(ctx, " is out of range, expected 0 or more and less than %lld",
                           (long long)most)
            : " is out of range";
    rlxc_te_body(te, NULL, fail_at(te, rlxc_not(ctx, right), message(te, 2, limits), &x));
    return true;
}

/* --- rlx.check_nonzero ------------------------------------------------------------------------ */

bool rlxc_form_check_nonzero(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_sinfo *s = te->view.in[0];
    rlxc_te_operand x;
    if (!s || s->kind != RLXC_SINFO_TENSOR || s->dtype.bits < 8)
        return false;
    const rlxc_expr *value = each_element(te, &x);
    if (!value)
        return false;
    value = rlxc_te_widen(te, value);
    const rlxc_expr *wrong = compare(te, RLXC_EXPR_EQ, value, rlxc_te_number(ctx, value->dtype, 0));
    const bool is_float = rlxc_dtype_is_float(s->dtype);
    if (is_float)
        wrong = either(te, wrong, compare(te, RLXC_EXPR_NE, value, value));
    rlxc_te_body(
        te, NULL,
        fail_at(te, wrong, message(te, 1, is_float ? " is 0 or not a number" : " is 0"), &x));
    return true;
}
