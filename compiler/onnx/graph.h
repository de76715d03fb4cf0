/* Functions and sub-graphs: what the operators that have bodies need of the importer. */
#ifndef RLXC_ONNX_GRAPH_H
#define RLXC_ONNX_GRAPH_H

#include "compiler/onnx/importer.h"

/* The graph whose nodes are being imported. A node that had to import those after it, too, sets
 * |finished|: the graph's outputs are defined then. */
typedef struct rlxc_ox_rest {
    const Onnx__GraphProto *graph;
    size_t next; /* node after the one at hand */
    bool finished;
} rlxc_ox_rest;

/* What the node at hand means in two cases: |take| sets its outputs as they are in case |k|, 0
 * where the condition holds. */
typedef struct rlxc_ox_cases {
    void (*take)(rlxc_ox *im, void *user, uint32_t k);
    void *user;
} rlxc_ox_cases;

/* A node whose result has another rank in each of two cases, as a squeeze of a dimension that need
 * not be 1: what comes after it in its graph is imported once in each branch of an If, where the
 * rank is known, and the branches give the outputs of the graph. Where that is an error in one case
 * (the operators fit the other rank only), the other one is taken, and |cond|, a bool scalar,
 * checked at run time. */
void rlxc_ox_split(rlxc_ox *im, rlxc_atom cond, const rlxc_ox_cases *cases);
bool rlxc_ox_can_split(const rlxc_ox *im); /* not too deep in other cases */

/* Begins a function inside the one at hand; |frame| and |scope| live until rlxc_ox_pop_frame. */
void rlxc_ox_push_frame(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_scope *scope, const char *name);
void rlxc_ox_pop_frame(rlxc_ox *im);
void rlxc_ox_finish_function(rlxc_ox *im, rlxc_function *f);
/* Initializers of |g| into the scope; false when too deep. */
bool rlxc_ox_begin_graph(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_end_graph(rlxc_ox *im);
/* A value, a type or an expression of the surroundings as it is inside |frame|. */
rlxc_ox_value *rlxc_ox_capture(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_value *value);
const rlxc_sinfo *rlxc_ox_inner_sinfo(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_sinfo *s);
const rlxc_expr *rlxc_ox_inner_expr(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_expr *e);
const rlxc_sinfo *rlxc_ox_type_info(rlxc_ox *im, const Onnx__TypeProto *type, const char *name);

#endif
