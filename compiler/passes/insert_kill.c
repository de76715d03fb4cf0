/* Pass insert_kill: every variable is killed right after its last use, exactly once on each path.
 *
 * A backward walk keeps the set of variables that are read later. The first reader that the walk
 * meets is the last one: the kill goes after it. If only one branch of an IF reads a variable for
 * the last time, the other branch begins with its kill. The result of a branch is read by the IF
 * itself: if it was made outside, it is killed after the IF; if inside, it is moved and dies with
 * the branch. Reading a variable reads the planned storages that its memory may lie in, so that the
 * kill of such a storage ends the interval in which its bytes are needed. Parameters belong to the
 * caller, and constants are not variables: neither is ever killed. Functions that have kills
 * already are left as they are. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/passes/passes.h"

typedef RLXC_VEC(rlxc_rvar *) var_vec;
typedef RLXC_VEC(rlxc_binding *) binding_vec;

typedef struct holding { /* of a list of planned storages */
    rlxc_rvar *storage;
    struct holding *next;
} holding;

typedef struct var_fact {
    bool is_live;     /* read later on this path; parameters always */
    bool is_storage;  /* made by an alloc_storage */
    bool in_then;     /* scratch of branch_kills */
    uint32_t depth;   /* nesting of the body that defines it */
    holding *lies_in; /* planned storages that its memory may be in */
} var_fact;

typedef struct killer {
    rlxc_context *ctx;
    const rlxc_module *module;
    rlxc_function *function;
    var_fact *of; /* by variable id */
    uint32_t n_vars;
    const rlxc_operator *storage_op, *tensor_op, *object_op;
    var_vec *newly;  /* collects variables that become live in the branch being walked, or NULL */
    var_vec dying;   /* of the current binding */
    uint32_t holder; /* variable whose storages are being collected */
} killer;

/* --- facts ----------------------------------------------------------------------------------- */

static void add_storage(killer *k, uint32_t id, rlxc_rvar *storage)
{
    for (const holding *h = k->of[id].lies_in; h; h = h->next)
        if (h->storage == storage)
            return;
    holding *h = rlxc_alloc(k->ctx, sizeof *h);
    *h = (holding){storage, k->of[id].lies_in};
    k->of[id].lies_in = h;
}

static void hold_leaf(void *user, rlxc_atom atom)
{
    killer *k = user;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= k->n_vars)
        return;
    for (const holding *h = k->of[atom.var->id].lies_in; h; h = h->next)
        add_storage(k, k->holder, h->storage);
}

static void hold_atom(void *user, rlxc_atom atom)
{
    rlxc_atom_visit(atom, hold_leaf, user);
}

/* Variables are defined before they are used, and the branches of an IF come before it. */
static void note_holdings(killer *k, const rlxc_binding *b)
{
    k->holder = b->var->id;
    if (rlxc_is_planned_storage(b))
        add_storage(k, b->var->id, b->var);
    else if (rlxc_is_op(b, "memory.alloc_tensor") && b->n_args > 0)
        hold_atom(k, b->args[0]);
    else
        rlxc_alias_sources(k->module, b, hold_atom, k);
}

static void note_definitions(killer *k, const rlxc_body *body, uint32_t depth)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        for (uint32_t j = 0; j < block->n; j++) {
            const rlxc_binding *b = block->bindings[j];
            if (b->var->id < k->n_vars) {
                k->of[b->var->id].depth = depth;
                k->of[b->var->id].is_storage = rlxc_has_op_flag(b, RLXC_OP_STORAGE);
            }
            if (b->form == RLXC_FORM_IF) {
                note_definitions(k, b->then, depth + 1);
                note_definitions(k, b->otherwise, depth + 1);
            }
            if (b->var->id < k->n_vars)
                note_holdings(k, b);
        }
    }
}

static rlxc_binding *kill_of(killer *k, rlxc_rvar *var, rlxc_range range)
{
    rlxc_rvar *nothing = rlxc_rvar_new(k->ctx, k->function, "_", rlxc_sinfo_tuple(k->ctx, NULL, 0));
    rlxc_binding *kill = rlxc_binding_new(k->ctx, RLXC_FORM_CALL, nothing);
    kill->op = k->object_op;
    if (k->of[var->id].is_storage)
        kill->op = k->storage_op;
    else if (var->sinfo && var->sinfo->kind == RLXC_SINFO_TENSOR)
        kill->op = k->tensor_op;
    rlxc_atom arg = rlxc_atom_var(var);
    kill->args = rlxc_copy(k->ctx, &arg, sizeof arg);
    kill->n_args = 1;
    kill->range = range;
    return kill;
}

/* --- the backward walk ----------------------------------------------------------------------- */

static void read_leaf(void *user, rlxc_atom atom)
{
    killer *k = user;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= k->n_vars || k->of[atom.var->id].is_live)
        return;
    k->of[atom.var->id].is_live = true;
    if (k->newly)
        RLXC_PUSH(k->ctx, k->newly, atom.var);
    RLXC_PUSH(k->ctx, &k->dying, atom.var);
    for (const holding *h = k->of[atom.var->id].lies_in; h; h = h->next)
        if (h->storage != atom.var)
            read_leaf(k, rlxc_atom_var(h->storage)); /* holds only itself: stop here */
}

static void read_atom(void *user, rlxc_atom atom)
{
    rlxc_atom_visit(atom, read_leaf, user);
}

typedef struct outer_reader {
    killer *k;
    uint32_t depth;
} outer_reader;

static void read_outer_leaf(void *user, rlxc_atom atom)
{
    outer_reader *r = user;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= r->k->n_vars)
        return;
    if (r->k->of[atom.var->id].depth <= r->depth)
        read_leaf(r->k, atom);
    for (const holding *h = r->k->of[atom.var->id].lies_in; h; h = h->next)
        if (r->k->of[h->storage->id].depth <= r->depth)
            read_leaf(r->k, rlxc_atom_var(h->storage));
}

static void walk_body(killer *k, rlxc_body *body, uint32_t depth);

/* Walks one branch of an IF; returns the variables whose last read is in it. Variables live after
 * the IF stay live; the rest of the state is restored on return. */
static var_vec walk_branch(killer *k, rlxc_body *body, uint32_t depth)
{
    var_vec newly = {0};
    var_vec *outer = k->newly, dying = k->dying;
    k->newly = &newly;
    k->dying = (var_vec){0};
    rlxc_atom_visit(body->result, read_leaf, k);
    walk_body(k, body, depth + 1);
    k->newly = outer;
    k->dying = dying;
    for (uint32_t i = 0; i < newly.count; i++)
        k->of[newly.items[i]->id].is_live = false;
    return newly;
}

static void prepend(killer *k, rlxc_body *body, const binding_vec *kills)
{
    if (kills->count == 0)
        return;
    if (body->n_blocks == 0)
        rlxc_body_push(k->ctx, body, rlxc_block_new(k->ctx, false));
    rlxc_binding_block *block = body->blocks[0];
    uint32_t n = block->n;
    for (uint32_t i = 0; i < kills->count; i++)
        rlxc_block_push(k->ctx, block, kills->items[i]);
    if (block->n != n + kills->count)
        return; /* out of memory: the context knows */
    memmove(block->bindings + kills->count, block->bindings, n * sizeof(rlxc_binding *));
    memcpy(block->bindings, kills->items, kills->count * sizeof(rlxc_binding *));
}

static void walk_if(killer *k, rlxc_binding *b, uint32_t depth)
{
    outer_reader outer = {k, depth};
    rlxc_atom_visit(b->then->result, read_outer_leaf, &outer);
    rlxc_atom_visit(b->otherwise->result, read_outer_leaf, &outer);
    var_vec then = walk_branch(k, b->then, depth);
    var_vec otherwise = walk_branch(k, b->otherwise, depth);
    binding_vec then_kills = {0}, otherwise_kills = {0};
    for (uint32_t i = 0; i < then.count; i++)
        k->of[then.items[i]->id].in_then = true;
    for (uint32_t i = 0; i < otherwise.count; i++) {
        rlxc_rvar *var = otherwise.items[i];
        if (k->of[var->id].depth > depth)
            continue;
        if (!k->of[var->id].in_then)
            RLXC_PUSH(k->ctx, &then_kills, kill_of(k, var, b->range));
        k->of[var->id].is_live = true;
        if (k->newly)
            RLXC_PUSH(k->ctx, k->newly, var);
    }
    for (uint32_t i = 0; i < then.count; i++) {
        rlxc_rvar *var = then.items[i];
        k->of[var->id].in_then = false;
        if (k->of[var->id].depth > depth || k->of[var->id].is_live)
            continue;
        RLXC_PUSH(k->ctx, &otherwise_kills, kill_of(k, var, b->range));
        k->of[var->id].is_live = true;
        if (k->newly)
            RLXC_PUSH(k->ctx, k->newly, var);
    }
    prepend(k, b->then, &then_kills);
    prepend(k, b->otherwise, &otherwise_kills);
}

/* |out| receives the bindings last to first. */
static void walk_binding(killer *k, rlxc_binding *b, uint32_t depth, binding_vec *out)
{
    k->dying.count = 0;
    bool is_void = rlxc_is_void(b->var->sinfo);
    if (b->var->id < k->n_vars && !k->of[b->var->id].is_live && !is_void)
        RLXC_PUSH(k->ctx, out, kill_of(k, b->var, b->range));
    if (b->form == RLXC_FORM_IF)
        walk_if(k, b, depth);
    rlxc_binding_reads(b, read_atom, k);
    for (uint32_t i = k->dying.count; i-- > 0;)
        RLXC_PUSH(k->ctx, out, kill_of(k, k->dying.items[i], b->range));
    RLXC_PUSH(k->ctx, out, b);
}

static void walk_body(killer *k, rlxc_body *body, uint32_t depth)
{
    for (uint32_t i = body->n_blocks; i-- > 0 && !rlxc_failed(k->ctx);) {
        rlxc_binding_block *block = body->blocks[i];
        binding_vec out = {0};
        for (uint32_t j = block->n; j-- > 0 && !rlxc_failed(k->ctx);)
            walk_binding(k, block->bindings[j], depth, &out);
        rlxc_binding_block *killed = rlxc_block_new(k->ctx, false);
        for (uint32_t j = out.count; j-- > 0;)
            rlxc_block_push(k->ctx, killed, out.items[j]);
        body->blocks[i] = killed;
    }
}

static bool kill_function(rlxc_context *ctx, const rlxc_module *module, rlxc_function *f)
{
    killer k = {.ctx = ctx, .module = module, .function = f, .n_vars = f->n_vars};
    k.storage_op = rlxc_find_operator("memory.kill_storage", strlen("memory.kill_storage"));
    k.tensor_op = rlxc_find_operator("memory.kill_tensor", strlen("memory.kill_tensor"));
    k.object_op = rlxc_find_operator("vm.kill_object", strlen("vm.kill_object"));
    k.of = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *k.of);
    if (!k.of)
        return false;
    note_definitions(&k, &f->body, 0);
    for (uint32_t i = 0; i < f->n_params; i++)
        k.of[f->params[i]->id].is_live = true;
    rlxc_atom_visit(f->body.result, read_leaf, &k);
    walk_body(&k, &f->body, 0);
    return !rlxc_failed(ctx);
}

bool rlxc_pass_insert_kill(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !rlxc_has_kills(f) && !kill_function(ctx, module, f))
            return false;
    }
    return !rlxc_failed(ctx);
}
