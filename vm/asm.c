/* The assembler: functions, instruction by instruction, from the letters of the opcode rows.

   All functions are declared before the first is assembled, so that calls may go forward. Labels
   are names of their function. The result is a file image that is not verified yet. */
#include "vm/asm_text.h"
#include "vm/need.h"

#include "vm/builder.h"

#include <rlx/asm.h>
#include <string.h>

typedef struct label {
    rlx_str name;
    uint32_t index;
} label;

typedef struct function_text {
    label *labels;
    uint32_t n_labels, labels_capacity;
    uint32_t *words;
    uint32_t n_words, words_capacity;
} function_text;

static rlx_status no_memory(rlxv_asm *a)
{
    return rlx_fail(a->err, RLX_E_NOMEM, "out of memory in the assembler");
}

/* Makes |where| the place of the builder's error. */
static rlx_status built(rlxv_asm *a, const rlxv_token *where, rlx_status status)
{
    if (status != RLX_OK)
        a->token = *where;
    return rlxv_asm_built(a, status);
}

static rlx_status label_of(rlxv_asm *a, function_text *f, rlx_str name, uint32_t *out)
{
    for (uint32_t i = f->n_labels; i-- > 0;) {
        if (rlx_str_eq(f->labels[i].name, name)) {
            *out = f->labels[i].index;
            return RLX_OK;
        }
    }
    if (!rlxv_grow(&a->arena.allocator, (void **)&f->labels, &f->labels_capacity, f->n_labels,
                   sizeof *f->labels))
        return no_memory(a);
    RLX_TRY(rlx_exec_builder_label(a->builder, out, a->err));
    f->labels[f->n_labels++] = (label){name, *out};
    return RLX_OK;
}

static rlx_status add_word(rlxv_asm *a, function_text *f, uint32_t word)
{
    if (!rlxv_grow(&a->arena.allocator, (void **)&f->words, &f->words_capacity, f->n_words,
                   sizeof *f->words))
        return no_memory(a);
    f->words[f->n_words++] = word;
    return RLX_OK;
}

/* A bare or quoted name. */
static rlx_status name(rlxv_asm *a, rlx_str *out)
{
    if (a->token.kind == RLXV_TOKEN_STRING)
        return rlxv_asm_string(a, out);
    if (a->token.kind != RLXV_TOKEN_NAME)
        return rlxv_asm_error(a, "expected a name");
    *out = a->token.text;
    return rlxv_asm_next(a);
}

/* @name of a function or kernel. */
static rlx_status at_name(rlxv_asm *a, bool kernel, uint32_t *out)
{
    const rlx_exec_builder *b = a->builder;
    rlxv_token where = a->token;
    rlx_str text;
    RLX_TRY(rlxv_asm_expect(a, "@"));
    RLX_TRY(name(a, &text));
    uint32_t n = kernel ? b->n_kernels : b->n_functions;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = kernel ? b->kernels[i].name : b->functions[i].name;
        if (rlx_str_eq(b->strings[s], text)) {
            *out = i;
            return RLX_OK;
        }
    }
    a->token = where;
    return rlxv_asm_error(a, "unknown %s '%.*s'", kernel ? "kernel" : "function", (int)text.len,
                          text.data);
}

static rlx_status single_operand(rlxv_asm *a, function_text *f, char letter, uint32_t *out)
{
    rlx_dtype dtype;
    rlx_str text;
    rlxv_token where = a->token;
    switch (letter) {
    case 'd':
    case 'r':
    case 'k':
    case 'R':
        return rlxv_asm_expect_index(a, 'r', "a register", out);
    case 'w':
    case 's':
    case 'S':
        return rlxv_asm_expect_index(a, 's', "a slot", out);
    case 'e':
        return rlxv_asm_expr(a, out);
    case 't':
        return rlxv_asm_type(a, out);
    case 'y':
        RLX_TRY(rlxv_asm_dtype(a, &dtype));
        *out = rlx_dtype_word(dtype);
        return RLX_OK;
    case 'c':
    case 'n':
        return rlxv_asm_constant(a, out);
    case 'f':
        return rlxv_asm_is(a, "@") ? at_name(a, true, out)
                                   : rlxv_asm_expect_index(a, 'k', "a kernel", out);
    case 'b':
        if (a->token.kind != RLXV_TOKEN_STRING)
            return rlxv_asm_expect_index(a, 'b', "an import", out);
        RLX_TRY(rlxv_asm_string(a, &text));
        return built(a, &where, rlx_exec_builder_import(a->builder, text, out, a->err));
    case 'g':
        return at_name(a, false, out);
    case 'z':
        return rlxv_asm_expect_index(a, 'z', "a region", out);
    case 'p':
        return rlxv_asm_expect_index(a, 'p', "a planned tensor", out);
    case 'u':
        return rlxv_asm_expect_index(a, 'u', "a buffer", out);
    case 'v':
        return rlxv_asm_expect_index(a, 'v', "a device", out);
    case 'j':
        RLX_TRY(name(a, &text));
        return label_of(a, f, text, out);
    default: /* i */
        return rlxv_asm_u32(a, out);
    }
}

static rlx_status list_operand(rlxv_asm *a, function_text *f, char letter)
{
    uint32_t count_at = f->n_words, v;
    RLX_TRY(add_word(a, f, 0));
    RLX_TRY(rlxv_asm_expect(a, "["));
    while (!rlxv_asm_is(a, "]")) {
        if (f->words[count_at])
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(single_operand(a, f, letter, &v));
        RLX_TRY(add_word(a, f, v));
        f->words[count_at]++;
    }
    return rlxv_asm_next(a);
}

static rlx_status instruction(rlxv_asm *a, function_text *f)
{
    uint32_t n, v;
    const rlx_opcode_info *rows = rlx_opcode_table(&n), *info = NULL;
    rlxv_token where = a->token;
    for (uint32_t i = 0; i < n && !info; i++)
        if (rlxv_asm_is(a, rows[i].name))
            info = &rows[i];
    if (!info)
        return rlxv_asm_error(a, "unknown instruction '%.*s'", (int)a->token.text.len,
                              a->token.text.data);
    RLX_TRY(rlxv_asm_next(a));
    f->n_words = 0;
    for (const char *l = info->operands; *l; l++) {
        if (l != info->operands)
            RLX_TRY(rlxv_asm_expect(a, ","));
        if (*l == 'R' || *l == 'S') {
            RLX_TRY(list_operand(a, f, *l));
        } else {
            RLX_TRY(single_operand(a, f, *l, &v));
            RLX_TRY(add_word(a, f, v));
        }
    }
    return built(a, &where,
                 rlx_exec_builder_emit(a->builder, info->op, f->words, f->n_words, a->err));
}

static rlx_status wrong_number(rlxv_asm *a, const rlxv_token *where, char letter, uint32_t given,
                               uint32_t number)
{
    if (given == number)
        return RLX_OK;
    a->token = *where;
    return rlxv_asm_error(a, "expected index %c%u, got %c%u", letter, number, letter, given);
}

/* "u0 z0 size first last", and "@ offset" where it is stated. */
static rlx_status buffer_directive(rlxv_asm *a)
{
    rlxv_token where = a->token;
    rlx_plan_buffer row = {.offset = RLX_PLAN_AT_RUN_TIME};
    uint32_t given, number;
    int64_t offset;
    bool stated;
    RLX_TRY(rlxv_asm_expect_index(a, 'u', "a buffer", &given));
    RLX_TRY(rlxv_asm_expect_index(a, 'z', "a region", &row.region));
    RLX_TRY(rlxv_asm_expr(a, &row.size));
    RLX_TRY(rlxv_asm_u32(a, &row.first));
    RLX_TRY(rlxv_asm_u32(a, &row.last));
    RLX_TRY(rlxv_asm_accept(a, "@", &stated));
    if (stated) {
        RLX_TRY(rlxv_asm_int(a, &offset));
        row.offset = (uint64_t)offset;
    }
    RLX_TRY(built(a, &where, rlx_exec_builder_stated_buffer(a->builder, &row, &number, a->err)));
    return wrong_number(a, &where, 'u', given, number);
}

/* "p0 u0 type". */
static rlx_status tensor_directive(rlxv_asm *a)
{
    rlxv_token where = a->token;
    uint32_t given, buffer, type, number;
    RLX_TRY(rlxv_asm_expect_index(a, 'p', "a planned tensor", &given));
    RLX_TRY(rlxv_asm_expect_index(a, 'u', "a buffer", &buffer));
    RLX_TRY(rlxv_asm_type(a, &type));
    RLX_TRY(
        built(a, &where, rlx_exec_builder_plan_tensor(a->builder, buffer, type, &number, a->err)));
    return wrong_number(a, &where, 'p', given, number);
}

/* "z0 v1". */
static rlx_status region_directive(rlxv_asm *a)
{
    rlxv_token where = a->token;
    uint32_t region, device;
    RLX_TRY(rlxv_asm_expect_index(a, 'z', "a region", &region));
    RLX_TRY(rlxv_asm_expect_index(a, 'v', "a device", &device));
    return built(a, &where, rlx_exec_builder_region_device(a->builder, region, device, a->err));
}

/* ".at "file" line column "binding"" or ".at none"; ".slot s0 "n""; ".param 0 "file" line column";
   ".results "y", "z""; ".buffer", ".tensor" and ".region". */
static rlx_status body_directive(rlxv_asm *a)
{
    rlx_str file, binding;
    uint32_t line, column, slot, param;
    bool yes;
    rlxv_token where = a->token;
    RLX_TRY(rlxv_asm_accept(a, ".slot", &yes));
    if (yes) {
        RLX_TRY(rlxv_asm_expect_index(a, 's', "a slot", &slot));
        RLX_TRY(rlxv_asm_string(a, &file));
        return built(a, &where, rlx_exec_builder_slot_name(a->builder, slot, file, a->err));
    }
    RLX_TRY(rlxv_asm_accept(a, ".param", &yes));
    if (yes) {
        RLX_TRY(rlxv_asm_u32(a, &param));
        RLX_TRY(rlxv_asm_string(a, &file));
        RLX_TRY(rlxv_asm_u32(a, &line));
        RLX_TRY(rlxv_asm_u32(a, &column));
        return built(
            a, &where,
            rlx_exec_builder_param_location(a->builder, param, file, line, column, a->err));
    }
    RLX_TRY(rlxv_asm_accept(a, ".results", &yes));
    while (yes) {
        RLX_TRY(rlxv_asm_string(a, &file));
        RLX_TRY(built(a, &where, rlx_exec_builder_result_name(a->builder, file, a->err)));
        RLX_TRY(rlxv_asm_accept(a, ",", &yes));
        if (!yes)
            return RLX_OK;
    }
    RLX_TRY(rlxv_asm_accept(a, ".buffer", &yes));
    if (yes)
        return buffer_directive(a);
    RLX_TRY(rlxv_asm_accept(a, ".tensor", &yes));
    if (yes)
        return tensor_directive(a);
    RLX_TRY(rlxv_asm_accept(a, ".region", &yes));
    if (yes)
        return region_directive(a);
    RLX_TRY(rlxv_asm_expect(a, ".at"));
    RLX_TRY(rlxv_asm_accept(a, "none", &yes));
    if (yes)
        return rlx_exec_builder_location(a->builder, RLX_STR(""), 0, 0, RLX_STR(""), a->err);
    RLX_TRY(rlxv_asm_string(a, &file));
    RLX_TRY(rlxv_asm_u32(a, &line));
    RLX_TRY(rlxv_asm_u32(a, &column));
    RLX_TRY(rlxv_asm_string(a, &binding));
    return rlx_exec_builder_location(a->builder, file, line, column, binding, a->err);
}

static rlx_status body(rlxv_asm *a, function_text *f)
{
    RLX_TRY(rlxv_asm_expect(a, "{"));
    while (!rlxv_asm_is(a, "}")) {
        if (a->token.kind != RLXV_TOKEN_NAME)
            return rlxv_asm_error(a, "expected an instruction, a label or '}'");
        if (a->token.text.data[0] == '.') {
            RLX_TRY(body_directive(a));
            continue;
        }
        /* A label is a name immediately followed by ':'. */
        if (a->at < a->text.len && a->text.data[a->at] == ':') {
            rlxv_token where = a->token;
            uint32_t l;
            RLX_TRY(label_of(a, f, a->token.text, &l));
            RLX_TRY(built(a, &where, rlx_exec_builder_bind(a->builder, l, a->err)));
            RLX_TRY(rlxv_asm_next(a));
            RLX_TRY(rlxv_asm_next(a));
            continue;
        }
        RLX_TRY(instruction(a, f));
    }
    return RLX_OK;
}

/* [private] name (name: type, ...) -> type symbols N { ... } */
static rlx_status function(rlxv_asm *a, function_text *f, uint32_t index)
{
    rlx_param *params = NULL;
    uint32_t n = 0, capacity = 0, result, n_symbols = 0;
    rlxv_token where = a->token;
    rlx_str ignored;
    bool yes;
    rlx_status status = RLX_OK;
    f->n_labels = 0;
    RLX_TRY(rlxv_asm_accept(a, "private", &yes));
    RLX_TRY(name(a, &ignored));
    RLX_TRY(rlxv_asm_expect(a, "("));
    while (status == RLX_OK && !rlxv_asm_is(a, ")")) {
        if (n)
            status = rlxv_asm_expect(a, ",");
        if (status == RLX_OK &&
            !rlxv_grow(&a->arena.allocator, (void **)&params, &capacity, n, sizeof *params))
            status = no_memory(a);
        if (status == RLX_OK)
            status = name(a, &params[n].name);
        if (status == RLX_OK)
            status = rlxv_asm_expect(a, ":");
        if (status == RLX_OK)
            status = rlxv_asm_type(a, &params[n++].type);
    }
    if (status == RLX_OK)
        status = rlxv_asm_next(a);
    if (status == RLX_OK)
        status = rlxv_asm_expect(a, "->");
    if (status == RLX_OK)
        status = rlxv_asm_type(a, &result);
    if (status == RLX_OK)
        status = rlxv_asm_accept(a, "symbols", &yes);
    if (status == RLX_OK && yes)
        status = rlxv_asm_u32(a, &n_symbols);
    if (status == RLX_OK)
        status =
            built(a, &where,
                  rlx_exec_builder_begin(a->builder, index, params, n, result, n_symbols, a->err));
    rlx_free(&a->arena.allocator, params, capacity * sizeof *params, 16);
    RLX_TRY(status);
    RLX_TRY(body(a, f));
    RLX_TRY(built(a, &where, rlx_exec_builder_end(a->builder, a->err)));
    return rlxv_asm_next(a);
}

/* Declares every ".func" of the text, in order. */
static rlx_status declare_functions(rlxv_asm *a)
{
    for (;;) {
        bool found, is_private;
        uint32_t index;
        rlx_str text;
        RLX_TRY(rlxv_asm_next(a));
        while (rlxv_asm_is(a, ".func")) {
            RLX_TRY(rlxv_asm_accept(a, ".func", &found));
            RLX_TRY(rlxv_asm_accept(a, "private", &is_private));
            RLX_TRY(name(a, &text));
            RLX_TRY(rlx_exec_builder_declare(a->builder, text, !is_private, &index, a->err));
        }
        if (a->token.kind == RLXV_TOKEN_END)
            return RLX_OK;
    }
}

static rlx_status assemble(rlxv_asm *a, function_text *f)
{
    uint32_t index = 0;
    RLX_TRY(declare_functions(a));
    a->at = a->line_start = 0;
    a->line = 1;
    RLX_TRY(rlxv_asm_next(a));
    while (a->token.kind != RLXV_TOKEN_END) {
        rlx_str word = a->token.text;
        bool known = false;
        if (a->token.kind != RLXV_TOKEN_NAME || word.data[0] != '.')
            return rlxv_asm_error(a, "expected a directive, such as .func");
        rlxv_token where = a->token;
        RLX_TRY(rlxv_asm_next(a));
        if (rlx_str_eq(word, RLX_STR(".func"))) {
            RLX_TRY(function(a, f, index++));
            continue;
        }
        RLX_TRY(rlxv_asm_table(a, (rlx_str){word.data + 1, word.len - 1}, &known));
        if (!known) {
            a->token = where;
            return rlxv_asm_error(a, "unknown directive '%.*s'", (int)word.len, word.data);
        }
    }
    return RLX_OK;
}

rlx_status rlx_assemble(const rlx_allocator *allocator, rlx_str file, rlx_str text, void **out_data,
                        size_t *out_size, rlx_error *err)
{
    RLXV_NEED(err, RLXV_IS_STR(file) && RLXV_IS_STR(text) && out_data && out_size);
    rlxv_asm a = {.file = file, .text = text, .line = 1, .err = err};
    function_text f = {0};
    RLX_TRY(rlx_exec_builder_create(allocator, &a.builder, err));
    rlxv_arena_init(&a.arena, allocator);
    rlx_status status = assemble(&a, &f);
    if (status == RLX_OK)
        status = rlx_exec_builder_finish(a.builder, out_data, out_size, err);
    rlx_free(&a.arena.allocator, f.labels, f.labels_capacity * sizeof *f.labels, 16);
    rlx_free(&a.arena.allocator, f.words, f.words_capacity * sizeof *f.words, 16);
    rlx_exec_builder_destroy(a.builder);
    rlxv_arena_deinit(&a.arena);
    return status;
}
