/* Finding a convolution of 8-bit integers (compiler/ops/quant_conv.h) in a stage. */
#ifndef RLXC_KERNELS_QUANTIZED_INT8_CONV_H
#define RLXC_KERNELS_QUANTIZED_INT8_CONV_H

#include "compiler/ops/quant_conv.h"
#include "compiler/schedule/stages.h"

/* True if |stage| is a convolution that the target has a kernel for; |out| receives it. */
bool rlxc_quant_conv_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant_conv *out);

#endif
