/* Between the pass match_patterns and the functions of its rows. */
#ifndef RLXC_PASSES_MATCH_PATTERNS_H
#define RLXC_PASSES_MATCH_PATTERNS_H

#include "compiler/passes/pattern.h"

typedef struct rlxc_matching {
    rlxc_pattern_graph g;
    rlxc_builder *b;
    const rlxc_binding *root;
    rlxc_match m;
    /* The match of the row |name| (one without build) at |atom|. */
    bool (*part)(struct rlxc_matching *self, const char *name, rlxc_atom atom, rlxc_match *out);
} rlxc_matching;

/* Emits the replacement of the root and gives it; kind NONE: the match is not what it seemed, and
 * nothing of use was emitted. */
typedef rlxc_atom (*rlxc_match_build_fn)(rlxc_matching *t);

rlxc_atom rlxc_match_layer_norm(rlxc_matching *t);
rlxc_atom rlxc_match_rms_norm(rlxc_matching *t);
rlxc_atom rlxc_match_gelu(rlxc_matching *t);
rlxc_atom rlxc_match_gelu_tanh(rlxc_matching *t);
rlxc_atom rlxc_match_silu(rlxc_matching *t);
rlxc_atom rlxc_match_sigmoid(rlxc_matching *t);
rlxc_atom rlxc_match_softmax(rlxc_matching *t);
rlxc_atom rlxc_match_log_softmax(rlxc_matching *t);
rlxc_atom rlxc_match_attention(rlxc_matching *t);
rlxc_atom rlxc_match_permute_dims(rlxc_matching *t);

#endif
