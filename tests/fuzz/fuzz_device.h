/* Devices for the functions that run_any.h runs: each kind that a file names gets a stand-in
 * (tests/support/test_device.h), so that instructions for devices run under mutation and no driver
 * is opened. Kinds whose names have an odd length are memory that the host reaches. A call with
 * objects that a device does not have, and anything that is left after the VM is destroyed, is a
 * bug of the library. */
#ifndef RLX_FUZZ_DEVICE_H
#define RLX_FUZZ_DEVICE_H

#include <rlx/rlx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test_device.h"

enum { FUZZ_KINDS = 4, FUZZ_CPU_BYTES = 16 << 10 };

typedef struct fuzz_devices {
    test_device_control controls[FUZZ_KINDS];
    uint32_t n;
} fuzz_devices;

static rlx_status fuzz_add_kind(rlx_registry *r, fuzz_devices *f, const char *kind)
{
    if (f->n == FUZZ_KINDS)
        return RLX_OK; /* not found at run time */
    test_device_control *c = &f->controls[f->n];
    rlx_device_api api = *test_device_api(c);
    api.kind = kind;
    c->any_code = true;
    c->is_host_memory = strlen(kind) % 2 == 1;
    const rlx_status status = rlx_registry_add_device(r, &api, c, NULL);
    f->n += status == RLX_OK;
    return status;
}

/* Errors for names that are taken or cannot be a kind's are those of a file: the calls report them
 * again. */
static rlx_status fuzz_add_devices(rlx_registry *r, fuzz_devices *f, const rlx_executable *exe)
{
    rlx_device_row row;
    char kind[64], scope[64];
    f->n = 0;
    for (uint32_t v = 1; rlx_executable_device(exe, v, &row); v++) {
        snprintf(kind, sizeof kind, "%.*s", (int)row.kind.len, row.kind.data);
        snprintf(scope, sizeof scope, "%.*s", (int)row.scope.len, row.scope.data);
        const rlx_cpu_device cpu = {sizeof cpu, row.id, NULL, FUZZ_CPU_BYTES, scope};
        const rlx_status status = strcmp(kind, "cpu") == 0 ? rlx_registry_add_cpu(r, &cpu, NULL)
                                                           : fuzz_add_kind(r, f, kind);
        if (status == RLX_E_NOMEM)
            return status;
    }
    return RLX_OK;
}

/* When the registry and all that was on the devices are gone. */
static void fuzz_check_devices(const fuzz_devices *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->controls[i].misuses || f->controls[i].live) {
            fprintf(stderr, "%u misuses of a device, the last: %s; %u objects are left\n",
                    f->controls[i].misuses, f->controls[i].misuse ? f->controls[i].misuse : "none",
                    f->controls[i].live);
            abort();
        }
}

#endif
