/* Shared by the files of the runtime without an operating system: its host and its heap. */
#ifndef RLXV_BARE_H
#define RLXV_BARE_H

#include <rlx/bare.h>

/* host.c: what the host program gave; all zero before it did. */
extern rlx_bare_host rlxv_host;

/* heap.c: the heap over the host's memory. */
void rlxv_heap_start(void *memory, size_t bytes);
rlx_bare_memory rlxv_heap_now(void);

#endif
