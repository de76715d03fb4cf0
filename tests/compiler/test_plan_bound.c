/* The lower bound of a memory plan, compared with the most bytes that are in use at once in a
 * random function, counted call by call, independently of the compiler: tensors live from the call
 * that computes them to the last read through any view, and a sum may be computed in place of an
 * operand that is not read again. Nothing of the compiler's analyses is used. With an IF the bound
 * lies between the most on a path and the most in the order of the code, where the branches follow
 * each other. */
#include "tests/compiler/plan_sums.h"

enum { MOST = 40, BRANCH = 6, PROGRAMS = 40, N = 1024, PARAMS = 2 };

typedef enum kind { PARAM, ADD, MIX, VIEW, JOIN } kind;

typedef struct value {
    kind kind;
    int a, b;  /* operands; of a JOIN: the results of the branches */
    int width; /* elements for each of n */
} value;

typedef struct program {
    value of[MOST];
    int n;
    int then, otherwise, join; /* first values of the branches, and their IF; join 0: no IF */
    int result;
} program;

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

/* A value that the code at |at| can name. */
static int pick(const program *p, uint32_t *seed, int at)
{
    for (;;) {
        const int i = (int)next(seed, (uint32_t)at);
        const bool in_then = p->join && i >= p->then && i < p->otherwise;
        const bool in_else = p->join && i >= p->otherwise && i < p->join;
        if ((!in_then || at < p->otherwise) && (!in_else || at < p->join))
            return i;
    }
}

static void make_value(program *p, uint32_t *seed)
{
    value *v = &p->of[p->n];
    const uint32_t die = next(seed, 8);
    *v = (value){die < 4 ? ADD : die < 7 ? MIX : VIEW, 0, 0, 0};
    v->a = pick(p, seed, p->n);
    v->b = pick(p, seed, p->n);
    for (int turns = 0; v->kind == ADD && p->of[v->b].width != p->of[v->a].width && turns < 9;
         turns++)
        v->b = pick(p, seed, p->n);
    if (v->kind == ADD && p->of[v->b].width != p->of[v->a].width)
        v->kind = MIX;
    v->width = v->kind == MIX ? 1 + (int)next(seed, 4) : p->of[v->a].width;
    p->n++;
}

static void make(program *p, uint32_t seed, bool branches)
{
    *p = (program){.n = PARAMS};
    for (int i = 0; i < PARAMS; i++)
        p->of[i] = (value){PARAM, 0, 0, 1};
    for (uint32_t k = 3 + next(&seed, 8); k > 0; k--)
        make_value(p, &seed);
    if (branches) {
        int results[2];
        p->then = p->n;
        p->otherwise = p->join = MOST;
        for (int side = 0; side < 2; side++) {
            for (uint32_t k = 1 + next(&seed, BRANCH); k > 0; k--)
                make_value(p, &seed);
            results[side] = p->n - 1;
            if (side == 0)
                p->otherwise = p->n;
        }
        p->join = p->n;
        /* Both results have one width: a MIX is added where they differ, as the last value. */
        p->of[results[1]] =
            (value){MIX, p->of[results[1]].a, p->of[results[1]].b, p->of[results[0]].width};
        p->of[p->n++] = (value){JOIN, results[0], results[1], p->of[results[0]].width};
        for (uint32_t k = 1 + next(&seed, 6); k > 0; k--)
            make_value(p, &seed);
    }
    p->result = p->n - 1;
}

/* --- text ------------------------------------------------------------------------------------- */

static void write_type(rlxc_text *text, int width)
{
    rlxc_text_printf(text, "R.Tensor((n * %d,), \"float32\")", width);
}

static void write_value(rlxc_text *text, const program *p, int i, int indent)
{
    const value *v = &p->of[i];
    if (v->kind == VIEW) {
        rlxc_text_printf(text, "%*sv%d = R.reshape(v%d, R.shape([n * %d]))\n", indent, "", i, v->a,
                         v->width);
        return;
    }
    rlxc_text_printf(text, "%*sv%d = R.call_tir(cls.%s, (v%d, v%d), out_sinfo=", indent, "", i,
                     v->kind == ADD ? "add" : "mix", v->a, v->b);
    write_type(text, v->width);
    rlxc_text_puts(text, ")\n");
}

static const char functions[] =
    "from tvm.script import ir as I, relax as R, tir as T\n@I.ir_module\nclass Module:\n"
    "    @T.prim_func(private=True)\n    def add(a: T.handle, b: T.handle, c: T.handle):\n"
    "        n = T.int64()\n        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (n,), \"float32\")\n"
    "        C = T.match_buffer(c, (n,), \"float32\")\n"
    "        for i in range(n):\n            with T.block(\"b\"):\n"
    "                u = T.axis.spatial(n, i)\n                C[u] = A[u] + B[u]\n"
    "    @T.prim_func(private=True)\n    def mix(a: T.handle, b: T.handle, c: T.handle):\n"
    "        n = T.int64()\n        m = T.int64()\n        k = T.int64()\n"
    "        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (m,), \"float32\")\n"
    "        C = T.match_buffer(c, (k,), \"float32\")\n"
    "        for i in range(k):\n            C[i] = A[i % n] + B[(i + 1) % m]\n";

static void write_program(rlxc_text *text, const program *p)
{
    rlxc_text_puts(text, functions);
    rlxc_text_puts(text, "    @R.function\n    def main(v0: R.Tensor((\"n\",), \"float32\"), "
                         "v1: R.Tensor((\"n\",), \"float32\"), c: R.Tensor((), \"bool\")):\n"
                         "        n = T.int64()\n        cls = Module\n");
    for (int i = PARAMS; i < p->n; i++) {
        const bool inside = p->join && i >= p->then && i < p->join;
        if (p->join && i == p->then)
            rlxc_text_puts(text, "        if c:\n");
        if (p->join && i == p->otherwise)
            rlxc_text_printf(text, "            v%d = v%d\n        else:\n", p->join,
                             p->of[p->join].a);
        if (p->join && i == p->join)
            rlxc_text_printf(text, "            v%d = v%d\n", i, p->of[i].b);
        else
            write_value(text, p, i, inside ? 12 : 8);
    }
    rlxc_text_printf(text, "        return v%d\n", p->result);
}

/* --- counting --------------------------------------------------------------------------------- */

enum {
    YES,
    NO,
    BOTH,
    SIDES
}; /* paths: where the condition is true, false; the order of the code */

static bool runs(const program *p, int i, int side)
{
    if (!p->join || i < p->then || i >= p->join || side == BOTH)
        return true;
    return (i < p->otherwise) == (side == YES);
}

/* The value whose memory |i| has on that path. */
static int root_of(const program *p, int i, int side)
{
    while (p->of[i].kind == VIEW || p->of[i].kind == JOIN)
        i = p->of[i].kind == JOIN && side == NO ? p->of[i].b : p->of[i].a;
    return i;
}

static bool is_root(const program *p, int root, int i, int side)
{
    return (side != NO && root_of(p, i, YES) == root) || (side != YES && root_of(p, i, NO) == root);
}

static bool reads(const program *p, int at, int root, int side)
{
    const value *v = &p->of[at];
    if (v->kind == PARAM || (v->kind == JOIN && side != BOTH) || !runs(p, at, side))
        return false;
    return is_root(p, root, v->a, side) || (v->kind != VIEW && is_root(p, root, v->b, side));
}

static bool is_planned(const program *p, int root)
{
    return p->of[root].kind != PARAM && !is_root(p, root, p->result, BOTH);
}

static bool is_read_after(const program *p, int at, int root, int side)
{
    for (int i = at + 1; i < p->n; i++)
        if (reads(p, i, root, side))
            return true;
    return false;
}

/* The most elements in use at once on the path, for each of n. In the order of the code nothing is
 * computed in place. */
static int most_in_use(const program *p, int side)
{
    int most = 0;
    for (int at = PARAMS; at < p->n; at++) {
        const value *v = &p->of[at];
        int live = 0;
        bool in_place = false;
        if ((v->kind != ADD && v->kind != MIX) || !runs(p, at, side))
            continue;
        for (int i = PARAMS; i <= at; i++) {
            if (!is_root(p, i, i, side) || !runs(p, i, side) || !is_planned(p, i))
                continue;
            const bool later = is_read_after(p, at, i, side);
            live += i == at || later || reads(p, at, i, side) ? p->of[i].width : 0;
            in_place = in_place || (i != at && !later && reads(p, at, i, side));
        }
        if (v->kind == ADD && in_place && side != BOTH && is_planned(p, at))
            live -= v->width;
        most = live > most ? live : most;
    }
    return most;
}

/* --- comparing -------------------------------------------------------------------------------- */

static void check_bounds(rlx_test *t, bool branches)
{
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_text text = {.ctx = ctx};
        program p;
        uint64_t most[SIDES];
        make(&p, seed * 7919, branches);
        write_program(&text, &p);
        for (int side = 0; side < SIDES; side++)
            most[side] = (uint64_t)most_in_use(&p, side) * N * sizeof(float);
        const uint64_t least = most[YES] > most[NO] ? most[YES] : most[NO];
        const plan_request request = {.text = text.data, .dim = N};
        const uint64_t bound = plan_sums_of(t, &request).bound;
        cr_expect(
            bound >= least && bound <= (branches ? most[BOTH] : least),
            "seed %u: the bound is %llu, %llu bytes are in use at once, %llu in all branches\n"
            "%s",
            seed, (unsigned long long)bound, (unsigned long long)least,
            (unsigned long long)most[BOTH], text.data);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(plan_bound, is_the_most_that_is_in_use_at_once)
{
    check_bounds(t, false);
}

RLX_TEST(plan_bound, branches_follow_each_other)
{
    check_bounds(t, true);
}
