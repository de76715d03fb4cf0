/* Attention.
 *
 * attention(q, k, v) with layout (batch, sequence, head, size) is
 *   softmax(q k^T * scale + bias, masked) v   in layout (batch, head, sequence, size),
 * where a softcap c makes c tanh(q k^T * scale / c) of the scaled scores.
 * Heads of q may be a multiple of those of k and v: then so many of them in turn share one.
 * attention_as_stored reads k and v also in layout (batch, head, sequence, size), as caches are.
 * It becomes one kernel where the dimensions of the heads are constant; else it is composed of
 * matrix products and softmax. Sequences of several lengths: attention_packed.c. */
#include "compiler/ops/attention.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <math.h>
#include <string.h>

/* The value of hidden scores: softmax makes them 0 beside any other score, and all equal if every
 * score is hidden. */
static double hidden(rlx_dtype t)
{
    return t.bits == 64 ? -1.0e308 : -3.0e38;
}

/* The least score of a visible key, still so large that softmax makes hidden ones 0 beside it. A
 * bias may be lower (the least float, -inf) on every key that a query sees. */
static double least_seen(rlx_dtype t)
{
    return 0.5 * hidden(t);
}

/* Argument, dimension: equal to argument, dimension; the heads of the key also where heads share
 * them. */
static const uint32_t agree[][4] = {{1, 2, 0, 2}, {1, 0, 0, 0}, {1, 3, 0, 3},
                                    {2, 0, 0, 0}, {2, 2, 1, 2}, {2, 1, 1, 1}};

/* The operand's dimension |i|; NULL when unknown. */
static const rlxc_expr *dim(const rlxc_sinfo *s, uint32_t i)
{
    return rlxc_dims_known(s) ? s->dims[i] : NULL;
}

/* The number of query heads that share a key head: 1 if the head counts do not divide, 0 if that is
 * known only at run time. */
static int64_t heads_sharing(const rlxc_call_view *v)
{
    int64_t heads, shared;
    if (!rlxc_dims_known(v->in[0]) || !rlxc_dims_known(v->in[1]))
        return 1;
    const rlxc_expr *all = v->in[0]->dims[2], *one = v->in[1]->dims[2];
    if (!rlxc_is_int(all, &heads) || !rlxc_is_int(one, &shared))
        return rlxc_prove_eq(v->ctx, all, one, NULL) ? 1 : 0;
    return shared < 1 || heads < shared || heads % shared != 0 ? 1 : heads / shared;
}

/* True if keys and values are stored head by head. */
static bool is_by_head(const rlxc_binding *call)
{
    return strcmp(rlxc_attr_get_str(call, "layout", "BSHD"), "BHSD") == 0;
}

/* True if queries that see no key give zeros. */
static bool gives_zeros(const rlxc_binding *call)
{
    return rlxc_attr_get_bool(call, "unseen_zero", false);
}

/* True if keys that the causal mask or the window hides have the score *out, whatever the bias
 * makes of others. Else these stay above it. */
static bool hides_by_score(const rlxc_binding *call, double *out)
{
    const rlxc_attr *given = rlxc_attrs_find(&call->attrs, "hidden");
    const bool has_score = given && given->kind != RLXC_ATTR_NONE;
    *out = has_score ? rlxc_attr_get_float(call, "hidden", 0) : -INFINITY;
    return has_score || gives_zeros(call);
}

/* The bound of the scores' magnitude; 0: none. */
static double softcap_of(const rlxc_binding *call)
{
    return rlxc_attr_get_float(call, "softcap", 0);
}

static bool has_bias(const rlxc_binding *call)
{
    return call->n_args == 4 && call->args[3].kind != RLXC_ATOM_NONE;
}

/* True if the bias is the score where it is not 0, even if query times key is NaN. */
static bool bias_replaces(const rlxc_binding *call)
{
    return rlxc_attr_get_bool(call, "bias_replaces", false);
}

/* Keys and values as (batch, sequence, head, size), and no input for a bias that is absent. */
static void view_by_position(rlxc_call_view *v, const rlxc_binding *call)
{
    if (v->n_inputs == 4 && !v->in[3])
        v->n_inputs = 3;
    for (uint32_t i = 1; i < 3 && is_by_head(call); i++) {
        const rlxc_sinfo *s = v->in[i];
        if (!rlxc_dims_known(s) || s->ndim != 4)
            continue;
        const rlxc_expr *dims[4] = {s->dims[0], s->dims[2], s->dims[1], s->dims[3]};
        v->in[i] = rlxc_sinfo_tensor(v->ctx, s->dtype, 4, dims, s->vdevice);
    }
}

const rlxc_sinfo *rlxc_infer_attention(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype) ||
        !rlxc_common_dtype(&v, 0, 2, &dtype))
        return NULL;
    view_by_position(&v, call);
    bool known = true;
    bool var_len = strcmp(v.op, "nn.attention_var_len") == 0;
    for (uint32_t i = 3; var_len && i < v.n_inputs; i++) {
        int32_t ndim = i < 5 ? 1 : 0; /* starts of the sequences; lengths of the longest */
        if (v.in[i]->ndim != ndim && v.in[i]->ndim != RLXC_UNKNOWN_NDIM)
            return rlxc_infer_fail(&v, i, "expected %d dimensions, got %s", ndim,
                                   rlxc_sinfo_text(ctx, v.in[i]));
        if (!rlxc_dtype_is_void(v.in[i]->dtype) && !rlxc_dtype_is_int(v.in[i]->dtype))
            return rlxc_infer_fail(&v, i, "expected integers, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
    }
    for (uint32_t i = 0; i < (var_len ? 3 : v.n_inputs); i++) {
        if (v.in[i]->ndim != 4 && v.in[i]->ndim != RLXC_UNKNOWN_NDIM)
            return rlxc_infer_fail(&v, i, "expected 4 dimensions, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
        known &= rlxc_dims_known(v.in[i]);
    }
    if (!known)
        return rlxc_tensor_ndim(&v, dtype, 4);
    const int64_t sharing = heads_sharing(&v);
    if (sharing == 0 &&
        !rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, 2), rlxc_size_of(&v, 1, 2)))
        return NULL;
    for (size_t i = sharing != 1; i < sizeof agree / sizeof agree[0]; i++) {
        const rlxc_expr *a = dim(v.in[agree[i][0]], agree[i][1]),
                        *b = dim(v.in[agree[i][2]], agree[i][3]);
        if (rlxc_prove_ne(ctx, a, b, NULL))
            return rlxc_infer_fail(&v, agree[i][0], "dimension %u differs from the others' in %s",
                                   agree[i][1], rlxc_sinfo_text(ctx, v.in[agree[i][0]]));
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, agree[i][0], agree[i][1]),
                                rlxc_size_of(&v, agree[i][2], agree[i][3])))
            return NULL;
    }
    if (rlxc_attention_has_window(call) && rlxc_attr_get_int(call, "window_size", 0) < 1)
        return rlxc_infer_error(&v, "window_size must be positive");
    rlxc_dims dims = {.at = {dim(v.in[0], 0), dim(v.in[0], 1), dim(v.in[0], 2), dim(v.in[2], 3)},
                      .n = 4};
    return rlxc_tensor_of(&v, dtype, &dims);
}

static rlxc_atom permuted(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, int64_t d1,
                          int64_t d2, int64_t d3)
{
    int64_t axes[4] = {0, d1, d2, d3};
    return rlxc_lower_op(b, call, "permute_dims", &x, 1,
                         rlxc_one_attr(b->ctx, "axes", rlxc_attr_ints(b->ctx, axes, 4)));
}

/* --- masks: which key (column) a query (row) sees; kind NONE where it sees all --- */

static rlxc_atom triangle(rlxc_builder *b, const rlxc_binding *call, const char *op,
                          const rlxc_expr *const dims[2], const rlxc_expr *diagonal)
{
    rlxc_atom shape = rlxc_atom_shape(b->ctx, dims, 2);
    rlxc_atom ones = rlxc_lower_op(b, call, "ones", &shape, 1,
                                   rlxc_one_attr(b->ctx, "dtype", rlxc_attr_dtype(RLX_B8)));
    return rlxc_lower2(b, call, op, ones, rlxc_atom_prim(rlxc_canonical(b->ctx, diagonal, NULL)));
}

/* A causal mask hides the keys after the query; a window all but the last |window_size| up to it.
 * BottomRight, and a window alone, aligns the last query with the last key. */
static rlxc_atom dense_mask(rlxc_builder *b, const rlxc_binding *call, const rlxc_expr *queries,
                            const rlxc_expr *keys)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *dims[2] = {queries, keys};
    const rlxc_expr *diagonal =
        rlxc_attention_is_top_left(call) ? rlxc_i64(ctx, 0) : rlxc_sub(ctx, keys, queries);
    rlxc_atom seen = {0};
    if (rlxc_attr_get_str(call, "causal_mask", NULL))
        seen = triangle(b, call, "tril", dims, diagonal);
    if (!rlxc_attention_has_window(call) || rlxc_failed(ctx))
        return seen;
    const rlxc_expr *reach = rlxc_i64(ctx, rlxc_attr_get_int(call, "window_size", 1) - 1);
    rlxc_atom near = triangle(b, call, "triu", dims, rlxc_sub(ctx, diagonal, reach));
    return seen.kind == RLXC_ATOM_NONE ? near : rlxc_lower2(b, call, "logical_and", seen, near);
}

/* Scores where |seen| holds; elsewhere a number that softmax turns into 0. */
static rlxc_atom masked(rlxc_builder *b, const rlxc_binding *call, rlxc_atom scores, rlxc_atom seen)
{
    if (scores.kind == RLXC_ATOM_NONE)
        return scores;
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, scores);
    double score;
    if (hides_by_score(call, &score)) {
        rlxc_atom given[3] = {seen, scores, rlxc_scalar_atom(b->ctx, s->dtype, score)};
        return rlxc_lower_op(b, call, "where", given, 3, (rlxc_attrs){0});
    }
    rlxc_atom least[3] = {{0}, rlxc_scalar_atom(b->ctx, s->dtype, least_seen(s->dtype)), scores};
    least[0] = rlxc_lower2(b, call, "less", scores, least[1]);
    scores = rlxc_lower_op(b, call, "where", least, 3, (rlxc_attrs){0});
    rlxc_atom choice[3] = {seen, scores, rlxc_scalar_atom(b->ctx, s->dtype, hidden(s->dtype))};
    return rlxc_lower_op(b, call, "where", choice, 3, (rlxc_attrs){0});
}

/* The factor of the scores; false: the head size decides it at run time. */
static bool scale_of(const rlxc_call_view *v, const rlxc_binding *call, double *out)
{
    int64_t size = 1;
    const rlxc_attr *given = rlxc_attrs_find(&call->attrs, "scale");
    bool has_scale = given && given->kind != RLXC_ATTR_NONE;
    bool known = has_scale || rlxc_is_int(v->in[0]->dims[3], &size);
    *out = has_scale ? rlxc_attr_get_float(call, "scale", 1)
                     : 1.0 / sqrt(size > 0 ? (double)size : 1.0);
    return known;
}

/* --- as one kernel ---------------------------------------------------------------------------- */

/* True if dimensions provably agree, head dimensions are constant, and the bias broadcasts. */
static bool fits_one_kernel(const rlxc_call_view *v)
{
    rlxc_context *ctx = v->ctx;
    const rlxc_expr *scores[4] = {v->in[0]->dims[0], v->in[0]->dims[2], v->in[0]->dims[1],
                                  v->in[1]->dims[1]};
    int64_t size;
    rlx_dtype t = v->in[0]->dtype;
    if (!rlxc_dtype_is_float(t) || !rlxc_is_int(v->in[0]->dims[3], &size) || size < 1 ||
        !rlxc_is_int(v->in[2]->dims[3], &size) || size < 1)
        return false;
    if (heads_sharing(v) == 0)
        return false;
    for (size_t i = heads_sharing(v) > 1; i < sizeof agree / sizeof agree[0]; i++)
        if (!rlxc_prove_eq(ctx, dim(v->in[agree[i][0]], agree[i][1]),
                           dim(v->in[agree[i][2]], agree[i][3]), NULL))
            return false;
    for (uint32_t i = 0; v->n_inputs == 4 && i < 4; i++) /* a bias */
        if (!rlxc_is_const(dim(v->in[3], i), 1) &&
            !rlxc_prove_eq(ctx, dim(v->in[3], i), scores[i], NULL))
            return false;
    return true;
}

/* The score where the key is seen. */
static const rlxc_expr *show_or_hide(rlxc_te *te, const rlxc_expr *seen, const rlxc_expr *score)
{
    rlxc_context *ctx = te->ctx;
    const rlx_dtype t = score->dtype;
    const rlxc_expr *least = rlxc_float(ctx, t, least_seen(t));
    double given;
    if (hides_by_score(te->call, &given))
        return rlxc_select(ctx, seen, score, rlxc_float(ctx, t, given));
    if (has_bias(te->call))
        score = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, score, least), least, score);
    return rlxc_select(ctx, seen, score, rlxc_float(ctx, t, hidden(t)));
}

/* The score of query axes[2] and key axes[3] after the masks. */
static const rlxc_expr *hide_keys(rlxc_te *te, const rlxc_expr *const dims[4],
                                  const rlxc_expr *score)
{
    rlxc_context *ctx = te->ctx;
    bool causal = rlxc_attr_get_str(te->call, "causal_mask", NULL) != NULL;
    const rlxc_expr *last = te->axes[2], *seen = NULL;
    if (!rlxc_attention_is_top_left(te->call))
        last = rlxc_add(ctx, last, rlxc_canonical(ctx, rlxc_sub(ctx, dims[3], dims[2]), NULL));
    if (causal)
        seen = rlxc_binary(ctx, RLXC_EXPR_LE, te->axes[3], last);
    if (rlxc_attention_has_window(te->call)) {
        const rlxc_expr *reach = rlxc_i64(ctx, rlxc_attr_get_int(te->call, "window_size", 1) - 1);
        const rlxc_expr *near =
            rlxc_binary(ctx, RLXC_EXPR_GE, te->axes[3], rlxc_sub(ctx, last, reach));
        seen = seen ? rlxc_binary(ctx, RLXC_EXPR_AND, seen, near) : near;
    }
    return seen ? show_or_hide(te, seen, score) : score;
}

static void four_axes(rlxc_te *te, const char *name, const rlxc_expr *const dims[4],
                      bool last_reduces)
{
    static const char *const names[4] = {"b", "h", "i", "j"};
    rlxc_te_block(te, name);
    for (uint32_t i = 0; i < 4; i++)
        rlxc_te_axis(te, i == 3 && last_reduces ? RLXC_AXIS_REDUCE : RLXC_AXIS_SPATIAL, names[i],
                     dims[i]);
}

/* The call with the ranges of keys in place of the sequences' starts. */
static const rlxc_binding *with_ranges(rlxc_builder *b, const rlxc_binding *call,
                                       const rlxc_call_view *v)
{
    const rlxc_key_range r = rlxc_attention_key_range(b, call, v);
    rlxc_binding *ranged = rlxc_copy(b->ctx, call, sizeof *ranged);
    rlxc_atom *args = rlxc_copy(b->ctx, call->args, call->n_args * sizeof *args);
    args[3] = r.first;
    args[4] = r.end;
    ranged->args = args;
    return ranged;
}

/* The score of query axes[2] and key axes[3] where the key is in the query's range. */
static const rlxc_expr *hide_others(rlxc_te *te, const rlxc_te_operand *first,
                                    const rlxc_te_operand *end, const rlxc_expr *score)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *const *i = &te->axes[2], *j = te->axes[3];
    const rlxc_expr *seen = rlxc_binary(
        ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_GE, j, rlxc_te_get(te, first, i)),
        rlxc_binary(ctx, RLXC_EXPR_LT, j, rlxc_te_get(te, end, i)));
    return show_or_hide(te, seen, score);
}

static const rlxc_expr *shared_head(rlxc_context *ctx, const rlxc_expr *head, int64_t sharing)
{
    return sharing == 1 ? head : rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, head, rlxc_i64(ctx, sharing));
}

/* The indices of element |d| of key or value |j|. */
static void stored_at(bool by_head, const rlxc_expr *b, const rlxc_expr *j, const rlxc_expr *head,
                      const rlxc_expr *d, const rlxc_expr *out[4])
{
    out[0] = b;
    out[1] = by_head ? head : j;
    out[2] = by_head ? j : head;
    out[3] = d;
}

/* Seven stages, in float32 or float64, that the schedule runs as one
 * (kernels/attention/attention.h). */
static rlxc_atom in_one_kernel(rlxc_builder *b, const rlxc_binding *call, double scale,
                               int64_t sharing)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "attention", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_te_operand q = rlxc_te_operand_of(&te, 0, "query"), k = rlxc_te_operand_of(&te, 1, "key"),
                    v = rlxc_te_operand_of(&te, 2, "value"), bias = {0}, first = {0}, end = {0};
    const bool biased = has_bias(call), ranged = call->n_args > 4, by_head = is_by_head(call);
    if (biased)
        bias = rlxc_te_operand_of(&te, 3, "bias");
    if (ranged) {
        first = rlxc_te_operand_of(&te, 3, "first");
        end = rlxc_te_operand_of(&te, 4, "end");
    }
    const rlxc_buffer *out = rlxc_te_output(&te, "T_attention");
    const rlxc_expr *dims[4] = {q.dims[0], q.dims[2], q.dims[1], k.dims[by_head ? 2 : 1]},
                    *taken[4] = {dims[0], dims[1], dims[2], v.dims[3]};
    const rlx_dtype t = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *score = rlxc_te_temp(&te, "T_score", t, dims, 4),
                      *shown = rlxc_te_temp(&te, "T_masked", t, dims, 4),
                      *max = rlxc_te_temp(&te, "T_max", t, dims, 3),
                      *exp = rlxc_te_temp(&te, "T_exp", t, dims, 4),
                      *sum = rlxc_te_temp(&te, "T_sum", t, dims, 3),
                      *total = rlxc_te_temp(&te, "T_total", t, taken, 4);
    const rlxc_expr *const *ax = te.axes, *zero = rlxc_float(ctx, t, 0);

    four_axes(&te, score->name, dims, false);
    rlxc_te_computes(&te, RLXC_OPERATION_matmul);
    const rlxc_expr *d = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "d", q.dims[3]);
    const rlxc_expr *q_at[4] = {ax[0], ax[2], ax[1], d}, *k_at[4], *v_at[4];
    stored_at(by_head, ax[0], ax[3], shared_head(ctx, ax[1], sharing), d, k_at);
    rlxc_te_reduce(&te, score, zero,
                   rlxc_add(ctx, rlxc_te_load(&te, score, ax),
                            rlxc_mul(ctx, rlxc_te_widen(&te, rlxc_te_get(&te, &q, q_at)),
                                     rlxc_te_widen(&te, rlxc_te_get(&te, &k, k_at)))));

    four_axes(&te, shown->name, dims, false);
    const double cap = softcap_of(call);
    const rlxc_expr *value = rlxc_mul(ctx, rlxc_te_load(&te, score, ax),
                                      rlxc_float(ctx, t, cap != 0 ? scale / cap : scale));
    if (cap != 0)
        value = rlxc_mul(ctx, rlxc_te_call1(ctx, "tanh", value), rlxc_float(ctx, t, cap));
    if (biased) {
        const rlxc_expr *more = rlxc_cast(ctx, t, rlxc_te_get_broadcast(&te, &bias, ax, dims, 4));
        value = bias_replaces(call)
                    ? rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_NE, more, zero), more, value)
                    : rlxc_add(ctx, value, more);
    }
    rlxc_te_store(&te, shown,
                  ranged ? hide_others(&te, &first, &end, value) : hide_keys(&te, dims, value));

    four_axes(&te, max->name, dims, true);
    rlxc_te_reduce(
        &te, max, rlxc_te_lowest(ctx, t),
        rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_te_load(&te, max, ax), rlxc_te_load(&te, shown, ax)));
    four_axes(&te, exp->name, dims, false);
    rlxc_te_store(
        &te, exp,
        rlxc_te_call1(ctx, "exp",
                      rlxc_sub(ctx, rlxc_te_load(&te, shown, ax), rlxc_te_load(&te, max, ax))));
    four_axes(&te, sum->name, dims, true);
    rlxc_te_reduce(&te, sum, zero,
                   rlxc_add(ctx, rlxc_te_load(&te, sum, ax), rlxc_te_load(&te, exp, ax)));

    four_axes(&te, total->name, taken, false);
    rlxc_te_computes(&te, RLXC_OPERATION_matmul);
    const rlxc_expr *j = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", dims[3]);
    const rlxc_expr *w_at[4] = {ax[0], ax[1], ax[2], j};
    stored_at(by_head, ax[0], j, shared_head(ctx, ax[1], sharing), ax[3], v_at);
    rlxc_te_reduce(&te, total, zero,
                   rlxc_add(ctx, rlxc_te_load(&te, total, ax),
                            rlxc_mul(ctx, rlxc_te_load(&te, exp, w_at),
                                     rlxc_te_widen(&te, rlxc_te_get(&te, &v, v_at)))));

    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *o_at[4] = {ax[0], ax[2], ax[1], ax[3]};
    const rlxc_expr *all = rlxc_te_load(&te, sum, o_at);
    const rlxc_expr *weighted = rlxc_te_load(&te, total, o_at);
    value = rlxc_te_div(ctx, weighted, all);
    if (gives_zeros(call)) /* no weights: zero times the values; NaN stays */
        value = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, all, zero), weighted, value);
    else /* no keys: an empty sum */
        value = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_GT, dims[3], rlxc_i64(ctx, 0)), value,
                            zero);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- composed of other operators
 * ----------------------------------------------------------------------- */

/* 1 / sqrt(size) as a scalar of |dtype|. */
static rlxc_atom scale_by_size(rlxc_builder *b, const rlxc_binding *call, const rlxc_expr *size,
                               rlx_dtype dtype)
{
    size =
        rlxc_canonical(b->ctx, rlxc_binary(b->ctx, RLXC_EXPR_MAX, size, rlxc_i64(b->ctx, 1)), NULL);
    rlxc_atom shape = rlxc_atom_shape(b->ctx, &size, 1);
    rlxc_atom x = rlxc_lower1(b, call, "shape_to_tensor", shape);
    x = rlxc_lower1(b, call, "rsqrt", rlxc_lower_astype(b, call, x, dtype));
    return rlxc_lower_reshape(b, call, x, NULL, 0);
}

/* Keys or values |x| once for each head of the query. */
static rlxc_atom for_each_head(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                               const rlxc_call_view *v)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, x);
    if (!s || heads_sharing(v) == 1)
        return x;
    const rlxc_expr *heads = v->in[0]->dims[2], *own = s->dims[2], *one = rlxc_i64(ctx, 1);
    const rlxc_expr *dims[5] = {s->dims[0], s->dims[1], own, one, s->dims[3]};
    x = rlxc_lower_reshape(b, call, x, dims, 5);
    dims[3] =
        rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, heads, rlxc_binary(ctx, RLXC_EXPR_MAX, own, one));
    dims[3] = rlxc_canonical(ctx, dims[3], NULL);
    x = rlxc_lower2(b, call, "broadcast_to", x, rlxc_atom_shape(ctx, dims, 5));
    const rlxc_expr *joined[4] = {s->dims[0], s->dims[1], heads, s->dims[3]};
    return rlxc_lower_reshape(b, call, x, joined, 4);
}

/* |weights|, where softmax gives NaN because all scores of a row are -inf, are 0. */
static rlxc_atom with_zeros(rlxc_builder *b, const rlxc_binding *call, rlxc_atom weights,
                            rlxc_atom scores)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, weights);
    if (!s)
        return weights;
    rlxc_atom hidden =
        rlxc_lower2(b, call, "equal", scores, rlxc_scalar_atom(b->ctx, s->dtype, -INFINITY));
    rlxc_atom args[3] = {hidden, rlxc_scalar_atom(b->ctx, s->dtype, 0), weights};
    return rlxc_lower_op(b, call, "where", args, 3, (rlxc_attrs){0});
}

static rlxc_atom with_bias(rlxc_builder *b, const rlxc_binding *call, rlxc_atom scores,
                           rlx_dtype dtype)
{
    const rlxc_atom bias = rlxc_lower_astype(b, call, call->args[3], dtype);
    if (!bias_replaces(call))
        return rlxc_lower2(b, call, "add", scores, bias);
    const rlxc_atom zero = rlxc_scalar_atom(b->ctx, dtype, 0);
    rlxc_atom choice[3] = {rlxc_lower2(b, call, "not_equal", bias, zero), bias, scores};
    return rlxc_lower_op(b, call, "where", choice, 3, (rlxc_attrs){0});
}

rlxc_atom rlxc_legalize_attention(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    rlxc_call_view v;
    double scale;
    bool var_len = strcmp(call->op->name, "nn.attention_var_len") == 0;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    view_by_position(&v, call);
    const bool known = scale_of(&v, call, &scale);
    if (fits_one_kernel(&v))
        return in_one_kernel(b, var_len ? with_ranges(b, call, &v) : call, scale,
                             heads_sharing(&v));
    /* scores in float32 for the 16-bit types */
    rlx_dtype dtype = out->dtype.bits == 16 ? RLX_F32 : out->dtype;
    rlxc_attrs typed = rlxc_one_attr(ctx, "out_dtype", rlxc_attr_dtype(dtype));
    rlxc_atom stored[2] = {call->args[1], call->args[2]};
    for (uint32_t i = 0; i < 2 && is_by_head(call); i++)
        stored[i] = permuted(b, call, stored[i], 2, 1, 3);
    rlxc_atom qk[2] = {permuted(b, call, call->args[0], 2, 1, 3),
                       permuted(b, call, for_each_head(b, call, stored[0], &v), 2, 3, 1)};
    rlxc_atom product = rlxc_lower_op(b, call, "matmul", qk, 2, typed);
    rlxc_atom scaled[2] = {product, known ? rlxc_scalar_atom(ctx, dtype, scale)
                                          : scale_by_size(b, call, v.in[0]->dims[3], dtype)};
    rlxc_atom scores = rlxc_lower_op(b, call, "multiply", scaled, 2, (rlxc_attrs){0});
    if (softcap_of(call) != 0) {
        const rlxc_atom cap = rlxc_scalar_atom(ctx, dtype, softcap_of(call));
        scores = rlxc_lower1(b, call, "tanh", rlxc_lower2(b, call, "divide", scores, cap));
        scores = rlxc_lower2(b, call, "multiply", scores, cap);
    }
    if (has_bias(call))
        scores = with_bias(b, call, scores, dtype);
    rlxc_atom seen = var_len ? rlxc_attention_packed_mask(b, call, &v)
                             : dense_mask(b, call, v.in[0]->dims[1], v.in[1]->dims[1]);
    if (seen.kind != RLXC_ATOM_NONE)
        scores = masked(b, call, scores, seen);
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    rlxc_atom weights[2] = {rlxc_lower_op(b, call, "nn.softmax", &scores, 1, (rlxc_attrs){0}),
                            permuted(b, call, for_each_head(b, call, stored[1], &v), 2, 1, 3)};
    if (gives_zeros(call))
        weights[0] = with_zeros(b, call, weights[0], scores);
    if (!rlxc_dtype_eq(dtype, out->dtype))
        weights[1] = rlxc_lower_op(b, call, "astype", &weights[1], 1,
                                   rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(dtype)));
    rlxc_atom heads = rlxc_lower_op(b, call, "matmul", weights, 2,
                                    rlxc_one_attr(ctx, "out_dtype", rlxc_attr_dtype(out->dtype)));
    return heads.kind == RLXC_ATOM_NONE ? heads : permuted(b, call, heads, 2, 1, 3);
}
