/* An allocator for targets that create a compiler context per input. It keeps large blocks for the
 * next input, because a fresh one costs the sanitizer milliseconds, and limits each input's memory:
 * beyond the limit an input runs out of memory. */
#ifndef RLX_FUZZ_MEMORY_H
#define RLX_FUZZ_MEMORY_H

#include <rlx/base.h>
#include <stdlib.h>

enum { FUZZ_LARGE = 8 << 20 };

static struct {
    size_t live;
    void *kept;
    size_t kept_size;
} fuzz_memory;

static void *fuzz_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (size > ((size_t)1 << 29) - fuzz_memory.live)
        return NULL;
    void *p = NULL;
    if (size >= FUZZ_LARGE && fuzz_memory.kept_size == size) {
        p = fuzz_memory.kept;
        fuzz_memory.kept = NULL;
        fuzz_memory.kept_size = 0;
    } else if (posix_memalign(&p, align, size) != 0) {
        return NULL;
    }
    fuzz_memory.live += size;
    return p;
}

static void fuzz_free(void *user, void *p, size_t size, size_t align)
{
    (void)user;
    (void)align;
    fuzz_memory.live -= size;
    if (size >= FUZZ_LARGE && fuzz_memory.kept == NULL) {
        fuzz_memory.kept = p;
        fuzz_memory.kept_size = size;
        return;
    }
    free(p);
}

static const rlx_allocator fuzz_allocator = {NULL, fuzz_alloc, fuzz_free};

#endif
