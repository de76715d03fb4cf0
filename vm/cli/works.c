/* The work of devices in a profile: works.h. */
#include "vm/cli/works.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 64 };

/* By rlx_work_kind. */
static const char *const kinds[] = {"kernel", "copy in", "copy out", "copy within"};

typedef struct sum {
    const char *device;
    uint64_t launches, copies, kernel_ns, copy_ns, bytes_in, bytes_out, bytes_within;
} sum;

static uint32_t lane_of(const sum *sums, uint32_t n, const char *device)
{
    uint32_t i = 0;
    while (i < n && strcmp(sums[i].device, device) != 0)
        i++;
    return i;
}

static void add(sum *s, const rlx_profile_work *w)
{
    if (w->kind == RLX_WORK_LAUNCH) {
        s->launches += w->count;
        s->kernel_ns += w->total_ns;
        return;
    }
    s->copies += w->count;
    s->copy_ns += w->total_ns;
    *(w->kind == RLX_WORK_COPY_IN    ? &s->bytes_in
      : w->kind == RLX_WORK_COPY_OUT ? &s->bytes_out
                                     : &s->bytes_within) += w->bytes;
}

/* The devices in the order of their first work; further ones than MAX_DEVICES are left out. */
static uint32_t find_sums(const rlx_profile *p, sum *sums)
{
    rlx_profile_work w;
    uint32_t n = 0;
    for (uint32_t i = 0; rlx_profile_get_work(p, i, &w); i++) {
        const uint32_t k = lane_of(sums, n, w.device);
        if (k == n && n < MAX_DEVICES)
            sums[n++] = (sum){.device = w.device};
        if (k < n)
            add(&sums[k], &w);
    }
    return n;
}

/* Bytes per nanosecond are GB/s. */
static double rate(const rlx_profile_work *w)
{
    return w->total_ns
               ? (double)w->bytes / (double)w->total_ns * (double)w->count / (double)w->timed
               : 0;
}

/* --- text --------------------------------------------------------------------------------------
 */

static void print_bytes(uint64_t bytes, uint64_t calls, const char *before, const char *after)
{
    char text[32];
    if (bytes)
        printf("%s%s %s", before, cli_bytes_text(bytes / calls, text, sizeof text), after);
}

void cli_works_print_sums(const rlx_profile *p, uint64_t calls)
{
    sum sums[MAX_DEVICES];
    const uint32_t n = find_sums(p, sums);
    const double each = (double)calls;
    char kernels[32], copies[32];
    for (uint32_t i = 0; i < n; i++) {
        const sum *s = &sums[i];
        printf("%s, per call: %s of kernels in %g launches, %s of %g copies", s->device,
               cli_time_text((double)s->kernel_ns / each, kernels, sizeof kernels),
               (double)s->launches / each,
               cli_time_text((double)s->copy_ns / each, copies, sizeof copies),
               (double)s->copies / each);
        print_bytes(s->bytes_in, calls, ", ", "in");
        print_bytes(s->bytes_out, calls, ", ", "out");
        print_bytes(s->bytes_within, calls, ", ", "within");
        putchar('\n');
    }
}

static int by_time(const void *a, const void *b)
{
    const rlx_profile_work *x = a, *y = b;
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static void print_row(const rlx_profile_work *w, uint64_t sum_ns)
{
    char time[32] = "-", mean[32] = "-", bytes[32] = "", speed[32] = "";
    if (w->timed) {
        cli_time_text((double)w->total_ns, time, sizeof time);
        cli_time_text((double)w->total_ns / (double)w->timed, mean, sizeof mean);
    }
    if (w->kind != RLX_WORK_LAUNCH)
        cli_bytes_text(w->bytes, bytes, sizeof bytes);
    if (w->kind != RLX_WORK_LAUNCH && w->timed)
        snprintf(speed, sizeof speed, "%.2f GB/s", rate(w));
    printf("%6.2f%% %12s %12s %9llu %12s %12s  %-9s %-11s %s\n",
           sum_ns ? 100 * (double)w->total_ns / (double)sum_ns : 0, time, mean,
           (unsigned long long)w->count, bytes, speed, w->device, kinds[w->kind], w->name);
}

void cli_works_print(const rlx_profile *p, uint64_t calls)
{
    const uint32_t n = rlx_profile_work_count(p);
    rlx_profile_work *rows = calloc((size_t)n + 1, sizeof *rows);
    uint64_t sum_ns = 0;
    if (n > 0 && rows) {
        for (uint32_t i = 0; rlx_profile_get_work(p, i, &rows[i]) && i < n; i++)
            sum_ns += rows[i].total_ns;
        qsort(rows, n, sizeof *rows, by_time);
        puts("devices, by their own clocks");
        printf("%7s %12s %12s %9s %12s %12s  %-9s %-11s %s\n", "share", "time", "mean", "count",
               "bytes", "rate", "device", "work", "name");
        for (uint32_t i = 0; i < n; i++)
            print_row(&rows[i], sum_ns);
        cli_works_print_sums(p, calls);
    }
    free(rows);
}

/* --- JSON --------------------------------------------------------------------------------------
 */

void cli_works_json(const rlx_profile *p, cli_json *j)
{
    rlx_profile_work w;
    if (rlx_profile_work_count(p) == 0)
        return;
    cli_json_open(j, "devices", '[');
    for (uint32_t i = 0; rlx_profile_get_work(p, i, &w); i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "device", rlx_str_from(w.device));
        cli_json_text(j, "work", rlx_str_from(kinds[w.kind]));
        cli_json_text(j, "name", rlx_str_from(w.name));
        cli_json_u64(j, "count", w.count);
        cli_json_u64(j, "bytes", w.bytes);
        cli_json_u64(j, "timed", w.timed);
        cli_json_u64(j, "total_ns", w.total_ns);
        cli_json_u64(j, "min_ns", w.min_ns);
        cli_json_u64(j, "max_ns", w.max_ns);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

void cli_works_json_sums(const rlx_profile *p, uint64_t calls, cli_json *j)
{
    sum sums[MAX_DEVICES];
    const uint32_t n = find_sums(p, sums);
    const double each = (double)calls;
    if (n == 0)
        return;
    cli_json_open(j, "devices", '[');
    for (uint32_t i = 0; i < n; i++) {
        const sum *s = &sums[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "device", rlx_str_from(s->device));
        cli_json_double(j, "launches", (double)s->launches / each);
        cli_json_double(j, "copies", (double)s->copies / each);
        cli_json_double(j, "kernel_ns", (double)s->kernel_ns / each);
        cli_json_double(j, "copy_ns", (double)s->copy_ns / each);
        cli_json_double(j, "bytes_in", (double)s->bytes_in / each);
        cli_json_double(j, "bytes_out", (double)s->bytes_out / each);
        cli_json_double(j, "bytes_within", (double)s->bytes_within / each);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

/* --- traces ------------------------------------------------------------------------------------
 */

enum { FIRST_LANE = 2 }; /* 1 is the VM's */

static void name_lane(cli_json *j, uint32_t lane, const char *name)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", RLX_STR("thread_name"));
    cli_json_text(j, "ph", RLX_STR("M"));
    cli_json_u64(j, "pid", 1);
    cli_json_u64(j, "tid", lane);
    cli_json_open(j, "args", '{');
    cli_json_text(j, "name", rlx_str_from(name));
    cli_json_close(j, '}');
    cli_json_close(j, '}');
    fputc('\n', j->file);
}

void cli_works_trace(const rlx_profile *p, cli_json *j)
{
    sum sums[MAX_DEVICES];
    const uint32_t n = find_sums(p, sums);
    rlx_profile_work_event event;
    rlx_profile_work w;
    if (n == 0)
        return;
    name_lane(j, 1, "host");
    for (uint32_t i = 0; i < n; i++)
        name_lane(j, FIRST_LANE + i, sums[i].device);
    for (uint32_t i = 0; rlx_profile_get_work_event(p, i, &event); i++) {
        if (!rlx_profile_get_work(p, event.work, &w))
            continue;
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", rlx_str_from(*w.name ? w.name : kinds[w.kind]));
        cli_json_text(j, "cat", rlx_str_from(kinds[w.kind]));
        cli_json_text(j, "ph", RLX_STR("X"));
        cli_json_double(j, "ts", (double)event.start_ns / 1000);
        cli_json_double(j, "dur", (double)event.dur_ns / 1000);
        cli_json_u64(j, "pid", 1);
        cli_json_u64(j, "tid", FIRST_LANE + lane_of(sums, n, w.device));
        cli_json_close(j, '}');
        fputc('\n', j->file);
    }
}
