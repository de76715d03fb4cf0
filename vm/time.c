/* The time evaluator: samples of back-to-back calls, and their statistics. */
#include "vm/need.h"
#include "vm/vm_impl.h"

#include <math.h>
#include <rlx/time.h>
#include <stdlib.h>
#include <time.h>

#define MAX_REPEAT 1000000u
#define MAX_NUMBER ((uint64_t)1 << 40)

static rlx_status run_sample(rlx_vm *vm, rlx_str function, const rlx_value *args, uint32_t n,
                             uint64_t number, uint64_t *out_ns, rlx_error *err)
{
    uint64_t start = rlxv_now();
    for (uint64_t i = 0; i < number; i++) {
        rlx_value out;
        RLX_TRY(rlx_vm_invoke(vm, function, args, n, &out, err));
        rlx_value_release(out);
    }
    RLX_TRY(rlx_vm_sync(vm, err));
    *out_ns = rlxv_now() - start;
    return RLX_OK;
}

/* Runs one sample of at least |least| ns; increases |*number| until it takes that long. */
static rlx_status long_sample(rlx_vm *vm, rlx_str function, const rlx_value *args, uint32_t n,
                              uint64_t least, uint64_t *number, uint64_t *out_ns, rlx_error *err)
{
    for (;;) {
        RLX_TRY(run_sample(vm, function, args, n, *number, out_ns, err));
        if (*out_ns >= least || *number >= MAX_NUMBER)
            return RLX_OK;
        uint64_t ns = *out_ns ? *out_ns : 1;
        double factor = (double)least / (double)ns * 1.1;
        uint64_t grown = factor > 10 ? *number * 10 : (uint64_t)((double)*number * factor) + 1;
        *number = grown;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates between the two samples round rank |q| of the sorted ones. */
static double quantile(const double *sorted, uint32_t n, double q)
{
    double at = q * (n - 1);
    uint32_t i = (uint32_t)at;
    double rest = at - i;
    return i + 1 < n ? sorted[i] * (1 - rest) + sorted[i + 1] * rest : sorted[i];
}

static void summarize(double *ns, uint32_t n, rlx_time_result *out)
{
    double sum = 0, squares = 0;
    qsort(ns, n, sizeof *ns, compare);
    for (uint32_t i = 0; i < n; i++)
        sum += ns[i];
    out->mean_ns = sum / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (ns[i] - out->mean_ns) * (ns[i] - out->mean_ns);
    out->stddev_ns = n > 1 ? sqrt(squares / (n - 1)) : 0;
    out->min_ns = ns[0];
    out->max_ns = ns[n - 1];
    out->median_ns = quantile(ns, n, 0.5);
    out->p90_ns = quantile(ns, n, 0.9);
}

static void cool_down(uint32_t ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

rlx_status rlx_time_evaluator(rlx_vm *vm, rlx_str function, const rlx_value *args, uint32_t n,
                              const rlx_time_options *options, rlx_time_result *out, rlx_error *err)
{
    RLXV_NEED(err, vm && RLXV_IS_STR(function) && (args || n == 0) && out);
    rlx_time_options o = options ? *options : (rlx_time_options){0};
    uint64_t number = o.number ? o.number : 1, ns;
    uint32_t repeat = o.repeat ? o.repeat : 10;
    if (repeat > MAX_REPEAT || number > MAX_NUMBER)
        return rlx_fail(err, RLX_E_INVALID_ARG, "number %llu or repeat %u is too large",
                        (unsigned long long)number, repeat);
    double *samples = rlx_alloc(&vm->allocator, repeat * sizeof *samples, 16);
    if (!samples)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory in the time evaluator");
    rlx_status status = RLX_OK;
    if (o.warmup)
        status = run_sample(vm, function, args, n, o.warmup, &ns, err);
    for (uint32_t i = 0; i < repeat && status == RLX_OK; i++) {
        if (i > 0 && o.cooldown_ms)
            cool_down(o.cooldown_ms);
        status = long_sample(vm, function, args, n, (uint64_t)o.min_repeat_ms * 1000000u, &number,
                             &ns, err);
        if (status == RLX_OK)
            samples[i] = (double)ns / (double)number;
    }
    if (status == RLX_OK) {
        out->number = number;
        out->repeat = repeat;
        summarize(samples, repeat, out);
    }
    rlx_free(&vm->allocator, samples, repeat * sizeof *samples, 16);
    return status;
}
