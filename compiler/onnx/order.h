/* The order of a model's nodes. */
#ifndef RLXC_ONNX_ORDER_H
#define RLXC_ONNX_ORDER_H

#include "compiler/onnx/importer.h"

/* Puts the nodes of every graph and function of the model after those whose results they use;
 * sorted nodes keep their order. Reports cycles as errors and returns false. */
bool rlxc_ox_order(rlxc_ox *im);

#endif
