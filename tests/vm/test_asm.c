/* Runs the .rlxasm files of tests/asm: every exported function named test_* must return true, every
 * fail_* must fail with the message given by ".meta "fail_x" "message"". Each file must also
 * survive disassembly and reassembly byte for byte. */
#include "../support/rlx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"control", "calls", "memory", "plan", "values", "devices"};
#define N_FILES (sizeof files / sizeof *files)

static char *read_text(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/asm/%s.rlxasm", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s: run the tests from the repository's root", path);
    char *text = malloc(1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static const char *expected(const rlx_executable *exe, rlx_str name)
{
    rlx_str key, value;
    for (uint32_t i = 0; rlx_executable_metadata(exe, i, &key, &value); i++)
        if (rlx_str_eq(key, name))
            return strndup(value.data, value.len);
    return NULL;
}

RLX_TEST(assembly, files_pass)
{
    const rlx_cpu_device sram = {
        .size = sizeof sram, .id = 7, .bytes = 4096, .scope = "global.sram"};
    RLX_OKAY(rlx_registry_add_cpu(rlx_test_registry(t), &sram, &t->error));
    for (size_t k = 0; k < N_FILES; k++) {
        char *text = read_text(files[k]);
        rlx_executable *exe = rlx_test_load(t, text);
        rlx_vm *vm = rlx_test_vm(t, exe);
        uint32_t n_run = 0;
        rlx_function_info fn;
        for (uint32_t i = 0; rlx_executable_function(exe, i, &fn); i++) {
            if (!fn.exported)
                continue;
            rlx_value out;
            rlx_error err = {0};
            rlx_status status = rlx_vm_invoke(vm, fn.name, NULL, 0, &out, &err);
            n_run++;
            if (strncmp(fn.name.data, "fail_", 5) == 0) {
                const char *want = expected(exe, fn.name);
                cr_assert(want, "%s: %.*s has no .meta", files[k], (int)fn.name.len, fn.name.data);
                cr_expect(status != RLX_OK && strstr(err.message, want),
                          "%s: %.*s: expected \"%s\", got \"%s\"", files[k], (int)fn.name.len,
                          fn.name.data, want, status == RLX_OK ? "success" : err.message);
                free((void *)(uintptr_t)want);
                if (status == RLX_OK)
                    rlx_value_release(out);
                continue;
            }
            cr_assert_eq(status, RLX_OK, "%s: %.*s: %s", files[k], (int)fn.name.len, fn.name.data,
                         err.message);
            cr_expect(out.kind != RLX_KIND_NONE, "%s: %.*s gave none", files[k], (int)fn.name.len,
                      fn.name.data);
            cr_expect(out.kind != RLX_KIND_BOOL || out.as.i, "%s: %.*s is false", files[k],
                      (int)fn.name.len, fn.name.data);
            rlx_value_release(out);
        }
        cr_assert_gt(n_run, 5);
        rlx_vm_stats stats;
        rlx_vm_get_stats(vm, &stats);
        /* Copies of constants on devices live as long as the VM. */
        cr_expect(stats.live_bytes == 0 || rlx_executable_device_count(exe) > 1,
                  "%s: %llu bytes are still live", files[k], (unsigned long long)stats.live_bytes);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
        free(text);
    }
}

/* Assembles, disassembles and reassembles. */
static void round_trip(rlx_test *t, const char *text, const char *name)
{
    void *first, *second;
    size_t first_size, second_size, len;
    char *listing;
    rlx_executable *exe;
    rlx_load_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_assemble(&t->allocator, RLX_STR("a"), rlx_str_from(text), &first, &first_size,
                          &t->error));
    RLX_OKAY(rlx_executable_load_memory(first, first_size, &options, &exe, &t->error));
    RLX_OKAY(rlx_disassemble(&t->allocator, exe, 0, &listing, &len, &t->error));
    RLX_OKAY(rlx_assemble(&t->allocator, RLX_STR("b"), (rlx_str){listing, len}, &second,
                          &second_size, &t->error));
    cr_expect(first_size == second_size && memcmp(first, second, first_size) == 0,
              "%s does not come back", name);
    rlx_free(&t->allocator, listing, len + 1, 1);
    rlx_free(&t->allocator, first, first_size, 64);
    rlx_free(&t->allocator, second, second_size, 64);
    rlx_executable_release(exe);
}

RLX_TEST(assembly, files_round_trip)
{
    for (size_t k = 0; k < N_FILES; k++) {
        char *text = read_text(files[k]);
        round_trip(t, text, files[k]);
        free(text);
    }
}

RLX_TEST(assembly, odd_tables_round_trip)
{
    round_trip(t,
               ".meta \"quotes \\\" and \\\\\" \"line\\nbreak \\x01\"\n"
               ".native \"x86_64-pc-linux-gnu\" [\"avx2\", \"fma\"] 3 \"7f454c\"\n"
               ".const c0 = float bits 0x7ff8000000000001\n"
               ".const c1 = float -0.0\n"
               ".const c2 = tensor float16 [2] hex \"003c0080\"\n"
               ".const c3 = tensor bool [0, 3] {}\n"
               ".const c4 = tuple()\n"
               ".const c5 = tuple(c0, c4, c2)\n"
               ".func private \"odd name \\\" here\" () -> object {\n"
               "    .at \"f.py\" 1 2 \"a\"\n"
               "    load_const r0, c5\n"
               "    .at none\n"
               "    load_const r1, c1\n"
               "    ret r1\n}\n"
               ".func second (a: object, b: object) -> object {\n"
               "    .param 1 \"g.py\" 3 4\n"
               "    ret r1\n}\n",
               "odd tables");
}

RLX_TEST(assembly, devices_round_trip)
{
    round_trip(t,
               ".kernel k0 \"a\" dims 1 (float32[s0], out float32[s0])\n"
               ".kernel k1 \"b\" dims 2 (float32[s0, s1])\n"
               ".device \"opencl\" 2 \"\" \"opencl -x=\\\"y\\\"\"\n"
               ".device \"cpu\" 1 \"global.sram\" \"\"\n"
               ".module \"opencl\" [ \"opencl-c\" text \"a\\n\" \"\" \"\\n\\n\\tb\\x0d\\\"\\\\\",\n"
               "    \"bin\" 40 hex \"00000000000000000000000000000000000000000000000000\"\n"
               "    \"000000000000000000000000000000\" ]\n"
               ".launches k1 m0 [] {}\n"
               ".launches k0 m0 [s0, s0 * s0] {\n"
               "    \"odd \\\" name\" [s0, s0, 1] [1, 1, s0] s0 (u0, p1, u1, float64 -1)\n"
               "    \"f\" [1, 1, 1] [1, 1, 1] 0 (int32 1, int64 s0, float32 0) }\n"
               ".func f () -> object {\n"
               "    .region z0 v2\n"
               "    .region z1 v0\n"
               "    plan z0\n"
               "    load_const_on r0, tensor int8 [] { 1 }, v1\n"
               "    to_vdevice r1, r0, v0\n"
               "    ret r1\n}\n",
               "devices");
    round_trip(t,
               ".device \"cpu\" 1 \"global.sram\" \"\"\n"
               ".func f () -> object {\n"
               "    .region z0 v1\n"
               "    .buffer u0 z1 64 0 9\n"
               "    .buffer u1 z0 64 0 9\n"
               "    load_const r0, true\n"
               "    ret r0\n}\n",
               "buffers that do not name regions in order");
}

RLX_TEST(assembly, mistakes_have_a_place)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {".func f () -> object {\n  jump r0\n}\n", "test:2:3: unknown instruction 'jump'"},
        {".func f () -> object {\n  ret x0\n}\n", "test:2:7: expected a register, such as r0"},
        {".func f () -> object {\n  ret r0\n", "test:3:1: expected an instruction"},
        {".func f () -> object {\n  goto L\n}\n", "a label that is never bound"},
        {".func f () -> object {\n  .param 0 \"f.py\" 1 2\n  ret r0\n}\n", "parameter 0 of 0"},
        {".func f () -> object {\nL: L: ret r0\n}\n",
         "test:2:4: label 0 does not exist or is bound"},
        {".func f () -> object {\n call_func r0, @g, []\n}\n", "test:2:16: unknown function 'g'"},
        {".type t1 = object\n", "test:1:7: the next number is 0"},
        {".bogus\n", "test:1:1: unknown directive '.bogus'"},
        {"\"", "test:1:1: unterminated string"},
        {"$", "unexpected character (byte 0x24)"},
        {".const c0 = int 99999999999999999999\n", "bad integer"},
        {".const c0 = tensor float32 [2] { 1 }\n", "expected ','"},
        {".const c0 = tensor float32 [1000000, 1000000] hex", "the text is too short"},
        {".const c0 = tensor float32 [1] hex \"00\"", "3 of 4 bytes are missing"},
        {".const c0 = tensor int4 [1] { 1.5 }", "expected an integer"},
        {".expr e0 = 1 +", "expected an expression"},
        {".expr e0 = e7", "the next number is 7"},
        {".type t0 = float32[e9]", "dimension 0 of a type is bad"},
        {".kernel k0 \"k\" dims 0 (float32[s3])", "has a bad type"},
        {"x", "expected a directive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe;
        t->error = (rlx_error){0};
        rlx_status status = rlx_test_try_load(t, rows[i].text, &exe);
        cr_expect(status != RLX_OK && strstr(t->error.message, rows[i].message),
                  "row %zu: expected \"%s\", got \"%s\"", i, rows[i].message, t->error.message);
        if (status == RLX_OK)
            rlx_executable_release(exe);
    }
    /* Unbounded nesting is refused before the C stack overflows. */
    static char deep[200000];
    memset(deep, '(', sizeof deep - 1);
    memcpy(deep, ".expr e0 = ", 11);
    rlx_executable *exe;
    RLX_FAILS(rlx_test_try_load(t, deep, &exe), RLX_E_INVALID_MODULE, "nested too deeply");
}

/* Expressions share their operands, so text of any length can stand for one of 2^n nodes. */
RLX_TEST(assembly, size_of_expressions_is_limited)
{
    enum { MOST = 11 }; /* 2^(MOST + 1) - 1 nodes */
    char text[1024] = ".expr e0 = s0\n";
    for (int i = 1; i <= MOST + 1; i++) {
        rlx_executable *exe;
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, ".expr e%d = e%d + e%d\n", i, i - 1, i - 1);
        t->error = (rlx_error){0};
        const rlx_status status = rlx_test_try_load(t, text, &exe);
        cr_expect(status == (i <= MOST ? RLX_OK : RLX_E_LIMIT), "%d: %s", i, t->error.message);
        if (status == RLX_OK)
            rlx_executable_release(exe);
        else
            cr_expect(strstr(t->error.message, "size 8191 is too large") != NULL);
    }
}
