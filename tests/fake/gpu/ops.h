/* PTX's instructions as functions in C: fma.rn.f32 is fma_rn_f32. Registers are 64 bits, of which
 * an instruction uses as many as its type has; the others of a result are 0. An instruction that is
 * missing here fails to compile, by name. */
#include <math.h>
#include <string.h>

#include "tests/fake/gpu/thread.h"

typedef uint64_t R;
typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16, b16;
typedef int32_t s32;
typedef uint32_t u32, b32;
typedef int64_t s64;
typedef uint64_t u64, b64;
typedef float f32;
typedef double f64;
#define OP static inline __attribute__((unused)) R

OP from_f32(f32 x)
{
    uint32_t r;
    memcpy(&r, &x, 4);
    return r;
}
OP from_f64(f64 x)
{
    R r;
    memcpy(&r, &x, 8);
    return r;
}
static inline f32 to_f32(R x)
{
    f32 r;
    memcpy(&r, &x, 4);
    return r;
}
static inline f64 to_f64(R x)
{
    f64 r;
    memcpy(&r, &x, 8);
    return r;
}
static inline f32 half_to_f32(R x)
{
    _Float16 h;
    uint16_t bits = (uint16_t)x;
    memcpy(&h, &bits, 2);
    return (f32)h;
}
OP half_from_f32(f32 x)
{
    _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}
OP half_from_f64(f64 x)
{
    _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

/* Those of 16 bits are computed as float32: rounding its result again gives the right one. */
typedef f32 f16, bf16;
#define to_f16 half_to_f32
#define from_f16 half_from_f32
static inline f32 to_bf16(R x)
{
    return to_f32((uint32_t)x << 16);
}
OP from_bf16(f32 x)
{
    R bits = from_f32(x);
    return x != x ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* --- integers ----------------------------------------------------------------------------------
 */

#define BINARY(name, T, U, e)   \
    OP name##_##T(R ra, R rb)   \
    {                           \
        T a = (T)ra, b = (T)rb; \
        (void)a, (void)b;       \
        return (U)(e);          \
    }
#define UNARY(name, T, U, e) \
    OP name##_##T(R ra)      \
    {                        \
        T a = (T)ra;         \
        return (U)(e);       \
    }
#define ALL_INTS(F)  \
    F(s16, u16, u16) \
    F(u16, u16, u16) F(s32, u32, u32) F(u32, u32, u32) F(s64, u64, u64) F(u64, u64, u64)
#define ARITHMETIC(T, U, W)                                                               \
    BINARY(add, T, U, (W)a + (W)b)                                                        \
    BINARY(sub, T, U, (W)a - (W)b)                                                        \
    BINARY(mul_lo, T, U, (R)(W)a *(R)(W)b)                                                \
    BINARY(min, T, U, a < b ? a : b)                                                      \
    BINARY(max, T, U, a > b ? a : b)                                                      \
    BINARY(div, T, U, b == 0 ? (U)-1 : (T)-1 < 0 && b == (T)-1 ? (U) - (U)a : (U)(a / b)) \
    BINARY(rem, T, U, b == 0 ? (U)a : (T)-1 < 0 && b == (T)-1 ? 0 : (U)(a % b))           \
    BINARY(setp_eq, T, u32, a == b)                                                       \
    BINARY(setp_ne, T, u32, a != b)                                                       \
    BINARY(setp_lt, T, u32, a < b)                                                        \
    BINARY(setp_le, T, u32, a <= b)                                                       \
    BINARY(setp_gt, T, u32, a > b)                                                        \
    BINARY(setp_ge, T, u32, a >= b)                                                       \
    UNARY(neg, T, U, 0 - (W)a)                                                            \
    UNARY(abs, T, U, a < 0 ? 0 - (W)a : (W)a)                                             \
    OP mad_lo_##T(R a, R b, R c)                                                          \
    {                                                                                     \
        return (U)((R)(U)a * (R)(U)b + c);                                                \
    }                                                                                     \
    OP shr_##T(R ra, R rn)                                                                \
    {                                                                                     \
        T a = (T)ra;                                                                      \
        u32 n = (u32)rn, top = sizeof(T) * 8 - 1;                                         \
        return n > top ? (U)((T)-1 < 0 && a < 0 ? -1 : 0) : (U)(a >> n);                  \
    }
ALL_INTS(ARITHMETIC)
#define SETP_UNSIGNED(T)            \
    BINARY(setp_lo, T, u32, a < b)  \
    BINARY(setp_ls, T, u32, a <= b) \
    BINARY(setp_hi, T, u32, a > b)  \
    BINARY(setp_hs, T, u32, a >= b)
SETP_UNSIGNED(u16)
SETP_UNSIGNED(u32)
SETP_UNSIGNED(u64)
#define BITS(T, U)                                                       \
    BINARY(and, T, U, a &b)                                              \
    BINARY(or, T, U, a | b)                                              \
    BINARY(xor, T, U, a ^ b)                                             \
    BINARY(shl, T, U, (u32)rb > sizeof(T) * 8 - 1 ? 0 : (R)a << (u32)rb) \
    BINARY(setp_eq, T, u32, a == b)                                      \
    BINARY(setp_ne, T, u32, a != b)                                      \
    UNARY(not, T, U, ~a)                                                 \
    UNARY(mov, T, U, a)                                                  \
    OP selp_##T(R a, R b, R p)                                           \
    {                                                                    \
        return (U)(p ? a : b);                                           \
    }
BITS(b16, u16)
BITS(b32, u32)
BITS(b64, u64)
#define MOVES(T, U)            \
    OP mov_##T(R a)            \
    {                          \
        return (U)a;           \
    }                          \
    OP selp_##T(R a, R b, R p) \
    {                          \
        return (U)(p ? a : b); \
    }
MOVES(u16, u16)
MOVES(s16, u16)
MOVES(u32, u32)
MOVES(s32, u32)
MOVES(u64, u64)
MOVES(s64, u64)
MOVES(f32, u32)
MOVES(f64, u64)
OP mov_pred(R a)
{
    return a;
}
OP and_pred(R a, R b)
{
    return a & b;
}
OP or_pred(R a, R b)
{
    return a | b;
}
OP xor_pred(R a, R b)
{
    return a ^ b;
}
OP not_pred(R a)
{
    return !a;
}
OP mul_wide_u16(R a, R b)
{
    return (u32)((u32)(u16)a * (u32)(u16)b);
}
OP mul_wide_s16(R a, R b)
{
    return (u32)((s32)(s16)a * (s32)(s16)b);
}
OP mul_wide_u32(R a, R b)
{
    return (R)(u32)a * (u32)b;
}
OP mul_wide_s32(R a, R b)
{
    return (R)((s64)(s32)a * (s32)b);
}
OP mad_wide_u32(R a, R b, R c)
{
    return (R)(u32)a * (u32)b + c;
}
OP mad_wide_s32(R a, R b, R c)
{
    return (R)((s64)(s32)a * (s32)b) + c;
}
OP mad_wide_u16(R a, R b, R c)
{
    return (u32)((u32)(u16)a * (u32)(u16)b + c);
}
OP mad_wide_s16(R a, R b, R c)
{
    return (u32)((u32)((s32)(s16)a * (s32)(s16)b) + c);
}
OP mul_hi_u32(R a, R b)
{
    return ((R)(u32)a * (u32)b) >> 32;
}
OP mul_hi_s32(R a, R b)
{
    return (u32)(((s64)(s32)a * (s32)b) >> 32);
}
OP mul_hi_u64(R a, R b)
{
    return (R)(((unsigned __int128)a * b) >> 64);
}
OP mul_hi_s64(R a, R b)
{
    return (R)(((__int128)(s64)a * (s64)b) >> 64);
}
OP mul_hi_u16(R a, R b)
{
    return ((R)(u16)a * (u16)b) >> 16;
}
OP mul_hi_s16(R a, R b)
{
    return (u16)(((s32)(s16)a * (s32)(s16)b) >> 16);
}
OP popc_b32(R a)
{
    return (R)__builtin_popcount((u32)a);
}
OP popc_b64(R a)
{
    return (R)__builtin_popcountll(a);
}
OP clz_b32(R a)
{
    return (u32)a ? (R)__builtin_clz((u32)a) : 32;
}
OP clz_b64(R a)
{
    return a ? (R)__builtin_clzll(a) : 64;
}
OP bfe_u32(R a, R pos, R len)
{
    pos &= 255, len &= 255;
    R whole = pos < 32 ? (u32)a >> pos : 0;
    return len < 32 ? whole & (((R)1 << len) - 1) : whole;
}
OP bfe_s32(R a, R pos, R len)
{
    pos &= 255, len &= 255;
    if (len == 0)
        return 0;
    s64 whole = (s64)(s32)a >> (pos < 32 ? pos : 31);
    return len < 32 ? (u32)((s64)((R)whole << (64 - len)) >> (64 - len)) : (u32)whole;
}
OP bfe_u64(R a, R pos, R len)
{
    pos &= 255, len &= 255;
    R whole = pos < 64 ? a >> pos : 0;
    return len < 64 ? whole & (((R)1 << len) - 1) : whole;
}
OP bfe_s64(R a, R pos, R len)
{
    pos &= 255, len &= 255;
    if (len == 0)
        return 0;
    s64 whole = (s64)a >> (pos < 64 ? pos : 63);
    return len < 64 ? (R)((s64)((R)whole << (64 - len)) >> (64 - len)) : (R)whole;
}
OP bfi_b32(R a, R b, R pos, R len)
{
    pos &= 255, len &= 255;
    R mask = pos >= 32 ? 0 : (u32)((len >= 32 ? ~(R)0 : ((R)1 << len) - 1) << pos);
    return (u32)((b & ~mask) | ((a << (pos & 63)) & mask));
}
OP prmt_b32(R a, R b, R c)
{
    R all = (u32)a | b << 32, r = 0;
    for (int i = 0; i < 4; i++) {
        R pick = c >> (4 * i), byte = all >> (8 * (pick & 7)) & 255;
        if (pick & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}
OP shf_l_wrap_b32(R a, R b, R n)
{
    n &= 31;
    return (u32)(((b << 32 | (u32)a) << n) >> 32);
}
OP shf_r_wrap_b32(R a, R b, R n)
{
    n &= 31;
    return (u32)((b << 32 | (u32)a) >> n);
}
OP shf_l_clamp_b32(R a, R b, R n)
{
    n = (u32)n > 32 ? 32 : n;
    return (u32)(((b << 32 | (u32)a) << n) >> 32);
}
OP shf_r_clamp_b32(R a, R b, R n)
{
    n = (u32)n > 32 ? 32 : n;
    return (u32)((b << 32 | (u32)a) >> n);
}

/* --- floats ------------------------------------------------------------------------------------
 */

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

/* --- memory ------------------------------------------------------------------------------------
 */

#define MEMORY(T, U)                            \
    OP load_##T(R at)                           \
    {                                           \
        T x;                                    \
        memcpy(&x, (const void *)at, sizeof x); \
        return (U)x;                            \
    }                                           \
    static inline void store_##T(R at, R value) \
    {                                           \
        T x = (T)value;                         \
        memcpy((void *)at, &x, sizeof x);       \
    }
typedef uint8_t b8;
MEMORY(u8, u8)
MEMORY(b8, u8)
MEMORY(s8, s64)
MEMORY(u16, u16)
MEMORY(b16, u16)
MEMORY(s16, s64)
MEMORY(u32, u32)
MEMORY(b32, u32)
MEMORY(s32, s64)
MEMORY(u64, u64)
MEMORY(b64, u64)
MEMORY(s64, u64)
#define load_f32 load_u32
#define store_f32 store_u32
#define load_f16 load_u16
#define store_f16 store_u16
#define load_f64 load_u64
#define store_f64 store_u64
/* A narrow signed number fills the register of 16, 32 or 64 bits that it goes to. */

/* --- a warp ------------------------------------------------------------------------------------
 */

/* Element |i| of words; tf32 is a float32 of which 10 bits of the mantissa count. */
static inline f32 el_f16(const uint32_t *w, int i)
{
    return half_to_f32(w[i / 2] >> (i % 2 * 16) & 0xffff);
}
static inline f32 el_bf16(const uint32_t *w, int i)
{
    return to_bf16(w[i / 2] >> (i % 2 * 16) & 0xffff);
}
static inline f32 el_tf32(const uint32_t *w, int i)
{
    return to_f32(w[i] & 0xffffe000);
}

/* Matrices of 16 x k and k x 8, of which each lane gives na and nb words, then 4 of the sums. Lane
 * 4 g + t has rows g and g + 8 of A, column g of B, columns 2 t and 2 t + 1 of the sums; along k it
 * has |per| neighbours from |per| t on, then those k / 2 further if it has more. */
static inline void product(u32 lane, const uint32_t *all, uint32_t *d, int k, int na, int nb,
                           int per, f32 (*el)(const uint32_t *, int))
{
    const int words = na + nb + 4, g = (int)lane / 4, t = (int)lane % 4, span = 4 * per;
    for (int c = 0; c < 4; c++) {
        const int row = g + c / 2 * 8, col = 2 * t + c % 2;
        f32 sum = to_f32(all[(int)lane * words + na + nb + c]);
        for (int i = 0; i < k; i++) {
            const int owner = i % span / per, part = i / span, at = i % per;
            const uint32_t *a = all + (row % 8 * 4 + owner) * words;
            const uint32_t *b = all + (col * 4 + owner) * words + na;
            sum += el(a, (2 * part + row / 8) * per + at) * el(b, part * per + at);
        }
        d[c] = (uint32_t)from_f32(sum);
    }
}
#define PRODUCT(name, k, na, nb, per, el)                               \
    static inline __attribute__((unused)) void mma_sync_aligned_##name( \
        u32 lane, const uint32_t *all, uint32_t *d)                     \
    {                                                                   \
        product(lane, all, d, k, na, nb, per, el);                      \
    }
PRODUCT(m16n8k16_row_col_f32_f16_f16_f32, 16, 4, 2, 2, el_f16)
PRODUCT(m16n8k16_row_col_f32_bf16_bf16_f32, 16, 4, 2, 2, el_bf16)
PRODUCT(m16n8k8_row_col_f32_bf16_bf16_f32, 8, 2, 1, 2, el_bf16)
PRODUCT(m16n8k8_row_col_f32_tf32_tf32_f32, 8, 4, 2, 1, el_tf32)
PRODUCT(m16n8k4_row_col_f32_tf32_tf32_f32, 4, 2, 1, 1, el_tf32)

OP shuffle(gpu_thread *t, int kind, R value, R lane, R clamp, R mask)
{
    u32 segment = (u32)clamp >> 8 & 31, last = clamp & 31, own = t->laneid;
    u32 low = own & segment, high = low | (last & ~segment), at = own;
    if (kind == 'i')
        at = low | ((u32)lane & ~segment);
    else if (kind == 'u')
        at = own - (u32)lane;
    else if (kind == 'd')
        at = own + (u32)lane;
    else
        at = own ^ (u32)lane;
    if (kind == 'u' ? (s32)at < (s32)high : at > high)
        at = own;
    return (u32)t->exchange(t, (u32)mask, value, at);
}
