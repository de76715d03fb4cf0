/* The scheduling rules one by one. All state between rules is in the printed module: parsing the
 * text printed after a rule and continuing from it gives the same loops. */
#include "tests/support/rlx_test.h"

#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"

static const char *const modules[] = {
    /* inlining, tiling with an epilogue, rows fused into one loop */
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 32), \"float32\"), w: R.Tensor((32, 24), \"float32\"), "
    "c: R.Tensor((24,), \"float32\")):\n"
    "        y = R.matmul(R.exp(x), w)\n"
    "        z = R.nn.relu(R.add(y, c))\n"
    "        s = R.nn.layer_norm(R.nn.softmax(z, axis=-1), c, c, axes=[-1])\n"
    "        return s\n",
    /* attention, with a mask inlined before it */
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(q: R.Tensor((1, \"n\", 2, 16), \"float32\"), k: R.Tensor((1, \"n\", 2, 16), "
    "\"float32\"), v: R.Tensor((1, \"n\", 2, 16), \"float32\")):\n"
    "        s = R.nn.attention(q, k, v, causal_mask=\"TopLeft\")\n"
    "        return s\n",
    /* minimal filtering with an epilogue; a strided convolution; pooling, transpositions */
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"b\", 16, 20, 20), \"float32\"), w: R.Tensor((16, 16, 3, 3), "
    "\"float32\")):\n"
    "        y = R.nn.relu(R.nn.conv2d(x, w, padding=[1, 1]))\n"
    "        z = R.nn.conv2d(y, w, strides=[2, 2])\n"
    "        return R.nn.max_pool2d(z, pool_size=[2, 2])\n",
    /* depthwise sliding windows with an epilogue */
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"b\", 9, \"w\", 32), \"float32\")):\n"
    "        return R.exp(R.nn.max_pool2d(x, pool_size=[3, 3], padding=[1, 1], "
    "layout=\"NHWC\"))\n",
    /* written as TIR: a chain of three stages, two without declared reads; a loop that is not a
     * stage */
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def f(a: T.Buffer((T.int64(8), T.int64(9)), \"float32\"), o: T.Buffer((T.int64(8),), "
    "\"float32\"), p: T.Buffer((T.int64(8),), \"float32\")):\n"
    "        b = T.alloc_buffer((T.int64(8), T.int64(9)))\n"
    "        for i, j in T.grid(T.int64(8), T.int64(9)):\n"
    "            with T.block(\"b\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                b[vi, vj] = T.exp(a[vi, vj])\n"
    "        for i, j in T.grid(T.int64(8), T.int64(9)):\n"
    "            with T.block(\"o\"):\n"
    "                vi, vj = T.axis.remap(\"SR\", [i, j])\n"
    "                with T.init():\n"
    "                    o[vi] = T.float32(0)\n"
    "                o[vi] = o[vi] + b[vi, vj] * b[vi, vj]\n"
    "        for i in range(T.int64(8)):\n"
    "            p[T.int64(7) - i] = o[i]\n",
};

typedef struct stop_after {
    const char *pass;
    bool reached;
} stop_after;

static bool after_pass(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    (void)module;
    (void)seconds;
    stop_after *s = user;
    s->reached = s->reached || strcmp(pass->name, s->pass) == 0;
    return !s->reached;
}

/* Lowers the module up to |pass|, with all checks in between. */
static rlxc_module *lowered(rlxc_context *ctx, const rlxc_options *options, const char *text,
                            const char *pass)
{
    stop_after stop = {pass, false};
    const rlxc_pass_hooks hooks = {&stop, after_pass};
    rlxc_module *module = rlxc_read_module(ctx, "m.py", text, strlen(text));
    if (module)
        (void)rlxc_lower_module(ctx, module, options, &hooks);
    cr_assert(stop.reached, "%s", rlxc_render_diagnostics(ctx));
    return module;
}

static bool is_rule(const rlxc_pass *pass)
{
    return strncmp(pass->name, "schedule", strlen("schedule")) == 0;
}

static void go_on_from(const char *text, const char *cpu, uint32_t at)
{
    uint32_t count;
    const rlxc_pass *passes = rlxc_passes(&count);
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, cpu, 3));
    options.check = true;
    const rlxc_module *expected = lowered(ctx, &options, text, "schedule");
    const char *printed = rlxc_print_module(ctx, lowered(ctx, &options, text, passes[at].name));
    rlxc_module *again = rlxc_parse_module(ctx, "printed.py", printed, strlen(printed));
    cr_assert(again, "%s", rlxc_render_diagnostics(ctx));
    for (uint32_t i = at + 1; i < count && is_rule(&passes[i]); i++)
        cr_assert(passes[i].run(ctx, again, &options));
    const char *why = "";
    cr_expect(rlxc_module_equal(ctx, expected, again, &why), "%s, from %s on: %s\n%s\n%s", cpu,
              passes[at].name, why, printed, rlxc_print_module(ctx, again));
    rlxc_context_destroy(ctx);
}

RLX_TEST(schedule, each_rule_leaves_all_that_the_next_ones_need)
{
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    uint32_t count;
    const rlxc_pass *passes = rlxc_passes(&count);
    for (size_t m = 0; m < sizeof modules / sizeof *modules; m++)
        for (uint32_t i = 0; i < count; i++)
            if (is_rule(&passes[i]))
                go_on_from(modules[m], cpus[m % 3], i);
}

/* A rule that does not apply returns the function unchanged, pointer for pointer. */
RLX_TEST(schedule, rules_that_take_nothing_change_nothing)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 3));
    rlxc_module *module = lowered(ctx, &options, modules[0], "schedule.inline");
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        const rlxc_stmt *before = f ? f->body : NULL;
        cr_assert(rlxc_pass_schedule_attention(ctx, module, &options));
        cr_assert(rlxc_pass_schedule_winograd(ctx, module, &options));
        cr_assert(rlxc_pass_schedule_quant(ctx, module, &options));
        cr_expect(!f || f->body == before);
    }
    rlxc_context_destroy(ctx);
}
