/* Status names, error filling, strings and data types, used by all other files.

   Errors are written into the caller's fixed-size rlx_error, so that reporting works when memory is
   out. Text never depends on the locale: only integers and strings are formatted here. */
#include "vm/need.h"

#include <rlx/base.h>

#include <stdio.h>
#include <string.h>

const char *rlx_version(void)
{
    return RLX_VERSION;
}

const char *rlx_status_name(rlx_status status)
{
    switch (status) {
    case RLX_OK:
        return "ok";
    case RLX_E_NOMEM:
        return "out of memory";
    case RLX_E_INVALID_ARG:
        return "invalid argument";
    case RLX_E_INVALID_MODULE:
        return "invalid module";
    case RLX_E_VERSION:
        return "unsupported version";
    case RLX_E_SHAPE:
        return "shape mismatch";
    case RLX_E_NOT_FOUND:
        return "not found";
    case RLX_E_KERNEL:
        return "kernel failure";
    case RLX_E_LIMIT:
        return "limit reached";
    case RLX_E_IO:
        return "input/output error";
    case RLX_E_CANCELLED:
        return "cancelled";
    case RLX_E_INTERNAL:
        return "internal error";
    case RLX_E_SIGNATURE:
        return "signature refused";
    case RLX_E_DEVICE:
        return "device fault";
    }
    return "unknown status";
}

rlx_str rlx_str_from(const char *text)
{
    return (rlx_str){text ? text : "", text ? strlen(text) : 0};
}

bool rlx_str_eq(rlx_str a, rlx_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

rlx_status rlx_fail_v(rlx_error *err, rlx_status code, const char *format, va_list args)
{
    if (err) {
        err->code = code;
        err->where = (rlx_location){0};
        vsnprintf(err->message, sizeof err->message, format, args);
    }
    return code;
}

rlx_status rlx_fail(rlx_error *err, rlx_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rlx_fail_v(err, code, format, args);
    va_end(args);
    return code;
}

void rlx_error_prefix(rlx_error *err, const char *format, ...)
{
    if (!err)
        return;
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof err->message)
        return;
    size_t room = sizeof err->message - (size_t)n, len = strlen(old);
    if (len >= room)
        len = room - 1;
    memcpy(err->message + n, old, len);
    err->message[(size_t)n + len] = 0;
}

/* The length of the UTF-8 character that starts at s[0]; 1 if it is invalid. */
static size_t character(const char *s, size_t left)
{
    const unsigned char c = (unsigned char)s[0];
    const size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < n; i++)
        if (i >= left || ((unsigned char)s[i] & 0xc0u) != 0x80u)
            return 1;
    return n;
}

const char *rlx_name_text(rlx_str name, char *buffer, size_t size)
{
    if (!buffer)
        return "";
    if (!RLXV_IS_STR(name)) {
        if (size > 0)
            buffer[0] = '\0';
        return buffer;
    }
    size_t used = 0, fits = 0; /* fits: the length of the text that still leaves room for "..." */
    for (size_t i = 0, n; i < name.len; i += n) {
        const unsigned char c = (unsigned char)name.data[i];
        char text[8];
        size_t length = n = character(name.data + i, name.len - i);
        if (c == '\n' || c == '\\' || c == '\t')
            length = (size_t)snprintf(text, sizeof text, "\\%c",
                                      c == '\n'   ? 'n'
                                      : c == '\t' ? 't'
                                                  : '\\');
        else if (c < 0x20 || c == 0x7f || (n == 1 && c >= 0x80))
            length = (size_t)snprintf(text, sizeof text, "\\x%02x", c);
        else if (c == 0xc2 && n == 2 && (unsigned char)name.data[i + 1] < 0xa0)
            length =
                (size_t)snprintf(text, sizeof text, "\\u00%02x", (unsigned char)name.data[i + 1]);
        else
            memcpy(text, name.data + i, n);
        if (used + length >= size) {
            memcpy(buffer + fits, "...", 4);
            return buffer;
        }
        memcpy(buffer + used, text, length);
        used += length;
        if (used + 4 <= size)
            fits = used;
    }
    buffer[used] = '\0';
    return buffer;
}

bool rlx_name_is_plain(rlx_str name)
{
    if (!RLXV_IS_STR(name))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        const unsigned char c = (unsigned char)name.data[i];
        const bool digit = c >= '0' && c <= '9';
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        if (!letter && c != '_' && c != '/' && (i == 0 || (!digit && c != '.')))
            return false;
    }
    return name.len > 0;
}

/* --- data types ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *short_name;
    uint8_t code, bits;
} dtypes[] = {
#define RLX_DTYPE_ROW(name, short_name, code, bits) {name, short_name, code, bits},
#include <rlx/dtypes.def>
#undef RLX_DTYPE_ROW
};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

bool rlx_dtype_valid(rlx_dtype t)
{
    if (t.lanes != 1)
        return false;
    switch (t.code << 8 | t.bits) {
#define RLX_DTYPE_ROW(name, short_name, code, bits) case (code) << 8 | (bits):
#include <rlx/dtypes.def>
#undef RLX_DTYPE_ROW
        return true;
    default:
        return false;
    }
}

bool rlx_dtype_is_packed(rlx_dtype t)
{
    return t.bits < 8 && rlx_dtype_valid(t);
}

size_t rlx_dtype_size(rlx_dtype t)
{
    return rlx_dtype_valid(t) ? t.bits / 8u : 0;
}

const char *rlx_dtype_name(rlx_dtype t, char *buffer)
{
    if (!buffer)
        return "";
    static const char *const kinds[] = {"int", "uint", "float", "handle", "bfloat", "?", "bool"};
    const char *name = NULL; /* for an invalid type: its code and bits */
    for (size_t i = 0; i < N_DTYPES && !name; i++)
        if (dtypes[i].code == t.code && dtypes[i].bits == t.bits)
            name = dtypes[i].name;
    if (name)
        snprintf(buffer, 24, "%s", name);
    else
        snprintf(buffer, 24, "%s%u", t.code < sizeof kinds / sizeof *kinds ? kinds[t.code] : "?",
                 (unsigned)t.bits);
    if (t.lanes != 1) {
        size_t n = strlen(buffer);
        snprintf(buffer + n, 24 - n, "x%u", (unsigned)t.lanes);
    }
    return buffer;
}

bool rlx_dtype_parse(rlx_str text, rlx_dtype *out)
{
    if (!RLXV_IS_STR(text) || !out)
        return false;
    for (size_t i = 0; i < N_DTYPES; i++)
        if (rlx_str_eq(text, rlx_str_from(dtypes[i].name)) ||
            rlx_str_eq(text, rlx_str_from(dtypes[i].short_name))) {
            *out = RLX_DTYPE(dtypes[i].code, dtypes[i].bits);
            return true;
        }
    return false;
}
