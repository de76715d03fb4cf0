/* What makes bytes no ONNX model, whatever its nodes do: versions of the operator set that there
 * are not, names that are defined twice, attributes that are given twice or of another kind than
 * their name has in every operator. Reported before anything is imported. */
#include "compiler/onnx/validate.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/onnx/graph.h"

enum { NEWEST_OPSET = 28, FIRST_IR_WITH_OPSETS = 3, NAME_SHOWN = 100 };

/* Attributes of the standard operators that have one kind wherever they occur. */
static const struct {
    const char *name;
    Onnx__AttributeProto__AttributeType kind;
    const char *text;
} kinds[] = {
    {"axis", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "an integer"},
    {"axes", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"alpha", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a float"},
    {"beta", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a float"},
    {"epsilon", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a float"},
    {"keepdims", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "an integer"},
    {"perm", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"kernel_shape", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"strides", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"dilations", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"pads", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "integers"},
    {"group", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "an integer"},
    {"auto_pad", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, "a string"},
    {"mode", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, "a string"},
};

static bool is_standard(const char *domain)
{
    return !domain || !*domain || strcmp(domain, "ai.onnx") == 0;
}

static void check_opsets(rlxc_ox *im)
{
    const Onnx__ModelProto *m = im->model;
    bool any = false;
    for (size_t i = 0; i < m->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = m->opset_import[i];
        any |= is_standard(o->domain);
        if (is_standard(o->domain) && (o->version < 1 || o->version > NEWEST_OPSET))
            rlxc_error(im->ctx, (rlxc_range){.file = im->file, .line = 1, .col = 1},
                       "the model is of opset %" PRId64 "; there are 1 to %d", o->version,
                       (int)NEWEST_OPSET);
    }
    if (!any && m->has_ir_version && m->ir_version >= FIRST_IR_WITH_OPSETS && m->n_functions == 0)
        for (size_t i = 0; i < m->graph->n_node; i++)
            if (is_standard(m->graph->node[i]->domain)) {
                rlxc_error(im->ctx, (rlxc_range){.file = im->file, .line = 1, .col = 1},
                           "the model does not say of which opset it is");
                return;
            }
}

/* |name| gets a definition in |seen|; an error at |node|, or at the graph, where it has one. */
static void define(rlxc_ox *im, rlxc_map *seen, const char *name, const Onnx__NodeProto *node)
{
    if (!name || !*name)
        return;
    const uint64_t key = rlxc_key(rlxc_intern_cstr(im->ctx, name));
    if (rlxc_map_get(seen, key)) {
        im->node = node;
        rlxc_ox_fail(im, "'%.*s' is defined twice", NAME_SHOWN, name);
        im->failed = false;
    }
    rlxc_map_set(im->ctx, seen, key, im);
}

static void check_attributes(rlxc_ox *im, const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *a = node->attribute[i];
        im->node = node;
        for (size_t k = 0; k < i; k++)
            if (a->name && node->attribute[k]->name &&
                strcmp(a->name, node->attribute[k]->name) == 0)
                rlxc_ox_fail(im, "attribute '%.*s' is given twice", NAME_SHOWN, a->name);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (is_standard(node->domain) && a->name && strcmp(a->name, kinds[k].name) == 0 &&
                a->has_type && a->type != kinds[k].kind && !(a->ref_attr_name && *a->ref_attr_name))
                rlxc_ox_fail(im, "attribute '%s' must be %s", kinds[k].name, kinds[k].text);
        im->failed = false;
    }
}

/* Every name of |g| has one definition: an input, a node's output, or an initializer, which may
 * also be the default of an input. */
static void check_graph(rlxc_ox *im, const Onnx__GraphProto *g, uint32_t depth)
{
    rlxc_map seen = {0}, initial = {0};
    im->node = NULL;
    for (size_t i = 0; i < g->n_initializer; i++)
        define(im, &initial, g->initializer[i]->name, NULL);
    for (size_t i = 0; i < g->n_input; i++)
        if (g->input[i]->name)
            rlxc_map_set(im->ctx, &seen, rlxc_key(rlxc_intern_cstr(im->ctx, g->input[i]->name)),
                         im);
    for (size_t i = 0; i < g->n_initializer; i++)
        if (g->initializer[i]->name)
            rlxc_map_set(im->ctx, &seen,
                         rlxc_key(rlxc_intern_cstr(im->ctx, g->initializer[i]->name)), im);
    for (size_t i = 0; i < g->n_node && !rlxc_out_of_memory(im->ctx); i++) {
        const Onnx__NodeProto *node = g->node[i];
        im->frame->b.range.line = (uint32_t)(uintptr_t)rlxc_map_get(&im->lines, rlxc_key(node));
        for (size_t k = 0; k < node->n_output; k++)
            define(im, &seen, node->output[k], node);
        check_attributes(im, node);
        for (size_t k = 0; k < node->n_attribute && depth < RLXC_OX_MAX_DEPTH; k++)
            if (node->attribute[k]->g)
                check_graph(im, node->attribute[k]->g, depth + 1);
    }
    im->node = NULL;
    im->frame->b.range.line = 1;
}

bool rlxc_ox_validate(rlxc_ox *im)
{
    rlxc_ox_frame frame = {.b = {.ctx = im->ctx}};
    frame.b.range = (rlxc_range){.file = im->file, .line = 1, .col = 1};
    rlxc_ox_frame *outer = im->frame;
    im->frame = &frame;
    check_opsets(im);
    check_graph(im, im->model->graph, 0);
    im->frame = outer;
    return !rlxc_failed(im->ctx);
}
