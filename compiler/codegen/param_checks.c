/* The attribute rlx.checks of a PrimFunc (pass sink_checks), read and validated. */
#include "compiler/codegen/param_checks.h"

#include "compiler/passes/passes.h"

typedef rlxc_param_check param_check;

static bool int_of(const rlxc_attrs *row, const char *key, int64_t *out)
{
    const rlxc_attr *attr = rlxc_attrs_find(row, key);
    return attr != NULL && rlxc_attr_as_int(attr, out);
}

static const char *text_of(const rlxc_attrs *row, const char *key)
{
    const rlxc_attr *attr = rlxc_attrs_find(row, key);
    return attr != NULL && attr->kind == RLXC_ATTR_STRING ? attr->s : NULL;
}

static const rlxc_buffer *buffer_of(const rlxc_prim_func *f, int64_t param)
{
    return param >= 0 && param < f->n_params ? f->params[param].buffer : NULL;
}

static bool read_limits(const rlxc_prim_func *f, const rlxc_attrs *row, param_check *out)
{
    const rlxc_attr *size = rlxc_attrs_find(row, "size");
    int64_t param, dim;
    if (size == NULL)
        return int_of(row, "low", &out->low) && int_of(row, "high", &out->high) && out->low <= 0 &&
               out->low >= -RLXC_MOST_CHECKED && out->high > 0 && out->high <= RLXC_MOST_CHECKED;
    if (size->kind != RLXC_ATTR_LIST || size->list.count != 2 ||
        !rlxc_attr_as_int(&size->list.items[0], &param) ||
        !rlxc_attr_as_int(&size->list.items[1], &dim))
        return false;
    const rlxc_buffer *buffer = buffer_of(f, param);
    if (buffer == NULL || dim < 0 || dim >= buffer->ndim)
        return false;
    out->size = buffer->shape[dim];
    return true;
}

/* The attributes may come from an untrusted text. */
static bool read_check(const rlxc_prim_func *f, const rlxc_attr *attr, param_check *out)
{
    int64_t param;
    *out = (param_check){0};
    if (attr->kind != RLXC_ATTR_DICT)
        return false;
    const rlxc_attrs row = {attr->list.keys, attr->list.items, attr->list.count};
    if (!int_of(&row, "param", &param) || !read_limits(f, &row, out))
        return false;
    out->buffer = buffer_of(f, param);
    out->text = text_of(&row, "text");
    out->file = text_of(&row, "file");
    out->name = text_of(&row, "name");
    if (out->file != NULL && (out->name == NULL || !int_of(&row, "line", &out->line) ||
                              !int_of(&row, "column", &out->column)))
        return false;
    return out->text != NULL && out->buffer != NULL && rlxc_dtype_is_int(out->buffer->dtype) &&
           out->buffer->dtype.lanes == 1 && out->buffer->dtype.bits >= 8 &&
           out->buffer->strides == NULL && out->buffer->elem_offset == NULL &&
           out->buffer->ndim <= RLXC_MAX_NDIM;
}

uint32_t rlxc_param_checks(rlxc_context *ctx, const rlxc_prim_func *f, param_check **out)
{
    const rlxc_attr *rows = rlxc_attrs_find(&f->attrs, "rlx.checks");
    *out = NULL;
    if (rows == NULL)
        return 0;
    const uint32_t n = rows->kind == RLXC_ATTR_LIST ? rows->list.count : 0;
    param_check *checks = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *checks);
    bool ok = rows->kind == RLXC_ATTR_LIST;
    for (uint32_t i = 0; checks != NULL && i < n && ok; i++)
        ok = read_check(f, &rows->list.items[i], &checks[i]);
    *out = checks;
    if (ok)
        return checks != NULL ? n : 0;
    rlxc_error(ctx, f->range,
               "%s: a row of rlx.checks needs \"param\", a buffer of integers, \"text\", and "
               "\"low\" up to 0 with \"high\" from 1 on, or \"size\", a dimension of a buffer",
               f->name);
    return 0;
}
