/* What takes the place of a matched pattern: checks of what the pattern's text cannot say (axes,
 * dimensions), then the operator. */
#include "compiler/passes/match_patterns.h"

#include <math.h>
#include <string.h>

#include "compiler/ops/compose.h"

/* A number that stays the same when a score is added to it. */
static double absorbing(rlx_dtype t)
{
    return t.bits == 64 ? -1e300 : -1e38;
}

/* Whether scores of type |t| that are |fill| count for nothing beside others. */
static bool hides(rlx_dtype t, double fill)
{
    return fill <= (t.code == RLX_FLOAT && t.bits == 16 ? -6e4 : -1e9);
}

static rlx_dtype at_least_32_bits(rlx_dtype t)
{
    return t.bits < 32 ? RLX_F32 : t;
}

static const rlxc_sinfo *tensor_of(const rlxc_matching *t, rlxc_atom atom)
{
    const rlxc_sinfo *s =
        atom.kind == RLXC_ATOM_NONE ? NULL : rlxc_atom_sinfo(t->g.ctx, t->g.module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 0 && s->dims &&
                   !rlxc_dtype_is_void(s->dtype)
               ? s
               : NULL;
}

static rlxc_atom capture(const rlxc_matching *t, const char *name)
{
    return rlxc_match_atom(&t->m, name);
}

static rlxc_atom emit(rlxc_matching *t, const char *op, const rlxc_atom *args, uint32_t n,
                      rlxc_attrs attrs)
{
    return rlxc_emit_op(t->b, op, args, n, attrs, t->root->var->name);
}

static rlxc_atom unary(rlxc_matching *t, const char *op)
{
    rlxc_atom x = capture(t, "x");
    return tensor_of(t, x) ? emit(t, op, &x, 1, (rlxc_attrs){0}) : (rlxc_atom){0};
}

/* The axes that attribute |name| lists, of a tensor of |ndim|, as a set; 0: none, or not all valid.
 */
static uint32_t axes_set(const rlxc_binding *call, const char *name, int32_t ndim)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n, set = 0;
    if (!rlxc_attr_get_ints(call, name, axes, RLXC_MAX_NDIM, &n))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
        if (axis < 0 || axis >= ndim)
            return 0;
        set |= 1u << axis;
    }
    return set;
}

/* The axes of the reduction captured as |name|; 0: not of the kind that keeps dimensions. */
static uint32_t reduced(const rlxc_matching *t, const char *name, int32_t ndim)
{
    const rlxc_binding *call = rlxc_match_call(&t->g, &t->m, name);
    return call && rlxc_attr_get_bool(call, "keepdims", false) ? axes_set(call, "axis", ndim) : 0;
}

/* --- normalisations --------------------------------------------------------------------------- */

/* |param| has exactly x's dimensions that are in |set|, which are its last ones. */
static bool fits(const rlxc_matching *t, const rlxc_sinfo *x, uint32_t set, rlxc_atom param)
{
    const rlxc_sinfo *s = tensor_of(t, param);
    uint32_t n = (uint32_t)__builtin_popcount(set), first = (uint32_t)x->ndim - n;
    if (!s || set >> first != (1u << n) - 1 || (uint32_t)s->ndim != n ||
        !rlxc_dtype_eq(s->dtype, x->dtype))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!rlxc_prove_eq(t->g.ctx, s->dims[i], x->dims[first + i], NULL))
            return false;
    return true;
}

static double number(const rlxc_matching *t, const char *name)
{
    return rlxc_match_number(&t->m, name, 0);
}

static rlxc_attrs norm_attrs(const rlxc_matching *t, uint32_t set, double epsilon)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 0; i < RLXC_MAX_NDIM && i < 32; i++)
        if (set >> i & 1)
            axes[n++] = i;
    rlxc_attrs attrs = rlxc_one_attr(t->g.ctx, "axes", rlxc_attr_ints(t->g.ctx, axes, n));
    return rlxc_and_attr(t->g.ctx, attrs, "epsilon", rlxc_attr_float(epsilon));
}

rlxc_atom rlxc_match_layer_norm(rlxc_matching *t)
{
    rlxc_atom args[3] = {capture(t, "x"), capture(t, "gamma"), capture(t, "beta")};
    const rlxc_sinfo *x = tensor_of(t, args[0]);
    if (!x || !rlxc_dtype_is_float(x->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "m", x->ndim);
    const rlxc_binding *rms = rlxc_match_call(&t->g, &t->m, "r");
    uint32_t same = rms ? axes_set(rms, "axes", x->ndim) : reduced(t, "v", x->ndim);
    if (set == 0 || same != set || !fits(t, x, set, args[1]) || !fits(t, x, set, args[2]))
        return (rlxc_atom){0};
    double epsilon = rms ? rlxc_attr_get_float(rms, "epsilon", 0) : number(t, "eps");
    return emit(t, "nn.layer_norm", args, 3, norm_attrs(t, set, epsilon));
}

rlxc_atom rlxc_match_rms_norm(rlxc_matching *t)
{
    rlxc_atom args[2] = {capture(t, "x"), capture(t, "weight")};
    const rlxc_sinfo *x = tensor_of(t, args[0]);
    if (!x || !rlxc_dtype_is_float(x->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "v", x->ndim);
    if (set == 0 || !fits(t, x, set, args[1]))
        return (rlxc_atom){0};
    return emit(t, "nn.rms_norm", args, 2, norm_attrs(t, set, number(t, "eps")));
}

/* --- activations ------------------------------------------------------------------------------ */

rlxc_atom rlxc_match_gelu(rlxc_matching *t)
{
    return unary(t, "nn.gelu");
}

rlxc_atom rlxc_match_gelu_tanh(rlxc_matching *t)
{
    return unary(t, "nn.gelu_tanh");
}

rlxc_atom rlxc_match_silu(rlxc_matching *t)
{
    return unary(t, "nn.silu");
}

rlxc_atom rlxc_match_sigmoid(rlxc_matching *t)
{
    return unary(t, "sigmoid");
}

static rlxc_atom softmax(rlxc_matching *t, const char *op)
{
    rlxc_atom x = capture(t, "x");
    const rlxc_sinfo *s = tensor_of(t, x);
    if (!s || !rlxc_dtype_is_float(s->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "m", s->ndim);
    if (__builtin_popcount(set) != 1 || reduced(t, "s", s->ndim) != set)
        return (rlxc_atom){0};
    return emit(t, op, &x, 1, rlxc_one_attr(t->g.ctx, "axis", rlxc_attr_int(__builtin_ctz(set))));
}

rlxc_atom rlxc_match_softmax(rlxc_matching *t)
{
    return softmax(t, "nn.softmax");
}

rlxc_atom rlxc_match_log_softmax(rlxc_matching *t)
{
    return softmax(t, "nn.log_softmax");
}

/* --- transpositions --------------------------------------------------------------------------- */

/* The axes of a permute_dims; reversed order where none are given. */
static bool axes_of(const rlxc_binding *call, int32_t ndim, int64_t *out)
{
    uint32_t n;
    if (!rlxc_attr_get_ints(call, "axes", out, RLXC_MAX_NDIM, &n)) {
        for (int32_t i = 0; i < ndim; i++)
            out[i] = ndim - 1 - i;
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] += out[i] < 0 ? ndim : 0;
    return (int32_t)n == ndim;
}

/* permute_dims(x, axes); where x is one itself, both are made one. */
static rlxc_atom permuted(rlxc_matching *t, rlxc_atom x, const int64_t *axes, int32_t ndim)
{
    int64_t inner[RLXC_MAX_NDIM], both[RLXC_MAX_NDIM];
    const rlxc_binding *call = x.kind == RLXC_ATOM_VAR ? t->g.definition(t->g.user, x.var) : NULL;
    bool is_permuted = call && call->form == RLXC_FORM_CALL && call->op &&
                       strcmp(call->op->name, "permute_dims") == 0 && axes_of(call, ndim, inner);
    bool same = true;
    for (int32_t i = 0; i < ndim; i++) {
        both[i] = is_permuted ? inner[axes[i]] : axes[i];
        same = same && both[i] == i;
    }
    if (is_permuted)
        x = call->args[0];
    if (same)
        return x;
    return emit(t, "permute_dims", &x, 1,
                rlxc_one_attr(t->g.ctx, "axes", rlxc_attr_ints(t->g.ctx, both, (uint32_t)ndim)));
}

rlxc_atom rlxc_match_permute_dims(rlxc_matching *t)
{
    int64_t axes[RLXC_MAX_NDIM];
    const rlxc_sinfo *x = tensor_of(t, capture(t, "x"));
    if (!x || !axes_of(t->root, x->ndim, axes))
        return (rlxc_atom){0};
    return permuted(t, capture(t, "p"), axes, x->ndim);
}

/* --- attention -------------------------------------------------------------------------------- */

/* |atom| is arange(0, n) in the shape (..., n, 1) or (..., 1, n). */
static bool is_range(const rlxc_matching *t, const rlxc_match *m, const char *name,
                     const rlxc_expr *n, bool column)
{
    const rlxc_sinfo *s = tensor_of(t, rlxc_match_atom(m, name));
    const rlxc_binding *range = rlxc_match_call(&t->g, m, "r");
    if (!s || s->ndim < 2 || !range || range->n_args != 3)
        return false;
    int64_t from, step;
    for (uint32_t i = 0; i < 3; i++)
        if (range->args[i].kind != RLXC_ATOM_PRIM)
            return false;
    const rlxc_expr *along = s->dims[s->ndim - (column ? 2 : 1)],
                    *across = s->dims[s->ndim - (column ? 1 : 2)];
    return rlxc_is_int(range->args[0].prim, &from) && from == 0 &&
           rlxc_is_int(range->args[2].prim, &step) && step == 1 && rlxc_is_const(across, 1) &&
           rlxc_prove_eq(t->g.ctx, along, n, NULL);
}

/* |bias| before it was given further dimensions of 1 in front. */
static rlxc_atom without_front(rlxc_matching *t, rlxc_atom bias)
{
    for (;;) {
        const rlxc_binding *b =
            bias.kind == RLXC_ATOM_VAR ? t->g.definition(t->g.user, bias.var) : NULL;
        if (!b || b->form != RLXC_FORM_CALL || !b->op ||
            (strcmp(b->op->name, "reshape") != 0 && strcmp(b->op->name, "expand_dims") != 0))
            return bias;
        const rlxc_sinfo *from = tensor_of(t, b->args[0]), *to = tensor_of(t, bias);
        if (!from || !to || from->ndim >= to->ndim)
            return bias;
        for (int32_t i = 1; i <= to->ndim; i++)
            if (i <= from->ndim ? !rlxc_prove_eq(t->g.ctx, from->dims[from->ndim - i],
                                                 to->dims[to->ndim - i], NULL)
                                : !rlxc_is_const(to->dims[to->ndim - i], 1))
                return bias;
        bias = b->args[0];
    }
}

/* The condition |seen| is that of a causal mask over |n| queries and |n| keys. */
static bool is_causal(rlxc_matching *t, rlxc_atom seen, const rlxc_expr *n)
{
    rlxc_match m;
    return t->part(t, "causal", without_front(t, seen), &m) && is_range(t, &m, "i", n, true) &&
           is_range(t, &m, "j", n, false);
}

typedef struct heads { /* (batch, head, queries, size) and so on */
    const rlxc_sinfo *q, *k, *v;
    const rlxc_expr *queries, *keys;
    rlx_dtype dtype;  /* of values and result; queries and keys may be narrower */
    rlx_dtype masked; /* of the scores where they are masked */
    bool causal;
    rlxc_atom bias; /* kind NONE: none */
} heads;

/* Scores and weights are computed in types that the operator is no less exact than. */
static bool has_types(rlxc_matching *t, heads *h)
{
    const rlxc_sinfo *scores = tensor_of(t, capture(t, "s")),
                     *weights = tensor_of(t, capture(t, "p"));
    const uint32_t most = at_least_32_bits(h->dtype).bits;
    if (!scores || !weights || !rlxc_dtype_is_float(scores->dtype) ||
        !rlxc_dtype_is_float(weights->dtype) || scores->dtype.bits > most ||
        weights->dtype.bits > most)
        return false;
    h->masked = scores->dtype;
    return true;
}

/* The operands have four dimensions, or three: (batch * head, queries, size) and so on. */
static bool is_heads(rlxc_matching *t, heads *h)
{
    h->q = tensor_of(t, capture(t, "q"));
    h->k = tensor_of(t, capture(t, "k"));
    h->v = tensor_of(t, capture(t, "v"));
    const rlxc_sinfo *out = tensor_of(t, rlxc_atom_var(t->root->var));
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

/* Bias that says what the condition |seen| (or its opposite) does, where |fill| is a number that
 * softmax makes 0. It is added where the module replaces: a row without any key must have equal
 * scores afterwards, so what is added is large enough to leave nothing of them. */
static rlxc_atom bias_of(rlxc_matching *t, const heads *h, rlxc_atom cond, bool seen, double fill)
{
    const rlx_dtype type = at_least_32_bits(h->masked); /* the operator adds in no narrower one */
    rlxc_atom zero = rlxc_scalar_atom(t->g.ctx, type, 0),
              low = rlxc_scalar_atom(t->g.ctx, type, isinf(fill) ? fill : absorbing(type));
    rlxc_atom args[3] = {cond, seen ? zero : low, seen ? low : zero};
    return emit(t, "where", args, 3, (rlxc_attrs){0});
}

/* What hides keys from queries: the attribute of a causal mask, or a bias. */
static bool read_mask(rlxc_matching *t, heads *h)
{
    rlxc_atom cond = capture(t, "seen"), hidden = capture(t, "hidden");
    double fill = rlxc_match_number(&t->m, "fill", -INFINITY);
    bool square = rlxc_prove_eq(t->g.ctx, h->queries, h->keys, NULL);
    rlxc_match m;
    h->bias = capture(t, "bias");
    if (h->bias.kind != RLXC_ATOM_NONE && t->part(t, "hidden_by", without_front(t, h->bias), &m)) {
        rlxc_atom shown = rlxc_match_atom(&m, "seen");
        h->causal = square && hides(h->masked, rlxc_match_number(&m, "fill", 0)) &&
                    shown.kind != RLXC_ATOM_NONE && is_causal(t, shown, h->queries);
        if (h->causal)
            h->bias = (rlxc_atom){0};
        return true;
    }
    if (cond.kind == RLXC_ATOM_NONE && hidden.kind == RLXC_ATOM_NONE)
        return true;
    if (!hides(h->masked, fill))
        return false;
    h->causal = square && cond.kind != RLXC_ATOM_NONE && is_causal(t, cond, h->queries);
    if (!h->causal)
        h->bias = cond.kind != RLXC_ATOM_NONE ? bias_of(t, h, cond, true, fill)
                                              : bias_of(t, h, hidden, false, fill);
    return true;
}

static rlxc_atom reshaped(rlxc_matching *t, rlxc_atom x, const rlxc_expr *const dims[4])
{
    rlxc_atom args[2] = {x, rlxc_atom_shape(t->g.ctx, dims, 4)};
    return emit(t, "reshape", args, 2, (rlxc_attrs){0});
}

/* The bias as (batch, head, queries, keys), where it broadcasts to the scores; else kind NONE. */
static rlxc_atom four_dims(rlxc_matching *t, const heads *h)
{
    rlxc_context *ctx = t->g.ctx;
    const rlxc_sinfo *bias = tensor_of(t, h->bias);
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
    bool turned;    /* the last two dimensions are the other way round */
    int64_t shared; /* heads, where those of the query share them in turn; 0: they do not */
} operand;

/* The tensor of dimensions |dims|: the one that |x|, of as many elements, was made of, if it has
 * them. */
static rlxc_atom seen_as(rlxc_matching *t, rlxc_atom x, const rlxc_expr *const dims[4])
{
    const rlxc_binding *b = x.kind == RLXC_ATOM_VAR ? t->g.definition(t->g.user, x.var) : NULL;
    bool same = b && b->form == RLXC_FORM_CALL && b->op &&
                (strcmp(b->op->name, "reshape") == 0 || strcmp(b->op->name, "expand_dims") == 0);
    const rlxc_sinfo *from = same ? tensor_of(t, b->args[0]) : NULL;
    same = from && from->ndim == 4;
    for (uint32_t i = 0; i < 4 && same; i++)
        same = rlxc_prove_eq(t->g.ctx, from->dims[i], dims[i], NULL);
    return same ? b->args[0] : reshaped(t, x, dims);
}

/* What the operand's heads were repeated from, each so often in a row; else shared is 0. */
static operand before_repeating(rlxc_matching *t, operand o)
{
    rlxc_context *ctx = t->g.ctx;
    const rlxc_sinfo *all = tensor_of(t, o.x);
    const rlxc_binding *b = o.x.kind == RLXC_ATOM_VAR ? t->g.definition(t->g.user, o.x.var) : NULL;
    int64_t axes[RLXC_MAX_NDIM], total, times;
    rlxc_match m;
    if (all->ndim == 4 && b && b->form == RLXC_FORM_CALL && b->op &&
        strcmp(b->op->name, "permute_dims") == 0 && axes_of(b, 4, axes) && axes[0] == 0 &&
        axes[1] == 1 && axes[2] == 3) {
        o = (operand){b->args[0], !o.turned, 0};
        all = tensor_of(t, o.x);
    }
    if (!all || all->ndim != 4 || !t->part(t, "shared_heads", o.x, &m))
        return o;
    rlxc_atom from = rlxc_match_atom(&m, "x");
    const rlxc_sinfo *one = tensor_of(t, from);
    const rlxc_binding *spread = rlxc_match_call(&t->g, &m, "e");
    if (!one || !rlxc_is_int(all->dims[1], &total))
        return o;
    if (!spread) {
        int64_t axis = rlxc_attr_get_int(m.inside[0], "axis", INT64_MAX);
        if (one->ndim == 4 && (axis == 1 || axis == -3) && rlxc_is_int(one->dims[1], &o.shared))
            o.x = from;
        return o;
    }
    const rlxc_sinfo *each = tensor_of(t, rlxc_atom_var(spread->var));
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

/* The operand as (batch, n, head, size) of type |dtype|. */
static rlxc_atom with_heads_inside(rlxc_matching *t, operand o, rlx_dtype dtype)
{
    static const int64_t four[2][4] = {{0, 2, 1, 3}, {0, 3, 1, 2}}, three[3] = {0, 2, 1};
    rlxc_atom x = o.x;
    const bool turned = o.turned;
    const rlxc_sinfo *s = tensor_of(t, x);
    if (s->ndim == 4) {
        x = permuted(t, x, four[turned], 4);
    } else {
        const rlxc_expr *dims[4] = {s->dims[0], s->dims[turned ? 2 : 1], rlxc_i64(t->g.ctx, 1),
                                    s->dims[turned ? 1 : 2]};
        x = reshaped(t, turned ? permuted(t, x, three, 3) : x, dims);
    }
    if (rlxc_dtype_eq(s->dtype, dtype))
        return x;
    return emit(t, "astype", &x, 1, rlxc_one_attr(t->g.ctx, "dtype", rlxc_attr_dtype(dtype)));
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
    operand k = {capture(t, "k"), true, 0}, v = {capture(t, "v"), false, 0};
    const operand few_k = before_repeating(t, k), few_v = before_repeating(t, v);
    if (few_k.shared > 0 && few_k.shared == few_v.shared) {
        k = few_k;
        v = few_v;
    }
    args[0] = with_heads_inside(t, (operand){capture(t, "q"), false, 0}, h.dtype);
    args[1] = with_heads_inside(t, k, h.dtype);
    args[2] = with_heads_inside(t, v, h.dtype);
    double scale = rlxc_match_number(&t->m, "scale", 1) * rlxc_match_number(&t->m, "scale2", 1);
    rlxc_attrs attrs = rlxc_one_attr(ctx, "scale", rlxc_attr_float(scale));
    if (h.causal)
        attrs = rlxc_and_attr(ctx, attrs, "causal_mask", rlxc_attr_string(ctx, "TopLeft"));
    rlxc_atom out = emit(t, n == 4 ? "nn.attention_bias" : "nn.attention", args, n, attrs);
    if (h.q->ndim == 4)
        return emit(t, "permute_dims", &out, 1,
                    rlxc_one_attr(ctx, "axes", rlxc_attr_ints(ctx, heads_last, 4)));
    const rlxc_expr *dims[3] = {h.q->dims[0], h.queries, h.v->dims[2]};
    rlxc_atom back[2] = {out, rlxc_atom_shape(ctx, dims, 3)};
    return emit(t, "reshape", back, 2, (rlxc_attrs){0});
}
