/* Floating-point formats and their numbers (floats.h): one row per format, and one way to read and
 * write all of them. float64 and float32 are the host's own. */
#include <rlx/floats.h>

#include <math.h>
#include <string.h>

static const rlx_float_format formats[] = {
    {RLX_FLOAT, 32, 23, RLX_FLOAT_IEEE, 127},    {RLX_FLOAT, 64, 52, RLX_FLOAT_IEEE, 1023},
    {RLX_FLOAT, 16, 10, RLX_FLOAT_IEEE, 15},     {RLX_BFLOAT, 16, 7, RLX_FLOAT_IEEE, 127},
    {RLX_FLOAT8_E4M3FN, 8, 3, RLX_FLOAT_FN, 7},  {RLX_FLOAT8_E4M3FNUZ, 8, 3, RLX_FLOAT_FNUZ, 8},
    {RLX_FLOAT8_E5M2, 8, 2, RLX_FLOAT_IEEE, 15}, {RLX_FLOAT8_E5M2FNUZ, 8, 2, RLX_FLOAT_FNUZ, 16},
};

const rlx_float_format *rlx_float_format_of(rlx_dtype t)
{
    if (t.code == RLX_INT || t.code == RLX_UINT) /* the most frequent question, answered without the
                                                  * rows */
        return NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == t.code && formats[i].bits == t.bits)
            return &formats[i];
    return NULL;
}

bool rlx_dtype_is_float(rlx_dtype t)
{
    return rlx_float_format_of(t) != NULL;
}

static uint64_t sign_bit(const rlx_float_format *f)
{
    return UINT64_C(1) << (f->bits - 1u);
}

/* The code of infinity or, if the format has none, the code after the largest finite number. */
static uint64_t beyond(const rlx_float_format *f)
{
    const uint64_t sign = sign_bit(f);
    return f->kind == RLX_FLOAT_IEEE ? (sign - 1) & ~((UINT64_C(1) << f->mantissa) - 1)
           : f->kind == RLX_FLOAT_FN ? sign - 1
                                     : sign;
}

uint64_t rlx_float_largest(rlx_dtype t)
{
    const rlx_float_format *f = rlx_float_format_of(t);
    return f ? beyond(f) - 1 : 0;
}

bool rlx_float_is_nan(rlx_dtype t, uint64_t code)
{
    const rlx_float_format *f = rlx_float_format_of(t);
    if (!f)
        return false;
    const uint64_t sign = sign_bit(f), magnitude = code & (sign - 1);
    return f->kind == RLX_FLOAT_IEEE ? magnitude > beyond(f)
           : f->kind == RLX_FLOAT_FN ? magnitude == beyond(f)
                                     : code == sign;
}

double rlx_float_decode(rlx_dtype t, uint64_t code)
{
    const rlx_float_format *f = rlx_float_format_of(t);
    if (!f)
        return 0;
    const uint64_t sign = sign_bit(f), magnitude = code & (sign - 1);
    if (f->bits == 64) {
        double wide;
        memcpy(&wide, &code, sizeof wide);
        return wide;
    }
    if (rlx_float_is_nan(t, code))
        return (double)NAN;
    double value = (double)INFINITY;
    const int exponent = (int)(magnitude >> f->mantissa);
    const uint64_t unit = UINT64_C(1) << f->mantissa, fraction = magnitude & (unit - 1);
    if (f->kind != RLX_FLOAT_IEEE || magnitude < beyond(f))
        value = exponent == 0 ? ldexp((double)fraction, 1 - f->bias - f->mantissa)
                              : ldexp((double)(fraction | unit), exponent - f->bias - f->mantissa);
    return code & sign ? -value : value;
}

/* The code of a positive finite number; at least beyond(f) if it is too large. */
static uint64_t encode_magnitude(const rlx_float_format *f, double value)
{
    const int least = 1 - f->bias;
    int exponent = ilogb(value);
    exponent = exponent < least ? least : exponent;
    if (exponent > f->bias + 1)
        return beyond(f);
    const double units = nearbyint(ldexp(value, f->mantissa - exponent));
    return ((uint64_t)(exponent - least) << f->mantissa) + (uint64_t)units;
}

uint64_t rlx_float_encode(rlx_dtype t, double value)
{
    const rlx_float_format *f = rlx_float_format_of(t);
    uint64_t code = 0;
    if (!f)
        return 0;
    if (f->bits == 64) {
        memcpy(&code, &value, sizeof value);
        return code;
    }
    const uint64_t sign = sign_bit(f);
    if (isnan(value)) /* quiet: the first bit of the mantissa is set */
        code =
            f->kind == RLX_FLOAT_IEEE ? beyond(f) | UINT64_C(1) << (f->mantissa - 1u) : beyond(f);
    else if (isinf(value))
        code = beyond(f);
    else if (value != 0)
        code = encode_magnitude(f, fabs(value));
    if (code > beyond(f) && !isnan(value))
        code = beyond(f);
    const bool unsigned_zero = f->kind == RLX_FLOAT_FNUZ && code == 0;
    return signbit(value) && !unsigned_zero ? code | sign : code;
}
