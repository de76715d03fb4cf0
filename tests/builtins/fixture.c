/* The fixture for tests of builtins. It converts 16-bit floats with bit operations and no tables,
 * sharing nothing with the code under test. */
#include "tests/builtins/fixture.h"

#include <math.h>
#include <string.h>

#include "rlx/floats.h"

rlx_executable *load_builtin(rlx_test *t, const char *name, uint32_t n)
{
    rlx_exec_builder *b = NULL;
    rlx_executable *exe = NULL;
    uint32_t object, import, function, args[MOST_ARGS], result = n;
    rlx_param params[MOST_ARGS];
    const rlx_type_info type = {.kind = RLX_TYPE_OBJECT};
    const rlx_load_options options = {.allocator = &t->allocator};
    cr_assert_leq(n, MOST_ARGS);
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_exec_builder_type(b, &type, &object, &t->error));
    RLX_OKAY(rlx_exec_builder_import(b, rlx_str_from(name), &import, &t->error));
    RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("main"), true, &function, &t->error));
    for (uint32_t i = 0; i < n; i++) {
        params[i] = (rlx_param){RLX_STR("x"), object};
        args[i] = i;
    }
    RLX_OKAY(rlx_exec_builder_begin(b, function, params, n, object, 0, &t->error));
    RLX_OKAY(rlx_exec_builder_call(b, RLX_OP_CALL_BUILTIN, result, import, args, n, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, &result, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_end(b, &t->error));
    RLX_OKAY(rlx_exec_builder_load(b, &options, &exe, &t->error));
    rlx_exec_builder_destroy(b);
    return exe;
}

rlx_status try_builtin(rlx_test *t, const char *name, rlx_value *args, uint32_t n, rlx_value *out)
{
    rlx_executable *exe = load_builtin(t, name, n);
    rlx_vm *vm = rlx_test_vm(t, exe);
    t->error = (rlx_error){0};
    rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, n, out, &t->error);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(args[i]);
    return status;
}

rlx_value call_builtin(rlx_test *t, const char *name, rlx_value *args, uint32_t n)
{
    rlx_value out = rlx_none();
    rlx_status status = try_builtin(t, name, args, n, &out);
    cr_assert_eq(status, RLX_OK, "%s: %s", name, t->error.message);
    return out;
}

/* --- elements --- */

static float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(mantissa + 1024, exponent - 25);
    return h & 0x8000 ? -v : v;
}

/* Tests use values that float16 represents exactly. */
static uint16_t half_bits(double v)
{
    for (uint32_t h = 0; h < 65536; h++) {
        double got = half_value((uint16_t)h);
        if ((got == v && signbit(got) == signbit(v)) || (isnan(got) && isnan(v)))
            return (uint16_t)h;
    }
    cr_assert(false, "%g is no float16", v);
    return 0;
}

static void store(rlx_dtype dtype, unsigned char *at, double v)
{
    uint64_t bits = 0;
    float f = (float)v;
    if (dtype.code == RLX_FLOAT && dtype.bits == 64)
        memcpy(&bits, &v, 8);
    else if (dtype.code == RLX_FLOAT && dtype.bits == 32)
        memcpy(&bits, &f, 4);
    else if (dtype.code == RLX_FLOAT)
        bits = half_bits(v);
    else if (dtype.code == RLX_BFLOAT)
        bits = bits_of_float(f) >> 16;
    else if (rlx_dtype_is_float(dtype)) /* float8: suite float8 checks its codes */
        bits = rlx_float_encode(dtype, v);
    else
        bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    memcpy(at, &bits, dtype.bits / 8u);
}

static double fetch(rlx_dtype dtype, const unsigned char *at)
{
    uint64_t bits = 0;
    double d;
    memcpy(&bits, at, dtype.bits / 8u);
    if (dtype.code == RLX_FLOAT && dtype.bits == 64) {
        memcpy(&d, &bits, 8);
        return d;
    }
    if (dtype.code == RLX_FLOAT && dtype.bits == 32)
        return (double)float_of_bits((uint32_t)bits);
    if (dtype.code == RLX_FLOAT)
        return half_value((uint16_t)bits);
    if (dtype.code == RLX_BFLOAT)
        return (double)float_of_bits((uint32_t)bits << 16);
    if (rlx_dtype_is_float(dtype))
        return rlx_float_decode(dtype, bits);
    if (dtype.code == RLX_INT)
        return (double)((int64_t)(bits << (64u - dtype.bits)) >> (64u - dtype.bits));
    return (double)bits;
}

rlx_value make_tensor(rlx_test *t, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                      const double *values)
{
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, dtype, ndim, dims, &x, &t->error));
    unsigned char *at = rlx_tensor_mutable_data(x);
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++, at += rlx_dtype_size(dtype))
        store(dtype, at, values ? values[i] : 0);
    return rlx_of_tensor(x);
}

double element(rlx_value v, int64_t i)
{
    rlx_dtype dtype = rlx_tensor_dtype(v.as.tensor);
    const unsigned char *data = rlx_tensor_data(v.as.tensor);
    return fetch(dtype, data + (size_t)i * rlx_dtype_size(dtype));
}

void expect_tensor(const char *what, rlx_value v, rlx_dtype dtype, uint32_t ndim,
                   const int64_t *dims, const double *values)
{
    cr_assert_eq(v.kind, RLX_KIND_TENSOR, "%s: is %s", what, rlx_kind_name((rlx_kind)v.kind));
    cr_assert(rlx_dtype_eq(rlx_tensor_dtype(v.as.tensor), dtype), "%s: dtype", what);
    cr_assert_eq(rlx_tensor_ndim(v.as.tensor), ndim, "%s: rank", what);
    for (uint32_t i = 0; i < ndim; i++)
        cr_assert_eq(rlx_tensor_dims(v.as.tensor)[i], dims[i], "%s: dimension %u is %lld", what, i,
                     (long long)rlx_tensor_dims(v.as.tensor)[i]);
    for (int64_t i = 0; i < rlx_tensor_numel(v.as.tensor); i++) {
        double got = element(v, i);
        cr_assert(got == values[i] || (isnan(got) && isnan(values[i])),
                  "%s: element %lld is %.17g, expected %.17g", what, (long long)i, got, values[i]);
    }
}

void expect_shape(const char *what, rlx_value v, uint32_t n, const int64_t *dims)
{
    cr_assert_eq(v.kind, RLX_KIND_SHAPE, "%s: is %s", what, rlx_kind_name((rlx_kind)v.kind));
    cr_assert_eq(rlx_shape_ndim(v.as.shape), n, "%s: rank", what);
    for (uint32_t i = 0; i < n; i++)
        cr_assert_eq(rlx_shape_dims(v.as.shape)[i], dims[i], "%s: dimension %u is %lld", what, i,
                     (long long)rlx_shape_dims(v.as.shape)[i]);
}

rlx_value make_text(rlx_test *t, const char *text)
{
    rlx_string *s = NULL;
    RLX_OKAY(rlx_string_create(&t->allocator, rlx_str_from(text), &s, &t->error));
    return (rlx_value){RLX_KIND_STRING, 0, {.string = s}};
}
