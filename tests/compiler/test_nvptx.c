/* Code for NVIDIA's GPUs: each kernel must assemble where CUDA's toolkit is present. */
#include <stdio.h>
#include <string.h>

#include "rlx/floats.h"
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
