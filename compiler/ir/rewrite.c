/* Rewriting functions: one walk over the old bindings that builds the new body.
 *
 * The replacement of each old variable is an atom in an array indexed by variable id, so a rewrite
 * is linear in the function. Replacements are atoms of the new body and are never mapped again. A
 * kept binding keeps its variable; when its operands changed, its type is inferred again and the
 * more precise of the two types stays, because rewriting preserves values. Recursion is over If and
 * local functions only. If the context fails, the function keeps its old body. */
#include "compiler/ir/rewrite.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/ir/op.h"

typedef struct rewriting {
    rlxc_context *ctx;
    const rlxc_rewrite_pass *pass;
    rlxc_builder b;
    rlxc_atom *replaced; /* by variable id; kind NONE: the variable stays */
    uint32_t n;
} rewriting;

/* --- mapping atoms ---------------------------------------------------------------------------- */

static rlxc_atom map_atom(const rewriting *w, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_VAR) {
        uint32_t id = atom.var->id;
        return id < w->n && w->replaced[id].kind != RLXC_ATOM_NONE ? w->replaced[id] : atom;
    }
    if (atom.kind != RLXC_ATOM_TUPLE)
        return atom;
    rlxc_atom *items = NULL;
    for (uint32_t i = 0; i < atom.n; i++) {
        rlxc_atom item = map_atom(w, atom.items[i]);
        if (!items) {
            if (rlxc_atom_equal(item, atom.items[i]))
                continue;
            items = rlxc_try_alloc(w->ctx, atom.n, sizeof *items);
            if (!items)
                return atom;
            memcpy(items, atom.items, atom.n * sizeof *items);
        }
        items[i] = item;
    }
    if (items)
        atom.items = items;
    return atom;
}

/* Maps the operands of |b|; true when any changed. */
static bool map_operands(const rewriting *w, rlxc_binding *b)
{
    rlxc_atom all = {.kind = RLXC_ATOM_TUPLE, .n = b->n_args, .items = b->args};
    rlxc_atom mapped = map_atom(w, all);
    rlxc_atom callee = map_atom(w, b->callee);
    bool changed = mapped.items != b->args || !rlxc_atom_equal(callee, b->callee);
    b->args = mapped.items;
    b->callee = callee;
    return changed;
}

/* --- emitting --------------------------------------------------------------------------------- */

void rlxc_builder_place(rlxc_builder *b, const char *vdevice)
{
    const rlxc_vdevice *device = vdevice ? rlxc_find_vdevice(b->module, vdevice) : NULL;
    size_t length;
    b->vdevice = vdevice;
    b->target = NULL;
    if (!device)
        return;
    const char *kind = rlxc_target_kind(&device->target, &length);
    if (!rlxc_is_cpu_kind(kind, length))
        b->target = rlxc_copy(b->ctx, &device->target, sizeof device->target);
}

/* Puts the tensors that |binding| makes on the builder's device. */
static void place(const rlxc_builder *b, rlxc_binding *binding)
{
    if (!b->vdevice)
        return;
    binding->var->sinfo = rlxc_sinfo_on(b->ctx, binding->var->sinfo, b->vdevice, true);
    if (binding->n_sinfo_args == 0)
        return;
    const rlxc_sinfo **types =
        rlxc_copy(b->ctx, binding->sinfo_args, binding->n_sinfo_args * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < binding->n_sinfo_args; i++)
        types[i] = rlxc_sinfo_on(b->ctx, types[i], b->vdevice, true);
    binding->sinfo_args = types;
}

rlxc_atom rlxc_emit(rlxc_builder *b, rlxc_binding *binding)
{
    if (binding->range.line == 0)
        binding->range = b->range;
    if (binding->var->range.line == 0)
        binding->var->range = binding->range;
    if (b->block->is_dataflow && binding->var->id >= b->first_new_var)
        binding->var->is_dataflow = true;
    if (!binding->var->sinfo)
        rlxc_infer_binding(b->ctx, b->module, binding);
    place(b, binding);
    rlxc_block_push(b->ctx, b->block, binding);
    return rlxc_atom_var(binding->var);
}

rlxc_atom rlxc_emit_to_vdevice(rlxc_builder *b, rlxc_atom value, const char *vdevice,
                               const char *var_name)
{
    const rlxc_attrs to =
        rlxc_attrs_with(b->ctx, (rlxc_attrs){0}, rlxc_intern_cstr(b->ctx, "dst_vdevice"),
                        rlxc_attr_string(b->ctx, vdevice));
    return rlxc_emit_op(b, "to_vdevice", &value, 1, to, var_name);
}

rlxc_atom rlxc_emit_match_cast(rlxc_builder *b, rlxc_rvar *var, rlxc_atom value, rlxc_range range)
{
    rlxc_binding *cast = rlxc_binding_new(b->ctx, RLXC_FORM_MATCH_CAST, var);
    cast->args = rlxc_copy(b->ctx, &value, sizeof value);
    cast->n_args = 1;
    cast->sinfo_args = rlxc_copy(b->ctx, &var->sinfo, sizeof var->sinfo);
    cast->n_sinfo_args = 1;
    cast->range = range;
    return rlxc_emit(b, cast);
}

/* The complete attributes of |op| in schema order: the given ones, and defaults for the others. */
static rlxc_attrs complete_attrs(rlxc_context *ctx, const rlxc_operator *op, rlxc_attrs given)
{
    rlxc_op_schema schema;
    rlxc_operator_schema(ctx, op, &schema);
    if (schema.n_attrs == 0)
        return given;
    const char **keys = rlxc_alloc(ctx, schema.n_attrs * sizeof(const char *));
    rlxc_attr *values = rlxc_alloc(ctx, schema.n_attrs * sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < schema.n_attrs; i++) {
        const rlxc_op_attr *a = &schema.attrs[i];
        const char *key = rlxc_intern(ctx, a->name, a->name_length);
        const rlxc_attr *value = rlxc_attrs_find(&given, key);
        if (!value && !a->has_default)
            continue;
        keys[n] = key;
        values[n++] = value ? *value : a->default_value;
    }
    rlxc_attrs complete = {keys, values, n};
    for (uint32_t i = 0; i < given.count; i++)
        if (!rlxc_attrs_find(&complete, given.keys[i]))
            complete = rlxc_attrs_with(ctx, complete, given.keys[i], given.values[i]);
    return complete;
}

static rlxc_binding *new_op_call(rlxc_builder *b, const char *op_name, const char *var_name)
{
    const rlxc_operator *op = rlxc_find_operator(op_name, strlen(op_name));
    if (!op) {
        rlxc_internal(b->ctx, b->range, "builder", "there is no operator '%s'", op_name);
        return NULL;
    }
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, b->function, var_name ? var_name : "lv", NULL);
    rlxc_binding *call = rlxc_binding_new(b->ctx, RLXC_FORM_CALL, var);
    call->op = op;
    return call;
}

rlxc_atom rlxc_emit_op(rlxc_builder *b, const char *op_name, const rlxc_atom *args, uint32_t n,
                       rlxc_attrs attrs, const char *var_name)
{
    rlxc_binding *call = new_op_call(b, op_name, var_name);
    if (!call)
        return (rlxc_atom){.kind = RLXC_ATOM_NONE};
    call->attrs = complete_attrs(b->ctx, call->op, attrs);
    rlxc_atom tuple = rlxc_atom_tuple(b->ctx, args, n);
    call->args = tuple.items;
    call->n_args = tuple.n;
    return rlxc_emit(b, call);
}

rlxc_atom rlxc_emit_call_tir(rlxc_builder *b, const char *prim_func, const rlxc_atom *args,
                             uint32_t n, const rlxc_sinfo *out, const rlxc_atom *tir_vars,
                             const char *var_name)
{
    rlxc_binding *call = new_op_call(b, "call_tir", var_name);
    if (!call)
        return (rlxc_atom){.kind = RLXC_ATOM_NONE};
    rlxc_atom operands[3] = {rlxc_atom_global(b->ctx, prim_func), rlxc_atom_tuple(b->ctx, args, n)};
    uint32_t count = 2;
    if (tir_vars)
        operands[count++] = *tir_vars;
    call->args = rlxc_copy(b->ctx, operands, count * sizeof *operands);
    call->n_args = count;
    call->sinfo_args = rlxc_copy(b->ctx, (const void *)&out, sizeof out);
    call->n_sinfo_args = 1;
    return rlxc_emit(b, call);
}

/* --- the walk --------------------------------------------------------------------------------- */

static bool rewrite_body(rewriting *w, const rlxc_body *old, rlxc_body *out);

static void rewrite_local_function(rewriting *w, rlxc_function *f)
{
    rlxc_function *outer = w->b.function;
    rlxc_body body;
    w->b.function = f;
    if (rewrite_body(w, &f->body, &body))
        f->body = body;
    w->b.function = outer;
}

static rlxc_body *rewrite_branch(rewriting *w, const rlxc_body *old)
{
    rlxc_body *body = rlxc_alloc(w->ctx, sizeof *body);
    rewrite_body(w, old, body);
    return body;
}

/* A variable that takes the place of a block's output becomes an output itself. */
static void become_output(void *user, rlxc_atom atom)
{
    (void)user;
    if (atom.kind == RLXC_ATOM_VAR)
        atom.var->is_dataflow = false;
}

static void infer_again(rewriting *w, rlxc_binding *binding, const rlxc_sinfo *before)
{
    const rlxc_sinfo *now = rlxc_infer_binding(w->ctx, w->b.module, binding);
    if (before && binding->form != RLXC_FORM_FUNCTION && now != before &&
        !rlxc_sinfo_subsumes(w->ctx, before, now))
        binding->var->sinfo = before;
}

static bool edited(const rlxc_binding *a, const rlxc_binding *b)
{
    return a->form != b->form || a->op != b->op || a->args != b->args || a->n_args != b->n_args ||
           a->index != b->index || a->attrs.values != b->attrs.values ||
           a->sinfo_args != b->sinfo_args || a->var != b->var ||
           !rlxc_atom_equal(a->callee, b->callee);
}

static void rewrite_binding(rewriting *w, const rlxc_binding *old)
{
    rlxc_binding *binding = rlxc_copy(w->ctx, old, sizeof *old);
    bool changed = map_operands(w, binding);
    if (binding->form == RLXC_FORM_IF) {
        binding->then = rewrite_branch(w, old->then);
        binding->otherwise = rewrite_branch(w, old->otherwise);
        changed = true;
    } else if (binding->form == RLXC_FORM_FUNCTION) {
        rewrite_local_function(w, binding->function);
        changed = true;
    }
    if (rlxc_failed(w->ctx))
        return;
    w->b.range = old->range;
    const bool is_placed = w->b.module->is_placed && old->var->sinfo;
    const char *device = is_placed ? rlxc_stated_device(old->var->sinfo) : NULL;
    rlxc_builder_place(&w->b, device ? device : rlxc_placed_host(w->ctx, w->b.module));
    const rlxc_binding offered = *binding;
    const rlxc_sinfo *before = binding->var->sinfo;
    rlxc_atom replacement = {.kind = RLXC_ATOM_NONE};
    switch (w->pass->binding(w->pass->user, &w->b, binding, &replacement)) {
    case RLXC_REWRITE_KEEP:
        if (rlxc_failed(w->ctx))
            return;
        if (!binding->var->sinfo || ((changed || edited(&offered, binding)) &&
                                     binding->var == offered.var && before == binding->var->sinfo))
            infer_again(w, binding, before);
        rlxc_block_push(w->ctx, w->b.block, binding);
        break;
    case RLXC_REWRITE_DROP:
        break;
    case RLXC_REWRITE_REPLACE:
        if (offered.var->id < w->n)
            w->replaced[offered.var->id] = replacement;
        if (!offered.var->is_dataflow)
            rlxc_atom_visit(replacement, become_output, NULL);
        break;
    }
}

/* Builds the new form of |old| in |out|; false when the context failed. */
static bool rewrite_body(rewriting *w, const rlxc_body *old, rlxc_body *out)
{
    rlxc_binding_block *outer = w->b.block;
    rlxc_body body = {.result_range = old->result_range};
    for (uint32_t i = 0; i < old->n_blocks && !rlxc_failed(w->ctx); i++) {
        const rlxc_binding_block *block = old->blocks[i];
        w->b.block = rlxc_block_new(w->ctx, block->is_dataflow);
        if (w->pass->block_begin)
            w->pass->block_begin(w->pass->user, &w->b);
        for (uint32_t k = 0; k < block->n && !rlxc_failed(w->ctx); k++)
            rewrite_binding(w, block->bindings[k]);
        if (w->pass->block_end)
            w->pass->block_end(w->pass->user, &w->b);
        if (w->b.block->n > 0)
            rlxc_body_push(w->ctx, &body, w->b.block);
    }
    body.result = map_atom(w, old->result);
    w->b.block = outer;
    if (rlxc_failed(w->ctx))
        return false;
    *out = body;
    return true;
}

bool rlxc_may_stand_for(const rlxc_rvar *var, rlxc_atom atom)
{
    return atom.kind != RLXC_ATOM_VAR || !atom.var->is_dataflow || var->is_dataflow;
}

void rlxc_rewrite_function(rlxc_context *ctx, rlxc_module *module, rlxc_function *f,
                           const rlxc_rewrite_pass *pass)
{
    uint32_t n = rlxc_outermost(f)->n_vars;
    rewriting w = {.ctx = ctx, .pass = pass, .n = n};
    w.b = (rlxc_builder){.ctx = ctx, .module = module, .function = f, .first_new_var = n};
    w.replaced = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *w.replaced);
    if (w.replaced)
        rewrite_local_function(&w, f);
}

void rlxc_rewrite_module(rlxc_context *ctx, rlxc_module *module, const rlxc_rewrite_pass *pass)
{
    /* Functions that the pass has just added need no rewrite. */
    uint32_t n = module->globals.count;
    for (uint32_t i = 0; i < n && i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax)
            rlxc_rewrite_function(ctx, module, module->globals.items[i]->relax, pass);
}

void rlxc_drop_dataflow(rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        rlxc_binding_block *block = body->blocks[i];
        block->is_dataflow = false;
        for (uint32_t k = 0; k < block->n; k++) {
            rlxc_binding *b = block->bindings[k];
            b->var->is_dataflow = false;
            if (b->form == RLXC_FORM_IF) {
                rlxc_drop_dataflow(b->then);
                rlxc_drop_dataflow(b->otherwise);
            }
        }
    }
}

/* --- use counts ------------------------------------------------------------------------------- */

static void count_atom(void *user, rlxc_atom atom)
{
    uint32_t *counts = user;
    if (atom.kind == RLXC_ATOM_VAR && counts[atom.var->id] < UINT32_MAX)
        counts[atom.var->id]++;
}

static void count_body(uint32_t *counts, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            for (uint32_t a = 0; a < b->n_args; a++)
                rlxc_atom_visit(b->args[a], count_atom, counts);
            if (b->form == RLXC_FORM_CALL && !b->op)
                rlxc_atom_visit(b->callee, count_atom, counts);
            if (b->form == RLXC_FORM_IF) {
                count_body(counts, b->then);
                count_body(counts, b->otherwise);
            }
            if (b->form == RLXC_FORM_FUNCTION)
                count_body(counts, &b->function->body);
        }
    rlxc_atom_visit(body->result, count_atom, counts);
}

uint32_t *rlxc_count_uses(rlxc_context *ctx, const rlxc_function *f)
{
    const rlxc_function *outermost = f;
    while (outermost->parent)
        outermost = outermost->parent;
    uint32_t *counts = rlxc_try_alloc(ctx, (size_t)outermost->n_vars + 1, sizeof *counts);
    if (counts)
        count_body(counts, &f->body);
    return counts;
}
