/* Pass cse: equal pure bindings of one scope are computed once; equal constants are one.
 *
 * A table of the bindings seen so far in the enclosing scopes, keyed by a hash of form, operator,
 * atoms and attributes; a branch of an If (or a local function's body) sees the entries of
 * enclosing scopes, and its own entries end with it: entries are undone in reverse at the end of
 * each block. Values leave a dataflow block only through its outputs, so an entry for a dataflow
 * variable ends with its block. Bindings that bind symbols, have effects or write into arguments
 * are never merged, nor is anything in functions with kills of their own. */
#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/base/hash.h"
#include "compiler/ir/constant.h"
#include "compiler/passes/passes.h"

#include <string.h>

typedef struct entry {
    const rlxc_binding *binding;
    struct entry *next; /* same hash */
    uint64_t hash;
} entry;

typedef struct content {
    const rlxc_constant *constant;
    struct content *next; /* same hash */
} content;

typedef struct constants {
    rlxc_map contents; /* hash of the bytes -> newest content */
    rlxc_map first;    /* constant -> the first one that equals it */
} constants;

typedef struct cse {
    constants *constants; /* of the module */
    rlxc_map table;       /* hash -> newest entry */
    RLXC_VEC(entry *) log;
    RLXC_VEC(uint32_t) marks; /* log length at each block begin */
} cse;

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h;
}

static uint64_t hash_atom(uint64_t h, rlxc_atom a)
{
    h = mix(h, a.kind);
    switch (a.kind) {
    case RLXC_ATOM_VAR:
        return mix(h, a.var->id);
    case RLXC_ATOM_CONSTANT:
        return mix(h, a.constant->id);
    case RLXC_ATOM_SHAPE:
        for (uint32_t i = 0; i < a.n; i++)
            h = mix(h, a.dims[i]->id);
        return h;
    case RLXC_ATOM_PRIM:
        return mix(h, a.prim->id);
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return mix(h, rlxc_key(a.text)); /* an address: only compared within this run */
    case RLXC_ATOM_DTYPE:
        return mix(h, (uint64_t)a.dtype.code << 24 | (uint64_t)a.dtype.bits << 16 | a.dtype.lanes);
    case RLXC_ATOM_TUPLE:
        for (uint32_t i = 0; i < a.n; i++)
            h = hash_atom(h, a.items[i]);
        return h;
    case RLXC_ATOM_NONE:
        return h;
    }
    return h;
}

static uint64_t hash_binding(const rlxc_binding *b)
{
    uint64_t h = mix(b->form, b->op ? b->op->index + 1u : 0u);
    h = mix(hash_atom(h, b->callee), b->index);
    for (uint32_t i = 0; i < b->n_args; i++)
        h = hash_atom(h, b->args[i]);
    h = h ? h : 1;
    return h;
}

static bool same_value(const rlxc_binding *a, const rlxc_binding *b)
{
    if (a->form != b->form || a->op != b->op || a->index != b->index || a->n_args != b->n_args ||
        a->n_sinfo_args != b->n_sinfo_args || a->var->sinfo != b->var->sinfo ||
        !rlxc_atom_equal(a->callee, b->callee) || !rlxc_attrs_equal(&a->attrs, &b->attrs))
        return false;
    for (uint32_t i = 0; i < a->n_args; i++) {
        if (!rlxc_atom_equal(a->args[i], b->args[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->n_sinfo_args; i++) {
        if (a->sinfo_args[i] != b->sinfo_args[i])
            return false;
    }
    return true;
}

static const rlxc_constant *first_equal(rlxc_context *ctx, constants *all, const rlxc_constant *c)
{
    const rlxc_constant *known = rlxc_map_get(&all->first, rlxc_key(c));
    if (known || c->lifted)
        return known ? known : c;
    uint64_t hash = rlxc_hash64_bytes(c->nbytes, c->data, c->nbytes);
    hash = hash ? hash : 1;
    content *seen = rlxc_map_get(&all->contents, hash);
    while (seen && !rlxc_constant_equal(seen->constant, c))
        seen = seen->next;
    if (!seen) {
        seen = rlxc_alloc(ctx, sizeof *seen);
        *seen = (content){c, rlxc_map_get(&all->contents, hash)};
        rlxc_map_set(ctx, &all->contents, hash, seen);
    }
    rlxc_map_set(ctx, &all->first, rlxc_key(c), (void *)(uintptr_t)seen->constant);
    return seen->constant;
}

/* Each constant that is an argument becomes the first one that equals it. */
static void merge_constants(rlxc_context *ctx, constants *all, rlxc_binding *binding)
{
    rlxc_atom *args = NULL;
    for (uint32_t i = 0; i < binding->n_args; i++) {
        const rlxc_atom a = binding->args[i];
        const rlxc_constant *c = a.kind == RLXC_ATOM_CONSTANT ? a.constant : NULL;
        const rlxc_constant *first = c ? first_equal(ctx, all, c) : NULL;
        if (first == c)
            continue;
        if (!args) {
            args = rlxc_alloc(ctx, binding->n_args * sizeof *args);
            memcpy(args, binding->args, binding->n_args * sizeof *args);
            binding->args = args;
        }
        args[i] = rlxc_atom_constant(first);
    }
}

static void block_begin(void *user, rlxc_builder *b)
{
    cse *c = user;
    RLXC_PUSH(b->ctx, &c->marks, c->log.count);
}

static void forget(rlxc_context *ctx, cse *c, entry *e)
{
    entry *newest = rlxc_map_get(&c->table, e->hash);
    if (newest == e) {
        rlxc_map_set(ctx, &c->table, e->hash, e->next);
        return;
    }
    for (; newest; newest = newest->next) {
        if (newest->next == e) {
            newest->next = e->next;
            return;
        }
    }
}

/* Keeps an entry only if its variable is visible after the block: outputs of dataflow blocks and
 * variables of binding blocks at the function's top level. */
static void block_end(void *user, rlxc_builder *b)
{
    cse *c = user;
    uint32_t mark = c->marks.count ? c->marks.items[--c->marks.count] : 0;
    uint32_t kept = mark;
    for (uint32_t i = mark; i < c->log.count; i++) {
        entry *e = c->log.items[i];
        if (c->marks.count == 0 && !e->binding->var->is_dataflow)
            c->log.items[kept++] = e;
        else
            forget(b->ctx, c, e);
    }
    c->log.count = kept;
}

static rlxc_rewrite_action merge_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    cse *c = user;
    merge_constants(b->ctx, c->constants, binding);
    if (!rlxc_binding_is_mergeable(b->module, binding))
        return RLXC_REWRITE_KEEP;
    uint64_t hash = hash_binding(binding);
    for (entry *e = rlxc_map_get(&c->table, hash); e; e = e->next) {
        const rlxc_atom known = rlxc_atom_var(e->binding->var);
        if (same_value(e->binding, binding) && rlxc_may_stand_for(binding->var, known)) {
            *replacement = known;
            return RLXC_REWRITE_REPLACE;
        }
    }
    entry *e = rlxc_alloc(b->ctx, sizeof *e);
    e->binding = binding;
    e->hash = hash;
    e->next = rlxc_map_get(&c->table, hash);
    rlxc_map_set(b->ctx, &c->table, hash, e);
    RLXC_PUSH(b->ctx, &c->log, e);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_cse(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    constants all = {0};
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        cse c = {.constants = &all};
        const rlxc_rewrite_pass pass = {&c, merge_binding, block_begin, block_end};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
