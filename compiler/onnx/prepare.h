/* What happens to a model before its nodes are imported. */
#ifndef RLXC_ONNX_PREPARE_H
#define RLXC_ONNX_PREPARE_H

#include "compiler/onnx/importer.h"

/* False with diagnostics: invalid versions, names defined twice or never, nodes that violate their
 * operators' schemas (schema.h), functions that use outer names. */
bool rlxc_ox_validate(rlxc_ox *im);
/* Puts the nodes of every graph and function of the model after those whose results they use;
 * sorted nodes keep their order. Reports cycles as errors and returns false. */
bool rlxc_ox_order(rlxc_ox *im);

#endif
