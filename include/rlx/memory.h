/* How much memory can be had. Systems hand out addresses without limit and end a process that
   touches more than there is; so sizes are compared with what is left before anything is asked for.

   What is left is the least of: the machine's available memory and free swap; for the process's
   control group and those round it (versions 1 and 2), the limit less the use, page cache that can
   be dropped not counted; the limit on the address space (ulimit -v) less the addresses in use. A
   sixteenth of it is left to others. */
#ifndef RLX_MEMORY_H
#define RLX_MEMORY_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_memory {
    uint64_t available; /* bytes; UINT64_MAX: nothing is known */
    const char *source; /* what says so: "the machine", "the control group", ... */
} rlx_memory;

/* Asks the system: some tens of microseconds. */
RLX_API rlx_memory rlx_memory_now(void);
/* Errors: LIMIT if there are less than |bytes| bytes; the message says for |what|, and both
   numbers. */
RLX_NODISCARD RLX_API rlx_status rlx_memory_check(uint64_t bytes, const char *what, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
