/* Pass library_products: large products on CUDA devices become calls of "rlx.product", which cuBLAS
 * computes. Runs only on request: the library must be installed where the module runs, and its sums
 * are in an order of its own.
 *
 *   y = R.matmul(x, w)        becomes    y = "rlx.product"(x, w)
 *
 * Both have one type of floating point, which is that of the result; w is a matrix, or has the same
 * leading dimensions as x. What follows a product does not fuse with it. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "compiler/ops/builtin_call.h"
#include "compiler/passes/passes.h"

/* Sizes below this are not worth a kernel of their own. */
enum { LEAST = 64 };

static bool is_cuda(const rlxc_module *module, const char *device)
{
    size_t length;
    const rlxc_vdevice *d = device ? rlxc_find_vdevice(module, device) : NULL;
    const char *kind = d ? rlxc_target_kind(&d->target, &length) : NULL;
    return kind && length == strlen("cuda") && memcmp(kind, "cuda", length) == 0;
}

static bool is_large(const rlxc_expr *size, bool known)
{
    int64_t value;
    return rlxc_is_int(size, &value) ? value >= LEAST : !known;
}

static bool has_type(const rlxc_sinfo *s, rlx_dtype dtype)
{
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 2 && rlxc_dims_known(s) &&
           rlxc_dtype_eq(s->dtype, dtype);
}

static bool fits(rlxc_context *ctx, const rlxc_sinfo *x, const rlxc_sinfo *w, const rlxc_sinfo *y)
{
    const rlx_dtype dtype = y ? y->dtype : (rlx_dtype){0};
    if (!has_type(y, dtype) || !rlxc_dtype_is_float(dtype) || dtype.bits < 16 ||
        !has_type(x, dtype) || !has_type(w, dtype) || (w->ndim != 2 && w->ndim != x->ndim))
        return false;
    for (int32_t i = 0; w->ndim > 2 && i < w->ndim - 2; i++)
        if (!rlxc_prove_eq(ctx, x->dims[i], w->dims[i], NULL))
            return false;
    return is_large(x->dims[x->ndim - 2], false) && is_large(w->dims[w->ndim - 2], true) &&
           is_large(w->dims[w->ndim - 1], true);
}

/* A constant is loaded where the product is computed. */
static rlxc_atom operand(rlxc_builder *b, rlxc_atom atom, const char *device)
{
    return atom.kind == RLXC_ATOM_CONSTANT ? rlxc_emit_to_vdevice(b, atom, device, "w") : atom;
}

static rlxc_rewrite_action use_library(void *user, rlxc_builder *b, rlxc_binding *binding,
                                       rlxc_atom *replacement)
{
    (void)user;
    b->range = binding->range;
    const rlxc_sinfo *y = binding->var->sinfo;
    const char *device = rlxc_is_op(binding, "matmul") ? rlxc_sinfo_device(b->module, y) : NULL;
    if (!is_cuda(b->module, device) ||
        !fits(b->ctx, rlxc_atom_sinfo(b->ctx, b->module, binding->args[0]),
              rlxc_atom_sinfo(b->ctx, b->module, binding->args[1]), y))
        return RLXC_REWRITE_KEEP;
    const rlxc_atom args[2] = {operand(b, binding->args[0], device),
                               operand(b, binding->args[1], device)};
    *replacement = rlxc_emit_builtin(b, binding, "rlx.product", args, 2, y, true);
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_library_products(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    const rlxc_rewrite_pass pass = {.binding = use_library};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax)
            rlxc_rewrite_function(ctx, module, module->globals.items[i]->relax, &pass);
    return !rlxc_failed(ctx);
}
