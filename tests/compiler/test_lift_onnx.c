/* rlxc --lift-params: initializers of ONNX models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/cli/cli.h"
#include "rlx/vm.h"
#include "tests/compiler/files.h"
#include "tests/compiler/lift.h"
#include "tests/compiler/onnx_bytes.h"

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

static void run(rlx_test *t, const char *path, const rlx_load_options *given, float shift)
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
    run(t, output, &(rlx_load_options){0}, 0);
    const rlx_named_tensor other[] = {
        {"w", floats(t, 2, (int64_t[]){3, 4}, 0.25f, 0.5f)},
        {"zeros", floats(t, 1, (int64_t[]){4}, 3, 0)},
    };
    run(t, output, &(rlx_load_options){.tensors = other, .n_tensors = 2}, 3);
    for (int i = 0; i < 2; i++)
        rlx_value_release(rlx_of_tensor(other[i].tensor));
    lift_end(&p);
}
