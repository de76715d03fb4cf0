/* The host program of a runtime without an operating system: stores what it provided, and
 * implements the system interface of the runtime (vm/system.h, rlx/memory.h) with it. This is the
 * library's only mutable global state besides the heap. */
#include "vm/bare/bare.h"
#include "vm/need.h"
#include "vm/system.h"

#include <rlx/memory.h>

#include <string.h>

rlx_bare_host rlxv_host;

rlx_status rlx_bare_start(const rlx_bare_host *host, rlx_error *err)
{
    RLXV_NEED(err, host && (host->memory || host->bytes == 0));
    if (rlxv_heap_now().used > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%zu bytes of the last host's memory are in use",
                        rlxv_heap_now().used);
    rlxv_host = (rlx_bare_host){.size = sizeof rlxv_host};
    memcpy(&rlxv_host, host, host->size < sizeof rlxv_host ? host->size : sizeof rlxv_host);
    rlxv_heap_start(rlxv_host.memory, rlxv_host.bytes);
    return RLX_OK;
}

rlx_bare_memory rlx_bare_memory_now(void)
{
    return rlxv_heap_now();
}

bool rlx_bare_entropy(void *out, size_t bytes)
{
    return out && rlxv_host.entropy && rlxv_host.entropy(rlxv_host.user, out, bytes);
}

uint64_t rlxv_now(void)
{
    return rlxv_host.now ? rlxv_host.now(rlxv_host.user) : 0;
}

void rlxv_want_huge_pages(void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}

rlx_memory rlx_memory_now(void)
{
    return (rlx_memory){rlxv_heap_now().largest, "the host's memory"};
}
