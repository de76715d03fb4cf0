/* Elements smaller than a byte in compiled programs: all values converted to and from bytes, int32
 * and float32, at odd counts and sizes 0 and 1, with and without optimisation; copies;
 * quantization; constants that keep their size in the file; rejected programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/packed.h"
#include "tests/compiler/bound.h"

static const rlx_dtype types[] = {
    {RLX_INT, 4, 1}, {RLX_UINT, 4, 1}, {RLX_INT, 2, 1}, {RLX_UINT, 2, 1}};
static const char *const names[] = {"int4", "uint4", "int2", "uint2"};

static const char text[] =
    "@I.ir_module\nclass Module:\n"
    "    @R.function\n    def same(x: R.Tensor((\"n\", \"m\"), \"%s\")):\n        return x\n"
    "    @R.function\n    def bytes(x: R.Tensor((\"n\", \"m\"), \"%s\")):\n"
    "        y = R.astype(x, dtype=\"int8\")\n        return y\n"
    "    @R.function\n    def floats(x: R.Tensor((\"n\", \"m\"), \"%s\")):\n"
    "        y = R.astype(x, dtype=\"float32\")\n        return y\n"
    "    @R.function\n    def from_int(x: R.Tensor((\"n\", \"m\"), \"int32\")):\n"
    "        y = R.astype(x, dtype=\"%s\")\n        return y\n"
    "    @R.function\n    def from_float(x: R.Tensor((\"n\", \"m\"), \"float32\")):\n"
    "        y = R.astype(x, dtype=\"%s\")\n        return y\n"
    "    @R.function\n    def quantized(x: R.Tensor((\"n\", \"m\"), \"float32\")):\n"
    "        y = R.quantize(x, R.const(0.5, \"float32\"), R.const(1, \"int8\"), out_dtype=\"%s\")\n"
    "        return y\n"
    "    @R.function\n    def turned(x: R.Tensor((\"n\", \"m\"), \"%s\")):\n"
    "        y = R.permute_dims(R.concat((x, x), axis=1))\n        return y\n";

static rlx_executable *compile(rlx_test *t, const char *program, int level)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, level));
    options.check = true;
    rlxc_module *module = rlxc_read_module(ctx, "test.py", program, strlen(program));
    rlx_executable *exe = bound_load(t, ctx, module, &options, NULL, program);
    rlxc_context_destroy(ctx);
    return exe;
}

static rlx_tensor *called(rlx_test *t, rlx_vm *vm, const char *name, rlx_tensor *x)
{
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(name), &arg, 1, &out, &t->error));
    cr_assert_eq(out.kind, RLX_KIND_TENSOR);
    return out.as.tensor;
}

static int64_t low_bits(rlx_dtype d, int64_t value)
{
    const int64_t count = (int64_t)1 << d.bits, low = value & (count - 1);
    return d.code == RLX_INT && low >= count / 2 ? low - count : low;
}

static int64_t limited(rlx_dtype d, double value)
{
    const double count = (double)(1 << d.bits), least = d.code == RLX_INT ? -count / 2 : 0;
    return (int64_t)fmin(fmax(value, least), least + count - 1);
}

static rlx_tensor *tensor(rlx_test *t, rlx_dtype d, const int64_t dims[2])
{
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, d, 2, dims, &x, &t->error));
    if (rlx_tensor_nbytes(x) > 0)
        memset(rlx_tensor_mutable_data(x), 0xaa, rlx_tensor_nbytes(x));
    return x;
}

/* Checks every function at one size. */
static void check(rlx_test *t, rlx_vm *vm, rlx_dtype d, const int64_t dims[2])
{
    const size_t n = (size_t)(dims[0] * dims[1]), m = (size_t)dims[1];
    rlx_tensor *x = tensor(t, d, dims), *i32 = tensor(t, RLX_I32, dims),
               *f32 = tensor(t, RLX_F32, dims);
    for (size_t i = 0; i < n; i++) {
        rlx_packed_set(d, rlx_tensor_mutable_data(x), i, (int64_t)i * 7 + 3);
        ((int32_t *)rlx_tensor_mutable_data(i32))[i] = (int32_t)(i * 37) - 50;
        ((float *)rlx_tensor_mutable_data(f32))[i] = (float)i * 0.75f - 9.4f;
    }
    rlx_tensor *same = called(t, vm, "same", x), *bytes = called(t, vm, "bytes", x),
               *floats = called(t, vm, "floats", x), *ints = called(t, vm, "from_int", i32),
               *cut = called(t, vm, "from_float", f32), *q = called(t, vm, "quantized", f32),
               *turned = called(t, vm, "turned", x);
    cr_assert(rlx_dtype_eq(rlx_tensor_dtype(turned), d) && rlx_tensor_ndim(turned) == 2 &&
              rlx_tensor_dims(turned)[0] == 2 * dims[1] && rlx_tensor_dims(turned)[1] == dims[0]);
    for (size_t i = 0; i < n; i++) {
        const int64_t want = low_bits(d, (int64_t)i * 7 + 3);
        const double f = (double)((const float *)rlx_tensor_data(f32))[i];
        cr_expect_eq(rlx_packed_get(d, rlx_tensor_data(same), i), want);
        cr_expect_eq(((const int8_t *)rlx_tensor_data(bytes))[i], want);
        cr_expect_eq((double)((const float *)rlx_tensor_data(floats))[i], (double)want);
        cr_expect_eq(rlx_packed_get(d, rlx_tensor_data(ints), i),
                     low_bits(d, (int64_t)i * 37 - 50));
        cr_expect_eq(rlx_packed_get(d, rlx_tensor_data(cut), i), limited(d, trunc(f)));
        cr_expect_eq(rlx_packed_get(d, rlx_tensor_data(q), i), limited(d, nearbyint(f / 0.5) + 1));
        for (size_t k = 0; k < 2; k++)
            cr_expect_eq(rlx_packed_get(d, rlx_tensor_data(turned),
                                        (i % m + k * m) * (size_t)dims[0] + i / m),
                         want);
    }
    rlx_tensor *all[] = {x, i32, f32, same, bytes, floats, ints, cut, q, turned};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rlx_value_release(rlx_of_tensor(all[i]));
}

RLX_TEST(packed, conversions_moves_and_quantization)
{
    static const int64_t sizes[][2] = {{0, 3}, {1, 1}, {1, 2}, {3, 1}, {5, 7}, {4, 33}};
    static char program[4096];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int level = 0; level < 3; level += 2) {
            const char *s = names[i];
            snprintf(program, sizeof program, text, s, s, s, s, s, s, s);
            rlx_executable *exe = compile(t, program, level);
            rlx_vm *vm = NULL;
            cr_assert(exe);
            RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error));
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                check(t, vm, types[i], sizes[k]);
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
        }
}

enum { ROWS = 96, COLUMNS = 64 };

/* An I8 weight for an int4 parameter: products read half a byte per element, and gathers read it
 * packed from the file. */
static void check_stored(rlx_test *t, int level)
{
    static const char program[] =
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", 96), \"float32\"), w: R.Tensor((96, 64), \"int4\")):\n"
        "        R.func_attr({\"num_input\": 1})\n"
        "        with R.dataflow():\n"
        "            f = R.multiply(R.astype(w, \"float32\"), R.const(0.25, \"float32\"))\n"
        "            y = R.matmul(x, f)\n            R.output(y)\n        return y\n"
        "    @R.function\n"
        "    def rows(at: R.Tensor((\"n\",), \"int64\"), w: R.Tensor((96, 64), \"int4\")):\n"
        "        R.func_attr({\"num_input\": 1})\n"
        "        with R.dataflow():\n"
        "            y = R.astype(R.take(w, at, axis=0), \"float32\")\n"
        "            R.output(y)\n        return y\n";
    int8_t w[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        w[i] = (int8_t)((i * 29 + i / 64) % 16 - 8);
    size_t size;
    unsigned char *file =
        bound_file("{\"w\":{\"dtype\":\"I8\",\"shape\":[96,64],\"data_offsets\":[0,6144]}}", w,
                   sizeof w, &size);
    rlx_executable *exe = bound_compile(t, &(bound_program){.text = program,
                                                            .weights = file,
                                                            .size = size,
                                                            .level = level,
                                                            .expect = "quantized_matmul"});
    free(file);
    cr_assert(exe);
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error));
    rlx_tensor *x = tensor(t, RLX_F32, (int64_t[]){3, ROWS}), *at = NULL;
    const int64_t three = 3;
    for (int i = 0; i < 3 * ROWS; i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = (float)(i % 11) / 8 - 0.5f;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I64, 1, &three, &at, &t->error));
    memcpy(rlx_tensor_mutable_data(at), (int64_t[]){95, 0, 41}, 24);
    rlx_tensor *y = called(t, vm, "main", x), *rows = called(t, vm, "rows", at);
    for (int i = 0; i < 3 * COLUMNS; i++) {
        double sum = 0, most = 0;
        for (int k = 0; k < ROWS; k++) {
            const double term = (double)((const float *)rlx_tensor_data(x))[i / 64 * ROWS + k] *
                                w[k * 64 + i % 64] / 4;
            sum += term;
            most += fabs(term);
        }
        cr_expect(fabs(sum - (double)((const float *)rlx_tensor_data(y))[i]) <= 2e-5 * most + 1e-6);
        const int row = i < 64 ? 95 : i < 128 ? 0 : 41;
        cr_expect_eq(((const float *)rlx_tensor_data(rows))[i], (float)w[row * 64 + i % 64]);
    }
    rlx_value_release(rlx_of_tensor(x));
    rlx_value_release(rlx_of_tensor(at));
    rlx_value_release(rlx_of_tensor(y));
    rlx_value_release(rlx_of_tensor(rows));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(packed, weights_keep_their_size)
{
    for (int level = 1; level <= 3; level += 2)
        check_stored(t, level);
}

RLX_TEST(packed, stored_types_are_not_computed_with)
{
    static const struct {
        const char *type, *value, *message;
    } cases[] = {
        {"int4", "R.add(x, x)", "int4 is a storage-only type: convert with astype first"},
        {"uint2", "R.sum(x)", "uint2 is a storage-only type: convert with astype first"},
        {"float8_e4m3fn", "R.add(x, x)",
         "float8_e4m3fn is a storage-only type: convert with astype first"},
        {"float8_e5m2", "R.exp(x)", "convert with astype first"},
        {"float8_e5m2", "R.argmax(x)", "convert with astype first"},
        {"float8_e5m2", "R.scatter_elements(x, R.const([[0]], \"int64\"), x, reduction=\"add\")",
         "convert with astype first"},
        {"float32", "R.eye(3, dtype=\"float8_e5m2\")", "convert to it with astype"},
        {"float8_e3m4", "x", "unknown element type \"float8_e3m4\"; there are bool, int8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[512];
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options;
        rlx_exec_builder *builder = NULL;
        snprintf(program, sizeof program,
                 "@R.function\ndef main(x: R.Tensor((2, 2), \"%s\")):\n    y = %s\n    return y\n",
                 cases[i].type, cases[i].value);
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
        rlxc_module *module = rlxc_read_module(ctx, "test.py", program, strlen(program));
        cr_expect(!module || !rlxc_compile_module(ctx, module, &options, NULL, builder));
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect(strstr(said, cases[i].message) != NULL, "%s\n%s", cases[i].message, said);
        rlx_exec_builder_destroy(builder);
        rlxc_context_destroy(ctx);
    }
}
