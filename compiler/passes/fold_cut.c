/* Chooses which values computed from constants are stored, and which are computed where they are
   read.
 *
 *   w = dequantize(q, 0.1, 3)       q: int8, a constant
 *   y = add(x, w)
 *
 * Folding w stores four times the bytes of q. The kernel of add can compute w from q instead: it is
 * made of elements of q, and reads a quarter of the memory. So weights of few bits, palettes
 * (take(palette, numbers)) and tensors that are mostly padding stay as small as they came.
 *
 * The choice is a minimum cut. Constants are on the compile-time side, kernels that compute the
 * elements they read on the run-time side. A value on the compile-time side that the other side
 * reads is stored and costs its bytes. Products, convolutions and other operators that need
 * operands in memory read constants, as before: such values are stored whatever they cost. */
#include "compiler/passes/fold.h"

#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/passes/min_cut.h"

enum {
    SMALL_BYTES = 64 << 10 /* a value of so few bytes is stored */
};

typedef struct cut {
    rlxc_network net;
    rlxc_map constants;       /* rlxc_constant -> 1 + node of what it stores */
    rlxc_map indices;         /* rlxc_rvar -> 1 + index of the value */
    uint32_t *nodes, *stores; /* of each value: its node, and that of what it stores */
} cut;

bool rlxc_is_by_element(const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && b->op && b->var->sinfo &&
           b->var->sinfo->kind == RLXC_SINFO_TENSOR &&
           (b->op->pattern == RLXC_PATTERN_ELEMWISE || b->op->pattern == RLXC_PATTERN_BROADCAST ||
            b->op->pattern == RLXC_PATTERN_INJECTIVE);
}

bool rlxc_reads_by_element(const rlxc_binding *b)
{
    return rlxc_is_by_element(b) ||
           (b->form == RLXC_FORM_CALL && b->op && b->op->pattern == RLXC_PATTERN_REDUCE);
}

/* What storing a value of |bytes| costs. A computed one costs a third less: decoding takes time
 * too, so it has to save something. */
static int64_t cost_of(int64_t bytes, bool is_computed)
{
    return bytes <= SMALL_BYTES ? 0 : is_computed ? bytes - bytes / 3 : bytes;
}

/* A node that is on the run's side if something there reads what |value| stores. */
static uint32_t store_of(cut *c, uint32_t value, int64_t cost)
{
    const uint32_t node = rlxc_network_node(&c->net);
    rlxc_network_arc(&c->net, value, node, cost);
    return node;
}

static uint32_t constant_node(cut *c, const rlxc_constant *constant)
{
    uintptr_t node = (uintptr_t)rlxc_map_get(&c->constants, rlxc_key(constant));
    if (node == 0) {
        node = (uintptr_t)store_of(c, 0, cost_of((int64_t)constant->nbytes, false)) + 1;
        rlxc_map_set(c->net.ctx, &c->constants, rlxc_key(constant), (void *)node);
    }
    return (uint32_t)(node - 1);
}

typedef struct operand {
    cut *c;
    uint32_t reader; /* node of the value computed from it */
} operand;

/* A value that the compiler computes needs operands that it has; one that the run computes reads
 * what they store. */
static void add_operand(void *user, rlxc_atom atom)
{
    const operand *o = user;
    cut *c = o->c;
    if (atom.kind == RLXC_ATOM_CONSTANT) {
        rlxc_network_arc(&c->net, constant_node(c, atom.constant), o->reader, RLXC_UNCUT);
    } else if (atom.kind == RLXC_ATOM_VAR) {
        const uintptr_t index = (uintptr_t)rlxc_map_get(&c->indices, rlxc_key(atom.var));
        if (index == 0)
            return;
        rlxc_network_arc(&c->net, c->stores[index - 1], o->reader, RLXC_UNCUT);
        rlxc_network_arc(&c->net, o->reader, c->nodes[index - 1], RLXC_UNCUT);
    }
}

/* True if |v| is a constant in another order: computed where it is read it would be no smaller. */
static bool is_moved_constant(const rlxc_fold_value *v)
{
    const rlxc_binding *b = v->binding;
    return rlxc_has_op_flag(b, RLXC_OP_FOLLOWS) && b->args[0].kind == RLXC_ATOM_CONSTANT &&
           (uint64_t)v->bytes == b->args[0].constant->nbytes;
}

static void add_value(cut *c, const rlxc_fold_value *v, uint32_t index)
{
    const uint32_t node = rlxc_network_node(&c->net);
    const uint32_t store = store_of(c, node, v->is_needed ? 0 : cost_of(v->bytes, true));
    c->nodes[index] = node;
    c->stores[index] = store;
    rlxc_map_set(c->net.ctx, &c->indices, rlxc_key(v->binding->var),
                 (void *)((uintptr_t)index + 1));
    if (v->is_needed || !rlxc_is_by_element(v->binding) || is_moved_constant(v))
        rlxc_network_arc(&c->net, 0, node, RLXC_UNCUT);
    if (v->is_read)
        rlxc_network_arc(&c->net, store, 1, RLXC_UNCUT);
    operand o = {c, node};
    for (uint32_t i = 0; i < v->binding->n_args; i++)
        rlxc_atom_visit(v->binding->args[i], add_operand, &o);
}

void rlxc_cut_folds(rlxc_context *ctx, rlxc_fold_value *values, uint32_t n)
{
    cut c = {.nodes = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *c.nodes),
             .stores = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *c.stores)};
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || (values[i].is_read && values[i].bytes > SMALL_BYTES);
    if (!any)
        return;
    rlxc_network_init(&c.net, ctx);
    for (uint32_t i = 0; i < n && !rlxc_out_of_memory(ctx); i++)
        add_value(&c, &values[i], i);
    const bool *at_run = rlxc_out_of_memory(ctx) ? NULL : rlxc_min_cut(&c.net);
    for (uint32_t i = 0; i < n && at_run; i++)
        values[i].is_decoded = at_run[c.nodes[i]];
}
