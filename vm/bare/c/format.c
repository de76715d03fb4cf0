/* snprintf for programs without a C library: %s, %c, %d, %u, %x and %g with the flag 0, a width, a
 * precision and the lengths l, ll and z. That is what librlx-bare.a uses; any other conversion is
 * written as it stands. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct out {
    char *to;
    size_t room, length; /* all of the text counts */
} out;

static void put(out *o, char c)
{
    if (o->length + 1 < o->room)
        o->to[o->length] = c;
    o->length++;
}

static void put_padded(out *o, const char *text, size_t n, size_t width, bool zeros)
{
    for (size_t i = n; i < width; i++)
        put(o, zeros ? '0' : ' ');
    for (size_t i = 0; i < n; i++)
        put(o, text[i]);
}

enum { DIGITS = 24 };

/* The digits end at |end|; returns where they begin. */
static char *digits_of(uint64_t value, unsigned base, char *end)
{
    do {
        *--end = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    return end;
}

/* |value| times 10 to the |power|: rounded at each step. */
static double times_ten_to(double value, int power)
{
    for (; power >= 22; power -= 22)
        value *= 1e22;
    for (; power <= -22; power += 22)
        value /= 1e22;
    for (; power > 0; power--)
        value *= 10;
    for (; power < 0; power++)
        value /= 10;
    return value;
}

/* To an even number in the middle between two. */
static uint64_t nearest(double value)
{
    const uint64_t down = (uint64_t)value;
    const double rest = value - (double)down;
    return down + (rest > 0.5 || (rest == 0.5 && down % 2 == 1));
}

/* %g of a positive finite value, without trailing zeros: correct to 15 digits, but for values next
 * to the middle between two texts. */
static size_t general(double value, int precision, char *to)
{
    char digits[DIGITS], *at = to;
    int exponent = 0;
    precision = precision < 1 ? 1 : precision > 15 ? 15 : precision;
    const uint64_t most = (uint64_t)times_ten_to(1, precision);
    for (double v = value; v >= 10; v /= 10)
        exponent++;
    for (double v = value; v < 1; v *= 10)
        exponent--;
    uint64_t n = nearest(times_ten_to(value, precision - 1 - exponent));
    if (n >= most) {
        n = (n + 5) / 10;
        exponent++;
    } else if (n < most / 10) { /* the loop above had rounded up */
        exponent--;
        n = nearest(times_ten_to(value, precision - 1 - exponent));
    }
    for (int i = precision; i-- > 0; n /= 10)
        digits[i] = (char)('0' + n % 10);
    int used = precision;
    while (used > 1 && digits[used - 1] == '0')
        used--;
    const bool is_long = exponent < -4 || exponent >= precision;
    const int whole = is_long ? 0 : exponent; /* place of the digit before the point */
    if (whole < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > whole; i--)
            *at++ = '0';
    }
    for (int i = 0; i < used || i <= whole; i++) {
        *at++ = i < used ? digits[i] : '0';
        if (i == whole && i + 1 < used)
            *at++ = '.';
    }
    if (!is_long)
        return (size_t)(at - to);
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    const unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size < 10)
        *at++ = '0';
    const char *text = digits_of(size, 10, digits + DIGITS);
    while (text < digits + DIGITS)
        *at++ = *text++;
    return (size_t)(at - to);
}

static void put_float(out *o, double value, int precision, size_t width, bool zeros)
{
    char text[48] = "-";
    const bool is_negative = __builtin_signbit(value);
    char *const number = text + is_negative;
    size_t n = 3;
    if (value != value)
        memcpy(number, "nan", 3);
    else if (__builtin_isinf(value))
        memcpy(number, "inf", 3);
    else if (value == 0)
        number[(n = 1) - 1] = '0';
    else
        n = general(is_negative ? -value : value, precision < 0 ? 6 : precision, number);
    put_padded(o, text, n + is_negative, width, zeros);
}

static void put_integer(out *o, uint64_t value, bool is_negative, unsigned base, size_t width,
                        bool zeros)
{
    char digits[DIGITS];
    char *first = digits_of(is_negative ? 0 - value : value, base, digits + DIGITS);
    if (is_negative && zeros) {
        put(o, '-');
        width -= width > 0;
    } else if (is_negative) {
        *--first = '-';
    }
    put_padded(o, first, (size_t)(digits + DIGITS - first), width, zeros);
}

/* A number of the format, or for * the next argument. */
#define READ_NUMBER(into)                                                   \
    do {                                                                    \
        if (*f == '*') {                                                    \
            (into) = va_arg(args, int);                                     \
            f++;                                                            \
        } else {                                                            \
            for ((into) = 0; *f >= '0' && *f <= '9' && (into) < 10000; f++) \
                (into) = (into)*10 + (*f - '0');                            \
        }                                                                   \
    } while (0)

int vsnprintf(char *to, size_t room, const char *format, va_list args)
{
    out o = {to, room, 0};
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            put(&o, *f);
            continue;
        }
        const char *start = f++;
        int width, precision = -1, longs = 0;
        const bool zeros = *f == '0';
        READ_NUMBER(width);
        if (*f == '.') {
            f++;
            READ_NUMBER(precision);
        }
        for (; *f == 'l' || *f == 'z'; f++)
            longs++;
        const size_t wide = width > 0 ? (size_t)width : 0;
        switch (*f) {
        case 's': {
            const char *text = va_arg(args, const char *);
            put_padded(&o, text, strnlen(text, precision < 0 ? SIZE_MAX : (size_t)precision), wide,
                       false);
            break;
        }
        case 'c':
            put(&o, (char)va_arg(args, int));
            break;
        case 'd': { /* long, long long and size_t have 64 bits */
            const int64_t value = longs ? va_arg(args, long long) : va_arg(args, int);
            put_integer(&o, (uint64_t)value, value < 0, 10, wide, zeros);
            break;
        }
        case 'u':
        case 'x': {
            const uint64_t value =
                longs ? va_arg(args, unsigned long long) : va_arg(args, unsigned);
            put_integer(&o, value, false, *f == 'u' ? 10 : 16, wide, zeros);
            break;
        }
        case 'g':
            put_float(&o, va_arg(args, double), precision, wide, zeros);
            break;
        case '%':
            put(&o, '%');
            break;
        default:
            for (; start < f; start++)
                put(&o, *start);
            f -= *f == 0;
            if (f >= start)
                put(&o, *f);
        }
    }
    if (room > 0)
        to[o.length < room ? o.length : room - 1] = 0;
    return (int)o.length;
}

int snprintf(char *to, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(to, room, format, args);
    va_end(args);
    return n;
}
