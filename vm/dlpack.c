/* DLPack in and out: the one file that knows its types (version 0.6: no bool, no read-only flag).
   Memory of some devices is an object, not an address: then the offset stands apart.

   Imports share compact, row-major, element-aligned memory; that of the CPU is copied otherwise.
   Exports hold a reference to the tensor until the deleter runs. */
#include "vm/device.h"
#include "vm/need.h"

#include <dlpack/dlpack.h>
#include <rlx/checked.h>
#include <string.h>

static bool from_dl(DLDataType t, rlx_dtype *out)
{
    switch (t.code) {
    case kDLInt:
    case kDLUInt:
    case kDLFloat:
    case kDLBfloat:
    case RLX_BOOL: /* kDLBool of DLPack 0.7 and later */
    case RLX_FLOAT8_E4M3FN:
    case RLX_FLOAT8_E4M3FNUZ:
    case RLX_FLOAT8_E5M2:
    case RLX_FLOAT8_E5M2FNUZ: /* of DLPack 1.1 and later */
        *out = (rlx_dtype){t.code, t.bits, t.lanes};
        return rlx_dtype_valid(*out);
    }
    return false;
}

static DLDataType to_dl(rlx_dtype t)
{
    if (t.code == RLX_BOOL)
        return (DLDataType){kDLUInt, 8, 1};
    return (DLDataType){t.code, t.bits, t.lanes};
}

static void delete_managed(void *user, void *data)
{
    (void)data;
    DLManagedTensor *m = user;
    if (m->deleter)
        m->deleter(m);
}

static bool is_compact(const DLTensor *t)
{
    int64_t expect = 1;
    if (!t->strides)
        return true;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->strides[i] != expect)
            return false;
        expect *= t->shape[i]; /* cannot overflow: the caller checked the number of elements */
    }
    return true;
}

/* Copies element by element in row-major order; an odometer walks the strides. */
static void copy_strided(uint8_t *to, const uint8_t *from, const DLTensor *t, size_t element,
                         int64_t numel)
{
    int64_t index[RLX_MAX_NDIM] = {0};
    for (int64_t n = 0; n < numel; n++) {
        int64_t at = 0;
        for (int i = 0; i < t->ndim; i++)
            at += index[i] * (t->strides ? t->strides[i] : 0);
        memcpy(to + (size_t)n * element, from + at * (int64_t)element, element);
        for (int i = t->ndim - 1; i >= 0 && ++index[i] == t->shape[i]; i--)
            index[i] = 0;
    }
}

/* What a DLPack tensor says, checked. */
typedef struct imported {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t numel;
    size_t nbytes, element; /* element: bytes of one; 0: less than one */
    bool is_compact;
} imported;

static rlx_status check(const DLTensor *t, const rlx_dtype *as_dtype, imported *out, rlx_error *err)
{
    if (!from_dl(t->dtype, &out->dtype))
        return rlx_fail(err, RLX_E_INVALID_ARG, "DLPack type code %u, %u bits is not supported",
                        t->dtype.code, t->dtype.bits);
    if (as_dtype) {
        if (!rlx_dtype_valid(*as_dtype) || as_dtype->bits != out->dtype.bits)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the requested type has a different width");
        out->dtype = *as_dtype;
    }
    if (t->ndim < 0 || t->ndim > RLX_MAX_NDIM || (t->ndim > 0 && !t->shape))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor of rank %d", t->ndim);
    out->ndim = (uint32_t)t->ndim;
    if (!rlx_numel(t->shape, out->ndim, &out->numel) ||
        !rlx_nbytes(t->shape, out->ndim, out->dtype, &out->nbytes))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor with an invalid size");
    if (!t->data && out->nbytes > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor without data");
    out->element = rlx_dtype_size(out->dtype);
    out->is_compact = out->numel == 0 || is_compact(t);
    return RLX_OK;
}

rlx_status rlx_tensor_from_dlpack(const rlx_allocator *a, DLManagedTensor *m,
                                  const rlx_dtype *as_dtype, rlx_tensor **out, bool *out_copied,
                                  rlx_error *err)
{
    RLXV_NEED(err, m && out);
    const DLTensor *t = &m->dl_tensor;
    imported i;
    if (t->device.device_type != kDLCPU)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor on device type %d: not the CPU",
                        (int)t->device.device_type);
    RLX_TRY(check(t, as_dtype, &i, err));
    uint8_t *data = t->data ? (uint8_t *)t->data + t->byte_offset : NULL;
    if (!i.is_compact && i.element == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a DLPack tensor of %u bits an element is not compact", i.dtype.bits);
    if (i.is_compact && (i.element == 0 || (uintptr_t)data % i.element == 0)) {
        RLX_TRY(rlx_tensor_wrap(a, i.dtype, i.ndim, t->shape, data, delete_managed, m, out, err));
        if (out_copied)
            *out_copied = false;
        return RLX_OK;
    }
    rlx_tensor *copy;
    RLX_TRY(rlxv_tensor_new(NULL, a, i.dtype, i.ndim, t->shape, &copy, err));
    if (i.is_compact)
        memcpy(copy->data, data, i.nbytes);
    else
        copy_strided(copy->data, data, t, i.element, i.numel);
    delete_managed(m, NULL);
    if (out_copied)
        *out_copied = true;
    *out = copy;
    return RLX_OK;
}

/* --- memory of devices ------------------------------------------------------------------------ */

/* Devices whose memory is an object of the driver. */
static bool has_handles(int32_t type)
{
    return type == kDLOpenCL || type == kDLVulkan || type == kDLMetal;
}

typedef struct held { /* what a tensor over foreign memory of a device returns */
    rlx_allocator allocator;
    rlx_device *device; /* the storage holds it */
    DLManagedTensor *managed;
} held;

static void delete_held(void *user, void *data)
{
    held *h = user;
    rlx_allocator a = h->allocator;
    /* A fault of earlier work belongs to those who wait for it. */
    (void)h->device->api.sync(h->device->handle, NULL);
    delete_managed(h->managed, data);
    rlx_free(&a, h, sizeof *h, _Alignof(held));
}

static rlx_status wrap_held(const rlx_allocator *a, held *h, const imported *i, rlx_tensor **out,
                            rlx_error *err)
{
    const DLTensor *t = &h->managed->dl_tensor;
    size_t size;
    rlx_storage *s;
    if (!rlx_add_size(i->nbytes, t->byte_offset, &size) ||
        (i->element && t->byte_offset % i->element != 0))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor at a wrong offset");
    if (h->device->api.accept && t->data)
        RLX_TRY(h->device->api.accept(h->device->handle, t->data, size, err));
    RLX_TRY(rlxv_storage_wrap(NULL, a, t->data, size, false, NULL, h, &s, err));
    rlxv_storage_set_device(s, h->device);
    const rlx_status status =
        rlxv_tensor_in(NULL, a, s, (int64_t)t->byte_offset, i->dtype, i->ndim, t->shape, out, err);
    if (status == RLX_OK)
        s->release = delete_held;
    rlxv_release(&s->header);
    return status;
}

rlx_status rlx_tensor_from_dlpack_on(const rlx_allocator *a, rlx_device *d, DLManagedTensor *m,
                                     const rlx_dtype *as_dtype, rlx_tensor **out, rlx_error *err)
{
    RLXV_NEED(err, d && m && out);
    const DLTensor *t = &m->dl_tensor;
    imported i;
    if ((int32_t)t->device.device_type != d->api.type ||
        (t->device.device_type != kDLCPU && (uint32_t)t->device.device_id != d->id))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a DLPack tensor on device %d of type %d: not %s, of type %d",
                        t->device.device_id, (int)t->device.device_type, d->name, d->api.type);
    RLX_TRY(check(t, as_dtype, &i, err));
    if (!i.is_compact)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor on %s is not compact", d->name);
    if (d->is_host)
        return rlx_tensor_from_dlpack(a, m, as_dtype, out, NULL, err);
    held *h = rlx_alloc(a, sizeof *h, _Alignof(held));
    if (!h)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (a DLPack header)");
    *h = (held){a ? *a : *rlx_default_allocator(), d, m};
    const rlx_status status = wrap_held(a, h, &i, out, err);
    if (status != RLX_OK)
        rlx_free(a, h, sizeof *h, _Alignof(held));
    return status;
}

typedef struct exported {
    DLManagedTensor managed;
    rlx_allocator allocator;
    rlx_tensor *tensor;
} exported;

static void delete_exported(DLManagedTensor *m)
{
    exported *e = (exported *)m;
    rlx_allocator a = e->allocator;
    rlxv_release(&e->tensor->header);
    rlx_free(&a, e, sizeof *e, _Alignof(exported));
}

/* |t|, or a copy if its bytes are a constant's, with the work on them done. */
static rlx_status tensor_to_give(const rlx_allocator *a, rlx_tensor *t, rlx_tensor **out,
                                 rlx_error *err)
{
    rlx_device *d = t->storage->device;
    if (t->header.readonly) {
        RLX_TRY(rlxv_tensor_on(NULL, a, d, NULL, t->dtype, t->ndim, t->dims, out, err));
        const rlx_status status = rlxv_copy_tensor(*out, t, NULL, err);
        if (status != RLX_OK) {
            rlxv_release(&(*out)->header);
            return status;
        }
    } else {
        rlxv_retain(&t->header);
        rlxv_export(t->header.pool, (rlx_value){RLX_KIND_TENSOR, 0, {.tensor = t}});
        *out = t;
    }
    const rlx_status status = d ? rlx_device_sync(d, err) : RLX_OK;
    if (status != RLX_OK)
        rlxv_release(&(*out)->header);
    return status;
}

rlx_status rlx_tensor_to_dlpack(const rlx_allocator *a, rlx_tensor *t, DLManagedTensor **out,
                                rlx_error *err)
{
    RLXV_NEED(err, t && out);
    exported *e = rlx_alloc(a, sizeof *e, _Alignof(exported));
    if (!e)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (a DLPack header)");
    const rlx_status status = tensor_to_give(a, t, &t, err);
    if (status != RLX_OK) {
        rlx_free(a, e, sizeof *e, _Alignof(exported));
        return status;
    }
    memset(e, 0, sizeof *e);
    e->allocator = a ? *a : *rlx_default_allocator();
    e->tensor = t;
    DLTensor *dl = &e->managed.dl_tensor;
    const rlx_device *d = t->storage->device;
    dl->data = t->data;
    dl->device = (DLDevice){kDLCPU, 0};
    if (d && d->api.type != kDLCPU)
        dl->device = (DLDevice){(DLDeviceType)d->api.type, (int32_t)d->id};
    if (d && has_handles(d->api.type)) {
        dl->data = rlxv_tensor_at(t).memory;
        dl->byte_offset = rlxv_tensor_at(t).offset;
    }
    dl->ndim = (int)t->ndim;
    dl->dtype = to_dl(t->dtype);
    dl->shape = t->dims;
    e->managed.deleter = delete_exported;
    *out = &e->managed;
    return RLX_OK;
}
