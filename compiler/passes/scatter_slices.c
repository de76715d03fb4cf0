/* Pass scatter_slices: scatters whose indices form a box become assignments of slices.
 *
 *   i = arange(0, n)                        becomes   y = slice_scatter(x, v, 1, n, 1, axis=0)
 *   j = strided_slice(i, 1, n)
 *   y = scatter_nd(x, expand_dims(j), v)
 *
 * This is how exporters write x[1:] = v. For x[:, k, a:b] = v they broadcast the indices into each
 * dimension against each other and concatenate them. An assignment of slices is computed element by
 * element, so it fuses with its neighbours, and no indices are computed or checked.
 *
 * Each component of the index vectors must be a sequence: base + step * i along one dimension of
 * the indices, or the same number everywhere. The components must come in the order of their
 * dimensions, and be proved to stay inside |x|. dce drops the indices. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/op_infer.h"
#include "compiler/passes/makers.h"
#include "compiler/passes/passes.h"

enum {
    MOST_MOVES = 8,           /* operators followed from an index to what makes it */
    MOST_ELEMENTS = 1 << 20,  /* of a constant that is searched */
    LARGEST_INDEX = INT32_MAX /* in a constant, and the largest step of a range: no overflow */
};

/* The elements of an integer tensor: base + step * i for position i along |axis|, all below
 * |limit|. */
typedef struct sequence {
    const rlxc_expr *base, *limit;
    int64_t step;
    int32_t axis; /* -1: all elements are |base| */
} sequence;

/* The slice of one dimension that is assigned. */
typedef struct slice {
    int64_t axis, step;
    const rlxc_expr *begin, *end;
} slice;

static const rlxc_sinfo *dims_of(const rlxc_builder *b, rlxc_atom x)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, x);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dims_known(s) ? s : NULL;
}

/* --- sequences ---------------------------------------------------------------------------------
 */

/* Component |k| of |n| that the last dimension of |c| counts; the only one if |n| is 0. */
static bool of_constant(rlxc_context *ctx, const rlxc_constant *c, int64_t k, int64_t n,
                        sequence *out)
{
    const size_t size = c->dtype.bits / 8u, count = size ? c->nbytes / size : 0;
    const int32_t ndim = (int32_t)c->ndim - (n > 0);
    const int64_t gap = n > 0 ? n : 1;
    if (!rlxc_dtype_is_int(c->dtype) || c->lifted || count == 0 || count > MOST_ELEMENTS)
        return false;
    const int64_t base = rlxc_constant_int(c, (size_t)k);
    if (base < -LARGEST_INDEX || base > LARGEST_INDEX)
        return false;
    int64_t stride = 1, along = 1, highest = base; /* strides in index vectors */
    *out = (sequence){.axis = -1};
    for (int32_t i = ndim - 1; i >= 0; stride *= c->shape[i], i--) {
        const int64_t next =
            c->shape[i] > 1 ? rlxc_constant_int(c, (size_t)(k + stride * gap)) : base;
        if (next == base)
            continue;
        if (out->axis >= 0 || next < base || next > LARGEST_INDEX)
            return false;
        *out = (sequence){.step = next - base, .axis = i};
        along = stride;
    }
    for (int64_t i = 0; i < (int64_t)count / gap; i++) {
        const int64_t at = out->axis < 0 ? 0 : i / along % c->shape[out->axis];
        const int64_t value = rlxc_constant_int(c, (size_t)(i * gap + k));
        if (value != base + out->step * at)
            return false;
        highest = value > highest ? value : highest;
    }
    out->base = rlxc_i64(ctx, base);
    out->limit = rlxc_i64(ctx, highest + 1);
    return true;
}

/* Narrower elements might wrap. */
static bool of_arange(const rlxc_builder *b, const rlxc_binding *call, sequence *out)
{
    const rlxc_expr *p[3];
    rlxc_arange_args(b->ctx, b->module, call, p);
    *out = (sequence){.base = p[0], .limit = p[1]};
    return p[0] && p[1] && p[2] && rlxc_is_index_type(p[0]->dtype) &&
           rlxc_is_index_type(p[1]->dtype) && rlxc_is_int(p[2], &out->step) && out->step > 0 &&
           out->step <= LARGEST_INDEX && rlxc_dtype_eq(call->var->sinfo->dtype, RLX_I64);
}

/* |s| sliced along its axis. */
static bool of_slice(const rlxc_builder *b, const rlxc_binding *call, sequence *s)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *from = dims_of(b, call->args[0]);
    const rlxc_atom axes = call->args[1], begins = call->args[2];
    if (!from || axes.kind != RLXC_ATOM_TUPLE || begins.kind != RLXC_ATOM_TUPLE ||
        begins.n != axes.n)
        return false;
    for (uint32_t i = 0; i < axes.n && s->axis >= 0; i++) {
        const rlxc_expr *zero = rlxc_i64(ctx, 0), *begin;
        int64_t axis, step = 1, back;
        if (axes.items[i].kind != RLXC_ATOM_PRIM || !rlxc_is_int(axes.items[i].prim, &axis))
            return false;
        axis += axis < 0 ? from->ndim : 0;
        if (axis != s->axis)
            continue;
        if (begins.items[i].kind != RLXC_ATOM_PRIM ||
            (!rlxc_arg_absent(call, 4) &&
             (call->args[4].kind != RLXC_ATOM_TUPLE || call->args[4].n != axes.n ||
              call->args[4].items[i].kind != RLXC_ATOM_PRIM ||
              !rlxc_is_int(call->args[4].items[i].prim, &step))))
            return false;
        begin = begins.items[i].prim;
        if (rlxc_is_int(begin, &back) && back < 0 &&
            !rlxc_attr_get_bool(call, "assume_inbound", false))
            begin = rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_add(ctx, from->dims[axis], begin), zero);
        if (!rlxc_is_index_type(begin->dtype) || !rlxc_prove_le(ctx, zero, begin, NULL) ||
            step < 1 || step > LARGEST_INDEX / s->step)
            return false;
        /* a slice that begins beyond the end is empty, so its base does not matter */
        s->base = rlxc_canonical(
            ctx, rlxc_add(ctx, s->base, rlxc_mul(ctx, rlxc_i64(ctx, s->step), begin)), NULL);
        s->step *= step;
    }
    return true;
}

/* Finds the dimension of |to| that |axis| of |from| is: only dimensions of size 1 come or go. */
static bool move_axis(rlxc_context *ctx, const rlxc_sinfo *from, const rlxc_sinfo *to,
                      int32_t *io_axis)
{
    int32_t i = 0, k = 0, moved = -1;
    for (;; i++, k++) {
        while (i < from->ndim && rlxc_is_const(from->dims[i], 1))
            i++;
        while (k < to->ndim && rlxc_is_const(to->dims[k], 1))
            k++;
        if (i == from->ndim || k == to->ndim)
            break;
        if (!rlxc_prove_eq(ctx, from->dims[i], to->dims[k], NULL))
            return false;
        moved = i == *io_axis ? k : moved;
    }
    *io_axis = moved;
    return i == from->ndim && k == to->ndim;
}

static bool is_view(const rlxc_binding *call)
{
    return rlxc_is_op(call, "reshape") || rlxc_is_op(call, "expand_dims") ||
           rlxc_is_op(call, "squeeze");
}

/* Finds the sequence that |x| is. */
static bool of_atom(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom x, uint32_t depth,
                    sequence *out)
{
    if (x.kind == RLXC_ATOM_CONSTANT)
        return of_constant(b->ctx, x.constant, 0, 0, out);
    const rlxc_binding *call = rlxc_maker_of(m, b, x);
    const rlxc_sinfo *to = dims_of(b, x), *from;
    bool found = false;
    if (!call || !to || depth > MOST_MOVES)
        return false;
    if (rlxc_is_op(call, "arange")) {
        found = of_arange(b, call, out);
    } else if (call->form == RLXC_FORM_MATCH_CAST) {
        from = dims_of(b, call->args[0]);
        found = from && from->ndim == to->ndim && of_atom(m, b, call->args[0], depth + 1, out);
    } else if (call->n_args > 0 && (from = dims_of(b, call->args[0])) &&
               of_atom(m, b, call->args[0], depth + 1, out)) {
        if (is_view(call)) {
            found = out->axis < 0 || move_axis(b->ctx, from, to, &out->axis);
        } else if (rlxc_is_op(call, "strided_slice")) {
            found = of_slice(b, call, out);
        } else if (rlxc_is_op(call, "broadcast_to")) {
            const int32_t old = out->axis;
            out->axis += old < 0 ? 0 : to->ndim - from->ndim;
            found = old < 0 || rlxc_prove_eq(b->ctx, from->dims[old], to->dims[out->axis], NULL);
        }
    }
    if (found && out->axis >= 0 && rlxc_is_const(to->dims[out->axis], 1))
        out->axis = -1;
    return found;
}

/* Finds the sequences of the |n| components of the index vectors |x|. */
static bool components(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom x, int64_t n,
                       sequence *out)
{
    const rlxc_binding *call = rlxc_maker_of(m, b, x);
    const rlxc_sinfo *all = dims_of(b, x);
    if (x.kind == RLXC_ATOM_CONSTANT) {
        for (int64_t k = 0; k < n; k++)
            if (!of_constant(b->ctx, x.constant, k, n, &out[k]))
                return false;
        return true;
    }
    if (n == 1)
        return of_atom(m, b, x, 0, &out[0]);
    if (!call || !rlxc_is_op(call, "concat") || call->args[0].kind != RLXC_ATOM_TUPLE ||
        call->args[0].n != n)
        return false;
    const int64_t axis = rlxc_attr_get_int(call, "axis", 0);
    if (axis != -1 && axis != all->ndim - 1)
        return false;
    for (int64_t k = 0; k < n; k++) {
        const rlxc_sinfo *one = dims_of(b, call->args[0].items[k]);
        if (!one || one->ndim != all->ndim || !rlxc_is_const(one->dims[all->ndim - 1], 1) ||
            !of_atom(m, b, call->args[0].items[k], 0, &out[k]))
            return false;
    }
    return true;
}

/* --- slices ------------------------------------------------------------------------------------
 */

/* The slice of |x|'s dimension |axis| that |n| elements of |s| are; false if that is not proved.
 * *out_whole: it is all of the dimension. */
static bool slice_of(rlxc_context *ctx, const rlxc_sinfo *x, int64_t axis, sequence s,
                     const rlxc_expr *n, slice *out, bool *out_whole)
{
    const rlxc_expr *one = rlxc_i64(ctx, 1), *zero = rlxc_i64(ctx, 0), *size = x->dims[axis];
    int64_t first, known;
    if (rlxc_is_int(s.base, &first) && first < 0 && rlxc_is_int(size, &known)) {
        s.base = rlxc_add(ctx, s.base, size); /* counts from the end */
        s.limit = rlxc_add(ctx, s.limit, size);
    }
    const rlxc_expr *step = rlxc_i64(ctx, s.axis < 0 ? 1 : s.step);
    const rlxc_expr *last = rlxc_add(ctx, s.base, rlxc_mul(ctx, step, rlxc_sub(ctx, n, one)));
    const rlxc_expr *end = rlxc_canonical(ctx, rlxc_add(ctx, last, one), NULL);
    *out = (slice){.axis = axis, .step = s.axis < 0 ? 1 : s.step, .begin = s.base, .end = end};
    *out_whole = out->step == 1 && rlxc_is_const(s.base, 0) && rlxc_prove_eq(ctx, n, size, NULL);
    return (out->step == 1 || (rlxc_is_int(n, &known) && known > 0)) &&
           rlxc_prove_le(ctx, zero, s.base, NULL) &&
           (rlxc_prove_le(ctx, end, size, NULL) || rlxc_prove_le(ctx, s.limit, size, NULL));
}

/* The slices that indices of the sequences |s| select from |x|, without whole dimensions; their
 * sizes become |sizes|. Every dimension of the indices is that of one sequence, in order, or has
 * size 1. */
static bool find_slices(rlxc_context *ctx, const rlxc_sinfo *x, const rlxc_sinfo *indices,
                        const sequence *s, int64_t n, slice *out, uint32_t *out_n,
                        const rlxc_expr **sizes)
{
    int32_t next = 0;
    for (int64_t k = 0; k < n; k++) {
        const int32_t stop = s[k].axis < 0 ? next : s[k].axis;
        bool whole;
        if (s[k].axis >= 0 && s[k].axis < next)
            return false;
        for (; next < stop; next++)
            if (!rlxc_is_const(indices->dims[next], 1))
                return false;
        sizes[k] = s[k].axis < 0 ? rlxc_i64(ctx, 1) : indices->dims[next++];
        if (!slice_of(ctx, x, k, s[k], sizes[k], &out[*out_n], &whole))
            return false;
        *out_n += !whole;
    }
    for (; next < indices->ndim - 1; next++)
        if (!rlxc_is_const(indices->dims[next], 1))
            return false;
    return true;
}

/* Emits |x| with the intersection of |n| slices replaced by |updates|. */
static rlxc_atom assign(rlxc_builder *b, rlxc_atom x, rlxc_atom updates, const slice *s, uint32_t n)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_atom begin = rlxc_atom_prim(s->begin), end = rlxc_atom_prim(s->end);
    const rlxc_atom step = rlxc_atom_prim(rlxc_i64(ctx, s->step));
    if (n > 1) {
        const rlxc_atom axis = rlxc_atom_prim(rlxc_i64(ctx, s->axis));
        const rlxc_atom args[5] = {x, rlxc_atom_tuple(ctx, &axis, 1),
                                   rlxc_atom_tuple(ctx, &begin, 1), rlxc_atom_tuple(ctx, &end, 1),
                                   rlxc_atom_tuple(ctx, &step, 1)};
        const rlxc_atom part =
            rlxc_emit_op(b, "strided_slice", args, 5,
                         rlxc_one_attr(ctx, "assume_inbound", rlxc_attr_bool(true)), "part");
        updates = part.kind == RLXC_ATOM_VAR ? assign(b, part, updates, s + 1, n - 1) : part;
    }
    const rlxc_atom args[5] = {x, updates, begin, end, step};
    if (updates.kind == RLXC_ATOM_NONE)
        return updates;
    return rlxc_emit_op(b, "slice_scatter", args, 5,
                        rlxc_one_attr(ctx, "axis", rlxc_attr_int(s->axis)), "assigned");
}

/* What |call| computes, if its indices form a box; kind NONE if not, or after an error. */
static rlxc_atom as_slices(const rlxc_makers *m, rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *x = dims_of(b, call->args[0]), *indices = dims_of(b, call->args[1]);
    sequence s[RLXC_MAX_NDIM];
    slice slices[RLXC_MAX_NDIM + 1];
    const rlxc_expr *sizes[RLXC_MAX_NDIM];
    uint32_t n_slices = 0;
    int64_t n;
    if (!x || !indices || indices->ndim < 1 || !dims_of(b, call->args[2]) ||
        strcmp(rlxc_attr_get_str(call, "reduction", "update"), "update") != 0 ||
        !rlxc_is_int(indices->dims[indices->ndim - 1], &n) || n < 1 || n > x->ndim ||
        !components(m, b, call->args[1], n, s) ||
        !find_slices(ctx, x, indices, s, n, slices, &n_slices, sizes))
        return (rlxc_atom){0};
    for (int32_t i = (int32_t)n; i < x->ndim; i++)
        sizes[i] = x->dims[i];
    const rlxc_atom args[2] = {call->args[2], rlxc_atom_shape(ctx, sizes, (uint32_t)x->ndim)};
    const rlxc_atom updates = rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "updates");
    return updates.kind == RLXC_ATOM_NONE || n_slices == 0
               ? updates
               : assign(b, call->args[0], updates, slices, n_slices);
}

static rlxc_rewrite_action rewrite(void *user, rlxc_builder *b, rlxc_binding *call,
                                   rlxc_atom *replacement)
{
    rlxc_makers *m = user;
    rlxc_makers_note(m, b, call);
    if (!rlxc_is_op(call, "scatter_nd"))
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    *replacement = as_slices(m, b, call);
    return replacement->kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
}

bool rlxc_pass_scatter_slices(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    return rlxc_rewrite_with_makers(ctx, module, rewrite);
}
