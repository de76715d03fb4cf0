/* rlx run: calls a function once, writes or prints its result. */
#include "vm/cli/cli.h"

#include <string.h>

static bool set(void *user, const cli_option *option, const char *value)
{
    cli_call *call = user;
    if (option && strcmp(option->name, "-o") == 0)
        return cli_add_pair(call->outputs, &call->n_outputs, "-o", value);
    return cli_call_set(call, option, value);
}

/* NAME of -o NAME=F: "0" or "1.2" picks a field, anything else names the whole result. False when
 * there is no such field. */
static bool pick(rlx_value v, const char *path, rlx_value *out)
{
    while (path && *path >= '0' && *path <= '9') {
        uint32_t field = 0;
        for (; *path >= '0' && *path <= '9'; path++)
            field = field < UINT32_MAX / 16 ? field * 10 + (uint32_t)(*path - '0') : field;
        if (v.kind != RLX_KIND_TUPLE || field >= rlx_tuple_count(v.as.tuple))
            return false;
        v = rlx_tuple_get(v.as.tuple, field);
        path += *path == '.';
    }
    *out = v;
    return true;
}

static int show(const cli_call *call, const cli_session *session, rlx_value result)
{
    rlx_error err = {0};
    rlx_function_info info;
    rlx_type_info type = {.kind = RLX_TYPE_TUPLE};
    if (rlx_executable_function(session->exe, session->function, &info))
        (void)rlx_executable_type(session->exe, info.result_type, &type);
    for (uint32_t i = 0; i < call->n_outputs; i++) {
        const cli_pair *output = &call->outputs[i];
        rlx_value v;
        if (!pick(result, output->name, &v)) {
            cli_complain("-o %s=%s: the result has no field %s", output->name, output->text,
                         output->name);
            return CLI_FAILED;
        }
        /* A tuple whose type does not say so is a sequence, not the list of the results. */
        const bool is_field = type.kind != RLX_TYPE_TUPLE || v.as.object != result.as.object;
        if (cli_write_value(v, is_field, output->text, &err) != RLX_OK)
            return cli_fail(&err);
    }
    if (call->n_outputs == 0)
        cli_print_value(stdout, "result", result);
    return CLI_OK;
}

static int run(const cli_call *call)
{
    cli_session session;
    rlx_value result = rlx_none();
    rlx_error err = {0};
    int status = cli_open(call, &session);
    if (status == CLI_OK) {
        if (rlx_vm_invoke_index(session.vm, session.function, session.args, session.n_args, &result,
                                &err) != RLX_OK)
            status = cli_fail(&err);
        else
            status = show(call, &session, result);
    }
    rlx_value_release(result);
    cli_close(&session);
    return status;
}

int cli_command_run(int argc, char **argv)
{
    static const cli_option options[] = {
        {"-o", "[NAME=]F.npy",
         "write the result; fields of a tuple go to F.0.npy, F.1.npy; NAME picks a field"},
    };
    const cli_command command = {"rlx run FILE.rlx [options]",
                                 "Calls a function once and writes or prints its result.", options,
                                 1, true};
    cli_call call = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &call, &help);
    if (status == CLI_OK && !help)
        status = run(&call);
    cli_call_deinit(&call);
    return status;
}
