/* The tree of a random PrimFunc in loops (nests.c), for its printing and evaluation (nests_run.c).
 */
#ifndef RANDOM_PROGRAM_NESTS_H
#define RANDOM_PROGRAM_NESTS_H

#include "tests/random/evaluate.h"

enum { NODES = 6000, BUFFERS = 24, VARS = 160, RANK = 3, AXES = 4, LEVELS = 3, STAGES = 3 };

typedef enum kind {
    INTEGER,
    SYMBOL, /* c: its number */
    VARIABLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    MAXIMUM,
    LESS_EQUAL,
    EQUAL,
    AND,
    NUMBER, /* c quarters */
    LOAD,   /* c: the buffer; a, b, d: indices */
    PLUS,
    TIMES,
    LARGER,
    CHOICE, /* a ? b : d */
    FOR,    /* c: the variable; a: extent, b: body; how: of its loop */
    STORE,  /* c: the buffer; a, b, d: indices; e: value */
    IF,
    PAIR,    /* a, then b */
    ALLOCATE /* c: the buffer */
} kind;

typedef enum how { SERIAL, PARALLEL, VECTORIZED, UNROLLED } how;

typedef struct node {
    kind kind;
    how how;
    int64_t c;
    const struct node *a, *b, *d, *e;
} node;

typedef struct buffer {
    char name[8];
    bool temporary, flat; /* flat: accessed by one index, through a view */
    unsigned ndim;
    const node *shape[RANK];
    int memory; /* the buffer whose memory it lies in, or -1 */
    num *at;
    int64_t n;
} buffer;

typedef struct nest {
    uint64_t rng;
    node nodes[NODES];
    buffer buffers[BUFFERS];
    unsigned n_nodes, n_buffers, n_vars, n_args;
    bool flat, full;     /* full: it has too many of these */
    int shared;          /* the buffer in which a temporary of each stage lies; -1: none */
    int64_t shared_size; /* the largest of these temporaries */
    bool shares;         /* the stage's own is known */
    const node *body;
} nest;

/* The function that |seed| determines; the caller frees it. */
nest *nest_build(uint64_t seed);

#endif
