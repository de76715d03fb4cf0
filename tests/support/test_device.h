/* A kind of device with invented memory, for tests: locations in it are not addresses, and queued
 * work is done, in order, only when somebody waits. Code of the format "test" is a list of names of
 * its kernels, one a line. Any of its functions can be made to fail. Fuzz targets use it too, so it
 * needs no test framework. */
#ifndef RLX_TEST_DEVICE_H
#define RLX_TEST_DEVICE_H

#include <rlx/rlx.h>

typedef struct test_device_control {
    uint32_t devices;                  /* how many there are: 2 */
    uint32_t calls;                    /* since the test set it to 0, of functions that may fail */
    uint32_t fail_at;                  /* the call, counted from 1, that fails; 0: none */
    bool fail_after;                   /* all later calls fail as well: the device is lost */
    rlx_status code;                   /* of a failing call */
    const char *failed;                /* the function that failed last; NULL: none */
    uint32_t live;                     /* opened devices, blocks of memory, modules, events */
    uint32_t misuses;                  /* calls with what the device does not have */
    const char *misuse;                /* the last one */
    uint64_t memory_bytes;             /* of each device: 1 MiB */
    uint32_t opened, loaded, launched; /* calls so far */
    uint32_t gatherers;                /* calls of gather that ask for launches to be kept */
    uint64_t allocs;
    bool is_host_memory; /* memory is the host's own, and nothing waits */
    /* Code of any format loads and has kernels of all names, for files of any content. Such a
     * kernel reads its buffers to the ends of their blocks and then writes the last one. */
    bool any_code;
} test_device_control;

/* The kind "test", of type 12 (DLPack's for extensions). Kernels: "add" (x, y, out, int64 n),
 * "neg" (x, out, int64 n), "scale" (x, out, int64 n, float32 factor), "twice" (x, scratch, out,
 * int64 n), "count" (out, int32 i): writes the number of threads; "fault"; "limit" (x, out, int64
 * n, checks). */
const rlx_device_api *test_device_api(test_device_control *control);

#endif
