/* Memory-mapped files. */
#ifndef RLXC_BASE_MAPPED_H
#define RLXC_BASE_MAPPED_H

#include "compiler/base/context.h"

/* Maps the first |size| bytes (not 0) of the open regular file |fd| read-only until the context is
 * destroyed. NULL with errno set on failure. If the file shrinks while it is mapped, reading past
 * its end raises SIGBUS. */
const void *rlxc_map_file(rlxc_context *ctx, int fd, size_t size);

/* True if |path| refers to a file that is mapped, under this or another name. */
bool rlxc_is_mapped(const rlxc_context *ctx, const char *path);

#endif
