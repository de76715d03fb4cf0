/* rlxc's command line. */
#ifndef RLXC_CLI_OPTIONS_H
#define RLXC_CLI_OPTIONS_H

#include <stdio.h>

#include "rlx/compiler.h"

typedef enum rlxc_action { /* what to do instead of compiling */
                           RLXC_ACTION_COMPILE,
                           RLXC_ACTION_HELP,
                           RLXC_ACTION_VERSION,
                           RLXC_ACTION_LIST_OPS,
                           RLXC_ACTION_LIST_PASSES
} rlxc_action;

enum {
    RLXC_MAX_PRINTS = 32,
    RLXC_MAX_BOUNDS = 32,
    RLXC_MAX_LINKS = 16,
    RLXC_MAX_POOL_OPTIONS = 16,
    RLXC_MAX_PASSES = 8,
    RLXC_MAX_CODEGENS = 8,
    RLXC_MAX_PLUGINS = 8,
    RLXC_BOUND_NAME = 1024,
    RLXC_CPU_NAME = 64,
    RLXC_MAX_JOBS = 256
};

typedef struct rlxc_command {
    rlxc_action action;
    const char *input, *output, *params, *schedule, *stop_after;
    const char *print_after[RLXC_MAX_PRINTS];
    uint32_t n_print_after;
    bool print_after_all, time_passes, strict_weights, lift_params, link_params;
    rlx_emit_form emit;
    rlx_tune_options tune;       /* seconds 0: not asked for */
    rlx_compile_options options; /* the arrays and texts are those below */
    char device_target[64];
    rlx_dim_bound bounds[RLXC_MAX_BOUNDS];
    char bound_names[RLXC_MAX_BOUNDS][RLXC_BOUND_NAME];
    const char *passes[RLXC_MAX_PASSES];
    const char *plugins[RLXC_MAX_PLUGINS];
    uint32_t n_plugins;
    const char *links[RLXC_MAX_LINKS];
    const char *codegens[RLXC_MAX_CODEGENS];
    const char *pools[RLXC_MAX_POOL_OPTIONS];
    char cpu_names[RLX_MAX_LEVELS][RLXC_CPU_NAME];
    const char *cpus[RLX_MAX_LEVELS]; /* --mcpu with several; options.cpu is NULL then */
    uint32_t n_cpus;
} rlxc_command;

/* False after a message on |err|: a usage error. Each option by itself is valid after that. */
bool rlxc_parse_command(int argc, char *const *argv, rlxc_command *out, FILE *err);
void rlxc_print_help(FILE *out);

#endif
