/* Symbolic integers: canonical forms and proofs by table, and both checked by evaluation at random
 * points. Expressions are written as text; the expected canonical form is parsed without
 * simplification, since equal expressions are one node. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/sym.h"
#include "tests/support/rlx_test.h"

enum { VARS = 6 };
static const char var_names[] = "nmijrx";

typedef struct fixture {
    rlxc_context *ctx;
    const rlxc_expr *vars[VARS];
    rlxc_bounds bounds;
    const char *at; /* current position in the text */
} fixture;

/* n and m are any non-negative integers, x is any integer. */
static const rlxc_bound var_ranges[VARS] = {{0, INT64_MAX}, {0, INT64_MAX}, {0, 7},
                                            {-5, 20},       {0, 3},         {INT64_MIN, INT64_MAX}};

static fixture begin(void)
{
    fixture f = {.ctx = rlxc_context_create(NULL)};
    for (int i = 0; i < VARS; i++) {
        char name[2] = {var_names[i], '\0'};
        bool nonneg = var_ranges[i].min == 0;
        f.vars[i] = nonneg ? rlxc_shape_var(f.ctx, name) : rlxc_var(f.ctx, name, RLX_I64);
        if (var_ranges[i].max != INT64_MAX)
            rlxc_bounds_set(f.ctx, &f.bounds, f.vars[i], var_ranges[i]);
    }
    return f;
}

static void finish(fixture *f)
{
    cr_expect_eq(rlxc_error_count(f->ctx), 0, "%s", rlxc_render_diagnostics(f->ctx));
    rlxc_context_destroy(f->ctx);
}

/* --- reading --------------------------------------------------------------------------------- */

static const rlxc_expr *read_sum(fixture *f);

static bool skip(fixture *f, const char *token)
{
    while (*f->at == ' ')
        f->at++;
    if (strncmp(f->at, token, strlen(token)) != 0)
        return false;
    f->at += strlen(token);
    return true;
}

static const rlxc_expr *read_pair(fixture *f, rlxc_expr_kind kind)
{
    const rlxc_expr *a = read_sum(f);
    cr_assert(skip(f, ","));
    const rlxc_expr *b = read_sum(f);
    cr_assert(skip(f, ")"));
    return rlxc_binary(f->ctx, kind, a, b);
}

static const rlxc_expr *read_atom(fixture *f)
{
    if (skip(f, "min("))
        return read_pair(f, RLXC_EXPR_MIN);
    if (skip(f, "max("))
        return read_pair(f, RLXC_EXPR_MAX);
    if (skip(f, "div("))
        return read_pair(f, RLXC_EXPR_DIV);
    if (skip(f, "mod("))
        return read_pair(f, RLXC_EXPR_MOD);
    if (skip(f, "(")) {
        const rlxc_expr *e = read_sum(f);
        cr_assert(skip(f, ")"));
        return e;
    }
    if (*f->at == '-' || isdigit((unsigned char)*f->at)) {
        char *end;
        const rlxc_expr *e = rlxc_i64(f->ctx, strtoll(f->at, &end, 10));
        f->at = end;
        return e;
    }
    const char *name = strchr(var_names, *f->at);
    cr_assert(*f->at && name, "unreadable: %s", f->at);
    f->at++;
    return f->vars[name - var_names];
}

static const rlxc_expr *read_product(fixture *f)
{
    const rlxc_expr *e = read_atom(f);
    for (;;) {
        if (skip(f, "*"))
            e = rlxc_mul(f->ctx, e, read_atom((skip(f, ""), f)));
        else if (skip(f, "//"))
            e = rlxc_binary(f->ctx, RLXC_EXPR_FLOORDIV, e, read_atom((skip(f, ""), f)));
        else if (skip(f, "%"))
            e = rlxc_binary(f->ctx, RLXC_EXPR_FLOORMOD, e, read_atom((skip(f, ""), f)));
        else
            return e;
    }
}

static const rlxc_expr *read_sum(fixture *f)
{
    skip(f, "");
    const rlxc_expr *e = read_product(f);
    for (;;) {
        if (skip(f, "+ "))
            e = rlxc_add(f->ctx, e, read_product(f));
        else if (skip(f, "- "))
            e = rlxc_sub(f->ctx, e, read_product(f));
        else
            return e;
    }
}

static const rlxc_expr *read_text(fixture *f, const char *text)
{
    f->at = text;
    const rlxc_expr *e = read_sum(f);
    cr_assert(*f->at == '\0', "rest of %s: %s", text, f->at);
    return e;
}

/* --- tables ---------------------------------------------------------------------------------- */

RLX_TEST(sym, canonical_forms)
{
    static const struct {
        const char *text, *canonical;
    } rows[] = {
        {"1 + 2 * n", "n * 2 + 1"},
        {"m + n - m", "n"},
        {"(n + 1) * (m + 1)", "n * m + n + m + 1"},
        {"3 - n", "3 - n"},
        {"0 - n - 2", "n * -1 - 2"},
        {"m * n * 2 - n * m", "n * m"},
        {"n * 4 // 4", "n"},
        {"(n * 4 + r) // 4", "n"},
        {"(n * 4 + r) % 4", "r"},
        {"(n * 4 + r) // 8", "n // 2"},
        {"(n * 4 + r) % 8", "r + n % 2 * 4"},
        {"(n * 4 + m) // 4", "n + m // 4"},
        {"(n * 4 + m) % 4", "m % 4"},
        {"n // 4 * 4 + n % 4", "n"},
        {"n - n // 4 * 4", "n % 4"},
        {"n * 5 - n // 4 * 4", "n * 4 + n % 4"},
        {"(n + 3) // 4 * 4", "(n + 3) // 4 * 4"},
        {"(n + 7) // 4", "(n + 3) // 4 + 1"},
        {"(n + 5) % 4", "(n + 1) % 4"},
        {"(n - 3 + 2) // 2 + 1", "(n + 1) // 2"},
        {"n // 4 // 8", "n // 32"},
        {"(n // 4 + 1) // 8", "(n + 4) // 32"},
        {"n // 4 % 8", "n // 4 % 8"},
        {"n % 32 // 8", "n // 8 % 4"},
        {"n % 32 % 8", "n % 8"},
        {"n % 8 % 32", "n % 8"},
        {"(n * 2 + m * 2) // 4", "(n + m) // 2"},
        {"(n * 2 + 1) // 4", "n // 2"},
        {"(n * 2 + 1) % 4", "(n % 2) * 2 + 1"},
        {"n // -4", "n * -1 // 4"},
        {"n % 1", "0"},
        {"i // 8", "0"},
        {"i % 8", "i"},
        {"(i + 8) // 8", "1"},
        {"(n * 32 + m % 8 * 4 + r) // 32", "n"},
        {"(n * 32 + m % 8 * 4 + r) // 16", "n * 2 + m // 4 % 2"},
        {"(i * 4 + r) // 32", "0"},
        {"n * m // n", "m"},
        {"n * m % n", "0"},
        {"n * m * 4 // (n * 8)", "m // 2"},
        {"(i * n + m % n) // n", "i"},
        {"(i * n + m % n) % n", "m % n"},
        {"(n * m + n) // (m * 2 + 2)", "(n * m + n) // (m * 2 + 2)"},
        {"(m * 2 + 2) * 3 // (m * 2 + 2)", "3"},
        {"n % (m * 4)", "n % (m * 4)"},
        {"min(n, n + 1)", "n"},
        {"max(n, n + 1)", "n + 1"},
        {"min(4, n)", "min(n, 4)"},
        {"max(0, n)", "n"},
        {"max(j, 0 - 9223372036854775807)", "j"}, /* their difference overflows */
        {"min(min(n, m), n)", "min(n, m)"},
        {"min(m, n) - min(n, m)", "0"},
        {"max(r, 3)", "3"},
        {"min(x, x * 2)", "min(x, x * 2)"},
        {"(max(n - 1, 0) + 3) // 4", "(n + 2) // 4"},
        {"max(n - 5, 0) // 4", "max((n + 3) // 4 - 2, 0)"},
        {"(min(n, 9) * 2 + 1) // 3", "(min(n, 9) * 2 + 1) // 3"},
        {"(min(n, 9) + 1) // 3", "min((n + 1) // 3, 3)"},
        {"div(n, 4)", "n // 4"},
        {"div(x, 4)", "div(x, 4)"},
        {"div(x * 4, 4)", "x"},
        {"mod(n, 4)", "n % 4"},
        {"mod(x * 4 + 8, 4)", "0"},
        {"n // 0", "n // 0"},
        {"n % 0", "n % 0"},
        /* an expression that would overflow is not simplified */
        {"9223372036854775807 + (n + 1)", "9223372036854775807 + (n + 1)"},
        {"n * 9223372036854775807 * 2", "n * 9223372036854775807 * 2"},
    };
    fixture f = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlxc_expr *e = read_text(&f, rows[i].text);
        const rlxc_expr *c = rlxc_canonical(f.ctx, e, &f.bounds);
        cr_expect(c == read_text(&f, rows[i].canonical), "%s is not %s", rows[i].text,
                  rows[i].canonical);
        cr_expect(rlxc_canonical(f.ctx, c, &f.bounds) == c, "%s is not stable", rows[i].text);
    }
    finish(&f);
}

RLX_TEST(sym, proofs)
{
    static const struct {
        const char *a, *b;
        bool le, lt, eq, ne;
    } rows[] = {
        {"n", "n", true, false, true, false},
        {"n", "n + 1", true, true, false, true},
        {"n * 2", "n * 3", true, false, false, false},
        {"n * 2", "n * 2 + 1", true, true, false, true},
        {"n * 2", "m * 2 + 1", false, false, false, true},
        {"x * 2", "x * 3", false, false, false, false},
        {"n", "(n + 3) // 4 * 4", true, false, false, false},
        {"(n + 3) // 4 * 4", "n + 3", true, false, false, false},
        {"n // 4 * 4", "n", true, false, false, false},
        {"n // 2", "n", true, false, false, false},
        {"n // 4", "n // 2", true, false, false, false},
        {"x // 4", "x // 2", false, false, false, false},
        {"m % n", "n", true, true, false, true},
        {"n % 4", "4", true, true, false, true},
        {"min(n, 128)", "128", true, false, false, false},
        {"min(n, m)", "n", true, false, false, false},
        {"n", "max(m, n)", true, false, false, false},
        {"max(n, m)", "n + m", true, false, false, false},
        {"i * 32 + r * 8 + 7", "256", true, true, false, true},
        {"i * 32 + r * 8 + 8", "256", true, false, false, false},
        {"(i * 4 + r) // 4", "i", true, false, true, false},
        {"n * m // m", "n", true, false, true, false},
        {"0", "n", true, false, false, false},
        {"0", "x * x", false, false, false, false},
        {"9223372036854775807", "n", false, false, false, false},
    };
    fixture f = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlxc_expr *a = read_text(&f, rows[i].a), *b = read_text(&f, rows[i].b);
        const char *what = rows[i].a;
        cr_expect_eq(rlxc_prove_le(f.ctx, a, b, &f.bounds), rows[i].le, "%s <= %s", what,
                     rows[i].b);
        cr_expect_eq(rlxc_prove_lt(f.ctx, a, b, &f.bounds), rows[i].lt, "%s < %s", what, rows[i].b);
        cr_expect_eq(rlxc_prove_eq(f.ctx, a, b, &f.bounds), rows[i].eq, "%s == %s", what,
                     rows[i].b);
        cr_expect_eq(rlxc_prove_ne(f.ctx, a, b, &f.bounds), rows[i].ne, "%s != %s", what,
                     rows[i].b);
    }
    finish(&f);
}

RLX_TEST(sym, proofs_join_int32_and_int64)
{
    fixture f = begin();
    const rlxc_expr *i = rlxc_var(f.ctx, "i", RLX_I32), *four = rlxc_int(f.ctx, RLX_I32, 4);
    const rlxc_expr *i4 = rlxc_mul(f.ctx, i, four);
    cr_expect(rlxc_prove_eq(f.ctx, rlxc_sub(f.ctx, rlxc_add(f.ctx, i4, four), i4),
                            rlxc_i64(f.ctx, 4), NULL));
    cr_expect(rlxc_prove_ne(f.ctx, i4, rlxc_i64(f.ctx, 6), NULL));
    cr_expect(rlxc_prove_lt(f.ctx, i, rlxc_i64(f.ctx, INT64_C(1) << 31), NULL));
    const rlxc_expr *wide = rlxc_cast(f.ctx, RLX_I64, i), *n = f.vars[0];
    cr_expect(rlxc_prove_le(f.ctx, i, rlxc_add(f.ctx, wide, n), NULL));
    cr_expect_not(rlxc_prove_le(f.ctx, i, n, NULL));
    finish(&f);
}

RLX_TEST(sym, bounds_follow_the_ranges)
{
    static const struct {
        const char *text;
        int64_t min, max;
    } rows[] = {
        {"n", 0, INT64_MAX},
        {"x", INT64_MIN, INT64_MAX},
        {"i * 4 + r", 0, 31},
        {"r - i", -7, 3},
        {"j * i", -35, 140},
        {"j // 2", -3, 10},
        {"j % 8", 0, 7},
        {"x % 8", 0, 7},
        {"n // 8", 0, INT64_MAX},
        {"min(n, 8)", 0, 8},
        {"max(x, 8)", 8, INT64_MAX},
        {"n - n // 8 * 8", 0, 7},
        {"div(j, 2)", -5, 20},
        {"mod(x, 8)", -7, 7},
        {"n * 9223372036854775807", 0, INT64_MAX},
    };
    fixture f = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_bound b = rlxc_bound_of(f.ctx, read_text(&f, rows[i].text), &f.bounds);
        cr_expect(b.min == rows[i].min && b.max == rows[i].max, "%s in [%lld, %lld]", rows[i].text,
                  (long long)b.min, (long long)b.max);
    }
    finish(&f);
}

static bool holds(rlxc_expr_kind kind, int64_t a, int64_t b)
{
    return kind == RLXC_EXPR_LT   ? a < b
           : kind == RLXC_EXPR_LE ? a <= b
           : kind == RLXC_EXPR_GT ? a > b
                                  : a >= b;
}

/* A conditional that gives what it compares: j if j > 0 else 100. */
RLX_TEST(sym, bounds_of_arms)
{
    fixture f = begin();
    static const rlxc_expr_kind kinds[] = {RLXC_EXPR_LT, RLXC_EXPR_LE, RLXC_EXPR_GT, RLXC_EXPR_GE};
    const rlxc_expr *j = f.vars[3], *other = rlxc_i64(f.ctx, 100);
    for (uint32_t k = 0; k < 8; k++)
        for (int64_t c = -4; c < 20; c++) {
            const bool first = k < 4; /* where the comparison holds */
            int64_t min = 100, max = 100;
            for (int64_t at = -5; at <= 20; at++)
                if (holds(kinds[k % 4], at, c) == first) {
                    min = at < min ? at : min;
                    max = at > max ? at : max;
                }
            const rlxc_expr *cond = rlxc_binary(f.ctx, kinds[k % 4], j, rlxc_i64(f.ctx, c));
            const rlxc_expr *e = rlxc_select(f.ctx, cond, first ? j : other, first ? other : j);
            const rlxc_bound b = rlxc_bound_of(f.ctx, e, &f.bounds);
            cr_expect(b.min == min && b.max == max, "%u, %lld: [%lld, %lld]", k, (long long)c,
                      (long long)b.min, (long long)b.max);
        }
    finish(&f);
}

/* Sums of loaded values may wrap, so no-overflow rules do not apply to them. */
RLX_TEST(sym, numbers_from_memory_may_wrap)
{
    fixture f = begin();
    rlxc_context *ctx = f.ctx;
    const rlxc_expr *n = f.vars[0], *one = rlxc_int(ctx, RLX_I32, 1),
                    *two = rlxc_int(ctx, RLX_I32, 2);
    rlxc_buffer *wide = rlxc_buffer_new(ctx, "A", RLX_I32, &n, 1),
                *narrow = rlxc_buffer_new(ctx, "B", RLX_U16, &n, 1),
                *natural = rlxc_buffer_new(ctx, "C", (rlx_dtype){RLX_UINT, 64, 1}, &n, 1);
    const rlxc_expr *a = rlxc_load(ctx, wide, &f.vars[2], 1),
                    *b = rlxc_cast(ctx, RLX_I32, rlxc_load(ctx, narrow, &f.vars[2], 1)),
                    *c = rlxc_cast(ctx, RLX_I64, rlxc_load(ctx, natural, &f.vars[2], 1));
    const rlxc_expr *after = rlxc_add(ctx, a, one), *twice = rlxc_mul(ctx, a, two);
    const rlxc_expr *half = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, twice, two);
    cr_expect_not(rlxc_prove_lt(ctx, a, after, &f.bounds));
    cr_expect(rlxc_prove_ne(ctx, b, rlxc_add(ctx, b, one), &f.bounds), "65536 is an int32");
    cr_expect(rlxc_prove_lt(ctx, b, rlxc_add(ctx, b, one), &f.bounds));
    cr_expect_not(rlxc_prove_le(ctx, rlxc_int(ctx, RLX_I32, 0), rlxc_mul(ctx, b, b), &f.bounds));
    cr_expect_not(rlxc_prove_le(ctx, rlxc_i64(ctx, 0), c, &f.bounds));
    cr_expect(rlxc_canonical(ctx, half, &f.bounds) == half);
    cr_expect(rlxc_canonical(ctx, rlxc_sub(ctx, after, one), &f.bounds) == a,
              "modulo 2^32 as well");
    const rlxc_expr *most = rlxc_binary(ctx, RLXC_EXPR_MAX, after, one);
    cr_expect_not(rlxc_prove_le(ctx, after, most, NULL) && rlxc_prove_lt(ctx, a, most, NULL));
    /* A value clamped to a dimension is a position, and positions do not overflow. */
    const rlxc_expr *at = rlxc_binary(ctx, RLXC_EXPR_MIN, rlxc_cast(ctx, RLX_I64, a), n);
    at = rlxc_binary(ctx, RLXC_EXPR_MAX, at, rlxc_i64(ctx, 0));
    const rlxc_expr *row = rlxc_add(ctx, rlxc_mul(ctx, at, rlxc_i64(ctx, 8)), f.vars[2]);
    cr_expect(rlxc_prove_eq(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, row, rlxc_i64(ctx, 8)), at,
                            &f.bounds));
    cr_expect(rlxc_prove_le(ctx, rlxc_i64(ctx, 0), row, &f.bounds));
    finish(&f);
}

RLX_TEST(sym, linear_parts_and_products)
{
    fixture f = begin();
    int64_t coefficient;
    const rlxc_expr *rest, *n = f.vars[0];
    cr_assert(rlxc_linear_in(f.ctx, read_text(&f, "(n + 1) * 3 + m // 2"), n, &coefficient, &rest));
    cr_expect_eq(coefficient, 3);
    cr_expect(rest == read_text(&f, "m // 2 + 3"));
    cr_assert(rlxc_linear_in(f.ctx, read_text(&f, "m"), n, &coefficient, &rest));
    cr_expect(coefficient == 0 && rest == f.vars[1]);
    cr_expect_not(rlxc_linear_in(f.ctx, read_text(&f, "n * m"), n, &coefficient, &rest));
    cr_expect_not(rlxc_linear_in(f.ctx, read_text(&f, "n // 2 + n"), n, &coefficient, &rest));
    const rlxc_expr *dims[3] = {n, rlxc_i64(f.ctx, 4), f.vars[1]};
    cr_expect(rlxc_product(f.ctx, dims, 3) == read_text(&f, "n * m * 4"));
    cr_expect(rlxc_product(f.ctx, dims, 0) == rlxc_i64(f.ctx, 1));
    finish(&f);
}

RLX_TEST(sym, simplify_reaches_into_tensor_expressions)
{
    fixture f = begin();
    const rlxc_expr *n = f.vars[0], *one = rlxc_i64(f.ctx, 1);
    rlxc_buffer *a = rlxc_buffer_new(f.ctx, "A", RLX_F32, &n, 1);
    const rlxc_expr *index = read_text(&f, "(n * 4 + r) // 4"), *plain = n;
    const rlxc_expr *load = rlxc_load(f.ctx, a, &index, 1), *want = rlxc_load(f.ctx, a, &plain, 1);
    const rlxc_expr *zero = rlxc_float(f.ctx, RLX_F32, 0);
    cr_expect(rlxc_simplify(f.ctx, rlxc_add(f.ctx, load, zero), &f.bounds) ==
              rlxc_add(f.ctx, want, zero));
    const rlxc_expr *inside = rlxc_binary(f.ctx, RLXC_EXPR_LT, f.vars[4], rlxc_i64(f.ctx, 4));
    const rlxc_expr *args[3] = {inside, load, zero};
    cr_expect(rlxc_simplify(f.ctx, rlxc_call(f.ctx, RLX_F32, "if_then_else", args, 3), &f.bounds) ==
              want);
    cr_expect(rlxc_simplify(f.ctx, rlxc_select(f.ctx, inside, load, zero), &f.bounds) == want);
    const rlxc_expr *index_plus = rlxc_add(f.ctx, index, one);
    cr_expect(rlxc_simplify(f.ctx, rlxc_ramp(f.ctx, index_plus, one, 4), &f.bounds) ==
              rlxc_ramp(f.ctx, rlxc_add(f.ctx, n, one), one, 4));
    /* No reasoning about wrapping types. */
    const rlxc_expr *u = rlxc_var(f.ctx, "u", RLX_U8), *c = rlxc_int(f.ctx, RLX_U8, 200);
    const rlxc_expr *sum = rlxc_sub(f.ctx, rlxc_add(f.ctx, u, c), u);
    cr_expect(rlxc_simplify(f.ctx, sum, NULL) == sum);
    cr_expect_not(rlxc_prove_le(f.ctx, u, rlxc_add(f.ctx, u, c), NULL));
    finish(&f);
}

/* --- random expressions ---------------------------------------------------------------------- */

static uint32_t pick(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static const rlxc_expr *random_expr(fixture *f, uint64_t *state, uint32_t depth)
{
    static const rlxc_expr_kind kinds[] = {
        RLXC_EXPR_ADD,      RLXC_EXPR_ADD,      RLXC_EXPR_SUB, RLXC_EXPR_MUL, RLXC_EXPR_FLOORDIV,
        RLXC_EXPR_FLOORDIV, RLXC_EXPR_FLOORMOD, RLXC_EXPR_MUL, RLXC_EXPR_MIN, RLXC_EXPR_FLOORMOD,
        RLXC_EXPR_MAX,      RLXC_EXPR_DIV,      RLXC_EXPR_MOD};
    if (depth == 0 || pick(state, 6) == 0) {
        if (pick(state, 3))
            return f->vars[pick(state, VARS)];
        return rlxc_i64(f->ctx, (int64_t)pick(state, 17) - (pick(state, 4) ? 0 : 8));
    }
    const rlxc_expr *a = random_expr(f, state, depth - 1), *b = random_expr(f, state, depth - 1);
    if (pick(state, 16) == 0) {
        rlxc_expr_kind compare = (rlxc_expr_kind)(RLXC_EXPR_EQ + pick(state, 6));
        return rlxc_select(f->ctx, rlxc_binary(f->ctx, compare, a, b), b,
                           random_expr(f, state, depth - 1));
    }
    rlxc_expr_kind kind = kinds[pick(state, sizeof kinds / sizeof *kinds)];
    if (kind >= RLXC_EXPR_DIV && kind <= RLXC_EXPR_FLOORMOD && pick(state, 4))
        b = rlxc_i64(f->ctx, 1 + pick(state, 16));
    return rlxc_binary(f->ctx, kind, a, b);
}

static void random_point(uint64_t *state, int64_t *values)
{
    for (int i = 0; i < VARS; i++) {
        int64_t min = var_ranges[i].min == INT64_MIN ? -50 : var_ranges[i].min;
        int64_t max = var_ranges[i].max == INT64_MAX ? 50 : var_ranges[i].max;
        values[i] = min + (int64_t)pick(state, (uint32_t)(max - min + 1));
    }
}

RLX_TEST(sym, canonical_forms_and_proofs_hold_at_random_points)
{
    uint64_t state = 20;
    uint32_t compared = 0, proven = 0;
    for (int round = 0; round < 20; round++) {
        fixture f = begin();
        for (int i = 0; i < 200; i++) {
            const rlxc_expr *a = random_expr(&f, &state, 1 + pick(&state, 4));
            const rlxc_expr *b = pick(&state, 2) ? random_expr(&f, &state, 2)
                                                 : rlxc_add(f.ctx, a, random_expr(&f, &state, 1));
            const rlxc_expr *c = rlxc_canonical(f.ctx, a, &f.bounds);
            const rlxc_expr *free = rlxc_canonical(f.ctx, a, NULL);
            cr_expect(rlxc_canonical(f.ctx, c, &f.bounds) == c, "round %d.%d: not stable", round,
                      i);
            rlxc_bound bound = rlxc_bound_of(f.ctx, a, &f.bounds);
            bool le = rlxc_prove_le(f.ctx, a, b, &f.bounds);
            bool lt = rlxc_prove_lt(f.ctx, b, a, &f.bounds);
            bool eq = rlxc_prove_eq(f.ctx, a, b, &f.bounds);
            bool ne = rlxc_prove_ne(f.ctx, a, b, &f.bounds);
            proven += (uint32_t)le + (uint32_t)lt + (uint32_t)eq + (uint32_t)ne;
            for (int p = 0; p < 8; p++) {
                int64_t at[VARS], x, y, z;
                random_point(&state, at);
                if (!rlxc_evaluate(f.ctx, a, f.vars, at, VARS, &x))
                    continue; /* divides by zero here */
                compared++;
                cr_expect(rlxc_evaluate(f.ctx, c, f.vars, at, VARS, &y) && x == y,
                          "round %d.%d: canonical form differs", round, i);
                cr_expect(rlxc_evaluate(f.ctx, free, f.vars, at, VARS, &y) && x == y,
                          "round %d.%d: canonical form without bounds differs", round, i);
                cr_expect(bound.min <= x && x <= bound.max, "round %d.%d: bound", round, i);
                if (rlxc_evaluate(f.ctx, b, f.vars, at, VARS, &z))
                    cr_expect((!le || x <= z) && (!lt || z < x) && (!eq || x == z) &&
                                  (!ne || x != z),
                              "round %d.%d: a false proof", round, i);
            }
        }
        finish(&f);
    }
    cr_expect_gt(compared, 20000);
    cr_expect_gt(proven, 1000);
}

RLX_TEST(sym, hostile_expressions_take_bounded_work)
{
    fixture f = begin();
    const rlxc_expr *n = f.vars[0], *m = f.vars[1];
    for (int kind = 0; kind < 5; kind++) {
        const rlxc_expr *e = n;
        for (int i = 0; i < 30; i++) {
            const rlxc_expr *k = rlxc_i64(f.ctx, 3 + i);
            const rlxc_expr *step[5] = {
                rlxc_add(f.ctx, rlxc_binary(f.ctx, RLXC_EXPR_FLOORMOD, e, k), m),
                rlxc_mul(f.ctx, rlxc_add(f.ctx, e, rlxc_shape_var(f.ctx, "v")), e),
                rlxc_binary(f.ctx, RLXC_EXPR_FLOORDIV, rlxc_add(f.ctx, rlxc_add(f.ctx, e, e), m),
                            k),
                rlxc_binary(f.ctx, RLXC_EXPR_MIN, rlxc_sub(f.ctx, m, e),
                            rlxc_binary(f.ctx, RLXC_EXPR_FLOORMOD, e, n)),
                rlxc_add(f.ctx, rlxc_shape_var(f.ctx, "w"), e)};
            e = step[kind];
        }
        const rlxc_expr *c = rlxc_canonical(f.ctx, e, &f.bounds);
        cr_expect(c->depth <= RLXC_MAX_EXPR_DEPTH);
        (void)rlxc_prove_le(f.ctx, e, rlxc_add(f.ctx, e, m), &f.bounds);
        cr_expect(rlxc_prove_le(f.ctx, e, e, &f.bounds), "kind %d", kind);
    }
    finish(&f);
}
