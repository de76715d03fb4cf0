/* The functions that turn a weight's numbers and scales into constants: words in panels, and
 * vectors with one value per column. For a weight that is not constant they run in every call. */
#include "compiler/passes/quantized.h"

/* Each PrimFunc has buffers of its own for the constants that it reads. */
static const rlxc_expr *own_load(void *user, const rlxc_expr *e)
{
    rlxc_packing *p = user;
    rlxc_context *ctx = p->c->ctx;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(ctx, (e->load.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = rlxc_expr_rewrite(ctx, e->load.indices[i], own_load, p);
    rlxc_buffer *own = rlxc_map_get(&p->own, rlxc_key(e->load.buffer));
    for (uint32_t i = 0; !own && i < p->c->leaves.count; i++) {
        const rlxc_quant_leaf *leaf = &p->c->leaves.items[i];
        if (leaf->buffer != e->load.buffer)
            continue;
        own = rlxc_buffer_new(ctx, leaf->buffer->name, leaf->buffer->dtype, leaf->buffer->shape,
                              leaf->buffer->ndim);
        rlxc_map_set(ctx, &p->own, rlxc_key(leaf->buffer), own);
        rlxc_prim_param param = {
            .var = rlxc_var(ctx, rlxc_internf(ctx, "var_%s", own->name), rlxc_dtype_handle()),
            .buffer = own};
        RLXC_PUSH(ctx, &p->te->params, param);
        RLXC_PUSH(ctx, &p->te->args,
                  leaf->constant ? rlxc_atom_constant(leaf->constant) : leaf->value);
    }
    return own ? rlxc_load(ctx, own, at, e->load.n) : NULL;
}

const rlxc_expr *rlxc_packing_place(rlxc_packing *p, const rlxc_expr *value, const rlxc_expr *k,
                                    const rlxc_expr *n)
{
    rlxc_quant_chain *c = p->c;
    rlxc_context *ctx = c->ctx;
    const rlxc_expr *vars[2] = {c->row, c->column}, *at[2] = {k, n};
    value = rlxc_substitute(ctx, value, vars, at, 2);
    value = rlxc_expr_rewrite(ctx, value, own_load, p);
    const rlxc_expr *inside =
        rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LT, k, rlxc_i64(ctx, c->rows)),
                    rlxc_binary(ctx, RLXC_EXPR_LT, n, rlxc_i64(ctx, c->columns)));
    return rlxc_te_if(ctx, inside, value, rlxc_te_number(ctx, value->dtype, 0));
}

static const rlxc_expr *word_of(rlxc_packing *p, const rlxc_quant *q, const rlxc_expr *row,
                                const rlxc_expr *n)
{
    rlxc_context *ctx = p->c->ctx;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    const rlxc_expr *number = rlxc_cast(ctx, RLX_I32, p->c->number), *word = NULL;
    number = rlxc_cast(ctx, u32, rlxc_sub(ctx, number, rlxc_int(ctx, RLX_I32, p->c->least)));
    for (int64_t i = 0; i < rlxc_quant_rows(q); i++) {
        const rlxc_expr *k = rlxc_mul(ctx, row, rlxc_i64(ctx, rlxc_quant_rows(q)));
        k = rlxc_add(ctx, k, rlxc_i64(ctx, i));
        const rlxc_expr *args[2] = {rlxc_packing_place(p, number, k, n),
                                    rlxc_int(ctx, u32, rlxc_quant_shift(q, i))};
        args[1] = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "shift_left"), args, 2);
        args[0] = word;
        word = word ? rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "bitwise_or"), args, 2) : args[1];
    }
    return word;
}

rlxc_atom rlxc_packing_finish(rlxc_te *te)
{
    rlxc_builder *b = te->b;
    rlxc_atom made = rlxc_te_finish(te);
    bool constants = true;
    for (uint32_t i = 0; i < te->args.count; i++)
        constants = constants && te->args.items[i].kind == RLXC_ATOM_CONSTANT;
    if (made.kind != RLXC_ATOM_VAR || !constants)
        return made;
    rlxc_module_find(b->module, b->block->bindings[b->block->n - 1]->args[0].text)->prim->to_fold =
        true;
    return made;
}

rlxc_atom rlxc_pack_panels(rlxc_quant_chain *c, const rlxc_quant *q, rlxc_builder *b,
                           const rlxc_binding *call, const char *name, const rlxc_expr *what)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, name, RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_packing p = {.c = c, .te = &te};
    int64_t block = rlxc_quant_block(q->group), step = what ? q->group : rlxc_quant_rows(q);
    int64_t rows =
        what ? (c->rows + q->group - 1) / q->group : (c->rows + block - 1) / block * block / step;
    const rlxc_expr *dims[3] = {rlxc_i64(ctx, (c->columns + q->width - 1) / q->width),
                                rlxc_i64(ctx, rows), rlxc_i64(ctx, q->width)};
    te.out =
        rlxc_sinfo_tensor(ctx, what ? what->dtype : (rlx_dtype){RLX_UINT, 32, 1}, 3, dims, NULL);
    const rlxc_buffer *out = rlxc_te_output(&te, name);
    rlxc_te_spatial(&te, name, out);
    const rlxc_expr *n = rlxc_mul(ctx, te.axes[0], rlxc_i64(ctx, q->width));
    n = rlxc_add(ctx, n, te.axes[2]);
    const rlxc_expr *k = rlxc_mul(ctx, te.axes[1], rlxc_i64(ctx, step));
    rlxc_te_store(&te, out,
                  what ? rlxc_packing_place(&p, what, k, n) : word_of(&p, q, te.axes[1], n));
    return rlxc_packing_finish(&te);
}

rlxc_atom rlxc_pack_columns(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                            const rlxc_expr *value)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "pack_columns", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_packing p = {.c = c, .te = &te};
    const rlxc_expr *n = rlxc_i64(ctx, c->columns);
    te.out = rlxc_sinfo_tensor(ctx, value->dtype, 1, &n, NULL);
    const rlxc_buffer *out = rlxc_te_output(&te, "columns");
    rlxc_te_spatial(&te, "columns", out);
    rlxc_te_store(&te, out, rlxc_packing_place(&p, value, rlxc_i64(ctx, 0), te.axes[0]));
    return rlxc_packing_finish(&te);
}

rlxc_atom rlxc_pack_palette(rlxc_quant_chain *c, const rlxc_quant *q, rlxc_builder *b,
                            const rlxc_binding *call, const rlxc_expr *scale)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "pack_palette", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_packing p = {.c = c, .te = &te};
    const rlxc_expr *n = rlxc_i64(ctx, rlxc_quant_entries(q->bits, c->most));
    te.out = rlxc_sinfo_tensor(ctx, RLX_F32, 1, &n, NULL);
    const rlxc_buffer *out = rlxc_te_output(&te, "palette");
    rlxc_te_spatial(&te, "palette", out);
    const rlxc_expr *value = c->palette;
    const rlxc_expr **at = rlxc_copy(ctx, value->load.indices, value->load.n * sizeof *at);
    at[c->palette_axis] =
        rlxc_binary(ctx, RLXC_EXPR_MIN, te.axes[0], rlxc_i64(ctx, c->most)); /* padding */
    value = rlxc_cast(ctx, RLX_F32, rlxc_load(ctx, value->load.buffer, at, value->load.n));
    value = rlxc_expr_rewrite(ctx, value, own_load, &p);
    rlxc_te_store(&te, out, scale ? rlxc_mul(ctx, value, scale) : value);
    return rlxc_packing_finish(&te);
}

const rlxc_expr *rlxc_packing_number(const rlxc_quant_chain *c, int64_t zero, rlx_dtype dtype)
{
    const rlxc_expr *number = rlxc_cast(c->ctx, RLX_I32, c->number);
    return rlxc_cast(c->ctx, dtype, rlxc_sub(c->ctx, number, rlxc_int(c->ctx, RLX_I32, zero)));
}

rlxc_atom rlxc_pack_sums(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                         int64_t zero)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "pack_sums", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_packing packing = {.c = c, .te = &te};
    const rlxc_expr *n = rlxc_i64(ctx, c->columns);
    te.out = rlxc_sinfo_tensor(ctx, RLX_I32, 1, &n, NULL);
    const rlxc_buffer *out = rlxc_te_output(&te, "sums");
    rlxc_te_spatial(&te, "sums", out);
    const rlxc_expr *k = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", rlxc_i64(ctx, c->rows));
    const rlxc_expr *value = rlxc_packing_number(c, zero, RLX_I32);
    value = rlxc_packing_place(&packing, value, k, te.axes[0]);
    rlxc_te_reduce(&te, out, rlxc_int(ctx, RLX_I32, 0),
                   rlxc_add(ctx, rlxc_te_load(&te, out, te.axes), value));
    return rlxc_packing_finish(&te);
}
