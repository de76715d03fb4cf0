/* Schedule steps, table-driven. The first line of each case of tests/schedule/steps.sch names a
 * module, "# NAME" of tests/schedule/modules.py, which the steps below it are applied to.
 *
 *  - Steps may also be a trace in TVM's format: the JSON below the first line.
 *  - The scheduled module must print as the case says. RLX_BLESS=1 writes what it prints: review
 *    that as a diff.
 *  - The output of --emit=schedule, applied to the module again, gives the same result.
 *  - The kernel gives the same results as without a schedule, at sizes that no factor divides.
 *
 * The cases of tests/schedule/illegal.sch must be refused: "# error: TEXT" stands above steps whose
 * message contains TEXT; a line "# ---" begins other steps for the same module. */
#include "tests/support/rlx_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/kernels/rules.h"
#include "compiler/schedule/engine.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"
#include "tests/compiler/kernel_fixture.h"

#define STEPS "tests/schedule/steps.sch"
#define ILLEGAL "tests/schedule/illegal.sch"
#define MODULES "tests/schedule/modules.py"

enum { ELEMENTS = 1 << 16 };

/* The module that the first line of a schedule names. */
static char *read_module(const char *text)
{
    char path[128], name[64];
    cr_assert(sscanf(text, "# %60s", name) == 1);
    snprintf(path, sizeof path, MODULES "#%s", name);
    return file_read(path, NULL);
}

static bool schedule(kernel_fixture *f, const char *path, const char *text)
{
    const char *second = text + strcspn(text, "\n");
    if (strncmp(second, "\n[", 2) == 0) /* JSON, which has no comments */
        text = second + 1;
    rlxc_schedules *all = rlxc_alloc(f->ctx, sizeof *all);
    if (!rlxc_parse_schedules(f->ctx, path, text, strlen(text), all))
        return false;
    rlxc_rule_steps *noted = rlxc_alloc(f->ctx, sizeof *noted);
    *noted = (rlxc_rule_steps){.used = {0}};
    f->options.schedules = all;
    f->options.steps = noted;
    return rlxc_pass_apply_schedules(f->ctx, f->module, &f->options);
}

/* The list printed by --emit=schedule does the same to the module and prints identically. */
static void check_round_trip(const char *path, const char *module, kernel_fixture *first)
{
    kernel_fixture again;
    const char *text = rlxc_print_schedules(first->ctx, "Module", &first->options.steps->made);
    cr_assert(kernel_fixture_parse(&again, NULL, 2, NULL, module));
    cr_assert(schedule(&again, "printed.sch", text), "%s:\n%s%s", path, text,
              rlxc_render_diagnostics(again.ctx));
    cr_expect_str_eq(rlxc_print_module(again.ctx, again.module),
                     rlxc_print_module(first->ctx, first->module), "%s", path);
    cr_expect_str_eq(rlxc_print_schedules(again.ctx, "Module", &again.options.steps->made), text,
                     "%s", path);
    kernel_fixture_deinit(&again);
}

static void check_golden(void *user, const char *path)
{
    (void)user;
    kernel_fixture f;
    char *text = file_read(path, NULL), *module = read_module(text);
    cr_assert(kernel_fixture_parse(&f, NULL, 2, NULL, module));
    if (schedule(&f, path, text)) {
        file_expect(path, rlxc_print_module(f.ctx, f.module));
        check_round_trip(path, module, &f);
    } else {
        cr_expect(false, "%s: %s", path, rlxc_render_diagnostics(f.ctx));
    }
    kernel_fixture_deinit(&f);
    free(module);
    free(text);
}

RLX_TEST(engine, every_schedule_prints_as_reviewed)
{
    cr_expect(file_each_case(STEPS, check_golden, NULL) > 1);
}

static void fill(float *values, unsigned seed)
{
    for (int i = 0; i < ELEMENTS; i++) {
        seed = seed * 1103515245u + 12345u;
        values[i] = (float)(seed >> 16 & 255) / 256.0f - 0.5f;
    }
}

static void check_numbers(void *user, const char *path)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 16, 33};
    static float a[ELEMENTS], b[ELEMENTS], expected[ELEMENTS], got[ELEMENTS];
    kernel_fixture plain, scheduled;
    (void)user;
    char *text = file_read(path, NULL), *module = read_module(text);
    cr_assert(kernel_fixture_parse(&plain, NULL, 0, NULL, module));
    cr_assert(kernel_fixture_build(&plain));
    cr_assert(kernel_fixture_parse(&scheduled, NULL, 2, NULL, module));
    cr_assert(schedule(&scheduled, path, text), "%s", rlxc_render_diagnostics(scheduled.ctx));
    cr_assert(kernel_fixture_build(&scheduled), "%s", path);
    fill(a, 1);
    fill(b, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t dims[] = {sizes[s], sizes[s], sizes[s]}; /* of up to three symbols */
        void *one[] = {a, b, expected}, *two[] = {a, b, got};
        for (int i = 0; i < ELEMENTS; i++)
            expected[i] = got[i] = -77;
        cr_assert_eq(kernel_fixture_call(&plain, "f", one, dims), 0);
        cr_assert_eq(kernel_fixture_call(&scheduled, "f", two, dims), 0);
        int wrong = 0;
        for (int i = 0; i < ELEMENTS; i++)
            wrong += !(fabsf(expected[i] - got[i]) <= 1e-5f * (1 + fabsf(expected[i])));
        cr_expect_eq(wrong, 0, "%s: n = %d: %d elements differ", path, (int)sizes[s], wrong);
    }
    kernel_fixture_deinit(&plain);
    kernel_fixture_deinit(&scheduled);
    free(module);
    free(text);
}

RLX_TEST(engine, scheduled_kernels_compute_the_same)
{
    cr_expect(file_each_case(STEPS, check_numbers, NULL) > 1);
}

/* The module with its function on a device. */
static char *on_device(const char *module)
{
    static const char attr[] = "        T.func_attr({\"target\": \"opencl\"})\n";
    const char *at = strstr(module, "def f(");
    at = at ? strchr(at, '\n') : NULL;
    cr_assert(at != NULL);
    char *out = malloc(strlen(module) + sizeof attr);
    sprintf(out, "%.*s%s%s", (int)(at + 1 - module), module, attr, at + 1);
    return out;
}

/* |n_inputs| buffers and the result, at sizes that no tile divides. */
static void check_on_device(void *user, const char *path)
{
    (void)user;
    if (strcmp(path, MODULES "#device") == 0) /* is on one already */
        return;
    static const int64_t sizes[] = {0, 1, 2, 7, 16, 33};
    static float a[ELEMENTS], b[ELEMENTS], expected[ELEMENTS], got[ELEMENTS];
    kernel_fixture plain, bound;
    char *module = file_read(path, NULL), *device = on_device(module);
    const bool one = strstr(module, "def f(a: T.handle, o: T.handle)") != NULL;
    cr_assert(kernel_fixture_parse(&plain, NULL, 0, NULL, module), "%s", path);
    cr_assert(kernel_fixture_build(&plain));
    cr_assert(kernel_fixture_parse(&bound, NULL, 2, NULL, device), "%s", path);
    cr_assert(kernel_fixture_build(&bound), "%s", path);
    fill(a, 1);
    fill(b, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t dims[] = {sizes[s], sizes[s], sizes[s]};
        void *first[] = {a, one ? expected : b, expected}, *second[] = {a, one ? got : b, got};
        for (int i = 0; i < ELEMENTS; i++)
            expected[i] = got[i] = -77;
        cr_assert_eq(kernel_fixture_call(&plain, "f", first, dims), 0);
        cr_assert_eq(kernel_fixture_call(&bound, "f", second, dims), 0);
        int wrong = 0;
        for (int i = 0; i < ELEMENTS; i++)
            wrong += !(fabsf(expected[i] - got[i]) <= 1e-4f * (1 + fabsf(expected[i])));
        cr_expect_eq(wrong, 0, "%s: n = %d: %d elements differ", path, (int)sizes[s], wrong);
    }
    kernel_fixture_deinit(&plain);
    kernel_fixture_deinit(&bound);
    free(module);
    free(device);
}

RLX_TEST(engine, rules_of_devices_compute_the_same)
{
    cr_expect(file_each_case(MODULES, check_on_device, NULL) > 8);
}

/* One case in a file of illegal lists: "# error: TEXT" and the steps below it. */
static void check_error(const char *path, const char *module, const char *text)
{
    char wanted[256];
    kernel_fixture f;
    const char *at = strstr(text, "# error: ");
    cr_assert(at && sscanf(at, "# error: %255[^\n]", wanted) == 1);
    cr_assert(kernel_fixture_parse(&f, NULL, 2, "x86-64-v3", module));
    const char *before = rlxc_print_module(f.ctx, f.module);
    cr_expect(!schedule(&f, path, text), "%s: legal:\n%s", path, text);
    cr_expect(strstr(rlxc_render_diagnostics(f.ctx), wanted), "%s lacks '%s':\n%s", path, wanted,
              rlxc_render_diagnostics(f.ctx));
    cr_expect_str_eq(rlxc_print_module(f.ctx, f.module), before);
    kernel_fixture_deinit(&f);
}

static void check_errors(void *user, const char *path)
{
    (void)user;
    char *text = file_read(path, NULL), *module = read_module(text), *at = text;
    while (at) {
        char *next = strstr(at, "# ---\n");
        if (next) {
            *next = '\0';
            next += strlen("# ---\n");
        }
        check_error(path, module, at);
        at = next;
    }
    free(module);
    free(text);
}

RLX_TEST(engine, illegal_steps_say_why_and_change_nothing)
{
    cr_expect(file_each_case(ILLEGAL, check_errors, NULL) > 1);
}

/* Fails the n-th allocation, for each n until none fails; every failure must be reported as one. */
RLX_TEST(engine, running_out_of_memory_is_an_error)
{
    char *text = file_read(STEPS "#tiled", NULL);
    char *module = file_read(MODULES "#product", NULL);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        t->calls = 0;
        t->fail_at = n;
        t->fail_after = n % 2 == 0;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        if (!ctx)
            continue;
        rlxc_options options;
        rlxc_schedules all;
        rlxc_module *m = rlxc_parse_module(ctx, "m.py", module, strlen(module));
        bool ok = m && rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2) &&
                  rlxc_parse_schedules(ctx, "s.sch", text, strlen(text), &all);
        if (ok) {
            options.schedules = &all;
            ok = rlxc_pass_apply_schedules(ctx, m, &options);
        }
        cr_expect(ok || rlxc_out_of_memory(ctx), "call %zu failed: %s", n,
                  rlxc_render_diagnostics(ctx));
        done = ok && t->calls < n;
        rlxc_context_destroy(ctx);
    }
    t->fail_at = 0;
    free(text);
    free(module);
}

/* Fused loops over three symbolic dimensions index their arrays by one number, without divisions,
 * where all the dimensions are fused; and otherwise by as few as there are. */
RLX_TEST(engine, fused_loops_have_one_index)
{
    kernel_fixture f;
    char *text = file_read(STEPS "#whole_fused", NULL);
    char *module = file_read(MODULES "#cube", NULL);
    cr_assert(kernel_fixture_parse(&f, NULL, 2, "x86-64-v3", module));
    cr_assert(schedule(&f, "whole_fused.sch", text) &&
              rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
    const char *printed = rlxc_print_module(f.ctx, f.module);
    static const char *const wanted[] = {
        "C_2 = T.decl_buffer((n * m * p,), data=C)",
        "C_2[i_fused] = A_1[i_fused] + B_1[i_fused]",
        "O_1[i_fused, k] = T.exp(C_3[i_fused, k]) + B[T.int64(0), i_fused % m, k]",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_expect(strstr(printed, wanted[i]), "lacks %s:\n%s", wanted[i], printed);
    kernel_fixture_deinit(&f);
    free(text);
    free(module);
}

/* Loop steps and a kernel in one list: the kernel's loops replace its block. */
RLX_TEST(engine, a_kernel_goes_with_steps_of_loops)
{
    static const char text[] =
        "b0 = sch.get_block(name=\"D\", func_name=\"f\")\n"
        "l1, l2 = sch.get_loops(block=b0)\n"
        "l3, l4 = sch.split(loop=l2, factors=[None, 8])\n"
        "b5 = sch.get_block(name=\"C\", func_name=\"f\")\n"
        "sch.tensorize(block_or_loop=b5, tensor_intrin=\"%s\", sizes={\"lanes\": 8, \"vectors\": "
        "2, "
        "\"rows\": 6, \"tail1\": 4, \"tail2\": 3, \"tail3\": 2, \"tail4\": 1, \"borrow\": 38, "
        "\"block\": 20, \"chains\": 8, \"threads\": 1})\n"
        "sch.vectorize(loop=l4)\n"
        "%s";
    static const struct {
        const char *kernel, *last, *wanted;
    } cases[] = {
        {"tile", "sch.parallel(loop=l1)\n", NULL},
        {"tile", "l6, l7, l8 = sch.get_loops(block=b5)\n",
         "get_loops: 'b5' no longer exists: tensorize removed it"},
        {"rows_of_c", "", "tensorize: unknown 'rows_of_c'; expected one of"},
    };
    char *module = file_read(MODULES "#product", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kernel_fixture f;
        char list[2048];
        snprintf(list, sizeof list, text, cases[i].kernel, cases[i].last);
        cr_assert(kernel_fixture_parse(&f, NULL, 2, "x86-64-v3", module));
        bool ok = schedule(&f, "s.sch", list);
        const char *said = rlxc_render_diagnostics(f.ctx);
        cr_expect_eq(ok, cases[i].wanted == NULL, "%s", said);
        if (ok) {
            const char *printed = rlxc_print_module(f.ctx, f.module);
            cr_expect(strstr(printed, "with T.block(\"tile\")"), "%s", printed);
            cr_expect(strstr(printed, "for i in T.parallel(n)"), "%s", printed);
        } else {
            cr_expect(cases[i].wanted && strstr(said, cases[i].wanted), "%s", said);
        }
        kernel_fixture_deinit(&f);
    }
    free(module);
}
