/* A lowered PrimFunc of a device -> launches and the memory between them.
 *
 * Statements at the root that bind no thread run one after the other in a launch of one thread. A
 * host loop around threads is possible if it has few iterations: each iteration becomes separate
 * launches. Declarations at the root (values, constants, memory of a block or thread, assertions)
 * go into every launch that uses them; memory of scope "global" is scratch memory. Host values are
 * passed to a launch as scalar arguments. */
#include <string.h>

#include "compiler/codegen/device_launch.h"
#include "compiler/ir/sym.h"

enum {
    MAX_TURNS = 256,     /* of a loop of the host around threads */
    MAX_LAUNCHES = 1024, /* of a PrimFunc */
    MAX_VISITS = 1 << 16 /* statements of the root, over all turns */
};

typedef struct value_row { /* of a variable of the root, over the function's dims */
    const rlxc_expr *var, *value;
} value_row;

typedef struct splitter {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    const rlxc_target *target;
    rlxc_range range;
    const rlxc_expr **dims;
    uint32_t n_dims, visits;
    RLXC_VEC(value_row) values;
    RLXC_VEC(const rlxc_stmt *) prefix; /* of every launch that uses them */
    RLXC_VEC(const rlxc_stmt *) serial; /* statements of one thread, not launched yet */
    RLXC_VEC(const rlxc_expr *) conds;  /* of the root around the current statement */
    RLXC_VEC(const rlxc_buffer *) scratch;
    RLXC_VEC(rlxc_launch) launches;
    rlxc_map written; /* data of buffers that the function writes */
    rlxc_map owners;  /* data -> its parameter's or scratch buffer */
    rlxc_map inside;  /* data of the prefix's memory */
} splitter;

static bool refuse(splitter *s, const char *what)
{
    if (!rlxc_failed(s->ctx))
        rlxc_error(s->ctx, s->range, "%s: %s", s->f->name, what);
    return false;
}

/* --- values of the host ----------------------------------------------------------------------- */

static const rlxc_expr *host_value(splitter *s, const rlxc_expr *e)
{
    const uint32_t n = s->values.count;
    const rlxc_expr **vars = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *vars);
    const rlxc_expr **values = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *values);
    if (!vars || !values)
        return e;
    uint32_t count = 0;
    rlxc_map seen = {0};
    for (uint32_t i = n; i-- > 0;) { /* the last value of a variable counts */
        const value_row *row = &s->values.items[i];
        if (rlxc_map_get(&seen, rlxc_key(row->var)))
            continue;
        rlxc_map_set(s->ctx, &seen, rlxc_key(row->var), s);
        vars[count] = row->var;
        values[count++] = row->value;
    }
    return rlxc_substitute(s->ctx, e, vars, values, count);
}

static bool is_dim(const splitter *s, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < s->n_dims; i++)
        if (s->dims[i] == var)
            return true;
    return false;
}

typedef struct dim_check {
    const splitter *s;
    bool ok;
} dim_check;

static bool uses_dims(void *user, const rlxc_expr *e)
{
    dim_check *c = user;
    if (e->kind == RLXC_EXPR_VAR)
        c->ok = c->ok && is_dim(c->s, e);
    else if (e->kind == RLXC_EXPR_LOAD || (e->kind == RLXC_EXPR_CALL && e->call.n == 0))
        c->ok = false;
    return c->ok;
}

/* True if the host can compute |e|. */
static bool over_dims(splitter *s, const rlxc_expr *e)
{
    dim_check c = {s, true};
    rlxc_expr_visit(s->ctx, e, uses_dims, &c);
    return c.ok;
}

static void set_value(splitter *s, const rlxc_expr *var, const rlxc_expr *value)
{
    const value_row row = {var, value};
    RLXC_PUSH(s->ctx, &s->values, row);
}

/* Symbolic strides and offsets of a parameter have the values of its compact layout. */
static void layout_values(splitter *s, const rlxc_buffer *b)
{
    if (b->elem_offset && b->elem_offset->kind == RLXC_EXPR_VAR)
        set_value(s, b->elem_offset, rlxc_int(s->ctx, b->elem_offset->dtype, 0));
    const rlxc_expr *stride = rlxc_i64(s->ctx, 1);
    for (uint32_t i = b->ndim; b->strides && i-- > 0;) {
        const rlxc_expr *var = b->strides[i];
        if (var->kind == RLXC_EXPR_VAR && !is_dim(s, var))
            set_value(s, var, rlxc_cast(s->ctx, var->dtype, stride));
        stride = rlxc_mul(s->ctx, stride, rlxc_cast(s->ctx, RLX_I64, b->shape[i]));
    }
}

/* --- what a launch uses ----------------------------------------------------------------------- */

typedef struct uses {
    splitter *s;
    RLXC_VEC(const rlxc_expr *) vars; /* in order of first use */
    rlxc_map seen, bound, written;
} uses;

static void use_var(uses *u, const rlxc_expr *var)
{
    if (rlxc_map_get(&u->seen, rlxc_key(var)))
        return;
    rlxc_map_set(u->s->ctx, &u->seen, rlxc_key(var), u);
    RLXC_PUSH(u->s->ctx, &u->vars, var);
}

static void use_expr(void *user, const rlxc_expr *e);

static void use_buffer(uses *u, const rlxc_buffer *b)
{
    use_var(u, b->data);
    if (rlxc_map_get(&u->seen, rlxc_key(b)))
        return;
    rlxc_map_set(u->s->ctx, &u->seen, rlxc_key(b), u);
    for (uint32_t i = 0; i < b->ndim; i++)
        if (b->strides)
            use_expr(u, b->strides[i]);
        else if (i > 0)
            use_expr(u, b->shape[i]);
    if (b->elem_offset)
        use_expr(u, b->elem_offset);
}

static bool use_node(void *user, const rlxc_expr *e)
{
    uses *u = user;
    if (e->kind == RLXC_EXPR_VAR)
        use_var(u, e);
    else if (e->kind == RLXC_EXPR_LOAD)
        use_buffer(u, e->load.buffer);
    else if (e->kind == RLXC_EXPR_LET)
        rlxc_map_set(u->s->ctx, &u->bound, rlxc_key(e->let.var), u);
    for (uint32_t i = 0; e->kind == RLXC_EXPR_CALL && i < e->call.n; i++) {
        const rlxc_expr *a = e->call.args[i]; /* who has an address may write there */
        if (a->kind == RLXC_EXPR_VAR && rlxc_dtype_is_handle(a->dtype))
            rlxc_map_set(u->s->ctx, &u->written, rlxc_key(a), u);
        if (a->kind == RLXC_EXPR_LOAD && rlxc_dtype_is_handle(e->dtype))
            rlxc_map_set(u->s->ctx, &u->written, rlxc_key(a->load.buffer->data), u);
    }
    return true;
}

static void use_expr(void *user, const rlxc_expr *e)
{
    uses *u = user;
    rlxc_expr_visit(u->s->ctx, e, use_node, u);
}

static bool use_stmt(void *user, const rlxc_stmt *s)
{
    uses *u = user;
    rlxc_context *ctx = u->s->ctx;
    if (s->kind == RLXC_STMT_FOR)
        rlxc_map_set(ctx, &u->bound, rlxc_key(s->loop.var), u);
    else if (s->kind == RLXC_STMT_LET)
        rlxc_map_set(ctx, &u->bound, rlxc_key(s->let.var), u);
    else if (s->kind == RLXC_STMT_ALLOCATE)
        rlxc_map_set(ctx, &u->bound, rlxc_key(s->allocate.var), u);
    else if (s->kind == RLXC_STMT_ALLOCATE_CONST)
        rlxc_map_set(ctx, &u->bound, rlxc_key(s->allocate_const.var), u);
    else if (s->kind == RLXC_STMT_DECL_BUFFER &&
             !rlxc_map_get(&u->s->owners, rlxc_key(s->decl->data)))
        rlxc_map_set(ctx, &u->bound, rlxc_key(s->decl->data), u);
    if (s->kind == RLXC_STMT_STORE) {
        use_buffer(u, s->store.buffer);
        rlxc_map_set(ctx, &u->written, rlxc_key(s->store.buffer->data), u);
    }
    rlxc_stmt_exprs(s, use_expr, u);
    return true;
}

/* --- launches --------------------------------------------------------------------------------- */

static const rlxc_expr *defined_by(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_LET              ? s->let.var
           : s->kind == RLXC_STMT_ALLOCATE       ? s->allocate.var
           : s->kind == RLXC_STMT_ALLOCATE_CONST ? s->allocate_const.var
                                                 : NULL;
}

/* |body| after the statements of the prefix that it uses, under the conditions of the root. */
static const rlxc_stmt *with_prefix(splitter *s, uses *u, const rlxc_stmt *body)
{
    rlxc_context *ctx = s->ctx;
    for (uint32_t i = s->conds.count; i-- > 0;) {
        use_expr(u, s->conds.items[i]);
        body = rlxc_stmt_if(ctx, s->conds.items[i], body, NULL);
    }
    RLXC_VEC(const rlxc_stmt *) all = {0}, wanted = {0};
    for (uint32_t i = s->prefix.count; i-- > 0;) {
        const rlxc_stmt *item = s->prefix.items[i];
        const rlxc_expr *var = defined_by(item);
        if (var && !rlxc_map_get(&u->seen, rlxc_key(var)))
            continue;
        use_stmt(u, item);
        RLXC_PUSH(ctx, &wanted, item);
    }
    for (uint32_t i = wanted.count; i-- > 0;)
        RLXC_PUSH(ctx, &all, wanted.items[i]);
    RLXC_PUSH(ctx, &all, body);
    return rlxc_stmt_seq(ctx, all.items, all.count);
}

static bool add_args(splitter *s, uses *u, rlxc_launch *out)
{
    rlxc_context *ctx = s->ctx;
    RLXC_VEC(rlxc_launch_arg) buffers = {0}, scalars = {0};
    rlxc_map taken = {0};
    for (uint32_t i = 0; i < s->f->n_params + s->scratch.count; i++) {
        const rlxc_buffer *b =
            i < s->f->n_params ? s->f->params[i].buffer : s->scratch.items[i - s->f->n_params];
        if (!b || !rlxc_map_get(&u->seen, rlxc_key(b->data)) ||
            rlxc_map_get(&taken, rlxc_key(b->data)))
            continue;
        const rlxc_launch_arg arg = {
            .buffer = b, .is_written = rlxc_map_get(&u->written, rlxc_key(b->data)) != NULL};
        RLXC_PUSH(ctx, &buffers, arg);
        rlxc_map_set(ctx, &taken, rlxc_key(b->data), s);
    }
    for (uint32_t i = 0; i < u->vars.count; i++) {
        const rlxc_expr *var = u->vars.items[i];
        if (rlxc_map_get(&u->bound, rlxc_key(var)) || rlxc_map_get(&taken, rlxc_key(var)))
            continue;
        const rlxc_expr *value = host_value(s, var);
        if (rlxc_dtype_is_handle(var->dtype) || !over_dims(s, value)) {
            rlxc_error(ctx, s->range, "%s: %s has no value where threads use it", s->f->name,
                       var->var.name);
            return false;
        }
        const rlxc_launch_arg arg = {.scalar = var, .value = value};
        RLXC_PUSH(ctx, &scalars, arg);
    }
    for (uint32_t i = 0; i < scalars.count; i++)
        RLXC_PUSH(ctx, &buffers, scalars.items[i]);
    out->args = buffers.items;
    out->n_args = buffers.count;
    return true;
}

typedef struct extents {
    splitter *s;
    const rlxc_expr *most[RLXC_THREAD_AXES];
    bool ok;
} extents;

static bool add_extent(void *user, const rlxc_stmt *loop)
{
    extents *x = user;
    splitter *s = x->s;
    if (loop->kind != RLXC_STMT_FOR || loop->loop.kind != RLXC_LOOP_BOUND)
        return x->ok;
    const int axis = rlxc_thread_axis(loop->loop.thread);
    const rlxc_expr *extent =
        rlxc_canonical(s->ctx, rlxc_cast(s->ctx, RLX_I64, host_value(s, loop->loop.extent)), NULL);
    if (axis < 0 || !over_dims(s, extent)) {
        rlxc_error(s->ctx, loop->range.line ? loop->range : s->range,
                   "%s: the number of threads of loop %s (%s) is not known before the launch",
                   s->f->name, loop->loop.var->var.name, loop->loop.thread);
        x->ok = false;
        return false;
    }
    const rlxc_expr *old = x->most[axis];
    if (!old || rlxc_prove_le(s->ctx, old, extent, NULL))
        x->most[axis] = extent;
    else if (!rlxc_prove_le(s->ctx, extent, old, NULL))
        x->most[axis] = rlxc_binary(s->ctx, RLXC_EXPR_MAX, old, extent);
    return x->ok;
}

/* Without the loops around |body| that are bound to the whole of an axis. */
static const rlxc_stmt *peel(splitter *s, const rlxc_stmt *body, rlxc_launch *out)
{
    while (body->kind == RLXC_STMT_FOR && body->loop.kind == RLXC_LOOP_BOUND &&
           rlxc_is_const(body->loop.min, 0)) {
        const int axis = rlxc_thread_axis(body->loop.thread);
        const rlxc_expr *extent = rlxc_canonical(
            s->ctx, rlxc_cast(s->ctx, RLX_I64, host_value(s, body->loop.extent)), NULL);
        const rlxc_expr *all = axis < 3 ? out->grid[axis] : out->block[axis - 3];
        if (out->thread[axis] || extent != all)
            break;
        out->thread[axis] = body->loop.var;
        body = body->loop.body;
    }
    return body;
}

/* Launch names are C identifiers: "_xHH" is any other character, and "_x5f" an underscore before an
 * x, so that different functions have different names. */
static const char *launch_name(splitter *s)
{
    rlxc_text text = {.ctx = s->ctx};
    rlxc_text_puts(&text, "rlx_");
    for (const char *c = s->f->name; *c; c++) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                           (*c >= '0' && *c <= '9') || (*c == '_' && c[1] != 'x');
        if (plain)
            rlxc_text_add(&text, c, 1);
        else
            rlxc_text_printf(&text, "_x%02x", (unsigned)(unsigned char)*c);
    }
    rlxc_text_printf(&text, "_%u", s->launches.count);
    return rlxc_intern(s->ctx, text.data, text.length);
}

static bool add_launch(splitter *s, const rlxc_stmt *body)
{
    rlxc_context *ctx = s->ctx;
    if (s->launches.count >= MAX_LAUNCHES)
        return refuse(s, "it needs more than 1024 launches");
    extents x = {.s = s, .ok = true};
    rlxc_stmt_visit(body, add_extent, &x);
    rlxc_launch launch = {.name = launch_name(s)};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = x.most[i] ? x.most[i] : rlxc_i64(ctx, 1);
        launch.block[i] = x.most[i + 3] ? x.most[i + 3] : rlxc_i64(ctx, 1);
    }
    if (!x.ok || !rlxc_device_phases(ctx, s->f, &launch, body))
        return false;
    uses u = {.s = s};
    body = peel(s, body, &launch);
    for (int i = 0; i < RLXC_THREAD_AXES; i++)
        if (launch.thread[i])
            rlxc_map_set(ctx, &u.bound, rlxc_key(launch.thread[i]), s);
    rlxc_stmt_visit(body, use_stmt, &u);
    launch.body = rlxc_copy_ahead(ctx, s->target, with_prefix(s, &u, body));
    if (!add_args(s, &u, &launch) || !rlxc_device_sync(ctx, s->f, &launch) ||
        !rlxc_device_checks(ctx, s->f, &launch) || !rlxc_size_shared(ctx, s->f, s->target, &launch))
        return false;
    RLXC_PUSH(ctx, &s->launches, launch);
    return !rlxc_failed(ctx);
}

static bool flush(splitter *s)
{
    if (s->serial.count == 0)
        return true;
    const rlxc_stmt *body = rlxc_stmt_seq(s->ctx, s->serial.items, s->serial.count);
    s->serial.count = 0;
    return add_launch(s, body);
}

/* --- the root --------------------------------------------------------------------------------- */

static bool find_written(void *user, const rlxc_stmt *s)
{
    splitter *p = user;
    if (s->kind == RLXC_STMT_STORE)
        rlxc_map_set(p->ctx, &p->written, rlxc_key(s->store.buffer->data), p);
    return true;
}

static bool is_global(const char *scope)
{
    return !scope || strncmp(scope, "global", 6) == 0;
}

static void add_scratch(splitter *s, const rlxc_buffer *b)
{
    if (rlxc_map_get(&s->owners, rlxc_key(b->data)))
        return; /* of an earlier turn */
    rlxc_map_set(s->ctx, &s->owners, rlxc_key(b->data), (void *)(uintptr_t)b);
    rlxc_buffer *own = rlxc_copy(s->ctx, b, sizeof *b);
    const rlxc_expr **shape = rlxc_try_alloc(s->ctx, (size_t)b->ndim + 1, sizeof *shape);
    for (uint32_t i = 0; shape && i < b->ndim; i++) {
        shape[i] = host_value(s, b->shape[i]);
        if (!over_dims(s, shape[i]))
            refuse(s, "the size of a temporary is not known before the launch");
    }
    own->shape = shape;
    RLXC_PUSH(s->ctx, &s->scratch, own);
}

static bool allocate(splitter *s, const rlxc_stmt *stmt)
{
    const rlxc_expr *var = stmt->allocate.var;
    if (!is_global(stmt->allocate.scope)) {
        rlxc_map_set(s->ctx, &s->inside, rlxc_key(var), s);
        RLXC_PUSH(s->ctx, &s->prefix, stmt);
        return true;
    }
    rlxc_buffer *b = rlxc_buffer_new(s->ctx, var->var.name, stmt->allocate.dtype,
                                     stmt->allocate.extents, stmt->allocate.n);
    b->data = var;
    add_scratch(s, b);
    return !rlxc_failed(s->ctx);
}

/* A buffer over memory that is there, or with memory of its own. */
static bool declare(splitter *s, const rlxc_stmt *stmt)
{
    const rlxc_buffer *b = stmt->decl;
    if (rlxc_map_get(&s->owners, rlxc_key(b->data)) || rlxc_map_get(&s->inside, rlxc_key(b->data)))
        return true;
    if (is_global(b->scope)) {
        add_scratch(s, b);
        return !rlxc_failed(s->ctx);
    }
    rlxc_stmt *own = rlxc_copy(s->ctx, stmt, sizeof *stmt);
    own->kind = RLXC_STMT_ALLOCATE;
    own->allocate.var = b->data;
    own->allocate.dtype = b->dtype;
    own->allocate.extents = b->shape;
    own->allocate.n = b->ndim;
    own->allocate.scope = b->scope;
    own->allocate.cond = NULL;
    return allocate(s, own);
}

static bool reads_written(void *user, const rlxc_expr *e)
{
    dim_check *c = user;
    if (e->kind == RLXC_EXPR_LOAD && rlxc_map_get(&c->s->written, rlxc_key(e->load.buffer->data)))
        c->ok = false;
    return c->ok;
}

/* A value of the host, or one that each launch reads again from memory that no launch changes. */
static bool let(splitter *s, const rlxc_stmt *stmt)
{
    const rlxc_expr *value = host_value(s, stmt->let.value);
    if (over_dims(s, value)) {
        set_value(s, stmt->let.var, value);
        return true;
    }
    dim_check c = {s, true};
    rlxc_expr_visit(s->ctx, stmt->let.value, reads_written, &c);
    if (!c.ok)
        return refuse(s, "the host needs a value that a launch computes");
    RLXC_PUSH(s->ctx, &s->prefix, stmt);
    return true;
}

typedef struct read_check {
    splitter *s;
    bool ok;
} read_check;

static void reads_only(void *user, const rlxc_expr *e)
{
    read_check *r = user;
    dim_check c = {r->s, true};
    rlxc_expr_visit(r->s->ctx, e, reads_written, &c);
    r->ok = r->ok && c.ok;
}

/* All launches after a check of the root make it: it may be what makes them safe. */
static bool check(splitter *s, const rlxc_stmt *stmt)
{
    read_check r = {s, true};
    rlxc_stmt_exprs(stmt, reads_only, &r);
    if (!r.ok && stmt->kind == RLXC_STMT_ASSERT)
        return refuse(s, "an assertion outside of threads reads what a launch changes");
    if (!r.ok) {
        RLXC_PUSH(s->ctx, &s->serial, stmt); /* of the statement that follows */
        return true;
    }
    for (uint32_t i = s->conds.count; i-- > 0;)
        stmt = rlxc_stmt_if(s->ctx, s->conds.items[i], stmt, NULL);
    RLXC_PUSH(s->ctx, &s->prefix, stmt);
    return true;
}

static bool walk(splitter *s, const rlxc_stmt *stmt);

static bool turns(splitter *s, const rlxc_stmt *loop)
{
    int64_t n = 0;
    const rlxc_expr *min = host_value(s, loop->loop.min);
    if (!rlxc_is_int(rlxc_canonical(s->ctx, host_value(s, loop->loop.extent), NULL), &n) ||
        n > MAX_TURNS || !over_dims(s, min)) {
        rlxc_error(s->ctx, s->range,
                   "%s: loop %s runs on the host around launches; its extent must be a constant of "
                   "at most %d",
                   s->f->name, loop->loop.var->var.name, MAX_TURNS);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        const rlxc_expr *turn = rlxc_int(s->ctx, min->dtype, i);
        set_value(s, loop->loop.var, rlxc_add(s->ctx, min, turn));
        if (!walk(s, loop->loop.body) || !flush(s))
            return false;
    }
    return true;
}

static bool branch(splitter *s, const rlxc_expr *cond, const rlxc_stmt *body)
{
    RLXC_PUSH(s->ctx, &s->conds, cond);
    const bool ok = walk(s, body) && flush(s);
    if (s->conds.count)
        s->conds.count--;
    return ok;
}

static bool with_threads(splitter *s, const rlxc_stmt *stmt)
{
    if (!flush(s))
        return false;
    if (stmt->kind == RLXC_STMT_FOR && stmt->loop.kind == RLXC_LOOP_BOUND)
        return add_launch(s, stmt);
    if (stmt->kind == RLXC_STMT_FOR)
        return turns(s, stmt);
    if (stmt->kind != RLXC_STMT_IF || !over_dims(s, host_value(s, stmt->if_.cond)))
        return refuse(s, "the host needs a value in the device's memory to decide what to launch");
    return branch(s, stmt->if_.cond, stmt->if_.then) &&
           (!stmt->if_.otherwise ||
            branch(s, rlxc_not(s->ctx, stmt->if_.cond), stmt->if_.otherwise));
}

static bool walk(splitter *s, const rlxc_stmt *stmt)
{
    bool ok = true;
    if (rlxc_failed(s->ctx))
        return false;
    if (++s->visits > MAX_VISITS)
        return refuse(s, "it is too long for launches");
    if (stmt->range.line)
        s->range = stmt->range;
    switch (stmt->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; ok && i < stmt->seq.n; i++)
            ok = walk(s, stmt->seq.items[i]);
        return ok;
    case RLXC_STMT_ALLOCATE:
        return allocate(s, stmt);
    case RLXC_STMT_DECL_BUFFER:
        return declare(s, stmt);
    case RLXC_STMT_LET:
        return let(s, stmt);
    case RLXC_STMT_ALLOCATE_CONST:
        rlxc_map_set(s->ctx, &s->inside, rlxc_key(stmt->allocate_const.var), s);
        RLXC_PUSH(s->ctx, &s->prefix, stmt);
        return true;
    case RLXC_STMT_ASSERT:
        return check(s, stmt);
    case RLXC_STMT_ATTR:
        return true;
    case RLXC_STMT_EVALUATE:
        if (rlxc_stmt_is_nothing(stmt))
            return true;
        if (rlxc_stmt_is_check(stmt))
            return check(s, stmt);
        RLXC_PUSH(s->ctx, &s->serial, stmt);
        return true;
    case RLXC_STMT_BLOCK:
        rlxc_internal(s->ctx, s->range, "codegen", "%s: block %s was not lowered", s->f->name,
                      stmt->block.block->name);
        return false;
    case RLXC_STMT_FOR:
    case RLXC_STMT_WHILE:
    case RLXC_STMT_IF:
    case RLXC_STMT_STORE:
        break;
    }
    if (rlxc_has_threads(stmt))
        return with_threads(s, stmt);
    RLXC_PUSH(s->ctx, &s->serial, stmt);
    return true;
}

bool rlxc_device_split(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_target *target,
                       rlxc_device_kernel *out)
{
    splitter s = {.ctx = ctx, .f = f, .target = target, .range = f->range};
    *out = (rlxc_device_kernel){.f = f};
    rlxc_prim_func_dims(ctx, f, &s.dims, &s.n_dims);
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_buffer *b = f->params[i].buffer;
        if (!b)
            continue;
        rlxc_map_set(ctx, &s.owners, rlxc_key(b->data), b);
        layout_values(&s, b);
    }
    rlxc_stmt_visit(f->body, find_written, &s);
    if (!walk(&s, f->body) || !flush(&s))
        return false;
    out->scratch = s.scratch.items;
    out->n_scratch = s.scratch.count;
    out->launches = s.launches.items;
    out->n_launches = s.launches.count;
    return !rlxc_failed(ctx);
}
