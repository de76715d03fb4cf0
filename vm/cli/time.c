/* rlx time: the time evaluator on one function, as a table or as JSON. */
#include "vm/cli/works.h"

#include <string.h>

typedef struct arguments {
    cli_call call;
    rlx_time_options time;
    bool json;
} arguments;

static bool set_u32(const char *name, const char *text, uint32_t least, uint32_t most,
                    uint32_t *out)
{
    uint64_t value;
    if (!cli_parse_u64(name, text, least, most, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    const char *name = option ? option->name : "";
    if (strcmp(name, "--number") == 0)
        return cli_parse_u64(name, value, 1, UINT64_C(1) << 40, &a->time.number);
    if (strcmp(name, "--repeat") == 0)
        return set_u32(name, value, 1, 1000000, &a->time.repeat);
    if (strcmp(name, "--min-repeat-ms") == 0)
        return set_u32(name, value, 0, 3600000, &a->time.min_repeat_ms);
    if (strcmp(name, "--cooldown-ms") == 0)
        return set_u32(name, value, 0, 3600000, &a->time.cooldown_ms);
    if (strcmp(name, "--warmup") == 0)
        return set_u32(name, value, 0, 1000000, &a->time.warmup);
    if (strcmp(name, "--json") == 0)
        return a->json = true;
    return cli_call_set(&a->call, option, value);
}

static void write_json(const arguments *a, const cli_session *session, rlx_str name,
                       const rlx_time_result *r, const rlx_profile *devices)
{
    cli_json j = {.file = stdout};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "function", name);
    cli_symbols_json(&session->symbols, &j, "dims");
    cli_json_u64(&j, "threads", a->call.threads ? a->call.threads : 1);
    cli_json_u64(&j, "number", r->number);
    cli_json_u64(&j, "repeat", r->repeat);
    cli_json_double(&j, "min_ns", r->min_ns);
    cli_json_double(&j, "median_ns", r->median_ns);
    cli_json_double(&j, "mean_ns", r->mean_ns);
    cli_json_double(&j, "stddev_ns", r->stddev_ns);
    cli_json_double(&j, "p90_ns", r->p90_ns);
    cli_json_double(&j, "max_ns", r->max_ns);
    cli_works_json_sums(devices, 1, &j);
    cli_json_close(&j, '}');
    putchar('\n');
}

static void write_table(const arguments *a, const cli_session *session, rlx_str name,
                        const rlx_time_result *r, const rlx_profile *devices)
{
    static const char *const heads[] = {"min", "median", "mean", "stddev", "p90", "max"};
    const double ns[] = {r->min_ns, r->median_ns, r->mean_ns, r->stddev_ns, r->p90_ns, r->max_ns};
    printf("%.*s", (int)name.len, name.data);
    cli_symbols_print(&session->symbols, stdout);
    printf("  threads=%u  %u samples of %llu calls after %u to warm up\n",
           a->call.threads ? a->call.threads : 1, r->repeat, (unsigned long long)r->number,
           a->time.warmup);
    puts("time per call: kernels, VM and release of the result; the inputs are in place before");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        printf("%12s", heads[i]);
    putchar('\n');
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        char text[32];
        printf("%12s", cli_time_text(ns[i], text, sizeof text));
    }
    putchar('\n');
    cli_works_print_sums(devices, 1);
}

/* One more call, whose work on devices is timed by them; *out is NULL if there are no devices. */
static rlx_status profile_devices(const cli_session *session, rlx_profile **out, rlx_error *err)
{
    rlx_value result;
    if (rlx_executable_device_count(session->exe) < 2)
        return RLX_OK;
    RLX_TRY(rlx_profile_create(NULL, session->exe, 0, out, err));
    RLX_TRY(rlx_vm_set_profile(session->vm, *out, err));
    const rlx_status status = rlx_vm_invoke_index(session->vm, session->function, session->args,
                                                  session->n_args, &result, err);
    if (status == RLX_OK)
        rlx_value_release(result);
    RLX_TRY(rlx_vm_set_profile(session->vm, NULL, NULL));
    return status;
}

static int measure(arguments *a)
{
    cli_session session;
    a->call.random = a->call.random || a->call.n_inputs == 0;
    int status = cli_open(&a->call, &session);
    if (status == CLI_OK) {
        rlx_function_info info;
        rlx_time_result result;
        rlx_profile *devices = NULL;
        rlx_error err = {0};
        (void)rlx_executable_function(session.exe, session.function, &info);
        if (rlx_time_evaluator(session.vm, info.name, session.args, session.n_args, &a->time,
                               &result, &err) != RLX_OK ||
            profile_devices(&session, &devices, &err) != RLX_OK)
            status = cli_call_failed(&session, &err);
        else if (a->json)
            write_json(a, &session, info.name, &result, devices);
        else
            write_table(a, &session, info.name, &result, devices);
        rlx_profile_destroy(devices);
    }
    cli_close(&session);
    return status;
}

int cli_command_time(int argc, char **argv)
{
    static const cli_option options[] = {
        {"--number", "N", "calls per sample (default 1; more if the sample is too short)"},
        {"--repeat", "R", "samples (default 10)"},
        {"--min-repeat-ms", "M", "minimum length of a sample (default 0)"},
        {"--cooldown-ms", "C", "pause between samples (default 0)"},
        {"--warmup", "W", "calls before the first sample (default 1)"},
        {"--json", "", "print one JSON object, times in nanoseconds"},
    };
    const cli_command command = {
        "rlx time FILE.rlx [options]",
        "Measures calls of a function. Without --input, inputs are random; the "
        "function's own output is discarded.",
        options, sizeof options / sizeof *options, true};
    arguments a = {.time = {.warmup = 1}, .call = {.quiet = true}};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    if (status == CLI_OK && !help)
        status = measure(&a);
    return status;
}
