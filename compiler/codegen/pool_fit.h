/* Buffers of known sizes into memory pools of limited size. */
#ifndef RLXC_CODEGEN_POOL_FIT_H
#define RLXC_CODEGEN_POOL_FIT_H

#include "compiler/analysis/layout.h"
#include "compiler/ir/pool.h"

enum { RLXC_POOL_NONE = 0xff };

typedef struct rlxc_pool_buffer {
    uint32_t first, last; /* in use from |first| up to, not including, |last| */
    uint64_t bytes;       /* a multiple of RLX_PLAN_ALIGN, at most 2^47 */
    const uint8_t *pools; /* that may hold it, the preferred one first */
    uint32_t n_pools;     /* at least 1 */
    uint8_t pool;         /* chosen */
    uint64_t offset;      /* in it; 0 in a pool without a limit */
    const char *what;     /* for messages; NULL: memory */
    rlxc_range range;
} rlxc_pool_buffer;

typedef struct rlxc_pool_misfit { /* why they do not fit */
    uint32_t buffer;              /* that was placed last */
    uint8_t pool;                 /* its last candidate */
    uint64_t peak;                /* bytes that the pool would need */
    uint32_t time;                /* when most of the pool's buffers are in use */
    uint64_t alive;               /* bytes of these */
} rlxc_pool_misfit;

/* Chooses pool and offset of each of |n| buffers; |room| is the size of each pool,
 * UINT64_MAX: no limit. |options|: how long better ways are searched; NULL: not at all. False if no
 * way was found, with |misfit| and the pools of the best try filled in, or if memory is out (the
 * context is then failed). */
bool rlxc_fit_pools(rlxc_context *ctx, rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                    const rlxc_layout_options *options, rlxc_pool_misfit *misfit);

/* True if |b| is one of those in use at the moment that |misfit| names. */
bool rlxc_is_misfit(const rlxc_pool_buffer *b, const rlxc_pool_misfit *misfit);

/* pool_report.c: the error that says so, of |function|, whose callees need |below| bytes of |pool|,
 * and what is in use at the moment that |misfit| names. */
void rlxc_report_misfit(rlxc_context *ctx, const rlxc_pool *pool, const rlxc_pool_misfit *misfit,
                        const char *function, uint64_t below, const rlxc_pool_buffer *buffers,
                        uint32_t n);

/* pool_check.c: an independent proof: each buffer is in one of its pools, inside its room, and
 * buffers that are in use at once are disjoint. Names the first that is not in |out_wrong|. */
bool rlxc_check_pools(const rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                      uint32_t n_pools, uint32_t *out_wrong);

#endif
