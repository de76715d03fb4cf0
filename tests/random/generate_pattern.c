/* Random groups of operations: exporters' expansions of single operators (the passes that recognise
 * them are thus compared with an evaluation of the parts), products that share an operand,
 * quantized operands, hand-written PrimFuncs, and results with data-dependent sizes. */
#include "tests/random/generate.h"

#include <string.h>

/* --- parts: each gives -1 where an operand is missing ------------------------------------------
 */

static int unary(gen *g, const char *name, int x)
{
    value v = call1(OP_UNARY, x);
    if (x < 0)
        return -1;
    while (strcmp(unary_rows[v.sub].name, name) != 0)
        v.sub++;
    v.types[0] = *type_of(g, x);
    return bind(g, v);
}

static int binary(gen *g, unsigned sub, int x, int y)
{
    value v = call2(OP_BINARY, x, y);
    if (x < 0 || y < 0 || !broadcast_type(type_of(g, x), type_of(g, y), &v.types[0]))
        return -1;
    v.sub = sub;
    return bind(g, v);
}

static int with_scalar(gen *g, unsigned sub, int x, double f)
{
    int y = x < 0 ? -1 : constant(g, type_of(g, x)->elem, f);
    return chance(g, 30) && (sub == B_ADD || sub == B_MUL) ? binary(g, sub, y, x)
                                                           : binary(g, sub, x, y);
}

/* Reduces the last axis, which stays as 1. */
static int reduced(gen *g, unsigned sub, int x)
{
    value v = call1(OP_REDUCE, x);
    if (x < 0)
        return -1;
    v.sub = sub;
    v.flag = true;
    v.types[0] = *type_of(g, x);
    v.n_ints = 1;
    v.ints[0] = chance(g, 50) ? -1 : (int64_t)v.types[0].ndim - 1;
    v.types[0].d[v.types[0].ndim - 1] = dim_const(1);
    return bind(g, v);
}

static int square(gen *g, int x)
{
    if (x < 0 || chance(g, 40))
        return unary(g, "square", x);
    if (chance(g, 50))
        return binary(g, B_MUL, x, x);
    value v = call1(OP_POWER, x);
    v.f = 2;
    v.types[0] = *type_of(g, x);
    return bind(g, v);
}

static int permuted(gen *g, int x, const int64_t *axes)
{
    value v = call1(OP_PERMUTE, x);
    if (x < 0)
        return -1;
    v.types[0] = *type_of(g, x);
    v.n_ints = v.types[0].ndim;
    for (unsigned i = 0; i < v.n_ints; i++) {
        v.ints[i] = axes[i];
        v.types[0].d[i] = type_of(g, x)->d[axes[i]];
    }
    return bind(g, v);
}

/* Both operands of rank 4, or |w| a matrix. */
static int product(gen *g, int x, int w)
{
    value v = call2(OP_MATMUL, x, w);
    if (x < 0 || w < 0)
        return -1;
    const type *t = type_of(g, w);
    v.types[0] = *type_of(g, x);
    v.types[0].d[v.types[0].ndim - 1] = t->d[t->ndim - 1];
    return bind(g, v);
}

static int vector_param(gen *g, elem t, dim d)
{
    return new_param(g, (type){.elem = t, .ndim = 1, .d = {d}});
}

static int converted(gen *g, int x, elem to)
{
    value v = call1(OP_ASTYPE, x);
    if (x < 0)
        return -1;
    v.types[0] = *type_of(g, x);
    v.types[0].elem = to;
    return bind(g, v);
}

/* --- what exporters write ----------------------------------------------------------------------
 */

static int norm(gen *g)
{
    int x = pick(g, 1 << F32, 1, MAX_DIMS), d = x, v;
    if (x < 0)
        return -1;
    const dim last = type_of(g, x)->d[type_of(g, x)->ndim - 1];
    bool layer = chance(g, 60);
    int mean = layer ? reduced(g, R_MEAN, x) : -1;
    if (layer)
        d = binary(g, B_SUB, x, mean);
    v = layer && chance(g, 30) ? reduced(g, R_VARIANCE, x) : reduced(g, R_MEAN, square(g, d));
    v = with_scalar(g, B_ADD, v, chance(g, 70) ? 1e-5 : 0.0009765625);
    if (chance(g, 50))
        v = binary(g, B_MUL, d, unary(g, "rsqrt", v));
    else
        v = binary(g, B_DIV, d, unary(g, "sqrt", v));
    if (v >= 0 && chance(g, 85))
        v = binary(g, B_MUL, v, vector_param(g, F32, last));
    return v >= 0 && chance(g, 70) ? binary(g, B_ADD, v, vector_param(g, F32, last)) : v;
}

static int activation(gen *g)
{
    int x = pick(g, chance(g, 85) ? 1 << F32 : FLOATS, 0, MAX_DIMS), y;
    switch (x < 0 ? 4 : rnd(g, 4)) {
    case 0: /* gelu */
        y = chance(g, 50) ? with_scalar(g, B_MUL, x, 0.70710678118654752)
                          : with_scalar(g, B_DIV, x, 1.4142135623730951);
        y = with_scalar(g, B_ADD, unary(g, "erf", y), 1);
        return chance(g, 50) ? with_scalar(g, B_MUL, binary(g, B_MUL, x, y), 0.5)
                             : binary(g, B_MUL, with_scalar(g, B_MUL, x, 0.5), y);
    case 1: /* gelu by tanh */
        y = with_scalar(g, B_MUL, binary(g, B_MUL, square(g, x), x), 0.044715);
        y = with_scalar(g, B_MUL, binary(g, B_ADD, x, y), 0.79788456080286535);
        y = with_scalar(g, B_ADD, unary(g, "tanh", y), 1);
        return binary(g, B_MUL, with_scalar(g, B_MUL, x, 0.5), y);
    case 2: /* silu */
        return binary(g, B_MUL, x, unary(g, "sigmoid", x));
    case 3: /* sigmoid, or silu */
        y = with_scalar(g, B_ADD, unary(g, "exp", unary(g, "negative", x)), 1);
        return chance(g, 50)
                   ? binary(g, B_DIV, x, y)
                   : binary(g, B_DIV, y < 0 ? -1 : constant(g, type_of(g, x)->elem, 1), y);
    default:
        return -1;
    }
}

static int softmax_of(gen *g, int x)
{
    if (x >= 0 && chance(g, 50)) {
        value v = call1(OP_SOFTMAX, x);
        v.types[0] = *type_of(g, x);
        v.n_ints = 1;
        v.ints[0] = chance(g, 50) ? -1 : (int64_t)v.types[0].ndim - 1;
        return bind(g, v);
    }
    int d = binary(g, B_SUB, x, reduced(g, R_MAX, x)), e = unary(g, "exp", d);
    if (chance(g, 80))
        return binary(g, B_DIV, e, reduced(g, R_SUM, e));
    return binary(g, B_SUB, d, unary(g, "log", reduced(g, R_SUM, e)));
}

static int softmax(gen *g)
{
    return softmax_of(g, pick(g, 1 << F32, 1, MAX_DIMS));
}

/* Splits heads out of [b, s, h * d], or starts with a parameter [b, h, s, d]. */
static int heads(gen *g, dim b, dim s, int64_t h, int64_t d)
{
    type t = {.elem = F32, .ndim = 4, .d = {b, dim_const(h), s, dim_const(d)}};
    if (chance(g, 40))
        return new_param(g, t);
    t = (type){.elem = F32, .ndim = 3, .d = {b, s, dim_const(h * d)}};
    int x = new_param(g, t);
    value v = call1(OP_RESHAPE, x);
    if (x < 0)
        return -1;
    v.types[0] = (type){.elem = F32, .ndim = 4, .d = {b, s, dim_const(h), dim_const(d)}};
    v.n_shape = 4;
    memcpy(v.shape, v.types[0].d, sizeof v.shape);
    return permuted(g, bind(g, v), (const int64_t[]){0, 2, 1, 3});
}

static int masked(gen *g, int scores, dim s, dim t)
{
    type m = {.elem = chance(g, 50) ? B8 : F32, .ndim = 2, .d = {s, t}};
    int mask = new_param(g, m);
    if (m.elem == F32)
        return binary(g, B_ADD, scores, mask);
    value v = call2(OP_WHERE, mask, scores);
    if (mask < 0 || scores < 0)
        return -1;
    v.args[v.n_args++] = constant(g, F32, -1e9);
    v.types[0] = *type_of(g, scores);
    if (chance(g, 30)) {
        v.args[1] = v.args[2];
        v.args[2] = scores;
    }
    return v.args[1] < 0 || v.args[2] < 0 ? -1 : bind(g, v);
}

static int attention(gen *g)
{
    static const int64_t depths[] = {4, 8, 16, 3};
    int64_t h = 1 + rnd(g, 3), d = depths[rnd(g, 4)];
    dim b = printable_dim(g), s = printable_dim(g), t = chance(g, 50) ? s : printable_dim(g);
    if (g->f != &g->p->functions[0] || g->f->n_params + 4 > MAX_PARAMS)
        return -1;
    int q = heads(g, b, s, h, d), k = heads(g, b, t, h, d), v = heads(g, b, t, h, d);
    if (chance(g, 30))
        q = with_scalar(g, B_MUL, q, 0.5);
    int p = product(g, q, permuted(g, k, (const int64_t[]){0, 1, 3, 2}));
    if (chance(g, 60))
        p = with_scalar(g, chance(g, 50) ? B_MUL : B_DIV, p, 0.25);
    if (chance(g, 50))
        p = masked(g, p, s, t);
    p = product(g, softmax_of(g, p), v);
    return chance(g, 50) ? permuted(g, p, (const int64_t[]){0, 2, 1, 3}) : p;
}

/* --- products ----------------------------------------------------------------------------------
 */

/* Two or three products of one matrix, with their consumers. */
static int joined(gen *g)
{
    int x = pick(g, chance(g, 80) ? 1 << F32 : FLOATS, 2, 4), last = -1, parts[3];
    if (x < 0 || g->f->n_params + 4 > MAX_PARAMS)
        return -1;
    const elem t = type_of(g, x)->elem;
    const dim inner = type_of(g, x)->d[type_of(g, x)->ndim - 1];
    unsigned n = 2 + rnd(g, 2);
    dim columns = printable_dim(g);
    for (unsigned i = 0; i < n; i++) {
        if (chance(g, 40))
            columns = printable_dim(g);
        parts[i] = product(g, x, new_param(g, (type){.elem = t, .ndim = 2, .d = {inner, columns}}));
        if (parts[i] >= 0 && chance(g, 40))
            parts[i] = binary(g, B_ADD, parts[i], vector_param(g, t, columns));
        last = parts[i] >= 0 ? parts[i] : last;
    }
    if (parts[0] < 0 || parts[1] < 0 || !type_equal(type_of(g, parts[0]), type_of(g, parts[1])))
        return last;
    int gate = unary(g, chance(g, 50) ? "nn.silu" : "nn.gelu", parts[0]);
    return chance(g, 50) ? binary(g, B_MUL, gate, parts[1]) : last;
}

/* A product with a matrix of small integers, scaled by column or left as integers. */
static int quantized_product(gen *g)
{
    int x = pick(g, 1 << F32, 2, 4), w, y;
    if (x < 0 || g->f->n_params + 3 > MAX_PARAMS)
        return -1;
    const dim inner = type_of(g, x)->d[type_of(g, x)->ndim - 1], columns = printable_dim(g);
    const elem t = chance(g, 60) ? I8 : U8;
    w = new_param(g, (type){.elem = t, .ndim = 2, .d = {inner, columns}});
    if (w < 0)
        return -1;
    if (chance(g, 30)) {
        value q = call2(OP_QUANTIZE, x, constant(g, F32, 0.25));
        q.args[q.n_args++] = constant(g, I8, (double)rnd(g, 3) - 1);
        q.types[0] = *type_of(g, x);
        q.types[0].elem = I8;
        q.n_ints = 1;
        y = product(g, converted(g, bind(g, q), I32), converted(g, w, I32));
        return chance(g, 60) ? with_scalar(g, B_MUL, converted(g, y, F32), 0.125) : y;
    }
    int scale = chance(g, 60) ? vector_param(g, F32, columns) : constant(g, F32, 0.5);
    if (scale < 0)
        return -1;
    if (chance(g, 50)) {
        y = binary(g, B_MUL, with_scalar(g, B_SUB, converted(g, w, F32), rnd(g, 9)), scale);
    } else {
        value v = call2(OP_DEQUANTIZE, w, scale);
        v.args[v.n_args++] = constant(g, t, rnd(g, 9));
        v.types[0] = *type_of(g, w);
        v.types[0].elem = F32;
        v.n_ints = 1;
        v.ints[0] = 1;
        y = v.args[2] < 0 ? -1 : bind(g, v);
    }
    return product(g, x, y);
}

/* Consumers of a convolution: per-channel scale and shift, an addition, an activation. */
static int after_convolution(gen *g)
{
    int x = -1;
    for (unsigned i = g->n_scope; i-- > 0 && x < 0;)
        if (g->f->values[g->scope[i]].op == OP_CONV2D)
            x = g->scope[i];
    if (x < 0 || g->f->n_params + 2 > MAX_PARAMS)
        return -1;
    type t = {.elem = F32,
              .ndim = 4,
              .d = {dim_const(1), type_of(g, x)->d[1], dim_const(1), dim_const(1)}};
    if (chance(g, 60))
        x = binary(g, B_MUL, x, new_param(g, t));
    if (x >= 0 && chance(g, 80))
        x = binary(g, B_ADD, x, new_param(g, t));
    return chance(g, 70) ? unary(g, "nn.relu", x) : x;
}

int add_pattern(gen *g)
{
    static int (*const patterns[])(gen *) = {
        norm,      norm,      activation,       activation,
        softmax,   joined,    joined,           quantized_product,
        attention, attention, after_convolution};
    return patterns[rnd(g, sizeof patterns / sizeof *patterns)](g);
}

/* --- the rest ----------------------------------------------------------------------------------
 */

int add_quantize(gen *g)
{
    int x = pick(g, 1 << F32 | 1 << I8 | 1 << U8, 1, MAX_DIMS);
    if (x < 0)
        return -1;
    elem from = type_of(g, x)->elem;
    elem to = from == F32 ? (chance(g, 60) ? I8 : U8) : F32;
    value v = call2(from == F32 ? OP_QUANTIZE : OP_DEQUANTIZE, x, constant(g, F32, 0.25));
    v.args[v.n_args++] = constant(g, from == F32 ? to : from, rnd(g, 9));
    v.types[0] = *type_of(g, x);
    v.types[0].elem = to;
    v.n_ints = 1;
    v.ints[0] = rnd(g, v.types[0].ndim);
    return v.args[1] < 0 || v.args[2] < 0 ? -1 : bind(g, v);
}

/* Applied to a parameter, whose elements are known, so that the evaluation knows the size. */
int add_dependent(gen *g)
{
    static const elem elems[] = {I32, I64, B8};
    int x = pick(g, INDICES | 1 << B8, 1, 3);
    if (x < 0 || g->f->values[x].op != OP_PARAM) {
        type t = {.elem = elems[rnd(g, 3)], .ndim = 1 + rnd(g, 2)};
        for (unsigned i = 0; i < t.ndim; i++)
            t.d[i] = printable_dim(g);
        x = new_param(g, t);
    }
    if (x < 0 || g->f != &g->p->functions[0])
        return -1;
    value v = call1(type_of(g, x)->elem == B8 || chance(g, 50) ? OP_NONZERO : OP_UNIQUE, x);
    v.types[0].elem = v.op == OP_NONZERO ? I64 : type_of(g, x)->elem;
    if (v.op == OP_NONZERO)
        v.types[0].d[v.types[0].ndim++] = dim_const(type_of(g, x)->ndim);
    v.types[0].d[v.types[0].ndim++] = unnamed(g, 8);
    /* whether such an extent broadcasts with another is unknown, so it gets a name */
    value cast = call1(OP_MATCH_CAST, bind(g, v));
    if (cast.args[0] < 0)
        return -1;
    g->n_scope--;
    cast.types[0] = v.types[0];
    cast.types[0].d[v.types[0].ndim - 1] = named(g, 8);
    return bind(g, cast);
}

/* --- PrimFuncs ------------------------------------------------------------------------------- */

#define HEAD(name)                                                                  \
    "    @T.prim_func(private=True)\n    def " name "(a: T.handle, b: T.handle):\n" \
    "        n = T.int64()\n        m = T.int64()\n"                                \
    "        A = T.match_buffer(a, (n, m), \"float32\")\n"
#define LOOP                                                                  \
    "        for i, j in T.grid(n, m):\n            with T.block(\"out\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"

const tir_row tir_rows[TIR_COUNT] = {
    [TIR_SCALE] = {"scale", 1,
                   HEAD("scale") "        B = T.match_buffer(b, (n, m), \"float32\")\n" LOOP
                                 "                B[vi, vj] = A[vi, vj] * T.float32(2) + "
                                 "T.float32(1)\n"},
    [TIR_TRANSPOSE] = {"transpose", 1,
                       HEAD("transpose") "        B = T.match_buffer(b, (m, n), \"float32\")\n" LOOP
                                         "                B[vj, vi] = A[vi, vj]\n"},
    [TIR_ROW_SUM] = {"row_sum", 1,
                     HEAD("row_sum") "        B = T.match_buffer(b, (n,), \"float32\")\n"
                                     "        for i, j in T.grid(n, m):\n"
                                     "            with T.block(\"out\"):\n"
                                     "                vi, vj = T.axis.remap(\"SR\", [i, j])\n"
                                     "                with T.init():\n"
                                     "                    B[vi] = T.float32(0)\n"
                                     "                B[vi] = B[vi] + A[vi, vj]\n"},
    /* two stages with a buffer between them */
    [TIR_MIRROR] = {"mirror", 1,
                    HEAD("mirror") "        B = T.match_buffer(b, (n, m), \"float32\")\n"
                                   "        S = T.alloc_buffer((n, m), \"float32\")\n"
                                   "        for i, j in T.grid(n, m):\n"
                                   "            with T.block(\"square\"):\n"
                                   "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                                   "                S[vi, vj] = A[vi, vj] * A[vi, vj]\n" LOOP
                                   "                B[vi, vj] = S[vi, m - 1 - vj]\n"},
    [TIR_MAXIMUM] = {"row_maximum", 2,
                     "    @T.prim_func(private=True)\n"
                     "    def row_maximum(a: T.handle, c: T.handle, b: T.handle):\n"
                     "        n = T.int64()\n        m = T.int64()\n"
                     "        A = T.match_buffer(a, (n, m), \"float32\")\n"
                     "        C = T.match_buffer(c, (m,), \"float32\")\n"
                     "        B = T.match_buffer(b, (n, m), \"float32\")\n" LOOP
                     "                B[vi, vj] = T.max(A[vi, vj], C[vj])\n"},
};

int add_nest(gen *g)
{
    value v = {.op = OP_TIR, .sub = TIR_NEST, .n_types = 1, .n_ints = 1, .named_after = -1};
    const dim sizes[] = {printable_dim(g), printable_dim(g)};
    type types[MAX_ARGS + 1];
    v.ints[0] = (int64_t)(random_next(g->rng) >> 16);
    v.n_args = nest_types((uint64_t)v.ints[0], sizes, types);
    if (v.n_args == 0)
        return -1;
    for (unsigned i = 0; i < v.n_args; i++) {
        v.args[i] = new_param(g, types[i]);
        if (v.args[i] < 0)
            return -1;
    }
    v.types[0] = types[v.n_args];
    return bind(g, v);
}

int add_tir(gen *g)
{
    if (chance(g, 50))
        return add_nest(g);
    int x = pick(g, 1 << F32, 2, 2);
    if (x < 0)
        return -1;
    value v = call1(OP_TIR, x);
    const type *t = type_of(g, x);
    v.sub = rnd(g, TIR_COUNT);
    v.types[0] = *t;
    if (!is_printable(g, &t->d[0]) || !is_printable(g, &t->d[1]))
        return -1;
    if (v.sub == TIR_MAXIMUM) {
        const type line = {.elem = F32, .ndim = 1, .d = {t->d[1]}};
        int y = new_param(g, line);
        if (y < 0)
            return -1;
        v.args[v.n_args++] = y;
    } else if (v.sub == TIR_TRANSPOSE) {
        v.types[0].d[0] = t->d[1];
        v.types[0].d[1] = type_of(g, x)->d[0];
    } else if (v.sub == TIR_ROW_SUM) {
        v.types[0].ndim = 1;
    }
    return bind(g, v);
}
