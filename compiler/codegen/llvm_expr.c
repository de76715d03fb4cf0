/* TIR expressions -> LLVM values.
 *
 * Expressions are DAGs that may be exponentially large as trees, so values are memoised per
 * statement; those computed inside a branch are dropped at its end. Data arithmetic wraps and never
 * traps; index arithmetic (rlxc_llvm_index) is done in 64 bits without wrapping. Conditional
 * expressions become selects unless a side reads memory: that must happen only if the condition
 * selects it. */
#include "compiler/codegen/device.h"
#include "compiler/codegen/llvm.h"

#include <string.h>

static LLVMValueRef problem(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: %s", g->f->name, what);
    return LLVMGetPoison(rlxc_llvm_type(g, e->dtype));
}

void rlxc_llvm_memo_forget(rlxc_llvm *g, uint32_t mark)
{
    while (g->memo_log.count > mark)
        rlxc_map_set(g->ctx, &g->memo, rlxc_key(g->memo_log.items[--g->memo_log.count]), NULL);
}

/* --- memory ---------------------------------------------------------------------------------- */

/* The addresses of all lanes, in a vector of |n|; more lanes have that of the first. */
static LLVMValueRef lane_pointers(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type,
                                  uint32_t n)
{
    LLVMValueRef pointers = LLVMGetPoison(LLVMVectorType(g->ptr, n));
    for (uint32_t i = 0; i < n; i++)
        pointers = LLVMBuildInsertElement(g->b, pointers,
                                          rlxc_llvm_lane(g, at, type, i < at->lanes ? i : 0),
                                          LLVMConstInt(g->i32, i, false), "");
    return pointers;
}

/* |v| with |n| lanes: its first ones or, after them, zeros. */
static LLVMValueRef with_lanes(rlxc_llvm *g, LLVMValueRef v, uint32_t n)
{
    const uint32_t have = rlxc_llvm_lanes(v);
    if (have == n)
        return v;
    LLVMValueRef *places = rlxc_alloc(g->ctx, n * sizeof *places);
    for (uint32_t i = 0; i < n; i++)
        places[i] = LLVMConstInt(g->i32, i < have ? i : have, false);
    return LLVMBuildShuffleVector(g->b, v, LLVMConstNull(LLVMTypeOf(v)), LLVMConstVector(places, n),
                                  "");
}

/* llvm.masked.|name| of a vector type: load, store, and of many addresses gather, scatter. |value|
 * is the value to store, or NULL.
 *
 * A gather has a power of two of lanes. To others LLVM adds lanes without addresses; for a register
 * of only such lanes it may choose the one that holds the result, too, and then CPUs refuse the
 * instruction. */
static LLVMValueRef masked_access(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type,
                                  uint32_t align, LLVMValueRef value)
{
    const bool near = rlxc_llvm_is_near(at);
    uint32_t n = 1;
    while (n < at->lanes)
        n *= 2;
    if (near || value)
        n = at->lanes;
    LLVMTypeRef whole = LLVMVectorType(type, n);
    LLVMValueRef p = near ? rlxc_llvm_start(g, at, type) : lane_pointers(g, at, type, n);
    LLVMTypeRef overloads[2] = {whole, LLVMTypeOf(p)};
    const char *name = value ? (near ? "llvm.masked.store" : "llvm.masked.scatter")
                             : (near ? "llvm.masked.load" : "llvm.masked.gather");
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, overloads, 2);
    LLVMValueRef bytes = rlxc_llvm_int(g, g->i32, align);
    LLVMValueRef loads[4] = {p, bytes, with_lanes(g, g->mask, n), LLVMConstNull(whole)};
    LLVMValueRef stores[4] = {value, p, bytes, g->mask};
    LLVMValueRef made =
        LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, value ? stores : loads, 4, "");
    return value ? made : with_lanes(g, made, at->lanes);
}

/* True if the access is limited to the lanes of the mask. */
static bool is_masked(const rlxc_llvm *g, const rlxc_llvm_address *at)
{
    return g->mask && at->lanes > 1 && at->lanes == rlxc_llvm_lanes(g->mask);
}

static uint32_t element_bytes(rlx_dtype t)
{
    return t.bits <= 8 ? 1u : t.bits / 8u;
}

static LLVMValueRef load(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_buffer *buffer = e->load.buffer;
    rlxc_llvm_address at;
    LLVMValueRef found = e->load.n == 1 ? rlxc_llvm_lookup(g, buffer, e->load.indices[0]) : NULL;
    if (!found && e->load.n == 1)
        found = rlxc_llvm_palette(g, buffer, e->load.indices[0]);
    if (found)
        return rlxc_llvm_from_memory(g, found, buffer->dtype);
    if (!rlxc_llvm_locate(g, buffer, e->load.indices, e->load.n, &at))
        return problem(g, e, "unreadable buffer");
    LLVMTypeRef type = rlxc_llvm_memory(g, buffer->dtype);
    uint32_t align = element_bytes(buffer->dtype);
    LLVMValueRef value;
    if (is_masked(g, &at)) {
        value = masked_access(g, &at, type, align, NULL);
    } else if (at.lanes == 1 || rlxc_llvm_is_near(&at)) {
        LLVMValueRef p = rlxc_llvm_start(g, &at, type);
        LLVMTypeRef whole = at.lanes > 1 ? LLVMVectorType(type, at.lanes) : type;
        value = LLVMBuildLoad2(g->b, whole, p, "");
        LLVMSetAlignment(value, align);
        rlxc_llvm_in_place_access(g, buffer, value);
    } else {
        value = LLVMGetPoison(LLVMVectorType(type, at.lanes));
        for (uint32_t i = 0; i < at.lanes; i++) {
            LLVMValueRef item = LLVMBuildLoad2(g->b, type, rlxc_llvm_lane(g, &at, type, i), "");
            LLVMSetAlignment(item, align);
            value = LLVMBuildInsertElement(g->b, value, item, LLVMConstInt(g->i32, i, false), "");
        }
    }
    return rlxc_llvm_from_memory(g, value, buffer->dtype);
}

void rlxc_llvm_store(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                     uint32_t n, LLVMValueRef value)
{
    rlxc_llvm_address at;
    if (!rlxc_llvm_locate(g, buffer, indices, n, &at))
        return;
    LLVMTypeRef type = rlxc_llvm_memory(g, buffer->dtype);
    uint32_t align = element_bytes(buffer->dtype);
    value = rlxc_llvm_to_memory(g, rlxc_llvm_splat(g, value, at.lanes), buffer->dtype);
    if (rlxc_llvm_lanes(value) != at.lanes) {
        rlxc_error(g->ctx, g->range, "%s: a vector of %u lanes is stored into %u elements of %s",
                   g->f->name, rlxc_llvm_lanes(value), at.lanes, buffer->name);
        return;
    }
    if (is_masked(g, &at)) {
        masked_access(g, &at, type, align, value);
        return;
    }
    if (at.lanes == 1 || rlxc_llvm_is_near(&at)) {
        LLVMValueRef p = rlxc_llvm_start(g, &at, type);
        LLVMValueRef written = LLVMBuildStore(g->b, value, p);
        LLVMSetAlignment(written, align);
        rlxc_llvm_in_place_access(g, buffer, written);
        return;
    }
    for (uint32_t i = 0; i < at.lanes; i++) {
        LLVMValueRef item =
            LLVMBuildExtractElement(g->b, value, LLVMConstInt(g->i32, i, false), "");
        LLVMSetAlignment(LLVMBuildStore(g->b, item, rlxc_llvm_lane(g, &at, type, i)), align);
    }
}

/* --- operators ------------------------------------------------------------------------------- */

static LLVMValueRef float_constant(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlx_dtype wide = {RLX_FLOAT, 32, e->dtype.lanes};
    LLVMTypeRef type = rlxc_llvm_type(g, e->dtype.bits == 8 ? wide : e->dtype);
    return rlxc_llvm_round(g, rlxc_llvm_float(type, e->f), e->dtype);
}

static LLVMValueRef arithmetic(rlxc_llvm *g, const rlxc_expr *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = g->b;
    rlx_dtype t = e->bin.a->dtype;
    bool is_float = rlxc_dtype_is_float(t), is_signed = t.code == RLX_INT;
    x = rlxc_llvm_number(g, x, t);
    y = rlxc_llvm_number(g, y, t);
    LLVMValueRef r = NULL, pair[2] = {x, y};
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_ADD:
        r = is_float ? LLVMBuildFAdd(b, x, y, "") : rlxc_llvm_integer(g, RLXC_LLVM_ADD, x, y);
        break;
    case RLXC_EXPR_SUB:
        r = is_float ? LLVMBuildFSub(b, x, y, "") : rlxc_llvm_integer(g, RLXC_LLVM_SUB, x, y);
        break;
    case RLXC_EXPR_MUL:
        r = is_float ? LLVMBuildFMul(b, x, y, "") : rlxc_llvm_integer(g, RLXC_LLVM_MUL, x, y);
        break;
    case RLXC_EXPR_DIV:
        r = is_float ? LLVMBuildFDiv(b, x, y, "") : rlxc_llvm_divide(g, is_signed, false, x, y);
        break;
    case RLXC_EXPR_MOD:
        if (!is_float)
            return rlxc_llvm_divide(g, is_signed, true, x, y);
        if (t.bits == 64 && g->launch)
            return problem(g, e, rlxc_nvptx_lacks(e));
        r = t.bits < 64 ? rlxc_llvm_fmod(g, x, y) : LLVMBuildFRem(b, x, y, "");
        break;
    case RLXC_EXPR_FLOORDIV:
    case RLXC_EXPR_FLOORMOD: {
        bool remainder = e->kind == RLXC_EXPR_FLOORMOD;
        if (is_float) {
            LLVMValueRef q = LLVMBuildFDiv(b, x, y, "");
            q = rlxc_llvm_intrinsic(g, "floor", &q, 1);
            r = remainder ? LLVMBuildFSub(b, x, LLVMBuildFMul(b, q, y, ""), "") : q;
            break;
        }
        bool nonneg = is_signed && rlxc_bound_of(g->ctx, e->bin.a, &g->bounds).min >= 0 &&
                      rlxc_bound_of(g->ctx, e->bin.b, &g->bounds).min >= 0;
        return rlxc_llvm_floor_divide(g, is_signed, remainder, nonneg, x, y);
    }
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX: {
        bool is_min = e->kind == RLXC_EXPR_MIN;
        if (is_float) { /* NaN in either operand gives NaN, as NumPy's */
            r = rlxc_llvm_intrinsic(g, is_min ? "minimum" : "maximum", pair, 2);
            r = rlxc_llvm_fast(g, r, false);
            return t.bits == 8 ? rlxc_llvm_round(g, r, t) : r;
        }
        LLVMIntPredicate p = is_signed ? LLVMIntSLT : LLVMIntULT;
        LLVMValueRef less = rlxc_llvm_compare(g, p, x, y);
        return rlxc_llvm_select(g, less, is_min ? x : y, is_min ? y : x);
    }
    case RLXC_EXPR_AND:
        return rlxc_llvm_integer(g, RLXC_LLVM_AND, x, y);
    case RLXC_EXPR_OR:
        return rlxc_llvm_integer(g, RLXC_LLVM_OR, x, y);
    case RLXC_EXPR_EQ:
    case RLXC_EXPR_NE:
    case RLXC_EXPR_LT:
    case RLXC_EXPR_LE:
    case RLXC_EXPR_GT:
    case RLXC_EXPR_GE: {
        static const struct {
            LLVMRealPredicate f;
            LLVMIntPredicate s, u;
        } rows[] = {{LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ},   {LLVMRealUNE, LLVMIntNE, LLVMIntNE},
                    {LLVMRealOLT, LLVMIntSLT, LLVMIntULT}, {LLVMRealOLE, LLVMIntSLE, LLVMIntULE},
                    {LLVMRealOGT, LLVMIntSGT, LLVMIntUGT}, {LLVMRealOGE, LLVMIntSGE, LLVMIntUGE}};
        uint32_t row = (uint32_t)e->kind - RLXC_EXPR_EQ;
        return is_float ? LLVMBuildFCmp(b, rows[row].f, x, y, "")
                        : rlxc_llvm_compare(g, is_signed ? rows[row].s : rows[row].u, x, y);
    }
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        RLXC_OTHER_EXPRS(RLXC_EXPR_CASE)
        return problem(g, e, "not a binary operator");
    }
    if (!is_float)
        return r;
    return rlxc_llvm_round(g, rlxc_llvm_fast(g, r, false), t);
}

static bool reads_memory(void *user, const rlxc_expr *e)
{
    bool *found = user;
    if (e->kind == RLXC_EXPR_LOAD ||
        (e->kind == RLXC_EXPR_CALL && (e->call.n == 0 || e->dtype.code == RLX_HANDLE)))
        *found = true;
    return !*found;
}

static bool safe_to_compute(rlxc_llvm *g, const rlxc_expr *e)
{
    bool found = false;
    rlxc_expr_visit(g->ctx, e, reads_memory, &found);
    return !found;
}

/* cond ? yes : no, computing only the selected side. */
static LLVMValueRef branch(rlxc_llvm *g, LLVMValueRef cond, const rlxc_expr *yes,
                           const rlxc_expr *no, LLVMValueRef yes_value, LLVMValueRef no_value)
{
    LLVMBasicBlockRef blocks[2], ends[2], before = LLVMGetInsertBlock(g->b);
    blocks[0] = LLVMAppendBasicBlockInContext(g->lc, g->fn, "yes");
    blocks[1] = LLVMAppendBasicBlockInContext(g->lc, g->fn, "no");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(g->lc, g->fn, "join");
    LLVMValueRef values[2] = {yes_value, no_value};
    const rlxc_expr *exprs[2] = {yes, no};
    LLVMBuildCondBr(g->b, cond, blocks[0], blocks[1]);
    for (int i = 0; i < 2; i++) {
        rlxc_llvm_runs_after(g, blocks[i], before);
        LLVMPositionBuilderAtEnd(g->b, blocks[i]);
        uint32_t mark = g->memo_log.count;
        if (!values[i])
            values[i] = rlxc_llvm_expr(g, exprs[i]);
        rlxc_llvm_memo_forget(g, mark);
        ends[i] = LLVMGetInsertBlock(g->b);
        LLVMBuildBr(g->b, join);
    }
    rlxc_llvm_runs_after(g, join, before);
    LLVMPositionBuilderAtEnd(g->b, join);
    LLVMValueRef phi = LLVMBuildPhi(g->b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, ends, 2);
    return phi;
}

/* One side of a conditional by lanes: memory is read only in the lanes that select it. */
static LLVMValueRef in_lanes(rlxc_llvm *g, LLVMValueRef mask, const rlxc_expr *e)
{
    if (safe_to_compute(g, e))
        return rlxc_llvm_expr(g, e);
    LLVMValueRef outer = g->mask;
    uint32_t mark = g->memo_log.count;
    bool nested = outer && rlxc_llvm_lanes(outer) == rlxc_llvm_lanes(mask);
    g->mask = nested ? LLVMBuildAnd(g->b, outer, mask, "") : mask;
    LLVMValueRef value = rlxc_llvm_expr(g, e);
    rlxc_llvm_memo_forget(g, mark);
    g->mask = outer;
    return value;
}

static LLVMValueRef choose(rlxc_llvm *g, const rlxc_expr *cond, const rlxc_expr *yes,
                           const rlxc_expr *no, bool both)
{
    if (!rlxc_dtype_is_bool(cond->dtype) || yes->dtype.code != no->dtype.code ||
        yes->dtype.bits != no->dtype.bits)
        return problem(g, yes, "a conditional needs a bool and two values of one type");
    LLVMValueRef c = rlxc_llvm_expr(g, cond);
    if (rlxc_llvm_lanes(c) == 1 && !both && !(safe_to_compute(g, yes) && safe_to_compute(g, no)))
        return branch(g, c, yes, no, NULL, NULL);
    bool by_lane = !both && rlxc_llvm_lanes(c) > 1;
    LLVMValueRef y = by_lane ? in_lanes(g, c, yes) : rlxc_llvm_expr(g, yes);
    LLVMValueRef n = by_lane ? in_lanes(g, LLVMBuildNot(g->b, c, ""), no) : rlxc_llvm_expr(g, no);
    rlxc_llvm_unify(g, &y, &n);
    uint32_t lanes =
        rlxc_llvm_lanes(y) > rlxc_llvm_lanes(c) ? rlxc_llvm_lanes(y) : rlxc_llvm_lanes(c);
    y = rlxc_llvm_splat(g, y, lanes);
    n = rlxc_llvm_splat(g, n, lanes);
    return rlxc_llvm_select(g, c, y, n);
}

static LLVMValueRef logical(rlxc_llvm *g, const rlxc_expr *e)
{
    bool is_and = e->kind == RLXC_EXPR_AND;
    if (!safe_to_compute(g, e->bin.b) && rlxc_dtype_is_bool(e->bin.a->dtype) &&
        rlxc_dtype_is_bool(e->bin.b->dtype) && e->bin.b->dtype.lanes == 1) {
        LLVMValueRef a = rlxc_llvm_expr(g, e->bin.a);
        if (rlxc_llvm_lanes(a) == 1) {
            LLVMValueRef known = LLVMConstInt(g->i1, !is_and, false);
            return is_and ? branch(g, a, e->bin.b, NULL, NULL, known)
                          : branch(g, a, NULL, e->bin.b, known, NULL);
        }
    }
    LLVMValueRef x = rlxc_llvm_expr(g, e->bin.a), y = rlxc_llvm_expr(g, e->bin.b);
    rlxc_llvm_unify(g, &x, &y);
    if (!rlxc_dtype_is_bool(e->bin.a->dtype) || LLVMTypeOf(x) != LLVMTypeOf(y))
        return problem(g, e, "and, or need bools");
    return arithmetic(g, e, x, y);
}

static LLVMValueRef ramp(rlxc_llvm *g, const rlxc_expr *e)
{
    if (!rlxc_dtype_is_int(e->ramp.base->dtype) ||
        !rlxc_dtype_eq(e->ramp.base->dtype, e->ramp.stride->dtype))
        return problem(g, e, "a ramp needs integers of one type");
    LLVMValueRef base = rlxc_llvm_expr(g, e->ramp.base), stride = rlxc_llvm_expr(g, e->ramp.stride);
    uint32_t lanes = e->ramp.lanes;
    LLVMValueRef steps[RLXC_MAX_LANES];
    for (uint32_t i = 0; i < lanes; i++)
        steps[i] = LLVMConstInt(LLVMTypeOf(base), i, false);
    LLVMValueRef walk = LLVMConstVector(steps, lanes);
    LLVMValueRef scaled = LLVMBuildMul(g->b, walk, rlxc_llvm_splat(g, stride, lanes), "");
    return LLVMBuildAdd(g->b, rlxc_llvm_splat(g, base, lanes), scaled, "");
}

static LLVMValueRef numbers(rlxc_llvm *g, const rlxc_expr *e)
{
    LLVMValueRef weight = rlxc_llvm_gelu_weight(g, e);
    if (weight)
        return weight;
    LLVMValueRef x = rlxc_llvm_operand(g, e, e->bin.a), y = rlxc_llvm_operand(g, e, e->bin.b);
    rlxc_llvm_unify(g, &x, &y);
    if (LLVMTypeOf(x) != LLVMTypeOf(y) || rlxc_dtype_is_handle(e->bin.a->dtype))
        return problem(g, e, "an operator needs two numbers of one type");
    return arithmetic(g, e, x, y);
}

static LLVMValueRef emit(rlxc_llvm *g, const rlxc_expr *e)
{
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_VAR: {
        void *value = rlxc_map_get(&g->vars, rlxc_key(e));
        if (value)
            return (LLVMValueRef)value;
        rlxc_error(g->ctx, g->range, "%s: variable %s has no value here", g->f->name, e->var.name);
        return LLVMGetPoison(rlxc_llvm_type(g, e->dtype));
    }
    case RLXC_EXPR_INT:
        return rlxc_llvm_int(g, rlxc_llvm_type(g, e->dtype), e->i);
    case RLXC_EXPR_FLOAT:
        return float_constant(g, e);
    case RLXC_EXPR_STRING:
        return problem(g, e, "a string is used as a number");
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        return logical(g, e);
        RLXC_NUMBER_EXPRS(RLXC_EXPR_CASE)
        return numbers(g, e);
    case RLXC_EXPR_NOT:
        if (!rlxc_dtype_is_bool(e->bin.a->dtype))
            return problem(g, e, "not needs a bool");
        return LLVMBuildNot(g->b, rlxc_llvm_expr(g, e->bin.a), "");
    case RLXC_EXPR_CAST: {
        LLVMValueRef narrow = rlxc_llvm_quantized(g, e);
        return narrow ? narrow
                      : rlxc_llvm_cast(g, rlxc_llvm_expr(g, e->bin.a), e->bin.a->dtype, e->dtype);
    }
    case RLXC_EXPR_SELECT:
        return choose(g, e->select.cond, e->select.yes, e->select.no, true);
    case RLXC_EXPR_LOAD:
        return load(g, e);
    case RLXC_EXPR_CALL:
        if (e->call.n == 3 && rlxc_find_intrinsic(e->call.name, strlen(e->call.name)) ==
                                  rlxc_find_intrinsic("if_then_else", 12))
            return choose(g, e->call.args[0], e->call.args[1], e->call.args[2], false);
        return rlxc_llvm_call(g, e);
    case RLXC_EXPR_LET: {
        LLVMValueRef value = rlxc_llvm_expr(g, e->let.value);
        rlxc_map_set(g->ctx, &g->vars, rlxc_key(e->let.var), value);
        return rlxc_llvm_expr(g, e->let.body);
    }
    case RLXC_EXPR_RAMP:
        return ramp(g, e);
    case RLXC_EXPR_BROADCAST:
        return rlxc_llvm_splat(g, rlxc_llvm_expr(g, e->ramp.base), e->ramp.lanes);
    }
    return problem(g, e, "an expression of an unknown kind");
}

LLVMValueRef rlxc_llvm_expr(rlxc_llvm *g, const rlxc_expr *e)
{
    if (rlxc_failed(g->ctx))
        return LLVMGetPoison(rlxc_llvm_type(g, e->dtype));
    if (e->dtype.lanes > RLXC_MAX_LANES || rlxc_dtype_is_void(e->dtype))
        return problem(g, e, "code generation does not support the type of an expression");
    if (e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_FLOAT)
        return emit(g, e);
    void *known = rlxc_map_get(&g->memo, rlxc_key(e));
    if (known)
        return (LLVMValueRef)known;
    LLVMValueRef value = emit(g, e);
    rlxc_map_set(g->ctx, &g->memo, rlxc_key(e), value);
    RLXC_PUSH(g->ctx, &g->memo_log, e);
    return value;
}

LLVMValueRef rlxc_llvm_condition(rlxc_llvm *g, const rlxc_expr *e)
{
    if (rlxc_dtype_is_bool(e->dtype) && e->dtype.lanes == 1)
        return rlxc_llvm_expr(g, e);
    problem(g, e, "a condition is not a bool");
    return LLVMConstInt(g->i1, 0, false);
}

static LLVMValueRef widen(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    return LLVMBuildIntCast2(g->b, value, rlxc_llvm_like(g->i64, value), t.code == RLX_INT, "");
}

LLVMValueRef rlxc_llvm_index(rlxc_llvm *g, const rlxc_expr *e)
{
    bool is_int = rlxc_dtype_is_int(e->dtype) && e->dtype.code == RLX_INT;
    if (!rlxc_dtype_is_int(e->dtype) && !rlxc_dtype_is_bool(e->dtype)) {
        problem(g, e, "an index or extent is not an integer");
        return rlxc_llvm_int(g, g->i64, 0);
    }
    if (is_int &&
        (e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL)) {
        LLVMValueRef x = rlxc_llvm_index(g, e->bin.a), y = rlxc_llvm_index(g, e->bin.b);
        rlxc_llvm_unify(g, &x, &y);
        return rlxc_llvm_integer(g,
                                 e->kind == RLXC_EXPR_ADD   ? RLXC_LLVM_NSW_ADD
                                 : e->kind == RLXC_EXPR_SUB ? RLXC_LLVM_NSW_SUB
                                                            : RLXC_LLVM_NSW_MUL,
                                 x, y);
    }
    if (e->kind == RLXC_EXPR_VAR) {
        void *wide = rlxc_map_get(&g->wide, rlxc_key(e));
        if (wide)
            return (LLVMValueRef)wide;
    }
    if (is_int && e->kind == RLXC_EXPR_CAST && e->bin.a->dtype.code == RLX_INT &&
        e->bin.a->dtype.bits <= e->dtype.bits)
        return rlxc_llvm_index(g, e->bin.a);
    return widen(g, rlxc_llvm_expr(g, e), e->dtype);
}
