/* Runs ONNX's backend test data: imports each model, compiles it to a file, loads it into a fresh
 * VM and runs its data sets; every output is compared (floats: rtol 1e-3, atol 1e-5; else exactly).
 *
 * Each case runs in its own process with a time limit, so that a crash or a hang is a result like
 * any other and the cost of each compilation can be measured. The results are a table in Markdown.
 * The exit status is 1 if a case that passes in the committed table fails, or if a compilation
 * needs too much memory.
 *
 *   run_backend [--data DIR] [--table FILE] [--write] [--jobs N] [--verbose] [--device D]
 *               [--batch | --relax | --free | --unranked] [part of a name]...
 *
 * --batch runs the pytorch-converted cases and the examples with a symbolic batch dimension;
 * --relax runs every case through its TVMScript; --free with input dimensions that have neither
 * numbers nor names, --unranked with inputs of unknown rank. --device runs the cases that pass on
 * the CPU with all tensors on the device D; its table, docs/onnx-D.md, names those that fail and
 * those in which the CPU does something. Without that table none may fail. */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/onnx/case.h"
#include "tests/support/limit.h"

#define DATA "/usr/share/libonnx-testdata/data"

enum { MAX_CASES = 4096, MAX_JOBS = 16, TIME_LIMIT = 30 };
/* Limits of one compilation: memory beyond three times the model, and time. */
#define MEMORY_LIMIT ((size_t)200 << 20)
#define SECONDS_LIMIT 0.5

typedef struct test_case {
    char name[200]; /* suite/case */
    case_report report;
    bool before;   /* it passes on the CPU */
    bool may_fail; /* on the device */
} test_case;

typedef struct job {
    pid_t pid;
    int pipe;
    uint32_t index;
} job;

/* Cases that need the shapes that --free and --unranked remove, with the reason. */
static const char *const needs_shapes[] = {
    "node/test_scan_sum" /* opset 8: batches larger than 1 are not supported */
};

static bool must_pass(const test_case *c, case_mode mode)
{
    for (size_t i = 0; i < sizeof needs_shapes / sizeof *needs_shapes; i++)
        if ((mode == CASE_FREE || mode == CASE_UNRANKED) && strcmp(c->name, needs_shapes[i]) == 0)
            return false;
    return (c->before && !c->may_fail) || mode == CASE_BATCH;
}

/* --- cases and the table ---------------------------------------------------------------------- */

static test_case cases[MAX_CASES];
static uint32_t n_cases;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const test_case *)a)->name, ((const test_case *)b)->name);
}

static bool wanted(const char *name, char *const *filters, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strstr(name, filters[i]))
            return true;
    return n == 0;
}

static void add_case(const char *suite, const char *name, char *const *filters, uint32_t n)
{
    if (n_cases == MAX_CASES)
        return;
    test_case *c = &cases[n_cases];
    snprintf(c->name, sizeof c->name, "%s/%.180s", suite, name);
    n_cases += wanted(c->name, filters, n);
}

static void find_cases(const char *data, case_mode mode, char *const *filters, uint32_t n)
{
    static const char *const suites[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
        if (mode == CASE_BATCH && strcmp(suites[s], "pytorch-converted") != 0)
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", data, suites[s]);
        DIR *dir = opendir(path);
        struct dirent *entry;
        while (dir && (entry = readdir(dir)))
            if (entry->d_name[0] != '.')
                add_case(suites[s], entry->d_name, filters, n);
        if (dir)
            closedir(dir);
    }
    if (mode == CASE_BATCH) {
        add_case("examples", "digits", filters, n);
        add_case("examples", "chargpt", filters, n);
    }
    qsort(cases, n_cases, sizeof *cases, by_name);
}

/* The cases that a device's table speaks of. */
static bool is_of_device(const test_case *c)
{
    return c->before && strncmp(c->name, "node/", 5) == 0;
}

/* Of the cases that pass on the CPU, those that the table of a device does not name as failing must
 * pass there too: all of them where there is no table. */
static void read_device_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1600];
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        test_case key = {0};
        if (sscanf(line, "| %199[^ |] |", key.name) != 1 || strstr(line, "| pass |"))
            continue;
        test_case *c = bsearch(&key, cases, n_cases, sizeof *cases, by_name);
        if (c)
            c->may_fail = true;
    }
    fclose(file);
}

/* Leaves the cases of a device's table. */
static void keep_device_cases(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_cases; i++)
        if (is_of_device(&cases[i]))
            cases[n++] = cases[i];
    n_cases = n;
}

/* Marks the cases that passed. Returns how many of them are missing from the data, or -1 without a
 * table. */
static int read_table(const char *path, bool all)
{
    FILE *file = fopen(path, "r");
    char line[1200];
    int missing = 0;
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file)) {
        char name[200];
        if (sscanf(line, "| %199[^ |] | pass |", name) != 1 || !strstr(line, "| pass |"))
            continue;
        test_case key = {0};
        memcpy(key.name, name, sizeof name);
        test_case *c = bsearch(&key, cases, n_cases, sizeof *cases, by_name);
        if (c) {
            c->before = true;
        } else if (all) {
            missing++;
            printf("MUST PASS %s: not among the test data\n", name);
        }
    }
    fclose(file);
    return missing;
}

static bool write_table(const char *path)
{
    FILE *file = fopen(path, "w");
    uint32_t passed = 0;
    if (!file)
        return false;
    for (uint32_t i = 0; i < n_cases; i++)
        passed += cases[i].report.passed;
    fprintf(file,
            "# ONNX backend tests\n\nWritten by `make onnx-backend-table` "
            "(tests/onnx/run_backend.c) from the test data of "
            "Debian's\nlibonnx-testdata. %u of %u cases pass; a case that passes here must go on "
            "passing.\n\n| case | result |\n| --- | --- |\n",
            passed, n_cases);
    for (uint32_t i = 0; i < n_cases; i++) {
        for (char *c = cases[i].report.reason; *c; c++)
            if (*c == '|' || *c == '\n')
                *c = '/';
        fprintf(file, "| %s | %s |\n", cases[i].name,
                cases[i].report.passed ? "pass" : cases[i].report.reason);
    }
    return fclose(file) == 0;
}

static void plain_text(char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '|' || *c == '\n')
            *c = '/';
}

/* The table of a device: of the node cases that pass on the CPU, those that fail there, and those
 * in which the CPU does something. */
static bool write_device_table(const char *path, const char *device)
{
    FILE *file = fopen(path, "w");
    uint32_t all = 0, passed = 0, whole = 0;
    if (!file)
        return false;
    for (uint32_t i = 0; i < n_cases; i++) {
        if (!is_of_device(&cases[i]))
            continue;
        all++;
        passed += cases[i].report.passed;
        whole += cases[i].report.passed && !*cases[i].report.fallen;
    }
    fprintf(file,
            "# ONNX node cases on %s\n\nWritten by `make onnx-opencl-table` "
            "(tests/onnx/run_backend.c): ONNX's node cases with `--default-device %s`. %u cases "
            "pass on the CPU; %u of them pass here, %u without work on the CPU between a call's "
            "arguments and its results. The table names the others. A case that the table does not "
            "name must keep passing.\n\n| case | result | what the CPU does, and why |\n| --- "
            "| --- | --- |\n",
            device, device, all, passed, whole);
    for (uint32_t i = 0; i < n_cases; i++) {
        case_report *r = &cases[i].report;
        plain_text(r->reason);
        plain_text(r->fallen);
        if (is_of_device(&cases[i]) && (!r->passed || *r->fallen))
            fprintf(file, "| %s | %s | %s |\n", cases[i].name, r->passed ? "pass" : r->reason,
                    r->fallen);
    }
    return fclose(file) == 0;
}

/* --- processes -------------------------------------------------------------------------------- */

static void start(job *j, uint32_t index, const char *data, case_mode mode, const char *device)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(2);
    fflush(NULL);
    j->index = index;
    j->pipe = ends[0];
    j->pid = fork();
    if (j->pid == 0) {
        close(ends[0]);
        rlx_test_limit_time(TIME_LIMIT);
        case_report report = {0};
        char folder[600];
        const char *name = cases[index].name;
        snprintf(folder, sizeof folder, "%s/%s", data, name);
        if (strncmp(name, "examples/", 9) == 0)
            batch_example(&report, name + 9);
        else
            case_backend(&report, folder, mode, device);
        ssize_t n = write(ends[1], &report, sizeof report);
        _exit(n == (ssize_t)sizeof report ? 0 : 3);
    }
    close(ends[1]);
}

static void finish(job *j)
{
    case_report report = {0};
    int status = 0;
    ssize_t n = read(j->pipe, &report, sizeof report);
    close(j->pipe);
    waitpid(j->pid, &status, 0);
    j->pid = 0;
    if (n != (ssize_t)sizeof report) {
        report = (case_report){0};
        if (rlx_test_was_late(status))
            case_fail(&report, "HANG: more than %d s", TIME_LIMIT);
        else
            case_fail(&report, "CRASH: signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    cases[j->index].report = report;
}

static void run_all(const char *data, case_mode mode, const char *device, uint32_t jobs)
{
    job running[MAX_JOBS] = {0};
    uint32_t next = 0, active = 0;
    while (next < n_cases || active > 0) {
        for (uint32_t i = 0; i < jobs && next < n_cases; i++)
            if (running[i].pid == 0) {
                start(&running[i], next++, data, mode, device);
                active++;
            }
        struct pollfd fds[MAX_JOBS];
        for (uint32_t i = 0; i < jobs; i++)
            fds[i] = (struct pollfd){running[i].pid ? running[i].pipe : -1, POLLIN, 0};
        poll(fds, jobs, -1);
        for (uint32_t i = 0; i < jobs; i++)
            if (running[i].pid && fds[i].revents) {
                finish(&running[i]);
                active--;
            }
    }
}

/* Reports the most expensive compilations; false if one needed too much memory. Times are reported
 * but not judged, since they depend on the machine. */
static bool report_cost(void)
{
    const test_case *slow = NULL, *large = NULL;
    uint32_t n_slow = 0, n_large = 0;
    for (uint32_t i = 0; i < n_cases; i++) {
        const test_case *c = &cases[i];
        if (c->report.peak == 0)
            continue;
        if (!slow || c->report.seconds > slow->report.seconds)
            slow = c;
        if (!large ||
            c->report.peak - 3 * c->report.model > large->report.peak - 3 * large->report.model)
            large = c;
        n_slow += c->report.seconds > SECONDS_LIMIT;
        n_large += c->report.peak > 3 * c->report.model + MEMORY_LIMIT;
    }
    if (!slow || !large)
        return true;
    printf(
        "compiling: slowest %s with %.2f s of processor time (%u cases above %.1f s); most memory "
        "%s with %zu MB for a model of %zu KB (%u cases above the limit)\n",
        slow->name, slow->report.seconds, n_slow, SECONDS_LIMIT, large->name,
        large->report.peak >> 20, large->report.model >> 10, n_large);
    return n_large == 0;
}

int main(int argc, char **argv)
{
    const char *data = DATA, *table = "docs/onnx.md", *device = NULL;
    char device_table[64] = "";
    char *filters[64];
    uint32_t n_filters = 0, jobs = 2, passed = 0, broken = 0;
    bool write = false, verbose = false;
    case_mode mode = CASE_PLAIN;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--data") == 0 && more)
            data = argv[++i];
        else if (strcmp(argv[i], "--table") == 0 && more)
            table = argv[++i];
        else if (strcmp(argv[i], "--jobs") == 0 && more)
            jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--device") == 0 && more)
            device = argv[++i];
        else if (strcmp(argv[i], "--write") == 0)
            write = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--batch") == 0)
            mode = CASE_BATCH;
        else if (strcmp(argv[i], "--relax") == 0)
            mode = CASE_RELAX;
        else if (strcmp(argv[i], "--free") == 0)
            mode = CASE_FREE;
        else if (strcmp(argv[i], "--unranked") == 0)
            mode = CASE_UNRANKED;
        else if (n_filters < 64)
            filters[n_filters++] = argv[i];
    }
    jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    find_cases(data, mode, filters, n_filters);
    const int missing = read_table(table, n_filters == 0 && mode != CASE_BATCH);
    if (device) {
        snprintf(device_table, sizeof device_table, "docs/onnx-%.*s.md", (int)strcspn(device, ":"),
                 device);
        read_device_table(device_table);
        keep_device_cases();
    }
    if (n_cases == 0 || (missing < 0 && !write)) {
        fprintf(stderr, "run_backend: no cases in %s, or no table %s\n", data, table);
        return 2;
    }
    broken = missing > 0 ? (uint32_t)missing : 0;
    run_all(data, mode, device, jobs);
    for (uint32_t i = 0; i < n_cases; i++) {
        passed += cases[i].report.passed;
        bool worse = must_pass(&cases[i], mode) && !cases[i].report.passed;
        broken += worse;
        if (worse || (verbose && !cases[i].report.passed))
            printf("%s%s: %s\n", worse ? "MUST PASS " : "", cases[i].name, cases[i].report.reason);
    }
    printf("%u of %u cases pass, %u that must do not\n", passed, n_cases, broken);
    bool small = report_cost();
    if (write && device && !write_device_table(device_table, device))
        return 2;
    if (write && !device && mode == CASE_PLAIN && !write_table(table))
        return 2;
    printf("%u passed, %u failed\n", passed, broken + !small);
    return broken > 0 || !small;
}