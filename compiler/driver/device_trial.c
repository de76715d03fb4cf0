/* Finds out whether a device can run a PrimFunc by generating its code.
 *
 * Types and calls are checked first. Other limits show only after scheduling: too much memory per
 * thread, sizes that the host does not know before the launch. Loops around single stores never
 * exceed them; any other function is compiled alone, up to code generation, and its first error is
 * the reason. */
#include <string.h>

#include "compiler/codegen/device.h"
#include "compiler/driver/compile.h"

static bool is_vector(const rlxc_expr *e)
{
    return e->dtype.lanes > 1;
}

typedef struct search {
    rlxc_context *ctx;
    const rlxc_stmt *root;
    bool odd;
} search;

/* Memory of the whole function, of a size that the host knows. */
static bool is_plain_memory(search *s, const rlxc_buffer *b)
{
    bool found = b->scope && strcmp(b->scope, "global") != 0;
    for (uint32_t i = 0; i < b->ndim; i++)
        found = found || rlxc_expr_loads(s->ctx, b->shape[i]);
    return !found;
}

static bool look(void *user, const rlxc_stmt *stmt)
{
    search *s = user;
    switch (stmt->kind) {
    case RLXC_STMT_SEQ:
    case RLXC_STMT_FOR:
        break;
    case RLXC_STMT_IF:
        s->odd = s->odd || is_vector(stmt->if_.cond);
        break;
    case RLXC_STMT_STORE:
        s->odd = s->odd || is_vector(stmt->store.value);
        break;
    case RLXC_STMT_BLOCK:
        for (uint32_t i = 0; i < stmt->block.block->n_allocs; i++)
            s->odd = s->odd || stmt != s->root || !is_plain_memory(s, stmt->block.block->allocs[i]);
        break;
    case RLXC_STMT_EVALUATE:
        s->odd = s->odd || !(rlxc_stmt_is_nothing(stmt) || rlxc_stmt_is_check(stmt));
        break;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_LET:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        s->odd = true;
        break;
    }
    return !s->odd;
}

/* The first error since |said|, without the function's name before it. */
static const char *first_error(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_said said)
{
    size_t n;
    const rlxc_diagnostic *all = rlxc_diagnostics(ctx, &n);
    const size_t length = f->name ? strlen(f->name) : 0;
    for (size_t i = said.count; i < n; i++) {
        const char *text = all[i].message;
        if (all[i].severity != RLXC_ERROR)
            continue;
        if (length && strncmp(text, f->name, length) == 0 && strncmp(text + length, ": ", 2) == 0)
            text += length + 2;
        return text;
    }
    return "its code cannot be made";
}

static bool compiles(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_options *options)
{
    rlxc_options own = *options;
    rlxc_module *module = rlxc_module_new(ctx);
    rlxc_prim_func *copy = rlxc_prim_func_clone(ctx, f);
    const rlxc_device_code *code;
    uint32_t n;
    own.check = own.device_binaries = false;
    own.explain = NULL;
    own.steps = NULL;
    own.n_extra = 0;
    own.default_device = NULL;
    copy->is_private = false;
    return rlxc_module_add_prim(ctx, module, copy, false) &&
           rlxc_run_passes(ctx, module, &own, NULL) &&
           rlxc_compile_devices(ctx, module, &own, &code, &n);
}

const char *rlxc_try_device(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_target *target,
                            const rlxc_options *options)
{
    const char *why = rlxc_device_refuses(ctx, f, target);
    search s = {.ctx = ctx, .root = f->body};
    if (why || rlxc_has_threads(f->body)) /* which no CPU could take over */
        return why;
    rlxc_stmt_visit(f->body, look, &s);
    if (!s.odd || rlxc_failed(ctx))
        return why;
    const rlxc_said said = rlxc_said_so_far(ctx);
    if (!compiles(ctx, f, options))
        why = first_error(ctx, f, said);
    rlxc_take_back(ctx, said);
    return why;
}
