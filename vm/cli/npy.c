/* .npy files: a magic, a version, a header length, a Python dict literal, then the elements.
 *
 * The input is hostile: the header must have exactly the three keys of the format, shape and dtype
 * are checked, and the data must be complete. Trailing bytes are an error too: the file would be
 * damaged. */
#include "vm/cli/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rlx/checked.h>
#include <rlx/packed.h>

#include "vm/cli/file.h"

typedef struct header {
    rlx_dtype dtype;
    bool big_endian, fortran;
    uint32_t ndim;
    int64_t dims[RLX_MAX_NDIM];
} header;

typedef struct cursor {
    const char *name; /* of the file */
    const char *at, *end;
} cursor;

static rlx_status bad(const char *name, const char *what, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: invalid .npy file: %s", name, what);
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

static bool accept(cursor *c, char want)
{
    skip_space(c);
    if (c->at == c->end || *c->at != want)
        return false;
    c->at++;
    return true;
}

/* A quoted string without escapes. */
static bool read_string(cursor *c, rlx_str *out)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    char quote = *c->at++;
    const char *start = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\')
        c->at++;
    if (c->at == c->end || *c->at != quote)
        return false;
    *out = (rlx_str){start, (size_t)(c->at - start)};
    c->at++;
    return true;
}

static bool accept_word(cursor *c, const char *word)
{
    skip_space(c);
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool read_dim(cursor *c, int64_t *out)
{
    skip_space(c);
    int64_t value = 0;
    const char *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (!rlx_mul_i64(value, 10, &value) || !rlx_add_i64(value, *c->at - '0', &value))
            return false;
    }
    if (c->at == start)
        return false;
    if (c->at < c->end && *c->at == 'L') /* Python 2 wrote 3L */
        c->at++;
    *out = value;
    return true;
}

static rlx_status read_shape(cursor *c, header *h, rlx_error *err)
{
    if (!accept(c, '('))
        return bad(c->name, "the shape is not a tuple", err);
    h->ndim = 0;
    while (!accept(c, ')')) {
        if (h->ndim == RLX_MAX_NDIM)
            return bad(c->name, "more dimensions than rlx supports", err);
        if (!read_dim(c, &h->dims[h->ndim++]))
            return bad(c->name, "a dimension is not a valid number", err);
        if (!accept(c, ',')) {
            if (!accept(c, ')'))
                return bad(c->name, "the shape is not terminated", err);
            return RLX_OK;
        }
    }
    return RLX_OK;
}

/* '<f4', '|b1', '>i8', ... */
static rlx_status read_descr(const char *name, rlx_str s, header *h, rlx_error *err)
{
    static const struct {
        char kind, size;
        rlx_type_code code;
    } rows[] = {{'b', '1', RLX_BOOL},  {'i', '1', RLX_INT},   {'i', '2', RLX_INT},
                {'i', '4', RLX_INT},   {'i', '8', RLX_INT},   {'u', '1', RLX_UINT},
                {'u', '2', RLX_UINT},  {'u', '4', RLX_UINT},  {'u', '8', RLX_UINT},
                {'f', '2', RLX_FLOAT}, {'f', '4', RLX_FLOAT}, {'f', '8', RLX_FLOAT},
                {'V', '2', RLX_UINT},  {'V', '1', RLX_UINT}}; /* bfloat16 and float8 as some
                                                               * libraries write them */
    if (s.len == 3) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (s.data[1] != rows[i].kind || s.data[2] != rows[i].size ||
                !strchr("<>|=", s.data[0]))
                continue;
            h->dtype = RLX_DTYPE(rows[i].code, (rows[i].size - '0') * 8);
            h->big_endian = s.data[0] == '>';
            return RLX_OK;
        }
    }
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: elements of type '%.*s' are not supported", name,
                    s.len < 32 ? (int)s.len : 32, s.data);
}

static rlx_status read_header(cursor *c, header *h, rlx_error *err)
{
    bool have_descr = false, have_order = false, have_shape = false;
    if (!accept(c, '{'))
        return bad(c->name, "the header is not a dict", err);
    while (!accept(c, '}')) {
        rlx_str key, text;
        if (!read_string(c, &key) || !accept(c, ':'))
            return bad(c->name, "a header key is damaged", err);
        if (rlx_str_eq(key, RLX_STR("descr"))) {
            if (!read_string(c, &text))
                return bad(c->name, "structured dtypes are not supported", err);
            RLX_TRY(read_descr(c->name, text, h, err));
            have_descr = true;
        } else if (rlx_str_eq(key, RLX_STR("fortran_order"))) {
            h->fortran = accept_word(c, "True");
            if (!h->fortran && !accept_word(c, "False"))
                return bad(c->name, "fortran_order is neither True nor False", err);
            have_order = true;
        } else if (rlx_str_eq(key, RLX_STR("shape"))) {
            RLX_TRY(read_shape(c, h, err));
            have_shape = true;
        } else {
            return bad(c->name, "the header has a key that the format does not name", err);
        }
        if (!accept(c, ',')) {
            if (!accept(c, '}'))
                return bad(c->name, "the header is not terminated", err);
            break;
        }
    }
    skip_space(c);
    if (c->at != c->end || !have_descr || !have_order || !have_shape)
        return bad(c->name, "the header is incomplete", err);
    return RLX_OK;
}

static void swap_bytes(unsigned char *data, int64_t n, size_t size)
{
    for (int64_t i = 0; i < n; i++, data += size) {
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char t = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = t;
        }
    }
}

/* Copies column-major elements into row-major order. */
static void from_fortran(const header *h, const unsigned char *from, unsigned char *to, int64_t n,
                         size_t size)
{
    int64_t index[RLX_MAX_NDIM] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (uint32_t d = h->ndim; d-- > 0;)
            at = at * h->dims[d] + index[d];
        memcpy(to + (size_t)i * size, from + (size_t)at * size, size);
        for (uint32_t d = h->ndim; d-- > 0 && ++index[d] == h->dims[d];)
            index[d] = 0;
    }
}

rlx_status npy_decode(const char *name, const unsigned char *data, size_t size, rlx_tensor **out,
                      rlx_error *err)
{
    if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return bad(name, "the magic is missing", err);
    const bool wide = data[6] >= 2;
    const size_t start = wide ? 12 : 10;
    if (data[6] < 1 || data[6] > 3 || size < start)
        return bad(name, "the version is unknown", err);
    size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (wide)
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    if (length > size - start)
        return bad(name, "the header is truncated", err);
    header h = {0};
    cursor c = {name, (const char *)data + start, (const char *)data + start + length};
    RLX_TRY(read_header(&c, &h, err));
    size_t nbytes;
    int64_t numel;
    if (!rlx_nbytes(h.dims, h.ndim, h.dtype, &nbytes) || !rlx_numel(h.dims, h.ndim, &numel))
        return bad(name, "the shape is too large", err);
    if (nbytes != size - start - length)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: %zu bytes of data, the shape needs %zu", name,
                        size - start - length, nbytes);
    rlx_tensor *t = NULL;
    RLX_TRY(rlx_tensor_create(NULL, h.dtype, h.ndim, h.dims, &t, err));
    const size_t element = rlx_dtype_size(h.dtype);
    unsigned char *to = rlx_tensor_mutable_data(t);
    if (h.fortran && h.ndim > 1)
        from_fortran(&h, data + start + length, to, numel, element);
    else if (nbytes > 0)
        memcpy(to, data + start + length, nbytes);
    if (h.big_endian && element > 1)
        swap_bytes(to, numel, element);
    *out = t;
    return RLX_OK;
}

rlx_status npy_read(const char *path, rlx_tensor **out, rlx_error *err)
{
    unsigned char *data = NULL;
    size_t size = 0;
    RLX_TRY(cli_read_file(path, &data, &size, err));
    rlx_status status = npy_decode(path, data, size, out, err);
    free(data);
    return status;
}

/* Writes the elements, packed ones as bytes. */
static bool put_elements(cli_file *file, rlx_dtype dtype, const void *data, size_t nbytes, size_t n)
{
    unsigned char bytes[512];
    if (!rlx_dtype_is_packed(dtype))
        return cli_put(file, data, nbytes);
    bool ok = true;
    for (size_t i = 0, k = 0; i < n && ok; i++) {
        bytes[k++] = (unsigned char)rlx_packed_get(dtype, data, i);
        if (k == sizeof bytes || i + 1 == n) {
            ok = cli_put(file, bytes, k);
            k = 0;
        }
    }
    return ok;
}

rlx_status npy_write(const char *path, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                     const void *data, rlx_error *err)
{
    static const char kinds[RLX_BOOL + 1] = {
        [RLX_INT] = 'i', [RLX_UINT] = 'u', [RLX_FLOAT] = 'f', [RLX_BFLOAT] = 'u', [RLX_BOOL] = 'b'};
    const char kind = dtype.code <= RLX_BOOL ? kinds[dtype.code] : 'u';
    const int width = dtype.bits < 8 ? 1 : dtype.bits / 8;
    size_t nbytes;
    int64_t n;
    if (!rlx_nbytes(dims, ndim, dtype, &nbytes) || !rlx_numel(dims, ndim, &n))
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: the tensor's size is out of range", path);
    char text[1024];
    int at = snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                      width == 1 ? '|' : '<', kind, width);
    for (uint32_t i = 0; i < ndim; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       i == 0 || ndim == 1 ? "%lld," : " %lld,", (long long)dims[i]);
    if (ndim > 1)
        at--; /* only a tuple of one keeps its comma */
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    size_t total = (10u + (size_t)at + 1 + 63) / 64 * 64;
    while (10u + (size_t)at + 1 < total)
        text[at++] = ' ';
    text[at++] = '\n';
    const unsigned char head[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(at & 255), (unsigned char)(at >> 8)};
    cli_file file;
    RLX_TRY(cli_create_file(path, &file, err));
    bool ok = cli_put(&file, head, sizeof head) && cli_put(&file, text, (size_t)at) &&
              put_elements(&file, dtype, data, nbytes, (size_t)n);
    return cli_close_file(&file, ok, err);
}
