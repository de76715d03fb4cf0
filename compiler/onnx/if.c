/* If. One whose results differ in rank goes on to the end of its graph in each branch
 * (rlxc_ox_split).
 */
#include "compiler/onnx/loop.h"

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/object.h"

enum { MAX_SPLITS = 3 }; /* nested: the rest of a graph is imported up to 2^3 times */

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

static bool same_kind(const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    if (a->kind != b->kind || a->kind == RLXC_OX_OBJECT ||
        (a->kind == RLXC_OX_SEQUENCE && a->n_items != b->n_items))
        return false;
    for (uint32_t i = 0; a->kind == RLXC_OX_SEQUENCE && i < a->n_items; i++)
        if (!same_kind(a->items[i], b->items[i]))
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

/* The branch |g| of the node at hand without asking; its results are the node's. */
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

/* Checks at run time that |cond|, a bool scalar, is |wanted|. */
static void demand(rlxc_ox *im, rlxc_atom cond, bool wanted)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1), *value = rlxc_ox_i(im, wanted);
    rlxc_atom vector = rlxc_ox_reshape(im, rlxc_ox_cast(im, cond, RLX_I64), &one, 1);
    rlxc_ox_match(im, rlxc_ox_op1(im, "tensor_to_shape", vector),
                  rlxc_sinfo_shape(im->ctx, 1, &value));
}

/* The node at hand as |c| takes it in case |k|, and the rest of its graph, whose outputs are
 * |outputs|. */
static bool rest_in_branch(rlxc_ox *im, const rlxc_ox_cases *c, uint32_t k, rlxc_ox_value **outputs)
{
    rlxc_ox_rest *rest = im->rest;
    uint32_t before = im->n_failed, errors = im->errors;
    c->take(im, c->user, k);
    bool finished = rest->finished; /* by cases inside this one */
    rest->finished = false;
    if (im->failed)
        return false;
    if (!finished)
        rlxc_ox_import_nodes(im, rest->graph, rest->next);
    im->errors = errors;
    im->failed = im->n_failed > before;
    for (size_t i = 0; i < rest->graph->n_output && !im->failed; i++) {
        const char *name = rest->graph->output[i]->name;
        outputs[i] = name ? rlxc_ox_lookup(im, name) : NULL;
        if (!outputs[i] || outputs[i]->kind == RLXC_OX_FAILED)
            rlxc_ox_fail(im, "graph output %zu is made by no node", i);
    }
    return !im->failed;
}

bool rlxc_ox_can_split(const rlxc_ox *im)
{
    return im->n_splits < MAX_SPLITS;
}

void rlxc_ox_split(rlxc_ox *im, rlxc_atom cond, const rlxc_ox_cases *c)
{
    rlxc_ox_rest *rest = im->rest;
    Onnx__ValueInfoProto **const results = rest->graph->output;
    size_t n = rest->graph->n_output;
    rlxc_ox_value **outputs[2];
    rlxc_body *bodies[2] = {NULL, NULL};
    im->n_splits++;
    for (uint32_t k = 0; k < 2; k++) {
        rlxc_ox_branch b;
        rlxc_said said = rlxc_said_so_far(im->ctx);
        uint32_t failed = im->n_failed;
        rlxc_atom *items = rlxc_alloc(im->ctx, (n + 1) * sizeof *items);
        outputs[k] = rlxc_alloc(im->ctx, (n + 1) * sizeof **outputs);
        rlxc_ox_begin_branch(im, &b);
        bool ok = rest_in_branch(im, c, k, outputs[k]);
        for (size_t i = 0; ok && i < n; i++)
            items[i] = rlxc_ox_result(im, outputs[k][i]);
        ok = ok && !im->failed;
        rlxc_body *body = rlxc_ox_end_branch(im, &b, items, (uint32_t)n);
        if (ok) {
            bodies[k] = body;
        } else if (k == 0 || bodies[0]) {
            rlxc_take_back(im->ctx, said);
            im->n_failed = failed;
            im->failed = false;
        }
    }
    im->n_splits--;
    if (im->failed)
        return;
    if (!bodies[0] || !bodies[1]) {
        demand(im, cond, bodies[0] != NULL);
        c->take(im, c->user, bodies[0] ? 0 : 1);
        return;
    }
    for (size_t i = 0; i < n && !im->failed; i++)
        if (!same_kind(outputs[0][i], outputs[1][i]))
            outputs[0][i] = rlxc_ox_joined(im, rlxc_ox_described(im, outputs[0][i]),
                                           rlxc_ox_described(im, outputs[1][i]));
    rlxc_atom all = rlxc_ox_emit_if(im, cond, bodies[0], bodies[1]);
    for (size_t i = 0; i < n && !im->failed; i++)
        rlxc_ox_define(
            im, results[i]->name,
            unpacked(im, outputs[0][i], n == 1 ? all : rlxc_ox_field(im, all, (uint32_t)i)));
    rest->finished = !im->failed;
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
    rlxc_ox_value **outputs[2];
    for (uint32_t k = 0; k < 2; k++)
        outputs[k] = rlxc_alloc(im->ctx, n * sizeof **outputs);
    if (rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 0), known, 1, &one) && one == 1) {
        take_branch(im, graphs[known[0] != 0 ? 0 : 1]);
        return;
    }
    rlxc_atom cond = rlxc_ox_reshape(im, rlxc_ox_in(im, 0), NULL, 0);
    rlxc_body *bodies[2] = {NULL, NULL};
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
    if (rlxc_ox_can_split(im) && im->rest->next < im->rest->graph->n_node &&
        ranks_differ(im, outputs[0], outputs[1], n)) {
        const rlxc_ox_cases cases = {take_graph, graphs};
        rlxc_ox_split(im, cond, &cases);
        return;
    }
    for (uint32_t i = 0; i < n && !im->failed; i++)
        if (!same_kind(outputs[0][i], outputs[1][i]))
            outputs[0][i] = rlxc_ox_joined(im, rlxc_ox_described(im, outputs[0][i]),
                                           rlxc_ox_described(im, outputs[1][i]));
    rlxc_atom all = rlxc_ox_emit_if(im, cond, bodies[0], bodies[1]);
    for (uint32_t i = 0; i < n && !im->failed; i++)
        rlxc_ox_set_value(im, i,
                          unpacked(im, outputs[0][i], n == 1 ? all : rlxc_ox_field(im, all, i)));
}
