/* A model's nodes as text, a line each: what diagnostics and the debug section show of it. */
#include "compiler/onnx/graph.h"

enum { NAME_SHOWN = 60 };

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

static void list_nodes(rlxc_ox *im, rlxc_text *text, uint32_t *line, Onnx__NodeProto **nodes,
                       size_t n, uint32_t depth)
{
    for (size_t i = 0; i < n && !rlxc_out_of_memory(im->ctx); i++) {
        Onnx__NodeProto *node = nodes[i];
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
        rlxc_text_puts(text, "\n");
        rlxc_map_set(im->ctx, &im->lines, rlxc_key(node), (void *)(uintptr_t)(++*line));
        for (size_t k = 0; k < node->n_attribute && depth < RLXC_OX_MAX_DEPTH; k++)
            if (node->attribute[k]->g)
                list_nodes(im, text, line, node->attribute[k]->g->node,
                           node->attribute[k]->g->n_node, depth + 1);
    }
}

void rlxc_ox_list(rlxc_ox *im, const char *path)
{
    const Onnx__GraphProto *g = im->model->graph;
    rlxc_text text = {.ctx = im->ctx};
    uint32_t line = 1;
    rlxc_text_puts(&text, "# ");
    add_name(&text, g->name);
    rlxc_text_puts(&text, "\n");
    list_nodes(im, &text, &line, g->node, g->n_node, 0);
    im->file = rlxc_add_file(im->ctx, path, text.data, text.length);
}
