/* The executable builder's functions: instructions, labels, places in the source.

   Operands are checked against the tables as they are at the moment; jumps are patched when the
   function ends. */
#include "vm/builder.h"
#include "vm/need.h"

#include <string.h>

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
}

#define INVALID(...) rlx_fail(err, RLX_E_INVALID_ARG, __VA_ARGS__)
#define GROW(array, capacity, count) \
    rlxv_grow(&b->allocator, (void **)&(array), &(capacity), (count), sizeof *(array))

/* --- functions ------------------------------------------------------------------------------- */

static rlxv_build_function *current(rlx_exec_builder *b)
{
    return b->current == RLX_NONE ? NULL : &b->functions[b->current];
}

static rlx_status not_open(rlx_error *err)
{
    return INVALID("no function is open: begin one first");
}

rlx_status rlx_exec_builder_declare(rlx_exec_builder *b, rlx_str name, bool exported, uint32_t *out,
                                    rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(name) && out);
    rlxv_build_function f = {.exported = exported};
    RLX_TRY(rlxv_build_string(b, name, &f.name, err));
    if (!GROW(b->functions, b->functions_capacity, b->n_functions))
        return no_memory(err);
    b->functions[b->n_functions] = f;
    *out = b->n_functions++;
    return RLX_OK;
}

static void use_register(rlxv_build_function *f, uint32_t r)
{
    f->n_registers = r + 1 > f->n_registers ? r + 1 : f->n_registers;
}

static void use_slots(rlxv_build_function *f, uint32_t n)
{
    f->n_slots = n > f->n_slots ? n : f->n_slots;
}

rlx_status rlx_exec_builder_begin(rlx_exec_builder *b, uint32_t function, const rlx_param *params,
                                  uint32_t n_params, uint32_t result_type, uint32_t n_symbols,
                                  rlx_error *err)
{
    RLXV_NEED(err, b && (params || n_params == 0));
    if (b->current != RLX_NONE)
        return INVALID("a function is begun inside another");
    if (function >= b->n_functions || b->functions[function].begun)
        return INVALID("function %u is not declared or begun twice", function);
    if (n_params > RLXV_MAX_REGISTERS || n_symbols > RLXV_MAX_SLOTS)
        return rlx_fail(err, RLX_E_LIMIT, "a function of %u parameters and %u symbols", n_params,
                        n_symbols);
    rlxv_build_function *f = &b->functions[function];
    if (result_type >= b->types.count)
        return INVALID("type %u does not exist", result_type);
    f->param_names = rlxv_arena_alloc(&b->arena, n_params, sizeof *f->param_names);
    f->param_types = rlxv_arena_alloc(&b->arena, n_params, sizeof *f->param_types);
    f->param_places = rlxv_arena_alloc(&b->arena, n_params, sizeof *f->param_places);
    if (!f->param_names || !f->param_types || !f->param_places)
        return no_memory(err);
    memset(f->param_places, 0, n_params * sizeof *f->param_places);
    f->n_slots = n_symbols;
    use_slots(f, b->type_slots[result_type]);
    for (uint32_t i = 0; i < n_params; i++) {
        RLX_TRY(rlxv_build_string(b, params[i].name, &f->param_names[i], err));
        f->param_types[i] = params[i].type;
        if (params[i].type >= b->types.count)
            return INVALID("type %u does not exist", params[i].type);
        use_slots(f, b->type_slots[params[i].type]);
    }
    f->result_type = result_type;
    f->n_params = f->n_registers = n_params;
    f->n_symbols = n_symbols;
    f->begun = true;
    b->current = function;
    b->n_labels = b->n_fixups = 0;
    b->location = (rlxv_build_debug){0};
    return RLX_OK;
}

rlx_status rlx_exec_builder_slot_name(rlx_exec_builder *b, uint32_t slot, rlx_str name,
                                      rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(name));
    rlxv_build_function *f = current(b);
    uint32_t text, at;
    if (!f)
        return not_open(err);
    if (slot >= RLXV_MAX_SLOTS)
        return rlx_fail(err, RLX_E_LIMIT, "slot %u", slot);
    RLX_TRY(rlxv_build_string(b, name, &text, err));
    if (!GROW(f->slot_names, f->slot_names_capacity, 2 * f->n_slot_names + 1))
        return no_memory(err);
    for (at = f->n_slot_names; at > 0 && f->slot_names[2 * at - 2] >= slot; at--)
        if (f->slot_names[2 * at - 2] == slot) {
            f->slot_names[2 * at - 1] = text;
            return RLX_OK;
        }
    memmove(f->slot_names + 2 * at + 2, f->slot_names + 2 * at,
            2 * (size_t)(f->n_slot_names - at) * sizeof *f->slot_names);
    f->slot_names[2 * at] = slot;
    f->slot_names[2 * at + 1] = text;
    f->n_slot_names++;
    use_slots(f, slot + 1);
    return RLX_OK;
}

rlx_status rlx_exec_builder_result_name(rlx_exec_builder *b, rlx_str name, rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(name));
    rlxv_build_function *f = current(b);
    if (!f)
        return not_open(err);
    if (!GROW(f->result_names, f->result_names_capacity, f->n_result_names))
        return no_memory(err);
    RLX_TRY(rlxv_build_string(b, name, &f->result_names[f->n_result_names], err));
    f->n_result_names++;
    return RLX_OK;
}

rlx_status rlx_exec_builder_location(rlx_exec_builder *b, rlx_str file, uint32_t line,
                                     uint32_t column, rlx_str binding, rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(file) && RLXV_IS_STR(binding));
    rlxv_build_debug d = {.line = line, .column = column};
    if (line) {
        RLX_TRY(rlxv_build_string(b, file, &d.file, err));
        RLX_TRY(rlxv_build_string(b, binding, &d.name, err));
    } else {
        RLX_TRY(rlxv_build_string(b, RLX_STR(""), &d.file, err));
        d.name = d.file;
        d.column = 0;
    }
    b->location = d;
    return RLX_OK;
}

rlx_status rlx_exec_builder_param_location(rlx_exec_builder *b, uint32_t param, rlx_str file,
                                           uint32_t line, uint32_t column, rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(file));
    rlxv_build_function *f = current(b);
    rlxv_build_debug d = {.line = line, .column = column};
    if (!f)
        return not_open(err);
    if (param >= f->n_params)
        return INVALID("parameter %u of %u", param, f->n_params);
    RLX_TRY(rlxv_build_string(b, file, &d.file, err));
    f->param_places[param] = d;
    return RLX_OK;
}

rlx_status rlx_exec_builder_label(rlx_exec_builder *b, uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && out);
    if (!current(b))
        return not_open(err);
    if (!GROW(b->labels, b->labels_capacity, b->n_labels))
        return no_memory(err);
    b->labels[b->n_labels] = RLX_NONE;
    *out = b->n_labels++;
    return RLX_OK;
}

rlx_status rlx_exec_builder_bind(rlx_exec_builder *b, uint32_t label, rlx_error *err)
{
    RLXV_NEED(err, b);
    rlxv_build_function *f = current(b);
    if (!f)
        return not_open(err);
    if (label >= b->n_labels || b->labels[label] != RLX_NONE)
        return INVALID("label %u does not exist or is bound twice", label);
    b->labels[label] = f->n_words;
    return RLX_OK;
}

/* Checks one operand and notes the largest register or slot used. */
static rlx_status check_operand(rlx_exec_builder *b, rlxv_build_function *f, char letter,
                                uint32_t v, rlx_error *err)
{
    uint32_t limit = 0;
    const char *what = "";
    switch (letter) {
    case 'd':
    case 'r':
    case 'k':
    case 'R':
        if (v >= RLXV_MAX_REGISTERS)
            return rlx_fail(err, RLX_E_LIMIT, "register %u", v);
        use_register(f, v);
        return RLX_OK;
    case 'w':
    case 's':
    case 'S':
        if (v >= RLXV_MAX_SLOTS)
            return rlx_fail(err, RLX_E_LIMIT, "slot %u", v);
        use_slots(f, v + 1);
        return RLX_OK;
    case 'e':
        limit = b->exprs.count, what = "expression";
        if (v < limit)
            use_slots(f, b->expr_slots[v]);
        break;
    case 't':
        limit = b->types.count, what = "type";
        if (v < limit)
            use_slots(f, b->type_slots[v]);
        break;
    case 'c':
    case 'n':
        limit = b->n_constants, what = "constant";
        break;
    case 'f':
        limit = b->n_kernels, what = "kernel";
        break;
    case 'b':
        limit = b->n_imports, what = "import";
        break;
    case 'g':
        limit = b->n_functions, what = "function";
        break;
    case 'j':
        limit = b->n_labels, what = "label";
        break;
    case 'z': /* the next one begins here */
        if (v == f->n_regions && v < RLXV_MAX_SLOTS)
            f->n_regions++;
        limit = f->n_regions, what = "region";
        break;
    case 'p':
        limit = f->n_tensors, what = "planned tensor";
        break;
    case 'u':
        limit = f->n_buffers, what = "buffer";
        break;
    case 'v':
        limit = b->n_devices + 1, what = "device";
        break;
    default: /* y and i: any word */
        return RLX_OK;
    }
    return v < limit ? RLX_OK : INVALID("%s %u does not exist", what, v);
}

static rlx_status add_debug(rlx_exec_builder *b, rlxv_build_function *f, rlx_error *err)
{
    const rlxv_build_debug *last = f->n_debug ? &f->debug[f->n_debug - 1] : NULL;
    rlxv_build_debug d = b->location;
    if (last ? last->line == d.line && last->column == d.column &&
                   (d.line == 0 || (last->file == d.file && last->name == d.name))
             : d.line == 0)
        return RLX_OK;
    if (!GROW(f->debug, f->debug_capacity, f->n_debug))
        return no_memory(err);
    d.pc = f->n_words;
    f->debug[f->n_debug++] = d;
    return RLX_OK;
}

rlx_status rlx_exec_builder_emit(rlx_exec_builder *b, rlx_opcode op, const uint32_t *operands,
                                 uint32_t n, rlx_error *err)
{
    RLXV_NEED(err, b && (operands || n == 0));
    rlxv_build_function *f = current(b);
    const rlx_opcode_info *info = rlx_opcode_find((uint32_t)op);
    uint32_t at = 0;
    if (!f)
        return not_open(err);
    if (!info)
        return INVALID("there is no opcode %d", (int)op);
    if (n >= RLXV_MAX_INSTRUCTION_WORDS || f->n_words > UINT32_MAX / 8)
        return rlx_fail(err, RLX_E_LIMIT, "%s with %u operands", info->name, n);
    if (!GROW(f->code, f->code_capacity, f->n_words + n + 1))
        return no_memory(err);
    RLX_TRY(add_debug(b, f, err));
    for (const char *l = info->operands; *l; l++) {
        uint32_t count = 1;
        if (at < n && (*l == 'R' || *l == 'S'))
            count = operands[at++];
        else if (at >= n)
            return INVALID("%s: too few operands", info->name);
        if (count > n - at)
            return INVALID("%s: too few operands", info->name);
        for (; count > 0; count--, at++) {
            RLX_TRY(check_operand(b, f, *l, operands[at], err));
            if (*l == 'j') {
                if (!GROW(b->fixups, b->fixups_capacity, b->n_fixups))
                    return no_memory(err);
                b->fixups[b->n_fixups++] = f->n_words + 1 + at;
            }
        }
    }
    if (at != n)
        return INVALID("%s: too many operands", info->name);
    f->code[f->n_words] = (uint32_t)op | (n + 1) << 16;
    if (n)
        memcpy(f->code + f->n_words + 1, operands, n * sizeof *operands);
    f->n_words += n + 1;
    return RLX_OK;
}

/* Emits |head| words, then the lists |first| (may be NULL) and |second|, each with its count. */
static rlx_status emit_lists(rlx_exec_builder *b, rlx_opcode op, const uint32_t *head,
                             uint32_t n_head, const uint32_t *first, uint32_t n_first,
                             const uint32_t *second, uint32_t n_second, rlx_error *err)
{
    uint32_t local[128], *words = local;
    size_t n = (size_t)n_head + n_first + n_second + 2, bytes = n * sizeof *words;
    if (n > RLXV_MAX_INSTRUCTION_WORDS)
        return rlx_fail(err, RLX_E_LIMIT, "an instruction with %zu operands", n);
    if (n > 128 && !(words = rlx_alloc(&b->allocator, bytes, 16)))
        return no_memory(err);
    uint32_t at = 0;
    while (at < n_head) {
        words[at] = head[at];
        at++;
    }
    if (first) {
        words[at++] = n_first;
        for (uint32_t i = 0; i < n_first; i++)
            words[at++] = first[i];
    }
    words[at++] = n_second;
    for (uint32_t i = 0; i < n_second; i++)
        words[at++] = second[i];
    rlx_status status = rlx_exec_builder_emit(b, op, words, at, err);
    if (words != local)
        rlx_free(&b->allocator, words, bytes, 16);
    return status;
}

rlx_status rlx_exec_builder_call_kernel(rlx_exec_builder *b, uint32_t kernel, const uint32_t *dims,
                                        uint32_t n_dims, const uint32_t *buffers,
                                        uint32_t n_buffers, rlx_error *err)
{
    RLXV_NEED(err, b && (dims || n_dims == 0) && (buffers || n_buffers == 0));
    static const uint32_t none[1];
    return emit_lists(b, RLX_OP_CALL_KERNEL, &kernel, 1, n_dims ? dims : none, n_dims, buffers,
                      n_buffers, err);
}

rlx_status rlx_exec_builder_call(rlx_exec_builder *b, rlx_opcode op, uint32_t dst, uint32_t callee,
                                 const uint32_t *args, uint32_t n_args, rlx_error *err)
{
    RLXV_NEED(err, b && (args || n_args == 0));
    uint32_t head[2] = {dst, callee};
    return emit_lists(b, op, head, 2, NULL, 0, args, n_args, err);
}

rlx_status rlx_exec_builder_end(rlx_exec_builder *b, rlx_error *err)
{
    RLXV_NEED(err, b);
    rlxv_build_function *f = current(b);
    if (!f)
        return not_open(err);
    for (uint32_t i = 0; i < b->n_fixups; i++) {
        uint32_t pc = b->labels[f->code[b->fixups[i]]];
        if (pc == RLX_NONE)
            return INVALID("a jump goes to a label that is never bound");
        f->code[b->fixups[i]] = pc;
    }
    RLX_TRY(rlxv_build_finish_plan(b, f, err));
    f->ended = true;
    b->current = RLX_NONE;
    return RLX_OK;
}
