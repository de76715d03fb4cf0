/* Elements smaller than a byte (int4, uint4, int2, uint2). They are packed in the order of the
 * tensor, the first in the low bits of a byte. */
#ifndef RLX_PACKED_H
#define RLX_PACKED_H

#include <rlx/base.h>

/* Element |i| of packed elements of type |t|, for which rlx_dtype_is_packed. */
static inline int64_t rlx_packed_get(rlx_dtype t, const void *data, size_t i)
{
    const unsigned each = 8u / t.bits, mask = (1u << t.bits) - 1, sign = 1u << (t.bits - 1u);
    const unsigned byte = ((const unsigned char *)data)[i / each];
    const unsigned bits = byte >> (i % each * t.bits) & mask;
    return t.code == RLX_INT ? (int64_t)(bits ^ sign) - (int64_t)sign : (int64_t)bits;
}

/* Sets element |i| to the low bits of |number|; the other elements of the byte are unchanged. */
static inline void rlx_packed_set(rlx_dtype t, void *data, size_t i, int64_t number)
{
    const unsigned each = 8u / t.bits, mask = (1u << t.bits) - 1;
    const unsigned shift = (unsigned)(i % each) * t.bits;
    unsigned char *byte = (unsigned char *)data + i / each;
    *byte = (unsigned char)((*byte & ~(mask << shift)) | ((unsigned)number & mask) << shift);
}

/* True if an element of type |t| can hold |number|. */
static inline bool rlx_packed_fits(rlx_dtype t, int64_t number)
{
    const int64_t count = (int64_t)1 << t.bits, least = t.code == RLX_INT ? -count / 2 : 0;
    return number >= least && number < least + count;
}

#endif
