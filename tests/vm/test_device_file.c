/* Devices in files: what the builder writes reads back, mistakes are refused by builder, assembler
 * and loader, and CPU levels share the code for devices. No device is opened. */
#include "native_image.h"

#include <stdio.h>
#include <stdlib.h>

static const char program[] =
    ".expr e0 = s0\n"
    ".kernel k0 \"host\" dims 1 (float32[s0], out float32[s0])\n"
    ".kernel k1 \"gpu\" \"gpu\" dims 1 (float32[s0], out float32[s0])\n"
    ".device v1 \"opencl\" 0 \"global\" \"opencl -max_threads_per_block=256\"\n"
    ".device v2 \"cuda\" 1 \"global.fast\" \"\"\n"
    ".module m0 \"opencl\" [\n"
    "    \"opencl-bin:a/b/c\" 3 hex \"7f00ff\",\n"
    "    \"opencl-c\" text \"__kernel void f() {\\n\" \"}\\n\" ]\n"
    ".module m1 \"cuda\" [ \"ptx\" text \".version\" ]\n"
    ".launches k1 m0 [s0 * 4, 128] {\n"
    "    \"f\" [s0 // 256 + 1, 1, 1] [256, 1, 1] 64 (p0, u1, p1, int64 s0, int32 7)\n"
    "    \"g\" [1, 2, 3] [4, 5, 6] 0 (float32 s0, float64 s0)\n"
    "    \"f\" [0, 0, 0] [0, 0, 0] 0 ()\n"
    "}\n"
    ".func main (x: float32[s0!]) -> object symbols 1 {\n"
    "    .buffer u0 z0 s0 * 4 0 20\n"
    "    .buffer u1 z1 s0 * 4 0 20\n"
    "    .region z1 v2\n"
    "    plan z0\n"
    "    plan z1\n"
    "    to_vdevice r1, r0, v2\n"
    "    load_const_on r2, tensor int8 [1] { 1 }, v1\n"
    "    call_kernel k1, [s0], [r1, r1]\n"
    "    ret r1\n}\n";

static bool text_is(rlx_str text, const char *want)
{
    return rlx_str_eq(text, rlx_str_from(want));
}

RLX_TEST(device_file, rows_read_back)
{
    image m = image_of(t, program);
    rlx_executable *exe;
    rlx_device_row device;
    rlx_device_module_info module;
    rlx_code_image code;
    rlx_launch_row launch;
    rlx_kernel_info kernel;
    RLX_OKAY(image_load(t, &m, &exe));
    cr_expect_eq(rlxv_load_u16(m.data + 10), 5, "older libraries say which format they lack");
    cr_assert_eq(rlx_executable_device_count(exe), 3u);
    cr_assert(rlx_executable_device(exe, 0, &device));
    cr_expect_eq(device.kind.len, 0u);
    cr_assert(rlx_executable_device(exe, 1, &device));
    cr_expect(text_is(device.kind, "opencl") && device.id == 0 && text_is(device.scope, "global"));
    cr_expect(text_is(device.target, "opencl -max_threads_per_block=256"));
    cr_assert(rlx_executable_device(exe, 2, &device));
    cr_expect(text_is(device.kind, "cuda") && device.id == 1);
    cr_expect(text_is(device.scope, "global.fast") && text_is(device.target, ""));
    cr_expect(!rlx_executable_device(exe, 3, &device));

    cr_assert_eq(rlx_executable_device_module_count(exe), 2u);
    cr_assert(rlx_executable_device_module(exe, 0, &module));
    cr_expect(text_is(module.kind, "opencl") && module.n_images == 2);
    cr_expect(!rlx_executable_device_module(exe, 2, &module));
    cr_assert(rlx_executable_code_image(exe, 0, 0, &code));
    cr_expect(text_is(code.format, "opencl-bin:a/b/c") && code.size == 3);
    cr_expect_eq(memcmp(code.data, "\x7f\0\xff", 3), 0);
    cr_assert(rlx_executable_code_image(exe, 0, 1, &code));
    cr_expect(text_is((rlx_str){code.data, code.size}, "__kernel void f() {\n}\n"));
    cr_expect(!rlx_executable_code_image(exe, 0, 2, &code));
    cr_expect(!rlx_executable_code_image(exe, 2, 0, &code));

    cr_assert(rlx_executable_kernel(exe, 0, &kernel));
    cr_expect(kernel.module == RLX_NONE && kernel.n_launches == 0 && kernel.n_scratch == 0);
    cr_assert(rlx_executable_kernel(exe, 1, &kernel));
    cr_expect(kernel.module == 0 && kernel.n_launches == 3 && kernel.n_scratch == 2);
    const int64_t slot = 512;
    int64_t value = 0;
    RLX_OKAY(rlx_executable_eval(exe, rlx_executable_kernel_scratch(exe, 1, 0), &slot, 1, &value,
                                 &t->error));
    cr_expect_eq(value, 2048);
    cr_expect_eq(rlx_executable_kernel_scratch(exe, 1, 2), RLX_NONE);
    cr_expect_eq(rlx_executable_kernel_scratch(exe, 0, 0), RLX_NONE);
    cr_assert(rlx_executable_kernel_launch(exe, 1, 0, &launch));
    cr_expect(text_is(launch.function, "f") && launch.n_args == 5);
    RLX_OKAY(rlx_executable_eval(exe, launch.grid[0], &slot, 1, &value, &t->error));
    cr_expect_eq(value, 3);
    RLX_OKAY(rlx_executable_eval(exe, launch.shared, &slot, 1, &value, &t->error));
    cr_expect_eq(value, 64);
    cr_expect(launch.args[0].source == RLX_LAUNCH_PARAM && launch.args[0].value == 0);
    cr_expect(launch.args[1].source == RLX_LAUNCH_SCRATCH && launch.args[1].value == 1);
    cr_expect(launch.args[3].source == RLX_LAUNCH_EXPR && launch.args[3].type == RLX_LAUNCH_I64);
    cr_expect(launch.args[4].source == RLX_LAUNCH_EXPR && launch.args[4].type == RLX_LAUNCH_I32);
    cr_expect(!rlx_executable_kernel_launch(exe, 1, 3, &launch));
    cr_expect(!rlx_executable_kernel_launch(exe, 0, 0, &launch));
    cr_expect_eq(rlx_function_plan_device(exe, 0, 0), 0u);
    cr_expect_eq(rlx_function_plan_device(exe, 0, 1), 2u);
    cr_expect_eq(rlx_function_plan_device(exe, 0, 2), 0u);
    rlx_executable_release(exe);
    image_free(t, &m);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void expect_refused(rlx_test *t, const char *what, rlx_status status, rlx_executable *exe,
                           const char *message)
{
    cr_expect(status != RLX_OK && strstr(t->error.message, message),
              "%s: expected \"%s\", got \"%s\"", what, message,
              status == RLX_OK ? "success" : t->error.message);
    if (status == RLX_OK)
        rlx_executable_release(exe);
}

RLX_TEST(device_file, mistakes_in_text_have_a_place)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {".device v0 \"x\" 0 \"global\" \"\"", "test:1:9: the next number is 1"},
        {".device v1 \"\" 0 \"global\" \"\"", "must be 1 to 63 letters"},
        {".device \"a b\" 0 \"global\" \"\"", "must be 1 to 63 letters"},
        {".device \"x\" 0 \"a/b\" \"\"", "must be 1 to 63 letters"},
        {".device \"x\" 2147483648 \"global\" \"\"", "device x:2147483648"},
        {".device \"x\" 0", "expected a string"},
        {".module \"x\" [ ]", "expected an image"},
        {".module \"x y\" [ \"a\" text \"b\" ]", "a module of no kind"},
        {".module \"x\" [ \"\" text \"b\" ]", "image 0 of a module has no format or no bytes"},
        {".module \"x\" [ \"a\" text ]", "image 0 of a module has no format or no bytes"},
        {".module \"x\" [ \"a\" 0 hex ]", "image 0 of a module has no format or no bytes"},
        {".module \"x\" [ \"a\" 99 hex \"00\" ]", "the text is too short for the image"},
        {".module \"x\" [ \"a\" 2 hex \"00\" ]", "1 of 2 bytes are missing"},
        {".module \"x\" [ \"a\" 2 bytes ]", "expected 'hex'"},
        {".module m1 \"x\" [ \"a\" text \"b\" ]", "the next number is 0"},
        {".launches k9 m0 [] {}",
         "launches of kernel 9 in module 0: one of the two does not exist"},
        {"LAUNCH k0 m9 [] {}", "launches of kernel 0 in module 9"},
        {"LAUNCH k0 m0 [] {}\n.launches k0 m0 [] {}", "of kernel k are set twice"},
        {"LAUNCH k0 m0 [s1] {}", "needs a dim that it lacks"},
        {"LAUNCH k0 m0 [] { \"f\" [s1, 1, 1] [1, 1, 1] 0 () }", "needs a dim that it lacks"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1] [1, 1, s1] 0 () }", "needs a dim that it lacks"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1] [1, 1, 1] e99 () }", "expression 99 does not exist"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1] [1, 1, 1] 0 (int32 s1) }", "needs a dim that it lacks"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1] [1, 1, 1] 0 (p1) }", "source 0, type 0 and value 1"},
        {"LAUNCH k0 m0 [1] { \"f\" [1, 1, 1] [1, 1, 1] 0 (u1) }", "source 1, type 0 and value 1"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1] [1, 1, 1] 0 (int8 1) }", "expected an argument"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1] [1, 1, 1] 0 () }", "expected ','"},
        {"LAUNCH k0 m0 [] { \"f\" [1, 1, 1, 1] [1, 1, 1] 0 () }", "expected ']'"},
        {"LAUNCH k0 m0 [] { f }", "expected a string"},
        {".func f () -> object {\n .region z1 v0\n ret r0\n}", "region 1 on device 0"},
        {".func f () -> object {\n .region z0 v1\n ret r0\n}", "region 0 on device 1"},
        {".func f () -> object {\n new_tensor_on r0, int8, v1, []\n ret r0\n}",
         "device 1 does not exist"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        rlx_executable *exe;
        if (strncmp(rows[i].text, "LAUNCH", 6) == 0)
            snprintf(text, sizeof text,
                     ".kernel k0 \"k\" dims 1 (int8[s0])\n.module m0 \"x\" [ \"a\" text \"b\" ]\n"
                     ".launches%s",
                     rows[i].text + 6);
        else
            snprintf(text, sizeof text, "%s", rows[i].text);
        t->error = (rlx_error){0};
        rlx_status status = rlx_test_try_load(t, text, &exe);
        expect_refused(t, rows[i].text, status, exe, rows[i].message);
    }
}

/* Text that assembles, of files that the loader refuses. */
RLX_TEST(device_file, rules_of_the_verifier)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {".device v1 \"x\" 0 \"\" \"\"\n.func f () -> object {\n load_const_on r0, int 3, v1\n"
         " ret r0\n}",
         "constant is not a tensor"},
        {".device v1 \"x\" 0 \"\" \"\"\n.func f () -> object {\n eval_slot s0, 1\n"
         " alloc_storage_on r0, s0, 3, v1\n ret r0\n}",
         "alignment is not a power of two"},
        {".device v1 \"x\" 0 \"\" \"\"\n.func f () -> object {\n eval_slot s0, 1\n"
         " new_tensor_on r0, int8, v1, [s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0,"
         " s0, s0]\n ret r0\n}",
         "rank is too high"},
        {".module m0 \"x\" [ \"\\xff\" text \"b\" ]", "has a name that is empty or not UTF-8"},
        {".device v1 \"x\" 0 \"\" \"\\xff\"", "is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe;
        t->error = (rlx_error){0};
        rlx_status status = rlx_test_try_load(t, rows[i].text, &exe);
        expect_refused(t, rows[i].text, status, exe, rows[i].message);
    }
}

RLX_TEST(device_file, the_host_has_no_row)
{
    static const char text[] = ".device v0 \"cpu\" 0 \"global\" \"llvm\"\n"
                               ".device v0 \"cpu\" 0 \"\" \"\"\n"
                               ".device v1 \"cpu\" 1 \"\" \"\"\n"
                               ".device v1 \"cpu\" 1 \"global\" \"\"\n"
                               ".device v2 \"cpu\" 0 \"global.sram\" \"\"\n";
    rlx_executable *exe = rlx_test_load(t, text);
    cr_expect_eq(rlx_executable_device_count(exe), 3u);
    rlx_executable_release(exe);
    exe = rlx_test_load(t, ".device v0 \"cpu\" 0 \"\" \"\"\n");
    cr_expect_eq(rlx_executable_device_count(exe), 1u);
    rlx_executable_release(exe);
}

/* Words of the two sections, counted from 0. In the first, 8 words for two devices, then 1 kernel:
 * number, module, 2 scratch buffers and their sizes, 3 launches: function, grid, block, shared
 * memory, 5 arguments of 3 words, ...; at its end 1 region of 3 words. */
RLX_TEST(device_file, changed_words_are_refused)
{
    enum { D = RLXV_SECTION_DEVICES, M = RLXV_SECTION_MODULES };
    static const struct {
        uint32_t section, word, value;
        const char *message;
    } rows[] = {
        {D, 0, 9999, "string 9999 does not exist"},
        {D, 1, 0x80000000, "device 1: is the host or cannot exist"},
        {D, 3, 9999, "string 9999 does not exist"},
        {D, 8, 0x40000000, "the devices section ends early"},
        {D, 9, 2, "are of no kernel, out of order, or of no module"},
        {D, 10, 2, "are of no kernel, out of order, or of no module"},
        {D, 11, 2000, "launches of kernel 1: too many scratch buffers"},
        {D, 11, 0x40000000, "launches of kernel 1: too many scratch buffers"},
        {D, 12, 9999, "an expression does not exist or needs a dim the kernel lacks"},
        {D, 14, 0x40000000, "the devices section ends early"},
        {D, 15, 9999, "a function has no name"},
        {D, 16, 9999, "an expression does not exist"},
        {D, 21, 9999, "an expression does not exist"},
        {D, 22, 9999, "an expression does not exist"},
        {D, 23, 2000, "too many arguments"},
        {D, 24, 4, "bad argument"},
        {D, 25, 1, "bad argument"},
        {D, 26, 2, "bad argument"},
        {D, 29, 2, "bad argument"},
        {D, 34, 9, "bad argument"},
        {D, 35, 9999, "an expression does not exist"},
        {M, 0, 0, "has a name that is empty or not UTF-8"},
        {M, 0, 5, "padding is not zero"},
        {M, 0, 0xffffffff, "leaves its section"},
        {M, 1, 0, "is of no kind or without images"},
        {M, 1, 0x40000000, "leaves its section"},
        {M, 2, 0xffffffff, "has a name that is empty or not UTF-8"},
        {M, 2, 0x2f2f2f2f, "is of no kind"},
        {M, 4, 0xffffffff, "leaves its section"},
        {M, 5, 0, "has an image without bytes"},
        {M, 5, 0xfffffffe, "leaves its section"},
        {M, 6, 1, "leaves its section"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = image_of(t, program);
        char what[64];
        rlx_executable *exe;
        image_store(image_section(&m, rows[i].section) + 4 * (size_t)rows[i].word, rows[i].value,
                    4);
        image_seal(&m);
        t->error = (rlx_error){0};
        rlx_status status = image_load(t, &m, &exe);
        snprintf(what, sizeof what, "row %zu", i);
        expect_refused(t, what, status, exe, rows[i].message);
        image_free(t, &m);
    }
}

/* The region's row, at the end of the section: function, region, device. */
RLX_TEST(device_file, changed_regions_are_refused)
{
    for (uint32_t word = 0; word < 3; word++) {
        static const uint32_t bad[3][2] = {{1, 9}, {2, 9}, {0, 3}};
        for (uint32_t i = 0; i < 2; i++) {
            image m = image_of(t, program);
            rlx_executable *exe = NULL;
            const uint64_t size = rlxv_load_u64(image_entry(&m, RLXV_SECTION_DEVICES) + 16);
            image_store(image_section(&m, RLXV_SECTION_DEVICES) + size - 12 + 4 * (size_t)word,
                        bad[word][i], 4);
            image_seal(&m);
            RLX_FAILS(image_load(t, &m, &exe), RLX_E_INVALID_MODULE,
                      "region of a device 0: does not exist or is out of order");
            image_free(t, &m);
        }
    }
}

RLX_TEST(device_file, sections_end_where_their_rows_end)
{
    static const uint32_t kinds[] = {RLXV_SECTION_DEVICES, RLXV_SECTION_MODULES};
    for (size_t k = 0; k < 2; k++) {
        image m = image_of(t, program);
        rlx_executable *exe = NULL;
        uint8_t *row = image_entry(&m, kinds[k]);
        const uint64_t size = rlxv_load_u64(row + 16);
        const uint32_t count = rlxv_load_u32(row + 32);
        for (uint64_t less = 1; less <= size; less++) { /* the padding that follows is not read */
            image_store(row + 16, size - less, 8);
            image_seal(&m);
            cr_expect_neq(image_load(t, &m, &exe), RLX_OK, "section %u, %llu bytes less", kinds[k],
                          (unsigned long long)less);
        }
        image_store(row + 16, size, 8);
        image_store(row + 32, count + 1, 4);
        image_seal(&m);
        cr_expect_neq(image_load(t, &m, &exe), RLX_OK);
        image_store(row + 32, count - 1, 4);
        image_seal(&m);
        cr_expect_neq(image_load(t, &m, &exe), RLX_OK);
        image_free(t, &m);
    }
}

/* One bit after the other of both sections: an error, or a program that can be listed. */
RLX_TEST(device_file, any_changed_bit_is_harmless)
{
    static const uint32_t kinds[] = {RLXV_SECTION_DEVICES, RLXV_SECTION_MODULES};
    image m = image_of(t, program);
    uint32_t loaded = 0;
    for (size_t k = 0; k < 2; k++) {
        uint8_t *section = image_section(&m, kinds[k]);
        const size_t size = (size_t)rlxv_load_u64(image_entry(&m, kinds[k]) + 16);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            rlx_executable *exe = NULL;
            section[bit / 8] ^= (uint8_t)(1u << bit % 8);
            image_seal(&m);
            if (image_load(t, &m, &exe) == RLX_OK) {
                char *text;
                size_t len;
                RLX_OKAY(rlx_disassemble(&t->allocator, exe, 0, &text, &len, &t->error));
                rlx_free(&t->allocator, text, len + 1, 1);
                rlx_executable_release(exe);
                loaded++;
            }
            section[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    cr_expect_gt(loaded, 100, "only %u images loaded: the test shows too little", loaded);
    image_free(t, &m);
}

RLX_TEST(device_file, too_much_is_refused)
{
    rlx_exec_builder *b;
    uint32_t out, kernel, module, one, exprs[RLX_MAX_SCRATCH + 1];
    static rlx_launch_row_arg args[RLX_MAX_LAUNCH_ARGS + 1];
    const rlx_code_image code = {RLX_STR("text"), "x", 1};
    rlx_device_row row = {.kind = RLX_STR("x"), .scope = RLX_STR("global"), .target = RLX_STR("")};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    for (row.id = 0; row.id < RLXV_MAX_DEVICES - 1; row.id++)
        RLX_OKAY(rlx_exec_builder_device(b, &row, &out, &t->error));
    cr_expect_eq(out, RLXV_MAX_DEVICES - 1);
    RLX_FAILS(rlx_exec_builder_device(b, &row, &out, &t->error), RLX_E_LIMIT,
              "more than 255 devices");
    row.id = 3;
    RLX_OKAY(rlx_exec_builder_device(b, &row, &out, &t->error));
    cr_expect_eq(out, 4u);
    row.kind = RLX_STR("a-name-of-sixty-four-characters-which-is-one-more-than-any-may-be");
    RLX_FAILS(rlx_exec_builder_device(b, &row, &out, &t->error), RLX_E_INVALID_ARG,
              "must be 1 to 63 letters");
    RLX_OKAY(rlx_exec_builder_const_expr(b, 1, &one, &t->error));
    RLX_OKAY(
        rlx_exec_builder_kernel(b, RLX_STR("k"), RLX_STR("k"), 0, NULL, 0, &kernel, &t->error));
    RLX_OKAY(rlx_exec_builder_device_module(b, RLX_STR("x"), &code, 1, &module, &t->error));
    for (uint32_t i = 0; i <= RLX_MAX_SCRATCH; i++)
        exprs[i] = one;
    RLX_FAILS(rlx_exec_builder_launches(b, kernel, module, exprs, RLX_MAX_SCRATCH + 1, NULL, 0,
                                        &t->error),
              RLX_E_LIMIT, "kernel k has 1025 scratch buffers");
    for (uint32_t i = 0; i <= RLX_MAX_LAUNCH_ARGS; i++)
        args[i] = (rlx_launch_row_arg){RLX_LAUNCH_EXPR, RLX_LAUNCH_I64, one};
    rlx_launch_row launch = {.function = RLX_STR("f"),
                             .grid = {one, one, one},
                             .block = {one, one, one},
                             .shared = one,
                             .args = args,
                             .n_args = RLX_MAX_LAUNCH_ARGS + 1};
    RLX_FAILS(
        rlx_exec_builder_launches(b, kernel, module, exprs, RLX_MAX_SCRATCH, &launch, 1, &t->error),
        RLX_E_LIMIT, "kernel k: a launch of 1025 arguments");
    launch.n_args--;
    RLX_OKAY(rlx_exec_builder_launches(b, kernel, module, exprs, RLX_MAX_SCRATCH, &launch, 1,
                                       &t->error));
    rlx_executable *exe;
    const rlx_load_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_exec_builder_load(b, &options, &exe, &t->error));
    rlx_executable_release(exe);
    rlx_exec_builder_destroy(b);
}

RLX_TEST(device_file, every_allocation_may_fail)
{
    for (int after = 0; after < 2; after++) {
        size_t n = 1, live = t->live_blocks;
        rlx_status status;
        t->fail_after = after;
        do {
            void *data;
            size_t size, len;
            rlx_executable *exe = NULL;
            char *text;
            const rlx_load_options options = {.allocator = &t->allocator};
            t->calls = 0;
            t->fail_at = n++;
            status = rlx_assemble(&t->allocator, RLX_STR("x"), rlx_str_from(program), &data, &size,
                                  &t->error);
            if (status == RLX_OK) {
                status = rlx_executable_load_memory(data, size, &options, &exe, &t->error);
                rlx_free(&t->allocator, data, size, 64);
            }
            if (status == RLX_OK) {
                status = rlx_disassemble(&t->allocator, exe, 0, &text, &len, &t->error);
                if (status == RLX_OK)
                    rlx_free(&t->allocator, text, len + 1, 1);
                rlx_executable_release(exe);
            }
            cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "call %zu: %s: %s", n - 1,
                      rlx_status_name(status), t->error.message);
            cr_assert_eq(t->live_blocks, live, "call %zu leaks", n - 1);
        } while (t->calls >= t->fail_at);
        cr_expect_gt(n, 30);
        cr_expect_eq(status, RLX_OK);
        t->fail_at = 0;
    }
}

/* --- CPU levels and compression ----------------------------------------------------------------
 */

enum { N = 3, CODE = 8192 };

/* A level with a module of |CODE| bytes that all levels have, and one of its own. */
static rlx_exec_builder *level(rlx_test *t, uint32_t number, const char *shared)
{
    rlx_exec_builder *b;
    uint32_t modules[2], kernel, one;
    char own[64];
    snprintf(own, sizeof own, "code of level %u", number);
    const rlx_code_image images[2] = {{RLX_STR("text"), own, strlen(own)},
                                      {RLX_STR("text"), shared, CODE}};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_exec_builder_native(b, RLX_STR(TRIPLE), NULL, 0, "code", 4, &t->error));
    RLX_OKAY(rlx_exec_builder_const_expr(b, 1, &one, &t->error));
    for (uint32_t i = 0; i < 2; i++) {
        const rlx_launch_row launch = {.function = RLX_STR("f"),
                                       .grid = {one, one, one},
                                       .block = {one, one, one},
                                       .shared = one};
        RLX_OKAY(
            rlx_exec_builder_kernel(b, RLX_STR("k"), RLX_STR("k"), 0, NULL, 0, &kernel, &t->error));
        RLX_OKAY(
            rlx_exec_builder_device_module(b, RLX_STR("x"), &images[i], 1, &modules[i], &t->error));
        RLX_OKAY(rlx_exec_builder_launches(b, kernel, modules[i], NULL, 0, &launch, 1, &t->error));
    }
    return b;
}

RLX_TEST(device_file, levels_share_code)
{
    rlx_exec_builder *all, *levels[N];
    char shared[CODE];
    image m, plain;
    void *data;
    rlx_executable *exe;
    for (size_t i = 0; i < CODE; i++) /* compresses, but not to nothing */
        shared[i] = (char)('a' + i * i % 23 + i / 512 % 3);
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &all, &t->error));
    for (uint32_t i = 0; i < N; i++) {
        levels[i] = level(t, i + 1, shared);
        RLX_OKAY(rlx_exec_builder_level(all, RLX_STR("x"), levels[i], &t->error));
    }
    RLX_OKAY(rlx_exec_builder_finish(all, &data, &m.size, &t->error));
    m.data = data;
    for (uint32_t i = 0; i < N; i++)
        rlx_exec_builder_set_compression(levels[i], RLX_COMPRESSION_NONE);
    RLX_OKAY(rlx_exec_builder_finish(all, &data, &plain.size, &t->error));
    plain.data = data;
    cr_expect_gt(plain.size, CODE);
    cr_expect_lt(plain.size, 2 * CODE, "the code is stored once");
    cr_expect_eq(rlxv_load_u32(image_entry(&plain, RLXV_SECTION_MODULES) + 36), 0u,
                 "the code is of no level");
    cr_expect_eq(rlxv_load_u16(plain.data + 10), 5);
#if RLX_WITH_ZSTD
    cr_expect(rlxv_load_u32(image_entry(&m, RLXV_SECTION_MODULES) + 4) & RLXV_SECTION_COMPRESSED);
    cr_expect_lt(m.size, plain.size - CODE / 2);
#endif
    for (uint32_t i = 1; i <= N; i++) {
        const rlx_load_options options = {.allocator = &t->allocator, .level = i};
        char own[64];
        snprintf(own, sizeof own, "code of level %u", i);
        RLX_OKAY(rlx_executable_load_memory(m.data, m.size, &options, &exe, &t->error));
        cr_expect_eq(rlx_executable_device_module_count(exe), N + 1u);
        for (uint32_t k = 0; k < 2; k++) {
            rlx_kernel_info kernel;
            rlx_code_image code;
            cr_assert(rlx_executable_kernel(exe, k, &kernel));
            cr_assert(rlx_executable_code_image(exe, kernel.module, 0, &code));
            if (k == 0)
                cr_expect(text_is((rlx_str){code.data, code.size}, own));
            else
                cr_expect(code.size == CODE && memcmp(code.data, shared, CODE) == 0);
        }
        rlx_executable_release(exe);
    }
    /* A level has no modules of its own. */
    image_store(image_entry(&plain, RLXV_SECTION_MODULES) + 36, 1, 4);
    image_seal(&plain);
    RLX_FAILS(image_load(t, &plain, &exe), RLX_E_INVALID_MODULE, "unknown section flags");
    for (uint32_t i = 0; i < N; i++)
        rlx_exec_builder_destroy(levels[i]);
    rlx_exec_builder_destroy(all);
    image_free(t, &m);
    image_free(t, &plain);
}
