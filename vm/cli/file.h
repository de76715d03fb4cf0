/* Files of arrays, read whole and written in parts. */
#ifndef RLX_CLI_FILE_H
#define RLX_CLI_FILE_H

#include <rlx/rlx.h>
#include <stdio.h>

/* All bytes of a file, which the caller frees. Errors: IO (also for a folder), NOMEM. */
RLX_NODISCARD rlx_status cli_read_file(const char *path, unsigned char **out, size_t *out_size,
                                       rlx_error *err);

/* A file that is being written, completely or not at all (rlx/file.h). */
typedef struct cli_file {
    FILE *stream; /* write to this */
    const char *path;
    rlx_new_file *file;
    rlx_error error; /* the first one */
} cli_file;

/* Begins to write |path|, which must outlive |out|; |out| must stay where it is. Errors: those of
 * rlx_new_file_begin. */
RLX_NODISCARD rlx_status cli_create_file(const char *path, cli_file *out, rlx_error *err);
/* Appends; false on failure. */
bool cli_put(cli_file *file, const void *data, size_t size);
/* Renames the file into place, unless writing failed or |ok| is false. Errors: IO, CANCELLED. */
RLX_NODISCARD rlx_status cli_close_file(cli_file *file, bool ok, rlx_error *err);

#endif
