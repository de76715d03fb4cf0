/* Code for NVIDIA's GPUs: each kernel must assemble where CUDA's toolkit is present. What
 * instructions compute, products of a warp and the functions of numbers, is compared with the
 * CPU's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "rlx/floats.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/compiler/nvptx.h"

static const char scale[] = NVPTX_HEAD
    "    def f(a: T.handle, b: T.handle):\n"
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
    for (int i = 0; i < 1000; i++)
        a[i] = (float)i, b[i] = -7;
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    nvptx_check_run(t, scale, "scale", buffers, 2, &n);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(b[i], i < 999 ? 2 * (float)i + 1 : -7);
}

/* Loops that nobody bound become threads; buffers declared inside use their variables. */
static const char windows[] =
    NVPTX_HEAD "    def f(A: T.Buffer((6,), \"float32\"), B: T.Buffer((3,), \"float32\")):\n"
               "        T.func_attr({\"target\": \"cuda\"})\n"
               "        for i in range(3):\n"
               "            S = T.decl_buffer((2,), \"float32\", data=A.data, elem_offset=i * 2)\n"
               "            B[i] = S[0] + S[1]\n";

RLX_TEST(nvptx, declared_buffers_follow_the_thread)
{
    float a[6] = {1, 2, 10, 20, 100, 200}, b[3] = {0, 0, 0};
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    nvptx_check_run(t, windows, "windows", buffers, 2, NULL);
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
        nvptx_code b;
        cr_assert(nvptx_build(t, scale, rows[i].target, RLXC_NATIVE_ASM, &b));
        for (uint32_t k = 0; k < 2; k++)
            if (rows[i].formats[k])
                cr_expect(k < b.code.n_images &&
                              strcmp(b.code.images[k].format, rows[i].formats[k]) == 0,
                          "%s lacks %s", rows[i].target, rows[i].formats[k]);
        cr_expect_eq(b.code.n_images, rows[i].formats[1] ? 2 : 1);
        nvptx_drop(&b);
    }
}

RLX_TEST(nvptx, checks_that_fail_end_their_thread)
{
    static const char text[] =
        NVPTX_HEAD "    def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n"
                   "        for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                   "            T.check_index(\"index \", A[i], \" of \", 8)\n"
                   "            assert A[i] != 3, \"three\"\n"
                   "            B[i] = A[A[i]]\n";
    int32_t a[8] = {1, 0, 2, 4, 4, -9, 7, 3}, b[8] = {0};
    const int32_t want[8] = {0, 1, 2, 4, 4, 0, 3, 0};
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    nvptx_code code;
    nvptx_check(t, text, "checks");
    cr_assert(nvptx_build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
    cr_expect_str_eq(code.code.kernels[0].launches[0].checks_text,
                     "index {a} of {b}\nthree (test.py:8:13)");
    nvptx_run(t, &code, buffers, 2, NULL);
    nvptx_drop(&code);
    cr_expect_eq(memcmp(b, want, sizeof b), 0);
    cr_expect(nvptx_failed[0] == 1 && nvptx_failed[1] == -9 && nvptx_failed[2] == 8 &&
              nvptx_failed[3] == 1);
}

/* Thread 5 fails: it writes nothing more, but the others get beyond the barrier. */
RLX_TEST(nvptx, checks_that_fail_let_their_thread_wait)
{
    static const char text[] =
        NVPTX_HEAD "    def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n"
                   "        for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                   "            s = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
                   "            s[i] = i\n"
                   "            T.check_index(\"index \", A[i], \" of \", 8)\n"
                   "            v: T.int32 = A[A[i]]\n"
                   "            s[i] = s[i] + v\n"
                   "            B[i] = s[7 - i]\n";
    int32_t a[8] = {1, 0, 2, 4, 4, -9, 7, 3}, b[8] = {0};
    const int32_t want[8] = {11, 9, 5, 8, 7, 0, 2, 0};
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    nvptx_check_run(t, text, "waits", buffers, 2, NULL);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(b[i], want[i], "%d: %d", i, b[i]);
    cr_expect(nvptx_failed[0] == 1 && nvptx_failed[1] == -9 && nvptx_failed[2] == 8);
}

/* --- values ----------------------------------------------------------------------------------- */

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

/* --- matrix products of a warp -----------------------------------------------------------------
 */

/* 16 x k by k x 8; each thread reads its parts as PTX's manual says. |per|: neighbours along k that
 * share a register. */
static const char mma[] = NVPTX_HEAD
    "    def f(A: T.Buffer((16, %d), \"%s\"), W: T.Buffer((%d, 8), \"%s\"), "
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
        nvptx_code code;
        snprintf(text, sizeof text, mma, k, type, k, type, type, type, per, per, k / 2, per, per,
                 per, k / 2, per, k, rows[i].name, rows[i].name);
        for (int n = 0; n < 16 * k; n++)
            set_number(a, (size_t)n, rows[i].dtype, n % 7 - 3);
        for (int n = 0; n < 8 * k; n++)
            set_number(w, (size_t)n, rows[i].dtype, n % 5 - 2);
        const nvptx_buffer buffers[] = {
            {a, 16 * (size_t)k * item}, {w, 8 * (size_t)k * item}, {c, sizeof c}};
        nvptx_check(t, text, rows[i].name);
        cr_assert(nvptx_build(t, text, "cuda", RLXC_NATIVE_ASM, &code));
        cr_expect_not_null(strstr(code.code.images[1].data, "mma.sync.aligned.m16n8k"));
        nvptx_run(t, &code, buffers, 3, NULL);
        nvptx_drop(&code);
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
                      NVPTX_HEAD
                      "    def f(A: T.Buffer((64,), \"%s\"), B: T.Buffer((64, 99), \"%s\")):\n"
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
    nvptx_buffer buffers[2] = {{a, VALUES * item}, {mine, VALUES * ROWS * item}};
    void *const cpu[2] = {a, theirs};
    kernel_fixture cpu_code;
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
    nvptx_check_run(t, text, type->name, buffers, 2, NULL);
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
