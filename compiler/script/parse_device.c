/* Devices: the module's table of virtual devices, and the names that types, operators and functions
 * use for them. A name is kept as TVM prints it, "llvm:0": the kind of the target, and the index
 * among devices of that kind. A later pass checks whether rlx has the device
 * (compiler/passes/plan_devices.c). */
#include <stdio.h>
#include <string.h>

#include "compiler/ir/attrs.h"
#include "compiler/ir/device.h"
#include "compiler/script/parse.h"

bool rlxc_parse_is_vdevice(rlxc_parser *p, const rlxc_py *e)
{
    return e->kind == RLXC_PY_CALL && (rlxc_parse_path_is(p, e->base, "I.vdevice") ||
                                       rlxc_parse_path_is(p, e->base, "I.VDevice"));
}

static bool parse_vdevice(rlxc_parser *p, const rlxc_py *e, rlxc_vdevice *out)
{
    if (!rlxc_parse_is_vdevice(p, e)) {
        rlxc_error(p->ctx, e->range, "expected I.vdevice(target, index, scope), got %s",
                   rlxc_py_describe(p->ctx, e));
        return false;
    }
    static const char *const names[] = {"target", "vdevice_id", "memory_scope"};
    const rlxc_py *field[3];
    for (uint32_t i = 0; i < 3; i++)
        field[i] = i < e->n ? e->items[i] : rlxc_py_keyword(e, names[i]);
    *out = (rlxc_vdevice){.scope = rlxc_intern_cstr(p->ctx, "global"), .range = e->range};
    if (field[0] && !rlxc_parse_attr(p, field[0], &out->target))
        return false;
    if (field[1] && field[1]->kind == RLXC_PY_INT)
        out->index = field[1]->i;
    if (field[2] && field[2]->kind == RLXC_PY_STRING)
        out->scope = rlxc_intern_cstr(p->ctx, field[2]->text);
    return true;
}

bool rlxc_parse_global_infos(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_py *dict = call->n == 1 ? call->items[0] : NULL;
    if (!dict || dict->kind != RLXC_PY_DICT) {
        rlxc_error(p->ctx, call->range, "I.module_global_infos takes one dictionary");
        return false;
    }
    for (uint32_t i = 0; i < dict->n; i++) {
        const rlxc_py *key = dict->keys[i], *list = dict->items[i];
        if (key->kind == RLXC_PY_STRING && strcmp(key->text, "dummy") == 0)
            continue; /* no information */
        if (key->kind != RLXC_PY_STRING || strcmp(key->text, "vdevice") != 0 ||
            (list->kind != RLXC_PY_LIST && list->kind != RLXC_PY_TUPLE)) {
            rlxc_error(p->ctx, key->range,
                       "only the global infos {\"vdevice\": [...]} are supported");
            return false;
        }
        for (uint32_t j = 0; j < list->n; j++) {
            rlxc_vdevice vdevice;
            if (!parse_vdevice(p, list->items[j], &vdevice))
                return false;
            RLXC_PUSH(p->ctx, &p->module->vdevices, vdevice);
        }
    }
    return true;
}

enum { MOST_DEVICES = 1000 };

/* The name of an equal device of the table, or of a new entry. */
static const char *described(rlxc_parser *p, const rlxc_vdevice *device)
{
    uint32_t i = rlxc_add_vdevice(p->ctx, p->module, device);
    return i < p->module->vdevices.count
               ? rlxc_vdevice_name(p->ctx, p->module, &p->module->vdevices.items[i])
               : NULL;
}

const char *rlxc_parse_vdevice(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    if (name && name->kind == RLXC_NAME_DEVICE)
        return name->device;
    rlxc_vdevice inlined;
    if (rlxc_parse_is_vdevice(p, e))
        return parse_vdevice(p, e, &inlined) ? described(p, &inlined) : NULL;
    if (e->kind != RLXC_PY_STRING) {
        rlxc_error(p->ctx, e->range, "a virtual device is a string such as \"llvm:0\", got %s",
                   rlxc_py_describe(p->ctx, e));
        return NULL;
    }
    const rlxc_vdevice *device = rlxc_find_vdevice(p->module, e->text);
    if (device)
        return rlxc_vdevice_name(p->ctx, p->module, device);
    if (p->module->vdevices.count == 0) {
        rlxc_error(p->ctx, e->range,
                   "there is no virtual device '%.60s': the module declares none before this line",
                   e->text);
        return NULL;
    }
    rlxc_error(p->ctx, e->range, "there is no virtual device '%.60s' in the module", e->text);
    rlxc_note(p->ctx, p->module->vdevices.items[0].range,
              "the module's %u virtual device%s begin%s here", p->module->vdevices.count,
              p->module->vdevices.count == 1 ? "" : "s", p->module->vdevices.count == 1 ? "s" : "");
    return NULL;
}

/* "cuda:1" of R.device("cuda", 1) or R.device(2, 1); NULL after an error. */
static const char *device_of_call(rlxc_parser *p, const rlxc_py *call)
{
    static const struct {
        int64_t type; /* DLPack's number */
        const char *name;
    } types[] = {{1, "cpu"},        {2, "cuda"},     {3, "cuda_host"},     {4, "opencl"},
                 {7, "vulkan"},     {8, "metal"},    {9, "vpi"},           {10, "rocm"},
                 {11, "rocm_host"}, {12, "ext_dev"}, {13, "cuda_managed"}, {14, "oneapi"},
                 {15, "webgpu"},    {16, "hexagon"}};
    const rlxc_py *type = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "device_type");
    const rlxc_py *index = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "index");
    if (!type || (type->kind != RLXC_PY_INT && type->kind != RLXC_PY_STRING) ||
        (index && index->kind != RLXC_PY_INT && index->kind != RLXC_PY_NONE)) {
        rlxc_error(p->ctx, call->range, "R.device takes a type and an index: R.device(\"cpu\", 0)");
        return NULL;
    }
    long long number = index && index->kind == RLXC_PY_INT ? (long long)index->i : 0;
    if (type->kind == RLXC_PY_STRING)
        return strchr(type->text, ':') ? rlxc_intern_cstr(p->ctx, type->text)
                                       : rlxc_internf(p->ctx, "%.60s:%lld", type->text, number);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type->i)
            return rlxc_internf(p->ctx, "%s:%lld", types[i].name, number);
    rlxc_error(p->ctx, type->range, "unknown device type %lld", (long long)type->i);
    return NULL;
}

/* The entry of the table for device number N of a kind, "opencl:N", whatever its target's features;
 * a new one if there is none. */
static const char *numbered_device(rlxc_parser *p, const rlxc_py *e, const char *text)
{
    const size_t length = strcspn(text, ":");
    const bool cpu = rlxc_is_cpu_kind(text, length);
    rlxc_vdevice device = {
        .target = rlxc_attr_string(p->ctx, cpu ? "llvm" : rlxc_intern(p->ctx, text, length)),
        .scope = rlxc_intern_cstr(p->ctx, "global"),
        .range = e->range};
    for (const char *at = text + length; *at; at++) {
        const int64_t digit = *at - '0';
        if (at == text + length && at[1])
            continue; /* the colon */
        if (digit < 0 || digit > 9 || device.index > MOST_DEVICES) {
            rlxc_error(p->ctx, e->range, "there is no device '%.60s'", text);
            return NULL;
        }
        device.index = device.index * 10 + digit;
    }
    if (cpu && device.index == 0)
        return rlxc_intern_cstr(p->ctx, "cpu:0");
    for (uint32_t i = 0; i < p->module->vdevices.count; i++) {
        const rlxc_vdevice *known = &p->module->vdevices.items[i];
        size_t own;
        const char *kind = rlxc_target_kind(&known->target, &own);
        const bool same =
            cpu ? rlxc_is_cpu_kind(kind, own) : own == length && memcmp(kind, text, own) == 0;
        if (same && known->index == device.index && rlxc_is_plain_scope(known->scope))
            return rlxc_vdevice_name(p->ctx, p->module, known);
    }
    return described(p, &device);
}

const char *rlxc_parse_device(rlxc_parser *p, const rlxc_py *e)
{
    const char *text;
    if (e->kind == RLXC_PY_CALL && rlxc_parse_path_is(p, e->base, "R.device"))
        text = device_of_call(p, e);
    else if (e->kind == RLXC_PY_STRING &&
             (strcmp(e->text, "cpu") == 0 || strncmp(e->text, "cpu:", 4) == 0))
        text = e->text;
    else
        return rlxc_parse_vdevice(p, e);
    return text ? numbered_device(p, e, text) : NULL;
}
