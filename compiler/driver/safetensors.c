/* Reads .safetensors: u64 header length, JSON header, tensor bytes. See safetensors.h.
 *
 * Types that the compiler has no tensors of (F4, F8_E8M0) and shapes beyond its rank are an error
 * only where the tensor is used, so they are left out of the table with a warning. Holes and
 * overlaps between tensors are allowed: they are harmless. */
#include "compiler/driver/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rlx/checked.h"

enum { MAX_HEADER = 100 * 1000 * 1000, MAX_TENSORS = 1 << 20 };

static const struct {
    const char *name;
    uint8_t code, bits;
} dtypes[] = {
#define RLX_SAFETENSOR(name, code, bits) {name, code, bits},
#include "rlx/safetensors.def"
#undef RLX_SAFETENSOR
};

typedef struct reader {
    rlxc_context *ctx;
    rlxc_weights *out;
    const unsigned char *data; /* of the tensors */
    size_t size;
} reader;

#define FAIL(ctx, path, ...) \
    (rlxc_error((ctx), (rlxc_range){0}, "%s: %s", (path), rlxc_internf((ctx), __VA_ARGS__)), false)

const char *rlxc_weight_symbol(rlxc_context *ctx, const char *name)
{
    size_t length = strlen(name);
    char *text = rlxc_try_alloc(ctx, length + 1, 1);
    if (text == NULL)
        return "";
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[i] = word ? c : '_';
    }
    return rlxc_intern(ctx, text, length);
}

static bool find_dtype(const char *name, rlx_dtype *out)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0) {
            *out = RLX_DTYPE(dtypes[i].code, dtypes[i].bits);
            return true;
        }
    return false;
}

/* [begin, end] within the data, as integers. */
static bool read_offsets(const json_t *value, size_t limit, size_t *begin, size_t *end)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return false;
    json_int_t at[2];
    for (size_t i = 0; i < 2; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item))
            return false;
        at[i] = json_integer_value(item);
    }
    if (at[0] < 0 || at[1] < at[0] || (uint64_t)at[1] > limit)
        return false;
    *begin = (size_t)at[0];
    *end = (size_t)at[1];
    return true;
}

static bool read_shape(const json_t *value, int64_t *dims, uint64_t *out_count)
{
    uint64_t count = 1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return false;
        dims[i] = json_integer_value(item);
        if (__builtin_mul_overflow(count, (uint64_t)dims[i], &count))
            return false;
    }
    *out_count = count;
    return true;
}

/* Bytes aligned for the element type: in place, or a copy. */
static const void *aligned(rlxc_context *ctx, const void *data, size_t nbytes, size_t size)
{
    if ((uintptr_t)data % size == 0 || nbytes == 0)
        return data;
    void *copy = rlxc_try_alloc(ctx, nbytes, 1);
    if (copy != NULL)
        memcpy(copy, data, nbytes);
    return copy;
}

bool rlxc_weights_add(rlxc_context *ctx, rlxc_weights *weights, rlxc_weight w)
{
    w.symbol = rlxc_weight_symbol(ctx, w.name);
    if (rlxc_out_of_memory(ctx))
        return false;
    RLXC_PUSH(ctx, &weights->tensors, w);
    if (rlxc_map_get(&weights->by_symbol, rlxc_key(w.symbol)) == NULL)
        rlxc_map_set(ctx, &weights->by_symbol, rlxc_key(w.symbol),
                     (void *)(uintptr_t)weights->tensors.count);
    return !rlxc_out_of_memory(ctx);
}

static bool read_tensor(reader *r, const char *name, const json_t *entry)
{
    rlxc_context *ctx = r->ctx;
    const char *path = r->out->path;
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *shape = json_object_get(entry, "shape");
    if (type == NULL || !json_is_array(shape))
        return FAIL(ctx, path, "tensor '%s': expected dtype, shape and data_offsets", name);
    size_t begin = 0, end = 0;
    if (!read_offsets(json_object_get(entry, "data_offsets"), r->size, &begin, &end))
        return FAIL(ctx, path, "tensor '%s': data_offsets are not two offsets within the %zu bytes",
                    name, r->size);

    rlxc_weight w = {.name = rlxc_intern_cstr(ctx, name)};
    if (!find_dtype(type, &w.dtype) || json_array_size(shape) > RLX_MAX_NDIM) {
        rlxc_warning(ctx, (rlxc_range){0}, "%s: tensor '%s' of type %.40s and rank %zu is skipped",
                     path, name, type, json_array_size(shape));
        return true;
    }
    int64_t dims[RLX_MAX_NDIM];
    uint64_t count = 0, nbytes = 0;
    size_t size = rlx_dtype_size(w.dtype);
    if (!read_shape(shape, dims, &count) || __builtin_mul_overflow(count, size, &nbytes))
        return FAIL(ctx, path, "tensor '%s': bad shape", name);
    if (nbytes != end - begin)
        return FAIL(ctx, path, "tensor '%s': shape and type need %llu bytes, data_offsets give %zu",
                    name, (unsigned long long)nbytes, end - begin);

    w.ndim = (uint32_t)json_array_size(shape);
    w.shape = rlxc_copy(ctx, dims, w.ndim * sizeof *dims);
    w.nbytes = end - begin;
    w.data = aligned(ctx, r->data + begin, w.nbytes, size);
    return rlxc_weights_add(ctx, r->out, w);
}

bool rlxc_weights_parse(rlxc_context *ctx, const char *path, const void *data, size_t size,
                        rlxc_weights *out)
{
    memset(out, 0, sizeof *out);
    out->path = path;
    const unsigned char *bytes = data;
    uint64_t header = 0;
    if (size < 8)
        return FAIL(ctx, path, "not a safetensors file: %zu bytes", size);
    for (int i = 7; i >= 0; i--)
        header = header << 8 | bytes[i];
    if (header > size - 8 || header > MAX_HEADER)
        return FAIL(ctx, path, "header of %llu bytes does not fit in a file of %zu",
                    (unsigned long long)header, size);
    json_error_t error;
    json_t *root =
        json_loadb((const char *)bytes + 8, (size_t)header, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL && error.text[0] == '\0') { /* nothing is wrong with the text */
        rlxc_set_out_of_memory(ctx);
        return false;
    }
    if (root == NULL)
        return FAIL(ctx, path, "header is not JSON: line %d: %s", error.line, error.text);

    reader r = {ctx, out, bytes + 8 + header, size - 8 - (size_t)header};
    bool ok = true;
    if (!json_is_object(root) || json_object_size(root) > MAX_TENSORS)
        ok = FAIL(ctx, path, "header is not a JSON object of at most %d tensors", MAX_TENSORS);
    for (void *it = ok ? json_object_iter(root) : NULL; it != NULL && ok;
         it = json_object_iter_next(root, it)) {
        const char *name = json_object_iter_key(it);
        if (strcmp(name, "__metadata__") != 0)
            ok = read_tensor(&r, name, json_object_iter_value(it));
    }
    json_decref(root);
    return ok;
}

bool rlxc_weights_open(rlxc_context *ctx, const char *path, rlxc_weights *out)
{
    memset(out, 0, sizeof *out);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        bool ok = FAIL(ctx, path, "%s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return ok;
    }
    if (!S_ISREG(st.st_mode) || st.st_size < 8) {
        close(fd);
        return FAIL(ctx, path, "not a safetensors file");
    }
    size_t size = (size_t)st.st_size;
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    int map_errno = errno;
    close(fd);
    if (map == MAP_FAILED && map_errno == ENOMEM) {
        rlxc_set_out_of_memory(ctx);
        return false;
    }
    if (map == MAP_FAILED)
        return FAIL(ctx, path, "%s", strerror(map_errno));
    bool ok = rlxc_weights_parse(ctx, path, map, size, out);
    out->map = map;
    out->map_size = size;
    return ok;
}

void rlxc_weights_close(rlxc_weights *weights)
{
    if (weights->map != NULL)
        munmap(weights->map, weights->map_size);
    weights->map = NULL;
}
