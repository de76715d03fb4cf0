/* A call's session: the executable, a VM on it, the values of the function's symbols, and one
 * argument for each parameter. The file's native code is run: the user named the file, and possibly
 * the keys that must have signed it. */
#include "vm/cli/cli.h"

#include <rlx/loaders.h>
#include <stdlib.h>
#include <string.h>

/* --- symbols --- */

const char *cli_symbol_name(const cli_symbols *s, uint32_t symbol, char *buffer, size_t size)
{
    rlx_str name = rlx_function_dim_name(s->exe, s->function, symbol);
    if (name.len > 0)
        return cli_name_text(name, buffer, size);
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
    out->names = calloc((size_t)info.n_symbols + 1, sizeof *out->names);
    for (uint32_t i = 0; out->names && i < info.n_symbols; i++)
        out->names[i] = rlx_function_dim_name(exe, function, i);
    if (out->values && out->bound && out->names)
        return CLI_OK;
    out->n = out->n_symbols = 0;
    cli_complain("out of memory");
    return CLI_FAILED;
}

rlx_str cli_symbol_of(const char *dim)
{
    const char *equals = strrchr(dim, '=');
    return (rlx_str){dim, equals ? (size_t)(equals - dim) : strlen(dim)};
}

int cli_symbols_bind(cli_symbols *s, const char *const *dims, uint32_t n_dims, bool *found)
{
    char buffer[CLI_NAME_SHOWN];
    int64_t value;
    for (uint32_t i = 0; i < n_dims; i++) {
        const rlx_str symbol = cli_symbol_of(dims[i]); /* a number has no '=' */
        const char *text = dims[i] + symbol.len + (dims[i][symbol.len] == '=');
        if (symbol.len == 0 || text == dims[i] + symbol.len ||
            !cli_parse_i64(text, text + strlen(text), &value) || value < 0) {
            cli_complain("--dim needs SYMBOL=NUMBER, not '%s'", dims[i]);
            return CLI_USAGE;
        }
        for (uint32_t k = 0; k < s->n_symbols; k++) {
            if (!rlx_str_eq(symbol, s->names[k].len ? s->names[k]
                                                    : rlx_str_from(cli_symbol_name(s, k, buffer,
                                                                                   sizeof buffer))))
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
    free(s->names);
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
    char buffer[CLI_NAME_SHOWN];
    for (uint32_t i = 0; i < s->n_symbols; i++) {
        if (s->bound[i])
            fprintf(file, "  %s=%lld", cli_symbol_name(s, i, buffer, sizeof buffer),
                    (long long)s->values[i]);
    }
}

void cli_symbols_json(const cli_symbols *s, cli_json *j, const char *key)
{
    char buffer[CLI_NAME_SHOWN];
    cli_json_open(j, key, '{');
    for (uint32_t i = 0; i < s->n_symbols; i++) {
        const rlx_str name = s->names[i].len
                                 ? s->names[i]
                                 : rlx_str_from(cli_symbol_name(s, i, buffer, sizeof buffer));
        if (s->bound[i])
            cli_json_i64(j, name, s->values[i]);
    }
    cli_json_close(j, '}');
}

/* --- sessions --- */

static void print_to_stdout(void *user, rlx_str text)
{
    (void)user;
    fwrite(text.data, 1, text.len, stdout);
}

uint32_t cli_find_function(const char *file, const rlx_executable *exe, const char *name)
{
    rlx_function_info info;
    uint32_t f = rlx_executable_find_function(exe, rlx_str_from(name)), n = 0;
    if (f != RLX_NONE && rlx_executable_function(exe, f, &info) && info.exported)
        return f;
    rlx_str *names = calloc((size_t)rlx_executable_function_count(exe) + 1, sizeof *names);
    for (f = 0; names && rlx_executable_function(exe, f, &info); f++)
        if (info.exported)
            names[n++] = info.name;
    cli_complain_of_name(rlx_str_from(name), names, n, "%s has no function '%s'", file, name);
    free(names);
    return RLX_NONE;
}

rlx_status cli_take_bytes(cli_budget *b, uint64_t bytes, const char *what, rlx_error *err)
{
    enum { ASK_EVERY = 16 << 20 };
    if (b->limit != 0 && bytes > b->limit - b->taken)
        return rlx_fail(err, RLX_E_LIMIT,
                        "%s needs %llu bytes, %llu of the %llu of --max-bytes are left", what,
                        (unsigned long long)bytes, (unsigned long long)(b->limit - b->taken),
                        (unsigned long long)b->limit);
    b->unasked = bytes < UINT64_MAX - b->unasked ? b->unasked + bytes : UINT64_MAX;
    if (b->unasked >= ASK_EVERY) {
        RLX_TRY(rlx_memory_check(bytes, what, err));
        b->unasked = 0;
    }
    b->taken += bytes;
    return RLX_OK;
}

/* Every --dim must be a symbol of the function. */
static int bind_dims(const cli_call *call, cli_session *session)
{
    bool found[CLI_MAX_NAMED] = {0};
    const cli_symbols *symbols = &session->symbols;
    int status = cli_symbols_bind(&session->symbols, call->dims, call->n_dims, found);
    for (uint32_t i = 0; i < call->n_dims && status == CLI_OK; i++) {
        char shown[CLI_NAME_SHOWN];
        if (found[i])
            continue;
        const rlx_str given = cli_symbol_of(call->dims[i]);
        cli_complain_of_name(
            given, symbols->names, symbols->n_symbols, "--dim %s: function %s has no such symbol",
            cli_name_text(given, shown, sizeof shown), call->function ? call->function : "main");
        status = CLI_USAGE;
    }
    return status;
}

rlx_status cli_check_output(const cli_session *session, const char *path, rlx_error *err)
{
    return rlx_check_output(path, session->files, session->n_files, err);
}

/* Loading writes --native-file before any names are known: "F=G" of --input may be the file G for a
 * parameter F, or the file F=G, and neither may be overwritten. */
static rlx_status check_native_file(const cli_call *call, rlx_error *err)
{
    if (!call->native_file)
        return RLX_OK;
    RLX_TRY(rlx_check_output(call->native_file, &call->file, 1, err));
    RLX_TRY(rlx_check_output(call->native_file, call->keys, call->n_keys, err));
    for (uint32_t i = 0; i < call->n_inputs; i++) {
        for (const char *file = call->inputs[i]; file; file = strchr(file, '=')) {
            file += *file == '=';
            RLX_TRY(rlx_check_output(call->native_file, &file, 1, err));
        }
    }
    return RLX_OK;
}

/* The files that are read; the parameters' names decide which file an --input means. */
static int list_files(const cli_call *call, cli_session *s)
{
    rlx_function_info info = {0};
    (void)rlx_executable_function(s->exe, s->function, &info);
    rlx_str *params = calloc((size_t)info.n_params + 1, sizeof *params);
    s->files = calloc((size_t)call->n_keys + call->n_inputs + 1, sizeof *s->files);
    if (!params || !s->files) {
        free(params);
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < info.n_params; i++)
        params[i] = rlx_function_param_name(s->exe, s->function, i);
    s->files[s->n_files++] = call->file;
    for (uint32_t i = 0; i < call->n_keys; i++)
        s->files[s->n_files++] = call->keys[i];
    for (uint32_t i = 0; i < call->n_inputs; i++) {
        cli_named named = {.value = call->inputs[i]};
        (void)cli_split(call->inputs[i], params, info.n_params, &named);
        s->files[s->n_files++] = named.value;
    }
    free(params);
    return CLI_OK;
}

/* A registry with the loaders of sections and what the plugins add. */
static rlx_status fill_registry(const cli_call *call, rlx_registry *r, rlx_error *err)
{
    RLX_TRY(rlx_registry_add_cblas(r, err));
    RLX_TRY(rlx_registry_add_dnnl(r, err));
    for (uint32_t i = 0; i < call->n_plugins; i++)
        RLX_TRY(rlx_registry_load_plugin(r, call->plugins[i], err));
    return RLX_OK;
}

/* The VM gets the limit minus the arguments. */
static int create_vm(const cli_call *call, cli_session *s)
{
    rlx_error err = {0};
    rlx_registry *registry = NULL;
    rlx_status status = RLX_OK;
    if (rlx_executable_device_module_count(s->exe) > 0 || call->n_plugins > 0)
        status = rlx_registry_create(NULL, &registry, &err);
    if (registry)
        status = fill_registry(call, registry, &err);
    const rlx_vm_options options = {.registry = registry,
                                    .threads = call->threads,
                                    .max_bytes = s->budget.limit > s->budget.taken
                                                     ? s->budget.limit - s->budget.taken
                                                     : s->budget.limit != 0,
                                    .cancel = &s->cancel,
                                    .device_graphs = call->device_graphs,
                                    .output = call->quiet ? NULL : print_to_stdout};
    if (status == RLX_OK)
        status = rlx_vm_create(s->exe, &options, &s->vm, &err);
    rlx_registry_release(registry);
    return status == RLX_OK ? CLI_OK : cli_fail(&err);
}

static bool has_native(const rlx_executable *exe)
{
    rlx_str triple;
    uint32_t n_features;
    const void *elf;
    size_t size;
    return rlx_executable_native(exe, &triple, &n_features, &elf, &size);
}

int cli_open(const cli_call *call, cli_session *out)
{
    rlx_error err = {0};
    *out = (cli_session){.budget.limit = call->max_bytes, .max_seconds = call->max_seconds};
    if (!call->file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    if (check_native_file(call, &err) != RLX_OK) {
        cli_complain("%s", err.message);
        return CLI_USAGE;
    }
    if (call->max_seconds > 0 && !(out->watch = cli_watch_start(call->max_seconds, &out->cancel)))
        return CLI_FAILED;
    const rlx_load_options load = {.trust_native = !call->no_native,
                                   .native_file = call->native_file,
                                   .weights = call->weights,
                                   .huge_pages = call->huge_pages};
    int status = cli_load(call->file, call->keys, call->n_keys, &load, &out->exe);
    if (status != CLI_OK)
        return status;
    const bool has_modules = rlx_executable_device_module_count(out->exe) > 0;
    if (call->no_native && (has_native(out->exe) || has_modules)) {
        cli_complain("%s has %s, which --no-native refuses", call->file,
                     has_modules ? "code for devices or loaders" : "native code");
        return CLI_FAILED;
    }
    out->function =
        cli_find_function(call->file, out->exe, call->function ? call->function : "main");
    if (out->function == RLX_NONE)
        return CLI_FAILED;
    status = list_files(call, out);
    if (status == CLI_OK && call->trace && cli_check_output(out, call->trace, &err) != RLX_OK) {
        cli_complain("%s", err.message);
        status = CLI_USAGE;
    }
    if (status != CLI_OK)
        return status;
    status = cli_symbols_init(&out->symbols, out->exe, out->function);
    if (status == CLI_OK)
        status = bind_dims(call, out);
    if (status == CLI_OK)
        status = cli_make_args(call, out);
    return status == CLI_OK ? create_vm(call, out) : status;
}

void cli_calls_done(cli_session *session)
{
    cli_watch_stop(session->watch);
    session->watch = NULL;
}

int cli_call_failed(const cli_session *session, const rlx_error *err)
{
    if (err->code != RLX_E_CANCELLED || !session->watch)
        return cli_fail(err);
    cli_complain("stopped after %g seconds (--max-seconds): %s", session->max_seconds,
                 err->message);
    return CLI_FAILED;
}

void cli_close(cli_session *session)
{
    cli_calls_done(session);
    for (uint32_t i = 0; i < session->n_args; i++)
        rlx_value_release(session->args[i]);
    free(session->args);
    free(session->files);
    cli_symbols_deinit(&session->symbols);
    rlx_vm_destroy(session->vm);
    rlx_executable_release(session->exe);
}
