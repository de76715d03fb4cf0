/* Compressed constants stay compressed (compiler/passes/fold_cut.c): the constants of the
 * executable are as small as stated, and it computes what one without optimisation computes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/cpus.h"
#include "tests/compiler/library.h"

enum { N = 1 << 17 }; /* elements of q, of int8, and of x and w, of float32 */

/* Numbers of 4 bits, taken from bytes by hand, and a product with numbers. */
#define NIBBLES                                                  \
    "h = R.strided_slice(q, axes=[0], begin=[0], end=[65536])\n" \
    "    low = R.bitwise_and(h, R.const(15, \"int8\"))\n"        \
    "    high = R.right_shift(h, R.const(4, \"int8\"))\n    "
#define PRODUCT(numbers)                                                                 \
    "R.matmul(R.reshape(x, (512, 256)), R.multiply(R.astype(" numbers ", \"float32\"), " \
    "R.const(0.25)))"

static const struct row {
    const char *name, *body;
    size_t least, most; /* bytes of all constants */
    bool permutes;      /* on targets that permute palettes; others decode the weight */
} rows[] = {
    {"8 bits", "w = R.dequantize(q, R.const(0.5), R.const(3, \"int8\"))\n    y = R.add(x, w)", N,
     N + 64, false},
    {"8 bits by hand",
     "w = R.reshape(R.multiply(R.astype(q, \"float32\"), R.const(0.5)), (512, 256))\n"
     "    y = R.sum(R.multiply(R.reshape(x, (512, 256)), w), axis=[1])",
     N, N + 64, false},
    {"4 bits",
     NIBBLES "w = R.astype(R.reshape(R.stack([low, high], axis=1), (131072,)), \"float32\")\n"
             "    y = R.multiply(x, w)",
     N / 2, N, false},
    {"products with 4 bits: pairs, halves and blocks of 32",
     NIBBLES
     "a = R.reshape(R.stack([low, high], axis=1), (256, 512))\n"
     "    b = R.concat([R.reshape(low, (256, 256)), R.reshape(high, (256, 256))], axis=1)\n"
     "    c = R.concat([R.reshape(low, (4096, 16)), R.reshape(high, (4096, 16))], axis=1)\n"
     "    y = (" PRODUCT("a") ", " PRODUCT("b") ", " PRODUCT("R.reshape(c, (256, 512))") ")",
     3 * N / 2, 2 * N, false},
    {"palette",
     "p = R.const([0.0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, "
     "14.5])\n"
     "    w = R.take(p, R.astype(R.bitwise_and(q, R.const(15, \"int8\")), \"int32\"))\n"
     "    y = R.subtract(x, w)",
     N, N + 128, false},
    {"padding",
     "h = R.strided_slice(q, axes=[0], begin=[0], end=[20000])\n"
     "    y = R.add(x, R.astype(R.nn.pad(h, (0, 111072)), \"float32\"))",
     20000, 20000, false},
    {"a product reads it too",
     "p = R.const([0.0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, "
     "14.5])\n"
     "    w = R.take(p, R.astype(R.bitwise_and(q, R.const(15, \"int8\")), \"int32\"))\n"
     "    y = (R.subtract(x, w), R.matmul(R.reshape(x, (512, 256)), R.reshape(w, (256, 512))))",
     3 * N / 2, 3 * N / 2 + 256, true},
    {"a product with a palette, whose numbers are int64",
     "p = R.const([0.0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, "
     "14.5])\n"
     "    k = R.astype(R.bitwise_and(q, R.const(15, \"int8\")), \"int64\")\n"
     "    w = R.take(p, R.reshape(k, (256, 512)))\n"
     "    y = R.matmul(R.reshape(x, (512, 256)), w)",
     N / 2, N / 2 + 256, true},
    {"no smaller before",
     "w = R.exp(R.negative(R.astype(q, \"float32\")))\n    y = (R.add(x, w), w)", 4 * N, 4 * N,
     false},
};

static char *text_of(const char *body)
{
    char *text = malloc(6 * (size_t)N + 4096), *p = text;
    cr_assert_not_null(text);
    p += sprintf(p, "@R.function\ndef main(x: R.Tensor((131072,), \"float32\")):\n"
                    "    q = R.const([");
    for (int i = 0; i < N; i++)
        p += sprintf(p, "%d, ", (i * 37 + i / 1000) % 127);
    sprintf(p, "], \"int8\")\n    %s\n    return y\n", body);
    return text;
}

static size_t constant_bytes(const rlx_executable *exe)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < rlx_executable_constant_count(exe); i++) {
        const rlx_value v = rlx_executable_constant(exe, i);
        sum += v.kind == RLX_KIND_TENSOR ? rlx_tensor_nbytes(v.as.tensor) : 0;
    }
    return sum;
}

/* Runs main of the module at an optimisation level. */
static rlx_value run(rlx_test *t, const char *text, int level, size_t *out_bytes)
{
    rlx_compiler *c = library_compiler(t);
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    rlx_value result = rlx_none();
    rlx_compile_options options;
    rlx_compile_options_init(&options);
    options.opt_level = level;
    RLX_OKAY(rlx_ir_module_load(library_parse(t, c, text), &options, NULL, &exe, &t->error));
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, &(int64_t){N}, &x, &t->error));
    for (int i = 0; i < N; i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = (float)(i % 11);
    const rlx_value arg = rlx_of_tensor(x);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &t->error));
    *out_bytes = constant_bytes(exe);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_compiler_destroy(c);
    return result;
}

static void expect_equal(const char *name, rlx_value a, rlx_value b)
{
    cr_assert_eq(a.kind, b.kind);
    for (uint32_t i = 0; a.kind == RLX_KIND_TUPLE && i < rlx_tuple_count(a.as.tuple); i++)
        expect_equal(name, rlx_tuple_get(a.as.tuple, i), rlx_tuple_get(b.as.tuple, i));
    if (a.kind != RLX_KIND_TENSOR)
        return;
    const int64_t n = rlx_tensor_numel(a.as.tensor);
    const float *x = rlx_tensor_data(a.as.tensor), *y = rlx_tensor_data(b.as.tensor);
    int64_t wrong = 0; /* sums of positive elements differ in their order */
    for (int64_t i = 0; i < n; i++)
        wrong += !(x[i] == y[i] || (y[i] > 0 && x[i] > y[i] * 0.9999F && x[i] < y[i] * 1.0001F));
    cr_expect_eq(wrong, 0, "%s: %lld of %lld elements", name, (long long)wrong, (long long)n);
}

RLX_TEST(fold, compressed_constants_stay_compressed)
{
    const bool permutes = cpu_permutes_palettes();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        char *text = text_of(r->body);
        size_t plain, bytes;
        const rlx_value want = run(t, text, 0, &plain), got = run(t, text, 2, &bytes);
        expect_equal(r->name, got, want);
        const size_t most = r->permutes && !permutes ? 8 * (size_t)N : r->most;
        cr_expect(bytes >= r->least && bytes <= most, "%s: %zu bytes of constants", r->name, bytes);
        rlx_value_release(want);
        rlx_value_release(got);
        free(text);
    }
}
