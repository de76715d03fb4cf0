/* The assembler's tables: expressions, types, constants, kernels, imports, native code, metadata.

   In place of an index such as t3 the item itself may be written; the builder keeps each expression
   and type once. A directive with an index (".type t3 = ...") checks that the builder assigns the
   same index, so that the disassembler's text keeps its numbers. Recursion is bounded by
   RLXV_ASM_MAX_DEPTH. */
#include "vm/asm_text.h"

#include <rlx/checked.h>
#include <rlx/floats.h>
#include <rlx/packed.h>
#include <string.h>

static rlx_status no_memory(rlxv_asm *a)
{
    return rlx_fail(a->err, RLX_E_NOMEM, "out of memory in the assembler");
}

rlx_status rlxv_asm_built(rlxv_asm *a, rlx_status status)
{
    if (status == RLX_OK || status == RLX_E_NOMEM || !a->err)
        return status;
    char message[300];
    memcpy(message, a->err->message, sizeof message);
    message[sizeof message - 1] = 0;
    rlxv_asm_error(a, "%s", message);
    return a->err->code = status;
}

static rlx_status enter(rlxv_asm *a)
{
    if (++a->depth > RLXV_ASM_MAX_DEPTH)
        return rlxv_asm_error(a, "nested too deeply");
    return RLX_OK;
}

rlx_status rlxv_asm_grow(rlxv_asm *a, void **array, uint32_t n, size_t item)
{
    if (n & (n - 1))
        return RLX_OK;
    void *fresh = rlxv_arena_alloc(&a->arena, n ? (size_t)n * 2 : 1, item);
    if (!fresh)
        return no_memory(a);
    if (n)
        memcpy(fresh, *array, n * item);
    *array = fresh;
    return RLX_OK;
}

/* --- expressions ----------------------------------------------------------------------------- */

static rlx_status primary(rlxv_asm *a, uint32_t *out)
{
    static const struct {
        const char *name;
        rlx_expr_op op;
        uint32_t n;
    } calls[] = {
        {"min", RLX_EXPR_MIN, 2}, {"max", RLX_EXPR_MAX, 2}, {"select", RLX_EXPR_SELECT, 3}};
    uint32_t i, operand[3] = {0};
    int64_t v;
    bool yes;
    if (rlxv_asm_index(a, 's', &i)) {
        RLX_TRY(rlxv_asm_built(a, rlx_exec_builder_slot_expr(a->builder, i, out, a->err)));
        return rlxv_asm_next(a);
    }
    if (rlxv_asm_index(a, 'e', out))
        return rlxv_asm_next(a);
    if (a->token.kind == RLXV_TOKEN_INT || rlxv_asm_is(a, "-")) {
        RLX_TRY(rlxv_asm_int(a, &v));
        return rlxv_asm_built(a, rlx_exec_builder_const_expr(a->builder, v, out, a->err));
    }
    for (i = 0; i < 3; i++) {
        if (!rlxv_asm_is(a, calls[i].name))
            continue;
        RLX_TRY(rlxv_asm_next(a));
        for (uint32_t k = 0; k < calls[i].n; k++) {
            RLX_TRY(rlxv_asm_expect(a, k ? "," : "("));
            RLX_TRY(rlxv_asm_expr(a, &operand[k]));
        }
        RLX_TRY(rlxv_asm_built(a, rlx_exec_builder_expr(a->builder, calls[i].op, operand[0],
                                                        operand[1], operand[2], out, a->err)));
        return rlxv_asm_expect(a, ")");
    }
    RLX_TRY(rlxv_asm_accept(a, "(", &yes));
    if (!yes)
        return rlxv_asm_error(a, "expected an expression");
    RLX_TRY(rlxv_asm_expr(a, out));
    return rlxv_asm_expect(a, ")");
}

static const struct {
    const char *mark;
    rlx_expr_op op;
    int level;
    bool swap;
} infix[] = {
    {"*", RLX_EXPR_MUL, 2, false},      {"//", RLX_EXPR_FLOORDIV, 2, false},
    {"%", RLX_EXPR_FLOORMOD, 2, false}, {"+", RLX_EXPR_ADD, 1, false},
    {"-", RLX_EXPR_SUB, 1, false},      {"==", RLX_EXPR_EQ, 0, false},
    {"!=", RLX_EXPR_NE, 0, false},      {"<=", RLX_EXPR_LE, 0, false},
    {"<", RLX_EXPR_LT, 0, false},       {">=", RLX_EXPR_LE, 0, true},
    {">", RLX_EXPR_LT, 0, true},
};

/* Left-associative operators of |level| and tighter; recursion of three levels. */
static rlx_status infix_expr(rlxv_asm *a, int level, uint32_t *out)
{
    uint32_t left, right;
    if (level == 3)
        return primary(a, out);
    RLX_TRY(infix_expr(a, level + 1, &left));
    for (;;) {
        size_t k = 0, n = sizeof infix / sizeof *infix;
        while (k < n && (infix[k].level != level || !rlxv_asm_is(a, infix[k].mark)))
            k++;
        if (k == n)
            break;
        RLX_TRY(rlxv_asm_next(a));
        RLX_TRY(infix_expr(a, level + 1, &right));
        RLX_TRY(rlxv_asm_built(
            a, rlx_exec_builder_expr(a->builder, infix[k].op, infix[k].swap ? right : left,
                                     infix[k].swap ? left : right, 0, &left, a->err)));
    }
    *out = left;
    return RLX_OK;
}

rlx_status rlxv_asm_expr(rlxv_asm *a, uint32_t *out)
{
    RLX_TRY(enter(a));
    RLX_TRY(infix_expr(a, 0, out));
    a->depth--;
    return RLX_OK;
}

/* --- types ----------------------------------------------------------------------------------- */

static rlx_status dim(rlxv_asm *a, rlx_dim *out)
{
    bool yes;
    uint32_t slot;
    *out = (rlx_dim){RLX_DIM_ANY, 0};
    RLX_TRY(rlxv_asm_accept(a, "?", &yes));
    if (yes)
        return RLX_OK;
    /* A slot immediately followed by '!' is bound; "s0 != 1" is not. */
    char after = a->at < a->text.len ? a->text.data[a->at] : 0;
    char then = a->at + 1 < a->text.len ? a->text.data[a->at + 1] : 0;
    if (rlxv_asm_index(a, 's', &slot) && after == '!' && then != '=') {
        *out = (rlx_dim){RLX_DIM_BIND, slot};
        RLX_TRY(rlxv_asm_next(a));
        return rlxv_asm_expect(a, "!");
    }
    out->kind = RLX_DIM_EXPR;
    return rlxv_asm_expr(a, &out->index);
}

/* "[*]" or "[d, d]". */
static rlx_status dims(rlxv_asm *a, rlx_type_info *t)
{
    rlx_dim *list = NULL;
    bool yes;
    RLX_TRY(rlxv_asm_expect(a, "["));
    RLX_TRY(rlxv_asm_accept(a, "*", &yes));
    t->rank_known = !yes;
    while (t->rank_known && !rlxv_asm_is(a, "]")) {
        if (t->n_dims)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&list, t->n_dims, sizeof *list));
        RLX_TRY(dim(a, &list[t->n_dims]));
        t->n_dims++;
    }
    t->dims = list;
    return rlxv_asm_expect(a, "]");
}

static rlx_status tuple_type(rlxv_asm *a, rlx_type_info *t)
{
    uint32_t *list = NULL;
    RLX_TRY(rlxv_asm_expect(a, "("));
    while (!rlxv_asm_is(a, ")")) {
        if (t->n_children)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&list, t->n_children, sizeof *list));
        RLX_TRY(rlxv_asm_type(a, &list[t->n_children]));
        t->n_children++;
    }
    t->children = list;
    return rlxv_asm_expect(a, ")");
}

static rlx_status prim_type(rlxv_asm *a, rlx_type_info *t)
{
    bool yes;
    rlx_dim *d = rlxv_arena_alloc(&a->arena, 1, sizeof *d);
    if (!d)
        return no_memory(a);
    RLX_TRY(rlxv_asm_expect(a, "("));
    RLX_TRY(rlxv_asm_dtype(a, &t->dtype));
    RLX_TRY(rlxv_asm_accept(a, ",", &yes));
    if (yes) {
        RLX_TRY(dim(a, d));
        t->n_dims = 1;
        t->dims = d;
    }
    return rlxv_asm_expect(a, ")");
}

static rlx_status inline_type(rlxv_asm *a, uint32_t *out)
{
    rlx_type_info t = {.kind = RLX_TYPE_TENSOR};
    rlx_str word = a->token.text;
    if (a->token.kind != RLXV_TOKEN_NAME)
        return rlxv_asm_error(a, "expected a type");
    RLX_TRY(rlxv_asm_next(a));
    if (rlx_str_eq(word, RLX_STR("object"))) {
        t.kind = RLX_TYPE_OBJECT;
    } else if (rlx_str_eq(word, RLX_STR("callable"))) {
        t.kind = RLX_TYPE_CALLABLE;
    } else if (rlx_str_eq(word, RLX_STR("prim"))) {
        t.kind = RLX_TYPE_PRIM;
        RLX_TRY(prim_type(a, &t));
    } else if (rlx_str_eq(word, RLX_STR("tuple"))) {
        t.kind = RLX_TYPE_TUPLE;
        RLX_TRY(tuple_type(a, &t));
    } else if (rlx_str_eq(word, RLX_STR("shape"))) {
        t.kind = RLX_TYPE_SHAPE;
        RLX_TRY(dims(a, &t));
    } else if (rlx_str_eq(word, RLX_STR("tensor")) || rlx_dtype_parse(word, &t.dtype)) {
        RLX_TRY(dims(a, &t));
    } else {
        return rlxv_asm_error(a, "'%.*s' is not a type", (int)word.len, word.data);
    }
    return rlxv_asm_built(a, rlx_exec_builder_type(a->builder, &t, out, a->err));
}

rlx_status rlxv_asm_type(rlxv_asm *a, uint32_t *out)
{
    if (rlxv_asm_index(a, 't', out))
        return rlxv_asm_next(a);
    RLX_TRY(enter(a));
    RLX_TRY(inline_type(a, out));
    a->depth--;
    return RLX_OK;
}

/* --- constants ------------------------------------------------------------------------------- */

/* A list of integers in brackets; returns the count and the array. */
static rlx_status int_list(rlxv_asm *a, int64_t **out, uint32_t *out_n)
{
    int64_t *list = NULL;
    uint32_t n = 0;
    RLX_TRY(rlxv_asm_expect(a, "["));
    while (!rlxv_asm_is(a, "]")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&list, n, sizeof *list));
        RLX_TRY(rlxv_asm_int(a, &list[n]));
        n++;
    }
    *out = list;
    *out_n = n;
    return rlxv_asm_expect(a, "]");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

rlx_status rlxv_asm_hex(rlxv_asm *a, uint8_t *to, size_t size)
{
    size_t n = 0;
    while (a->token.kind == RLXV_TOKEN_STRING) {
        rlx_str t = a->token.text;
        for (size_t i = 1; i + 1 < t.len; i += 2) {
            int high = hex_digit(t.data[i]), low = i + 2 < t.len ? hex_digit(t.data[i + 1]) : -1;
            if (high < 0 || low < 0 || n == size)
                return rlxv_asm_error(a, "expected %zu bytes as pairs of hexadecimal digits", size);
            to[n++] = (uint8_t)(high * 16 + low);
        }
        RLX_TRY(rlxv_asm_next(a));
    }
    return n == size ? RLX_OK : rlxv_asm_error(a, "%zu of %zu bytes are missing", size - n, size);
}

/* Sets element |at| of |data| to the next number. */
static rlx_status element(rlxv_asm *a, rlx_dtype t, uint8_t *data, size_t at)
{
    double v = 0;
    int64_t i = 0;
    bool is_int = true;
    if (rlxv_asm_is(a, "true") || rlxv_asm_is(a, "false")) {
        i = rlxv_asm_is(a, "true");
        v = (double)i;
        RLX_TRY(rlxv_asm_next(a));
    } else {
        RLX_TRY(rlxv_asm_number(a, &v, &i, &is_int));
    }
    if (!rlx_dtype_is_float(t) && !is_int)
        return rlxv_asm_error(a, "expected an integer");
    const uint64_t bits = rlx_dtype_is_float(t) ? rlx_float_encode(t, v) : (uint64_t)i;
    const size_t size = rlx_dtype_size(t);
    if (rlx_dtype_is_packed(t))
        rlx_packed_set(t, data, at, i);
    for (size_t k = 0; k < size; k++)
        data[at * size + k] = (uint8_t)(bits >> (8 * k));
    return RLX_OK;
}

/* "f32 [2, 3] { 1, 2.5, ... }" or "... hex "0000803f..."". */
static rlx_status tensor(rlxv_asm *a, uint32_t *out)
{
    rlx_dtype dtype;
    int64_t *shape, numel;
    uint32_t n;
    size_t nbytes;
    bool yes;
    RLX_TRY(rlxv_asm_dtype(a, &dtype));
    RLX_TRY(int_list(a, &shape, &n));
    if (n > RLX_MAX_NDIM || !rlx_nbytes(shape, n, dtype, &nbytes) || !rlx_numel(shape, n, &numel))
        return rlxv_asm_error(a, "no tensor can have this shape");
    RLX_TRY(rlxv_asm_accept(a, "hex", &yes));
    /* A byte needs at least one character of text: a tensor larger than the text has no bytes. */
    if ((rlx_dtype_is_packed(dtype) ? (uint64_t)nbytes : (uint64_t)numel) > a->text.len)
        return rlxv_asm_error(a, "the text is too short for the tensor");
    uint8_t *data = rlxv_arena_alloc(&a->arena, nbytes, 1);
    if (!data)
        return no_memory(a);
    if (yes) {
        RLX_TRY(rlxv_asm_hex(a, data, nbytes));
    } else {
        RLX_TRY(rlxv_asm_expect(a, "{"));
        if (nbytes > 0)
            memset(data, 0, nbytes);
        for (int64_t i = 0; i < numel; i++) {
            if (i > 0)
                RLX_TRY(rlxv_asm_expect(a, ","));
            RLX_TRY(element(a, dtype, data, (size_t)i));
        }
        RLX_TRY(rlxv_asm_expect(a, "}"));
    }
    return rlxv_asm_built(
        a, rlx_exec_builder_const_tensor(a->builder, dtype, n, shape, data, out, a->err));
}

static rlx_status tuple(rlxv_asm *a, uint32_t *out)
{
    uint32_t *list = NULL, n = 0;
    RLX_TRY(rlxv_asm_expect(a, "("));
    while (!rlxv_asm_is(a, ")")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&list, n, sizeof *list));
        RLX_TRY(rlxv_asm_constant(a, &list[n]));
        n++;
    }
    RLX_TRY(rlxv_asm_built(a, rlx_exec_builder_const_tuple(a->builder, n, list, out, a->err)));
    return rlxv_asm_expect(a, ")");
}

static rlx_status scalar(rlxv_asm *a, rlx_value v, uint32_t *out)
{
    return rlxv_asm_built(a, rlx_exec_builder_const_value(a->builder, v, out, a->err));
}

static rlx_status float_constant(rlxv_asm *a, uint32_t *out)
{
    rlx_value v = rlx_float(0);
    int64_t bits;
    bool yes, is_int;
    RLX_TRY(rlxv_asm_accept(a, "bits", &yes));
    if (yes) {
        RLX_TRY(rlxv_asm_int(a, &bits));
        memcpy(&v.as.f, &bits, sizeof bits);
    } else {
        RLX_TRY(rlxv_asm_number(a, &v.as.f, &bits, &is_int));
    }
    return scalar(a, v, out);
}

static rlx_status inline_constant(rlxv_asm *a, uint32_t *out)
{
    rlx_str word = a->token.text, text;
    rlx_dtype dtype;
    int64_t v, *list;
    uint32_t n;
    if (a->token.kind == RLXV_TOKEN_STRING) {
        RLX_TRY(rlxv_asm_string(a, &text));
        return rlxv_asm_built(a, rlx_exec_builder_const_string(a->builder, text, out, a->err));
    }
    if (a->token.kind != RLXV_TOKEN_NAME)
        return rlxv_asm_error(a, "expected a constant");
    RLX_TRY(rlxv_asm_next(a));
    if (rlx_str_eq(word, RLX_STR("none")))
        return scalar(a, rlx_none(), out);
    if (rlx_str_eq(word, RLX_STR("true")) || rlx_str_eq(word, RLX_STR("false")))
        return scalar(a, rlx_bool(word.len == 4), out);
    if (rlx_str_eq(word, RLX_STR("int"))) {
        RLX_TRY(rlxv_asm_int(a, &v));
        return scalar(a, rlx_int(v), out);
    }
    if (rlx_str_eq(word, RLX_STR("float")))
        return float_constant(a, out);
    if (rlx_str_eq(word, RLX_STR("dtype"))) {
        RLX_TRY(rlxv_asm_dtype(a, &dtype));
        return scalar(a, rlx_of_dtype(dtype), out);
    }
    if (rlx_str_eq(word, RLX_STR("shape"))) {
        RLX_TRY(int_list(a, &list, &n));
        return rlxv_asm_built(a, rlx_exec_builder_const_shape(a->builder, n, list, out, a->err));
    }
    if (rlx_str_eq(word, RLX_STR("tuple")))
        return tuple(a, out);
    if (rlx_str_eq(word, RLX_STR("tensor")))
        return tensor(a, out);
    return rlxv_asm_error(a, "'%.*s' does not start a constant", (int)word.len, word.data);
}

rlx_status rlxv_asm_constant(rlxv_asm *a, uint32_t *out)
{
    if (rlxv_asm_index(a, 'c', out))
        return rlxv_asm_next(a);
    RLX_TRY(enter(a));
    RLX_TRY(inline_constant(a, out));
    a->depth--;
    return RLX_OK;
}

/* --- directives ------------------------------------------------------------------------------ */

/* |want|, if the text named one, must be the index that the builder assigned. */
static rlx_status check_index(rlxv_asm *a, const rlxv_token *where, bool named, uint32_t want,
                              uint32_t got)
{
    if (!named || want == got)
        return RLX_OK;
    a->token = *where;
    return rlxv_asm_error(a, "the next number is %u", got);
}

static rlx_status kernel(rlxv_asm *a, uint32_t *out)
{
    rlx_str name, symbol;
    rlx_kernel_param *params = NULL;
    uint32_t n_dims, n = 0;
    RLX_TRY(rlxv_asm_string(a, &name));
    symbol = name;
    if (a->token.kind == RLXV_TOKEN_STRING)
        RLX_TRY(rlxv_asm_string(a, &symbol));
    RLX_TRY(rlxv_asm_expect(a, "dims"));
    RLX_TRY(rlxv_asm_u32(a, &n_dims));
    RLX_TRY(rlxv_asm_expect(a, "("));
    while (!rlxv_asm_is(a, ")")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&params, n, sizeof *params));
        RLX_TRY(rlxv_asm_accept(a, "out", &params[n].is_output));
        RLX_TRY(rlxv_asm_type(a, &params[n].type));
        n++;
    }
    RLX_TRY(rlxv_asm_built(
        a, rlx_exec_builder_kernel(a->builder, name, symbol, n_dims, params, n, out, a->err)));
    return rlxv_asm_expect(a, ")");
}

static rlx_status import(rlxv_asm *a, uint32_t *out)
{
    rlx_str name;
    RLX_TRY(rlxv_asm_string(a, &name));
    return rlxv_asm_built(a, rlx_exec_builder_import(a->builder, name, out, a->err));
}

static rlx_status metadata(rlxv_asm *a, uint32_t *out)
{
    rlx_str key, value;
    (void)out;
    RLX_TRY(rlxv_asm_string(a, &key));
    RLX_TRY(rlxv_asm_string(a, &value));
    return rlxv_asm_built(a, rlx_exec_builder_metadata(a->builder, key, value, a->err));
}

/* "triple" ["feature", ...] SIZE "hex" ... */
static rlx_status native(rlxv_asm *a, uint32_t *out)
{
    (void)out;
    rlx_str triple, *features = NULL;
    uint32_t n = 0, size;
    RLX_TRY(rlxv_asm_string(a, &triple));
    RLX_TRY(rlxv_asm_expect(a, "["));
    while (!rlxv_asm_is(a, "]")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&features, n, sizeof *features));
        RLX_TRY(rlxv_asm_string(a, &features[n]));
        n++;
    }
    RLX_TRY(rlxv_asm_expect(a, "]"));
    RLX_TRY(rlxv_asm_u32(a, &size));
    if (size > a->text.len)
        return rlxv_asm_error(a, "the text is too short for the object");
    uint8_t *elf = rlxv_arena_alloc(&a->arena, size, 1);
    if (!elf)
        return no_memory(a);
    RLX_TRY(rlxv_asm_hex(a, elf, size));
    return rlxv_asm_built(
        a, rlx_exec_builder_native(a->builder, triple, features, n, elf, size, a->err));
}

rlx_status rlxv_asm_table(rlxv_asm *a, rlx_str directive, bool *out_known)
{
    static const struct {
        const char *name;
        char letter; /* 0: no index */
        bool equals;
        rlx_status (*parse)(rlxv_asm *a, uint32_t *out);
    } rows[] = {{"expr", 'e', true, rlxv_asm_expr},
                {"type", 't', true, rlxv_asm_type},
                {"const", 'c', true, rlxv_asm_constant},
                {"kernel", 'k', false, kernel},
                {"import", 'b', false, import},
                {"device", 'v', false, rlxv_asm_device},
                {"module", 'm', false, rlxv_asm_module},
                {"launches", 0, false, rlxv_asm_launches},
                {"native", 0, false, native},
                {"meta", 0, false, metadata}};
    uint32_t row = 0, n_rows = sizeof rows / sizeof *rows, want = 0, got = 0;
    while (row < n_rows && !rlx_str_eq(directive, rlx_str_from(rows[row].name)))
        row++;
    *out_known = row < n_rows;
    if (!*out_known)
        return RLX_OK;
    rlxv_token where = a->token;
    bool named = rows[row].letter && rlxv_asm_index(a, rows[row].letter, &want);
    if (rows[row].equals && !named)
        return rlxv_asm_error(a, "expected an index, such as %c0", rows[row].letter);
    if (named)
        RLX_TRY(rlxv_asm_next(a));
    if (rows[row].equals)
        RLX_TRY(rlxv_asm_expect(a, "="));
    RLX_TRY(rows[row].parse(a, &got));
    return check_index(a, &where, named, want, got);
}
