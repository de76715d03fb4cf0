/* rlxc --lift-params: the weights program repeats on other weights what passes fold, merge and
 * transform of lifted weights, and the initializers of ONNX models. The same weights in the
 * executable are the reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/cli/cli.h"
#include "rlx/vm.h"
#include "tests/compiler/files.h"
#include "tests/compiler/lift.h"
#include "tests/compiler/onnx_bytes.h"

/* Convolutions of 3x3 with scales and shifts before and behind norms, large enough for minimal
 * filtering; three products of one operand, and one that is read in parts. */
static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(image: R.Tensor((1, 16, 13, 12), \"float32\"), x: R.Tensor((16, 16), "
    "\"float32\"),\n"
    "             k1: R.Tensor((32, 16, 3, 3), \"float32\"), k2: R.Tensor((32, 32, 3, 3), "
    "\"float32\"),\n"
    "             bias: R.Tensor((1, 32, 1, 1), \"float32\"), gain: R.Tensor((), \"float32\"),\n"
    "             gamma: R.Tensor((32,), \"float32\"), beta: R.Tensor((32,), \"float32\"),\n"
    "             mean: R.Tensor((32,), \"float32\"), spread: R.Tensor((32,), \"float32\"),\n"
    "             wq: R.Tensor((16, 16), \"float32\"), bq: R.Tensor((16,), \"float32\"),\n"
    "             wk: R.Tensor((16, 16), \"float32\"), bk: R.Tensor((16,), \"float32\"),\n"
    "             wv: R.Tensor((16, 32), \"float32\")):\n"
    "        R.func_attr({\"num_input\": 2})\n"
    "        with R.dataflow():\n"
    "            c1 = R.add(R.nn.conv2d(image, k1, padding=1), bias)\n"
    "            b1 = R.nn.batch_norm(c1, gamma, beta, mean, R.exp(spread), axis=1, "
    "training=False)\n"
    "            r1 = R.nn.relu(b1[0])\n"
    "            c2 = R.subtract(R.multiply(R.nn.conv2d(r1, k2, padding=1), gain), bias)\n"
    "            c3 = R.divide(c2, R.const(2, \"float32\"))\n"
    "            q = R.add(R.matmul(x, wq), bq)\n"
    "            k = R.add(R.matmul(x, wk), bk)\n"
    "            s = R.nn.softmax(R.matmul(q, k))\n"
    "            v = R.matmul(x, wv)\n"
    "            v1 = R.strided_slice(v, (R.prim_value(1),), (R.prim_value(0),), "
    "(R.prim_value(16),))\n"
    "            v2 = R.strided_slice(v, (R.prim_value(1),), (R.prim_value(16),), "
    "(R.prim_value(32),))\n"
    "            o1 = R.matmul(s, v1)\n"
    "            o2 = R.matmul(s, v2)\n"
    "            out = (c3, o1, o2)\n"
    "            R.output(out)\n"
    "        return out\n";
static const lift_weight weights[] = {
    {"k1", "F32", "32,16,3,3", 4, 32 * 16 * 9},
    {"k2", "F32", "32,32,3,3", 4, 32 * 32 * 9},
    {"bias", "F32", "1,32,1,1", 4, 32},
    {"gain", "F32", "", 4, 1},
    {"gamma", "F32", "32", 4, 32},
    {"beta", "F32", "32", 4, 32},
    {"mean", "F32", "32", 4, 32},
    {"spread", "F32", "32", 4, 32},
    {"wq", "F32", "16,16", 4, 256},
    {"bq", "F32", "16", 4, 16},
    {"wk", "F32", "16,16", 4, 256},
    {"bk", "F32", "16", 4, 16},
    {"wv", "F32", "16,32", 4, 512},
};
enum { N_WEIGHTS = sizeof weights / sizeof *weights, N_RESULTS = 3 };

static rlx_value run(rlx_test *t, const char *path, const char *params)
{
    const rlx_load_options options = {
        .allocator = &t->allocator, .trust_native = true, .weights = params};
    rlx_executable *exe;
    rlx_value args[2], result;
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    rlx_vm *vm = rlx_test_vm(t, exe);
    const int64_t dims[2][4] = {{1, 16, 13, 12}, {16, 16}};
    for (int i = 0; i < 2; i++) {
        rlx_tensor *x;
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, i ? 2 : 4, dims[i], &x, &t->error));
        float *data = rlx_tensor_mutable_data(x);
        for (int64_t k = 0; k < rlx_tensor_numel(x); k++)
            data[k] = (float)(k * 7 % 13 - 6) / 8;
        args[i] = rlx_of_tensor(x);
    }
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &result, &t->error));
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return result;
}

static void same(rlx_value a, rlx_value b, float tolerance, const char *what)
{
    for (uint32_t i = 0; i < N_RESULTS; i++)
        lift_same(rlx_tuple_get(a.as.tuple, i), rlx_tuple_get(b.as.tuple, i), tolerance, what);
}

RLX_TEST(lift_params, folded_filtered_and_merged_weights_are_replaced)
{
    static const char *const made_by[] = {
        "astype(add(multiply(subtract(add(",         /* the norm behind a bias */
        "astype(multiply(subtract(multiply(astype(", /* a number and a shift */
        "astype(matmul(reshape(",                    /* minimal filtering */
        "concat(reshape(wq))",
        "concat(reshape(bq))",                /* several products */
        "concat(strided_slice(reshape(wv)))", /* parts of one */
    };
    lift_place p;
    char first[64], second[64], linked[64], lifted[64], path[96];
    lift_begin(&p, MODULE);
    lift_weights(&p, first, 1, weights, N_WEIGHTS);
    lift_weights(&p, second, 2, weights, N_WEIGHTS);
    lift_compiled(&p, first, "--lift-params", lifted);
    const rlx_value made = run(t, lifted, NULL), again = run(t, lifted, first),
                    other = run(t, lifted, second);
    const rlx_value reference = run(t, lift_compiled(&p, first, NULL, linked), NULL);
    const rlx_value expected = run(t, lift_compiled(&p, second, NULL, linked), NULL);
    same(made, again, 1e-4f, "the same weights");
    same(reference, made, 1e-4f, "lifted");
    same(expected, other, 1e-4f, "others");
    rlx_value_release(made);
    rlx_value_release(again);
    rlx_value_release(other);
    rlx_value_release(reference);
    rlx_value_release(expected);
    snprintf(path, sizeof path, "%s.safetensors", lifted);
    char *file = file_read(path, NULL);
    for (size_t i = 0; i < sizeof made_by / sizeof *made_by; i++)
        cr_expect(strstr(file + 8, made_by[i]), "%s is missing in %s", made_by[i], file + 8);
    free(file);
    lift_end(&p);
}

/* --- initializers of ONNX models -------------------------------------------------------------- */

enum { ROWS = 2 };

/* Floats value, value + step, ... */
static void put_floats(bytes *graph, const char *name, uint32_t ndim, const int64_t *shape,
                       float value, float step)
{
    static bytes tensor, data;
    int64_t n = 1;
    tensor.size = data.size = 0;
    for (uint32_t i = 0; i < ndim; i++) {
        put_int(&tensor, 1, (uint64_t)shape[i]);
        n *= shape[i];
    }
    put_int(&tensor, 2, 1);
    put_text(&tensor, 8, name);
    for (int64_t i = 0; i < n; i++, value += step) {
        memcpy(data.data + data.size, &value, sizeof value);
        data.size += sizeof value;
    }
    put(&tensor, 9, data.data, data.size);
    put_message(graph, 5, &tensor);
}

/* y = resize(((x * w + zeros) * half) by scales): a weight, one whose elements are whole numbers,
 * one with a single element, one that decides a shape. */
static void make_model(bytes *model)
{
    static bytes graph;
    static const int64_t w[2] = {3, 4}, row[1] = {4}, one[1] = {1}, two[1] = {2};
    graph.size = 0;
    put_input(&graph, 1, 0);
    put_floats(&graph, "w", 2, w, 0.25f, 0.5f);
    put_floats(&graph, "zeros", 1, row, 0, 0);
    put_floats(&graph, "half", 1, one, 0.5f, 0);
    put_floats(&graph, "scales", 1, two, 1, 1);
    put_node(&graph, "MatMul", "x w", "a", NULL);
    put_node(&graph, "Add", "a zeros", "b", NULL);
    put_node(&graph, "Mul", "b half", "c", NULL);
    bytes nearest = {.size = 0};
    put_attribute_text(&nearest, "mode", "nearest");
    put_node(&graph, "Upsample", "c scales", "y", &nearest);
    finish_graph(&graph, 9, model);
}

static void run_model(rlx_test *t, const char *path, const rlx_load_options *given, float shift)
{
    rlx_load_options options = *given;
    rlx_executable *exe;
    rlx_tensor *x;
    rlx_value result;
    options.allocator = &t->allocator;
    options.trust_native = true;
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, (int64_t[]){ROWS, 3}, &x, &t->error));
    for (int i = 0; i < ROWS * 3; i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = (float)i;
    const rlx_value arg = rlx_of_tensor(x);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &t->error));
    cr_assert_eq(rlx_tensor_numel(result.as.tensor), ROWS * 8);
    const float *y = rlx_tensor_data(result.as.tensor);
    for (int i = 0; i < ROWS * 8; i++) {
        float sum = shift;
        for (int k = 0; k < 3; k++)
            sum += (float)(i / 8 * 3 + k) * (0.25f + 0.5f * (float)(k * 4 + i % 8 / 2));
        cr_expect_eq(y[i], sum * 0.5f, "element %d: %g, expected %g", i, (double)y[i],
                     (double)(sum * 0.5f));
    }
    rlx_value_release(result);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

static rlx_tensor *floats(rlx_test *t, uint32_t n, const int64_t *dims, float value, float step)
{
    rlx_tensor *x;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, n, dims, &x, &t->error));
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = value + step * (float)i;
    return x;
}

RLX_TEST(lift_params, initializers_of_onnx_models)
{
    static bytes model;
    lift_place p;
    char path[80], output[80], beside[96], said[LIFT_SAID] = "";
    make_model(&model);
    lift_begin(&p, "");
    snprintf(path, sizeof path, "%s/m.onnx", p.folder);
    snprintf(output, sizeof output, "%s/m.rlx", p.folder);
    snprintf(beside, sizeof beside, "%s.safetensors", output);
    lift_write(path, model.data, model.size);
    const char *argv[] = {"rlxc", path, "--lift-params", "-o", output, NULL};
    FILE *err = fmemopen(said, sizeof said, "w");
    const int status = rlxc_main(5, (char **)(uintptr_t)argv, stdout, err);
    fclose(err);
    cr_assert_eq(status, 0, "%s", said);
    char *file = file_read(beside, NULL);
    cr_expect(strstr(file + 8, "\"w"), "%s", file + 8);
    cr_expect(strstr(file + 8, "\"zeros"), "%s", file + 8);
    cr_expect(!strstr(file + 8, "half") && !strstr(file + 8, "scales"), "%s", file + 8);
    free(file);
    run_model(t, output, &(rlx_load_options){0}, 0);
    const rlx_named_tensor other[] = {
        {"w", floats(t, 2, (int64_t[]){3, 4}, 0.25f, 0.5f)},
        {"zeros", floats(t, 1, (int64_t[]){4}, 3, 0)},
    };
    run_model(t, output, &(rlx_load_options){.tensors = other, .n_tensors = 2}, 3);
    for (int i = 0; i < 2; i++)
        rlx_value_release(rlx_of_tensor(other[i].tensor));
    lift_end(&p);
}
