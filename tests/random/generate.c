/* Generates random programs: functions, their parameters and symbols, dataflow blocks and branches.
 * generate_ops.c has the operations. */
#include <string.h>

#include "tests/random/generate.h"

/* Elements of a tensor, at the estimated sizes. */
static int64_t max_elements(const gen *g)
{
    return g->p->large ? 60000 : 5000;
}

unsigned rnd(gen *g, unsigned n)
{
    return random_below(g->rng, n);
}

bool chance(gen *g, unsigned percent)
{
    return rnd(g, 100) < percent;
}

/* --- dimensions ------------------------------------------------------------------------------ */

int64_t estimate(const gen *g, const dim *d)
{
    int64_t atoms[MAX_ATOMS];
    for (unsigned i = 0; i < g->f->n_atoms; i++)
        atoms[i] = g->f->atoms[i].estimate;
    return dim_evaluate(d, atoms);
}

static dim new_atom(gen *g, const char *name, int64_t size)
{
    if (g->f->n_atoms == MAX_ATOMS) /* unreachable: add_operation stops long before */
        return dim_const(1);
    atom *a = &g->f->atoms[g->f->n_atoms];
    *a = (atom){.live = true, .estimate = size};
    snprintf(a->name, sizeof a->name, "%s", name);
    return dim_atom(g->f->n_atoms++);
}

dim unnamed(gen *g, int64_t size)
{
    return new_atom(g, "", size);
}

dim named(gen *g, int64_t size)
{
    char name[8];
    snprintf(name, sizeof name, "q%u", g->f->n_atoms % 1000);
    return new_atom(g, name, size);
}

static bool has_only(const gen *g, const dim *d, bool signature)
{
    for (unsigned i = 0; i < d->n; i++)
        for (unsigned k = 0; k < MAX_FACTORS && d->t[i].atoms[k]; k++) {
            const atom *a = &g->f->atoms[d->t[i].atoms[k] - 1];
            if (!a->name[0] || !a->live || (signature && !a->signature))
                return false;
        }
    return true;
}

bool is_printable(const gen *g, const dim *d)
{
    return has_only(g, d, false);
}

static dim constant_dim(gen *g)
{
    static const int64_t sizes[] = {1, 2, 3, 7, 8, 16, 33};
    static const int64_t large[] = {1, 3, 33, 64, 100, 128};
    if (g->p->large && chance(g, 60))
        return dim_const(large[rnd(g, 6)]);
    return dim_const(sizes[rnd(g, chance(g, 70) ? 5 : 7)]);
}

dim printable_dim(gen *g)
{
    dim d, e;
    if (chance(g, 35))
        return constant_dim(g);
    for (unsigned tries = 0; tries < 10; tries++) {
        unsigned i = rnd(g, g->f->n_atoms + 1);
        if (i == g->f->n_atoms)
            continue;
        d = dim_atom(i);
        if (!is_printable(g, &d))
            continue;
        e = dim_const(1 + rnd(g, 2));
        if (chance(g, 4))
            dim_add(&d, &e, &d);
        else if (chance(g, 4))
            dim_mul(&d, &e, &d);
        return d;
    }
    return constant_dim(g);
}

/* --- values ---------------------------------------------------------------------------------- */

int add_value(gen *g, value v)
{
    if (g->f->n_values == MAX_VALUES)
        return -1;
    g->f->values[g->f->n_values] = v;
    return (int)g->f->n_values++;
}

static bool add_stmt(gen *g, stmt s)
{
    if (g->f->n_stmts == MAX_STMTS)
        return false;
    g->f->stmts[g->f->n_stmts++] = s;
    return true;
}

int bind(gen *g, value v)
{
    for (unsigned i = 0; i < v.n_types; i++) {
        int64_t n = 1;
        if (v.types[i].ndim > MAX_DIMS)
            return -1;
        for (unsigned k = 0; k < v.types[i].ndim; k++)
            n *= estimate(g, &v.types[i].d[k]);
        if (n > max_elements(g))
            return -1;
    }
    if (g->f->n_stmts + 16 > MAX_STMTS)
        return -1;
    int id = add_value(g, v);
    if (id < 0 || !add_stmt(g, (stmt){.kind = ST_BIND, .value = id}))
        return -1;
    g->scope[g->n_scope++] = id;
    return id;
}

int constant(gen *g, elem t, double f)
{
    value v = {.op = OP_CONST, .n_types = 1, .f = f, .named_after = -1};
    v.types[0].elem = t;
    return add_value(g, v);
}

double constant_value(gen *g, elem t)
{
    static const double floats[] = {0.5, 2, -1, 1.5, 0.25, 3, -0.75, 0, 1};
    static const double integers[] = {1, 2, 3, -1, 5, -7, 0};
    if (t == B8)
        return rnd(g, 2);
    double v = t >= I32 ? integers[rnd(g, 7)] : floats[rnd(g, 9)];
    return t == U8 && v < 0 ? -v : v;
}

const type *type_of(const gen *g, int id)
{
    return &g->f->values[id].types[0];
}

value call1(op o, int x)
{
    return (value){.op = o, .n_types = 1, .n_args = 1, .args = {x}, .named_after = -1};
}

value call2(op o, int x, int y)
{
    value v = call1(o, x);
    v.args[v.n_args++] = y;
    return v;
}

int pick(gen *g, unsigned elems, unsigned min_ndim, unsigned max_ndim)
{
    for (unsigned tries = 0; tries < 30 && g->n_scope > 0; tries++) {
        /* mostly recent values, so that chains get long */
        unsigned last = g->n_scope > 6 && chance(g, 60) ? 6 : g->n_scope;
        int id = g->scope[g->n_scope - 1 - rnd(g, last)];
        const value *v = &g->f->values[id];
        if (!v->is_tuple && (elems >> v->types[0].elem & 1) && v->types[0].ndim >= min_ndim &&
            v->types[0].ndim <= max_ndim)
            return id;
    }
    for (unsigned i = g->n_scope; i-- > 0;) {
        const value *v = &g->f->values[g->scope[i]];
        if (!v->is_tuple && (elems >> v->types[0].elem & 1) && v->types[0].ndim >= min_ndim &&
            v->types[0].ndim <= max_ndim)
            return g->scope[i];
    }
    return -1;
}

int new_param(gen *g, type t)
{
    int64_t n = 1;
    for (unsigned i = 0; i < t.ndim; i++) {
        n *= estimate(g, &t.d[i]);
        if (!has_only(g, &t.d[i], true))
            return -1;
    }
    if (g->f != &g->p->functions[0] || g->f->n_params == MAX_PARAMS || n > max_elements(g))
        return -1;
    value v = {.op = OP_PARAM, .n_types = 1, .types = {t}, .named_after = -1};
    int id = add_value(g, v);
    if (id >= 0)
        g->f->params[g->f->n_params++] = id;
    return id;
}

/* --- branches -------------------------------------------------------------------------------- */

static void add_body(gen *g, unsigned operations);

/* The last value of a branch, of the type of |x|. */
static int branch_result(gen *g, int x, int phi)
{
    const type *t = &g->f->values[x].types[0];
    value v = call1(OP_ALIAS, x);
    v.types[0] = *t;
    if (chance(g, 75))
        for (unsigned tries = 0; tries < 10 && v.op == OP_ALIAS; tries++) {
            int y = pick(g, 1u << t->elem, 0, t->ndim);
            type joined;
            if (y < 0 || !broadcast_type(t, &g->f->values[y].types[0], &joined) ||
                !type_equal(&joined, t))
                continue;
            if (type_equal(&g->f->values[y].types[0], t) && chance(g, 40)) {
                v.args[0] = y;
                break;
            }
            v.op = OP_BINARY;
            v.args[v.n_args++] = y;
            v.sub = t->elem == B8 ? B_AND + rnd(g, 3) : rnd(g, B_MIN + 1);
        }
    v.named_after = phi;
    return bind(g, v);
}

/* A pair, in either order if the types are equal. */
static int branch_pair(gen *g, int x, int y, int phi)
{
    value v = call1(OP_TUPLE, x);
    v.args[v.n_args++] = y;
    v.is_tuple = true;
    v.n_types = 2;
    v.types[0] = g->f->values[x].types[0];
    v.types[1] = g->f->values[y].types[0];
    v.named_after = phi;
    if (type_equal(&v.types[0], &v.types[1]) && chance(g, 50)) {
        v.args[0] = y;
        v.args[1] = x;
    }
    return bind(g, v);
}

static void leave_branch(gen *g, unsigned n_scope, unsigned n_atoms)
{
    g->n_scope = n_scope;
    for (unsigned i = n_atoms; i < g->f->n_atoms; i++)
        g->f->atoms[i].live = false;
}

static void add_if(gen *g, int condition)
{
    int x = pick(g, ANY_ELEM, 0, MAX_DIMS), y = pick(g, ANY_ELEM, 0, MAX_DIMS);
    if (x < 0 || y < 0 || g->f->n_stmts + 80 > MAX_STMTS || g->f->n_values + 60 > MAX_VALUES)
        return;
    bool pair = chance(g, 20);
    value phi = {
        .op = OP_PHI, .n_types = pair ? 2 : 1, .n_args = 2, .is_tuple = pair, .named_after = -1};
    phi.types[0] = g->f->values[x].types[0];
    phi.types[1] = g->f->values[y].types[0];
    int id = add_value(g, phi);
    unsigned n_scope = g->n_scope, n_atoms = g->f->n_atoms;
    add_stmt(g, (stmt){.kind = ST_IF, .value = condition});
    g->depth++;
    for (unsigned k = 0; k < 2; k++) {
        if (k)
            add_stmt(g, (stmt){.kind = ST_ELSE});
        n_atoms = g->f->n_atoms;
        add_body(g, rnd(g, 5));
        int result = pair ? branch_pair(g, x, y, id) : branch_result(g, x, id);
        g->f->values[id].args[k] = result < 0 ? x : result;
        leave_branch(g, n_scope, n_atoms);
    }
    g->depth--;
    add_stmt(g, (stmt){.kind = ST_END_IF, .value = id});
    g->scope[g->n_scope++] = id;
    for (unsigned k = 0; pair && k < 2; k++) {
        value part = call1(OP_GET, id);
        part.types[0] = g->f->values[id].types[k];
        part.n_ints = 1;
        part.ints[0] = k;
        bind(g, part);
    }
}

static int condition(gen *g)
{
    const type t = {.elem = B8};
    for (unsigned i = 0; i < g->f->n_params; i++)
        if (type_equal(&g->f->values[g->f->params[i]].types[0], &t) && chance(g, 60))
            return g->f->params[i];
    return new_param(g, t);
}

/* --- bodies ---------------------------------------------------------------------------------- */

static unsigned some_operations(gen *g, unsigned n)
{
    unsigned made = 0;
    for (unsigned tries = 0; tries < 3 * n && made < n; tries++)
        if (g->f->n_atoms + 14 <= MAX_ATOMS && g->f->n_values + 40 <= MAX_VALUES)
            made += add_operation(g) >= 0;
    return made;
}

static void add_dataflow(gen *g, unsigned n)
{
    unsigned before = g->n_scope, kept = before;
    add_stmt(g, (stmt){.kind = ST_DATAFLOW});
    some_operations(g, n);
    for (unsigned i = before; i < g->n_scope; i++) {
        value *v = &g->f->values[g->scope[i]];
        v->is_output = i + 1 == g->n_scope || (chance(g, 50) && !v->is_tuple);
        if (v->is_output)
            g->scope[kept++] = g->scope[i];
    }
    if (g->n_scope == before)
        g->f->n_stmts--; /* nothing fitted: drop the block */
    else
        add_stmt(g, (stmt){.kind = ST_END_DATAFLOW});
    g->n_scope = kept;
}

static void add_body(gen *g, unsigned n)
{
    while (n > 0) {
        unsigned part = 1 + rnd(g, 8);
        part = part < n ? part : n;
        n -= part;
        int c = g->depth < 2 && chance(g, 15) ? condition(g) : -1;
        if (c >= 0)
            add_if(g, c);
        if (chance(g, 60))
            add_dataflow(g, part);
        else
            some_operations(g, part);
    }
}

static void choose_results(gen *g, unsigned n)
{
    function *f = g->f;
    for (unsigned i = 0; i < n; i++) {
        int id = -1;
        for (unsigned k = g->n_scope; i == 0 && k-- > 0 && id < 0;)
            if (!f->values[g->scope[k]].is_tuple)
                id = g->scope[k];
        if (id < 0)
            id = pick(g, ANY_ELEM, 0, MAX_DIMS);
        f->results[f->n_results++] = id;
    }
}

/* --- calls ----------------------------------------------------------------------------------- */

/* Expresses the callee's |d| in the caller's atoms; false if it has an atom that only the callee
 * knows. */
static bool substitute(const dim *d, const dim *map, unsigned n, dim *out)
{
    bool known = true;
    *out = dim_const(0);
    for (unsigned i = 0; known && i < d->n; i++) {
        dim product = dim_const(d->t[i].c);
        for (unsigned k = 0; known && k < MAX_FACTORS && d->t[i].atoms[k]; k++)
            known =
                d->t[i].atoms[k] <= n && dim_mul(&product, &map[d->t[i].atoms[k] - 1], &product);
        known = known && dim_add(out, &product, out);
    }
    return known;
}

/* The type of a parameter for an argument: extents become symbols, equal extents the same symbol.
 */
static type param_type(gen *caller, gen *callee, const type *t, dim *map)
{
    type p = *t;
    for (unsigned i = 0; i < t->ndim; i++) {
        int64_t c;
        unsigned k = 0;
        if (dim_constant(&t->d[i], &c) && chance(caller, 80))
            continue;
        while (k < callee->f->n_atoms && !dim_equal(&map[k], &t->d[i]))
            k++;
        if (k == callee->f->n_atoms) {
            char name[8];
            snprintf(name, sizeof name, "%c", (char)('a' + k));
            new_atom(callee, name, estimate(caller, &t->d[i]));
            callee->f->atoms[k].signature = true;
            map[k] = t->d[i];
        }
        p.d[i] = dim_atom(k);
    }
    return p;
}

/* Generates a function that takes the arguments of |call|. */
static void new_function(gen *g, value *call, dim *map, unsigned *n_map)
{
    function *f = &g->p->functions[g->p->n_functions];
    gen callee = {.p = g->p, .f = f, .rng = g->rng, .depth = g->depth};
    call->sub = g->p->n_functions++;
    snprintf(f->name, sizeof f->name, "f%u", call->sub % 100);
    for (unsigned i = 0; i < call->n_args; i++) {
        value v = {.op = OP_PARAM, .n_types = 1, .named_after = -1};
        v.types[0] = param_type(g, &callee, &g->f->values[call->args[i]].types[0], map);
        int id = add_value(&callee, v);
        f->params[f->n_params++] = id;
        callee.scope[callee.n_scope++] = id;
    }
    *n_map = f->n_atoms;
    add_body(&callee, 2 + rnd(g, 6));
    choose_results(&callee, chance(g, 35) ? 2 : 1);
}

/* Whether the arguments fit the parameters of function |call->sub|. */
static bool fits(gen *g, const value *call, dim *map, unsigned *n_map)
{
    const function *f = &g->p->functions[call->sub];
    bool bound[MAX_ATOMS] = {false}, ok = f->n_params == call->n_args;
    *n_map = 0;
    while (*n_map < f->n_atoms && f->atoms[*n_map].signature)
        ++*n_map;
    for (unsigned i = 0; ok && i < call->n_args; i++) {
        const type *p = &f->values[f->params[i]].types[0];
        const type *a = &g->f->values[call->args[i]].types[0];
        ok = p->elem == a->elem && p->ndim == a->ndim;
        for (unsigned k = 0; ok && k < p->ndim; k++) {
            int64_t c;
            unsigned s = dim_constant(&p->d[k], &c) ? MAX_ATOMS : p->d[k].t[0].atoms[0] - 1u;
            if (s == MAX_ATOMS || bound[s])
                ok = dim_equal(s == MAX_ATOMS ? &p->d[k] : &map[s], &a->d[k]);
            else
                map[s] = a->d[k];
            if (s != MAX_ATOMS)
                bound[s] = true;
        }
    }
    return ok;
}

int add_call(gen *g)
{
    dim map[MAX_ATOMS];
    unsigned n_map = 0, own = (unsigned)(g->f - g->p->functions);
    value call = {.op = OP_CALL, .named_after = -1};
    for (unsigned n = 1 + rnd(g, 3), i = 0; i < n; i++)
        if ((call.args[call.n_args++] = pick(g, ANY_ELEM, 0, 3)) < 0)
            return -1;
    call.sub = own + 1;
    while (call.sub < g->p->n_functions && !fits(g, &call, map, &n_map))
        call.sub++;
    if (call.sub == g->p->n_functions && call.sub == MAX_FUNCTIONS)
        return -1;
    if (call.sub == g->p->n_functions)
        new_function(g, &call, map, &n_map);
    const function *f = &g->p->functions[call.sub];
    bool known = true;
    call.n_types = f->n_results;
    call.is_tuple = f->n_results > 1;
    for (unsigned i = 0; i < f->n_results; i++) {
        call.types[i] = f->values[f->results[i]].types[0];
        for (unsigned k = 0; k < call.types[i].ndim; k++)
            known = substitute(&f->values[f->results[i]].types[0].d[k], map, n_map,
                               &call.types[i].d[k]) &&
                    known;
    }
    if (known)
        return bind(g, call);
    /* the signature does not give the extent, so a match_cast does */
    if (call.is_tuple || g->f->n_atoms + 12 > MAX_ATOMS)
        return -1;
    for (unsigned k = 0; k < call.types[0].ndim; k++) {
        int64_t c;
        if (!dim_constant(&f->values[f->results[0]].types[0].d[k], &c))
            call.types[0].d[k] = unnamed(g, 8);
    }
    value cast = call1(OP_MATCH_CAST, bind(g, call));
    if (cast.args[0] < 0)
        return -1;
    g->n_scope--;
    cast.types[0] = call.types[0];
    for (unsigned k = 0; k < call.types[0].ndim; k++)
        if (!is_printable(g, &call.types[0].d[k]))
            cast.types[0].d[k] = named(g, 8);
    return bind(g, cast);
}

/* --- programs -------------------------------------------------------------------------------- */

static elem random_elem(gen *g)
{
    unsigned k = rnd(g, 100);
    return k < 68   ? F32
           : k < 75 ? I32
           : k < 80 ? I64
           : k < 85 ? F16
           : k < 90 ? BF16
           : k < 93 ? I8
           : k < 95 ? U8
                    : B8;
}

void generate(program *p, uint64_t seed, bool nests)
{
    uint64_t rng = seed * 0x2545f4914f6cdd1du + 99;
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->n_functions = 1;
    function *f = &p->functions[0];
    gen g = {.p = p, .f = f, .rng = &rng};
    snprintf(f->name, sizeof f->name, "main");
    p->special = chance(&g, 4);
    p->large = chance(&g, 5);
    unsigned n_symbols = 1 + rnd(&g, 3), n_params = n_symbols + rnd(&g, 3);
    for (unsigned i = 0; i < n_symbols; i++) {
        new_atom(&g, (const char *[]){"n", "m", "k"}[i], (p->large ? 20 : 4) + rnd(&g, 5));
        f->atoms[i].signature = true;
    }
    for (unsigned i = 0; i < n_params; i++) {
        type t = {.elem = i ? random_elem(&g) : F32, .ndim = rnd(&g, 5)};
        if (i < n_symbols && t.ndim == 0)
            t.ndim = 1 + rnd(&g, 3);
        for (unsigned k = 0; k < t.ndim; k++)
            t.d[k] = printable_dim(&g);
        for (unsigned k = 0; i < n_symbols && k < t.ndim; k++)
            t.d[k] = chance(&g, 60) ? dim_atom(rnd(&g, n_symbols)) : constant_dim(&g);
        if (i < n_symbols) /* binds its symbol, so later dimensions may be polynomials of it */
            t.d[rnd(&g, t.ndim)] = dim_atom(i);
        int id = new_param(&g, t);
        for (unsigned shrink = 0; id < 0 && shrink < 8; shrink++) {
            for (unsigned k = 0; k < t.ndim; k++) {
                int64_t c;
                if (dim_constant(&t.d[k], &c))
                    t.d[k] = dim_const(1 + rnd(&g, 2));
            }
            id = new_param(&g, t);
        }
        if (id < 0) {
            t = (type){.elem = F32, .ndim = 1, .d = {dim_atom(i < n_symbols ? i : 0)}};
            id = new_param(&g, t);
        }
        g.scope[g.n_scope++] = id;
    }
    if (nests || chance(&g, 25))
        for (unsigned k = 0; k < 3; k++)
            add_nest(&g);
    else
        add_body(&g, 5 + rnd(&g, chance(&g, 80) ? 20 : 40));
    choose_results(&g, 1 + rnd(&g, MAX_RESULTS));
    f->nested_result = f->n_results > 2 && chance(&g, 20);
}
