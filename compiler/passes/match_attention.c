/* Attention in the spellings of exporters (patterns.def): checks the conditions that the pattern's
 * text cannot express (axes, dimensions, masks), then builds the operator.
 *
 * Keys and values are read as they are stored: by position, (batch, n, head, size), if the module
 * transposed them from that; else by head, (batch, head, n, size), as caches are. */
#include "compiler/passes/match_causal.h"

#include <math.h>
#include <string.h>

#include "compiler/ops/compose.h"

/* A number so large that adding a score does not change it. */
static double absorbing(rlx_dtype t)
{
    return t.bits == 64 ? -1e300 : -1e38;
}

/* True if scores of type |t| equal to |fill| have no weight beside others. */
static bool hides(rlx_dtype t, double fill)
{
    return fill <= (t.code == RLX_FLOAT && t.bits == 16 ? -6e4 : -1e9);
}

static rlx_dtype at_least_32_bits(rlx_dtype t)
{
    return t.bits < 32 ? RLX_F32 : t;
}

/* --- attention -------------------------------------------------------------------------------- */

typedef struct heads { /* (batch, head, queries, size) and so on */
    const rlxc_sinfo *q, *k, *v;
    const rlxc_expr *queries, *keys;
    rlx_dtype dtype;    /* type of values and result; queries and keys may be narrower */
    rlx_dtype masked;   /* type of the scores where they are masked */
    const char *causal; /* how the causal mask aligns queries and keys; NULL: there is none */
    double hidden;      /* the score of what it hides, if there is a bias as well */
    rlxc_atom bias;     /* kind NONE: none */
    bool replaces;      /* the bias is the score of a hidden key, even where that is NaN */
} heads;

/* True if the operator is at least as exact as the types of the pattern's scores and weights. */
static bool has_types(rlxc_matching *t, heads *h)
{
    const rlxc_sinfo *scores = rlxc_match_tensor(t, rlxc_match_capture(t, "s")),
                     *weights = rlxc_match_tensor(t, rlxc_match_capture(t, "p"));
    const uint32_t most = at_least_32_bits(h->dtype).bits;
    if (!scores || !weights || !rlxc_dtype_is_float(scores->dtype) ||
        !rlxc_dtype_is_float(weights->dtype) || scores->dtype.bits > most ||
        weights->dtype.bits > most)
        return false;
    h->masked = scores->dtype;
    return true;
}

/* True if the operands have four dimensions, or three: (batch * head, queries, size) etc. */
static bool is_heads(rlxc_matching *t, heads *h)
{
    h->q = rlxc_match_tensor(t, rlxc_match_capture(t, "q"));
    h->k = rlxc_match_tensor(t, rlxc_match_capture(t, "k"));
    h->v = rlxc_match_tensor(t, rlxc_match_capture(t, "v"));
    const rlxc_sinfo *out = rlxc_match_tensor(t, rlxc_atom_var(t->root->var));
    if (!h->q || !h->k || !h->v || !out || h->q->ndim < 3 || h->q->ndim > 4 ||
        h->k->ndim != h->q->ndim || h->v->ndim != h->q->ndim ||
        !rlxc_dtype_eq(h->q->dtype, h->k->dtype) || !rlxc_dtype_eq(h->v->dtype, out->dtype) ||
        (!rlxc_dtype_eq(h->q->dtype, out->dtype) &&
         (!rlxc_dtype_is_float(h->q->dtype) || h->q->dtype.bits >= out->dtype.bits)))
        return false;
    h->dtype = out->dtype;
    uint32_t outer = (uint32_t)h->q->ndim - 2;
    bool equal = true;
    for (uint32_t i = 0; i < outer; i++)
        equal = equal && rlxc_prove_eq(t->g.ctx, h->q->dims[i], h->k->dims[i], NULL) &&
                rlxc_prove_eq(t->g.ctx, h->q->dims[i], h->v->dims[i], NULL);
    h->queries = h->q->dims[outer];
    h->keys = h->k->dims[outer + 1];
    return equal && has_types(t, h) &&
           rlxc_prove_eq(t->g.ctx, h->q->dims[outer + 1], h->k->dims[outer], NULL) &&
           rlxc_prove_eq(t->g.ctx, h->keys, h->v->dims[outer], NULL);
}

/* The bias for |fill|, a number that scores are replaced by. */
static double lowest_bias(const heads *h, double fill)
{
    const double low = absorbing(at_least_32_bits(h->masked));
    return fill < low ? fill : low;
}

/* A bias equivalent to the condition |seen| (or its negation), where |fill| is a number that
 * softmax makes 0. It may be added where the module replaces scores (join_biases): a row without
 * any key must have equal scores afterwards, so the bias is large enough to absorb them. */
static rlxc_atom bias_of(rlxc_matching *t, const heads *h, rlxc_atom cond, bool seen, double fill)
{
    const rlx_dtype type = at_least_32_bits(h->masked); /* the operator does not add in a narrower
                                                         * type */
    rlxc_atom zero = rlxc_scalar_atom(t->g.ctx, type, 0),
              least = rlxc_scalar_atom(t->g.ctx, type, lowest_bias(h, fill));
    rlxc_atom args[3] = {cond, seen ? zero : least, seen ? least : zero};
    return rlxc_match_emit(t, "where", args, 3, (rlxc_attrs){0});
}

/* The sum of both biases, of a position and a mask; false: of two types. */
static bool join_biases(rlxc_matching *t, heads *h, rlxc_atom second)
{
    const rlxc_sinfo *a = rlxc_match_tensor(t, h->bias), *b = rlxc_match_tensor(t, second);
    if (!a || !b || !rlxc_dtype_eq(a->dtype, b->dtype))
        return false;
    h->bias = rlxc_match_emit(t, "add", (rlxc_atom[]){h->bias, second}, 2, (rlxc_attrs){0});
    return h->bias.kind != RLXC_ATOM_NONE;
}

/* If the condition |seen| hides all keys after the query, perhaps others too, as a causal mask: it
 * lets the kernel leave out these keys. |fill|: the bias of what is hidden, h->bias. Scores that it
 * does not absorb stay as they are: they count in rows that see nothing. */
static void find_causal(rlxc_matching *t, heads *h, rlxc_atom seen, double fill)
{
    bool whole;
    if (seen.kind == RLXC_ATOM_NONE || !hides(h->masked, fill))
        return;
    const char *causal = rlxc_match_causal(t, seen, h->queries, h->keys, &whole);
    if (causal && whole)
        h->bias = (rlxc_atom){0};
    else if (fill > absorbing(at_least_32_bits(h->masked)))
        return;
    h->causal = causal;
    h->hidden = fill;
}

/* The mask: the attribute of a causal mask, a bias, or both. */
static bool read_mask(rlxc_matching *t, heads *h)
{
    const rlxc_atom cond = rlxc_match_capture(t, "seen"), unseen = rlxc_match_capture(t, "hidden");
    double fill = rlxc_match_number(&t->m, "fill", -INFINITY);
    rlxc_match m;
    h->bias = rlxc_match_capture(t, "bias");
    const rlxc_atom second = rlxc_match_capture(t, "bias2");
    if (second.kind != RLXC_ATOM_NONE)
        return join_biases(t, h, second);
    const bool masked = cond.kind != RLXC_ATOM_NONE || unseen.kind != RLXC_ATOM_NONE;
    if (masked && !hides(h->masked, fill))
        return false;
    const rlxc_atom from_mask = !masked                       ? (rlxc_atom){0}
                                : cond.kind != RLXC_ATOM_NONE ? bias_of(t, h, cond, true, fill)
                                                              : bias_of(t, h, unseen, false, fill);
    if (h->bias.kind != RLXC_ATOM_NONE && masked) /* replaced where hidden, then a bias is added */
        return join_biases(t, h, from_mask);
    if (masked) {
        h->bias = from_mask;
        h->replaces = true;
        find_causal(t, h, cond, lowest_bias(h, fill));
    } else if (h->bias.kind != RLXC_ATOM_NONE &&
               t->part(t, "hidden_by", rlxc_match_without_front(t, h->bias), &m)) {
        find_causal(t, h, rlxc_match_atom(&m, "seen"), rlxc_match_number(&m, "fill", 0));
    }
    return true;
}

static rlxc_atom reshaped(rlxc_matching *t, rlxc_atom x, const rlxc_expr *const dims[4])
{
    rlxc_atom args[2] = {x, rlxc_atom_shape(t->g.ctx, dims, 4)};
    return rlxc_match_emit(t, "reshape", args, 2, (rlxc_attrs){0});
}

/* The bias as (batch, head, queries, keys) if it broadcasts to the scores; else kind NONE. */
static rlxc_atom four_dims(rlxc_matching *t, const heads *h)
{
    rlxc_context *ctx = t->g.ctx;
    const rlxc_sinfo *bias = rlxc_match_tensor(t, h->bias);
    int32_t ndim = h->q->ndim;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *dims[4] = {one, one, one, one};
    if (!bias || bias->ndim > ndim || !rlxc_dtype_is_float(bias->dtype))
        return (rlxc_atom){0};
    for (int32_t i = 0; i < bias->ndim; i++) {
        int32_t at = ndim - bias->ndim + i; /* among the dimensions of the scores */
        const rlxc_expr *score = at == ndim - 1   ? h->keys
                                 : at == ndim - 2 ? h->queries
                                                  : h->q->dims[at];
        if (!rlxc_is_const(bias->dims[i], 1) && !rlxc_prove_eq(ctx, bias->dims[i], score, NULL))
            return (rlxc_atom){0};
        dims[ndim == 3 && at > 0 ? at + 1 : at] = bias->dims[i];
    }
    return bias->ndim == 4 ? h->bias : reshaped(t, h->bias, dims);
}

typedef struct operand { /* (batch, head, n, size), or (batch * head, n, size) */
    rlxc_atom x;
    bool turned;    /* the last two dimensions are swapped */
    int64_t shared; /* number of heads, if several query heads share each; else 0 */
} operand;

/* The tensor of dimensions |dims| that |x|, of as many elements, was reshaped from, if there is
 * one. */
static rlxc_atom seen_as(rlxc_matching *t, rlxc_atom x, const rlxc_expr *const dims[4])
{
    const rlxc_binding *b = rlxc_match_reshaping(t, x);
    const rlxc_sinfo *from = b ? rlxc_match_tensor(t, b->args[0]) : NULL;
    bool same = from && from->ndim == 4;
    for (uint32_t i = 0; i < 4 && same; i++)
        same = rlxc_prove_eq(t->g.ctx, from->dims[i], dims[i], NULL);
    return same ? b->args[0] : reshaped(t, x, dims);
}

/* |x| before its last two dimensions were swapped, by itself or as matrices of one batch; kind NONE
 * if they were not. */
static rlxc_atom before_turning(rlxc_matching *t, rlxc_atom x)
{
    int64_t axes[RLXC_MAX_NDIM];
    const rlxc_sinfo *to = rlxc_match_tensor(t, x);
    const rlxc_binding *turn = rlxc_match_made_by(t, x, "permute_dims");
    if (!to || to->ndim != 4)
        return (rlxc_atom){0};
    if (turn)
        return rlxc_permutation(turn, 4, axes) && axes[0] == 0 && axes[1] == 1 && axes[2] == 3
                   ? turn->args[0]
                   : (rlxc_atom){0};
    const rlxc_binding *split = rlxc_match_reshaping(t, x);
    turn = split ? rlxc_match_made_by(t, split->args[0], "permute_dims") : NULL;
    const rlxc_binding *join = turn ? rlxc_match_reshaping(t, turn->args[0]) : NULL;
    const rlxc_sinfo *from = join ? rlxc_match_tensor(t, join->args[0]) : NULL,
                     *flat = join ? rlxc_match_tensor(t, turn->args[0]) : NULL;
    if (!from || !flat || from->ndim != 4 || flat->ndim != 3 || !rlxc_permutation(turn, 3, axes) ||
        axes[0] != 0 || axes[1] != 2)
        return (rlxc_atom){0};
    static const uint32_t place[4] = {0, 1, 3, 2};
    for (uint32_t i = 0; i < 4; i++)
        if (!rlxc_prove_eq(t->g.ctx, from->dims[i], to->dims[place[i]], NULL) ||
            (i > 1 && !rlxc_prove_eq(t->g.ctx, from->dims[i], flat->dims[i - 1], NULL)))
            return (rlxc_atom){0};
    return join->args[0];
}

/* Finds the tensor whose heads were each repeated to make the operand; if none, shared is 0. */
static operand before_repeating(rlxc_matching *t, operand o)
{
    rlxc_context *ctx = t->g.ctx;
    int64_t total, times;
    rlxc_match m;
    const rlxc_sinfo *all = rlxc_match_tensor(t, o.x);
    if (!all || all->ndim != 4 || !t->part(t, "shared_heads", o.x, &m))
        return o;
    rlxc_atom from = rlxc_match_atom(&m, "x");
    const rlxc_sinfo *one = rlxc_match_tensor(t, from);
    const rlxc_binding *spread = rlxc_match_call(&t->g, &m, "e");
    if (!one || !rlxc_is_int(all->dims[1], &total))
        return o;
    if (!spread) {
        int64_t axis = rlxc_attr_get_int(m.inside[0], "axis", INT64_MAX);
        if (one->ndim == 4 && (axis == 1 || axis == -3) && rlxc_is_int(one->dims[1], &o.shared))
            o.x = from;
        return o;
    }
    const rlxc_sinfo *each = rlxc_match_tensor(t, rlxc_atom_var(spread->var));
    if (!each || each->ndim != 5 || one->ndim != 5 || !rlxc_is_const(one->dims[2], 1) ||
        !rlxc_is_int(each->dims[2], &times) || !rlxc_is_int(each->dims[1], &o.shared) ||
        times < 1 || total % times != 0 || total / times != o.shared) {
        o.shared = 0;
        return o;
    }
    const rlxc_expr *dims[4] = {one->dims[0], one->dims[1], one->dims[3], one->dims[4]};
    for (uint32_t i = 0; i < 5; i++)
        if ((i != 2 && !rlxc_prove_eq(ctx, one->dims[i], each->dims[i], NULL)) ||
            (i < 4 && i != 1 && !rlxc_prove_eq(ctx, dims[i], all->dims[i], NULL))) {
            o.shared = 0;
            return o;
        }
    o.x = seen_as(t, from, dims);
    return o;
}

/* Moves a cast of repeated heads in front of the repetition: this occurs with two caches whose
 * lengths are known to be equal only at run time. */
rlxc_atom rlxc_match_cast_of_repeated(rlxc_matching *t)
{
    rlxc_context *ctx = t->g.ctx;
    const rlxc_sinfo *all = rlxc_match_tensor(t, rlxc_atom_var(t->root->var));
    int64_t total;
    const operand few = before_repeating(t, (operand){t->root->args[0], false, 0});
    if (few.shared == 0 || !all || all->ndim != 4 || !rlxc_is_int(all->dims[1], &total) ||
        !rlxc_is_const(rlxc_match_tensor(t, t->root->args[0])->dims[1], total))
        return (rlxc_atom){0};
    const rlxc_expr *dims[4] = {all->dims[0], rlxc_i64(ctx, few.shared), all->dims[2],
                                all->dims[3]};
    rlxc_rvar *var = rlxc_rvar_new(ctx, t->b->function, t->root->var->name,
                                   rlxc_sinfo_tensor(ctx, all->dtype, 4, dims, all->vdevice));
    var->is_dataflow = t->b->block->is_dataflow;
    rlxc_atom cast = rlxc_emit_match_cast(t->b, var, few.x, t->root->range);
    rlxc_attrs attrs = rlxc_one_attr(ctx, "repeats", rlxc_attr_int(total / few.shared));
    return rlxc_match_emit(t, "repeat", &cast, 1,
                           rlxc_and_attr(ctx, attrs, "axis", rlxc_attr_int(1)));
}

/* The operand |name| as it is stored. */
static operand stored(rlxc_matching *t, const char *name, bool turned)
{
    operand o = {rlxc_match_capture(t, name), turned, 0};
    rlxc_atom before = before_turning(t, o.x);
    return before.kind == RLXC_ATOM_NONE ? o : (operand){before, !turned, 0};
}

/* True if the operand is (batch, n, head, size) with its dimensions permuted. */
static bool is_by_position(const rlxc_matching *t, operand o)
{
    int64_t axes[RLXC_MAX_NDIM];
    const rlxc_binding *b = rlxc_match_made_by(t, o.x, "permute_dims");
    const int64_t n = o.turned ? 3 : 2;
    return b && rlxc_permutation(b, 4, axes) && axes[0] == 0 && axes[1] == 2 && axes[n] == 1;
}

/* The operand as (batch, n, head, size), or |by_head|, of type |dtype|. */
static rlxc_atom in_layout(rlxc_matching *t, operand o, bool by_head, rlx_dtype dtype)
{
    static const int64_t four[2][2][4] = {{{0, 2, 1, 3}, {0, 3, 1, 2}},
                                          {{0, 1, 2, 3}, {0, 1, 3, 2}}},
                         three[3] = {0, 2, 1};
    rlxc_atom x = o.x;
    const bool turned = o.turned;
    const rlxc_sinfo *s = rlxc_match_tensor(t, x);
    if (s->ndim == 4) {
        x = rlxc_match_permuted(t, x, four[by_head][turned], 4);
    } else {
        const rlxc_expr *dims[4] = {s->dims[0], s->dims[turned ? 2 : 1], rlxc_i64(t->g.ctx, 1),
                                    s->dims[turned ? 1 : 2]};
        x = reshaped(t, turned ? rlxc_match_permuted(t, x, three, 3) : x, dims);
    }
    if (rlxc_dtype_eq(s->dtype, dtype))
        return x;
    return rlxc_match_emit(t, "astype", &x, 1,
                           rlxc_one_attr(t->g.ctx, "dtype", rlxc_attr_dtype(dtype)));
}

rlxc_atom rlxc_match_attention(rlxc_matching *t)
{
    static const int64_t heads_last[4] = {0, 2, 1, 3};
    rlxc_context *ctx = t->g.ctx;
    heads h = {0};
    const rlxc_binding *softmax_call = rlxc_match_call(&t->g, &t->m, "p");
    int64_t axis = softmax_call ? rlxc_attr_get_int(softmax_call, "axis", -1) : 0;
    if (!is_heads(t, &h) || (axis != -1 && axis != h.q->ndim - 1) || !read_mask(t, &h))
        return (rlxc_atom){0};
    rlxc_atom args[4] = {{0}};
    uint32_t n = 3;
    if (h.bias.kind != RLXC_ATOM_NONE) {
        args[n] = four_dims(t, &h);
        if (args[n++].kind == RLXC_ATOM_NONE)
            return (rlxc_atom){0};
    }
    operand k = stored(t, "k", true), v = stored(t, "v", false);
    const operand few_k = before_repeating(t, k), few_v = before_repeating(t, v);
    if (few_k.shared > 0 && few_k.shared == few_v.shared) {
        k = few_k;
        v = few_v;
    }
    const bool by_head = h.q->ndim == 4 && !is_by_position(t, k) && !is_by_position(t, v),
               zeros = rlxc_match_capture(t, "unseen").kind != RLXC_ATOM_NONE;
    const double cap = rlxc_match_number(&t->m, "cap", 0);
    args[0] = in_layout(t, (operand){rlxc_match_capture(t, "q"), false, 0}, false, h.dtype);
    args[1] = in_layout(t, k, by_head, h.dtype);
    args[2] = in_layout(t, v, by_head, h.dtype);
    double scale = rlxc_match_number(&t->m, "scale", 1) * rlxc_match_number(&t->m, "scale2", 1);
    if (cap != 0)
        scale *= rlxc_match_number(&t->m, "inverse", 1) * cap;
    rlxc_attrs attrs = rlxc_one_attr(ctx, "scale", rlxc_attr_float(scale));
    if (h.causal)
        attrs = rlxc_and_attr(ctx, attrs, "causal_mask", rlxc_attr_string(ctx, h.causal));
    const char *op = n == 4 ? "nn.attention_bias" : "nn.attention";
    const bool both = h.causal && n == 4; /* what is hidden has the score that it had */
    const bool replaces = h.replaces && n == 4;
    if (by_head || zeros || cap != 0 || both || replaces) {
        op = "nn.attention_as_stored";
        if (replaces)
            attrs = rlxc_and_attr(ctx, attrs, "bias_replaces", rlxc_attr_bool(true));
        if (both)
            attrs = rlxc_and_attr(ctx, attrs, "hidden", rlxc_attr_float(h.hidden));
        attrs = rlxc_and_attr(ctx, attrs, "softcap", rlxc_attr_float(cap));
        attrs = rlxc_and_attr(ctx, attrs, "unseen_zero", rlxc_attr_bool(zeros));
        if (by_head)
            attrs = rlxc_and_attr(ctx, attrs, "layout", rlxc_attr_string(ctx, "BHSD"));
    }
    rlxc_atom out = rlxc_match_emit(t, op, args, n, attrs);
    if (h.q->ndim == 4)
        return rlxc_match_emit(t, "permute_dims", &out, 1,
                               rlxc_one_attr(ctx, "axes", rlxc_attr_ints(ctx, heads_last, 4)));
    const rlxc_expr *dims[3] = {h.q->dims[0], h.queries, h.v->dims[2]};
    rlxc_atom back[2] = {out, rlxc_atom_shape(ctx, dims, 3)};
    return rlxc_match_emit(t, "reshape", back, 2, (rlxc_attrs){0});
}
