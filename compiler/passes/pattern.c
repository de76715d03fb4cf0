/* What each node of a pattern allows, for the search of compiler/ir/match.h. */
#include "compiler/passes/pattern_nodes.h"

#include <math.h>
#include <string.h>

#include "compiler/ir/match.h"
#include "compiler/ops/te.h"

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
    return got == want || (isfinite(want) && fabs(got - want) <= unit * fabs(want));
}

/* --- matching --------------------------------------------------------------------------------- */

typedef struct matcher {
    rlxc_search search; /* of rlxc_match */
    const rlxc_pattern_graph *g;
    bool shared; /* values inside may be used outside */
} matcher;

static const rlxc_binding *made_by(matcher *m, rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_VAR ? m->g->definition(m->g->user, atom.var) : NULL;
}

static const rlxc_binding *call_of(matcher *m, rlxc_atom atom)
{
    const rlxc_binding *b = made_by(m, atom);
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

/* Operands that are not written may be anything. */
static const rlxc_pattern_node anything = {.kind = RLXC_NODE_ANY, .name = RLXC_PATTERN_NO_NAME};

static const rlxc_pattern_node *operand(const rlxc_pattern_node *node, uint32_t i)
{
    return i < node->n ? node->children[i] : &anything;
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
    if (node->name == RLXC_PATTERN_NO_NAME)
        return node->kind == RLXC_NODE_ANY || near(s->dtype, got, node->value);
    if (state->atoms[node->name].kind != RLXC_ATOM_NONE)
        return state->numbers[node->name] == got;
    state->atoms[node->name] = atom;
    state->numbers[node->name] = got;
    return true;
}

/* The node's operands in |set|, in any order and grouping under |op|. */
static bool grouped(matcher *m, const rlxc_pattern_node *node, const char *op, uint32_t set,
                    rlxc_atom atom, const rlxc_goal *next, const rlxc_match *so_far,
                    rlxc_match *out)
{
    uint32_t one = (uint32_t)__builtin_ctz(set);
    if ((set & (set - 1)) == 0)
        return rlxc_solve_one(&m->search, operand(node, one), atom, next, so_far, out);
    const rlxc_binding *b = call_of(m, atom);
    rlxc_match state = *so_far;
    if (!is_op(b, op) || !note_inside(&state, b))
        return false;
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
        rlxc_pattern_node sides[2];
        const rlxc_pattern_node *both[2];
        for (int k = 0; k < 2; k++) {
            uint32_t in = k == 0 ? part : set & ~part;
            sides[k] =
                (rlxc_pattern_node){.kind = RLXC_NODE_CALL, .op = op, .name = RLXC_PATTERN_NO_NAME};
            for (uint32_t i = 0; in >> i; i++)
                if (in >> i & 1)
                    sides[k].children[sides[k].n++] = operand(node, i);
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
        if (same_number(m, operand(node, 1), b->args[i], divides, &with) &&
            rlxc_solve_one(&m->search, operand(node, 0), b->args[1 - i], next, &with, out))
            return true;
    }
    return false;
}

/* (over a c) with c an expression of its own, (rooted a c): a divided by c or its root. */
static bool quotient(matcher *m, const rlxc_pattern_node *node, const rlxc_binding *b, bool rooted,
                     const rlxc_goal *next, const rlxc_match *state, rlxc_match *out)
{
    rlxc_context *ctx = m->g->ctx;
    const rlxc_pattern_node *a = operand(node, 0), *c = operand(node, 1);
    rlxc_pattern_node root = {.kind = RLXC_NODE_CALL,
                              .op = rlxc_intern_cstr(ctx, "sqrt"),
                              .name = RLXC_PATTERN_NO_NAME,
                              .children = {c},
                              .n = 1};
    if (is_op(b, "divide"))
        return rlxc_solve_two(&m->search, a, b->args[0], rooted ? &root : c, b->args[1], next,
                              state, out);
    if (!is_op(b, "multiply"))
        return false;
    if (rooted)
        root.op = rlxc_intern_cstr(ctx, "rsqrt");
    for (uint32_t i = 0; i < 2; i++) {
        if (rooted) {
            if (rlxc_solve_two(&m->search, a, b->args[1 - i], &root, b->args[i], next, state, out))
                return true;
            continue;
        }
        const rlxc_binding *inverse = call_of(m, b->args[i]);
        bool divided = is_op(inverse, "divide") && is_number(m, inverse->args[0], 1);
        rlxc_match with = *state;
        if ((divided || (inverse && is_power(m, inverse, -1))) && note_inside(&with, inverse) &&
            rlxc_solve_two(&m->search, a, b->args[1 - i], c, inverse->args[divided ? 1 : 0], next,
                           &with, out))
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
        return rlxc_solve_one(&m->search, operand(node, 0), b->args[0], next, state, out);
    const rlxc_binding *root = is_op(b, "divide") ? call_of(m, b->args[1]) : NULL;
    rlxc_match with = *state;
    return exponent == -0.5 && (is_op(root, "sqrt") || (root && is_power(m, root, 0.5))) &&
           is_number(m, b->args[0], 1) && note_inside(&with, root) &&
           rlxc_solve_one(&m->search, operand(node, 0), root->args[0], next, &with, out);
}

/* The children, one for each of the operands. */
static bool match_operands(matcher *m, const rlxc_pattern_node *node, const rlxc_atom *operands,
                           const rlxc_goal *next, const rlxc_match *state, rlxc_match *out)
{
    rlxc_goal goals[RLXC_PATTERN_CHILDREN];
    for (uint32_t i = 0; i < node->n; i++)
        goals[i] =
            (rlxc_goal){node->children[i], operands[i], i + 1 < node->n ? &goals[i + 1] : next};
    return rlxc_solve(&m->search, node->n ? goals : next, state, out);
}

static bool match_call(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                       const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    const rlxc_binding *b = call_of(m, atom);
    rlxc_match state = *so_far;
    if (!node->op)
        return b && b->n_args >= node->n && note_inside(&state, b) &&
               match_operands(m, node, b->args, next, &state, out);
    if (strcmp(node->op, "cast") == 0 && !is_op(b, "astype"))
        return rlxc_solve_one(&m->search, operand(node, 0), atom, next, so_far, out);
    if (!b || !note_inside(&state, b))
        return false;
    const char *op = strcmp(node->op, "cast") == 0 ? "astype" : node->op;
    if (strcmp(op, "add") == 0 || strcmp(op, "multiply") == 0)
        return grouped(m, node, op, (1u << (node->n > 2 ? node->n : 2)) - 1, atom, next, &state,
                       out);
    if (strcmp(op, "times") == 0)
        return scaled(m, node, b, next, &state, out);
    if (strcmp(op, "over") == 0 || strcmp(op, "rooted") == 0)
        return quotient(m, node, b, op[0] == 'r', next, &state, out);
    if (strcmp(op, "square") == 0 || strcmp(op, "sqrt") == 0 || strcmp(op, "rsqrt") == 0)
        return power_of(m, node, b, next, &state, out);
    if (!is_op(b, op) || b->n_args < node->n)
        return false;
    return match_operands(m, node, b->args, next, &state, out);
}

/* (call f a b): of a function of the module, a PrimFunc or an external function. */
static bool match_callee(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                         const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    const rlxc_binding *b = made_by(m, atom);
    if (!b || b->form != RLXC_FORM_CALL)
        return false;
    const bool by_op = b->op && (b->op->flags & RLXC_OP_CALLS) && b->n_args > 0;
    if (b->op && !by_op)
        return false;
    const rlxc_atom callee = by_op ? b->args[0] : b->callee;
    const rlxc_atom *operands = by_op ? b->args + 1 : b->args;
    uint32_t n = by_op ? b->n_args - 1 : b->n_args;
    if (by_op && n > 0 && operands[0].kind == RLXC_ATOM_TUPLE) {
        n = operands[0].n;
        operands = operands[0].items;
    }
    const char *name = callee.kind == RLXC_ATOM_GLOBAL || callee.kind == RLXC_ATOM_EXTERN ||
                               callee.kind == RLXC_ATOM_STRING
                           ? callee.text
                           : NULL;
    rlxc_match state = *so_far;
    return (!node->op || (name && strcmp(name, node->op) == 0)) && n >= node->n &&
           note_inside(&state, b) && match_operands(m, node, operands, next, &state, out);
}

/* (tuple a b): all items of a tuple, which is an operand or has a name. */
static bool match_tuple(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                        const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    rlxc_match state = *so_far;
    if (atom.kind == RLXC_ATOM_TUPLE)
        return atom.n == node->n && match_operands(m, node, atom.items, next, &state, out);
    const rlxc_binding *b = made_by(m, atom);
    return b && b->form == RLXC_FORM_TUPLE && b->n_args == node->n && note_inside(&state, b) &&
           match_operands(m, node, b->args, next, &state, out);
}

static bool match_item(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                       const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    const rlxc_binding *b = made_by(m, atom);
    rlxc_match state = *so_far;
    return b && b->form == RLXC_FORM_TUPLE_GET &&
           (node->index < 0 || b->index == (uint64_t)node->index) && note_inside(&state, b) &&
           match_operands(m, node, b->args, next, &state, out);
}

static bool accept_any(rlxc_search *search, const void *so_far, void *out)
{
    (void)search;
    *(rlxc_match *)out = *(const rlxc_match *)so_far;
    return true;
}

/* !a: |atom| does not match, with what is known so far. What it would capture is forgotten. */
static bool match_not(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                      const rlxc_goal *next, const rlxc_match *so_far, rlxc_match *out)
{
    matcher inner = *m;
    rlxc_match unused;
    inner.search.accept = accept_any;
    bool matches = rlxc_solve_one(&inner.search, node->children[0], atom, NULL, so_far, &unused);
    m->search.steps = inner.search.steps;
    return !matches && m->search.steps <= RLXC_MATCH_STEPS &&
           rlxc_solve(&m->search, next, so_far, out);
}

static bool match_somewhere(matcher *m, const rlxc_pattern_node *node, const rlxc_goal *next,
                            const rlxc_match *so_far, rlxc_match *out)
{
    const rlxc_pattern_node *child = node->children[0];
    if (child->name != RLXC_PATTERN_NO_NAME && so_far->atoms[child->name].kind != RLXC_ATOM_NONE)
        return rlxc_solve_one(&m->search, child, so_far->atoms[child->name], next, so_far, out);
    for (uint32_t i = 0; i < m->g->n_all; i++)
        if (rlxc_solve_one(&m->search, child, rlxc_atom_var(m->g->all[i]->var), next, so_far, out))
            return true;
    return false;
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

uint32_t rlxc_pattern_reads(const rlxc_binding *b, const rlxc_rvar *var)
{
    use_count u = {var, 0};
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], count_use, &u);
    return u.n;
}

/* All uses of the values inside are inside. */
static bool is_closed(const rlxc_pattern_graph *g, const rlxc_match *m)
{
    for (uint32_t i = 1; i < m->n_inside; i++) {
        const rlxc_rvar *var = m->inside[i]->var;
        uint32_t n = 0;
        for (uint32_t k = 0; k < m->n_inside; k++)
            n += rlxc_pattern_reads(m->inside[k], var);
        if (n != g->uses(g->user, var))
            return false;
    }
    return true;
}

/* The conditions that name other captures. */
static bool late_conditions_hold(const rlxc_pattern_graph *g, rlxc_match *m)
{
    for (uint32_t i = 0; i < m->n_late; i++) {
        const rlxc_condition *c = m->late[i].condition;
        if (!c->holds(g, c, m->late[i].atom, m))
            return false;
    }
    return true;
}

static bool accept(rlxc_search *search, const void *so_far, void *out)
{
    const matcher *m = (const matcher *)search;
    *(rlxc_match *)out = *(const rlxc_match *)so_far;
    return late_conditions_hold(m->g, out) && (m->shared || is_closed(m->g, so_far));
}

/* Checks the node's conditions, or notes them for later. */
static bool conditions_hold(matcher *m, const rlxc_pattern_node *node, rlxc_atom atom,
                            rlxc_match *state)
{
    for (uint32_t i = 0; i < node->n_conditions; i++) {
        const rlxc_condition *c = &node->conditions[i];
        if (!c->late && !c->holds(m->g, c, atom, state))
            return false;
        if (!c->late)
            continue;
        if (state->n_late == RLXC_PATTERN_LATE)
            return false;
        state->late[state->n_late].condition = c;
        state->late[state->n_late++].atom = atom;
    }
    return true;
}

static bool expand(rlxc_search *search, const rlxc_goal *goal, const void *so_far, void *out)
{
    matcher *m = (matcher *)search;
    const rlxc_pattern_node *node = goal->pattern;
    rlxc_match state = *(const rlxc_match *)so_far;
    rlxc_goal same[RLXC_PATTERN_CHILDREN];
    if (rlxc_failed(m->g->ctx) || !conditions_hold(m, node, goal->term, &state))
        return false;
    if (node->kind == RLXC_NODE_NUMBER)
        return same_number(m, node, goal->term, false, &state) &&
               rlxc_solve(search, goal->next, &state, out);
    if (node->name != RLXC_PATTERN_NO_NAME) {
        rlxc_atom *known = &state.atoms[node->name];
        if (known->kind != RLXC_ATOM_NONE && !rlxc_atom_equal(*known, goal->term))
            return false;
        *known = goal->term;
    }
    switch (node->kind) {
    case RLXC_NODE_ANY:
    case RLXC_NODE_NUMBER:
        return rlxc_solve(search, goal->next, &state, out);
    case RLXC_NODE_CALL:
        return match_call(m, node, goal->term, goal->next, &state, out);
    case RLXC_NODE_CALLEE:
        return match_callee(m, node, goal->term, goal->next, &state, out);
    case RLXC_NODE_TUPLE:
        return match_tuple(m, node, goal->term, goal->next, &state, out);
    case RLXC_NODE_ITEM:
        return match_item(m, node, goal->term, goal->next, &state, out);
    case RLXC_NODE_NOT:
        return match_not(m, node, goal->term, goal->next, &state, out);
    case RLXC_NODE_SOMEWHERE:
        return match_somewhere(m, node, goal->next, &state, out);
    case RLXC_NODE_BOTH:
        for (uint32_t i = 0; i < node->n; i++)
            same[i] = (rlxc_goal){node->children[i], goal->term,
                                  i + 1 < node->n ? &same[i + 1] : goal->next};
        return rlxc_solve(search, same, &state, out);
    case RLXC_NODE_EITHER:
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
    matcher m = {
        .search = {.expand = expand, .accept = accept}, .g = g, .shared = shared || p->n_roots > 1};
    rlxc_match empty = {.pattern = p};
    const rlxc_binding *root = made_by(&m, atom);
    if (root)
        (void)note_inside(&empty, root);
    return rlxc_solve_one(&m.search, p->root, atom, NULL, &empty, out);
}

static uint32_t find_name(const rlxc_match *m, const char *name)
{
    for (uint32_t i = 0; i < m->pattern->n_names; i++)
        if (strcmp(m->pattern->names[i], name) == 0)
            return i;
    return RLXC_PATTERN_NO_NAME;
}

rlxc_atom rlxc_match_atom(const rlxc_match *m, const char *name)
{
    uint32_t i = find_name(m, name);
    return i == RLXC_PATTERN_NO_NAME ? (rlxc_atom){0} : m->atoms[i];
}

double rlxc_match_number(const rlxc_match *m, const char *name, double otherwise)
{
    uint32_t i = find_name(m, name);
    return i == RLXC_PATTERN_NO_NAME || m->atoms[i].kind == RLXC_ATOM_NONE ? otherwise
                                                                           : m->numbers[i];
}

const rlxc_binding *rlxc_match_call(const rlxc_pattern_graph *g, const rlxc_match *m,
                                    const char *name)
{
    rlxc_atom atom = rlxc_match_atom(m, name);
    return atom.kind == RLXC_ATOM_VAR ? g->definition(g->user, atom.var) : NULL;
}
