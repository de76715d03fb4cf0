/* Private to the tuner: one function alone, compiled with given steps, and its time. */
#ifndef RLXC_DRIVER_TUNE_FUNCTION_H
#define RLXC_DRIVER_TUNE_FUNCTION_H

#include "compiler/kernels/rules.h"
#include "rlx/builder.h"
#include "rlx/vm.h"

enum { RLXC_TUNE_DIMS = 16 };

typedef struct rlxc_tuned_tensor {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[RLXC_TUNE_DIMS];
} rlxc_tuned_tensor;

typedef struct rlxc_tuned {  /* a function to be tuned */
    const char *name, *text; /* |text|: a module of the function and main, which calls it */
    const char *dims;        /* "n=128 m=1" */
    uint64_t hash;
    rlxc_tuned_tensor *inputs;
    uint32_t n_inputs;
    const rlxc_schedule_steps *steps; /* steps that the rules decided */
    double default_ns, tuned_ns;
    uint32_t tried;
    const char *best; /* steps as text; NULL: the rules' own */
} rlxc_tuned;

typedef struct rlxc_tuned_program { /* released by rlxc_tuned_release, in any state */
    rlxc_context *ctx;
    rlx_exec_builder *builder;
    rlx_executable *exe;
    rlx_vm *vm;
    rlx_value *args;
    uint32_t n_args;
} rlxc_tuned_program;

/* True if the function can run alone: its results are its last parameters, and all have buffers. */
bool rlxc_tuned_describe(rlxc_context *ctx, const rlxc_options *options, const rlxc_prim_func *f,
                         rlxc_tuned *out);
/* Compiles with |steps|, or with the rules' own if NULL. False if the steps are refused. */
bool rlxc_tuned_compile(const rlxc_tuned *t, const rlxc_options *options, const char *steps,
                        rlxc_tuned_program *out);
/* Nanoseconds of a call, the median of |samples|; negative: it failed. */
double rlxc_tuned_time(const rlxc_tuned_program *p, uint32_t samples);
void rlxc_tuned_release(rlxc_tuned_program *p);

#endif
