/* Lifetimes of memory (liveness.h).
 *
 * One forward walk records each variable's own last read and the alias edges in order of
 * definition; one backward loop over the edges carries reads and escapes from each alias to what it
 * was made from. Variables are defined before they are used, so the backward order sees every
 * alias final before its sources. Linear in bindings plus edges. */
#include "compiler/analysis/liveness.h"

typedef struct alias_edge {
    uint32_t derived, source;
} alias_edge;

typedef struct liveness {
    rlxc_context *ctx;
    const rlxc_module *module;
    const rlxc_function *function;
    rlxc_lifetime *of;
    uint32_t n_vars;
    RLXC_VEC(alias_edge) edges;
    uint32_t position;
    bool module_retains;
    bool retained;             /* the reader keeps what it reads (an escape) */
    const rlxc_rvar *edges_to; /* the variable whose sources are being recorded */
} liveness;

static void walk_body(const rlxc_body *body, const rlxc_walk *walk, uint32_t *position)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        for (uint32_t j = 0; j < block->n; j++) {
            rlxc_binding *b = block->bindings[j];
            ++*position;
            if (walk->binding)
                walk->binding(walk->user, b, *position);
            if (b->form != RLXC_FORM_IF)
                continue;
            const rlxc_body *branches[2] = {b->then, b->otherwise};
            for (uint32_t k = 0; k < 2; k++) {
                if (walk->enter)
                    walk->enter(walk->user, b);
                walk_body(branches[k], walk, position);
                ++*position;
                if (walk->leave)
                    walk->leave(walk->user, branches[k], b, *position);
            }
            ++*position;
            if (walk->joined)
                walk->joined(walk->user, b, *position);
        }
    }
}

void rlxc_walk_positions(const rlxc_function *f, const rlxc_walk *walk)
{
    uint32_t position = 0;
    walk_body(&f->body, walk, &position);
    ++position;
    if (walk->leave)
        walk->leave(walk->user, &f->body, NULL, position);
}

static void read_leaf(void *user, rlxc_atom atom)
{
    liveness *l = user;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= l->n_vars)
        return;
    rlxc_lifetime *t = &l->of[atom.var->id];
    t->read = l->position;
    t->kept |= l->retained;
}

static void read_atom(void *user, rlxc_atom atom)
{
    rlxc_atom_visit(atom, read_leaf, user);
}

static void source_leaf(void *user, rlxc_atom atom)
{
    liveness *l = user;
    l->of[l->edges_to->id].fresh = false;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= l->n_vars)
        return;
    l->of[atom.var->id].aliases++;
    RLXC_PUSH(l->ctx, &l->edges, (alias_edge){l->edges_to->id, atom.var->id});
}

static void source_atom(void *user, rlxc_atom atom)
{
    rlxc_atom_visit(atom, source_leaf, user);
}

static void define(liveness *l, const rlxc_binding *b)
{
    if (b->var->id >= l->n_vars)
        return;
    rlxc_lifetime *t = &l->of[b->var->id];
    t->read = l->position;
    t->fresh = b->form == RLXC_FORM_CALL;
    l->edges_to = b->var;
    rlxc_alias_sources(l->module, b, source_atom, l);
}

/* A function that calls itself may restart in the same frame: the arguments of that call outlive
 * everything else in the frame. */
static bool calls_itself(const liveness *l, const rlxc_binding *b)
{
    if (b->form != RLXC_FORM_CALL || b->op || b->callee.kind != RLXC_ATOM_GLOBAL)
        return false;
    const rlxc_global *g = rlxc_module_find(l->module, b->callee.text);
    return g && g->relax == l->function;
}

static void on_binding(void *user, rlxc_binding *b, uint32_t position)
{
    liveness *l = user;
    l->position = position;
    l->retained = rlxc_call_retains(l->module, b, l->module_retains) || calls_itself(l, b);
    rlxc_binding_reads(b, read_atom, l);
    l->retained = false;
    if (b->form != RLXC_FORM_IF)
        define(l, b);
}

static void on_leave(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                     uint32_t position)
{
    liveness *l = user;
    l->position = position;
    l->retained = branch_of == NULL;
    rlxc_atom_visit(body->result, read_leaf, l);
    l->retained = false;
}

static void on_joined(void *user, rlxc_binding *branch_of, uint32_t position)
{
    liveness *l = user;
    l->position = position;
    define(l, branch_of);
}

rlxc_lifetime *rlxc_lifetimes(rlxc_context *ctx, const rlxc_module *module, const rlxc_function *f,
                              bool module_retains)
{
    liveness l = {.ctx = ctx, .module = module, .function = f, .n_vars = f->n_vars};
    l.module_retains = module_retains;
    l.of = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *l.of);
    if (!l.of)
        return NULL;
    rlxc_walk walk = {&l, on_binding, NULL, on_leave, on_joined};
    rlxc_walk_positions(f, &walk);
    for (uint32_t i = 0; i < f->n_vars; i++) {
        l.of[i].memory = l.of[i].read;
        l.of[i].escapes = l.of[i].kept;
    }
    for (uint32_t i = l.edges.count; i-- > 0;) {
        const rlxc_lifetime *derived = &l.of[l.edges.items[i].derived];
        rlxc_lifetime *source = &l.of[l.edges.items[i].source];
        if (source->memory < derived->memory)
            source->memory = derived->memory;
        source->escapes |= derived->escapes;
    }
    return rlxc_out_of_memory(ctx) ? NULL : l.of;
}
