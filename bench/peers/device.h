/* rlx on a device, for the programs that compare it there with others. A failure prints a message
 * and ends the process; without a device the status is BENCH_NO_DEVICE, so that bench/run.py can
 * say what is left out. */
#ifndef BENCH_PEERS_DEVICE_H
#define BENCH_PEERS_DEVICE_H

#include "bench/bench.h"

#include <rlx/device.h>

enum { BENCH_NO_DEVICE = 3 };

/* |what|: "OpenCL" or "CUDA". */
_Noreturn void bench_no_device(const char *what, const char *why);
/* The first device of the kind; the caller releases it. */
rlx_device *bench_first_device(const char *kind, const char *what);

typedef struct bench_on_device {
    bench_invocation call;
    rlx_device *device;
} bench_on_device;

/* For bench_side: the call of a bench_on_device, until the device has done it. */
void bench_run_and_wait(void *on_device);
/* |host|, which it takes, on |d|: it then stays there from call to call. */
rlx_value bench_placed(rlx_device *d, rlx_value host);
/* |there|, which it takes, in the host's memory. */
rlx_value bench_fetched(rlx_value there);

#endif
