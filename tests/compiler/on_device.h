/* Compiles modules for this machine's OpenCL driver and calls their functions. */
#ifndef RLX_TESTS_ON_DEVICE_H
#define RLX_TESTS_ON_DEVICE_H

#include "tests/support/rlx_test.h"

/* False, with a message that the test is skipped, if there is no OpenCL driver. */
bool on_device_is_possible(void);
/* Compiles and loads the text, with the tensors on the driver's first device. */
rlx_executable *on_device_compile(rlx_test *t, const char *text);
/* A tensor on the host that borrows |data|. */
rlx_value on_device_wrap(rlx_test *t, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                         void *data);
/* Calls |function| and releases |args|. The result is a tensor that the call left on a device;
 * returned is its copy on the host. */
rlx_tensor *on_device_call(rlx_test *t, rlx_vm *vm, const char *function, rlx_value *args,
                           uint32_t n);

#endif
