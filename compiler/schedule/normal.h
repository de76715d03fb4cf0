/* The normal form of a PrimFunc's blocks: what the parts of pass normalize_blocks share.
 *
 * A nest is one block with one store and the loops around it. It is in normal form when its loops
 * are the block's axes, in their order, serial, from 0, and nothing guards the block. What cannot
 * be proved equal stays as it was written. */
#ifndef RLXC_SCHEDULE_NORMAL_H
#define RLXC_SCHEDULE_NORMAL_H

#include "compiler/ir/sym.h"
#include "compiler/ir/tir.h"

enum { RLXC_NEST_LOOPS = 32, RLXC_NEST_AXES = 16 };

typedef struct rlxc_nest {
    const rlxc_stmt *loops[RLXC_NEST_LOOPS]; /* as written, the outermost first */
    uint32_t n_loops;
    const rlxc_stmt *realize;                                        /* as written */
    const rlxc_block *block;                                         /* as it is now */
    const rlxc_expr *vars[RLXC_NEST_AXES], *extents[RLXC_NEST_AXES]; /* a loop for each axis */
    bool plain; /* the loops as written are in normal form */
} rlxc_nest;

typedef RLXC_VEC(rlxc_nest) rlxc_nests;

/* Proves that the loops of |nest| step through a box of its axes, each element once, and gives a
 * loop for each axis. Loops that nothing depends on go where running the block again changes
 * nothing. False: not proved. */
bool rlxc_nest_axes(rlxc_context *ctx, rlxc_nest *nest);
/* The loops around the block, or what was written where that is the same. */
const rlxc_stmt *rlxc_nest_stmt(rlxc_context *ctx, const rlxc_nest *nest);

/* The block is one store to a place that is different for each element of its spatial axes, and
 * reads what it stores to at that place only. */
bool rlxc_nest_is_simple(rlxc_context *ctx, const rlxc_block *block);
bool rlxc_nest_reads_own(rlxc_context *ctx, const rlxc_block *block);
/* |e| loads from |buffer|, or uses its address. */
bool rlxc_mentions(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *buffer);
bool rlxc_nest_reads(rlxc_context *ctx, const rlxc_block *block, const rlxc_buffer *buffer);

/* What the function allocates, and how many of its statements store to each: more than one if
 * anything else than loads and stores has to do with it. */
typedef struct rlxc_temps {
    rlxc_buffer *const *items;
    uint32_t *writers;
    uint32_t n;
} rlxc_temps;
/* 0: it is no temporary. */
uint32_t rlxc_temp_writers(const rlxc_temps *temps, const rlxc_buffer *buffer);

/* Loops around several blocks become a nest for each. False: a statement, or an order of two
 * blocks, is in the way. */
bool rlxc_distribute(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_temps *temps,
                     rlxc_nests *out);

/* The update of a reduction begins with what is there: `x + s` becomes `s + x`. */
void rlxc_order_operands(rlxc_context *ctx, rlxc_nest *nest);
/* |update|, a reduction without init, begins with what |init| stores. False, and nothing done,
 * where |init| does not store exactly the results of |update|. */
bool rlxc_join_init(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init);

/* A block that copies an element of a buffer, at its place, into another one of the same shape and
 * type: gives the buffer that it reads, or NULL. */
const rlxc_buffer *rlxc_copied(rlxc_context *ctx, const rlxc_block *block);
/* |stmt| reading |to| for |from|, or (|stores|) with |to| in all its places. */
const rlxc_stmt *rlxc_with_buffer(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *from,
                                  const rlxc_buffer *to, bool stores);

#endif
