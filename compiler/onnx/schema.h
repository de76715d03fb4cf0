/* Checks of nodes against their operators' schemas (schema*.def). */
#ifndef RLXC_ONNX_SCHEMA_H
#define RLXC_ONNX_SCHEMA_H

#include "compiler/onnx/importer.h"

/* The operator sets that a model, or a function of it, imports. */
typedef struct rlxc_ox_imports {
    Onnx__OperatorSetIdProto *const *sets;
    size_t n;
} rlxc_ox_imports;

/* True for "" and "ai.onnx"; NULL is "". */
bool rlxc_ox_is_standard(const char *domain);
/* The version of |domain|; 0: not imported. */
int64_t rlxc_ox_version_of(const rlxc_ox_imports *imports, const char *domain);
/* Reports each input, output or attribute of |node| that is missing, superfluous, of another kind
 * or not a string of its list. Nodes of operators without a schema pass. */
void rlxc_ox_check_node(rlxc_ox *im, const Onnx__NodeProto *node, const rlxc_ox_imports *imports);
/* False, failing the current node, if an input has an element type that its operator does not
 * accept. */
bool rlxc_ox_check_types(rlxc_ox *im);
#endif
