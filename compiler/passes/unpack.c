/* Pass unpack: lets operators work on bytes for types smaller than a byte (int4, uint4, int2,
 * uint2).
 *
 *   y = R.permute_dims(x)         becomes   b = R.memory.view(x, (n * m + 1) // 2, "uint8")
 *   (x, y of int4)                          w = R.packed.unpack(b, (n, m), dtype="int4")
 *                                           t = R.permute_dims(w)                  of int8
 *                                           ... R.packed.pack, R.memory.view: y, of int4
 *
 * Parameters, results, constants, tuples, branches and calls keep the packed tensors, and so do
 * operators that only reshape them. Operators of the same block use an existing unpacked form.
 * Constants stay packed unless they are small. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/op_infer.h"
#include "compiler/passes/passes.h"
#include "rlx/checked.h"

#include <string.h>

enum { SMALL = 64 /* largest number of elements of constants that become bytes */ };

typedef struct wide_form {
    rlxc_atom atom;
    const rlxc_binding_block *block;
} wide_form;

typedef struct unpacker {
    rlxc_map wide; /* rlxc_rvar -> wide_form */
} unpacker;

static bool is_packed(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && rlx_dtype_is_packed(s->dtype);
}

static bool has_packed(const rlxc_sinfo *s)
{
    bool any = is_packed(s);
    for (uint32_t i = 0; s && s->kind == RLXC_SINFO_TUPLE && i < s->n_fields && !any; i++)
        any = has_packed(s->fields[i]);
    return any;
}

/* Operators that accept and return packed tensors: those that store elements of any rank without
 * reading them only pass their operand on or use its shape. */
static bool keeps(const rlxc_binding *call)
{
    const uint32_t flags = call->op->flags, passes_on = RLXC_OP_ANY_RANK | RLXC_OP_STORES;
    return flags & (RLXC_OP_CALLS | RLXC_OP_MEMORY | RLXC_OP_KILLS | RLXC_OP_ALIASES_0) ||
           (flags & (passes_on | RLXC_OP_DATA_DEPENDENT)) == passes_on;
}

static rlxc_attrs dtype_attr(rlxc_context *ctx, rlxc_attrs attrs, const char *name, rlx_dtype t)
{
    return rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, name), rlxc_attr_dtype(t));
}

static rlxc_atom view(rlxc_builder *b, rlxc_atom x, const rlxc_expr *const *dims, uint32_t n,
                      rlx_dtype t, const char *name)
{
    const rlxc_atom args[3] = {x, rlxc_atom_shape(b->ctx, dims, n), rlxc_atom_dtype(t)};
    return rlxc_emit_op(b, "memory.view", args, 3, (rlxc_attrs){0}, name);
}

static rlxc_atom small_constant(rlxc_builder *b, const rlxc_constant *c, size_t n)
{
    unsigned char *data = rlxc_try_alloc(b->ctx, n, 1);
    for (size_t i = 0; data && i < n; i++)
        data[i] = (unsigned char)rlxc_constant_int(c, i);
    const rlx_dtype type = RLX_DTYPE(c->dtype.code, 8);
    rlxc_constant *made = c->lifted ? rlxc_constant_cast(b->ctx, c, type)
                                    : rlxc_constant_new(b->ctx, type, c->ndim, c->shape, NULL, 0);
    made->data = data;
    made->nbytes = n;
    return rlxc_atom_constant(made);
}

/* A packed tensor as one of bytes. */
static rlxc_atom unpacked(unpacker *u, rlxc_builder *b, rlxc_atom x)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, x);
    const wide_form *known =
        x.kind == RLXC_ATOM_VAR ? rlxc_map_get(&u->wide, rlxc_key(x.var)) : NULL;
    int64_t count = 0;
    if (known && known->block == b->block)
        return known->atom;
    if (!rlxc_dims_known(s)) {
        rlxc_error(ctx, b->range, "%s: only tensors of known dimensions can be unpacked",
                   rlxc_sinfo_text(ctx, s));
        return x;
    }
    if (x.kind == RLXC_ATOM_CONSTANT && rlx_numel(x.constant->shape, x.constant->ndim, &count) &&
        count > 0 && count <= SMALL)
        return small_constant(b, x.constant, (size_t)count);
    const char *name = x.kind == RLXC_ATOM_VAR ? x.var->name : "packed";
    const uint32_t ndim = (uint32_t)s->ndim;
    const rlxc_expr *bytes = rlxc_packed_bytes(ctx, s->dims, ndim, s->dtype);
    const rlxc_atom args[2] = {view(b, x, &bytes, 1, RLX_U8, name),
                               rlxc_atom_shape(ctx, s->dims, ndim)};
    const wide_form made = {rlxc_emit_op(b, "packed.unpack", args, 2,
                                         dtype_attr(ctx, (rlxc_attrs){0}, "dtype", s->dtype), name),
                            b->block};
    if (x.kind == RLXC_ATOM_VAR)
        rlxc_map_set(ctx, &u->wide, rlxc_key(x.var), rlxc_copy(ctx, &made, sizeof made));
    return made.atom;
}

/* |x| in packed elements of type |t|. */
static rlxc_atom packed(unpacker *u, rlxc_builder *b, rlxc_atom x, rlx_dtype t, const char *name)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, x);
    if (!s || rlxc_failed(ctx))
        return x;
    if (!rlxc_dims_known(s)) {
        rlxc_error(ctx, b->range, "%s: only tensors of known dimensions can become %s",
                   rlxc_sinfo_text(ctx, s), rlxc_dtype_name(ctx, t));
        return x;
    }
    const uint32_t ndim = (uint32_t)s->ndim;
    const rlxc_expr *all = rlxc_product(ctx, s->dims, ndim);
    const rlxc_atom flat[2] = {x, rlxc_atom_shape(ctx, &all, 1)};
    rlxc_atom line = rlxc_emit_op(b, "reshape", flat, 2, (rlxc_attrs){0}, name);
    line = rlxc_emit_op(b, "packed.pack", &line, 1, dtype_attr(ctx, (rlxc_attrs){0}, "dtype", t),
                        name);
    const rlxc_atom out = view(b, line, s->dims, ndim, t, name);
    const wide_form made = {x, b->block};
    if (out.kind == RLXC_ATOM_VAR && rlxc_dtype_eq(s->dtype, RLX_DTYPE(t.code, 8)))
        rlxc_map_set(ctx, &u->wide, rlxc_key(out.var), rlxc_copy(ctx, &made, sizeof made));
    return out;
}

static rlxc_atom field(rlxc_builder *b, rlxc_atom tuple, uint32_t i)
{
    if (tuple.kind == RLXC_ATOM_TUPLE)
        return tuple.items[i];
    rlxc_binding *get = rlxc_binding_new(b->ctx, RLXC_FORM_TUPLE_GET,
                                         rlxc_rvar_new(b->ctx, b->function, "f", NULL));
    get->args = rlxc_copy(b->ctx, &tuple, sizeof tuple);
    get->n_args = 1;
    get->index = i;
    get->range = b->range;
    return rlxc_emit(b, get);
}

/* An argument with its packed tensors unpacked. */
static rlxc_atom argument(unpacker *u, rlxc_builder *b, rlxc_atom x)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, x);
    if (!has_packed(s))
        return x;
    if (s->kind != RLXC_SINFO_TUPLE)
        return unpacked(u, b, x);
    rlxc_atom *items = rlxc_alloc(b->ctx, (s->n_fields + 1U) * sizeof *items);
    for (uint32_t i = 0; i < s->n_fields; i++)
        items[i] = argument(u, b, field(b, x, i));
    return rlxc_atom_tuple(b->ctx, items, s->n_fields);
}

/* |x|, the operator's result on bytes, converted to the types of |want|. */
static rlxc_atom result(unpacker *u, rlxc_builder *b, rlxc_atom x, const rlxc_sinfo *want,
                        const char *name)
{
    rlxc_context *ctx = b->ctx;
    if (!has_packed(want) || rlxc_failed(ctx))
        return x;
    if (want->kind != RLXC_SINFO_TUPLE)
        return packed(u, b, x, want->dtype, name);
    rlxc_atom *items = rlxc_alloc(ctx, want->n_fields * sizeof *items);
    for (uint32_t i = 0; i < want->n_fields; i++)
        items[i] = result(u, b, field(b, x, i), want->fields[i], name);
    rlxc_binding *tuple =
        rlxc_binding_new(ctx, RLXC_FORM_TUPLE, rlxc_rvar_new(ctx, b->function, name, NULL));
    tuple->args = items;
    tuple->n_args = want->n_fields;
    tuple->range = b->range;
    return rlxc_emit(b, tuple);
}

/* The bytes |x| wrapped to the limits of |t|. */
static rlxc_atom limited(rlxc_builder *b, rlxc_atom x, rlx_dtype t, const char *name)
{
    const rlxc_bound range = rlxc_type_range(t);
    const rlxc_atom args[3] = {x, rlxc_atom_prim(rlxc_i64(b->ctx, range.min)),
                               rlxc_atom_prim(rlxc_i64(b->ctx, range.max))};
    return rlxc_emit_op(b, "clip", args, 3, (rlxc_attrs){0}, name);
}

/* An operator that reshapes a packed tensor: a constant becomes another constant, and an existing
 * unpacked form is reshaped too. */
static rlxc_rewrite_action reshape(unpacker *u, rlxc_builder *b, rlxc_binding *call,
                                   rlxc_atom *replacement)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_atom x = call->args[0];
    const rlxc_sinfo *s = call->var->sinfo;
    const wide_form *known =
        x.kind == RLXC_ATOM_VAR ? rlxc_map_get(&u->wide, rlxc_key(x.var)) : NULL;
    b->range = call->range;
    if (known && known->block == b->block) {
        rlxc_atom *args = rlxc_copy(ctx, call->args, call->n_args * sizeof *args);
        args[0] = known->atom;
        const wide_form made = {
            rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name),
            b->block};
        rlxc_map_set(ctx, &u->wide, rlxc_key(call->var), rlxc_copy(ctx, &made, sizeof made));
    }
    int64_t dims[RLXC_MAX_NDIM];
    bool fixed = x.kind == RLXC_ATOM_CONSTANT && s && rlxc_dims_known(s);
    for (int32_t i = 0; fixed && i < s->ndim; i++)
        fixed = rlxc_is_int(s->dims[i], &dims[i]);
    if (!fixed)
        return RLXC_REWRITE_KEEP;
    *replacement =
        rlxc_atom_constant(rlxc_constant_reshaped(ctx, x.constant, (uint32_t)s->ndim, dims));
    return RLXC_REWRITE_REPLACE;
}

static rlxc_rewrite_action unpack_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    unpacker *u = user;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *want = call->var->sinfo;
    if (call->form != RLXC_FORM_CALL || !call->op)
        return RLXC_REWRITE_KEEP;
    if (call->op->flags & RLXC_OP_ALIASES_0 && call->op->legalize && is_packed(want))
        return reshape(u, b, call, replacement);
    if (keeps(call))
        return RLXC_REWRITE_KEEP;
    bool any = has_packed(want);
    for (uint32_t i = 0; i < call->n_args && !any; i++)
        any = call->args[i].kind != RLXC_ATOM_DTYPE && call->args[i].kind != RLXC_ATOM_STRING &&
              has_packed(rlxc_atom_sinfo(ctx, b->module, call->args[i]));
    if (!any)
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    const char *name = call->var->name;
    rlxc_atom *args = rlxc_alloc(ctx, (call->n_args + 1U) * sizeof *args);
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = argument(u, b, call->args[i]);
    rlxc_atom out;
    if (strcmp(call->op->name, "astype") == 0 && is_packed(want)) {
        out = args[0]; /* packing converts */
    } else {
        static const char *const types[] = {"dtype", "out_dtype"};
        rlxc_attrs attrs = call->attrs;
        for (size_t i = 0; i < 2; i++) {
            const rlx_dtype t = rlxc_attr_get_dtype(call, types[i]);
            if (rlx_dtype_is_packed(t))
                attrs = dtype_attr(ctx, attrs, types[i], RLX_DTYPE(t.code, 8));
        }
        out = rlxc_emit_op(b, call->op->name, args, call->n_args, attrs, name);
        if (!rlxc_failed(ctx) && strcmp(call->op->name, "quantize") == 0 && is_packed(want))
            out = limited(b, out, want->dtype, name);
    }
    *replacement = result(u, b, out, want, name);
    return rlxc_failed(ctx) ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_unpack(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        unpacker u = {0};
        const rlxc_rewrite_pass pass = {.user = &u, .binding = unpack_call};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
