/* The error of a plan that does not fit into its memory pools. */
#include "compiler/codegen/pool_fit.h"

enum { MOST_NOTES = 24 };

static void note_alive(rlxc_context *ctx, const rlxc_pool_misfit *misfit,
                       const rlxc_pool_buffer *buffers, uint32_t n)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_pool_buffer *b = &buffers[i];
        if (!rlxc_is_misfit(b, misfit) || alive++ >= MOST_NOTES)
            continue;
        rlxc_note(ctx, b->range, "in use there: %s, %llu bytes", b->what ? b->what : "memory",
                  (unsigned long long)b->bytes);
    }
    if (alive > MOST_NOTES)
        rlxc_note(ctx, buffers[misfit->buffer].range, "and %u more", alive - MOST_NOTES);
}

void rlxc_report_misfit(rlxc_context *ctx, const rlxc_pool *pool, const rlxc_pool_misfit *misfit,
                        const char *function, uint64_t below, const rlxc_pool_buffer *buffers,
                        uint32_t n)
{
    const char *callees = below == 0
                              ? ""
                              : rlxc_internf(ctx, ", and the functions that it calls need %llu",
                                             (unsigned long long)below);
    rlxc_error(ctx, buffers[misfit->buffer].range,
               "memory pool '%s' has %llu bytes, '%s' needs %llu%s; at its peak, here, %llu are in "
               "use at once",
               pool->name, (unsigned long long)pool->size, function,
               (unsigned long long)misfit->peak, callees, (unsigned long long)misfit->alive);
    note_alive(ctx, misfit, buffers, n);
}
