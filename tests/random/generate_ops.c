/* Random operations: each function picks operands in scope, chooses attributes that are valid for
 * every value of the symbols, and binds one value; -1 if nothing in scope fits. */
#include <math.h>
#include <string.h>

#include "tests/random/generate.h"

static bool broadcast_dim(const dim *a, const dim *b, dim *out)
{
    *out = dim_is(a, 1) ? *b : *a;
    return dim_is(a, 1) || dim_is(b, 1) || dim_equal(a, b);
}

bool broadcast_type(const type *a, const type *b, type *out)
{
    const dim one = dim_const(1);
    *out = a->ndim >= b->ndim ? *a : *b;
    for (unsigned i = 0; i < out->ndim; i++) {
        unsigned lack_a = out->ndim - a->ndim, lack_b = out->ndim - b->ndim;
        const dim *x = i < lack_a ? &one : &a->d[i - lack_a];
        const dim *y = i < lack_b ? &one : &b->d[i - lack_b];
        if (!broadcast_dim(x, y, &out->d[i]))
            return false;
    }
    return true;
}

/* --- elementwise ----------------------------------------------------------------------------- */

static int op_unary(gen *g)
{
    int x = pick(g, FLOATS | (chance(g, 15) ? INTEGERS : 0), 0, MAX_DIMS);
    if (x < 0)
        return -1;
    bool integer = type_of(g, x)->elem >= I32;
    value v = call1(OP_UNARY, x);
    v.types[0] = *type_of(g, x);
    do
        v.sub = rnd(g, n_unary_rows);
    while (integer && !unary_rows[v.sub].integers);
    if (!integer && chance(g, 5)) {
        v.op = OP_POWER;
        v.f = (double[]){2, 3, 0.5}[rnd(g, 3)];
    } else if (!integer && chance(g, 6)) {
        v.op = OP_CLIP;
        v.n_ints = 1;
        v.ints[0] = 1 + rnd(g, 4);
    }
    return bind(g, v);
}

/* A second operand for |x|: the same element type, a shape that broadcasts. */
static int partner(gen *g, int x)
{
    const type *t = type_of(g, x);
    type joined;
    if (chance(g, 15))
        return constant(g, t->elem, constant_value(g, t->elem));
    if (chance(g, 12)) {
        type other = *t;
        unsigned drop = t->ndim ? rnd(g, t->ndim + 1) : 0;
        if (chance(g, 50))
            drop = 0;
        other.ndim -= drop;
        for (unsigned i = 0; i < other.ndim; i++)
            other.d[i] = chance(g, 30) ? dim_const(1) : t->d[i + drop];
        int y = new_param(g, other);
        if (y >= 0)
            return y;
    }
    for (unsigned tries = 0; tries < 12; tries++) {
        int y = pick(g, 1u << t->elem, 0, MAX_DIMS);
        if (y >= 0 && (y != x || tries > 8) && broadcast_type(t, type_of(g, y), &joined))
            return y;
    }
    return constant(g, t->elem, constant_value(g, t->elem));
}

static int op_binary(gen *g)
{
    int x = pick(g, chance(g, 75) ? FLOATS : ANY_ELEM, 0, MAX_DIMS);
    int y = x < 0 ? -1 : partner(g, x);
    if (y < 0)
        return -1;
    if (chance(g, 40)) {
        int other = x;
        x = y;
        y = other;
    }
    value v = call2(OP_BINARY, x, y);
    if (!broadcast_type(type_of(g, x), type_of(g, y), &v.types[0]))
        return -1;
    elem t = type_of(g, x)->elem;
    v.flag = chance(g, 60);
    if (chance(g, t == B8 ? 10 : 15)) {
        v.sub =
            t == B8 ? (chance(g, 50) ? B_EQUAL : B_NOT_EQUAL) : B_LESS + rnd(g, B_COUNT - B_LESS);
        v.types[0].elem = B8;
    } else if (t == B8 || (t >= I32 && chance(g, 20))) {
        v.sub = B_AND + rnd(g, 3);
    } else if (t >= I32 && chance(g, 30)) {
        v.sub = B_DIV + rnd(g, 4);
        static const double divisors[] = {1, 2, 3, 7, -2, -5, 16};
        double divisor = divisors[rnd(g, 7)];
        v.args[1] = constant(g, t, t == U8 ? fabs(divisor) : divisor);
        v.types[0] = *type_of(g, v.args[0]);
    } else {
        v.sub = rnd(g, t >= I32 ? B_MIN + 1 : B_DIV + 1);
    }
    return v.args[1] < 0 ? -1 : bind(g, v);
}

static int op_where(gen *g)
{
    int c = pick(g, 1 << B8, 0, MAX_DIMS), x = pick(g, ANY_ELEM & ~(1u << B8), 0, MAX_DIMS);
    int y = x < 0 ? -1 : partner(g, x);
    if (c < 0 || y < 0)
        return -1;
    value v = call2(OP_WHERE, c, chance(g, 50) ? x : y);
    v.args[v.n_args++] = v.args[1] == x ? y : x;
    type t;
    if (!broadcast_type(type_of(g, x), type_of(g, y), &t) ||
        !broadcast_type(&t, type_of(g, c), &v.types[0]))
        return -1;
    v.types[0].elem = t.elem;
    return bind(g, v);
}

static int op_astype(gen *g)
{
    int x = pick(g, ANY_ELEM, 0, MAX_DIMS);
    if (x < 0)
        return -1;
    value v = call1(OP_ASTYPE, x);
    v.types[0] = *type_of(g, x);
    v.types[0].elem = chance(g, 50) ? F32 : (elem)rnd(g, B8 + 1);
    return bind(g, v);
}

/* --- reductions and scans -------------------------------------------------------------------- */

static int op_reduce(gen *g)
{
    int x = pick(g, FLOATS | (chance(g, 20) ? INTEGERS : 0), 1, MAX_DIMS);
    if (x < 0)
        return -1;
    const type *t = type_of(g, x);
    bool arg = chance(g, 15), gone[MAX_DIMS] = {false};
    value v = call1(arg ? OP_ARG_REDUCE : OP_REDUCE, x);
    static const unsigned of_integers[] = {R_SUM, R_MAX, R_MIN, R_PROD};
    v.sub = arg ? rnd(g, 2) : t->elem >= I32 ? of_integers[rnd(g, 4)] : rnd(g, R_STD + 1);
    v.flag = chance(g, 40);
    unsigned n = arg || chance(g, 60) ? 1 : 1 + rnd(g, t->ndim);
    for (unsigned i = 0; i < n; i++)
        gone[rnd(g, t->ndim)] = true;
    bool all = !arg && chance(g, 8), negative = chance(g, 40);
    v.types[0].elem = arg ? I64 : t->elem;
    for (unsigned i = 0; i < t->ndim; i++) {
        if (gone[i] && !all)
            v.ints[v.n_ints++] = negative ? (int64_t)i - t->ndim : i;
        if (!(gone[i] || all))
            v.types[0].d[v.types[0].ndim++] = t->d[i];
        else if (v.flag)
            v.types[0].d[v.types[0].ndim++] = dim_const(1);
    }
    return bind(g, v);
}

static int op_along_axis(gen *g)
{
    static const op ops[] = {OP_SCAN, OP_SOFTMAX, OP_SOFTMAX, OP_FLIP, OP_SORT};
    op o = ops[rnd(g, 5)];
    int x = pick(g, o == OP_SOFTMAX || chance(g, 80) ? FLOATS : INTEGERS, 1, MAX_DIMS);
    if (x < 0)
        return -1;
    value v = call1(o, x);
    v.types[0] = *type_of(g, x);
    v.n_ints = 1;
    v.ints[0] = rnd(g, v.types[0].ndim);
    if (chance(g, 40))
        v.ints[0] -= v.types[0].ndim;
    v.flag = chance(g, 40);
    v.sub = o == OP_SCAN && chance(g, 20);
    return bind(g, v);
}

static int op_norm(gen *g)
{
    int x = pick(g, chance(g, 85) ? 1 << F32 : FLOATS, 1, MAX_DIMS);
    if (x < 0)
        return -1;
    type t = {.elem = type_of(g, x)->elem, .ndim = 1};
    t.d[0] = type_of(g, x)->d[type_of(g, x)->ndim - 1];
    value v = call1(chance(g, 60) ? OP_LAYER_NORM : OP_RMS_NORM, x);
    v.types[0] = *type_of(g, x);
    for (unsigned k = 0; k < (v.op == OP_LAYER_NORM ? 2 : 1); k++) {
        int y = -1;
        for (unsigned i = 0; i < g->n_scope && y < 0; i++)
            if (!g->f->values[g->scope[i]].is_tuple && type_equal(type_of(g, g->scope[i]), &t) &&
                chance(g, 60))
                y = g->scope[i];
        if (y < 0)
            y = new_param(g, t);
        if (y < 0)
            return -1;
        v.args[v.n_args++] = y;
    }
    return bind(g, v);
}

/* --- products and windows -------------------------------------------------------------------- */

static bool matmul_type(const type *a, const type *b, type *out)
{
    type x = *a, y = *b;
    const dim *inner = &b->d[b->ndim > 1 ? b->ndim - 2 : 0];
    if (a->elem != b->elem || !dim_equal(&a->d[a->ndim - 1], inner))
        return false;
    x.ndim -= x.ndim > 1 ? 2 : 1;
    y.ndim -= y.ndim > 1 ? 2 : 1;
    if (!broadcast_type(&x, &y, out) || out->ndim + 2 > MAX_DIMS)
        return false;
    if (a->ndim > 1)
        out->d[out->ndim++] = a->d[a->ndim - 2];
    if (b->ndim > 1)
        out->d[out->ndim++] = b->d[b->ndim - 1];
    return true;
}

static int op_matmul(gen *g)
{
    int x = pick(g, chance(g, 85) ? 1 << F32 : FLOATS | INTEGERS, 1, 4), y = -1;
    if (x < 0)
        return -1;
    value v = {.op = OP_MATMUL, .n_types = 1, .n_args = 2, .named_after = -1};
    for (unsigned tries = 0; tries < 12; tries++) {
        int other = pick(g, 1u << type_of(g, x)->elem, 1, 4);
        if (other >= 0 && matmul_type(type_of(g, x), type_of(g, other), &v.types[0])) {
            y = other;
            break;
        }
    }
    if (y < 0 || chance(g, 30)) {
        const type *t = type_of(g, x);
        type w = {.elem = t->elem, .ndim = 2, .d = {t->d[t->ndim - 1], printable_dim(g)}};
        if (t->ndim > 2 && chance(g, 40))
            insert_dim(&w, 0, chance(g, 30) ? dim_const(1) : t->d[t->ndim - 3]);
        else if (chance(g, 15))
            w.ndim = 1;
        int made = new_param(g, w);
        y = made >= 0 ? made : y;
    }
    if (y < 0 && type_of(g, x)->ndim >= 2) {
        value turned = call1(OP_PERMUTE, x);
        turned.types[0] = *type_of(g, x);
        turned.n_ints = turned.types[0].ndim;
        for (unsigned i = 0; i < turned.n_ints; i++)
            turned.ints[i] = i;
        turned.ints[turned.n_ints - 1]--;
        turned.ints[turned.n_ints - 2]++;
        for (unsigned i = 0; i < turned.n_ints; i++)
            turned.types[0].d[i] = type_of(g, x)->d[turned.ints[i]];
        y = bind(g, turned);
    }
    if (y < 0 || !matmul_type(type_of(g, x), type_of(g, y), &v.types[0]))
        return -1;
    v.args[0] = x;
    v.args[1] = y;
    return bind(g, v);
}

/* The result's extent of a window operator; unchanged if the padding preserves it at stride 1. */
static dim window_dim(gen *g, const dim *d, int64_t stride, int64_t size, int64_t pad)
{
    int64_t c, e = estimate(g, d);
    if (stride == 1 && size == 2 * pad + 1)
        return *d;
    if (dim_constant(d, &c))
        return dim_const(c + 2 * pad < size ? 0 : (c + 2 * pad - size) / stride + 1);
    return unnamed(g, (e + 2 * pad) / stride + 1);
}

static int op_window(gen *g)
{
    int x = pick(g, 1 << F32, 4, 4);
    int64_t channels;
    if (x < 0 || chance(g, 30)) {
        type t = {.elem = F32, .ndim = 4};
        t.d[0] = printable_dim(g);
        t.d[1] = dim_const(chance(g, 50) ? 3 : 4);
        t.d[2] = chance(g, 50) ? dim_const(7) : printable_dim(g);
        t.d[3] = chance(g, 50) ? dim_const(8) : printable_dim(g);
        int made = new_param(g, t);
        x = made >= 0 ? made : x;
    }
    if (x < 0)
        return -1;
    const type *t = type_of(g, x);
    value v = call1(OP_POOL, x);
    v.types[0] = *t;
    if (chance(g, 50) && dim_constant(&t->d[1], &channels) && channels > 0 && channels < 40) {
        int64_t k = chance(g, 60) ? 3 : 1, dilation = k > 1 && chance(g, 20) ? 2 : 1;
        int64_t groups = chance(g, 25) ? channels : chance(g, 20) && channels % 2 == 0 ? 2 : 1;
        int64_t out = groups * (1 + rnd(g, groups > 2 ? 2 : 5));
        type w = {.elem = F32,
                  .ndim = 4,
                  .d = {dim_const(out), dim_const(channels / groups), dim_const(k), dim_const(k)}};
        int y = new_param(g, w);
        if (y < 0)
            return -1;
        v.op = OP_CONV2D;
        v.args[v.n_args++] = y;
        v.n_ints = 4;
        v.ints[0] = 1 + rnd(g, 2);
        v.ints[1] = dilation * (k - 1) / 2;
        v.ints[2] = dilation;
        v.ints[3] = groups;
        v.types[0].d[1] = dim_const(out);
        for (unsigned i = 2; i < 4; i++)
            v.types[0].d[i] = window_dim(g, &g->f->values[x].types[0].d[i], v.ints[0],
                                         dilation * (k - 1) + 1, v.ints[1]);
        return bind(g, v);
    }
    static const int64_t kinds[3][3] = {{2, 2, 0}, {3, 1, 1}, {3, 2, 1}};
    const int64_t *kind = kinds[rnd(g, 3)];
    v.flag = chance(g, 50);
    v.sub = chance(g, 40);
    v.n_ints = 3;
    memcpy(v.ints, kind, 3 * sizeof *kind);
    for (unsigned i = 2; i < 4; i++)
        v.types[0].d[i] = window_dim(g, &t->d[i], kind[1], kind[0], kind[2]);
    return bind(g, v);
}

/* A tuple and one of its items. */
static int op_tuple(gen *g)
{
    value v = {.op = OP_TUPLE, .is_tuple = true, .named_after = -1};
    unsigned n = 2 + rnd(g, 2);
    for (unsigned i = 0; i < n; i++) {
        int x = pick(g, ANY_ELEM, 0, MAX_DIMS);
        if (x < 0)
            return -1;
        v.types[v.n_types++] = *type_of(g, x);
        v.args[v.n_args++] = x;
    }
    return bind(g, v);
}

static int op_alias(gen *g)
{
    int x = pick(g, ANY_ELEM, 0, MAX_DIMS);
    value v = call1(OP_ALIAS, x);
    if (x < 0)
        return -1;
    v.types[0] = *type_of(g, x);
    return bind(g, v);
}

/* --- choice ---------------------------------------------------------------------------------- */

static const struct {
    int (*make)(gen *g);
    unsigned weight;
} operations[] = {{op_unary, 20},     {op_binary, 30},
                  {op_where, 5},      {op_astype, 6},
                  {op_reduce, 12},    {op_along_axis, 7},
                  {op_norm, 4},       {add_reshape, 9},
                  {add_permute, 5},   {add_expand_or_squeeze, 5},
                  {add_concat, 5},    {add_split, 4},
                  {add_slice, 5},     {add_take, 4},
                  {add_broadcast, 4}, {add_rearrange, 4},
                  {add_create, 4},    {add_match_cast, 3},
                  {op_matmul, 12},    {op_window, 4},
                  {op_tuple, 2},      {op_alias, 1},
                  {add_call, 3},      {add_pattern, 16},
                  {add_dependent, 2}, {add_tir, 4},
                  {add_quantize, 3}};

int add_operation(gen *g)
{
    unsigned total = 0, i = 0;
    for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++)
        total += operations[k].weight;
    for (unsigned at = rnd(g, total); at >= operations[i].weight; i++)
        at -= operations[i].weight;
    int id = operations[i].make(g);
    /* the items of a tuple become values at once */
    for (unsigned k = 0; id >= 0 && g->f->values[id].is_tuple && k < g->f->values[id].n_types; k++)
        if (chance(g, 80) || k == 0) {
            value part = call1(OP_GET, id);
            part.types[0] = g->f->values[id].types[k];
            part.n_ints = 1;
            part.ints[0] = k;
            bind(g, part);
        }
    return id;
}
