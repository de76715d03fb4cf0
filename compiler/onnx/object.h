/* Values whose structure is known only at run time: sequences of any length, optionals. */
#ifndef RLXC_ONNX_OBJECT_H
#define RLXC_ONNX_OBJECT_H

#include "compiler/onnx/importer.h"

/* The tensors inside: what all of them have in common. */
struct rlxc_ox_elem {
    rlx_dtype dtype;
    int32_t ndim; /* or RLXC_UNKNOWN_NDIM */
    int64_t dims[RLXC_MAX_NDIM];
};
enum { RLXC_OX_ANY_DIM = -1 };

/* |elem| NULL: nothing is inside yet. */
rlxc_ox_value *rlxc_ox_object(rlxc_ox *im, rlxc_atom atom, const rlxc_ox_elem *elem, bool is_list,
                              bool maybe);
/* What can be said of |value| were it such a value, which has no atom then; the node fails and the
 * answer is NULL where its items do not belong together. */
rlxc_ox_value *rlxc_ox_described(rlxc_ox *im, const rlxc_ox_value *value);
/* What holds for both descriptions; NULL, and the node fails, where nothing does. */
rlxc_ox_value *rlxc_ox_joined(rlxc_ox *im, const rlxc_ox_value *a, const rlxc_ox_value *b);
bool rlxc_ox_same_object(const rlxc_ox_value *a, const rlxc_ox_value *b);
/* The description of a stated type; NULL: it is no sequence or optional of tensors. */
rlxc_ox_value *rlxc_ox_object_of_type(rlxc_ox *im, const Onnx__TypeProto *type);

/* The value as one atom: sequences are tuples, an empty optional is none. */
rlxc_atom rlxc_ox_result(rlxc_ox *im, rlxc_ox_value *value);
/* A tensor that was inside, checked at run time to be one. */
rlxc_atom rlxc_ox_unboxed(rlxc_ox *im, rlxc_atom object, const rlxc_ox_elem *elem);
/* The type of a tensor like |elem|: fresh symbols where dimensions are not known. */
const rlxc_sinfo *rlxc_ox_elem_type(rlxc_ox *im, const rlxc_ox_elem *elem);
const rlxc_ox_elem *rlxc_ox_elem_of(rlxc_ox *im, const rlxc_sinfo *tensor);

#endif
