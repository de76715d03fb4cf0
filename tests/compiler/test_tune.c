/* The tuner and its database: entries for this machine replace what rules decide, others are noted,
 * broken ones refused; a short run measures every function. */
#include "tests/support/rlx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/tune.h"
#include "compiler/script/script.h"

static const char model[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 16), \"float32\"), w: R.Tensor((16, 16), \"float32\")):\n"
    "        n = T.int64()\n"
    "        y: R.Tensor((n, 16), \"float32\") = R.matmul(x, w)\n"
    "        return y\n";

typedef struct lowered {
    uint64_t hash;
    const char *steps, *diagnostics;
    bool ok;
} lowered;

typedef struct before_rules {
    rlxc_context *ctx;
    uint64_t hash;
} before_rules;

static bool note_hash(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    before_rules *b = user;
    (void)seconds;
    for (uint32_t i = 0; strcmp(pass->name, "verify_plan") == 0 && i < module->globals.count; i++)
        if (module->globals.items[i]->prim)
            b->hash = rlxc_prim_func_hash(b->ctx, module->globals.items[i]->prim);
    return true;
}

/* Lowers the model with the database at |path|, or without where it is NULL. */
static lowered lower(rlxc_context *ctx, const char *path)
{
    rlxc_options options;
    rlxc_rule_steps steps = {0};
    rlxc_database database;
    before_rules before = {.ctx = ctx};
    const rlxc_pass_hooks hooks = {&before, note_hash};
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    options.steps = &steps;
    bool ok = true;
    if (path) {
        ok = rlxc_database_read(ctx, path, "v3", false, &database);
        steps.stored = rlxc_database_find;
        steps.user = &database;
    }
    rlxc_module *module = rlxc_read_module(ctx, "m.py", model, sizeof model - 1);
    ok = ok && module && rlxc_lower_module(ctx, module, &options, &hooks);
    return (lowered){.hash = before.hash,
                     .steps = ok ? rlxc_print_schedules(ctx, "Module", &steps.made) : "",
                     .diagnostics = rlxc_render_diagnostics(ctx),
                     .ok = ok};
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(tune, entries_of_the_database_are_used_noted_or_refused)
{
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *first = rlxc_context_create(NULL);
    const lowered standard = lower(first, NULL);
    const char *at = strstr(standard.steps, "\"block\": 48");
    cr_assert(standard.ok && at && standard.hash, "%s", standard.diagnostics);
    const char *edited = rlxc_internf(first, "%.*s\"block\": 24%s", (int)(at - standard.steps),
                                      standard.steps, at + strlen("\"block\": 48"));
    const rlxc_database_entry entry = {.hash = standard.hash,
                                       .function = "matmul",
                                       .target = "v3",
                                       .dims = "n=128",
                                       .steps = edited,
                                       .machine = rlxc_machine_name(first),
                                       .version = RLX_VERSION,
                                       .default_ns = 2,
                                       .tuned_ns = 1};
    rlxc_database_entry cases[5] = {entry, entry, entry, entry, entry};
    cases[1].machine = "another";
    cases[2].version = "0.0";
    cases[3].target = "v4";
    cases[4].hash++;
    for (size_t i = 0; i < 5; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        write_file(path, rlxc_database_line(ctx, &cases[i]));
        const lowered now = lower(ctx, path);
        cr_expect(now.ok && (strstr(now.steps, "\"block\": 24") != NULL) == (i == 0), "%zu: %s", i,
                  now.diagnostics);
        cr_expect(
            (strstr(now.diagnostics, "another machine, version or target, which are not used: 1") !=
             NULL) == (i >= 1 && i <= 3),
            "%zu: %s", i, now.diagnostics);
        rlxc_context_destroy(ctx);
    }
    static const char *const broken[] = {"{", "[]\n", "{\"hash\":\"12\"}\n",
                                         "{\"hash\":\"000000000000000x\",\"function\":\"f\"}\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        write_file(path, broken[i]);
        cr_expect(!lower(ctx, path).ok, "%s", broken[i]);
        cr_expect(strstr(rlxc_render_diagnostics(ctx), ":1: "), "%s", rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
    unlink(path);
    rlxc_context_destroy(first);
}

Test(tune, a_short_run_measures_each_function)
{
    char csv[] = "/tmp/rlx-tune-XXXXXX", text[1024] = "";
    const int fd = mkstemp(csv);
    cr_assert(fd >= 0);
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    rlxc_module *module = rlxc_read_module(ctx, "m.py", model, sizeof model - 1);
    const rlxc_tune_request request = {.seconds = 0.5, .csv = csv, .target = "native"};
    cr_assert(module && rlxc_tune(ctx, module, &options, &request), "%s",
              rlxc_render_diagnostics(ctx));
    cr_assert(read(fd, text, sizeof text - 1) >= 0);
    FILE *file = fopen(csv, "r");
    cr_assert(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
    cr_expect(strstr(text, "function,hash,dims,") == text && strstr(text, "\nmatmul,") &&
                  strstr(text, ",n=128,"),
              "%s", text);
    close(fd);
    unlink(csv);
    rlxc_context_destroy(ctx);
}
