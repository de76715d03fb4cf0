/* Files of arrays, read whole and written in parts. */
#ifndef RLX_CLI_FILE_H
#define RLX_CLI_FILE_H

#include <rlx/rlx.h>
#include <stdio.h>

/* All bytes of a file, which the caller frees. Errors: IO (also for a folder), NOMEM. */
RLX_NODISCARD rlx_status cli_read_file(const char *path, unsigned char **out, size_t *out_size,
                                       rlx_error *err);

/* Opens a file for writing. Errors: IO. */
RLX_NODISCARD rlx_status cli_create_file(const char *path, FILE **out, rlx_error *err);
/* Appends; false where that fails. */
bool cli_put(FILE *file, const void *data, size_t size);
/* The end of writing to |file|, which |ok| says has gone well. Errors: IO. */
RLX_NODISCARD rlx_status cli_close_file(FILE *file, bool ok, const char *path, rlx_error *err);

#endif
