/* Python syntax, everything but expressions: the pool of trees, tokens, simple statements, blocks.
 * This file does not resolve names. Statements that TVMScript never has (del, raise, yield, ...)
 * are refused by name. After an error the rest of the line is skipped, with the block below.
 */
#include "compiler/script/parse_py.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16, POOL_ALIGN = 16 };

void *rlxc_py_alloc(rlxc_context *ctx, rlxc_py_pool *pool, size_t size)
{
    size = (size + POOL_ALIGN - 1) & ~(size_t)(POOL_ALIGN - 1);
    if (size > CHUNK)
        return rlxc_try_alloc(ctx, size, 1);
    if (pool->chunks.count > 0 && pool->used + size > CHUNK) {
        pool->chunk++;
        pool->used = 0;
    }
    if (pool->chunk >= pool->chunks.count) {
        char *data = rlxc_alloc(ctx, CHUNK);
        RLXC_PUSH(ctx, &pool->chunks, data);
        if (pool->chunk >= pool->chunks.count)
            return NULL;
    }
    void *p = pool->chunks.items[pool->chunk] + pool->used;
    pool->used += size;
    return memset(p, 0, size);
}

void rlxc_py_next(rlxc_py_parser *py)
{
    py->previous = py->token.range;
    rlxc_lexer_next(&py->lexer, &py->token);
}

void rlxc_py_start(rlxc_py_parser *py, rlxc_context *ctx, rlxc_py_pool *pool)
{
    py->ctx = ctx;
    py->pool = pool;
    rlxc_lexer_next(&py->lexer, &py->token);
}

void rlxc_py_reset(rlxc_py_parser *py)
{
    py->pool->chunk = 0;
    py->pool->used = 0;
}

bool rlxc_py_stopped(const rlxc_py_parser *py)
{
    return rlxc_out_of_memory(py->ctx) || rlxc_error_count(py->ctx) >= RLXC_MAX_ERRORS;
}

bool rlxc_py_is(const rlxc_py_parser *py, uint32_t op)
{
    return py->token.kind == RLXC_TOKEN_OP && py->token.op == op;
}

bool rlxc_py_is_word(const rlxc_py_parser *py, const char *word)
{
    return py->token.kind == RLXC_TOKEN_NAME && strcmp(py->token.text, word) == 0;
}

bool rlxc_py_accept(rlxc_py_parser *py, uint32_t op)
{
    if (!rlxc_py_is(py, op))
        return false;
    rlxc_py_next(py);
    return true;
}

bool rlxc_py_accept_word(rlxc_py_parser *py, const char *word)
{
    if (!rlxc_py_is_word(py, word))
        return false;
    rlxc_py_next(py);
    return true;
}

static const char *token_name(const rlxc_py_parser *py, char *buffer, size_t size)
{
    const rlxc_token *t = &py->token;
    switch (t->kind) {
    case RLXC_TOKEN_END:
        return "the end of the text";
    case RLXC_TOKEN_NEWLINE:
        return "the end of the line";
    case RLXC_TOKEN_INDENT:
        return "an indented line";
    case RLXC_TOKEN_DEDENT:
        return "the end of the block";
    case RLXC_TOKEN_NAME:
        snprintf(buffer, size, "'%.60s'", t->text);
        return buffer;
    case RLXC_TOKEN_INT:
    case RLXC_TOKEN_FLOAT:
        return "a number";
    case RLXC_TOKEN_STRING:
        return "a string";
    case RLXC_TOKEN_OP:
        snprintf(buffer, size, "'%c%c%c'", (char)(t->op & 0xff), (char)(t->op >> 8 & 0xff),
                 (char)(t->op >> 16 & 0xff));
        if (t->op < 0x100)
            snprintf(buffer, size, "'%c'", (char)t->op);
        else if (t->op < 0x10000)
            snprintf(buffer, size, "'%c%c'", (char)(t->op & 0xff), (char)(t->op >> 8));
        return buffer;
    case RLXC_TOKEN_BAD:
        break;
    }
    return "a malformed token";
}

void rlxc_py_unexpected(rlxc_py_parser *py, const char *expected)
{
    char buffer[80];
    if (py->token.kind != RLXC_TOKEN_BAD)
        rlxc_error(py->ctx, py->token.range, "expected %s, got %s", expected,
                   token_name(py, buffer, sizeof buffer));
}

bool rlxc_py_expect(rlxc_py_parser *py, uint32_t op, const char *where)
{
    if (rlxc_py_accept(py, op))
        return true;
    char text[4] = {(char)(op & 0xff), (char)(op >> 8 & 0xff), (char)(op >> 16 & 0xff), 0};
    char buffer[80];
    if (py->token.kind != RLXC_TOKEN_BAD)
        rlxc_error(py->ctx, py->token.range, "expected '%s' %s, got %s", text, where,
                   token_name(py, buffer, sizeof buffer));
    return false;
}

bool rlxc_py_is_keyword(const char *name)
{
    static const char *const words[] = {
        "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
        "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
        "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
        "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][0] == name[0] && strcmp(words[i], name) == 0)
            return true;
    return false;
}

const char *rlxc_py_expect_name(rlxc_py_parser *py, const char *what)
{
    if (py->token.kind != RLXC_TOKEN_NAME || rlxc_py_is_keyword(py->token.text)) {
        rlxc_py_unexpected(py, what);
        return NULL;
    }
    const char *name = py->token.text;
    rlxc_py_next(py);
    return name;
}

rlxc_range rlxc_py_range_to_here(const rlxc_py_parser *py, rlxc_range start)
{
    if (py->lexer.nested)
        return start;
    start.end_line = py->previous.end_line;
    start.end_col = py->previous.end_col;
    return start;
}

void rlxc_py_skip(rlxc_py_parser *py)
{
    if (py->token.kind != RLXC_TOKEN_NEWLINE && py->token.kind != RLXC_TOKEN_END &&
        py->token.kind != RLXC_TOKEN_DEDENT && py->token.kind != RLXC_TOKEN_INDENT) {
        rlxc_lexer_resync(&py->lexer);
        rlxc_py_next(py);
    }
    if (py->token.kind == RLXC_TOKEN_NEWLINE)
        rlxc_py_next(py);
    py->line_ended = true;
    if (py->token.kind != RLXC_TOKEN_INDENT)
        return;
    for (uint32_t open = 0;;) {
        if (py->token.kind == RLXC_TOKEN_INDENT)
            open++;
        else if (py->token.kind == RLXC_TOKEN_DEDENT)
            open--;
        if (py->token.kind == RLXC_TOKEN_END)
            return;
        if (py->token.kind == RLXC_TOKEN_BAD)
            rlxc_lexer_resync(&py->lexer);
        rlxc_py_next(py);
        if (open == 0)
            return;
    }
}

/* "a.b.c" of names; NULL after an error. */
static const char *dotted_name(rlxc_py_parser *py)
{
    const char *name = rlxc_py_expect_name(py, "a module name");
    while (name && rlxc_py_accept(py, RLXC_OP1('.'))) {
        const char *part = rlxc_py_expect_name(py, "a module name");
        name = part ? rlxc_internf(py->ctx, "%s.%s", name, part) : NULL;
    }
    return name;
}

/* import a.b as c, d / from a.b import c as d, e */
static bool parse_import(rlxc_py_parser *py, rlxc_py_stmt *out)
{
    rlxc_py_import found[16];
    uint32_t n = 0;
    const char *from = NULL;
    bool bracket = false;
    out->kind = RLXC_PY_STMT_IMPORT;
    if (rlxc_py_accept_word(py, "from")) {
        if (!(from = dotted_name(py)))
            return false;
        if (!rlxc_py_accept_word(py, "import")) {
            rlxc_py_unexpected(py, "'import'");
            return false;
        }
        bracket = rlxc_py_accept(py, RLXC_OP1('('));
    } else {
        rlxc_py_next(py);
    }
    do {
        if (from && n > 0 && bracket && rlxc_py_is(py, RLXC_OP1(')')))
            break;
        if (from && rlxc_py_accept(py, RLXC_OP1('*')))
            continue;
        const char *name = dotted_name(py), *as = NULL;
        if (!name)
            return false;
        if (rlxc_py_accept_word(py, "as") && !(as = rlxc_py_expect_name(py, "a name")))
            return false;
        if (n < sizeof found / sizeof *found && (from || as)) {
            found[n].path = from ? rlxc_internf(py->ctx, "%s.%s", from, name) : name;
            found[n++].name = as ? as : name;
        }
    } while (rlxc_py_accept(py, RLXC_OP1(',')));
    if (bracket && !rlxc_py_expect(py, RLXC_OP1(')'), "after the imported names"))
        return false;
    rlxc_py_import *copy = rlxc_py_alloc(py->ctx, py->pool, sizeof found);
    if (!copy)
        return false;
    memcpy(copy, found, n * sizeof *found);
    out->imports = copy;
    out->n_imports = n;
    return true;
}

/* Augmented assignment such as +=; |out_op| is the operator before the '='. */
static bool is_augmented(const rlxc_token *t, uint32_t *out_op)
{
    static const uint32_t others[] = {RLXC_OP2('=', '='), RLXC_OP2('!', '='), RLXC_OP2('<', '='),
                                      RLXC_OP2('>', '='), RLXC_OP2(':', '=')};
    if (t->kind != RLXC_TOKEN_OP || t->op < 0x100)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (t->op == others[i])
            return false;
    unsigned shift = t->op >= 0x10000 ? 16 : 8;
    *out_op = t->op & ((1U << shift) - 1);
    return t->op >> shift == '=';
}

static bool parse_assignment(rlxc_py_parser *py, rlxc_py_stmt *out)
{
    const rlxc_py *e = rlxc_py_expr_tuple(py);
    if (!e)
        return false;
    out->kind = RLXC_PY_STMT_EXPR;
    out->value = e;
    if (rlxc_py_accept(py, RLXC_OP1(':'))) {
        out->kind = RLXC_PY_STMT_ASSIGN;
        out->target = e;
        out->value = NULL;
        if (!(out->annotation = rlxc_py_expr(py)))
            return false;
    } else if (is_augmented(&py->token, &out->op)) {
        out->kind = RLXC_PY_STMT_AUGMENTED;
        out->target = e;
        rlxc_py_next(py);
        return (out->value = rlxc_py_expr_tuple(py)) != NULL;
    }
    if (rlxc_py_accept(py, RLXC_OP1('='))) {
        out->kind = RLXC_PY_STMT_ASSIGN;
        out->target = e;
        if (!(out->value = rlxc_py_expr_tuple(py)))
            return false;
        if (rlxc_py_is(py, RLXC_OP1('='))) {
            rlxc_error(py->ctx, py->token.range, "chained assignment is not supported");
            return false;
        }
    }
    return true;
}

static bool parse_simple(rlxc_py_parser *py, rlxc_py_stmt *out)
{
    static const char *const refused[] = {"del",   "global", "nonlocal", "raise",  "try",
                                          "yield", "await",  "async",    "except", "finally"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (rlxc_py_is_word(py, refused[i])) {
            rlxc_error(py->ctx, py->token.range, "'%s' is not a statement of TVMScript",
                       refused[i]);
            return false;
        }
    if (rlxc_py_accept_word(py, "pass")) {
        out->kind = RLXC_PY_STMT_PASS;
        return true;
    }
    if (rlxc_py_is_word(py, "break") || rlxc_py_is_word(py, "continue")) {
        out->kind = rlxc_py_is_word(py, "break") ? RLXC_PY_STMT_BREAK : RLXC_PY_STMT_CONTINUE;
        rlxc_py_next(py);
        return true;
    }
    if (rlxc_py_accept_word(py, "return")) {
        out->kind = RLXC_PY_STMT_RETURN;
        if (py->token.kind == RLXC_TOKEN_NEWLINE || py->token.kind == RLXC_TOKEN_END ||
            rlxc_py_is(py, RLXC_OP1(';')))
            return true;
        return (out->value = rlxc_py_expr_tuple(py)) != NULL;
    }
    if (rlxc_py_accept_word(py, "assert")) {
        out->kind = RLXC_PY_STMT_ASSERT;
        if (!(out->value = rlxc_py_expr(py)))
            return false;
        return !rlxc_py_accept(py, RLXC_OP1(',')) || (out->annotation = rlxc_py_expr(py));
    }
    if (rlxc_py_is_word(py, "from") || rlxc_py_is_word(py, "import"))
        return parse_import(py, out);
    return parse_assignment(py, out);
}

bool rlxc_py_simple(rlxc_py_parser *py, rlxc_py_stmt *out)
{
    *out = (rlxc_py_stmt){.range = py->token.range};
    rlxc_py_reset(py);
    py->depth = 0;
    bool ok = parse_simple(py, out);
    if (ok) {
        out->range = rlxc_py_range_to_here(py, out->range);
        py->line_ended = true;
        if (rlxc_py_accept(py, RLXC_OP1(';')))
            py->line_ended = false;
        if (py->token.kind == RLXC_TOKEN_NEWLINE) {
            rlxc_py_next(py);
            py->line_ended = true;
            return true;
        }
        if (!py->line_ended || py->token.kind == RLXC_TOKEN_END)
            return true;
        rlxc_py_unexpected(py, "the end of the statement");
    }
    rlxc_py_skip(py);
    return false;
}

bool rlxc_py_block_begin(rlxc_py_parser *py, rlxc_py_block *out)
{
    *out = (rlxc_py_block){.first = true};
    if (!rlxc_py_expect(py, RLXC_OP1(':'), "before the block")) {
        rlxc_py_skip(py);
        return false;
    }
    if (py->token.kind != RLXC_TOKEN_NEWLINE) {
        out->same_line = true;
        return true;
    }
    rlxc_py_next(py);
    if (py->token.kind != RLXC_TOKEN_INDENT) {
        rlxc_py_unexpected(py, "an indented block");
        return false;
    }
    rlxc_py_next(py);
    return true;
}

bool rlxc_py_block_more(rlxc_py_parser *py, rlxc_py_block *block)
{
    bool first = block->first;
    block->first = false;
    if (block->ended || rlxc_py_stopped(py))
        return false;
    if (block->same_line) {
        block->ended = !first && py->line_ended;
        return !block->ended && py->token.kind != RLXC_TOKEN_END;
    }
    while (py->token.kind == RLXC_TOKEN_NEWLINE || py->token.kind == RLXC_TOKEN_INDENT) {
        if (py->token.kind == RLXC_TOKEN_INDENT) {
            rlxc_py_unexpected(py, "a line at the block's indentation");
            rlxc_py_skip(py);
        } else {
            rlxc_py_next(py);
        }
    }
    if (py->token.kind == RLXC_TOKEN_DEDENT) {
        rlxc_py_next(py);
        block->ended = true;
    } else if (py->token.kind == RLXC_TOKEN_END) {
        block->ended = true;
    }
    return !block->ended;
}

const rlxc_py *rlxc_py_keyword(const rlxc_py *call, const char *name)
{
    for (uint32_t i = 0; i < call->n_keywords; i++)
        if (strcmp(call->keyword_names[i], name) == 0)
            return call->keywords[i];
    return NULL;
}

const char *rlxc_py_describe(rlxc_context *ctx, const rlxc_py *e)
{
    switch (e->kind) {
    case RLXC_PY_NONE:
        return "None";
    case RLXC_PY_BOOL:
        return e->i ? "True" : "False";
    case RLXC_PY_INT:
        return rlxc_internf(ctx, "%lld", (long long)e->i);
    case RLXC_PY_FLOAT:
        return "a float";
    case RLXC_PY_STRING:
        return e->length <= 60 ? rlxc_internf(ctx, "\"%s\"", e->text) : "a string";
    case RLXC_PY_NAME:
    case RLXC_PY_ATTR:
        return e->dotted ? rlxc_internf(ctx, "'%s'", e->dotted) : "an attribute";
    case RLXC_PY_INDEX:
        return "an indexed value";
    case RLXC_PY_SLICE:
        return "a slice";
    case RLXC_PY_CALL:
        return e->base->dotted ? rlxc_internf(ctx, "a call of '%s'", e->base->dotted) : "a call";
    case RLXC_PY_TUPLE:
        return "a tuple";
    case RLXC_PY_LIST:
        return "a list";
    case RLXC_PY_DICT:
        return "a dictionary";
    case RLXC_PY_UNARY:
    case RLXC_PY_BINARY:
    case RLXC_PY_IF:
        return "an expression";
    case RLXC_PY_LAMBDA:
        return "a lambda";
    }
    return "an expression";
}
