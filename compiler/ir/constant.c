/* Elements of constants as numbers (constant.h). The bytes may be unaligned in a mapped file, so
 * nothing is read through a pointer to wider elements. */
#include "compiler/ir/constant.h"

#include <string.h>

#include "rlx/floats.h"
#include "rlx/packed.h"

static uint64_t bits_of(const rlxc_constant *c, size_t i)
{
    uint64_t bits = 0;
    size_t width = c->dtype.bits / 8u;
    memcpy(&bits, (const unsigned char *)c->data + i * width, width);
    return bits;
}

double rlxc_constant_double(const rlxc_constant *c, size_t i)
{
    if (rlx_dtype_is_packed(c->dtype) || c->dtype.code == RLX_INT)
        return (double)rlxc_constant_int(c, i);
    uint64_t bits = bits_of(c, i);
    if (!rlxc_dtype_is_float(c->dtype))
        return (double)bits;
    return rlx_float_decode(c->dtype, bits);
}

int64_t rlxc_constant_int(const rlxc_constant *c, size_t i)
{
    if (rlx_dtype_is_packed(c->dtype))
        return rlx_packed_get(c->dtype, c->data, i);
    uint64_t bits = bits_of(c, i);
    unsigned unused = 64u - c->dtype.bits;
    return c->dtype.code == RLX_INT ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

bool rlxc_constant_equal(const rlxc_constant *a, const rlxc_constant *b)
{
    if (a == b || a->lifted || b->lifted)
        return a == b;
    return rlx_dtype_eq(a->dtype, b->dtype) && a->ndim == b->ndim && a->nbytes == b->nbytes &&
           (a->ndim == 0 || memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0) &&
           (a->nbytes == 0 || memcmp(a->data, b->data, a->nbytes) == 0);
}

/* --- other orders ---------------------------------------------------------------------------- */

enum {
    LINE = 16,      /* elements of a cache line, about */
    BLOCK = 1 << 11 /* elements that are read and written again while the cache has them */
};

/* How many elements along each dimension a block has: a line of what is written, then as many of
 * the dimensions that lie closest to each other in what is read. */
static void choose_block(const rlxc_strided_copy *c, int64_t *block)
{
    const uint32_t last = c->n - 1;
    int64_t volume = c->from_step[last] == 1 ? BLOCK : LINE;
    bool chosen[RLXC_COPY_DIMS] = {false};
    for (uint32_t i = 0; i < c->n; i++)
        block[i] = 1;
    volume = block[last] = c->shape[last] < volume ? c->shape[last] : volume;
    chosen[last] = true;
    for (uint32_t round = 1; round < c->n && volume < BLOCK; round++) {
        uint32_t nearest = c->n;
        for (uint32_t i = 0; i < c->n; i++)
            if (!chosen[i] && (nearest == c->n || c->from_step[i] < c->from_step[nearest]))
                nearest = i;
        const int64_t room = BLOCK / volume;
        chosen[nearest] = true;
        block[nearest] = c->shape[nearest] < room ? c->shape[nearest] : room;
        volume *= block[nearest];
    }
}

/* Counts |at| on over dimensions [0, n) in steps of |step|; false at the end. */
static bool next_place(uint32_t n, const int64_t *shape, const int64_t *step, int64_t *at)
{
    for (uint32_t i = n; i-- > 0;) {
        at[i] += step ? step[i] : 1;
        if (at[i] < shape[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static void copy_run(const rlxc_strided_copy *c, int64_t n, const unsigned char *from,
                     unsigned char *to)
{
    const size_t item = c->item, from_step = (size_t)c->from_step[c->n - 1] * item,
                 to_step = (size_t)c->to_step[c->n - 1] * item;
    if (from_step == item && to_step == item)
        memcpy(to, from, (size_t)n * item);
    else if (item == 4) /* the usual size as a constant: a move */
        for (int64_t i = 0; i < n; i++, from += from_step, to += to_step)
            memcpy(to, from, 4);
    else
        for (int64_t i = 0; i < n; i++, from += from_step, to += to_step)
            memcpy(to, from, item);
}

void rlxc_copy_strided(const rlxc_strided_copy *c, const void *from, void *to)
{
    int64_t block[RLXC_COPY_DIMS], origin[RLXC_COPY_DIMS] = {0};
    for (uint32_t i = 0; i < c->n; i++)
        if (c->shape[i] == 0)
            return;
    if (c->n == 0) {
        memcpy(to, from, c->item);
        return;
    }
    choose_block(c, block);
    do {
        int64_t extent[RLXC_COPY_DIMS], at[RLXC_COPY_DIMS] = {0};
        for (uint32_t i = 0; i < c->n; i++)
            extent[i] = c->shape[i] - origin[i] < block[i] ? c->shape[i] - origin[i] : block[i];
        do {
            int64_t read = 0, written = 0;
            for (uint32_t i = 0; i < c->n; i++) {
                read += (origin[i] + at[i]) * c->from_step[i];
                written += (origin[i] + at[i]) * c->to_step[i];
            }
            copy_run(c, extent[c->n - 1], (const unsigned char *)from + (size_t)read * c->item,
                     (unsigned char *)to + (size_t)written * c->item);
        } while (next_place(c->n - 1, extent, NULL, at));
    } while (next_place(c->n, c->shape, block, origin));
}

void rlxc_copy_permuted(const rlxc_constant *c, uint32_t rank, const int64_t *shape,
                        const int64_t *order, void *to)
{
    int64_t strides[RLXC_COPY_DIMS], stride = 1;
    rlxc_strided_copy copy = {.n = rank};
    for (uint32_t i = rank; i-- > 0; stride *= shape[i])
        strides[i] = stride;
    copy.item = stride ? c->nbytes / (size_t)stride : 0;
    stride = 1;
    for (uint32_t i = rank; i-- > 0; stride *= copy.shape[i]) {
        copy.shape[i] = shape[order[i]];
        copy.from_step[i] = strides[order[i]];
        copy.to_step[i] = stride;
    }
    rlxc_copy_strided(&copy, c->data, to);
}
