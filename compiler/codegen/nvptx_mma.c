/* T.ptx_mma -> products of small matrices, which the 32 threads of a warp compute together:
 *
 *     T.ptx_mma(type, shape, "row", "col", type of A, type of B, type of C,
 *               A, offset, B, offset, C, offset, saturate)
 *
 * adds A x B to C. Each thread holds a part of each matrix, in the order of PTX's manual, in memory
 * of its own, from which LLVM makes registers. Offsets count elements. */
#include <string.h>

#include "compiler/codegen/llvm.h"
#include "compiler/ir/mma.h"

enum { MAX_REGISTERS = 16 };

/* The instructions that there are: registers of a thread for A, B, and C. */
static const struct instruction {
    const char *shape, *a, *c, *name;
    uint32_t n_a, n_b, n_c, item_bytes;
    bool halves; /* registers of A and B are pairs of float16 for LLVM, else integers */
} instructions[] = {
    {"m16n8k16", "fp16", "fp32", "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", 4, 2, 4, 2, true},
    {"m16n8k16", "bf16", "fp32", "llvm.nvvm.mma.m16n8k16.row.col.bf16", 4, 2, 4, 2, false},
    {"m16n8k8", "bf16", "fp32", "llvm.nvvm.mma.m16n8k8.row.col.bf16", 2, 1, 4, 2, false},
    {"m16n8k8", "tf32", "fp32", "llvm.nvvm.mma.m16n8k8.row.col.tf32", 4, 2, 4, 4, false},
    {"m16n8k4", "tf32", "fp32", "llvm.nvvm.mma.m16n8k4.row.col.tf32", 2, 1, 4, 4, false},
};

static bool is_text(const rlxc_expr *e, const char *text)
{
    return e->kind == RLXC_EXPR_STRING && strcmp(e->s, text) == 0;
}

/* "float16" is the name of the type in TIR, "fp16" in PTX. */
static bool is_type(const rlxc_expr *e, const char *text)
{
    static const char *const same[][2] = {
        {"fp16", "float16"}, {"bf16", "bfloat16"}, {"fp32", "float32"}, {"tf32", "tensor_float32"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(same[i][0], text) == 0 && is_text(e, same[i][1]))
            return true;
    return is_text(e, text);
}

static const struct instruction *find(const rlxc_expr *const *a)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        const struct instruction *row = &instructions[i];
        if (is_text(a[0], row->shape) && is_text(a[1], "row") && is_text(a[2], "col") &&
            is_type(a[3], row->a) && is_type(a[4], row->a) && is_type(a[5], row->c))
            return row;
    }
    return NULL;
}

/* The address of register |i| of a matrix: |size| bytes each element of the offset. */
static LLVMValueRef register_at(rlxc_llvm *g, const rlxc_expr *const *matrix, uint32_t size,
                                uint32_t i)
{
    LLVMValueRef at = rlxc_llvm_index(g, matrix[1]);
    at = rlxc_llvm_integer(g, RLXC_LLVM_NSW_MUL, at, rlxc_llvm_int(g, g->i64, size));
    at = rlxc_llvm_integer(g, RLXC_LLVM_NSW_ADD, at, rlxc_llvm_int(g, g->i64, (int64_t)i * 4));
    return rlxc_llvm_at(g, g->i8, rlxc_llvm_expr(g, matrix[0]), at);
}

/* The bytes that a thread's part of matrix |k| is known to begin at a multiple of: a whole row of a
 * buffer, where memory of a block or a thread begins at 16. */
static uint32_t alignment_of(const rlxc_expr *e, uint32_t k, uint32_t item_bytes)
{
    enum { MOST = 16 };
    const rlxc_expr *first = rlxc_mma_matrix(e, k);
    const rlxc_buffer *b = first ? first->load.buffer : NULL;
    int64_t items;
    if (!b || !b->scope || b->strides || b->elem_offset || first->load.n != b->ndim ||
        (strcmp(b->scope, "shared") != 0 && strcmp(b->scope, "local") != 0) || b->ndim == 0 ||
        !rlxc_is_const(first->load.indices[b->ndim - 1], 0) ||
        !rlxc_is_int(b->shape[b->ndim - 1], &items))
        return item_bytes;
    uint32_t align = MOST;
    while (align > item_bytes && items * (int64_t)item_bytes % align != 0)
        align /= 2;
    return align;
}

/* Registers |n| of matrix |k| of the call |e|. */
static void read_registers(rlxc_llvm *g, const rlxc_expr *e, uint32_t k, LLVMTypeRef type,
                           uint32_t item_bytes, uint32_t n, LLVMValueRef *out)
{
    const uint32_t align = alignment_of(e, k, item_bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = align;
        while (i * 4 % own != 0)
            own /= 2;
        out[i] = LLVMBuildLoad2(
            g->b, type, register_at(g, e->call.args + RLXC_MMA_FIRST + 2 * k, item_bytes, i), "");
        LLVMSetAlignment(out[i], own);
    }
}

/* Rounds float32 numbers to the nearest TF32: how the instruction treats further digits is
   unspecified. */
static void round_registers(rlxc_llvm *g, LLVMValueRef *io, uint32_t n)
{
    static const char text[] = "cvt.rna.tf32.f32 $0, $1;", places[] = "=r,r";
    LLVMTypeRef type = LLVMFunctionType(g->i32, &g->i32, 1, false);
    LLVMValueRef to =
        LLVMGetInlineAsm(type, (char *)text, sizeof text - 1, (char *)places, sizeof places - 1,
                         false, false, LLVMInlineAsmDialectATT, false);
    for (uint32_t i = 0; i < n; i++)
        io[i] = LLVMBuildCall2(g->b, type, to, &io[i], 1, "");
}

static LLVMValueRef refuse(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return rlxc_llvm_int(g, g->i32, 0);
}

LLVMValueRef rlxc_nvptx_mma(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args + 1;
    const struct instruction *row = find(a);
    LLVMValueRef args[MAX_REGISTERS];
    if (!row)
        return refuse(g, e, "CUDA has no product of this shape, these layouts and types");
    for (int i = 6; i < 12; i += 2)
        if (!rlxc_dtype_is_handle(a[i]->dtype) || !rlxc_dtype_is_int(a[i + 1]->dtype) ||
            a[i + 1]->dtype.lanes != 1)
            return refuse(g, e, "needs an address and an offset of each matrix");
    if (!rlxc_is_const(a[12], 0))
        return refuse(g, e, "sums of floats do not saturate");
    LLVMTypeRef operand = row->halves ? LLVMVectorType(g->half, 2) : g->i32;
    read_registers(g, e, RLXC_MMA_A, operand, row->item_bytes, row->n_a, args);
    read_registers(g, e, RLXC_MMA_B, operand, row->item_bytes, row->n_b, args + row->n_a);
    read_registers(g, e, RLXC_MMA_C, g->f32, 4, row->n_c, args + row->n_a + row->n_b);
    if (row->item_bytes == 4)
        round_registers(g, args, row->n_a + row->n_b);
    const uint32_t n = row->n_a + row->n_b + row->n_c;
    const unsigned id = LLVMLookupIntrinsicID(row->name, strlen(row->name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, NULL, 0);
    LLVMValueRef sums =
        LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, NULL, 0), fn, args, n, "");
    for (uint32_t i = 0; i < row->n_c; i++) {
        LLVMValueRef sum = LLVMBuildExtractValue(g->b, sums, i, "");
        LLVMSetAlignment(LLVMBuildStore(g->b, sum, register_at(g, a + 10, 4, i)), 4);
    }
    return rlxc_llvm_int(g, g->i32, 0); /* it has no value */
}
