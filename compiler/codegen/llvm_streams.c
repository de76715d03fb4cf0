/* Loops whose addresses are already optimal: those of a register tile, which read a panel and one
 * element of each row per iteration. With the start of every stream in a register, an access is
 * that register plus the counter.
 *
 * LLVM's loop strength reduction does not know that. It rewrites the start of each stream as a sum
 * of everything that went into it, and compares the ways to divide all these sums between
 * registers: half of the time that the code generator takes for such a kernel, for the same loop.
 * So between LLVM's passes and its code generator the starts become opaque to the analysis of
 * loops, by an intrinsic that returns its operand, is known to alias analysis, and emits nothing.
 */
#include <string.h>

#include "compiler/codegen/llvm.h"

static const char mark[] = "rlx.streams";

/* --- which loops ------------------------------------------------------------------------------ */

typedef struct search {
    rlxc_llvm *g;
    const rlxc_expr *var;
    bool found;
} search;

/* An element that the loop steps along and repeats in all lanes. */
static bool find_repeated(void *user, const rlxc_expr *e)
{
    search *f = user;
    if (e->kind == RLXC_EXPR_BROADCAST && e->ramp.base->kind == RLXC_EXPR_LOAD)
        f->found = f->found || rlxc_expr_uses_var(f->g->ctx, e, f->var);
    return !f->found;
}

/* True if the loops around the stores are unrolled. */
static bool search_stmt(search *f, const rlxc_stmt *s)
{
    bool fits = true;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && fits; i++)
            fits = search_stmt(f, s->seq.items[i]);
        return fits;
    case RLXC_STMT_FOR:
        return s->loop.kind == RLXC_LOOP_UNROLLED && search_stmt(f, s->loop.body);
    case RLXC_STMT_STORE:
        rlxc_expr_visit(f->g->ctx, s->store.value, find_repeated, f);
        return true;
    case RLXC_STMT_LET:
    case RLXC_STMT_EVALUATE:
        return true;
    case RLXC_STMT_IF:
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        break;
    }
    return false;
}

LLVMMetadataRef rlxc_llvm_streams(rlxc_llvm *g, const rlxc_stmt *loop)
{
    search f = {g, loop->loop.var, false};
    if (!search_stmt(&f, loop->loop.body) || !f.found)
        return NULL;
    LLVMMetadataRef said = LLVMMDStringInContext2(g->lc, mark, sizeof mark - 1);
    return LLVMMDNodeInContext2(g->lc, &said, 1);
}

/* --- between LLVM's passes and its code generator --------------------------------------------- */

/* True if |block| is all of a loop with the mark. */
bool rlxc_llvm_is_streams(LLVMBasicBlockRef block, unsigned kind)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block), parts[8], text;
    LLVMValueRef node = branch ? LLVMGetMetadata(branch, kind) : NULL;
    const unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0;
    bool repeats = false, found = false;
    unsigned length;
    if (n < 2 || n > sizeof parts / sizeof *parts)
        return false;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++)
        repeats = repeats || LLVMGetSuccessor(branch, i) == block;
    LLVMGetMDNodeOperands(node, parts);
    for (unsigned i = 1; i < n && repeats && !found; i++) { /* the first is the node itself */
        if (!parts[i] || LLVMGetMDNodeNumOperands(parts[i]) != 1)
            continue;
        LLVMGetMDNodeOperands(parts[i], &text);
        const char *is = LLVMGetMDString(text, &length);
        found = is && length == sizeof mark - 1 && memcmp(is, mark, length) == 0;
    }
    return found;
}

void rlxc_llvm_hide_streams(LLVMModuleRef module, LLVMContextRef lc)
{
    const unsigned kind = LLVMGetMDKindIDInContext(lc, "llvm.loop", 9);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(lc);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            if (!rlxc_llvm_is_streams(block, kind))
                continue;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
                 i = LLVMGetNextInstruction(i)) {
                if (LLVMGetInstructionOpcode(i) != LLVMGetElementPtr)
                    continue;
                LLVMValueRef start = LLVMGetOperand(i, 0);
                if (LLVMIsAGetElementPtrInst(start) && LLVMGetInstructionParent(start) != block)
                    LLVMSetOperand(i, 0, rlxc_llvm_opaque(module, b, start));
            }
        }
    LLVMDisposeBuilder(b);
}
