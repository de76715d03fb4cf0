/* A reader of safetensors headers: JSON, an object of objects. See safetensors.h.

   It goes through the text once for each name and keeps nothing. Names are compared as they are
   spelled in the file: one with escapes is not found. Text that is not JSON is an error where it is
   met; what is skipped need only have matching brackets. */
#include "vm/safetensors.h"

#include <rlx/checked.h>
#include <string.h>

typedef struct scanner {
    const char *p, *end;
} scanner;

static char next_of(scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
    return s->p < s->end ? *s->p : '\0';
}

static bool take(scanner *s, char c)
{
    const bool there = c != '\0' && next_of(s) == c;
    s->p += there;
    return there;
}

/* A string, without its quotes. */
static bool take_text(scanner *s, rlx_str *out)
{
    if (!take(s, '"'))
        return false;
    const char *start = s->p;
    while (s->p < s->end && *s->p != '"')
        s->p += *s->p == '\\' && s->end - s->p > 1 ? 2 : 1;
    *out = (rlx_str){start, (size_t)(s->p - start)};
    return take(s, '"');
}

static bool take_number(scanner *s, uint64_t *out)
{
    const char first = next_of(s);
    *out = 0;
    for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
        if (__builtin_mul_overflow(*out, 10u, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*s->p - '0'), out))
            return false;
    return first >= '0' && first <= '9';
}

/* Any value. */
static bool skip(scanner *s)
{
    rlx_str ignored;
    size_t depth = 0;
    do {
        const char c = next_of(s);
        const bool closes = c == '}' || c == ']';
        if (c == '"' ? !take_text(s, &ignored) : s->p == s->end || (closes && depth == 0))
            return false;
        depth += c == '{' || c == '[';
        depth -= closes;
        s->p += c != '"';
        while (depth == 0 && c != '"' && !closes && s->p < s->end && !strchr(",]} \t\r\n", *s->p))
            s->p++;
    } while (depth > 0);
    return true;
}

/* A list of at most |most| numbers. */
static bool take_numbers(scanner *s, uint64_t *out, uint32_t most, uint32_t *out_n)
{
    *out_n = 0;
    if (!take(s, '['))
        return false;
    while (!take(s, ']')) {
        if ((*out_n > 0 && !take(s, ',')) || *out_n == most || !take_number(s, &out[*out_n]))
            return false;
        ++*out_n;
    }
    return true;
}

static rlx_dtype dtype_named(rlx_str name)
{
    static const struct {
        char name[8];
        uint8_t code, bits;
    } rows[] = {
#define RLX_SAFETENSOR(text, code, bits) {text, code, bits},
#include <rlx/safetensors.def>
#undef RLX_SAFETENSOR
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rlx_str_eq(name, rlx_str_from(rows[i].name)))
            return RLX_DTYPE(rows[i].code, rows[i].bits);
    return (rlx_dtype){0, 0, 0};
}

static bool take_tensor(scanner *s, rlxv_safetensor *out)
{
    uint64_t dims[RLX_MAX_NDIM], at[2];
    uint32_t n_offsets = 0;
    bool shaped = false;
    rlx_str key, type = {NULL, 0};
    *out = (rlxv_safetensor){0};
    if (!take(s, '{'))
        return false;
    do {
        bool good;
        if (!take_text(s, &key) || !take(s, ':'))
            return false;
        if (rlx_str_eq(key, RLX_STR("dtype")))
            good = take_text(s, &type);
        else if (rlx_str_eq(key, RLX_STR("shape")))
            good = shaped = take_numbers(s, dims, RLX_MAX_NDIM, &out->ndim);
        else if (rlx_str_eq(key, RLX_STR("data_offsets")))
            good = take_numbers(s, at, 2, &n_offsets);
        else
            good = skip(s);
        if (!good)
            return false;
    } while (take(s, ','));
    if (!take(s, '}') || !shaped || n_offsets != 2 || at[1] < at[0])
        return false;
    out->dtype = dtype_named(type);
    for (uint32_t i = 0; i < out->ndim; i++)
        out->dims[i] = dims[i] <= INT64_MAX ? (int64_t)dims[i] : -1;
    out->begin = at[0];
    out->nbytes = at[1] - at[0];
    return true;
}

const char *rlxv_safetensors_find(rlx_str header, uint64_t data_size, rlx_str name,
                                  rlxv_safetensor *out)
{
    scanner s = {header.data, header.data + header.len};
    rlx_str key;
    size_t nbytes;
    if (!take(&s, '{'))
        return "the header is not a JSON object";
    if (take(&s, '}'))
        return "there is none";
    do {
        if (!take_text(&s, &key) || !take(&s, ':'))
            return "the header is not JSON";
        if (rlx_str_eq(key, name)) {
            if (!take_tensor(&s, out))
                return "its entry is malformed";
            if (out->dtype.bits == 0 || !rlx_nbytes(out->dims, out->ndim, out->dtype, &nbytes) ||
                nbytes != out->nbytes)
                return "its type, shape and size do not fit";
            if (out->begin > data_size || nbytes > data_size - out->begin)
                return "it leaves the file";
            return NULL;
        }
        if (!skip(&s))
            return "the header is not JSON";
    } while (take(&s, ','));
    return "there is none";
}
