/* Named CPUs: each name compiles with its CPU's features, records them in the file, and gives
 * correct sums where this machine can run it. */
#include <stdio.h>
#include <string.h>

#include "rlx/cpu.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

/* Each sum has four byte products, or two bfloat16 products. */
static const char kernel[] =
    "@T.prim_func\n"
    "def k(a: T.Buffer((16,), \"uint32\"), b: T.Buffer((16,), \"uint32\"), "
    "n: T.Buffer((16,), \"int32\"), f: T.Buffer((16,), \"float32\")):\n"
    "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "    for i, j in T.grid(2, 8):\n"
    "        n[i * 8 + j] = n[i * 8 + j] + 1\n"
    "    for i in T.vectorized(16):\n"
    "        n[i] = T.dot_u8s8(n[i], a[i], b[i])\n"
    "    for i in T.vectorized(8):\n"
    "        n[i] = T.dot_u8s8(n[i], a[i], b[i])\n"
    "    for i in T.vectorized(16):\n"
    "        f[i] = T.dot_bf16(f[i], a[i], b[i])\n";

/* The names listed when a name is unknown, except native. */
static uint32_t names(rlxc_context *ctx, char *text, size_t size, const char **out, uint32_t most)
{
    uint32_t n = 0;
    cr_assert(!rlxc_target_new(ctx, "x86_64-pc-linux-gnu", "i486"));
    const char *message = rlxc_render_diagnostics(ctx);
    const char *at = strstr(message, "unknown CPU \"i486\": native, ");
    cr_assert(at, "%s", message);
    snprintf(text, size, "%s", at + strlen("unknown CPU \"i486\": native, "));
    text[strcspn(text, "\n")] = '\0';
    for (char *name = strtok(text, ", "); name && n < most; name = strtok(NULL, ", "))
        out[n++] = name;
    return n;
}

static const char *assembly(rlx_test *t, const char *cpu, rlxc_native *out, kernel_fixture *f)
{
    cr_assert(kernel_fixture_parse(f, &t->allocator, 2, cpu, kernel));
    cr_assert(rlxc_schedule_module(f->ctx, f->module, &f->options) &&
                  rlxc_pass_lower_tir(f->ctx, f->module, &f->options) &&
                  rlxc_compile_native(f->ctx, f->module, &f->options, RLXC_NATIVE_ASM, out),
              "%s: %s", cpu, rlxc_render_diagnostics(f->ctx));
    return rlxc_intern(f->ctx, (const char *)out->data, out->size);
}

static void run(rlx_test *t, const char *cpu)
{
    uint32_t a[16], b[16];
    int32_t n[16] = {0};
    float x[16] = {0};
    kernel_fixture f;
    for (uint32_t i = 0; i < 16; i++) {
        a[i] = 0x3f803f00 + (i << 8); /* two numbers near 1 and 0.5, or four bytes */
        b[i] = 0x3f80ff40;
    }
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, cpu, kernel) && kernel_fixture_build(&f),
              "%s", cpu);
    cr_assert_eq(kernel_fixture_call(&f, "k", (void *[]){a, b, n, x}, NULL), 0);
    for (int i = 0; i < 16; i++) {
        int32_t sum = 0;
        for (int byte = 0; byte < 4; byte++)
            sum += (int32_t)(a[i] >> 8 * byte & 255) * (signed char)(b[i] >> 8 * byte);
        cr_expect_eq(n[i], 1 + sum * (i < 8 ? 2 : 1), "%s: sum %d is %d", cpu, i, n[i]);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(target, every_name_compiles_for_what_its_cpu_has)
{
    enum { MOST = 64 };
    static const struct {
        const char *cpu, *features; /* the last feature of a file's list, or all of them */
        bool bytes, pairs;          /* has dot-product instructions for them */
    } rows[] = {
        {"x86-64", "", false, false},
        {"x86-64-v4", "avx512f,avx512bw,avx512cd,avx512dq,avx512vl", false, false},
        {"haswell", "movbe,pclmul", false, false},
        {"alderlake", "gfni,vpclmulqdq,aes,pclmul,avxvnni", true, false},
        {"skylake-avx512", "avx512dq,avx512vl,aes,pclmul", false, false},
        {"cascadelake", "avx512vl,avx512vnni,aes,pclmul", true, false},
        {"cooperlake", "avx512vnni,avx512bf16,aes,pclmul", true, true},
        {"icelake-server",
         "avx512vl,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512ifma,gfni,vpclmulqdq,"
         "avx512vpopcntdq,aes,pclmul",
         true, false},
        {"znver3", "movbe,vpclmulqdq,aes,pclmul", false, false},
        {"znver4",
         "avx512vl,avx512vnni,avx512bf16,avx512vbmi,avx512vbmi2,avx512bitalg,avx512ifma,gfni,"
         "vpclmulqdq,avx512vpopcntdq,aes,pclmul",
         true, true},
        {"znver5", "avx512vpopcntdq,aes,pclmul,avxvnni", true, true},
        {"sapphirerapids", "avx512vpopcntdq,aes,pclmul,avxvnni", true, true},
        {"graniterapids", "avx512vpopcntdq,aes,pclmul,avxvnni", true, true},
    };
    char list[1024];
    const char *known[MOST];
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const uint32_t n = names(ctx, list, sizeof list, known, MOST);
    uint32_t checked = 0;
    for (uint32_t i = 0; i < n; i++) {
        kernel_fixture f;
        rlxc_native native;
        const char *text = assembly(t, known[i], &native, &f);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (strcmp(known[i], rows[k].cpu) != 0)
                continue;
            const size_t all = strlen(native.features), last = strlen(rows[k].features);
            cr_expect(last <= all && strcmp(native.features + all - last, rows[k].features) == 0,
                      "%s states %s", known[i], native.features);
            cr_expect_eq(strstr(text, "vpdpbusd") != NULL, rows[k].bytes, "%s", known[i]);
            cr_expect_eq(strstr(text, "vdpbf16ps") != NULL, rows[k].pairs, "%s", known[i]);
            checked++;
        }
        kernel_fixture_deinit(&f);
        if (cpu_runs(known[i]))
            run(t, known[i]);
    }
    cr_expect_geq(n, 20u);
    cr_expect_eq(checked, sizeof rows / sizeof *rows);
    rlxc_context_destroy(ctx);
}

RLX_TEST(target, a_cpu_of_another_machine_is_refused)
{
    static const struct {
        const char *target, *cpu;
    } rows[] = {{"aarch64-unknown-linux-gnu", "znver4"}, {"x86_64-pc-linux-gnu", "cortex-a76"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        cr_expect(!rlxc_target_new(ctx, rows[i].target, rows[i].cpu));
        cr_expect(strstr(rlxc_render_diagnostics(ctx), "does not belong to target"));
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(target, text_is_tvms_and_round_trips)
{
    static const struct {
        const char *text, *cpu, *triple;
        uint32_t vector_bytes, registers, dot; /* dot: products of uint8 and int8 per sum */
    } rows[] = {
        {"llvm -mcpu=x86-64-v3", "x86-64-v3", "x86_64-pc-linux-gnu", 32, 16, 0},
        {"llvm -keys=cpu -mcpu=znver4 -num-cores=8", "znver4", "x86_64-pc-linux-gnu", 64, 32, 4},
        {"{\"kind\": \"llvm\", \"mcpu\": \"x86-64-v3\", \"keys\": [\"cpu\"], \"mattr\": "
         "[\"+avxvnni\", \"-f16c\"]}",
         "x86-64-v3", "x86_64-pc-linux-gnu", 32, 16, 4},
        {"llvm -mtriple=x86_64-linux-gnu", "x86-64", "x86_64-linux-gnu", 16, 16, 0},
        {"llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma", "x86-64", "x86_64-linux-gnu", 32, 16,
         0},
        {"aarch64-unknown-linux-gnu", "generic", "aarch64-unknown-linux-gnu", 16, 32, 0},
        {"llvm -mcpu=neoverse-v2", "neoverse-v2", "aarch64-unknown-linux-gnu", 16, 32, 0},
        {"riscv64-linux-gnu", "generic", "riscv64-linux-gnu", 16, 8, 0},
        {"riscv64-linux-gnu -mattr=+v", "generic", "riscv64-linux-gnu", 16, 32, 0},
        {"riscv64-linux-gnu -mcpu=spacemit-x60", "spacemit-x60", "riscv64-linux-gnu", 32, 32, 0},
        {"llvm -mcpu=sifive-x280", "sifive-x280", "riscv64-unknown-linux-gnu", 64, 32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const char *text = rows[i].text;
        for (int again = 0; again < 2; again++) { /* the text, then its print */
            const rlxc_target *target = rlxc_target_new(ctx, text, NULL);
            cr_assert(target, "%s: %s", text, rlxc_render_diagnostics(ctx));
            cr_expect_str_eq(target->cpu, rows[i].cpu, "%s: %s", text, target->cpu);
            cr_expect_str_eq(target->triple, rows[i].triple, "%s", text);
            cr_expect_eq(target->vector_bytes, rows[i].vector_bytes, "%s", text);
            cr_expect_eq(target->vector_registers, rows[i].registers, "%s", text);
            cr_expect_eq(rlxc_target_dot_terms(target, RLX_U8, RLX_I8), rows[i].dot, "%s", text);
            cr_expect(target->cache_bytes[0] > 0 && target->cache_bytes[1] > 0, "%s", text);
            text = rlxc_target_text(ctx, target);
        }
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(target, unknown_targets_are_refused)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"rocm", "unknown target \"rocm\": llvm, native, x86_64-..., aarch64-..., riscv64-..., "
                 "opencl, cuda"},
        {"opencl", "target opencl is a device's: a module is compiled for a CPU, and "
                   "--default-device opencl:0 moves its tensors there"},
        {"cuda -arch=sm_20", "target cuda has no architecture \"sm_20\": sm_80, sm_86, "
                             "sm_87, sm_89, sm_90, sm_100, sm_120"},
        {"opencl -arch=mali", "target opencl has no architecture \"mali\": it has none"},
        {"sparc-sun-solaris", "unknown target \"sparc-sun-solaris\""},
        {"llvm -mcpu=i486", "unknown CPU \"i486\": native, x86-64, "},
        {"{\"kind\": \"llvm\"", "is not a JSON object"},
        {"{\"kind\": \"metal\"}", "unknown target \"metal\""},
        {"", "unknown target \"\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        cr_expect(!rlxc_target_new(ctx, rows[i].text, NULL), "%s", rows[i].text);
        cr_expect(strstr(rlxc_render_diagnostics(ctx), rows[i].message), "%s: %s", rows[i].text,
                  rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

/* One function of a module targets another CPU: the file needs the features of both, and only that
 * function's code uses them. */
RLX_TEST(target, a_function_carries_its_own)
{
    static const char text[] =
        "@I.ir_module\nclass M:\n"
        "    @T.prim_func\n"
        "    def plain(a: T.Buffer((64,), \"float32\"), b: T.Buffer((64,), \"float32\")):\n"
        "        T.func_attr({\"tir.noalias\": True})\n"
        "        for i in range(64):\n"
        "            with T.block(\"b\"):\n"
        "                v = T.axis.spatial(64, i)\n"
        "                b[v] = a[v] * T.float32(2)\n"
        "    @T.prim_func\n"
        "    def wide(a: T.Buffer((64,), \"float32\"), b: T.Buffer((64,), \"float32\")):\n"
        "        T.func_attr({\"tir.noalias\": True, \"target\": T.target(%s)})\n"
        "        for i in range(64):\n"
        "            with T.block(\"b\"):\n"
        "                v = T.axis.spatial(64, i)\n"
        "                b[v] = a[v] * T.float32(2)\n";
    static const struct {
        const char *target, *features;
        bool wide;
    } rows[] = {
        {"\"llvm -mcpu=x86-64-v3\"",
         "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe", true},
        {"{\"kind\": \"llvm\", \"mcpu\": \"x86-64-v2\", \"mattr\": [\"+avx\", \"+avx2\", "
         "\"+fma\"]}",
         "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,fma", true},
        {"\"llvm\"", "", false},
        {"\"llvm -mcpu=pentium\"", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel_fixture f;
        rlxc_native native;
        char module[2048];
        snprintf(module, sizeof module, text, rows[i].target);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, "x86-64", module));
        cr_assert(rlxc_pass_plan_devices(f.ctx, f.module, &f.options) &&
                      rlxc_schedule_module(f.ctx, f.module, &f.options) &&
                      rlxc_pass_lower_tir(f.ctx, f.module, &f.options) &&
                      rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_ASM, &native),
                  "%s", rlxc_render_diagnostics(f.ctx));
        const char *code = rlxc_intern(f.ctx, native.data, native.size);
        const char *first = strstr(code, "rlx_plain.body:"),
                   *second = strstr(code, "rlx_wide.body:");
        const char *ymm = strstr(code, "ymm");
        cr_expect_str_eq(native.features, rows[i].features, "%s", rows[i].target);
        cr_expect(first && second && first < second);
        cr_expect_eq(ymm != NULL, rows[i].wide, "%s", rows[i].target);
        cr_expect(!ymm || ymm > second, "%s", rows[i].target);
        if (strstr(rows[i].target, "pentium"))
            cr_expect(strstr(rlxc_render_diagnostics(f.ctx),
                             "warning: function 'wide' is for the CPU \"pentium\""),
                      "%s", rlxc_render_diagnostics(f.ctx));
        kernel_fixture_deinit(&f);
    }
}

/* Code for other architectures contains their instructions and states their features. */
RLX_TEST(target, other_architectures)
{
    static const struct {
        const char *target, *features, *has, *lacks;
    } rows[] = {
        {"aarch64-linux-gnu", "", "fmul\tv", "z0."},
        {"llvm -mcpu=neoverse-v2", "fullfp16,dotprod,sve,sve2,i8mm,bf16", "fmul\tv", NULL},
        {"riscv64-linux-gnu", "", "fmul.s", "vset"},
        {"riscv64-linux-gnu -mattr=+v", "v", "vset", NULL},
        {"llvm -mcpu=sifive-x280", "v,zvl512b", "vset", NULL},
    };
    static const char text[] =
        "@T.prim_func\n"
        "def k(a: T.Buffer((64,), \"float32\"), b: T.Buffer((64,), \"float32\")):\n"
        "    T.func_attr({\"tir.noalias\": True})\n"
        "    for i in range(64):\n"
        "        with T.block(\"b\"):\n"
        "            v = T.axis.spatial(64, i)\n"
        "            b[v] = a[v] * a[v]\n";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel_fixture f;
        rlxc_native native;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, "x86-64", text));
        f.options.target = rlxc_target_new(f.ctx, rows[i].target, NULL);
        cr_assert(f.options.target, "%s", rows[i].target);
        cr_assert(rlxc_schedule_module(f.ctx, f.module, &f.options) &&
                      rlxc_pass_lower_tir(f.ctx, f.module, &f.options) &&
                      rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_ASM, &native),
                  "%s: %s", rows[i].target, rlxc_render_diagnostics(f.ctx));
        const char *code = rlxc_intern(f.ctx, native.data, native.size);
        cr_expect_str_eq(native.features, rows[i].features, "%s", rows[i].target);
        cr_expect(strstr(code, rows[i].has), "%s: %s", rows[i].target, code);
        cr_expect(!rows[i].lacks || !strstr(code, rows[i].lacks), "%s: %s", rows[i].target, code);
        kernel_fixture_deinit(&f);
    }
}

RLX_TEST(target, devices_have_limits_and_their_text_round_trips)
{
    static const struct {
        const char *text, *kind, *triple;
        rlxc_device_limits limits;
    } rows[] = {
        {"opencl", "opencl", "", {"", 1, 256, 16384, 0, true, false, 0}},
        {"opencl -max_threads_per_block=64 -device=mali -thread_warp_size=8",
         "opencl",
         "",
         {"", 8, 64, 16384, 0, true, false, 0}},
        {"opencl -device=cpu", "opencl", "", {"", 1, 256, 16384, 0, true, false, 32}},
        {"{\"kind\": \"opencl\", \"device\": \"cpu\", \"vector-width\": 512}",
         "opencl",
         "",
         {"", 1, 256, 16384, 0, true, false, 64}},
        {"opencl -device=cpu -vector-width=100",
         "opencl",
         "",
         {"", 1, 256, 16384, 0, true, false, 32}},
        {"opencl -vector-width=512", "opencl", "", {"", 1, 256, 16384, 0, true, false, 0}},
        {"cuda", "cuda", "nvptx64-nvidia-cuda", {"sm_80", 32, 1024, 101376, 65536, true, true, 0}},
        {"{\"kind\": \"cuda\", \"arch\": \"sm_90\", \"max_num_threads\": 512, "
         "\"max_shared_memory_per_block\": 65536, \"host\": \"llvm\"}",
         "cuda",
         "nvptx64-nvidia-cuda",
         {"sm_90", 32, 512, 65536, 65536, true, true, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const char *text = rows[i].text;
        for (int again = 0; again < 2; again++) { /* the text, then its print */
            rlxc_target_spec spec;
            cr_assert(rlxc_target_parse(ctx, (rlxc_range){0}, text, &spec));
            const rlxc_target *target = rlxc_target_of_spec(ctx, (rlxc_range){0}, &spec);
            cr_assert(target, "%s: %s", text, rlxc_render_diagnostics(ctx));
            const rlxc_device_limits *is = &target->device, *want = &rows[i].limits;
            cr_expect(rlxc_target_is_device(target));
            cr_expect_str_eq(target->kind, rows[i].kind, "%s", text);
            cr_expect_str_eq(target->triple, rows[i].triple, "%s", text);
            cr_expect_str_eq(is->arch, want->arch, "%s", text);
            cr_expect_eq(is->warp, want->warp, "%s", text);
            cr_expect_eq(is->threads, want->threads, "%s", text);
            cr_expect_eq(is->shared_bytes, want->shared_bytes, "%s", text);
            cr_expect_eq(is->registers, want->registers, "%s", text);
            cr_expect_eq(is->vector_bytes, want->vector_bytes, "%s", text);
            cr_expect(is->float64 == want->float64 && is->float16 == want->float16, "%s", text);
            cr_expect_eq(rlxc_target_dot_terms(target, RLX_U8, RLX_I8), 0u, "%s", text);
            text = rlxc_target_text(ctx, target);
        }
        rlxc_context_destroy(ctx);
    }
    cr_expect(!rlxc_target_is_device(rlxc_target_plain()));
}
