/* Checks that fail in kernels whose threads wait for each other: the call reports the first of
 * them, and the others get to the end. On this machine's OpenCL
 * device, whose run is skipped where there is none, and on the stand-in that runs PTX. */
#include <stdio.h>
#include <string.h>

#include "rlx/device.h"
#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

enum { N = 64 };

/* Each turn has a barrier before and after its check, which some threads reach already stopped. */
#define TEXT(device)                                                                         \
    "from tvm.script import ir as I, relax as R, tir as T\n"                                 \
    "@I.ir_module\n"                                                                         \
    "class Module:\n"                                                                        \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"" device "\", 0, \"global\")]})\n" \
    "    @T.prim_func\n"                                                                     \
    "    def f(a: T.Buffer((64,), \"int32\"), o: T.Buffer((64,), \"int32\")):\n"             \
    "        for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"                       \
    "            s = T.alloc_buffer((64,), \"int32\", scope=\"shared\")\n"                   \
    "            T.check_index(\"index \", a[t], \" of \", 64)\n"                            \
    "            v: T.int32 = a[a[t]]\n"                                                     \
    "            o[t] = -1\n"                                                                \
    "            for r in range(3):\n"                                                       \
    "                s[t] = v + r\n"                                                         \
    "                if t % 2 == 0:\n"                                                       \
    "                    for k in range(2):\n"                                               \
    "                        assert s[63 - t] + k < 60, \"large\"\n"                         \
    "                        o[t] = s[63 - t] + v\n"                                         \
    "            i: T.int32 = 0\n"                                                           \
    "            j = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"                     \
    "            j[0] = 0\n"                                                                 \
    "            while j[0] < t:\n"                                                          \
    "                assert j[0] < 60 + i, \"far\"\n"                                        \
    "                j[0] = j[0] + 1\n"                                                      \
    "            if t % 2 == 1:\n"                                                           \
    "                o[t] = j[0]\n"                                                          \
    "    @R.function\n"                                                                      \
    "    def main(a: R.Tensor((64,), \"int32\", \"" device ":0\")):\n"                       \
    "        o = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((64,), \"int32\", \"" device  \
    ":0\"))\n"                                                                               \
    "        return o\n"

static const struct {
    int at, value; /* this element instead of 1 */
    const char *says;
} rows[] = {{0, 1, "kernel f1: far (m.py:22:17)"},
            {5, 64, "kernel f1: index 64 of 64"},
            {5, -1, "index -1"}};

static rlx_vm *built(rlx_test *t, const char *text)
{
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *module = library_parse(t, c, text);
    rlx_compile_options_init(&o);
    RLX_OKAY(rlx_ir_module_emit(module, &o, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
    const rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_executable_load_memory(data, size, &load, &exe, &t->error));
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    const rlx_vm_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    rlx_executable_release(exe);
    return vm;
}

static void run(rlx_test *t, const char *text)
{
    rlx_vm *vm = built(t, text);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int64_t dims[] = {N};
        rlx_tensor *a = NULL;
        rlx_value out = rlx_none();
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I32, 1, dims, &a, &t->error));
        for (int i = 0; i < N; i++)
            ((int32_t *)rlx_tensor_mutable_data(a))[i] = i == rows[r].at ? rows[r].value : 1;
        const rlx_value arg = rlx_of_tensor(a);
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error), RLX_E_KERNEL,
                  rows[r].says);
        rlx_value_release(arg);
    }
    rlx_vm_destroy(vm);
}

RLX_TEST(device_checks, threads_that_wait_go_on)
{
    rlx_device_info info;
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    run(t, TEXT("cuda"));
    if (rlx_device_look(NULL, "opencl", 0, &info, &t->error) == RLX_OK)
        run(t, TEXT("opencl"));
    else
        puts("skipped: OpenCL device");
}
