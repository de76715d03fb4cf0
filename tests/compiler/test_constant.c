/* Copies of constants with permuted dimensions (compiler/ir/constant.h), against an
 * element-by-element loop. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/constant.h"
#include "tests/support/rlx_test.h"

enum { MOST = 1 << 16 };

typedef struct order {
    uint32_t n;
    int64_t shape[5];
    uint32_t order[5];
} order;

/* Sizes around a line and a block, with dimensions of 0 and 1. */
static const order orders[] = {
    {0, {0}, {0}},
    {1, {7}, {0}},
    {1, {0}, {0}},
    {2, {17, 33}, {1, 0}},
    {2, {1, 300}, {1, 0}},
    {2, {16, 2049}, {1, 0}},
    {2, {2049, 16}, {0, 1}},
    {3, {5, 0, 3}, {2, 1, 0}},
    {3, {40, 16, 48}, {2, 0, 1}},
    {4, {33, 18, 3, 3}, {2, 3, 1, 0}},
    {4, {64, 65, 1, 1}, {2, 3, 1, 0}},
    {5, {3, 17, 2, 5, 7}, {4, 2, 0, 3, 1}},
};

static void check_order(const order *o, size_t item)
{
    static unsigned char from[MOST * 8], to[MOST * 8 + 1], wanted[MOST * 8];
    rlxc_strided_copy copy = {.n = o->n, .item = item};
    int64_t steps[5], step = 1;
    for (uint32_t i = o->n; i-- > 0; step *= o->shape[i])
        steps[i] = step;
    const size_t count = (size_t)step;
    cr_assert_leq(count, (size_t)MOST);
    step = 1;
    for (uint32_t i = o->n; i-- > 0; step *= copy.shape[i]) {
        copy.shape[i] = o->shape[o->order[i]];
        copy.from_step[i] = steps[o->order[i]];
        copy.to_step[i] = step;
    }
    for (size_t i = 0; i < count * item; i++)
        from[i] = (unsigned char)(i * 167 + i / 251);
    for (size_t e = 0; e < count; e++) {
        int64_t at = 0, left = (int64_t)e;
        for (uint32_t i = o->n; i-- > 0; left /= copy.shape[i])
            at += left % copy.shape[i] * copy.from_step[i];
        memcpy(wanted + e * item, from + (size_t)at * item, item);
    }
    to[count * item] = 77;
    rlxc_copy_strided(&copy, from, to);
    cr_expect(memcmp(to, wanted, count * item) == 0, "%u dimensions, items of %zu", o->n, item);
    cr_expect_eq(to[count * item], 77);
}

RLX_TEST(constant, every_order_of_dimensions_is_copied)
{
    static const size_t items[] = {1, 2, 4, 8};
    (void)t;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t k = 0; k < sizeof items / sizeof *items; k++)
            check_order(&orders[i], items[k]);
}
