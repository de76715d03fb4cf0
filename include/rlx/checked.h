/* Checked arithmetic for sizes, offsets and dimensions: every function returns true and writes
   *out if the exact result fits, else returns false and leaves *out alone. Floor division and
   modulo follow Python (the remainder has the divisor's sign). */
#ifndef RLX_CHECKED_H
#define RLX_CHECKED_H

#include <rlx/base.h>

static inline bool rlx_add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool rlx_sub_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_sub_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool rlx_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool rlx_floordiv_i64(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    int64_t q = a / b;
    *out = q - (a % b != 0 && ((a % b < 0) != (b < 0)));
    return true;
}

static inline bool rlx_floormod_i64(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return false;
    if (b == -1) { /* INT64_MIN % -1 traps on x86 */
        *out = 0;
        return true;
    }
    int64_t r = a % b;
    *out = r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
    return true;
}

static inline bool rlx_add_size(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool rlx_mul_size(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

/* |align| is a power of two. */
static inline bool rlx_align_size(size_t a, size_t align, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, align - 1, &r))
        return false;
    *out = r & ~(align - 1);
    return true;
}

/* The product of |n| dimensions, none of which may be negative; at most PTRDIFF_MAX. A zero
 * dimension gives 0 even if the product of the others would overflow. */
static inline bool rlx_numel(const int64_t *dims, uint32_t n, int64_t *out)
{
    bool zero = false, fits = true;
    int64_t r = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i] < 0)
            return false;
        zero |= dims[i] == 0;
        fits = fits && !__builtin_mul_overflow(r, dims[i], &r);
    }
    if (zero)
        r = 0;
    else if (!fits)
        return false;
    *out = r;
    return true;
}

/* Bytes of a compact tensor; at most PTRDIFF_MAX. */
static inline bool rlx_nbytes(const int64_t *dims, uint32_t n, rlx_dtype dtype, size_t *out)
{
    int64_t numel, bytes;
    const size_t element = rlx_dtype_size(dtype);
    if (!rlx_dtype_valid(dtype) || !rlx_numel(dims, n, &numel))
        return false;
    if (element == 0) {
        const int64_t each = 8 / dtype.bits; /* of a byte */
        bytes = numel / each + (numel % each != 0);
    } else if (__builtin_mul_overflow(numel, (int64_t)element, &bytes)) {
        return false;
    }
    *out = (size_t)bytes;
    return true;
}

#endif
