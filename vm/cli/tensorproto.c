/* TensorProto, SequenceProto and OptionalProto by hand: protobuf's wire format is a list of (field
 * number, kind, value), and a tensor has only a handful of fields, so no protobuf library is
 * linked.
 *
 * Two passes over the bytes: the first finds type, dimensions and raw data and checks that every
 * field ends inside the message; the second stores typed numbers into the tensor. Other fields
 * (names, documentation) are skipped. */
#include "vm/cli/tensorproto.h"

#include <rlx/checked.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/cli/file.h"

enum {
    FIELD_DIMS = 1,
    FIELD_TYPE = 2,
    FIELD_FLOATS = 4,
    FIELD_INT32S = 5,
    FIELD_INT64S = 7,
    FIELD_RAW = 9,
    FIELD_DOUBLES = 10,
    FIELD_UINT64S = 11,
    FIELD_LOCATION = 14
};
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* Element types by ONNX's number; bits 0: not supported. */
static const rlx_dtype types[] = {{0, 0, 0},
                                  {RLX_FLOAT, 32, 1},
                                  {RLX_UINT, 8, 1},
                                  {RLX_INT, 8, 1},
                                  {RLX_UINT, 16, 1},
                                  {RLX_INT, 16, 1},
                                  {RLX_INT, 32, 1},
                                  {RLX_INT, 64, 1},
                                  {0, 0, 0},
                                  {RLX_BOOL, 8, 1},
                                  {RLX_FLOAT, 16, 1},
                                  {RLX_FLOAT, 64, 1},
                                  {RLX_UINT, 32, 1},
                                  {RLX_UINT, 64, 1},
                                  {0, 0, 0},
                                  {0, 0, 0},
                                  {RLX_BFLOAT, 16, 1},
                                  {RLX_FLOAT8_E4M3FN, 8, 1},
                                  {RLX_FLOAT8_E4M3FNUZ, 8, 1},
                                  {RLX_FLOAT8_E5M2, 8, 1},
                                  {RLX_FLOAT8_E5M2FNUZ, 8, 1},
                                  {RLX_UINT, 4, 1},
                                  {RLX_INT, 4, 1},
                                  {0, 0, 0},
                                  {0, 0, 0},
                                  {RLX_UINT, 2, 1},
                                  {RLX_INT, 2, 1}};
enum { N_TYPES = sizeof types / sizeof *types };

typedef struct reader {
    const unsigned char *data;
    size_t at, end;
} reader;

typedef struct field {
    uint64_t number;
    unsigned kind;
    uint64_t value; /* VARINT, FIXED32, FIXED64 */
    reader bytes;   /* BYTES */
} field;

typedef struct message {
    const char *name;
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[RLX_MAX_NDIM];
    bool has_raw;
    reader raw;
    uint64_t location;
} message;

static bool read_varint(reader *r, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        unsigned char byte = r->data[r->at++];
        *out |= (uint64_t)(byte & 127u) << shift;
        if (!(byte & 128u))
            return true;
    }
    return false;
}

static bool read_fixed(reader *r, unsigned width, uint64_t *out)
{
    *out = 0;
    if (r->end - r->at < width)
        return false;
    memcpy(out, r->data + r->at, width); /* little-endian host */
    r->at += width;
    return true;
}

static bool read_field(reader *r, field *out)
{
    uint64_t tag, length;
    if (!read_varint(r, &tag))
        return false;
    out->number = tag >> 3;
    out->kind = (unsigned)(tag & 7u);
    switch (out->kind) {
    case VARINT:
        return read_varint(r, &out->value);
    case FIXED64:
        return read_fixed(r, 8, &out->value);
    case FIXED32:
        return read_fixed(r, 4, &out->value);
    case BYTES:
        if (!read_varint(r, &length) || length > r->end - r->at)
            return false;
        out->bytes = (reader){r->data, r->at, r->at + (size_t)length};
        r->at += (size_t)length;
        return true;
    default:
        return false;
    }
}

static bool add_dim(message *m, uint64_t value)
{
    if (m->ndim == RLX_MAX_NDIM || value > INT64_MAX)
        return false;
    m->dims[m->ndim++] = (int64_t)value;
    return true;
}

static rlx_status malformed(const message *m, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: not an ONNX tensor", m->name);
}

static rlx_status read_header(message *m, reader r, rlx_error *err)
{
    field f = {0};
    while (r.at < r.end) {
        if (!read_field(&r, &f))
            return malformed(m, err);
        uint64_t value = f.value;
        if (f.number == FIELD_DIMS && f.kind == BYTES) {
            while (f.bytes.at < f.bytes.end)
                if (!read_varint(&f.bytes, &value) || !add_dim(m, value))
                    return malformed(m, err);
        } else if (f.number == FIELD_DIMS) {
            if (f.kind != VARINT || !add_dim(m, value))
                return malformed(m, err);
        } else if (f.number == FIELD_TYPE && f.kind == VARINT) {
            if (value >= N_TYPES || types[value].bits == 0)
                return rlx_fail(err, RLX_E_INVALID_ARG,
                                "%s: ONNX's element type %llu is not supported", m->name,
                                (unsigned long long)value);
            m->dtype = types[value];
        } else if (f.number == FIELD_RAW && f.kind == BYTES) {
            m->has_raw = true;
            m->raw = f.bytes;
        } else if (f.number == FIELD_LOCATION && f.kind == VARINT) {
            m->location = value;
        }
    }
    if (m->dtype.bits == 0)
        return malformed(m, err);
    if (m->location != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: external data is not supported here", m->name);
    return RLX_OK;
}

/* The field with the numbers of |t|, and their wire type. */
static uint64_t data_field(rlx_dtype t, unsigned *out_kind)
{
    *out_kind = VARINT;
    if (t.code == RLX_FLOAT && t.bits == 32) {
        *out_kind = FIXED32;
        return FIELD_FLOATS;
    }
    if (t.code == RLX_FLOAT && t.bits == 64) {
        *out_kind = FIXED64;
        return FIELD_DOUBLES;
    }
    if (t.code == RLX_INT && t.bits == 64)
        return FIELD_INT64S;
    return t.code == RLX_UINT && t.bits >= 32 ? FIELD_UINT64S : FIELD_INT32S;
}

static bool put(const message *m, unsigned char *to, size_t n, size_t *io_count, uint64_t value)
{
    const size_t width = m->dtype.bits < 8 ? 1 : m->dtype.bits / 8u;
    if (*io_count == n)
        return false;
    if (m->dtype.code == RLX_BOOL)
        value = value != 0;
    memcpy(to + *io_count * width, &value, width);
    ++*io_count;
    return true;
}

static rlx_status read_numbers(const message *m, reader r, unsigned char *to, size_t n,
                               rlx_error *err)
{
    unsigned kind;
    const uint64_t number = data_field(m->dtype, &kind);
    size_t count = 0;
    field f = {0};
    while (r.at < r.end) {
        uint64_t value = 0;
        if (!read_field(&r, &f))
            return malformed(m, err);
        if (f.number != number)
            continue;
        if (f.kind == kind && !put(m, to, n, &count, f.value))
            return malformed(m, err);
        while (f.kind == BYTES && f.bytes.at < f.bytes.end) {
            bool ok = kind == VARINT    ? read_varint(&f.bytes, &value)
                      : kind == FIXED32 ? read_fixed(&f.bytes, 4, &value)
                                        : read_fixed(&f.bytes, 8, &value);
            if (!ok || !put(m, to, n, &count, value))
                return malformed(m, err);
        }
    }
    if (count != n)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: %zu numbers for %zu elements", m->name, count,
                        n);
    return RLX_OK;
}

rlx_status tensorproto_decode(const char *name, const unsigned char *data, size_t size,
                              rlx_tensor **out, rlx_error *err)
{
    message m = {.name = name};
    const reader whole = {data, 0, size};
    size_t n = 1, nbytes = 0, stored;
    RLX_TRY(read_header(&m, whole, err));
    bool fits = true;
    for (uint32_t i = 0; i < m.ndim; i++)
        fits = fits && !__builtin_mul_overflow(n, (size_t)m.dims[i], &n);
    const bool packed = rlx_dtype_is_packed(m.dtype); /* a number holds several elements */
    fits = fits && rlx_nbytes(m.dims, m.ndim, m.dtype, &nbytes);
    stored = packed ? nbytes : n;
    /* Every element takes at least one byte of the message, or its share of one. */
    if (!fits || stored > size)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: the file is smaller than its dimensions say",
                        name);
    if (m.has_raw && m.raw.end - m.raw.at != nbytes)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: %zu bytes of data, expected %zu", name,
                        m.raw.end - m.raw.at, nbytes);
    rlx_tensor *t = NULL;
    RLX_TRY(rlx_tensor_create(NULL, m.dtype, m.ndim, m.dims, &t, err));
    unsigned char *to = rlx_tensor_mutable_data(t);
    rlx_status status = RLX_OK;
    if (!m.has_raw)
        status = read_numbers(&m, whole, to, stored, err);
    else if (nbytes > 0)
        memcpy(to, data + m.raw.at, nbytes);
    for (size_t i = 0; m.has_raw && m.dtype.code == RLX_BOOL && i < n; i++)
        to[i] = to[i] != 0;
    if (status != RLX_OK) {
        rlx_value_release(rlx_of_tensor(t));
        return status;
    }
    *out = t;
    return RLX_OK;
}

rlx_status tensorproto_read(const char *path, rlx_tensor **out, rlx_error *err)
{
    unsigned char *data = NULL;
    size_t size = 0;
    RLX_TRY(cli_read_file(path, &data, &size, err));
    rlx_status status = tensorproto_decode(path, data, size, out, err);
    free(data);
    return status;
}

/* --- sequences and optionals ------------------------------------------------------------------ */

/* Fields of SequenceProto and OptionalProto, and their elem_type, which is numbered alike. */
enum { FIELD_ELEM_TYPE = 2, FIELD_TENSORS = 3, FIELD_SEQUENCE = 5 };
enum { OF_NOTHING = 0, OF_TENSORS = 1, OF_SEQUENCE = 3 };

/* Detects by its fields that a message is not a TensorProto; false if it is one, or unknown. */
static bool is_list(reader r, uint64_t *out_type, reader *out_sequence, uint32_t *out_sequences)
{
    field f = {0};
    bool tensors = false, typed = false;
    *out_type = OF_NOTHING;
    *out_sequences = 0;
    while (r.at < r.end) {
        if (!read_field(&r, &f))
            return false;
        if (f.number == FIELD_ELEM_TYPE && f.kind == VARINT) {
            *out_type = f.value;
            typed = true;
        } else if (f.number == FIELD_TENSORS && f.kind == BYTES) {
            tensors = true;
        } else if (f.number == FIELD_SEQUENCE && f.kind == BYTES) {
            *out_sequence = f.bytes;
            ++*out_sequences;
        } else if (f.number != 1 || f.kind != BYTES) { /* not the name */
            return false;
        }
    }
    if (*out_type == OF_TENSORS)
        return *out_sequences == 0;
    return typed && !tensors &&
           (*out_type == OF_SEQUENCE ? *out_sequences <= 1
                                     : *out_type == OF_NOTHING && *out_sequences == 0);
}

/* The tensors of the message as a tuple. */
static rlx_status read_tensors(const char *name, reader r, rlx_value *out, rlx_error *err)
{
    rlx_value *items = NULL;
    size_t n = 0, room = 0;
    field f = {0};
    rlx_status status = RLX_OK;
    rlx_tuple *tuple = NULL;
    while (r.at < r.end && status == RLX_OK) {
        rlx_tensor *t = NULL;
        if (!read_field(&r, &f)) {
            status = rlx_fail(err, RLX_E_INVALID_ARG, "%s: not an ONNX sequence", name);
            break;
        }
        if (f.number != FIELD_TENSORS || f.kind != BYTES)
            continue;
        if (n == room) {
            room = room ? 2 * room : 8; /* at most the number of bytes in the message */
            rlx_value *more = realloc(items, room * sizeof *more);
            if (!more) {
                status = rlx_fail(err, RLX_E_NOMEM, "%s: no memory for its items", name);
                break;
            }
            items = more;
        }
        status =
            tensorproto_decode(name, f.bytes.data + f.bytes.at, f.bytes.end - f.bytes.at, &t, err);
        if (status == RLX_OK)
            items[n++] = rlx_of_tensor(t);
    }
    if (status == RLX_OK && n > UINT32_MAX)
        status = rlx_fail(err, RLX_E_LIMIT, "%s: too many items", name);
    if (status == RLX_OK)
        status = rlx_tuple_create(NULL, (uint32_t)n, items, &tuple, err);
    for (size_t i = 0; i < n; i++)
        rlx_value_release(items[i]);
    free(items);
    if (status == RLX_OK)
        *out = rlx_of_tuple(tuple);
    return status;
}

rlx_status onnxproto_decode(const char *name, const unsigned char *data, size_t size,
                            rlx_value *out, rlx_error *err)
{
    const reader whole = {data, 0, size};
    reader sequence = {0};
    uint64_t type;
    uint32_t n_sequences;
    if (!is_list(whole, &type, &sequence, &n_sequences)) {
        rlx_tensor *t = NULL;
        RLX_TRY(tensorproto_decode(name, data, size, &t, err));
        *out = rlx_of_tensor(t);
        return RLX_OK;
    }
    if (type == OF_NOTHING || (type == OF_SEQUENCE && n_sequences == 0)) {
        *out = rlx_none();
        return RLX_OK;
    }
    return read_tensors(name, type == OF_SEQUENCE ? sequence : whole, out, err);
}

rlx_status onnxproto_read(const char *path, rlx_value *out, rlx_error *err)
{
    unsigned char *data = NULL;
    size_t size = 0;
    RLX_TRY(cli_read_file(path, &data, &size, err));
    rlx_status status = onnxproto_decode(path, data, size, out, err);
    free(data);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static size_t put_varint(unsigned char *to, uint64_t value)
{
    size_t n = 0;
    for (; value > 127; value >>= 7)
        to[n++] = (unsigned char)(value & 127u) | 128u;
    to[n++] = (unsigned char)value;
    return n;
}

enum { HEADER_BYTES = 32 + 12 * RLX_MAX_NDIM };

/* The bytes before the |*out_nbytes| bytes of elements. */
static rlx_status make_header(const char *path, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                              unsigned char header[HEADER_BYTES], size_t *out_used,
                              size_t *out_nbytes, rlx_error *err)
{
    size_t used = 0;
    uint32_t type = 0;
    while (type < N_TYPES && !(types[type].bits && rlx_dtype_eq(types[type], dtype)))
        type++;
    char name[24];
    if (type == N_TYPES || ndim > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: ONNX has no element type %s", path,
                        rlx_dtype_name(dtype, name));
    if (!rlx_nbytes(dims, ndim, dtype, out_nbytes))
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s: the tensor's size is out of range", path);
    for (uint32_t i = 0; i < ndim; i++) {
        header[used++] = FIELD_DIMS << 3 | VARINT;
        used += put_varint(header + used, (uint64_t)dims[i]);
    }
    header[used++] = FIELD_TYPE << 3 | VARINT;
    used += put_varint(header + used, type);
    header[used++] = FIELD_RAW << 3 | BYTES;
    *out_used = used + put_varint(header + used, *out_nbytes);
    return RLX_OK;
}

rlx_status tensorproto_write(const char *path, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                             const void *data, rlx_error *err)
{
    unsigned char header[HEADER_BYTES];
    size_t used, nbytes;
    RLX_TRY(make_header(path, dtype, ndim, dims, header, &used, &nbytes, err));
    cli_file file;
    RLX_TRY(cli_create_file(path, &file, err));
    bool ok = cli_put(&file, header, used) && cli_put(&file, data, nbytes);
    return cli_close_file(&file, ok, err);
}

rlx_status onnxproto_write(const char *path, rlx_value v, rlx_error *err)
{
    const uint32_t n = v.kind == RLX_KIND_TUPLE ? rlx_tuple_count(v.as.tuple) : 0;
    const unsigned char start[2] = {FIELD_ELEM_TYPE << 3 | VARINT,
                                    v.kind == RLX_KIND_TUPLE ? OF_TENSORS : OF_NOTHING};
    for (uint32_t i = 0; i < n; i++)
        if (rlx_tuple_get(v.as.tuple, i).kind != RLX_KIND_TENSOR)
            return rlx_fail(err, RLX_E_INVALID_ARG, "%s: item %u is not a tensor", path, i);
    cli_file file;
    RLX_TRY(cli_create_file(path, &file, err));
    bool ok = cli_put(&file, start, sizeof start);
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < n && ok && status == RLX_OK; i++) {
        const rlx_tensor *t = rlx_tuple_get(v.as.tuple, i).as.tensor;
        unsigned char header[HEADER_BYTES], length[12] = {FIELD_TENSORS << 3 | BYTES};
        size_t used = 0, nbytes = 0;
        status = make_header(path, rlx_tensor_dtype(t), rlx_tensor_ndim(t), rlx_tensor_dims(t),
                             header, &used, &nbytes, err);
        ok = status == RLX_OK &&
             cli_put(&file, length, 1 + put_varint(length + 1, used + nbytes)) &&
             cli_put(&file, header, used) && cli_put(&file, rlx_tensor_data(t), nbytes);
    }
    rlx_status end = cli_close_file(&file, ok, status == RLX_OK ? err : NULL);
    return status != RLX_OK ? status : end;
}
