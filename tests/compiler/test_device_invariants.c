/* Each invariant of devices is checked: a module in which all of them hold, and for each the change
 * of one variable's device that breaks it; and passes that make such a change are refused. */
#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "compiler/target/target.h"
#include "tests/support/rlx_test.h"

#define D "R.Tensor((4,), \"float32\", \"opencl:0\")"
#define H "R.Tensor((4,), \"float32\", \"llvm:0\")"
#define KERNEL(name, target)                                                              \
    "    @T.prim_func(private=True)\n"                                                    \
    "    def " name "(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n" \
    "        T.func_attr({" target "})\n"                                                 \
    "        for i in range(4):\n"                                                        \
    "            with T.block(\"b\"):\n"                                                  \
    "                v = T.axis.spatial(4, i)\n"                                          \
    "                B[v] = A[v]\n"

static const char text[] =
    "from tvm.script import ir as I, relax as R, tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"opencl\", 0), "
    "I.vdevice(\"opencl\", 0, \"global.texture\")]})\n"
    /* */
    KERNEL("copy", "") KERNEL("there", "\"target\": T.target(\"opencl\")")
    /* */
    "    @T.prim_func(private=True)\n"
    "    def textured(A: T.Buffer((4,), \"float32\", scope=\"global.texture\"), "
    "B: T.Buffer((4,), \"float32\")):\n"
    "        B[0] = A[0]\n"
    "    @R.function\n"
    "    def sampled(tex: R.Tensor((4,), \"float32\", \"opencl:1\")):\n"
    "        return R.call_tir(Module.textured, (tex,), out_sinfo=" D ")\n"
    "    @R.function(private=True)\n"
    "    def callee(a: " D ") -> " D ":\n"
    "        b: " D " = a\n"
    "        return b\n"
    "    @R.function(pure=False)\n"
    "    def explicit(p: " D "):\n"
    "        Module.there(p, p)\n"
    "        return p\n"
    "    @R.function\n"
    "    def main(x: " D ", h: " H ", c: R.Tensor((), \"bool\", \"llvm:0\"), o: R.Object):\n"
    "        y = R.exp(x)\n"
    "        named = y\n"
    "        pair = (y, h)\n"
    "        field = pair[0]\n"
    "        cast = R.match_cast(y, " D ")\n"
    "        if c:\n"
    "            chosen = R.add(y, y)\n"
    "        else:\n"
    "            chosen = y\n"
    "        called = Module.callee(y)\n"
    "        kernel = R.call_tir(Module.copy, (y,), out_sinfo=" D ")\n"
    "        back = R.to_vdevice(y, \"llvm:0\")\n"
    "        flat = R.reshape(y, (2, 2))\n"
    "        held = (h, o)\n"
    "        return (named, field, cast, chosen, called, back, flat, held)\n";

static const struct {
    const char *var, *device, *says; /* NULL: nothing */
} rows[] = {
    {"x", "opencl:0", NULL},
    {"x", NULL, "a tensor of 'x' is on device '', which is not there"},
    {"x", "opencl:7", "a tensor of 'x' is on device 'opencl:7', which is not there"},
    {"y", "llvm:0", "'exp' works on tensors on 'opencl:0' and 'llvm:0'"},
    {"named", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"pair", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"field", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"cast", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"c", "opencl:0", "a tensor on 'opencl:0' is a condition"},
    {"chosen", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"called", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"b", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"a", "llvm:0", "a value on 'llvm:0' becomes one on 'opencl:0' without a copy"},
    {"kernel", "llvm:0", "'copy' works on tensors on 'opencl:0' and 'llvm:0'"},
    {"kernel", "opencl:1", NULL}, /* a PrimFunc chooses the memory of its device */
    {"tex", "opencl:0",
     "'textured' needs 'A' in memory 'global.texture', but gets a tensor on 'opencl:0'"},
    {"back", "opencl:0", "a copy to 'llvm:0' is on 'opencl:0'"},
    {"flat", "llvm:0", "a value on 'opencl:0' becomes one on 'llvm:0' without a copy"},
    {"p", "llvm:0", "'there' is a kernel of a device, and its tensors on 'llvm:0'"},
};

/* The variable |name| of a function of |module|. */
static rlxc_rvar *find(const rlxc_body *body, const char *name)
{
    rlxc_rvar *found = NULL;
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n && !found; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            if (strcmp(b->var->name, name) == 0)
                found = b->var;
            else if (b->form == RLXC_FORM_IF)
                found = find(b->then, name);
        }
    return found;
}

static rlxc_rvar *find_in(const rlxc_module *module, const char *name)
{
    rlxc_rvar *found = NULL;
    for (uint32_t i = 0; i < module->globals.count && !found; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        for (uint32_t k = 0; f && k < f->n_params && !found; k++)
            found = strcmp(f->params[k]->name, name) == 0 ? f->params[k] : NULL;
        if (f && !found)
            found = find(&f->body, name);
    }
    return found;
}

RLX_TEST(device_invariants, each_violation_is_found)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const rlxc_options options = {.target = rlxc_target_plain()};
        rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
        cr_assert(module && rlxc_pass_infer(ctx, module, &options), "%s",
                  rlxc_render_diagnostics(ctx));
        rlxc_rvar *var = find_in(module, rows[i].var);
        cr_assert(var, "%s", rows[i].var);
        module->is_placed = true;
        var->sinfo = rlxc_sinfo_on(ctx, var->sinfo, rows[i].device, false);
        const bool good = rlxc_well_formed(ctx, module, "test", false);
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect_eq(good, rows[i].says == NULL, "%s: %s", rows[i].var, said);
        cr_expect(!rows[i].says || strstr(said, rows[i].says), "%s: %s", rows[i].var, said);
        rlxc_context_destroy(ctx);
    }
}

/* Puts the last result of |user| elsewhere. */
static bool move_value(void *user, rlxc_context *ctx, rlxc_module *module)
{
    rlxc_rvar *var = find_in(module, user);
    if (var)
        var->sinfo = rlxc_sinfo_on(ctx, var->sinfo, "llvm:0", false);
    return var != NULL;
}

RLX_TEST(device_invariants, a_pass_that_moves_a_value_is_refused)
{
    static const char *const anchors[] = {"plan_devices", "canonicalize", "fold_constant", "cse",
                                          "dce"};
    for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        char name[] = "chosen";
        const rlxc_extra_pass mover = {.name = "mover",
                                       .doc = "moves a value",
                                       .anchor = anchors[i],
                                       .after = true,
                                       .run = move_value,
                                       .user = name};
        const rlxc_options options = {.target = rlxc_target_plain(),
                                      .opt_level = 2,
                                      .check = true,
                                      .extra = &mover,
                                      .n_extra = 1};
        rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
        cr_assert(module, "%s", rlxc_render_diagnostics(ctx));
        cr_expect(!rlxc_run_passes(ctx, module, &options, NULL));
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect(strstr(said, "becomes one on 'llvm:0' without a copy"), "%s: %s", anchors[i],
                  said);
        rlxc_context_destroy(ctx);
    }
}
