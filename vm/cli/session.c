/* A call's session: the executable, a VM on it, and one argument for each parameter.
 *
 * Arguments come from --input by name or in order (fields of tuples as NAME.0, NAME.0.1), or are
 * made at random from the signature with the symbols that --dim gives. */
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rlx/checked.h>

#include "vm/cli/npy.h"

enum { MAX_PATH_DEPTH = 16, MAX_SYMBOLS = 256 };

typedef struct maker {
    const cli_call *call;
    cli_session *session;
    bool used[CLI_MAX_PAIRS];
    uint32_t next; /* first positional input not used */
    int64_t slots[MAX_SYMBOLS];
    bool bound[MAX_SYMBOLS];
    uint64_t state; /* of the random numbers */
} maker;

static void print_to_stdout(void *user, rlx_str text)
{
    (void)user;
    fwrite(text.data, 1, text.len, stdout);
}

/* --- values from text --- */

static bool parse_i64(const char *text, const char *end, int64_t *out)
{
    char *stop;
    errno = 0;
    long long value = strtoll(text, &stop, 10);
    if (stop == text || stop != end || errno == ERANGE)
        return false;
    *out = value;
    return true;
}

static rlx_status parse_shape(const char *text, rlx_value *out, rlx_error *err)
{
    int64_t dims[64];
    uint32_t n = 0;
    while (*text) {
        const char *comma = strchr(text, ',');
        const char *end = comma ? comma : text + strlen(text);
        if (n == 64 || !parse_i64(text, end, &dims[n++]))
            return rlx_fail(err, RLX_E_INVALID_ARG, "'shape:%s' is no list of numbers", text);
        text = comma ? comma + 1 : end;
    }
    rlx_shape *shape = NULL;
    RLX_TRY(rlx_shape_create(NULL, n, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

/* A 0-dim tensor where the parameter is a tensor, else the value itself. */
static rlx_status scalar(const rlx_type_info *type, rlx_value v, rlx_value *out, rlx_error *err)
{
    if (type->kind == RLX_TYPE_PRIM && type->dtype.code == RLX_BOOL && v.kind == RLX_KIND_INT)
        v = rlx_bool(v.as.i != 0);
    if (type->kind == RLX_TYPE_PRIM && type->dtype.code == RLX_FLOAT && v.kind == RLX_KIND_INT)
        v = rlx_float((double)v.as.i);
    (void)err;
    *out = v;
    return RLX_OK;
}

static rlx_status read_value(const char *text, const rlx_type_info *type, rlx_value *out,
                             rlx_error *err)
{
    if (strncmp(text, "shape:", 6) == 0)
        return parse_shape(text + 6, out, err);
    if (strncmp(text, "int:", 4) == 0) {
        int64_t value;
        if (!parse_i64(text + 4, text + strlen(text), &value))
            return rlx_fail(err, RLX_E_INVALID_ARG, "'%s' is no integer", text);
        return scalar(type, rlx_int(value), out, err);
    }
    if (strncmp(text, "float:", 6) == 0) {
        char *end;
        double value = strtod(text + 6, &end);
        if (end == text + 6 || *end != '\0')
            return rlx_fail(err, RLX_E_INVALID_ARG, "'%s' is no number", text);
        return scalar(type, rlx_float(value), out, err);
    }
    rlx_tensor *t = NULL;
    RLX_TRY(npy_read(text, &t, err));
    rlx_dtype got = rlx_tensor_dtype(t);
    if (type->kind == RLX_TYPE_TENSOR && type->dtype.code == RLX_BFLOAT &&
        rlx_dtype_eq(got, RLX_U16)) {
        rlx_tensor *bits = NULL;
        rlx_status status =
            rlx_tensor_create(NULL, RLX_BF16, rlx_tensor_ndim(t), rlx_tensor_dims(t), &bits, err);
        if (status == RLX_OK)
            memcpy(rlx_tensor_mutable_data(bits), rlx_tensor_data(t), rlx_tensor_nbytes(t));
        rlx_value_release(rlx_of_tensor(t));
        *out = rlx_of_tensor(bits);
        return status;
    }
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* --- random values --- */

static uint64_t next_random(maker *m)
{
    /* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
    uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static rlx_status random_dims(maker *m, const char *name, const rlx_type_info *type, int64_t *dims,
                              rlx_error *err)
{
    const rlx_executable *exe = m->session->exe;
    for (uint32_t i = 0; i < type->n_dims; i++) {
        rlx_dim dim = type->dims[i];
        char buffer[64];
        if (dim.kind == RLX_DIM_ANY)
            return rlx_fail(err, RLX_E_INVALID_ARG, "%s: dimension %u is open; give an --input",
                            name, i);
        if (dim.kind == RLX_DIM_BIND) {
            if (dim.index >= MAX_SYMBOLS || !m->bound[dim.index])
                return rlx_fail(err, RLX_E_INVALID_ARG,
                                "%s: symbol %s has no value; add --dim %s=...", name,
                                rlx_function_slot_name(exe, m->session->function, dim.index, buffer,
                                                       sizeof buffer),
                                rlx_function_slot_name(exe, m->session->function, dim.index, buffer,
                                                       sizeof buffer));
            dims[i] = m->slots[dim.index];
        } else {
            RLX_TRY(rlx_executable_eval(exe, dim.index, m->slots, MAX_SYMBOLS, &dims[i], err));
        }
    }
    return RLX_OK;
}

/* Floats in [-1, 1); integers in [0, 16), so that indices mostly stay in range; bools. */
static void fill_random(maker *m, rlx_tensor *t)
{
    const rlx_dtype dtype = rlx_tensor_dtype(t);
    const size_t size = rlx_dtype_size(dtype);
    unsigned char *to = rlx_tensor_mutable_data(t);
    for (int64_t i = 0; i < rlx_tensor_numel(t); i++, to += size) {
        uint64_t bits = next_random(m);
        double unit = (double)(bits >> 11) * 0x1p-52 - 1.0;
        float single = (float)unit;
        uint64_t element = dtype.code == RLX_BOOL ? bits & 1 : bits & 15;
        if (dtype.code == RLX_FLOAT && dtype.bits == 64)
            memcpy(&element, &unit, 8);
        else if (dtype.code == RLX_FLOAT && dtype.bits == 32)
            memcpy(&element, &single, 4);
        else if (dtype.code == RLX_FLOAT) /* float16: a mantissa and the exponent of [0.5, 1) */
            element = (bits & 0x83ff) | 14u << 10;
        else if (dtype.code == RLX_BFLOAT)
            element = (bits & 0x807f) | 126u << 7;
        memcpy(to, &element, size);
    }
}

static rlx_status random_value(maker *m, const char *name, const rlx_type_info *type,
                               rlx_value *out, rlx_error *err)
{
    int64_t dims[RLX_MAX_NDIM] = {0};
    if (type->kind == RLX_TYPE_PRIM) {
        dims[0] = 1;
        if (type->n_dims == 1)
            RLX_TRY(random_dims(m, name, type, dims, err));
        return scalar(type, rlx_int(dims[0]), out, err);
    }
    if ((type->kind != RLX_TYPE_TENSOR && type->kind != RLX_TYPE_SHAPE) || !type->rank_known ||
        type->n_dims > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: cannot be made at random; give an --input",
                        name);
    RLX_TRY(random_dims(m, name, type, dims, err));
    if (type->kind == RLX_TYPE_SHAPE) {
        rlx_shape *shape = NULL;
        RLX_TRY(rlx_shape_create(NULL, type->n_dims, dims, &shape, err));
        *out = rlx_of_shape(shape);
        return RLX_OK;
    }
    rlx_tensor *t = NULL;
    rlx_dtype dtype = type->dtype.bits ? type->dtype : RLX_F32;
    RLX_TRY(rlx_tensor_create(NULL, dtype, type->n_dims, dims, &t, err));
    fill_random(m, t);
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* --- arguments --- */

/* The input given for |name|, by name, or for whole parameters the next one without a name. */
static const char *find_input(maker *m, const char *name, bool positional)
{
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        const cli_pair *pair = &m->call->inputs[i];
        if (!m->used[i] && pair->name && strcmp(pair->name, name) == 0) {
            m->used[i] = true;
            return pair->text;
        }
    }
    while (positional && m->next < m->call->n_inputs) {
        uint32_t i = m->next++;
        if (!m->used[i] && !m->call->inputs[i].name) {
            m->used[i] = true;
            return m->call->inputs[i].text;
        }
    }
    return NULL;
}

/* How many fields NAME.0, NAME.1, ... are given, for parameters whose type says nothing. */
static uint32_t given_fields(const maker *m, const char *name)
{
    uint32_t n = 0;
    size_t length = strlen(name);
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        const char *other = m->call->inputs[i].name;
        if (!other || strncmp(other, name, length) != 0 || other[length] != '.')
            continue;
        uint64_t field = strtoull(other + length + 1, NULL, 10);
        n = field < CLI_MAX_PAIRS && field + 1 > n ? (uint32_t)field + 1 : n;
    }
    return n;
}

static rlx_status make_value(maker *m, const char *name, uint32_t type_index, uint32_t depth,
                             rlx_value *out, rlx_error *err);

static rlx_status make_tuple(maker *m, const char *name, const rlx_type_info *type, uint32_t n,
                             uint32_t depth, rlx_value *out, rlx_error *err)
{
    rlx_value *items = calloc(n ? n : 1, sizeof *items);
    if (!items)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory");
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < n && status == RLX_OK; i++) {
        char field[256];
        snprintf(field, sizeof field, "%s.%u", name, i);
        uint32_t child = type->kind == RLX_TYPE_TUPLE ? type->children[i] : RLX_NONE;
        status = make_value(m, field, child, depth + 1, &items[i], err);
    }
    rlx_tuple *tuple = NULL;
    if (status == RLX_OK)
        status = rlx_tuple_create(NULL, n, items, &tuple, err);
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(items[i]);
    free(items);
    *out = rlx_of_tuple(tuple);
    return status;
}

static rlx_status make_value(maker *m, const char *name, uint32_t type_index, uint32_t depth,
                             rlx_value *out, rlx_error *err)
{
    rlx_type_info type = {.kind = RLX_TYPE_OBJECT};
    if (type_index != RLX_NONE)
        (void)rlx_executable_type(m->session->exe, type_index, &type);
    if (depth > MAX_PATH_DEPTH)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: nested too deeply", name);
    const char *text = find_input(m, name, depth == 0 && type.kind != RLX_TYPE_TUPLE);
    if (text) {
        rlx_status status = read_value(text, &type, out, err);
        if (status != RLX_OK && err) {
            char reason[sizeof err->message];
            memcpy(reason, err->message, sizeof reason);
            return rlx_fail(err, status, "input %s: %.300s", name, reason);
        }
        return status;
    }
    uint32_t fields = type.kind == RLX_TYPE_TUPLE ? type.n_children : given_fields(m, name);
    if (type.kind == RLX_TYPE_TUPLE || fields > 0)
        return make_tuple(m, name, &type, fields, depth, out, err);
    if (m->call->random)
        return random_value(m, name, &type, out, err);
    return rlx_fail(err, RLX_E_INVALID_ARG, "no input for parameter %s", name);
}

/* --dim n=5: values of the function's symbols. */
static int bind_dims(maker *m)
{
    rlx_function_info info;
    (void)rlx_executable_function(m->session->exe, m->session->function, &info);
    for (uint32_t i = 0; i < m->call->n_dims; i++) {
        const cli_pair *pair = &m->call->dims[i];
        int64_t value;
        if (!pair->name || !parse_i64(pair->text, pair->text + strlen(pair->text), &value) ||
            value < 0) {
            cli_complain("--dim wants SYMBOL=NUMBER, not '%s'", pair->text);
            return CLI_USAGE;
        }
        bool found = false;
        for (uint32_t s = 0; s < info.n_symbols && s < MAX_SYMBOLS; s++) {
            char buffer[64];
            const char *name = rlx_function_slot_name(m->session->exe, m->session->function, s,
                                                      buffer, sizeof buffer);
            if (strcmp(name, pair->name) != 0)
                continue;
            m->slots[s] = value;
            m->bound[s] = true;
            found = true;
        }
        if (!found) {
            cli_complain("--dim %s: function %.*s has no such symbol", pair->name,
                         (int)info.name.len, info.name.data);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

int cli_make_args(const cli_call *call, cli_session *session)
{
    maker m = {.call = call, .session = session, .state = call->seed};
    int status = bind_dims(&m);
    if (status != CLI_OK)
        return status;
    rlx_function_info info;
    rlx_error err = {0};
    (void)rlx_executable_function(session->exe, session->function, &info);
    session->args = calloc(info.n_params ? info.n_params : 1, sizeof *session->args);
    if (!session->args) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < info.n_params; i++, session->n_args++) {
        rlx_str name = rlx_function_param_name(session->exe, session->function, i);
        char text[256];
        snprintf(text, sizeof text, "%.*s", (int)name.len, name.data);
        uint32_t type = rlx_function_param_type(session->exe, session->function, i);
        if (make_value(&m, text, type, 0, &session->args[i], &err) != RLX_OK)
            return cli_fail(&err);
    }
    for (uint32_t i = 0; i < call->n_inputs; i++) {
        if (m.used[i])
            continue;
        cli_complain("input '%s' fits no parameter of %.*s",
                     call->inputs[i].name ? call->inputs[i].name : call->inputs[i].text,
                     (int)info.name.len, info.name.data);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_open(const cli_call *call, cli_session *out)
{
    rlx_error err = {0};
    *out = (cli_session){0};
    if (!call->file) {
        cli_complain("no file given; --help shows the usage");
        return CLI_USAGE;
    }
    const rlx_load_options load = {.trust_native = true}; /* the user names the file to run */
    if (rlx_executable_load_file(call->file, &load, &out->exe, &err) != RLX_OK)
        return cli_fail(&err);
    const char *function = call->function ? call->function : "main";
    out->function = rlx_executable_find_function(out->exe, rlx_str_from(function));
    rlx_function_info info;
    if (out->function == RLX_NONE || !rlx_executable_function(out->exe, out->function, &info) ||
        !info.exported) {
        cli_complain("%s has no function '%s'", call->file, function);
        return CLI_FAILED;
    }
    const rlx_vm_options options = {.threads = call->threads, .output = print_to_stdout};
    if (rlx_vm_create(out->exe, &options, &out->vm, &err) != RLX_OK)
        return cli_fail(&err);
    return cli_make_args(call, out);
}

void cli_close(cli_session *session)
{
    for (uint32_t i = 0; i < session->n_args; i++)
        rlx_value_release(session->args[i]);
    free(session->args);
    rlx_vm_destroy(session->vm);
    rlx_executable_release(session->exe);
}
