/* Files of arrays: file.h. */
#include "vm/cli/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    if (size == LONG_MAX) /* what a folder gives */
        errno = EISDIR;
    if (size < 0 || size == LONG_MAX || fseek(file, 0, SEEK_SET) != 0)
        status = rlx_fail(err, RLX_E_IO, "%s: %s", path, strerror(errno));
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

rlx_status cli_create_file(const char *path, FILE **out, rlx_error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return rlx_fail(err, RLX_E_IO, "%s: %s", path, strerror(errno));
    *out = file;
    return RLX_OK;
}

bool cli_put(FILE *file, const void *data, size_t size)
{
    return size == 0 || fwrite(data, 1, size, file) == size;
}

rlx_status cli_close_file(FILE *file, bool ok, const char *path, rlx_error *err)
{
    ok = fclose(file) == 0 && ok;
    return ok ? RLX_OK : rlx_fail(err, RLX_E_IO, "%s: cannot be written", path);
}
