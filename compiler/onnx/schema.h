/* Whether a node is one that its operator's schema knows: schema*.def. */
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
/* An error for each input, output or attribute of |node| that is missing, too many, of another kind
 * or no string of its list. Nodes of operators that have no schema pass. */
void rlxc_ox_check_node(rlxc_ox *im, const Onnx__NodeProto *node, const rlxc_ox_imports *imports);
/* False, and the node at hand fails, where an input has an element type that its operator does not
 * take. */
bool rlxc_ox_check_types(rlxc_ox *im);
#endif
