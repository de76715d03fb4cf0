/* rlxc: from a command line to files. The compilation itself is in compile.c.
 *
 * One context, one builder, one mapping of weights per run; they are released in reverse order
 * because constants borrow from the context and the mapping. */
#include "compiler/driver/driver.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/base/mapped.h"
#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/files.h"
#include "compiler/driver/options.h"
#include "compiler/driver/safetensors.h"
#include "compiler/ir/op.h"
#include "compiler/kernels/rules.h"
#include "compiler/schedule/explain.h"
#include "compiler/schedule/step.h"
#include "compiler/script/script.h"
#include "rlx/asm.h"

#define INPUT_LIMIT ((size_t)4 << 30)
#define SCHEDULE_LIMIT ((size_t)64 << 20)

enum { EXIT_USAGE = 2, MAX_TIMED = 64 };

typedef struct run {
    const rlxc_command *command;
    rlxc_context *ctx;
    FILE *out, *err;
    rlxc_options options;
    rlxc_explain explain;
    rlxc_rule_steps steps;
    rlxc_schedules schedules;
    rlxc_module *module;
    const char *text; /* the input's bytes */
    char *read;       /* the same where they are to be freed */
    size_t length;
    rlxc_weights weights;
    rlx_exec_builder *builder;
    bool stopped; /* by --stop-after */
    struct {
        const char *name;
        double seconds;
    } times[MAX_TIMED];
    uint32_t n_times;
    double compile_seconds; /* passes and code generation; 0: did not get so far */
} run;

/* --- lists ----------------------------------------------------------------------------------- */

static void list_ops(FILE *out)
{
    uint32_t count;
    const rlxc_operator *ops = rlxc_operators(&count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "R.%s(%s%s%s)\n    %s\n", ops[i].name, ops[i].inputs,
                ops[i].inputs[0] != '\0' && ops[i].attrs[0] != '\0' ? "; " : "", ops[i].attrs,
                ops[i].doc);
}

static void list_passes(FILE *out)
{
    uint32_t count;
    const rlxc_pass *passes = rlxc_passes(&count);
    for (uint32_t i = 0; i < count; i++)
        if (passes[i].min_opt_level == RLXC_ON_REQUEST)
            fprintf(out, "%-19s ask  %s\n", passes[i].name, passes[i].doc);
        else
            fprintf(out, "%-19s -O%d  %s\n", passes[i].name, passes[i].min_opt_level,
                    passes[i].doc);
}

/* --- passes ---------------------------------------------------------------------------------- */

static bool is_printed(const rlxc_command *c, const char *pass)
{
    for (uint32_t i = 0; i < c->n_print_after; i++)
        if (strcmp(c->print_after[i], pass) == 0)
            return true;
    return c->print_after_all;
}

static bool after_pass(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    run *r = user;
    if (r->n_times < MAX_TIMED) {
        r->times[r->n_times].name = pass->name;
        r->times[r->n_times++].seconds = seconds;
    }
    if (is_printed(r->command, pass->name))
        fprintf(r->out, "# after pass %s\n%s\n", pass->name, rlxc_print_module(r->ctx, module));
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
    for (uint32_t i = 0; i < r->n_times; i++)
        passes += r->times[i].seconds;
    double total = passes < r->compile_seconds ? r->compile_seconds : passes;
    for (uint32_t i = 0; i < r->n_times; i++)
        fprintf(r->err, "%10.3f ms  %5.1f %%  %s\n", 1e3 * r->times[i].seconds,
                total > 0 ? 100 * r->times[i].seconds / total : 0.0, r->times[i].name);
    if (passes < total) /* what is no pass: native code and bytecode */
        fprintf(r->err, "%10.3f ms  %5.1f %%  code generation\n", 1e3 * (total - passes),
                100 * (total - passes) / total);
    fprintf(r->err, "%10.3f ms  total\n", 1e3 * total);
}

/* --- input ----------------------------------------------------------------------------------- */

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* CPUs that this process may run on. */
static uint32_t cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) /* more than the set has room for */
        return RLXC_MAX_JOBS;
    int n = CPU_COUNT(&set);
    return n > RLXC_MAX_JOBS ? RLXC_MAX_JOBS : (uint32_t)n;
}

static bool set_options(run *r)
{
    const rlxc_command *c = r->command;
    if (!rlxc_options_init(r->ctx, &r->options, c->target, c->cpu, c->opt_level))
        return false;
    const char *check = getenv("RLX_CHECK");
    if (c->explain) {
        r->explain = (rlxc_explain){.ctx = r->ctx, .print = rlxc_print_expr};
        r->options.explain = &r->explain;
    }
    if (c->emit == RLXC_EMIT_SCHEDULE)
        r->options.steps = &r->steps;
    r->options.lenient = c->lenient;
    r->options.no_winograd = c->no_winograd;
    r->options.row_bits = c->row_bits;
    r->options.mixed = c->mixed;
    for (uint32_t i = 0; i < c->n_requests; i++)
        r->options.requests[r->options.n_requests++] = c->requests[i];
    r->options.jobs = c->jobs > 0 ? c->jobs : cpus();
    r->options.check = c->check || (check != NULL && strcmp(check, "1") == 0);
    for (uint32_t i = 0; i < c->n_bounds; i++) {
        r->options.bounds[i].name = c->bounds[i].name;
        r->options.bounds[i].min = c->bounds[i].min;
        r->options.bounds[i].max = c->bounds[i].max;
    }
    r->options.n_bounds = c->n_bounds;
    for (uint32_t i = 0; i < c->n_links; i++)
        r->options.links[r->options.n_links++] = c->links[i];
    return true;
}

static bool read_input(run *r)
{
    const rlxc_command *c = r->command;
    rlxc_doing(r->ctx, "reading", c->input);
    if (has_suffix(c->input, ".onnx")) { /* mostly weights, which stay where they are */
        if (!rlxc_map_input(r->ctx, c->input, INPUT_LIMIT, &r->text, &r->length))
            return false;
        r->module = rlxc_read_onnx(r->ctx, c->input, r->text, r->length);
    } else {
        if (!rlxc_read_file(r->ctx, c->input, INPUT_LIMIT, &r->read, &r->length))
            return false;
        r->text = r->read;
        r->module = rlxc_read_module(r->ctx, c->input, r->text, r->length);
    }
    if (r->module == NULL)
        return false;
    if (c->output != NULL && rlxc_is_mapped(r->ctx, c->output)) {
        rlxc_error(r->ctx, (rlxc_range){0}, "the output %s would overwrite a file that %s reads",
                   c->output, c->input);
        return false;
    }
    if (c->params == NULL)
        return true;
    rlxc_doing(r->ctx, "reading", c->params);
    return rlxc_weights_open(r->ctx, c->params, &r->weights) &&
           rlxc_bind_weights(r->ctx, r->module, &r->weights);
}

static bool read_schedule(run *r)
{
    const char *text, *path = r->command->schedule;
    size_t length;
    if (path == NULL)
        return true;
    rlxc_doing(r->ctx, "reading", path);
    if (!rlxc_map_input(r->ctx, path, SCHEDULE_LIMIT, &text, &length) ||
        !rlxc_parse_schedules(r->ctx, path, text, length, &r->schedules))
        return false;
    rlxc_schedules *of_rules = rlxc_alloc(r->ctx, sizeof *of_rules), others = {0};
    for (uint32_t i = 0; i < r->schedules.items.count; i++) {
        rlxc_schedule_steps *list = r->schedules.items.items[i];
        if (rlxc_rules_take(list))
            RLXC_PUSH(r->ctx, &of_rules->items, list);
        else
            RLXC_PUSH(r->ctx, &others.items, list);
    }
    r->schedules = others;
    r->options.schedules = &r->schedules;
    if (of_rules->items.count) {
        r->steps.given = of_rules;
        r->options.steps = &r->steps;
    }
    return true;
}

/* --- output ---------------------------------------------------------------------------------- */

static bool write_output(const run *r, const void *data, size_t size)
{
    rlxc_doing(r->ctx, "writing", r->command->output);
    if (r->command->output != NULL)
        return rlxc_write_file(r->ctx, r->command->output, data, size);
    if (fwrite(data, 1, size, r->out) == size && fflush(r->out) == 0)
        return true;
    rlxc_error(r->ctx, (rlxc_range){0}, "cannot write to standard output");
    return false;
}

static bool write_text(const run *r, const char *text)
{
    return !rlxc_failed(r->ctx) && write_output(r, text, strlen(text));
}

static bool fail(const run *r, const rlx_error *err)
{
    if (err->code == RLX_E_NOMEM)
        rlxc_set_out_of_memory(r->ctx);
    else
        rlxc_error(r->ctx, (rlxc_range){0}, "%s", err->message);
    return false;
}

static bool refused(const run *r, rlx_error *err)
{
    if (err->code != RLX_E_IO && err->code != RLX_E_NOT_FOUND && err->code != RLX_E_NOMEM)
        rlx_error_prefix(err, "the compiler wrote an executable that is refused (please report): ");
    return fail(r, err);
}

static bool write_executable(const run *r)
{
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    char *text = NULL;
    size_t length = 0;
    rlxc_doing(r->ctx, "writing", r->command->output);
    if (r->command->emit != RLXC_EMIT_BYTECODE)
        return rlx_exec_builder_save(r->builder, r->command->output, &err) == RLX_OK ||
               refused(r, &err);
    if (rlx_exec_builder_load(r->builder, NULL, &exe, &err) != RLX_OK)
        return refused(r, &err);
    bool ok = rlx_disassemble(NULL, exe, RLX_DISASSEMBLE_NO_DATA, &text, &length, &err) == RLX_OK;
    if (ok) {
        ok = write_output(r, text, length);
        rlx_free(NULL, text, length + 1, 1);
    } else {
        fail(r, &err);
    }
    rlx_executable_release(exe);
    return ok;
}

static bool write_native(run *r, rlxc_native_form form)
{
    rlxc_native native = {0};
    return rlxc_compile_native(r->ctx, r->module, &r->options, form, &native) &&
           write_output(r, native.data, native.size);
}

/* The PrimFuncs alone. */
static bool write_tir(run *r)
{
    rlxc_text text = {.ctx = r->ctx};
    for (uint32_t i = 0; i < r->module->globals.count; i++) {
        const rlxc_prim_func *f = r->module->globals.items[i]->prim;
        if (f == NULL)
            continue;
        rlxc_text_puts(&text, text.length > 0 ? "\n" : "");
        rlxc_text_puts(&text, rlxc_print_prim_func(r->ctx, f));
    }
    return write_text(r, text.data != NULL ? text.data : "");
}

static bool sees_passes(const rlxc_command *c)
{
    return c->explain || c->print_after_all || c->n_print_after > 0 || c->time_passes || c->check;
}

static bool compile(run *r)
{
    rlxc_pass_hooks hooks = {.user = r, .after = after_pass};
    rlx_error err = {0};
    rlxc_emit_form emit = r->command->emit;
    if (emit == RLXC_EMIT_EXECUTABLE && r->command->output == NULL &&
        r->command->stop_after == NULL) {
        return rlxc_lower_module(r->ctx, r->module, &r->options, &hooks); /* only to explain it */
    } else if (emit == RLXC_EMIT_EXECUTABLE || emit == RLXC_EMIT_BYTECODE) {
        if (rlx_exec_builder_create(NULL, &r->builder, &err) != RLX_OK)
            return fail(r, &err);
        double start = now_seconds();
        bool ok = rlxc_compile_module(r->ctx, r->module, &r->options, &hooks, r->builder);
        r->compile_seconds = now_seconds() - start;
        if (ok)
            return rlxc_add_source_hash(r->ctx, r->text, r->length, r->builder) &&
                   write_executable(r);
    } else if (emit == RLXC_EMIT_RELAX && r->command->stop_after == NULL) {
        /* As it was read; the passes run only for what is to be seen of them. */
        return write_text(r, rlxc_print_module(r->ctx, r->module)) &&
               (!sees_passes(r->command) ||
                rlxc_lower_module(r->ctx, r->module, &r->options, &hooks));
    } else if (rlxc_lower_module(r->ctx, r->module, &r->options, &hooks)) {
        switch (emit) {
        case RLXC_EMIT_TIR:
            return write_tir(r);
        case RLXC_EMIT_SCHEDULE:
            return write_text(r, rlxc_print_schedules(r->ctx, "Module", &r->steps.made));
        case RLXC_EMIT_LLVM:
            return write_native(r, RLXC_NATIVE_LLVM);
        case RLXC_EMIT_ASM:
            return write_native(r, RLXC_NATIVE_ASM);
        case RLXC_EMIT_OBJ:
            return write_native(r, RLXC_NATIVE_OBJECT);
        case RLXC_EMIT_RELAX:
        case RLXC_EMIT_EXECUTABLE:
        case RLXC_EMIT_BYTECODE:
            return write_text(r, rlxc_print_module(r->ctx, r->module));
        }
    }
    if (!r->stopped || rlxc_failed(r->ctx))
        return false;
    return emit == RLXC_EMIT_TIR ? write_tir(r)
                                 : write_text(r, rlxc_print_module(r->ctx, r->module));
}

int rlxc_main(int argc, char *const *argv, FILE *out, FILE *err)
{
    rlxc_command command;
    if (!rlxc_parse_command(argc, argv, &command, err))
        return EXIT_USAGE;
    switch (command.action) {
    case RLXC_ACTION_COMPILE:
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

    rlxc_context *ctx = rlxc_context_create(NULL);
    if (ctx == NULL) {
        fputs("rlxc: out of memory while starting\n", err);
        return EXIT_FAILURE;
    }
    run r = {.command = &command, .ctx = ctx, .out = out, .err = err};
    bool ok = set_options(&r) && read_input(&r) && read_schedule(&r) && compile(&r);
    if (command.explain && !rlxc_failed(ctx))
        fputs(rlxc_explain_text(&r.explain), out);
    if (command.time_passes)
        print_times(&r);
    fputs(rlxc_render_diagnostics(ctx), err);

    rlx_exec_builder_destroy(r.builder);
    rlxc_context_destroy(ctx);
    rlxc_weights_close(&r.weights);
    free(r.read);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
