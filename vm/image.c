/* Executables as files: reading, mapping, saving.

   Everything but the data section is copied before it is checked, so that a file that changes
   later cannot undo the verifier's work. The data section (the bytes of constants) is mapped
   privately and read-only; or it is read into memory, with huge pages on request, and always if a
   signature is required, since a mapping would show later changes of the file. It has a storage of
   its own, so that a constant returned from a call may outlive the executable. */
#include "vm/exec.h"
#include "vm/file.h"
#include "vm/need.h"
#include "vm/signature.h"
#include "vm/system.h"

#include <errno.h>
#include <fcntl.h>
#include <rlx/checked.h>
#include <rlx/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_CONSTANTS ((size_t)4 << 20) /* below this, huge pages do not pay */

typedef struct constants {
    rlx_allocator allocator;
    void *base;
    size_t size;
    bool mapped; /* else the allocator's */
} constants;

static void give_back(void *user, void *data)
{
    (void)data;
    constants *c = user;
    rlx_allocator a = c->allocator;
    if (c->mapped)
        munmap(c->base, c->size);
    else
        rlx_free(&a, c->base, c->size, RLXV_HUGE_PAGE);
    rlx_free(&a, c, sizeof *c, _Alignof(constants));
}

rlx_status rlxv_io_error(rlx_error *err, const char *path, const char *what)
{
    char reason[128] = "";
    int code = errno;
    /* GNU's strerror_r may return a text of its own instead of filling the buffer. */
    const char *text = strerror_r(code, reason, sizeof reason);
    const rlx_status status = code == ENOENT   ? RLX_E_NOT_FOUND
                              : code == ENOMEM ? RLX_E_NOMEM
                                               : RLX_E_IO;
    return rlx_fail(err, status, "%s: cannot %s: %s", path, what, text);
}

rlx_status rlxv_read_at(int fd, const char *path, uint64_t offset, uint8_t *to, size_t n,
                        rlx_error *err)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = pread(fd, to + at, n - at, (off_t)(offset + at));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rlxv_io_error(err, path, "read");
        if (got == 0)
            return rlx_fail(err, RLX_E_INVALID_MODULE, "%s: the file ends early", path);
        at += (size_t)got;
    }
    return RLX_OK;
}

static rlx_status out_of_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
}

/* Maps |c->size| bytes from the page-aligned |offset|. */
static rlx_status map_constants(int fd, const char *path, uint64_t offset, constants *c,
                                rlx_error *err)
{
    c->base = mmap(NULL, c->size, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
    if (c->base == MAP_FAILED)
        return rlxv_io_error(err, path, "map the constants");
    c->mapped = true;
    if (c->size >= HUGE_CONSTANTS)
        rlxv_want_huge_pages(c->base, c->size);
    return RLX_OK;
}

static rlx_status read_constants(int fd, const char *path, uint64_t offset, constants *c,
                                 rlx_error *err)
{
    const size_t used = c->size;
    if (c->size > SIZE_MAX - RLXV_HUGE_PAGE)
        return rlx_fail(err, RLX_E_LIMIT, "%s: the constants do not fit in memory", path);
    c->size = (used + RLXV_HUGE_PAGE - 1) / RLXV_HUGE_PAGE * RLXV_HUGE_PAGE;
    RLX_TRY(rlx_memory_check(c->size, "reading the constants", err));
    c->base = rlx_alloc(&c->allocator, c->size, RLXV_HUGE_PAGE);
    if (!c->base)
        return out_of_memory(err);
    rlxv_want_huge_pages(c->base, c->size);
    rlx_status status = rlxv_read_at(fd, path, offset, c->base, used, err);
    if (status != RLX_OK)
        rlx_free(&c->allocator, c->base, c->size, RLXV_HUGE_PAGE);
    return status;
}

rlx_status rlxv_load_data(int fd, const char *path, const rlx_allocator *a, bool read,
                          uint64_t offset, uint64_t size, rlx_storage **out, rlx_error *err)
{
    long page = sysconf(_SC_PAGESIZE);
    uint64_t skip = offset % (uint64_t)page;
    if (size > PTRDIFF_MAX - skip)
        return rlx_fail(err, RLX_E_LIMIT, "%s: the constants do not fit in memory", path);
    constants *c = rlx_alloc(a, sizeof *c, _Alignof(constants));
    if (!c)
        return out_of_memory(err);
    *c = (constants){.allocator = a ? *a : *rlx_default_allocator(), .size = (size_t)(size + skip)};
    rlx_status status = read ? read_constants(fd, path, offset - skip, c, err)
                             : map_constants(fd, path, offset - skip, c, err);
    if (status != RLX_OK) {
        rlx_free(a, c, sizeof *c, _Alignof(constants));
        return status;
    }
    status = rlxv_storage_wrap(NULL, a, (uint8_t *)c->base + skip, (size_t)size, true, give_back, c,
                               out, err);
    if (status != RLX_OK)
        give_back(c, NULL);
    return status;
}

bool rlxv_reads_data(const rlx_load_options *options)
{
    return (options && options->huge_pages) || rlxv_signature_is_required(options);
}

char *rlxv_weights_path(const rlx_allocator *a, const char *path, size_t *out_size)
{
    static const char ending[] = ".safetensors";
    const size_t length = strlen(path);
    char *out = rlx_alloc(a, *out_size = length + sizeof ending, 1);
    if (out) {
        memcpy(out, path, length);
        memcpy(out + length, ending, sizeof ending);
    }
    return out;
}

rlx_status rlx_executable_load_file(const char *path, const rlx_load_options *options,
                                    rlx_executable **out, rlx_error *err)
{
    RLXV_NEED(err, path && out);
    const rlx_allocator *a = options ? options->allocator : NULL;
    uint8_t start[RLXV_HEADER_BYTES + RLXV_MAX_SECTIONS * RLXV_SECTION_BYTES], *head = NULL;
    rlx_storage *data = NULL;
    const bool read = rlxv_reads_data(options);
    rlx_load_options own = options ? *options : (rlx_load_options){0};
    size_t beside_size = 0;
    char *beside = NULL;
    size_t head_size = 0;
    uint64_t data_offset, data_size, total;
    struct stat st;
    if (options && options->native_file)
        RLX_TRY(rlx_check_output(options->native_file, &path, 1, err));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rlxv_io_error(err, path, "open");
    rlx_status status = RLX_OK;
    if (fstat(fd, &st) != 0)
        status = rlxv_io_error(err, path, "read");
    else if (!S_ISREG(st.st_mode))
        status = rlx_fail(err, RLX_E_IO, "%s: not a regular file", path);
    if (status != RLX_OK)
        goto done;
    total = (uint64_t)st.st_size;
    size_t available = total < sizeof start ? (size_t)total : sizeof start;
    status = rlxv_read_at(fd, path, 0, start, available, err);
    if (status == RLX_OK) {
        status =
            rlxv_read_header(start, available, total, &head_size, &data_offset, &data_size, err);
        if (status != RLX_OK)
            rlx_error_prefix(err, "%s: ", path);
    }
    if (status == RLX_OK && head_size >= RLXV_BIG_BYTES)
        status = rlx_memory_check(head_size, path, err);
    if (status == RLX_OK) {
        head = rlx_alloc(a, head_size, 64);
        if (!head)
            status = out_of_memory(err);
    }
    if (status == RLX_OK)
        status = rlxv_read_at(fd, path, 0, head, head_size, err);
    if (status == RLX_OK && data_size > 0)
        status = rlxv_load_data(fd, path, a, read, data_offset, data_size, &data, err);
    if (status != RLX_OK) {
        rlx_free(a, head, head_size, 64);
        goto done;
    }
    if (!own.weights && !(own.weights = beside = rlxv_weights_path(a, path, &beside_size))) {
        rlx_free(a, head, head_size, 64);
        if (data)
            rlxv_release(&data->header);
        status = out_of_memory(err);
        goto done;
    }
    status = rlxv_load(a, head, head_size, data, total, &own, out, err);
    if (status == RLX_OK && !beside && !(*out)->weights) {
        rlx_executable_release(*out);
        *out = NULL;
        status = rlx_fail(err, RLX_E_INVALID_ARG, "no weights file belongs to it, but %s is given",
                          own.weights);
    }
    if (status != RLX_OK)
        rlx_error_prefix(err, "%s: ", path);
done:
    rlx_free(a, beside, beside_size, 1);
    close(fd);
    return status;
}

rlx_status rlxv_write_image(const rlx_executable *exe, const uint8_t *head, size_t head_size,
                            const char *path, rlx_error *err)
{
    rlx_new_file *f;
    RLX_TRY(rlx_new_file_begin(path, &f, err));
    rlx_status status = rlx_new_file_write(f, head, head_size, err);
    if (status == RLX_OK && exe->data_size)
        status = rlx_new_file_write(f, exe->data->data, (size_t)exe->data_size, err);
    return rlx_new_file_end(f, status, err);
}

rlx_status rlx_executable_save(const rlx_executable *exe, const char *path, rlx_error *err)
{
    RLXV_NEED(err, exe && path);
    return rlxv_write_image(exe, exe->head, exe->head_size, path, err);
}
