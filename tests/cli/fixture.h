/* Commands of the rlx program run inside the test: in a folder of its own, with what they print
   caught. */
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
/* The path of |name| in the folder, in a buffer that the next eight calls leave alone. */
const char *in_folder(cli_fixture *f, const char *name);
void write_file(cli_fixture *f, const char *name, const void *data, size_t size);
bool exists(cli_fixture *f, const char *name);
/* The whole of a file as text, to be freed. */
char *read_file(cli_fixture *f, const char *name);

typedef int (*cli_run_fn)(int argc, char **argv);
/* Runs a command on words separated by spaces, "@" standing for the folder and its "/", a tab for a
   space in a word. */
int command(cli_fixture *f, cli_run_fn run, const char *words);
/* Fails the test unless the command ends with |status| and its output or complaint holds |text|. */
void expect_command(cli_fixture *f, cli_run_fn run, const char *words, int status,
                    const char *text);
/* Assembles |text| to |name| in the folder. */
void assemble_to(cli_fixture *f, const char *name, const char *text);

#endif
