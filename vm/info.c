/* The getters of executables. */
#include "vm/exec.h"
#include "vm/file.h"
#include "vm/need.h"

#include <stdio.h>

_Static_assert(RLX_MAX_OPERANDS >= RLXV_MAX_OPERANDS, "a public instruction holds every operand");

uint32_t rlx_executable_function_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_functions;
}

bool rlx_executable_function(const rlx_executable *exe, uint32_t f, rlx_function_info *out)
{
    if (!exe || !out)
        return false;
    if (f >= exe->n_functions)
        return false;
    const rlxv_function *fn = &exe->functions[f];
    *out = (rlx_function_info){fn->name,    fn->exported,  fn->n_params,    fn->n_registers,
                               fn->n_slots, fn->n_symbols, fn->result_type, fn->n_words};
    return true;
}

uint32_t rlx_executable_find_function(const rlx_executable *exe, rlx_str name)
{
    if (!exe || !RLXV_IS_STR(name))
        return RLX_NONE;
    uint32_t mask = exe->function_hash_size - 1;
    uint32_t h = (uint32_t)rlxv_checksum(name.data, name.len) & mask;
    for (; exe->function_hash[h]; h = (h + 1) & mask)
        if (rlx_str_eq(exe->functions[exe->function_hash[h] - 1].name, name))
            return exe->function_hash[h] - 1;
    return RLX_NONE;
}

rlx_str rlx_function_param_name(const rlx_executable *exe, uint32_t f, uint32_t param)
{
    if (!exe)
        return (rlx_str){"", 0};
    if (f >= exe->n_functions || param >= exe->functions[f].n_params)
        return RLX_STR("");
    return exe->functions[f].params[param].name;
}

uint32_t rlx_function_param_type(const rlx_executable *exe, uint32_t f, uint32_t param)
{
    if (!exe)
        return RLX_NONE;
    if (f >= exe->n_functions || param >= exe->functions[f].n_params)
        return RLX_NONE;
    return exe->functions[f].params[param].type;
}

uint32_t rlxv_n_results(const rlx_executable *exe, const rlxv_function *fn)
{
    const rlxv_type *t = &exe->types[fn->result_type];
    return t->kind == RLX_TYPE_TUPLE ? t->n_children : 1;
}

uint32_t rlx_function_result_count(const rlx_executable *exe, uint32_t f)
{
    if (!exe)
        return 0;
    return f < exe->n_functions ? rlxv_n_results(exe, &exe->functions[f]) : 0;
}

rlx_str rlx_function_result_name(const rlx_executable *exe, uint32_t f, uint32_t result)
{
    if (!exe)
        return (rlx_str){"", 0};
    if (result >= rlx_function_result_count(exe, f) || !exe->functions[f].result_names)
        return RLX_STR("");
    return exe->functions[f].result_names[result];
}

rlx_str rlx_function_dim_name(const rlx_executable *exe, uint32_t f, uint32_t slot)
{
    if (!exe)
        return (rlx_str){"", 0};
    const rlxv_function *fn = f < exe->n_functions ? &exe->functions[f] : NULL;
    for (uint32_t i = 0; fn && i < fn->n_slot_names; i++)
        if (fn->slot_names[i].slot == slot)
            return fn->slot_names[i].name;
    return RLX_STR("");
}

bool rlx_function_location(const rlx_executable *exe, uint32_t f, uint32_t pc, rlx_location *out,
                           rlx_str *out_name)
{
    if (!exe || !out)
        return false;
    const rlxv_debug_row *row = f < exe->n_functions && pc < exe->functions[f].n_words
                                    ? rlxv_debug_at(&exe->functions[f], pc)
                                    : NULL;
    if (!row)
        return false;
    snprintf(out->file, sizeof out->file, "%.*s", (int)row->file.len, row->file.data);
    out->line = row->line;
    out->column = row->column;
    if (out_name)
        *out_name = row->name;
    return true;
}

bool rlx_function_instruction(const rlx_executable *exe, uint32_t f, uint32_t pc,
                              rlx_instruction *out)
{
    if (!exe || !out)
        return false;
    rlxv_instruction in;
    if (f >= exe->n_functions || pc >= exe->functions[f].n_words ||
        rlxv_decode(exe->functions[f].code + pc, exe->functions[f].n_words - pc, &in))
        return false;
    *out = (rlx_instruction){.op = in.info->op, .n_words = in.n_words, .n_operands = in.n_operands};
    for (uint32_t i = 0; i < in.n_operands; i++)
        out->operands[i] = (rlx_operand){in.operands[i].letter, in.operands[i].value,
                                         in.operands[i].items, in.operands[i].n};
    return true;
}

uint32_t rlx_executable_type_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_types;
}

bool rlx_executable_type(const rlx_executable *exe, uint32_t type, rlx_type_info *out)
{
    if (!exe || !out)
        return false;
    if (type >= exe->n_types)
        return false;
    const rlxv_type *t = &exe->types[type];
    *out = (rlx_type_info){t->kind,     t->dtype,      t->rank_known, t->n_dims,
                           t->raw_dims, t->n_children, t->children};
    return true;
}

uint32_t rlx_executable_expr_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_exprs;
}

bool rlx_executable_expr(const rlx_executable *exe, uint32_t expr, rlx_expr_info *out)
{
    if (!exe || !out)
        return false;
    if (expr >= exe->n_exprs)
        return false;
    const rlxv_expr *x = &exe->exprs[expr];
    *out = (rlx_expr_info){x->op, x->value, x->a, x->b, x->c};
    return true;
}

uint32_t rlx_executable_kernel_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_kernels;
}

bool rlx_executable_kernel(const rlx_executable *exe, uint32_t k, rlx_kernel_info *out)
{
    if (!exe || !out)
        return false;
    if (k >= exe->n_kernels)
        return false;
    const rlxv_kernel *x = &exe->kernels[k];
    *out = (rlx_kernel_info){x->name,       x->symbol, x->n_dims,    x->n_params,
                             x->fn != NULL, x->module, x->n_scratch, x->n_launches};
    return true;
}

bool rlx_executable_kernel_param(const rlx_executable *exe, uint32_t k, uint32_t param,
                                 uint32_t *out_type, bool *out_is_output)
{
    if (!exe || !out_type || !out_is_output)
        return false;
    if (k >= exe->n_kernels || param >= exe->kernels[k].n_params)
        return false;
    *out_type = exe->kernels[k].params[param].type;
    *out_is_output = exe->kernels[k].params[param].is_output;
    return true;
}

bool rlx_executable_native(const rlx_executable *exe, rlx_str *out_triple, uint32_t *out_n_features,
                           const void **out_elf, size_t *out_size)
{
    if (!exe || !out_triple || !out_n_features || !out_elf || !out_size)
        return false;
    if (!exe->native.present)
        return false;
    *out_triple = exe->native.triple;
    *out_n_features = exe->native.n_features;
    *out_elf = exe->native.elf;
    *out_size = exe->native.size;
    return true;
}

rlx_str rlx_executable_native_feature(const rlx_executable *exe, uint32_t i)
{
    if (!exe)
        return (rlx_str){"", 0};
    return i < exe->native.n_features ? exe->native.features[i] : RLX_STR("");
}

uint32_t rlx_executable_constant_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_constants;
}

rlx_value rlx_executable_constant(const rlx_executable *exe, uint32_t c)
{
    if (!exe)
        return rlx_none();
    return c < exe->n_constants ? exe->constants[c].value : rlx_none();
}

uint32_t rlx_executable_import_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_imports;
}

rlx_str rlx_executable_import(const rlx_executable *exe, uint32_t i)
{
    if (!exe)
        return (rlx_str){"", 0};
    return i < exe->n_imports ? exe->imports[i] : RLX_STR("");
}

uint32_t rlx_executable_metadata_count(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->n_metadata;
}

bool rlx_executable_metadata(const rlx_executable *exe, uint32_t i, rlx_str *out_key,
                             rlx_str *out_value)
{
    if (!exe || !out_key || !out_value)
        return false;
    if (i >= exe->n_metadata)
        return false;
    *out_key = exe->metadata[2 * i];
    *out_value = exe->metadata[2 * i + 1];
    return true;
}
