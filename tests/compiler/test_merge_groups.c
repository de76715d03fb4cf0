/* Groups of bindings (compiler/passes/merge_groups.h) against a search of all paths, on random
 * blocks. */
#include <string.h>

#include "compiler/passes/merge_groups.h"
#include "tests/compiler/graph.h"
#include "tests/support/rlx_test.h"

enum { N = 20, BLOCKS = 300, JOINS = 40 };

typedef struct model {
    bool reads[N][N]; /* [i][k]: binding i reads binding k */
    uint32_t group[N];
} model;

/* reach[i][k]: group k is computed from group i, by one read or more. */
static void close_paths(const model *m, bool reach[N][N])
{
    memset(reach, 0, N * sizeof *reach);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < N; k++)
            if (m->reads[i][k] && m->group[i] != m->group[k])
                reach[m->group[k]][m->group[i]] = true;
    for (uint32_t via = 0; via < N; via++)
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; k < N; k++)
                reach[i][k] = reach[i][k] || (reach[i][via] && reach[via][k]);
}

static void join(model *m, uint32_t a, uint32_t b)
{
    bool reach[N][N];
    const uint32_t from = m->group[a], to = m->group[b];
    close_paths(m, reach);
    for (uint32_t via = 0; via < N; via++)
        if (via != from && via != to &&
            ((reach[from][via] && reach[via][to]) || (reach[to][via] && reach[via][from])))
            return;
    for (uint32_t i = 0; i < N; i++)
        m->group[i] = m->group[i] == from ? to : m->group[i];
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

/* Each binding is a tuple of a few earlier ones. */
static void fill(graph *g, model *m, rlxc_map *places, uint32_t *state)
{
    rlxc_atom args[4];
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t n = i == 0 ? 0 : draw(state, 4);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t from =
                draw(state, 3) > 0 && i > 3 ? i - 1 - draw(state, 3) : draw(state, i);
            m->reads[i][from] = true;
            args[k] = rlxc_atom_var(g->block->bindings[from]->var);
        }
        const rlxc_binding *b = graph_bind(g, RLXC_FORM_TUPLE, "t", args, n);
        rlxc_map_set(g->ctx, places, rlxc_key(b->var), (void *)((uintptr_t)i + 1));
        m->group[i] = i;
    }
}

RLX_TEST(merge_groups, joins_what_leaves_no_cycle)
{
    uint32_t state = 7, joined = 0, kept_apart = 0;
    for (uint32_t block = 0; block < BLOCKS; block++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        graph g = graph_new(ctx, rlxc_module_new(ctx), "f", false);
        model m = {0};
        rlxc_map places = {0};
        rlxc_merge_groups groups;
        fill(&g, &m, &places, &state);
        cr_assert(rlxc_merge_groups_init(&groups, ctx, g.block, &places));
        for (uint32_t i = 0; i < JOINS; i++) {
            const uint32_t a = draw(&state, N), b = draw(&state, N);
            const bool before = m.group[a] == m.group[b];
            join(&m, a, b);
            rlxc_merge_groups_join(&groups, a, b);
            joined += !before && m.group[a] == m.group[b];
            kept_apart += m.group[a] != m.group[b];
            for (uint32_t k = 0; k < N; k++)
                cr_assert_eq(m.group[k] == m.group[a],
                             rlxc_merge_group_of(&groups, k) == rlxc_merge_group_of(&groups, a),
                             "block %u, join %u of %u and %u: %u", block, i, a, b, k);
        }
        cr_expect(!rlxc_failed(ctx));
        rlxc_context_destroy(ctx);
    }
    cr_expect(joined > 1000 && kept_apart > 1000, "%u joined, %u not", joined, kept_apart);
}
