/* Golden tests of the passes: each case of tests/passes/PASS.py (files.h says how they are written)
 * runs through the pipeline up to PASS, and must then print as the file says. RLX_BLESS=1 writes
 * what it prints into the file instead: review that as a diff. A pass on request is requested here.
 * A first line "# --bound n=2:64" or "# -O1" sets that option; lines "# --fuse NAME=PATTERN" give
 * patterns of pass fuse_ops_by_pattern (--fuse-lifted: constants become operands; --fuse-shared:
 * values inside may be used outside), "# --codegen NAME" code generators. Where a line "# module
 * PATH" is among the first, the module is that file's.
 *
 * The cases of tests/explain.py are compiled with rlxc --explain, and say its output; those of
 * tests/emit/opencl.py with --emit=opencl.
 *
 * The pipeline runs with its checks on, so every stage must also be well formed and parse back to
 * itself. */
#include "tests/support/rlx_test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/codegen/device.h"
#include "compiler/driver/compile.h"
#include "compiler/passes/composite.h"
#include "compiler/schedule/explain.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"

typedef struct stop_after {
    rlxc_context *ctx;
    const char *pass;
    const char *printed;
} stop_after;

static bool after_pass(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    (void)seconds;
    stop_after *s = user;
    if (strcmp(pass->name, s->pass) != 0)
        return true;
    s->printed = rlxc_print_module(s->ctx, module);
    return false;
}

enum { MAX_FUSIONS = 8, MAX_GENERATORS = 2 };

typedef struct generators {
    rlxc_fusion fusions[MAX_FUSIONS];
    rlxc_generator all[MAX_GENERATORS];
} generators;

/* Patterns and code generators that the first lines name. */
static void read_generators(rlxc_context *ctx, const char *text, generators *g,
                            rlxc_options *options)
{
    for (; *text == '#'; text += strcspn(text, "\n") + 1) {
        char name[64];
        int length = 0;
        const char *line = rlxc_intern(ctx, text, strcspn(text, "\n"));
        bool lifted = sscanf(line, "# --fuse-lifted %63[^=]=%n", name, &length) == 1;
        bool shared = sscanf(line, "# --fuse-shared %63[^=]=%n", name, &length) == 1;
        if (lifted || shared || sscanf(line, "# --fuse %63[^=]=%n", name, &length) == 1) {
            cr_assert(options->n_fusions < MAX_FUSIONS);
            g->fusions[options->n_fusions++] = (rlxc_fusion){.name = rlxc_intern_cstr(ctx, name),
                                                             .pattern = line + length,
                                                             .lift_constants = lifted,
                                                             .shared = shared};
        } else if (sscanf(line, "# --codegen %63s", name) == 1) {
            cr_assert(options->n_generators < MAX_GENERATORS);
            g->all[options->n_generators++].name = rlxc_intern_cstr(ctx, name);
        }
    }
    options->fusions = g->fusions;
    options->generators = g->all;
}

/* The module's text: |text| itself, or the file that one of its first lines names. */
static const char *module_text(rlxc_context *ctx, const char *text)
{
    for (const char *line = text; *line == '#'; line += strcspn(line, "\n") + 1) {
        char path[200];
        if (sscanf(line, "# module %199s", path) != 1)
            continue;
        char *other = file_read(path, NULL);
        text = rlxc_intern_cstr(ctx, other);
        free(other);
        break;
    }
    return text;
}

static void check_case(void *user, const char *path)
{
    const char *pass = user;
    char *text = file_read(path, NULL);
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_options options;
    int level = 2;
    (void)sscanf(text, "# -O%d", &level);
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", level));
    options.check = true;
    char symbol[32];
    long long min, max;
    if (sscanf(text, "# --bound %31[^=]=%lld:%lld", symbol, &min, &max) == 3) {
        options.bounds[0].name = symbol;
        options.bounds[0].min = min;
        options.bounds[0].max = max;
        options.n_bounds = 1;
    }
    char device[32];
    if (sscanf(text, "# --default-device %31s", device) == 1)
        options.default_device = device;
    generators given = {0};
    read_generators(ctx, text, &given, &options);
    if (strcmp(pass, "to_mixed_precision") == 0)
        options.mixed = RLX_F16;
    options.requests[options.n_requests++] = pass;
    stop_after stop = {ctx, pass, NULL};
    const rlxc_pass_hooks hooks = {&stop, after_pass};
    const char *source = module_text(ctx, text);
    rlxc_module *module = rlxc_read_module(ctx, path, source, strlen(source));
    if (module)
        (void)rlxc_lower_module(ctx, module, &options, &hooks);
    cr_expect(stop.printed, "%s: the pipeline did not reach %s:\n%s", path, pass,
              rlxc_render_diagnostics(ctx));
    if (stop.printed)
        file_expect(path, stop.printed);
    rlxc_context_destroy(ctx);
    free(text);
}

static bool is_of_a_pass(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    const size_t length = strlen(name) - strlen(".py");
    uint32_t count;
    const rlxc_pass *passes = rlxc_passes(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strlen(passes[i].name) == length && memcmp(passes[i].name, name, length) == 0)
            return true;
    return false;
}

RLX_TEST(golden, every_pass_prints_what_was_reviewed)
{
    uint32_t count;
    const rlxc_pass *passes = rlxc_passes(&count);
    for (uint32_t i = 0; i < count; i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/passes/%s.py", passes[i].name);
        if (access(path, R_OK) == 0)
            file_each_case(path, check_case, (void *)(uintptr_t)passes[i].name);
    }
    glob_t files;
    cr_assert_eq(glob("tests/passes/*.py", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        cr_expect(is_of_a_pass(files.gl_pathv[i]), "%s has no pass", files.gl_pathv[i]);
    globfree(&files);
}

/* --- explanations ------------------------------------------------------------------------------
 */

static void explain_case(void *user, const char *path)
{
    (void)user;
    char *text = file_read(path, NULL);
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_explain explain = {.ctx = ctx, .print = rlxc_print_expr};
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    options.check = true;
    options.explain = &explain;
    rlxc_module *module = rlxc_read_module(ctx, path, text, strlen(text));
    cr_expect(module && rlxc_lower_module(ctx, module, &options, NULL), "%s",
              rlxc_render_diagnostics(ctx));
    file_expect(path, rlxc_explain_text(&explain));
    rlxc_context_destroy(ctx);
    free(text);
}

RLX_TEST(golden, every_explanation_is_what_was_reviewed)
{
    cr_expect(file_each_case("tests/explain.py", explain_case, NULL) > 1);
}

/* --- code for devices --------------------------------------------------------------------------
 */

static void emit_case(void *user, const char *path)
{
    (void)user;
    char *text = file_read(path, NULL);
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_device_code *codes = NULL;
    uint32_t n = 0;
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    options.check = true;
    rlxc_module *module = rlxc_read_module(ctx, path, text, strlen(text));
    cr_assert(module && rlxc_lower_module(ctx, module, &options, NULL) &&
                  rlxc_compile_devices(ctx, module, &options, &codes, &n),
              "%s", rlxc_render_diagnostics(ctx));
    cr_assert(n == 1 && codes[0].n_images == 1, "%s", path);
    file_expect(path, rlxc_intern(ctx, codes[0].images[0].data, codes[0].images[0].size));
    rlxc_context_destroy(ctx);
    free(text);
}

RLX_TEST(golden, code_for_opencl_is_what_was_reviewed)
{
    file_each_case("tests/emit/opencl.py", emit_case, NULL);
}
