/* Launches of a CUDA device in graphs, where a call asks for it (rlx_vm_options.device_graphs).
 *
 * Such a call's launches are kept until other work is queued on the device, the limit of kept
 * launches is reached, or the call ends. Kept launches that come for the second time, with the same
 * kernels and sizes in the same order, become a CUDA graph; from then on they are one call of the
 * driver. Arguments that changed since the last time are set in the graph first. If the driver
 * refuses any of this, the launches are submitted one by one. */
#include "vm/devices/cuda.h"

#include <stdio.h>
#include <string.h>

/* More launches are several graphs, so that the device begins before the call has made them all. */
enum { MOST = 256, ARGS_BYTES = 1 << 15, GRAPHS = 32 };

typedef struct list {
    uint32_t n, n_bytes;
    rlxv_cuda_call calls[MOST];
    uint32_t at[MOST]; /* of the arguments in |bytes| */
    _Alignas(16) uint8_t bytes[ARGS_BYTES];
} list;

typedef struct graph {
    list of;
    cu_graph made; /* NULL: it came once so far */
    cu_graph_exec exec;
    cu_graph_node nodes[MOST];
    uint64_t used;
    bool refused;
} graph;

struct rlxv_cuda_graphs {
    list now;
    const char *names[MOST]; /* of |now|: they live as long as the call that gathers */
    graph *all[GRAPHS];
    uint64_t clock;
    int late; /* of a launch that was kept, whose name follows */
    char late_name[112];
};

/* --- keeping ----------------------------------------------------------------------------------
 */

rlx_status rlxv_cuda_gather(void *device, bool on, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlx_status status;
    if (on) {
        pthread_mutex_lock(&d->lock);
        if (!d->graphs && d->cu.cuGraphInstantiateWithFlags) {
            d->graphs = rlx_alloc(d->a, sizeof *d->graphs, _Alignof(rlxv_cuda_graphs));
            if (d->graphs)
                memset(d->graphs, 0, sizeof *d->graphs);
        }
        d->gatherers++;
        pthread_mutex_unlock(&d->lock);
        return RLX_OK;
    }
    status = rlxv_cuda_enter(d, "the launches of a call", err);
    if (status == RLX_OK) {
        status = rlxv_cuda_late(d, err);
        rlxv_cuda_leave(d);
    }
    pthread_mutex_lock(&d->lock);
    if (--d->gatherers == 0 && d->graphs) {
        d->graphs->late = CU_OK;
        d->graphs->now.n = d->graphs->now.n_bytes = 0; /* unless it is lost, there are none */
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

bool rlxv_cuda_keep(rlxv_cuda *d, const rlxv_cuda_call *call, const char *name, const void *args)
{
    bool kept = false;
    if (d->gatherers == 0)
        return false;
    pthread_mutex_lock(&d->lock);
    list *now = d->graphs ? &d->graphs->now : NULL;
    if (now && now->n < MOST && call->size <= ARGS_BYTES - now->n_bytes) {
        d->graphs->names[now->n] = name;
        now->calls[now->n] = *call;
        now->at[now->n++] = now->n_bytes;
        memcpy(now->bytes + now->n_bytes, args, call->size);
        now->n_bytes += (call->size + 15) & ~15u; /* ARGS_BYTES is a multiple of that */
        kept = true;
    }
    pthread_mutex_unlock(&d->lock);
    return kept;
}

rlx_status rlxv_cuda_late(rlxv_cuda *d, rlx_error *err)
{
    rlx_status status = RLX_OK;
    if (d->gatherers == 0)
        return RLX_OK;
    pthread_mutex_lock(&d->lock);
    if (d->graphs)
        status = rlxv_cuda_fail(d, d->graphs->late, d->graphs->late_name, err);
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* --- graphs -----------------------------------------------------------------------------------
 */

static void unmake(const rlxv_cuda *d, graph *g)
{
    if (g->exec)
        (void)d->cu.cuGraphExecDestroy(g->exec);
    if (g->made)
        (void)d->cu.cuGraphDestroy(g->made);
    g->exec = NULL;
    g->made = NULL;
}

/* Gives the driver's |call| launch |i| of |l|: a new node of |g| behind the last, or its new
 * arguments. */
static int set_node(const rlxv_cuda *d, graph *g, const list *l, uint32_t i)
{
    const rlxv_cuda_call *c = &l->calls[i];
    size_t size = c->size;
    void *extra[] = {CU_LAUNCH_BUFFER, (void *)(uintptr_t)(l->bytes + l->at[i]),
                     CU_LAUNCH_BUFFER_SIZE, &size, CU_LAUNCH_END};
    cu_kernel_node row = {.function = c->function, .shared = c->shared, .extra = extra};
    memcpy(row.grid, c->grid, sizeof row.grid);
    memcpy(row.block, c->block, sizeof row.block);
    if (g->exec)
        return d->cu.cuGraphExecKernelNodeSetParams(g->exec, g->nodes[i], &row);
    return d->cu.cuGraphAddKernelNode(&g->nodes[i], g->made, i ? &g->nodes[i - 1] : NULL, i > 0,
                                      &row);
}

static int make(const rlxv_cuda *d, graph *g)
{
    int code = d->cu.cuGraphCreate(&g->made, 0);
    if (code != CU_OK)
        g->made = NULL;
    for (uint32_t i = 0; i < g->of.n && code == CU_OK; i++)
        code = set_node(d, g, &g->of, i);
    if (code == CU_OK && (code = d->cu.cuGraphInstantiateWithFlags(&g->exec, g->made, 0)) != CU_OK)
        g->exec = NULL;
    return code;
}

static void copy_list(list *to, const list *from)
{
    to->n = from->n;
    to->n_bytes = from->n_bytes;
    memcpy(to->calls, from->calls, from->n * sizeof *from->calls);
    memcpy(to->at, from->at, from->n * sizeof *from->at);
    memcpy(to->bytes, from->bytes, from->n_bytes);
}

/* Sets the arguments of |l| that differ in |g|, and asks for it. */
static int run(const rlxv_cuda *d, graph *g, const list *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const uint8_t *args = l->bytes + l->at[i];
        if (memcmp(args, g->of.bytes + l->at[i], l->calls[i].size) == 0)
            continue;
        const int code = set_node(d, g, l, i);
        if (code != CU_OK)
            return code;
        memcpy(g->of.bytes + l->at[i], args, l->calls[i].size);
    }
    return d->cu.cuGraphLaunch(g->exec, d->stream);
}

static bool is_same(const list *a, const list *b)
{
    return a->n == b->n && memcmp(a->calls, b->calls, a->n * sizeof *a->calls) == 0;
}

/* The graph of |l|, or the one that was not used for longest, which becomes that of |l|; NULL:
 * there is no memory. */
static graph *find(rlxv_cuda *d, const list *l)
{
    rlxv_cuda_graphs *all = d->graphs;
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        graph *g = all->all[i];
        if (g && is_same(&g->of, l))
            return g;
        if (!g || (all->all[oldest] && g->used < all->all[oldest]->used))
            oldest = i;
    }
    graph *g = all->all[oldest];
    if (g)
        unmake(d, g);
    else if (!(g = rlx_alloc(d->a, sizeof *g, _Alignof(graph))))
        return NULL;
    memset(g, 0, sizeof *g);
    all->all[oldest] = g;
    copy_list(&g->of, l);
    return g;
}

/* True if |l| was asked for as a graph. */
static bool run_graph(rlxv_cuda *d, const list *l)
{
    graph *g = find(d, l);
    if (!g)
        return false;
    const bool is_new = g->used == 0;
    g->used = ++d->graphs->clock;
    if (is_new || g->refused)
        return false;
    if ((g->exec || make(d, g) == CU_OK) && run(d, g, l) == CU_OK)
        return true;
    unmake(d, g);
    g->refused = true;
    return false;
}

void rlxv_cuda_flush(rlxv_cuda *d)
{
    if (d->gatherers == 0)
        return;
    pthread_mutex_lock(&d->lock);
    rlxv_cuda_graphs *all = d->graphs;
    if (all && all->now.n > 0) {
        const list *l = &all->now;
        const bool done = l->n > 1 && run_graph(d, l);
        for (uint32_t i = 0; i < l->n && !done && all->late == CU_OK; i++) {
            all->late = rlxv_cuda_start(d, &l->calls[i], l->bytes + l->at[i]);
            if (all->late != CU_OK)
                snprintf(all->late_name, sizeof all->late_name, "kernel '%.100s'", all->names[i]);
        }
        all->now.n = all->now.n_bytes = 0;
    }
    pthread_mutex_unlock(&d->lock);
}

void rlxv_cuda_drop_graphs(rlxv_cuda *d)
{
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; d->graphs && i < GRAPHS; i++) {
        graph *g = d->graphs->all[i];
        if (!g)
            continue;
        unmake(d, g);
        rlx_free(d->a, g, sizeof *g, _Alignof(graph));
        d->graphs->all[i] = NULL;
    }
    pthread_mutex_unlock(&d->lock);
}

void rlxv_cuda_free_graphs(rlxv_cuda *d)
{
    for (uint32_t i = 0; d->graphs && i < GRAPHS; i++) /* of a lost device */
        rlx_free(d->a, d->graphs->all[i], sizeof(graph), _Alignof(graph));
    rlx_free(d->a, d->graphs, sizeof *d->graphs, _Alignof(rlxv_cuda_graphs));
}
