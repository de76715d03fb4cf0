/* Python syntax as a small tree: expressions and simple statements of TVMScript.
 *
 * Trees live in a pool that rlxc_py_reset empties: a statement's tree is turned into IR before the
 * next one is read, so long functions do not keep their syntax. Compound statements are read by the
 * consumers (parse_relax.c, parse_tir.c) through the block functions. Depth is limited on
 * construction (RLXC_MAX_EXPR_DEPTH), so that walks over trees may recurse. */
#ifndef RLXC_SCRIPT_PARSE_PY_H
#define RLXC_SCRIPT_PARSE_PY_H

#include "compiler/script/lexer.h"

typedef enum rlxc_py_kind {
    RLXC_PY_NONE,
    RLXC_PY_BOOL,
    RLXC_PY_INT,
    RLXC_PY_FLOAT,
    RLXC_PY_STRING,
    RLXC_PY_NAME,
    RLXC_PY_ATTR,  /* base.text */
    RLXC_PY_INDEX, /* base[a]; a is a TUPLE for several indices */
    RLXC_PY_SLICE, /* a:b:c, each may be NULL */
    RLXC_PY_CALL,  /* base(items..., keywords) */
    RLXC_PY_TUPLE,
    RLXC_PY_LIST,
    RLXC_PY_DICT,  /* keys[i]: items[i] */
    RLXC_PY_UNARY, /* op a */
    RLXC_PY_BINARY,
    RLXC_PY_IF,    /* b if a else c */
    RLXC_PY_LAMBDA /* lambda keyword names: a */
} rlxc_py_kind;

enum { RLXC_PY_AND = 'A', RLXC_PY_OR = 'O', RLXC_PY_NOT = 'N' }; /* operator codes of words */

typedef struct rlxc_py rlxc_py;
struct rlxc_py {
    rlxc_py_kind kind;
    uint16_t depth;
    bool huge;   /* INT above INT64_MAX: |i| holds its 64 bits */
    uint32_t op; /* UNARY, BINARY: as in tokens, or a word's code */
    rlxc_range range;
    const char *text;   /* NAME, ATTR: interned; STRING: the text */
    const char *dotted; /* NAME, ATTR: "a.b.c" where it is only names; else NULL */
    const rlxc_py *base, *a, *b, *c;
    const rlxc_py *const *items;
    const rlxc_py *const *keys;
    uint32_t n, n_keywords;
    const char **keyword_names;
    const rlxc_py *const *keywords;
    union {
        int64_t i; /* INT, BOOL */
        double f;
        size_t length; /* STRING */
    };
};

typedef enum rlxc_py_stmt_kind {
    RLXC_PY_STMT_EXPR,   /* value */
    RLXC_PY_STMT_ASSIGN, /* target (: annotation) = value; value NULL: declaration only */
    RLXC_PY_STMT_AUGMENTED,
    RLXC_PY_STMT_RETURN, /* value or NULL */
    RLXC_PY_STMT_PASS,
    RLXC_PY_STMT_ASSERT, /* value, annotation = message or NULL */
    RLXC_PY_STMT_IMPORT,
    RLXC_PY_STMT_BREAK,
    RLXC_PY_STMT_CONTINUE
} rlxc_py_stmt_kind;

typedef struct rlxc_py_import {
    const char *path, *name; /* "tvm.script.tir" as "T" */
} rlxc_py_import;

typedef struct rlxc_py_stmt {
    rlxc_py_stmt_kind kind;
    uint32_t op; /* AUGMENTED */
    rlxc_range range;
    const rlxc_py *target, *annotation, *value;
    const rlxc_py_import *imports;
    uint32_t n_imports;
} rlxc_py_stmt;

typedef struct rlxc_py_pool {
    RLXC_VEC(char *) chunks;
    uint32_t chunk;
    size_t used;
} rlxc_py_pool;

typedef struct rlxc_py_parser {
    rlxc_context *ctx;
    rlxc_lexer lexer;
    rlxc_token token; /* the next one */
    rlxc_py_pool *pool;
    uint32_t depth;
    bool line_ended;     /* the last simple statement ended its line */
    rlxc_range previous; /* range of the last token taken */
} rlxc_py_parser;

/* The lexer must be initialised; reads the first token. */
void rlxc_py_start(rlxc_py_parser *py, rlxc_context *ctx, rlxc_py_pool *pool);
void rlxc_py_reset(rlxc_py_parser *py); /* frees all trees made so far */
void *rlxc_py_alloc(rlxc_context *ctx, rlxc_py_pool *pool, size_t size); /* zeroed */

/* NULL after an error was reported. Tuples without brackets are accepted by _tuple. */
const rlxc_py *rlxc_py_expr(rlxc_py_parser *py);
const rlxc_py *rlxc_py_expr_tuple(rlxc_py_parser *py);
/* Reads a simple statement with the end of its line. False after an error; the rest of the line
 * (and an indented block below it) is then skipped. */
bool rlxc_py_simple(rlxc_py_parser *py, rlxc_py_stmt *out);

bool rlxc_py_is(const rlxc_py_parser *py, uint32_t op);
bool rlxc_py_is_word(const rlxc_py_parser *py, const char *word);
bool rlxc_py_accept(rlxc_py_parser *py, uint32_t op);
bool rlxc_py_accept_word(rlxc_py_parser *py, const char *word);
bool rlxc_py_expect(rlxc_py_parser *py, uint32_t op, const char *where);
bool rlxc_py_is_keyword(const char *name);
const char *rlxc_py_expect_name(rlxc_py_parser *py, const char *what);
void rlxc_py_next(rlxc_py_parser *py);
/* "unexpected X, expected Y" at the next token, unless the lexer has reported it already. */
void rlxc_py_unexpected(rlxc_py_parser *py, const char *expected);
/* Skips the rest of the line and an indented block below it. */
void rlxc_py_skip(rlxc_py_parser *py);
rlxc_range rlxc_py_range_to_here(const rlxc_py_parser *py, rlxc_range start);

/* A block after a header: rlxc_py_block_begin takes the colon, then either an indented block or
 * statements on the same line; the loop is: for (begin; more; ) one statement. */
typedef struct rlxc_py_block {
    bool same_line, first, ended;
} rlxc_py_block;
bool rlxc_py_block_begin(rlxc_py_parser *py, rlxc_py_block *out);
bool rlxc_py_block_more(rlxc_py_parser *py, rlxc_py_block *block);
/* True if too many errors were reported or memory is out: stop parsing. */
bool rlxc_py_stopped(const rlxc_py_parser *py);

static inline bool rlxc_py_is_list(const rlxc_py *e)
{
    return e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
}
/* The source text of |e| for messages, at most 60 bytes. */
const char *rlxc_py_describe(rlxc_context *ctx, const rlxc_py *e);
const rlxc_py *rlxc_py_keyword(const rlxc_py *call, const char *name); /* NULL when absent */

#endif
