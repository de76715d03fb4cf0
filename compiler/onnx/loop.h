/* Loops as functions that call themselves, for Loop, Scan and recurrent operators. */
#ifndef RLXC_ONNX_LOOP_H
#define RLXC_ONNX_LOOP_H

#include "compiler/onnx/graph.h"

typedef struct rlxc_ox_loop {
    /* One turn: |i| is its number (an int64 scalar), |state| what the turn before left; sets
     * |next| and, where the loop may end early, |*go|. Values of the surroundings are brought in
     * by rlxc_ox_capture. May be called more than once, until the states' shapes settle. */
    void (*body)(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state, rlxc_atom *next,
                 rlxc_atom *go);
    void *user;
    const uint64_t *open; /* dimensions of each state that change, as bits; NULL: none known */
} rlxc_ox_loop;

/* |limit| int64 scalar, |on| bool scalar; false when it failed. */
bool rlxc_ox_run_loop(rlxc_ox *im, const rlxc_ox_loop *l, rlxc_atom limit, rlxc_atom on,
                      const rlxc_atom *init, uint32_t n, rlxc_atom *out);

#endif
