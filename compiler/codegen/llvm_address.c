/* Addresses of buffer accesses.
 *
 * The vectors of an unrolled tile lie at constant distances. Their addresses are built as one start
 * plus a constant, which memory operands add for free: the tile needs one register for all its
 * rows, and LLVM's passes see one address instead of dozens. The start may be outside of the
 * buffer, so it does not claim to be inside. */
#include "compiler/codegen/llvm.h"

/* Constant offsets of at least this many elements stay part of the index. */
enum { FAR = 1 << 24 };

static LLVMValueRef mul_index(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef b)
{
    rlxc_llvm_unify(g, &a, &b);
    return rlxc_llvm_integer(g, RLXC_LLVM_NSW_MUL, a, b);
}

static LLVMValueRef add_index(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef b)
{
    rlxc_llvm_unify(g, &a, &b);
    return rlxc_llvm_integer(g, RLXC_LLVM_NSW_ADD, a, b);
}

static LLVMValueRef add_constant(rlxc_llvm *g, LLVMValueRef a, int64_t b)
{
    return b == 0 ? a : add_index(g, a, rlxc_llvm_int(g, g->i64, b));
}

static bool is_one(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == 1;
}

/* --- constants apart ------------------------------------------------------------------------- */

static bool is_close(int64_t n)
{
    return n > -FAR && n < FAR;
}

/* *constant becomes *constant * by; false if either or the result is far. */
static bool scale(int64_t *constant, LLVMValueRef by)
{
    const int64_t n = LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : FAR;
    if (!is_close(n) || !is_close(*constant * n))
        return false;
    *constant *= n;
    return true;
}

/* An index as the result + *constant, which is close. */
static LLVMValueRef split_index(rlxc_llvm *g, const rlxc_expr *e, int64_t *constant)
{
    const bool is_scalar = e->dtype.code == RLX_INT && e->dtype.lanes == 1;
    int64_t a, b;
    *constant = 0;
    if (is_scalar && e->kind == RLXC_EXPR_ADD) {
        LLVMValueRef x = split_index(g, e->bin.a, &a), y = split_index(g, e->bin.b, &b);
        *constant = is_close(a + b) ? a + b : 0;
        return add_constant(g, add_index(g, x, y), a + b - *constant);
    }
    if (is_scalar && e->kind == RLXC_EXPR_MUL) {
        LLVMValueRef x = rlxc_llvm_index(g, e->bin.a), y = rlxc_llvm_index(g, e->bin.b);
        const bool first = LLVMIsAConstantInt(x) != NULL;
        LLVMValueRef by = first ? x : y;
        LLVMValueRef rest =
            LLVMIsAConstantInt(by) ? split_index(g, first ? e->bin.b : e->bin.a, constant) : NULL;
        if (rest && scale(constant, by))
            return mul_index(g, rest, by);
        *constant = 0;
        return mul_index(g, x, y);
    }
    LLVMValueRef v = rlxc_llvm_index(g, e);
    if (!LLVMIsAConstantInt(v) || !is_close(LLVMConstIntGetSExtValue(v)))
        return v;
    *constant = LLVMConstIntGetSExtValue(v);
    return rlxc_llvm_int(g, g->i64, 0);
}

/* --- accesses -------------------------------------------------------------------------------- */

/* The part of the offset that index |e| of a dimension gives; of neighbours without its constant.
 */
static LLVMValueRef step(rlxc_llvm *g, const rlxc_expr *e, LLVMValueRef stride,
                         rlxc_llvm_address *at)
{
    int64_t constant = 0;
    if (!rlxc_llvm_is_near(at))
        return mul_index(g, rlxc_llvm_index(g, e), stride);
    LLVMValueRef rest = split_index(g, e, &constant);
    if (!scale(&constant, stride) || !is_close(at->more + constant))
        return mul_index(g, rlxc_llvm_index(g, e), stride);
    at->more += constant;
    return mul_index(g, rest, stride);
}

/* For an access with an offset of its own in each lane. */
static void spread(rlxc_llvm *g, rlxc_llvm_address *at, uint32_t lanes)
{
    at->offset = add_constant(g, at->offset, at->more);
    at->more = 0;
    if (at->stride) {
        LLVMValueRef steps[RLXC_MAX_LANES];
        for (uint32_t i = 0; i < lanes; i++)
            steps[i] = rlxc_llvm_int(g, g->i64, i);
        LLVMValueRef walk = LLVMConstVector(steps, lanes);
        at->offset = add_index(g, at->offset, mul_index(g, walk, at->stride));
    }
    at->stride = NULL;
    at->lanes = lanes;
}

bool rlxc_llvm_locate(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                      uint32_t n, rlxc_llvm_address *out)
{
    void *data = rlxc_map_get(&g->vars, rlxc_key(buffer->data));
    if (!data) {
        rlxc_internal(g->ctx, g->range, "codegen", "%s: buffer %s has no storage", g->f->name,
                      buffer->name);
        return false;
    }
    *out = (rlxc_llvm_address){.base = (LLVMValueRef)data, .lanes = 1};
    if (n != buffer->ndim) {
        rlxc_error(g->ctx, g->range, "%s: %s has %u dimensions, got %u indices", g->f->name,
                   buffer->name, buffer->ndim, n);
        return false;
    }
    LLVMValueRef offset =
        buffer->elem_offset ? rlxc_llvm_index(g, buffer->elem_offset) : rlxc_llvm_int(g, g->i64, 0);
    /* compact strides, innermost first */
    LLVMValueRef compact = rlxc_llvm_int(g, g->i64, 1);
    for (uint32_t i = n; i-- > 0;) {
        LLVMValueRef stride = buffer->strides ? rlxc_llvm_index(g, buffer->strides[i]) : compact;
        const rlxc_expr *index = indices[i];
        if (index->kind == RLXC_EXPR_RAMP && !out->stride) {
            out->lanes = index->ramp.lanes;
            out->stride = mul_index(g, rlxc_llvm_index(g, index->ramp.stride), stride);
            index = index->ramp.base;
        }
        offset = add_index(g, offset, step(g, index, stride, out));
        if (i > 0 && !buffer->strides)
            compact = mul_index(g, compact, rlxc_llvm_index(g, buffer->shape[i]));
    }
    out->offset = offset;
    const uint32_t lanes = rlxc_llvm_lanes(offset);
    if (lanes > 1)
        spread(g, out, lanes);
    return true;
}

bool rlxc_llvm_is_near(const rlxc_llvm_address *at)
{
    return at->stride && is_one(at->stride);
}

LLVMValueRef rlxc_llvm_start(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type)
{
    if (!rlxc_llvm_is_near(at) || LLVMIsAConstantInt(at->offset))
        return rlxc_llvm_at(g, type, at->base, add_constant(g, at->offset, at->more));
    LLVMValueRef start = rlxc_llvm_near(g, type, at->base, at->offset);
    return at->more == 0 ? start
                         : rlxc_llvm_near(g, type, start, rlxc_llvm_int(g, g->i64, at->more));
}

LLVMValueRef rlxc_llvm_lane(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type,
                            uint32_t lane)
{
    LLVMValueRef offset = add_constant(g, at->offset, at->more);
    if (at->lanes > 1 && at->stride)
        offset = add_index(g, offset, mul_index(g, at->stride, rlxc_llvm_int(g, g->i64, lane)));
    else if (at->lanes > 1)
        offset = LLVMBuildExtractElement(g->b, offset, LLVMConstInt(g->i32, lane, false), "");
    return rlxc_llvm_at(g, type, at->base, offset);
}
