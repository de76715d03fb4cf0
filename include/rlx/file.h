/* Writes files completely or not at all, and never over an input. A file is written under a
 * temporary name in its folder, synced and renamed; until the rename an old file is unchanged. A
 * symbolic link stays, and its target is replaced; a device or pipe is written directly. While a
 * temporary file exists, the calling thread blocks the signals that end a process (HUP, INT, QUIT,
 * TERM, XCPU, XFSZ). If one arrives whose action is the default, writing stops with CANCELLED, the
 * temporary file is removed, and then the signal ends the process. A process therefore leaves no
 * temporary file behind if its other threads block these signals; threads that this library starts
 * do. */
#ifndef RLX_FILE_H
#define RLX_FILE_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file with these bytes. Errors: IO, NOT_FOUND (no such folder), NOMEM, CANCELLED. */
RLX_NODISCARD RLX_API rlx_status rlx_write_file(const char *path, const void *data, size_t size,
                                                rlx_error *err);

/* Writes a file in parts: begin, write any number of times, end, all on one thread. */
typedef struct rlx_new_file rlx_new_file;

/* Errors: as rlx_write_file. */
RLX_NODISCARD RLX_API rlx_status rlx_new_file_begin(const char *path, rlx_new_file **out,
                                                    rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_new_file_write(rlx_new_file *file, const void *data,
                                                    size_t size, rlx_error *err);
/* Renames the file into place if |status| is RLX_OK, otherwise removes it; frees |file| either way.
 * Returns |status|, or IO or CANCELLED if the rename did not happen. */
RLX_NODISCARD RLX_API rlx_status rlx_new_file_end(rlx_new_file *file, rlx_status status,
                                                  rlx_error *err);

/* Errors: INVALID_ARG if |path| is one of the |n| files |inputs|, even through a link or under
 * another spelling. Only regular files that exist are compared; an input may be NULL. */
RLX_NODISCARD RLX_API rlx_status rlx_check_output(const char *path, const char *const *inputs,
                                                  size_t n, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
