/* Pass join_products: products of one operand with several constant weights become one product with
 * the weights stacked; the results are parts of its result.
 *
 *   q = R.add(R.matmul(x, wq), bq)        j = R.add(R.matmul(x, [wq, wk, wv]), [bq, bk, bv])
 *   k = R.add(R.matmul(x, wk), bk)        q = R.memory.view(j, shape, offset 0)
 *   v = R.add(R.matmul(x, wv), bv)        k = R.memory.view(j, shape, offset of one), ...
 *
 * One kernel starts instead of three, and its parallel loop has three times the pieces: with one
 * row, or few, on several threads that shows. The stack's axis comes first, so each part lies in
 * one piece and is a view; sums are the same to the bit.
 *
 * Weights must have one shape and type. Left apart: results that something would have been fused
 * with, as an activation or a sum of two of them: that saves more; results that leave the block, as
 * they would hold the others' memory; products between which another product or kernel of its own
 * stands, as all results are made where the first was, and would be held until the last is used. */
#include "compiler/passes/alias.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "compiler/ops/ops.h"

#include <string.h>

enum { MAX_PARTS = 16, PART_ALIGN = 64 /* bytes: where tensors of the memory plan begin */ };

typedef struct group group;

typedef struct part { /* product = matmul(x, weight); result = product, or product + bias */
    const rlxc_binding *matmul;
    const rlxc_rvar *result;
    const rlxc_constant *weight, *bias; /* bias: or NULL */
    group *in;
    uint32_t index;
} part;

struct group {
    part *parts[MAX_PARTS];
    uint32_t n;
    rlxc_atom joined; /* once made */
};

typedef struct use {        /* of a variable */
    const rlxc_binding *by; /* the last one */
    uint32_t n;
    bool fusable; /* by something that becomes part of the kernel that makes the variable */
} use;

typedef struct join {
    rlxc_context *ctx;
    use *uses; /* by id */
    uint32_t n_vars;
    rlxc_map parts; /* rlxc_rvar of a product or result -> part, of groups of two and more */
} join;

/* --- what is used how ------------------------------------------------------------------------- */

static bool is_kernel_of_its_own(const rlxc_binding *b)
{
    return b->form != RLXC_FORM_CALL || !b->op || b->op->pattern >= RLXC_PATTERN_OUT_FUSABLE;
}

typedef struct noting {
    join *j;
    const rlxc_binding *by;
} noting;

static void note_use(void *user, rlxc_atom atom)
{
    const noting *n = user;
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= n->j->n_vars)
        return;
    use *u = &n->j->uses[atom.var->id];
    const bool looks =
        n->by->form == RLXC_FORM_CALL && n->by->op && n->by->op->flags & RLXC_OP_ALIASES_0;
    u->by = n->by;
    u->n++;
    u->fusable = u->fusable || !(looks || is_kernel_of_its_own(n->by));
}

static void note_uses(join *j, const rlxc_binding_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        noting n = {j, block->bindings[i]};
        rlxc_binding_reads(n.by, note_use, &n);
    }
}

/* --- which products --------------------------------------------------------------------------- */

static bool known_dims(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 0 && s->dims;
}

/* The constant of one element for each column that is added to |product|. */
static const rlxc_constant *bias_of(const join *j, const rlxc_rvar *product,
                                    const rlxc_constant *weight)
{
    const use *u = &j->uses[product->id];
    if (u->n != 1 || !rlxc_is_op(u->by, "add"))
        return NULL;
    const bool second = u->by->args[0].kind == RLXC_ATOM_VAR && u->by->args[0].var == product;
    const rlxc_atom other = u->by->args[second];
    const rlxc_constant *c = other.kind == RLXC_ATOM_CONSTANT ? other.constant : NULL;
    if (!c || c->ndim == 0 || c->ndim > (uint32_t)product->sinfo->ndim ||
        c->shape[c->ndim - 1] != weight->shape[1] || !rlxc_dtype_eq(c->dtype, weight->dtype))
        return NULL;
    for (uint32_t i = 0; i + 1 < c->ndim; i++)
        if (c->shape[i] != 1)
            return NULL;
    return c;
}

static part *part_of(const join *j, const rlxc_binding *b)
{
    if (!rlxc_is_op(b, "matmul") || b->args[0].kind != RLXC_ATOM_VAR ||
        b->args[1].kind != RLXC_ATOM_CONSTANT || !known_dims(b->args[0].var->sinfo) ||
        !known_dims(b->var->sinfo) || b->var->id >= j->n_vars)
        return NULL;
    const rlxc_sinfo *x = b->args[0].var->sinfo, *y = b->var->sinfo;
    const rlxc_constant *w = b->args[1].constant;
    if (w->ndim != 2 || w->shape[0] < 1 || w->shape[1] < 1 || x->ndim < 2 ||
        x->ndim >= RLXC_MAX_NDIM || !rlxc_dtype_eq(x->dtype, w->dtype) ||
        !rlxc_dtype_eq(y->dtype, w->dtype) || w->nbytes / (size_t)w->shape[0] % PART_ALIGN != 0)
        return NULL;
    part *p = rlxc_alloc(j->ctx, sizeof *p);
    *p = (part){.matmul = b, .result = b->var, .weight = w, .bias = bias_of(j, b->var, w)};
    if (p->bias)
        p->result = j->uses[b->var->id].by->var;
    if (!p->result->is_dataflow || p->result->id >= j->n_vars || j->uses[p->result->id].n == 0 ||
        j->uses[p->result->id].fusable)
        return NULL;
    return p;
}

static bool go_together(const part *a, const part *b)
{
    return a->matmul->args[0].var == b->matmul->args[0].var && !a->bias == !b->bias &&
           rlxc_dtype_eq(a->weight->dtype, b->weight->dtype) &&
           a->weight->shape[0] == b->weight->shape[0] && a->weight->shape[1] == b->weight->shape[1];
}

static void find_groups(join *j, const rlxc_binding_block *block)
{
    group *open = NULL;
    for (uint32_t i = 0; i < block->n; i++) {
        const rlxc_binding *b = block->bindings[i];
        part *p = part_of(j, b);
        if (!p) {
            if (is_kernel_of_its_own(b) && !(b->op && b->op->flags & RLXC_OP_ALIASES_0))
                open = NULL;
            continue;
        }
        if (!open || open->n == MAX_PARTS || !go_together(open->parts[0], p)) {
            open = rlxc_alloc(j->ctx, sizeof *open);
            *open = (group){0};
        }
        p->in = open;
        p->index = open->n;
        open->parts[open->n++] = p;
        for (uint32_t k = open->n == 2 ? 0 : p->index; open->n > 1 && k < open->n; k++) {
            rlxc_map_set(j->ctx, &j->parts, rlxc_key(open->parts[k]->matmul->var), open->parts[k]);
            rlxc_map_set(j->ctx, &j->parts, rlxc_key(open->parts[k]->result), open->parts[k]);
        }
    }
}

/* --- the product of all ----------------------------------------------------------------------- */

/* The constants one behind the other: [parts, 1, ..., their shape], of |ndim| dimensions. */
static rlxc_atom stacked(join *j, const group *g, bool biases, uint32_t ndim)
{
    const rlxc_constant *first = biases ? g->parts[0]->bias : g->parts[0]->weight;
    int64_t shape[RLXC_MAX_NDIM];
    uint8_t *data = rlxc_try_alloc(j->ctx, g->n, first->nbytes);
    if (!data)
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < g->n; i++) {
        const rlxc_constant *c = biases ? g->parts[i]->bias : g->parts[i]->weight;
        memcpy(data + i * first->nbytes, c->data, first->nbytes);
    }
    for (uint32_t i = 0; i < ndim; i++)
        shape[i] = i == 0                   ? (int64_t)g->n
                   : i + first->ndim < ndim ? 1
                                            : first->shape[i + first->ndim - ndim];
    return rlxc_atom_constant(
        rlxc_constant_new(j->ctx, first->dtype, ndim, shape, data, g->n * first->nbytes));
}

static rlxc_atom product_of_all(join *j, rlxc_builder *b, const group *g, const rlxc_binding *call)
{
    const uint32_t ndim = (uint32_t)call->args[0].var->sinfo->ndim + 1;
    rlxc_atom args[2] = {call->args[0], stacked(j, g, false, ndim)};
    if (args[1].kind == RLXC_ATOM_NONE)
        return args[1];
    args[0] = rlxc_emit_op(b, "matmul", args, 2, call->attrs, "joined");
    if (!g->parts[0]->bias || args[0].kind == RLXC_ATOM_NONE)
        return args[0];
    args[1] = stacked(j, g, true, ndim);
    return args[1].kind == RLXC_ATOM_NONE
               ? args[1]
               : rlxc_emit_op(b, "add", args, 2, (rlxc_attrs){0}, "joined");
}

static rlxc_atom view_of(join *j, rlxc_builder *b, const part *p)
{
    const rlxc_sinfo *s = p->result->sinfo;
    const rlxc_expr *offset =
        rlxc_i64(j->ctx, (int64_t)p->index * (int64_t)rlx_dtype_size(s->dtype));
    for (int32_t i = 0; i < s->ndim; i++)
        offset = rlxc_mul(j->ctx, offset, s->dims[i]);
    const rlxc_atom args[4] = {p->in->joined, rlxc_atom_shape(j->ctx, s->dims, (uint32_t)s->ndim),
                               rlxc_atom_tuple(j->ctx, NULL, 0),
                               rlxc_atom_prim(rlxc_canonical(j->ctx, offset, NULL))};
    return rlxc_emit_op(b, "memory.view", args, 4, (rlxc_attrs){0}, p->result->name);
}

static rlxc_rewrite_action join_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    join *j = user;
    part *p = rlxc_map_get(&j->parts, rlxc_key(binding->var));
    if (!p)
        return RLXC_REWRITE_KEEP;
    if (binding->var == p->matmul->var && p->index == 0)
        p->in->joined = product_of_all(j, b, p->in, binding);
    if (p->in->joined.kind == RLXC_ATOM_NONE)
        return RLXC_REWRITE_KEEP; /* out of memory, which was reported */
    if (binding->var != p->result)
        return RLXC_REWRITE_DROP;
    *replacement = view_of(j, b, p);
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_join_products(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        join j = {.ctx = ctx, .n_vars = rlxc_outermost(f)->n_vars};
        j.uses = rlxc_try_alloc(ctx, (size_t)j.n_vars + 1, sizeof *j.uses);
        if (!j.uses)
            return false;
        for (uint32_t k = 0; k < f->body.n_blocks; k++)
            note_uses(&j, f->body.blocks[k]);
        for (uint32_t k = 0; k < f->body.n_blocks; k++)
            if (f->body.blocks[k]->is_dataflow)
                find_groups(&j, f->body.blocks[k]);
        const rlxc_rewrite_pass pass = {.user = &j, .binding = join_binding};
        if (j.parts.count > 0)
            rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
