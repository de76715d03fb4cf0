/* Elementwise operators.
 *
 * The ones that exporters use to compute shapes are also evaluated on known elements. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/quantize.h"
#include "compiler/onnx/sizes.h"

/* --- on known elements ------------------------------------------------------------------------ */

/* |a| / |b| with ONNX's rounding, |b| a positive constant: exporters write the length after
 * convolutions as (n - 1) / 2 + 1, and n may be 0. */
static const rlxc_expr *towards_zero(rlxc_ox *im, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *up = rlxc_sub(im->ctx, b, rlxc_ox_i(im, 1));
    if (rlxc_prove_le(im->ctx, rlxc_sub(im->ctx, zero, up), a, NULL))
        a = rlxc_ox_bin(im, RLXC_EXPR_MAX, a, zero);
    else
        a = rlxc_add(im->ctx, a, rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, a, zero), up, zero));
    return rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, a, b);
}

static const rlxc_expr *evaluate(rlxc_ox *im, const char *op, rlx_dtype dtype, const rlxc_expr *a,
                                 const rlxc_expr *b)
{
    static const struct {
        const char *op;
        rlxc_expr_kind kind;
    } kinds[] = {{"add", RLXC_EXPR_ADD},           {"subtract", RLXC_EXPR_SUB},
                 {"multiply", RLXC_EXPR_MUL},      {"maximum", RLXC_EXPR_MAX},
                 {"minimum", RLXC_EXPR_MIN},       {"equal", RLXC_EXPR_EQ},
                 {"less", RLXC_EXPR_LT},           {"less_equal", RLXC_EXPR_LE},
                 {"greater", RLXC_EXPR_GT},        {"greater_equal", RLXC_EXPR_GE},
                 {"logical_and", RLXC_EXPR_MIN},   {"logical_or", RLXC_EXPR_MAX},
                 {"floor_mod", RLXC_EXPR_FLOORMOD}};
    int64_t divisor, known;
    if (strcmp(op, "divide") == 0) {
        if (!rlxc_is_int(b, &divisor)) { /* a multiple of b: b * windows / windows */
            const rlxc_expr *q =
                rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, a, b), NULL);
            return rlxc_prove_eq(im->ctx, rlxc_mul(im->ctx, q, b), a, NULL) ? q : NULL;
        }
        if (divisor == 0)
            return NULL;
        const rlxc_expr *rest =
            rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORMOD, a, b), NULL);
        bool exact = rlxc_is_const(rest, 0);
        bool floors = !rlxc_dtype_is_float(dtype) && divisor > 0 && rlxc_ox_is_size(im, a);
        if (exact || floors)
            return rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, a, b);
        if (rlxc_dtype_is_float(dtype))
            return NULL;
        if (rlxc_is_int(a, &known))
            return known != INT64_MIN || divisor > 0 ? rlxc_ox_i(im, known / divisor) : NULL;
        return divisor > 0 ? towards_zero(im, a, b) : NULL;
    }
    if (strcmp(op, "floor_mod") == 0 && (!rlxc_is_int(b, &divisor) || divisor == 0))
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].op, op) != 0)
            continue;
        const rlxc_expr *e = rlxc_ox_bin(im, kinds[i].kind, a, b);
        if (kinds[i].kind < RLXC_EXPR_EQ)
            return e;
        if (rlxc_prove_eq(im->ctx, a, b, NULL) && kinds[i].kind == RLXC_EXPR_EQ)
            return rlxc_ox_i(im, 1);
        if (rlxc_prove_ne(im->ctx, a, b, NULL) && kinds[i].kind == RLXC_EXPR_EQ)
            return rlxc_ox_i(im, 0);
        return rlxc_ox_if(im, e, rlxc_ox_i(im, 1), rlxc_ox_i(im, 0));
    }
    return NULL;
}

/* Sets output 0 from known elements; false: not possible. */
static bool evaluated(rlxc_ox *im, const char *op, bool gives_bool)
{
    const rlxc_expr *const *a, *const *b;
    uint32_t n, m;
    rlxc_ox_value *x = rlxc_ox_value_in(im, 0), *y = rlxc_ox_value_in(im, 1);
    if (!rlxc_ox_known(im, x, &a, &n) || !rlxc_ox_known(im, y, &b, &m) ||
        (x->atom.kind == RLXC_ATOM_CONSTANT && y->atom.kind == RLXC_ATOM_CONSTANT &&
         !rlxc_dtype_eq(x->dtype, RLX_I64)) ||
        (n != m && n != 1 && m != 1))
        return false;
    uint32_t count = n == 1 ? m : n;
    const rlxc_expr **out = rlxc_alloc(im->ctx, (count + 1) * sizeof(const rlxc_expr *));
    for (uint32_t i = 0; i < count; i++)
        if (!(out[i] = evaluate(im, op, x->dtype, a[n == 1 ? 0 : i], b[m == 1 ? 0 : i])))
            return false;
    rlxc_ox_set_elems(im, 0, gives_bool ? RLX_B8 : x->dtype, x->is_vector || y->is_vector, out,
                      count);
    return true;
}

/* --- unary ------------------------------------------------------------------------------------ */

void rlxc_ox_import_unary(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_expr *const *a;
    uint32_t n;
    rlxc_ox_value *x = rlxc_ox_value_in(im, 0);
    bool whole = strcmp(row->arg, "floor") == 0 || strcmp(row->arg, "ceil") == 0 ||
                 strcmp(row->arg, "round") == 0;
    bool negative = strcmp(row->arg, "negative") == 0, not = strcmp(row->arg, "logical_not") == 0;
    if ((whole || negative || not ) && rlxc_ox_known(im, x, &a, &n)) {
        const rlxc_expr **out = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++)
            out[i] = whole ? a[i] : rlxc_sub(im->ctx, rlxc_ox_i(im, not ? 1 : 0), a[i]);
        rlxc_ox_set_elems(im, 0, x->dtype, x->is_vector, out, n);
        return;
    }
    rlxc_ox_set(im, 0, rlxc_ox_op1(im, row->arg, rlxc_ox_in(im, 0)));
}

void rlxc_ox_import_identity(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    rlxc_ox_value *copy = rlxc_copy(im->ctx, v, sizeof *v);
    rlxc_ox_set_value(im, 0, copy);
}

void rlxc_ox_import_reciprocal(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "divide", rlxc_ox_number(im, rlxc_ox_type(im, x), 1), x));
}

/* --- binary ----------------------------------------------------------------------------------- */

/* The second operand in the broadcasting of opset 6 and before: aligned at an axis. */
static rlxc_atom second(rlxc_ox *im, rlxc_atom a)
{
    rlxc_atom b = rlxc_ox_in(im, 1);
    uint32_t n = rlxc_ox_ndim(im, a), m = rlxc_ox_ndim(im, b);
    if (im->opset >= 7 || !rlxc_ox_int(im, "broadcast", 0) || !rlxc_ox_attr(im, "axis") || m >= n)
        return b;
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), n);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, b, dims);
    if (axis + m > n) {
        rlxc_ox_fail(im, "axis %u is out of range", axis);
        return b;
    }
    for (uint32_t i = m; i < n - axis; i++)
        dims[i] = rlxc_ox_i(im, 1);
    return rlxc_ox_reshape(im, b, dims, n - axis);
}

void rlxc_ox_import_binary(rlxc_ox *im, const rlxc_ox_row *row)
{
    bool compares = strstr("equal less less_equal greater greater_equal", row->arg) != NULL;
    if (im->opset >= 7 && evaluated(im, row->arg, compares))
        return;
    rlxc_atom a = rlxc_ox_in(im, 0), b = second(im, a);
    rlxc_ox_same_floats(im, 0, 1, &a, &b);
    rlx_dtype t = rlxc_ox_type(im, a);
    /* Relax compares only numbers; booleans are compared as bytes. */
    if (compares && t.code == RLX_BOOL) {
        a = rlxc_ox_cast(im, a, RLX_U8);
        b = rlxc_ox_cast(im, b, RLX_U8);
    }
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, row->arg, a, b));
}

void rlxc_ox_import_pow(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a = rlxc_ox_in(im, 0), b = second(im, a);
    rlx_dtype t = rlxc_ox_type(im, a), u = rlxc_ox_type(im, b), wide = t;
    if (!rlxc_dtype_is_float(t) && rlxc_dtype_is_float(u))
        wide = u.bits > 32 || t.bits > 32 ? RLX_F64 : RLX_F32;
    rlxc_atom y = rlxc_ox_op2(im, "power", rlxc_ox_cast(im, a, wide), rlxc_ox_cast(im, b, wide));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

void rlxc_ox_import_mod(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    bool truncates = rlxc_ox_int(im, "fmod", 0) != 0;
    if (!truncates && evaluated(im, "floor_mod", false))
        return;
    rlxc_ox_set(
        im, 0,
        rlxc_ox_op2(im, truncates ? "mod" : "floor_mod", rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)));
}

void rlxc_ox_import_bit_shift(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const char *op = rlxc_ox_is(im, "direction", "", "LEFT") ? "left_shift" : "right_shift";
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, op, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)));
}

void rlxc_ox_import_variadic(rlxc_ox *im, const rlxc_ox_row *row)
{
    bool mean = strcmp(row->arg, "mean") == 0;
    uint32_t n = rlxc_ox_n_inputs(im);
    if (n == 2 && !mean && evaluated(im, row->arg, false))
        return;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const rlx_dtype t = rlxc_ox_type(im, x);
    bool rounds = mean || (n > 2 && strcmp(row->arg, "add") == 0);
    for (uint32_t i = 1; i < n; i++)
        rounds = rounds && rlxc_dtype_eq(rlxc_ox_type(im, rlxc_ox_in(im, i)), t);
    x = rounds ? rlxc_ox_wide_in(im, 0) : x;
    for (uint32_t i = 1; i < n; i++) {
        rlxc_atom y = rounds ? rlxc_ox_wide_in(im, i) : rlxc_ox_in(im, i);
        rlxc_ox_same_floats(im, i - 1, i, &x, &y);
        x = rlxc_ox_op2(im, mean ? "add" : row->arg, x, y);
    }
    if (mean)
        x = rlxc_ox_op2(im, "divide", x, rlxc_ox_number(im, rlxc_ox_type(im, x), n));
    rlxc_ox_set(im, 0, rounds ? rlxc_ox_cast(im, x, t) : x);
}

void rlxc_ox_import_where(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *c, *const *a, *const *b;
    uint32_t n, m, k;
    rlxc_ox_value *x = rlxc_ox_value_in(im, 1), *y = rlxc_ox_value_in(im, 2),
                  *cond = rlxc_ox_value_in(im, 0);
    if (rlxc_ox_known(im, cond, &c, &n) && rlxc_ox_known(im, x, &a, &m) &&
        rlxc_ox_known(im, y, &b, &k) && (m == n || m == 1) && (k == n || k == 1)) {
        const rlxc_expr **out = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++)
            out[i] = rlxc_ox_if(im, rlxc_binary(im->ctx, RLXC_EXPR_NE, c[i], rlxc_ox_i(im, 0)),
                                a[m == 1 ? 0 : i], b[k == 1 ? 0 : i]);
        rlxc_ox_set_elems(im, 0, x->dtype, cond->is_vector || x->is_vector || y->is_vector, out, n);
        return;
    }
    rlxc_atom test = rlxc_ox_in(im, 0), yes = rlxc_ox_in(im, 1), no = rlxc_ox_in(im, 2);
    rlxc_ox_same_floats(im, 1, 2, &yes, &no);
    rlxc_ox_set(im, 0, rlxc_ox_op3(im, "where", test, yes, no));
}

/* True if elements stay known through a cast to |to|: sizes are assumed to fit, constants are
 * tested. */
static bool survives(const rlxc_ox_value *x, const rlxc_expr *const *elems, uint32_t n,
                     rlx_dtype to)
{
    int64_t value, most = to.bits == 64 ? INT64_MAX : to.bits == 32 ? INT32_MAX : 0;
    bool ok = x->atom.kind != RLXC_ATOM_CONSTANT || to.code == RLX_INT;
    for (uint32_t i = 0; i < n && ok && x->atom.kind == RLXC_ATOM_CONSTANT; i++)
        ok = rlxc_is_int(elems[i], &value) && value <= most && value >= -most;
    return ok;
}

/* Casts a few constant floats to a type that has them all, so that they stay known: converters to
 * float16 put such casts before what must not be float16, the scales of Resize, say. Weights that
 * leave the file are not known. */
static bool widen_constant(rlxc_ox *im, rlxc_ox_value *x, rlx_dtype to)
{
    if (x->kind != RLXC_OX_TENSOR || x->atom.kind != RLXC_ATOM_CONSTANT)
        return false;
    const rlxc_constant *c = x->atom.constant;
    if (rlxc_map_get(&im->weights.in, rlxc_key(c)) || !rlxc_dtype_is_float(c->dtype) ||
        !rlxc_dtype_is_float(to) || to.bits < 32 || c->dtype.bits > to.bits ||
        c->nbytes / rlx_dtype_size(c->dtype) > RLXC_OX_MAX_ELEMS)
        return false;
    rlxc_ox_set(im, 0, rlxc_ox_wide_constant(im, c, to));
    return true;
}

void rlxc_ox_import_cast(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_expr *const *elems;
    uint32_t n;
    rlx_dtype to = RLX_F32;
    rlxc_ox_value *x = rlxc_ox_value_in(im, 0);
    if (strcmp(row->name, "CastLike") == 0) {
        to = rlxc_ox_type(im, rlxc_ox_in(im, 1));
    } else if (rlxc_ox_attr(im, "to") && rlxc_ox_attr(im, "to")->has_s) {
        const char *name = rlxc_ox_str(im, "to", "");
        static const char *const names[] = {"FLOAT",  "UINT8",  "INT8",   "UINT16", "INT16",
                                            "INT32",  "INT64",  "STRING", "BOOL",   "FLOAT16",
                                            "DOUBLE", "UINT32", "UINT64"};
        int32_t code = 0;
        for (int32_t i = 0; i < 13; i++)
            if (strcmp(names[i], name) == 0)
                code = i + 1;
        if (!rlxc_ox_dtype_of(code, &to))
            rlxc_ox_fail(im, "cannot cast to %s", name);
    } else if (!rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "to", 0), &to)) {
        rlxc_ox_fail(im, "cannot cast to element type %lld", (long long)rlxc_ox_int(im, "to", 0));
    }
    if (!rlxc_dtype_is_stored(to) && rlxc_ox_known(im, x, &elems, &n) &&
        survives(x, elems, n, to)) {
        const rlxc_expr **out = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++)
            out[i] =
                to.code == RLX_BOOL
                    ? rlxc_ox_if(im, rlxc_binary(im->ctx, RLXC_EXPR_NE, elems[i], rlxc_ox_i(im, 0)),
                                 rlxc_ox_i(im, 1), rlxc_ox_i(im, 0))
                    : elems[i];
        rlxc_ox_set_elems(im, 0, to, x->is_vector, out, n);
        return;
    }
    if (im->failed || widen_constant(im, x, to))
        return;
    rlxc_atom a = rlxc_ox_in(im, 0);
    if (to.code == RLX_BOOL && rlxc_dtype_is_stored(rlxc_ox_type(im, a)))
        a = rlxc_ox_cast(im, a, RLX_F32);
    if (rlxc_dtype_is_float8(to) && rlxc_ox_int(im, "saturate", 1) != 0) {
        rlxc_ox_set(im, 0, rlxc_ox_saturated(im, a, to));
        return;
    }
    if (to.code == RLX_BOOL && rlxc_ox_type(im, a).code != RLX_BOOL)
        a = rlxc_ox_op2(im, "not_equal", a, rlxc_ox_number(im, rlxc_ox_type(im, a), 0));
    if (rlx_dtype_is_packed(to) && rlxc_dtype_is_float(rlxc_ox_type(im, a)))
        a = rlxc_ox_cast(im, a, RLX_I32); /* out-of-range values keep their low bits */
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, a, to));
}

void rlxc_ox_import_bit_cast(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlx_dtype t = rlxc_ox_type(im, x), to = t;
    if (!rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "to", 0), &to) || to.bits != t.bits) {
        rlxc_ox_fail(im, "the types must have the same size");
        return;
    }
    rlxc_ox_dims(im, x, dims);
    const rlxc_atom args[3] = {x, rlxc_atom_shape(im->ctx, dims, rlxc_ox_ndim(im, x)),
                               rlxc_atom_dtype(to)};
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "memory.view", args, 3, (rlxc_attrs){0}));
}

/* |x| limited by input |i| of the node (1: minimum, 2: maximum); a NaN limit has no effect. */
static rlxc_atom bounded(rlxc_ox *im, rlxc_atom x, uint32_t i)
{
    const char *const name = i == 1 ? "min" : "max", *const op = i == 1 ? "maximum" : "minimum";
    const rlx_dtype t = rlxc_ox_type(im, x);
    const bool attribute = im->opset < 11;
    double value = attribute ? rlxc_ox_float(im, name, (double)NAN) : 0;
    uint32_t n;
    if (attribute ? isnan(value) : !rlxc_ox_has(im, i))
        return x;
    if (attribute)
        return rlxc_ox_op2(im, op, x, rlxc_ox_number(im, t, value));
    rlxc_atom bound = rlxc_ox_in(im, i);
    if (!rlxc_dtype_is_float(t))
        return rlxc_ox_op2(im, op, x, bound);
    if (!rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, i), &value, 1, &n)) {
        const double none = i == 1 ? -(double)INFINITY : (double)INFINITY;
        bound = rlxc_ox_op3(im, "where", rlxc_ox_op1(im, "isnan", bound),
                            rlxc_ox_number(im, t, none), bound);
    } else if (n == 1 && isnan(value)) {
        return x;
    }
    return rlxc_ox_op2(im, op, x, bound);
}

void rlxc_ox_import_clip(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0, bounded(im, bounded(im, rlxc_ox_in(im, 0), 1), 2));
}

/* --- activations ------------------------------------------------------------------------------ */

static rlxc_atom zero_or(rlxc_ox *im, const char *op, rlxc_atom x)
{
    return rlxc_ox_op2(im, op, x, rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
}

static rlxc_atom scaled(rlxc_ox *im, rlxc_atom x, double by)
{
    return by == 1 ? x
                   : rlxc_ox_op2(im, "multiply", x, rlxc_ox_number(im, rlxc_ox_type(im, x), by));
}

static rlxc_atom shifted(rlxc_ox *im, rlxc_atom x, double by)
{
    return by == 0 ? x : rlxc_ox_op2(im, "add", x, rlxc_ox_number(im, rlxc_ox_type(im, x), by));
}

/* gamma * (max(x, 0) + a * (exp(min(x, 0) / b) - 1)) */
static rlxc_atom elu(rlxc_ox *im, rlxc_atom x, double a, double b, double gamma)
{
    rlxc_atom low = zero_or(im, "minimum", x);
    if (b != 1)
        low = rlxc_ox_op2(im, "divide", low, rlxc_ox_number(im, rlxc_ox_type(im, x), b));
    low = scaled(im, shifted(im, rlxc_ox_op1(im, "exp", low), -1), a);
    return scaled(im, rlxc_ox_op2(im, "add", zero_or(im, "maximum", x), low), gamma);
}

rlxc_atom rlxc_ox_activation(rlxc_ox *im, const char *name, rlxc_atom x, double alpha, double beta)
{
    if (strcmp(name, "Relu") == 0)
        return zero_or(im, "maximum", x);
    if (strcmp(name, "Tanh") == 0)
        return rlxc_ox_op1(im, "tanh", x);
    if (strcmp(name, "Sigmoid") == 0)
        return rlxc_ox_op1(im, "sigmoid", x);
    if (strcmp(name, "Affine") == 0)
        return shifted(im, scaled(im, x, alpha), beta);
    if (strcmp(name, "LeakyRelu") == 0)
        return rlxc_ox_op0(im, "nn.leakyrelu", x,
                           rlxc_ox_with(im, (rlxc_attrs){0}, "alpha", rlxc_attr_float(alpha)));
    if (strcmp(name, "ScaledTanh") == 0)
        return scaled(im, rlxc_ox_op1(im, "tanh", scaled(im, x, beta)), alpha);
    if (strcmp(name, "HardSigmoid") == 0) {
        rlx_dtype t = rlxc_ox_type(im, x);
        rlxc_atom y = shifted(im, scaled(im, x, alpha), beta);
        return rlxc_ox_op2(im, "maximum", rlxc_ox_op2(im, "minimum", y, rlxc_ox_number(im, t, 1)),
                           rlxc_ox_number(im, t, 0));
    }
    if (strcmp(name, "Elu") == 0)
        return elu(im, x, alpha, 1, 1);
    if (strcmp(name, "Softsign") == 0)
        return rlxc_ox_op2(im, "divide", x, shifted(im, rlxc_ox_op1(im, "abs", x), 1));
    if (strcmp(name, "Softplus") == 0)
        return rlxc_ox_op1(im, "nn.softplus", x);
    if (strcmp(name, "ThresholdedRelu") == 0) {
        const rlx_dtype t = rlxc_ox_type(im, x);
        rlxc_atom above = rlxc_ox_op2(im, "greater", x, rlxc_ox_number(im, t, alpha));
        return rlxc_ox_op3(im, "where", above, x, rlxc_ox_number(im, t, 0));
    }
    rlxc_ox_fail(im, "activation '%s' is not supported", name);
    return x;
}

void rlxc_ox_import_elu(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    if (strcmp(row->arg, "selu") == 0)
        x = elu(im, x,
                rlxc_ox_float(im, "alpha", im->opset < 6 ? 1.6732 : 1.67326319217681884765625), 1,
                rlxc_ox_float(im, "gamma", im->opset < 6 ? 1.0507 : 1.05070102214813232421875));
    else if (strcmp(row->arg, "celu") == 0)
        x = elu(im, x, rlxc_ox_float(im, "alpha", 1), rlxc_ox_float(im, "alpha", 1), 1);
    else
        x = elu(im, x, rlxc_ox_float(im, "alpha", 1), 1, 1);
    rlxc_ox_set_rounded(im, 0, x);
}

void rlxc_ox_import_leaky_relu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0,
                rlxc_ox_activation(im, "LeakyRelu", rlxc_ox_in(im, 0),
                                   rlxc_ox_float(im, "alpha", 0.01), 0));
}

void rlxc_ox_import_prelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), slope = rlxc_ox_in(im, 1);
    if (im->opset < 7 && rlxc_ox_ndim(im, slope) == 1 && rlxc_ox_ndim(im, x) > 1 &&
        !rlxc_is_const(rlxc_ox_dim(im, slope, 0), 1))
        slope = rlxc_ox_along(im, slope, 1, rlxc_ox_ndim(im, x));
    rlxc_atom low = rlxc_ox_op2(im, "multiply", x, slope);
    rlxc_atom test = zero_or(im, "less", x);
    rlxc_ox_set(im, 0, rlxc_ox_op3(im, "where", test, low, x));
}

void rlxc_ox_import_threshold(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    if (strcmp(row->arg, "relu") == 0) {
        rlxc_atom test =
            rlxc_ox_op2(im, "greater", x, rlxc_ox_number(im, t, rlxc_ox_float(im, "alpha", 1)));
        rlxc_ox_set_rounded(im, 0, rlxc_ox_op3(im, "where", test, x, rlxc_ox_number(im, t, 0)));
        return;
    }
    t = rlxc_dtype_is_float(t) ? t : RLX_F64; /* neither number has to be an integer */
    x = rlxc_ox_cast(im, x, t);
    const rlxc_atom lambda = rlxc_ox_number(im, t, rlxc_ox_float(im, "lambd", 0.5)),
                    minus = rlxc_ox_number(im, t, -rlxc_ox_float(im, "lambd", 0.5)),
                    bias = rlxc_ox_number(im, t, rlxc_ox_float(im, "bias", 0));
    rlxc_atom y = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "greater", x, lambda),
                              rlxc_ox_op2(im, "subtract", x, bias), rlxc_ox_number(im, t, 0));
    y = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "less", x, minus), rlxc_ox_op2(im, "add", x, bias),
                    y);
    rlxc_ox_set_rounded(im, 0, y);
}

void rlxc_ox_import_hard_sigmoid(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    double alpha = row->arg ? 1.0 / 6 : rlxc_ox_float(im, "alpha", 0.2);
    rlxc_atom y = rlxc_ox_activation(im, "HardSigmoid", x, alpha, rlxc_ox_float(im, "beta", 0.5));
    rlxc_ox_set_rounded(im, 0, row->arg ? rlxc_ox_op2(im, "multiply", x, y) : y);
}

void rlxc_ox_import_softsign(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set_rounded(im, 0, rlxc_ox_activation(im, "Softsign", rlxc_ox_wide_in(im, 0), 0, 0));
}

void rlxc_ox_import_gelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    bool is_tanh = rlxc_ox_is(im, "approximate", "none", "tanh");
    rlxc_ox_set(im, 0, rlxc_ox_op1(im, is_tanh ? "nn.gelu_tanh" : "nn.gelu", rlxc_ox_in(im, 0)));
}

void rlxc_ox_import_mish(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    rlxc_ox_set_rounded(
        im, 0,
        rlxc_ox_op2(im, "multiply", x, rlxc_ox_op1(im, "tanh", rlxc_ox_op1(im, "nn.softplus", x))));
}

void rlxc_ox_import_isinf(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    bool up = rlxc_ox_int(im, "detect_positive", 1) != 0,
         down = rlxc_ox_int(im, "detect_negative", 1) != 0;
    rlxc_atom y =
        up && down ? rlxc_ox_op1(im, "isinf", x)
                   : rlxc_ox_op2(im, "equal", x,
                                 rlxc_ox_number(im, t, up ? (double)INFINITY : -(double)INFINITY));
    if (!up && !down) {
        const rlxc_expr *dims[RLXC_MAX_NDIM];
        rlxc_ox_dims(im, x, dims);
        y = rlxc_ox_full(im, RLX_B8, 0, dims, rlxc_ox_ndim(im, x));
    }
    rlxc_ox_set(im, 0, y);
}
