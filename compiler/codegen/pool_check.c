/* Proves that buffers fit in their memory pools (pool_fit.h). It shares no code with the placement:
 * every mutant of the placement must be detected here. */
#include "compiler/codegen/pool_fit.h"

static bool is_candidate(const rlxc_pool_buffer *b)
{
    for (uint32_t k = 0; k < b->n_pools; k++)
        if (b->pools[k] == b->pool)
            return true;
    return false;
}

static bool is_inside(const rlxc_pool_buffer *b, uint64_t room)
{
    return room == UINT64_MAX || (b->offset <= room && b->bytes <= room - b->offset);
}

static bool overlap(const rlxc_pool_buffer *a, const rlxc_pool_buffer *b)
{
    if (a->bytes == 0 || b->bytes == 0 || a->pool != b->pool || a->last <= b->first ||
        b->last <= a->first)
        return false;
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

bool rlxc_check_pools(const rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                      uint32_t n_pools, uint32_t *out_wrong)
{
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_pool_buffer *b = &buffers[i];
        *out_wrong = i;
        if (b->pool >= n_pools || !is_candidate(b) || b->offset % 64 != 0 ||
            !is_inside(b, room[b->pool]))
            return false;
        for (uint32_t k = 0; k < i && room[b->pool] != UINT64_MAX; k++)
            if (overlap(b, &buffers[k]))
                return false;
    }
    return true;
}
