/* Minimum cut by maximum flow: Dinic's algorithm, with depth-first walks that keep their path. */
#include "compiler/passes/min_cut.h"

#include <string.h>

enum { SOURCE = 0, SINK = 1 };
#define NONE UINT32_MAX

void rlxc_network_init(rlxc_network *n, rlxc_context *ctx)
{
    *n = (rlxc_network){.ctx = ctx};
    rlxc_network_node(n);
    rlxc_network_node(n);
}

uint32_t rlxc_network_node(rlxc_network *n)
{
    RLXC_PUSH(n->ctx, &n->first, NONE);
    return n->first.count - 1;
}

static void add_arc(rlxc_network *n, uint32_t from, uint32_t to, int64_t capacity)
{
    const uint32_t i = n->arcs.count;
    RLXC_PUSH(n->ctx, &n->arcs, (rlxc_arc){to, n->first.items[from], capacity});
    if (n->arcs.count > i)
        n->first.items[from] = i;
}

void rlxc_network_arc(rlxc_network *n, uint32_t from, uint32_t to, int64_t capacity)
{
    if (rlxc_out_of_memory(n->ctx) || from == to)
        return;
    add_arc(n, from, to, capacity);
    add_arc(n, to, from, 0);
}

/* Distance of each node from the source along arcs with capacity left; false if the sink is cut
 * off. */
static bool measure(const rlxc_network *n, uint32_t *distance, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(distance, 0xff, n->first.count * sizeof *distance);
    distance[SOURCE] = 0;
    queue[tail++] = SOURCE;
    while (head < tail) {
        const uint32_t at = queue[head++];
        for (uint32_t i = n->first.items[at]; i != NONE; i = n->arcs.items[i].next) {
            const rlxc_arc *arc = &n->arcs.items[i];
            if (arc->left == 0 || distance[arc->to] != NONE)
                continue;
            distance[arc->to] = distance[at] + 1;
            queue[tail++] = arc->to;
        }
    }
    return distance[SINK] != NONE;
}

/* Sends what fits along the |depth| arcs of |path|. Returns the depth of the first full arc. */
static uint32_t send(rlxc_network *n, const uint32_t *path, uint32_t depth)
{
    int64_t amount = RLXC_UNCUT;
    uint32_t full = 0;
    for (uint32_t k = 0; k < depth; k++)
        if (n->arcs.items[path[k]].left < amount) {
            amount = n->arcs.items[path[k]].left;
            full = k;
        }
    for (uint32_t k = 0; k < depth; k++) {
        rlxc_arc *there = &n->arcs.items[path[k]], *back = &n->arcs.items[path[k] ^ 1];
        there->left -= amount;
        back->left = back->left > RLXC_UNCUT - amount ? RLXC_UNCUT : back->left + amount;
    }
    return full;
}

/* Fills every shortest way to the sink. |next| is the arc to try at each node. */
static void fill(rlxc_network *n, uint32_t *distance, uint32_t *next, uint32_t *path)
{
    uint32_t depth = 0, at = SOURCE;
    memcpy(next, n->first.items, n->first.count * sizeof *next);
    for (;;) {
        if (at == SINK) {
            depth = send(n, path, depth);
            at = n->arcs.items[path[depth] ^ 1].to;
            continue;
        }
        uint32_t i = next[at];
        while (i != NONE &&
               (n->arcs.items[i].left == 0 || distance[n->arcs.items[i].to] != distance[at] + 1))
            i = n->arcs.items[i].next;
        next[at] = i;
        if (i != NONE) {
            path[depth++] = i;
            at = n->arcs.items[i].to;
            continue;
        }
        if (depth == 0)
            return;
        distance[at] = NONE; /* a dead end */
        at = n->arcs.items[path[--depth] ^ 1].to;
    }
}

/* The nodes from which the sink can still be reached. */
static void mark_sink_side(const rlxc_network *n, bool *side, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    side[SINK] = true;
    queue[tail++] = SINK;
    while (head < tail) {
        const uint32_t at = queue[head++];
        for (uint32_t i = n->first.items[at]; i != NONE; i = n->arcs.items[i].next) {
            const uint32_t from = n->arcs.items[i].to;
            if (side[from] || n->arcs.items[i ^ 1].left == 0)
                continue;
            side[from] = true;
            queue[tail++] = from;
        }
    }
}

const bool *rlxc_min_cut(rlxc_network *n)
{
    const uint32_t count = n->first.count;
    uint32_t *distance = rlxc_try_alloc(n->ctx, count, sizeof *distance);
    uint32_t *queue = rlxc_try_alloc(n->ctx, count, sizeof *queue);
    uint32_t *next = rlxc_try_alloc(n->ctx, count, sizeof *next);
    uint32_t *path = rlxc_try_alloc(n->ctx, count, sizeof *path);
    bool *side = rlxc_try_alloc(n->ctx, count, sizeof *side);
    if (!distance || !queue || !next || !path || !side || rlxc_out_of_memory(n->ctx))
        return NULL;
    while (measure(n, distance, queue))
        fill(n, distance, next, path);
    mark_sink_side(n, side, queue);
    return side;
}
