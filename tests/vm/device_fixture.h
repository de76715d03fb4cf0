/* A program for two devices with invented memory, and calls of its functions. */
#ifndef RLX_DEVICE_FIXTURE_H
#define RLX_DEVICE_FIXTURE_H

#include "tests/support/rlx_test.h"
#include "tests/support/test_device.h"

typedef struct device_setup {
    test_device_control control;
    rlx_executable *exe; /* of device_program */
    rlx_vm *vm;
    rlx_tensor *x; /* 0, 1, 2 */
} device_setup;

extern const char device_program[];
/* What its function main makes of 0, 1, 2. */
extern const float device_sums[3];

/* A registry with the kind "test". Created by the library's allocator, so that the test's own
 * counts only what a VM takes. */
rlx_registry *device_registry(rlx_test *t, test_device_control *c);
/* When nothing of the device is in use. */
void device_expect_clean(const test_device_control *c);
rlx_tensor *device_iota(rlx_test *t, int64_t n);
void device_release(rlx_tensor *x);
/* Whether the host sees 0, |factor|, 2 * |factor| ... */
bool device_is_iota(const rlx_tensor *x, float factor);

void device_begin(rlx_test *t, device_setup *s);
void device_end(device_setup *s);
/* *out is NULL if the result is no tensor. */
rlx_status device_call(rlx_test *t, rlx_vm *vm, const char *function, rlx_tensor *x,
                       rlx_tensor **out);
/* Calls |function| and expects these three numbers, wherever the result lies. */
void device_expect_result(rlx_test *t, const device_setup *s, const char *function,
                          const float *expected);

#endif
