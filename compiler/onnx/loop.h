/* Branches, and loops as functions that call themselves: loop(i, limit, go on, states..., captured
 * values..., captured symbols) gives the states when it is done. For If, Loop, Scan and recurrent
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
/* Ends |body|, which was ended without a value, with the values |v|. */
void rlxc_ox_end_with(rlxc_ox *im, rlxc_body *body, rlxc_ox_value *const *v, uint32_t n);
rlxc_atom rlxc_ox_emit_if(rlxc_ox *im, rlxc_atom cond, rlxc_body *then, rlxc_body *otherwise);

typedef struct rlxc_ox_loop {
    /* One turn: |i| is its number (an int64 scalar), |state| what the turn before left; sets
     * |next| and, where the loop may end early, |*go|. Values of the surroundings are brought in
     * by rlxc_ox_capture. May be called more than once, until the states' shapes settle. */
    void (*body)(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state, rlxc_atom *next,
                 rlxc_atom *go);
    void *user;
    const uint64_t *open; /* dimensions of each state that change, as bits; NULL: none known */
    const bool *objects;  /* states of type Object; NULL: all are tensors */
    bool *again;          /* set by |body| where it must be built anew; may be NULL */
} rlxc_ox_loop;

typedef struct rlxc_ox_attempt {
    const rlxc_function *function; /* NULL: failed */
    rlxc_ox_frame frame;
    bool again; /* dimensions were set free */
} rlxc_ox_attempt;

/* Builds the loop's function once; sets the bits of |open| where a turn changes a dimension. */
void rlxc_ox_build_loop(rlxc_ox *im, const rlxc_ox_loop *l, const rlxc_atom *init, uint32_t n,
                        uint64_t *open, rlxc_ox_attempt *out);

/* |limit| int64 scalar, |on| bool scalar; false when it failed. */
bool rlxc_ox_run_loop(rlxc_ox *im, const rlxc_ox_loop *l, rlxc_atom limit, rlxc_atom on,
                      const rlxc_atom *init, uint32_t n, rlxc_atom *out);

/* The graph that is attribute |name|; the node fails without. */
const Onnx__GraphProto *rlxc_ox_graph_attr(rlxc_ox *im, const char *name);
/* Imports |g| at the place at hand; false when one of its nodes failed. */
bool rlxc_ox_run_graph(rlxc_ox *im, const Onnx__GraphProto *g, rlxc_ox_value **inputs,
                       uint32_t n_inputs, rlxc_ox_value **outputs);

/* The results that turns add to a state of type Object, in linear time. rlxc_ox_collect gives
 * the state with |value| added; at the end all are stacked along a new dimension 0,
 * in the turns' order or backwards. |elem| has the type of one: dimensions that are not known are
 * fresh symbols in the result. |turns| is the number of them, NULL: not known. */
rlxc_atom rlxc_ox_nothing_collected(rlxc_ox *im);
rlxc_atom rlxc_ox_collect(rlxc_ox *im, rlxc_atom state, rlxc_atom value);
rlxc_atom rlxc_ox_collected(rlxc_ox *im, rlxc_atom state, const rlxc_sinfo *elem,
                            const rlxc_expr *turns, bool backwards);

#endif
