/* Rewriting by patterns, and the interface between pass match_patterns and the functions of its
 * rows. */
#ifndef RLXC_PASSES_MATCH_PATTERNS_H
#define RLXC_PASSES_MATCH_PATTERNS_H

#include "compiler/passes/pattern.h"

typedef struct rlxc_matching {
    rlxc_pattern_graph g;
    rlxc_builder *b;
    const rlxc_binding *root;
    rlxc_match m;
    void *user; /* of the rule */
    /* The match of the row |name| (one without build) at |atom|. */
    bool (*part)(struct rlxc_matching *self, const char *name, rlxc_atom atom, rlxc_match *out);
} rlxc_matching;

/* Emits the replacement of the root and returns it; kind NONE if the match is refused. */
typedef rlxc_atom (*rlxc_match_build_fn)(rlxc_matching *t);

typedef struct rlxc_pattern_rule {
    const char *name;
    bool shared;               /* values inside may be used elsewhere */
    rlxc_match_build_fn build; /* NULL: a part of other rules */
    rlxc_pattern_text pattern;
    void *user;
} rlxc_pattern_rule;

typedef struct rlxc_pattern_rewrite { /* one rule, or several of one root each */
    const rlxc_pattern_rule *rules;   /* tried in this order at each binding */
    uint32_t n_rules;
    bool (*may_be_root)(const rlxc_binding *b);
    rlxc_match_build_fn cast; /* offered every match_cast; or NULL */
} rlxc_pattern_rewrite;

/* Replaces what matches in |function|; a replacement must have a type at least as precise. */
bool rlxc_rewrite_patterns(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                           const rlxc_pattern_rewrite *rewrite, uint32_t *io_replaced);
/* Replaces matches of |text|, "PATTERN -> REPLACEMENT". */
bool rlxc_replace_pattern(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                          const char *text, bool shared, uint32_t *io_replaced);
/* Replaces matches of |text| by what |build| makes of each; |user| is in its rlxc_matching. */
bool rlxc_replace_pattern_by(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                             const char *text, bool shared, rlxc_match_build_fn build, void *user,
                             uint32_t *io_replaced);

/* The type of a tensor with known dimensions and element type; else NULL. */
const rlxc_sinfo *rlxc_match_tensor(const rlxc_matching *t, rlxc_atom atom);
/* The match's capture |name|; kind NONE if there is none. */
rlxc_atom rlxc_match_capture(const rlxc_matching *t, const char *name);
/* R.|op|(args) before the root, named as its result. */
rlxc_atom rlxc_match_emit(rlxc_matching *t, const char *op, const rlxc_atom *args, uint32_t n,
                          rlxc_attrs attrs);
/* permute_dims(x, axes), merged with the one that made x, if any. */
rlxc_atom rlxc_match_permuted(rlxc_matching *t, rlxc_atom x, const int64_t *axes, int32_t ndim);
/* The call of R.|op| that produces |x|, or NULL. */
const rlxc_binding *rlxc_match_made_by(const rlxc_matching *t, rlxc_atom x, const char *op);
/* The reshape or expand_dims that produces |x|, or NULL. */
const rlxc_binding *rlxc_match_reshaping(const rlxc_matching *t, rlxc_atom x);

rlxc_atom rlxc_match_layer_norm(rlxc_matching *t);
rlxc_atom rlxc_match_rms_norm(rlxc_matching *t);
rlxc_atom rlxc_match_gelu(rlxc_matching *t);
rlxc_atom rlxc_match_gelu_tanh(rlxc_matching *t);
rlxc_atom rlxc_match_silu(rlxc_matching *t);
rlxc_atom rlxc_match_sigmoid(rlxc_matching *t);
rlxc_atom rlxc_match_softmax(rlxc_matching *t);
rlxc_atom rlxc_match_log_softmax(rlxc_matching *t);
rlxc_atom rlxc_match_attention(rlxc_matching *t);
/* The root is a match_cast. */
rlxc_atom rlxc_match_cast_of_repeated(rlxc_matching *t);
rlxc_atom rlxc_match_permute_dims(rlxc_matching *t);

#endif
