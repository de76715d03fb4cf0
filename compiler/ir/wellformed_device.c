/* The invariants of devices, in modules whose tensors have been given some (rlxc_module.is_placed).
 *
 * 17. Each tensor type names a device of the module's table.
 * 18. A value keeps its device: where it gets another name, goes into a tuple, out of a branch, to
 * a function or back. What goes where its type is not known, or where the host reads it, is on the
 *     host. Constants are loaded where they are used.
 * 19. The operands and results of an operator or PrimFunc are on one device, for a PrimFunc perhaps
 *     in different memory of it, which a buffer's scope names where it is not plain; R.to_vdevice
 *     alone copies. A PrimFunc with a device's target works on no tensor of a CPU. */
#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/wellformed.h"

typedef struct walk {
    rlxc_checker *c;
    const rlxc_module *module;
    rlxc_range range;
    const char *what;       /* the operator or function being called, for messages */
    const rlxc_sinfo *seen; /* the first tensor of the call */
    bool any_memory;        /* of one device */
} walk;

static const char *name_of(const walk *w, const rlxc_sinfo *tensor)
{
    const rlxc_vdevice *d = tensor->vdevice ? rlxc_find_vdevice(w->module, tensor->vdevice) : NULL;
    return d ? rlxc_vdevice_name(w->c->ctx, w->module, d) : "no device";
}

static bool on_host(const walk *w, const rlxc_sinfo *tensor)
{
    return rlxc_vdevice_is_host(w->module, tensor->vdevice);
}

static bool on_one_device(const walk *w, const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    if (rlxc_vdevice_index(w->module, a->vdevice) == rlxc_vdevice_index(w->module, b->vdevice))
        return true;
    const rlxc_vdevice *x = a->vdevice ? rlxc_find_vdevice(w->module, a->vdevice) : NULL;
    const rlxc_vdevice *y = b->vdevice ? rlxc_find_vdevice(w->module, b->vdevice) : NULL;
    return w->any_memory && x && y && rlxc_same_place(x, y);
}

/* --- types ------------------------------------------------------------------------------------ */

static void check_type(walk *w, const rlxc_sinfo *s, const char *name)
{
    if (s->kind == RLXC_SINFO_TENSOR && (!s->vdevice || !rlxc_find_vdevice(w->module, s->vdevice)))
        rlxc_violation(w->c, w->range, 17, "a tensor of '%s' is on device '%s', which is not there",
                       name, s->vdevice ? s->vdevice : "");
    for (uint32_t i = 0; i < s->n_fields; i++)
        check_type(w, s->fields[i], name);
    if (s->ret)
        check_type(w, s->ret, name);
}

static void must_be_on_host(walk *w, const rlxc_sinfo *s, const char *why)
{
    if (s->kind == RLXC_SINFO_TENSOR && !on_host(w, s))
        rlxc_violation(w->c, w->range, 18, "a tensor on '%s' is %s", name_of(w, s), why);
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        must_be_on_host(w, s->fields[i], why);
}

static void atom_must_be_on_host(walk *w, rlxc_atom a, const char *why)
{
    for (uint32_t i = 0; a.kind == RLXC_ATOM_TUPLE && i < a.n; i++)
        atom_must_be_on_host(w, a.items[i], why);
    if (a.kind == RLXC_ATOM_VAR && a.var->sinfo)
        must_be_on_host(w, a.var->sinfo, why);
}

/* --- values that go on ------------------------------------------------------------------------ */

static void flow(walk *w, const rlxc_sinfo *from, const rlxc_sinfo *to)
{
    static const char unknown[] = "used where its type is not known";
    if (from->kind == RLXC_SINFO_TENSOR && to->kind == RLXC_SINFO_TENSOR) {
        if (!on_one_device(w, from, to))
            rlxc_violation(w->c, w->range, 18, "a value on '%s' becomes one on '%s' without a copy",
                           name_of(w, from), name_of(w, to));
    } else if (from->kind == to->kind && from->n_fields == to->n_fields && !from->opaque &&
               !to->opaque) {
        for (uint32_t i = 0; i < from->n_fields; i++)
            flow(w, from->fields[i], to->fields[i]);
        if (from->ret && to->ret)
            flow(w, from->ret, to->ret);
    } else {
        must_be_on_host(w, from, unknown);
        must_be_on_host(w, to, unknown);
    }
}

static void flow_atom(walk *w, rlxc_atom from, const rlxc_sinfo *to)
{
    if (from.kind == RLXC_ATOM_TUPLE) {
        const bool known = to->kind == RLXC_SINFO_TUPLE && to->n_fields == from.n;
        for (uint32_t i = 0; i < from.n; i++)
            flow_atom(w, from.items[i], known ? to->fields[i] : to);
    } else if (from.kind == RLXC_ATOM_VAR || from.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_sinfo *type = rlxc_atom_sinfo(w->c->ctx, w->module, from);
        if (type)
            flow(w, type, to);
    }
}

/* --- calls ------------------------------------------------------------------------------------ */

static void meet_type(walk *w, const rlxc_sinfo *s)
{
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        meet_type(w, s->fields[i]);
    if (s->kind != RLXC_SINFO_TENSOR)
        return;
    if (!w->seen)
        w->seen = s;
    else if (!on_one_device(w, w->seen, s))
        rlxc_violation(w->c, w->range, 19, "'%s' works on tensors on '%s' and '%s'", w->what,
                       name_of(w, w->seen), name_of(w, s));
}

static void meet(walk *w, rlxc_atom a)
{
    for (uint32_t i = 0; a.kind == RLXC_ATOM_TUPLE && i < a.n; i++)
        meet(w, a.items[i]);
    if (a.kind == RLXC_ATOM_VAR && a.var->sinfo)
        meet_type(w, a.var->sinfo);
}

/* Records that the tensors of a call of |g| have been seen. */
static void check_target(walk *w, const rlxc_global *g)
{
    size_t length;
    const rlxc_vdevice *d =
        w->seen && w->seen->vdevice ? rlxc_find_vdevice(w->module, w->seen->vdevice) : NULL;
    const char *kind = d ? rlxc_target_kind(&d->target, &length) : NULL;
    if (kind && g && g->prim && rlxc_prim_is_device(g->prim) && rlxc_is_cpu_kind(kind, length))
        rlxc_violation(w->c, w->range, 19, "'%s' is a kernel of a device, and its tensors on '%s'",
                       g->name, name_of(w, w->seen));
}

static bool has_name(const rlxc_binding *b, const char *name)
{
    return strcmp(b->op->name, name) == 0;
}

/* |s| goes into parameter |i| of |f|. */
static void check_memory(walk *w, const rlxc_prim_func *f, uint32_t i, const rlxc_sinfo *s)
{
    const rlxc_buffer *buffer = i < f->n_params ? f->params[i].buffer : NULL;
    const rlxc_vdevice *d = s && s->kind == RLXC_SINFO_TENSOR && s->vdevice
                                ? rlxc_find_vdevice(w->module, s->vdevice)
                                : NULL;
    if (buffer && d && !rlxc_is_plain_scope(buffer->scope) &&
        (!d->scope || strcmp(buffer->scope, d->scope) != 0))
        rlxc_violation(w->c, w->range, 19,
                       "'%s' needs '%s' in memory '%s', but gets a tensor on '%s'", f->name,
                       buffer->name, buffer->scope, name_of(w, s));
}

/* The tensors of |s|, a value or tuple, go into the parameters of |f| from |first| on. Returns the
 * first one after them. */
static uint32_t check_memories(walk *w, const rlxc_prim_func *f, uint32_t first,
                               const rlxc_sinfo *s)
{
    if (!s || s->kind != RLXC_SINFO_TUPLE) {
        check_memory(w, f, first, s);
        return first + 1;
    }
    for (uint32_t i = 0; i < s->n_fields; i++)
        check_memory(w, f, first + i, s->fields[i]);
    return first + s->n_fields;
}

static void check_operator(walk *w, const rlxc_binding *b)
{
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    const uint32_t n = rlxc_operator_inputs(b->op, inputs, &variadic);
    const bool anywhere = (b->op->flags & RLXC_OP_ANYWHERE) != 0;
    w->what = b->op->name;
    for (uint32_t i = 0; i < b->n_args && n > 0; i++) {
        const rlxc_op_input *input = &inputs[i < n ? i : n - 1];
        if (input->is_host || input->kind == 'o')
            atom_must_be_on_host(w, b->args[i], "read by the host");
        else if (!anywhere)
            meet(w, b->args[i]);
    }
    if (anywhere)
        must_be_on_host(w, b->var->sinfo, "a size");
    else
        meet_type(w, b->var->sinfo);
}

/* call_tir, call_tir_inplace, call_dps_packed */
static void check_call_into_results(walk *w, const rlxc_binding *b)
{
    w->any_memory = true;
    w->what = b->args[0].kind == RLXC_ATOM_GLOBAL ? b->args[0].text : b->op->name;
    if (b->n_args > 1)
        meet(w, b->args[1]);
    meet_type(w, b->var->sinfo);
    const rlxc_global *g =
        b->args[0].kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->module, w->what) : NULL;
    check_target(w, g);
    if (g && g->prim && b->n_args > 1 && has_name(b, "call_tir"))
        check_memories(
            w, g->prim,
            check_memories(w, g->prim, 0, rlxc_atom_sinfo(w->c->ctx, w->module, b->args[1])),
            b->var->sinfo);
}

static void check_op_call(walk *w, const rlxc_binding *b)
{
    const uint32_t flags = b->op->flags;
    if (has_name(b, "to_vdevice")) {
        const rlxc_vdevice *to =
            rlxc_find_vdevice(w->module, rlxc_attr_get_str(b, "dst_vdevice", ""));
        const char *is = b->var->sinfo->vdevice;
        if (to && is && rlxc_find_vdevice(w->module, is) != to &&
            !(rlxc_is_host_vdevice(to) && on_host(w, b->var->sinfo)))
            rlxc_violation(w->c, w->range, 18, "a copy to '%s' is on '%s'",
                           rlxc_vdevice_name(w->c->ctx, w->module, to), is);
    } else if (b->n_args > 0 &&
               (strncmp(b->op->name, "call_tir", 8) == 0 || has_name(b, "call_dps_packed"))) {
        check_call_into_results(w, b);
    } else if ((flags & RLXC_OP_ALIASES_0) != 0 && b->n_args > 0) {
        flow_atom(w, b->args[0], b->var->sinfo);
    } else if ((flags & (RLXC_OP_CALLS | RLXC_OP_MEMORY | RLXC_OP_KILLS)) == 0) {
        check_operator(w, b);
    }
}

static void check_call(walk *w, const rlxc_binding *b)
{
    const rlxc_sinfo *type = NULL;
    const rlxc_global *g =
        b->callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->module, b->callee.text) : NULL;
    if (b->op) {
        check_op_call(w, b);
        return;
    }
    if (g && g->prim) {
        w->any_memory = true;
        w->what = g->name;
        for (uint32_t i = 0; i < b->n_args; i++)
            meet(w, b->args[i]);
        for (uint32_t i = 0; i < b->n_args; i++)
            check_memory(w, g->prim, i, rlxc_atom_sinfo(w->c->ctx, w->module, b->args[i]));
        check_target(w, g);
        return;
    }
    if (g)
        type = rlxc_function_sinfo(w->c->ctx, g->relax);
    else if (b->callee.kind == RLXC_ATOM_VAR)
        type = b->callee.var->sinfo;
    if (!type || type->kind != RLXC_SINFO_CALLABLE || type->opaque)
        return;
    for (uint32_t i = 0; i < b->n_args && i < type->n_fields; i++)
        flow_atom(w, b->args[i], type->fields[i]);
    if (type->ret)
        flow(w, type->ret, b->var->sinfo);
}

static bool is_boxed(rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR && a.var->sinfo && a.var->sinfo->kind == RLXC_SINFO_OBJECT;
}

/* --- bindings --------------------------------------------------------------------------------- */

void rlxc_check_binding_devices(rlxc_checker *c, const rlxc_module *module, const rlxc_binding *b)
{
    walk w = {.c = c, .module = module, .range = b->range};
    const rlxc_sinfo *type = b->var->sinfo;
    if (!type)
        return; /* invariant 6 */
    check_type(&w, type, b->var->name);
    switch (b->form) {
    case RLXC_FORM_MATCH_CAST:
        if (is_boxed(b->args[0]))
            break; /* moved to where the type says */
        flow_atom(&w, b->args[0], type);
        break;
    case RLXC_FORM_COPY:
        flow_atom(&w, b->args[0], type);
        break;
    case RLXC_FORM_TUPLE:
        for (uint32_t i = 0; i < b->n_args; i++)
            flow_atom(&w, b->args[i],
                      type->kind == RLXC_SINFO_TUPLE && i < type->n_fields ? type->fields[i]
                                                                           : type);
        break;
    case RLXC_FORM_TUPLE_GET: {
        const rlxc_sinfo *tuple = rlxc_atom_sinfo(c->ctx, module, b->args[0]);
        if (b->args[0].kind == RLXC_ATOM_TUPLE && b->index < b->args[0].n)
            flow_atom(&w, b->args[0].items[b->index], type);
        else if (tuple && tuple->kind == RLXC_SINFO_TUPLE && b->index < tuple->n_fields)
            flow(&w, tuple->fields[b->index], type);
        break;
    }
    case RLXC_FORM_IF:
        atom_must_be_on_host(&w, b->args[0], "a condition");
        flow_atom(&w, b->then->result, type);
        flow_atom(&w, b->otherwise->result, type);
        break;
    case RLXC_FORM_FUNCTION:
        flow(&w, rlxc_function_sinfo(c->ctx, b->function), type);
        break;
    case RLXC_FORM_CALL:
        check_call(&w, b);
        break;
    }
}

void rlxc_check_function_devices(rlxc_checker *c, const rlxc_module *module, const rlxc_function *f)
{
    walk w = {.c = c, .module = module, .range = f->range};
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->sinfo)
            check_type(&w, f->params[i]->sinfo, f->params[i]->name);
    if (!f->ret)
        return;
    check_type(&w, f->ret, f->name);
    w.range = f->body.result_range;
    flow_atom(&w, f->body.result, f->ret);
}
