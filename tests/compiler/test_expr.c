/* Expressions: hash-consing, constant folding in each type's arithmetic, type unification, walks;
 * and the matcher: operand order, captures, mismatches, and its search limit. */
#include <math.h>
#include <string.h>

#include "compiler/ir/expr.h"
#include "compiler/ir/match_expr.h"
#include "tests/support/rlx_test.h"

RLX_TEST(expr, equal_expressions_are_one_node)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *m = rlxc_shape_var(ctx, "n");
    cr_expect(n != m, "variables are equal by identity only");
    cr_expect(rlxc_add(ctx, n, rlxc_i64(ctx, 1)) == rlxc_add(ctx, n, rlxc_i64(ctx, 1)));
    cr_expect(rlxc_add(ctx, n, m) != rlxc_add(ctx, m, n));
    cr_expect(rlxc_float(ctx, RLX_F32, 0.0) != rlxc_float(ctx, RLX_F32, -0.0));
    cr_expect(rlxc_float(ctx, RLX_F64, (double)NAN) == rlxc_float(ctx, RLX_F64, (double)NAN));
    cr_expect(rlxc_int(ctx, RLX_I32, 1) != rlxc_i64(ctx, 1));
    cr_expect(rlxc_string(ctx, "a") == rlxc_string(ctx, "a"));
    rlxc_buffer *a = rlxc_buffer_new(ctx, "A", RLX_F32, &n, 1);
    rlxc_buffer *b = rlxc_buffer_new(ctx, "A", RLX_F32, &n, 1);
    cr_expect(rlxc_load(ctx, a, &n, 1) == rlxc_load(ctx, a, &n, 1));
    cr_expect(rlxc_load(ctx, a, &n, 1) != rlxc_load(ctx, b, &n, 1));
    const rlxc_expr *args[2] = {n, m};
    cr_expect(rlxc_call(ctx, RLX_F32, "pow", args, 2) == rlxc_call(ctx, RLX_F32, "pow", args, 2));
    cr_expect(rlxc_call(ctx, RLX_F32, "pow", args, 2) != rlxc_call(ctx, RLX_F64, "pow", args, 2));
    cr_expect(rlxc_call(ctx, RLX_F32, "pow", args, 2) != rlxc_call(ctx, RLX_F32, "pow", args, 1));
    /* The node has its own copy of the argument list. */
    const rlxc_expr *call = rlxc_call(ctx, RLX_F32, "f", args, 2);
    args[0] = m;
    cr_expect(call->call.args[0] == n);
    for (int i = 0; i < 5000; i++) { /* while the table grows */
        const rlxc_expr *e = rlxc_mul(ctx, n, rlxc_i64(ctx, i + 2));
        cr_assert(e == rlxc_mul(ctx, n, rlxc_i64(ctx, i + 2)));
    }
    rlxc_context_destroy(ctx);
}

#define KIND(k) RLXC_EXPR_##k

RLX_TEST(expr, constants_fold_as_their_type_computes)
{
    static const struct {
        rlx_dtype type;
        rlxc_expr_kind kind;
        int64_t a, b;
        bool folds;
        int64_t result;
    } rows[] = {
        {{RLX_INT, 64, 1}, KIND(ADD), INT64_MAX, 1, false, 0},
        {{RLX_INT, 64, 1}, KIND(ADD), INT64_MAX, -1, true, INT64_MAX - 1},
        {{RLX_INT, 64, 1}, KIND(MUL), INT64_MIN, -1, false, 0},
        {{RLX_INT, 64, 1}, KIND(DIV), INT64_MIN, -1, false, 0},
        {{RLX_INT, 64, 1}, KIND(FLOORDIV), INT64_MIN, -1, false, 0},
        {{RLX_INT, 64, 1}, KIND(MOD), INT64_MIN, -1, true, 0},
        {{RLX_INT, 64, 1}, KIND(FLOORMOD), INT64_MIN, -1, true, 0},
        {{RLX_INT, 64, 1}, KIND(DIV), 7, 0, false, 0},
        {{RLX_INT, 64, 1}, KIND(FLOORMOD), 7, 0, false, 0},
        {{RLX_INT, 64, 1}, KIND(DIV), -7, 2, true, -3},
        {{RLX_INT, 64, 1}, KIND(FLOORDIV), -7, 2, true, -4},
        {{RLX_INT, 64, 1}, KIND(MOD), -7, 2, true, -1},
        {{RLX_INT, 64, 1}, KIND(FLOORMOD), -7, 2, true, 1},
        {{RLX_INT, 64, 1}, KIND(FLOORMOD), 7, -2, true, -1},
        {{RLX_INT, 32, 1}, KIND(ADD), INT32_MAX, 1, true, INT32_MIN},
        {{RLX_INT, 32, 1}, KIND(DIV), INT32_MIN, -1, true, INT32_MIN},
        {{RLX_INT, 8, 1}, KIND(MUL), 100, 3, true, 44},
        {{RLX_UINT, 8, 1}, KIND(SUB), 3, 5, true, 254},
        {{RLX_UINT, 64, 1}, KIND(SUB), 0, 1, true, -1},
        {{RLX_UINT, 64, 1}, KIND(DIV), -1, 2, true, INT64_MAX},
        {{RLX_UINT, 64, 1}, KIND(LT), -1, 1, true, 0},
        {{RLX_UINT, 64, 1}, KIND(MAX), -1, 1, true, -1},
        {{RLX_INT, 64, 1}, KIND(LT), -1, 1, true, 1},
        {{RLX_INT, 64, 1}, KIND(MIN), -1, 1, true, -1},
        {{RLX_BOOL, 8, 1}, KIND(AND), 1, 0, true, 0},
        {{RLX_BOOL, 8, 1}, KIND(OR), 1, 0, true, 1},
    };
    rlxc_context *ctx = rlxc_context_create(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlxc_expr *e = rlxc_binary(ctx, rows[i].kind, rlxc_int(ctx, rows[i].type, rows[i].a),
                                         rlxc_int(ctx, rows[i].type, rows[i].b));
        cr_expect_eq(e->kind == RLXC_EXPR_INT, rows[i].folds, "row %zu", i);
        cr_expect(!rows[i].folds || e->i == rows[i].result, "row %zu gives %lld", i,
                  (long long)e->i);
    }
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, floats_are_rounded_to_their_type)
{
    static const struct {
        rlx_dtype type;
        double value, rounded;
    } rows[] = {
        {{RLX_FLOAT, 16, 1}, 1.0 / 3, 0.333251953125},
        {{RLX_FLOAT, 16, 1}, 65519.0, 65504.0},
        {{RLX_FLOAT, 16, 1}, 65520.0, INFINITY},
        {{RLX_FLOAT, 16, 1}, 0x1p-24, 0x1p-24},
        {{RLX_FLOAT, 16, 1}, 0x1p-25, 0},
        {{RLX_FLOAT, 16, 1}, 0x1.8p-25, 0x1p-24},
        {{RLX_FLOAT, 16, 1}, 2049.0, 2048.0},
        {{RLX_BFLOAT, 16, 1}, 1.00390625, 1.0},
        {{RLX_BFLOAT, 16, 1}, 1.01171875, 1.015625},
        {{RLX_BFLOAT, 16, 1}, 3.4e38, INFINITY},
        {{RLX_FLOAT, 32, 1}, 0.1, 0.10000000149011612},
        {{RLX_FLOAT, 32, 1}, 1e39, INFINITY},
        {{RLX_FLOAT, 32, 1}, 1e-46, 0},
        {{RLX_FLOAT, 64, 1}, 0.1, 0.1},
    };
    rlxc_context *ctx = rlxc_context_create(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            cr_expect(rlxc_float(ctx, rows[i].type, sign * rows[i].value)->f ==
                          sign * rows[i].rounded,
                      "row %zu", i);
    const rlxc_expr *third =
        rlxc_binary(ctx, KIND(DIV), rlxc_float(ctx, RLX_F32, 1), rlxc_float(ctx, RLX_F32, 3));
    cr_expect(third->f == (double)(1.0f / 3.0f));
    const rlxc_expr *by_zero =
        rlxc_binary(ctx, KIND(DIV), rlxc_float(ctx, RLX_F32, 1), rlxc_float(ctx, RLX_F32, 0));
    cr_expect_eq(by_zero->kind, RLXC_EXPR_DIV);
    cr_expect(rlxc_cast(ctx, RLX_I32, rlxc_float(ctx, RLX_F64, -2.9)) ==
              rlxc_int(ctx, RLX_I32, -2));
    cr_expect_eq(rlxc_cast(ctx, RLX_I8, rlxc_float(ctx, RLX_F64, 300))->kind, RLXC_EXPR_CAST);
    cr_expect_eq(rlxc_cast(ctx, RLX_I64, rlxc_float(ctx, RLX_F64, (double)NAN))->kind,
                 RLXC_EXPR_CAST);
    cr_expect(rlxc_cast(ctx, RLX_U8, rlxc_i64(ctx, -1))->i == 255);
    cr_expect(rlxc_cast(ctx, RLX_B8, rlxc_i64(ctx, 256))->i == 1);
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, identities_hold_and_nothing_else_is_changed)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *x = rlxc_var(ctx, "x", RLX_F32);
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1);
    const rlxc_expr *b = rlxc_var(ctx, "b", RLX_B8), *yes = rlxc_bool(ctx, true);
    cr_expect(rlxc_add(ctx, n, zero) == n && rlxc_add(ctx, zero, n) == n);
    cr_expect(rlxc_mul(ctx, n, one) == n && rlxc_mul(ctx, n, zero) == zero);
    cr_expect(rlxc_sub(ctx, n, n) == zero);
    cr_expect(rlxc_binary(ctx, KIND(FLOORDIV), n, one) == n);
    cr_expect(rlxc_binary(ctx, KIND(AND), yes, b) == b &&
              rlxc_binary(ctx, KIND(OR), yes, b) == yes);
    cr_expect(rlxc_not(ctx, rlxc_not(ctx, b)) == b);
    cr_expect(rlxc_select(ctx, yes, n, zero) == n);
    const rlxc_expr *byte = rlxc_var(ctx, "u", RLX_U8), *small = rlxc_var(ctx, "i", RLX_I8);
    const rlxc_expr *wide = rlxc_var(ctx, "w", (rlx_dtype){RLX_UINT, 64, 1});
    cr_expect(rlxc_binary(ctx, KIND(MIN), n, rlxc_i64(ctx, INT64_MAX)) == n);
    cr_expect(rlxc_binary(ctx, KIND(MAX), rlxc_i64(ctx, INT64_MIN), n) == n);
    cr_expect(rlxc_binary(ctx, KIND(MIN), byte, rlxc_int(ctx, RLX_U8, 255)) == byte);
    cr_expect(rlxc_binary(ctx, KIND(MAX), byte, rlxc_int(ctx, RLX_U8, 0)) == byte);
    cr_expect(rlxc_binary(ctx, KIND(MAX), rlxc_int(ctx, RLX_I8, -128), small) == small);
    cr_expect(rlxc_binary(ctx, KIND(MIN), wide, rlxc_int(ctx, wide->dtype, -1)) == wide);
    cr_expect_eq(rlxc_binary(ctx, KIND(MIN), n, rlxc_i64(ctx, INT64_MIN))->kind, KIND(MIN));
    cr_expect_eq(rlxc_binary(ctx, KIND(MAX), small, rlxc_int(ctx, RLX_I8, 0))->kind, KIND(MAX));
    cr_expect_eq(rlxc_binary(ctx, KIND(MIN), wide, rlxc_int(ctx, wide->dtype, INT64_MAX))->kind,
                 KIND(MIN));
    /* x + 0.0 is not x for x = -0.0; x - x is not 0 for infinities. */
    cr_expect_eq(rlxc_add(ctx, x, rlxc_float(ctx, RLX_F32, 0))->kind, RLXC_EXPR_ADD);
    cr_expect_eq(rlxc_sub(ctx, x, x)->kind, RLXC_EXPR_SUB);
    cr_expect_eq(rlxc_binary(ctx, KIND(FLOORDIV), n, zero)->kind, RLXC_EXPR_FLOORDIV);
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, operand_types_are_unified)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *i32 = rlxc_var(ctx, "i", RLX_I32), *i64 = rlxc_var(ctx, "l", RLX_I64);
    const rlxc_expr *i8 = rlxc_var(ctx, "c", RLX_I8), *u8 = rlxc_var(ctx, "u", RLX_U8);
    const rlxc_expr *f16 = rlxc_var(ctx, "h", RLX_F16), *f32 = rlxc_var(ctx, "f", RLX_F32);
    const rlxc_expr *bf = rlxc_var(ctx, "bf", RLX_BF16), *b = rlxc_var(ctx, "b", RLX_B8);
    rlx_dtype vector = {RLX_FLOAT, 32, 4};
    const rlxc_expr *v4 = rlxc_var(ctx, "v", vector);
    const struct {
        const rlxc_expr *a, *b;
        rlx_dtype type;
    } rows[] = {
        {i32, i64, RLX_I64},
        {i32, rlxc_int(ctx, RLX_I32, 2), RLX_I32},
        {i64, rlxc_int(ctx, RLX_I32, 2), RLX_I64},
        {i32, rlxc_i64(ctx, 2), RLX_I64},
        {i8, rlxc_int(ctx, RLX_I32, 2), RLX_I8},
        {i8, rlxc_int(ctx, RLX_I32, 200), RLX_I32},
        {u8, rlxc_int(ctx, RLX_I32, -1), RLX_I32},
        {i8, u8, RLX_U8},
        {f16, rlxc_float(ctx, RLX_F32, 0.5), RLX_F16},
        {f32, rlxc_float(ctx, RLX_F64, 0.5), RLX_F64},
        {f16, f32, RLX_F32},
        {f16, bf, RLX_F32},
        {f16, i64, RLX_F16},
        {f32, rlxc_i64(ctx, 2), RLX_F32},
        {i32, rlxc_float(ctx, RLX_F32, 0.5), RLX_F32},
        {b, i32, RLX_I32},
        {b, f32, RLX_F32},
        {v4, f32, vector},
        {v4, rlxc_i64(ctx, 2), vector},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlxc_expr *e = rlxc_mul(ctx, rows[i].a, rows[i].b);
        const rlxc_expr *r = rlxc_mul(ctx, rows[i].b, rows[i].a);
        cr_expect(rlx_dtype_eq(e->dtype, rows[i].type), "row %zu gives %s", i,
                  rlxc_dtype_name(ctx, e->dtype));
        cr_expect(rlx_dtype_eq(r->dtype, rows[i].type), "row %zu turned round", i);
        const rlxc_expr *c = rlxc_binary(ctx, KIND(LT), rows[i].a, rows[i].b);
        cr_expect(rlxc_dtype_is_bool(c->dtype) && c->dtype.lanes == rows[i].type.lanes);
    }
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, type_names_read_back)
{
    static const char *const good[] = {"bool",    "int8",    "int16",        "int32",  "int64",
                                       "uint8",   "uint16",  "uint32",       "uint64", "float16",
                                       "float32", "float64", "bfloat16",     "handle", "void",
                                       "boolx4",  "int32x4", "float16x65535"};
    static const char *const bad[] = {"",          "int",        "int7",        "float32x",
                                      "float32x0", "float32x04", "int32x65536", "int32x4x4",
                                      "x",         "x4",         "voidx2",      "Float32"};
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlx_dtype dtype;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(rlxc_dtype_parse(good[i], strlen(good[i]), &dtype), "%s", good[i]);
        cr_expect_str_eq(rlxc_dtype_name(ctx, dtype), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(rlxc_dtype_parse(bad[i], strlen(bad[i]), &dtype), "%s", bad[i]);
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, depth_is_limited_with_one_error)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *e = n;
    for (int i = 0; i < 1000; i++) {
        e = rlxc_binary(ctx, KIND(FLOORDIV), e, n);
        cr_assert(e->depth <= RLXC_MAX_EXPR_DEPTH);
    }
    cr_expect_eq(rlxc_error_count(ctx), 1);
    rlxc_context_destroy(ctx);
}

/* --- walks ----------------------------------------------------------------------------------- */

static bool count_node(void *user, const rlxc_expr *e)
{
    (void)e;
    return ++*(uint32_t *)user < 1000;
}

static const rlxc_expr *swap_buffer(void *user, const rlxc_expr *e)
{
    const rlxc_buffer *const *pair = user;
    return e->kind == RLXC_EXPR_LOAD && e->load.buffer == pair[0] ? pair[1]->data : NULL;
}

RLX_TEST(expr, walks_are_linear_in_shared_expressions)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *m = rlxc_shape_var(ctx, "m"), *e = n;
    for (int i = 0; i < 150; i++) /* 2^150 paths */
        e = rlxc_add(ctx, e, e);
    uint32_t nodes = 0;
    cr_expect(rlxc_expr_visit(ctx, e, count_node, &nodes));
    cr_expect_eq(nodes, 151);
    cr_expect(rlxc_expr_uses_var(ctx, e, n) && !rlxc_expr_uses_var(ctx, e, m));
    const rlxc_expr *swapped = rlxc_substitute(ctx, e, &n, &m, 1);
    cr_expect(rlxc_expr_uses_var(ctx, swapped, m) && !rlxc_expr_uses_var(ctx, swapped, n));
    cr_expect(rlxc_substitute(ctx, swapped, &m, &n, 1) == e);
    cr_expect(rlxc_substitute(ctx, e, &m, &n, 1) == e);
    rlxc_context_destroy(ctx);
}

RLX_TEST(expr, substitution_reaches_every_kind_of_child)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    enum { VARS = 12 }; /* more variables than substitution searches linearly */
    const rlxc_expr *from[VARS], *to[VARS];
    for (int i = 0; i < VARS; i++) {
        from[i] = rlxc_var(ctx, "a", RLX_I64);
        to[i] = rlxc_var(ctx, "b", RLX_I64);
    }
    rlxc_buffer *buffer = rlxc_buffer_new(ctx, "A", RLX_I64, from, 1);
    const rlxc_expr *built[2];
    for (int k = 0; k < 2; k++) {
        const rlxc_expr *const *v = k ? to : from;
        const rlxc_expr *parts[] = {
            rlxc_load(ctx, buffer, v, 1),
            rlxc_call(ctx, RLX_I64, "f", v + 1, 2),
            rlxc_select(ctx, rlxc_binary(ctx, KIND(LT), v[3], v[4]), v[5], v[6]),
            rlxc_cast(ctx, RLX_I64, rlxc_not(ctx, rlxc_binary(ctx, KIND(EQ), v[7], v[8]))),
            rlxc_let(ctx, v[9], v[10], rlxc_add(ctx, v[9], v[11])),
        };
        const rlxc_expr *sum = parts[0];
        for (int i = 1; i < 5; i++)
            sum = rlxc_add(ctx, sum, parts[i]);
        built[k] = rlxc_add(ctx, rlxc_ramp(ctx, sum, v[0], 4), rlxc_broadcast(ctx, v[1], 4));
    }
    cr_expect(built[0] != built[1]);
    cr_expect(rlxc_substitute(ctx, built[0], from, to, VARS) == built[1]);
    cr_expect(rlxc_substitute(ctx, built[0], from, to, 0) == built[0]);

    rlxc_buffer *other = rlxc_buffer_new(ctx, "B", RLX_I64, from, 1);
    const rlxc_buffer *pair[2] = {buffer, other};
    const rlxc_expr *load = rlxc_load(ctx, buffer, from, 1);
    cr_expect(rlxc_expr_rewrite(ctx, load, swap_buffer, pair) == other->data);
    const rlxc_expr *outer = rlxc_load(ctx, other, &load, 1);
    cr_expect(rlxc_expr_rewrite(ctx, outer, swap_buffer, pair)->load.indices[0] == other->data);
    rlxc_context_destroy(ctx);
}

/* --- the matcher ------------------------------------------------------------------------------ */

static const rlxc_expr *two(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                            const rlxc_expr *b)
{
    return rlxc_binary(ctx, kind, a, b);
}

RLX_TEST(match_expr, operands_may_stand_in_either_order)
{
    static const struct {
        rlxc_expr_kind kind;
        bool commutes;
    } rows[] = {{RLXC_EXPR_ADD, true},  {RLXC_EXPR_MUL, true},       {RLXC_EXPR_MIN, true},
                {RLXC_EXPR_MAX, true},  {RLXC_EXPR_EQ, true},        {RLXC_EXPR_NE, true},
                {RLXC_EXPR_SUB, false}, {RLXC_EXPR_DIV, false},      {RLXC_EXPR_MOD, false},
                {RLXC_EXPR_LT, false},  {RLXC_EXPR_FLOORDIV, false}, {RLXC_EXPR_FLOORMOD, false}};
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *x = rlxc_var(ctx, "x", RLX_I64), *y = rlxc_var(ctx, "y", RLX_I64);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(rlxc_same(two(ctx, rows[i].kind, x, y), two(ctx, rows[i].kind, y, x)) ==
                      rows[i].commutes,
                  "%d", (int)rows[i].kind);
    cr_expect(rlxc_same(two(ctx, RLXC_EXPR_LT, x, y), two(ctx, RLXC_EXPR_GT, y, x)));
    cr_expect(rlxc_same(two(ctx, RLXC_EXPR_GE, x, y), two(ctx, RLXC_EXPR_LE, y, x)));
    cr_expect(!rlxc_same(two(ctx, RLXC_EXPR_LE, x, y), two(ctx, RLXC_EXPR_LE, y, x)));
    rlxc_context_destroy(ctx);
}

RLX_TEST(match_expr, captures_hold_the_matched_operands)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *x = rlxc_var(ctx, "x", RLX_F32), *y = rlxc_var(ctx, "y", RLX_F32);
    const rlxc_expr *wide = rlxc_var(ctx, "w", RLX_F64), *sum = rlxc_add(ctx, x, y);
    rlxc_captures c = {.n = 0};
    const rlxc_expr *any = rlxc_capture(ctx, &c, RLX_F32);
    const rlxc_expr *largest = two(ctx, RLXC_EXPR_MAX, x, any);
    cr_expect(rlxc_match(largest, two(ctx, RLXC_EXPR_MAX, sum, x), &c) && c.values[0] == sum);

    c.values[0] = NULL;
    cr_expect(!rlxc_match(largest, two(ctx, RLXC_EXPR_MAX, sum, y), &c) && !c.values[0],
              "what a failed order captured is forgotten");
    cr_expect(!rlxc_match(any, wide, &c), "another type");

    /* any * x - any * y: the same |any| in both, in any order */
    const rlxc_expr *both = rlxc_sub(ctx, rlxc_mul(ctx, any, x), rlxc_mul(ctx, any, y));
    const rlxc_expr *turned = rlxc_add(ctx, y, x);
    cr_expect(rlxc_match(both, rlxc_sub(ctx, rlxc_mul(ctx, x, sum), rlxc_mul(ctx, turned, y)), &c));
    cr_expect(c.values[0] == sum || c.values[0] == turned);
    c.values[0] = NULL;
    cr_expect(!rlxc_match(both, rlxc_sub(ctx, rlxc_mul(ctx, x, sum), rlxc_mul(ctx, x, y)), &c));
    rlxc_context_destroy(ctx);
}

/* Later operands decide earlier captures: (p + q) * p against (x + y) * y and (y + x) * y. */
RLX_TEST(match_expr, later_operands_decide_the_order_of_earlier_ones)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *x = rlxc_var(ctx, "x", RLX_F32), *y = rlxc_var(ctx, "y", RLX_F32);
    rlxc_captures c = {.n = 0};
    const rlxc_expr *p = rlxc_capture(ctx, &c, RLX_F32), *q = rlxc_capture(ctx, &c, RLX_F32);
    const rlxc_expr *pattern = rlxc_mul(ctx, rlxc_add(ctx, p, q), p);
    const rlxc_expr *sums[2] = {rlxc_add(ctx, x, y), rlxc_add(ctx, y, x)};
    for (int i = 0; i < 4; i++) {
        const rlxc_expr *sum = sums[i % 2];
        c.values[0] = c.values[1] = NULL;
        cr_expect(rlxc_match(pattern, i < 2 ? rlxc_mul(ctx, sum, y) : rlxc_mul(ctx, y, sum), &c) &&
                      c.values[0] == y && c.values[1] == x,
                  "%d", i);
    }
    c.values[0] = c.values[1] = NULL;
    cr_expect(!rlxc_match(pattern, rlxc_mul(ctx, sums[0], sums[0]), &c) && !c.values[0]);
    rlxc_context_destroy(ctx);
}

RLX_TEST(match_expr, gives_up_on_too_many_orders)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_expr *a = rlxc_var(ctx, "a", RLX_F32), *b = rlxc_var(ctx, "b", RLX_F32), *c = b;
    for (int i = 0; i < 60; i++) { /* 2^60 orders that differ only at the very end */
        a = rlxc_add(ctx, a, a);
        c = rlxc_add(ctx, c, c);
    }
    cr_expect(!rlxc_same(a, c));
    cr_expect(rlxc_same(a, a));
    rlxc_context_destroy(ctx);
}
