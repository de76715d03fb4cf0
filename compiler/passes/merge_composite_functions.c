/* Pass merge_composite_functions: neighbouring calls of composite functions of one code generator
 * become one function marked with attribute Codegen, as Relax's MergeCompositeFunctions does. In it
 * the composite functions are local ones. Constants that a call of one gets are operands of the new
 * function. Items of a tuple that such a call returns belong to the call.
 *
 * The generator of "dnnl.relu" is "dnnl". A call joins the group of an operand if no value then
 * leaves the group and comes back, and nothing between them has an effect or can fail. */
#include "compiler/analysis/effects.h"
#include "compiler/passes/composite.h"
#include "compiler/passes/merge_groups.h"
#include "compiler/passes/outline.h"
#include "compiler/passes/passes.h"

#include <string.h>

const char *rlxc_mark_in(rlxc_context *ctx, const rlxc_attrs *attrs, const char *key)
{
    const rlxc_attr *mark = rlxc_attrs_find(attrs, rlxc_intern_cstr(ctx, key));
    return mark && mark->kind == RLXC_ATTR_STRING ? mark->s : NULL;
}

const char *rlxc_mark_of(rlxc_context *ctx, const rlxc_function *f, const char *key)
{
    return rlxc_mark_in(ctx, &f->attrs, key);
}

bool rlxc_is_marked(rlxc_context *ctx, const rlxc_function *f)
{
    return rlxc_mark_of(ctx, f, "Composite") || rlxc_mark_of(ctx, f, "Codegen");
}

typedef struct merging {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *host;
    rlxc_binding_block *block;
    const rlxc_function **callees; /* by place: the composite function called, or whose result the
                                    * item is of, or NULL */
    const char **generators;       /* by place, of these */
    const rlxc_options *options;
    bool *alone;       /* by place: not to be merged with others */
    uint32_t *effects; /* by place: bindings before it that must keep their places */
    rlxc_map places;   /* variable -> 1 + place */
    rlxc_merge_groups groups;
    rlxc_map locals; /* of the group being made: composite function -> variable */
    uint32_t group;
} merging;

/* The composite function that |b| calls, if it is one of the module. */
static const rlxc_function *callee_of(const merging *m, const rlxc_binding *b)
{
    const rlxc_global *g = b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(m->module, b->callee.text)
                               : NULL;
    return g && g->relax && rlxc_mark_of(m->ctx, g->relax, "Composite") &&
                   !rlxc_mark_of(m->ctx, g->relax, "Codegen")
               ? g->relax
               : NULL;
}

static const char *generator_of(const merging *m, const rlxc_function *f)
{
    const char *composite = rlxc_mark_of(m->ctx, f, "Composite");
    return rlxc_intern(m->ctx, composite, strcspn(composite, "."));
}

/* --- which calls belong together ---------------------------------------------------------------
 */

/* Nothing that must keep its place lies between the first member of |group| and |last|. */
static bool may_move(merging *m, uint32_t group, uint32_t last)
{
    return m->effects[last] == m->effects[m->groups.first[rlxc_merge_group_of(&m->groups, group)]];
}

typedef struct joining {
    merging *m;
    uint32_t place;
} joining;

static void join_operand(void *user, rlxc_atom atom)
{
    const joining *j = user;
    merging *m = j->m;
    uint32_t place = atom.kind == RLXC_ATOM_VAR
                         ? (uint32_t)(uintptr_t)rlxc_map_get(&m->places, rlxc_key(atom.var))
                         : 0;
    if (place > 0 && m->callees[place - 1] && m->generators[place - 1] == m->generators[j->place] &&
        !m->alone[place - 1] && !m->alone[j->place] && may_move(m, place - 1, j->place))
        rlxc_merge_groups_join(&m->groups, place - 1, j->place);
}

/* The place of the call whose tuple binding |i| takes an item of; |i| for others. */
static uint32_t tuple_of(const merging *m, uint32_t i)
{
    const rlxc_binding *b = m->block->bindings[i];
    const uintptr_t place = b->form == RLXC_FORM_TUPLE_GET && b->args[0].kind == RLXC_ATOM_VAR
                                ? (uintptr_t)rlxc_map_get(&m->places, rlxc_key(b->args[0].var))
                                : 0;
    return place > 0 && m->callees[place - 1] ? (uint32_t)place - 1 : i;
}

/* --- the functions ---------------------------------------------------------------------------- */

/* The composite function as a local one, and a call of it. */
static void copy_member(void *user, rlxc_copier *c, rlxc_binding_block *block,
                        const rlxc_binding *member, uint32_t group)
{
    merging *m = user;
    const rlxc_function *callee = callee_of(m, member);
    if (group != m->group)
        m->locals = (rlxc_map){0};
    m->group = group;
    if (!callee) { /* an item of a tuple */
        rlxc_binding *item = rlxc_copy_binding(c, member);
        item->var->is_dataflow = false;
        rlxc_block_push(m->ctx, block, item);
        return;
    }
    rlxc_rvar *local = rlxc_map_get(&m->locals, rlxc_key(callee));
    if (!local) {
        rlxc_function *f = rlxc_copy_function(m->ctx, c->into, callee);
        local = rlxc_rvar_new(m->ctx, c->into, callee->name, rlxc_function_sinfo(m->ctx, f));
        rlxc_binding *b = rlxc_binding_new(m->ctx, RLXC_FORM_FUNCTION, local);
        b->function = f;
        b->range = member->range;
        rlxc_block_push(m->ctx, block, b);
        rlxc_map_set(m->ctx, &m->locals, rlxc_key(callee), local);
    }
    rlxc_binding *call = rlxc_copy_binding(c, member);
    call->callee = rlxc_atom_var(local);
    call->var->is_dataflow = false;
    rlxc_block_push(m->ctx, block, call);
}

static rlxc_outline_group describe(const merging *m, uint32_t last)
{
    const rlxc_function *callee = m->callees[last];
    rlxc_outline_group g = {
        .name = rlxc_internf(m->ctx, "%s_%s", callee->name, m->generators[last]),
        .marked = callee->marked.line ? callee->marked : m->block->bindings[last]->range,
        .lift_constants = true};
    g.attrs = rlxc_attrs_with(m->ctx, g.attrs, rlxc_intern_cstr(m->ctx, "Codegen"),
                              rlxc_attr_string(m->ctx, m->generators[last]));
    return g;
}

static bool outline(merging *m)
{
    const uint32_t n = m->block->n;
    uint32_t *numbers = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *numbers), count = 0;
    rlxc_outline_group *groups = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *groups);
    rlxc_map known = {0};
    if (!numbers || !groups)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        numbers[i] = RLXC_NO_GROUP;
        if (!m->callees[i])
            continue;
        const uint64_t group = (uint64_t)rlxc_merge_group_of(&m->groups, i) + 1;
        uintptr_t number = (uintptr_t)rlxc_map_get(&known, group);
        if (number == 0) {
            number = ++count;
            rlxc_map_set(m->ctx, &known, group, (void *)number);
        }
        numbers[i] = (uint32_t)number - 1;
        groups[numbers[i]] = describe(m, i);
    }
    const rlxc_outline o = {.ctx = m->ctx,
                            .module = m->module,
                            .host = m->host,
                            .block = m->block,
                            .group_of = numbers,
                            .groups = groups,
                            .n_groups = count,
                            .copy = copy_member,
                            .user = m};
    m->group = RLXC_NO_GROUP;
    return rlxc_outline_block(&o);
}

/* The pattern that |f| is says that it is not merged. */
static bool is_alone(const merging *m, const rlxc_function *f)
{
    const char *composite = rlxc_mark_of(m->ctx, f, "Composite");
    for (uint32_t i = 0; i < m->options->n_fusions; i++)
        if (strcmp(m->options->fusions[i].name, composite) == 0)
            return m->options->fusions[i].alone;
    return false;
}

static bool merge_block(merging *m)
{
    const uint32_t n = m->block->n;
    bool any = false;
    m->callees = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof(const rlxc_function *));
    m->generators = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof(const char *));
    m->effects = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *m->effects);
    m->alone = rlxc_try_alloc(m->ctx, (size_t)n + 1, sizeof *m->alone);
    m->places = (rlxc_map){0};
    if (!m->callees || !m->generators || !m->effects || !m->alone)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_binding *b = m->block->bindings[i];
        rlxc_map_set(m->ctx, &m->places, rlxc_key(b->var), (void *)((uintptr_t)i + 1));
        const uint32_t tuple = tuple_of(m, i);
        m->callees[i] = tuple != i ? m->callees[tuple] : callee_of(m, b);
        m->effects[i + 1] = m->effects[i] + !rlxc_binding_is_pure(m->module, b);
        if (!m->callees[i])
            continue;
        any = true;
        m->generators[i] = generator_of(m, m->callees[i]);
        m->alone[i] = is_alone(m, m->callees[i]);
    }
    if (any && !rlxc_merge_groups_init(&m->groups, m->ctx, m->block, &m->places))
        return false;
    for (uint32_t i = 0; any && i < n && !rlxc_failed(m->ctx); i++) {
        const rlxc_binding *b = m->block->bindings[i];
        joining j = {m, i};
        if (!m->callees[i])
            continue;
        if (tuple_of(m, i) != i) {
            rlxc_merge_groups_join(&m->groups, tuple_of(m, i), i);
            continue;
        }
        for (uint32_t a = 0; a < b->n_args; a++)
            rlxc_atom_visit(b->args[a], join_operand, &j);
    }
    return !rlxc_failed(m->ctx) && (!any || outline(m));
}

static bool merge_body(merging *m, rlxc_body *body)
{
    rlxc_function *outer = m->host;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            bool ok = true;
            if (b->form == RLXC_FORM_IF) {
                ok = merge_body(m, b->then) && merge_body(m, b->otherwise);
            } else if (b->form == RLXC_FORM_FUNCTION && !rlxc_is_marked(m->ctx, b->function)) {
                m->host = b->function;
                ok = merge_body(m, &b->function->body);
                m->host = outer;
            }
            if (!ok)
                return false;
        }
        m->block = body->blocks[i];
        if (!merge_block(m))
            return false;
    }
    return true;
}

typedef struct mentions {
    rlxc_context *ctx;
    rlxc_map names;   /* -> how often they are mentioned */
    intptr_t further; /* what a mention adds */
} mentions;

static void count_mention(void *user, rlxc_atom atom)
{
    mentions *s = user;
    if (atom.kind == RLXC_ATOM_GLOBAL) {
        const uint64_t key = rlxc_key(atom.text);
        const intptr_t n = (intptr_t)rlxc_map_get(&s->names, key) + s->further;
        rlxc_map_set(s->ctx, &s->names, key, (void *)n);
    }
}

/* Removes composite functions that nothing calls any longer. */
static void remove_unused(const merging *m)
{
    mentions s = {.ctx = m->ctx, .further = 1};
    const rlxc_module *module = m->module;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            rlxc_body_visit(&module->globals.items[i]->relax->body, count_mention, &s);
    s.further = -1;
    for (uint32_t i = module->globals.count; i-- > 0;) {
        const rlxc_function *f = module->globals.items[i]->relax;
        if (f && rlxc_mark_of(m->ctx, f, "Composite") && !rlxc_mark_of(m->ctx, f, "Codegen") &&
            !rlxc_map_get(&s.names, rlxc_key(f->name))) {
            rlxc_body_visit(&f->body, count_mention, &s);
            rlxc_module_remove(m->ctx, m->module, f->name);
        }
    }
}

bool rlxc_pass_merge_composite_functions(rlxc_context *ctx, rlxc_module *module,
                                         const rlxc_options *options)
{
    const uint32_t n = module->globals.count;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        any = any || (f && rlxc_mark_of(ctx, f, "Composite"));
    }
    merging m = {.ctx = ctx, .module = module, .options = options};
    for (uint32_t i = 0; any && i < n; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        m.host = f;
        if (f && !rlxc_is_marked(ctx, f) && !merge_body(&m, &f->body))
            return false;
    }
    if (any && !rlxc_failed(ctx))
        remove_unused(&m);
    return !rlxc_failed(ctx);
}
