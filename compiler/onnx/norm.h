/* Normalizations shared by several operators. */
#ifndef RLXC_ONNX_NORM_H
#define RLXC_ONNX_NORM_H

#include "compiler/onnx/importer.h"

/* Over the axes from |first| (which may be negative) on; |shift| may be of kind NONE. |moments|:
 * the mean and 1 / root of the variance, or NULL. */
rlxc_atom rlxc_ox_layer_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom shift,
                             int64_t first, double epsilon, rlxc_atom moments[2]);
/* Normalizes x (batch, channels, ...) over each of |groups| parts of the channels; |scale| and
 * |shift| have an element for each channel. */
rlxc_atom rlxc_ox_group_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom shift,
                             int64_t groups, double epsilon);
/* x / root of the mean of squares over the axes from |first| on, times |scale|. */
rlxc_atom rlxc_ox_rms_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, int64_t first,
                           double epsilon);

#endif
