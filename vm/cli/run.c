/* rlx run: calls a function once, writes or prints its result. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static bool set(void *user, const cli_option *option, const char *value)
{
    cli_call *call = user;
    if (option && strcmp(option->name, "-o") == 0)
        return cli_add_named(call->outputs, &call->n_outputs, "-o", value);
    return cli_call_set(call, option, value);
}

/* The possible names for -o: the results, by name or by position, and the whole as "result". */
typedef struct results {
    rlx_value whole;
    bool is_list; /* true if by its type |whole| is the tuple of the results */
    uint32_t n;
    rlx_str *names; /* n of them, then "result" */
} results;

/* The part of |v| at |path|, ".1.2"; false when there is no such field. */
static bool pick(rlx_value v, rlx_str path, rlx_value *out)
{
    while (path.len > 0) {
        const uint64_t field = cli_next_field(&path);
        if (v.kind != RLX_KIND_TUPLE || field >= rlx_tuple_count(v.as.tuple))
            return false;
        v = rlx_tuple_get(v.as.tuple, (uint32_t)field);
    }
    *out = v;
    return true;
}

static rlx_value result_at(const results *r, uint32_t i)
{
    return r->is_list && i < r->n ? rlx_tuple_get(r->whole.as.tuple, i) : r->whole;
}

/* Length of a path such as "1.2" at |text| before '='; 0 if there is none. */
static size_t position(const char *text)
{
    const size_t length = strspn(text, "0123456789.");
    return *text >= '0' && *text <= '9' && text[length] == '=' ? length : 0;
}

/* Parses |text| of -o: a field of a result (of the whole if |index| is RLX_NONE), and the file. */
static int parse_output(const results *r, const char *text, cli_named *out)
{
    const char *equals = strchr(text, '=');
    const size_t digits = position(text);
    *out = (cli_named){RLX_NONE, {"", 0}, text};
    if (cli_split(text, r->names, r->n + 1, out))
        return CLI_OK;
    if (digits > 0) {
        rlx_str path = {text, digits}, rest = path; /* 0 also names the only result */
        const bool is_only = r->whole.kind != RLX_KIND_TUPLE && cli_next_field(&rest) == 0;
        *out = (cli_named){is_only ? 0 : RLX_NONE, is_only ? rest : path, text + digits + 1};
    } else if (equals && !memchr(text, '/', (size_t)(equals - text))) {
        const rlx_str name = {text, (size_t)(equals - text)};
        char shown[CLI_NAME_SHOWN];
        cli_complain_of_name(name, r->names, r->n + 1, "-o %s: the function has no such result",
                             cli_name_text(name, shown, sizeof shown));
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int find_output(const results *r, const char *text, rlx_value *out, const char **file)
{
    cli_named named;
    const int status = parse_output(r, text, &named);
    if (status != CLI_OK)
        return status;
    *file = named.value;
    if (pick(named.index == RLX_NONE ? r->whole : result_at(r, named.index), named.path, out))
        return CLI_OK;
    cli_complain("-o %s: the result has no field %.*s", text, (int)(*file - text) - 1, text);
    return CLI_FAILED;
}

/* Checks or writes the outputs of every -o. */
static int each_output(const cli_call *call, const cli_session *session, const results *r,
                       bool only_check)
{
    rlx_error err = {0};
    for (uint32_t i = 0; i < call->n_outputs; i++) {
        rlx_value v;
        const char *file;
        int status = find_output(r, call->outputs[i], &v, &file);
        if (status != CLI_OK)
            return status;
        /* A tuple without a tuple type is a sequence, not the list of the results. */
        const bool is_field = !r->is_list || v.as.object != r->whole.as.object;
        if ((only_check ? cli_check_value(session, v, is_field, file, &err)
                        : cli_write_value(v, is_field, file, &err)) != RLX_OK)
            return cli_fail(&err);
    }
    return CLI_OK;
}

/* Nothing is written if one of the files must not be overwritten. */
static int write_outputs(const cli_call *call, const cli_session *session, const results *r)
{
    int status = each_output(call, session, r, true);
    return status == CLI_OK ? each_output(call, session, r, false) : status;
}

static void print_results(const results *r)
{
    char shown[CLI_NAME_SHOWN];
    bool named = false;
    for (uint32_t i = 0; i < r->n; i++)
        named = named || r->names[i].len > 0;
    if (!named) {
        cli_print_value(stdout, "result", r->whole);
        return;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->names[i].len > 0)
            cli_name_text(r->names[i], shown, sizeof shown);
        else
            snprintf(shown, sizeof shown, "result.%u", i);
        cli_print_value(stdout, shown, result_at(r, i));
    }
}

/* The names, to be freed by the caller. */
static int init_results(const cli_session *session, results *out)
{
    const rlx_executable *exe = session->exe;
    rlx_function_info info = {0};
    rlx_type_info type = {0};
    (void)rlx_executable_function(exe, session->function, &info);
    (void)rlx_executable_type(exe, info.result_type, &type);
    *out = (results){.whole = rlx_none(), .is_list = type.kind == RLX_TYPE_TUPLE};
    out->n = rlx_function_result_count(exe, session->function);
    out->names = calloc((size_t)out->n + 1, sizeof *out->names);
    if (!out->names) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->names[i] = rlx_function_result_name(exe, session->function, i);
    out->names[out->n] = RLX_STR("result");
    return CLI_OK;
}

/* Checks the outputs before the call; the files of a tuple's fields are known only after it.
 */
static int check_outputs(const cli_call *call, const cli_session *session, const results *r)
{
    rlx_error err = {0};
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < call->n_outputs; i++) {
        cli_named named;
        status = parse_output(r, call->outputs[i], &named);
        if (status == CLI_OK && cli_check_output(session, named.value, &err) != RLX_OK) {
            cli_complain("%s", err.message);
            status = CLI_USAGE;
        }
    }
    return status;
}

static int run(const cli_call *call)
{
    cli_session session;
    results r = {.whole = rlx_none()};
    rlx_error err = {0};
    int status = cli_open(call, &session);
    if (status == CLI_OK)
        status = init_results(&session, &r);
    if (status == CLI_OK)
        status = check_outputs(call, &session, &r);
    if (status == CLI_OK) {
        if (rlx_vm_invoke_index(session.vm, session.function, session.args, session.n_args,
                                &r.whole, &err) != RLX_OK)
            status = cli_call_failed(&session, &err);
        cli_calls_done(&session);
        if (status == CLI_OK && call->n_outputs > 0)
            status = write_outputs(call, &session, &r);
        else if (status == CLI_OK)
            print_results(&r);
    }
    rlx_value_release(r.whole);
    free(r.names);
    cli_close(&session);
    return status;
}

int cli_command_run(int argc, char **argv)
{
    static const cli_option options[] = {
        {"-o", "[NAME=]F.npy",
         "write the result NAME, NAME.0, or 0 by position; all: F.npy, or F.0.npy, F.1.npy"},
    };
    const cli_command command = {
        "rlx run FILE.rlx [options]",
        "Calls a function once and writes or prints its result. Runs the native code in the "
        "file with your full permissions: run only files that you trust, or add --require-key or "
        "--no-native.",
        options, 1, true};
    cli_call call = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &call, &help);
    if (status == CLI_OK && !help)
        status = run(&call);
    return status;
}
