/* A model's nodes as text, one per line, for diagnostics; and the names of nodes, "node 'a' (Add)",
 * with their enclosing nodes, for the debug section. */
#include "compiler/onnx/graph.h"

#include <string.h>

enum { NAME_SHOWN = 60, LABEL_NAME = 1000, LABEL_PATH = 400 };

typedef struct listing {
    rlxc_ox *im;
    rlxc_text text;
    RLXC_VEC(const char *) labels; /* by line */
    uint32_t file;
} listing;

static void add_name(rlxc_text *text, const char *name)
{
    char shown[NAME_SHOWN + 1];
    uint32_t n = 0;
    for (; name && name[n] && n < NAME_SHOWN; n++)
        shown[n] = (unsigned char)name[n] < 32 || (unsigned char)name[n] > 126 ? '?' : name[n];
    shown[n] = '\0';
    rlxc_text_puts(text, shown);
}

static void add_names(rlxc_text *text, char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rlxc_text_puts(text, i ? ", " : "");
        add_name(text, names[i]);
    }
}

/* |text|, cut before a character of UTF-8 when it is longer than |limit| bytes. */
static const char *cut(rlxc_ox *im, const char *text, size_t limit)
{
    size_t n = strnlen(text, limit + 1);
    if (n <= limit)
        return text;
    for (n = limit; n > 0 && ((unsigned char)text[n] & 0xc0u) == 0x80u;)
        n--;
    return rlxc_internf(im->ctx, "%.*s...", (int)n, text);
}

/* |path|: the labels of the enclosing nodes, or "". */
static const char *label_of(rlxc_ox *im, const Onnx__NodeProto *node, size_t index,
                            const char *path)
{
    const char *op = node->op_type ? cut(im, node->op_type, NAME_SHOWN) : "";
    if (node->name && *node->name)
        return rlxc_internf(im->ctx, "%snode '%s' (%s)", path, cut(im, node->name, LABEL_NAME), op);
    return rlxc_internf(im->ctx, "%snode %zu (%s)", path, index, op);
}

static void end_line(listing *l, const char *label)
{
    rlxc_text_puts(&l->text, "\n");
    RLXC_PUSH(l->im->ctx, &l->labels, label);
}

static void list_nodes(listing *l, Onnx__NodeProto **nodes, size_t n, const char *path,
                       uint32_t depth)
{
    rlxc_ox *im = l->im;
    rlxc_text *text = &l->text;
    for (size_t i = 0; i < n && !rlxc_out_of_memory(im->ctx); i++) {
        Onnx__NodeProto *node = nodes[i];
        const char *label = label_of(im, node, i, path);
        rlxc_text_printf(text, "%*s", (int)(2 * depth), "");
        add_names(text, node->output, node->n_output);
        rlxc_text_puts(text, " = ");
        add_name(text, node->op_type);
        rlxc_text_puts(text, "(");
        add_names(text, node->input, node->n_input);
        rlxc_text_puts(text, ")");
        if (node->name && *node->name) {
            rlxc_text_puts(text, "  # ");
            add_name(text, node->name);
        }
        end_line(l, label);
        const uint64_t place = (uint64_t)l->file << 32 | l->labels.count;
        rlxc_map_set(im->ctx, &im->lines, rlxc_key(node), (void *)(uintptr_t)place);
        for (size_t k = 0; k < node->n_attribute && depth < RLXC_OX_MAX_DEPTH; k++) {
            const Onnx__AttributeProto *a = node->attribute[k];
            if (a->g)
                list_nodes(l, a->g->node, a->g->n_node,
                           rlxc_internf(im->ctx, "%s, %s: ", cut(im, label, LABEL_PATH),
                                        a->name ? cut(im, a->name, NAME_SHOWN) : ""),
                           depth + 1);
        }
    }
}

static listing begin(rlxc_ox *im, const char *title, const char *name)
{
    listing l = {.im = im, .text = {.ctx = im->ctx}};
    l.file = rlxc_add_file(im->ctx, im->path, "", 0);
    rlxc_text_puts(&l.text, "# ");
    add_name(&l.text, name);
    end_line(&l, title);
    return l;
}

static void finish(listing *l)
{
    if (!rlxc_out_of_memory(l->im->ctx))
        rlxc_set_listing(l->im->ctx, l->file, (rlx_str){l->text.data, l->text.length},
                         l->labels.items, l->labels.count);
}

void rlxc_ox_list(rlxc_ox *im)
{
    const Onnx__GraphProto *g = im->model->graph;
    const char *title = g->name && *g->name
                            ? rlxc_internf(im->ctx, "graph '%s'", cut(im, g->name, LABEL_NAME))
                            : "graph";
    listing l = begin(im, title, g->name);
    list_nodes(&l, g->node, g->n_node, "", 0);
    finish(&l);
    im->file = l.file;
}

void rlxc_ox_list_call(rlxc_ox *im, Onnx__NodeProto **nodes, size_t n)
{
    const rlxc_range at = rlxc_ox_range_of(im, im->node);
    const char *call = rlxc_line_label(im->ctx, at.file, at.line);
    if (!call)
        return;
    listing l = begin(im, call, im->node->op_type);
    list_nodes(&l, nodes, n, rlxc_internf(im->ctx, "%s: ", cut(im, call, LABEL_PATH)), 0);
    finish(&l);
}

rlxc_range rlxc_ox_range_of(const rlxc_ox *im, const Onnx__NodeProto *node)
{
    const uint64_t place = (uintptr_t)rlxc_map_get(&im->lines, rlxc_key(node));
    const uint32_t line = (uint32_t)place;
    return (rlxc_range){(uint32_t)(place >> 32), line, 1, line, 2};
}
