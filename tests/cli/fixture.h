/* Runs commands of the rlx program inside the test process, in a temporary folder, and captures
 * their output. */
#ifndef CLI_FIXTURE_H
#define CLI_FIXTURE_H

#include "tests/support/rlx_test.h"
#include "vm/cli/cli.h"
#include "vm/cli/npy.h"

typedef struct cli_fixture {
    char folder[64];
    char out[1 << 16], err[1 << 14]; /* of the last command */
} cli_fixture;

void fixture_init(cli_fixture *f);
void fixture_deinit(cli_fixture *f); /* removes the folder */
/* The path of |name| in the folder; the buffer stays valid for eight calls. */
const char *in_folder(cli_fixture *f, const char *name);
void write_file(cli_fixture *f, const char *name, const void *data, size_t size);
bool exists(cli_fixture *f, const char *name);
/* Reads a whole file as text; the caller frees it. */
char *read_file(cli_fixture *f, const char *name);

typedef int (*cli_run_fn)(int argc, char **argv);
/* Runs a command. Spaces separate |words|; "@" stands for the folder and "/", a tab for a space
 * inside a word. */
int command(cli_fixture *f, cli_run_fn run, const char *words);
/* Expects the command to end with |status| and |text| in its output or error message. */
void expect_command(cli_fixture *f, cli_run_fn run, const char *words, int status,
                    const char *text);
/* Assembles |text| into |name| in the folder. */
void assemble_to(cli_fixture *f, const char *name, const char *text);

#endif
