/* A module as C99: the files, and the order of everything. */
#include "compiler/codegen/c.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/codegen/c_emit.h"

const char *rlxc_c_identifier(rlxc_context *ctx, const char *name, bool capitals)
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

/* The bytes of all weights; and the function that recognises them. */
static void write_weights(rlxc_c_module *m, rlxc_c_files *out)
{
    const char *prefix = m->cl.prefix;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned char *bytes = rlxc_try_alloc(m->ctx, m->weights_bytes + 1, 1);
    if (!bytes)
        return;
    for (uint32_t i = 0; i < m->weights.count; i++)
        memcpy(bytes + m->weights.items[i].offset, m->weights.items[i].constant->data,
               m->weights.items[i].constant->nbytes);
    for (size_t i = 0; i < m->weights_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    rlxc_text_printf(&m->header_text,
                     "\n/* |weights|: the bytes of the file %s.weights, aligned to 8. The function "
                     "returns 0 if they are\n * that, else %s_E_WEIGHTS. */\n"
                     "#define %s_WEIGHTS_BYTES %zu\n"
                     "int %s_check_weights(const void *weights, size_t bytes);\n",
                     prefix, m->macro, m->macro, m->weights_bytes, prefix);
    rlxc_text_printf(&m->graph_text,
                     "\nint %s_check_weights(const void *weights, size_t bytes)\n{\n"
                     "  const unsigned char *at = weights;\n"
                     "  uint64_t hash = UINT64_C(0xcbf29ce484222325);\n"
                     "  if (bytes != %s_WEIGHTS_BYTES || (uintptr_t)weights %% 8 != 0)\n"
                     "    return %s_E_WEIGHTS;\n"
                     "  for (size_t i = 0; i < bytes; ++i)\n"
                     "    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);\n"
                     "  return hash == UINT64_C(%" PRIu64 ") ? 0 : %s_E_WEIGHTS;\n}\n",
                     prefix, m->macro, m->macro, hash, m->macro);
    out->weights = bytes;
    out->weights_bytes = m->weights_bytes;
}

bool rlxc_emit_c(rlxc_context *ctx, const rlxc_module *module, const char *name, bool weights_apart,
                 rlxc_c_files *out)
{
    rlxc_c_module m = {.ctx = ctx,
                       .module = module,
                       .apart = weights_apart,
                       .macro = rlxc_c_identifier(ctx, name, true),
                       .kernel_text = {.ctx = ctx},
                       .data_text = {.ctx = ctx},
                       .graph_text = {.ctx = ctx},
                       .header_text = {.ctx = ctx}};
    rlxc_text header = {.ctx = ctx}, source = {.ctx = ctx};
    m.cl = (rlxc_cl){.ctx = ctx,
                     .is_c = true,
                     .prefix = rlxc_c_identifier(ctx, name, false),
                     .refuse = rlxc_internf(ctx, "%s_E_VALUE", m.macro),
                     .constants = {.ctx = ctx}};
    rlxc_c_find_pools(&m);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax && !module->globals.items[i]->relax->is_private)
            rlxc_c_function(&m, module->globals.items[i]->relax);
    rlxc_c_write_constants(&m);
    if (!rlxc_failed(ctx) && m.graph_text.length == 0)
        rlxc_error(ctx, (rlxc_range){0}, "the module exports no Relax function");
    *out = (rlxc_c_files){.header = NULL};
    if (m.apart && !rlxc_failed(ctx))
        write_weights(&m, out);
    if (rlxc_failed(ctx))
        return false;
    rlxc_text_printf(
        &header,
        "/* %s.h: made by rlxc " RLX_VERSION ".\n *\n"
        " * Tensors are pointers to compact elements, row by row. The functions return "
        "0, or why they\n * computed nothing that can be used. They allocate nothing. "
        "*/\n"
        "#ifndef %s_H\n#define %s_H\n\n#include <stdbool.h>\n#include <stddef.h>\n#include "
        "<stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "enum {\n  %s_E_SHAPE = 1, /* a size is not in its bounds */\n"
        "  %s_E_VALUE,     /* an index or another value is not what it must be */\n"
        "  %s_E_MEMORY,    /* memory that the caller gives is missing, too small, or not aligned "
        "*/\n"
        "  %s_E_WEIGHTS    /* the bytes are not the model's weights */\n};\n",
        name, m.macro, m.macro, m.macro, m.macro, m.macro, m.macro);
    add(&header, &m.header_text);
    rlxc_text_puts(&header, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    rlxc_text_printf(&source,
                     "/* %s.c: made by rlxc " RLX_VERSION
                     ". C99; needs the C library's math functions. */\n#include \"%s.h\"\n\n"
                     "#include <math.h>\n#include <string.h>\n",
                     name, name);
    const rlxc_text *texts[2] = {&m.kernel_text, &m.graph_text};
    rlxc_c_helpers(&source, texts, 2);
    add(&source, &m.data_text);
    add(&source, &m.cl.constants);
    add(&source, &m.kernel_text);
    add(&source, &m.graph_text);
    out->header = header.data;
    out->source = source.data;
    return !rlxc_failed(ctx);
}
