/* One model with a matmul, fusion, a branch, a closure, tuples and data-dependent sizes is
 * compiled, loaded and called with the n-th allocation failing, and with all allocations from the
 * n-th on failing, for each n until none fails. Each failure is RLX_E_NOMEM or a diagnostic that
 * says so; nothing leaks, and the VM that ran out of memory answers its next call correctly. */
#include "compiler/driver/compile.h"
#include "compiler/target/target.h"
#include "tests/support/rlx_test.h"

#include <string.h>

static const char model[] =
    "from tvm.script import ir as I, relax as R\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function(private=True)\n"
    "    def pair(a: R.Object, b: R.Object) -> R.Object:\n"
    "        p = (a, b)\n"
    "        return p\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 4), \"float32\"), w: R.Tensor((4, 4), \"float32\"), flag: "
    "R.Tensor((), \"bool\"), k: R.Tensor((\"m\",), \"int64\")):\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            a = R.matmul(x, w)\n"
    "            b = R.nn.relu(a)\n"
    "            c = R.add(b, x)\n"
    "            s = R.nn.softmax(c)\n"
    "            R.output(s)\n"
    "        if flag:\n"
    "            t = R.exp(s)\n"
    "            r = t\n"
    "        else:\n"
    "            u = R.matmul(s, w)\n"
    "            r = u\n"
    "        f = R.make_closure(cls.pair, (r,))\n"
    "        p = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Object,))\n"
    "        q = R.unique(k, sorted=True)\n"
    "        v = (r, p, (q, s))\n"
    "        return v\n";

/* Compiles to bytes; NULL if an allocation failed, and |*out_excused| tells whether the failure was
 * reported. */
static void *compile(rlx_test *t, int opt_level, size_t *out_size, bool *out_excused)
{
    void *data = NULL;
    rlx_error err = {0};
    rlxc_options options;
    rlx_exec_builder *builder = NULL;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    *out_excused = true;
    if (!ctx)
        return NULL;
    if (rlx_exec_builder_create(&t->allocator, &builder, &err) == RLX_OK) {
        if (rlxc_options_init(ctx, &options, NULL, NULL, opt_level) &&
            rlxc_compile_text(ctx, "m.py", model, strlen(model), &options, builder)) {
            rlx_status status = rlx_exec_builder_finish(builder, &data, out_size, &err);
            *out_excused = status == RLX_OK || status == RLX_E_NOMEM;
        } else if (!rlxc_out_of_memory(ctx)) {
            const char *said = rlxc_render_diagnostics(ctx);
            *out_excused = said && strstr(said, "memory");
        }
        rlx_exec_builder_destroy(builder);
    } else {
        *out_excused = err.code == RLX_E_NOMEM;
    }
    rlxc_context_destroy(ctx);
    return data;
}

RLX_TEST(out_of_memory, compiling)
{
    for (int after = 0; after < 2; after++) {
        bool done = false;
        t->fail_after = after;
        for (size_t n = 1; !done; n++) {
            size_t size = 0, live = t->live_blocks;
            bool excused;
            cr_assert_lt(n, 4000, "the compilation never succeeds");
            t->calls = 0;
            t->fail_at = n;
            void *data = compile(t, 1, &size, &excused);
            done = t->calls < n;
            cr_expect(excused, "allocation %zu: the failure is not said", n);
            cr_expect(data || !done, "allocation %zu", n);
            cr_expect(!data || done, "allocation %zu failed unnoticed", n);
            rlx_free(&t->allocator, data, size, 64);
            cr_assert_eq(t->live_blocks, live, "allocation %zu: a leak", n);
        }
    }
    t->fail_at = 0;
}

/* --- load and call --------------------------------------------------------------------------- */

enum { N = 3, ARGS = 4 };

static void make_args(rlx_test *t, rlx_value *args)
{
    static const int64_t keys[] = {5, 3, 5, 3, 9};
    rlx_tensor *flag, *k;
    args[0] = rlx_test_iota(t, 2, (int64_t[]){N, 4});
    args[1] = rlx_test_iota(t, 2, (int64_t[]){4, 4});
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_B8, 0, NULL, &flag, &t->error));
    memset(rlx_tensor_mutable_data(flag), 1, 1);
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I64, 1, (int64_t[]){5}, &k, &t->error));
    memcpy(rlx_tensor_mutable_data(k), keys, sizeof keys);
    args[2] = rlx_of_tensor(flag);
    args[3] = rlx_of_tensor(k);
}

/* Checks the result (r, (r, x), (unique, s)): r is exp(s), the unique keys are 3, 5, 9. */
static bool right(rlx_value v)
{
    rlx_tuple *all = v.kind == RLX_KIND_TUPLE ? v.as.tuple : NULL;
    if (!all || rlx_tuple_count(all) != 3)
        return false;
    rlx_value last = rlx_tuple_get(all, 2), r = rlx_tuple_get(all, 0);
    if (last.kind != RLX_KIND_TUPLE || r.kind != RLX_KIND_TENSOR)
        return false;
    rlx_value keys = rlx_tuple_get(last.as.tuple, 0);
    if (keys.kind != RLX_KIND_TENSOR || rlx_tensor_numel(keys.as.tensor) != 3)
        return false;
    const int64_t *key = rlx_tensor_data(keys.as.tensor);
    const float *x = rlx_tensor_data(r.as.tensor);
    double sum = 0;
    for (int i = 0; i < N * 4; i++)
        sum += (double)x[i];
    /* each row of s is 0, 0, 0, 1 */
    return key[0] == 3 && key[1] == 5 && key[2] == 9 && sum > 17.15 && sum < 17.16;
}

static rlx_status call(rlx_vm *vm, const rlx_value *args, rlx_error *err)
{
    rlx_value out;
    RLX_TRY(rlx_vm_invoke(vm, RLX_STR("main"), args, ARGS, &out, err));
    bool good = right(out);
    rlx_value_release(out);
    return good ? RLX_OK : rlx_fail(err, RLX_E_INTERNAL, "a wrong result");
}

RLX_TEST(out_of_memory, loading_and_calling)
{
    size_t size;
    bool excused;
    void *data = compile(t, 1, &size, &excused);
    cr_assert(data);
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_value args[ARGS];
    make_args(t, args);
    for (int after = 0; after < 2; after++) {
        bool done = false;
        t->fail_after = after;
        for (size_t n = 1; !done; n++) {
            rlx_executable *exe = NULL;
            rlx_vm *vm = NULL;
            size_t live = t->live_blocks;
            t->error = (rlx_error){0};
            t->calls = 0;
            t->fail_at = n;
            rlx_status status = rlx_executable_load_memory(data, size, &load, &exe, &t->error);
            if (status == RLX_OK)
                status = rlx_vm_create(exe, &options, &vm, &t->error);
            if (status == RLX_OK)
                status = call(vm, args, &t->error);
            done = t->calls < n;
            cr_assert(status == (done ? RLX_OK : RLX_E_NOMEM) || (status == RLX_OK && !after),
                      "allocation %zu: %s: %s", n, rlx_status_name(status), t->error.message);
            t->fail_at = 0;
            if (vm)
                for (int again = 0; again < 2; again++)
                    RLX_OKAY(call(vm, args, &t->error));
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
            cr_assert_eq(t->live_blocks, live, "allocation %zu: a leak", n);
        }
    }
    for (int i = 0; i < ARGS; i++)
        rlx_value_release(args[i]);
    rlx_free(&t->allocator, data, size, 64);
}
