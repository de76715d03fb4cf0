/* rlx profile: where the time of a call goes, by kernel, builtin and instruction.
 *
 * The table joins rows with the same callee and names the first ONNX node; --json and --trace list
 * each place in the code. Shares are of the sum of all self times, so they add up to 100 %. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm/cli/file.h"
#include "vm/cli/works.h"

enum { MAX_EVENTS = 1 << 20, MAX_CALLS = 1000000, PLACE_SHOWN = 120 };

typedef struct arguments {
    cli_call call;
    uint64_t number, warmup;
    bool json;
} arguments;

/* All rows that call the same thing, or all instructions of one opcode. */
typedef struct group {
    const char *kind;
    rlx_str name;
    uint64_t count, total_ns, self_ns;
    uint32_t function, pc, n_rows; /* the first place in the code, and the number of places */
} group;

typedef struct report {
    const arguments *a;
    const cli_session *session;
    const rlx_profile *profile;
    rlx_str function;
    group *groups; /* by self time, descending */
    uint32_t n_groups;
    uint64_t sum_ns, wall_ns;
} report;

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    const char *name = option ? option->name : "";
    if (strcmp(name, "--number") == 0)
        return cli_parse_u64(name, value, 1, MAX_CALLS, &a->number);
    if (strcmp(name, "--warmup") == 0)
        return cli_parse_u64(name, value, 0, MAX_CALLS, &a->warmup);
    if (strcmp(name, "--json") == 0)
        return a->json = true;
    if (strcmp(name, "--trace") == 0) {
        a->call.trace = value;
        return true;
    }
    return cli_call_set(&a->call, option, value);
}

static const char *kind_of(rlx_opcode op)
{
    if (op == RLX_OP_CALL_KERNEL || op == RLX_OP_CALL_KERNEL_IN)
        return "kernel";
    if (op == RLX_OP_CALL_BUILTIN)
        return "builtin";
    if (op == RLX_OP_CALL_PACKED)
        return "packed";
    return op == RLX_OP_CALL_FUNC ? "function" : "instruction";
}

static int compare_names(const group *x, const group *y)
{
    int order = strcmp(x->kind, y->kind);
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    if (order == 0 && n > 0)
        order = memcmp(x->name.data, y->name.data, n);
    return order ? order : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static int by_name(const void *a, const void *b)
{
    return compare_names(a, b);
}

static int by_time(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->self_ns != y->self_ns)
        return x->self_ns < y->self_ns ? 1 : -1;
    return compare_names(x, y);
}

static int make_groups(report *r)
{
    const uint32_t n = rlx_profile_count(r->profile);
    uint32_t used = 0, joined = 0;
    rlx_profile_row row;
    r->groups = calloc(n ? n : 1, sizeof *r->groups);
    if (!r->groups) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < n && rlx_profile_get(r->profile, i, &row); i++) {
        if (row.count > 0)
            r->groups[used++] = (group){kind_of(row.op), row.name,     row.count, row.total_ns,
                                        row.self_ns,     row.function, row.pc,    1};
        r->sum_ns += row.self_ns;
    }
    qsort(r->groups, used, sizeof *r->groups, by_name);
    for (uint32_t i = 0; i < used; i++) {
        const group *g = &r->groups[i];
        group *last = joined ? &r->groups[joined - 1] : NULL;
        if (!last || compare_names(last, g) != 0) {
            r->groups[joined++] = *g;
            continue;
        }
        if (g->function < last->function || (g->function == last->function && g->pc < last->pc)) {
            last->function = g->function;
            last->pc = g->pc;
        }
        last->n_rows++;
        last->count += g->count;
        last->total_ns += g->total_ns;
        last->self_ns += g->self_ns;
    }
    r->n_groups = joined;
    qsort(r->groups, joined, sizeof *r->groups, by_time);
    return CLI_OK;
}

static double share(const report *r, const group *g)
{
    return r->sum_ns ? (double)g->self_ns / (double)r->sum_ns : 0;
}

/* "  node 'a' (Add) and 2 more" if the file names nodes. */
static void write_node(const report *r, const group *g)
{
    rlx_location where;
    char place[PLACE_SHOWN];
    if (strcmp(g->kind, "instruction") == 0 ||
        !rlx_function_location(r->session->exe, g->function, g->pc, &where, NULL) ||
        where.column != 0)
        return;
    printf("  %s", cli_place_text(r->session->exe, g->function, g->pc, place, sizeof place));
    if (g->n_rows > 1)
        printf(" and %u more", g->n_rows - 1);
}

static void write_table(const report *r)
{
    char total[32], self[32], mean[32];
    printf("%.*s", (int)r->function.len, r->function.data);
    cli_symbols_print(&r->session->symbols, stdout);
    printf("  threads=%u  %llu calls after %llu to warm up, %s each\n",
           r->a->call.threads ? r->a->call.threads : 1, (unsigned long long)r->a->number,
           (unsigned long long)r->a->warmup,
           cli_time_text((double)r->wall_ns / (double)r->a->number, total, sizeof total));
    puts("share and self: without callees; the clock's own cost is in every row");
    printf("%7s %12s %12s %12s %9s  %-11s %s\n", "share", "self", "total", "mean", "calls", "kind",
           "name");
    for (uint32_t i = 0; i < r->n_groups; i++) {
        const group *g = &r->groups[i];
        printf("%6.2f%% %12s %12s %12s %9llu  %-11s %.*s", 100 * share(r, g),
               cli_time_text((double)g->self_ns, self, sizeof self),
               cli_time_text((double)g->total_ns, total, sizeof total),
               cli_time_text((double)g->total_ns / (double)g->count, mean, sizeof mean),
               (unsigned long long)g->count, g->kind, (int)g->name.len, g->name.data);
        write_node(r, g);
        putchar('\n');
    }
    cli_works_print(r->profile, r->a->number);
}

static void write_place(cli_json *j, const report *r, const rlx_profile_row *row)
{
    char place[1024];
    rlx_function_info info;
    (void)rlx_executable_function(r->session->exe, row->function, &info);
    cli_json_text(j, "function", info.name);
    cli_json_u64(j, "pc", row->pc);
    if (*cli_place_text(r->session->exe, row->function, row->pc, place, sizeof place))
        cli_json_text(j, "location", rlx_str_from(place));
}

static void write_json(const report *r)
{
    cli_json j = {.file = stdout};
    rlx_profile_row row;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "function", r->function);
    cli_symbols_json(&r->session->symbols, &j, "dims");
    cli_json_u64(&j, "threads", r->a->call.threads ? r->a->call.threads : 1);
    cli_json_u64(&j, "number", r->a->number);
    cli_json_u64(&j, "wall_ns", r->wall_ns);
    cli_json_open(&j, "groups", '[');
    for (uint32_t i = 0; i < r->n_groups; i++) {
        const group *g = &r->groups[i];
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "kind", rlx_str_from(g->kind));
        cli_json_text(&j, "name", g->name);
        cli_json_u64(&j, "calls", g->count);
        cli_json_u64(&j, "total_ns", g->total_ns);
        cli_json_u64(&j, "self_ns", g->self_ns);
        cli_json_double(&j, "mean_ns", (double)g->total_ns / (double)g->count);
        cli_json_double(&j, "share", share(r, g));
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_open(&j, "instructions", '[');
    for (uint32_t i = 0; rlx_profile_get(r->profile, i, &row); i++) {
        if (row.count == 0)
            continue;
        cli_json_open(&j, NULL, '{');
        write_place(&j, r, &row);
        cli_json_text(&j, "kind", rlx_str_from(kind_of(row.op)));
        cli_json_text(&j, "name", row.name);
        cli_json_u64(&j, "calls", row.count);
        cli_json_u64(&j, "total_ns", row.total_ns);
        cli_json_u64(&j, "self_ns", row.self_ns);
        cli_json_u64(&j, "min_ns", row.min_ns);
        cli_json_u64(&j, "max_ns", row.max_ns);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_works_json(r->profile, &j);
    cli_json_close(&j, '}');
    putchar('\n');
}

/* Chrome's trace event format: complete events, times in microseconds. */
static int write_trace(const report *r)
{
    cli_file file;
    rlx_error err = {0};
    if (cli_create_file(r->a->call.trace, &file, &err) != RLX_OK)
        return cli_fail(&err);
    cli_json j = {.file = file.stream};
    rlx_profile_event event;
    rlx_profile_row row;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "displayTimeUnit", RLX_STR("ns"));
    cli_json_open(&j, "traceEvents", '[');
    for (uint32_t i = 0; rlx_profile_get_event(r->profile, i, &event); i++) {
        if (!rlx_profile_get(r->profile, event.row, &row))
            continue;
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "name", row.name);
        cli_json_text(&j, "cat", rlx_str_from(kind_of(row.op)));
        cli_json_text(&j, "ph", RLX_STR("X"));
        cli_json_double(&j, "ts", (double)event.start_ns / 1000);
        cli_json_double(&j, "dur", (double)event.dur_ns / 1000);
        cli_json_u64(&j, "pid", 1);
        cli_json_u64(&j, "tid", 1);
        cli_json_open(&j, "args", '{');
        write_place(&j, r, &row);
        cli_json_close(&j, '}');
        cli_json_close(&j, '}');
        fputc('\n', file.stream);
    }
    cli_works_trace(r->profile, &j);
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
    fputc('\n', file.stream);
    if (cli_close_file(&file, true, &err) != RLX_OK)
        return cli_fail(&err);
    if (rlx_profile_dropped_events(r->profile) > 0)
        cli_complain("%s: %llu later events did not fit and are omitted", r->a->call.trace,
                     (unsigned long long)rlx_profile_dropped_events(r->profile));
    return CLI_OK;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static rlx_status call_times(const cli_session *s, uint64_t n, rlx_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        rlx_value result;
        RLX_TRY(rlx_vm_invoke_index(s->vm, s->function, s->args, s->n_args, &result, err));
        rlx_value_release(result);
    }
    return RLX_OK;
}

static rlx_status collect(report *r, rlx_profile *profile, rlx_error *err)
{
    RLX_TRY(call_times(r->session, r->a->warmup, err));
    RLX_TRY(rlx_vm_set_profile(r->session->vm, profile, err));
    rlx_profile_reset(profile);
    uint64_t start = now();
    rlx_status status = call_times(r->session, r->a->number, err);
    if (status == RLX_OK)
        status = rlx_vm_sync(r->session->vm, err);
    r->wall_ns = now() - start;
    RLX_TRY(rlx_vm_set_profile(r->session->vm, NULL, err));
    return status;
}

static int profile_session(const arguments *a, cli_session *session)
{
    report r = {.a = a, .session = session};
    rlx_profile *profile = NULL;
    rlx_error err = {0};
    rlx_function_info info;
    (void)rlx_executable_function(session->exe, session->function, &info);
    r.function = info.name;
    if (rlx_profile_create(NULL, session->exe, a->call.trace ? MAX_EVENTS : 0, &profile, &err) !=
        RLX_OK)
        return cli_fail(&err);
    r.profile = profile;
    int status = CLI_OK;
    if (collect(&r, profile, &err) != RLX_OK)
        status = cli_call_failed(session, &err);
    cli_calls_done(session);
    if (status == CLI_OK)
        status = make_groups(&r);
    if (status == CLI_OK && a->call.trace)
        status = write_trace(&r);
    if (status == CLI_OK && a->json)
        write_json(&r);
    else if (status == CLI_OK)
        write_table(&r);
    free(r.groups);
    rlx_profile_destroy(profile);
    return status;
}

int cli_command_profile(int argc, char **argv)
{
    static const cli_option options[] = {
        {"--trace", "F.json", "write a trace for chrome://tracing or Perfetto"},
        {"--json", "", "print one JSON object, times in nanoseconds"},
        {"--number", "N", "calls to profile (default 1)"},
        {"--warmup", "W", "calls before profiling (default 1)"},
    };
    const cli_command command = {"rlx profile FILE.rlx [options]",
                                 "Shows where a call spends its time. Without --input, inputs are "
                                 "random; the function's own output is discarded.",
                                 options, sizeof options / sizeof *options, true};
    arguments a = {.number = 1, .warmup = 1, .call = {.quiet = true}};
    cli_session session = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    if (status == CLI_OK && !help) {
        a.call.random = a.call.random || a.call.n_inputs == 0;
        status = cli_open(&a.call, &session);
        if (status == CLI_OK)
            status = profile_session(&a, &session);
        cli_close(&session);
    }
    return status;
}
