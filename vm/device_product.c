/* Matrix products by the library of a device's vendor. */
#include "vm/device.h"

#include <rlx/checked.h>
#include <string.h>

/* Fills the sizes, and the dimensions of the result; false: the operands do not fit. The number of
 * elements of a tensor fits 64 bits, so those of its parts do. */
static bool sizes_of(const rlx_tensor *x, const rlx_tensor *w, rlx_product *out, int64_t *dims)
{
    if (x->ndim < 2 || w->ndim < 2 || !rlx_dtype_eq(x->dtype, w->dtype) || x->dtype.lanes != 1 ||
        (x->dtype.code != RLX_FLOAT && x->dtype.code != RLX_BFLOAT) || x->dtype.bits < 16 ||
        (w->ndim != 2 && w->ndim != x->ndim))
        return false;
    const uint32_t n = x->ndim;
    int64_t leading = 1;
    for (uint32_t i = 0; i < n - 2; i++) {
        if (w->ndim != 2 && w->dims[i] != x->dims[i])
            return false;
        if (x->dims[i] == 0)
            leading = 0;
        else if (!rlx_mul_i64(leading, x->dims[i], &leading))
            return false;
        dims[i] = x->dims[i];
    }
    out->dtype = x->dtype;
    out->m = dims[n - 2] = x->dims[n - 2];
    out->k = x->dims[n - 1];
    out->n = dims[n - 1] = w->dims[w->ndim - 1];
    out->batches = w->ndim == 2 ? 1 : leading;
    return w->dims[w->ndim - 2] == out->k &&
           (w->ndim != 2 || rlx_mul_i64(leading, out->m, &out->m));
}

static rlx_status ask(rlx_device *d, const rlx_product *p, const rlxv_watch *watch, rlx_error *err)
{
    void *event = NULL;
    rlxv_lock_take(&d->lock);
    const rlx_status status =
        d->api.product(d->handle, p, watch && d->api.event_time ? &event : NULL, err);
    d->stats.launches += status == RLX_OK;
    rlxv_lock_leave(&d->lock);
    if (status != RLX_OK)
        return rlxv_device_failed(d, NULL, status, err);
    if (watch)
        watch->add(watch->user, &(rlxv_work){RLX_WORK_LAUNCH, d, "product", 0, event});
    return RLX_OK;
}

rlx_status rlxv_device_product(rlxv_pool *p, const rlx_tensor *x, const rlx_tensor *w,
                               const rlxv_watch *watch, rlx_tensor **out, rlx_error *err)
{
    rlx_device *d = x->storage->device;
    rlx_product product;
    int64_t dims[RLX_MAX_NDIM];
    if (!d || d != w->storage->device || !d->api.product)
        return rlx_fail(err, RLX_E_DEVICE, "no library computes a product of tensors on %s and %s",
                        rlxv_tensor_place_name(x), rlxv_tensor_place_name(w));
    if (!sizes_of(x, w, &product, dims))
        return rlx_fail(err, RLX_E_SHAPE, "a product of matrices that do not fit each other");
    rlx_tensor *y;
    RLX_TRY(rlxv_tensor_on(p, NULL, d, NULL, x->dtype, x->ndim, dims, &y, err));
    product.x = rlxv_tensor_at(x);
    product.w = rlxv_tensor_at(w);
    product.y = rlxv_tensor_at(y);
    rlx_status status = RLX_OK;
    if (product.k == 0)
        status = rlx_fail(err, RLX_E_SHAPE, "a product without terms");
    else if (y->nbytes > 0)
        status = ask(d, &product, watch, err);
    if (status != RLX_OK)
        rlxv_release(&y->header);
    else
        *out = y;
    return status;
}
