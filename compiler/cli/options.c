/* Parses rlxc's command line from one table, which also prints the help.
 *
 * A value follows '=' or is the next word; `-O2` and `-j2` contain theirs. Unknown options and pass
 * names are errors that name the nearest known one. */
#include "compiler/cli/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/file.h"

typedef enum option_id {
    OPT_CPU,
    OPT_LEVEL,
    OPT_BOUND,
    OPT_LINK,
    OPT_CODEGEN,
    OPT_POOL,
    OPT_EMIT,
    OPT_PRINT_AFTER,
    OPT_STOP_AFTER,
    OPT_TUNE,
    OPT_STRICT,
    OPT_CHECK_BOUNDS,
    OPT_ROW_BITS,
    OPT_ROUNDED_ROWS,
    OPT_PASS,
    OPT_PLUGIN,
    OPT_MIXED,
    OPT_JOBS,
    OPT_TEXT,  /* |field| of the command gets the value */
    OPT_FLAG,  /* |field| becomes true */
    OPT_ACTION /* |field| is the action */
} option_id;

static const struct option_row {
    option_id id;
    const char *name, *value; /* value NULL: a flag */
    const char *help;         /* NULL: another spelling of the row before */
    size_t field;             /* offset in rlxc_command, or the action; else 0 */
} rows[] = {
    {OPT_TEXT, "-o", "FILE", "output file (text forms go to standard output without it, or with -)",
     offsetof(rlxc_command, output)},
    {OPT_TEXT, "--params", "FILE",
     "weights (.safetensors): parameters with the name of a tensor become constants",
     offsetof(rlxc_command, params)},
    {OPT_FLAG, "--lift-params", NULL,
     "write weights to FILE.safetensors beside the output FILE, so that others can replace them",
     offsetof(rlxc_command, lift_params)},
    {OPT_FLAG, "--link-params", NULL, "weights are part of the output (the default)",
     offsetof(rlxc_command, link_params)},
    {OPT_TEXT, "--target", "TRIPLE", "target triple; this machine by default",
     offsetof(rlxc_command, options.target)},
    {OPT_CPU, "--mcpu", "CPU[,CPU...]",
     "native, x86-64-v3, znver4, ... (an unknown name lists all); with several, loading chooses "
     "the best",
     0},
    {OPT_TEXT, "--default-device", "DEVICE",
     "opencl:0, cuda:0: device of tensors to which the module assigns none (docs/devices.md)",
     offsetof(rlxc_command, options.default_device)},
    {OPT_FLAG, "--device-binaries", NULL,
     "build device kernels now, with this machine's drivers, for faster loading",
     offsetof(rlxc_command, options.device_binaries)},
    {OPT_TEXT, "--device-target", "TARGET",
     "target of that device, such as \"opencl -device=cpu\"; by default this machine's driver "
     "describes it",
     offsetof(rlxc_command, options.device_target)},
    {OPT_LEVEL, "-O", "LEVEL",
     "-O0 to -O3 (default -O2); -O3 also makes files larger where that is faster", 0},
    {OPT_BOUND, "--bound", "n=MIN:MAX", "range of a symbolic dimension; may be repeated", 0},
    {OPT_POOL, "--pool", "KEY=VALUE,...",
     "name=sram,size=256K,align=16,targets=cpu,scope=global.sram: memory pool for planned memory "
     "or, with kind=constants, for constants; pools are tried in order; may be repeated "
     "(docs/memory.md)",
     0},
    {OPT_LINK, "--link", "FILE",
     "object file, archive or library that defines T.call_extern functions", 0},
    {OPT_CODEGEN, "--codegen", "NAME",
     "cblas or dnnl: use this library, on the machine that runs the file, for the calls it "
     "supports (docs/generators.md); may be repeated",
     0},
    {OPT_TEXT, "--schedule", "FILE",
     "schedules for the PrimFuncs it names: Python text or TVM trace JSON (docs/schedules.md)",
     offsetof(rlxc_command, schedule)},
    {OPT_EMIT, "--emit", "FORM",
     "relax (the module as read), tir, schedule, llvm, asm, obj, bytecode, opencl, ptx, or c (the "
     "whole model, docs/c.md)",
     0},
    {OPT_PRINT_AFTER, "--print-after", "PASS", "print the module after a pass; may be repeated", 0},
    {OPT_FLAG, "--print-after-all", NULL, "print the module after every pass",
     offsetof(rlxc_command, print_after_all)},
    {OPT_STOP_AFTER, "--stop-after", "PASS", "stop after this pass and print the module", 0},
    {OPT_FLAG, "--time-passes", NULL, "print the time of each pass to standard error",
     offsetof(rlxc_command, time_passes)},
    {OPT_FLAG, "--explain", NULL,
     "show which schedule rule took each block, and why earlier rules did not",
     offsetof(rlxc_command, options.explain)},
    {OPT_TUNE, "--tune", NULL,
     "or --tune=SECONDS (default 60): search for faster schedules on this machine; needs "
     "--database, compiles nothing",
     0},
    {OPT_TEXT, "--tune-csv", "FILE", "write the times that --tune measured",
     offsetof(rlxc_command, tune.csv)},
    {OPT_TEXT, "--database", "FILE",
     "tuned schedules (JSON lines), applied when compiling; --tune appends to it",
     offsetof(rlxc_command, options.database)},
    {OPT_FLAG, "--check", NULL, "check the module after every pass (like RLX_CHECK=1)",
     offsetof(rlxc_command, options.check)},
    {OPT_STRICT, "--strict", NULL,
     "check indices, divisors, steps and sizes at run time (default); with --params, tensors and "
     "parameters without a counterpart are errors",
     0},
    {OPT_FLAG, "--lenient", NULL,
     "skip these checks: a bad value gives an unspecified result, safely (docs/values.md)",
     offsetof(rlxc_command, options.lenient)},
    {OPT_CHECK_BOUNDS, "--check-bounds", NULL,
     "check buffer accesses of PrimFuncs at run time unless they are proved in bounds", 0},
    {OPT_FLAG, "--no-compression", NULL,
     "do not compress code and tables in the file: for runtimes built without zstd",
     offsetof(rlxc_command, options.no_compression)},
    {OPT_TEXT, "--memory-layout", "NAME",
     "auto, greedy_by_size, greedy_by_conflicts or hill_climb[,steps=N][,seconds=N][,seed=N] "
     "(docs/memory.md)",
     offsetof(rlxc_command, options.memory_layout)},
    {OPT_FLAG, "--allow-tf32", NULL,
     "allow float32 products on CUDA to use tensor cores, which round factors to 11 bits",
     offsetof(rlxc_command, options.allow_tf32)},
    {OPT_FLAG, "--weights-apart", NULL,
     "with --emit=c: write the weights to NAME.weights beside NAME.c",
     offsetof(rlxc_command, options.weights_apart)},
    {OPT_FLAG, "--no-winograd", NULL,
     "compute 3x3 convolutions without minimal filtering: slower, less rounding error",
     offsetof(rlxc_command, options.no_winograd)},
    {OPT_ROW_BITS, "--row-bits", "BITS",
     "activation precision of one row times 4- or 8-bit weights: 8, 12, 16 (default), "
     "24; 32 = exact",
     0},
    {OPT_ROUNDED_ROWS, "--rounded-rows", "N",
     "products of up to N rows use this precision too, which is faster: 1 (default) to 32, or all",
     0},
    {OPT_MIXED, "--mixed-precision", "TYPE",
     "float16 or bfloat16: operand type of matrix products and convolutions", 0},
    {OPT_PLUGIN, "--plugin", "FILE",
     "shared library that adds code generators and passes (docs/generators.md); may be repeated",
     0},
    {OPT_PASS, "--pass", "PASS", "run an optional pass; may be repeated", 0},
    {OPT_JOBS, "--jobs", "N", "or -jN: code generation threads (default: one per CPU)", 0},
    {OPT_JOBS, "-j", "N", NULL, 0},
    {OPT_ACTION, "--list-ops", NULL, "list the operators", RLXC_ACTION_LIST_OPS},
    {OPT_ACTION, "--list-passes", NULL, "list the passes in order", RLXC_ACTION_LIST_PASSES},
    {OPT_ACTION, "--help", NULL, "show this", RLXC_ACTION_HELP},
    {OPT_ACTION, "-h", NULL, NULL, RLXC_ACTION_HELP},
    {OPT_ACTION, "--version", NULL, "show the version", RLXC_ACTION_VERSION},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *name;
    rlx_emit_form form;
} forms[] = {{"relax", RLX_EMIT_RELAX},       {"tir", RLX_EMIT_TIR},
             {"schedule", RLX_EMIT_SCHEDULE}, {"llvm", RLX_EMIT_LLVM},
             {"asm", RLX_EMIT_ASSEMBLY},      {"obj", RLX_EMIT_OBJECT},
             {"bytecode", RLX_EMIT_BYTECODE}, {"opencl", RLX_EMIT_OPENCL},
             {"ptx", RLX_EMIT_PTX},           {"c", RLX_EMIT_C}};
enum { N_FORMS = sizeof forms / sizeof *forms };

void rlxc_print_help(FILE *out)
{
    fputs("usage: rlxc INPUT -o OUT.rlx [options]\n\n"
          "Compiles a model in TVMScript (.py) or ONNX (.onnx) to one executable file for `rlx "
          "run`.\n\n",
          out);
    for (size_t i = 0; i < N_ROWS; i++) {
        char text[64];
        const char *value = rows[i].value != NULL ? rows[i].value : "";
        if (rows[i].help == NULL)
            continue;
        if (rows[i].id == OPT_LEVEL)
            snprintf(text, sizeof text, "-O0..-O3");
        else
            snprintf(text, sizeof text, "%s%s%s", rows[i].name, *value != '\0' ? " " : "", value);
        fprintf(out, "  %-22s %s\n", text, rows[i].help);
    }
}

/* --- nearest names --------------------------------------------------------------------------- */

enum { MAX_NAME = 40, DEFAULT_TUNE = 60, MOST_TUNE = 1000000 };

typedef struct nearest {
    const char *wanted, *found;
    size_t best;
    char names[160]; /* all names, if they fit */
    size_t length;   /* of names; at least their size: they do not */
} nearest;

static nearest near(const char *wanted)
{
    size_t limit = strlen(wanted) / 3 + 1;
    return (nearest){.wanted = wanted, .best = limit + 1};
}

static void offer(nearest *n, const char *name)
{
    size_t d = rlx_compiler_name_distance(rlx_str_from(n->wanted), rlx_str_from(name));
    if (d < n->best) {
        n->best = d;
        n->found = name;
    }
    if (n->length < sizeof n->names)
        n->length += (size_t)snprintf(n->names + n->length, sizeof n->names - n->length, "%s%s",
                                      n->length > 0 ? ", " : "", name);
}

static bool fail_unknown(FILE *err, const char *what, const nearest *n)
{
    fprintf(err, "rlxc: unknown %s '%s'", what, n->wanted);
    if (n->found != NULL)
        fprintf(err, "; did you mean '%s'?", n->found);
    else if (n->length < sizeof n->names)
        fprintf(err, "; there are %s", n->names);
    else
        fputs("; see rlxc --help", err);
    fputs("\n", err);
    return false;
}

static bool find_pass(const char *name, rlx_pass_info *out, FILE *err)
{
    nearest n = near(name);
    for (uint32_t i = 0; rlx_compiler_pass(NULL, i, out); i++) {
        if (strcmp(out->name, name) == 0)
            return true;
        offer(&n, out->name);
    }
    return fail_unknown(err, "pass", &n);
}

static bool is_pass(const char *name, FILE *err)
{
    rlx_pass_info info;
    return find_pass(name, &info, err);
}

/* --- values ---------------------------------------------------------------------------------- */

static bool read_int(const char *text, const char *end, int64_t *out)
{
    char *stop = NULL;
    errno = 0;
    long long value = strtoll(text, &stop, 10);
    *out = value;
    return errno == 0 && stop == end && stop != text;
}

static bool read_bound(const char *text, rlxc_command *c, FILE *err)
{
    const char *equals = strrchr(text, '='); /* names may have one, too */
    const char *colon = equals != NULL ? strchr(equals, ':') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    const uint32_t n = c->options.n_bounds;
    if (n == RLXC_MAX_BOUNDS) {
        fprintf(err, "rlxc: more than %d bounds\n", RLXC_MAX_BOUNDS);
        return false;
    }
    int64_t min = 0, max = 0;
    if (length == 0 || length >= RLXC_BOUND_NAME || colon == NULL ||
        !read_int(equals + 1, colon, &min) || !read_int(colon + 1, text + strlen(text), &max) ||
        min < 0 || max < min) {
        fprintf(err, "rlxc: --bound: expected NAME=MIN:MAX with 0 <= MIN <= MAX, got '%s'\n", text);
        return false;
    }
    memcpy(c->bound_names[n], text, length);
    c->bound_names[n][length] = '\0';
    c->bounds[n] = (rlx_dim_bound){c->bound_names[n], min, max};
    c->options.n_bounds++;
    return true;
}

static bool read_form(const char *text, rlxc_command *c, FILE *err)
{
    nearest n = near(text);
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strcmp(forms[i].name, text) == 0) {
            c->emit = forms[i].form;
            return true;
        }
        offer(&n, forms[i].name);
    }
    return fail_unknown(err, "form for --emit", &n);
}

static bool read_level(const char *text, rlxc_command *c, FILE *err)
{
    if (text[0] < '0' || text[0] > '3' || text[1] != '\0') {
        fprintf(err, "rlxc: optimisation level: expected -O0 to -O3, got '-O%s'\n", text);
        return false;
    }
    c->options.opt_level = text[0] - '0';
    return true;
}

static bool read_row_bits(const char *text, rlxc_command *c, FILE *err)
{
    static const struct {
        const char *name;
        uint8_t bits;
    } widths[] = {{"8", 8}, {"12", 12}, {"16", 16}, {"24", 24}, {"32", 32}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (strcmp(widths[i].name, text) == 0) {
            c->options.row_bits = widths[i].bits;
            return true;
        }
    }
    fprintf(err, "rlxc: --row-bits: expected 8, 12, 16, 24 or 32, got '%s'\n", text);
    return false;
}

/* Appends the value of an option that may be repeated. */
static bool add_text(const char **list, uint32_t *n, uint32_t most, const char *what,
                     const char *value, FILE *err)
{
    if (*n == most) {
        fprintf(err, "rlxc: more than %u %s\n", most, what);
        return false;
    }
    list[(*n)++] = value;
    return true;
}

static bool add_request(const char *pass, rlxc_command *c, FILE *err)
{
    return add_text(c->passes, &c->options.n_passes, RLXC_MAX_PASSES, "passes on request", pass,
                    err);
}

static bool read_request(const char *text, rlxc_command *c, FILE *err)
{
    rlx_pass_info info;
    if (!find_pass(text, &info, err))
        return false;
    if (info.opt_level != RLX_PASS_ON_REQUEST) {
        fprintf(err, "rlxc: --pass: '%s' runs at -O%d, not on request\n", text, info.opt_level);
        return false;
    }
    if (strcmp(text, "to_mixed_precision") == 0) {
        fputs("rlxc: --pass: to_mixed_precision needs a type: --mixed-precision TYPE\n", err);
        return false;
    }
    return add_request(text, c, err);
}

static bool read_codegen(const char *text, rlxc_command *c, FILE *err)
{
    nearest n = near(text);
    const char *name = NULL, *doc = NULL;
    for (uint32_t i = 0; rlx_compiler_codegen(i, &name, &doc); i++) {
        if (strcmp(name, text) == 0 && c->options.n_codegens < RLXC_MAX_CODEGENS) {
            c->codegens[c->options.n_codegens++] = text;
            return true;
        }
        offer(&n, name);
    }
    return fail_unknown(err, "code generator", &n);
}

static bool read_mixed(const char *text, rlxc_command *c, FILE *err)
{
    if (strcmp(text, "float16") != 0 && strcmp(text, "bfloat16") != 0) {
        fprintf(err, "rlxc: --mixed-precision: expected float16 or bfloat16, got '%s'\n", text);
        return false;
    }
    c->options.mixed = text[0] == 'b' ? RLX_BF16 : RLX_F16;
    return true;
}

static bool read_tune(const char *text, rlxc_command *c, FILE *err)
{
    int64_t n = DEFAULT_TUNE;
    if (text && (!read_int(text, text + strlen(text), &n) || n < 1 || n > MOST_TUNE)) {
        fprintf(err, "rlxc: --tune: expected seconds from 1 to %d, got '%s'\n", MOST_TUNE, text);
        return false;
    }
    c->tune.seconds = (double)n;
    return true;
}

static bool read_rounded_rows(const char *text, rlxc_command *c, FILE *err)
{
    enum { MOST = 32 };
    int64_t n = 0;
    const bool all = strcmp(text, "all") == 0;
    if (!all && (!read_int(text, text + strlen(text), &n) || n < 1 || n > MOST)) {
        fprintf(err, "rlxc: --rounded-rows: expected 1 to %d or all, got '%s'\n", MOST, text);
        return false;
    }
    c->options.rounded_rows = all ? RLX_ALL_ROWS : (uint8_t)n;
    return true;
}

static bool read_jobs(const char *text, rlxc_command *c, FILE *err)
{
    int64_t n = 0;
    if (!read_int(text, text + strlen(text), &n) || n < 1 || n > RLXC_MAX_JOBS) {
        fprintf(err, "rlxc: --jobs: expected a number from 1 to %d, got '%s'\n", RLXC_MAX_JOBS,
                text);
        return false;
    }
    c->options.jobs = (uint32_t)n;
    return true;
}

/* One CPU, or several with commas between them. */
static bool read_cpus(const char *text, rlxc_command *c, FILE *err)
{
    c->n_cpus = 0;
    c->options.cpu = text;
    if (strchr(text, ',') == NULL)
        return true;
    c->options.cpu = NULL;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (c->n_cpus == RLX_MAX_LEVELS) {
            fprintf(err, "rlxc: --mcpu: more than %u CPUs\n", RLX_MAX_LEVELS);
            return false;
        }
        if (length == 0 || length >= RLXC_CPU_NAME) {
            fprintf(err,
                    "rlxc: --mcpu: expected names of CPUs with commas between them, got '%s'\n",
                    text);
            return false;
        }
        memcpy(c->cpu_names[c->n_cpus], at, length);
        c->cpu_names[c->n_cpus][length] = '\0';
        c->cpus[c->n_cpus] = c->cpu_names[c->n_cpus];
        for (uint32_t i = 0; i < c->n_cpus; i++)
            if (strcmp(c->cpus[i], c->cpus[c->n_cpus]) == 0) {
                fprintf(err, "rlxc: --mcpu: CPU %s is listed twice\n", c->cpus[i]);
                return false;
            }
        c->n_cpus++;
        at += length;
        if (*at == '\0')
            return true;
    }
}

static bool apply(const struct option_row *row, const char *value, rlxc_command *c, FILE *err)
{
    char *field = (char *)c + row->field;
    switch (row->id) {
    case OPT_TEXT:
        *(const char **)(void *)field = value;
        return true;
    case OPT_FLAG:
        *(bool *)field = true;
        return true;
    case OPT_ACTION:
        c->action = (rlxc_action)row->field;
        return true;
    case OPT_CPU:
        return read_cpus(value, c, err);
    case OPT_LEVEL:
        return read_level(value, c, err);
    case OPT_BOUND:
        return read_bound(value, c, err);
    case OPT_LINK:
        return add_text(c->links, &c->options.n_links, RLXC_MAX_LINKS, "files to link", value, err);
    case OPT_CODEGEN:
        return read_codegen(value, c, err);
    case OPT_POOL:
        return add_text(c->pools, &c->options.n_pools, RLXC_MAX_POOL_OPTIONS, "memory pools", value,
                        err);
    case OPT_PLUGIN:
        return add_text(c->plugins, &c->n_plugins, RLXC_MAX_PLUGINS, "plugins", value, err);
    case OPT_EMIT:
        return read_form(value, c, err);
    case OPT_PRINT_AFTER:
        if (!is_pass(value, err))
            return false;
        if (c->n_print_after < RLXC_MAX_PRINTS)
            c->print_after[c->n_print_after++] = value;
        return true;
    case OPT_STOP_AFTER:
        c->stop_after = value;
        return is_pass(value, err);
    case OPT_TUNE:
        return read_tune(value, c, err);
    case OPT_STRICT:
        c->options.lenient = false;
        c->strict_weights = true;
        return true;
    case OPT_CHECK_BOUNDS:
        return add_request("check_bounds", c, err);
    case OPT_ROW_BITS:
        return read_row_bits(value, c, err);
    case OPT_ROUNDED_ROWS:
        return read_rounded_rows(value, c, err);
    case OPT_PASS:
        return read_request(value, c, err);
    case OPT_MIXED:
        return read_mixed(value, c, err);
    case OPT_JOBS:
        return read_jobs(value, c, err);
    }
    return false;
}

/* --- words ----------------------------------------------------------------------------------- */

/* The row of |word|; *value is what follows '=' (or -O and -j), NULL when there is nothing. */
static const struct option_row *find_row(const char *word, const char **value)
{
    *value = NULL;
    size_t length = strcspn(word, "=");
    if ((strncmp(word, "-O", 2) == 0 || strncmp(word, "-j", 2) == 0) && word[2] != '\0')
        *value = word + (length = 2);
    else if (strncmp(word, "--", 2) == 0 && word[length] == '=')
        *value = word + length + 1;
    else
        length = strlen(word);
    for (size_t i = 0; i < N_ROWS; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, word, length) == 0)
            return &rows[i];
    return NULL;
}

static bool unknown_option(const char *word, FILE *err)
{
    char name[MAX_NAME + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    nearest n = near(name);
    for (size_t i = 0; i < N_ROWS; i++)
        offer(&n, rows[i].name);
    return fail_unknown(err, "option", &n);
}

static bool take_word(int argc, char *const *argv, int *i, rlxc_command *c, FILE *err)
{
    const char *word = argv[*i];
    if (word[0] != '-' || word[1] == '\0') {
        if (c->input != NULL) {
            fprintf(err, "rlxc: more than one input: '%s' and '%s'\n", c->input, word);
            return false;
        }
        c->input = word;
        return true;
    }
    const char *value = NULL;
    const struct option_row *row = find_row(word, &value);
    if (row == NULL)
        return unknown_option(word, err);
    if (row->value == NULL && value != NULL && row->id != OPT_TUNE) {
        fprintf(err, "rlxc: option '%s' takes no value\n", row->name);
        return false;
    }
    if (row->value != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            fprintf(err, "rlxc: option '%s' needs a value %s\n", row->name, row->value);
            return false;
        }
        value = argv[++*i];
    }
    return apply(row, value, c, err);
}

bool rlxc_parse_command(int argc, char *const *argv, rlxc_command *out, FILE *err)
{
    memset(out, 0, sizeof *out);
    rlx_compile_options_init(&out->options);
    out->options.bounds = out->bounds;
    out->options.passes = out->passes;
    out->options.links = out->links;
    out->options.codegens = out->codegens;
    out->options.pools = out->pools;
    for (int i = 1; i < argc; i++)
        if (!take_word(argc, argv, &i, out, err))
            return false;
    return true;
}
