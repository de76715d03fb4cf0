/* The sizes that rules decide. A tensorize or rewrite step (schedule/step.h) carries them; they are
 * all that a rule needs, besides the block itself, to emit its loops. One list per rule, one row
 * per size:
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

/* Rows that several lists share. */
#define RLXC_SIZE_EPILOGUE(X) X(epilogue, 0, 1, "the block behind it runs on each tile")
#define RLXC_SIZE_PART_EPILOGUE(X) \
    X(epilogue, 0, 1, "the block behind it runs on each thread's part")
#define RLXC_SIZE_PARALLEL(X) X(threads, 0, 1, "pieces may run on several threads")
#define RLXC_SIZE_BLOCK_THREADS(X) X(threads, 1, 1024, "threads of a block")
#define RLXC_SIZES_THREE_TILES(X)                       \
    X(lanes, 1, 64, "lanes of a vector")                \
    X(rows1, 1, 32, "rows of a tile")                   \
    X(vectors1, 1, 8, "its vectors, along the columns") \
    X(rows2, 0, 32, "rows of the next smaller tile")    \
    X(vectors2, 0, 8, "its vectors")                    \
    X(rows3, 0, 32, "rows of the next smaller tile")    \
    X(vectors3, 0, 8, "its vectors")
#define RLXC_SIZES_OF_A_LOOP(X)                        \
    X(fuse, 0, 1, "the two outermost loops are fused") \
    X(unroll, 0, 256, "maximum number of unrolled reduction iterations")

#define RLXC_TILE_SIZES(X)                                                                       \
    X(lanes, 1, 64, "lanes of a vector")                                                         \
    X(vectors, 1, 8, "vectors of a tile, along the columns")                                     \
    X(rows, 1, 32, "rows of a tile")                                                             \
    X(tail1, 0, 32, "remaining rows run in tiles of fewer rows, descending to 1")                \
    X(tail2, 0, 32, "the next smaller tile")                                                     \
    X(tail3, 0, 32, "the next smaller tile")                                                     \
    X(tail4, 0, 32, "the next smaller tile")                                                     \
    X(tail5, 0, 32, "the next smaller tile")                                                     \
    X(borrow, 0, UINT32_MAX, "bit r: r remaining rows are merged with a full tile")              \
    X(block, 1, 4096, "rows of a parallel piece")                                                \
    X(k_block, 0, INT32_MAX, "reduction elements per block, of a window the last axis'; 0: all") \
    X(pack, 0, 65536,                                                                            \
      "the operand is packed per tile of columns from this many rows on; 0: never")              \
    X(fetch, 0, INT32_MAX, "rows by which a tile alone prefetches the panel; 0: not prefetched") \
    X(rows_first, 0, 1, "adjacent pieces are columns of one block of rows")                      \
    X(panel_first, 0, 1, "adjacent pieces are rows of all outer axes that read one panel")       \
    X(chains, 1, RLXC_MOST_CHAINS, "minimum number of independent sums")                         \
    X(unroll, 0, RLXC_MOST_CHAINS,                                                               \
      "reduction elements per iteration of a full tile's loop; 0: one")                          \
    RLXC_SIZE_EPILOGUE(X)                                                                        \
    RLXC_SIZE_PARALLEL(X)

#define RLXC_SLIDING_SIZES(X)                                                      \
    X(lanes, 1, 64, "lanes of a vector of channels")                               \
    X(columns, 1, 32, "columns of a tile")                                         \
    X(tail, 1, 32, "columns of the tiles for the remainder")                       \
    X(rest_columns, 0, 32,                                                         \
      "columns of a tile after the last full vector of channels; 0: as before it") \
    X(guarded, 0, 64, "maximum number of border tiles emitted for their position") \
    X(group, 1, 32, "vectors of channels processed together at the border")        \
    X(band, 1, INT32_MAX, "rows of a parallel piece")                              \
    RLXC_SIZE_EPILOGUE(X)                                                          \
    RLXC_SIZE_PARALLEL(X)

#define RLXC_ATTENTION_SIZES(X)                                                \
    X(lanes, 1, 64, "lanes of a vector of queries")                            \
    X(vectors, 0, 8, "vectors of a block of queries; 0: one in all blocks")    \
    X(rows, 1, 32, "keys, or elements of values, of a tile")                   \
    X(tail_rows, 1, 32, "the same for blocks of one vector of queries")        \
    X(keys, 1, 4096, "keys of a block")                                        \
    X(keys_alone, 1, 65536, "keys of a block for queries that run one by one") \
    X(alone, 0, 64, "maximum number of remaining queries that run one by one")

#define RLXC_WINOGRAD_SIZES(X)                       \
    X(lanes, 1, 64, "lanes of a vector of channels") \
    X(tiles, 1, 4096, "tiles of a block")            \
    RLXC_SIZE_EPILOGUE(X)                            \
    X(tiled, 0, 1, "the product is tiled (product_NAME), else row by row")

#define RLXC_QUANT_SIZES(X)                                                             \
    RLXC_SIZES_THREE_TILES(X)                                                           \
    X(rows4, 0, 32, "rows of the next smaller tile")                                    \
    X(vectors4, 0, 8, "its vectors")                                                    \
    X(rows5, 0, 32, "rows of the next smaller tile")                                    \
    X(vectors5, 0, 8, "its vectors")                                                    \
    X(block, 1, INT32_MAX, "rows of a parallel piece")                                  \
    X(converted, 0, INT32_MAX, "rows of a piece from which weights are converted once") \
    X(row_bits, 0, 24, "integer bits that small row counts are rounded to; 0: floats")  \
    X(int_rows, 0, 32, "maximum number of rounded rows")                                \
    X(chunks, 0, 1, "more rows are rounded as well, so many at a time")                 \
    X(span, 1, 4096, "blocks of the row that share a scale")                            \
    X(unroll, 1, 64, "words processed at a time, for one integer row")                  \
    RLXC_SIZE_EPILOGUE(X)                                                               \
    RLXC_SIZE_PARALLEL(X)

#define RLXC_INT8_GEMM_SIZES(X)                                               \
    RLXC_SIZES_THREE_TILES(X)                                                 \
    X(bytes, 0, 1, "1: sums of four byte products, 0: of two int16 products") \
    RLXC_SIZE_EPILOGUE(X)                                                     \
    RLXC_SIZE_PARALLEL(X)

#define RLXC_INT8_CONV_SIZES(X)                                                \
    X(lanes, 1, 64, "lanes of a vector")                                       \
    X(rows1, 1, 8, "pixels of a tile")                                         \
    X(rows2, 0, 8, "pixels of the next smaller tile")                          \
    X(rows3, 0, 8, "pixels of the next smaller tile")                          \
    X(block, 1, INT32_MAX, "pixels of a parallel piece")                       \
    X(panels_first, 0, 1, "adjacent pieces are panels of one block of pixels") \
    X(minimal, 0, 1, "two pixels of a line take four products for six")        \
    RLXC_SIZE_EPILOGUE(X)                                                      \
    RLXC_SIZE_PARALLEL(X)

#define RLXC_ROWS_SIZES(X)                                                   \
    X(blocks, 1, 16, "blocks fused row by row")                              \
    X(shared, 0, 16, "number of their common leading axes; 0 for one block") \
    RLXC_SIZES_OF_A_LOOP(X)                                                  \
    X(lanes, 0, 64, "of explicit vectors: look-ups, short gathered rows")    \
    X(threads, 0, 1, "rows may run on several threads")

#define RLXC_SINGLE_SIZES(X)                                                       \
    X(transpose, 0, 64, "rows and columns of a block of a transposition; 0: none") \
    RLXC_SIZES_OF_A_LOOP(X)                                                        \
    X(threads, 0, 1, "rows may run on several threads")

#define RLXC_THREADS_SIZES(X)                              \
    RLXC_SIZE_BLOCK_THREADS(X)                             \
    X(blocks, 0, 1, "their blocks share out the elements") \
    X(lines, 0, 1, "a block's elements are neighbours along the last axis")

#define RLXC_PRODUCT_SIZES(X)                                                \
    X(threads_y, 1, 1024, "threads of a block along the rows")               \
    X(threads_x, 1, 1024, "threads of a block along the columns")            \
    X(rows, 1, 16, "rows of a thread")                                       \
    X(columns, 1, 16, "columns of a thread, threads_x apart")                \
    X(terms, 1, 256, "terms of the sums whose factors are in shared memory") \
    RLXC_SIZE_PART_EPILOGUE(X)

#define RLXC_VECTORS_SIZES(X)                    \
    X(lanes, 2, 16, "lanes of a vector")         \
    X(vectors, 1, 8, "vectors of a tile's rows") \
    X(rows, 1, 16, "rows of a tile")             \
    RLXC_SIZE_EPILOGUE(X)

#define RLXC_TENSOR_SIZES(X)                                                 \
    X(warps_y, 1, 16, "warps of a block along the rows")                     \
    X(warps_x, 1, 16, "warps of a block along the columns")                  \
    X(rows, 1, 8, "tiles of 16 rows of a warp")                              \
    X(columns, 1, 16, "tiles of 8 columns of a warp")                        \
    X(terms, 1, 8, "instructions' terms whose factors are in shared memory") \
    RLXC_SIZE_PART_EPILOGUE(X)                                               \
    X(ahead, 0, 4, "pieces of the terms that are copied ahead")

#define RLXC_TEAM_SIZES(X)                                  \
    X(blocks, 1, 16, "blocks that run together row by row") \
    X(shared, 0, 16, "number of their common leading axes") \
    X(threads, 1, 1024, "threads of a row")                 \
    X(second, 0, 64, "threads that reduce the threads' results first; 0: one does it")

#define RLXC_FLASH_SIZES(X) X(queries, 1, 1024, "queries of a block, a thread each")

#define RLXC_COLUMNS_SIZES(X)                                   \
    X(threads, 1, 1024, "threads of a block along the columns") \
    X(parts, 1, 1024, "threads that share the terms of a column")

#define RLXC_WINDOWS_SIZES(X)                                          \
    X(neighbours, 1, 16, "elements of a thread, neighbours in a line") \
    RLXC_SIZE_BLOCK_THREADS(X)                                         \
    X(lines, 1, 64, "lines that a block of one thread goes through")   \
    X(lanes, 0, 1, "the neighbours are lanes of a vector")             \
    RLXC_SIZE_PART_EPILOGUE(X)

#define RLXC_SCATTER_SIZES(X)  \
    RLXC_SIZE_BLOCK_THREADS(X) \
    X(owners, 1, 65536, "shares of the dimensions that indices touch; 1: one")

/* The rules whose list stands above as it is, and the lists. */
#define RLXC_SIZE_LISTS(X)             \
    X(tile, RLXC_TILE_SIZES)           \
    X(sliding, RLXC_SLIDING_SIZES)     \
    X(attention, RLXC_ATTENTION_SIZES) \
    X(quant, RLXC_QUANT_SIZES)         \
    X(int8_gemm, RLXC_INT8_GEMM_SIZES) \
    X(int8_conv, RLXC_INT8_CONV_SIZES) \
    X(rows, RLXC_ROWS_SIZES)           \
    X(single, RLXC_SINGLE_SIZES)       \
    X(threads, RLXC_THREADS_SIZES)     \
    X(team, RLXC_TEAM_SIZES)           \
    X(product, RLXC_PRODUCT_SIZES)     \
    X(vectors, RLXC_VECTORS_SIZES)     \
    X(tensor, RLXC_TENSOR_SIZES)       \
    X(flash, RLXC_FLASH_SIZES)         \
    X(columns, RLXC_COLUMNS_SIZES)     \
    X(windows, RLXC_WINDOWS_SIZES)     \
    X(scatter, RLXC_SCATTER_SIZES)

#define RLXC_SIZE_FIELD(name, least, most, doc) int64_t name;
#define RLXC_SIZES_STRUCT(rule, rows)    \
    typedef struct rlxc_##rule##_sizes { \
        rows(RLXC_SIZE_FIELD)            \
    } rlxc_##rule##_sizes;
RLXC_SIZE_LISTS(RLXC_SIZES_STRUCT)

/* Minimal filtering multiplies by tiles of their own, whose sizes follow as product_NAME. */
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
