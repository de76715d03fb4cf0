/* Causal masks in the conditions that exporters compute (match_attention.c). */
#ifndef RLXC_PASSES_MATCH_CAUSAL_H
#define RLXC_PASSES_MATCH_CAUSAL_H

#include "compiler/passes/match_patterns.h"

/* If each of |queries| queries can see only keys up to its own position where |seen|, a condition
 * over (..., queries, keys), holds: "TopLeft" if the first query is at the first key, "BottomRight"
 * if the last one is at the last key, as behind a cache. *whole: it sees all of these. NULL: none
 * of this was found. */
const char *rlxc_match_causal(rlxc_matching *t, rlxc_atom seen, const rlxc_expr *queries,
                              const rlxc_expr *keys, bool *whole);
/* |x| before leading dimensions of 1 were added. */
rlxc_atom rlxc_match_without_front(rlxc_matching *t, rlxc_atom x);

#endif
