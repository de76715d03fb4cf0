/* Sections "cblas" that no compiler wrote: bytes and calls of any kind are errors. */
#include <rlx/loaders.h>
#include <string.h>

#include "tests/fake/fake.h"
#include "tests/support/rlx_test.h"

/* A row: symbol, flags, activation, a, b, bias, n_operands. */
static void put_section(uint8_t *out, size_t *size, const uint32_t *row, uint32_t n)
{
    uint32_t words[8] = {n};
    memcpy(words + 1, row, 28);
    for (size_t i = 0; i < 32; i++)
        out[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    out[32] = 'f';
    *size = 33;
}

static const char calls[] = ".func main (a: object, b: object, c: object, y: object) -> object {\n"
                            "    call_packed r4, \"f\", [r0, r1, r2, r3]\n"
                            "    ret r3\n}\n"
                            ".func few (a: object) -> object {\n"
                            "    call_packed r1, \"f\", [r0, r0]\n"
                            "    ret r1\n}\n";

/* The executable of |calls| with the section. */
static rlx_executable *with_section(rlx_test *t, const uint8_t *bytes, size_t size)
{
    char text[1024];
    int at = snprintf(text, sizeof text, ".module \"cblas\" [ \"rows\" %zu hex \"", size);
    for (size_t i = 0; i < size; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%02x", bytes[i]);
    snprintf(text + at, sizeof text - (size_t)at, "\" ]\n%s", calls);
    return rlx_test_load(t, text);
}

static rlx_registry *open_registry(rlx_test *t)
{
    rlx_registry *r = NULL;
    cr_assert_not_null(fake_open("cblas", "RLX_CBLAS_LIBRARY"));
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_cblas(r, &t->error));
    return r;
}

RLX_TEST(cblas_section, bytes_of_any_kind_are_refused)
{
    static const struct {
        uint32_t row[7], n;
        size_t size; /* 0: all */
        const char *message;
    } wrong[] = {
        {{1, 0, 0, 0, 1, 2, 3}, 1, 3, "it ends early"},
        {{1, 0, 0, 0, 1, 2, 3}, 1, 32, "function 0 is malformed"},
        {{1, 0, 0, 0, 1, 2, 3}, 1, 31, "it ends early"},
        {{1, 0, 0, 0, 1, 2, 3}, 2, 0, "it ends early"},
        {{1, 0, 0, 0, 1, 2, 3}, UINT32_MAX, 0, "it ends early"},
        {{0, 0, 0, 0, 1, 2, 3}, 1, 0, "it has 1 bytes too many"},
        {{UINT32_MAX, 0, 0, 0, 1, 2, 3}, 1, 0, "function 0 is malformed"},
        {{1, 2, 0, 0, 1, 2, 3}, 1, 0, "function 0 is malformed"},
        {{1, 0, 7, 0, 1, 2, 3}, 1, 0, "function 0 is malformed"},
        {{1, 0, 0, 3, 1, 2, 3}, 1, 0, "function 0 is malformed"},
        {{1, 0, 0, 0, 3, 2, 3}, 1, 0, "function 0 is malformed"},
        {{1, 0, 0, 0, 1, 3, 3}, 1, 0, "function 0 is malformed"},
        {{1, 0, 0, 0, 1, 2, UINT32_MAX}, 1, 0, "function 0 is malformed"},
    };
    rlx_registry *r = open_registry(t);
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t bytes[33];
        size_t size;
        rlx_vm *vm = NULL;
        put_section(bytes, &size, wrong[i].row, wrong[i].n);
        rlx_executable *exe = with_section(t, bytes, wrong[i].size ? wrong[i].size : size);
        RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_INVALID_MODULE,
                  wrong[i].message);
        rlx_executable_release(exe);
    }
    rlx_registry_release(r);
}

RLX_TEST(cblas_section, tensors_of_any_kind_are_refused)
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
    static const uint32_t row[7] = {1, 0, 1, 0, 1, 2, 3};
    uint8_t bytes[33];
    size_t size;
    rlx_registry *r = open_registry(t);
    rlx_vm *vm = NULL;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    put_section(bytes, &size, row, 1);
    rlx_executable *exe = with_section(t, bytes, size);
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
            RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), args, 4, &y, &t->error), RLX_E_SHAPE,
                      wrong[i].message);
        else
            RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 4, &y, &t->error));
        /* [0 1 2] [[0 ...] [4 ...] [8 ...]] + 0 */
        if (!wrong[i].message)
            cr_expect_eq(*(const float *)rlx_tensor_data(y.as.tensor), 20);
        rlx_value_release(y);
        y = rlx_none();
        const rlx_value kept = args[0];
        args[0] = rlx_int(7);
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), args, 4, &y, &t->error), RLX_E_SHAPE,
                  "an operand is no tensor of float32 in the host's memory");
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
