/* The types of random PrimFuncs in loops, their text, and their evaluation. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/random/nests.h"

unsigned nest_types(uint64_t seed, const dim sizes[2], type out[MAX_ARGS + 1])
{
    nest *t = nest_build(seed);
    unsigned n = 0;
    if (t->full) {
        free(t);
        return 0;
    }
    for (unsigned i = 0; i < t->n_buffers; i++) {
        const buffer *b = &t->buffers[i];
        if (b->temporary)
            continue;
        out[n] = (type){.elem = F32, .ndim = b->ndim};
        for (unsigned k = 0; k < b->ndim; k++)
            out[n].d[k] =
                b->shape[k]->kind == SYMBOL ? sizes[b->shape[k]->c] : dim_const(b->shape[k]->c);
        n++;
    }
    free(t);
    return n - 1;
}

/* --- printing --------------------------------------------------------------------------------- */

typedef struct text {
    const nest *t;
    char *at;
    size_t left;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->at, w->left, format, args);
    va_end(args);
    const size_t used = n < 0 ? 0 : (size_t)n < w->left ? (size_t)n : w->left - 1;
    w->at += used;
    w->left -= used;
}

static const char symbol_names[] = "nm";

static void put_node(text *w, const node *n);

static void put_access(text *w, const node *n)
{
    const buffer *b = &w->t->buffers[n->c];
    const node *at[] = {n->a, n->b, n->d};
    put(w, "%s%s[", b->name, b->flat && !b->temporary ? "_1" : "");
    for (unsigned i = 0; i < RANK && at[i]; i++) {
        put(w, i ? ", " : "");
        put_node(w, at[i]);
    }
    put(w, "]");
}

static void put_call(text *w, const char *name, const node *n)
{
    put(w, "%s(", name);
    put_node(w, n->a);
    put(w, ", ");
    put_node(w, n->b);
    if (n->d) {
        put(w, ", ");
        put_node(w, n->d);
    }
    put(w, ")");
}

static void put_node(text *w, const node *n)
{
    static const char *const signs[] = {
        [ADD] = "+",         [SUBTRACT] = "-", [MULTIPLY] = "*", [DIVIDE] = "//", [MODULO] = "%",
        [LESS_EQUAL] = "<=", [EQUAL] = "==",   [AND] = "and",    [PLUS] = "+",    [TIMES] = "*"};
    if (n->kind == INTEGER)
        put(w, "%lld", (long long)n->c);
    else if (n->kind == SYMBOL)
        put(w, "%c", symbol_names[n->c]);
    else if (n->kind == VARIABLE)
        put(w, "i%lld", (long long)n->c);
    else if (n->kind == NUMBER)
        put(w, "T.float32(%g)", (double)n->c / 4);
    else if (n->kind == LOAD)
        put_access(w, n);
    else if (n->kind == CHOICE)
        put_call(w, "T.if_then_else", n);
    else if (n->kind == MAXIMUM || n->kind == LARGER)
        put_call(w, "T.max", n);
    else {
        put(w, "(");
        put_node(w, n->a);
        put(w, " %s ", signs[n->kind]);
        put_node(w, n->b);
        put(w, ")");
    }
}

static void put_shape(text *w, const buffer *b)
{
    put(w, "(");
    for (unsigned i = 0; i < b->ndim; i++) {
        put(w, b->flat && i > 0 ? " * " : i ? ", " : "");
        put_node(w, b->shape[i]);
    }
    put(w, b->flat || b->ndim == 1 ? ",)" : ")");
}

static void put_stmt(text *w, const node *n, int depth)
{
    static const char *const kinds[] = {"range", "T.parallel", "T.vectorized", "T.unroll"};
    const buffer *b = &w->t->buffers[n->kind == STORE || n->kind == ALLOCATE ? n->c : 0];
    if (n->kind != PAIR)
        put(w, "%*s", depth * 4, "");
    switch ((int)n->kind) {
    case FOR:
        put(w, "for i%lld in %s(", (long long)n->c, kinds[n->how]);
        put_node(w, n->a);
        put(w, "):\n");
        put_stmt(w, n->b, depth + 1);
        return;
    case IF:
        put(w, "if ");
        put_node(w, n->a);
        put(w, ":\n");
        put_stmt(w, n->b, depth + 1);
        return;
    case PAIR:
        put_stmt(w, n->a, depth);
        put_stmt(w, n->b, depth);
        return;
    case ALLOCATE:
        put(w, "%s = T.%s(", b->name, b->memory < 0 ? "alloc_buffer" : "decl_buffer");
        put_shape(w, b);
        if (b->memory >= 0)
            put(w, ", data=%s.data", w->t->buffers[b->memory].name);
        put(w, ")\n");
        return;
    default:
        put_access(w, n);
        put(w, " = ");
        put_node(w, n->e);
        put(w, "\n");
    }
}

void nest_print(uint64_t seed, char *out, size_t capacity)
{
    nest *t = nest_build(seed);
    text w = {t, out, capacity};
    bool used[2] = {false, false};
    put(&w, "    @T.prim_func(private=True)\n    def nest_%llx(", (unsigned long long)seed);
    for (unsigned i = 0, n = 0; i < t->n_buffers; i++) {
        const buffer *b = &t->buffers[i];
        for (unsigned k = 0; k < b->ndim && !b->temporary; k++)
            if (b->shape[k]->kind == SYMBOL)
                used[b->shape[k]->c] = true;
        if (!b->temporary)
            put(&w, "%sp%u: T.handle", n++ ? ", " : "", i);
    }
    put(&w, "):\n");
    for (unsigned k = 0; k < 2; k++)
        if (used[k])
            put(&w, "        %c = T.int64()\n", symbol_names[k]);
    for (unsigned i = 0; i < t->n_buffers; i++) {
        buffer *b = &t->buffers[i];
        if (b->temporary)
            continue;
        put(&w, "        %s = T.match_buffer(p%u, ", b->name, i);
        b->flat = false;
        put_shape(&w, b);
        put(&w, ")\n");
        b->flat = t->flat;
        if (!b->flat)
            continue;
        put(&w, "        %s_1 = T.decl_buffer(", b->name);
        put_shape(&w, b);
        put(&w, ", data=%s.data)\n", b->name);
    }
    put_stmt(&w, t->body, 2);
    free(t);
}

/* --- evaluation ------------------------------------------------------------------------------- */

typedef struct machine {
    nest *t;
    evaluation *e;
    int64_t symbols[2], vars[VARS];
} machine;

static int64_t whole(const machine *m, const node *n)
{
    if (n->kind == INTEGER)
        return n->c;
    if (n->kind == SYMBOL)
        return m->symbols[n->c];
    if (n->kind == VARIABLE)
        return m->vars[n->c];
    const int64_t a = whole(m, n->a);
    if (n->kind == AND && !a)
        return 0;
    const int64_t b = whole(m, n->b);
    switch ((int)n->kind) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return b ? a / b - (a % b != 0 && (a % b < 0) != (b < 0)) : 0;
    case MODULO:
        return b ? (a % b + b) % b : 0;
    case MAXIMUM:
        return a > b ? a : b;
    case LESS_EQUAL:
        return a <= b;
    case EQUAL:
        return a == b;
    default:
        return b; /* AND */
    }
}

static bool failed(const machine *m)
{
    return m->e->failed[0] != '\0';
}

static void fail(machine *m, const char *what, const node *n)
{
    if (!failed(m))
        snprintf(m->e->failed, sizeof m->e->failed, "%s %s", what, m->t->buffers[n->c].name);
}

/* The element that |n| accesses; NULL after a mistake. */
static num *element(machine *m, const node *n)
{
    const buffer *b = &m->t->buffers[n->c];
    const node *at[] = {n->a, n->b, n->d};
    int64_t to = 0;
    for (unsigned i = 0; i < RANK && at[i]; i++) {
        const int64_t k = whole(m, at[i]), extent = b->flat ? b->n : whole(m, b->shape[i]);
        if (k < 0 || k >= extent) {
            fail(m, "an index out of bounds of", n);
            return NULL;
        }
        to = to * extent + k;
    }
    return b->at ? &b->at[to] : NULL;
}

/* An element that was never stored has this error. */
static const double unset = -1;

static num number(machine *m, const node *n)
{
    if (n->kind == NUMBER)
        return (num){(double)n->c / 4, 0};
    if (n->kind == CHOICE)
        return number(m, whole(m, n->a) ? n->b : n->d);
    if (n->kind == LOAD) {
        const num *x = element(m, n);
        if (x && x->e == unset)
            fail(m, "an element that was not stored of", n);
        return x ? *x : num_unknown();
    }
    const num a = number(m, n->a), b = number(m, n->b);
    return num_binary(F32, n->kind == PLUS ? B_ADD : n->kind == TIMES ? B_MUL : B_MAX, a, b);
}

static void clear(machine *m, const node *n)
{
    buffer *b = &m->t->buffers[n->c];
    b->n = 1;
    for (unsigned i = 0; i < b->ndim; i++)
        b->n *= whole(m, b->shape[i]);
    m->e->work += b->n;
    if (m->e->work > m->e->limit) {
        snprintf(m->e->failed, sizeof m->e->failed, "too large");
        return;
    }
    if (b->memory >= 0)
        b->at = m->t->buffers[b->memory].at;
    else if (!b->at)
        b->at = malloc((size_t)(b->n + 1) * sizeof *b->at);
    for (int64_t i = 0; i < b->n && b->at; i++)
        b->at[i].e = unset;
}

static void execute(machine *m, const node *n)
{
    if (failed(m))
        return;
    switch ((int)n->kind) {
    case FOR:
        for (int64_t i = 0, extent = whole(m, n->a); i < extent && !failed(m); i++) {
            m->vars[n->c] = i;
            execute(m, n->b);
        }
        return;
    case IF:
        if (whole(m, n->a))
            execute(m, n->b);
        return;
    case PAIR:
        execute(m, n->a);
        execute(m, n->b);
        return;
    case ALLOCATE:
        clear(m, n);
        return;
    default: {
        const num v = number(m, n->e);
        num *to = element(m, n);
        if (to)
            *to = v;
        if (++m->e->work > m->e->limit)
            snprintf(m->e->failed, sizeof m->e->failed, "too large");
    }
    }
}

void nest_evaluate(evaluation *e, uint64_t seed, const tensor *const *args, tensor *out)
{
    machine m = {.t = nest_build(seed), .e = e};
    for (unsigned i = 0, n = 0; i < m.t->n_buffers; i++) {
        buffer *b = &m.t->buffers[i];
        if (b->temporary)
            continue;
        const tensor *x = n < m.t->n_args ? args[n++] : out;
        b->at = x->at;
        b->n = x->n;
        for (unsigned k = 0; k < b->ndim; k++)
            if (b->shape[k]->kind == SYMBOL)
                m.symbols[b->shape[k]->c] = x->dims[k];
    }
    for (int64_t i = 0; i < out->n; i++)
        out->at[i].e = unset;
    execute(&m, m.t->body);
    for (int64_t i = 0; i < out->n && !failed(&m); i++)
        if (out->at[i].e == unset)
            snprintf(e->failed, sizeof e->failed, "a result that was not stored");
    for (unsigned i = 0; i < m.t->n_buffers; i++)
        if (m.t->buffers[i].temporary && m.t->buffers[i].memory < 0)
            free(m.t->buffers[i].at);
    free(m.t);
}
