/* Reads an input, writes an output. */
#include "compiler/driver/files.h"

#include "compiler/base/mapped.h"
#include "rlx/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_errno(rlxc_context *ctx, const char *path)
{
    if (errno == ENOMEM)
        rlxc_set_out_of_memory(ctx);
    else
        rlxc_error(ctx, (rlxc_range){0}, "%s: %s", path, strerror(errno));
    return false;
}

static bool read_all(rlxc_context *ctx, const char *path, int fd, size_t limit, char **data,
                     size_t *size)
{
    size_t capacity = 0;
    for (;;) {
        if (*size == capacity) {
            capacity = capacity == 0 ? 1 << 16 : capacity * 2;
            char *grown = realloc(*data, capacity);
            if (grown == NULL)
                return fail_errno(ctx, path);
            *data = grown;
        }
        ssize_t n = read(fd, *data + *size, capacity - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(ctx, path);
        if (n == 0)
            return true;
        *size += (size_t)n;
        if (*size > limit) {
            rlxc_error(ctx, (rlxc_range){0}, "%s: larger than the limit of %zu bytes", path, limit);
            return false;
        }
    }
}

bool rlxc_read_file(rlxc_context *ctx, const char *path, size_t limit, char **out_data,
                    size_t *out_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(ctx, path);
    char *data = NULL;
    size_t size = 0;
    bool ok = read_all(ctx, path, fd, limit, &data, &size);
    close(fd);
    if (!ok) {
        free(data);
        return false;
    }
    *out_data = data;
    *out_size = size;
    return true;
}

bool rlxc_map_input(rlxc_context *ctx, const char *path, size_t limit, const char **out_data,
                    size_t *out_size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(ctx, path);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        if ((uintmax_t)st.st_size > limit) {
            rlxc_error(ctx, (rlxc_range){0}, "%s: larger than the limit of %zu bytes", path, limit);
            close(fd);
            return false;
        }
        *out_size = (size_t)st.st_size;
        *out_data = rlxc_map_file(ctx, fd, *out_size);
        if (*out_data == NULL)
            fail_errno(ctx, path);
        close(fd);
        return *out_data != NULL;
    }
    char *read = NULL;
    bool ok = read_all(ctx, path, fd, limit, &read, out_size);
    close(fd);
    ok = ok && rlxc_on_destroy(ctx, free, read);
    if (!ok)
        free(read);
    *out_data = ok ? read : NULL;
    return ok;
}

bool rlxc_write_file(rlxc_context *ctx, const char *path, const void *data, size_t size)
{
    rlx_error err = {0};
    if (rlx_write_file(path, data, size, &err) == RLX_OK)
        return true;
    if (err.code == RLX_E_NOMEM)
        rlxc_set_out_of_memory(ctx);
    else
        rlxc_error(ctx, (rlxc_range){0}, "%s", err.message);
    return false;
}
