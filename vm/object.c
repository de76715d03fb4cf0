/* Constructors, getters and destruction of values. Destruction never recurses: an object whose last
 * reference is dropped while another is being destroyed waits in a list threaded through its
 * header. A loose object never holds objects of a pool: the constructors detach the values they
 * take, so a loose object may be released on any thread. */
#include "vm/object.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <rlx/executable.h>
#include <stdio.h>
#include <string.h>

const char *rlx_kind_name(rlx_kind kind)
{
    switch (kind) {
    case RLX_KIND_NONE:
        return "none";
    case RLX_KIND_INT:
        return "int";
    case RLX_KIND_FLOAT:
        return "float";
    case RLX_KIND_BOOL:
        return "bool";
    case RLX_KIND_DTYPE:
        return "dtype";
    case RLX_KIND_TENSOR:
        return "tensor";
    case RLX_KIND_SHAPE:
        return "shape";
    case RLX_KIND_TUPLE:
        return "tuple";
    case RLX_KIND_STRING:
        return "string";
    case RLX_KIND_CLOSURE:
        return "closure";
    case RLX_KIND_STORAGE:
        return "storage";
    case RLX_KIND_OBJECT:
        return "object";
    }
    return "unknown";
}

rlx_value rlx_value_retain(rlx_value v)
{
    return v.as.object ? rlxv_retain_value(v) : v;
}

void rlx_value_release(rlx_value v)
{
    if (v.as.object)
        rlxv_release_value(v);
}

void rlx_value_clear(rlx_value *v)
{
    if (!v)
        return;
    rlx_value old = *v;
    *v = rlx_none();
    rlx_value_release(old);
}

/* Drops a reference; if it was the last, the object joins |*todo|. */
static void drop(rlx_object *o, rlx_object **todo)
{
    if (rlxv_drop(o)) {
        o->next = *todo;
        *todo = o;
    }
}

static void drop_items(const rlx_value *items, uint32_t n, rlx_object **todo)
{
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind >= RLX_KIND_TENSOR)
            drop(items[i].as.object, todo);
}

void rlxv_object_destroy(rlx_object *o)
{
    rlx_object *todo = NULL;
    for (;;) {
        if (o->kind == RLX_KIND_STORAGE) {
            rlxv_storage_free((rlx_storage *)o);
        } else {
            rlx_executable *exe = NULL;
            if (o->kind == RLX_KIND_TENSOR) {
                drop(&((rlx_tensor *)o)->storage->header, &todo);
            } else if (o->kind == RLX_KIND_TUPLE) {
                drop_items(((rlx_tuple *)o)->items, ((rlx_tuple *)o)->n, &todo);
            } else if (o->kind == RLX_KIND_CLOSURE) {
                rlx_closure *c = (rlx_closure *)o;
                drop_items(c->captured, c->n, &todo);
                exe = c->exe;
            } else if (o->kind == RLX_KIND_OBJECT) {
                rlx_opaque *q = (rlx_opaque *)o;
                if (q->destroy)
                    q->destroy(q->pointer);
            }
            rlxv_object_free(o);
            if (exe)
                rlx_executable_release(exe);
        }
        if (!todo)
            return;
        o = todo;
        todo = o->next;
    }
}

/* --- tensors --------------------------------------------------------------------------------- */

/* Reports why no tensor can have this shape, or returns the sizes of one with a zero dimension. */
static rlx_status odd_shape(rlx_dtype dtype, uint32_t ndim, const int64_t *dims, int64_t *numel,
                            size_t *nbytes, rlx_error *err)
{
    char name[24];
    if (!rlx_dtype_valid(dtype))
        return rlx_fail(err, RLX_E_INVALID_ARG, "tensors cannot have elements of type %s",
                        rlx_dtype_name(dtype, name));
    if (ndim > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_LIMIT, "a tensor of %u dimensions: at most %d are supported",
                        ndim, RLX_MAX_NDIM);
    for (uint32_t i = 0; i < ndim; i++)
        if (dims[i] < 0)
            return rlx_fail(err, RLX_E_SHAPE, "dimension %u of a tensor is negative (%lld)", i,
                            (long long)dims[i]);
    if (!rlx_numel(dims, ndim, numel) || !rlx_nbytes(dims, ndim, dtype, nbytes))
        return rlx_fail(err, RLX_E_LIMIT, "the size of a tensor does not fit in memory");
    return RLX_OK;
}

static inline rlx_status check_shape(rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                                     int64_t *numel, size_t *nbytes, rlx_error *err)
{
    /* The common case in one pass: positive sizes without overflow. */
    int64_t n = 1, bytes;
    bool common = ndim <= RLX_MAX_NDIM && dtype.bits >= 8 && rlx_dtype_valid(dtype);
    for (uint32_t i = 0; common && i < ndim; i++)
        common = dims[i] > 0 && !__builtin_mul_overflow(n, dims[i], &n);
    if (!common || __builtin_mul_overflow(n, (int64_t)(dtype.bits / 8), &bytes))
        return odd_shape(dtype, ndim, dims, numel, nbytes, err);
    *numel = n;
    *nbytes = (size_t)bytes;
    return RLX_OK;
}

rlx_status rlxv_tensor_bytes(rlx_dtype dtype, uint32_t ndim, const int64_t *dims, size_t *out,
                             rlx_error *err)
{
    int64_t numel;
    return check_shape(dtype, ndim, dims, &numel, out, err);
}

/* The alignment of elements of type |t|. */
static size_t alignment(rlx_dtype t)
{
    const size_t size = rlx_dtype_size(t);
    return size ? size : 1;
}

/* Takes over the reference to |s| on success. */
static rlx_status new_header(rlxv_pool *p, const rlx_allocator *a, rlx_storage *s, void *data,
                             rlx_dtype dtype, uint32_t ndim, const int64_t *dims, int64_t numel,
                             size_t nbytes, rlx_tensor **out, rlx_error *err)
{
    rlx_tensor *t;
    RLX_TRY(rlxv_object_new(p, a, sizeof *t + ndim * sizeof *dims, RLX_KIND_TENSOR, &t, err));
    t->data = data;
    t->storage = s;
    t->nbytes = nbytes;
    t->numel = numel;
    t->dtype = dtype;
    t->ndim = ndim;
    t->header.readonly = s->header.readonly;
    t->header.is_remote = s->header.is_remote;
    for (uint32_t i = 0; i < ndim; i++)
        t->dims[i] = dims[i];
    *out = t;
    return RLX_OK;
}

rlx_status rlxv_tensor_new(rlxv_pool *p, const rlx_allocator *a, rlx_dtype dtype, uint32_t ndim,
                           const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    int64_t numel;
    size_t nbytes;
    rlx_storage *s;
    RLX_TRY(check_shape(dtype, ndim, dims, &numel, &nbytes, err));
    RLX_TRY(rlxv_storage_new(p, a, nbytes, 64, &s, err));
    rlx_status status = new_header(p, a, s, s->data, dtype, ndim, dims, numel, nbytes, out, err);
    if (status != RLX_OK)
        rlxv_release(&s->header);
    return status;
}

rlx_status rlxv_tensor_in(rlxv_pool *p, const rlx_allocator *a, rlx_storage *s, int64_t offset,
                          rlx_dtype dtype, uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                          rlx_error *err)
{
    int64_t numel;
    size_t nbytes;
    RLX_TRY(check_shape(dtype, ndim, dims, &numel, &nbytes, err));
    if (offset < 0 || (uint64_t)offset > s->size || nbytes > s->size - (size_t)offset)
        return rlx_fail(err, RLX_E_LIMIT,
                        "a tensor of %zu bytes at offset %lld does not fit a storage of %zu bytes",
                        nbytes, (long long)offset, s->size);
    if ((size_t)offset % alignment(dtype) != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "offset %lld is not aligned to the element",
                        (long long)offset);
    RLX_TRY(new_header(p, a, s, (uint8_t *)s->data + offset, dtype, ndim, dims, numel, nbytes, out,
                       err));
    rlxv_retain(&s->header);
    return RLX_OK;
}

static rlx_status view_of(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *base, size_t offset,
                          uint32_t ndim, const int64_t *dims, int64_t numel, size_t nbytes,
                          rlx_tensor **out, rlx_error *err)
{
    RLX_TRY(new_header(p, a, base->storage, (uint8_t *)base->data + offset, base->dtype, ndim, dims,
                       numel, nbytes, out, err));
    rlxv_retain(&base->storage->header);
    (*out)->header.readonly = base->header.readonly;
    return RLX_OK;
}

rlx_status rlxv_tensor_part(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *base, int64_t offset,
                            uint32_t ndim, const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    int64_t numel;
    size_t nbytes;
    RLX_TRY(check_shape(base->dtype, ndim, dims, &numel, &nbytes, err));
    if (offset < 0 || (uint64_t)offset > base->nbytes || nbytes > base->nbytes - (size_t)offset)
        return rlx_fail(err, RLX_E_SHAPE,
                        "a view of %zu bytes at offset %lld of a tensor of %zu bytes", nbytes,
                        (long long)offset, base->nbytes);
    if ((size_t)offset % alignment(base->dtype) != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "offset %lld is not aligned to the element",
                        (long long)offset);
    return view_of(p, a, base, (size_t)offset, ndim, dims, numel, nbytes, out, err);
}

const char *rlxv_shape_text(uint32_t ndim, const int64_t *dims, char *buffer, size_t size)
{
    size_t used = (size_t)snprintf(buffer, size, "(");
    for (uint32_t i = 0; i < ndim && used < size; i++) {
        const int n =
            snprintf(buffer + used, size - used, "%s%lld", i ? ", " : "", (long long)dims[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used < size)
        snprintf(buffer + used, size - used, ")");
    return buffer;
}

rlx_status rlxv_tensor_reshape(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *base,
                               uint32_t ndim, const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    int64_t numel;
    size_t nbytes;
    RLX_TRY(check_shape(base->dtype, ndim, dims, &numel, &nbytes, err));
    if (numel != base->numel) {
        char shape[96], old[96];
        return rlx_fail(err, RLX_E_SHAPE,
                        "a view of %lld elements over a tensor of %lld: shape %s over %s",
                        (long long)numel, (long long)base->numel,
                        rlxv_shape_text(ndim, dims, shape, sizeof shape),
                        rlxv_shape_text(base->ndim, base->dims, old, sizeof old));
    }
    return view_of(p, a, base, 0, ndim, dims, numel, nbytes, out, err);
}

rlx_status rlxv_storage_wrap(rlxv_pool *p, const rlx_allocator *a, void *data, size_t size,
                             bool readonly, void (*release)(void *user, void *data), void *user,
                             rlx_storage **out, rlx_error *err)
{
    rlx_storage *s;
    RLX_TRY(rlxv_object_new(p, a, sizeof *s, RLX_KIND_STORAGE, &s, err));
    s->data = data;
    s->size = size;
    s->block = 0;
    s->align = 1;
    s->size_class = RLXV_NO_CLASS;
    s->release = release;
    s->user = user;
    s->home = NULL;
    s->device = NULL;
    s->header.readonly = readonly;
    *out = s;
    return RLX_OK;
}

rlx_status rlx_tensor_create(const rlx_allocator *a, rlx_dtype dtype, uint32_t ndim,
                             const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, (dims || ndim == 0) && out);
    return rlxv_tensor_new(NULL, a, dtype, ndim, dims, out, err);
}

rlx_status rlx_tensor_wrap(const rlx_allocator *a, rlx_dtype dtype, uint32_t ndim,
                           const int64_t *dims, void *data, void (*release)(void *user, void *data),
                           void *user, rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, (dims || ndim == 0) && out);
    int64_t numel;
    size_t nbytes;
    RLX_TRY(check_shape(dtype, ndim, dims, &numel, &nbytes, err));
    if (!data && nbytes > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a tensor over a null pointer");
    if ((uintptr_t)data % alignment(dtype) != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "tensor data is not aligned to its element");
    rlx_storage *s;
    RLX_TRY(rlxv_storage_wrap(NULL, a, data, nbytes, false, release, user, &s, err));
    /* Kernels never see a null pointer: an empty tensor points to its own header. */
    void *first = data ? data : (void *)s;
    rlx_status status = new_header(NULL, a, s, first, dtype, ndim, dims, numel, nbytes, out, err);
    if (status != RLX_OK) {
        s->release = NULL; /* the memory stays the caller's */
        rlxv_release(&s->header);
    }
    return status;
}

rlx_status rlx_tensor_view(const rlx_allocator *a, rlx_tensor *base, uint32_t ndim,
                           const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, base && (dims || ndim == 0) && out);
    rlxv_export(base->header.pool, (rlx_value){RLX_KIND_TENSOR, 0, {.tensor = base}});
    return rlxv_tensor_reshape(NULL, a, base, ndim, dims, out, err);
}

rlx_dtype rlx_tensor_dtype(const rlx_tensor *t)
{
    if (!t)
        return (rlx_dtype){0};
    return t->dtype;
}

uint32_t rlx_tensor_ndim(const rlx_tensor *t)
{
    if (!t)
        return 0;
    return t->ndim;
}

const int64_t *rlx_tensor_dims(const rlx_tensor *t)
{
    if (!t)
        return NULL;
    return t->dims;
}

int64_t rlx_tensor_numel(const rlx_tensor *t)
{
    if (!t)
        return 0;
    return t->numel;
}

size_t rlx_tensor_nbytes(const rlx_tensor *t)
{
    if (!t)
        return 0;
    return t->nbytes;
}

const void *rlx_tensor_data(const rlx_tensor *t)
{
    if (!t)
        return NULL;
    return t->header.is_remote ? NULL : t->data;
}

void *rlx_tensor_mutable_data(rlx_tensor *t)
{
    if (!t)
        return NULL;
    return t->header.readonly || t->header.is_remote ? NULL : t->data;
}

bool rlx_tensor_same_storage(const rlx_tensor *a, const rlx_tensor *b)
{
    if (!b)
        return false;
    return a->storage == b->storage;
}

/* --- shapes, tuples, strings, closures, objects ---------------------------------------------- */

rlx_status rlxv_shape_new(rlxv_pool *p, const rlx_allocator *a, uint32_t n, const int64_t *dims,
                          rlx_shape **out, rlx_error *err)
{
    rlx_shape *s;
    RLX_TRY(rlxv_object_new(p, a, sizeof *s + n * sizeof *dims, RLX_KIND_SHAPE, &s, err));
    s->n = n;
    for (uint32_t i = 0; i < n; i++)
        s->dims[i] = dims[i];
    *out = s;
    return RLX_OK;
}

rlx_status rlx_shape_create(const rlx_allocator *a, uint32_t n, const int64_t *dims,
                            rlx_shape **out, rlx_error *err)
{
    RLXV_NEED(err, (dims || n == 0) && out);
    return rlxv_shape_new(NULL, a, n, dims, out, err);
}

uint32_t rlx_shape_ndim(const rlx_shape *s)
{
    if (!s)
        return 0;
    return s->n;
}

const int64_t *rlx_shape_dims(const rlx_shape *s)
{
    if (!s)
        return NULL;
    return s->dims;
}

bool rlxv_are_values(const rlx_value *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind > RLX_KIND_OBJECT ||
            (items[i].kind >= RLX_KIND_TENSOR && !items[i].as.object))
            return false;
    return true;
}

/* For the object |holder|, made of |p|. */
static void take_items(rlxv_pool *p, rlx_object *holder, rlx_value *to, const rlx_value *items,
                       uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = rlxv_retain_value(items[i]);
        if (to[i].kind < RLX_KIND_TENSOR)
            continue;
        holder->is_remote |= to[i].as.object->is_remote;
        if (!p)
            rlxv_export(to[i].as.object->pool, to[i]);
    }
}

rlx_status rlxv_tuple_new(rlxv_pool *p, const rlx_allocator *a, uint32_t n, const rlx_value *items,
                          rlx_tuple **out, rlx_error *err)
{
    rlx_tuple *t;
    RLX_TRY(rlxv_object_new(p, a, sizeof *t + n * sizeof *items, RLX_KIND_TUPLE, &t, err));
    t->n = n;
    take_items(p, &t->header, t->items, items, n);
    *out = t;
    return RLX_OK;
}

rlx_status rlx_tuple_create(const rlx_allocator *a, uint32_t n, const rlx_value *items,
                            rlx_tuple **out, rlx_error *err)
{
    RLXV_NEED(err, (items || n == 0) && rlxv_are_values(items, n) && out);
    return rlxv_tuple_new(NULL, a, n, items, out, err);
}

uint32_t rlx_tuple_count(const rlx_tuple *t)
{
    if (!t)
        return 0;
    return t->n;
}

rlx_value rlx_tuple_get(const rlx_tuple *t, uint32_t i)
{
    if (!t)
        return rlx_none();
    return i < t->n ? t->items[i] : rlx_none();
}

rlx_status rlxv_string_new(rlxv_pool *p, const rlx_allocator *a, rlx_str text, rlx_string **out,
                           rlx_error *err)
{
    rlx_string *s;
    size_t bytes;
    if (!rlx_add_size(sizeof *s + 1, text.len, &bytes) || bytes > PTRDIFF_MAX / 2)
        return rlx_fail(err, RLX_E_LIMIT, "a string of %zu bytes", text.len);
    RLX_TRY(rlxv_object_new(p, a, bytes, RLX_KIND_STRING, &s, err));
    s->len = text.len;
    if (text.len)
        memcpy(s->text, text.data, text.len);
    s->text[text.len] = 0;
    *out = s;
    return RLX_OK;
}

rlx_status rlx_string_create(const rlx_allocator *a, rlx_str text, rlx_string **out, rlx_error *err)
{
    RLXV_NEED(err, RLXV_IS_STR(text) && out);
    return rlxv_string_new(NULL, a, text, out, err);
}

rlx_str rlx_string_get(const rlx_string *s)
{
    if (!s)
        return (rlx_str){"", 0};
    return (rlx_str){s->text, s->len};
}

rlx_status rlxv_closure_new(rlxv_pool *p, const rlx_allocator *a, rlx_executable *exe,
                            uint32_t function, uint32_t n, const rlx_value *captured,
                            rlx_closure **out, rlx_error *err)
{
    rlx_closure *c;
    RLX_TRY(rlxv_object_new(p, a, sizeof *c + n * sizeof *captured, RLX_KIND_CLOSURE, &c, err));
    c->exe = rlx_executable_retain(exe);
    c->function = function;
    c->n = n;
    take_items(p, &c->header, c->captured, captured, n);
    *out = c;
    return RLX_OK;
}

uint32_t rlx_closure_function(const rlx_closure *c)
{
    if (!c)
        return 0;
    return c->function;
}

uint32_t rlx_closure_captured(const rlx_closure *c)
{
    if (!c)
        return 0;
    return c->n;
}

rlx_status rlx_opaque_create(const rlx_allocator *a, const char *tag, void *pointer,
                             void (*destroy)(void *pointer), rlx_opaque **out, rlx_error *err)
{
    RLXV_NEED(err, out);
    rlx_opaque *o;
    RLX_TRY(rlxv_object_new(NULL, a, sizeof *o, RLX_KIND_OBJECT, &o, err));
    o->tag = tag;
    o->pointer = pointer;
    o->destroy = destroy;
    *out = o;
    return RLX_OK;
}

void *rlx_opaque_get(const rlx_opaque *o, const char *tag)
{
    if (!o)
        return NULL;
    return o->tag == tag ? o->pointer : NULL;
}
