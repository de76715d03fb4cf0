/* Pieces of TVMScript that builders of IR give as text: types, dimensions, attributes. */
#include "compiler/script/parse.h"

#include <string.h>

typedef struct reading {
    rlxc_parser parser;
    locale_t locale;
    const rlxc_py *tree;
} reading;

/* Reads |text| as one expression, with the function's symbols in scope. */
static bool begin(reading *r, const rlxc_fragment *f, const char *text)
{
    rlxc_parser *p = &r->parser;
    const size_t length = strlen(text);
    const char *copy = rlxc_intern(f->ctx, text, length);
    const uint32_t file = rlxc_add_file(f->ctx, "<builder>", copy, length);
    *r = (reading){.parser = {.ctx = f->ctx, .module = f->module, .declare = f->declare}};
    if (rlxc_out_of_memory(f->ctx) || !rlxc_lexer_check_text(f->ctx, file, copy, length))
        return false;
    r->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!r->locale) {
        rlxc_error(f->ctx, (rlxc_range){0}, "the C locale is not available");
        return false;
    }
    for (uint32_t i = 0; i < f->io_symbols->vars.count; i++) {
        const rlxc_expr *var = f->io_symbols->vars.items[i];
        rlxc_names_define(f->ctx, &p->symbols, var->var.name, RLXC_NAME_EXPR)->expr = var;
        rlxc_names_define(f->ctx, &p->names, var->var.name, RLXC_NAME_EXPR)->expr = var;
    }
    rlxc_lexer_init(&p->py.lexer, f->ctx, file, copy, length, r->locale);
    rlxc_py_start(&p->py, f->ctx, &p->pool);
    r->tree = rlxc_py_expr(&p->py);
    if (r->tree && p->py.token.kind == RLXC_TOKEN_NEWLINE)
        rlxc_py_next(&p->py);
    if (r->tree && p->py.token.kind != RLXC_TOKEN_END) {
        rlxc_py_unexpected(&p->py, "the end of the text");
        return false;
    }
    return r->tree != NULL;
}

/* Keeps the symbols that were declared. */
static bool end(reading *r, const rlxc_fragment *f, bool ok)
{
    const rlxc_names *symbols = &r->parser.symbols;
    for (uint32_t i = f->io_symbols->vars.count; ok && i < symbols->stack.count; i++)
        RLXC_PUSH(f->ctx, &f->io_symbols->vars, symbols->stack.items[i]->expr);
    if (r->locale)
        freelocale(r->locale);
    return ok && !rlxc_out_of_memory(f->ctx);
}

const rlxc_sinfo *rlxc_parse_sinfo_text(const rlxc_fragment *f, const char *text)
{
    reading r;
    const rlxc_sinfo *s = NULL;
    if (begin(&r, f, text))
        s = rlxc_parse_sinfo(&r.parser, r.tree);
    return end(&r, f, s != NULL) ? s : NULL;
}

bool rlxc_parse_dims_text(const rlxc_fragment *f, const char *text, const rlxc_expr *const **out,
                          uint32_t *out_n)
{
    reading r;
    bool ok = begin(&r, f, text) && rlxc_parse_dims(&r.parser, r.tree, out, out_n);
    return end(&r, f, ok);
}

rlxc_binding *rlxc_parse_call_text(const rlxc_fragment *f, const rlxc_operator *op,
                                   const rlxc_atom *args, uint32_t n, const char *attrs)
{
    reading r;
    rlxc_binding *binding = NULL;
    rlxc_text text = {.ctx = f->ctx};
    rlxc_text_printf(&text, "attributes(%s)", attrs);
    if (begin(&r, f, text.data ? text.data : "")) {
        if (r.tree->kind == RLXC_PY_CALL && r.tree->base->kind == RLXC_PY_NAME)
            binding = rlxc_parse_keywords(&r.parser, op, r.tree, args, n);
        else
            rlxc_error(f->ctx, r.tree->range, "expected attributes such as axis=-1");
    }
    return end(&r, f, binding != NULL) ? binding : NULL;
}
