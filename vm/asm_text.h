/* The assembler's lexer and the parsers shared by its two files (private). */
#ifndef RLXV_ASM_TEXT_H
#define RLXV_ASM_TEXT_H

#include "vm/exec.h"

typedef enum rlxv_token_kind {
    RLXV_TOKEN_END,
    RLXV_TOKEN_NAME,   /* letters, digits, '_' and '.', not beginning with a digit */
    RLXV_TOKEN_INT,    /* decimal or 0x; the sign is a token of its own */
    RLXV_TOKEN_FLOAT,  /* with a '.', an exponent, or the words inf and nan */
    RLXV_TOKEN_STRING, /* quotes included in |text| */
    RLXV_TOKEN_MARK,   /* punctuation, one or two characters */
} rlxv_token_kind;

typedef struct rlxv_token {
    rlxv_token_kind kind;
    rlx_str text;
    uint32_t line, column;
} rlxv_token;

typedef struct rlxv_asm {
    rlx_exec_builder *builder;
    rlxv_arena arena;
    rlx_str file, text;
    size_t at, line_start;
    uint32_t line;
    rlxv_token token; /* the current token */
    uint32_t depth;   /* of nested expressions, types and constants */
    rlx_error *err;
} rlxv_asm;

#define RLXV_ASM_MAX_DEPTH 100u

RLX_PRINTF(2, 3) rlx_status rlxv_asm_error(rlxv_asm *a, const char *format, ...);
rlx_status rlxv_asm_next(rlxv_asm *a);
/* The token is this name or mark. */
bool rlxv_asm_is(const rlxv_asm *a, const char *text);
/* If so, advances to the next token. */
rlx_status rlxv_asm_accept(rlxv_asm *a, const char *text, bool *out);
rlx_status rlxv_asm_expect(rlxv_asm *a, const char *text);
/* A signed integer, an unsigned one of 32 bits, a string (in the arena). */
rlx_status rlxv_asm_int(rlxv_asm *a, int64_t *out);
rlx_status rlxv_asm_u32(rlxv_asm *a, uint32_t *out);
rlx_status rlxv_asm_string(rlxv_asm *a, rlx_str *out);
/* A signed number of any form. */
rlx_status rlxv_asm_number(rlxv_asm *a, double *out, int64_t *out_int, bool *out_is_int);
/* True if the token is |letter| followed by digits alone; gives the number. */
bool rlxv_asm_index(const rlxv_asm *a, char letter, uint32_t *out);
/* r3, s0, k1, ...; wraps names the error "a register". */
rlx_status rlxv_asm_expect_index(rlxv_asm *a, char letter, const char *what, uint32_t *out);
rlx_status rlxv_asm_dtype(rlxv_asm *a, rlx_dtype *out);

/* asm_tables.c */
/* Makes the token the place of the builder's error. */
rlx_status rlxv_asm_built(rlxv_asm *a, rlx_status status);
/* Makes room for item |n| of an array in the arena, which frees the old copies at its end. */
rlx_status rlxv_asm_grow(rlxv_asm *a, void **array, uint32_t n, size_t item);
/* Strings of hexadecimal bytes, |size| in all. */
rlx_status rlxv_asm_hex(rlxv_asm *a, uint8_t *to, size_t size);
/* Each returns the index of the parsed item. */
rlx_status rlxv_asm_expr(rlxv_asm *a, uint32_t *out);
rlx_status rlxv_asm_type(rlxv_asm *a, uint32_t *out);
rlx_status rlxv_asm_constant(rlxv_asm *a, uint32_t *out);
/* asm_devices.c: what follows ".device", ".module" and ".launches". */
rlx_status rlxv_asm_device(rlxv_asm *a, uint32_t *out);
rlx_status rlxv_asm_module(rlxv_asm *a, uint32_t *out);
rlx_status rlxv_asm_launches(rlxv_asm *a, uint32_t *out);
/* What follows ".kernel", ".native" and so on; |directive| is without the dot. */
rlx_status rlxv_asm_table(rlxv_asm *a, rlx_str directive, bool *out_known);

#endif
