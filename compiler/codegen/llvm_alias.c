/* Alias metadata for kernels whose result may share the memory of an operand
 * (analysis/verify_inplace.h).
 *
 * Their pointers cannot be "noalias". Without metadata LLVM compares the addresses at run time and
 * runs the loop element by element if they are close, which is exactly the in-place case. But it is
 * proved that each element is computed from the same place of the operand and from nothing that is
 * written: iterations are independent. So accesses of parameters are put into an access group, and
 * every loop says that its accesses of this group are parallel ("llvm.loop.parallel_accesses" in
 * LLVM's language reference). Temporaries are outside the group: LLVM analyses accesses to them as
 * usual.
 *
 * The same node of a loop says that LLVM must not unroll it (llvm_unroll.c), or how many lanes its
 * vectors have (llvm_width.c). */
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <string.h>

#include "compiler/codegen/llvm.h"

/* A distinct empty node, which the C interface can make only out of text. */
static LLVMMetadataRef new_group(rlxc_llvm *g)
{
    static const char text[] = "!rlx = !{!0}\n!0 = distinct !{}\n";
    LLVMModuleRef module = NULL;
    LLVMValueRef node = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef source =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "group");
    if (LLVMParseIRInContext(g->lc, source, &module, &message)) {
        rlxc_internal(g->ctx, g->range, "codegen", "access group: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMGetNamedMetadataOperands(module, "rlx", &node);
    LLVMMetadataRef group = LLVMValueAsMetadata(node);
    LLVMDisposeModule(module);
    return group;
}

void rlxc_llvm_begin_in_place(rlxc_llvm *g)
{
    g->in_place = g->f->turns_apart;
    if (g->in_place && !g->accesses)
        g->accesses = new_group(g);
    g->in_place = g->in_place && g->accesses;
}

static void say(rlxc_llvm *g, LLVMValueRef instruction, const char *kind, LLVMMetadataRef what)
{
    unsigned id = LLVMGetMDKindIDInContext(g->lc, kind, (unsigned)strlen(kind));
    LLVMSetMetadata(instruction, id, LLVMMetadataAsValue(g->lc, what));
}

void rlxc_llvm_in_place_access(rlxc_llvm *g, const rlxc_buffer *buffer, LLVMValueRef access)
{
    for (uint32_t i = 0; g->in_place && i < g->f->n_params; i++)
        if (g->f->params[i].buffer && g->f->params[i].buffer->data == buffer->data)
            say(g, access, "llvm.access.group", g->accesses);
}

void rlxc_llvm_say_loop(rlxc_llvm *g, const rlxc_stmt *loop, LLVMValueRef branch)
{
    static const char parallel[] = "llvm.loop.parallel_accesses",
                      rolled[] = "llvm.loop.unroll.disable", lanes[] = "llvm.loop.vectorize.width";
    LLVMMetadataRef own[5], streams = rlxc_llvm_streams(g, loop);
    size_t n = 1;
    if (g->in_place) {
        LLVMMetadataRef said[2] = {LLVMMDStringInContext2(g->lc, parallel, sizeof parallel - 1),
                                   g->accesses};
        own[n++] = LLVMMDNodeInContext2(g->lc, said, 2);
    }
    if (rlxc_llvm_stays_rolled(loop)) {
        LLVMMetadataRef said = LLVMMDStringInContext2(g->lc, rolled, sizeof rolled - 1);
        own[n++] = LLVMMDNodeInContext2(g->lc, &said, 1);
    }
    if (streams)
        own[n++] = streams;
    const uint32_t width = rlxc_llvm_width(g, loop);
    if (width > 0) {
        LLVMMetadataRef said[2] = {
            LLVMMDStringInContext2(g->lc, lanes, sizeof lanes - 1),
            LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(g->lc), width, false))};
        own[n++] = LLVMMDNodeInContext2(g->lc, said, 2);
    }
    if (n == 1)
        return;
    /* a loop's node refers to itself first, which makes it distinct */
    own[0] = LLVMTemporaryMDNode(g->lc, NULL, 0);
    LLVMMetadataRef node = LLVMMDNodeInContext2(g->lc, own, n);
    LLVMMetadataReplaceAllUsesWith(own[0], node);
    say(g, branch, "llvm.loop", node);
}
