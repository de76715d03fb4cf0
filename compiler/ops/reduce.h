/* Building blocks of reductions, shared with normalisations. A set of axes is a bit set over the
 * input's dimensions. */
#ifndef RLXC_OPS_REDUCE_H
#define RLXC_OPS_REDUCE_H

#include "compiler/ops/te.h"

/* Begins a block over |x|: spatial axes for the kept dimensions (and of extent 1 for each reduced
 * one with |keepdims|), then a reduction axis for each dimension in |set|. |out_at| gets the index
 * of x in each dimension. */
void rlxc_te_reduction(rlxc_te *te, const char *name, const rlxc_te_operand *x, uint32_t set,
                       bool keepdims, const rlxc_expr **out_at);
/* A temporary with the dimensions of x that are not in |set|. */
const rlxc_buffer *rlxc_te_reduced_temp(rlxc_te *te, const char *name, rlx_dtype dtype,
                                        const rlxc_te_operand *x, uint32_t set, bool keepdims);
/* The number of elements reduced into one. */
const rlxc_expr *rlxc_te_count(rlxc_te *te, const rlxc_te_operand *x, uint32_t set);
/* sum / count, a multiplication where the count is constant. */
const rlxc_expr *rlxc_te_over_count(rlxc_te *te, const rlxc_expr *sum, const rlxc_expr *count);
/* The initial value of a maximum (|lowest|) or minimum: infinite for floats, so that nothing but an
 * element, or the lack of any, decides the result. */
const rlxc_expr *rlxc_te_max_init(rlxc_te *te, rlx_dtype dtype, bool lowest);
/* True if |element| is larger (|largest|) or smaller than |old|. The first NaN wins, as in max and
 * min. */
const rlxc_expr *rlxc_te_better(rlxc_context *ctx, bool largest, const rlxc_expr *element,
                                const rlxc_expr *old);
/* Adds the block that rounds |from| into |out|, unless they are the same. */
void rlxc_te_round(rlxc_te *te, const rlxc_buffer *from, const rlxc_buffer *out);

#endif
