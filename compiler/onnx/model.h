/* The model around its nodes: what happens before they are imported, and its functions. */
#ifndef RLXC_ONNX_MODEL_H
#define RLXC_ONNX_MODEL_H

#include "compiler/onnx/importer.h"

/* False with diagnostics: invalid versions, names defined twice or never, nodes that violate their
 * operators' schemas (schema.h), functions that use outer names. */
bool rlxc_ox_validate(rlxc_ox *im);
/* Puts the nodes of every graph and function of the model after those whose results they use;
 * sorted nodes keep their order. Reports cycles as errors and returns false. */
bool rlxc_ox_order(rlxc_ox *im);

/* NULL: there is none. */
const Onnx__FunctionProto *rlxc_ox_find_function(const rlxc_ox *im, const char *domain,
                                                 const char *name);
/* Imports the current node, a call of |f|. */
void rlxc_ox_call_function(rlxc_ox *im, const Onnx__FunctionProto *f);

#endif
