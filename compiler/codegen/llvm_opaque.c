/* Keeps LLVM's loop strength reduction from rewriting address sums.
 *
 * It knows how every value was computed, writes each address of a loop as one sum of all that went
 * into it, and compares the ways to divide these sums between registers. For the tiles of a
 * convolution that was a third of the code generator's time, without a gain: what is constant in
 * a loop is best computed before it, and addresses a constant apart are best one register and a
 * constant. So between LLVM's passes and its code generator
 *   - an integer that other blocks compute with is frozen there, an operation without code whose
 *     result the analysis of loops takes as unknown. Loop counters and comparisons, which decide
 *     trip counts, keep the value itself;
 *   - a pointer that several addresses are a constant apart from becomes opaque, by an intrinsic
 *     that returns its operand, is known to alias analysis, and emits nothing.
 * Loops of streams (llvm_streams.c) step along more pointers than registers; those they keep. */
#include <string.h>

#include "compiler/codegen/llvm.h"

enum { LEAST_APART = 2 }; /* addresses */

LLVMValueRef rlxc_llvm_opaque(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef pointer)
{
    static const char name[] = "llvm.strip.invariant.group";
    LLVMTypeRef type = LLVMTypeOf(pointer);
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
    LLVMValueRef next = LLVMGetNextInstruction(pointer);
    if (LLVMIsACallInst(next) && LLVMGetCalledValue(next) == fn)
        return next;
    LLVMPositionBuilderBefore(b, next);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, &pointer, 1, "");
}

/* --- integers -------------------------------------------------------------------------------- */

static bool is_sum(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 64)
        return false;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMLShr ||
           op == LLVMAShr || op == LLVMUDiv || op == LLVMSelect;
}

static bool computes_elsewhere(LLVMValueRef user, LLVMBasicBlockRef home)
{
    return !LLVMIsAPHINode(user) && !LLVMIsAICmpInst(user) &&
           LLVMGetInstructionParent(user) != home;
}

static void freeze_elsewhere(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    LLVMValueRef frozen = NULL;
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!computes_elsewhere(user, home))
            continue;
        while (next && LLVMGetUser(next) == user) /* another operand of the same instruction */
            next = LLVMGetNextUse(next);
        if (!frozen) {
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(v));
            frozen = LLVMBuildFreeze(b, v, "");
        }
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, i) == v)
                LLVMSetOperand(user, i, frozen);
    }
}

/* --- pointers -------------------------------------------------------------------------------- */

static bool is_constant_apart(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(v, 1));
}

static bool is_start(LLVMValueRef v)
{
    uint32_t n = 0;
    if (!LLVMIsAGetElementPtrInst(v) || is_constant_apart(v))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use && n < LEAST_APART; use = LLVMGetNextUse(use))
        n += is_constant_apart(LLVMGetUser(use));
    return n == LEAST_APART;
}

static void hide_start(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef start)
{
    LLVMValueRef hidden = rlxc_llvm_opaque(module, b, start);
    LLVMReplaceAllUsesWith(start, hidden);
    LLVMSetOperand(hidden, 0, start);
}

void rlxc_llvm_hide_sums(LLVMModuleRef module, LLVMContextRef lc)
{
    const unsigned kind = LLVMGetMDKindIDInContext(lc, "llvm.loop", 9);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(lc);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            const bool streams = rlxc_llvm_is_streams(block, kind);
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
                 i = LLVMGetNextInstruction(i)) {
                if (is_sum(i))
                    freeze_elsewhere(b, i);
                else if (!streams && is_start(i))
                    hide_start(module, b, i);
            }
        }
    LLVMDisposeBuilder(b);
}
