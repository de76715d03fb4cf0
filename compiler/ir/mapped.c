/* Mappings that live as long as a context (mapped.h). */
#include "compiler/ir/mapped.h"

#include <errno.h>
#include <sys/mman.h>

typedef struct mapping {
    void *base;
    size_t size;
} mapping;

static void unmap(void *user)
{
    const mapping *m = user;
    munmap(m->base, m->size);
}

const void *rlxc_map_file(rlxc_context *ctx, int fd, size_t size)
{
    mapping *m = rlxc_try_alloc(ctx, 1, sizeof *m);
    void *base = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (m && rlxc_on_destroy(ctx, unmap, m)) {
        *m = (mapping){base, size};
        return base;
    }
    munmap(base, size);
    errno = ENOMEM;
    return NULL;
}
