/* Private to compiler/kernels and the pass that packs constants: the plan of a reduction in
 * register tiles. matmul/tile_plan.c decides, tile*.c emit. */
#ifndef RLXC_KERNELS_MATMUL_TILE_PLAN_H
#define RLXC_KERNELS_MATMUL_TILE_PLAN_H

#include "compiler/kernels/sizes.h"
#include "compiler/schedule/stages.h"

enum { RLXC_NO_AXIS = UINT32_MAX, RLXC_ROW_CHAIN = 5 };

/* A register tile, and the tiles for remaining rows. */
typedef struct rlxc_tile_shape {
    uint32_t registers, nv, mr;
    uint8_t chain[RLXC_ROW_CHAIN]; /* fewer rows at a time, descending, ending in 1 */
    uint32_t borrow; /* bit r: r remaining rows are joined with those of a full tile and go through
                      * the chain together, because the chain's small tiles alone would wait for
                      * memory */
} rlxc_tile_shape;

typedef struct rlxc_tile_plan {
    uint32_t i, j;            /* axes; i may be RLXC_NO_AXIS */
    uint32_t reduce;          /* the only reduction axis, or RLXC_NO_AXIS */
    bool window;              /* k_block divides the last of several reduction axes */
    const rlxc_expr *operand; /* the only load that depends on j; or NULL */
    bool sums;                /* terms are added: parts of the reduction may be summed apart */
    bool contiguous;          /* all operands along j are contiguous, in place or within panels */
    bool gathers;             /* operand can be read in vectors in place, but slowly */
    int64_t panel;            /* width of the operand's panels; 0: not in panels */
    /* sizes (sizes.h) */
    uint32_t vl, nv, mr; /* lanes, vectors and rows of the full tile */
    uint8_t tail[RLXC_ROW_CHAIN];
    uint32_t borrow; /* bit r: see rlxc_tile_shape */
    uint32_t chains;
    uint32_t unroll;   /* elements of the reduction per iteration of a full tile's loop; 0: one */
    bool must_pack;    /* operand is copied for each tile of columns */
    int64_t pack_rows; /* ... if there are at least that many rows, and it is large; 0: never */
    bool near; /* the operand stays in the cache: each block of rows goes through all panels */
    bool
        far; /* it does not, and sums over several axes read it: each panel goes through all rows */
    int64_t fetch, k_block, block;
} rlxc_tile_plan;

/* Whether packing a contiguous operand pays (p.pack_rows): a condition on the extents. */
const rlxc_expr *rlxc_tile_packs(rlxc_context *ctx, const rlxc_stage *stage,
                                 const rlxc_tile_plan *p);
/* Cache lines of a row of the panels; 0: less than one. */
int64_t rlxc_tile_lines(const rlxc_tile_plan *p, rlx_dtype dtype);

/* Chooses axes and sizes for the stage; false if register tiles do not fit it. */
bool rlxc_tile_plan_of(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *out);
/* The plan without blocks of a window. */
void rlxc_tile_without_window(rlxc_tile_plan *p);
/* True if the operand comes from memory: a shared last-level cache hardly keeps it. */
bool rlxc_tile_is_large(const rlxc_stages *s, const rlxc_tile_plan *p);
/* Axes from the stage, everything else from |sizes|; false with a reason (rlxc_decline) if they do
 * not fit it. */
bool rlxc_tile_plan_with(const rlxc_stages *s, const rlxc_stage *stage,
                         const rlxc_tile_sizes *sizes, rlxc_tile_plan *out);

/* How the operand of a stage would be stored in panels: element [row k][column c] of |buffer|, one
 * of the function's parameters, goes to [c / width][k][c % width]; other dimensions stay in front,
 * and columns are padded with zeros to whole panels. Columns that are counted in groups have
 * whole panels for each group. False if that is impossible. */
typedef struct rlxc_panel_layout {
    const rlxc_buffer *buffer;
    uint32_t row, column; /* dimensions of the buffer */
    int64_t width;
    /* the column that is read, panel * width + place; NULL: columns are not in groups */
    const rlxc_expr *grouped, *panel, *place;
} rlxc_panel_layout;
bool rlxc_tile_panel_layout(const rlxc_stages *s, const rlxc_stage *stage, rlxc_panel_layout *out);
/* The columns that |n| columns take in such panels, for results of type |t|, with their padding. */
int64_t rlxc_tile_panel_columns(const rlxc_options *options, rlx_dtype t, int64_t n);

#endif
