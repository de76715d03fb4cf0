/* Pass plan_memory: decides which tensors share memory, and over which interval each piece is in
 * use.
 *
 * Each builtin.alloc_tensor whose memory stays inside the function (liveness.h) becomes a tensor at
 * the start of a storage of scope "planned", made right before it. Such a storage is an interval,
 * not an allocation: the next pass ends it with a kill after the last read through any alias, and
 * the layout, made when the sizes are known, overlaps storages whose intervals are disjoint. This
 * pass makes the decisions that offsets cannot express: a tensor takes the storage of an operand
 * that dies where it is computed, if the kernel may write over it (inplace.h); and a branch's
 * contribution to the IF's result lies in a storage made before the IF, which both branches use.
 * Results of the function, and tensors that a callee may keep, have memory of their own; so have
 * tensors that outlive a branch with a size unknown before it. Functions with storages of their own
 * stay as they are. */

#include <string.h>

#include "compiler/analysis/inplace.h"
#include "compiler/analysis/liveness.h"
#include "compiler/analysis/static_size.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/passes.h"

typedef struct storage {
    const rlxc_expr *size;   /* bytes, canonical */
    int64_t device;          /* of the module's table; see rlxc_vdevice_index */
    uint32_t scope;          /* id of the branch it is made in */
    uint32_t first, latest;  /* positions of the tensors in it, as far as planned */
    const rlxc_rvar *tenant; /* the latest of them */
    rlxc_rvar *var;
    struct storage *next; /* of the same home */
} storage;

typedef struct span { /* positions of the branches of an IF */
    uint32_t begin[2], end[2];
    uint32_t entered; /* 1: the next branch entered is the else branch */
} span;

typedef struct branch_scope {
    rlxc_binding *branch_of; /* NULL: the function */
    uint32_t id, side;       /* 1: the else branch */
} branch_scope;

typedef struct use {          /* the first of a variable */
    const rlxc_binding *call; /* of a PrimFunc: for a new tensor, the call that writes it */
    uint32_t position;
    bool found;
} use;

typedef struct planner {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *function;
    const rlxc_lifetime *lifetime;
    uint32_t n_vars;
    rlxc_bounds bounds;
    rlxc_map spans;                /* variable id of an IF -> span */
    rlxc_map homes;                /* variable id of a binding -> storages made before it */
    rlxc_map known;                /* symbol -> id of the scope that binds it, + 1 */
    use *first_use;                /* by variable id */
    use reading;                   /* reads of the current binding */
    storage **of;                  /* by variable id: the storage of a planned tensor */
    rlxc_rvar **root;              /* by variable id: the tensor that it is a reshape of */
    uint32_t *reshapes;            /* by variable id: number of aliases of a planned tensor */
    uint32_t n_scopes;             /* opened so far */
    RLXC_VEC(branch_scope) scopes; /* the open ones, innermost last */
} planner;

static uint64_t key_of(const rlxc_binding *b)
{
    return (uint64_t)b->var->id + 1;
}

/* --- before: branches, first uses ------------------------------------------------------------- */

static span *span_of(planner *p, const rlxc_binding *branch_of)
{
    span *s = rlxc_map_get(&p->spans, key_of(branch_of));
    if (!s) {
        s = rlxc_alloc(p->ctx, sizeof *s);
        *s = (span){.entered = 0};
        rlxc_map_set(p->ctx, &p->spans, key_of(branch_of), s);
    }
    return s;
}

static void note_use(void *user, rlxc_atom atom)
{
    planner *p = user;
    if (atom.kind == RLXC_ATOM_VAR && atom.var->id < p->n_vars && !p->first_use[atom.var->id].found)
        p->first_use[atom.var->id] = p->reading;
}

static void note_uses(void *user, rlxc_atom atom)
{
    rlxc_atom_visit(atom, note_use, user);
}

static void note_binding(void *user, rlxc_binding *b, uint32_t position)
{
    planner *p = user;
    if (b->form == RLXC_FORM_IF)
        span_of(p, b)->begin[0] = position;
    bool calls = b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_GLOBAL;
    p->reading = (use){calls ? b : NULL, position, true};
    rlxc_binding_reads(b, note_uses, p);
}

static void note_leave(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                       uint32_t position)
{
    planner *p = user;
    if (!branch_of)
        return;
    p->reading = (use){NULL, position, true};
    note_uses(p, body->result);
    span *s = span_of(p, branch_of);
    s->end[body == branch_of->otherwise] = position;
    if (body == branch_of->then)
        s->begin[1] = position;
}

/* --- sizes and symbols ------------------------------------------------------------------------ */

static const rlxc_expr *tensor_bytes(planner *p, const rlxc_sinfo *t)
{
    const rlxc_expr *numel = rlxc_product(p->ctx, t->dims, (uint32_t)t->ndim);
    const rlxc_expr *element = rlxc_i64(p->ctx, (int64_t)rlx_dtype_size(t->dtype));
    return rlxc_canonical(p->ctx, rlxc_mul(p->ctx, numel, element), &p->bounds);
}

static bool fits(planner *p, const rlxc_expr *size, const rlxc_expr *into)
{
    return rlxc_prove_le(p->ctx, size, into, &p->bounds);
}

static const branch_scope *innermost(const planner *p)
{
    return &p->scopes.items[p->scopes.count - 1];
}

/* Records the scope in which the symbols of |s| first occur, which binds them. */
static void note_symbols(planner *p, const rlxc_sinfo *s)
{
    rlxc_var_list vars = {0};
    if (s)
        rlxc_sinfo_collect_vars(p->ctx, s, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++)
        if (!rlxc_map_get(&p->known, rlxc_key(vars.vars.items[i])))
            rlxc_map_set(p->ctx, &p->known, rlxc_key(vars.vars.items[i]),
                         (void *)((uintptr_t)innermost(p)->id + 1));
}

/* True when |size| can be computed before the branch that is scope number |level| of the open
 * ones. */
static bool is_known_before(planner *p, const rlxc_expr *size, uint32_t level)
{
    rlxc_var_list vars = {0};
    rlxc_collect_vars(p->ctx, size, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++) {
        uintptr_t id = (uintptr_t)rlxc_map_get(&p->known, rlxc_key(vars.vars.items[i]));
        uint32_t k = 0;
        while (k < level && p->scopes.items[k].id + 1 != id)
            k++;
        if (k == level)
            return false;
    }
    return true;
}

/* --- choosing storages ------------------------------------------------------------------------ */

static bool is_planned(const planner *p, const rlxc_binding *b)
{
    const rlxc_sinfo *t = b->var->sinfo;
    return rlxc_is_op(b, "builtin.alloc_tensor") && b->var->id < p->n_vars &&
           !p->lifetime[b->var->id].escapes && t && t->kind == RLXC_SINFO_TENSOR && t->dims &&
           rlx_dtype_size(t->dtype) > 0;
}

/* For a tensor read last at |last|: the index of the outermost open scope that it outlives, or the
 * number of open scopes. Its storage is made in the scope before that. */
static uint32_t home_level(planner *p, uint32_t last)
{
    uint32_t level = p->scopes.count;
    while (level > 1) {
        const branch_scope *scope = &p->scopes.items[level - 1];
        if (last <= span_of(p, scope->branch_of)->end[scope->side])
            break;
        level--;
    }
    return level;
}

/* In the else branch: a storage that only the then branch fills, for the same home. */
static storage *pair(planner *p, const rlxc_expr *size, int64_t device, const rlxc_binding *home)
{
    for (uint32_t k = p->scopes.count; k-- > 1;) {
        if (p->scopes.items[k].side == 0)
            continue;
        const span *branches = span_of(p, p->scopes.items[k].branch_of);
        for (storage *s = rlxc_map_get(&p->homes, key_of(home)); s; s = s->next) {
            if (s->first <= branches->begin[0] || s->latest > branches->end[0] ||
                s->device != device)
                continue;
            if (fits(p, size, s->size))
                return s;
            if (fits(p, s->size, size)) {
                s->size = size;
                return s;
            }
        }
    }
    return NULL;
}

/* True if parameter |out| may overwrite every operand through which |call| reads the memory of
 * |root|. */
static bool is_overwritable(planner *p, const rlxc_prim_func *f, const rlxc_binding *call,
                            const rlxc_rvar *root, uint32_t out)
{
    for (uint32_t i = 0; i < call->n_args; i++)
        if (call->args[i].kind == RLXC_ATOM_VAR && call->args[i].var->id < p->n_vars &&
            p->root[call->args[i].var->id] == root && !rlxc_may_overwrite(p->ctx, f, i, out))
            return false;
    return true;
}

/* The index of |var| among the arguments; their number if it is not one. */
static uint32_t argument_index(const rlxc_binding *call, const rlxc_rvar *var)
{
    uint32_t i = 0;
    while (i < call->n_args && (call->args[i].kind != RLXC_ATOM_VAR || call->args[i].var != var))
        i++;
    return i;
}

/* The storage of an operand that dies in the call that computes |var|; |level|: see home_level. Not
 * of a device's kernel, whose threads may write before others have read. */
static storage *take_over(planner *p, const rlxc_rvar *var, const rlxc_expr *size, int64_t device,
                          uint32_t level)
{
    const use *u = &p->first_use[var->id];
    rlxc_global *g = u->call ? rlxc_module_find(p->module, u->call->callee.text) : NULL;
    if (!g || !g->prim || rlxc_prim_is_device(g->prim) || g->prim->n_params != u->call->n_args)
        return NULL;
    uint32_t out = argument_index(u->call, var);
    for (uint32_t i = 0; i < u->call->n_args; i++) {
        rlxc_atom arg = u->call->args[i];
        rlxc_rvar *root =
            arg.kind == RLXC_ATOM_VAR && arg.var->id < p->n_vars ? p->root[arg.var->id] : NULL;
        storage *s = root ? p->of[root->id] : NULL;
        /* Its memory must have no other aliases: the call might read one elsewhere. */
        if (!s || s->tenant != root || p->lifetime[root->id].aliases != p->reshapes[root->id] ||
            p->lifetime[root->id].memory != u->position || s->device != device ||
            !fits(p, size, s->size))
            continue;
        uint32_t k = 0;
        while (k < level && p->scopes.items[k].id != s->scope)
            k++;
        if (k == level || !is_overwritable(p, g->prim, u->call, root, out))
            continue;
        rlxc_prim_func_may_alias(p->ctx, g->prim);
        return s;
    }
    return NULL;
}

static storage *make_storage(planner *p, const rlxc_expr *size, int64_t device,
                             const rlxc_binding *home, uint32_t scope, uint32_t position)
{
    storage *s = rlxc_alloc(p->ctx, sizeof *s);
    *s = (storage){.size = size, .device = device, .scope = scope, .first = position};
    s->var =
        rlxc_rvar_new(p->ctx, rlxc_outermost(p->function), "storage", rlxc_sinfo_object(p->ctx));
    s->next = rlxc_map_get(&p->homes, key_of(home));
    rlxc_map_set(p->ctx, &p->homes, key_of(home), s);
    return s;
}

static void plan_tensor(planner *p, const rlxc_binding *b, uint32_t position)
{
    uint32_t id = b->var->id, level = home_level(p, p->lifetime[id].memory);
    const rlxc_expr *size = tensor_bytes(p, b->var->sinfo);
    bool leaves = level < p->scopes.count;
    if (leaves && !is_known_before(p, size, level))
        return;
    const rlxc_binding *home = leaves ? p->scopes.items[level].branch_of : b;
    const int64_t device = rlxc_vdevice_index(p->module, b->var->sinfo->vdevice);
    storage *s = leaves ? pair(p, size, device, home) : NULL;
    if (!s)
        s = take_over(p, b->var, size, device, level);
    if (!s)
        s = make_storage(p, size, device, home, p->scopes.items[level - 1].id, position);
    s->latest = position;
    s->tenant = b->var;
    p->of[id] = s;
    p->root[id] = b->var;
}

/* --- the walk -------------------------------------------------------------------------------- */

static void plan_binding(void *user, rlxc_binding *b, uint32_t position)
{
    planner *p = user;
    if (b->form != RLXC_FORM_IF)
        note_symbols(p, b->var->sinfo);
    if (is_planned(p, b))
        plan_tensor(p, b, position);
    if (!rlxc_is_op(b, "reshape") || b->n_args == 0 || b->args[0].kind != RLXC_ATOM_VAR ||
        b->args[0].var->id >= p->n_vars || b->var->id >= p->n_vars)
        return;
    rlxc_rvar *source = b->args[0].var;
    if (p->root[source->id] != source || p->lifetime[b->var->id].aliases > 0)
        return;
    p->root[b->var->id] = source;
    p->reshapes[source->id]++;
}

static void open_scope(planner *p, rlxc_binding *branch_of, uint32_t side)
{
    RLXC_PUSH(p->ctx, &p->scopes, (branch_scope){branch_of, p->n_scopes++, side});
}

static void enter_branch(void *user, const rlxc_binding *branch_of)
{
    planner *p = user;
    span *s = span_of(p, branch_of);
    open_scope(p, (rlxc_binding *)(uintptr_t)branch_of, s->entered);
    s->entered = 1;
}

static void leave_branch(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                         uint32_t position)
{
    planner *p = user;
    (void)body;
    (void)position;
    if (branch_of)
        p->scopes.count--;
}

static void join_branches(void *user, rlxc_binding *branch_of, uint32_t position)
{
    (void)position;
    note_symbols(user, branch_of->var->sinfo);
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
    b->range = binding->range;
    for (const storage *s = rlxc_map_get(&p->homes, key_of(binding)); s; s = s->next) {
        rlxc_atom args[4] = {rlxc_atom_shape(p->ctx, &s->size, 1),
                             rlxc_atom_prim(rlxc_i64(p->ctx, s->device)),
                             rlxc_atom_string(p->ctx, RLXC_PLANNED_SCOPE), rlxc_atom_dtype(RLX_U8)};
        rlxc_emit(b, memory_call(b, "memory.alloc_storage", s->var, args, 4));
    }
    if (id >= p->n_vars || !p->of[id])
        return RLXC_REWRITE_KEEP;
    const rlxc_sinfo *t = binding->var->sinfo;
    rlxc_atom args[4] = {rlxc_atom_var(p->of[id]->var), rlxc_atom_prim(rlxc_i64(p->ctx, 0)),
                         rlxc_atom_shape(p->ctx, t->dims, (uint32_t)t->ndim),
                         rlxc_atom_dtype(t->dtype)};
    binding->op = rlxc_find_operator("memory.alloc_tensor", strlen("memory.alloc_tensor"));
    binding->args = rlxc_copy(p->ctx, args, sizeof args);
    binding->n_args = 4;
    binding->attrs = (rlxc_attrs){0};
    return RLXC_REWRITE_KEEP;
}

static bool plan_function(rlxc_context *ctx, rlxc_module *module, rlxc_function *f, bool retains)
{
    planner p = {.ctx = ctx, .module = module, .function = f, .n_vars = f->n_vars};
    p.lifetime = rlxc_lifetimes(ctx, module, f, retains);
    p.first_use = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *p.first_use);
    p.of = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof(storage *));
    p.root = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof(rlxc_rvar *));
    p.reshapes = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *p.reshapes);
    if (!p.reshapes || !p.lifetime || !p.first_use || !p.of || !p.root)
        return false;
    rlxc_walk before = {&p, note_binding, NULL, note_leave, NULL};
    rlxc_walk_positions(f, &before);
    open_scope(&p, NULL, 0);
    for (uint32_t i = 0; i < f->n_params && p.scopes.count > 0; i++)
        note_symbols(&p, f->params[i]->sinfo);
    p.bounds = rlxc_stated_bounds(ctx, f);
    if (rlxc_failed(ctx))
        return false;
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
    const uint32_t planned = RLXC_OP_STORAGE | RLXC_OP_KILLS;
    (void)options;
    bool retains = rlxc_module_retains(module);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !rlxc_uses_op_flag(f, planned) && !plan_function(ctx, module, f, retains))
            return false;
    }
    return !rlxc_failed(ctx);
}
