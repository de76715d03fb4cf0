/* Pass inline_prim_calls: inlines calls of PrimFuncs in PrimFuncs.
 *
 *   B[i] = Module.f(A.data, i)    becomes    <body of f, its result in r>
 *                                            B[i] = r[0]
 *
 * A copy of the callee precedes the statement that calls it; the calls of one statement run in
 * order, before the rest of it, and calls under a condition (if_then_else, and, or) under the same
 * condition. Parameters: numbers become variables, addresses are substituted, and a buffer (passed
 * by name or as T.tvm_stack_make_array) lends its memory and must have the shape that the callee
 * declares, which an assertion checks if it is not provable. Recursive functions, and more than
 * MAX_COPIED statements, are errors. */
#include <string.h>

#include "compiler/analysis/effects.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/inline_calls.h"
#include "compiler/passes/passes.h"

enum { MAX_COPIED = 1 << 16 };

typedef enum progress { UNSEEN, ENTERED, DONE } progress;

typedef struct inliner {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map progress; /* rlxc_prim_func -> its state; name of a callee -> not NULL */
    uint32_t copied;
    RLXC_VEC(const rlxc_prim_func *) callees;
    const char *call; /* "call_prim" */
} inliner;

/* Around the calls of one statement. */
typedef struct site {
    inliner *in;
    rlxc_range range;
    rlxc_stmt_list *declared; /* declarations of the results, before everything else */
    rlxc_stmt_list *before;
} site;

static void inline_function(inliner *in, rlxc_prim_func *f);
static const rlxc_expr *lifted(site *at, const rlxc_expr *e);

/* --- which expressions call ------------------------------------------------------------------ */

static bool is_call(const inliner *in, const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && e->call.name == in->call;
}

static bool not_a_call(void *user, const rlxc_expr *e)
{
    return !is_call(user, e);
}

static bool calls(inliner *in, const rlxc_expr *e)
{
    return e && !rlxc_expr_visit(in->ctx, e, not_a_call, in);
}

/* --- the callee ------------------------------------------------------------------------------ */

static bool count_statement(void *user, const rlxc_stmt *s)
{
    (void)s;
    ++*(uint32_t *)user;
    return true;
}

static rlxc_prim_func *callee_of(site *at, const rlxc_expr *e)
{
    inliner *in = at->in;
    const char *name = rlxc_intern_cstr(in->ctx, e->call.args[0]->s);
    const rlxc_global *g = rlxc_module_find(in->module, name);
    if (!g || !g->prim) {
        rlxc_error(in->ctx, at->range, "'%s' is not a PrimFunc of this module", name);
        return NULL;
    }
    if (g->prim->n_params != e->call.n - 1) {
        rlxc_error(in->ctx, at->range, "PrimFunc '%s' takes %u argument%s, got %u", name,
                   g->prim->n_params, g->prim->n_params == 1 ? "" : "s", e->call.n - 1);
        return NULL;
    }
    if ((progress)(uintptr_t)rlxc_map_get(&in->progress, rlxc_key(g->prim)) == ENTERED) {
        rlxc_error(
            in->ctx, at->range,
            "PrimFunc '%s' calls itself, directly or through others; recursion is not supported",
            name);
        return NULL;
    }
    if (!rlxc_map_get(&in->progress, rlxc_key(g->name)))
        RLXC_PUSH(in->ctx, &in->callees, g->prim);
    rlxc_map_set(in->ctx, &in->progress, rlxc_key(g->name), in);
    inline_function(in, g->prim);
    rlxc_stmt_visit(g->prim->body, count_statement, &in->copied);
    if (in->copied > MAX_COPIED) {
        rlxc_error(in->ctx, at->range,
                   "inlining calls of PrimFuncs would produce more than %d statements", MAX_COPIED);
        return NULL;
    }
    return rlxc_failed(in->ctx) ? NULL : rlxc_prim_func_clone(in->ctx, g->prim);
}

/* Inlines a call: the value is the result, or 0 if there is none. */
static const rlxc_expr *expanded(site *at, const rlxc_expr *e)
{
    rlxc_context *ctx = at->in->ctx;
    const rlxc_expr *nothing = rlxc_int(ctx, RLX_I32, 0);
    const rlxc_expr **args = rlxc_alloc(ctx, ((size_t)e->call.n + 1) * sizeof *args);
    for (uint32_t i = 1; i < e->call.n; i++)
        args[i - 1] = lifted(at, e->call.args[i]);
    rlxc_prim_func *f = callee_of(at, e);
    if (!f)
        return nothing;
    rlxc_callee callee = {.ctx = ctx, .f = f, .range = at->range, .out = at->before};
    if (!rlxc_bind_arguments(&callee, args))
        return nothing;
    rlxc_run_callee(&callee, at->declared);
    if (!callee.result)
        return nothing;
    const rlxc_expr *value = rlxc_load(ctx, callee.result, &nothing, 1);
    return rlxc_dtype_is_void(e->dtype) ? nothing : rlxc_cast(ctx, e->dtype, value);
}

/* --- the expressions around calls ------------------------------------------------------------ */

static void push(site *at, rlxc_stmt_list *list, const rlxc_stmt *s)
{
    ((rlxc_stmt *)(uintptr_t)s)->range = at->range; /* made just now */
    RLXC_PUSH(at->in->ctx, list, s);
}

static const rlxc_expr *named(site *at, const char *name, const rlxc_expr *value)
{
    const rlxc_expr *var = rlxc_var_for(at->in->ctx, name, value);
    push(at, at->before, rlxc_stmt_let(at->in->ctx, var, value));
    return var;
}

/* |e| with its calls under a condition of their own, appended to |*out|. */
static const rlxc_expr *lifted_apart(site *at, const rlxc_expr *e, const rlxc_stmt **out)
{
    rlxc_stmt_list list = {0};
    site inner = *at;
    inner.before = &list;
    const rlxc_expr *value = lifted(&inner, e);
    *out = list.count > 0 ? rlxc_stmt_seq(at->in->ctx, list.items, list.count) : NULL;
    return value;
}

static const rlxc_expr *lifted_choice(site *at, const rlxc_expr *e)
{
    rlxc_context *ctx = at->in->ctx;
    const rlxc_stmt *then, *otherwise;
    const rlxc_expr *args[3] = {
        named(at, "chosen", rlxc_cast(ctx, RLX_B8, lifted(at, e->call.args[0])))};
    args[1] = lifted_apart(at, e->call.args[1], &then);
    args[2] = lifted_apart(at, e->call.args[2], &otherwise);
    if (then)
        push(at, at->before, rlxc_stmt_if(ctx, args[0], then, otherwise));
    else if (otherwise)
        push(at, at->before, rlxc_stmt_if(ctx, rlxc_not(ctx, args[0]), otherwise, NULL));
    return rlxc_call(ctx, e->dtype, e->call.name, args, 3);
}

static const rlxc_expr *lifted_logic(site *at, const rlxc_expr *e)
{
    rlxc_context *ctx = at->in->ctx;
    const rlxc_stmt *second;
    const rlxc_expr *first = named(at, "first", lifted(at, e->bin.a));
    const rlxc_expr *b = lifted_apart(at, e->bin.b, &second);
    const rlxc_expr *needed = e->kind == RLXC_EXPR_AND ? first : rlxc_not(ctx, first);
    if (second)
        push(at, at->before, rlxc_stmt_if(ctx, needed, second, NULL));
    return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, first, b);
}

static const rlxc_expr **lifted_all(site *at, const rlxc_expr *const *items, uint32_t n)
{
    const rlxc_expr **out = rlxc_alloc(at->in->ctx, ((size_t)n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        out[i] = lifted(at, items[i]);
    return out;
}

/* |e| without calls; they run before. */
static const rlxc_expr *lifted(site *at, const rlxc_expr *e)
{
    rlxc_context *ctx = at->in->ctx;
    const rlxc_expr *a, *b;
    if (!e || rlxc_failed(ctx) || !calls(at->in, e))
        return e;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        if (e->dtype.lanes == 1 && calls(at->in, e->bin.b))
            return lifted_logic(at, e);
        a = lifted(at, e->bin.a);
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, a, lifted(at, e->bin.b));
#define BINARY(kind, text) case RLXC_EXPR_##kind:
        RLXC_NUMBER_EXPRS(BINARY)
#undef BINARY
        a = lifted(at, e->bin.a);
        b = lifted(at, e->bin.b);
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, a, b);
    case RLXC_EXPR_NOT:
        return rlxc_not(ctx, lifted(at, e->bin.a));
    case RLXC_EXPR_CAST:
        return rlxc_cast(ctx, e->dtype, lifted(at, e->bin.a));
    case RLXC_EXPR_SELECT:
        a = lifted(at, e->select.cond);
        b = lifted(at, e->select.yes);
        return rlxc_select(ctx, a, b, lifted(at, e->select.no));
    case RLXC_EXPR_LOAD:
        return rlxc_load(ctx, e->load.buffer, lifted_all(at, e->load.indices, e->load.n),
                         e->load.n);
    case RLXC_EXPR_CALL:
        if (is_call(at->in, e))
            return expanded(at, e);
        if (rlxc_is_choice(e) && e->call.args[0]->dtype.lanes == 1)
            return lifted_choice(at, e);
        return rlxc_call(ctx, e->dtype, e->call.name, lifted_all(at, e->call.args, e->call.n),
                         e->call.n);
    case RLXC_EXPR_LET:
        a = lifted(at, e->let.value);
        push(at, at->before, rlxc_stmt_let(ctx, e->let.var, a));
        return lifted(at, e->let.body);
    case RLXC_EXPR_RAMP:
        a = lifted(at, e->ramp.base);
        return rlxc_ramp(ctx, a, lifted(at, e->ramp.stride), e->ramp.lanes);
    case RLXC_EXPR_BROADCAST:
        return rlxc_broadcast(ctx, lifted(at, e->ramp.base), e->ramp.lanes);
    case RLXC_EXPR_VAR:
    case RLXC_EXPR_INT:
    case RLXC_EXPR_FLOAT:
    case RLXC_EXPR_STRING:
        break;
    }
    return e;
}

/* --- statements ------------------------------------------------------------------------------ */

/* while f(x): S  ->  r = f(x); while r: S; r = f(x) */
static const rlxc_stmt *inline_while(site *at, const rlxc_stmt *s)
{
    rlxc_context *ctx = at->in->ctx;
    const rlxc_expr *zero = rlxc_int(ctx, RLX_I32, 0), *one = rlxc_int(ctx, RLX_I32, 1);
    rlxc_buffer *goes_on = rlxc_declare_local(ctx, "goes_on", RLX_B8, &one, at->declared);
    const rlxc_expr *cond = lifted(at, s->while_.cond);
    push(at, at->before, rlxc_stmt_store(ctx, goes_on, &zero, 1, cond));
    /* the callee again, for the later iterations */
    rlxc_stmt_list again = {0};
    site next = *at;
    next.before = &again;
    cond = lifted(&next, s->while_.cond);
    push(at, &again, rlxc_stmt_store(ctx, goes_on, &zero, 1, cond));
    const rlxc_stmt *body[2] = {s->while_.body, rlxc_stmt_seq(ctx, again.items, again.count)};
    rlxc_stmt *loop = (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(ctx, s);
    loop->while_.cond = rlxc_load(ctx, goes_on, &zero, 1);
    loop->while_.body = rlxc_stmt_seq(ctx, body, 2);
    return loop;
}

/* Removes calls from the expressions of |s|; its statements have none left. */
static const rlxc_stmt *inline_parts(site *at, const rlxc_stmt *s)
{
    rlxc_stmt *copy = (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(at->in->ctx, s);
    switch (s->kind) {
    case RLXC_STMT_FOR:
        copy->loop.min = lifted(at, s->loop.min);
        copy->loop.extent = lifted(at, s->loop.extent);
        break;
    case RLXC_STMT_WHILE:
        return calls(at->in, s->while_.cond) ? inline_while(at, s) : s;
    case RLXC_STMT_IF:
        copy->if_.cond = lifted(at, s->if_.cond);
        break;
    case RLXC_STMT_LET:
        copy->let.value = lifted(at, s->let.value);
        break;
    case RLXC_STMT_STORE:
        copy->store.indices = lifted_all(at, s->store.indices, s->store.n);
        copy->store.value = lifted(at, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        copy->evaluate = lifted(at, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        copy->assert_.cond = lifted(at, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        copy->allocate.extents = lifted_all(at, s->allocate.extents, s->allocate.n);
        copy->allocate.cond = lifted(at, s->allocate.cond);
        break;
    case RLXC_STMT_ATTR:
        copy->attr.value = lifted(at, s->attr.value);
        break;
    case RLXC_STMT_BLOCK:
        copy->block.values = lifted_all(at, s->block.values, s->block.block->n_axes);
        copy->block.predicate = lifted(at, s->block.predicate);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
        break;
    }
    return copy;
}

static const rlxc_stmt *inline_statement(void *user, const rlxc_stmt *s)
{
    inliner *in = user;
    rlxc_stmt_list declared = {0}, before = {0};
    site at = {in, s->range, &declared, &before};
    if (rlxc_failed(in->ctx))
        return s;
    const rlxc_stmt *rest = inline_parts(&at, s);
    if (declared.count + before.count == 0)
        return s;
    for (uint32_t i = 0; i < before.count; i++)
        RLXC_PUSH(in->ctx, &declared, before.items[i]);
    RLXC_PUSH(in->ctx, &declared, rest);
    return rlxc_stmt_seq(in->ctx, declared.items, declared.count);
}

static void inline_function(inliner *in, rlxc_prim_func *f)
{
    if (rlxc_map_get(&in->progress, rlxc_key(f)))
        return;
    rlxc_map_set(in->ctx, &in->progress, rlxc_key(f), (void *)(uintptr_t)ENTERED);
    const rlxc_stmt_rewriter rewriter = {.user = in, .stmt = inline_statement};
    f->body = rlxc_stmt_rewrite(in->ctx, f->body, &rewriter);
    rlxc_map_set(in->ctx, &in->progress, rlxc_key(f), (void *)(uintptr_t)DONE);
}

bool rlxc_pass_inline_prim_calls(rlxc_context *ctx, rlxc_module *module,
                                 const rlxc_options *options)
{
    (void)options;
    inliner in = {.ctx = ctx, .module = module, .call = rlxc_intern_cstr(ctx, "call_prim")};
    if (!module->prim_calls)
        return true;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            inline_function(&in, module->globals.items[i]->prim);
    for (uint32_t i = 0; i < in.callees.count && !rlxc_failed(ctx); i++)
        if (in.callees.items[i]->is_private &&
            !rlxc_is_mentioned(module, in.callees.items[i]->name))
            rlxc_module_remove(ctx, module, in.callees.items[i]->name);
    module->prim_calls = false;
    return !rlxc_failed(ctx);
}
