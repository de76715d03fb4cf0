/* Elements of constants as numbers and in another order. */
#ifndef RLXC_IR_CONSTANT_H
#define RLXC_IR_CONSTANT_H

#include "compiler/ir/relax.h"

enum { RLXC_COPY_DIMS = 16 };

/* Element |i| as a double; an integer beyond 2^53 is rounded. */
double rlxc_constant_double(const rlxc_constant *c, size_t i);
/* True if type, shape and bytes are equal; a lifted constant is equal only to itself. */
bool rlxc_constant_equal(const rlxc_constant *a, const rlxc_constant *b);
/* Element |i| of integers or booleans; uint64 keeps its bits. */
int64_t rlxc_constant_int(const rlxc_constant *c, size_t i);

/* A copy of a block of elements: |shape| many along each dimension, steps in elements. */
typedef struct rlxc_strided_copy {
    uint32_t n;
    int64_t shape[RLXC_COPY_DIMS], to_step[RLXC_COPY_DIMS], from_step[RLXC_COPY_DIMS];
    size_t item; /* bytes of an element */
} rlxc_strided_copy;
/* Copies in blocks that fit the first-level cache, so that transposed weights are read and written
 * a cache line at a time. Source and destination do not overlap. */
void rlxc_copy_strided(const rlxc_strided_copy *copy, const void *from, void *to);
/* Copies the elements of |c|, as a tensor of |rank| dimensions |shape|, with its dimensions in
 * |order|. */
void rlxc_copy_permuted(const rlxc_constant *c, uint32_t rank, const int64_t *shape,
                        const int64_t *order, void *to);

#endif
