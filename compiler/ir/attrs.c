/* Attribute dictionaries: look-up, copy-on-write change, comparison. Dictionaries are short, so
 * everything is a loop; nesting is as deep as the parser allows (RLXC_MAX_DEPTH). */
#include "compiler/ir/attrs.h"

#include "compiler/ir/constant.h"

#include <string.h>

static uint32_t find(const rlxc_attrs *attrs, const char *key)
{
    uint32_t i = 0;
    while (i < attrs->count && attrs->keys[i] != key && strcmp(attrs->keys[i], key) != 0)
        i++;
    return i;
}

const rlxc_attr *rlxc_attrs_find(const rlxc_attrs *attrs, const char *key)
{
    uint32_t at = find(attrs, key);
    return at < attrs->count ? &attrs->values[at] : NULL;
}

rlxc_attrs rlxc_attrs_with(rlxc_context *ctx, rlxc_attrs attrs, const char *key, rlxc_attr value)
{
    uint32_t at = find(&attrs, key);
    uint32_t count = at < attrs.count ? attrs.count : attrs.count + 1;
    const char **keys = rlxc_alloc(ctx, count * sizeof *keys);
    rlxc_attr *values = rlxc_alloc(ctx, count * sizeof *values);
    if (attrs.count) {
        memcpy(keys, attrs.keys, attrs.count * sizeof *keys);
        memcpy(values, attrs.values, attrs.count * sizeof *values);
    }
    if (at == attrs.count)
        keys[at] = rlxc_intern_cstr(ctx, key);
    values[at] = value;
    return (rlxc_attrs){keys, values, count};
}

rlxc_attrs rlxc_attrs_without(rlxc_context *ctx, rlxc_attrs attrs, const char *key)
{
    uint32_t at = find(&attrs, key);
    if (at == attrs.count)
        return attrs;
    if (attrs.count == 1)
        return (rlxc_attrs){NULL, NULL, 0};
    uint32_t count = attrs.count - 1, after = count - at;
    const char **keys = rlxc_alloc(ctx, count * sizeof *keys);
    rlxc_attr *values = rlxc_alloc(ctx, count * sizeof *values);
    memcpy(keys, attrs.keys, at * sizeof *keys);
    memcpy(values, attrs.values, at * sizeof *values);
    memcpy(keys + at, attrs.keys + at + 1, after * sizeof *keys);
    memcpy(values + at, attrs.values + at + 1, after * sizeof *values);
    return (rlxc_attrs){keys, values, count};
}

bool rlxc_attr_equal(const rlxc_attr *a, const rlxc_attr *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case RLXC_ATTR_NONE:
        return true;
    case RLXC_ATTR_BOOL:
    case RLXC_ATTR_INT:
        return a->i == b->i;
    case RLXC_ATTR_FLOAT: /* as bits: NaN equals itself, -0 differs from 0 */
        return memcmp(&a->f, &b->f, sizeof a->f) == 0;
    case RLXC_ATTR_STRING:
        return a->s == b->s || strcmp(a->s, b->s) == 0;
    case RLXC_ATTR_DTYPE:
        return rlx_dtype_eq(a->dtype, b->dtype);
    case RLXC_ATTR_EXPR:
        return a->expr == b->expr;
    case RLXC_ATTR_TENSOR:
        return rlxc_constant_equal(a->tensor, b->tensor);
    case RLXC_ATTR_LIST:
    case RLXC_ATTR_DICT:
        if (a->list.count != b->list.count)
            return false;
        for (uint32_t i = 0; i < a->list.count; i++) {
            if (a->kind == RLXC_ATTR_DICT && strcmp(a->list.keys[i], b->list.keys[i]) != 0)
                return false;
            if (!rlxc_attr_equal(&a->list.items[i], &b->list.items[i]))
                return false;
        }
        return true;
    }
    return false;
}

bool rlxc_attrs_equal(const rlxc_attrs *a, const rlxc_attrs *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const rlxc_attr *other = rlxc_attrs_find(b, a->keys[i]);
        if (!other || !rlxc_attr_equal(&a->values[i], other))
            return false;
    }
    return true;
}

rlxc_attr rlxc_attr_int(int64_t value)
{
    return (rlxc_attr){.kind = RLXC_ATTR_INT, {.i = value}};
}

rlxc_attr rlxc_attr_bool(bool value)
{
    return (rlxc_attr){.kind = RLXC_ATTR_BOOL, {.i = value}};
}

rlxc_attr rlxc_attr_float(double value)
{
    return (rlxc_attr){.kind = RLXC_ATTR_FLOAT, {.f = value}};
}

rlxc_attr rlxc_attr_string(rlxc_context *ctx, const char *text)
{
    return (rlxc_attr){.kind = RLXC_ATTR_STRING, {.s = rlxc_intern_cstr(ctx, text)}};
}

rlxc_attr rlxc_attr_dtype(rlx_dtype dtype)
{
    return (rlxc_attr){.kind = RLXC_ATTR_DTYPE, {.dtype = dtype}};
}

rlxc_attr rlxc_attr_expr(const struct rlxc_expr *expr)
{
    return (rlxc_attr){.kind = RLXC_ATTR_EXPR, {.expr = expr}};
}

rlxc_attr rlxc_attr_tensor(const struct rlxc_constant *tensor)
{
    return (rlxc_attr){.kind = RLXC_ATTR_TENSOR, {.tensor = tensor}};
}

rlxc_attr rlxc_attr_ints(rlxc_context *ctx, const int64_t *values, uint32_t count)
{
    rlxc_attr *items = rlxc_alloc(ctx, count * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = rlxc_attr_int(values[i]);
    rlxc_attr list = {.kind = RLXC_ATTR_LIST};
    list.list.items = items;
    list.list.count = count;
    return list;
}

bool rlxc_attr_as_int(const rlxc_attr *attr, int64_t *out)
{
    if (attr->kind == RLXC_ATTR_INT || attr->kind == RLXC_ATTR_BOOL) {
        *out = attr->i;
        return true;
    }
    return attr->kind == RLXC_ATTR_EXPR && rlxc_is_int(attr->expr, out);
}
