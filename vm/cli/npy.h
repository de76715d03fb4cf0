/* .npy files (NumPy's format, versions 1 to 3). */
#ifndef RLX_CLI_NPY_H
#define RLX_CLI_NPY_H

#include <rlx/rlx.h>

/* Reads a file of a numeric dtype in C or Fortran order, either byte order, into a new tensor.
 * Every size is checked against the file. Errors: IO, INVALID_ARG (not such a file), NOMEM. */
RLX_NODISCARD rlx_status npy_read(const char *path, rlx_tensor **out, rlx_error *err);
/* As above from memory; |name| is for messages. */
RLX_NODISCARD rlx_status npy_decode(const char *name, const unsigned char *data, size_t size,
                                    rlx_tensor **out, rlx_error *err);
/* Writes version 1.0, C order; bfloat16 and float8 as unsigned integers of their bits, types
 * smaller than a byte as bytes. */
RLX_NODISCARD rlx_status npy_write(const char *path, rlx_dtype dtype, uint32_t ndim,
                                   const int64_t *dims, const void *data, rlx_error *err);

#endif
