/* Files that are read where they lie. */
#ifndef RLXC_BASE_MAPPED_H
#define RLXC_BASE_MAPPED_H

#include "compiler/base/context.h"

/* The first |size| bytes (not 0) of the open regular file |fd|, mapped read-only until the context
 * is destroyed. NULL with errno set when that cannot be. A file that shrinks meanwhile makes
 * reading it a bus error, as with every mapped file. */
const void *rlxc_map_file(rlxc_context *ctx, int fd, size_t size);

/* True if |path| names a file that is mapped, under whatever name. */
bool rlxc_is_mapped(const rlxc_context *ctx, const char *path);

#endif
