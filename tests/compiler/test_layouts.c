/* Layouts of memory plans: every strategy gives disjoint buffers, and climbing finds what a search
 * of all orders finds. */
#include <string.h>

#include "compiler/analysis/layout.h"
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
        {"hill_climb steps=1", "unknown layout 'hill_climb steps=1'"},
        {"best",
         "unknown layout 'best'; expected one of: auto, greedy_by_size, greedy_by_conflicts"},
        {"", "unknown layout ''"},
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
