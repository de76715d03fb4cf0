/* Elements of constants as numbers (constant.h). The bytes may lie anywhere in a mapped file, so
 * nothing is read through a pointer to wider elements. */
#include "compiler/ir/constant.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(const rlxc_constant *c, size_t i)
{
    uint64_t bits = 0;
    size_t width = c->dtype.bits / 8u;
    memcpy(&bits, (const unsigned char *)c->data + i * width, width);
    return bits;
}

static double half_value(uint32_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double magnitude = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                       : exponent == 0 ? ldexp(mantissa, -24)
                                       : ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

double rlxc_constant_double(const rlxc_constant *c, size_t i)
{
    uint64_t bits = bits_of(c, i);
    uint32_t low = (uint32_t)bits;
    double wide;
    float single;
    if (!rlxc_dtype_is_float(c->dtype))
        return c->dtype.code == RLX_INT ? (double)rlxc_constant_int(c, i) : (double)bits;
    if (c->dtype.bits == 64) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (c->dtype.code == RLX_BFLOAT)
        low <<= 16;
    else if (c->dtype.bits == 16)
        return half_value(low);
    memcpy(&single, &low, sizeof single);
    return (double)single;
}

int64_t rlxc_constant_int(const rlxc_constant *c, size_t i)
{
    uint64_t bits = bits_of(c, i);
    unsigned unused = 64u - c->dtype.bits;
    return c->dtype.code == RLX_INT ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

bool rlxc_constant_equal(const rlxc_constant *a, const rlxc_constant *b)
{
    return rlx_dtype_eq(a->dtype, b->dtype) && a->ndim == b->ndim && a->nbytes == b->nbytes &&
           (a->ndim == 0 || memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0) &&
           (a->nbytes == 0 || memcmp(a->data, b->data, a->nbytes) == 0);
}
