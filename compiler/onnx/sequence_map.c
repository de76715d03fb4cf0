/* SequenceMap: a body for each element of sequences; unrolled if their length is known, else a loop
 * whose states are the sequences built so far. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/loop.h"
#include "compiler/onnx/object.h"

/* All sequences have the same known length, |turns|. */
static void unrolled(rlxc_ox *im, const Onnx__GraphProto *g, uint32_t turns)
{
    const uint32_t n = rlxc_ox_n_inputs(im), n_out = rlxc_ox_n_outputs(im);
    rlxc_ox_value **in = rlxc_alloc(im->ctx, (n + 1) * sizeof *in);
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (g->n_output + 1) * sizeof *out);
    rlxc_ox_value ***made = rlxc_alloc(im->ctx, (n_out + 1) * sizeof *made);
    for (uint32_t k = 0; k < n_out; k++)
        made[k] = rlxc_alloc(im->ctx, (turns + 1) * sizeof **made);
    for (uint32_t t = 0; t < turns && !im->failed; t++) {
        rlxc_ox_scope scope = {.outer = im->scope, .frame = im->frame};
        for (uint32_t i = 0; i < n; i++) {
            rlxc_ox_value *v = rlxc_ox_value_in(im, i);
            if (v->kind == RLXC_OX_SEQUENCE && v->n_items != turns)
                rlxc_ox_fail(im, "the sequences differ in length");
            in[i] = v->kind == RLXC_OX_SEQUENCE && t < v->n_items ? v->items[t] : v;
        }
        im->scope = &scope;
        bool ok = !im->failed && rlxc_ox_run_graph(im, g, in, n, out);
        im->scope = scope.outer;
        for (uint32_t k = 0; ok && k < n_out; k++)
            made[k][t] = out[k];
    }
    for (uint32_t k = 0; k < n_out && !im->failed; k++) {
        rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
        v->kind = RLXC_OX_SEQUENCE;
        v->n_items = turns;
        v->items = made[k];
        rlxc_ox_set_value(im, k, v);
    }
}

typedef struct map {
    const Onnx__GraphProto *graph;
    rlxc_ox_value **in; /* outside */
    const rlxc_ox_value **about;
    uint32_t n, n_out;
    const rlxc_ox_value *made[RLXC_OX_MAX_STATES]; /* what is known of the results */
} map;

static void map_turn(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state, rlxc_atom *next,
                     rlxc_atom *go)
{
    map *m = user;
    const rlxc_sinfo *object = rlxc_sinfo_object(im->ctx);
    rlxc_ox_value **in = rlxc_alloc(im->ctx, (m->n + 1) * sizeof *in);
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (m->graph->n_output + 1) * sizeof *out);
    (void)go;
    for (uint32_t k = 0; k < m->n && !im->failed; k++) {
        in[k] = rlxc_ox_capture(im, im->frame, m->in[k]);
        if (!m->about[k]->is_list)
            continue;
        const rlxc_atom args[2] = {rlxc_ox_result(im, in[k]), i};
        rlxc_atom item = rlxc_ox_builtin(im, "rlx.list_get", args, 2, object);
        in[k] = rlxc_ox_tensor(im, rlxc_ox_unboxed(im, item, m->about[k]->elem));
    }
    if (im->failed || !rlxc_ox_run_graph(im, m->graph, in, m->n, out))
        return;
    for (uint32_t k = 0; k < m->n_out && !im->failed; k++) {
        const rlxc_ox_value *about = rlxc_ox_described(im, out[k]);
        if (about && (about->is_list || about->maybe))
            rlxc_ox_fail(im, "output %u of the body is not a tensor", k);
        if (im->failed)
            return;
        m->made[k] = rlxc_ox_object(im, (rlxc_atom){0}, about->elem, true, false);
        const rlxc_atom args[2] = {state[k], rlxc_ox_result(im, out[k])};
        next[k] = rlxc_ox_builtin(im, "rlx.list_insert", args, 2, object);
    }
}

/* The longest of the sequences: a shorter one fails at its end. */
static rlxc_atom length(rlxc_ox *im, const map *m)
{
    rlxc_atom longest = {0};
    for (uint32_t k = 0; k < m->n; k++) {
        if (!m->about[k]->is_list)
            continue;
        rlxc_atom list = rlxc_ox_result(im, m->in[k]);
        rlxc_atom one = rlxc_ox_builtin(im, "rlx.list_length", &list, 1,
                                        rlxc_sinfo_tensor(im->ctx, RLX_I64, 0, NULL, NULL));
        longest = k == 0 ? one : rlxc_ox_op2(im, "maximum", longest, one);
    }
    return longest;
}

void rlxc_ox_import_sequence_map(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const Onnx__GraphProto *g = rlxc_ox_graph_attr(im, "body");
    map m = {.graph = g, .n = rlxc_ox_n_inputs(im), .n_out = rlxc_ox_n_outputs(im)};
    bool known = true, objects[RLXC_OX_MAX_STATES];
    if (!g)
        return;
    if (m.n == 0 || g->n_output < m.n_out || g->n_input < m.n || m.n_out >= RLXC_OX_MAX_STATES) {
        rlxc_ox_fail(im, "the body has %zu inputs and %zu outputs for %u and %u", g->n_input,
                     g->n_output, m.n, m.n_out);
        return;
    }
    m.in = rlxc_alloc(im->ctx, m.n * sizeof *m.in);
    m.about = rlxc_alloc(im->ctx, m.n * sizeof(const rlxc_ox_value *));
    for (uint32_t k = 0; k < m.n; k++) {
        m.in[k] = rlxc_ox_value_in(im, k);
        known &= m.in[k]->kind != RLXC_OX_OBJECT;
        const rlxc_ox_value *about = rlxc_ox_described(im, m.in[k]);
        if (im->failed || !about || (k == 0 && !about->is_list)) {
            rlxc_ox_fail(im, "input %u must be a sequence", k);
            return;
        }
        m.about[k] = about;
    }
    if (known) {
        unrolled(im, g, m.in[0]->n_items);
        return;
    }
    rlxc_atom init[RLXC_OX_MAX_STATES], out[RLXC_OX_MAX_STATES];
    for (uint32_t k = 0; k < m.n_out; k++) {
        init[k] = rlxc_atom_tuple(im->ctx, NULL, 0);
        objects[k] = true;
    }
    const rlxc_ox_loop l = {.body = map_turn, .user = &m, .objects = objects};
    if (!rlxc_ox_run_loop(im, &l, length(im, &m), rlxc_ox_number(im, RLX_B8, 1), init, m.n_out,
                          out))
        return;
    for (uint32_t k = 0; k < m.n_out; k++)
        rlxc_ox_set_value(im, k, rlxc_ox_object(im, out[k], m.made[k]->elem, true, false));
}
