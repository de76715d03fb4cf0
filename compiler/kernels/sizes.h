/* The sizes that rules decide: what a tensorize or rewrite step carries (schedule/step.h),
 * everything that a rule's emission needs besides the block itself. One list per rule, one row per
 * size:
 *
 *     X(name, least, most, doc)
 *
 * A list gives a struct rlxc_RULE_sizes of int64_t with a field for each row, in order. Lists are
 * checked against these bounds before a rule sees them; the rule checks relations between sizes. 0
 * and 1 mean no and yes. A 0 ends a list of tiles. */
#ifndef RLXC_KERNELS_SIZES_H
#define RLXC_KERNELS_SIZES_H

#include "compiler/ir/relax.h"

enum { RLXC_MAX_SIZES = 32, RLXC_MOST_CHAINS = 8 };

#define RLXC_TILE_SIZES(X)                                                                   \
    X(lanes, 1, 64, "lanes of a vector")                                                     \
    X(vectors, 1, 8, "vectors of a tile, along the columns")                                 \
    X(rows, 1, 32, "rows of a tile")                                                         \
    X(tail1, 0, 32, "rows left over go in tiles of fewer rows, descending, to 1")            \
    X(tail2, 0, 32, "the next smaller tile")                                                 \
    X(tail3, 0, 32, "the next smaller tile")                                                 \
    X(tail4, 0, 32, "the next smaller tile")                                                 \
    X(tail5, 0, 32, "the next smaller tile")                                                 \
    X(borrow, 0, UINT32_MAX, "bit r: r rows left over and those of a full tile go together") \
    X(block, 1, 4096, "rows of a parallel piece")                                            \
    X(k_block, 0, INT32_MAX, "elements of the reduction at a time; 0: all")                  \
    X(pack, 0, 65536,                                                                        \
      "from that many rows on the operand is copied for each tile of columns; 0: never")     \
    X(fetch, 0, INT32_MAX, "rows ahead of the sums at which the panel is fetched; 0: not")   \
    X(rows_first, 0, 1, "neighbouring pieces are columns of one block of rows")              \
    X(chains, 1, RLXC_MOST_CHAINS, "independent sums, at least, where a tile has fewer")     \
    X(epilogue, 0, 1, "the block behind it runs on each tile")                               \
    X(threads, 0, 1, "pieces may run on several threads")

#define RLXC_SLIDING_SIZES(X)                                                        \
    X(lanes, 1, 64, "lanes of a vector of channels")                                 \
    X(columns, 1, 32, "columns of a tile")                                           \
    X(tail, 1, 32, "columns of the tiles for what is left over")                     \
    X(guarded, 0, 64, "tiles that see the border, at most, emitted for their place") \
    X(group, 1, 32, "vectors of channels that share the columns at the border")      \
    X(band, 1, INT32_MAX, "rows of a parallel piece")                                \
    X(epilogue, 0, 1, "the block behind it runs on each tile")                       \
    X(threads, 0, 1, "pieces may run on several threads")

#define RLXC_ATTENTION_SIZES(X)                                           \
    X(lanes, 1, 64, "lanes of a vector of queries")                       \
    X(vectors, 1, 8, "vectors of a block of queries")                     \
    X(rows, 1, 32, "keys, or elements of values, of a tile")              \
    X(tail_rows, 1, 32, "the same for blocks of one vector of queries")   \
    X(keys, 1, 4096, "keys of a block")                                   \
    X(keys_alone, 1, 65536, "keys of a block for queries that run alone") \
    X(alone, 0, 64, "that many queries left over, at most, run alone")

#define RLXC_WINOGRAD_SIZES(X)                                 \
    X(lanes, 1, 64, "lanes of a vector of channels")           \
    X(tiles, 1, 4096, "tiles of a block")                      \
    X(epilogue, 0, 1, "the block behind it runs on each tile") \
    X(tiled, 0, 1, "the product is tiled (product_NAME), else row by row")

#define RLXC_QUANT_SIZES(X)                                                            \
    X(lanes, 1, 64, "lanes of a vector")                                               \
    X(rows1, 1, 32, "rows of a tile")                                                  \
    X(vectors1, 1, 8, "its vectors, along the columns")                                \
    X(rows2, 0, 32, "rows of the next smaller tile")                                   \
    X(vectors2, 0, 8, "its vectors")                                                   \
    X(rows3, 0, 32, "rows of the next smaller tile")                                   \
    X(vectors3, 0, 8, "its vectors")                                                   \
    X(rows4, 0, 32, "rows of the next smaller tile")                                   \
    X(vectors4, 0, 8, "its vectors")                                                   \
    X(rows5, 0, 32, "rows of the next smaller tile")                                   \
    X(vectors5, 0, 8, "its vectors")                                                   \
    X(block, 1, INT32_MAX, "rows of a parallel piece")                                 \
    X(row_bits, 0, 24, "bits that few rows are rounded to, in integers; 0: in floats") \
    X(int_rows, 0, 32, "up to so many rows are rounded")                               \
    X(span, 1, 4096, "blocks of the row that share a scale")                           \
    X(unroll, 1, 64, "words at a time, of one row in integers")                        \
    X(epilogue, 0, 1, "the block behind it runs on each tile")                         \
    X(threads, 0, 1, "pieces may run on several threads")

#define RLXC_INT8_GEMM_SIZES(X)                                 \
    X(lanes, 1, 64, "lanes of a vector")                        \
    X(rows1, 1, 32, "rows of a tile")                           \
    X(vectors1, 1, 8, "its vectors, along the columns")         \
    X(rows2, 0, 32, "rows of the next smaller tile")            \
    X(vectors2, 0, 8, "its vectors")                            \
    X(rows3, 0, 32, "rows of the next smaller tile")            \
    X(vectors3, 0, 8, "its vectors")                            \
    X(bytes, 0, 1, "four products of bytes, else two of int16") \
    X(epilogue, 0, 1, "the block behind it runs on each tile")  \
    X(threads, 0, 1, "pieces may run on several threads")

#define RLXC_INT8_CONV_SIZES(X)                                                    \
    X(lanes, 1, 64, "lanes of a vector")                                           \
    X(rows1, 1, 8, "pixels of a tile")                                             \
    X(rows2, 0, 8, "pixels of the next smaller tile")                              \
    X(rows3, 0, 8, "pixels of the next smaller tile")                              \
    X(block, 1, INT32_MAX, "pixels of a parallel piece")                           \
    X(panels_first, 0, 1, "neighbouring pieces are panels of one block of pixels") \
    X(minimal, 0, 1, "two pixels of a line take four products for six")            \
    X(epilogue, 0, 1, "the block behind it runs on each tile")                     \
    X(threads, 0, 1, "pieces may run on several threads")

#define RLXC_ROWS_SIZES(X)                                                         \
    X(blocks, 1, 16, "blocks that run together, row by row")                       \
    X(shared, 0, 16, "their common leading axes; 0 for one block")                 \
    X(transpose, 0, 64, "rows and columns of a block of a transposition; 0: none") \
    X(fuse, 0, 1, "the two outermost loops become one")                            \
    X(unroll, 0, 256, "iterations of a reduction that are unrolled, at most")      \
    X(threads, 0, 1, "rows may run on several threads")

/* Minimal filtering multiplies by tiles of their own, whose sizes follow as product_NAME. */
#define RLXC_SIZE_FIELD(name, least, most, doc) int64_t name;
#define RLXC_SIZES_STRUCT(rule, rows)    \
    typedef struct rlxc_##rule##_sizes { \
        rows(RLXC_SIZE_FIELD)            \
    } rlxc_##rule##_sizes
RLXC_SIZES_STRUCT(tile, RLXC_TILE_SIZES);
RLXC_SIZES_STRUCT(sliding, RLXC_SLIDING_SIZES);
RLXC_SIZES_STRUCT(attention, RLXC_ATTENTION_SIZES);
RLXC_SIZES_STRUCT(quant, RLXC_QUANT_SIZES);
RLXC_SIZES_STRUCT(int8_gemm, RLXC_INT8_GEMM_SIZES);
RLXC_SIZES_STRUCT(int8_conv, RLXC_INT8_CONV_SIZES);
RLXC_SIZES_STRUCT(rows, RLXC_ROWS_SIZES);
typedef struct rlxc_winograd_sizes {
    RLXC_WINOGRAD_SIZES(RLXC_SIZE_FIELD)
    rlxc_tile_sizes product;
} rlxc_winograd_sizes;

/* Sizes within their bounds, where there are no tiles. */
#define RLXC_SIZE_LEAST(name, least, most, doc) .name = least,
#define RLXC_NO_TILES ((rlxc_tile_sizes){RLXC_TILE_SIZES(RLXC_SIZE_LEAST)})

/* One size of a rule, and the rows of all of them. */
typedef struct rlxc_size_row {
    const char *name;
    int64_t least, most;
    const char *doc;
} rlxc_size_row;

#endif
