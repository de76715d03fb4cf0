/* Random operations that move or create elements: reshapes, concatenations, slices, creation. As in
 * generate_ops.c, each binds one value, or returns -1 if nothing in scope fits. */
#include <string.h>

#include "tests/random/generate.h"

void insert_dim(type *t, unsigned at, dim d)
{
    memmove(&t->d[at + 1], &t->d[at], (t->ndim - at) * sizeof *t->d);
    t->d[at] = d;
    t->ndim++;
}

static void remove_dim(type *t, unsigned at)
{
    t->ndim--;
    memmove(&t->d[at], &t->d[at + 1], (t->ndim - at) * sizeof *t->d);
}

/* One step of a reshape: merges two dimensions, splits one, or adds or removes a 1. */
static void reshape_step(gen *g, type *t)
{
    unsigned at = t->ndim ? rnd(g, t->ndim) : 0;
    int64_t c;
    dim d;
    if (t->ndim == 0 || (chance(g, 25) && t->ndim < MAX_DIMS)) {
        insert_dim(t, rnd(g, t->ndim + 1), dim_const(1));
    } else if (at + 1 < t->ndim && chance(g, 60) && dim_mul(&t->d[at], &t->d[at + 1], &d)) {
        t->d[at] = d;
        remove_dim(t, at + 1);
    } else if (dim_constant(&t->d[at], &c) && c == 1) {
        remove_dim(t, at);
    } else if (dim_constant(&t->d[at], &c) && c % 2 == 0 && c > 2 && t->ndim < MAX_DIMS) {
        t->d[at] = dim_const(chance(g, 50) ? 2 : c / 2);
        int64_t first;
        dim_constant(&t->d[at], &first);
        insert_dim(t, at + 1, dim_const(c / first));
    } else if (at + 1 < t->ndim) {
        d = t->d[at]; /* swaps extents; the product is unchanged */
        t->d[at] = t->d[at + 1];
        t->d[at + 1] = d;
    }
}

int add_reshape(gen *g)
{
    int x = pick(g, ANY_ELEM, 0, MAX_DIMS);
    if (x < 0)
        return -1;
    value v = call1(OP_RESHAPE, x);
    v.types[0] = *type_of(g, x);
    if (chance(g, 10) && v.types[0].ndim > 0) {
        v.op = OP_FLATTEN;
        dim all = dim_const(1);
        bool fits = true;
        for (unsigned i = 0; i < v.types[0].ndim; i++)
            fits = fits && dim_mul(&all, &v.types[0].d[i], &all);
        int64_t n = 1;
        for (unsigned i = 0; i < v.types[0].ndim; i++)
            n *= estimate(g, &v.types[0].d[i]);
        v.types[0].d[0] = fits ? all : unnamed(g, n);
        v.types[0].ndim = 1;
        return bind(g, v);
    }
    for (unsigned steps = 1 + rnd(g, 3); steps > 0; steps--)
        reshape_step(g, &v.types[0]);
    bool rest_constant = v.types[0].ndim > 0;
    v.n_shape = v.types[0].ndim;
    for (unsigned i = 0; i < v.n_shape; i++) {
        int64_t c;
        v.shape[i] = v.types[0].d[i];
        if (i > 0)
            rest_constant = rest_constant && dim_constant(&v.shape[i], &c) && c > 0;
    }
    v.flag = rest_constant && (chance(g, 30) || !is_printable(g, &v.shape[0]));
    for (unsigned i = v.flag; i < v.n_shape; i++)
        if (!is_printable(g, &v.shape[i]))
            return -1;
    return bind(g, v);
}

int add_permute(gen *g)
{
    int x = pick(g, ANY_ELEM, 2, MAX_DIMS);
    if (x < 0)
        return -1;
    value v = call1(OP_PERMUTE, x);
    const type *t = type_of(g, x);
    v.types[0] = *t;
    v.n_ints = t->ndim;
    for (unsigned i = 0; i < t->ndim; i++)
        v.ints[i] = i;
    for (unsigned i = t->ndim; i-- > 1;) {
        unsigned j = rnd(g, i + 1);
        int64_t other = v.ints[i];
        v.ints[i] = v.ints[j];
        v.ints[j] = other;
    }
    for (unsigned i = 0; i < t->ndim; i++)
        v.types[0].d[i] = t->d[v.ints[i]];
    return bind(g, v);
}

int add_expand_or_squeeze(gen *g)
{
    int x = pick(g, ANY_ELEM, 0, MAX_DIMS - 1);
    if (x < 0)
        return -1;
    value v = call1(OP_EXPAND, x);
    v.types[0] = *type_of(g, x);
    v.n_ints = 1;
    for (unsigned i = 0; i < v.types[0].ndim; i++)
        if (dim_is(&v.types[0].d[i], 1) && chance(g, 60)) {
            v.op = OP_SQUEEZE;
            v.ints[0] = i;
        }
    if (v.op == OP_SQUEEZE) {
        remove_dim(&v.types[0], (unsigned)v.ints[0]);
    } else {
        v.ints[0] = rnd(g, v.types[0].ndim + 1);
        insert_dim(&v.types[0], (unsigned)v.ints[0], dim_const(1));
    }
    return bind(g, v);
}

int add_concat(gen *g)
{
    bool stacks = chance(g, 25);
    int x = pick(g, ANY_ELEM, stacks ? 0 : 1, MAX_DIMS - 1);
    if (x < 0)
        return -1;
    value v = call1(stacks ? OP_STACK : OP_CONCAT, x);
    const type *t = type_of(g, x);
    unsigned axis = rnd(g, t->ndim + stacks);
    v.types[0] = *t;
    v.n_ints = 1;
    v.ints[0] = axis;
    for (unsigned n = 1 + rnd(g, 2), tries = 0; tries < 20 && v.n_args <= n; tries++) {
        int y = pick(g, 1u << t->elem, t->ndim, t->ndim);
        type other = *type_of(g, y); /* finds at least x itself */
        if (!stacks)
            other.d[axis] = t->d[axis];
        if (type_equal(&other, t) &&
            (stacks || dim_add(&v.types[0].d[axis], &type_of(g, y)->d[axis], &v.types[0].d[axis])))
            v.args[v.n_args++] = y;
    }
    if (stacks)
        insert_dim(&v.types[0], axis, dim_const(v.n_args));
    return bind(g, v);
}

int add_split(gen *g)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        int x = pick(g, ANY_ELEM, 1, MAX_DIMS);
        if (x < 0)
            return -1;
        const type *t = type_of(g, x);
        unsigned axis = rnd(g, t->ndim);
        int64_t c;
        if (!dim_constant(&t->d[axis], &c) || c < 2)
            continue;
        value v = call1(OP_SPLIT, x);
        int64_t edges[4] = {0, 0, 0, c};
        v.is_tuple = true;
        v.flag = chance(g, 50) && (c % 2 == 0 || c % 3 == 0);
        v.n_types = v.flag ? (c % 2 == 0 ? 2 : 3) : 2 + rnd(g, 2);
        v.ints[v.n_ints++] = axis;
        for (unsigned i = 1; i < v.n_types; i++)
            edges[i] = v.flag ? c / v.n_types * i
                              : edges[i - 1] + rnd(g, (unsigned)(c - edges[i - 1]) + 1);
        edges[v.n_types] = c;
        if (v.flag)
            v.ints[v.n_ints++] = v.n_types;
        for (unsigned i = 0; i < v.n_types; i++) {
            v.types[i] = *t;
            v.types[i].d[axis] = dim_const(edges[i + 1] - edges[i]);
            if (!v.flag && i + 1 < v.n_types)
                v.ints[v.n_ints++] = edges[i + 1];
        }
        return bind(g, v);
    }
    return -1;
}

int add_slice(gen *g)
{
    int x = pick(g, ANY_ELEM, 1, MAX_DIMS);
    if (x < 0)
        return -1;
    value v = call1(OP_SLICE, x);
    const type *t = type_of(g, x);
    unsigned axis = rnd(g, t->ndim);
    int64_t c, begin = rnd(g, 3), stride = 1 + rnd(g, chance(g, 50) ? 1 : 3);
    int64_t end = chance(g, 50) ? 1000 : chance(g, 50) ? -1 - (int64_t)rnd(g, 2) : 1 + rnd(g, 9);
    if (chance(g, 20)) {
        stride = -stride;
        begin = chance(g, 50) ? -1 : 5;
        end = chance(g, 50) ? -1000 : 1;
    }
    v.types[0] = *t;
    v.n_ints = 4;
    v.ints[0] = axis;
    v.ints[1] = begin;
    v.ints[2] = end;
    v.ints[3] = stride;
    if (dim_constant(&t->d[axis], &c)) {
        int64_t low = stride < 0 ? -1 : 0, high = stride < 0 ? c - 1 : c;
        begin += begin < 0 ? c : 0;
        end += end < 0 ? c : 0;
        begin = begin < low ? low : begin > high ? high : begin;
        end = end < low ? low : end > high ? high : end;
        int64_t span = stride < 0 ? begin - end : end - begin, step = stride < 0 ? -stride : stride;
        v.types[0].d[axis] = dim_const(span > 0 ? (span + step - 1) / step : 0);
    } else {
        v.types[0].d[axis] = unnamed(g, estimate(g, &t->d[axis]));
    }
    return bind(g, v);
}

int add_take(gen *g)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        int x = pick(g, ANY_ELEM, 1, 3), i = pick(g, INDICES, 0, 2);
        int64_t c;
        if (x < 0)
            return -1;
        if (i < 0) {
            type t = {.elem = chance(g, 50) ? I32 : I64, .ndim = 1, .d = {printable_dim(g)}};
            if ((i = new_param(g, t)) < 0)
                return -1;
        }
        const type *t = type_of(g, x);
        unsigned axis = rnd(g, t->ndim);
        if (!dim_constant(&t->d[axis], &c) || c < 1)
            continue;
        value within = call2(OP_BINARY, i, constant(g, type_of(g, i)->elem, (double)c));
        within.sub = B_FLOOR_MOD;
        within.types[0] = *type_of(g, i);
        if (within.args[1] < 0 || (i = bind(g, within)) < 0)
            return -1;
        value v = call2(OP_TAKE, x, i);
        v.types[0] = *type_of(g, x);
        v.n_ints = 1;
        v.ints[0] = axis;
        remove_dim(&v.types[0], axis);
        for (unsigned d = type_of(g, i)->ndim; d-- > 0;)
            insert_dim(&v.types[0], axis, type_of(g, i)->d[d]);
        return bind(g, v);
    }
    return -1;
}

int add_broadcast(gen *g)
{
    int x = pick(g, ANY_ELEM, 0, 3);
    if (x < 0)
        return -1;
    value v = call1(OP_BROADCAST, x);
    v.types[0] = *type_of(g, x);
    for (unsigned i = 0; i < v.types[0].ndim; i++)
        if (dim_is(&v.types[0].d[i], 1) && chance(g, 70))
            v.types[0].d[i] = printable_dim(g);
    if (chance(g, 50))
        insert_dim(&v.types[0], 0, printable_dim(g));
    v.n_shape = v.types[0].ndim;
    for (unsigned i = 0; i < v.n_shape; i++) {
        v.shape[i] = v.types[0].d[i];
        if (!is_printable(g, &v.shape[i]))
            return -1;
    }
    return bind(g, v);
}

int add_rearrange(gen *g)
{
    static const op ops[] = {OP_TILE, OP_REPEAT, OP_PAD, OP_TRI};
    op o = ops[rnd(g, 4)];
    int x = pick(g, o == OP_PAD || o == OP_TRI ? FLOATS : ANY_ELEM, o == OP_TRI ? 2 : 1, 4);
    if (x < 0)
        return -1;
    value v = call1(o, x);
    v.types[0] = *type_of(g, x);
    unsigned axis = rnd(g, v.types[0].ndim);
    v.f = chance(g, 50) ? 0 : 2;
    v.flag = chance(g, 50);
    if (o == OP_TRI)
        v.ints[v.n_ints++] = (int64_t)rnd(g, 4) - 1;
    if (o == OP_REPEAT) {
        v.ints[v.n_ints++] = axis;
        v.ints[v.n_ints++] = 1 + rnd(g, 3);
    }
    for (unsigned i = 0; i < v.types[0].ndim && o != OP_TRI; i++) {
        dim factor = dim_const(1), more = dim_const(0);
        if (o == OP_TILE)
            factor = dim_const(v.ints[v.n_ints++] = 1 + (i == axis) * rnd(g, 3));
        else if (o == OP_REPEAT && i == axis)
            factor = dim_const(v.ints[1]);
        else if (o == OP_PAD) {
            v.ints[v.n_ints++] = rnd(g, 2);
            v.ints[v.n_ints++] = (i == axis) * rnd(g, 3);
            more = dim_const(v.ints[v.n_ints - 1] + v.ints[v.n_ints - 2]);
        }
        if (!dim_mul(&v.types[0].d[i], &factor, &v.types[0].d[i]) ||
            !dim_add(&v.types[0].d[i], &more, &v.types[0].d[i]))
            return -1;
    }
    return bind(g, v);
}

int add_create(gen *g)
{
    value v = {.op = chance(g, 70) ? OP_FULL : OP_ARANGE, .n_types = 1, .named_after = -1};
    type *t = &v.types[0];
    t->elem = v.op == OP_ARANGE ? (chance(g, 50) ? I64 : F32)
              : chance(g, 70)   ? F32
                                : (elem)rnd(g, B8 + 1);
    t->ndim = v.op == OP_ARANGE ? 1 : rnd(g, 4);
    v.f = constant_value(g, t->elem);
    v.n_shape = t->ndim;
    for (unsigned i = 0; i < t->ndim; i++)
        v.shape[i] = t->d[i] = printable_dim(g);
    return bind(g, v);
}

/* The same value with new symbols as its dimensions. */
int add_match_cast(gen *g)
{
    int x = pick(g, ANY_ELEM, 1, MAX_DIMS);
    if (x < 0 || g->f->n_atoms + 12 > MAX_ATOMS)
        return -1;
    value v = call1(OP_MATCH_CAST, x);
    v.types[0] = *type_of(g, x);
    for (unsigned i = 0; i < v.types[0].ndim; i++) {
        int64_t c;
        dim *d = &v.types[0].d[i];
        if (!is_printable(g, d) || (chance(g, 40) && !dim_constant(d, &c)) || chance(g, 10)) {
            dim own = named(g, estimate(g, d)), before = *d;
            for (unsigned j = i; j < v.types[0].ndim; j++)
                if (dim_equal(&v.types[0].d[j], &before))
                    v.types[0].d[j] = own;
        }
    }
    return bind(g, v);
}
