/* Building blocks of the rules' loops, listed by schedule primitive. A rule chooses axes and sizes,
 * substitutes them into its stages' expressions (rlxc_replace), and pushes the statements.
 *
 *     fuse                   rlxc_merge_axes (stages.h)
 *     split                  rlxc_split_axis (stages.h); rlxc_split_count, rlxc_split_size;
 *                            rlxc_take_tiles, rlxc_close_tiles
 *     reorder                rlxc_loop_of from the inside out, in the order wanted
 *     vectorize, unroll      rlxc_over_tile
 *     parallel               rlxc_parallel_loop
 *     cache_read, cache_write  rlxc_local_buffer, and loops that fill it
 *     compute_at             rlxc_epilogue_value (stages.h)
 *
 * Parts of a rule's result can have names (rlxc_part), which appear in the printed text. */
#ifndef RLXC_SCHEDULE_LOOPS_H
#define RLXC_SCHEDULE_LOOPS_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"

typedef struct rlxc_schedule rlxc_schedule; /* stages.h */

const rlxc_expr *rlxc_loop_var(rlxc_context *ctx, const char *name);
/* |body| inside a loop over [0, extent). */
const rlxc_stmt *rlxc_loop_of(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *extent,
                              rlxc_loop_kind kind, const rlxc_stmt *body);
/* A parallel loop of iterations with equal work, except smaller ones at the end. Without |threads|:
 * serial. */
const rlxc_stmt *rlxc_parallel_loop(rlxc_context *ctx, const rlxc_expr *var,
                                    const rlxc_expr *extent, bool threads, const rlxc_stmt *body);
/* The loop with the additional annotation |name|: 1. */
const rlxc_stmt *rlxc_annotated(rlxc_context *ctx, const rlxc_stmt *loop, const char *name);
/* Marks a sum whose terms may be reordered. */
const rlxc_stmt *rlxc_reassociable(rlxc_context *ctx, const rlxc_stmt *loop);

/* Marks a loop that code generation must not unroll, because its iterations together need more
 * registers than there are. */
const rlxc_stmt *rlxc_rolled(rlxc_context *ctx, const rlxc_stmt *loop);

/* Prefetches the cache line of this element. */
const rlxc_stmt *rlxc_fetch(rlxc_context *ctx, const rlxc_expr *load);

/* The number of parts of |size| that cover |extent|, and the size of the part at |first|: the last
 * may be smaller. */
const rlxc_expr *rlxc_split_count(rlxc_context *ctx, const rlxc_expr *extent, int64_t size);
const rlxc_expr *rlxc_split_size(rlxc_context *ctx, const rlxc_expr *extent, const rlxc_expr *first,
                                 int64_t size);

/* Appends var = value, so that it is computed once; constants and variables are used directly. */
const rlxc_expr *rlxc_named(rlxc_schedule *to, const char *name, const rlxc_expr *value);

/* Splits rows into tiles, then smaller tiles: a rule goes through its sizes in descending order,
 * down to 1. The first function binds the number of whole tiles of |size| (at most |count|; NULL:
 * all), the second appends the loop over them, or the body alone for one tile, and subtracts them
 * from |rest|. */
typedef struct rlxc_rest { /* positions from |first| on, not yet in a tile */
    const rlxc_expr *first, *left;
} rlxc_rest;
typedef struct rlxc_tiles {
    int64_t size;
    const rlxc_expr *count, *index, *first; /* of the tile being emitted: its first position */
} rlxc_tiles;
rlxc_tiles rlxc_take_tiles(rlxc_schedule *to, const rlxc_rest *rest, int64_t size,
                           const rlxc_expr *count);
void rlxc_close_tiles(rlxc_schedule *to, rlxc_rest *rest, const rlxc_tiles *tiles,
                      const rlxc_stmt *body);

typedef struct rlxc_point { /* loop variables inside a tile of vectors: row, vector, lane */
    const rlxc_expr *m, *v, *l;
} rlxc_point;
rlxc_point rlxc_new_point(rlxc_context *ctx);
/* The point's column in the tile, whose vectors have |vl| lanes. */
const rlxc_expr *rlxc_point_column(rlxc_context *ctx, const rlxc_point *at, uint32_t vl);
/* Loops over |mr| rows (0: no such loop) of |nv| vectors: unrolled, with vector lanes inside, or
 * (|serial|) serial over rows and vectors, for longer bodies. */
const rlxc_stmt *rlxc_over_tile(rlxc_context *ctx, const rlxc_point *at, uint32_t mr, int64_t nv,
                                uint32_t vl, bool serial, const rlxc_stmt *body);

/* ALLOCATE + DECL_BUFFER of a new buffer, pushed to c->out. */
rlxc_buffer *rlxc_local_buffer(rlxc_schedule *c, const char *name, rlx_dtype dtype,
                               const rlxc_expr *const *shape, uint32_t n);
/* DECL_BUFFER of a buffer that shares another's storage. */
void rlxc_declare(rlxc_schedule *c, rlxc_buffer *view);
/* Declares the same memory as |size| elements of another type, in one dimension. */
rlxc_buffer *rlxc_view(rlxc_schedule *c, const char *name, const rlxc_buffer *of, rlx_dtype dtype,
                       const rlxc_expr *size);
/* All pushed statements as one. */
const rlxc_stmt *rlxc_body_of(const rlxc_schedule *c);
/* Wraps the statement in a block that only names it; pass schedule removes it. */
const rlxc_stmt *rlxc_part(rlxc_context *ctx, const char *name, const rlxc_stmt *body);

#endif
