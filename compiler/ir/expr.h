/* Expressions: TIR's PrimExpr and the symbolic integers of graph shapes, one type for both.
 *
 * Expressions are immutable and hash-consed in the context: structurally equal expressions are the
 * same pointer, so comparing is ==, and an expression is a DAG. Variables are equal by identity
 * (id), never by name. Constructors fold constants (a fold that would overflow is left undone) and
 * apply identities that always hold (x + 0, x * 1), nothing else; compiler/ir/sym.h has the
 * canonical form. Depth is limited at construction (RLXC_MAX_EXPR_DEPTH): beyond it an error is
 * reported once and a zero of the type returned, so that later recursive walks are safe. */
#ifndef RLXC_IR_EXPR_H
#define RLXC_IR_EXPR_H

#include "compiler/base/context.h"

#include <string.h>

typedef struct rlxc_expr rlxc_expr;
typedef struct rlxc_buffer rlxc_buffer;

/* X(kind, Python spelling or NULL): the kinds in tables for parser, printer, folding and codegen.
 * Among the binary kinds, "and" and "or" are listed apart: they may skip their second operand. */
#define RLXC_NUMBER_EXPRS(X)                                                            \
    X(ADD, "+")                                                                         \
    X(SUB, "-")                                                                         \
    X(MUL, "*")                                                                         \
    X(DIV, "/")  /* floats: true division; integers: truncating, printed T.Div(a, b) */ \
    X(MOD, NULL) /* truncating remainder, T.truncmod; floats: fmod */                   \
    X(FLOORDIV, "//")                                                                   \
    X(FLOORMOD, "%")                                                                    \
    X(MIN, NULL) /* T.min */                                                            \
    X(MAX, NULL) /* T.max */                                                            \
    X(EQ, "==")                                                                         \
    X(NE, "!=")                                                                         \
    X(LT, "<")                                                                          \
    X(LE, "<=")                                                                         \
    X(GT, ">")                                                                          \
    X(GE, ">=")
#define RLXC_BINARY_EXPRS(X) \
    RLXC_NUMBER_EXPRS(X)     \
    X(AND, "and")            \
    X(OR, "or")
#define RLXC_LEAF_EXPRS(X)                                                          \
    X(VAR, NULL)                                                                    \
    X(INT, NULL) /* integers and bool constants, sign- or zero-extended to int64 */ \
    X(FLOAT, NULL)                                                                  \
    X(STRING, NULL) /* only as an argument of a call */
#define RLXC_OTHER_EXPRS(X)                                                         \
    X(NOT, NULL)                                                                    \
    X(CAST, NULL)                                                                   \
    X(SELECT, NULL) /* T.Select: both sides evaluated */                            \
    X(LOAD, NULL)                                                                   \
    X(CALL, NULL) /* intrinsic by name ("exp", "if_then_else", "call_extern", ...): \
                     compiler/ir/intrinsics.def */                                  \
    X(LET, NULL)                                                                    \
    X(RAMP, NULL)                                                                   \
    X(BROADCAST, NULL)

typedef enum rlxc_expr_kind {
#define X(kind, text) RLXC_EXPR_##kind,
    RLXC_LEAF_EXPRS(X) RLXC_BINARY_EXPRS(X) RLXC_OTHER_EXPRS(X)
#undef X
} rlxc_expr_kind;
/* The labels of a whole table in a switch. */
#define RLXC_EXPR_CASE(kind, text) case RLXC_EXPR_##kind:

struct rlxc_expr {
    uint8_t kind;     /* rlxc_expr_kind */
    bool from_memory; /* uses the result of a load or call: any number of its type */
    uint16_t depth;
    rlx_dtype dtype; /* void/handle types: see rlxc_dtype_* */
    uint32_t id;     /* creation order; a stable order for canonical forms and printing */
    uint32_t hash;
    union {
        struct {
            const char *name;
            bool nonneg; /* a shape variable: known >= 0 */
        } var;
        int64_t i;
        double f;
        const char *s;
        struct {
            const rlxc_expr *a, *b;
        } bin; /* binary kinds; NOT, CAST use a */
        struct {
            const rlxc_expr *cond, *yes, *no;
        } select;
        struct {
            const rlxc_buffer *buffer;
            const rlxc_expr *const *indices;
            uint32_t n;
        } load;
        struct {
            const char *name; /* interned intrinsic name without "T." */
            const rlxc_expr *const *args;
            uint32_t n;
        } call;
        struct {
            const rlxc_expr *var, *value, *body;
        } let;
        struct {
            const rlxc_expr *base, *stride;
            uint32_t lanes;
        } ramp; /* BROADCAST: base = value, stride NULL */
    };
};

/* A buffer of a PrimFunc; equality is identity. */
struct rlxc_buffer {
    const char *name; /* printed name hint */
    rlx_dtype dtype;
    const rlxc_expr *const *shape;
    uint32_t ndim;
    const rlxc_expr *const *strides; /* NULL: compact row-major */
    const rlxc_expr *elem_offset;    /* NULL: 0 */
    const rlxc_expr *data;           /* the pointer variable (dtype handle) */
    const char *scope;               /* "global", "local", ... interned */
    uint32_t align, offset_factor;   /* 0: default */
    uint32_t id;
};

/* dtypes: rlx_dtype of the runtime's public header plus the two that exist only at compile time. */
rlx_dtype rlxc_dtype_handle(void);
rlx_dtype rlxc_dtype_void(void);
bool rlxc_dtype_is_void(rlx_dtype t);
bool rlxc_dtype_is_handle(rlx_dtype t);
bool rlxc_dtype_eq(rlx_dtype a, rlx_dtype b);
bool rlxc_dtype_is_int(rlx_dtype t);   /* signed or unsigned integer, not bool */
bool rlxc_dtype_is_byte(rlx_dtype t);  /* such an integer of 8 bits */
bool rlxc_dtype_is_float(rlx_dtype t); /* float16/32/64, bfloat16, float8 */
bool rlxc_is_short_float(rlx_dtype t); /* of 16 bits */
bool rlxc_dtype_is_float8(rlx_dtype t);
/* Types that are only stored, moved and converted: float8, and types smaller than a byte. */
bool rlxc_dtype_is_stored(rlx_dtype t);
bool rlxc_dtype_is_bool(rlx_dtype t);
/* "float32", "int32x4", "handle", "bool", "void" both ways. */
bool rlxc_dtype_parse(const char *text, size_t length, rlx_dtype *out);
const char *rlxc_dtype_name(rlxc_context *ctx, rlx_dtype t);
/* The names of all element types of tensors, as one list. */
const char *rlxc_dtype_names(rlxc_context *ctx);

/* A new variable, distinct from every other one, even of the same name. Shape variables are int64
 * and nonneg. */
const rlxc_expr *rlxc_var(rlxc_context *ctx, const char *name, rlx_dtype dtype);
const rlxc_expr *rlxc_shape_var(rlxc_context *ctx, const char *name);
/* A shape variable with a name not used by another one: |hint|, or |hint|_1 ... */
const rlxc_expr *rlxc_fresh_shape_var(rlxc_context *ctx, const char *hint);
/* A variable for the value of |of|, marked from_memory if |of| is. */
const rlxc_expr *rlxc_var_for(rlxc_context *ctx, const char *name, const rlxc_expr *of);
/* A new variable with the name, type and sign of |var|. */
const rlxc_expr *rlxc_var_like(rlxc_context *ctx, const rlxc_expr *var);
const rlxc_expr *rlxc_int(rlxc_context *ctx, rlx_dtype dtype,
                          int64_t value); /* wraps to the type */
const rlxc_expr *rlxc_i64(rlxc_context *ctx, int64_t value);
const rlxc_expr *rlxc_bool(rlxc_context *ctx, bool value);
const rlxc_expr *rlxc_float(rlxc_context *ctx, rlx_dtype dtype, double value);
const rlxc_expr *rlxc_string(rlxc_context *ctx, const char *text);
/* Operands of different types are unified as TVM does: a constant that fits takes the other's type,
 * unless it is 64 bits wide and the other is narrower (T.int64(2) * i gives int64); int32 meets
 * int64
 * -> int64; else the wider; integer meets float -> float. Scalars meet vectors -> broadcast.
 * Comparisons give bool. */
const rlxc_expr *rlxc_binary(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                             const rlxc_expr *b);
const rlxc_expr *rlxc_add(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);
const rlxc_expr *rlxc_sub(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);
const rlxc_expr *rlxc_mul(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);
const rlxc_expr *rlxc_not(rlxc_context *ctx, const rlxc_expr *a);
const rlxc_expr *rlxc_cast(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *a);
const rlxc_expr *rlxc_select(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_expr *yes,
                             const rlxc_expr *no);
const rlxc_expr *rlxc_load(rlxc_context *ctx, const rlxc_buffer *buffer,
                           const rlxc_expr *const *indices, uint32_t n);
/* |a| to the power |b|, both floats: a product for the exponents 2 and 3, else the intrinsic pow.
 */
const rlxc_expr *rlxc_pow(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);
const rlxc_expr *rlxc_call(rlxc_context *ctx, rlx_dtype dtype, const char *name,
                           const rlxc_expr *const *args, uint32_t n);
const rlxc_expr *rlxc_let(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *value,
                          const rlxc_expr *body);
const rlxc_expr *rlxc_ramp(rlxc_context *ctx, const rlxc_expr *base, const rlxc_expr *stride,
                           uint32_t lanes);
const rlxc_expr *rlxc_broadcast(rlxc_context *ctx, const rlxc_expr *value, uint32_t lanes);

rlxc_buffer *rlxc_buffer_new(rlxc_context *ctx, const char *name, rlx_dtype dtype,
                             const rlxc_expr *const *shape, uint32_t ndim);

bool rlxc_is_int(const rlxc_expr *e, int64_t *out);    /* an integer constant */
bool rlxc_is_const(const rlxc_expr *e, int64_t value); /* the integer constant |value| */
/* The value of an attribute T.index_map(...): a call "index_map" whose arguments are the number of
 * parameters, the parameters (fresh variables) and the results. */
bool rlxc_is_index_map(const rlxc_expr *e);
static inline bool rlxc_is_binary(const rlxc_expr *e)
{
    return e->kind >= RLXC_EXPR_ADD && e->kind <= RLXC_EXPR_OR;
}
bool rlxc_is_compare(rlxc_expr_kind kind); /* EQ NE LT LE GT GE */
/* True for if_then_else(condition, value, other), which evaluates one of both values. */
static inline bool rlxc_is_choice(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n == 3 && strcmp(e->call.name, "if_then_else") == 0;
}
/* True for T.address_of(an element of |buffer|'s memory). */
static inline bool rlxc_takes_address(const rlxc_expr *e, const rlxc_buffer *buffer)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n > 0 && e->call.args[0]->kind == RLXC_EXPR_LOAD &&
           e->call.args[0]->load.buffer->data == buffer->data &&
           strcmp(e->call.name, "address_of") == 0;
}

/* Rebuilds |e| with |leaf| applied to VAR and LOAD nodes; NULL keeps the node and continues with
 * its indices. Memoised: linear in the size of the DAG. */
typedef const rlxc_expr *(*rlxc_expr_fn)(void *user, const rlxc_expr *e);
const rlxc_expr *rlxc_expr_rewrite(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_fn leaf,
                                   void *user);
/* The same, but calls |node| for every node, before the nodes inside it. */
const rlxc_expr *rlxc_expr_rewrite_all(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_fn node,
                                       void *user);
/* Replaces variables: |vars[i]| by |values[i]|. */
const rlxc_expr *rlxc_substitute(rlxc_context *ctx, const rlxc_expr *e,
                                 const rlxc_expr *const *vars, const rlxc_expr *const *values,
                                 uint32_t n);
/* Calls |visit| once for each distinct node reachable, children first; stops when it returns false.
 */
typedef bool (*rlxc_expr_visit_fn)(void *user, const rlxc_expr *e);
bool rlxc_expr_visit(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_visit_fn visit, void *user);
bool rlxc_expr_uses_var(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var);
/* True if |e| reads a buffer. */
bool rlxc_expr_loads(rlxc_context *ctx, const rlxc_expr *e);

#endif
