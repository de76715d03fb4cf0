/* Causal masks in the conditions that exporters compute (match_attention.c). */
#ifndef RLXC_PASSES_MATCH_CAUSAL_H
#define RLXC_PASSES_MATCH_CAUSAL_H

#include "compiler/passes/match_patterns.h"

/* Recognizes a causal mask in |seen|, a condition over (..., queries, keys): each of |queries|
 * queries sees only keys up to its own position. Returns "TopLeft" if the first query is at the
 * first key, "BottomRight" if the last query is at the last key, as after a cache. *whole: each
 * query sees all of these keys. NULL if there is no such mask. */
const char *rlxc_match_causal(rlxc_matching *t, rlxc_atom seen, const rlxc_expr *queries,
                              const rlxc_expr *keys, bool *whole);
/* |x| without the leading dimensions of 1 that were added to it. */
rlxc_atom rlxc_match_without_front(rlxc_matching *t, rlxc_atom x);

#endif
