/* Emission of operators and constants, without effect once the node has failed (importer.h). An
 * operator that reports an error fails the node. */
#include "compiler/ir/constant.h"
#include "compiler/ir/names.h"
#include "compiler/ir/op.h"
#include "compiler/onnx/sizes.h"
#include "compiler/ops/state.h"
#include "rlx/checked.h"
#include "rlx/floats.h"
#include "rlx/packed.h"

#include <math.h>
#include <string.h>

enum {
    MANY_PARTS = 32, /* more of them are joined in groups, and those then */
    GROUP_PARTS = 16,
    MAX_PART_DIM = 4 /* nodes of the dimension of a part in a group */
};

/* --- symbolic integers ------------------------------------------------------------------------ */

const rlxc_expr *rlxc_ox_i(const rlxc_ox *im, int64_t value)
{
    return rlxc_i64(im->ctx, value);
}

const rlxc_expr *rlxc_ox_bin(rlxc_ox *im, rlxc_expr_kind kind, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    return rlxc_binary(im->ctx, kind, a, b);
}

const rlxc_expr *rlxc_ox_if(rlxc_ox *im, const rlxc_expr *cond, const rlxc_expr *yes,
                            const rlxc_expr *no)
{
    int64_t known;
    if (yes == no)
        return yes;
    if (rlxc_is_int(cond, &known))
        return known ? yes : no;
    return rlxc_select(im->ctx, cond, yes, no);
}

/* --- emission --------------------------------------------------------------------------------- */

static bool is_unranked(rlxc_atom a)
{
    for (uint32_t i = 0; a.kind == RLXC_ATOM_TUPLE && i < a.n; i++)
        if (is_unranked(a.items[i]))
            return true;
    const rlxc_sinfo *s = a.kind == RLXC_ATOM_VAR ? a.var->sinfo : NULL;
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim == RLXC_UNKNOWN_NDIM;
}

/* True if |op| on |args| does not depend on their ranks. */
static bool fits_any_rank(const char *op, const rlxc_atom *args, uint32_t n)
{
    const rlxc_operator *row = rlxc_find_operator(op, strlen(op));
    bool fits = row && row->flags & (RLXC_OP_ANY_RANK | RLXC_OP_BY_ELEMENT);
    for (uint32_t i = 0; i < n && !fits; i++)
        if (is_unranked(args[i]))
            return false;
    return true;
}

rlxc_atom rlxc_ox_opv(rlxc_ox *im, const char *op, const rlxc_atom *args, uint32_t n,
                      rlxc_attrs attrs)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == RLXC_ATOM_NONE)
            rlxc_ox_good(im), im->failed = true;
    if (im->any_rank && !fits_any_rank(op, args, n))
        im->failed = true;
    if (!rlxc_ox_good(im))
        return (rlxc_atom){0};
    rlxc_atom out = rlxc_emit_op(&im->frame->b, op, args, n, attrs, NULL);
    return rlxc_ox_good(im) ? out : (rlxc_atom){0};
}

rlxc_atom rlxc_ox_builtin(rlxc_ox *im, const char *name, const rlxc_atom *args, uint32_t n,
                          const rlxc_sinfo *result)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == RLXC_ATOM_NONE)
            im->failed = true;
    if (!rlxc_ox_good(im))
        return (rlxc_atom){0};
    rlxc_builder *b = &im->frame->b;
    rlxc_binding *call = rlxc_binding_new(im->ctx, RLXC_FORM_CALL,
                                          rlxc_rvar_new(im->ctx, b->function, "lv", result));
    call->callee = rlxc_atom_extern(im->ctx, name);
    call->args = rlxc_copy(im->ctx, args, n * sizeof *args);
    call->n_args = n;
    call->sinfo_args = rlxc_copy(im->ctx, (const void *)&result, sizeof result);
    call->n_sinfo_args = 1;
    call->attrs = rlxc_ox_with(im, (rlxc_attrs){0}, "pure", rlxc_attr_bool(true));
    call->range = b->range;
    rlxc_atom out = rlxc_emit(b, call);
    return rlxc_ox_good(im) ? out : (rlxc_atom){0};
}

rlxc_atom rlxc_ox_op0(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_attrs attrs)
{
    return rlxc_ox_opv(im, op, &a, 1, attrs);
}

rlxc_atom rlxc_ox_op1(rlxc_ox *im, const char *op, rlxc_atom a)
{
    return rlxc_ox_opv(im, op, &a, 1, (rlxc_attrs){0});
}

rlxc_atom rlxc_ox_op2(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_atom b)
{
    const rlxc_atom args[2] = {a, b};
    return rlxc_ox_opv(im, op, args, 2, (rlxc_attrs){0});
}

rlxc_atom rlxc_ox_op3(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_atom b, rlxc_atom c)
{
    const rlxc_atom args[3] = {a, b, c};
    return rlxc_ox_opv(im, op, args, 3, (rlxc_attrs){0});
}

rlxc_attrs rlxc_ox_with(rlxc_ox *im, rlxc_attrs attrs, const char *key, rlxc_attr value)
{
    return rlxc_attrs_with(im->ctx, attrs, rlxc_intern_cstr(im->ctx, key), value);
}

rlxc_attrs rlxc_ox_with_int(rlxc_ox *im, rlxc_attrs attrs, const char *key, int64_t value)
{
    return rlxc_ox_with(im, attrs, key, rlxc_attr_int(value));
}

rlxc_attrs rlxc_ox_with_ints(rlxc_ox *im, rlxc_attrs attrs, const char *key, const int64_t *v,
                             uint32_t n)
{
    return rlxc_ox_with(im, attrs, key, rlxc_attr_ints(im->ctx, v, n));
}

static rlxc_atom emit_form(rlxc_ox *im, rlxc_form form, rlxc_atom a, const char *name,
                           const rlxc_sinfo *sinfo, uint32_t index)
{
    if (!rlxc_ox_good(im) || a.kind == RLXC_ATOM_NONE)
        return (rlxc_atom){0};
    rlxc_builder *b = &im->frame->b;
    rlxc_rvar *var = rlxc_rvar_new(im->ctx, b->function, name, NULL);
    rlxc_binding *binding = rlxc_binding_new(im->ctx, form, var);
    binding->args = rlxc_copy(im->ctx, &a, sizeof a);
    binding->n_args = 1;
    binding->index = index;
    if (sinfo) {
        binding->sinfo_args = rlxc_copy(im->ctx, (const void *)&sinfo, sizeof sinfo);
        binding->n_sinfo_args = 1;
    }
    rlxc_atom out = rlxc_emit(b, binding);
    return rlxc_ox_good(im) ? out : (rlxc_atom){0};
}

rlxc_atom rlxc_ox_field(rlxc_ox *im, rlxc_atom tuple, uint32_t index)
{
    return emit_form(im, RLXC_FORM_TUPLE_GET, tuple, "lv", NULL, index);
}

rlxc_atom rlxc_ox_match(rlxc_ox *im, rlxc_atom atom, const rlxc_sinfo *sinfo)
{
    return emit_form(im, RLXC_FORM_MATCH_CAST, atom, "matched", sinfo, 0);
}

rlxc_atom rlxc_ox_shaped(rlxc_ox *im, rlxc_atom a)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    if (!s || s->dims || s->ndim == RLXC_UNKNOWN_NDIM)
        return a;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < s->ndim; i++)
        dims[i] = rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%d", i));
    return rlxc_ox_match(im, a, rlxc_sinfo_tensor(im->ctx, s->dtype, s->ndim, dims, NULL));
}

rlxc_atom rlxc_ox_state_dims(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t axes)
{
    const rlxc_expr *own[RLXC_MAX_NDIM];
    int64_t known;
    bool changed = false;
    uint32_t ndim = rlxc_ox_ndim(im, a);
    rlxc_ox_dims(im, a, own);
    for (uint32_t i = 0; i < ndim && !im->failed; i++)
        if (axes >> i & 1 && !rlxc_prove_eq(im->ctx, own[i], dims[i], NULL) &&
            !(rlxc_is_int(own[i], &known) && rlxc_is_int(dims[i], &known))) {
            const char *name =
                a.kind == RLXC_ATOM_VAR ? rlxc_shown_name(im->ctx, a.var) : "constant";
            rlxc_requirement fits = {RLXC_EQUAL, own[i], dims[i],
                                     rlxc_internf(im->ctx,
                                                  "%s: dimension %u of '%s' does not fit the "
                                                  "other inputs",
                                                  im->node->op_type, i, name)};
            rlxc_emit_check(&im->frame->b, &fits);
            own[i] = dims[i];
            changed = true;
        }
    rlx_dtype dtype = rlxc_ox_type(im, a);
    return changed && !im->failed
               ? rlxc_ox_match(im, a, rlxc_sinfo_tensor(im->ctx, dtype, (int32_t)ndim, own, NULL))
               : a;
}

rlxc_atom rlxc_ox_cast(rlxc_ox *im, rlxc_atom a, rlx_dtype dtype)
{
    if (rlxc_dtype_eq(rlxc_ox_type(im, a), dtype))
        return a;
    return rlxc_ox_op0(im, "astype", a,
                       rlxc_ox_with(im, (rlxc_attrs){0}, "dtype", rlxc_attr_dtype(dtype)));
}

rlx_dtype rlxc_ox_wide(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits < 32 ? RLX_F32 : t;
}

rlxc_atom rlxc_ox_wide_constant(rlxc_ox *im, const rlxc_constant *c, rlx_dtype to)
{
    const size_t n = c->nbytes / rlx_dtype_size(c->dtype);
    double *values = rlxc_try_alloc(im->ctx, n + 1, sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        values[i] = rlxc_constant_double(c, i);
    return values ? rlxc_ox_const_tensor(im, to, c->ndim, c->shape, values) : (rlxc_atom){0};
}

rlxc_atom rlxc_ox_wide_in(rlxc_ox *im, uint32_t input)
{
    const rlxc_atom x = rlxc_ox_in(im, input);
    const rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    if (rlxc_dtype_eq(t, wide) || x.kind != RLXC_ATOM_CONSTANT ||
        rlxc_map_get(&im->weights.in, rlxc_key(x.constant)))
        return rlxc_ox_cast(im, x, wide);
    return rlxc_ox_wide_constant(im, x.constant, wide);
}

void rlxc_ox_set_rounded(rlxc_ox *im, uint32_t output, rlxc_atom atom)
{
    rlxc_ox_set(im, output, rlxc_ox_cast(im, atom, rlxc_ox_type(im, rlxc_ox_in(im, 0))));
}

static bool is_declared(rlxc_ox *im, uint32_t i)
{
    const rlxc_ox_value *v = rlxc_ox_value_in(im, i);
    return v != NULL && v->is_declared;
}

void rlxc_ox_same_floats(rlxc_ox *im, uint32_t i, uint32_t k, rlxc_atom *io_a, rlxc_atom *io_b)
{
    rlx_dtype t = rlxc_ox_type(im, *io_a), u = rlxc_ox_type(im, *io_b);
    if (im->failed || !rlxc_dtype_is_float(t) || !rlxc_dtype_is_float(u) || rlxc_dtype_eq(t, u))
        return;
    const char *first = rlxc_dtype_name(im->ctx, t), *second = rlxc_dtype_name(im->ctx, u);
    if (t.bits == u.bits || (is_declared(im, i) && is_declared(im, k))) {
        rlxc_ox_fail(im, "the operands must have one element type, got %s and %s", first, second);
        return;
    }
    rlxc_warning(
        im->ctx, im->frame->b.range,
        "operands of %s and %s: ONNX requires one element type; the narrower operand is widened",
        first, second);
    rlxc_ox_unify(im, io_a, io_b);
}

void rlxc_ox_unify(rlxc_ox *im, rlxc_atom *a, rlxc_atom *b)
{
    rlx_dtype t = rlxc_ox_type(im, *a), u = rlxc_ox_type(im, *b);
    if (!rlxc_dtype_is_float(t) || !rlxc_dtype_is_float(u) || t.bits == u.bits)
        return;
    im->widened = true;
    *a = rlxc_ox_cast(im, *a, t.bits > u.bits ? t : u);
    *b = rlxc_ox_cast(im, *b, t.bits > u.bits ? t : u);
}

rlxc_atom rlxc_ox_reshape(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t n)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    bool same = s && s->dims && s->ndim == (int32_t)n;
    for (uint32_t i = 0; i < n && same; i++)
        same = s->dims[i] == rlxc_canonical(im->ctx, dims[i], NULL);
    if (same)
        return a;
    const rlxc_expr *canonical[RLXC_MAX_NDIM];
    if (n > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "a shape of %u dimensions; at most %d are supported", n, RLXC_MAX_NDIM);
        return (rlxc_atom){0};
    }
    for (uint32_t i = 0; i < n; i++)
        canonical[i] = rlxc_canonical(im->ctx, dims[i], NULL);
    return rlxc_ox_op2(im, "reshape", a, rlxc_atom_shape(im->ctx, canonical, n));
}

rlxc_atom rlxc_ox_broadcast(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t n)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    bool same = s && s->dims && s->ndim == (int32_t)n;
    for (uint32_t i = 0; i < n && same; i++)
        same = s->dims[i] == rlxc_canonical(im->ctx, dims[i], NULL);
    return same ? a : rlxc_ox_op2(im, "broadcast_to", a, rlxc_atom_shape(im->ctx, dims, n));
}

static void store(rlx_dtype t, double v, unsigned char *at)
{
    if (rlxc_dtype_is_float(t)) {
        const uint64_t bits = rlx_float_encode(t, v);
        memcpy(at, &bits, t.bits / 8u);
    } else {
        uint64_t bits = (uint64_t)rlxc_ox_whole(v);
        if (t.code == RLX_UINT && v >= 9.2e18)
            bits = v < 1.8e19 ? (uint64_t)v : UINT64_MAX;
        if (t.code == RLX_BOOL)
            bits = v != 0;
        memcpy(at, &bits, t.bits / 8u);
    }
}

rlxc_atom rlxc_ox_const_tensor(rlxc_ox *im, rlx_dtype dtype, uint32_t ndim, const int64_t *shape,
                               const double *values)
{
    const size_t size = rlx_dtype_size(dtype); /* 0: packed */
    size_t n = 1, bytes = 0;
    for (uint32_t i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, (size_t)shape[i], &n) || n > 1u << 26) {
            rlxc_ox_fail(im, "a constant of the operator is too large");
            return (rlxc_atom){0};
        }
    unsigned char *data = rlxc_try_alloc(im->ctx, n ? n : 1, size ? size : 1);
    if (!data || !rlx_nbytes(shape, ndim, dtype, &bytes))
        return (rlxc_atom){0};
    memset(data, 0, bytes);
    for (size_t i = 0; i < n; i++) {
        if (size)
            store(dtype, values[i], data + i * size);
        else
            rlx_packed_set(dtype, data, i, rlxc_ox_whole(values[i]));
    }
    return rlxc_atom_constant(rlxc_constant_new(im->ctx, dtype, ndim, shape, data, bytes));
}

rlxc_atom rlxc_ox_number(rlxc_ox *im, rlx_dtype dtype, double value)
{
    return rlxc_ox_const_tensor(im, dtype, 0, NULL, &value);
}

rlxc_atom rlxc_ox_full(rlxc_ox *im, rlx_dtype dtype, double value, const rlxc_expr *const *dims,
                       uint32_t n)
{
    return rlxc_ox_op2(im, "full", rlxc_atom_shape(im->ctx, dims, n),
                       rlxc_ox_number(im, dtype, value));
}

rlxc_atom rlxc_ox_transpose(rlxc_ox *im, rlxc_atom a, const int64_t *axes, uint32_t n)
{
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
        same &= axes[i] == i;
    if (same)
        return a;
    return rlxc_ox_op0(im, "permute_dims", a,
                       rlxc_ox_with_ints(im, (rlxc_attrs){0}, "axes", axes, n));
}

rlxc_atom rlxc_ox_expand_dims(rlxc_ox *im, rlxc_atom a, const int64_t *axes, uint32_t n)
{
    return n == 0 ? a
                  : rlxc_ox_op0(im, "expand_dims", a,
                                rlxc_ox_with_ints(im, (rlxc_attrs){0}, "axis", axes, n));
}

rlxc_atom rlxc_ox_reduce(rlxc_ox *im, const char *op, rlxc_atom a, const int64_t *axes, uint32_t n,
                         bool keepdims)
{
    rlxc_attrs attrs = {0};
    if (axes)
        attrs = rlxc_ox_with_ints(im, attrs, "axis", axes, n);
    return rlxc_ox_op0(im, op, a, rlxc_ox_with(im, attrs, "keepdims", rlxc_attr_bool(keepdims)));
}

/* One kernel for hundreds of parts of symbolic sizes would test each element against all of them,
 * and take minutes to compile. */
static rlxc_atom concat_groups(rlxc_ox *im, const rlxc_atom *parts, uint32_t n, int64_t axis)
{
    rlxc_atom *groups = rlxc_alloc(im->ctx, (n / GROUP_PARTS + 1) * sizeof *groups);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i += GROUP_PARTS) {
        uint32_t m = n - i < GROUP_PARTS ? n - i : GROUP_PARTS;
        rlxc_atom *named = rlxc_alloc(im->ctx, m * sizeof *named);
        for (uint32_t k = 0; k < m; k++)
            named[k] = rlxc_ox_named_dims(im, parts[i + k], MAX_PART_DIM);
        groups[count++] = rlxc_ox_named_dims(im, rlxc_ox_concat(im, named, m, axis), MAX_PART_DIM);
    }
    return rlxc_ox_concat(im, groups, count, axis);
}

rlxc_atom rlxc_ox_concat(rlxc_ox *im, const rlxc_atom *parts, uint32_t n, int64_t axis)
{
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].kind == RLXC_ATOM_NONE)
            im->failed = true;
    if (im->failed || n == 1)
        return n == 1 ? parts[0] : (rlxc_atom){0};
    uint32_t ndim = rlxc_ox_ndim(im, parts[0]), at = rlxc_ox_axis(im, axis, ndim);
    int64_t known;
    for (uint32_t i = 0; i < n && n > MANY_PARTS; i++)
        if (!rlxc_ox_static_dim(im, parts[i], at, &known))
            return concat_groups(im, parts, n, axis);
    /* The other dimensions are equal, though possibly not provably: 2 * ((h + 15) // 16) and (h +
     * 7) // 8 are equal only for some h. A constant one is the most precise. */
    rlxc_atom *same = rlxc_copy(im->ctx, parts, n * sizeof *parts);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, parts[0], dims);
    for (uint32_t k = 0; k < ndim; k++)
        for (uint32_t i = 1; i < n && !rlxc_is_int(dims[k], &known); i++)
            if (rlxc_ox_static_dim(im, parts[i], k, &known))
                dims[k] = rlxc_ox_dim(im, parts[i], k);
    for (uint32_t i = 0; i < n && same; i++)
        same[i] = rlxc_ox_state_dims(im, same[i], dims, ~(1u << at));
    if (im->failed)
        return (rlxc_atom){0};
    return rlxc_ox_op0(im, "concat", rlxc_atom_tuple(im->ctx, same, n),
                       rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis));
}

static rlxc_atom take(rlxc_ox *im, rlxc_atom a, rlxc_atom indices, int64_t axis, const char *mode)
{
    const rlxc_atom args[2] = {a, indices};
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis);
    return rlxc_ox_opv(im, "take", args, 2,
                       rlxc_ox_with(im, attrs, "mode", rlxc_attr_string(im->ctx, mode)));
}

rlxc_atom rlxc_ox_take(rlxc_ox *im, rlxc_atom a, rlxc_atom indices, int64_t axis)
{
    return take(im, a, indices, axis, "fast");
}

rlxc_atom rlxc_ox_take_inside(rlxc_ox *im, rlxc_atom a, rlxc_atom indices, int64_t axis)
{
    return take(im, a, indices, axis, "clip");
}

rlxc_atom rlxc_ox_slice(rlxc_ox *im, rlxc_atom a, uint32_t axis, const rlxc_expr *begin,
                        const rlxc_expr *end, int64_t stride)
{
    const rlxc_atom lists[4] = {
        rlxc_atom_prim(rlxc_ox_i(im, axis)), rlxc_atom_prim(rlxc_canonical(im->ctx, begin, NULL)),
        rlxc_atom_prim(rlxc_canonical(im->ctx, end, NULL)), rlxc_atom_prim(rlxc_ox_i(im, stride))};
    const rlxc_atom args[5] = {
        a, rlxc_atom_tuple(im->ctx, &lists[0], 1), rlxc_atom_tuple(im->ctx, &lists[1], 1),
        rlxc_atom_tuple(im->ctx, &lists[2], 1), rlxc_atom_tuple(im->ctx, &lists[3], 1)};
    return rlxc_ox_opv(im, "strided_slice", args, 5, (rlxc_attrs){0});
}

rlxc_atom rlxc_ox_arange(rlxc_ox *im, const rlxc_expr *begin, const rlxc_expr *end)
{
    const rlxc_atom args[3] = {rlxc_atom_prim(rlxc_canonical(im->ctx, begin, NULL)),
                               rlxc_atom_prim(rlxc_canonical(im->ctx, end, NULL)),
                               rlxc_atom_prim(rlxc_ox_i(im, 1))};
    return rlxc_ox_opv(im, "arange", args, 3,
                       rlxc_ox_with(im, (rlxc_attrs){0}, "dtype", rlxc_attr_dtype(RLX_I64)));
}

rlxc_atom rlxc_ox_along(rlxc_ox *im, rlxc_atom vector, uint32_t axis, uint32_t ndim)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < ndim && i < RLXC_MAX_NDIM; i++)
        dims[i] = i == axis ? rlxc_ox_dim(im, vector, 0) : rlxc_ox_i(im, 1);
    return rlxc_ox_reshape(im, vector, dims, ndim);
}

rlxc_atom rlxc_ox_per_channel(rlxc_ox *im, rlxc_atom vector, rlxc_atom x)
{
    const rlxc_expr *channels = rlxc_ox_dim(im, x, 1);
    int64_t got, want;
    if (rlxc_ox_static_dim(im, vector, 0, &got) && rlxc_is_int(channels, &want) && got != want)
        rlxc_ox_fail(im, "%lld elements given for %lld channels", (long long)got, (long long)want);
    vector = rlxc_ox_state_dims(im, vector, &channels, 1);
    return rlxc_ox_along(im, vector, 1, rlxc_ox_ndim(im, x));
}
