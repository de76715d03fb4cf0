/* If. The nodes after one whose results differ in rank are imported in each branch (rank_cases.c).
 */
#include "compiler/onnx/loop.h"

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/object.h"

/* A value like |v| whose parts are taken from |atom|. */
static rlxc_ox_value *unpacked(rlxc_ox *im, const rlxc_ox_value *v, rlxc_atom atom)
{
    if (v->kind == RLXC_OX_TENSOR)
        return rlxc_ox_tensor(im, rlxc_ox_shaped(im, atom));
    rlxc_ox_value *out = rlxc_copy(im->ctx, v, sizeof *v);
    if (v->kind == RLXC_OX_OBJECT)
        out->atom = atom;
    if (v->kind != RLXC_OX_SEQUENCE)
        return out;
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (v->n_items + 1) * sizeof *items);
    for (uint32_t i = 0; i < v->n_items; i++)
        items[i] = unpacked(im, v->items[i], rlxc_ox_field(im, atom, i));
    out->items = items;
    return out;
}

bool rlxc_ox_same_kind(const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    if (a->kind != b->kind || a->kind == RLXC_OX_OBJECT ||
        (a->kind == RLXC_OX_SEQUENCE && a->n_items != b->n_items))
        return false;
    for (uint32_t i = 0; a->kind == RLXC_OX_SEQUENCE && i < a->n_items; i++)
        if (!rlxc_ox_same_kind(a->items[i], b->items[i]))
            return false;
    return true;
}

/* Whether both are tensors, of known but different ranks. */
static bool ranks_differ(rlxc_ox *im, rlxc_ox_value *const *a, rlxc_ox_value *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n && !im->failed; i++) {
        const rlxc_ox_value *both[2] = {a[i], b[i]};
        int32_t ndim[2];
        for (uint32_t k = 0; k < 2; k++) {
            const rlxc_sinfo *s = rlxc_ox_info(im, both[k]->atom);
            ndim[k] = both[k]->kind != RLXC_OX_TENSOR ? RLXC_UNKNOWN_NDIM
                      : s                             ? s->ndim
                                                      : both[k]->is_vector;
        }
        if (ndim[0] != ndim[1] && ndim[0] != RLXC_UNKNOWN_NDIM && ndim[1] != RLXC_UNKNOWN_NDIM)
            return true;
    }
    return false;
}

/* Imports the branch |g| of the current node unconditionally; its results are the node's. */
static void take_branch(rlxc_ox *im, const Onnx__GraphProto *g)
{
    uint32_t n = rlxc_ox_n_outputs(im);
    rlxc_ox_value **outputs = rlxc_alloc(im->ctx, (n + 1) * sizeof *outputs);
    rlxc_ox_scope scope = {.outer = im->scope, .frame = im->frame};
    im->scope = &scope;
    bool ok = rlxc_ox_run_graph(im, g, NULL, 0, outputs);
    im->scope = scope.outer;
    for (uint32_t i = 0; ok && i < n; i++)
        rlxc_ox_set_value(im, i, outputs[i]);
}

/* The join of tensors |a| and |b|: the type of an If has no dimensions at all if one differs. */
static rlxc_atom with_common_dims(rlxc_ox *im, rlxc_atom atom, const rlxc_ox_value *a,
                                  const rlxc_ox_value *b)
{
    const rlxc_sinfo *both = rlxc_ox_info(im, atom);
    if (!both || both->dims || both->ndim == RLXC_UNKNOWN_NDIM || a->atom.kind == RLXC_ATOM_NONE ||
        b->atom.kind == RLXC_ATOM_NONE)
        return atom;
    const rlxc_sinfo *s = rlxc_ox_info(im, a->atom), *t = rlxc_ox_info(im, b->atom);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < both->ndim; i++)
        dims[i] = s && t && s->dims && t->dims && s->dims[i] == t->dims[i]
                      ? s->dims[i]
                      : rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%d", i));
    return rlxc_ox_match(im, atom, rlxc_sinfo_tensor(im->ctx, both->dtype, both->ndim, dims, NULL));
}

void rlxc_ox_choose(rlxc_ox *im, rlxc_atom cond, rlxc_body *const bodies[2],
                    rlxc_ox_value *const *first, rlxc_ox_value *const *second, uint32_t n,
                    rlxc_ox_value **out)
{
    const rlxc_ox_value **like = rlxc_alloc(im->ctx, (n + 1) * sizeof *like);
    for (uint32_t i = 0; i < n && !im->failed; i++) {
        const rlxc_ox_value *a = first[i], *b = second[i];
        like[i] = rlxc_ox_same_kind(a, b)
                      ? a
                      : rlxc_ox_joined(im, rlxc_ox_described(im, a), rlxc_ox_described(im, b));
    }
    rlxc_atom all = rlxc_ox_emit_if(im, cond, bodies[0], bodies[1]);
    for (uint32_t i = 0; i < n && !im->failed; i++) {
        rlxc_atom one = n == 1 ? all : rlxc_ox_field(im, all, i);
        if (like[i]->kind == RLXC_OX_TENSOR)
            one = with_common_dims(im, one, first[i], second[i]);
        out[i] = unpacked(im, like[i], one);
    }
}

static void take_graph(rlxc_ox *im, void *user, uint32_t k)
{
    const Onnx__GraphProto *const *graphs = user;
    take_branch(im, graphs[k]);
}

void rlxc_ox_import_if(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    double known[1];
    uint32_t one, n = rlxc_ox_n_outputs(im);
    const Onnx__GraphProto *graphs[2] = {rlxc_ox_graph_attr(im, "then_branch"),
                                         rlxc_ox_graph_attr(im, "else_branch")};
    if (!graphs[0] || !graphs[1])
        return;
    if (graphs[0]->n_output != n || graphs[1]->n_output != n || n == 0) {
        rlxc_ox_fail(im, "branches and node differ in their number of outputs");
        return;
    }
    if (rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 0), known, 1, &one) && one == 1) {
        take_branch(im, graphs[known[0] != 0 ? 0 : 1]);
        return;
    }
    rlxc_atom cond = rlxc_ox_reshape(im, rlxc_ox_in(im, 0), NULL, 0);
    rlxc_ox_value **outputs[3];
    rlxc_body *bodies[2] = {NULL, NULL};
    for (uint32_t k = 0; k < 3; k++)
        outputs[k] = rlxc_alloc(im->ctx, n * sizeof **outputs);
    for (uint32_t k = 0; k < 2 && !im->failed; k++) {
        rlxc_ox_branch b;
        rlxc_atom *items = rlxc_alloc(im->ctx, n * sizeof *items);
        rlxc_ox_begin_branch(im, &b);
        bool ok = rlxc_ox_run_graph(im, graphs[k], NULL, 0, outputs[k]);
        for (uint32_t i = 0; ok && i < n; i++)
            items[i] = rlxc_ox_result(im, outputs[k][i]);
        bodies[k] = rlxc_ox_end_branch(im, &b, items, n);
    }
    /* Not from the end of the graph: its outputs may differ in rank. */
    if (im->rest->next < im->rest->graph->n_node && ranks_differ(im, outputs[0], outputs[1], n)) {
        const rlxc_ox_cases cases = {take_graph, graphs};
        rlxc_ox_split(im, cond, &cases);
        return;
    }
    rlxc_ox_choose(im, cond, bodies, outputs[0], outputs[1], n, outputs[2]);
    for (uint32_t i = 0; i < n && !im->failed; i++)
        rlxc_ox_set_value(im, i, outputs[2][i]);
}
