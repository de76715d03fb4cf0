/* Memory plans: layouts are sound and tight, the arena and the limit are checked on entry, calls at
 * a known shape allocate only their results, and memory stays within the largest shape's need. */
#include "../support/rlx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rlx/checked.h>

/* --- layouts ---------------------------------------------------------------------------------- */

typedef struct draw {
    uint64_t state;
} draw;

static uint32_t below(draw *d, uint32_t n)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % n;
}

/* A function whose buffers have sizes s0 * k + c and random lifetimes: many short ones, or long
 * enough that |together| are live at once. */
static rlx_executable *random_plan(rlx_test *t, draw *d, uint32_t n, uint32_t together)
{
    size_t room = 512 + (size_t)n * 64, used = 0;
    char *text = malloc(room);
    used +=
        (size_t)snprintf(text, room, ".func \"f\" (k: prim(int64, s0!)) -> object symbols 1 {\n");
    uint32_t first = 0;
    for (uint32_t i = 0; i < n; i++) {
        first += below(d, 4);
        uint32_t length = together            ? below(d, 3 * together)
                          : below(d, 10) == 0 ? below(d, 4 * n + 1)
                                              : below(d, 24);
        used += (size_t)snprintf(text + used, room - used, ".buffer u%u z0 s0 * %u + %u %u %u\n", i,
                                 below(d, 6) * 100, below(d, 3) * 33, first, first + length);
    }
    snprintf(text + used, room - used, "    plan z0\n    ret r0\n}\n");
    rlx_executable *exe = rlx_test_load(t, text);
    free(text);
    return exe;
}

/* Checks every pair for overlap, and recomputes the peak by brute force, independently of the
 * planner. */
static void check_layout(const rlx_executable *exe, uint32_t n, const uint64_t *sizes,
                         const uint64_t *offsets, const rlx_plan_sums *sums, int64_t k)
{
    uint64_t peak = 0, bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        rlx_plan_buffer a, b;
        int64_t bytes;
        uint64_t live = 0;
        rlx_function_plan_buffer(exe, 0, i, &a);
        cr_assert_eq(rlx_executable_eval(exe, a.size, &k, 1, &bytes, NULL), RLX_OK);
        cr_expect(sizes[i] >= (uint64_t)bytes && sizes[i] < (uint64_t)bytes + 64 &&
                      sizes[i] % 64 == 0 && offsets[i] % 64 == 0,
                  "buffer %u: %llu bytes at %llu", i, (unsigned long long)sizes[i],
                  (unsigned long long)offsets[i]);
        peak = offsets[i] + sizes[i] > peak ? offsets[i] + sizes[i] : peak;
        bound = sizes[i] > bound ? sizes[i] : bound;
        for (uint32_t j = 0; j < n; j++) {
            rlx_function_plan_buffer(exe, 0, j, &b);
            if (b.first <= a.first && a.first < b.last && a.first < a.last)
                live += sizes[j];
            bool meet = j < i && sizes[i] && sizes[j] && a.first < b.last && b.first < a.last &&
                        a.first < a.last && b.first < b.last;
            cr_expect(!meet || offsets[i] >= offsets[j] + sizes[j] ||
                          offsets[j] >= offsets[i] + sizes[i],
                      "buffers %u and %u overlap at k = %lld", j, i, (long long)k);
        }
        bound = live > bound ? live : bound;
    }
    cr_expect_eq(sums->peak, peak);
    cr_expect_eq(sums->bound, bound);
}

RLX_TEST(plan, layouts_are_sound_and_near_the_bound)
{
    draw d = {1};
    double worst = 0;
    for (uint32_t round = 0; round < 120; round++) {
        uint32_t n = round % 4 == 0 ? below(&d, 5) + 1 : below(&d, 200) + 1;
        rlx_executable *exe = random_plan(t, &d, n, 0);
        uint64_t *sizes = calloc(n, sizeof *sizes), *offsets = calloc(n, sizeof *offsets);
        static const int64_t ks[] = {0, 1, 7, 64, 1000000};
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            rlx_plan_sums sums;
            RLX_OKAY(rlx_plan_compute(exe, 0, 0, &ks[i], sizes, offsets, &sums, &t->error));
            check_layout(exe, n, sizes, offsets, &sums, ks[i]);
            double above = sums.bound ? (double)sums.peak / (double)sums.bound : 1;
            worst = above > worst ? above : worst;
        }
        free(sizes);
        free(offsets);
        rlx_executable_release(exe);
    }
    cr_expect_lt(worst, 1.4, "a layout takes %.2f times the bound", worst);
}

/* 500 buffers of few sizes, 20 or 60 live at once: at the symbol's value for which the order was
 * searched, near it, and far from it. */
RLX_TEST(plan, layouts_of_many_buffers_are_near_the_bound)
{
    draw d = {2};
    enum { N = 500, ROUNDS = 12 };
    static const int64_t ks[] = {0, 1, 5, 40, 128, 129, 100000};
    static uint64_t sizes[N], offsets[N];
    double mean = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        rlx_executable *exe = random_plan(t, &d, N, round % 2 ? 20 : 60);
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            rlx_plan_sums sums;
            RLX_OKAY(rlx_plan_compute(exe, 0, 0, &ks[i], sizes, offsets, &sums, &t->error));
            check_layout(exe, N, sizes, offsets, &sums, ks[i]);
            double above = sums.bound ? (double)sums.peak / (double)sums.bound : 1;
            cr_expect_lt(above, 1.12, "a layout at k = %lld takes %.3f times the bound",
                         (long long)ks[i], above);
            mean += above / (double)ROUNDS / (sizeof ks / sizeof *ks);
        }
        rlx_executable_release(exe);
    }
    cr_expect_lt(mean, 1.05, "layouts take %.3f times the bound", mean);
}

RLX_TEST(plan, constant_sizes_have_their_offsets_in_the_file)
{
    rlx_executable *exe = rlx_test_load(t, ".func \"f\" () -> object {\n"
                                           ".buffer u0 z0 100 0 9\n"
                                           ".buffer u1 z0 64 3 20\n"
                                           ".buffer u2 z0 128 9 20\n"
                                           "    plan z0\n    load_const r0, true\n    ret r0\n}\n");
    static const uint64_t want[] = {0, 128, 0};
    for (uint32_t i = 0; i < 3; i++) {
        rlx_plan_buffer b;
        cr_assert(rlx_function_plan_buffer(exe, 0, i, &b));
        if (i != 2)
            cr_expect_eq(b.offset, want[i], "buffer %u at %llu", i, (unsigned long long)b.offset);
        cr_expect_neq(b.offset, RLX_PLAN_AT_RUN_TIME);
    }
    rlx_executable_release(exe);
}

RLX_TEST(plan, verify_finds_wrong_statements_of_the_file)
{
    static const struct {
        const char *text, *message; /* NULL: sound */
    } rows[] = {
        {".buffer u0 z0 64 0 40 @ 0\n.buffer u1 z0 64 0 40 @ 64\n plan z0\n", NULL},
        {".buffer u0 z0 64 0 40 @ 0\n.buffer u1 z0 65 0 40 @ 0\n plan z0\n", "overlap"},
        {".buffer u0 z0 65 0 40 @ 0\n.buffer u1 z0 64 0 40 @ 64\n plan z0\n", "overlap"},
        {".buffer u0 z0 64 0 40 @ 64\n.buffer u1 z0 65 0 40 @ 0\n plan z0\n", "overlap"},
        {".buffer u0 z0 64 0 5 @ 0\n.buffer u1 z0 65 5 40 @ 0\n plan z0\n", NULL},
        {".buffer u0 z0 64 0 40\n.tensor p0 u0 float32[16]\n plan z0\n plan_tensor r1, p0\n"
         " shape_of r2, r1\n",
         NULL},
        {".buffer u0 z0 64 0 5\n.tensor p0 u0 float32[16]\n plan z0\n plan_tensor r1, p0\n"
         " shape_of r2, r1\n",
         "buffer 0 is used outside its interval"},
        {".buffer u0 z0 64 3 40\n.tensor p0 u0 float32[16]\n plan z0\n plan_tensor r1, p0\n",
         "buffer 0 is used outside its interval"},
        {".buffer u0 z0 64 0 8\n.tensor p0 u0 float32[16]\n plan z0\n plan_tensor r1, p0\n"
         " move r2, r1\n shape_of r3, r2\n",
         "buffer 0 is used outside its interval"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, ".func \"f\" (x: object) -> object {\n%s ret r0\n}\n",
                 rows[i].text);
        rlx_executable *exe = rlx_test_load(t, text);
        rlx_status status = rlx_executable_verify_plans(exe, &t->error);
        cr_expect((status == RLX_OK) == (rows[i].message == NULL), "row %zu: %s", i,
                  t->error.message);
        if (rows[i].message)
            cr_expect(strstr(t->error.message, rows[i].message), "row %zu: %s", i,
                      t->error.message);
        rlx_executable_release(exe);
    }
}

/* More buffers live at once than the planner keeps neighbour lists for. */
RLX_TEST(plan, verify_finds_two_that_overlap_among_many)
{
    enum { N = 400 };
    static char text[N * 48 + 200];
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        size_t used = (size_t)snprintf(text, sizeof text, ".func \"f\" () -> object {\n");
        for (uint32_t i = 0; i < N; i++) {
            uint32_t place = wrong && i == N - 1 ? N / 2 : i * 7 % N;
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     ".buffer u%u z0 64 %u 900 @ %u\n", i, i, place * 64);
        }
        snprintf(text + used, sizeof text - used,
                 "    plan z0\n    load_const r0, true\n    ret r0\n}\n");
        rlx_executable *exe = rlx_test_load(t, text);
        if (wrong)
            RLX_FAILS(rlx_executable_verify_plans(exe, &t->error), RLX_E_INVALID_MODULE,
                      "are in use at the same time and overlap");
        else
            RLX_OKAY(rlx_executable_verify_plans(exe, &t->error));
        rlx_executable_release(exe);
    }
}

RLX_TEST(plan, rows_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {".buffer u0 z1 64 0 9\n", "region 1 comes before region 0"},
        {".buffer u1 z0 64 0 9\n", "expected index u0, got u1"},
        {".buffer u0 z0 64 9 8\n", "ends before it begins"},
        {".buffer u0 z0 64 0 9 @ 3\n", "not one that can be stated"},
        {".buffer u0 z0 s0 0 9 @ 64\n", "not one that can be stated"},
        {".buffer u0 z0 64 0 9 @ 0\n.buffer u1 z0 64 0 9\n",
         "some offsets of a region and not others"},
        {".buffer u0 z0 64 4 9\n.buffer u1 z0 64 0 9\n", "not in the order they begin"},
        {".buffer u0 z0 64 0 9\n.tensor p0 u0 float32[?]\n", "lacks a dtype, a rank or dimensions"},
        {".buffer u0 z0 64 0 9\n.tensor p0 u0 object\n", "lacks a dtype, a rank or dimensions"},
        {".buffer u0 z0 64 0 9\n.tensor p0 u1 float32[1]\n", "a tensor of buffer 1"},
        {".buffer u0 z0 s3 0 9\n plan z0\n", "slot 3 is used before it is assigned"},
        {" plan_tensor r1, p0\n", "planned tensor 0 does not exist"},
        {" plan z3\n", "region 3 does not exist"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        rlx_executable *exe;
        snprintf(text, sizeof text, ".func \"f\" (x: object) -> object {\n%s ret r0\n}\n",
                 rows[i].text);
        t->error = (rlx_error){0};
        cr_expect_neq(rlx_test_try_load(t, text, &exe), RLX_OK, "row %zu", i);
        cr_expect(strstr(t->error.message, rows[i].message), "row %zu: %s", i, t->error.message);
    }
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Two temporaries of n floats live at once, and a separate result. */
static const char chain[] = ".kernel k0 \"t_neg\" dims 1 (float32[s0], out float32[s0])\n"
                            ".func \"main\" (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                            "    .slot s0 \"n\"\n"
                            "    .buffer u0 z0 s0 * 4 0 90\n"
                            "    .buffer u1 z0 s0 * 4 0 90\n"
                            "    .tensor p0 u0 float32[s0]\n"
                            "    .tensor p1 u1 float32[s0]\n"
                            "    plan z0\n"
                            "    plan_tensor r1, p0\n"
                            "    call_kernel k0, [s0], [r0, r1]\n"
                            "    plan_tensor r2, p1\n"
                            "    call_kernel k0, [s0], [r1, r2]\n"
                            "    kill r1\n"
                            "    new_tensor r3, float32, [s0]\n"
                            "    call_kernel k0, [s0], [r2, r3]\n"
                            "    kill r2\n"
                            "    ret r3\n"
                            "}\n";

static void run_chain(rlx_test *t, rlx_vm *vm, int64_t n)
{
    rlx_value x = rlx_test_iota(t, 1, &n), out;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    const float *data = rlx_tensor_data(out.as.tensor);
    bool right = rlx_tensor_numel(out.as.tensor) == n;
    for (int64_t i = 0; i < n && right; i++)
        right = data[i] == -(float)i;
    cr_expect(right, "n = %lld", (long long)n);
    rlx_value_release(out);
    rlx_value_release(x);
}

RLX_TEST(plan, a_seen_shape_allocates_nothing_but_the_result)
{
    rlx_executable *exe = rlx_test_load(t, chain);
    rlx_vm *vm = rlx_test_vm(t, exe);
    static const int64_t ns[] = {100, 7, 0, 1, 100};
    for (size_t i = 0; i < 5; i++)
        run_chain(t, vm, ns[i]);
    for (size_t i = 0; i < 4; i++) {
        rlx_value x = rlx_test_iota(t, 1, &ns[i]), out;
        size_t before = t->calls;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
        /* The result's header, its storage's header and its bytes, which go to the caller. */
        cr_expect_leq(t->calls - before, 3, "n = %lld: %zu calls of the allocator",
                      (long long)ns[i], t->calls - before);
        rlx_value_release(out);
        rlx_value_release(x);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(plan, memory_stays_at_what_the_largest_shape_needs)
{
    rlx_executable *exe = rlx_test_load(t, chain);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_vm_stats stats;
    run_chain(t, vm, 10000);
    size_t after_largest = t->live_bytes;
    for (int64_t n = 0; n < 10000; n += 97)
        run_chain(t, vm, n);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.live_bytes, 0);
    cr_expect_lt(t->live_bytes, after_largest + 65536, "%zu bytes, %zu after the largest shape",
                 t->live_bytes, after_largest);
    rlx_vm_trim(vm);
    cr_expect_lt(t->live_bytes + 70000, after_largest);
    run_chain(t, vm, 10);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(plan, a_given_arena_is_used_and_checked)
{
    rlx_executable *exe = rlx_test_load(t, chain);
    static _Alignas(64) uint8_t memory[1024 + 8];
    for (size_t skip = 0; skip <= 8; skip += 8) {
        rlx_vm_options options = {.allocator = &t->allocator,
                                  .registry = rlx_test_registry(t),
                                  .arena = memory + skip,
                                  .arena_bytes = 1024};
        rlx_vm *vm;
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        memset(memory, 0xEE, sizeof memory);
        run_chain(t, vm, 100); /* two buffers of 448 bytes */
        cr_expect_neq(memory[64], 0xEE, "the arena was not used");
        run_chain(t, vm, 3);
        int64_t n = 200;
        rlx_value x = rlx_test_iota(t, 1, &n), out;
        char given[128];
        snprintf(given, sizeof given,
                 "1664 bytes of planned memory at n = 200, the arena given has %d",
                 skip ? 1024 - 56 : 1024);
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error), RLX_E_LIMIT, given);
        run_chain(t, vm, 100);
        rlx_value_release(x);
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
}

RLX_TEST(plan, the_limit_is_checked_before_anything_runs)
{
    rlx_executable *exe = rlx_test_load(t, chain);
    rlx_vm_options options = {
        .allocator = &t->allocator, .registry = rlx_test_registry(t), .max_bytes = 300000};
    rlx_vm *vm;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    run_chain(t, vm, 1000);
    int64_t n = 50000;
    rlx_value x = rlx_test_iota(t, 1, &n), out;
    rlx_vm_stats before, after;
    rlx_vm_get_stats(vm, &before);
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error), RLX_E_LIMIT,
              "main needs 400000 bytes of planned memory at n = 50000");
    rlx_vm_get_stats(vm, &after);
    cr_expect_eq(after.instructions - before.instructions, 1, "something ran");
    run_chain(t, vm, 1000);
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(plan, allocation_failures_leave_the_vm_usable)
{
    rlx_executable *exe = rlx_test_load(t, chain);
    for (size_t k = 1; k < 30; k++) {
        rlx_vm *vm = rlx_test_vm(t, exe);
        int64_t n = 300 + (int64_t)k;
        rlx_value x = rlx_test_iota(t, 1, &n), out;
        t->fail_at = t->calls + k;
        rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error);
        t->fail_at = 0;
        cr_expect(status == RLX_OK || status == RLX_E_NOMEM);
        if (status == RLX_OK)
            rlx_value_release(out);
        run_chain(t, vm, n);
        run_chain(t, vm, 5);
        rlx_value_release(x);
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
}

/* A value kept by a host function is not overwritten by later calls. */
static rlx_status keep(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)err;
    rlx_value *kept = rlx_call_user(cc);
    if (n == 1 && kept->kind == RLX_KIND_NONE) {
        *kept = rlx_value_retain(args[0]);
        rlx_call_export(cc, *kept);
    }
    *out = rlx_none();
    return RLX_OK;
}

RLX_TEST(plan, results_are_not_overwritten_by_later_calls)
{
    rlx_executable *exe =
        rlx_test_load(t, ".kernel k0 \"t_neg\" dims 1 (float32[s0], out float32[s0])\n"
                         ".func \"main\" (x: float32[s0!]) -> object symbols 1 {\n"
                         "    .buffer u0 z0 s0 * 4 0 90\n"
                         "    .tensor p0 u0 float32[s0]\n"
                         "    plan z0\n"
                         "    plan_tensor r1, p0\n"
                         "    call_kernel k0, [s0], [r0, r1]\n"
                         "    call_packed r2, \"keep\", [r1]\n"
                         "    ret r1\n"
                         "}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value kept = rlx_none(), outs[3];
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("keep"), keep, &kept, NULL, &t->error));
    for (int i = 0; i < 3; i++) {
        int64_t n = 4 + i;
        rlx_value x = rlx_test_iota(t, 1, &n);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &outs[i], &t->error));
        rlx_value_release(x);
    }
    rlx_vm_destroy(vm);
    for (int i = 0; i < 3; i++) {
        const float *data = rlx_tensor_data(outs[i].as.tensor);
        cr_expect_eq(rlx_tensor_numel(outs[i].as.tensor), 4 + i);
        for (int k = 0; k < 4 + i; k++)
            cr_expect_eq(data[k], -(float)k);
        rlx_value_release(outs[i]);
    }
    rlx_value_release(kept);
    rlx_executable_release(exe);
}
