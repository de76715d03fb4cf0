/* Random programs, planned and with kills inserted, run in a VM that poisons dead memory: every
 * result must equal the reference, in all branches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/random_program.h"
#include "tests/support/rlx_test.h"

static rlx_executable *compile(rlx_test *t, const char *text, int opt_level)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    rlxc_module *module = NULL;
    if (rlxc_options_init(ctx, &options, NULL, NULL, opt_level))
        module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    rlx_executable *exe = bound_load(t, ctx, module, &options, NULL, text);
    rlxc_context_destroy(ctx);
    return exe;
}

static bool is_expected(const rlx_tensor *out, const random_program *p, int64_t n, int k)
{
    const float *data = rlx_tensor_data(out);
    if (rlx_tensor_numel(out) != n)
        return false;
    for (int64_t i = 0; i < n; i++) { /* x[i] = i and y[i] = i: see run */
        double want = (p->result.ax[k] + p->result.ay[k] * 1.0) * (double)i;
        if (fabs(data[i] - want) > 1e-6 * fabs(want))
            return false;
    }
    return true;
}

static void run(rlx_test *t, rlx_executable *exe, const random_program *p, const char *text)
{
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (int k = 0; k < 8; k++) {
        int64_t n = k < 4 ? 5 : k < 6 ? 0 : 1000;
        rlx_tensor *condition = NULL;
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_B8, 0, NULL, &condition, &t->error));
        *(uint8_t *)rlx_tensor_mutable_data(condition) = (uint8_t)(k % 2 == 0);
        rlx_value args[3] = {rlx_test_iota(t, 1, &n), rlx_test_iota(t, 1, &n),
                             rlx_of_tensor(condition)};
        rlx_value out = rlx_none();
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 3, &out, &t->error));
        cr_expect(out.kind == RLX_KIND_TENSOR && is_expected(out.as.tensor, p, n, k % 2),
                  "n = %d, c = %d\n%s", (int)n, k % 2 == 0, text);
        rlx_value_release(out);
        for (int i = 0; i < 3; i++)
            rlx_value_release(args[i]);
    }
    rlx_vm_destroy(vm);
}

RLX_TEST(memory_run, random_programs_mean_the_same_on_poisoned_memory)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        random_program *p = rlxc_alloc(ctx, sizeof *p);
        p->text.ctx = ctx;
        rlxc_text_puts(&p->text, random_program_header);
        random_program_make(p, seed, 8 + seed * 3 % 25);
        rlx_executable *exe = compile(t, p->text.data, seed % 2 ? 0 : 2);
        if (exe)
            run(t, exe, p, p->text.data);
        rlx_executable_release(exe);
        rlxc_context_destroy(ctx);
    }
}

/* A copied tuple shares its items: they must survive tensors allocated later. */
RLX_TEST(memory_run, the_copy_of_a_tuple_keeps_its_items)
{
#define ADD(v, a, b) \
    "        " v " = R.call_tir(cls.add, (" a ", " b "), out_sinfo=" VECTOR_TYPE ")\n"
    static const char body[] =
        ADD("a", "x",
            "y") "        t = (a, a)\n"
                 "        k = R.call_packed(\"rlx.copy\", t, sinfo_args=R.Tuple(" VECTOR_TYPE
                 ", " VECTOR_TYPE "))\n" ADD("b", "y", "y") ADD(
                     "d", "b", "y") "        v = k[0]\n" ADD("e", "d", "v") "        return e\n";
    static const random_program meaning = {.result = {.ax = {5, 5}}};
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const char *text = rlxc_internf(ctx, "%s%s", random_program_header, body);
    for (int level = 0; level <= 3; level += 3) {
        rlx_executable *exe = compile(t, text, level);
        if (exe)
            run(t, exe, &meaning, text);
        rlx_executable_release(exe);
    }
    rlxc_context_destroy(ctx);
#undef ADD
}

/* Computes x + k ones in k steps. A step's arguments must outlive the previous step's memory, both
 * for a tail call in the same frame and for a call in its own frame. */
static const char turns[] =
    "from tvm.script import ir as I\nfrom tvm.script import tir as T\n"
    "from tvm.script import relax as R\n"
    "@I.ir_module\nclass Module:\n"
    "    @R.function\n"
    "    def tail(x: R.Tensor((\"n\",), dtype=\"float32\"), k: R.Tensor((), dtype=\"int64\"))"
    " -> R.Tensor((\"n\",), dtype=\"float32\"):\n"
    "        n = T.int64()\n        cls = Module\n"
    "        go = R.greater(k, R.const(0, \"int64\"))\n"
    "        if go:\n"
    "            a = R.multiply(x, R.const(2.0, \"float32\"))\n"
    "            s = R.sum(a, axis=[0], keepdims=True)\n"
    "            z = R.subtract(s, s)\n"
    "            b = R.add(R.subtract(a, x), z)\n"
    "            y = R.add(b, R.const(1.0, \"float32\"))\n"
    "            l = R.subtract(k, R.const(1, \"int64\"))\n"
    "            r = cls.tail(y, l)\n"
    "        else:\n"
    "            r = x\n"
    "        return r\n"
    "    @R.function\n"
    "    def deep(x: R.Tensor((\"n\",), dtype=\"float32\"), k: R.Tensor((), dtype=\"int64\"))"
    " -> R.Tensor((\"n\",), dtype=\"float32\"):\n"
    "        n = T.int64()\n        cls = Module\n"
    "        go = R.greater(k, R.const(0, \"int64\"))\n"
    "        if go:\n"
    "            s = R.sum(x, axis=[0], keepdims=True)\n"
    "            l = R.subtract(k, R.const(1, \"int64\"))\n"
    "            r0 = cls.deep(R.add(x, R.subtract(s, s)), l)\n"
    "            r = R.add(r0, R.const(1.0, \"float32\"))\n"
    "        else:\n"
    "            r = R.add(x, R.const(0.0, \"float32\"))\n"
    "        return r\n";

static void check_turns(rlx_test *t, rlx_vm *vm, const char *function, int64_t n, int64_t k)
{
    rlx_tensor *count = NULL;
    rlx_value out = rlx_none();
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I64, 0, NULL, &count, &t->error));
    *(int64_t *)rlx_tensor_mutable_data(count) = k;
    rlx_value args[2] = {rlx_test_iota(t, 1, &n), rlx_of_tensor(count)};
    RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(function), args, 2, &out, &t->error));
    const float *data = rlx_tensor_data(out.as.tensor);
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(data[i], (float)(i + k), "%s: n = %lld, k = %lld, element %lld is %g",
                     function, (long long)n, (long long)k, (long long)i, (double)data[i]);
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

RLX_TEST(memory_run, arguments_outlive_the_turn_that_made_them)
{
    for (int level = 0; level <= 3; level += 3) {
        rlx_executable *exe = compile(t, turns, level);
        rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
        rlx_vm *vm = NULL;
        if (!exe)
            continue;
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        for (int64_t n = 0; n < 40; n += 13) {
            check_turns(t, vm, "tail", n, 0);
            check_turns(t, vm, "tail", n, 1);
            check_turns(t, vm, "tail", n, 300);
            check_turns(t, vm, "deep", n, 50);
        }
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
}

/* The whole pipeline except native code, with the n-th and all later allocations failing. */
RLX_TEST(memory_run, passes_survive_running_out_of_memory)
{
    rlxc_context *source = rlxc_context_create(NULL);
    random_program *p = rlxc_alloc(source, sizeof *p);
    p->text.ctx = source;
    rlxc_text_puts(&p->text, random_program_header);
    random_program_make(p, 5, 120);
    bool done = false;
    for (size_t n = 1; n < 2000 && !done; n++) {
        rlxc_options options;
        rlx_exec_builder *builder = NULL;
        t->calls = 0;
        t->fail_at = n;
        t->fail_after = true;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        bool ready = rlx_exec_builder_create(&t->allocator, &builder, &t->error) == RLX_OK && ctx &&
                     rlxc_options_init(ctx, &options, NULL, NULL, (int)(n % 2) * 2);
        rlxc_module *module =
            ready ? rlxc_read_module(ctx, "test.py", p->text.data, p->text.length) : NULL;
        bool emitted = module && rlxc_lower_module(ctx, module, &options, NULL) &&
                       rlxc_emit_bytecode(ctx, module, &options, builder);
        cr_expect(!emitted || !rlxc_failed(ctx));
        done = emitted && t->calls < n;
        rlx_exec_builder_destroy(builder);
        if (ctx)
            rlxc_context_destroy(ctx);
    }
    t->fail_at = 0;
    t->fail_after = false;
    cr_expect(done);
    rlxc_context_destroy(source);
}
