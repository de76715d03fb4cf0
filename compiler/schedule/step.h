/* Schedules as data: lists of steps on named blocks and loops.
 *
 * A step is a row of steps.def with arguments. Blocks, loops and sampled values that a step returns
 * are its results; later steps take them as arguments. A result is a variable of the context,
 * identified by pointer; its name is only for text:
 *
 *     # main.NT_matmul  model.py:12:9
 *     b0 = sch.get_block(name="NT_matmul", func_name="NT_matmul")
 *     l1, l2, l3 = sch.get_loops(block=b0)
 *     l4, l5 = sch.split(loop=l2, factors=[None, 16])
 *     sch.reorder(l1, l4, l3, l5)
 *
 * Lists are made by rules and by the readers of text and of TVM's trace JSON; engine.h applies
 * them. Everything lives in the context. */
#ifndef RLXC_SCHEDULE_STEP_H
#define RLXC_SCHEDULE_STEP_H

#include "compiler/ir/relax.h"

typedef enum rlxc_step_kind {
#define RLXC_STEP(name, instruction, args, json, results, doc) RLXC_STEP_##name,
#include "compiler/schedule/steps.def"
#undef RLXC_STEP
    RLXC_STEP_COUNT
} rlxc_step_kind;

typedef struct rlxc_step_row {
    const char *name, *instruction, *args, *json, *results, *doc;
} rlxc_step_row;
const rlxc_step_row *rlxc_step_row_of(rlxc_step_kind kind);
/* By its name in the text or in TVM's JSON, TVM's older and newer spellings alike; false: none. */
bool rlxc_find_step(const char *name, rlxc_step_kind *out);

/* One parameter of a row, as its |args| say. */
typedef struct rlxc_step_param {
    const char *name, *type; /* interned */
    const char *fallback;    /* the default as text; NULL: must be given */
    bool variadic;
} rlxc_step_param;
enum { RLXC_STEP_PARAMS = 8 };
/* Fills |out| (RLXC_STEP_PARAMS long); gives their number. */
uint32_t rlxc_step_params(rlxc_context *ctx, rlxc_step_kind kind, rlxc_step_param *out);

/* A reference to a block, a loop or a sampled value: its variable. */
typedef const rlxc_expr *rlxc_step_ref;

typedef struct rlxc_step {
    rlxc_step_kind kind;
    rlxc_range range; /* place in the schedule's text; all zero if a rule made it */
    /* Arguments by the parameters' names; omitted ones have their defaults. References are EXPR
     * attributes with the variable, alone or in lists; index maps are rlxc_is_index_map. */
    rlxc_attrs args;
    const rlxc_step_ref *results;
    uint32_t n_results;
} rlxc_step;

/* The schedule of one PrimFunc. */
typedef struct rlxc_schedule_steps {
    rlxc_context *ctx;
    const char *function; /* interned */
    rlxc_range source;    /* source of the function; may be all zero */
    RLXC_VEC(rlxc_step) items;
    uint32_t n_names; /* results named so far */
} rlxc_schedule_steps;

typedef struct rlxc_schedules { /* of a module */
    RLXC_VEC(rlxc_schedule_steps *) items;
} rlxc_schedules;

/* True if |value| is a reference to a block or a loop. */
bool rlxc_is_step_ref(const rlxc_attr *value);
/* Checks that arguments and number of results match the row; else an error at the step. */
bool rlxc_step_check(rlxc_context *ctx, const rlxc_step *step);
/* A new variable for a result of such a step. */
rlxc_step_ref rlxc_step_result(rlxc_context *ctx, rlxc_step_kind kind, const char *name);

/* --- making lists (for rules) ------------------------------------------------------------------
 *
 *     rlxc_schedule_steps *s = rlxc_steps_new(ctx, f->name, f->range);
 *     rlxc_step_ref block = rlxc_step_get_block(s, "NT_matmul"), loops[3];
 *     rlxc_step_get_loops(s, block, loops, 3);
 *     rlxc_step_split(s, loops[1], (const int64_t[]){0, 16}, 2, halves);
 *     rlxc_step_tensorize(s, block, "tile", rlxc_attrs_with(ctx, sizes, ...));
 *
 * Results are named b0, l1, l2 ... in order. When memory is out the context is failed and the
 * results are still variables. */

rlxc_schedule_steps *rlxc_steps_new(rlxc_context *ctx, const char *function, rlxc_range source);
/* Appends any step without arguments; |n_results| new variables in |out| (may be NULL).
 * rlxc_step_arg then adds arguments, in the row's order. */
rlxc_step *rlxc_steps_add(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref *out,
                          uint32_t n_results);
void rlxc_step_arg(rlxc_context *ctx, rlxc_step *step, const char *name, rlxc_attr value);
rlxc_step_ref rlxc_step_get_block(rlxc_schedule_steps *s, const char *name);
void rlxc_step_get_loops(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref *out,
                         uint32_t n);
/* A factor of 0 is None: as many iterations as are needed; at most one of them. */
void rlxc_step_split(rlxc_schedule_steps *s, rlxc_step_ref loop, const int64_t *factors, uint32_t n,
                     rlxc_step_ref *out);
/* |kind|: RLXC_STEP_parallel, _vectorize or _unroll. */
void rlxc_step_mark(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref loop);
/* |thread|: the axis of threads, "blockIdx.x". */
void rlxc_step_bind(rlxc_schedule_steps *s, rlxc_step_ref loop, const char *thread);
/* A loop of one iteration around a block or a loop. */
rlxc_step_ref rlxc_step_unit_loop(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop);
/* |kind|: RLXC_STEP_compute_inline or _reverse_compute_inline. */
void rlxc_step_inline(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref block);
rlxc_step_ref rlxc_step_decompose(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop);
/* The block of the partial reductions, one for each iteration of |loop|: their buffer has these as
 * dimension |axis|. */
rlxc_step_ref rlxc_step_rfactor(rlxc_schedule_steps *s, rlxc_step_ref loop, int64_t axis);
/* |kind|: RLXC_STEP_fuse, _merge (one result each) or _reorder (none: NULL). */
rlxc_step_ref rlxc_step_loops(rlxc_schedule_steps *s, rlxc_step_kind kind,
                              const rlxc_step_ref *loops, uint32_t n);
/* The block's result goes to memory of its own, from which the block in the result copies it. */
rlxc_step_ref rlxc_step_cache_write(rlxc_schedule_steps *s, rlxc_step_ref block);
void rlxc_step_compute_at(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop);
void rlxc_step_reverse_compute_at(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop);
void rlxc_step_annotate(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop, const char *key,
                        rlxc_attr value);
/* |sizes|: numbers, names or lists by name. */
void rlxc_step_tensorize(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop, const char *intrin,
                         rlxc_attrs sizes);
void rlxc_step_rewrite(rlxc_schedule_steps *s, rlxc_step_ref block, const char *rewrite,
                       rlxc_attrs sizes);

/* Appends the steps |first| up to |end| of another list, with results of their own. */
void rlxc_steps_append(rlxc_schedule_steps *s, const rlxc_schedule_steps *from, uint32_t first,
                       uint32_t end);

/* --- text (step_text.c) ------------------------------------------------------------------------
 */

/* The lists as Python, each below a comment that names module, function and source. Arena text;
 * reading it back gives equal lists. */
const char *rlxc_print_schedules(rlxc_context *ctx, const char *module,
                                 const rlxc_schedules *schedules);
/* One step as text without a newline, for messages. */
const char *rlxc_print_step(rlxc_context *ctx, const rlxc_step *step);
/* Reads such text, or a whole `def apply_trace(sch):` as TVM prints it, or, if it starts with a
 * bracket, TVM's traces as JSON. A list begins where get_block names a new function. False after
 * errors. |text| must outlive the context. */
bool rlxc_parse_schedules(rlxc_context *ctx, const char *path, const char *text, size_t length,
                          rlxc_schedules *out);

/* --- TVM's trace JSON (trace_json.c) -----------------------------------------------------------
 */

/* |file|: as rlxc_add_file gave it. False after errors. */
bool rlxc_parse_trace_json(rlxc_context *ctx, uint32_t file, const char *text, size_t length,
                           rlxc_schedules *out);

#endif
