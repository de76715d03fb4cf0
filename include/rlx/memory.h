/* How much memory is available. Systems overcommit and kill a process that touches more memory than
 * there is, so sizes are compared with the available memory before an allocation. That is the
 * minimum of: the machine's available memory plus free swap; for the process's control group and
 * its parents (versions 1 and 2), the limit minus the use, not counting reclaimable page cache; the
 * limit on the address space (ulimit -v) minus the addresses in use. A sixteenth of the minimum is
 * left to other processes. */
#ifndef RLX_MEMORY_H
#define RLX_MEMORY_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_memory {
    uint64_t available; /* bytes; UINT64_MAX: unknown */
    const char *source; /* where the limit comes from: "the machine", "the control group", ... */
} rlx_memory;

/* Asks the system, which takes 0.05 to 0.4 ms. */
RLX_API rlx_memory rlx_memory_now(void);
/* Errors: LIMIT if less than |bytes| bytes are available; the message names |what| and both
 * numbers. */
RLX_NODISCARD RLX_API rlx_status rlx_memory_check(uint64_t bytes, const char *what, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
