/* Updates at positions that data gives, on this machine's OpenCL driver: each result equals, bit
 * for bit, that of the updates one after the other, also where positions repeat and sums round.
 * Compiled both as for a device whose threads run concurrently and as for a CPU, with sizes of 0
 * and 1, odd sizes, and sizes around the borders of blocks of threads and of shares. */
#include <stdio.h>
#include <string.h>

#include "tests/compiler/on_device.h"

enum { MOST = 4200 * 64 };

#define F32(dims) "R.Tensor((" dims "), \"float32\")"
#define I64(dims) "R.Tensor((" dims "), \"int64\")"
#define M "\"m\""
#define N "\"n\""
#define K "\"k\""
#define FUNCTION(name, x, i, j, u, value)                             \
    "    @R.function\n"                                               \
    "    def " name                                                   \
    "(x: " F32(x) ", i: " I64(i) ", j: " I64(j) ", u: " F32(u) "):\n" \
                                                               "        return " value "\n"
#define MODULE(target)                                                                      \
    "from tvm.script import ir as I, relax as R, tir as T\n"                                \
    "@I.ir_module\n"                                                                        \
    "class Module:\n"                                                                       \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"" target     \
    "\")]})\n" FUNCTION("elements", M ", " N, K ", " N, K ",", K ", " N,                    \
                        "R.scatter_elements(x, i, u, axis=0, reduction=\"add\")")           \
        FUNCTION("few_columns", M ", 5", K ", 5", K ",", K ", 5",                           \
                 "R.scatter_elements(x, i, u, axis=0, reduction=\"add\")")                  \
            FUNCTION("rows", M ", " N, K ", 1", K ",", K ", " N,                            \
                     "R.scatter_nd(x, i, u, reduction=\"mul\")")                            \
                FUNCTION("put", M ", " N, K ",", K ",", K ",", "R.index_put(x, (i, j), u)") \
                    FUNCTION("put_small", "7, 33", K ",", K ",", K ",",                     \
                             "R.index_put(x, (i, j), u, accumulate=True)")                  \
                        FUNCTION("put_wide", "3, 4100", K ",", K ",", K ",",                \
                                 "R.index_put(x, (i, j), u)")

typedef enum how { ADD, MUL, REPLACE } how;
static const struct {
    const char *name;
    int64_t m, n; /* 0: any */
    bool columns, /* an update for each column */
        each;     /* whose place is its own */
    how how;
} functions[] = {
    {"elements", 0, 0, true, true, ADD},     {"few_columns", 0, 5, true, true, ADD},
    {"rows", 0, 0, true, false, MUL},        {"put", 0, 0, false, false, REPLACE},
    {"put_small", 7, 33, false, false, ADD}, {"put_wide", 3, 4100, false, false, REPLACE},
};

static float x[MOST], u[MOST], want[MOST];
static int64_t i[MOST], j[MOST];

static rlx_value wrap(rlx_test *t, rlx_dtype dtype, uint32_t ndim, int64_t rows, int64_t columns,
                      void *data)
{
    const int64_t dims[2] = {rows, columns};
    return on_device_wrap(t, dtype, ndim, dims, data);
}

static void update(size_t f, int64_t place, float by)
{
    want[place] = functions[f].how == ADD   ? want[place] + by
                  : functions[f].how == MUL ? want[place] * by
                                            : by;
}

static void check(rlx_test *t, rlx_vm *vm, size_t f, int64_t m, int64_t n, int64_t k)
{
    rlx_value args[4];
    m = functions[f].m ? functions[f].m : m;
    n = functions[f].n ? functions[f].n : n;
    const bool columns = functions[f].columns, each = functions[f].each;
    for (int64_t a = 0; a < k; a++) {
        j[a] = (a * a + 5) % (n ? n : 1);
        for (int64_t c = 0; c < (each ? n : 1); c++)
            i[each ? a * n + c : a] = (a * 7 + c * 3 + a / 3) % (m ? m : 1);
    }
    memcpy(want, x, (size_t)(m * n) * sizeof *want);
    for (int64_t a = 0; a < k; a++)
        for (int64_t c = 0; c < (columns ? n : 1); c++)
            update(f, i[each ? a * n + c : a] * n + (columns ? c : j[a]),
                   u[columns ? a * n + c : a]);
    args[0] = wrap(t, RLX_F32, 2, m, n, x);
    args[1] = wrap(t, RLX_I64, columns ? 2 : 1, k, each ? n : 1, i);
    args[2] = wrap(t, RLX_I64, 1, k, 1, j);
    args[3] = wrap(t, RLX_F32, columns ? 2 : 1, k, n, u);
    rlx_tensor *home = on_device_call(t, vm, functions[f].name, args, 4);
    cr_expect(memcmp(rlx_tensor_data(home), want, (size_t)(m * n) * sizeof *want) == 0,
              "%s with m = %lld, n = %lld, k = %lld", functions[f].name, (long long)m, (long long)n,
              (long long)k);
    rlx_value_release(rlx_of_tensor(home));
}

RLX_TEST(device_scatter, updates_are_those_one_after_the_other)
{
    static const char *const modules[] = {MODULE("opencl"),
                                          MODULE("opencl -device=cpu -vector-width=256")};
    static const int64_t rows[] = {0, 1, 2, 7, 255, 256, 257, 511, 513, 4095, 4097},
                         columns[] = {0, 1, 2, 33, 63};
    if (!on_device_is_possible())
        return;
    uint32_t seed = 1;
    for (size_t a = 0; a < MOST; a++) {
        seed = seed * 1664525u + 1013904223u;
        x[a] = (float)(seed >> 8) / (float)(1 << 24);
        u[a] = 1.5f - x[a] / 3; /* whose sums and products round */
    }
    for (size_t a = 0; a < sizeof modules / sizeof *modules; a++) {
        rlx_executable *exe = on_device_compile(t, modules[a]);
        rlx_vm *vm = rlx_test_vm(t, exe);
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
                    const bool none = rows[r] == 0 || columns[c] == 0;
                    if (rlx_test_takes(f + r + c, 8))
                        check(t, vm, f, rows[r], columns[c], none ? 0 : 1 + (int64_t)(r * c) % 41);
                }
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
}
