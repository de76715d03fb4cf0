/* ONNX's TensorProto messages (.pb files), as its test data has them. */
#ifndef RLX_CLI_TENSORPROTO_H
#define RLX_CLI_TENSORPROTO_H

#include <rlx/rlx.h>

/* Reads a file of a numeric element type into a new tensor. Every size is checked against the
 * file. Errors: IO, INVALID_ARG (not such a message, strings, external data), NOMEM. */
RLX_NODISCARD rlx_status tensorproto_read(const char *path, rlx_tensor **out, rlx_error *err);
/* The same of bytes in memory; |name| is for messages. */
RLX_NODISCARD rlx_status tensorproto_decode(const char *name, const unsigned char *data,
                                            size_t size, rlx_tensor **out, rlx_error *err);
/* Writes compact elements as raw data. Errors: IO, INVALID_ARG (an element type ONNX has not). */
RLX_NODISCARD rlx_status tensorproto_write(const char *path, rlx_dtype dtype, uint32_t ndim,
                                           const int64_t *dims, const void *data, rlx_error *err);

#endif
