/* Whether bytes are a model, before its nodes are imported. */
#ifndef RLXC_ONNX_VALIDATE_H
#define RLXC_ONNX_VALIDATE_H

#include "compiler/onnx/importer.h"

/* False after errors that say what is wrong: its opset, names that are defined twice, attributes
 * that are given twice or have another kind than their name tells. */
bool rlxc_ox_validate(rlxc_ox *im);

#endif
