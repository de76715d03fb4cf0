/* Attention in the stages of a PrimFunc: what rlxc_read_attention finds, and what its kernel needs
 * besides. Axes are those of the form. */
#ifndef RLXC_KERNELS_ATTENTION_ATTENTION_H
#define RLXC_KERNELS_ATTENTION_ATTENTION_H

#include "compiler/schedule/normal_attention.h"
#include "compiler/schedule/stages.h"

enum { RLXC_ATTENTION_CROSSED = 2 };

typedef struct rlxc_attention {
    rlxc_attention_form form;
    const rlxc_expr *queries, *keys; /* their numbers */
    bool widens;                     /* keys or values are of 16 bits */
    /* The first and last key visible to a query: the query's number plus a term common to all
     * queries; or NULL. */
    const rlxc_expr *first_seen, *last_seen;
    /* The score of keys outside that range, if a mask could give the keys inside the same score; a
     * query that sees no key then weights all keys equally. Else NULL. */
    const rlxc_expr *hidden;
    /* Loads of the map that are contiguous along the keys and strided along the queries, such as a
     * bias per pair. */
    const rlxc_expr *crossed[RLXC_ATTENTION_CROSSED];
    uint32_t n_crossed;
    const rlxc_expr *inverse; /* a variable that stands for 1 / form.sum */
    const rlxc_expr *scale;   /* a constant factor of the scores, taken out of form.map: the queries
                               * are multiplied by it, once for all keys; or NULL */
} rlxc_attention;

bool rlxc_attention_find(const rlxc_stages *s, rlxc_attention *out);

#endif
