/* Floating-point formats: the parameters of the floating-point types of rlx/base.h.

   Threads: safe; the functions depend only on their arguments. */
#ifndef RLX_FLOATS_H
#define RLX_FLOATS_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of a format's highest codes. */
typedef enum rlx_float_kind {
    RLX_FLOAT_IEEE, /* the highest exponent: infinity and NaN */
    RLX_FLOAT_FN,   /* no infinity; NaN is all ones but the sign */
    RLX_FLOAT_FNUZ, /* no infinity and no -0; NaN is the code that would be -0 */
} rlx_float_kind;

/* A format of |bits| bits: the sign, the exponent (the remaining bits), |mantissa| bits. A
   number of exponent 0 is subnormal: its unit is 2^(1 - bias - mantissa). */
typedef struct rlx_float_format {
    uint8_t code, bits, mantissa, kind; /* an rlx_type_code; an rlx_float_kind */
    int16_t bias;
} rlx_float_format;

/* The format of |t|, whose lanes do not matter; NULL if |t| is no floating-point type. */
RLX_API const rlx_float_format *rlx_float_format_of(rlx_dtype t);

/* The exact value of |code|; 0 if |t| is not a floating-point type. */
RLX_API double rlx_float_decode(rlx_dtype t, uint64_t code);
/* The code of |value|, rounded once to the nearest, halves to even. Overflow gives infinity, or NaN
 * in a format without infinity; NaN gives the format's quiet NaN. 0 if |t| is not a floating-point
 * type. */
RLX_API uint64_t rlx_float_encode(rlx_dtype t, double value);
/* The code of the largest finite number. */
RLX_API uint64_t rlx_float_largest(rlx_dtype t);
/* True if |code| is a NaN of |t|. */
RLX_API bool rlx_float_is_nan(rlx_dtype t, uint64_t code);

#ifdef __cplusplus
}
#endif

#endif
