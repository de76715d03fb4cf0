/* Reads and writes whole files. */
#ifndef RLXC_DRIVER_FILES_H
#define RLXC_DRIVER_FILES_H

#include "compiler/base/context.h"

/* The bytes of a file of at most |limit| bytes; release with free(). */
bool rlxc_read_file(rlxc_context *ctx, const char *path, size_t limit, char **out_data,
                    size_t *out_size);
/* As above, mapped if |path| is a regular file: the bytes live as long as the context. They may
 * change under the reader if somebody writes to the file. */
bool rlxc_map_input(rlxc_context *ctx, const char *path, size_t limit, const char **out_data,
                    size_t *out_size);
/* As rlx_write_file does. */
bool rlxc_write_file(rlxc_context *ctx, const char *path, const void *data, size_t size);

#endif
