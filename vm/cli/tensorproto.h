/* ONNX's TensorProto, SequenceProto and OptionalProto messages (.pb files), as its test data has
 * them. */
#ifndef RLX_CLI_TENSORPROTO_H
#define RLX_CLI_TENSORPROTO_H

#include <rlx/rlx.h>

/* Reads a file of a numeric element type into a new tensor. Every size is checked against the
 * file. Errors: IO, INVALID_ARG (not such a message, strings, external data), NOMEM. */
RLX_NODISCARD rlx_status tensorproto_read(const char *path, rlx_tensor **out, rlx_error *err);
/* As above from memory; |name| is for messages. */
RLX_NODISCARD rlx_status tensorproto_decode(const char *name, const unsigned char *data,
                                            size_t size, rlx_tensor **out, rlx_error *err);
/* A TensorProto as a tensor, a SequenceProto as a tuple of tensors, an OptionalProto as its
 * content, or none if it is empty. The wire format does not tell an optional tensor from a sequence
 * of at most one: both are tuples. Errors as above. */
RLX_NODISCARD rlx_status onnxproto_decode(const char *name, const unsigned char *data, size_t size,
                                          rlx_value *out, rlx_error *err);
RLX_NODISCARD rlx_status onnxproto_read(const char *path, rlx_value *out, rlx_error *err);
/* Writes a tuple of tensors as a SequenceProto, none as an empty OptionalProto. Errors: IO, NOMEM,
 * INVALID_ARG (other values). */
RLX_NODISCARD rlx_status onnxproto_write(const char *path, rlx_value v, rlx_error *err);
/* Writes compact elements as raw data. Errors: IO, INVALID_ARG (an element type that ONNX lacks).
 */
RLX_NODISCARD rlx_status tensorproto_write(const char *path, rlx_dtype dtype, uint32_t ndim,
                                           const int64_t *dims, const void *data, rlx_error *err);

#endif
