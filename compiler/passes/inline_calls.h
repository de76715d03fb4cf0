/* An inlined copy of a PrimFunc: arguments in, result out. */
#ifndef RLXC_PASSES_INLINE_CALLS_H
#define RLXC_PASSES_INLINE_CALLS_H

#include "compiler/ir/relax.h"

typedef RLXC_VEC(const rlxc_stmt *) rlxc_stmt_list;

typedef struct rlxc_callee {
    rlxc_context *ctx;
    rlxc_prim_func *f; /* the copy */
    rlxc_range range;  /* of the call */
    rlxc_stmt_list *out;
    rlxc_buffer *result; /* one element, of the type that the function returns; NULL: void */
} rlxc_callee;

/* Substitutes |args|, one for each parameter, into the copy; false after an error. */
bool rlxc_bind_arguments(rlxc_callee *c, const rlxc_expr *const *args);
/* The copy's statements, with its returns as stores; |declared| receives declarations that must
 * outlive them. */
void rlxc_run_callee(rlxc_callee *c, rlxc_stmt_list *declared);
/* A new buffer of |*extent| elements, declared at the end of |out|. */
rlxc_buffer *rlxc_declare_local(rlxc_context *ctx, const char *name, rlx_dtype dtype,
                                const rlxc_expr *const *extent, rlxc_stmt_list *out);

#endif
