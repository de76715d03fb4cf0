/* Creates and destroys compilers; their diagnostics and tables; the prologue and epilogue of every
 * call. */
#include "compiler/api/api.h"

#include "compiler/base/nearest.h"
#include "compiler/codegen/child.h"
#include "compiler/ir/op.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST_OPTIONS = 4096, LABEL_SHOWN = 160 };

rlx_status rlxc_api_take(const void *given, const char *name, size_t first, void *out, size_t size,
                         rlx_error *err)
{
    size_t said = size;
    if (given == NULL)
        return RLX_OK;
    memcpy(&said, given, sizeof said);
    if (said < first || said > LARGEST_OPTIONS)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: field size is %zu, expected %zu: set it with sizeof or the struct's "
                        "init function",
                        name, said, size);
    for (size_t i = size; i < said; i++)
        if (((const unsigned char *)given)[i] != 0)
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "%s: byte %zu is set, but this version of the library knows %zu", name,
                            i, size);
    memcpy(out, given, said < size ? said : size);
    return RLX_OK;
}

rlx_status rlx_compiler_create(const rlx_compiler_options *options, rlx_compiler **out,
                               rlx_error *err)
{
    rlx_compiler_options o = {.size = sizeof o};
    if (out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "out is NULL");
    RLX_TRY(rlxc_api_take(options, "rlx_compiler_options",
                          RLXC_API_END(rlx_compiler_options, allocator), &o, sizeof o, err));
    const rlx_allocator *a = o.allocator != NULL ? o.allocator : rlx_default_allocator();
    rlx_compiler *c = rlx_alloc(a, sizeof *c, _Alignof(rlx_compiler));
    if (c != NULL) {
        memset(c, 0, sizeof *c);
        c->allocator = a;
        c->strict_weights = o.strict_weights;
        c->lift_params = o.lift_params;
        c->ctx = rlxc_context_create(a);
    }
    if (c == NULL || c->ctx == NULL) {
        rlx_free(a, c, sizeof *c, _Alignof(rlx_compiler));
        return rlx_fail(err, RLX_E_NOMEM, "no memory for a compiler");
    }
    *out = c;
    return RLX_OK;
}

void rlx_compiler_destroy(rlx_compiler *c)
{
    if (c == NULL)
        return;
    rlxc_context_destroy(c->ctx);
    rlx_free(c->allocator, c, sizeof *c, _Alignof(rlx_compiler));
}

/* --- calls ----------------------------------------------------------------------------------- */

rlx_status rlxc_api_begin(rlx_compiler *c, rlxc_api_call *call, rlx_error *err)
{
    if (c == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the compiler or module is NULL");
    if (rlxc_out_of_memory(c->ctx))
        return rlx_fail(err, RLX_E_NOMEM, "the compiler ran out of memory");
    rlxc_said said = rlxc_said_so_far(c->ctx);
    if (c->depth == 0) {
        said.errors = said.warnings = 0;
        rlxc_take_back(c->ctx, said);
        rlxc_doing(c->ctx, NULL, NULL);
    }
    *call = (rlxc_api_call){c, said.count, said.errors};
    c->depth++;
    return RLX_OK;
}

rlx_status rlxc_api_begin_module(rlx_ir_module *m, rlxc_api_call *call, rlx_error *err)
{
    RLX_TRY(rlxc_api_begin(m != NULL ? m->compiler : NULL, call, err));
    if (!m->broken)
        return RLX_OK;
    m->compiler->depth--;
    return rlx_fail(err, RLX_E_INVALID_MODULE,
                    "the module of %s was left unfinished by a call that failed", m->path);
}

/* The place goes before the message, as in all errors of the library. */
static void describe(const rlxc_context *ctx, const rlxc_diagnostic *d, rlx_status code,
                     rlx_error *err)
{
    const char *path = rlxc_file_path(ctx, d->range.file);
    const char *label = rlxc_line_label(ctx, d->range.file, d->range.line);
    char shown[LABEL_SHOWN];
    if (err == NULL)
        return;
    if (label != NULL)
        rlx_fail(err, code, "%s: %s: %s", path,
                 rlx_name_text(rlx_str_from(label), shown, sizeof shown), d->message);
    else if (path[0] != '\0' && d->range.line > 0)
        rlx_fail(err, code, "%s:%u:%u: %s", path, d->range.line, d->range.col, d->message);
    else if (path[0] != '\0')
        rlx_fail(err, code, "%s: %s", path, d->message);
    else
        rlx_fail(err, code, "%s", d->message);
    snprintf(err->where.file, sizeof err->where.file, "%s", path);
    err->where.line = d->range.line;
    err->where.column = label != NULL ? 0 : d->range.col;
}

rlx_status rlxc_api_end(const rlxc_api_call *call, bool ok, rlx_status otherwise, rlx_error *err)
{
    const rlxc_context *ctx = call->compiler->ctx;
    size_t n;
    const rlxc_diagnostic *all = rlxc_diagnostics(ctx, &n);
    call->compiler->depth--;
    if (rlxc_out_of_memory(ctx))
        return rlx_fail(err, RLX_E_NOMEM, "the compiler ran out of memory");
    if (ok && rlxc_error_count(ctx) <= call->errors)
        return RLX_OK;
    for (size_t i = call->first; i < n; i++)
        if (all[i].severity == RLXC_ERROR) {
            describe(ctx, &all[i], otherwise, err);
            return otherwise;
        }
    return rlx_fail(err, otherwise, "%s", rlx_status_name(otherwise));
}

bool rlxc_api_fail(rlxc_context *ctx, const rlx_error *err)
{
    if (err->code == RLX_E_NOMEM)
        rlxc_set_out_of_memory(ctx);
    else
        rlxc_error(ctx, (rlxc_range){0}, "%s", err->message);
    return false;
}

/* --- diagnostics ----------------------------------------------------------------------------- */

static rlx_severity severity_of(rlxc_severity s)
{
    switch (s) {
    case RLXC_ERROR:
        return RLX_SEVERITY_ERROR;
    case RLXC_WARNING:
        return RLX_SEVERITY_WARNING;
    case RLXC_NOTE:
        return RLX_SEVERITY_NOTE;
    }
    return RLX_SEVERITY_ERROR;
}

uint32_t rlx_compiler_diagnostic_count(const rlx_compiler *c)
{
    size_t n = 0;
    if (c != NULL)
        rlxc_diagnostics(c->ctx, &n);
    return (uint32_t)n;
}

bool rlx_compiler_diagnostic(const rlx_compiler *c, uint32_t i, rlx_diagnostic *out)
{
    if (i >= rlx_compiler_diagnostic_count(c) || out == NULL)
        return false;
    size_t n;
    const rlxc_diagnostic *d = &rlxc_diagnostics(c->ctx, &n)[i];
    *out = (rlx_diagnostic){.severity = severity_of(d->severity),
                            .file = rlxc_file_path(c->ctx, d->range.file),
                            .line = d->range.line,
                            .column = d->range.col,
                            .end_line = d->range.end_line,
                            .end_column = d->range.end_col,
                            .label = rlxc_line_label(c->ctx, d->range.file, d->range.line),
                            .message = d->message};
    return true;
}

const char *rlx_compiler_diagnostics_text(rlx_compiler *c)
{
    const char *text = c != NULL ? rlxc_render_diagnostics(c->ctx) : NULL;
    return text != NULL ? text : "";
}

void rlx_compiler_clear_diagnostics(rlx_compiler *c)
{
    if (c != NULL && c->depth == 0)
        rlxc_take_back(c->ctx, (rlxc_said){0, 0, 0});
}

rlx_status rlx_compiler_report(rlx_compiler *c, rlx_severity severity, const char *message,
                               rlx_error *err)
{
    rlxc_api_call call;
    if (message == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "message is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    switch (severity) {
    case RLX_SEVERITY_ERROR:
        rlxc_error(c->ctx, (rlxc_range){0}, "%s", message);
        call.errors++; /* the call has done its work */
        break;
    case RLX_SEVERITY_WARNING:
        rlxc_warning(c->ctx, (rlxc_range){0}, "%s", message);
        break;
    case RLX_SEVERITY_NOTE:
        rlxc_note(c->ctx, (rlxc_range){0}, "%s", message);
        break;
    }
    return rlxc_api_end(&call, true, RLX_E_INTERNAL, err);
}

/* --- tables ---------------------------------------------------------------------------------- */

uint32_t rlx_compiler_operator_count(void)
{
    uint32_t n;
    rlxc_operators(&n);
    return n;
}

bool rlx_compiler_operator(uint32_t i, rlx_operator_info *out)
{
    uint32_t n;
    const rlxc_operator *ops = rlxc_operators(&n);
    if (i >= n || out == NULL)
        return false;
    *out = (rlx_operator_info){ops[i].name, ops[i].inputs, ops[i].attrs, ops[i].doc};
    return true;
}

size_t rlx_compiler_name_distance(rlx_str a, rlx_str b)
{
    if (a.data == NULL || b.data == NULL)
        return SIZE_MAX;
    return rlxc_edit_distance(a.data, a.len, b.data, b.len);
}

void rlx_compiler_on_no_memory(void (*fn)(void))
{
    rlxc_on_no_memory(fn);
}
