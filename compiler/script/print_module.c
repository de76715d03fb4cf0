/* Prints a module: metadata block, imports, the class with its attributes and functions.
 *
 * Functions are printed first, which collects the constants; their text goes after the metadata
 * block. */
#include "compiler/script/print.h"

static void print_vdevices(rlxc_printer *p, const rlxc_module *module)
{
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, "I.module_global_infos({\"vdevice\": [");
    for (uint32_t i = 0; i < module->vdevices.count; i++) {
        const rlxc_vdevice *device = &module->vdevices.items[i];
        rlxc_text_puts(&p->out, i > 0 ? ", I.vdevice(" : "I.vdevice(");
        rlxc_print_attr(p, &device->target);
        rlxc_text_printf(&p->out, ", %lld, ", (long long)device->index);
        rlxc_print_quoted(p, device->scope != NULL ? device->scope : "global");
        rlxc_text_puts(&p->out, ")");
    }
    rlxc_text_puts(&p->out, "]})\n");
}

static void print_class(rlxc_printer *p, const rlxc_module *module)
{
    rlxc_text_printf(&p->out, "@I.ir_module\nclass %s:\n", p->cls_name);
    p->indent = 1;
    if (module->attrs.count > 0) {
        rlxc_print_line(p);
        rlxc_text_puts(&p->out, "I.module_attrs(");
        rlxc_print_attr_dict(p, &module->attrs);
        rlxc_text_puts(&p->out, ")\n");
    }
    if (module->vdevices.count > 0)
        print_vdevices(p, module);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_out_of_memory(p->ctx); i++) {
        const rlxc_global *global = module->globals.items[i];
        rlxc_text_puts(&p->out, i > 0 ? "\n" : "");
        if (global->prim != NULL)
            rlxc_print_prim(p, global->prim);
        else
            rlxc_print_relax(p, global->relax);
    }
    if (module->globals.count == 0) {
        rlxc_print_line(p);
        rlxc_text_puts(&p->out, "pass\n");
    }
}

const char *rlxc_print_module(rlxc_context *ctx, const rlxc_module *module)
{
    rlxc_kept none = {0};
    return rlxc_print_module_keeping(ctx, module, &none);
}

const char *rlxc_print_module_keeping(rlxc_context *ctx, const rlxc_module *module, rlxc_kept *kept)
{
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    p.kept = kept;
    if (module->name != NULL)
        p.cls_name = module->name;
    print_class(&p, module);
    if (p.overflow && !rlxc_failed(ctx))
        rlxc_error(ctx, (rlxc_range){0}, "the module nests too deeply to be printed");

    rlxc_text whole = {.ctx = ctx};
    rlxc_print_metadata(&p, &whole);
    rlxc_keep_constants(&p, kept);
    rlxc_text_puts(&whole, "# from tvm.script import ir as I\n"
                           "# from tvm.script import tir as T\n"
                           "# from tvm.script import relax as R\n\n");
    rlxc_text_add(&whole, p.out.data != NULL ? p.out.data : "", p.out.length);
    return whole.data != NULL ? whole.data : "";
}
