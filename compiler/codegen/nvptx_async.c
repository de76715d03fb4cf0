/* T.ptx_cp_async, T.ptx_commit_group, T.ptx_wait_group -> copies from global to shared memory that
 * run while their thread goes on. Offsets count elements of the type that the call names. */
#include <stdio.h>
#include <string.h>

#include "compiler/codegen/llvm.h"

enum { GLOBAL = 1, SHARED = 3 }; /* address spaces */

static LLVMValueRef refuse(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return rlxc_llvm_int(g, g->i32, 0);
}

/* The instruction, in its place among reads and writes of memory. */
static LLVMValueRef instruction(rlxc_llvm *g, const char *text, const char *places,
                                LLVMValueRef *args, uint32_t n)
{
    LLVMTypeRef types[3];
    for (uint32_t i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->lc), types, n, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, (char *)text, strlen(text), (char *)places, strlen(places), true,
                         false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(g->b, type, code, args, n, "");
    return rlxc_llvm_int(g, g->i32, 0); /* it has no value */
}

/* Argument |i| and its offset as an address of the space. */
static LLVMValueRef address(rlxc_llvm *g, const rlxc_expr *e, uint32_t i, uint32_t item, int space)
{
    LLVMValueRef at = rlxc_llvm_index(g, e->call.args[i + 1]);
    at = rlxc_llvm_integer(g, RLXC_LLVM_NSW_MUL, at, rlxc_llvm_int(g, g->i64, item));
    LLVMValueRef base = rlxc_llvm_at(g, g->i8, rlxc_llvm_expr(g, e->call.args[i]), at);
    base = LLVMBuildAddrSpaceCast(g->b, base, LLVMPointerTypeInContext(g->lc, (unsigned)space), "");
    return LLVMBuildPtrToInt(g->b, base, g->i64, "");
}

static LLVMValueRef copy(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args;
    const bool some = e->call.n == 7;
    rlx_dtype type;
    int64_t bytes;
    char text[80];
    if (a[0]->kind != RLXC_EXPR_STRING || !rlxc_dtype_parse(a[0]->s, strlen(a[0]->s), &type) ||
        type.bits < 8)
        return refuse(g, e, "needs the name of a type");
    if (!rlxc_is_int(a[5], &bytes) || (bytes != 4 && bytes != 8 && bytes != 16))
        return refuse(g, e, "copies 4, 8 or 16 bytes");
    for (int i = 1; i < 5; i += 2)
        if (!rlxc_dtype_is_handle(a[i]->dtype) || !rlxc_dtype_is_int(a[i + 1]->dtype) ||
            a[i + 1]->dtype.lanes != 1)
            return refuse(g, e, "needs an address and an offset of both memories");
    if (some && !rlxc_dtype_is_bool(a[6]->dtype))
        return refuse(g, e, "needs a condition");
    LLVMValueRef args[3] = {address(g, e, 1, type.bits / 8u, SHARED),
                            address(g, e, 3, type.bits / 8u, GLOBAL)};
    if (some) /* how many of the bytes there are */
        args[2] = LLVMBuildSelect(g->b, rlxc_llvm_expr(g, a[6]), rlxc_llvm_int(g, g->i32, bytes),
                                  rlxc_llvm_int(g, g->i32, 0), "");
    snprintf(text, sizeof text, "cp.async.%s.shared.global [$0], [$1], %d%s;",
             bytes == 16 ? "cg" : "ca", (int)bytes, some ? ", $2" : "");
    return instruction(g, text, some ? "l,l,r,~{memory}" : "l,l,~{memory}", args, some ? 3 : 2);
}

LLVMValueRef rlxc_nvptx_async(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e)
{
    int64_t n;
    char text[40];
    if (row->index == RLXC_INTRINSIC_ptx_cp_async)
        return copy(g, e);
    if (row->index == RLXC_INTRINSIC_ptx_commit_group)
        return instruction(g, "cp.async.commit_group;", "~{memory}", NULL, 0);
    if (!rlxc_is_int(e->call.args[0], &n) || n < 0 || n > 1000)
        return refuse(g, e, "needs a number of groups");
    snprintf(text, sizeof text, "cp.async.wait_group %d;", (int)n);
    return instruction(g, text, "~{memory}", NULL, 0);
}
