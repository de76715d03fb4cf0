/* See system.h. */
#include "vm/system.h"

#include <sys/mman.h>
#include <time.h>

uint64_t rlxv_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void rlxv_want_huge_pages(void *data, size_t bytes)
{
    (void)madvise(data, bytes, MADV_HUGEPAGE);
}
