/* rlxc's command line. */
#ifndef RLXC_DRIVER_OPTIONS_H
#define RLXC_DRIVER_OPTIONS_H

#include <stdio.h>

#include "compiler/passes/passes.h"

typedef enum rlxc_emit_form {
    RLXC_EMIT_EXECUTABLE,
    RLXC_EMIT_RELAX,
    RLXC_EMIT_TIR,
    RLXC_EMIT_SCHEDULE,
    RLXC_EMIT_LLVM,
    RLXC_EMIT_ASM,
    RLXC_EMIT_OBJ,
    RLXC_EMIT_BYTECODE
} rlxc_emit_form;

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
    RLXC_BOUND_NAME = 1024,
    RLXC_MAX_JOBS = 256
};

typedef struct rlxc_command {
    rlxc_action action;
    const char *input, *output, *params, *schedule, *target, *cpu, *stop_after;
    const char *print_after[RLXC_MAX_PRINTS];
    uint32_t n_print_after;
    bool print_after_all, time_passes, explain, check, lenient, no_winograd;
    int opt_level;
    uint8_t row_bits;
    uint32_t jobs; /* 0: not said */
    rlxc_emit_form emit;
    struct {
        char name[RLXC_BOUND_NAME];
        int64_t min, max;
    } bounds[RLXC_MAX_BOUNDS];
    uint32_t n_bounds;
    const char *requests[RLXC_MAX_REQUESTS];
    uint32_t n_requests;
    rlx_dtype mixed;
    const char *links[RLXC_MAX_LINKS];
    uint32_t n_links;
} rlxc_command;

/* False after a message on |err|: a usage error. */
bool rlxc_parse_command(int argc, char *const *argv, rlxc_command *out, FILE *err);
void rlxc_print_help(FILE *out);

#endif
