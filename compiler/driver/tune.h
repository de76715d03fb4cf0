/* The tuner: on this machine, measures sizes other than those the rules chose, and keeps the best.
 *
 * Each function is compiled alone, with random inputs; symbolic dimensions have the largest value
 * of their --bound, or 128. First each of its rules is left out, then alternatives
 * (compiler/kernels/alternatives.def) are measured one by one, each built on the best so far. The
 * best is kept if it takes at least 3 % less time in the median of alternating runs, and no more at
 * small values of symbolic dimensions. No measurement starts that would end after the time
 * limit. */
#ifndef RLXC_DRIVER_TUNE_H
#define RLXC_DRIVER_TUNE_H

#include "compiler/driver/database.h"
#include "compiler/passes/passes.h"

typedef struct rlxc_tune_request {
    double seconds;       /* for all functions together */
    const char *database; /* results are appended to it; or NULL */
    const char *csv;      /* all functions with their times are written to it; or NULL */
    const char *target;   /* the name of the target in entries */
    void (*line)(void *user, const char *text); /* called for each function; or NULL */
    void *user;
} rlxc_tune_request;

/* Tunes the functions of |module|; this lowers the module. False with diagnostics. */
bool rlxc_tune(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
               const rlxc_tune_request *request);

#endif
