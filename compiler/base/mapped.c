/* Mappings that live as long as a context (mapped.h). */
#include "compiler/base/mapped.h"

#include "compiler/base/context_state.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct mapping {
    void *base;
    size_t size;
    dev_t device;
    ino_t inode;
} mapping;

static void unmap(void *user)
{
    const mapping *m = user;
    munmap(m->base, m->size);
}

const void *rlxc_map_file(rlxc_context *ctx, int fd, size_t size)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return NULL;
    mapping *m = rlxc_try_alloc(ctx, 1, sizeof *m);
    void *base = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED && errno == ENOMEM)
        rlxc_set_out_of_memory(ctx);
    if (base == MAP_FAILED)
        return NULL;
    if (m && rlxc_on_destroy(ctx, unmap, m)) {
        *m = (mapping){base, size, st.st_dev, st.st_ino};
        return base;
    }
    munmap(base, size);
    errno = ENOMEM;
    return NULL;
}

bool rlxc_is_mapped(const rlxc_context *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    for (const rlxc_cleanup *c = ctx->cleanups; c; c = c->next) {
        const mapping *m = c->user;
        if (c->fn == unmap && m->device == st.st_dev && m->inode == st.st_ino)
            return true;
    }
    return false;
}
