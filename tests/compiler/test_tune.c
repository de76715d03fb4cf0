/* The tuner and its database. Entries for this machine replace the rules' decisions, also in other
 * models with an equal function; other machines' entries are noted, malformed ones refused. A run
 * measures every function that it can and names the rest; a second run with the same database
 * continues from it. Every row of the alternatives table applies to some block. */
#include "tests/support/rlx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/tune.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"

static const char model[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 16), \"float32\"), w: R.Tensor((16, 16), \"float32\")):\n"
    "        n = T.int64()\n"
    "        y: R.Tensor((n, 16), \"float32\") = R.matmul(x, w)\n"
    "        return y\n";

typedef struct lowered {
    uint64_t hash;
    uint32_t block; /* index of the only block besides the root */
    const char *steps, *diagnostics;
    bool ok;
} lowered;

typedef struct before_rules {
    rlxc_context *ctx;
    uint64_t hash;
    uint32_t block;
} before_rules;

static bool note_hash(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    before_rules *b = user;
    (void)seconds;
    for (uint32_t i = 0; strcmp(pass->name, "verify_plan") == 0 && i < module->globals.count; i++)
        if (module->globals.items[i]->prim) {
            b->hash = rlxc_prim_func_hash(b->ctx, module->globals.items[i]->prim);
            rlxc_block_names(b->ctx, module->globals.items[i]->prim, &b->block);
            b->block--;
        }
    return true;
}

/* Lowers a model with the database at |path|; NULL: without one. */
static lowered lower_text(rlxc_context *ctx, const char *text, const char *path)
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
    rlxc_module *module = rlxc_read_module(ctx, "m.py", text, strlen(text));
    ok = ok && module && rlxc_lower_module(ctx, module, &options, &hooks);
    return (lowered){.hash = before.hash,
                     .block = before.block,
                     .steps = ok ? rlxc_print_schedules(ctx, "Module", &steps.made) : "",
                     .diagnostics = rlxc_render_diagnostics(ctx),
                     .ok = ok};
}

static lowered lower(rlxc_context *ctx, const char *path)
{
    return lower_text(ctx, model, path);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The steps with their block's position in place of its name. */
static const char *by_position(rlxc_context *ctx, const char *steps, uint32_t position)
{
    const char *name = strstr(steps, "name=\"") + strlen("name=\"");
    return rlxc_internf(ctx, "%.*s#%u%s", (int)(name - steps), steps, position,
                        name + strcspn(name, "\""));
}

RLX_TEST(tune, entries_of_the_database_are_used_noted_or_refused)
{
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *first = rlxc_context_create(NULL);
    const lowered standard = lower(first, NULL);
    const char *at = strstr(standard.steps, "\"block\": 48");
    cr_assert(standard.ok && at && standard.hash, "%s", standard.diagnostics);
    const char *by_name = rlxc_internf(first, "%.*s\"block\": 24%s", (int)(at - standard.steps),
                                       standard.steps, at + strlen("\"block\": 48"));
    const char *edited = by_position(first, by_name, standard.block);
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
        cr_expect((strstr(now.diagnostics, "another machine, version or target, ignored: 1") !=
                   NULL) == (i >= 1 && i <= 3),
                  "%zu: %s", i, now.diagnostics);
        rlxc_context_destroy(ctx);
    }
    static const char *const broken[] = {"{\n", "[]\n", "{\n{\"hash\"", "{\"hash\":\"12\"}\n",
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

/* The same sum as two models write it, with all names different. */
#define SUM(function, block, x, y, n)                                                          \
    "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n    def " function           \
    "(a: T.handle, b: T.handle):\n        " n " = T.int64()\n"                                 \
    "        " x " = T.match_buffer(a, (" n ", 64))\n"                                         \
    "        " y " = T.match_buffer(b, (" n ",))\n"                                            \
    "        for i, k in T.grid(" n ", 64):\n            with T.block(\"" block "\"):\n"       \
    "                vi, vk = T.axis.remap(\"SR\", [i, k])\n                with T.init():\n"  \
    "                    " y "[vi] = T.float32(0)\n                " y "[vi] = " y "[vi] + " x \
    "[vi, vk]\n    @R.function\n    def main(" x ": R.Tensor((\"" n                            \
    "\", 64), \"float32\")):\n        " n " = T.int64()\n        cls = Module\n"               \
    "        out = R.call_tir(cls." function ", (" x ",), out_sinfo=R.Tensor((" n              \
    ",), \"float32\"))\n        return out\n"

RLX_TEST(tune, equal_functions_of_two_models_share_an_entry)
{
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *first = rlxc_context_create(NULL), *second = rlxc_context_create(NULL);
    const lowered one = lower_text(first, SUM("sums", "row", "x", "y", "n"), NULL);
    cr_assert(one.ok, "%s", one.diagnostics);
    const char *at = strstr(one.steps, "\"rlx.reassoc\", ann_val=");
    cr_assert(at, "%s", one.steps);
    at += strlen("\"rlx.reassoc\", ann_val=");
    const char *edited = rlxc_internf(first, "%.*s5%s", (int)(at - one.steps), one.steps,
                                      at + strspn(at, "0123456789"));
    const rlxc_database_entry entry = {.hash = one.hash,
                                       .function = "sums",
                                       .target = "v3",
                                       .dims = "n=128",
                                       .steps = by_position(first, edited, one.block),
                                       .machine = rlxc_machine_name(first),
                                       .version = RLX_VERSION};
    cr_assert(rlxc_database_append(first, path, rlxc_database_line(first, &entry)));
    const lowered two =
        lower_text(second, SUM("fused_add", "T_add_red", "data", "total", "batch"), path);
    cr_assert(two.ok && two.hash == one.hash, "%s", two.diagnostics);
    cr_expect(strstr(two.steps, "\"rlx.reassoc\", ann_val=5") && strstr(two.steps, "T_add_red"),
              "%s", two.steps);
    unlink(path);
    rlxc_context_destroy(first);
    rlxc_context_destroy(second);
}

static uint32_t count_lines(const char *path)
{
    uint32_t n = 0;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

RLX_TEST(tune, a_line_that_an_interrupted_run_left_is_ignored_and_cut_off)
{
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_database_entry entry = {.function = "f",
                                       .target = "v3",
                                       .dims = "",
                                       .steps = "",
                                       .machine = rlxc_machine_name(ctx),
                                       .version = RLX_VERSION};
    const char *line = rlxc_database_line(ctx, &entry);
    const size_t length = strlen(line);
    /* a whole line, then a part of a second one; a line counts even if only its newline is missing
     */
    const size_t cuts[] = {1, 2, length / 2, length - 2, length - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        rlxc_database db;
        rlxc_context *own = rlxc_context_create(NULL);
        const bool whole = cuts[i] == length - 1;
        write_file(path, rlxc_internf(own, "%s%.*s", line, (int)cuts[i], line));
        cr_expect(rlxc_database_read(own, path, "v3", false, &db));
        cr_expect_eq(db.entries.count, whole ? 2u : 1u, "%zu", i);
        cr_expect((strstr(rlxc_render_diagnostics(own), ":2: the last line is incomplete") !=
                   NULL) == !whole,
                  "%zu: %s", i, rlxc_render_diagnostics(own));
        cr_expect(rlxc_database_append(own, path, line));
        cr_expect(rlxc_database_read(own, path, "v3", false, &db));
        cr_expect_eq(db.entries.count, whole ? 3u : 2u, "%zu", i);
        cr_expect_eq(count_lines(path), whole ? 3u : 2u, "%zu", i);
        rlxc_context_destroy(own);
    }
    cr_expect(!rlxc_database_append(ctx, "/nonexistent/database", line));
    unlink(path);
    rlxc_context_destroy(ctx);
}

RLX_TEST(tune, foreign_steps_are_refused_by_name_and_bound)
{
    static const struct {
        const char *steps, *message;
    } cases[] = {
        {"b0 = sch.get_block(name=\"#9\", func_name=\"f\")\n"
         "sch.tensorize(block_or_loop=b0, tensor_intrin=\"single\", sizes={\"unroll\": 1})\n",
         "no block '#9'"},
        {"b0 = sch.get_block(name=\"#1\", func_name=\"f\")\n"
         "sch.tensorize(block_or_loop=b0, tensor_intrin=\"tile\", sizes={\"lanes\": 65})\n",
         "between 1 and 64"},
        {"b0 = sch.get_block(name=\"#1\", func_name=\"f\")\n"
         "sch.tensorize(block_or_loop=b0, tensor_intrin=\"tile\", sizes={\"lanes\": 8})\n",
         "size 'vectors' is missing"},
        {"b0 = sch.get_block(name=\"#1\", func_name=\"f\")\n"
         "sch.tensorize(block_or_loop=b0, tensor_intrin=\"tile\", sizes={\"height\": 8})\n",
         "has no size 'height'"},
        {"b0 = sch.get_block(name=\"#1\", func_name=\"f\")\nl0, = sch.get_loops(block=b0)\n",
         "not the steps of one function"},
        {"b0 = sch.", ""},
    };
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *first = rlxc_context_create(NULL);
    const lowered standard = lower(first, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        const rlxc_database_entry entry = {.hash = standard.hash,
                                           .function = "matmul",
                                           .target = "v3",
                                           .dims = "",
                                           .steps = cases[i].steps,
                                           .machine = rlxc_machine_name(ctx),
                                           .version = RLX_VERSION};
        write_file(path, rlxc_database_line(ctx, &entry));
        const lowered now = lower(ctx, path);
        cr_expect(!now.ok && strstr(now.diagnostics, cases[i].message), "%zu: %s", i,
                  now.diagnostics);
        rlxc_context_destroy(ctx);
    }
    unlink(path);
    rlxc_context_destroy(first);
}

typedef struct tuned {
    char lines[4096], csv[4096];
    const char *diagnostics;
} tuned;

static void keep_line(void *user, const char *text)
{
    tuned *t = user;
    const size_t length = strlen(t->lines);
    snprintf(t->lines + length, sizeof t->lines - length, "%s", text);
}

static tuned tune_text(rlxc_context *ctx, const char *text, double seconds, const char *database)
{
    char csv[] = "/tmp/rlx-tune-XXXXXX";
    tuned out = {.lines = ""};
    rlxc_options options;
    const int fd = mkstemp(csv);
    cr_assert(fd >= 0);
    close(fd);
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    rlxc_module *module = rlxc_read_module(ctx, "m.py", text, strlen(text));
    const rlxc_tune_request request = {.seconds = seconds,
                                       .csv = csv,
                                       .database = database,
                                       .target = "native",
                                       .line = keep_line,
                                       .user = &out};
    cr_assert(module && rlxc_tune(ctx, module, &options, &request), "%s",
              rlxc_render_diagnostics(ctx));
    FILE *file = fopen(csv, "r");
    cr_assert(file && fread(out.csv, 1, sizeof out.csv - 1, file) > 0 && fclose(file) == 0);
    unlink(csv);
    out.diagnostics = rlxc_render_diagnostics(ctx);
    return out;
}

RLX_TEST(tune, a_short_run_measures_each_function)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const tuned tuning = tune_text(ctx, model, 0.5, NULL);
    cr_expect(strstr(tuning.csv, "function,hash,dims,default_ns,tuned_ns,ratio,tried\n") ==
                      tuning.csv &&
                  strstr(tuning.csv, "\nmatmul,") && strstr(tuning.csv, ",n=128,"),
              "%s", tuning.csv);
    rlxc_context_destroy(ctx);
}

RLX_TEST(tune, the_database_exists_even_if_nothing_was_faster)
{
    char folder[] = "/tmp/rlx-database-XXXXXX";
    cr_assert(mkdtemp(folder));
    rlxc_context *ctx = rlxc_context_create(NULL);
    const char *path = rlxc_internf(ctx, "%s/d.jsonl", folder);
    tune_text(ctx, model, 0, path);
    rlxc_database db;
    cr_expect(rlxc_database_read(ctx, path, "native", false, &db), "%s",
              rlxc_render_diagnostics(ctx));
    cr_expect_eq(db.entries.count, 0u);
    unlink(path);
    rmdir(folder);
    rlxc_context_destroy(ctx);
}

RLX_TEST(tune, a_database_that_cannot_be_written_fails_before_the_search)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    rlxc_module *module = rlxc_read_module(ctx, "m.py", model, strlen(model));
    tuned out = {.lines = ""};
    const rlxc_tune_request request = {.seconds = 60,
                                       .database = "/nonexistent/database",
                                       .target = "native",
                                       .line = keep_line,
                                       .user = &out};
    cr_expect(module && !rlxc_tune(ctx, module, &options, &request));
    cr_expect_str_eq(out.lines, "");
    cr_expect(strstr(rlxc_render_diagnostics(ctx), "cannot append to the database") != NULL, "%s",
              rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}

RLX_TEST(tune, a_second_run_uses_the_database)
{
    char path[] = "/tmp/rlx-database-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    rlxc_context *first = rlxc_context_create(NULL), *second = rlxc_context_create(NULL);
    const char *text = SUM("sums", "row", "x", "y", "n");
    const tuned one = tune_text(first, text, 60, path);
    cr_expect(strstr(one.lines, " tried  sums n=128"), "%s", one.lines);
    cr_expect_eq(count_lines(path), 1u);
    const tuned two = tune_text(second, text, 60, path);
    cr_expect(strstr(two.lines, " known  sums n=128"), "%s", two.lines);
    cr_expect(strstr(two.csv, ",0\n"), "%s", two.csv);
    cr_expect_eq(count_lines(path), 1u);
    unlink(path);
    rlxc_context_destroy(first);
    rlxc_context_destroy(second);
}

/* |p| is a separate scalar parameter after the buffers. */
#define WITH_SCALAR(type, at, value, call)                                                      \
    "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"                             \
    "    def shift(x: T.Buffer((128,), \"float32\"), y: T.Buffer((64,), \"float32\"), p: " type \
    "):\n        for i in range(64):\n            with T.block(\"y\"):\n"                       \
    "                v = T.axis.spatial(64, i)\n                y[v] = x[" at "] + " value "\n" \
    "    @R.function\n    def main(x: R.Tensor((128,), \"float32\"), s: R.Shape([\"p\"])):\n"   \
    "        p = T.int64()\n        cls = Module\n        out = R.call_tir(cls.shift, (x" call  \
    "), out_sinfo=R.Tensor((64,), \"float32\"), tir_vars=R.shape([p]))\n        return out\n"

RLX_TEST(tune, functions_with_scalars_are_tuned_or_named)
{
    static const struct {
        const char *text;
        bool tuned;
        const char *message;
    } cases[] = {
        {WITH_SCALAR("T.int64", "v", "T.Cast(\"float32\", p)", ","), true, ""},
        {WITH_SCALAR("T.int64", "v + p", "T.float32(1)", ","), false, "give invalid indices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        const tuned tuning = tune_text(ctx, cases[i].text, 1, NULL);
        cr_expect((strstr(tuning.csv, "\nshift,") != NULL) == cases[i].tuned, "%zu: %s%s", i,
                  tuning.csv, tuning.diagnostics);
        cr_expect(strstr(tuning.diagnostics, cases[i].message), "%zu: %s", i, tuning.diagnostics);
        rlxc_context_destroy(ctx);
    }
}

/* --- alternatives ----------------------------------------------------------------------------- */

static bool lowers(const char *text, const rlxc_schedules *given, rlxc_context **out_ctx,
                   rlxc_schedules *out_made)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_rule_steps steps = {0};
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    options.steps = &steps;
    rlxc_schedules read = {0};
    if (given) {
        const char *list = rlxc_print_schedules(ctx, "Module", given);
        cr_assert(rlxc_parse_schedules(ctx, "given.py", list, strlen(list), &read));
        steps.given = &read;
    }
    rlxc_module *module = rlxc_read_module(ctx, "m.py", text, strlen(text));
    const bool ok = module && rlxc_lower_module(ctx, module, &options, NULL);
    if (out_made)
        *out_made = steps.made;
    if (out_ctx)
        *out_ctx = ctx;
    else
        rlxc_context_destroy(ctx);
    return ok;
}

typedef struct marking {
    rlxc_context *ctx;
    const char *text;
    bool *taken; /* indexed by alternative */
} marking;

/* Marks alternative |i| of step |k| if it exists and the rules accept it. */
static void mark(const marking *m, const rlxc_schedule_steps *list, uint32_t k, uint32_t i)
{
    rlxc_schedules one = {0};
    rlxc_schedule_steps *other = m->taken[i] ? NULL : rlxc_alternative(m->ctx, list, k, i);
    if (!other)
        return;
    RLXC_PUSH(m->ctx, &one.items, other);
    m->taken[i] = lowers(m->text, &one, NULL, NULL);
}

/* Marks all alternatives, then those that only apply after another one. */
static void mark_step(const marking *m, const rlxc_schedule_steps *list, uint32_t k)
{
    for (uint32_t i = 0; i < rlxc_alternative_count(); i++)
        mark(m, list, k, i);
    for (uint32_t i = 0; i < rlxc_alternative_count(); i++) {
        const rlxc_schedule_steps *changed = rlxc_alternative(m->ctx, list, k, i);
        for (uint32_t j = 0; changed && j < rlxc_alternative_count(); j++)
            if (!rlxc_alternative(m->ctx, list, k, j))
                mark(m, changed, k, j);
    }
}

static void mark_taken(const char *text, bool *io_taken)
{
    rlxc_context *ctx;
    rlxc_schedules made = {0};
    cr_assert(lowers(text, NULL, &ctx, &made), "%s", rlxc_render_diagnostics(ctx));
    const marking m = {ctx, text, io_taken};
    for (uint32_t f = 0; f < made.items.count; f++)
        for (uint32_t k = 0; k < made.items.items[f]->items.count; k++)
            mark_step(&m, made.items.items[f], k);
    rlxc_context_destroy(ctx);
}

/* A model with a constant of |n| by |m| elements "0.5", inserted at |text|'s '@'. */
static char *with_constant(const char *text, uint32_t n, uint32_t m)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    const char *at = strchr(text, '@');
    cr_assert(file);
    fputs("@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor(", file);
    fprintf(file, "%.*s[", (int)(at - text), text);
    for (uint32_t i = 0; i < n; i++) {
        fputs("[", file);
        for (uint32_t k = 0; k < m; k++)
            fputs("0.5, ", file);
        fputs("], ", file);
    }
    fprintf(file, "]%s\n        return y\n", at + 1);
    cr_assert(fclose(file) == 0 && out);
    return out;
}

RLX_TEST(tune, every_alternative_suits_some_block)
{
    static const char *const files[] = {"tests/passes/schedule.winograd.py#convolution_and_bias",
                                        "tests/passes/schedule.quant.py#weights_of_eight_bits",
                                        "tests/passes/schedule.int8_gemm.py#integers",
                                        "tests/passes/schedule.int8_conv.py#pointwise",
                                        "tests/passes/schedule.int8_conv.py#minimal",
                                        "tests/passes/schedule.sliding.py#depthwise",
                                        "tests/passes/schedule.sliding.py#border",
                                        "tests/passes/schedule.attention.py#two_heads",
                                        "tests/passes/schedule.tile.py#product_and_row_sums",
                                        "tests/passes/schedule.rows.py#choice"};
    bool taken[256] = {false};
    cr_assert(rlxc_alternative_count() <= sizeof taken);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = file_read(files[i], NULL);
        mark_taken(text, taken);
        free(text);
    }
    char *product = with_constant(
        "(64, 3200), \"float32\")):\n        y = R.matmul(x, R.const(@, \"float32\"))", 3200, 16);
    mark_taken(product, taken);
    free(product);
    mark_taken("@I.ir_module\nclass Module:\n    @R.function\n"
               "    def main(x: R.Tensor((256, 300), \"float32\")):\n"
               "        y = R.permute_dims(x)\n        return y\n",
               taken);
    mark_taken("@I.ir_module\nclass Module:\n    @R.function\n"
               "    def main(x: R.Tensor((1, 8, 8, 48), \"float32\"), "
               "w: R.Tensor((6, 6, 48, 48), \"float32\")):\n"
               "        y = R.nn.conv2d_winograd(x, w, padding=(1, 1, 1, 1))\n        return y\n",
               taken);
    for (uint32_t i = 0; i < rlxc_alternative_count(); i++)
        cr_expect(taken[i], "row %u of alternatives.def suits no block of the examples", i);
}
