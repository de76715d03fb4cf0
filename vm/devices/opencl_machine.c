/* OpenCL devices before they are opened: the driver's library, the devices' numbers and
   properties. */
#include "vm/devices/opencl.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

static const uint64_t any_type = 0xFFFFFFFFu;

/* The driver's codes: names, and the statuses that they stand for; others are DEVICE. */
static const struct {
    int16_t code;
    uint8_t status;
    char name[45];
} codes[] = {
    {-1, RLX_E_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {-2, RLX_E_DEVICE, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, RLX_E_INVALID_MODULE, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, RLX_E_NOMEM, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, RLX_E_DEVICE, "CL_OUT_OF_RESOURCES"},
    {-6, RLX_E_NOMEM, "CL_OUT_OF_HOST_MEMORY"},
    {-11, RLX_E_INVALID_MODULE, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, RLX_E_DEVICE, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-36, RLX_E_DEVICE, "CL_INVALID_COMMAND_QUEUE"},
    {-42, RLX_E_VERSION, "CL_INVALID_BINARY"},
    {-43, RLX_E_INVALID_MODULE, "CL_INVALID_BUILD_OPTIONS"},
    {-45, RLX_E_INVALID_MODULE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, RLX_E_INVALID_MODULE, "CL_INVALID_KERNEL_NAME"},
    {-49, RLX_E_INVALID_MODULE, "CL_INVALID_ARG_INDEX"},
    {-50, RLX_E_INVALID_MODULE, "CL_INVALID_ARG_VALUE"},
    {-51, RLX_E_INVALID_MODULE, "CL_INVALID_ARG_SIZE"},
    {-52, RLX_E_INVALID_MODULE, "CL_INVALID_KERNEL_ARGS"},
    {-54, RLX_E_LIMIT, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, RLX_E_LIMIT, "CL_INVALID_WORK_ITEM_SIZE"},
    {-61, RLX_E_LIMIT, "CL_INVALID_BUFFER_SIZE"},
    {-63, RLX_E_LIMIT, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, RLX_E_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"},
};

rlx_status rlxv_cl_fail(int32_t code, rlx_error *err, const char *format, ...)
{
    char text[sizeof err->message], number[24];
    const char *name = number;
    rlx_status status = RLX_E_DEVICE;
    va_list args;
    snprintf(number, sizeof number, "error %d", code);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code) {
            name = codes[i].name;
            status = (rlx_status)codes[i].status;
        }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rlx_fail(err, status, "%s: %s", text, name);
}

static rlx_status load_driver(rlxv_cl *out, rlx_error *err)
{
#define NAME(name, result, parameters) "cl" #name,
    static const char *const names[] = {RLXV_CL_FUNCTIONS(NAME)};
#undef NAME
    _Static_assert(sizeof *out == sizeof names, "the table is filled as an array");
    enum { N = sizeof names / sizeof *names };
    static const rlxv_driver_row row = {
        "OpenCL driver", "RLX_OPENCL_LIBRARY", "libOpenCL.so.1", names, N, N};
    void *library;
    RLX_TRY(rlxv_driver_open(&row, &library, out, err));
    rlxv_driver_close(library); /* which leaves it in memory */
    return RLX_OK;
}

/* A device and its platform. */
typedef struct place {
    void *platform, *device;
} place;

/* Counts the devices and finds number |id| among them. */
static rlx_status walk(const rlxv_cl *cl, uint32_t id, place *out, uint32_t *out_n, rlx_error *err)
{
    void *platforms[MAX_PLATFORMS], *devices[MAX_DEVICES];
    uint32_t n_platforms = 0;
    *out_n = 0;
    *out = (place){0};
    const int32_t code = cl->GetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms);
    if (code != 0)
        return rlxv_cl_fail(code, err, "no OpenCL platform");
    for (uint32_t p = 0; p < n_platforms && p < MAX_PLATFORMS; p++) {
        uint32_t n = 0;
        if (cl->GetDeviceIDs(platforms[p], any_type, MAX_DEVICES, devices, &n) != 0)
            continue; /* a platform without devices, or out of order: the others still work */
        n = n < MAX_DEVICES ? n : MAX_DEVICES;
        if (id >= *out_n && id - *out_n < n)
            *out = (place){platforms[p], devices[id - *out_n]};
        *out_n += n;
    }
    return *out_n > 0 ? RLX_OK : rlx_fail(err, RLX_E_NOT_FOUND, "no OpenCL platform has a device");
}

static rlx_status find_place(const rlxv_cl *cl, uint32_t id, place *out, rlx_error *err)
{
    uint32_t n;
    RLX_TRY(walk(cl, id, out, &n, err));
    if (!out->device)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no such device: %u found", n);
    return RLX_OK;
}

uint32_t rlxv_cl_count(void *user, rlx_error *err)
{
    (void)user;
    rlxv_cl cl;
    place unused;
    uint32_t n = 0;
    if (load_driver(&cl, err) == RLX_OK)
        (void)walk(&cl, 0, &unused, &n, err);
    return n;
}

/* Drivers differ in the size of numbers that they return; all are little-endian. 0: unknown. */
static uint64_t number(const rlxv_cl *cl, const place *at, uint32_t what)
{
    uint64_t value = 0;
    return cl->GetDeviceInfo(at->device, what, sizeof value, &value, NULL) == 0 ? value : 0;
}

/* A text of at most |size| - 1 bytes; empty if it is longer or unknown. */
static const char *text(const rlxv_cl *cl, const place *at, uint32_t what, char *out, size_t size)
{
    const int32_t code = what < RLXV_CL_MAX_COMPUTE_UNITS
                             ? cl->GetPlatformInfo(at->platform, what, size - 1, out, NULL)
                             : cl->GetDeviceInfo(at->device, what, size - 1, out, NULL);
    out[code == 0 ? size - 1 : 0] = 0;
    return out;
}

/* Drivers answer with 4 or 8 bytes. */
static uint32_t small(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

rlx_status rlxv_cl_info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err)
{
    enum { TYPE_CPU = 1 << 1 };
    (void)user;
    rlxv_cl cl;
    place at;
    char version[128], platform[128], driver[128];
    RLX_TRY(load_driver(&cl, err));
    RLX_TRY(find_place(&cl, id, &at, err));
    *out = (rlx_device_info){
        .memory_bytes = number(&cl, &at, RLXV_CL_GLOBAL_MEM_SIZE),
        .shared_bytes = number(&cl, &at, RLXV_CL_LOCAL_MEM_SIZE),
        .max_threads = small(number(&cl, &at, RLXV_CL_MAX_WORK_GROUP_SIZE)),
        .units = small(number(&cl, &at, RLXV_CL_MAX_COMPUTE_UNITS)),
        .warp = 1,
        .has_float64 = number(&cl, &at, RLXV_CL_DOUBLE_FP_CONFIG) != 0,
        .has_float16 = number(&cl, &at, RLXV_CL_HALF_FP_CONFIG) != 0,
    };
    if (number(&cl, &at, RLXV_CL_DEVICE_TYPE) & TYPE_CPU)
        out->vector_bytes = small(number(&cl, &at, RLXV_CL_NATIVE_VECTOR_WIDTH_FLOAT)) * 4;
    text(&cl, &at, RLXV_CL_DEVICE_NAME, out->name, sizeof out->name);
    text(&cl, &at, RLXV_CL_DEVICE_VERSION, version, sizeof version);
    /* A version is "OpenCL", a blank, "3.0", a blank and vendor-specific text. */
    snprintf(out->driver, sizeof out->driver, "%.10s, %.60s %.40s", version,
             text(&cl, &at, RLXV_CL_PLATFORM_NAME, platform, sizeof platform),
             text(&cl, &at, RLXV_CL_DRIVER_VERSION, driver, sizeof driver));
    return RLX_OK;
}

rlx_status rlxv_cl_find_device(uint32_t id, rlxv_cl_device *out, rlx_error *err)
{
    enum { CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7 };
    char platform[128], name[128], driver[128];
    place at;
    RLX_TRY(load_driver(&out->cl, err));
    RLX_TRY(find_place(&out->cl, id, &at, err));
    out->device = at.device;
    out->most_bytes = number(&out->cl, &at, RLXV_CL_MAX_MEM_ALLOC_SIZE);
    out->options = number(&out->cl, &at, RLXV_CL_SINGLE_FP_CONFIG) & CORRECTLY_ROUNDED_DIVIDE_SQRT
                       ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                       : "-cl-std=CL1.2";
    snprintf(out->machine, sizeof out->machine, "%s/%s/%s",
             text(&out->cl, &at, RLXV_CL_PLATFORM_NAME, platform, sizeof platform),
             text(&out->cl, &at, RLXV_CL_DEVICE_NAME, name, sizeof name),
             text(&out->cl, &at, RLXV_CL_DRIVER_VERSION, driver, sizeof driver));
    return RLX_OK;
}
