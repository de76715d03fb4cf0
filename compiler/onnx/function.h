/* Functions of the model. */
#ifndef RLXC_ONNX_FUNCTION_H
#define RLXC_ONNX_FUNCTION_H

#include "compiler/onnx/importer.h"

/* NULL: there is none. */
const Onnx__FunctionProto *rlxc_ox_find_function(const rlxc_ox *im, const char *domain,
                                                 const char *name);
/* Imports the current node, a call of |f|. */
void rlxc_ox_call_function(rlxc_ox *im, const Onnx__FunctionProto *f);

#endif
