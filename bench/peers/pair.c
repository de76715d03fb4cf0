/* Models, run by rlx and by a peer in turn.
 *
 *     bench_pair time   LIBRARY NAME MODEL M.rlx DIMS THREADS N...   a row for each n
 *     bench_pair busy   LIBRARY NAME MODEL M.rlx DIMS THREADS N...   over a longer time, all of it
 *     bench_pair create LIBRARY NAME MODEL                           time to make a session, once
 *     bench_pair growth LIBRARY NAME MODEL M.rlx DIMS STEP           resident memory over shapes
 *
 * DIMS is the input's shape with n for the dynamic dimension: "1,n,768". LIBRARY is
 * libonnxruntime.so, one that exports bench_peer (peer.h), or "-": rlx alone. MODEL is the peer's
 * file. The results of both are compared before anything is timed;
 * a row whose results differ carries no ratio and says so. Each side makes its result anew in each
 * call and releases it, and nothing else is counted: inputs are in place. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/peers/ort.h"

enum { SEED = 7, LARGEST_N = 384 };
/* Largest difference allowed, as a share of the largest magnitude in the result. */
static const double tolerance = 1e-4;

typedef struct pair {
    const char *name, *model, *rlx, *dims;
    peer_library peer;
    bool has_peer;
} pair;

/* Share of the largest magnitude by which the results differ; negative: different sizes. */
static double difference(const peer_library *peer, void *model, bench_program *program,
                         bench_invocation *call)
{
    rlx_value out = bench_invoke(program, "main", call->args, call->n_args);
    if (out.kind != RLX_KIND_TENSOR)
        bench_die("the result is no tensor");
    const size_t count = (size_t)rlx_tensor_numel(out.as.tensor);
    const float *ours = rlx_tensor_data(out.as.tensor);
    float *theirs = calloc(count + 1, sizeof *theirs);
    if (theirs == NULL)
        bench_die("no memory");
    double largest = 0, worst = peer->result(model, theirs, count) == count ? 0 : -1;
    for (size_t i = 0; i < count && worst >= 0; i++) {
        const double d = fabs((double)ours[i] - (double)theirs[i]);
        worst = d > worst || isnan(d) ? (isnan(d) ? (double)INFINITY : d) : worst;
        largest = fmax(largest, fabs((double)theirs[i]));
    }
    free(theirs);
    rlx_value_release(out);
    return worst > 0 && largest > 0 ? worst / largest : worst;
}

/* Beside others who keep the cores busy: long samples, of which all count, as the lucky moments
 * between two of the others' time slices say little of what a program gets. */
static bench_plan busy_plan(void)
{
    return (bench_plan){.repetitions = bench_is_quick() ? 5 : 15,
                        .sample_ms = 200,
                        .pause_ms = 3,
                        .keeps_all = true};
}

static void time_one(const pair *p, void *model, bench_program *program, int threads, int64_t n,
                     const bench_plan *plan)
{
    char name[96], note[96];
    int64_t dims[BENCH_MAX_NDIM];
    const uint32_t ndim = bench_parse_dims(p->dims, n, dims);
    bench_invocation call = bench_invocation_of(program, "main");
    call.args[0] = bench_tensor(RLX_F32, ndim, dims, SEED);
    call.n_args = 1;
    bench_side sides[2] = {{.call = bench_run_invocation, .user = &call},
                           {.call = p->peer.run, .user = model}};
    snprintf(name, sizeof name, "%s n=%lld", p->name, (long long)n);
    bench_row row = {.name = name, .threads = threads, .unit = "us", .note = note};
    note[0] = '\0';
    double differs = 0;
    if (p->has_peer) {
        rlx_tensor *x = call.args[0].as.tensor;
        p->peer.set_input(model, rlx_tensor_mutable_data(x), (size_t)rlx_tensor_numel(x), dims,
                          ndim);
        differs = difference(&p->peer, model, program, &call);
        snprintf(note, sizeof note, "%sdifference %.1e",
                 differs < 0 || differs > tolerance ? "WRONG: " : "", differs);
    }
    bench_interleave(sides, p->has_peer ? 2 : 1, plan);
    row.rlx = sides[0].median_ns / 1e3;
    row.waited = sides[0].waited;
    if (p->has_peer) {
        row.peer = p->peer.name;
        row.peer_value = sides[1].median_ns / 1e3;
        if (differs >= 0 && differs <= tolerance)
            row.ratio = 1 / sides[1].ratio;
    }
    bench_print_row(&row);
    bench_release_args(&call);
}

static void time_all(const pair *p, int threads, char **n, int n_count, const bench_plan *plan)
{
    void *model = NULL;
    bench_program program;
    bench_open(&program, p->rlx, (uint32_t)threads);
    if (p->has_peer)
        model = p->peer.open_model(p->peer.state, p->model, threads);
    for (int i = 0; i < n_count; i++)
        time_one(p, model, &program, threads, strtol(n[i], NULL, 10), plan);
    if (p->has_peer)
        p->peer.close_model(model);
    bench_close(&program);
}

static void create(const pair *p)
{
    char name[96];
    snprintf(name, sizeof name, "%s session", p->name);
    const double start = bench_now_ns();
    void *model = p->peer.open_model(p->peer.state, p->model, 1);
    const bench_row row = {.name = name,
                           .threads = 1,
                           .unit = "ms",
                           .peer = p->peer.name,
                           .peer_value = (bench_now_ns() - start) / 1e6};
    bench_print_row(&row);
    p->peer.close_model(model);
}

/* --- resident memory --- */

static double resident_mib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;
    if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
        bench_die("/proc/self/statm cannot be read");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 0x1p20;
}

/* Growth from after the first shape to after the last, the input's own bytes not counted: it is
 * made once, large enough for all. Runs in a process of its own. */
static double grow(const pair *p, bool peer, int64_t step)
{
    int64_t dims[BENCH_MAX_NDIM];
    uint32_t ndim = bench_parse_dims(p->dims, LARGEST_N, dims);
    rlx_value whole = bench_tensor(RLX_F32, ndim, dims, SEED);
    float *data = rlx_tensor_mutable_data(whole.as.tensor);
    void *model = NULL;
    bench_program program;
    if (peer)
        model = p->peer.open_model(p->peer.state, p->model, 1);
    else
        bench_open(&program, p->rlx, 1);
    double first = 0;
    for (int64_t n = 1; n <= LARGEST_N; n = n == 1 && step > 1 ? step : n + step) {
        rlx_error err = {0};
        rlx_tensor *x = NULL;
        ndim = bench_parse_dims(p->dims, n, dims);
        if (rlx_tensor_wrap(NULL, RLX_F32, ndim, dims, data, NULL, NULL, &x, &err) != RLX_OK)
            bench_die("%s", err.message);
        const rlx_value arg = rlx_of_tensor(x);
        if (peer) {
            p->peer.set_input(model, data, (size_t)rlx_tensor_numel(x), dims, ndim);
            p->peer.run(model);
        } else {
            rlx_value_release(bench_invoke(&program, "main", &arg, 1));
        }
        rlx_value_release(arg);
        first = n == 1 ? resident_mib() : first;
    }
    const double growth = resident_mib() - first;
    if (peer)
        p->peer.close_model(model);
    else
        bench_close(&program);
    rlx_value_release(whole);
    return growth;
}

static double grow_in_child(const pair *p, bool peer, int64_t step)
{
    int ends[2];
    double growth = 0;
    if (pipe(ends) != 0)
        bench_die("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        growth = grow(p, peer, step);
        _exit(write(ends[1], &growth, sizeof growth) == sizeof growth ? 0 : 1);
    }
    int status = 0;
    close(ends[1]);
    if (child < 0 || read(ends[0], &growth, sizeof growth) != sizeof growth ||
        waitpid(child, &status, 0) != child || status != 0)
        bench_die("the measurement of resident memory failed");
    close(ends[0]);
    return growth;
}

static void growth_row(const pair *p, int64_t step)
{
    char name[96];
    snprintf(name, sizeof name, "%s resident growth n=1..%d", p->name, LARGEST_N);
    bench_row row = {.name = name, .threads = 1, .unit = "MiB"};
    row.rlx = grow_in_child(p, false, step);
    if (p->has_peer) {
        row.peer = p->peer.name;
        row.peer_value = grow_in_child(p, true, step);
        row.ratio = row.rlx / row.peer_value;
    }
    bench_print_row(&row);
}

static void open_peer(peer_library *out, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        bench_die("%s", dlerror());
    const peer_get get = (peer_get)dlsym(library, "bench_peer");
    if (get != NULL)
        get(out);
    else
        ort_open_library(out, library);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        bench_die("usage: see pair.c");
    pair p = {.name = argv[3], .model = argv[4], .has_peer = strcmp(argv[2], "-") != 0};
    if (p.has_peer)
        open_peer(&p.peer, argv[2]);
    if (strcmp(argv[1], "create") == 0 && p.has_peer) {
        create(&p);
        return 0;
    }
    if (argc < 8)
        bench_die("usage: see pair.c");
    p.rlx = argv[5];
    p.dims = argv[6];
    if (strcmp(argv[1], "growth") == 0)
        growth_row(&p, strtol(argv[7], NULL, 10));
    else {
        const bool busy = strcmp(argv[1], "busy") == 0;
        if (!busy && strcmp(argv[1], "time") != 0)
            bench_die("usage: see pair.c");
        const bench_plan plan = busy ? busy_plan() : bench_default_plan();
        time_all(&p, (int)strtol(argv[7], NULL, 10), argv + 8, argc - 8, &plan);
    }
    return 0;
}
