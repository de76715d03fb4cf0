/* Names of parameters, dimensions and results: names.h. */
#include "compiler/ir/names.h"

#include <string.h>

const char *rlxc_given_name(rlxc_context *ctx, const rlxc_function *f, const char *key,
                            const char *identifier)
{
    const rlxc_attr *dict = rlxc_attrs_find(&f->attrs, key);
    const char *interned = dict ? rlxc_intern_cstr(ctx, identifier) : NULL;
    for (uint32_t i = 0; dict && dict->kind == RLXC_ATTR_DICT && i < dict->list.count; i++)
        if (dict->list.keys[i] == interned && dict->list.items[i].kind == RLXC_ATTR_STRING)
            return dict->list.items[i].s;
    return identifier;
}

const char *rlxc_shown_name(rlxc_context *ctx, const rlxc_rvar *var)
{
    char shown[64];
    const char *name = var->given ? var->given : var->name;
    return rlxc_intern_cstr(ctx, rlx_name_text(rlx_str_from(name), shown, sizeof shown));
}

static bool is_param(const rlxc_function *f, const rlxc_rvar *var)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i] == var)
            return true;
    return false;
}

/* The bindings at the outermost level of |f|, by variable; NULL when memory is out. */
static const rlxc_binding **bindings_of(rlxc_context *ctx, const rlxc_function *f)
{
    const rlxc_binding **made = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof(rlxc_binding *));
    for (uint32_t i = 0; made && i < f->body.n_blocks; i++)
        for (uint32_t k = 0; k < f->body.blocks[i]->n; k++)
            made[f->body.blocks[i]->bindings[k]->var->id] = f->body.blocks[i]->bindings[k];
    return made;
}

static bool same_range(rlxc_range a, rlxc_range b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col && a.end_line == b.end_line &&
           a.end_col == b.end_col;
}

/* A variable that the parser made for an expression has the place of the expression. */
static const char *name_of(rlxc_context *ctx, const rlxc_function *f,
                           const rlxc_binding *const *made, rlxc_atom atom)
{
    if (atom.kind != RLXC_ATOM_VAR)
        return "";
    const rlxc_binding *b = made[atom.var->id];
    if (!b && is_param(f, atom.var))
        return rlxc_given_name(ctx, f, RLXC_PARAM_NAMES, atom.var->name);
    return b && !same_range(b->range, atom.var->range) ? atom.var->name : "";
}

static void note(rlxc_context *ctx, rlxc_function *f)
{
    const rlxc_binding *const *made = bindings_of(ctx, f);
    const rlxc_atom result = f->body.result;
    const rlxc_binding *b = made && result.kind == RLXC_ATOM_VAR ? made[result.var->id] : NULL;
    const bool is_tuple = result.kind == RLXC_ATOM_TUPLE || (b && b->form == RLXC_FORM_TUPLE);
    const rlxc_atom *items = !is_tuple                        ? &result
                             : result.kind == RLXC_ATOM_TUPLE ? result.items
                                                              : b->args;
    const uint32_t n = !is_tuple ? 1 : result.kind == RLXC_ATOM_TUPLE ? result.n : b->n_args;
    const char **names = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *names);
    bool any = false;
    for (uint32_t i = 0; made && names && i < n; i++) {
        names[i] = name_of(ctx, f, made, items[i]);
        any = any || *names[i];
    }
    f->result_names = any ? names : NULL;
    f->n_result_names = any ? n : 0;
    f->one_result = !is_tuple;
}

void rlxc_note_names(rlxc_context *ctx, rlxc_module *module)
{
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        for (uint32_t k = 0; f && k < f->n_params; k++)
            if (!f->params[k]->given)
                f->params[k]->given = rlxc_given_name(ctx, f, RLXC_PARAM_NAMES, f->params[k]->name);
        if (f && !f->is_private && !rlxc_attrs_find(&f->attrs, RLXC_RESULT_NAMES))
            note(ctx, f);
    }
}

const char *const rlxc_reserved_names[] = {
    "False",    "None",     "True",     "and",    "as",   "assert", "async",  "await",
    "break",    "class",    "continue", "def",    "del",  "elif",   "else",   "except",
    "finally",  "for",      "from",     "global", "if",   "import", "in",     "is",
    "lambda",   "nonlocal", "not",      "or",     "pass", "raise",  "return", "try",
    "while",    "with",     "yield",    "match",  "T",    "R",      "I",      "cls",
    "metadata", "tvm",      "range",    "float",  "int",  "bool",   "_",      NULL,
};

bool rlxc_name_is_reserved(const char *name)
{
    for (const char *const *reserved = rlxc_reserved_names; *reserved; reserved++)
        if (strcmp(*reserved, name) == 0)
            return true;
    return strcmp(name, RLXC_DEFAULT_CLASS) == 0;
}
