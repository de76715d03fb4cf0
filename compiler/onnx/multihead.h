/* Shared by the attention operators of com.microsoft. */
#ifndef RLXC_ONNX_MULTIHEAD_H
#define RLXC_ONNX_MULTIHEAD_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_NO_INPUT = UINT32_MAX };

/* Indices of a node's inputs. */
typedef struct rlxc_ox_heads_inputs {
    uint32_t mask, bias, past_key, past_value, past_length, indirection;
    bool stacked; /* keys and values of the past are one tensor (2, ...), so are the new ones */
} rlxc_ox_heads_inputs;

typedef struct rlxc_ox_heads {
    int64_t n, size, value_size;
    const rlxc_expr *batch, *queries;
    rlxc_atom q;     /* (batch, queries, n, size) */
    rlxc_atom k, v;  /* (batch, keys, n, size), the value's of value_size */
    bool is_by_head; /* k and v are (batch, n, keys, size) */
} rlxc_ox_heads;

/* |x| (batch, length, n * size) as (batch, length, n, size); the batch is |h|'s. Fails if the width
 * differs. */
rlxc_atom rlxc_ox_split_heads(rlxc_ox *im, const rlxc_ox_heads *h, rlxc_atom x, int64_t size);
/* Sizes of |h| for a query of |width| and a value of |value_width| elements; false: the number of
 * heads does not divide them. */
bool rlxc_ox_head_sizes(rlxc_ox *im, rlxc_ox_heads *h, int64_t width, int64_t value_width);
/* Appends keys and values to those of the past, masks, attends, and sets the node's outputs. */
void rlxc_ox_attend(rlxc_ox *im, rlxc_ox_heads *h, const rlxc_ox_heads_inputs *in);

#endif
