/* Device planning: sets the devices of types, and inserts copies where a value changes its device
 * (device_plan.h).
 *
 * A value is copied once to a device: in the innermost body that has all uses of the copy, before
 * the first of them. A tensor of a tuple is copied alone; the operand becomes a new tuple. */
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/device_plan.h"

typedef struct copy { /* of one tensor to one place */
    uint32_t source;
    int32_t place;
    const rlxc_rvar *from;
    uint32_t leaf;
    rlxc_rvar *var;
    const rlxc_device_scope *scope;
    uint32_t block, index;
    bool leaves_block; /* used outside the block that makes it */
    rlxc_range range;
} copy;

/* A binding to insert before binding |index| of |block|. */
typedef struct insertion {
    uint32_t block, index, order;
    rlxc_binding *binding;
} insertion;

typedef struct insertions {
    RLXC_VEC(insertion) items;
} insertions;

typedef struct applier {
    rlxc_device_plan *p;
    rlxc_function *function; /* outermost */
    const char **names;      /* by place */
    RLXC_VEC(copy) copies;
    rlxc_map known;     /* source and place -> 1 + position in |copies| */
    rlxc_map functions; /* body -> the outermost function */
    rlxc_map inserted;  /* body -> insertions */
    RLXC_VEC(rlxc_body *) bodies;
} applier;

/* --- types ------------------------------------------------------------------------------------ */

/* |s| with the devices of the nodes from |*io_base| on. */
static const rlxc_sinfo *placed(applier *a, const rlxc_sinfo *s, uint32_t *io_base)
{
    rlxc_context *ctx = a->p->ctx;
    if (s->kind == RLXC_SINFO_TENSOR) {
        const int32_t place = rlxc_device_place(a->p, (*io_base)++);
        return rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, s->dims, a->names[place]);
    }
    if (s->n_fields == 0 && !s->ret)
        return s;
    if (s->kind == RLXC_SINFO_CALLABLE && s->opaque)
        return s;
    const rlxc_sinfo **fields =
        rlxc_try_alloc(ctx, (size_t)s->n_fields + 1, sizeof(const rlxc_sinfo *));
    if (!fields)
        return s;
    for (uint32_t i = 0; i < s->n_fields; i++)
        fields[i] = placed(a, s->fields[i], io_base);
    if (s->kind == RLXC_SINFO_TUPLE)
        return rlxc_sinfo_tuple(ctx, fields, s->n_fields);
    return rlxc_sinfo_callable(ctx, fields, s->n_fields, s->ret ? placed(a, s->ret, io_base) : NULL,
                               s->pure);
}

static void place_var(applier *a, rlxc_rvar *var)
{
    uint32_t base = rlxc_device_tree_of(a->p, var).base;
    var->sinfo = placed(a, var->sinfo, &base);
}

/* The types that a call states for its results, and a match_cast for its value. */
static void place_stated(applier *a, rlxc_binding *b)
{
    uint32_t base = rlxc_device_tree_of(a->p, b->var).base, n = 0;
    for (uint32_t i = 0; i < b->n_sinfo_args; i++)
        n += rlxc_device_leaves(b->sinfo_args[i]);
    if (n == 0 || n != rlxc_device_leaves(b->var->sinfo))
        return;
    const rlxc_sinfo **stated =
        rlxc_try_alloc(a->p->ctx, b->n_sinfo_args, sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; stated && i < b->n_sinfo_args; i++)
        stated[i] = placed(a, b->sinfo_args[i], &base);
    if (stated)
        b->sinfo_args = stated;
}

static void place_function(applier *a, rlxc_function *f);

static void place_body(applier *a, rlxc_body *body)
{
    rlxc_map_set(a->p->ctx, &a->functions, rlxc_key(body), a->function);
    RLXC_PUSH(a->p->ctx, &a->bodies, body);
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n && !rlxc_out_of_memory(a->p->ctx); k++) {
            rlxc_binding *b = body->blocks[i]->bindings[k];
            place_stated(a, b);
            place_var(a, b->var);
            if (b->form == RLXC_FORM_FUNCTION)
                place_function(a, b->function);
            if (b->form == RLXC_FORM_IF) {
                place_body(a, b->then);
                place_body(a, b->otherwise);
            }
        }
}

static void place_function(applier *a, rlxc_function *f)
{
    uint32_t base = rlxc_device_tree_of_function(a->p, f).base;
    for (uint32_t i = 0; i < f->n_params; i++) {
        base += rlxc_device_leaves(f->params[i]->sinfo);
        place_var(a, f->params[i]);
    }
    place_body(a, &f->body);
    if (f->ret)
        f->ret = placed(a, f->ret, &base);
}

/* --- where copies go -------------------------------------------------------------------------- */

static const rlxc_device_scope *outwards(const rlxc_device_scope *s, uint32_t *io_block,
                                         uint32_t *io_index)
{
    *io_block = s->block;
    *io_index = s->index;
    return s->parent;
}

/* Adds a use of |c| that is at |scope|, |block|, |index|, after those so far. */
static void widen(copy *c, const rlxc_device_scope *scope, uint32_t block, uint32_t index)
{
    while (scope->depth > c->scope->depth)
        scope = outwards(scope, &block, &index);
    while (c->scope->depth > scope->depth)
        c->scope = outwards(c->scope, &c->block, &c->index);
    while (c->scope != scope) {
        scope = outwards(scope, &block, &index);
        c->scope = outwards(c->scope, &c->block, &c->index);
    }
    c->leaves_block |= block != c->block;
}

static bool needs_copy(applier *a, const rlxc_device_use *u)
{
    return rlxc_device_place(a->p, u->source) != rlxc_device_place(a->p, u->user);
}

static rlxc_range range_at(const rlxc_device_use *u)
{
    const rlxc_body *body = u->scope->body;
    return u->block < body->n_blocks ? body->blocks[u->block]->bindings[u->index]->range
                                     : body->result_range;
}

static uint64_t copy_key(applier *a, const rlxc_device_use *u)
{
    return (uint64_t)u->source << 8 | (uint64_t)rlxc_device_place(a->p, u->user) << 1 | 1;
}

static copy *copy_of(applier *a, const rlxc_device_use *u)
{
    const uintptr_t known = (uintptr_t)rlxc_map_get(&a->known, copy_key(a, u));
    return known ? &a->copies.items[known - 1] : NULL;
}

static void collect_copies(applier *a)
{
    rlxc_device_plan *p = a->p;
    for (uint32_t i = 0; i < p->uses.count && !rlxc_out_of_memory(p->ctx); i++) {
        const rlxc_device_use *u = &p->uses.items[i];
        if (!needs_copy(a, u))
            continue;
        copy *known = copy_of(a, u);
        if (known) {
            widen(known, u->scope, u->block, u->index);
            continue;
        }
        RLXC_PUSH(p->ctx, &a->copies,
                  (copy){.source = u->source,
                         .place = rlxc_device_place(p, u->user),
                         .from = u->at->var,
                         .leaf = u->leaf,
                         .scope = u->scope,
                         .block = u->block,
                         .index = u->index,
                         .leaves_block = u->block >= u->scope->body->n_blocks,
                         .range = range_at(u)});
        rlxc_map_set(p->ctx, &a->known, copy_key(a, u), (void *)(uintptr_t)a->copies.count);
    }
}

/* --- bindings --------------------------------------------------------------------------------- */

static void insert(applier *a, const rlxc_device_scope *scope, uint32_t block, uint32_t index,
                   rlxc_binding *b)
{
    rlxc_context *ctx = a->p->ctx;
    insertions *list = rlxc_map_get(&a->inserted, rlxc_key(scope->body));
    if (!list) {
        list = rlxc_alloc(ctx, sizeof *list);
        rlxc_map_set(ctx, &a->inserted, rlxc_key(scope->body), list);
    }
    RLXC_PUSH(ctx, &list->items, (insertion){block, index, list->items.count, b});
}

typedef struct place_of { /* where bindings are inserted */
    const rlxc_device_scope *scope;
    uint32_t block, index;
    bool leaves_block;
    rlxc_range range;
} place_of;

static rlxc_rvar *new_binding(applier *a, const place_of *at, rlxc_form form, rlxc_atom operand,
                              const char *name, const rlxc_sinfo *type, rlxc_binding **out)
{
    rlxc_context *ctx = a->p->ctx;
    rlxc_function *f = rlxc_map_get(&a->functions, rlxc_key(at->scope->body));
    rlxc_rvar *var = rlxc_rvar_new(ctx, f, name, type);
    rlxc_binding *b = rlxc_binding_new(ctx, form, var);
    const rlxc_body *body = at->scope->body;
    var->range = b->range = at->range;
    var->is_dataflow =
        !at->leaves_block && at->block < body->n_blocks && body->blocks[at->block]->is_dataflow;
    b->args = rlxc_copy(ctx, &operand, sizeof operand);
    b->n_args = 1;
    insert(a, at->scope, at->block, at->index, b);
    *out = b;
    return var;
}

static rlxc_rvar *take_field(applier *a, const place_of *at, const rlxc_rvar *tuple, uint32_t i)
{
    rlxc_binding *b;
    rlxc_rvar *var =
        new_binding(a, at, RLXC_FORM_TUPLE_GET, rlxc_atom_var((rlxc_rvar *)(uintptr_t)tuple),
                    tuple->name, tuple->sinfo->fields[i], &b);
    b->index = i;
    return var;
}

/* Tensor |leaf| of |var|, taken out of its tuples. */
static const rlxc_rvar *take_leaf(applier *a, const place_of *at, const rlxc_rvar *var,
                                  uint32_t leaf)
{
    while (var->sinfo->kind == RLXC_SINFO_TUPLE) {
        uint32_t i = 0;
        while (i + 1 < var->sinfo->n_fields && leaf >= rlxc_device_leaves(var->sinfo->fields[i]))
            leaf -= rlxc_device_leaves(var->sinfo->fields[i++]);
        var = take_field(a, at, var, i);
    }
    return var;
}

static void make_copy(applier *a, copy *c)
{
    rlxc_context *ctx = a->p->ctx;
    const place_of at = {c->scope, c->block, c->index, c->leaves_block, c->range};
    const rlxc_rvar *from = take_leaf(a, &at, c->from, c->leaf);
    const rlxc_sinfo *s = from->sinfo;
    rlxc_binding *b;
    const char *name = a->names[c->place];
    c->var =
        new_binding(a, &at, RLXC_FORM_CALL, rlxc_atom_var((rlxc_rvar *)(uintptr_t)from),
                    c->from->name, rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, s->dims, name), &b);
    b->op = rlxc_find_operator("to_vdevice", strlen("to_vdevice"));
    b->attrs = rlxc_attrs_with(ctx, (rlxc_attrs){0}, "dst_vdevice", rlxc_attr_string(ctx, name));
}

/* --- operands --------------------------------------------------------------------------------- */

/* The tuple |var| with copies of the tensors that the |n| uses from |u| on say; |leaf| is its first
 * tensor. */
static rlxc_atom tuple_with_copies(applier *a, const place_of *at, const rlxc_rvar *var,
                                   uint32_t leaf, const rlxc_device_use *u, uint32_t n)
{
    const rlxc_sinfo *s = var->sinfo;
    if (s->kind == RLXC_SINFO_TENSOR)
        for (uint32_t i = 0; i < n; i++)
            if (u[i].leaf == leaf && needs_copy(a, &u[i])) {
                const copy *c = copy_of(a, &u[i]);
                return rlxc_atom_var(c && c->var ? c->var : (rlxc_rvar *)(uintptr_t)var);
            }
    if (s->kind != RLXC_SINFO_TUPLE)
        return rlxc_atom_var((rlxc_rvar *)(uintptr_t)var);
    rlxc_atom *items = rlxc_try_alloc(a->p->ctx, (size_t)s->n_fields + 1, sizeof *items);
    for (uint32_t i = 0; items && i < s->n_fields; i++) {
        items[i] = tuple_with_copies(a, at, take_field(a, at, var, i), leaf, u, n);
        leaf += rlxc_device_leaves(s->fields[i]);
    }
    return rlxc_atom_tuple(a->p->ctx, items, items ? s->n_fields : 0);
}

static void replace_operands(applier *a)
{
    const rlxc_device_use *uses = a->p->uses.items;
    for (uint32_t i = 0, n; i < a->p->uses.count && !rlxc_out_of_memory(a->p->ctx); i += n) {
        bool any = false;
        for (n = 0; i + n < a->p->uses.count && uses[i + n].at == uses[i].at; n++)
            any |= needs_copy(a, &uses[i + n]);
        if (!any)
            continue;
        const rlxc_device_use *u = &uses[i];
        const place_of at = {u->scope, u->block, u->index, u->block >= u->scope->body->n_blocks,
                             range_at(u)};
        *u->at = tuple_with_copies(a, &at, u->at->var, 0, u, n);
    }
}

static int by_position(const void *a, const void *b)
{
    const insertion *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Appends those of |list| from |*io_next| on that stand before this position. */
static void push_inserted(applier *a, rlxc_binding_block *block, const insertions *list, uint32_t i,
                          uint32_t k, uint32_t *io_next)
{
    while (*io_next < list->items.count && list->items.items[*io_next].block == i &&
           list->items.items[*io_next].index == k)
        rlxc_block_push(a->p->ctx, block, list->items.items[(*io_next)++].binding);
}

static void rebuild(applier *a, rlxc_body *body)
{
    rlxc_context *ctx = a->p->ctx;
    insertions *list = rlxc_map_get(&a->inserted, rlxc_key(body));
    if (!list || list->items.count == 0)
        return;
    qsort(list->items.items, list->items.count, sizeof *list->items.items, by_position);
    rlxc_body out = {.result = body->result, .result_range = body->result_range};
    uint32_t next = 0;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *old = body->blocks[i];
        rlxc_binding_block *block = rlxc_block_new(ctx, old->is_dataflow);
        for (uint32_t k = 0; k < old->n; k++) {
            push_inserted(a, block, list, i, k, &next);
            rlxc_block_push(ctx, block, old->bindings[k]);
        }
        rlxc_body_push(ctx, &out, block);
    }
    rlxc_binding_block *last = rlxc_block_new(ctx, false);
    push_inserted(a, last, list, body->n_blocks, 0, &next);
    if (last->n > 0)
        rlxc_body_push(ctx, &out, last);
    *body = out;
}

void rlxc_device_apply(rlxc_device_plan *p)
{
    rlxc_context *ctx = p->ctx;
    applier a = {.p = p};
    const uint32_t n = p->module->vdevices.count;
    a.names = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof(const char *));
    for (uint32_t i = 0; a.names && i < n; i++)
        a.names[i] = rlxc_vdevice_name(ctx, p->module, &p->module->vdevices.items[i]);
    for (uint32_t i = 0; a.names && i < p->module->globals.count; i++) {
        a.function = p->module->globals.items[i]->relax;
        if (a.function)
            place_function(&a, a.function);
    }
    if (!a.names)
        return;
    collect_copies(&a);
    for (uint32_t i = 0; i < a.copies.count && !rlxc_out_of_memory(ctx); i++)
        make_copy(&a, &a.copies.items[i]);
    replace_operands(&a);
    for (uint32_t i = 0; i < a.bodies.count && !rlxc_out_of_memory(ctx); i++)
        rebuild(&a, a.bodies.items[i]);
    p->module->is_placed = true;
}
