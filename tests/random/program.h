/* A random program as data, which is printed as TVMScript, evaluated, and reduced after a failure.
 * A program is a few functions; a function is an array of values (one assignment each) and an array
 * of statements that order them into dataflow blocks and branches.
 *
 * Dimensions are polynomials over atoms. An atom is a symbol of the function (n) or the unnamed
 * result of an operator (a slice's extent); unnamed atoms can be compared but not printed. */
#ifndef RANDOM_PROGRAM_DESCRIPTION_H
#define RANDOM_PROGRAM_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MAX_ATOMS = 48,
    MAX_TERMS = 4,
    MAX_FACTORS = 3,
    MAX_DIMS = 5,
    MAX_FIELDS = 4,
    MAX_VALUES = 224,
    MAX_STMTS = 320,
    MAX_ARGS = 4,
    MAX_INTS = 16,
    MAX_PARAMS = 12,
    MAX_RESULTS = 5,
    MAX_FUNCTIONS = 4
};

typedef enum elem { F32, F16, BF16, I32, I64, I8, U8, B8 } elem; /* floats, then integers */

typedef struct dim_term {
    int64_t c;
    uint8_t atoms[MAX_FACTORS]; /* 1 + index, sorted, 0 after the last */
} dim_term;
typedef struct dim { /* terms sorted by their atoms; no terms mean 0 */
    unsigned n;
    dim_term t[MAX_TERMS];
} dim;
typedef struct type {
    elem elem;
    unsigned ndim;
    dim d[MAX_DIMS];
} type;

typedef enum op {
    OP_PARAM,
    OP_CONST, /* f; printed where it is used */
    OP_ALIAS, /* y = x */
    OP_PHI,   /* args: the results of both branches */
    OP_TUPLE,
    OP_GET, /* ints: index */
    OP_CALL,
    OP_MATCH_CAST,
    OP_UNARY, /* sub: row of the table */
    OP_BINARY,
    OP_POWER, /* f: the exponent */
    OP_CLIP,  /* ints: -ints[0] .. ints[0] */
    OP_WHERE,
    OP_ASTYPE,
    OP_REDUCE, /* sub; ints: axes; flag: keepdims */
    OP_ARG_REDUCE,
    OP_SCAN, /* sub: sum or product; ints: axis; flag: exclusive */
    OP_MATMUL,
    OP_RESHAPE, /* shape; flag: the first dimension is printed as -1 */
    OP_FLATTEN,
    OP_PERMUTE,
    OP_EXPAND,
    OP_SQUEEZE,
    OP_CONCAT, /* ints: axis */
    OP_STACK,
    OP_SPLIT, /* ints: axis, then the indices; flag: ints[1] equal sections */
    OP_SLICE, /* ints: axis, begin, end, stride */
    OP_TAKE,  /* ints: axis */
    OP_BROADCAST,
    OP_FLIP,
    OP_TILE,
    OP_REPEAT,  /* ints: axis, repeats */
    OP_PAD,     /* ints: before and after of each axis; f */
    OP_TRI,     /* flag: upper; ints: diagonal */
    OP_FULL,    /* f */
    OP_ARANGE,  /* shape[0] elements */
    OP_SOFTMAX, /* flag: log; ints: axis */
    OP_LAYER_NORM,
    OP_RMS_NORM,
    OP_CONV2D,   /* ints: stride, padding, dilation, groups */
    OP_POOL,     /* flag: max; ints: size, stride, padding; sub: pads count */
    OP_SORT,     /* ints: axis; flag: descending */
    OP_QUANTIZE, /* x, scale, zero point; ints: axis */
    OP_DEQUANTIZE,
    OP_UNIQUE,
    OP_NONZERO,
    OP_TIR /* sub: row of tir_rows; called with its operands' shapes */
} op;

typedef struct value {
    op op;
    unsigned sub;
    bool flag, is_tuple, is_output /* is_output: of its dataflow block */;
    unsigned n_types;
    type types[MAX_FIELDS];
    unsigned n_args;
    int args[MAX_ARGS];
    unsigned n_ints;
    int64_t ints[MAX_INTS];
    double f;
    unsigned n_shape;
    dim shape[MAX_DIMS];
    int named_after; /* the OP_PHI that names this result of a branch; -1: none */
} value;

typedef struct stmt {
    enum { ST_BIND, ST_DATAFLOW, ST_END_DATAFLOW, ST_IF, ST_ELSE, ST_END_IF } kind;
    int value; /* BIND; IF: the condition; END_IF: the phi */
} stmt;

typedef struct atom {
    char name[8]; /* empty: unnamed */
    bool signature, live;
    int64_t estimate;
} atom;

typedef struct function {
    char name[8];
    atom atoms[MAX_ATOMS];
    unsigned n_atoms;
    value values[MAX_VALUES];
    unsigned n_values;
    int params[MAX_PARAMS];
    unsigned n_params;
    stmt stmts[MAX_STMTS];
    unsigned n_stmts;
    int results[MAX_RESULTS];
    unsigned n_results;
    bool nested_result; /* results[1..] are a nested tuple */
} function;

typedef struct program {
    uint64_t seed;
    function functions[MAX_FUNCTIONS]; /* the first is main */
    unsigned n_functions;
    bool large;   /* enough work for several threads and whole tiles */
    bool special; /* infinities and NaNs in the inputs */
    bool cut;     /* reduced: values that no result needs are not printed */
} program;

/* --- tables ---------------------------------------------------------------------------------- */

typedef enum unary_kind {
    EXACT_UNARY,    /* no rounding; slope at most 1 */
    DISCRETE_UNARY, /* step functions */
    SMOOTH_UNARY
} unary_kind;
typedef struct unary_row {
    const char *name;
    unary_kind kind;
    double (*fn)(double);
    bool integers;
    const char *more; /* printed attributes */
} unary_row;
extern const unary_row unary_rows[];
extern const unsigned n_unary_rows;

typedef enum binary_sub {
    B_ADD,
    B_SUB,
    B_MUL,
    B_MAX,
    B_MIN,
    B_DIV, /* from here on, integers only with constant operands */
    B_FLOOR_DIV,
    B_FLOOR_MOD,
    B_MOD,
    B_AND, /* integers and bool */
    B_OR,
    B_XOR,
    B_LESS, /* the result is bool */
    B_LESS_EQUAL,
    B_EQUAL,
    B_NOT_EQUAL,
    B_GREATER,
    B_GREATER_EQUAL,
    B_COUNT
} binary_sub;
extern const char *const binary_names[B_COUNT];

typedef enum reduce_sub { R_SUM, R_MEAN, R_MAX, R_MIN, R_PROD, R_VARIANCE, R_STD } reduce_sub;
extern const char *const reduce_names[];
extern const char *const elem_names[];

/* Hand-written PrimFuncs on float32. */
typedef enum tir_sub {
    TIR_SCALE,
    TIR_TRANSPOSE,
    TIR_ROW_SUM,
    TIR_MIRROR,
    TIR_MAXIMUM,
    TIR_COUNT,
    TIR_NEST = TIR_COUNT /* random loops; ints: their seed */
} tir_sub;
typedef struct tir_row {
    const char *name;
    unsigned n_args;
    const char *text;
} tir_row;
extern const tir_row tir_rows[TIR_COUNT];

/* The PrimFunc of random loops that |seed| determines (nests.c): the types of its arguments and
 * then its result, with |sizes| as its symbols; returns how many arguments it has, 0 if it would be
 * too large. */
unsigned nest_types(uint64_t seed, const dim sizes[2], type out[MAX_ARGS + 1]);
void nest_print(uint64_t seed, char *out, size_t capacity);

/* --- dimensions ------------------------------------------------------------------------------ */

dim dim_const(int64_t c);
dim dim_atom(unsigned index);
bool dim_is(const dim *d, int64_t c);
bool dim_constant(const dim *d, int64_t *out);
bool dim_equal(const dim *a, const dim *b);
/* False if the polynomial would get too long. */
bool dim_add(const dim *a, const dim *b, dim *out);
bool dim_mul(const dim *a, const dim *b, dim *out);
int64_t dim_evaluate(const dim *d, const int64_t *atoms);
bool type_equal(const type *a, const type *b);

/* --- checking (check.c) ----------------------------------------------------------------------- */

enum { MAX_MESSAGE = 2000, MAX_TEXT = 1 << 17 };

typedef struct outcome {
    bool failed;
    int result;                  /* the result of main that differs; -1: none */
    long long compared, skipped; /* numbers of elements */
    char message[MAX_MESSAGE];
} outcome;

/* Runs in a child process, which may crash or hang. */
void check_program(const program *p, outcome *out);

/* --- the parts of the tester ------------------------------------------------------------------ */

/* |nests|: only calls of random loops. */
void generate(program *p, uint64_t seed, bool nests);
/* Prints the whole module to |out|. */
void print_program(const program *p, char *out, size_t capacity);
/* Marks the values that main's results need; others are not printed. */
void find_needed(const function *f, bool needed[MAX_VALUES]);

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline unsigned random_below(uint64_t *state, unsigned n)
{
    return (unsigned)(random_next(state) % n);
}

#endif
