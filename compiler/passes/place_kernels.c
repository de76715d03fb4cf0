/* Pass place_kernels: moves calls that a device cannot run to the CPU, with copies.
 *
 * Types say where tensors are, and legalization has made PrimFuncs for the devices of their
 * results. Here every call of a PrimFunc gets one for the device of its tensors; where the device
 * refuses it (rlxc_options.device_refuses), and for builtins and packed functions, which are the
 * host's, the call is made on the CPU: tensors that it reads are copied there before, and its
 * results back after. For all other users the result stays on the device. A value is not copied
 * back to where it came from: chains of such calls copy once in each direction. Values of type
 * Object hold tensors of the host: a builtin that makes one is the CPU's as well. `rlxc --explain`
 * names the calls with the reasons.
 *
 * For a program in C the pass only puts kernels in place of builtins. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/device_forms.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/place_scopes.h"
#include "compiler/schedule/explain.h"

typedef struct version { /* of a PrimFunc for a device */
    const char *name;    /* of the global; NULL: the device refuses it */
    const char *why;
} version;

typedef struct copied { /* a tensor of which there is a copy */
    rlxc_atom from;
    const rlxc_binding_block *block; /* in which both are visible */
} copied;

typedef struct placing {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_options *options;
    const char *host;              /* the host's vdevice, by name */
    rlxc_map scoped;               /* see rlxc_prim_with_scopes */
    rlxc_map versions;             /* interned "function on device" -> version */
    rlxc_map for_cpu;              /* interned name -> name of the version for the CPU */
    rlxc_map copies;               /* interned "variable on device" -> atom, in |block| */
    rlxc_map origins;              /* variable made by to_vdevice -> copied, in |function| */
    const rlxc_function *function; /* outermost: numbers of variables are its own */
    const rlxc_binding_block *block;
    bool changed;
} placing;

/* --- copies ----------------------------------------------------------------------------------- */

static uint64_t copy_key(placing *p, const rlxc_rvar *var, const char *device)
{
    return rlxc_key(rlxc_internf(p->ctx, "%u on %s", var->id, device));
}

/* Remembers that |copy| is |from| on |device|. */
static void note_copy(placing *p, rlxc_atom from, rlxc_atom copy, const char *device)
{
    if (from.kind != RLXC_ATOM_VAR || copy.kind != RLXC_ATOM_VAR)
        return;
    const copied origin = {from, p->block};
    rlxc_map_set(p->ctx, &p->copies, copy_key(p, from.var, device),
                 rlxc_copy(p->ctx, &copy, sizeof copy));
    rlxc_map_set(p->ctx, &p->origins, (uint64_t)copy.var->id + 1,
                 rlxc_copy(p->ctx, &origin, sizeof origin));
}

static bool same_device(const placing *p, const char *a, const char *b)
{
    return rlxc_vdevice_index(p->module, a) == rlxc_vdevice_index(p->module, b);
}

/* A tensor that is |var| on |device| already; false if there is none. */
static bool known_copy(placing *p, rlxc_rvar *var, const char *device, rlxc_atom *out)
{
    const rlxc_atom *made = rlxc_map_get(&p->copies, copy_key(p, var, device));
    const copied *origin = rlxc_map_get(&p->origins, (uint64_t)var->id + 1);
    if (made) {
        *out = *made;
        return true;
    }
    if (!origin || !origin->from.var->sinfo ||
        !same_device(p, origin->from.var->sinfo->vdevice, device) ||
        (origin->from.var->is_dataflow && origin->block != p->block))
        return false;
    *out = origin->from;
    return true;
}

static rlxc_atom move(placing *p, rlxc_builder *b, rlxc_atom atom, const rlxc_sinfo *to);

/* A tuple variable with its fields where |to| says. */
static rlxc_atom move_fields(placing *p, rlxc_builder *b, rlxc_atom tuple, const rlxc_sinfo *to)
{
    rlxc_atom *items = rlxc_alloc(p->ctx, ((size_t)to->n_fields + 1) * sizeof *items);
    for (uint32_t i = 0; i < to->n_fields; i++) {
        rlxc_rvar *var =
            rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), "item", tuple.var->sinfo->fields[i]);
        rlxc_binding *get = rlxc_binding_new(p->ctx, RLXC_FORM_TUPLE_GET, var);
        get->args = rlxc_copy(p->ctx, &tuple, sizeof tuple);
        get->n_args = 1;
        get->index = i;
        items[i] = move(p, b, rlxc_emit(b, get), to->fields[i]);
    }
    rlxc_binding *made =
        rlxc_binding_new(p->ctx, RLXC_FORM_TUPLE,
                         rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), tuple.var->name, to));
    made->args = items;
    made->n_args = to->n_fields;
    return rlxc_emit(b, made);
}

/* The value of |atom| with its tensors where |to| says, which has its form. */
static rlxc_atom move(placing *p, rlxc_builder *b, rlxc_atom atom, const rlxc_sinfo *to)
{
    rlxc_atom out;
    if (atom.kind == RLXC_ATOM_TUPLE && to && to->kind == RLXC_SINFO_TUPLE &&
        to->n_fields == atom.n) {
        rlxc_atom *items = rlxc_alloc(p->ctx, ((size_t)atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            items[i] = move(p, b, atom.items[i], to->fields[i]);
        return rlxc_atom_tuple(p->ctx, items, atom.n);
    }
    const rlxc_sinfo *is = atom.kind == RLXC_ATOM_VAR ? atom.var->sinfo : NULL;
    if (!is || !to || is == to || is->kind != to->kind)
        return atom; /* a constant is loaded where it is read */
    if (is->kind == RLXC_SINFO_TUPLE && is->n_fields == to->n_fields)
        return move_fields(p, b, atom, to);
    if (is->kind != RLXC_SINFO_TENSOR || same_device(p, is->vdevice, to->vdevice) ||
        known_copy(p, atom.var, to->vdevice, &out))
        return is->kind == RLXC_SINFO_TENSOR && !same_device(p, is->vdevice, to->vdevice) ? out
                                                                                          : atom;
    out = rlxc_emit_to_vdevice(b, atom, to->vdevice, atom.var->name);
    note_copy(p, atom, out, to->vdevice);
    return out;
}

static rlxc_atom move_all(placing *p, rlxc_builder *b, rlxc_atom atom, const char *device)
{
    const rlxc_sinfo *is = rlxc_atom_sinfo(p->ctx, p->module, atom);
    return move(p, b, atom, rlxc_sinfo_on(p->ctx, is, device, false));
}

/* --- on the CPU ------------------------------------------------------------------------------- */

static void explain(placing *p, const rlxc_binding *call, const char *device, const char *why)
{
    if (p->options->explain)
        rlxc_explain_place(p->options->explain, call->range, call->var->name, device, why);
}

/* |call| on copies of its operands on the CPU; returns its result where its type says. */
static rlxc_rewrite_action on_cpu(placing *p, rlxc_builder *b, rlxc_binding *call,
                                  rlxc_atom *replacement)
{
    const rlxc_sinfo *to = call->var->sinfo;
    rlxc_binding *own = rlxc_copy(p->ctx, call, sizeof *call);
    rlxc_atom *args = rlxc_alloc(p->ctx, ((size_t)call->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = move_all(p, b, call->args[i], p->host);
    own->args = args;
    const rlxc_sinfo **types = rlxc_alloc(p->ctx, ((size_t)call->n_sinfo_args + 1) * sizeof *types);
    for (uint32_t i = 0; i < call->n_sinfo_args; i++)
        types[i] = rlxc_sinfo_on(p->ctx, call->sinfo_args[i], p->host, false);
    own->sinfo_args = types;
    p->changed = true;
    if (!rlxc_sinfo_device(p->module, to)) {
        *call = *own;
        return RLXC_REWRITE_KEEP;
    }
    own->var = rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), call->var->name,
                             rlxc_sinfo_on(p->ctx, to, p->host, false));
    *replacement = move(p, b, rlxc_emit(b, own), to);
    return RLXC_REWRITE_REPLACE;
}

/* A check of |call|'s first operand, which it returns: it checks a copy, and users keep the tensor
   itself. */
static rlxc_rewrite_action check_on_cpu(placing *p, rlxc_builder *b, rlxc_binding *call,
                                        rlxc_atom *replacement)
{
    const rlxc_sinfo *nothing = rlxc_sinfo_tuple(p->ctx, NULL, 0);
    *replacement = call->args[0];
    call->var = rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), "_", nothing);
    call->sinfo_args = rlxc_copy(p->ctx, &nothing, sizeof(const rlxc_sinfo *));
    call->n_sinfo_args = 1;
    call->attrs = (rlxc_attrs){0}; /* it is not pure without its result */
    rlxc_atom unused;
    on_cpu(p, b, call, &unused);
    rlxc_emit(b, call);
    return RLXC_REWRITE_REPLACE;
}

/* --- PrimFuncs -------------------------------------------------------------------------------- */

/* The PrimFunc |g| as one of |device|. */
static const version *version_on(placing *p, const rlxc_global *g, const char *device)
{
    const rlxc_vdevice *d = rlxc_find_vdevice(p->module, device);
    size_t length;
    const char *kind = rlxc_target_kind(&d->target, &length);
    const uint64_t key = rlxc_key(rlxc_internf(p->ctx, "%s on %s", g->name, device));
    version *v = rlxc_map_get(&p->versions, key);
    if (v)
        return v;
    v = rlxc_alloc(p->ctx, sizeof *v);
    *v = (version){.name = g->name};
    rlxc_map_set(p->ctx, &p->versions, key, v);
    if (rlxc_is_cpu_kind(kind, length)) /* another memory of the host: any kernel reads it */
        return v;
    rlxc_prim_func *f = g->prim;
    if (!rlxc_prim_is_device(f)) {
        f = rlxc_prim_func_clone(p->ctx, f);
        f->is_private = true;
        f->attrs = rlxc_attrs_with(p->ctx, f->attrs, rlxc_intern_cstr(p->ctx, "target"), d->target);
    }
    const rlxc_target *target = rlxc_prim_target(p->ctx, f, p->options->target);
    if (rlxc_target_is_device(target))
        v->why = p->options->device_refuses
                     ? p->options->device_refuses(p->ctx, f, target, p->options)
                     : "no code is made for devices here";
    else
        v->why = rlxc_internf(p->ctx, "the target kind \"%.*s\" is unknown", (int)length, kind);
    if (v->why)
        v->name = NULL;
    else if (f != g->prim)
        v->name = rlxc_module_add_prim(p->ctx, p->module, f, true)->name;
    return v;
}

/* True for a kernel of a device: made for one, or with tensors in memory that only devices have. */
static bool is_of_device(const rlxc_prim_func *f)
{
    bool any = rlxc_prim_is_device(f);
    for (uint32_t i = 0; i < f->n_params && !any; i++)
        any = f->params[i].buffer && !rlxc_is_plain_scope(f->params[i].buffer->scope);
    return any;
}

/* |g| for the CPU: without its target and the kinds of memory, which no CPU has. */
static const char *version_for_cpu(placing *p, const rlxc_global *g)
{
    if (!is_of_device(g->prim))
        return g->name;
    const char *known = rlxc_map_get(&p->for_cpu, rlxc_key(g->name));
    if (known)
        return known;
    rlxc_prim_func *f = rlxc_prim_func_clone(p->ctx, g->prim);
    f->is_private = true;
    f->attrs = (rlxc_attrs){0};
    const rlxc_attrs *all = &g->prim->attrs;
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->keys[i], "target") != 0)
            f->attrs = rlxc_attrs_with(p->ctx, f->attrs, all->keys[i], all->values[i]);
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            f->params[i].buffer->scope = rlxc_intern_cstr(p->ctx, "global");
    const char *name = rlxc_module_add_prim(p->ctx, p->module, f, true)->name;
    rlxc_map_set(p->ctx, &p->for_cpu, rlxc_key(g->name), (void *)(uintptr_t)name);
    return name;
}

static rlxc_rewrite_action place_prim(placing *p, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *callee, rlxc_global *g, const char *device,
                                      rlxc_atom *replacement)
{
    const version *v = version_on(p, g, device);
    if (rlxc_failed(p->ctx))
        return RLXC_REWRITE_KEEP;
    if (!v->name)
        explain(p, call, device, v->why);
    *callee = rlxc_atom_global(
        p->ctx, v->name ? rlxc_prim_with_scopes(p->ctx, p->module, &p->scoped, call, v->name)
                        : version_for_cpu(p, g));
    if (v->name)
        return RLXC_REWRITE_KEEP;
    /* it writes into its arguments, or is made of threads, which the CPU does not have */
    if (!call->op || rlxc_has_threads(g->prim->body)) {
        rlxc_error(p->ctx, call->range, "PrimFunc '%s' cannot run on '%s': %s", g->name, device,
                   v->why);
        return RLXC_REWRITE_KEEP;
    }
    return on_cpu(p, b, call, replacement);
}

/* --- kernels in place of builtins ------------------------------------------------------------- */

static rlxc_global *prim_named(const placing *p, rlxc_atom callee)
{
    rlxc_global *g =
        callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(p->module, callee.text) : NULL;
    return g && g->prim ? g : NULL;
}

/* The PrimFunc that |call| names; or NULL. */
static rlxc_global *prim_called(const placing *p, const rlxc_binding *call)
{
    return prim_named(p, call->op && call->n_args > 0 ? call->args[0] : call->callee);
}

/* True if all tensors of |call| are on |device|, or constants. */
static bool is_wholly_on(placing *p, const rlxc_binding *call, const char *device)
{
    bool all = true;
    for (uint32_t i = 0; i < call->n_args && all; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(p->ctx, p->module, call->args[i]);
        all = !s || s->kind != RLXC_SINFO_TENSOR || call->args[i].kind == RLXC_ATOM_CONSTANT ||
              same_device(p, s->vdevice, device);
    }
    return all;
}

/* Makes the device do what |call|'s builtin does; false where it cannot. The result goes where its
 * type says. */
static bool place_form(placing *p, rlxc_builder *b, const rlxc_binding *call, const char *device,
                       rlxc_atom *replacement)
{
    rlxc_binding_block *const block = b->block;
    const rlxc_sinfo *const to = call->var->sinfo;
    const rlxc_builder before = *b;
    rlxc_binding own = *call;
    if (!is_wholly_on(p, call, device))
        return false;
    b->block = rlxc_block_new(p->ctx, block->is_dataflow);
    rlxc_builder_place(b, device);
    own.var = rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), call->var->name,
                            rlxc_sinfo_on(p->ctx, to, device, false));
    bool good = b->target && rlxc_emit_device_form(b, &own, replacement);
    const rlxc_binding_block *made = b->block;
    for (uint32_t i = 0; i < made->n && good && !rlxc_failed(p->ctx); i++) {
        const rlxc_global *g = prim_called(p, made->bindings[i]);
        good = !g || version_on(p, g, device)->name;
    }
    *b = before;
    for (uint32_t i = 0; i < made->n && good; i++)
        rlxc_block_push(p->ctx, block, made->bindings[i]);
    if (good)
        *replacement = move(p, b, *replacement, to);
    return good;
}

/* --- the walk --------------------------------------------------------------------------------- */

/* The first device among the operands and the result. */
static const char *device_of(const placing *p, const rlxc_binding *call)
{
    const char *found = rlxc_sinfo_device(p->module, call->var->sinfo);
    for (uint32_t i = 0; i < call->n_args && !found; i++)
        found = rlxc_sinfo_device(p->module, rlxc_atom_sinfo(p->ctx, p->module, call->args[i]));
    return found;
}

/* Operators that read no bytes, or say themselves where their operands are. */
static bool is_anywhere(const rlxc_operator *op)
{
    static const char *const names[] = {"reshape",
                                        "shape_of",
                                        "to_vdevice",
                                        "wrap_param",
                                        "hint_on_device",
                                        "null_value",
                                        "check_sizes",
                                        "make_closure",
                                        "invoke_closure",
                                        "invoke_pure_closure",
                                        "memory.ensure_zero_offset",
                                        "builtin.stop_lift_params"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], op->name) == 0)
            return true;
    return (op->flags & (RLXC_OP_MEMORY | RLXC_OP_KILLS | RLXC_OP_STORAGE)) != 0;
}

static bool is_absent(const rlxc_binding *call, uint32_t i)
{
    return i >= call->n_args || call->args[i].kind == RLXC_ATOM_NONE ||
           (call->args[i].kind == RLXC_ATOM_TUPLE && call->args[i].n == 0);
}

/* True for R.memory.view of the same type in a known shape, an instruction that reads no bytes; any
 * other makes a copy. */
static bool views_in_place(const placing *p, const rlxc_binding *call)
{
    if (!rlxc_is_op(call, "memory.view"))
        return false;
    const rlxc_sinfo *from = rlxc_atom_sinfo(p->ctx, p->module, call->args[0]);
    const rlxc_sinfo *to = call->var->sinfo;
    return from && to && from->kind == RLXC_SINFO_TENSOR && to->kind == RLXC_SINFO_TENSOR &&
           rlxc_dtype_eq(from->dtype, to->dtype) && !is_absent(call, 1) &&
           (to->ndim >= 0 || is_absent(call, 3));
}

/* True if a copy of a tensor made before |call| may be out of date after it. */
static bool writes_operands(const placing *p, const rlxc_binding *call)
{
    return rlxc_call_destroys(call) ||
           (!call->op && (prim_named(p, call->callee) || (call->callee.kind == RLXC_ATOM_EXTERN &&
                                                          !rlxc_find_builtin(call->callee.text))));
}

static rlxc_rewrite_action place_call(placing *p, rlxc_builder *b, rlxc_binding *call,
                                      const char *device, rlxc_atom *replacement)
{
    const bool by_op = call->op && call->n_args > 0;
    rlxc_global *g = prim_called(p, call);
    if (g && by_op) {
        call->args = rlxc_copy(p->ctx, call->args, call->n_args * sizeof *call->args);
        return place_prim(p, b, call, (rlxc_atom *)(uintptr_t)&call->args[0], g, device,
                          replacement);
    }
    if (g)
        return place_prim(p, b, call, &call->callee, g, device, replacement);
    if (call->op ? is_anywhere(call->op) || views_in_place(p, call)
                 : call->callee.kind != RLXC_ATOM_EXTERN)
        return RLXC_REWRITE_KEEP;
    const rlx_builtin *builtin = call->op ? NULL : rlxc_find_builtin(call->callee.text);
    const bool reaches = builtin && builtin->flags & RLX_BUILTIN_ANY_DEVICE;
    if (reaches && call->var->sinfo && call->var->sinfo->kind != RLXC_SINFO_OBJECT)
        return RLXC_REWRITE_KEEP;
    if (builtin && place_form(p, b, call, device, replacement))
        return RLXC_REWRITE_REPLACE;
    const char *name = call->op ? call->op->name : call->callee.text;
    explain(p, call, device,
            rlxc_internf(p->ctx, "%s '%s' %s",
                         call->op  ? "operator"
                         : builtin ? "builtin"
                                   : "the packed function",
                         name,
                         reaches ? "makes a value of the host" : "works on the host's memory"));
    if (builtin && strncmp(builtin->name, "rlx.check_", strlen("rlx.check_")) == 0 &&
        call->var->sinfo && call->var->sinfo->kind == RLXC_SINFO_TENSOR)
        return check_on_cpu(p, b, call, replacement);
    return on_cpu(p, b, call, replacement);
}

static rlxc_rewrite_action place_binding(void *user, rlxc_builder *b, rlxc_binding *call,
                                         rlxc_atom *replacement)
{
    placing *p = user;
    if (call->form != RLXC_FORM_CALL)
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    if (writes_operands(p, call))
        p->copies = p->origins = (rlxc_map){0};
    if (rlxc_is_op(call, "to_vdevice") && call->args[0].kind == RLXC_ATOM_VAR && call->var->sinfo) {
        rlxc_rvar *from = call->args[0].var;
        const char *to = rlxc_attr_get_str(call, "dst_vdevice", p->host);
        if (known_copy(p, from, to, replacement))
            return RLXC_REWRITE_REPLACE;
        note_copy(p, call->args[0], rlxc_atom_var(call->var), to);
        return RLXC_REWRITE_KEEP;
    }
    const char *device = device_of(p, call);
    return device ? place_call(p, b, call, device, replacement) : RLXC_REWRITE_KEEP;
}

/* Copies are looked up in the block that made them: another block may not see them. */
static void begin_block(void *user, rlxc_builder *b)
{
    placing *p = user;
    const rlxc_function *outermost = b->function ? rlxc_outermost(b->function) : NULL;
    if (outermost && outermost != p->function)
        p->origins = (rlxc_map){0};
    p->function = outermost ? outermost : p->function;
    p->copies = (rlxc_map){0};
    p->block = b->block;
}

static void end_block(void *user, rlxc_builder *b)
{
    (void)b;
    begin_block(user, &(rlxc_builder){.block = NULL});
}

/* A program in C has no builtins: those that have kernels become kernels of the CPU. */
static rlxc_rewrite_action use_form(void *user, rlxc_builder *b, rlxc_binding *call,
                                    rlxc_atom *replacement)
{
    (void)user;
    b->range = call->range;
    if (call->form != RLXC_FORM_CALL || call->callee.kind != RLXC_ATOM_EXTERN)
        return RLXC_REWRITE_KEEP;
    const bool is_nonzero = strcmp(call->callee.text, "rlx.nonzero") == 0;
    return (is_nonzero ? rlxc_emit_nonzero(b, call, replacement)
                       : rlxc_emit_device_form(b, call, replacement))
               ? RLXC_REWRITE_REPLACE
               : RLXC_REWRITE_KEEP;
}

bool rlxc_pass_place_kernels(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    placing p = {.ctx = ctx, .module = module, .options = options};
    bool any = false;
    if (options->target == rlxc_target_c()) {
        const rlxc_rewrite_pass forms = {NULL, use_form, NULL, NULL};
        rlxc_rewrite_module(ctx, module, &forms);
        return !rlxc_failed(ctx);
    }
    for (uint32_t i = 0; i < module->vdevices.count; i++)
        any |= rlxc_vdevice_at(module, i) != NULL;
    if (!any)
        return true;
    p.host = rlxc_host_vdevice(ctx, module);
    const rlxc_rewrite_pass pass = {&p, place_binding, begin_block, end_block};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx) && (!p.changed || rlxc_pass_dce(ctx, module, options));
}
