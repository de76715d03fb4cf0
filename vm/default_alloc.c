/* The default allocator: mimalloc where it was built in, else libc. */
#include "vm/vm_impl.h"

#include <stdlib.h>
#if RLX_WITH_MIMALLOC
#include <mimalloc.h>
#endif

static void *default_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
#if RLX_WITH_MIMALLOC
    return mi_malloc_aligned(size, align);
#else
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    void *p;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
#endif
}

static void default_free(void *ctx, void *p, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
#if RLX_WITH_MIMALLOC
    mi_free(p);
#else
    free(p);
#endif
}

const rlx_allocator *rlx_default_allocator(void)
{
    static const rlx_allocator allocator = {NULL, default_alloc, default_free};
    return &allocator;
}

void rlxv_default_purge(void)
{
#if RLX_WITH_MIMALLOC
    mi_collect(true);
#endif
}
