/* Loops that several kernels share up to sizes: each is compiled once, as a function with the sizes
 * as arguments.
 *
 * Two loops are similar if they differ only in the variables they use from outside and in integer
 * constants that do not affect the code: strides, offsets, trip counts of longer loops. A constant
 * that all loops of a group agree on stays a constant. What is unrolled or vectorised, element
 * types, the indices of temporaries and divisors inside of inner loops must be equal. Substituting
 * the arguments of one use into the body therefore gives exactly the loop at that use.
 *
 * This file is independent of LLVM; llvm_share.c emits the bodies and their calls. */
#ifndef RLXC_CODEGEN_SHARE_H
#define RLXC_CODEGEN_SHARE_H

#include "compiler/ir/relax.h"

typedef struct rlxc_shared_body {
    uint32_t number;          /* among all */
    const rlxc_prim_func *f;  /* where it first occurs */
    const rlxc_stmt *stmt;    /* with parameters for what differs */
    const rlxc_expr **params; /* variables: those used from outside, then sizes */
    uint32_t n_params;
    bool may_fail; /* contains a parallel loop, or takes scratch memory */
    bool emitted;  /* by code generation */
} rlxc_shared_body;

typedef struct rlxc_shared_use {
    rlxc_shared_body *body;
    const rlxc_expr *const *args; /* for the parameters: variables, then sizes */
} rlxc_shared_use;

/* Maps each shared loop (rlxc_stmt) of |module| to its rlxc_shared_use. Below |level| 2, loops that
 * take long to compile are shared even if two kernels lose constants by it. */
void rlxc_share_loops(rlxc_context *ctx, const rlxc_module *module, int level, rlxc_map *out_uses);

/* --- share_walk.c: one loop ------------------------------------------------------------------ */

enum {
    RLXC_SHARE_SLOTS = 512,
    RLXC_SHARE_TOKENS = 1 << 14,
    RLXC_SHARE_VARS = 48,
    RLXC_SHARE_DEPTH = 32
};

typedef struct rlxc_share_scope { /* what is known of the function around the loop */
    rlxc_map memory;              /* variables of memory that exist before the loop: its kind */
    rlxc_map locals;              /* temporaries on the stack: variable -> its ALLOCATE or DECL */
    RLXC_VEC(struct rlxc_closed_local) closed;
    const rlxc_map *sizes; /* dimensions, and the parameters that bodies have in place of constants
                            */
    uint32_t flags;        /* properties of the function and the enclosing loops that affect the
                            * code */
} rlxc_share_scope;

typedef struct rlxc_share_walk {
    rlxc_context *ctx;
    const rlxc_share_scope *scope;
    const rlxc_stmt *loop;
    const rlxc_expr **slots; /* when building: the replacement of each constant (NULL: itself); else
                              * NULL */
    RLXC_VEC(uint64_t) tokens;          /* equal for similar loops */
    RLXC_VEC(const rlxc_expr *) values; /* constants and sizes that may differ */
    RLXC_VEC(const rlxc_expr *) vars;   /* used from outside */
    RLXC_VEC(const rlxc_stmt *) locals; /* temporaries that can be local to the loop */
    rlxc_map numbers;                   /* variable -> its number by first occurrence */
    rlxc_map buffers;                   /* buffer -> its replacement */
    uint32_t n_numbers, n_buffers;
    const rlxc_stmt *around[RLXC_SHARE_DEPTH]; /* loops from w->loop on */
    uint32_t n_around;
    uint32_t serial; /* of those, the ones that are not parallel */
    uint32_t slot;
    int64_t weight, times; /* statements once unrolled; of the place */
    bool may_fail, literal, bad;
} rlxc_share_walk;

/* Walks w->loop; returns the rebuilt loop, or NULL if it cannot be shared. */
const rlxc_stmt *rlxc_share_walk_loop(rlxc_share_walk *w);

/* --- share_locals.c: temporaries ------------------------------------------------------------- */

typedef struct rlxc_closed_local { /* |loop| writes |var| before it reads it; nothing after reads */
    const rlxc_stmt *loop;
    const rlxc_expr *var;
} rlxc_closed_local;

/* Adds to scope->closed the innermost loops among items[from..n) that could each have their own
 * copy of the temporary |var| of |count| elements; adds none unless every use is in such a loop. */
void rlxc_share_close(rlxc_context *ctx, rlxc_share_scope *scope, const rlxc_stmt *const *items,
                      uint32_t n, const rlxc_expr *var, uint32_t count);

#endif
