/* Patterns of operators, written as text, and their matcher.
 *
 *     x            captures any value; where x stands again, it must be the same value
 *     c#           captures the number of a constant of one element
 *     0.5          a constant of one element with this value, within the precision of its type
 *     (op a b)     a call of R.op; add and multiply match in either order, with three operands or
 *                  more in any order and grouping
 *     d=(op a)     also captures the call's result; "=d" means that result again
 *     [a | b]      either
 *
 * Besides the operators of the table these stand for several ways of saying the same:
 *     (square x)   square, power by 2, x * x          (sqrt x)    sqrt, power by 0.5
 *     (rsqrt x)    rsqrt, 1 / sqrt, power by -0.5     (over a b)  a / b, a * (1 / b), a * power(b,
 * -1) (rooted a b) a / sqrt(b), a * rsqrt(b)          (times x c) x * c, x / (1 / c)
 *     (cast x)     x, astype(x)
 *
 * The matcher tries everything that the text allows (with backtracking; patterns are small). A
 * match is normally taken only if no value inside it is used outside of it. */
#ifndef RLXC_PASSES_PATTERN_H
#define RLXC_PASSES_PATTERN_H

#include "compiler/ir/rewrite.h"

enum { RLXC_PATTERN_NAMES = 20, RLXC_PATTERN_NODES = 64 };

typedef struct rlxc_pattern_node rlxc_pattern_node;

typedef struct rlxc_pattern_text { /* a parsed pattern */
    const rlxc_pattern_node *root;
    const char *names[RLXC_PATTERN_NAMES]; /* of the captures; interned */
    uint32_t n_names;
} rlxc_pattern_text;

/* NULL root when |text| is malformed (the context gets an internal error). */
rlxc_pattern_text rlxc_pattern_parse(rlxc_context *ctx, const char *text);

/* Where a variable visible at the root was made; NULL: a parameter, or made elsewhere. */
typedef struct rlxc_pattern_graph {
    rlxc_context *ctx;
    const rlxc_module *module;
    void *user;
    const rlxc_binding *(*definition)(void *user, const rlxc_rvar *var);
    uint32_t (*uses)(void *user, const rlxc_rvar *var);
} rlxc_pattern_graph;

typedef struct rlxc_match {
    const rlxc_pattern_text *pattern;
    rlxc_atom atoms[RLXC_PATTERN_NAMES]; /* kind NONE: not captured */
    double numbers[RLXC_PATTERN_NAMES];
    const rlxc_binding *inside[RLXC_PATTERN_NODES]; /* calls matched; [0] the root */
    uint32_t n_inside;
} rlxc_match;

/* |shared|: values inside the match may be used outside of it. */
bool rlxc_pattern_match(const rlxc_pattern_graph *g, const rlxc_pattern_text *p, rlxc_atom atom,
                        bool shared, rlxc_match *out);

/* The capture |name|; kind NONE when the alternative taken has none. */
rlxc_atom rlxc_match_atom(const rlxc_match *m, const char *name);
/* The number captured as |name|, or |otherwise|. */
double rlxc_match_number(const rlxc_match *m, const char *name, double otherwise);
/* The call whose result was captured as |name|; NULL when there is none. */
const rlxc_binding *rlxc_match_call(const rlxc_pattern_graph *g, const rlxc_match *m,
                                    const char *name);
/* The value of a floating-point or integer constant of one element. */
bool rlxc_constant_number(rlxc_context *ctx, rlxc_atom atom, double *out);

#endif
