/* The cache of legalize_cache.h. Its entries refer to bindings of the function being rewritten,
 * which live in the arena; an entry whose PrimFunc has left the module is not used. */
#include "compiler/ops/legalize_cache.h"

#include <string.h>

enum { MAX_LEAVES = 24 }; /* calls with more arguments are not cached */

typedef struct leaf_list {
    rlxc_atom atoms[MAX_LEAVES];
    const rlxc_sinfo *types[MAX_LEAVES];
    uint32_t n;
    uint64_t shape; /* how the leaves nest */
    bool fits;
} leaf_list;

typedef struct entry entry;
struct entry {
    const rlxc_binding *call;
    const char *vdevice; /* of the builder */
    leaf_list leaves;
    const rlxc_prim_func *prim;
    const rlxc_binding *lowered; /* the call_tir */
    uint8_t sources[MAX_LEAVES]; /* leaf of each of its arguments */
    entry *next;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void add_leaves(leaf_list *list, rlxc_context *ctx, const rlxc_module *module,
                       const rlxc_atom *atoms, uint32_t n, uint32_t depth)
{
    list->shape = mix(list->shape, n);
    for (uint32_t i = 0; i < n; i++) {
        if (atoms[i].kind == RLXC_ATOM_TUPLE && depth < 2) {
            add_leaves(list, ctx, module, atoms[i].items, atoms[i].n, depth + 1);
            continue;
        }
        if (list->n == MAX_LEAVES || atoms[i].kind == RLXC_ATOM_TUPLE) {
            list->fits = false;
            return;
        }
        bool tensor = atoms[i].kind == RLXC_ATOM_VAR || atoms[i].kind == RLXC_ATOM_CONSTANT;
        list->atoms[list->n] = atoms[i];
        list->types[list->n++] = tensor ? rlxc_atom_sinfo(ctx, module, atoms[i]) : NULL;
    }
}

/* Scalar constants become immediates of the kernel, so their value is part of the key. */
static bool is_literal(rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_CONSTANT && atom.constant->ndim == 0 && !atom.constant->lifted;
}

static bool leaves_alike(const leaf_list *a, const leaf_list *b)
{
    if (a->n != b->n || a->shape != b->shape)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        rlxc_atom x = a->atoms[i], y = b->atoms[i];
        if (a->types[i] != b->types[i] || is_literal(x) != is_literal(y))
            return false;
        if (!a->types[i] && !rlxc_atom_equal(x, y))
            return false;
        if (is_literal(x) && (x.constant->nbytes != y.constant->nbytes ||
                              memcmp(x.constant->data, y.constant->data, x.constant->nbytes) != 0))
            return false;
        /* repeated arguments: the same positions must repeat */
        for (uint32_t k = 0; k < i; k++)
            if (rlxc_atom_equal(a->atoms[k], x) != rlxc_atom_equal(b->atoms[k], y))
                return false;
    }
    return true;
}

static uint64_t hash_leaf(rlxc_atom atom, const rlxc_sinfo *type)
{
    uint64_t hash = mix(atom.kind, type ? type->id : 0), bytes = 0;
    if (is_literal(atom)) {
        size_t n = atom.constant->nbytes < sizeof bytes ? atom.constant->nbytes : sizeof bytes;
        memcpy(&bytes, atom.constant->data, n);
        hash = mix(hash, bytes);
    }
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_SHAPE && i < atom.n; i++)
        hash = mix(hash, atom.dims[i]->id);
    return atom.kind == RLXC_ATOM_PRIM ? mix(hash, atom.prim->id) : hash;
}

static uint64_t hash_of(const rlxc_binding *call, const leaf_list *leaves)
{
    uint64_t hash = mix(leaves->shape, call->op->index);
    for (uint32_t i = 0; i < leaves->n; i++)
        hash = mix(hash, hash_leaf(leaves->atoms[i], leaves->types[i]));
    return hash;
}

static rlxc_atom emit_again(rlxc_builder *b, const rlxc_binding *call, const entry *e,
                            const leaf_list *leaves)
{
    const rlxc_binding *lowered = e->lowered;
    uint32_t n = lowered->args[1].n;
    rlxc_atom *args = rlxc_alloc(b->ctx, (n + 1) * sizeof *args);
    for (uint32_t i = 0; i < n; i++)
        args[i] = leaves->atoms[e->sources[i]];
    return rlxc_emit_call_tir(b, lowered->args[0].text, args, n, lowered->sinfo_args[0],
                              lowered->n_args > 2 ? &lowered->args[2] : NULL, call->var->name);
}

/* Caches |lowered| if it is one call_tir whose arguments are all arguments of the call. */
static void remember(rlxc_legalize_cache *cache, rlxc_builder *b, const rlxc_binding *call,
                     const leaf_list *leaves, uint64_t hash, const rlxc_binding *lowered)
{
    bool is_tir = lowered->form == RLXC_FORM_CALL && lowered->op &&
                  strcmp(lowered->op->name, "call_tir") == 0 && lowered->n_args >= 2 &&
                  lowered->args[1].kind == RLXC_ATOM_TUPLE && lowered->args[1].n <= MAX_LEAVES;
    if (!is_tir)
        return;
    const rlxc_global *global = rlxc_module_find(b->module, lowered->args[0].text);
    if (!global || !global->prim)
        return;
    entry *e = rlxc_alloc(b->ctx, sizeof *e);
    *e = (entry){.call = call,
                 .vdevice = b->vdevice,
                 .leaves = *leaves,
                 .prim = global->prim,
                 .lowered = lowered};
    for (uint32_t i = 0; i < lowered->args[1].n; i++) {
        uint32_t k = 0;
        while (k < leaves->n && !rlxc_atom_equal(leaves->atoms[k], lowered->args[1].items[i]))
            k++;
        if (k == leaves->n)
            return;
        e->sources[i] = (uint8_t)k;
    }
    e->next = rlxc_map_get(&cache->calls, hash);
    rlxc_map_set(b->ctx, &cache->calls, hash, e);
}

rlxc_atom rlxc_legalize_call(rlxc_legalize_cache *cache, rlxc_builder *b, const rlxc_binding *call)
{
    leaf_list leaves = {.fits = true};
    add_leaves(&leaves, b->ctx, b->module, call->args, call->n_args, 0);
    uint64_t hash = leaves.fits ? hash_of(call, &leaves) : 0;
    for (const entry *e = leaves.fits ? rlxc_map_get(&cache->calls, hash) : NULL; e; e = e->next) {
        if (e->call->op != call->op || e->vdevice != b->vdevice ||
            !rlxc_attrs_equal(&e->call->attrs, &call->attrs) || !leaves_alike(&e->leaves, &leaves))
            continue;
        const rlxc_global *global = rlxc_module_find(b->module, e->lowered->args[0].text);
        if (global && global->prim == e->prim)
            return emit_again(b, call, e, &leaves);
    }
    uint32_t before = b->block->n;
    rlxc_atom atom = call->op->legalize(b, call);
    if (leaves.fits && atom.kind == RLXC_ATOM_VAR && !rlxc_failed(b->ctx) &&
        b->block->n == before + 1 && b->block->bindings[before]->var == atom.var)
        remember(cache, b, call, &leaves, hash, b->block->bindings[before]);
    return atom;
}
