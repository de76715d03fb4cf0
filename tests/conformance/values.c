/* The values in case.json: {"tensor": file, "dtype", "shape"}, {"shape": dims}, {"int"}, {"float"},
 * {"bool"} and {"tuple": values}, nested as needed.
 *
 * A tensor's file must agree with the dtype and shape next to it, so that a damaged case cannot
 * pass. bfloat16 is stored as the uint16 of its bits. Floats are compared in double, exact for
 * every float type; integers are compared as bits. */
#include "tests/conformance/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vm/cli/npy.h"

enum { MAX_FIELDS = 64, MAX_DEPTH = 8, MAX_PATH = 1024, SHAPE_TEXT = 256 };

bool complain(complaint *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (c->text[0] == '\0')
        vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
    return false;
}

/* --- reading --------------------------------------------------------------------------------- */

static bool read_dims(const json_t *list, int64_t *dims, uint32_t *out_n, complaint *c)
{
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || n > RLX_MAX_NDIM)
        return complain(c, "case.json: a shape must be a list of at most %d integers",
                        RLX_MAX_NDIM);
    for (size_t i = 0; i < n; i++) {
        const json_t *dim = json_array_get(list, i);
        if (!json_is_integer(dim))
            return complain(c, "case.json: a dimension must be an integer");
        dims[i] = json_integer_value(dim);
    }
    *out_n = (uint32_t)n;
    return true;
}

static const char *dims_text(const int64_t *dims, uint32_t n, char *buffer)
{
    size_t length = (size_t)snprintf(buffer, SHAPE_TEXT, "(");
    for (uint32_t i = 0; i < n && length + 32 < SHAPE_TEXT; i++)
        length += (size_t)snprintf(buffer + length, SHAPE_TEXT - length,
                                   i > 0 ? ", %" PRId64 : "%" PRId64, dims[i]);
    snprintf(buffer + length, SHAPE_TEXT - length, ")");
    return buffer;
}

static bool same_dims(const int64_t *a, uint32_t n_a, const int64_t *b, uint32_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

/* The bits of |t| as elements of |dtype|. */
static rlx_tensor *reinterpret(rlx_tensor *t, rlx_dtype dtype, complaint *c)
{
    rlx_tensor *out = NULL;
    rlx_error err = {0};
    if (rlx_tensor_create(NULL, dtype, rlx_tensor_ndim(t), rlx_tensor_dims(t), &out, &err) !=
        RLX_OK)
        complain(c, "%s", err.message);
    else if (rlx_tensor_nbytes(t) > 0)
        memcpy(rlx_tensor_mutable_data(out), rlx_tensor_data(t), rlx_tensor_nbytes(t));
    rlx_value_release(rlx_of_tensor(t));
    return out;
}

static rlx_tensor *read_tensor(const char *folder, const json_t *node, complaint *c)
{
    const char *file = json_string_value(json_object_get(node, "tensor"));
    const char *dtype_name = json_string_value(json_object_get(node, "dtype"));
    int64_t dims[RLX_MAX_NDIM];
    uint32_t ndim;
    rlx_dtype dtype;
    if (file == NULL || dtype_name == NULL || !rlx_dtype_parse(rlx_str_from(dtype_name), &dtype)) {
        complain(c, "case.json: a tensor needs a file and a dtype");
        return NULL;
    }
    if (!read_dims(json_object_get(node, "shape"), dims, &ndim, c))
        return NULL;
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    rlx_tensor *t = NULL;
    rlx_error err = {0};
    if (npy_read(path, &t, &err) != RLX_OK) {
        complain(c, "%s", err.message);
        return NULL;
    }
    const bool as_bits = dtype.code == RLX_BFLOAT;
    if (!rlx_dtype_eq(rlx_tensor_dtype(t), as_bits ? RLX_U16 : dtype) ||
        !same_dims(rlx_tensor_dims(t), rlx_tensor_ndim(t), dims, ndim)) {
        complain(c, "%s has another dtype or shape than case.json says", file);
        rlx_value_release(rlx_of_tensor(t));
        return NULL;
    }
    return as_bits ? reinterpret(t, dtype, c) : t;
}

static bool read_at_depth(const char *folder, const json_t *node, uint32_t depth, rlx_value *out,
                          complaint *c);

static bool read_tuple(const char *folder, const json_t *list, uint32_t depth, rlx_value *out,
                       complaint *c)
{
    rlx_value items[MAX_FIELDS];
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || n > MAX_FIELDS || depth >= MAX_DEPTH)
        return complain(c, "case.json: a tuple must be a list of at most %d values", MAX_FIELDS);
    uint32_t made = 0;
    while (made < n &&
           read_at_depth(folder, json_array_get(list, made), depth + 1, &items[made], c))
        made++;
    rlx_tuple *tuple = NULL;
    rlx_error err = {0};
    if (made == n && rlx_tuple_create(NULL, made, items, &tuple, &err) != RLX_OK)
        complain(c, "%s", err.message);
    for (uint32_t i = 0; i < made; i++)
        rlx_value_release(items[i]);
    *out = rlx_of_tuple(tuple);
    return tuple != NULL;
}

static bool read_at_depth(const char *folder, const json_t *node, uint32_t depth, rlx_value *out,
                          complaint *c)
{
    const json_t *value;
    if (json_object_get(node, "tensor") != NULL) {
        rlx_tensor *t = read_tensor(folder, node, c);
        *out = rlx_of_tensor(t);
        return t != NULL;
    }
    if ((value = json_object_get(node, "shape")) != NULL) {
        int64_t dims[RLX_MAX_NDIM];
        uint32_t n;
        rlx_shape *shape = NULL;
        rlx_error err = {0};
        if (!read_dims(value, dims, &n, c))
            return false;
        if (rlx_shape_create(NULL, n, dims, &shape, &err) != RLX_OK)
            return complain(c, "%s", err.message);
        *out = rlx_of_shape(shape);
        return true;
    }
    if ((value = json_object_get(node, "tuple")) != NULL)
        return read_tuple(folder, value, depth, out, c);
    if (json_is_integer(value = json_object_get(node, "int")))
        *out = rlx_int(json_integer_value(value));
    else if (json_is_boolean(value = json_object_get(node, "bool")))
        *out = rlx_bool(json_is_true(value));
    else if (json_is_number(value = json_object_get(node, "float")))
        *out = rlx_float(json_number_value(value));
    else
        return complain(c, "case.json: a value of no known kind");
    return true;
}

bool read_value(const char *folder, const json_t *node, rlx_value *out, complaint *c)
{
    *out = rlx_none();
    return read_at_depth(folder, node, 0, out, c);
}

/* --- comparing ------------------------------------------------------------------------------- */

static double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double magnitude;
    if (exponent == 31)
        magnitude = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(mantissa, -24);
    else
        magnitude = ldexp(mantissa + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

static bool is_float(rlx_dtype dtype)
{
    return dtype.code == RLX_FLOAT || dtype.code == RLX_BFLOAT;
}

/* The |i|-th element of a float tensor. */
static double float_element(const rlx_tensor *t, size_t i)
{
    const rlx_dtype dtype = rlx_tensor_dtype(t);
    const unsigned char *at = (const unsigned char *)rlx_tensor_data(t) + i * rlx_dtype_size(dtype);
    if (dtype.bits == 64) {
        double d;
        memcpy(&d, at, sizeof d);
        return d;
    }
    uint32_t bits = 0;
    memcpy(&bits, at, rlx_dtype_size(dtype));
    if (dtype.code == RLX_FLOAT && dtype.bits == 16)
        return half_to_double((uint16_t)bits);
    if (dtype.code == RLX_BFLOAT)
        bits <<= 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static bool is_close(double got, double want, tolerance tol)
{
    if (isnan(want))
        return isnan(got);
    if (!isfinite(want) || !isfinite(got))
        return got == want;
    return fabs(got - want) <= tol.atol + tol.rtol * fabs(want);
}

/* An element as text, for an error message. */
static const char *element_text(const rlx_tensor *t, size_t i, char *buffer, size_t size)
{
    const rlx_dtype dtype = rlx_tensor_dtype(t);
    if (is_float(dtype)) {
        snprintf(buffer, size, "%.9g", float_element(t, i));
        return buffer;
    }
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)rlx_tensor_data(t) + i * rlx_dtype_size(dtype),
           rlx_dtype_size(dtype));
    const unsigned unused = 64u - dtype.bits;
    if (dtype.code == RLX_INT)
        snprintf(buffer, size, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        snprintf(buffer, size, "%" PRIu64, bits);
    return buffer;
}

static bool compare_elements(const rlx_tensor *got, const rlx_tensor *want, tolerance tol,
                             const char *name, complaint *c)
{
    const rlx_dtype dtype = rlx_tensor_dtype(want);
    const size_t n = (size_t)rlx_tensor_numel(want), size = rlx_dtype_size(dtype);
    const unsigned char *g = rlx_tensor_data(got), *w = rlx_tensor_data(want);
    size_t wrong = 0, first = 0;
    for (size_t i = n; i-- > 0;) {
        const bool good = is_float(dtype)
                              ? is_close(float_element(got, i), float_element(want, i), tol)
                              : memcmp(g + i * size, w + i * size, size) == 0;
        wrong += !good;
        first = good ? first : i;
    }
    if (wrong == 0)
        return true;
    char a[40], b[40];
    return complain(c, "%s: %zu of %zu elements differ, first number %zu: %s, expected %s", name,
                    wrong, n, first, element_text(got, first, a, sizeof a),
                    element_text(want, first, b, sizeof b));
}

static bool compare_dims(const int64_t *got, uint32_t n_got, const int64_t *want, uint32_t n_want,
                         const char *name, complaint *c)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (same_dims(got, n_got, want, n_want))
        return true;
    return complain(c, "%s: shape %s, expected %s", name, dims_text(got, n_got, a),
                    dims_text(want, n_want, b));
}

static bool compare_tensors(const rlx_tensor *got, const rlx_tensor *want, tolerance tol,
                            const char *name, complaint *c)
{
    char a[24], b[24];
    if (!rlx_dtype_eq(rlx_tensor_dtype(got), rlx_tensor_dtype(want)))
        return complain(c, "%s: dtype %s, expected %s", name,
                        rlx_dtype_name(rlx_tensor_dtype(got), a),
                        rlx_dtype_name(rlx_tensor_dtype(want), b));
    return compare_dims(rlx_tensor_dims(got), rlx_tensor_ndim(got), rlx_tensor_dims(want),
                        rlx_tensor_ndim(want), name, c) &&
           compare_elements(got, want, tol, name, c);
}

static bool compare_values(rlx_value got, rlx_value want, tolerance tol, const char *name,
                           complaint *c)
{
    if (got.kind != want.kind)
        return complain(c, "%s: a %s, expected a %s", name, rlx_kind_name((rlx_kind)got.kind),
                        rlx_kind_name((rlx_kind)want.kind));
    switch ((rlx_kind)want.kind) {
    case RLX_KIND_TENSOR:
        return compare_tensors(got.as.tensor, want.as.tensor, tol, name, c);
    case RLX_KIND_SHAPE:
        return compare_dims(rlx_shape_dims(got.as.shape), rlx_shape_ndim(got.as.shape),
                            rlx_shape_dims(want.as.shape), rlx_shape_ndim(want.as.shape), name, c);
    case RLX_KIND_TUPLE: {
        const uint32_t n = rlx_tuple_count(want.as.tuple);
        if (rlx_tuple_count(got.as.tuple) != n)
            return complain(c, "%s: a tuple of %u, expected %u", name,
                            rlx_tuple_count(got.as.tuple), n);
        for (uint32_t i = 0; i < n; i++) {
            char field[64];
            snprintf(field, sizeof field, "%s.%u", name, i);
            if (!compare_values(rlx_tuple_get(got.as.tuple, i), rlx_tuple_get(want.as.tuple, i),
                                tol, field, c))
                return false;
        }
        return true;
    }
    case RLX_KIND_INT:
    case RLX_KIND_BOOL:
        return got.as.i == want.as.i ||
               complain(c, "%s: %" PRId64 ", expected %" PRId64, name, got.as.i, want.as.i);
    case RLX_KIND_FLOAT:
        return is_close(got.as.f, want.as.f, tol) ||
               complain(c, "%s: %.17g, expected %.17g", name, got.as.f, want.as.f);
    case RLX_KIND_NONE:
    case RLX_KIND_DTYPE:
    case RLX_KIND_STRING:
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        break;
    }
    return complain(c, "%s: a %s cannot be compared", name, rlx_kind_name((rlx_kind)want.kind));
}

bool compare_value(const char *folder, const json_t *node, rlx_value got, tolerance tol,
                   const char *name, complaint *c)
{
    rlx_value want;
    if (!read_value(folder, node, &want, c))
        return false;
    const bool same = compare_values(got, want, tol, name, c);
    rlx_value_release(want);
    return same;
}
