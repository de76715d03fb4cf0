/* Threads of NVIDIA's GPUs that work together: through shared memory, through registers of a warp,
 * and in the forms of TVM, which sum across threads. */
#include <stdio.h>
#include <string.h>

#include "rlx/floats.h"
#include "tests/compiler/nvptx.h"

/* Sums of rows by a tree in shared memory: the barriers are the compiler's. */
static const char sums[] =
    NVPTX_HEAD "    def f(a: T.handle, b: T.handle):\n"
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
static const char warp_sums[] = NVPTX_HEAD
    "    def f(A: T.Buffer((4, 32), \"float64\"), B: T.Buffer((4,), \"float64\")):\n"
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
    for (size_t i = 0; i < 300 * 300; i++)
        a[i] = (uint16_t)rlx_float_encode(RLX_F16, (double)(i % 17) - 8);
    for (size_t i = 0; i < 4 * 32; i++)
        wide[i] = 1.0 / (double)(i + 1);
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    const nvptx_buffer wide_buffers[] = {{wide, sizeof wide}, {wide_sums, sizeof wide_sums}};
    nvptx_check_run(t, sums, "sums", buffers, 2, &n);
    nvptx_check_run(t, warp_sums, "warp_sums", wide_buffers, 2, NULL);
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
    NVPTX_HEAD TAKES "        with T.launch_thread(\"blockIdx.x\", 3) as bx, "
                     "T.launch_thread(\"threadIdx.y\", 2) as ty:\n"
                     "            tx = T.launch_thread(\"threadIdx.x\", 33)\n"
                     "            s = T.alloc_buffer((1,), scope=\"local\")\n"
                     "            " ADDS "\n            " TOTAL,
    /* threads of the environment, launched twice */
    NVPTX_HEAD TAKES
    "        bx = T.env_thread(\"blockIdx.x\")\n"
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
    NVPTX_HEAD TAKES "        bx = T.env_thread(\"blockIdx.x\")\n"
                     "        ty = T.int32()\n"
                     "        T.attr(bx, \"thread_extent\", 3)\n"
                     "        T.attr(T.iter_var(ty, None, \"ThreadIndex\", \"threadIdx.y\"), "
                     "\"thread_extent\", 2)\n"
                     "        with T.attr(T.iter_var(tx, T.Range(0, 33), \"ThreadIndex\", "
                     "\"threadIdx.x\"), \"thread_extent\", 33):\n"
                     "            s = T.decl_buffer((1,), scope=\"local\")\n"
                     "            " ADDS "\n            " TOTAL,
    /* loops, virtual threads, a condition, a sum over two axes */
    NVPTX_HEAD TAKES "        for bx in T.thread_binding(3, thread=\"blockIdx.x\"):\n"
                     "          for tx in T.thread_binding(3, thread=\"threadIdx.x\"):\n"
                     "           for tz in T.thread_binding(16, thread=\"threadIdx.z\"):\n"
                     "            ty = T.launch_thread(\"vthread\", 2)\n"
                     "            s = T.alloc_buffer((1,), scope=\"local\")\n"
                     "            " ADDS "\n"
                     "            T.tvm_thread_allreduce(T.uint32(1), A[bx * 2 + ty, tz * 3 + tx], "
                     "tz * 3 + tx < 33, s[0], tz, tx)\n"
                     "            if tx + tz == 0:\n                B[bx * 2 + ty] = s[0]\n",
    /* barriers by hand */
    NVPTX_HEAD TAKES
    "        for bx in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
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
    NVPTX_HEAD TAKES CUDA "        for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
                          "            for k in T.thread_binding(33, thread=\"threadIdx.x\"):\n"
                          "                with T.block(\"total\"):\n"
                          "                    vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                          "                    with T.init():\n"
                          "                        B[vi] = T.float32(0)\n"
                          "                    B[vi] = B[vi] + A[vi, vk]\n",
    /* several terms each, the last ones missing; rows on threads too */
    NVPTX_HEAD TAKES CUDA
    "        for b in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
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
    NVPTX_HEAD TAKES CUDA "        P = T.alloc_buffer((11, 6), scope=\"local\")\n"
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
    NVPTX_HEAD TAKES CUDA "        S = T.alloc_buffer((6,), scope=\"local\")\n"
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
    NVPTX_HEAD TAKES CUDA "        S = T.alloc_buffer((6,), scope=\"shared\")\n"
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
    NVPTX_HEAD TAKES CUDA
    "        S = T.alloc_buffer((6,), scope=\"shared\")\n"
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
    for (size_t i = 0; i < 6 * 33; i++)
        a[i] = (float)(i * i % 31) - 15;
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    memset(b, 0, sizeof b);
    nvptx_check_run(t, text, name, buffers, 2, NULL);
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
    static const char text[] = NVPTX_HEAD
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
    for (size_t i = 0; i < 4 * 21; i++)
        a[i] = (float)(i * 13 % 19);
    a[20] = 1000; /* which takes no part */
    const nvptx_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}};
    nvptx_check_run(t, text, "largest", buffers, 2, NULL);
    for (size_t i = 0; i < 4; i++) {
        int32_t best = 0;
        for (int32_t k = 1; k < 20; k++)
            best = a[i * 21 + (size_t)k] > a[i * 21 + (size_t)best] ? k : best;
        cr_expect_eq(b[i], best, "row %zu: %d, %d", i, b[i], best);
    }
}
