/* Checks a protobuf message before it is unpacked. */
#ifndef RLXC_ONNX_SCAN_H
#define RLXC_ONNX_SCAN_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: well formed and not nested too deeply; else what is wrong. */
const char *rlxc_scan_message(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                              size_t size);

#endif
