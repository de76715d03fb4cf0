/* Private to compiler/kernels: what rules for devices share. */
#ifndef RLXC_KERNELS_DEVICE_DEVICE_H
#define RLXC_KERNELS_DEVICE_DEVICE_H

#include "compiler/schedule/stages.h"

enum { RLXC_BLOCK_THREADS = 256 /* threads of a block where nothing asks for another number */ };

/* The number of elements of the stage's result. */
const rlxc_expr *rlxc_stage_elements(rlxc_context *ctx, const rlxc_stage *s);

#endif
