/* The opcode table and the one decoder; every other reader of code goes through it or relies on
   the verifier having done so. */
#include "vm/exec.h"

static const rlx_opcode_info table[] = {
#define RLX_OP(number, NAME, name, operands, flags, doc) \
    {RLX_OP_##NAME, name, operands, doc, flags},
#include <rlx/opcodes.def>
};
#define TABLE_COUNT ((uint32_t)(sizeof table / sizeof *table))

static const uint8_t row_of[256] = {
#define RLX_OP(number, NAME, name, operands, flags, doc) [number] = 1,
#include <rlx/opcodes.def>
};

const rlx_opcode_info *rlx_opcode_table(uint32_t *out_count)
{
    if (out_count)
        *out_count = TABLE_COUNT;
    return table;
}

const rlx_opcode_info *rlx_opcode_find(uint32_t number)
{
    if (number > 255 || !row_of[number])
        return NULL;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        if ((uint32_t)table[i].op == number)
            return &table[i];
    return NULL;
}

const char *rlxv_decode(const uint32_t *code, uint32_t available, rlxv_instruction *out)
{
    uint32_t n = code[0] >> 16, at = 1;
    if ((code[0] >> 8 & 0xff) != 0)
        return "reserved bits are set";
    out->info = rlx_opcode_find(code[0] & 0xff);
    if (!out->info)
        return "unknown opcode";
    if (n == 0 || n > available)
        return "instruction leaves the function";
    out->n_words = n;
    out->n_operands = 0;
    for (const char *l = out->info->operands; *l; l++) {
        rlxv_operand *o = &out->operands[out->n_operands++];
        *o = (rlxv_operand){.letter = *l};
        if (at >= n)
            return "instruction is too short";
        o->value = code[at++];
        if (*l == 'R' || *l == 'S') {
            o->n = o->value;
            if (o->n > n - at)
                return "list leaves the instruction";
            o->items = code + at;
            at += o->n;
        }
    }
    return at == n ? NULL : "instruction is too long";
}
