/* Facts about dimensions beyond their expressions: that they are not negative, and symbols for long
 * ones.
 *
 * The length after a convolution is n // 5 - 1, which no rule proves to be non-negative; reshapes
 * to it would have to test for the -1 that means "the rest". And sizes computed from sizes grow
 * layer after layer if paddings or parts are known only at run time. A symbol bound to the
 * dimension costs no copy, but splits the memory plan, so it is used only for sizes that depend on
 * data anyway, for broadcasts of unrelated dimensions, and for very long expressions. */
#include "compiler/onnx/sizes.h"

enum { MAX_DATA_DIM = 16 }; /* nodes of a dimension that depends on the elements of a tensor */

void rlxc_ox_note_sizes(rlxc_ox *im, rlxc_atom a)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    for (int32_t i = 0; s && s->dims && i < s->ndim; i++)
        if (s->dims[i]->kind != RLXC_EXPR_INT && s->dims[i]->kind != RLXC_EXPR_VAR)
            rlxc_map_set(im->ctx, &im->scope->sizes, rlxc_key(s->dims[i]), im->scope);
}

bool rlxc_ox_is_size(rlxc_ox *im, const rlxc_expr *e)
{
    if (rlxc_prove_le(im->ctx, rlxc_ox_i(im, 0), e, NULL))
        return true;
    for (const rlxc_ox_scope *s = im->scope; s; s = s->outer)
        if (rlxc_map_get(&s->sizes, rlxc_key(e)))
            return true;
    return false;
}

typedef struct weight {
    uint32_t nodes, most;
    bool of_data; /* uses a number read from a tensor, which may be negative */
} weight;

static bool weigh(void *user, const rlxc_expr *e)
{
    weight *w = user;
    w->nodes++;
    w->of_data |= e->kind == RLXC_EXPR_VAR && !e->var.nonneg;
    return w->nodes <= w->most;
}

static bool is_long(rlxc_ox *im, const rlxc_expr *e, uint32_t most)
{
    weight w = {.most = most};
    if (e->depth < 3)
        return false;
    rlxc_expr_visit(im->ctx, e, weigh, &w);
    const bool choice = e->kind == RLXC_EXPR_SELECT; /* of the dimensions of two operands */
    return w.nodes > most || ((w.of_data || choice) && w.nodes > MAX_DATA_DIM);
}

static const rlxc_expr *name_of(rlxc_ox *im, const rlxc_expr *e, int32_t axis)
{
    uint64_t key = rlxc_key(e);
    const rlxc_expr *name = NULL;
    for (const rlxc_ox_scope *s = im->scope; s && !name; s = s->outer)
        name = rlxc_map_get(&s->names, key);
    if (!name) {
        name = rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%d", axis));
        rlxc_map_set(im->ctx, &im->scope->names, key, (void *)(uintptr_t)name);
    }
    return name;
}

rlxc_atom rlxc_ox_named_dims(rlxc_ox *im, rlxc_atom a, uint32_t most)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    bool changed = false;
    for (int32_t i = 0; s && s->dims && i < s->ndim; i++) {
        bool named = is_long(im, s->dims[i], most);
        dims[i] = named ? name_of(im, s->dims[i], i) : s->dims[i];
        changed |= named;
    }
    return changed ? rlxc_ox_match(im, a, rlxc_sinfo_tensor(im->ctx, s->dtype, s->ndim, dims, NULL))
                   : a;
}
