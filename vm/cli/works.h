/* The work of devices in a profile, for `rlx profile` and `rlx time`: as text, as JSON, and as
 * lanes of a trace. Where a profile has none, nothing is written. */
#ifndef RLX_CLI_WORKS_H
#define RLX_CLI_WORKS_H

#include "vm/cli/cli.h"

/* A table of kernels and copies, then a line for each device. |calls|: those that were profiled. */
void cli_works_print(const rlx_profile *p, uint64_t calls);
/* The lines for each device alone, per call. */
void cli_works_print_sums(const rlx_profile *p, uint64_t calls);
/* The rows, as an array "devices". */
void cli_works_json(const rlx_profile *p, cli_json *j);
/* The sums for each device and call, as an array "devices". */
void cli_works_json_sums(const rlx_profile *p, uint64_t calls, cli_json *j);
/* Trace events: a lane for the queue of each device. */
void cli_works_trace(const rlx_profile *p, cli_json *j);

#endif
