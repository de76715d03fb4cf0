/* Pass sink_constants: moves constants that every call passes into the private function.
 *
 *     loop(i, W):  ... loop(i + 1, W)        called as  loop(0, constant)
 *     loop(i):     ... loop(i + 1)           with the constant in W's place
 *
 * fold_constant and pack_constants then work on constant operands inside loops and functions too:
 * loop bodies get their weights as arguments. Unread parameters are removed. When a function
 * receives constants, integer products with these weights are rewritten before constant folding;
 * then the pass runs again until nothing moves, since a folded value may be the argument of an
 * inner loop.
 *
 * Parameters are the nodes of a graph, with an edge to each parameter that they are passed on as.
 * Along the edges flows the value of a parameter (nothing yet, one constant, several values: the
 * lattice of Wegman and Zadeck, "Constant Propagation with Conditional Branches", TOPLAS 1991, with
 * functions for blocks), and against them the fact that it is read.
 *
 * Left alone: functions that are used as values, are planned already, or write into their
 * arguments; parameters whose types bind symbols or would have to be checked at the call. */
#include "compiler/analysis/alias.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"

/* Limit of repetitions: more than the nesting depth of loops. */
enum { MAX_ROUNDS = 8 };

typedef struct slot slot;
struct slot { /* a parameter of a private function */
    rlxc_rvar *param;
    const rlxc_constant *constant; /* passed by every call so far */
    bool varies;                   /* no such constant, or it must not be substituted */
    bool read;                     /* its value matters */
    RLXC_VEC(slot *)
    to, from; /* parameters that it is passed on as; parameters passed on as it
               */
};

typedef struct callee { /* a private function */
    rlxc_function *function;
    slot *slots; /* one per parameter */
    bool closed; /* must keep its parameters */
} callee;

typedef struct sink {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map callees; /* rlxc_function -> callee */
    rlxc_map slots;   /* rlxc_rvar -> slot */
    RLXC_VEC(callee *) all;
    RLXC_VEC(slot *) work;
} sink;

static callee *callee_of(const sink *s, rlxc_atom atom)
{
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(s->module, atom.text) : NULL;
    return g && g->relax ? rlxc_map_get(&s->callees, rlxc_key(g->relax)) : NULL;
}

static callee *called(const sink *s, const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && !b->op ? callee_of(s, b->callee) : NULL;
}

/* --- what is known of each parameter ---------------------------------------------------------- */

static void meet(sink *s, slot *to, const rlxc_constant *constant)
{
    if (to->varies || (constant && to->constant == constant))
        return;
    if (constant && !to->constant)
        to->constant = constant;
    else
        to->varies = true;
    RLXC_PUSH(s->ctx, &s->work, to);
}

static void mark_read(sink *s, slot *p)
{
    if (p->read)
        return;
    p->read = true;
    RLXC_PUSH(s->ctx, &s->work, p);
}

static void read_atom(void *user, rlxc_atom atom)
{
    sink *s = user;
    slot *p = atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&s->slots, rlxc_key(atom.var)) : NULL;
    if (p)
        mark_read(s, p);
    callee *as_value = callee_of(s, atom);
    if (as_value)
        as_value->closed = true;
}

/* |atom| is passed for the parameter |to|. */
static void pass_argument(sink *s, rlxc_atom atom, slot *to)
{
    slot *own = atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&s->slots, rlxc_key(atom.var)) : NULL;
    if (own == to)
        return;
    /* True if the argument may not have the parameter's type and is checked at the call. */
    if (!rlxc_sinfo_subsumes(s->ctx, to->param->sinfo, rlxc_atom_sinfo(s->ctx, s->module, atom))) {
        meet(s, to, NULL);
        mark_read(s, to);
    }
    if (own) {
        RLXC_PUSH(s->ctx, &own->to, to);
        RLXC_PUSH(s->ctx, &to->from, own);
        return;
    }
    read_atom(s, atom);
    meet(s, to, atom.kind == RLXC_ATOM_CONSTANT ? atom.constant : NULL);
}

static void walk_body(sink *s, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n && !rlxc_failed(s->ctx); k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            callee *c = called(s, b);
            if (c && b->n_args != c->function->n_params)
                c->closed = true;
            if (!c)
                rlxc_atom_visit(b->callee, read_atom, s);
            for (uint32_t j = 0; j < b->n_args; j++) {
                if (c && j < c->function->n_params)
                    pass_argument(s, b->args[j], &c->slots[j]);
                else
                    rlxc_atom_visit(b->args[j], read_atom, s);
            }
            if (b->form == RLXC_FORM_FUNCTION)
                walk_body(s, &b->function->body);
            if (b->form == RLXC_FORM_IF) {
                walk_body(s, b->then);
                walk_body(s, b->otherwise);
            }
        }
    }
    rlxc_atom_visit(body->result, read_atom, s);
}

static bool add_callee(sink *s, rlxc_function *f)
{
    rlxc_var_list symbols = {0};
    callee *c = rlxc_alloc(s->ctx, sizeof *c);
    c->function = f;
    c->closed = rlxc_uses_op_flag(f, RLXC_OP_KILLS | RLXC_OP_DESTROYS);
    c->slots = rlxc_try_alloc(s->ctx, f->n_params + 1u, sizeof *c->slots);
    if (!c->slots)
        return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        slot *p = &c->slots[i];
        p->param = f->params[i];
        symbols.vars.count = 0;
        rlxc_sinfo_collect_vars(s->ctx, p->param->sinfo, &symbols);
        if (symbols.vars.count > 0) {
            meet(s, p, NULL);
            mark_read(s, p);
        }
        rlxc_map_set(s->ctx, &s->slots, rlxc_key(p->param), p);
    }
    rlxc_map_set(s->ctx, &s->callees, rlxc_key(f), c);
    RLXC_PUSH(s->ctx, &s->all, c);
    return true;
}

static bool look(sink *s)
{
    for (uint32_t i = 0; i < s->module->globals.count && !rlxc_failed(s->ctx); i++) {
        rlxc_function *f = s->module->globals.items[i]->relax;
        if (f && f->is_private && !add_callee(s, f))
            return false;
    }
    if (s->all.count == 0)
        return false;
    for (uint32_t i = 0; i < s->module->globals.count; i++) {
        const rlxc_function *f = s->module->globals.items[i]->relax;
        if (f)
            walk_body(s, &f->body);
    }
    for (uint32_t i = 0; i < s->all.count; i++) {
        const callee *c = s->all.items[i];
        for (uint32_t k = 0; c->closed && k < c->function->n_params; k++) {
            meet(s, &c->slots[k], NULL);
            mark_read(s, &c->slots[k]);
        }
    }
    while (s->work.count > 0 && !rlxc_failed(s->ctx)) {
        const slot *p = s->work.items[--s->work.count];
        for (uint32_t i = 0; (p->varies || p->constant) && i < p->to.count; i++)
            meet(s, p->to.items[i], p->varies ? NULL : p->constant);
        for (uint32_t i = 0; p->read && i < p->from.count; i++)
            mark_read(s, p->from.items[i]);
    }
    return !rlxc_failed(s->ctx);
}

/* --- putting the constants in ----------------------------------------------------------------- */

static bool becomes_constant(const slot *p)
{
    return p->constant && !p->varies;
}

static bool goes(const slot *p)
{
    return becomes_constant(p) || !p->read;
}

/* Removes parameters from the function; constant ones are bound in front of its body, where the
 * rewriting below finds them. */
static bool take_parameters(sink *s, callee *c)
{
    rlxc_context *ctx = s->ctx;
    rlxc_function *f = c->function;
    rlxc_binding_block *block = rlxc_block_new(ctx, false);
    rlxc_rvar **params = rlxc_try_alloc(ctx, f->n_params + 1u, sizeof(rlxc_rvar *));
    uint32_t n = 0;
    if (!params)
        return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const slot *p = &c->slots[i];
        if (!goes(p)) {
            params[n++] = p->param;
        } else if (p->read) {
            rlxc_binding *copy = rlxc_binding_new(ctx, RLXC_FORM_COPY, p->param);
            const rlxc_atom constant = rlxc_atom_constant(p->constant);
            copy->args = rlxc_copy(ctx, &constant, sizeof constant);
            copy->n_args = 1;
            copy->range = p->param->range;
            rlxc_block_push(ctx, block, copy);
        }
    }
    f->params = params;
    f->n_params = n;
    if (block->n > 0) {
        rlxc_body old = f->body;
        f->body.blocks = NULL;
        f->body.n_blocks = f->body.capacity = 0;
        rlxc_body_push(ctx, &f->body, block);
        for (uint32_t i = 0; i < old.n_blocks; i++)
            rlxc_body_push(ctx, &f->body, old.blocks[i]);
    }
    return block->n > 0;
}

static rlxc_rewrite_action put_in(void *user, rlxc_builder *b, rlxc_binding *binding,
                                  rlxc_atom *replacement)
{
    const sink *s = user;
    const slot *own =
        binding->form == RLXC_FORM_COPY ? rlxc_map_get(&s->slots, rlxc_key(binding->var)) : NULL;
    if (own) {
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    }
    const callee *c = called(s, binding);
    if (!c || c->closed)
        return RLXC_REWRITE_KEEP;
    rlxc_atom *args = rlxc_try_alloc(b->ctx, binding->n_args, sizeof *args);
    uint32_t n = 0;
    for (uint32_t i = 0; i < binding->n_args && args; i++)
        if (!goes(&c->slots[i]))
            args[n++] = binding->args[i];
    if (args && n < binding->n_args) {
        binding->args = args;
        binding->n_args = n;
    }
    return RLXC_REWRITE_KEEP;
}

/* True if a function received new constants. */
static bool sink_once(rlxc_context *ctx, rlxc_module *module)
{
    sink s = {.ctx = ctx, .module = module};
    bool any = false, gave = false;
    if (!look(&s))
        return false;
    for (uint32_t i = 0; i < s.all.count && !rlxc_failed(ctx); i++) {
        callee *c = s.all.items[i];
        uint32_t before = c->function->n_params;
        gave = take_parameters(&s, c) || gave;
        any = any || c->function->n_params < before;
    }
    const rlxc_rewrite_pass pass = {.user = &s, .binding = put_in};
    if (any && !rlxc_failed(ctx))
        rlxc_rewrite_module(ctx, module, &pass);
    return gave && !rlxc_failed(ctx);
}

bool rlxc_pass_sink_constants(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    const bool reads_integers = options->opt_level >= 1; /* as in the table of passes */
    for (uint32_t round = 0; round < MAX_ROUNDS && sink_once(ctx, module); round++)
        if ((reads_integers && !rlxc_pass_quantized_products(ctx, module, options)) ||
            !rlxc_pass_fold_constant(ctx, module, options))
            return false;
    return !rlxc_failed(ctx);
}
