/* Bytecode emission: scratch memory of kernels, in the memory plan.
 *
 * The sizes of all heap allocations of a lowered PrimFunc outside parallel loops are summed over
 * the dimensions that the call knows; the sum is a buffer that is in use only during the call. It
 * is usually an upper bound (allocations in different loops do not live together). A kernel that
 * needs more, or whose sizes the call cannot determine, takes scratch memory from the VM, so
 * nothing depends on the sum being exact. The scratch buffers of a device's kernel are summed in
 * the same way, as vm/launch.c lays them out. */
#include "compiler/codegen/emit.h"

#include "compiler/codegen/llvm.h"
#include "compiler/ir/device.h"

typedef struct workspace {
    rlxc_context *ctx;
    const rlxc_bc_kernel *kernel;
    const rlxc_expr *const *values; /* of the kernel's dims at the call */
    const rlxc_expr *bytes;
    bool known; /* the current expression */
} workspace;

static bool check_node(void *user, const rlxc_expr *e)
{
    workspace *w = user;
    bool is_dim = false;
    for (uint32_t i = 0; i < w->kernel->n_dims && e->kind == RLXC_EXPR_VAR; i++)
        is_dim = is_dim || (w->kernel->dims[i] == e && w->values[i]);
    w->known = w->known && (is_dim || e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_SELECT ||
                            rlxc_is_binary(e));
    return w->known;
}

/* The bytes of an allocation, rounded up to a cache line; NULL if the call does not determine them.
 */
static const rlxc_expr *allocation_bytes(workspace *w, rlx_dtype dtype,
                                         const rlxc_expr *const *extents, uint32_t n)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *bytes = rlxc_i64(ctx, dtype.lanes * (dtype.bits <= 8 ? 1 : dtype.bits / 8)),
                    *zero = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < n; i++) {
        w->known = true;
        rlxc_expr_visit(ctx, extents[i], check_node, w);
        if (!w->known || !rlxc_dtype_is_int(extents[i]->dtype))
            return NULL;
        const rlxc_expr *extent =
            rlxc_substitute(ctx, extents[i], w->kernel->dims, w->values, w->kernel->n_dims);
        if (extent->dtype.bits != 64)
            extent = rlxc_cast(ctx, RLX_I64, extent);
        bytes = rlxc_mul(ctx, bytes, rlxc_binary(ctx, RLXC_EXPR_MAX, extent, zero));
    }
    bytes = rlxc_add(ctx, bytes, rlxc_i64(ctx, 63));
    bytes = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, bytes, rlxc_i64(ctx, 64));
    return rlxc_canonical(ctx, rlxc_mul(ctx, bytes, rlxc_i64(ctx, 64)), NULL);
}

static void add_bytes(workspace *w, const rlxc_expr *bytes)
{
    w->bytes = w->bytes ? rlxc_add(w->ctx, w->bytes, bytes) : bytes;
}

static bool add_allocation(void *user, const rlxc_stmt *s)
{
    workspace *w = user;
    int64_t constant;
    if (s->kind == RLXC_STMT_FOR)
        return s->loop.kind != RLXC_LOOP_PARALLEL;
    if (s->kind != RLXC_STMT_ALLOCATE)
        return true;
    const rlxc_expr *bytes =
        allocation_bytes(w, s->allocate.dtype, s->allocate.extents, s->allocate.n);
    if (bytes && !(rlxc_is_int(bytes, &constant) && constant <= RLXC_STACK_LIMIT))
        add_bytes(w, bytes);
    return true;
}

static void add_scratch(workspace *w, const rlxc_device_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->n_scratch; i++) {
        const rlxc_buffer *b = kernel->scratch[i];
        const rlxc_expr *bytes = allocation_bytes(w, b->dtype, b->shape, b->ndim);
        if (bytes)
            add_bytes(w, bytes);
    }
}

bool rlxc_bc_workspace(rlxc_bc_function *fn, const rlxc_bc_kernel *kernel, uint32_t device,
                       const rlxc_expr *const *values, uint32_t *out_buffer)
{
    workspace w = {fn->ctx, kernel, values, NULL, true};
    uint32_t slots, code;
    if (!rlxc_prim_is_device(kernel->f)) {
        if (kernel->f->body)
            rlxc_stmt_visit(kernel->f->body, add_allocation, &w);
    } else if (device != 0) {
        const rlxc_device_kernel *own = rlxc_bc_device_kernel(fn->m, kernel->f, &code);
        if (own)
            add_scratch(&w, own);
    }
    if (!w.bytes)
        return false;
    w.bytes = rlxc_canonical(fn->ctx, w.bytes, NULL);
    if (!rlxc_bc_are_bound(fn, w.bytes))
        return false;
    *out_buffer = rlxc_bc_buffer(fn, w.bytes, device, &slots);
    return true;
}
