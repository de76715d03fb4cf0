/* Clock, samples, rows and executables for the measuring programs: see bench.h. */
#include "bench/bench.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* --- rows --- */

static void print_string(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

void bench_print_row(const bench_row *row)
{
    putchar('{');
    print_string("name", row->name);
    printf(", \"threads\": %d, ", row->threads);
    print_string("unit", row->unit);
    printf(", \"rlx\": %.6g", row->rlx);
    if (row->peer != NULL) {
        printf(", ");
        print_string("peer", row->peer);
        printf(", \"peer_value\": %.6g", row->peer_value);
    }
    if (row->ratio > 0)
        printf(", \"ratio\": %.4g", row->ratio);
    if (row->waited > 0)
        printf(", \"waited\": %.3g", row->waited);
    if (row->note != NULL) {
        printf(", ");
        print_string("note", row->note);
    }
    puts("}");
    fflush(stdout);
}

/* --- samples --- */

double bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, uint32_t n)
{
    if (n == 0)
        return 0;
    qsort(values, n, sizeof *values, compare_doubles);
    return n % 2 != 0 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static void pause_for(double ms)
{
    const double ns = ms * 1e6;
    const struct timespec t = {.tv_sec = (time_t)(ns / 1e9), .tv_nsec = (long)fmod(ns, 1e9)};
    nanosleep(&t, NULL);
}

static double run_ns(const bench_side *side, uint64_t number)
{
    const double start = bench_now_ns();
    for (uint64_t i = 0; i < number; i++)
        side->call(side->user);
    return bench_now_ns() - start;
}

/* Calls that fill a sample, and how long that takes; the calls made to find out also warm up. The
 * best of a few timings: a delay in one of them would make calls look slow and samples too
 * short. */
static uint64_t calls_for(const bench_side *side, double sample_ms, double *out_ms)
{
    enum { TIMINGS = 3 };
    const double want = sample_ms * 1e6;
    uint64_t number = 1;
    run_ns(side, 1);
    for (;;) {
        double took = run_ns(side, number);
        for (int i = 1; i < TIMINGS && took >= 0.5 * want; i++)
            took = fmin(took, run_ns(side, number));
        if (took >= 0.5 * want) {
            const double exact = fmax(1, ceil((double)number * want / took));
            *out_ms = exact * took / (double)number / 1e6;
            return (uint64_t)exact;
        }
        number *= 2;
    }
}

/* Calls |visit| with the path of each thread of this process, the caller's own too. */
static void each_thread(void (*visit)(const char *folder, void *user), void *user)
{
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return;
    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        char folder[300];
        snprintf(folder, sizeof folder, "/proc/self/task/%s", task->d_name);
        if (task->d_name[0] != '.')
            visit(folder, user);
    }
    closedir(tasks);
}

static void add_waited(const char *folder, void *sum)
{
    char path[320];
    double waited = 0;
    snprintf(path, sizeof path, "%s/schedstat", folder);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return;
    if (fscanf(f, "%*s %lf", &waited) == 1)
        *(double *)sum += waited;
    fclose(f);
}

/* Nanoseconds that threads of this process were ready to run and had no core, since they began. */
static double waited_ns(void)
{
    double sum = 0;
    each_thread(add_waited, &sum);
    return sum;
}

static void add_running(const char *folder, void *count)
{
    char path[320], state = 0;
    snprintf(path, sizeof path, "%s/stat", folder);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return;
    /* "id (name) state": the names here have no brackets of their own. */
    if (fscanf(f, "%*[^)]) %c", &state) == 1 && state == 'R')
        ++*(int *)count;
    fclose(f);
}

void bench_wait_for_sleep(double pause_ms)
{
    enum { MOST = 200 };
    pause_for(pause_ms);
    for (int i = 0; i < MOST; i++) {
        int running = 0;
        each_thread(add_running, &running);
        if (running <= 1)
            return;
        pause_for(1);
    }
}

typedef struct repetition {
    double ns[BENCH_MAX_SIDES]; /* of a call */
    double waited;              /* share of the time, of all sides */
} repetition;

static int compare_waited(const void *a, const void *b)
{
    const repetition *x = a, *y = b;
    return (x->waited > y->waited) - (x->waited < y->waited);
}

static repetition repeat(const bench_side *sides, uint32_t n, const uint64_t *number,
                         double pause_ms, bool backwards)
{
    enum { WARMING = 16 }; /* the first calls wake workers */
    repetition out = {0};
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t i = backwards ? n - 1 - k : k;
        bench_wait_for_sleep(pause_ms);
        if (number[i] > 1)
            run_ns(&sides[i], 1 + number[i] / WARMING);
        const double before = waited_ns();
        const double ns = run_ns(&sides[i], number[i]);
        out.waited += (waited_ns() - before) / ns / n;
        out.ns[i] = ns / (double)number[i];
    }
    return out;
}

void bench_interleave(bench_side *sides, uint32_t n, const bench_plan *plan)
{
    enum { FEWEST = 5, KEPT_OF = 3 };
    repetition repetitions[BENCH_MAX_REPETITIONS];
    double values[BENCH_MAX_REPETITIONS], round_ms = 0;
    uint64_t number[BENCH_MAX_SIDES];
    if (n > BENCH_MAX_SIDES || plan->repetitions > BENCH_MAX_REPETITIONS)
        bench_die("too many sides or repetitions");
    for (uint32_t i = 0; i < n; i++) {
        double ms = 0;
        bench_wait_for_sleep(plan->pause_ms);
        number[i] = calls_for(&sides[i], plan->sample_ms, &ms);
        round_ms += ms + plan->pause_ms;
    }
    uint32_t count = plan->repetitions;
    if (plan->budget_ms > 0 && round_ms * count > plan->budget_ms)
        count = (uint32_t)fmin(count, fmax(FEWEST, plan->budget_ms / round_ms));
    for (uint32_t r = 0; r < count; r++)
        repetitions[r] = repeat(sides, n, number, plan->pause_ms, r % 2 != 0);
    qsort(repetitions, count, sizeof *repetitions, compare_waited);
    const uint32_t third = (count + KEPT_OF - 1) / KEPT_OF;
    const uint32_t few = third < FEWEST ? (count < FEWEST ? count : FEWEST) : third;
    const uint32_t kept = plan->keeps_all ? count : few;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t r = 0; r < kept; r++)
            values[r] = repetitions[r].ns[i] / repetitions[r].ns[0];
        sides[i].ratio = bench_median(values, kept);
        for (uint32_t r = 0; r < kept; r++)
            values[r] = repetitions[r].ns[i];
        sides[i].median_ns = bench_median(values, kept);
        for (uint32_t r = 0; r < kept; r++)
            values[r] = repetitions[r].waited;
        sides[i].waited = bench_median(values, kept);
    }
}

bool bench_is_quick(void)
{
    const char *quick = getenv("RLX_BENCH_QUICK");
    return quick != NULL && strcmp(quick, "1") == 0;
}

bench_plan bench_default_plan(void)
{
    const bool quick = bench_is_quick();
    return (bench_plan){.repetitions = quick ? 15 : 45,
                        .sample_ms = quick ? 2 : 2.5,
                        .budget_ms = quick ? 1000 : 4000,
                        .pause_ms = 3};
}

/* --- executables --- */

static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    ++*(uint64_t *)ctx;
    return rlx_alloc(NULL, size, align);
}

static void counted_free(void *ctx, void *p, size_t size, size_t align)
{
    (void)ctx;
    rlx_free(NULL, p, size, align);
}

void bench_open(bench_program *p, const char *path, uint32_t threads)
{
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = true};
    *p = (bench_program){.allocator = {&p->allocations, counted_alloc, counted_free}};
    const rlx_vm_options options = {.allocator = &p->allocator, .threads = threads};
    if (rlx_executable_load_file(path, &load, &p->exe, &err) != RLX_OK ||
        rlx_vm_create(p->exe, &options, &p->vm, &err) != RLX_OK)
        bench_die("%s: %s", path, err.message);
}

void bench_close(bench_program *p)
{
    rlx_vm_destroy(p->vm);
    rlx_executable_release(p->exe);
}

rlx_value bench_tensor(rlx_dtype dtype, uint32_t ndim, const int64_t *dims, uint64_t seed)
{
    rlx_error err = {0};
    rlx_tensor *t = NULL;
    if (rlx_tensor_create(NULL, dtype, ndim, dims, &t, &err) != RLX_OK)
        bench_die("%s", err.message);
    const size_t bytes = rlx_tensor_nbytes(t);
    memset(rlx_tensor_mutable_data(t), 0, bytes);
    if (rlx_dtype_eq(dtype, RLX_F32)) {
        float *values = rlx_tensor_mutable_data(t);
        for (size_t i = 0; i < bytes / sizeof *values; i++) {
            /* Knuth's 64-bit linear congruence (MMIX); the upper bits are the good ones. */
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            values[i] = (float)(seed >> 40) * 0x1p-23f - 1.0f;
        }
    }
    return rlx_of_tensor(t);
}

uint32_t bench_parse_dims(const char *text, int64_t n, int64_t out[BENCH_MAX_NDIM])
{
    uint32_t ndim = 0;
    for (const char *p = text; *p != '\0' && ndim < BENCH_MAX_NDIM; p += *p == ',') {
        char *end = NULL;
        if (*p == 'n') {
            out[ndim++] = n;
            p++;
        } else {
            out[ndim++] = strtol(p, &end, 10);
            if (end == p)
                bench_die("dimensions: %s", text);
            p = end;
        }
    }
    return ndim;
}

rlx_value bench_invoke(bench_program *p, const char *function, const rlx_value *args, uint32_t n)
{
    rlx_error err = {0};
    rlx_value out = rlx_none();
    if (rlx_vm_invoke(p->vm, rlx_str_from(function), args, n, &out, &err) != RLX_OK)
        bench_die("%s: %s", function, err.message);
    return out;
}

bench_invocation bench_invocation_of(bench_program *p, const char *function)
{
    const uint32_t index = rlx_executable_find_function(p->exe, rlx_str_from(function));
    if (index == RLX_NONE)
        bench_die("no function %s", function);
    return (bench_invocation){.program = p, .function = index};
}

void bench_run_invocation(void *invocation)
{
    const bench_invocation *v = invocation;
    rlx_error err = {0};
    rlx_value out = rlx_none();
    if (rlx_vm_invoke_index(v->program->vm, v->function, v->args, v->n_args, &out, &err) != RLX_OK)
        bench_die("%s", err.message);
    rlx_value_release(out);
}

void bench_release_args(bench_invocation *invocation)
{
    for (uint32_t i = 0; i < invocation->n_args; i++)
        rlx_value_clear(&invocation->args[i]);
}
