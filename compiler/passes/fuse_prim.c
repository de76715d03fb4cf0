/* Joins the PrimFuncs of a fusion group into one.
 *
 * Every member is cloned, so that its variables and buffers are its own, then rewritten: its
 * symbols become expressions over the fused function's, its parameter buffers become the fused
 * function's parameters, or, where another member produces them, intermediate buffers allocated in
 * the root block. The bodies follow each other in evaluation order.
 *
 * The fused function has one fresh variable for each symbol of the caller that its parameters'
 * shapes use. A symbol that is not by itself the dimension of a parameter is passed through
 * tir_vars. */
#include "compiler/passes/fuse.h"

#include "compiler/ir/operation.h"

enum { MAX_PARAMS = 64, MAX_NAME = 80 };

typedef struct fused_param {
    rlxc_atom atom;
    const rlxc_sinfo *sinfo;
    rlxc_buffer *buffer;
} fused_param;

typedef struct joiner {
    rlxc_context *ctx;
    const rlxc_module *module;
    fused_param params[MAX_PARAMS];
    uint32_t n_params;
    rlxc_map produced; /* caller's rlxc_rvar -> rlxc_buffer in the fused function */
    /* caller's symbols and the fused function's variables for them */
    RLXC_VEC(const rlxc_expr *) outer;
    RLXC_VEC(const rlxc_expr *) inner;
    RLXC_VEC(const rlxc_stmt *) body;
    RLXC_VEC(rlxc_buffer *) allocs;
} joiner;

/* The member being rewritten. */
typedef struct renamer {
    joiner *j;
    RLXC_VEC(const rlxc_expr *) vars;   /* the clone's symbols */
    RLXC_VEC(const rlxc_expr *) values; /* over the fused function's variables */
    rlxc_map buffers;                   /* the clone's buffers -> fused buffers */
} renamer;

/* The caller's expression over the fused function's variables. */
static const rlxc_expr *enter(joiner *j, const rlxc_expr *e)
{
    rlxc_var_list used = {0};
    rlxc_collect_vars(j->ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < j->outer.count && !known; k++)
            known = j->outer.items[k] == used.vars.items[i];
        if (known)
            continue;
        RLXC_PUSH(j->ctx, &j->outer, used.vars.items[i]);
        RLXC_PUSH(j->ctx, &j->inner, rlxc_var_like(j->ctx, used.vars.items[i]));
    }
    return rlxc_substitute(j->ctx, e, j->outer.items, j->inner.items, j->outer.count);
}

static rlxc_buffer *new_buffer(joiner *j, const char *name, const rlxc_sinfo *s)
{
    const rlxc_expr *shape[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < s->ndim; i++)
        shape[i] = enter(j, s->dims[i]);
    return rlxc_buffer_new(j->ctx, name, s->dtype, shape, (uint32_t)s->ndim);
}

static rlxc_buffer *param_for(joiner *j, rlxc_atom atom, const char *name)
{
    for (uint32_t i = 0; i < j->n_params; i++) {
        if (rlxc_atom_equal(j->params[i].atom, atom))
            return j->params[i].buffer;
    }
    const rlxc_sinfo *s = rlxc_atom_sinfo(j->ctx, j->module, atom);
    if (j->n_params == MAX_PARAMS || !s || s->kind != RLXC_SINFO_TENSOR || !s->dims)
        return NULL;
    fused_param *p = &j->params[j->n_params++];
    p->atom = atom;
    p->sinfo = s;
    p->buffer = new_buffer(j, name, s);
    return p->buffer;
}

static const rlxc_expr *rename_leaf(void *user, const rlxc_expr *e)
{
    renamer *r = user;
    if (e->kind == RLXC_EXPR_VAR) {
        for (uint32_t i = 0; i < r->vars.count; i++) {
            if (r->vars.items[i] == e)
                return r->values.items[i];
        }
    }
    return NULL;
}

static const rlxc_expr *rename_expr(void *user, const rlxc_expr *e)
{
    renamer *r = user;
    return rlxc_expr_rewrite(r->j->ctx, e, rename_leaf, r);
}

static rlxc_buffer *rename_buffer(void *user, const rlxc_buffer *b)
{
    renamer *r = user;
    rlxc_buffer *mapped = rlxc_map_get(&r->buffers, rlxc_key(b));
    if (mapped)
        return mapped;
    /* A buffer local to the member, with its shape rewritten over the fused variables. */
    bool changed = false;
    const rlxc_expr *shape[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < b->ndim; i++) {
        shape[i] = rename_expr(r, b->shape[i]);
        changed = changed || shape[i] != b->shape[i];
    }
    if (!changed)
        return NULL;
    mapped = rlxc_copy(r->j->ctx, b, sizeof *b);
    mapped->shape = rlxc_copy(r->j->ctx, shape, b->ndim * sizeof *shape);
    rlxc_map_set(r->j->ctx, &r->buffers, rlxc_key(b), mapped);
    return mapped;
}

/* Solves for the clone's symbols by matching its buffers' shapes against the arguments. */
static bool bind_symbols(renamer *r, const rlxc_prim_func *clone, const rlxc_binding *call,
                         const rlxc_sinfo *const *arg_sinfo)
{
    joiner *j = r->j;
    rlxc_bindings found = {0};
    uint32_t n_buffers = 0;
    for (uint32_t i = 0; i < clone->n_params; i++) {
        const rlxc_buffer *b = clone->params[i].buffer;
        if (!b)
            continue;
        const rlxc_sinfo *pattern =
            rlxc_sinfo_tensor(j->ctx, b->dtype, (int32_t)b->ndim, b->shape, NULL);
        if (!rlxc_sinfo_match(j->ctx, pattern, arg_sinfo[n_buffers++], &found))
            return false;
    }
    uint32_t scalar = 0;
    for (uint32_t i = 0; i < clone->n_params; i++) {
        if (clone->params[i].buffer)
            continue;
        if (call->n_args < 3 || call->args[2].kind != RLXC_ATOM_SHAPE || scalar >= call->args[2].n)
            return false;
        RLXC_PUSH(j->ctx, &found.vars, clone->params[i].var);
        RLXC_PUSH(j->ctx, &found.values, call->args[2].dims[scalar++]);
    }
    const rlxc_expr **dims;
    uint32_t n_dims;
    rlxc_prim_func_dims(j->ctx, clone, &dims, &n_dims);
    for (uint32_t d = 0; d < n_dims; d++) {
        const rlxc_expr *value = NULL;
        for (uint32_t i = 0; i < found.vars.count && !value; i++) {
            if (found.vars.items[i] == dims[d])
                value = found.values.items[i];
        }
        if (!value)
            return false;
        RLXC_PUSH(j->ctx, &r->vars, dims[d]);
        RLXC_PUSH(j->ctx, &r->values, rlxc_cast(j->ctx, dims[d]->dtype, enter(j, value)));
    }
    return true;
}

static bool add_member(joiner *j, const rlxc_fuse_member *m, rlxc_buffer *out)
{
    rlxc_context *ctx = j->ctx;
    const rlxc_prim_func *clone = rlxc_prim_func_clone(ctx, m->prim);
    const rlxc_atom args = m->call->args[1];
    renamer r = {.j = j};
    const rlxc_sinfo **sinfo = rlxc_alloc(ctx, (args.n + 1) * sizeof *sinfo);
    uint32_t n = 0;
    for (uint32_t i = 0; i < clone->n_params; i++) {
        const rlxc_buffer *b = clone->params[i].buffer;
        if (!b)
            continue;
        if (n > args.n)
            return false;
        rlxc_buffer *to = out;
        sinfo[n] = m->call->sinfo_args[0];
        if (n < args.n) {
            rlxc_atom atom = args.items[n];
            to = atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&j->produced, rlxc_key(atom.var)) : NULL;
            if (!to)
                to = param_for(j, atom, b->name);
            sinfo[n] = rlxc_atom_sinfo(ctx, j->module, atom);
        }
        if (!to || !sinfo[n])
            return false;
        rlxc_map_set(ctx, &r.buffers, rlxc_key(b), to);
        n++;
    }
    if (n != args.n + 1 || !bind_symbols(&r, clone, m->call, sinfo))
        return false;
    const rlxc_stmt_rewriter rewriter = {&r, rename_expr, NULL, rename_buffer};
    const rlxc_stmt *body = rlxc_stmt_rewrite(ctx, clone->body, &rewriter);
    if (body->kind == RLXC_STMT_BLOCK && body->block.block->n_axes == 0 &&
        body->block.block->n_matches == 0 && !body->block.block->init) {
        const rlxc_block *root = body->block.block;
        for (uint32_t i = 0; i < root->n_allocs; i++)
            RLXC_PUSH(ctx, &j->allocs, root->allocs[i]);
        body = root->body;
    }
    /* Where two operands are one tensor, a block may be of another kind: x[k] * x[k] is a square,
     * no product. */
    RLXC_PUSH(ctx, &j->body, rlxc_tag_blocks(ctx, body));
    return true;
}

/* --- recognising a group that was fused before --- */

typedef struct fused_entry {
    const char *name;      /* of the PrimFunc */
    const uint32_t *extra; /* symbols passed through tir_vars, by order of appearance */
    uint32_t n_extra;
} fused_entry;

/* A group without names: its PrimFuncs, their connections and shapes. */
typedef struct description {
    rlxc_context *ctx;
    rlxc_fuse_cache *cache;
    RLXC_VEC(uint64_t) words;
    RLXC_VEC(rlxc_atom)
    inputs;                /* the group's outside operands, in the order of the parameters */
    rlxc_var_list symbols; /* of the caller, in order of appearance */
} description;

static void describe_dims(description *d, const rlxc_expr *const *dims, uint32_t n)
{
    uint32_t known = d->symbols.vars.count;
    for (uint32_t i = 0; i < n; i++)
        rlxc_collect_vars(d->ctx, dims[i], &d->symbols);
    /* Non-negativity matters: expressions were simplified with it. */
    for (uint32_t i = known; i < d->symbols.vars.count; i++)
        RLXC_PUSH(d->ctx, &d->words, d->symbols.vars.items[i]->var.nonneg);
    while (d->cache->canonical.count < d->symbols.vars.count && !rlxc_out_of_memory(d->ctx))
        RLXC_PUSH(d->ctx, &d->cache->canonical, rlxc_shape_var(d->ctx, "symbol"));
    RLXC_PUSH(d->ctx, &d->words, n);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *e = rlxc_substitute(d->ctx, dims[i], d->symbols.vars.items,
                                             d->cache->canonical.items, d->symbols.vars.count);
        RLXC_PUSH(d->ctx, &d->words, e->id);
    }
}

static void describe_sinfo(description *d, const rlxc_sinfo *s)
{
    RLXC_PUSH(d->ctx, &d->words,
              (uint64_t)s->dtype.code << 24 | (uint64_t)s->dtype.bits << 16 | s->dtype.lanes);
    describe_dims(d, s->dims, (uint32_t)s->ndim);
}

/* Encodes an argument: the member that makes it, or its index among the inputs; a new input adds
 * its type.
 */
static bool describe_arg(description *d, const rlxc_module *module, const rlxc_fuse_member *members,
                         uint32_t at, rlxc_atom atom)
{
    for (uint32_t i = 0; i < at; i++) {
        if (atom.kind == RLXC_ATOM_VAR && members[i].call->var == atom.var) {
            RLXC_PUSH(d->ctx, &d->words, UINT64_MAX - i);
            return true;
        }
    }
    uint32_t place = 0;
    while (place < d->inputs.count && !rlxc_atom_equal(d->inputs.items[place], atom))
        place++;
    RLXC_PUSH(d->ctx, &d->words, place);
    if (place < d->inputs.count)
        return true;
    const rlxc_sinfo *s = rlxc_atom_sinfo(d->ctx, module, atom);
    if (!s || s->kind != RLXC_SINFO_TENSOR || !s->dims)
        return false;
    RLXC_PUSH(d->ctx, &d->inputs, atom);
    describe_sinfo(d, s);
    return true;
}

/* The group's key; NULL if a member cannot be fused. */
static const char *describe(description *d, const rlxc_module *module,
                            const rlxc_fuse_member *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_binding *call = members[i].call;
        RLXC_PUSH(d->ctx, &d->words, rlxc_key(members[i].prim)); /* compared within this run only */
        RLXC_PUSH(d->ctx, &d->words, call->args[1].n);
        describe_sinfo(d, call->sinfo_args[0]);
        for (uint32_t k = 0; k < call->args[1].n; k++) {
            if (!describe_arg(d, module, members, i, call->args[1].items[k]))
                return NULL;
        }
        if (call->n_args > 2 && call->args[2].kind == RLXC_ATOM_SHAPE)
            describe_dims(d, call->args[2].dims, call->args[2].n);
    }
    return rlxc_intern(d->ctx, (const char *)d->words.items,
                       d->words.count * sizeof *d->words.items);
}

/* Makes |io_call| a call of |entry|'s PrimFunc. */
static void call_fused(const description *d, const fused_entry *entry, rlxc_binding *io_call)
{
    rlxc_context *ctx = d->ctx;
    const rlxc_expr **passed = rlxc_alloc(ctx, (entry->n_extra + 1) * sizeof *passed);
    for (uint32_t i = 0; i < entry->n_extra; i++)
        passed[i] = d->symbols.vars.items[entry->extra[i]];
    rlxc_atom args[3] = {rlxc_atom_global(ctx, entry->name),
                         rlxc_atom_tuple(ctx, d->inputs.items, d->inputs.count),
                         rlxc_atom_shape(ctx, passed, entry->n_extra)};
    io_call->args = rlxc_copy(ctx, args, sizeof args);
    io_call->n_args = entry->n_extra > 0 ? 3 : 2;
}

static const char *fused_name(rlxc_context *ctx, const rlxc_fuse_member *members, uint32_t n)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "fused");
    for (uint32_t i = 0; i < n && text.length < MAX_NAME; i++)
        rlxc_text_printf(&text, "_%s", members[i].prim->name);
    return rlxc_intern(ctx, text.data, text.length);
}

/* Parameters whose variable is not a dimension by itself are passed through tir_vars. */
static uint32_t extra_vars(const joiner *j, const rlxc_buffer *out, uint32_t *extra)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->inner.count; i++) {
        bool lone = false;
        for (uint32_t p = 0; p <= j->n_params && !lone; p++) {
            const rlxc_buffer *b = p < j->n_params ? j->params[p].buffer : out;
            for (uint32_t d = 0; d < b->ndim && !lone; d++)
                lone = b->shape[d] == j->inner.items[i];
        }
        if (!lone)
            extra[n++] = i;
    }
    return n;
}

/* Joins the members into a new PrimFunc of the module; NULL if their symbols cannot be expressed.
 */
static const fused_entry *join(rlxc_context *ctx, rlxc_module *module, const description *d,
                               const rlxc_fuse_member *members, uint32_t n, int64_t pattern,
                               rlxc_range range)
{
    joiner *j = rlxc_alloc(ctx, sizeof *j);
    j->ctx = ctx;
    j->module = module;
    rlxc_buffer *out = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_binding *call = members[i].call;
        rlxc_buffer *buffer = new_buffer(j, members[i].prim->name, call->sinfo_args[0]);
        if (i + 1 < n)
            RLXC_PUSH(ctx, &j->allocs, buffer);
        else
            out = buffer;
        if (!add_member(j, &members[i], buffer) || rlxc_failed(ctx))
            return NULL;
        rlxc_map_set(ctx, &j->produced, rlxc_key(call->var), buffer);
    }

    uint32_t *extra = rlxc_alloc(ctx, (j->inner.count + 1) * sizeof *extra);
    uint32_t n_extra = extra_vars(j, out, extra);
    rlxc_prim_func *f = rlxc_alloc(ctx, sizeof *f);
    f->name = fused_name(ctx, members, n);
    f->n_params = j->n_params + 1 + n_extra;
    f->params = rlxc_alloc(ctx, f->n_params * sizeof *f->params);
    for (uint32_t i = 0; i <= j->n_params; i++) {
        rlxc_buffer *b = i < j->n_params ? j->params[i].buffer : out;
        f->params[i].buffer = b;
        f->params[i].var = rlxc_var(ctx, rlxc_internf(ctx, "p_%s", b->name), rlxc_dtype_handle());
    }
    for (uint32_t i = 0; i < n_extra; i++) {
        f->params[j->n_params + 1 + i].var = j->inner.items[extra[i]];
        /* From the joiner's order of symbols to the description's. */
        const rlxc_expr *symbol = j->outer.items[extra[i]];
        uint32_t place = 0;
        while (place < d->symbols.vars.count && d->symbols.vars.items[place] != symbol)
            place++;
        if (place == d->symbols.vars.count)
            return NULL;
        extra[i] = place;
    }
    rlxc_block *root = rlxc_alloc(ctx, sizeof *root);
    root->name = rlxc_intern_cstr(ctx, "root");
    root->allocs = j->allocs.items;
    root->n_allocs = j->allocs.count;
    root->body = rlxc_stmt_seq(ctx, j->body.items, j->body.count);
    f->body = rlxc_stmt_block(ctx, root, NULL, NULL);
    f->ret_dtype = rlxc_dtype_void();
    f->is_private = true;
    f->range = range;
    f->attrs =
        rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "op_pattern"), rlxc_attr_int(pattern));
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "tir.noalias"),
                               rlxc_attr_expr(rlxc_bool(ctx, true)));
    const rlxc_attr *target = rlxc_attrs_find(&members[0].prim->attrs, "target");
    if (target)
        f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "target"), *target);
    rlxc_global *g = rlxc_module_add_prim(ctx, module, f, true);
    if (!g)
        return NULL;
    fused_entry *entry = rlxc_alloc(ctx, sizeof *entry);
    *entry = (fused_entry){g->name, extra, n_extra};
    return entry;
}

bool rlxc_fuse_members(rlxc_context *ctx, rlxc_module *module, rlxc_fuse_cache *cache,
                       const rlxc_fuse_member *members, uint32_t n, int64_t pattern,
                       rlxc_binding *io_call)
{
    description d = {.ctx = ctx, .cache = cache};
    const char *key = describe(&d, module, members, n);
    if (!key || rlxc_failed(ctx))
        return false;
    const fused_entry *entry = rlxc_map_get(&cache->by_key, rlxc_key(key));
    if (!entry) {
        entry = join(ctx, module, &d, members, n, pattern, io_call->range);
        if (!entry)
            return false;
        rlxc_map_set(ctx, &cache->by_key, rlxc_key(key), (void *)(uintptr_t)entry);
    }
    call_fused(&d, entry, io_call);
    return true;
}
