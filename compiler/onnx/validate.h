/* Validity of a model, checked before its nodes are imported. */
#ifndef RLXC_ONNX_VALIDATE_H
#define RLXC_ONNX_VALIDATE_H

#include "compiler/onnx/importer.h"

/* False with diagnostics: invalid versions, names defined twice or never, nodes that violate their
 * operators' schemas (schema.h), functions that use outer names. */
bool rlxc_ox_validate(rlxc_ox *im);

#endif
