/* Arguments: one value for each parameter of a function.
 *
 * They come from --input by name or in order (fields of tuples as NAME.0, NAME.0.1), or are made at
 * random. The parameter of each --input is decided once (take_apart), by the names of the
 * parameters. Given inputs are read first, so that their dimensions bind the symbols that random
 * values need. The VM checks all arguments at the call; this file only checks what the VM cannot
 * report. */
#include "vm/cli/cli.h"

#include <rlx/floats.h>
#include <rlx/packed.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/cli/npy.h"
#include "vm/cli/tensorproto.h"

enum { MAX_PATH_DEPTH = 16, MAX_SHAPE = 64, MAX_NAME = 256, MAX_PATH = 160 };

/* A part of an argument: the parameter, and a path such as ".0.1". */
typedef struct place {
    uint32_t param;
    char path[MAX_PATH];
} place;

typedef struct maker {
    const cli_call *call;
    cli_session *session;
    cli_named inputs[CLI_MAX_NAMED]; /* index RLX_NONE: without a name */
    bool used[CLI_MAX_NAMED];
    rlx_str *params; /* names */
    uint32_t n_params;
    uint32_t next;  /* first positional input not used */
    uint64_t state; /* of the random numbers */
    bool usage;     /* the user can fix the failure on the command line */
} maker;

/* --- values from text --- */

static rlx_status parse_shape(const char *text, rlx_value *out, rlx_error *err)
{
    int64_t dims[MAX_SHAPE];
    uint32_t n = 0;
    const char *at = text;
    while (*at) {
        const char *comma = strchr(at, ',');
        const char *end = comma ? comma : at + strlen(at);
        if (n == MAX_SHAPE || !cli_parse_i64(at, end, &dims[n++]))
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "'shape:%s' is not a list of at most %d numbers", text, MAX_SHAPE);
        at = comma ? comma + 1 : end;
    }
    rlx_shape *shape = NULL;
    RLX_TRY(rlx_shape_create(NULL, n, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

/* A tensor of no dimensions with the value |v|, an int or a float. */
static rlx_status scalar_tensor(rlx_dtype dtype, rlx_value v, rlx_value *out, rlx_error *err)
{
    const bool is_int = v.kind == RLX_KIND_INT;
    char name[24];
    if (dtype.bits == 0)
        dtype = is_int ? RLX_I64 : RLX_F32;
    const bool wants_float = rlx_dtype_is_float(dtype);
    if (!is_int && !wants_float)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a float is not a valid %s",
                        rlx_dtype_name(dtype, name));
    const double f = is_int ? (double)v.as.i : v.as.f;
    uint64_t bits = wants_float ? rlx_float_encode(dtype, f) : (uint64_t)v.as.i;
    if (dtype.code == RLX_BOOL)
        bits = v.as.i != 0;
    if (dtype.code == RLX_INT || dtype.code == RLX_UINT) {
        const unsigned unused = 64u - dtype.bits;
        int64_t back = dtype.code == RLX_INT ? (int64_t)(bits << unused) >> unused
                                             : (int64_t)(bits << unused >> unused);
        if (back != v.as.i || (dtype.code == RLX_UINT && v.as.i < 0))
            return rlx_fail(err, RLX_E_INVALID_ARG, "%lld does not fit in %s", (long long)v.as.i,
                            rlx_dtype_name(dtype, name));
    }
    rlx_tensor *t = NULL;
    RLX_TRY(rlx_tensor_create(NULL, dtype, 0, NULL, &t, err));
    memcpy(rlx_tensor_mutable_data(t), &bits, rlx_tensor_nbytes(t)); /* little-endian host */
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* A tensor of rank 0 if the parameter is a tensor, else the value in the parameter's kind. */
static rlx_status scalar(const rlx_type_info *type, rlx_value v, rlx_value *out, rlx_error *err)
{
    if (type->kind == RLX_TYPE_TENSOR)
        return scalar_tensor(type->dtype, v, out, err);
    if (type->kind == RLX_TYPE_PRIM && type->dtype.code == RLX_BOOL && v.kind == RLX_KIND_INT)
        v = rlx_bool(v.as.i != 0);
    if (type->kind == RLX_TYPE_PRIM && type->dtype.code == RLX_FLOAT && v.kind == RLX_KIND_INT)
        v = rlx_float((double)v.as.i);
    *out = v;
    return RLX_OK;
}

/* |t|, stored in .npy with another type, as a tensor of |dtype|: bits as floats, bytes as packed
 * elements. */
static rlx_status converted(const rlx_tensor *t, rlx_dtype dtype, rlx_value *out, rlx_error *err)
{
    rlx_tensor *to = NULL;
    char name[24];
    RLX_TRY(rlx_tensor_create(NULL, dtype, rlx_tensor_ndim(t), rlx_tensor_dims(t), &to, err));
    *out = rlx_of_tensor(to);
    if (!rlx_dtype_is_packed(dtype)) {
        if (rlx_tensor_nbytes(t) > 0)
            memcpy(rlx_tensor_mutable_data(to), rlx_tensor_data(t), rlx_tensor_nbytes(t));
        return RLX_OK;
    }
    if (rlx_tensor_nbytes(to) > 0)
        memset(rlx_tensor_mutable_data(to), 0, rlx_tensor_nbytes(to));
    const unsigned char *bytes = rlx_tensor_data(t);
    for (size_t i = 0; i < rlx_tensor_nbytes(t); i++) {
        const int64_t value = dtype.code == RLX_INT ? (int8_t)bytes[i] : bytes[i];
        if (!rlx_packed_fits(dtype, value)) {
            rlx_value_clear(out);
            return rlx_fail(err, RLX_E_INVALID_ARG, "element %zu is %lld, which is not a valid %s",
                            i, (long long)value, rlx_dtype_name(dtype, name));
        }
        rlx_packed_set(dtype, rlx_tensor_mutable_data(to), i, value);
    }
    return RLX_OK;
}

/* The type that .npy files use for |t|. */
static rlx_dtype npy_type(rlx_dtype t)
{
    if (rlx_dtype_is_packed(t))
        return RLX_DTYPE(t.code, 8);
    return rlx_dtype_is_float(t) && t.code != RLX_FLOAT ? RLX_DTYPE(RLX_UINT, t.bits) : t;
}

rlx_status cli_read_value(const char *text, const rlx_type_info *type, rlx_value *out,
                          rlx_error *err)
{
    if (strncmp(text, "shape:", 6) == 0)
        return parse_shape(text + 6, out, err);
    if (strncmp(text, "int:", 4) == 0) {
        int64_t value;
        if (!cli_parse_i64(text + 4, text + strlen(text), &value))
            return rlx_fail(err, RLX_E_INVALID_ARG, "'%s' is not an integer", text);
        return scalar(type, rlx_int(value), out, err);
    }
    if (strncmp(text, "float:", 6) == 0) {
        char *end;
        double value = strtod(text + 6, &end);
        if (end == text + 6 || *end != '\0')
            return rlx_fail(err, RLX_E_INVALID_ARG, "'%s' is not a number", text);
        return scalar(type, rlx_float(value), out, err);
    }
    rlx_tensor *t = NULL;
    const size_t length = strlen(text);
    const bool is_pb = length >= 3 && strcmp(text + length - 3, ".pb") == 0;
    if (is_pb) {
        RLX_TRY(onnxproto_read(text, out, err));
        if (out->kind != RLX_KIND_TENSOR)
            return RLX_OK;
        t = out->as.tensor;
        *out = rlx_none();
    } else {
        RLX_TRY(npy_read(text, &t, err));
    }
    if (type->kind == RLX_TYPE_TENSOR && !rlx_dtype_eq(rlx_tensor_dtype(t), type->dtype) &&
        rlx_dtype_eq(rlx_tensor_dtype(t), npy_type(type->dtype))) {
        rlx_status status = converted(t, type->dtype, out, err);
        rlx_value_release(rlx_of_tensor(t));
        return status;
    }
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* --- symbols from what is given --- */

/* Binds the symbols of |type| to |n| dimensions of an input. */
static rlx_status bind_dims(maker *m, const char *name, const rlx_type_info *type,
                            const int64_t *dims, uint32_t n, rlx_error *err)
{
    cli_symbols *symbols = &m->session->symbols;
    for (uint32_t i = 0; i < n && n == type->n_dims; i++) {
        uint32_t symbol = type->dims[i].index;
        if (type->dims[i].kind != RLX_DIM_BIND || symbol >= symbols->n_symbols)
            continue;
        if (symbols->bound[symbol] && symbols->values[symbol] != dims[i]) {
            char buffer[CLI_NAME_SHOWN];
            m->usage = true;
            return rlx_fail(
                err, RLX_E_SHAPE, "input %s: dimension %u is %lld, but --dim says %s=%lld", name, i,
                (long long)dims[i], cli_symbol_name(symbols, symbol, buffer, sizeof buffer),
                (long long)symbols->values[symbol]);
        }
        symbols->values[symbol] = dims[i];
        symbols->bound[symbol] = true;
    }
    return RLX_OK;
}

static rlx_status bind_value(maker *m, const char *name, const rlx_type_info *type, rlx_value v,
                             rlx_error *err)
{
    if (type->kind == RLX_TYPE_TENSOR && type->rank_known && v.kind == RLX_KIND_TENSOR)
        return bind_dims(m, name, type, rlx_tensor_dims(v.as.tensor), rlx_tensor_ndim(v.as.tensor),
                         err);
    if (type->kind == RLX_TYPE_SHAPE && type->rank_known && v.kind == RLX_KIND_SHAPE)
        return bind_dims(m, name, type, rlx_shape_dims(v.as.shape), rlx_shape_ndim(v.as.shape),
                         err);
    if (type->kind == RLX_TYPE_PRIM && v.kind == RLX_KIND_INT)
        return bind_dims(m, name, type, &v.as.i, 1, err);
    return RLX_OK;
}

/* --- arguments --- */

static const char *place_text(const maker *m, const place *at, char name[MAX_NAME])
{
    cli_name_text(m->params[at->param], name, MAX_NAME / 2);
    snprintf(name + strlen(name), MAX_NAME - strlen(name), "%s", at->path);
    return name;
}

/* True if the text is meant as NAME=VALUE though no parameter has that name; else it is a file. */
static bool names_nothing(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals && equals != text && access(text, F_OK) != 0;
}

/* Finds the parameter of each --input. */
static int take_apart(maker *m, rlx_str function)
{
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        const char *text = m->call->inputs[i];
        if (cli_split(text, m->params, m->n_params, &m->inputs[i]))
            continue;
        m->inputs[i] = (cli_named){.index = RLX_NONE, .value = text};
        if (names_nothing(text)) {
            const rlx_str name = {text, strcspn(text, "=")};
            cli_complain_of_name(name, m->params, m->n_params,
                                 "input '%.*s' matches no parameter of %.*s", (int)name.len,
                                 name.data, (int)function.len, function.data);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

/* The input for |at|: by name or, for whole parameters, the next one without a name. */
static const char *find_input(maker *m, const place *at, bool positional)
{
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        const cli_named *input = &m->inputs[i];
        if (!m->used[i] && input->index == at->param &&
            rlx_str_eq(input->path, rlx_str_from(at->path))) {
            m->used[i] = true;
            return input->value;
        }
    }
    while (positional && m->next < m->call->n_inputs) {
        uint32_t i = m->next++;
        if (!m->used[i] && m->inputs[i].index == RLX_NONE) {
            m->used[i] = true;
            return m->inputs[i].value;
        }
    }
    return NULL;
}

/* The number of fields NAME.0, NAME.1, ... given, for parameters of unknown type. */
static uint32_t given_fields(const maker *m, const place *at)
{
    uint32_t n = 0;
    const size_t length = strlen(at->path);
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        rlx_str path = m->inputs[i].path;
        if (m->inputs[i].index != at->param || path.len <= length ||
            memcmp(path.data, at->path, length) != 0 || path.data[length] != '.')
            continue;
        path = (rlx_str){path.data + length, path.len - length};
        const uint64_t field = cli_next_field(&path);
        n = field < CLI_MAX_NAMED && field + 1 > n ? (uint32_t)field + 1 : n;
    }
    return n;
}

static rlx_status make_value(maker *m, const place *at, uint32_t type_index, uint32_t depth,
                             rlx_value *out, rlx_error *err);

static rlx_status make_tuple(maker *m, const place *at, const rlx_type_info *type, uint32_t n,
                             uint32_t depth, rlx_value *out, rlx_error *err)
{
    rlx_value *items = calloc(n ? n : 1, sizeof *items);
    if (!items)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory");
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < n && status == RLX_OK; i++) {
        place field = {.param = at->param};
        const int length = snprintf(field.path, sizeof field.path, "%s.%u", at->path, i);
        uint32_t child = type->kind == RLX_TYPE_TUPLE ? type->children[i] : RLX_NONE;
        if (length < 0 || (size_t)length >= sizeof field.path)
            status = rlx_fail(err, RLX_E_INVALID_ARG, "a tuple is nested too deeply");
        else
            status = make_value(m, &field, child, depth + 1, &items[i], err);
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

/* The value of |text|; binds symbols to its dimensions. */
static rlx_status given_value(maker *m, const char *name, const char *text,
                              const rlx_type_info *type, rlx_value *out, rlx_error *err)
{
    struct stat st;
    rlx_value v = rlx_none();
    if (stat(text, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        RLX_TRY(cli_take_bytes(&m->session->budget, (uint64_t)st.st_size, name, err));
    rlx_status status = cli_read_value(text, type, &v, err);
    if (status != RLX_OK) {
        rlx_error_prefix(err, "input %s: ", name);
        return status;
    }
    status = bind_value(m, name, type, v, err);
    if (status != RLX_OK)
        rlx_value_release(v);
    else
        *out = v;
    return status;
}

static rlx_type_info type_of(const maker *m, uint32_t type_index)
{
    rlx_type_info type = {.kind = RLX_TYPE_OBJECT};
    if (type_index != RLX_NONE)
        (void)rlx_executable_type(m->session->exe, type_index, &type);
    return type;
}

static rlx_status make_value(maker *m, const place *at, uint32_t type_index, uint32_t depth,
                             rlx_value *out, rlx_error *err)
{
    const rlx_type_info type = type_of(m, type_index);
    char name[MAX_NAME];
    place_text(m, at, name);
    if (depth > MAX_PATH_DEPTH)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: nested too deeply", name);
    const char *text = find_input(m, at, depth == 0 && type.kind != RLX_TYPE_TUPLE);
    if (text)
        return given_value(m, name, text, &type, out, err);
    uint32_t fields = type.kind == RLX_TYPE_TUPLE ? type.n_children : given_fields(m, at);
    if (type.kind == RLX_TYPE_TUPLE || fields > 0)
        return make_tuple(m, at, &type, fields, depth, out, err);
    if (m->call->random)
        return cli_random_value(&m->session->symbols, &m->session->budget, &m->state, name, &type,
                                out, &m->usage, err);
    m->usage = true;
    return rlx_fail(err, RLX_E_INVALID_ARG, "no input for parameter %s", name);
}

/* First the arguments that the command line gives completely, then the rest. */
static rlx_status make_all(maker *m, bool *made, rlx_error *err)
{
    cli_session *s = m->session;
    char name[MAX_NAME];
    for (uint32_t i = 0; i < s->n_args; i++) {
        const rlx_type_info type = type_of(m, rlx_function_param_type(s->exe, s->function, i));
        const place at = {.param = i};
        const bool whole = type.kind != RLX_TYPE_TUPLE && given_fields(m, &at) == 0;
        const char *text = find_input(m, &at, whole);
        made[i] = text != NULL;
        if (text)
            RLX_TRY(given_value(m, place_text(m, &at, name), text, &type, &s->args[i], err));
    }
    for (uint32_t i = 0; i < s->n_args; i++) {
        const place at = {.param = i};
        if (!made[i])
            RLX_TRY(make_value(m, &at, rlx_function_param_type(s->exe, s->function, i), 0,
                               &s->args[i], err));
    }
    return RLX_OK;
}

/* True if a used input has the name of input |i|. */
static bool is_second(const maker *m, uint32_t i)
{
    bool found = false;
    for (uint32_t k = 0; k < m->call->n_inputs && !found; k++)
        found = m->used[k] && m->inputs[i].index != RLX_NONE &&
                m->inputs[k].index == m->inputs[i].index &&
                rlx_str_eq(m->inputs[k].path, m->inputs[i].path);
    return found;
}

static int check_all_used(const maker *m, rlx_str function)
{
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        if (m->used[i])
            continue;
        const char *text = m->call->inputs[i];
        if (is_second(m, i)) {
            cli_complain("input '%.*s' is given twice", (int)(m->inputs[i].value - text) - 1, text);
            return CLI_USAGE;
        }
        const rlx_str name = {text, m->inputs[i].index == RLX_NONE
                                        ? strlen(text)
                                        : (size_t)(m->inputs[i].value - text) - 1};
        cli_complain_of_name(name, m->params, m->n_params,
                             "input '%.*s' matches no parameter of %.*s", (int)name.len, name.data,
                             (int)function.len, function.data);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int make_args(maker *m, rlx_str function, bool *made)
{
    rlx_error err = {0};
    int status = take_apart(m, function);
    if (status != CLI_OK)
        return status;
    if (make_all(m, made, &err) == RLX_OK)
        return check_all_used(m, function);
    cli_complain("%s", err.message);
    return m->usage ? CLI_USAGE : CLI_FAILED;
}

int cli_make_args(const cli_call *call, cli_session *session)
{
    rlx_function_info info;
    (void)rlx_executable_function(session->exe, session->function, &info);
    const size_t room = (size_t)info.n_params + 1;
    maker m = {.call = call, .session = session, .state = call->seed, .n_params = info.n_params};
    session->args = calloc(room, sizeof *session->args);
    m.params = calloc(room, sizeof *m.params);
    bool *made = calloc(room, sizeof *made);
    int status = CLI_FAILED;
    if (!session->args || !made || !m.params) {
        cli_complain("out of memory");
    } else {
        session->n_args = info.n_params;
        for (uint32_t i = 0; i < info.n_params; i++)
            m.params[i] = rlx_function_param_name(session->exe, session->function, i);
        status = make_args(&m, info.name, made);
    }
    free(m.params);
    free(made);
    return status;
}
