/* Reads the schema text of operator rows, and typed access to a call's attributes.
 *
 * Schema text is constant and part of the compiler; a text that does not parse is a bug in a row,
 * found by the tests over all rows (a schema that ends early). Names point into the row's text. */
#include "compiler/ir/op.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static const char *skip_name(const char *p)
{
    while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
           *p == '_')
        p++;
    return p;
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static char input_kind(const char *word, size_t length)
{
    static const struct {
        const char *word;
        char kind;
    } kinds[] = {{"shape", 's'}, {"prim", 'p'},   {"dtype", 'd'},
                 {"str", 'q'},   {"object", 'o'}, {"closure", 'c'}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (word_is(word, length, kinds[i].word))
            return kinds[i].kind;
    return '\0';
}

uint32_t rlxc_operator_inputs(const rlxc_operator *op, rlxc_op_input *out, bool *out_variadic)
{
    const char *p = skip_spaces(op->inputs);
    uint32_t n = 0;
    *out_variadic = false;
    while (*p != '\0' && n < RLXC_MAX_OP_INPUTS) {
        rlxc_op_input input = {.name = p, .kind = 't'};
        p = skip_name(p);
        input.name_length = (size_t)(p - input.name);
        assert(input.name_length > 0);
        if (strncmp(p, "...", 3) == 0) {
            *out_variadic = true;
            p += 3;
        }
        if (*p == '*') {
            input.is_tuple = true;
            p++;
        }
        if (*p == ':') {
            const char *word = ++p;
            p = skip_name(p);
            input.is_index = word_is(word, (size_t)(p - word), "index");
            input.is_host = word_is(word, (size_t)(p - word), "host");
            input.kind =
                input.is_index || input.is_host ? 't' : input_kind(word, (size_t)(p - word));
            assert(input.kind);
        }
        if (*p == '?') {
            input.optional = true;
            p++;
        }
        out[n++] = input;
        p = skip_spaces(p);
        if (*p == ',')
            p = skip_spaces(p + 1);
    }
    assert(*p == '\0');
    return n;
}

static rlxc_op_attr_kind attr_kind(const char *word, size_t length)
{
    static const struct {
        const char *word;
        rlxc_op_attr_kind kind;
    } kinds[] = {{"int", RLXC_OPATTR_INT},         {"float", RLXC_OPATTR_FLOAT},
                 {"bool", RLXC_OPATTR_BOOL},       {"text", RLXC_OPATTR_STR},
                 {"str", RLXC_OPATTR_STR},         {"order", RLXC_OPATTR_STR},
                 {"dtype", RLXC_OPATTR_DTYPE},     {"ints", RLXC_OPATTR_INTS},
                 {"vdevice", RLXC_OPATTR_VDEVICE}, {"device", RLXC_OPATTR_DEVICE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (word_is(word, length, kinds[i].word))
            return kinds[i].kind;
    assert(word_is(word, length, "any"));
    return RLXC_OPATTR_ANY;
}

static rlxc_attr parse_ints(rlxc_context *ctx, const char *text, const char *end)
{
    int64_t values[16];
    uint32_t n = 0;
    const char *p = text + 1;
    while (p < end && *p != ']' && n < 16) {
        char *after;
        values[n++] = strtoll(p, &after, 10);
        p = skip_spaces(after);
        if (*p == ',')
            p = skip_spaces(p + 1);
    }
    return rlxc_attr_ints(ctx, values, n);
}

/* "0.1", "1e-05". The point is removed before the C library reads the digits, because its decimal
 * separator depends on the host's locale. */
static double parse_float(const char *text)
{
    char digits[40];
    size_t n = 0;
    int exponent = 0;
    bool after_point = false;
    for (;
         n < sizeof digits - 16 && ((*text >= '0' && *text <= '9') || *text == '-' || *text == '.');
         text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        digits[n++] = *text;
        exponent -= after_point;
    }
    if (*text == 'e')
        exponent += (int)strtol(text + 1, NULL, 10);
    snprintf(digits + n, sizeof digits - n, "e%d", exponent);
    return strtod(digits, NULL);
}

/* The value between |text| and |end|, read as |kind| says. */
static rlxc_attr default_value(rlxc_context *ctx, rlxc_op_attr_kind kind, const char *text,
                               const char *end)
{
    size_t length = (size_t)(end - text);
    if (word_is(text, length, "None"))
        return (rlxc_attr){.kind = RLXC_ATTR_NONE};
    switch (kind) {
    case RLXC_OPATTR_INT:
        return rlxc_attr_int(strtoll(text, NULL, 10));
    case RLXC_OPATTR_FLOAT:
        return rlxc_attr_float(parse_float(text));
    case RLXC_OPATTR_BOOL:
        return rlxc_attr_bool(word_is(text, length, "True"));
    case RLXC_OPATTR_STR:
        return rlxc_attr_string(ctx, rlxc_intern(ctx, text + 1, length - 2));
    case RLXC_OPATTR_DTYPE: {
        rlx_dtype dtype = rlxc_dtype_void();
        bool known = rlxc_dtype_parse(text, length, &dtype);
        assert(known);
        (void)known;
        return rlxc_attr_dtype(dtype);
    }
    case RLXC_OPATTR_INTS:
        return parse_ints(ctx, text, end);
    case RLXC_OPATTR_VDEVICE:
    case RLXC_OPATTR_DEVICE:
    case RLXC_OPATTR_ANY:
        break;
    }
    return (rlxc_attr){.kind = RLXC_ATTR_NONE};
}

/* Reads the attribute at |*p| except its default, which is the text from |*out_value| (NULL: none)
 * to |*out_end|, and advances to the next. False at the end. */
static bool next_attr(const char **p, rlxc_op_attr *out, const char **out_value,
                      const char **out_end)
{
    const char *at = skip_spaces(*p);
    if (*at == '\0')
        return false;
    *out = (rlxc_op_attr){.name = at};
    *out_value = *out_end = NULL;
    at = skip_name(at);
    out->name_length = (size_t)(at - out->name);
    if (*at == '=') {
        *out_value = ++at;
        char close = *at == '[' ? ']' : *at == '"' ? '"' : '\0';
        if (close) {
            at = strchr(at + 1, close);
            assert(at);
            at++;
        } else {
            at += strcspn(at, ":");
        }
        *out_end = at;
    }
    assert(*at == ':');
    const char *word = ++at;
    at = skip_name(at);
    out->kind = attr_kind(word, (size_t)(at - word));
    out->is_order = word_is(word, (size_t)(at - word), "order");
    if (*at == '(') {
        out->choices = ++at;
        at += strcspn(at, ")");
        out->choices_length = (size_t)(at - out->choices);
        at++;
    }
    if (*at == '?') {
        out->optional = true;
        at++;
    }
    at = skip_spaces(at);
    *p = *at == ',' ? at + 1 : at;
    return true;
}

void rlxc_operator_schema(rlxc_context *ctx, const rlxc_operator *op, rlxc_op_schema *out)
{
    *out = (rlxc_op_schema){0};
    out->n_inputs = rlxc_operator_inputs(op, out->inputs, &out->variadic);
    const char *p = op->attrs, *value, *end;
    rlxc_op_attr attr;
    while (out->n_attrs < RLXC_MAX_OP_ATTRS && next_attr(&p, &attr, &value, &end)) {
        if (value) {
            attr.has_default = true;
            attr.default_value = default_value(ctx, attr.kind, value, end);
        }
        out->attrs[out->n_attrs++] = attr;
    }
    assert(*p == '\0');
}

static bool is_order_of(const char *value, const char *letters, size_t n)
{
    bool fits = strlen(value) == n;
    for (size_t i = 0; i < n && fits; i++)
        fits = memchr(value, letters[i], n) != NULL;
    return fits;
}

/* True if |value| is one of the alternatives, separated by bars, in the |n| characters at
 * |choices|. */
static bool is_listed(const char *value, const char *list, size_t n)
{
    size_t length = strlen(value);
    for (const char *p = list, *end = list + n; p <= end; p++) {
        const char *bar = memchr(p, '|', (size_t)(end - p));
        const char *stop = bar ? bar : end;
        if (length == (size_t)(stop - p) && memcmp(value, p, length) == 0)
            return true;
        p = stop;
    }
    return false;
}

bool rlxc_operator_wrong_choice(const rlxc_binding *call, rlxc_op_attr *out, const char **out_value)
{
    const char *p = call->op->attrs, *text, *end;
    if (!strchr(p, '(')) /* no alternatives listed */
        return false;
    for (rlxc_op_attr attr; next_attr(&p, &attr, &text, &end);)
        for (uint32_t i = 0; i < call->attrs.count && attr.choices_length > 0; i++) {
            const rlxc_attr *given = &call->attrs.values[i];
            const char *key = call->attrs.keys[i], *value = given->s;
            if (given->kind != RLXC_ATTR_STRING || !word_is(attr.name, attr.name_length, key) ||
                (attr.is_order && attr.optional && value[0] == '\0'))
                continue;
            if (attr.is_order ? is_order_of(value, attr.choices, attr.choices_length)
                              : is_listed(value, attr.choices, attr.choices_length))
                continue;
            *out = attr;
            *out_value = value;
            return true;
        }
    return false;
}

const char *rlxc_op_attr_choices(rlxc_context *ctx, const rlxc_op_attr *attr)
{
    const char *text = "", *p = attr->choices, *end = p + attr->choices_length;
    if (attr->is_order)
        return rlxc_internf(ctx, "an order of \"%.*s\"", (int)attr->choices_length, p);
    for (;;) {
        const char *bar = memchr(p, '|', (size_t)(end - p)), *stop = bar ? bar : end;
        const char *between = p == attr->choices ? "" : bar ? ", " : " or ";
        text = rlxc_internf(ctx, "%s%s\"%.*s\"", text, between, (int)(stop - p), p);
        if (!bar)
            return text;
        p = bar + 1;
    }
}

int64_t rlxc_attr_get_int(const rlxc_binding *call, const char *name, int64_t otherwise)
{
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, name);
    int64_t value;
    return attr && rlxc_attr_as_int(attr, &value) ? value : otherwise;
}

bool rlxc_attr_get_bool(const rlxc_binding *call, const char *name, bool otherwise)
{
    return rlxc_attr_get_int(call, name, otherwise) != 0;
}

bool rlxc_attr_as_number(const rlxc_attr *attr, double *out)
{
    int64_t whole;
    if (attr->kind == RLXC_ATTR_FLOAT)
        *out = attr->f;
    else if (attr->kind == RLXC_ATTR_EXPR && attr->expr->kind == RLXC_EXPR_FLOAT)
        *out = attr->expr->f;
    else if (rlxc_attr_as_int(attr, &whole))
        *out = (double)whole;
    else
        return false;
    return true;
}

double rlxc_attr_get_float(const rlxc_binding *call, const char *name, double otherwise)
{
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, name);
    double value;
    return attr && rlxc_attr_as_number(attr, &value) ? value : otherwise;
}

const char *rlxc_attr_get_str(const rlxc_binding *call, const char *name, const char *otherwise)
{
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, name);
    return attr && attr->kind == RLXC_ATTR_STRING ? attr->s : otherwise;
}

rlx_dtype rlxc_attr_get_dtype(const rlxc_binding *call, const char *name)
{
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, name);
    rlx_dtype dtype = rlxc_dtype_void();
    if (attr && attr->kind == RLXC_ATTR_DTYPE)
        return attr->dtype;
    if (attr && attr->kind == RLXC_ATTR_STRING &&
        !rlxc_dtype_parse(attr->s, strlen(attr->s), &dtype))
        dtype = rlxc_dtype_void();
    return dtype;
}

bool rlxc_attr_get_ints(const rlxc_binding *call, const char *name, int64_t *out, uint32_t capacity,
                        uint32_t *out_n)
{
    *out_n = 0;
    const rlxc_attr *attr = rlxc_attrs_find(&call->attrs, name);
    if (!attr || attr->kind == RLXC_ATTR_NONE)
        return false;
    if (attr->kind != RLXC_ATTR_LIST) {
        if (capacity == 0 || !rlxc_attr_as_int(attr, &out[0]))
            return false;
        *out_n = 1;
        return true;
    }
    for (uint32_t i = 0; i < attr->list.count; i++) {
        if (i == capacity || !rlxc_attr_as_int(&attr->list.items[i], &out[i]))
            return false;
        *out_n = i + 1;
    }
    return true;
}

bool rlxc_permutation(const rlxc_binding *call, int32_t ndim, int64_t *out)
{
    uint32_t n;
    if (!rlxc_attr_get_ints(call, "axes", out, RLXC_MAX_NDIM, &n)) {
        for (int32_t i = 0; i < ndim; i++)
            out[i] = ndim - 1 - i;
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] += out[i] < 0 ? ndim : 0;
    return (int32_t)n == ndim;
}
