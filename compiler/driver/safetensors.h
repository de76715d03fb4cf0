/* Weights from a .safetensors file: tensors by name, bytes used in place.
 *
 * The file is mapped and stays mapped until rlxc_weights_close; constants made from it borrow its
 * bytes. The header is hostile input: every length, type, shape and offset is checked before use.
 */
#ifndef RLXC_DRIVER_SAFETENSORS_H
#define RLXC_DRIVER_SAFETENSORS_H

#include "compiler/ir/relax.h"

typedef struct rlxc_weight {
    const char *name;   /* as in the file, interned */
    const char *symbol; /* with '_' for what cannot stand in an identifier, interned */
    rlx_dtype dtype;
    uint32_t ndim;
    const int64_t *shape;
    const void *data;
    size_t nbytes;
} rlxc_weight;

typedef struct rlxc_weights {
    const char *path;
    RLXC_VEC(rlxc_weight) tensors; /* in the order of the header */
    rlxc_map by_symbol;            /* interned symbol -> 1 + index of the first one */
    bool strict;                   /* an unmatched tensor or parameter is an error, not a warning */
    bool lift;                     /* --lift-params: they become lifted constants (ir/lifted.h) */
    void *map;
    size_t map_size;
} rlxc_weights;

/* False with a diagnostic. Close also after failure. */
bool rlxc_weights_open(rlxc_context *ctx, const char *path, rlxc_weights *out);
/* Reads from memory; the bytes must outlive the weights. */
bool rlxc_weights_parse(rlxc_context *ctx, const char *path, const void *data, size_t size,
                        rlxc_weights *out);
/* Appends |w|, whose name is interned and whose symbol is set here; false when memory is out. */
bool rlxc_weights_add(rlxc_context *ctx, rlxc_weights *weights, rlxc_weight w);
void rlxc_weights_close(rlxc_weights *weights);

/* |name| with '_' in place of characters that an identifier cannot have, interned. */
const char *rlxc_weight_symbol(rlxc_context *ctx, const char *name);

/* Replaces parameters that have the name of a tensor by that tensor, in every exported function
 * that the module does not call. With the function attribute num_input = k, the first k parameters
 * are not bound; a later parameter without a tensor, and a tensor without a parameter, is a
 * warning, or an error if |weights| is strict. */
bool rlxc_bind_weights(rlxc_context *ctx, rlxc_module *module, const rlxc_weights *weights);

#endif
