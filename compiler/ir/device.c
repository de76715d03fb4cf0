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

/* "+a,+b" of a list of strings, or the string. */
static const char *text_of(rlxc_context *ctx, const rlxc_attr *value)
{
    rlxc_text text = {.ctx = ctx};
    int64_t number;
    if (value->kind == RLXC_ATTR_STRING)
        return value->s;
    if (rlxc_attr_as_int(value, &number))
        return rlxc_internf(ctx, "%lld", (long long)number);
    if (value->kind != RLXC_ATTR_LIST)
        return NULL;
    for (uint32_t i = 0; i < value->list.count; i++)
        if (value->list.items[i].kind == RLXC_ATTR_STRING)
            rlxc_text_printf(&text, "%s%s", text.length ? "," : "", value->list.items[i].s);
    return text.data;
}

bool rlxc_target_spec_of(rlxc_context *ctx, rlxc_range range, const rlxc_attr *target,
                         rlxc_target_spec *out)
{
    *out = (rlxc_target_spec){0};
    if (target->kind == RLXC_ATTR_STRING)
        return rlxc_target_parse(ctx, range, target->s, out);
    for (uint32_t i = 0; target->kind == RLXC_ATTR_DICT && i < target->list.count; i++) {
        const char *value = text_of(ctx, &target->list.items[i]);
        if (value)
            rlxc_target_spec_set(out, target->list.keys[i], value);
    }
    return true;
}

const rlxc_target *rlxc_prim_target(rlxc_context *ctx, const rlxc_prim_func *f,
                                    const rlxc_target *otherwise)
{
    const rlxc_attr *target = rlxc_attrs_find(&f->attrs, "target");
    rlxc_target_spec spec;
    if (!target)
        return otherwise;
    const rlxc_said before = rlxc_said_so_far(ctx);
    const rlxc_target *own = NULL;
    if (rlxc_target_spec_of(ctx, f->range, target, &spec)) {
        const bool device = spec.kind && rlxc_target_is_device_kind(spec.kind, strlen(spec.kind));
        if (!device)
            spec.triple = otherwise->triple;
        if (device || spec.mcpu || spec.mattr)
            own = rlxc_target_of_spec(ctx, f->range, &spec);
    }
    if (!own) /* pass plan_devices has reported it */
        rlxc_take_back(ctx, before);
    return own ? own : otherwise;
}

bool rlxc_prim_is_device(const rlxc_prim_func *f)
{
    const rlxc_attr *target = rlxc_attrs_find(&f->attrs, "target");
    size_t length = 0;
    const char *kind = target ? rlxc_target_kind(target, &length) : "";
    return rlxc_target_is_device_kind(kind, length);
}

bool rlxc_has_cpu_kernels(const rlxc_module *module)
{
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f && !rlxc_prim_is_device(f))
            return true;
    }
    return false;
}

bool rlxc_is_cpu_kind(const char *kind, size_t length)
{
    static const char *const cpus[] = {"llvm", "cpu", "c"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (strlen(cpus[i]) == length && memcmp(cpus[i], kind, length) == 0)
            return true;
    return false;
}

bool rlxc_is_known_vdevice(const rlxc_vdevice *device)
{
    size_t length;
    const char *kind = rlxc_target_kind(&device->target, &length);
    return rlxc_is_cpu_kind(kind, length) || rlxc_target_is_device_kind(kind, length);
}

/* Parses the |n| bytes at |text|, which must all be digits. */
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

static const char *scope_of(const rlxc_vdevice *device)
{
    return device->scope && device->scope[0] ? device->scope : "global";
}

static bool has_scope(const rlxc_vdevice *device, const char *scope)
{
    return strcmp(scope_of(device), scope) == 0;
}

bool rlxc_is_device_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '.' || c == '-'))
            return false;
    }
    return length > 0 && length <= RLXC_MOST_DEVICE_WORD;
}

bool rlxc_is_plain_scope(const char *scope)
{
    return scope == NULL || scope[0] == '\0' || strcmp(scope, "global") == 0;
}

bool rlxc_same_place(const rlxc_vdevice *a, const rlxc_vdevice *b)
{
    return a->index == b->index && rlxc_attr_equal(&a->target, &b->target);
}

uint32_t rlxc_add_vdevice(rlxc_context *ctx, rlxc_module *module, const rlxc_vdevice *like)
{
    for (uint32_t i = 0; i < module->vdevices.count; i++) {
        const rlxc_vdevice *known = &module->vdevices.items[i];
        if (rlxc_same_place(known, like) && has_scope(known, scope_of(like)))
            return i;
    }
    RLXC_PUSH(ctx, &module->vdevices, *like);
    return module->vdevices.count - 1; /* not used after memory ran out */
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

bool rlxc_is_host_vdevice(const rlxc_vdevice *device)
{
    size_t length;
    const char *kind = rlxc_target_kind(&device->target, &length);
    return rlxc_is_cpu_kind(kind, length) && device->index == 0 && has_scope(device, "global");
}

bool rlxc_vdevice_is_host(const rlxc_module *module, const char *name)
{
    const rlxc_vdevice *device = name ? rlxc_find_vdevice(module, name) : NULL;
    return !device || rlxc_is_host_vdevice(device);
}

const char *rlxc_host_vdevice(rlxc_context *ctx, rlxc_module *module)
{
    uint32_t i = 0;
    while (i < module->vdevices.count && !rlxc_is_host_vdevice(&module->vdevices.items[i]))
        i++;
    if (i == module->vdevices.count) {
        const rlxc_vdevice host = {.target = rlxc_attr_string(ctx, "llvm"),
                                   .scope = rlxc_intern_cstr(ctx, "global")};
        RLXC_PUSH(ctx, &module->vdevices, host);
    }
    return i < module->vdevices.count ? rlxc_vdevice_name(ctx, module, &module->vdevices.items[i])
                                      : NULL;
}

const char *rlxc_placed_host(rlxc_context *ctx, rlxc_module *module)
{
    return module->is_placed ? rlxc_host_vdevice(ctx, module) : NULL;
}

const char *rlxc_stated_device(const rlxc_sinfo *s)
{
    const char *found = s->kind == RLXC_SINFO_TENSOR ? s->vdevice : NULL;
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields && !found; i++)
        found = rlxc_stated_device(s->fields[i]);
    return found;
}

void rlxc_note_devices(rlxc_context *ctx, const rlxc_sinfo *wanted, const char *name,
                       rlxc_range range, const rlxc_sinfo *got, rlxc_atom value)
{
    const char *a = rlxc_stated_device(wanted), *b = rlxc_stated_device(got);
    if (!a || !b || strcmp(a, b) == 0)
        return;
    rlxc_note(ctx, range, "'%s' is on '%s'", name, a);
    if (value.kind == RLXC_ATOM_VAR)
        rlxc_note(ctx, value.var->range, "'%s' is on '%s'", value.var->name, b);
}

const char *rlxc_sinfo_device(const rlxc_module *module, const rlxc_sinfo *s)
{
    const char *found = NULL;
    if (s && s->kind == RLXC_SINFO_TENSOR && !rlxc_vdevice_is_host(module, s->vdevice))
        return s->vdevice;
    for (uint32_t i = 0; s && s->kind == RLXC_SINFO_TUPLE && i < s->n_fields && !found; i++)
        found = rlxc_sinfo_device(module, s->fields[i]);
    return found;
}

const rlxc_sinfo *rlxc_sinfo_on(rlxc_context *ctx, const rlxc_sinfo *s, const char *vdevice,
                                bool undecided)
{
    if (!s || (s->kind == RLXC_SINFO_TENSOR && undecided && s->vdevice))
        return s;
    if (s->kind == RLXC_SINFO_TENSOR)
        return rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, s->dims, vdevice);
    if (s->kind != RLXC_SINFO_TUPLE || s->n_fields == 0)
        return s;
    const rlxc_sinfo **fields = rlxc_alloc(ctx, s->n_fields * sizeof *fields);
    for (uint32_t i = 0; i < s->n_fields; i++)
        fields[i] = rlxc_sinfo_on(ctx, s->fields[i], vdevice, undecided);
    return rlxc_sinfo_tuple(ctx, fields, s->n_fields);
}

int64_t rlxc_vdevice_index(const rlxc_module *module, const char *name)
{
    const rlxc_vdevice *device = name ? rlxc_find_vdevice(module, name) : NULL;
    if (device && !rlxc_is_host_vdevice(device))
        return device - module->vdevices.items;
    return module->vdevices.count > 0 ? -1 : 0;
}

const rlxc_vdevice *rlxc_vdevice_at(const rlxc_module *module, int64_t index)
{
    if (index < 0 || index >= module->vdevices.count ||
        rlxc_is_host_vdevice(&module->vdevices.items[index]))
        return NULL;
    return &module->vdevices.items[index];
}
