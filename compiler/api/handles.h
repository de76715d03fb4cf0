/* Handles of rlx/ir.h and the IR's own pointers that they are. */
#ifndef RLXC_API_HANDLES_H
#define RLXC_API_HANDLES_H

#include "compiler/api/api.h"
#include "compiler/ir/op.h"

/* of_name: the pointer behind a handle; to_name: the handle of a pointer. NULL stays NULL. */
#define RLXC_HANDLE(name, handle, type)                  \
    static inline const type *of_##name(const handle *h) \
    {                                                    \
        return (const type *)(const void *)h;            \
    }                                                    \
    static inline const handle *to_##name(const type *p) \
    {                                                    \
        return (const handle *)(const void *)p;          \
    }

RLXC_HANDLE(body, rlx_ir_body, rlxc_body)
RLXC_HANDLE(block, rlx_ir_block, rlxc_binding_block)
RLXC_HANDLE(binding, rlx_ir_binding, rlxc_binding)
RLXC_HANDLE(var, rlx_ir_var, rlxc_rvar)
RLXC_HANDLE(value, rlx_ir_value, rlxc_atom)
RLXC_HANDLE(sinfo, rlx_ir_sinfo, rlxc_sinfo)
RLXC_HANDLE(expr, rlx_ir_expr, rlxc_expr)
RLXC_HANDLE(attr, rlx_ir_attr, rlxc_attr)
#undef RLXC_HANDLE

/* The symbolic variables in types and shapes of |f|, appended. */
void rlxc_api_symbols(rlxc_context *ctx, const rlxc_function *f, rlxc_var_list *io_list);
/* Keeps |tensor| until the context is destroyed; false when memory is out. */
bool rlxc_api_keep_tensor(rlxc_context *ctx, rlx_tensor *tensor);

/* Functions can be changed through their handles. */
static inline rlxc_function *of_function(const rlx_ir_function *f)
{
    return (rlxc_function *)(uintptr_t)f;
}

static inline rlxc_prim_func *of_prim(const rlx_ir_prim *f)
{
    return (rlxc_prim_func *)(uintptr_t)f;
}

static inline rlx_ir_function *to_function(rlxc_function *f)
{
    return (rlx_ir_function *)(void *)f;
}

static inline rlx_ir_prim *to_prim(rlxc_prim_func *f)
{
    return (rlx_ir_prim *)(void *)f;
}

#endif
