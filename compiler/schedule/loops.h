/* What rules make their loops of, each step under the name that
 * schedules know it by. A rule chooses axes and sizes, puts its stages' expressions at the places
 * that these give (rlxc_replace), and pushes the statements.
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
 * Parts of what a rule makes can have names (rlxc_part), which stand in the printed text. */
#ifndef RLXC_SCHEDULE_LOOPS_H
#define RLXC_SCHEDULE_LOOPS_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"

typedef struct rlxc_schedule rlxc_schedule; /* stages.h */

const rlxc_expr *rlxc_loop_var(rlxc_context *ctx, const char *name);
/* |body| inside a loop over [0, extent). */
const rlxc_stmt *rlxc_loop_of(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *extent,
                              rlxc_loop_kind kind, const rlxc_stmt *body);
/* All of whose iterations are work alike, but for smaller ones at the end: worth threads where all
 * of them are. Without |threads|: serial. */
const rlxc_stmt *rlxc_parallel_loop(rlxc_context *ctx, const rlxc_expr *var,
                                    const rlxc_expr *extent, bool threads, const rlxc_stmt *body);
/* The loop, with the annotation |name|: 1 beside those it has. */
const rlxc_stmt *rlxc_annotated(rlxc_context *ctx, const rlxc_stmt *loop, const char *name);
/* A sum whose terms may be added in another order. */
const rlxc_stmt *rlxc_reassociable(rlxc_context *ctx, const rlxc_stmt *loop);

/* A loop that code generation does not unroll: where its iterations together need more registers
 * than there are. */
const rlxc_stmt *rlxc_rolled(rlxc_context *ctx, const rlxc_stmt *loop);

/* A hint: the line of memory of this element is read soon. */
const rlxc_stmt *rlxc_fetch(rlxc_context *ctx, const rlxc_expr *load);

/* The number of parts of |size| that cover |extent|, and the size of the one that begins at
 * |first|: the last may be smaller. */
const rlxc_expr *rlxc_split_count(rlxc_context *ctx, const rlxc_expr *extent, int64_t size);
const rlxc_expr *rlxc_split_size(rlxc_context *ctx, const rlxc_expr *extent, const rlxc_expr *first,
                                 int64_t size);

/* Appends var = value, so that it is computed and written once; constants and variables are used as
 * they are. */
const rlxc_expr *rlxc_named(rlxc_schedule *to, const char *name, const rlxc_expr *value);

/* Rows in tiles, then in smaller tiles: a rule goes down its sizes, most positions first, and stops
 * after 1. The first step names how many whole tiles of |size| there are (or |count|, not more than
 * that; NULL: all), the second appends the loop over them, or the body alone where it is one, and
 * takes them off |rest|. */
typedef struct rlxc_rest { /* positions from |first| on that no tile has yet */
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
/* The same memory as |size| elements of another type, along one dimension, declared. */
rlxc_buffer *rlxc_view(rlxc_schedule *c, const char *name, const rlxc_buffer *of, rlx_dtype dtype,
                       const rlxc_expr *size);
/* All that has been pushed, as one statement. */
const rlxc_stmt *rlxc_body_of(const rlxc_schedule *c);
/* The statement as a block that only has a name; pass schedule takes it out again. */
const rlxc_stmt *rlxc_part(rlxc_context *ctx, const char *name, const rlxc_stmt *body);

#endif
