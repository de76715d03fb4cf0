/* Run-time checks of values: a value that passes is returned unchanged; an error names the place of
 * one that fails. */
#include <stdio.h>

#include "tests/builtins/fixture.h"

typedef struct index_case {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[2];
    double values[4];
    uint32_t n_limits;
    int64_t low[2], high[2];
    const char *message; /* NULL: passes */
    rlx_status status;   /* 0: RLX_E_INVALID_ARG */
} index_case;

static const index_case cases[] = {
    {.dtype = RLX_I64, 1, {4}, {-3, 0, 1, 2}, 1, {-3}, {3}, NULL},
    {.dtype = RLX_I64,
     1,
     {4},
     {0, 1, 2, 3},
     1,
     {-3},
     {3},
     "T: index 3 at [3] is out of range: "
     "expected -3 to 2"},
    {.dtype = RLX_I32, 1, {2}, {0, -4}, 1, {-3}, {3}, "index -4 at [1]"},
    {.dtype = RLX_I8, 2, {2, 2}, {0, 1, 100, 0}, 1, {0}, {3}, "index 100 at [1, 0]"},
    {.dtype = RLX_I16, 0, {0}, {7}, 1, {0}, {3}, "index 7 is out of range"},
    {.dtype = RLX_U8, 1, {2}, {2, 255}, 1, {-3}, {3}, "index 255 at [1]"},
    {.dtype = RLX_U64, 1, {1}, {9.3e18}, 1, {-3}, {3}, "index 93000000000000000"},
    {.dtype = RLX_I64, 2, {2, 2}, {1, 3, -2, -4}, 2, {-2, -4}, {2, 4}, NULL},
    {.dtype = RLX_I64,
     2,
     {2, 2},
     {1, 3, 2, 0},
     2,
     {-2, -4},
     {2, 4},
     "index 2 at [1, 0] is out of "
     "range: expected -2 to 1"},
    {.dtype = RLX_I64, 2, {2, 2}, {1, 3, 1, 4}, 2, {-2, -4}, {2, 4}, "index 4 at [1, 1]"},
    {.dtype = RLX_I64, 1, {1}, {0}, 1, {0}, {0}, "the dimension is empty"},
    {.dtype = RLX_I64, 1, {0}, {0}, 1, {0}, {0}, NULL},
    {.dtype = RLX_I64, 1, {1}, {0}, 1, {INT64_MIN}, {INT64_MAX}, NULL},
    {.dtype = RLX_I64, 1, {3}, {0, 0, 0}, 2, {0, 0}, {1, 1}, "ranges do not fit", RLX_E_SHAPE},
    {.dtype = RLX_F32, 1, {1}, {0}, 1, {0}, {1}, "expected integers"},
};

RLX_TEST(check, indices_outside_their_limits_are_named)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const index_case *c = &cases[i];
        rlx_value args[4] = {make_tensor(t, c->dtype, c->ndim, c->dims, c->values),
                             rlx_test_shape(t, c->n_limits, c->low),
                             rlx_test_shape(t, c->n_limits, c->high), make_text(t, "T: index")};
        rlx_value out = rlx_none();
        if (c->message) {
            RLX_FAILS(try_builtin(t, "rlx.check_index", args, 4, &out),
                      c->status ? c->status : RLX_E_INVALID_ARG, c->message);
            continue;
        }
        out = call_builtin(t, "rlx.check_index", args, 4);
        expect_tensor("the indices", out, c->dtype, c->ndim, c->dims, c->values);
        rlx_value_release(out);
    }
}

/* Many indices are compared in vectors: one is outside, wherever it is and however far. */
RLX_TEST(check, one_of_many_indices_is_found)
{
    enum { MANY = 75 };
    static const int64_t low[] = {0, -7, 3, -9}, high[] = {5, 7, 9, -2}, n = MANY;
    for (int k = 0; k < 8; k++) {
        const int64_t from = low[k / 2], to = high[k / 2];
        const bool wide = k % 2;
        const double far[4] = {(double)(from - 1), (double)to, wide ? -0x1p63 : -0x1p31,
                               wide ? 0x1.fffffffffffffp62 : 0x1p31 - 1};
        for (int at = -1; at < MANY; at++) { /* -1: none */
            double values[MANY];
            char text[48];
            rlx_value out = rlx_none();
            for (int i = 0; i < MANY; i++)
                values[i] = i == at ? far[i % 4] : (double)(from + i % (to - from));
            rlx_value args[4] = {make_tensor(t, wide ? RLX_I64 : RLX_I32, 1, &n, values),
                                 rlx_test_shape(t, 1, &from), rlx_test_shape(t, 1, &to),
                                 make_text(t, "T: index")};
            snprintf(text, sizeof text, "at [%d] is out of range", at);
            if (at < 0)
                rlx_value_release(call_builtin(t, "rlx.check_index", args, 4));
            else
                RLX_FAILS(try_builtin(t, "rlx.check_index", args, 4, &out), RLX_E_INVALID_ARG,
                          text);
        }
    }
}

/* The checks that kernels call: one pair of numbers each. */
RLX_TEST(check, numbers_outside_a_range_are_named)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const index_case *c = &cases[i];
        if (c->n_limits != 1)
            continue;
        rlx_value args[4] = {make_tensor(t, c->dtype, c->ndim, c->dims, c->values),
                             rlx_int(c->low[0]), rlx_int(c->high[0]), make_text(t, "T: index")};
        rlx_value out = rlx_none();
        if (c->message) {
            RLX_FAILS(try_builtin(t, "rlx.check_range", args, 4, &out), RLX_E_INVALID_ARG,
                      c->message);
            continue;
        }
        out = call_builtin(t, "rlx.check_range", args, 4);
        expect_tensor("the numbers", out, c->dtype, c->ndim, c->dims, c->values);
        rlx_value_release(out);
    }
}

RLX_TEST(check, one_number_may_be_excepted)
{
    const int64_t dims[1] = {2}, low[1] = {0}, high[1] = {2};
    const double ignored[2] = {1, -100}, bad[2] = {-100, -1};
    for (int k = 0; k < 2; k++) {
        rlx_value args[5] = {make_tensor(t, RLX_I64, 1, dims, k ? bad : ignored),
                             rlx_test_shape(t, 1, low), rlx_test_shape(t, 1, high),
                             make_text(t, "class"), rlx_int(-100)};
        rlx_value out = rlx_none();
        if (k == 1) {
            RLX_FAILS(try_builtin(t, "rlx.check_index", args, 5, &out), RLX_E_INVALID_ARG,
                      "class -1 at [1]");
            continue;
        }
        out = call_builtin(t, "rlx.check_index", args, 5);
        rlx_value_release(out);
    }
}

RLX_TEST(check, zeros_are_named)
{
    const int64_t dims[2] = {2, 2};
    const double values[4] = {3, -1, 0, 2};
    rlx_value out = rlx_none();
    for (int k = 0; k < 4; k++) {
        rlx_value args[2] = {k == 0   ? make_tensor(t, RLX_I16, 2, dims, values)
                             : k == 1 ? make_tensor(t, RLX_I64, 1, dims, values)
                                      : rlx_int(3 - k),
                             make_text(t, "Div: the divisor")};
        if (k == 0) {
            RLX_FAILS(try_builtin(t, "rlx.check_nonzero", args, 2, &out), RLX_E_INVALID_ARG,
                      "Div: the divisor at [1, 0] is 0");
        } else if (k == 3) {
            RLX_FAILS(try_builtin(t, "rlx.check_nonzero", args, 2, &out), RLX_E_INVALID_ARG,
                      "Div: the divisor is 0");
        } else {
            out = call_builtin(t, "rlx.check_nonzero", args, 2);
            rlx_value_release(out);
        }
    }
}

RLX_TEST(check, numbers_outside_their_limits_are_named)
{
    static const struct {
        int64_t value, low, high;
        const char *message;
    } rows[] = {{4, 0, 4, NULL},
                {0, 0, 4, NULL},
                {9, 0, 4, "TopK: k is 9, expected 0 to 4"},
                {-1, 0, 4, "TopK: k is -1, expected 0 to 4"},
                {-1, 0, INT64_MAX, "TopK: k is -1, expected at least 0"},
                {INT64_MAX, 0, INT64_MAX, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value out = rlx_none();
        rlx_value args[4] = {rlx_int(rows[i].value), rlx_int(rows[i].low), rlx_int(rows[i].high),
                             make_text(t, "TopK: k")};
        if (rows[i].message) {
            RLX_FAILS(try_builtin(t, "rlx.check_number", args, 4, &out), RLX_E_INVALID_ARG,
                      rows[i].message);
            continue;
        }
        out = call_builtin(t, "rlx.check_number", args, 4);
        cr_expect(out.kind == RLX_KIND_INT && out.as.i == rows[i].value);
    }
}
