/* Values, constants included, end up on the device that their type states: as results, in tuples,
 * from branches, through calls and closures. The device is a second CPU device, so nothing but the
 * memory differs. */
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "rlx/device.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

#define D "R.Tensor((2,), \"float32\", \"llvm:1\")"
#define C "R.const([3.0, 4.0], \"float32\")"

static const char text[] =
    "from tvm.script import ir as I, relax as R, tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"llvm\", 1)]})\n"
    "    @R.function(private=True)\n"
    "    def same(a: " D ") -> " D ":\n"
    "        return a\n"
    "    @R.function(private=True)\n"
    "    def again(a: " D ", n: R.Prim(value=\"n\")) -> " D ":\n"
    "        n = T.int64()\n"
    "        c: R.Prim(\"bool\") = R.prim_value(n > 0)\n"
    "        if c:\n"
    "            r = Module.again(" C ", R.prim_value(n - 1))\n"
    "        else:\n"
    "            r = a\n"
    "        return r\n"
    "    @R.function\n"
    "    def result(x: " D ", c: R.Tensor((), \"bool\")) -> " D ":\n"
    "        return " C "\n"
    "    @R.function\n"
    "    def tuple(x: " D ", c: R.Tensor((), \"bool\")) -> R.Tuple(" D ", R.Tuple(" D ", " D ")):\n"
    "        t: R.Tuple(" D ", R.Tuple(" D ", " D ")) = (x, (" C ", x))\n"
    "        return t\n"
    "    @R.function\n"
    "    def branch(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        if c:\n"
    "            r: " D " = " C "\n"
    "        else:\n"
    "            r = x\n"
    "        return r\n"
    "    @R.function\n"
    "    def branches(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        if c:\n"
    "            r: R.Tuple(" D ", " D ") = (" C ", x)\n"
    "        else:\n"
    "            r = (x, " C ")\n"
    "        return r\n"
    "    @R.function\n"
    "    def named(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        a: " D " = " C "\n"
    "        b = a\n"
    "        return (a, b)\n"
    "    @R.function\n"
    "    def cast(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        n = T.int64()\n"
    "        a = R.match_cast(" C ", R.Tensor((n,), \"float32\", \"llvm:1\"))\n"
    "        return a\n"
    "    @R.function\n"
    "    def shape(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        a: R.Tensor((1, 2), \"float32\", \"llvm:1\") = R.reshape(" C ", (1, 2))\n"
    "        return a\n"
    "    @R.function\n"
    "    def copy(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        return (R.to_vdevice(" C ", \"llvm:1\"), R.hint_on_device(" C ", \"llvm:1\"))\n"
    "    @R.function\n"
    "    def call(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        return (Module.same(" C "), Module.again(x, R.prim_value(3)))\n"
    "    @R.function\n"
    "    def closure(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        @R.function\n"
    "        def inner(a: " D ", b: " D ") -> R.Tuple(" D ", " D ", " D "):\n"
    "            return (a, b, x)\n"
    "        f = inner\n"
    "        return f(" C ", x)\n"
    "    @R.function(private=True)\n"
    "    def captures(h: R.Tensor((), \"bool\", \"llvm:0\"), a: " D ") -> " D ":\n"
    "        return a\n"
    "    @R.function\n"
    "    def captured(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        f = R.make_closure(Module.captures, (" C ",))\n"
    "        g = R.make_closure(Module.captures, (x,))\n"
    "        a = R.invoke_pure_closure(f, (c,), sinfo_args=R.Object)\n"
    "        b = R.invoke_pure_closure(g, (c,), sinfo_args=R.Object)\n"
    "        t: R.Tuple(" D ", " D ") = (R.match_cast(a, " D "), R.match_cast(b, " D "))\n"
    "        return t\n"
    "    @R.function(private=True)\n"
    "    def swaps(a: " D ", b: R.Tensor((2,), \"float32\", \"llvm:0\")) -> R.Tuple(" D ", " D
    "):\n"
    "        return (R.to_vdevice(b, \"llvm:1\"), a)\n"
    "    @R.function\n"
    "    def unknown(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        f = R.make_closure(Module.swaps, ())\n"
    "        a = R.invoke_pure_closure(f, (x, " C "), sinfo_args=R.Object)\n"
    "        b = R.invoke_pure_closure(f, (" C
    ", x), sinfo_args=R.Tuple(R.Tensor((2,), \"float32\"), R.Tensor((2,), \"float32\")))\n"
    "        m: R.Tuple(" D ", " D ") = R.match_cast(a, R.Tuple(" D ", " D "))\n"
    "        b0 = b[0]\n"
    "        return (m, R.to_vdevice(b0, \"llvm:1\"))\n"
    "    @R.function(private=True)\n"
    "    def made_later(x: " D "):\n"
    "        return (x, x)\n"
    "    @R.function\n"
    "    def boxed(x: " D ", c: R.Tensor((), \"bool\")):\n"
    "        b: R.Object = x\n"
    "        return (R.match_cast(b, " D "), Module.made_later(x))\n";

static rlx_executable *compile(rlx_test *t, int level)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, level));
    options.check = true;
    rlxc_module *module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    cr_assert(module && rlxc_compile_module(ctx, module, &options, NULL, builder), "%s",
              rlxc_render_diagnostics(ctx));
    RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return exe;
}

static void expect_on(rlx_value v, const rlx_device *d, const char *function)
{
    if (v.kind == RLX_KIND_TENSOR)
        cr_expect_eq(rlx_tensor_device(v.as.tensor), d, "a result of %s is elsewhere", function);
    else
        cr_assert_eq(v.kind, RLX_KIND_TUPLE);
    for (uint32_t i = 0; v.kind == RLX_KIND_TUPLE && i < rlx_tuple_count(v.as.tuple); i++)
        expect_on(rlx_tuple_get(v.as.tuple, i), d, function);
}

RLX_TEST(device_values, are_where_their_types_say)
{
    static const char *const functions[] = {"result",   "tuple", "branch", "branches", "named",
                                            "cast",     "shape", "copy",   "call",     "closure",
                                            "captured", "boxed", "unknown"};
    const rlx_cpu_device arena = {.size = sizeof arena, .id = 1, .bytes = 1 << 16};
    for (int level = 0; level <= 2; level += 2) {
        rlx_executable *exe = compile(t, level);
        rlx_vm_options options = {.allocator = &t->allocator};
        rlx_vm *vm = NULL;
        rlx_device *d = NULL;
        RLX_OKAY(rlx_registry_create(&t->allocator, &options.registry, &t->error));
        RLX_OKAY(rlx_registry_add_cpu(options.registry, &arena, &t->error));
        RLX_OKAY(rlx_device_open(options.registry, "cpu", 1, &d, &t->error));
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        for (size_t i = 0; i < 2 * (sizeof functions / sizeof *functions); i++) {
            const char *function = functions[i / 2];
            const int64_t n = 2;
            rlx_tensor *x, *c;
            rlx_value out = rlx_none();
            RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, &n, &x, &t->error));
            RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_B8, 0, NULL, &c, &t->error));
            *(uint8_t *)rlx_tensor_mutable_data(c) = i % 2;
            const rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(c)};
            RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(function), args, 2, &out, &t->error));
            expect_on(out, d, function);
            rlx_value_release(out);
            rlx_value_release(args[0]);
            rlx_value_release(args[1]);
        }
        rlx_vm_destroy(vm);
        rlx_device_release(d);
        rlx_registry_release(options.registry);
        rlx_executable_release(exe);
    }
}
