/* T.ptx_mma(type, shape, "row", "col", types of A, B, C, A, offset, B, offset, C, offset,
 * saturate): the matrices of the call, where they are given as T.address_of(buffer[...]). Each
 * thread reads, or for C also writes, the whole of the buffer's last dimension there. */
#ifndef RLXC_IR_MMA_H
#define RLXC_IR_MMA_H

#include <string.h>

#include "compiler/ir/expr.h"

enum { RLXC_MMA_A, RLXC_MMA_B, RLXC_MMA_C, RLXC_MMA_MATRICES, RLXC_MMA_FIRST = 7 };

/* The first element of matrix |k| of a call of T.ptx_mma; NULL: the expression is none, or its
 * matrix is given as a pointer. */
static inline const rlxc_expr *rlxc_mma_matrix(const rlxc_expr *e, uint32_t k)
{
    if (e->kind != RLXC_EXPR_CALL || strcmp(e->call.name, "ptx_mma") != 0 || e->call.n != 14)
        return NULL;
    const rlxc_expr *at = e->call.args[RLXC_MMA_FIRST + 2 * k];
    const bool given = at->kind == RLXC_EXPR_CALL && strcmp(at->call.name, "address_of") == 0 &&
                       at->call.n == 1 && at->call.args[0]->kind == RLXC_EXPR_LOAD;
    return given ? at->call.args[0] : NULL;
}

/* True if all three are given so. */
static inline bool rlxc_mma_has_matrices(const rlxc_expr *e)
{
    return rlxc_mma_matrix(e, RLXC_MMA_A) && rlxc_mma_matrix(e, RLXC_MMA_B) &&
           rlxc_mma_matrix(e, RLXC_MMA_C);
}

#endif
