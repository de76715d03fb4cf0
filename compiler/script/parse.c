/* The parser's outer level: names, import aliases, modules, decorators, and the entry point.
 *
 * A file is imports, a metadata block, and either one class or bare functions. Functions may be
 * used before they are defined, so uses of global names are checked at the end. */
#include "compiler/script/parse.h"

#include <string.h>

/* --- names ----------------------------------------------------------------------------------- */

rlxc_name *rlxc_names_find(const rlxc_names *names, const char *text)
{
    return rlxc_map_get(&names->map, rlxc_key(text));
}

rlxc_name *rlxc_names_define(rlxc_context *ctx, rlxc_names *names, const char *text,
                             rlxc_name_kind kind)
{
    rlxc_name *name = rlxc_alloc(ctx, sizeof *name);
    name->text = text;
    name->kind = kind;
    name->shadowed = rlxc_names_find(names, text);
    RLXC_PUSH(ctx, &names->stack, name);
    rlxc_map_set(ctx, &names->map, rlxc_key(text), name);
    return name;
}

uint32_t rlxc_names_mark(const rlxc_names *names)
{
    return names->stack.count;
}

void rlxc_names_restore(rlxc_context *ctx, rlxc_names *names, uint32_t mark)
{
    while (names->stack.count > mark) {
        rlxc_name *name = names->stack.items[--names->stack.count];
        rlxc_map_set(ctx, &names->map, rlxc_key(name->text), name->shadowed);
    }
}

bool rlxc_parse_is_broken(const rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    return name && name->kind == RLXC_NAME_BROKEN;
}

void rlxc_parse_declare_symbol(rlxc_parser *p, const char *name, rlx_dtype dtype)
{
    rlxc_name *symbol = rlxc_names_find(&p->symbols, name);
    if (!symbol || !rlxc_dtype_eq(symbol->expr->dtype, dtype)) {
        bool size = rlxc_dtype_eq(dtype, RLX_I64) && !rlxc_parse_may_be_negative(p, name);
        symbol = rlxc_names_define(p->ctx, &p->symbols, name, RLXC_NAME_EXPR);
        symbol->expr = size ? rlxc_shape_var(p->ctx, name) : rlxc_var(p->ctx, name, dtype);
    }
    const rlxc_name *seen = rlxc_names_find(&p->names, name);
    if (!seen || seen->kind != RLXC_NAME_EXPR || seen->expr != symbol->expr)
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_EXPR)->expr = symbol->expr;
}

bool rlxc_parse_enter(rlxc_parser *p, rlxc_range range)
{
    if (p->depth >= RLXC_MAX_DEPTH) {
        rlxc_error(p->ctx, range, "nested more than %d deep", RLXC_MAX_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void rlxc_parse_leave(rlxc_parser *p)
{
    p->depth--;
}

/* --- paths ----------------------------------------------------------------------------------- */

static bool strip(const char **text, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(*text, prefix, n) != 0)
        return false;
    *text += n;
    return true;
}

/* tvm.script.relax.nn.relu -> R.nn.relu; "" for an unknown module. */
static const char *canonical_path(rlxc_context *ctx, const char *path)
{
    static const struct {
        const char *module, *alias;
    } modules[] = {{"relax", "R"}, {"tir", "T"}, {"tirx", "T"}, {"s_tir", "T"}, {"ir", "I"}};
    if (strip(&path, "tvm."))
        while (strip(&path, "script.") || strip(&path, "parser.") || strip(&path, "ir_builder."))
            ;
    if (strcmp(path, "ir_module") == 0)
        return "I.ir_module";
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        size_t n = strlen(modules[i].module);
        if (strncmp(path, modules[i].module, n) == 0 && (path[n] == '.' || path[n] == '\0'))
            return rlxc_internf(ctx, "%s%s", modules[i].alias, path + n);
    }
    if ((path[0] == 'R' || path[0] == 'T' || path[0] == 'I') && (path[1] == '.' || path[1] == '\0'))
        return rlxc_intern_cstr(ctx, path);
    return "";
}

const char *rlxc_parse_path(rlxc_parser *p, const rlxc_py *e)
{
    if (!e->dotted)
        return NULL;
    const rlxc_py *root = e;
    while (root->kind == RLXC_PY_ATTR)
        root = root->base;
    if (rlxc_names_find(&p->names, root->text))
        return NULL;
    const char *path = rlxc_map_get(&p->paths, rlxc_key(e->dotted));
    if (!path) {
        const char *alias = rlxc_map_get(&p->aliases, rlxc_key(root->text));
        const char *rest = e->dotted + strlen(root->text);
        const char *full = alias ? rlxc_internf(p->ctx, "%s%s", alias, rest) : e->dotted;
        bool known = alias || strncmp(full, "tvm.", 4) == 0 || strncmp(full, "R.", 2) == 0 ||
                     strncmp(full, "T.", 2) == 0 || strncmp(full, "I.", 2) == 0;
        path = known ? canonical_path(p->ctx, full) : "";
        rlxc_map_set(p->ctx, &p->paths, rlxc_key(e->dotted), (void *)(uintptr_t)path);
    }
    return path[0] ? path : NULL;
}

bool rlxc_parse_path_is(rlxc_parser *p, const rlxc_py *e, const char *path)
{
    const char *have = rlxc_parse_path(p, e);
    return have && strcmp(have, path) == 0;
}

const char *rlxc_parse_global(rlxc_parser *p, const rlxc_py *e)
{
    if (e->kind == RLXC_PY_NAME)
        return !rlxc_names_find(&p->names, e->text) &&
                       rlxc_map_get(&p->functions, rlxc_key(e->text))
                   ? e->text
                   : NULL;
    if (e->kind != RLXC_PY_ATTR || e->base->kind != RLXC_PY_NAME)
        return NULL;
    const rlxc_name *name = rlxc_names_find(&p->names, e->base->text);
    return name && name->kind == RLXC_NAME_MODULE ? e->text : NULL;
}

rlxc_atom rlxc_parse_global_atom(rlxc_parser *p, const char *name, rlxc_range range)
{
    const char *symbol = rlxc_map_get(&p->externs, rlxc_key(name));
    if (symbol)
        return rlxc_atom_extern(p->ctx, symbol);
    RLXC_PUSH(p->ctx, &p->uses, (rlxc_global_use){name, range});
    return rlxc_atom_global(p->ctx, name);
}

bool rlxc_parse_is_declaration(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out)
{
    const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
    if (!path || path[0] != 'T')
        return false;
    const char *name = path + 2;
    if (e->n == 0)
        return rlxc_dtype_parse(name, strlen(name), out);
    if (strcmp(name, "handle") == 0) { /* T.handle("float32", "global") */
        *out = rlxc_dtype_handle();
        return e->items[0]->kind == RLXC_PY_STRING;
    }
    bool named = strcmp(name, "Var") == 0 || strcmp(name, "SizeVar") == 0;
    if (!named && strcmp(name, "var") != 0)
        return false;
    if (named && e->n == 1) {
        *out = RLX_I32;
        return true;
    }
    p->legacy |= !named; /* T.var is older than purity */
    return rlxc_parse_dtype(p, e->items[named ? 1 : 0], out);
}

/* --- modules --------------------------------------------------------------------------------- */

typedef enum decorator_kind {
    DECORATOR_NONE,
    DECORATOR_MODULE,
    DECORATOR_RELAX,
    DECORATOR_PRIM
} decorator_kind;

typedef struct decorator {
    decorator_kind kind;
    bool is_private, is_impure;
    rlxc_range range;
} decorator;

static bool parse_decorator(rlxc_parser *p, decorator *out)
{
    out->range = p->py.token.range;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    const rlxc_py *e = rlxc_py_expr(&p->py);
    if (!e)
        return false;
    const rlxc_py *call = e->kind == RLXC_PY_CALL ? e : NULL;
    const char *path = rlxc_parse_path(p, call ? call->base : e);
    if (path && strcmp(path, "I.ir_module") == 0) {
        out->kind = DECORATOR_MODULE;
        p->legacy |= strcmp((call ? call->base : e)->dotted, "tvm.script.ir_module") == 0;
    } else if (path && strcmp(path, "R.function") == 0) {
        out->kind = DECORATOR_RELAX;
    } else if (path && strcmp(path, "T.prim_func") == 0) {
        out->kind = DECORATOR_PRIM;
    } else {
        rlxc_error(p->ctx, e->range,
                   "unknown decorator %s: expected I.ir_module, R.function or T.prim_func",
                   rlxc_py_describe(p->ctx, call ? call->base : e));
        return false;
    }
    for (uint32_t i = 0; call && i < call->n_keywords; i++) {
        const rlxc_py *value = call->keywords[i];
        bool is_true = value->kind == RLXC_PY_BOOL && value->i != 0;
        if (strcmp(call->keyword_names[i], "private") == 0)
            out->is_private = is_true;
        p->says_purity |= strcmp(call->keyword_names[i], "pure") == 0;
        if (strcmp(call->keyword_names[i], "pure") == 0)
            out->is_impure = value->kind == RLXC_PY_BOOL && !is_true;
    }
    if (p->py.token.kind == RLXC_TOKEN_NEWLINE) {
        rlxc_py_next(&p->py);
        return true;
    }
    rlxc_py_unexpected(&p->py, "the end of the decorator's line");
    return false;
}

/* TypeVar("n") */
static bool is_type_var(const rlxc_py *e)
{
    const char *name = e->kind == RLXC_PY_CALL ? e->base->dotted : NULL;
    return name && e->n == 1 && e->items[0]->kind == RLXC_PY_STRING &&
           (strcmp(name, "TypeVar") == 0 || strcmp(name, "typing.TypeVar") == 0);
}

static void parse_assignment(rlxc_parser *p, const rlxc_py_stmt *stmt)
{
    rlx_dtype dtype;
    rlxc_atom callee;
    const rlxc_py *value = stmt->value;
    if (stmt->target->kind != RLXC_PY_NAME || !value) {
        rlxc_error(p->ctx, stmt->range, "assignments are not allowed outside functions");
    } else if (value->kind == RLXC_PY_NONE && strcmp(stmt->target->text, "__tvm_meta__") == 0) {
        /* as older printers end a module that has no metadata */
    } else if (value->kind == RLXC_PY_CALL && value->n == 1 &&
               rlxc_parse_path_is(p, value->base, "I.load_json")) {
        if (rlxc_parse_metadata(p, value->items[0]))
            rlxc_names_define(p->ctx, &p->names, stmt->target->text, RLXC_NAME_METADATA);
    } else if (rlxc_parse_is_declaration(p, value, &dtype)) {
        rlxc_names_define(p->ctx, &p->names, stmt->target->text, RLXC_NAME_TOP)->dtype = dtype;
    } else if (is_type_var(value)) { /* a symbol of each function that names it */
        rlxc_names_define(p->ctx, &p->names, stmt->target->text, RLXC_NAME_TOP)->dtype = RLX_I64;
    } else if (rlxc_parse_extern(p, value, &callee)) {
        if (rlxc_map_get(&p->functions, rlxc_key(stmt->target->text)))
            rlxc_error(p->ctx, stmt->range, "function '%s' is defined twice", stmt->target->text);
        else
            rlxc_map_set(p->ctx, &p->externs, rlxc_key(stmt->target->text),
                         (void *)(uintptr_t)callee.text);
    } else {
        rlxc_error(p->ctx, stmt->range, "assignments are not allowed outside functions");
    }
}

/* A simple statement of the file or the class. */
static void parse_outer_statement(rlxc_parser *p)
{
    rlxc_py_stmt stmt;
    if (!rlxc_py_simple(&p->py, &stmt))
        return;
    const rlxc_py *value = stmt.value;
    switch (stmt.kind) {
    case RLXC_PY_STMT_IMPORT:
        for (uint32_t i = 0; i < stmt.n_imports; i++)
            rlxc_map_set(p->ctx, &p->aliases, rlxc_key(stmt.imports[i].name),
                         (void *)(uintptr_t)stmt.imports[i].path);
        return;
    case RLXC_PY_STMT_PASS:
        return;
    case RLXC_PY_STMT_ASSIGN:
        parse_assignment(p, &stmt);
        return;
    case RLXC_PY_STMT_EXPR:
        if (value->kind == RLXC_PY_STRING)
            return;
        if (value->kind == RLXC_PY_CALL && rlxc_parse_path_is(p, value->base, "I.module_attrs")) {
            rlxc_parse_attr_call(p, value, &p->module->attrs);
            return;
        }
        if (value->kind == RLXC_PY_CALL &&
            rlxc_parse_path_is(p, value->base, "I.module_global_infos")) {
            rlxc_parse_global_infos(p, value);
            return;
        }
        break;
    case RLXC_PY_STMT_AUGMENTED:
    case RLXC_PY_STMT_RETURN:
    case RLXC_PY_STMT_ASSERT:
    case RLXC_PY_STMT_BREAK:
    case RLXC_PY_STMT_CONTINUE:
        break;
    }
    rlxc_error(p->ctx, stmt.range, "statements are not allowed outside functions");
}

/* At `def`. */
static void parse_definition(rlxc_parser *p, const decorator *d)
{
    uint32_t names = rlxc_names_mark(&p->names), symbols = rlxc_names_mark(&p->symbols);
    if (d->kind == DECORATOR_PRIM) {
        rlxc_parse_prim_func(p, d->range, d->is_private);
    } else if (d->kind == DECORATOR_RELAX) {
        rlxc_parse_function(p, d->range, d->is_private, !d->is_impure);
    } else {
        rlxc_error(p->ctx, p->py.token.range,
                   "a function needs the decorator R.function or T.prim_func");
        rlxc_py_skip(&p->py);
    }
    rlxc_names_restore(p->ctx, &p->names, names);
    rlxc_names_restore(p->ctx, &p->symbols, symbols);
}

static void parse_class(rlxc_parser *p);

/* One statement of the file or, |in_class|, of the class. */
static void parse_outer(rlxc_parser *p, bool in_class)
{
    decorator d = {0};
    while (rlxc_py_is(&p->py, RLXC_OP1('@')))
        if (!parse_decorator(p, &d)) {
            rlxc_py_skip(&p->py);
            if (rlxc_py_is_word(&p->py, "def") || rlxc_py_is_word(&p->py, "class"))
                rlxc_py_skip(&p->py); /* unknown decorator */
            return;
        }
    bool python = p->has_class && !in_class && d.kind == DECORATOR_NONE;
    if (rlxc_py_is_word(&p->py, "def") && !python) {
        parse_definition(p, &d);
    } else if (rlxc_py_is_word(&p->py, "class") && !in_class) {
        parse_class(p);
    } else if (p->has_class && !in_class && d.kind == DECORATOR_NONE) {
        if (!p->noted)
            rlxc_note(p->ctx, p->py.token.range, "the Python code after the module is ignored");
        p->noted = true;
        rlxc_py_skip(&p->py);
    } else if (d.kind != DECORATOR_NONE) {
        rlxc_py_unexpected(&p->py, "a definition after the decorator");
        rlxc_py_skip(&p->py);
    } else if (rlxc_py_is_word(&p->py, "if") || rlxc_py_is_word(&p->py, "for") ||
               rlxc_py_is_word(&p->py, "while") || rlxc_py_is_word(&p->py, "with") ||
               rlxc_py_is_word(&p->py, "class")) {
        rlxc_error(p->ctx, p->py.token.range, "'%s' is not allowed outside functions",
                   p->py.token.text);
        rlxc_py_skip(&p->py);
    } else {
        parse_outer_statement(p);
    }
}

static void parse_class(rlxc_parser *p)
{
    rlxc_py_block block;
    rlxc_range range = p->py.token.range;
    rlxc_py_next(&p->py);
    const char *name = rlxc_py_expect_name(&p->py, "the name of the class");
    if (!name) {
        rlxc_py_skip(&p->py);
        return;
    }
    if (rlxc_py_is(&p->py, RLXC_OP1('('))) { /* base classes are ignored */
        rlxc_py_next(&p->py);
        rlxc_py_reset(&p->py);
        while (!rlxc_py_is(&p->py, RLXC_OP1(')')))
            if (!rlxc_py_expr(&p->py) || !rlxc_py_accept(&p->py, RLXC_OP1(',')))
                break;
        if (!rlxc_py_expect(&p->py, RLXC_OP1(')'), "after the base classes")) {
            rlxc_py_skip(&p->py);
            return;
        }
    }
    if (p->module->globals.count > 0)
        rlxc_error(p->ctx, range, "the file has functions outside class '%s'", name);
    p->module->name = name;
    uint32_t mark = rlxc_names_mark(&p->names);
    rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_MODULE);
    if (rlxc_py_block_begin(&p->py, &block))
        while (rlxc_py_block_more(&p->py, &block))
            parse_outer(p, true);
    p->has_class = true;
    rlxc_names_restore(p->ctx, &p->names, mark);
}

static void check_uses(rlxc_parser *p)
{
    for (uint32_t i = 0; i < p->uses.count && !rlxc_py_stopped(&p->py); i++) {
        const rlxc_global_use *use = &p->uses.items[i];
        bool broken = rlxc_error_count(p->ctx) > 0 &&
                      rlxc_map_get(&p->functions, rlxc_key(use->name)) != NULL;
        if (!broken && !rlxc_module_find(p->module, use->name))
            rlxc_error(p->ctx, use->range, "module '%s' has no function '%s'", p->module->name,
                       use->name);
    }
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The entry in the map of functions for one whose parameters begin at |at|. */
static uintptr_t scan_result(const char *at, const char *end)
{
    rlx_dtype t;
    int depth = 0;
    for (; at < end && (depth > 0 || *at == '('); at++)
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    while (at < end && *at == ' ')
        at++;
    if (end - at < 2 || memcmp(at, "->", 2) != 0)
        return 1;
    at += 2;
    while (at < end && *at == ' ')
        at++;
    const char *name = at; /* after the last point */
    for (; at < end && (is_word_byte(*at) || *at == '.'); at++)
        name = *at == '.' ? at + 1 : name;
    if (!rlxc_dtype_parse(name, (size_t)(at - name), &t))
        return 1;
    return 2 + ((uintptr_t)t.code << 24 | (uintptr_t)t.bits << 16 | t.lanes);
}

rlx_dtype rlxc_parse_returned(const rlxc_parser *p, const char *name)
{
    uintptr_t packed = (uintptr_t)rlxc_map_get(&p->functions, rlxc_key(name));
    if (packed < 2)
        return rlxc_dtype_void();
    packed -= 2;
    return (rlx_dtype){(uint8_t)(packed >> 24), (uint8_t)(packed >> 16), (uint16_t)packed};
}

/* Records the names of functions anywhere in the text: a superset is good enough. */
static void scan_functions(rlxc_context *ctx, const char *text, size_t length, rlxc_map *out)
{
    const char *end = text + length;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), "def ", 4));) {
        bool whole = at == text || !is_word_byte(at[-1]);
        at += 4;
        while (at < end && *at == ' ')
            at++;
        const char *stop = at;
        while (stop < end && is_word_byte(*stop))
            stop++;
        if (whole && stop > at)
            rlxc_map_set(ctx, out, rlxc_key(rlxc_intern(ctx, at, (size_t)(stop - at))),
                         (void *)scan_result(stop, end));
        at = stop;
    }
}

static rlxc_module *parse_file(rlxc_parser *p, uint32_t file, const char *text, size_t length,
                               locale_t locale)
{
    p->module = rlxc_module_new(p->ctx);
    scan_functions(p->ctx, text, length, &p->functions);
    rlxc_lexer_init(&p->py.lexer, p->ctx, file, text, length, locale);
    rlxc_py_start(&p->py, p->ctx, &p->pool);
    while (p->py.token.kind != RLXC_TOKEN_END && !rlxc_py_stopped(&p->py)) {
        if (p->py.token.kind == RLXC_TOKEN_NEWLINE || p->py.token.kind == RLXC_TOKEN_DEDENT) {
            rlxc_py_next(&p->py);
        } else if (p->py.token.kind == RLXC_TOKEN_INDENT) {
            rlxc_py_unexpected(&p->py, "a line without indentation");
            rlxc_py_skip(&p->py);
        } else {
            parse_outer(p, false);
        }
    }
    check_uses(p);
    for (uint32_t i = 0; p->legacy && !p->says_purity && i < p->module->globals.count; i++)
        if (p->module->globals.items[i]->relax)
            p->module->globals.items[i]->relax->is_pure = false;
    return p->module;
}

rlxc_module *rlxc_parse_module(rlxc_context *ctx, const char *path, const char *text, size_t length)
{
    return rlxc_parse_module_keeping(ctx, path, text, length, NULL);
}

rlxc_module *rlxc_parse_module_keeping(rlxc_context *ctx, const char *path, const char *text,
                                       size_t length, const rlxc_kept *kept)
{
    rlxc_parser parser = {.ctx = ctx, .derived = kept != NULL};
    if (kept)
        rlxc_parse_kept(&parser, kept);
    uint32_t file = rlxc_add_file(ctx, path, text, length);
    uint32_t errors = rlxc_error_count(ctx);
    if (!rlxc_lexer_check_text(ctx, file, text, length))
        return NULL;
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale) {
        rlxc_error(ctx, (rlxc_range){0}, "the C locale is not available");
        return NULL;
    }
    rlxc_module *module = parse_file(&parser, file, text, length, locale);
    freelocale(locale);
    if (rlxc_out_of_memory(ctx) || rlxc_error_count(ctx) > errors)
        return NULL;
    if (module->globals.count == 0) {
        rlxc_error(ctx,
                   (rlxc_range){.file = file, .line = 1, .col = 1, .end_line = 1, .end_col = 2},
                   "the file defines no function");
        return NULL;
    }
    return module;
}
