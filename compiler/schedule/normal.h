/* The normal form of a PrimFunc's blocks, shared by the files of pass normalize_blocks.
 *
 * A nest is one block with one store and the loops around it. It is in normal form if its loops are
 * the block's axes, in order, serial, from 0, and the block has no predicate. A nest whose
 * rewriting cannot be proved equal stays as written. */
#ifndef RLXC_SCHEDULE_NORMAL_H
#define RLXC_SCHEDULE_NORMAL_H

#include "compiler/ir/sym.h"
#include "compiler/ir/tir.h"

enum { RLXC_NEST_LOOPS = 32, RLXC_NEST_AXES = 16 };

/* The iterations of a loop in which the block counts. An initial value is stored in the first one
 * only, and what is computed from a sum often in the last one only. What each iteration computes
 * from an unfinished sum is stored in all of them, but only the last one counts (late). */
typedef enum rlxc_turn {
    RLXC_EACH_TURN,
    RLXC_FIRST_TURN,
    RLXC_LAST_TURN,
    RLXC_LATE_TURN
} rlxc_turn;

typedef struct rlxc_nest {
    const rlxc_stmt *loops[RLXC_NEST_LOOPS]; /* as written, the outermost first */
    rlxc_turn once[RLXC_NEST_LOOPS];
    uint32_t n_loops;
    const rlxc_stmt *realize; /* as written, with the ifs around it as its predicate */
    const rlxc_block *block;  /* as it is now */
    const rlxc_expr *vars[RLXC_NEST_AXES], *extents[RLXC_NEST_AXES]; /* a loop for each axis */
    bool plain;   /* the loops as written are in normal form */
    bool whole;   /* the loops as written store elements again (rlxc_nest_whole) */
    bool by_step; /* the init was written as a condition on the first step of the reduction */
    const rlxc_expr *steps; /* an init that is written for the first of so many steps; or NULL */
    rlxc_buffer *temp;      /* a new temporary that it stores to: a later nest stores to the same
                             * elements as it did; or NULL */
} rlxc_nest;

typedef RLXC_VEC(rlxc_nest) rlxc_nests;

/* What a statement, with those inside it, does with the memory of a buffer. */
typedef struct rlxc_buffer_use {
    uint32_t stores; /* statements that store to it */
    bool loads;
    bool vectors;   /* several elements are accessed at once */
    bool address;   /* its address is taken */
    bool views;     /* another buffer is declared over it, or accesses it */
    bool matches;   /* a block matches a buffer to it */
    bool allocates; /* the buffer is allocated in the statement */
    bool elsewhere; /* elements are loaded in other than stores, lets, ifs and blocks */
} rlxc_buffer_use;
rlxc_buffer_use rlxc_use_of(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *buffer);
static inline bool rlxc_is_used(const rlxc_buffer_use *u)
{
    return u->stores > 0 || u->loads || u->address;
}
/* True if not all that happens to the buffer's memory is in loads and stores of the buffer. */
static inline bool rlxc_is_opaque(const rlxc_buffer_use *u)
{
    return u->address || u->views || u->matches || u->allocates;
}

/* True if the elements of |b| lie one after the other from the start of its memory. */
static inline bool rlxc_is_compact(const rlxc_buffer *b)
{
    return !b->strides && (!b->elem_offset || rlxc_is_const(b->elem_offset, 0));
}

/* The number of the block's axis |var|; n_axes: it has no such axis. */
static inline uint32_t rlxc_block_axis(const rlxc_block *b, const rlxc_expr *var)
{
    uint32_t k = 0;
    while (k < b->n_axes && b->axes[k].var != var)
        k++;
    return k;
}

/* |stmt| with one spelling for expressions that mean the same, and values for the names of indices
 * (normal_spellings.c). */
const rlxc_stmt *rlxc_plain_exprs(rlxc_context *ctx, const rlxc_stmt *stmt);
/* |stmt| with loops, axes, indices and comparisons of indices in int64, where that makes no
 * difference. |simplify|: simplifies comparisons of digits, too; loops must be joined before. */
const rlxc_stmt *rlxc_wide_indices(rlxc_context *ctx, const rlxc_stmt *stmt, bool simplify);
/* True if |stmt| declares a buffer whose shape, strides or offset use |var|. Statement rewriting
 * does not reach those, so |var| must stay. */
bool rlxc_shapes_buffers(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_expr *var);
/* |stmt| with loops from 0, and limits on their extents as conditions (normal_loops.c). */
const rlxc_stmt *rlxc_plain_loops(rlxc_context *ctx, const rlxc_stmt *stmt);
/* |stmt| with loops for stores of vectors, and one loop for each two that are used as the sum of
 * their digits only. */
const rlxc_stmt *rlxc_join_loops(rlxc_context *ctx, const rlxc_stmt *stmt);
/* |stmt| with two loops for each whose steps use only quotients and remainders of its variable;
 * |all|: among other uses. */
const rlxc_stmt *rlxc_cut_loops(rlxc_context *ctx, const rlxc_stmt *stmt, bool all);
/* The number of loops of which quotients or remainders are left then. */
uint32_t rlxc_divided_loops(rlxc_context *ctx, const rlxc_stmt *stmt);

/* Proves that the loops of |nest| visit each element of a box of its axes once, and makes a loop
 * for each axis. Loops that nothing depends on are dropped if repeating the block changes nothing.
 * False: not proved. */
bool rlxc_nest_axes(rlxc_context *ctx, rlxc_nest *nest);
/* Makes a loop for each axis of a block that computes elements of a temporary from their positions
 * alone, for all of them: loops that overlap, such as tiles of an image with its border, store some
 * again and again. The caller knows that nothing it reads changes. False: a load may leave its
 * buffer, or the block has another form. */
bool rlxc_nest_whole(rlxc_context *ctx, rlxc_nest *nest);
/* The new loops around the block, or the original statement if it is equal. */
const rlxc_stmt *rlxc_nest_stmt(rlxc_context *ctx, const rlxc_nest *nest);
/* Lets |nest| store |value|. */
void rlxc_nest_set_value(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *value);
/* Sets |out| to a nest that stores |value|, over the |n| variables below |sizes|, to a new
 * temporary, and returns that; messages about it name the place of |from|. */
rlxc_buffer *rlxc_nest_fills(rlxc_context *ctx, const rlxc_nest *from, const char *name,
                             const rlxc_expr *const *vars, const rlxc_expr *const *sizes,
                             uint32_t n, const rlxc_expr *value, rlxc_nest *out);

/* |block|, which runs where |cond| (may be NULL) holds, with axes of int64 that are the indices of
 * its store where that can be proved, and their |values|; or both unchanged. */
const rlxc_block *rlxc_join_axes(rlxc_context *ctx, const rlxc_block *block, const rlxc_expr *cond,
                                 const rlxc_expr *const **values);

/* Sorts |axes|, those of |b|, a block of one store, and their |values|: spatial axes as the indices
 * of the store, then reductions as the indices of the loads, the larger steps first. */
void rlxc_order_axes(rlxc_context *ctx, const rlxc_block *b, rlxc_axis *axes,
                     const rlxc_expr **values);

/* True if the block is one store to a distinct element for each point of its spatial axes, and
 * reads the stored buffer only at that element. */
bool rlxc_nest_is_simple(rlxc_context *ctx, const rlxc_block *block);
/* The simple blocks that the block |realize| stands for: itself, or a block for each of its stores,
 * with axes of int64 that are the indices of the store. Returns their number; 0: there are none. */
enum { RLXC_BLOCK_STORES = 4 };
typedef struct rlxc_simple_block {
    const rlxc_block *block;
    const rlxc_expr *const *values; /* of its axes */
    bool by_step;                   /* as in rlxc_nest */
} rlxc_simple_block;
uint32_t rlxc_simple_blocks(rlxc_context *ctx, const rlxc_stmt *realize, rlxc_simple_block *out);
/* The stores of |stmt|, which are independent of each other, with the values of its lets for the
 * names; |out| has room for RLXC_BLOCK_STORES. Returns their number; 0: it has another form. */
uint32_t rlxc_independent_stores(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt **out);
/* The block that |store| in plain loops stands for. Of an update, loops that its indices do not use
 * are reductions; of another store, they do not count. NULL: there is none. */
const rlxc_stmt *rlxc_block_around(rlxc_context *ctx, const rlxc_stmt *store,
                                   const rlxc_stmt *const *loops, uint32_t n);
bool rlxc_stores_vector(const rlxc_stmt *store);
/* The loop over the lanes of a store of a vector; NULL: its lanes depend on each other. */
const rlxc_stmt *rlxc_lane_loop(rlxc_context *ctx, const rlxc_stmt *store);
/* For rlxc_expr_visit: true if no part is a load. */
bool rlxc_is_no_load(void *user, const rlxc_expr *e);
/* True if a reduction that combines by |e| may take its terms in any order. */
bool rlxc_commutes(const rlxc_expr *e);
/* The store of a maximum or minimum that |stmt| spells as a comparison, o = select(x > o, x, o) or
 * `if x > o: o = x`; or NULL. */
const rlxc_stmt *rlxc_extreme(rlxc_context *ctx, const rlxc_stmt *stmt);
/* True if |store| adds a value to an element, multiplies it, or keeps the larger or smaller one:
 * the order of such updates does not count. */
bool rlxc_is_update(rlxc_context *ctx, const rlxc_stmt *store);
/* |store| with |to| for the variables |from|. */
const rlxc_stmt *rlxc_store_with(rlxc_context *ctx, const rlxc_stmt *store,
                                 const rlxc_expr *const *from, const rlxc_expr *const *to,
                                 uint32_t n);
/* |store| of |value|, in the same place. */
const rlxc_stmt *rlxc_store_of(rlxc_context *ctx, const rlxc_stmt *store, const rlxc_expr *value);
bool rlxc_nest_reads_own(rlxc_context *ctx, const rlxc_block *block);
bool rlxc_nest_reads(rlxc_context *ctx, const rlxc_block *block, const rlxc_buffer *buffer);

/* The function's temporaries, and the number of statements that store to each; more than one if a
 * temporary has uses other than loads and stores. */
typedef struct rlxc_temps {
    rlxc_buffer *const *items;
    uint32_t *writers;
    uint32_t n;
} rlxc_temps;
/* 0 if it is not a temporary. */
uint32_t rlxc_temp_writers(const rlxc_temps *temps, const rlxc_buffer *buffer);

/* True if |nest| stores to all elements of its buffer. */
bool rlxc_nest_stores_all(rlxc_context *ctx, const rlxc_nest *nest);

/* The nests of the blocks in |stmt|, in their order; false: it has another form. */
bool rlxc_take_apart(rlxc_context *ctx, const rlxc_stmt *stmt, rlxc_nests *out);
/* Splits loops around several blocks into a nest for each. False if a statement, or a dependence of
 * two blocks, prevents it. */
bool rlxc_distribute(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_temps *temps,
                     rlxc_nests *out);

/* True if an expression in |stmt| uses |var|. */
bool rlxc_stmt_uses_var(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_expr *var);
/* True if the predicate or one of the |n_axes| values of the block |realize| uses |var|. */
bool rlxc_realize_uses(rlxc_context *ctx, const rlxc_stmt *realize, uint32_t n_axes,
                       const rlxc_expr *var);
/* True if |nest| stores an initial value, written as one of the first step, also where there is no
 * step. */
bool rlxc_stores_without_step(rlxc_context *ctx, const rlxc_nest *nest);
/* Gives each value that elements of one buffer have in turn a buffer of its own (rlxc_nest.temp);
 * the last one stays where it is. The nests run in this order; |temps| NULL: they are of one
 * statement, else only temporaries are separated. */
void rlxc_separate_values(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t n,
                          const rlxc_temps *temps);

/* Puts the accumulator of a reduction's update first: `x + s` becomes `s + x`. */
void rlxc_order_operands(rlxc_context *ctx, rlxc_nest *nest);
/* The number of type |t| that |kind|, an operation that rlxc_commutes takes, leaves any other
 * operand as it is with; NULL: there is none. */
const rlxc_expr *rlxc_neutral(rlxc_context *ctx, rlxc_expr_kind kind, rlx_dtype t);
/* Makes |cond|, over the axes of a sum or maximum, a part of its term: nothing is added where it
 * does not hold. False if that would store outside of the result, or for another block. */
bool rlxc_guard_term(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *cond);
/* Makes the limit of a reduction axis in a condition on the term its extent. */
void rlxc_shorten_reduction(rlxc_context *ctx, rlxc_nest *nest);
/* Makes the values that |init| stores the init of the reduction |update|, or those that an update
 * of one step begins with. False without effect if |init| does not store exactly the results of
 * |update|. */
bool rlxc_join_init(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init);
/* The same if |init|, just before |update|, stores the terms of the step before its first one: the
 * reduction then has this step, too. */
bool rlxc_join_first(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init);

/* Makes |nest|, a sum, product, maximum or minimum whose init loads, such as a bias, begin with the
 * neutral number: it stores to |*temp|, a new temporary, and |rest|, which follows it, combines
 * init and result. False without effect for other nests. */
bool rlxc_split_init(rlxc_context *ctx, rlxc_nest *nest, rlxc_nest *rest, rlxc_buffer **temp);

/* The reduction |whole| of the results of |partial|, which nothing else reads, as one reduction;
 * NULL if they do not fit. */
const rlxc_stmt *rlxc_merge_partial(rlxc_context *ctx, const rlxc_nest *whole,
                                    const rlxc_nest *partial);

/* |stmt| without |buffer|, a temporary of one iteration of its loops that is filled by moving
 * elements of another buffer: its readers read that one. |whole|: as for rlxc_place_local. NULL: it
 * is filled in another way. The caller proves that what is read then stays inside its buffer. */
const rlxc_stmt *rlxc_inline_local(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt *whole,
                                   const rlxc_temps *temps, const rlxc_buffer *buffer);
/* Lets the reduction |nest| read |*temp|, a new temporary that |filling| stores before it, for a
 * choice whose axes occur in sums only, such as an image with a border. False without effect if
 * there is no such choice, or it does not pay. */
bool rlxc_take_border(rlxc_context *ctx, rlxc_nest *nest, rlxc_nest *filling, rlxc_buffer **temp);
/* Lets nests[0] and others of the |n| nests, which run in their order, read |*temp|, a new
 * temporary that |filling| stores before them, where they call the same function for the same
 * values. False without effect if there is no such call, or it is cheap. */
bool rlxc_share_call(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t n, rlxc_nest *filling,
                     rlxc_buffer **temp);
/* True if each load of |nest| is proved to stay inside its buffer, and a reduction has no
 * conditions left that rlxc_take_border does not take. */
bool rlxc_reads_plainly(rlxc_context *ctx, const rlxc_nest *nest);

typedef RLXC_VEC(rlxc_buffer *) rlxc_buffers;
/* Gives temporaries over one allocation of |f| memory of their own, where each stores its elements
 * before it loads them. */
void rlxc_separate_memory(rlxc_context *ctx, rlxc_prim_func *f);
/* True if |stmt| stores all elements of |buffer|, which is allocated outside of it, before it loads
 * one, in each iteration of the loops around all its uses there. */
bool rlxc_is_stored_first(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *buffer);
/* The sequence |seq| without its allocations of buffers without views in |whole|; |out| gets the
 * buffers. */
const rlxc_stmt *rlxc_seq_without_allocs(rlxc_context *ctx, const rlxc_stmt *whole,
                                         const rlxc_stmt *seq, rlxc_buffers *out);
/* |stmt| without the allocations anywhere in it, likewise. */
const rlxc_stmt *rlxc_without_allocs(rlxc_context *ctx, const rlxc_stmt *stmt, rlxc_buffers *out);
/* What a temporary of one iteration becomes. */
typedef enum rlxc_places {
    RLXC_ONE_PLACE,   /* it stays as it is */
    RLXC_OWN_PLACES,  /* it gets a dimension for each loop that is used in storing to it */
    RLXC_LOOP_PLACES, /* for each loop */
    RLXC_TILE_PLACES  /* a buffer with a dimension for each loop is a tile of a larger one, whose
                       * positions the larger one has; others as before */
} rlxc_places;
/* |stmt| with a place in |*buffer|, which nothing else uses, for each iteration of the loops around
 * its uses; *buffer is then a larger one, unless the stores have such places already. |whole|:
 * |stmt| with the allocation of the buffer in it, or NULL. NULL: it cannot be proved that
 * iterations are independent, or it would be several times as large as the parameters of |f|. */
const rlxc_stmt *rlxc_place_local(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt *whole,
                                  rlxc_places places, const rlxc_prim_func *f,
                                  const rlxc_temps *temps, const rlxc_buffer **buffer);
/* |buffer|, a temporary that |stmts| access by loads and stores only, in the layout in which its
 * stores have the indices of what they copy, or those of their block; the accesses are changed. */
rlxc_buffer *rlxc_plain_layout(rlxc_context *ctx, const rlxc_stmt **stmts, uint32_t n,
                               rlxc_buffer *buffer);
/* Two statements under comparison: what each variable of the second is in the first. */
enum { RLXC_PAIRED_VARS = 64 };
typedef struct rlxc_pairing {
    rlxc_context *ctx;
    const rlxc_expr *from[RLXC_PAIRED_VARS], *to[RLXC_PAIRED_VARS];
    uint32_t n;
    const rlxc_stmt *a, *b; /* the loops around them, of which b continues a; or NULL */
} rlxc_pairing;
/* Makes variable |from| of the second statement stand for |to| of the first, converted to its type.
 * False: there are too many. */
bool rlxc_pair(rlxc_pairing *p, const rlxc_expr *from, const rlxc_expr *to);
/* True if |b|, with the variables of the first, is |a|. */
bool rlxc_same_expr(rlxc_pairing *p, const rlxc_expr *a, const rlxc_expr *b);
/* True if both statements do the same. Pairs the variables that they bind. */
bool rlxc_same_stmt(rlxc_pairing *p, const rlxc_stmt *a, const rlxc_stmt *b);
/* The loop whose turns are the first *used of |n| statements; or NULL. */
const rlxc_stmt *rlxc_rolled_turns(rlxc_context *ctx, const rlxc_stmt *const *stmts, uint32_t n,
                                   uint32_t *used);
/* The loop |s| with sums of several terms in its steps as loops; NULL: there are none. */
const rlxc_stmt *rlxc_with_rolled_terms(rlxc_context *ctx, const rlxc_stmt *s);
/* |body| with one loop for the consecutive parts of a loop: loops that follow each other, unrolled
 * statements, and branches for whole tiles and for the rest. */
const rlxc_stmt *rlxc_join_parts(rlxc_context *ctx, const rlxc_stmt *body);
/* |body| with accesses to from as accesses to the same elements of to, which has as many, in the
 * same order. |body| has no while, and uses the buffers in blocks, loops' bodies, ifs and lets
 * only. NULL: its expressions are too large, or an access to a plain shape goes from one row to the
 * next. */
typedef struct rlxc_reshaping {
    const rlxc_buffer *from, *to;
    bool plain;
} rlxc_reshaping;
const rlxc_stmt *rlxc_reshape(rlxc_context *ctx, const rlxc_stmt *body, const rlxc_reshaping *items,
                              uint32_t n);
/* Replaces views of whole buffers of |f| by the buffers, and shapes its temporaries accordingly.
 * |divide|: also where quotients and remainders of sums are left. */
void rlxc_without_views(rlxc_context *ctx, rlxc_prim_func *f, bool divide);
/* The number of quotients and remainders of sums in |body|; |all|: also of variables, which are
 * digits of loops that were fused. */
uint32_t rlxc_count_divisions(rlxc_context *ctx, const rlxc_stmt *body, bool all);

/* The source buffer of a block that copies elements, at the same indices, to a buffer of the same
 * shape and type, but for dimensions of one element; or NULL. */
const rlxc_buffer *rlxc_copied(rlxc_context *ctx, const rlxc_block *block);
/* The load in |value|, which is a load or a choice between a load and a number; NULL: it is
 * something else, or a condition or an index loads. */
const rlxc_expr *rlxc_load_moved(rlxc_context *ctx, const rlxc_expr *value);
/* The load whose elements |mover| stores to all elements of a buffer, each under a condition or
 * not, at positions computed from its axes; or NULL. */
const rlxc_expr *rlxc_moved(rlxc_context *ctx, const rlxc_nest *mover);
/* Replaces |reader|'s reads of what |mover| stores by reads of the source, where the positions are
 * no harder to compute and no condition is left; false without effect if that does not hold, or
 * saves nothing. */
bool rlxc_inline_move(rlxc_context *ctx, rlxc_nest *reader, const rlxc_nest *mover);
/* True if both have their dimensions of one element in the same places. */
bool rlxc_same_dims(const rlxc_buffer *a, const rlxc_buffer *b);
/* |stmt| with reads of |from| replaced by |to|, or (|stores|) all uses; unless rlxc_same_dims,
 * there is nothing but loads and stores. */
const rlxc_stmt *rlxc_with_buffer(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *from,
                                  const rlxc_buffer *to, bool stores);

/* A function under rewriting (normal_function.c). */
typedef struct rlxc_normal {
    rlxc_context *ctx;
    rlxc_prim_func *f;
    const rlxc_block *root; /* or NULL */
    const rlxc_stmt **stmts;
    uint32_t n;
    rlxc_temps temps;
    uint32_t odd;              /* statements that are not in normal form */
    uint32_t border_divisions; /* of sums, in what fills borders: an element has few there */
    bool changed;
} rlxc_normal;
/* Counts the statements that store to each temporary. */
void rlxc_normal_count_writers(rlxc_normal *s);
void rlxc_normal_add_temp(rlxc_normal *s, rlxc_buffer *buffer);
void rlxc_normal_drop_temp(rlxc_normal *s, const rlxc_buffer *buffer);
/* Lets the loops of statement |at| be split, if its temporaries prevent it. */
void rlxc_normal_place_locals(rlxc_normal *s, uint32_t at);
/* Replaces the statements by their nests. */
void rlxc_normal_remake(rlxc_normal *s);

#endif
