/* The rlx program: picks the command. */
#include "vm/cli/cli.h"

#include <string.h>

static const struct {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "call a function and write or print its result", cli_command_run},
    {"time", "measure calls of a function", cli_command_time},
    {"profile", "show where a call's time goes", cli_command_profile},
    {"dump", "show the contents of a file", cli_command_dump},
    {"verify", "check a whole file, and its signature", cli_command_verify},
    {"sign", "sign a file", cli_command_sign},
    {"keygen", "create a key pair for signing", cli_command_keygen},
    {"asm", "assemble text into an executable", cli_command_asm},
    {"devices", "list the devices of this machine", cli_command_devices},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* A full disk or a closed pipe at stdout is a failure too. */
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    cli_complain("the output could not be written");
    return status == CLI_OK ? CLI_FAILED : status;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("rlx %s\n", rlx_version());
        return CLI_OK;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs("usage: rlx COMMAND [options]   (rlx COMMAND --help explains one)\n\n",
              argc < 2 ? stderr : stdout);
        for (int i = 0; i < N_COMMANDS; i++)
            fprintf(argc < 2 ? stderr : stdout, "  %-8s %s\n", commands[i].name, commands[i].help);
        fputs("\nrun, time and profile run the native code in a file with your full permissions: "
              "run only\n"
              "files that you trust, or add --require-key or --no-native. The other commands "
              "execute nothing.\n",
              argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_USAGE : CLI_OK;
    }
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], names[i]) == 0)
            return finish(commands[i].run(argc - 2, argv + 2));
    }
    const char *near = cli_nearest(argv[1], names, N_COMMANDS);
    if (near)
        cli_complain("unknown command %s; did you mean %s?", argv[1], near);
    else
        cli_complain("unknown command %s; rlx --help lists the commands", argv[1]);
    return CLI_USAGE;
}
