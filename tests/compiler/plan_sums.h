/* The memory plan of a test program: peak and lower bound, for tests of plans. */
#ifndef RLX_TESTS_PLAN_SUMS_H
#define RLX_TESTS_PLAN_SUMS_H

#include "compiler/codegen/codegen.h"
#include "rlx/rlx.h"
#include "tests/support/rlx_test.h"

typedef struct plan_request {
    const char *text;
    const char *triple, *cpu; /* on which the scratch memory of kernels depends; NULL: this one's */
    const char *strategy;     /* of --memory-layout; NULL: the default */
    int level;                /* of optimisation */
    int64_t dim;              /* what all symbols are */
} plan_request;

/* The sums of the first function, which has at most one region; all 0 if it has none. The program
 * is lowered, not compiled to machine code, and its plans are verified. */
rlx_plan_sums plan_sums_of(rlx_test *t, const plan_request *p);

#endif
