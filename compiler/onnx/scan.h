/* Checks a protobuf message before it is unpacked. */
#ifndef RLXC_ONNX_SCAN_H
#define RLXC_ONNX_SCAN_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RLXC_SCAN_NESTING = 100 };

/* Callbacks of the walk, with offsets: of a length, of the first byte after it, and the length. */
typedef struct rlxc_scan_visitor {
    void *user;
    void (*enter)(void *user, size_t length_at, size_t at, size_t length); /* a message inside */
    void (*leave)(void *user);
    /* Field number |field| of a message of |type|; the field is not a message. */
    void (*bytes)(void *user, const ProtobufCMessageDescriptor *type, uint64_t field,
                  size_t length_at, size_t at, size_t length);
} rlxc_scan_visitor;

/* NULL if well formed and not nested too deeply; else what is wrong. |visitor| may be NULL. */
const char *rlxc_scan_message(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                              size_t size, const rlxc_scan_visitor *visitor);

#endif
