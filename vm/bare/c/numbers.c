/* <math.h> for programs without a C library: the functions of float64 that librlx-bare.a calls.
 * Rounding is exact; exp, log, sin and cos are within 2 ulp (sin and cos for |x| below 2^20). */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BIAS = 1023, MANTISSA = 52, SPECIAL = 0x7ff };

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int exponent_bits(double x)
{
    return (int)(bits_of(x) >> MANTISSA & SPECIAL);
}

/* --- signs, order, rounding --------------------------------------------------------------------
 */

double fabs(double x)
{
    return from_bits(bits_of(x) & INT64_MAX);
}

static double with_sign(double size, double sign)
{
    return from_bits((bits_of(size) & INT64_MAX) | (bits_of(sign) & ~(uint64_t)INT64_MAX));
}

double fmax(double a, double b)
{
    return a != a || a < b ? b : a;
}

double fmin(double a, double b)
{
    return a != a || a > b ? b : a;
}

double nearbyint(double x)
{
    const double shift = 0x1p52;
    if (!(fabs(x) < shift))
        return x;
    const volatile double sum = fabs(x) + shift; /* not to be folded away */
    return with_sign(sum - shift, x);
}

double floor(double x)
{
    const double near = nearbyint(x);
    return near > x ? with_sign(near - 1, x) : near;
}

double ceil(double x)
{
    return -floor(-x);
}

double round(double x)
{
    const double down = floor(fabs(x));
    return with_sign(fabs(x) - down >= 0.5 ? down + 1 : down, x);
}

/* --- exponents ---------------------------------------------------------------------------------
 */

int ilogb(double x)
{
    if (x == 0)
        return FP_ILOGB0;
    if (exponent_bits(x) == SPECIAL)
        return x != x ? FP_ILOGBNAN : INT_MAX;
    if (exponent_bits(x) == 0)
        return ilogb(x * 0x1p64) - 64;
    return exponent_bits(x) - BIAS;
}

double ldexp(double x, int n)
{
    /* Steps down keep 53 bits above the smallest normal number, so that only the last one rounds.
     */
    enum { UP = 1023, LEAST = -1022, DOWN = 1022 - 53 };
    for (int i = 0; n > UP && i < 3; i++, n -= UP)
        x *= 0x1p1023;
    for (int i = 0; n < LEAST && i < 3; i++, n += DOWN)
        x *= 0x1p-969;
    n = n > UP ? UP : n < LEAST ? LEAST : n;
    return x * from_bits((uint64_t)(BIAS + n) << MANTISSA);
}

double sqrt(double x)
{
    return __builtin_sqrt(x); /* an instruction on every CPU that kernels are compiled for */
}

/* --- functions ---------------------------------------------------------------------------------
 */

static const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;

double exp(double x)
{
    if (x != x || x > 710)
        return x + x > 0 ? (double)INFINITY : x;
    if (x < -746)
        return 0;
    const double k = nearbyint(x * 0x1.71547652b82fep+0);
    const double r = x - k * ln2_high - k * ln2_low;
    double sum = 1;
    for (int i = 14; i > 0; i--) /* |r| is at most ln(2) / 2 */
        sum = 1 + sum * r / i;
    return ldexp(sum, (int)k);
}

double log(double x)
{
    if (x != x || x < 0)
        return (double)NAN;
    if (x == 0)
        return -(double)INFINITY;
    if (exponent_bits(x) == SPECIAL)
        return x;
    int k = ilogb(x);
    double m = ldexp(x, -k);
    if (m > 0x1.6a09e667f3bcdp+0) { /* the root of 2 */
        m /= 2;
        k++;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int i = 23; i >= 3; i -= 2) /* |s| is below 0.172 */
        sum = (sum + 1.0 / i) * square;
    return k * ln2_high + (2 * s + (2 * s * sum + k * ln2_low));
}

/* sin(x) of |x| up to pi / 4, or cos(x) where |first| is 1: terms x^i / i! from |first| on. */
static double series(double square, double first, int i)
{
    double sum = 0;
    for (int last = i + 16; last > i; last -= 2)
        sum = -(1 + sum) * square / ((double)last * (last - 1));
    return first + first * sum;
}

/* sin(x + quarters * pi / 2) */
static double turn(double x, int quarters)
{
    if (exponent_bits(x) == SPECIAL)
        return (double)NAN;
    /* pi / 2 in three parts: the first two have 33 bits, so that products with k are exact. */
    const double k = nearbyint(x * 0x1.45f306dc9c883p-1);
    const double r =
        x - k * 0x1.921fb54400000p+0 - k * 0x1.0b4611a600000p-34 - k * 0x1.3198a2e037073p-69;
    const int64_t quadrant = (int64_t)(fabs(k) < 0x1p53 ? k : 0) + quarters;
    const double value = quadrant & 1 ? series(r * r, 1, 0) : series(r * r, r, 1);
    return quadrant & 2 ? -value : value;
}

double sin(double x)
{
    return turn(x, 0);
}

double cos(double x)
{
    return turn(x, 1);
}
