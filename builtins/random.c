/* Random numbers: rlx.random_uniform and rlx.random_normal.
 *
 * The generator is MT19937 with the seeding by one number of its authors (Matsumoto and Nishimura,
 * "Mersenne Twister", ACM TOMACS 8(1), 1998), doubles of 53 bits of two outputs, and normal numbers
 * by Marsaglia's polar method ("A convenient method for generating normal variables", SIAM Review
 * 6(3), 1964), the second of a pair given first. So a seed gives what NumPy's RandomState(seed)
 * gives. A call has its own generator: with a seed it gives the same numbers every time, without
 * one the system's entropy seeds it. */
#include "builtins/builtins.h"

#include <math.h>
#if RLX_BARE
#include <rlx/bare.h>
#else
#include <errno.h>
#include <sys/random.h>
#endif

enum { WORDS = 624, MIDDLE = 397 };

typedef struct generator {
    uint32_t state[WORDS];
    uint32_t at;
    bool has_spare;
    double spare; /* the other normal number of a pair */
} generator;

static void seed_generator(generator *g, uint32_t seed)
{
    g->state[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t last = g->state[i - 1];
        g->state[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    g->at = WORDS;
    g->has_spare = false;
}

static void twist(generator *g)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t y = (g->state[i] & 0x80000000u) | (g->state[(i + 1) % WORDS] & 0x7fffffffu);
        g->state[i] = g->state[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1u ? 0x9908b0dfu : 0u);
    }
    g->at = 0;
}

static uint32_t next_word(generator *g)
{
    if (g->at == WORDS)
        twist(g);
    uint32_t y = g->state[g->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* In [0, 1). */
static double next_uniform(generator *g)
{
    uint32_t high = next_word(g) >> 5, low = next_word(g) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static double next_normal(generator *g)
{
    if (g->has_spare) {
        g->has_spare = false;
        return g->spare;
    }
    double x, y, square;
    do {
        x = 2 * next_uniform(g) - 1;
        y = 2 * next_uniform(g) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    g->spare = factor * x;
    g->has_spare = true;
    return factor * y;
}

/* A seed of the system, or of the host program; false if there is none. */
static bool fresh_seed(uint32_t *out)
{
#if RLX_BARE
    return rlx_bare_entropy(out, sizeof *out);
#else
    ssize_t got;
    do
        got = getrandom(out, sizeof *out, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *out;
#endif
}

static rlx_status open_generator(const rlx_value *args, uint32_t n, generator *g, rlx_error *err)
{
    int64_t given;
    RLX_TRY(rlxb_int(args, 4, &given, err));
    uint32_t seed = (uint32_t)(uint64_t)given;
    if (n < 6) {
        uint32_t fresh;
        if (!fresh_seed(&fresh))
            return rlx_fail(err, RLX_E_IO, "random: the system provides no entropy");
        seed ^= fresh;
    }
    seed_generator(g, seed);
    return RLX_OK;
}

static rlx_status number(const rlx_value *args, uint32_t i, double *out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_FLOAT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a float", i);
    *out = args[i].as.f;
    return RLX_OK;
}

/* Fills a tensor with a + b * draw. */
static rlx_status draw(rlx_call_context *cc, const rlx_value *args, uint32_t n, bool normal,
                       rlx_value *out, rlx_error *err)
{
    rlx_shape *shape;
    rlx_dtype dtype;
    rlx_tensor *result = NULL;
    generator g;
    double a = 0, b = 1;
    RLX_TRY(rlxb_shape(args, 0, &shape, err));
    RLX_TRY(rlxb_dtype(args, 1, &dtype, err));
    RLX_TRY(number(args, 2, &a, err));
    RLX_TRY(number(args, 3, &b, err));
    if (!rlx_dtype_eq(dtype, RLX_F32) && !rlx_dtype_eq(dtype, RLX_F64))
        return rlx_fail(err, RLX_E_INVALID_ARG, "random: the type must be float32 or float64");
    RLX_TRY(open_generator(args, n, &g, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, rlx_shape_ndim(shape), rlx_shape_dims(shape), &result,
                                  err));
    void *data = rlx_tensor_mutable_data(result);
    for (int64_t i = 0; i < rlx_tensor_numel(result); i++) {
        double v = a + b * (normal ? next_normal(&g) : next_uniform(&g));
        if (dtype.bits == 64)
            ((double *)data)[i] = v;
        else
            ((float *)data)[i] = (float)v;
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

rlx_status rlxb_random_uniform(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    return draw(cc, args, n, false, out, err);
}

rlx_status rlxb_random_normal(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    return draw(cc, args, n, true, out, err);
}
