/* Panels of constant weights: widths that leave little padding, with numbers of columns around them
 * and of rows around the tiles'. Weights and operands are small integers, so sums are exact. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

enum { K = 37, MOST_ROWS = 50 };

typedef struct product {
    const char *cpu; /* with 16 vectors of 32 bytes, or 32 of 64 */
    int n;
    const char *panels; /* how the weight is stored */
    float *w;
} product;

static float element(int row, int k)
{
    return (float)((row * 5 + k * 3) % 13 - 6);
}

static void check(rlx_test *t, rlx_vm *vm, const void *user)
{
    const product *p = user;
    for (int rows = 0; rows <= MOST_ROWS; rows += rows < 10 ? 1 : 20) {
        const int64_t dims[2] = {rows, K};
        rlx_tensor *x = NULL;
        rlx_value out = rlx_none();
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, dims, &x, &t->error));
        for (int i = 0; i < rows * K; i++)
            ((float *)rlx_tensor_mutable_data(x))[i] = element(i / K, i % K);
        rlx_value arg = rlx_of_tensor(x);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
        for (int i = 0; i < rows * p->n; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)element(i / p->n, k) * (double)p->w[k * p->n + i % p->n];
            cr_assert_eq((double)((const float *)rlx_tensor_data(out.as.tensor))[i],
                         sum > 0 ? sum : 0, "%d columns, element %d of %d rows", p->n, i, rows);
        }
        rlx_value_release(out);
        rlx_value_release(arg);
    }
}

RLX_TEST(panels, widths_leave_little_padding)
{
    static const product products[] = {
        {"x86-64-v3", 17, "(T.int64(1), T.int64(37), T.int64(24))", NULL},
        {"x86-64-v3", 24, "(T.int64(1), T.int64(37), T.int64(24))", NULL},
        {"x86-64-v3", 25, "(T.int64(2), T.int64(37), T.int64(16))", NULL},
        {"x86-64-v3", 33, "(T.int64(1), T.int64(37), T.int64(40))", NULL},
        {"x86-64-v3", 40, "(T.int64(1), T.int64(37), T.int64(40))", NULL},
        {"x86-64-v3", 41, "(T.int64(3), T.int64(37), T.int64(16))", NULL},
        {"x86-64-v3", 72, "(T.int64(3), T.int64(37), T.int64(24))", NULL},
        {"x86-64-v3", 80, "(T.int64(5), T.int64(37), T.int64(16))", NULL},
        {"x86-64-v4", 64, "(T.int64(1), T.int64(37), T.int64(64))", NULL},
        {"x86-64-v4", 65, "(T.int64(1), T.int64(37), T.int64(80))", NULL},
        {"x86-64-v4", 80, "(T.int64(1), T.int64(37), T.int64(80))", NULL},
        {"x86-64-v4", 96, "(T.int64(2), T.int64(37), T.int64(48))", NULL},
        {"x86-64-v4", 97, "(T.int64(2), T.int64(37), T.int64(64))", NULL},
        {"x86-64-v4", 160, "(T.int64(2), T.int64(37), T.int64(80))", NULL},
        {"x86-64-v4", 272, "(T.int64(6), T.int64(37), T.int64(48))", NULL},
    };
    static const char form[] =
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"m\", 37), \"float32\"), w: R.Tensor((37, %d), \"float32\")):\n"
        "        R.func_attr({\"num_input\": 1})\n"
        "        with R.dataflow():\n            y = R.nn.relu(R.matmul(x, w))\n"
        "            R.output(y)\n        return y\n";
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        product p = products[i];
        if (!cpu_runs(p.cpu))
            continue;
        char text[sizeof form + 16], header[128];
        const size_t bytes = sizeof(float) * K * (size_t)p.n;
        p.w = malloc(bytes);
        for (int k = 0; k < K * p.n; k++)
            p.w[k] = (float)(k * 7 % 11 - 5);
        snprintf(text, sizeof text, form, p.n);
        snprintf(header, sizeof header,
                 "{\"w\":{\"dtype\":\"F32\",\"shape\":[37,%d],\"data_offsets\":[0,%zu]}}", p.n,
                 bytes);
        bound_program b = {.text = text, .cpu = p.cpu, .emits = p.panels, .level = 2};
        unsigned char *file = bound_file(header, p.w, bytes, &b.size);
        b.weights = file;
        rlx_executable *exe = bound_compile(t, &b);
        cr_assert(exe);
        bound_threads(t, exe, check, &p);
        rlx_executable_release(exe);
        free(file);
        free(p.w);
    }
}
