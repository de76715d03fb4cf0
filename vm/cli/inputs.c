/* Arguments: one value for each parameter of a function.
 *
 * They come from --input by name or in order (fields of tuples as NAME.0, NAME.0.1), or are made at
 * random. What is given is read first, so that its dimensions bind the symbols that the random
 * values need. The VM checks all of them at the call; here only what it cannot say is checked. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "vm/cli/npy.h"
#include "vm/cli/tensorproto.h"

enum { MAX_PATH_DEPTH = 16, MAX_SHAPE = 64, MAX_NAME = 256 };

typedef struct maker {
    const cli_call *call;
    cli_session *session;
    bool used[CLI_MAX_PAIRS];
    uint32_t next;  /* first positional input not used */
    uint64_t state; /* of the random numbers */
    bool usage;     /* the failure is one that the command line can mend */
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
            return rlx_fail(err, RLX_E_INVALID_ARG, "'shape:%s' is no list of at most %d numbers",
                            text, MAX_SHAPE);
        at = comma ? comma + 1 : end;
    }
    rlx_shape *shape = NULL;
    RLX_TRY(rlx_shape_create(NULL, n, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

/* The bits of |f| in a 16-bit format with |mantissa| bits, rounded to nearest even. */
static uint64_t narrow_float(double f, unsigned mantissa)
{
    float single = (float)f;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (mantissa == 7) { /* bfloat16: the upper half */
        bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
        return nan ? bits >> 16 | 64u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    }
    const uint64_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return sign | 0x7e00u;
    if (magnitude >= 0x47800000u)
        return sign | 0x7c00u;
    if (magnitude < 0x38800000u) { /* subnormal: the sum puts the bits at the place that rounds */
        float sum = (single < 0 ? -single : single) + 0.5f;
        uint32_t shifted;
        memcpy(&shifted, &sum, sizeof shifted);
        return sign | (shifted - 0x3f000000u);
    }
    return sign | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}

/* A tensor of no dimensions with the value |v|, an int or a float. */
static rlx_status scalar_tensor(rlx_dtype dtype, rlx_value v, rlx_value *out, rlx_error *err)
{
    const bool is_int = v.kind == RLX_KIND_INT;
    char name[24];
    if (dtype.bits == 0)
        dtype = is_int ? RLX_I64 : RLX_F32;
    const bool wants_float = dtype.code == RLX_FLOAT || dtype.code == RLX_BFLOAT;
    if (!is_int && !wants_float)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a float is no %s", rlx_dtype_name(dtype, name));
    const double f = is_int ? (double)v.as.i : v.as.f;
    const float single = (float)f;
    uint64_t bits = (uint64_t)v.as.i;
    if (wants_float && dtype.bits == 64)
        memcpy(&bits, &f, sizeof f);
    else if (wants_float && dtype.bits == 32)
        memcpy(&bits, &single, sizeof single);
    else if (wants_float)
        bits = narrow_float(f, dtype.code == RLX_BFLOAT ? 7 : 10);
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
    memcpy(rlx_tensor_mutable_data(t), &bits, rlx_dtype_size(dtype)); /* little-endian host */
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* A tensor of no dimensions where the parameter is a tensor, else the value in the parameter's
 * kind. */
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

/* The bits of a uint16 tensor as bfloat16. */
static rlx_status as_bfloat(rlx_tensor *t, rlx_value *out, rlx_error *err)
{
    rlx_tensor *bits = NULL;
    RLX_TRY(rlx_tensor_create(NULL, RLX_BF16, rlx_tensor_ndim(t), rlx_tensor_dims(t), &bits, err));
    if (rlx_tensor_nbytes(t) > 0)
        memcpy(rlx_tensor_mutable_data(bits), rlx_tensor_data(t), rlx_tensor_nbytes(t));
    *out = rlx_of_tensor(bits);
    return RLX_OK;
}

rlx_status cli_read_value(const char *text, const rlx_type_info *type, rlx_value *out,
                          rlx_error *err)
{
    if (strncmp(text, "shape:", 6) == 0)
        return parse_shape(text + 6, out, err);
    if (strncmp(text, "int:", 4) == 0) {
        int64_t value;
        if (!cli_parse_i64(text + 4, text + strlen(text), &value))
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
    if (type->kind == RLX_TYPE_TENSOR && type->dtype.code == RLX_BFLOAT &&
        rlx_dtype_eq(rlx_tensor_dtype(t), RLX_U16)) {
        rlx_status status = as_bfloat(t, out, err);
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
            char buffer[64];
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
        char field[MAX_NAME];
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

/* The value of |text|, and what it says about symbols. */
static rlx_status given_value(maker *m, const char *name, const char *text,
                              const rlx_type_info *type, rlx_value *out, rlx_error *err)
{
    rlx_value v = rlx_none();
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

static rlx_status make_value(maker *m, const char *name, uint32_t type_index, uint32_t depth,
                             rlx_value *out, rlx_error *err)
{
    const rlx_type_info type = type_of(m, type_index);
    if (depth > MAX_PATH_DEPTH)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: nested too deeply", name);
    const char *text = find_input(m, name, depth == 0 && type.kind != RLX_TYPE_TUPLE);
    if (text)
        return given_value(m, name, text, &type, out, err);
    uint32_t fields = type.kind == RLX_TYPE_TUPLE ? type.n_children : given_fields(m, name);
    if (type.kind == RLX_TYPE_TUPLE || fields > 0)
        return make_tuple(m, name, &type, fields, depth, out, err);
    if (m->call->random)
        return cli_random_value(&m->session->symbols, &m->state, name, &type, out, &m->usage, err);
    m->usage = true;
    return rlx_fail(err, RLX_E_INVALID_ARG, "no input for parameter %s", name);
}

static void param_name(const maker *m, uint32_t param, char name[MAX_NAME])
{
    rlx_str text = rlx_function_param_name(m->session->exe, m->session->function, param);
    snprintf(name, MAX_NAME, "%.*s", text.len < MAX_NAME ? (int)text.len : MAX_NAME, text.data);
}

/* What the command line gives whole, then the rest. */
static rlx_status make_all(maker *m, bool *made, rlx_error *err)
{
    cli_session *s = m->session;
    char name[MAX_NAME];
    for (uint32_t i = 0; i < s->n_args; i++) {
        const rlx_type_info type = type_of(m, rlx_function_param_type(s->exe, s->function, i));
        param_name(m, i, name);
        const char *text = find_input(m, name, type.kind != RLX_TYPE_TUPLE);
        made[i] = text != NULL;
        if (text)
            RLX_TRY(given_value(m, name, text, &type, &s->args[i], err));
    }
    for (uint32_t i = 0; i < s->n_args; i++) {
        param_name(m, i, name);
        if (!made[i])
            RLX_TRY(make_value(m, name, rlx_function_param_type(s->exe, s->function, i), 0,
                               &s->args[i], err));
    }
    return RLX_OK;
}

static int check_all_used(const maker *m, rlx_str function)
{
    for (uint32_t i = 0; i < m->call->n_inputs; i++) {
        const cli_pair *pair = &m->call->inputs[i];
        if (m->used[i])
            continue;
        cli_complain("input '%s' fits no parameter of %.*s", pair->name ? pair->name : pair->text,
                     (int)function.len, function.data);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_make_args(const cli_call *call, cli_session *session)
{
    maker m = {.call = call, .session = session, .state = call->seed};
    rlx_function_info info;
    rlx_error err = {0};
    (void)rlx_executable_function(session->exe, session->function, &info);
    session->args = calloc(info.n_params ? info.n_params : 1, sizeof *session->args);
    bool *made = calloc(info.n_params ? info.n_params : 1, sizeof *made);
    int status = CLI_FAILED;
    if (!session->args || !made) {
        cli_complain("out of memory");
    } else {
        session->n_args = info.n_params;
        if (make_all(&m, made, &err) == RLX_OK) {
            status = check_all_used(&m, info.name);
        } else {
            cli_complain("%s", err.message);
            status = m.usage ? CLI_USAGE : CLI_FAILED;
        }
    }
    free(made);
    return status;
}
