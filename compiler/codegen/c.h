/* Private to compiler/codegen/c*.c: a module as C99.
 *
 * c.c         the two files: what is in them, in which order
 * c_constants.c  the arrays and weights that functions read
 * c_kernel.c  a PrimFunc as a function
 * c_graph.h   a Relax function as a function that calls those, in several files
 * c_plan.c    where the temporaries of a Relax function are in its arena
 * c_pools.c   the same in the memory pools of the module
 * c_text.c    spelling, names, helper functions */
#ifndef RLXC_CODEGEN_C_H
#define RLXC_CODEGEN_C_H

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/opencl.h"
#include "compiler/ir/pool.h"

typedef struct rlxc_c_kernel { /* a PrimFunc that is called */
    const rlxc_prim_func *f;
    const char *name;
    const rlxc_expr **dims;
    uint32_t n_dims;
    const rlxc_expr *scratch; /* bytes that a call needs, over |dims|; NULL: none */
    bool *is_written;         /* by parameter */
    bool can_fail;            /* it returns a status */
} rlxc_c_kernel;

typedef struct rlxc_c_weight {
    const rlxc_constant *constant;
    size_t offset;
} rlxc_c_weight;

typedef struct rlxc_c_array { /* a constant in the source */
    const rlxc_constant *constant;
    const char *name;
    rlxc_range range; /* its first use */
} rlxc_c_array;

typedef struct rlxc_c_module {
    rlxc_context *ctx;
    const rlxc_module *module;
    rlxc_cl cl;
    const char *macro;  /* the prefix of macros: "DIGITS" */
    rlxc_map kernels;   /* prim func -> rlxc_c_kernel */
    rlxc_map constants; /* tensor constant -> name */
    bool apart;         /* weights are not in the source: functions take their address */
    RLXC_VEC(rlxc_c_weight) weights; /* then: in order */
    size_t weights_bytes;
    uint32_t weight_uses;
    RLXC_VEC(rlxc_c_array) arrays;
    rlxc_pools pools; /* of the CPU, for what functions plan */
    rlxc_pools constant_pools;
    rlxc_text kernel_text, data_text, graph_text, header_text;
} rlxc_c_module;

/* --- c_kernel.c */
/* The kernel of |f|, written at the first call; NULL with a diagnostic. */
const rlxc_c_kernel *rlxc_c_kernel_of(rlxc_c_module *m, const rlxc_prim_func *f);

/* --- c_graph.c */
void rlxc_c_function(rlxc_c_module *m, const rlxc_function *f);

/* --- c_plan.c */
typedef struct rlxc_c_part { /* of an arena */
    const rlxc_expr *bytes;
    uint32_t first, last;    /* steps of the function at which it is in use */
    int64_t offset;          /* where the plan is static */
    uint8_t pool;            /* it is in, if the module has pools */
    bool is_own;             /* a storage of the program's text: tensors may not fit in it */
    bool is_late;            /* its size is known only in the body: it lies after the planned
                              * part */
    const char *at;          /* then: the variable that points to it */
    const rlxc_expr *actual; /* what it uses of |bytes|, which is an upper bound; NULL: all of it */
    const char *what;        /* for messages */
    rlxc_range range;
} rlxc_c_part;

typedef struct rlxc_c_plan {
    RLXC_VEC(rlxc_c_part) parts;
    bool is_static, has_late;
    bool has_inner; /* the size of a tensor depends on more than the call's symbols */
    int64_t bytes;  /* of the arena, where the plan is static */
    /* What the function states of its symbols, without and with limits for the others. */
    rlxc_bounds stated, bounds;
} rlxc_c_plan;
/* Decides between a static plan and an arena, and chooses the offsets, from the parts and the
 * bounds that |f| states, for symbols that are dimensions and for other numbers; |in_pools|: the
 * parts lie in pools (c_pools.c). */
void rlxc_c_lay_out(rlxc_context *ctx, rlxc_c_plan *plan, const rlxc_function *f,
                    const rlxc_var_list *dims, const rlxc_var_list *numbers, bool in_pools);

/* --- c_pools.c */
/* Notes the module's pools that C can use; an error is in the context. */
void rlxc_c_find_pools(rlxc_c_module *m);

/* --- c.c */
/* |name| as an identifier, or in capitals. */
const char *rlxc_c_identifier(rlxc_context *ctx, const char *name, bool capitals);

/* --- c_constants.c */
/* The name of |c|, or the expression for it in the weights. */
const char *rlxc_c_constant(rlxc_c_module *m, const rlxc_constant *c);
/* Writes the arrays of all named constants, after the functions are written. */
void rlxc_c_write_constants(rlxc_c_module *m);

#endif
