/* Tokens of TVMScript: Python's lexical rules as far as the scripts use them.
 *
 * Layout becomes NEWLINE, INDENT and DEDENT; lines join inside brackets and after a backslash;
 * comments are dropped. Text is checked to be UTF-8 before lexing. Errors are reported by the lexer
 * and returned as BAD tokens, so that the parser does not report them again. */
#ifndef RLXC_SCRIPT_LEXER_H
#define RLXC_SCRIPT_LEXER_H

#include <locale.h>

#include "compiler/base/context.h"

typedef enum rlxc_token_kind {
    RLXC_TOKEN_END,
    RLXC_TOKEN_NEWLINE,
    RLXC_TOKEN_INDENT,
    RLXC_TOKEN_DEDENT,
    RLXC_TOKEN_NAME,
    RLXC_TOKEN_INT,
    RLXC_TOKEN_FLOAT,
    RLXC_TOKEN_STRING,
    RLXC_TOKEN_OP,
    RLXC_TOKEN_BAD
} rlxc_token_kind;

/* An operator's code: its characters, first one lowest. */
#define RLXC_OP1(a) ((uint32_t)(a))
#define RLXC_OP2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define RLXC_OP3(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)

typedef struct rlxc_token {
    rlxc_token_kind kind;
    uint32_t op; /* OP */
    rlxc_range range;
    const char *text;   /* NAME: interned; STRING: decoded, NUL-terminated */
    size_t length;      /* STRING */
    uint64_t magnitude; /* INT */
    double number;      /* FLOAT */
} rlxc_token;

enum { RLXC_MAX_INDENTS = 128 };

typedef struct rlxc_lexer {
    rlxc_context *ctx;
    const char *p, *end, *line_start;
    uint32_t file, line;
    uint32_t brackets; /* open ones: newlines inside are spaces */
    uint32_t indents[RLXC_MAX_INDENTS];
    uint32_t n_indents, pending_dedents;
    bool at_line_start, any_token; /* any_token: on this logical line */
    bool nested;                   /* the text of a string literal: every range is |fixed| */
    rlxc_range fixed;
    locale_t locale; /* "C": decimal points do not depend on the host */
} rlxc_lexer;

/* |text| must not change while tokens are read; |locale| is the "C" locale. */
void rlxc_lexer_init(rlxc_lexer *lexer, rlxc_context *ctx, uint32_t file, const char *text,
                     size_t length, locale_t locale);
/* For an expression inside a string literal: all ranges are |range|. */
void rlxc_lexer_init_nested(rlxc_lexer *lexer, rlxc_context *ctx, rlxc_range range,
                            const char *text, size_t length, locale_t locale);
void rlxc_lexer_next(rlxc_lexer *lexer, rlxc_token *out);
/* After a syntax error: drops open brackets and skips to the end of the current line. */
void rlxc_lexer_resync(rlxc_lexer *lexer);
/* False with an error when the bytes are not UTF-8 or hold a NUL. */
bool rlxc_lexer_check_text(rlxc_context *ctx, uint32_t file, const char *text, size_t length);

#endif
