/* Builds equal integer instructions only once: index arithmetic repeats for every element of an
 * unrolled tile, and every instruction costs time in each LLVM pass. An operation with a neutral
 * operand becomes the other operand; one that already exists in the block, or in a dominating
 * block, becomes that value. Results do not depend on addresses: the table is only looked up, never
 * iterated. */
#include "compiler/codegen/llvm.h"

#include "compiler/base/hash.h"

enum {
    SELECT = RLXC_LLVM_OP_COUNT,
    ADDRESS,
    ANY_ADDRESS,
    COMPARE,        /* + predicate */
    MOST_ALIKE = 4, /* limit of equal operations in other blocks that are tried */
    MOST_UP = 16    /* limit of dominating blocks that are searched */
};

typedef struct operation {
    uint64_t op;
    void *a, *b, *c;
} operation;

typedef struct built {
    operation is;
    LLVMBasicBlockRef block;
    LLVMValueRef value;
    struct built *next; /* with the same hash, the newest first */
} built;

void rlxc_llvm_forget_built(rlxc_llvm *g)
{
    g->built = g->runs_after = (rlxc_map){0};
}

void rlxc_llvm_runs_after(rlxc_llvm *g, LLVMBasicBlockRef block, LLVMBasicBlockRef first)
{
    rlxc_map_set(g->ctx, &g->runs_after, rlxc_key(block), first);
}

static bool is_above(const rlxc_llvm *g, LLVMBasicBlockRef above, LLVMBasicBlockRef block)
{
    for (int i = 0; i < MOST_UP && block && block != above; i++)
        block = rlxc_map_get(&g->runs_after, rlxc_key(block));
    return block == above;
}

static uint64_t key_of(const operation *is)
{
    return rlxc_hash64_bytes(RLXC_HASH_START, is, sizeof *is) | 1;
}

static LLVMValueRef find(const rlxc_llvm *g, const operation *is)
{
    const LLVMBasicBlockRef block = LLVMGetInsertBlock(g->b);
    int alike = 0;
    for (const built *k = rlxc_map_get(&g->built, key_of(is)); k && alike < MOST_ALIKE;
         k = k->next) {
        if (k->is.op != is->op || k->is.a != is->a || k->is.b != is->b || k->is.c != is->c)
            continue;
        if (is_above(g, k->block, block))
            return k->value;
        alike++;
    }
    return NULL;
}

static LLVMValueRef keep(rlxc_llvm *g, const operation *is, LLVMValueRef value)
{
    const uint64_t key = key_of(is);
    built *k = rlxc_alloc(g->ctx, sizeof *k);
    *k = (built){*is, LLVMGetInsertBlock(g->b), value, rlxc_map_get(&g->built, key)};
    rlxc_map_set(g->ctx, &g->built, key, k);
    return value;
}

static bool is_int(LLVMValueRef v, uint64_t value)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == value;
}

/* The result if an operand is neutral or determines it; else NULL. */
static LLVMValueRef known(rlxc_llvm_op op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case RLXC_LLVM_ADD:
    case RLXC_LLVM_NSW_ADD:
        return is_int(a, 0) ? b : is_int(b, 0) ? a : NULL;
    case RLXC_LLVM_SUB:
    case RLXC_LLVM_NSW_SUB:
        return is_int(b, 0) ? a : NULL;
    case RLXC_LLVM_MUL:
    case RLXC_LLVM_NSW_MUL:
        return is_int(a, 1) || is_int(b, 0) ? b : is_int(b, 1) || is_int(a, 0) ? a : NULL;
    case RLXC_LLVM_SDIV:
    case RLXC_LLVM_UDIV:
        return is_int(b, 1) ? a : NULL;
    case RLXC_LLVM_SREM:
    case RLXC_LLVM_UREM:
        return is_int(b, 1) ? LLVMConstNull(LLVMTypeOf(a)) : NULL;
    case RLXC_LLVM_AND:
        return a == b || is_int(a, 0) ? a : is_int(b, 0) ? b : NULL;
    case RLXC_LLVM_OR:
        return a == b || is_int(b, 0) ? a : is_int(a, 0) ? b : NULL;
    case RLXC_LLVM_XOR:
        return is_int(b, 0) ? a : is_int(a, 0) ? b : NULL;
    case RLXC_LLVM_OP_COUNT:
        break;
    }
    return NULL;
}

static LLVMValueRef build(LLVMBuilderRef b, rlxc_llvm_op op, LLVMValueRef x, LLVMValueRef y)
{
    static const LLVMOpcode opcodes[RLXC_LLVM_OP_COUNT] = {
        [RLXC_LLVM_ADD] = LLVMAdd,     [RLXC_LLVM_NSW_ADD] = LLVMAdd, [RLXC_LLVM_SUB] = LLVMSub,
        [RLXC_LLVM_NSW_SUB] = LLVMSub, [RLXC_LLVM_MUL] = LLVMMul,     [RLXC_LLVM_NSW_MUL] = LLVMMul,
        [RLXC_LLVM_SDIV] = LLVMSDiv,   [RLXC_LLVM_SREM] = LLVMSRem,   [RLXC_LLVM_UDIV] = LLVMUDiv,
        [RLXC_LLVM_UREM] = LLVMURem,   [RLXC_LLVM_AND] = LLVMAnd,     [RLXC_LLVM_OR] = LLVMOr,
        [RLXC_LLVM_XOR] = LLVMXor};
    return op == RLXC_LLVM_NSW_ADD   ? LLVMBuildNSWAdd(b, x, y, "")
           : op == RLXC_LLVM_NSW_SUB ? LLVMBuildNSWSub(b, x, y, "")
           : op == RLXC_LLVM_NSW_MUL ? LLVMBuildNSWMul(b, x, y, "")
                                     : LLVMBuildBinOp(b, opcodes[op], x, y, "");
}

LLVMValueRef rlxc_llvm_integer(rlxc_llvm *g, rlxc_llvm_op op, LLVMValueRef a, LLVMValueRef b)
{
    const operation is = {op, a, b, NULL};
    LLVMValueRef value = known(op, a, b);
    value = value ? value : find(g, &is);
    return value ? value : keep(g, &is, build(g->b, op, a, b));
}

LLVMValueRef rlxc_llvm_compare(rlxc_llvm *g, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    const operation is = {COMPARE + (uint64_t)p, a, b, NULL};
    LLVMValueRef value = find(g, &is);
    return value ? value : keep(g, &is, LLVMBuildICmp(g->b, p, a, b, ""));
}

LLVMValueRef rlxc_llvm_select(rlxc_llvm *g, LLVMValueRef cond, LLVMValueRef yes, LLVMValueRef no)
{
    const operation is = {SELECT, cond, yes, no};
    if (yes == no || is_int(cond, 1))
        return yes;
    if (is_int(cond, 0))
        return no;
    LLVMValueRef value = find(g, &is);
    return value ? value : keep(g, &is, LLVMBuildSelect(g->b, cond, yes, no, ""));
}

LLVMValueRef rlxc_llvm_at(rlxc_llvm *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef offset)
{
    const operation is = {ADDRESS, type, base, offset};
    LLVMValueRef value = find(g, &is);
    if (value)
        return value;
    return keep(g, &is, LLVMBuildInBoundsGEP2(g->b, type, base, &offset, 1, ""));
}

LLVMValueRef rlxc_llvm_near(rlxc_llvm *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef offset)
{
    const operation is = {ANY_ADDRESS, type, base, offset};
    LLVMValueRef value = find(g, &is);
    return value ? value : keep(g, &is, LLVMBuildGEP2(g->b, type, base, &offset, 1, ""));
}
