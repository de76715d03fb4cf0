/* OpenCL programs: images of a module built by the driver, and their kernels.

   "opencl-c" is source text; what the driver builds from it is kept in the user's cache folder.
   "opencl-bin:MACHINE" is what the driver of that machine built before. */
#include "vm/devices/opencl.h"

#include <stdio.h>
#include <string.h>

typedef struct module {
    void *program;
    rlxv_cl_kernel *kernels; /* found so far */
} module;

/* The line of the driver's log that names the first error, else the log's first line. */
static rlx_str log_line(const rlxv_cl_device *d, void *program, char *log, size_t size)
{
    size_t length = 0;
    log[0] = 0;
    if (d->cl.GetProgramBuildInfo(program, d->device, RLXV_CL_BUILD_LOG, size - 1, log, &length) !=
        0)
        length = 0;
    log[length < size ? length : size - 1] = 0;
    const char *line = strstr(log, "error");
    line = line ? line : log;
    while (line > log && line[-1] != '\n')
        line--;
    return (rlx_str){line, strcspn(line, "\n")};
}

static rlx_status build(const rlxv_cl_device *d, void *program, rlx_error *err)
{
    enum { LOG = 16384 };
    const int32_t code = d->cl.BuildProgram(program, 1, &d->device, d->options, NULL, NULL);
    if (code == 0)
        return RLX_OK;
    char *log = rlx_alloc(&d->allocator, LOG, 1);
    const rlx_str line = log ? log_line(d, program, log, LOG) : RLX_STR("");
    const rlx_status status = rlxv_cl_fail(code, err, "the kernels cannot be built: %.*s",
                                           (int)(line.len < 240 ? line.len : 240), line.data);
    rlx_free(&d->allocator, log, LOG, 1);
    return status;
}

/* Builds |program| and releases it on failure; NULL with |code| is a failure of its creation. */
static rlx_status built(const rlxv_cl_device *d, void *program, int32_t code, rlx_error *err)
{
    if (!program)
        return rlxv_cl_fail(code, err, "the kernels are refused");
    const rlx_status status = build(d, program, err);
    if (status != RLX_OK)
        d->cl.ReleaseProgram(program);
    return status;
}

static rlx_status from_binary(const rlxv_cl_device *d, const void *binary, size_t size,
                              void **out_program, rlx_error *err)
{
    int32_t code = 0, of_device = 0;
    const uint8_t *bytes = binary;
    *out_program =
        d->cl.CreateProgramWithBinary(d->context, 1, &d->device, &size, &bytes, &of_device, &code);
    return built(d, *out_program, code, err);
}

/* The driver's binary, from rlx_alloc, with |*out_size| its size; NULL: none. */
static uint8_t *binary_of(const rlxv_cl_device *d, void *program, size_t *out_size)
{
    if (d->cl.GetProgramInfo(program, RLXV_CL_PROGRAM_BINARY_SIZES, sizeof *out_size, out_size,
                             NULL) != 0 ||
        *out_size == 0)
        return NULL;
    uint8_t *binary = rlx_alloc(&d->allocator, *out_size, 1);
    if (!binary ||
        d->cl.GetProgramInfo(program, RLXV_CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == 0)
        return binary;
    rlx_free(&d->allocator, binary, *out_size, 1);
    return NULL;
}

static void keep(const rlxv_cl_device *d, void *program, const void *source, size_t size)
{
    size_t n = 0;
    uint8_t *binary = binary_of(d, program, &n);
    if (binary)
        rlxv_cl_cache_keep(d, source, size, binary, n);
    rlx_free(&d->allocator, binary, n, 1);
}

static rlx_status from_source(const rlxv_cl_device *d, const char *source, size_t size,
                              void **out_program, rlx_error *err)
{
    int32_t code = 0;
    rlxv_cl_binary before = rlxv_cl_cache_find(d, source, size);
    if (before.file) {
        const rlx_status status = from_binary(d, before.data, before.size, out_program, NULL);
        rlxv_cl_cache_drop(d, &before);
        if (status == RLX_OK)
            return status;
    }
    *out_program = d->cl.CreateProgramWithSource(d->context, 1, &source, &size, &code);
    RLX_TRY(built(d, *out_program, code, err));
    keep(d, *out_program, source, size);
    return RLX_OK;
}

#define BINARY "opencl-bin:"

static rlx_status create_program(const rlxv_cl_device *d, rlx_str format, const void *code,
                                 size_t size, void **out, rlx_error *err)
{
    const rlx_str bin = RLX_STR(BINARY), machine = rlx_str_from(d->machine);
    if (rlx_str_eq(format, RLX_STR("opencl-c")))
        return from_source(d, code, size, out, err);
    if (format.len == bin.len + machine.len && memcmp(format.data, bin.data, bin.len) == 0 &&
        memcmp(format.data + bin.len, machine.data, machine.len) == 0)
        return from_binary(d, code, size, out, err);
    return rlx_fail(err, RLX_E_VERSION,
                    "the device runs \"opencl-c\" and \"opencl-bin:%s\", not \"%.*s\"", d->machine,
                    (int)(format.len < 100 ? format.len : 100), format.data);
}

rlx_status rlxv_cl_load_module(void *device, rlx_str format, const void *code, size_t size,
                               void **out_module, rlx_error *err)
{
    rlxv_cl_device *d = device;
    module *m = rlx_alloc(&d->allocator, sizeof *m, _Alignof(module));
    if (!m)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading kernels");
    *m = (module){0};
    const rlx_status status = create_program(d, format, code, size, &m->program, err);
    if (status == RLX_OK)
        *out_module = m;
    else
        rlx_free(&d->allocator, m, sizeof *m, _Alignof(module));
    return status;
}

rlx_status rlxv_cl_build(void *device, rlx_str format, const void *code, size_t size,
                         rlx_device_sink *sink, void *user, rlx_error *err)
{
    const rlxv_cl_device *d = device;
    char name[sizeof BINARY + RLXV_CL_MACHINE_TEXT];
    void *program;
    size_t n = 0;
    RLX_TRY(create_program(d, format, code, size, &program, err));
    uint8_t *binary = binary_of(d, program, &n);
    d->cl.ReleaseProgram(program);
    if (!binary)
        return rlx_fail(err, RLX_E_DEVICE, "the driver gives no binary");
    snprintf(name, sizeof name, BINARY "%s", d->machine);
    const rlx_status status = sink(user, rlx_str_from(name), binary, n, err);
    rlx_free(&d->allocator, binary, n, 1);
    return status;
}

void rlxv_cl_unload_module(void *device, void *handle)
{
    rlxv_cl_device *d = device;
    module *m = handle;
    for (rlxv_cl_kernel *k = m->kernels, *next; k; k = next) {
        next = k->next;
        d->cl.ReleaseKernel(k->handle);
        rlx_free(&d->allocator, k, k->size, _Alignof(rlxv_cl_kernel));
    }
    d->cl.ReleaseProgram(m->program);
    rlx_free(&d->allocator, m, sizeof *m, _Alignof(module));
}

rlx_status rlxv_cl_find_kernel(void *device, void *handle, const char *name, void **out,
                               rlx_error *err)
{
    rlxv_cl_device *d = device;
    module *m = handle;
    int32_t code = 0;
    for (rlxv_cl_kernel *k = m->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0) {
            *out = k;
            return RLX_OK;
        }
    const size_t length = strlen(name) + 1, size = sizeof(rlxv_cl_kernel) + length;
    rlxv_cl_kernel *k = rlx_alloc(&d->allocator, size, _Alignof(rlxv_cl_kernel));
    if (!k)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading kernels");
    *k = (rlxv_cl_kernel){m->kernels, d->cl.CreateKernel(m->program, name, &code), size, {{0}}};
    memcpy(k->name, name, length);
    if (!k->handle) {
        rlx_free(&d->allocator, k, size, _Alignof(rlxv_cl_kernel));
        return rlxv_cl_fail(code, err, "there is no kernel '%s'", name);
    }
    m->kernels = k;
    *out = k;
    return RLX_OK;
}
