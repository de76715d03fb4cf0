/* Functions and sub-graphs: what the operators that have bodies need of the importer. */
#ifndef RLXC_ONNX_GRAPH_H
#define RLXC_ONNX_GRAPH_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_MAX_DEPTH = 24 }; /* of graphs in graphs */

/* The nodes that are being imported, up to |end| (not included). A node that had to import some
 * after it, too, sets |next| to the one that follows those: what is used from there on is defined
 * then. */
typedef struct rlxc_ox_rest {
    const Onnx__GraphProto *graph;
    size_t next; /* node after the one at hand */
    size_t end;
} rlxc_ox_rest;

/* What the node at hand means in two cases: |take| sets its outputs as they are in case |k|, 0
 * where the condition holds. */
typedef struct rlxc_ox_cases {
    void (*take)(rlxc_ox *im, void *user, uint32_t k);
    void *user;
} rlxc_ox_cases;

/* A node whose result has another rank in each of two cases, as a squeeze of a dimension that need
 * not be 1. Where the nodes after it fit one rank only, that case is taken, and |cond|, a bool
 * scalar, checked at run time. Otherwise they are imported once in each branch of an If, up to
 * where what is still used is alike in both cases: at the latest to the end of the graph. */
void rlxc_ox_split(rlxc_ox *im, rlxc_atom cond, const rlxc_ox_cases *cases);
/* Whether a value of one branch can stand for that of the other, types of tensors aside. */
bool rlxc_ox_same_kind(const rlxc_ox_value *a, const rlxc_ox_value *b);
/* An If of two branches that end with the values |first| and |second|; |out| is what they are
 * after it. */
void rlxc_ox_choose(rlxc_ox *im, rlxc_atom cond, rlxc_body *const bodies[2],
                    rlxc_ox_value *const *first, rlxc_ox_value *const *second, uint32_t n,
                    rlxc_ox_value **out);

/* What the dimension's |name| says, in variables of its own, to compare such names; NULL: it is no
 * expression (dim_names.c). */
const rlxc_expr *rlxc_ox_dim_form(rlxc_ox *im, const char *name);

/* The node at hand by |row|, whatever is known of its inputs' ranks (ranks.c). */
void rlxc_ox_run_row(rlxc_ox *im, const rlxc_ox_row *row);

/* Makes the listing of the graph, which is registered as a file: im->lines, im->file. */
void rlxc_ox_list(rlxc_ox *im);
/* The same of the |n| nodes of a function of the model, called by the node at hand. */
void rlxc_ox_list_call(rlxc_ox *im, Onnx__NodeProto **nodes, size_t n);
/* The node's line in its listing. */
rlxc_range rlxc_ox_range_of(const rlxc_ox *im, const Onnx__NodeProto *node);

/* The graph's inputs become parameters, its outputs the result (signature.c). */
void rlxc_ox_add_params(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_add_result(rlxc_ox *im, const Onnx__GraphProto *g);
/* Notes what |g| declares of its values. The outputs of the node at hand must agree with it: an
 * error where they provably do not. */
void rlxc_ox_note_declared(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_check_declared(rlxc_ox *im);

/* Begins a function inside the one at hand; |frame| and |scope| live until rlxc_ox_pop_frame. */
void rlxc_ox_push_frame(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_scope *scope, const char *name);
void rlxc_ox_pop_frame(rlxc_ox *im);
void rlxc_ox_finish_function(rlxc_ox *im, rlxc_function *f);
/* Bodies in bodies are imported many times: small files must not take forever. False when |n| more
 * nodes are too many. */
bool rlxc_ox_count_parts(rlxc_ox *im, size_t n);
/* Initializers of |g| into the scope; false when too deep. */
bool rlxc_ox_begin_graph(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_end_graph(rlxc_ox *im);
/* A value, a type or an expression of the surroundings as it is inside |frame|. */
rlxc_ox_value *rlxc_ox_capture(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_value *value);
const rlxc_sinfo *rlxc_ox_inner_sinfo(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_sinfo *s);
const rlxc_expr *rlxc_ox_inner_expr(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_expr *e);
const rlxc_sinfo *rlxc_ox_type_info(rlxc_ox *im, const Onnx__TypeProto *type, const char *name);

#endif
