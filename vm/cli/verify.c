/* rlx verify: loads a file, which verifies it, and compares the checksum of the constants' bytes,
 * which loading skips; checks the signature if keys are given. The native code in the file is not
 * run. */
#include "vm/cli/cli.h"

typedef struct arguments {
    const char *file;
    const char *keys[CLI_MAX_NAMED];
    uint32_t n_keys;
} arguments;

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    if (option)
        return cli_add_named(a->keys, &a->n_keys, option->name, value);
    return cli_set_file(&a->file, value);
}

/* Checks structure, bytecode and plans of the file's other CPU levels, if any. */
static int verify_levels(const arguments *a, const rlx_executable *first)
{
    int status = CLI_OK;
    for (uint32_t i = 1; i <= rlx_executable_level_count(first) && status == CLI_OK; i++) {
        rlx_executable *exe = NULL;
        rlx_error err = {0};
        if (i == rlx_executable_level(first))
            continue;
        status = cli_load(a->file, a->keys, a->n_keys, &(rlx_load_options){.level = i}, &exe);
        if (status == CLI_OK && rlx_executable_verify_plans(exe, &err) != RLX_OK)
            status = cli_fail(&err);
        rlx_executable_release(exe);
    }
    return status;
}

static int verify(const arguments *a)
{
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    rlx_public_key key;
    char size[32], id[RLX_KEY_ID_SIZE];
    bool checked;
    if (!a->file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    int status = cli_load(a->file, a->keys, a->n_keys, &(rlx_load_options){0}, &exe);
    if (status == CLI_OK && (rlx_executable_verify_constants(exe, &err) != RLX_OK ||
                             rlx_executable_verify_plans(exe, &err) != RLX_OK))
        status = cli_fail(&err);
    if (status == CLI_OK)
        status = verify_levels(a, exe);
    if (status == CLI_OK) {
        printf("%s: ok, %u functions, %u kernels, %u constants, %s", a->file,
               rlx_executable_function_count(exe), rlx_executable_kernel_count(exe),
               rlx_executable_constant_count(exe),
               cli_bytes_text(rlx_executable_size(exe), size, sizeof size));
        if (rlx_executable_level_count(exe) > 0)
            printf(", %u CPU levels", rlx_executable_level_count(exe));
        if (rlx_executable_signer(exe, &key, &checked))
            printf(checked ? ", signed with key %s"
                           : ", a signature of key %s (not checked: no --key)",
                   rlx_key_id(&key, id));
        putchar('\n');
    }
    rlx_executable_release(exe);
    return status;
}

int cli_command_verify(int argc, char **argv)
{
    static const cli_option options[] = {
        {"--key", "PUBLIC", "require a signature by this key (repeat it to accept several keys)"}};
    const cli_command command = {
        "rlx verify FILE.rlx [--key PUBLIC]...",
        "Checks a whole file: structure, bytecode, memory plans, all "
        "checksums; with --key, its signature. Runs no code from the file.",
        options, 1, false};
    arguments a = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    return status == CLI_OK && !help ? verify(&a) : status;
}
