/* A launch -> a kernel of NVIDIA's GPUs in LLVM.
 *
 * Each buffer is a parameter in the global address space; scalars follow in the order of the
 * launch. All accesses use the generic address space; LLVM infers the specific one. Memory of a
 * block is a variable of the module, memory of a thread is on its stack and goes to registers where
 * all indices are known. */
#include <stdio.h>
#include <string.h>

#include "compiler/codegen/device_launch.h"
#include "compiler/codegen/llvm.h"

enum { GLOBAL = 1, SHARED = 3 }; /* address spaces */
enum {
    LOCAL_LIMIT = 256 << 10, /* bytes of memory of a thread */
    KERNEL_CONVENTION = 71   /* LLVM's number of kernels' calling convention */
};

/* --- numbers of threads ------------------------------------------------------------------------
 */

/* The index of this thread, or block, on |axis| (tir.h), or how many there are. */
static LLVMValueRef read_axis(rlxc_llvm *g, int axis, bool count)
{
    char name[48];
    const bool block = axis < 3;
    snprintf(name, sizeof name, "llvm.nvvm.read.ptx.sreg.%s.%c",
             block ? (count ? "nctaid" : "ctaid") : (count ? "ntid" : "tid"), "xyzxyz"[axis]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, NULL, 0);
    LLVMValueRef n =
        LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, NULL, 0), fn, NULL, 0, "");
    return LLVMBuildZExt(g->b, n, g->i64, "");
}

/* Its bounds are those of |extent| threads from |min| on. */
static void bind_index(rlxc_llvm *g, const rlxc_expr *var, LLVMValueRef value, const rlxc_expr *min,
                       const rlxc_expr *extent)
{
    rlxc_llvm_bind(g, var, LLVMBuildIntCast2(g->b, value, rlxc_llvm_type(g, var->dtype), true, ""));
    rlxc_map_set(g->ctx, &g->wide, rlxc_key(var), value);
    rlxc_bound first = rlxc_bound_of(g->ctx, min, &g->bounds);
    rlxc_bound count = rlxc_bound_of(g->ctx, extent, &g->bounds);
    rlxc_bound range = {first.min, INT64_MAX};
    if (first.max < INT64_MAX / 2 && count.max < INT64_MAX / 2 && count.max > 0)
        range.max = first.max + count.max - 1;
    rlxc_bounds_set(g->ctx, &g->bounds, var, range);
}

static bool is_whole_axis(rlxc_llvm *g, const rlxc_stmt *loop, int axis)
{
    int64_t turns, threads;
    const rlxc_expr *all = axis < 3 ? g->launch->grid[axis] : g->launch->block[axis - 3];
    return loop->loop.extent == all || (rlxc_is_int(loop->loop.extent, &turns) &&
                                        rlxc_is_int(all, &threads) && turns == threads);
}

void rlxc_nvptx_bound_loop(rlxc_llvm *g, const rlxc_stmt *loop)
{
    const int axis = rlxc_thread_axis(loop->loop.thread);
    if (axis < 0) {
        rlxc_error(g->ctx, g->range, "%s: loop %s is bound to %s, which CUDA does not have",
                   g->f->name, loop->loop.var->var.name, loop->loop.thread);
        return;
    }
    LLVMValueRef index = read_axis(g, axis, false);
    LLVMValueRef extent = rlxc_llvm_index(g, loop->loop.extent);
    LLVMValueRef value = LLVMBuildNSWAdd(g->b, index, rlxc_llvm_index(g, loop->loop.min), "");
    bind_index(g, loop->loop.var, value, loop->loop.min, loop->loop.extent);
    if (is_whole_axis(g, loop, axis)) {
        rlxc_llvm_stmt(g, loop->loop.body);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(g->lc, g->fn, "turn");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(g->lc, g->fn, "rest");
    rlxc_llvm_runs_after(g, body, before);
    rlxc_llvm_runs_after(g, after, before);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, index, extent, ""), body, after);
    LLVMPositionBuilderAtEnd(g->b, body);
    rlxc_llvm_stmt(g, loop->loop.body);
    LLVMBuildBr(g->b, after);
    LLVMPositionBuilderAtEnd(g->b, after);
}

/* --- memory ------------------------------------------------------------------------------------
 */

/* Constant bytes of a temporary; false with a diagnostic. */
static bool bytes_of(rlxc_llvm *g, const rlxc_expr *var, rlx_dtype dtype,
                     const rlxc_expr *const *extents, uint32_t n, uint64_t limit, uint64_t *out)
{
    rlx_dtype one = dtype;
    one.lanes = 1;
    uint64_t bytes = (uint64_t)rlx_dtype_size(one) * dtype.lanes;
    bool known = bytes > 0;
    for (uint32_t i = 0; i < n && known; i++) {
        int64_t extent;
        known = rlxc_is_int(extents[i], &extent) && extent >= 0 && (uint64_t)extent <= limit;
        bytes = known ? bytes * (uint64_t)extent : bytes;
        known = known && bytes <= limit;
    }
    if (!known)
        rlxc_error(g->ctx, g->range,
                   "%s: the size of %s, memory of a thread or block, must be a constant of at most "
                   "%llu bytes",
                   g->f->name, var->var.name, (unsigned long long)limit);
    *out = bytes;
    return known;
}

/* A place in the memory that is sized at the launch: an array of the module that begins there. */
static LLVMValueRef shared_at_launch(rlxc_llvm *g, uint32_t at)
{
    static const char name[] = "rlx$shared"; /* no name of a variable */
    LLVMValueRef all = LLVMGetNamedGlobal(g->module, name), index = rlxc_llvm_int(g, g->i64, at);
    if (!all) {
        all = LLVMAddGlobalInAddressSpace(g->module, LLVMArrayType2(g->i8, 0), name, SHARED);
        LLVMSetAlignment(all, 128);
    }
    LLVMValueRef place = LLVMConstInBoundsGEP2(g->i8, all, &index, 1);
    return LLVMConstAddrSpaceCast(place, g->ptr);
}

static LLVMValueRef shared(rlxc_llvm *g, const rlxc_expr *var, LLVMTypeRef type)
{
    if (g->launch->shared_bytes > 0)
        return shared_at_launch(g, rlxc_shared_at(g->launch, var));
    LLVMValueRef memory = LLVMAddGlobalInAddressSpace(g->module, type, var->var.name, SHARED);
    LLVMSetLinkage(memory, LLVMInternalLinkage);
    LLVMSetInitializer(memory, LLVMGetUndef(type));
    LLVMSetAlignment(memory, 128);
    return LLVMConstAddrSpaceCast(memory, g->ptr);
}

static LLVMValueRef local(rlxc_llvm *g, const rlxc_expr *var, LLVMTypeRef type)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->entry));
    LLVMValueRef memory = LLVMBuildAlloca(g->b, type, var->var.name);
    LLVMSetAlignment(memory, 16);
    LLVMPositionBuilderAtEnd(g->b, at);
    return memory;
}

bool rlxc_nvptx_allocate(rlxc_llvm *g, const rlxc_expr *var, const char *scope, rlx_dtype dtype,
                         const rlxc_expr *const *extents, uint32_t n)
{
    const bool of_block = scope && strncmp(scope, "shared", 6) == 0;
    const uint64_t limit = of_block ? g->target->device.shared_bytes : LOCAL_LIMIT;
    uint64_t bytes, size = dtype.bits <= 8 ? 1 : dtype.bits / 8;
    if (!bytes_of(g, var, dtype, extents, n, limit, &bytes))
        return false;
    LLVMTypeRef item = rlxc_llvm_memory(g, dtype);
    LLVMTypeRef type = LLVMArrayType2(item, bytes ? bytes / size : 1);
    rlxc_llvm_bind(g, var, of_block ? shared(g, var, type) : local(g, var, type));
    return true;
}

/* --- calls -------------------------------------------------------------------------------------
 */

static LLVMValueRef refuse(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
}

static LLVMValueRef call_nvvm(rlxc_llvm *g, const char *name, LLVMValueRef *args, uint32_t n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, NULL, 0);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, NULL, 0), fn, args, n, "");
}

void rlxc_nvptx_fail(rlxc_llvm *g, const rlxc_stmt *check, LLVMValueRef x, LLVMValueRef y,
                     LLVMBasicBlockRef next)
{
    LLVMValueRef words[3] = {x, y, rlxc_llvm_int(g, g->i64, 1)};
    const uint32_t at = 3 * rlxc_check_number(g->launch, check);
    for (uint32_t i = x ? 0 : 2; i < 3; i++) { /* that it failed comes last */
        LLVMValueRef place = rlxc_llvm_int(g, g->i64, at + (i + 1) % 3);
        place = LLVMBuildInBoundsGEP2(g->b, g->i64, g->checks, &place, 1, "");
        LLVMSetAlignment(LLVMBuildStore(g->b, words[i], place), 8);
    }
    if (!g->launch->stop) {
        LLVMBuildRetVoid(g->b);
        return;
    }
    rlxc_llvm_stmt(g, g->launch->stop);
    LLVMBuildBr(g->b, next);
}

static LLVMValueRef barrier(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *scope = e->call.args[0];
    LLVMValueRef all = rlxc_llvm_int(g, g->i32, -1);
    if (scope->kind != RLXC_EXPR_STRING)
        return refuse(g, e, "needs a memory scope");
    if (strcmp(scope->s, "warp") == 0)
        return call_nvvm(g, "llvm.nvvm.bar.warp.sync", &all, 1);
    if (strncmp(scope->s, "shared", 6) != 0)
        return refuse(g, e, "only threads of one block can wait for each other");
    return call_nvvm(g, "llvm.nvvm.barrier0", NULL, 0);
}

/* (mask, value, lane or delta, width, warp size): pieces of 32 bits go one by one. */
static LLVMValueRef shuffle(rlxc_llvm *g, const rlxc_expr *e, const char *name, bool up)
{
    const rlxc_expr *const *a = e->call.args;
    LLVMBuilderRef b = g->b;
    const rlx_dtype t = a[1]->dtype;
    if (t.lanes != 1 || rlxc_dtype_is_handle(t))
        return refuse(g, e, "moves single numbers");
    for (int i = 0; i < 5; i++)
        if (i != 1 && (!rlxc_dtype_is_int(a[i]->dtype) || a[i]->dtype.lanes != 1))
            return refuse(g, e, "needs integers");
    LLVMValueRef mask = rlxc_llvm_cast(g, rlxc_llvm_expr(g, a[0]), a[0]->dtype, RLX_I32);
    LLVMValueRef from = rlxc_llvm_cast(g, rlxc_llvm_expr(g, a[2]), a[2]->dtype, RLX_I32);
    LLVMValueRef width = rlxc_llvm_cast(g, rlxc_llvm_expr(g, a[3]), a[3]->dtype, RLX_I32);
    /* (32 - width) << 8, the lanes of a segment; then the last one that may be read from */
    LLVMValueRef clamp = LLVMBuildSub(b, rlxc_llvm_int(g, g->i32, 32), width, "");
    clamp = LLVMBuildShl(b, clamp, rlxc_llvm_int(g, g->i32, 8), "");
    clamp = LLVMBuildOr(b, clamp, rlxc_llvm_int(g, g->i32, up ? 0 : 31), "");
    LLVMValueRef value = rlxc_llvm_to_memory(g, rlxc_llvm_expr(g, a[1]), t);
    LLVMTypeRef type = LLVMTypeOf(value);
    const uint32_t bits = rlxc_dtype_is_bool(t) ? 8 : t.bits;
    value = LLVMBuildBitCast(b, value, LLVMIntTypeInContext(g->lc, bits), "");
    LLVMValueRef whole = LLVMBuildZExtOrBitCast(b, value, bits == 64 ? g->i64 : g->i32, "");
    LLVMValueRef result = NULL;
    for (uint32_t at = 0; at < bits; at += 32) {
        LLVMValueRef piece = whole, place = NULL;
        if (bits == 64) {
            place = rlxc_llvm_int(g, g->i64, at);
            piece = LLVMBuildTrunc(b, LLVMBuildLShr(b, whole, place, ""), g->i32, "");
        }
        LLVMValueRef args[4] = {mask, piece, from, clamp};
        piece = call_nvvm(g, name, args, 4);
        if (bits == 64)
            piece = LLVMBuildShl(b, LLVMBuildZExt(b, piece, g->i64, ""), place, "");
        result = result ? LLVMBuildOr(b, result, piece, "") : piece;
    }
    if (bits < 32)
        result = LLVMBuildTrunc(b, result, LLVMIntTypeInContext(g->lc, bits), "");
    return rlxc_llvm_from_memory(g, LLVMBuildBitCast(b, result, type, ""), t);
}

const char *rlxc_nvptx_lacks(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_MOD && rlxc_dtype_is_float(e->dtype) && e->dtype.bits == 64)
        return "CUDA code has no remainder of float64";
    if (e->kind != RLXC_EXPR_CALL)
        return NULL;
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    if (!row)
        return NULL;
    if (e->call.n > 0 && rlxc_llvm_needs_libm(row, e->call.args[0]->dtype))
        return "CUDA code has no such function of this type";
    if (row->index == RLXC_INTRINSIC_call_extern || row->index == RLXC_INTRINSIC_call_pure_extern ||
        row->index == RLXC_INTRINSIC_call_packed || row->index == RLXC_INTRINSIC_call_cpacked ||
        row->index == RLXC_INTRINSIC_tvm_stack_make_shape ||
        row->index == RLXC_INTRINSIC_tvm_stack_make_array)
        return "the threads of a device cannot call functions of the host";
    return NULL;
}

LLVMValueRef rlxc_nvptx_call(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e)
{
    if (row->index == RLXC_INTRINSIC_tvm_storage_sync)
        return barrier(g, e);
    if (row->index == RLXC_INTRINSIC_tvm_warp_shuffle)
        return shuffle(g, e, "llvm.nvvm.shfl.sync.idx.i32", false);
    if (row->index == RLXC_INTRINSIC_tvm_warp_shuffle_up)
        return shuffle(g, e, "llvm.nvvm.shfl.sync.up.i32", true);
    if (row->index == RLXC_INTRINSIC_tvm_warp_shuffle_down)
        return shuffle(g, e, "llvm.nvvm.shfl.sync.down.i32", false);
    if (row->index == RLXC_INTRINSIC_tvm_warp_activemask)
        return call_nvvm(g, "llvm.nvvm.activemask", NULL, 0);
    if (row->index == RLXC_INTRINSIC_ptx_mma)
        return rlxc_nvptx_mma(g, e);
    if (row->index == RLXC_INTRINSIC_ptx_cp_async ||
        row->index == RLXC_INTRINSIC_ptx_commit_group ||
        row->index == RLXC_INTRINSIC_ptx_wait_group)
        return rlxc_nvptx_async(g, row, e);
    return refuse(g, e, "CUDA does not have it");
}

/* --- kernels -----------------------------------------------------------------------------------
 */

/* How a scalar of type |t| is passed (rlx_launch_arg_kind). */
static rlx_dtype passed_as(rlx_dtype t)
{
    if (rlxc_dtype_is_float(t))
        return t.bits == 64 ? RLX_F64 : RLX_F32;
    return t.bits == 64 ? RLX_I64 : RLX_I32;
}

static void annotate(rlxc_llvm *g, LLVMValueRef fn, const char *name, uint64_t value)
{
    LLVMMetadataRef row[3] = {LLVMValueAsMetadata(fn),
                              LLVMMDStringInContext2(g->lc, name, strlen(name)),
                              LLVMValueAsMetadata(LLVMConstInt(g->i32, value, false))};
    LLVMAddNamedMetadataOperand(g->module, "nvvm.annotations",
                                LLVMMetadataAsValue(g->lc, LLVMMDNodeInContext2(g->lc, row, 3)));
}

/* Threads of a block, as far as they are known: fewer of them may have more registers each. */
static void annotate_block(rlxc_llvm *g, LLVMValueRef fn)
{
    static const char *const names[3] = {"maxntidx", "maxntidy", "maxntidz"};
    int64_t n[3], all = 1;
    for (int i = 0; i < 3; i++) {
        if (!rlxc_is_int(g->launch->block[i], &n[i]) || n[i] < 1 ||
            n[i] > g->target->device.threads)
            return;
        all *= n[i];
    }
    for (int i = 0; i < 3 && all <= g->target->device.threads; i++)
        annotate(g, fn, names[i], (uint64_t)n[i]);
}

static LLVMValueRef declare(rlxc_llvm *g)
{
    const rlxc_launch *l = g->launch;
    LLVMTypeRef *params = rlxc_try_alloc(g->ctx, (size_t)l->n_args + 1, sizeof *params);
    if (!params)
        return NULL;
    for (uint32_t i = 0; i < l->n_args; i++)
        params[i] = l->args[i].buffer || l->args[i].is_checks
                        ? LLVMPointerTypeInContext(g->lc, GLOBAL)
                        : rlxc_llvm_type(g, passed_as(l->args[i].scalar->dtype));
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->lc), params, l->n_args, false);
    LLVMValueRef fn = LLVMAddFunction(g->module, l->name, type);
    LLVMSetFunctionCallConv(fn, KERNEL_CONVENTION);
    rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
    annotate(g, fn, "kernel", 1);
    annotate_block(g, fn);
    return fn;
}

static void bind_args(rlxc_llvm *g)
{
    for (uint32_t i = 0; i < g->launch->n_args; i++) {
        const rlxc_launch_arg *arg = &g->launch->args[i];
        LLVMValueRef value = LLVMGetParam(g->fn, i);
        if (arg->is_checks) {
            g->checks = LLVMBuildAddrSpaceCast(g->b, value, g->ptr, "");
            continue;
        }
        if (arg->buffer) {
            rlxc_llvm_pointer_attributes(g, g->fn, i);
            if (!arg->is_written)
                rlxc_llvm_attribute(g, g->fn, i + 1, "readonly", 0);
            rlxc_llvm_bind(g, arg->buffer->data, LLVMBuildAddrSpaceCast(g->b, value, g->ptr, ""));
            continue;
        }
        const rlxc_expr *var = arg->scalar;
        const rlx_dtype given = passed_as(var->dtype);
        rlxc_llvm_bind(g, var, rlxc_llvm_cast(g, value, given, var->dtype));
        if (rlxc_dtype_is_int(var->dtype))
            rlxc_map_set(g->ctx, &g->wide, rlxc_key(var),
                         LLVMBuildIntCast2(g->b, value, g->i64, var->dtype.code == RLX_INT, ""));
    }
    const rlxc_expr *zero = rlxc_i64(g->ctx, 0);
    for (int i = 0; i < RLXC_THREAD_AXES; i++)
        if (g->launch->thread[i])
            bind_index(g, g->launch->thread[i], read_axis(g, i, false), zero,
                       i < 3 ? g->launch->grid[i] : g->launch->block[i - 3]);
}

void rlxc_nvptx_function(rlxc_llvm *g, const rlxc_prim_func *f, const rlxc_launch *launch)
{
    g->f = f;
    g->range = f->range;
    g->symbol = launch->name;
    g->launch = launch;
    g->unrolled = 0;
    g->in_place = false;
    rlxc_llvm_forget_built(g);
    LLVMValueRef fn = declare(g);
    if (!fn)
        return;
    rlxc_llvm_frame saved = rlxc_llvm_enter(g, fn);
    const uint32_t mark = g->bounds.vars.count;
    bind_args(g);
    rlxc_llvm_stmt(g, launch->body);
    LLVMBuildRetVoid(g->b);
    if (g->bounds.vars.count > mark)
        g->bounds.vars.count = g->bounds.ranges.count = mark;
    rlxc_llvm_leave(g, &saved);
    g->launch = NULL;
}
