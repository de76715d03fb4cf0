/* TensorProtos as constants: raw bytes, typed fields, and external data.
 *
 * External data is opened relative to the model's folder by path components, none of which may be
 * a link, absolute or `..`, so that a model cannot read files outside its folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/base/mapped.h"
#include "compiler/onnx/importer.h"
#include "compiler/onnx/raw.h"
#include "rlx/checked.h"

enum { MAX_DENSE = 1 << 26 };

/* Types that are newer than the schema. */
enum {
    FLOAT8E4M3FN = 17,
    FLOAT8E4M3FNUZ = 18,
    FLOAT8E5M2 = 19,
    FLOAT8E5M2FNUZ = 20,
    UINT4 = 21,
    INT4 = 22,
    UINT2 = 25,
    INT2 = 26
};

bool rlxc_ox_dtype_of(int32_t onnx, rlx_dtype *out)
{
    static const struct {
        int32_t onnx;
        rlx_dtype dtype;
    } rows[] = {
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, {RLX_FLOAT, 32, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, {RLX_UINT, 8, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__INT8, {RLX_INT, 8, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, {RLX_UINT, 16, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__INT16, {RLX_INT, 16, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__INT32, {RLX_INT, 32, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__INT64, {RLX_INT, 64, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, {RLX_BOOL, 8, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, {RLX_FLOAT, 16, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE, {RLX_FLOAT, 64, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__UINT32, {RLX_UINT, 32, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__UINT64, {RLX_UINT, 64, 1}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16, {RLX_BFLOAT, 16, 1}},
        {FLOAT8E4M3FN, {RLX_FLOAT8_E4M3FN, 8, 1}},
        {FLOAT8E4M3FNUZ, {RLX_FLOAT8_E4M3FNUZ, 8, 1}},
        {FLOAT8E5M2, {RLX_FLOAT8_E5M2, 8, 1}},
        {FLOAT8E5M2FNUZ, {RLX_FLOAT8_E5M2FNUZ, 8, 1}},
        {UINT4, {RLX_UINT, 4, 1}},
        {INT4, {RLX_INT, 4, 1}},
        {UINT2, {RLX_UINT, 2, 1}},
        {INT2, {RLX_INT, 2, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].onnx == onnx) {
            *out = rows[i].dtype;
            return true;
        }
    return false;
}

/* Opens |path| below |folder|, component by component; -1 with errno, EPERM if it leads outside.
 */
static int open_below(const char *folder, const char *path)
{
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char part[256];
    while (at >= 0) {
        size_t length = strcspn(path, "/");
        bool last = path[length] == '\0';
        bool bad =
            length == 0 || length >= sizeof part || (length == 2 && memcmp(path, "..", 2) == 0);
        memcpy(part, path, bad ? 0 : length);
        part[bad ? 0 : length] = '\0';
        int next = -1;
        if (!bad && strcmp(part, ".") != 0)
            next = openat(at, part,
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK : O_DIRECTORY));
        else if (!bad && !last)
            next = dup(at);
        int saved = bad ? EPERM : errno;
        close(at);
        errno = saved;
        at = next;
        if (last || next < 0)
            break;
        path += length + 1;
    }
    return at;
}

/* The |size| bytes at |offset| of |file|, which has them; each file is mapped once. */
static const void *mapped(rlxc_ox *im, int file, const struct stat *info, size_t size,
                          unsigned long long offset)
{
    const unsigned char *data = NULL;
    if (size == 0)
        return "";
    for (uint32_t i = 0; i < im->files.count && !data; i++) {
        const rlxc_ox_file *f = &im->files.items[i];
        if (f->device == info->st_dev && f->inode == info->st_ino &&
            f->size == (size_t)info->st_size)
            data = f->data;
    }
    if (!data) {
        data = rlxc_map_file(im->ctx, file, (size_t)info->st_size);
        if (data)
            RLXC_PUSH(im->ctx, &im->files,
                      ((rlxc_ox_file){info->st_dev, info->st_ino, data, (size_t)info->st_size}));
    }
    return data ? data + offset : NULL;
}

/* A whole number that is not negative. */
static bool read_number(const char *text, unsigned long long *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static const void *external(rlxc_ox *im, const Onnx__TensorProto *t, size_t size, const char *what)
{
    const char *location = NULL;
    unsigned long long offset = 0, length = size;
    bool read = true;
    for (size_t i = 0; i < t->n_external_data; i++) {
        const Onnx__StringStringEntryProto *e = t->external_data[i];
        if (!e->key || !e->value)
            continue;
        if (strcmp(e->key, "location") == 0)
            location = e->value;
        else if (strcmp(e->key, "offset") == 0)
            read &= read_number(e->value, &offset);
        else if (strcmp(e->key, "length") == 0)
            read &= read_number(e->value, &length);
    }
    if (!read) {
        rlxc_ox_fail(im, "%s: offset and length of external data must be whole numbers", what);
        return NULL;
    }
    int file = location ? open_below(im->folder, location) : -1;
    struct stat info;
    const void *data = NULL;
    if (!location) {
        rlxc_ox_fail(im, "%s: external data without a location", what);
    } else if (file < 0) {
        rlxc_ox_fail(im, "%s: external data '%s' cannot be opened: %s", what, location,
                     errno == EPERM || errno == ELOOP ? "it is not in the model's folder"
                                                      : strerror(errno));
    } else if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || length != size ||
               offset > (unsigned long long)info.st_size ||
               size > (unsigned long long)info.st_size - offset) {
        rlxc_ox_fail(im, "%s: external data '%s' does not have the %zu bytes that are needed", what,
                     location, size);
    } else {
        data = mapped(im, file, &info, size, offset);
        if (!data)
            rlxc_ox_fail(im, "%s: external data '%s' cannot be mapped: %s", what, location,
                         strerror(errno));
    }
    if (file >= 0)
        close(file);
    return data;
}

/* The typed field as compact elements: itself if its elements have the same width. */
static const void *typed(rlxc_ox *im, const Onnx__TensorProto *t, rlx_dtype dtype, size_t n)
{
    const size_t width = dtype.bits < 8 ? 1 : dtype.bits / 8u; /* packed: a byte of several */
    bool is_float = dtype.code == RLX_FLOAT && dtype.bits >= 32;
    size_t have = is_float ? (dtype.bits == 32 ? t->n_float_data : t->n_double_data)
                  : dtype.code == RLX_INT && dtype.bits == 64  ? t->n_int64_data
                  : dtype.code == RLX_UINT && dtype.bits >= 32 ? t->n_uint64_data
                                                               : t->n_int32_data;
    if (have != n)
        return NULL;
    if (n == 0)
        return "";
    if (is_float)
        return dtype.bits == 32 ? (const void *)t->float_data : t->double_data;
    if (dtype.code == RLX_INT && dtype.bits == 64)
        return t->int64_data;
    unsigned char *data = rlxc_try_alloc(im->ctx, n, width);
    for (size_t i = 0; data && i < n; i++) {
        int64_t v = dtype.code == RLX_UINT && dtype.bits >= 32 ? (int64_t)t->uint64_data[i]
                                                               : t->int32_data[i];
        if (dtype.code == RLX_BOOL)
            v = v != 0;
        memcpy(data + i * width, &v, width);
    }
    return data;
}

static rlxc_constant *new_constant(rlxc_ox *im, const Onnx__TensorProto *t, const char *what)
{
    rlx_dtype dtype;
    int64_t shape[RLXC_MAX_NDIM];
    size_t n = 1, size = 0;
    if (!rlxc_ox_dtype_of(t->data_type, &dtype)) {
        rlxc_ox_fail(im, "%s: element type %d is not supported", what, (int)t->data_type);
        return NULL;
    }
    if (t->n_dims > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "%s: %zu dimensions; at most %d are supported", what, t->n_dims,
                     RLXC_MAX_NDIM);
        return NULL;
    }
    bool bad = false;
    for (size_t i = 0; i < t->n_dims; i++) {
        shape[i] = t->dims[i];
        bad |= shape[i] < 0 || __builtin_mul_overflow(n, (size_t)shape[i], &n);
    }
    if (bad || !rlx_nbytes(shape, (uint32_t)t->n_dims, dtype, &size)) {
        rlxc_ox_fail(im, "%s: bad dimensions", what);
        return NULL;
    }
    if (t->has_raw_data && (t->n_float_data || t->n_double_data || t->n_int32_data ||
                            t->n_int64_data || t->n_uint64_data || t->n_string_data)) {
        rlxc_ox_fail(im, "%s: the data is given both as bytes and as numbers", what);
        return NULL;
    }
    const void *data = NULL;
    bool external_data =
        t->has_data_location && t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (external_data)
        data = external(im, t, size, what);
    else if (t->has_raw_data)
        data = rlxc_ox_raw_data(im->raw, t->raw_data.data, t->raw_data.len, size);
    else
        data = typed(im, t, dtype, rlx_dtype_is_packed(dtype) ? size : n);
    if (!data) {
        if (!rlxc_out_of_memory(im->ctx))
            rlxc_ox_fail(im, "%s: the data is not that of %zu elements", what, n);
        return NULL;
    }
    if (dtype.code == RLX_BOOL && (external_data || t->has_raw_data)) {
        unsigned char *bits = rlxc_try_alloc(im->ctx, size ? size : 1, 1);
        for (size_t i = 0; bits && i < size; i++)
            bits[i] = ((const unsigned char *)data)[i] != 0;
        data = bits;
    }
    if (!data)
        return NULL;
    rlxc_constant *c = rlxc_constant_new(im->ctx, dtype, (uint32_t)t->n_dims, shape, data, size);
    if (t->name && *t->name)
        c->name = rlxc_intern_cstr(im->ctx, t->name);
    return c;
}

rlxc_constant *rlxc_ox_constant(rlxc_ox *im, const Onnx__TensorProto *t, const char *what)
{
    rlxc_constant *c = rlxc_map_get(&im->constants, rlxc_key(t));
    if (!c && (c = new_constant(im, t, what)))
        rlxc_map_set(im->ctx, &im->constants, rlxc_key(t), c);
    return c;
}

static int64_t index_at(const unsigned char *data, size_t i)
{
    int64_t index;
    memcpy(&index, data + i * sizeof index, sizeof index);
    return index;
}

static const rlxc_constant *new_dense(rlxc_ox *im, const Onnx__SparseTensorProto *t,
                                      const char *what)
{
    int64_t shape[RLXC_MAX_NDIM];
    size_t n = 1, size;
    const rlxc_constant *values = t->values ? rlxc_ox_constant(im, t->values, what) : NULL,
                        *at = values && t->indices ? rlxc_ox_constant(im, t->indices, what) : NULL;
    bool bad = t->n_dims > RLXC_MAX_NDIM;
    for (size_t i = 0; i < t->n_dims && !bad; i++) {
        shape[i] = t->dims[i];
        bad = shape[i] < 0 || __builtin_mul_overflow(n, (size_t)shape[i], &n);
    }
    /* indices into the flattened tensor, or rows of coordinates */
    bad = bad || !at || values->ndim != 1 || rlx_dtype_is_packed(values->dtype) ||
          !rlxc_dtype_eq(at->dtype, RLX_I64) || at->ndim < 1 || at->ndim > 2 ||
          at->shape[0] != values->shape[0] ||
          (at->ndim == 2 && at->shape[1] != (int64_t)t->n_dims) ||
          __builtin_mul_overflow(n, values->dtype.bits / 8u, &size);
    if (!bad && (__builtin_add_overflow(im->n_dense, n, &im->n_dense) || im->n_dense > MAX_DENSE)) {
        rlxc_ox_fail(im, "%s: the model's sparse tensors have more than %d elements", what,
                     MAX_DENSE);
        return NULL;
    }
    if (bad) {
        if (!rlxc_out_of_memory(im->ctx))
            rlxc_ox_fail(im, "%s: not a sparse tensor", what);
        return NULL;
    }
    const size_t width = values->dtype.bits / 8u;
    unsigned char *data = rlxc_try_alloc(im->ctx, size ? size : 1, 1);
    const unsigned char *index = at->data; /* aligned only if it was copied */
    int64_t before = -1;
    for (int64_t i = 0; data && i < values->shape[0]; i++) {
        int64_t place = 0;
        bool inside = true;
        for (size_t d = 0; d < t->n_dims && at->ndim == 2; d++) {
            int64_t c = index_at(index, (size_t)i * t->n_dims + d);
            inside &= c >= 0 && c < shape[d];
            place = inside ? place * shape[d] + c : 0;
        }
        if (at->ndim == 1)
            place = index_at(index, (size_t)i);
        if (!inside || place < 0 || (size_t)place >= n) {
            rlxc_ox_fail(im, "%s: an element lies outside the tensor", what);
            return NULL;
        }
        if (place <= before) {
            rlxc_ox_fail(im, "%s: its indices are not in ascending order", what);
            return NULL;
        }
        before = place;
        memcpy(data + (size_t)place * width,
               (const unsigned char *)values->data + (size_t)i * width, width);
    }
    if (!data)
        return NULL;
    return rlxc_constant_new(im->ctx, values->dtype, (uint32_t)t->n_dims, shape, data, size);
}

const rlxc_constant *rlxc_ox_sparse_constant(rlxc_ox *im, const Onnx__SparseTensorProto *t,
                                             const char *what)
{
    const rlxc_constant *c = rlxc_map_get(&im->constants, rlxc_key(t));
    if (!c && (c = new_dense(im, t, what)))
        rlxc_map_set(im->ctx, &im->constants, rlxc_key(t), (void *)(uintptr_t)c);
    return c;
}
