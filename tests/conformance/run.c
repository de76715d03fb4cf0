/* The conformance runner: compiles each case's module in-process, runs its calls on one fresh VM
 * and compares the results.
 *
 *     conformance_tests [-O0..-O3] [--check-bounds] [--jobs N] [--timeout SECONDS]
 *                       [--filter TEXT] [--known FILE] [FOLDER]
 *
 * FOLDER (default: build/data/conformance, where `make data` unpacks the cases) has a subfolder per
 * case: module.py, case.json, *.npy. --filter selects the cases whose name contains TEXT.
 * RLX_CHECK=1 checks the module after each pass.
 *
 * Each case runs in its own process, so a crash or a hang is one failure. Memory is poisoned and
 * counted, and results are kept until the last call is done, so leaks and writes into earlier
 * results are failures too. Prints a line per failure and "N passed, N failed". A failure listed in
 * FILE is not counted, but a listed case that crashes or passes is an error. Exits 0; 1 after
 * failures; 2 on wrong usage. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/files.h"
#include "tests/conformance/values.h"
#include "tests/support/limit.h"

enum {
    MAX_CALLS = 64,
    MAX_ARGS = 64,
    MAX_JOBS = 16,
    MAX_FOLDER = 512,
    MAX_PATH = 1024,
    TEXT_LIMIT = 1 << 24
};

typedef struct settings {
    const char *folder, *filter, *known;
    int opt_level;
    bool check_bounds;
    unsigned jobs, timeout;
} settings;

/* --- memory ---------------------------------------------------------------------------------- */

/* Counts live blocks; poisons fresh and freed bytes. */
static void *count_alloc(void *ctx, size_t size, size_t align)
{
    _Atomic size_t *live = ctx;
    const size_t rounded = (size + align - 1) / align * align;
    void *p = aligned_alloc(align, rounded);
    if (p != NULL) {
        memset(p, 0xCD, rounded);
        ++*live;
    }
    return p;
}

static void count_free(void *ctx, void *p, size_t size, size_t align)
{
    _Atomic size_t *live = ctx;
    (void)align;
    memset(p, 0xDD, size);
    --*live;
    free(p);
}

/* --- one case -------------------------------------------------------------------------------- */

typedef struct test_case {
    const char *folder;
    const settings *settings;
    rlx_allocator allocator;
    json_t *json;
    rlx_executable *exe;
    rlx_vm *vm;
    uint32_t function;
    rlx_value results[MAX_CALLS];
    complaint *complaint;
} test_case;

/* Reports the first diagnostic on one line. */
static bool complain_diagnostics(test_case *t, rlxc_context *ctx)
{
    complain(t->complaint, "does not compile: %s",
             rlxc_out_of_memory(ctx) ? "out of memory" : rlxc_render_diagnostics(ctx));
    for (char *at = t->complaint->text; *at != '\0'; at++)
        *at = *at == '\n' ? '|' : *at;
    return false;
}

static bool compile_case(test_case *t)
{
    char path[MAX_PATH];
    char *text = NULL;
    size_t length;
    rlxc_options options;
    rlx_exec_builder *builder = NULL;
    rlx_error err = {0};
    const char *check = getenv("RLX_CHECK");
    const rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    snprintf(path, sizeof path, "%s/module.py", t->folder);

    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    if (ctx == NULL || rlx_exec_builder_create(&t->allocator, &builder, &err) != RLX_OK)
        complain(t->complaint, "out of memory");
    else if (!rlxc_options_init(ctx, &options, NULL, NULL, t->settings->opt_level) ||
             !rlxc_read_file(ctx, path, TEXT_LIMIT, &text, &length))
        complain_diagnostics(t, ctx);
    else {
        options.check = check != NULL && strcmp(check, "1") == 0;
        if (t->settings->check_bounds)
            options.requests[options.n_requests++] = "check_bounds";
        if (!rlxc_compile_text(ctx, path, text, length, &options, builder))
            complain_diagnostics(t, ctx);
        else if (rlx_exec_builder_load(builder, &load, &t->exe, &err) != RLX_OK)
            complain(t->complaint, "the executable is refused: %s", err.message);
    }
    rlx_exec_builder_destroy(builder);
    if (ctx != NULL)
        rlxc_context_destroy(ctx);
    free(text);
    return t->exe != NULL;
}

/* Finds the function; its parameters must match the case's arguments in order. */
static bool find_function(test_case *t)
{
    const char *name = json_string_value(json_object_get(t->json, "function"));
    const json_t *params = json_object_get(t->json, "params");
    rlx_function_info info;
    if (name == NULL || !json_is_array(params))
        return complain(t->complaint, "case.json: function and params are missing");
    t->function = rlx_executable_find_function(t->exe, rlx_str_from(name));
    if (!rlx_executable_function(t->exe, t->function, &info) || !info.exported)
        return complain(t->complaint, "no exported function %s", name);
    if (info.n_params != json_array_size(params) || info.n_params > MAX_ARGS)
        return complain(t->complaint, "%s has %u parameters, the case %zu", name, info.n_params,
                        json_array_size(params));
    for (uint32_t i = 0; i < info.n_params; i++) {
        const char *want = json_string_value(json_array_get(params, i));
        const rlx_str got = rlx_function_param_name(t->exe, t->function, i);
        if (want == NULL || !rlx_str_eq(got, rlx_str_from(want)))
            return complain(t->complaint, "parameter %u is %.*s, expected %s", i, (int)got.len,
                            got.data, want != NULL ? want : "a name");
    }
    return true;
}

static bool run_call(test_case *t, const json_t *call, size_t number)
{
    rlx_value args[MAX_ARGS];
    const json_t *inputs = json_object_get(call, "inputs");
    const size_t n = json_array_size(inputs);
    const bool fails = json_is_true(json_object_get(call, "fails"));
    uint32_t made = 0;
    if (n > MAX_ARGS)
        return complain(t->complaint, "case.json: more than %d inputs", MAX_ARGS);
    while (made < n &&
           read_value(t->folder, json_array_get(inputs, made), &args[made], t->complaint))
        made++;
    rlx_error err = {0};
    bool ok = made == n;
    if (ok) {
        const rlx_status status =
            rlx_vm_invoke_index(t->vm, t->function, args, made, &t->results[number], &err);
        if (fails && status == RLX_OK)
            ok = complain(t->complaint, "call %zu: succeeded, must fail", number);
        else if (fails && (status == RLX_E_INTERNAL || err.message[0] == '\0'))
            ok =
                complain(t->complaint, "call %zu: fails, but not cleanly: %s", number, err.message);
        else if (!fails && status != RLX_OK)
            ok = complain(t->complaint, "call %zu: %s", number, err.message);
    }
    for (uint32_t i = 0; i < made; i++)
        rlx_value_release(args[i]);
    return ok;
}

static bool run_calls(test_case *t)
{
    const json_t *calls = json_object_get(t->json, "calls"), *call;
    const json_t *rtol = json_object_get(t->json, "rtol"), *atol = json_object_get(t->json, "atol");
    const tolerance tol = {json_number_value(rtol), json_number_value(atol)};
    size_t i;
    if (!json_is_number(rtol) || !json_is_number(atol) || json_array_size(calls) == 0 ||
        json_array_size(calls) > MAX_CALLS)
        return complain(t->complaint, "case.json: rtol, atol and 1 to %d calls are needed",
                        MAX_CALLS);
    json_array_foreach(calls, i, call)
    {
        if (!run_call(t, call, i))
            return false;
    }
    json_array_foreach(calls, i, call)
    {
        char name[64];
        const json_t *outputs = json_object_get(call, "outputs");
        if (json_is_true(json_object_get(call, "fails")))
            continue;
        snprintf(name, sizeof name, "call %zu: result", i);
        if (json_array_size(outputs) != 1)
            return complain(t->complaint, "case.json: call %zu needs one output", i);
        if (!compare_value(t->folder, json_array_get(outputs, 0), t->results[i], tol, name,
                           t->complaint))
            return false;
    }
    return true;
}

static bool run_case(const settings *s, const char *folder, complaint *c)
{
    _Atomic size_t live = 0;
    test_case t = {.folder = folder,
                   .settings = s,
                   .allocator = {(void *)&live, count_alloc, count_free},
                   .complaint = c};
    const rlx_vm_options vm_options = {.allocator = &t.allocator, .debug_poison = true};
    char path[MAX_PATH];
    json_error_t json_err;
    rlx_error err = {0};
    snprintf(path, sizeof path, "%s/case.json", folder);
    t.json = json_load_file(path, JSON_REJECT_DUPLICATES, &json_err);
    bool ok = t.json != NULL || complain(c, "case.json:%d: %s", json_err.line, json_err.text);
    ok = ok && compile_case(&t);
    if (ok && rlx_vm_create(t.exe, &vm_options, &t.vm, &err) != RLX_OK)
        ok = complain(c, "%s", err.message);
    ok = ok && find_function(&t) && run_calls(&t);
    for (size_t i = 0; i < MAX_CALLS; i++)
        rlx_value_release(t.results[i]);
    rlx_vm_destroy(t.vm);
    rlx_executable_release(t.exe);
    json_decref(t.json);
    if (ok && live > 0)
        ok = complain(c, "%zu blocks of memory were leaked", (size_t)live);
    return ok;
}

/* --- processes ------------------------------------------------------------------------------- */

typedef enum verdict { NOT_RUN, PASSED, FAILED, CRASHED } verdict;

typedef struct entry {
    char *name;
    verdict verdict;
    bool known;
} entry;

typedef struct job {
    pid_t pid; /* 0: a free slot */
    int pipe;  /* carries the failure message */
    entry *entry;
} job;

static bool start(const settings *s, entry *e, job *j)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return false;
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (pid == 0) {
        char folder[MAX_FOLDER];
        complaint c = {{0}};
        const struct rlimit no_core = {0, 0};
        close(ends[0]);
        setrlimit(RLIMIT_CORE, &no_core);
        rlx_test_limit_time(s->timeout);
        snprintf(folder, sizeof folder, "%s/%s", s->folder, e->name);
        bool ok = run_case(s, folder, &c);
        ok = write(ends[1], c.text, sizeof c.text) == sizeof c.text && ok;
        _exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    *j = (job){pid, ends[0], e};
    return true;
}

/* Waits for one of the jobs and prints its failure, if any. */
static bool finish_one(const settings *s, job *jobs)
{
    int status;
    const pid_t pid = wait(&status);
    for (unsigned i = 0; i < s->jobs && pid > 0; i++) {
        job *j = &jobs[i];
        complaint c = {{0}};
        if (j->pid != pid)
            continue;
        const bool told = read(j->pipe, c.text, sizeof c.text) == sizeof c.text;
        c.text[sizeof c.text - 1] = '\0';
        close(j->pipe);
        j->pid = 0;
        entry *e = j->entry;
        if (rlx_test_was_late(status))
            snprintf(c.text, sizeof c.text, "no answer in %u s", s->timeout);
        else if (WIFSIGNALED(status))
            snprintf(c.text, sizeof c.text, "crashed: %s", strsignal(WTERMSIG(status)));
        else if (!told)
            snprintf(c.text, sizeof c.text, "crashed: exit status %d", WEXITSTATUS(status));
        e->verdict = !told ? CRASHED : WEXITSTATUS(status) == EXIT_SUCCESS ? PASSED : FAILED;
        if (e->verdict == CRASHED || (e->verdict == FAILED && !e->known))
            printf("FAIL %s: %s\n", e->name, c.text);
        return true;
    }
    return false;
}

static bool run_all(const settings *s, entry *entries, size_t n)
{
    job jobs[MAX_JOBS] = {0};
    unsigned running = 0;
    for (size_t next = 0; next < n || running > 0;) {
        if (next < n && running < s->jobs) {
            unsigned slot = 0;
            while (jobs[slot].pid != 0)
                slot++;
            if (!start(s, &entries[next++], &jobs[slot])) {
                perror("conformance_tests");
                return false;
            }
            running++;
        } else if (finish_one(s, jobs)) {
            running--;
        } else {
            perror("conformance_tests");
            return false;
        }
    }
    return true;
}

/* --- lists ----------------------------------------------------------------------------------- */

static int is_case(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static bool read_cases(const settings *s, entry **out, size_t *out_n)
{
    struct dirent **found;
    const int n = scandir(s->folder, &found, is_case, alphasort);
    if (n < 0) {
        perror(s->folder);
        return false;
    }
    entry *entries = calloc((size_t)n + 1, sizeof *entries);
    size_t kept = 0;
    for (int i = 0; i < n; i++) {
        char path[MAX_PATH];
        snprintf(path, sizeof path, "%s/%s/case.json", s->folder, found[i]->d_name);
        if (entries != NULL && access(path, F_OK) == 0 &&
            (s->filter == NULL || strstr(found[i]->d_name, s->filter) != NULL))
            entries[kept++].name = strdup(found[i]->d_name);
        free(found[i]);
    }
    free(found);
    *out = entries;
    *out_n = kept;
    if (kept == 0)
        fprintf(stderr, "conformance_tests: no cases in %s\n", s->folder);
    return kept > 0;
}

/* Marks the listed cases; a name without a case is an error in the list. */
static bool read_known(const settings *s, entry *entries, size_t n)
{
    char line[512];
    bool ok = true;
    FILE *f = s->known != NULL ? fopen(s->known, "r") : NULL;
    if (f == NULL)
        return s->known == NULL || (perror(s->known), false);
    while (fgets(line, sizeof line, f) != NULL) {
        char *save, *name = strtok_r(line, " \t\n", &save);
        size_t i = 0;
        if (name == NULL || name[0] == '#')
            continue;
        while (i < n && strcmp(entries[i].name, name) != 0)
            i++;
        if (i < n)
            entries[i].known = true;
        else if (s->filter == NULL)
            ok = fprintf(stderr, "%s: %s is no case\n", s->known, name) < 0;
    }
    fclose(f);
    return ok;
}

static int report(const entry *entries, size_t n)
{
    size_t passed = 0, failed = 0, known = 0;
    for (size_t i = 0; i < n; i++) {
        const entry *e = &entries[i];
        passed += e->verdict == PASSED;
        known += e->verdict == FAILED && e->known;
        failed += e->verdict == CRASHED || (e->verdict == FAILED && !e->known);
        if (e->verdict == PASSED && e->known) {
            failed++;
            printf("passes but is listed as a known failure: %s\n", e->name);
        }
    }
    printf("conformance: %zu of %zu cases pass, %zu known failures\n", passed, n, known);
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool parse_number(const char *text, unsigned max, unsigned *out)
{
    char *end;
    const unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
    if (value == 0 || value > max || *end != '\0')
        return false;
    *out = (unsigned)value;
    return true;
}

static bool parse_options(int argc, char **argv, settings *s)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = argv[i + 1]; /* argv ends with NULL */
        bool ok = true;
        if (strncmp(word, "-O", 2) == 0 && word[2] >= '0' && word[2] <= '3' && word[3] == '\0') {
            s->opt_level = word[2] - '0';
            continue;
        }
        if (word[0] != '-') {
            s->folder = word;
            continue;
        }
        if (strcmp(word, "--check-bounds") == 0) {
            s->check_bounds = true;
            continue;
        }
        if (strcmp(word, "--jobs") == 0)
            ok = parse_number(value, MAX_JOBS, &s->jobs);
        else if (strcmp(word, "--timeout") == 0)
            ok = parse_number(value, 3600, &s->timeout);
        else if (strcmp(word, "--filter") == 0)
            ok = (s->filter = value) != NULL;
        else if (strcmp(word, "--known") == 0)
            ok = (s->known = value) != NULL;
        else
            ok = false;
        if (!ok) {
            fprintf(stderr, "conformance_tests: cannot use '%s'\n", word);
            return false;
        }
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    settings s = {.folder = "build/data/conformance", .opt_level = 2, .jobs = 2, .timeout = 60};
    entry *entries = NULL;
    size_t n = 0;
    if (!parse_options(argc, argv, &s))
        return 2;
    int status = EXIT_FAILURE;
    if (read_cases(&s, &entries, &n) && read_known(&s, entries, n) && run_all(&s, entries, n))
        status = report(entries, n);
    for (size_t i = 0; i < n; i++)
        free(entries[i].name);
    free(entries);
    return status;
}
