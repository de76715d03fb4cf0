/* The expression matcher: operand order, captures, mismatches, and its search limit. */
#include "compiler/ir/match_expr.h"
#include "tests/support/rlx_test.h"

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
