/* Parallel loops -> functions that compute a share of the iterations.
 *
 * Values of the enclosing scope are passed as parameters; ctx->parallel_for takes them in an array
 * of 8-byte slots on the caller's stack. Work per iteration is estimated when the loop is reached:
 * loops too small for two threads are plain calls.
 */
#include "compiler/codegen/llvm.h"

/* --- captured values ----------------------------------------------------- */

typedef struct capture {
    rlxc_llvm *g;
    RLXC_VEC(const rlxc_expr *) vars;
    rlxc_map seen;
} capture;

static bool capture_expr(void *user, const rlxc_expr *e);

static void capture_buffer(capture *c, const rlxc_buffer *buffer)
{
    rlxc_context *ctx = c->g->ctx;
    if (rlxc_map_get(&c->seen, rlxc_key(buffer)))
        return;
    rlxc_map_set(ctx, &c->seen, rlxc_key(buffer), c);
    rlxc_expr_visit(ctx, buffer->data, capture_expr, c);
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        rlxc_expr_visit(ctx, buffer->shape[i], capture_expr, c);
        if (buffer->strides)
            rlxc_expr_visit(ctx, buffer->strides[i], capture_expr, c);
    }
    if (buffer->elem_offset)
        rlxc_expr_visit(ctx, buffer->elem_offset, capture_expr, c);
}

static bool capture_expr(void *user, const rlxc_expr *e)
{
    capture *c = user;
    if (e->kind == RLXC_EXPR_LOAD)
        capture_buffer(c, e->load.buffer);
    if (e->kind == RLXC_EXPR_VAR && rlxc_map_get(&c->g->vars, rlxc_key(e)) &&
        !rlxc_map_get(&c->seen, rlxc_key(e))) {
        rlxc_map_set(c->g->ctx, &c->seen, rlxc_key(e), c);
        RLXC_PUSH(c->g->ctx, &c->vars, e);
        if (e->dtype.lanes > 1) /* does not fit a slot */
            rlxc_error(c->g->ctx, c->g->range, "%s: vector %s is used across a parallel loop",
                       c->g->f->name, e->var.name);
    }
    return true;
}

static void capture_one(capture *c, const rlxc_expr *e)
{
    if (e)
        rlxc_expr_visit(c->g->ctx, e, capture_expr, c);
}

static bool capture_stmt(void *user, const rlxc_stmt *s)
{
    capture *c = user;
    switch (s->kind) {
    case RLXC_STMT_FOR:
        capture_one(c, s->loop.min);
        capture_one(c, s->loop.extent);
        break;
    case RLXC_STMT_WHILE:
        capture_one(c, s->while_.cond);
        break;
    case RLXC_STMT_IF:
        capture_one(c, s->if_.cond);
        break;
    case RLXC_STMT_LET:
        capture_one(c, s->let.value);
        break;
    case RLXC_STMT_STORE:
        capture_buffer(c, s->store.buffer);
        for (uint32_t i = 0; i < s->store.n; i++)
            capture_one(c, s->store.indices[i]);
        capture_one(c, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        capture_one(c, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        capture_one(c, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        for (uint32_t i = 0; i < s->allocate.n; i++)
            capture_one(c, s->allocate.extents[i]);
        capture_one(c, s->allocate.cond);
        break;
    case RLXC_STMT_DECL_BUFFER:
        capture_buffer(c, s->decl);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
    case RLXC_STMT_BLOCK:
        break;
    }
    return !rlxc_failed(c->g->ctx);
}

/* --- work of an iteration ------------------------------------------------------------ */

/* A unit is an eighth of a nanosecond or less, scalar statements being vectorised later: a share
 * takes a few microseconds, which pays for the handshake with threads that are awake. */
enum { WORK_PER_SHARE = 60000, WORK_OF_CALL = 12, WORK_OF_VECTOR = 4, UNKNOWN_TRIPS = 16 };

static bool count_nodes(void *user, const rlxc_expr *e)
{
    int64_t *n = user;
    bool is_leaf = e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT;
    *n += e->kind == RLXC_EXPR_CALL ? WORK_OF_CALL : !is_leaf;
    return true;
}

/* For vector statements, whose operands are in cache, so that arithmetic dominates. */
static bool count_vector_nodes(void *user, const rlxc_expr *e)
{
    int64_t *n = user;
    if (e->dtype.lanes > 1 && (rlxc_is_binary(e) || e->kind == RLXC_EXPR_SELECT))
        *n += WORK_OF_VECTOR;
    if (e->kind == RLXC_EXPR_CALL)
        *n += WORK_OF_CALL;
    return true;
}

/* The expression with 0 for variables that have no value yet: loops whose trip counts depend on the
 * iteration are judged by the first. */
static const rlxc_expr *at_start(void *user, const rlxc_expr *e)
{
    const rlxc_llvm *g = user;
    bool later = e->kind == RLXC_EXPR_VAR && !rlxc_map_get(&g->vars, rlxc_key(e));
    return later ? rlxc_int(g->ctx, e->dtype, 0) : NULL;
}

typedef struct known_vars {
    rlxc_llvm *g;
    bool all;
} known_vars;

static bool is_known(void *user, const rlxc_expr *e)
{
    known_vars *k = user;
    if (e->kind == RLXC_EXPR_LOAD || e->kind == RLXC_EXPR_CALL ||
        (e->kind == RLXC_EXPR_VAR && !rlxc_map_get(&k->g->vars, rlxc_key(e))))
        k->all = false;
    return k->all;
}

static LLVMValueRef sum(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(g->b, a, b, "");
}

/* The work units of one execution of |s|. Trip counts that are unknown before the loop count as a
 * constant or, if the iterations are |alike|, as those of the first. */
static LLVMValueRef work_of(rlxc_llvm *g, const rlxc_stmt *s, bool alike)
{
    int64_t nodes = 1;
    if (s->kind == RLXC_STMT_SEQ) {
        LLVMValueRef total = rlxc_llvm_int(g, g->i64, 1);
        for (uint32_t i = 0; i < s->seq.n; i++)
            total = sum(g, total, work_of(g, s->seq.items[i], alike));
        return total;
    }
    if (s->kind == RLXC_STMT_LET && alike) { /* for later trip counts */
        const rlxc_expr *value = rlxc_expr_rewrite(g->ctx, s->let.value, at_start, g);
        known_vars k = {g, true};
        rlxc_expr_visit(g->ctx, value, is_known, &k);
        if (k.all && rlxc_dtype_is_int(value->dtype) && value->dtype.lanes == 1)
            rlxc_llvm_bind(g, s->let.var, rlxc_llvm_expr(g, value));
    }
    if (s->kind == RLXC_STMT_IF && alike)
        return work_of(g, s->if_.then, alike);
    if (s->kind == RLXC_STMT_IF) {
        LLVMValueRef then = work_of(g, s->if_.then, alike);
        return s->if_.otherwise ? sum(g, then, work_of(g, s->if_.otherwise, alike)) : then;
    }
    if (s->kind == RLXC_STMT_FOR) {
        known_vars k = {g, true};
        const rlxc_expr *extent = s->loop.extent;
        if (alike)
            extent = rlxc_expr_rewrite(g->ctx, extent, at_start, g);
        rlxc_expr_visit(g->ctx, extent, is_known, &k);
        LLVMValueRef trips =
            k.all ? rlxc_llvm_index(g, extent) : rlxc_llvm_int(g, g->i64, UNKNOWN_TRIPS);
        return LLVMBuildMul(g->b, trips, work_of(g, s->loop.body, alike), "");
    }
    if (s->kind == RLXC_STMT_WHILE)
        return rlxc_llvm_int(g, g->i64, WORK_PER_SHARE);
    if (s->kind == RLXC_STMT_STORE) {
        bool is_vector = s->store.value->dtype.lanes > 1;
        nodes = is_vector ? 0 : nodes;
        rlxc_expr_visit(g->ctx, s->store.value, is_vector ? count_vector_nodes : count_nodes,
                        &nodes);
    }
    return rlxc_llvm_int(g, g->i64, nodes);
}

/* --- the loop --------------------------------------------------------------------------------- */

/* The loop over a share. Temporaries of an iteration are allocated once, before it. */
static const rlxc_stmt *serial_loop(rlxc_llvm *g, const rlxc_stmt *loop, const rlxc_expr *first,
                                    const rlxc_expr *count)
{
    rlxc_stmt *serial = rlxc_copy(g->ctx, loop, sizeof *serial);
    const rlxc_stmt *body = loop->loop.body;
    RLXC_VEC(const rlxc_stmt *) out = {0};
    uint32_t n = 0;
    for (; body->kind == RLXC_STMT_SEQ && n < body->seq.n; n++) {
        const rlxc_stmt *s = body->seq.items[n];
        bool fixed = s->kind == RLXC_STMT_DECL_BUFFER && !s->decl->elem_offset && !s->decl->strides;
        if (s->kind == RLXC_STMT_ALLOCATE) {
            known_vars k = {g, true};
            for (uint32_t i = 0; i < s->allocate.n; i++)
                rlxc_expr_visit(g->ctx, s->allocate.extents[i], is_known, &k);
            fixed = k.all;
        }
        if (!fixed)
            break;
        RLXC_PUSH(g->ctx, &out, s);
    }
    serial->loop.kind = RLXC_LOOP_SERIAL;
    serial->loop.min = first;
    serial->loop.extent = count;
    if (n > 0)
        serial->loop.body = rlxc_stmt_seq(g->ctx, body->seq.items + n, body->seq.n - n);
    RLXC_PUSH(g->ctx, &out, serial);
    return rlxc_stmt_seq(g->ctx, out.items, out.count);
}

/* The function that computes a share: captured values, begin, end, context. */
static LLVMValueRef share_function(rlxc_llvm *g, const rlxc_stmt *loop, const char *name,
                                   const capture *c, LLVMTypeRef *params)
{
    uint32_t n = c->vars.count;
    LLVMValueRef fn = rlxc_llvm_new_function(g, name, params, n + 3);
    rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline", 0);
    for (uint32_t i = 0; i < n; i++)
        if (params[i] == g->ptr)
            rlxc_llvm_pointer_attributes(g, fn, i);
    rlxc_llvm_frame saved = rlxc_llvm_enter(g, fn);
    g->kernel_ctx = LLVMGetParam(fn, n + 2);
    for (uint32_t i = 0; i < n; i++)
        rlxc_llvm_bind(g, c->vars.items[i], LLVMGetParam(fn, i));
    LLVMValueRef min = rlxc_llvm_index(g, loop->loop.min), begin = LLVMGetParam(fn, n);
    const rlxc_expr *first = rlxc_var(g->ctx, rlxc_intern_cstr(g->ctx, "begin"), RLX_I64);
    const rlxc_expr *count = rlxc_var(g->ctx, rlxc_intern_cstr(g->ctx, "count"), RLX_I64);
    rlxc_llvm_bind(g, first, LLVMBuildNSWAdd(g->b, min, begin, ""));
    rlxc_llvm_bind(g, count, LLVMBuildNSWSub(g->b, LLVMGetParam(fn, n + 1), begin, ""));
    rlxc_bounds_set(g->ctx, &g->bounds, first, rlxc_bound_of(g->ctx, loop->loop.var, &g->bounds));
    rlxc_llvm_stmt(g, serial_loop(g, loop, first, count));
    LLVMBuildRet(g->b, rlxc_llvm_int(g, g->i32, 0));
    rlxc_llvm_leave(g, &saved);
    return fn;
}

/* The function passed to parallel_for: unpacks the slots and calls the share. */
static LLVMValueRef unpacking_function(rlxc_llvm *g, const char *name, LLVMValueRef share,
                                       LLVMTypeRef *types, LLVMValueRef *args, uint32_t n)
{
    LLVMTypeRef params[4] = {g->ptr, g->i64, g->i64, g->ptr};
    LLVMValueRef fn = rlxc_llvm_new_function(g, name, params, 4);
    rlxc_llvm_frame saved = rlxc_llvm_enter(g, fn);
    for (uint32_t i = 0; i < n; i++)
        args[i] = LLVMBuildLoad2(g->b, types[i], rlxc_llvm_slot(g, LLVMGetParam(fn, 0), i), "");
    for (uint32_t i = 0; i < 3; i++)
        args[n + i] = LLVMGetParam(fn, i + 1);
    LLVMBuildRet(g->b, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(share), share, args, n + 3, ""));
    rlxc_llvm_leave(g, &saved);
    return fn;
}

static LLVMValueRef call_parallel_for(rlxc_llvm *g, LLVMValueRef body, LLVMValueRef *args,
                                      uint32_t n, LLVMValueRef extent, LLVMValueRef grain)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->entry));
    LLVMValueRef slots =
        LLVMBuildArrayAlloca(g->b, g->i64, rlxc_llvm_int(g, g->i32, n ? n : 1), "captured");
    LLVMPositionBuilderAtEnd(g->b, at);
    for (uint32_t i = 0; i < n; i++)
        LLVMBuildStore(g->b, args[i], rlxc_llvm_slot(g, slots, i));
    LLVMTypeRef types[5] = {g->ptr, g->ptr, g->ptr, g->i64, g->i64};
    LLVMTypeRef type = LLVMFunctionType(g->i32, types, 5, false);
    LLVMValueRef call[5] = {g->kernel_ctx, body, slots, extent, grain};
    return LLVMBuildCall2(g->b, type, rlxc_llvm_context_member(g, 24), call, 5, "");
}

/* The number of iterations that pay for a thread. */
static LLVMValueRef grain_of(rlxc_llvm *g, const rlxc_stmt *loop)
{
    LLVMValueRef one = rlxc_llvm_int(g, g->i64, 1);
    bool alike = rlxc_attrs_find(&loop->loop.annotations, "rlx.alike") != NULL;
    LLVMValueRef work = work_of(g, loop->loop.body, alike);
    LLVMValueRef none = LLVMBuildICmp(g->b, LLVMIntSLT, work, one, "");
    work = LLVMBuildSelect(g->b, none, one, work, "");
    LLVMValueRef whole = rlxc_llvm_int(g, g->i64, WORK_PER_SHARE);
    return sum(g, LLVMBuildUDiv(g->b, whole, work, ""), one);
}

void rlxc_llvm_parallel(rlxc_llvm *g, const rlxc_stmt *loop)
{
    capture c = {.g = g};
    rlxc_llvm_memo_forget(g, 0);
    capture_one(&c, loop->loop.min);
    rlxc_stmt_visit(loop->loop.body, capture_stmt, &c);
    uint32_t n = c.vars.count, number = g->n_parallel++;
    LLVMTypeRef *types = rlxc_try_alloc(g->ctx, n + 3, sizeof *types);
    LLVMValueRef *args = rlxc_try_alloc(g->ctx, n + 3, sizeof *args);
    LLVMValueRef *inner = rlxc_try_alloc(g->ctx, n + 3, sizeof *inner);
    if (!types || !args || !inner)
        return;
    for (uint32_t i = 0; i < n; i++) {
        args[i] = (LLVMValueRef)rlxc_map_get(&g->vars, rlxc_key(c.vars.items[i]));
        types[i] = LLVMTypeOf(args[i]);
    }
    types[n] = types[n + 1] = g->i64;
    types[n + 2] = g->ptr;
    const char *name = rlxc_internf(g->ctx, "%s.share%u", g->symbol, number);
    LLVMValueRef share = share_function(g, loop, name, &c, types);
    name = rlxc_internf(g->ctx, "%s.parallel%u", g->symbol, number);
    LLVMValueRef body = unpacking_function(g, name, share, types, inner, n);

    /* one thread, or less work than two shares: a plain call */
    LLVMBasicBlockRef blocks[2], failed, fine;
    blocks[0] = LLVMAppendBasicBlockInContext(g->lc, g->fn, "alone");
    blocks[1] = LLVMAppendBasicBlockInContext(g->lc, g->fn, "threads");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(g->lc, g->fn, "joined");
    LLVMValueRef extent = rlxc_llvm_index(g, loop->loop.extent), grain = grain_of(g, loop);
    LLVMValueRef four = rlxc_llvm_int(g, g->i64, 4), one = rlxc_llvm_int(g, g->i32, 1);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, g->i8, g->kernel_ctx, &four, 1, "");
    LLVMValueRef threads = LLVMBuildLoad2(g->b, g->i32, at, "");
    LLVMValueRef is_alone = LLVMBuildOr(g->b, LLVMBuildICmp(g->b, LLVMIntULE, threads, one, ""),
                                        LLVMBuildICmp(g->b, LLVMIntSLE, extent, grain, ""), "");
    LLVMBuildCondBr(g->b, is_alone, blocks[0], blocks[1]);
    LLVMValueRef status[2];
    LLVMPositionBuilderAtEnd(g->b, blocks[0]);
    args[n] = rlxc_llvm_int(g, g->i64, 0);
    args[n + 1] = extent;
    args[n + 2] = g->kernel_ctx;
    status[0] = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(share), share, args, n + 3, "");
    LLVMBuildBr(g->b, join);
    LLVMPositionBuilderAtEnd(g->b, blocks[1]);
    status[1] = call_parallel_for(g, body, args, n, extent, grain);
    LLVMBuildBr(g->b, join);
    LLVMPositionBuilderAtEnd(g->b, join);
    LLVMValueRef result = LLVMBuildPhi(g->b, g->i32, "");
    LLVMAddIncoming(result, status, blocks, 2);
    failed = LLVMAppendBasicBlockInContext(g->lc, g->fn, "failed");
    fine = LLVMAppendBasicBlockInContext(g->lc, g->fn, "fine");
    LLVMValueRef zero = rlxc_llvm_int(g, g->i32, 0);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, result, zero, ""), failed, fine);
    LLVMPositionBuilderAtEnd(g->b, failed);
    LLVMBuildRet(g->b, result);
    LLVMPositionBuilderAtEnd(g->b, fine);
}
