/* Device planning: the requirements of calls on their operands and results (device_walk.h).
 *
 * The operands and results of an operator lie on one device: the operator's node is that of its
 * first result. Operands can be copied; operands that are written, functions, and aliases of other
 * values cannot. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ops/device_forms.h"
#include "compiler/ops/op_infer.h"
#include "compiler/passes/device_walk.h"

/* --- calls of operators ----------------------------------------------------------------------- */

/* The node of the binding's first result, with which the others are joined; a new one if it has no
 * result on a device. */
static uint32_t domain(rlxc_device_walk *w, const rlxc_binding *b)
{
    const rlxc_device_tree result = rlxc_device_tree_of(w->p, b->var);
    const uint32_t n = rlxc_device_leaves(result.type);
    if (n == 0)
        return rlxc_device_new_node(w, RLXC_NO_PLACE);
    for (uint32_t i = 1; i < n; i++)
        rlxc_device_join(w, result.base, result.base + i);
    return result.base;
}

static void use_all(rlxc_device_walk *w, const rlxc_binding *b, uint32_t node, rlxc_device_link how)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_device_use_at(w, rlxc_device_operand(b, i), node, how);
}

static void plain_operator(rlxc_device_walk *w, const rlxc_binding *b)
{
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    const uint32_t n = rlxc_operator_inputs(b->op, inputs, &variadic);
    const bool anywhere = (b->op->flags & RLXC_OP_ANYWHERE) != 0;
    if (anywhere)
        rlxc_device_pin_to_host(w, rlxc_device_tree_of(w->p, b->var), false);
    const uint32_t node = anywhere ? w->p->on_host : domain(w, b);
    for (uint32_t i = 0; i < b->n_args && n > 0; i++) {
        const rlxc_op_input *input = &inputs[i < n ? i : n - 1];
        if (input->is_host || input->kind == 'o')
            rlxc_device_use_at(w, rlxc_device_operand(b, i), w->p->on_host, RLXC_COPIES);
        else if (!anywhere)
            rlxc_device_use_at(w, rlxc_device_operand(b, i), node, RLXC_COPIES);
    }
}

/* An entry of the table for |place| with another scope. */
static int32_t with_scope(rlxc_device_walk *w, int32_t place, const char *scope)
{
    rlxc_vdevice like = w->p->module->vdevices.items[place];
    like.scope = rlxc_intern_cstr(w->p->ctx, scope);
    like.range = w->range;
    return (int32_t)rlxc_add_vdevice(w->p->ctx, w->p->module, &like);
}

static void hint(rlxc_device_walk *w, const rlxc_binding *b)
{
    const char *name = rlxc_attr_get_str(b, "dst_vdevice", NULL);
    const char *scope = rlxc_attr_get_str(b, "memory_scope", NULL);
    const rlxc_vdevice *device = name ? rlxc_find_vdevice(w->p->module, name) : NULL;
    int32_t place = device ? (int32_t)(device - w->p->module->vdevices.items) : w->p->host;
    if (!rlxc_is_plain_scope(scope))
        place = with_scope(w, place, scope);
    const uint32_t node = domain(w, b);
    rlxc_device_pin(w, node, place, true);
    use_all(w, b, node, RLXC_COPIES);
}

/* --- calls of functions ----------------------------------------------------------------------- */

/* Arguments |at| into the parameters from |first| on, the result into |out|. */
static void call_signature(rlxc_device_walk *w, rlxc_device_tree callee, const rlxc_binding *b)
{
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    if (callee.type->kind != RLXC_SINFO_CALLABLE || callee.type->opaque) {
        use_all(w, b, w->p->on_host, RLXC_COPIES);
        rlxc_device_pin_to_host(w, out, true);
        return;
    }
    rlxc_device_tree param = {NULL, callee.base};
    for (uint32_t i = 0; i < callee.type->n_fields; i++) {
        param.type = callee.type->fields[i];
        if (i < b->n_args)
            rlxc_device_into(w, rlxc_device_operand(b, i), param, RLXC_COPIES);
        param.base += rlxc_device_leaves(param.type);
    }
    rlxc_device_relation r = {.w = w, .how = RLXC_SAME};
    param.type = callee.type->ret;
    if (param.type)
        rlxc_device_relate(&r, param, out);
}

void rlxc_device_call(rlxc_device_walk *w, const rlxc_binding *b)
{
    const rlxc_global *g =
        b->callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->p->module, b->callee.text) : NULL;
    if (g && g->relax)
        call_signature(w, rlxc_device_tree_of_function(w->p, g->relax), b);
    else if (g)
        use_all(w, b, rlxc_device_new_node(w, RLXC_NO_PLACE),
                RLXC_SAME); /* a PrimFunc: some are written */
    else if (b->callee.kind == RLXC_ATOM_VAR)
        call_signature(w, rlxc_device_tree_of(w->p, b->callee.var), b);
    else if (b->callee.kind == RLXC_ATOM_EXTERN && rlxc_device_may_do(b->callee.text))
        use_all(w, b, domain(w, b), RLXC_COPIES);
    else /* a packed function: may write its arguments, which stay where they are */
        rlxc_device_pin_to_host(w, rlxc_device_tree_of(w->p, b->var), false);
}

/* R.make_closure: the arguments go into the last parameters; the others are given values of which
 * nothing is known. */
static void make_closure(rlxc_device_walk *w, const rlxc_binding *b)
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
            rlxc_device_into(w, (rlxc_atom *)(uintptr_t)&b->args[1].items[i - first], part,
                             RLXC_COPIES);
        else
            rlxc_device_pin_to_host(w, part, false);
        part.base += rlxc_device_leaves(part.type);
    }
}

/* --- PrimFuncs in the graph ------------------------------------------------------------------- */

/* The place for a PrimFunc's target: a device of its kind, which is added if the module has none.
 */
static int32_t target_place(rlxc_device_walk *w, const rlxc_attr *target, rlxc_range range)
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

/* A place with the memory that a parameter of |f| requires: that of the device |near|, else the
 * first; NO_PLACE if no parameter requires any. */
static int32_t place_with_memory(const rlxc_device_plan *p, const rlxc_prim_func *f, int32_t near)
{
    int32_t found = RLXC_NO_PLACE;
    for (uint32_t i = 0; f && i < f->n_params; i++) {
        const char *scope = f->params[i].buffer ? f->params[i].buffer->scope : NULL;
        for (uint32_t k = 0; !rlxc_is_plain_scope(scope) && k < p->module->vdevices.count; k++) {
            const rlxc_vdevice *d = &p->module->vdevices.items[k];
            if (!d->scope || strcmp(d->scope, scope) != 0 || !rlxc_is_known_vdevice(d))
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

/* The place where a PrimFunc runs: that of a decided result, of its target, of the memory that it
 * requires, or of a decided operand; else NO_PLACE. */
static int32_t prim_place(rlxc_device_walk *w, const rlxc_binding *b, const rlxc_prim_func *f)
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

/* The scope that buffer parameter |i| requires, or NULL. */
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

static void use_operand(rlxc_device_walk *w, rlxc_atom *at, uint32_t node, int32_t place,
                        const char *scope)
{
    const rlxc_vdevice *table = w->p->module->vdevices.items;
    const char *device = at->kind == RLXC_ATOM_VAR ? rlxc_stated_device(at->var->sinfo) : NULL;
    const rlxc_vdevice *own = device ? rlxc_find_vdevice(w->p->module, device) : NULL;
    if (scope && place != RLXC_NO_PLACE)
        rlxc_device_use_at(w, at, rlxc_device_new_node(w, with_scope(w, place, scope)),
                           RLXC_COPIES);
    else if (!own || place == RLXC_NO_PLACE || !rlxc_same_place(own, &table[place]))
        rlxc_device_use_at(w, at, node, RLXC_COPIES); /* else any memory of its device will do */
}

/* call_tir, call_tir_inplace, call_dps_packed: one device, where the PrimFunc's buffers choose the
 * memory. */
static void call_into_results(rlxc_device_walk *w, const rlxc_binding *b)
{
    const rlxc_global *g = b->n_args > 0 && b->args[0].kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(w->p->module, b->args[0].text)
                               : NULL;
    const rlxc_prim_func *f = g ? g->prim : NULL;
    int32_t place = prim_place(w, b, f);
    if (place != RLXC_NO_PLACE && f)
        place = plain_memory(w->p, place);
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    const uint32_t n_out = rlxc_device_leaves(out.type), node = rlxc_device_new_node(w, place);
    rlxc_atom *args = b->n_args > 1 ? rlxc_device_operand(b, 1) : NULL;
    const uint32_t n = args && args->kind == RLXC_ATOM_TUPLE ? args->n : 0;
    for (uint32_t i = 0; i < n_out && !rlxc_out_of_memory(w->p->ctx); i++) {
        const char *scope = wanted_scope(f, n + i);
        if (scope && place != RLXC_NO_PLACE)
            rlxc_device_pin(w, out.base + i, with_scope(w, place, scope), true);
        else if (w->p->nodes.items[out.base + i].place == RLXC_NO_PLACE)
            rlxc_device_join(w, node, out.base + i);
    }
    for (uint32_t i = 0; i < n; i++)
        use_operand(w, (rlxc_atom *)(uintptr_t)&args->items[i], node, place, wanted_scope(f, i));
    if (args && args->kind == RLXC_ATOM_VAR)
        use_operand(w, args, node, place, NULL);
}

/* --- explicit memory -------------------------------------------------------------------------- */

/* The device that an allocation names by its position in the module's table; the device of the
 * storage for a tensor in one. */
static int32_t memory_place(rlxc_device_walk *w, const rlxc_binding *b)
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

static void explicit_memory(rlxc_device_walk *w, const rlxc_binding *b)
{
    const rlxc_device_tree out = rlxc_device_tree_of(w->p, b->var);
    const int32_t place = memory_place(w, b);
    for (uint32_t i = 0; i < rlxc_device_leaves(out.type); i++)
        rlxc_device_pin(w, out.base + i, place, true);
    int64_t stated;
    for (uint32_t i = 0; i < b->n_args; i++)
        if (rlxc_names_device(b, i, &stated) && place != w->p->host && place != stated) {
            rlxc_device_new_node(w, place); /* the scope's own entry of the table is used */
            rlxc_device_operand(b, i)->prim = rlxc_i64(w->p->ctx, place);
        }
}

/* --- all operators ---------------------------------------------------------------------------- */

void rlxc_device_operator(rlxc_device_walk *w, const rlxc_binding *b)
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
        use_all(w, b, rlxc_device_new_node(w, RLXC_NO_PLACE), RLXC_SAME);
    } else if ((b->op->flags & RLXC_OP_CALLS) != 0) {
        if (strncmp(b->op->name, "call_tir", 8) == 0 || rlxc_is_op(b, "call_dps_packed")) {
            call_into_results(w, b);
        } else { /* closures, builtins: nothing is known of them */
            use_all(w, b, w->p->on_host, RLXC_COPIES);
            rlxc_device_pin_to_host(w, rlxc_device_tree_of(w->p, b->var), true);
        }
    } else if (b->n_args > 0 &&
               (b->op->legalize == rlxc_legalize_identity ||
                (b->op->legalize == NULL && (b->op->flags & RLXC_OP_ALIASES_0) != 0))) {
        rlxc_device_into(w, rlxc_device_operand(b, 0), rlxc_device_tree_of(w->p, b->var),
                         RLXC_SAME);
    } else {
        plain_operator(w, b);
    }
}
