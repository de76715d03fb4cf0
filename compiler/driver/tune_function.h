/* Private to the tuner: one function alone, compiled with given steps, and its time. */
#ifndef RLXC_DRIVER_TUNE_FUNCTION_H
#define RLXC_DRIVER_TUNE_FUNCTION_H

#include "compiler/kernels/rules.h"
#include "rlx/builder.h"
#include "rlx/vm.h"

enum { RLXC_TUNE_DIMS = 16, RLXC_TUNE_POINTS = 3 };

typedef struct rlxc_tuned_tensor {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[RLXC_TUNE_DIMS];
} rlxc_tuned_tensor;

typedef struct rlxc_tuned_point { /* values of symbolic dimensions that a function is run with */
    const char *text;             /* a module of the function and main, which calls it */
    const char *dims;             /* "n=128 m=1" */
    rlxc_tuned_tensor *inputs;    /* of main */
} rlxc_tuned_point;

typedef struct rlxc_tuned { /* a function to be tuned */
    const char *name;
    const char *why_not; /* it cannot be tuned; or NULL */
    uint64_t hash;
    /* The largest value of a symbol's --bound, or 128; then small values, at which a new schedule
       only must not be slower. */
    rlxc_tuned_point points[RLXC_TUNE_POINTS];
    uint32_t n_points, n_inputs;
    bool has_scalars; /* whose values may be invalid indices: the function first runs with checks */
    const rlxc_schedule_steps *steps; /* steps that the rules decided */
    const char *const *blocks;        /* names of its blocks, in order (database.h) */
    uint32_t n_blocks;
    const struct rlxc_database_entry *known; /* what the database has for it; or NULL */
    const rlxc_schedule_steps *known_steps;
    double default_ns, tuned_ns, compile_seconds;
    uint32_t tried;
    bool complete;                   /* everything was tried */
    const rlxc_schedule_steps *best; /* NULL: the rules' own */
} rlxc_tuned;

typedef struct rlxc_tuned_how {
    const char *steps;    /* as text; NULL: rules decide */
    const rlxc_rule *off; /* all but this one; or NULL */
    bool checked;         /* accesses that are not proved in bounds fail */
} rlxc_tuned_how;

typedef struct rlxc_tuned_program { /* released by rlxc_tuned_release, in any state */
    rlxc_context *ctx;
    rlxc_rule_steps steps; /* |made|: what was applied; in |ctx| */
    rlx_exec_builder *builder;
    rlx_executable *exe;
    rlx_vm *vm;
    rlx_value *args;
    uint32_t n_args;
} rlxc_tuned_program;

/* True if the function can run alone, else |out->why_not| is set. Its results must be its last
 * buffer parameters; only integers may follow them. */
bool rlxc_tuned_describe(rlxc_context *ctx, const rlxc_options *options, const rlxc_prim_func *f,
                         rlxc_tuned *out);
/* False if the steps are refused. */
bool rlxc_tuned_compile(const rlxc_tuned *t, uint32_t point, const rlxc_options *options,
                        const rlxc_tuned_how *how, rlxc_tuned_program *out);
/* Nanoseconds of a call, the median of |samples|; negative: it failed. */
double rlxc_tuned_time(const rlxc_tuned_program *p, uint32_t samples);
void rlxc_tuned_release(rlxc_tuned_program *p);

#endif
