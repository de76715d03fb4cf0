/* Lexer of TVMScript. One token at a time, no look-back: state is a position, the stack of
 * indentations and the count of open brackets. Numbers keep their full 64-bit magnitude; signs
 * belong to the parser. f-strings, byte strings and complex numbers are refused here. */
#include "compiler/script/lexer.h"

#include "compiler/base/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "rlx/checked.h"

enum { MAX_NUMBER = 500, TAB = 8 };

void rlxc_lexer_init(rlxc_lexer *lexer, rlxc_context *ctx, uint32_t file, const char *text,
                     size_t length, locale_t locale)
{
    *lexer = (rlxc_lexer){
        .ctx = ctx,
        .p = text,
        .end = text + length,
        .line_start = text,
        .file = file,
        .line = 1,
        .at_line_start = true,
        .locale = locale,
    };
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        lexer->p += 3; /* byte order mark */
        lexer->line_start = lexer->p;
    }
}

void rlxc_lexer_init_nested(rlxc_lexer *lexer, rlxc_context *ctx, rlxc_range range,
                            const char *text, size_t length, locale_t locale)
{
    rlxc_lexer_init(lexer, ctx, range.file, text, length, locale);
    lexer->at_line_start = false;
    lexer->nested = true;
    lexer->fixed = range;
    lexer->brackets = 1; /* newlines are whitespace here */
}

bool rlxc_lexer_check_text(rlxc_context *ctx, uint32_t file, const char *text, size_t length)
{
    rlxc_range range = {file, 1, 1, 1, 2};
    if (length > INT32_MAX) {
        rlxc_error(ctx, range, "the file is too large: %zu bytes, at most 2 GiB are read", length);
        return false;
    }
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = rlxc_utf8_length((const unsigned char *)text + i, length - i);
        if (c == 0 || n == 0) {
            range.end_line = range.line;
            range.end_col = range.col + 1;
            rlxc_error(ctx, range, c == 0 ? "NUL byte in the text" : "not UTF-8: byte 0x%02x", c);
            return false;
        }
        if (c == '\n') {
            range.line++;
            range.col = 1;
        } else {
            range.col += (uint32_t)n;
        }
        i += n;
    }
    return true;
}

static uint32_t column(const rlxc_lexer *lexer, const char *p)
{
    return (uint32_t)(p - lexer->line_start) + 1;
}

static rlxc_range range_from(const rlxc_lexer *lexer, uint32_t line, uint32_t col)
{
    if (lexer->nested)
        return lexer->fixed;
    return (rlxc_range){lexer->file, line, col, lexer->line, column(lexer, lexer->p)};
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char at(const rlxc_lexer *lexer, ptrdiff_t offset)
{
    return lexer->end - lexer->p > offset ? lexer->p[offset] : '\0';
}

static void newline(rlxc_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->p;
}

/* Skips spaces, comments and joined lines; stops before a newline that counts. */
static void skip_blank(rlxc_lexer *lexer)
{
    while (lexer->p < lexer->end) {
        char c = *lexer->p;
        if (c == '#') {
            while (lexer->p < lexer->end && *lexer->p != '\n')
                lexer->p++;
        } else if (c == '\n' && lexer->brackets > 0) {
            lexer->p++;
            newline(lexer);
        } else if (c == '\\' &&
                   (at(lexer, 1) == '\n' || (at(lexer, 1) == '\r' && at(lexer, 2) == '\n'))) {
            lexer->p += at(lexer, 1) == '\n' ? 2 : 3;
            newline(lexer);
        } else if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
            lexer->p++;
        } else {
            return;
        }
    }
}

/* At the start of a line: skips blank lines and returns the indentation of the next line with text.
 */
static uint32_t measure_indent(rlxc_lexer *lexer)
{
    for (;;) {
        uint32_t width = 0;
        for (; lexer->p < lexer->end; lexer->p++) {
            if (*lexer->p == ' ')
                width++;
            else if (*lexer->p == '\t')
                width = (width / TAB + 1) * TAB;
            else if (*lexer->p != '\r' && *lexer->p != '\f')
                break;
        }
        if (lexer->p == lexer->end)
            return 0;
        if (*lexer->p == '#')
            while (lexer->p < lexer->end && *lexer->p != '\n')
                lexer->p++;
        else if (*lexer->p != '\n')
            return width;
        if (lexer->p == lexer->end)
            return 0;
        lexer->p++;
        newline(lexer);
    }
}

/* Handles a line start; true when a layout token was produced. */
static bool layout(rlxc_lexer *lexer, rlxc_token *out)
{
    uint32_t width = measure_indent(lexer);
    uint32_t current = lexer->n_indents ? lexer->indents[lexer->n_indents - 1] : 0;
    lexer->at_line_start = false;
    lexer->any_token = false;
    out->range = range_from(lexer, lexer->line, column(lexer, lexer->p));
    if (width > current) {
        if (lexer->n_indents == RLXC_MAX_INDENTS) {
            rlxc_error(lexer->ctx, out->range, "blocks are nested more than %d deep",
                       RLXC_MAX_INDENTS);
            lexer->p = lexer->end;
            out->kind = RLXC_TOKEN_BAD;
            return true;
        }
        lexer->indents[lexer->n_indents++] = width;
        out->kind = RLXC_TOKEN_INDENT;
        return true;
    }
    while (lexer->n_indents > 0 && width < lexer->indents[lexer->n_indents - 1]) {
        lexer->n_indents--;
        lexer->pending_dedents++;
    }
    current = lexer->n_indents ? lexer->indents[lexer->n_indents - 1] : 0;
    if (width != current)
        rlxc_error(lexer->ctx, out->range,
                   "dedent to column %u matches no enclosing block; the nearest is at column %u",
                   width + 1, current + 1);
    return false;
}

static void lex_number(rlxc_lexer *lexer, rlxc_token *out)
{
    char digits[MAX_NUMBER + 1];
    size_t n = 0;
    unsigned base = 10;
    bool is_float = false, overflow = false, malformed = false;
    uint64_t value = 0;
    uint32_t col = column(lexer, lexer->p);
    const char *start = lexer->p;

    if (*lexer->p == '0' && at(lexer, 1) != '\0' && strchr("xXoObB", at(lexer, 1))) {
        char c = at(lexer, 1);
        base = c == 'x' || c == 'X' ? 16 : c == 'o' || c == 'O' ? 8 : 2;
        lexer->p += 2;
    }
    for (; lexer->p < lexer->end; lexer->p++) {
        char c = *lexer->p;
        if (c == '_')
            continue;
        if (base == 10 && !is_digit(c)) {
            bool exponent =
                (c == 'e' || c == 'E') &&
                (is_digit(at(lexer, 1)) ||
                 ((at(lexer, 1) == '+' || at(lexer, 1) == '-') && is_digit(at(lexer, 2))));
            if (c != '.' && !exponent)
                break;
            is_float = true;
            if (exponent && n < MAX_NUMBER && !is_digit(at(lexer, 1)))
                digits[n++] = c, c = *++lexer->p;
        }
        unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (base != 10 && digit >= base)
            break;
        if (!is_float) {
            uint64_t next;
            overflow |= __builtin_mul_overflow(value, base, &next) ||
                        __builtin_add_overflow(next, digit, &next);
            value = next;
        }
        if (n < MAX_NUMBER)
            digits[n] = c;
        n++;
    }
    if (lexer->p < lexer->end && is_name_start(*lexer->p)) {
        malformed = true;
        while (lexer->p < lexer->end && (is_name_start(*lexer->p) || is_digit(*lexer->p)))
            lexer->p++;
    }
    out->range = range_from(lexer, lexer->line, col);
    out->kind = is_float ? RLXC_TOKEN_FLOAT : RLXC_TOKEN_INT;
    out->magnitude = value;
    if (is_float && n <= MAX_NUMBER) {
        char *rest;
        digits[n] = '\0';
        out->number = strtod_l(digits, &rest, lexer->locale);
        malformed |= *rest != '\0';
    }
    if (malformed || n == 0 || n > MAX_NUMBER) {
        rlxc_error(lexer->ctx, out->range, "malformed number '%.*s'",
                   (int)(lexer->p - start > 40 ? 40 : lexer->p - start), start);
        out->kind = RLXC_TOKEN_BAD;
    } else if (!is_float && overflow) {
        rlxc_error(lexer->ctx, out->range, "integer literal does not fit 64 bits");
        out->kind = RLXC_TOKEN_BAD;
    }
}

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Decodes one escape after its backslash; false when it is malformed or gives NUL. */
static bool escape(const char **io_p, const char *end, char *out, size_t *io_n)
{
    const char *p = *io_p;
    static const char simple[] = "\\\\''\"\"n\nr\rt\ta\ab\bf\fv\v";
    uint32_t code = 0;
    char c = *p++;
    for (size_t i = 0; i + 1 < sizeof simple; i += 2)
        if (simple[i] == c) {
            out[(*io_n)++] = simple[i + 1];
            *io_p = p;
            return true;
        }
    size_t want = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (want > 0) {
        if ((size_t)(end - p) < want)
            return false;
        for (size_t i = 0; i < want; i++, p++) {
            uint32_t digit = is_digit(*p)             ? (uint32_t)(*p - '0')
                             : *p >= 'a' && *p <= 'f' ? (uint32_t)(*p - 'a') + 10
                             : *p >= 'A' && *p <= 'F' ? (uint32_t)(*p - 'A') + 10
                                                      : 99;
            if (digit > 15)
                return false;
            code = code << 4 | digit;
        }
    } else if (c >= '0' && c <= '7') {
        code = (uint32_t)(c - '0');
        for (int i = 0; i < 2 && p < end && *p >= '0' && *p <= '7'; i++, p++)
            code = code * 8 + (uint32_t)(*p - '0');
    } else {
        out[(*io_n)++] = '\\'; /* unknown escapes are kept, as in Python */
        out[(*io_n)++] = c;
        *io_p = p;
        return (c & 0x80) == 0;
    }
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    *io_n += put_utf8(out + *io_n, code);
    *io_p = p;
    return true;
}

static void lex_string(rlxc_lexer *lexer, bool raw, uint32_t line, uint32_t col, rlxc_token *out)
{
    char quote = *lexer->p;
    bool triple = at(lexer, 1) == quote && at(lexer, 2) == quote;
    lexer->p += triple ? 3 : 1;
    const char *start = lexer->p;
    bool closed = false;

    while (lexer->p < lexer->end && !closed) {
        char c = *lexer->p;
        if (c == '\\' && lexer->end - lexer->p > 1) {
            lexer->p++;
            c = *lexer->p++;
            if (c == '\n')
                newline(lexer);
        } else if (c == quote && (!triple || (at(lexer, 1) == quote && at(lexer, 2) == quote))) {
            closed = true;
        } else if (c == '\n' && !triple) {
            break;
        } else {
            lexer->p++;
            if (c == '\n')
                newline(lexer);
        }
    }
    const char *stop = lexer->p;
    if (closed)
        lexer->p += triple ? 3 : 1;
    out->range = range_from(lexer, line, col);
    out->kind = RLXC_TOKEN_BAD;
    if (!closed) {
        rlxc_error(lexer->ctx, out->range, "unterminated string");
        return;
    }
    char *data = rlxc_try_alloc(lexer->ctx, (size_t)(stop - start) + 1, 1);
    if (!data)
        return;
    size_t n = 0;
    for (const char *p = start; p < stop;) {
        if (raw || *p != '\\' || stop - p < 2) {
            data[n++] = *p++;
        } else if (p[1] == '\n') {
            p += 2;
        } else {
            p++;
            if (!escape(&p, stop, data, &n)) {
                rlxc_error(lexer->ctx, out->range, "malformed escape in a string");
                return;
            }
        }
    }
    data[n] = '\0';
    out->kind = RLXC_TOKEN_STRING;
    out->text = data;
    out->length = n;
}

static void lex_name(rlxc_lexer *lexer, rlxc_token *out)
{
    const char *start = lexer->p;
    uint32_t col = column(lexer, start);
    while (lexer->p < lexer->end && (is_name_start(*lexer->p) || is_digit(*lexer->p)))
        lexer->p++;
    size_t n = (size_t)(lexer->p - start);
    if (n <= 2 && (at(lexer, 0) == '"' || at(lexer, 0) == '\'')) {
        bool raw = false, plain = true;
        for (size_t i = 0; i < n; i++) {
            raw |= start[i] == 'r' || start[i] == 'R';
            plain &= start[i] == 'r' || start[i] == 'R' || start[i] == 'u' || start[i] == 'U';
        }
        lex_string(lexer, raw, lexer->line, col, out);
        if (!plain && out->kind == RLXC_TOKEN_STRING) {
            rlxc_error(lexer->ctx, out->range, "strings with the prefix '%.*s' are not supported",
                       (int)n, start);
            out->kind = RLXC_TOKEN_BAD;
        }
        return;
    }
    out->kind = RLXC_TOKEN_NAME;
    out->text = rlxc_intern(lexer->ctx, start, n);
    out->range = range_from(lexer, lexer->line, col);
}

static void lex_operator(rlxc_lexer *lexer, rlxc_token *out)
{
    static const uint32_t threes[] = {RLXC_OP3('/', '/', '='), RLXC_OP3('*', '*', '='),
                                      RLXC_OP3('<', '<', '='), RLXC_OP3('>', '>', '='),
                                      RLXC_OP3('.', '.', '.')};
    static const uint32_t twos[] = {
        RLXC_OP2('=', '='), RLXC_OP2('!', '='), RLXC_OP2('<', '='), RLXC_OP2('>', '='),
        RLXC_OP2('/', '/'), RLXC_OP2('*', '*'), RLXC_OP2('<', '<'), RLXC_OP2('>', '>'),
        RLXC_OP2('-', '>'), RLXC_OP2('+', '='), RLXC_OP2('-', '='), RLXC_OP2('*', '='),
        RLXC_OP2('/', '='), RLXC_OP2('%', '='), RLXC_OP2('&', '='), RLXC_OP2('|', '='),
        RLXC_OP2('^', '='), RLXC_OP2('@', '='), RLXC_OP2(':', '=')};
    static const char lambda[] = "<lambda>"; /* how TVM names a PrimFunc made by a lambda */
    uint32_t col = column(lexer, lexer->p);
    if ((size_t)(lexer->end - lexer->p) >= sizeof lambda - 1 &&
        memcmp(lexer->p, lambda, sizeof lambda - 1) == 0) {
        lexer->p += sizeof lambda - 1;
        out->kind = RLXC_TOKEN_NAME;
        out->text = rlxc_intern_cstr(lexer->ctx, "_lambda_");
        out->range = range_from(lexer, lexer->line, col);
        return;
    }
    unsigned char c0 = (unsigned char)at(lexer, 0), c1 = (unsigned char)at(lexer, 1),
                  c2 = (unsigned char)at(lexer, 2);
    size_t n = 0;
    for (size_t i = 0; i < sizeof threes / sizeof *threes && n == 0; i++)
        if (threes[i] == RLXC_OP3(c0, c1, c2))
            out->op = threes[i], n = 3;
    for (size_t i = 0; i < sizeof twos / sizeof *twos && n == 0; i++)
        if (twos[i] == RLXC_OP2(c0, c1))
            out->op = twos[i], n = 2;
    if (n == 0)
        out->op = c0, n = 1;
    out->kind = RLXC_TOKEN_OP;
    lexer->p += n;
    out->range = range_from(lexer, lexer->line, col);
    if (n == 1 && !strchr("()[]{},:.;=+-*/%@&|^~<>", c0)) {
        rlxc_error(lexer->ctx, out->range,
                   c0 >= ' ' ? "unexpected character '%c'" : "unexpected control character 0x%02x",
                   c0);
        out->kind = RLXC_TOKEN_BAD;
        return;
    }
    if (n == 1 && strchr("([{", c0))
        lexer->brackets++;
    else if (n == 1 && strchr(")]}", c0) && lexer->brackets > (lexer->nested ? 1U : 0U))
        lexer->brackets--;
}

void rlxc_lexer_next(rlxc_lexer *lexer, rlxc_token *out)
{
    *out = (rlxc_token){.kind = RLXC_TOKEN_END};
    if (lexer->at_line_start && layout(lexer, out))
        return;
    if (lexer->pending_dedents > 0) {
        lexer->pending_dedents--;
        out->kind = RLXC_TOKEN_DEDENT;
        out->range = range_from(lexer, lexer->line, column(lexer, lexer->p));
        return;
    }
    skip_blank(lexer);
    if (lexer->p == lexer->end || *lexer->p == '\n') {
        out->range = range_from(lexer, lexer->line, column(lexer, lexer->p));
        if (lexer->p < lexer->end || (lexer->any_token && !lexer->nested)) {
            out->kind = RLXC_TOKEN_NEWLINE;
            if (lexer->p < lexer->end) {
                lexer->p++;
                newline(lexer);
            }
            lexer->any_token = false;
            lexer->at_line_start = true;
        } else if (lexer->n_indents > 0) {
            lexer->n_indents--;
            out->kind = RLXC_TOKEN_DEDENT;
        }
        return;
    }
    lexer->any_token = true;
    char c = *lexer->p;
    if (is_name_start(c))
        lex_name(lexer, out);
    else if (is_digit(c) || (c == '.' && is_digit(at(lexer, 1))))
        lex_number(lexer, out);
    else if (c == '"' || c == '\'')
        lex_string(lexer, false, lexer->line, column(lexer, lexer->p), out);
    else
        lex_operator(lexer, out);
}

void rlxc_lexer_resync(rlxc_lexer *lexer)
{
    lexer->brackets = lexer->nested ? 1 : 0;
    while (lexer->p < lexer->end && *lexer->p != '\n')
        lexer->p++;
    lexer->any_token = true; /* so that a NEWLINE ends the broken line, also at the end of text */
}
