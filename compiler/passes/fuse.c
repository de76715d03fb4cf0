/* Pass fuse: joins call_tir bindings into one kernel.
 *
 * Each binding in turn tries to absorb the groups that produce its inputs. A producer may join if
 * every use of its value lies inside the group, so that no needed value is lost, and if the pattern
 * kinds allow it (the kinds and the idea: Chen et al., "TVM: An Automated End-to-End Optimizing
 * Compiler for Deep Learning", OSDI 2018, 3):
 *
 *     elementwise, broadcast, injective   joins   elementwise, broadcast, injective, reduction
 *     reduction, matmul-like              joins   elementwise, broadcast of the same shape (its
 * epilogue)
 *     a part of a tensor, as it lies      joins   the epilogue of a matmul-like
 *     a transposed float32 matrix         joins   the product whose second operand it is
 *
 * A reduction or matmul-like group that quantizes its result to bytes does not join consumers that
 * widen it again, which costs less than four times the memory traffic; it joins where the bytes are
 * the result again.
 *
 * A group holds one reduction or matmul-like member at most and MAX_GROUP members, so a chain of
 * 100 000 bindings takes linear time and kernels stay small. Groups do not cross blocks, nor
 * bindings with effects, which might write what a moved producer reads. */
#include "compiler/passes/fuse.h"
#include "compiler/ir/device.h"

#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/stages.h"

enum { MAX_GROUP = 32, MAX_GROUP_ARGS = 48 };

typedef struct group {
    const rlxc_binding *members[MAX_GROUP]; /* evaluation order */
    uint32_t n;
    int64_t pattern; /* largest of the members */
    bool anchored;   /* holds a reduction or matmul-like member */
    uint32_t segment;
} group;

typedef struct fuse {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_options *options;
    const uint32_t *uses;   /* by variable id, of the function before the pass */
    group **group_of;       /* by variable id */
    uint32_t function_vars; /* number of variables before the pass */
    uint32_t segment;       /* incremented at each block and each binding with effects */
    rlxc_fuse_cache *cache;
    rlxc_map mapped; /* original rlxc_rvar -> rlxc_binding with mapped atoms, of dropped members */
} fuse;

const rlxc_prim_func *rlxc_called_prim(const rlxc_module *module, const rlxc_binding *b)
{
    if (b->form != RLXC_FORM_CALL || !b->op || b->n_args < 2 ||
        b->args[0].kind != RLXC_ATOM_GLOBAL || b->op != rlxc_find_operator("call_tir", 8))
        return NULL;
    const rlxc_global *g = rlxc_module_find(module, b->args[0].text);
    return g ? g->prim : NULL;
}

int64_t rlxc_prim_pattern(const rlxc_prim_func *f)
{
    int64_t pattern;
    const rlxc_attr *attr = f ? rlxc_attrs_find(&f->attrs, "op_pattern") : NULL;
    return attr && rlxc_attr_as_int(attr, &pattern) ? pattern : RLXC_PATTERN_OPAQUE;
}

static int64_t pattern_of(const fuse *f, const rlxc_binding *b)
{
    const rlxc_prim_func *prim = rlxc_called_prim(f->module, b);
    if (!prim || b->n_sinfo_args != 1 || b->sinfo_args[0]->kind != RLXC_SINFO_TENSOR ||
        !b->sinfo_args[0]->dims || b->args[1].kind != RLXC_ATOM_TUPLE)
        return RLXC_PATTERN_OPAQUE;
    return rlxc_prim_pattern(prim);
}

static bool same_dims(const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    if (a->ndim != b->ndim || !a->dims || !b->dims)
        return false;
    for (int32_t i = 0; i < a->ndim; i++) {
        if (a->dims[i] != b->dims[i])
            return false;
    }
    return true;
}

/* True if the consumer would store wider elements than the producer's bytes. */
static bool widens_bytes(const group *producer, const group *consumer)
{
    const rlx_dtype from = producer->members[producer->n - 1]->var->sinfo->dtype;
    const rlx_dtype to = consumer->members[consumer->n - 1]->var->sinfo->dtype;
    return rlxc_dtype_is_int(from) && from.bits == 8 && to.bits > 8;
}

static uint32_t uses_inside(const group *g, const rlxc_rvar *var)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        const rlxc_atom args = g->members[i]->args[1];
        for (uint32_t k = 0; k < args.n; k++)
            count += args.items[k].kind == RLXC_ATOM_VAR && args.items[k].var == var;
    }
    return count;
}

/* --- parts of tensors ------------------------------------------------------------------------- */

/* Encodes a load [indices common to all elements, all axes in order] as a number. */
static const rlxc_expr *hide_part(void *user, const rlxc_expr *e)
{
    const rlxc_stages *s = user;
    const rlxc_stage *stage = s->items;
    if (e->kind != RLXC_EXPR_LOAD || e->load.n < stage->n_axes)
        return NULL;
    const uint32_t positions = e->load.n - stage->n_axes;
    for (uint32_t k = 0; k < stage->n_axes; k++) {
        if (e->load.indices[positions + k] != stage->vars[k])
            return NULL;
        for (uint32_t i = 0; i < positions; i++)
            if (rlxc_expr_uses_var(s->ctx, e->load.indices[i], stage->vars[k]))
                return NULL;
    }
    return rlxc_hide_load(s->ctx, e);
}

/* True if |g| is a contiguous part of a tensor, one matrix of several, possibly at a computed
 * index: a consumer over the same axes, merged or not, can read it in place. */
static bool gives_part(const fuse *f, const group *g)
{
    rlxc_stages s;
    for (uint32_t i = 0; i + 1 < g->n; i++)
        if (g->members[i]->sinfo_args[0]->ndim != 0)
            return false;
    rlxc_prim_func own = *rlxc_called_prim(f->module, g->members[g->n - 1]);
    if (!rlxc_stages_of(f->ctx, f->options, &own, &s) || s.n != 1 || !s.items->simple ||
        s.items->init)
        return false;
    const rlxc_expr *bare = rlxc_expr_rewrite(f->ctx, s.items->value, hide_part, &s);
    for (uint32_t k = 0; k < s.items->n_axes; k++)
        if (rlxc_expr_uses_var(f->ctx, bare, s.items->vars[k]))
            return false;
    return true;
}

/* --- turned operands -------------------------------------------------------------------------- */

/* True if |g| turns a float32 matrix, or each of a batch: out[..., i, j] = in[..., j, i]. */
static bool turns_matrices(const fuse *f, const group *g)
{
    rlxc_stages s;
    rlxc_prim_func own = *rlxc_called_prim(f->module, g->members[0]);
    if (g->n != 1 || !rlxc_stages_of(f->ctx, f->options, &own, &s) || s.n != 1 ||
        !s.items->simple || s.items->init)
        return false;
    const rlxc_stage *stage = s.items;
    const rlxc_expr *e = stage->value;
    const uint32_t n = stage->n_axes;
    if (e->kind != RLXC_EXPR_LOAD || n < 2 || e->load.n != n || stage->out->ndim != n ||
        !rlx_dtype_eq(e->dtype, RLX_F32))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = i + 2 < n ? i : i + 1 < n ? n - 1 : n - 2;
        if (stage->indices[i] != stage->vars[i] || e->load.indices[i] != stage->vars[from])
            return false;
    }
    return true;
}

/* True if the matmul-like member of |g| is a product of matrices whose second operand is |var|, and
 * no other member reads it: its columns are packed by vectors (rule tile). */
static bool is_product_operand(const fuse *f, const group *g, const rlxc_rvar *var)
{
    uint32_t i = 0;
    while (i < g->n && pattern_of(f, g->members[i]) != RLXC_PATTERN_OUT_FUSABLE)
        i++;
    if (i == g->n || uses_inside(g, var) != 1)
        return false;
    const rlxc_atom args = g->members[i]->args[1];
    rlxc_stages s;
    rlxc_operation op;
    rlxc_prim_func own = *rlxc_called_prim(f->module, g->members[i]);
    return args.n == 2 && args.items[1].kind == RLXC_ATOM_VAR && args.items[1].var == var &&
           rlxc_stages_of(f->ctx, f->options, &own, &s) && s.n == 1 &&
           rlxc_stage_operation(&s, s.items, &op) && op.kind == RLXC_OPERATION_matmul;
}

/* --- growing ---------------------------------------------------------------------------------- */

/* True if |var| is read only after the matmul-like member of |g|. */
static bool is_epilogue_operand(const fuse *f, const group *g, const rlxc_rvar *var)
{
    uint32_t i = 0;
    while (i < g->n && pattern_of(f, g->members[i]) != RLXC_PATTERN_OUT_FUSABLE)
        i++;
    group before = *g;
    before.n = i < g->n ? i + 1 : g->n;
    return uses_inside(&before, var) == 0;
}

/* |var| is the result of |producer|. */
static bool patterns_allow(const fuse *f, const group *producer, const group *consumer,
                           const rlxc_rvar *var)
{
    if (producer->pattern <= RLXC_PATTERN_INJECTIVE && consumer->pattern <= RLXC_PATTERN_REDUCE)
        return true;
    if (producer->pattern == RLXC_PATTERN_INJECTIVE)
        return (is_epilogue_operand(f, consumer, var) &&
                same_dims(var->sinfo, consumer->members[consumer->n - 1]->var->sinfo) &&
                gives_part(f, producer)) ||
               (is_product_operand(f, consumer, var) && turns_matrices(f, producer));
    if (producer->pattern > RLXC_PATTERN_OUT_FUSABLE || consumer->anchored ||
        consumer->pattern > RLXC_PATTERN_BROADCAST || widens_bytes(producer, consumer))
        return false;
    return same_dims(var->sinfo, consumer->members[consumer->n - 1]->var->sinfo);
}

/* True if the groups' kernels are for one target and their results on one device. */
static bool same_place(const fuse *f, const group *a, const group *b)
{
    const rlxc_attr *targets[2] = {
        rlxc_attrs_find(&rlxc_called_prim(f->module, a->members[0])->attrs, "target"),
        rlxc_attrs_find(&rlxc_called_prim(f->module, b->members[0])->attrs, "target")};
    return a->members[0]->var->sinfo->vdevice == b->members[0]->var->sinfo->vdevice &&
           (targets[0] && targets[1] ? rlxc_attr_equal(targets[0], targets[1])
                                     : targets[0] == targets[1]);
}

static uint32_t count_args(const group *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n += g->members[i]->args[1].n;
    return n;
}

/* Puts the members of |p| in front of those of |g|. That is evaluation order: every use of p's
 * value is in g already, so nothing that joins later, and goes further to the front, can read it.
 */
static void absorb(fuse *f, group *g, group *p)
{
    for (uint32_t i = g->n; i-- > 0;)
        g->members[i + p->n] = g->members[i];
    for (uint32_t i = 0; i < p->n; i++) {
        g->members[i] = p->members[i];
        f->group_of[p->members[i]->var->id] = g;
    }
    g->n += p->n;
    g->pattern = p->pattern > g->pattern ? p->pattern : g->pattern;
    g->anchored = g->anchored || p->anchored;
    p->n = 0;
}

/* One attempt to take in a producer of some member; true when the group grew. Producers that only
 * move elements come last, because a group that contains one can no longer be an epilogue. */
static bool grow(fuse *f, group *g, bool movers)
{
    for (uint32_t i = g->n; i-- > 0;) {
        const rlxc_atom args = g->members[i]->args[1];
        for (uint32_t k = 0; k < args.n; k++) {
            if (args.items[k].kind != RLXC_ATOM_VAR)
                continue;
            const rlxc_rvar *var = args.items[k].var;
            group *p = f->group_of[var->id];
            if (!p || p == g || (p->pattern == RLXC_PATTERN_INJECTIVE) != movers ||
                p->segment != g->segment || !same_place(f, p, g) || p->n + g->n > MAX_GROUP ||
                count_args(p) + count_args(g) > MAX_GROUP_ARGS ||
                p->members[p->n - 1]->var != var || !patterns_allow(f, p, g, var) ||
                uses_inside(g, var) != f->uses[var->id])
                continue;
            absorb(f, g, p);
            return true;
        }
    }
    return false;
}

static void group_block(fuse *f, const rlxc_binding_block *block)
{
    f->segment++;
    for (uint32_t i = 0; i < block->n && !rlxc_failed(f->ctx); i++) {
        const rlxc_binding *b = block->bindings[i];
        if (!rlxc_only_checks(f->module, b) && !rlxc_binding_is_mergeable(f->module, b))
            f->segment++;
        int64_t pattern = pattern_of(f, b);
        if (pattern > RLXC_PATTERN_OUT_FUSABLE)
            continue;
        group *g = rlxc_alloc(f->ctx, sizeof *g);
        g->members[0] = b;
        g->n = 1;
        g->pattern = pattern;
        g->anchored = pattern >= RLXC_PATTERN_REDUCE;
        g->segment = f->segment;
        f->group_of[b->var->id] = g;
        while (grow(f, g, false) || grow(f, g, true)) {
        }
    }
}

static void group_body(fuse *f, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        group_block(f, body->blocks[i]);
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_IF) {
                group_body(f, b->then);
                group_body(f, b->otherwise);
            }
        }
    }
}

static rlxc_rewrite_action apply(void *user, rlxc_builder *b, rlxc_binding *binding,
                                 rlxc_atom *replacement)
{
    (void)replacement;
    fuse *f = user;
    group *g = binding->var->id < f->function_vars ? f->group_of[binding->var->id] : NULL;
    if (!g || g->n < 2)
        return RLXC_REWRITE_KEEP;
    const rlxc_binding *last = g->members[g->n - 1];
    rlxc_map_set(b->ctx, &f->mapped, rlxc_key(binding->var), binding);
    if (last->var != binding->var)
        return RLXC_REWRITE_DROP;
    rlxc_fuse_member members[MAX_GROUP];
    for (uint32_t i = 0; i < g->n; i++) {
        members[i].call = rlxc_map_get(&f->mapped, rlxc_key(g->members[i]->var));
        members[i].prim = rlxc_called_prim(f->module, members[i].call);
    }
    if (rlxc_fuse_members(b->ctx, f->module, f->cache, members, g->n, g->pattern, binding)) {
        for (uint32_t i = g->n; g->anchored && i-- > 0;) /* errors and profiles name the anchor */
            if (pattern_of(f, g->members[i]) >= RLXC_PATTERN_REDUCE)
                binding->range = g->members[i]->range;
        return RLXC_REWRITE_KEEP;
    }
    for (uint32_t i = 0; i + 1 < g->n; i++)
        (void)rlxc_emit(b, rlxc_copy(b->ctx, members[i].call, sizeof *members[i].call));
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_fuse(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    rlxc_fuse_cache cache = {0};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *function = module->globals.items[i]->relax;
        if (!function)
            continue;
        fuse f = {.ctx = ctx,
                  .module = module,
                  .options = options,
                  .function_vars = function->n_vars,
                  .cache = &cache};
        f.uses = rlxc_count_uses(ctx, function);
        f.group_of = rlxc_try_alloc(ctx, function->n_vars + 1u, sizeof *f.group_of);
        if (!f.uses || !f.group_of)
            return false;
        group_body(&f, &function->body);
        const rlxc_rewrite_pass pass = {.user = &f, .binding = apply};
        rlxc_rewrite_function(ctx, module, function, &pass);
    }
    return !rlxc_failed(ctx);
}
