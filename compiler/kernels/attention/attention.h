/* Attention as seven stages of a PrimFunc. */
#ifndef RLXC_KERNELS_ATTENTION_ATTENTION_H
#define RLXC_KERNELS_ATTENTION_ATTENTION_H

#include "compiler/schedule/stages.h"

/* b, h, i, j stand for batch, head, query and key:
 *     score[b,h,i,j] += query(b,h,i,d) * key(b,h,j,d)     map[b,h,i,j] of score[b,h,i,j]
 *     max[b,h,i] over j of map       exp[b,h,i,j] = exp(map - max)      sum[b,h,i] over j of exp
 *     weigh[b,h,i,e] += exp[b,h,i,j] * value(b,h,j,e)     final of weigh[b,h,i,e] and sum[b,h,i] */
enum { RLXC_ATTENTION_CROSSED = 2, RLXC_ATTENTION_NOWHERE = 4 };

typedef struct rlxc_attention {
    const rlxc_stage *score, *map, *max, *exp, *sum, *weigh, *final;
    const rlxc_expr *query, *key, *value; /* over the axes of score, of score, of weigh */
    const rlxc_expr *batches, *heads, *queries, *keys;
    int64_t size, value_size;
    rlx_dtype dtype;   /* of the stages: float32 or float64 */
    double start;      /* of the maximum */
    uint32_t place[4]; /* of b, h, i and e among the axes of final, or RLXC_ATTENTION_NOWHERE */
    bool widens;       /* keys or values are of 16 bits */
    /* The first and last key visible to a query, over the axes of map: the query's number plus a
     * term common to all queries; or NULL. */
    const rlxc_expr *first_seen, *last_seen;
    /* Loads of map that are contiguous along the keys and strided along the queries, such as a bias
     * per pair. */
    const rlxc_expr *crossed[RLXC_ATTENTION_CROSSED];
    uint32_t n_crossed;
} rlxc_attention;

bool rlxc_attention_find(const rlxc_stages *s, rlxc_attention *out);

#endif
