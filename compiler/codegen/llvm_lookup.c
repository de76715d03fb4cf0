/* Look-ups of bytes in a table of 256: vectors of indices are looked up by byte shuffles, which
 * take 16 entries of the table at a time.
 *
 * A shuffle uses the low 4 bits of an index. All 16 parts of the table are looked up, and pairs of
 * results are chosen by bits 4, 5, 6 and 7 of the index, as in a tournament. With shuffles of 128
 * entries (AVX-512 VBMI) there are two; those of NEON take 64 entries and give 0 for others. Where
 * a target has no such instruction, lanes are loaded one by one. */
#include "compiler/codegen/llvm.h"

#include <string.h>

enum { TABLE = 256, PART = 16, PARTS = TABLE / PART, LONG_PART = 128, NEON_PART = 64 };

typedef struct lookup {
    rlxc_llvm *g;
    LLVMValueRef table; /* address */
    LLVMTypeRef vector; /* of indices that are looked up at once */
    uint32_t bytes;     /* in it */
} lookup;

/* Calls an instruction by LLVM's name for it. */
static LLVMValueRef call(const lookup *l, const char *name, LLVMValueRef *args, uint32_t n)
{
    rlxc_llvm *g = l->g;
    LLVMTypeRef overload = l->vector;
    const uint32_t id = LLVMLookupIntrinsicID(name, strlen(name));
    const size_t overloads = LLVMIntrinsicIsOverloaded(id) ? 1 : 0;
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, &overload, overloads);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, &overload, overloads), fn, args, n,
                          "");
}

/* |size| bytes of the table from |first| on. */
static LLVMValueRef part_of(const lookup *l, uint32_t first, uint32_t size)
{
    rlxc_llvm *g = l->g;
    LLVMValueRef at = rlxc_llvm_at(g, g->i8, l->table, rlxc_llvm_int(g, g->i64, first));
    LLVMValueRef part = LLVMBuildLoad2(g->b, LLVMVectorType(g->i8, size), at, "");
    LLVMSetAlignment(part, 1);
    return part;
}

/* The 16 bytes from |first| on, in each 16 bytes of a vector. */
static LLVMValueRef repeated_part(const lookup *l, uint32_t first)
{
    rlxc_llvm *g = l->g;
    LLVMValueRef part = part_of(l, first, PART), mask[RLXC_MAX_PICK];
    for (uint32_t i = 0; i < l->bytes; i++)
        mask[i] = LLVMConstInt(g->i32, i % PART, false);
    return LLVMBuildShuffleVector(g->b, part, part, LLVMConstVector(mask, l->bytes), "");
}

/* Lanes in which bit |bit| of the index is set. */
static LLVMValueRef is_set(const lookup *l, LLVMValueRef index, int bit)
{
    LLVMBuilderRef b = l->g->b;
    LLVMValueRef up = LLVMBuildShl(b, index, rlxc_llvm_int(l->g, l->vector, 7 - bit), "");
    return LLVMBuildICmp(b, LLVMIntSLT, up, LLVMConstNull(l->vector), "");
}

static LLVMValueRef by_parts(const lookup *l, LLVMValueRef index)
{
    const char *shuffle = l->bytes == 64   ? "llvm.x86.avx512.pshuf.b.512"
                          : l->bytes == 32 ? "llvm.x86.avx2.pshuf.b"
                                           : "llvm.x86.ssse3.pshuf.b.128";
    LLVMBuilderRef b = l->g->b;
    LLVMValueRef found[PARTS],
        low = LLVMBuildAnd(b, index, rlxc_llvm_int(l->g, l->vector, PART - 1), "");
    for (uint32_t i = 0; i < PARTS; i++) {
        LLVMValueRef args[2] = {repeated_part(l, i * PART), low};
        found[i] = call(l, shuffle, args, 2);
    }
    for (uint32_t n = PARTS / 2, bit = 4; n > 0; n /= 2, bit++) {
        LLVMValueRef upper = is_set(l, index, (int)bit);
        for (uint32_t i = 0; i < n; i++)
            found[i] = LLVMBuildSelect(b, upper, found[2 * i + 1], found[2 * i], "");
    }
    return found[0];
}

static LLVMValueRef by_halves(const lookup *l, LLVMValueRef index)
{
    LLVMValueRef found[2];
    for (uint32_t i = 0; i < 2; i++) {
        LLVMValueRef args[3] = {part_of(l, i * LONG_PART, l->bytes), index,
                                part_of(l, i * LONG_PART + l->bytes, l->bytes)};
        found[i] = call(l, "llvm.x86.avx512.vpermi2var.qi.512", args, 3);
    }
    return LLVMBuildSelect(l->g->b, is_set(l, index, 7), found[1], found[0], "");
}

static LLVMValueRef by_quarters(const lookup *l, LLVMValueRef index)
{
    rlxc_llvm *g = l->g;
    LLVMValueRef out = LLVMConstNull(l->vector);
    for (uint32_t i = 0; i < TABLE / NEON_PART; i++) {
        LLVMValueRef args[5];
        for (uint32_t k = 0; k < 4; k++)
            args[k] = part_of(l, i * NEON_PART + k * PART, PART);
        args[4] = LLVMBuildSub(g->b, index, rlxc_llvm_int(g, l->vector, i * NEON_PART), "");
        out = LLVMBuildOr(g->b, out, call(l, "llvm.aarch64.neon.tbl4", args, 5), "");
    }
    return out;
}

/* The vector of unsigned bytes that |index| casts to wider integers; NULL: it is something else. */
static const rlxc_expr *bytes_of(const rlxc_expr *index)
{
    while (index->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(index->dtype) &&
           index->dtype.bits > 8)
        index = index->bin.a;
    const rlx_dtype t = index->dtype;
    return t.code == RLX_UINT && t.bits == 8 && t.lanes > 1 ? index : NULL;
}

LLVMValueRef rlxc_llvm_lookup(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *index)
{
    int64_t entries;
    const rlxc_expr *bytes = bytes_of(index);
    const bool is_byte = (buffer->dtype.code == RLX_INT || buffer->dtype.code == RLX_UINT) &&
                         buffer->dtype.bits == 8 && buffer->dtype.lanes == 1;
    LLVMValueRef table = rlxc_map_get(&g->vars, rlxc_key(buffer->data));
    if (!bytes || !is_byte || !table || buffer->ndim != 1 || buffer->strides ||
        (buffer->elem_offset && !rlxc_is_const(buffer->elem_offset, 0)) ||
        !rlxc_is_int(buffer->shape[0], &entries) || entries < TABLE)
        return NULL;
    const uint32_t lanes = bytes->dtype.lanes;
    if (lanes != rlxc_target_lookup_lanes(g->target))
        return NULL;
    const lookup l = {g, table, LLVMVectorType(g->i8, lanes), lanes};
    LLVMValueRef indices = rlxc_llvm_expr(g, bytes);
    if (g->target->arch == RLXC_ARCH_AARCH64)
        return by_quarters(&l, indices);
    return lanes == 64 && rlxc_target_has_feature(g->target, "avx512vbmi") ? by_halves(&l, indices)
                                                                           : by_parts(&l, indices);
}
