/* Bytecode emission, from text to VM results: symbols, shapes, branches, tuples, closures, calls,
 * run-time checks. These functions need no kernels; kernels are tested end to end. */
#include <stdio.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "rlx/asm.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

#define HEADER                            \
    "from tvm.script import ir as I\n"    \
    "from tvm.script import tir as T\n"   \
    "from tvm.script import relax as R\n" \
    "@I.ir_module\n"                      \
    "class Module:\n"
#define FUNCTION "    @R.function(pure=False)\n"

enum { MESSAGE = 2000 };

/* Compiles and loads the module; NULL on failure, with the reason in |message|. */
static rlx_executable *try_compile(rlx_test *t, const char *text, char message[MESSAGE])
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator};
    cr_assert_eq(rlx_exec_builder_create(&t->allocator, &builder, &err), RLX_OK);
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 0));
    options.check = true;
    message[0] = '\0';
    rlxc_module *module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    if (!module || !rlxc_compile_module(ctx, module, &options, NULL, builder))
        snprintf(message, MESSAGE, "%s", rlxc_render_diagnostics(ctx));
    else if (rlx_exec_builder_load(builder, &load, &exe, &err) != RLX_OK)
        snprintf(message, MESSAGE, "load: %s", err.message);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return exe;
}

static rlx_executable *compile(rlx_test *t, const char *text)
{
    char message[MESSAGE];
    rlx_executable *exe = try_compile(t, text, message);
    cr_expect(exe, "%s\n%s", message, text);
    return exe;
}

static void show(rlx_value v, char *out, size_t size)
{
    size_t at = strlen(out);
    switch ((rlx_kind)v.kind) {
    case RLX_KIND_INT:
        snprintf(out + at, size - at, "%lld", (long long)v.as.i);
        break;
    case RLX_KIND_FLOAT:
        snprintf(out + at, size - at, "%g", v.as.f);
        break;
    case RLX_KIND_BOOL:
        snprintf(out + at, size - at, "%s", v.as.i ? "true" : "false");
        break;
    case RLX_KIND_STRING:
        snprintf(out + at, size - at, "'%s'", rlx_string_get(v.as.string).data);
        break;
    case RLX_KIND_SHAPE:
        snprintf(out + at, size - at, "[");
        for (uint32_t i = 0; i < rlx_shape_ndim(v.as.shape); i++) {
            at = strlen(out);
            snprintf(out + at, size - at, "%s%lld", i ? "," : "",
                     (long long)rlx_shape_dims(v.as.shape)[i]);
        }
        at = strlen(out);
        snprintf(out + at, size - at, "]");
        break;
    case RLX_KIND_TUPLE:
        snprintf(out + at, size - at, "(");
        for (uint32_t i = 0; i < rlx_tuple_count(v.as.tuple); i++) {
            at = strlen(out);
            snprintf(out + at, size - at, "%s", i ? "," : "");
            show(rlx_tuple_get(v.as.tuple, i), out, size);
        }
        at = strlen(out);
        snprintf(out + at, size - at, ")");
        break;
    case RLX_KIND_NONE:
    case RLX_KIND_DTYPE:
    case RLX_KIND_TENSOR:
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        snprintf(out + at, size - at, "<%s>", rlx_kind_name((rlx_kind)v.kind));
        break;
    }
}

/* Calls main with a shape and prints the result, or the error. */
static void run(rlx_test *t, rlx_executable *exe, uint32_t n, const int64_t *dims, char *out,
                size_t size)
{
    rlx_vm_options options = {.allocator = &t->allocator};
    rlx_vm *vm = NULL;
    rlx_shape *shape = NULL;
    rlx_error err = {0};
    rlx_value result = rlx_none();
    out[0] = '\0';
    cr_assert_eq(rlx_vm_create(exe, &options, &vm, &err), RLX_OK);
    cr_assert_eq(rlx_shape_create(&t->allocator, n, dims, &shape, &err), RLX_OK);
    rlx_value arg = rlx_of_shape(shape);
    if (rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &err) == RLX_OK)
        show(result, out, size);
    else
        snprintf(out, size, "error: %s", err.message);
    rlx_value_release(result);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
}

#define NM                                                             \
    FUNCTION "    def main(s: R.Shape([\"n\", \"m\"])) -> R.Object:\n" \
             "        n = T.int64()\n        m = T.int64()\n        cls = Module\n"

#define BOUNDS                                                   \
    "        R.func_attr({\"tir_var_upper_bound\": {\"n\": 8}, " \
    "\"tir_var_lower_bound\": {\"m\": 2}})\n        return R.shape([n])\n"

RLX_TEST(emit, results_of_functions_without_kernels)
{
    static const struct {
        const char *text;
        int64_t n, m;
        const char *want; /* "error: ...": part of the message */
    } rows[] = {
        {HEADER NM "        return R.shape([n * m + 1, n // 2, n % m, m])\n", 7, 3, "[22,3,1,3]"},
        {HEADER NM "        return R.shape([T.min(n, m), T.max(n, m), 5])\n", 7, 3, "[3,7,5]"},
        {HEADER NM BOUNDS, 8, 2, "[8]"},
        {HEADER NM BOUNDS, 9, 2, "error: test.py:6:5: upper bound of symbol n: 9 <= 8"},
        {HEADER NM BOUNDS, 8, 1, "error: test.py:6:5: lower bound of symbol m: 2 <= 1"},
        {HEADER NM "        return (R.prim_value(n + m), R.str(\"a\"), R.prim_value(n < m), "
                   "R.prim_value(T.float32(0.5)))\n",
         7, 3, "(10,'a',false,0.5)"},
        {HEADER NM "        a = (s, (R.shape([n]), s))\n        b = a[1]\n        c = b[0]\n"
                   "        return (c, a)\n",
         2, 3, "([2],([2,3],([2],[2,3])))"},
        {HEADER NM "        if R.prim_value(n < m):\n            a = R.shape([n * 2])\n"
                   "            b = a\n        else:\n            b = R.shape([m * 3])\n"
                   "        return b\n",
         2, 3, "[4]"},
        {HEADER NM "        if R.prim_value(n < m):\n            a = R.shape([n * 2])\n"
                   "            b = a\n        else:\n            b = R.shape([m * 3])\n"
                   "        return b\n",
         5, 3, "[9]"},
        {HEADER NM "        if R.prim_value(n < m):\n"
                   "            if R.prim_value(n < 1):\n                a = R.shape([0, 0])\n"
                   "            else:\n                a = s\n            b = a\n"
                   "        else:\n            b = R.shape([m, n])\n        return (b, s)\n",
         2, 3, "([2,3],[2,3])"},
        {HEADER NM "        p = R.match_cast(s, R.Shape([\"k\", \"k\"]))\n        return p\n", 4, 4,
         "[4,4]"},
        {HEADER NM "        p = R.match_cast(s, R.Shape([\"k\", \"k\"]))\n        return p\n", 4, 5,
         "error: test.py:11:13: value 's', dimension 1: expected k = 4, got 5"},
        {HEADER FUNCTION "    def twice(s: R.Shape([\"k\"])) -> R.Object:\n        k = T.int64()\n"
                         "        return R.shape([k * 2])\n" NM
                         "        a = cls.twice(R.shape([n]))\n        b = "
                         "cls.twice(R.shape([m + 1]))\n        return (a, b)\n",
         4, 5, "([8],[12])"},
        {HEADER FUNCTION
         "    def pair(a: R.Object, b: R.Object) -> R.Object:\n        return (a, b)\n" NM
         "        f = R.make_closure(cls.pair, (s,))\n"
         "        a = R.invoke_closure(f, (R.shape([n]),), sinfo_args=(R.Object,))\n"
         "        return a\n",
         4, 5, "([4],[4,5])"},
        {HEADER FUNCTION "    def down(s: R.Shape([\"k\"])) -> R.Object:\n        k = T.int64()\n"
                         "        cls = Module\n        if R.prim_value(k == 0):\n"
                         "            r = R.prim_value(k)\n        else:\n"
                         "            t = cls.down(R.shape([k - 1]))\n            r = (t, s)\n"
                         "        return r\n" NM "        a = cls.down(R.shape([n]))\n"
                         "        return a\n",
         3, 0, "(((0,[1]),[2]),[3])"},
        {HEADER NM "        a = R.call_packed(\"no.such.function\", s, sinfo_args=R.Object)\n"
                   "        return a\n",
         3, 0, "no.such.function"},
        {HEADER NM "        return R.shape([n - m])\n", 3, 5, "[-2]"},
    };
    char got[600];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe = compile(t, rows[i].text);
        if (!exe)
            continue;
        int64_t dims[2] = {rows[i].n, rows[i].m};
        run(t, exe, 2, dims, got, sizeof got);
        bool is_error = strncmp(rows[i].want, "[", 1) != 0 && strncmp(rows[i].want, "(", 1) != 0;
        cr_expect(is_error ? strstr(got, rows[i].want) != NULL : strcmp(got, rows[i].want) == 0,
                  "row %zu: %s, expected %s", i, got, rows[i].want);
        rlx_executable_release(exe);
    }
}

RLX_TEST(emit, long_chains_need_few_registers)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, HEADER NM "        w0 = s\n");
    for (int i = 1; i <= 3000; i++)
        rlxc_text_printf(&text, "        v%d = (s, w%d)\n        w%d = v%d[1]\n", i, i - 1, i, i);
    rlxc_text_puts(&text, "        return w7\n");
    rlx_executable *exe = compile(t, text.data);
    rlx_function_info info;
    if (exe) {
        cr_expect(rlx_executable_function(exe, 0, &info));
        cr_expect_leq(info.n_registers, 8u);
    }
    rlx_executable_release(exe);
    rlxc_context_destroy(ctx);
}

/* --- limits of the file ------------------------------------------------------------------------
 */

static char *repeat(char *at, const char *text, uint32_t n)
{
    const size_t length = strlen(text);
    for (uint32_t i = 0; i < n; i++, at += length)
        memcpy(at, text, length + 1);
    return at;
}

/* A limit that the loader's verifier enforces is a compile error at its line: one beyond the limit
 * fails, the limit itself passes. */
RLX_TEST(emit, limits_of_the_file_are_errors_at_their_lines)
{
    static const struct {
        const char *before, *text, *middle,
            *after; /* |text| is repeated; |after| is repeated as often */
        uint32_t most;
        const char *message;
    } rows[] = {
        {FUNCTION "    def main(x: R.Tensor((4,), \"float32\")):\n        return (", "x, ", "x", "",
         32766, "test.py:6:5: error: a type of 65537 fields and dimensions, nested 1 deep, is too"},
        {FUNCTION "    def main(x: R.Tensor((), \"float32\")):\n        return ", "(x, ", "x", ")",
         31,
         "test.py:6:5: error: a type of 65 fields and dimensions, nested 32 deep, is too large"},
        {FUNCTION "    def main(x: R.Tensor((4,), \"float32\")):\n"
                  "        return R.call_packed(\"rlx.sort\", x, 0, 1",
         ", 1", ", sinfo_args=R.Object)", "", 0,
         "test.py:8:16: error: builtin 'rlx.sort' takes 3 arguments, got 4"},
        {FUNCTION "    def main(x: R.Tensor((4,), \"float32\")):\n"
                  "        return R.call_packed(\"rlx.unique\", x",
         ", 1", ", sinfo_args=R.Object)", "", UINT32_MAX, "error: builtin 'rlx.unique' takes "},
        {"    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\")]})\n" FUNCTION
         "    def main(x: R.Tensor((4,), \"float32\")):\n"
         "        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str(\"global.",
         "s", "\"), R.dtype(\"float32\"))\n        return s", "", 56,
         "test.py:9:13: error: memory scope 'global.ssss"},
    };
    static char text[1 << 17];
    char message[MESSAGE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t over = 0; over < 2; over++) {
            const uint32_t n = rows[i].most + over; /* may wrap to 0 */
            if (n == UINT32_MAX)
                continue;
            char *at = repeat(text, HEADER, 1);
            at = repeat(repeat(at, rows[i].before, 1), rows[i].text, n);
            at = repeat(repeat(at, rows[i].middle, 1), rows[i].after, n);
            if (rows[i].text[0] == 'x')
                at = repeat(at, ")", 1);
            (void)repeat(at, "\n", 1);
            rlx_executable *exe = try_compile(t, text, message);
            if (over == 0)
                cr_expect(exe, "row %zu: %s", i, message);
            else
                cr_expect(!exe && strstr(message, rows[i].message), "row %zu: %.300s", i, message);
            rlx_executable_release(exe);
        }
    }
}

RLX_TEST(emit, running_out_of_memory_is_an_error)
{
    static const char text[] = HEADER FUNCTION
        "    def pair(a: R.Object, b: R.Object) -> R.Object:\n        return (a, b)\n" NM
        "        f = R.make_closure(cls.pair, (s,))\n"
        "        if R.prim_value(n < m):\n"
        "            a = R.invoke_closure(f, (R.shape([n]),), sinfo_args=(R.Object,))\n"
        "            b = a\n        else:\n"
        "            b = R.match_cast(s, R.Shape([\"k\", \"l\"]))\n"
        "        return (b, R.shape([n * m + 1]), R.str(\"text\"))\n";
    rlxc_options options;
    bool done = false;
    for (size_t n = 1; n < 4000 && !done; n++) {
        t->calls = 0;
        t->fail_at = n;
        rlx_load_options load = {.allocator = &t->allocator};
        rlx_exec_builder *builder = NULL;
        rlx_executable *exe = NULL;
        rlx_error err = {0};
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *module = NULL;
        if (ctx && rlxc_options_init(ctx, &options, NULL, NULL, 0))
            module = rlxc_read_module(ctx, "test.py", text, strlen(text));
        if (rlx_exec_builder_create(&t->allocator, &builder, &err) != RLX_OK)
            builder = NULL;
        bool compiled =
            module && builder && rlxc_compile_module(ctx, module, &options, NULL, builder);
        if (compiled) {
            rlx_status status = rlx_exec_builder_load(builder, &load, &exe, &err);
            done = status == RLX_OK && t->calls < n;
            cr_expect(status == RLX_OK || status == RLX_E_NOMEM, "allocation %zu: %s", n,
                      err.message);
        } else if (ctx && !rlxc_out_of_memory(ctx) && builder) {
            const char *said = rlxc_render_diagnostics(ctx);
            cr_expect(strstr(said, "memory"), "allocation %zu: %s", n, said);
        }
        rlx_executable_release(exe);
        rlx_exec_builder_destroy(builder);
        if (ctx)
            rlxc_context_destroy(ctx);
    }
    t->fail_at = 0;
    cr_expect(done);
}

/* Planned memory needs no objects: a call allocates none for it. */
RLX_TEST(emit, planned_memory_makes_no_values)
{
    static const char text[] = HEADER FUNCTION
        "    def main(x: R.Tensor((\"n\", 4), \"float32\")):\n"
        "        with R.dataflow():\n            a = R.nn.softmax(x)\n            b = R.cumsum(a)\n"
        "            c = R.nn.softmax(R.reshape(b, (-1, 4)))\n            R.output(c)\n"
        "        return c\n";
    char *bytecode = NULL;
    size_t length = 0;
    rlx_executable *exe = compile(t, text);
    cr_assert(exe);
    RLX_OKAY(rlx_disassemble_function(&t->allocator, exe, 0, &bytecode, &length, &t->error));
    cr_expect(strstr(bytecode, "plan_tensor") && !strstr(bytecode, "make_tuple"), "%s", bytecode);
    rlx_free(&t->allocator, bytecode, length + 1, 1);
    rlx_executable_release(exe);
}

/* Scratch memory of a device's kernel is a buffer in the plan, on the device. */
RLX_TEST(emit, scratch_memory_of_devices_is_planned)
{
    static const char text[] =
        "from tvm.script import ir as I, relax as R, tir as T\n"
        "@I.ir_module\n"
        "class Module:\n"
        "    I.module_global_infos({\"vdevice\": [I.vdevice(\"opencl\")]})\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((\"n\", \"m\"), \"float32\", \"opencl\")):\n"
        "        return R.nn.softmax(x)\n";
    char *bytecode = NULL;
    size_t length = 0;
    rlx_executable *exe = compile(t, text);
    cr_assert(exe);
    RLX_OKAY(rlx_disassemble(&t->allocator, exe, 0, &bytecode, &length, &t->error));
    cr_expect(strstr(bytecode, ".region z0 v1") && strstr(bytecode, "call_kernel_in"), "%s",
              bytecode);
    rlx_free(&t->allocator, bytecode, length + 1, 1);
    rlx_executable_release(exe);
}
