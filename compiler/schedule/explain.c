/* Collects the answers of the rules and prints them (explain.h). */
#include "compiler/schedule/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { REASON = 512 /* longer ones are cut */ };

bool rlxc_explain_why(rlxc_explain *e, const char *format, ...)
{
    char text[REASON];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    e->why = rlxc_intern_cstr(e->ctx, text);
    return false;
}

const char *rlxc_explain_expr(const rlxc_explain *e, const rlxc_expr *expr)
{
    int64_t value;
    return rlxc_is_int(expr, &value) ? rlxc_internf(e->ctx, "%" PRId64, value)
           : e->print                ? e->print(e->ctx, expr)
                                     : "an expression";
}

static const rlxc_stmt *innermost(const rlxc_stmt *s)
{
    while (s->kind == RLXC_STMT_FOR)
        s = s->loop.body;
    return s;
}

static const rlxc_stmt *find_line(const rlxc_stmt *s)
{
    const rlxc_stmt *inner = innermost(s);
    if (inner->kind == RLXC_STMT_BLOCK && inner->range.line == 0 && inner->block.block->body)
        inner = inner->block.block->body;
    return inner->range.line ? inner : s;
}

static const rlxc_block *block_in(const rlxc_stmt *s)
{
    const rlxc_stmt *inner = innermost(s);
    return inner->kind == RLXC_STMT_BLOCK ? inner->block.block : NULL;
}

static const void *key_of(const rlxc_stmt *block, const rlxc_buffer *out)
{
    const rlxc_block *b = block_in(block);
    return b && b->n_axes ? (const void *)b->axes[0].var
           : out          ? (const void *)out
           : b            ? b->name
                          : NULL;
}

rlxc_explained *rlxc_explained_block(rlxc_explain *e, const rlxc_prim_func *f,
                                     const rlxc_stmt *block, const rlxc_buffer *out)
{
    const void *key = key_of(block, out);
    for (uint32_t i = e->blocks.count; i-- > 0;)
        if (e->blocks.items[i].function == f && e->blocks.items[i].key == key)
            return &e->blocks.items[i];
    return NULL;
}

rlxc_explained *rlxc_explain_block(rlxc_explain *e, const rlxc_prim_func *f, const rlxc_stmt *block,
                                   const rlxc_buffer *out)
{
    const rlxc_block *b = block_in(block);
    rlxc_explained *old = rlxc_explained_block(e, f, block, out);
    if (old)
        return old;
    rlxc_explained new = {.function = f,
                          .key = key_of(block, out),
                          .name = b && b->name ? b->name
                                  : out        ? out->name
                                               : "block",
                          .range = find_line(block)->range};
    if (new.range.line == 0)
        new.range = f->range;
    const uint32_t count = e->blocks.count;
    RLXC_PUSH(e->ctx, &e->blocks, new);
    return e->blocks.count > count ? &e->blocks.items[count] : NULL;
}

void rlxc_explain_function(rlxc_explain *e, const rlxc_prim_func *f)
{
    rlxc_explained new = {.function = f,
                          .key = f,
                          .name = "root",
                          .range = f->range,
                          .taken = "as written: not a loop nest around one store, or with bindings "
                                   "and allocations outside of blocks"};
    RLXC_PUSH(e->ctx, &e->blocks, new);
}

void rlxc_explain_place(rlxc_explain *e, rlxc_range range, const char *name, const char *device,
                        const char *why)
{
    const char *place = range.line
                            ? rlxc_internf(e->ctx, "%s:%u:%u: ", rlxc_file_path(e->ctx, range.file),
                                           range.line, range.col)
                            : "";
    RLXC_PUSH(e->ctx, &e->places,
              rlxc_internf(e->ctx, "%s%s of %s: on the CPU, with copies: %s\n", place, name, device,
                           why));
}

const char *rlxc_explain_text(const rlxc_explain *e)
{
    rlxc_text text = {.ctx = e->ctx};
    for (uint32_t i = 0; i < e->places.count; i++)
        rlxc_text_puts(&text, e->places.items[i]);
    rlxc_text_puts(&text, e->blocks.count ? "" : "no block for the rules\n");
    for (uint32_t i = 0; i < e->blocks.count; i++) {
        const rlxc_explained *b = &e->blocks.items[i];
        const char *path = rlxc_file_path(e->ctx, b->range.file);
        if (b->range.line)
            rlxc_text_printf(&text, "%s:%u:%u: ", path, b->range.line, b->range.col);
        rlxc_text_printf(&text, "block %s of %s: %s\n", b->name,
                         b->function->name ? b->function->name : "a function without a name",
                         b->taken ? b->taken : "as written");
        if (b->computes)
            rlxc_text_printf(&text, "    %s\n", b->computes);
        for (uint32_t k = 0; k < b->reasons.count; k++)
            rlxc_text_printf(&text, "    %s\n", b->reasons.items[k]);
    }
    return text.data ? text.data : "";
}
