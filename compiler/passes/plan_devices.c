/* Pass plan_devices: every tensor gets a device, and copies are made where devices meet.
 *
 * Devices that types, R.to_vdevice, R.hint_on_device and PrimFuncs state propagate through the
 * module (device_flow.c). Then come defaults: a tensor that no stated device reaches is put on the
 * device of --default-device; sizes and counters, which the host reads, go where they are used.
 * Remaining values go where the copies take the fewest bytes (placement.h). A module that uses no
 * device but the host's stays as it is. */
#include <string.h>

#include "compiler/passes/device_plan.h"

/* --- places of the table ---------------------------------------------------------------------- */

static const rlxc_vdevice *new_device(rlxc_context *ctx, const char *target, int64_t index)
{
    rlxc_vdevice *d = rlxc_alloc(ctx, sizeof *d);
    d->target = rlxc_attr_string(ctx, target);
    d->index = index;
    d->scope = rlxc_intern_cstr(ctx, "global");
    return d;
}

/* The place that --default-device names. */
static bool preferred_place(rlxc_device_plan *p)
{
    const char *text = p->options->default_device;
    p->preferred = p->host;
    if (!text)
        return true;
    const rlxc_vdevice *known = rlxc_find_vdevice(p->module, text);
    if (known) {
        p->preferred = (int32_t)(known - p->module->vdevices.items);
        return true;
    }
    const size_t length = strcspn(text, ":");
    int64_t index = 0;
    bool valid = text[length] == '\0' || text[length + 1] != '\0';
    for (const char *at = text + length; valid && *at; at++) {
        if (at == text + length)
            continue;
        valid = *at >= '0' && *at <= '9' && index < 1000;
        index = index * 10 + (*at - '0');
    }
    const bool cpu = rlxc_is_cpu_kind(text, length);
    if (!valid || (!cpu && !rlxc_target_is_device_kind(text, length))) {
        rlxc_error(p->ctx, (rlxc_range){0},
                   "unknown default device '%.60s': expected a kind and a number, such as opencl:0 "
                   "or cuda:0",
                   text);
        return false;
    }
    if (cpu && index == 0)
        return true;
    const char *target = cpu ? "llvm" : rlxc_intern(p->ctx, text, length);
    if (!cpu && p->options->device_target) {
        rlxc_target_spec spec;
        const char *kind = target;
        target = p->options->device_target;
        if (!rlxc_target_parse(p->ctx, (rlxc_range){0}, target, &spec))
            return false;
        if (strcmp(spec.kind ? spec.kind : "", kind) != 0) {
            rlxc_error(p->ctx, (rlxc_range){0},
                       "the default device %.60s does not match its target %.60s", text, target);
            return false;
        }
    }
    p->preferred = (int32_t)rlxc_add_vdevice(p->ctx, p->module, new_device(p->ctx, target, index));
    return true;
}

/* --- defaults --------------------------------------------------------------------------------- */

static bool is_free(rlxc_device_plan *p, uint32_t node)
{
    return p->nodes.items[node].place == RLXC_NO_PLACE;
}

/* A value computed from something large is neither a size nor a counter. */
static void find_small(rlxc_device_plan *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->uses.count; i++) { /* mostly one round: in order of the flow */
            const uint32_t from = rlxc_device_root(p, p->uses.items[i].source);
            const uint32_t to = rlxc_device_root(p, p->uses.items[i].user);
            if (!is_free(p, from) || p->nodes.items[from].is_small || !is_free(p, to) ||
                !p->nodes.items[to].is_small)
                continue;
            p->nodes.items[to].is_small = false;
            changed = true;
        }
    }
}

/* True if the default may decide about the node. */
static bool is_open(rlxc_device_plan *p, uint32_t root)
{
    return is_free(p, root) && !p->nodes.items[root].is_small;
}

/* Undecided nodes that no decided one reaches get the default device. */
static void put_on_default(rlxc_device_plan *p)
{
    const uint32_t n = p->nodes.count;
    bool *reached = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *reached);
    for (uint32_t i = 0; reached && i < n; i++)
        reached[i] = p->nodes.items[i].is_given && p->nodes.items[i].parent == i;
    /* Alternates between both directions of the flow, so that few rounds are enough. */
    uint32_t rounds = 0;
    for (bool changed = reached != NULL; changed; rounds++) {
        changed = false;
        for (uint32_t i = 0; i < p->uses.count; i++) {
            const uint32_t k = rounds % 2 == 0 ? i : p->uses.count - 1 - i;
            const uint32_t a = rlxc_device_root(p, p->uses.items[k].source);
            const uint32_t b = rlxc_device_root(p, p->uses.items[k].user);
            const bool from_a = reached[a] && !reached[b] && is_open(p, b);
            const bool from_b = reached[b] && !reached[a] && is_open(p, a);
            if (from_a)
                reached[b] = true;
            if (from_b)
                reached[a] = true;
            changed |= from_a || from_b;
        }
    }
    for (uint32_t i = 0; reached && i < n; i++)
        if (p->nodes.items[i].parent == i && is_open(p, i) && !reached[i])
            p->nodes.items[i].place = p->preferred;
}

/* --- the rest --------------------------------------------------------------------------------- */

static bool place_rest(rlxc_device_plan *p)
{
    const uint32_t n = p->nodes.count;
    rlxc_placement all = {.n_nodes = n,
                          .values = p->values.items,
                          .n_values = p->values.count,
                          .preferred = p->preferred};
    all.place = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *all.place);
    if (!all.place)
        return false;
    for (uint32_t i = 0; i < n; i++)
        all.place[i] = rlxc_device_root(p, i) == i ? p->nodes.items[i].place : p->host;
    for (uint32_t i = 0; i < all.n_values; i++) {
        rlxc_placed_value *v = &all.values[i];
        v->source = rlxc_device_root(p, v->source);
        for (uint32_t k = 0; k < v->users.count; k++)
            v->users.items[k] = rlxc_device_root(p, v->users.items[k]);
    }
    if (!rlxc_place(p->ctx, &all))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (p->nodes.items[i].parent == i)
            p->nodes.items[i].place = all.place[i];
    return true;
}

static bool uses_only_host(rlxc_device_plan *p)
{
    for (uint32_t i = 0; i < p->nodes.count; i++)
        if (!rlxc_is_host_vdevice(&p->module->vdevices.items[rlxc_device_place(p, i)]))
            return false;
    return true;
}

static bool may_use_devices(const rlxc_module *module, const rlxc_options *options)
{
    bool any = module->vdevices.count > 0 || options->default_device;
    for (uint32_t i = 0; i < module->globals.count && !any; i++)
        any = module->globals.items[i]->prim && rlxc_prim_is_device(module->globals.items[i]->prim);
    return any;
}

static bool plan(rlxc_device_plan *p)
{
    const char *host = rlxc_host_vdevice(p->ctx, p->module);
    if (!host)
        return false;
    p->host = (int32_t)(rlxc_find_vdevice(p->module, host) - p->module->vdevices.items);
    if (!preferred_place(p) || !rlxc_device_flow(p))
        return false;
    if (p->module->vdevices.count > RLXC_MAX_PLACES) {
        rlxc_error(p->ctx, p->module->vdevices.items[0].range,
                   "the module uses more than %d virtual devices", RLXC_MAX_PLACES);
        return false;
    }
    if (p->preferred != p->host) {
        find_small(p);
        put_on_default(p);
    }
    return place_rest(p);
}

bool rlxc_pass_plan_devices(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    rlxc_device_plan p = {.ctx = ctx, .module = module, .options = options};
    const uint32_t n_devices = module->vdevices.count;
    if (!rlxc_check_devices(ctx, module, options))
        return false;
    if (!may_use_devices(module, options))
        return true;
    if (!plan(&p))
        return false;
    if (uses_only_host(&p))
        module->vdevices.count = n_devices;
    else
        rlxc_device_apply(&p);
    return !rlxc_failed(ctx);
}
