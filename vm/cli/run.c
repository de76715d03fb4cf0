/* rlx run: calls a function once, writes or prints its result. */
#include "vm/cli/cli.h"

#include <string.h>

enum { MAX_OPTIONS = 16 };

static bool set(void *user, const cli_option *option, const char *value)
{
    cli_call *call = user;
    if (option && strcmp(option->name, "-o") == 0)
        return cli_add_pair(call->outputs, &call->n_outputs, "-o", value);
    return cli_call_set(call, option, value);
}

/* NAME of -o NAME=F: "0" or "1.2" picks a field, anything else names the whole result. */
static rlx_value pick(rlx_value v, const char *path)
{
    while (path && *path >= '0' && *path <= '9' && v.kind == RLX_KIND_TUPLE) {
        uint32_t field = 0;
        for (; *path >= '0' && *path <= '9'; path++)
            field = field < CLI_MAX_PAIRS ? field * 10 + (uint32_t)(*path - '0') : field;
        v = rlx_tuple_get(v.as.tuple, field);
        path += *path == '.';
    }
    return v;
}

static int show(const cli_call *call, rlx_value result)
{
    rlx_error err = {0};
    for (uint32_t i = 0; i < call->n_outputs; i++) {
        if (cli_write_value(pick(result, call->outputs[i].name), call->outputs[i].text, &err) !=
            RLX_OK)
            return cli_fail(&err);
    }
    if (call->n_outputs == 0)
        cli_print_value(stdout, "result", result);
    return CLI_OK;
}

int cli_command_run(int argc, char **argv)
{
    cli_option options[MAX_OPTIONS];
    memcpy(options, cli_call_options, cli_call_option_count * sizeof *options);
    options[cli_call_option_count] = (cli_option){
        "-o", "[NAME=]F.npy", "write the result; fields of a tuple go to F.0.npy, F.1.npy"};
    static cli_call call; /* zeroed; too large for a comfortable stack frame */
    bool help;
    int status = cli_parse("rlx run FILE.rlx [options]", options, cli_call_option_count + 1, argc,
                           argv, set, &call, &help);
    cli_session session = {0};
    if (status == CLI_OK && !help) {
        status = cli_open(&call, &session);
        rlx_value result = rlx_none();
        rlx_error err = {0};
        if (status == CLI_OK) {
            if (rlx_vm_invoke_index(session.vm, session.function, session.args, session.n_args,
                                    &result, &err) != RLX_OK)
                status = cli_fail(&err);
            else
                status = show(&call, result);
        }
        rlx_value_release(result);
        cli_close(&session);
    }
    cli_call_deinit(&call);
    return status;
}
