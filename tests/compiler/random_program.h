/* Random modules for the memory tests: additions, views, tuples and nested branches. Each
 * variable's value is known as a linear combination of the inputs. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "compiler/base/context.h"

/* The text before main's first binding: PrimFuncs add and inc, main(x, y: float32[n], c: bool). */
extern const char random_program_header[];
#define VECTOR_TYPE "R.Tensor((n,), dtype=\"float32\")"

typedef struct random_value { /* ax[k] * x + ay[k] * y; k is 0 where c is true, else 1 */
    double ax[2], ay[2];
} random_value;

enum { RANDOM_MAX_VARS = 4096, RANDOM_MAX_SCOPE = 64 };

typedef struct random_program {
    rlxc_text text; /* body of main */
    uint32_t seed, n_vars;
    random_value of[RANDOM_MAX_VARS];
    uint32_t in_scope[RANDOM_MAX_SCOPE], n_in_scope;
    random_value result;
} random_program;

/* Fills |p|, zeroed except for its text's context, with |length| bindings at the outermost level.
 */
void random_program_make(random_program *p, uint32_t seed, uint32_t length);

#endif
