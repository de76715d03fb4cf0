/* The disassembler's rows of devices: .device, .module and .launches. */
#include "vm/disasm.h"
#include "vm/load.h"

#include <rlx/asm.h>
#include <string.h>

/* An image that is text, a string for each line. */
static void print_lines(rlxv_buffer *b, rlx_str text)
{
    rlxv_buffer_printf(b, " text");
    for (size_t at = 0; at < text.len;) {
        const char *from = text.data + at, *end = memchr(from, '\n', text.len - at);
        const size_t n = end ? (size_t)(end - from) + 1 : text.len - at;
        rlxv_buffer_printf(b, "\n        ");
        rlxv_print_string(b, (rlx_str){from, n});
        at += n;
    }
}

static void print_image(rlxv_buffer *b, const rlx_code_image *image, uint32_t flags)
{
    rlxv_buffer_printf(b, "\n    ");
    rlxv_print_string(b, image->format);
    if (flags & RLX_DISASSEMBLE_NO_DATA)
        rlxv_buffer_printf(b, " # %zu bytes", image->size);
    else if (rlxv_is_utf8(image->data, image->size))
        print_lines(b, (rlx_str){image->data, image->size});
    else {
        rlxv_buffer_printf(b, " %zu hex", image->size);
        rlxv_print_hex(b, image->data, image->size);
    }
}

static void print_exprs(rlxv_buffer *b, const uint32_t *exprs, uint32_t n)
{
    rlxv_buffer_printf(b, " [");
    for (uint32_t i = 0; i < n; i++)
        rlxv_buffer_printf(b, "%se%u", i ? ", " : "", exprs[i]);
    rlxv_buffer_printf(b, "]");
}

static void print_arg(rlxv_buffer *b, const rlxv_launch *l, const rlx_launch_row_arg *arg)
{
    if (arg->source == RLX_LAUNCH_CHECKS) {
        rlxv_buffer_printf(b, "checks ");
        rlxv_print_string(b, l->checks);
        return;
    }
    switch ((rlx_launch_arg_kind)arg->type) {
    case RLX_LAUNCH_BUFFER:
        rlxv_buffer_printf(b, "%c%u", arg->source == RLX_LAUNCH_PARAM ? 'p' : 'u', arg->value);
        return;
    case RLX_LAUNCH_I32:
        rlxv_buffer_printf(b, "int32 e%u", arg->value);
        return;
    case RLX_LAUNCH_I64:
        rlxv_buffer_printf(b, "int64 e%u", arg->value);
        return;
    case RLX_LAUNCH_F32:
        rlxv_buffer_printf(b, "float32 e%u", arg->value);
        return;
    case RLX_LAUNCH_F64:
        rlxv_buffer_printf(b, "float64 e%u", arg->value);
        return;
    }
}

static void print_launch(rlxv_buffer *b, const rlxv_launch *l)
{
    rlxv_buffer_printf(b, "    ");
    rlxv_print_string(b, rlx_str_from(l->function));
    print_exprs(b, l->grid, 3);
    print_exprs(b, l->block, 3);
    rlxv_buffer_printf(b, " e%u (", l->shared);
    for (uint32_t i = 0; i < l->n_args; i++) {
        rlxv_buffer_printf(b, i ? ", " : "");
        print_arg(b, l, &l->args[i]);
    }
    rlxv_buffer_printf(b, ")\n");
}

static void print_launches(rlxv_buffer *b, const rlxv_kernel *k, uint32_t index)
{
    rlxv_buffer_printf(b, ".launches k%u m%u", index, k->module);
    print_exprs(b, k->scratch, k->n_scratch);
    rlxv_buffer_printf(b, " {\n");
    for (uint32_t i = 0; i < k->n_launches; i++)
        print_launch(b, &k->launches[i]);
    rlxv_buffer_printf(b, "}\n");
}

void rlxv_print_devices(rlxv_buffer *b, const rlx_executable *exe, uint32_t flags)
{
    for (uint32_t i = 1; i < exe->n_devices; i++) {
        const rlx_device_row *d = &exe->devices[i];
        rlxv_buffer_printf(b, ".device v%u ", i);
        rlxv_print_string(b, d->kind);
        rlxv_buffer_printf(b, " %u ", d->id);
        rlxv_print_string(b, d->scope);
        rlxv_buffer_printf(b, " ");
        rlxv_print_string(b, d->target);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; i < exe->n_modules; i++) {
        const rlxv_device_module *m = &exe->modules[i];
        rlxv_buffer_printf(b, ".module m%u ", i);
        rlxv_print_string(b, m->kind);
        rlxv_buffer_printf(b, " [");
        for (uint32_t k = 0; k < m->n_images; k++) {
            rlxv_buffer_printf(b, k ? "," : "");
            print_image(b, &m->images[k], flags);
        }
        rlxv_buffer_printf(b, "\n]\n");
    }
    for (uint32_t i = 0; i < exe->n_kernels; i++)
        if (exe->kernels[i].module != RLX_NONE)
            print_launches(b, &exe->kernels[i], i);
}
