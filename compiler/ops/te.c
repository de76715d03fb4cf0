/* Builds PrimFuncs for legalization (te.h).
 *
 * A block's loops are named as its axes without "v_", and all are serial: later passes schedule
 * them. Reads and writes are stated for straight-line bodies (found by walking them) and left out
 * for bodies with loops of their own. Equal functions with the same base name are shared, which
 * keeps the module small; merge_prim_funcs does the rest.
 */
#include "compiler/ops/te.h"

#include "compiler/ir/constant.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"
#include "rlx/floats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARE_TRIES = 8 };

static bool lowerable(const rlxc_te *te, const rlxc_sinfo *s, const char *what)
{
    if (s->kind != RLXC_SINFO_TENSOR) {
        rlxc_infer_error(&te->view, "%s is not a tensor: %s", what, rlxc_sinfo_text(te->ctx, s));
        return false;
    }
    if (!rlxc_dims_known(s) || rlxc_dtype_is_void(s->dtype)) {
        rlxc_infer_error(&te->view,
                         "cannot be compiled: shape or element type of %s is not known: %s", what,
                         rlxc_sinfo_text(te->ctx, s));
        return false;
    }
    return true;
}

/* Every tensor input must have known dimensions, as must every result. */
static bool inputs_lowerable(const rlxc_te *te)
{
    for (uint32_t i = 0; i < te->view.n_inputs; i++) {
        const rlxc_op_input *input = &te->view.inputs[i];
        const rlxc_sinfo *s = te->view.in[i];
        if (!s || input->kind != 't')
            continue;
        const char *what =
            rlxc_internf(te->ctx, "argument '%.*s'", (int)input->name_length, input->name);
        if (!input->is_tuple && !lowerable(te, s, what))
            return false;
        for (uint32_t k = 0; input->is_tuple && k < s->n_fields; k++)
            if (!lowerable(te, s->fields[k], what))
                return false;
    }
    return true;
}

rlxc_pattern rlxc_te_pattern_of_samples(const rlxc_binding *call)
{
    const char *layout = rlxc_attr_get_str(call, "layout", "NCHW");
    return layout[0] != '\0' && layout[1] == 'C' ? RLXC_PATTERN_INJECTIVE
                                                 : RLXC_PATTERN_OUT_FUSABLE;
}

bool rlxc_te_begin(rlxc_te *te, rlxc_builder *b, const rlxc_binding *call, const char *name,
                   rlxc_pattern pattern)
{
    *te = (rlxc_te){.ctx = b->ctx, .b = b, .call = call, .name = name, .pattern = pattern};
    if (!rlxc_infer_begin(&te->view, b->ctx, b->module, call))
        return false;
    te->out = call->op->infer(b->ctx, b->module, call);
    if (!te->out || !inputs_lowerable(te))
        return false;
    if (te->out->kind != RLXC_SINFO_TUPLE)
        return lowerable(te, te->out, "the result");
    for (uint32_t i = 0; i < te->out->n_fields; i++)
        if (!lowerable(te, te->out->fields[i], "a result"))
            return false;
    return true;
}

/* True for a tensor, or a tuple of tensors, whose dimensions are known. */
static bool has_dims(const rlxc_sinfo *s)
{
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        if (s->fields[i]->kind != RLXC_SINFO_TENSOR || !has_dims(s->fields[i]))
            return false;
    return s->kind == RLXC_SINFO_TUPLE ||
           (s->kind == RLXC_SINFO_TENSOR && rlxc_dims_known(s) && !rlxc_dtype_is_void(s->dtype));
}

bool rlxc_te_begin_builtin(rlxc_te *te, rlxc_builder *b, const rlxc_binding *call, const char *name,
                           rlxc_pattern pattern)
{
    *te = (rlxc_te){.ctx = b->ctx, .b = b, .call = call, .name = name, .pattern = pattern};
    te->view =
        (rlxc_call_view){.ctx = b->ctx, .module = b->module, .call = call, .op = call->callee.text};
    if (call->n_args > RLXC_MAX_OP_INPUTS || !call->var->sinfo)
        return false;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[i]);
        te->view.in[i] = s;
        if (s && s->kind == RLXC_SINFO_TENSOR && !has_dims(s))
            return false;
    }
    te->out = call->var->sinfo;
    return te->out->kind == RLXC_SINFO_OBJECT || has_dims(te->out);
}

/* The replacement of |e| in the PrimFunc; or NULL. */
static const rlxc_expr *local_of(const rlxc_te *te, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < te->symbols.count && i < te->locals.count; i++)
        if (te->symbols.items[i] == e)
            return te->locals.items[i];
    return NULL;
}

const rlxc_expr *rlxc_te_symbol(rlxc_te *te, const rlxc_expr *e, const char *name)
{
    const rlxc_expr *local = local_of(te, e);
    if (local || e->kind == RLXC_EXPR_INT)
        return local ? local : e;
    local = rlxc_var(te->ctx, name, RLX_I64);
    RLXC_PUSH(te->ctx, &te->symbols, e);
    RLXC_PUSH(te->ctx, &te->locals, local);
    return local;
}

const rlxc_expr *rlxc_te_expr(rlxc_te *te, const rlxc_expr *e)
{
    rlxc_var_list used = {0};
    const rlxc_expr *whole = local_of(te, e);
    if (whole)
        return whole;
    rlxc_collect_vars(te->ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++) {
        const rlxc_expr *var = used.vars.items[i];
        uint32_t k = 0;
        while (k < te->symbols.count && te->symbols.items[k] != var)
            k++;
        if (k < te->symbols.count)
            continue;
        RLXC_PUSH(te->ctx, &te->symbols, var);
        RLXC_PUSH(te->ctx, &te->locals, rlxc_var_like(te->ctx, var));
    }
    if (used.vars.count == 0)
        return e;
    uint32_t n = te->symbols.count < te->locals.count ? te->symbols.count : te->locals.count;
    return rlxc_canonical(
        te->ctx, rlxc_substitute(te->ctx, e, te->symbols.items, te->locals.items, n), NULL);
}

static rlxc_buffer *buffer_of(rlxc_te *te, const rlxc_sinfo *s, const char *name)
{
    uint32_t n = (uint32_t)s->ndim;
    const rlxc_expr **dims = rlxc_alloc(te->ctx, (n + 1) * sizeof *dims);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = rlxc_te_expr(te, s->dims[i]);
    return rlxc_buffer_new(te->ctx, name, s->dtype, dims, n);
}

static void add_param(rlxc_te *te, rlxc_buffer *buffer)
{
    const char *handle = rlxc_internf(te->ctx, "var_%s", buffer->name);
    rlxc_prim_param param = {.var = rlxc_var(te->ctx, handle, rlxc_dtype_handle()),
                             .buffer = buffer};
    RLXC_PUSH(te->ctx, &te->params, param);
}

const rlxc_expr *rlxc_te_immediate(rlxc_context *ctx, const rlxc_constant *c)
{
    if (c->nbytes > sizeof(uint64_t) || c->lifted)
        return NULL;
    if (rlxc_dtype_is_float(c->dtype))
        return rlxc_float(ctx, c->dtype, rlxc_constant_double(c, 0));
    int64_t value = rlxc_constant_int(c, 0);
    return rlxc_dtype_is_bool(c->dtype) ? rlxc_bool(ctx, value != 0)
                                        : rlxc_int(ctx, c->dtype, value);
}

static rlxc_te_operand operand(rlxc_te *te, rlxc_atom atom, const rlxc_sinfo *s, const char *name)
{
    rlxc_te_operand x = {.dtype = s->dtype};
    if (atom.kind == RLXC_ATOM_CONSTANT && atom.constant->ndim == 0) {
        x.value = rlxc_te_immediate(te->ctx, atom.constant);
        if (x.value)
            return x;
    }
    rlxc_buffer *buffer = buffer_of(te, s, atom.kind == RLXC_ATOM_VAR ? atom.var->name : name);
    add_param(te, buffer);
    RLXC_PUSH(te->ctx, &te->args, atom);
    x.buffer = buffer;
    x.ndim = buffer->ndim;
    x.dims = buffer->shape;
    return x;
}

rlxc_te_operand rlxc_te_operand_of(rlxc_te *te, uint32_t i, const char *name)
{
    return operand(te, te->call->args[i], te->view.in[i], name);
}

rlxc_te_operand rlxc_te_field_of(rlxc_te *te, uint32_t i, uint32_t field, const char *name)
{
    const rlxc_sinfo *s = te->view.in[i]->fields[field];
    return operand(te, rlxc_lower_field(te->b, te->call, te->call->args[i], field), s, name);
}

const rlxc_buffer *rlxc_te_output(rlxc_te *te, const char *name)
{
    const rlxc_sinfo *s = te->out;
    if (s->kind == RLXC_SINFO_TUPLE)
        s = s->fields[te->outputs.count];
    rlxc_buffer *buffer = buffer_of(te, s, name);
    RLXC_PUSH(te->ctx, &te->outputs, buffer);
    return buffer;
}

const rlxc_buffer *rlxc_te_temp(rlxc_te *te, const char *name, rlx_dtype dtype,
                                const rlxc_expr *const *dims, uint32_t n)
{
    rlxc_buffer *buffer = rlxc_buffer_new(te->ctx, name, dtype, dims, n);
    RLXC_PUSH(te->ctx, &te->temps, buffer);
    return buffer;
}

void rlxc_te_block(rlxc_te *te, const char *name)
{
    te->block = name;
    te->n_axes = 0;
    te->computes = RLXC_OPERATIONS;
}

void rlxc_te_computes(rlxc_te *te, rlxc_operation_kind kind)
{
    te->computes = kind;
}

const rlxc_expr *rlxc_te_axis(rlxc_te *te, rlxc_axis_kind kind, const char *name,
                              const rlxc_expr *extent)
{
    uint32_t i = te->n_axes;
    const rlxc_expr *var = rlxc_var(te->ctx, rlxc_internf(te->ctx, "v_%s", name), RLX_I64);
    if (i == RLXC_TE_MAX_AXES) {
        rlxc_infer_error(&te->view, "has more than %d loops", RLXC_TE_MAX_AXES);
        return var;
    }
    te->loops[i] = rlxc_var(te->ctx, rlxc_intern_cstr(te->ctx, name), RLX_I64);
    te->axes[i] = var;
    te->block_axes[i] = (rlxc_axis){kind, var, rlxc_i64(te->ctx, 0), extent};
    te->n_axes++;
    return var;
}

void rlxc_te_spatial(rlxc_te *te, const char *name, const rlxc_buffer *buffer)
{
    rlxc_te_block(te, name);
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        char axis[16];
        snprintf(axis, sizeof axis, "ax%u", i);
        rlxc_te_axis(te, RLXC_AXIS_SPATIAL, axis, buffer->shape[i]);
    }
}

typedef struct region_list {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_region) regions;
    const rlxc_buffer *const *skip;
    uint32_t n_skip;
} region_list;

static void add_region(region_list *list, const rlxc_buffer *buffer,
                       const rlxc_expr *const *indices)
{
    for (uint32_t i = 0; i < list->regions.count; i++) {
        const rlxc_region *r = &list->regions.items[i];
        uint32_t k = 0;
        while (r->buffer == buffer && k < buffer->ndim && r->mins[k] == indices[k])
            k++;
        if (r->buffer == buffer && k == buffer->ndim)
            return;
    }
    const rlxc_expr **extents = rlxc_alloc(list->ctx, (buffer->ndim + 1) * sizeof *extents);
    for (uint32_t k = 0; k < buffer->ndim; k++)
        extents[k] = rlxc_i64(list->ctx, 1);
    rlxc_region region = {buffer, indices, extents};
    RLXC_PUSH(list->ctx, &list->regions, region);
}

static bool add_load(void *user, const rlxc_expr *e)
{
    region_list *list = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    for (uint32_t i = 0; i < list->n_skip; i++)
        if (list->skip[i] == e->load.buffer)
            return true;
    add_region(list, e->load.buffer, e->load.indices);
    return true;
}

/* A tag that the body does not prove is left without axes, for the check of well-formedness. */
static void tag_block(rlxc_te *te, rlxc_block *block)
{
    rlxc_context *ctx = te->ctx;
    rlxc_computation c;
    rlxc_operation op = {.kind = te->computes};
    const bool is_stated = te->computes != RLXC_OPERATIONS,
               fits = rlxc_computation_of(ctx, block, &c, NULL) &&
                      (is_stated ? rlxc_operation_prove(ctx, &c, te->computes, &op, NULL)
                                 : rlxc_operation_recognise(ctx, &c, &op, NULL));
    if (is_stated && !fits)
        op = (rlxc_operation){.kind = te->computes};
    if (te->n_axes > 0 && (is_stated || fits))
        block->annotations = rlxc_with_tag(ctx, block->annotations, &op);
}

static void end_block(rlxc_te *te, rlxc_block *block, const rlxc_stmt *init, const rlxc_stmt *body)
{
    block->name = rlxc_intern_cstr(te->ctx, te->block);
    block->axes = rlxc_copy(te->ctx, te->block_axes, te->n_axes * sizeof te->block_axes[0]);
    block->n_axes = te->n_axes;
    block->init = init;
    block->body = body;
    tag_block(te, block);
    const rlxc_stmt *stmt = rlxc_stmt_block(te->ctx, block, te->loops, NULL);
    for (uint32_t i = te->n_axes; i-- > 0;)
        stmt = rlxc_stmt_for(te->ctx, te->loops[i], te->block_axes[i].min, te->block_axes[i].extent,
                             RLXC_LOOP_SERIAL, stmt);
    RLXC_PUSH(te->ctx, &te->stmts, stmt);
}

void rlxc_te_body(rlxc_te *te, const rlxc_stmt *init, const rlxc_stmt *body)
{
    end_block(te, rlxc_alloc(te->ctx, sizeof(rlxc_block)), init, body);
}

/* States reads (all loads of |values| except of a reduction's own results) and writes. */
static void end_simple(rlxc_te *te, const rlxc_buffer *const *buffers, uint32_t n,
                       const rlxc_expr *const *indices, bool reduces,
                       const rlxc_expr *const *values, const rlxc_stmt *init, const rlxc_stmt *body)
{
    rlxc_block *block = rlxc_alloc(te->ctx, sizeof *block);
    region_list reads = {.ctx = te->ctx, .skip = buffers, .n_skip = reduces ? n : 0};
    region_list writes = {.ctx = te->ctx};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < buffers[i]->ndim; k++)
            rlxc_expr_visit(te->ctx, indices[k], add_load, &reads);
        rlxc_expr_visit(te->ctx, values[i], add_load, &reads);
        add_region(&writes, buffers[i],
                   rlxc_copy(te->ctx, indices, buffers[i]->ndim * sizeof *indices));
    }
    block->has_reads = block->has_writes = true;
    block->reads = reads.regions.items;
    block->n_reads = reads.regions.count;
    block->writes = writes.regions.items;
    block->n_writes = writes.regions.count;
    end_block(te, block, init, body);
}

void rlxc_te_store_at(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                      const rlxc_expr *init, const rlxc_expr *value)
{
    const rlxc_stmt *first =
        init ? rlxc_stmt_store(te->ctx, buffer, indices, buffer->ndim, init) : NULL;
    const rlxc_stmt *body = rlxc_stmt_store(te->ctx, buffer, indices, buffer->ndim, value);
    end_simple(te, &buffer, 1, indices, init != NULL, &value, first, body);
}

void rlxc_te_store(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *value)
{
    rlxc_te_store_at(te, buffer, te->axes, NULL, value);
}

void rlxc_te_reduce(rlxc_te *te, const rlxc_buffer *buffer, const rlxc_expr *init,
                    const rlxc_expr *value)
{
    rlxc_te_store_at(te, buffer, te->axes, init, value);
}

void rlxc_te_reduce2(rlxc_te *te, const rlxc_buffer *const buffers[2],
                     const rlxc_expr *const inits[2], const rlxc_expr *const values[2])
{
    const rlxc_stmt *init[2], *body[4];
    for (uint32_t i = 0; i < 2; i++) {
        const rlxc_expr *var =
            rlxc_var(te->ctx, rlxc_internf(te->ctx, "v_%s", buffers[i]->name), buffers[i]->dtype);
        init[i] = rlxc_stmt_store(te->ctx, buffers[i], te->axes, buffers[i]->ndim, inits[i]);
        body[i] = rlxc_stmt_let(te->ctx, var, values[i]);
        body[2 + i] = rlxc_stmt_store(te->ctx, buffers[i], te->axes, buffers[i]->ndim, var);
    }
    end_simple(te, buffers, 2, te->axes, true, values, rlxc_stmt_seq(te->ctx, init, 2),
               rlxc_stmt_seq(te->ctx, body, 4));
}

static bool bound_by_buffer(const rlxc_te *te, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < te->params.count; i++) {
        const rlxc_buffer *buffer = te->params.items[i].buffer;
        for (uint32_t k = 0; buffer && k < buffer->ndim; k++)
            if (buffer->shape[k] == var)
                return true;
    }
    return false;
}

/* An equal function of this base name in the module, or the new one, which is added. */
static const char *shared_name(rlxc_te *te, rlxc_prim_func *f)
{
    for (uint32_t i = 0; i < SHARE_TRIES; i++) {
        const char *name = i == 0 ? f->name : rlxc_internf(te->ctx, "%s%u", f->name, i);
        const rlxc_global *global = rlxc_module_find(te->b->module, name);
        if (!global)
            break;
        if (global->prim && rlxc_prim_func_equal(te->ctx, global->prim, f))
            return name;
    }
    const rlxc_global *added = rlxc_module_add_prim(te->ctx, te->b->module, f, true);
    return added ? added->name : f->name;
}

/* A call of the function |name| itself: it writes nothing that the caller sees. */
static rlxc_atom emit_void_call(rlxc_te *te, const char *name, const rlxc_expr *const *extra,
                                uint32_t n_extra)
{
    rlxc_context *ctx = te->ctx;
    for (uint32_t i = 0; i < n_extra; i++)
        RLXC_PUSH(ctx, &te->args, rlxc_atom_prim(extra[i]));
    rlxc_rvar *var =
        rlxc_rvar_new(ctx, rlxc_outermost(te->b->function), "_", rlxc_sinfo_tuple(ctx, NULL, 0));
    rlxc_binding *call = rlxc_binding_new(ctx, RLXC_FORM_CALL, var);
    call->callee = rlxc_atom_global(ctx, name);
    call->args = te->args.items;
    call->n_args = te->args.count;
    call->range = te->call->range;
    return rlxc_emit(te->b, call);
}

rlxc_atom rlxc_te_finish(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < te->outputs.count; i++)
        add_param(te, te->outputs.items[i]);
    RLXC_VEC(const rlxc_expr *) extra = {0};
    for (uint32_t i = 0; i < te->symbols.count; i++) {
        if (bound_by_buffer(te, te->locals.items[i]))
            continue;
        rlxc_prim_param param = {.var = te->locals.items[i]};
        RLXC_PUSH(ctx, &te->params, param);
        RLXC_PUSH(ctx, &extra, te->symbols.items[i]);
    }
    rlxc_block *root = rlxc_alloc(ctx, sizeof *root);
    root->name = rlxc_intern_cstr(ctx, "root");
    root->allocs = te->temps.items;
    root->n_allocs = te->temps.count;
    root->body = rlxc_stmt_seq(ctx, te->stmts.items, te->stmts.count);
    rlxc_prim_func *f = rlxc_alloc(ctx, sizeof *f);
    f->name = rlxc_intern_cstr(ctx, te->name);
    f->params = te->params.items;
    f->n_params = te->params.count;
    f->ret_dtype = rlxc_dtype_void();
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "op_pattern"),
                               rlxc_attr_int(te->pattern));
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "tir.noalias"),
                               rlxc_attr_expr(rlxc_bool(ctx, true)));
    if (te->b->target)
        f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "target"), *te->b->target);
    f->body = rlxc_stmt_block(ctx, root, NULL, NULL);
    f->is_private = true;
    f->range = te->call->range;
    const char *name = shared_name(te, f);
    if (te->outputs.count == 0)
        return rlxc_failed(ctx) ? (rlxc_atom){0}
                                : emit_void_call(te, name, extra.items, extra.count);
    rlxc_atom tir_vars =
        extra.count ? rlxc_atom_shape(ctx, extra.items, extra.count) : (rlxc_atom){0};
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    return rlxc_emit_call_tir(te->b, name, te->args.items, te->args.count, te->out,
                              extra.count ? &tir_vars : NULL, te->call->var->name);
}

const rlxc_expr *rlxc_te_load(rlxc_te *te, const rlxc_buffer *buffer,
                              const rlxc_expr *const *indices)
{
    return rlxc_load(te->ctx, buffer, indices, buffer->ndim);
}

const rlxc_expr *rlxc_te_get(rlxc_te *te, const rlxc_te_operand *x, const rlxc_expr *const *indices)
{
    return x->buffer ? rlxc_te_load(te, x->buffer, indices) : x->value;
}

const rlxc_expr *rlxc_te_get_broadcast(rlxc_te *te, const rlxc_te_operand *x,
                                       const rlxc_expr *const *indices,
                                       const rlxc_expr *const *dims, uint32_t n)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < x->ndim; i++) {
        uint32_t k = i + (n - x->ndim);
        at[i] = rlxc_broadcast_index(te->ctx, x->dims[i], dims[k], indices[k]);
    }
    return rlxc_te_get(te, x, at);
}

void rlxc_te_unflatten(rlxc_te *te, const rlxc_expr *position, const rlxc_expr *const *dims,
                       uint32_t n, const rlxc_expr **out)
{
    const rlxc_expr *rest = position;
    for (uint32_t i = n; i-- > 0;) {
        out[i] = i == 0 ? rest : rlxc_binary(te->ctx, RLXC_EXPR_FLOORMOD, rest, dims[i]);
        rest = rlxc_binary(te->ctx, RLXC_EXPR_FLOORDIV, rest, dims[i]);
    }
}

const rlxc_expr *rlxc_te_prim(rlxc_te *te, uint32_t i, rlx_dtype dtype)
{
    const rlxc_expr *e = rlxc_prim_arg(te->ctx, te->b->module, te->call, i);
    if (!e) {
        rlxc_infer_fail(&te->view, i, "its value must be known at compile time");
        return rlxc_te_number(te->ctx, dtype, 0);
    }
    if (e->kind == RLXC_EXPR_FLOAT)
        return rlxc_te_number(te->ctx, dtype, e->f);
    int64_t value;
    if (rlxc_is_int(e, &value))
        return rlxc_dtype_is_float(dtype) ? rlxc_float(te->ctx, dtype, (double)value)
                                          : rlxc_int(te->ctx, dtype, value);
    return rlxc_cast(te->ctx, dtype, rlxc_te_expr(te, e));
}

rlx_dtype rlxc_te_compute_dtype(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits < 32 ? RLX_F32 : t;
}

const rlxc_expr *rlxc_te_widen(rlxc_te *te, const rlxc_expr *e)
{
    rlx_dtype t = rlxc_te_compute_dtype(e->dtype);
    return rlxc_dtype_eq(t, e->dtype) ? e : rlxc_cast(te->ctx, t, e);
}

const rlxc_expr *rlxc_te_number(rlxc_context *ctx, rlx_dtype dtype, double value)
{
    if (rlxc_dtype_is_float(dtype))
        return rlxc_float(ctx, dtype, value);
    if (rlxc_dtype_is_bool(dtype))
        return rlxc_bool(ctx, value != 0);
    return rlxc_int(ctx, dtype, (int64_t)value);
}

static const rlxc_expr *extreme(rlxc_context *ctx, rlx_dtype dtype, bool lowest)
{
    if (rlxc_dtype_is_bool(dtype))
        return rlxc_bool(ctx, !lowest);
    if (rlxc_dtype_is_float(dtype)) {
        double largest = rlx_float_decode(dtype, rlx_float_largest(dtype));
        return rlxc_float(ctx, dtype, lowest ? -largest : largest);
    }
    if (dtype.code == RLX_UINT)
        return rlxc_int(ctx, dtype,
                        lowest             ? 0
                        : dtype.bits == 64 ? -1
                                           : (INT64_C(1) << dtype.bits) - 1);
    if (dtype.bits == 64)
        return rlxc_int(ctx, dtype, lowest ? INT64_MIN : INT64_MAX);
    int64_t half = INT64_C(1) << (dtype.bits - 1);
    return rlxc_int(ctx, dtype, lowest ? -half : half - 1);
}

const rlxc_expr *rlxc_te_lowest(rlxc_context *ctx, rlx_dtype dtype)
{
    return extreme(ctx, dtype, true);
}

const rlxc_expr *rlxc_te_highest(rlxc_context *ctx, rlx_dtype dtype)
{
    return extreme(ctx, dtype, false);
}

const rlxc_expr *rlxc_te_call1(rlxc_context *ctx, const char *intrinsic, const rlxc_expr *x)
{
    return rlxc_call(ctx, x->dtype, rlxc_intern_cstr(ctx, intrinsic), &x, 1);
}

const rlxc_expr *rlxc_te_if(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_expr *yes,
                            const rlxc_expr *no)
{
    const rlxc_expr *args[3] = {cond, yes, no};
    return rlxc_call(ctx, yes->dtype, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
}

const rlxc_expr *rlxc_te_div(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_DIV, a, b);
}

const rlxc_expr *rlxc_te_position(rlxc_context *ctx, const rlxc_expr *index, const rlxc_expr *n,
                                  bool wrap)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *i = rlxc_cast(ctx, RLX_I64, index);
    if (wrap)
        return rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, i,
                           rlxc_binary(ctx, RLXC_EXPR_MAX, n, rlxc_i64(ctx, 1)));
    if (index->dtype.code != RLX_UINT)
        i = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, i, zero), rlxc_add(ctx, i, n), i);
    const rlxc_expr *last = rlxc_sub(ctx, n, rlxc_i64(ctx, 1));
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, i, last), zero);
}

const rlxc_expr *rlxc_te_if_not_empty(rlxc_context *ctx, const rlxc_expr *n, const rlxc_expr *value)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    if (rlxc_prove_lt(ctx, zero, n, NULL))
        return value;
    return rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, zero, n), value,
                      rlxc_te_number(ctx, value->dtype, 0));
}
