/* Moves groups of bindings into functions (outline.h).
 *
 * A group becomes a call of a new private function: what its members read from outside are the
 * parameters, then the symbols that no parameter's type binds, as one R.Shape; what is read outside
 * are the results, as a tuple if there are several. The variables of the results stay, so nothing
 * else in the host changes but the order of bindings. */
#include "compiler/passes/outline.h"

#include <string.h>

typedef struct unit { /* a binding that stays, or a group */
    uint32_t waits;   /* for so many others */
    bool reached, done;
    RLXC_VEC(uint32_t) readers;
} unit;

typedef struct state {
    const rlxc_outline *o;
    rlxc_map place;         /* variable -> 1 + place in the block */
    uint32_t *outside_uses; /* of all variables */
    unit *units;            /* n bindings, then the groups */
    uint32_t *first, *last; /* members, by group */
    rlxc_binding_block *out;
    RLXC_VEC(uint32_t) ready;
} state;

static uint32_t place_of(const state *s, const rlxc_rvar *var)
{
    return (uint32_t)(uintptr_t)rlxc_map_get(&s->place, rlxc_key(var));
}

static uint32_t unit_of(const state *s, uint32_t i)
{
    uint32_t g = s->o->group_of[i];
    return g == RLXC_NO_GROUP ? i : s->o->block->n + g;
}

/* --- one group -------------------------------------------------------------------------------- */

typedef struct making {
    state *s;
    uint32_t group;
    rlxc_copier copier;
    RLXC_VEC(rlxc_rvar *) params;
    RLXC_VEC(rlxc_atom) args;
    rlxc_var_list symbols; /* of members, results and parameters */
    rlxc_map seen;
} making;

void rlxc_visit_reads(const rlxc_binding *b, void (*visit)(void *user, rlxc_atom atom), void *user)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], visit, user);
    rlxc_atom_visit(b->callee, visit, user);
    if (b->form == RLXC_FORM_IF) {
        rlxc_body_visit(b->then, visit, user);
        rlxc_body_visit(b->otherwise, visit, user);
    }
    if (b->form == RLXC_FORM_FUNCTION)
        rlxc_body_visit(&b->function->body, visit, user);
}

static bool is_member(const making *m, const rlxc_rvar *var)
{
    uint32_t place = place_of(m->s, var);
    return place > 0 && m->s->o->group_of[place - 1] == m->group;
}

static void collect_atom(void *user, rlxc_atom atom)
{
    making *m = user;
    rlxc_context *ctx = m->s->o->ctx;
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_SHAPE && i < atom.n; i++)
        rlxc_collect_vars(ctx, atom.dims[i], &m->symbols);
    if (atom.kind == RLXC_ATOM_PRIM)
        rlxc_collect_vars(ctx, atom.prim, &m->symbols);
    if (atom.kind != RLXC_ATOM_VAR || is_member(m, atom.var) ||
        rlxc_map_get(&m->seen, rlxc_key(atom.var)))
        return;
    rlxc_map_set(ctx, &m->seen, rlxc_key(atom.var), m);
    RLXC_PUSH(ctx, &m->args, atom);
    rlxc_sinfo_collect_vars(ctx, atom.var->sinfo, &m->symbols);
}

static void collect_attr(making *m, const rlxc_attr *a)
{
    if (a->kind == RLXC_ATTR_EXPR)
        rlxc_collect_vars(m->s->o->ctx, a->expr, &m->symbols);
    for (uint32_t i = 0; a->kind == RLXC_ATTR_LIST && i < a->list.count; i++)
        collect_attr(m, &a->list.items[i]);
}

static void collect_member(making *m, const rlxc_binding *b)
{
    rlxc_context *ctx = m->s->o->ctx;
    rlxc_visit_reads(b, collect_atom, m);
    rlxc_sinfo_collect_vars(ctx, b->var->sinfo, &m->symbols);
    for (uint32_t i = 0; i < b->n_sinfo_args; i++)
        rlxc_sinfo_collect_vars(ctx, b->sinfo_args[i], &m->symbols);
    for (uint32_t i = 0; i < b->attrs.count; i++)
        collect_attr(m, &b->attrs.values[i]);
}

static rlxc_rvar *add_param(making *m, const char *name, const rlxc_sinfo *sinfo)
{
    rlxc_context *ctx = m->s->o->ctx;
    rlxc_rvar *param = rlxc_rvar_new(ctx, m->copier.into, name, rlxc_copy_sinfo(&m->copier, sinfo));
    RLXC_PUSH(ctx, &m->params, param);
    return param;
}

/* Removes from |list| the symbols that are whole dimensions of the type. */
static void drop_bound(rlxc_var_list *list, const rlxc_sinfo *s)
{
    for (uint32_t i = 0; s->kind == RLXC_SINFO_TUPLE && i < s->n_fields; i++)
        drop_bound(list, s->fields[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->vars.count; i++) {
        bool bound = s->kind == RLXC_SINFO_PRIM && s->value == list->vars.items[i];
        for (int32_t k = 0; s->dims && k < s->ndim; k++)
            bound = bound || s->dims[k] == list->vars.items[i];
        if (!bound)
            list->vars.items[kept++] = list->vars.items[i];
    }
    list->vars.count = kept;
}

/* The parameters: what is read, then symbols that they do not bind. */
static void make_params(making *m)
{
    rlxc_context *ctx = m->s->o->ctx;
    rlxc_var_list open = {0};
    for (uint32_t i = 0; i < m->symbols.vars.count; i++) {
        const rlxc_expr *var = m->symbols.vars.items[i];
        RLXC_PUSH(ctx, &m->copier.from.vars, var);
        RLXC_PUSH(ctx, &m->copier.to.vars, rlxc_var_like(ctx, var));
        RLXC_PUSH(ctx, &open.vars, var);
    }
    for (uint32_t i = 0; i < m->args.count; i++) {
        const rlxc_rvar *var = m->args.items[i].var;
        rlxc_map_set(ctx, &m->copier.vars, rlxc_key(var), add_param(m, var->name, var->sinfo));
        drop_bound(&open, var->sinfo);
    }
    if (open.vars.count == 0)
        return;
    const uint32_t n = open.vars.count;
    add_param(m, "symbols", rlxc_sinfo_shape(ctx, (int32_t)n, open.vars.items));
    RLXC_PUSH(ctx, &m->args, rlxc_atom_shape(ctx, open.vars.items, n));
}

/* Constants among the operands of a copied member become parameters. */
static void lift_constants(making *m, rlxc_binding *b)
{
    rlxc_context *ctx = m->s->o->ctx;
    rlxc_atom *args = rlxc_alloc(ctx, ((size_t)b->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < b->n_args; i++) {
        args[i] = b->args[i];
        if (args[i].kind != RLXC_ATOM_CONSTANT)
            continue;
        rlxc_rvar *param = rlxc_map_get(&m->seen, rlxc_key(args[i].constant));
        if (!param) {
            param = add_param(m, "const", rlxc_atom_sinfo(ctx, m->s->o->module, args[i]));
            rlxc_map_set(ctx, &m->seen, rlxc_key(args[i].constant), param);
            RLXC_PUSH(ctx, &m->args, args[i]);
        }
        args[i] = rlxc_atom_var(param);
    }
    b->args = args;
}

typedef RLXC_VEC(rlxc_rvar *) rvar_vec;

/* Emits the call and, of several results, each one's item. */
static void emit_call(making *m, const char *name, const rvar_vec *results, rlxc_range range)
{
    const rlxc_outline *o = m->s->o;
    rlxc_context *ctx = o->ctx;
    rlxc_rvar *var = results->count == 1 ? results->items[0] : NULL;
    if (!var) {
        const rlxc_sinfo **types =
            rlxc_alloc(ctx, ((size_t)results->count + 1) * sizeof(const rlxc_sinfo *));
        for (uint32_t i = 0; i < results->count; i++)
            types[i] = results->items[i]->sinfo;
        var = rlxc_rvar_new(ctx, o->host, "lv", rlxc_sinfo_tuple(ctx, types, results->count));
        var->is_dataflow = o->block->is_dataflow;
    }
    rlxc_binding *call = rlxc_binding_new(ctx, RLXC_FORM_CALL, var);
    call->callee = rlxc_atom_global(ctx, name);
    call->args = m->args.items;
    call->n_args = m->args.count;
    call->range = range;
    rlxc_block_push(ctx, m->s->out, call);
    for (uint32_t i = 0; results->count != 1 && i < results->count; i++) {
        rlxc_binding *get = rlxc_binding_new(ctx, RLXC_FORM_TUPLE_GET, results->items[i]);
        const rlxc_atom tuple = rlxc_atom_var(var);
        get->args = rlxc_copy(ctx, &tuple, sizeof tuple);
        get->n_args = 1;
        get->index = i;
        get->range = range;
        rlxc_block_push(ctx, m->s->out, get);
    }
}

/* The end of the new function: its results, and their types. */
static void make_results(making *m, const rvar_vec *results)
{
    rlxc_context *ctx = m->s->o->ctx;
    rlxc_function *f = m->copier.into;
    rlxc_atom *items = rlxc_alloc(ctx, ((size_t)results->count + 1) * sizeof *items);
    const rlxc_sinfo **types =
        rlxc_alloc(ctx, ((size_t)results->count + 1) * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < results->count; i++) {
        rlxc_rvar *var = rlxc_map_get(&m->copier.vars, rlxc_key(results->items[i]));
        var->is_dataflow = false;
        items[i] = rlxc_atom_var(var);
        types[i] = var->sinfo;
    }
    const bool one = results->count == 1;
    f->body.result = one ? items[0] : rlxc_atom_tuple(ctx, items, results->count);
    f->ret = one ? types[0] : rlxc_sinfo_tuple(ctx, types, results->count);
}

/* Makes the function of a group, and its call at the end of the block. */
static bool make_group(state *s, uint32_t group)
{
    const rlxc_outline *o = s->o;
    rlxc_context *ctx = o->ctx;
    const rlxc_outline_group *g = &o->groups[group];
    rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
    rlxc_range range = o->block->bindings[s->last[group]]->range;
    *f = (rlxc_function){.name = g->name,
                         .attrs = g->attrs,
                         .is_private = true,
                         .is_pure = true,
                         .range = range,
                         .marked = g->marked};
    making m = {.s = s, .group = group, .copier = {.ctx = ctx, .into = f}};
    for (uint32_t i = s->first[group]; i <= s->last[group]; i++)
        if (o->group_of[i] == group)
            collect_member(&m, o->block->bindings[i]);
    make_params(&m);
    rlxc_binding_block *block = rlxc_block_new(ctx, !o->copy);
    rvar_vec results = {0};
    for (uint32_t i = s->first[group]; i <= s->last[group] && !rlxc_failed(ctx); i++) {
        const rlxc_binding *b = o->block->bindings[i];
        if (o->group_of[i] != group)
            continue;
        if (s->outside_uses[b->var->id] > 0)
            RLXC_PUSH(ctx, &results, b->var);
        if (o->copy) {
            o->copy(o->user, &m.copier, block, b, group);
        } else {
            rlxc_binding *again = rlxc_copy_binding(&m.copier, b);
            again->var->is_dataflow = true;
            rlxc_block_push(ctx, block, again);
        }
        if (g->lift_constants && block->n > 0)
            lift_constants(&m, block->bindings[block->n - 1]);
    }
    if (rlxc_failed(ctx))
        return false;
    f->params = m.params.items;
    f->n_params = m.params.count;
    rlxc_body_push(ctx, &f->body, block);
    make_results(&m, &results);
    rlxc_global *global = rlxc_module_add_relax(ctx, o->module, f, true);
    if (!global || rlxc_failed(ctx))
        return false;
    emit_call(&m, global->name, &results, range);
    return true;
}

/* --- what may be a group ---------------------------------------------------------------------- */

typedef struct reach {
    const rlxc_map *places;
    const bool *needs; /* a member, by place */
    bool found;
} reach;

static void find_need(void *user, rlxc_atom atom)
{
    reach *r = user;
    const uint32_t place = atom.kind == RLXC_ATOM_VAR
                               ? (uint32_t)(uintptr_t)rlxc_map_get(r->places, rlxc_key(atom.var))
                               : 0;
    r->found = r->found || (place > 0 && r->needs[place - 1]);
}

/* Marks binding |i|, and all of its group. */
static void mark(bool *needs, const rlxc_binding_block *block, const uint32_t *group_of, uint32_t i)
{
    for (uint32_t k = 0; group_of[i] != RLXC_NO_GROUP && k < block->n; k++)
        needs[k] = needs[k] || group_of[k] == group_of[i];
    needs[i] = true;
}

bool rlxc_outline_may_group(rlxc_context *ctx, const rlxc_binding_block *block,
                            const rlxc_map *places, const uint32_t *group_of, uint32_t group)
{
    bool *needs = rlxc_try_alloc(ctx, (size_t)block->n + 1, sizeof *needs), again = true;
    for (uint32_t i = 0; needs && i < block->n; i++)
        needs[i] = group_of[i] == group;
    while (needs && again) { /* until no earlier member of another group is new */
        again = false;
        for (uint32_t i = 0; i < block->n; i++) {
            reach r = {places, needs, false};
            if (needs[i])
                continue;
            rlxc_visit_reads(block->bindings[i], find_need, &r);
            again = again || (r.found && group_of[i] != RLXC_NO_GROUP);
            if (r.found)
                mark(needs, block, group_of, i);
        }
    }
    for (uint32_t i = 0; needs && i < block->n; i++)
        needs[i] = needs[i] && group_of[i] != group;
    for (uint32_t i = 0; needs && i < block->n; i++) {
        reach r = {places, needs, false};
        if (group_of[i] == group)
            rlxc_visit_reads(block->bindings[i], find_need, &r);
        if (r.found)
            return false;
    }
    return needs != NULL;
}

/* --- the order of the block ------------------------------------------------------------------- */

typedef struct edge {
    state *s;
    uint32_t from; /* unit of the reader */
} edge;

static void add_edge(void *user, rlxc_atom atom)
{
    edge *e = user;
    state *s = e->s;
    uint32_t place = atom.kind == RLXC_ATOM_VAR ? place_of(s, atom.var) : 0;
    if (place == 0)
        return;
    uint32_t maker = unit_of(s, place - 1);
    if (maker == e->from) {
        s->outside_uses[atom.var->id]--;
        return;
    }
    RLXC_PUSH(s->o->ctx, &s->units[maker].readers, e->from);
    s->units[e->from].waits++;
}

static bool emit_unit(state *s, uint32_t u)
{
    const uint32_t n = s->o->block->n;
    s->units[u].done = true;
    if (u < n)
        rlxc_block_push(s->o->ctx, s->out, s->o->block->bindings[u]);
    else if (!make_group(s, u - n))
        return false;
    for (uint32_t i = 0; i < s->units[u].readers.count; i++) {
        unit *reader = &s->units[s->units[u].readers.items[i]];
        if (--reader->waits == 0 && reader->reached)
            RLXC_PUSH(s->o->ctx, &s->ready, s->units[u].readers.items[i]);
    }
    return true;
}

/* Emits the unit if nothing is missing, and then those that waited for it. */
static bool reach_unit(state *s, uint32_t u)
{
    s->units[u].reached = true;
    if (s->units[u].waits > 0)
        return true;
    RLXC_PUSH(s->o->ctx, &s->ready, u);
    for (uint32_t i = 0; i < s->ready.count; i++)
        if (!s->units[s->ready.items[i]].done && !emit_unit(s, s->ready.items[i]))
            return false;
    s->ready.count = 0;
    return !rlxc_failed(s->o->ctx);
}

bool rlxc_outline_block(const rlxc_outline *o)
{
    const uint32_t n = o->block->n;
    state s = {.o = o, .out = rlxc_block_new(o->ctx, o->block->is_dataflow)};
    s.outside_uses = rlxc_count_uses(o->ctx, rlxc_outermost(o->host));
    s.units = rlxc_try_alloc(o->ctx, (size_t)n + o->n_groups + 1, sizeof *s.units);
    s.first = rlxc_try_alloc(o->ctx, (size_t)o->n_groups + 1, sizeof *s.first);
    s.last = rlxc_try_alloc(o->ctx, (size_t)o->n_groups + 1, sizeof *s.last);
    if (!s.outside_uses || !s.units || !s.first || !s.last)
        return false;
    for (uint32_t i = n; i-- > 0;)
        if (o->group_of[i] != RLXC_NO_GROUP)
            s.first[o->group_of[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
        rlxc_map_set(o->ctx, &s.place, rlxc_key(o->block->bindings[i]->var),
                     (void *)((uintptr_t)i + 1));
        if (o->group_of[i] != RLXC_NO_GROUP)
            s.last[o->group_of[i]] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        edge e = {.s = &s, .from = unit_of(&s, i)};
        rlxc_visit_reads(o->block->bindings[i], add_edge, &e);
    }
    for (uint32_t i = 0; i < n && !rlxc_failed(o->ctx); i++) {
        const uint32_t g = o->group_of[i];
        if ((g == RLXC_NO_GROUP || s.last[g] == i) && !reach_unit(&s, unit_of(&s, i)))
            return false;
    }
    for (uint32_t u = 0; u < n + o->n_groups; u++)
        if (s.units[u].waits > 0 && s.units[u].reached && !s.units[u].done) {
            rlxc_internal(o->ctx, (rlxc_range){0}, "outline", "the groups of a block are cyclic");
            return false;
        }
    if (rlxc_failed(o->ctx))
        return false;
    *o->block = *s.out;
    return true;
}
