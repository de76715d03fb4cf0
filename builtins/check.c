/* Checks of values that decide what an operator reads, writes or divides by. Compiled modules call
 * them before the operator unless they were compiled with --lenient (docs/values.md). A check that
 * fails names the operator, the value, its position and what is legal; one that holds returns the
 * value, so that its users are ordered after it. */
#include "builtins/builtins.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 200, POSITION_TEXT = 160, LIMITS_TEXT = 64 };
enum { NEITHER, ZERO, NOT_A_NUMBER };

/* " at [1, 2]", the indices of element |i| of |t|; empty for a scalar. */
static void position_text(const rlx_tensor *t, int64_t i, char out[POSITION_TEXT])
{
    const int64_t *dims = rlx_tensor_dims(t);
    const uint32_t ndim = rlx_tensor_ndim(t);
    int64_t at[RLX_MAX_NDIM];
    size_t used = 0;
    for (uint32_t d = ndim; d-- > 0; i /= dims[d])
        at[d] = i % dims[d];
    out[0] = '\0';
    for (uint32_t d = 0; d < ndim && used + 32 < POSITION_TEXT; d++)
        used += (size_t)snprintf(out + used, POSITION_TEXT - used, "%s%lld",
                                 d == 0 ? " at [" : ", ", (long long)at[d]);
    if (ndim > 0)
        snprintf(out + used, POSITION_TEXT - used, "]");
}

static int text_length(rlx_str s)
{
    return s.len < MOST_TEXT ? (int)s.len : MOST_TEXT;
}

static rlx_status not_integers(rlx_str what, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s: expected integers", text_length(what),
                    what.data);
}

static bool is_integer(rlx_dtype dtype)
{
    return (dtype.code == RLX_INT || dtype.code == RLX_UINT) &&
           (dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

/* Whether one of |n| elements may be outside of [low, last]: if it is, one of the or-ed numbers has
 * its sign set, however they wrap. Limits that are far apart set it for others as well. */
#define ANY_OUTSIDE(name, T, U)                                                    \
    static bool name(const T *x, int64_t n, T low, T last)                         \
    {                                                                              \
        typedef U vector __attribute__((vector_size(16)));                         \
        enum { LANES = 16 / sizeof(T) };                                           \
        const U least = (U)low, most = (U)last, itself = low >= 0 ? (U) ~(U)0 : 0; \
        vector a, b, c = {0}, d = {0};                                             \
        U bad = 0;                                                                 \
        int64_t i = 0;                                                             \
        for (; low == 0 && i + 2 * LANES <= n; i += 2 * LANES) {                   \
            memcpy(&a, x + i, sizeof a);                                           \
            memcpy(&b, x + i + LANES, sizeof b);                                   \
            c |= a | (most - a);                                                   \
            d |= b | (most - b);                                                   \
        }                                                                          \
        for (; i + LANES <= n; i += LANES) {                                       \
            memcpy(&a, x + i, sizeof a);                                           \
            c |= (a & itself) | (a - least) | (most - a);                          \
        }                                                                          \
        for (int k = 0; k < LANES; k++)                                            \
            bad |= c[k] | d[k];                                                    \
        for (; i < n; i++)                                                         \
            bad |= ((U)x[i] & itself) | ((U)x[i] - least) | (most - (U)x[i]);      \
        return bad >> (8 * sizeof(T) - 1) != 0;                                    \
    }
ANY_OUTSIDE(any_outside_64, int64_t, uint64_t)
ANY_OUTSIDE(any_outside_32, int32_t, uint32_t)

/* The first element of |n| from |at| on, |stride| apart, that is neither in [low, high) nor
 * |*except| (unless that is NULL); |n| when there is none. Elements of 64 and 32 bits, which
 * indices have, are compared in vectors first. */
static int64_t first_outside(rlx_dtype dtype, const void *data, int64_t at, int64_t stride,
                             int64_t n, int64_t low, int64_t high, const int64_t *except)
{
    const uint64_t width = high > low ? (uint64_t)high - (uint64_t)low : 0;
    const int64_t last = high - (high > low);
    const bool wide = dtype.code == RLX_INT && dtype.bits == 64,
               narrow = dtype.code == RLX_INT && dtype.bits == 32;
    uint64_t bad = !wide && !narrow;
    if (wide && stride == 1 && high > low) {
        bad = any_outside_64((const int64_t *)data + at, n, low, last);
    } else if (narrow && stride == 1 && high > low && low <= INT32_MAX && last >= INT32_MIN) {
        bad = any_outside_32((const int32_t *)data + at, n,
                             low < INT32_MIN ? INT32_MIN : (int32_t)low,
                             last > INT32_MAX ? INT32_MAX : (int32_t)last);
    } else if (wide) {
        const int64_t *x = (const int64_t *)data + at;
        for (int64_t i = 0; i < n; i++)
            bad |= (uint64_t)((uint64_t)x[i * stride] - (uint64_t)low >= width);
    } else if (narrow) {
        const int32_t *x = (const int32_t *)data + at;
        for (int64_t i = 0; i < n; i++)
            bad |= (uint64_t)((uint64_t)(int64_t)x[i * stride] - (uint64_t)low >= width);
    }
    for (int64_t i = 0; bad != 0 && i < n; i++) {
        const int64_t value = rlxb_read_int(dtype, data, at + i * stride);
        const bool beyond = dtype.code == RLX_UINT && value < 0; /* 2^63 and more */
        if ((beyond || value < low || value >= high) && !(except && value == *except))
            return i;
    }
    return n;
}

static rlx_status fail_outside(const rlx_tensor *x, int64_t i, int64_t low, int64_t high,
                               rlx_str what, rlx_error *err)
{
    char where[POSITION_TEXT], limits[LIMITS_TEXT];
    position_text(x, i, where);
    if (low >= high)
        snprintf(limits, sizeof limits, "the dimension is empty");
    else
        snprintf(limits, sizeof limits, "expected %lld to %lld", (long long)low,
                 (long long)(high - 1));
    const rlx_dtype dtype = rlx_tensor_dtype(x);
    const int64_t value = rlxb_read_int(dtype, rlx_tensor_data(x), i);
    if (dtype.code == RLX_UINT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s %llu%s is out of range: %s",
                        text_length(what), what.data, (unsigned long long)value, where, limits);
    return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s %lld%s is out of range: %s", text_length(what),
                    what.data, (long long)value, where, limits);
}

rlx_status rlxb_check_index(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)cc;
    rlx_tensor *x;
    rlx_shape *low, *high;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_shape(args, 1, &low, err));
    RLX_TRY(rlxb_shape(args, 2, &high, err));
    int64_t ignored = 0;
    if (n > 4)
        RLX_TRY(rlxb_int(args, 4, &ignored, err));
    const int64_t *except = n > 4 ? &ignored : NULL;
    const rlx_str what = rlxb_text(args, n, 3);
    const rlx_dtype dtype = rlx_tensor_dtype(x);
    const uint32_t rank = rlx_tensor_ndim(x);
    const int64_t count = rlx_tensor_numel(x), parts = rlx_shape_ndim(low);
    if (!is_integer(dtype))
        return not_integers(what, err);
    if (parts == 0 || parts != (int64_t)rlx_shape_ndim(high) ||
        (parts != 1 && (rank == 0 || rlx_tensor_dims(x)[rank - 1] != parts)))
        return rlx_fail(err, RLX_E_SHAPE, "%.*s: %lld ranges do not fit the indices",
                        text_length(what), what.data, (long long)parts);
    for (int64_t k = 0; k < parts; k++) {
        const int64_t from = rlx_shape_dims(low)[k], to = rlx_shape_dims(high)[k];
        const int64_t found =
            first_outside(dtype, rlx_tensor_data(x), k, parts, count / parts, from, to, except);
        if (found < count / parts)
            return fail_outside(x, found * parts + k, from, to, what, err);
    }
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

rlx_status rlxb_check_range(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)cc;
    rlx_tensor *x;
    int64_t low, high;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_int(args, 1, &low, err));
    RLX_TRY(rlxb_int(args, 2, &high, err));
    const rlx_str what = rlxb_text(args, n, 3);
    if (!is_integer(rlx_tensor_dtype(x)))
        return not_integers(what, err);
    const int64_t count = rlx_tensor_numel(x),
                  found = first_outside(rlx_tensor_dtype(x), rlx_tensor_data(x), 0, 1, count, low,
                                        high, NULL);
    if (found < count)
        return fail_outside(x, found, low, high, what, err);
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

/* An element of a floating-point tensor. */
static double read_float(rlx_dtype dtype, const void *data, int64_t i)
{
    return rlx_float_decode(dtype, (uint64_t)rlxb_read_int(dtype, data, i));
}

rlx_status rlxb_check_first(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)cc;
    rlx_tensor *x;
    int64_t high;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_int(args, 1, &high, err));
    const rlx_str what = rlxb_text(args, n, 2);
    const rlx_dtype dtype = rlx_tensor_dtype(x);
    if (!rlx_dtype_is_float(dtype) || rlx_tensor_ndim(x) != 2)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s: expected rows of floating-point numbers",
                        text_length(what), what.data);
    const int64_t rows = rlx_tensor_dims(x)[0], columns = rlx_tensor_dims(x)[1];
    for (int64_t i = 0; i < rows && columns > 0; i++) {
        const double value = read_float(dtype, rlx_tensor_data(x), i * columns);
        if (!(value >= 0 && value < (double)high))
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "%.*s %g at [%lld, 0] is out of range: expected 0 or more and less "
                            "than %lld",
                            text_length(what), what.data, value, (long long)i, (long long)high);
    }
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

/* Which of the two invalid divisors element |i| is. */
static int zero_or_nan(const rlxb_elements *e, const void *data, int64_t i)
{
    const uint64_t bits = rlxb_element_bits(e, data, i);
    if (rlxb_bits_are_nan(e, bits))
        return NOT_A_NUMBER;
    return (bits & e->magnitude) == 0 ? ZERO : NEITHER;
}

/* How many elements at the beginning are surely not 0: whole words of integers, tested at once;
 * none of other types. Of x - 1 and not x only lanes that are 0, or above one that is, keep the
 * high bit. */
static int64_t count_nonzero_words(const rlxb_elements *e, const void *data, int64_t count)
{
    const unsigned width = 8 * (unsigned)e->size;
    const uint64_t lane = UINT64_MAX >> (64 - width);
    if (e->is_float || e->magnitude != lane)
        return 0;
    const uint64_t ones = UINT64_MAX / lane, high = ones << (width - 1);
    const int64_t per_word = (int64_t)(sizeof ones / e->size);
    int64_t i = 0;
    for (; count - i >= per_word; i += per_word) {
        uint64_t word;
        memcpy(&word, (const char *)data + (size_t)i * e->size, sizeof word);
        if ((word - ones) & ~word & high)
            break;
    }
    return i;
}

rlx_status rlxb_check_nonzero(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    (void)cc;
    const rlx_str what = rlxb_text(args, n, 1);
    char where[POSITION_TEXT] = "";
    int found = NEITHER;
    if (args[0].kind == RLX_KIND_TENSOR) {
        rlx_tensor *x;
        RLX_TRY(rlxb_tensor(args, 0, &x, err));
        const rlxb_elements elements = rlxb_elements_of(rlx_tensor_dtype(x));
        const int64_t count = rlx_tensor_numel(x);
        const void *data = rlx_tensor_data(x);
        for (int64_t i = count_nonzero_words(&elements, data, count); i < count && found == NEITHER;
             i++) {
            found = zero_or_nan(&elements, data, i);
            if (found != NEITHER)
                position_text(x, i, where);
        }
    } else {
        int64_t value;
        RLX_TRY(rlxb_int(args, 0, &value, err));
        found = value == 0 ? ZERO : NEITHER;
    }
    if (found != NEITHER)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s%s is %s", text_length(what), what.data, where,
                        found == ZERO ? "0" : "not a number");
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

rlx_status rlxb_check_number(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)cc;
    int64_t value, low, high;
    RLX_TRY(rlxb_int(args, 0, &value, err));
    RLX_TRY(rlxb_int(args, 1, &low, err));
    RLX_TRY(rlxb_int(args, 2, &high, err));
    const rlx_str what = rlxb_text(args, n, 3);
    *out = rlx_int(value);
    if (value >= low && value <= high)
        return RLX_OK;
    if (high == low)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s is %lld, expected %lld", text_length(what),
                        what.data, (long long)value, (long long)low);
    if (low == INT64_MIN)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s is %lld, expected at most %lld",
                        text_length(what), what.data, (long long)value, (long long)high);
    if (high == INT64_MAX)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s is %lld, expected at least %lld",
                        text_length(what), what.data, (long long)value, (long long)low);
    return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s is %lld, expected %lld to %lld",
                    text_length(what), what.data, (long long)value, (long long)low,
                    (long long)high);
}
