/* Relations between struct infos: subsumption, compatibility, join, matching.
 *
 * "Proved" and "possible" are the two sides of one comparison: subsumes() requires every equality
 * to be proved, compatible() only that none is refuted. Unknown parts (rank, dimensions, dtype
 * void, values) are below every known part. Matching takes two rounds, because an expression over a
 * symbol may come before the dimension that binds it. */
#include "compiler/ir/sinfo.h"

#include "compiler/ir/sym.h"

/* PROVED: a value of |a| is a value of |b|. POSSIBLE: some value may be of both. */
typedef enum strength { PROVED, POSSIBLE } strength;

static bool related(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a, strength want);

static bool same_dim(rlxc_context *ctx, const rlxc_expr *b, const rlxc_expr *a, strength want)
{
    if (a == b)
        return true;
    return want == PROVED ? rlxc_prove_eq(ctx, a, b, NULL) : !rlxc_prove_ne(ctx, a, b, NULL);
}

static bool dtype_related(rlx_dtype b, rlx_dtype a, strength want)
{
    return rlxc_dtype_is_void(b) || rlxc_dtype_eq(a, b) ||
           (want == POSSIBLE && rlxc_dtype_is_void(a));
}

static bool dims_related(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a, strength want)
{
    if (b->ndim == RLXC_UNKNOWN_NDIM)
        return true;
    if (a->ndim == RLXC_UNKNOWN_NDIM)
        return want == POSSIBLE;
    if (a->ndim != b->ndim)
        return false;
    if (!b->dims)
        return true;
    if (!a->dims)
        return want == POSSIBLE;
    for (int32_t i = 0; i < b->ndim; i++)
        if (!same_dim(ctx, b->dims[i], a->dims[i], want))
            return false;
    return true;
}

/* Callables: parameters are contravariant. The symbols of a callable's parameters are its own, so
 * those of |a| are first renamed to |b|'s. */
static bool callables_related(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a,
                              strength want)
{
    if (b->pure && !a->pure)
        return false;
    if (b->opaque || a->opaque) {
        if (!b->opaque && want == PROVED)
            return false;
        if (!b->ret)
            return true;
        return a->ret ? related(ctx, b->ret, a->ret, POSSIBLE) : want == POSSIBLE;
    }
    if (a->n_fields != b->n_fields)
        return false;
    rlxc_bindings renamed = {0};
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (!rlxc_sinfo_match(ctx, a->fields[i], b->fields[i], &renamed))
            return false;
    for (uint32_t i = 0; i < a->n_fields; i++) {
        const rlxc_sinfo *param = rlxc_sinfo_substitute(ctx, a->fields[i], renamed.vars.items,
                                                        renamed.values.items, renamed.vars.count);
        if (!related(ctx, param, b->fields[i], want))
            return false;
    }
    const rlxc_sinfo *ret = rlxc_sinfo_substitute(ctx, a->ret, renamed.vars.items,
                                                  renamed.values.items, renamed.vars.count);
    return related(ctx, b->ret, ret, want);
}

static bool related(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a, strength want)
{
    if (a == b || b->kind == RLXC_SINFO_OBJECT)
        return true;
    if (a->kind != b->kind)
        return want == POSSIBLE && a->kind == RLXC_SINFO_OBJECT;
    switch (b->kind) {
    case RLXC_SINFO_OBJECT:
        return true;
    case RLXC_SINFO_PRIM:
        if (!dtype_related(b->dtype, a->dtype, want))
            return false;
        if (!b->value)
            return true;
        return a->value ? same_dim(ctx, b->value, a->value, want) : want == POSSIBLE;
    case RLXC_SINFO_SHAPE:
        return dims_related(ctx, b, a, want);
    case RLXC_SINFO_TENSOR:
        if (b->vdevice && b->vdevice != a->vdevice && (a->vdevice || want == PROVED))
            return false;
        return dtype_related(b->dtype, a->dtype, want) && dims_related(ctx, b, a, want);
    case RLXC_SINFO_TUPLE:
        if (a->n_fields != b->n_fields)
            return false;
        for (uint32_t i = 0; i < b->n_fields; i++)
            if (!related(ctx, b->fields[i], a->fields[i], want))
                return false;
        return true;
    case RLXC_SINFO_CALLABLE:
        return callables_related(ctx, b, a, want);
    }
    return false;
}

bool rlxc_sinfo_subsumes(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a)
{
    return related(ctx, b, a, PROVED);
}

bool rlxc_sinfo_compatible(rlxc_context *ctx, const rlxc_sinfo *b, const rlxc_sinfo *a)
{
    return related(ctx, b, a, POSSIBLE);
}

/* --- join ------------------------------------------------------------------------------------- */

/* The common dimensions of two SHAPEs or TENSORs; rank and dims as the constructors take them. */
static const rlxc_expr *const *join_dims(rlxc_context *ctx, const rlxc_sinfo *a,
                                         const rlxc_sinfo *b, int32_t *out_ndim)
{
    if (a->ndim != b->ndim) {
        *out_ndim = RLXC_UNKNOWN_NDIM;
        return NULL;
    }
    *out_ndim = a->ndim;
    if (!a->dims || !b->dims)
        return NULL;
    for (int32_t i = 0; i < a->ndim; i++)
        if (!same_dim(ctx, a->dims[i], b->dims[i], PROVED))
            return NULL;
    return a->dims;
}

const rlxc_sinfo *rlxc_sinfo_join(rlxc_context *ctx, const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    if (a == b)
        return a;
    if (a->kind != b->kind)
        return rlxc_sinfo_object(ctx);
    int32_t ndim;
    switch (a->kind) {
    case RLXC_SINFO_OBJECT:
        return a;
    case RLXC_SINFO_PRIM:
        if (!rlxc_dtype_eq(a->dtype, b->dtype))
            return rlxc_sinfo_object(ctx);
        return a->value && b->value && same_dim(ctx, a->value, b->value, PROVED)
                   ? a
                   : rlxc_sinfo_prim(ctx, a->dtype, NULL);
    case RLXC_SINFO_SHAPE: {
        const rlxc_expr *const *dims = join_dims(ctx, a, b, &ndim);
        return rlxc_sinfo_shape(ctx, ndim, dims);
    }
    case RLXC_SINFO_TENSOR: {
        const rlxc_expr *const *dims = join_dims(ctx, a, b, &ndim);
        rlx_dtype dtype = rlxc_dtype_eq(a->dtype, b->dtype) ? a->dtype : rlxc_dtype_void();
        return rlxc_sinfo_tensor(ctx, dtype, ndim, dims,
                                 a->vdevice == b->vdevice ? a->vdevice : NULL);
    }
    case RLXC_SINFO_TUPLE: {
        if (a->n_fields != b->n_fields)
            return rlxc_sinfo_object(ctx);
        const rlxc_sinfo **fields = rlxc_alloc(ctx, (a->n_fields + 1) * sizeof(const rlxc_sinfo *));
        for (uint32_t i = 0; i < a->n_fields; i++)
            fields[i] = rlxc_sinfo_join(ctx, a->fields[i], b->fields[i]);
        return rlxc_sinfo_tuple(ctx, fields, a->n_fields);
    }
    case RLXC_SINFO_CALLABLE:
        if (rlxc_sinfo_subsumes(ctx, a, b))
            return a;
        if (rlxc_sinfo_subsumes(ctx, b, a))
            return b;
        return rlxc_sinfo_callable_opaque(
            ctx, a->ret && b->ret ? rlxc_sinfo_join(ctx, a->ret, b->ret) : NULL,
            a->pure && b->pure);
    }
    return rlxc_sinfo_object(ctx);
}

/* --- matching --------------------------------------------------------------------------------- */

typedef struct matcher {
    rlxc_context *ctx;
    rlxc_bindings *bindings;
    bool checking; /* second round: expressions of bound symbols are compared */
} matcher;

/* The symbol that a pattern's dimension binds: a lone variable, or one of another integer type that
 * was widened to int64. */
static const rlxc_expr *lone_var(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_CAST)
        e = e->bin.a;
    return e->kind == RLXC_EXPR_VAR ? e : NULL;
}

static bool match_expr(matcher *m, const rlxc_expr *pattern, const rlxc_expr *value)
{
    rlxc_bindings *b = m->bindings;
    const rlxc_expr *var = lone_var(pattern);
    if (var && !m->checking) {
        for (uint32_t i = 0; i < b->vars.count; i++)
            if (b->vars.items[i] == var)
                return !rlxc_prove_ne(m->ctx, b->values.items[i], value, NULL);
        RLXC_PUSH(m->ctx, &b->vars, var);
        if (b->values.count < b->vars.count)
            RLXC_PUSH(m->ctx, &b->values, value);
        /* If either push ran out of memory, keep the two lists equally long. */
        if (b->values.count < b->vars.count)
            b->vars.count = b->values.count;
        return true;
    }
    if (var || !m->checking)
        return true;
    if (pattern->kind == RLXC_EXPR_INT)
        return !rlxc_prove_ne(m->ctx, pattern, value, NULL);
    /* Compare only expressions whose symbols are all bound: an unbound symbol of the pattern is
     * unrelated to the same symbol in the value. */
    rlxc_var_list used = {0};
    rlxc_collect_vars(m->ctx, pattern, &used);
    for (uint32_t i = 0; i < used.vars.count; i++) {
        bool bound = false;
        for (uint32_t k = 0; k < b->vars.count && !bound; k++)
            bound = b->vars.items[k] == used.vars.items[i];
        if (!bound)
            return true;
    }
    const rlxc_expr *e =
        rlxc_substitute(m->ctx, pattern, b->vars.items, b->values.items, b->vars.count);
    return !rlxc_prove_ne(m->ctx, e, value, NULL);
}

static bool match(matcher *m, const rlxc_sinfo *pattern, const rlxc_sinfo *value)
{
    if (pattern->kind == RLXC_SINFO_OBJECT || value->kind == RLXC_SINFO_OBJECT)
        return true;
    if (pattern->kind != value->kind)
        return false;
    switch (pattern->kind) {
    case RLXC_SINFO_OBJECT:
        return true;
    case RLXC_SINFO_PRIM:
        if (!dtype_related(pattern->dtype, value->dtype, POSSIBLE))
            return false;
        return !pattern->value || !value->value || match_expr(m, pattern->value, value->value);
    case RLXC_SINFO_TENSOR:
        if (!dtype_related(pattern->dtype, value->dtype, POSSIBLE) ||
            (pattern->vdevice && value->vdevice && pattern->vdevice != value->vdevice))
            return false;
        /* fall through */
    case RLXC_SINFO_SHAPE:
        if (pattern->ndim == RLXC_UNKNOWN_NDIM || value->ndim == RLXC_UNKNOWN_NDIM)
            return true;
        if (pattern->ndim != value->ndim)
            return false;
        if (!pattern->dims || !value->dims)
            return true;
        for (int32_t i = 0; i < pattern->ndim; i++)
            if (!match_expr(m, pattern->dims[i], value->dims[i]))
                return false;
        return true;
    case RLXC_SINFO_TUPLE:
        if (pattern->n_fields != value->n_fields)
            return false;
        for (uint32_t i = 0; i < pattern->n_fields; i++)
            if (!match(m, pattern->fields[i], value->fields[i]))
                return false;
        return true;
    case RLXC_SINFO_CALLABLE:
        return rlxc_sinfo_compatible(m->ctx, pattern, value);
    }
    return false;
}

bool rlxc_sinfo_match(rlxc_context *ctx, const rlxc_sinfo *pattern, const rlxc_sinfo *value,
                      rlxc_bindings *io_bindings)
{
    matcher m = {ctx, io_bindings, false};
    if (!match(&m, pattern, value))
        return false;
    m.checking = true;
    return match(&m, pattern, value);
}
