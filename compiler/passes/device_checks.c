/* Device planning: errors in what a module states about devices.
 *
 * The operands of an operator must lie on the same device; if their types say otherwise, an error
 * shows both source locations. Devices must be of a known kind, numbers of devices in the module's
 * table. Targets of PrimFuncs must be known, and those of the CPU be of the architecture that the
 * module is compiled for. */
#include <string.h>

#include "compiler/ops/op_infer.h"
#include "compiler/passes/device_plan.h"

enum { MOST_DEVICES = 10000 }; /* of a kind */

typedef struct checker {
    rlxc_context *ctx;
    const rlxc_module *module;
    const rlxc_target *target;
    rlxc_map reported; /* allocations by variable: their tensors have the same device */
} checker;

/* --- devices that are not there --------------------------------------------------------------- */

static void check_device(checker *c, const rlxc_vdevice *device, const char *name, rlxc_range range)
{
    const bool known = rlxc_is_known_vdevice(device);
    const bool numbered = device->index >= 0 && device->index < MOST_DEVICES;
    if ((known && numbered) || rlxc_map_get(&c->reported, rlxc_key(name)) != NULL)
        return;
    rlxc_map_set(c->ctx, &c->reported, rlxc_key(name), c);
    if (known)
        rlxc_error(c->ctx, range, "device '%s' has number %lld; the largest is %d", name,
                   (long long)device->index, MOST_DEVICES - 1);
    else
        rlxc_error(c->ctx, range, "rlx has no code generator for device '%s'", name);
    rlxc_note(c->ctx, device->range, "'%s' is declared here", name);
}

static void check_sinfo(checker *c, const rlxc_sinfo *s, rlxc_range range, int depth)
{
    if (s == NULL || depth > RLXC_MAX_DEPTH)
        return;
    const rlxc_vdevice *device = s->vdevice ? rlxc_find_vdevice(c->module, s->vdevice) : NULL;
    if (device != NULL)
        check_device(c, device, s->vdevice, range);
    for (uint32_t i = 0; i < s->n_fields; i++)
        check_sinfo(c, s->fields[i], range, depth + 1);
    check_sinfo(c, s->ret, range, depth + 1);
}

/* R.to_vdevice, R.hint_on_device */
static void check_attributes(checker *c, const rlxc_binding *b)
{
    const char *name = rlxc_attr_get_str(b, "dst_vdevice", NULL);
    const rlxc_vdevice *device = name != NULL ? rlxc_find_vdevice(c->module, name) : NULL;
    if (device != NULL)
        check_device(c, device, name, b->range);
}

bool rlxc_names_device(const rlxc_binding *b, uint32_t i, int64_t *out_index)
{
    static const char suffix[] = "device_index";
    enum { LENGTH = sizeof suffix - 1 };
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    return i < rlxc_operator_inputs(b->op, inputs, &variadic) && inputs[i].name_length >= LENGTH &&
           memcmp(inputs[i].name + inputs[i].name_length - LENGTH, suffix, LENGTH) == 0 &&
           b->args[i].kind == RLXC_ATOM_PRIM && rlxc_is_int(b->args[i].prim, out_index);
}

/* Explicit memory names a device by its index in the module's table; 0 and -1 are the CPU where
 * there is none. */
static void check_memory(checker *c, const rlxc_binding *b)
{
    for (uint32_t i = 0; i < b->n_args; i++) {
        int64_t index;
        if (!rlxc_names_device(b, i, &index))
            continue;
        if (index >= 0 && index < c->module->vdevices.count) {
            const rlxc_vdevice *device = &c->module->vdevices.items[index];
            check_device(c, device, rlxc_vdevice_name(c->ctx, c->module, device), b->range);
        } else if (index != 0 && index != -1) {
            rlxc_error(c->ctx, b->range, "R.%s: there is no device number %lld in the module",
                       b->op->name, (long long)index);
        }
    }
}

/* Reports a buffer of |callee| in a memory scope that only devices without code have. */
static void check_scopes(checker *c, const rlxc_binding *b, rlxc_atom callee)
{
    const rlxc_global *g =
        callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(c->module, callee.text) : NULL;
    const rlxc_prim_func *f = g != NULL ? g->prim : NULL;
    for (uint32_t i = 0; f != NULL && i < f->n_params; i++) {
        const char *scope = f->params[i].buffer != NULL ? f->params[i].buffer->scope : NULL;
        const rlxc_vdevice *unknown = NULL;
        bool known = rlxc_is_plain_scope(scope);
        for (uint32_t k = 0; k < c->module->vdevices.count && !known; k++) {
            const rlxc_vdevice *d = &c->module->vdevices.items[k];
            if (d->scope == NULL || strcmp(d->scope, scope) != 0)
                continue;
            known = rlxc_is_known_vdevice(d);
            unknown = unknown == NULL ? d : unknown;
        }
        if (!known && unknown != NULL)
            check_device(c, unknown, rlxc_vdevice_name(c->ctx, c->module, unknown), b->range);
    }
}

/* --- operands on different devices ------------------------------------------------------------ */

typedef struct operand {
    const char *device;
    const rlxc_rvar *var; /* or NULL */
} operand;

/* The first operand with a device into |first|; one with another device into |other|. */
static void meet(checker *c, rlxc_atom atom, const rlxc_sinfo *s, operand *first, operand *other,
                 int depth)
{
    const rlxc_rvar *var = atom.kind == RLXC_ATOM_VAR ? atom.var : NULL;
    if (atom.kind == RLXC_ATOM_TUPLE)
        for (uint32_t i = 0; i < atom.n && depth < RLXC_MAX_DEPTH; i++)
            meet(c, atom.items[i], NULL, first, other, depth + 1);
    if (s == NULL && var != NULL)
        s = var->sinfo;
    if (s == NULL || depth > RLXC_MAX_DEPTH)
        return;
    if (s->kind == RLXC_SINFO_TUPLE)
        for (uint32_t i = 0; i < s->n_fields; i++)
            meet(c, atom, s->fields[i], first, other, depth + 1);
    if (s->kind != RLXC_SINFO_TENSOR || s->vdevice == NULL)
        return;
    if (first->device == NULL)
        *first = (operand){s->vdevice, var};
    else if (first->device != s->vdevice && other->device == NULL)
        *other = (operand){s->vdevice, var};
}

static void report_mix(checker *c, rlxc_range range, const char *what, const operand *a,
                       const operand *b)
{
    const operand *both[] = {a, b};
    rlxc_error(c->ctx, range, "%s on different devices, '%s' and '%s'", what, a->device, b->device);
    for (int i = 0; i < 2; i++)
        if (both[i]->var != NULL)
            rlxc_note(c->ctx, both[i]->var->range, "'%s' is on '%s'", both[i]->var->name,
                      both[i]->device);
}

/* Operands that run on the operator's device: not those that the host reads, nor those of calls
 * whose callee decides. */
static bool meets(const rlxc_binding *b, uint32_t i)
{
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    bool variadic;
    const uint32_t n = rlxc_operator_inputs(b->op, inputs, &variadic);
    if (strncmp(b->op->name, "call_tir", 8) == 0)
        return i == 1;
    if ((b->op->flags & (RLXC_OP_ANYWHERE | RLXC_OP_CALLS | RLXC_OP_MEMORY)) != 0 || n == 0)
        return false;
    const rlxc_op_input *input = &inputs[i < n ? i : n - 1];
    return !input->is_host && input->kind == 't';
}

static void check_operands(checker *c, const rlxc_binding *b)
{
    const bool tir = strncmp(b->op->name, "call_tir", 8) == 0;
    operand first = {0}, other = {0};
    for (uint32_t i = 0; i < b->n_args; i++)
        if (meets(b, i))
            meet(c, b->args[i], NULL, &first, &other, 0);
    for (uint32_t i = 0; tir && other.device == NULL && i < b->n_sinfo_args; i++)
        meet(c, rlxc_atom_var(b->var), b->sinfo_args[i], &first, &other, 0);
    if (other.device == NULL)
        return;
    const rlxc_vdevice *x = rlxc_find_vdevice(c->module, first.device);
    const rlxc_vdevice *y = rlxc_find_vdevice(c->module, other.device);
    if (tir && x != NULL && y != NULL && rlxc_same_place(x, y))
        return; /* a PrimFunc may take buffers in different memory of one device */
    report_mix(c, b->range, rlxc_internf(c->ctx, "the operands of R.%s are", b->op->name), &first,
               &other);
}

/* --- the walk --------------------------------------------------------------------------------- */

static void check_function(checker *c, const rlxc_function *f);

static void check_body(checker *c, const rlxc_body *body);

static void check_binding(checker *c, const rlxc_binding *b)
{
    check_sinfo(c, b->var->sinfo, b->range, 0);
    for (uint32_t i = 0; i < b->n_sinfo_args; i++)
        check_sinfo(c, b->sinfo_args[i], b->range, 0);
    switch (b->form) {
    case RLXC_FORM_CALL:
        if (b->op == NULL) {
            check_scopes(c, b, b->callee);
            return;
        }
        check_attributes(c, b);
        check_operands(c, b);
        if (b->n_args > 0)
            check_scopes(c, b, b->args[0]);
        if ((b->op->flags & RLXC_OP_MEMORY) != 0)
            check_memory(c, b);
        return;
    case RLXC_FORM_IF:
        check_body(c, b->then);
        check_body(c, b->otherwise);
        return;
    case RLXC_FORM_FUNCTION:
        check_function(c, b->function);
        return;
    case RLXC_FORM_COPY:
    case RLXC_FORM_TUPLE:
    case RLXC_FORM_TUPLE_GET:
    case RLXC_FORM_MATCH_CAST:
        return;
    }
}

static void check_body(checker *c, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++)
            check_binding(c, body->blocks[i]->bindings[k]);
}

static void check_function(checker *c, const rlxc_function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        check_sinfo(c, f->params[i]->sinfo, f->params[i]->range, 0);
    check_body(c, &f->body);
    check_sinfo(c, f->ret, f->range, 0);
}

/* An unknown CPU name is not an error: any CPU of the architecture can run the function. */
static void check_target(checker *c, const rlxc_prim_func *f)
{
    const rlxc_attr *target = rlxc_attrs_find(&f->attrs, "target");
    size_t length;
    const char *kind = target != NULL ? rlxc_target_kind(target, &length) : NULL;
    rlxc_target_spec spec;
    if (kind == NULL || length == 0)
        return;
    if (rlxc_target_is_device_kind(kind, length))
        return;
    if (!rlxc_is_cpu_kind(kind, length)) {
        rlxc_error(c->ctx, f->range, "function '%s' is for the unknown target '%.*s'", f->name,
                   (int)length, kind);
        return;
    }
    if (!rlxc_target_spec_of(c->ctx, f->range, target, &spec))
        return;
    if (spec.triple != NULL && !rlxc_target_same_arch(c->target, spec.triple)) {
        rlxc_error(c->ctx, f->range, "function '%s' is for %s, and the module is compiled for %s",
                   f->name, spec.triple, c->target->triple);
        return;
    }
    const rlxc_target *own = rlxc_prim_target(c->ctx, f, c->target);
    if (spec.mcpu != NULL && own == c->target)
        rlxc_warning(c->ctx, f->range,
                     "function '%s' is for the CPU \"%s\", which is not known among those of %s: "
                     "it is compiled for %s",
                     f->name, spec.mcpu, c->target->triple, c->target->cpu);
}

bool rlxc_check_devices(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options)
{
    checker c = {.ctx = ctx, .module = module, .target = options->target};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_global *global = module->globals.items[i];
        if (global->relax != NULL)
            check_function(&c, global->relax);
        else
            check_target(&c, global->prim);
    }
    return !rlxc_failed(ctx);
}
