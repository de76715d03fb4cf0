/* Shared by the kinds of devices with a vendor's driver (private): the rows of their functions, and
   the driver's library, which is opened when one of its devices is first asked for. */
#ifndef RLXV_DRIVER_H
#define RLXV_DRIVER_H

#include <rlx/device.h>

/* |user| of both: the allocator (const rlx_allocator *) for what they keep on the host; NULL: the
   default one. */
extern const rlx_device_api rlxv_opencl_api, rlxv_cuda_api;

/* Where a driver's functions are. The table of functions that a caller fills is an array of
   pointers, or a struct with nothing else in it, in the order of |names|. */
typedef struct rlxv_driver_row {
    const char *what;     /* for messages: "CUDA driver" */
    const char *variable; /* of the environment: a library to open instead of |file|; or NULL */
    const char *file;     /* "libcuda.so.1" */
    const char *const *names;
    uint32_t n_names, n_needed; /* those past n_needed may be absent: NULL */
} rlxv_driver_row;

/* Opens the library. It stays in memory for good, as drivers expect: a later call is cheap.
   NOT_FOUND: the library, or one of its functions, is missing. */
RLX_NODISCARD rlx_status rlxv_driver_open(const rlxv_driver_row *row, void **out_library,
                                          void *functions, rlx_error *err);
void rlxv_driver_close(void *library); /* NULL is allowed */

#endif
