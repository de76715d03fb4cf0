/* Checks of dimensions and the facts that follow from them (state.h).
 *
 * A fact replaces a symbol by an expression, the younger of two symbols by the older one, or one
 * whole dimension by a shorter one. Both sides are written with the facts before it, so applying
 * all of them once, in order, is enough. */
#include "compiler/ops/state.h"

#include <string.h>

#include "compiler/ir/device.h"

typedef struct cast {
    const rlxc_binding_block *block;
    const rlxc_sinfo *type;
    rlxc_atom atom;
} cast;

void rlxc_state_block_begin(rlxc_stated *s, rlxc_context *ctx)
{
    RLXC_PUSH(ctx, &s->marks, s->from.count);
    RLXC_PUSH(ctx, &s->marks, s->held.count);
}

/* Facts from a function's top level hold in its later blocks too. */
void rlxc_state_block_end(rlxc_stated *s, rlxc_context *ctx)
{
    if (s->marks.count < 2)
        return;
    uint32_t held = s->marks.items[--s->marks.count], facts = s->marks.items[--s->marks.count];
    if (s->marks.count == 0)
        return;
    while (s->held.count > held)
        rlxc_map_set(ctx, &s->known, rlxc_key(s->held.items[--s->held.count]), NULL);
    if (s->from.count > facts)
        s->memo = (rlxc_map){0};
    s->from.count = s->to.count = facts;
}

/* |e| with all facts substituted. */
static const rlxc_expr *known_as(rlxc_stated *s, rlxc_context *ctx, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_INT || s->from.count == 0)
        return e;
    const rlxc_expr *out = rlxc_map_get(&s->memo, rlxc_key(e));
    if (out)
        return out;
    out = e;
    for (uint32_t i = 0; i < s->from.count; i++) {
        const rlxc_expr *from = s->from.items[i];
        if (out == from)
            out = s->to.items[i];
        else if (from->kind == RLXC_EXPR_VAR && rlxc_expr_uses_var(ctx, out, from))
            out = rlxc_canonical(ctx, rlxc_substitute(ctx, out, &from, &s->to.items[i], 1), NULL);
    }
    rlxc_map_set(ctx, &s->memo, rlxc_key(e), (void *)(uintptr_t)out);
    return out;
}

/* --- facts ------------------------------------------------------------------------------------ */

static bool may_replace(rlxc_context *ctx, const rlxc_expr *from, const rlxc_expr *to)
{
    if (from->kind == RLXC_EXPR_INT)
        return false;
    if (to->kind == RLXC_EXPR_INT)
        return true;
    if (from->kind == RLXC_EXPR_VAR)
        return to->kind == RLXC_EXPR_VAR ? to->id < from->id : !rlxc_expr_uses_var(ctx, to, from);
    return to->kind == RLXC_EXPR_VAR
               ? rlxc_expr_uses_var(ctx, from, to)
               : to->depth < from->depth || (to->depth == from->depth && to->id < from->id);
}

static void learn(rlxc_stated *s, rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                  const rlxc_expr *b, const rlxc_expr *holds)
{
    rlxc_map_set(ctx, &s->known, rlxc_key(holds), s);
    RLXC_PUSH(ctx, &s->held, holds);
    if (relation != RLXC_EQUAL)
        return;
    bool forwards = may_replace(ctx, a, b);
    if (!forwards && !may_replace(ctx, b, a))
        return;
    RLXC_PUSH(ctx, &s->from, forwards ? a : b);
    RLXC_PUSH(ctx, &s->to, forwards ? b : a);
    s->memo = (rlxc_map){0};
}

void rlxc_state_note(rlxc_stated *s, rlxc_context *ctx, const rlxc_binding *binding)
{
    rlxc_relation relation;
    if (binding->form != RLXC_FORM_CALL || !binding->op ||
        strcmp(binding->op->name, "check_sizes") != 0 ||
        !rlxc_relation_named(rlxc_attr_get_str(binding, "relation", ""), &relation) ||
        binding->args[0].kind != RLXC_ATOM_PRIM || binding->args[1].kind != RLXC_ATOM_PRIM)
        return;
    const rlxc_expr *a = known_as(s, ctx, binding->args[0].prim),
                    *b = known_as(s, ctx, binding->args[1].prim);
    learn(s, ctx, relation, a, b, rlxc_relation_holds(ctx, relation, a, b));
}

void rlxc_emit_check(rlxc_builder *b, const rlxc_requirement *r)
{
    rlxc_context *ctx = b->ctx;
    const char *relation = rlxc_relation_name(r->relation);
    rlxc_attrs attrs = rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, "relation"),
                                       rlxc_attr_string(ctx, relation));
    attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, "message"),
                            rlxc_attr_string(ctx, r->message));
    rlxc_atom args[2] = {rlxc_atom_prim(r->a), rlxc_atom_prim(r->b)};
    rlxc_emit_op(b, "check_sizes", args, 2, attrs, "_");
}

/* Emits a check of what is not known yet; true if it gave a new fact. */
static bool check_all(rlxc_stated *s, rlxc_builder *b, const rlxc_requirements *list)
{
    uint32_t before = s->from.count;
    for (uint32_t i = 0; i < list->items.count && !rlxc_failed(b->ctx); i++) {
        rlxc_requirement r = list->items.items[i];
        r.a = known_as(s, b->ctx, r.a);
        r.b = known_as(s, b->ctx, r.b);
        const rlxc_expr *holds = rlxc_relation_holds(b->ctx, r.relation, r.a, r.b);
        if (r.a == r.b || rlxc_map_get(&s->known, rlxc_key(holds)))
            continue;
        rlxc_emit_check(b, &r);
        learn(s, b->ctx, r.relation, r.a, r.b, holds);
    }
    return s->from.count > before;
}

/* --- operands --------------------------------------------------------------------------------- */

/* |t| with fresh symbols for unknown dimensions, and all facts substituted. */
static const rlxc_sinfo *type_known_as(rlxc_stated *s, rlxc_context *ctx, const rlxc_sinfo *t)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    bool changed = t->dims == NULL;
    for (int32_t i = 0; i < t->ndim; i++) {
        dims[i] = t->dims ? known_as(s, ctx, t->dims[i])
                          : rlxc_fresh_shape_var(ctx, rlxc_internf(ctx, "d%d", i));
        changed |= t->dims && dims[i] != t->dims[i];
    }
    return changed ? rlxc_sinfo_tensor(ctx, t->dtype, t->ndim, dims, t->vdevice) : t;
}

/* |atom| cast to its known type; the cast serves all uses in its block. */
static rlxc_atom operand(rlxc_stated *s, rlxc_builder *b, rlxc_atom atom, const rlxc_sinfo *t)
{
    rlxc_context *ctx = b->ctx;
    uint64_t key = atom.kind == RLXC_ATOM_VAR ? rlxc_key(atom.var) : 0;
    cast *seen = key ? rlxc_map_get(&s->casts, key) : NULL;
    if (seen && seen->block == b->block) {
        t = seen->type;
        atom = seen->atom;
    }
    const rlxc_sinfo *type = type_known_as(s, ctx, t);
    if (type == t)
        return atom;
    const char *name = key ? atom.var->name : "shaped";
    rlxc_rvar *var = rlxc_rvar_new(ctx, b->function, name, type);
    var->given = key ? atom.var->given : NULL;
    var->is_dataflow = b->block->is_dataflow;
    seen = rlxc_alloc(ctx, sizeof *seen);
    *seen = (cast){b->block, type, rlxc_emit_match_cast(b, var, atom, b->range)};
    if (key)
        rlxc_map_set(ctx, &s->casts, key, seen);
    return seen->atom;
}

static rlxc_atom atom_known_as(rlxc_stated *s, rlxc_builder *b, rlxc_atom atom)
{
    rlxc_context *ctx = b->ctx;
    bool changed = false;
    if (atom.kind == RLXC_ATOM_TUPLE) {
        rlxc_atom *items = rlxc_alloc(ctx, (atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++) {
            items[i] = atom_known_as(s, b, atom.items[i]);
            changed |= !rlxc_atom_equal(items[i], atom.items[i]);
        }
        return changed ? rlxc_atom_tuple(ctx, items, atom.n) : atom;
    }
    if (atom.kind == RLXC_ATOM_SHAPE) {
        const rlxc_expr **dims = rlxc_alloc(ctx, (atom.n + 1) * sizeof *dims);
        for (uint32_t i = 0; i < atom.n; i++) {
            dims[i] = known_as(s, ctx, atom.dims[i]);
            changed |= dims[i] != atom.dims[i];
        }
        return changed ? rlxc_atom_shape(ctx, dims, atom.n) : atom;
    }
    if (atom.kind == RLXC_ATOM_PRIM && rlxc_dtype_eq(atom.prim->dtype, RLX_I64))
        return rlxc_atom_prim(known_as(s, ctx, atom.prim));
    const rlxc_sinfo *t = rlxc_atom_sinfo(ctx, b->module, atom);
    bool named = t && t->kind == RLXC_SINFO_TENSOR && t->ndim != RLXC_UNKNOWN_NDIM;
    return named ? operand(s, b, atom, t) : atom;
}

bool rlxc_state_call(rlxc_stated *s, rlxc_builder *b, rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    bool again = !(call->op->flags & RLXC_OP_ANY_RANK);
    while (again && !rlxc_failed(ctx)) {
        bool changed = false;
        rlxc_atom *args = rlxc_alloc(ctx, (call->n_args + 1) * sizeof *args);
        for (uint32_t i = 0; i < call->n_args; i++) {
            args[i] = atom_known_as(s, b, call->args[i]);
            changed |= !rlxc_atom_equal(args[i], call->args[i]);
        }
        if (changed)
            call->args = args;
        rlxc_requirements open = {0};
        const rlxc_sinfo *type = rlxc_infer_requirements(ctx, b->module, call, &open);
        if (!type || rlxc_failed(ctx))
            return false;
        if (b->vdevice) /* which no operand of, say, arange is on */
            type = rlxc_sinfo_on(ctx, type, b->vdevice, true);
        /* what the user wrote may say more than inference */
        if (changed || !call->var->sinfo || !rlxc_sinfo_subsumes(ctx, type, call->var->sinfo))
            call->var->sinfo = type;
        again = check_all(s, b, &open);
    }
    return !rlxc_failed(ctx);
}
