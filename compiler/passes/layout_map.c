/* Twins: values in another order of their dimensions (layout_map.h). */
#include "compiler/passes/layout_map.h"

#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/ir/lifted.h"

const rlxc_layout_entry *rlxc_layout_map_find(const rlxc_layout_map *twins, rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&twins->of, rlxc_key(a.var)) : NULL;
}

const rlxc_sinfo *rlxc_movable(const rlxc_builder *b, rlxc_atom a, uint32_t rank)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, a);
    bool known = s && s->kind == RLXC_SINFO_TENSOR && s->dims && s->ndim > 0;
    return known && (rank == 0 || (uint32_t)s->ndim == rank) ? s : NULL;
}

static void remember(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_rvar *value,
                     rlxc_rvar *var, uint32_t n, const int64_t *order, bool found)
{
    rlxc_layout_entry twin = {.var = var, .n = n, .found = found};
    memcpy(twin.order, order, n * sizeof *order);
    rlxc_map_set(b->ctx, &twins->of, rlxc_key(value), rlxc_copy(b->ctx, &twin, sizeof twin));
    twins->moved = twins->moved || !found;
}

void rlxc_layout_map_note(rlxc_layout_map *twins, rlxc_builder *b, const rlxc_rvar *value,
                          rlxc_rvar *var, uint32_t n, const int64_t *order)
{
    remember(twins, b, value, var, n, order, true);
}

/* A constant with its dimensions in another order; leading dimensions of one are added to have
 * |rank|. */
static rlxc_atom laid_out(rlxc_context *ctx, const rlxc_constant *c, uint32_t rank,
                          const int64_t *order)
{
    int64_t from[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < rank; i++)
        from[i] = i < rank - c->ndim ? 1 : c->shape[i - (rank - c->ndim)];
    char *data = rlxc_try_alloc_unset(ctx, c->nbytes + 1, 1);
    if (!data)
        return (rlxc_atom){0};
    rlxc_copy_permuted(c, rank, from, order, data);
    const rlxc_constant *same = rank == c->ndim ? c : rlxc_constant_reshaped(ctx, c, rank, from);
    return rlxc_atom_constant(rlxc_constant_permuted(ctx, same, order, data));
}

rlxc_atom rlxc_permuted(rlxc_builder *b, rlxc_atom x, uint32_t rank, const int64_t *order)
{
    if (x.kind == RLXC_ATOM_CONSTANT)
        return laid_out(b->ctx, x.constant, rank, order);
    const rlxc_sinfo *s = rlxc_movable(b, x, rank);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t last = 0;
    bool same = true, sorted = true; /* equal up to dimensions of one: the elements are in the right
                                      * order already */
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = s->dims[order[i]];
        same = same && order[i] == (int64_t)i;
        if (rlxc_is_const(dims[i], 1))
            continue;
        sorted = sorted && order[i] >= last;
        last = order[i];
    }
    if (same)
        return x;
    if (sorted) {
        rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, rank)};
        return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
    }
    rlxc_attrs axes = rlxc_attrs_with(b->ctx, (rlxc_attrs){0}, rlxc_intern_cstr(b->ctx, "axes"),
                                      rlxc_attr_ints(b->ctx, order, rank));
    return rlxc_emit_op(b, "permute_dims", &x, 1, axes, "lv");
}

rlxc_atom rlxc_layout_map_in(rlxc_layout_map *twins, rlxc_builder *b, rlxc_atom x, uint32_t rank,
                             const int64_t *order)
{
    const rlxc_layout_entry *twin = rlxc_layout_map_find(twins, x);
    int64_t from_twin[RLXC_MAX_NDIM];
    if (twin) {
        for (uint32_t i = 0; i < rank; i++)
            for (uint32_t k = 0; k < rank; k++)
                if (twin->order[k] == order[i])
                    from_twin[i] = k;
        return rlxc_permuted(b, rlxc_atom_var(twin->var), rank, from_twin);
    }
    rlxc_atom moved = rlxc_permuted(b, x, rank, order);
    if (x.kind == RLXC_ATOM_VAR && moved.kind == RLXC_ATOM_VAR && moved.var != x.var)
        remember(twins, b, x.var, moved.var, rank, order, false);
    return moved;
}

rlxc_rewrite_action rlxc_layout_map_replace(rlxc_layout_map *twins, rlxc_builder *b,
                                            const rlxc_binding *old, rlxc_atom twin,
                                            const int64_t *order, rlxc_atom *replacement)
{
    if (twin.kind != RLXC_ATOM_VAR || rlxc_failed(b->ctx))
        return RLXC_REWRITE_KEEP;
    const uint32_t rank = (uint32_t)twin.var->sinfo->ndim;
    int64_t back[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < rank; i++)
        back[order[i]] = i;
    *replacement = rlxc_permuted(b, twin, rank, back);
    if (replacement->kind != RLXC_ATOM_VAR)
        return RLXC_REWRITE_KEEP;
    if (replacement->var != twin.var) {
        replacement->var->name = old->var->name;
        remember(twins, b, replacement->var, twin.var, rank, order, false);
    }
    return RLXC_REWRITE_REPLACE;
}
