/* Values whose structure is known only at run time: sequences of any length, optionals. */
#ifndef RLXC_ONNX_OBJECT_H
#define RLXC_ONNX_OBJECT_H

#include "compiler/onnx/importer.h"

/* The common type of all tensors inside. */
struct rlxc_ox_elem {
    rlx_dtype dtype;
    int32_t ndim; /* or RLXC_UNKNOWN_NDIM */
    int64_t dims[RLXC_MAX_NDIM];
};
enum { RLXC_OX_ANY_DIM = -1 };

/* |elem| NULL: nothing is inside yet. */
rlxc_ox_value *rlxc_ox_object(rlxc_ox *im, rlxc_atom atom, const rlxc_ox_elem *elem, bool is_list,
                              bool maybe);
/* The description of |value| as such a value, without an atom; NULL, failing the node, if its items
 * have no common type. */
rlxc_ox_value *rlxc_ox_described(rlxc_ox *im, const rlxc_ox_value *value);
/* The join of both descriptions; NULL, failing the node, if there is none. */
rlxc_ox_value *rlxc_ox_joined(rlxc_ox *im, const rlxc_ox_value *a, const rlxc_ox_value *b);
bool rlxc_ox_same_object(const rlxc_ox_value *a, const rlxc_ox_value *b);
/* The description of a declared type; NULL if it is not a sequence or optional of tensors. */
rlxc_ox_value *rlxc_ox_object_of_type(rlxc_ox *im, const Onnx__TypeProto *type);

/* The value as one atom: sequences are tuples, an empty optional is none. */
rlxc_atom rlxc_ox_result(rlxc_ox *im, rlxc_ox_value *value);
/* A tensor taken out, checked at run time to be one. */
rlxc_atom rlxc_ox_unboxed(rlxc_ox *im, rlxc_atom object, const rlxc_ox_elem *elem);
/* The type of a tensor like |elem|, with fresh symbols for unknown dimensions. */
const rlxc_sinfo *rlxc_ox_elem_type(rlxc_ox *im, const rlxc_ox_elem *elem);
const rlxc_ox_elem *rlxc_ox_elem_of(rlxc_ox *im, const rlxc_sinfo *tensor);

#endif
