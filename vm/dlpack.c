/* DLPack in and out: the one file that knows its types (version 0.6: no bool, no read-only flag).

   Imports share compact, row-major, element-aligned CPU memory, and copy otherwise.
   Exports hold a reference to the tensor until the deleter runs. */
#include "vm/need.h"
#include "vm/object.h"

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

rlx_status rlx_tensor_from_dlpack(const rlx_allocator *a, DLManagedTensor *m,
                                  const rlx_dtype *as_dtype, rlx_tensor **out, bool *out_copied,
                                  rlx_error *err)
{
    RLXV_NEED(err, m && out);
    const DLTensor *t = &m->dl_tensor;
    rlx_dtype dtype;
    int64_t numel;
    size_t nbytes;
    if (t->device.device_type != kDLCPU)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor on device type %d: not the CPU",
                        (int)t->device.device_type);
    if (!from_dl(t->dtype, &dtype))
        return rlx_fail(err, RLX_E_INVALID_ARG, "DLPack type code %u, %u bits is not supported",
                        t->dtype.code, t->dtype.bits);
    if (as_dtype) {
        if (!rlx_dtype_valid(*as_dtype) || as_dtype->bits != dtype.bits)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the requested type has a different width");
        dtype = *as_dtype;
    }
    if (t->ndim < 0 || t->ndim > RLX_MAX_NDIM || (t->ndim > 0 && !t->shape))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor of rank %d", t->ndim);
    uint32_t ndim = (uint32_t)t->ndim;
    if (!rlx_numel(t->shape, ndim, &numel) || !rlx_nbytes(t->shape, ndim, dtype, &nbytes))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor with an invalid size");
    if (!t->data && nbytes > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a DLPack tensor without data");
    uint8_t *data = t->data ? (uint8_t *)t->data + t->byte_offset : NULL;
    size_t element = rlx_dtype_size(dtype);
    bool compact = numel == 0 || is_compact(t);
    if (!compact && element == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a DLPack tensor of %u bits an element is not compact", dtype.bits);
    if (compact && (element == 0 || (uintptr_t)data % element == 0)) {
        RLX_TRY(rlx_tensor_wrap(a, dtype, ndim, t->shape, data, delete_managed, m, out, err));
        if (out_copied)
            *out_copied = false;
        return RLX_OK;
    }
    rlx_tensor *copy;
    RLX_TRY(rlxv_tensor_new(NULL, a, dtype, ndim, t->shape, &copy, err));
    if (compact)
        memcpy(copy->data, data, nbytes);
    else
        copy_strided(copy->data, data, t, element, numel);
    delete_managed(m, NULL);
    if (out_copied)
        *out_copied = true;
    *out = copy;
    return RLX_OK;
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

rlx_status rlx_tensor_to_dlpack(const rlx_allocator *a, rlx_tensor *t, DLManagedTensor **out,
                                rlx_error *err)
{
    RLXV_NEED(err, t && out);
    exported *e = rlx_alloc(a, sizeof *e, _Alignof(exported));
    if (!e)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (a DLPack header)");
    if (t->header.readonly) {
        rlx_tensor *copy;
        rlx_status status = rlxv_tensor_new(NULL, a, t->dtype, t->ndim, t->dims, &copy, err);
        if (status != RLX_OK) {
            rlx_free(a, e, sizeof *e, _Alignof(exported));
            return status;
        }
        memcpy(copy->data, t->data, t->nbytes);
        t = copy;
    } else {
        rlxv_retain(&t->header);
        rlxv_export(t->header.pool, (rlx_value){RLX_KIND_TENSOR, 0, {.tensor = t}});
    }
    memset(e, 0, sizeof *e);
    e->allocator = a ? *a : *rlx_default_allocator();
    e->tensor = t;
    e->managed.dl_tensor.data = t->data;
    e->managed.dl_tensor.device = (DLDevice){kDLCPU, 0};
    e->managed.dl_tensor.ndim = (int)t->ndim;
    e->managed.dl_tensor.dtype = to_dl(t->dtype);
    e->managed.dl_tensor.shape = t->dims;
    e->managed.deleter = delete_exported;
    *out = &e->managed;
    return RLX_OK;
}
