/* Checks that a model is valid ONNX, independent of what its nodes compute: versions, names defined
 * twice or never, nodes that violate their operators' schemas, functions that use outer names.
 * Errors are reported before anything is imported.
 *
 * A name defined inside a node's graph must not be defined earlier in an enclosing graph: importers
 * with a single table of names would confuse them. */
#include "compiler/onnx/model.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/onnx/graph.h"
#include "compiler/onnx/schema.h"

enum { NEWEST_IR = 14, FIRST_IR_WITH_OPSETS = 3, NAME_SHOWN = 100 };

static const struct {
    const char *domain;
    int64_t newest;
} domains[] = {
#define RLXC_OX_DOMAIN(name, newest, rows) {name, newest},
#define RLXC_OX_BARE_DOMAIN(name, newest) {name, newest},
#include "compiler/onnx/domains.def"
};

/* The names of a graph; |outer|: those around the node that holds it. */
typedef struct names {
    const struct names *outer;
    rlxc_map defined;
} names;

static const char *shown(rlxc_ox *im, const char *name)
{
    char text[NAME_SHOWN];
    return rlxc_intern_cstr(im->ctx, rlx_name_text(rlx_str_from(name), text, sizeof text));
}

static void check_versions(rlxc_ox *im, const rlxc_ox_imports *imports)
{
    for (size_t i = 0; i < imports->n; i++) {
        const Onnx__OperatorSetIdProto *o = imports->sets[i];
        for (size_t k = 0; k < sizeof domains / sizeof *domains; k++)
            if (strcmp(o->domain ? o->domain : "", domains[k].domain) == 0 &&
                (o->version < 1 || o->version > domains[k].newest))
                rlxc_ox_report(im, "%s has opset %" PRId64 "; 1 to %" PRId64 " are known",
                               rlxc_ox_is_standard(domains[k].domain)
                                   ? "the model"
                                   : rlxc_internf(im->ctx, "domain '%s'", domains[k].domain),
                               o->version, domains[k].newest);
    }
}

static void check_model(rlxc_ox *im, const rlxc_ox_imports *imports)
{
    const Onnx__ModelProto *m = im->model;
    if (!m->has_ir_version || m->ir_version < 1 || m->ir_version > NEWEST_IR)
        rlxc_ox_report(im, "the model has IR version %" PRId64 "; 1 to %d are known", m->ir_version,
                       (int)NEWEST_IR);
    check_versions(im, imports);
    bool silent = imports->n == 0;
    for (size_t i = 0; i < m->graph->n_node && !silent; i++)
        silent =
            rlxc_ox_is_standard(m->graph->node[i]->domain) && rlxc_ox_version_of(imports, "") == 0;
    if (silent && m->ir_version >= FIRST_IR_WITH_OPSETS)
        rlxc_ox_report(im, "the model declares no opset");
}

static uint64_t key_of(rlxc_ox *im, const char *name)
{
    return rlxc_key(rlxc_intern_cstr(im->ctx, name));
}

static bool is_defined(rlxc_ox *im, const names *in, const char *name)
{
    for (const uint64_t key = key_of(im, name); in; in = in->outer)
        if (rlxc_map_get(&in->defined, key))
            return true;
    return false;
}

/* Defines |name| in |in|; an error at |node|, or at the graph, if it is defined already. */
static void define(rlxc_ox *im, names *in, const char *name, const Onnx__NodeProto *node)
{
    if (!name || !*name)
        return;
    if (is_defined(im, in, name)) {
        im->node = node;
        rlxc_ox_report(im, "'%s' is defined twice", shown(im, name));
    }
    rlxc_map_set(im->ctx, &in->defined, key_of(im, name), im);
}

static void check_node(rlxc_ox *im, const Onnx__NodeProto *node, const rlxc_ox_imports *imports)
{
    const char *domain = node->domain ? node->domain : "";
    im->node = node;
    for (size_t i = 0; i < node->n_attribute; i++)
        for (size_t k = 0; k < i; k++) {
            const char *name = node->attribute[i]->name;
            if (name && node->attribute[k]->name && strcmp(name, node->attribute[k]->name) == 0)
                rlxc_ox_report(im, "attribute '%s' is given twice", shown(im, name));
        }
    if (rlxc_ox_version_of(imports, domain) == 0 &&
        rlxc_ox_find_function(im, domain, node->op_type))
        rlxc_ox_report(im, "no operator set of domain '%s' is imported", shown(im, domain));
    rlxc_ox_check_node(im, node, imports);
}

static void check_infos(rlxc_ox *im, Onnx__ValueInfoProto *const *infos, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const Onnx__TypeProto *type = infos[i]->type;
        const Onnx__TensorShapeProto *shape =
            type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type
                ? type->tensor_type->shape
                : NULL;
        if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type &&
            type->tensor_type->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__UNDEFINED)
            rlxc_ox_report(im, "'%s' has no element type",
                           shown(im, infos[i]->name ? infos[i]->name : ""));
        for (size_t d = 0; shape && d < shape->n_dim; d++)
            /* -1: unknown, as written by some exporters */
            if (shape->dim[d]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
                shape->dim[d]->dim_value < -1)
                rlxc_ox_report(im, "dimension %zu of '%s' is %" PRId64, d,
                               shown(im, infos[i]->name ? infos[i]->name : ""),
                               shape->dim[d]->dim_value);
    }
}

/* Initializers, each once; they may also be the defaults of inputs. */
static void define_given(rlxc_ox *im, names *in, const Onnx__GraphProto *g)
{
    names initial = {0};
    for (size_t i = 0; i < g->n_initializer; i++)
        define(im, &initial, g->initializer[i]->name, NULL);
    for (size_t i = 0; i < g->n_sparse_initializer; i++)
        if (g->sparse_initializer[i]->values)
            define(im, &initial, g->sparse_initializer[i]->values->name, NULL);
    for (size_t i = 0; i < g->n_input; i++)
        if (g->input[i]->name)
            rlxc_map_set(im->ctx, &in->defined, key_of(im, g->input[i]->name), im);
    for (size_t i = 0; i < g->n_initializer; i++)
        if (g->initializer[i]->name)
            rlxc_map_set(im->ctx, &in->defined, key_of(im, g->initializer[i]->name), im);
    for (size_t i = 0; i < g->n_sparse_initializer; i++)
        if (g->sparse_initializer[i]->values && g->sparse_initializer[i]->values->name)
            rlxc_map_set(im->ctx, &in->defined, key_of(im, g->sparse_initializer[i]->values->name),
                         im);
}

static void check_graph(rlxc_ox *im, const Onnx__GraphProto *g, const rlxc_ox_imports *imports,
                        const names *outer, uint32_t depth)
{
    const Onnx__NodeProto *around = im->node;
    const rlxc_range range = im->frame->b.range;
    names in = {.outer = outer};
    define_given(im, &in, g);
    check_infos(im, g->input, g->n_input);
    check_infos(im, g->output, g->n_output);
    check_infos(im, g->value_info, g->n_value_info);
    for (size_t i = 0; i < g->n_node && !rlxc_out_of_memory(im->ctx); i++) {
        const Onnx__NodeProto *node = g->node[i];
        im->frame->b.range = rlxc_ox_range_of(im, node);
        check_node(im, node, imports);
        for (size_t k = 0; k < node->n_attribute && depth < RLXC_OX_MAX_DEPTH; k++) {
            const Onnx__GraphProto *inside = node->attribute[k]->g;
            if (inside && inside->n_input > 0 && node->op_type && strcmp(node->op_type, "If") == 0)
                rlxc_ox_report(im, "a branch has %zu inputs, expected none", inside->n_input);
            if (inside)
                check_graph(im, inside, imports, &in, depth + 1);
        }
        for (size_t k = 0; k < node->n_output; k++)
            define(im, &in, node->output[k], node);
    }
    im->node = around;
    im->frame->b.range = range;
    for (size_t i = 0; i < g->n_output && depth > 0; i++)
        if (g->output[i]->name && !rlxc_map_get(&in.defined, key_of(im, g->output[i]->name)))
            rlxc_ox_report(im, "no node of the subgraph produces its output '%s'",
                           shown(im, g->output[i]->name));
}

/* Names of a function's body are its own; its operator sets are those that it imports. */
static void check_function(rlxc_ox *im, const Onnx__FunctionProto *f)
{
    const rlxc_ox_imports imports = {f->opset_import, f->n_opset_import};
    const char *name = rlxc_internf(im->ctx, "%s:%s", shown(im, f->domain ? f->domain : ""),
                                    shown(im, f->name ? f->name : ""));
    names in = {0};
    check_versions(im, &imports);
    if (rlxc_ox_find_function(im, f->domain, f->name) != f)
        rlxc_ox_report(im, "function %s is defined twice", name);
    for (size_t i = 0; i < f->n_input; i++)
        define(im, &in, f->input[i], NULL);
    for (size_t i = 0; i < f->n_node; i++)
        for (size_t k = 0; k < f->node[i]->n_output; k++)
            define(im, &in, f->node[i]->output[k], f->node[i]);
    for (size_t i = 0; i < f->n_node && !rlxc_out_of_memory(im->ctx); i++) {
        const Onnx__NodeProto *node = f->node[i];
        check_node(im, node, &imports);
        if (rlxc_ox_is_standard(node->domain) && rlxc_ox_version_of(&imports, "") == 0)
            rlxc_ox_report(im, "function %s declares no opset", name);
        for (size_t k = 0; k < node->n_input; k++)
            if (node->input[k] && *node->input[k] && !is_defined(im, &in, node->input[k]))
                rlxc_ox_report(im, "function %s has no value '%s'", name,
                               shown(im, node->input[k]));
        for (size_t k = 0; k < node->n_attribute; k++)
            if (node->attribute[k]->g)
                check_graph(im, node->attribute[k]->g, &imports, &in, 1);
    }
    im->node = NULL;
    for (size_t i = 0; i < f->n_output; i++)
        if (!f->output[i] || !is_defined(im, &in, f->output[i]))
            rlxc_ox_report(im, "output '%s' of function %s is not produced by any of its nodes",
                           shown(im, f->output[i] ? f->output[i] : ""), name);
}

bool rlxc_ox_validate(rlxc_ox *im)
{
    const rlxc_ox_imports imports = {im->model->opset_import, im->model->n_opset_import};
    rlxc_ox_frame frame = {.b = {.ctx = im->ctx}};
    frame.b.range = (rlxc_range){.file = im->file, .line = 1, .col = 1};
    rlxc_ox_frame *outer = im->frame;
    im->frame = &frame;
    im->node = NULL;
    check_model(im, &imports);
    check_graph(im, im->model->graph, &imports, NULL, 0);
    for (size_t i = 0; i < im->model->n_functions; i++)
        check_function(im, im->model->functions[i]);
    im->node = NULL;
    im->frame = outer;
    return !rlxc_failed(im->ctx);
}
