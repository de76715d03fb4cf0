/* --check-bounds: every kind of out-of-bounds access is reported with its function, buffer, index,
 * extent and line before it happens; valid accesses give the same results as without checks.
 * Tensors lie between inaccessible pages.
 * And pass check_accesses: accesses that provably leave their buffers are errors at their lines;
 * accesses that may be valid are not reported. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/support/rlx_test.h"

enum { X = 4, MAX_RUNS = 8, MAX_TEXT = 1 << 16, FAR = 1 << 24 };

typedef struct bounds_run {
    int64_t n, x[X];
    const char *says; /* message after the place; NULL: the call succeeds */
} bounds_run;

/* A function body on A (n,), X (4,) of |type| and B (n,); |line| of the body is the faulty one. */
typedef struct bounds_row {
    const char *body, *type;
    const char *what; /* such as "load from 'A'" */
    int line;
    bounds_run runs[MAX_RUNS]; /* an all-zero run ends the list */
} bounds_row;

#define I0 "outside of the buffer: index 0 is "
#define OF5 ", the dimension is 5"

static const bounds_row rows[] = {
    {"    for i in range(n):\n        B[i + X[0]] = A[i]\n",
     "int64",
     "store to 'B'",
     2,
     {{0, {7}, NULL},
      {1, {0}, NULL},
      {5, {0}, NULL},
      {5, {2}, I0 "5" OF5},
      {5, {-1}, I0 "-1" OF5},
      {1, {1}, I0 "1, the dimension is 1"},
      {64, {FAR}, I0 "16777216, the dimension is 64"}}},
    {"    for i in range(n):\n        B[i] = A[(i + 4) * X[0] - 4]\n",
     "int64",
     "load from 'A'",
     2,
     {{0, {7}, NULL},
      {5, {1}, NULL},
      {5, {2}, I0 "6" OF5}, /* index 4 is in bounds, the next one is not */
      {5, {(int64_t)1 << 62}, I0 "more than 64 bits hold" OF5},
      {5, {INT64_MIN}, I0 "more than 64 bits hold" OF5}}},
    /* 32-bit products do not wrap in indices, but wrap as values */
    {"    for i in range(n):\n        B[i] = A[X[0] * X[1]]\n",
     "int32",
     "load from 'A'",
     2,
     {{5, {2, 2}, NULL},
      {5, {65536, 65536}, I0 "4294967296" OF5},
      {5, {-1, 1}, I0 "-1" OF5},
      {0, {9, 9}, NULL}}},
    {"    for i in range(n):\n        B[i] = A[T.max(T.min(X[0] * X[1], T.Cast(\"int32\", n) - 1), "
     "0)]\n",
     "int32",
     "load from 'A'",
     2,
     {{5, {65536, 65536}, NULL}, {5, {9, 9}, NULL}, {1, {9, -9}, NULL}, {0, {1, 1}, NULL}}},
    {"    for i in range(n):\n        B[i] = A[T.max(X[0], 0) + X[1]]\n",
     "int64",
     "load from 'A'",
     2,
     {{5, {-9, 4}, NULL}, {5, {INT64_MAX, 1}, I0 "more than 64 bits hold" OF5}}},
    /* reductions, with and without iterations */
    {"    for i, k in T.grid(n, 4):\n        with T.block(\"sum\"):\n"
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"
     "                B[vi] = T.float32(0)\n            B[vi] = B[vi] + A[X[vk]]\n",
     "int32",
     "load from 'A'",
     6,
     {{5, {4, 0, 2, 2}, NULL},
      {5, {0, 1, 2, 5}, I0 "5" OF5},
      {5, {0, -1, 2, 5}, I0 "-1" OF5},
      {0, {9, 9, 9, 9}, NULL},
      {33, {32, 0, 1, 2}, NULL}}},
    {"    for i in range(n):\n        with T.block(\"b\"):\n"
     "            vi = T.axis.spatial(n, i)\n            with T.init():\n"
     "                B[vi + X[0]] = T.float32(0)\n            B[vi] = A[vi]\n",
     "int64",
     "store to 'B'",
     5,
     {{5, {0}, NULL}, {5, {1}, I0 "5" OF5}, {0, {1}, NULL}}},
    /* local buffers */
    {"    C = T.alloc_buffer((n, 3), \"float32\")\n    for i in range(n):\n"
     "        with T.block(\"c\"):\n            vi = T.axis.spatial(n, i)\n"
     "            C[vi, X[0]] = A[vi]\n    for i in range(n):\n        with T.block(\"d\"):\n"
     "            vi = T.axis.spatial(n, i)\n            B[vi] = C[vi, X[0]]\n",
     "int32",
     "store to 'C'",
     5,
     {{5, {2}, NULL},
      {5, {3}, "outside of the buffer: index 1 is 3, the dimension is 3"},
      {7, {-2}, "outside of the buffer: index 1 is -2, the dimension is 3"},
      {0, {3}, NULL}}},
    /* each kind of loop */
    {"    for i in T.parallel(n):\n        B[i] = A[i + X[0]]\n",
     "int64",
     "load from 'A'",
     2,
     {{400000, {0}, NULL},
      {400000, {1}, I0 "400000, the dimension is 400000"},
      {400000, {-1}, I0 "-1, the dimension is 400000"},
      {3, {1}, I0 "3, the dimension is 3"}}},
    {"    for i in range(n):\n        B[i] = T.float32(0)\n    for i in T.vectorized(8):\n"
     "        B[i] = A[i + X[0]]\n",
     "int64",
     "load from 'A'",
     4,
     {{8, {0}, NULL},
      {8, {1}, I0 "8, the dimension is 8"},
      {7, {0}, I0 "7, the dimension is 7"},
      {16, {8}, NULL}}},
    {"    for i in T.unroll(4):\n        B[X[i]] = A[i]\n",
     "int32",
     "store to 'B'",
     2,
     {{4, {3, 2, 1, 0}, NULL}, {4, {3, 2, 4, 1}, I0 "4, the dimension is 4"}}},
    {"    for i in range(n):\n        B[i] = T.float32(0)\n    for j in range(X[0]):\n"
     "        B[j] = A[j]\n",
     "int64",
     "load from 'A'",
     4,
     {{5, {5}, NULL}, {5, {6}, I0 "5" OF5}, {5, {-6}, NULL}}},
    {"    I = T.alloc_buffer((1,), \"int64\", scope=\"local\")\n    I[0] = T.int64(0)\n"
     "    while A[I[0]] < T.float32(3):\n        B[I[0]] = A[I[0]]\n        I[0] = I[0] + X[0]\n"
     "    for i in range(n):\n        B[i] = T.float32(1)\n",
     "int64",
     "load from 'A'",
     3,
     {{5, {1}, NULL},
      {3, {1}, I0 "3, the dimension is 3"},
      {3, {-1}, I0 "-1, the dimension is 3"},
      {0, {1}, I0 "0, the dimension is 0"},
      {5, {2}, NULL}}},
    /* conditions */
    {"    for i in range(n):\n        B[i] = T.float32(0)\n        if i + X[0] < n:\n"
     "            B[i] = A[i + X[0]]\n",
     "int64",
     "load from 'A'",
     4,
     {{5, {0}, NULL}, {5, {3}, NULL}, {5, {100}, NULL}, {5, {-1}, I0 "-1" OF5}}},
    {"    for i in range(n):\n        B[i] = T.if_then_else(0 <= i + X[0] and i + X[0] < n, "
     "A[i + X[0]], T.float32(7))\n",
     "int32",
     "load from 'A'",
     2,
     {{5, {0}, NULL}, {5, {-3}, NULL}, {5, {FAR}, NULL}, {0, {9}, NULL}, {1, {-FAR}, NULL}}},
    {"    for i in range(n):\n        B[i] = T.if_then_else(X[0] > 0, A[X[1]], A[X[2]])\n",
     "int32",
     "load from 'A'",
     2,
     {{5, {0, FAR, 2}, NULL},
      {5, {1, 2, FAR}, NULL},
      {5, {1, 5, 0}, I0 "5" OF5},
      {5, {0, 0, -5}, I0 "-5" OF5}}},
    {"    for i in range(n):\n        B[i] = T.float32(0)\n"
     "        if X[0] < n and A[X[0]] > T.float32(1):\n            B[i] = T.float32(1)\n",
     "int64",
     "load from 'A'",
     3,
     {{5, {FAR}, NULL}, {5, {4}, NULL}, {5, {-1}, I0 "-1" OF5}}},
    {"    for i in range(n):\n        B[i] = T.float32(0)\n"
     "        if X[0] >= n or A[X[0]] > T.float32(1):\n            B[i] = T.float32(1)\n",
     "int64",
     "load from 'A'",
     3,
     {{5, {FAR}, NULL}, {5, {4}, NULL}, {5, {-1}, I0 "-1" OF5}}},
    {"    for i in range(n):\n        B[i] = T.Select(X[0] > 0, A[X[1]], T.float32(1))\n",
     "int64",
     "load from 'A'",
     2,
     {{5, {0, 4}, NULL}, {5, {0, 5}, I0 "5" OF5}}}, /* Select evaluates both operands */
    {"    for i in range(n):\n        with T.block(\"b\"):\n            T.where(i + X[0] < n)\n"
     "            vi = T.axis.spatial(n, i + X[0])\n            B[vi] = A[vi]\n"
     "    for i in range(n):\n        B[i] = T.float32(1)\n",
     "int64",
     "load from 'A'",
     5,
     {{5, {0}, NULL}, {5, {2}, NULL}, {5, {9}, NULL}, {5, {-2}, I0 "-2" OF5}}},
    /* indices loaded from memory, indices of such loads, and let-bound indices */
    {"    for i in range(n):\n        B[i] = A[T.Cast(\"int64\", A[X[0]]) + X[1]]\n",
     "int64",
     "load from 'A'",
     2,
     {{5, {4, -1}, NULL}, {5, {5, 0}, I0 "5" OF5}, {5, {4, 1}, I0 "5" OF5}}},
    {"    for i in range(n):\n        with T.LetStmt(X[0] + 1) as j:\n            B[i] = A[j]\n",
     "int64",
     "load from 'A'",
     3,
     {{5, {3}, NULL}, {5, {4}, I0 "5" OF5}}},
    {"    for i in range(n):\n        B[i] = A[T.Cast(\"uint8\", X[0])]\n",
     "int64",
     "load from 'A'",
     2,
     {{5, {4}, NULL}, {5, {200}, I0 "200" OF5}, {5, {256}, NULL}}},
    /* views */
    {"    V = T.decl_buffer((n + 3,), \"float32\", data=A.data)\n    for i in range(n):\n"
     "        B[i] = V[i + X[0]]\n",
     "int64",
     "load from 'V'",
     3,
     {{5, {0}, NULL},
      {5, {3}, "outside of the memory of 'A': byte 23, the bytes are 20"},
      {5, {9}, I0 "9, the dimension is 8"}}},
    {"    for i in range(n):\n        with T.block(\"v\"):\n            vi = T.axis.spatial(n, i)\n"
     "            T.reads(A[0:n])\n            T.writes(B[0:n])\n"
     "            V = T.match_buffer(A[X[0]:X[0] + 3], (3,), offset_factor=1)\n"
     "            B[vi] = V[2] + V[X[1]]\n",
     "int64",
     "load from 'A'",
     7,
     {{5, {2, 0}, NULL}, {5, {3, 0}, I0 "5" OF5}, {5, {-1, 0}, I0 "-1" OF5}, {0, {9, 9}, NULL}}},
    {"    for i in range(n):\n        with T.block(\"v\"):\n            vi = T.axis.spatial(n, i)\n"
     "            T.reads(A[0:n])\n            T.writes(B[0:n])\n"
     "            V = T.match_buffer(A[0:3], (3,), offset_factor=1)\n"
     "            B[vi] = V[X[1]]\n",
     "int64",
     "load from 'V'",
     7,
     {{5, {0, 2}, NULL}, {5, {0, 3}, I0 "3, the dimension is 3"}}},
    /* vectors */
    {"    for i in range(n):\n        B[i] = T.float32(0)\n"
     "    B[T.Ramp(X[0], T.int64(1), 4)] = A[T.Ramp(T.int64(0), T.int64(2), 4)]\n",
     "int64",
     "store to 'B'",
     3,
     {{7, {3}, NULL},
      {7, {4}, I0 "7, the dimension is 7"},
      {7, {-1}, I0 "-1, the dimension is 7"},
      {7, {INT64_MAX - 1}, I0 "9223372036854775806, the dimension is 7"}}},
    {"    for i in range(n):\n        B[i] = T.float32(0)\n"
     "    B[T.Ramp(T.int64(0), T.int64(1), 4)] = "
     "T.if_then_else(X[T.Ramp(T.int64(0), T.int64(1), 4)] >= T.Broadcast(T.int64(0), 4), "
     "A[X[T.Ramp(T.int64(0), T.int64(1), 4)]], T.Broadcast(T.float32(9), 4))\n",
     "int64",
     "load from 'A'",
     3,
     {{5, {4, 0, 1, 2}, NULL}, {5, {0, -FAR, 1, -1}, NULL}, {5, {0, -1, 5, 9}, I0 "5" OF5}}},
    /* addresses */
    {"    for i in range(n):\n        B[i] = T.Select(T.isnullptr(T.address_of(A[X[0]])), "
     "T.float32(1), T.float32(0))\n",
     "int64",
     "address of 'A'",
     2,
     {{5, {4}, NULL}, {5, {5}, I0 "5" OF5}}},
    {"    for i in range(n):\n        B[i] = T.Select(T.isnullptr(T.tvm_access_ptr("
     "T.type_annotation(\"float32\"), A.data, X[0], X[1], 1)), T.float32(1), T.float32(0))\n",
     "int64",
     "address in 'A'",
     2,
     {{5, {2, 3}, NULL},
      {5, {9, 0}, NULL},
      {5, {3, 3}, "outside of the buffer: byte 23, the bytes are 20"},
      {5, {-1, 3}, "outside of the buffer: byte -4, the bytes are 20"}}},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* --- memory ----------------------------------------------------------------------------------- */

static size_t whole_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* The allocation ends at an inaccessible page, up to its alignment, and starts after another. */
static void *fenced_alloc(void *ctx, size_t size, size_t align)
{
    const size_t page = whole_pages(1), body = whole_pages(size);
    char *p = mmap(NULL, body + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)ctx;
    if (p == MAP_FAILED || mprotect(p + page, body, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return p + page + (body - size) / align * align;
}

static void fenced_free(void *ctx, void *p, size_t size, size_t align)
{
    const size_t page = whole_pages(1), body = whole_pages(size);
    (void)ctx;
    munmap((char *)p - (body - size) / align * align - page, body + 2 * page);
}

/* --- the module ------------------------------------------------------------------------------- */

/* Writes functions k<row> and main<row> for each row; first_line[row] is the line before its body.
 */
static void write_module(char *out, int *first_line)
{
    size_t used = (size_t)snprintf(out, MAX_TEXT, "@I.ir_module\nclass M:\n");
    for (int r = 0; r < N_ROWS; r++) {
        used += (size_t)snprintf(
            out + used, MAX_TEXT - used,
            "    @T.prim_func\n    def k%d(a: T.handle, x: T.handle, b: T.handle):\n"
            "        n = T.int64()\n        A = T.match_buffer(a, (n,), \"float32\")\n"
            "        X = T.match_buffer(x, (4,), \"%s\")\n"
            "        B = T.match_buffer(b, (n,), \"float32\")\n",
            r, rows[r].type);
        first_line[r] = 0;
        for (size_t i = 0; i < used; i++)
            first_line[r] += out[i] == '\n';
        for (const char *line = rows[r].body; *line != '\0'; line = strchr(line, '\n') + 1)
            used += (size_t)snprintf(out + used, MAX_TEXT - used, "    %.*s\n",
                                     (int)strcspn(line, "\n"), line);
        used += (size_t)snprintf(
            out + used, MAX_TEXT - used,
            "    @R.function\n    def main%d(a: R.Tensor((\"n\",), \"float32\"), "
            "x: R.Tensor((4,), \"%s\")):\n        n = T.int64()\n"
            "        return R.call_tir(M.k%d, (a, x), out_sinfo=R.Tensor((n,), \"float32\"))\n",
            r, rows[r].type, r);
    }
    cr_assert(used < MAX_TEXT);
}

static rlx_executable *compile(rlx_test *t, const char *text, int level, bool checks)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, level));
    options.check = true;
    if (checks)
        options.requests[options.n_requests++] = "check_bounds";
    rlxc_module *module = rlxc_read_module(ctx, "t.py", text, strlen(text));
    rlx_executable *exe = bound_load(t, ctx, module, &options, NULL, text);
    rlxc_context_destroy(ctx);
    return exe;
}

static rlx_vm *start(rlx_test *t, rlx_executable *exe, const rlx_allocator *memory)
{
    const rlx_vm_options options = {.allocator = memory, .threads = 2};
    rlx_vm *vm = NULL;
    cr_assert(exe);
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    return vm;
}

static rlx_status call(rlx_test *t, rlx_vm *vm, const rlx_allocator *memory, int r,
                       const bounds_run *run, rlx_value *out)
{
    const int64_t four = X;
    const bool narrow = strcmp(rows[r].type, "int32") == 0;
    rlx_tensor *a = NULL, *x = NULL;
    char name[16];
    RLX_OKAY(rlx_tensor_create(memory, RLX_F32, 1, &run->n, &a, &t->error));
    RLX_OKAY(rlx_tensor_create(memory, narrow ? RLX_I32 : RLX_I64, 1, &four, &x, &t->error));
    for (int64_t i = 0; i < run->n; i++)
        ((float *)rlx_tensor_mutable_data(a))[i] = (float)i;
    for (int i = 0; i < X; i++) {
        if (narrow)
            ((int32_t *)rlx_tensor_mutable_data(x))[i] = (int32_t)run->x[i];
        else
            ((int64_t *)rlx_tensor_mutable_data(x))[i] = run->x[i];
    }
    const rlx_value args[2] = {rlx_of_tensor(a), rlx_of_tensor(x)};
    snprintf(name, sizeof name, "main%d", r);
    t->error = (rlx_error){0};
    rlx_status status = rlx_vm_invoke(vm, rlx_str_from(name), args, 2, out, &t->error);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    return status;
}

static void compare(rlx_test *t, rlx_vm *vm, const rlx_allocator *memory, int r,
                    const bounds_run *run, rlx_value got)
{
    rlx_value want = rlx_none();
    cr_assert_eq(call(t, vm, memory, r, run, &want), RLX_OK, "row %d: %s", r, t->error.message);
    const size_t bytes = (size_t)run->n * sizeof(float);
    cr_expect(bytes == 0 || memcmp(rlx_tensor_data(want.as.tensor), rlx_tensor_data(got.as.tensor),
                                   bytes) == 0,
              "row %d differs at n = %lld", r, (long long)run->n);
    rlx_value_release(want);
}

static void check_level(rlx_test *t, int level)
{
    static char text[MAX_TEXT];
    int first_line[N_ROWS];
    char place[64];
    const rlx_allocator memory = {NULL, fenced_alloc, fenced_free};
    write_module(text, first_line);
    rlx_executable *with = compile(t, text, level, true), *without = compile(t, text, level, false);
    rlx_vm *vm = start(t, with, &memory), *plain = start(t, without, &memory);
    for (int r = 0; r < N_ROWS; r++)
        for (int i = 0; i < MAX_RUNS && (i == 0 || rows[r].runs[i].n || rows[r].runs[i].says ||
                                         rows[r].runs[i].x[0]);
             i++) {
            const bounds_run *run = &rows[r].runs[i];
            rlx_value got = rlx_none();
            rlx_status status = call(t, vm, &memory, r, run, &got);
            if (run->says == NULL) {
                cr_assert_eq(status, RLX_OK, "row %d, run %d: %s", r, i, t->error.message);
                compare(t, plain, &memory, r, run, got);
            } else {
                snprintf(place, sizeof place, "kernel k%d: %s (t.py:%d:", r, rows[r].what,
                         first_line[r] + rows[r].line);
                cr_expect(status == RLX_E_KERNEL && strstr(t->error.message, place) &&
                              strstr(t->error.message, run->says),
                          "row %d, run %d: '%s' lacks '%s' or '%s'", r, i, t->error.message, place,
                          run->says);
            }
            rlx_value_release(got);
        }
    rlx_vm_destroy(vm);
    rlx_vm_destroy(plain);
    rlx_executable_release(with);
    rlx_executable_release(without);
}

RLX_TEST(bounds, accesses_outside_are_reported_before_they_happen)
{
    check_level(t, 0);
    check_level(t, 2);
}

/* The check would evaluate the index, and so call the function, a second time. */
RLX_TEST(bounds, an_index_with_effects_is_refused)
{
    static const char text[] =
        "@T.prim_func\ndef k(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
        "    for i in range(4):\n        B[i] = A[T.call_packed(\"f\", i)]\n";
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_options options = {0};
    rlxc_module *module = rlxc_read_module(ctx, "t.py", text, strlen(text));
    cr_assert(module);
    cr_expect(!rlxc_pass_check_bounds(ctx, module, &options));
    cr_expect(strstr(rlxc_render_diagnostics(ctx),
                     "t.py:4:9: error: check_bounds: an index or a condition calls a function with "
                     "effects"),
              "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}

/* The call is source text, which anyone may write. */
RLX_TEST(bounds, check_index_of_odd_arguments_is_refused)
{
    static const char *const calls[] = {"i, i, i, i", "\"a\", T.float32(1), \"b\", i",
                                        "\"a\", i, \"b\", \"c\"",
                                        "\"a\", i, \"b\", T.Ramp(i, 1, 4)"};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        char text[512];
        rlxc_options options;
        rlx_exec_builder *builder = NULL;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 1));
        RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
        snprintf(text, sizeof text,
                 "@T.prim_func\ndef k(A: T.Buffer((4,), \"float32\")):\n"
                 "    for i in range(4):\n        T.evaluate(T.check_index(%s))\n",
                 calls[k]);
        cr_expect(!rlxc_compile_text(ctx, "t.py", text, strlen(text), &options, builder));
        cr_expect(strstr(rlxc_render_diagnostics(ctx), "T.check_index needs a text"), "%zu: %s", k,
                  rlxc_render_diagnostics(ctx));
        rlx_exec_builder_destroy(builder);
        rlxc_context_destroy(ctx);
    }
}

/* --- pass check_accesses ---------------------------------------------------------------------- */

/* The body starts at line 5. */
#define HEAD                                                                       \
    "from tvm.script import ir as I, tir as T\n"                                   \
    "@T.prim_func\n"                                                               \
    "def k(A: T.Buffer((4, \"n\"), \"float32\"), B: T.Buffer((4,), \"float32\"), " \
    "P: T.Buffer((4,), \"int32\")):\n"                                             \
    "    n = T.int64()\n"

static const struct {
    const char *body, *says; /* NULL: no error */
} accesses[] = {
    {"    for i in range(4):\n        B[i] = A[i, 0]\n", NULL},
    {"    for i in range(4):\n        B[i + 1] = T.float32(0)\n",
     "m.py:6:9: error: store to 'B' outside of the buffer: index 0 reaches 4, the dimension is 4"},
    {"    for i in range(4):\n        B[i] = A[i - 1, 0]\n",
     "m.py:6:9: error: load from 'A' outside of the buffer: index 0 reaches -1"},
    {"    for i in range(4):\n        B[i] = A[3 - i, 0]\n", NULL},
    {"    for i in range(4):\n        B[i] = A[2 - i, 0]\n", "index 0 reaches -1"},
    {"    for i, j in T.grid(2, 2):\n        B[i * 2 + j] = T.float32(0)\n", NULL},
    {"    for i, j in T.grid(2, 2):\n        B[i * 3 + j] = T.float32(0)\n", "index 0 reaches 4"},
    {"    B[4] = T.float32(0)\n", "m.py:5:5: error: store to 'B'"},
    {"    B[-1] = T.float32(0)\n", "index 0 reaches -1"},
    /* named sizes */
    {"    for j in range(n):\n        A[0, j] = T.float32(0)\n", NULL},
    {"    for j in range(n):\n        A[0, j + 1] = T.float32(0)\n",
     "index 1 reaches beyond dimension 1"},
    {"    A[0, n] = T.float32(0)\n", "index 1 reaches beyond dimension 1"},
    {"    A[0, n - 1] = T.float32(0)\n", NULL},
    {"    A[0, 0] = T.float32(0)\n", NULL},
    {"    for j in range(n):\n        B[j] = A[0, j]\n", NULL},
    /* blocks and let bindings */
    {"    for i in range(4):\n        with T.block(\"b\"):\n"
     "            vi = T.axis.spatial(4, i)\n            B[vi + 2] = T.float32(0)\n",
     "index 0 reaches 5"},
    {"    for i in range(8):\n        with T.block(\"b\"):\n"
     "            vi = T.axis.spatial(4, i)\n            T.where(i < 4)\n"
     "            B[vi] = T.float32(0)\n",
     NULL},
    {"    for i in range(4):\n        with T.LetStmt(i + 1) as j:\n            B[j] = A[i, 0]\n",
     "index 0 reaches 4"},
    /* unreachable accesses and unknown indices */
    {"    for i in range(0):\n        B[i + 9] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n        for j in range(i):\n            B[j + 3] = T.float32(0)\n",
     NULL},
    {"    for i in range(4):\n        if i < 3:\n            B[i + 1] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n"
     "        B[i] = T.if_then_else(i > 0, A[i - 1, 0], T.float32(0))\n",
     NULL},
    {"    for i in range(4):\n        B[i] = T.Select(i > 0, A[i - 1, 0], T.float32(0))\n", NULL},
    {"    for i in range(4):\n        B[P[i] + 100] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n        B[P[i + 1]] = T.float32(0)\n",
     "load from 'P' outside of the buffer: index 0 reaches 4"},
    {"    for i in range(8):\n        B[i // 2] = T.float32(0)\n", NULL},
    {"    for i in range(8):\n        B[i % 4] = T.float32(0)\n", NULL},
};

RLX_TEST(accesses, accesses_that_provably_leave_their_buffer_are_refused)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options = {0};
        char text[2048];
        snprintf(text, sizeof text, HEAD "%s", accesses[i].body);
        rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
        cr_assert(module != NULL, "row %zu: %s", i, rlxc_render_diagnostics(ctx));
        bool passes = rlxc_pass_check_accesses(ctx, module, &options);
        const char *said = rlxc_render_diagnostics(ctx);
        if (accesses[i].says == NULL)
            cr_expect(passes, "row %zu: %s", i, said);
        else
            cr_expect(!passes && strstr(said, accesses[i].says), "row %zu: %s", i, said);
        rlxc_context_destroy(ctx);
    }
}
