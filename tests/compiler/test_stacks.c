/* Matrices picked from a constant stack by a number (mixtures of experts): transposed when
 * compiling, read in place, against sums in double; indices that count from the end, and those out
 * of range, which are an error or what the mode says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/bound.h"

enum { E = 3, K = 48, N = 64, M = 5 };

/* Where |mode| takes index |i| of E. */
static int64_t place(const char *mode, int64_t i)
{
    if (strcmp(mode, "wrap") == 0)
        return ((i % E) + E) % E;
    if (strcmp(mode, "fast") == 0 && i < 0)
        i += E;
    return i < 0 ? 0 : i >= E ? E - 1 : i;
}

static void check(rlx_test *t, rlx_vm *vm, const float *w, const char *mode, int64_t i, int64_t m)
{
    rlx_tensor *x, *index;
    const int64_t dims[2] = {m, K};
    rlx_value result = rlx_none();
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, dims, &x, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I64, 0, NULL, &index, &t->error));
    float *in = rlx_tensor_mutable_data(x);
    for (int64_t k = 0; k < m * K; k++)
        in[k] = (float)(k * 7 % 23) - 11;
    *(int64_t *)rlx_tensor_mutable_data(index) = i;
    const rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(index)};
    const rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &result, &t->error);
    if (strcmp(mode, "fast") == 0 && (i < -E || i >= E)) {
        cr_expect(status != RLX_OK && strstr(t->error.message, "is out of range: expected -3 to 2"),
                  "index %lld: %s", (long long)i, t->error.message);
        rlx_value_release(args[0]);
        rlx_value_release(args[1]);
        return;
    }
    RLX_OKAY(status);
    cr_assert_eq(result.kind, RLX_KIND_TENSOR);
    const float *out = rlx_tensor_data(result.as.tensor),
                *of = w + place(mode, i) * N * K; /* [n][k] */
    for (int64_t r = 0; r < m; r++)
        for (int64_t n = 0; n < N; n++) {
            double sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += (double)in[r * K + k] * (double)of[n * K + k];
            cr_expect(fabs((double)out[r * N + n] - sum) < 1e-3, "%s, index %lld: [%lld, %lld]",
                      mode, (long long)i, (long long)r, (long long)n);
        }
    rlx_value_release(result);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

static void run_mode(rlx_test *t, const char *mode, const float *w, bound_program *p)
{
    char text[800];
    snprintf(text, sizeof text,
             "@R.function\n"
             "def main(x: R.Tensor((\"m\", %d), \"float32\"), i: R.Tensor((), \"int64\"), "
             "w: R.Tensor((%d, %d, %d), \"float32\")):\n"
             "    R.func_attr({\"num_input\": 2})\n"
             "    t = R.permute_dims(R.take(w, i, axis=0, mode=\"%s\"))\n"
             "    y = R.matmul(x, t)\n"
             "    return y\n",
             K, E, N, K, mode);
    p->text = text;
    rlx_executable *exe = bound_compile(t, p);
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    for (int64_t i = -E - 2; i <= E + 1; i++)
        check(t, vm, w, mode, i, i == 0 ? M : i == 1 ? 0 : 1);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(stacks, entries_are_read_in_place)
{
    static const char *const modes[] = {"fast", "clip", "wrap"};
    char header[120];
    float *w = malloc(sizeof *w * E * N * K);
    bound_program p = {.lacks = "T_take"};
    cr_assert_not_null(w);
    for (int i = 0; i < E * N * K; i++)
        w[i] = (float)(i * 13 % 31) / 8 - 2;
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"F32\",\"shape\":[%d,%d,%d],\"data_offsets\":[0,%zu]}}", E, N, K,
             sizeof *w * E * N * K);
    unsigned char *file = bound_file(header, w, sizeof *w * E * N * K, &p.size);
    p.weights = file;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (p.level = 1; p.level <= 3; p.level += 2)
            run_mode(t, modes[i], w, &p);
    free(file);
    free(w);
}
