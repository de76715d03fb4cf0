/* PTX's instructions as functions in C: fma.rn.f32 is fma_rn_f32. An instruction that is missing
 * here fails to compile, by name. */
#include "tests/fake/gpu/floats.h"

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
