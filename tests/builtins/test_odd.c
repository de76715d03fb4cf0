/* Every builtin with unexpected arguments. A file may call any builtin with any values, so each
 * call must give a result or an error with a message. The sanitizer builds catch accesses outside
 * tensors. */
#include <math.h>
#include <string.h>

#include "tests/builtins/fixture.h"

enum { TRIES = 100 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Argument kinds of builtins with several arguments, one letter each: T tensor, V integer vector, I
 * int, B 0 or 1, F float, S shape, D dtype, W word, L tuple, N one-element tensor, 2 to 4 a float32
 * tensor of that rank. Other builtins get random values. */
static const struct {
    const char *name, *args;
} expected[] = {{"rlx.reshape", "TS"},
                {"rlx.broadcast_to", "TS"},
                {"rlx.view", "TSDI"},
                {"rlx.inspect", "TWI"},
                {"rlx.sort", "TIB"},
                {"rlx.argsort", "TIBD"},
                {"rlx.topk", "TIIWBD"},
                {"tvm.contrib.sort.sort", "33IB"},

                {"rlx.unique", "TBBBBI"},
                {"rlx.strided_slice", "TVVV"},
                {"rlx.nms", "33NNNB"},
                {"rlx.roi_align", "42IIFIBB"},
                {"rlx.roi_pool", "42IIF"},
                {"rlx.valid_counts", "3FII"},
                {"rlx.random_uniform", "SDFFIB"},
                {"rlx.random_normal", "SDFFIB"},
                {"rlx.list_get", "LI"},
                {"rlx.list_insert", "LTI"},
                {"rlx.list_erase", "LI"},
                {"rlx.list_concat", "LIB"},
                {"rlx.list_split", "TIBV"},
                {"rlx.list_split", "TIBI"},
                {"vm.builtin.tuple_getitem", "LI"},
                {"vm.builtin.match_shape", "SVIIIW"},
                {"vm.builtin.make_shape", "VIII"},
                {"vm.builtin.check_tensor_info", "TID"},
                {"vm.builtin.check_shape_info", "SI"},
                {"vm.builtin.alloc_storage", "SIDW"},
                {"rlx.check_index", "TSSWI"},
                {"rlx.check_range", "TIIW"},
                {"rlx.check_first", "TIW"},
                {"rlx.check_nonzero", "TW"},
                {"rlx.check_number", "IIIW"}};

/* Dimensions are often equal, so that arguments fit each other. */
static rlx_value some_tensor(rlx_test *t, uint64_t *state, char kind)
{
    static const rlx_dtype dtypes[] = {RLX_F32, RLX_F32, RLX_F32, RLX_I64, RLX_I64,
                                       RLX_F64, RLX_I32, RLX_F16, RLX_U8,  RLX_B8};
    static const double odd[] = {-1, 0, 1, 2, 3, 5, 1000, -0x1p40, 0x1p40};
    int64_t dims[4] = {0};
    double values[MOST_ELEMENTS];
    const bool floats = kind == 'N' || (kind >= '2' && kind <= '4');
    const rlx_dtype dtype = kind == 'V' ? RLX_I64
                            : floats    ? RLX_F32
                                        : dtypes[next_random(state) % 10];
    const uint32_t ndim = kind == 'V'   ? 1
                          : kind == 'N' ? 0
                          : floats      ? (uint32_t)(kind - '0')
                                        : (uint32_t)next_random(state) % 5;
    const bool all_four = next_random(state) % 2;
    for (uint32_t i = 0; i < ndim; i++)
        dims[i] = kind == '2' && i == 1 ? 5 /* a region: 5 numbers */
                  : all_four            ? 4
                                        : (int64_t)(next_random(state) % 5);
    const bool small = next_random(state) % 4 != 0 || rlx_dtype_size(dtype) < 4;
    for (size_t i = 0; i < MOST_ELEMENTS; i++)
        values[i] = dtype.code == RLX_BOOL ? (double)(next_random(state) % 2)
                    : small                ? (double)(next_random(state) % 4)
                                           : odd[next_random(state) % 9];
    return make_tensor(t, dtype, ndim, dims, values);
}

static rlx_value some_value(rlx_test *t, uint64_t *state, char kind)
{
    static const char kinds[] = "TVIBFSDWLNX";
    static const int64_t ints[] = {0, 1, 2, 3, -1, -2, 7, 20, INT64_MAX, INT64_MIN};
    static const double floats[] = {0, 1, 0.5, -2, 1e30, (double)NAN, (double)INFINITY};
    static const char *const words[] = {"both", "values", "indices", "shape", "ndim", "{}", ""};
    static const rlx_dtype dtypes[] = {RLX_F32, RLX_I64, RLX_F64, RLX_B8, RLX_F16};
    const uint32_t n = (uint32_t)next_random(state) % 4;
    const bool small = next_random(state) % 2;
    int64_t dims[4];
    rlx_value items[4];
    if (kind == 0 || next_random(state) % 16 == 0)
        kind = kinds[next_random(state) % (sizeof kinds - 1)];
    switch (kind) {
    case 'T':
    case 'V':
    case 'N':
    case '2':
    case '3':
    case '4':
        return some_tensor(t, state, kind);
    case 'I':
        return rlx_int(ints[next_random(state) % (small ? 4 : 10)]);
    case 'B':
        return rlx_int((int64_t)(next_random(state) % 2));
    case 'F':
        return rlx_float(floats[next_random(state) % (small ? 3 : 7)]);
    case 'W':
        return make_text(t, words[next_random(state) % 7]);
    case 'D':
        return rlx_of_dtype(dtypes[next_random(state) % 5]);
    case 'S':
        for (uint32_t i = 0; i < n; i++)
            dims[i] = (int64_t)(next_random(state) % 6);
        return rlx_test_shape(t, n, dims);
    case 'L':
        for (uint32_t i = 0; i < n; i++)
            items[i] = some_tensor(t, state, small ? 'V' : 'T');
        return call_builtin(t, "vm.builtin.make_tuple", items, n);
    default:
        return rlx_none();
    }
}

/* One call in a fresh VM; true if it returns a result. */
static bool call(rlx_test *t, const rlx_builtin *builtin, const char *kinds, uint64_t *state)
{
    const int32_t most = builtin->max_args < 0 ? 6 : builtin->max_args;
    const uint32_t least = (uint32_t)builtin->min_args;
    const uint32_t n = kinds ? (uint32_t)strlen(kinds)
                             : least + (uint32_t)next_random(state) % ((uint32_t)most - least + 1);
    rlx_executable *exe = load_builtin(t, builtin->name, n);
    const rlx_vm_options options = {.allocator = &t->allocator, .max_bytes = 1 << 20};
    rlx_value args[MOST_ARGS], out = rlx_none();
    rlx_vm *vm;
    for (uint32_t i = 0; i < n; i++)
        args[i] = some_value(t, state, kinds ? kinds[i] : 0);
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    t->error = (rlx_error){0};
    const rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, n, &out, &t->error);
    cr_expect(status == RLX_OK || t->error.message[0] != 0, "%s: %s without a message",
              builtin->name, rlx_status_name(status));
    rlx_value_release(out);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(args[i]);
    return status == RLX_OK;
}

RLX_TEST(odd, any_builtin_takes_any_values)
{
    uint32_t count;
    const rlx_builtin *table = rlx_builtin_table(&count);
    for (uint32_t row = 0; row < count; row++) {
        uint64_t state = 1000 + row;
        for (uint32_t i = 0; i < TRIES; i++)
            (void)call(t, &table[row], NULL, &state);
    }
}

RLX_TEST(odd, builtins_take_odd_values_of_the_kinds_they_expect)
{
    uint32_t count;
    const rlx_builtin *table = rlx_builtin_table(&count);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        uint64_t state = 2000 + e;
        uint32_t row = 0, succeeded = 0;
        while (row < count && strcmp(table[row].name, expected[e].name) != 0)
            row++;
        cr_assert_lt(row, count, "%s", expected[e].name);
        for (uint32_t i = 0; i < TRIES; i++)
            succeeded += call(t, &table[row], expected[e].args, &state);
        cr_expect_gt(succeeded, 0, "%s never gave a result", expected[e].name);
    }
}

RLX_TEST(odd, empty_regions_may_have_any_size_but_not_any_samples)
{
    const int64_t image[] = {1, 3, 4, 4}, regions[] = {0, 5}, want[] = {0, 3, 2, INT64_MAX};
    for (int64_t samples = 4096; samples <= 4097; samples++) {
        rlx_value out = rlx_none();
        rlx_value args[] = {make_tensor(t, RLX_F32, 4, image, NULL),
                            make_tensor(t, RLX_F32, 2, regions, NULL),
                            rlx_int(want[2]),
                            rlx_int(want[3]),
                            rlx_float(1),
                            rlx_int(samples),
                            rlx_int(0),
                            rlx_int(0)};
        const rlx_status status = try_builtin(t, "rlx.roi_align", args, 8, &out);
        cr_expect_eq(status, samples == 4096 ? RLX_OK : RLX_E_LIMIT, "%s", t->error.message);
        if (status == RLX_OK)
            expect_tensor("no regions", out, RLX_F32, 4, want, NULL);
        rlx_value_release(out);
    }
}

/* Lengths that the signal does not have, that are too large, or empty; too many results. */
RLX_TEST(odd, transforms_have_the_length_and_results_of_the_call)
{
    static const struct {
        int64_t dims[2], axis, n, count, kind;
        rlx_status status;
    } cases[] = {{{3, 2}, 0, 5, 5, 0, RLX_OK},
                 {{3, 2}, 0, 2, 1, 1, RLX_OK},
                 {{3, 1}, 0, 4, 4, 2, RLX_OK},
                 {{9, 2}, 0, 4, 0, 2, RLX_OK},
                 {{0, 2}, 0, 67, 67, 2, RLX_OK},
                 {{3, 2}, 0, 0, 0, 0, RLX_OK},
                 {{3, 2}, 0, 0, 1, 0, RLX_E_INVALID_ARG},
                 {{3, 2}, 0, 3, 4, 0, RLX_E_INVALID_ARG},
                 {{3, 2}, 0, 3, -1, 0, RLX_E_INVALID_ARG},
                 {{3, 2}, 0, 3, 3, 3, RLX_E_INVALID_ARG},
                 {{3, 2}, 1, 3, 3, 0, RLX_E_INVALID_ARG},
                 {{3, 3}, 0, 3, 3, 0, RLX_E_INVALID_ARG},
                 {{3, 2}, 0, INT64_MAX, 3, 0, RLX_E_INVALID_ARG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlx_value out = rlx_none();
        rlx_value args[] = {make_tensor(t, RLX_F32, 2, cases[i].dims, NULL), rlx_int(cases[i].axis),
                            rlx_int(cases[i].n), rlx_int(cases[i].count), rlx_int(cases[i].kind)};
        const int64_t want[2] = {cases[i].count, cases[i].kind == 2 ? 1 : 2};
        const double zeros[67] = {0};
        const rlx_status status = try_builtin(t, "rlx.dft", args, 5, &out);
        cr_expect_eq(status, cases[i].status, "case %zu: %s", i, t->error.message);
        if (status == RLX_OK)
            expect_tensor("zeros", out, RLX_F32, 2, want, zeros);
        rlx_value_release(out);
    }
}

/* Indices that no check has seen stay inside: they count from the end, then are clipped. */
RLX_TEST(odd, elements_are_put_back_inside)
{
    const int64_t n[1] = {6}, shape[2] = {2, 3}, empty[2] = {0, 3};
    const double x[] = {1, 2, 3, 4, 5, 6}, at[] = {-1, 0x1p62, -0x1p62, 2, 2, 1};
    const double want[] = {3, 6, 5, 0, 0, 2};
    const rlx_dtype types[] = {RLX_F16, RLX_F32, RLX_F64, RLX_U8};
    for (int i = 0; i < 8; i++) {
        const int64_t *size = i % 2 ? empty : shape;
        rlx_value out = rlx_none();
        rlx_value args[] = {make_tensor(t, types[i / 2], 1, n, x),
                            make_tensor(t, RLX_I64, 1, n, at), rlx_test_shape(t, 2, size)};
        if (i / 2 == 3) {
            RLX_FAILS(try_builtin(t, "rlx.unpool", args, 3, &out), RLX_E_INVALID_ARG,
                      "2, 4 or 8 bytes");
            continue;
        }
        out = call_builtin(t, "rlx.unpool", args, 3);
        expect_tensor("put back", out, types[i / 2], 2, size, want);
        rlx_value_release(out);
    }
}

/* Widths of any size: what is outside is the value, or an element of the line. */
RLX_TEST(odd, padding_reads_only_elements_of_the_tensor)
{
    static const int64_t widths[] = {INT64_MIN, INT64_MAX, -3, -1, 0, 2, 9}, n[1] = {2},
                         four[1] = {4};
    static const int64_t empty[1] = {0}, no_dims[1] = {0};
    const double x[] = {1, 2}, nine[] = {9};
    for (int mode = 0; mode < 5; mode++)
        for (int i = 0; i < 14; i++) {
            const bool none = i >= 7;
            rlx_value out = rlx_none();
            rlx_value args[] = {make_tensor(t, RLX_I16, 1, none ? empty : n, x),
                                rlx_test_shape(t, 1, &widths[i % 7]), rlx_test_shape(t, 1, four),
                                rlx_int(mode), make_tensor(t, RLX_I16, 0, no_dims, nine)};
            if (mode == 4) {
                RLX_FAILS(try_builtin(t, "rlx.pad", args, 5, &out), RLX_E_INVALID_ARG, "a width");
                continue;
            }
            out = call_builtin(t, "rlx.pad", args, 5);
            for (int64_t k = 0; k < 4; k++) {
                const double at = (double)k - (double)widths[i % 7], got = element(out, k);
                const bool inside = !none && at >= 0 && at < 2;
                cr_expect(inside              ? got == x[(int)at]
                          : none || mode == 0 ? got == 9
                                              : got == 1 || got == 2,
                          "mode %d, width %lld, place %d: %g", mode, (long long)widths[i % 7],
                          (int)k, got);
            }
            rlx_value_release(out);
        }
}

/* Positions far outside, NaN, an empty axis, one that stays as it is. */
RLX_TEST(odd, resampling_reads_only_elements_of_the_axis)
{
    const double x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const double first[] = {-1e30, 1e30, (double)NAN, -1, 1, 2};
    const double one[] = {0, 1, 0, 1, 0, 0, 1, 0, 0};
    const double zeros[24] = {0};
    double weights[18];
    for (int i = 0; i < 18; i++)
        weights[i] = i % 3 + 1;
    const double rows[] = {6, 24, 42, 60, 18, 36, 54, 72, 6,  24, 42, 60,
                           9, 27, 45, 63, 17, 35, 53, 71, 18, 36, 54, 72};
    const int64_t dims[2] = {4, 3}, out[2] = {6, 4}, six[2] = {6, 3}, three[2] = {3, 3};
    const int64_t none[2] = {0, 4}, empty[2] = {6, 4};
    /* along the first axis of x transposed, and along the last of x */
    double turned[12], lines[24];
    for (int i = 0; i < 12; i++)
        turned[i % 3 * 4 + i / 3] = x[i];
    for (int i = 0; i < 24; i++)
        lines[i % 4 * 6 + i / 4] = rows[i];
    for (int last = 0; last < 2; last++) {
        const int64_t shape[2] = {dims[!last], dims[last]}, result[2] = {out[last], out[!last]};
        rlx_value args[] = {make_tensor(t, RLX_F32, 2, shape, last ? x : turned),
                            make_tensor(t, RLX_F32, 1, six, first),
                            make_tensor(t, RLX_F32, 2, six, weights), rlx_int(last)};
        rlx_value v = call_builtin(t, "rlx.resample", args, 4);
        expect_tensor("far", v, RLX_F32, 2, result, last ? lines : rows);
        rlx_value_release(v);
    }
    rlx_value of_none[] = {make_tensor(t, RLX_F32, 2, none, NULL),
                           make_tensor(t, RLX_F32, 1, six, first),
                           make_tensor(t, RLX_F32, 2, six, weights), rlx_int(0)};
    rlx_value v = call_builtin(t, "rlx.resample", of_none, 4);
    expect_tensor("empty", v, RLX_F32, 2, empty, zeros);
    rlx_value_release(v);
    const double before[] = {-1, 1, 2};
    rlx_value same[] = {make_tensor(t, RLX_F32, 2, dims, x),
                        make_tensor(t, RLX_F32, 1, three, before),
                        make_tensor(t, RLX_F32, 2, three, one), rlx_int(1)};
    v = call_builtin(t, "rlx.resample", same, 4);
    expect_tensor("same", v, RLX_F32, 2, dims, x);
    rlx_value_release(v);
    rlx_value wrong[] = {make_tensor(t, RLX_F32, 2, dims, x), make_tensor(t, RLX_F32, 1, dims, x),
                         make_tensor(t, RLX_F32, 2, three, one), rlx_int(1)};
    RLX_FAILS(try_builtin(t, "rlx.resample", wrong, 4, &v), RLX_E_INVALID_ARG, "a first position");
}

/* Box counts below 0 or too large, NaN scores, positions out of range. */
RLX_TEST(odd, suppression_reads_only_the_boxes_there_are)
{
    const int64_t boxes[] = {2, 3, 6}, images[] = {2}, each[] = {2, 3}, one[] = {2, 1};
    const double rows[36] = {0, NAN, 0, 0, 1, 1, 0, .5,       0,        0, 1,    1,
                             0, 1,   0, 0, 1, 1, 0, INFINITY, INFINITY, 0, -1e9, NAN,
                             0, .5,  0, 0, 1, 1, 1, .25,      0,        0, 1,    1};
    const double counts[][2] = {{-5, 1 << 30}, {3, 3}, {1 << 30, 0}},
                 indices[6] = {7, 8, 9, 1, 2, 3};
    const double kept[][2] = {{0, 3}, {1, 3}, {1, 0}};
    const int64_t at[][3] = {{2, 1, 0}, {3, 1, 0}, {2, 6, 0}, {2, 1, 6}, {-1, 1, 0}, {2, -1, 0}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 6; k++) {
            rlx_value out = rlx_none();
            rlx_value args[] = {make_tensor(t, RLX_F32, 3, boxes, rows),
                                make_tensor(t, RLX_I64, 1, images, counts[i]),
                                make_tensor(t, RLX_I32, 2, each, indices),
                                rlx_int(-1),
                                rlx_float(.5),
                                rlx_int(0),
                                rlx_int(INT64_MAX),
                                rlx_int(at[k][0]),
                                rlx_int(at[k][1]),
                                rlx_int(at[k][2]),
                                rlx_float(0),
                                rlx_float(0),
                                rlx_int(k % 2)};
            const rlx_status status = try_builtin(t, "rlx.box_nms", args, 13, &out);
            cr_expect_eq(status, k == 0 ? RLX_OK : RLX_E_INVALID_ARG, "%s", t->error.message);
            if (status == RLX_OK)
                expect_tensor("boxes", rlx_tuple_get(out.as.tuple, 2), RLX_I32, 2, one, kept[i]);
            rlx_value_release(out);
        }
}
