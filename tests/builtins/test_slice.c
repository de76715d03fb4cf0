/* rlx.strided_slice against indices enumerated one by one with Python's slice rules. */
#include <stdio.h>

#include "tests/builtins/fixture.h"

enum { LONGEST = 4 };

/* Writes the indices of x[begin:end:step] for a sequence of |n|; returns their number. */
static int64_t positions(int64_t n, int64_t begin, int64_t end, int64_t step, double *out)
{
    int64_t count = 0;
    for (int64_t at = step > 0 ? 0 : n - 1; at >= 0 && at<n; at += step> 0 ? 1 : -1) {
        const int64_t from = begin < 0 ? begin + n : begin, to = end < 0 ? end + n : end;
        const int64_t first = step > 0 ? (from < 0 ? 0 : from) : (from > n - 1 ? n - 1 : from);
        const bool inside = step > 0 ? at >= first && at < to : at <= first && at > to;
        if (inside && (at - first) % step == 0)
            out[count++] = (double)at;
    }
    return count;
}

static rlx_value slice(rlx_test *t, const int64_t *dims, uint32_t ndim, const double *begin,
                       const double *end, const double *step)
{
    double values[MOST_ELEMENTS];
    const int64_t n = ndim;
    for (int i = 0; i < MOST_ELEMENTS; i++)
        values[i] = i;
    rlx_value args[] = {make_tensor(t, RLX_F32, ndim, dims, values),
                        make_tensor(t, RLX_I64, 1, &n, begin), make_tensor(t, RLX_I64, 1, &n, end),
                        make_tensor(t, RLX_I64, 1, &n, step)};
    return call_builtin(t, "rlx.strided_slice", args, 4);
}

RLX_TEST(slice, every_bound_and_stride_of_short_vectors)
{
    for (int64_t n = 0; n <= LONGEST; n++)
        for (int64_t begin = -LONGEST - 2; begin <= LONGEST + 2; begin++)
            for (int64_t end = -LONGEST - 2; end <= LONGEST + 2; end++)
                for (int64_t step = -3; step <= 3; step++) {
                    char what[64];
                    double want[LONGEST + 1];
                    const double b = (double)begin, e = (double)end, s = (double)step;
                    if (step == 0)
                        continue;
                    snprintf(what, sizeof what, "%d[%d:%d:%d]", (int)n, (int)begin, (int)end,
                             (int)step);
                    const int64_t count = positions(n, begin, end, step, want);
                    rlx_value got = slice(t, &n, 1, &b, &e, &s);
                    expect_tensor(what, got, RLX_F32, 1, &count, want);
                    rlx_value_release(got);
                }
}

RLX_TEST(slice, dimensions_are_cut_apart)
{
    const int64_t dims[] = {3, 4, 2}, got_dims[] = {2, 2, 1};
    const double begin[] = {2, -3, 1}, end[] = {-9, 0x1p62, 2}, step[] = {-2, 2, 0x1p62};
    const double want[] = {16 + 2 + 1, 16 + 6 + 1, 2 + 1, 6 + 1};
    rlx_value got = slice(t, dims, 3, begin, end, step);
    expect_tensor("3 dimensions", got, RLX_F32, 3, got_dims, want);
    rlx_value_release(got);
}

RLX_TEST(slice, invalid_bounds_are_refused)
{
    const int64_t n = 3, two = 2;
    const double bounds[] = {0, 2}, zero = 0, least = -0x1p63;
    const struct {
        double step;
        int64_t count;
        rlx_dtype dtype;
    } rows[] = {{zero, 1, RLX_I64}, {least, 1, RLX_I64}, {1, 2, RLX_I64}, {1, 1, RLX_F32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t one = 1;
        const double steps[] = {rows[i].step, 1};
        rlx_value out = rlx_none();
        rlx_value args[] = {
            make_tensor(t, RLX_F32, 1, &n, NULL), make_tensor(t, RLX_I64, 1, &one, bounds),
            make_tensor(t, RLX_I64, 1, &one, bounds + 1),
            make_tensor(t, rows[i].dtype, 1, rows[i].count == 2 ? &two : &one, steps)};
        cr_expect_eq(try_builtin(t, "rlx.strided_slice", args, 4, &out), RLX_E_INVALID_ARG,
                     "row %zu", i);
    }
}
