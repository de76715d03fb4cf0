/* Bytecode emission: scratch memory of kernels, in the memory plan.
 *
 * The heap allocations of a lowered PrimFunc outside parallel loops that live together, at the
 * point where they are most, are a buffer that is in use only during the call; its size is over the
 * dimensions that the call knows. A kernel that needs more, or whose sizes the call cannot
 * determine, takes scratch memory from the VM, so nothing depends on the size being exact. The
 * scratch buffers of a device's kernel are summed in the same way, as vm/launch.c lays them out. */
#include "compiler/codegen/emit.h"

#include "compiler/analysis/static_size.h"
#include "compiler/ir/device.h"

typedef struct workspace {
    rlxc_context *ctx;
    const rlxc_bc_kernel *kernel;
    const rlxc_expr *const *values; /* of the kernel's dims at the call */
    bool known;                     /* the current expression */
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
    const rlxc_expr **known = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *known);
    for (uint32_t i = 0; i < n; i++) {
        w->known = true;
        rlxc_expr_visit(ctx, extents[i], check_node, w);
        if (!w->known || !rlxc_dtype_is_int(extents[i]->dtype))
            return NULL;
        known[i] = rlxc_substitute(ctx, extents[i], w->kernel->dims, w->values, w->kernel->n_dims);
    }
    const rlxc_expr *bytes =
        rlxc_add(ctx, rlxc_extents_bytes(ctx, dtype, known, n), rlxc_i64(ctx, 63));
    bytes = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, bytes, rlxc_i64(ctx, 64));
    return rlxc_canonical(ctx, rlxc_mul(ctx, bytes, rlxc_i64(ctx, 64)), NULL);
}

/* NULL is 0. */
static const rlxc_expr *sum(workspace *w, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_canonical(w->ctx, rlxc_add(w->ctx, a, b), NULL) : a ? a : b;
}

static const rlxc_expr *larger(workspace *w, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_canonical(w->ctx, rlxc_binary(w->ctx, RLXC_EXPR_MAX, a, b), NULL)
           : a    ? a
                  : b;
}

static const rlxc_expr *allocation_need(workspace *w, const rlxc_stmt *s)
{
    int64_t constant;
    const rlxc_expr *bytes =
        allocation_bytes(w, s->allocate.dtype, s->allocate.extents, s->allocate.n);
    return bytes && rlxc_is_int(bytes, &constant) && constant <= RLXC_STACK_LIMIT ? NULL : bytes;
}

/* The bytes that |s| has in use at once; NULL: none. What a sequence allocates, it returns at its
 * end. */
static const rlxc_expr *need(workspace *w, const rlxc_stmt *s)
{
    switch (s->kind) {
    case RLXC_STMT_FOR:
        return s->loop.kind == RLXC_LOOP_PARALLEL ? NULL : need(w, s->loop.body);
    case RLXC_STMT_WHILE:
        return need(w, s->while_.body);
    case RLXC_STMT_IF:
        return larger(w, need(w, s->if_.then), s->if_.otherwise ? need(w, s->if_.otherwise) : NULL);
    case RLXC_STMT_ALLOCATE:
        return allocation_need(w, s);
    case RLXC_STMT_SEQ: {
        const rlxc_expr *own = NULL, *most = NULL;
        for (uint32_t i = 0; i < s->seq.n; i++) {
            const rlxc_expr *item = need(w, s->seq.items[i]);
            if (s->seq.items[i]->kind == RLXC_STMT_ALLOCATE)
                own = sum(w, own, item);
            else
                most = larger(w, most, item ? sum(w, own, item) : NULL);
        }
        return larger(w, most, own);
    }
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_LET:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    return NULL;
}

static const rlxc_expr *scratch_need(workspace *w, const rlxc_device_kernel *kernel)
{
    const rlxc_expr *bytes = NULL;
    for (uint32_t i = 0; i < kernel->n_scratch; i++) {
        const rlxc_buffer *b = kernel->scratch[i];
        bytes = sum(w, bytes, allocation_bytes(w, b->dtype, b->shape, b->ndim));
    }
    return bytes;
}

bool rlxc_bc_workspace(rlxc_bc_function *fn, const rlxc_bc_kernel *kernel, uint32_t device,
                       const rlxc_expr *const *values, uint32_t *out_buffer)
{
    workspace w = {fn->ctx, kernel, values, true};
    const rlxc_expr *bytes = NULL;
    uint32_t code;
    if (!rlxc_prim_is_device(kernel->f)) {
        bytes = kernel->f->body ? need(&w, kernel->f->body) : NULL;
    } else if (device != 0) {
        const rlxc_device_kernel *own = rlxc_bc_device_kernel(fn->m, kernel->f, &code);
        bytes = own ? scratch_need(&w, own) : NULL;
    }
    if (bytes && rlxc_attrs_find(&fn->f->attrs, RLXC_STATIC_PLAN)) {
        const rlxc_bounds bounds = rlxc_stated_bounds(fn->ctx, fn->f);
        bytes = rlxc_static_size(fn->ctx, &bounds, bytes, fn->range);
        fn->m->failed = fn->m->failed || !bytes;
    }
    if (!bytes || !rlxc_bc_are_bound(fn, bytes))
        return false;
    *out_buffer = rlxc_bc_buffer(fn, bytes, device);
    return true;
}
