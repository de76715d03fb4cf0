/* The nodes of types (device_plan.h). */
#include "compiler/passes/device_plan.h"

uint32_t rlxc_device_leaves(const rlxc_sinfo *s)
{
    uint32_t n = s->kind == RLXC_SINFO_TENSOR ? 1 : 0;
    if (s->kind == RLXC_SINFO_CALLABLE && s->opaque)
        return 0;
    for (uint32_t i = 0; i < s->n_fields; i++)
        n += rlxc_device_leaves(s->fields[i]);
    return s->ret ? n + rlxc_device_leaves(s->ret) : n;
}

static bool is_small(const rlxc_sinfo *s)
{
    const bool whole = rlxc_dtype_is_int(s->dtype) || rlxc_dtype_is_bool(s->dtype);
    return s->ndim == 0 || (s->ndim == 1 && whole);
}

static void add_nodes(rlxc_device_plan *p, const rlxc_sinfo *s, rlxc_range range)
{
    if (s->kind == RLXC_SINFO_CALLABLE && s->opaque)
        return;
    if (s->kind == RLXC_SINFO_TENSOR) {
        const uint32_t own = p->nodes.count;
        const rlxc_vdevice *device = s->vdevice ? rlxc_find_vdevice(p->module, s->vdevice) : NULL;
        const int32_t place =
            device ? (int32_t)(device - p->module->vdevices.items) : RLXC_NO_PLACE;
        RLXC_PUSH(p->ctx, &p->nodes,
                  (rlxc_device_node){.parent = own,
                                     .value = RLXC_NO_NODE,
                                     .place = place,
                                     .is_given = device != NULL,
                                     .is_small = is_small(s),
                                     .range = range});
    }
    for (uint32_t i = 0; i < s->n_fields; i++)
        add_nodes(p, s->fields[i], range);
    if (s->ret)
        add_nodes(p, s->ret, range);
}

static rlxc_device_tree tree_of(rlxc_device_plan *p, const void *key, const rlxc_sinfo *type,
                                rlxc_range range)
{
    const uintptr_t known = (uintptr_t)rlxc_map_get(&p->bases, rlxc_key(key));
    if (known)
        return (rlxc_device_tree){type, (uint32_t)(known - 1)};
    const uint32_t base = p->nodes.count;
    add_nodes(p, type, range);
    rlxc_map_set(p->ctx, &p->bases, rlxc_key(key), (void *)((uintptr_t)base + 1));
    return (rlxc_device_tree){type, base};
}

rlxc_device_tree rlxc_device_tree_of(rlxc_device_plan *p, const rlxc_rvar *var)
{
    return tree_of(p, var, var->sinfo, var->range);
}

rlxc_device_tree rlxc_device_tree_of_function(rlxc_device_plan *p, const rlxc_function *f)
{
    return tree_of(p, f, rlxc_function_sinfo(p->ctx, f), f->range);
}

uint32_t rlxc_device_root(rlxc_device_plan *p, uint32_t node)
{
    rlxc_device_node *n = p->nodes.items;
    while (n[node].parent != node) {
        n[node].parent = n[n[node].parent].parent;
        node = n[node].parent;
    }
    return node;
}

int32_t rlxc_device_place(rlxc_device_plan *p, uint32_t node)
{
    return p->nodes.items[rlxc_device_root(p, node)].place;
}
