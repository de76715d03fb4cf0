/* Finds tensors in the header of a .safetensors file (private to vm/). */
#ifndef RLXV_SAFETENSORS_H
#define RLXV_SAFETENSORS_H

#include <rlx/base.h>
#include <rlx/value.h>

#define RLXV_SAFETENSORS_MAX_HEADER 100000000u /* the format's own limit */

typedef struct rlxv_safetensor {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[RLX_MAX_NDIM];
    uint64_t begin, nbytes; /* in the |data_size| bytes after the header */
} rlxv_safetensor;

/* The tensor |name|. NULL, or why there is none that can be used. */
const char *rlxv_safetensors_find(rlx_str header, uint64_t data_size, rlx_str name,
                                  rlxv_safetensor *out);

#endif
