/* Why a PrimFunc cannot become device code: checks its types and calls in one pass over the
 * function. Limits that depend on the schedule (sizes of temporaries, threads) are reported when
 * the function is split into launches. */
#include <string.h>

#include "compiler/codegen/opencl.h"

typedef struct search {
    rlxc_context *ctx;
    const rlxc_target *target;
    const rlxc_stmt *root; /* the function's body */
    const char *why;
} search;

static void set(search *s, const char *what, const char *why)
{
    if (why && !s->why)
        s->why = what ? rlxc_internf(s->ctx, "%s: %s", what, why) : why;
}

static void look_buffer(search *s, const rlxc_buffer *b)
{
    set(s, b->name, rlxc_cl_lacks_type(s->target, b->dtype));
    if (b->dtype.lanes > 1)
        set(s, b->name, "its elements are vectors");
}

static bool look_node(void *user, const rlxc_expr *e)
{
    search *s = user;
    if (e->kind == RLXC_EXPR_LOAD)
        look_buffer(s, e->load.buffer);
    if (e->kind == RLXC_EXPR_CALL)
        set(s, rlxc_internf(s->ctx, "T.%s", e->call.name), rlxc_device_lacks_call(s->target, e));
    else if (e->kind != RLXC_EXPR_STRING && !rlxc_dtype_is_handle(e->dtype))
        set(s, NULL, rlxc_cl_lacks_type(s->target, e->dtype));
    if (strcmp(s->target->kind, "cuda") == 0)
        set(s, NULL, rlxc_nvptx_lacks(e));
    return !s->why;
}

/* A block that contains a parallel loop is not cut into threads: one would run it. */
static bool look_loop(void *user, const rlxc_stmt *stmt)
{
    search *s = user;
    if (stmt->kind == RLXC_STMT_FOR && stmt->loop.kind == RLXC_LOOP_PARALLEL)
        set(s, NULL, "a block contains a parallel loop, which a single thread would run");
    return !s->why;
}

static bool look_stmt(void *user, const rlxc_stmt *stmt)
{
    search *s = user;
    if (s->why)
        return false;
    rlxc_stmt_nodes(s->ctx, stmt, look_node, s);
    if (stmt->kind == RLXC_STMT_LET)
        set(s, stmt->let.var->var.name, rlxc_cl_lacks_type(s->target, stmt->let.var->dtype));
    if (stmt->kind == RLXC_STMT_STORE)
        look_buffer(s, stmt->store.buffer);
    else if (stmt->kind == RLXC_STMT_DECL_BUFFER)
        look_buffer(s, stmt->decl);
    else if (stmt->kind == RLXC_STMT_ALLOCATE)
        set(s, stmt->allocate.var->var.name, rlxc_cl_lacks_type(s->target, stmt->allocate.dtype));
    for (uint32_t i = 0; stmt->kind == RLXC_STMT_BLOCK && i < stmt->block.block->n_allocs; i++)
        look_buffer(s, stmt->block.block->allocs[i]);
    if (stmt->kind == RLXC_STMT_BLOCK && stmt != s->root)
        rlxc_stmt_visit(stmt->block.block->body, look_loop, s);
    return !s->why;
}

const char *rlxc_device_lacks_call(const rlxc_target *target, const rlxc_expr *e)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    const bool cuda = strcmp(target->kind, "cuda") == 0;
    const char *why = cuda ? rlxc_nvptx_lacks(e) : NULL;
    if (why || (cuda && row && row->lowering == RLXC_LOWER_DEVICE))
        return why;
    return rlxc_cl_lacks_call(e);
}

const char *rlxc_device_refuses(rlxc_context *ctx, const rlxc_prim_func *f,
                                const rlxc_target *target)
{
    search s = {.ctx = ctx, .target = target, .root = f->body};
    if (!rlxc_device_has_code(target))
        return rlxc_internf(ctx, "there is no code generator for %s", target->kind);
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            look_buffer(&s, f->params[i].buffer);
        else if (f->params[i].var)
            set(&s, f->params[i].var->var.name,
                rlxc_cl_lacks_type(target, f->params[i].var->dtype));
    if (!rlxc_dtype_is_void(f->ret_dtype))
        set(&s, NULL, "it returns a value");
    if (rlxc_attrs_find(&f->attrs, "rlx.checks"))
        set(&s, NULL, "it checks a parameter's elements first");
    if (!s.why)
        rlxc_stmt_visit(f->body, look_stmt, &s);
    return s.why;
}
