/* The engine: applies a list of steps (step.h) to a PrimFunc of blocks and loops, one by one.
 *
 * Each step is checked before it changes anything: a step that would change what the function
 * computes, or whose blocks and loops do not fit, is an error that names step, block or loop, and
 * the reason with its values. After an error the function is as it was before the list. */
#ifndef RLXC_SCHEDULE_ENGINE_H
#define RLXC_SCHEDULE_ENGINE_H

#include "compiler/schedule/step.h"
#include "compiler/target/target.h"

typedef struct rlxc_kernel_use { /* the input of a row of the table below */
    rlxc_context *ctx;
    rlxc_prim_func *f; /* the function as scheduled so far; |apply| may set its body */
    const char *block; /* the name of the block, which only one block of |f| has */
    const rlxc_step *step;
    rlxc_attrs sizes;
} rlxc_kernel_use;

/* The implementations that `tensorize` and `rewrite` look up by name; kernels/ has the rows. */
typedef struct rlxc_kernel_row {
    const char *name;
    rlxc_step_kind step; /* RLXC_STEP_tensorize or RLXC_STEP_rewrite */
    const char *doc;
    /* Replaces the block by the implementation; false with a diagnostic that says why the block
     * does not fit. Later steps cannot refer to removed blocks and loops; remaining ones keep their
     * loop variables, and blocks their names. */
    bool (*apply)(void *user, const rlxc_kernel_use *use);
} rlxc_kernel_row;

typedef struct rlxc_engine_options {
    const rlxc_kernel_row *kernels;
    uint32_t n_kernels;
    void *user;         /* of |apply| */
    const char *target; /* the name that messages have for it: "x86-64-v3" */
    /* Loops may be bound to its threads; NULL: the function runs on the CPU. */
    const rlxc_device_limits *device;
    const char **why; /* if not NULL, a step that does not fit is not an error, and its reason goes
                       * here */
} rlxc_engine_options;

/* Marks functions that a schedule was applied to; rules leave them alone. */
#define RLXC_SCHEDULED "rlx.scheduled"

/* False with diagnostics; |f| is then unchanged. */
bool rlxc_apply_steps(rlxc_context *ctx, rlxc_prim_func *f, const rlxc_schedule_steps *steps,
                      const rlxc_engine_options *options);

#endif
