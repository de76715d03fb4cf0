/* Constants by what computes them. See derivations.h. */
#include "compiler/driver/derivations.h"

#include <string.h>

#include "compiler/base/hash.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/op.h"

typedef struct entry {
    const rlxc_constant *constant;
    struct entry *next; /* of the same hash */
} entry;

static const rlxc_constant *first_of(const rlxc_derivations *d, const rlxc_constant *c)
{
    const rlxc_constant *known = rlxc_map_get(&d->first, rlxc_key(c));
    return known ? known : c;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return rlxc_hash64_bytes(hash, &value, sizeof value);
}

static uint64_t hash_atom(const rlxc_derivations *d, uint64_t hash, rlxc_atom a)
{
    hash = mix(hash, a.kind);
    if (a.kind == RLXC_ATOM_CONSTANT) {
        const rlxc_constant *c = first_of(d, a.constant);
        return mix(hash, c->lifted || c->made ? rlxc_key(c) : c->nbytes);
    }
    for (uint32_t i = 0; a.kind == RLXC_ATOM_TUPLE && i < a.n; i++)
        hash = hash_atom(d, hash, a.items[i]);
    return hash;
}

static uint64_t hash_of(rlxc_context *ctx, const rlxc_derivations *d, const rlxc_constant *c)
{
    uint64_t hash = mix(RLXC_HASH_START, c->nbytes);
    if (!c->made)
        return c->name ? rlxc_hash64_bytes(hash, c->name, strlen(c->name)) : hash;
    hash = mix(hash, c->made->op ? c->made->op->index + 1u : 0);
    for (uint32_t i = 0; i < c->made->n_args; i++)
        hash = hash_atom(d, hash, c->made->args[i]);
    return c->made_by ? mix(hash, rlxc_prim_func_hash(ctx, c->made_by)) : hash;
}

static bool same_bytes(const rlxc_constant *a, const rlxc_constant *b)
{
    return a->nbytes == b->nbytes &&
           (a->data == b->data || a->nbytes == 0 ||
            (a->data && b->data && memcmp(a->data, b->data, a->nbytes) == 0));
}

static bool same_operand(const rlxc_derivations *d, rlxc_atom a, rlxc_atom b)
{
    if (a.kind == RLXC_ATOM_CONSTANT && b.kind == RLXC_ATOM_CONSTANT) {
        const rlxc_constant *x = first_of(d, a.constant), *y = first_of(d, b.constant);
        const bool values = x->lifted || x->made || y->lifted || y->made;
        return values ? x == y : rlxc_constant_equal(x, y);
    }
    if (a.kind != RLXC_ATOM_TUPLE || b.kind != RLXC_ATOM_TUPLE)
        return rlxc_atom_equal(a, b);
    bool same = a.n == b.n;
    for (uint32_t i = 0; same && i < a.n; i++)
        same = same_operand(d, a.items[i], b.items[i]);
    return same;
}

static bool same_computation(rlxc_context *ctx, const rlxc_derivations *d, const rlxc_constant *x,
                             const rlxc_constant *y)
{
    const rlxc_binding *a = x->made, *b = y->made;
    if (a->form != b->form || a->op != b->op || a->index != b->index || a->n_args != b->n_args ||
        !x->made_by != !y->made_by || !rlxc_attrs_equal(&a->attrs, &b->attrs))
        return false;
    for (uint32_t i = x->made_by ? 1 : 0; i < a->n_args; i++) /* behind the function's name */
        if (!same_operand(d, a->args[i], b->args[i]))
            return false;
    return !x->made_by || rlxc_prim_func_equal(ctx, x->made_by, y->made_by);
}

static bool same(rlxc_context *ctx, const rlxc_derivations *d, const rlxc_constant *a,
                 const rlxc_constant *b)
{
    if (!rlx_dtype_eq(a->dtype, b->dtype) || a->ndim != b->ndim || a->lifted != b->lifted ||
        !a->made != !b->made ||
        (a->ndim > 0 && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) != 0))
        return false;
    if (a->made)
        return same_computation(ctx, d, a, b) && same_bytes(a, b);
    return a->name && b->name && strcmp(a->name, b->name) == 0 && same_bytes(a, b);
}

const rlxc_constant *rlxc_first_derived(rlxc_context *ctx, rlxc_derivations *d,
                                        const rlxc_constant *c)
{
    const rlxc_constant *known = rlxc_map_get(&d->first, rlxc_key(c));
    if (known)
        return known;
    const uint64_t hash = hash_of(ctx, d, c);
    entry *newest = rlxc_map_get(&d->by_hash, hash ? hash : 1), *e = newest;
    while (e && !same(ctx, d, e->constant, c))
        e = e->next;
    if (!e) {
        e = rlxc_alloc(ctx, sizeof *e);
        *e = (entry){c, newest};
        rlxc_map_set(ctx, &d->by_hash, hash ? hash : 1, e);
    }
    rlxc_map_set(ctx, &d->first, rlxc_key(c), (void *)(uintptr_t)e->constant);
    return e->constant;
}
