/* PTX's instructions on integers, bits, predicates, and between registers. */
#ifndef RLX_TESTS_FAKE_INTEGERS_H
#define RLX_TESTS_FAKE_INTEGERS_H

#include "tests/fake/gpu/types.h"

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

#endif
