/* Patterns of operators, written as text, and their matcher (docs/patterns.md).
 *
 *     x            captures any value; where x stands again, it must be the same value
 *     _            any value
 *     c#           captures the number of a constant of one element
 *     0.5          a constant of one element with this value, within the precision of its type
 *     (op a b)     a call of R.op, "_" of any operator; operands that are not written may be
 *                  anything; add and multiply match in either order, with three operands or more
 *                  in any order and grouping
 *     (call f a b) a call of the function f, which is one of the module, a PrimFunc or external;
 *                  "_" any function
 *     (tuple a b)  a tuple of exactly these items       (item 1 a)   item 1 of a; (item a) any
 *     d=(op a)     also captures the call's result; "=d" means that result again
 *     [a | b]      either         [a & b]   both         !a   not a, whose captures do not count
 *     a{KEY=VALUE, ...}           with conditions (pattern_conditions.c):
 *         constant, param, dtype=float32, rank=2, shape=(1, n, _), same_shape=x,
 *         type="R.Tensor((n, 4))", args=2, .axis=-1 (an attribute of the call), used_by=y,
 *         only_used_by=y (the call captured as y reads the value, and nothing else does)
 *     a; b; c      a at the root, b and c anywhere, with shared captures
 *     a -> b       what takes its place (pattern_replace.c)
 *
 * Besides the operators of the table these stand for several ways of saying the same:
 *     (square x)   square, power by 2, x * x          (sqrt x)     sqrt, power by 0.5
 *     (rsqrt x)    rsqrt, 1 / sqrt, power by -0.5     (over a b)   a / b, a * (1 / b),
 *                                                                  a * power(b, -1)
 *     (rooted a b) a / sqrt(b), a * rsqrt(b)          (times x c)  x * c, x / (1 / c)
 *     (cast x)     x, astype(x)
 *
 * The matcher tries everything that the text allows (with backtracking; patterns are small). A
 * match is normally taken only if no value inside it is used outside of it. */
#ifndef RLXC_PASSES_PATTERN_H
#define RLXC_PASSES_PATTERN_H

#include "compiler/ir/rewrite.h"

enum { RLXC_PATTERN_NAMES = 20, RLXC_PATTERN_NODES = 64, RLXC_PATTERN_LATE = 16 };

typedef struct rlxc_pattern_node rlxc_pattern_node;

typedef struct rlxc_pattern_text { /* a parsed pattern */
    const rlxc_pattern_node *root;
    const char *names[RLXC_PATTERN_NAMES]; /* of the captures; interned */
    uint32_t n_names;
    uint32_t n_roots;
    const char *end; /* of the text: "->" or nothing is there */
} rlxc_pattern_text;

/* NULL root after an error. The text ends at "->", if there is one. */
rlxc_pattern_text rlxc_pattern_parse(rlxc_context *ctx, const char *text);

/* Where a variable visible at the root was made; NULL: a parameter, or made elsewhere. */
typedef struct rlxc_pattern_graph {
    rlxc_context *ctx;
    const rlxc_module *module;
    void *user;
    const rlxc_binding *(*definition)(void *user, const rlxc_rvar *var);
    uint32_t (*uses)(void *user, const rlxc_rvar *var);
    const rlxc_binding *const *all; /* where the second and further patterns of a text may lie */
    uint32_t n_all;
} rlxc_pattern_graph;

typedef struct rlxc_match {
    const rlxc_pattern_text *pattern;
    rlxc_atom atoms[RLXC_PATTERN_NAMES]; /* kind NONE: not captured */
    double numbers[RLXC_PATTERN_NAMES];
    const rlxc_binding *inside[RLXC_PATTERN_NODES]; /* calls matched; [0] the root */
    uint32_t n_inside;
    const rlxc_expr *dims[RLXC_PATTERN_NAMES]; /* of the names in shapes; NULL: not captured */
    struct {
        const struct rlxc_condition *condition;
        rlxc_atom atom;
    } late[RLXC_PATTERN_LATE]; /* conditions to check in the end */
    uint32_t n_late;
} rlxc_match;

/* |shared|: values inside the match may be used outside of it; always so for several patterns. */
bool rlxc_pattern_match(const rlxc_pattern_graph *g, const rlxc_pattern_text *p, rlxc_atom atom,
                        bool shared, rlxc_match *out);

/* The capture |name|; kind NONE when the alternative taken has none. */
rlxc_atom rlxc_match_atom(const rlxc_match *m, const char *name);
/* The number captured as |name|, or |otherwise|. */
double rlxc_match_number(const rlxc_match *m, const char *name, double otherwise);
/* The call whose result was captured as |name|; NULL when there is none. */
const rlxc_binding *rlxc_match_call(const rlxc_pattern_graph *g, const rlxc_match *m,
                                    const char *name);
/* How often |b| reads |var|. */
uint32_t rlxc_pattern_reads(const rlxc_binding *b, const rlxc_rvar *var);
/* The value of a floating-point or integer constant of one element. */
bool rlxc_constant_number(rlxc_context *ctx, rlxc_atom atom, double *out);

#endif
