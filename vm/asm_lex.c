/* Lexer of assembly text. Never reads past the text; numbers do not depend on the locale. */
#include "vm/asm_text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rlx_status rlxv_asm_error(rlxv_asm *a, const char *format, ...)
{
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rlx_fail(a->err, RLX_E_INVALID_MODULE, "%.*s:%u:%u: %s", (int)a->file.len, a->file.data,
             a->token.line, a->token.column, message);
    if (a->err) {
        snprintf(a->err->where.file, sizeof a->err->where.file, "%.*s", (int)a->file.len,
                 a->file.data);
        a->err->where.line = a->token.line;
        a->err->where.column = a->token.column;
    }
    return RLX_E_INVALID_MODULE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || is_digit(c);
}

static char at(const rlxv_asm *a, size_t i)
{
    return i < a->text.len ? a->text.data[i] : 0;
}

static void skip_blanks(rlxv_asm *a)
{
    for (;; a->at++) {
        char c = at(a, a->at);
        if (c == '#')
            while (a->at < a->text.len && a->text.data[a->at] != '\n')
                a->at++;
        c = at(a, a->at);
        if (c == '\n') {
            a->line++;
            a->line_start = a->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static size_t end_of_number(const rlxv_asm *a, size_t i, bool *out_float)
{
    *out_float = false;
    if (at(a, i) == '0' && (at(a, i + 1) == 'x' || at(a, i + 1) == 'X')) {
        i += 2;
        while (is_name(at(a, i)) && at(a, i) != '.')
            i++;
        return i;
    }
    for (;; i++) {
        char c = at(a, i);
        if ((c == '-' || c == '+') && (at(a, i - 1) == 'e' || at(a, i - 1) == 'E'))
            continue;
        if (!is_name(c))
            return i;
        *out_float |= !is_digit(c);
    }
}

rlx_status rlxv_asm_next(rlxv_asm *a)
{
    skip_blanks(a);
    size_t start = a->at, end = start + 1;
    char c = at(a, start), d = at(a, start + 1);
    a->token.line = a->line;
    a->token.column = (uint32_t)(start - a->line_start) + 1;
    a->token.kind = RLXV_TOKEN_MARK;
    a->token.text = (rlx_str){a->text.data + start, start < a->text.len};
    if (start >= a->text.len) {
        a->token.kind = RLXV_TOKEN_END;
        return RLX_OK;
    }
    if (is_digit(c)) {
        bool is_float;
        end = end_of_number(a, start, &is_float);
        a->token.kind = is_float ? RLXV_TOKEN_FLOAT : RLXV_TOKEN_INT;
    } else if (is_name(c)) {
        while (is_name(at(a, end)))
            end++;
        a->token.kind = RLXV_TOKEN_NAME;
    } else if (c == '"') {
        while (end < a->text.len && at(a, end) != '"' && at(a, end) != '\n')
            end += at(a, end) == '\\' ? 2 : 1;
        if (at(a, end) != '"')
            return rlxv_asm_error(a, "unterminated string");
        end++;
        a->token.kind = RLXV_TOKEN_STRING;
    } else if ((c == '-' && d == '>') || (c == '/' && d == '/') ||
               (d == '=' && (c == '=' || c == '!' || c == '<' || c == '>'))) {
        end++;
    } else if (!strchr("()[]{},:=?!+-*%<>@", c)) {
        return rlxv_asm_error(a, "unexpected character (byte 0x%02x)", (unsigned)(unsigned char)c);
    }
    a->token.text.len = end - start;
    a->at = end;
    return RLX_OK;
}

bool rlxv_asm_is(const rlxv_asm *a, const char *text)
{
    return (a->token.kind == RLXV_TOKEN_NAME || a->token.kind == RLXV_TOKEN_MARK) &&
           rlx_str_eq(a->token.text, rlx_str_from(text));
}

rlx_status rlxv_asm_accept(rlxv_asm *a, const char *text, bool *out)
{
    *out = rlxv_asm_is(a, text);
    return *out ? rlxv_asm_next(a) : RLX_OK;
}

rlx_status rlxv_asm_expect(rlxv_asm *a, const char *text)
{
    if (!rlxv_asm_is(a, text))
        return rlxv_asm_error(a, "expected '%s'", text);
    return rlxv_asm_next(a);
}

/* The magnitude of an integer token. */
static bool magnitude(rlx_str t, uint64_t *out)
{
    uint64_t v = 0;
    bool hex = t.len > 2 && (t.data[1] == 'x' || t.data[1] == 'X');
    for (size_t i = hex ? 2 : 0; i < t.len; i++) {
        char c = t.data[i];
        uint64_t digit = is_digit(c)            ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A' + 10)
                                                : 99;
        uint64_t base = hex ? 16 : 10;
        if (digit >= base || v > (UINT64_MAX - digit) / base)
            return false;
        v = v * base + digit;
    }
    *out = v;
    return true;
}

rlx_status rlxv_asm_number(rlxv_asm *a, double *out, int64_t *out_int, bool *out_is_int)
{
    bool negative;
    uint64_t m;
    RLX_TRY(rlxv_asm_accept(a, "-", &negative));
    rlx_str t = a->token.text;
    *out_is_int = a->token.kind == RLXV_TOKEN_INT;
    if (*out_is_int) {
        if (!magnitude(t, &m))
            return rlxv_asm_error(a, "bad integer");
        /* Hexadecimal words may use all 64 bits. */
        bool hex = t.len > 1 && (t.data[1] == 'x' || t.data[1] == 'X');
        if (!hex && m > (uint64_t)INT64_MAX + negative)
            return rlxv_asm_error(a, "the integer does not fit 64 bits");
        *out_int = (int64_t)(negative ? 0 - m : m);
        *out = negative ? -(double)m : (double)m;
        return rlxv_asm_next(a);
    }
    bool word = rlxv_asm_is(a, "inf") || rlxv_asm_is(a, "nan");
    char copy[64], *end;
    if ((a->token.kind != RLXV_TOKEN_FLOAT && !word) || t.len >= sizeof copy)
        return rlxv_asm_error(a, "expected a number");
    memcpy(copy, t.data, t.len);
    copy[t.len] = 0;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return rlx_fail(a->err, RLX_E_NOMEM, "out of memory in the assembler");
    double v = strtod_l(copy, &end, c);
    freelocale(c);
    if (*end)
        return rlxv_asm_error(a, "bad number");
    *out = negative ? -v : v;
    return rlxv_asm_next(a);
}

rlx_status rlxv_asm_int(rlxv_asm *a, int64_t *out)
{
    double ignored;
    bool is_int;
    rlxv_token first = a->token;
    RLX_TRY(rlxv_asm_number(a, &ignored, out, &is_int));
    if (is_int)
        return RLX_OK;
    a->token = first;
    return rlxv_asm_error(a, "expected an integer");
}

rlx_status rlxv_asm_u32(rlxv_asm *a, uint32_t *out)
{
    int64_t v;
    rlxv_token first = a->token;
    RLX_TRY(rlxv_asm_int(a, &v));
    if (v < 0 || v > UINT32_MAX) {
        a->token = first;
        return rlxv_asm_error(a, "expected an integer of 32 bits");
    }
    *out = (uint32_t)v;
    return RLX_OK;
}

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

rlx_status rlxv_asm_string(rlxv_asm *a, rlx_str *out)
{
    rlx_str t = a->token.text;
    if (a->token.kind != RLXV_TOKEN_STRING)
        return rlxv_asm_error(a, "expected a string");
    char *to = rlxv_arena_alloc(&a->arena, t.len, 1);
    size_t n = 0;
    if (!to)
        return rlx_fail(a->err, RLX_E_NOMEM, "out of memory in the assembler");
    for (size_t i = 1; i + 1 < t.len; i++) {
        char c = t.data[i];
        if (c == '\\') {
            c = t.data[++i];
            if (c == 'n') {
                c = '\n';
            } else if (c == 't') {
                c = '\t';
            } else if (c == 'x') {
                int high = i + 2 < t.len - 1 ? hex_digit(t.data[i + 1]) : -1;
                int low = high >= 0 ? hex_digit(t.data[i + 2]) : -1;
                if (low < 0)
                    return rlxv_asm_error(a, "bad escape");
                c = (char)(high * 16 + low);
                i += 2;
            } else if (c != '"' && c != '\\') {
                return rlxv_asm_error(a, "bad escape");
            }
        }
        to[n++] = c;
    }
    *out = (rlx_str){to, n};
    return rlxv_asm_next(a);
}

bool rlxv_asm_index(const rlxv_asm *a, char letter, uint32_t *out)
{
    rlx_str t = a->token.text;
    uint64_t v = 0;
    if (a->token.kind != RLXV_TOKEN_NAME || t.len < 2 || t.len > 10 || t.data[0] != letter)
        return false;
    for (size_t i = 1; i < t.len; i++) {
        if (!is_digit(t.data[i]))
            return false;
        v = v * 10 + (uint64_t)(t.data[i] - '0');
    }
    *out = (uint32_t)v; /* nine digits at most */
    return true;
}

rlx_status rlxv_asm_expect_index(rlxv_asm *a, char letter, const char *what, uint32_t *out)
{
    if (!rlxv_asm_index(a, letter, out))
        return rlxv_asm_error(a, "expected %s, such as %c0", what, letter);
    return rlxv_asm_next(a);
}

rlx_status rlxv_asm_dtype(rlxv_asm *a, rlx_dtype *out)
{
    if (a->token.kind != RLXV_TOKEN_NAME || !rlx_dtype_parse(a->token.text, out))
        return rlxv_asm_error(a, "expected a dtype, such as float32");
    return rlxv_asm_next(a);
}
