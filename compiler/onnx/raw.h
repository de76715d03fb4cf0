/* Weights that stay in the bytes of the model.
 *
 * protobuf-c copies every bytes field. To avoid copying large weights, the importer unpacks a copy
 * of the message in which a mark replaces each large TensorProto.raw_data; the constant's data is
 * the range of the model's own bytes that the mark refers to. */
#ifndef RLXC_ONNX_RAW_H
#define RLXC_ONNX_RAW_H

#include <protobuf-c/protobuf-c.h>

#include "compiler/base/context.h"

typedef struct rlxc_ox_cut {
    size_t at, length; /* in the model's bytes */
} rlxc_ox_cut;

typedef struct rlxc_ox_raw {
    const uint8_t *bytes;
    RLXC_VEC(rlxc_ox_cut) cuts;
    uint8_t *skeleton; /* the message with marks, checked; free with rlx_free(NULL, ..., 1) */
    size_t skeleton_size;
} rlxc_ox_raw;

/* Fills |out| from a message of |type|. Returns what is wrong with the message, including names
 * that are not UTF-8 or contain NUL, or NULL; without a skeleton memory is out. */
const char *rlxc_ox_cut_raw(rlxc_context *ctx, const ProtobufCMessageDescriptor *type,
                            const uint8_t *bytes, size_t length, rlxc_ox_raw *out);
/* The bytes of an unpacked raw_data; NULL unless they are |wanted|. */
const void *rlxc_ox_raw_data(const rlxc_ox_raw *raw, const uint8_t *data, size_t length,
                             size_t wanted);

#endif
