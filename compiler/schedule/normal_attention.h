/* Attention, softmax(Q K^T) V, in the nests of a PrimFunc: recognised in any form, for rule
 * attention, and in user code rewritten as the seven blocks of legalization. */
#ifndef RLXC_SCHEDULE_NORMAL_ATTENTION_H
#define RLXC_SCHEDULE_NORMAL_ATTENTION_H

#include "compiler/schedule/normal.h"

typedef enum rlxc_role { /* of an axis */
                         RLXC_ROLE_BATCH,
                         RLXC_ROLE_HEAD,
                         RLXC_ROLE_QUERY,
                         RLXC_ROLE_KEY,
                         RLXC_ROLE_SIZE,  /* summed in the scores */
                         RLXC_ROLE_VALUE, /* of the result */
                         RLXC_ROLES
} rlxc_role;

typedef struct rlxc_attention_form {
    const rlxc_expr *axes[RLXC_ROLES], *extents[RLXC_ROLES]; /* 1: no block has the axis */
    int64_t size, value_size;                                /* of SIZE and VALUE */
    rlx_dtype dtype;
    const rlxc_expr *query, *key, *value;       /* over the axes */
    const rlxc_expr *score, *max, *sum, *total; /* their variables */
    const rlxc_expr *map;                       /* the score after scale and mask, over |score| */
    double factor;                              /* a weight is exp(factor * (map - max)) */
    const rlxc_expr *final;                     /* the result, over |total| and |sum| */
    double start;                               /* of the maximum */
    rlxc_range range;                           /* of the scores */
    const rlxc_buffer *out;
    const rlxc_expr *indices[RLXC_NEST_AXES]; /* of the result in |out|, over the axes */
    rlxc_role order[RLXC_NEST_AXES];          /* of the last block's axes */
    uint32_t n_order;
    const char *why; /* it is not attention */
} rlxc_attention_form;

/* False, with the reason in out->why, if the nests, which are the whole function, compute something
 * else. */
bool rlxc_read_attention(rlxc_context *ctx, const rlxc_nest *nests, uint32_t n,
                         const rlxc_temps *temps, rlxc_attention_form *out);
/* Appends the seven blocks and their allocations; the mask as rule attention reads it. */
typedef RLXC_VEC(const rlxc_stmt *) rlxc_stmts;
void rlxc_write_attention(rlxc_context *ctx, const rlxc_attention_form *form, rlxc_stmts *stmts,
                          rlxc_buffers *temps);

#endif
