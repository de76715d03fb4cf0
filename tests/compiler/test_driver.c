/* rlxc's command line: options, messages, exit status. The end-to-end tests cover whole
 * compilations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/options.h"
#include "compiler/driver/compile.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

enum { MAX_WORDS = 12, MAX_TEXT = 1 << 16 };

static const char *const MODULE =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 4), dtype=\"float32\")) -> R.Tensor((\"n\", 4), "
    "dtype=\"float32\"):\n"
    "        y = R.add(x, x)\n"
    "        return y\n";

/* Runs "rlxc WORDS" (split at spaces); |out| and |err| get its output, truncated to fit. */
static int run(const char *words, char *out, char *err)
{
    char copy[512];
    char *argv[MAX_WORDS] = {(char[]){"rlxc"}};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *save = NULL, *w = strtok_r(copy, " ", &save); w != NULL && argc < MAX_WORDS;
         w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    FILE *out_file = fmemopen(out, MAX_TEXT, "w");
    FILE *err_file = fmemopen(err, MAX_TEXT, "w");
    cr_assert(out_file != NULL && err_file != NULL);
    out[0] = err[0] = '\0';
    int status = rlxc_main(argc, argv, out_file, err_file);
    fclose(out_file);
    fclose(err_file);
    return status;
}

RLX_TEST(driver, usage_errors_exit_2_with_a_suggestion)
{
    (void)t;
    static const struct {
        const char *words, *message;
    } rows[] = {
        {"", "no input"},
        {"m.py", "-o FILE"},
        {"m.py -o -", "-o -: only text forms go to standard output"},
        {"m.py --emit=obj", "-o FILE"},
        {"m.py -o x --tagret cpu", "unknown option '--tagret'; did you mean '--target'?"},
        {"m.py -o x --frobnicate-it", "unknown option '--frobnicate-it'; see rlxc --help\n"},
        {"m.py -o x --mixed-precision=float8", "expected float16 or bfloat16, got 'float8'"},
        {"m.py -o x --pass=adjust_matmul_ordr", "did you mean 'adjust_matmul_order'"},
        {"m.py -o x --pass=dce", "'dce' runs at -O1, not on request"},
        {"m.py -o x --pass to_mixed_precision", "needs a type: --mixed-precision TYPE"},
        {"m.py -o x --row-bits=4", "expected 8, 12, 16, 24 or 32, got '4'"},
        {"m.py -o x --rounded-rows=0", "--rounded-rows: expected 1 to 32 or all, got '0'"},
        {"m.py -o x --rounded-rows=33", "--rounded-rows: expected 1 to 32 or all, got '33'"},
        {"m.py -o x --rounded-rows=2x", "--rounded-rows: expected 1 to 32 or all, got '2x'"},
        {"m.py -o x --jobs=0", "expected a number from 1 to 256, got '0'"},
        {"m.py -o x --jobs 257", "expected a number from 1 to 256"},
        {"m.py -o x -j2x", "expected a number from 1 to 256, got '2x'"},
        {"m.py -o x -j", "option '-j' needs a value N"},
        {"m.py -o x --emit=lvm", "did you mean 'llvm'?"},
        {"m.py -o x --print-after=fise", "unknown pass 'fise'; did you mean 'fuse'?"},
        {"m.py -o x --stop-after=nothing-like-it", "unknown pass 'nothing-like-it'; see rlxc"},
        {"m.py -o x --codegen=z9z9z9", "unknown code generator 'z9z9z9'; there are "},
        {"m.py -o x --tune=1", "--tune writes no module"},
        {"m.py --tune=1", "--tune: no place for what it finds"},
        {"m.py -o x --tune-csv c.csv", "--tune-csv needs --tune"},
        {"m.py --tune=1 --database d.j --tune-csv d.j", "name the same file"},
        {"m.py -o x --time-passes=1", "takes no value"},
        {"m.py -o", "needs a value"},
        {"m.py other.py -o x", "more than one input"},
        {"m.py -o x -O4", "-O0 to -O3"},
        {"m.py -o x -Ofast", "-O0 to -O3"},
        {"m.py -o x --bound n", "NAME=MIN:MAX"},
        {"m.py -o x --bound n=1", "NAME=MIN:MAX"},
        {"m.py -o x --bound n=5:4", "NAME=MIN:MAX"},
        {"m.py -o x --bound n=-1:4", "NAME=MIN:MAX"},
        {"m.py -o x --bound =1:4", "NAME=MIN:MAX"},
        {"m.py -o x --bound n=1:99999999999999999999", "NAME=MIN:MAX"},
    };
    static char out[MAX_TEXT], err[MAX_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(run(rows[i].words, out, err), 2, "%s", rows[i].words);
        cr_expect(strstr(err, rows[i].message) != NULL, "%s: %s", rows[i].words, err);
        cr_expect_str_eq(out, "");
    }
}

RLX_TEST(driver, options_are_read_in_both_spellings)
{
    (void)t;
    char *argv[] = {(char[]){"rlxc"},
                    (char[]){"--bound"},
                    (char[]){"n=1:512"},
                    (char[]){"--bound=seq_len=0:8"},
                    (char[]){"-O3"},
                    (char[]){"m.py"},
                    (char[]){"--emit"},
                    (char[]){"asm"},
                    (char[]){"--mcpu=x86-64-v3"},
                    (char[]){"--print-after=fuse"},
                    (char[]){"--row-bits"},
                    (char[]){"24"},
                    (char[]){"-j3"},
                    (char[]){"-o"},
                    (char[]){"out.s"}};
    rlxc_command c;
    cr_assert(rlxc_parse_command(sizeof argv / sizeof *argv, argv, &c, stderr));
    cr_expect_str_eq(c.input, "m.py");
    cr_expect_str_eq(c.output, "out.s");
    cr_expect_str_eq(c.options.cpu, "x86-64-v3");
    cr_expect_eq(c.options.opt_level, 3);
    cr_expect_eq(c.emit, RLX_EMIT_ASSEMBLY);
    cr_expect_eq(c.options.row_bits, 24);
    cr_expect_eq(c.options.jobs, 3);
    cr_assert_eq(c.options.n_bounds, 2);
    cr_expect_str_eq(c.bounds[1].name, "seq_len");
    cr_expect_eq(c.bounds[0].max, 512);
    cr_assert_eq(c.n_print_after, 1);
    cr_expect_str_eq(c.print_after[0], "fuse");
    static const char *const jobs[][2] = {{"--jobs", "4"}, {"-j", "4"}, {"--jobs=4", "-O2"}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char first[16], second[16];
        snprintf(first, sizeof first, "%s", jobs[i][0]);
        snprintf(second, sizeof second, "%s", jobs[i][1]);
        char *words[] = {argv[0], argv[5], (char[]){"--emit=tir"}, first, second};
        cr_assert(rlxc_parse_command(5, words, &c, stderr));
        cr_expect_eq(c.options.jobs, 4, "%s %s", first, second);
    }
}

RLX_TEST(driver, lists_and_help_go_to_the_output)
{
    (void)t;
    static const struct {
        const char *words, *text;
    } rows[] = {{"--help", "--print-after"},
                {"--help", "--jobs N"},
                {"--version", "rlxc "},
                {"--list-ops", "R.nn.softmax("},
                {"--list-passes", "plan_memory"}};
    static char out[MAX_TEXT], err[MAX_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(run(rows[i].words, out, err), 0);
        cr_expect(strstr(out, rows[i].text) != NULL, "%s: %s", rows[i].words, out);
        cr_expect_str_eq(err, "");
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    cr_assert(f != NULL);
    fputs(text, f);
    fclose(f);
}

RLX_TEST(driver, inputs_that_cannot_be_compiled_exit_1)
{
    (void)t;
    char folder[] = "/tmp/rlx_driver_XXXXXX";
    cr_assert(mkdtemp(folder) != NULL);
    static char out[MAX_TEXT], err[MAX_TEXT];
    char words[512], path[128];

    snprintf(words, sizeof words, "%s/none.py -o %s/x", folder, folder);
    cr_expect_eq(run(words, out, err), 1);
    cr_expect(strstr(err, "none.py: No such file") != NULL, "%s", err);

    snprintf(path, sizeof path, "%s/model.onnx", folder);
    write_text(path, "no protobuf at all");
    snprintf(words, sizeof words, "%s -o %s/x", path, folder);
    cr_expect_eq(run(words, out, err), 1);
    cr_expect(strstr(err, "model.onnx") != NULL, "%s", err);
    unlink(path);

    snprintf(path, sizeof path, "%s/bad.py", folder);
    write_text(path, "@I.ir_module\nclass Module:\n    def\n");
    snprintf(words, sizeof words, "%s -o %s/x", path, folder);
    cr_expect_eq(run(words, out, err), 1);
    cr_expect(strstr(err, "bad.py:3:") != NULL, "%s", err);
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "no output may be left");
}

RLX_TEST(driver, stops_and_prints_after_a_pass)
{
    (void)t;
    char folder[] = "/tmp/rlx_driver_XXXXXX";
    cr_assert(mkdtemp(folder) != NULL);
    static char out[MAX_TEXT], err[MAX_TEXT];
    char words[512], path[128];
    snprintf(path, sizeof path, "%s/m.py", folder);
    write_text(path, MODULE);

    snprintf(words, sizeof words, "%s --stop-after=infer --check --time-passes", path);
    cr_expect_eq(run(words, out, err), 0, "%s", err);
    cr_expect(strstr(out, "y: R.Tensor((n, 4), dtype=\"float32\") = R.add(x, x)") != NULL, "%s",
              out);
    cr_expect(strstr(err, "infer") != NULL, "%s", err);

    snprintf(words, sizeof words, "%s --stop-after=legalize --emit=tir -O0 --print-after=infer",
             path);
    cr_expect_eq(run(words, out, err), 0, "%s", err);
    cr_expect(strstr(out, "# after pass infer") != NULL, "%s", out);
    cr_expect(strstr(out, "@T.prim_func") != NULL, "%s", out);

    /* A pass that does not run stops nothing: no executable goes to standard output. */
    static const char *const unreached[][2] = {
        {"--stop-after=match_patterns -O0",
         "pass match_patterns runs from -O1 on, and this is -O0"},
        {"--stop-after=static_plan", "pass static_plan runs only with --pass static_plan"},
    };
    for (size_t i = 0; i < sizeof unreached / sizeof *unreached; i++) {
        snprintf(words, sizeof words, "%s %s", path, unreached[i][0]);
        cr_expect_eq(run(words, out, err), 1, "%s", words);
        cr_expect(strstr(err, unreached[i][1]) != NULL, "%s", err);
        cr_expect_str_eq(out, "", "%s", words);
    }

    /* Prints the module as parsed, before any pass. */
    snprintf(words, sizeof words, "%s --emit=relax -o -", path);
    cr_expect_eq(run(words, out, err), 0, "%s", err);
    cr_expect(strstr(out, "R.add(x, x)") != NULL && strstr(out, "T.prim_func") == NULL, "%s", out);
    unlink(path);
    rmdir(folder);
}

static const char *const PRODUCT = "@I.ir_module\n"
                                   "class Module:\n"
                                   "    @R.function\n"
                                   "    def main(x: R.Tensor((\"n\", 16), dtype=\"float32\"),\n"
                                   "             w: R.Tensor((16, 64), dtype=\"float32\")):\n"
                                   "        y = R.matmul(x, w)\n"
                                   "        return y\n";

static const char *const HALVES = "@I.ir_module\n"
                                  "class Module:\n"
                                  "    @R.function\n"
                                  "    def main(x: R.Tensor((\"n\", 64), dtype=\"float16\")):\n"
                                  "        y = R.exp(x)\n"
                                  "        return y\n";

/* Kernels use the target's vector instructions, also for targets that cannot run here. */
RLX_TEST(driver, kernels_are_in_vectors_of_the_target)
{
    static const struct {
        bool halves;
        const char *target, *instruction, *operand;
    } cases[] = {
        {false, "--mcpu=x86-64", "mulps", "%xmm"},
        {false, "--mcpu=x86-64-v3", "vfmadd", "%ymm"},
        {false, "--mcpu=x86-64-v4", "vfmadd", "%zmm"},
        {false, "--target=aarch64-unknown-linux-gnu", "fmla\tv", ".4s, v"},
        {true, "--mcpu=x86-64-v3", "vcvtps2ph", "%ymm"},
        {true, "--mcpu=x86-64-v4", "vcvtps2ph", "%zmm"},
    };
    (void)t;
    char folder[] = "/tmp/rlx_driver_XXXXXX", words[512], path[128];
    static char out[MAX_TEXT], err[MAX_TEXT];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/m.py", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(path, cases[i].halves ? HALVES : PRODUCT);
        snprintf(words, sizeof words, "%s --emit=asm %s", path, cases[i].target);
        cr_expect_eq(run(words, out, err), 0, "%s", err);
        const char *at = strstr(out, cases[i].instruction);
        size_t line = at ? strcspn(at, "\n") : 0;
        const char *operand = at ? strstr(at, cases[i].operand) : NULL;
        cr_expect(operand && operand < at + line, "%s: %.*s", cases[i].target, (int)line,
                  at ? at : "");
    }
    unlink(path);
    rmdir(folder);
}

/* What LLVM computes with 16-bit floats lane by lane is computed with floats. */
RLX_TEST(driver, halves_are_not_computed_one_by_one)
{
    static const char *const calls[] = {
        "R.nn.relu(x)",
        "R.floor(x)",
        "R.maximum(x, R.square(x))",
        "R.sigmoid(x)",
        "R.clip(x, 0, 6)",
        "R.max(x, axis=[0])",
        "R.where(R.greater(x, R.exp(x)), x, R.round(x))",
        "R.nn.max_pool2d(R.reshape(x, (1, 8, -1, 8)), 3, layout=\"NHWC\")"};
    static const char *const single[] = {"comiss", "roundss", "rndscaless", "maxss"};
    (void)t;
    char folder[] = "/tmp/rlx_driver_XXXXXX", words[512], path[128], text[1024];
    static char out[MAX_TEXT], err[MAX_TEXT];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/m.py", folder);
    for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        snprintf(text, sizeof text,
                 "@I.ir_module\nclass Module:\n    @R.function\n"
                 "    def main(x: R.Tensor((64, 64), \"float16\")):\n        return %s\n",
                 calls[i / 2]);
        write_text(path, text);
        snprintf(words, sizeof words, "%s --emit=asm --mcpu=x86-64-v%d", path, i % 2 ? 3 : 4);
        cr_expect_eq(run(words, out, err), 0, "%s", err);
        cr_expect(strstr(out, "vcvtps2ph"), "%s", words);
        for (size_t k = 0; k < sizeof single / sizeof *single; k++)
            cr_expect(!strstr(out, single[k]), "%s has %s", calls[i / 2], single[k]);
    }
    unlink(path);
    rmdir(folder);
}

RLX_TEST(driver, the_same_source_gives_the_same_bytes)
{
    void *data[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    char path[] = "/tmp/rlx-driver-XXXXXX";
    int taken = mkstemp(path);
    cr_assert(taken >= 0 && close(taken) == 0);
    rlx_error err = {0};
    for (int i = 0; i < 2; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options;
        rlx_exec_builder *b = NULL;
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        cr_assert_eq(rlx_exec_builder_create(&t->allocator, &b, &err), RLX_OK);
        cr_assert(rlxc_compile_text(ctx, "m.py", MODULE, strlen(MODULE), &options, b), "%s",
                  rlxc_render_diagnostics(ctx));
        cr_assert_eq(rlx_exec_builder_finish(b, &data[i], &size[i], &err), RLX_OK, "%s",
                     err.message);
        if (i == 0)
            cr_assert_eq(rlx_exec_builder_save(b, path, &err), RLX_OK, "%s", err.message);
        rlx_exec_builder_destroy(b);
        rlxc_context_destroy(ctx);
    }
    cr_expect_eq(size[0], size[1]);
    cr_expect(size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    char *saved = malloc(size[0] + 1);
    cr_expect_eq(fread(saved, 1, size[0] + 1, file), size[0]);
    cr_expect(memcmp(saved, data[0], size[0]) == 0, "the file is not what is built in memory");
    fclose(file);
    free(saved);
    unlink(path);
    rlx_free(&t->allocator, data[0], size[0], 64);
    rlx_free(&t->allocator, data[1], size[1], 64);
}

RLX_TEST(driver, running_out_of_memory_is_an_error_at_every_allocation)
{
    rlxc_options options = {0};
    bool compiled = false;
    for (size_t fail_at = 1; !compiled; fail_at++) {
        cr_assert(fail_at < 2000, "the compilation never succeeds");
        t->calls = 0;
        t->fail_at = fail_at;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        if (ctx == NULL)
            continue;
        rlx_exec_builder *b = NULL;
        rlx_error err = {0};
        bool ok = rlx_exec_builder_create(&t->allocator, &b, &err) == RLX_OK &&
                  rlxc_options_init(ctx, &options, NULL, NULL, 2);
        options.check = true; /* allocations of printing, parsing and comparing fail too */
        ok = ok && rlxc_compile_text(ctx, "m.py", MODULE, strlen(MODULE), &options, b);
        compiled = t->calls < fail_at;
        cr_expect(ok == compiled, "call %zu", fail_at);
        rlx_exec_builder_destroy(b);
        rlxc_context_destroy(ctx);
    }
    t->fail_at = 0;
}

RLX_TEST(driver, a_pass_to_print_that_does_not_run_is_named)
{
    static char out[MAX_TEXT], err[MAX_TEXT];
    char folder[] = "/tmp/rlx-driver-XXXXXX", words[256], path[64];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.py", folder);
    RLX_OKAY(rlx_write_file(path, MODULE, strlen(MODULE), &t->error));
    snprintf(words, sizeof words, "%s --emit=tir --print-after=static_plan --print-after=fuse",
             path);
    cr_expect_eq(run(words, out, err), 0, "%s", err);
    cr_expect(strstr(err, "warning: pass static_plan runs only with --pass static_plan"), "%s",
              err);
    cr_expect(strstr(out, "# after pass fuse") && !strstr(err, "fuse"), "%s", err);
    cr_assert(unlink(path) == 0 && rmdir(folder) == 0);
}

RLX_TEST(driver, an_output_that_is_an_input_is_refused)
{
    static char out[MAX_TEXT], err[MAX_TEXT];
    char folder[] = "/tmp/rlx-driver-XXXXXX", words[512], back[256];
    cr_assert(mkdtemp(folder) && getcwd(back, sizeof back) && chdir(folder) == 0);
    RLX_OKAY(rlx_write_file("m.py", MODULE, strlen(MODULE), &t->error));
    RLX_OKAY(rlx_write_file("w.safetensors", "w", 1, &t->error));
    RLX_OKAY(rlx_write_file("l.o", "l", 1, &t->error));
    cr_assert_eq(symlink("m.py", "soft.py"), 0);
    cr_assert_eq(link("m.py", "hard.py"), 0);
    static const char *const rows[] = {
        "m.py -o m.py",
        "m.py -o ./m.py",
        "m.py -o %s/m.py",
        "%s/m.py -o soft.py",
        "soft.py -o m.py",
        "hard.py -o soft.py",
        "m.py -o hard.py --emit=relax",
        "m.py -o m.py --emit=tir",
        "m.py -o m.py --emit=llvm",
        "m.py -o m.py --emit=asm",
        "m.py -o m.py --emit obj",
        "m.py -o m.py --emit bytecode",
        "m.py -o m.py --stop-after=fuse",
        "m.py --params w.safetensors -o w.safetensors",
        "m.py --link l.o -o l.o",
        "m.py --database l.o -o l.o",
        "m.py --schedule l.o -o l.o",
        "m.py --tune=1 --database m.py",
        "m.py --tune=1 --tune-csv m.py",
        "m.py --tune=1 --database l.o --tune-csv ./l.o",
        "m.py --link nothing.a --link l.o --emit obj -o ../%s/l.o",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = rows[i][0] == 'm' && strstr(rows[i], "..") ? folder + 5 : folder;
        snprintf(words, sizeof words, rows[i], name);
        cr_expect_eq(run(words, out, err), 2, "%s", words);
        cr_expect(strstr(err, "would overwrite the input") != NULL, "%s: %s", words, err);
    }
    char *text = NULL;
    FILE *file = fopen("m.py", "r");
    size_t room = 0;
    cr_assert(file && getdelim(&text, &room, '\0', file) > 0);
    cr_expect_str_eq(text, MODULE);
    fclose(file);
    free(text);
    static const char *const files[] = {"m.py", "w.safetensors", "l.o", "soft.py", "hard.py"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_eq(unlink(files[i]), 0, "%s is gone", files[i]);
    cr_assert(chdir(back) == 0 && rmdir(folder) == 0, "something was left in %s", folder);
}
