/* Constant folding of expressions, with the arithmetic of each type.
 *
 * Integers narrower than 64 bits and uint64 wrap; int64 (the type of shapes and indices) is checked
 * and left unfolded when it would overflow. A division by constant zero is never folded. Floats are
 * computed in double and rounded once, which is exact for float32 and narrower (double has more
 * than twice their precision); operations where that does not hold are left alone. */
#include "compiler/ir/expr_state.h"

#include "rlx/checked.h"
#include "rlx/floats.h"

#include <math.h>

int64_t rlxc_wrap_int(rlx_dtype dtype, int64_t value)
{
    if (dtype.code == RLX_BOOL)
        return value != 0;
    if (dtype.bits == 0 || dtype.bits >= 64)
        return value;
    uint64_t mask = (UINT64_C(1) << dtype.bits) - 1;
    uint64_t low = (uint64_t)value & mask;
    bool negative = dtype.code == RLX_INT && (low >> (dtype.bits - 1)) != 0;
    return (int64_t)(negative ? low | ~mask : low);
}

double rlxc_round_float(rlx_dtype dtype, double value)
{
    return dtype.bits == 64 ? value : rlx_float_decode(dtype, rlx_float_encode(dtype, value));
}

bool rlxc_is_compare(rlxc_expr_kind kind)
{
    return kind >= RLXC_EXPR_EQ && kind <= RLXC_EXPR_GE;
}

/* a kind b for 64-bit operands that hold a signed type. */
static bool fold_signed(rlxc_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    /* One switch over all kinds of expression; kinds that are not listed have no operands to fold.
     */
    switch (kind) {
    case RLXC_EXPR_ADD:
        return rlx_add_i64(a, b, out);
    case RLXC_EXPR_SUB:
        return rlx_sub_i64(a, b, out);
    case RLXC_EXPR_MUL:
        return rlx_mul_i64(a, b, out);
    case RLXC_EXPR_DIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a / b;
        return true;
    case RLXC_EXPR_MOD:
        if (b == 0)
            return false;
        *out = b == -1 ? 0 : a % b;
        return true;
    case RLXC_EXPR_FLOORDIV:
        return rlx_floordiv_i64(a, b, out);
    case RLXC_EXPR_FLOORMOD:
        return rlx_floormod_i64(a, b, out);
    case RLXC_EXPR_MIN:
        *out = a < b ? a : b;
        return true;
    case RLXC_EXPR_MAX:
        *out = a > b ? a : b;
        return true;
    case RLXC_EXPR_EQ:
        *out = a == b;
        return true;
    case RLXC_EXPR_NE:
        *out = a != b;
        return true;
    case RLXC_EXPR_LT:
        *out = a < b;
        return true;
    case RLXC_EXPR_LE:
        *out = a <= b;
        return true;
    case RLXC_EXPR_GT:
        *out = a > b;
        return true;
    case RLXC_EXPR_GE:
        *out = a >= b;
        return true;
    case RLXC_EXPR_AND:
        *out = a && b;
        return true;
    case RLXC_EXPR_OR:
        *out = a || b;
        return true;
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        RLXC_OTHER_EXPRS(RLXC_EXPR_CASE)
        return false;
    }
    return false;
}

/* The kinds whose arithmetic differs between uint64 and int64. */
static bool fold_unsigned64(rlxc_expr_kind kind, uint64_t a, uint64_t b, int64_t *out)
{
    if (kind == RLXC_EXPR_ADD)
        *out = (int64_t)(a + b);
    else if (kind == RLXC_EXPR_SUB)
        *out = (int64_t)(a - b);
    else if (kind == RLXC_EXPR_MUL)
        *out = (int64_t)(a * b);
    else if ((kind == RLXC_EXPR_DIV || kind == RLXC_EXPR_FLOORDIV) && b != 0)
        *out = (int64_t)(a / b);
    else if ((kind == RLXC_EXPR_MOD || kind == RLXC_EXPR_FLOORMOD) && b != 0)
        *out = (int64_t)(a % b);
    else if (kind == RLXC_EXPR_MIN)
        *out = (int64_t)(a < b ? a : b);
    else if (kind == RLXC_EXPR_MAX)
        *out = (int64_t)(a > b ? a : b);
    else if (kind == RLXC_EXPR_LT)
        *out = a < b;
    else if (kind == RLXC_EXPR_LE)
        *out = a <= b;
    else if (kind == RLXC_EXPR_GT)
        *out = a > b;
    else if (kind == RLXC_EXPR_GE)
        *out = a >= b;
    else if (kind == RLXC_EXPR_EQ)
        *out = a == b;
    else if (kind == RLXC_EXPR_NE)
        *out = a != b;
    else
        return false;
    return true;
}

bool rlxc_fold_int(rlxc_expr_kind kind, rlx_dtype dtype, int64_t a, int64_t b, int64_t *out)
{
    int64_t result;
    if (dtype.code == RLX_UINT && dtype.bits == 64) {
        if (!fold_unsigned64(kind, (uint64_t)a, (uint64_t)b, &result))
            return false;
    } else if (!fold_signed(kind, a, b, &result)) {
        return false; /* 32-bit and narrower operands cannot overflow 64 bits */
    }
    if (rlxc_is_compare(kind))
        *out = result;
    else if (dtype.code == RLX_BOOL)
        *out = result & 1; /* bool arithmetic has one bit */
    else
        *out = rlxc_wrap_int(dtype, result);
    return true;
}

bool rlxc_fold_float(rlxc_expr_kind kind, rlx_dtype dtype, double a, double b, double *out,
                     bool *out_bool, bool *out_is_bool)
{
    double result = 0;
    *out_is_bool = rlxc_is_compare(kind);
    if (kind == RLXC_EXPR_ADD)
        result = a + b;
    else if (kind == RLXC_EXPR_SUB)
        result = a - b;
    else if (kind == RLXC_EXPR_MUL)
        result = a * b;
    else if (kind == RLXC_EXPR_DIV && b != 0)
        result = a / b;
    else if (kind == RLXC_EXPR_MIN && !isnan(a) && !isnan(b) && a != b)
        result = a < b ? a : b;
    else if (kind == RLXC_EXPR_MAX && !isnan(a) && !isnan(b) && a != b)
        result = a > b ? a : b;
    else if (kind == RLXC_EXPR_EQ)
        *out_bool = a == b;
    else if (kind == RLXC_EXPR_NE)
        *out_bool = a != b;
    else if (kind == RLXC_EXPR_LT)
        *out_bool = a < b;
    else if (kind == RLXC_EXPR_LE)
        *out_bool = a <= b;
    else if (kind == RLXC_EXPR_GT)
        *out_bool = a > b;
    else if (kind == RLXC_EXPR_GE)
        *out_bool = a >= b;
    else
        return false;
    if (!*out_is_bool)
        *out = rlxc_round_float(dtype, result);
    return true;
}

const rlxc_expr *rlxc_fold_cast(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *constant)
{
    if (dtype.lanes != 1 || constant->dtype.lanes != 1)
        return NULL;
    bool to_float = rlxc_dtype_is_float(dtype);
    if (!to_float && !rlxc_dtype_is_int(dtype) && !rlxc_dtype_is_bool(dtype))
        return NULL;
    if (constant->kind == RLXC_EXPR_INT) {
        rlx_dtype from = constant->dtype;
        if (!rlxc_dtype_is_int(from) && !rlxc_dtype_is_bool(from))
            return NULL;
        if (!to_float)
            return rlxc_int(ctx, dtype, constant->i);
        /* Beyond 2^53 the way through double could round twice. */
        if (constant->i > (INT64_C(1) << 53) || constant->i < -(INT64_C(1) << 53))
            return NULL;
        return rlxc_float(ctx, dtype, (double)constant->i);
    }
    if (constant->kind != RLXC_EXPR_FLOAT)
        return NULL;
    double value = constant->f;
    if (to_float)
        return rlxc_float(ctx, dtype, value);
    if (rlxc_dtype_is_bool(dtype))
        return rlxc_int(ctx, dtype, value != 0); /* NaN is true */
    double whole = trunc(value);
    if (!(whole >= -0x1p62 && whole <= 0x1p62) ||
        rlxc_wrap_int(dtype, (int64_t)whole) != (int64_t)whole)
        return NULL;
    return rlxc_int(ctx, dtype, (int64_t)whole);
}

/* x kind x for integers. */
static const rlxc_expr *fold_same(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *x)
{
    if (kind == RLXC_EXPR_MIN || kind == RLXC_EXPR_MAX || kind == RLXC_EXPR_AND ||
        kind == RLXC_EXPR_OR)
        return x;
    if (x->kind != RLXC_EXPR_VAR)
        return NULL; /* calls may give another value each time */
    if (kind == RLXC_EXPR_SUB)
        return rlxc_int(ctx, x->dtype, 0);
    if (kind == RLXC_EXPR_EQ || kind == RLXC_EXPR_LE || kind == RLXC_EXPR_GE)
        return rlxc_bool(ctx, true);
    if (kind == RLXC_EXPR_NE || kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT)
        return rlxc_bool(ctx, false);
    return NULL;
}

/* True if |c| is the least or greatest value of |x|'s type, the identity of MAX or MIN. */
static bool is_neutral(rlxc_expr_kind kind, const rlxc_expr *x)
{
    const rlx_dtype t = x->dtype;
    if (x->kind != RLXC_EXPR_INT || (t.code != RLX_INT && t.code != RLX_UINT))
        return false;
    const bool is_signed = t.code == RLX_INT;
    const uint64_t all = UINT64_MAX >> (64 - t.bits), half = all >> 1;
    if (kind == RLXC_EXPR_MIN)
        return ((uint64_t)x->i & all) == (is_signed ? half : all);
    return kind == RLXC_EXPR_MAX && ((uint64_t)x->i & all) == (is_signed ? half + 1 : 0);
}

const rlxc_expr *rlxc_fold_binary(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                                  const rlxc_expr *b)
{
    rlx_dtype dtype = a->dtype;
    if (a->kind == RLXC_EXPR_FLOAT && b->kind == RLXC_EXPR_FLOAT) {
        double value;
        bool truth, is_bool;
        if (!rlxc_fold_float(kind, dtype, a->f, b->f, &value, &truth, &is_bool))
            return NULL;
        return is_bool ? rlxc_bool(ctx, truth) : rlxc_float(ctx, dtype, value);
    }
    if (!rlxc_dtype_is_int(dtype) && !rlxc_dtype_is_bool(dtype))
        return NULL;
    bool a_const = a->kind == RLXC_EXPR_INT, b_const = b->kind == RLXC_EXPR_INT;
    if (a_const && b_const) {
        int64_t value;
        if (!rlxc_fold_int(kind, dtype, a->i, b->i, &value))
            return NULL;
        return rlxc_is_compare(kind) ? rlxc_bool(ctx, value != 0) : rlxc_int(ctx, dtype, value);
    }
    if (a == b)
        return fold_same(ctx, kind, a);
    if (is_neutral(kind, a) || is_neutral(kind, b))
        return is_neutral(kind, a) ? b : a;
    if (kind == RLXC_EXPR_ADD && a_const && a->i == 0)
        return b;
    if ((kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_SUB) && b_const && b->i == 0)
        return a;
    if (kind == RLXC_EXPR_MUL) {
        if (a_const && a->i == 1)
            return b;
        if (b_const && b->i == 1)
            return a;
        if ((a_const && a->i == 0 && b->kind == RLXC_EXPR_VAR) ||
            (b_const && b->i == 0 && a->kind == RLXC_EXPR_VAR))
            return rlxc_int(ctx, dtype, 0);
    }
    if ((kind == RLXC_EXPR_FLOORDIV || kind == RLXC_EXPR_DIV) && b_const && b->i == 1)
        return a;
    if ((kind == RLXC_EXPR_FLOORMOD || kind == RLXC_EXPR_MOD) && b_const && b->i == 1 &&
        a->kind == RLXC_EXPR_VAR)
        return rlxc_int(ctx, dtype, 0);
    if (kind == RLXC_EXPR_AND && a_const)
        return a->i ? b : a;
    if (kind == RLXC_EXPR_OR && a_const)
        return a->i ? a : b;
    if (kind == RLXC_EXPR_AND && b_const && b->i)
        return a;
    if (kind == RLXC_EXPR_OR && b_const && !b->i)
        return a;
    return NULL;
}
