/* The program rlxc without its main(): tests call it with their own streams. */
#ifndef RLXC_CLI_CLI_H
#define RLXC_CLI_CLI_H

#include <stdio.h>

/* Exit status: 0 success, 1 failure with diagnostics on |err|, 2 usage. |out| gets lists, help,
 * printed modules and text forms without -o. */
int rlxc_main(int argc, char *const *argv, FILE *out, FILE *err);

#endif
