/* Tensor IR: statements, blocks, PrimFuncs. The block is the unit of scheduling and fusion.
 *
 * Statements are immutable after construction, except to a pass that owns the function (passes
 * build new statements and share untouched ones). LET, ALLOCATE, ALLOCATE_CONST, DECL_BUFFER and
 * ATTR are flat: their scope is the rest of their SEQ, so that long straight-line code does not
 * nest. */
#ifndef RLXC_IR_TIR_H
#define RLXC_IR_TIR_H

#include "compiler/ir/attrs.h"
#include "compiler/ir/expr.h"

/* X(kind): kinds that contain statements, and kinds that do not. */
#define RLXC_NESTING_STMTS(X) \
    X(SEQ)                    \
    X(FOR)                    \
    X(WHILE)                  \
    X(IF)                     \
    X(BLOCK) /* block realize: block + values of its axes + predicate */
#define RLXC_LEAF_STMTS(X)                                 \
    X(LET)                                                 \
    X(STORE)                                               \
    X(EVALUATE)                                            \
    X(ASSERT)                                              \
    X(ALLOCATE)       /* T.allocate: a pointer variable */ \
    X(ALLOCATE_CONST) /* T.allocate_const */               \
    X(DECL_BUFFER)                                         \
    X(ATTR) /* T.attr(node, key, value) */

typedef enum rlxc_stmt_kind {
#define X(kind) RLXC_STMT_##kind,
    RLXC_NESTING_STMTS(X) RLXC_LEAF_STMTS(X)
#undef X
} rlxc_stmt_kind;
/* The labels of a whole table in a switch. */
#define RLXC_STMT_CASE(kind) case RLXC_STMT_##kind:

/* The annotation of loops that lowering cuts where conditions in their stored values change. */
#define RLXC_PARTITION_HINT "pragma_loop_partition_hint"
/* The annotation of loops that copy into a block's memory: how many iterations ahead the copies
   run. */
#define RLXC_COPIES_AHEAD "rlx.copies_ahead"

typedef enum rlxc_loop_kind {
    RLXC_LOOP_SERIAL,
    RLXC_LOOP_PARALLEL,
    RLXC_LOOP_VECTORIZED,
    RLXC_LOOP_UNROLLED,
    RLXC_LOOP_BOUND /* each iteration is a thread, or a block of threads, of a device */
} rlxc_loop_kind;

typedef enum rlxc_axis_kind {
    RLXC_AXIS_SPATIAL,
    RLXC_AXIS_REDUCE,
    RLXC_AXIS_OPAQUE,
    RLXC_AXIS_SCAN
} rlxc_axis_kind;

typedef struct rlxc_stmt rlxc_stmt;
typedef struct rlxc_block rlxc_block;

typedef struct rlxc_region { /* buffer[min : min + extent, ...]; extent 1 is a point */
    const rlxc_buffer *buffer;
    const rlxc_expr *const *mins;
    const rlxc_expr *const *extents;
} rlxc_region;

typedef struct rlxc_axis {
    rlxc_axis_kind kind;
    const rlxc_expr *var, *min, *extent;
} rlxc_axis;

typedef struct rlxc_match_region { /* T.match_buffer(region) inside a block */
    rlxc_buffer *buffer;
    rlxc_region source;
} rlxc_match_region;

struct rlxc_block {
    const char *name;
    const rlxc_axis *axes;
    uint32_t n_axes;
    bool has_reads, has_writes; /* false: not stated, to be computed */
    const rlxc_region *reads, *writes;
    uint32_t n_reads, n_writes;
    rlxc_buffer *const *allocs; /* T.alloc_buffer */
    uint32_t n_allocs;
    const rlxc_match_region *matches;
    uint32_t n_matches;
    rlxc_attrs annotations; /* T.block_attr */
    const rlxc_stmt *init;  /* or NULL */
    const rlxc_stmt *body;
};

struct rlxc_stmt {
    rlxc_stmt_kind kind;
    rlxc_range range;
    union {
        struct {
            const rlxc_stmt *const *items;
            uint32_t n;
        } seq;
        struct {
            const rlxc_expr *var, *min, *extent;
            rlxc_loop_kind kind;
            const char *thread; /* BOUND: "blockIdx.x", "threadIdx.y", ... interned; else NULL */
            rlxc_attrs annotations;
            const rlxc_stmt *body;
        } loop;
        struct {
            const rlxc_expr *cond;
            const rlxc_stmt *body;
        } while_;
        struct {
            const rlxc_expr *cond;
            const rlxc_stmt *then, *otherwise; /* otherwise may be NULL */
        } if_;
        struct {
            const rlxc_expr *var, *value;
        } let;
        struct {
            const rlxc_buffer *buffer;
            const rlxc_expr *const *indices;
            uint32_t n;
            const rlxc_expr *value;
        } store;
        const rlxc_expr *evaluate;
        struct {
            const rlxc_expr *cond;
            const char *message;
        } assert_;
        struct {
            const rlxc_expr *var; /* pointer */
            rlx_dtype dtype;
            const rlxc_expr *const *extents;
            uint32_t n;
            const char *scope;
            const rlxc_expr *cond; /* or NULL */
        } allocate;
        struct {
            const rlxc_expr *var;
            rlx_dtype dtype;
            const int64_t *extents;
            uint32_t n;
            const void *data; /* little-endian elements */
            size_t nbytes;
        } allocate_const;
        rlxc_buffer *decl; /* DECL_BUFFER: buffer->data names the storage */
        struct {
            rlxc_attr node;
            const char *key;
            const rlxc_expr *value;
        } attr;
        struct {
            const rlxc_block *block;
            const rlxc_expr *const *values; /* one per axis */
            const rlxc_expr *predicate;     /* or NULL: always */
        } block;
    };
};

/* A parameter is a buffer (T.Buffer or handle + match_buffer) or a scalar variable. */
typedef struct rlxc_prim_param {
    const rlxc_expr *var; /* scalar: the value; buffer: the handle */
    rlxc_buffer *buffer;  /* or NULL */
} rlxc_prim_param;

typedef struct rlxc_prim_func {
    const char *name;
    rlxc_prim_param *params;
    uint32_t n_params;
    rlx_dtype ret_dtype;   /* void in nearly all */
    rlxc_attrs attrs;      /* "tir.noalias", "op_pattern", ... */
    const rlxc_stmt *body; /* normally a BLOCK "root" or plain statements */
    bool is_private;
    bool to_fold; /* made by a pass to be evaluated at compile time; not part of the text, which may
                   * come from anywhere */
    bool turns_apart; /* proved by a pass: each element is computed only from the same position of
                       * the operand that it may overwrite, and from nothing else that is written;
                       * not part of the text */
    rlxc_range range;
} rlxc_prim_func;

enum { RLXC_THREAD_AXES = 6, RLXC_THREAD_IDX = 3 /* the first of the thread indices */ };
/* The axes of threads: block indices x, y, z are 0 to 2, thread indices 3 to 5; -1: |name| is
 * none of them. "vthread" and its like are not axes. */
int rlxc_thread_axis(const char *name);
/* The interned name of axis |i|. */
const char *rlxc_thread_name(rlxc_context *ctx, int i);
/* True for an assertion and for T.check_index. */
bool rlxc_stmt_is_check(const rlxc_stmt *s);
/* Whether the statement has loops bound to threads. */
bool rlxc_has_threads(const rlxc_stmt *s);

enum {
    RLXC_STACK_LIMIT = 8192, /* largest temporary that a kernel keeps on the stack, in bytes */
    RLXC_STACK_TOTAL = 32768 /* all of those in one LLVM function; the rest is scratch memory */
};
/* The extents of the memory of the temporary |b|: its shape, or as many rows as its strides and
 * offset reach. NULL: those do not say how many; |*out_n| is then the number of dimensions. */
const rlxc_expr *const *rlxc_memory_extents(rlxc_context *ctx, const rlxc_buffer *b,
                                            uint32_t *out_n);
/* The bytes of an array, canonical: elements in memory have whole bytes, negative extents count as
 * 0. */
const rlxc_expr *rlxc_extents_bytes(rlxc_context *ctx, rlx_dtype dtype,
                                    const rlxc_expr *const *extents, uint32_t n);

/* Statement constructors; arrays are copied into the arena. */
const rlxc_stmt *rlxc_stmt_seq(rlxc_context *ctx, const rlxc_stmt *const *items,
                               uint32_t n); /* flattens; a single statement stands alone */
const rlxc_stmt *rlxc_stmt_nothing(rlxc_context *ctx); /* what `pass` is read as: evaluate(0) */
bool rlxc_stmt_is_nothing(const rlxc_stmt *s);
const rlxc_stmt *rlxc_stmt_for(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *min,
                               const rlxc_expr *extent, rlxc_loop_kind kind, const rlxc_stmt *body);
const rlxc_stmt *rlxc_stmt_store(rlxc_context *ctx, const rlxc_buffer *buffer,
                                 const rlxc_expr *const *indices, uint32_t n,
                                 const rlxc_expr *value);
const rlxc_stmt *rlxc_stmt_if(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_stmt *then,
                              const rlxc_stmt *otherwise);
const rlxc_stmt *rlxc_stmt_let(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *value);
/* The storage of a temporary, of its scope, and its declaration. */
const rlxc_stmt *rlxc_stmt_allocate(rlxc_context *ctx, rlxc_buffer *buffer);
const rlxc_stmt *rlxc_stmt_evaluate(rlxc_context *ctx, const rlxc_expr *value);
const rlxc_stmt *rlxc_stmt_block(rlxc_context *ctx, const rlxc_block *block,
                                 const rlxc_expr *const *values, const rlxc_expr *predicate);
const rlxc_stmt *
rlxc_stmt_copy(rlxc_context *ctx,
               const rlxc_stmt *stmt); /* shallow, to change a field: cast by the copier */

/* Generic rewriting: |expr| maps every expression (NULL: keep), |stmt| may replace a statement
 * after its children were rewritten (NULL: keep); |buffer| maps buffers everywhere they occur
 * (NULL: keep). Untouched parts are shared. Depth is limited as in the parser. |expr| is called
 * once for each distinct expression, so its result must not depend on the place; it is called for
 * binders too, which change if it returns a variable. */
typedef struct rlxc_stmt_rewriter {
    void *user;
    const rlxc_expr *(*expr)(void *user, const rlxc_expr *e);
    const rlxc_stmt *(*stmt)(void *user, const rlxc_stmt *s);
    rlxc_buffer *(*buffer)(void *user, const rlxc_buffer *b);
} rlxc_stmt_rewriter;
const rlxc_stmt *rlxc_stmt_rewrite(rlxc_context *ctx, const rlxc_stmt *stmt,
                                   const rlxc_stmt_rewriter *rewriter);
/* Redirects loads of and stores to |from| to |to|. Regions that blocks state are dropped: they are
 * recomputed when needed. */
typedef struct rlxc_redirection {
    rlxc_context *ctx;
    const rlxc_buffer *from, *to;
    /* Fills the indices in |to| for those in |from|, in which loads are redirected already; NULL:
     * they are the same. */
    void (*map)(void *user, const rlxc_expr *const *at, const rlxc_expr **out);
    void *user;
    bool loads_only;
} rlxc_redirection;
const rlxc_expr *rlxc_redirect_expr(const rlxc_redirection *r, const rlxc_expr *e); /* NULL: NULL */
const rlxc_stmt *rlxc_redirect_stmt(const rlxc_redirection *r, const rlxc_stmt *s);
/* Replaces every use of a buffer by another buffer of the same shape. */
const rlxc_stmt *rlxc_exchange_buffer(rlxc_context *ctx, const rlxc_stmt *s,
                                      const rlxc_buffer *from, const rlxc_buffer *to);
static inline void rlxc_forget_regions(rlxc_block *block)
{
    block->has_reads = block->has_writes = false;
    block->n_reads = block->n_writes = 0;
}
/* Visits statements in order, parents first; return false to skip children. */
void rlxc_stmt_visit(const rlxc_stmt *stmt, bool (*visit)(void *user, const rlxc_stmt *s),
                     void *user);
/* Calls |fn| for each expression that belongs to |s| itself, not for those of statements inside it,
 * nor for the variables and buffers that it binds or names. */
void rlxc_stmt_exprs(const rlxc_stmt *s, void (*fn)(void *user, const rlxc_expr *e), void *user);
/* Visits the nodes of these expressions (rlxc_expr_visit); where |visit| returns false, it goes on
 * with the next expression. */
void rlxc_stmt_nodes(rlxc_context *ctx, const rlxc_stmt *s, rlxc_expr_visit_fn visit, void *user);
/* A deep copy with fresh variables and buffers where bound inside (loop variables, axes, allocs,
 * params): safe to use twice in one module. */
rlxc_prim_func *rlxc_prim_func_clone(rlxc_context *ctx, const rlxc_prim_func *f);
const rlxc_stmt *rlxc_stmt_clone(rlxc_context *ctx, const rlxc_stmt *s); /* the same */
/* The PrimFunc's symbolic variables: scalar parameters and variables of parameter buffers' shapes,
 * in order of first appearance over the parameters. This is the order of `dims` in the kernel ABI.
 */
void rlxc_prim_func_dims(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_expr ***out_vars,
                         uint32_t *out_n);

#endif
