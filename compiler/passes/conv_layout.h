/* Private to compiler/passes: what pass conv_layout makes of a convolution, for the pass that would
 * take it away from it. */
#ifndef RLXC_PASSES_CONV_LAYOUT_H
#define RLXC_PASSES_CONV_LAYOUT_H

#include "compiler/passes/passes.h"

/* Whether minimal filtering is cheaper than the sum of products |call|, channels second, of |x| and
 * |w| giving |y|: 3x3, stride 1, one group, float32, enough channels on both sides, and an image of
 * more than a tile. |filtered|: bytes of the weights made for that before, of this module. */
bool rlxc_wants_winograd(const rlxc_options *options, int64_t filtered, const rlxc_binding *call,
                         const rlxc_sinfo *x, const rlxc_sinfo *w, const rlxc_sinfo *y);

#endif
