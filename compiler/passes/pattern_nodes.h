/* Private to the files of patterns: the nodes of a parsed pattern and their conditions. */
#ifndef RLXC_PASSES_PATTERN_NODES_H
#define RLXC_PASSES_PATTERN_NODES_H

#include "compiler/passes/pattern.h"

enum { RLXC_PATTERN_CHILDREN = 12, RLXC_PATTERN_NO_NAME = UINT32_MAX };

typedef enum rlxc_node_kind {
    RLXC_NODE_ANY,
    RLXC_NODE_NUMBER,
    RLXC_NODE_CALL,     /* of an operator, or one of the forms that stand for several */
    RLXC_NODE_CALLEE,   /* (call f a b) */
    RLXC_NODE_TUPLE,    /* (tuple a b) */
    RLXC_NODE_ITEM,     /* (item 1 a) */
    RLXC_NODE_EITHER,   /* [a | b] */
    RLXC_NODE_BOTH,     /* [a & b] */
    RLXC_NODE_NOT,      /* !a */
    RLXC_NODE_SOMEWHERE /* any value of the graph matches the child */
} rlxc_node_kind;

typedef struct rlxc_condition rlxc_condition;
typedef bool (*rlxc_condition_fn)(const rlxc_pattern_graph *g, const rlxc_condition *c,
                                  rlxc_atom atom, rlxc_match *io_match);

struct rlxc_condition {
    rlxc_condition_fn holds;
    bool late;                    /* names other captures: checked once all are known */
    const char *key;              /* of an attribute */
    rlxc_attr value;              /* words are strings */
    rlx_dtype dtype;              /* of dtype= */
    const rlxc_sinfo *type;       /* of type= */
    uint32_t names[RLX_MAX_NDIM]; /* captures and dimensions that the value names */
};

struct rlxc_pattern_node {
    rlxc_node_kind kind;
    const char *op; /* CALL; CALLEE: the function's name, NULL for any */
    double value;   /* NUMBER without a name */
    int64_t index;  /* ITEM, -1: any */
    uint32_t name;  /* capture, or NO_NAME */
    const rlxc_pattern_node *children[RLXC_PATTERN_CHILDREN];
    uint32_t n;
    const rlxc_condition *conditions;
    uint32_t n_conditions;
};

/* Fills |io| for the condition |key| with its value; NULL, or what is wrong with it. |name_index|
 * gives the number of a capture. */
const char *rlxc_condition_resolve(rlxc_context *ctx, const char *key, rlxc_condition *io,
                                   uint32_t (*name_index)(void *user, const char *name),
                                   void *user);

#endif
