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
    return rlx_dtype_eq(a->dtype, b->dtype) && a->ndim == b->ndim && a->nbytes == b->nbytes &&
           (a->ndim == 0 || memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0) &&
           (a->nbytes == 0 || memcmp(a->data, b->data, a->nbytes) == 0);
}
