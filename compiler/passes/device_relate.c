/* Device planning: nodes that share a place, and uses that may be copies (device_walk.h).
 *
 * A value of type Object holds tensors on the host; a tensor elsewhere must be copied to become
 * part of one. */
#include <string.h>

#include "compiler/passes/device_walk.h"

/* --- places ----------------------------------------------------------------------------------- */

static const char *place_name(const rlxc_device_plan *p, int32_t place)
{
    return rlxc_vdevice_name(p->ctx, p->module, &p->module->vdevices.items[place]);
}

/* The host is one device, whatever features its targets have. */
static void report_conflict(rlxc_device_walk *w, const rlxc_device_node *a,
                            const rlxc_device_node *b)
{
    const rlxc_device_plan *p = w->p;
    const rlxc_vdevice *table = p->module->vdevices.items;
    if (rlxc_is_host_vdevice(&table[a->place]) && rlxc_is_host_vdevice(&table[b->place]))
        return;
    rlxc_error(p->ctx, w->range,
               "a value is needed on device '%s' and on '%s', and no copy can be made here",
               place_name(p, a->place), place_name(p, b->place));
    rlxc_note(p->ctx, a->range, "it is on '%s' because of this", place_name(p, a->place));
    rlxc_note(p->ctx, b->range, "it is on '%s' because of this", place_name(p, b->place));
}

void rlxc_device_pin(rlxc_device_walk *w, uint32_t node, int32_t place, bool is_given)
{
    if (rlxc_out_of_memory(w->p->ctx))
        return;
    rlxc_device_node *n = &w->p->nodes.items[rlxc_device_root(w->p, node)];
    const rlxc_device_node wanted = {.place = place, .range = w->range};
    if (n->place == RLXC_NO_PLACE) {
        n->place = place;
        n->is_given = is_given;
        n->range = w->range;
    } else if (n->place != place && is_given) {
        report_conflict(w, n, &wanted);
    }
}

void rlxc_device_pin_to_host(rlxc_device_walk *w, rlxc_device_tree t, bool all)
{
    const uint32_t n = rlxc_device_leaves(t.type);
    for (uint32_t i = 0; i < n && !rlxc_out_of_memory(w->p->ctx); i++) {
        rlxc_device_pin(w, t.base + i, w->p->host, false);
        const rlxc_device_node *node = &w->p->nodes.items[rlxc_device_root(w->p, t.base + i)];
        const rlxc_device_node wanted = {.place = w->p->host, .range = w->range};
        if (!all || node->place == w->p->host)
            continue;
        report_conflict(w, node, &wanted);
        return;
    }
}

void rlxc_device_join(rlxc_device_walk *w, uint32_t a, uint32_t b)
{
    if (rlxc_out_of_memory(w->p->ctx))
        return;
    a = rlxc_device_root(w->p, a);
    b = rlxc_device_root(w->p, b);
    rlxc_device_node *x = &w->p->nodes.items[a], *y = &w->p->nodes.items[b];
    if (a == b)
        return;
    if (x->place != RLXC_NO_PLACE && y->place != RLXC_NO_PLACE && x->place != y->place) {
        report_conflict(w, x, y);
        return;
    }
    if (x->place == RLXC_NO_PLACE) {
        x->place = y->place;
        x->range = y->range;
    }
    x->is_given |= y->is_given;
    x->is_small &= y->is_small;
    y->parent = a;
}

uint32_t rlxc_device_new_node(rlxc_device_walk *w, int32_t place)
{
    const uint32_t node = w->p->nodes.count;
    RLXC_PUSH(w->p->ctx, &w->p->nodes,
              (rlxc_device_node){.parent = node,
                                 .value = RLXC_NO_NODE,
                                 .place = place,
                                 .is_small = true,
                                 .range = w->range});
    return node;
}

/* --- uses ------------------------------------------------------------------------------------- */

/* An estimate where dimensions are symbols without a bound. */
static int64_t bytes_of(const rlxc_device_plan *p, const rlxc_sinfo *s)
{
    enum { UNKNOWN_DIM = 256, UNKNOWN_RANK = 1 << 20, UNKNOWN_BITS = 32 };
    const int64_t bits =
        rlxc_dtype_is_void(s->dtype) ? UNKNOWN_BITS : (int64_t)s->dtype.bits * s->dtype.lanes;
    int64_t n = s->ndim == RLXC_UNKNOWN_NDIM ? UNKNOWN_RANK : 1;
    for (int32_t i = 0; i < s->ndim; i++) {
        int64_t dim = UNKNOWN_DIM;
        const rlxc_expr *e = s->dims ? s->dims[i] : NULL;
        if (e && !rlxc_is_int(e, &dim) && e->kind == RLXC_EXPR_VAR)
            for (uint32_t k = 0; k < p->options->n_bounds; k++)
                if (strcmp(p->options->bounds[k].name, e->var.name) == 0)
                    dim = p->options->bounds[k].max;
        n = dim > 0 && n > RLXC_MAX_COPY / dim ? RLXC_MAX_COPY : n * dim;
    }
    n = n > RLXC_MAX_COPY / 128 ? RLXC_MAX_COPY / 128 : n;
    const int64_t bytes = (n * bits + 7) / 8;
    return bytes > 0 ? bytes : 1;
}

static void add_use(rlxc_device_walk *w, rlxc_atom *at, uint32_t leaf, rlxc_device_tree source,
                    uint32_t user)
{
    rlxc_device_plan *p = w->p;
    if (rlxc_out_of_memory(p->ctx))
        return;
    rlxc_device_node *made = &p->nodes.items[source.base];
    if (made->value == RLXC_NO_NODE) {
        made->value = p->values.count;
        RLXC_PUSH(p->ctx, &p->values,
                  (rlxc_placed_value){.source = source.base, .bytes = bytes_of(p, source.type)});
    }
    if (rlxc_out_of_memory(p->ctx))
        return;
    RLXC_PUSH(p->ctx, &p->values.items[made->value].users, user);
    RLXC_PUSH(p->ctx, &p->uses,
              (rlxc_device_use){at, leaf, source.base, user, w->scope, w->block, w->index});
}

/* --- types against types ---------------------------------------------------------------------- */

void rlxc_device_relate(rlxc_device_relation *r, rlxc_device_tree from, rlxc_device_tree to)
{
    const rlxc_sinfo *a = from.type, *b = to.type;
    if (a->kind == RLXC_SINFO_TENSOR && b->kind == RLXC_SINFO_TENSOR) {
        if (r->how == RLXC_COPIES && r->at)
            add_use(r->w, r->at, r->leaf, from, to.base);
        else
            rlxc_device_join(r->w, from.base, to.base);
        r->leaf++;
        return;
    }
    const bool alike = a->kind == b->kind && a->n_fields == b->n_fields && a->opaque == b->opaque;
    if (alike && (a->kind == RLXC_SINFO_TUPLE || (a->kind == RLXC_SINFO_CALLABLE && !a->opaque))) {
        const rlxc_device_link outer = r->how;
        if (a->kind == RLXC_SINFO_CALLABLE)
            r->how = RLXC_SAME;
        for (uint32_t i = 0; i <= a->n_fields; i++) {
            rlxc_device_tree x = {i < a->n_fields ? a->fields[i] : a->ret, from.base};
            rlxc_device_tree y = {i < a->n_fields ? b->fields[i] : b->ret, to.base};
            if (!x.type || !y.type)
                continue;
            rlxc_device_relate(r, x, y);
            from.base += rlxc_device_leaves(x.type);
            to.base += rlxc_device_leaves(y.type);
        }
        r->how = outer;
        return;
    }
    if (a->kind == RLXC_SINFO_TUPLE && b->kind != RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < a->n_fields; i++) {
            const rlxc_device_tree field = {a->fields[i], from.base};
            rlxc_device_relate(r, field, to);
            from.base += rlxc_device_leaves(field.type);
        }
        return;
    }
    /* Through a value of type Object. */
    if (a->kind == RLXC_SINFO_TENSOR && r->at)
        add_use(r->w, r->at, r->leaf, from, r->w->p->on_host);
    else
        rlxc_device_pin_to_host(r->w, from, a->kind != RLXC_SINFO_CALLABLE);
    rlxc_device_pin_to_host(r->w, to, b->kind != RLXC_SINFO_CALLABLE && !r->unboxes);
    r->leaf += rlxc_device_leaves(a);
}

void rlxc_device_into(rlxc_device_walk *w, rlxc_atom *at, rlxc_device_tree to, rlxc_device_link how)
{
    rlxc_device_relation r = {.w = w, .how = how};
    switch (at->kind) {
    case RLXC_ATOM_VAR:
        r.at = at;
        rlxc_device_relate(&r, rlxc_device_tree_of(w->p, at->var), to);
        return;
    case RLXC_ATOM_TUPLE:
        for (uint32_t i = 0; i < at->n; i++) {
            const bool known = to.type->kind == RLXC_SINFO_TUPLE && i < to.type->n_fields;
            const rlxc_device_tree part = {known ? to.type->fields[i] : to.type, to.base};
            rlxc_device_into(w, (rlxc_atom *)(uintptr_t)&at->items[i], part, how);
            if (known)
                to.base += rlxc_device_leaves(part.type);
        }
        return;
    case RLXC_ATOM_GLOBAL: {
        const rlxc_global *g = rlxc_module_find(w->p->module, at->text);
        if (g && g->relax)
            rlxc_device_relate(&r, rlxc_device_tree_of_function(w->p, g->relax), to);
        return;
    }
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_SHAPE:
    case RLXC_ATOM_PRIM:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_EXTERN:
        return;
    }
}

void rlxc_device_use_at(rlxc_device_walk *w, rlxc_atom *at, uint32_t node, rlxc_device_link how)
{
    for (uint32_t i = 0; at->kind == RLXC_ATOM_TUPLE && i < at->n; i++)
        rlxc_device_use_at(w, (rlxc_atom *)(uintptr_t)&at->items[i], node, how);
    if (at->kind != RLXC_ATOM_VAR)
        return;
    const rlxc_device_tree t = rlxc_device_tree_of(w->p, at->var);
    if (t.type->kind == RLXC_SINFO_CALLABLE) {
        rlxc_device_pin_to_host(w, t, false);
        return;
    }
    /* A tuple's tensors are used one by one. */
    const rlxc_sinfo *stack[RLXC_MAX_DEPTH];
    uint32_t position[RLXC_MAX_DEPTH], depth = 0, leaf = 0;
    stack[0] = t.type;
    position[0] = 0;
    for (;;) {
        const rlxc_sinfo *s = stack[depth];
        if (s->kind == RLXC_SINFO_TENSOR) {
            const rlxc_device_tree one = {s, t.base + leaf};
            if (how == RLXC_COPIES)
                add_use(w, at, leaf, one, node);
            else
                rlxc_device_join(w, one.base, node);
            leaf++;
        } else if (s->kind == RLXC_SINFO_TUPLE && position[depth] < s->n_fields &&
                   depth + 1 < RLXC_MAX_DEPTH) {
            stack[depth + 1] = s->fields[position[depth]++];
            position[++depth] = 0;
            continue;
        } else if (s->kind == RLXC_SINFO_CALLABLE) {
            leaf += rlxc_device_leaves(s);
        }
        if (depth-- == 0)
            return;
    }
}
