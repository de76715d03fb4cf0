/* Operators that write at indices given by a tensor: scatter_elements, scatter_nd, index_put.
 *
 * The result begins as a copy of the data; then one block without axes applies the updates in
 * order, so that repeated indices are well defined. Indices are data: they are clipped to the
 * buffer (rlxc_te_position), and an empty buffer is not written. */
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

static bool check(const rlxc_call_view *v)
{
    rlx_dtype t = v->in[1]->dtype, dtype;
    if (!rlxc_dtype_is_void(t) && !rlxc_dtype_is_int(t)) {
        rlxc_infer_fail(v, 1, "expected integers, got %s", rlxc_sinfo_text(v->ctx, v->in[1]));
        return false;
    }
    return rlxc_common_dtype(v, 0, 2, &dtype);
}

/* How the call combines an element with an update. */
static const char *reduction(const rlxc_binding *call)
{
    if (strcmp(call->op->name, "index_put") == 0)
        return rlxc_attr_get_bool(call, "accumulate", false) ? "add" : "update";
    return rlxc_attr_get_str(call, "reduction", "update");
}

static const rlxc_expr *combined(rlxc_te *te, const rlxc_expr *old, const rlxc_expr *update)
{
    const char *how = reduction(te->call);
    if (strcmp(how, "update") == 0)
        return update;
    rlxc_expr_kind kind = strcmp(how, "add") == 0   ? RLXC_EXPR_ADD
                          : strcmp(how, "mul") == 0 ? RLXC_EXPR_MUL
                          : strcmp(how, "min") == 0 ? RLXC_EXPR_MIN
                                                    : RLXC_EXPR_MAX;
    return rlxc_binary(te->ctx, kind, old, update);
}

/* Checks that the updates have |n| dimensions. */
static bool has_rank(const rlxc_call_view *v, uint32_t n)
{
    const rlxc_sinfo *updates = v->in[2];
    if (updates->ndim == RLXC_UNKNOWN_NDIM || updates->ndim == (int32_t)n)
        return true;
    rlxc_infer_fail(v, 2, "expected %u dimensions, to fit the indices, got %s", n,
                    rlxc_sinfo_text(v->ctx, updates));
    return false;
}

static void copy_data(rlxc_te *te, const rlxc_te_operand *x, const rlxc_buffer *out)
{
    rlxc_te_spatial(te, "T_copy", out);
    rlxc_te_store(te, out, rlxc_te_get(te, x, te->axes));
}

/* out[at] = combine(out[at], update), if |guard|, in loops over |dims|. The guard is tested outside
 * of the loops whose variables it does not use. */
static void walk_updates(rlxc_te *te, const rlxc_buffer *out, const rlxc_expr *const *at,
                         const rlxc_expr *update, const rlxc_expr *guard,
                         const rlxc_expr *const *loops, const rlxc_expr *const *dims, uint32_t n)
{
    rlxc_te_block(te, "T_scatter");
    const rlxc_expr *value = combined(te, rlxc_te_load(te, out, at), update);
    const rlxc_stmt *body = rlxc_stmt_store(te->ctx, out, at, out->ndim, value);
    for (uint32_t i = n; i-- > 0;) {
        if (guard && rlxc_expr_uses_var(te->ctx, guard, loops[i])) {
            body = rlxc_stmt_if(te->ctx, guard, body, NULL);
            guard = NULL;
        }
        body =
            rlxc_stmt_for(te->ctx, loops[i], rlxc_i64(te->ctx, 0), dims[i], RLXC_LOOP_SERIAL, body);
    }
    rlxc_te_body(te, NULL, guard ? rlxc_stmt_if(te->ctx, guard, body, NULL) : body);
}

static const rlxc_expr *both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return a ? rlxc_binary(ctx, RLXC_EXPR_AND, a, b) : b;
}

static void make_loops(rlxc_context *ctx, const rlxc_expr **out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
}

const rlxc_sinfo *rlxc_infer_scatter_elements(rlxc_context *ctx, const rlxc_module *module,
                                              const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check(&v))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    for (uint32_t i = 1; i < 3; i++)
        if (x->ndim != RLXC_UNKNOWN_NDIM && v.in[i]->ndim != RLXC_UNKNOWN_NDIM &&
            v.in[i]->ndim != x->ndim)
            return rlxc_infer_fail(&v, i, "expected %d dimensions as the data, got %d", x->ndim,
                                   v.in[i]->ndim);
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), x->ndim, &axis))
        return NULL;
    bool known = rlxc_dims_known(v.in[1]) && rlxc_dims_known(v.in[2]);
    for (uint32_t i = 0; known && i < (uint32_t)v.in[1]->ndim; i++)
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, 1, i), rlxc_size_of(&v, 2, i)))
            return NULL;
    return x;
}

rlxc_atom rlxc_legalize_scatter_elements(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    if (!rlxc_te_begin(&te, b, call, "scatter_elements", RLXC_PATTERN_OPAQUE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), te.out->ndim, &axis))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data"),
                    indices = rlxc_te_operand_of(&te, 1, "indices"),
                    updates = rlxc_te_operand_of(&te, 2, "updates");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_scatter");
    const rlxc_expr *loops[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM], *guard = NULL;
    copy_data(&te, &x, out);
    make_loops(ctx, loops, indices.ndim);
    for (uint32_t i = 0; i < out->ndim; i++) {
        const rlxc_expr *n = out->shape[i], *low = i == axis ? rlxc_i64(ctx, 0) : loops[i];
        at[i] = i == axis ? rlxc_te_position(ctx, rlxc_te_get(&te, &indices, loops), n, false)
                          : loops[i];
        bool safe = i == axis ? rlxc_prove_lt(ctx, low, n, NULL)
                              : rlxc_prove_le(ctx, indices.dims[i], n, NULL);
        if (!safe)
            guard = both(ctx, guard, rlxc_binary(ctx, RLXC_EXPR_LT, low, n));
    }
    walk_updates(&te, out, at, rlxc_te_get(&te, &updates, loops), guard, loops, indices.dims,
                 indices.ndim);
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_scatter_nd(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t depth;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check(&v))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *indices = v.in[1];
    if (indices->ndim == 0)
        return rlxc_infer_fail(&v, 1, "expected at least 1 dimension, got a scalar");
    if (x->ndim != RLXC_UNKNOWN_NDIM && rlxc_dims_known(indices) &&
        rlxc_is_int(indices->dims[indices->ndim - 1], &depth) && depth > x->ndim)
        return rlxc_infer_fail(&v, 1, "index vectors of %lld do not fit %d dimensions",
                               (long long)depth, x->ndim);
    const rlxc_sinfo *updates = v.in[2];
    if (x->ndim != RLXC_UNKNOWN_NDIM && indices->ndim != RLXC_UNKNOWN_NDIM &&
        updates->ndim != RLXC_UNKNOWN_NDIM &&
        (updates->ndim < indices->ndim - 1 || updates->ndim > indices->ndim - 1 + x->ndim))
        return rlxc_infer_fail(&v, 2, "expected %d to %d dimensions, to fit the indices, got %s",
                               indices->ndim - 1, indices->ndim - 1 + x->ndim,
                               rlxc_sinfo_text(ctx, updates));
    if (x->ndim == RLXC_UNKNOWN_NDIM || !rlxc_dims_known(indices) ||
        !rlxc_is_int(indices->dims[indices->ndim - 1], &depth))
        return x;
    uint32_t last = (uint32_t)indices->ndim - 1, n = last + (uint32_t)(x->ndim - depth);
    if (!has_rank(&v, n))
        return NULL;
    for (uint32_t i = 0; rlxc_dims_known(x) && rlxc_dims_known(updates) && i < n; i++)
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, 2, i),
                                i < last ? rlxc_size_of(&v, 1, i)
                                         : rlxc_size_of(&v, 0, i - last + (uint32_t)depth)))
            return NULL;
    return x;
}

/* R.scatter_nd whose slices have several dimensions: they are flattened to rows, so that the
 * innermost loop is long. The result is a view. */
static rlxc_atom scatter_rows(rlxc_builder *b, const rlxc_binding *call, const rlxc_sinfo *x,
                              const rlxc_sinfo *updates, uint32_t depth)
{
    rlxc_context *ctx = b->ctx;
    const uint32_t rest = (uint32_t)x->ndim - depth, lead = (uint32_t)updates->ndim - rest;
    const rlxc_expr *dims[2 * RLXC_MAX_NDIM];
    rlxc_atom args[3] = {{0}, call->args[1], {0}};
    memcpy(dims, x->dims, depth * sizeof dims[0]);
    dims[depth] = rlxc_product(ctx, x->dims + depth, rest);
    args[0] = rlxc_lower_reshape(b, call, call->args[0], dims, depth + 1);
    memcpy(dims, updates->dims, lead * sizeof dims[0]);
    dims[lead] = rlxc_product(ctx, x->dims + depth, rest);
    args[2] = rlxc_lower_reshape(b, call, call->args[2], dims, lead + 1);
    return rlxc_lower_reshape(b, call, rlxc_lower_op(b, call, "scatter_nd", args, 3, call->attrs),
                              x->dims, (uint32_t)x->ndim);
}

rlxc_atom rlxc_legalize_scatter_nd(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    int64_t depth;
    const rlxc_sinfo *data = rlxc_atom_sinfo(ctx, b->module, call->args[0]);
    const rlxc_sinfo *vectors = rlxc_atom_sinfo(ctx, b->module, call->args[1]);
    const rlxc_sinfo *given = rlxc_atom_sinfo(ctx, b->module, call->args[2]);
    if (rlxc_dims_known(data) && rlxc_dims_known(vectors) && rlxc_dims_known(given) &&
        rlxc_is_int(vectors->dims[vectors->ndim - 1], &depth) && data->ndim - depth > 1)
        return scatter_rows(b, call, data, given, (uint32_t)depth);
    if (!rlxc_te_begin(&te, b, call, "scatter_nd", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data"),
                    indices = rlxc_te_operand_of(&te, 1, "indices"),
                    updates = rlxc_te_operand_of(&te, 2, "updates");
    uint32_t last = indices.ndim - 1;
    if (!rlxc_is_int(indices.dims[last], &depth)) {
        rlxc_infer_fail(&te.view, 1, "its last dimension must be constant");
        return (rlxc_atom){0};
    }
    const rlxc_buffer *out = rlxc_te_output(&te, "T_scatter_nd");
    const rlxc_expr *dims[2 * RLXC_MAX_NDIM], *loops[2 * RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM],
        *where[RLXC_MAX_NDIM], *guard = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < last; i++)
        dims[n++] = indices.dims[i];
    for (uint32_t i = (uint32_t)depth; i < out->ndim; i++)
        dims[n++] = out->shape[i];
    copy_data(&te, &x, out);
    make_loops(ctx, loops, n);
    memcpy(where, loops, last * sizeof where[0]);
    for (uint32_t i = 0; i < out->ndim; i++) {
        if (i >= (uint32_t)depth) {
            at[i] = loops[last + i - (uint32_t)depth];
            continue;
        }
        where[last] = rlxc_i64(ctx, i);
        at[i] = rlxc_te_position(ctx, rlxc_te_get(&te, &indices, where), out->shape[i], false);
        if (!rlxc_prove_lt(ctx, rlxc_i64(ctx, 0), out->shape[i], NULL))
            guard =
                both(ctx, guard, rlxc_binary(ctx, RLXC_EXPR_LT, rlxc_i64(ctx, 0), out->shape[i]));
    }
    walk_updates(&te, out, at, rlxc_te_get(&te, &updates, loops), guard, loops, dims, n);
    return rlxc_te_finish(&te);
}

/* --- index_put --- */

const rlxc_sinfo *rlxc_infer_index_put(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 2, &dtype))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *values = v.in[2], *where = rlxc_index_dims(&v, 1);
    if (!where || !rlxc_dims_known(where) || !rlxc_dims_known(x) || !rlxc_dims_known(values))
        return where ? x : NULL;
    int32_t depth = (int32_t)v.in[1]->n_fields, n = where->ndim + x->ndim - depth,
            missing = n - values->ndim;
    if (missing < 0)
        return rlxc_infer_fail(&v, 2, "expected at most %d dimensions, got %s", n,
                               rlxc_sinfo_text(ctx, values));
    for (int32_t i = missing; i < n; i++) {
        rlxc_size to = i < where->ndim ? rlxc_size_in(&v, where, (uint32_t)i)
                                       : rlxc_size_of(&v, 0, (uint32_t)(i - where->ndim + depth));
        if (!rlxc_require(&v, RLXC_FITS, rlxc_size_of(&v, 2, (uint32_t)(i - missing)), to))
            return NULL;
    }
    return x;
}

rlxc_atom rlxc_legalize_index_put(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "index_put", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    const rlxc_sinfo *where = rlxc_index_dims(&te.view, 1);
    if (!where)
        return (rlxc_atom){0};
    const rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data");
    uint32_t depth = te.view.in[1]->n_fields, rank = (uint32_t)where->ndim, n = rank;
    const rlxc_expr *dims[2 * RLXC_MAX_NDIM], *loops[2 * RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM],
        *guard = NULL, *zero = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = rlxc_te_expr(&te, where->dims[i]);
    make_loops(ctx, loops, rank);
    for (uint32_t i = 0; i < depth; i++) {
        rlxc_te_operand index = rlxc_te_field_of(&te, 1, i, rlxc_internf(ctx, "i%u", i));
        at[i] = rlxc_te_position(ctx, rlxc_te_get_broadcast(&te, &index, loops, dims, rank),
                                 x.dims[i], false);
        if (!rlxc_prove_lt(ctx, zero, x.dims[i], NULL))
            guard = both(ctx, guard, rlxc_binary(ctx, RLXC_EXPR_LT, zero, x.dims[i]));
    }
    for (uint32_t i = depth; i < x.ndim; i++, n++) {
        dims[n] = x.dims[i];
        at[i] = loops[n] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", n), RLX_I64);
    }
    rlxc_te_operand values = rlxc_te_operand_of(&te, 2, "values");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_index_put");
    copy_data(&te, &x, out);
    walk_updates(&te, out, at, rlxc_te_get_broadcast(&te, &values, loops, dims, n), guard, loops,
                 dims, n);
    return rlxc_te_finish(&te);
}
