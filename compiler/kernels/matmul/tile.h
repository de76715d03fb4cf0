/* Private to the two files that emit register tiles: tile.c goes over the tiles,
 * tile_body.c emits what happens in one. */
#ifndef RLXC_KERNELS_MATMUL_TILE_H
#define RLXC_KERNELS_MATMUL_TILE_H

#include "compiler/kernels/matmul/tile_plan.h"

enum { RLXC_MOST_LINES = 8 };

typedef struct rlxc_tiler {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_stage *s, *epilogue;
    rlxc_tile_plan p;
    const struct rlxc_sliding *sliding; /* the stage is such a window; NULL: it is not */
    const struct rlxc_sliding *border;  /* ... is a sum that skips elements off the image */
    bool small;                         /* no threads */
    rlxc_buffer *acc, *tile;            /* tile in memory; NULL until needed */
    rlxc_buffer *packed;                /* of the operand: [reduction][columns of a tile] */
    rlxc_buffer *partial;        /* sums of the blocks of the reduction before: [row][column] */
    const rlxc_expr *row, *rows; /* the block of rows being emitted: its first, their number */
    const rlxc_expr *size;       /* rows of a block */
    const rlxc_expr *packs;      /* whether the operand is packed; NULL: p.must_pack says so */
    /* of panels with rows of one line: whether one tile, or nearly so, has all rows; elements of
     * what is read next that are fetched for each row of the result */
    const rlxc_expr *alone, *share;
    /* the block of the reduction (p.k_block): its number, how many, its first element, their number
     */
    const rlxc_expr *block, *blocks, *first, *count;
    /* of a window: the first of the points of the outer axes in this piece and their number; where
     * the rows of the current point begin in |partial|; the panels of the next piece and of the
     * next block, and the elements of the reduction axes where that begins */
    const rlxc_expr *outer, *outers, *place, *piece_panel, *next_panel;
    const rlxc_expr *next[RLXC_STAGE_AXES];
    const rlxc_expr *values[RLXC_STAGE_AXES]; /* values of the axes: loop variables of the outer
                                               * loops */
} rlxc_tiler;

/* Ranges of the reduction axes: first element and count; NULL: the whole axis. */
typedef struct rlxc_tile_ranges {
    const rlxc_expr *first[RLXC_STAGE_AXES], *count[RLXC_STAGE_AXES];
} rlxc_tile_ranges;

typedef struct rlxc_tile { /* a register tile at a position of the result */
    uint32_t mr, nv, vl;
    const rlxc_expr *i0, *j0;
    const rlxc_expr *valid; /* columns that exist; NULL: all */
    /* of the operand's panels, lines are fetched along with each row of the sums: from the row that
     * is so many ahead of the first one, and from that column on, which moves on by the step; NULL:
     * none are fetched */
    const rlxc_expr *ahead, *ahead_column, *ahead_step;
    uint32_t ahead_lines; /* at a time, at most RLXC_MOST_LINES, parts of the step apart */
    const rlxc_tile_ranges *ranges; /* ranges of the sum; NULL: all of each axis */
    const rlxc_expr *guard; /* condition on the stage's axes: elements that fail it add nothing */
    /* The results stay in t->tile from this row on, for rlxc_tile_finish; NULL: they are written.
     */
    const rlxc_expr *kept;
} rlxc_tile;

/* Register tiles for the stage; |epilogue| is the stage over the result or NULL. The first function
 * chooses sizes for the target, the second emits loops of given sizes; false with a reason if
 * tiles, or these sizes, do not fit the stage. */
bool rlxc_decide_tiles(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue,
                       rlxc_tile_sizes *out);
bool rlxc_schedule_tile(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue,
                        const rlxc_tile_sizes *sizes);

/* True if the work is certainly small: not worth a function for threads. */
bool rlxc_tile_is_small(const rlxc_stage *s);

/* Appends fresh temporaries to t->c->out: threads share none. |rows| is the most rows that a thread
 * computes between two blocks of the reduction. */
void rlxc_tile_locals(rlxc_tiler *t, int64_t width, int64_t rows);
/* Copies the operand's columns j0 .. j0 + width; columns from |valid| on are zero. */
const rlxc_stmt *rlxc_tile_pack(rlxc_tiler *t, const rlxc_tile *q);
/* Emits the sums of one tile and their epilogue. */
const rlxc_stmt *rlxc_tile_body(rlxc_tiler *t, const rlxc_tile *q);
/* True if the tiles of the last rows should keep their results: the epilogue is long. */
bool rlxc_tile_keeps(const rlxc_tiler *t);
/* The epilogue of the |rows| rows that tiles at |q| and below it have kept. */
const rlxc_stmt *rlxc_tile_finish(rlxc_tiler *t, const rlxc_tile *q, const rlxc_expr *rows);

/* Rows of the panel from what is read now to what is read next: the blocks of the reduction, and
 * the panels, follow each other. */
int64_t rlxc_tile_distance(const rlxc_tiler *t);

static inline const rlxc_expr *rlxc_tile_num(rlxc_tiler *t, int64_t value)
{
    return rlxc_i64(t->ctx, value);
}

static inline const rlxc_expr *rlxc_tile_plus(rlxc_tiler *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(t->ctx, a, b);
}

static inline const rlxc_expr *rlxc_tile_times(rlxc_tiler *t, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(t->ctx, a, rlxc_i64(t->ctx, b));
}

#endif
