/* Runs ONNX's backend test data: each model is imported, compiled to a file, loaded into a fresh VM
 * and run on its data sets; every output is compared (floats: rtol 1e-3, atol 1e-5; else exactly).
 *
 * Each case runs in a process of its own with a time limit, so that a crash or a hang is a result
 * like any other. The results are a table in Markdown; a case that passes in the committed table
 * must pass again, otherwise the exit status is 1.
 *
 *   run_backend [--data DIR] [--table FILE] [--write] [--jobs N] [--verbose] [part of a name]... */
#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/files.h"
#include "rlx/rlx.h"
#include "vm/cli/tensorproto.h"

#define DATA "/usr/share/libonnx-testdata/data"

enum { MAX_CASES = 4096, MAX_JOBS = 16, MAX_IO = 64, REASON = 400, TIME_LIMIT = 30 };

typedef struct test_case {
    char name[200]; /* suite/case */
    char reason[REASON];
    bool passed, before;
} test_case;

typedef struct job {
    pid_t pid;
    int pipe;
    uint32_t index;
} job;

/* --- one case, in the child ------------------------------------------------------------------- */

static char folder[600], reason[REASON];

static bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return false;
}

static bool compile(const char *model, const char *out)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlx_exec_builder *builder = NULL;
    rlxc_options options;
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    char *bytes;
    size_t length;
    bool ok = ctx && rlxc_options_init(ctx, &options, NULL, NULL, 2) &&
              rlxc_read_file(ctx, model, (size_t)1 << 32, &bytes, &length) &&
              rlx_exec_builder_create(NULL, &builder, &err) == RLX_OK;
    rlxc_module *module = ok ? rlxc_read_onnx(ctx, model, bytes, length) : NULL;
    ok = module && rlxc_compile_module(ctx, module, &options, NULL, builder);
    if (!ok) {
        const char *text = rlxc_render_diagnostics(ctx), *start = strstr(text, "error: ");
        start = start ? start + 7 : text;
        return fail("%s%.*s", module ? "compile: " : "", (int)strcspn(start, "\n"), start);
    }
    if (rlx_exec_builder_load(builder, NULL, &exe, &err) != RLX_OK ||
        rlx_executable_save(exe, out, &err) != RLX_OK)
        return fail("executable: %s", err.message);
    return true;
}

static double value_at(rlx_dtype t, const unsigned char *at)
{
    if (t.code == RLX_FLOAT && t.bits == 64) {
        double d;
        memcpy(&d, at, 8);
        return d;
    }
    if (t.code == RLX_FLOAT && t.bits == 16) {
        uint16_t h;
        memcpy(&h, at, 2);
        int exponent = h >> 10 & 31, mantissa = h & 1023;
        double m = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa + 1024, exponent - 25);
        return h & 0x8000 ? -m : m;
    }
    uint32_t bits = 0;
    memcpy(&bits, at, t.bits / 8u);
    if (t.code == RLX_BFLOAT)
        bits <<= 16;
    float f;
    memcpy(&f, &bits, 4);
    return (double)f;
}

static void shape_text(const rlx_tensor *t, char *out, size_t size)
{
    size_t used = 0;
    char name[24];
    used += (size_t)snprintf(out, size, "%s (", rlx_dtype_name(rlx_tensor_dtype(t), name));
    for (uint32_t i = 0; i < rlx_tensor_ndim(t) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)rlx_tensor_dims(t)[i]);
    if (used < size)
        snprintf(out + used, size - used, ")");
}

static bool equal(uint32_t index, rlx_value got, const rlx_tensor *want)
{
    if (got.kind != RLX_KIND_TENSOR)
        return fail("output %u is no tensor", index);
    const rlx_tensor *g = got.as.tensor;
    rlx_dtype t = rlx_tensor_dtype(want);
    if (rlx_dtype_eq(rlx_tensor_dtype(g), RLX_BF16) && rlx_dtype_eq(t, RLX_U16))
        t = RLX_BF16; /* NumPy has no bfloat16: its bits are stored */
    bool same = rlx_dtype_eq(rlx_tensor_dtype(g), t) && rlx_tensor_ndim(g) == rlx_tensor_ndim(want);
    for (uint32_t i = 0; same && i < rlx_tensor_ndim(g); i++)
        same = rlx_tensor_dims(g)[i] == rlx_tensor_dims(want)[i];
    if (!same) {
        char a[120], b[120];
        shape_text(g, a, sizeof a);
        shape_text(want, b, sizeof b);
        return fail("output %u is %s, expected %s", index, a, b);
    }
    const unsigned char *p = rlx_tensor_data(g), *q = rlx_tensor_data(want);
    size_t width = rlx_dtype_size(t);
    for (int64_t i = 0; i < rlx_tensor_numel(want); i++, p += width, q += width) {
        if (memcmp(p, q, width) == 0)
            continue;
        if (t.code != RLX_FLOAT && t.code != RLX_BFLOAT)
            return fail("output %u differs at element %lld", index, (long long)i);
        double a = value_at(t, p), b = value_at(t, q);
        if ((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-5 + 1e-3 * fabs(b))
            continue;
        return fail("output %u differs at element %lld: %.6g, expected %.6g", index, (long long)i,
                    a, b);
    }
    return true;
}

/* The tensors of a SequenceProto or OptionalProto: field 3 of either. */
static bool read_list(const char *path, rlx_value *out)
{
    static unsigned char data[1 << 20];
    rlx_value items[MAX_IO];
    uint32_t n = 0;
    rlx_error err = {0};
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, sizeof data, file) : 0, at = 0;
    if (file)
        fclose(file);
    while (at < size && n < MAX_IO) {
        unsigned char tag = data[at++];
        uint64_t value = 0;
        for (unsigned shift = 0; at < size && shift < 64; shift += 7) {
            value |= (uint64_t)(data[at] & 127u) << shift;
            if (!(data[at++] & 128u))
                break;
        }
        if ((tag & 7u) == 0)
            continue;
        rlx_tensor *t;
        if ((tag & 7u) != 2 || value > size - at)
            return false;
        if (tag >> 3 == 3) {
            if (tensorproto_decode(path, data + at, (size_t)value, &t, &err) != RLX_OK)
                return false;
            items[n++] = rlx_of_tensor(t);
        }
        at += (size_t)value;
    }
    rlx_tuple *tuple;
    if (n == 0 || rlx_tuple_create(NULL, n, items, &tuple, &err) != RLX_OK)
        return false;
    *out = rlx_of_tuple(tuple);
    return true;
}

/* input_0.pb, input_1.pb, ... */
static bool read_all(const char *set, const char *stem, rlx_value *out, uint32_t *n)
{
    for (*n = 0; *n < MAX_IO; ++*n) {
        char path[900];
        rlx_error err = {0};
        rlx_tensor *t;
        snprintf(path, sizeof path, "%s/%s_%u.pb", set, stem, *n);
        if (access(path, R_OK) != 0)
            return true;
        if (read_list(path, &out[*n]))
            continue;
        if (tensorproto_read(path, &t, &err) != RLX_OK)
            return fail("%s_%u.pb: no tensor (%s)", stem, *n,
                        strrchr(err.message, ':') ? strrchr(err.message, ':') + 2 : "");
        out[*n] = rlx_of_tensor(t);
    }
    return true;
}

/* Gives the bits in a uint16 tensor to a bfloat16 parameter. */
static bool as_bfloat(rlx_executable *exe, uint32_t param, rlx_value *io)
{
    rlx_type_info type;
    rlx_error err = {0};
    uint32_t f = rlx_executable_find_function(exe, RLX_STR("main"));
    if (io->kind == RLX_KIND_TUPLE && rlx_tuple_count(io->as.tuple) == 1) /* an optional tensor */
        *io = rlx_tuple_get(io->as.tuple, 0);
    if (io->kind != RLX_KIND_TENSOR)
        return true;
    rlx_tensor *bits, *t = io->as.tensor;
    rlx_function_info info;
    if (f == RLX_NONE || !rlx_executable_function(exe, f, &info) || param >= info.n_params ||
        !rlx_executable_type(exe, rlx_function_param_type(exe, f, param), &type) ||
        !rlx_dtype_eq(type.dtype, RLX_BF16) || !rlx_dtype_eq(rlx_tensor_dtype(t), RLX_U16))
        return true;
    if (rlx_tensor_create(NULL, RLX_BF16, rlx_tensor_ndim(t), rlx_tensor_dims(t), &bits, &err) !=
        RLX_OK)
        return fail("%s", err.message);
    memcpy(rlx_tensor_mutable_data(bits), rlx_tensor_data(t), rlx_tensor_nbytes(t));
    *io = rlx_of_tensor(bits); /* what it was lives as long as this process */
    return true;
}

static bool run_set(rlx_vm *vm, const char *set)
{
    rlx_value in[MAX_IO], want[MAX_IO], got = rlx_none();
    uint32_t n_in, n_out;
    rlx_error err = {0};
    if (!read_all(set, "input", in, &n_in) || !read_all(set, "output", want, &n_out))
        return false;
    for (uint32_t i = 0; i < n_in; i++)
        if (!as_bfloat(rlx_vm_executable(vm), i, &in[i]))
            return false;
    if (rlx_vm_invoke(vm, RLX_STR("main"), in, n_in, &got, &err) != RLX_OK)
        return fail("run: %s", err.message);
    bool single = got.kind != RLX_KIND_TUPLE || (n_out == 1 && want[0].kind == RLX_KIND_TUPLE);
    if (!single && rlx_tuple_count(got.as.tuple) != n_out)
        return fail("%u outputs, expected %u", rlx_tuple_count(got.as.tuple), n_out);
    for (uint32_t i = 0; i < n_out; i++) {
        rlx_value have = single ? got : rlx_tuple_get(got.as.tuple, i);
        uint32_t n = want[i].kind == RLX_KIND_TUPLE ? rlx_tuple_count(want[i].as.tuple) : 1;
        bool list = want[i].kind == RLX_KIND_TUPLE && have.kind == RLX_KIND_TUPLE;
        if (list && rlx_tuple_count(have.as.tuple) != n)
            return fail("output %u has %u items, expected %u", i, rlx_tuple_count(have.as.tuple),
                        n);
        for (uint32_t k = 0; k < n; k++) {
            rlx_value w =
                want[i].kind == RLX_KIND_TUPLE ? rlx_tuple_get(want[i].as.tuple, k) : want[i];
            if (!equal(i, list ? rlx_tuple_get(have.as.tuple, k) : have, w.as.tensor))
                return false;
        }
    }
    rlx_value_release(got);
    return true;
}

static bool run_case(const char *data, const char *name)
{
    char model[800], out[64], set[900];
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = true};
    snprintf(folder, sizeof folder, "%s/%s", data, name);
    snprintf(model, sizeof model, "%s/model.onnx", folder);
    snprintf(out, sizeof out, "/tmp/rlx-backend-%d.rlx", (int)getpid());
    bool ok = compile(model, out);
    if (ok && rlx_executable_load_file(out, &load, &exe, &err) != RLX_OK)
        ok = fail("load: %s", err.message);
    unlink(out);
    if (ok && rlx_vm_create(exe, NULL, &vm, &err) != RLX_OK)
        ok = fail("vm: %s", err.message);
    for (uint32_t i = 0; ok; i++) {
        snprintf(set, sizeof set, "%s/test_data_set_%u", folder, i);
        if (access(set, R_OK) != 0)
            break;
        ok = run_set(vm, set);
    }
    return ok;
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

static void find_cases(const char *data, char *const *filters, uint32_t n)
{
    static const char *const suites[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", data, suites[s]);
        DIR *dir = opendir(path);
        struct dirent *entry;
        while (dir && (entry = readdir(dir)) && n_cases < MAX_CASES) {
            test_case *c = &cases[n_cases];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(c->name, sizeof c->name, "%s/%.180s", suites[s], entry->d_name);
            n_cases += wanted(c->name, filters, n);
        }
        if (dir)
            closedir(dir);
    }
    qsort(cases, n_cases, sizeof *cases, by_name);
}

static void read_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1200];
    while (file && fgets(line, sizeof line, file)) {
        char name[200];
        if (sscanf(line, "| %199[^ |] | pass |", name) != 1 || !strstr(line, "| pass |"))
            continue;
        test_case key = {0};
        memcpy(key.name, name, sizeof name);
        test_case *c = bsearch(&key, cases, n_cases, sizeof *cases, by_name);
        if (c)
            c->before = true;
    }
    if (file)
        fclose(file);
}

static bool write_table(const char *path)
{
    FILE *file = fopen(path, "w");
    uint32_t passed = 0;
    if (!file)
        return false;
    for (uint32_t i = 0; i < n_cases; i++)
        passed += cases[i].passed;
    fprintf(file,
            "# ONNX backend tests\n\nWritten by `make onnx-backend-table` "
            "(tests/onnx/run_backend.c) from the test data of "
            "Debian's\nlibonnx-testdata. %u of %u cases pass; a case that passes here must go on "
            "passing.\n\n| case | result |\n| --- | --- |\n",
            passed, n_cases);
    for (uint32_t i = 0; i < n_cases; i++) {
        for (char *c = cases[i].reason; *c; c++)
            if (*c == '|' || *c == '\n')
                *c = '/';
        fprintf(file, "| %s | %s |\n", cases[i].name, cases[i].passed ? "pass" : cases[i].reason);
    }
    return fclose(file) == 0;
}

/* --- processes -------------------------------------------------------------------------------- */

static void start(job *j, uint32_t index, const char *data)
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
        alarm(TIME_LIMIT);
        bool ok = run_case(data, cases[index].name);
        char result[REASON + 1] = {ok ? 'P' : 'F'};
        memcpy(result + 1, reason, REASON);
        ssize_t n = write(ends[1], result, sizeof result);
        _exit(n == (ssize_t)sizeof result ? 0 : 3);
    }
    close(ends[1]);
}

static void finish(job *j)
{
    char result[REASON + 1] = {0};
    int status = 0;
    test_case *c = &cases[j->index];
    ssize_t n = read(j->pipe, result, sizeof result);
    close(j->pipe);
    waitpid(j->pid, &status, 0);
    j->pid = 0;
    c->passed = n == (ssize_t)sizeof result && result[0] == 'P';
    if (n == (ssize_t)sizeof result)
        snprintf(c->reason, REASON, "%.*s", REASON - 1, result + 1);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(c->reason, REASON, "HANG: more than %d s", TIME_LIMIT);
    else
        snprintf(c->reason, REASON, "CRASH: signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void run_all(const char *data, uint32_t jobs)
{
    job running[MAX_JOBS] = {0};
    uint32_t next = 0, active = 0;
    while (next < n_cases || active > 0) {
        for (uint32_t i = 0; i < jobs && next < n_cases; i++)
            if (running[i].pid == 0) {
                start(&running[i], next++, data);
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

int main(int argc, char **argv)
{
    const char *data = DATA, *table = "docs/onnx.md";
    char *filters[64];
    uint32_t n_filters = 0, jobs = 2, passed = 0, broken = 0;
    bool write = false, verbose = false;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--data") == 0 && more)
            data = argv[++i];
        else if (strcmp(argv[i], "--table") == 0 && more)
            table = argv[++i];
        else if (strcmp(argv[i], "--jobs") == 0 && more)
            jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--write") == 0)
            write = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (n_filters < 64)
            filters[n_filters++] = argv[i];
    }
    jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    find_cases(data, filters, n_filters);
    read_table(table);
    run_all(data, jobs);
    for (uint32_t i = 0; i < n_cases; i++) {
        passed += cases[i].passed;
        bool worse = cases[i].before && !cases[i].passed;
        broken += worse;
        if (worse || (verbose && !cases[i].passed))
            printf("%s%s: %s\n", worse ? "NO LONGER PASSES " : "", cases[i].name, cases[i].reason);
    }
    printf("%u of %u cases pass, %u that passed before do not\n", passed, n_cases, broken);
    if (write && !write_table(table))
        return 2;
    return broken > 0;
}
