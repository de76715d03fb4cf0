/* layout_transform: elements moved to the positions that an index map gives.
 *
 * The dimensions of the result come from the largest value of each of the map's expressions over
 * the input's positions. The kernel fills the result with the pad value and then writes each input
 * element to its place, so no inverse of the map is needed; a place outside the result is not
 * written. */
#include "compiler/ops/te.h"

static const rlxc_expr *const *map_params(const rlxc_expr *map, uint32_t *out_n)
{
    *out_n = (uint32_t)map->call.args[0]->i;
    return map->call.args + 1;
}

static const rlxc_expr *const *map_results(const rlxc_expr *map, uint32_t *out_n)
{
    uint32_t n = (uint32_t)map->call.args[0]->i;
    *out_n = map->call.n - 1 - n;
    return map->call.args + 1 + n;
}

/* The largest value of |e| when variables[i] is at most highest[i]; NULL if the form of |e| does
 * not allow to tell. The expressions grow with each variable: sums, products and quotients by
 * positive constants, remainders. */
static const rlxc_expr *highest_of(rlxc_context *ctx, const rlxc_expr *e,
                                   const rlxc_expr *const *variables,
                                   const rlxc_expr *const *highest, uint32_t n)
{
    int64_t c;
    for (uint32_t i = 0; i < n; i++)
        if (e == variables[i])
            return highest[i];
    if (e->kind == RLXC_EXPR_INT)
        return e->i >= 0 ? e : NULL;
    if (e->kind == RLXC_EXPR_CAST)
        return highest_of(ctx, e->bin.a, variables, highest, n);
    if (e->kind != RLXC_EXPR_ADD && e->kind != RLXC_EXPR_MUL && e->kind != RLXC_EXPR_FLOORDIV &&
        e->kind != RLXC_EXPR_FLOORMOD)
        return NULL;
    const rlxc_expr *a = highest_of(ctx, e->bin.a, variables, highest, n);
    if (!a)
        return NULL;
    if (e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_MUL) {
        const rlxc_expr *b = highest_of(ctx, e->bin.b, variables, highest, n);
        return b ? rlxc_binary(ctx, (rlxc_expr_kind)e->kind, a, b) : NULL;
    }
    if (!rlxc_is_int(e->bin.b, &c) || c < 1)
        return NULL;
    if (e->kind == RLXC_EXPR_FLOORDIV)
        return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, a, e->bin.b);
    return rlxc_i64(ctx, c - 1); /* as TVM: a whole block, however little of it is used */
}

static const rlxc_expr *index_map_of(const rlxc_call_view *v)
{
    const rlxc_attr *attr = rlxc_attrs_find(&v->call->attrs, "index_map");
    if (attr && attr->kind == RLXC_ATTR_EXPR && rlxc_is_index_map(attr->expr))
        return attr->expr;
    rlxc_infer_error(v, "index_map must be a T.index_map(...)");
    return NULL;
}

const rlxc_sinfo *rlxc_infer_layout_transform(rlxc_context *ctx, const rlxc_module *module,
                                              const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_expr *map = index_map_of(&v);
    if (!map)
        return NULL;
    uint32_t n, n_out;
    const rlxc_expr *const *variables = map_params(map, &n), *const *results =
                                                                 map_results(map, &n_out);
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim != RLXC_UNKNOWN_NDIM && (uint32_t)x->ndim != n)
        return rlxc_infer_fail(&v, 0, "expected %u dimensions as the index map has, got %s", n,
                               rlxc_sinfo_text(ctx, x));
    if (n_out > RLXC_MAX_NDIM)
        return rlxc_infer_error(&v, "the result would have more than %d dimensions", RLXC_MAX_NDIM);
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)n_out);
    const rlxc_expr *highest[RLXC_MAX_NDIM], *one = rlxc_i64(ctx, 1);
    rlxc_bounds bounds = {0}; /* of the variables whose dimensions are constant */
    for (uint32_t i = 0; i < n; i++) {
        int64_t d;
        highest[i] = rlxc_canonical(ctx, rlxc_sub(ctx, x->dims[i], one), NULL);
        if (rlxc_is_int(x->dims[i], &d))
            rlxc_bounds_set(ctx, &bounds, variables[i], (rlxc_bound){0, d > 0 ? d - 1 : 0});
    }
    rlxc_dims dims = {.n = n_out};
    for (uint32_t i = 0; i < n_out; i++) {
        const rlxc_expr *most = highest_of(ctx, results[i], variables, highest, n);
        if (!most) {
            rlxc_bound b = rlxc_bound_of(ctx, results[i], &bounds);
            most = b.min >= 0 && b.max < INT64_MAX ? rlxc_i64(ctx, b.max) : NULL;
        }
        if (!most)
            return rlxc_infer_error(&v, "the extent of result %u of the index map is not known", i);
        dims.at[i] = rlxc_canonical(ctx, rlxc_add(ctx, rlxc_cast(ctx, RLX_I64, most), one), NULL);
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* The pad value as an element; 0 where none is given. */
static const rlxc_expr *pad_element(rlxc_te *te, rlx_dtype dtype)
{
    const rlxc_attr *attr = rlxc_attrs_find(&te->call->attrs, "pad_value");
    int64_t whole;
    if (attr && rlxc_attr_as_int(attr, &whole))
        return rlxc_cast(te->ctx, dtype, rlxc_i64(te->ctx, whole));
    return rlxc_te_number(te->ctx, dtype, rlxc_attr_get_float(te->call, "pad_value", 0));
}

rlxc_atom rlxc_legalize_layout_transform(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "layout_transform", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    const rlxc_expr *map = index_map_of(&te.view);
    if (!map)
        return (rlxc_atom){0};
    uint32_t n, n_out;
    const rlxc_expr *const *variables = map_params(map, &n), *const *results =
                                                                 map_results(map, &n_out);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_layout");
    rlxc_te_spatial(&te, "T_fill", out);
    rlxc_te_store(&te, out, pad_element(&te, out->dtype));
    rlxc_te_block(&te, "T_layout");
    const rlxc_expr *loops[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM], *inside = rlxc_bool(ctx, true);
    for (uint32_t i = 0; i < n; i++)
        loops[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
    for (uint32_t i = 0; i < n_out; i++) {
        at[i] = rlxc_cast(ctx, RLX_I64, rlxc_substitute(ctx, results[i], variables, loops, n));
        const rlxc_expr *low = rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), at[i]),
                        *high = rlxc_binary(ctx, RLXC_EXPR_LT, at[i], out->shape[i]);
        inside =
            rlxc_binary(ctx, RLXC_EXPR_AND, inside, rlxc_binary(ctx, RLXC_EXPR_AND, low, high));
    }
    const rlxc_stmt *body = rlxc_stmt_if(
        ctx, inside, rlxc_stmt_store(ctx, out, at, n_out, rlxc_te_get(&te, &x, loops)), NULL);
    for (uint32_t i = n; i-- > 0;)
        body = rlxc_stmt_for(ctx, loops[i], rlxc_i64(ctx, 0), x.dims[i], RLXC_LOOP_SERIAL, body);
    rlxc_te_body(&te, NULL, body);
    return rlxc_te_finish(&te);
}
