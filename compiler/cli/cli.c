/* rlxc: from a command line, whose options must fit together, to files, through rlx/compiler.h, and
 * rlx/device.h to look at this machine's devices. */
#include "compiler/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/cli/options.h"
#include "rlx/compiler.h"
#include "rlx/device.h"

enum { EXIT_USAGE = 2 };

typedef struct pass_time {
    const char *name;
    double seconds;
} pass_time;

typedef struct run {
    rlxc_command *command;
    FILE *out, *err;
    rlx_compiler *compiler;
    rlx_ir_module *module;
    rlx_ir_module *levels[RLX_MAX_LEVELS]; /* one for each of several CPUs; the first is |module| */
    bool stopped;                          /* by --stop-after */
    bool printed[RLXC_MAX_PRINTS];         /* the passes of --print-after that ran */
    pass_time *times;
    size_t n_times, time_room;
    double compile_seconds; /* passes, code generation and writing; 0: did not get so far */
} run;

/* --- lists ----------------------------------------------------------------------------------- */

static void list_ops(FILE *out)
{
    rlx_operator_info op;
    for (uint32_t i = 0; rlx_compiler_operator(i, &op); i++)
        fprintf(out, "R.%s(%s%s%s)\n    %s\n", op.name, op.inputs,
                op.inputs[0] != '\0' && op.attrs[0] != '\0' ? "; " : "", op.attrs, op.doc);
}

static void list_passes(FILE *out)
{
    rlx_pass_info pass;
    for (uint32_t i = 0; rlx_compiler_pass(NULL, i, &pass); i++)
        if (pass.opt_level == RLX_PASS_ON_REQUEST)
            fprintf(out, "%-19s ask  %s\n", pass.name, pass.doc);
        else
            fprintf(out, "%-19s -O%d  %s\n", pass.name, pass.opt_level, pass.doc);
}

/* --- passes ---------------------------------------------------------------------------------- */

static bool is_printed(run *r, const char *pass)
{
    const rlxc_command *c = r->command;
    bool found = c->print_after_all;
    for (uint32_t i = 0; i < c->n_print_after; i++)
        if (strcmp(c->print_after[i], pass) == 0)
            r->printed[i] = found = true;
    return found;
}

/* Without memory the time is left out. */
static void note_time(run *r, const char *pass, double seconds)
{
    if (r->n_times == r->time_room) {
        const size_t room = r->time_room > 0 ? 2 * r->time_room : 64;
        pass_time *grown = realloc(r->times, room * sizeof *grown);
        if (grown == NULL)
            return;
        r->times = grown;
        r->time_room = room;
    }
    r->times[r->n_times++] = (pass_time){pass, seconds};
}

static bool after_pass(void *user, rlx_ir_module *module, const rlx_pass_info *pass, double seconds)
{
    run *r = user;
    note_time(r, pass->name, seconds);
    if (is_printed(r, pass->name)) {
        const char *text = rlx_ir_module_print(module);
        fprintf(r->out, "# after pass %s\n%s\n", pass->name, text != NULL ? text : "");
    }
    r->stopped = r->command->stop_after != NULL && strcmp(r->command->stop_after, pass->name) == 0;
    return !r->stopped;
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_times(const run *r)
{
    double passes = 0;
    for (size_t i = 0; i < r->n_times; i++)
        passes += r->times[i].seconds;
    double total = passes < r->compile_seconds ? r->compile_seconds : passes;
    for (size_t i = 0; i < r->n_times; i++)
        fprintf(r->err, "%10.3f ms  %5.1f %%  %s\n", 1e3 * r->times[i].seconds,
                total > 0 ? 100 * r->times[i].seconds / total : 0.0, r->times[i].name);
    if (passes < total)
        fprintf(r->err, "%10.3f ms  %5.1f %%  code generation and output\n", 1e3 * (total - passes),
                100 * (total - passes) / total);
    fprintf(r->err, "%10.3f ms  total\n", 1e3 * total);
}

/* --- output ---------------------------------------------------------------------------------- */

/* The calls of the library below leave the rlx_error out: the diagnostics say as much. */

static bool fail(const run *r, const char *message)
{
    rlx_status ignored = rlx_compiler_report(r->compiler, RLX_SEVERITY_ERROR, message, NULL);
    (void)ignored; /* memory is out: report that instead */
    return false;
}

static bool write_out(const run *r, const void *data, size_t size)
{
    return (fwrite(data, 1, size, r->out) == size && fflush(r->out) == 0) ||
           fail(r, "cannot write to standard output");
}

/* What the passes have left of the module. */
static bool write_text(const run *r)
{
    const rlxc_command *c = r->command;
    rlx_error error = {0};
    const char *text = c->emit == RLX_EMIT_TIR ? rlx_ir_module_print_prims(r->module)
                                               : rlx_ir_module_print(r->module);
    if (text == NULL)
        return false;
    if (c->output == NULL)
        return write_out(r, text, strlen(text));
    return rlx_write_file(c->output, text, strlen(text), &error) == RLX_OK ||
           fail(r, error.message);
}

static bool emit(const run *r)
{
    const rlxc_command *c = r->command;
    void *data = NULL;
    size_t size = 0;
    if (c->n_cpus > 0)
        return rlx_ir_modules_emit_levels(r->levels, c->cpus, c->n_cpus, &c->options, c->output,
                                          NULL) == RLX_OK;
    if (c->output != NULL)
        return rlx_ir_module_emit_file(r->module, &c->options, c->emit, c->output, NULL) == RLX_OK;
    if (rlx_ir_module_emit(r->module, &c->options, c->emit, &data, &size, NULL) != RLX_OK)
        return false;
    bool ok = write_out(r, data, size);
    rlx_free(NULL, data, size, 64);
    return ok;
}

static bool lower(const run *r)
{
    return rlx_ir_module_lower(r->module, &r->command->options, NULL) == RLX_OK;
}

/* Says why pass |name| did not run. */
static void explain_unreached(const run *r, rlx_severity severity, const char *name)
{
    rlx_pass_info pass = {.opt_level = 0};
    char message[160];
    for (uint32_t i = 0; rlx_compiler_pass(r->compiler, i, &pass) && strcmp(pass.name, name) != 0;)
        i++;
    if (pass.opt_level == RLX_PASS_ON_REQUEST)
        snprintf(message, sizeof message, "pass %.60s runs only with --pass %.60s", name, name);
    else if (pass.opt_level > r->command->options.opt_level)
        snprintf(message, sizeof message, "pass %.60s runs from -O%d on, and this is -O%d", name,
                 pass.opt_level, r->command->options.opt_level);
    else
        snprintf(message, sizeof message, "pass %.60s does not run for this module", name);
    rlx_status ignored = rlx_compiler_report(r->compiler, severity, message, NULL);
    (void)ignored; /* memory is out: report that instead */
}

/* Names the passes of --print-after that did not run. */
static void explain_unprinted(const run *r)
{
    const rlxc_command *c = r->command;
    for (uint32_t i = 0; i < c->n_print_after; i++)
        if (!r->printed[i])
            explain_unreached(r, RLX_SEVERITY_WARNING, c->print_after[i]);
}

static bool sees_passes(const rlxc_command *c)
{
    return c->options.explain || c->print_after_all || c->n_print_after > 0 || c->time_passes ||
           c->options.check;
}

/* Says of --default-device what this machine knows: that it is a CPU, as --mcpu's default is this
 * machine's. */
static void look_at_device(rlxc_command *c)
{
    const char *name = c->options.default_device;
    const size_t length = name != NULL ? strcspn(name, ":") : 0;
    rlx_device_info info;
    rlx_error err;
    char kind[16];
    if (c->options.device_target != NULL || length == 0 || length >= sizeof kind ||
        strcmp(name, "cpu:0") == 0)
        return;
    memcpy(kind, name, length);
    kind[length] = '\0';
    const unsigned long id = name[length] == ':' ? strtoul(name + length + 1, NULL, 10) : 0;
    if (id > UINT32_MAX || rlx_device_look(NULL, kind, (uint32_t)id, &info, &err) != RLX_OK ||
        info.vector_bytes == 0)
        return;
    snprintf(c->device_target, sizeof c->device_target, "%s -device=cpu -vector-width=%u", kind,
             8 * info.vector_bytes);
    c->options.device_target = c->device_target;
}

/* Runs the passes up to that of --stop-after, and prints the module. */
static bool stop(run *r)
{
    if (!lower(r) && !r->stopped)
        return false;
    if (r->stopped)
        return write_text(r);
    explain_unreached(r, RLX_SEVERITY_ERROR, r->command->stop_after);
    return false;
}

static bool compile(run *r)
{
    rlxc_command *c = r->command;
    const char *check = getenv("RLX_CHECK");
    c->options.check = c->options.check || (check != NULL && strcmp(check, "1") == 0);
    c->options.after_pass = after_pass;
    c->options.user = r;
    look_at_device(c);
    if (c->emit == RLX_EMIT_RELAX && c->stop_after == NULL)
        /* As it was read; the passes run only for what is to be seen of them. */
        return write_text(r) && (!sees_passes(c) || lower(r));
    if (c->stop_after != NULL)
        return stop(r);
    if (c->emit == RLX_EMIT_EXECUTABLE && c->output == NULL)
        return lower(r); /* only to explain it */
    double start = now_seconds();
    bool ok = emit(r);
    r->compile_seconds = now_seconds() - start;
    return ok;
}

static void print_line(void *user, const char *text)
{
    run *r = user;
    fputs(text, r->out);
}

static bool tune(run *r)
{
    rlx_tune_options *t = &r->command->tune;
    t->size = sizeof *t;
    t->database = r->command->options.database;
    t->line = print_line;
    t->user = r;
    r->command->options.database =
        NULL; /* what was found is not what others are measured against */
    return rlx_ir_module_tune(r->module, &r->command->options, t, NULL) == RLX_OK;
}

static bool load_plugins(const run *r)
{
    rlx_error error = {0};
    for (uint32_t i = 0; i < r->command->n_plugins; i++)
        if (rlx_compiler_load_plugin(r->compiler, r->command->plugins[i], &error) != RLX_OK)
            return fail(r, error.message);
    return true;
}

static bool read_module(run *r)
{
    const rlxc_command *c = r->command;
    return rlx_compiler_read(r->compiler, c->input, &r->module, NULL) == RLX_OK &&
           (c->output == NULL ||
            rlx_ir_module_check_output(r->module, c->output, NULL) == RLX_OK) &&
           (c->params == NULL || rlx_ir_module_bind_file(r->module, c->params, NULL) == RLX_OK) &&
           (c->schedule == NULL ||
            rlx_ir_module_read_schedule(r->module, c->schedule, NULL) == RLX_OK);
}

/* Called for each CPU; diagnostics about the input are printed the first time. */
static bool read_input(run *r)
{
    const rlxc_command *c = r->command;
    for (uint32_t i = 1; i < c->n_cpus; i++) {
        if (!read_module(r))
            return false;
        r->levels[i] = r->module;
        if (i == 1)
            fputs(rlx_compiler_diagnostics_text(r->compiler), r->err);
        rlx_compiler_clear_diagnostics(r->compiler);
    }
    bool ok = read_module(r);
    r->levels[0] = r->module;
    if (ok && c->n_cpus > 1)
        rlx_compiler_clear_diagnostics(r->compiler);
    return ok;
}

/* --- options that belong together ------------------------------------------------------------- */

/* Nothing that is read may be written over; files that the input names are checked later. */
static bool check_outputs(const rlxc_command *c, FILE *err)
{
    enum { NAMED = 4 };
    const char *inputs[NAMED + RLXC_MAX_LINKS] = {c->input, c->params, c->schedule,
                                                  c->options.database};
    const char *const outputs[] = {c->output, c->tune.csv};
    const size_t n = NAMED + (size_t)c->options.n_links;
    rlx_error error = {0};
    memcpy(inputs + NAMED, c->links, c->options.n_links * sizeof *inputs);
    bool ok = true;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && ok; i++)
        ok = outputs[i] == NULL || rlx_check_output(outputs[i], inputs, n, &error) == RLX_OK;
    if (ok && c->tune.seconds > 0 && c->options.database != NULL) /* written, too */
        ok = rlx_check_output(c->options.database, inputs, NAMED - 1, &error) == RLX_OK;
    if (!ok)
        fprintf(err, "rlxc: %s\n", error.message);
    return ok;
}

/* Tuning measures, and compiles nothing. */
static bool check_tune(const rlxc_command *c, FILE *err)
{
    if (c->tune.seconds <= 0) {
        if (c->tune.csv != NULL)
            fputs("rlxc: --tune-csv needs --tune\n", err);
        return c->tune.csv == NULL;
    }
    if (c->output != NULL || c->emit != RLX_EMIT_EXECUTABLE || c->stop_after != NULL) {
        fputs("rlxc: --tune writes no module: compile with --database FILE afterwards\n", err);
        return false;
    }
    if (c->options.database == NULL && c->tune.csv == NULL) {
        fputs("rlxc: --tune: no place for what it finds: give --database FILE\n", err);
        return false;
    }
    if (c->options.database != NULL && c->tune.csv != NULL &&
        strcmp(c->options.database, c->tune.csv) == 0) {
        fputs("rlxc: --database and --tune-csv name the same file\n", err);
        return false;
    }
    return true;
}

/* True if the options of a compilation fit together. With -o -, the output becomes NULL. */
static bool check_command(rlxc_command *c, FILE *err)
{
    if (c->input == NULL) {
        fputs("rlxc: no input; see rlxc --help\n", err);
        return false;
    }
    if (c->output != NULL && strcmp(c->output, "-") == 0) {
        if (c->stop_after == NULL &&
            (c->emit == RLX_EMIT_EXECUTABLE || c->emit == RLX_EMIT_OBJECT)) {
            fputs("rlxc: -o -: only text forms go to standard output: give -o FILE\n", err);
            return false;
        }
        c->output = NULL;
    }
    if (c->output == NULL && c->emit == RLX_EMIT_EXECUTABLE && c->stop_after == NULL &&
        !c->options.explain && c->tune.seconds <= 0) {
        fputs("rlxc: no output: give -o FILE\n", err);
        return false;
    }
    if (c->n_cpus > 0 && (c->emit != RLX_EMIT_EXECUTABLE || c->output == NULL ||
                          c->stop_after != NULL || c->options.explain)) {
        fputs("rlxc: --mcpu: several CPUs need an executable: give -o FILE without --emit, "
              "--stop-after or --explain\n",
              err);
        return false;
    }
    if (c->lift_params && (c->emit != RLX_EMIT_EXECUTABLE || c->output == NULL || c->link_params)) {
        fputs("rlxc: --lift-params needs an executable, and excludes --link-params\n", err);
        return false;
    }
    if (c->output == NULL && c->emit == RLX_EMIT_OBJECT && c->stop_after == NULL) {
        fputs("rlxc: --emit=obj writes a binary file: give -o FILE\n", err);
        return false;
    }
    return check_tune(c, err) && check_outputs(c, err);
}

/* --- the command ------------------------------------------------------------------------------ */

int rlxc_main(int argc, char *const *argv, FILE *out, FILE *err)
{
    rlxc_command command;
    if (!rlxc_parse_command(argc, argv, &command, err))
        return EXIT_USAGE;
    switch (command.action) {
    case RLXC_ACTION_COMPILE:
        if (!check_command(&command, err))
            return EXIT_USAGE;
        break;
    case RLXC_ACTION_HELP:
        rlxc_print_help(out);
        return EXIT_SUCCESS;
    case RLXC_ACTION_VERSION:
        fputs("rlxc " RLX_VERSION "\n", out);
        return EXIT_SUCCESS;
    case RLXC_ACTION_LIST_OPS:
        list_ops(out);
        return EXIT_SUCCESS;
    case RLXC_ACTION_LIST_PASSES:
        list_passes(out);
        return EXIT_SUCCESS;
    }

    run r = {.command = &command, .out = out, .err = err};
    const rlx_compiler_options options = {.size = sizeof options,
                                          .strict_weights = command.strict_weights,
                                          .lift_params = command.lift_params};
    if (rlx_compiler_create(&options, &r.compiler, NULL) != RLX_OK) {
        fputs("rlxc: out of memory while starting\n", err);
        return EXIT_FAILURE;
    }
    bool ok =
        load_plugins(&r) && read_input(&r) && (command.tune.seconds > 0 ? tune(&r) : compile(&r));
    if (ok && !r.stopped && command.tune.seconds <= 0)
        explain_unprinted(&r);
    if (command.options.explain && ok)
        fputs(rlx_ir_module_explanation(r.module), out);
    if (command.time_passes)
        print_times(&r);
    fputs(rlx_compiler_diagnostics_text(r.compiler), err);
    rlx_compiler_destroy(r.compiler);
    free(r.times);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
