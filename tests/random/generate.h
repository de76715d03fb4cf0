/* Interface between the parts of the generator. */
#ifndef RANDOM_PROGRAM_GENERATE_H
#define RANDOM_PROGRAM_GENERATE_H

#include "tests/random/program.h"

typedef struct gen { /* the function being generated */
    program *p;
    function *f;
    uint64_t *rng;
    int scope[MAX_VALUES];
    unsigned n_scope, depth;
} gen;

enum {
    ANY_ELEM = (1 << (B8 + 1)) - 1,
    FLOATS = 1 << F32 | 1 << F16 | 1 << BF16,
    INDICES = 1 << I32 | 1 << I64, /* each can index any tensor here */
    INTEGERS = INDICES | 1 << I8 | 1 << U8
};

unsigned rnd(gen *g, unsigned n);
bool chance(gen *g, unsigned percent);
/* Adds a value that no statement binds: a parameter or a constant; -1 if full. */
int add_value(gen *g, value v);
/* Adds a statement that binds |v|; -1 if the result would be too large or the function is full. */
int bind(gen *g, value v);
int constant(gen *g, elem t, double f);
double constant_value(gen *g, elem t);
/* A tensor in scope with a type in |elems| and a rank within the limits; -1 if there is none. */
int pick(gen *g, unsigned elems, unsigned min_ndim, unsigned max_ndim);
/* Adds a parameter to main; -1 in other functions, or if a signature cannot express the dimensions.
 */
int new_param(gen *g, type t);
dim unnamed(gen *g, int64_t estimate);
/* A new symbol, bound by match_cast. */
dim named(gen *g, int64_t estimate);
int64_t estimate(const gen *g, const dim *d);
/* A constant or a symbol that may be printed here. */
dim printable_dim(gen *g);
bool is_printable(const gen *g, const dim *d);
/* Adds an operation; returns the value it binds, or -1. */
int add_operation(gen *g);
/* Generates and calls a function; binds the parts of its result. */
int add_call(gen *g);
/* The type of |a| op |b| with broadcasting; false if the shapes do not broadcast. */
bool broadcast_type(const type *a, const type *b, type *out);
const type *type_of(const gen *g, int id);
value call1(op o, int x);
value call2(op o, int x, int y);
void insert_dim(type *t, unsigned at, dim d);

/* Adds several operations that belong together: an exporter's expansion of one operator, or a group
 * that a pass merges (generate_pattern.c). */
int add_pattern(gen *g);
int add_dependent(gen *g);
int add_tir(gen *g);
/* Random loops, on parameters of their own. */
int add_nest(gen *g);
int add_quantize(gen *g);

/* Operations of generate_shape.c. */
int add_reshape(gen *g);
int add_permute(gen *g);
int add_expand_or_squeeze(gen *g);
int add_concat(gen *g);
int add_split(gen *g);
int add_slice(gen *g);
int add_take(gen *g);
int add_broadcast(gen *g);
int add_rearrange(gen *g);
int add_create(gen *g);
int add_match_cast(gen *g);

#endif
