/* A module as C99: the files, constants, the order of everything. */
#include "compiler/codegen/c.h"

#include <string.h>

#include "compiler/codegen/c_emit.h"

const char *rlxc_c_constant(rlxc_c_module *m, const rlxc_constant *c)
{
    rlxc_cl *g = &m->cl;
    const char *name = rlxc_map_get(&m->constants, rlxc_key(c));
    if (name)
        return name;
    const char *why = rlxc_cl_lacks_type(g->target, c->dtype);
    const size_t item = c->dtype.bits <= 8 ? 1 : c->dtype.bits / 8u, n = c->nbytes / item;
    if (why)
        rlxc_error(m->ctx, g->range, "constant %s: %s", c->name ? c->name : "", why);
    name = rlxc_c_global_name(g, c->name ? c->name : "constant");
    rlxc_map_set(m->ctx, &m->constants, rlxc_key(c), (void *)(uintptr_t)name);
    rlxc_text_printf(&m->data_text,
                     "\nstatic const %s %s[%zu] = ", rlxc_cl_memory_type(g, c->dtype), name,
                     n ? n : 1);
    rlxc_cl_elements(g, &m->data_text, c->dtype, c->data, c->nbytes);
    rlxc_text_puts(&m->data_text, ";\n");
    return name;
}

/* |name| as an identifier, and in capitals. */
static const char *identifier(rlxc_context *ctx, const char *name, bool capitals)
{
    rlxc_text text = {.ctx = ctx};
    for (const char *c = name; *c; c++) {
        const bool small = *c >= 'a' && *c <= 'z', large = *c >= 'A' && *c <= 'Z';
        const bool digit = *c >= '0' && *c <= '9';
        const char one = small && capitals                          ? (char)(*c - 'a' + 'A')
                         : small || large || (digit && text.length) ? *c
                                                                    : '_';
        rlxc_text_add(&text, &one, 1);
    }
    return text.data ? text.data : "model";
}

static void add(rlxc_text *out, const rlxc_text *part)
{
    if (part->length)
        rlxc_text_add(out, part->data, part->length);
}

void rlxc_c_options(rlxc_options *options)
{
    options->target = rlxc_target_c();
    options->opt_level = 1; /* no layouts for vectors; operators that are fused */
}

bool rlxc_emit_c(rlxc_context *ctx, const rlxc_module *module, const char *name, rlxc_c_files *out)
{
    rlxc_c_module m = {.ctx = ctx,
                       .module = module,
                       .macro = identifier(ctx, name, true),
                       .kernel_text = {.ctx = ctx},
                       .data_text = {.ctx = ctx},
                       .graph_text = {.ctx = ctx},
                       .header_text = {.ctx = ctx}};
    rlxc_text header = {.ctx = ctx}, source = {.ctx = ctx};
    m.cl = (rlxc_cl){.ctx = ctx,
                     .is_c = true,
                     .prefix = identifier(ctx, name, false),
                     .refuse = rlxc_internf(ctx, "%s_E_VALUE", m.macro),
                     .constants = {.ctx = ctx}};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax && !module->globals.items[i]->relax->is_private)
            rlxc_c_function(&m, module->globals.items[i]->relax);
    if (!rlxc_failed(ctx) && m.graph_text.length == 0)
        rlxc_error(ctx, (rlxc_range){0}, "the module exports no Relax function");
    if (rlxc_failed(ctx))
        return false;
    rlxc_text_printf(
        &header,
        "/* %s.h: made by rlxc " RLX_VERSION ".\n *\n"
        " * Tensors are pointers to compact elements, row by row. The functions return "
        "0, or why they\n * computed nothing that can be used. They allocate nothing. "
        "*/\n"
        "#ifndef %s_H\n#define %s_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "enum {\n  %s_E_SHAPE = 1, /* a size is not in its bounds */\n"
        "  %s_E_VALUE,     /* an index or another value is not what it must be */\n"
        "  %s_E_MEMORY     /* the arena is too small, or not aligned to 8 */\n};\n",
        name, m.macro, m.macro, m.macro, m.macro, m.macro);
    add(&header, &m.header_text);
    rlxc_text_puts(&header, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    rlxc_text_printf(&source,
                     "/* %s.c: made by rlxc " RLX_VERSION
                     ". C99; needs the C library's math functions. */\n#include \"%s.h\"\n\n"
                     "#include <math.h>\n#include <stdbool.h>\n#include <string.h>\n",
                     name, name);
    const rlxc_text *texts[2] = {&m.kernel_text, &m.graph_text};
    rlxc_c_helpers(&source, texts, 2);
    add(&source, &m.data_text);
    add(&source, &m.cl.constants);
    add(&source, &m.kernel_text);
    add(&source, &m.graph_text);
    *out = (rlxc_c_files){header.data, source.data};
    return !rlxc_failed(ctx);
}
