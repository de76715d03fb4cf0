/* Compiling through the library: passes, code, executables in memory and in files. */
#include "compiler/api/api.h"

#include "compiler/base/mapped.h"
#include "compiler/codegen/c_emit.h"
#include "compiler/codegen/codegen.h"
#include "compiler/codegen/device.h"
#include "compiler/driver/tune.h"
#include "compiler/script/script.h"
#include "rlx/asm.h"
#include "rlx/file.h"

#include <string.h>

enum { MAX_C_NAME = 100 };

/* --- passes ---------------------------------------------------------------------------------- */

typedef struct watch { /* rlx_compile_options.after_pass */
    rlx_ir_module *m;
    const rlx_compile_options *options;
} watch;

static bool after_pass(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    const watch *w = user;
    const rlx_pass_info info = {pass->name, pass->doc, pass->min_opt_level, pass->run == NULL};
    (void)module;
    return w->options->after_pass(w->options->user, w->m, &info, seconds);
}

/* The status of a pass run that returned |ok|. */
static rlx_status ended(rlx_ir_module *m, bool ok)
{
    if (!ok && !rlxc_failed(m->compiler->ctx))
        return RLX_E_CANCELLED;
    m->broken = m->broken || !ok;
    return ok ? RLX_OK : RLX_E_INVALID_MODULE;
}

static bool may_compile(const rlx_ir_module *m)
{
    if (m->compiler->running == NULL)
        return true;
    rlxc_error(m->compiler->ctx, (rlxc_range){0}, "a pass cannot compile or run passes");
    return false;
}

/* Gives the functions the tuned schedules that the database |path| has for them. */
static bool use_database(rlx_ir_module *m, const char *path)
{
    rlxc_context *ctx = m->compiler->ctx;
    if (path == NULL)
        return true;
    if (!rlxc_database_read(ctx, path, rlxc_target_text(ctx, m->options.target), false,
                            &m->database))
        return false;
    m->tuned_by = rlxc_intern_cstr(ctx, rlxc_base_name(path));
    m->steps.stored = rlxc_database_find;
    m->steps.user = &m->database;
    m->options.steps = &m->steps;
    return true;
}

/* Runs the pipeline unless it has run already. */
static rlx_status lower(rlx_ir_module *m, const rlx_compile_options *given, rlx_emit_form form)
{
    rlx_compile_options options;
    rlx_compiler *c = m->compiler;
    if (!may_compile(m))
        return RLX_E_INVALID_ARG;
    if (m->lowered)
        return RLX_OK;
    if (!rlxc_api_options(m, given, &options, &m->options))
        return RLX_E_INVALID_ARG;
    if (form == RLX_EMIT_C)
        rlxc_c_options(&m->options);
    if (options.explain) {
        m->explain = (rlxc_explain){.ctx = c->ctx, .print = rlxc_print_expr};
        m->options.explain = &m->explain;
    }
    if (form == RLX_EMIT_SCHEDULE || m->steps.given != NULL)
        m->options.steps = &m->steps;
    if (m->schedules.items.count > 0)
        m->options.schedules = &m->schedules;
    if (!use_database(m, options.database))
        return RLX_E_INVALID_ARG;
    watch w = {m, &options};
    const rlxc_pass_hooks hooks = {&w, options.after_pass != NULL ? after_pass : NULL};
    c->running = m;
    bool ok = rlxc_lower_module(c->ctx, m->ir, &m->options, &hooks);
    c->running = NULL;
    m->lowered = ok;
    return ended(m, ok);
}

static rlx_status end(const rlxc_api_call *call, rlx_status status, rlx_error *err)
{
    return rlxc_api_end(call, status == RLX_OK, status, err);
}

rlx_status rlx_ir_module_lower(rlx_ir_module *m, const rlx_compile_options *options, rlx_error *err)
{
    rlxc_api_call call;
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    return end(&call, lower(m, options, RLX_EMIT_EXECUTABLE), err);
}

rlx_status rlx_ir_module_tune(rlx_ir_module *m, const rlx_compile_options *given,
                              const rlx_tune_options *given_tune, rlx_error *err)
{
    rlxc_api_call call;
    rlx_compile_options options;
    rlx_tune_options tune = {.size = sizeof tune};
    RLX_TRY(rlxc_api_take(given_tune, "rlx_tune_options", RLXC_API_END(rlx_tune_options, user),
                          &tune, sizeof tune, err));
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = m->compiler->ctx;
    if (!(tune.seconds > 0) || m->lowered) {
        rlxc_error(ctx, (rlxc_range){0},
                   "tuning needs a module that is not lowered, and a positive time");
        return end(&call, RLX_E_INVALID_ARG, err);
    }
    if (!may_compile(m) || !rlxc_api_options(m, given, &options, &m->options))
        return end(&call, RLX_E_INVALID_ARG, err);
    if (!rlxc_target_is_host(m->options.target)) {
        rlxc_error(ctx, (rlxc_range){0}, "tuning measures on this machine, and the target is %s",
                   rlxc_target_text(ctx, m->options.target));
        return end(&call, RLX_E_INVALID_ARG, err);
    }
    const rlxc_tune_request request = {.seconds = tune.seconds,
                                       .database = tune.database,
                                       .csv = tune.csv,
                                       .target = rlxc_target_text(ctx, m->options.target),
                                       .line = tune.line,
                                       .user = tune.user};
    const bool ok = rlxc_tune(ctx, m->ir, &m->options, &request);
    m->broken = true; /* lowered before, when no notes were collected */
    return end(&call, ok ? RLX_OK : RLX_E_INVALID_MODULE, err);
}

const char *rlx_ir_module_explanation(const rlx_ir_module *m)
{
    const char *text = m != NULL && m->explain.ctx != NULL ? rlxc_explain_text(&m->explain) : NULL;
    return text != NULL ? text : "";
}

/* RLX_E_NOT_FOUND if |name| is not a pass. */
static rlx_status check_names(rlx_compiler *c, const char *const *names, uint32_t n)
{
    const uint32_t count = rlx_compiler_pass_count(c);
    for (uint32_t i = 0; i < n; i++) {
        rlx_pass_info info = {.name = NULL};
        bool found = false;
        for (uint32_t k = 0; k < count && names[i] != NULL && !found; k++)
            found = rlx_compiler_pass(c, k, &info) && strcmp(info.name, names[i]) == 0;
        if (found)
            continue;
        rlxc_error(c->ctx, (rlxc_range){0}, "there is no pass '%s'",
                   names[i] != NULL ? names[i] : "NULL");
        return RLX_E_NOT_FOUND;
    }
    return RLX_OK;
}

rlx_status rlx_ir_module_run_passes(rlx_ir_module *m, const char *const *names, uint32_t n,
                                    const rlx_compile_options *given, rlx_error *err)
{
    rlxc_api_call call;
    rlx_compile_options options;
    rlxc_options own;
    if (names == NULL && n > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "names is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlx_compiler *c = call.compiler;
    rlx_status status = check_names(c, names, n);
    if (status == RLX_OK && (!may_compile(m) || !rlxc_api_options(m, given, &options, &own)))
        status = RLX_E_INVALID_ARG;
    if (status != RLX_OK)
        return end(&call, status, err);
    watch w = {m, &options};
    const rlxc_pass_hooks hooks = {&w, options.after_pass != NULL ? after_pass : NULL};
    c->running = m;
    for (uint32_t i = 0; status == RLX_OK && i < n; i++) {
        const char *needs = rlxc_pass_needs(names[i], m->have);
        if (needs != NULL) { /* the module is unchanged */
            rlxc_error(c->ctx, (rlxc_range){0}, "pass '%s' can run only after pass '%s'", names[i],
                       needs);
            status = RLX_E_INVALID_ARG;
        } else {
            status = ended(m, rlxc_run_pass(c->ctx, m->ir, &own, &hooks, names[i], &m->have));
        }
    }
    c->running = NULL;
    return end(&call, status, err);
}

/* --- code ------------------------------------------------------------------------------------ */

typedef struct output {
    rlx_exec_builder *builder; /* of an executable; else NULL */
    const void *data;          /* arena */
    size_t size;
    const char *name; /* of C: what the file is called, without its end; NULL: none is written */
    rlxc_c_files c;   /* its text, for the other files */
} output;

bool rlxc_api_refused(rlxc_context *ctx, rlx_error *err)
{
    if (err->code != RLX_E_IO && err->code != RLX_E_NOT_FOUND && err->code != RLX_E_NOMEM)
        rlx_error_prefix(err,
                         "the compiler wrote an executable that does not verify (please report): ");
    return rlxc_api_fail(ctx, err);
}

static bool set_text(rlxc_context *ctx, const char *text, output *out)
{
    if (text == NULL || rlxc_failed(ctx))
        return false;
    out->data = text;
    out->size = strlen(text);
    return true;
}

/* How the kernels were scheduled, where not by the rules alone. */
static bool note_schedules(const rlx_ir_module *m, rlx_exec_builder *builder)
{
    rlxc_context *ctx = m->compiler->ctx;
    if (m->scheduled != NULL && !rlxc_add_metadata(ctx, "schedule", m->scheduled, builder))
        return false;
    return m->tuned_by == NULL || rlxc_add_metadata(ctx, "database",
                                                    rlxc_internf(ctx, "%s: steps of %u functions",
                                                                 m->tuned_by, m->database.used),
                                                    builder);
}

static bool build(rlx_ir_module *m, output *out)
{
    rlxc_context *ctx = m->compiler->ctx;
    rlx_error err = {0};
    m->options.lifted_file = m->lifted_file;
    if (rlx_exec_builder_create(m->compiler->allocator, &out->builder, &err) != RLX_OK)
        return rlxc_api_fail(ctx, &err);
    rlx_exec_builder_set_compression(out->builder, m->options.no_compression ? RLX_COMPRESSION_NONE
                                                   : m->options.opt_level < 2
                                                       ? RLX_COMPRESSION_FAST
                                                       : RLX_COMPRESSION_SMALL);
    return rlxc_generate(ctx, m->ir, &m->options, out->builder) &&
           note_schedules(m, out->builder) &&
           (m->source == NULL || rlxc_add_source_hash(ctx, m->source, m->length, out->builder));
}

static bool load(rlx_ir_module *m, const output *out, const rlx_load_options *given,
                 rlx_executable **exe)
{
    rlx_load_options options = given != NULL ? *given : (rlx_load_options){0};
    rlx_error err = {0};
    options.trust_native = true;
    if (options.allocator == NULL)
        options.allocator = m->compiler->allocator;
    if (m->lifted_file != NULL && options.weights == NULL && options.n_tensors == 0)
        options.weights = m->lifted_file->path;
    return rlx_exec_builder_load(out->builder, &options, exe, &err) == RLX_OK ||
           rlxc_api_refused(m->compiler->ctx, &err);
}

static bool disassemble(rlx_ir_module *m, output *out)
{
    const rlx_allocator *a = m->compiler->allocator;
    rlxc_context *ctx = m->compiler->ctx;
    rlx_load_options options = {.allocator = a}; /* for any machine: its code is not loaded */
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    char *text = NULL, *copy = NULL;
    size_t length = 0;
    if (rlx_exec_builder_load(out->builder, &options, &exe, &err) != RLX_OK)
        return rlxc_api_refused(ctx, &err);
    if (rlx_disassemble(a, exe, RLX_DISASSEMBLE_NO_DATA, &text, &length, &err) != RLX_OK)
        rlxc_api_fail(ctx, &err);
    else if ((copy = rlxc_try_alloc(ctx, length + 1, 1)) != NULL)
        memcpy(copy, text, length);
    if (text != NULL)
        rlx_free(a, text, length + 1, 1);
    rlx_executable_release(exe);
    out->data = copy;
    out->size = length;
    return copy != NULL;
}

static bool native(rlx_ir_module *m, rlxc_native_form form, output *out)
{
    rlxc_native code = {0};
    if (!rlxc_compile_native(m->compiler->ctx, m->ir, &m->options, form, &code))
        return false;
    out->data = code.data;
    out->size = code.size;
    return true;
}

/* The images whose formats begin with |format| for the devices of |kind|, one after the other. Each
 * of several for one target has a line before it that names its format. */
static bool devices(rlx_ir_module *m, const char *kind, const char *format, output *out)
{
    const size_t length = strlen(format);
    rlxc_context *ctx = m->compiler->ctx;
    const rlxc_device_code *codes = NULL;
    rlxc_text text = {.ctx = ctx};
    uint32_t n = 0;
    if (!rlxc_compile_devices(ctx, m->ir, &m->options, &codes, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < codes[i].n_images && strcmp(codes[i].target->kind, kind) == 0; k++)
            if (strncmp(codes[i].images[k].format, format, length) == 0) {
                if (codes[i].n_images > 1)
                    rlxc_text_printf(&text, "// image %s\n", codes[i].images[k].format);
                rlxc_text_add(&text, codes[i].images[k].data, codes[i].images[k].size);
            }
    if (text.data == NULL)
        rlxc_error(ctx, (rlxc_range){0}, "the module has no kernel for devices of the kind %s",
                   kind);
    return text.data != NULL && set_text(ctx, text.data, out);
}

/* In memory the header replaces the line that would include it. */
static bool c_text(rlx_ir_module *m, output *out)
{
    rlxc_context *ctx = m->compiler->ctx;
    rlxc_c_files files = {.header = NULL};
    if (strcmp(m->options.target->kind, "c") != 0) {
        rlxc_error(ctx, (rlxc_range){0}, "the module was already lowered for a form other than C");
        return false;
    }
    if (m->options.weights_apart && out->name == NULL) {
        rlxc_error(ctx, (rlxc_range){0}, "a separate weights file needs an output file NAME.c");
        return false;
    }
    if (!rlxc_emit_c(ctx, m->ir, out->name != NULL ? out->name : "model", m->options.weights_apart,
                     &files))
        return false;
    out->c = files;
    if (out->name != NULL)
        return set_text(ctx, files.source, out);
    static const char include[] = "#include \"model.h\"\n";
    const char *at = strstr(files.source, include);
    rlxc_text text = {.ctx = ctx};
    rlxc_text_add(&text, files.source, at != NULL ? (size_t)(at - files.source) : 0);
    rlxc_text_puts(&text, files.header);
    rlxc_text_puts(&text, at != NULL ? at + sizeof include - 1 : files.source);
    return set_text(ctx, text.data, out);
}

static bool generate(rlx_ir_module *m, rlx_emit_form form, output *out)
{
    rlxc_context *ctx = m->compiler->ctx;
    switch (form) {
    case RLX_EMIT_EXECUTABLE:
        return build(m, out);
    case RLX_EMIT_RELAX:
        return set_text(ctx, rlx_ir_module_print(m), out);
    case RLX_EMIT_TIR:
        return set_text(ctx, rlx_ir_module_print_prims(m), out);
    case RLX_EMIT_SCHEDULE:
        if (m->options.steps != NULL)
            return set_text(ctx, rlxc_print_schedules(ctx, "Module", &m->steps.made), out);
        rlxc_error(ctx, (rlxc_range){0}, "the module was lowered without recording its schedule");
        return false;
    case RLX_EMIT_LLVM:
        return native(m, RLXC_NATIVE_LLVM, out);
    case RLX_EMIT_ASSEMBLY:
        return native(m, RLXC_NATIVE_ASM, out);
    case RLX_EMIT_OBJECT:
        return native(m, RLXC_NATIVE_OBJECT, out);
    case RLX_EMIT_BYTECODE:
        return build(m, out) && disassemble(m, out);
    case RLX_EMIT_OPENCL:
        return devices(m, "opencl", "opencl-c", out);
    case RLX_EMIT_PTX:
        return devices(m, "cuda", "ptx", out);
    case RLX_EMIT_C:
        return c_text(m, out);
    }
    rlxc_error(ctx, (rlxc_range){0}, "unknown emit form %d", (int)form);
    return false;
}

/* Lowers if the form needs it, and generates code; the caller destroys the builder. */
static rlx_status compile(rlx_ir_module *m, const rlx_compile_options *options, rlx_emit_form form,
                          output *out)
{
    rlx_status status = form == RLX_EMIT_RELAX ? RLX_OK : lower(m, options, form);
    if (status != RLX_OK)
        return status;
    return generate(m, form, out) ? RLX_OK : RLX_E_INVALID_MODULE;
}

rlx_status rlxc_api_build(rlx_ir_module *m, const rlx_compile_options *options,
                          rlx_exec_builder **out_builder)
{
    output out = {.builder = NULL};
    const rlx_status status = compile(m, options, RLX_EMIT_EXECUTABLE, &out);
    *out_builder = out.builder;
    return status;
}

rlx_status rlxc_api_lift(rlx_ir_module *const *modules, uint32_t n,
                         const rlx_compile_options *options, const char *path, rlx_error *err)
{
    rlx_compiler *c = modules[0]->compiler;
    rlxc_lifted_file *file = NULL;
    rlx_compile_options own;
    rlx_error error;
    if (!rlxc_api_complete(options, &own, &error))
        own.lifted_path = NULL; /* compiling reports what is wrong */
    if (own.lifted_path != NULL && !c->lift_params)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "lifted_path needs a compiler that was created with lift_params");
    if (c->lift_params && (own.lifted_path != NULL || path != NULL)) {
        file = rlxc_alloc(c->ctx, sizeof *file);
        file->path = own.lifted_path != NULL ? rlxc_intern_cstr(c->ctx, own.lifted_path)
                                             : rlxc_internf(c->ctx, "%s.safetensors", path);
    }
    for (uint32_t i = 0; i < n; i++) {
        modules[i]->lifted_file = file;
        if (file != NULL)
            RLX_TRY(rlx_ir_module_check_output(modules[i], file->path, err));
    }
    return RLX_OK;
}

/* Of an executable |form|; what else is emitted has all weights. */
static rlx_status lift(rlx_ir_module *m, const rlx_compile_options *options, rlx_emit_form form,
                       const char *path, rlx_error *err)
{
    if (form == RLX_EMIT_EXECUTABLE)
        return rlxc_api_lift(&m, 1, options, path, err);
    m->lifted_file = NULL;
    return RLX_OK;
}

rlx_status rlx_ir_module_emit(rlx_ir_module *m, const rlx_compile_options *options,
                              rlx_emit_form form, void **out_data, size_t *out_size, rlx_error *err)
{
    rlxc_api_call call;
    output out = {.builder = NULL};
    if (m == NULL || out_data == NULL || out_size == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the module, out_data or out_size is NULL");
    RLX_TRY(lift(m, options, form, NULL, err));
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlx_compiler *c = call.compiler;
    rlx_error error = {0};
    void *data = NULL;
    size_t size = 0;
    rlx_status status = compile(m, options, form, &out);
    if (status == RLX_OK && !rlxc_write_lifted(c->ctx, m->lifted_file))
        status = RLX_E_IO;
    if (status == RLX_OK && form == RLX_EMIT_EXECUTABLE) {
        if (rlx_exec_builder_finish(out.builder, &data, &size, &error) != RLX_OK)
            rlxc_api_refused(c->ctx, &error);
    } else if (status == RLX_OK) {
        data = rlx_alloc(c->allocator, size = out.size, 64);
        if (data == NULL)
            rlxc_set_out_of_memory(c->ctx);
        else
            memcpy(data, out.data, size);
    }
    rlx_exec_builder_destroy(out.builder);
    status = end(&call, status, err);
    if (status != RLX_OK) {
        rlx_free(c->allocator, data, size, 64);
        return status;
    }
    *out_data = data;
    *out_size = size;
    return RLX_OK;
}

/* The name in .../NAME.c, and the paths of the files beside it, which must not be files that were
 * read. */
static bool name_of_c(rlx_ir_module *m, const char *path, const char **out_name,
                      const char *out_beside[2])
{
    static const char *const ends[2] = {"h", "weights"};
    rlxc_context *ctx = m->compiler->ctx;
    const char *base = rlxc_base_name(path);
    const size_t length = strlen(base), all = strlen(path);
    if (length < 3 || length > MAX_C_NAME || strcmp(base + length - 2, ".c") != 0) {
        rlxc_error(ctx, (rlxc_range){0}, "%s: a module emitted as C needs a file named NAME.c",
                   path);
        return false;
    }
    *out_name = rlxc_intern(ctx, base, length - 2);
    for (int i = 0; i < 2; i++) {
        out_beside[i] = rlxc_internf(ctx, "%.*s.%s", (int)(all - 2), path, ends[i]);
        rlx_error refused;
        if (rlxc_is_mapped(ctx, out_beside[i]) ||
            rlx_check_output(out_beside[i], &m->path, 1, &refused) != RLX_OK)
            rlxc_error(ctx, (rlxc_range){0}, "%s would overwrite a file that %s reads",
                       out_beside[i], m->path);
    }
    return !rlxc_failed(ctx);
}

rlx_status rlx_ir_module_emit_file(rlx_ir_module *m, const rlx_compile_options *options,
                                   rlx_emit_form form, const char *path, rlx_error *err)
{
    rlxc_api_call call;
    output out = {.builder = NULL};
    rlx_error error = {0};
    RLX_TRY(rlx_ir_module_check_output(m, path, err));
    RLX_TRY(lift(m, options, form, path, err));
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    const char *beside[2] = {NULL, NULL};
    rlx_status status =
        form != RLX_EMIT_C || name_of_c(m, path, &out.name, beside) ? RLX_OK : RLX_E_INVALID_ARG;
    if (status == RLX_OK)
        status = compile(m, options, form, &out);
    if (status == RLX_OK && !rlxc_write_lifted(ctx, m->lifted_file))
        status = RLX_E_IO;
    if (status == RLX_OK) {
        rlxc_doing(ctx, "writing", rlxc_intern_cstr(ctx, path));
        if (form == RLX_EMIT_C)
            status = rlx_write_file(beside[0], out.c.header, strlen(out.c.header), &error);
        if (status == RLX_OK && out.c.weights != NULL)
            status = rlx_write_file(beside[1], out.c.weights, out.c.weights_bytes, &error);
        if (status == RLX_OK)
            status = form == RLX_EMIT_EXECUTABLE ? rlx_exec_builder_save(out.builder, path, &error)
                                                 : rlx_write_file(path, out.data, out.size, &error);
        if (status != RLX_OK && form == RLX_EMIT_EXECUTABLE)
            rlxc_api_refused(ctx, &error);
        else if (status != RLX_OK)
            rlxc_api_fail(ctx, &error);
    }
    rlx_exec_builder_destroy(out.builder);
    return end(&call, status, err);
}

rlx_status rlx_ir_module_load(rlx_ir_module *m, const rlx_compile_options *options,
                              const rlx_load_options *load_options, rlx_executable **out_exe,
                              rlx_error *err)
{
    rlxc_api_call call;
    output out = {.builder = NULL};
    rlx_executable *exe = NULL;
    if (m == NULL || out_exe == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the module or out is NULL");
    RLX_TRY(lift(m, options, RLX_EMIT_EXECUTABLE, NULL, err));
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlx_status status = compile(m, options, RLX_EMIT_EXECUTABLE, &out);
    if (status == RLX_OK && !rlxc_write_lifted(call.compiler->ctx, m->lifted_file))
        status = RLX_E_IO;
    if (status == RLX_OK && !load(m, &out, load_options, &exe))
        status = RLX_E_INVALID_MODULE;
    rlx_exec_builder_destroy(out.builder);
    status = end(&call, status, err);
    if (status == RLX_OK)
        *out_exe = exe;
    else
        rlx_executable_release(exe);
    return status;
}
