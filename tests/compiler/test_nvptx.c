/* Code for NVIDIA's GPUs: each kernel must assemble where CUDA's toolkit is present. */
#include "compiler/codegen/device.h"
#include "compiler/codegen/llvm.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/sym.h"
#include "compiler/script/script.h"
#include "rlx/floats.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/fake/fake.h"
#include "tests/support/rlx_test.h"
#include "vm/devices/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct built {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_options options;
    rlxc_device_code code;
} built;

static void drop(built *b)
{
    if (b->ctx)
        rlxc_context_destroy(b->ctx);
}

/* Parses, lowers and splits the PrimFuncs of |text|. */
static bool build(rlx_test *t, const char *text, const char *target, rlxc_native_form form,
                  built *out)
{
    *out = (built){.ctx = rlxc_context_create(&t->allocator)};
    rlxc_context *ctx = out->ctx;
    cr_assert_not_null(ctx);
    out->options.opt_level = 2;
    out->options.target = rlxc_target_new(ctx, NULL, NULL);
    rlxc_target_spec spec = {0};
    const rlxc_range nowhere = {0};
    if (!rlxc_target_parse(ctx, nowhere, target, &spec) ||
        !(out->code.target = rlxc_target_of_spec(ctx, nowhere, &spec)))
        return false;
    out->module = rlxc_parse_module(ctx, "test.py", text, strlen(text));
    if (!out->module || !rlxc_pass_lower_tir(ctx, out->module, &out->options))
        return false;
    const uint32_t n = out->module->globals.count;
    rlxc_device_kernel *kernels = rlxc_try_alloc(ctx, n, sizeof *kernels);
    for (uint32_t i = 0; kernels && i < n; i++) {
        const rlxc_prim_func *f = out->module->globals.items[i]->prim;
        if (f && !rlxc_device_split(ctx, f, out->code.target, &kernels[out->code.n_kernels++]))
            return false;
    }
    out->code.kernels = kernels;
    return kernels && rlxc_nvptx_compile(ctx, &out->options, form, &out->code);
}

/* --- ptxas -------------------------------------------------------------------------------------
 */

static bool has_ptxas(void)
{
    return system("ptxas --version >/dev/null 2>&1") == 0;
}

/* Assembles an image for the architecture of its format. */
static bool assembles(const rlxc_device_image *image, const char *name)
{
    const char *arch = strchr(image->format, '-');
    char path[] = "/tmp/rlx-ptx-XXXXXX", command[200];
    int fd = mkstemp(path);
    bool fine = fd >= 0 && write(fd, image->data, image->size) == (ssize_t)image->size;
    snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s 2>&1",
             arch ? arch + 1 : "sm_80", path);
    fine = fine && system(command) == 0;
    close(fd);
    if (fine)
        unlink(path);
    else
        fprintf(stderr, "%s: %s is kept\n", name, path);
    return fine;
}

static void check(rlx_test *t, const char *text, const char *name)
{
    built b;
    const bool fine = build(t, text, "cuda", RLXC_NATIVE_ASM, &b);
    cr_expect(fine, "%s: %s", name, rlxc_render_diagnostics(b.ctx));
    if (fine) {
        cr_expect_eq(b.code.n_images, 2);
        cr_expect_str_eq(b.code.images[0].format, "ptx-sm_90");
        cr_expect_str_eq(b.code.images[1].format, "ptx");
        for (uint32_t i = 0; i < b.code.n_images && has_ptxas(); i++)
            cr_expect(assembles(&b.code.images[i], name), "%s\n%s", name, text);
    }
    drop(&b);
}

/* --- runs on the fake driver -------------------------------------------------------------------
 */

enum { MAX_BUFFERS = 8 };

static int64_t failed[3 * 8]; /* checks of the last run */

typedef struct host_buffer {
    void *data;
    size_t bytes;
} host_buffer;

static int64_t value_of(const built *b, const rlxc_expr *e, const int64_t *dims)
{
    const rlxc_expr **vars = NULL, *values[8];
    uint32_t n = 0;
    int64_t value = -1;
    rlxc_prim_func_dims(b->ctx, b->code.kernels[0].f, &vars, &n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = rlxc_int(b->ctx, vars[i]->dtype, dims[i]);
    e = rlxc_canonical(b->ctx, rlxc_substitute(b->ctx, e, vars, values, n), NULL);
    cr_assert(rlxc_is_int(e, &value), "an expression is not known");
    return value;
}

static void *place_of(const built *b, const rlxc_buffer *buffer, void *const *memory)
{
    const rlxc_prim_func *f = b->code.kernels[0].f;
    for (uint32_t i = 0, k = 0; i < f->n_params; i++)
        if (f->params[i].buffer && f->params[i].buffer->data == buffer->data)
            return memory[k];
        else
            k += f->params[i].buffer != NULL;
    return NULL;
}

static void launch(rlx_test *t, const built *b, void *device, void *module, const rlxc_launch *l,
                   void *const *memory, const int64_t *dims)
{
    rlx_launch_value args[32];
    rlx_launch out = {.name = l->name, .args = args, .n_args = l->n_args};
    for (int i = 0; i < 3; i++) {
        out.grid[i] = (uint32_t)value_of(b, l->grid[i], dims);
        out.block[i] = (uint32_t)value_of(b, l->block[i], dims);
    }
    for (uint32_t i = 0; i < l->n_args; i++)
        if (l->args[i].is_checks) {
            args[i].kind = RLX_LAUNCH_BUFFER;
            args[i].as.at = (rlx_device_at){memory[MAX_BUFFERS], 0};
        } else if (l->args[i].buffer) {
            args[i].kind = RLX_LAUNCH_BUFFER;
            args[i].as.at = (rlx_device_at){place_of(b, l->args[i].buffer, memory), 0};
        } else {
            args[i].kind = l->args[i].scalar->dtype.bits == 64 ? RLX_LAUNCH_I64 : RLX_LAUNCH_I32;
            args[i].as.i = value_of(b, l->args[i].value, dims);
        }
    RLX_OKAY(rlxv_cuda_api.find(device, module, l->name, &out.function, &t->error));
    RLX_OKAY(rlxv_cuda_api.launch(device, &out, NULL, &t->error));
}

/* Runs the first PrimFunc. */
static void run(rlx_test *t, const built *b, const host_buffer *buffers, uint32_t n,
                const int64_t *dims)
{
    const rlx_device_api *api = &rlxv_cuda_api;
    const rlxc_device_image *image = &b->code.images[b->code.n_images - 1];
    void *device, *module, *memory[MAX_BUFFERS + 1];
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    RLX_OKAY(api->open(NULL, 0, &device, &t->error));
    RLX_OKAY(api->load(device, rlx_str_from(image->format), image->data, image->size, &module,
                       &t->error));
    for (uint32_t i = 0; i < n; i++) {
        RLX_OKAY(api->alloc(device, buffers[i].bytes, NULL, &memory[i], &t->error));
        RLX_OKAY(api->copy_in(device, (rlx_device_at){memory[i], 0}, buffers[i].data,
                              buffers[i].bytes, NULL, &t->error));
    }
    memset(failed, 0, sizeof failed);
    rlx_device_at checks = {NULL, 0};
    RLX_OKAY(api->alloc(device, sizeof failed, NULL, &memory[MAX_BUFFERS], &t->error));
    checks.memory = memory[MAX_BUFFERS];
    RLX_OKAY(api->copy_in(device, checks, failed, sizeof failed, NULL, &t->error));
    const rlxc_device_kernel *k = &b->code.kernels[0];
    cr_assert_eq(k->n_scratch, 0);
    for (uint32_t i = 0; i < k->n_launches; i++)
        launch(t, b, device, module, &k->launches[i], memory, dims);
    for (uint32_t i = 0; i < n; i++) {
        RLX_OKAY(api->copy_out(device, buffers[i].data, (rlx_device_at){memory[i], 0},
                               buffers[i].bytes, NULL, &t->error));
        api->release(device, memory[i]);
    }
    RLX_OKAY(api->copy_out(device, failed, checks, sizeof failed, NULL, &t->error));
    api->release(device, checks.memory);
    api->unload(device, module);
    api->close(device);
}

static double number_of(const void *data, size_t i, rlx_dtype t)
{
    float f;
    double d;
    uint16_t h;
    if (t.bits == 64) {
        memcpy(&d, (const char *)data + 8 * i, 8);
        return d;
    }
    if (t.bits == 32) {
        memcpy(&f, (const char *)data + 4 * i, 4);
        return (double)f;
    }
    memcpy(&h, (const char *)data + 2 * i, 2);
    return rlx_float_decode(t, h);
}

static void set_number(void *data, size_t i, rlx_dtype t, double value)
{
    float f = (float)value;
    uint16_t h;
    if (t.bits == 64)
        memcpy((char *)data + 8 * i, &value, 8);
    else if (t.bits == 32)
        memcpy((char *)data + 4 * i, &f, 4);
    else {
        h = (uint16_t)rlx_float_encode(t, value);
        memcpy((char *)data + 2 * i, &h, 2);
    }
}

#define HEAD                                     \
    "from tvm.script import ir as I, tir as T\n" \
    "@I.ir_module\nclass Module:\n    @T.prim_func\n"

static const char scale[] =
    HEAD "    def f(a: T.handle, b: T.handle):\n"
         "        n = T.int64()\n"
         "        A = T.match_buffer(a, (n,), \"float32\")\n"
         "        B = T.match_buffer(b, (n,), \"float32\")\n"
         "        for i in T.thread_binding((n + 255) // 256, thread=\"blockIdx.x\"):\n"
         "            for j in T.thread_binding(256, thread=\"threadIdx.x\"):\n"
         "                if i * 256 + j < n:\n"
         "                    B[i * 256 + j] = A[i * 256 + j] * T.float32(2) + T.float32(1)\n";

RLX_TEST(nvptx, threads_beyond_the_end_do_nothing)
{
    float a[1000], b[1000];
    const int64_t n = 999;
    built code;
    for (int i = 0; i < 1000; i++)
        a[i] = (float)i, b[i] = -7;
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    check(t, scale, "scale");
    cr_assert(build(t, scale, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, buffers, 2, &n);
    drop(&code);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(b[i], i < 999 ? 2 * (float)i + 1 : -7);
}

/* Loops that nobody bound become threads; buffers declared inside use their variables. */
static const char windows[] =
    HEAD "    def f(A: T.Buffer((6,), \"float32\"), B: T.Buffer((3,), \"float32\")):\n"
         "        T.func_attr({\"target\": \"cuda\"})\n"
         "        for i in range(3):\n"
         "            S = T.decl_buffer((2,), \"float32\", data=A.data, elem_offset=i * 2)\n"
         "            B[i] = S[0] + S[1]\n";

RLX_TEST(nvptx, declared_buffers_follow_the_thread)
{
    float a[6] = {1, 2, 10, 20, 100, 200}, b[3] = {0, 0, 0};
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    built code;
    check(t, windows, "windows");
    cr_assert(build(t, windows, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, buffers, 2, NULL);
    drop(&code);
    cr_expect(b[0] == 3 && b[1] == 30 && b[2] == 300, "%g, %g, %g", (double)b[0], (double)b[1],
              (double)b[2]);
}

/* A GPU takes code for its architecture or the nearest one below. */
RLX_TEST(nvptx, architectures_have_images)
{
    static const struct {
        const char *target, *formats[2];
    } rows[] = {{"cuda -arch=sm_80", {"ptx-sm_90", "ptx"}},
                {"cuda -arch=sm_86", {"ptx-sm_90", "ptx"}},
                {"cuda -arch=sm_89", {"ptx-sm_90", "ptx"}},
                {"cuda -arch=sm_90", {"ptx-sm_90"}},
                {"cuda -arch=sm_120", {"ptx-sm_90"}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        built b;
        cr_assert(build(t, scale, rows[i].target, RLXC_NATIVE_ASM, &b));
        for (uint32_t k = 0; k < 2; k++)
            if (rows[i].formats[k])
                cr_expect(k < b.code.n_images &&
                              strcmp(b.code.images[k].format, rows[i].formats[k]) == 0,
                          "%s lacks %s", rows[i].target, rows[i].formats[k]);
        cr_expect_eq(b.code.n_images, rows[i].formats[1] ? 2 : 1);
        drop(&b);
    }
}

/* Sums of rows by a tree in shared memory: the barriers are the compiler's. */
static const char sums[] =
    HEAD "    def f(a: T.handle, b: T.handle):\n"
         "        n = T.int64()\n"
         "        A = T.match_buffer(a, (n, n), \"float16\")\n"
         "        B = T.match_buffer(b, (n,), \"float32\")\n"
         "        for i in T.thread_binding(n, thread=\"blockIdx.x\"):\n"
         "            s = T.alloc_buffer((256,), \"float32\", scope=\"shared\")\n"
         "            for j in T.thread_binding(256, thread=\"threadIdx.x\"):\n"
         "                s[j] = T.float32(0)\n"
         "                for k in range((n + 255) // 256):\n"
         "                    if k * 256 + j < n:\n"
         "                        s[j] = s[j] + T.Cast(\"float32\", A[i, k * 256 + j])\n"
         "                for r in range(8):\n"
         "                    if j < T.shift_right(128, r):\n"
         "                        s[j] = s[j] + s[j + T.shift_right(128, r)]\n"
         "                if j == 0:\n"
         "                    B[i] = s[0]\n";

/* The same within a warp, through registers. */
static const char warp_sums[] =
    HEAD "    def f(A: T.Buffer((4, 32), \"float64\"), B: T.Buffer((4,), \"float64\")):\n"
         "        for i in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
         "            for j in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
         "                s = T.alloc_buffer((1,), \"float64\", scope=\"local\")\n"
         "                s[0] = A[i, j]\n"
         "                for r in T.unroll(5):\n"
         "                    s[0] = s[0] + T.tvm_warp_shuffle_down(T.uint32(4294967295), s[0], "
         "T.shift_right(16, r), 32, 32)\n"
         "                if j == 0:\n"
         "                    B[i] = s[0]\n";

RLX_TEST(nvptx, threads_of_a_block_work_together)
{
    static uint16_t a[300 * 300];
    static double wide[4 * 32], wide_sums[4];
    float b[300];
    const int64_t n = 300;
    built code;
    for (size_t i = 0; i < 300 * 300; i++)
        a[i] = (uint16_t)rlx_float_encode(RLX_F16, (double)(i % 17) - 8);
    for (size_t i = 0; i < 4 * 32; i++)
        wide[i] = 1.0 / (double)(i + 1);
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    const host_buffer wide_buffers[] = {{wide, sizeof wide}, {wide_sums, sizeof wide_sums}};
    check(t, sums, "sums");
    cr_assert(build(t, sums, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, buffers, 2, &n);
    drop(&code);
    check(t, warp_sums, "warp_sums");
    cr_assert(build(t, warp_sums, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, wide_buffers, 2, NULL);
    drop(&code);
    for (size_t i = 0; i < 300; i++) {
        float sum = 0;
        for (size_t k = 0; k < 300; k++)
            sum += (float)((i * 300 + k) % 17) - 8;
        cr_expect_eq(b[i], sum, "row %zu: %g, %g", i, (double)b[i], (double)sum);
    }
    for (size_t i = 0; i < 4; i++) {
        double sum = 0;
        for (size_t k = 0; k < 32; k++)
            sum += wide[i * 32 + k];
        cr_expect_float_eq(wide_sums[i], sum, 1e-14);
    }
}

/* The forms of threads that TVM prints: each fills B with the sums of A's rows. */
#define TOTAL                                                                           \
    "T.tvm_thread_allreduce(T.uint32(1), A[bx * 2 + ty, tx], T.bool(True), s[0], tx)\n" \
    "            if tx == 0:\n                B[bx * 2 + ty] = s[0]\n"
#define ADDS                                                                        \
    "T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), \"reduce_scope\", " \
    "T.reinterpret(\"handle\", T.uint64(0)))"
#define TAKES "    def f(A: T.Buffer((6, 33), \"float32\"), B: T.Buffer((6,), \"float32\")):\n"

static const char *const thread_forms[] = {
    /* values of the block, names of threads by `as` and by assignment */
    HEAD TAKES "        with T.launch_thread(\"blockIdx.x\", 3) as bx, "
               "T.launch_thread(\"threadIdx.y\", 2) as ty:\n"
               "            tx = T.launch_thread(\"threadIdx.x\", 33)\n"
               "            s = T.alloc_buffer((1,), scope=\"local\")\n"
               "            " ADDS "\n            " TOTAL,
    /* threads of the environment, launched twice */
    HEAD TAKES "        bx = T.env_thread(\"blockIdx.x\")\n"
               "        ty = T.env_thread(\"threadIdx.y\")\n"
               "        tx = T.env_thread(\"threadIdx.x\", \"int64\")\n"
               "        with T.launch_thread(bx, 6):\n"
               "            B[bx] = T.float32(-1)\n"
               "        T.launch_thread(bx, 3)\n"
               "        T.launch_thread(ty, T.int64(2))\n"
               "        with T.launch_thread(tx, 33):\n"
               "            p = T.allocate([1], \"float32\", \"local\")\n"
               "            s = T.Buffer((1,), data=p, scope=\"local\")\n"
               "            with " ADDS ":\n"
               "                T.tvm_thread_allreduce(T.uint32(1), A[bx * 2 + ty, tx], True, "
               "s.data, tx, dtype=\"handle\")\n"
               "            if tx == 0:\n                B[bx * 2 + ty] = s[0]\n",
    /* attributes */
    HEAD TAKES "        bx = T.env_thread(\"blockIdx.x\")\n"
               "        ty = T.int32()\n"
               "        T.attr(bx, \"thread_extent\", 3)\n"
               "        T.attr(T.iter_var(ty, None, \"ThreadIndex\", \"threadIdx.y\"), "
               "\"thread_extent\", 2)\n"
               "        with T.attr(T.iter_var(tx, T.Range(0, 33), \"ThreadIndex\", "
               "\"threadIdx.x\"), \"thread_extent\", 33):\n"
               "            s = T.decl_buffer((1,), scope=\"local\")\n"
               "            " ADDS "\n            " TOTAL,
    /* loops, virtual threads, a condition, a sum over two axes */
    HEAD TAKES "        for bx in T.thread_binding(3, thread=\"blockIdx.x\"):\n"
               "          for tx in T.thread_binding(3, thread=\"threadIdx.x\"):\n"
               "           for tz in T.thread_binding(16, thread=\"threadIdx.z\"):\n"
               "            ty = T.launch_thread(\"vthread\", 2)\n"
               "            s = T.alloc_buffer((1,), scope=\"local\")\n"
               "            " ADDS "\n"
               "            T.tvm_thread_allreduce(T.uint32(1), A[bx * 2 + ty, tz * 3 + tx], "
               "tz * 3 + tx < 33, s[0], tz, tx)\n"
               "            if tx + tz == 0:\n                B[bx * 2 + ty] = s[0]\n",
    /* barriers by hand */
    HEAD TAKES "        for bx in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
               "            s = T.alloc_buffer((33,), scope=\"shared\")\n"
               "            with T.launch_thread(\"threadIdx.x\", 33) as tx:\n"
               "                s[tx] = A[bx, tx]\n"
               "                T.tvm_storage_sync(\"shared\")\n"
               "                T.evaluate(T.tvm_storage_sync(\"warp\", dtype=\"int32\"))\n"
               "                T.evaluate(T.call_intrin(\"int32\", \"tir.tvm_storage_sync\", "
               "\"shared.dyn\"))\n"
               "                if T.tvm_thread_invariant(bx < 6) and tx == 0:\n"
               "                    B[bx] = T.float32(0)\n"
               "                    for k in range(33):\n"
               "                        B[bx] += s[k]\n",
};

#define CUDA "        T.func_attr({\"target\": T.target(\"cuda\")})\n"
/* Blocks whose reduction axes are bound to threads, with the same result. */
static const char *const thread_sums[] = {
    /* one term each */
    HEAD TAKES CUDA "        for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
                    "            for k in T.thread_binding(33, thread=\"threadIdx.x\"):\n"
                    "                with T.block(\"total\"):\n"
                    "                    vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                    "                    with T.init():\n"
                    "                        B[vi] = T.float32(0)\n"
                    "                    B[vi] = B[vi] + A[vi, vk]\n",
    /* several terms each, the last ones missing; rows on threads too */
    HEAD TAKES CUDA "        for b in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
                    "            for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
                    "                for k in range(3):\n"
                    "                    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
                    "                        with T.block(\"total\"):\n"
                    "                            vi = T.axis.spatial(6, b * 4 + ty)\n"
                    "                            vk = T.axis.reduce(33, k * 16 + tx)\n"
                    "                            T.where(b * 4 + ty < 6 and k * 16 + tx < 33)\n"
                    "                            with T.init():\n"
                    "                                B[vi] = T.float32(0)\n"
                    "                            B[vi] = A[vi, vk] + B[vi]\n",
    /* parts that threads keep, as rfactor makes them; loops of one iteration */
    HEAD TAKES CUDA "        P = T.alloc_buffer((11, 6), scope=\"local\")\n"
                    "        for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
                    "            for t in T.thread_binding(11, thread=\"threadIdx.x\"):\n"
                    "                with T.block(\"part_init\"):\n"
                    "                    vt, vi = T.axis.remap(\"SS\", [t, i])\n"
                    "                    P[vt, vi] = T.float32(0)\n"
                    "                for k, u in T.grid(3, 1):\n"
                    "                    with T.block(\"part\"):\n"
                    "                        vt, vi, vk = T.axis.remap(\"SSR\", [t, i, k])\n"
                    "                        P[vt, vi] = P[vt, vi] + A[vi, vk * 11 + vt]\n"
                    "            for u in range(1):\n"
                    "                for t in T.thread_binding(11, thread=\"threadIdx.x\"):\n"
                    "                    with T.block(\"total\"):\n"
                    "                        vt, vi = T.axis.remap(\"RS\", [t, i])\n"
                    "                        with T.init():\n"
                    "                            B[vi] = T.float32(0)\n"
                    "                        B[vi] = B[vi] + P[vt, vi]\n",
    /* a result that each thread has, read by all */
    HEAD TAKES CUDA "        S = T.alloc_buffer((6,), scope=\"local\")\n"
                    "        for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
                    "            for k in T.thread_binding(33, thread=\"threadIdx.x\"):\n"
                    "                with T.block(\"total\"):\n"
                    "                    vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                    "                    with T.init():\n"
                    "                        S[vi] = T.float32(0)\n"
                    "                    S[vi] = S[vi] + A[vi, vk]\n"
                    "            for k in T.thread_binding(33, thread=\"threadIdx.x\"):\n"
                    "                with T.block(\"copy\"):\n"
                    "                    vi = T.axis.spatial(6, i)\n"
                    "                    T.where(k == 32)\n"
                    "                    B[vi] = S[vi]\n",
    /* in shared memory, which others read */
    HEAD TAKES CUDA "        S = T.alloc_buffer((6,), scope=\"shared\")\n"
                    "        for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
                    "            for k in T.thread_binding(11, thread=\"threadIdx.x\"):\n"
                    "                for j in range(3):\n"
                    "                    with T.block(\"total\"):\n"
                    "                        vi = T.axis.spatial(6, i)\n"
                    "                        vk = T.axis.reduce(33, j * 11 + k)\n"
                    "                        with T.init():\n"
                    "                            S[vi] = T.float32(0)\n"
                    "                        S[vi] = S[vi] + A[vi, vk]\n"
                    "            for k in T.thread_binding(11, thread=\"threadIdx.x\"):\n"
                    "                with T.block(\"copy\"):\n"
                    "                    vi = T.axis.spatial(6, i)\n"
                    "                    T.where(k == 10)\n"
                    "                    B[vi] = S[vi]\n",
    /* by fewer threads than the kernel has, on both axes */
    HEAD TAKES CUDA "        S = T.alloc_buffer((6,), scope=\"shared\")\n"
                    "        for b in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
                    "            for ty in T.thread_binding(3, thread=\"threadIdx.y\"):\n"
                    "                for tx in T.thread_binding(11, thread=\"threadIdx.x\"):\n"
                    "                    for j in range(3):\n"
                    "                        with T.block(\"total\"):\n"
                    "                            vi = T.axis.spatial(6, b * 3 + ty)\n"
                    "                            vk = T.axis.reduce(33, j * 11 + tx)\n"
                    "                            with T.init():\n"
                    "                                S[vi] = T.float32(0)\n"
                    "                            S[vi] = S[vi] + A[vi, vk]\n"
                    "            for ty in T.thread_binding(5, thread=\"threadIdx.y\"):\n"
                    "                for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
                    "                    with T.block(\"copy\"):\n"
                    "                        vi = T.axis.spatial(6, b * 3 + ty)\n"
                    "                        T.where(ty < 3 and tx == ty)\n"
                    "                        B[vi] = S[vi]\n",
};

static void expect_sums(rlx_test *t, const char *text, const char *name)
{
    float a[6 * 33], b[6];
    built code;
    for (size_t i = 0; i < 6 * 33; i++)
        a[i] = (float)(i * i % 31) - 15;
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    memset(b, 0, sizeof b);
    check(t, text, "form");
    cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &code), "%s", name);
    run(t, &code, buffers, 2, NULL);
    drop(&code);
    for (size_t i = 0; i < 6; i++) {
        float sum = 0;
        for (size_t n = 0; n < 33; n++)
            sum += a[i * 33 + n];
        cr_expect_eq(b[i], sum, "%s, row %zu: %g, %g", name, i, (double)b[i], (double)sum);
    }
}

RLX_TEST(nvptx, threads_have_the_forms_of_tvm)
{
    char name[32];
    for (size_t k = 0; k < sizeof thread_forms / sizeof *thread_forms; k++) {
        snprintf(name, sizeof name, "form %zu", k);
        expect_sums(t, thread_forms[k], name);
    }
}

RLX_TEST(nvptx, blocks_are_summed_across_threads)
{
    char name[32];
    for (size_t k = 0; k < sizeof thread_sums / sizeof *thread_sums; k++) {
        snprintf(name, sizeof name, "sum %zu", k);
        expect_sums(t, thread_sums[k], name);
    }
}

/* The first of the largest: two values at once, and threads that add nothing. */
RLX_TEST(nvptx, threads_find_the_largest)
{
    static const char text[] = HEAD
        "    def f(A: T.Buffer((4, 21), \"float32\"), B: T.Buffer((4,), \"int32\")):\n"
        "        bx = T.launch_thread(\"blockIdx.x\", 2)\n"
        "        ty = T.launch_thread(\"threadIdx.y\", 2)\n"
        "        tx = T.launch_thread(\"threadIdx.x\", 21)\n"
        "        i = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
        "        v = T.alloc_buffer((1,), scope=\"local\")\n"
        "        with T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 > y1 or (x1 == "
        "y1 and x0 < y0), x0, y0), T.max(x1, y1)), [T.int32(99), T.min_value(\"float32\")]), "
        "\"reduce_scope\", T.reinterpret(T.uint64(0), dtype=\"handle\")):\n"
        "            T.tvm_thread_allreduce(T.uint32(2), tx, A[bx * 2 + ty, tx], tx < 20, "
        "i[0], v[0], tx)\n"
        "        B[bx * 2 + ty] = i[0]\n";
    float a[4 * 21];
    int32_t b[4] = {0};
    built code;
    for (size_t i = 0; i < 4 * 21; i++)
        a[i] = (float)(i * 13 % 19);
    a[20] = 1000; /* which takes no part */
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    check(t, text, "largest");
    cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, buffers, 2, NULL);
    drop(&code);
    for (size_t i = 0; i < 4; i++) {
        int32_t best = 0;
        for (int32_t k = 1; k < 20; k++)
            best = a[i * 21 + (size_t)k] > a[i * 21 + (size_t)best] ? k : best;
        cr_expect_eq(b[i], best, "row %zu: %d, %d", i, b[i], best);
    }
}

RLX_TEST(nvptx, checks_that_fail_end_their_thread)
{
    static const char text[] =
        HEAD "    def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n"
             "        for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
             "            T.check_index(\"index \", A[i], \" of \", 8)\n"
             "            assert A[i] != 3, \"three\"\n"
             "            B[i] = A[A[i]]\n";
    int32_t a[8] = {1, 0, 2, 4, 4, -9, 7, 3}, b[8] = {0};
    const int32_t want[8] = {0, 1, 2, 4, 4, 0, 3, 0};
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    built code;
    check(t, text, "checks");
    cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
    cr_expect_str_eq(code.code.kernels[0].launches[0].checks_text,
                     "index {a} of {b}\nthree (test.py:8:13)");
    run(t, &code, buffers, 2, NULL);
    drop(&code);
    cr_expect_eq(memcmp(b, want, sizeof b), 0);
    cr_expect(failed[0] == 1 && failed[1] == -9 && failed[2] == 8 && failed[3] == 1);
}

/* Thread 5 fails: it writes nothing more, but the others get beyond the barrier. */
RLX_TEST(nvptx, checks_that_fail_let_their_thread_wait)
{
    static const char text[] =
        HEAD "    def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n"
             "        for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
             "            s = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
             "            s[i] = i\n"
             "            T.check_index(\"index \", A[i], \" of \", 8)\n"
             "            v: T.int32 = A[A[i]]\n"
             "            s[i] = s[i] + v\n"
             "            B[i] = s[7 - i]\n";
    int32_t a[8] = {1, 0, 2, 4, 4, -9, 7, 3}, b[8] = {0};
    const int32_t want[8] = {11, 9, 5, 8, 7, 0, 2, 0};
    const host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    built code;
    check(t, text, "waits");
    cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
    run(t, &code, buffers, 2, NULL);
    drop(&code);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(b[i], want[i], "%d: %d", i, b[i]);
    cr_expect(failed[0] == 1 && failed[1] == -9 && failed[2] == 8);
}

/* --- matrix products of a warp -----------------------------------------------------------------
 */

/* 16 x k by k x 8; each thread reads its parts as PTX's manual says. |per|: neighbours along k that
 * share a register. */
static const char mma[] =
    HEAD "    def f(A: T.Buffer((16, %d), \"%s\"), W: T.Buffer((%d, 8), \"%s\"), "
         "C: T.Buffer((16, 8), \"float32\")):\n"
         "        for t in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
         "            a = T.alloc_buffer((8,), \"%s\", scope=\"local\")\n"
         "            w = T.alloc_buffer((4,), \"%s\", scope=\"local\")\n"
         "            c = T.alloc_buffer((4,), \"float32\", scope=\"local\")\n"
         "            for i in T.unroll(4):\n"
         "                c[i] = T.float32(0)\n"
         "            for h, r, p in T.grid(2, 2, %d):\n"
         "                a[(h * 2 + r) * %d + p] = A[r * 8 + t // 4, h * %d + t %% 4 * %d + p]\n"
         "            for h, p in T.grid(2, %d):\n"
         "                w[h * %d + p] = W[h * %d + t %% 4 * %d + p, t // 4]\n"
         "            T.evaluate(T.ptx_mma(\"float32\", \"m16n8k%d\", \"row\", \"col\", \"%s\", "
         "\"%s\", \"fp32\", a.data, 0, w.data, 0, c.data, 0, T.bool(False)))\n"
         "            for r, p in T.grid(2, 2):\n"
         "                C[r * 8 + t // 4, t %% 4 * 2 + p] = c[r * 2 + p]\n";

RLX_TEST(nvptx, warps_multiply_matrices)
{
    static const struct {
        int k, per;
        const char *type, *name;
        rlx_dtype dtype;
    } rows[] = {{16, 2, "float16", "fp16", RLX_F16},
                {16, 2, "bfloat16", "bf16", RLX_BF16},
                {8, 1, "float32", "tf32", RLX_F32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int k = rows[i].k, per = rows[i].per;
        const char *type = rows[i].type;
        const size_t item = rlx_dtype_size(rows[i].dtype);
        double a[256], w[128]; /* large enough for all types */
        float c[128];
        char text[3000];
        built code;
        snprintf(text, sizeof text, mma, k, type, k, type, type, type, per, per, k / 2, per, per,
                 per, k / 2, per, k, rows[i].name, rows[i].name);
        for (int n = 0; n < 16 * k; n++)
            set_number(a, (size_t)n, rows[i].dtype, n % 7 - 3);
        for (int n = 0; n < 8 * k; n++)
            set_number(w, (size_t)n, rows[i].dtype, n % 5 - 2);
        const host_buffer buffers[] = {
            {a, 16 * (size_t)k * item}, {w, 8 * (size_t)k * item}, {c, sizeof c}};
        check(t, text, rows[i].name);
        cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
        cr_expect_not_null(strstr(code.code.images[1].data, "mma.sync.aligned.m16n8k"));
        run(t, &code, buffers, 3, NULL);
        drop(&code);
        for (int m = 0; m < 16; m++)
            for (int n = 0; n < 8; n++) {
                int sum = 0;
                for (int x = 0; x < k; x++)
                    sum += ((m * k + x) % 7 - 3) * ((x * 8 + n) % 5 - 2);
                cr_expect_eq(c[m * 8 + n], (float)sum, "%s: C[%d, %d] is %g, not %d", type, m, n,
                             (double)c[m * 8 + n], sum);
            }
    }
}

/* All functions of the table that there are on a type of float, in one kernel: they assemble, and
 * give what the CPU's code gives. */

typedef struct float_type {
    const char *name;
    rlx_dtype dtype;
    uint32_t missing; /* functions at most */
    double step;      /* distance of numbers near 1 */
} float_type;

enum { VALUES = 64, ROWS = 99 };

static void functions_text(const float_type *type, const char *loop, char *text, size_t size)
{
    uint32_t n, missing = 0;
    const rlxc_intrinsic *rows = rlxc_intrinsics(&n);
    int at = snprintf(text, size,
                      HEAD "    def f(A: T.Buffer((64,), \"%s\"), B: T.Buffer((64, 99), \"%s\")):\n"
                           "        for i in %s:\n",
                      type->name, type->name, loop);
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i].lowering > RLXC_LOWER_VECTOR || rows[i].max_args > 3)
            continue;
        if (rlxc_llvm_needs_libm(&rows[i], type->dtype))
            missing++;
        else
            at += snprintf(text + at, size - (size_t)at, "            B[i, %u] = T.%s(A[i]%s%s)\n",
                           i, rows[i].name, rows[i].max_args > 1 ? ", A[3]" : "",
                           rows[i].max_args > 2 ? ", A[5]" : "");
    }
    cr_expect_leq(missing, type->missing, "%s lacks %u functions", type->name, missing);
}

static void compare_functions(rlx_test *t, const float_type *type)
{
    static double a[VALUES], mine[VALUES * ROWS], theirs[VALUES * ROWS]; /* large enough for all */
    static char text[12000];
    const size_t item = rlx_dtype_size(type->dtype);
    host_buffer buffers[2] = {{a, VALUES * item}, {mine, VALUES * ROWS * item}};
    void *const cpu[2] = {a, theirs};
    kernel_fixture cpu_code;
    built b;
    memset(mine, 0, sizeof mine);
    memset(theirs, 0, sizeof theirs);
    for (size_t i = 0; i < VALUES; i++) /* special values first */
        set_number(a, i, type->dtype,
                   i == 0   ? 0.0
                   : i == 1 ? (double)INFINITY
                   : i == 2 ? (double)-INFINITY
                   : i == 6 ? (double)NAN
                            : ((double)i - 31.5) * (i % 3 ? 0.03 : 0.4));
    functions_text(type, "T.thread_binding(64, thread=\"threadIdx.x\")", text, sizeof text);
    check(t, text, type->name);
    cr_assert(build(t, text, "cuda", RLXC_NATIVE_ASM, &b));
    run(t, &b, buffers, 2, NULL);
    drop(&b);
    functions_text(type, "range(64)", text, sizeof text);
    cr_assert(kernel_fixture_parse(&cpu_code, &t->allocator, 2, NULL, text));
    cr_assert(kernel_fixture_build(&cpu_code));
    cr_assert_eq(kernel_fixture_call(&cpu_code, "f", cpu, NULL), 0);
    kernel_fixture_deinit(&cpu_code);
    uint32_t n;
    const rlxc_intrinsic *rows = rlxc_intrinsics(&n);
    for (size_t i = 0; i < VALUES * ROWS; i++) {
        if (i % ROWS >= n)
            continue;
        double x = number_of(mine, i, type->dtype), y = number_of(theirs, i, type->dtype);
        double most = type->step * (fabs(y) > 1e-3 ? fabs(y) : 1e-3);
        cr_expect((isnan(x) && isnan(y)) || x == y || fabs(x - y) <= most, "%s of %s: %g at %g, %g",
                  rows[i % ROWS].name, type->name, x, number_of(a, i / ROWS, type->dtype), y);
    }
}

RLX_TEST(nvptx, functions_are_those_of_the_cpu)
{
    static const float_type types[] = {{"float32", RLX_F32, 7, 0x1p-21},
                                       {"float16", RLX_F16, 7, 0x1p-10},
                                       {"bfloat16", RLX_BF16, 7, 0x1p-7},
                                       {"float64", RLX_F64, 28, 0x1p-50}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        compare_functions(t, &types[k]);
}
