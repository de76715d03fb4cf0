/* Code and launches on CUDA devices.
 *
 * Images: "ptx-sm_N" and "ptx" (sm_80) are text that the driver compiles for any GPU of at least
 * that capability; "cubin-sm_N" is machine code for GPUs of the same major capability. */
#include <stdio.h>
#include <string.h>

#include "vm/devices/cuda.h"

/* --- images ---------------------------------------------------------------------------------- */

/* The number after |prefix|, if |format| is that and nothing else. */
static bool capability_of(rlx_str format, const char *prefix, int *out)
{
    size_t n = strlen(prefix);
    if (format.len <= n || format.len > n + 3 || memcmp(format.data, prefix, n) != 0)
        return false;
    *out = 0;
    for (size_t i = n; i < format.len; i++) {
        if (format.data[i] < '0' || format.data[i] > '9')
            return false;
        *out = *out * 10 + (format.data[i] - '0');
    }
    return true;
}

static bool suits(const rlxv_cuda *d, rlx_str format, bool *is_text)
{
    int capability = 80;
    *is_text = true;
    if (rlx_str_eq(format, RLX_STR("ptx")) || capability_of(format, "ptx-sm_", &capability))
        return d->capability >= capability;
    *is_text = false;
    return capability_of(format, "cubin-sm_", &capability) &&
           d->capability / 10 == capability / 10 && d->capability >= capability;
}

static uint64_t read_le(const unsigned char *p, int n)
{
    uint64_t value = 0;
    for (int i = n; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

/* The driver takes the size of machine code from its own headers: they must stay within |size|. */
static bool is_whole_elf(const unsigned char *code, size_t size)
{
    enum { HEADER = 64, SECTION = 64, SEGMENT = 56, NOBITS = 8 };
    if (size < HEADER || memcmp(code, "\177ELF\2\1", 6) != 0)
        return false;
    uint64_t segments = read_le(code + 32, 8), sections = read_le(code + 40, 8);
    uint64_t n_segments = read_le(code + 56, 2), n_sections = read_le(code + 60, 2);
    if (read_le(code + 54, 2) != SEGMENT && n_segments > 0)
        return false;
    if (read_le(code + 58, 2) != SECTION || segments > size || sections > size ||
        n_segments > (size - segments) / SEGMENT || n_sections > (size - sections) / SECTION)
        return false;
    for (uint64_t i = 0; i < n_sections; i++) {
        const unsigned char *row = code + sections + i * SECTION;
        uint64_t offset = read_le(row + 24, 8), bytes = read_le(row + 32, 8);
        if (read_le(row + 4, 4) != NOBITS && (offset > size || bytes > size - offset))
            return false;
    }
    for (uint64_t i = 0; i < n_segments; i++) {
        const unsigned char *row = code + segments + i * SEGMENT;
        uint64_t offset = read_le(row + 8, 8), bytes = read_le(row + 32, 8);
        if (offset > size || bytes > size - offset)
            return false;
    }
    return true;
}

/* Code that another driver or GPU may take is VERSION: then the module's next image is tried. */
static rlx_status refused(const rlxv_cuda *d, int code, const char *log, rlx_error *err)
{
    static const struct {
        int code;
        rlx_status status;
    } rows[] = {
        {CU_NO_BINARY_FOR_GPU, RLX_E_VERSION},      {CU_UNSUPPORTED_PTX_VERSION, RLX_E_VERSION},
        {CU_JIT_COMPILER_NOT_FOUND, RLX_E_VERSION}, {CU_JIT_COMPILATION_DISABLED, RLX_E_VERSION},
        {CU_INVALID_IMAGE, RLX_E_INVALID_MODULE},   {CU_INVALID_PTX, RLX_E_INVALID_MODULE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rlx_fail(err, rows[i].status, "the code is refused (%d): %s", code,
                            log[0] ? log : "the driver does not say why");
    return rlxv_cuda_fail(d, code, "the code is refused", err);
}

static rlx_status load_image(rlxv_cuda *d, const void *image, void **out, rlx_error *err)
{
    char log[400] = "";
    int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    cu_module module = NULL;
    RLX_TRY(rlxv_cuda_enter(d, "loading code", err));
    int code = d->cu.cuModuleLoadDataEx(&module, image, 2, options, values);
    rlxv_cuda_leave(d);
    if (code != CU_OK)
        return refused(d, code, log, err);
    *out = module;
    return RLX_OK;
}

rlx_status rlxv_cuda_load(void *device, rlx_str format, const void *code, size_t size, void **out,
                          rlx_error *err)
{
    rlxv_cuda *d = device;
    bool is_text;
    if (!suits(d, format, &is_text))
        return rlx_fail(err, RLX_E_VERSION,
                        "the GPU is sm_%d: code of format \"%.*s\" is not for it", d->capability,
                        format.len < 60 ? (int)format.len : 60, format.data);
    if (!is_text && !is_whole_elf(code, size))
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the code is not a whole object");
    if (size == SIZE_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "the code is too long");
    /* The driver reads text up to a NUL, and machine code at aligned addresses. */
    char *copy = rlx_alloc(d->a, size + 1, 64);
    if (!copy)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading code");
    memcpy(copy, code, size);
    copy[size] = 0;
    rlx_status status = load_image(d, copy, out, err);
    rlx_free(d->a, copy, size + 1, 64);
    return status;
}

void rlxv_cuda_unload(void *device, void *module)
{
    rlxv_cuda *d = device;
    if (rlxv_cuda_enter(d, "", NULL) != RLX_OK)
        return;
    (void)d->cu.cuStreamSynchronize(d->stream); /* its kernels may still run */
    rlxv_cuda_drop_graphs(d);
    (void)d->cu.cuModuleUnload(module);
    rlxv_cuda_leave(d);
}

rlx_status rlxv_cuda_find(void *device, void *module, const char *name, void **out, rlx_error *err)
{
    rlxv_cuda *d = device;
    cu_function function = NULL;
    RLX_TRY(rlxv_cuda_enter(d, "looking for a kernel", err));
    int code = d->cu.cuModuleGetFunction(&function, module, name);
    rlxv_cuda_leave(d);
    if (code == CU_NOT_FOUND)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the code lacks the kernel '%.100s'", name);
    RLX_TRY(rlxv_cuda_fail(d, code, "looking for a kernel", err));
    *out = function;
    return RLX_OK;
}

/* --- launches -------------------------------------------------------------------------------- */

/* The arguments as a kernel gets them, each at a multiple of its size. A file may state fewer than
 * the kernel has: the driver is told their size, and reads no further than |bytes|. */
typedef struct arguments {
    size_t size;
    _Alignas(16) unsigned char bytes[4096]; /* as many as kernels of all GPUs can have */
} arguments;

static bool put(arguments *to, const void *value, size_t size)
{
    size_t at = (to->size + size - 1) / size * size;
    if (at > sizeof to->bytes - size)
        return false;
    memset(to->bytes + to->size, 0, at - to->size);
    memcpy(to->bytes + at, value, size);
    to->size = at + size;
    return true;
}

static bool put_argument(arguments *to, const rlx_launch_value *v)
{
    switch ((rlx_launch_arg_kind)v->kind) {
    case RLX_LAUNCH_BUFFER: {
        cu_pointer at = (cu_pointer)(uintptr_t)v->as.at.memory + v->as.at.offset;
        return put(to, &at, sizeof at);
    }
    case RLX_LAUNCH_I32: {
        int32_t i = (int32_t)v->as.i;
        return put(to, &i, sizeof i);
    }
    case RLX_LAUNCH_I64:
        return put(to, &v->as.i, sizeof v->as.i);
    case RLX_LAUNCH_F32: {
        float f = (float)v->as.f;
        return put(to, &f, sizeof f);
    }
    case RLX_LAUNCH_F64:
        return put(to, &v->as.f, sizeof v->as.f);
    }
    return false;
}

/* More than this of memory sized at the launch is given only where a kernel asks for it. */
enum { SHARED_UNASKED = 48 << 10 };

int rlxv_cuda_start(const rlxv_cuda *d, const rlxv_cuda_call *c, const void *args)
{
    size_t size = c->size;
    void *extra[] = {CU_LAUNCH_BUFFER, (void *)(uintptr_t)args, CU_LAUNCH_BUFFER_SIZE, &size,
                     CU_LAUNCH_END};
    if (c->shared > SHARED_UNASKED) {
        int code =
            c->shared > INT32_MAX
                ? CU_INVALID_VALUE
                : d->cu.cuFuncSetAttribute(c->function, CU_FUNC_MAX_DYNAMIC_SHARED, (int)c->shared);
        if (code != CU_OK)
            return code;
    }
    return d->cu.cuLaunchKernel(c->function, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                                c->block[1], c->block[2], c->shared, d->stream, NULL, extra);
}

rlx_status rlxv_cuda_launch(void *device, const rlx_launch *l, void **out_event, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlxv_cuda_event *event;
    arguments args;
    char what[160];
    args.size = 0;
    for (uint32_t i = 0; i < l->n_args; i++)
        if (!put_argument(&args, &l->args[i]))
            return rlx_fail(err, RLX_E_LIMIT, "kernel '%.100s' has too many arguments", l->name);
    rlxv_cuda_call call = {
        .function = l->function, .shared = l->shared_bytes, .size = (uint32_t)args.size};
    memcpy(call.grid, l->grid, sizeof call.grid);
    memcpy(call.block, l->block, sizeof call.block);
    if (!out_event && rlxv_cuda_keep(d, &call, l->name, args.bytes))
        return RLX_OK;
    snprintf(what, sizeof what, "kernel '%.100s'", l->name);
    RLX_TRY(rlxv_cuda_enter(d, what, err));
    rlx_status status = rlxv_cuda_begin(d, out_event, &event, err);
    if (status == RLX_OK) {
        status = rlxv_cuda_fail(d, rlxv_cuda_start(d, &call, args.bytes), what, err);
        status = rlxv_cuda_end(d, out_event, event, status, err);
    }
    rlxv_cuda_leave(d);
    return status;
}
