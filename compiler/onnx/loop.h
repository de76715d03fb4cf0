/* Branches, and loops as functions that call themselves: loop(i, limit, go on, states..., captured
 * values..., captured symbols) returns the final states. For If, Loop, Scan and recurrent
 * operators. */
#ifndef RLXC_ONNX_LOOP_H
#define RLXC_ONNX_LOOP_H

#include "compiler/onnx/graph.h"

enum { RLXC_OX_MAX_LOOP_DEPTH = 5, RLXC_OX_MAX_STATES = 64, RLXC_OX_MAX_ROUNDS = 6 };

/* A branch under construction: a body of its own in the same function. */
typedef struct rlxc_ox_branch {
    rlxc_body body;
    rlxc_body *outer;
    rlxc_binding_block *block;
    rlxc_ox_scope scope;
} rlxc_ox_branch;

void rlxc_ox_begin_branch(rlxc_ox *im, rlxc_ox_branch *b);
/* Ends it with |items| as its value. */
rlxc_body *rlxc_ox_end_branch(rlxc_ox *im, rlxc_ox_branch *b, const rlxc_atom *items, uint32_t n);
/* Sets the values |v| of |body|, which ended without a value. */
void rlxc_ox_end_with(rlxc_ox *im, rlxc_body *body, rlxc_ox_value *const *v, uint32_t n);
rlxc_atom rlxc_ox_emit_if(rlxc_ox *im, rlxc_atom cond, rlxc_body *then, rlxc_body *otherwise);

typedef struct rlxc_ox_loop {
    /* One iteration: |i| is its number (an int64 scalar), |state| the states before it; sets |next|
     * and, if the loop may end early, |*go|. rlxc_ox_capture brings in values from outside. It may
     * be called more than once, until the states' shapes are stable. */
    void (*body)(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state, rlxc_atom *next,
                 rlxc_atom *go);
    void *user;
    const uint64_t *open; /* dimensions of each state that change, as bits; NULL: none known */
    const bool *objects;  /* states of type Object; NULL: all are tensors */
    bool *again;          /* set by |body| if it must be built again; may be NULL */
} rlxc_ox_loop;

typedef struct rlxc_ox_attempt {
    const rlxc_function *function; /* NULL: failed */
    rlxc_ox_frame frame;
    bool again; /* dimensions became free */
} rlxc_ox_attempt;

/* Builds the loop's function once; sets the bits of |open| for dimensions that an iteration
 * changes. */
void rlxc_ox_build_loop(rlxc_ox *im, const rlxc_ox_loop *l, const rlxc_atom *init, uint32_t n,
                        uint64_t *open, rlxc_ox_attempt *out);

/* |limit| int64 scalar, |on| bool scalar; false when it failed. */
bool rlxc_ox_run_loop(rlxc_ox *im, const rlxc_ox_loop *l, rlxc_atom limit, rlxc_atom on,
                      const rlxc_atom *init, uint32_t n, rlxc_atom *out);

/* The graph that is attribute |name|; the node fails without. */
const Onnx__GraphProto *rlxc_ox_graph_attr(rlxc_ox *im, const char *name);
/* Imports |g| in place; false if one of its nodes failed. */
bool rlxc_ox_run_graph(rlxc_ox *im, const Onnx__GraphProto *g, rlxc_ox_value **inputs,
                       uint32_t n_inputs, rlxc_ox_value **outputs);

/* Results that iterations add to a state of type Object, in linear time. rlxc_ox_collect returns
 * the state with |value| added; at the end all are stacked along a new dimension 0, in order or in
 * reverse. |elem| has the type of one: unknown dimensions are fresh symbols in the result. |turns|
 * is their number, NULL if unknown. */
rlxc_atom rlxc_ox_nothing_collected(rlxc_ox *im);
rlxc_atom rlxc_ox_collect(rlxc_ox *im, rlxc_atom state, rlxc_atom value);
rlxc_atom rlxc_ox_collected(rlxc_ox *im, rlxc_atom state, const rlxc_sinfo *elem,
                            const rlxc_expr *turns, bool backwards);

#endif
