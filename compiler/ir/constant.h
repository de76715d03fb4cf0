/* Elements of constants as numbers. */
#ifndef RLXC_IR_CONSTANT_H
#define RLXC_IR_CONSTANT_H

#include "compiler/ir/relax.h"

/* Element |i| as a double; an integer beyond 2^53 is rounded. */
double rlxc_constant_double(const rlxc_constant *c, size_t i);
/* Same type, shape and bytes. */
bool rlxc_constant_equal(const rlxc_constant *a, const rlxc_constant *b);
/* Element |i| of integers or booleans; uint64 keeps its bits. */
int64_t rlxc_constant_int(const rlxc_constant *c, size_t i);

#endif
