/* Moves operators that keep the order of dimensions (layout_map.h), one way for each kind:
 *
 *   RLXC_OP_BY_ELEMENT   reads all operands in the order of the first that has a twin
 *   RLXC_OP_ALONG        names dimensions in axis, axes, channel_axis: those of the twin instead.
 *                        Further tensors are vectors along one, or scalars
 *   RLXC_OP_EACH_AXIS    has a list with as many numbers for each dimension: in the twin's order
 *   reshape              cuts and joins dimensions that stay beside each other in the twin
 *   permute_dims         gives the same elements another order: the twin is the same
 *   broadcast_to, strided_slice, match_cast   name dimensions in arguments: those of the twin
 *
 * Transpositions in the module (permute_dims or reshape) are recorded as twins too, for operators
 * that move because of another operand: this serves networks that transpose to channels-last
 * themselves.
 *
 * Not handled: operands of unknown dimensions; reshapes that join dimensions which are not adjacent
 * in the twin, except to an image, whose elements are then reordered once. */
#include "compiler/passes/layout_map.h"

#include "compiler/ops/op_infer.h"

#include <string.h>

enum { IMAGE = 4 };

static const rlxc_layout_entry *moving(const rlxc_layout_map *twins, rlxc_atom a)
{
    const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, a);
    return twin && !twin->found ? twin : NULL;
}

/* Maps dimension |axis| of the value (from the end if negative) to dimension *out of the twin. */
static bool axis_in(const rlxc_layout_entry *twin, int64_t axis, int64_t *out)
{
    axis += axis < 0 ? twin->n : 0;
    for (uint32_t i = 0; i < twin->n; i++)
        if (twin->order[i] == axis) {
            *out = i;
            return true;
        }
    return false;
}

static void dims_in(const rlxc_sinfo *s, const int64_t *order, uint32_t n, const rlxc_expr **out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = s->dims[order[i]];
}

/* --- element by element ---------------------------------------------------------------------- */

/* |a| for an operator whose operands are in |order|: scalars stay, tensors of fewer dimensions get
 * leading ones. */
static bool beside(rlxc_layout_map *twins, rlxc_builder *b, rlxc_atom a, uint32_t rank,
                   const int64_t *order, rlxc_atom *out)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, a);
    *out = a;
    if (!s || s->kind != RLXC_SINFO_TENSOR)
        return s != NULL;
    if (s->ndim == 0)
        return true;
    if (!s->dims || (uint32_t)s->ndim > rank)
        return false;
    if (a.kind == RLXC_ATOM_VAR && (uint32_t)s->ndim < rank) {
        const rlxc_expr *dims[RLXC_MAX_NDIM];
        for (uint32_t i = 0, missing = rank - (uint32_t)s->ndim; i < rank; i++)
            dims[i] = i < missing ? rlxc_i64(b->ctx, 1) : s->dims[i - missing];
        rlxc_atom args[2] = {a, rlxc_atom_shape(b->ctx, dims, rank)};
        a = rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
    }
    *out = rlxc_layout_map_in(twins, b, a, rank, order);
    return out->kind != RLXC_ATOM_NONE;
}

/* The twin of the first operand whose order the result can have; twins that make operators move are
 * preferred. */
static const rlxc_layout_entry *order_of(const rlxc_layout_map *twins, const rlxc_binding *call,
                                         uint32_t rank)
{
    const rlxc_layout_entry *found = NULL;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, call->args[i]);
        if (!twin || twin->n != rank)
            continue;
        if (!twin->found)
            return twin;
        found = found ? found : twin;
    }
    return found;
}

/* True if all other operands are constants or scalars, which are free in any order. */
static bool is_alone(const rlxc_builder *b, const rlxc_layout_map *twins, const rlxc_binding *call)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[i]);
        if (rlxc_layout_map_find(twins, call->args[i]))
            n++;
        else if (call->args[i].kind != RLXC_ATOM_CONSTANT && s && s->kind == RLXC_SINFO_TENSOR &&
                 s->ndim != 0)
            return false;
    }
    return n == 1;
}

static rlxc_rewrite_action carry_elements(rlxc_layout_map *twins, rlxc_builder *b,
                                          rlxc_binding *call, rlxc_atom *replacement)
{
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    const rlxc_sinfo *result = rlxc_movable(b, rlxc_atom_var(call->var), 0);
    const rlxc_layout_entry *twin = result ? order_of(twins, call, (uint32_t)result->ndim) : NULL;
    if (!twin || call->n_args > RLXC_MAX_OP_INPUTS || (twin->found && !is_alone(b, twins, call)))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < call->n_args; i++)
        if (!beside(twins, b, call->args[i], twin->n, twin->order, &args[i]))
            return RLXC_REWRITE_KEEP;
    rlxc_atom moved =
        rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name);
    if (!twin->found || moved.kind != RLXC_ATOM_VAR)
        return rlxc_layout_map_replace(twins, b, call, moved, twin->order, replacement);
    rlxc_layout_map_note(twins, b, call->var, moved.var, twin->n, twin->order);
    return RLXC_REWRITE_KEEP;
}

/* --- along dimensions ------------------------------------------------------------------------ */

/* The attributes with axes renumbered for the twin; |*out_set|: the axes in axis and axes, numbered
 * for the value. */
static bool axes_of(rlxc_builder *b, const rlxc_layout_entry *twin, rlxc_attrs *attrs,
                    uint32_t *out_set)
{
    static const char *const names[] = {"axis", "axes", "channel_axis"};
    *out_set = 0;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = rlxc_intern_cstr(b->ctx, names[i]);
        const rlxc_attr *attr = rlxc_attrs_find(attrs, name);
        int64_t axes[RLXC_MAX_NDIM], n = 1;
        if (!attr)
            continue;
        const bool list = attr->kind == RLXC_ATTR_LIST;
        n = list ? attr->list.count : 1;
        if (n > (int64_t)twin->n)
            return false;
        for (uint32_t k = 0; k < n; k++) {
            int64_t axis;
            uint32_t at = k;
            if (!rlxc_attr_as_int(list ? &attr->list.items[k] : attr, &axis) ||
                !axis_in(twin, axis, &axis))
                return false;
            if (i < 2)
                *out_set |= 1u << twin->order[axis];
            for (; at > 0 && axes[at - 1] > axis; at--) /* ascending */
                axes[at] = axes[at - 1];
            axes[at] = axis;
        }
        *attrs = rlxc_attrs_with(b->ctx, *attrs, name,
                                 list ? rlxc_attr_ints(b->ctx, axes, (uint32_t)n)
                                      : rlxc_attr_int(axes[0]));
    }
    return true;
}

/* The order of the twin's dimensions that remain without those in |set|. */
static uint32_t order_without(const rlxc_layout_entry *twin, uint32_t set, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < twin->n; i++)
        if (!(set >> twin->order[i] & 1))
            out[n++] = twin->order[i] - __builtin_popcount(set & ((1u << twin->order[i]) - 1));
    return n;
}

/* The first of the tuple's tensors that has a twin. */
static const rlxc_layout_entry *first_of(const rlxc_layout_map *twins, rlxc_atom tuple)
{
    const rlxc_layout_entry *twin = NULL;
    for (uint32_t i = 0; tuple.kind == RLXC_ATOM_TUPLE && i < tuple.n && !twin; i++)
        twin = moving(twins, tuple.items[i]);
    return twin;
}

static bool twins_of(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_layout_entry *twin,
                     rlxc_atom *tuple)
{
    rlxc_atom *items = rlxc_alloc(b->ctx, tuple->n * sizeof *items);
    for (uint32_t i = 0; i < tuple->n; i++) {
        if (!rlxc_movable(b, tuple->items[i], twin->n))
            return false;
        items[i] = rlxc_layout_map_in(twins, b, tuple->items[i], twin->n, twin->order);
        if (items[i].kind == RLXC_ATOM_NONE)
            return false;
    }
    *tuple = rlxc_atom_tuple(b->ctx, items, tuple->n);
    return true;
}

static rlxc_rewrite_action carry_along(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    const bool joins = call->args[0].kind == RLXC_ATOM_TUPLE;
    const rlxc_layout_entry *twin =
        joins ? first_of(twins, call->args[0]) : moving(twins, call->args[0]);
    const rlxc_sinfo *result = call->var->sinfo;
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    rlxc_attrs attrs = call->attrs;
    uint32_t set;
    if (!twin || call->n_args > RLXC_MAX_OP_INPUTS || !axes_of(b, twin, &attrs, &set))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 1; i < call->n_args; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[i]);
        if (!s || (s->kind == RLXC_SINFO_TENSOR && (s->ndim < 0 || s->ndim > 1)))
            return RLXC_REWRITE_KEEP;
    }
    rlxc_layout_entry moved = {.n = twin->n};
    memcpy(moved.order, twin->order, sizeof moved.order);
    if (result->kind == RLXC_SINFO_TENSOR && result->dims && (uint32_t)result->ndim < twin->n)
        moved.n = order_without(twin, set, moved.order);
    bool fits =
        result->kind == RLXC_SINFO_TUPLE ||
        (result->kind == RLXC_SINFO_TENSOR && result->dims && (uint32_t)result->ndim == moved.n);
    if (!fits)
        return RLXC_REWRITE_KEEP;
    memcpy(args, call->args, call->n_args * sizeof *args);
    args[0] = rlxc_atom_var(twin->var);
    if (joins) {
        args[0] = call->args[0];
        if (!twins_of(twins, b, twin, &args[0]))
            return RLXC_REWRITE_KEEP;
    }
    rlxc_atom made = rlxc_emit_op(b, call->op->name, args, call->n_args, attrs, call->var->name);
    if (made.kind != RLXC_ATOM_VAR || result->kind == RLXC_SINFO_TENSOR)
        return rlxc_layout_map_replace(twins, b, call, made, moved.order, replacement);
    moved.var = made.var;
    rlxc_map_set(b->ctx, &twins->of, rlxc_key(call->var), rlxc_copy(b->ctx, &moved, sizeof moved));
    return RLXC_REWRITE_KEEP;
}

/* A tensor of a tuple that has a twin; one of lower rank is the same in both. */
static rlxc_rewrite_action carry_part(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *get,
                                      rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = moving(twins, get->args[0]);
    const rlxc_sinfo *s = get->var->sinfo;
    if (!twin || s->kind != RLXC_SINFO_TENSOR || !s->dims ||
        ((uint32_t)s->ndim != twin->n && s->ndim > 1))
        return RLXC_REWRITE_KEEP;
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, b->function, get->var->name, NULL);
    rlxc_binding *part = rlxc_binding_new(b->ctx, RLXC_FORM_TUPLE_GET, var);
    rlxc_atom from = rlxc_atom_var(twin->var);
    part->args = rlxc_copy(b->ctx, &from, sizeof from);
    part->n_args = 1;
    part->index = get->index;
    *replacement = rlxc_emit(b, part);
    return (uint32_t)s->ndim != twin->n
               ? RLXC_REWRITE_REPLACE
               : rlxc_layout_map_replace(twins, b, get, *replacement, twin->order, replacement);
}

/* strided_slice names its dimensions in an argument. */
static rlxc_rewrite_action carry_slice(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = moving(twins, call->args[0]);
    rlxc_atom args[RLXC_MAX_OP_INPUTS], axes[RLXC_MAX_NDIM];
    if (!twin || call->args[1].kind != RLXC_ATOM_TUPLE || call->args[1].n > twin->n ||
        !rlxc_movable(b, rlxc_atom_var(call->var), twin->n))
        return RLXC_REWRITE_KEEP;
    memcpy(args, call->args, call->n_args * sizeof *args);
    for (uint32_t i = 0; i < args[1].n; i++) {
        int64_t axis;
        if (args[1].items[i].kind != RLXC_ATOM_PRIM || !rlxc_is_int(args[1].items[i].prim, &axis) ||
            !axis_in(twin, axis, &axis))
            return RLXC_REWRITE_KEEP;
        axes[i] = rlxc_atom_prim(rlxc_i64(b->ctx, axis));
    }
    args[0] = rlxc_atom_var(twin->var);
    args[1] = rlxc_atom_tuple(b->ctx, axes, args[1].n);
    rlxc_atom moved =
        rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name);
    return rlxc_layout_map_replace(twins, b, call, moved, twin->order, replacement);
}

static rlxc_rewrite_action carry_each(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *replacement)
{
    static const char *const names[] = {"pad_width", "repeats"};
    const rlxc_layout_entry *twin = moving(twins, call->args[0]);
    rlxc_attrs attrs = call->attrs;
    if (!twin || !rlxc_movable(b, rlxc_atom_var(call->var), twin->n))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int64_t values[2 * RLXC_MAX_NDIM], own[2 * RLXC_MAX_NDIM];
        uint32_t n, each;
        if (!rlxc_attrs_find(&call->attrs, rlxc_intern_cstr(b->ctx, names[i])))
            continue;
        if (!rlxc_attr_get_ints(call, names[i], values, 2 * RLXC_MAX_NDIM, &n) || n % twin->n != 0)
            return RLXC_REWRITE_KEEP;
        each = n / twin->n;
        for (uint32_t k = 0; k < n; k++)
            own[k] = values[twin->order[k / each] * each + k % each];
        attrs = rlxc_attrs_with(b->ctx, attrs, rlxc_intern_cstr(b->ctx, names[i]),
                                rlxc_attr_ints(b->ctx, own, n));
    }
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    memcpy(args, call->args, call->n_args * sizeof *args);
    args[0] = rlxc_atom_var(twin->var);
    rlxc_atom moved = rlxc_emit_op(b, call->op->name, args, call->n_args, attrs, call->var->name);
    return rlxc_layout_map_replace(twins, b, call, moved, twin->order, replacement);
}

/* --- other shapes, other orders -------------------------------------------------------------- */

/* Runs of dimensions with the same elements before and after a reshape. */
typedef struct runs {
    uint32_t n;
    uint32_t from[RLXC_MAX_NDIM + 1], to[RLXC_MAX_NDIM + 1]; /* where each begins, and the end */
} runs;

static bool equal_product(rlxc_context *ctx, const rlxc_expr *const *a, uint32_t n,
                          const rlxc_expr *const *b, uint32_t m)
{
    return (n == 1 && m == 1 && a[0] == b[0]) ||
           rlxc_prove_eq(ctx, rlxc_product(ctx, a, n), rlxc_product(ctx, b, m), NULL);
}

/* The shortest runs, from the front; ones that are left at the end go with the last. */
static bool find_runs(rlxc_context *ctx, const rlxc_sinfo *x, const rlxc_sinfo *y, runs *out)
{
    const uint32_t n = (uint32_t)x->ndim, m = (uint32_t)y->ndim;
    uint32_t i = 0, j = 0;
    *out = (runs){0};
    while (i < n && j < m) {
        bool found = false;
        for (uint32_t both = 2; both <= n - i + m - j && !found; both++)
            for (uint32_t k = 1; k < both && !found; k++) {
                if (k > n - i || both - k > m - j ||
                    !equal_product(ctx, x->dims + i, k, y->dims + j, both - k))
                    continue;
                found = true;
                out->from[out->n] = i;
                out->to[out->n++] = j;
                i += k;
                j += both - k;
            }
        if (!found)
            return false;
    }
    for (; i < n; i++)
        if (!rlxc_is_const(x->dims[i], 1))
            return false;
    for (; j < m; j++)
        if (!rlxc_is_const(y->dims[j], 1))
            return false;
    out->from[out->n] = n;
    out->to[out->n] = m;
    return out->n > 0;
}

/* The position in the twin of a run's first dimension that is not 1. */
static uint32_t place_of(const rlxc_sinfo *x, const rlxc_layout_entry *twin, uint32_t begin,
                         uint32_t end)
{
    int64_t at = 0;
    uint32_t first = begin;
    while (first + 1 < end && rlxc_is_const(x->dims[first], 1))
        first++;
    axis_in(twin, first, &at);
    return (uint32_t)at;
}

/* The runs in the order of the twin; |*out_order|: an order of the twin's dimensions in which each
 * run is contiguous. False if it is not the current one. */
static bool runs_in(const rlxc_sinfo *x, const rlxc_layout_entry *twin, const runs *r,
                    uint32_t *sequence, int64_t *out_order)
{
    uint32_t n = 0, places[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < r->n; i++) { /* by insertion */
        uint32_t place = place_of(x, twin, r->from[i], r->from[i + 1]), k = i;
        for (; k > 0 && places[k - 1] > place; k--) {
            places[k] = places[k - 1];
            sequence[k] = sequence[k - 1];
        }
        places[k] = place;
        sequence[k] = i;
    }
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t k = r->from[sequence[i]]; k < r->from[sequence[i] + 1]; k++)
            out_order[n++] = k;
    int64_t now[RLXC_MAX_NDIM], then[RLXC_MAX_NDIM];
    uint32_t a = 0, z = 0; /* without dimensions of one */
    for (uint32_t i = 0; i < n; i++) {
        if (!rlxc_is_const(x->dims[twin->order[i]], 1))
            now[a++] = twin->order[i];
        if (!rlxc_is_const(x->dims[out_order[i]], 1))
            then[z++] = out_order[i];
    }
    return memcmp(now, then, a * sizeof *now) == 0;
}

/* The dimensions of the image that a run holds come together, those of its channels last. */
static void image_order(const runs *r, uint32_t *sequence, int64_t *out_order)
{
    uint32_t n = 0, k = 0, channels = r->n;
    for (uint32_t i = 0; i < r->n; i++)
        if (i > 0 && r->to[i] <= 1 && r->to[i + 1] > 1)
            channels = i;
    for (uint32_t i = 0; i < r->n; i++)
        if (i != channels)
            sequence[k++] = i;
    if (channels < r->n)
        sequence[k] = channels;
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t d = r->from[sequence[i]]; d < r->from[sequence[i] + 1]; d++)
            out_order[n++] = d;
}

static rlxc_rewrite_action carry_shape(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, call->args[0]);
    const rlxc_sinfo *x = rlxc_movable(b, call->args[0], twin ? twin->n : 0);
    const rlxc_sinfo *y = rlxc_movable(b, rlxc_atom_var(call->var), 0);
    uint32_t sequence[RLXC_MAX_NDIM], n = 0;
    int64_t order[RLXC_MAX_NDIM], own_order[RLXC_MAX_NDIM];
    runs r;
    if (!twin || !x || !y || !find_runs(b->ctx, x, y, &r))
        return RLXC_REWRITE_KEEP;
    rlxc_atom from = rlxc_atom_var(twin->var);
    if (!runs_in(x, twin, &r, sequence, order)) {
        if (y->ndim != IMAGE || twin->found)
            return RLXC_REWRITE_KEEP;
        image_order(&r, sequence, order);
        from = rlxc_layout_map_in(twins, b, call->args[0], twin->n, order);
    }
    for (uint32_t i = 0; i < r.n; i++)
        for (uint32_t k = r.to[sequence[i]]; k < r.to[sequence[i] + 1]; k++)
            own_order[n++] = k;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    dims_in(y, own_order, n, dims);
    rlxc_atom args[2] = {from, rlxc_atom_shape(b->ctx, dims, n)};
    rlxc_atom moved = rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, call->var->name);
    if (moved.kind != RLXC_ATOM_VAR || !twin->found)
        return rlxc_layout_map_replace(twins, b, call, moved, own_order, replacement);
    rlxc_layout_map_note(twins, b, call->var, moved.var, n, own_order);
    return RLXC_REWRITE_KEEP;
}

/* A permutation: its twin is the operand's twin, or the operand itself. */
static rlxc_rewrite_action propagate_layout(rlxc_layout_map *twins, rlxc_builder *b,
                                            rlxc_binding *call, rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, call->args[0]);
    const rlxc_sinfo *x = rlxc_movable(b, call->args[0], 0);
    int64_t axes[RLXC_MAX_NDIM];
    rlxc_layout_entry own = {.found = !twin || twin->found};
    if (!x || !rlxc_movable(b, rlxc_atom_var(call->var), (uint32_t)x->ndim) ||
        (!twin && (call->args[0].kind != RLXC_ATOM_VAR || !twins->moved)))
        return RLXC_REWRITE_KEEP;
    own.n = (uint32_t)x->ndim;
    if (!rlxc_permutation(call, (int32_t)own.n, axes))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < own.n; i++) {
        int64_t of_x = twin ? twin->order[i] : i;
        for (uint32_t k = 0; k < own.n; k++)
            if (axes[k] == of_x)
                own.order[i] = k;
    }
    own.var = twin ? twin->var : call->args[0].var;
    if (!own.found)
        return rlxc_layout_map_replace(twins, b, call, rlxc_atom_var(own.var), own.order,
                                       replacement);
    rlxc_layout_map_note(twins, b, call->var, own.var, own.n, own.order);
    return RLXC_REWRITE_KEEP;
}

static rlxc_rewrite_action carry_broadcast(rlxc_layout_map *twins, rlxc_builder *b,
                                           rlxc_binding *call, rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = moving(twins, call->args[0]);
    const rlxc_sinfo *y = twin ? rlxc_movable(b, rlxc_atom_var(call->var), twin->n) : NULL;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (!y)
        return RLXC_REWRITE_KEEP;
    dims_in(y, twin->order, twin->n, dims);
    rlxc_atom args[2] = {rlxc_atom_var(twin->var), rlxc_atom_shape(b->ctx, dims, twin->n)};
    rlxc_atom moved = rlxc_emit_op(b, call->op->name, args, 2, call->attrs, call->var->name);
    return rlxc_layout_map_replace(twins, b, call, moved, twin->order, replacement);
}

/* A match_cast: the twin has the same dimensions in its own order. */
static rlxc_rewrite_action carry_cast(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *cast,
                                      rlxc_atom *replacement)
{
    const rlxc_layout_entry *twin = moving(twins, cast->args[0]);
    const rlxc_sinfo *s = cast->sinfo_args[0];
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (!twin || s->kind != RLXC_SINFO_TENSOR || !s->dims || (uint32_t)s->ndim != twin->n)
        return RLXC_REWRITE_KEEP;
    dims_in(s, twin->order, twin->n, dims);
    s = rlxc_sinfo_tensor(b->ctx, s->dtype, s->ndim, dims, s->vdevice);
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, b->function, cast->var->name, s);
    rlxc_atom moved = rlxc_emit_match_cast(b, var, rlxc_atom_var(twin->var), cast->range);
    return rlxc_layout_map_replace(twins, b, cast, moved, twin->order, replacement);
}

static rlxc_rewrite_action carry_call(rlxc_layout_map *twins, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *replacement)
{
    const rlxc_operator *op = call->op;
    if (op->flags & RLXC_OP_BY_ELEMENT)
        return carry_elements(twins, b, call, replacement);
    if (op->flags & RLXC_OP_ALONG)
        return carry_along(twins, b, call, replacement);
    if (op->flags & RLXC_OP_EACH_AXIS)
        return carry_each(twins, b, call, replacement);
    if (op->flags & RLXC_OP_ALIASES_0)
        return carry_shape(twins, b, call, replacement);
    if (op->legalize == rlxc_legalize_permute_dims)
        return propagate_layout(twins, b, call, replacement);
    if (op->legalize == rlxc_legalize_broadcast_to)
        return carry_broadcast(twins, b, call, replacement);
    if (op->legalize == rlxc_legalize_strided_slice)
        return carry_slice(twins, b, call, replacement);
    return RLXC_REWRITE_KEEP;
}

rlxc_rewrite_action rlxc_propagate_layout(rlxc_layout_map *twins, rlxc_builder *b,
                                          rlxc_binding *binding, rlxc_atom *replacement)
{
    const rlxc_operator *op = binding->form == RLXC_FORM_CALL ? binding->op : NULL;
    if (binding->form == RLXC_FORM_TUPLE_GET)
        return carry_part(twins, b, binding, replacement);
    if (binding->form == RLXC_FORM_MATCH_CAST)
        return carry_cast(twins, b, binding, replacement);
    if (!op || !op->legalize)
        return RLXC_REWRITE_KEEP;
    rlxc_rewrite_action done = carry_call(twins, b, binding, replacement);
    return done != RLXC_REWRITE_KEEP ? done
                                     : rlxc_propagate_layout_groups(twins, b, binding, replacement);
}
