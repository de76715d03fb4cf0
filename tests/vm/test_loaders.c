/* Sections "cblas" and "dnnl" that the compiler did not write: malformed bytes and calls are
   errors. */
#include <rlx/loaders.h>
#include <string.h>

#include "tests/fake/fake.h"
#include "tests/support/rlx_test.h"

enum { CBLAS_WORDS = 7, DNNL_WORDS = 16, MOST_BYTES = 4 + 4 * DNNL_WORDS + 1 };

/* A section of |n| rows, of which it has one of |words| words, and the symbol "f". */
static size_t put_section(uint8_t *out, const uint32_t *row, uint32_t words, uint32_t n)
{
    for (size_t i = 0; i < 4; i++)
        out[i] = (uint8_t)(n >> 8 * i);
    for (size_t i = 0; i < 4 * (size_t)words; i++)
        out[4 + i] = (uint8_t)(row[i / 4] >> 8 * (i % 4));
    out[4 + 4 * words] = 'f';
    return 4 + 4 * (size_t)words + 1;
}

static const char calls[] =
    ".func product (a: object, b: object, c: object, y: object) -> object {\n"
    "    call_packed r4, \"f\", [r0, r1, r2, r3]\n"
    "    ret r3\n}\n"
    ".func convolution (x: object, w: object, b: object, s: object, y: object) -> object {\n"
    "    call_packed r5, \"f\", [r0, r1, r2, r3, r4]\n"
    "    ret r4\n}\n"
    ".func few (a: object) -> object {\n"
    "    call_packed r1, \"f\", [r0, r0]\n"
    "    ret r1\n}\n";

/* The executable of |calls| with the section. */
static rlx_executable *with_section(rlx_test *t, const char *kind, const uint8_t *bytes,
                                    size_t size)
{
    char text[2048];
    int at = snprintf(text, sizeof text, ".module \"%s\" [ \"rows\" %zu hex \"", kind, size);
    for (size_t i = 0; i < size; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%02x", bytes[i]);
    snprintf(text + at, sizeof text - (size_t)at, "\" ]\n%s", calls);
    return rlx_test_load(t, text);
}

static rlx_registry *open_registry(rlx_test *t)
{
    rlx_registry *r = NULL;
    cr_assert_not_null(fake_open("cblas", "RLX_CBLAS_LIBRARY"));
    cr_assert_not_null(fake_open("dnnl", "RLX_DNNL_LIBRARY"));
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_cblas(r, &t->error));
    RLX_OKAY(rlx_registry_add_dnnl(r, &t->error));
    return r;
}

RLX_TEST(loaders, bytes_of_any_kind_are_refused)
{
    static const struct {
        uint32_t row[7], n;
        size_t size; /* 0: all */
        const char *message;
    } wrong[] = {
        {{1, 3, 0, 0, 0, 1, 2}, 1, 3, "it ends early"},
        {{1, 3, 0, 0, 0, 1, 2}, 1, 32, "function 0 is malformed"},
        {{1, 3, 0, 0, 0, 1, 2}, 1, 31, "it ends early"},
        {{1, 3, 0, 0, 0, 1, 2}, 2, 0, "it ends early"},
        {{1, 3, 0, 0, 0, 1, 2}, UINT32_MAX, 0, "it ends early"},
        {{0, 3, 0, 0, 0, 1, 2}, 1, 0, "it has 1 bytes too many"},
        {{UINT32_MAX, 3, 0, 0, 0, 1, 2}, 1, 0, "function 0 is malformed"},
        {{1, 3, 2, 0, 0, 1, 2}, 1, 0, "function 0 is malformed"},
        {{1, 3, 0, 7, 0, 1, 2}, 1, 0, "function 0 is malformed"},
        {{1, 3, 0, 0, 3, 1, 2}, 1, 0, "function 0 is malformed"},
        {{1, 3, 0, 0, 0, 3, 2}, 1, 0, "function 0 is malformed"},
        {{1, 3, 0, 0, 0, 1, 3}, 1, 0, "function 0 is malformed"},
        {{1, UINT32_MAX, 0, 0, 0, 1, 2}, 1, 0, "function 0 is malformed"},
    };
    rlx_registry *r = open_registry(t);
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t bytes[MOST_BYTES];
        rlx_vm *vm = NULL;
        const size_t size = put_section(bytes, wrong[i].row, CBLAS_WORDS, wrong[i].n);
        rlx_executable *exe = with_section(t, "cblas", bytes, wrong[i].size ? wrong[i].size : size);
        RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_INVALID_MODULE,
                  wrong[i].message);
        rlx_executable_release(exe);
    }
    rlx_registry_release(r);
}

RLX_TEST(loaders, factors_of_any_kind_are_refused)
{
    static const struct {
        int64_t dims[4][3]; /* of a, b, the bias and the result; the first 0 ends */
        const char *message;
    } wrong[] = {
        {{{2, 3}, {3, 4}, {4}, {2, 4}}, NULL},
        {{{5, 2, 3}, {3, 4}, {4}, {5, 2, 4}}, NULL},
        {{{2, 3}, {4, 4}, {4}, {2, 4}}, "the matrices do not fit"},
        {{{2, 3}, {3, 4}, {4}, {2, 5}}, "the matrices do not fit"},
        {{{2, 3}, {3, 4}, {4}, {3, 4}}, "the matrices do not fit"},
        {{{5, 2, 3}, {3, 4}, {4}, {2, 4}}, "the matrices do not fit"},
        {{{5, 2, 3}, {3, 4}, {4}, {4, 2, 4}}, "the batches do not fit"},
        {{{2, 3}, {2, 3, 4}, {4}, {4, 2, 4}}, "the batches do not fit"},
        {{{2, 3}, {3, 4}, {3}, {2, 4}}, "the bias does not fit"},
        {{{2, 3}, {3, 4}, {1, 4}, {2, 4}}, "the bias does not fit"},
        {{{2, 3}, {3}, {4}, {2, 4}}, "an operand has less than two dimensions"},
    };
    static const uint32_t row[7] = {1, 3, 0, 1, 0, 1, 2};
    uint8_t bytes[MOST_BYTES];
    rlx_registry *r = open_registry(t);
    rlx_vm *vm = NULL;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    rlx_executable *exe = with_section(t, "cblas", bytes, put_section(bytes, row, CBLAS_WORDS, 1));
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rlx_value args[4], y = rlx_none();
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t ndim = 0;
            while (ndim < 3 && wrong[i].dims[k][ndim] > 0)
                ndim++;
            args[k] = rlx_test_iota(t, ndim, wrong[i].dims[k]);
        }
        if (wrong[i].message)
            RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("product"), args, 4, &y, &t->error), RLX_E_SHAPE,
                      wrong[i].message);
        else
            RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("product"), args, 4, &y, &t->error));
        /* [0 1 2] [[0 ...] [4 ...] [8 ...]] + 0 */
        if (!wrong[i].message)
            cr_expect_eq(*(const float *)rlx_tensor_data(y.as.tensor), 20);
        rlx_value_release(y);
        y = rlx_none();
        const rlx_value kept = args[0];
        args[0] = rlx_int(7);
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("product"), args, 4, &y, &t->error), RLX_E_SHAPE,
                  "an operand is not a float32 tensor in the host's memory");
        args[0] = kept;
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("few"), args, 1, &y, &t->error), RLX_E_SHAPE,
                  "it is called with another number of operands");
        for (uint32_t k = 0; k < 4; k++)
            rlx_value_release(args[k]);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_registry_release(r);
}

/* The row of a convolution: images in groups of 2, strides 1 and 2, padding; all operands. */
static const uint32_t convolution[DNNL_WORDS] = {1, 4, 1, 0, 1, 2, 3, 2, 1, 2, 1, 1, 1, 0, 0, 1};

RLX_TEST(loaders, rows_of_convolutions_are_checked)
{
    static const struct {
        uint32_t word, value;
    } wrong[] = {{0, 2},  {2, 7},  {3, 4},          {4, 4},          {5, 4},
                 {6, 4},  {7, 0},  {7, UINT32_MAX}, {8, 0},          {9, 40000},
                 {10, 0}, {11, 0}, {12, 40000},     {15, UINT32_MAX}};
    rlx_registry *r = open_registry(t);
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t bytes[MOST_BYTES];
        uint32_t row[DNNL_WORDS];
        rlx_vm *vm = NULL;
        memcpy(row, convolution, sizeof row);
        row[wrong[i].word] = wrong[i].value;
        rlx_executable *exe =
            with_section(t, "dnnl", bytes, put_section(bytes, row, DNNL_WORDS, 1));
        RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_INVALID_MODULE,
                  "function 0 is malformed");
        rlx_executable_release(exe);
    }
    rlx_registry_release(r);
}

RLX_TEST(loaders, images_of_any_shape_are_checked)
{
    static const struct {
        int64_t dims[5][4]; /* of the images, weights, bias, sum and result; the first 0 ends */
        const char *message;
    } cases[] = {
        {{{2, 4, 5, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 3}, {2, 6, 4, 3}}, NULL},
        {{{2, 4, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 3}, {2, 6, 4, 3}},
         "does not have four dimensions"},
        {{{3, 4, 5, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 3}, {2, 6, 4, 3}}, "the channels do not fit"},
        {{{2, 3, 5, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 3}, {2, 6, 4, 3}}, "the channels do not fit"},
        {{{2, 4, 5, 5}, {5, 2, 3, 2}, {6}, {2, 5, 4, 3}, {2, 5, 4, 3}}, "the channels do not fit"},
        {{{2, 4, 6, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 3}, {2, 6, 4, 3}}, "sizes of the images"},
        {{{2, 4, 1, 5}, {6, 2, 3, 2}, {6}, {2, 6, 1, 3}, {2, 6, 1, 3}}, "sizes of the images"},
        {{{2, 4, 5, 5}, {6, 2, 3, 2}, {5}, {2, 6, 4, 3}, {2, 6, 4, 3}}, "the bias does not fit"},
        {{{2, 4, 5, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4, 1}, {2, 6, 4, 3}}, "the sum does not fit"},
        {{{2, 4, 5, 5}, {6, 2, 3, 2}, {6}, {2, 6, 4}, {2, 6, 4, 3}}, "the sum does not fit"},
    };
    uint8_t bytes[MOST_BYTES];
    rlx_registry *r = open_registry(t);
    rlx_vm *vm = NULL;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    rlx_executable *exe =
        with_section(t, "dnnl", bytes, put_section(bytes, convolution, DNNL_WORDS, 1));
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlx_value args[5], y = rlx_none();
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t ndim = 0;
            while (ndim < 4 && cases[i].dims[k][ndim] > 0)
                ndim++;
            args[k] = rlx_test_iota(t, ndim, cases[i].dims[k]);
        }
        if (cases[i].message)
            RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("convolution"), args, 5, &y, &t->error),
                      RLX_E_SHAPE, cases[i].message);
        else
            RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("convolution"), args, 5, &y, &t->error));
        rlx_value_release(y);
        for (uint32_t k = 0; k < 5; k++)
            rlx_value_release(args[k]);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_registry_release(r);
}
