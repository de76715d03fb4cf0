/* Groups of channels joined with all their pixels, the form in which exporters spell out group
 * normalisation:
 *
 *   y = R.reshape(x, [n, g, c / g * h * w])     t = R.reshape(x1, [n, h, w, g, c / g])
 *   m = R.mean(y, [2], keepdims=True)           m1 = R.mean(t, [1, 2, 4], keepdims=True)
 *   d = R.subtract(y, m)                        d1 = R.subtract(t, m1)
 *   z = R.reshape(d, [n, c, h, w])              z1 = R.reshape(d1, [n, h, w, c])
 *
 * If x has a twin x1 with its channels last, the elements of a group are not contiguous in it, so y
 * has no twin; but y is t with the dimensions c / g, h, w taken as one. That view is recorded for y
 * until the channels are joined again; the bindings of y itself stay, and dce drops them if nothing
 * reads them. */
#include "compiler/passes/layout_map.h"

#include "compiler/ir/lifted.h"
#include "compiler/ops/op_infer.h"

#include <string.h>

enum { RANK = 3 /* of y: batch, group, rest */ };

/* |var|: dimension i is dimension order[i] of [n, g, c / g, h, w, ...]. */
typedef struct view {
    rlxc_rvar *var;
    uint32_t n;
    int64_t order[RLXC_MAX_NDIM];
} view;

static const view *view_of(const rlxc_layout_map *twins, rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&twins->groups, rlxc_key(a.var)) : NULL;
}

/* Records |made| as the view of the binding's value, ordered as |like|. */
static void remember(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_binding *binding,
                     rlxc_atom made, const view *like)
{
    view *own = rlxc_copy(b->ctx, like, sizeof *like);
    if (made.kind != RLXC_ATOM_VAR || rlxc_failed(b->ctx))
        return;
    own->var = made.var;
    rlxc_map_set(b->ctx, &twins->groups, rlxc_key(binding->var), own);
}

static bool equal(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return a == b || rlxc_prove_eq(ctx, a, b, NULL);
}

static rlxc_atom reshaped(rlxc_builder *b, rlxc_atom x, const rlxc_expr *const *dims, uint32_t n)
{
    rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, n)};
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
}

/* A reshape that splits the channels into groups. */
static void cut(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, call->args[0]);
    const rlxc_sinfo *x = rlxc_movable(b, call->args[0], 0);
    const rlxc_sinfo *y = rlxc_movable(b, rlxc_atom_var(call->var), RANK);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t channels, groups;
    view own = {0};
    if (!twin || twin->found || !x || !y || x->ndim < RANK || twin->n + 1 > RLXC_MAX_NDIM ||
        !equal(b->ctx, x->dims[0], y->dims[0]) || !rlxc_is_int(x->dims[1], &channels) ||
        !rlxc_is_int(y->dims[1], &groups) || groups < 1 || channels % groups != 0)
        return;
    const rlxc_expr *each = rlxc_i64(b->ctx, channels / groups);
    const rlxc_expr *pixels = rlxc_product(b->ctx, x->dims + 2, twin->n - 2);
    if (!equal(b->ctx, rlxc_canonical(b->ctx, rlxc_mul(b->ctx, each, pixels), NULL), y->dims[2]))
        return;
    for (uint32_t i = 0; i < twin->n; i++) {
        const int64_t of_x = twin->order[i];
        dims[own.n] = of_x == 1 ? y->dims[1] : x->dims[of_x];
        own.order[own.n++] = of_x <= 1 ? of_x : of_x + 1;
        if (of_x != 1)
            continue;
        dims[own.n] = each;
        own.order[own.n++] = 2;
    }
    remember(twins, b, call, reshaped(b, rlxc_atom_var(twin->var), dims, own.n), &own);
}

/* A reshape that joins them again: the view becomes a twin. */
static rlxc_rewrite_action join(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_binding *call,
                                rlxc_atom *replacement)
{
    const view *v = view_of(twins, call->args[0]);
    const rlxc_sinfo *y = rlxc_movable(b, rlxc_atom_var(call->var), v->n - 1);
    const rlxc_expr *own[RLXC_MAX_NDIM], *dims[RLXC_MAX_NDIM];
    int64_t order[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->n; i++)
        own[v->order[i]] = v->var->sinfo->dims[i];
    own[1] = rlxc_canonical(b->ctx, rlxc_mul(b->ctx, own[1], own[2]), NULL);
    for (uint32_t i = 0; y && i + 1 < v->n; i++)
        if (!equal(b->ctx, y->dims[i], own[i < 2 ? i : i + 1]))
            y = NULL;
    if (!y)
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->order[i] == 2)
            continue;
        order[n] = v->order[i] < 2 ? v->order[i] : v->order[i] - 1;
        dims[n] = y->dims[order[n]];
        n++;
    }
    rlxc_atom made = reshaped(b, rlxc_atom_var(v->var), dims, n);
    return rlxc_layout_map_replace(twins, b, call, made, order, replacement);
}

/* |x|, ordered as |v|, reduced by the operator |name| over the dimensions of |set| (of batch, group
 * and rest): over the pixels first, whose channels are vectors, then over the channels of a group.
 */
static rlxc_atom reduced(rlxc_builder *b, const char *name, rlxc_atom x, const view *v,
                         uint32_t set, bool keeps)
{
    const char *axis = rlxc_intern_cstr(b->ctx, "axis");
    const char *keepdims = rlxc_intern_cstr(b->ctx, "keepdims");
    int64_t pixels[RLXC_MAX_NDIM], all[RLXC_MAX_NDIM];
    uint32_t n_pixels = 0, n = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        if (!(set >> (v->order[i] < 2 ? v->order[i] : 2) & 1))
            continue;
        all[n++] = i;
        if (v->order[i] > 2)
            pixels[n_pixels++] = i;
    }
    if (n_pixels > 0) {
        rlxc_attrs attrs = rlxc_attrs_with(b->ctx, (rlxc_attrs){0}, axis,
                                           rlxc_attr_ints(b->ctx, pixels, n_pixels));
        attrs = rlxc_attrs_with(b->ctx, attrs, keepdims, rlxc_attr_bool(true));
        x = rlxc_emit_op(b, name, &x, 1, attrs, "lv");
    }
    rlxc_attrs attrs =
        rlxc_attrs_with(b->ctx, (rlxc_attrs){0}, axis, rlxc_attr_ints(b->ctx, all, n));
    attrs = rlxc_attrs_with(b->ctx, attrs, keepdims, rlxc_attr_bool(keeps));
    return rlxc_emit_op(b, name, &x, 1, attrs, "lv");
}

static rlxc_rewrite_action reduce(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_binding *call,
                                  rlxc_atom *replacement)
{
    const view *v = view_of(twins, call->args[0]);
    const char *name = call->op->name;
    int64_t axes[RANK];
    uint32_t n, set = 0;
    if (!rlxc_attr_get_ints(call, "axis", axes, RANK, &n))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < n; i++)
        set |= 1u << (axes[i] + (axes[i] < 0 ? RANK : 0));
    const bool keeps = rlxc_attr_get_bool(call, "keepdims", false);
    const bool deviates = strcmp(name, "std") == 0, squares = strcmp(name, "variance") == 0;
    if (n == 0 || (!keeps && set != 1u << 2))
        return RLXC_REWRITE_KEEP;
    rlxc_atom x = rlxc_atom_var(v->var);
    if (deviates || squares) { /* mean squared distance from the mean */
        rlxc_atom pair[2] = {x, reduced(b, "mean", x, v, set, true)};
        pair[0] = rlxc_emit_op(b, "subtract", pair, 2, (rlxc_attrs){0}, "lv");
        pair[1] = pair[0];
        x = rlxc_emit_op(b, "multiply", pair, 2, (rlxc_attrs){0}, "lv");
        name = "mean";
    }
    x = reduced(b, name, x, v, set, keeps);
    if (deviates)
        x = rlxc_emit_op(b, "sqrt", &x, 1, (rlxc_attrs){0}, "lv");
    if (keeps) {
        remember(twins, b, call, x, v);
        return RLXC_REWRITE_KEEP;
    }
    const int64_t batch_first[2] = {0, 1}, batch_last[2] = {1, 0};
    for (uint32_t i = 0; i < v->n; i++)
        if (v->order[i] < 2)
            return rlxc_layout_map_replace(
                twins, b, call, x, v->order[i] == 0 ? batch_first : batch_last, replacement);
    return RLXC_REWRITE_KEEP;
}

/* |a| as an operand next to |v|: a view of the same dimensions, or one number per group, or for
 * all. */
static bool beside(rlxc_layout_map *twins, rlxc_builder *b, rlxc_atom a, const view *v,
                   rlxc_atom *out)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, a);
    const view *other = view_of(twins, a);
    *out = a;
    if (!s || s->kind != RLXC_SINFO_TENSOR || s->ndim == 0)
        return s != NULL;
    if (other) {
        bool fits = memcmp(other->order, v->order, v->n * sizeof *v->order) == 0;
        for (uint32_t i = 0; fits && i < v->n; i++) {
            const rlxc_expr *x = v->var->sinfo->dims[i], *y = other->var->sinfo->dims[i];
            fits = x == y || rlxc_is_const(x, 1) || rlxc_is_const(y, 1);
        }
        *out = rlxc_atom_var(other->var);
        return fits && other->n == v->n;
    }
    if (!s->dims || s->ndim > RANK || !rlxc_is_const(s->dims[s->ndim - 1], 1))
        return false;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t shape[RLXC_MAX_NDIM];
    const uint32_t missing = RANK - (uint32_t)s->ndim;
    for (uint32_t i = 0; i < v->n; i++) {
        dims[i] = i < 2 && i >= missing ? s->dims[i - missing] : rlxc_i64(b->ctx, 1);
        if (!rlxc_is_int(dims[i], &shape[i]) && a.kind == RLXC_ATOM_CONSTANT)
            return false;
    }
    if (a.kind == RLXC_ATOM_CONSTANT)
        a = rlxc_atom_constant(rlxc_constant_reshaped(b->ctx, a.constant, v->n, shape));
    else
        a = reshaped(b, a, dims, v->n);
    *out = rlxc_permuted(b, a, v->n, v->order);
    return out->kind != RLXC_ATOM_NONE;
}

static void by_element(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    const view *v = NULL;
    for (uint32_t i = 0; i < call->n_args && !v; i++)
        v = view_of(twins, call->args[i]);
    if (!v || call->n_args > RLXC_MAX_OP_INPUTS || !rlxc_movable(b, rlxc_atom_var(call->var), RANK))
        return;
    for (uint32_t i = 0; i < call->n_args; i++)
        if (!beside(twins, b, call->args[i], v, &args[i]))
            return;
    remember(twins, b, call,
             rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name), v);
}

rlxc_rewrite_action rlxc_propagate_layout_groups(rlxc_layout_map *twins, rlxc_builder *b,
                                                 rlxc_binding *call, rlxc_atom *replacement)
{
    const rlxc_operator *op = call->op;
    if (op->flags & RLXC_OP_BY_ELEMENT)
        by_element(twins, b, call);
    else if ((op->flags & RLXC_OP_ALIASES_0) && view_of(twins, call->args[0]))
        return join(twins, b, call, replacement);
    else if (op->flags & RLXC_OP_ALIASES_0)
        cut(twins, b, call);
    else if ((op->legalize == rlxc_legalize_reduce || op->legalize == rlxc_legalize_moments) &&
             view_of(twins, call->args[0]))
        return reduce(twins, b, call, replacement);
    return RLXC_REWRITE_KEEP;
}
