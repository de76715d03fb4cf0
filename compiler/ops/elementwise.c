/* Elementwise and broadcasting operators: inference and legalization for all rows of
 * elementwise.def, astype, clip, where and ewise_fma.
 *
 * A row names the function that builds the value; everything else is shared. float16 and bfloat16
 * are computed in float32 and rounded once. */
#include "compiler/ops/te.h"

#include <string.h>

typedef enum operand_types { FLOAT, NUMBER, INTEGRAL, BOOL, VALUE, ANY, TEST } operand_types;

typedef struct unary_row unary_row;
struct unary_row {
    const char *name;
    operand_types types;
    const rlxc_expr *(*build)(rlxc_context *ctx, const unary_row *row, const rlxc_binding *call,
                              const rlxc_expr *x);
    const char *intrinsic;
};

typedef struct binary_row binary_row;
struct binary_row {
    const char *name;
    operand_types types;
    const rlxc_expr *(*build)(rlxc_context *ctx, const binary_row *row, const rlxc_expr *a,
                              const rlxc_expr *b);
    rlxc_expr_kind kind;
};

/* --- values of unary operators --- */

#define UNARY(build)                                                               \
    static const rlxc_expr *unary_##build(rlxc_context *ctx, const unary_row *row, \
                                          const rlxc_binding *call, const rlxc_expr *x)

static const rlxc_expr *number(rlxc_context *ctx, const rlxc_expr *like, double value)
{
    return rlxc_te_number(ctx, like->dtype, value);
}

static const rlxc_expr *max_of(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_MAX, a, b);
}

UNARY(intrinsic)
{
    (void)call;
    return rlxc_te_call1(ctx, row->intrinsic, x);
}

UNARY(test)
{
    (void)call;
    if (!rlxc_dtype_is_float(x->dtype)) /* integers are finite and no NaN */
        return rlxc_bool(ctx, strcmp(row->intrinsic, "isfinite") == 0);
    return rlxc_call(ctx, RLX_B8, rlxc_intern_cstr(ctx, row->intrinsic), &x, 1);
}

UNARY(abs)
{
    (void)row, (void)call;
    return x->dtype.code == RLX_UINT ? x : rlxc_te_call1(ctx, "abs", x);
}

UNARY(rounding)
{
    (void)call;
    return rlxc_dtype_is_float(x->dtype) ? rlxc_te_call1(ctx, row->intrinsic, x) : x;
}

UNARY(bitwise_not)
{
    (void)row, (void)call;
    return rlxc_dtype_is_bool(x->dtype) ? rlxc_not(ctx, x) : rlxc_te_call1(ctx, "bitwise_not", x);
}

UNARY(logical_not)
{
    (void)row, (void)call;
    if (rlxc_dtype_is_bool(x->dtype))
        return rlxc_not(ctx, x);
    return rlxc_binary(ctx, RLXC_EXPR_EQ, x, number(ctx, x, 0));
}

UNARY(negative)
{
    (void)row, (void)call;
    /* times -1, not 0 - x, which would make -0.0 into 0.0 */
    return rlxc_mul(ctx, x, number(ctx, x, -1));
}

UNARY(sign)
{
    (void)row, (void)call;
    const rlxc_expr *zero = number(ctx, x, 0);
    const rlxc_expr *positive = rlxc_binary(ctx, RLXC_EXPR_GT, x, zero);
    /* the last case keeps 0 and NaN */
    if (x->dtype.code == RLX_UINT)
        return rlxc_select(ctx, positive, number(ctx, x, 1), x);
    return rlxc_select(
        ctx, positive, number(ctx, x, 1),
        rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, x, zero), number(ctx, x, -1), x));
}

UNARY(square)
{
    (void)row, (void)call;
    return rlxc_mul(ctx, x, x);
}

UNARY(gelu)
{
    (void)row, (void)call;
    const rlxc_expr *e =
        rlxc_te_call1(ctx, "erf", rlxc_mul(ctx, x, number(ctx, x, 0.70710678118654757)));
    const rlxc_expr *p = rlxc_add(ctx, number(ctx, x, 0.5), rlxc_mul(ctx, e, number(ctx, x, 0.5)));
    return rlxc_mul(ctx, x, p);
}

/* x (1 + tanh(u / 2)) / 2 = x sigmoid(u), which does not cancel for negative u */
UNARY(gelu_tanh)
{
    (void)row, (void)call;
    const double slope = 1.5957691216057308, cubic = 0.044715 * slope; /* 2 sqrt(2 / pi) */
    const rlxc_expr *u =
        rlxc_mul(ctx, x,
                 rlxc_add(ctx, number(ctx, x, slope),
                          rlxc_mul(ctx, number(ctx, x, cubic), rlxc_mul(ctx, x, x))));
    return rlxc_mul(ctx, x, rlxc_te_call1(ctx, "sigmoid", u));
}

UNARY(leakyrelu)
{
    (void)row;
    const rlxc_expr *alpha = number(ctx, x, rlxc_attr_get_float(call, "alpha", 0.01));
    return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, number(ctx, x, 0), x), x,
                       rlxc_mul(ctx, x, alpha));
}

UNARY(relu)
{
    (void)row, (void)call;
    return max_of(ctx, x, number(ctx, x, 0));
}

UNARY(relu6)
{
    (void)row, (void)call;
    return rlxc_binary(ctx, RLXC_EXPR_MIN, max_of(ctx, x, number(ctx, x, 0)), number(ctx, x, 6));
}

UNARY(selu)
{
    (void)row, (void)call;
    const double alpha = 1.6732632423543772848170429916717,
                 scale = 1.0507009873554804934193349852946;
    const rlxc_expr *below = rlxc_mul(
        ctx, number(ctx, x, alpha), rlxc_sub(ctx, rlxc_te_call1(ctx, "exp", x), number(ctx, x, 1)));
    return rlxc_mul(
        ctx, number(ctx, x, scale),
        rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_GT, x, number(ctx, x, 0)), x, below));
}

UNARY(silu)
{
    (void)row, (void)call;
    return rlxc_mul(ctx, x, rlxc_te_call1(ctx, "sigmoid", x));
}

UNARY(softplus)
{
    (void)row;
    const rlxc_expr *beta = number(ctx, x, rlxc_attr_get_float(call, "beta", 1));
    const rlxc_expr *threshold = number(ctx, x, rlxc_attr_get_float(call, "threshold", 20));
    const rlxc_expr *bx = rlxc_mul(ctx, x, beta);
    const rlxc_expr *soft =
        rlxc_te_div(ctx, rlxc_te_call1(ctx, "log1p", rlxc_te_call1(ctx, "exp", bx)), beta);
    return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_GT, bx, threshold), x, soft);
}

/* --- values of binary operators --- */

#define BINARY(build)                                                                \
    static const rlxc_expr *binary_##build(rlxc_context *ctx, const binary_row *row, \
                                           const rlxc_expr *a, const rlxc_expr *b)

static const rlxc_expr *call2(rlxc_context *ctx, const char *intrinsic, const rlxc_expr *a,
                              const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    return rlxc_call(ctx, a->dtype, rlxc_intern_cstr(ctx, intrinsic), args, 2);
}

BINARY(arithmetic)
{
    return rlxc_binary(ctx, row->kind, a, b);
}

BINARY(multiply)
{
    return rlxc_binary(ctx, rlxc_dtype_is_bool(a->dtype) ? RLXC_EXPR_AND : row->kind, a, b);
}

BINARY(compare)
{
    return rlxc_binary(ctx, row->kind, a, b);
}

BINARY(floor_divide)
{
    if (!rlxc_dtype_is_float(a->dtype))
        return rlxc_binary(ctx, row->kind, a, b);
    return rlxc_te_call1(ctx, "floor", rlxc_te_div(ctx, a, b));
}

BINARY(floor_mod)
{
    if (!rlxc_dtype_is_float(a->dtype))
        return rlxc_binary(ctx, row->kind, a, b);
    return rlxc_sub(ctx, a, rlxc_mul(ctx, b, rlxc_te_call1(ctx, "floor", rlxc_te_div(ctx, a, b))));
}

BINARY(power)
{
    (void)row;
    if (rlxc_dtype_is_float(a->dtype))
        return rlxc_pow(ctx, a, b);
    if (b->kind == RLXC_EXPR_INT && (b->i == 2 || b->i == 3))
        return rlxc_mul(ctx, b->i == 2 ? a : rlxc_mul(ctx, a, a), a);
    /* integers go through float64, exact for results below 2^53 */
    const rlxc_expr *p = call2(ctx, "pow", rlxc_cast(ctx, RLX_F64, a), rlxc_cast(ctx, RLX_F64, b));
    return rlxc_cast(ctx, a->dtype, p);
}

BINARY(atan2)
{
    (void)row;
    return call2(ctx, "atan2", a, b);
}

/* Equal operands, also infinite ones, have difference 0. */
BINARY(log_add_exp)
{
    (void)row;
    const rlxc_expr *differ = rlxc_binary(ctx, RLXC_EXPR_NE, a, b);
    const rlxc_expr *apart = rlxc_select(ctx, differ, rlxc_sub(ctx, a, b), number(ctx, a, 0));
    const rlxc_expr *far = number(ctx, a, -1);
    far = rlxc_te_call1(ctx, "exp", rlxc_mul(ctx, rlxc_te_call1(ctx, "abs", apart), far));
    return rlxc_add(ctx, max_of(ctx, a, b), rlxc_te_call1(ctx, "log1p", far));
}

/* Of bools as well: T.And reads its second operand only where the first asks for it, which keeps
 * loops from being vectorised. */
BINARY(bits)
{
    if (rlxc_dtype_is_bool(a->dtype) && row->kind == RLXC_EXPR_NE)
        return rlxc_binary(ctx, row->kind, a, b);
    const char *name = row->kind == RLXC_EXPR_AND  ? "bitwise_and"
                       : row->kind == RLXC_EXPR_OR ? "bitwise_or"
                                                   : "bitwise_xor";
    return call2(ctx, name, a, b);
}

BINARY(shift)
{
    return call2(ctx, row->kind == RLXC_EXPR_LT ? "shift_left" : "shift_right", a, b);
}

static const unary_row unary_rows[] = {
#define RLXC_UNARY(name, types, attrs, build, intrinsic, doc) \
    {name, types, unary_##build, intrinsic},
#define RLXC_BINARY(name, types, build, arg, doc)
#include "compiler/ops/elementwise.def"
#undef RLXC_UNARY
#undef RLXC_BINARY
};

static const binary_row binary_rows[] = {
#define RLXC_UNARY(name, types, attrs, build, intrinsic, doc)
#define RLXC_BINARY(name, types, build, arg, doc) {name, types, binary_##build, arg},
#include "compiler/ops/elementwise.def"
#undef RLXC_UNARY
#undef RLXC_BINARY
};

static const unary_row *find_unary(const char *name)
{
    for (size_t i = 0; i < sizeof unary_rows / sizeof unary_rows[0]; i++)
        if (strcmp(unary_rows[i].name, name) == 0)
            return &unary_rows[i];
    return NULL;
}

static const binary_row *find_binary(const char *name)
{
    for (size_t i = 0; i < sizeof binary_rows / sizeof binary_rows[0]; i++)
        if (strcmp(binary_rows[i].name, name) == 0)
            return &binary_rows[i];
    return NULL;
}

/* --- inference --- */

static bool type_fits(const rlxc_call_view *v, uint32_t argument, operand_types types, rlx_dtype t)
{
    bool is_float = rlxc_dtype_is_float(t), is_int = rlxc_dtype_is_int(t),
         is_bool = rlxc_dtype_is_bool(t), fits = true;
    const char *expected = "";
    if (rlxc_dtype_is_void(t))
        return true;
    switch (types) {
    case FLOAT:
        fits = is_float;
        expected = "floating-point";
        break;
    case NUMBER:
        fits = is_float || is_int;
        expected = "number";
        break;
    case INTEGRAL:
        fits = is_int || is_bool;
        expected = "integer or bool";
        break;
    case BOOL:
        fits = is_bool;
        expected = "bool";
        break;
    case VALUE:
    case ANY:
    case TEST:
        break;
    }
    if (!fits)
        rlxc_infer_fail(v, argument, "expected %s elements, got %s", expected,
                        rlxc_dtype_name(v->ctx, t));
    return fits;
}

const rlxc_sinfo *rlxc_infer_unary(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const unary_row *row = find_unary(v.op);
    if (!type_fits(&v, 0, row->types, v.in[0]->dtype))
        return NULL;
    bool truth = row->types == TEST || row->types == ANY;
    return truth ? rlxc_tensor_like(&v, v.in[0], RLX_B8) : v.in[0];
}

const rlxc_sinfo *rlxc_infer_unary_like(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? v.in[0] : NULL;
}

const rlxc_sinfo *rlxc_infer_binary(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    const binary_row *row = find_binary(v.op);
    if (!type_fits(&v, 0, row->types, v.in[0]->dtype) ||
        !type_fits(&v, 1, row->types, v.in[1]->dtype))
        return NULL;
    return rlxc_broadcast_sinfo(&v, v.in[0], v.in[1], row->types == TEST ? RLX_B8 : dtype);
}

const rlxc_sinfo *rlxc_infer_astype(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (rlxc_dtype_is_void(dtype))
        return rlxc_infer_error(&v, "attribute 'dtype' must be an element type");
    return rlxc_tensor_like(&v, v.in[0], dtype);
}

const rlxc_sinfo *rlxc_infer_where(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 1, 2, &dtype))
        return NULL;
    if (!type_fits(&v, 0, BOOL, v.in[0]->dtype))
        return NULL;
    const rlxc_sinfo *both = rlxc_broadcast_sinfo(&v, v.in[1], v.in[2], dtype);
    return both ? rlxc_broadcast_sinfo(&v, v.in[0], both, dtype) : NULL;
}

/* --- legalization --- */

/* "add" of "add", "gelu" of "nn.gelu" */
static const char *base_name(const char *op)
{
    const char *dot = strrchr(op, '.');
    return dot ? dot + 1 : op;
}

static bool same_dims(const rlxc_te_operand *x, const rlxc_buffer *out)
{
    if (!x->buffer)
        return true;
    if (x->ndim != out->ndim)
        return false;
    for (uint32_t i = 0; i < x->ndim; i++)
        if (x->dims[i] != out->shape[i])
            return false;
    return true;
}

static const rlxc_expr *element(rlxc_te *te, const rlxc_te_operand *x, const rlxc_buffer *out)
{
    return rlxc_te_get_broadcast(te, x, te->axes, out->shape, out->ndim);
}

static const rlxc_expr *narrowed(rlxc_te *te, const rlxc_buffer *out, const rlxc_expr *value)
{
    return rlxc_dtype_eq(value->dtype, out->dtype) ? value : rlxc_cast(te->ctx, out->dtype, value);
}

rlxc_atom rlxc_legalize_unary(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    const unary_row *row = find_unary(call->op->name);
    if (!rlxc_te_begin(&te, b, call, base_name(row->name), RLXC_PATTERN_ELEMWISE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "compute");
    rlxc_te_spatial(&te, "compute", out);
    const rlxc_expr *value =
        row->build(te.ctx, row, call, rlxc_te_widen(&te, element(&te, &x, out)));
    rlxc_te_store(&te, out, narrowed(&te, out, value));
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_binary(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    const binary_row *row = find_binary(call->op->name);
    if (!rlxc_te_begin(&te, b, call, base_name(row->name), RLXC_PATTERN_BROADCAST))
        return (rlxc_atom){0};
    rlxc_te_operand lhs = rlxc_te_operand_of(&te, 0, "lhs");
    rlxc_te_operand rhs = rlxc_te_operand_of(&te, 1, "rhs");
    const char *name = rlxc_internf(te.ctx, "T_%s", te.name);
    const rlxc_buffer *out = rlxc_te_output(&te, name);
    if (same_dims(&lhs, out) && same_dims(&rhs, out))
        te.pattern = RLXC_PATTERN_ELEMWISE;
    rlxc_te_spatial(&te, name, out);
    const rlxc_expr *value = row->build(te.ctx, row, rlxc_te_widen(&te, element(&te, &lhs, out)),
                                        rlxc_te_widen(&te, element(&te, &rhs, out)));
    rlxc_te_store(&te, out, narrowed(&te, out, value));
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_astype(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "cast", RLXC_PATTERN_ELEMWISE))
        return (rlxc_atom){0};
    if (rlxc_dtype_eq(te.view.in[0]->dtype, te.out->dtype))
        return call->args[0];
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "compute");
    rlxc_te_spatial(&te, "compute", out);
    rlxc_te_store(&te, out, rlxc_cast(te.ctx, out->dtype, element(&te, &x, out)));
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_clip(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "clip", RLXC_PATTERN_ELEMWISE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "compute");
    const rlxc_expr *low = rlxc_te_prim(&te, 1, out->dtype),
                    *high = rlxc_te_prim(&te, 2, out->dtype);
    rlxc_te_spatial(&te, "compute", out);
    const rlxc_expr *value = rlxc_binary(te.ctx, RLXC_EXPR_MIN, element(&te, &x, out), high);
    rlxc_te_store(&te, out, max_of(te.ctx, value, low));
    return rlxc_te_finish(&te);
}

rlxc_atom rlxc_legalize_where(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "where", RLXC_PATTERN_BROADCAST))
        return (rlxc_atom){0};
    rlxc_te_operand condition = rlxc_te_operand_of(&te, 0, "condition");
    rlxc_te_operand x1 = rlxc_te_operand_of(&te, 1, "x1"), x2 = rlxc_te_operand_of(&te, 2, "x2");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_where");
    if (same_dims(&condition, out) && same_dims(&x1, out) && same_dims(&x2, out))
        te.pattern = RLXC_PATTERN_ELEMWISE;
    rlxc_te_spatial(&te, "T_where", out);
    rlxc_te_store(&te, out,
                  rlxc_select(te.ctx, element(&te, &condition, out), element(&te, &x1, out),
                              element(&te, &x2, out)));
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_fma(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !type_fits(&v, 0, NUMBER, v.in[0]->dtype) ||
        !rlxc_common_dtype(&v, 0, 1, &dtype) || !rlxc_common_dtype(&v, 0, 2, &dtype))
        return NULL;
    const rlxc_sinfo *product = rlxc_broadcast_sinfo(&v, v.in[0], v.in[1], dtype);
    return product ? rlxc_broadcast_sinfo(&v, product, v.in[2], dtype) : NULL;
}

/* Product and sum, rounded once each as in NumPy. */
rlxc_atom rlxc_legalize_fma(rlxc_builder *b, const rlxc_binding *call)
{
    static const char *const names[3] = {"x1", "x2", "x3"};
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "fma", RLXC_PATTERN_BROADCAST))
        return (rlxc_atom){0};
    rlxc_te_operand x[3];
    for (uint32_t i = 0; i < 3; i++)
        x[i] = rlxc_te_operand_of(&te, i, names[i]);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_fma");
    if (same_dims(&x[0], out) && same_dims(&x[1], out) && same_dims(&x[2], out))
        te.pattern = RLXC_PATTERN_ELEMWISE;
    rlxc_te_spatial(&te, "T_fma", out);
    const rlxc_expr *at[3];
    for (uint32_t i = 0; i < 3; i++)
        at[i] = rlxc_te_widen(&te, element(&te, &x[i], out));
    rlxc_te_store(&te, out,
                  narrowed(&te, out, rlxc_add(te.ctx, rlxc_mul(te.ctx, at[0], at[1]), at[2])));
    return rlxc_te_finish(&te);
}
