/* What the runtime needs from the system besides memory, files and threads: system.c uses Linux,
 * bare/host.c the host program. */
#ifndef RLXV_SYSTEM_H
#define RLXV_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/* Large blocks are whole pages. A system without pages (RLX_BARE) has lines of its cache instead.
 */
#if RLX_BARE
#define RLXV_HUGE_PAGE ((size_t)64)
#define RLXV_SMALL_PAGE ((size_t)64)
#else
#define RLXV_HUGE_PAGE ((size_t)2 << 20)
#define RLXV_SMALL_PAGE ((size_t)4096)
#endif

/* Nanoseconds of a monotonic clock. */
uint64_t rlxv_now(void);
/* Requests huge pages for |bytes| bytes from |data|; only a hint, because not every system or file
   supports them. */
void rlxv_want_huge_pages(void *data, size_t bytes);

#endif
