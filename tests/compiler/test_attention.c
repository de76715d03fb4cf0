/* Fused attention against its definition in double: sizes around the blocks of queries and keys,
 * masks and windows that skip blocks, biases, 16-bit types, every vector width. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { BATCH = 2, HEADS = 2 };

typedef struct variant {
    const char *name;
    const char *dtype;
    int64_t size, value_size;
    const char *attrs; /* extra arguments of the call */
    bool bias, causal, bottom_right, bias_by_key;
    bool hides;  /* the bias masks keys with -FLT_MAX, for some queries all of them; combined with a
                    mask also with -inf */
    bool spoils; /* the bias adds NaN to a score of some queries */
    bool replaces;  /* where the bias is not 0, it is the score; some keys are NaN there */
    int64_t window; /* 0: no window */
    bool by_head;   /* keys and values are laid out head by head */
    bool zeros;     /* queries that see no keys give zeros */
    int64_t shared; /* number of key and value heads; 0: one per query head */
} variant;

static const variant variants[] = {
    {"plain", "float32", 64, 64, "", .window = 0},
    {"odd sizes", "float32", 20, 7, ", scale=0.3", .window = 0},
    {"one wide", "float32", 1, 33, ", scale=-1.5", .window = 0},
    {"bias", "float32", 32, 32, "", .bias = true},
    {"bias of keys", "float32", 16, 16, "", .bias = true, .bias_by_key = true},
    {"hiding bias", "float32", 16, 16, "", .bias = true, .hides = true},
    {"bias of NaN", "float32", 16, 16, "", .bias = true, .spoils = true},
    {"bias of NaN in float64", "float64", 9, 16, "", .bias = true, .spoils = true},
    {"bias that replaces", "float32", 16, 16, "", .bias = true, .hides = true, .replaces = true},
    {"bias that replaces, by head", "float64", 9, 16, "", .bias = true, .hides = true,
     .replaces = true, .by_head = true},
    {"bias that replaces, causal", "float32", 16, 24, ", causal_mask=\"TopLeft\"", .bias = true,
     .causal = true, .hides = true, .replaces = true},
    {"bias in float16", "float16", 16, 24, "", .bias = true},
    {"causal", "float32", 32, 16, ", causal_mask=\"TopLeft\"", .causal = true},
    {"causal at the end", "float32", 32, 16, ", causal_mask=\"BottomRight\"", .causal = true,
     .bottom_right = true},
    {"causal hiding bias", "float32", 16, 16, ", causal_mask=\"TopLeft\"", .bias = true,
     .causal = true, .hides = true},
    {"window hiding bias", "float32", 16, 16, ", causal_mask=\"BottomRight\", window_size=7",
     .bias = true, .causal = true, .bottom_right = true, .window = 7, .hides = true},
    {"window", "float32", 16, 16, ", causal_mask=\"BottomRight\", window_size=37", .causal = true,
     .bottom_right = true, .window = 37},
    {"window ahead", "float32", 16, 16, ", window_size=5", .bottom_right = true, .window = 5},
    {"float16", "float16", 24, 40, "", .window = 0},
    {"float64", "float64", 32, 32, "", .window = 0},
    {"float64 odd sizes", "float64", 20, 7, ", scale=0.3", .window = 0},
    {"float64 causal bias", "float64", 16, 33, ", causal_mask=\"TopLeft\"", .bias = true,
     .causal = true},
    {"float64 hiding bias", "float64", 16, 16, "", .bias = true, .hides = true},
    {"float64 causal hiding bias", "float64", 16, 16, ", causal_mask=\"TopLeft\"", .bias = true,
     .causal = true, .hides = true},
    {"float64 window", "float64", 9, 16, ", causal_mask=\"BottomRight\", window_size=37",
     .causal = true, .bottom_right = true, .window = 37},
    {"bfloat16 causal bias", "bfloat16", 32, 32, ", causal_mask=\"TopLeft\"", .bias = true,
     .causal = true},
    {"by head", "float32", 64, 64, "", .by_head = true},
    {"by head, odd sizes", "float32", 20, 7, ", scale=0.3", .by_head = true},
    {"by head, shared", "float32", 32, 16, "", .by_head = true, .shared = 1},
    {"by head, causal at the end", "float32", 32, 16, ", causal_mask=\"BottomRight\"",
     .causal = true, .bottom_right = true, .by_head = true, .shared = 1},
    {"by head, float16", "float16", 24, 40, "", .by_head = true},
    {"by head, float64, shared", "float64", 20, 7, ", scale=0.3", .by_head = true, .shared = 1},
    {"zeros", "float32", 16, 16, "", .bias = true, .hides = true, .zeros = true},
    {"zeros beside a mask", "float32", 16, 16, ", causal_mask=\"TopLeft\"", .bias = true,
     .hides = true, .causal = true, .zeros = true, .by_head = true},
    {"zeros in a window", "float32", 16, 16, ", causal_mask=\"BottomRight\", window_size=7",
     .causal = true, .bottom_right = true, .window = 7, .zeros = true},
    {"zeros in float64", "float64", 9, 16, "", .bias = true, .hides = true, .zeros = true,
     .by_head = true, .shared = 1},
};

static int64_t heads_of_keys(const variant *v)
{
    return v->shared ? v->shared : HEADS;
}

static void module_text(const variant *v, char *out, size_t size)
{
    char bias[128] = "", keys[64];
    if (v->by_head)
        snprintf(keys, sizeof keys, "%d, %lld, \"m\"", BATCH, (long long)heads_of_keys(v));
    else
        snprintf(keys, sizeof keys, "%d, \"m\", %lld", BATCH, (long long)heads_of_keys(v));
    if (v->bias)
        snprintf(bias, sizeof bias, ", b: R.Tensor((1, %d, %s, \"m\"), \"%s\")",
                 v->bias_by_key ? 1 : HEADS, v->bias_by_key ? "1" : "\"n\"", v->dtype);
    snprintf(out, size,
             "@I.ir_module\n"
             "class Module:\n"
             "    @R.function\n"
             "    def main(q: R.Tensor((%d, \"n\", %d, %lld), \"%s\"),"
             " k: R.Tensor((%s, %lld), \"%s\"),"
             " v: R.Tensor((%s, %lld), \"%s\")%s):\n"
             "        y = R.nn.attention%s(q, k, v%s%s%s%s)\n"
             "        return y\n",
             BATCH, HEADS, (long long)v->size, v->dtype, keys, (long long)v->size, v->dtype, keys,
             (long long)v->value_size, v->dtype, bias,
             v->by_head || v->zeros || v->replaces ? "_as_stored"
             : v->bias                             ? "_bias"
                                                   : "",
             v->bias ? ", b" : "", v->attrs, v->by_head ? ", layout=\"BHSD\"" : "",
             v->zeros      ? ", unseen_zero=True"
             : v->replaces ? ", bias_replaces=True"
                           : "");
}

/* --- elements --------------------------------------------------------------------------------- */

static size_t item_size(const variant *v)
{
    return strcmp(v->dtype, "float64") == 0 ? 8 : strcmp(v->dtype, "float32") == 0 ? 4 : 2;
}

static double get(const variant *v, const void *data, int64_t i)
{
    uint16_t low;
    uint32_t bits;
    float f;
    if (item_size(v) == 8)
        return ((const double *)data)[i];
    if (item_size(v) == 4)
        return (double)((const float *)data)[i];
    memcpy(&low, (const char *)data + 2 * i, 2);
    if (strcmp(v->dtype, "float16") == 0) {
        int exponent = low >> 10 & 31, mantissa = low & 1023;
        double magnitude =
            exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25);
        return low & 0x8000 ? -magnitude : magnitude;
    }
    bits = (uint32_t)low << 16;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* Values that all types represent: eighths between -2 and 2. float64 gets extra bits that float32
 * would lose. */
static void fill(const variant *v, void *data, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int eighths = (int)(seed >> 24) % 33 - 16;
        float f = (float)eighths / 8;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        if (item_size(v) == 8) {
            ((double *)data)[i] = (double)f + (eighths % 7) * 0x1p-40;
            continue;
        }
        if (item_size(v) == 4) {
            ((float *)data)[i] = f;
            continue;
        }
        uint16_t low = (uint16_t)(bits >> 16);
        if (strcmp(v->dtype, "float16") == 0) {
            int exponent = (int)(bits >> 23 & 255) - 112;
            low = f == 0 ? 0
                         : (uint16_t)((bits >> 16 & 0x8000) | (uint32_t)exponent << 10 |
                                      (bits >> 13 & 1023));
        }
        memcpy((char *)data + 2 * i, &low, 2);
    }
}

/* Masks padding as exporters do: the same keys for all queries, and every third query entirely. */
static void hide(const variant *v, void *bias, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < HEADS * n * m; i++)
        if (i / m % n % 3 == 0 || i % m % 5 == 0) {
            bool infinite = v->zeros || (v->causal && i / m % n % 2 == 0);
            if (item_size(v) == 8)
                ((double *)bias)[i] = infinite ? -INFINITY : -DBL_MAX;
            else
                ((float *)bias)[i] = infinite ? -INFINITY : -FLT_MAX;
        }
}

/* Every fourth query gets NaN for one of its keys; its result is NaN, and no other is. */
static void spoil(const variant *v, void *bias, int64_t n, int64_t m)
{
    for (int64_t row = 1; row < HEADS * n && m > 0; row += 4) {
        const int64_t i = row * m + row % m;
        if (item_size(v) == 8)
            ((double *)bias)[i] = (double)NAN;
        else
            ((float *)bias)[i] = NAN;
    }
}

/* Makes every key NaN that hide() hides from all queries, and clears the bias. */
static void replace(const variant *v, void *keys, void *bias, int64_t n, int64_t m)
{
    const int64_t rows = BATCH * heads_of_keys(v) * m;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t j = v->by_head ? row % m : row / heads_of_keys(v) % m;
        for (int64_t d = 0; d < v->size && j % 5 == 0; d++)
            if (item_size(v) == 8)
                ((double *)keys)[row * v->size + d] = (double)NAN;
            else
                ((float *)keys)[row * v->size + d] = NAN;
    }
    memset(bias, 0, (size_t)(HEADS * n * m) * item_size(v));
}

/* --- the definition --------------------------------------------------------------------------- */

/* Offset of element |d| of |size| in key or value |j| of |m|, for query head |h|. */
static int64_t place(const variant *v, int64_t b, int64_t h, int64_t j, int64_t m, int64_t size,
                     int64_t d)
{
    int64_t heads = heads_of_keys(v), head = h * heads / HEADS;
    return ((v->by_head ? (b * heads + head) * m + j : (b * m + j) * heads + head)) * size + d;
}

/* A query that sees some keys ignores the others, whatever the bias adds to them. A query that sees
 * none averages all values, or gives zeros. */
static void apply_mask(const variant *v, const bool *seen, int64_t m, double *score)
{
    bool any = v->zeros;
    for (int64_t j = 0; j < m; j++)
        any = any || seen[j];
    for (int64_t j = 0; j < m; j++)
        score[j] = !any       ? 0
                   : !seen[j] ? -INFINITY
                   : v->zeros ? score[j]
                              : fmax(score[j], -DBL_MAX / 4);
}

static bool sees(const variant *v, int64_t i, int64_t j, int64_t n, int64_t m)
{
    int64_t ahead = i + (v->bottom_right ? m - n : 0) - j;
    return (!v->causal || ahead >= 0) && (v->window == 0 || ahead < v->window);
}

static void expect(const variant *v, const void *const *in, int64_t n, int64_t m, double *out)
{
    double *score = malloc((size_t)(m + 1) * sizeof *score);
    bool *seen = malloc((size_t)(m + 1) * sizeof *seen);
    const char *given = strstr(v->attrs, "scale=");
    double scale = given ? strtod(given + 6, NULL) : 1 / sqrt((double)v->size);
    for (int64_t at = 0; at < BATCH * n * HEADS; at++) {
        int64_t b = at / (n * HEADS), i = at / HEADS % n, h = at % HEADS;
        double largest = -INFINITY, sum = 0;
        for (int64_t j = 0; j < m; j++) {
            double s = 0;
            for (int64_t d = 0; d < v->size; d++)
                s += get(v, in[0], at * v->size + d) *
                     get(v, in[1], place(v, b, h, j, m, v->size, d));
            s *= scale;
            const double more =
                v->bias ? get(v, in[3], v->bias_by_key ? j : (h * n + i) * m + j) : 0;
            s = v->replaces && more != 0 ? more : s + more;
            score[j] = s;
            seen[j] = sees(v, i, j, n, m);
        }
        if (v->causal || v->window)
            apply_mask(v, seen, m, score);
        for (int64_t j = 0; j < m; j++)
            largest = fmax(largest, score[j]);
        const bool nothing = v->zeros && isinf(largest);
        for (int64_t j = 0; j < m; j++)
            sum += score[j] = exp(score[j] - largest);
        for (int64_t e = 0; e < v->value_size; e++) {
            double total = 0;
            for (int64_t j = 0; j < m; j++)
                total += score[j] / sum * get(v, in[2], place(v, b, h, j, m, v->value_size, e));
            out[at * v->value_size + e] = nothing ? 0 : total;
        }
    }
    free(score);
    free(seen);
}

/* --- running ---------------------------------------------------------------------------------- */

typedef struct stop {
    bool reached;
} stop;

static bool after_merge(void *user, const rlxc_pass *pass, const rlxc_module *module,
                        double seconds)
{
    (void)module;
    (void)seconds;
    stop *s = user;
    s->reached = strcmp(pass->name, "merge_prim_funcs") == 0;
    return !s->reached;
}

static void compare(const variant *v, kernel_fixture *f, int64_t n, int64_t m)
{
    int64_t counts[4] = {BATCH * n * HEADS * v->size, BATCH * m * heads_of_keys(v) * v->size,
                         BATCH * m * heads_of_keys(v) * v->value_size,
                         v->bias_by_key ? m : HEADS * n * m};
    int64_t results = BATCH * n * HEADS * v->value_size;
    void *buffers[5];
    uint32_t last = v->bias ? 4 : 3;
    for (uint32_t i = 0; i < last; i++) {
        buffers[i] = malloc((size_t)counts[i] * item_size(v) + 1);
        fill(v, buffers[i], counts[i], (uint32_t)(n * 31 + m * 7 + i));
    }
    if (v->replaces)
        replace(v, buffers[1], buffers[3], n, m);
    if (v->hides)
        hide(v, buffers[3], n, m);
    if (v->spoils)
        spoil(v, buffers[3], n, m);
    buffers[last] = malloc((size_t)results * item_size(v) + 1);
    double *want = malloc((size_t)results * sizeof *want + 1);
    const void *in[4] = {buffers[0], buffers[1], buffers[2], buffers[3]};
    expect(v, in, n, m, want);
    /* in order of appearance in the parameters */
    int64_t dims[2] = {n, m};
    cr_assert_eq(kernel_fixture_call(f, "attention", buffers, dims), 0, "%s", f->failure);
    double allowed = item_size(v) == 8                  ? 1e-13
                     : item_size(v) == 4                ? 2e-5
                     : strcmp(v->dtype, "float16") == 0 ? 2e-3
                                                        : 1.6e-2;
    for (int64_t i = 0; i < results; i++) {
        double got = get(v, buffers[last], i);
        if (isnan(want[i]) ? !isnan(got) : !(fabs(got - want[i]) <= allowed)) {
            cr_expect(false, "%s, %lld queries, %lld keys: element %lld is %g, not %g", v->name,
                      (long long)n, (long long)m, (long long)i, got, want[i]);
            break;
        }
    }
    for (uint32_t i = 0; i <= last; i++)
        free(buffers[i]);
    free(want);
}

/* Spreads the variants over the |n| CPUs, because compiling dominates the time. */
static void check_variants(rlx_test *t, int level, const char *const *cpus, size_t n)
{
    static const int64_t sizes[][2] = {
        {1, 1},   {1, 0},   {0, 5},   {1, 300}, {2, 47},  {3, 48},  {4, 49},  {5, 6},     {15, 13},
        {16, 12}, {17, 95}, {33, 33}, {63, 64}, {64, 96}, {65, 97}, {80, 80}, {131, 131}, {70, 20}};
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        char text[1024];
        kernel_fixture f;
        if (!cpu_runs(cpus[k % n]) || !rlx_test_takes(k / n, 3))
            continue;
        module_text(&variants[k], text, sizeof text);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, level, cpus[k % n], text));
        stop reached = {false};
        const rlxc_pass_hooks hooks = {&reached, after_merge};
        (void)rlxc_lower_module(f.ctx, f.module, &f.options, &hooks);
        cr_assert(reached.reached, "%s", rlxc_render_diagnostics(f.ctx));
        cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            compare(&variants[k], &f, sizes[i][0], sizes[i][1]);
        kernel_fixture_deinit(&f);
    }
}

RLX_TEST(attention, agrees_with_its_definition)
{
    static const char *const host[1] = {NULL};
    check_variants(t, 2, host, 1);
}

RLX_TEST(attention, agrees_with_its_definition_in_short_code)
{
    static const char *const both[2] = {NULL, "x86-64-v3"};
    check_variants(t, 1, both, 2);
}

RLX_TEST(attention, agrees_with_its_definition_in_narrow_vectors)
{
    static const char *const narrow[2] = {"x86-64-v3", "x86-64"};
    check_variants(t, 2, narrow, 2);
}

/* The stages that R.nn.attention is lowered to, but the result overwrites the values. */
static const char in_place[] =
    "@T.prim_func\n"
    "def attention(pq: T.handle, pk: T.handle, pv: T.handle):\n"
    "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "    n = T.int64()\n"
    "    q = T.match_buffer(pq, (T.int64(2), n, T.int64(2), T.int64(16)))\n"
    "    k = T.match_buffer(pk, (T.int64(2), n, T.int64(2), T.int64(16)))\n"
    "    v = T.match_buffer(pv, (T.int64(2), n, T.int64(2), T.int64(16)))\n"
    "    score = T.alloc_buffer((T.int64(2), T.int64(2), n, n))\n"
    "    shown = T.alloc_buffer((T.int64(2), T.int64(2), n, n))\n"
    "    most = T.alloc_buffer((T.int64(2), T.int64(2), n))\n"
    "    exp = T.alloc_buffer((T.int64(2), T.int64(2), n, n))\n"
    "    sum = T.alloc_buffer((T.int64(2), T.int64(2), n))\n"
    "    total = T.alloc_buffer((T.int64(2), T.int64(2), n, T.int64(16)))\n"
    "    for b, h, i, j, d in T.grid(T.int64(2), T.int64(2), n, n, T.int64(16)):\n"
    "        with T.block(\"score\"):\n"
    "            B, H, I, J, D = T.axis.remap(\"SSSSR\", [b, h, i, j, d])\n"
    "            with T.init():\n"
    "                score[B, H, I, J] = T.float32(0.0)\n"
    "            score[B, H, I, J] = score[B, H, I, J] + q[B, I, H, D] * k[B, J, H, D]\n"
    "    for b, h, i, j in T.grid(T.int64(2), T.int64(2), n, n):\n"
    "        with T.block(\"shown\"):\n"
    "            B, H, I, J = T.axis.remap(\"SSSS\", [b, h, i, j])\n"
    "            shown[B, H, I, J] = score[B, H, I, J] * T.float32(0.25)\n"
    "    for b, h, i, j in T.grid(T.int64(2), T.int64(2), n, n):\n"
    "        with T.block(\"most\"):\n"
    "            B, H, I, J = T.axis.remap(\"SSSR\", [b, h, i, j])\n"
    "            with T.init():\n"
    "                most[B, H, I] = T.float32(-3e38)\n"
    "            most[B, H, I] = T.max(most[B, H, I], shown[B, H, I, J])\n"
    "    for b, h, i, j in T.grid(T.int64(2), T.int64(2), n, n):\n"
    "        with T.block(\"exp\"):\n"
    "            B, H, I, J = T.axis.remap(\"SSSS\", [b, h, i, j])\n"
    "            exp[B, H, I, J] = T.exp(shown[B, H, I, J] - most[B, H, I])\n"
    "    for b, h, i, j in T.grid(T.int64(2), T.int64(2), n, n):\n"
    "        with T.block(\"sum\"):\n"
    "            B, H, I, J = T.axis.remap(\"SSSR\", [b, h, i, j])\n"
    "            with T.init():\n"
    "                sum[B, H, I] = T.float32(0.0)\n"
    "            sum[B, H, I] = sum[B, H, I] + exp[B, H, I, J]\n"
    "    for b, h, i, e, j in T.grid(T.int64(2), T.int64(2), n, T.int64(16), n):\n"
    "        with T.block(\"total\"):\n"
    "            B, H, I, E, J = T.axis.remap(\"SSSSR\", [b, h, i, e, j])\n"
    "            with T.init():\n"
    "                total[B, H, I, E] = T.float32(0.0)\n"
    "            total[B, H, I, E] = total[B, H, I, E] + exp[B, H, I, J] * v[B, J, H, E]\n"
    "    for b, i, h, e in T.grid(T.int64(2), n, T.int64(2), T.int64(16)):\n"
    "        with T.block(\"result\"):\n"
    "            B, I, H, E = T.axis.remap(\"SSSS\", [b, i, h, e])\n"
    "            v[B, I, H, E] = total[B, H, I, E] / sum[B, H, I]\n";

RLX_TEST(attention, may_overwrite_its_values)
{
    enum { N = 70, COUNT = BATCH * N * HEADS * 16 };
    static const variant v = {"in place", "float32", 16, 16, "", .window = 0};
    static float data[3][COUNT];
    static double want[COUNT];
    void *buffers[3] = {data[0], data[1], data[2]};
    const int64_t n = N;
    kernel_fixture f;
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, in_place) &&
                  kernel_fixture_build(&f),
              "%s", rlxc_render_diagnostics(f.ctx));
    for (uint32_t i = 0; i < 3; i++)
        fill(&v, data[i], COUNT, i);
    expect(&v, (const void *const *)buffers, n, n, want);
    cr_assert_eq(kernel_fixture_call(&f, "attention", buffers, &n), 0, "%s", f.failure);
    for (int64_t i = 0; i < COUNT; i++)
        cr_assert(fabs((double)data[2][i] - want[i]) <= 2e-5, "element %lld is %g, not %g",
                  (long long)i, (double)data[2][i], want[i]);
    kernel_fixture_deinit(&f);
}
