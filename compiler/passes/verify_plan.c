/* Pass verify_plan: an independent check of explicit memory. It shares no code with the planner or
 * its analyses (alias.h, liveness.h, inplace.h): every bug that tests/mutants plants there must be
 * found here.
 *
 * It interprets each function once, in order, and keeps for every storage the tensors whose bytes
 * are intact. A tensor allocated over bytes of another one clobbers it and everything made from it;
 * reading something clobbered is an error. After an IF the effects of both branches are joined.
 * Also: a storage is made before its tensors on the same path, is not used after its kill, and is
 * never provably too small, a planned one provably large enough; nothing is read or killed again
 * after its kill; a value made outside a branch is killed by both branches or by neither;
 * parameters are not killed. The kill of a planned storage ends its interval and clobbers its
 * contents. Nothing in a planned storage leaves the function: as its result, to a callee that may
 * keep it, or to the function's own next iteration. A call that may overwrite its operand
 * (verify_inplace.h) may read a tensor whose memory its own new result has taken, at the same
 * place. A tensor's type names the device of its storage. */
#include <string.h>

#include "compiler/analysis/verify_inplace.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/passes.h"
#include "rlx/builtin.h"

typedef struct link { /* of a list of variables made from one */
    rlxc_rvar *derived;
    struct link *next;
} link;

typedef struct extent { /* intact bytes of a tensor in a storage */
    rlxc_rvar *var;
    const rlxc_expr *begin, *end; /* NULL: unknown */
    struct extent *next;
} extent;

typedef struct var_state {
    bool is_made, is_param, is_killed;
    uint8_t branches_killing; /* scratch of join_kills */
    rlxc_rvar *clobbered_by;  /* NULL: intact */
    bool is_storage, is_planned;
    bool in_plan;          /* may lie in a planned storage */
    bool at_start;         /* a tensor at the start of a planned storage, or a reshape of one */
    bool was_passed;       /* passed to a call: it may have been written */
    const rlxc_expr *size; /* of a storage; NULL: unknown */
    const rlxc_vdevice *device; /* of a storage; NULL: the host */
    extent *extents;            /* of a storage */
    link *aliases;
} var_state;

typedef enum change_kind { MADE, KILLED, CLOBBERED, EXTENTS } change_kind;

typedef struct change { /* to be undone before the other branch */
    change_kind kind;
    rlxc_rvar *var;
    rlxc_rvar *by;          /* CLOBBERED */
    extent *before, *after; /* EXTENTS */
} change;

typedef RLXC_VEC(change) change_vec;

typedef struct verifier {
    rlxc_context *ctx;
    const rlxc_module *module;
    const rlxc_function *function;
    rlxc_bounds bounds; /* of the function's symbols */
    bool keeps;         /* some function of the module calls a function that may keep its arguments
                         */
    var_state *of;      /* by variable id */
    uint32_t n_vars;
    change_vec log;
    RLXC_VEC(rlxc_rvar *) work;
    rlxc_rvar *deriving; /* whose sources are being recorded */
    rlxc_range range;
    const rlxc_binding *call; /* of a PrimFunc, while its operands are read */
    rlxc_prim_func *prim;
} verifier;

static var_state *state_of(verifier *v, const rlxc_rvar *var)
{
    return var->id < v->n_vars ? &v->of[var->id] : NULL;
}

static void apply(verifier *v, const change *c)
{
    var_state *s = state_of(v, c->var);
    switch (c->kind) {
    case MADE:
        s->is_made = true;
        break;
    case KILLED:
        s->is_killed = true;
        break;
    case CLOBBERED:
        s->clobbered_by = c->by;
        break;
    case EXTENTS:
        s->extents = c->after;
        break;
    }
    RLXC_PUSH(v->ctx, &v->log, *c);
}

static void undo(verifier *v, uint32_t mark)
{
    while (v->log.count > mark) {
        const change *c = &v->log.items[--v->log.count];
        var_state *s = state_of(v, c->var);
        switch (c->kind) {
        case MADE:
            s->is_made = false;
            break;
        case KILLED:
            s->is_killed = false;
            break;
        case CLOBBERED:
            s->clobbered_by = NULL;
            break;
        case EXTENTS:
            s->extents = c->before;
            break;
        }
    }
}

/* --- reads ----------------------------------------------------------------------------------- */

/* True if the current call itself clobbered |var|, and the PrimFunc reads each element before it
 * writes the same one. */
static bool is_read_in_place(verifier *v, const rlxc_rvar *var, const rlxc_rvar *by)
{
    const rlxc_binding *c = v->call;
    if (!c || v->prim->n_params != c->n_args || !state_of(v, var)->at_start ||
        !state_of(v, by)->at_start || state_of(v, by)->was_passed)
        return false;
    for (uint32_t out = 0; out < c->n_args; out++) {
        if (c->args[out].kind != RLXC_ATOM_VAR || c->args[out].var != by)
            continue;
        bool holds = true;
        for (uint32_t in = 0; in < c->n_args && holds; in++)
            if (c->args[in].kind == RLXC_ATOM_VAR && c->args[in].var == var)
                holds = rlxc_verify_overwrite(v->ctx, v->prim, in, out);
        return holds;
    }
    return false;
}

static void read_leaf(void *user, rlxc_atom atom)
{
    verifier *v = user;
    if (atom.kind != RLXC_ATOM_VAR)
        return;
    const var_state *s = state_of(v, atom.var);
    if (!s || !s->is_made)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is used where some path does not define it",
                   atom.var->name);
    else if (s->is_killed)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is used after it was killed",
                   atom.var->name);
    else if (s->clobbered_by && state_of(v, s->clobbered_by) &&
             state_of(v, s->clobbered_by)->is_storage)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is used after its storage '%s' was killed",
                   atom.var->name, s->clobbered_by->name);
    else if (s->clobbered_by && !is_read_in_place(v, atom.var, s->clobbered_by))
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is used after '%s' reused its memory",
                   atom.var->name, s->clobbered_by->name);
}

static void note_passed(void *user, rlxc_atom atom)
{
    var_state *s = atom.kind == RLXC_ATOM_VAR ? state_of(user, atom.var) : NULL;
    if (s)
        s->was_passed = true;
}

static void source_leaf(void *user, rlxc_atom atom)
{
    verifier *v = user;
    if (atom.kind != RLXC_ATOM_VAR)
        return;
    var_state *s = state_of(v, atom.var);
    if (!s)
        return;
    link *l = rlxc_alloc(v->ctx, sizeof *l);
    *l = (link){v->deriving, s->aliases};
    s->aliases = l;
    if (state_of(v, v->deriving))
        state_of(v, v->deriving)->in_plan |= s->in_plan;
}

/* --- memory ---------------------------------------------------------------------------------- */

static void clobber(verifier *v, rlxc_rvar *var, rlxc_rvar *by)
{
    v->work.count = 0;
    RLXC_PUSH(v->ctx, &v->work, var);
    while (v->work.count > 0 && !rlxc_out_of_memory(v->ctx)) {
        rlxc_rvar *at = v->work.items[--v->work.count];
        var_state *s = state_of(v, at);
        if (!s || s->clobbered_by)
            continue;
        apply(v, &(change){.kind = CLOBBERED, .var = at, .by = by});
        for (const link *l = s->aliases; l; l = l->next)
            RLXC_PUSH(v->ctx, &v->work, l->derived);
    }
}

static bool are_apart(verifier *v, const extent *a, const extent *b)
{
    if (!a->begin || !a->end || !b->begin || !b->end)
        return false;
    return rlxc_prove_le(v->ctx, a->end, b->begin, NULL) ||
           rlxc_prove_le(v->ctx, b->end, a->begin, NULL);
}

static void place(verifier *v, rlxc_rvar *storage, const extent *where)
{
    var_state *s = state_of(v, storage);
    extent *kept = NULL;
    for (const extent *e = s->extents; e; e = e->next) {
        if (!are_apart(v, e, where)) {
            clobber(v, e->var, where->var);
            continue;
        }
        extent *copy = rlxc_copy(v->ctx, e, sizeof *e);
        copy->next = kept;
        kept = copy;
    }
    extent *added = rlxc_copy(v->ctx, where, sizeof *where);
    added->next = kept;
    apply(v, &(change){.kind = EXTENTS, .var = storage, .before = s->extents, .after = added});
    bool small = s->size && where->end && rlxc_prove_lt(v->ctx, s->size, where->end, NULL);
    if (s->is_planned && !small)
        small = !s->size || !where->end || !rlxc_prove_le(v->ctx, where->end, s->size, &v->bounds);
    if (small)
        rlxc_error(v->ctx, v->range, "memory plan: tensor '%s' does not fit in storage '%s'",
                   where->var->name, storage->name);
}

static bool calls_op(const rlxc_binding *b, const char *name)
{
    return b->form == RLXC_FORM_CALL && b->op && strcmp(b->op->name, name) == 0;
}

static bool has_name(const rlxc_binding *b, const char *suffix)
{
    if (!b->op || !(b->op->flags & RLXC_OP_MEMORY))
        return false;
    const char *dot = strrchr(b->op->name, '.');
    return dot && strcmp(dot + 1, suffix) == 0;
}

/* The device of an operand that is a position in the module's table. */
static const rlxc_vdevice *device_at(const verifier *v, rlxc_atom index)
{
    int64_t i = -1;
    return index.kind == RLXC_ATOM_PRIM && rlxc_is_int(index.prim, &i)
               ? rlxc_vdevice_at(v->module, i)
               : NULL;
}

static void make_storage(verifier *v, const rlxc_binding *b)
{
    var_state *s = state_of(v, b->var);
    s->is_storage = true;
    s->is_planned = b->n_args > 2 && b->args[2].kind == RLXC_ATOM_STRING &&
                    strcmp(b->args[2].text, "planned") == 0;
    if (b->args[0].kind == RLXC_ATOM_SHAPE && b->args[0].n == 1)
        s->size = b->args[0].dims[0];
    s->device = b->n_args > 1 ? device_at(v, b->args[1]) : NULL;
}

static const char *device_name(const verifier *v, const rlxc_vdevice *device)
{
    return device ? rlxc_vdevice_name(v->ctx, v->module, device) : "the host";
}

/* The type of |var| must name |has|, where |memory| lies. */
static void check_device(verifier *v, const rlxc_rvar *var, const char *memory,
                         const rlxc_vdevice *has)
{
    const char *name = rlxc_sinfo_device(v->module, var->sinfo);
    const rlxc_vdevice *wants = name ? rlxc_find_vdevice(v->module, name) : NULL;
    if (has != wants)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is on %s by its type, but %s is on %s",
                   var->name, device_name(v, wants), memory, device_name(v, has));
}

static void make_tensor(verifier *v, const rlxc_binding *b)
{
    if (b->n_args < 4 || b->args[0].kind != RLXC_ATOM_VAR ||
        !state_of(v, b->args[0].var)->is_storage) {
        if (strcmp(b->op->name, "builtin.alloc_tensor") != 0)
            rlxc_error(v->ctx, v->range, "memory plan: '%s' is not made in a storage",
                       b->var->name);
        else
            check_device(v, b->var, "its memory", b->n_args > 2 ? device_at(v, b->args[2]) : NULL);
        return;
    }
    extent where = {.var = b->var};
    if (b->args[1].kind == RLXC_ATOM_PRIM && b->args[2].kind == RLXC_ATOM_SHAPE &&
        b->args[3].kind == RLXC_ATOM_DTYPE) {
        const rlxc_expr *numel = rlxc_product(v->ctx, b->args[2].dims, b->args[2].n);
        int64_t element = (int64_t)rlx_dtype_size(b->args[3].dtype);
        where.begin = b->args[1].prim;
        where.end = rlxc_canonical(
            v->ctx,
            rlxc_add(v->ctx, where.begin, rlxc_mul(v->ctx, numel, rlxc_i64(v->ctx, element))),
            NULL);
    }
    int64_t offset;
    var_state *s = state_of(v, b->var);
    if (s && state_of(v, b->args[0].var)->is_planned) {
        s->in_plan = true;
        s->at_start = where.begin && rlxc_is_int(where.begin, &offset) && offset == 0;
        if (!s->at_start)
            rlxc_error(v->ctx, v->range,
                       "memory plan: '%s' is not at the start of its planned storage",
                       b->var->name);
    }
    check_device(v, b->var, "its storage", state_of(v, b->args[0].var)->device);
    place(v, b->args[0].var, &where);
}

static void kill(verifier *v, const rlxc_binding *b)
{
    if (b->n_args == 0 || b->args[0].kind != RLXC_ATOM_VAR) {
        rlxc_error(v->ctx, v->range, "memory plan: the operand of R.%s is not a variable",
                   b->op->name);
        return;
    }
    rlxc_rvar *var = b->args[0].var;
    const var_state *s = state_of(v, var);
    if (!s || !s->is_made)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is killed where it is not defined",
                   var->name);
    else if (s->is_param)
        rlxc_error(v->ctx, v->range, "memory plan: the parameter '%s' is killed", var->name);
    else if (s->is_killed)
        rlxc_error(v->ctx, v->range, "memory plan: '%s' is killed twice", var->name);
    else
        apply(v, &(change){.kind = KILLED, .var = var});
    for (const extent *e = s && s->is_planned ? s->extents : NULL; e; e = e->next)
        clobber(v, e->var, var);
}

/* --- the walk -------------------------------------------------------------------------------- */

static void walk_body(verifier *v, const rlxc_body *body);

/* The row of the runtime's table for |b|'s callee, or NULL. */
static const rlx_builtin *builtin_of(const rlxc_binding *b)
{
    uint32_t n = 0;
    const rlx_builtin *table = rlx_builtin_table(&n);
    for (uint32_t i = 0; i < n && b->callee.kind == RLXC_ATOM_EXTERN; i++)
        if (strcmp(table[i].name, b->callee.text) == 0)
            return &table[i];
    return NULL;
}

/* True if that row says that the result has memory of its own. */
static bool makes_fresh(const rlxc_binding *b)
{
    const rlx_builtin *row = builtin_of(b);
    return row && (row->flags & RLX_BUILTIN_FRESH ||
                   (row->flags & RLX_BUILTIN_FRESH_TENSOR && b->var->sinfo &&
                    b->var->sinfo->kind == RLXC_SINFO_TENSOR));
}

/* True if the bound value cannot share memory with the operands. */
static bool is_fresh(const verifier *v, const rlxc_binding *b)
{
    const rlxc_sinfo *type = b->var->sinfo;
    if (type && (type->kind == RLXC_SINFO_PRIM || type->kind == RLXC_SINFO_SHAPE ||
                 (type->kind == RLXC_SINFO_TUPLE && type->n_fields == 0)))
        return true;
    if (b->form != RLXC_FORM_CALL)
        return false;
    if (b->op)
        return (b->op->flags & (RLXC_OP_CALLS | RLXC_OP_ALIASES_0)) == 0;
    if (b->callee.kind != RLXC_ATOM_GLOBAL)
        return makes_fresh(b);
    const rlxc_global *g = rlxc_module_find(v->module, b->callee.text);
    return g && g->prim;
}

/* True for a packed function that the runtime does not define, which may keep what it is given. */
static bool is_foreign(const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_EXTERN &&
           !builtin_of(b);
}

static bool any_foreign(const rlxc_body *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->n_blocks && !found; i++)
        for (uint32_t j = 0; j < body->blocks[i]->n && !found; j++) {
            const rlxc_binding *b = body->blocks[i]->bindings[j];
            found = is_foreign(b) || (b->form == RLXC_FORM_IF &&
                                      (any_foreign(b->then) || any_foreign(b->otherwise)));
        }
    return found;
}

/* True if a call may keep its arguments beyond the lifetime of the function's memory. A self call
 * may restart the function in the same memory. */
static bool may_keep(const verifier *v, const rlxc_binding *b, const rlxc_global *g)
{
    if (b->op)
        return v->keeps && b->op->flags & RLXC_OP_CALLS;
    if (b->callee.kind == RLXC_ATOM_EXTERN)
        return is_foreign(b);
    return !(g && g->prim) && (v->keeps || (g && g->relax == v->function));
}

static void leave_leaf(void *user, rlxc_atom atom)
{
    verifier *v = user;
    const var_state *s = atom.kind == RLXC_ATOM_VAR ? state_of(v, atom.var) : NULL;
    if (s && s->in_plan)
        rlxc_error(v->ctx, v->range,
                   "memory plan: '%s' outlives the planned memory that it may lie in",
                   atom.var->name);
}

/* Joins a branch's effect on an outer variable; |second|: for the other branch. */
static void keep_change(verifier *v, const change *c, bool second)
{
    const var_state *s = state_of(v, c->var);
    if (c->kind == CLOBBERED && !s->clobbered_by)
        apply(v, c);
    if (c->kind != EXTENTS || !s->is_made)
        return;
    extent *after = c->after;
    if (second) { /* intact after both branches: its tensors join those present */
        after = rlxc_copy(v->ctx, c->after, sizeof *after);
        after->next = s->extents;
    }
    apply(v, &(change){.kind = EXTENTS, .var = c->var, .before = s->extents, .after = after});
}

static void join_kills(verifier *v, const change_vec *done, rlxc_range range)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < done[k].count; i++)
            if (done[k].items[i].kind == KILLED)
                state_of(v, done[k].items[i].var)->branches_killing++;
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < done[k].count; i++) {
            const change *c = &done[k].items[i];
            var_state *s = state_of(v, c->var);
            if (c->kind != KILLED || s->branches_killing == 0)
                continue;
            if (s->is_made && s->branches_killing == 1)
                rlxc_error(v->ctx, range, "memory plan: '%s' is killed in one branch only",
                           c->var->name);
            s->branches_killing = 0;
            if (s->is_made)
                apply(v, c);
        }
    }
}

/* Interprets both branches from the same state, then joins their effects. */
static void walk_if(verifier *v, const rlxc_binding *b)
{
    const rlxc_body *branches[2] = {b->then, b->otherwise};
    change_vec done[2] = {{0}, {0}};
    uint32_t mark = v->log.count;
    for (int k = 0; k < 2; k++) {
        walk_body(v, branches[k]);
        v->range = b->range;
        rlxc_atom_visit(branches[k]->result, read_leaf, v);
        for (uint32_t i = mark; i < v->log.count; i++)
            RLXC_PUSH(v->ctx, &done[k], v->log.items[i]);
        undo(v, mark);
    }
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < done[k].count; i++)
            keep_change(v, &done[k].items[i], k == 1);
    join_kills(v, done, b->range);
    v->deriving = b->var;
    for (int k = 0; k < 2; k++)
        rlxc_atom_visit(branches[k]->result, source_leaf, v);
}

/* Reports a call whose callee is a storage: its type, Object, does not distinguish it from a
   closure. */
static void check_callee(verifier *v, const rlxc_binding *b)
{
    const bool invokes = b->op && b->op->flags & RLXC_OP_CALLS && b->n_args > 0;
    const rlxc_atom callee = invokes ? b->args[0] : b->callee;
    const var_state *s = callee.kind == RLXC_ATOM_VAR ? state_of(v, callee.var) : NULL;
    if (s && s->is_storage)
        rlxc_error(v->ctx, v->range, "'%s' is a storage, which cannot be called", callee.var->name);
}

static void walk_call(verifier *v, const rlxc_binding *b)
{
    check_callee(v, b);
    if (has_name(b, "kill_storage") || has_name(b, "kill_tensor") || has_name(b, "kill_object")) {
        kill(v, b);
        return;
    }
    if (!b->op && b->callee.kind == RLXC_ATOM_VAR)
        read_leaf(v, b->callee);
    rlxc_global *g = !b->op && b->callee.kind == RLXC_ATOM_GLOBAL
                         ? rlxc_module_find(v->module, b->callee.text)
                         : NULL;
    v->prim = g ? g->prim : NULL;
    v->call = v->prim ? b : NULL;
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], read_leaf, v);
    v->call = NULL;
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], note_passed, v);
    for (uint32_t i = 0; may_keep(v, b, g) && i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], leave_leaf, v);
    if (rlxc_failed(v->ctx))
        return;
    if (has_name(b, "alloc_storage") && b->n_args > 0)
        make_storage(v, b);
    else if (has_name(b, "alloc_tensor"))
        make_tensor(v, b);
    else if (calls_op(b, "reshape") && b->args[0].kind == RLXC_ATOM_VAR && state_of(v, b->var))
        state_of(v, b->var)->at_start = state_of(v, b->args[0].var)->at_start;
}

static void walk_binding(verifier *v, const rlxc_binding *b)
{
    v->range = b->range;
    if (b->form == RLXC_FORM_CALL) {
        walk_call(v, b);
    } else {
        for (uint32_t i = 0; i < b->n_args; i++)
            rlxc_atom_visit(b->args[i], read_leaf, v);
        if (b->form == RLXC_FORM_IF && !rlxc_failed(v->ctx))
            walk_if(v, b);
    }
    if (rlxc_failed(v->ctx) || !state_of(v, b->var))
        return;
    apply(v, &(change){.kind = MADE, .var = b->var});
    if (b->form == RLXC_FORM_IF || is_fresh(v, b))
        return;
    v->deriving = b->var;
    if (b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_VAR)
        source_leaf(v, b->callee);
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], source_leaf, v);
}

static void walk_body(verifier *v, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t j = 0; j < body->blocks[i]->n && !rlxc_failed(v->ctx); j++)
            walk_binding(v, body->blocks[i]->bindings[j]);
}

/* |var|'s entry of the function's attribute |key|, a dictionary by name; |otherwise| if none. */
static int64_t stated_bound(const rlxc_function *f, const char *key, const rlxc_expr *var,
                            int64_t otherwise)
{
    const rlxc_attr *a = rlxc_attrs_find(&f->attrs, key);
    int64_t value;
    for (uint32_t i = 0; a && a->kind == RLXC_ATTR_DICT && i < a->list.count; i++)
        if (strcmp(a->list.keys[i], var->var.name) == 0 &&
            rlxc_attr_as_int(&a->list.items[i], &value) && value >= 0)
            return value;
    return otherwise;
}

static void find_bounds(verifier *v)
{
    rlxc_var_list symbols = {0};
    for (uint32_t i = 0; i < v->function->n_params; i++)
        if (v->function->params[i]->sinfo)
            rlxc_sinfo_collect_vars(v->ctx, v->function->params[i]->sinfo, &symbols);
    for (uint32_t i = 0; i < symbols.vars.count; i++) {
        const rlxc_expr *var = symbols.vars.items[i];
        rlxc_bound range = {stated_bound(v->function, "tir_var_lower_bound", var, 0),
                            stated_bound(v->function, "tir_var_upper_bound", var, INT64_MAX)};
        if (range.min <= range.max)
            rlxc_bounds_set(v->ctx, &v->bounds, var, range);
    }
}

static bool verify_function(rlxc_context *ctx, const rlxc_module *module, const rlxc_function *f,
                            bool keeps)
{
    verifier v = {.ctx = ctx, .module = module, .function = f, .keeps = keeps, .n_vars = f->n_vars};
    v.of = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *v.of);
    if (!v.of)
        return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        var_state *s = state_of(&v, f->params[i]);
        s->is_made = true;
        s->is_param = true;
    }
    find_bounds(&v);
    walk_body(&v, &f->body);
    v.range = f->body.result_range;
    if (!rlxc_failed(ctx))
        rlxc_atom_visit(f->body.result, read_leaf, &v);
    if (!rlxc_failed(ctx))
        rlxc_atom_visit(f->body.result, leave_leaf, &v);
    return !rlxc_failed(ctx);
}

bool rlxc_pass_verify_plan(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    bool keeps = false;
    for (uint32_t i = 0; i < module->globals.count && !keeps; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        keeps = f && any_foreign(&f->body);
    }
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        if (f && !verify_function(ctx, module, f, keeps))
            return false;
    }
    return !rlxc_failed(ctx);
}
