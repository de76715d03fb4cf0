/* Groups of bindings of a block, each of which one call can replace.
 *
 * The groups are the nodes of a graph without cycles, and lie in an order in which each comes after
 * those whose values it reads. Two groups a and b, a first, may become one if everything that b
 * reads from a's results it reads directly, not through other groups. So the groups that b depends
 * on are searched backwards, as far as they lie after a. If none of them reads a, they move before
 * a, and b joins a there. A search costs as much as it finds, and groups that moved before a are
 * not found again; only a search that fails may be repeated. */
#include "compiler/passes/merge_groups.h"

#include <stdlib.h>

#include "compiler/passes/outline.h"

enum { GAP_BITS = 32 }; /* of room between two labels */

typedef struct found { /* a group that another is computed from */
    int64_t label;
    uint32_t group;
} found;

typedef RLXC_VEC(found) founds;

typedef struct reading {
    rlxc_merge_groups *g;
    const rlxc_map *places;
    uint32_t reader;
    RLXC_VEC(uint32_t) all;
} reading;

static void add_read(void *user, rlxc_atom atom)
{
    reading *r = user;
    const uint32_t place = atom.kind == RLXC_ATOM_VAR
                               ? (uint32_t)(uintptr_t)rlxc_map_get(r->places, rlxc_key(atom.var))
                               : 0;
    if (place > 0 && place - 1 != r->reader)
        RLXC_PUSH(r->g->ctx, &r->all, place - 1);
}

static uint32_t *numbers(const rlxc_merge_groups *g)
{
    return rlxc_try_alloc(g->ctx, (size_t)g->n + 2, sizeof(uint32_t));
}

/* Labels in steps of 2^32 along the list from its head, which is n. */
static void number_groups(rlxc_merge_groups *g)
{
    int64_t label = 0;
    for (uint32_t i = g->after[g->n]; i != g->n; i = g->after[i])
        g->label[i] = label += INT64_C(1) << GAP_BITS;
}

bool rlxc_merge_groups_init(rlxc_merge_groups *g, rlxc_context *ctx,
                            const rlxc_binding_block *block, const rlxc_map *places)
{
    const uint32_t n = block->n;
    *g = (rlxc_merge_groups){.ctx = ctx, .n = n};
    uint32_t **const each[] = {&g->parent,     &g->first,  &g->last_member, &g->next_member,
                               &g->first_read, &g->before, &g->after,       &g->seen};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (!(*each[i] = numbers(g)))
            return false;
    if (!(g->label = rlxc_try_alloc(ctx, (size_t)n + 2, sizeof *g->label)))
        return false;
    reading r = {.g = g, .places = places};
    for (uint32_t i = 0; i <= n; i++) {
        g->parent[i] = g->first[i] = g->last_member[i] = i;
        g->next_member[i] = RLXC_NO_GROUP;
        g->before[i] = i > 0 ? i - 1 : n;
        g->after[i] = i < n ? i + 1 : 0;
        g->first_read[i] = r.all.count;
        r.reader = i;
        if (i < n)
            rlxc_visit_reads(block->bindings[i], add_read, &r);
    }
    g->reads = r.all.items;
    number_groups(g);
    return !rlxc_out_of_memory(ctx);
}

uint32_t rlxc_merge_group_of(rlxc_merge_groups *g, uint32_t i)
{
    while (g->parent[i] != i)
        i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

/* Appends the groups that |b| depends on and that lie after |a|. False if one of them reads |a|. */
static bool search(rlxc_merge_groups *g, uint32_t a, uint32_t b, founds *out)
{
    uint32_t at = b, next = 0;
    g->seen[b] = ++g->round;
    for (;;) {
        for (uint32_t m = at; m != RLXC_NO_GROUP; m = g->next_member[m])
            for (uint32_t i = g->first_read[m]; i < g->first_read[m + 1]; i++) {
                const uint32_t from = rlxc_merge_group_of(g, g->reads[i]);
                if (from == a && at != b)
                    return false;
                if (g->label[from] <= g->label[a] || g->seen[from] == g->round)
                    continue;
                g->seen[from] = g->round;
                RLXC_PUSH(g->ctx, out, (found){g->label[from], from});
            }
        if (next >= out->count)
            return !rlxc_out_of_memory(g->ctx);
        at = out->items[next++].group;
    }
}

static void take_out(rlxc_merge_groups *g, uint32_t i)
{
    g->after[g->before[i]] = g->after[i];
    g->before[g->after[i]] = g->before[i];
}

/* Moves |moved|, in their order, to the place before |a|. */
static void move_before(rlxc_merge_groups *g, const found *moved, uint32_t n, uint32_t a)
{
    for (uint32_t i = 0; i < n; i++)
        take_out(g, moved[i].group);
    const uint32_t front = g->before[a];
    const int64_t low = front == g->n ? 0 : g->label[front];
    const int64_t step = (g->label[a] - low) / ((int64_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t last = g->before[a], group = moved[i].group;
        g->after[last] = g->before[a] = group;
        g->before[group] = last;
        g->after[group] = a;
        g->label[group] = low + step * ((int64_t)i + 1);
    }
    if (n > 0 && step == 0)
        number_groups(g);
}

static int compare_labels(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return (x->label > y->label) - (x->label < y->label);
}

void rlxc_merge_groups_join(rlxc_merge_groups *g, uint32_t a, uint32_t b)
{
    founds between = {0};
    a = rlxc_merge_group_of(g, a);
    b = rlxc_merge_group_of(g, b);
    if (g->label[a] > g->label[b]) {
        const uint32_t other = a;
        a = b;
        b = other;
    }
    if (a == b || !search(g, a, b, &between))
        return;
    if (between.count > 1)
        qsort(between.items, between.count, sizeof *between.items, compare_labels);
    move_before(g, between.items, between.count, a);
    take_out(g, b);
    g->parent[b] = a;
    g->next_member[g->last_member[a]] = b;
    g->last_member[a] = g->last_member[b];
    g->first[a] = g->first[a] < g->first[b] ? g->first[a] : g->first[b];
}
