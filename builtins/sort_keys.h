/* Sorting of 32-bit keys: the positions of the first keys of a line. */
#ifndef RLXB_SORT_KEYS_H
#define RLXB_SORT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/* The keys of |n| floats next to each other, in the order of rlxb_order_key. */
void rlxb_float_keys(const float *x, int64_t n, bool descending, int32_t *to);

/* The same for float16 and bfloat16; magnitudes above |most|, the bits of infinity, are NaN. */
void rlxb_half_keys(const uint16_t *x, int64_t n, uint16_t most, bool descending, int32_t *to);

/* Keys are compared as signed numbers. |items| (2 * |length| of them, some as spare room) gets the
 * first |n| of the |length| < 2^32 keys in ascending order, equal ones by position. The lower half
 * of an item is the position. */
void rlxb_first_keys(const int32_t *keys, int64_t length, int64_t n, uint64_t *items);

enum { RLXB_TOGETHER = 16, RLXB_FEW = 24 };

/* The same for RLXB_TOGETHER lines whose keys alternate, |n| <= RLXB_FEW: line |i| has keys
 * keys[i], keys[i + RLXB_TOGETHER], ... and its items begin at items[i * n]. Only the first |lines|
 * are wanted. */
void rlxb_first_keys_together(const int32_t *keys, int64_t length, int64_t n, int64_t lines,
                              uint64_t *items);

static inline int64_t rlxb_item_position(uint64_t item)
{
    return (int64_t)(item & UINT32_MAX);
}

#endif
