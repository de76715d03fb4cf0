/* Struct info: the compile-time type of a Relax value. Interned and immutable: equality is ==.
 * Unknown rank (ndim == RLXC_UNKNOWN_NDIM), unknown dimensions (ndim known, dims NULL) and a scalar
 * (ndim 0, dims non-NULL) are three different things. Dimensions are canonical int64 expressions
 * (sym.h). */
#ifndef RLXC_IR_SINFO_H
#define RLXC_IR_SINFO_H

#include "compiler/ir/expr.h"

typedef enum rlxc_sinfo_kind {
    RLXC_SINFO_OBJECT,
    RLXC_SINFO_PRIM,
    RLXC_SINFO_SHAPE,
    RLXC_SINFO_TENSOR,
    RLXC_SINFO_TUPLE,
    RLXC_SINFO_CALLABLE
} rlxc_sinfo_kind;

enum { RLXC_UNKNOWN_NDIM = -1, RLXC_MAX_NDIM = RLX_MAX_NDIM };

typedef struct rlxc_sinfo rlxc_sinfo;
struct rlxc_sinfo {
    rlxc_sinfo_kind kind;
    uint32_t id, hash;
    uint16_t depth;
    rlx_dtype dtype;                 /* PRIM; TENSOR (void: unknown dtype) */
    const rlxc_expr *value;          /* PRIM: value or NULL */
    int32_t ndim;                    /* SHAPE, TENSOR */
    const rlxc_expr *const *dims;    /* SHAPE, TENSOR: ndim canonical expressions, or NULL: unknown
                                        (never NULL for ndim 0 known) */
    const char *vdevice;             /* TENSOR: "llvm:0" or NULL */
    const rlxc_sinfo *const *fields; /* TUPLE fields, CALLABLE params */
    uint32_t n_fields;
    const rlxc_sinfo *ret; /* CALLABLE; NULL with opaque */
    bool opaque, pure;     /* CALLABLE: opaque = parameters unknown (R.Callable) */
};

const rlxc_sinfo *rlxc_sinfo_object(rlxc_context *ctx);
const rlxc_sinfo *rlxc_sinfo_prim(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *value);
/* |dims| are canonicalised here. NULL dims with ndim >= 1 or unknown: unknown dims. For ndim 0 a
 * scalar/empty shape is made. */
const rlxc_sinfo *rlxc_sinfo_shape(rlxc_context *ctx, int32_t ndim, const rlxc_expr *const *dims);
const rlxc_sinfo *rlxc_sinfo_tensor(rlxc_context *ctx, rlx_dtype dtype, int32_t ndim,
                                    const rlxc_expr *const *dims, const char *vdevice);
const rlxc_sinfo *rlxc_sinfo_tuple(rlxc_context *ctx, const rlxc_sinfo *const *fields, uint32_t n);
const rlxc_sinfo *rlxc_sinfo_callable(rlxc_context *ctx, const rlxc_sinfo *const *params,
                                      uint32_t n, const rlxc_sinfo *ret, bool pure);
const rlxc_sinfo *rlxc_sinfo_callable_opaque(rlxc_context *ctx, const rlxc_sinfo *ret, bool pure);

/* A value of |a| is always a value of |b| (a is at least as precise and provably agrees). */
bool rlxc_sinfo_subsumes(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a);
/* a can be a value of b with run-time checks (nothing contradicts). */
bool rlxc_sinfo_compatible(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a);
/* The most precise type that both are (joins of If branches). */
const rlxc_sinfo *rlxc_sinfo_join(rlxc_context *ctx, const rlxc_sinfo *a, const rlxc_sinfo *b);
/* Substitutes symbolic variables. */
const rlxc_sinfo *rlxc_sinfo_substitute(rlxc_context *ctx, const rlxc_sinfo *s,
                                        const rlxc_expr *const *vars,
                                        const rlxc_expr *const *values, uint32_t n);
/* Makes every dimension and value unknown that uses a variable for which |keep| returns false; used
 * when a value leaves a scope. */
const rlxc_sinfo *rlxc_sinfo_erase(rlxc_context *ctx, const rlxc_sinfo *s,
                                   bool (*keep)(void *user, const rlxc_expr *var), void *user);
/* Matches |pattern| (its lone variables bind) against |value|: pushes var/value pairs; false where
 * they contradict. Dimensions of value that are unknown bind nothing. Used for calls (callee
 * signature against arguments) and PrimFunc dims. */
typedef struct rlxc_bindings {
    RLXC_VEC(const rlxc_expr *) vars;
    RLXC_VEC(const rlxc_expr *) values;
} rlxc_bindings;
bool rlxc_sinfo_match(rlxc_context *ctx, const rlxc_sinfo *pattern, const rlxc_sinfo *value,
                      rlxc_bindings *io_bindings);
/* Appends each distinct symbolic variable in order of first appearance. */
typedef struct rlxc_var_list {
    RLXC_VEC(const rlxc_expr *) vars;
} rlxc_var_list;
bool rlxc_has_var(const rlxc_var_list *list, const rlxc_expr *var);
void rlxc_collect_vars(rlxc_context *ctx, const rlxc_expr *e, rlxc_var_list *io_list);
void rlxc_sinfo_collect_vars(rlxc_context *ctx, const rlxc_sinfo *s, rlxc_var_list *io_list);
/* As printed: R.Tensor((n, 4), dtype="float32"). Declared here, defined by script/print. */
const char *rlxc_sinfo_text(rlxc_context *ctx, const rlxc_sinfo *s);

#endif
