/* Scheduled, vectorised kernels give the same results as the unscheduled, unoptimised function, at
 * sizes around every block boundary, and never access memory outside their tensors. Matmul, softmax
 * and convolution are also compared with references in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compiler/ir/sym.h"
#include "compiler/script/script.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { MAX_BUFFERS = 6, GUARD = 64, PAGE = 4096 };

/* Arguments of one call, each after guard bytes and right before an inaccessible page. */
typedef struct tensors {
    uint32_t n;
    uint8_t *block[MAX_BUFFERS];
    void *data[MAX_BUFFERS];
    size_t mapped[MAX_BUFFERS], bytes[MAX_BUFFERS], count[MAX_BUFFERS];
    rlx_dtype dtype[MAX_BUFFERS];
} tensors;

static const rlxc_prim_func *function_of(const kernel_fixture *f, const char *name)
{
    for (uint32_t i = 0; i < f->module->globals.count; i++)
        if (strcmp(f->module->globals.items[i]->name, name) == 0)
            return f->module->globals.items[i]->prim;
    return NULL;
}

/* Small values that repeat with an odd period; float16 and bfloat16 get the bit patterns of such
 * values. */
static void fill(tensors *t, uint32_t i)
{
    static const uint16_t half[] = {0x3c00, 0xb800, 0x3555, 0x4200, 0xc100, 0x0001, 0x3a66};
    static const uint16_t bfloat[] = {0x3f80, 0xbf00, 0x3eaa, 0x4040, 0xc020, 0x3e00, 0x3f4c};
    for (size_t k = 0; k < t->count[i]; k++) {
        int step = (int)((k * 37 + i * 5) % 23) - 11;
        double value = step * 0.125 + (int)(k % 3) * 0.01;
        rlx_dtype d = t->dtype[i];
        if (d.code == RLX_FLOAT && d.bits == 32)
            ((float *)t->data[i])[k] = (float)value;
        else if (d.code == RLX_FLOAT && d.bits == 64)
            ((double *)t->data[i])[k] = value;
        else if (d.bits == 16 && d.code != RLX_INT && d.code != RLX_UINT)
            ((uint16_t *)t->data[i])[k] = (d.code == RLX_BFLOAT ? bfloat : half)[k % 7];
        else if (d.code == RLX_BOOL)
            ((uint8_t *)t->data[i])[k] = step > 0;
        else if (d.bits == 8)
            ((int8_t *)t->data[i])[k] = (int8_t)(step * 11);
        else if (d.bits == 32)
            ((int32_t *)t->data[i])[k] = step;
        else
            ((int64_t *)t->data[i])[k] = step;
    }
}

static tensors make(const kernel_fixture *f, const char *name, const int64_t *dims)
{
    tensors t = {0};
    const rlxc_prim_func *p = function_of(f, name);
    const rlxc_expr **vars;
    uint32_t n_vars;
    rlxc_prim_func_dims(f->ctx, p, &vars, &n_vars);
    for (uint32_t i = 0; i < p->n_params; i++) {
        const rlxc_buffer *b = p->params[i].buffer;
        if (!b)
            continue;
        int64_t count = 1;
        for (uint32_t k = 0; k < b->ndim; k++) {
            int64_t extent = -1;
            cr_assert(rlxc_evaluate(f->ctx, b->shape[k], vars, dims, n_vars, &extent));
            count *= extent;
        }
        t.count[t.n] = (size_t)count;
        t.bytes[t.n] = (size_t)count * rlx_dtype_size(b->dtype);
        t.dtype[t.n] = b->dtype;
        size_t whole = (t.bytes[t.n] + GUARD + PAGE - 1) / PAGE * PAGE;
        t.mapped[t.n] = whole + PAGE;
        t.block[t.n] =
            mmap(NULL, t.mapped[t.n], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert(t.block[t.n] != MAP_FAILED &&
                  mprotect(t.block[t.n] + whole, PAGE, PROT_NONE) == 0);
        memset(t.block[t.n], 0x5a, whole);
        t.data[t.n] = t.block[t.n] + whole - t.bytes[t.n];
        fill(&t, t.n++);
    }
    return t;
}

static bool guards_hold(const tensors *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        for (size_t k = 1; k <= GUARD; k++)
            if (*((uint8_t *)t->data[i] - k) != 0x5a)
                return false;
    return true;
}

static void release(tensors *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        munmap(t->block[i], t->mapped[i]);
}

static double as_double(const tensors *t, uint32_t i, size_t k)
{
    rlx_dtype d = t->dtype[i];
    if (d.code == RLX_FLOAT && d.bits == 32)
        return (double)((float *)t->data[i])[k];
    return d.code == RLX_FLOAT && d.bits == 64 ? ((double *)t->data[i])[k] : NAN;
}

/* Compares floats within |tolerance| (relative to 1 + magnitude), everything else bit by bit. */
static bool agree(const tensors *a, const tensors *b, double tolerance, size_t *where)
{
    for (uint32_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < a->count[i]; k++) {
            size_t size = a->count[i] ? a->bytes[i] / a->count[i] : 0;
            double x = as_double(a, i, k), y = as_double(b, i, k);
            *where = k;
            if (memcmp((char *)a->data[i] + k * size, (char *)b->data[i] + k * size, size) == 0)
                continue;
            if (!(fabs(x - y) <= tolerance * (1 + fabs(x))))
                return false;
        }
    }
    return true;
}

#define F32(name, shape) "        " name " = T.match_buffer(p" name ", " shape ", \"float32\")\n"
#define HEAD(params, symbols)                                \
    "@T.prim_func\n"                                         \
    "def k(" params "):\n"                                   \
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n" \
    "        " symbols "\n"

#define BLOCK2(loops, kinds, out, init, value)                              \
    "        for i, j, r in T.grid(" loops "):\n"                           \
    "            with T.block(\"b\"):\n"                                    \
    "                vi, vj, vr = T.axis.remap(\"" kinds "\", [i, j, r])\n" \
    "                with T.init():\n"                                      \
    "                    " out " = " init "\n"                              \
    "                " out " = " value "\n"

#define MAP2(loops, statement)                                \
    "        for i, j in T.grid(" loops "):\n"                \
    "            with T.block(\"e\"):\n"                      \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "                " statement "\n"

#define REDUCE1(loops, out, init, value)                      \
    "        for i, j in T.grid(" loops "):\n"                \
    "            with T.block(\"r\"):\n"                      \
    "                vi, vj = T.axis.remap(\"SR\", [i, j])\n" \
    "                with T.init():\n"                        \
    "                    " out " = " init "\n"                \
    "                " out " = " value "\n"

static const struct {
    const char *name, *text;
    uint32_t n_dims;
    double tolerance;
} kernels[] = {
    {"matmul",
     HEAD("pA: T.handle, pB: T.handle, pO: T.handle", "n, m, c = T.int64(), T.int64(), T.int64()")
         F32("A", "(n, c)") F32("B", "(c, m)") F32("O", "(n, m)") BLOCK2(
             "n, m, c", "SSR", "O[vi, vj]", "T.float32(0.0)", "O[vi, vj] + A[vi, vr] * B[vr, vj]"),
     3, 1e-5},
    {"matmul of a transposed operand, bias and relu on the tile",
     HEAD("pA: T.handle, pB: T.handle, pW: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()")
         F32("A", "(n, T.int64(33))") F32("B", "(m, T.int64(33))") F32("W", "(m,)")
             F32("O", "(n, m)") "        X = T.alloc_buffer((n, m))\n" BLOCK2(
                 "n, m, T.int64(33)", "SSR", "X[vi, vj]", "T.float32(0.0)",
                 "X[vi, vj] + A[vi, vr] * B[vj, vr]")
                 MAP2("n, m",
                      "O[vi, vj] = T.max(X[vi, vj] + W[vj], T.float32(0.0)) * T.exp(X[vi, vj])"),
     2, 1e-5},
    {"matmul with constant columns",
     HEAD("pA: T.handle, pB: T.handle, pO: T.handle", "n, c = T.int64(), T.int64()")
         F32("A", "(n, c)") F32("B", "(c, T.int64(65))") F32("O", "(n, T.int64(65))")
             BLOCK2("n, T.int64(65), c", "SSR", "O[vi, vj]", "T.float32(0.0)",
                    "O[vi, vj] + A[vi, vr] * B[vr, vj]"),
     2, 1e-5},
    {"sum over the leading axis",
     HEAD("pA: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()") F32("A", "(n, m)")
         F32("O", "(m,)") "        for j, i in T.grid(m, n):\n"
                          "            with T.block(\"b\"):\n"
                          "                vj, vi = T.axis.remap(\"SR\", [j, i])\n"
                          "                with T.init():\n"
                          "                    O[vj] = T.float32(0.0)\n"
                          "                O[vj] = O[vj] + A[vi, vj]\n",
     2, 1e-5},
    {"softmax",
     HEAD("pA: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()") F32("A", "(n, m)")
         F32("O", "(n, m)") "        mx = T.alloc_buffer((n,))\n        ex = T.alloc_buffer((n, "
                            "m))\n        sm = T.alloc_buffer((n,))\n" REDUCE1(
                                "n, m", "mx[vi]", "T.float32(-1e30)", "T.max(mx[vi], A[vi, vj])")
                                MAP2("n, m", "ex[vi, vj] = T.exp(A[vi, vj] - mx[vi])") REDUCE1(
                                    "n, m", "sm[vi]", "T.float32(0.0)", "sm[vi] + ex[vi, vj]")
                                    MAP2("n, m", "O[vi, vj] = ex[vi, vj] / sm[vi]"),
     2, 1e-5},
    {"broadcast chain that inlines",
     HEAD("pA: T.handle, pB: T.handle, pO: T.handle",
          "n, m = T.int64(), T.int64()") F32("A", "(n, m)") F32("B", "(m,)")
         F32("O", "(n, m)") "        X = T.alloc_buffer((n, m))\n        Y = T.alloc_buffer((n, "
                            "m))\n" MAP2("n, m", "X[vi, vj] = A[vi, vj] + B[vj]")
                                MAP2("n, m", "Y[vi, vj] = T.tanh(X[vi, vj])") MAP2(
                                    "n, m",
                                    "O[vi, vj] = Y[vi, vj] * X[vi, vj] + T.Cast(\"float32\", vj)"),
     2, 1e-5},
    {"transpose",
     HEAD("pA: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()") F32("A", "(n, m)")
         F32("O", "(m, n)") MAP2("m, n", "O[vi, vj] = A[vj, vi]"),
     2, 0},
    {"producer whose input the consumer overwrites stays",
     HEAD("pA: T.handle, pO: T.handle", "n = T.int64()") F32("A", "(n, T.int64(4))")
         F32("O", "(n, T.int64(4))") "        X = T.alloc_buffer((n, T.int64(4)))\n" MAP2(
             "n, T.int64(4)", "X[vi, vj] = A[n - 1 - vi, vj]")
             MAP2("n, T.int64(4)", "A[vi, vj] = X[vi, vj]")
                 MAP2("n, T.int64(4)", "O[vi, vj] = A[vi, vj] * T.float32(2.0)"),
     1, 0},
    {"epilogue that overwrites an operand stays",
     HEAD("pA: T.handle, pB: T.handle", "n = T.int64()") F32("A", "(n, T.int64(144))")
         F32("B", "(T.int64(144), T.int64(144))") "        X = T.alloc_buffer((n, "
                                                  "T.int64(144)))\n" BLOCK2(
                                                      "n, T.int64(144), T.int64(144)", "SSR",
                                                      "X[vi, vj]", "T.float32(0.0)",
                                                      "X[vi, vj] + A[vi, vr] * B[vr, vj]")
                                                      MAP2("n, T.int64(144)",
                                                           "A[vi, vj] = X[vi, vj] + A[vi, vj]"),
     1, 1e-5},
    {"product whose temporary is cleared afterwards",
     HEAD("pA: T.handle, pB: T.handle, pO: T.handle", "n = T.int64()") F32("A", "(n, T.int64(9))")
         F32("B", "(T.int64(9), T.int64(20))")
             F32("O", "(n, T.int64(20))") "        X = T.alloc_buffer((n, T.int64(20)))\n" BLOCK2(
                 "n, T.int64(20), T.int64(9)", "SSR", "X[vi, vj]", "T.float32(0.0)",
                 "X[vi, vj] + A[vi, vr] * B[vr, vj]")
                 MAP2("n, T.int64(20)", "O[vi, vj] = X[vi, vj] * T.float32(2.0)")
                     MAP2("n, T.int64(20)", "X[vi, vj] = T.float32(0.0)"),
     1, 1e-5},
    {"temporaries that are written twice",
     HEAD("pA: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()") F32("A", "(n, m)")
         F32("O", "(n, m)") "        X = T.alloc_buffer((n, m))\n        S = T.alloc_buffer((n, "
                            "1))\n" MAP2("n, m", "X[vi, vj] = T.exp(A[vi, vj])")
                                MAP2("n, m", "X[vi, vj] = T.exp(-X[vi, vj])") REDUCE1(
                                    "n, m", "S[vi, 0]", "T.float32(1.0)", "S[vi, 0] + X[vi, vj]")
                                    MAP2("n, 1", "S[vi, vj] = T.sqrt(S[vi, vj])")
                                        MAP2("n, m", "O[vi, vj] = X[vi, vj] / S[vi, 0]"),
     2, 1e-5},
    {"convolution with padding",
     HEAD("pA: T.handle, pW: T.handle, pO: T.handle", "n, w = T.int64(), T.int64()")
         F32("A", "(n, T.int64(3), w)") F32("W", "(T.int64(7), T.int64(3), T.int64(3))") F32(
             "O",
             "(n, T.int64(7), w)") "        P = T.alloc_buffer((n, T.int64(3), w + 2))\n"
                                   "        for b, c, x in T.grid(n, T.int64(3), w + 2):\n"
                                   "            with T.block(\"pad\"):\n"
                                   "                vb, vc, vx = T.axis.remap(\"SSS\", [b, c, x])\n"
                                   "                P[vb, vc, vx] = T.if_then_else(vx >= 1 and vx "
                                   "< w + 1, A[vb, vc, vx - 1], T.float32(0.0))\n"
                                   "        for b, f, x, c, d in T.grid(n, T.int64(7), w, "
                                   "T.int64(3), T.int64(3)):\n"
                                   "            with T.block(\"conv\"):\n"
                                   "                vb, vf, vx, vc, vd = T.axis.remap(\"SSSRR\", "
                                   "[b, f, x, c, d])\n"
                                   "                with T.init():\n"
                                   "                    O[vb, vf, vx] = T.float32(0.0)\n"
                                   "                O[vb, vf, vx] = O[vb, vf, vx] + P[vb, vc, vx + "
                                   "vd] * W[vf, vc, vd]\n",
     2, 1e-5},
    {"convolution with stride",
     HEAD("pA: T.handle, pW: T.handle, pO: T.handle", "n, w = T.int64(), T.int64()")
         F32("A", "(n, T.int64(3), w * 2 + 1)") F32("W", "(T.int64(9), T.int64(3), T.int64(3))")
             F32("O", "(n, T.int64(9), w)") "        for b, f, x, c, d in T.grid(n, T.int64(9), w, "
                                            "T.int64(3), T.int64(3)):\n"
                                            "            with T.block(\"conv\"):\n"
                                            "                vb, vf, vx, vc, vd = "
                                            "T.axis.remap(\"SSSRR\", [b, f, x, c, d])\n"
                                            "                with T.init():\n"
                                            "                    O[vb, vf, vx] = T.float32(0.0)\n"
                                            "                O[vb, vf, vx] = O[vb, vf, vx] + A[vb, "
                                            "vc, vx * 2 + vd] * W[vf, vc, vd]\n",
     2, 1e-5},
    {"max of windows with stride",
     HEAD("pA: T.handle, pO: T.handle", "n, w = T.int64(), T.int64()") F32("A", "(n, w * 2)")
         F32("O", "(n, w)") BLOCK2("n, w, T.int64(2)", "SSR", "O[vi, vj]", "T.float32(-1e30)",
                                   "T.max(O[vi, vj], A[vi, vj * 2 + vr])"),
     2, 0},
    {"reduction loops outside, expression as axis value",
     HEAD("pA: T.handle, pO: T.handle", "n, m = T.int64(), T.int64()") F32("A", "(n, m)")
         F32("O", "(m,)") "        for r, j in T.grid(n, m):\n"
                          "            with T.block(\"b\"):\n"
                          "                vj = T.axis.spatial(m, m - 1 - j)\n"
                          "                vr = T.axis.reduce(n, r)\n"
                          "                with T.init():\n"
                          "                    O[vj] = T.float32(1.0)\n"
                          "                O[vj] = O[vj] + A[vr, vj]\n",
     2, 1e-5},
    {"parallel and unrolled and vectorized loops",
     HEAD("pA: T.handle, pO: T.handle", "n = T.int64()") F32("A", "(n, T.int64(4), T.int64(8))")
         F32("O", "(n, T.int64(4), T.int64(8))") "        for i in T.parallel(n):\n"
                                                 "            for u in T.unroll(4):\n"
                                                 "                for v in T.vectorized(8):\n"
                                                 "                    O[i, u, v] = A[i, 3 - u, v] "
                                                 "* T.Cast(\"float32\", i + T.Cast(\"int64\", v)) "
                                                 "+ T.exp(A[i, u, v])\n",
     1, 1e-6},
    {"integers, bools, shifts and division",
     "@T.prim_func\n"
     "def k(pA: T.handle, pB: T.handle, pO: T.handle):\n"
     "        n = T.int64()\n"
     "        A = T.match_buffer(pA, (n,), \"int32\")\n        B = T.match_buffer(pB, (n,), "
     "\"int32\")\n"
     "        O = T.match_buffer(pO, (n,), \"int32\")\n"
     "        for i in range(n):\n"
     "            O[i] = A[i] // B[i] + A[i] % B[i] * 3 + T.truncdiv(A[i], B[i]) + "
     "T.truncmod(A[i], B[i])"
     " + T.shift_left(A[i], B[i]) + T.shift_right(A[i], 40) + T.Cast(\"int32\", A[i] < B[i] or "
     "B[i] == 0)\n",
     1, 0},
    {"float16 through float32",
     "@T.prim_func\n"
     "def k(pA: T.handle, pB: T.handle, pO: T.handle):\n"
     "        n = T.int64()\n"
     "        A = T.match_buffer(pA, (n,), \"float16\")\n        B = T.match_buffer(pB, (n,), "
     "\"bfloat16\")\n"
     "        O = T.match_buffer(pO, (n,), \"float16\")\n"
     "        for i in range(n):\n"
     "            O[i] = A[i] * A[i] + T.Cast(\"float16\", B[i] + B[i])\n",
     1, 0},
    {"gather and conditional reads",
     HEAD("pA: T.handle, pI: T.handle, pO: T.handle", "n = T.int64()")
         F32("A", "(T.int64(12),)") "        I = T.match_buffer(pI, (n,), \"int32\")\n" F32(
             "O", "(n,)") "        for i in range(n):\n"
                          "            O[i] = T.if_then_else(I[i] >= 0 and I[i] < 12 and A[I[i]] > "
                          "T.float32(0.0), A[I[i]], T.float32(-1.0))\n",
     1, 0},
    {"a gather of 18 lanes", /* LLVM gives the last of its registers no addresses */
     HEAD("pA: T.handle, pO: T.handle", "n = T.int64()") F32("A", "(n, n)")
         F32("O", "(n, n)") "        for a in range((n + 1) // 2):\n"
                            "            for b in range((n + 2) // 3):\n"
                            "                t = T.alloc_buffer((3, 6))\n"
                            "                for v in T.vectorized(18):\n"
                            "                    if b * 3 + v // 6 + 1 <= n:\n"
                            "                        t[v // 6, v % 6] = T.if_then_else(3 <= a * 4 "
                            "+ v % 6 and a * 4 + v "
                            "% 6 - 2 <= n * 2 and (a * 4 + v % 6 - 3) % 2 == 0, A[b * 3 + v // 6, "
                            "(a * 4 + v % 6 - 3) "
                            "// 2], T.float32(0.25))\n"
                            "                for c, d in T.grid(2, 3):\n"
                            "                    if a * 2 + c < n and b * 3 + d < n:\n"
                            "                        O[a * 2 + c, b * 3 + d] = t[d, c * 2] + t[d, "
                            "c * 2 + 1]\n",
     1, 0},
    {"two levels of blocks, matched regions",
     HEAD("pA: T.handle, pO: T.handle", "n = T.int64()") F32("A", "(n * 4, T.int64(6))") F32(
         "O",
         "(n * 4, T.int64(6))") "        for b, c in T.grid(n, T.int64(2)):\n"
                                "            with T.block(\"outer\"):\n"
                                "                vb, vc = T.axis.remap(\"SS\", [b, c])\n"
                                "                x = T.match_buffer(A[vb * 4:vb * 4 + 4, vc * 3:vc "
                                "* 3 + 3], (4, 3), strides=(\"s0\", \"s1\"), offset_factor=1)\n"
                                "                for i, j in T.grid(4, 3):\n"
                                "                    with T.block(\"inner\"):\n"
                                "                        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                                "                        O[vb * 4 + vi, vc * 3 + vj] = x[3 - vi, "
                                "vj] + T.float32(1.0)\n",
     1, 0},
};

static const int64_t sizes[] = {0, 1, 2, 5, 7, 16, 17, 33, 64, 67};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static void compare(kernel_fixture *plain, kernel_fixture *fast, size_t row, const int64_t *dims)
{
    size_t where = 0;
    tensors a = make(plain, "k", dims), b = make(fast, "k", dims);
    cr_expect_eq(kernel_fixture_call(plain, "k", a.data, dims), 0, "%s", plain->failure);
    cr_expect_eq(kernel_fixture_call(fast, "k", b.data, dims), 0, "%s", fast->failure);
    cr_expect(agree(&a, &b, kernels[row].tolerance, &where),
              "%s: sizes %ld, %ld, %ld differ at %zu", kernels[row].name, (long)dims[0],
              (long)dims[1], (long)dims[2], where);
    cr_expect(guards_hold(&a) && guards_hold(&b), "%s: sizes %ld, %ld, %ld: out of bounds",
              kernels[row].name, (long)dims[0], (long)dims[1], (long)dims[2]);
    cr_expect_eq(fast->scratch_used, 0, "%s keeps scratch memory", kernels[row].name);
    release(&a);
    release(&b);
}

static void compare_all(rlx_test *t, int opt_level, const char *cpu)
{
    for (size_t row = 0; cpu_runs(cpu) && row < sizeof kernels / sizeof *kernels; row++) {
        kernel_fixture plain, fast;
        bool ready =
            kernel_fixture_parse(&plain, &t->allocator, 0, "x86-64", kernels[row].text) &&
            kernel_fixture_build(&plain) &&
            kernel_fixture_parse(&fast, &t->allocator, opt_level, cpu, kernels[row].text) &&
            kernel_fixture_build(&fast);
        cr_assert(ready, "%s", kernels[row].name);
        uint32_t n = kernels[row].n_dims;
        for (uint32_t a = 0; a < N_SIZES; a++)
            for (uint32_t b = 0; b < (n > 1 ? N_SIZES : 1); b++)
                for (uint32_t c = 0; c < (n > 2 ? 4u : 1u); c++) {
                    int64_t dims[3] = {sizes[a], sizes[b], sizes[c * 2]};
                    compare(&plain, &fast, row, dims);
                }
        kernel_fixture_deinit(&plain);
        kernel_fixture_deinit(&fast);
    }
}

RLX_TEST(tir_kernels, schedule_for_the_host_keeps_results)
{
    compare_all(t, 3, NULL);
}

RLX_TEST(tir_kernels, schedule_for_avx2_keeps_results)
{
    compare_all(t, 2, "x86-64-v3");
}

RLX_TEST(tir_kernels, schedule_for_the_oldest_cpu_keeps_results)
{
    compare_all(t, 1, "x86-64");
}

RLX_TEST(tir_kernels, loops_large_enough_for_threads_keep_results)
{
    static const int64_t dims[3] = {130, 96, 260};
    for (size_t row = 0; row < sizeof kernels / sizeof *kernels; row++) {
        kernel_fixture plain, fast;
        bool ready = kernel_fixture_parse(&plain, &t->allocator, 0, "x86-64", kernels[row].text) &&
                     kernel_fixture_build(&plain) &&
                     kernel_fixture_parse(&fast, &t->allocator, 2, NULL, kernels[row].text) &&
                     kernel_fixture_build(&fast);
        cr_assert(ready, "%s", kernels[row].name);
        fast.shares = 0;
        compare(&plain, &fast, row, dims);
        cr_expect(row > 0 || fast.shares > 1, "the matmul runs on one thread");
        kernel_fixture_deinit(&plain);
        kernel_fixture_deinit(&fast);
    }
}

RLX_TEST(tir_kernels, matmul_agrees_with_double)
{
    kernel_fixture f;
    bool ready = kernel_fixture_parse(&f, &t->allocator, 3, NULL, kernels[0].text) &&
                 kernel_fixture_build(&f);
    cr_assert(ready);
    static const int64_t cases[][3] = {
        {1, 1, 1}, {6, 64, 64}, {13, 65, 7}, {64, 130, 100}, {3, 5, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t n = cases[k][0], m = cases[k][1], c = cases[k][2], dims[3];
        const rlxc_expr **vars;
        uint32_t n_vars;
        rlxc_prim_func_dims(f.ctx, function_of(&f, "k"), &vars, &n_vars);
        for (uint32_t i = 0; i < 3; i++) /* dims are in order of appearance: n, c, m */
            dims[i] = vars[i]->var.name[0] == 'n' ? n : vars[i]->var.name[0] == 'm' ? m : c;
        tensors x = make(&f, "k", dims);
        cr_assert_eq(kernel_fixture_call(&f, "k", x.data, dims), 0);
        const float *a = x.data[0], *b = x.data[1], *o = x.data[2];
        for (int64_t i = 0; i < n * m; i++) {
            double sum = 0;
            for (int64_t r = 0; r < c; r++)
                sum += (double)a[i / m * c + r] * (double)b[r * m + i % m];
            cr_expect(fabs(sum - (double)o[i]) < 1e-4, "[%ld]: %g, not %g", (long)i, (double)o[i],
                      sum);
        }
        release(&x);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_kernels, integer_division_is_defined_for_all_operands)
{
    static const char text[] = "@T.prim_func\n"
                               "def k(a: T.Buffer((8,), \"int32\"), b: T.Buffer((8,), \"int32\"), "
                               "q: T.Buffer((8,), \"int32\"),"
                               " m: T.Buffer((8,), \"int32\")):\n"
                               "    for i in range(8):\n"
                               "        q[i] = a[i] // b[i]\n"
                               "        m[i] = a[i] % b[i]\n";
    int32_t a[8] = {7, -7, 7, -7, 5, INT32_MIN, INT32_MIN, 0};
    int32_t b[8] = {2, 2, -2, -2, 0, -1, 1, -3}, q[8], m[8];
    static const int32_t quotients[8] = {3, -4, -4, 3, 0, INT32_MIN, INT32_MIN, 0};
    static const int32_t remainders[8] = {1, 1, -1, -1, 0, 0, 0, 0};
    for (int level = 0; level < 4; level += 3) {
        kernel_fixture f;
        void *buffers[4] = {a, b, q, m};
        bool ready =
            kernel_fixture_parse(&f, &t->allocator, level, NULL, text) && kernel_fixture_build(&f);
        cr_assert(ready);
        cr_assert_eq(kernel_fixture_call(&f, "k", buffers, NULL), 0);
        for (int i = 0; i < 8; i++) {
            cr_expect_eq(q[i], quotients[i], "%d // %d = %d", a[i], b[i], q[i]);
            cr_expect_eq(m[i], remainders[i], "%d %% %d = %d", a[i], b[i], m[i]);
        }
        kernel_fixture_deinit(&f);
    }
}

RLX_TEST(tir_kernels, failed_assert_and_missing_scratch_are_errors)
{
    static const char text[] = "@T.prim_func\n"
                               "def k(pA: T.handle, pO: T.handle):\n"
                               "    n = T.int64()\n"
                               "    A = T.match_buffer(pA, (n,), \"float32\")\n"
                               "    O = T.match_buffer(pO, (n,), \"float32\")\n"
                               "    assert n > 2, \"n is too small\"\n"
                               "    X = T.alloc_buffer((n, n))\n"
                               "    for i, j in T.grid(n, n):\n"
                               "        X[i, j] = A[i] + A[j]\n"
                               "    for i in range(n):\n"
                               "        O[i] = X[i, n - 1 - i]\n";
    kernel_fixture f;
    float a[4] = {1, 2, 3, 4}, o[4];
    void *buffers[2] = {a, o};
    int64_t two = 2, four = 4;
    bool ready = kernel_fixture_parse(&f, &t->allocator, 2, NULL, text) && kernel_fixture_build(&f);
    cr_assert(ready);
    cr_expect_neq(kernel_fixture_call(&f, "k", buffers, &two), 0);
    cr_expect_str_eq(f.failure, "n is too small");
    f.allocations_left = 0;
    cr_expect_neq(kernel_fixture_call(&f, "k", buffers, &four), 0);
    cr_expect(strstr(f.failure, "no memory"), "%s", f.failure);
    f.allocations_left = -1;
    cr_expect_eq(kernel_fixture_call(&f, "k", buffers, &four), 0);
    cr_expect_eq(o[0], 5.0f);
    kernel_fixture_deinit(&f);
}

/* Temporaries of 8 KiB are on the stack up to 32 KiB in all; the next takes scratch memory. */
RLX_TEST(tir_kernels, temporaries_beyond_the_stack_take_scratch_memory)
{
    enum { N = 2048, MOST = 4 };
    float *a = malloc(N * sizeof *a), *o = malloc(N * sizeof *o);
    void *buffers[2] = {a, o};
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
    for (int n = MOST; n <= MOST + 1; n++) {
        char text[1024];
        int at = snprintf(text, sizeof text,
                          "@T.prim_func\ndef k(A: T.Buffer((%d,), \"float32\"), O: T.Buffer((%d,), "
                          "\"float32\")):\n",
                          N, N);
        for (int k = 0; k < n; k++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "    X%d = T.alloc_buffer((%d,))\n    for i in range(%d):\n"
                           "        X%d[i] = %s[%d - i]\n",
                           k, N, N, k, k ? (char[]){'X', (char)('0' + k - 1), '\0'} : "A", N - 1);
        snprintf(text + at, sizeof text - (size_t)at,
                 "    for i in range(%d):\n        O[i] = X%d[i] + X0[i]\n", N, n - 1);
        kernel_fixture f;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text) &&
                  kernel_fixture_build(&f));
        f.allocations_left = 0;
        cr_expect_eq(kernel_fixture_call(&f, "k", buffers, NULL) == 0, n == MOST, "%s", text);
        f.allocations_left = -1;
        cr_expect_eq(kernel_fixture_call(&f, "k", buffers, NULL), 0);
        for (int i = 0; i < N; i++)
            cr_assert_eq(o[i], (float)(N - 1 - i + (n % 2 ? N - 1 - i : i)), "%d: %d", n, i);
        kernel_fixture_deinit(&f);
    }
    free(a);
    free(o);
}

RLX_TEST(tir_kernels, equal_input_gives_equal_bytes)
{
    rlxc_native first = {0}, second = {0};
    kernel_fixture f[2];
    for (int i = 0; i < 2; i++) {
        cr_assert(kernel_fixture_parse(&f[i], &t->allocator, 3, NULL, kernels[1].text));
        cr_assert(rlxc_schedule_module(f[i].ctx, f[i].module, &f[i].options));
        cr_assert(rlxc_pass_lower_tir(f[i].ctx, f[i].module, &f[i].options));
        cr_assert(rlxc_compile_native(f[i].ctx, f[i].module, &f[i].options, RLXC_NATIVE_SHARED,
                                      i ? &second : &first));
    }
    cr_expect_eq(first.size, second.size);
    cr_expect(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    kernel_fixture_deinit(&f[0]);
    kernel_fixture_deinit(&f[1]);
}

RLX_TEST(tir_kernels, ill_typed_code_is_diagnosed)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"O[0] = T.call_extern(\"float32\", \"system\", A[0])", "not one of libm"},
        {"O[0] = T.call_extern(\"float32\", \"not a name\", A[0])", "the name of a C function"},
        {"O[0] = T.call_llvm_intrin(\"float32\", \"llvm.trap\", A[0])", "is not supported"},
        {"O[0] = T.call_llvm_pure_intrin(\"float32\", \"llvm.ctpop\", A[0])", "not defined for"},
        {"O[0:2] = T.Shuffle([A[0:2]], [0, 2])", "a lane is out of range"},
        {"T.evaluate(T.address_of(A[0] + A[1]))", "needs an element of a buffer"},
        {"T.call_packed(\"f\", A.data)", "numbers, text and buffers"},
        {"O[0] = T.exp(T.Cast(\"int32\", A[0]))", "floating-point"},
        {"O[0] = T.bitwise_and(A[0], A[1])", "integer"},
        {"O[0] = A[1.5]", "integer"},
        {"O[0] = A[0, 0]", "dimension"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "@T.prim_func\n"
                 "def k(A: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")):\n"
                 "    %s\n",
                 rows[i].line);
        kernel_fixture f;
        rlxc_native out;
        cr_assert(kernel_fixture_init(&f, &t->allocator, 2, NULL));
        rlxc_module *m = rlxc_parse_module(f.ctx, "t.py", text, strlen(text));
        bool fine = m && rlxc_pass_lower_tir(f.ctx, m, &f.options) &&
                    rlxc_compile_native(f.ctx, m, &f.options, RLXC_NATIVE_OBJECT, &out);
        cr_expect(!fine && rlxc_error_count(f.ctx) > 0, "%s compiles", rows[i].line);
        cr_expect(strstr(rlxc_render_diagnostics(f.ctx), rows[i].message), "%s gave %s",
                  rows[i].line, rlxc_render_diagnostics(f.ctx));
        kernel_fixture_deinit(&f);
    }
}

RLX_TEST(tir_kernels, running_out_of_memory_anywhere_is_an_error)
{
    for (size_t row = 0; row < sizeof kernels / sizeof *kernels; row += 3) {
        bool done = false;
        for (size_t n = 1; !done && n < 400; n++) {
            kernel_fixture f;
            t->calls = 0;
            t->fail_at = n;
            t->fail_after = true;
            bool fine = kernel_fixture_init(&f, &t->allocator, 3, "x86-64-v3");
            if (fine)
                f.module =
                    rlxc_parse_module(f.ctx, "t.py", kernels[row].text, strlen(kernels[row].text));
            fine = fine && f.module && rlxc_schedule_module(f.ctx, f.module, &f.options) &&
                   rlxc_pass_lower_tir(f.ctx, f.module, &f.options);
            done = t->calls < n;
            cr_expect(fine || !done, "%s fails with all the memory it wants", kernels[row].name);
            cr_expect(fine || !f.ctx || rlxc_out_of_memory(f.ctx), "%s at allocation %zu",
                      kernels[row].name, n);
            kernel_fixture_deinit(&f);
        }
        t->fail_at = 0;
        cr_expect(done, "%s", kernels[row].name);
    }
}
