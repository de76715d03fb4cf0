/* Blocks whose threads share more memory than CUDA allows for variables, so that it is sized at the
 * launch. Runs on the stand-in that runs PTX. */
#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

#include <stdlib.h>

enum { BLOCKS = 2, ROW = 10000 };

/* A row reversed, plus the same row turned by one, both through shared memory of |n| numbers. */
static char *text_of(int n)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n"
             "    I.module_global_infos({\"vdevice\": [I.vdevice(\"cuda\", 0), I.vdevice(\"llvm\", "
             "0)]})\n"
             "    @T.prim_func\n"
             "    def turn(A: T.Buffer((2, 10000), \"float32\"), C: T.Buffer((2, 10000), "
             "\"float32\")):\n"
             "        T.func_attr({\"target\": \"cuda\"})\n"
             "        for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
             "            s = T.decl_buffer((%d,), \"float32\", scope=\"shared\")\n"
             "            u = T.decl_buffer((%d,), \"float32\", scope=\"shared\")\n"
             "            for tx in T.thread_binding(250, thread=\"threadIdx.x\"):\n"
             "                for i in range(40):\n"
             "                    s[i * 250 + tx] = A[bx, i * 250 + tx]\n"
             "                    u[i * 250 + tx] = A[bx, i * 250 + tx] * T.float32(100000)\n"
             "                for i in range(40):\n"
             "                    C[bx, i * 250 + tx] = s[9999 - i * 250 - tx] + u[(i * 250 + tx + "
             "1) %% 10000]\n"
             "    @R.function\n"
             "    def main(x: R.Tensor((2, 10000), \"float32\")):\n"
             "        cls = Module\n"
             "        with R.dataflow():\n"
             "            y = R.call_tir(cls.turn, (x,), out_sinfo=R.Tensor((2, 10000), "
             "\"float32\", \"cuda:0\"))\n"
             "            z = R.to_vdevice(y, \"llvm:0\")\n"
             "            R.output(z)\n        return z\n",
             n, n);
    return text;
}

static void fill(float *x)
{
    for (int i = 0; i < BLOCKS * ROW; i++)
        x[i] = (float)(i % 97);
}

RLX_TEST(shared_memory, more_than_variables_have_is_sized_at_the_launch)
{
    static float x[BLOCKS * ROW];
    static const int64_t shape[2] = {BLOCKS, ROW};
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options options;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *in = NULL;
    rlx_value arg, result = rlx_none();
    rlx_compile_options_init(&options);
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    rlx_ir_module *m = library_parse(t, c, text_of(ROW));
    RLX_OKAY(rlx_ir_module_load(m, &options, NULL, &exe, &t->error));
    rlx_compiler_destroy(c);
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    fill(x);
    RLX_OKAY(rlx_tensor_wrap(&t->allocator, RLX_F32, 2, shape, x, NULL, NULL, &in, &t->error));
    arg = rlx_of_tensor(in);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &t->error));
    cr_assert_eq(result.kind, RLX_KIND_TENSOR);
    const float *got = rlx_tensor_data(result.as.tensor);
    uint32_t wrong = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < ROW; i++)
            wrong += got[b * ROW + i] !=
                     x[b * ROW + ROW - 1 - i] + x[b * ROW + (i + 1) % ROW] * 100000.0F;
    cr_expect_eq(wrong, 0, "%u of the elements are wrong", wrong);
    rlx_value_release(result);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(shared_memory, more_than_a_block_has_is_an_error)
{
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options options;
    void *ptx = NULL;
    size_t size;
    rlx_compile_options_init(&options);
    rlx_ir_module *m = library_parse(t, c, text_of(13000));
    RLX_FAILS(rlx_ir_module_emit(m, &options, RLX_EMIT_PTX, &ptx, &size, &t->error),
              RLX_E_INVALID_MODULE,
              "temporaries of a block take 104192 bytes; the limit is 101376");
    rlx_compiler_destroy(c);
}
