/* Source files and diagnostics: collects messages with their source locations and renders them as
   text.
 *
 * Errors beyond RLXC_MAX_ERRORS (and warnings beyond MAX_WARNINGS) are counted and dropped together
 * with the notes that follow them. Rendered source lines are cut around the caret and stripped of
 * control characters, since sources may be any bytes. */
#include "compiler/base/context_state.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WARNINGS = 50, MAX_NOTES_EACH = 8, LINE_WIDTH = 160, LABEL_SHOWN = 512 };

uint32_t rlxc_add_file(rlxc_context *ctx, const char *path, const char *text, size_t length)
{
    rlxc_file file = {.path = rlxc_intern_cstr(ctx, path), .text = text, .length = length};
    RLXC_PUSH(ctx, &ctx->files, file);
    return ctx->files.count;
}

static const rlxc_file *find_file(const rlxc_context *ctx, uint32_t file)
{
    return file >= 1 && file <= ctx->files.count ? &ctx->files.items[file - 1] : NULL;
}

const char *rlxc_file_path(const rlxc_context *ctx, uint32_t file)
{
    const rlxc_file *f = find_file(ctx, file);
    return f ? f->path : "";
}

const char *rlxc_file_base(const rlxc_context *ctx, uint32_t file)
{
    const char *path = rlxc_file_path(ctx, file), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void rlxc_set_listing(rlxc_context *ctx, uint32_t file, rlx_str text, const char *const *labels,
                      uint32_t n_labels)
{
    if (!find_file(ctx, file)) /* memory is out */
        return;
    rlxc_file *f = &ctx->files.items[file - 1];
    f->text = text.data;
    f->length = text.len;
    f->labels = labels;
    f->n_labels = n_labels;
}

const char *rlxc_line_label(const rlxc_context *ctx, uint32_t file, uint32_t line)
{
    const rlxc_file *f = find_file(ctx, file);
    return f && line > 0 && line <= f->n_labels ? f->labels[line - 1] : NULL;
}

rlx_str rlxc_file_line(const rlxc_context *ctx, uint32_t file, uint32_t line)
{
    const rlxc_file *f = find_file(ctx, file);
    rlx_str none = {"", 0};
    if (!f || line == 0)
        return none;
    size_t at = 0;
    for (uint32_t i = 1; i < line; i++) {
        const char *end = at < f->length ? memchr(f->text + at, '\n', f->length - at) : NULL;
        if (!end)
            return none;
        at = (size_t)(end - f->text) + 1;
    }
    if (at >= f->length)
        return none;
    const char *end = memchr(f->text + at, '\n', f->length - at);
    size_t length = end ? (size_t)(end - f->text) - at : f->length - at;
    if (length && f->text[at + length - 1] == '\r')
        length--;
    return (rlx_str){f->text + at, length};
}

void rlxc_keep_errors(rlxc_context *ctx, uint32_t count)
{
    ctx->max_errors = count;
}

rlxc_said rlxc_said_so_far(const rlxc_context *ctx)
{
    return (rlxc_said){ctx->diagnostics.count, ctx->n_errors, ctx->n_warnings};
}

void rlxc_take_back(rlxc_context *ctx, rlxc_said said)
{
    if (said.count < ctx->diagnostics.count)
        ctx->diagnostics.count = (uint32_t)said.count;
    ctx->n_errors = said.errors;
    ctx->n_warnings = said.warnings;
    ctx->last_dropped = false;
}

static bool keep(rlxc_context *ctx, rlxc_severity severity)
{
    switch (severity) {
    case RLXC_ERROR:
        ctx->last_dropped = ctx->n_errors >= ctx->max_errors;
        if (ctx->n_errors < UINT32_MAX)
            ctx->n_errors++;
        return !ctx->last_dropped;
    case RLXC_WARNING:
        ctx->last_dropped = ctx->n_warnings >= MAX_WARNINGS;
        if (ctx->n_warnings < UINT32_MAX)
            ctx->n_warnings++;
        return !ctx->last_dropped;
    case RLXC_NOTE: {
        uint32_t notes = 0, n = ctx->diagnostics.count;
        while (notes < n && ctx->diagnostics.items[n - 1 - notes].severity == RLXC_NOTE)
            notes++;
        return !ctx->last_dropped && notes < MAX_NOTES_EACH;
    }
    }
    return false;
}

/* True if the last diagnostic has the same text and place; repeats are dropped. */
static bool repeats(const rlxc_context *ctx, rlxc_severity severity, rlxc_range range,
                    const char *message)
{
    if (ctx->diagnostics.count == 0)
        return false;
    const rlxc_diagnostic *last = &ctx->diagnostics.items[ctx->diagnostics.count - 1];
    return last->severity == severity && last->range.file == range.file &&
           last->range.line == range.line && last->range.col == range.col &&
           strcmp(last->message, message) == 0;
}

static void append(rlxc_context *ctx, rlxc_severity severity, rlxc_range range, const char *format,
                   va_list args)
{
    if (!keep(ctx, severity))
        return;
    char message[2048]; /* longer ones are cut: they quote input */
    int length = vsnprintf(message, sizeof message, format, args);
    size_t used = length < 0                         ? 0
                  : (size_t)length >= sizeof message ? sizeof message - 1
                                                     : (size_t)length;
    message[used] = '\0';
    if (severity != RLXC_NOTE && range.line > 0 && repeats(ctx, severity, range, message)) {
        *(severity == RLXC_ERROR ? &ctx->n_errors : &ctx->n_warnings) -= 1;
        return;
    }
    char *copy = rlxc_alloc(ctx, used + 1);
    memcpy(copy, message, used);
    RLXC_PUSH(ctx, &ctx->diagnostics, (rlxc_diagnostic){severity, range, copy});
}

void rlxc_error(rlxc_context *ctx, rlxc_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(ctx, RLXC_ERROR, range, format, args);
    va_end(args);
}

void rlxc_warning(rlxc_context *ctx, rlxc_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(ctx, RLXC_WARNING, range, format, args);
    va_end(args);
}

void rlxc_note(rlxc_context *ctx, rlxc_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(ctx, RLXC_NOTE, range, format, args);
    va_end(args);
}

void rlxc_internal(rlxc_context *ctx, rlxc_range range, const char *stage, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    if (vsnprintf(message, sizeof message, format, args) < 0)
        message[0] = '\0';
    va_end(args);
    rlxc_error(ctx, range,
               "internal error in %s: %s (this is a bug of the compiler: please report it)", stage,
               message);
}

uint32_t rlxc_error_count(const rlxc_context *ctx)
{
    return ctx->n_errors;
}

const rlxc_diagnostic *rlxc_diagnostics(const rlxc_context *ctx, size_t *out_count)
{
    *out_count = ctx->diagnostics.count;
    return ctx->diagnostics.items;
}

static const char *severity_name(rlxc_severity severity)
{
    switch (severity) {
    case RLXC_ERROR:
        return "error";
    case RLXC_WARNING:
        return "warning";
    case RLXC_NOTE:
        return "note";
    }
    return "error";
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The source line and, below it, ^~~~ under the range. Columns count bytes; continuation bytes of
 * UTF-8 take no width. */
static void render_source(const rlxc_context *ctx, rlxc_text *out, rlxc_range range)
{
    rlx_str line = rlxc_file_line(ctx, range.file, range.line);
    if (line.len == 0 || range.col == 0)
        return;
    size_t caret = range.col - 1 < line.len ? range.col - 1 : line.len;
    size_t last = caret + 1;
    if (range.end_line == range.line && range.end_col > range.col)
        last = range.end_col - 1;
    else if (range.end_line > range.line)
        last = line.len;
    if (last > line.len)
        last = line.len > caret ? line.len : caret + 1;

    size_t start = 0, end = line.len;
    if (caret > LINE_WIDTH / 2)
        start = caret - LINE_WIDTH / 2;
    while (start > 0 && is_continuation(line.data[start]))
        start--;
    if (end - start > LINE_WIDTH)
        end = start + LINE_WIDTH;
    while (end < line.len && is_continuation(line.data[end]))
        end++;

    rlxc_text_puts(out, start ? "    ..." : "    ");
    for (size_t i = start; i < end; i++) {
        unsigned char c = (unsigned char)line.data[i];
        char shown = c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : (char)c;
        rlxc_text_add(out, &shown, 1);
    }
    rlxc_text_puts(out, start ? "\n    ..." : "\n    ");
    for (size_t i = start; i < last && i <= end; i++) {
        if (i < line.len && i != caret && is_continuation(line.data[i]))
            continue;
        rlxc_text_puts(out, i < caret ? " " : i == caret ? "^" : "~");
    }
    rlxc_text_puts(out, "\n");
}

/* The label of the line: the node of an ONNX model and the bodies around it. */
static void render_label(const rlxc_context *ctx, rlxc_text *out, rlxc_range range)
{
    char shown[LABEL_SHOWN];
    const char *label = rlxc_line_label(ctx, range.file, range.line);
    if (label != NULL)
        rlxc_text_printf(out, "    at %s\n",
                         rlx_name_text((rlx_str){label, strlen(label)}, shown, sizeof shown));
}

const char *rlxc_render_diagnostics(rlxc_context *ctx)
{
    rlxc_text out = {.ctx = ctx};
    rlxc_text_puts(&out, "");
    for (uint32_t i = 0; i < ctx->diagnostics.count; i++) {
        const rlxc_diagnostic *d = &ctx->diagnostics.items[i];
        const rlxc_file *file = find_file(ctx, d->range.file);
        if (file && d->range.line)
            rlxc_text_printf(&out, "%s:%u:%u: ", file->path, d->range.line, d->range.col);
        else if (file)
            rlxc_text_printf(&out, "%s: ", file->path);
        rlxc_text_printf(&out, "%s: %s\n", severity_name(d->severity), d->message);
        render_label(ctx, &out, d->range);
        render_source(ctx, &out, d->range);
    }
    if (ctx->n_errors > ctx->max_errors)
        rlxc_text_printf(&out, "and %u more errors\n", ctx->n_errors - ctx->max_errors);
    if (ctx->out_of_memory) {
        rlxc_text_puts(&out, "error: out of memory");
        if (ctx->doing)
            rlxc_text_printf(&out, " while %s", ctx->doing);
        if (ctx->doing && ctx->doing_name)
            rlxc_text_printf(&out, " '%s'", ctx->doing_name);
        rlxc_text_puts(&out, "\n");
    }
    return out.data;
}
