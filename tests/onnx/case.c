/* One case: compiles a model to a file, runs it in a fresh VM, compares its outputs (case.h). */
#include "tests/onnx/case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/schedule/explain.h"
#include "compiler/script/script.h"
#include "rlx/device.h"
#include "vm/cli/tensorproto.h"

bool case_fail(case_report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*report->reason)
        vsnprintf(report->reason, sizeof report->reason, format, args);
    va_end(args);
    return false;
}

unsigned char *case_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (data) {
        rewind(file);
        *out_size = fread(data, 1, (size_t)size, file);
    }
    if (file)
        fclose(file);
    return data;
}

/* --- compiling -------------------------------------------------------------------------------- */

static bool diagnosed(case_report *report, rlxc_context *ctx, const char *stage)
{
    const char *text = rlxc_render_diagnostics(ctx), *start = strstr(text, "error: ");
    start = start ? start + 7 : text;
    return case_fail(report, "%s%.*s", stage, (int)strcspn(start, "\n"), start);
}

/* Appends the reasons of |e| for work of the CPU, each once. */
static void note_fallen(case_report *report, const rlxc_explain *e)
{
    static const char mark[] = "with copies: ";
    for (uint32_t i = 0; i < e->places.count; i++) {
        const char *at = strstr(e->places.items[i], mark), *why = at ? at + strlen(mark) : "";
        char one[200];
        const size_t used = strlen(report->fallen);
        snprintf(one, sizeof one, "%.*s", (int)strcspn(why, "\n"), why);
        if (!strstr(report->fallen, one))
            snprintf(report->fallen + used, sizeof report->fallen - used, "%s%s", used ? "; " : "",
                     one);
    }
}

static bool to_file(case_report *report, const char *path, const void *bytes, size_t length,
                    bool through_text, const char *device, const char *out)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlx_exec_builder *builder = NULL;
    rlxc_options options;
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    bool ok = ctx && rlxc_options_init(ctx, &options, NULL, NULL, 2) &&
              rlx_exec_builder_create(NULL, &builder, &err) == RLX_OK;
    rlxc_explain explain = {.ctx = ctx};
    if (ok && device) {
        options.default_device = device;
        options.explain = &explain;
    }
    rlxc_module *module = ok ? rlxc_read_onnx(ctx, path, bytes, length, false) : NULL;
    if (!module)
        return diagnosed(report, ctx, "");
    if (through_text) { /* only the text is passed on */
        const char *text = rlxc_print_module(ctx, module);
        rlxc_context *second = rlxc_context_create(NULL);
        if (rlxc_failed(ctx) || !second)
            return diagnosed(report, ctx, "print: ");
        ctx = second;
        if (!rlxc_compile_text(ctx, "model.py", text, strlen(text), &options, builder))
            return diagnosed(report, ctx, "compile the text: ");
    } else if (!rlxc_compile_module(ctx, module, &options, NULL, builder)) {
        return diagnosed(report, ctx, "compile: ");
    }
    note_fallen(report, &explain);
    if (rlx_exec_builder_load(builder, NULL, &exe, &err) != RLX_OK ||
        rlx_executable_save(exe, out, &err) != RLX_OK)
        return case_fail(report, "executable: %s", err.message);
    return true;
}

rlx_vm *case_compile(case_report *report, const char *path, const void *bytes, size_t length,
                     bool through_text, const char *device)
{
    char out[64];
    struct rusage before, after;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = true};
    snprintf(out, sizeof out, "/tmp/rlx-backend-%d.rlx", (int)getpid());
    getrusage(RUSAGE_SELF, &before);
    bool ok = to_file(report, path, bytes, length, through_text, device, out);
    getrusage(RUSAGE_SELF, &after);
    report->seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                      (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                      1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
                      1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    report->peak = (size_t)after.ru_maxrss * 1024;
    report->model = length;
    if (ok && rlx_executable_load_file(out, &load, &exe, &err) != RLX_OK)
        ok = case_fail(report, "load: %s", err.message);
    unlink(out);
    if (ok && rlx_vm_create(exe, NULL, &vm, &err) != RLX_OK)
        case_fail(report, "vm: %s", err.message);
    return vm;
}

/* --- comparing -------------------------------------------------------------------------------- */

static double value_at(rlx_dtype t, const unsigned char *at)
{
    if (t.code == RLX_FLOAT && t.bits == 64) {
        double d;
        memcpy(&d, at, 8);
        return d;
    }
    if (t.code == RLX_FLOAT && t.bits == 16) {
        uint16_t h;
        memcpy(&h, at, 2);
        int exponent = h >> 10 & 31, mantissa = h & 1023;
        double m = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa + 1024, exponent - 25);
        return h & 0x8000 ? -m : m;
    }
    uint32_t bits = 0;
    memcpy(&bits, at, t.bits / 8u);
    if (t.code == RLX_BFLOAT)
        bits <<= 16;
    float f;
    memcpy(&f, &bits, 4);
    return (double)f;
}

static void shape_text(const rlx_tensor *t, char *out, size_t size)
{
    size_t used = 0;
    char name[24];
    used += (size_t)snprintf(out, size, "%s (", rlx_dtype_name(rlx_tensor_dtype(t), name));
    for (uint32_t i = 0; i < rlx_tensor_ndim(t) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)rlx_tensor_dims(t)[i]);
    if (used < size)
        snprintf(out + used, size - used, ")");
}

static bool equal(case_report *report, uint32_t index, rlx_value got, const rlx_tensor *want)
{
    rlx_tensor *g;
    rlx_error err = {0};
    if (got.kind != RLX_KIND_TENSOR)
        return case_fail(report, "output %u is no tensor", index);
    /* in the host's memory; kept until the process ends */
    if (rlx_tensor_to_device(NULL, got.as.tensor, NULL, &g, &err) != RLX_OK)
        return case_fail(report, "output %u: %s", index, err.message);
    rlx_dtype t = rlx_tensor_dtype(want);
    if (rlx_dtype_eq(rlx_tensor_dtype(g), RLX_BF16) && rlx_dtype_eq(t, RLX_U16))
        t = RLX_BF16; /* NumPy has no bfloat16, so the files store its bits */
    bool same = rlx_dtype_eq(rlx_tensor_dtype(g), t) && rlx_tensor_ndim(g) == rlx_tensor_ndim(want);
    for (uint32_t i = 0; same && i < rlx_tensor_ndim(g); i++)
        same = rlx_tensor_dims(g)[i] == rlx_tensor_dims(want)[i];
    if (!same) {
        char a[120], b[120];
        shape_text(g, a, sizeof a);
        shape_text(want, b, sizeof b);
        return case_fail(report, "output %u is %s, expected %s", index, a, b);
    }
    const unsigned char *p = rlx_tensor_data(g), *q = rlx_tensor_data(want);
    size_t width = rlx_dtype_size(t);
    for (int64_t i = 0; i < rlx_tensor_numel(want); i++, p += width, q += width) {
        if (memcmp(p, q, width) == 0)
            continue;
        if (t.code != RLX_FLOAT && t.code != RLX_BFLOAT)
            return case_fail(report, "output %u differs at element %lld", index, (long long)i);
        double a = value_at(t, p), b = value_at(t, q);
        if ((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-5 + 1e-3 * fabs(b))
            continue;
        return case_fail(report, "output %u differs at element %lld: %.6g, expected %.6g", index,
                         (long long)i, a, b);
    }
    return true;
}

/* A list of one item may also be given as the item. */
static bool equal_value(case_report *report, uint32_t index, rlx_value got, rlx_value want)
{
    if (want.kind == RLX_KIND_NONE)
        return got.kind == RLX_KIND_NONE ||
               case_fail(report, "output %u is no empty optional", index);
    if (want.kind != RLX_KIND_TUPLE)
        return equal(report, index, got, want.as.tensor);
    uint32_t n = rlx_tuple_count(want.as.tuple);
    bool list = got.kind == RLX_KIND_TUPLE;
    if (list && rlx_tuple_count(got.as.tuple) != n)
        return case_fail(report, "output %u has %u items, expected %u", index,
                         rlx_tuple_count(got.as.tuple), n);
    for (uint32_t k = 0; k < n; k++)
        if (!equal(report, index, list ? rlx_tuple_get(got.as.tuple, k) : got,
                   rlx_tuple_get(want.as.tuple, k).as.tensor))
            return false;
    return true;
}

bool case_read(case_report *report, const char *set, const char *stem, case_io *out)
{
    for (out->n = 0; out->n < CASE_MAX_IO; out->n++) {
        char path[900];
        rlx_error err = {0};
        snprintf(path, sizeof path, "%s/%s_%u.pb", set, stem, out->n);
        if (access(path, R_OK) != 0)
            return true;
        if (onnxproto_read(path, &out->values[out->n], &err) != RLX_OK)
            return case_fail(report, "%s_%u.pb: no tensor (%s)", stem, out->n,
                             strrchr(err.message, ':') ? strrchr(err.message, ':') + 2 : "");
    }
    return true;
}

/* Reinterprets a uint16 tensor as bfloat16 where the parameter is one. */
static bool as_bfloat(case_report *report, rlx_executable *exe, uint32_t param, rlx_value *io)
{
    rlx_type_info type;
    rlx_error err = {0};
    uint32_t f = rlx_executable_find_function(exe, RLX_STR("main"));
    if (io->kind != RLX_KIND_TENSOR)
        return true;
    rlx_tensor *bits, *t = io->as.tensor;
    rlx_function_info info;
    if (f == RLX_NONE || !rlx_executable_function(exe, f, &info) || param >= info.n_params ||
        !rlx_executable_type(exe, rlx_function_param_type(exe, f, param), &type) ||
        !rlx_dtype_eq(type.dtype, RLX_BF16) || !rlx_dtype_eq(rlx_tensor_dtype(t), RLX_U16))
        return true;
    if (rlx_tensor_create(NULL, RLX_BF16, rlx_tensor_ndim(t), rlx_tensor_dims(t), &bits, &err) !=
        RLX_OK)
        return case_fail(report, "%s", err.message);
    memcpy(rlx_tensor_mutable_data(bits), rlx_tensor_data(t), rlx_tensor_nbytes(t));
    *io = rlx_of_tensor(bits); /* the old value lives until the process ends */
    return true;
}

bool case_run(case_report *report, rlx_vm *vm, const case_io *in, const case_io *want)
{
    rlx_value got = rlx_none();
    rlx_error err = {0};
    case_io given = *in;
    for (uint32_t i = 0; i < given.n; i++)
        if (!as_bfloat(report, rlx_vm_executable(vm), i, &given.values[i]))
            return false;
    if (rlx_vm_invoke(vm, RLX_STR("main"), given.values, given.n, &got, &err) != RLX_OK)
        return case_fail(report, "run: %s", err.message);
    bool single =
        got.kind != RLX_KIND_TUPLE || (want->n == 1 && want->values[0].kind == RLX_KIND_TUPLE);
    if (!single && rlx_tuple_count(got.as.tuple) != want->n)
        return case_fail(report, "%u outputs, expected %u", rlx_tuple_count(got.as.tuple), want->n);
    for (uint32_t i = 0; i < want->n; i++)
        if (!equal_value(report, i, single ? got : rlx_tuple_get(got.as.tuple, i), want->values[i]))
            return false;
    rlx_value_release(got);
    return true;
}

void case_backend(case_report *report, const char *folder, case_mode mode, const char *device)
{
    char model[800], set[900];
    size_t length = 0;
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    snprintf(model, sizeof model, "%s/model.onnx", folder);
    unsigned char *bytes = case_file(model, &length);
    if (bytes && mode == CASE_BATCH)
        bytes = batch_rewrite(bytes, length, &length);
    else if (bytes && (mode == CASE_FREE || mode == CASE_UNRANKED))
        bytes = unknown_rewrite(bytes, length, mode == CASE_UNRANKED, &length);
    if (!bytes) {
        case_fail(report, "%s cannot be read", model);
        return;
    }
    rlx_vm *vm = case_compile(report, model, bytes, length, mode == CASE_RELAX, device);
    for (uint32_t i = 0; vm; i++) {
        case_io in, want;
        snprintf(set, sizeof set, "%s/test_data_set_%u", folder, i);
        if (access(set, R_OK) != 0) {
            report->passed = true;
            break;
        }
        if (!case_read(report, set, "input", &in) || !case_read(report, set, "output", &want) ||
            !(mode == CASE_BATCH ? batch_run(report, name, vm, &in, &want)
                                 : case_run(report, vm, &in, &want)))
            break;
    }
}
