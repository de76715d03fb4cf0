/* Rule tensor: products of float16, bfloat16 and TF32 on the stand-in that runs PTX, against exact
 * sums. The numbers are small integers, so that every order of adding gives the same result; those
 * of float32 are a little less, and only the nearest TF32 is the integer. Row counts with none, one
 * and the borders of tiles; terms and columns that fill no tile; a batch; weights with terms last;
 * a convolution; an epilogue. */
#include "rlx/floats.h"
#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

#include <stdlib.h>

#define HEAD                                                                                       \
    "@I.ir_module\nclass Module:\n"                                                                \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"cuda\", 0), I.vdevice(\"llvm\", 0)]})\n" \
    "    @R.function\n"

typedef struct product {
    const char *text;
    rlx_dtype dtype;
    int64_t batch, k, n;
    bool terms_last; /* of w */
    bool relu;
} product;

static const product products[] = {
    {HEAD
     "    def main(x: R.Tensor((\"m\", 70), \"float16\"), w: R.Tensor((70, 37), \"float16\")):\n"
     "        with R.dataflow():\n"
     "            y = R.matmul(x, w, out_dtype=\"float32\")\n"
     "            z = R.to_vdevice(R.nn.relu(y), \"llvm:0\")\n"
     "            R.output(z)\n        return z\n",
     RLX_F16, 1, 70, 37, false, true},
    {HEAD "    def main(x: R.Tensor((2, \"m\", 16), \"bfloat16\"), "
          "w: R.Tensor((2, 9, 16), \"bfloat16\")):\n"
          "        with R.dataflow():\n"
          "            v = R.permute_dims(w, axes=[0, 2, 1])\n"
          "            y = R.matmul(x, v, out_dtype=\"float32\")\n"
          "            z = R.to_vdevice(y, \"llvm:0\")\n"
          "            R.output(z)\n        return z\n",
     RLX_BF16, 2, 16, 9, true, false},
    {HEAD
     "    def main(x: R.Tensor((\"m\", 33), \"float16\"), w: R.Tensor((33, 260), \"float16\")):\n"
     "        with R.dataflow():\n"
     "            y = R.matmul(x, w, out_dtype=\"float32\")\n"
     "            z = R.to_vdevice(y, \"llvm:0\")\n"
     "            R.output(z)\n        return z\n",
     RLX_F16, 1, 33, 260, false, false},
    {HEAD "    def main(x: R.Tensor((2, \"m\", 21), \"float32\"), w: R.Tensor((2, 21, 18), "
          "\"float32\")):\n"
          "        with R.dataflow():\n"
          "            y = R.matmul(x, w)\n"
          "            z = R.to_vdevice(R.nn.relu(y), \"llvm:0\")\n"
          "            R.output(z)\n        return z\n",
     RLX_F32, 2, 21, 18, false, true},
    {HEAD
     "    def main(x: R.Tensor((\"m\", 19), \"float32\"), w: R.Tensor((260, 19), \"float32\")):\n"
     "        with R.dataflow():\n"
     "            y = R.matmul(x, R.permute_dims(w))\n"
     "            z = R.to_vdevice(y, \"llvm:0\")\n"
     "            R.output(z)\n        return z\n",
     RLX_F32, 1, 19, 260, true, false},
    {HEAD "    def main(x: R.Tensor((\"m\", 100), \"float32\"), w: R.Tensor((100, 24), "
          "\"float32\")):\n"
          "        with R.dataflow():\n"
          "            y = R.matmul(x, w)\n"
          "            z = R.to_vdevice(y, \"llvm:0\")\n"
          "            R.output(z)\n        return z\n",
     RLX_F32, 1, 100, 24, false, false},
    {HEAD "    def main(x: R.Tensor((\"m\", 9), \"float32\"), w: R.Tensor((9, 24), "
          "\"float32\")):\n"
          "        with R.dataflow():\n"
          "            y = R.matmul(x, w)\n"
          "            z = R.to_vdevice(y, \"llvm:0\")\n"
          "            R.output(z)\n        return z\n",
     RLX_F32, 1, 9, 24, false, false},
};

static int x_at(int64_t i)
{
    return (int)(i % 7) - 3;
}

static int w_at(int64_t i)
{
    return (int)(i % 11) - 5;
}

static rlx_value tensor_of(rlx_test *t, const product *p, const int64_t *shape, uint32_t ndim,
                           int (*at)(int64_t))
{
    rlx_tensor *tensor = NULL;
    int64_t count = 1;
    for (uint32_t i = 0; i < ndim; i++)
        count *= shape[i];
    RLX_OKAY(rlx_tensor_create(&t->allocator, p->dtype, ndim, shape, &tensor, &t->error));
    void *data = rlx_tensor_mutable_data(tensor);
    for (int64_t i = 0; i < count; i++)
        if (p->dtype.bits == 32)
            ((float *)data)[i] = (float)at(i) * (1 - 0x1p-13f);
        else
            ((uint16_t *)data)[i] = (uint16_t)rlx_float_encode(p->dtype, at(i));
    return rlx_of_tensor(tensor);
}

static float expected(const product *p, int64_t m, int64_t b, int64_t i, int64_t j)
{
    int sum = 0;
    for (int64_t k = 0; k < p->k; k++)
        sum += x_at((b * m + i) * p->k + k) *
               w_at(b * p->k * p->n + (p->terms_last ? j * p->k + k : k * p->n + j));
    return (float)(p->relu && sum < 0 ? 0 : sum);
}

static void run(rlx_test *t, rlx_vm *vm, const product *p, int64_t m)
{
    const uint32_t first = p->batch > 1 ? 0 : 1;
    const int64_t x[3] = {p->batch, m, p->k};
    const int64_t w[3] = {p->batch, p->terms_last ? p->n : p->k, p->terms_last ? p->k : p->n};
    rlx_value args[2] = {tensor_of(t, p, x + first, 3 - first, x_at),
                         tensor_of(t, p, w + first, 3 - first, w_at)};
    rlx_value result = rlx_none();
    uint32_t wrong = 0;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &result, &t->error));
    cr_assert_eq(result.kind, RLX_KIND_TENSOR);
    const float *got = rlx_tensor_data(result.as.tensor);
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < p->n; j++)
                wrong += got[(b * m + i) * p->n + j] != expected(p, m, b, i, j);
    cr_expect_eq(wrong, 0, "%lld rows: %u of the elements are wrong", (long long)m, wrong);
    rlx_value_release(result);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

static bool holds(const char *text, size_t size, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(text + i, part, n) == 0)
            return true;
    return false;
}

static void check(rlx_test *t, const product *p, const int64_t *rows, uint32_t n)
{
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options options;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_compile_options_init(&options);
    options.default_device = "cuda:0";
    options.allow_tf32 = p->dtype.bits == 32;
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    rlx_ir_module *m = library_parse(t, c, p->text);
    RLX_OKAY(rlx_ir_module_load(m, &options, NULL, &exe, &t->error));
    void *ptx = NULL;
    size_t size;
    RLX_OKAY(rlx_ir_module_emit(m, &options, RLX_EMIT_PTX, &ptx, &size, &t->error));
    cr_expect(holds(ptx, size,
                    p->dtype.bits == 32 ? "mma.sync.aligned.m16n8k8.row.col.f32.tf32"
                                        : "mma.sync.aligned.m16n8k16"),
              "no tensor cores");
    cr_expect_eq(holds(ptx, size, "cp.async.wait_group 1;"), p->dtype.bits == 32 && p->k > 16,
                 "copies ahead");
    rlx_free(&t->allocator, ptx, size, 64);
    rlx_compiler_destroy(c);
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    for (uint32_t i = 0; i < n; i++)
        run(t, vm, p, rows[i]);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(tensor_cores, small_tiles_with_an_epilogue)
{
    check(t, &products[0], (const int64_t[]){0, 1, 16, 31, 32, 33}, 6);
}

RLX_TEST(tensor_cores, batches_and_weights_with_terms_last)
{
    check(t, &products[1], (const int64_t[]){0, 1, 17, 40}, 4);
}

RLX_TEST(tensor_cores, large_tiles)
{
    check(t, &products[2], (const int64_t[]){1, 129}, 2);
}

RLX_TEST(tensor_cores, float32_is_rounded_to_tf32)
{
    check(t, &products[3], (const int64_t[]){0, 1, 16, 33}, 4);
}

RLX_TEST(tensor_cores, large_tiles_of_tf32)
{
    check(t, &products[4], (const int64_t[]){1, 129}, 2);
}

/* More pieces of the terms than there are places for, then fewer than are copied ahead. */
RLX_TEST(tensor_cores, factors_are_copied_ahead)
{
    check(t, &products[5], (const int64_t[]){0, 1, 40}, 3);
    check(t, &products[6], (const int64_t[]){0, 1, 17}, 3);
}

/* Without the option float32 keeps its digits, and --explain says how to have tensor cores. */
RLX_TEST(tensor_cores, float32_stays_exact_unless_asked)
{
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options options;
    void *ptx = NULL;
    size_t size;
    rlx_compile_options_init(&options);
    options.default_device = "cuda:0";
    options.explain = true;
    rlx_ir_module *m = library_parse(t, c, products[3].text);
    RLX_OKAY(rlx_ir_module_emit(m, &options, RLX_EMIT_PTX, &ptx, &size, &t->error));
    cr_expect_not(holds(ptx, size, "mma.sync"));
    const char *said = rlx_ir_module_explanation(m);
    cr_expect(said && strstr(said, "or of float32 with --allow-tf32"), "it is not said");
    rlx_free(&t->allocator, ptx, size, 64);
    rlx_compiler_destroy(c);
}
