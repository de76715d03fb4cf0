/* Patterns of operators: text to nodes, and what each node allows, for the search of
 * compiler/ir/match.h. The recursion is as deep as a pattern has nodes, twice. */
#include "compiler/passes/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/match.h"
#include "compiler/ops/te.h"

typedef enum node_kind { NODE_ANY, NODE_NUMBER, NODE_CALL, NODE_EITHER } node_kind;

enum { MAX_CHILDREN = 6, NO_NAME = UINT32_MAX };

struct rlxc_pattern_node {
    node_kind kind;
    const char *op; /* CALL */
    double value;   /* NUMBER without a name */
    uint32_t name;  /* capture, or NO_NAME */
    const rlxc_pattern_node *children[MAX_CHILDREN];
    uint32_t n;
};

/* --- text ------------------------------------------------------------------------------------- */

typedef struct reader {
    rlxc_context *ctx;
    const char *at;
    rlxc_pattern_text *out;
    bool bad;
} reader;

static void skip_space(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static size_t word_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.");
}

static uint32_t name_index(reader *r, const char *text, size_t length)
{
    const char *name = rlxc_intern(r->ctx, text, length);
    for (uint32_t i = 0; i < r->out->n_names; i++)
        if (r->out->names[i] == name)
            return i;
    if (r->out->n_names == RLXC_PATTERN_NAMES) {
        r->bad = true;
        return 0;
    }
    r->out->names[r->out->n_names] = name;
    return r->out->n_names++;
}

static const rlxc_pattern_node *read_node(reader *r, uint32_t depth);

static void read_children(reader *r, rlxc_pattern_node *node, char end, uint32_t depth)
{
    for (skip_space(r); *r->at != end && !r->bad; skip_space(r)) {
        if (*r->at == '|') {
            r->at++;
            continue;
        }
        if (node->n == MAX_CHILDREN || !*r->at) {
            r->bad = true;
            return;
        }
        node->children[node->n++] = read_node(r, depth + 1);
    }
    r->at++;
}

static const rlxc_pattern_node *read_node(reader *r, uint32_t depth)
{
    rlxc_pattern_node *node = rlxc_alloc(r->ctx, sizeof *node);
    node->name = NO_NAME;
    skip_space(r);
    r->bad = r->bad || depth > RLXC_PATTERN_NODES;
    bool again = *r->at == '=';
    r->at += again;
    size_t length = word_length(r->at);
    if (length > 0 && strchr("-.0123456789", *r->at)) {
        node->kind = NODE_NUMBER;
        node->value = strtod(r->at, NULL);
        r->at += length;
        return node;
    }
    if (length > 0) {
        node->name = name_index(r, r->at, length);
        r->at += length;
        if (*r->at == '#') {
            r->at++;
            node->kind = NODE_NUMBER;
        }
        if (again || *r->at != '=')
            return node;
        r->at++;
    }
    char open = *r->at;
    if (r->bad || (open != '(' && open != '[')) {
        r->bad = true;
        return node;
    }
    r->at++;
    node->kind = open == '(' ? NODE_CALL : NODE_EITHER;
    if (open == '(') {
        size_t n = word_length(r->at);
        node->op = rlxc_intern(r->ctx, r->at, n);
        r->at += n;
    }
    read_children(r, node, open == '(' ? ')' : ']', depth);
    return node;
}

rlxc_pattern_text rlxc_pattern_parse(rlxc_context *ctx, const char *text)
{
    rlxc_pattern_text out = {0};
    reader r = {.ctx = ctx, .at = text, .out = &out};
    out.root = read_node(&r, 0);
    if (r.bad || *r.at) {
        rlxc_internal(ctx, (rlxc_range){0}, "pattern", "malformed: %s", text);
        out.root = NULL;
    }
    return out;
}

/* --- constants -------------------------------------------------------------------------------- */

bool rlxc_constant_number(rlxc_context *ctx, rlxc_atom atom, double *out)
{
    if (atom.kind != RLXC_ATOM_CONSTANT)
        return false;
    const rlxc_constant *c = atom.constant;
    for (uint32_t i = 0; i < c->ndim; i++)
        if (c->shape[i] != 1)
            return false;
    const rlxc_expr *e = rlxc_te_immediate(ctx, c);
    int64_t i;
    if (e && e->kind == RLXC_EXPR_FLOAT) {
        *out = e->f;
        return true;
    }
    if (!e || !rlxc_is_int(e, &i))
        return false;
    *out = (double)i;
    return true;
}

static bool near(rlx_dtype t, double got, double want)
{
    double unit = t.code == RLX_BFLOAT ? 4e-3 : t.bits == 16 ? 1e-3 : 2e-7;
    return fabs(got - want) <= unit * fabs(want);
}

/* --- matching --------------------------------------------------------------------------------- */

typedef struct matcher {
    rlxc_search search; /* of rlxc_match */
    const rlxc_pattern_graph *g;
    bool shared; /* values inside may be used outside */
} matcher;

static const rlxc_binding *call_of(matcher *m, rlxc_atom atom)
{
    const rlxc_binding *b =
        atom.kind == RLXC_ATOM_VAR ? m->g->definition(m->g->user, atom.var) : NULL;
    return b && b->form == RLXC_FORM_CALL && b->op ? b : NULL;
}

static bool is_op(const rlxc_binding *b, const char *name)
{
    return b && strcmp(b->op->name, name) == 0;
}

static bool is_number(matcher *m, rlxc_atom atom, double value)
{
    double got;
    return rlxc_constant_number(m->g->ctx, atom, &got) && got == value;
}

/* The operand x of b = power(x, |exponent|). */
static bool is_power(matcher *m, const rlxc_binding *b, double exponent)
{
    return is_op(b, "power") && is_number(m, b->args[1], exponent);
}

/* b added to the calls inside; false when there is no room. */
static bool note_inside(rlxc_match *state, const rlxc_binding *b)
{
    for (uint32_t i = 0; i < state->n_inside; i++)
        if (state->inside[i] == b)
            return true;
    if (state->n_inside == RLXC_PATTERN_NODES)
        return false;
    state->inside[state->n_inside++] = b;
    return true;
}

static bool same_number(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom, bool inverse,
                        rlxc_match *state)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(m->g->ctx, m->g->module, atom);
    double got;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !rlxc_constant_number(m->g->ctx, atom, &got) ||
        (inverse && got == 0))
        return false;
    got = inverse ? 1 / got : got;
    if (node->name == NO_NAME)
        return near(s->dtype, got, node->value);
    if (state->atoms[node->name].kind != RLXC_ATOM_NONE)
        return state->numbers[node->name] == got;
    state->atoms[node->name] = atom;
    state->numbers[node->name] = got;
    return true;
}

/* Operands node->children of the set |left| in any order and grouping under |op|. */
static bool grouped(matcher *m, const rlxc_pattern_node *node, const char *op, uint32_t set,
                    rlxc_atom atom, const rlxc_goal *next, const rlxc_match *so_far,
                    rlxc_match *out)
{
    uint32_t one = (uint32_t)__builtin_ctz(set);
    if ((set & (set - 1)) == 0)
        return rlxc_solve_one(&m->search, node->children[one], atom, next, so_far, out);
    const rlxc_binding *b = call_of(m, atom);
    rlxc_match state = *so_far;
    if (!is_op(b, op) || !note_inside(&state, b))
        return false;
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
        rlxc_pattern_node *sides = rlxc_alloc(m->g->ctx, 2 * sizeof *sides);
        const rlxc_pattern_node *both[2];
        for (int k = 0; k < 2; k++) {
            uint32_t in = k == 0 ? part : set & ~part;
            sides[k] = (rlxc_pattern_node){.kind = NODE_CALL, .op = op, .name = NO_NAME};
            for (uint32_t i = 0; i < node->n; i++)
                if (in >> i & 1)
                    sides[k].children[sides[k].n++] = node->children[i];
            both[k] = sides[k].n == 1 ? sides[k].children[0] : &sides[k];
        }
        if (rlxc_solve_two(&m->search, both[0], b->args[0], both[1], b->args[1], next, &state, out))
            return true;
    }
    return false;
}

/* (times x c) */
static bool scaled(matcher *m, const rlxc_pattern_node *node, const rlxc_binding *b,
                   const rlxc_goal *next, const rlxc_match *state, rlxc_match *out)
{
    bool divides = is_op(b, "divide");
    if (!divides && !is_op(b, "multiply"))
        return false;
    for (uint32_t i = divides ? 1 : 0; i < 2; i++) {
        rlxc_match with = *state;
        if (same_number(m, node->children[1], b->args[i], divides, &with) &&
            rlxc_solve_one(&m->search, node->children[0], b->args[1 - i], next, &with, out))
            return true;
    }
    return false;
}

/* (over a b) with b an expression of its own, (rooted a b): a divided by b or its root. */
static bool quotient(matcher *m, const rlxc_pattern_node *node, const rlxc_binding *b, bool rooted,
                     const rlxc_goal *next, const rlxc_match *state, rlxc_match *out)
{
    rlxc_context *ctx = m->g->ctx;
    rlxc_pattern_node *root = rlxc_alloc(ctx, sizeof *root);
    *root = (rlxc_pattern_node){.kind = NODE_CALL,
                                .op = rlxc_intern_cstr(ctx, "sqrt"),
                                .name = NO_NAME,
                                .children = {node->children[1]},
                                .n = 1};
    if (is_op(b, "divide"))
        return rlxc_solve_two(&m->search, node->children[0], b->args[0],
                              rooted ? root : node->children[1], b->args[1], next, state, out);
    if (!is_op(b, "multiply"))
        return false;
    if (rooted)
        root->op = rlxc_intern_cstr(ctx, "rsqrt");
    for (uint32_t i = 0; i < 2; i++) {
        if (rooted) {
            if (rlxc_solve_two(&m->search, node->children[0], b->args[1 - i], root, b->args[i],
                               next, state, out))
                return true;
            continue;
        }
        const rlxc_binding *inverse = call_of(m, b->args[i]);
        bool divided = is_op(inverse, "divide") && is_number(m, inverse->args[0], 1);
        rlxc_match with = *state;
        if ((divided || (inverse && is_power(m, inverse, -1))) && note_inside(&with, inverse) &&
            rlxc_solve_two(&m->search, node->children[0], b->args[1 - i], node->children[1],
                           inverse->args[divided ? 1 : 0], next, &with, out))
            return true;
    }
    return false;
}

/* sqrt, rsqrt and square of one operand. */
static bool power_of(matcher *m, const rlxc_pattern_node *node, const rlxc_binding *b,
                     const rlxc_goal *next, const rlxc_match *state, rlxc_match *out)
{
    double exponent = strcmp(node->op, "square") == 0 ? 2
                      : strcmp(node->op, "sqrt") == 0 ? 0.5
                                                      : -0.5;
    bool doubled = exponent == 2 && is_op(b, "multiply") && rlxc_atom_equal(b->args[0], b->args[1]);
    if (is_op(b, node->op) || is_power(m, b, exponent) || doubled)
        return rlxc_solve_one(&m->search, node->children[0], b->args[0], next, state, out);
    const rlxc_binding *root = is_op(b, "divide") ? call_of(m, b->args[1]) : NULL;
    rlxc_match with = *state;
    return exponent == -0.5 && (is_op(root, "sqrt") || (root && is_power(m, root, 0.5))) &&
           is_number(m, b->args[0], 1) && note_inside(&with, root) &&
           rlxc_solve_one(&m->search, node->children[0], root->args[0], next, &with, out);
}

static bool match_call(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                       const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    const rlxc_binding *b = call_of(m, atom);
    rlxc_match state = *so_far;
    if (strcmp(node->op, "cast") == 0 && !is_op(b, "astype"))
        return rlxc_solve_one(&m->search, node->children[0], atom, next, so_far, out);
    if (!b || !note_inside(&state, b))
        return false;
    const char *op = strcmp(node->op, "cast") == 0 ? "astype" : node->op;
    if (strcmp(op, "add") == 0 || strcmp(op, "multiply") == 0)
        return grouped(m, node, op, (1u << node->n) - 1, atom, next, &state, out);
    if (strcmp(op, "times") == 0)
        return scaled(m, node, b, next, &state, out);
    if (strcmp(op, "over") == 0 || strcmp(op, "rooted") == 0)
        return quotient(m, node, b, op[0] == 'r', next, &state, out);
    if (strcmp(op, "square") == 0 || strcmp(op, "sqrt") == 0 || strcmp(op, "rsqrt") == 0)
        return power_of(m, node, b, next, &state, out);
    if (!is_op(b, op) || b->n_args < node->n)
        return false;
    rlxc_goal goals[MAX_CHILDREN];
    for (uint32_t i = 0; i < node->n; i++)
        goals[i] =
            (rlxc_goal){node->children[i], b->args[i], i + 1 < node->n ? &goals[i + 1] : next};
    return rlxc_solve(&m->search, node->n ? goals : next, &state, out);
}

typedef struct use_count {
    const rlxc_rvar *var;
    uint32_t n;
} use_count;

static void count_use(void *user, rlxc_atom atom)
{
    use_count *u = user;
    u->n += atom.kind == RLXC_ATOM_VAR && atom.var == u->var;
}

/* All uses of the values inside are inside. */
static bool is_closed(const rlxc_pattern_graph *g, const rlxc_match *m)
{
    for (uint32_t i = 1; i < m->n_inside; i++) {
        use_count u = {m->inside[i]->var, 0};
        for (uint32_t k = 0; k < m->n_inside; k++)
            for (uint32_t a = 0; a < m->inside[k]->n_args; a++)
                rlxc_atom_visit(m->inside[k]->args[a], count_use, &u);
        if (u.n != g->uses(g->user, u.var))
            return false;
    }
    return true;
}

static bool accept(rlxc_search *search, const void *so_far, void *out)
{
    const matcher *m = (const matcher *)search;
    *(rlxc_match *)out = *(const rlxc_match *)so_far;
    return m->shared || is_closed(m->g, so_far);
}

static bool expand(rlxc_search *search, const rlxc_goal *goal, const void *so_far, void *out)
{
    matcher *m = (matcher *)search;
    const rlxc_pattern_node *node = goal->pattern;
    rlxc_match state = *(const rlxc_match *)so_far;
    if (rlxc_failed(m->g->ctx))
        return false;
    if (node->kind == NODE_NUMBER)
        return same_number(m, node, goal->term, false, &state) &&
               rlxc_solve(search, goal->next, &state, out);
    if (node->name != NO_NAME) {
        rlxc_atom *known = &state.atoms[node->name];
        if (known->kind != RLXC_ATOM_NONE && !rlxc_atom_equal(*known, goal->term))
            return false;
        *known = goal->term;
    }
    switch (node->kind) {
    case NODE_ANY:
    case NODE_NUMBER:
        return rlxc_solve(search, goal->next, &state, out);
    case NODE_CALL:
        return match_call(m, node, goal->term, goal->next, &state, out);
    case NODE_EITHER:
        for (uint32_t i = 0; i < node->n; i++)
            if (rlxc_solve_one(search, node->children[i], goal->term, goal->next, &state, out))
                return true;
        return false;
    }
    return false;
}

bool rlxc_pattern_match(const rlxc_pattern_graph *g, const rlxc_pattern_text *p, rlxc_atom atom,
                        bool shared, rlxc_match *out)
{
    matcher m = {.search = {.expand = expand, .accept = accept}, .g = g, .shared = shared};
    const rlxc_match empty = {.pattern = p};
    return rlxc_solve_one(&m.search, p->root, atom, NULL, &empty, out);
}

static uint32_t find_name(const rlxc_match *m, const char *name)
{
    for (uint32_t i = 0; i < m->pattern->n_names; i++)
        if (strcmp(m->pattern->names[i], name) == 0)
            return i;
    return NO_NAME;
}

rlxc_atom rlxc_match_atom(const rlxc_match *m, const char *name)
{
    uint32_t i = find_name(m, name);
    return i == NO_NAME ? (rlxc_atom){0} : m->atoms[i];
}

double rlxc_match_number(const rlxc_match *m, const char *name, double otherwise)
{
    uint32_t i = find_name(m, name);
    return i == NO_NAME || m->atoms[i].kind == RLXC_ATOM_NONE ? otherwise : m->numbers[i];
}

const rlxc_binding *rlxc_match_call(const rlxc_pattern_graph *g, const rlxc_match *m,
                                    const char *name)
{
    rlxc_atom atom = rlxc_match_atom(m, name);
    return atom.kind == RLXC_ATOM_VAR ? g->definition(g->user, atom.var) : NULL;
}
