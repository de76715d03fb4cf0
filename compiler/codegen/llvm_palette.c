/* Look-ups of elements of 8, 16 or 32 bits in a small table, a palette: vectors of indices permute
 * the table, which lies in registers. It is widened to 32 bits, and the elements are narrowed
 * again.
 *
 * AVX2 and AVX-512 permute elements of 32 bits of up to four or two registers. NEON takes bytes
 * from up to four registers, by their numbers: four of each element. SSSE3 takes bytes from one
 * register: it holds a byte of each entry, and the bytes found are interleaved. Otherwise lanes are
 * loaded one by one. */
#include "compiler/codegen/llvm.h"

#include <string.h>

enum { TBL_PARTS = 4, TBL_BYTES = 64, MAX_BYTES = 4 };

typedef struct palette {
    rlxc_llvm *g;
    LLVMValueRef table; /* address */
    uint32_t lanes, entries, bits;
    LLVMTypeRef ints, bytes;
} palette;

static LLVMValueRef shuffle(const palette *p, LLVMValueRef a, LLVMValueRef b, const uint32_t *from,
                            uint32_t n)
{
    LLVMValueRef mask[RLXC_MAX_PICK];
    for (uint32_t i = 0; i < n; i++)
        mask[i] = LLVMConstInt(p->g->i32, from[i], false);
    return LLVMBuildShuffleVector(p->g->b, a, b, LLVMConstVector(mask, n), "");
}

/* The entries from |first| on, in a vector of 32 bits; lanes beyond the table are not read. */
static LLVMValueRef part_of(const palette *p, uint32_t first)
{
    rlxc_llvm *g = p->g;
    const uint32_t left = p->entries - first, n = left < p->lanes ? left : p->lanes;
    LLVMTypeRef item = LLVMIntTypeInContext(g->lc, p->bits);
    LLVMValueRef at = rlxc_llvm_at(g, item, p->table, rlxc_llvm_int(g, g->i64, first));
    LLVMValueRef part = LLVMBuildLoad2(g->b, LLVMVectorType(item, n), at, "");
    uint32_t from[RLXC_MAX_PICK];
    LLVMSetAlignment(part, p->bits / 8);
    for (uint32_t i = 0; i < p->lanes; i++)
        from[i] = i < n ? i : 0;
    return LLVMBuildZExt(g->b, n == p->lanes ? part : shuffle(p, part, part, from, p->lanes),
                         p->ints, "");
}

/* Calls an instruction by LLVM's name for it; |overload| may be NULL. */
static LLVMValueRef call(const palette *p, const char *name, LLVMTypeRef overload,
                         LLVMValueRef *args, uint32_t n)
{
    rlxc_llvm *g = p->g;
    const uint32_t id = LLVMLookupIntrinsicID(name, strlen(name));
    const size_t overloads = overload ? 1 : 0;
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, &overload, overloads);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, &overload, overloads), fn, args, n,
                          "");
}

/* The instructions of AVX2 and AVX-512: of |index| the bits below the number of lanes count. */
static LLVMValueRef permuted_part(const palette *p, uint32_t part, LLVMValueRef index)
{
    LLVMValueRef args[2] = {part_of(p, part * p->lanes), index};
    return call(p, p->lanes == 16 ? "llvm.x86.avx512.permvar.si.512" : "llvm.x86.avx2.permd", NULL,
                args, 2);
}

/* The entries at |index|, of which the low bits count, in |parts| vectors: a bit of the index for
 * each doubling chooses between those that two halves of the table give. */
static LLVMValueRef permuted(const palette *p, LLVMValueRef index, uint32_t first, uint32_t parts)
{
    rlxc_llvm *g = p->g;
    if (first * p->lanes >= p->entries)
        return LLVMGetUndef(p->ints);
    if (parts == 1)
        return permuted_part(p, first, index);
    if (parts == 2 && p->lanes == 16) {
        LLVMValueRef args[3] = {part_of(p, first * p->lanes), index,
                                part_of(p, (first + 1) * p->lanes)};
        return call(p, "llvm.x86.avx512.vpermi2var.d.512", NULL, args, 3);
    }
    const uint32_t half = parts / 2;
    LLVMValueRef bit = LLVMBuildAnd(g->b, index, rlxc_llvm_int(g, p->ints, half * p->lanes), "");
    LLVMValueRef upper = LLVMBuildICmp(g->b, LLVMIntNE, bit, LLVMConstNull(p->ints), "");
    return LLVMBuildSelect(g->b, upper, permuted(p, index, first + half, half),
                           permuted(p, index, first, half), "");
}

/* By NEON's instruction, which gives 0 for numbers of bytes outside its registers. */
static LLVMValueRef by_numbers(const palette *p, LLVMValueRef index)
{
    static const char *const names[TBL_PARTS] = {"llvm.aarch64.neon.tbl1", "llvm.aarch64.neon.tbl2",
                                                 "llvm.aarch64.neon.tbl3",
                                                 "llvm.aarch64.neon.tbl4"};
    rlxc_llvm *g = p->g;
    const uint32_t parts = (p->entries + p->lanes - 1) / p->lanes;
    LLVMValueRef found = NULL;
    index = LLVMBuildMul(g->b, index, rlxc_llvm_int(g, p->ints, 0x04040404), "");
    index = LLVMBuildAdd(g->b, index, rlxc_llvm_int(g, p->ints, 0x03020100), "");
    index = LLVMBuildBitCast(g->b, index, p->bytes, "");
    for (uint32_t first = 0; first < parts; first += TBL_PARTS) {
        LLVMValueRef args[TBL_PARTS + 1];
        uint32_t n = 0;
        for (; n < TBL_PARTS && first + n < parts; n++)
            args[n] = LLVMBuildBitCast(g->b, part_of(p, (first + n) * p->lanes), p->bytes, "");
        args[n] = LLVMBuildSub(g->b, index,
                               rlxc_llvm_int(g, p->bytes, first / TBL_PARTS * TBL_BYTES), "");
        LLVMValueRef some = call(p, names[n - 1], p->bytes, args, n + 1);
        found = found ? LLVMBuildOr(g->b, found, some, "") : some;
    }
    return LLVMBuildBitCast(g->b, found, p->ints, "");
}

/* By SSSE3's instruction. */
static LLVMValueRef by_planes(const palette *p, LLVMValueRef index)
{
    rlxc_llvm *g = p->g;
    const uint32_t lanes = p->lanes;
    LLVMTypeRef row = LLVMVectorType(LLVMInt8TypeInContext(g->lc), lanes);
    LLVMValueRef table = LLVMBuildBitCast(g->b, part_of(p, 0), p->bytes, ""), found[MAX_BYTES];
    uint32_t from[RLXC_MAX_PICK];
    index = LLVMBuildTrunc(g->b, index, row, "");
    for (uint32_t k = 0; k < MAX_BYTES; k++) {
        for (uint32_t i = 0; i < lanes; i++)
            from[i] = MAX_BYTES * i + k;
        LLVMValueRef args[2] = {shuffle(p, table, table, from, lanes), index};
        found[k] = 8 * k < p->bits ? call(p, "llvm.x86.ssse3.pshuf.b.128", NULL, args, 2)
                                   : LLVMConstNull(row);
    }
    for (uint32_t i = 0; i < 2 * lanes; i++)
        from[i] = i / 2 + i % 2 * lanes;
    LLVMValueRef low = shuffle(p, found[0], found[1], from, 2 * lanes),
                 high = shuffle(p, found[2], found[3], from, 2 * lanes);
    for (uint32_t i = 0; i < 4 * lanes; i++)
        from[i] = i / 4 * 2 + i % 2 + i % 4 / 2 * (2 * lanes);
    return LLVMBuildBitCast(g->b, shuffle(p, low, high, from, 4 * lanes), p->ints, "");
}

/* Vectors of the table, a power of two. */
static uint32_t vectors(const palette *p)
{
    uint32_t n = 1;
    while (n * p->lanes < p->entries)
        n *= 2;
    return n;
}

/* |e| without a mask that keeps the bits that a permutation reads. */
static const rlxc_expr *without_mask(const palette *p, const rlxc_expr *e)
{
    int64_t mask;
    const bool permutes = p->g->target->arch != RLXC_ARCH_AARCH64;
    const int64_t read = vectors(p) * p->lanes - 1;
    if (!permutes || e->kind != RLXC_EXPR_CALL || e->call.n != 2 ||
        strcmp(e->call.name, "bitwise_and") != 0)
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
    if (!table || lanes < 2 || lanes != rlxc_target_palette_lanes(g->target) ||
        !rlxc_is_palette_type(t) || index->kind == RLXC_EXPR_RAMP ||
        index->kind == RLXC_EXPR_BROADCAST || !rlxc_dtype_is_int(index->dtype) ||
        index->dtype.bits < 32 || buffer->ndim != 1 || buffer->strides ||
        (buffer->elem_offset && !rlxc_is_const(buffer->elem_offset, 0)) ||
        !rlxc_is_int(buffer->shape[0], &entries) || entries < 1 ||
        entries > rlxc_target_palette_entries(g->target))
        return NULL;
    palette p = {g,
                 table,
                 lanes,
                 (uint32_t)entries,
                 t.bits,
                 LLVMVectorType(g->i32, lanes),
                 LLVMVectorType(g->i8, MAX_BYTES * lanes)};
    LLVMValueRef numbers = narrow_index(&p, index);
    LLVMValueRef found =
        g->target->arch == RLXC_ARCH_AARCH64 ? by_numbers(&p, numbers)
        : rlxc_target_has_feature(g->target, "avx2") && p.lanes * 4 == g->target->vector_bytes
            ? permuted(&p, numbers, 0, vectors(&p))
            : by_planes(&p, numbers);
    LLVMTypeRef type = LLVMVectorType(rlxc_llvm_memory(g, t), lanes);
    return t.bits == 32 ? LLVMBuildBitCast(g->b, found, type, "")
                        : LLVMBuildTrunc(g->b, found, type, "");
}
