/* The time evaluator: how long a call takes.

   A sample is the mean of |number| calls run back to back; |repeat| samples are taken. If a sample
   takes less than min_repeat_ms, |number| grows until it takes that long. The time covers
   rlx_vm_invoke and the release of its result, with inputs already in place, and at the end of a
   sample the wait for devices. Threads: as the VM. */
#ifndef RLX_TIME_H
#define RLX_TIME_H

#include <rlx/vm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_time_options {
    uint64_t number;        /* calls in a sample, at most 2^40; 0: 1 */
    uint32_t repeat;        /* samples; 0: 10; at most 1 000 000 */
    uint32_t min_repeat_ms; /* minimum duration of a sample */
    uint32_t cooldown_ms;   /* sleep between samples */
    uint32_t warmup;        /* calls before the first sample, not counted */
} rlx_time_options;

/* Nanoseconds per call over the samples. */
typedef struct rlx_time_result {
    uint64_t number; /* calls in a sample, after growing */
    uint32_t repeat;
    double min_ns, median_ns, mean_ns, stddev_ns, p90_ns, max_ns;
} rlx_time_result;

/* Errors: those of rlx_vm_invoke, NOMEM, INVALID_ARG. |options| may be NULL. */
RLX_NODISCARD RLX_API rlx_status rlx_time_evaluator(rlx_vm *vm, rlx_str function,
                                                    const rlx_value *args, uint32_t n,
                                                    const rlx_time_options *options,
                                                    rlx_time_result *out, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
