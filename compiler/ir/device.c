/* Names of virtual devices, resolved against the module's table as TVM does. */
#include "compiler/ir/device.h"

#include <string.h>

const char *rlxc_target_kind(const rlxc_attr *target, size_t *out_length)
{
    const char *text = "";
    if (target->kind == RLXC_ATTR_STRING)
        text = target->s;
    for (uint32_t i = 0; target->kind == RLXC_ATTR_DICT && i < target->list.count; i++)
        if (strcmp(target->list.keys[i], "kind") == 0 &&
            target->list.items[i].kind == RLXC_ATTR_STRING)
            text = target->list.items[i].s;
    *out_length = strcspn(text, " ");
    return text;
}

bool rlxc_is_cpu_kind(const char *kind, size_t length)
{
    static const char *const cpus[] = {"llvm", "cpu", "c"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (strlen(cpus[i]) == length && memcmp(cpus[i], kind, length) == 0)
            return true;
    return false;
}

/* The number that the |n| bytes at |text| are, all of them digits. */
static bool read_index(const char *text, size_t n, uint32_t *out)
{
    uint32_t value = 0;
    if (n == 0 || n > 8)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *out = value;
    return true;
}

static bool same_kind(const rlxc_vdevice *device, const char *kind, size_t length)
{
    size_t own;
    const char *text = rlxc_target_kind(&device->target, &own);
    return own == length && memcmp(text, kind, length) == 0;
}

static bool has_scope(const rlxc_vdevice *device, const char *scope)
{
    const char *own = device->scope && device->scope[0] ? device->scope : "global";
    return strcmp(own, scope) == 0;
}

const rlxc_vdevice *rlxc_find_vdevice(const rlxc_module *module, const char *text)
{
    size_t length = strcspn(text, ":");
    uint32_t index = 0;
    const char *scope = NULL; /* of "llvm:0:global" */
    if (text[length] == ':') {
        const char *number = text + length + 1;
        size_t digits = strcspn(number, ":");
        if (!read_index(number, digits, &index))
            return NULL;
        scope = number[digits] == ':' ? number + digits + 1 : NULL;
    }
    bool any = length == 7 && memcmp(text, "vdevice", 7) == 0;
    for (uint32_t i = 0; i < module->vdevices.count; i++) {
        const rlxc_vdevice *device = &module->vdevices.items[i];
        if ((any || same_kind(device, text, length)) && index-- == 0)
            return !scope || has_scope(device, scope) ? device : NULL;
    }
    return NULL;
}

const char *rlxc_vdevice_name(rlxc_context *ctx, const rlxc_module *module,
                              const rlxc_vdevice *device)
{
    size_t length;
    const char *kind = rlxc_target_kind(&device->target, &length);
    uint32_t before = 0;
    for (const rlxc_vdevice *at = module->vdevices.items; at < device; at++)
        before += same_kind(at, kind, length);
    return rlxc_internf(ctx, "%.*s:%u", (int)length, kind, before);
}
