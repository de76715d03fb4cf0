/* rlx dump --devices: the devices that a file uses, its code for them, and the launches of each
 * kernel in terms of the kernel's dims. */
#include "vm/cli/cli.h"

enum { TEXT = 256 };

static void print_str(const char *before, rlx_str text)
{
    printf("%s%.*s", before, (int)text.len, text.data);
}

static void show_modules(const rlx_executable *exe)
{
    rlx_device_module_info module;
    rlx_code_image image;
    char size[32];
    puts("code for devices and loaders");
    for (uint32_t m = 0; rlx_executable_device_module(exe, m, &module); m++) {
        printf("  %4u  %.*s:", m, (int)module.kind.len, module.kind.data);
        for (uint32_t i = 0; rlx_executable_code_image(exe, m, i, &image); i++) {
            char name[CLI_NAME_SHOWN];
            printf("%s %s, %s", i ? ";" : "", cli_name_text(image.format, name, sizeof name),
                   cli_bytes_text(image.size, size, sizeof size));
        }
        putchar('\n');
    }
}

static void print_exprs(const rlx_executable *exe, const char *name, const uint32_t *exprs,
                        uint32_t n)
{
    char text[TEXT];
    printf("%s", name);
    for (uint32_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "(", rlx_expr_text(exe, RLX_NONE, exprs[i], text, sizeof text));
    printf(")");
}

static void print_arg(const rlx_executable *exe, const rlx_launch_row_arg *arg)
{
    static const char *const types[] = {"", "int32 ", "int64 ", "float32 ", "float64 "};
    char text[TEXT];
    if (arg->source == RLX_LAUNCH_EXPR)
        printf("%s%s", types[arg->type],
               rlx_expr_text(exe, RLX_NONE, arg->value, text, sizeof text));
    else if (arg->source == RLX_LAUNCH_CHECKS)
        printf("checks");
    else
        printf("%s %u", arg->source == RLX_LAUNCH_PARAM ? "parameter" : "scratch", arg->value);
}

static void show_launch(const rlx_executable *exe, const rlx_launch_row *launch)
{
    char name[CLI_NAME_SHOWN], text[TEXT];
    printf("          %s", cli_name_text(launch->function, name, sizeof name));
    print_exprs(exe, "  grid ", launch->grid, 3);
    print_exprs(exe, "  block ", launch->block, 3);
    printf("  shared %s", rlx_expr_text(exe, RLX_NONE, launch->shared, text, sizeof text));
    for (uint32_t i = 0; i < launch->n_args; i++) {
        printf("%s", i ? ", " : "  of ");
        print_arg(exe, &launch->args[i]);
    }
    putchar('\n');
}

static void show_launches(const rlx_executable *exe)
{
    rlx_kernel_info kernel;
    rlx_launch_row launch;
    char name[CLI_NAME_SHOWN], text[TEXT];
    puts("launches");
    for (uint32_t k = 0; rlx_executable_kernel(exe, k, &kernel); k++) {
        if (kernel.module == RLX_NONE)
            continue;
        printf("  %4u  %s  code %u", k, cli_name_text(kernel.name, name, sizeof name),
               kernel.module);
        for (uint32_t i = 0; i < kernel.n_scratch; i++)
            printf("%s%s", i ? ", " : "  scratch ",
                   rlx_expr_text(exe, RLX_NONE, rlx_executable_kernel_scratch(exe, k, i), text,
                                 sizeof text));
        puts(kernel.n_scratch ? " bytes" : "");
        for (uint32_t i = 0; rlx_executable_kernel_launch(exe, k, i, &launch); i++)
            show_launch(exe, &launch);
    }
}

void cli_dump_devices(const rlx_executable *exe)
{
    rlx_device_row row;
    if (rlx_executable_device_count(exe) < 2 && rlx_executable_device_module_count(exe) == 0)
        return;
    puts("devices");
    for (uint32_t i = 1; rlx_executable_device(exe, i, &row); i++) {
        char target[TEXT];
        printf("  %4u ", i);
        print_str(" ", row.kind);
        printf(":%u", row.id);
        print_str("  ", row.scope);
        printf("%s%s\n", row.target.len ? "  for " : "",
               row.target.len ? cli_name_text(row.target, target, sizeof target) : "");
    }
    if (rlx_executable_device_module_count(exe) == 0)
        return;
    show_modules(exe);
    show_launches(exe);
}
