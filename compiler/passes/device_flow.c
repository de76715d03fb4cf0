/* Device planning: what a module says about devices, and how it flows from value to value
 * (device_plan.h).
 *
 * The operands and results of an operator lie on one device: the operator's node is that of its
 * first result. Copies of operands can be made; copies of what is written, of functions, and of
 * what only has another name cannot. Values of type Object hold tensors of the host. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ops/op_infer.h"
#include "compiler/passes/device_plan.h"

typedef struct walk {
    rlxc_device_plan *p;
    const rlxc_device_scope *scope;
    uint32_t block, index; /* of the binding */
    rlxc_range range;
} walk;

typedef enum link { COPIES, SAME } link;

/* --- places ----------------------------------------------------------------------------------- */

static const char *place_name(const rlxc_device_plan *p, int32_t place)
{
    return rlxc_vdevice_name(p->ctx, p->module, &p->module->vdevices.items[place]);
}

/* The host is one device, whatever features its targets have. */
static void report_conflict(walk *w, const rlxc_device_node *a, const rlxc_device_node *b)
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

static void pin(walk *w, uint32_t node, int32_t place, bool is_given)
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

/* The tensors of |t| that no type puts elsewhere are on the host; with |all| the others are errors.
 */
static void pin_to_host(walk *w, rlxc_device_tree t, bool all)
{
    const uint32_t n = rlxc_device_leaves(t.type);
    for (uint32_t i = 0; i < n && !rlxc_out_of_memory(w->p->ctx); i++) {
        pin(w, t.base + i, w->p->host, false);
        const rlxc_device_node *node = &w->p->nodes.items[rlxc_device_root(w->p, t.base + i)];
        const rlxc_device_node wanted = {.place = w->p->host, .range = w->range};
        if (!all || node->place == w->p->host)
            continue;
        report_conflict(w, node, &wanted);
        return;
    }
}

static void join(walk *w, uint32_t a, uint32_t b)
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

static uint32_t new_node(walk *w, int32_t place)
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

static void add_use(walk *w, rlxc_atom *at, uint32_t leaf, rlxc_device_tree source, uint32_t user)
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

typedef struct relation {
    walk *w;
    link how;
    rlxc_atom *at; /* the variable whose type |from| is; NULL: none, and nothing is copied */
    uint32_t leaf; /* of the next tensor of |from| */
    bool unboxes;  /* a value of type Object is moved to where |to| says */
} relation;

/* |from|, the type of a value, flows into |to|; either may be known less precisely. */
static void relate(relation *r, rlxc_device_tree from, rlxc_device_tree to)
{
    const rlxc_sinfo *a = from.type, *b = to.type;
    if (a->kind == RLXC_SINFO_TENSOR && b->kind == RLXC_SINFO_TENSOR) {
        if (r->how == COPIES && r->at)
            add_use(r->w, r->at, r->leaf, from, to.base);
        else
            join(r->w, from.base, to.base);
        r->leaf++;
        return;
    }
    const bool alike = a->kind == b->kind && a->n_fields == b->n_fields && a->opaque == b->opaque;
    if (alike && (a->kind == RLXC_SINFO_TUPLE || (a->kind == RLXC_SINFO_CALLABLE && !a->opaque))) {
        const link outer = r->how;
        if (a->kind == RLXC_SINFO_CALLABLE)
            r->how = SAME;
        for (uint32_t i = 0; i <= a->n_fields; i++) {
            rlxc_device_tree x = {i < a->n_fields ? a->fields[i] : a->ret, from.base};
            rlxc_device_tree y = {i < a->n_fields ? b->fields[i] : b->ret, to.base};
            if (!x.type || !y.type)
                continue;
            relate(r, x, y);
            from.base += rlxc_device_leaves(x.type);
            to.base += rlxc_device_leaves(y.type);
        }
        r->how = outer;
        return;
    }
    if (a->kind == RLXC_SINFO_TUPLE && b->kind != RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < a->n_fields; i++) {
            const rlxc_device_tree field = {a->fields[i], from.base};
            relate(r, field, to);
            from.base += rlxc_device_leaves(field.type);
        }
        return;
    }
    /* Through a value of type Object. */
    if (a->kind == RLXC_SINFO_TENSOR && r->at)
        add_use(r->w, r->at, r->leaf, from, r->w->p->on_host);
    else
        pin_to_host(r->w, from, a->kind != RLXC_SINFO_CALLABLE);
    pin_to_host(r->w, to, b->kind != RLXC_SINFO_CALLABLE && !r->unboxes);
    r->leaf += rlxc_device_leaves(a);
}

/* The operand |at| flows into |to|. */
static void flow(walk *w, rlxc_atom *at, rlxc_device_tree to, link how)
{
    relation r = {.w = w, .how = how};
    switch (at->kind) {
    case RLXC_ATOM_VAR:
        r.at = at;
        relate(&r, rlxc_device_tree_of(w->p, at->var), to);
        return;
    case RLXC_ATOM_TUPLE:
        for (uint32_t i = 0; i < at->n; i++) {
            const bool known = to.type->kind == RLXC_SINFO_TUPLE && i < to.type->n_fields;
            const rlxc_device_tree part = {known ? to.type->fields[i] : to.type, to.base};
            flow(w, (rlxc_atom *)(uintptr_t)&at->items[i], part, how);
            if (known)
                to.base += rlxc_device_leaves(part.type);
        }
        return;
    case RLXC_ATOM_GLOBAL: {
        const rlxc_global *g = rlxc_module_find(w->p->module, at->text);
        if (g && g->relax)
            relate(&r, rlxc_device_tree_of_function(w->p, g->relax), to);
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

/* Every tensor of the operand |at| is used at |node|. */
static void use_at(walk *w, rlxc_atom *at, uint32_t node, link how)
{
    for (uint32_t i = 0; at->kind == RLXC_ATOM_TUPLE && i < at->n; i++)
        use_at(w, (rlxc_atom *)(uintptr_t)&at->items[i], node, how);
    if (at->kind != RLXC_ATOM_VAR)
        return;
    const rlxc_device_tree t = rlxc_device_tree_of(w->p, at->var);
    if (t.type->kind == RLXC_SINFO_CALLABLE) {
        pin_to_host(w, t, false);
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
            if (how == COPIES)
                add_use(w, at, leaf, one, node);
            else
                join(w, one.base, node);
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

/* --- calls of operators ----------------------------------------------------------------------- */

/* The node of the binding's first result, with which the others are joined; a new one if it has no
 * result on a device. */
static uint32_t domain(walk *w, const rlxc_binding *b)
{
    const rlxc_device_tree result = rlxc_device_tree_of(w->p, b->var);
    const uint32_t n = rlxc_device_leaves(result.type);
    if (n == 0)
        return new_node(w, RLXC_NO_PLACE);
    for (uint32_t i = 1; i < n; i++)
        join(w, result.base, result.base + i);
    return result.base;
}

static rlxc_atom *operand(const rlxc_binding *b, uint32_t i)
{
    return (rlxc_atom *)(uintptr_t)&b->args[i];
}

static void use_all(walk *w, const rlxc_binding *b, uint32_t node, link how)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        use_at(w, operand(b, i), node, how);
}

static void plain_operator(walk *w, const rlxc_binding *b)
{
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    const uint32_t n = rlxc_operator_inputs(b->op, inputs, &variadic);
    const bool anywhere = (b->op->flags & RLXC_OP_ANYWHERE) != 0;
    if (anywhere)
        pin_to_host(w, rlxc_device_tree_of(w->p, b->var), false);
    const uint32_t node = anywhere ? w->p->on_host : domain(w, b);
    for (uint32_t i = 0; i < b->n_args && n > 0; i++) {
        const rlxc_op_input *input = &inputs[i < n ? i : n - 1];
        if (input->is_host || input->kind == 'o')
            use_at(w, operand(b, i), w->p->on_host, COPIES);
        else if (!anywhere)
            use_at(w, operand(b, i), node, COPIES);
    }
}

/* An entry of the table for |place| with another scope. */
static int32_t with_scope(walk *w, int32_t place, const char *scope)
{
    rlxc_vdevice like = w->p->module->vdevices.items[place];
    like.scope = rlxc_intern_cstr(w->p->ctx, scope);
    like.range = w->range;
    return (int32_t)rlxc_add_vdevice(w->p->ctx, w->p->module, &like);
}

static void hint(walk *w, const rlxc_binding *b)
{
    const char *name = rlxc_attr_get_str(b, "dst_vdevice", NULL);
    const char *scope = rlxc_attr_get_str(b, "memory_scope", NULL);
    const rlxc_vdevice *device = name ? rlxc_find_vdevice(w->p->module, name) : NULL;
    int32_t place = device ? (int32_t)(device - w->p->module->vdevices.items) : w->p->host;
    if (!rlxc_is_plain_scope(scope))
        place = with_scope(w, place, scope);
    const uint32_t node = domain(w, b);
    pin(w, node, place, true);
    use_all(w, b, node, COPIES);
}

/* --- calls of functions ----------------------------------------------------------------------- */

/* Arguments |at| into the parameters from |first| on, the result into |out|. */
static void call_signature(walk *w, rlxc_device_tree callee, const rlxc_binding *b)
{
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    if (callee.type->kind != RLXC_SINFO_CALLABLE || callee.type->opaque) {
        use_all(w, b, w->p->on_host, COPIES);
        pin_to_host(w, out, true);
        return;
    }
    rlxc_device_tree param = {NULL, callee.base};
    for (uint32_t i = 0; i < callee.type->n_fields; i++) {
        param.type = callee.type->fields[i];
        if (i < b->n_args)
            flow(w, operand(b, i), param, COPIES);
        param.base += rlxc_device_leaves(param.type);
    }
    relation r = {.w = w, .how = SAME};
    param.type = callee.type->ret;
    if (param.type)
        relate(&r, param, out);
}

static void call_value(walk *w, const rlxc_binding *b)
{
    const rlxc_global *g =
        b->callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->p->module, b->callee.text) : NULL;
    if (g && g->relax)
        call_signature(w, rlxc_device_tree_of_function(w->p, g->relax), b);
    else if (g)
        use_all(w, b, new_node(w, RLXC_NO_PLACE), SAME); /* a PrimFunc: some are written */
    else if (b->callee.kind == RLXC_ATOM_VAR)
        call_signature(w, rlxc_device_tree_of(w->p, b->callee.var), b);
    else /* a packed function: may write its arguments, which stay where they are */
        pin_to_host(w, rlxc_device_tree_of(w->p, b->var), false);
}

/* R.make_closure: the arguments go into the last parameters; the others are given values of which
 * nothing is known. */
static void make_closure(walk *w, const rlxc_binding *b)
{
    const rlxc_global *g = b->n_args > 0 && b->args[0].kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(w->p->module, b->args[0].text)
                               : NULL;
    if (!g || !g->relax || b->n_args < 2)
        return;
    const rlxc_device_tree f = rlxc_device_tree_of_function(w->p, g->relax);
    const uint32_t n = b->args[1].kind == RLXC_ATOM_TUPLE ? b->args[1].n : 0;
    const uint32_t first = f.type->n_fields > n ? f.type->n_fields - n : 0;
    rlxc_device_tree part = {NULL, f.base};
    for (uint32_t i = 0; i <= f.type->n_fields; i++) {
        part.type = i < f.type->n_fields ? f.type->fields[i] : f.type->ret;
        if (!part.type)
            return;
        if (i >= first && i < f.type->n_fields && i - first < n)
            flow(w, (rlxc_atom *)(uintptr_t)&b->args[1].items[i - first], part, COPIES);
        else
            pin_to_host(w, part, false);
        part.base += rlxc_device_leaves(part.type);
    }
}

/* --- PrimFuncs in the graph ------------------------------------------------------------------- */

/* The place for a PrimFunc's target: a device of its kind, which is added if the module has none.
 */
static int32_t target_place(walk *w, const rlxc_attr *target, rlxc_range range)
{
    rlxc_device_plan *p = w->p;
    const rlxc_vdevice own = {
        .target = *target, .scope = rlxc_intern_cstr(p->ctx, "global"), .range = range};
    size_t length, n;
    const char *kind = rlxc_target_kind(target, &length);
    if (!rlxc_target_is_device_kind(kind, length))
        return p->host;
    for (uint32_t i = 0; i < p->module->vdevices.count; i++) {
        const char *other = rlxc_target_kind(&p->module->vdevices.items[i].target, &n);
        if (n == length && memcmp(kind, other, n) == 0)
            return (int32_t)i;
    }
    return (int32_t)rlxc_add_vdevice(p->ctx, p->module, &own);
}

static int32_t place_called(const rlxc_device_plan *p, const char *name)
{
    const rlxc_vdevice *found = rlxc_find_vdevice(p->module, name);
    return found ? (int32_t)(found - p->module->vdevices.items) : p->host;
}

/* A place with the memory that a parameter of |f| wants: the one of the device |near|, else the
 * first; NO_PLACE if no parameter wants any. */
static int32_t place_with_memory(const rlxc_device_plan *p, const rlxc_prim_func *f, int32_t near)
{
    int32_t found = RLXC_NO_PLACE;
    for (uint32_t i = 0; f && i < f->n_params; i++) {
        const char *scope = f->params[i].buffer ? f->params[i].buffer->scope : NULL;
        for (uint32_t k = 0; !rlxc_is_plain_scope(scope) && k < p->module->vdevices.count; k++) {
            const rlxc_vdevice *d = &p->module->vdevices.items[k];
            if (!d->scope || strcmp(d->scope, scope) != 0)
                continue;
            if (near != RLXC_NO_PLACE && rlxc_same_place(d, &p->module->vdevices.items[near]))
                return (int32_t)k;
            found = found == RLXC_NO_PLACE ? (int32_t)k : found;
        }
        if (!rlxc_is_plain_scope(scope) && found == RLXC_NO_PLACE)
            found = near != RLXC_NO_PLACE ? near : p->preferred;
    }
    return found;
}

/* The place where a PrimFunc runs: of a decided result, of its target, of the memory that it wants,
 * or of a decided operand; else NO_PLACE. */
static int32_t prim_place(walk *w, const rlxc_binding *b, const rlxc_prim_func *f)
{
    const rlxc_device_plan *p = w->p;
    const rlxc_attr *target = f ? rlxc_attrs_find(&f->attrs, "target") : NULL;
    const char *result = rlxc_stated_device(b->var->sinfo);
    const char *operand =
        b->n_args > 1 ? rlxc_stated_device(rlxc_atom_sinfo(p->ctx, p->module, b->args[1])) : NULL;
    if (result)
        return place_called(p, result);
    if (target)
        return target_place(w, target, f->range);
    const int32_t place = operand ? place_called(p, operand) : RLXC_NO_PLACE;
    const int32_t wanted = place_with_memory(p, f, place);
    return wanted != RLXC_NO_PLACE ? wanted : place;
}

/* The scope that buffer parameter |i| wants, or NULL. */
static const char *wanted_scope(const rlxc_prim_func *f, uint32_t i)
{
    const rlxc_buffer *buffer = f && i < f->n_params ? f->params[i].buffer : NULL;
    return buffer && !rlxc_is_plain_scope(buffer->scope) ? buffer->scope : NULL;
}

/* The plain memory of the device at |place|, if the module's table has it, else |place|. */
static int32_t plain_memory(const rlxc_device_plan *p, int32_t place)
{
    for (uint32_t i = 0; i < p->module->vdevices.count; i++) {
        const rlxc_vdevice *other = &p->module->vdevices.items[i];
        if (rlxc_same_place(other, &p->module->vdevices.items[place]) &&
            rlxc_is_plain_scope(other->scope))
            return (int32_t)i;
    }
    return place;
}

static void use_operand(walk *w, rlxc_atom *at, uint32_t node, int32_t place, const char *scope)
{
    const rlxc_vdevice *table = w->p->module->vdevices.items;
    const char *device = at->kind == RLXC_ATOM_VAR ? rlxc_stated_device(at->var->sinfo) : NULL;
    const rlxc_vdevice *own = device ? rlxc_find_vdevice(w->p->module, device) : NULL;
    if (scope && place != RLXC_NO_PLACE)
        use_at(w, at, new_node(w, with_scope(w, place, scope)), COPIES);
    else if (!own || place == RLXC_NO_PLACE || !rlxc_same_place(own, &table[place]))
        use_at(w, at, node, COPIES); /* else any memory of its device will do */
}

/* call_tir, call_tir_inplace, call_dps_packed: one device, where the PrimFunc's buffers choose the
 * memory. */
static void call_into_results(walk *w, const rlxc_binding *b)
{
    const rlxc_global *g = b->n_args > 0 && b->args[0].kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(w->p->module, b->args[0].text)
                               : NULL;
    const rlxc_prim_func *f = g ? g->prim : NULL;
    int32_t place = prim_place(w, b, f);
    if (place != RLXC_NO_PLACE && f)
        place = plain_memory(w->p, place);
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    const uint32_t n_out = rlxc_device_leaves(out.type), node = new_node(w, place);
    rlxc_atom *args = b->n_args > 1 ? operand(b, 1) : NULL;
    const uint32_t n = args && args->kind == RLXC_ATOM_TUPLE ? args->n : 0;
    for (uint32_t i = 0; i < n_out && !rlxc_out_of_memory(w->p->ctx); i++) {
        const char *scope = wanted_scope(f, n + i);
        if (scope && place != RLXC_NO_PLACE)
            pin(w, out.base + i, with_scope(w, place, scope), true);
        else if (w->p->nodes.items[out.base + i].place == RLXC_NO_PLACE)
            join(w, node, out.base + i);
    }
    for (uint32_t i = 0; i < n; i++)
        use_operand(w, (rlxc_atom *)(uintptr_t)&args->items[i], node, place, wanted_scope(f, i));
    if (args && args->kind == RLXC_ATOM_VAR)
        use_operand(w, args, node, place, NULL);
}

/* --- explicit memory -------------------------------------------------------------------------- */

/* The device that an allocation names by its position in the module's table; the device of the
 * storage for a tensor in one. */
static int32_t memory_place(walk *w, const rlxc_binding *b)
{
    if (rlxc_is_op(b, "memory.alloc_tensor") || rlxc_is_op(b, "vm.alloc_tensor")) {
        const rlxc_binding *storage =
            b->n_args > 0 && b->args[0].kind == RLXC_ATOM_VAR
                ? rlxc_map_get(&w->p->definition, rlxc_key(b->args[0].var))
                : NULL;
        return storage && rlxc_has_op_flag(storage, RLXC_OP_STORAGE) ? memory_place(w, storage)
                                                                     : w->p->host;
    }
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    const uint32_t n = rlxc_operator_inputs(b->op, inputs, &variadic);
    int32_t place = w->p->host;
    const char *scope = NULL;
    for (uint32_t i = 0; i < n && i < b->n_args; i++) {
        const rlx_str name = {inputs[i].name, inputs[i].name_length};
        int64_t index;
        if (rlx_str_eq(name, rlx_str_from("storage_scope")) &&
            b->args[i].kind == RLXC_ATOM_STRING && strcmp(b->args[i].text, RLXC_PLANNED_SCOPE) != 0)
            scope = b->args[i].text;
        else if (rlxc_names_device(b, i, &index) && index >= 0 &&
                 index < w->p->module->vdevices.count)
            place = (int32_t)index;
    }
    return rlxc_is_plain_scope(scope) ? place : with_scope(w, place, scope);
}

static void explicit_memory(walk *w, const rlxc_binding *b)
{
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    const int32_t place = memory_place(w, b);
    for (uint32_t i = 0; i < rlxc_device_leaves(out.type); i++)
        pin(w, out.base + i, place, true);
    int64_t stated;
    for (uint32_t i = 0; i < b->n_args; i++)
        if (rlxc_names_device(b, i, &stated) && place != w->p->host && place != stated) {
            new_node(w, place); /* the scope's own entry of the table is used */
            operand(b, i)->prim = rlxc_i64(w->p->ctx, place);
        }
}

/* --- the walk --------------------------------------------------------------------------------- */

static void call_operator(walk *w, const rlxc_binding *b)
{
    if (rlxc_is_op(b, "to_vdevice")) {
        rlxc_device_tree_of(w->p, b->var);
    } else if (rlxc_is_op(b, "hint_on_device")) {
        hint(w, b);
    } else if ((b->op->flags & RLXC_OP_MEMORY) != 0) {
        explicit_memory(w, b);
    } else if (rlxc_is_op(b, "make_closure")) {
        make_closure(w, b);
    } else if (rlxc_is_op(b, "vm.call_tir_dyn")) {
        use_all(w, b, new_node(w, RLXC_NO_PLACE), SAME);
    } else if ((b->op->flags & RLXC_OP_CALLS) != 0) {
        if (strncmp(b->op->name, "call_tir", 8) == 0 || rlxc_is_op(b, "call_dps_packed")) {
            call_into_results(w, b);
        } else { /* closures, builtins: nothing is known of them */
            use_all(w, b, w->p->on_host, COPIES);
            pin_to_host(w, rlxc_device_tree_of(w->p, b->var), true);
        }
    } else if (b->n_args > 0 &&
               (b->op->legalize == rlxc_legalize_identity ||
                (b->op->legalize == NULL && (b->op->flags & RLXC_OP_ALIASES_0) != 0))) {
        flow(w, operand(b, 0), rlxc_device_tree_of(w->p, b->var), SAME);
    } else {
        plain_operator(w, b);
    }
}

static void walk_function(rlxc_device_plan *p, rlxc_function *f, const rlxc_device_scope *parent,
                          uint32_t block, uint32_t index);
static void walk_body(rlxc_device_plan *p, rlxc_body *body, rlxc_device_tree result,
                      const rlxc_device_scope *parent, uint32_t block, uint32_t index);

static void flow_tuple_get(walk *w, const rlxc_binding *b)
{
    const rlxc_atom *from = b->args;
    if (from->kind == RLXC_ATOM_TUPLE && b->index < from->n) {
        flow(w, (rlxc_atom *)(uintptr_t)&from->items[b->index], rlxc_device_tree_of(w->p, b->var),
             SAME);
        return;
    }
    if (from->kind != RLXC_ATOM_VAR)
        return;
    rlxc_device_tree field = rlxc_device_tree_of(w->p, from->var);
    relation r = {.w = w, .how = SAME};
    if (field.type->kind == RLXC_SINFO_TUPLE && b->index < field.type->n_fields) {
        for (uint32_t i = 0; i < b->index; i++)
            field.base += rlxc_device_leaves(field.type->fields[i]);
        field.type = field.type->fields[b->index];
    }
    relate(&r, field, rlxc_device_tree_of(w->p, b->var));
}

static void match_cast(walk *w, const rlxc_binding *b, rlxc_device_tree out)
{
    relation r = {.w = w, .how = SAME};
    if (b->args[0].kind != RLXC_ATOM_VAR) {
        flow(w, operand(b, 0), out, SAME);
        return;
    }
    const rlxc_device_tree from = rlxc_device_tree_of(w->p, b->args[0].var);
    r.unboxes = from.type->kind == RLXC_SINFO_OBJECT;
    relate(&r, from, out);
}

static void flow_binding(walk *w, rlxc_binding *b)
{
    rlxc_device_plan *p = w->p;
    const rlxc_device_tree out = rlxc_device_tree_of(p, b->var);
    switch (b->form) {
    case RLXC_FORM_COPY:
        flow(w, operand(b, 0), out, SAME);
        return;
    case RLXC_FORM_MATCH_CAST:
        match_cast(w, b, out);
        return;
    case RLXC_FORM_CALL:
        if (b->op)
            call_operator(w, b);
        else
            call_value(w, b);
        return;
    case RLXC_FORM_TUPLE: {
        rlxc_device_tree field = {NULL, out.base};
        for (uint32_t i = 0; i < b->n_args; i++) {
            const bool known = out.type->kind == RLXC_SINFO_TUPLE && i < out.type->n_fields;
            field.type = known ? out.type->fields[i] : out.type;
            flow(w, operand(b, i), field, COPIES);
            if (known)
                field.base += rlxc_device_leaves(field.type);
        }
        return;
    }
    case RLXC_FORM_TUPLE_GET:
        flow_tuple_get(w, b);
        return;
    case RLXC_FORM_IF:
        use_at(w, operand(b, 0), p->on_host, COPIES);
        walk_body(p, b->then, out, w->scope, w->block, w->index);
        walk_body(p, b->otherwise, out, w->scope, w->block, w->index);
        return;
    case RLXC_FORM_FUNCTION: {
        relation r = {.w = w, .how = SAME};
        relate(&r, rlxc_device_tree_of_function(p, b->function), out);
        walk_function(p, b->function, w->scope, w->block, w->index);
        return;
    }
    }
}

/* The operand lists of a binding become its own, so that copies can be put into them. */
static void own_atoms(rlxc_device_plan *p, const rlxc_atom **items, uint32_t n)
{
    rlxc_atom *own = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *own);
    if (!own)
        return;
    memcpy(own, *items, n * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        if (own[i].kind == RLXC_ATOM_TUPLE)
            own_atoms(p, &own[i].items, own[i].n);
    *items = own;
}

static void walk_body(rlxc_device_plan *p, rlxc_body *body, rlxc_device_tree result,
                      const rlxc_device_scope *parent, uint32_t block, uint32_t index)
{
    rlxc_device_scope *scope = rlxc_alloc(p->ctx, sizeof *scope);
    *scope = (rlxc_device_scope){body, parent, block, index, parent ? parent->depth + 1 : 0};
    walk w = {.p = p, .scope = scope};
    for (w.block = 0; w.block < body->n_blocks; w.block++)
        for (w.index = 0; w.index < body->blocks[w.block]->n; w.index++) {
            rlxc_binding *b = body->blocks[w.block]->bindings[w.index];
            if (rlxc_out_of_memory(p->ctx))
                return;
            w.range = b->range;
            if (b->n_args > 0)
                own_atoms(p, &b->args, b->n_args);
            rlxc_map_set(p->ctx, &p->definition, rlxc_key(b->var), b);
            flow_binding(&w, b);
        }
    w.index = 0;
    w.range = body->result_range;
    if (body->result.kind == RLXC_ATOM_TUPLE)
        own_atoms(p, &body->result.items, body->result.n);
    flow(&w, &body->result, result, COPIES);
}

static void walk_function(rlxc_device_plan *p, rlxc_function *f, const rlxc_device_scope *parent,
                          uint32_t block, uint32_t index)
{
    walk w = {.p = p, .range = f->range};
    rlxc_device_tree t = rlxc_device_tree_of_function(p, f);
    for (uint32_t i = 0; i < f->n_params; i++) {
        relation r = {.w = &w, .how = SAME};
        const rlxc_device_tree param = {t.type->fields[i], t.base};
        const rlxc_device_tree own = rlxc_device_tree_of(p, f->params[i]);
        relate(&r, own, param);
        t.base += rlxc_device_leaves(param.type);
        /* Callers of the module keep large tensors where it wants them. */
        for (uint32_t k = 0; !f->parent && k < rlxc_device_leaves(own.type); k++)
            if (!f->is_private && !rlxc_out_of_memory(p->ctx) &&
                own.type->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_float(own.type->dtype))
                p->nodes.items[rlxc_device_root(p, own.base + k)].is_small = false;
    }
    t.type = t.type->ret ? t.type->ret : rlxc_sinfo_object(p->ctx);
    walk_body(p, &f->body, t, parent, block, index);
}

bool rlxc_device_flow(rlxc_device_plan *p)
{
    walk w = {.p = p};
    p->on_host = new_node(&w, p->host);
    for (uint32_t i = 0; i < p->module->globals.count && !rlxc_out_of_memory(p->ctx); i++)
        if (p->module->globals.items[i]->relax)
            walk_function(p, p->module->globals.items[i]->relax, NULL, 0, 0);
    return !rlxc_failed(p->ctx);
}
