/* The parts of the bare runtime that stand alone, against this system's C library and a map of the
 * memory: its heap, and its functions of C. tests/bare runs all of it. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rlx_test.h"
#include "vm/bare/bare.h"

/* The functions under other names, beside the C library's. */
#define ceil bare_ceil
#define cos bare_cos
#define exp bare_exp
#define explicit_bzero bare_explicit_bzero
#define fabs bare_fabs
#define floor bare_floor
#define fmax bare_fmax
#define fmin bare_fmin
#define ilogb bare_ilogb
#define ldexp bare_ldexp
#define log bare_log
#define memcmp bare_memcmp
#define memcpy bare_memcpy
#define memmove bare_memmove
#define memset bare_memset
#define nearbyint bare_nearbyint
#define qsort bare_qsort
#define round bare_round
#define sin bare_sin
#define snprintf bare_snprintf
#define sqrt bare_sqrt
#define strchr bare_strchr
#define strcmp bare_strcmp
#define strcspn bare_strcspn
#define strlen bare_strlen
#define strncmp bare_strncmp
#define strnlen bare_strnlen
#define vsnprintf bare_vsnprintf
#define rlx_default_allocator bare_default_allocator
#define rlxv_default_purge bare_default_purge
#include "vm/bare/c/memory.c"
/* which this calls: */
#include "vm/bare/c/format.c"
#include "vm/bare/c/numbers.c"
#include "vm/bare/c/sort.c"
#include "vm/bare/heap.c"
#undef ceil
#undef cos
#undef exp
#undef explicit_bzero
#undef fabs
#undef floor
#undef fmax
#undef fmin
#undef ilogb
#undef ldexp
#undef log
#undef memcmp
#undef memcpy
#undef memmove
#undef memset
#undef nearbyint
#undef qsort
#undef round
#undef sin
#undef snprintf
#undef sqrt
#undef strchr
#undef strcmp
#undef strcspn
#undef strlen
#undef strncmp
#undef strnlen
#undef vsnprintf
#undef rlx_default_allocator
#undef rlxv_default_purge

static uint64_t random_state = 1;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* --- the heap ----------------------------------------------------------------------------------
 */

enum { HEAP_BYTES = 1 << 16, BLOCKS = 200 };
static _Alignas(4096) unsigned char memory[HEAP_BYTES];

typedef struct block {
    unsigned char *data, mark;
    size_t size, align;
} block;

static bool holds(const block *b)
{
    for (size_t i = 0; i < b->size; i++)
        if (b->data[i] != b->mark)
            return false;
    return true;
}

RLX_TEST(bare, blocks_of_the_heap_are_apart_and_all_of_it_comes_back)
{
    static block blocks[BLOCKS];
    const rlx_allocator *a = bare_default_allocator();
    uint32_t refused = 0;
    rlxv_heap_start(memory + 5, sizeof memory - 5);
    const rlx_bare_memory at_first = rlxv_heap_now();
    cr_assert_eq(at_first.largest, at_first.bytes);
    cr_assert_geq(at_first.bytes, sizeof memory - 32);
    for (uint32_t step = 0; step < 20000; step++) {
        block *b = &blocks[draw() % BLOCKS];
        if (b->data) {
            cr_assert(holds(b), "step %u", step);
            a->free(a->ctx, b->data, b->size, b->align);
            b->data = NULL;
            continue;
        }
        *b = (block){.size = 1 + draw() % (draw() % 8 ? 300 : 9000),
                     .align = (size_t)8 << draw() % 8,
                     .mark = (unsigned char)step};
        b->data = a->alloc(a->ctx, b->size, b->align);
        refused += !b->data;
        if (!b->data)
            continue;
        cr_assert_eq((uintptr_t)b->data % b->align, 0);
        cr_assert(b->data >= memory + 5 && b->data + b->size <= memory + sizeof memory);
        memset(b->data, b->mark, b->size);
    }
    cr_expect_gt(refused, 0, "the heap was never full");
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (blocks[i].data)
            a->free(a->ctx, blocks[i].data, blocks[i].size, blocks[i].align);
    const rlx_bare_memory at_last = rlxv_heap_now();
    cr_expect_eq(at_last.used, 0);
    cr_expect_eq(at_last.largest, at_first.bytes, "the gaps did not join");
    cr_expect_gt(at_last.peak, 0);
}

RLX_TEST(bare, a_heap_without_room_gives_nothing)
{
    const rlx_allocator *a = bare_default_allocator();
    for (size_t bytes = 0; bytes < 64; bytes++) {
        rlxv_heap_start(memory + 1, bytes);
        const size_t room = rlxv_heap_now().largest;
        cr_expect_null(a->alloc(a->ctx, room + 1, 8));
        cr_expect_null(a->alloc(a->ctx, SIZE_MAX, 8));
        cr_expect_null(a->alloc(a->ctx, SIZE_MAX - 3, 8));
    }
    rlxv_heap_start(NULL, 0);
    cr_expect_null(a->alloc(a->ctx, 1, 8));
}

/* --- functions of C ----------------------------------------------------------------------------
 */

static double any_double(void)
{
    const uint64_t bits = draw();
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static const double odd[] = {
    0.0,       -0.0,  0.5,    -0.5,     1.5,       -1.5, 2.5,       0x1p52,
    0x1p-1074, 1e308, -1e308, INFINITY, -INFINITY, NAN,  0x1p-1022, 0x1.fffffffffffffp-1,
    1e-310};
enum { N_ODD = sizeof odd / sizeof *odd };

/* Odd numbers first; then any, and ordinary ones. */
static double sample(uint32_t i)
{
    if (i < N_ODD)
        return odd[i];
    return i % 2 ? any_double() : ((double)(int64_t)draw()) * 0x1p-50;
}

RLX_TEST(bare, rounding_and_exponents_are_those_of_the_c_library)
{
    for (uint32_t i = 0; i < 200000; i++) {
        const double x = sample(i), y = sample(i / N_ODD % N_ODD);
        const int n = (int)(draw() % 4400) - 2200;
        cr_assert(is_same(bare_floor(x), floor(x)), "floor %a: %a", x, bare_floor(x));
        cr_assert(is_same(bare_ceil(x), ceil(x)), "ceil %a: %a", x, bare_ceil(x));
        cr_assert(is_same(bare_round(x), round(x)), "round %a: %a", x, bare_round(x));
        cr_assert(is_same(bare_nearbyint(x), nearbyint(x)), "nearbyint %a", x);
        cr_assert(is_same(bare_fabs(x), fabs(x)), "fabs %a", x);
        cr_assert(is_same(bare_sqrt(x), sqrt(x)), "sqrt %a", x);
        cr_assert(is_same(bare_ldexp(x, n), ldexp(x, n)), "ldexp %a %d: %a", x, n,
                  bare_ldexp(x, n));
        cr_assert_eq(bare_ilogb(x), ilogb(x), "ilogb %a", x);
        if (isnan(x) && i >= N_ODD)
            continue; /* perhaps a signalling one */
        cr_assert(bare_fmax(x, y) == fmax(x, y) || (isnan(x) && isnan(y)), "fmax %a %a", x, y);
        cr_assert(bare_fmin(x, y) == fmin(x, y) || (isnan(x) && isnan(y)), "fmin %a %a", x, y);
    }
}

static double ulps(double got, double want)
{
    if (is_same(got, want) || got == want)
        return 0;
    int exponent;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1, exponent < -1021 ? -1074 : exponent - 53);
}

RLX_TEST(bare, functions_are_within_two_ulp)
{
    double worst = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        const double x = sample(i), small = fmod(x, 720), angle = fmod(x, 0x1p20);
        const struct {
            const char *name;
            double x, got, want;
        } rows[] = {{"exp", small, bare_exp(small), exp(small)},
                    {"exp", x, bare_exp(x), exp(x)},
                    {"log", x, bare_log(x), log(x)},
                    {"sin", angle, bare_sin(angle), sin(angle)},
                    {"cos", angle, bare_cos(angle), cos(angle)}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const double d = ulps(rows[k].got, rows[k].want);
            worst = d > worst ? d : worst;
            cr_assert(d <= 2, "%s(%a): %a, not %a", rows[k].name, rows[k].x, rows[k].got,
                      rows[k].want);
        }
    }
    cr_expect_gt(worst, 0);
}

#define SAME_TEXT(...)                                                                            \
    do {                                                                                          \
        char got[96], want[96];                                                                   \
        const int a = bare_snprintf(got, sizeof got, __VA_ARGS__);                                \
        const int b = snprintf(want, sizeof want, __VA_ARGS__);                                   \
        cr_assert(a == b && strcmp(got, want) == 0, "'%s' (%d), not '%s' (%d)", got, a, want, b); \
    } while (0)

RLX_TEST(bare, texts_are_those_of_the_c_library)
{
    SAME_TEXT("plain 100%%");
    SAME_TEXT("[%s|%.3s|%.*s|%8s|%s]", "text", "text", 2, "text", "text", "");
    SAME_TEXT("%c%c %02x %08x %x", 'a', '"', 7u, 0xabcdefu, 0u);
    SAME_TEXT("%d %d %5d %05d %u", INT_MIN, INT_MAX, -42, -42, UINT_MAX);
    SAME_TEXT("%lld %lld %llu %zu %lu", LLONG_MIN, LLONG_MAX, ULLONG_MAX, (size_t)0, 5ul);
    char tiny[4] = "xyz";
    cr_expect_eq(bare_snprintf(tiny, sizeof tiny, "%d", 123456), 6);
    cr_expect_str_eq(tiny, "123");
    cr_expect_eq(bare_snprintf(NULL, 0, "%s", "four"), 4);
    for (uint32_t i = 0; i < 20000; i++) {
        const double x = sample(i);
        SAME_TEXT("%g", (double)(float)x);
        SAME_TEXT("%.9g", x);
        const double whole = (double)(draw() % 100000),
                     part = 1 / (double)(3 + 3 * (draw() % 1000));
        SAME_TEXT("%.1g %.3g", whole, part);
    }
}

static int order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

RLX_TEST(bare, sorting_and_strings_are_those_of_the_c_library)
{
    for (size_t n = 0; n < 200; n++) {
        uint32_t got[200], want[200];
        for (size_t i = 0; i < n; i++)
            got[i] = want[i] = (uint32_t)(draw() % (n / 2 + 1));
        bare_qsort(got, n, sizeof *got, order);
        qsort(want, n, sizeof *want, order);
        cr_assert(n == 0 || memcmp(got, want, n * sizeof *got) == 0);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        unsigned char got[80], want[80];
        for (size_t k = 0; k < sizeof got; k++)
            got[k] = want[k] = (unsigned char)(draw() % 3);
        const size_t to = draw() % 40, from = draw() % 40, n = draw() % 40;
        const int sign = bare_memcmp(got + to, got + from, n),
                  right = memcmp(want + to, want + from, n);
        cr_assert((sign > 0) - (sign < 0) == (right > 0) - (right < 0));
        bare_memmove(got + to, got + from, n);
        memmove(want + to, want + from, n);
        bare_memset(got + n, (int)i, to);
        memset(want + n, (int)i, to);
        cr_assert(memcmp(got, want, sizeof got) == 0);
        unsigned char copy[40];
        bare_memcpy(copy, got + from, n);
        cr_assert(memcmp(copy, want + from, n) == 0);
        bare_explicit_bzero(copy, n);
        cr_assert(n == 0 || (copy[0] == 0 && copy[n - 1] == 0));
    }
    static const char *const texts[] = {"", "a", "abc", "abd", "ab", "\xff", "b,c"};
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 7; k++) {
            const char *a = texts[i], *b = texts[k];
            cr_assert_eq(bare_strcmp(a, b) > 0, strcmp(a, b) > 0);
            cr_assert_eq(bare_strcmp(a, b) < 0, strcmp(a, b) < 0);
            cr_assert_eq(bare_strncmp(a, b, 2) < 0, strncmp(a, b, 2) < 0);
            cr_assert_eq(bare_strlen(a), strlen(a));
            cr_assert_eq(bare_strnlen(a, k), strnlen(a, k));
            cr_assert_eq(bare_strcspn(a, b), strcspn(a, b));
            cr_assert_eq(bare_strchr(a, b[0]), strchr(a, b[0]));
        }
}
