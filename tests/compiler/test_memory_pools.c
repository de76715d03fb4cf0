/* Memory pools (docs/memory.md): the placement of tensors, the results, and the errors for what
 * does not fit. */
#include <string.h>

#include "compiler/codegen/pool_fit.h"
#include "compiler/driver/compile.h"
#include "rlx/device.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

#define HEADER                                               \
    "from tvm.script import ir as I, relax as R, tir as T\n" \
    "@I.ir_module\n"                                         \
    "class Module:\n"
#define T64 "R.Tensor((64, 64), \"float32\")"
#define CHAIN                       \
    "        a = R.nn.softmax(x)\n" \
    "        b = R.matmul(a, x)\n"  \
    "        c = R.nn.softmax(b)\n" \
    "        d = R.add(a, c)\n"     \
    "        e = R.nn.softmax(d)\n"

static const char plain[] =
    HEADER "    @R.function\n    def main(x: " T64 "):\n" CHAIN "        return R.matmul(e, b)\n";
static const char stated[] =
    HEADER "    I.module_attrs({\"rlx.pools\": [\"name=sram,size=32K\", \"name=dram\"]})\n"
           "    @R.function\n    def main(x: " T64 "):\n" CHAIN "        return R.matmul(e, b)\n";
static const char calls[] = HEADER "    @R.function(private=True)\n    def inner(x: " T64
                                   ") -> " T64 ":\n" CHAIN "        return R.matmul(e, b)\n"
                                   "    @R.function\n    def main(x: " T64 "):\n"
                                   "        p = R.nn.softmax(x)\n"
                                   "        q = Module.inner(p)\n"
                                   "        return R.matmul(p, q)\n";
static const char calls_back[] =
    HEADER "    @R.function(private=True)\n    def inner(x: " T64 ") -> " T64 ":\n" CHAIN
           "        return R.matmul(e, b)\n"
           "    @R.function(pure=False)\n    def main(x: " T64 "):\n"
           "        p = R.nn.softmax(x)\n"
           "        q = R.call_packed(\"test.apply\", Module.inner, x, sinfo_args=[" T64 "])\n"
           "        return R.matmul(p, q)\n";
static const char calls_values[] =
    HEADER "    @R.function(private=True)\n    def inner(x: " T64 ") -> " T64 ":\n" CHAIN
           "        return R.matmul(e, b)\n"
           "    @R.function(private=True)\n    def other(x: " T64 ") -> " T64 ":\n"
           "        return R.nn.softmax(x)\n"
           "    @R.function(pure=False)\n    def main(x: " T64 ", k: R.Tensor((), \"bool\")):\n"
           "        p = R.nn.softmax(x)\n"
           "        if k:\n            f = Module.inner\n"
           "        else:\n            f = Module.other\n"
           "        q = R.invoke_closure(f, (x,), sinfo_args=[" T64 "])\n"
           "        return R.matmul(p, q)\n";
static const char recursive[] =
    HEADER "    @R.function\n    def main(x: " T64 ", k: R.Tensor((), \"bool\")) -> " T64
           ":\n" CHAIN "        if k:\n"
           "            r = Module.main(e, k)\n"
           "            s = R.add(r, b)\n"
           "        else:\n"
           "            s = R.add(e, b)\n"
           "        return s\n";
static const char loop[] = HEADER "    @R.function(private=True)\n"
                                  "    def turn(x: " T64 ", i: R.Tensor((), \"int64\")) -> " T64
                                  ":\n" CHAIN "        k = R.less(i, R.const(2, \"int64\"))\n"
                                  "        if k:\n"
                                  "            j = R.add(i, R.const(1, \"int64\"))\n"
                                  "            s = Module.turn(e, j)\n"
                                  "        else:\n"
                                  "            s = R.add(e, b)\n"
                                  "        return s\n"
                                  "    @R.function\n"
                                  "    def main(x: " T64 "):\n"
                                  "        return Module.turn(x, R.const(0, \"int64\"))\n";
static const char symbolic[] =
    HEADER "    @R.function\n    def main(x: R.Tensor((\"n\", \"n\"), \"float32\")):\n" CHAIN
           "        return R.matmul(e, b)\n";

static const char pinned[] =
    HEADER "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\", 0, \"global\"), "
           "I.vdevice(\"llvm\", 0, \"global.sram\")]})\n"
           "    @R.function\n    def main(x: " T64 "):\n"
           "        s = R.to_vdevice(R.nn.softmax(x), \"llvm:1\")\n"
           "        a = R.matmul(s, s)\n"
           "        b = R.nn.softmax(a)\n"
           "        return R.matmul(R.to_vdevice(b, \"llvm:0\"), x)\n";

/* Three constants of 256 bytes that kernels read, one of them twice; a fourth is the result, too.
 */
#define EIGHT(a) #a ".5, 2, 3, 4, 5, 6, 7, " #a ", "
#define CONST64(a)                                                             \
    "R.const([" EIGHT(a) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(a) EIGHT(5) EIGHT(6) \
        EIGHT(7) "], \"float32\")"
static const char constants[] =
    HEADER "    @R.function\n    def main(x: " T64 "):\n"
           "        a = R.nn.softmax(R.add(x, " CONST64(
               1) "))\n"
                  "        b = R.nn.softmax(R.multiply(a, " CONST64(
                      2) "))\n"
                         "        c = R.nn.softmax(R.subtract(b, " CONST64(
                             3) "))\n"
                                "        return R.add(c, " CONST64(1) ")\n";
static const char pinned_constant[] =
    HEADER "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\", 0, \"global\"), "
           "I.vdevice(\"llvm\", 0, \"global.sram\")]})\n"
           "    @R.function\n    def main(x: " T64 "):\n"
           "        s = R.to_vdevice(" CONST64(
               1) ", \"llvm:1\")\n"
                  "        a = R.nn.softmax(R.add(R.to_vdevice(x, \"llvm:1\"), s))\n"
                  "        return R.add(R.to_vdevice(a, \"llvm:0\"), " CONST64(2) ")\n";

typedef struct pool_list {
    const char *texts[4];
} pool_list;

static rlx_executable *compile(rlx_test *t, const char *text, const pool_list *pools,
                               const char *error)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    options.check = true;
    for (uint32_t i = 0; pools && i < 4 && pools->texts[i]; i++)
        options.pools[options.n_pools++] = pools->texts[i];
    rlxc_module *module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    const bool fine = module && rlxc_compile_module(ctx, module, &options, NULL, builder);
    const char *said = rlxc_render_diagnostics(ctx);
    cr_assert(fine == !error && (fine || strstr(said, error)), "expected %s: %s",
              error ? error : "none", said);
    if (fine)
        RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
    if (fine)
        RLX_OKAY(rlx_executable_verify_plans(exe, &t->error));
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return exe;
}

/* The result of main; |sram|: bytes of memory of scope "global.sram" that the host gives, of which
 * |*out_used| is the most that was in use. */
static rlx_value run(rlx_test *t, rlx_executable *exe, size_t sram, uint64_t *out_used)
{
    const int64_t dims[2] = {64, 64};
    const rlx_cpu_device row = {
        .size = sizeof row, .id = 3, .bytes = sram ? sram : 1, .scope = "global.sram"};
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vm = NULL;
    rlx_device *d = NULL;
    rlx_device_stats stats = {0};
    rlx_value x = rlx_test_iota(t, 2, dims), out = rlx_none();
    float *data = rlx_tensor_mutable_data(x.as.tensor);
    for (int64_t i = 0; i < 64 * 64; i++)
        data[i] = (float)(i % 7) / 8;
    RLX_OKAY(rlx_registry_create(&t->allocator, &options.registry, &t->error));
    if (sram) {
        RLX_OKAY(rlx_registry_add_cpu(options.registry, &row, &t->error));
        RLX_OKAY(rlx_device_open(options.registry, "cpu", 3, &d, &t->error));
    }
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (int i = 0; i < 3; i++) {
        rlx_value_release(out);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    }
    if (d)
        rlx_device_get_stats(d, &stats);
    *out_used = stats.peak_bytes;
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_device_release(d);
    rlx_registry_release(options.registry);
    return out;
}

static bool are_same(rlx_value a, rlx_value b)
{
    return rlx_tensor_nbytes(a.as.tensor) == rlx_tensor_nbytes(b.as.tensor) &&
           memcmp(rlx_tensor_data(a.as.tensor), rlx_tensor_data(b.as.tensor),
                  rlx_tensor_nbytes(a.as.tensor)) == 0;
}

RLX_TEST(memory_pools, hold_what_fits_and_keep_the_results)
{
    static const struct {
        const char *text;
        pool_list pools;
        size_t sram; /* that the host has; the pool's size */
    } cases[] = {{plain, {{"name=sram,size=16K", "name=dram"}}, 16 << 10},
                 {plain, {{"name=sram,size=32K", "name=dram"}}, 32 << 10},
                 {plain, {{"name=sram,size=64K"}}, 64 << 10},
                 {plain, {{"name=sram,size=16K", "name=dram"}}, 0},
                 {plain, {{"name=dram,scope=global"}}, 0},
                 {plain, {{"name=dram,scope=global,size=1M"}}, 0},
                 {pinned, {{"name=dram", "name=sram,size=32K"}}, 48 << 10},
                 {stated, {{NULL}}, 32 << 10},
                 {stated, {{"name=sram,size=64K"}}, 64 << 10},
                 {symbolic, {{"name=sram,size=64K", "name=dram"}}, 0},
                 {constants, {{"name=sram,size=768,kind=constants"}}, 768},
                 {constants, {{"name=sram,size=512,kind=constants", "name=b,kind=constants"}}, 512},
                 {constants, {{"name=b,size=300,kind=constants", "name=sram,kind=constants"}}, 512},
                 {constants, {{"name=sram,size=768,kind=constants", "name=dram"}}, 768},
                 {constants,
                  {{"name=ws,size=32K,scope=global.sram", "name=sram,kind=constants"}},
                  (32 << 10) + 768},
                 {constants, {{"name=a,size=1K,scope=global,kind=constants"}}, 0},
                 {constants, {{"name=a,size=1K,kind=constants"}}, 0},
                 {pinned_constant,
                  {{"name=rom,kind=constants", "name=sram,size=256,kind=constants"}},
                  64 << 10},
                 {calls, {{"name=sram,size=64K", "name=dram"}}, 64 << 10},
                 {calls, {{"name=sram,size=32K", "name=dram"}}, 32 << 10},
                 {loop, {{"name=sram,size=64K", "name=dram"}}, 64 << 10}};
    const char *known = NULL;
    rlx_value want = rlx_none();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t used;
        if (known != cases[i].text) {
            rlx_executable *without =
                compile(t, cases[i].text == stated ? plain : cases[i].text, NULL, NULL);
            rlx_value_release(want);
            want = run(t, without, strstr(cases[i].text, "vdevice") ? 64 << 10 : 0, &used);
            known = cases[i].text;
            rlx_executable_release(without);
        }
        rlx_executable *exe = compile(t, cases[i].text, &cases[i].pools, NULL);
        rlx_value got = run(t, exe, cases[i].sram, &used);
        cr_expect(are_same(want, got), "case %zu", i);
        cr_expect(cases[i].sram == 0 || (used > 0 && used <= cases[i].sram),
                  "case %zu: %llu bytes are used", i, (unsigned long long)used);
        rlx_value_release(got);
        rlx_executable_release(exe);
    }
    rlx_value_release(want);
}

/* --- constants that no kernel reads ----------------------------------------------------------- */

static rlx_status same(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)cc;
    (void)err;
    (void)n;
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

/* How many instructions load a tensor that lies in the file. */
static uint32_t count_loads(const rlx_executable *exe)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < rlx_executable_function_count(exe); f++) {
        rlx_instruction in;
        for (uint32_t pc = 0; rlx_function_instruction(exe, f, pc, &in); pc += in.n_words) {
            const rlx_kind kind =
                in.op == RLX_OP_LOAD_CONST
                    ? (rlx_kind)rlx_executable_constant(exe, in.operands[1].value).kind
                    : RLX_KIND_NONE;
            n += kind == RLX_KIND_TENSOR || kind == RLX_KIND_TUPLE;
        }
    }
    return n;
}

static float number_at(rlx_value tuple, uint32_t item)
{
    return ((const float *)rlx_tensor_data(rlx_tuple_get(tuple.as.tuple, item).as.tensor))[0];
}

/* Two VMs share the copies: there is memory for one. The results outlive the VMs, and with them the
 * memory that the host gave. */
RLX_TEST(memory_pools, hold_constants_that_no_kernel_reads)
{
#define T2 "R.Tensor((2,), \"float32\")"
    static const char text[] =
        HEADER "    @R.function(private=True)\n    def first(a: " T2 ", b: " T2 ") -> " T2 ":\n"
               "        return a\n"
               "    @R.function(private=True)\n    def second(a: " T2 ", b: " T2 ") -> " T2 ":\n"
               "        return b\n"
               "    @R.function(pure=False)\n    def main(k: R.Tensor((), \"bool\")):\n"
               "        p = R.call_packed(\"test.same\", R.const([1, 0], \"float32\"),"
               " sinfo_args=[" T2 "])\n"
               "        if k:\n            f = Module.first\n"
               "        else:\n            f = Module.second\n"
               "        if k:\n            c = R.const([2, 0], \"float32\")\n"
               "        else:\n            c = R.const([3, 0], \"float32\")\n"
               "        q = R.invoke_closure(f, (R.const([4, 0], \"float32\"),"
               " R.const([5, 0], \"float32\")), sinfo_args=[" T2 "])\n"
               "        t = R.call_packed(\"test.same\", (R.const([6, 0], \"float32\"), p),"
               " sinfo_args=[R.Tuple(" T2 ", " T2 ")])\n"
               "        return (p, c, q, t[0], R.const([7, 0], \"float32\"))\n";
    static const pool_list pools = {{"name=sram,size=896,kind=constants"}};
    static const pool_list small = {{"name=sram,size=895,kind=constants"}};
    static const float want[5] = {1, 2, 4, 6, 7};
    const rlx_cpu_device row = {.size = sizeof row, .id = 3, .bytes = 896, .scope = "global.sram"};
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vms[2] = {NULL};
    rlx_value out[2] = {rlx_none(), rlx_none()}, k = rlx_none();
    compile(t, text, &small, "memory pool 'sram' has 895 bytes, the constants for it need 896");
    rlx_executable *exe = compile(t, text, &pools, NULL);
    cr_expect_eq(count_loads(exe), 0);
    RLX_OKAY(rlx_registry_create(&t->allocator, &options.registry, &t->error));
    RLX_OKAY(rlx_registry_add_cpu(options.registry, &row, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_B8, 0, NULL, &k.as.tensor, &t->error));
    k.kind = RLX_KIND_TENSOR;
    *(uint8_t *)rlx_tensor_mutable_data(k.as.tensor) = 1;
    for (int i = 0; i < 2; i++) {
        RLX_OKAY(rlx_vm_create(exe, &options, &vms[i], &t->error));
        RLX_OKAY(rlx_vm_register(vms[i], RLX_STR("test.same"), same, NULL, NULL, &t->error));
        RLX_OKAY(rlx_vm_invoke(vms[i], RLX_STR("main"), &k, 1, &out[i], &t->error));
    }
    rlx_vm_destroy(vms[0]);
    rlx_value_release(out[0]);
    RLX_OKAY(rlx_vm_invoke(vms[1], RLX_STR("main"), &k, 1, &out[0], &t->error));
    rlx_vm_destroy(vms[1]);
    rlx_registry_release(options.registry);
    rlx_executable_release(exe);
    for (uint32_t i = 0; i < 10; i++)
        cr_expect_eq(number_at(out[i / 5], i % 5), want[i % 5], "result %u is %g", i,
                     (double)number_at(out[i / 5], i % 5));
    rlx_value_release(k);
    rlx_value_release(out[0]);
    rlx_value_release(out[1]);
#undef T2
}

/* Whether the first argument may be written to, and the second. */
static rlx_status which_are_writable(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                     rlx_value *out, rlx_error *err)
{
    (void)cc;
    (void)err;
    float *result = n == 3 ? rlx_tensor_mutable_data(args[2].as.tensor) : NULL;
    if (result)
        for (uint32_t i = 0; i < 2; i++)
            result[i] = rlx_tensor_mutable_data(args[i].as.tensor) != NULL;
    *out = rlx_none();
    return result ? RLX_OK : RLX_E_INVALID_ARG;
}

/* A packed function that a kernel calls must not write to a copy, which other VMs read. */
RLX_TEST(memory_pools, copies_of_constants_are_read_only)
{
    static const char text[] =
        HEADER "    @T.prim_func\n"
               "    def k(C: T.Buffer((2,), \"float32\"), X: T.Buffer((2,), \"float32\"), "
               "Y: T.Buffer((2,), \"float32\")):\n"
               "        T.evaluate(T.call_packed(\"test.writable\", C, X, Y))\n"
               "    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n"
               "        a = R.add(x, x)\n"
               "        return R.call_tir(Module.k, (R.const([1, 0], \"float32\"), a), "
               "out_sinfo=R.Tensor((2,), \"float32\"))\n";
    static const pool_list pools = {{"name=sram,size=4K,kind=constants"}};
    const rlx_cpu_device row = {.size = sizeof row, .id = 3, .bytes = 4096, .scope = "global.sram"};
    const int64_t dims[] = {2};
    rlx_vm_options options = {.allocator = &t->allocator};
    rlx_vm *vm = NULL;
    rlx_value x = {.kind = RLX_KIND_TENSOR}, out = rlx_none();
    rlx_executable *exe = compile(t, text, &pools, NULL);
    cr_expect_eq(count_loads(exe), 0);
    RLX_OKAY(rlx_registry_create(&t->allocator, &options.registry, &t->error));
    RLX_OKAY(rlx_registry_add_cpu(options.registry, &row, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, dims, &x.as.tensor, &t->error));
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(
        rlx_vm_register(vm, RLX_STR("test.writable"), which_are_writable, NULL, NULL, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    const float *writable = rlx_tensor_data(out.as.tensor);
    cr_expect_eq(writable[0], 0, "the constant may be written to");
    cr_expect_eq(writable[1], 1, "the sum may not be written to");
    rlx_value_release(out);
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_registry_release(options.registry);
    rlx_executable_release(exe);
}

RLX_TEST(memory_pools, say_what_does_not_fit)
{
    static const struct {
        const char *text;
        pool_list pools;
        const char *error;
    } cases[] = {
        {plain,
         {{"name=sram,size=40000"}},
         "memory pool 'sram' has 40000 bytes, 'main' needs 49152; at its peak, here, 49152 are in "
         "use at once"},
        {plain, {{"name=sram,size=40000"}}, "in use there: 'a', R.Tensor((64, 64)"},
        {plain,
         {{"name=sram,size=16K", "name=more,size=16K"}},
         "memory pool 'more' has 16384 bytes, 'main' needs 32768"},
        {calls,
         {{"name=sram,size=48K"}},
         "'main' needs 16384, and the functions that it calls need 49152"},
        {calls_back,
         {{"name=sram,size=48K"}},
         "'main' needs 16384, and the functions that it calls need 49152"},
        {calls_values,
         {{"name=sram,size=48K"}},
         "'main' needs 16384, and the functions that it calls need 49152"},
        {recursive,
         {{"name=sram,size=1M"}},
         "memory pool 'sram' has a size limit, but 'main', which needs"},
        {pinned,
         {{"name=dram", "name=sram,size=16K"}},
         "memory pool 'sram' has 16384 bytes, 'main' needs 32768"},
        {constants,
         {{"name=flash,size=767,kind=constants"}},
         "memory pool 'flash' has 767 bytes, the constants for it need 768"},
        {constants,
         {{"name=flash,size=767,kind=constants"}},
         "one of the largest: R.Tensor((64,), dtype=\"float32\"), 256 bytes"},
        {constants,
         {{"name=a,size=300,kind=constants", "name=flash,size=300,kind=constants"}},
         "memory pool 'flash' has 300 bytes, the constants for it need 512"},
        {pinned_constant,
         {{"name=rom,kind=constants", "name=sram,size=255,kind=constants"}},
         "memory pool 'sram' has 255 bytes, the constants for it need 256"},
        {constants,
         {{"name=a,kind=constants", "name=b,scope=global.a,kind=constants"}},
         "have the same scope 'global.a'"},
        {symbolic, {{"name=sram,size=1M"}}, "its size depends on n, which has no upper bound"},
        {plain,
         {{"name=sram,size=1M", "name=b,scope=global.sram"}},
         "have the same scope 'global.sram'"},
        {plain, {{"size=1M"}}, "it has no name"},
        {plain, {{"name=a,size=0"}}, "a number of bytes from 1 to 2^46"},
        {plain, {{"name=a,size=18446744073709551617"}}, "a number of bytes from 1 to 2^46"},
        {plain, {{"name=a,size=99999G"}}, "a number of bytes from 1 to 2^46"},
        {plain, {{"name=a,align=128"}}, "a power of two up to 64"},
        {plain, {{"name=a,align=3"}}, "a power of two up to 64"},
        {plain, {{"name=a,targets=gpu"}}, "targets are cpu, opencl and cuda"},
        {plain, {{"name=a,targets="}}, "targets are cpu, opencl and cuda"},
        {plain, {{"name=a,kind=x"}}, "the kind of a pool is workspace or constants"},
        {plain, {{"name=a,name=b"}}, "a key is given twice"},
        {plain, {{"name=a,"}}, "expected name=NAME"},
        {plain, {{""}}, "expected name=NAME"},
        {plain, {{"name=a b"}}, "a name has 1 to 63"},
        {plain, {{"name=7"}}, "and does not begin with a digit"},
        {HEADER "    I.module_attrs({\"rlx.pools\": 3})\n    @R.function\n    def main(x: " T64
                "):\n        return x\n",
         {{NULL}},
         "rlx.pools: expected a list of texts"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compile(t, cases[i].text, &cases[i].pools, cases[i].error);
}

/* Random intervals: what is chosen passes the check, and the check refuses it with one change. */
RLX_TEST(memory_pools, choices_pass_the_check)
{
    enum { N = 40, TURNS = 60 };
    static const uint8_t all[] = {0, 1, 2}, last[] = {1, 2};
    uint64_t seed = 1;
    uint32_t refused = 0, fitted = 0;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_layout_options options;
    cr_assert(rlxc_layout_parse(ctx, "hill_climb,steps=20000", &options));
    for (int turn = 0; turn < TURNS; turn++) {
        rlxc_pool_buffer b[N];
        const uint64_t room[3] = {512, 768 + 64 * (uint64_t)(turn % 8),
                                  turn % 2 ? UINT64_MAX : 1024};
        rlxc_pool_misfit misfit = {0};
        uint32_t wrong;
        for (int i = 0; i < N; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const uint32_t first = (uint32_t)(seed >> 33) % 60, length = (uint32_t)(seed >> 45) % 9;
            const bool any = (seed >> 60) % 2;
            b[i] = (rlxc_pool_buffer){.first = first,
                                      .last = first + length + 1,
                                      .bytes = 64 * ((seed >> 50) % 9),
                                      .pools = any ? all : last,
                                      .n_pools = any ? 3 : 2};
        }
        if (!rlxc_fit_pools(ctx, b, N, room, &options, &misfit)) {
            refused++;
            cr_expect(misfit.peak > room[misfit.pool] && misfit.alive <= misfit.peak);
            continue;
        }
        fitted++;
        cr_expect(rlxc_check_pools(b, N, room, 3, &wrong), "turn %d: buffer %u", turn, wrong);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < i; k++) {
                const rlxc_pool_buffer kept = b[i];
                if (b[k].bytes == 0 || kept.bytes == 0 || room[b[k].pool] == UINT64_MAX ||
                    kept.last <= b[k].first || b[k].last <= kept.first)
                    continue;
                b[i].pool = b[k].pool;
                b[i].offset = b[k].offset;
                cr_expect_not(rlxc_check_pools(b, N, room, 3, &wrong), "turn %d", turn);
                b[i] = kept;
            }
    }
    cr_expect(fitted > 5 && refused > 5, "%u fit, %u do not", fitted, refused);
    rlxc_context_destroy(ctx);
}

static uint64_t outside(const rlxc_pool_buffer *b, int n)
{
    uint64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += b[i].pool != 0 ? b[i].bytes : 0;
    return bytes;
}

/* Random intervals, a small pool and an open one: climbing leaves no more outside the small one
 * than the greedy orders, less in many cases, and the same each time. */
RLX_TEST(memory_pools, climbing_puts_more_into_the_preferred_pool)
{
    enum { N = 24, TURNS = 20 };
    static const uint8_t both[] = {0, 1};
    static const uint64_t room[2] = {1536, UINT64_MAX};
    static const char *const layouts[] = {"greedy_by_size", "hill_climb,steps=300000",
                                          "hill_climb,steps=300000"};
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    uint64_t seed = 7;
    int better = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        rlxc_pool_buffer b[3][N];
        for (int i = 0; i < N; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const uint32_t first = (uint32_t)(seed >> 33) % 30;
            b[0][i] = (rlxc_pool_buffer){.first = first,
                                         .last = first + 1 + (uint32_t)(seed >> 45) % 9,
                                         .bytes = 64 * (1 + (seed >> 50) % 9),
                                         .pools = both,
                                         .n_pools = 2};
        }
        memcpy(b[1], b[0], sizeof b[0]);
        memcpy(b[2], b[0], sizeof b[0]);
        for (int k = 0; k < 3; k++) {
            rlxc_layout_options options;
            rlxc_pool_misfit misfit;
            uint32_t wrong;
            cr_assert(rlxc_layout_parse(ctx, layouts[k], &options));
            cr_assert(rlxc_fit_pools(ctx, b[k], N, room, &options, &misfit));
            cr_expect(rlxc_check_pools(b[k], N, room, 2, &wrong));
        }
        cr_expect(outside(b[1], N) <= outside(b[0], N), "turn %d", turn);
        cr_expect(memcmp(b[1], b[2], sizeof b[1]) == 0, "turn %d", turn);
        better += outside(b[1], N) < outside(b[0], N);
    }
    cr_expect(better >= TURNS / 2, "%d of %d are better", better, TURNS);
    rlxc_context_destroy(ctx);
}
