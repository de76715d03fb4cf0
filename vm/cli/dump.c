/* rlx dump: shows the contents of a file. No code in it runs; native code is only described.
 *
 * Without a selection everything is shown. --asm is the one form that `rlx asm` reads again. */
#include "vm/cli/cli.h"

#include <rlx/cpu.h>

#include <stdlib.h>
#include <string.h>

enum {
    PART_FUNCTIONS = 1,
    PART_BYTECODE = 2,
    PART_CONSTANTS = 4,
    PART_KERNELS = 8,
    PART_MEMORY = 16,
    PART_META = 32,
    PART_DEVICES = 64,
    PART_ALL = 127,
    PART_ASM = 128,
};

typedef struct arguments {
    const char *file;
    uint32_t parts;
    const char *dims[CLI_MAX_NAMED];
    uint32_t n_dims;
    const char *svg;
    uint32_t level; /* 0: the one that this machine would run */
} arguments;

static const cli_option options[] = {
    {"--functions", "", "signatures"},
    {"--bytecode", "", "instructions, with their source locations"},
    {"--constants", "", "constants"},
    {"--kernels", "", "kernels' signatures, imported builtins, native code"},
    {"--devices", "", "devices, code for them, launches of kernels"},
    {"--memory", "", "memory plan of each function, and its allocations outside the plan"},
    {"--dim", "n=128", "value of a symbolic dimension, for --memory"},
    {"--svg", "F.svg", "draw the plan: time on the x axis, offset on the y axis"},
    {"--meta", "", "compiler, options, schedule, source"},
    {"--asm", "", "the whole file as assembly text"},
    {"--level", "N", "show the file's N-th CPU level instead of the one chosen on this machine"},
};
static const uint32_t part_of[] = {PART_FUNCTIONS,
                                   PART_BYTECODE,
                                   PART_CONSTANTS,
                                   PART_KERNELS,
                                   PART_DEVICES,
                                   PART_MEMORY,
                                   0,
                                   PART_MEMORY,
                                   PART_META,
                                   PART_ASM,
                                   0};
_Static_assert(sizeof part_of / sizeof *part_of == sizeof options / sizeof *options,
               "a part for each option");

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    if (!option)
        return cli_set_file(&a->file, value);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].name, option->name) == 0)
            a->parts |= part_of[i];
    }
    if (value && strcmp(option->name, "--svg") == 0) {
        a->svg = value;
        return true;
    }
    if (value && strcmp(option->name, "--level") == 0) {
        a->level =
            value[0] >= '1' && value[0] <= '9' && value[1] == '\0' ? (uint32_t)(value[0] - '0') : 0;
        if (a->level == 0)
            cli_complain("--level: expected a number from 1, got '%s'", value);
        return a->level != 0;
    }
    return !value || cli_add_named(a->dims, &a->n_dims, "--dim", value);
}

static void show_result_names(const rlx_executable *exe, uint32_t f)
{
    const uint32_t n = rlx_function_result_count(exe, f);
    char text[CLI_NAME_SHOWN];
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || rlx_function_result_name(exe, f, i).len > 0;
    for (uint32_t i = 0; i < n && any; i++)
        printf("%s%s%s", i ? ", " : "        results: ",
               cli_name_text(rlx_function_result_name(exe, f, i), text, sizeof text),
               i + 1 == n ? "\n" : "");
}

static void show_functions(const rlx_executable *exe)
{
    char text[2048];
    rlx_function_info info;
    puts("functions");
    for (uint32_t f = 0; rlx_executable_function(exe, f, &info); f++) {
        printf("  %4u  %s%s  registers=%u slots=%u words=%u\n", f,
               rlx_function_signature(exe, f, text, sizeof text), info.exported ? "" : "  private",
               info.n_registers, info.n_slots, info.n_words);
        show_result_names(exe, f);
    }
}

static int show_bytecode(const rlx_executable *exe)
{
    puts("bytecode");
    for (uint32_t f = 0; f < rlx_executable_function_count(exe); f++) {
        char *text = NULL;
        size_t length = 0;
        rlx_error err = {0};
        if (rlx_disassemble_function(NULL, exe, f, &text, &length, &err) != RLX_OK)
            return cli_fail(&err);
        fwrite(text, 1, length, stdout);
        rlx_free(NULL, text, length + 1, 1);
    }
    return CLI_OK;
}

static void show_constants(const rlx_executable *exe)
{
    puts("constants");
    for (uint32_t c = 0; c < rlx_executable_constant_count(exe); c++) {
        char name[32];
        snprintf(name, sizeof name, "  %4u", c);
        cli_print_value(stdout, name, rlx_executable_constant(exe, c));
    }
}

/* The first feature that |level| needs and this machine lacks; length 0 if there is none.
 */
static rlx_str lacking(const rlx_level_info *level)
{
    const char *at = level->features.data, *end = at + level->features.len;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const rlx_str feature = {at, (size_t)((comma ? comma : end) - at)};
        if (!rlx_cpu_has(feature))
            return feature;
        at = comma ? comma + 1 : end;
    }
    return (rlx_str){"", 0};
}

static void show_levels(const rlx_executable *exe)
{
    const uint32_t n = rlx_executable_level_count(exe), shown = rlx_executable_level(exe);
    rlx_level_info level;
    uint32_t best = 0;
    if (n == 0)
        return;
    for (uint32_t i = 1; rlx_executable_level_info(exe, i, &level); i++)
        best = level.runs ? i : best;
    puts("CPU levels");
    for (uint32_t i = 1; rlx_executable_level_info(exe, i, &level); i++) {
        const rlx_str lacks = lacking(&level);
        printf("  %4u  %.*s  %.*s", i, (int)level.name.len, level.name.data, (int)level.triple.len,
               level.triple.data);
        if (!level.runs && lacks.len == 0)
            printf("  for another machine");
        else if (!level.runs)
            printf("  this CPU lacks %.*s", (int)lacks.len, lacks.data);
        else if (i == best)
            printf("  runs here");
        puts(i == shown ? "  (shown below)" : "");
    }
}

static void show_native(const rlx_executable *exe)
{
    rlx_str triple;
    uint32_t n_features;
    const void *elf;
    size_t size;
    char text[32];
    if (!rlx_executable_native(exe, &triple, &n_features, &elf, &size))
        return;
    printf("native code: %s for %.*s", cli_bytes_text(size, text, sizeof text), (int)triple.len,
           triple.data);
    for (uint32_t i = 0; i < n_features; i++) {
        rlx_str feature = rlx_executable_native_feature(exe, i);
        printf("%s%.*s", i ? " " : ", needs ", (int)feature.len, feature.data);
    }
    putchar('\n');
}

static void show_kernels(const rlx_executable *exe)
{
    char text[1024];
    rlx_kernel_info info;
    puts("kernels");
    for (uint32_t k = 0; rlx_executable_kernel(exe, k, &info); k++) {
        printf("  %4u  %.*s(", k, (int)info.name.len, info.name.data);
        for (uint32_t p = 0; p < info.n_params; p++) {
            uint32_t type;
            bool output;
            if (rlx_executable_kernel_param(exe, k, p, &type, &output))
                printf("%s%s%s", p ? ", " : "", output ? "out " : "",
                       rlx_type_text(exe, RLX_NONE, type, text, sizeof text));
        }
        printf(")  dims=%u symbol=%.*s\n", info.n_dims, (int)info.symbol.len, info.symbol.data);
    }
    show_native(exe);
    puts("imports");
    for (uint32_t i = 0; i < rlx_executable_import_count(exe); i++) {
        rlx_str name = rlx_executable_import(exe, i);
        printf("  %4u  %.*s\n", i, (int)name.len, name.data);
    }
}

static void show_meta(const rlx_executable *exe)
{
    rlx_str key, value;
    rlx_public_key signer;
    char id[RLX_KEY_ID_SIZE];
    puts("metadata");
    if (rlx_executable_signer(exe, &signer, NULL))
        printf("  a signature of key %s (rlx verify --key checks it)\n", rlx_key_id(&signer, id));
    for (uint32_t i = 0; rlx_executable_metadata(exe, i, &key, &value); i++)
        printf("  %.*s: %.*s\n", (int)key.len, key.data, (int)value.len, value.data);
}

static int show_asm(const rlx_executable *exe)
{
    char *text = NULL;
    size_t length = 0;
    rlx_error err = {0};
    if (rlx_disassemble(NULL, exe, RLX_DISASSEMBLE_ALL, &text, &length, &err) != RLX_OK)
        return cli_fail(&err);
    fwrite(text, 1, length, stdout);
    rlx_free(NULL, text, length + 1, 1);
    return CLI_OK;
}

static int dump(const arguments *a)
{
    const uint32_t parts = a->parts ? a->parts : PART_ALL;
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    char size[32];
    if (!a->file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    if (a->svg && rlx_check_output(a->svg, &a->file, 1, &err) != RLX_OK) {
        cli_complain("%s", err.message);
        return CLI_USAGE;
    }
    if (rlx_executable_load_file(a->file, &(rlx_load_options){.level = a->level}, &exe, &err) !=
        RLX_OK)
        return cli_fail(&err);
    int status = CLI_OK;
    if (parts & PART_ASM) {
        status = show_asm(exe);
        rlx_executable_release(exe);
        return status;
    }
    printf("%s: %s\n", a->file, cli_bytes_text(rlx_executable_size(exe), size, sizeof size));
    show_levels(exe);
    if (parts & PART_FUNCTIONS)
        show_functions(exe);
    if (parts & PART_BYTECODE)
        status = show_bytecode(exe);
    if (status == CLI_OK && parts & PART_CONSTANTS)
        show_constants(exe);
    if (status == CLI_OK && parts & PART_KERNELS)
        show_kernels(exe);
    if (status == CLI_OK && parts & PART_DEVICES)
        cli_dump_devices(exe);
    if (status == CLI_OK && parts & PART_MEMORY)
        status = cli_dump_memory(exe, a->dims, a->n_dims, a->svg);
    if (status == CLI_OK && parts & PART_META)
        show_meta(exe);
    rlx_executable_release(exe);
    return status;
}

int cli_command_dump(int argc, char **argv)
{
    const cli_command command = {"rlx dump FILE.rlx [options]",
                                 "Shows the contents of a file: everything, or the parts chosen.",
                                 options, sizeof options / sizeof *options, false};
    arguments a = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    if (status == CLI_OK && !help)
        status = dump(&a);
    return status;
}
