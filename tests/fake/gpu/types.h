/* The types of PTX as C has them, and numbers as the bits of a register. Registers are 64 bits, of
 * which an instruction uses as many as its type has; the others of a result are 0. */
#ifndef RLX_TESTS_FAKE_TYPES_H
#define RLX_TESTS_FAKE_TYPES_H

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

#endif
