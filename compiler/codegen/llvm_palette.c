/* Look-ups of 32-bit elements in a small table, a palette: vectors of indices permute the table,
 * which lies in one or two registers, where the target has such an instruction. Otherwise lanes are
 * loaded one by one. */
#include "compiler/codegen/llvm.h"

#include <string.h>

typedef struct palette {
    rlxc_llvm *g;
    LLVMValueRef table; /* address */
    uint32_t lanes, entries;
    LLVMTypeRef floats, ints;
} palette;

/* The entries from |first| on, in a vector; lanes beyond the table are not read. */
static LLVMValueRef part_of(const palette *p, uint32_t first)
{
    rlxc_llvm *g = p->g;
    const uint32_t left = p->entries - first, n = left < p->lanes ? left : p->lanes;
    LLVMTypeRef type = LLVMVectorType(LLVMFloatTypeInContext(g->lc), n);
    LLVMValueRef at =
        rlxc_llvm_at(g, LLVMFloatTypeInContext(g->lc), p->table, rlxc_llvm_int(g, g->i64, first));
    LLVMValueRef part = LLVMBuildLoad2(g->b, type, at, ""), mask[RLXC_MAX_PICK];
    LLVMSetAlignment(part, 4);
    for (uint32_t i = 0; i < p->lanes; i++)
        mask[i] = LLVMConstInt(g->i32, i < n ? i : 0, false);
    return n == p->lanes
               ? part
               : LLVMBuildShuffleVector(g->b, part, part, LLVMConstVector(mask, p->lanes), "");
}

static LLVMValueRef call(const palette *p, const char *name, LLVMValueRef *args, uint32_t n)
{
    rlxc_llvm *g = p->g;
    const uint32_t id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, NULL, 0);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, NULL, 0), fn, args, n, "");
}

/* The entries at |index|, of which the low bits count. */
static LLVMValueRef permuted(const palette *p, LLVMValueRef index)
{
    rlxc_llvm *g = p->g;
    const bool wide = p->lanes == 16, two = p->entries > p->lanes;
    LLVMValueRef low = part_of(p, 0), high = two ? part_of(p, p->lanes) : NULL;
    if (two && wide) {
        LLVMValueRef args[3] = {low, index, high};
        return call(p, "llvm.x86.avx512.vpermi2var.ps.512", args, 3);
    }
    const char *name = wide ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
    LLVMValueRef args[2] = {low, index}, from_low = call(p, name, args, 2);
    if (!two)
        return from_low;
    args[0] = high;
    LLVMValueRef bit = LLVMBuildAnd(g->b, index, rlxc_llvm_int(g, p->ints, p->lanes), "");
    LLVMValueRef upper = LLVMBuildICmp(g->b, LLVMIntNE, bit, LLVMConstNull(p->ints), "");
    return LLVMBuildSelect(g->b, upper, call(p, name, args, 2), from_low, "");
}

/* |e| without a mask that keeps the bits that a permutation reads. */
static const rlxc_expr *without_mask(const palette *p, const rlxc_expr *e)
{
    int64_t mask;
    const int64_t read = p->entries > p->lanes ? 2 * p->lanes - 1 : p->lanes - 1;
    if (e->kind != RLXC_EXPR_CALL || e->call.n != 2 || strcmp(e->call.name, "bitwise_and") != 0)
        return e;
    const rlxc_expr *by = e->call.args[1];
    while (by->kind == RLXC_EXPR_BROADCAST)
        by = by->ramp.base;
    return rlxc_is_int(by, &mask) && (mask & read) == read ? e->call.args[0] : e;
}

/* |index| in 32 bits. The smaller one of an unsigned number of at most 16 bits and a constant is
 * computed there, whatever it was cast to. */
static LLVMValueRef narrow_index(const palette *p, const rlxc_expr *index)
{
    rlxc_llvm *g = p->g;
    const rlxc_expr *number = index, *limit = NULL;
    int64_t most = 0;
    if (number->kind == RLXC_EXPR_MIN) {
        limit = number->bin.b;
        while (limit->kind == RLXC_EXPR_BROADCAST)
            limit = limit->ramp.base;
        number = number->bin.a;
    }
    while (number->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(number->dtype) &&
           number->dtype.bits > number->bin.a->dtype.bits)
        number = number->bin.a;
    if (!limit && number->dtype.bits == 32)
        return rlxc_llvm_expr(g, without_mask(p, number));
    if (number->dtype.code != RLX_UINT || number->dtype.bits > 16 ||
        (limit && (!rlxc_is_int(limit, &most) || most < 0 || most >= p->entries)))
        return LLVMBuildTrunc(g->b, rlxc_llvm_expr(g, index), p->ints, "");
    LLVMValueRef value = LLVMBuildZExt(g->b, rlxc_llvm_expr(g, number), p->ints, "");
    if (!limit)
        return value;
    LLVMValueRef bound = rlxc_llvm_int(g, p->ints, most);
    LLVMValueRef less = LLVMBuildICmp(g->b, LLVMIntULT, value, bound, "");
    return LLVMBuildSelect(g->b, less, value, bound, "");
}

LLVMValueRef rlxc_llvm_palette(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *index)
{
    int64_t entries;
    const rlx_dtype t = buffer->dtype;
    const uint32_t lanes = index->dtype.lanes;
    LLVMValueRef table = rlxc_map_get(&g->vars, rlxc_key(buffer->data));
    if (!table || lanes < 2 || lanes != rlxc_target_palette_lanes(g->target) || t.bits != 32 ||
        t.lanes != 1 || index->kind == RLXC_EXPR_RAMP || index->kind == RLXC_EXPR_BROADCAST ||
        !rlxc_dtype_is_int(index->dtype) || index->dtype.bits < 32 || buffer->ndim != 1 ||
        buffer->strides || (buffer->elem_offset && !rlxc_is_const(buffer->elem_offset, 0)) ||
        !rlxc_is_int(buffer->shape[0], &entries) || entries < 1 || entries > 2 * (int64_t)lanes)
        return NULL;
    palette p = {g,
                 table,
                 lanes,
                 (uint32_t)entries,
                 LLVMVectorType(LLVMFloatTypeInContext(g->lc), lanes),
                 LLVMVectorType(g->i32, lanes)};
    LLVMValueRef found = permuted(&p, narrow_index(&p, index));
    return t.code == RLX_FLOAT ? found : LLVMBuildBitCast(g->b, found, p.ints, "");
}
