/* rlx on a device: see device.h. */
#include "bench/peers/device.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void bench_no_device(const char *what, const char *why)
{
    fprintf(stderr, "no %s device: %s\n", what, why);
    exit(BENCH_NO_DEVICE);
}

rlx_device *bench_first_device(const char *kind, const char *what)
{
    rlx_error err = {0};
    rlx_device *device = NULL;
    if (rlx_device_open(NULL, kind, 0, &device, &err) != RLX_OK)
        bench_no_device(what, err.message);
    return device;
}

void bench_run_and_wait(void *on_device)
{
    bench_on_device *d = on_device;
    rlx_error err = {0};
    bench_run_invocation(&d->call);
    if (rlx_device_sync(d->device, &err) != RLX_OK)
        bench_die("%s", err.message);
}

rlx_value bench_placed(rlx_device *d, rlx_value host)
{
    rlx_error err = {0};
    rlx_tensor *there = NULL;
    if (rlx_tensor_to_device(NULL, host.as.tensor, d, &there, &err) != RLX_OK)
        bench_die("%s", err.message);
    rlx_value_release(host);
    return rlx_of_tensor(there);
}

rlx_value bench_fetched(rlx_value there)
{
    rlx_error err = {0};
    rlx_tensor *host = NULL;
    if (there.kind != RLX_KIND_TENSOR ||
        rlx_tensor_to_device(NULL, there.as.tensor, NULL, &host, &err) != RLX_OK)
        bench_die("result: %s", err.message);
    rlx_value_release(there);
    return rlx_of_tensor(host);
}
