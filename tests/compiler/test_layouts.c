/* Layouts of memory plans: every strategy gives disjoint buffers; climbing finds what a search of
 * all orders finds; and on graphs with the shapes of known models the peaks stay near the lower
 * bound. */
#include <string.h>

#include "compiler/analysis/layout.h"
#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "rlx/rlx.h"
#include "tests/support/rlx_test.h"

static const char *const strategies[] = {"auto", "greedy_by_size", "greedy_by_conflicts",
                                         "hill_climb,steps=20000000"};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

/* --- intervals -------------------------------------------------------------------------------- */

enum { FEW = 7, MANY = 60 };

static void make_rows(rlx_plan_interval *rows, uint32_t n, uint32_t seed)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = next(&seed, 2 * n), length = next(&seed, n);
        rows[i] = (rlx_plan_interval){first, first + length, 64 * (uint64_t)next(&seed, 20)};
    }
}

static bool meet(const rlx_plan_interval *a, const rlx_plan_interval *b)
{
    return a->first < b->last && b->first < a->last && a->first < a->last && b->first < b->last;
}

static bool are_disjoint(const rlx_plan_interval *rows, uint32_t n, const uint64_t *offsets)
{
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (meet(&rows[a], &rows[b]) && offsets[a] < offsets[b] + rows[b].bytes &&
                offsets[b] < offsets[a] + rows[a].bytes)
                return false;
    return true;
}

/* By trying every time at which a buffer begins. */
static uint64_t bound_by_force(const rlx_plan_interval *rows, uint32_t n)
{
    uint64_t most = 0;
    for (uint32_t at = 0; at < n; at++) {
        uint64_t live = 0;
        for (uint32_t b = 0; b < n; b++)
            if (rows[b].first <= rows[at].first && rows[at].first < rows[b].last)
                live += rows[b].bytes;
        most = live > most ? live : most;
        most = rows[at].bytes > most ? rows[at].bytes : most;
    }
    return most;
}

/* The lowest peak of all orders in which the rows from |k| on can be placed. */
static uint64_t best_by_force(const rlx_plan_interval *rows, uint32_t n, uint32_t *order,
                              uint32_t k, uint64_t *offsets, uint64_t peak)
{
    uint64_t best = UINT64_MAX;
    if (k == n)
        return peak;
    for (uint32_t i = k; i < n; i++) {
        const uint32_t b = order[i];
        uint64_t at = 0;
        order[i] = order[k];
        order[k] = b;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t j = 0; j < k; j++) {
                const uint32_t a = order[j];
                if (meet(&rows[a], &rows[b]) && at < offsets[a] + rows[a].bytes &&
                    offsets[a] < at + rows[b].bytes) {
                    at = offsets[a] + rows[a].bytes;
                    moved = true;
                }
            }
        }
        offsets[b] = at;
        const uint64_t end = at + rows[b].bytes;
        const uint64_t found =
            best_by_force(rows, n, order, k + 1, offsets, end > peak ? end : peak);
        best = found < best ? found : best;
        order[k] = order[i];
        order[i] = b;
    }
    return best;
}

RLX_TEST(layouts, climbing_finds_the_best_of_all_orders)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlx_plan_interval rows[FEW];
        rlxc_layout_options options;
        uint32_t order[FEW] = {0, 1, 2, 3, 4, 5, 6};
        uint64_t offsets[FEW], by_force[FEW];
        make_rows(rows, FEW, seed);
        const uint64_t best = best_by_force(rows, FEW, order, 0, by_force, 0);
        cr_assert(rlxc_layout_parse(ctx, "hill_climb,steps=1000000", &options));
        for (uint32_t i = 0; i < FEW; i++)
            offsets[i] = 64 * 20 * (uint64_t)i;
        rlxc_layout(ctx, &options, rows, FEW, offsets);
        cr_expect(are_disjoint(rows, FEW, offsets) && rlxc_layout_peak(rows, FEW, offsets) == best,
                  "seed %u: %llu bytes, %llu are possible", seed,
                  (unsigned long long)rlxc_layout_peak(rows, FEW, offsets),
                  (unsigned long long)best);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(layouts, every_strategy_keeps_buffers_apart)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlx_plan_interval rows[MANY];
        uint64_t peaks[N_STRATEGIES];
        const uint32_t n = seed * 3;
        make_rows(rows, n, seed);
        const uint64_t bound = bound_by_force(rows, n);
        cr_expect_eq(rlxc_layout_bound(ctx, rows, n), bound, "seed %u", seed);
        for (int k = 0; k < N_STRATEGIES; k++) {
            uint64_t offsets[MANY], again[MANY];
            rlxc_layout_options options;
            cr_assert(rlxc_layout_parse(ctx, k == 3 ? "hill_climb,steps=300000" : strategies[k],
                                        &options));
            for (uint32_t i = 0; i < n; i++)
                offsets[i] = again[i] = 64 * 20 * (uint64_t)i;
            rlxc_layout(ctx, &options, rows, n, offsets);
            rlxc_layout(ctx, &options, rows, n, again);
            peaks[k] = rlxc_layout_peak(rows, n, offsets);
            cr_expect(are_disjoint(rows, n, offsets) && peaks[k] >= bound, "%s, seed %u",
                      strategies[k], seed);
            cr_expect(memcmp(offsets, again, n * sizeof *offsets) == 0, "%s, seed %u",
                      strategies[k], seed);
        }
        cr_expect(peaks[3] <= peaks[1] && peaks[3] <= peaks[2], "seed %u", seed);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(layouts, running_out_of_memory_keeps_the_layout)
{
    rlx_plan_interval rows[MANY];
    bool done = false;
    make_rows(rows, MANY, 5);
    for (size_t n = 1; n < 40 && !done; n++) {
        uint64_t offsets[MANY];
        rlxc_layout_options options;
        t->calls = 0;
        t->fail_at = n;
        t->fail_after = true;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        if (ctx && rlxc_layout_parse(ctx, "hill_climb,steps=1000", &options)) {
            for (uint32_t i = 0; i < MANY; i++)
                offsets[i] = 64 * 20 * (uint64_t)i;
            rlxc_layout(ctx, &options, rows, MANY, offsets);
            cr_expect(are_disjoint(rows, MANY, offsets));
            done = !rlxc_failed(ctx) && t->calls < n;
        }
        if (ctx)
            rlxc_context_destroy(ctx);
    }
    t->fail_at = 0;
    t->fail_after = false;
    cr_expect(done);
}

RLX_TEST(layouts, the_option_names_what_is_wrong)
{
    static const struct {
        const char *text, *message; /* NULL: accepted */
    } rows[] = {
        {NULL, NULL},
        {"auto,seed=7", NULL},
        {"hill_climb,steps=5,seconds=4294967295,seed=3", NULL},
        {"hill_climb,steps=18446744073709551615", NULL},
        {"hill_climb,steps=18446744073709551616", "expected NAME[,steps=N]"},
        {"hill_climb,seconds=4294967296", "expected NAME[,steps=N]"},
        {"hill_climb,steps=", "expected NAME[,steps=N]"},
        {"hill_climb,steps=-1", "expected NAME[,steps=N]"},
        {"hill_climb,steps", "expected NAME[,steps=N]"},
        {"hill_climb,", "expected NAME[,steps=N]"},
        {"hill_climb,turns=1", "expected NAME[,steps=N]"},
        {"hill_climb steps=1", "there is no 'hill_climb steps=1'"},
        {"best", "there is no 'best'; there are auto, greedy_by_size, greedy_by_conflicts"},
        {"", "there is no ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_layout_options options;
        const bool ok = rlxc_layout_parse(ctx, rows[i].text, &options);
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect(ok == !rows[i].message && (ok || strstr(said, rows[i].message)), "row %zu: %s", i,
                  said);
        rlxc_context_destroy(ctx);
    }
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* Writes a function whose tensors have the sizes of a model's: layers, which read all of their
 * operand, and sums, which may take the place of an operand. */
typedef struct graph {
    rlxc_text text;
    int n;
    uint64_t of[1024]; /* elements of each value */
} graph;

static int layer(graph *g, int a, uint64_t elements)
{
    rlxc_text_printf(&g->text,
                     "        v%d = R.call_tir(cls.layer, (v%d,), "
                     "out_sinfo=R.Tensor((%llu,), \"float32\"))\n",
                     g->n, a, (unsigned long long)elements);
    g->of[g->n] = elements;
    return g->n++;
}

static int binary(graph *g, const char *function, int a, int b, uint64_t elements)
{
    rlxc_text_printf(&g->text,
                     "        v%d = R.call_tir(cls.%s, (v%d, v%d), "
                     "out_sinfo=R.Tensor((%llu,), \"float32\"))\n",
                     g->n, function, a, b, (unsigned long long)elements);
    g->of[g->n] = elements;
    return g->n++;
}

static int sum(graph *g, int a, int b)
{
    return binary(g, "add", a, b, g->of[a]);
}

static int joined(graph *g, int a, int b)
{
    return binary(g, "join", a, b, g->of[a] + g->of[b]);
}

static uint64_t image(int channels, int size)
{
    return (uint64_t)channels * (uint64_t)size * (uint64_t)size;
}

static int mobilenet(graph *g, int x)
{
    static const struct {
        int expand, channels, repeat, stride;
    } rows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    int in = 32, size = 112;
    x = layer(g, x, image(in, size));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int k = 0; k < rows[i].repeat; k++) {
            const int stride = k ? 1 : rows[i].stride, start = x;
            if (rows[i].expand > 1)
                x = layer(g, x, image(in * rows[i].expand, size));
            size /= stride;
            x = layer(g, x, image(in * rows[i].expand, size));
            x = layer(g, x, image(rows[i].channels, size));
            if (stride == 1 && in == rows[i].channels)
                x = sum(g, x, start);
            in = rows[i].channels;
        }
    }
    x = layer(g, x, image(1280, size));
    return layer(g, layer(g, x, 1280), 1000);
}

static int resnet(graph *g, int x)
{
    static const int repeats[] = {3, 4, 6, 3};
    int size = 56;
    x = layer(g, layer(g, x, image(64, 112)), image(64, size));
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < repeats[i]; k++) {
            const int channels = 64 << i, after = i && !k ? size / 2 : size;
            int y = layer(g, x, image(channels, size));
            y = layer(g, y, image(channels, after));
            y = layer(g, y, image(4 * channels, after));
            x = sum(g, y, k ? x : layer(g, x, image(4 * channels, after)));
            size = after;
        }
    }
    return layer(g, layer(g, x, 2048), 1000);
}

static int encoder(graph *g, int x)
{
    enum { TOKENS = 128, WIDTH = 768, HEADS = 12 };
    x = layer(g, x, TOKENS * WIDTH);
    for (int i = 0; i < 12; i++) {
        const int q = layer(g, x, TOKENS * WIDTH), k = layer(g, x, TOKENS * WIDTH);
        const int v = layer(g, x, TOKENS * WIDTH);
        const int scores = binary(g, "join", q, k, (uint64_t)HEADS * TOKENS * TOKENS);
        const int weights = layer(g, scores, (uint64_t)HEADS * TOKENS * TOKENS);
        const int mixed = binary(g, "join", weights, v, TOKENS * WIDTH);
        x = layer(g, sum(g, layer(g, mixed, TOKENS * WIDTH), x), TOKENS * WIDTH);
        const int wide = layer(g, x, TOKENS * WIDTH * 4);
        x = layer(g, sum(g, layer(g, wide, TOKENS * WIDTH), x), TOKENS * WIDTH);
    }
    return x;
}

static int unet(graph *g, int x)
{
    int kept[4], size = 128;
    for (int i = 0; i < 4; i++, size /= 2) {
        kept[i] = layer(g, layer(g, x, image(32 << i, size)), image(32 << i, size));
        x = layer(g, kept[i], image(32 << i, size / 2));
    }
    x = layer(g, layer(g, x, image(512, size)), image(512, size));
    for (int i = 4; i-- > 0;) {
        size *= 2;
        x = joined(g, layer(g, x, image(32 << i, size)), kept[i]);
        x = layer(g, layer(g, x, image(32 << i, size)), image(32 << i, size));
    }
    return layer(g, x, image(2, size));
}

static int densenet(graph *g, int x)
{
    static const int repeats[] = {6, 12, 24, 16};
    int channels = 64, size = 56;
    x = layer(g, layer(g, x, image(64, 112)), image(64, size));
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < repeats[i]; k++, channels += 32)
            x = joined(g, x, layer(g, layer(g, x, image(128, size)), image(32, size)));
        if (i == 3)
            break;
        channels /= 2;
        x = layer(g, x, image(channels, size));
        size /= 2;
        x = layer(g, x, image(channels, size));
    }
    return layer(g, layer(g, x, (uint64_t)channels), 1000);
}

/* Four paths of different widths, joined. */
static int inception(graph *g, int x)
{
    static const int rows[][7] = {
        /* size, then channels of the paths */
        {28, 64, 96, 128, 16, 32, 32},     {28, 128, 128, 192, 32, 96, 64},
        {14, 192, 96, 208, 16, 48, 64},    {14, 160, 112, 224, 24, 64, 64},
        {14, 128, 128, 256, 24, 64, 64},   {14, 112, 144, 288, 32, 64, 64},
        {14, 256, 160, 320, 32, 128, 128}, {7, 256, 160, 320, 32, 128, 128},
        {7, 384, 192, 384, 48, 128, 128}};
    x = layer(g, layer(g, x, image(64, 112)), image(64, 56));
    x = layer(g, layer(g, layer(g, x, image(64, 56)), image(192, 56)), image(192, 28));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int *r = rows[i];
        if (i && r[0] != rows[i - 1][0])
            x = layer(g, x, g->of[x] / 4);
        const int a = layer(g, x, image(r[1], r[0]));
        const int b = layer(g, layer(g, x, image(r[2], r[0])), image(r[3], r[0]));
        const int c = layer(g, layer(g, x, image(r[4], r[0])), image(r[5], r[0]));
        const int d = layer(g, layer(g, x, g->of[x]), image(r[6], r[0]));
        x = joined(g, joined(g, a, b), joined(g, c, d));
    }
    return layer(g, x, 1000);
}

/* Each value reads two of the ten before it. */
static int tangled(graph *g, int x)
{
    uint32_t seed = 3;
    for (int i = 0; i < 12; i++)
        x = layer(g, x, 1000 + next(&seed, 60000));
    for (int i = 0; i < 200; i++)
        x = binary(g, "join", x, x - 1 - (int)next(&seed, 10), 1000 + next(&seed, 60000));
    return x;
}

static const char header[] =
    "from tvm.script import ir as I, relax as R, tir as T\n@I.ir_module\nclass Module:\n"
    "    @T.prim_func(private=True)\n    def layer(a: T.handle, c: T.handle):\n"
    "        n = T.int64()\n        m = T.int64()\n"
    "        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        C = T.match_buffer(c, (m,), \"float32\")\n"
    "        for i in range(m):\n            C[i] = A[(i * 7 + 3) % n]\n"
    "    @T.prim_func(private=True)\n    def join(a: T.handle, b: T.handle, c: T.handle):\n"
    "        n = T.int64()\n        m = T.int64()\n        k = T.int64()\n"
    "        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (m,), \"float32\")\n"
    "        C = T.match_buffer(c, (k,), \"float32\")\n"
    "        for i in range(k):\n            C[i] = A[(i * 7 + 3) % n] + B[i % m]\n"
    "    @T.prim_func(private=True)\n    def add(a: T.handle, b: T.handle, c: T.handle):\n"
    "        n = T.int64()\n        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (n,), \"float32\")\n"
    "        C = T.match_buffer(c, (n,), \"float32\")\n"
    "        for i in range(n):\n            with T.block(\"b\"):\n"
    "                u = T.axis.spatial(n, i)\n                C[u] = A[u] + B[u]\n"
    "    @R.function\n    def main(v0: R.Tensor((150528,), \"float32\")):\n"
    "        cls = Module\n";

static rlx_plan_sums plan_of(rlx_test *t, const char *text, const char *strategy)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_plan_counts counts = {0};
    rlx_plan_sums sums = {0};
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 0));
    options.memory_layout = strategy;
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    rlxc_module *module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    cr_assert(module && rlxc_lower_module(ctx, module, &options, NULL) &&
                  rlxc_emit_bytecode(ctx, module, &options, builder),
              "%s", rlxc_render_diagnostics(ctx));
    RLX_OKAY(rlx_exec_builder_load(builder, NULL, &exe, &t->error));
    RLX_OKAY(rlx_executable_verify_plans(exe, &t->error));
    cr_assert(rlx_function_plan(exe, 0, &counts) && counts.n_regions == 1);
    RLX_OKAY(rlx_plan_compute(exe, 0, 0, NULL, NULL, NULL, &sums, &t->error));
    rlx_executable_release(exe);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return sums;
}

/* At most 2 % above it, with the greedy strategies as much as the row says. */
RLX_TEST(layouts, peaks_of_models_are_near_the_bound)
{
    static const struct {
        const char *name;
        int (*build)(graph *g, int x);
        uint64_t greedy; /* percent */
    } rows[] = {{"mobilenet", mobilenet, 5}, {"resnet", resnet, 5},
                {"encoder", encoder, 5},     {"unet", unet, 5},
                {"densenet", densenet, 5},   {"inception", inception, 11},
                {"tangled", tangled, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        graph *g = rlxc_alloc(ctx, sizeof *g);
        g->text.ctx = ctx;
        g->of[g->n++] = 150528;
        rlxc_text_puts(&g->text, header);
        rlxc_text_printf(&g->text, "        return v%d\n", rows[i].build(g, 0));
        for (int k = 0; k < N_STRATEGIES; k++) {
            const rlx_plan_sums s = plan_of(t, g->text.data, strategies[k]);
            const uint64_t above = strncmp(strategies[k], "greedy", 6) == 0 ? rows[i].greedy : 2;
            cr_expect_leq(s.peak, s.bound + s.bound / 100 * above,
                          "%s, %s: %llu bytes, the bound is %llu", rows[i].name, strategies[k],
                          (unsigned long long)s.peak, (unsigned long long)s.bound);
        }
        rlxc_context_destroy(ctx);
    }
}
