/* Programs that drivers built, kept in $XDG_CACHE_HOME/rlx (else ~/.cache/rlx), a file each.

   A file holds everything that determines the binary (machine, build options, source) and is used
   only if all of it is equal, because its name, a checksum, may collide. Only the user can write it
   and reads it. If the file system fails, nothing is cached. */
#include "vm/arena.h"
#include "vm/devices/opencl.h"
#include "vm/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "RLXCL\r\n\1"
enum { MAGIC_BYTES = 8, PARTS = 4, HEADER_BYTES = MAGIC_BYTES + 8 * (PARTS + 1) };

/* machine, options, source, binary */
typedef struct contents {
    rlxv_span parts[PARTS];
} contents;

static contents contents_of(const rlxv_cl_device *d, const void *source, size_t size,
                            const void *binary, size_t binary_size)
{
    return (contents){{{d->machine, strlen(d->machine)},
                       {d->options, strlen(d->options)},
                       {source, size},
                       {binary, binary_size}}};
}

/* The file's path; makes its folders if |make|. False if there is no place for it. */
static bool path_of(const contents *c, bool make, char *out, size_t size)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int n = cache && *cache == '/' ? snprintf(out, size, "%s", cache)
            : home && *home == '/' ? snprintf(out, size, "%s/.cache", home)
                                   : -1;
    for (int i = 0; i < 2; i++) {
        if (n < 0 || (size_t)n + 40 > size)
            return false;
        if (make)
            (void)mkdir(out, 0700);
        if (i == 0)
            n += snprintf(out + n, size - (size_t)n, "/rlx");
    }
    snprintf(out + n, size - (size_t)n, "/opencl-%016llx.bin",
             (unsigned long long)rlxv_checksum_spans(c->parts, PARTS - 1));
    return true;
}

/* Reads a whole file of at least a header. */
static bool read_file(const rlxv_cl_device *d, const char *path, rlxv_cl_binary *out)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= HEADER_BYTES &&
              st.st_size < INT_MAX;
    if (ok) {
        out->file_size = (size_t)st.st_size;
        out->file = rlx_alloc(&d->allocator, out->file_size, 1);
        ok = out->file && read(fd, out->file, out->file_size) == (ssize_t)out->file_size;
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Finds the binary in the file if all else in it is as in |c|. */
static bool matches(const contents *c, rlxv_cl_binary *b)
{
    const uint8_t *at = b->file + HEADER_BYTES, *sizes = b->file + MAGIC_BYTES;
    size_t left = b->file_size - HEADER_BYTES;
    if (memcmp(b->file, MAGIC, MAGIC_BYTES) != 0)
        return false;
    for (int i = 0; i < PARTS; i++) {
        const uint64_t size = rlxv_load_u64(sizes + 8 * i);
        if (size > left)
            return false;
        if (i < PARTS - 1 && (size != c->parts[i].size || memcmp(at, c->parts[i].data, size) != 0))
            return false;
        b->data = at;
        b->size = (size_t)size;
        at += size;
        left -= size;
    }
    return left == 0 && b->size > 0 &&
           rlxv_checksum(b->data, b->size) == rlxv_load_u64(sizes + 8 * PARTS);
}

void rlxv_cl_cache_drop(const rlxv_cl_device *d, rlxv_cl_binary *b)
{
    rlx_free(&d->allocator, b->file, b->file_size, 1);
    *b = (rlxv_cl_binary){0};
}

rlxv_cl_binary rlxv_cl_cache_find(const rlxv_cl_device *d, const void *source, size_t size)
{
    const contents c = contents_of(d, source, size, NULL, 0);
    rlxv_cl_binary b = {0};
    char path[PATH_MAX];
    if (!path_of(&c, false, path, sizeof path) || !read_file(d, path, &b) || !matches(&c, &b))
        rlxv_cl_cache_drop(d, &b);
    return b;
}

void rlxv_cl_cache_keep(const rlxv_cl_device *d, const void *source, size_t size,
                        const void *binary, size_t binary_size)
{
    const contents c = contents_of(d, source, size, binary, binary_size);
    rlx_new_file *file;
    uint8_t header[HEADER_BYTES] = MAGIC;
    char path[PATH_MAX];
    if (!path_of(&c, true, path, sizeof path) || rlx_new_file_begin(path, &file, NULL) != RLX_OK)
        return;
    for (int i = 0; i < PARTS; i++)
        rlxv_store(header + MAGIC_BYTES + 8 * i, c.parts[i].size, 8);
    rlxv_store(header + MAGIC_BYTES + 8 * PARTS, rlxv_checksum(binary, binary_size), 8);
    rlx_status status = rlx_new_file_write(file, header, sizeof header, NULL);
    for (int i = 0; i < PARTS && status == RLX_OK; i++)
        status = rlx_new_file_write(file, c.parts[i].data, c.parts[i].size, NULL);
    (void)!rlx_new_file_end(file, status, NULL);
}
