/* Pass plan_memory: tensors whose lifetimes do not meet share storage.
 *
 * Each builtin.alloc_tensor whose memory stays inside the function (liveness.h) becomes a tensor in
 * a storage of R.memory.alloc_storage; a storage is handed on once the memory of its tensor was
 * read for the last time through any alias. One linear walk over the positions: storages whose
 * tensor died are free; a tensor takes the free storage that fits best, growing it where every
 * symbol of the larger size is known where the storage is allocated (signature symbols, or any
 * where the sizes are constant). A storage is allocated right before its first tensor and is used
 * only inside the IF branch it was made in, so it dominates its uses; what the result of a then
 * branch holds, the else branch may take. Results of the function, and tensors a callee
 * may keep, have their own memory. Functions that bring storages of their own stay as they are.
 */
#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/ops/ops.h"
#include "compiler/passes/liveness.h"
#include "compiler/passes/passes.h"

enum {
    MAX_CANDIDATES = 64, /* free storages looked at for one tensor: keeps the pass linear */
    MAX_SIZE_TERMS = 4,  /* sizes joined by max in one storage */
    MAX_RATIO = 16       /* a constant-size storage is not taken for a tensor this much smaller */
};

typedef struct storage {
    const rlxc_expr *size; /* bytes, canonical */
    uint32_t terms;        /* sizes joined in it */
    uint32_t scope;        /* id of the branch it is allocated in */
    uint32_t busy_until;   /* last position of the tensors in it */
    bool is_free;          /* in the planner's list */
    rlxc_rvar *var;        /* once emitted */
} storage;

typedef struct death { /* of a tensor: its storage may be free */
    storage *storage;
    struct death *next;
} death;

typedef struct loan { /* a storage held by the then branch, free for the else branch */
    storage *storage;
    uint32_t busy_until;
} loan;

typedef struct branch_scope {
    uint32_t id, taken; /* taken: length of that list at the branch's start */
} branch_scope;

typedef struct planner {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *function;
    const rlxc_lifetime *lifetime;
    uint32_t n_vars;
    rlxc_bounds bounds;
    rlxc_var_list signature; /* symbols that every position knows */
    storage **of;            /* by variable id: the storage of a planned tensor */
    bool *is_first;          /* by variable id: the tensor before which its storage is made */
    death **dies_at;         /* by position: storages free from there on */
    uint32_t n_positions;
    RLXC_VEC(storage *) free;
    RLXC_VEC(storage *) taken;     /* in order, while branches are open */
    RLXC_VEC(loan) loans;          /* of the IFs whose else branch is open */
    RLXC_VEC(uint32_t) loan_marks; /* where those of each IF begin */
    RLXC_VEC(branch_scope) scopes; /* the open branches, innermost last */
    RLXC_VEC(bool) open;           /* by scope id */
} planner;

/* --- sizes ----------------------------------------------------------------------------------- */

static const rlxc_expr *tensor_bytes(planner *p, const rlxc_sinfo *t)
{
    const rlxc_expr *numel = rlxc_product(p->ctx, t->dims, (uint32_t)t->ndim);
    const rlxc_expr *element = rlxc_i64(p->ctx, (int64_t)rlx_dtype_size(t->dtype));
    return rlxc_canonical(p->ctx, rlxc_mul(p->ctx, numel, element), &p->bounds);
}

typedef struct known_search {
    const rlxc_var_list *known;
    bool all_known;
} known_search;

static bool check_known(void *user, const rlxc_expr *e)
{
    known_search *s = user;
    if (e->kind != RLXC_EXPR_VAR)
        return true;
    bool found = false;
    for (uint32_t i = 0; i < s->known->vars.count && !found; i++)
        found = s->known->vars.items[i] == e;
    s->all_known = s->all_known && found;
    return s->all_known;
}

/* A storage made earlier may be given size |e|: its symbols are bound on entry. */
static bool is_known_on_entry(planner *p, const rlxc_expr *e)
{
    known_search s = {&p->signature, true};
    rlxc_expr_visit(p->ctx, e, check_known, &s);
    return s.all_known;
}

/* How well storage |s| serves |size|: 0 not at all, more is better; |*out_grown| is its new size.
 */
static uint32_t fit(planner *p, const storage *s, const rlxc_expr *size,
                    const rlxc_expr **out_grown)
{
    *out_grown = s->size;
    if (s->size == size)
        return 6;
    int64_t have, want;
    if (rlxc_is_int(s->size, &have) && rlxc_is_int(size, &want)) {
        if (have >= want)
            return have / MAX_RATIO <= want ? 5 : 0;
        *out_grown = size;
        return want / MAX_RATIO <= have ? 4 : 0;
    }
    if (rlxc_prove_le(p->ctx, size, s->size, &p->bounds))
        return 3;
    if (!is_known_on_entry(p, size))
        return 0;
    if (rlxc_prove_le(p->ctx, s->size, size, &p->bounds)) {
        *out_grown = size;
        return 2;
    }
    if (s->terms >= MAX_SIZE_TERMS)
        return 0;
    *out_grown =
        rlxc_canonical(p->ctx, rlxc_binary(p->ctx, RLXC_EXPR_MAX, s->size, size), &p->bounds);
    return 1;
}

/* Among storages of equal fit that are constant: less waste is better. */
static bool is_closer(const rlxc_expr *a, const rlxc_expr *b, const rlxc_expr *size)
{
    int64_t x, y, want;
    if (!rlxc_is_int(a, &x) || !rlxc_is_int(b, &y) || !rlxc_is_int(size, &want))
        return false;
    int64_t dx = x > want ? x - want : want - x, dy = y > want ? y - want : want - y;
    return dx < dy;
}

/* --- the walk -------------------------------------------------------------------------------- */

static storage *take_storage(planner *p, const rlxc_expr *size, bool *out_is_new)
{
    uint32_t best = UINT32_MAX, best_fit = 0;
    const rlxc_expr *best_size = NULL;
    uint32_t first = p->free.count > MAX_CANDIDATES ? p->free.count - MAX_CANDIDATES : 0;
    for (uint32_t i = p->free.count; i-- > first;) {
        const rlxc_expr *grown;
        uint32_t f = fit(p, p->free.items[i], size, &grown);
        if (f > best_fit || (f > 0 && f == best_fit &&
                             is_closer(p->free.items[i]->size, p->free.items[best]->size, size))) {
            best = i;
            best_fit = f;
            best_size = grown;
        }
        if (best_fit == 6)
            break;
    }
    *out_is_new = best == UINT32_MAX;
    if (*out_is_new) {
        storage *s = rlxc_alloc(p->ctx, sizeof *s);
        s->size = size;
        s->terms = 1;
        s->scope = p->scopes.items[p->scopes.count - 1].id;
        return s;
    }
    storage *s = p->free.items[best];
    p->free.items[best] = p->free.items[--p->free.count];
    s->is_free = false;
    s->terms += best_fit == 1;
    s->size = best_size;
    return s;
}

static void make_free(planner *p, storage *s)
{
    if (s->is_free || !p->open.items[s->scope])
        return;
    s->is_free = true;
    RLXC_PUSH(p->ctx, &p->free, s);
}

static void free_dead(planner *p, uint32_t position)
{
    for (const death *d = p->dies_at[position]; d; d = d->next)
        if (d->storage->busy_until <= position)
            make_free(p, d->storage);
}

static bool is_planned(const planner *p, const rlxc_binding *b)
{
    const rlxc_sinfo *t = b->var->sinfo;
    return rlxc_is_op(b, "builtin.alloc_tensor") && b->var->id < p->n_vars &&
           !p->lifetime[b->var->id].escapes && t && t->kind == RLXC_SINFO_TENSOR && t->dims &&
           rlx_dtype_size(t->dtype) > 0;
}

static void plan_binding(void *user, rlxc_binding *b, uint32_t position)
{
    planner *p = user;
    if (is_planned(p, b)) {
        bool is_new;
        storage *s = take_storage(p, tensor_bytes(p, b->var->sinfo), &is_new);
        uint32_t id = b->var->id, last = p->lifetime[id].memory;
        p->of[id] = s;
        p->is_first[id] = is_new;
        s->busy_until = last;
        death *d = rlxc_alloc(p->ctx, sizeof *d);
        *d = (death){s, p->dies_at[last]};
        p->dies_at[last] = d;
        RLXC_PUSH(p->ctx, &p->taken, s);
    }
    free_dead(p, position);
}

static void enter_branch(void *user, const rlxc_binding *branch_of)
{
    planner *p = user;
    (void)branch_of;
    RLXC_PUSH(p->ctx, &p->scopes, (branch_scope){p->open.count, p->taken.count});
    RLXC_PUSH(p->ctx, &p->open, true);
}

static void keep_free(planner *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->free.count; i++) {
        storage *s = p->free.items[i];
        s->is_free = s->is_free && p->open.items[s->scope];
        if (s->is_free)
            p->free.items[kept++] = s;
    }
    p->free.count = kept;
}

/* Only one branch runs: what the then branch still holds, for the result of the IF, is free while
 * the else branch runs. */
static void lend(planner *p, const branch_scope *scope)
{
    RLXC_PUSH(p->ctx, &p->loan_marks, p->loans.count);
    for (uint32_t i = scope->taken; i < p->taken.count; i++) {
        storage *s = p->taken.items[i];
        if (s->is_free || !p->open.items[s->scope])
            continue;
        RLXC_PUSH(p->ctx, &p->loans, (loan){s, s->busy_until});
        s->busy_until = 0;
        make_free(p, s);
    }
}

static void end_loans(planner *p, uint32_t position)
{
    uint32_t mark = p->loan_marks.count ? p->loan_marks.items[--p->loan_marks.count] : 0;
    while (p->loans.count > mark) {
        const loan *l = &p->loans.items[--p->loans.count];
        if (l->storage->busy_until < l->busy_until)
            l->storage->busy_until = l->busy_until;
        l->storage->is_free = l->storage->is_free && l->storage->busy_until <= position;
    }
}

static void leave_branch(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                         uint32_t position)
{
    planner *p = user;
    free_dead(p, position);
    if (!branch_of || p->scopes.count == 0)
        return;
    branch_scope scope = p->scopes.items[--p->scopes.count];
    p->open.items[scope.id] = false;
    if (body == branch_of->then) {
        keep_free(p);
        lend(p, &scope);
        return;
    }
    end_loans(p, position);
    keep_free(p);
}

static void join_branches(void *user, rlxc_binding *branch_of, uint32_t position)
{
    (void)branch_of;
    free_dead(user, position);
}

static void count_binding(void *user, rlxc_binding *b, uint32_t position)
{
    (void)b;
    *(uint32_t *)user = position;
}

static void count_end(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                      uint32_t position)
{
    (void)body;
    (void)branch_of;
    *(uint32_t *)user = position;
}

/* --- rewriting ------------------------------------------------------------------------------- */

static rlxc_binding *memory_call(rlxc_builder *b, const char *op, rlxc_rvar *var,
                                 const rlxc_atom *args, uint32_t n)
{
    rlxc_binding *call = rlxc_binding_new(b->ctx, RLXC_FORM_CALL, var);
    call->op = rlxc_find_operator(op, strlen(op));
    call->args = rlxc_copy(b->ctx, args, n * sizeof *args);
    call->n_args = n;
    call->range = b->range;
    return call;
}

static rlxc_rewrite_action plan_rewrite(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    planner *p = user;
    (void)replacement;
    uint32_t id = binding->var->id;
    if (id >= p->n_vars || !p->of[id])
        return RLXC_REWRITE_KEEP;
    b->range = binding->range;
    storage *s = p->of[id];
    rlxc_atom zero = rlxc_atom_prim(rlxc_i64(p->ctx, 0));
    if (p->is_first[id]) {
        s->var = rlxc_rvar_new(p->ctx, rlxc_outermost(b->function), "storage",
                               rlxc_sinfo_object(p->ctx));
        rlxc_atom args[4] = {rlxc_atom_shape(p->ctx, &s->size, 1), zero,
                             rlxc_atom_string(p->ctx, "global"), rlxc_atom_dtype(RLX_U8)};
        rlxc_emit(b, memory_call(b, "memory.alloc_storage", s->var, args, 4));
    }
    const rlxc_sinfo *t = binding->var->sinfo;
    rlxc_atom args[4] = {rlxc_atom_var(s->var), zero,
                         rlxc_atom_shape(p->ctx, t->dims, (uint32_t)t->ndim),
                         rlxc_atom_dtype(t->dtype)};
    binding->op = rlxc_find_operator("memory.alloc_tensor", strlen("memory.alloc_tensor"));
    binding->args = rlxc_copy(p->ctx, args, sizeof args);
    binding->n_args = 4;
    binding->attrs = (rlxc_attrs){0};
    return RLXC_REWRITE_KEEP;
}

/* Ranges of the signature's symbols from the attributes tir_var_upper_bound and
 * tir_var_lower_bound. */
static void read_bounds(planner *p)
{
    static const char *const keys[2] = {"tir_var_lower_bound", "tir_var_upper_bound"};
    for (uint32_t v = 0; v < p->signature.vars.count; v++) {
        const rlxc_expr *var = p->signature.vars.items[v];
        rlxc_bound range = {0, INT64_MAX};
        bool found = false;
        for (int k = 0; k < 2; k++) {
            const rlxc_attr *dict = rlxc_attrs_find(&p->function->attrs, keys[k]);
            if (!dict || dict->kind != RLXC_ATTR_DICT)
                continue;
            for (uint32_t i = 0; i < dict->list.count; i++) {
                int64_t value;
                if (strcmp(dict->list.keys[i], var->var.name) != 0 ||
                    !rlxc_attr_as_int(&dict->list.items[i], &value) || value < 0)
                    continue;
                *(k == 0 ? &range.min : &range.max) = value;
                found = true;
            }
        }
        if (found && range.min <= range.max)
            rlxc_bounds_set(p->ctx, &p->bounds, var, range);
    }
}

static bool plan_function(rlxc_context *ctx, rlxc_module *module, rlxc_function *f, bool retains)
{
    planner p = {.ctx = ctx, .module = module, .function = f, .n_vars = f->n_vars};
    rlxc_walk count = {&p.n_positions, count_binding, NULL, count_end, NULL};
    rlxc_walk_positions(f, &count);
    p.lifetime = rlxc_lifetimes(ctx, module, f, retains);
    p.of = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *p.of);
    p.is_first = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *p.is_first);
    p.dies_at = rlxc_try_alloc(ctx, (size_t)p.n_positions + 1, sizeof(death *));
    if (!p.lifetime || !p.of || !p.is_first || !p.dies_at)
        return false;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->sinfo)
            rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &p.signature);
    read_bounds(&p);
    enter_branch(&p, NULL);
    rlxc_walk plan = {&p, plan_binding, enter_branch, leave_branch, join_branches};
    rlxc_walk_positions(f, &plan);
    if (rlxc_failed(ctx))
        return false;
    rlxc_rewrite_pass pass = {&p, plan_rewrite, NULL, NULL};
    rlxc_rewrite_function(ctx, module, f, &pass);
    return !rlxc_failed(ctx);
}

bool rlxc_pass_plan_memory(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    static const char *const planned[] = {"memory.alloc_storage", "memory.kill_",
                                          "vm.alloc_storage", "vm.kill_", NULL};
    (void)options;
    bool retains = rlxc_module_retains(module);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !rlxc_uses_memory_op(f, planned) && !plan_function(ctx, module, f, retains))
            return false;
    }
    return !rlxc_failed(ctx);
}
