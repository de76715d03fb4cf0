/* The compiler's element types: the runtime's, and handle and void, which exist only at compile
 * time; their names, which may include a lane count ("int32x4"). */
#include "compiler/ir/expr.h"

#include <string.h>

rlx_dtype rlxc_dtype_handle(void)
{
    return RLX_DTYPE(RLX_HANDLE, 64);
}

rlx_dtype rlxc_dtype_void(void)
{
    return (rlx_dtype){RLX_HANDLE, 0, 0};
}

bool rlxc_dtype_is_void(rlx_dtype t)
{
    return t.code == RLX_HANDLE && t.bits == 0;
}

bool rlxc_dtype_is_handle(rlx_dtype t)
{
    return t.code == RLX_HANDLE && t.bits != 0;
}

bool rlxc_dtype_eq(rlx_dtype a, rlx_dtype b)
{
    return rlx_dtype_eq(a, b);
}

bool rlxc_dtype_is_int(rlx_dtype t)
{
    return t.code == RLX_INT || t.code == RLX_UINT;
}

bool rlxc_dtype_is_byte(rlx_dtype t)
{
    return rlxc_dtype_is_int(t) && t.bits == 8;
}

bool rlxc_dtype_is_float(rlx_dtype t)
{
    return rlx_dtype_is_float(t);
}

bool rlxc_dtype_is_bool(rlx_dtype t)
{
    return t.code == RLX_BOOL;
}

static const struct {
    const char *name;
    uint8_t code, bits;
} dtype_names[] = {
#define RLX_DTYPE_ROW(name, short_name, code, bits) {name, code, bits},
#include <rlx/dtypes.def>
#undef RLX_DTYPE_ROW
    {"handle", RLX_HANDLE, 64},
};

bool rlxc_dtype_parse(const char *text, size_t length, rlx_dtype *out)
{
    if (length == 4 && memcmp(text, "void", 4) == 0) {
        *out = rlxc_dtype_void();
        return true;
    }
    static const char *const bools[] = {"boolean", "int1", "uint1"}; /* in some releases */
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if (strlen(bools[i]) == length && memcmp(bools[i], text, length) == 0) {
            *out = RLX_B8;
            return true;
        }
    size_t base = length, lanes = 1;
    const char *x = length ? memchr(text, 'x', length) : NULL;
    if (x) {
        base = (size_t)(x - text);
        if (base + 1 == length || x[1] == '0')
            return false;
        lanes = 0;
        for (size_t i = base + 1; i < length; i++) {
            if (text[i] < '0' || text[i] > '9')
                return false;
            lanes = lanes * 10 + (size_t)(text[i] - '0');
            if (lanes > UINT16_MAX)
                return false;
        }
    }
    for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++) {
        const char *name = dtype_names[i].name;
        if (strlen(name) == base && memcmp(name, text, base) == 0) {
            *out = (rlx_dtype){dtype_names[i].code, dtype_names[i].bits, (uint16_t)lanes};
            return true;
        }
    }
    return false;
}

const char *rlxc_dtype_names(rlxc_context *ctx)
{
    rlxc_text text = {.ctx = ctx};
    for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++)
        if (dtype_names[i].code != RLX_HANDLE)
            rlxc_text_printf(&text, "%s%s", i ? ", " : "", dtype_names[i].name);
    return text.data ? text.data : "";
}

bool rlxc_is_short_float(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits == 16;
}

bool rlxc_dtype_is_float8(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits == 8;
}

bool rlxc_dtype_is_stored(rlx_dtype t)
{
    t.lanes = 1;
    return rlx_dtype_is_packed(t) || rlxc_dtype_is_float8(t);
}

const char *rlxc_dtype_name(rlxc_context *ctx, rlx_dtype t)
{
    if (rlxc_dtype_is_void(t))
        return "void";
    for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++) {
        if (dtype_names[i].code != t.code || dtype_names[i].bits != t.bits)
            continue;
        if (t.lanes == 1)
            return dtype_names[i].name;
        return rlxc_internf(ctx, "%sx%u", dtype_names[i].name, (unsigned)t.lanes);
    }
    return rlxc_internf(ctx, "dtype(%u, %u, %u)", (unsigned)t.code, (unsigned)t.bits,
                        (unsigned)t.lanes);
}
