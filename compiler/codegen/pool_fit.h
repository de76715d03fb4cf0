/* Places buffers of known sizes in memory pools of limited size. */
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

/* Chooses a pool and an offset for each of |n| buffers; |room| is the size of each pool,
 * UINT64_MAX: no limit. |options| limits the search for better placements; NULL: no search. False
 * if no placement was found, with |misfit| and the pools of the best attempt filled in, or if
 * memory runs out (the context has then failed). */
bool rlxc_fit_pools(rlxc_context *ctx, rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                    const rlxc_layout_options *options, rlxc_pool_misfit *misfit);

/* True if |b| is in use at the point that |misfit| names. */
bool rlxc_is_misfit(const rlxc_pool_buffer *b, const rlxc_pool_misfit *misfit);

/* pool_report.c: reports that the buffers of |function|, whose callees need |below| bytes of
 * |pool|, do not fit, and what is in use at the point that |misfit| names. */
void rlxc_report_misfit(rlxc_context *ctx, const rlxc_pool *pool, const rlxc_pool_misfit *misfit,
                        const char *function, uint64_t below, const rlxc_pool_buffer *buffers,
                        uint32_t n);

/* pool_check.c: an independent proof that each buffer is in one of its pools and inside that pool's
 * size, and that buffers in use at the same time are disjoint. |out_wrong| gets the first buffer
 * that fails. */
bool rlxc_check_pools(const rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                      uint32_t n_pools, uint32_t *out_wrong);

#endif
