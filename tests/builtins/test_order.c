/* sort, argsort, topk, unique and nonzero against plain references: insertion sort on doubles,
 * quadratic searches. */
#include "tests/builtins/fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rlx/floats.h"

static const rlx_dtype all_dtypes[] = {
    {RLX_FLOAT, 64, 1},
    {RLX_FLOAT, 32, 1},
    {RLX_FLOAT, 16, 1},
    {RLX_BFLOAT, 16, 1},
    {RLX_INT, 8, 1},
    {RLX_INT, 16, 1},
    {RLX_INT, 32, 1},
    {RLX_INT, 64, 1},
    {RLX_UINT, 8, 1},
    {RLX_UINT, 16, 1},
    {RLX_UINT, 32, 1},
    {RLX_UINT, 64, 1},
    {RLX_BOOL, 8, 1},
    {RLX_FLOAT8_E4M3FN, 8, 1},
    {RLX_FLOAT8_E4M3FNUZ, 8, 1},
    {RLX_FLOAT8_E5M2, 8, 1},
    {RLX_FLOAT8_E5M2FNUZ, 8, 1},
};
enum { N_DTYPES = sizeof all_dtypes / sizeof *all_dtypes };

static const struct {
    uint32_t ndim, axis;
    int64_t dims[3];
} shapes[] = {{1, 0, {1}},       {1, 0, {17}},      {1, 0, {0}},       {2, 0, {4, 5}},
              {2, 1, {4, 5}},    {3, 1, {3, 7, 2}}, {3, 2, {2, 3, 5}}, {2, 1, {3, 0}},
              {3, 1, {2, 0, 3}}, {2, 0, {1, 6}}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* Small values that every dtype represents, with many ties; floats also include NaN, infinities and
 * both zeros. */
static void fill(rlx_dtype dtype, uint64_t *state, double *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t r = (uint32_t)(*state >> 33);
        values[i] = dtype.code == RLX_BOOL ? r & 1 : r % 7;
        if (dtype.code == RLX_INT || rlx_dtype_is_float(dtype))
            values[i] -= 3;
        if (rlx_dtype_is_float(dtype) && r % 11 == 0)
            values[i] = (double)NAN;
        if (rlx_dtype_is_float(dtype) && r % 13 == 0)
            values[i] = r % 2 ? (double)INFINITY : -(double)INFINITY;
        if (rlx_dtype_is_float(dtype) && values[i] == 0 && r % 3 == 0)
            values[i] = -0.0;
        if (rlx_dtype_is_float(dtype)) /* float8 types may lack infinities and -0 */
            values[i] = rlx_float_decode(dtype, rlx_float_encode(dtype, values[i]));
    }
}

/* Whether |a| comes before |b|; NaN is last in both directions. */
static bool before(double a, double b, bool descending)
{
    if (isnan(a) || isnan(b))
        return !isnan(a) && isnan(b);
    return descending ? a > b : a < b;
}

/* Sorts the indices of |n| values at |stride|; ties keep their order. */
static void order_line(const double *values, int64_t n, int64_t stride, bool descending,
                       int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && before(values[i * stride], values[order[at - 1] * stride], descending);
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

typedef struct expected {
    int64_t dims[3];
    double values[MOST_ELEMENTS], indices[MOST_ELEMENTS];
} expected;

/* The first |k| of each line along the axis. */
static void reference(size_t shape, const double *values, int64_t k, bool descending, expected *out)
{
    const int64_t *dims = shapes[shape].dims;
    const uint32_t axis = shapes[shape].axis;
    int64_t outer = 1, inner = 1, length = dims[axis], order[MOST_ELEMENTS];
    for (uint32_t d = 0; d < shapes[shape].ndim; d++) {
        outer *= d < axis ? dims[d] : 1;
        inner *= d > axis ? dims[d] : 1;
        out->dims[d] = d == axis ? k : dims[d];
    }
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = 0; i < inner; i++) {
            const double *line = values + o * length * inner + i;
            order_line(line, length, inner, descending, order);
            for (int64_t j = 0; j < k; j++) {
                out->values[(o * k + j) * inner + i] = line[order[j] * inner];
                out->indices[(o * k + j) * inner + i] = (double)order[j];
            }
        }
    }
}

static void describe(char *text, size_t size, const char *name, size_t shape, rlx_dtype dtype,
                     bool descending)
{
    char dtype_text[24];
    snprintf(text, size, "%s shape %zu %s%s", name, shape, rlx_dtype_name(dtype, dtype_text),
             descending ? " descending" : "");
}

static void check_sort(rlx_test *t, size_t shape, rlx_dtype dtype, bool descending)
{
    double values[MOST_ELEMENTS];
    uint64_t state = shape * 100 + dtype.code * 10u + dtype.bits;
    const uint32_t ndim = shapes[shape].ndim;
    const int64_t axis = shapes[shape].axis, length = shapes[shape].dims[axis];
    expected want;
    char what[80];
    fill(dtype, &state, values, MOST_ELEMENTS);
    reference(shape, values, length, descending, &want);
    describe(what, sizeof what, "sort", shape, dtype, descending);
    rlx_value args[4] = {make_tensor(t, dtype, ndim, shapes[shape].dims, values), rlx_int(axis),
                         rlx_bool(descending)};
    rlx_value sorted = call_builtin(t, "rlx.sort", args, 3);
    expect_tensor(what, sorted, dtype, ndim, want.dims, want.values);
    rlx_value_release(sorted);
    describe(what, sizeof what, "argsort", shape, dtype, descending);
    args[0] = make_tensor(t, dtype, ndim, shapes[shape].dims, values);
    args[1] = rlx_int(axis - ndim); /* negative axis */
    args[3] = rlx_of_dtype(descending ? RLX_I32 : RLX_I64);
    rlx_value indices = call_builtin(t, "rlx.argsort", args, 4);
    expect_tensor(what, indices, descending ? RLX_I32 : RLX_I64, ndim, want.dims, want.indices);
    rlx_value_release(indices);
}

RLX_TEST(builtins, sort_and_argsort_equal_a_stable_insertion)
{
    for (size_t shape = 0; shape < N_SHAPES; shape++)
        for (size_t d = 0; d < N_DTYPES; d++)
            for (int descending = 0; descending < 2; descending++)
                check_sort(t, shape, all_dtypes[d], descending);
}

RLX_TEST(builtins, sort_keeps_the_extremes_of_64_bits_in_order)
{
    const int64_t n = 3;
    const uint64_t rows[][3] = {{(uint64_t)INT64_MAX, (uint64_t)INT64_MIN, 0},
                                {UINT64_MAX, 0, (uint64_t)1 << 63}};
    const uint64_t want[][2][3] = {
        {{(uint64_t)INT64_MIN, 0, (uint64_t)INT64_MAX},
         {(uint64_t)INT64_MAX, 0, (uint64_t)INT64_MIN}},
        {{0, (uint64_t)1 << 63, UINT64_MAX}, {UINT64_MAX, (uint64_t)1 << 63, 0}}};
    for (int row = 0; row < 2; row++) {
        for (int descending = 0; descending < 2; descending++) {
            rlx_value args[] = {make_tensor(t, row ? RLX_U64 : RLX_I64, 1, &n, NULL), rlx_int(0),
                                rlx_int(descending)};
            memcpy(rlx_tensor_mutable_data(args[0].as.tensor), rows[row], sizeof rows[row]);
            rlx_value out = call_builtin(t, "rlx.sort", args, 3);
            cr_expect_arr_eq(rlx_tensor_data(out.as.tensor), want[row][descending],
                             sizeof want[row][descending], "row %d descending %d", row, descending);
            rlx_value_release(out);
        }
    }
}

RLX_TEST(builtins, topk_gives_the_first_of_the_order)
{
    static const struct {
        size_t shape;
        int64_t k;
        const char *type;
        bool largest;
    } rows[] = {{1, 3, "both", true},  {1, 1, "values", false}, {1, 0, "indices", true},
                {4, 2, "both", false}, {3, -9, "both", true},   {5, 4, "indices", false},
                {6, -1, "both", true}, {2, -1, "both", true},   {7, 0, "values", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[MOST_ELEMENTS];
        uint64_t state = i;
        expected want;
        const size_t shape = rows[i].shape;
        const uint32_t ndim = shapes[shape].ndim;
        const int64_t length = shapes[shape].dims[shapes[shape].axis];
        const int64_t k = rows[i].k < 0 ? length : rows[i].k;
        fill(RLX_F32, &state, values, MOST_ELEMENTS);
        reference(shape, values, k, rows[i].largest, &want);
        rlx_value args[] = {make_tensor(t, RLX_F32, ndim, shapes[shape].dims, values),
                            rlx_int(rows[i].k),
                            rlx_int(shapes[shape].axis),
                            make_text(t, rows[i].type),
                            rlx_bool(rows[i].largest),
                            rlx_of_dtype(RLX_I32)};
        rlx_value out = call_builtin(t, "rlx.topk", args, 6);
        const bool both = strcmp(rows[i].type, "both") == 0;
        rlx_value first = both ? rlx_tuple_get(out.as.tuple, 0) : out;
        rlx_value second = both ? rlx_tuple_get(out.as.tuple, 1) : out;
        if (strcmp(rows[i].type, "indices") != 0)
            expect_tensor("topk values", first, RLX_F32, ndim, want.dims, want.values);
        if (strcmp(rows[i].type, "values") != 0)
            expect_tensor("topk indices", second, RLX_I32, ndim, want.dims, want.indices);
        rlx_value_release(out);
    }
}

/* Fails unless order[0], order[inner], ... sort the line x[0], x[inner], ... and keep ties. */
static void expect_sorted(const double *x, const int32_t *order, int64_t length, int64_t inner,
                          bool descending)
{
    for (int64_t j = 0; j < length; j++) {
        const int64_t at = order[j * inner], next = j + 1 < length ? order[(j + 1) * inner] : 0;
        cr_assert(at >= 0 && at < length);
        if (j + 1 == length)
            continue;
        const double a = x[at * inner], b = x[next * inner];
        cr_assert(!before(b, a, descending), "%g after %g", a, b);
        cr_assert(before(a, b, descending) || at < next, "%g at %ld and %ld", a, (long)at,
                  (long)next);
    }
}

/* topk of long lines uses partial selection; it must equal a full sort, which is checked by the
 * values. */
RLX_TEST(builtins, topk_of_long_lines_is_the_first_of_argsort)
{
    enum { INNER = 19, LONGEST = 530 }; /* 65 of it: a heap of more items than insertion sorts */
    static const rlx_dtype dtypes[] = {RLX_F32, RLX_F64, RLX_I64, RLX_I32, RLX_U8};
    static const int64_t lengths[] = {2, 65, 66, 129, LONGEST}, ks[] = {1, 2, 24, 25, 65, 300};
    static double values[2 * LONGEST * INNER];
    uint64_t state = 7;
    for (size_t i = 0; i < 5 * 5 * 6 * 8; i++) {
        const rlx_dtype dtype = dtypes[i % 5];
        const int64_t length = lengths[i / 5 % 5], k = ks[i / 25 % 6];
        const bool largest = i / 150 & 1, across = i / 150 & 2, strange = i / 150 & 4;
        const int64_t dims[] = {2, across ? length : INNER, across ? INNER : length};
        const int64_t axis = across ? 1 : 2;
        if (k >= length)
            continue;
        fill(dtype, &state, values, 2 * length * INNER);
        for (int64_t j = 0; !strange && j < 2 * length * INNER; j++) /* few ties, no NaN */
            values[j] =
                (double)((j * 7919 + (int64_t)i) % 251) - (dtype.code == RLX_UINT ? 0 : 125);
        rlx_value x = make_tensor(t, dtype, 3, dims, values);
        rlx_value_retain(x);
        rlx_value args[] = {x,
                            rlx_int(k),
                            rlx_int(axis),
                            make_text(t, "indices"),
                            rlx_bool(largest),
                            rlx_of_dtype(RLX_I32)};
        rlx_value got = call_builtin(t, "rlx.topk", args, 6);
        rlx_value whole[] = {x, rlx_int(axis), rlx_bool(largest), rlx_of_dtype(RLX_I32)};
        rlx_value want = call_builtin(t, "rlx.argsort", whole, 4);
        const int32_t *g = rlx_tensor_data(got.as.tensor), *w = rlx_tensor_data(want.as.tensor);
        const int64_t inner = across ? INNER : 1, outer = across ? 2 : 2 * INNER;
        for (int64_t o = 0; o < outer; o++) {
            for (int64_t j = 0; j < k * inner; j++)
                cr_assert_eq(g[o * k * inner + j], w[o * length * inner + j], "case %zu", i);
            for (int64_t j = 0; j < inner; j++)
                expect_sorted(values + o * length * inner + j, w + o * length * inner + j, length,
                              inner, largest);
        }
        rlx_value_release(got);
        rlx_value_release(want);
    }
}

static bool equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

typedef struct uniques {
    int64_t count;
    double values[MOST_ELEMENTS], index[MOST_ELEMENTS], inverse[MOST_ELEMENTS],
        counts[MOST_ELEMENTS];
} uniques;

/* Distinct values in order of appearance or by value, each with its first index and count. */
static void find_uniques(const double *values, int64_t n, bool sorted, uniques *out)
{
    out->count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        while (at < out->count && !equal(out->values[at], values[i]))
            at++;
        if (at == out->count) {
            at = sorted ? 0 : out->count;
            while (at < out->count && before(out->values[at], values[i], false))
                at++;
            for (int64_t k = out->count++; k > at; k--) {
                out->values[k] = out->values[k - 1];
                out->index[k] = out->index[k - 1];
                out->counts[k] = out->counts[k - 1];
            }
            out->values[at] = values[i];
            out->index[at] = (double)i;
            out->counts[at] = 0;
        }
        out->counts[at]++;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < out->count; k++)
            out->inverse[i] = equal(out->values[k], values[i]) ? (double)k : out->inverse[i];
}

static void check_unique(rlx_test *t, rlx_dtype dtype, int64_t n, bool sorted)
{
    double values[MOST_ELEMENTS];
    uint64_t state = (uint64_t)n + dtype.bits;
    static uniques want;
    fill(dtype, &state, values, n);
    find_uniques(values, n, sorted, &want);
    rlx_value args[] = {make_tensor(t, dtype, 1, &n, values),
                        rlx_bool(sorted),
                        rlx_bool(true),
                        rlx_bool(true),
                        rlx_bool(true),
                        rlx_none()};
    rlx_value out = call_builtin(t, "rlx.unique", args, 6);
    cr_assert_eq(rlx_tuple_count(out.as.tuple), 4);
    expect_tensor("unique values", rlx_tuple_get(out.as.tuple, 0), dtype, 1, &want.count,
                  want.values);
    expect_tensor("unique index", rlx_tuple_get(out.as.tuple, 1), RLX_I64, 1, &want.count,
                  want.index);
    expect_tensor("unique inverse", rlx_tuple_get(out.as.tuple, 2), RLX_I64, 1, &n, want.inverse);
    expect_tensor("unique counts", rlx_tuple_get(out.as.tuple, 3), RLX_I64, 1, &want.count,
                  want.counts);
    rlx_value_release(out);
}

RLX_TEST(builtins, unique_equals_a_quadratic_search)
{
    static const int64_t lengths[] = {0, 1, 2, 7, 64};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t d = 0; d < N_DTYPES; d++)
            for (int sorted = 0; sorted < 2; sorted++)
                check_unique(t, all_dtypes[d], lengths[i], sorted);
}

RLX_TEST(builtins, unique_along_an_axis_compares_slices)
{
    const int64_t dims[] = {3, 4}, rows[] = {2, 4}, columns[] = {3, 3}, n_rows = 3;
    const double x[] = {1, 2, 2, 0, /**/ 0, 2, 2, 0, /**/ 1, 2, 2, 0};
    const double by_row[] = {0, 2, 2, 0, /**/ 1, 2, 2, 0}, inverse[] = {1, 0, 1};
    const double by_column[] = {0, 1, 2, /**/ 0, 0, 2, /**/ 0, 1, 2};
    rlx_value args[] = {make_tensor(t, RLX_I32, 2, dims, x),
                        rlx_bool(true),
                        rlx_bool(false),
                        rlx_bool(true),
                        rlx_bool(false),
                        rlx_int(0)};
    rlx_value out = call_builtin(t, "rlx.unique", args, 6);
    expect_tensor("rows", rlx_tuple_get(out.as.tuple, 0), RLX_I32, 2, rows, by_row);
    expect_tensor("inverse", rlx_tuple_get(out.as.tuple, 1), RLX_I64, 1, &n_rows, inverse);
    rlx_value_release(out);
    rlx_value again[] = {make_tensor(t, RLX_I32, 2, dims, x),
                         rlx_bool(true),
                         rlx_bool(false),
                         rlx_bool(false),
                         rlx_bool(false),
                         rlx_int(-1)};
    out = call_builtin(t, "rlx.unique", again, 6);
    expect_tensor("columns", out, RLX_I32, 2, columns, by_column);
    rlx_value_release(out);
}

RLX_TEST(builtins, nothing_in_huge_dimensions_takes_no_time)
{
    const int64_t dims[] = {INT64_C(1) << 40, 0, INT64_C(1) << 40}, none[] = {3, 0};
    static const struct {
        const char *name;
        uint32_t n;
    } rows[] = {{"rlx.sort", 3}, {"rlx.unique", 6}, {"rlx.nonzero", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value args[] = {make_tensor(t, RLX_F32, 3, dims, NULL),
                            rlx_int(1),
                            rlx_int(0),
                            rlx_int(0),
                            rlx_int(0),
                            rlx_int(1)};
        rlx_value out = call_builtin(t, rows[i].name, args, rows[i].n);
        expect_tensor(rows[i].name, out, i == 2 ? RLX_I64 : RLX_F32, i == 2 ? 2 : 3,
                      i == 2 ? none : dims, NULL);
        rlx_value_release(out);
    }
}

RLX_TEST(builtins, nonzero_lists_coordinates)
{
    const int64_t dims[] = {2, 3}, found[] = {2, 3}, none[] = {2, 0}, one[] = {1, 1};
    const double x[] = {0, 5, -0.0, (double)NAN, 0, -1}, at[] = {0, 1, 1, 1, 0, 2};
    const double seven = 7, first = 0;
    for (size_t d = 0; d < N_DTYPES; d++) {
        double values[6];
        for (int i = 0; i < 6; i++)
            values[i] = rlx_dtype_is_float(all_dtypes[d]) ? x[i] : x[i] != 0 && i != 2;
        rlx_value args[] = {make_tensor(t, all_dtypes[d], 2, dims, values)};
        rlx_value out = call_builtin(t, "rlx.nonzero", args, 1);
        expect_tensor("nonzero", out, RLX_I64, 2, found, at);
        rlx_value_release(out);
    }
    rlx_value zeros[] = {make_tensor(t, RLX_F32, 2, dims, NULL)};
    rlx_value out = call_builtin(t, "rlx.nonzero", zeros, 1);
    expect_tensor("zeros", out, RLX_I64, 2, none, NULL);
    rlx_value_release(out);
    rlx_value scalar[] = {make_tensor(t, RLX_I8, 0, NULL, &seven)};
    out = call_builtin(t, "rlx.nonzero", scalar, 1);
    expect_tensor("scalar", out, RLX_I64, 2, one, &first);
    rlx_value_release(out);
}

RLX_TEST(builtins, order_refuses_wrong_arguments)
{
    const int64_t two = 2;
    struct {
        const char *name, *message;
        uint32_t n;
        rlx_value args[6];
    } rows[] = {
        {"rlx.sort", "axis 1 is out of range for rank 1", 3, {{0}, rlx_int(1), rlx_int(0)}},
        {"rlx.sort", "axis -2 is out of range for rank 1", 3, {{0}, rlx_int(-2), rlx_int(0)}},
        {"rlx.sort", "argument 1 must be an integer, is float", 3, {{0}, rlx_float(1), rlx_int(0)}},
        {"rlx.argsort",
         "indices must have an integer dtype",
         4,
         {{0}, rlx_int(0), rlx_int(0), rlx_of_dtype(RLX_F32)}},
        {"rlx.argsort",
         "argument 3 must be a dtype, is int",
         4,
         {{0}, rlx_int(0), rlx_int(0), rlx_int(0)}},
        {"rlx.topk",
         "topk: k is 3, the axis has 2 elements",
         6,
         {{0}, rlx_int(3), rlx_int(0), rlx_bool(true), rlx_bool(true), rlx_of_dtype(RLX_I32)}},
        {"rlx.unique",
         "axis 3 is out of range for rank 1",
         6,
         {{0}, rlx_int(0), rlx_int(0), rlx_int(0), rlx_int(0), rlx_int(3)}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value out = rlx_none();
        rows[i].args[0] = make_tensor(t, RLX_F32, 1, &two, NULL);
        RLX_FAILS(try_builtin(t, rows[i].name, rows[i].args, rows[i].n, &out), RLX_E_INVALID_ARG,
                  rows[i].message);
    }
    rlx_value no_tensor[] = {rlx_int(4)}, out = rlx_none();
    RLX_FAILS(try_builtin(t, "rlx.nonzero", no_tensor, 1, &out), RLX_E_INVALID_ARG,
              "argument 0 must be a tensor, is int");
}
