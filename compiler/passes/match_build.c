/* Builds the replacement of a matched pattern: checks the conditions that the pattern's text cannot
 * express (axes, dimensions), then emits the operator. Attention is in match_attention.c. */
#include "compiler/passes/match_patterns.h"

#include <string.h>

#include "compiler/ops/compose.h"

const rlxc_sinfo *rlxc_match_tensor(const rlxc_matching *t, rlxc_atom atom)
{
    const rlxc_sinfo *s =
        atom.kind == RLXC_ATOM_NONE ? NULL : rlxc_atom_sinfo(t->g.ctx, t->g.module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 0 && s->dims &&
                   !rlxc_dtype_is_void(s->dtype)
               ? s
               : NULL;
}

rlxc_atom rlxc_match_capture(const rlxc_matching *t, const char *name)
{
    return rlxc_match_atom(&t->m, name);
}

rlxc_atom rlxc_match_emit(rlxc_matching *t, const char *op, const rlxc_atom *args, uint32_t n,
                          rlxc_attrs attrs)
{
    return rlxc_emit_op(t->b, op, args, n, attrs, t->root->var->name);
}

static rlxc_atom unary(rlxc_matching *t, const char *op)
{
    rlxc_atom x = rlxc_match_capture(t, "x");
    return rlxc_match_tensor(t, x) ? rlxc_match_emit(t, op, &x, 1, (rlxc_attrs){0})
                                   : (rlxc_atom){0};
}

/* The axes in attribute |name| of a tensor of |ndim|, as a set; 0: none, or not all valid.
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

/* The axes of the reduction captured as |name|; 0 if it does not keep dimensions. */
static uint32_t reduced(const rlxc_matching *t, const char *name, int32_t ndim)
{
    const rlxc_binding *call = rlxc_match_call(&t->g, &t->m, name);
    return call && rlxc_attr_get_bool(call, "keepdims", false) ? axes_set(call, "axis", ndim) : 0;
}

/* --- normalisations --------------------------------------------------------------------------- */

/* |param| has exactly x's dimensions that are in |set|, which are its last ones. */
static bool fits(const rlxc_matching *t, const rlxc_sinfo *x, uint32_t set, rlxc_atom param)
{
    const rlxc_sinfo *s = rlxc_match_tensor(t, param);
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
    rlxc_atom args[3] = {rlxc_match_capture(t, "x"), rlxc_match_capture(t, "gamma"),
                         rlxc_match_capture(t, "beta")};
    const rlxc_sinfo *x = rlxc_match_tensor(t, args[0]);
    if (!x || !rlxc_dtype_is_float(x->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "m", x->ndim);
    const rlxc_binding *rms = rlxc_match_call(&t->g, &t->m, "r");
    uint32_t same = rms ? axes_set(rms, "axes", x->ndim) : reduced(t, "v", x->ndim);
    if (set == 0 || same != set || !fits(t, x, set, args[1]) || !fits(t, x, set, args[2]))
        return (rlxc_atom){0};
    double epsilon = rms ? rlxc_attr_get_float(rms, "epsilon", 0) : number(t, "eps");
    return rlxc_match_emit(t, "nn.layer_norm", args, 3, norm_attrs(t, set, epsilon));
}

rlxc_atom rlxc_match_rms_norm(rlxc_matching *t)
{
    rlxc_atom args[2] = {rlxc_match_capture(t, "x"), rlxc_match_capture(t, "weight")};
    const rlxc_sinfo *x = rlxc_match_tensor(t, args[0]);
    if (!x || !rlxc_dtype_is_float(x->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "v", x->ndim);
    if (set == 0 || !fits(t, x, set, args[1]))
        return (rlxc_atom){0};
    return rlxc_match_emit(t, "nn.rms_norm", args, 2, norm_attrs(t, set, number(t, "eps")));
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
    rlxc_atom x = rlxc_match_capture(t, "x");
    const rlxc_sinfo *s = rlxc_match_tensor(t, x);
    if (!s || !rlxc_dtype_is_float(s->dtype))
        return (rlxc_atom){0};
    uint32_t set = reduced(t, "m", s->ndim);
    if (__builtin_popcount(set) != 1 || reduced(t, "s", s->ndim) != set)
        return (rlxc_atom){0};
    return rlxc_match_emit(t, op, &x, 1,
                           rlxc_one_attr(t->g.ctx, "axis", rlxc_attr_int(__builtin_ctz(set))));
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

const rlxc_binding *rlxc_match_made_by(const rlxc_matching *t, rlxc_atom x, const char *op)
{
    const rlxc_binding *b = x.kind == RLXC_ATOM_VAR ? t->g.definition(t->g.user, x.var) : NULL;
    return b && b->form == RLXC_FORM_CALL && b->op && strcmp(b->op->name, op) == 0 ? b : NULL;
}

const rlxc_binding *rlxc_match_reshaping(const rlxc_matching *t, rlxc_atom x)
{
    const rlxc_binding *b = rlxc_match_made_by(t, x, "reshape");
    return b ? b : rlxc_match_made_by(t, x, "expand_dims");
}

rlxc_atom rlxc_match_permuted(rlxc_matching *t, rlxc_atom x, const int64_t *axes, int32_t ndim)
{
    int64_t inner[RLXC_MAX_NDIM], both[RLXC_MAX_NDIM];
    const rlxc_binding *call = rlxc_match_made_by(t, x, "permute_dims");
    bool is_permuted = call && rlxc_permutation(call, ndim, inner), same = true;
    for (int32_t i = 0; i < ndim; i++) {
        both[i] = is_permuted ? inner[axes[i]] : axes[i];
        same = same && both[i] == i;
    }
    if (is_permuted)
        x = call->args[0];
    if (same)
        return x;
    return rlxc_match_emit(
        t, "permute_dims", &x, 1,
        rlxc_one_attr(t->g.ctx, "axes", rlxc_attr_ints(t->g.ctx, both, (uint32_t)ndim)));
}

rlxc_atom rlxc_match_permute_dims(rlxc_matching *t)
{
    int64_t axes[RLXC_MAX_NDIM];
    const rlxc_sinfo *x = rlxc_match_tensor(t, rlxc_match_capture(t, "x"));
    if (!x || !rlxc_permutation(t->root, x->ndim, axes))
        return (rlxc_atom){0};
    return rlxc_match_permuted(t, rlxc_match_capture(t, "p"), axes, x->ndim);
}
