/* Modules that ask for unavailable devices, memory kinds or code generators. Each is an error at
 * its line; if two source locations matter, both are shown. */
#include "tests/support/rlx_test.h"

#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "compiler/target/target.h"

/* Line 4 holds the device table, line 6 the function. */
#define HEAD                                                                                 \
    "from tvm.script import ir as I, relax as R, tir as T\n"                                 \
    "@I.ir_module\n"                                                                         \
    "class Module:\n"                                                                        \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"cuda\", 0), " \
    "I.vdevice(\"llvm\", 1, \"arena\"), I.vdevice({\"kind\": \"opencl\"}), "                 \
    "I.vdevice(\"llvm -mcpu=znver4\"), I.vdevice(\"vulkan\")]})\n"                           \
    "    @R.function(pure=False)\n"
/* The scope of f's buffer, on line 6, names the memory of a device of |kind|. */
#define TEXTURE(kind)                                                                       \
    "from tvm.script import ir as I, relax as R, tir as T\n"                                \
    "@I.ir_module\n"                                                                        \
    "class Module:\n"                                                                       \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"" kind "\", 0, \"texture\")]})\n" \
    "    @T.prim_func\n"                                                                    \
    "    def f(A: T.Buffer((2,), \"float32\", scope=\"texture\"), B: T.Buffer((2,), "       \
    "\"float32\")): "                                                                       \
    "B[0] = A[0]\n"                                                                         \
    "    @R.function(pure=False)\n" PLAIN
#define PLAIN "    def main(x: R.Tensor((2,), \"float32\")):\n"

static const struct {
    const char *text;
    const char *says[4]; /* in this order */
} rows[] = {
    {HEAD PLAIN "        return R.to_vdevice(x, \"vulkan:0\")\n",
     {"m.py:7:16: error: rlx has no code generator for device 'vulkan:0'",
      "note: 'vulkan:0' is declared here"}},
    {HEAD PLAIN "        y = R.to_vdevice(x, dst_vdevice=\"vdevice:5\")\n        return y\n",
     {"m.py:7:13: error: rlx has no code generator for device 'vulkan:0'",
      "m.py:4:", "note: 'vulkan:0'"}},
    {HEAD PLAIN "        return R.to_vdevice(x, \"rocm:3\")\n",
     {"m.py:7:32: error: there is no virtual device 'rocm:3' in the module", "m.py:4:40: note:"}},
    {HEAD PLAIN "        return R.to_vdevice(x, \"llvm:3\")\n", {"no virtual device 'llvm:3'"}},
    {HEAD PLAIN "        return R.to_vdevice(x, \"llvm:\")\n", {"no virtual device 'llvm:'"}},
    {HEAD PLAIN "        return R.to_vdevice(x, \"llvm:0:local\")\n",
     {"no virtual device 'llvm:0:local'"}},
    {HEAD PLAIN "        return R.to_vdevice(x, \"llvm::global\")\n",
     {"no virtual device 'llvm::global'"}},
    {HEAD PLAIN "        return R.to_vdevice(x, 0)\n",
     {"m.py:7:32: error: a virtual device is a string"}},
    {HEAD PLAIN "        return R.to_vdevice(x)\n", {"argument 'dst_vdevice' is missing"}},
    {"from tvm.script import relax as R\n@R.function\n"
     "def main(x: R.Tensor((2,), \"float32\", vdevice=\"llvm\")):\n    return x\n",
     {"m.py:3:47: error: there is no virtual device 'llvm': the module declares none"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"vulkan\")):\n        return x\n",
     {"m.py:6:14: error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD "    def main(t: R.Tuple(R.Tensor((2,)), R.Tensor((2,), vdevice=\"vulkan\"))):\n"
          "        return t\n",
     {"m.py:6:14: error: rlx has no code generator for device 'vulkan:0'"}},
    {HEAD PLAIN
     "        y = R.match_cast(x, R.Tensor((2,), \"float32\", \"vulkan\"))\n        return y\n",
     {"error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD PLAIN
     "        y = R.call_dps_packed(\"f\", (x,), R.Tensor((2,), \"float32\", \"vulkan\"))\n"
     "        return y\n",
     {"m.py:7:13: error: rlx has no code generator for device 'vulkan:0'"}},
    {HEAD
     "    def main(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\", \"vulkan\"):\n"
     "        return x\n",
     {"m.py:5:5: error: rlx has no code generator for device 'vulkan:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"llvm\"), y: R.Tensor((2,), \"float32\", "
          "\"llvm:2\")):\n        return R.add(x, y)\n",
     {"m.py:7:16: error: the operands of R.add are on different devices, 'llvm:0' and 'llvm:2'",
      "m.py:6:14: note: 'x' is on 'llvm:0'", "m.py:6:52: note: 'y' is on 'llvm:2'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"llvm\"), y: R.Tensor((2,), \"float32\", "
          "\"llvm:2\")):\n        z = R.exp(y)\n        return R.concat((R.exp(x), z))\n",
     {"m.py:8:16: error: the operands of R.concat are on different devices",
      "m.py:8:26: note:", "m.py:7:9: note: 'z' is on 'llvm:2'"}},
    {HEAD
     "    def main(t: R.Tuple(R.Tensor((2,), \"float32\", \"llvm\"), R.Tensor((2,), \"float32\", "
     "\"llvm:2\"))):\n        return R.add(t[0], t[1])\n",
     {"m.py:7:16: error: the operands of R.add are on different devices, 'llvm:0' and 'llvm:2'",
      "m.py:7:22: note:", "m.py:7:28: note:"}},
    {HEAD
     "    def main(x: R.Tensor((2,), \"float32\", \"cuda\")):\n        return Module.f(x)\n"
     "    @R.function\n    def f(a: R.Tensor((2,), \"float32\", \"llvm\")):\n        return a\n",
     {"m.py:7:16: error: argument 'a' of 'f': expected", "m.py:9:11: note: 'a' is on 'llvm:0'",
      "m.py:6:14: note: 'x' is on 'cuda:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"cuda\")):\n        @R.function\n"
          "        def f(a: R.Tensor((2,), \"float32\", \"llvm\")) -> R.Tensor((2,)):\n"
          "            return a\n        return f(x)\n",
     {"m.py:10:16: error: argument 1 of 'f': expected", "note: 'f' is on 'llvm:0'",
      "m.py:6:14: note: 'x' is on 'cuda:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"cuda\")):\n"
          "        y: R.Tensor((2,), \"float32\", \"llvm\") = R.exp(x)\n        return y\n",
     {"m.py:7:48: error: 'y' is annotated", "m.py:7:9: note: 'y' is on 'llvm:0'",
      "m.py:6:14: note: 'x' is on 'cuda:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"cuda\")) -> R.Tensor((2,), \"float32\", "
          "\"llvm\"):\n        return x\n",
     {"m.py:7:16: error: function 'main' is declared to return",
      "m.py:5:5: note: 'main' is on 'llvm:0'", "m.py:6:14: note: 'x' is on 'cuda:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"cuda\")):\n"
          "        y = R.match_cast(x, R.Tensor((2,), \"float32\", \"llvm\"))\n        return y\n",
     {"m.py:7:13: error: a value is needed on device 'cuda:0' and on 'llvm:0', and no copy can be",
      "m.py:6:14: note: it is on 'cuda:0'", "m.py:7:9: note: it is on 'llvm:0'"}},
    {HEAD "    def main(x: R.Tensor((2,), \"float32\", \"cuda\"), o: R.Object):\n"
          "        t = Module.main(x, o)\n        return (t, x)\n",
     {"m.py:7:13: error: a value is needed on device 'cuda:0' and on 'llvm:0'", "note:", "note:"}},
    {HEAD PLAIN "        return R.hint_on_device(x, R.device(7, 0))\n",
     {"m.py:7:16: error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD PLAIN "        return R.hint_on_device(x, R.device(\"rocm\", 1))\n",
     {"m.py:7:16: error: rlx has no code generator for device 'rocm:0'", "m.py:7:36: note:"}},
    {HEAD PLAIN "        return R.hint_on_device(x, R.device(77, 0))\n",
     {"m.py:7:45: error: unknown device type 77"}},
    {HEAD PLAIN "        return R.hint_on_device(x, R.device([], 0))\n",
     {"m.py:7:36: error: R.device takes a type and an index"}},
    {HEAD PLAIN "        return R.hint_on_device(x, \"vulkan\")\n",
     {"m.py:7:16: error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD PLAIN "        y = R.builtin.alloc_tensor(R.shape([2]), R.dtype(\"float32\"), "
                "R.prim_value(5), R.str(\"global\"))\n        return y\n",
     {"m.py:7:13: error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD PLAIN "        y = R.builtin.alloc_tensor(R.shape([2]), R.dtype(\"float32\"), "
                "R.prim_value(9), R.str(\"global\"))\n        return y\n",
     {"m.py:7:13: error: R.builtin.alloc_tensor: there is no device number 9"}},
    {HEAD PLAIN "        R.func_attr({\"n\": 1, \"Codegen\": \"dnnl\"})\n        return x\n",
     {"m.py:7:41: error: function 'main' is marked for code generator \"dnnl\""}},
    {HEAD PLAIN "        @R.function\n        def f(y: R.Tensor((2,), \"float32\")):\n"
                "            R.func_attr({\"Codegen\": \"tensorrt\"})\n            return y\n"
                "        return f(x)\n",
     {"m.py:9:37: error: function 'f' is marked for code generator \"tensorrt\""}},
    {HEAD PLAIN
     "        return x\n    @T.prim_func\n    def f(A: T.Buffer((2,), \"float32\")):\n"
     "        T.func_attr({\"target\": T.target({\"kind\": \"rocm\", \"host\": \"llvm\"})})\n"
     "        A[0] = T.float32(1)\n",
     {"m.py:8:5: error: function 'f' is for the unknown target 'rocm'"}},
    {TEXTURE("op)ncl") "        return R.call_tir(Module.f, (x,), R.Tensor((2,), \"float32\"))\n",
     {"m.py:9:16: error: rlx has no code generator for device 'op)ncl:0'", "m.py:4:"}},
    {TEXTURE("vulkan") "        y = Module.f(x, x)\n        return x\n",
     {"m.py:9:13: error: rlx has no code generator for device 'vulkan:0'", "m.py:4:"}},
    {HEAD PLAIN "        return x\n    @T.prim_func\n    def f(A: T.Buffer((2,), \"float32\")):\n"
                "        T.func_attr({\"target\": T.target(\"metal -device=m1\")})\n"
                "        A[0] = T.float32(1)\n",
     {"error: function 'f' is for the unknown target 'metal'"}},
};

static bool compile(rlxc_context *ctx, const char *text)
{
    const rlxc_options options = {.target = rlxc_target_plain()};
    rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
    return module != NULL && rlxc_pass_infer(ctx, module, &options) &&
           rlxc_pass_plan_devices(ctx, module, &options) &&
           rlxc_pass_run_codegen(ctx, module, &options);
}

RLX_TEST(devices, unavailable_devices_are_refused_at_their_line)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        cr_expect(!compile(ctx, rows[i].text), "row %zu compiled:\n%s", i, rows[i].text);
        const char *said = rlxc_render_diagnostics(ctx), *at = said;
        for (size_t k = 0; k < 4 && rows[i].says[k] != NULL && at != NULL; k++) {
            at = strstr(at, rows[i].says[k]);
            cr_expect(at != NULL, "row %zu: no \"%s\" in\n%s", i, rows[i].says[k], said);
        }
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(devices, a_device_is_reported_once)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const char *text = HEAD PLAIN "        y = R.to_vdevice(x, \"vulkan\")\n"
                                  "        z = R.exp(y)\n        return R.add(z, y)\n";
    cr_expect(!compile(ctx, text));
    cr_expect_eq(rlxc_error_count(ctx), 1, "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}
