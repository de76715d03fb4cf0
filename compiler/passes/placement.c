/* Places for free nodes: groups of them, minimum cuts, search in small groups (placement.h). */
#include "compiler/passes/placement.h"

#include <string.h>

#include "compiler/passes/min_cut.h"

enum {
    MOST_SEARCHED = 20,      /* nodes of a group that is searched exhaustively */
    MOST_STEPS = 200 * 1000, /* of one search */
    MOST_ROUNDS = 20         /* of cuts between all pairs of places */
};
#define NONE UINT32_MAX

typedef struct placer {
    rlxc_context *ctx;
    rlxc_placement *p;
    bool *is_free;      /* by node, as given */
    uint32_t *group;    /* by node: a node of the same group; a root is its own */
    uint32_t *position; /* by node: index among the nodes of the group being placed */
} placer;

/* Free nodes that values connect, and the values that touch them. */
typedef struct group {
    RLXC_VEC(uint32_t) nodes;
    RLXC_VEC(const rlxc_placed_value *) values;
    uint64_t places; /* of given nodes that these values touch */
} group;

static uint64_t bit(int32_t place)
{
    return place == RLXC_NO_PLACE ? 0 : UINT64_C(1) << place;
}

/* --- cost ------------------------------------------------------------------------------------- */

static int64_t value_cost(const rlxc_placement *p, const rlxc_placed_value *v)
{
    uint64_t users = 0;
    for (uint32_t i = 0; i < v->users.count; i++)
        users |= bit(p->place[v->users.items[i]]);
    const int32_t own = p->place[v->source];
    int copies = __builtin_popcountll(users & ~bit(own));
    if (own == RLXC_NO_PLACE && copies > 0)
        copies--; /* it may still go to the place of one user */
    return copies * v->bytes;
}

static int64_t cost_of(const rlxc_placement *p, const group *g)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < g->values.count; i++)
        sum += value_cost(p, g->values.items[i]);
    return sum;
}

int64_t rlxc_placement_cost(const rlxc_placement *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n_values; i++)
        sum += value_cost(p, &p->values[i]);
    return sum;
}

/* --- one cut ---------------------------------------------------------------------------------- */

typedef struct cut {
    placer *w;
    const group *g;
    int32_t a, b; /* source's and sink's places */
    rlxc_network net;
    uint32_t *node; /* network node by position in the group, NONE: stays where it is */
} cut;

/* The network node of |node|, or NONE if its place is fixed in this cut. */
static uint32_t movable(const cut *c, uint32_t node)
{
    return c->w->is_free[node] ? c->node[c->w->position[node]] : NONE;
}

/* Costs of a copy of |v| to |place|, one of the two: made if a user is there and the source is not.
 */
static void add_copy(cut *c, const rlxc_placed_value *v, int32_t place)
{
    const bool to_a = place == c->a;
    const uint32_t source = movable(c, v->source), away = to_a ? 1 : 0;
    if (source == NONE && c->w->p->place[v->source] == place)
        return;
    uint32_t any = NONE, n_movable = 0;
    bool always = false;
    for (uint32_t i = 0; i < v->users.count; i++) {
        const uint32_t user = movable(c, v->users.items[i]);
        always |= user == NONE && c->w->p->place[v->users.items[i]] == place;
        n_movable += user != NONE;
        any = user != NONE ? user : any;
    }
    if (always) {
        if (source != NONE)
            rlxc_network_arc(&c->net, to_a ? 0 : source, to_a ? source : 1, v->bytes);
        return;
    }
    if (n_movable == 0)
        return;
    if (n_movable > 1) { /* one node stands for "some user is there" */
        any = rlxc_network_node(&c->net);
        for (uint32_t i = 0; i < v->users.count; i++) {
            const uint32_t user = movable(c, v->users.items[i]);
            if (user != NONE)
                rlxc_network_arc(&c->net, to_a ? user : any, to_a ? any : user, RLXC_UNCUT);
        }
    }
    const uint32_t other = source != NONE ? source : away;
    rlxc_network_arc(&c->net, to_a ? any : other, to_a ? other : any, v->bytes);
}

/* Moves the group's nodes that are at |a| or |b| between these two at the least cost; nodes that
 * may be at either go to |a|. True if any moved. */
static bool cut_between(placer *w, const group *g, int32_t a, int32_t b)
{
    cut c = {.w = w, .g = g, .a = a, .b = b};
    bool moved = false;
    c.node = rlxc_try_alloc(w->ctx, (size_t)g->nodes.count + 1, sizeof *c.node);
    if (!c.node)
        return false;
    rlxc_network_init(&c.net, w->ctx);
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        const int32_t at = w->p->place[g->nodes.items[i]];
        c.node[i] = at == a || at == b ? rlxc_network_node(&c.net) : NONE;
    }
    for (uint32_t i = 0; i < g->values.count; i++) {
        add_copy(&c, g->values.items[i], a);
        add_copy(&c, g->values.items[i], b);
    }
    const bool *at_b = rlxc_min_cut(&c.net);
    for (uint32_t i = 0; at_b && i < g->nodes.count; i++) {
        if (c.node[i] == NONE)
            continue;
        const int32_t now = at_b[c.node[i]] ? b : a;
        moved |= w->p->place[g->nodes.items[i]] != now;
        w->p->place[g->nodes.items[i]] = now;
    }
    return moved;
}

/* --- search ----------------------------------------------------------------------------------- */

typedef struct search {
    placer *w;
    const group *g;
    const int32_t *places;
    uint32_t n_places, steps;
    int64_t best;
    int32_t found[MOST_SEARCHED];
} search;

/* Tries all places of the nodes from |i| on, while the nodes placed so far cost less than the best.
 */
static void search_from(search *s, uint32_t i)
{
    int32_t *place = s->w->p->place;
    if (s->steps++ > MOST_STEPS || cost_of(s->w->p, s->g) >= s->best)
        return;
    if (i == s->g->nodes.count) {
        s->best = cost_of(s->w->p, s->g);
        for (uint32_t k = 0; k < i; k++)
            s->found[k] = place[s->g->nodes.items[k]];
        return;
    }
    for (uint32_t k = 0; k < s->n_places; k++) {
        place[s->g->nodes.items[i]] = s->places[k];
        search_from(s, i + 1);
    }
    place[s->g->nodes.items[i]] = RLXC_NO_PLACE;
}

/* Improves the group's places where a search finds cheaper ones. */
static void search_group(placer *w, const group *g, const int32_t *places, uint32_t n_places)
{
    search s = {.w = w, .g = g, .places = places, .n_places = n_places};
    s.best = cost_of(w->p, g);
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        s.found[i] = w->p->place[g->nodes.items[i]];
        w->p->place[g->nodes.items[i]] = RLXC_NO_PLACE;
    }
    search_from(&s, 0);
    for (uint32_t i = 0; i < g->nodes.count; i++)
        w->p->place[g->nodes.items[i]] = s.found[i];
}

/* --- groups ----------------------------------------------------------------------------------- */

static void place_group(placer *w, const group *g)
{
    int32_t places[RLXC_MAX_PLACES];
    uint32_t n = 0;
    if (g->places & bit(w->p->preferred))
        places[n++] = w->p->preferred;
    for (int32_t i = 0; i < RLXC_MAX_PLACES; i++)
        if ((g->places & bit(i)) != 0 && i != w->p->preferred)
            places[n++] = i;
    for (uint32_t i = 0; i < g->nodes.count; i++)
        w->p->place[g->nodes.items[i]] = n > 0 ? places[0] : w->p->preferred;
    if (n < 2)
        return;
    bool moved = true;
    for (int round = 0; moved && round < MOST_ROUNDS && !rlxc_failed(w->ctx); round++) {
        const int64_t before = cost_of(w->p, g);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n && !rlxc_failed(w->ctx); k++)
                cut_between(w, g, places[i], places[k]);
        moved = n > 2 && cost_of(w->p, g) < before;
    }
    if (n > 2 && g->nodes.count <= MOST_SEARCHED)
        search_group(w, g, places, n);
}

static uint32_t root(placer *w, uint32_t node)
{
    while (w->group[node] != node) {
        w->group[node] = w->group[w->group[node]];
        node = w->group[node];
    }
    return node;
}

/* A free node that |v| touches, or NONE. */
static uint32_t free_node(const placer *w, const rlxc_placed_value *v)
{
    if (w->is_free[v->source])
        return v->source;
    for (uint32_t i = 0; i < v->users.count; i++)
        if (w->is_free[v->users.items[i]])
            return v->users.items[i];
    return NONE;
}

static void join_groups(placer *w, const rlxc_placed_value *v)
{
    const uint32_t first = free_node(w, v);
    for (uint32_t i = 0; first != NONE && i < v->users.count; i++)
        if (w->is_free[v->users.items[i]])
            w->group[root(w, v->users.items[i])] = root(w, first);
}

static void collect(placer *w, group *groups)
{
    for (uint32_t i = 0; i < w->p->n_nodes; i++) {
        if (!w->is_free[i])
            continue;
        group *g = &groups[root(w, i)];
        w->position[i] = g->nodes.count;
        RLXC_PUSH(w->ctx, &g->nodes, i);
    }
    for (uint32_t i = 0; i < w->p->n_values; i++) {
        const rlxc_placed_value *v = &w->p->values[i];
        const uint32_t node = free_node(w, v);
        if (node == NONE)
            continue;
        group *g = &groups[root(w, node)];
        RLXC_PUSH(w->ctx, &g->values, v);
        g->places |= bit(w->p->place[v->source]);
        for (uint32_t k = 0; k < v->users.count; k++)
            g->places |= bit(w->p->place[v->users.items[k]]);
    }
}

bool rlxc_place(rlxc_context *ctx, rlxc_placement *p)
{
    const size_t n = (size_t)p->n_nodes + 1;
    placer w = {.ctx = ctx, .p = p};
    w.is_free = rlxc_try_alloc(ctx, n, sizeof *w.is_free);
    w.group = rlxc_try_alloc(ctx, n, sizeof *w.group);
    w.position = rlxc_try_alloc(ctx, n, sizeof *w.position);
    group *groups = rlxc_try_alloc(ctx, n, sizeof *groups);
    if (!w.is_free || !w.group || !w.position || !groups)
        return false;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        w.is_free[i] = p->place[i] == RLXC_NO_PLACE;
        w.group[i] = i;
    }
    for (uint32_t i = 0; i < p->n_values; i++)
        join_groups(&w, &p->values[i]);
    collect(&w, groups);
    for (uint32_t i = 0; i < p->n_nodes && !rlxc_failed(ctx); i++)
        if (groups[i].nodes.count > 0)
            place_group(&w, &groups[i]);
    return !rlxc_failed(ctx);
}
