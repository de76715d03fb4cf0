/* The first keys of a line (builtins/sort_keys.h). An item is the key, made unsigned, and below it
 * the position, so that one comparison orders items and equal keys keep their order. A few first
 * items are kept sorted, more in a heap whose root is the last of them; most of a line is sorted
 * whole, by the bytes of the keys. */
#include "builtins/sort_keys.h"

#include <string.h>

enum {
    BLOCK = 32,   /* keys that are tested at once */
    SHARE = 8,    /* a heap of more than a SHARE-th of the line takes longer than sorting it */
    SHORT = 48,   /* items that are sorted by insertion */
    KEY_BYTE = 4, /* the lowest byte of an item that belongs to the key */
    ITEM_BYTES = sizeof(uint64_t),
    BYTE_VALUES = 256,
    INFINITY_BITS = 0x7f800000, /* of float32 */
};

typedef int32_t int_vector __attribute__((vector_size(16)));
enum { LANES = 4 };

typedef uint16_t half_vector __attribute__((vector_size(8)));

/* rlxb_order_key of the bits of float32, or of shorter floats in the upper bits, as signed numbers;
 * |flip| is -1 to reverse the order, else 0. Magnitudes above |most| are NaN. */
static int_vector float_keys(int_vector bits, int32_t flip, int32_t most)
{
    const int_vector size = bits & INT32_MAX, sign = (bits >> 31) ^ flip;
    const int_vector key = (size ^ sign) - sign; /* -0 is 0 */
    const int_vector is_nan = size > most;
    return (key & ~is_nan) | (is_nan & INT32_MAX);
}

void rlxb_float_keys(const float *x, int64_t n, bool descending, int32_t *to)
{
    const int32_t flip = descending ? -1 : 0;
    int_vector v = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        memcpy(&v, x + i, sizeof v);
        v = float_keys(v, flip, INFINITY_BITS);
        memcpy(to + i, &v, sizeof v);
    }
    if (i == n)
        return;
    memcpy(&v, x + i, (size_t)(n - i) * sizeof *x);
    v = float_keys(v, flip, INFINITY_BITS);
    memcpy(to + i, &v, (size_t)(n - i) * sizeof *x);
}

void rlxb_half_keys(const uint16_t *x, int64_t n, uint16_t most, bool descending, int32_t *to)
{
    const int32_t flip = descending ? -1 : 0;
    half_vector v = {0};
    for (int64_t i = 0; i < n; i += LANES) {
        const size_t count = n - i < LANES ? (size_t)(n - i) : LANES;
        if (count == LANES)
            memcpy(&v, x + i, sizeof v);
        else
            memcpy(&v, x + i, count * sizeof *x);
        const int_vector keys =
            float_keys(__builtin_convertvector(v, int_vector) << 16, flip, (int32_t)most << 16);
        if (count == LANES)
            memcpy(to + i, &keys, sizeof keys);
        else
            memcpy(to + i, &keys, count * sizeof *to);
    }
}

static uint64_t item_of(int32_t key, int64_t position)
{
    return (uint64_t)((uint32_t)key ^ UINT32_C(0x80000000)) << 32 | (uint64_t)position;
}

static int32_t key_of(uint64_t item)
{
    return (int32_t)((uint32_t)(item >> 32) ^ UINT32_C(0x80000000));
}

/* Puts |item| into its place among the |n| sorted items before the free slot items[n]. */
static void insert(uint64_t *items, int64_t n, uint64_t item)
{
    for (; n > 0 && items[n - 1] > item; n--)
        items[n] = items[n - 1];
    items[n] = item;
}

/* Sifts |item| down from the empty slot |i| of a heap of |n|. */
static void sift_down(uint64_t *heap, int64_t n, int64_t i, uint64_t item)
{
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= item)
            break;
        heap[i] = heap[child];
    }
    heap[i] = item;
}

static bool any_below(const int32_t *keys, int32_t limit)
{
    int any = 0;
    for (int i = 0; i < BLOCK; i++)
        any |= keys[i] < limit;
    return any != 0;
}

/* Sorts by one byte after the other, from |first| on; equal bytes keep their order. */
static void sort_by_bytes(uint64_t *items, uint64_t *spare, int64_t n, int first)
{
    int64_t counts[ITEM_BYTES][BYTE_VALUES];
    uint64_t *from = items, *to = spare;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++)
        for (int byte = first; byte < ITEM_BYTES; byte++)
            counts[byte][items[i] >> (8 * byte) & 255]++;
    for (int byte = first; byte < ITEM_BYTES; byte++) {
        const int shift = 8 * byte;
        int64_t *next = counts[byte], at = 0;
        if (next[from[0] >> shift & 255] == n)
            continue; /* the same byte in all items */
        for (int v = 0; v < BYTE_VALUES; v++) {
            const int64_t count = next[v];
            next[v] = at;
            at += count;
        }
        for (int64_t i = 0; i < n; i++)
            to[next[from[i] >> shift & 255]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}

/* |spare| has as many items. The positions need no sorting if items |in_order| are sorted by them.
 */
static void sort_items(uint64_t *items, uint64_t *spare, int64_t n, bool in_order)
{
    if (n > SHORT) {
        sort_by_bytes(items, spare, n, in_order ? KEY_BYTE : 0);
        return;
    }
    for (int64_t i = 1; i < n; i++)
        insert(items, i, items[i]);
}

/* Reads the rest of the line: items[0 .. n) are its first, sorted or as a heap. */
static void keep_first(const int32_t *keys, int64_t length, int64_t n, uint64_t *items)
{
    const bool few = n <= RLXB_FEW;
    const uint64_t *last = few ? &items[n - 1] : &items[0];
    for (int64_t i = n; i < length;) {
        const int64_t end = length - i < BLOCK ? length : i + BLOCK;
        if (end - i == BLOCK && !any_below(keys + i, key_of(*last))) {
            i = end;
            continue;
        }
        for (; i < end; i++) {
            if (keys[i] >= key_of(*last)) /* the first of equals is kept */
                continue;
            if (few)
                insert(items, n - 1, item_of(keys[i], i));
            else
                sift_down(items, n, 0, item_of(keys[i], i));
        }
    }
}

void rlxb_first_keys_together(const int32_t *keys, int64_t length, int64_t n, int64_t lines,
                              uint64_t *items)
{
    int32_t last[RLXB_TOGETHER];
    for (int i = 0; i < RLXB_TOGETHER; i++)
        last[i] = INT32_MIN; /* nothing comes before it */
    for (int64_t k = 0; n > 0 && k < length; k++, keys += RLXB_TOGETHER) {
        int any = k < n;
        for (int i = 0; i < RLXB_TOGETHER; i++)
            any |= keys[i] < last[i];
        for (int64_t i = 0; any && i < lines; i++) {
            uint64_t *own = items + i * n;
            if (k >= n && keys[i] >= last[i])
                continue;
            insert(own, k < n ? k : n - 1, item_of(keys[i], k));
            last[i] = k + 1 < n ? last[i] : key_of(own[n - 1]);
        }
    }
}

void rlxb_first_keys(const int32_t *keys, int64_t length, int64_t n, uint64_t *items)
{
    const bool all = n > RLXB_FEW && n > length / SHARE;
    const int64_t start = all ? length : n;
    for (int64_t i = 0; i < start; i++)
        items[i] = item_of(keys[i], i);
    if (n <= 0)
        return;
    if (!all && n > RLXB_FEW)
        for (int64_t i = n / 2; i-- > 0;)
            sift_down(items, n, i, items[i]);
    else
        sort_items(items, items + length, start, true);
    if (all)
        return;
    keep_first(keys, length, n, items);
    if (n > RLXB_FEW)
        sort_items(items, items + length, n, false);
}
