/* Topological order of nodes. The format requires it, but some writers break the rule: converters
 * append nodes that earlier ones use, and ONNX Runtime sorts what it loads.
 *
 * A node depends on the nodes of its graph that make its inputs, or names that graphs inside of it
 * use without defining them. Nodes are visited depth-first in the order of the file, each after the
 * nodes it depends on, so a sorted graph keeps its order. The visit uses an explicit stack, because
 * chains of nodes may be long. */
#include "compiler/onnx/model.h"

#include "compiler/onnx/graph.h"

enum { MAX_SHOWN = 8 }; /* nodes of a cycle */

/* The names that a graph inside a node defines; |outer|: its enclosing inner graph, if any. */
typedef struct inner_names {
    const struct inner_names *outer;
    rlxc_map names;
} inner_names;

typedef struct order {
    rlxc_ox *im;
    Onnx__NodeProto **nodes;
    size_t n;
    rlxc_map given;          /* inputs and initializers */
    rlxc_map makers;         /* name -> 1 + the place of the first node that makes it */
    RLXC_VEC(uint32_t) uses; /* indices of the nodes that each one depends on */
    uint32_t *first;         /* of a node in |uses|; n + 1 of them */
} order;

static uint64_t key_of(rlxc_ox *im, const char *name)
{
    return rlxc_key(rlxc_intern_cstr(im->ctx, name ? name : ""));
}

static void note(rlxc_ox *im, rlxc_map *names, const char *name)
{
    rlxc_map_set(im->ctx, names, key_of(im, name), names);
}

static void note_given(rlxc_ox *im, rlxc_map *names, const Onnx__GraphProto *g)
{
    for (size_t i = 0; i < g->n_input; i++)
        note(im, names, g->input[i]->name);
    for (size_t i = 0; i < g->n_initializer; i++)
        note(im, names, g->initializer[i]->name);
    for (size_t i = 0; i < g->n_sparse_initializer; i++)
        if (g->sparse_initializer[i]->values)
            note(im, names, g->sparse_initializer[i]->values->name);
}

/* --- what a node depends on ------------------------------------------------------------------- */

static void use(order *o, const inner_names *inside, const char *name)
{
    const uint64_t key = key_of(o->im, name);
    for (; inside; inside = inside->outer)
        if (rlxc_map_get(&inside->names, key))
            return;
    uintptr_t maker = (uintptr_t)rlxc_map_get(&o->makers, key);
    if (maker && !rlxc_map_get(&o->given, key))
        RLXC_PUSH(o->im->ctx, &o->uses, (uint32_t)(maker - 1));
}

static void use_inputs(order *o, const inner_names *inside, const Onnx__NodeProto *node,
                       uint32_t depth)
{
    for (size_t k = 0; k < node->n_input; k++)
        use(o, inside, node->input[k]);
    for (size_t k = 0; k < node->n_attribute && depth < RLXC_OX_MAX_DEPTH; k++) {
        const Onnx__GraphProto *g = node->attribute[k]->g;
        if (!g || rlxc_out_of_memory(o->im->ctx))
            continue;
        inner_names inner = {.outer = inside};
        note_given(o->im, &inner.names, g);
        for (size_t i = 0; i < g->n_node; i++)
            for (size_t r = 0; r < g->node[i]->n_output; r++)
                note(o->im, &inner.names, g->node[i]->output[r]);
        for (size_t i = 0; i < g->n_node; i++)
            use_inputs(o, &inner, g->node[i], depth + 1);
        for (size_t i = 0; i < g->n_output; i++)
            use(o, &inner, g->output[i]->name);
    }
}

/* False: memory is out. */
static bool note_uses(order *o)
{
    rlxc_ox *im = o->im;
    o->first = rlxc_try_alloc(im->ctx, o->n + 1, sizeof *o->first);
    if (!o->first)
        return false;
    for (size_t i = 0; i < o->n; i++)
        for (size_t k = 0; k < o->nodes[i]->n_output; k++) {
            const char *name = o->nodes[i]->output[k];
            const uint64_t key = key_of(im, name);
            if (name && *name && !rlxc_map_get(&o->makers, key))
                rlxc_map_set(im->ctx, &o->makers, key, (void *)(uintptr_t)(i + 1));
        }
    for (size_t i = 0; i < o->n; i++) {
        o->first[i] = o->uses.count;
        use_inputs(o, NULL, o->nodes[i], 0);
    }
    o->first[o->n] = o->uses.count;
    return !rlxc_out_of_memory(im->ctx);
}

static bool is_sorted(const order *o)
{
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++)
            if (o->uses.items[k] >= i)
                return false;
    return true;
}

/* --- the visit -------------------------------------------------------------------------------- */

static const char *label(rlxc_ox *im, const Onnx__NodeProto *node)
{
    const char *op = node->op_type ? node->op_type : "";
    if (node->name && *node->name)
        return rlxc_internf(im->ctx, "'%.100s' (%.60s)", node->name, op);
    return rlxc_internf(im->ctx, "the node without name (%.60s) of '%.100s'", op,
                        node->n_output && node->output[0] ? node->output[0] : "");
}

/* |path|: nodes that each use a result of the next one, and the last one of the first. */
static void report_cycle(const order *o, const uint32_t *path, size_t n)
{
    rlxc_ox *im = o->im;
    const Onnx__NodeProto *first = o->nodes[path[0]];
    rlxc_text text = {.ctx = im->ctx};
    rlxc_text_printf(&text, "nodes form a cycle: %s", label(im, first));
    for (size_t i = 1; i < n && i < MAX_SHOWN; i++)
        rlxc_text_printf(&text, " uses a result of %s, which", label(im, o->nodes[path[i]]));
    if (n > MAX_SHOWN)
        rlxc_text_printf(&text, ", by way of %zu more,", n - MAX_SHOWN);
    if (n > 1)
        rlxc_text_printf(&text, " uses a result of %s", label(im, first));
    else
        rlxc_text_puts(&text, " uses its own result");
    if (text.data)
        rlxc_error(im->ctx, rlxc_ox_range_of(im, first), "%.*s", (int)text.length, text.data);
}

typedef enum state { NEW = 0, OPEN, DONE } state;

/* Visits |root| and its dependencies; appends finished nodes to |sorted|. False: a cycle. */
static bool visit(const order *o, uint32_t root, unsigned char *states, uint32_t *path,
                  uint32_t *next, Onnx__NodeProto **sorted, size_t *n_sorted)
{
    size_t depth = 0;
    path[depth++] = root;
    next[root] = o->first[root];
    states[root] = OPEN;
    while (depth > 0) {
        const uint32_t at = path[depth - 1];
        if (next[at] == o->first[at + 1]) {
            states[at] = DONE;
            sorted[(*n_sorted)++] = o->nodes[at];
            depth--;
            continue;
        }
        const uint32_t used = o->uses.items[next[at]++];
        if (states[used] == NEW) {
            states[used] = OPEN;
            next[used] = o->first[used];
            path[depth++] = used;
        } else if (states[used] == OPEN) {
            size_t begin = 0;
            while (path[begin] != used)
                begin++;
            report_cycle(o, path + begin, depth - begin);
            return false;
        }
    }
    return true;
}

static bool sort(const order *o)
{
    rlxc_context *ctx = o->im->ctx;
    Onnx__NodeProto **sorted = rlxc_try_alloc(ctx, o->n, sizeof *sorted);
    unsigned char *states = rlxc_try_alloc(ctx, o->n, 1); /* all NEW */
    uint32_t *path = rlxc_try_alloc(ctx, o->n, sizeof *path);
    uint32_t *next = rlxc_try_alloc(ctx, o->n, sizeof *next);
    size_t n_sorted = 0;
    if (!sorted || !states || !path || !next)
        return false;
    for (uint32_t i = 0; i < o->n; i++)
        if (states[i] == NEW && !visit(o, i, states, path, next, sorted, &n_sorted))
            return false;
    for (size_t i = 0; i < o->n; i++)
        o->nodes[i] = sorted[i];
    return true;
}

static bool order_nodes(rlxc_ox *im, Onnx__NodeProto **nodes, size_t n, const Onnx__GraphProto *g,
                        uint32_t depth)
{
    bool ok = true;
    for (size_t i = 0; i < n && depth < RLXC_OX_MAX_DEPTH; i++)
        for (size_t k = 0; k < nodes[i]->n_attribute; k++) {
            const Onnx__GraphProto *inner = nodes[i]->attribute[k]->g;
            if (inner && !order_nodes(im, inner->node, inner->n_node, inner, depth + 1))
                ok = false;
        }
    order o = {.im = im, .nodes = nodes, .n = n};
    if (g)
        note_given(im, &o.given, g);
    if (n >= UINT32_MAX) {
        rlxc_error(im->ctx, (rlxc_range){im->file, 1, 1, 1, 2}, "a graph has too many nodes");
        return false;
    }
    if (!note_uses(&o))
        return false;
    return (is_sorted(&o) || sort(&o)) && ok;
}

bool rlxc_ox_order(rlxc_ox *im)
{
    const Onnx__GraphProto *g = im->model->graph;
    bool ok = order_nodes(im, g->node, g->n_node, g, 0);
    for (size_t i = 0; i < im->model->n_functions; i++) {
        Onnx__FunctionProto *f = im->model->functions[i];
        ok = order_nodes(im, f->node, f->n_node, NULL, 0) && ok;
    }
    return ok;
}
