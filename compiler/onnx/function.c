/* Functions of the model: a call imports the function's nodes in place, with the call's inputs and
 * attributes and the function's operator sets.
 *
 * A call inside a function counts as a nested graph, which bounds recursive functions.
 */
#include <string.h>

#include "compiler/onnx/loop.h"
#include "compiler/onnx/model.h"
#include "compiler/onnx/schema.h"

enum { DEFAULTS = 11 }; /* number of a field that is newer than the schema: attribute_proto */

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

const Onnx__FunctionProto *rlxc_ox_find_function(const rlxc_ox *im, const char *domain,
                                                 const char *name)
{
    for (size_t i = 0; i < im->model->n_functions; i++)
        if (same(im->model->functions[i]->domain, domain) &&
            same(im->model->functions[i]->name, name))
            return im->model->functions[i];
    return NULL;
}

/* The default of attribute |name| of |f|, or NULL. */
static const Onnx__AttributeProto *otherwise(rlxc_ox *im, const Onnx__FunctionProto *f,
                                             const char *name)
{
    ProtobufCAllocator allocator = rlxc_ox_allocator(im->ctx);
    for (unsigned i = 0; i < f->base.n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &f->base.unknown_fields[i];
        size_t at = 0;
        if (field->tag != DEFAULTS || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            continue;
        while (at < field->len && field->data[at] >= 0x80) /* its length, that of the rest */
            at++;
        at += at < field->len;
        const Onnx__AttributeProto *a =
            onnx__attribute_proto__unpack(&allocator, field->len - at, field->data + at);
        if (a && same(a->name, name))
            return a;
    }
    return NULL;
}

/* Node |from| of |f| with the attributes of the current call. */
static Onnx__NodeProto *as_called(rlxc_ox *im, const Onnx__FunctionProto *f,
                                  const Onnx__NodeProto *from)
{
    const rlxc_ox_imports imports = {f->opset_import, f->n_opset_import};
    Onnx__NodeProto *node = rlxc_copy(im->ctx, from, sizeof *node);
    bool changed = false;
    node->attribute = rlxc_alloc(im->ctx, (from->n_attribute + 1) * sizeof *node->attribute);
    node->n_attribute = 0;
    for (size_t i = 0; i < from->n_attribute; i++) {
        const Onnx__AttributeProto *a = from->attribute[i];
        if (!a->ref_attr_name || !*a->ref_attr_name) {
            node->attribute[node->n_attribute++] = from->attribute[i];
            continue;
        }
        const Onnx__AttributeProto *given = rlxc_ox_attr(im, a->ref_attr_name);
        if (!given)
            given = otherwise(im, f, a->ref_attr_name);
        if (!given)
            continue; /* the operator's own default */
        Onnx__AttributeProto *copy = rlxc_copy(im->ctx, given, sizeof *copy);
        copy->name = a->name;
        node->attribute[node->n_attribute++] = copy;
        changed = true;
    }
    const Onnx__NodeProto *call = im->node;
    if (changed) /* its arguments are not checked yet */
        rlxc_ox_check_node(im, node, &imports);
    im->node = call;
    return node;
}

static Onnx__ValueInfoProto **infos(rlxc_ox *im, char *const *names, size_t n)
{
    Onnx__ValueInfoProto **out = rlxc_alloc(im->ctx, (n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        out[i] = rlxc_alloc(im->ctx, sizeof **out);
        onnx__value_info_proto__init(out[i]);
        out[i]->name = names[i];
    }
    return out;
}

void rlxc_ox_call_function(rlxc_ox *im, const Onnx__FunctionProto *f)
{
    const uint32_t n_in = rlxc_ox_n_inputs(im), n_out = rlxc_ox_n_outputs(im);
    if (n_in > f->n_input || n_out > f->n_output || f->n_input > RLXC_OX_MAX_NAMES ||
        f->n_output > RLXC_OX_MAX_NAMES) {
        rlxc_ox_fail(im, "%u inputs and %u outputs for a function of %zu and %zu", n_in, n_out,
                     f->n_input, f->n_output);
        return;
    }
    const uint32_t before = im->n_imported;
    im->depth++;
    const bool few = rlxc_ox_count_parts(im, f->n_node);
    im->depth--;
    if (!few)
        return;
    im->n_imported = before; /* each node is counted when it is imported */
    Onnx__GraphProto g;
    onnx__graph_proto__init(&g);
    g.n_node = f->n_node;
    g.node = rlxc_alloc(im->ctx, (f->n_node + 1) * sizeof *g.node);
    for (size_t i = 0; i < f->n_node; i++)
        g.node[i] = as_called(im, f, f->node[i]);
    rlxc_ox_list_call(im, g.node, g.n_node);
    g.n_input = f->n_input;
    g.input = infos(im, f->input, f->n_input);
    g.n_output = f->n_output;
    g.output = infos(im, f->output, f->n_output);
    rlxc_ox_value **in = rlxc_alloc(im->ctx, (f->n_input + 1) * sizeof *in);
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (f->n_output + 1) * sizeof *out);
    for (uint32_t i = 0; i < f->n_input; i++)
        in[i] = rlxc_ox_value_in(im, i);
    const int64_t opset = im->opset;
    for (size_t i = 0; i < f->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = f->opset_import[i];
        if (same(o->domain, "") || same(o->domain, "ai.onnx"))
            im->opset = o->version;
    }
    rlxc_ox_scope scope = {.outer = im->scope, .frame = im->frame};
    im->scope = &scope;
    const bool ok = !im->failed && rlxc_ox_run_graph(im, &g, in, (uint32_t)f->n_input, out);
    im->scope = scope.outer;
    im->opset = opset;
    for (uint32_t k = 0; ok && k < n_out; k++)
        rlxc_ox_set_value(im, k, out[k]);
}
