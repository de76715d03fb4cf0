/* Files of arrays: file.h. */
#include "vm/cli/file.h"

#include <errno.h>
#include <limits.h>
#include <rlx/memory.h>
#include <stdlib.h>
#include <string.h>

#define BIG (16L << 20) /* sizes from here on are checked against the available memory */

rlx_status cli_read_file(const char *path, unsigned char **out, size_t *out_size, rlx_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return rlx_fail(err, RLX_E_IO, "%s: %s", path, strerror(errno));
    unsigned char *data = NULL;
    long size = -1;
    rlx_status status = RLX_OK;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size == LONG_MAX) /* the error for a folder */
        errno = EISDIR;
    if (size < 0 || size == LONG_MAX || fseek(file, 0, SEEK_SET) != 0)
        status = rlx_fail(err, RLX_E_IO, "%s: %s", path, strerror(errno));
    /* The array made from it takes as much again. */
    if (status == RLX_OK && size >= BIG)
        status = rlx_memory_check(2 * (uint64_t)size, path, err);
    if (status == RLX_OK && !(data = malloc(size ? (size_t)size : 1)))
        status = rlx_fail(err, RLX_E_NOMEM, "%s: no memory for %ld bytes", path, size);
    if (status == RLX_OK && fread(data, 1, (size_t)size, file) != (size_t)size)
        status = rlx_fail(err, RLX_E_IO, "%s: cannot be read in full", path);
    fclose(file);
    if (status != RLX_OK) {
        free(data);
        return status;
    }
    *out = data;
    *out_size = (size_t)size;
    return RLX_OK;
}

static ssize_t write_part(void *cookie, const char *data, size_t size)
{
    cli_file *file = cookie;
    if (file->error.code == RLX_OK &&
        rlx_new_file_write(file->file, data, size, &file->error) == RLX_OK)
        return (ssize_t)size;
    errno = EIO;
    return 0;
}

rlx_status cli_create_file(const char *path, cli_file *out, rlx_error *err)
{
    *out = (cli_file){.path = path};
    RLX_TRY(rlx_new_file_begin(path, &out->file, err));
    out->stream = fopencookie(out, "w", (cookie_io_functions_t){.write = write_part});
    return out->stream
               ? RLX_OK
               : rlx_new_file_end(out->file, rlx_fail(err, RLX_E_NOMEM, "out of memory"), err);
}

bool cli_put(cli_file *file, const void *data, size_t size)
{
    return size == 0 || fwrite(data, 1, size, file->stream) == size;
}

rlx_status cli_close_file(cli_file *file, bool ok, rlx_error *err)
{
    ok = !ferror(file->stream) && ok;
    ok = fclose(file->stream) == 0 && ok && file->error.code == RLX_OK;
    if (!ok && file->error.code == RLX_OK)
        (void)rlx_fail(&file->error, RLX_E_IO, "%s: cannot be written", file->path);
    if (!ok && err)
        *err = file->error;
    return rlx_new_file_end(file->file, file->error.code, err);
}
