/* The figures of `make bench` that need no peer, from executables that bench/run.py compiled.
 *
 *     bench_runtime machine THREADS                    FMA peak, read bandwidth
 *     bench_runtime dispatch F.rlx                     kernels, builtins: 1 000 chained calls;
 * empty bench_runtime planning F.rlx                     main(x: (n,)) of many buffers
 *     bench_runtime products F.rlx                     bench/matmul.py beside the peak
 *     bench_runtime chargpt F.rlx THREADS              steady state, time by length
 *     bench_runtime start F.rlx DIMS                   load and first result in a fresh process
 *     bench_runtime grouped NAME Q.rlx F.rlx K BYTES THREADS   one row times grouped weights
 *
 * What is measured beside something takes turns with it: see bench.h. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/rates.h"

extern char **environ;

static int number(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static void print_figure(const char *name, int threads, const char *unit, double value)
{
    const bench_row row = {.name = name, .threads = threads, .unit = unit, .rlx = value};
    bench_print_row(&row);
}

static void print_sampled(const char *name, int threads, const char *unit, double value,
                          const bench_side *side)
{
    const bench_row row = {
        .name = name, .threads = threads, .unit = unit, .rlx = value, .waited = side->waited};
    bench_print_row(&row);
}

static void machine(char **args)
{
    const int threads = number(args[0]);
    static const struct {
        const char *name;
        size_t bytes;
    } sizes[] = {{"read bandwidth, 16 MiB", 16 << 20}, {"read bandwidth, 256 MiB", 256 << 20}};
    if (threads == 1)
        print_figure("FMA peak", 1, "GFLOP/s", bench_peak_gflops());
    else
        print_figure("handover from core to core", threads, "ns", bench_handover_ns());
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bench_reader reader;
        bench_reader_open(&reader, sizes[i].bytes, (unsigned)threads);
        bench_side side = {.call = bench_read, .user = &reader};
        const bench_plan plan = bench_default_plan();
        bench_interleave(&side, 1, &plan);
        print_sampled(sizes[i].name, threads, "GB/s", (double)reader.bytes / side.median_ns, &side);
        bench_reader_close(&reader);
    }
}

static void dispatch(char **args)
{
    enum { CHAIN = 1000 };
    static const struct {
        const char *function, *name;
        double calls;
    } rows[] = {{"kernels", "dispatch of a chained kernel call", CHAIN},
                {"builtins", "dispatch of a call_builtin", CHAIN},
                {"empty", "empty call", 1}};
    enum { N_ROWS = sizeof rows / sizeof *rows };
    bench_program p;
    bench_invocation calls[N_ROWS];
    bench_side sides[N_ROWS];
    const bench_plan plan = bench_default_plan();
    const int64_t dims[1] = {16};
    bench_open(&p, args[0], 1);
    for (int i = 0; i < N_ROWS; i++) {
        calls[i] = bench_invocation_of(&p, rows[i].function);
        calls[i].args[calls[i].n_args++] = bench_tensor(RLX_F32, 1, dims, 1);
        sides[i] = (bench_side){.call = bench_run_invocation, .user = &calls[i]};
    }
    bench_interleave(sides, N_ROWS, &plan);
    for (int i = 0; i < N_ROWS; i++) {
        print_sampled(rows[i].name, 1, "ns", sides[i].median_ns / rows[i].calls, &sides[i]);
        bench_release_args(&calls[i]);
    }
    bench_close(&p);
}

/* --- planning --- */

static double timed_call_ns(bench_program *p, rlx_value arg)
{
    const double start = bench_now_ns();
    rlx_value_release(bench_invoke(p, "main", &arg, 1));
    return bench_now_ns() - start;
}

/* Each shape three times: never seen; the same once more; and again after another shape was run in
 * between. The second is what the call costs without any planning. Longest shape first, so that the
 * arena does not grow while the clock runs. */
static void planning(char **args)
{
    enum { SHAPES = 60, WARM = 8 };
    double first[SHAPES], again[SHAPES], seen[SHAPES];
    bench_program p;
    bench_open(&p, args[0], 1);
    uint32_t kept = 0;
    rlx_value other = rlx_none();
    for (int i = 0; i < SHAPES + WARM; i++) {
        const int64_t dims[1] = {200 - i};
        rlx_value x = bench_tensor(RLX_F32, 1, dims, 1);
        const double new_ns = timed_call_ns(&p, x), same_ns = timed_call_ns(&p, x);
        if (i >= WARM) {
            timed_call_ns(&p, other);
            first[kept] = new_ns - same_ns;
            again[kept] = same_ns;
            seen[kept++] = timed_call_ns(&p, x) - same_ns;
        }
        rlx_value_release(other);
        other = x;
    }
    rlx_value_release(other);
    print_figure("planning, 500 buffers, new shape", 1, "us", bench_median(first, kept) / 1e3);
    print_figure("planning, 500 buffers, seen shape", 1, "us", bench_median(seen, kept) / 1e3);
    print_figure("call of 500 buffers, same shape", 1, "us", bench_median(again, kept) / 1e3);
    bench_close(&p);
}

/* --- products of chargpt, chargpt itself --- */

static void products(char **args)
{
    static const struct {
        const char *function;
        int64_t m, n, k;
    } rows[] = {{"qkv", 128, 384, 128},
                {"proj", 128, 128, 128},
                {"fc1", 128, 512, 128},
                {"fc2", 128, 128, 512}};
    bench_program p;
    bench_open(&p, args[0], 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        const int64_t a[2] = {rows[i].m, rows[i].k}, b[2] = {rows[i].k, rows[i].n};
        bench_invocation call = bench_invocation_of(&p, rows[i].function);
        call.args[0] = bench_tensor(RLX_F32, 2, a, 1);
        call.args[1] = bench_tensor(RLX_F32, 2, b, 2);
        call.n_args = 2;
        bench_side side = {.call = bench_run_invocation, .user = &call};
        const bench_plan plan = bench_default_plan();
        const double before = bench_peak_gflops();
        bench_interleave(&side, 1, &plan);
        const double after = bench_peak_gflops(), peak = before > after ? before : after;
        const double rate = 2 * (double)(rows[i].m * rows[i].n * rows[i].k) / side.median_ns;
        snprintf(name, sizeof name, "product of arguments %lldx%lldx%lld", (long long)rows[i].m,
                 (long long)rows[i].n, (long long)rows[i].k);
        const bench_row row = {.name = name,
                               .threads = 1,
                               .unit = "GFLOP/s",
                               .rlx = rate,
                               .peer = "FMA peak",
                               .peer_value = peak,
                               .ratio = rate / peak};
        bench_print_row(&row);
        bench_release_args(&call);
    }
    bench_close(&p);
}

static void chargpt(char **args)
{
    static const int64_t lengths[] = {1, 16, 64, 128};
    const int threads = number(args[1]);
    bench_program p;
    bench_open(&p, args[0], (uint32_t)threads);
    for (size_t i = sizeof lengths / sizeof *lengths; i-- > 0;) {
        char name[64];
        const int64_t dims[2] = {1, lengths[i]};
        bench_invocation call = bench_invocation_of(&p, "main");
        call.args[call.n_args++] = bench_tensor(RLX_I64, 2, dims, 0);
        bench_side side = {.call = bench_run_invocation, .user = &call};
        const bench_plan plan = bench_default_plan();
        bench_interleave(&side, 1, &plan);
        snprintf(name, sizeof name, "chargpt n=%lld", (long long)lengths[i]);
        print_sampled(name, threads, "us", side.median_ns / 1e3, &side);
        const uint64_t before = p.allocations;
        bench_run_invocation(&call);
        if (i == 0 && threads == 1)
            print_figure("allocator calls in a call of chargpt, seen shape", 1, "calls",
                         (double)(p.allocations - before));
        bench_release_args(&call);
    }
    bench_close(&p);
}

/* --- a fresh process --- */

static void spawn(void *words)
{
    char *const *argv = words;
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        bench_die("%s %s failed", argv[0], argv[1]);
}

static void first_result(char **args)
{
    const int64_t dims[2] = {1, strtol(args[1], NULL, 10)};
    bench_program p;
    bench_open(&p, args[0], 1);
    rlx_value x = bench_tensor(RLX_F32, 2, dims, 1);
    rlx_value_release(bench_invoke(&p, "main", &x, 1));
    _exit(0); /* ending the process is not part of the first result */
}

static void start(char **args)
{
    char self[] = "/proc/self/exe", work[] = "first", nothing[] = "nothing", name[96];
    char *with[] = {self, work, args[0], args[1], NULL};
    char *without[] = {self, nothing, args[0], args[1], NULL};
    bench_side sides[2] = {{.call = spawn, .user = without}, {.call = spawn, .user = with}};
    const bench_plan plan = {.repetitions = bench_is_quick() ? 11 : 41, .pause_ms = 1};
    bench_interleave(sides, 2, &plan);
    snprintf(name, sizeof name, "load and first result in a fresh process");
    print_figure(name, 1, "ms", (sides[1].median_ns - sides[0].median_ns) / 1e6);
    print_figure("start of an empty process", 1, "ms", sides[0].median_ns / 1e6);
}

static void nothing(char **args)
{
    (void)args;
    _exit(0);
}

/* --- one row times grouped weights --- */

static void grouped(char **args)
{
    enum { ROW, READER, TWIN, N_SIDES };
    char name[96];
    const int64_t dims[2] = {1, strtol(args[3], NULL, 10)};
    const size_t bytes = strtoul(args[4], NULL, 10);
    const int threads = number(args[5]);
    const uint32_t n_sides = strcmp(args[2], "-") == 0 ? TWIN : N_SIDES; /* "-": no float32 twin */
    bench_program programs[N_SIDES];
    bench_invocation calls[N_SIDES];
    bench_reader reader;
    bench_side sides[N_SIDES];
    const bench_plan plan = bench_default_plan();
    for (uint32_t i = 0; i < n_sides; i++) {
        if (i == READER) {
            bench_reader_open(&reader, bytes, (unsigned)threads);
            sides[i] = (bench_side){.call = bench_read, .user = &reader};
            continue;
        }
        bench_open(&programs[i], args[i == ROW ? 1 : 2], (uint32_t)threads);
        calls[i] = bench_invocation_of(&programs[i], "main");
        calls[i].args[calls[i].n_args++] = bench_tensor(RLX_F32, 2, dims, 1);
        sides[i] = (bench_side){.call = bench_run_invocation, .user = &calls[i]};
    }
    bench_interleave(sides, n_sides, &plan);
    bench_row row = {.name = name, .threads = threads, .waited = sides[ROW].waited};
    if (n_sides > TWIN) {
        snprintf(name, sizeof name, "%s, time", args[0]);
        row.unit = "us";
        row.rlx = sides[ROW].median_ns / 1e3;
        row.peer = "rlx float32";
        row.peer_value = sides[TWIN].median_ns / 1e3;
        row.ratio = 1 / sides[TWIN].ratio;
        bench_print_row(&row);
    }
    snprintf(name, sizeof name, "%s, weight bytes", args[0]);
    row.unit = "GB/s";
    row.rlx = (double)bytes / sides[ROW].median_ns;
    row.peer = "read loop";
    row.peer_value = (double)bytes / sides[READER].median_ns;
    row.ratio = sides[READER].ratio;
    bench_print_row(&row);
    for (uint32_t i = 0; i < n_sides; i++)
        if (i != READER) {
            bench_release_args(&calls[i]);
            bench_close(&programs[i]);
        }
    bench_reader_close(&reader);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_args;
        void (*run)(char **args);
    } commands[] = {
        {"machine", 1, machine},    {"dispatch", 1, dispatch}, {"planning", 1, planning},
        {"products", 1, products},  {"chargpt", 2, chargpt},   {"start", 2, start},
        {"first", 2, first_result}, {"nothing", 2, nothing},   {"grouped", 6, grouped}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (argc >= 2 && strcmp(argv[1], commands[i].name) == 0 && argc - 2 == commands[i].n_args) {
            commands[i].run(argv + 2);
            return 0;
        }
    }
    bench_die("usage: see bench.c");
}
