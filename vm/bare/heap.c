/* The default allocator of a runtime without an operating system: a list of the gaps in the host's
 * memory, sorted by address. The first gap that is large enough is used; freed memory joins its
 * neighbours. Blocks have no headers, as rlx_free is told their sizes. */
#include "vm/bare/bare.h"
#include "vm/vm_impl.h"

#include <string.h>

enum { UNIT = 16 }; /* sizes and addresses are multiples of it */

typedef struct gap gap;
struct gap {
    size_t bytes;
    gap *next;
};
_Static_assert(sizeof(gap) <= UNIT, "a gap can be as small as a unit");

static struct {
    gap *first;
    size_t bytes, used, peak;
} heap;

void rlxv_heap_start(void *memory, size_t bytes)
{
    const size_t skip = (UNIT - (uintptr_t)memory % UNIT) % UNIT;
    memset(&heap, 0, sizeof heap);
    if (bytes < skip + UNIT)
        return;
    heap.bytes = (bytes - skip) / UNIT * UNIT;
    heap.first = (gap *)((char *)memory + skip);
    *heap.first = (gap){heap.bytes, NULL};
}

rlx_bare_memory rlxv_heap_now(void)
{
    rlx_bare_memory now = {heap.bytes, heap.used, heap.peak, 0};
    for (const gap *g = heap.first; g; g = g->next)
        now.largest = g->bytes > now.largest ? g->bytes : now.largest;
    return now;
}

static size_t whole_units(size_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

/* The block is cut out of a gap; what is left of it before and behind stays. */
static void *heap_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (size > PTRDIFF_MAX)
        return NULL;
    size = whole_units(size);
    for (gap **at = &heap.first; *at; at = &(*at)->next) {
        gap *g = *at;
        const size_t before = align <= UNIT ? 0 : (align - (uintptr_t)g % align) % align;
        if (g->bytes < size || g->bytes - size < before)
            continue;
        const size_t behind = g->bytes - size - before;
        gap *next = g->next;
        if (behind > 0) {
            gap *rest = (gap *)((char *)g + before + size);
            *rest = (gap){behind, next};
            next = rest;
        }
        if (before > 0)
            *g = (gap){before, next};
        else
            *at = next;
        heap.used += size;
        heap.peak = heap.used > heap.peak ? heap.used : heap.peak;
        return (char *)g + before;
    }
    return NULL;
}

static bool touches(const gap *a, const gap *b)
{
    return b && (uintptr_t)a + a->bytes == (uintptr_t)b;
}

static void heap_free(void *ctx, void *p, size_t size, size_t align)
{
    (void)ctx;
    (void)align;
    gap *fresh = p, *before = NULL, *next = heap.first;
    while (next && (uintptr_t)next < (uintptr_t)fresh) {
        before = next;
        next = next->next;
    }
    *fresh = (gap){whole_units(size), next};
    heap.used -= fresh->bytes;
    if (touches(fresh, next))
        *fresh = (gap){fresh->bytes + next->bytes, next->next};
    if (!before) {
        heap.first = fresh;
        return;
    }
    before->next = fresh;
    if (touches(before, fresh))
        *before = (gap){before->bytes + fresh->bytes, fresh->next};
}

const rlx_allocator *rlx_default_allocator(void)
{
    static const rlx_allocator allocator = {NULL, heap_alloc, heap_free};
    return &allocator;
}

void rlxv_default_purge(void)
{
}
