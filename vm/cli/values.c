/* Results: to .npy files, or as a line of text; and quantities as text. */
#include "vm/cli/cli.h"

#include <rlx/floats.h>
#include <rlx/packed.h>
#include <stdlib.h>
#include <string.h>

#include "vm/cli/npy.h"
#include "vm/cli/tensorproto.h"

enum { MAX_RESULT_DEPTH = 64 };

/* Length of the ending .npy or .pb; 0 if there is neither. */
static size_t ending(const char *path)
{
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".npy") == 0)
        return 4;
    return length >= 3 && strcmp(path + length - 3, ".pb") == 0 ? 3 : 0;
}

/* "out.npy" and field 2: "out.2.npy"; without the ending the field goes last. */
static char *field_path(const char *path, uint32_t field)
{
    size_t length = strlen(path), stem = length - ending(path), size = length + 16;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s.%u%s", (int)stem, path, field, path + stem);
    return out;
}

static rlx_status write_elements(const cli_session *only_check, const char *path, rlx_dtype dtype,
                                 uint32_t ndim, const int64_t *dims, const void *data,
                                 rlx_error *err)
{
    if (only_check)
        return cli_check_output(only_check, path, err);
    return (ending(path) == 3 ? tensorproto_write : npy_write)(path, dtype, ndim, dims, data, err);
}

static rlx_status write_proto(const cli_session *only_check, const char *path, rlx_value v,
                              rlx_error *err)
{
    return only_check ? cli_check_output(only_check, path, err) : onnxproto_write(path, v, err);
}

static rlx_status write_at_depth(const cli_session *only_check, rlx_value v, const char *path,
                                 uint32_t depth, rlx_error *err)
{
    switch ((rlx_kind)v.kind) {
    case RLX_KIND_TENSOR:
        return write_elements(only_check, path, rlx_tensor_dtype(v.as.tensor),
                              rlx_tensor_ndim(v.as.tensor), rlx_tensor_dims(v.as.tensor),
                              rlx_tensor_data(v.as.tensor), err);
    case RLX_KIND_SHAPE: {
        const int64_t n = rlx_shape_ndim(v.as.shape);
        return write_elements(only_check, path, RLX_I64, 1, &n, rlx_shape_dims(v.as.shape), err);
    }
    case RLX_KIND_INT:
    case RLX_KIND_BOOL:
        return write_elements(only_check, path, RLX_I64, 0, NULL, &v.as.i, err);
    case RLX_KIND_FLOAT:
        return write_elements(only_check, path, RLX_F64, 0, NULL, &v.as.f, err);
    case RLX_KIND_TUPLE: {
        if (depth > 0 && ending(path) == 3)
            return write_proto(only_check, path, v, err);
        if (depth > MAX_RESULT_DEPTH)
            return rlx_fail(err, RLX_E_LIMIT, "%s: the result is nested too deeply", path);
        rlx_status status = RLX_OK;
        for (uint32_t i = 0; i < rlx_tuple_count(v.as.tuple) && status == RLX_OK; i++) {
            char *field = field_path(path, i);
            status = field ? write_at_depth(only_check, rlx_tuple_get(v.as.tuple, i), field,
                                            depth + 1, err)
                           : rlx_fail(err, RLX_E_NOMEM, "out of memory");
            free(field);
        }
        return status;
    }
    case RLX_KIND_NONE:
        if (ending(path) == 3)
            return write_proto(only_check, path, v, err);
        break;
    case RLX_KIND_DTYPE:
    case RLX_KIND_STRING:
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        break;
    }
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: a %s cannot be written to a .npy file", path,
                    rlx_kind_name((rlx_kind)v.kind));
}

/* |v| with all tensors in the host's memory, as a new reference. What is nested too deeply is left
 * as it is. */
static rlx_status to_host(rlx_value v, uint32_t depth, rlx_value *out, rlx_error *err)
{
    const uint32_t n = v.kind == RLX_KIND_TUPLE ? rlx_tuple_count(v.as.tuple) : 0;
    rlx_tensor *tensor;
    *out = rlx_none();
    if (v.kind == RLX_KIND_TENSOR) {
        RLX_TRY(rlx_tensor_to_device(NULL, v.as.tensor, NULL, &tensor, err));
        *out = rlx_of_tensor(tensor);
        return RLX_OK;
    }
    if (n == 0 || depth > MAX_RESULT_DEPTH) {
        *out = rlx_value_retain(v);
        return RLX_OK;
    }
    rlx_value *items = calloc(n, sizeof *items);
    rlx_tuple *tuple = NULL;
    rlx_status status = items ? RLX_OK : rlx_fail(err, RLX_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < n && status == RLX_OK; i++)
        status = to_host(rlx_tuple_get(v.as.tuple, i), depth + 1, &items[i], err);
    if (status == RLX_OK)
        status = rlx_tuple_create(NULL, n, items, &tuple, err);
    for (uint32_t i = 0; items && i < n; i++)
        rlx_value_release(items[i]);
    free(items);
    if (tuple)
        *out = rlx_of_tuple(tuple);
    return status;
}

rlx_status cli_write_value(rlx_value v, bool is_field, const char *path, rlx_error *err)
{
    rlx_value host;
    rlx_status status = to_host(v, 0, &host, err);
    if (status == RLX_OK)
        status = write_at_depth(NULL, host, path, is_field, err);
    rlx_value_release(host);
    return status;
}

rlx_status cli_check_value(const cli_session *session, rlx_value v, bool is_field, const char *path,
                           rlx_error *err)
{
    return write_at_depth(session, v, path, is_field, err);
}

/* An element as text. */
static void print_element(FILE *file, rlx_dtype dtype, const unsigned char *data, size_t index)
{
    uint64_t bits = 0;
    if (rlx_dtype_is_packed(dtype)) {
        fprintf(file, "%lld", (long long)rlx_packed_get(dtype, data, index));
        return;
    }
    memcpy(&bits, data + index * rlx_dtype_size(dtype), rlx_dtype_size(dtype));
    if (rlx_dtype_is_float(dtype)) {
        const int digits = dtype.bits == 64                               ? 9
                           : dtype.bits == 32 || dtype.code == RLX_BFLOAT ? 6
                                                                          : 4;
        fprintf(file, "%.*g", digits, rlx_float_decode(dtype, bits));
    } else if (dtype.code == RLX_INT) {
        unsigned unused = 64u - dtype.bits;
        fprintf(file, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    } else {
        fprintf(file, "%llu", (unsigned long long)bits);
    }
}

static void print_tensor(FILE *file, rlx_tensor *t)
{
    enum { SHOWN = 6 };
    char dtype[24];
    rlx_error err = {0};
    rlx_tensor *host;
    fprintf(file, "tensor %s (", rlx_dtype_name(rlx_tensor_dtype(t), dtype));
    for (uint32_t i = 0; i < rlx_tensor_ndim(t); i++)
        fprintf(file, i ? ", %lld" : "%lld", (long long)rlx_tensor_dims(t)[i]);
    fputs(rlx_tensor_ndim(t) == 1 ? ",)" : ")", file);
    if (rlx_tensor_device(t))
        fprintf(file, " on %s", rlx_device_name(rlx_tensor_device(t)));
    if (rlx_tensor_to_device(NULL, t, NULL, &host, &err) != RLX_OK) {
        fprintf(file, " [%s]\n", err.message);
        return;
    }
    fputs(" [", file);
    for (int64_t i = 0; i < rlx_tensor_numel(t) && i < SHOWN; i++) {
        fputs(i ? ", " : "", file);
        print_element(file, rlx_tensor_dtype(t), rlx_tensor_data(host), (size_t)i);
    }
    fputs(rlx_tensor_numel(t) > SHOWN ? ", ...]\n" : "]\n", file);
    rlx_value_release(rlx_of_tensor(host));
}

static void print_at_depth(FILE *file, const char *name, rlx_value v, uint32_t depth)
{
    if (v.kind == RLX_KIND_TUPLE && rlx_tuple_count(v.as.tuple) > 0 && depth < 8) {
        for (uint32_t i = 0; i < rlx_tuple_count(v.as.tuple); i++) {
            char field[256];
            snprintf(field, sizeof field, "%s.%u", name, i);
            print_at_depth(file, field, rlx_tuple_get(v.as.tuple, i), depth + 1);
        }
        return;
    }
    fprintf(file, "%s: ", name);
    if (v.kind == RLX_KIND_TENSOR) {
        print_tensor(file, v.as.tensor);
    } else if (v.kind == RLX_KIND_SHAPE) {
        fputs("shape (", file);
        for (uint32_t i = 0; i < rlx_shape_ndim(v.as.shape); i++)
            fprintf(file, i ? ", %lld" : "%lld", (long long)rlx_shape_dims(v.as.shape)[i]);
        fputs(rlx_shape_ndim(v.as.shape) == 1 ? ",)\n" : ")\n", file);
    } else if (v.kind == RLX_KIND_INT || v.kind == RLX_KIND_BOOL) {
        fprintf(file, "%s %lld\n", rlx_kind_name((rlx_kind)v.kind), (long long)v.as.i);
    } else if (v.kind == RLX_KIND_FLOAT) {
        fprintf(file, "float %.17g\n", v.as.f);
    } else if (v.kind == RLX_KIND_DTYPE) {
        char dtype[24];
        fprintf(file, "dtype %s\n", rlx_dtype_name(v.as.dtype, dtype));
    } else if (v.kind == RLX_KIND_STRING) {
        rlx_str text = rlx_string_get(v.as.string);
        fprintf(file, "string \"%.*s\"\n", (int)text.len, text.data);
    } else {
        fprintf(file, "%s\n", rlx_kind_name((rlx_kind)v.kind));
    }
}

void cli_print_value(FILE *file, const char *name, rlx_value v)
{
    print_at_depth(file, name, v, 0);
}

/* --- quantities --- */

const char *cli_time_text(double ns, char *buffer, size_t size)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ns < units[i].least)
            continue;
        snprintf(buffer, size, "%.3f %s", ns / units[i].least, units[i].unit);
        return buffer;
    }
    snprintf(buffer, size, "%.1f ns", ns);
    return buffer;
}

const char *cli_bytes_text(uint64_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    if (bytes < 1024)
        snprintf(buffer, size, "%llu bytes", (unsigned long long)bytes);
    else
        snprintf(buffer, size, "%.1f %s", value, units[unit]);
    return buffer;
}

const char *cli_place_text(const rlx_executable *exe, uint32_t function, uint32_t pc, char *buffer,
                           size_t size)
{
    rlx_location where;
    rlx_str name;
    buffer[0] = '\0';
    if (!rlx_function_location(exe, function, pc, &where, &name))
        return buffer;
    if (where.column == 0)
        return rlx_name_text(name, buffer, size);
    snprintf(buffer, size, "%s:%u:%u", where.file, where.line, where.column);
    return buffer;
}

const char *cli_device_text(const rlx_executable *exe, uint32_t device, char *buffer, size_t size)
{
    rlx_device_row row;
    char scope[CLI_NAME_SHOWN];
    buffer[0] = '\0';
    if (device == 0 || !rlx_executable_device(exe, device, &row))
        return buffer;
    snprintf(buffer, size, " on %.*s:%u", (int)row.kind.len, row.kind.data, row.id);
    const size_t used = strlen(buffer);
    if (!rlx_str_eq(row.scope, RLX_STR("global")))
        snprintf(buffer + used, size - used, " (%s)",
                 cli_name_text(row.scope, scope, sizeof scope));
    return buffer;
}
