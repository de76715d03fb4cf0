/* Structural comparison by encoding: a function becomes a list of numbers in which variables and
 * buffers are numbered by first occurrence. Two functions are equal up to renaming if and only if
 * their lists are equal. Shared by equal_tir.c and equal.c only.
 *
 * Names of variables, buffers and blocks and source ranges are left out. Data of constants stays
 * outside the list, as references compared by content. */
#ifndef RLXC_IR_EQUAL_ENCODER_H
#define RLXC_IR_EQUAL_ENCODER_H

#include "compiler/ir/relax.h"

typedef struct rlxc_blob {
    const void *data;
    size_t size;
} rlxc_blob;

typedef struct rlxc_marker { /* tokens from |at| on belong to the binding of |var| */
    uint32_t at;
    const rlxc_rvar *var;
} rlxc_marker;

typedef struct rlxc_encoder {
    rlxc_context *ctx;
    RLXC_VEC(uint64_t) tokens;
    RLXC_VEC(rlxc_blob) blobs;
    RLXC_VEC(rlxc_marker) markers;
    rlxc_map numbers; /* variable, buffer, expression node -> its number */
    uint32_t n_numbers;
    RLXC_VEC(const rlxc_expr *) symbols; /* symbolic variables of the graph, by own number */
    rlxc_map symbol_numbers;
    rlxc_var_list *canonical; /* stand for symbols 0, 1, ... in both functions compared */
} rlxc_encoder;

static inline void rlxc_encode(rlxc_encoder *e, uint64_t token)
{
    RLXC_PUSH(e->ctx, &e->tokens, token);
}
void rlxc_encode_text(rlxc_encoder *e, const char *text); /* NULL allowed */
void rlxc_encode_dtype(rlxc_encoder *e, rlx_dtype t);
void rlxc_encode_blob(rlxc_encoder *e, const void *data, size_t size);
void rlxc_encode_constant(rlxc_encoder *e, const rlxc_constant *c);
void rlxc_encode_attrs(rlxc_encoder *e, const rlxc_attrs *attrs);
/* TIR expressions, as written; NULL allowed. */
void rlxc_encode_expr(rlxc_encoder *e, const rlxc_expr *x);
void rlxc_encode_prim_func(rlxc_encoder *e, const rlxc_prim_func *f);
/* The number of an object by first occurrence; *out_new is true on the first. */
uint32_t rlxc_encoder_number(rlxc_encoder *e, const void *object, bool *out_new);
/* Empties |e| for reuse. */
void rlxc_encoder_reset(rlxc_encoder *e);
/* True when both lists are equal; else *out_at is the first difference in the tokens. */
bool rlxc_encoders_equal(const rlxc_encoder *a, const rlxc_encoder *b, uint32_t *out_at);

#endif
