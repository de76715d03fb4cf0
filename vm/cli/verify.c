/* rlx verify: loads a file, which verifies it, and compares the checksum that loading leaves out,
 * that of the constants' bytes. The native code in the file is not run. */
#include "vm/cli/cli.h"

static bool set(void *user, const cli_option *option, const char *value)
{
    (void)option;
    return cli_set_file(user, value);
}

static int verify(const char *file)
{
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    if (!file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    if (rlx_executable_load_file(file, NULL, &exe, &err) != RLX_OK ||
        rlx_executable_verify_constants(exe, &err) != RLX_OK ||
        rlx_executable_verify_plans(exe, &err) != RLX_OK) {
        rlx_executable_release(exe);
        return cli_fail(&err);
    }
    char size[32];
    printf("%s: ok, %u functions, %u kernels, %u constants, %s\n", file,
           rlx_executable_function_count(exe), rlx_executable_kernel_count(exe),
           rlx_executable_constant_count(exe),
           cli_bytes_text(rlx_executable_size(exe), size, sizeof size));
    rlx_executable_release(exe);
    return CLI_OK;
}

int cli_command_verify(int argc, char **argv)
{
    const cli_command command = {"rlx verify FILE.rlx",
                                 "Checks a file in full: structure, bytecode, memory plans, all "
                                 "checksums. Runs nothing of it.",
                                 NULL, 0, false};
    const char *file = NULL;
    bool help;
    int status = cli_parse(&command, argc, argv, set, &file, &help);
    return status == CLI_OK && !help ? verify(file) : status;
}
