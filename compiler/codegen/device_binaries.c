/* Device code -> binaries of the drivers that this machine has (--device-binaries).
 *
 * Each device of the target's kind builds the most general image, which is the last one. Devices
 * with the same model and driver share a binary, whose format names both. The other images stay, so
 * that the file still runs on every machine. */
#include <string.h>

#include "compiler/codegen/device.h"

typedef struct binaries {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_device_image) images;
} binaries;

static rlx_status add(void *user, rlx_str format, const void *code, size_t size, rlx_error *err)
{
    binaries *b = user;
    const char *name = rlxc_intern(b->ctx, format.data, format.len);
    for (uint32_t i = 0; i < b->images.count; i++)
        if (b->images.items[i].format == name) /* interned */
            return RLX_OK;
    const rlxc_device_image image = {name, rlxc_copy(b->ctx, code, size), size};
    RLXC_PUSH(b->ctx, &b->images, image);
    return rlxc_failed(b->ctx) ? rlx_fail(err, RLX_E_NOMEM, "out of memory") : RLX_OK;
}

static rlx_status build(binaries *b, const char *kind, uint32_t id, const rlxc_device_image *from,
                        rlx_error *err)
{
    rlx_device *device;
    RLX_TRY(rlx_device_open(NULL, kind, id, &device, err));
    const rlx_status status =
        rlx_device_build(device, rlx_str_from(from->format), from->data, from->size, add, b, err);
    rlx_device_release(device);
    return status;
}

bool rlxc_add_device_binaries(rlxc_context *ctx, rlxc_device_code *out)
{
    binaries b = {.ctx = ctx};
    const char *kind = out->target->kind;
    rlx_error err = {0};
    const uint32_t n = rlx_device_count(NULL, kind, &err);
    rlx_status status = n > 0 ? RLX_OK : RLX_E_NOT_FOUND;
    for (uint32_t id = 0; id < n && status == RLX_OK && out->n_images > 0; id++)
        status = build(&b, kind, id, &out->images[out->n_images - 1], &err);
    if (status != RLX_OK && !rlxc_failed(ctx))
        rlxc_error(ctx, (rlxc_range){0}, "no binaries for devices of the kind %s: %s", kind,
                   err.message[0] ? err.message : "there is none here");
    for (uint32_t i = 0; i < out->n_images; i++)
        RLXC_PUSH(ctx, &b.images, out->images[i]);
    out->images = b.images.items;
    out->n_images = b.images.count;
    return !rlxc_failed(ctx);
}
