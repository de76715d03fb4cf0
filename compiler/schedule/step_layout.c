/* Steps transform_layout and pad_einsum: buffers of another shape. */
#include <string.h>

#include "compiler/schedule/tree.h"

enum { MAX_AXES = RLXC_DOMAIN_AXES };

/* --- transform_layout ------------------------------------------------------------------------- */

typedef struct layout {
    rlxc_engine *e;
    const rlxc_expr *map; /* rlxc_is_index_map */
} layout;

static uint32_t inputs_of(const rlxc_expr *map)
{
    return (uint32_t)map->call.args[0]->i;
}

static void map_indices(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const layout *l = user;
    const rlxc_expr *const *vars = l->map->call.args + 1, *values[MAX_AXES];
    const uint32_t n = inputs_of(l->map), n_out = l->map->call.n - 1 - n;
    for (uint32_t k = 0; k < n; k++)
        values[k] = rlxc_cast(l->e->ctx, RLX_I64, at[k]);
    for (uint32_t k = 0; k < n_out; k++)
        out[k] = rlxc_simple(l->e, rlxc_substitute(l->e->ctx, vars[n + k], vars, values, n));
}

/* The shape that the map gives; the map must be injective. */
static bool new_shape(rlxc_engine *e, const rlxc_buffer *buffer, const rlxc_expr *map,
                      const rlxc_expr **out)
{
    rlxc_context *ctx = e->ctx;
    uint32_t n = buffer->ndim, n_out = map->call.n - 1 - n;
    const rlxc_expr *before = rlxc_i64(ctx, 1), *after = rlxc_i64(ctx, 1);
    const rlxc_expr *const *vars = map->call.args + 1, *const *results = vars + n;
    rlxc_spans spans = {0};
    rlxc_node *outer = NULL, *inner = NULL;
    for (uint32_t k = 0; k < n; k++) { /* as loops around a block with the results as axes */
        const rlxc_expr *extent = rlxc_cast(ctx, RLX_I64, buffer->shape[k]);
        rlxc_span_loop(e, &spans, vars[k], rlxc_i64(ctx, 0), extent);
        rlxc_node *loop = rlxc_new_loop(e, vars[k], extent);
        if (inner)
            rlxc_adopt(e, inner, loop);
        outer = outer ? outer : loop;
        inner = loop;
        before = rlxc_simple(e, rlxc_mul(ctx, before, extent));
    }
    rlxc_axis axes[MAX_AXES];
    for (uint32_t k = 0; k < n_out; k++) {
        rlxc_span span = rlxc_span_of(e, &spans, results[k]);
        if (!span.min || !span.max || rlxc_bound_of(ctx, span.min, NULL).min < 0)
            return rlxc_refuse(e, "index_map: %s has no known non-negative range",
                               rlxc_expr_text(e, results[k]));
        out[k] = rlxc_simple(e, rlxc_add(ctx, span.max, rlxc_i64(ctx, 1)));
        after = rlxc_simple(e, rlxc_mul(ctx, after, out[k]));
        axes[k] =
            (rlxc_axis){RLXC_AXIS_SPATIAL, rlxc_var(ctx, "v", RLX_I64), rlxc_i64(ctx, 0), out[k]};
    }
    const rlxc_block block = {.name = "index_map", .axes = axes, .n_axes = n_out};
    const rlxc_stmt *nothing = rlxc_stmt_evaluate(ctx, rlxc_int(ctx, RLX_I32, 0));
    rlxc_node *node = rlxc_new_block(e, &block, results, NULL, nothing);
    const char *why;
    if (inner)
        rlxc_adopt(e, inner, node);
    if (!rlxc_is_injective(e, node, &why))
        return rlxc_refuse(e, "index_map: %s", why);
    for (uint32_t k = 0; k < n; k++) {
        bool used = rlxc_is_const(buffer->shape[k], 1);
        for (uint32_t d = 0; d < n_out && !used; d++)
            used = rlxc_expr_uses_var(ctx, results[d], vars[k]);
        if (!used)
            return rlxc_refuse(e, "index_map does not use '%s', an index of %s values",
                               vars[k]->var.name, rlxc_expr_text(e, buffer->shape[k]));
    }
    const rlxc_attr *pad = rlxc_arg(e, "pad_value");
    if (!rlxc_prove_eq(ctx, before, after, NULL) && (!pad || pad->kind == RLXC_ATTR_NONE))
        return rlxc_refuse(e, "the new layout has %s elements, '%s' has %s: it needs a pad_value",
                           rlxc_expr_text(e, after), buffer->name, rlxc_expr_text(e, before));
    return true;
}

bool rlxc_apply_transform_layout(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    const rlxc_expr *map = rlxc_arg(e, "index_map")->expr, *shape[MAX_AXES];
    const rlxc_buffer *buffer;
    rlxc_node_list blocks = {0};
    if (!block || !rlxc_arg_buffer(e, "buffer", block, false, &buffer))
        return false;
    uint32_t n = inputs_of(map), n_out = map->call.n - 1 - n;
    if (!rlxc_is_temp(e, buffer))
        return rlxc_refuse(e,
                           "'%s' is a parameter: its layout is the caller's; use cache_read or "
                           "cache_write first",
                           buffer->name);
    if (n != buffer->ndim || n > MAX_AXES || n_out > MAX_AXES || n_out == 0)
        return rlxc_refuse(e, "index_map takes %u indices and gives %u; '%s' has %u", n, n_out,
                           buffer->name, buffer->ndim);
    rlxc_blocks_in(e, e->root->kids.items.items[0], true, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_accesses_in all = {0};
        rlxc_block_accesses(e, blocks.items.items[i], &all);
        for (uint32_t k = 0; k < all.items.count; k++)
            if (all.items.items[k].buffer == buffer && !all.items.items[k].indices)
                return rlxc_refuse(e, "block '%s' does not use '%s' element by element",
                                   rlxc_block_of(blocks.items.items[i]), buffer->name);
    }
    if (!new_shape(e, buffer, map, shape))
        return false;
    layout l = {e, map};
    rlxc_buffer *to = rlxc_buffer_new(e->ctx, buffer->name, buffer->dtype, shape, n_out);
    to->scope = buffer->scope;
    rlxc_drop_temp(e, buffer);
    rlxc_add_temp(e, to);
    const rlxc_redirection r = {e->ctx, buffer, to, map_indices, &l, false};
    for (uint32_t i = 0; i < blocks.items.count; i++)
        rlxc_redirect_block(e, blocks.items.items[i], &r);
    return true;
}

/* --- pad_einsum ------------------------------------------------------------------------------- */

typedef struct padding {
    rlxc_engine *e;
    rlxc_node *block;
    const rlxc_expr *extents[MAX_AXES], *padded[MAX_AXES];
    rlxc_node *scope;
} padding;

static uint32_t axis_of(const rlxc_node *block, const rlxc_expr *index)
{
    for (uint32_t k = 0; k < block->block->n_axes; k++)
        if (block->block->axes[k].var == index)
            return k;
    return UINT32_MAX;
}

static bool grows(const padding *p, const rlxc_expr *const *indices, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t axis = axis_of(p->block, indices[k]);
        if (axis != UINT32_MAX && p->padded[axis] != p->extents[axis])
            return true;
    }
    return false;
}

/* True for a product of loads and numbers, which is zero if a load is zero. */
static bool is_product(padding *p, const rlxc_expr *x, uint32_t *loads, uint32_t axis)
{
    rlxc_engine *e = p->e;
    if (x->kind == RLXC_EXPR_MUL)
        return is_product(p, x->bin.a, loads, axis) && is_product(p, x->bin.b, loads, axis);
    if (x->kind == RLXC_EXPR_CAST)
        return is_product(p, x->bin.a, loads, axis);
    if (x->kind != RLXC_EXPR_LOAD)
        return false;
    bool uses = false;
    for (uint32_t k = 0; k < x->load.n; k++) {
        if (axis_of(p->block, x->load.indices[k]) == UINT32_MAX)
            return rlxc_refuse(e, "block '%s' reads '%s' at %s, which is not one of its axes",
                               rlxc_block_of(p->block), x->load.buffer->name,
                               rlxc_expr_text(e, x->load.indices[k]));
        uses = uses || axis_of(p->block, x->load.indices[k]) == axis;
    }
    ++*loads;
    return uses || axis == UINT32_MAX ||
           rlxc_refuse(e,
                       "'%s' is not indexed by reduction axis '%s': it may hold infinities, which "
                       "give NaN when multiplied by 0",
                       x->load.buffer->name, p->block->block->axes[axis].var->var.name);
}

/* A block of loops over a new buffer of |shape|: |to| at its axes = |value|. */
static rlxc_node *new_copy(padding *p, const rlxc_buffer *to, const rlxc_expr *const *shape,
                           const rlxc_expr *const *vars, const rlxc_expr *value, const char *name)
{
    rlxc_context *ctx = p->e->ctx;
    rlxc_axis *axes = rlxc_try_alloc(ctx, (size_t)to->ndim + 1, sizeof *axes);
    if (!axes)
        return NULL;
    for (uint32_t k = 0; k < to->ndim; k++)
        axes[k] = (rlxc_axis){RLXC_AXIS_SPATIAL, vars[k], rlxc_i64(ctx, 0), shape[k]};
    const rlxc_block block = {
        .name = rlxc_block_name(p->e, name), .axes = axes, .n_axes = to->ndim};
    rlxc_node *node =
        rlxc_new_block(p->e, &block, vars, NULL, rlxc_stmt_store(ctx, to, vars, to->ndim, value));
    rlxc_domain all = {0};
    return rlxc_nest_over(p->e, node, &all, true, p->e->root);
}

/* A padded replacement of |buffer|, which the block accesses at |indices|: filled before the block,
 * with zeros around the elements, or (|out|) copied back after it. */
static bool stand_in(padding *p, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                     bool out)
{
    rlxc_context *ctx = p->e->ctx;
    const rlxc_expr *shape[MAX_AXES], *inner[MAX_AXES], *vars[MAX_AXES], *inside = NULL;
    for (uint32_t k = 0; k < buffer->ndim; k++) {
        uint32_t axis = axis_of(p->block, indices[k]);
        shape[k] = p->padded[axis];
        inner[k] = p->extents[axis];
        vars[k] = rlxc_var(ctx, rlxc_internf(ctx, "v%u", k), RLX_I64);
        if (shape[k] != inner[k])
            inside = rlxc_both(p->e, inside, rlxc_binary(ctx, RLXC_EXPR_LT, vars[k], inner[k]));
    }
    const char *name = rlxc_internf(ctx, "%s_pad", buffer->name);
    rlxc_buffer *temp = rlxc_new_temp(p->e, buffer, name, "global", shape);
    const rlxc_buffer *from = out ? temp : buffer, *to = out ? buffer : temp;
    const rlxc_expr *value = rlxc_load(ctx, from, vars, buffer->ndim);
    if (!out && inside) {
        const rlxc_expr *zero = rlxc_dtype_is_float(buffer->dtype)
                                    ? rlxc_float(ctx, buffer->dtype, 0)
                                    : rlxc_int(ctx, buffer->dtype, 0);
        const rlxc_expr *args[3] = {inside, value, zero};
        value = rlxc_call(ctx, buffer->dtype, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
    }
    rlxc_node *nest = new_copy(p, to, out ? inner : shape, vars, value, name);
    if (!nest)
        return false;
    rlxc_redirect(p->e, p->block, buffer, temp);
    rlxc_insert(p->e, p->scope, rlxc_position_in(p->scope, p->block) + out, nest);
    return true;
}

static bool read_padding(padding *p)
{
    rlxc_engine *e = p->e;
    const rlxc_attr *list = rlxc_arg(e, "padding");
    const rlxc_block *b = p->block->block;
    if (list->list.count != b->n_axes || b->n_axes > MAX_AXES)
        return rlxc_refuse(e, "block '%s' has %u axes, padding has %u", rlxc_block_of(p->block),
                           b->n_axes, list->list.count);
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const rlxc_expr *by;
        int64_t multiple;
        if (!rlxc_value_of(e, &list->list.items[k], &by))
            return false;
        if (!rlxc_is_int(by, &multiple) || multiple < 1)
            return rlxc_refuse(e, "padding %s of axis '%s' is not positive", rlxc_expr_text(e, by),
                               b->axes[k].var->var.name);
        if (!rlxc_is_const(b->axes[k].min, 0) || p->block->values[k]->kind != RLXC_EXPR_VAR)
            return rlxc_refuse(e, "axis '%s' of block '%s' is not a loop from 0",
                               b->axes[k].var->var.name, rlxc_block_of(p->block));
        p->extents[k] = rlxc_simple(e, rlxc_cast(e->ctx, RLX_I64, b->axes[k].extent));
        const rlxc_expr *up = rlxc_add(e->ctx, p->extents[k], rlxc_i64(e->ctx, multiple - 1));
        p->padded[k] =
            rlxc_simple(e, rlxc_mul(e->ctx, rlxc_binary(e->ctx, RLXC_EXPR_FLOORDIV, up, by), by));
        if (rlxc_prove_eq(e->ctx, p->padded[k], p->extents[k], NULL))
            p->padded[k] = p->extents[k];
    }
    return true;
}

/* Checks that the block's loops are exactly its axes. */
static bool grow_loops(padding *p)
{
    rlxc_node_list loops = {0};
    rlxc_engine *e = p->e;
    rlxc_loops_around(e, p->block, &loops);
    for (uint32_t i = 0; i < loops.items.count; i++)
        if (rlxc_n_children(loops.items.items[i]) != 1)
            return rlxc_refuse(e, "loop %s holds more than block '%s'",
                               rlxc_loop_name(e, loops.items.items[i]), rlxc_block_of(p->block));
    rlxc_axis *axes =
        rlxc_copy(e->ctx, p->block->block->axes, p->block->block->n_axes * sizeof *axes);
    for (uint32_t k = 0; k < p->block->block->n_axes; k++) {
        axes[k].extent = rlxc_cast(e->ctx, axes[k].var->dtype, p->padded[k]);
        for (uint32_t i = 0; i < loops.items.count; i++)
            if (loops.items.items[i]->var == p->block->values[k])
                loops.items.items[i]->extent =
                    rlxc_cast(e->ctx, loops.items.items[i]->var->dtype, p->padded[k]);
    }
    p->block->block->axes = axes;
    return true;
}

bool rlxc_apply_pad_einsum(rlxc_engine *e)
{
    padding p = {.e = e, .block = rlxc_arg_block(e, "block")};
    const rlxc_stmt *store = p.block ? rlxc_only_store(p.block) : NULL;
    if (!p.block)
        return false;
    const rlxc_expr *x = store ? store->store.value : NULL;
    bool sums = x && x->kind == RLXC_EXPR_ADD && x->bin.a->kind == RLXC_EXPR_LOAD &&
                x->bin.a->load.buffer == store->store.buffer && p.block->block->init;
    if (!sums || p.block->predicate || store->store.n > MAX_AXES)
        return rlxc_refuse(e, "block '%s' is not a sum of products", rlxc_block_of(p.block));
    if (!read_padding(&p))
        return false;
    uint32_t loads = 0;
    if (!is_product(&p, x->bin.b, &loads, UINT32_MAX))
        return rlxc_failed(e->ctx)
                   ? false
                   : rlxc_refuse(e, "block '%s' adds %s, which is not a product",
                                 rlxc_block_of(p.block), rlxc_expr_text(e, x->bin.b));
    for (uint32_t k = 0; k < p.block->block->n_axes; k++)
        if (p.block->block->axes[k].kind == RLXC_AXIS_REDUCE && p.padded[k] != p.extents[k] &&
            !is_product(&p, x->bin.b, &loads, k))
            return false;
    for (uint32_t k = 0; k < store->store.n; k++)
        if (axis_of(p.block, store->store.indices[k]) == UINT32_MAX)
            return rlxc_refuse(e, "block '%s' writes at %s, which is not one of its axes",
                               rlxc_block_of(p.block), rlxc_expr_text(e, store->store.indices[k]));
    p.scope = rlxc_scope_of(p.block);
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, p.block, &all);
    if (!grow_loops(&p))
        return false;
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_access *a = &all.items.items[i];
        bool known = a->buffer == store->store.buffer && !a->writes;
        for (uint32_t k = 0; k < i && !known; k++) {
            const rlxc_access *b = &all.items.items[k];
            known = b->buffer == a->buffer && b->writes == a->writes;
            for (uint32_t d = 0; d < a->n && known; d++)
                if (a->indices[d] != b->indices[d])
                    return rlxc_refuse(e, "block '%s' reads '%s' at several positions",
                                       rlxc_block_of(p.block), a->buffer->name);
        }
        if (!known && grows(&p, a->indices, a->n) &&
            !stand_in(&p, a->buffer, a->indices, a->writes))
            return false;
    }
    return true;
}
