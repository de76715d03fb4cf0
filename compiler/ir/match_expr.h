/* Matching of expressions: a pattern is an expression in which some variables match any value of
 * their type. Operands of +, *, min, max, and, or, ==, != match in either order, and a < b equals b
 * > a. */
#ifndef RLXC_IR_MATCH_EXPR_H
#define RLXC_IR_MATCH_EXPR_H

#include "compiler/ir/expr.h"

enum { RLXC_CAPTURES = 8 };

typedef struct rlxc_captures {
    const rlxc_expr *vars[RLXC_CAPTURES];   /* of the pattern */
    const rlxc_expr *values[RLXC_CAPTURES]; /* what they stand for; NULL before */
    uint32_t n;
} rlxc_captures;

/* A new variable that stands for any value of |dtype|. */
const rlxc_expr *rlxc_capture(rlxc_context *ctx, rlxc_captures *captures, rlx_dtype dtype);
/* True if |e| has the form of |pattern|; |captures| then hold each variable's value, and are
 * unchanged otherwise. A variable that occurs twice must match equal expressions. Gives up (false)
 * on expressions with too many orders to try. */
bool rlxc_match(const rlxc_expr *pattern, const rlxc_expr *e, rlxc_captures *captures);
/* True if the two are equal up to the order of operands. */
bool rlxc_same(const rlxc_expr *a, const rlxc_expr *b);

#endif
