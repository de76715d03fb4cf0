/* rlxc --lift-params: weights of integers, booleans and fewer bits than a byte, read by a function
 * for many rows and one for a single row. The same weights in the executable are the reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/vm.h"
#include "tests/compiler/files.h"
#include "tests/compiler/lift.h"

enum { ROWS = 3, WIDTH = 64, N_WEIGHTS = 8, N_TYPES = 3 };

#define BODY(name, rows)                                                                   \
    "    @R.function\n"                                                                    \
    "    def " name "(x: R.Tensor((" rows                                                  \
    ", 64), \"float32\"), a: R.Tensor((64, 64), \"int4\"),\n"                              \
    "            b: R.Tensor((48, 64), \"uint4\"), scale: R.Tensor((64,), \"float32\"),\n" \
    "            table: R.Tensor((4,), \"float32\"), at: R.Tensor((48, 5), \"uint2\"),\n"  \
    "            flags: R.Tensor((64,), \"bool\"), few: R.Tensor((5,), \"int2\"),\n"       \
    "            row: R.Tensor((64,), \"int64\")):\n"                                      \
    "        R.func_attr({\"num_input\": 1})\n"                                            \
    "        with R.dataflow():\n"                                                         \
    "            c = R.matmul(x, R.multiply(R.astype(a, \"float32\"), scale))\n"           \
    "            d = R.where(flags, c, R.multiply(c, R.const(0.5, \"float32\")))\n"        \
    "            e = R.matmul(d, R.permute_dims(R.astype(b, \"float32\")))\n"              \
    "            f = R.matmul(e, R.take(table, R.astype(at, \"int32\")))\n"                \
    "            g = R.add(f, R.astype(few, \"float32\"))\n"                               \
    "            h = R.add(d, R.astype(R.logical_not(flags), \"float32\"))\n"              \
    "            i = R.multiply(h, R.astype(row, \"float32\"))\n"                          \
    "            out = (g, i)\n"                                                           \
    "            R.output(out)\n"                                                          \
    "        return out\n"

static const char MODULE[] =
    "@I.ir_module\nclass Module:\n" BODY("main", "\"n\"") BODY("step", "1");

static const lift_weight weights[N_WEIGHTS] = {
    {"a", "I4", "64,64", 1, 64 * 64}, {"b", "U4", "48,64", 1, 48 * 64},
    {"scale", "F32", "64", 4, 64},    {"table", "F32", "4", 4, 4},
    {"at", "U2", "48,5", 1, 240},     {"flags", "BOOL", "64", 1, 64},
    {"few", "I2", "5", 1, 5},         {"row", "I64", "64", 8, 64},
};

static rlx_value run(rlx_test *t, const char *path, const char *params, bool many)
{
    const rlx_load_options options = {
        .allocator = &t->allocator, .trust_native = true, .weights = params};
    rlx_executable *exe;
    rlx_tensor *x;
    rlx_value result;
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, (int64_t[]){many ? ROWS : 1, WIDTH}, &x,
                               &t->error));
    float *data = rlx_tensor_mutable_data(x);
    for (int i = 0; i < (many ? ROWS : 1) * WIDTH; i++)
        data[i] = (float)(i * 7 % 13 - 6) / 8;
    const rlx_value arg = rlx_of_tensor(x);
    RLX_OKAY(
        rlx_vm_invoke(vm, many ? RLX_STR("main") : RLX_STR("step"), &arg, 1, &result, &t->error));
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return result;
}

static void same(rlx_value a, rlx_value b, const char *what)
{
    for (uint32_t i = 0; i < 2; i++)
        lift_same(rlx_tuple_get(a.as.tuple, i), rlx_tuple_get(b.as.tuple, i), 1e-4f, what);
}

RLX_TEST(lift_params, integers_booleans_and_few_bits_are_replaced)
{
    lift_place p;
    char first[64], second[64], linked[64], lifted[64], name[96];
    size_t size;
    lift_begin(&p, MODULE);
    lift_weights(&p, first, 1, weights, N_WEIGHTS);
    lift_weights(&p, second, 2, weights, N_WEIGHTS);
    lift_compiled(&p, first, "--lift-params", lifted);
    lift_compiled(&p, second, NULL, linked);
    for (int many = 0; many < 2; many++) {
        const rlx_value own = run(t, lifted, NULL, many), again = run(t, lifted, first, many),
                        other = run(t, lifted, second, many), expected = run(t, linked, NULL, many);
        same(own, again, "the same weights");
        same(expected, other, "others");
        rlx_value_release(own);
        rlx_value_release(again);
        rlx_value_release(other);
        rlx_value_release(expected);
    }
    snprintf(name, sizeof name, "%s.safetensors", lifted);
    char *file = file_read(name, &size);
    for (int i = 0; i < N_WEIGHTS; i++) {
        char quoted[16];
        snprintf(quoted, sizeof quoted, "(%s)", weights[i].name); /* of what is made of it */
        const bool is_made = strstr(file + 8, quoted);
        snprintf(quoted, sizeof quoted, "\"%s\"", weights[i].name);
        cr_expect(is_made || strstr(file + 8, quoted), "%s is not in the file", weights[i].name);
    }
    free(file);
    lift_end(&p);
}

/* What folding leaves of the weight has no elements, so no weight is lifted. */
RLX_TEST(lift_params, weights_without_elements_stay_in_the_executable)
{
    static const char module[] =
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", 64), \"float32\"), w: R.Tensor((4, 64), \"float32\")):\n"
        "        R.func_attr({\"num_input\": 1})\n"
        "        with R.dataflow():\n"
        "            z = R.strided_slice(w, axes=[0], begin=[2], end=[2])\n"
        "            y = R.concat((x, z), axis=0)\n"
        "            R.output(y)\n"
        "        return y\n";
    static const lift_weight w = {"w", "F32", "4,64", 4, 4 * 64};
    const rlx_load_options options = {.allocator = &t->allocator, .trust_native = true};
    lift_place p;
    char params[64], lifted[64];
    rlx_executable *exe;
    lift_begin(&p, module);
    lift_weights(&p, params, 1, &w, 1);
    lift_compiled(&p, params, "--lift-params", lifted);
    RLX_OKAY(rlx_executable_load_file(lifted, &options, &exe, &t->error));
    rlx_executable_release(exe);
    lift_end(&p);
}

/* A byte that is no element of a type with fewer bits. */
RLX_TEST(lift_params, elements_out_of_range_are_refused)
{
    static const struct {
        int weight;
        const char *type, *said;
    } rows[N_TYPES] = {{0, "I8", "tensor 'a': a value is not a valid int4"},
                       {1, "U8", "tensor 'b': a value is not a valid uint4"},
                       {6, "I8", "tensor 'few': a value is not a valid int2"}};
    lift_place p;
    char path[64], lifted[64];
    lift_begin(&p, MODULE);
    lift_compiled(&p, lift_weights(&p, path, 1, weights, N_WEIGHTS), "--lift-params", lifted);
    for (int i = 0; i < N_TYPES; i++) {
        lift_weight all[N_WEIGHTS];
        rlx_executable *exe = NULL;
        memcpy(all, weights, sizeof all);
        all[rows[i].weight].type = rows[i].type;
        const rlx_load_options options = {.allocator = &t->allocator,
                                          .trust_native = true,
                                          .weights = lift_weights(&p, path, 2, all, N_WEIGHTS)};
        cr_expect_neq(rlx_executable_load_file(lifted, &options, &exe, &t->error), RLX_OK);
        cr_expect(strstr(t->error.message, rows[i].said), "%s", t->error.message);
    }
    lift_end(&p);
}
