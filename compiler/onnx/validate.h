/* Whether bytes are a model, before its nodes are imported. */
#ifndef RLXC_ONNX_VALIDATE_H
#define RLXC_ONNX_VALIDATE_H

#include "compiler/onnx/importer.h"

/* False after errors that say what is wrong: versions, names that are defined twice or nowhere,
 * nodes that are not as their operators' schemas say (schema.h), functions that use what is not
 * theirs. */
bool rlxc_ox_validate(rlxc_ox *im);

#endif
