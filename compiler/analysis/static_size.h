/* Sizes at the upper bounds of a function's symbols. */
#ifndef RLXC_ANALYSIS_STATIC_SIZE_H
#define RLXC_ANALYSIS_STATIC_SIZE_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"

/* A function attribute: every size in the function's memory plan is a constant (pass
   static_plan). */
#define RLXC_STATIC_PLAN "rlx.static_plan"

/* The ranges that the attributes tir_var_lower_bound and tir_var_upper_bound of |f| state for the
 * symbols of its signature. */
rlxc_bounds rlxc_stated_bounds(rlxc_context *ctx, const rlxc_function *f);
/* The maximum of |size| as a constant; NULL after an error at |range| that names a symbol without a
 * bound. */
const rlxc_expr *rlxc_static_size(rlxc_context *ctx, const rlxc_bounds *bounds,
                                  const rlxc_expr *size, rlxc_range range);

#endif
