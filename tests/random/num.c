/* Numbers with error bounds, for the reference evaluation of random programs. */
#include <math.h>

#include "tests/random/evaluate.h"

num num_unknown(void)
{
    return (num){0, INFINITY};
}

double num_unit(elem t)
{
    return t == F32 ? 0x1p-23 : t == F16 ? 0x1p-10 : t == BF16 ? 0x1p-7 : 0;
}

static double largest(elem t)
{
    return t == F32 ? 3.4e38 : t == BF16 ? 3.38e38 : 65504;
}

static double smallest_normal(elem t)
{
    return t == F16 ? 0x1p-14 : 0x1p-126;
}

static bool representable(elem t, double v)
{
    int exponent;
    if (v == 0)
        return true;
    frexp(v, &exponent);
    int low = exponent - (t == F32 ? 24 : t == F16 ? 11 : 8);
    int least = t == F32 ? -149 : t == F16 ? -24 : -133;
    double quantum = ldexp(1, low < least ? least : low);
    return v / quantum == floor(v / quantum);
}

static num integer(elem t, double v)
{
    if (t == B8)
        return (num){v != 0, 0};
    if (fabs(v) > 0x1p52)
        return num_unknown();
    int64_t bits = (int64_t)v;
    return (num){t == I32  ? (double)(int32_t)(uint32_t)bits
                 : t == I8 ? (double)(int8_t)(uint8_t)bits
                 : t == U8 ? (double)(uint8_t)bits
                           : v,
                 0};
}

num num_inexact(elem t, double v, double e, double roundings, double scale)
{
    if (isinf(e))
        return num_unknown();
    if (t >= I32)
        return integer(t, v);
    if (!isfinite(v))
        return e > 0 ? num_unknown() : (num){v, 0};
    if (fabs(v) + e > largest(t) || scale > largest(t))
        return num_unknown();
    e += roundings * num_unit(t) * (scale > fabs(v) ? scale : fabs(v));
    if (roundings > 0)
        e += smallest_normal(t) * roundings;
    return (num){v, e};
}

num num_exact(elem t, double v)
{
    if (t >= I32)
        return integer(t, v);
    if (!isfinite(v) || (fabs(v) <= largest(t) && representable(t, v)))
        return (num){v, 0};
    return num_inexact(t, v, 0, 1, fabs(v));
}

/* One rounding of a value whose operands have the error |e|. */
static num rounded(elem t, double v, double e)
{
    return e == 0 ? num_exact(t, v) : num_inexact(t, v, e, 1, fabs(v));
}

num num_unary(elem t, const unary_row *row, num a)
{
    if (isinf(a.e))
        return num_unknown();
    double v = row->fn(a.v);
    if (a.v == 0 && isinf(v)) /* an infinity whose sign depends on the zero's sign */
        return num_unknown();
    if (a.e == 0 && (row->kind != SMOOTH_UNARY || !isfinite(v)))
        return num_exact(t, v);
    if (row->kind == EXACT_UNARY)
        return rounded(t, v, a.e);
    double below = row->fn(a.v - a.e), above = row->fn(a.v + a.e);
    if (row->kind == DISCRETE_UNARY)
        return below == v && above == v ? num_exact(t, v) : num_unknown();
    if (isnan(v) && isnan(below) && isnan(above)) /* outside the function's domain */
        return (num){NAN, 0};
    if (!isfinite(v) || !isfinite(below) || !isfinite(above))
        return num_unknown();
    double e = fmax(fabs(below - v), fabs(above - v)) * 1.2 + a.e * 0.01;
    if (a.e > 0.1 && row->more[0] == '~') /* sin, cos oscillate */
        e += a.e;
    return num_inexact(t, v, e, 8, fmax(fabs(v), fmin(fabs(a.v), 1e3)));
}

num num_power(elem t, num a, double exponent)
{
    if (isinf(a.e))
        return num_unknown();
    double v = pow(a.v, exponent), below = pow(a.v - a.e, exponent),
           above = pow(a.v + a.e, exponent);
    if (isnan(v) && isnan(below) && isnan(above))
        return (num){NAN, 0};
    if (!isfinite(v) || !isfinite(below) || !isfinite(above))
        return num_unknown();
    return num_inexact(t, v, fmax(fabs(below - v), fabs(above - v)) * 1.1, 8, fabs(v));
}

static num compare(unsigned sub, num a, num b)
{
    bool known = a.e + b.e == 0 || fabs(a.v - b.v) > a.e + b.e;
    bool holds = sub == B_LESS         ? a.v < b.v
                 : sub == B_LESS_EQUAL ? a.v <= b.v
                 : sub == B_EQUAL      ? a.v == b.v
                 : sub == B_NOT_EQUAL  ? a.v != b.v
                 : sub == B_GREATER    ? a.v > b.v
                                       : a.v >= b.v;
    return known ? (num){holds, 0} : num_unknown();
}

static num integers(elem t, unsigned sub, int64_t a, int64_t b)
{
    int64_t quotient = b ? a / b : 0, rest = b ? a % b : 0;
    if (b == 0 && sub >= B_DIV && sub <= B_MOD)
        return num_unknown();
    bool down = rest != 0 && (rest < 0) != (b < 0);
    switch (sub) {
    case B_DIV:
        return integer(t, (double)quotient);
    case B_FLOOR_DIV:
        return integer(t, (double)(quotient - down));
    case B_FLOOR_MOD:
        return integer(t, (double)(down ? rest + b : rest));
    case B_MOD:
        return integer(t, (double)rest);
    case B_AND:
        return integer(t, (double)(a & b));
    case B_OR:
        return integer(t, (double)(a | b));
    case B_XOR:
        return integer(t, (double)(a ^ b));
    case B_ADD:
        return integer(t, (double)a + (double)b);
    case B_SUB:
        return integer(t, (double)a - (double)b);
    default:
        return integer(t, (double)a * (double)b);
    }
}

num num_binary(elem t, unsigned sub, num a, num b)
{
    if (isinf(a.e) || isinf(b.e))
        return num_unknown();
    if (sub >= B_LESS)
        return compare(sub, a, b);
    if (sub == B_MAX || sub == B_MIN) {
        if (isnan(a.v) || isnan(b.v))
            return (num){NAN, 0};
        num r = {sub == B_MAX ? fmax(a.v, b.v) : fmin(a.v, b.v), fmax(a.e, b.e)};
        if (!isfinite(r.v) && r.e > 0)
            r.e = (isinf(a.v) && a.v == r.v) || (isinf(b.v) && b.v == r.v) ? 0 : INFINITY;
        return r;
    }
    if (t >= I32)
        return integers(t, sub, (int64_t)a.v, (int64_t)b.v);
    double e = a.e + b.e;
    switch (sub) {
    case B_ADD:
        return rounded(t, a.v + b.v, e);
    case B_SUB:
        return rounded(t, a.v - b.v, e);
    case B_MUL:
        return rounded(t, a.v * b.v, fabs(a.v) * b.e + fabs(b.v) * a.e + a.e * b.e);
    default:
        break;
    }
    double v = a.v / b.v; /* B_DIV of floats */
    if (b.v == 0)
        return num_unknown();
    if (e == 0)
        return isfinite(v) ? num_inexact(t, v, 0, 1, fabs(v)) : num_exact(t, v);
    if (fabs(b.v) <= 2 * b.e)
        return num_unknown();
    return num_inexact(t, v, (a.e + fabs(v) * b.e) / (fabs(b.v) - b.e), 2, fabs(v));
}

num num_convert(elem from, elem to, num a)
{
    if (isinf(a.e))
        return num_unknown();
    if (to == B8)
        return a.e > 0 && !(fabs(a.v) > a.e) ? num_unknown() : (num){!(a.v == 0), 0};
    if (to >= I32 && from < I32) {
        double v = trunc(a.v), low = to == I8 ? -128 : to == U8 ? 0 : -2e9;
        double high = to == I8 ? 127 : to == U8 ? 255 : 2e9;
        if (!isfinite(a.v) || v < low || v > high || trunc(a.v - a.e) != v || trunc(a.v + a.e) != v)
            return num_unknown();
        return integer(to, v);
    }
    return to >= I32 ? integer(to, a.v) : rounded(to, a.v, a.e);
}

double num_granularity(double v)
{
    double g = 1;
    if (!isfinite(v))
        return 0;
    while (g > 0x1p-20 && v / g != floor(v / g))
        g /= 2;
    return v / g == floor(v / g) ? g : 0;
}

bool num_sums_exactly(elem t, double sum_of_magnitudes, double granularity)
{
    return granularity > 0 && sum_of_magnitudes / granularity < 1 / (num_unit(t) / 2);
}

/* --- rows of the table ----------------------------------------------------------------------- */

static double negative(double x)
{
    return 0 - x;
}
static double sign(double x)
{
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}
static double square(double x)
{
    return x * x;
}
static double relu(double x)
{
    return x < 0 ? 0 : x;
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double silu(double x)
{
    return x / (1 + exp(-x));
}
static double gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double leaky(double x)
{
    return x < 0 ? 0.125 * x : x;
}
static double softplus(double x)
{
    return x > 20 ? x : log1p(exp(x));
}

/* '~' after the attributes marks oscillating functions; it is not printed. */
const unary_row unary_rows[] = {{"abs", EXACT_UNARY, fabs, true, ""},
                                {"negative", EXACT_UNARY, negative, true, ""},
                                {"sign", DISCRETE_UNARY, sign, true, ""},
                                {"nn.relu", EXACT_UNARY, relu, true, ""},
                                {"square", SMOOTH_UNARY, square, true, ""},
                                {"floor", DISCRETE_UNARY, floor, false, ""},
                                {"ceil", DISCRETE_UNARY, ceil, false, ""},
                                {"round", DISCRETE_UNARY, nearbyint, false, ""},
                                {"trunc", DISCRETE_UNARY, trunc, false, ""},
                                {"exp", SMOOTH_UNARY, exp, false, ""},
                                {"tanh", SMOOTH_UNARY, tanh, false, ""},
                                {"sigmoid", SMOOTH_UNARY, sigmoid, false, ""},
                                {"sin", SMOOTH_UNARY, sin, false, "~"},
                                {"cos", SMOOTH_UNARY, cos, false, "~"},
                                {"erf", SMOOTH_UNARY, erf, false, ""},
                                {"sqrt", SMOOTH_UNARY, sqrt, false, ""},
                                {"rsqrt", SMOOTH_UNARY, rsqrt, false, ""},
                                {"log", SMOOTH_UNARY, log, false, ""},
                                {"nn.silu", SMOOTH_UNARY, silu, false, ""},
                                {"nn.gelu", SMOOTH_UNARY, gelu, false, ""},
                                {"nn.leakyrelu", SMOOTH_UNARY, leaky, false, ", alpha=0.125"},
                                {"nn.softplus", SMOOTH_UNARY, softplus, false, ""}};
const unsigned n_unary_rows = sizeof unary_rows / sizeof *unary_rows;
