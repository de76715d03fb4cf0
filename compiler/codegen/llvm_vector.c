/* Calls on parts of vectors, and LLVM's own intrinsics by name.
 *
 * Two vectors of one type become an LLVM shuffle; otherwise lanes are moved one by one, and LLVM's
 * passes make shuffles of that. Supported LLVM intrinsics have one type for operands and result;
 * prefetch is supported too. */
#include "compiler/codegen/llvm.h"

#include <string.h>

static LLVMValueRef refuse(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
}

static LLVMValueRef lane(rlxc_llvm *g, LLVMValueRef v, uint32_t i)
{
    return rlxc_llvm_lanes(v) == 1
               ? v
               : LLVMBuildExtractElement(g->b, v, LLVMConstInt(g->i32, i, false), "");
}

/* Lane |index| of the vectors laid end to end; NULL beyond them. */
static LLVMValueRef lane_of(rlxc_llvm *g, const LLVMValueRef *vectors, uint32_t n, uint64_t index)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lanes = rlxc_llvm_lanes(vectors[i]);
        if (index < lanes)
            return lane(g, vectors[i], (uint32_t)index);
        index -= lanes;
    }
    return NULL;
}

/* The vector of the lanes |indices| (one: a scalar). */
static LLVMValueRef pick(rlxc_llvm *g, const rlxc_expr *e, const rlxc_expr *const *from, uint32_t n,
                         const int64_t *indices, uint32_t n_indices)
{
    LLVMValueRef vectors[RLXC_MAX_PICK];
    for (uint32_t i = 0; i < n; i++) {
        if (from[i]->dtype.code != e->dtype.code || from[i]->dtype.bits != e->dtype.bits)
            return refuse(g, e, "the vectors have different types");
        vectors[i] = rlxc_llvm_expr(g, from[i]);
    }
    if (e->dtype.lanes != n_indices)
        return refuse(g, e, "the result has a different number of lanes");
    if (n == 2 && n_indices > 1 && rlxc_llvm_lanes(vectors[0]) > 1 &&
        LLVMTypeOf(vectors[0]) == LLVMTypeOf(vectors[1])) {
        LLVMValueRef mask[RLXC_MAX_PICK];
        for (uint32_t i = 0; i < n_indices; i++) {
            if (indices[i] < 0 || indices[i] >= 2 * (int64_t)rlxc_llvm_lanes(vectors[0]))
                return refuse(g, e, "a lane is out of range");
            mask[i] = LLVMConstInt(g->i32, (uint64_t)indices[i], false);
        }
        return LLVMBuildShuffleVector(g->b, vectors[0], vectors[1],
                                      LLVMConstVector(mask, n_indices), "");
    }
    LLVMValueRef out = LLVMGetPoison(rlxc_llvm_type(g, e->dtype));
    for (uint32_t i = 0; i < n_indices; i++) {
        LLVMValueRef x = indices[i] < 0 ? NULL : lane_of(g, vectors, n, (uint64_t)indices[i]);
        if (!x)
            return refuse(g, e, "a lane is out of range");
        out = n_indices == 1
                  ? x
                  : LLVMBuildInsertElement(g->b, out, x, LLVMConstInt(g->i32, i, false), "");
    }
    return out;
}

/* T.Shuffle([a, b], [0, 4, 1, 5]) as a call of the number of vectors, the vectors, the lanes. */
static LLVMValueRef shuffle(rlxc_llvm *g, const rlxc_expr *e)
{
    int64_t n = 0, indices[RLXC_MAX_PICK];
    if (!rlxc_is_int(e->call.args[0], &n) || n < 1 || n >= (int64_t)e->call.n - 1)
        return refuse(g, e, "needs vectors and lanes");
    uint32_t count = e->call.n - 1 - (uint32_t)n;
    for (uint32_t i = 0; i < count; i++)
        if (!rlxc_is_int(e->call.args[1 + n + i], &indices[i]))
            return refuse(g, e, "the lanes must be constants");
    return pick(g, e, e->call.args + 1, (uint32_t)n, indices, count);
}

/* T.vectorlow, T.vectorhigh, T.vectorcombine: consecutive lanes. */
static LLVMValueRef part(rlxc_llvm *g, const rlxc_expr *e, bool high)
{
    int64_t indices[RLXC_MAX_PICK];
    uint32_t n = e->dtype.lanes;
    if (n > RLXC_MAX_PICK)
        return refuse(g, e, "too many lanes");
    uint32_t first = high ? e->call.args[0]->dtype.lanes - n : 0;
    for (uint32_t i = 0; i < n; i++)
        indices[i] = (int64_t)first + i;
    return pick(g, e, e->call.args, e->call.n, indices, n);
}

/* --- LLVM's functions ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint32_t n;
    bool integer;
} functions[] = {
    {"fma", 3, false},       {"fmuladd", 3, false}, {"sqrt", 1, false},     {"exp", 1, false},
    {"exp2", 1, false},      {"log", 1, false},     {"log2", 1, false},     {"log10", 1, false},
    {"sin", 1, false},       {"cos", 1, false},     {"pow", 2, false},      {"fabs", 1, false},
    {"floor", 1, false},     {"ceil", 1, false},    {"trunc", 1, false},    {"rint", 1, false},
    {"nearbyint", 1, false}, {"round", 1, false},   {"copysign", 2, false}, {"minnum", 2, false},
    {"maxnum", 2, false},    {"ctpop", 1, true},    {"bswap", 1, true},     {"bitreverse", 1, true},
};

/* T.call_llvm_intrin("int32", "llvm.prefetch", address, for writing, locality, of data): only a
 * hint, so it is dropped if its arguments are not valid for LLVM. */
static LLVMValueRef prefetch(rlxc_llvm *g, const rlxc_expr *e)
{
    static const int64_t most[3] = {1, 3, 1};
    LLVMValueRef args[4];
    const rlxc_expr *address = e->call.n >= 5 ? e->call.args[e->call.n - 4] : NULL;
    bool fits = address && rlxc_dtype_is_handle(address->dtype);
    for (uint32_t i = 0; fits && i < 3; i++) {
        int64_t value = -1;
        fits =
            rlxc_is_int(e->call.args[e->call.n - 3 + i], &value) && value >= 0 && value <= most[i];
        args[1 + i] = rlxc_llvm_int(g, g->i32, value);
    }
    if (fits) {
        args[0] = rlxc_llvm_expr(g, address);
        rlxc_llvm_intrinsic(g, "prefetch", args, 4);
    }
    return rlxc_llvm_int(g, g->i32, 0);
}

/* T.call_llvm_pure_intrin("int32", "llvm.ctlz", x, T.bool(True)): leading or trailing zeros of x;
 * the last argument promises that x is not 0. */
static LLVMValueRef count_zeros(rlxc_llvm *g, const rlxc_expr *e, const char *name)
{
    const rlxc_expr *x = e->call.n >= 3 ? e->call.args[e->call.n - 2] : NULL;
    int64_t not_zero;
    if (!x || !rlxc_is_int(e->call.args[e->call.n - 1], &not_zero) ||
        !rlxc_dtype_is_int(e->dtype) || !rlxc_dtype_eq(x->dtype, e->dtype))
        return refuse(g, e, "takes an integer and a constant");
    LLVMValueRef args[2] = {rlxc_llvm_expr(g, x), LLVMConstInt(g->i1, not_zero != 0, false)};
    return rlxc_llvm_intrinsic(g, name, args, 2);
}

/* T.call_llvm_pure_intrin("float32", "llvm.sqrt", T.uint32(1), x): the leading count of overloaded
 * types, if present, is redundant. */
static LLVMValueRef named(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *name = e->call.args[0];
    if (name->kind != RLXC_EXPR_STRING || strncmp(name->s, "llvm.", 5) != 0)
        return refuse(g, e, "needs the name of one of LLVM's functions");
    const char *at = name->s + 5;
    size_t length = strcspn(at, ".");
    if (length == 8 && memcmp(at, "prefetch", 8) == 0)
        return prefetch(g, e);
    if (length == 6 && memcmp(at, "assume", 6) == 0)
        return rlxc_llvm_int(g, g->i32, 0); /* a hint */
    if (length == 4 && (memcmp(at, "ctlz", 4) == 0 || memcmp(at, "cttz", 4) == 0))
        return count_zeros(g, e, at[2] == 'l' ? "ctlz" : "cttz");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        uint32_t n = functions[i].n;
        if (strlen(functions[i].name) != length || memcmp(functions[i].name, at, length) != 0)
            continue;
        if (e->call.n != n + 1 && e->call.n != n + 2)
            return refuse(g, e, "wrong number of arguments");
        bool swap = strcmp(functions[i].name, "bswap") == 0; /* element of at least two bytes */
        bool fits = functions[i].integer
                        ? rlxc_dtype_is_int(e->dtype) && e->dtype.bits >= (swap ? 16 : 8)
                        : rlxc_dtype_is_float(e->dtype);
        LLVMValueRef args[3];
        for (uint32_t k = 0; k < n; k++) {
            const rlxc_expr *arg = e->call.args[e->call.n - n + k];
            fits = fits && rlxc_dtype_eq(arg->dtype, e->dtype);
            args[k] = rlxc_llvm_number(g, rlxc_llvm_expr(g, arg), arg->dtype);
        }
        if (!fits)
            return refuse(g, e, "not defined for these types");
        return rlxc_llvm_round(g, rlxc_llvm_intrinsic(g, functions[i].name, args, n), e->dtype);
    }
    rlxc_error(g->ctx, g->range, "%s: T.%s: \"%s\" is not supported", g->f->name, e->call.name,
               name->s);
    return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
}

LLVMValueRef rlxc_llvm_vector(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e)
{
    if (row->index == RLXC_INTRINSIC_Shuffle)
        return shuffle(g, e);
    if (row->index == RLXC_INTRINSIC_vectorlow || row->index == RLXC_INTRINSIC_vectorcombine)
        return part(g, e, false);
    if (row->index == RLXC_INTRINSIC_vectorhigh)
        return part(g, e, true);
    if (row->index == RLXC_INTRINSIC_call_llvm_intrin ||
        row->index == RLXC_INTRINSIC_call_llvm_pure_intrin)
        return named(g, e);
    return refuse(g, e, "is only allowed as an argument of a call");
}
