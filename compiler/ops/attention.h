/* Shared by the attention files: which keys a query sees. */
#ifndef RLXC_OPS_ATTENTION_H
#define RLXC_OPS_ATTENTION_H

#include "compiler/ops/op_infer.h"

bool rlxc_attention_has_window(const rlxc_binding *call);
/* True if the causal mask aligns the first query with the first key; otherwise it aligns the last
 * ones. */
bool rlxc_attention_is_top_left(const rlxc_binding *call);

/* The keys visible to each query, from |first| up to |end|: those of its own sequence, limited by
 * the causal mask and the window. Both are int64 vectors. */
typedef struct rlxc_key_range {
    rlxc_atom first, end;
} rlxc_key_range;
/* Of attention_var_len, whose arguments 3 and 4 are the starts of the sequences. */
rlxc_key_range rlxc_attention_key_range(rlxc_builder *b, const rlxc_binding *call,
                                        const rlxc_call_view *v);
/* As above, as a mask of queries by keys. */
rlxc_atom rlxc_attention_packed_mask(rlxc_builder *b, const rlxc_binding *call,
                                     const rlxc_call_view *v);

#endif
