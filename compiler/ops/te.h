/* Builds the PrimFunc of one call and the call_tir that replaces the call.
 *
 *   rlxc_te te;
 *   if (!rlxc_te_begin(&te, b, call, "add", RLXC_PATTERN_BROADCAST)) return (rlxc_atom){0};
 *   rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
 *   const rlxc_buffer *out = rlxc_te_output(&te, "T_add");
 *   rlxc_te_spatial(&te, "T_add", out);
 *   rlxc_te_store(&te, out, value of te.axes);
 *   return rlxc_te_finish(&te);
 *
 * The PrimFunc has symbols of its own: dimensions of the graph are rewritten to them. A symbol that
 * is not by itself a dimension of a buffer becomes a scalar parameter, passed through tir_vars.
 * Scalar constants of the graph are immediates, not parameters. */
#ifndef RLXC_OPS_TE_H
#define RLXC_OPS_TE_H

#include "compiler/ir/operation.h"
#include "compiler/ops/op_infer.h"

enum { RLXC_TE_MAX_AXES = 48, RLXC_TE_MAX_OUTPUTS = 4096 };

/* An input: a parameter buffer, or the immediate value of a scalar constant (then buffer NULL). */
typedef struct rlxc_te_operand {
    const rlxc_buffer *buffer;
    const rlxc_expr *value;
    rlx_dtype dtype;
    uint32_t ndim;
    const rlxc_expr *const *dims; /* in the PrimFunc's symbols */
} rlxc_te_operand;

typedef struct rlxc_te {
    rlxc_context *ctx;
    rlxc_builder *b;
    const rlxc_binding *call;
    const rlxc_sinfo *out; /* inferred again from the call's arguments */
    const char *name;
    rlxc_pattern pattern;
    rlxc_call_view view;                 /* for messages */
    RLXC_VEC(const rlxc_expr *) symbols; /* of the graph */
    RLXC_VEC(const rlxc_expr *) locals;  /* the PrimFunc's, in step with symbols */
    RLXC_VEC(rlxc_prim_param) params;
    RLXC_VEC(rlxc_atom) args;
    RLXC_VEC(rlxc_buffer *) outputs;
    RLXC_VEC(rlxc_buffer *) temps;
    RLXC_VEC(const rlxc_stmt *) stmts;
    /* the block under construction */
    const char *block;
    rlxc_axis block_axes[RLXC_TE_MAX_AXES];
    const rlxc_expr *axes[RLXC_TE_MAX_AXES]; /* their variables */
    const rlxc_expr *loops[RLXC_TE_MAX_AXES];
    uint32_t n_axes;
    rlxc_operation_kind computes; /* RLXC_OPERATIONS: what its body shows */
} rlxc_te;

/* The fusion pattern of an operator that samples an image at computed positions, the same in all
 * channels. With the channels last (attribute layout) the samples are read as vectors; operators
 * that move elements must not be fused, as they would turn these reads into gathers. */
rlxc_pattern rlxc_te_pattern_of_samples(const rlxc_binding *call);
/* Infers the result again. False after an error: results and inputs of unknown dimensions cannot be
 * lowered. |name| is that of the PrimFunc. */
bool rlxc_te_begin(rlxc_te *te, rlxc_builder *b, const rlxc_binding *call, const char *name,
                   rlxc_pattern pattern);
/* The same for a call of a builtin, whose result types are those that it states; a result that is
 * not a tensor is left out of the PrimFunc. False without an error if dimensions of an operand or a
 * result are unknown. */
bool rlxc_te_begin_builtin(rlxc_te *te, rlxc_builder *b, const rlxc_binding *call, const char *name,
                           rlxc_pattern pattern);
/* Argument |i| of the call (or field |field| of a tuple argument) as an input. */
rlxc_te_operand rlxc_te_operand_of(rlxc_te *te, uint32_t i, const char *name);
rlxc_te_operand rlxc_te_field_of(rlxc_te *te, uint32_t i, uint32_t field, const char *name);
/* The next result: of te->out, or of its next field when it is a tuple. */
const rlxc_buffer *rlxc_te_output(rlxc_te *te, const char *name);
const rlxc_buffer *rlxc_te_temp(rlxc_te *te, const char *name, rlx_dtype dtype,
                                const rlxc_expr *const *dims, uint32_t n);
/* Rewrites an expression over the graph's symbols to those of the PrimFunc. */
const rlxc_expr *rlxc_te_expr(rlxc_te *te, const rlxc_expr *e);
/* The same as one symbol |name|, whatever |e| is made of: for large expressions that would occur
 * often. It stands for |e| from here on. */
const rlxc_expr *rlxc_te_symbol(rlxc_te *te, const rlxc_expr *e, const char *name);

/* Begins a block. rlxc_te_computes states its operator, which the body must prove; without it the
 * tag is the first kind that the body proves (compiler/ir/operation.h). */
void rlxc_te_block(rlxc_te *te, const char *name);
void rlxc_te_computes(rlxc_te *te, rlxc_operation_kind kind);
/* Adds an axis to the block: loop variable |name|, axis variable v_|name|; returns the latter. */
const rlxc_expr *rlxc_te_axis(rlxc_te *te, rlxc_axis_kind kind, const char *name,
                              const rlxc_expr *extent);
/* Begins a block with a spatial axis ax0, ax1, ... for each dimension of |buffer|. */
void rlxc_te_spatial(rlxc_te *te, const char *name, const rlxc_buffer *buffer);

/* Ends the block with one store; |init| NULL: no reduction. |indices| as many as the buffer has
 * dimensions. */
void rlxc_te_store_at(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                      const rlxc_expr *init, const rlxc_expr *value);
/* As above at the block's first axes. */
void rlxc_te_store(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *value);
void rlxc_te_reduce(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *init,
                    const rlxc_expr *value);
/* Two results that depend on each other (value and index of argmax), both at the first axes. */
void rlxc_te_reduce2(rlxc_te *te, const rlxc_buffer *const buffers[2],
                     const rlxc_expr *const inits[2], const rlxc_expr *const values[2]);
/* Ends the block with a statement made by hand; reads and writes are found in it. */
void rlxc_te_body(rlxc_te *te, const rlxc_stmt *init, const rlxc_stmt *body);

/* Adds the function (or finds an equal one) and emits its call; the variable takes the name of the
 * call's. A function without results is called for its effect. */
rlxc_atom rlxc_te_finish(rlxc_te *te);

/* Loads; an operand that is an immediate ignores the indices. */
const rlxc_expr *rlxc_te_load(rlxc_te *te, const rlxc_buffer *buffer,
                              const rlxc_expr *const *indices);
const rlxc_expr *rlxc_te_get(rlxc_te *te, const rlxc_te_operand *x,
                             const rlxc_expr *const *indices);
/* The operand's element for |indices| into a result of |n| dimensions that it broadcasts to. */
const rlxc_expr *rlxc_te_get_broadcast(rlxc_te *te, const rlxc_te_operand *x,
                                       const rlxc_expr *const *indices,
                                       const rlxc_expr *const *dims, uint32_t n);
/* Prim argument |i| as a value of the PrimFunc, converted to |dtype|. */
const rlxc_expr *rlxc_te_prim(rlxc_te *te, uint32_t i, rlx_dtype dtype);
/* The indices of element |position| (row-major) of a tensor of |dims|. */
void rlxc_te_unflatten(rlxc_te *te, const rlxc_expr *position, const rlxc_expr *const *dims,
                       uint32_t n, const rlxc_expr **out);
/* Turns |index|, which is data, into a valid index of a dimension of |n|: negative ones count from
 * the end, those out of range are clipped (|wrap|: taken modulo). */
const rlxc_expr *rlxc_te_position(rlxc_context *ctx, const rlxc_expr *index, const rlxc_expr *n,
                                  bool wrap);
/* |value|, which is read from a dimension of |n|; 0 if |n| is 0 and there is nothing to read. */
const rlxc_expr *rlxc_te_if_not_empty(rlxc_context *ctx, const rlxc_expr *n,
                                      const rlxc_expr *value);
/* The type of arithmetic on |t|: float32 for floats of 8 and 16 bits, else |t|. */
rlx_dtype rlxc_te_compute_dtype(rlx_dtype t);
const rlxc_expr *rlxc_te_widen(rlxc_te *te, const rlxc_expr *e);

/* Small expression helpers. */
/* The single element of |c| as a literal; NULL if it has several or none. */
const rlxc_expr *rlxc_te_immediate(rlxc_context *ctx, const rlxc_constant *c);
const rlxc_expr *rlxc_te_number(rlxc_context *ctx, rlx_dtype dtype, double value);
const rlxc_expr *rlxc_te_lowest(rlxc_context *ctx, rlx_dtype dtype);
const rlxc_expr *rlxc_te_highest(rlxc_context *ctx, rlx_dtype dtype);
const rlxc_expr *rlxc_te_call1(rlxc_context *ctx, const char *intrinsic, const rlxc_expr *x);
const rlxc_expr *rlxc_te_if(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_expr *yes,
                            const rlxc_expr *no);
const rlxc_expr *rlxc_te_div(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);

#endif
