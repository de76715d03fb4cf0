/* Loop and Scan, made of the branches and functions of loop.c. Loops with a known, small number of
 * iterations, including those over sequences, are unrolled. */
#include "compiler/onnx/loop.h"

#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/object.h"

const Onnx__GraphProto *rlxc_ox_graph_attr(rlxc_ox *im, const char *name)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, name);
    if (!a || !a->g)
        rlxc_ox_fail(im, "the graph '%s' is missing", name);
    else if (a->g->n_input > RLXC_OX_MAX_NAMES || a->g->n_output > RLXC_OX_MAX_NAMES)
        rlxc_ox_fail(im, "the graph '%s' has %zu inputs and %zu outputs; at most %d are supported",
                     name, a->g->n_input, a->g->n_output, RLXC_OX_MAX_NAMES);
    return im->failed ? NULL : a->g;
}

/* A result of a body with the dimensions that the model states for it, checked at run time. */
static rlxc_ox_value *refined(rlxc_ox *im, rlxc_ox_value *v, const Onnx__ValueInfoProto *info)
{
    const Onnx__TypeProto *type = info->type;
    if (v->kind != RLXC_OX_TENSOR || v->atom.kind != RLXC_ATOM_VAR || !type ||
        type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type ||
        !type->tensor_type->shape)
        return v;
    const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    bool better = false;
    uint32_t ndim = rlxc_ox_ndim(im, v->atom);
    rlxc_ox_dims(im, v->atom, dims);
    if (shape->n_dim != ndim)
        return v;
    for (uint32_t i = 0; i < ndim; i++) {
        int64_t known;
        if (rlxc_is_int(dims[i], &known) ||
            shape->dim[i]->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ||
            shape->dim[i]->dim_value < 0)
            continue;
        dims[i] = rlxc_ox_i(im, shape->dim[i]->dim_value);
        better = true;
    }
    if (!better)
        return v;
    const rlxc_sinfo *s =
        rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, v->atom), (int32_t)ndim, dims, NULL);
    return rlxc_ox_tensor(im, rlxc_ox_match(im, v->atom, s));
}

bool rlxc_ox_run_graph(rlxc_ox *im, const Onnx__GraphProto *g, rlxc_ox_value **inputs,
                       uint32_t n_inputs, rlxc_ox_value **outputs)
{
    uint32_t before = im->n_failed;
    const Onnx__NodeProto *node = im->node;
    uint32_t errors = im->errors;
    bool ok = rlxc_ox_begin_graph(im, g);
    for (uint32_t i = 0; ok && i < n_inputs && i < g->n_input; i++)
        if (g->input[i]->name)
            rlxc_ox_define(im, g->input[i]->name, inputs[i]);
    if (ok)
        rlxc_ox_import_nodes(im, g, 0, g->n_node);
    im->node = node;
    im->errors = errors;
    if (im->n_failed > before || !ok) {
        im->failed = true;
        ok = false;
    }
    for (size_t i = 0; ok && i < g->n_output; i++) {
        rlxc_ox_value *v = g->output[i]->name ? rlxc_ox_lookup(im, g->output[i]->name) : NULL;
        if (!v)
            rlxc_ox_fail(im, "no node produces output '%s' of the body",
                         g->output[i]->name ? g->output[i]->name : "");
        ok = v && v->kind != RLXC_OX_FAILED;
        if (!ok)
            im->failed = true;
        outputs[i] = v && ok ? refined(im, v, g->output[i]) : v;
    }
    rlxc_ox_end_graph(im);
    return ok;
}

static const rlxc_sinfo *type_of(rlxc_ox *im, rlxc_atom a)
{
    return rlxc_atom_sinfo(im->ctx, im->module, a);
}

/* --- Loop and Scan ---------------------------------------------------------------------------- */

typedef struct body {
    const Onnx__GraphProto *graph;
    uint32_t n_states;        /* carried by the model */
    uint32_t n_scanned;       /* inputs that are cut along an axis (Scan) */
    const rlxc_atom *scanned; /* outside */
    rlxc_ox_value *const *scanned_values;
    const int64_t *axes, *directions;
    uint32_t n_outputs; /* collected results */
    const int64_t *out_axes, *out_directions;
    bool is_scan;
    /* The descriptions of states that are sequences or optionals; NULL: a tensor. */
    const rlxc_ox_value *about[RLXC_OX_MAX_STATES];
    bool objects[RLXC_OX_MAX_STATES]; /* those, and the collected results */
    bool again;                       /* a description became less precise */
    /* the trial that determines the collected results */
    bool trial;
    const rlxc_sinfo *collected[RLXC_OX_MAX_STATES];
} body;

/* Element |i| of |x| along |axis|. */
static rlxc_atom item(rlxc_ox *im, rlxc_atom x, rlxc_atom i, int64_t axis, bool backwards)
{
    if (backwards) {
        const rlxc_expr *last =
            rlxc_sub(im->ctx, rlxc_ox_dim(im, x, (uint32_t)axis), rlxc_ox_i(im, 1));
        i = rlxc_ox_op2(im, "subtract", rlxc_ox_scalar(im, last, RLX_I64), i);
    }
    return rlxc_ox_take_inside(im, x, i, axis);
}

/* State |k| after an iteration. */
static rlxc_atom next_state(rlxc_ox *im, body *b, uint32_t k, rlxc_ox_value *v)
{
    if (!b->about[k] && v->kind == RLXC_OX_TENSOR)
        return rlxc_ox_atom(im, v);
    if (!b->about[k]) {
        rlxc_ox_fail(
            im, "state %u of the loop starts as a tensor and becomes a sequence or optional", k);
        return (rlxc_atom){0};
    }
    const rlxc_ox_value *both = rlxc_ox_joined(im, b->about[k], rlxc_ox_described(im, v));
    if (both && !rlxc_ox_same_object(both, b->about[k])) {
        b->about[k] = both;
        b->again = true;
    }
    return rlxc_ox_result(im, v);
}

static void graph_body(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state,
                       rlxc_atom *next, rlxc_atom *go)
{
    body *b = user;
    const Onnx__GraphProto *g = b->graph;
    uint32_t n_in = b->is_scan ? b->n_states + b->n_scanned : b->n_states + 2, at = 0;
    uint32_t n_out = b->n_states + b->n_outputs + (b->is_scan ? 0 : 1);
    if (g->n_input < n_in || g->n_output != n_out) {
        rlxc_ox_fail(im, "the body has %zu inputs and %zu outputs, expected %u and %u", g->n_input,
                     g->n_output, n_in, n_out);
        return;
    }
    rlxc_ox_value **in = rlxc_alloc(im->ctx, (n_in + 1) * sizeof *in);
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (g->n_output + 1) * sizeof *out);
    if (!b->is_scan) {
        in[at++] = rlxc_ox_tensor(im, i);
        in[at++] = rlxc_ox_tensor(im, rlxc_ox_number(im, RLX_B8, 1));
    }
    for (uint32_t k = 0; k < b->n_states; k++) {
        const rlxc_ox_value *a = b->about[k];
        in[at++] = a ? rlxc_ox_object(im, state[k], a->elem, a->is_list, a->maybe)
                     : rlxc_ox_tensor(im, state[k]);
    }
    for (uint32_t k = 0; k < b->n_scanned; k++) {
        rlxc_ox_value *whole = rlxc_ox_capture(im, im->frame, b->scanned_values[k]);
        in[at++] = rlxc_ox_tensor(
            im, item(im, rlxc_ox_atom(im, whole), i, b->axes[k], b->directions[k] != 0));
    }
    if (im->failed || !rlxc_ox_run_graph(im, g, in, n_in, out))
        return;
    at = 0;
    if (!b->is_scan)
        *go = rlxc_ox_reshape(im, rlxc_ox_result(im, out[at++]), NULL, 0);
    for (uint32_t k = 0; k < b->n_states && !im->failed; k++)
        next[k] = next_state(im, b, k, out[at++]);
    for (uint32_t k = 0; k < b->n_outputs && !im->failed; k++) {
        rlxc_atom v = rlxc_ox_result(im, out[at++]);
        if (im->failed)
            return;
        b->collected[k] = type_of(im, v);
        if (!b->trial)
            next[b->n_states + k] = rlxc_ox_collect(im, state[b->n_states + k], v);
    }
}

/* The type of a collected result outside the loop: without dimensions that change per iteration. */
static const rlxc_sinfo *outside(rlxc_ox *im, const rlxc_ox_frame *frame, const rlxc_sinfo *s)
{
    rlxc_var_list used = {0};
    bool known = true;
    rlxc_sinfo_collect_vars(im->ctx, s, &used);
    for (uint32_t i = 0; i < used.vars.count; i++) {
        bool captured = false;
        for (uint32_t k = 0; k < frame->inner_symbols.count; k++)
            captured |= frame->inner_symbols.items[k] == used.vars.items[i];
        known &= captured;
    }
    if (!known)
        return rlxc_sinfo_tensor(im->ctx, s->dtype, s->ndim, NULL, NULL);
    return rlxc_sinfo_substitute(im->ctx, s, frame->inner_symbols.items, frame->outer_symbols.items,
                                 frame->inner_symbols.count);
}

/* The loop with its collected results, each stacked along dimension 0. */
static bool collect(rlxc_ox *im, body *b, rlxc_atom limit, rlxc_atom on, rlxc_atom *init,
                    const rlxc_expr *turns, rlxc_atom *out)
{
    const rlxc_ox_loop l = {
        .body = graph_body, .user = b, .objects = b->objects, .again = &b->again};
    const rlxc_sinfo *types[RLXC_OX_MAX_STATES];
    for (uint32_t k = 0; k < b->n_states; k++)
        b->objects[k] = b->about[k] != NULL;
    if (b->n_outputs > 0) {
        uint64_t open[RLXC_OX_MAX_STATES] = {0};
        rlxc_ox_attempt a = {0};
        if (im->loop_depth >= RLXC_OX_MAX_LOOP_DEPTH) {
            rlxc_ox_fail(im, "loops are nested too deeply");
            return false;
        }
        b->trial = true;
        im->loop_depth++;
        for (uint32_t round = 0; round < RLXC_OX_MAX_ROUNDS && !im->failed; round++) {
            a = (rlxc_ox_attempt){0};
            rlxc_ox_build_loop(im, &l, init, b->n_states, open, &a);
            if (!a.again)
                break;
        }
        im->loop_depth--;
        b->trial = false;
        if (a.function)
            rlxc_module_remove(im->ctx, im->module, a.function->name);
        for (uint32_t k = 0; k < b->n_outputs && !im->failed; k++) {
            if (b->collected[k]->kind != RLXC_SINFO_TENSOR) {
                rlxc_ox_fail(im, "a loop cannot collect sequences or optionals");
                return false;
            }
            types[k] = outside(im, &a.frame, b->collected[k]);
            b->objects[b->n_states + k] = true;
            init[b->n_states + k] = rlxc_ox_nothing_collected(im);
        }
    }
    if (!rlxc_ox_run_loop(im, &l, limit, on, init, b->n_states + b->n_outputs, out))
        return false;
    for (uint32_t k = 0; k < b->n_outputs; k++)
        out[b->n_states + k] = rlxc_ox_collected(im, out[b->n_states + k], types[k], turns,
                                                 b->out_directions && b->out_directions[k] != 0);
    return !im->failed;
}

/* Unrolls a loop of known length; its states may be sequences. */
static void unrolled(rlxc_ox *im, const Onnx__GraphProto *g, int64_t limit)
{
    int64_t turns = limit;
    uint32_t n = rlxc_ox_n_inputs(im) < 2 ? 0 : rlxc_ox_n_inputs(im) - 2;
    uint32_t collected = g->n_output < n + 1 ? 0 : (uint32_t)g->n_output - n - 1;
    rlxc_ox_value **in = rlxc_alloc(im->ctx, (n + 3) * sizeof *in);
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (g->n_output + 1) * sizeof *out);
    rlxc_atom *parts = rlxc_try_alloc(im->ctx, (size_t)turns * collected + 1, sizeof *parts);
    const int64_t zero[1] = {0};
    if (!parts)
        return;
    if (g->n_output < n + 1 || g->n_input < n + 2) {
        rlxc_ox_fail(im, "the body has %zu inputs and %zu outputs", g->n_input, g->n_output);
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        in[k + 2] = rlxc_ox_value_in(im, k + 2);
    int64_t t = 0;
    for (; t < turns && !im->failed; t++) {
        rlxc_ox_scope scope = {.outer = im->scope, .frame = im->frame};
        const rlxc_expr *index = rlxc_ox_i(im, t), *yes = rlxc_ox_i(im, 1);
        rlxc_ox_value *i = rlxc_alloc(im->ctx, sizeof *i), *on = rlxc_alloc(im->ctx, sizeof *on);
        *i = (rlxc_ox_value){.kind = RLXC_OX_TENSOR, .dtype = RLX_I64, .n_elems = 1};
        i->elems = rlxc_copy(im->ctx, (const void *)&index, sizeof index);
        *on = (rlxc_ox_value){.kind = RLXC_OX_TENSOR, .dtype = RLX_B8, .n_elems = 1};
        on->elems = rlxc_copy(im->ctx, (const void *)&yes, sizeof yes);
        in[0] = i;
        in[1] = on;
        im->scope = &scope;
        bool ok = rlxc_ox_run_graph(im, g, in, n + 2, out);
        im->scope = scope.outer;
        if (!ok)
            return;
        for (uint32_t k = 0; k < n; k++)
            in[k + 2] = out[k + 1];
        for (uint32_t k = 0; k < collected; k++)
            parts[(int64_t)k * limit + t] =
                rlxc_ox_expand_dims(im, rlxc_ox_result(im, out[n + 1 + k]), zero, 1);
        double value[1];
        uint32_t one;
        if (rlxc_ox_const_doubles(im, out[0], value, 1, &one) && value[0] == 0)
            turns = t + 1;
    }
    for (uint32_t k = 0; k < n; k++)
        rlxc_ox_set_value(im, k, in[k + 2]);
    for (uint32_t k = 0; k < collected && turns > 0; k++)
        rlxc_ox_set(im, n + k,
                    rlxc_ox_concat(im, parts + (size_t)k * (size_t)limit, (uint32_t)turns, 0));
}

/* True if the body returns the condition it received, or true. */
static bool condition_stays(const Onnx__GraphProto *g)
{
    const char *name = g->n_output && g->output[0]->name ? g->output[0]->name : "";
    const char *given = g->n_input > 1 && g->input[1]->name ? g->input[1]->name : "?";
    if (strcmp(name, given) == 0)
        return true;
    for (size_t i = 0; i < g->n_node; i++) {
        const Onnx__NodeProto *node = g->node[i];
        if (node->n_output != 1 || !node->output[0] || strcmp(node->output[0], name) != 0 ||
            !node->op_type)
            continue;
        if (strcmp(node->op_type, "Identity") == 0 && node->n_input == 1 && node->input[0])
            return strcmp(node->input[0], given) == 0;
        return strcmp(node->op_type, "Constant") == 0;
    }
    return false;
}

/* The initial value of state |k|; records its description. */
static rlxc_atom first_state(rlxc_ox *im, body *b, uint32_t k, rlxc_ox_value *v)
{
    const Onnx__GraphProto *g = b->graph;
    if (v->kind == RLXC_OX_TENSOR)
        return rlxc_ox_atom(im, v);
    const rlxc_ox_value *about = rlxc_ox_described(im, v);
    /* An empty one does not determine its future items. */
    if (about && !about->elem && k + 2 < g->n_input) {
        const rlxc_ox_value *stated = rlxc_ox_object_of_type(im, g->input[k + 2]->type);
        about = stated ? rlxc_ox_joined(im, about, stated) : about;
    }
    b->about[k] = about;
    return rlxc_ox_result(im, v);
}

void rlxc_ox_import_loop(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const Onnx__GraphProto *g = rlxc_ox_graph_attr(im, "body");
    uint32_t n = rlxc_ox_n_inputs(im) < 2 ? 0 : rlxc_ox_n_inputs(im) - 2, one;
    double turns[1] = {-1}, on[1] = {1};
    rlxc_atom init[RLXC_OX_MAX_STATES], out[RLXC_OX_MAX_STATES];
    bool sequences = false;
    if (!g)
        return;
    for (uint32_t k = 0; k < n; k++)
        sequences |= rlxc_ox_value_in(im, k + 2)->kind != RLXC_OX_TENSOR;
    bool fixed =
        rlxc_ox_has(im, 0) && rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 0), turns, 1, &one) &&
        (!rlxc_ox_has(im, 1) ||
         (rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 1), on, 1, &one) && on[0] != 0)) &&
        condition_stays(g) && turns[0] >= 0 && turns[0] <= (double)RLXC_OX_MAX_UNROLL;
    if (fixed && (sequences || turns[0] > 0)) {
        unrolled(im, g, (int64_t)turns[0]);
        return;
    }
    body b = {.graph = g,
              .n_states = n,
              .n_outputs = rlxc_ox_n_outputs(im) < n ? 0 : (uint32_t)g->n_output - n - 1};
    if (g->n_output < n + 1 || g->n_output - 1 > RLXC_OX_MAX_STATES - 1) {
        rlxc_ox_fail(im, "the body has %zu outputs for %u states", g->n_output, n);
        return;
    }
    for (uint32_t k = 0; k < n && !im->failed; k++)
        init[k] = first_state(im, &b, k, rlxc_ox_value_in(im, k + 2));
    rlxc_atom limit =
        rlxc_ox_has(im, 0)
            ? rlxc_ox_reshape(im, rlxc_ox_cast(im, rlxc_ox_in(im, 0), RLX_I64), NULL, 0)
            : rlxc_ox_number(im, RLX_I64, 9e18);
    rlxc_atom cond = rlxc_ox_has(im, 1) ? rlxc_ox_reshape(im, rlxc_ox_in(im, 1), NULL, 0)
                                        : rlxc_ox_number(im, RLX_B8, 1);
    if (!collect(im, &b, limit, cond, init, NULL, out))
        return;
    for (uint32_t k = 0; k < n + b.n_outputs; k++) {
        const rlxc_ox_value *a = k < n ? b.about[k] : NULL;
        rlxc_ox_set_value(im, k,
                          a ? rlxc_ox_object(im, out[k], a->elem, a->is_list, a->maybe)
                            : rlxc_ox_tensor(im, out[k]));
    }
}

/* Attribute of the Scans that one of opset 8 becomes: they have no batch. */
static const char without_batch[] = "__without_batch";

static Onnx__AttributeProto *made_attribute(rlxc_ox *im, const char *name)
{
    Onnx__AttributeProto *a = rlxc_alloc(im->ctx, sizeof *a);
    onnx__attribute_proto__init(a);
    a->name = (char *)(uintptr_t)name;
    return a;
}

/* |n| names that no model has. */
static char **made_names(rlxc_ox *im, const char *what, size_t n)
{
    char **names = rlxc_alloc(im->ctx, (n + 1) * sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = (char *)(uintptr_t)rlxc_internf(im->ctx, "\t%s %zu", what, i);
    return names;
}

static Onnx__ValueInfoProto **made_infos(rlxc_ox *im, char *const *names, size_t n)
{
    Onnx__ValueInfoProto *infos = rlxc_alloc(im->ctx, (n + 1) * sizeof *infos);
    Onnx__ValueInfoProto **list = rlxc_alloc(im->ctx, (n + 1) * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        onnx__value_info_proto__init(&infos[i]);
        infos[i].name = names[i];
        list[i] = &infos[i];
    }
    return list;
}

/* The current node as a Scan of opset 8, whose inputs and outputs have a leading batch: a Scan over
 * the batch, whose body is the Scan of one item. */
static void scan_batch(rlxc_ox *im, const rlxc_ox_row *row)
{
    const Onnx__NodeProto *node = im->node;
    const size_t n = node->n_input - 1; /* the first, lengths, is not given */
    char **names = made_names(im, "one of the batch", n);
    Onnx__NodeProto *inner = rlxc_alloc(im->ctx, sizeof *inner);
    Onnx__GraphProto *turn = rlxc_alloc(im->ctx, sizeof *turn);
    Onnx__NodeProto outer = *node, **nodes = rlxc_alloc(im->ctx, sizeof *nodes);
    Onnx__AttributeProto *count = made_attribute(im, "num_scan_inputs"),
                         *mark = made_attribute(im, without_batch),
                         *graph = made_attribute(im, "body"), *attributes[3] = {graph, count, mark};
    *inner = *node;
    inner->input = rlxc_alloc(im->ctx, node->n_input * sizeof *inner->input);
    inner->input[0] = node->input[0];
    for (size_t i = 0; i < n; i++)
        inner->input[i + 1] = names[i];
    inner->output = made_names(im, "result", node->n_output);
    inner->attribute = rlxc_alloc(im->ctx, (node->n_attribute + 1) * sizeof *inner->attribute);
    for (size_t i = 0; i < node->n_attribute; i++)
        inner->attribute[i] = node->attribute[i];
    inner->attribute[inner->n_attribute++] = mark;
    nodes[0] = inner;
    onnx__graph_proto__init(turn);
    turn->node = nodes;
    turn->n_node = 1;
    turn->input = made_infos(im, names, n);
    turn->n_input = n;
    turn->output = made_infos(im, inner->output, node->n_output);
    turn->n_output = node->n_output;
    graph->g = turn;
    count->has_i = true;
    count->i = (int64_t)n;
    outer.attribute = attributes;
    outer.n_attribute = 3;
    im->node = &outer;
    row->fn(im, row);
    im->node = node;
}

/* True if the Scan of opset 8 has a batch of 1, which needs no loop. */
static bool is_batch_of_one(rlxc_ox *im)
{
    bool one = true;
    for (uint32_t i = 1; i < rlxc_ox_n_inputs(im) && one; i++) {
        const rlxc_atom x = rlxc_ox_in(im, i);
        one = rlxc_ox_ndim(im, x) > 0 && rlxc_is_const(rlxc_ox_dim(im, x, 0), 1);
    }
    return one;
}

void rlxc_ox_import_scan(rlxc_ox *im, const rlxc_ox_row *row)
{
    const Onnx__GraphProto *g = rlxc_ox_graph_attr(im, "body");
    const bool batched = im->opset < 9 && !rlxc_ox_attr(im, without_batch);
    if (batched && rlxc_ox_has(im, 0)) {
        rlxc_ox_fail(im, "Scan of opset 8 with sequence lengths is not supported");
        return;
    }
    if (batched && g && rlxc_ox_n_inputs(im) > 1 && !is_batch_of_one(im)) {
        if (rlxc_ox_good(im))
            scan_batch(im, row);
        return;
    }
    uint32_t first = im->opset < 9 ? 1 : 0, total = rlxc_ox_n_inputs(im) - first, count;
    int64_t scanned = rlxc_ox_int(im, "num_scan_inputs", 1);
    int64_t axes[RLXC_OX_MAX_STATES] = {0}, directions[RLXC_OX_MAX_STATES] = {0},
            out_axes[RLXC_OX_MAX_STATES] = {0}, out_directions[RLXC_OX_MAX_STATES] = {0};
    rlxc_atom init[RLXC_OX_MAX_STATES], out[RLXC_OX_MAX_STATES];
    rlxc_ox_value *values[RLXC_OX_MAX_STATES];
    if (!g)
        return;
    if (scanned < 1 || scanned > total || total > RLXC_OX_MAX_STATES ||
        g->n_output > RLXC_OX_MAX_STATES - 1 || g->n_output < total - (uint32_t)scanned) {
        rlxc_ox_fail(im, "num_scan_inputs is %lld of %u inputs", (long long)scanned, total);
        return;
    }
    uint32_t n = total - (uint32_t)scanned;
    body b = {.graph = g,
              .n_states = n,
              .n_scanned = (uint32_t)scanned,
              .is_scan = true,
              .scanned_values = values,
              .axes = axes,
              .directions = directions,
              .n_outputs = (uint32_t)g->n_output - n,
              .out_axes = out_axes,
              .out_directions = out_directions};
    rlxc_ox_ints(im, im->opset < 9 ? "directions" : "scan_input_directions", directions,
                 RLXC_OX_MAX_STATES, &count);
    rlxc_ox_ints(im, "scan_input_axes", axes, RLXC_OX_MAX_STATES, &count);
    rlxc_ox_ints(im, "scan_output_directions", out_directions, RLXC_OX_MAX_STATES, &count);
    rlxc_ox_ints(im, "scan_output_axes", out_axes, RLXC_OX_MAX_STATES, &count);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *turns = NULL;
    for (uint32_t k = 0; k < total && !im->failed; k++) {
        rlxc_atom x = rlxc_ox_in(im, first + k);
        if (batched) { /* a batch of 1: removed, and added again to the results */
            uint32_t ndim = rlxc_ox_ndim(im, x);
            rlxc_ox_dims(im, x, dims);
            x = rlxc_ox_reshape(im, x, dims + 1, ndim - 1);
        }
        if (k < n) {
            init[k] = x;
            continue;
        }
        axes[k - n] = rlxc_ox_axis(im, axes[k - n], rlxc_ox_ndim(im, x));
        values[k - n] = rlxc_ox_tensor(im, x);
        if (k == n)
            turns = rlxc_ox_dim(im, x, (uint32_t)axes[0]);
    }
    if (im->failed)
        return;
    rlxc_atom limit = rlxc_ox_scalar(im, turns, RLX_I64);
    if (!collect(im, &b, limit, rlxc_ox_number(im, RLX_B8, 1), init, turns, out))
        return;
    for (uint32_t k = 0; k < n + b.n_outputs; k++) {
        rlxc_atom y = out[k];
        if (k >= n && !batched) {
            uint32_t ndim = rlxc_ox_ndim(im, y), to = rlxc_ox_axis(im, out_axes[k - n], ndim);
            int64_t order[RLXC_MAX_NDIM];
            for (uint32_t d = 0; d < ndim; d++)
                order[d] = d < to ? d + 1 : d == to ? 0 : d;
            y = rlxc_ox_transpose(im, y, order, ndim);
        }
        if (batched) {
            const int64_t zero[1] = {0};
            y = rlxc_ox_expand_dims(im, y, zero, 1);
        }
        rlxc_ox_set(im, k, y);
    }
}
