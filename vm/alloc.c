/* The two functions through which all of the library allocates, and the check of sizes against the
 * available memory. Alignments are at least a pointer's. */
#include "vm/need.h"

#include <rlx/memory.h>

void *rlx_alloc(const rlx_allocator *a, size_t size, size_t align)
{
    if (!a)
        a = rlx_default_allocator();
    if (size > PTRDIFF_MAX)
        return NULL;
    return a->alloc(a->ctx, size ? size : 1, align < sizeof(void *) ? sizeof(void *) : align);
}

void rlx_free(const rlx_allocator *a, void *p, size_t size, size_t align)
{
    if (!a)
        a = rlx_default_allocator();
    if (p)
        a->free(a->ctx, p, size ? size : 1, align < sizeof(void *) ? sizeof(void *) : align);
}

rlx_status rlx_memory_check(uint64_t bytes, const char *what, rlx_error *err)
{
    RLXV_NEED(err, what);
    const rlx_memory m = rlx_memory_now();
    if (bytes <= m.available)
        return RLX_OK;
    return rlx_fail(err, RLX_E_LIMIT, "%s needs %llu bytes, %s has %llu available", what,
                    (unsigned long long)bytes, m.source, (unsigned long long)m.available);
}
