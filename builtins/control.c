/* Values and control: tuples, conditions, closures, printing, assertions. */
#include "builtins/builtins.h"

#include <stdio.h>
#include <string.h>

rlx_status rlxb_make_tuple(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    rlx_tuple *tuple = NULL;
    RLX_TRY(rlx_call_make_tuple(cc, n, args, &tuple, err));
    *out = rlx_of_tuple(tuple);
    return RLX_OK;
}

rlx_status rlxb_tuple_getitem(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    (void)cc;
    (void)n;
    int64_t index;
    if (args[0].kind != RLX_KIND_TUPLE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument 0 must be a tuple, is %s",
                        rlx_kind_name((rlx_kind)args[0].kind));
    RLX_TRY(rlxb_int(args, 1, &index, err));
    if (index < 0 || index >= (int64_t)rlx_tuple_count(args[0].as.tuple))
        return rlx_fail(err, RLX_E_INVALID_ARG, "index %lld is out of range for a tuple of %u",
                        (long long)index, rlx_tuple_count(args[0].as.tuple));
    *out = rlx_value_retain(rlx_tuple_get(args[0].as.tuple, (uint32_t)index));
    return RLX_OK;
}

rlx_status rlxb_read_if_cond(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)cc;
    (void)n;
    int64_t value;
    RLX_TRY(rlxb_int(args, 0, &value, err));
    *out = rlx_int(value != 0);
    return RLX_OK;
}

rlx_status rlxb_invoke_closure(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    if (args[0].kind != RLX_KIND_CLOSURE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument 0 must be a closure, is %s",
                        rlx_kind_name((rlx_kind)args[0].kind));
    return rlx_call_closure(cc, args[0].as.closure, args + 1, n - 1, out, err);
}

/* --- text of values --- */

enum { TEXT_BYTES = 2048, SHOWN_ELEMENTS = 64 };

/* Text of bounded length: the rest is cut. */
typedef struct text {
    char data[TEXT_BYTES];
    size_t length;
} text;

static void put(text *t, const char *data, size_t length)
{
    size_t room = sizeof t->data - t->length;
    length = length < room ? length : room;
    memcpy(t->data + t->length, data, length);
    t->length += length;
}

static void put_cstr(text *t, const char *data)
{
    put(t, data, strlen(data));
}

static void put_int(text *t, int64_t value)
{
    char digits[32];
    put(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)value));
}

static bool is_part_of_number(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+';
}

/* With a decimal point in every locale. */
static void put_float(text *t, double value)
{
    char digits[40];
    int n = snprintf(digits, sizeof digits, "%.9g", value);
    for (int i = 0; i < n; i++)
        if (!is_part_of_number(digits[i]))
            digits[i] = '.';
    put(t, digits, (size_t)n);
}

static void put_tensor(text *t, const rlx_tensor *x)
{
    const rlx_dtype dtype = rlx_tensor_dtype(x);
    const int64_t numel = rlx_tensor_numel(x);
    const bool is_float = rlx_dtype_is_float(dtype);
    char name[24];
    put_cstr(t, rlx_dtype_name(dtype, name));
    put_cstr(t, "(");
    for (uint32_t i = 0; i < rlx_tensor_ndim(x); i++) {
        put_cstr(t, i ? ", " : "");
        put_int(t, rlx_tensor_dims(x)[i]);
    }
    put_cstr(t, ")[");
    for (int64_t i = 0; i < numel && i < SHOWN_ELEMENTS; i++) {
        put_cstr(t, i ? ", " : "");
        if (is_float)
            put_float(
                t, rlx_float_decode(dtype, (uint64_t)rlxb_read_int(dtype, rlx_tensor_data(x), i)));
        else
            put_int(t, rlxb_read_int(dtype, rlx_tensor_data(x), i));
    }
    put_cstr(t, numel > SHOWN_ELEMENTS ? ", ...]" : "]");
}

static void put_value(text *t, rlx_value v)
{
    switch ((rlx_kind)v.kind) {
    case RLX_KIND_INT:
        put_int(t, v.as.i);
        return;
    case RLX_KIND_BOOL:
        put_cstr(t, v.as.i ? "True" : "False");
        return;
    case RLX_KIND_FLOAT:
        put_float(t, v.as.f);
        return;
    case RLX_KIND_DTYPE: {
        char name[24];
        put_cstr(t, rlx_dtype_name(v.as.dtype, name));
        return;
    }
    case RLX_KIND_TENSOR:
        put_tensor(t, v.as.tensor);
        return;
    case RLX_KIND_SHAPE:
        put_cstr(t, "(");
        for (uint32_t i = 0; i < rlx_shape_ndim(v.as.shape) && i < SHOWN_ELEMENTS; i++) {
            put_cstr(t, i ? ", " : "");
            put_int(t, rlx_shape_dims(v.as.shape)[i]);
        }
        put_cstr(t, ")");
        return;
    case RLX_KIND_STRING: {
        rlx_str s = rlx_string_get(v.as.string);
        put(t, s.data, s.len);
        return;
    }
    case RLX_KIND_NONE:
    case RLX_KIND_TUPLE: /* only the kind's name: nesting is not followed */
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        put_cstr(t, rlx_kind_name((rlx_kind)v.kind));
        return;
    }
}

/* Python's str.format with only "{}" and "{{"; remaining values are appended. */
static void format(text *t, rlx_str pattern, const rlx_value *values, uint32_t n)
{
    uint32_t next = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        bool pair = i + 1 < pattern.len;
        if (pair && pattern.data[i] == '{' && pattern.data[i + 1] == '}' && next < n) {
            put_value(t, values[next++]);
            i++;
        } else {
            put(t, pattern.data + i, 1);
            i += pair && (pattern.data[i] == '{' || pattern.data[i] == '}') &&
                 pattern.data[i + 1] == pattern.data[i];
        }
    }
    for (; next < n; next++) {
        put_cstr(t, t->length ? " " : "");
        put_value(t, values[next]);
    }
}

rlx_status rlxb_print(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                      rlx_error *err)
{
    (void)err;
    text t = {.length = 0};
    format(&t, rlxb_text(args, n, 0), args + 1, n - 1);
    put_cstr(&t, "\n");
    rlx_call_output(cc, (rlx_str){t.data, t.length});
    *out = rlx_none();
    return RLX_OK;
}

rlx_status rlxb_assert(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)cc;
    int64_t holds;
    RLX_TRY(rlxb_int(args, 0, &holds, err));
    *out = rlx_none();
    if (holds)
        return RLX_OK;
    text t = {.length = 0};
    if (n > 1)
        format(&t, rlxb_text(args, n, 1), args + 2, n - 2);
    return rlx_fail(err, RLX_E_KERNEL, "Assertion Failed%s%.*s", t.length ? ": " : "",
                    (int)t.length, t.data);
}
