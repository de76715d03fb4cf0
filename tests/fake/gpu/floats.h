/* PTX's instructions on floats, and conversions. */
#ifndef RLX_TESTS_FAKE_FLOATS_H
#define RLX_TESTS_FAKE_FLOATS_H

#include "tests/fake/gpu/integers.h"

/* Of NaN and a number the number; -0 is less than 0. */
#define FLOATS(T, S)                                                                    \
    OP add_rn_##T(R a, R b)                                                             \
    {                                                                                   \
        return from_##T(to_##T(a) + to_##T(b));                                         \
    }                                                                                   \
    OP sub_rn_##T(R a, R b)                                                             \
    {                                                                                   \
        return from_##T(to_##T(a) - to_##T(b));                                         \
    }                                                                                   \
    OP mul_rn_##T(R a, R b)                                                             \
    {                                                                                   \
        return from_##T(to_##T(a) * to_##T(b));                                         \
    }                                                                                   \
    OP add_##T(R a, R b)                                                                \
    {                                                                                   \
        return add_rn_##T(a, b);                                                        \
    }                                                                                   \
    OP sub_##T(R a, R b)                                                                \
    {                                                                                   \
        return sub_rn_##T(a, b);                                                        \
    }                                                                                   \
    OP mul_##T(R a, R b)                                                                \
    {                                                                                   \
        return mul_rn_##T(a, b);                                                        \
    }                                                                                   \
    OP div_rn_##T(R a, R b)                                                             \
    {                                                                                   \
        return from_##T(to_##T(a) / to_##T(b));                                         \
    }                                                                                   \
    OP rcp_rn_##T(R a)                                                                  \
    {                                                                                   \
        return from_##T(1 / to_##T(a));                                                 \
    }                                                                                   \
    OP sqrt_rn_##T(R a)                                                                 \
    {                                                                                   \
        return from_##T(sqrt##S(to_##T(a)));                                            \
    }                                                                                   \
    OP fma_rn_##T(R a, R b, R c)                                                        \
    {                                                                                   \
        return from_##T(fma##S(to_##T(a), to_##T(b), to_##T(c)));                       \
    }                                                                                   \
    OP abs_##T(R a)                                                                     \
    {                                                                                   \
        return from_##T(fabs##S(to_##T(a)));                                            \
    }                                                                                   \
    OP neg_##T(R a)                                                                     \
    {                                                                                   \
        return from_##T(-to_##T(a));                                                    \
    }                                                                                   \
    OP copysign_##T(R a, R b)                                                           \
    {                                                                                   \
        return from_##T(copysign##S(to_##T(b), to_##T(a)));                             \
    }                                                                                   \
    OP min_##T(R a, R b)                                                                \
    {                                                                                   \
        T x = to_##T(a), y = to_##T(b);                                                 \
        return x != x ? b : y != y ? a : x < y || (x == y && signbit(x)) ? a : b;       \
    }                                                                                   \
    OP max_##T(R a, R b)                                                                \
    {                                                                                   \
        T x = to_##T(a), y = to_##T(b);                                                 \
        return x != x ? b : y != y ? a : x > y || (x == y && signbit(y)) ? a : b;       \
    }                                                                                   \
    OP min_NaN_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) != to_##T(a) ? a : to_##T(b) != to_##T(b) ? b : min_##T(a, b); \
    }                                                                                   \
    OP max_NaN_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) != to_##T(a) ? a : to_##T(b) != to_##T(b) ? b : max_##T(a, b); \
    }                                                                                   \
    OP setp_nan_##T(R a, R b)                                                           \
    {                                                                                   \
        return isunordered(to_##T(a), to_##T(b));                                       \
    }                                                                                   \
    OP setp_num_##T(R a, R b)                                                           \
    {                                                                                   \
        return !isunordered(to_##T(a), to_##T(b));                                      \
    }                                                                                   \
    OP setp_eq_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) == to_##T(b);                                                  \
    }                                                                                   \
    OP setp_ne_##T(R a, R b)                                                            \
    {                                                                                   \
        return islessgreater(to_##T(a), to_##T(b));                                     \
    }                                                                                   \
    OP setp_lt_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) < to_##T(b);                                                   \
    }                                                                                   \
    OP setp_le_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) <= to_##T(b);                                                  \
    }                                                                                   \
    OP setp_gt_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) > to_##T(b);                                                   \
    }                                                                                   \
    OP setp_ge_##T(R a, R b)                                                            \
    {                                                                                   \
        return to_##T(a) >= to_##T(b);                                                  \
    }                                                                                   \
    OP setp_equ_##T(R a, R b)                                                           \
    {                                                                                   \
        return !islessgreater(to_##T(a), to_##T(b));                                    \
    }                                                                                   \
    OP setp_neu_##T(R a, R b)                                                           \
    {                                                                                   \
        return to_##T(a) != to_##T(b);                                                  \
    }                                                                                   \
    OP setp_ltu_##T(R a, R b)                                                           \
    {                                                                                   \
        return !(to_##T(a) >= to_##T(b));                                               \
    }                                                                                   \
    OP setp_leu_##T(R a, R b)                                                           \
    {                                                                                   \
        return !(to_##T(a) > to_##T(b));                                                \
    }                                                                                   \
    OP setp_gtu_##T(R a, R b)                                                           \
    {                                                                                   \
        return !(to_##T(a) <= to_##T(b));                                               \
    }                                                                                   \
    OP setp_geu_##T(R a, R b)                                                           \
    {                                                                                   \
        return !(to_##T(a) < to_##T(b));                                                \
    }                                                                                   \
    OP testp_finite_##T(R a)                                                            \
    {                                                                                   \
        return isfinite(to_##T(a)) != 0;                                                \
    }                                                                                   \
    OP testp_infinite_##T(R a)                                                          \
    {                                                                                   \
        return isinf(to_##T(a)) != 0;                                                   \
    }                                                                                   \
    OP testp_notanumber_##T(R a)                                                        \
    {                                                                                   \
        return isnan(to_##T(a)) != 0;                                                   \
    }                                                                                   \
    OP cvt_rni_##T##_##T(R a)                                                           \
    {                                                                                   \
        return from_##T(rint##S(to_##T(a)));                                            \
    }                                                                                   \
    OP cvt_rzi_##T##_##T(R a)                                                           \
    {                                                                                   \
        return from_##T(trunc##S(to_##T(a)));                                           \
    }                                                                                   \
    OP cvt_rmi_##T##_##T(R a)                                                           \
    {                                                                                   \
        return from_##T(floor##S(to_##T(a)));                                           \
    }                                                                                   \
    OP cvt_rpi_##T##_##T(R a)                                                           \
    {                                                                                   \
        return from_##T(ceil##S(to_##T(a)));                                            \
    }
FLOATS(f32, f)
FLOATS(f64, )
FLOATS(f16, f)
FLOATS(bf16, f)
MOVES(f16, u16)
MOVES(bf16, u16)
/* Two float16 in a register. */
#define PAIRS(op)                                                                         \
    OP op##_f16x2(R a, R b)                                                               \
    {                                                                                     \
        return op##_f16((u16)a, (u16)b) | op##_f16((u16)(a >> 16), (u16)(b >> 16)) << 16; \
    }
PAIRS(add_rn)
PAIRS(sub_rn)
PAIRS(mul_rn)
PAIRS(add)
PAIRS(sub)
PAIRS(mul)
PAIRS(max)
PAIRS(min)
OP fma_rn_f16x2(R a, R b, R c)
{
    return fma_rn_f16((u16)a, (u16)b, (u16)c) |
           fma_rn_f16((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16)) << 16;
}

/* --- conversions -------------------------------------------------------------------------------
 */

#define CVT(to, from, U)       \
    OP cvt_##to##_##from(R a)  \
    {                          \
        return (U)(to)(from)a; \
    }
#define CVT_ALL(to, U) \
    CVT(to, u8, U)     \
    CVT(to, s8, U)     \
    CVT(to, u16, U) CVT(to, s16, U) CVT(to, u32, U) CVT(to, s32, U) CVT(to, u64, U) CVT(to, s64, U)
CVT_ALL(u8, u8)
CVT_ALL(u16, u16)
CVT_ALL(u32, u32)
CVT_ALL(u64, u64)
/* a narrow signed result fills its register */
CVT_ALL(s8, s64)
CVT_ALL(s16, s64)
CVT_ALL(s32, u32)
CVT_ALL(s64, u64)
#define FROM_INT(from)                      \
    OP cvt_rn_f32_##from(R a)               \
    {                                       \
        return from_f32((f32)(from)a);      \
    }                                       \
    OP cvt_rn_f64_##from(R a)               \
    {                                       \
        return from_f64((f64)(from)a);      \
    }                                       \
    OP cvt_rn_f16_##from(R a)               \
    {                                       \
        return half_from_f64((f64)(from)a); \
    }
FROM_INT(u8)
FROM_INT(s8)
FROM_INT(u16)
FROM_INT(s16)
FROM_INT(u32)
FROM_INT(s32)
FROM_INT(u64)
FROM_INT(s64)
/* Out of range saturates, NaN is 0. */
#define TO_INT(to, U, from, low, high)                 \
    OP cvt_rzi_##to##_##from(R a)                      \
    {                                                  \
        from x = to_##from(a);                         \
        return x != x                  ? 0             \
               : (f64)x <= (f64)(low)  ? (U)(to)(low)  \
               : (f64)x >= (f64)(high) ? (U)(to)(high) \
                                       : (U)(to)x;     \
    }
#define TO_INTS(from)                            \
    TO_INT(u16, u16, from, 0, UINT16_MAX)        \
    TO_INT(s16, u16, from, INT16_MIN, INT16_MAX) \
    TO_INT(u32, u32, from, 0, UINT32_MAX)        \
    TO_INT(s32, u32, from, INT32_MIN, INT32_MAX) \
    TO_INT(u64, u64, from, 0, UINT64_MAX)        \
    TO_INT(s64, u64, from, INT64_MIN, INT64_MAX)
/* clang-format off: it moves these lines each time */
TO_INTS(f32)
TO_INTS(f64)
/* clang-format on */
OP cvt_rna_tf32_f32(R a) /* half away from zero */
{
    u32 bits = (u32)a;
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : ((bits + 0x1000) & 0xffffe000);
}
OP cvt_f64_f32(R a)
{
    return from_f64(to_f32(a));
}
OP cvt_rn_f32_f64(R a)
{
    return from_f32((f32)to_f64(a));
}
OP cvt_f32_f16(R a)
{
    return from_f32(half_to_f32(a));
}
OP cvt_f64_f16(R a)
{
    return from_f64(half_to_f32(a));
}
OP cvt_rn_f16_f32(R a)
{
    return half_from_f32(to_f32(a));
}
OP cvt_rn_f16_f64(R a)
{
    return half_from_f64(to_f64(a));
}
OP cvt_rn_bf16_f32(R a)
{
    return from_bf16(to_f32(a));
}
OP cvt_f32_bf16(R a)
{
    return from_f32(to_bf16(a));
}

#endif
