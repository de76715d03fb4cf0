/* Functions and sub-graphs: the importer's interface for operators with bodies. */
#ifndef RLXC_ONNX_GRAPH_H
#define RLXC_ONNX_GRAPH_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_MAX_DEPTH = 24 }; /* of graphs in graphs */

/* The nodes being imported, up to |end| (exclusive). A node that also had to import later nodes
 * sets |next| to the first one after those. */
typedef struct rlxc_ox_rest {
    const Onnx__GraphProto *graph;
    size_t next; /* the node after the current one */
    size_t end;
} rlxc_ox_rest;

/* Sets a node's outputs for one of its two cases: |k| is 0 if the condition holds. */
typedef struct rlxc_ox_cases {
    void (*take)(rlxc_ox *im, void *user, uint32_t k);
    void *user;
} rlxc_ox_cases;

/* A node whose result has different ranks in two cases, such as a squeeze of a dimension that may
 * be 1. If the later nodes accept only one rank, that case is taken, and |cond|, a bool scalar, is
 * checked at run time. Otherwise they are imported in each branch of an If, up to the point where
 * the values still in use agree in both cases, at the latest the end of the graph. */
void rlxc_ox_split(rlxc_ox *im, rlxc_atom cond, const rlxc_ox_cases *cases);
/* True if the values of both branches have the same kind, apart from types of tensors. */
bool rlxc_ox_same_kind(const rlxc_ox_value *a, const rlxc_ox_value *b);
/* An If of two branches that end with the values |first| and |second|; |out| receives the joined
 * values. */
void rlxc_ox_choose(rlxc_ox *im, rlxc_atom cond, rlxc_body *const bodies[2],
                    rlxc_ox_value *const *first, rlxc_ox_value *const *second, uint32_t n,
                    rlxc_ox_value **out);

/* The dimension's |name| as an expression over variables of its own, to compare names; NULL if the
 * name is not an expression (dim_names.c). */
const rlxc_expr *rlxc_ox_dim_form(rlxc_ox *im, const char *name);

/* Imports the current node by |row|, even if its inputs' ranks are unknown (ranks.c). */
void rlxc_ox_run_row(rlxc_ox *im, const rlxc_ox_row *row);

/* Makes the textual listing of the graph and registers it as a source file: im->lines, im->file. */
void rlxc_ox_list(rlxc_ox *im);
/* As above for the |n| nodes of a function of the model, called by the current node. */
void rlxc_ox_list_call(rlxc_ox *im, Onnx__NodeProto **nodes, size_t n);
/* The node's line in its listing. */
rlxc_range rlxc_ox_range_of(const rlxc_ox *im, const Onnx__NodeProto *node);

/* The graph's inputs become parameters, its outputs the result (signature.c). */
void rlxc_ox_add_params(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_add_result(rlxc_ox *im, const Onnx__GraphProto *g);
/* Records the types that |g| declares for its values. The outputs of a node must not provably
 * contradict them. */
void rlxc_ox_note_declared(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_check_declared(rlxc_ox *im);

/* Begins a function inside the current one; |frame| and |scope| live until rlxc_ox_pop_frame. */
void rlxc_ox_push_frame(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_scope *scope, const char *name);
void rlxc_ox_pop_frame(rlxc_ox *im);
void rlxc_ox_finish_function(rlxc_ox *im, rlxc_function *f);
/* Limits the work: nested bodies are imported many times, and a small file must not take forever.
 * False when |n| more nodes are too many. */
bool rlxc_ox_count_parts(rlxc_ox *im, size_t n);
/* Adds the initializers of |g| to the scope; false if graphs are nested too deeply. */
bool rlxc_ox_begin_graph(rlxc_ox *im, const Onnx__GraphProto *g);
void rlxc_ox_end_graph(rlxc_ox *im);
/* Translates a value, a type or an expression of an enclosing scope for use inside |frame|. */
rlxc_ox_value *rlxc_ox_capture(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_value *value);
const rlxc_sinfo *rlxc_ox_inner_sinfo(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_sinfo *s);
const rlxc_expr *rlxc_ox_inner_expr(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_expr *e);
const rlxc_sinfo *rlxc_ox_type_info(rlxc_ox *im, const Onnx__TypeProto *type, const char *name);

#endif
