/* Graphs of the CUDA driver without a GPU: chains of kernels. */
#include <stdlib.h>
#include <string.h>

#include "tests/fake/gpu/cuda.h"

struct CUgraphNode_st {
    fake_work launch;
    cu_graph_node next;
};
struct CUgraph_st {
    cu_graph_node first, last;
};
struct CUgraphExec_st { /* nodes of its graph, with arguments of their own */
    cu_graph graph;
};

static int set_node(cu_graph_node n, const cu_kernel_node *row)
{
    fake_work w = {.function = row->function, .shared = row->shared};
    memcpy(w.grid, row->grid, sizeof w.grid);
    memcpy(w.block, row->block, sizeof w.block);
    const int code = fake_launch_of(&w, row->params, row->extra);
    if (code != CU_OK)
        return code;
    free(n->launch.args);
    n->launch = w;
    return CU_OK;
}

static void end_graph(void *bytes)
{
    const cu_graph graph = bytes;
    for (cu_graph_node n = graph->first, next; n; n = next) {
        next = n->next;
        free(n->launch.args);
        free(n);
    }
}

int cuGraphCreate(cu_graph *graph, unsigned flags)
{
    IN_CONTEXT;
    fake.misuses += flags != 0;
    const int code = fake_made((void **)graph, sizeof **graph);
    if (code == CU_OK)
        fake_object_of(*graph)->end = end_graph;
    return code;
}

int cuGraphDestroy(cu_graph graph)
{
    fake_dropped(graph);
    IN_CONTEXT;
    return CU_OK;
}

int cuGraphAddKernelNode(cu_graph_node *node, cu_graph graph, const cu_graph_node *after,
                         size_t n_after, const cu_kernel_node *row)
{
    IN_CONTEXT;
    fake.misuses += n_after != (graph->last != NULL) || (n_after && *after != graph->last);
    cu_graph_node n = calloc(1, sizeof *n);
    if (!n)
        return CU_OUT_OF_MEMORY;
    const int code = set_node(n, row);
    if (code != CU_OK) {
        free(n);
        return code;
    }
    *(graph->last ? &graph->last->next : &graph->first) = n;
    graph->last = *node = n;
    return CU_OK;
}

int cuGraphInstantiateWithFlags(cu_graph_exec *exec, cu_graph graph, unsigned long long flags)
{
    IN_CONTEXT;
    fake.misuses += flags != 0;
    const int code = fake_made((void **)exec, sizeof **exec);
    if (code == CU_OK)
        (*exec)->graph = graph;
    return code;
}

int cuGraphExecDestroy(cu_graph_exec exec)
{
    fake_dropped(exec);
    IN_CONTEXT;
    return CU_OK;
}

int cuGraphExecKernelNodeSetParams(cu_graph_exec exec, cu_graph_node node,
                                   const cu_kernel_node *row)
{
    IN_CONTEXT;
    cu_graph_node n = exec->graph->first;
    while (n && n != node)
        n = n->next;
    if (!n || n->launch.function != row->function) {
        fake.misuses++;
        return CU_INVALID_VALUE;
    }
    return set_node(n, row);
}

int cuGraphLaunch(cu_graph_exec exec, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    for (cu_graph_node n = exec->graph->first; n; n = n->next) {
        fake_work w = n->launch;
        w.args = malloc(w.function->size + 1);
        if (!w.args)
            return CU_OUT_OF_MEMORY;
        memcpy(w.args, n->launch.args, w.function->size);
        const int code = fake_append(w);
        if (code != CU_OK)
            return code;
    }
    return CU_OK;
}
