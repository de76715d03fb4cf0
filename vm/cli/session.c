/* A call's session: the executable, a VM on it, the values of the function's symbols, and one
 * argument for each parameter. The file's native code is run: the user named the file to run. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* --- symbols --- */

const char *cli_symbol_name(const cli_symbols *s, uint32_t symbol, char *buffer, size_t size)
{
    return rlx_function_slot_name(s->exe, s->function, symbol, buffer, size);
}

int cli_symbols_init(cli_symbols *out, const rlx_executable *exe, uint32_t function)
{
    rlx_function_info info;
    (void)rlx_executable_function(exe, function, &info);
    const size_t room = info.n_slots ? info.n_slots : 1;
    *out = (cli_symbols){
        .exe = exe, .function = function, .n = info.n_slots, .n_symbols = info.n_symbols};
    out->values = calloc(room, sizeof *out->values);
    out->bound = calloc(room, sizeof *out->bound);
    if (out->values && out->bound)
        return CLI_OK;
    out->n = out->n_symbols = 0;
    cli_complain("out of memory");
    return CLI_FAILED;
}

int cli_symbols_bind(cli_symbols *s, const cli_pair *dims, uint32_t n_dims, bool *found)
{
    char buffer[64];
    int64_t value;
    for (uint32_t i = 0; i < n_dims; i++) {
        const cli_pair *pair = &dims[i];
        if (!pair->name || !cli_parse_i64(pair->text, pair->text + strlen(pair->text), &value) ||
            value < 0) {
            cli_complain("--dim wants SYMBOL=NUMBER, not '%s%s%s'", pair->name ? pair->name : "",
                         pair->name ? "=" : "", pair->text);
            return CLI_USAGE;
        }
        for (uint32_t k = 0; k < s->n_symbols; k++) {
            if (strcmp(cli_symbol_name(s, k, buffer, sizeof buffer), pair->name) != 0)
                continue;
            s->values[k] = value;
            s->bound[k] = true;
            found[i] = true;
        }
    }
    return CLI_OK;
}

void cli_symbols_deinit(cli_symbols *s)
{
    free(s->values);
    free(s->bound);
}

uint32_t cli_symbols_missing(const cli_symbols *s, uint32_t expr)
{
    rlx_expr_info x;
    if (!rlx_executable_expr(s->exe, expr, &x) || x.op == RLX_EXPR_CONST)
        return RLX_NONE;
    if (x.op == RLX_EXPR_SLOT)
        return x.a < s->n && s->bound[x.a] ? RLX_NONE : x.a;
    /* The depth of expressions is bounded when the file is loaded. */
    uint32_t least = cli_symbols_missing(s, x.a), other = cli_symbols_missing(s, x.b);
    least = other < least ? other : least;
    other = x.op == RLX_EXPR_SELECT ? cli_symbols_missing(s, x.c) : RLX_NONE;
    return other < least ? other : least;
}

void cli_symbols_print(const cli_symbols *s, FILE *file)
{
    char buffer[64];
    for (uint32_t i = 0; i < s->n_symbols; i++) {
        if (s->bound[i])
            fprintf(file, "  %s=%lld", cli_symbol_name(s, i, buffer, sizeof buffer),
                    (long long)s->values[i]);
    }
}

void cli_symbols_json(const cli_symbols *s, cli_json *j, const char *key)
{
    char buffer[64];
    cli_json_open(j, key, '{');
    for (uint32_t i = 0; i < s->n_symbols; i++) {
        if (s->bound[i])
            cli_json_i64(j, cli_symbol_name(s, i, buffer, sizeof buffer), s->values[i]);
    }
    cli_json_close(j, '}');
}

/* --- sessions --- */

static void print_to_stdout(void *user, rlx_str text)
{
    (void)user;
    fwrite(text.data, 1, text.len, stdout);
}

static const char *nearest_function(const rlx_executable *exe, const char *name, char *buffer,
                                    size_t size)
{
    const char *best = NULL;
    for (uint32_t f = 0; f < rlx_executable_function_count(exe); f++) {
        char text[128];
        const char *word = text;
        rlx_function_info info;
        if (!rlx_executable_function(exe, f, &info) || !info.exported ||
            info.name.len >= sizeof text)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)info.name.len, info.name.data);
        const char *const words[2] = {best ? best : word, word};
        if (cli_nearest(name, words, 2) == word || (!best && cli_nearest(name, &word, 1))) {
            snprintf(buffer, size, "%s", text);
            best = buffer;
        }
    }
    return best;
}

uint32_t cli_find_function(const char *file, const rlx_executable *exe, const char *name)
{
    rlx_function_info info;
    uint32_t f = rlx_executable_find_function(exe, rlx_str_from(name));
    if (f != RLX_NONE && rlx_executable_function(exe, f, &info) && info.exported)
        return f;
    char buffer[128];
    const char *near = nearest_function(exe, name, buffer, sizeof buffer);
    if (near)
        cli_complain("%s has no function '%s'; did you mean '%s'?", file, name, near);
    else
        cli_complain("%s has no function '%s'", file, name);
    return RLX_NONE;
}

/* Every --dim must be a symbol of the function. */
static int bind_dims(const cli_call *call, cli_session *session)
{
    bool found[CLI_MAX_PAIRS] = {0};
    int status = cli_symbols_bind(&session->symbols, call->dims, call->n_dims, found);
    for (uint32_t i = 0; i < call->n_dims && status == CLI_OK; i++) {
        if (found[i])
            continue;
        char names[256] = "", buffer[64];
        for (uint32_t s = 0; s < session->symbols.n_symbols; s++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     s ? ", " : "; it has ",
                     cli_symbol_name(&session->symbols, s, buffer, sizeof buffer));
        cli_complain("--dim %s: function %s has no such symbol%s", call->dims[i].name,
                     call->function ? call->function : "main", names);
        status = CLI_USAGE;
    }
    return status;
}

int cli_open(const cli_call *call, cli_session *out)
{
    rlx_error err = {0};
    *out = (cli_session){0};
    if (!call->file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    const rlx_load_options load = {
        .trust_native = true, .native_file = call->native_file, .huge_pages = call->huge_pages};
    if (rlx_executable_load_file(call->file, &load, &out->exe, &err) != RLX_OK)
        return cli_fail(&err);
    out->function =
        cli_find_function(call->file, out->exe, call->function ? call->function : "main");
    if (out->function == RLX_NONE)
        return CLI_FAILED;
    const rlx_vm_options options = {.threads = call->threads,
                                    .output = call->quiet ? NULL : print_to_stdout};
    if (rlx_vm_create(out->exe, &options, &out->vm, &err) != RLX_OK)
        return cli_fail(&err);
    int status = cli_symbols_init(&out->symbols, out->exe, out->function);
    if (status == CLI_OK)
        status = bind_dims(call, out);
    return status == CLI_OK ? cli_make_args(call, out) : status;
}

void cli_close(cli_session *session)
{
    for (uint32_t i = 0; i < session->n_args; i++)
        rlx_value_release(session->args[i]);
    free(session->args);
    cli_symbols_deinit(&session->symbols);
    rlx_vm_destroy(session->vm);
    rlx_executable_release(session->exe);
}
