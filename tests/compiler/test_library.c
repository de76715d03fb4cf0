/* The compiler as a library (rlx/compiler.h): compiling in one process, diagnostics, options,
 * passes, targets, weights, output, out of memory. tests/compiler/test_library_ir.c tests rlx/ir.h.
 */
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rlx/compiler.h"
#include "tests/compiler/library.h"

static const char ADD[] = "@R.function\n"
                          "def main(x: R.Tensor((\"n\",), \"float32\"), w: R.Tensor((2,), "
                          "\"float32\")):\n"
                          "    y = R.add(x, R.sum(w))\n"
                          "    return y\n";

RLX_TEST(library, compiles_and_loads_without_a_file)
{
    rlx_compiler *c = library_compiler(t);
    rlx_executable *exe = NULL;
    const float w[2] = {3, 4};
    RLX_OKAY(rlx_ir_module_load(library_parse(t, c, ADD), NULL, NULL, &exe, &t->error));
    rlx_compiler_destroy(c); /* the executable outlives the compiler */
    library_expect(t, exe, 2, w, (const float[]){5, 6}, (const float[]){12, 13});
    rlx_executable_release(exe);
}

RLX_TEST(library, diagnostics_are_data_and_the_compiler_goes_on)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    rlx_diagnostic d;
    static const char bad[] = "@R.function\n"
                              "def main(x: R.Tensor((2,), \"float32\")):\n"
                              "    y = R.ad(x, x)\n"
                              "    return y\n";
    RLX_FAILS(rlx_compiler_parse(c, "bad.py", bad, strlen(bad), &m, &t->error),
              RLX_E_INVALID_MODULE, "bad.py:3:");
    cr_expect_str_eq(t->error.where.file, "bad.py");
    cr_expect_eq(t->error.where.line, 3);
    cr_assert_eq(rlx_compiler_diagnostic_count(c), 1);
    cr_assert(rlx_compiler_diagnostic(c, 0, &d));
    cr_expect_eq(d.severity, RLX_SEVERITY_ERROR);
    cr_expect_str_eq(d.file, "bad.py");
    cr_expect_eq(d.line, 3);
    cr_expect_gt(d.column, 4);
    cr_expect(strstr(d.message, "ad") != NULL);
    cr_expect(strstr(rlx_compiler_diagnostics_text(c), "    y = R.ad(x, x)\n") != NULL);
    cr_expect_not(rlx_compiler_diagnostic(c, 1, &d));
    m = library_parse(t, c, ADD); /* succeeds; the old error stays listed */
    cr_expect_eq(rlx_compiler_diagnostic_count(c), 1);
    RLX_OKAY(rlx_compiler_report(c, RLX_SEVERITY_ERROR, "of the host", &t->error));
    RLX_OKAY(rlx_ir_module_check(m, &t->error));
    rlx_compiler_clear_diagnostics(c);
    cr_expect_eq(rlx_compiler_diagnostic_count(c), 0);
    cr_expect_str_eq(rlx_compiler_diagnostics_text(c), "");
    rlx_compiler_destroy(c);
}

RLX_TEST(library, wrong_options_are_refused_and_leave_the_module)
{
    static const char *const unknown[] = {"cse"}, *const null[] = {NULL};
    static const rlx_dim_bound backwards = {"n", 4, 3};
    rlx_compile_options o[15];
    for (size_t i = 0; i < 15; i++)
        rlx_compile_options_init(&o[i]);
    o[0].size = 0;
    o[1].size = offsetof(rlx_compile_options, user);
    o[2].size = (size_t)1 << 40;
    o[3].opt_level = 4;
    o[4].opt_level = -1;
    o[5].row_bits = 5;
    o[6].jobs = 257;
    o[7].mixed = RLX_F32;
    o[8].bounds = &backwards, o[8].n_bounds = 1;
    o[9].n_bounds = 1;
    o[10].passes = unknown, o[10].n_passes = 1;
    o[11].links = null, o[11].n_links = 1;
    o[12].cpu = "no-such-cpu";
    o[13].target = "no-such-target";
    o[14].rounded_rows = 33;
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, ADD);
    for (size_t i = 0; i < 15; i++) {
        rlx_executable *exe = NULL;
        cr_expect_eq(rlx_ir_module_load(m, &o[i], NULL, &exe, &t->error), RLX_E_INVALID_ARG,
                     "options %zu: %s", i, t->error.message);
        cr_expect_null(exe);
    }
    o[14].rounded_rows = RLX_ALL_ROWS;
    RLX_OKAY(rlx_ir_module_lower(m, &o[14], &t->error));
    m = library_parse(t, c,
                      "@I.ir_module\nclass M:\n    I.module_attrs({\"rlx.row_bits\": 5})\n"
                      "    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n"
                      "        return x\n");
    RLX_FAILS(rlx_ir_module_lower(m, NULL, &t->error), RLX_E_INVALID_ARG,
              "module attribute rlx.row_bits must be 8, 12, 16, 24 or 32");
    m = library_parse(t, c, ADD);
    struct { /* from a later version of the header */
        rlx_compile_options known;
        uint64_t later;
    } newer = {.later = 0};
    rlx_compile_options_init(&newer.known);
    newer.known.size = sizeof newer;
    RLX_OKAY(rlx_ir_module_lower(m, &newer.known, &t->error));
    m = library_parse(t, c, ADD);
    newer.later = 1;
    RLX_FAILS(rlx_ir_module_lower(m, &newer.known, &t->error), RLX_E_INVALID_ARG, "this version");
    rlx_compiler_options creation = {.size = 4};
    rlx_compiler *none = NULL;
    RLX_FAILS(rlx_compiler_create(&creation, &none, &t->error), RLX_E_INVALID_ARG, "field size");
    rlx_compiler_destroy(c);
}

/* Calls with each option struct; a struct begins with its size and is followed by 16 more bytes
 * here. */
typedef struct sized {
    union {
        size_t size;
        rlx_compiler_options creation;
        rlx_compile_options compile;
        rlx_pass_desc pass;
        rlx_tune_options tune;
    } as;
    uint64_t later[2];
} sized;

static rlx_status nothing(void *user, rlx_ir_module *m, rlx_error *err)
{
    (void)user, (void)m, (void)err;
    return RLX_OK;
}

static rlx_status use_sized(int kind, rlx_compiler *c, rlx_ir_module *m, const sized *o,
                            rlx_error *err)
{
    rlx_compiler *other = NULL;
    rlx_status status;
    switch (kind) {
    case 0:
        status = rlx_compiler_create(&o->as.creation, &other, err);
        rlx_compiler_destroy(other);
        return status;
    case 1:
        return rlx_ir_module_lower(m, &o->as.compile, err);
    case 2:
        return rlx_compiler_add_pass(c, &o->as.pass, err);
    default:
        return rlx_ir_module_tune(m, NULL, &o->as.tune, err);
    }
}

RLX_TEST(library, structs_of_options_of_a_wrong_size_are_refused)
{
    static const size_t sizes[] = {sizeof(rlx_compiler_options), sizeof(rlx_compile_options),
                                   sizeof(rlx_pass_desc), sizeof(rlx_tune_options)};
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, ADD);
    for (int kind = 0; kind < 4; kind++) {
        const size_t wrong[] = {
            0,       1, sizeof(size_t), 2 * sizeof(size_t) - 1, sizes[kind] + 8, sizes[kind] + 16,
            SIZE_MAX};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            sized o = {.later = {1, 1}};
            rlx_compile_options_init(&o.as.compile);
            if (kind == 2)
                o.as.pass = (rlx_pass_desc){.name = "p", .after = "cse", .run = nothing};
            else if (kind != 1)
                memset(&o.as, 0, sizeof o.as);
            if (kind == 3)
                o.as.tune.seconds = 1e-9;
            memset((char *)&o + sizes[kind], 1, sizeof o - sizes[kind]);
            o.as.size = wrong[i];
            rlx_error err = {0};
            cr_expect_eq(use_sized(kind, c, m, &o, &err), RLX_E_INVALID_ARG, "%d %zu", kind, i);
            cr_expect(err.message[0] != '\0', "%d %zu", kind, i);
        }
    }
    RLX_OKAY(rlx_ir_module_lower(m, NULL, &t->error)); /* the module is unchanged */
    rlx_compiler_destroy(c);
}

RLX_TEST(library, the_file_says_how_it_was_scheduled)
{
    static const char text[] = "@T.prim_func\ndef twice(A: T.Buffer((4, 8), \"float32\"), "
                               "B: T.Buffer((4, 8), \"float32\")):\n"
                               "    for i, j in T.grid(4, 8):\n        with T.block(\"b\"):\n"
                               "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                               "            B[vi, vj] = A[vi, vj] * T.float32(2)\n"
                               "@R.function\ndef main(x: R.Tensor((4, 8), \"float32\")):\n"
                               "    y = R.call_tir(twice, (x,), "
                               "out_sinfo=R.Tensor((4, 8), \"float32\"))\n    return y\n";
    static const char steps[] = "b0 = sch.get_block(name=\"b\", func_name=\"twice\")\n"
                                "l1, l2 = sch.get_loops(block=b0)\nsch.vectorize(loop=l2)\n";
    for (int i = 0; i < 2; i++) {
        rlx_compiler *c = library_compiler(t);
        rlx_ir_module *m = library_parse(t, c, text);
        rlx_executable *exe = NULL;
        rlx_str key, value;
        bool found = false;
        if (i == 1)
            RLX_OKAY(rlx_ir_module_set_schedule(m, "a/twice.sch", steps, strlen(steps), &t->error));
        RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error));
        for (uint32_t k = 0; rlx_executable_metadata(exe, k, &key, &value); k++)
            if (rlx_str_eq(key, RLX_STR("schedule"))) {
                found = true;
                cr_expect(strncmp(value.data, "twice.sch xxh64:", 16) == 0 &&
                              strstr(value.data, ": twice") != NULL,
                          "%.*s", (int)value.len, value.data);
            }
        cr_expect_eq(found, i == 1);
        rlx_executable_release(exe);
        rlx_compiler_destroy(c);
    }
}

/* --- passes ---------------------------------------------------------------------------------- */

typedef struct trace {
    char text[256];
    rlx_status answer;
} trace;

static rlx_status traced(void *user, rlx_ir_module *m, rlx_error *err)
{
    trace *r = user;
    rlx_executable *exe = NULL;
    rlx_error inner = {0};
    strcat(r->text, "run ");
    if (r->answer == RLX_E_CANCELLED) /* a pass may not load its module */
        return rlx_ir_module_load(m, NULL, NULL, &exe, err);
    (void)inner;
    return r->answer == RLX_OK ? RLX_OK : rlx_fail(err, r->answer, "the pass does not like it");
}

static bool note_pass(void *user, rlx_ir_module *m, const rlx_pass_info *pass, double seconds)
{
    trace *r = user;
    if (pass->added || strcmp(pass->name, "cse") == 0)
        snprintf(r->text + strlen(r->text), sizeof r->text - strlen(r->text), "%s ", pass->name);
    return seconds >= 0 && rlx_ir_module_print(m) != NULL && strcmp(pass->name, "dce") != 0;
}

static rlx_pass_desc pass_row(const char *name, const char *before, const char *after, trace *r)
{
    return (rlx_pass_desc){sizeof(rlx_pass_desc), name, "doc", before, after, traced, r};
}

RLX_TEST(library, added_passes_run_in_their_places)
{
    rlx_compiler *c = library_compiler(t);
    trace r = {"", RLX_OK};
    const rlx_pass_desc rows[] = {pass_row("a", NULL, "cse", &r), pass_row("b", "cse", NULL, &r),
                                  pass_row("c", "a", NULL, &r), pass_row("d", NULL, "cse", &r)};
    for (size_t i = 0; i < 4; i++)
        RLX_OKAY(rlx_compiler_add_pass(c, &rows[i], &t->error));
    char listed[64] = "";
    rlx_pass_info info;
    for (uint32_t i = 0; rlx_compiler_pass(c, i, &info); i++)
        if (info.added || strcmp(info.name, "cse") == 0)
            strcat(strcat(listed, info.name), " ");
    cr_expect_str_eq(listed, "b cse c a d ");
    cr_expect_eq(rlx_compiler_pass_count(c), rlx_compiler_pass_count(NULL) + 4);
    rlx_ir_module *m = library_parse(t, c, ADD);
    rlx_compile_options o;
    rlx_compile_options_init(&o);
    o.after_pass = note_pass;
    o.user = &r;
    RLX_FAILS(rlx_ir_module_lower(m, &o, &t->error), RLX_E_CANCELLED, "");
    cr_expect_str_eq(r.text, "run b cse run c run a run d ");
    o.after_pass = NULL;
    RLX_OKAY(rlx_ir_module_lower(m, &o, &t->error)); /* continues after the cancelled call */
    rlx_compiler_destroy(c);
}

RLX_TEST(library, wrong_passes_are_refused)
{
    rlx_compiler *c = library_compiler(t);
    trace r = {"", RLX_OK};
    rlx_pass_desc wrong[] = {pass_row("cse", NULL, "dce", &r), pass_row("p", NULL, NULL, &r),
                             pass_row("p", "dce", "dce", &r),  pass_row(NULL, NULL, "dce", &r),
                             pass_row("", NULL, "dce", &r),    pass_row("p", NULL, "dce", &r),
                             pass_row("p", NULL, "dce", &r)};
    wrong[5].run = NULL;
    wrong[6].size = 8;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(rlx_compiler_add_pass(c, &wrong[i], &t->error), RLX_E_INVALID_ARG, "%zu", i);
    const rlx_pass_desc nowhere = pass_row("p", NULL, "no_such_pass", &r);
    RLX_FAILS(rlx_compiler_add_pass(c, &nowhere, &t->error), RLX_E_NOT_FOUND, "'no_such_pass'");
    const rlx_pass_desc good = pass_row("p", NULL, "dce", &r);
    RLX_OKAY(rlx_compiler_add_pass(c, &good, &t->error));
    RLX_FAILS(rlx_compiler_add_pass(c, &good, &t->error), RLX_E_INVALID_ARG, "already");
    static const rlx_status answers[] = {RLX_E_SHAPE, RLX_E_CANCELLED};
    static const char *const messages[] = {"the pass does not like it", "a pass cannot compile"};
    for (size_t i = 0; i < 2; i++) {
        rlx_ir_module *m = library_parse(t, c, ADD);
        r.answer = answers[i];
        RLX_FAILS(rlx_ir_module_lower(m, NULL, &t->error), RLX_E_INVALID_MODULE, messages[i]);
        RLX_FAILS(rlx_ir_module_lower(m, NULL, &t->error), RLX_E_INVALID_MODULE, "unfinished");
    }
    r.answer = RLX_OK;
    RLX_OKAY(rlx_ir_module_lower(library_parse(t, c, ADD), NULL, &t->error));
    char name[16];
    for (int i = 0; i < 63; i++) {
        snprintf(name, sizeof name, "q%d", i);
        const rlx_pass_desc one = pass_row(name, NULL, "dce", &r);
        RLX_OKAY(rlx_compiler_add_pass(c, &one, &t->error));
    }
    const rlx_pass_desc last = pass_row("last", NULL, "dce", &r);
    RLX_FAILS(rlx_compiler_add_pass(c, &last, &t->error), RLX_E_LIMIT, "64");
    rlx_compiler_destroy(c);
}

RLX_TEST(library, passes_run_by_name)
{
    static const char *const early[] = {"fuse"}, *const none[] = {"infer", "fusee"},
                             *const null[] = {NULL},
                             *const good[] = {"infer", "lift_functions", "legalize", "fuse"};
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, ADD);
    RLX_FAILS(rlx_ir_module_run_passes(m, early, 1, NULL, &t->error), RLX_E_INVALID_ARG,
              "'fuse' can run only after pass 'legalize'");
    RLX_FAILS(rlx_ir_module_run_passes(m, none, 2, NULL, &t->error), RLX_E_NOT_FOUND, "'fusee'");
    RLX_FAILS(rlx_ir_module_run_passes(m, null, 1, NULL, &t->error), RLX_E_NOT_FOUND, "NULL");
    RLX_OKAY(rlx_ir_module_run_passes(m, good, 2, NULL, &t->error));
    RLX_OKAY(rlx_ir_module_run_passes(m, good + 2, 2, NULL, &t->error));
    cr_expect(strstr(rlx_ir_module_print(m), "R.call_tir") != NULL);
    RLX_OKAY(rlx_ir_module_check(m, &t->error));
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error)); /* the pipeline still runs */
    library_expect(t, exe, 2, (const float[]){1, 1}, (const float[]){5, 6}, (const float[]){7, 8});
    rlx_executable_release(exe);
    rlx_compiler_destroy(c);
}

/* --- targets, output, weights ---------------------------------------------------------------- */

RLX_TEST(library, targets_get_names)
{
    static const char *const texts[] = {"llvm -mcpu=x86-64-v2",
                                        "{\"kind\": \"llvm\", \"mcpu\": \"x86-64-v2\"}"};
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    rlx_compile_options_init(&o);
    for (size_t i = 0; i < 2; i++) {
        char name[] = {'b', 'o', 'x', (char)('0' + i), '\0'};
        void *data = NULL;
        size_t size = 0;
        RLX_OKAY(rlx_compiler_add_target(c, name, texts[i], &t->error));
        o.target = name;
        RLX_OKAY(rlx_ir_module_emit(library_parse(t, c, ADD), &o, RLX_EMIT_BYTECODE, &data, &size,
                                    &t->error));
        cr_expect(memmem(data, size, "--mcpu=x86-64-v2", 16) != NULL, "%s", texts[i]);
        rlx_free(&t->allocator, data, size, 64);
    }
    RLX_FAILS(rlx_compiler_add_target(c, "box0", "llvm", &t->error), RLX_E_INVALID_ARG, "already");
    RLX_FAILS(rlx_compiler_add_target(c, "box2", "abacus", &t->error), RLX_E_INVALID_ARG, "abacus");
    RLX_FAILS(rlx_compiler_add_target(c, "", "llvm", &t->error), RLX_E_INVALID_ARG, "name");
    rlx_compiler_destroy(c);
}

RLX_TEST(library, every_form_is_emitted_to_memory_and_to_files)
{
    static const struct {
        rlx_emit_form form;
        const char *has;
    } rows[] = {{RLX_EMIT_RELAX, "R.add"},    {RLX_EMIT_TIR, "T.prim_func"},
                {RLX_EMIT_SCHEDULE, "sch."},  {RLX_EMIT_LLVM, "define"},
                {RLX_EMIT_ASSEMBLY, ".text"}, {RLX_EMIT_OBJECT, "ELF"},
                {RLX_EMIT_BYTECODE, ".func"}, {RLX_EMIT_EXECUTABLE, "RLX"}};
    rlx_compiler *c = library_compiler(t);
    char path[] = "/tmp/rlx-library-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_ir_module *m = library_parse(t, c, ADD);
        void *data = NULL;
        size_t size = 0;
        RLX_OKAY(rlx_ir_module_emit(m, NULL, rows[i].form, &data, &size, &t->error));
        cr_expect(memmem(data, size, rows[i].has, strlen(rows[i].has)) != NULL, "%s in %.300s",
                  rows[i].has, (const char *)data);
        RLX_OKAY(rlx_ir_module_emit_file(m, NULL, rows[i].form, path, &t->error)); /* again */
        FILE *file = fopen(path, "rb");
        char *read = calloc(1, size + 2);
        cr_assert(file != NULL && read != NULL);
        cr_expect_eq(fread(read, 1, size + 1, file), size, "%s", rows[i].has);
        cr_expect(memcmp(read, data, size) == 0, "%s", rows[i].has);
        fclose(file);
        free(read);
        rlx_free(&t->allocator, data, size, 64);
    }
    rlx_ir_module *m = library_parse(t, c, ADD);
    void *data = NULL;
    size_t size = 0;
    RLX_OKAY(rlx_ir_module_lower(m, NULL, &t->error));
    RLX_FAILS(rlx_ir_module_emit(m, NULL, RLX_EMIT_SCHEDULE, &data, &size, &t->error),
              RLX_E_INVALID_MODULE, "without recording");
    RLX_FAILS(rlx_ir_module_emit(m, NULL, (rlx_emit_form)99, &data, &size, &t->error),
              RLX_E_INVALID_MODULE, "unknown emit form 99");
    cr_expect_eq(rlx_ir_module_emit_file(m, NULL, RLX_EMIT_TIR, "/no/such/folder/x", &t->error),
                 RLX_E_NOT_FOUND, "%s", t->error.message);
    RLX_FAILS(rlx_compiler_read(c, "/no/such/file.py", &m, &t->error), RLX_E_IO, "No such file");
    unlink(path);
    rlx_compiler_destroy(c);
}

RLX_TEST(library, files_are_compressed_unless_options_say_no)
{
    size_t size[2];
    rlx_compiler *c = library_compiler(t);
    for (int no = 0; no < 2; no++) {
        rlx_compile_options o;
        rlx_executable *exe = NULL;
        void *data = NULL;
        rlx_compile_options_init(&o);
        o.no_compression = no;
        RLX_OKAY(rlx_ir_module_emit(library_parse(t, c, ADD), &o, RLX_EMIT_EXECUTABLE, &data,
                                    &size[no], &t->error));
        RLX_OKAY(rlx_executable_load_memory(data, size[no], NULL, &exe, &t->error));
        rlx_executable_release(exe);
        rlx_free(&t->allocator, data, size[no], 64);
    }
    cr_expect(RLX_WITH_ZSTD ? size[0] < size[1] / 4 * 3 : size[0] < size[1], "%zu, %zu", size[0],
              size[1]);
    rlx_compiler_destroy(c);
}

/* The formats of the file's device code, in order. */
static void expect_images(rlx_test *t, const rlx_compile_options *o, const char *first,
                          uint32_t n_images)
{
    rlx_compiler *c = library_compiler(t);
    rlx_executable *exe = NULL;
    rlx_device_module_info code;
    rlx_code_image image;
    void *data = NULL;
    size_t size = 0;
    RLX_OKAY(rlx_ir_module_emit(library_parse(t, c, ADD), o, RLX_EMIT_EXECUTABLE, &data, &size,
                                &t->error));
    RLX_OKAY(rlx_executable_load_memory(data, size, NULL, &exe, &t->error));
    cr_assert(rlx_executable_device_module(exe, 0, &code));
    cr_expect_eq(code.n_images, n_images);
    cr_assert(rlx_executable_code_image(exe, 0, 0, &image));
    cr_expect(image.format.len >= strlen(first) &&
                  memcmp(image.format.data, first, strlen(first)) == 0,
              "%.*s", (int)image.format.len, image.format.data);
    rlx_executable_release(exe);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
}

RLX_TEST(library, drivers_build_device_code_on_request)
{
    rlx_compile_options o;
    rlx_compile_options_init(&o);
    o.default_device = "opencl:0";
    expect_images(t, &o, "opencl-c", 1);
    o.device_binaries = true;
    if (rlx_device_count(NULL, "opencl", NULL) > 0)
        expect_images(t, &o, "opencl-bin:", 1 + rlx_device_count(NULL, "opencl", NULL));
    else
        puts("skipped: binaries, without an OpenCL driver");
}

RLX_TEST(library, device_binaries_need_a_device)
{
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    rlx_compiler *c = library_compiler(t);
    setenv("RLX_OPENCL_LIBRARY", "/no/such/driver.so", 1);
    rlx_compile_options_init(&o);
    o.default_device = "opencl:0";
    o.device_binaries = true;
    RLX_FAILS(rlx_ir_module_emit(library_parse(t, c, ADD), &o, RLX_EMIT_EXECUTABLE, &data, &size,
                                 &t->error),
              RLX_E_INVALID_MODULE, "no binaries for devices of the kind opencl: ");
    rlx_compiler_destroy(c);
}

static bool deleted;
static void delete (DLManagedTensor *m)
{
    deleted = m != NULL;
}

RLX_TEST(library, weights_come_from_memory_by_dlpack)
{
    float data[2] = {3, 4};
    int64_t dims[1] = {2};
    DLManagedTensor managed = {
        .dl_tensor = {.data = data, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = dims},
        .deleter = delete};
    managed.dl_tensor.device.device_type = kDLCPU;
    rlx_compiler *c = library_compiler(t);
    rlx_tensor *w = NULL;
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &managed, NULL, &w, NULL, &t->error));
    rlx_ir_module *m = library_parse(t, c, ADD);
    const rlx_named_tensor named[] = {{"w", w}, {NULL, w}, {"w", NULL}};
    RLX_OKAY(rlx_ir_module_bind_tensors(m, named, 1, &t->error));
    RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error));
    library_expect(t, exe, 2, NULL, (const float[]){5, 6}, (const float[]){12, 13});
    rlx_executable_release(exe);
    for (int i = 1; i < 3; i++)
        RLX_FAILS(rlx_ir_module_bind_tensors(library_parse(t, c, ADD), &named[i], 1, &t->error),
                  RLX_E_INVALID_MODULE, "is NULL");
    const rlx_named_tensor other = {"x", w}; /* accepts any n: its dimension becomes 2 */
    RLX_OKAY(rlx_ir_module_bind_tensors(library_parse(t, c, ADD), &other, 1, &t->error));
    RLX_FAILS(rlx_ir_module_bind_file(library_parse(t, c, ADD), "/no/such.safetensors", &t->error),
              RLX_E_INVALID_MODULE, "No such file");
    rlx_value_release(rlx_of_tensor(w));
    cr_expect_not(deleted, "the compiler holds the tensor");
    rlx_compiler_destroy(c);
    cr_expect(deleted);
}

RLX_TEST(library, hostile_input_is_an_error)
{
    static const char *const texts[] = {
        "",      "\0", "\xff\xfe", "@R.function", "class", "((((((((((", "@R.function\ndef main(:",
        "\n\n\n"};
    rlx_compiler *c = library_compiler(t);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rlx_ir_module *m = NULL;
        cr_expect_eq(rlx_compiler_parse(c, "m.py", texts[i], strlen(texts[i]), &m, &t->error),
                     RLX_E_INVALID_MODULE, "%zu", i);
        cr_expect_eq(
            rlx_compiler_import_onnx(c, "m.onnx", texts[i], strlen(texts[i]), &m, &t->error),
            RLX_E_INVALID_MODULE, "%zu", i);
        cr_expect_null(m);
        rlx_ir_module *good = library_parse(t, c, ADD);
        cr_expect_neq(rlx_ir_module_set_schedule(good, "s", i ? texts[i] : "sch.",
                                                 i ? strlen(texts[i]) : 4, &t->error) == RLX_OK &&
                          i < 1,
                      true);
    }
    rlx_compiler_destroy(c);
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Adds a pass, builds, compiles, loads; returns the status of the first call that fails. */
static rlx_status everything(rlx_test *t, rlx_executable **exe, rlx_error *err)
{
    trace r = {"", RLX_OK};
    const rlx_pass_desc pass = pass_row("p", NULL, "infer", &r);
    const rlx_compiler_options options = {.size = sizeof options, .allocator = &t->allocator};
    rlx_compiler *c = NULL;
    rlx_ir_module *m = NULL;
    void *data = NULL;
    size_t size = 0;
    RLX_TRY(rlx_compiler_create(&options, &c, err));
    rlx_status status = rlx_compiler_add_pass(c, &pass, err);
    if (status == RLX_OK)
        status = library_build(c, &m, err);
    if (status == RLX_OK)
        status = rlx_ir_module_emit(m, NULL, RLX_EMIT_RELAX, &data, &size, err);
    rlx_free(&t->allocator, data, size, 64);
    if (status == RLX_OK)
        status = rlx_ir_module_load(m, NULL, NULL, exe, err);
    rlx_compiler_destroy(c);
    return status;
}

RLX_TEST(library, running_out_of_memory_is_an_error_at_every_allocation)
{
    bool done = false;
    for (size_t n = 1; !done; n++) {
        rlx_executable *exe = NULL;
        const size_t live = t->live_blocks;
        cr_assert_lt(n, 4000, "it never succeeds");
        t->calls = 0;
        t->fail_at = n;
        const rlx_status status = everything(t, &exe, &t->error);
        done = t->calls < n;
        cr_expect_eq(status, done ? RLX_OK : RLX_E_NOMEM, "allocation %zu: %s", n,
                     t->error.message);
        rlx_executable_release(exe);
        cr_assert_eq(t->live_blocks, live, "allocation %zu: a leak", n);
    }
    t->fail_at = 0;
}
