/* Pass merge_parallel_matmuls: products of one operand with several constant weights become one
 * product with the weights stacked; the results are parts of its result. The same is done for the
 * columns of one product that is only read in equal parts.
 *
 *   q = R.add(R.matmul(x, wq), bq)        j = R.add(R.matmul(x, [wq, wk, wv]), [bq, bk, bv])
 *   k = R.add(R.matmul(x, wk), bk)        q = R.memory.view(j, shape, offset 0)
 *   v = R.add(R.matmul(x, wv), bv)        k = R.memory.view(j, shape, offset of one), ...
 *
 * One kernel runs instead of three, and its parallel loop has three times the iterations, which
 * pays for few rows on several threads. The stack's axis comes first, so each part is contiguous
 * and a view, while a slice of columns would be a copy; sums are bit-identical.
 *
 * Weights must have one shape and type. Not merged: results that fuse with a consumer, such as an
 * activation or a sum of two of them, because that saves more; results that leave the block,
 * because they would keep the others' memory alive; products with another product or kernel between
 * them, because all results are made at the first one and kept until the last use; anything that
 * reaches into another block. */
#include "compiler/analysis/alias.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/lifted.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "compiler/ops/compose.h"

#include <string.h>

enum { MAX_PARTS = 16, PART_ALIGN = 64 /* alignment of tensors in the memory plan, in bytes */ };

typedef struct group group;

typedef struct product { /* result = matmul(x, weight), or that + bias */
    const rlxc_binding *matmul;
    const rlxc_rvar *result;
    const rlxc_constant *weight, *bias; /* bias: or NULL */
} product;

typedef struct part { /* all columns of a product, or some */
    product of;
    const rlxc_rvar *result;
    int64_t first, columns;
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
    bool fusable; /* by a consumer that fuses into the variable's kernel */
} use;

typedef struct join {
    rlxc_context *ctx;
    use *uses; /* by id */
    uint32_t n_vars;
    rlxc_map parts;  /* rlxc_rvar of a result -> part, of groups of two and more */
    rlxc_map groups; /* rlxc_rvar of a product or its sum with a bias, no result itself -> group */
} join;

/* --- what is used how ------------------------------------------------------------------------- */

static bool is_kernel_of_its_own(const rlxc_binding *b)
{
    return b->form != RLXC_FORM_CALL || !b->op || b->op->pattern >= RLXC_PATTERN_OUT_FUSABLE;
}

/* True for a view of its operand's memory. */
static bool shows(const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && b->op && b->op->flags & RLXC_OP_ALIASES_0;
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
    u->by = n->by;
    u->n++;
    u->fusable = u->fusable || !(shows(n->by) || is_kernel_of_its_own(n->by));
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

/* The constant of one element for each column that is added to |y|. */
static const rlxc_constant *bias_of(const join *j, const rlxc_rvar *y, const rlxc_constant *weight)
{
    const use *u = &j->uses[y->id];
    if (u->n != 1 || !rlxc_is_op(u->by, "add"))
        return NULL;
    const bool second = u->by->args[0].kind == RLXC_ATOM_VAR && u->by->args[0].var == y;
    const rlxc_atom other = u->by->args[second];
    const rlxc_constant *c = other.kind == RLXC_ATOM_CONSTANT ? other.constant : NULL;
    if (!c || c->ndim == 0 || c->ndim > (uint32_t)y->sinfo->ndim ||
        c->shape[c->ndim - 1] != weight->shape[1] || !rlxc_dtype_eq(c->dtype, weight->dtype))
        return NULL;
    for (uint32_t i = 0; i + 1 < c->ndim; i++)
        if (c->shape[i] != 1)
            return NULL;
    return c;
}

static bool is_product(const join *j, const rlxc_binding *b, product *out)
{
    if (!rlxc_is_op(b, "matmul") || b->args[0].kind != RLXC_ATOM_VAR ||
        b->args[1].kind != RLXC_ATOM_CONSTANT || !known_dims(b->args[0].var->sinfo) ||
        !known_dims(b->var->sinfo) || b->var->id >= j->n_vars || !b->var->is_dataflow)
        return false;
    const rlxc_sinfo *x = b->args[0].var->sinfo, *y = b->var->sinfo;
    const rlxc_constant *w = b->args[1].constant;
    if (w->ndim != 2 || w->shape[0] < 1 || w->shape[1] < 1 || x->ndim < 2 ||
        x->ndim >= RLXC_MAX_NDIM || !rlxc_dtype_eq(x->dtype, w->dtype) ||
        !rlxc_dtype_eq(y->dtype, w->dtype))
        return false;
    *out = (product){b, b->var, w, bias_of(j, b->var, w)};
    if (out->bias)
        out->result = j->uses[b->var->id].by->var;
    return out->result->is_dataflow && out->result->id < j->n_vars;
}

/* True if |result|, which has |columns| of each row, may become a part of a merged product. */
static bool may_be_part(const join *j, const rlxc_rvar *result, int64_t columns, rlx_dtype dtype)
{
    return result->is_dataflow && result->id < j->n_vars && j->uses[result->id].n > 0 &&
           !j->uses[result->id].fusable &&
           columns % (PART_ALIGN / (int64_t)rlx_dtype_size(dtype)) == 0;
}

static group *new_group(join *j)
{
    return rlxc_alloc(j->ctx, sizeof(group));
}

static void add_part(join *j, group *g, const product *of, const rlxc_rvar *result, int64_t first,
                     int64_t columns)
{
    part *new = rlxc_alloc(j->ctx, sizeof *new);
    *new = (part){*of, result, first, columns, g, g->n};
    g->parts[g->n++] = new;
}

static void enter(join *j, const group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        rlxc_map_set(j->ctx, &j->parts, rlxc_key(g->parts[i]->result), g->parts[i]);
    for (uint32_t i = 0; i < g->n; i++) {
        const product *of = &g->parts[i]->of;
        const rlxc_rvar *made[2] = {of->matmul->var, of->result};
        for (uint32_t k = 0; k < 2; k++)
            if (!rlxc_map_get(&j->parts, rlxc_key(made[k])))
                rlxc_map_set(j->ctx, &j->groups, rlxc_key(made[k]), g->parts[i]->in);
    }
}

/* --- several products --------------------------------------------------------------------------
 */

static bool go_together(const group *g, const product *p)
{
    const product *a = &g->parts[0]->of;
    return g->n < MAX_PARTS && a->matmul->args[0].var == p->matmul->args[0].var &&
           !a->bias == !p->bias && rlxc_dtype_eq(a->weight->dtype, p->weight->dtype) &&
           a->weight->shape[0] == p->weight->shape[0] && a->weight->shape[1] == p->weight->shape[1];
}

/* --- columns of one product --------------------------------------------------------------------
 */

static bool the_int(rlxc_atom tuple, int64_t *out)
{
    return tuple.kind == RLXC_ATOM_TUPLE && tuple.n == 1 && tuple.items[0].kind == RLXC_ATOM_PRIM &&
           rlxc_is_int(tuple.items[0].prim, out);
}

/* The first column of the slice |b| of |x|; false if |b| is not such a slice. */
static bool takes_columns(const rlxc_binding *b, const rlxc_rvar *x, int64_t width, int64_t *first,
                          int64_t *columns)
{
    int64_t axis, step = 1;
    const rlxc_sinfo *s = b->var->sinfo;
    if (!rlxc_is_op(b, "strided_slice") || b->args[0].kind != RLXC_ATOM_VAR ||
        b->args[0].var != x || !known_dims(s) || s->ndim < 1 || !the_int(b->args[1], &axis) ||
        !the_int(b->args[2], first) ||
        (b->n_args > 4 && b->args[4].n > 0 && !the_int(b->args[4], &step)))
        return false;
    if (*first < 0 && *first >= -width)
        *first += width;
    return step == 1 && (axis == -1 || axis == s->ndim - 1) &&
           rlxc_is_int(s->dims[s->ndim - 1], columns) && *first >= 0 && *columns > 0 &&
           *columns <= width - *first;
}

/* Groups the columns of |p| from |at| in |block| on, if they are only read in equal parts. */
static group *group_of_columns(join *j, const rlxc_binding_block *block, uint32_t at,
                               const product *p)
{
    const uint32_t uses = j->uses[p->result->id].n;
    const int64_t width = p->weight->shape[1];
    int64_t first, columns;
    if (uses < 2 || uses > MAX_PARTS || !rlxc_is_op(j->uses[p->result->id].by, "strided_slice"))
        return NULL;
    group *g = new_group(j);
    for (uint32_t i = at; i < block->n && g->n < uses; i++) {
        const rlxc_binding *b = block->bindings[i];
        if (!takes_columns(b, p->result, width, &first, &columns))
            continue;
        if (first % columns != 0 || (g->n > 0 && columns != g->parts[0]->columns) ||
            !may_be_part(j, b->var, columns, p->weight->dtype))
            return NULL;
        add_part(j, g, p, b->var, first, columns);
    }
    return g->n == uses ? g : NULL;
}

/* --- groups of a block -------------------------------------------------------------------------
 */

static void find_groups(join *j, const rlxc_binding_block *block)
{
    group *open = NULL;
    product p;
    for (uint32_t i = 0; i < block->n; i++) {
        const rlxc_binding *b = block->bindings[i];
        if (!is_product(j, b, &p)) {
            if (is_kernel_of_its_own(b) && !shows(b))
                open = NULL;
            continue;
        }
        group *columns = group_of_columns(j, block, i, &p);
        if (columns)
            enter(j, columns);
        if (columns || !may_be_part(j, p.result, p.weight->shape[1], p.weight->dtype)) {
            open = NULL;
            continue;
        }
        if (!open || !go_together(open, &p))
            open = new_group(j);
        add_part(j, open, &p, p.result, 0, p.weight->shape[1]);
        if (open->n > 1)
            enter(j, open);
    }
}

/* --- the product of all ----------------------------------------------------------------------- */

/* The constant of |p| that is stacked. */
static const rlxc_constant *source_of(const part *p, bool biases)
{
    return biases ? p->of.bias : p->of.weight;
}

/* What stacked() does, as operators on lifted constants: [parts, rows, columns]. */
static const rlxc_constant *stacking(join *j, const group *g, bool biases, int64_t rows)
{
    rlxc_context *ctx = j->ctx;
    const int64_t columns = g->parts[0]->columns, out[3] = {g->n, rows, columns};
    const rlx_dtype dtype = g->parts[0]->of.weight->dtype;
    rlxc_atom *parts = rlxc_alloc(ctx, g->n * sizeof *parts);
    for (uint32_t i = 0; i < g->n; i++) {
        const part *p = g->parts[i];
        const int64_t whole[3] = {1, rows, p->of.weight->shape[1]}, some[3] = {1, rows, columns};
        const rlxc_constant *c = rlxc_constant_reshaped(ctx, source_of(p, biases), 3, whole);
        if (whole[2] != columns) {
            const int64_t bounds[3] = {2, p->first, p->first + columns};
            rlxc_atom args[4] = {rlxc_atom_constant(c)};
            for (uint32_t k = 0; k < 3; k++) {
                const rlxc_atom value = rlxc_atom_prim(rlxc_i64(ctx, bounds[k]));
                args[k + 1] = rlxc_atom_tuple(ctx, rlxc_copy(ctx, &value, sizeof value), 1);
            }
            c = rlxc_constant_call(ctx, "strided_slice", args, 4, (rlxc_attrs){0}, dtype, 3, some);
        }
        parts[i] = rlxc_atom_constant(c);
    }
    const rlxc_atom all = rlxc_atom_tuple(ctx, parts, g->n);
    return rlxc_constant_call(ctx, "concat", &all, 1, rlxc_one_attr(ctx, "axis", rlxc_attr_int(0)),
                              dtype, 3, out);
}

/* Stacks the parts' columns of the constants: [parts, 1, ..., their shape], of |ndim| dimensions.
 */
static rlxc_atom stacked(join *j, const group *g, bool biases, uint32_t ndim)
{
    const part *one = g->parts[0];
    const int64_t rows = biases ? 1 : one->of.weight->shape[0];
    const size_t size = rlx_dtype_size(one->of.weight->dtype);
    const size_t row = (size_t)one->columns * size, all = (size_t)rows * row;
    int64_t shape[RLXC_MAX_NDIM];
    uint8_t *data = rlxc_try_alloc_unset(j->ctx, g->n, all), *to = data;
    if (!data)
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < g->n; i++) {
        const part *p = g->parts[i];
        const uint8_t *from = source_of(p, biases)->data;
        const size_t step = (size_t)p->of.weight->shape[1] * size, first = (size_t)p->first * size;
        for (int64_t k = 0; k < rows; k++, to += row)
            memcpy(to, from + (size_t)k * step + first, row);
    }
    for (uint32_t i = 0; i < ndim; i++)
        shape[i] = 1;
    shape[0] = g->n;
    shape[ndim - 2] = rows;
    shape[ndim - 1] = one->columns;
    rlxc_constant *made =
        rlxc_constant_new(j->ctx, one->of.weight->dtype, ndim, shape, data, g->n * all);
    bool lifted = false;
    for (uint32_t i = 0; i < g->n; i++)
        lifted = lifted || source_of(g->parts[i], biases)->lifted;
    if (lifted)
        rlxc_constant_state(j->ctx, made, stacking(j, g, biases, rows));
    return rlxc_atom_constant(made);
}

static rlxc_atom product_of_all(join *j, rlxc_builder *b, const group *g, const rlxc_binding *call)
{
    const uint32_t ndim = (uint32_t)call->args[0].var->sinfo->ndim + 1;
    rlxc_atom args[2] = {call->args[0], stacked(j, g, false, ndim)};
    if (args[1].kind == RLXC_ATOM_NONE)
        return args[1];
    args[0] = rlxc_emit_op(b, "matmul", args, 2, call->attrs, "joined");
    if (!g->parts[0]->of.bias || args[0].kind == RLXC_ATOM_NONE)
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
    const part *p = rlxc_map_get(&j->parts, rlxc_key(binding->var));
    group *g = p ? p->in : rlxc_map_get(&j->groups, rlxc_key(binding->var));
    if (!g)
        return RLXC_REWRITE_KEEP;
    if (binding->var == g->parts[0]->of.matmul->var)
        g->joined = product_of_all(j, b, g, binding);
    if (g->joined.kind == RLXC_ATOM_NONE)
        return RLXC_REWRITE_KEEP; /* out of memory, which was reported */
    if (!p)
        return RLXC_REWRITE_DROP;
    *replacement = view_of(j, b, p);
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_merge_parallel_matmuls(rlxc_context *ctx, rlxc_module *module,
                                      const rlxc_options *options)
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
