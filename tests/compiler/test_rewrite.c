/* Inference of each form, calls matched against signatures, and the rewriter: replacement, nested
 * bodies, dataflow outputs, long chains. */
#include <string.h>

#include "tests/compiler/graph.h"
#include "tests/support/rlx_test.h"

typedef struct fixture {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_expr *n;
} fixture;

static fixture begin(const rlx_test *t)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    if (!ctx)
        return (fixture){0};
    return (fixture){ctx, rlxc_module_new(ctx), rlxc_shape_var(ctx, "n")};
}

/* def double(x: Tensor((k, 2))) -> Tensor((k + k, m)), with m unbound when |leaky| */
static void add_callee(const fixture *fx, bool leaky)
{
    const rlxc_expr *k = rlxc_shape_var(fx->ctx, "k"), *two = rlxc_i64(fx->ctx, 2);
    graph g = graph_new(fx->ctx, fx->module, "double", false);
    rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx->ctx, k, two));
    g.f->ret =
        graph_tensor(fx->ctx, rlxc_add(fx->ctx, k, k), leaky ? rlxc_shape_var(fx->ctx, "m") : two);
    graph_end(&g, x);
}

RLX_TEST(infer, calls_of_functions_substitute_symbols)
{
    fixture fx = begin(t);
    add_callee(&fx, false);
    graph g = graph_new(fx.ctx, fx.module, "main", false);
    const rlxc_expr *two = rlxc_i64(fx.ctx, 2);
    rlxc_atom x = rlxc_atom_var(graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, two)));
    rlxc_atom vague =
        rlxc_atom_var(graph_param(&g, "v", rlxc_sinfo_tensor(fx.ctx, RLX_F32, 2, NULL, NULL)));
    rlxc_atom callee = rlxc_atom_global(fx.ctx, "double");
    const rlxc_sinfo *got = graph_infer(&g, graph_call(&g, "y", callee, &x, 1))->sinfo;
    cr_expect_eq(got, graph_tensor(fx.ctx, rlxc_mul(fx.ctx, fx.n, two), two));
    got = graph_infer(&g, graph_call(&g, "z", callee, &vague, 1))->sinfo;
    cr_expect(got->kind == RLXC_SINFO_TENSOR && got->ndim == 2 && !got->dims,
              "an unbound symbol is forgotten");
    cr_expect(!rlxc_failed(fx.ctx));
    rlxc_context_destroy(fx.ctx);

    fx = begin(t);
    add_callee(&fx, true);
    g = graph_new(fx.ctx, fx.module, "main", false);
    x = rlxc_atom_var(graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, rlxc_i64(fx.ctx, 2))));
    got = graph_infer(&g, graph_call(&g, "y", rlxc_atom_global(fx.ctx, "double"), &x, 1))->sinfo;
    cr_expect(got->ndim == 2 && !got->dims, "the callee's own symbol does not leak");
    rlxc_context_destroy(fx.ctx);
}

RLX_TEST(infer, wrong_arguments_are_named)
{
    static const char *const wants[] = {
        "'double' takes 1 argument, but 2 were given",
        "argument 'x' of 'double': expected",
        "the module has no function 'nobody'",
        "is not a function",
        "index 2 is out of range for a tuple of 2 fields",
        "not from a tuple",
        "can never succeed",
        "condition of an if must be a scalar bool",
        "the result of 'double' has a negative size",
    };
    for (size_t kind = 0; kind < sizeof wants / sizeof wants[0]; kind++) {
        fixture fx = begin(t);
        add_callee(&fx, false);
        graph g = graph_new(fx.ctx, fx.module, "main", false);
        const rlxc_expr *three = rlxc_i64(fx.ctx, 3);
        rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, three));
        rlxc_atom args[] = {rlxc_atom_var(x), rlxc_atom_var(x)};
        rlxc_atom callee = rlxc_atom_global(fx.ctx, "double");
        rlxc_binding *b = NULL;
        switch (kind) {
        case 0:
            b = graph_call(&g, "y", callee, args, 2);
            break;
        case 1:
            b = graph_call(&g, "y", callee, args, 1);
            break;
        case 2:
            b = graph_call(&g, "y", rlxc_atom_global(fx.ctx, "nobody"), args, 1);
            break;
        case 3:
            b = graph_call(&g, "y", args[0], args, 1);
            break;
        case 4: {
            rlxc_atom pair = rlxc_atom_tuple(fx.ctx, args, 2);
            b = graph_bind(&g, RLXC_FORM_TUPLE_GET, "y", &pair, 1);
            b->index = 2;
            break;
        }
        case 5:
            b = graph_bind(&g, RLXC_FORM_TUPLE_GET, "y", args, 1);
            break;
        case 8:
            args[0].var->sinfo = graph_tensor(fx.ctx, rlxc_i64(fx.ctx, -1), rlxc_i64(fx.ctx, 2));
            b = graph_call(&g, "y", callee, args, 1);
            break;
        case 6: {
            const rlxc_sinfo *s = graph_tensor(fx.ctx, fx.n, NULL);
            b = graph_bind(&g, RLXC_FORM_MATCH_CAST, "y", args, 1);
            b->sinfo_args = &s;
            b->n_sinfo_args = 1;
            rlxc_infer_binding(fx.ctx, fx.module, b);
            b = NULL;
            break;
        }
        case 7: {
            rlxc_body body = {.result = args[0]};
            b = graph_bind(&g, RLXC_FORM_IF, "y", args, 1);
            b->then = b->otherwise = &body;
            rlxc_infer_binding(fx.ctx, fx.module, b);
            b = NULL;
            break;
        }
        }
        if (b)
            rlxc_infer_binding(fx.ctx, fx.module, b);
        const char *text = rlxc_render_diagnostics(fx.ctx);
        cr_expect_eq(rlxc_error_count(fx.ctx), 1, "kind %zu: %s", kind, text);
        cr_expect(strstr(text, wants[kind]) != NULL, "kind %zu: %s", kind, text);
        rlxc_context_destroy(fx.ctx);
    }
}

typedef struct sides {
    rlxc_rvar *x;
    const rlxc_sinfo *cast; /* NULL: the branch copies x */
} sides;

static rlxc_rvar *fill_side(graph *g, void *user)
{
    const sides *s = user;
    return s->cast ? graph_match_cast(g, "c", s->x, s->cast) : graph_copy(g, "c", s->x);
}

RLX_TEST(infer, if_joins_and_forgets_symbols_of_branches)
{
    fixture fx = begin(t);
    const rlxc_expr *two = rlxc_i64(fx.ctx, 2), *m = rlxc_shape_var(fx.ctx, "m");
    const rlxc_sinfo *known = graph_tensor(fx.ctx, fx.n, two);
    const rlxc_sinfo *fresh = graph_tensor(fx.ctx, m, two);
    const rlxc_sinfo *rank2 = rlxc_sinfo_tensor(fx.ctx, RLX_F32, 2, NULL, NULL);
    struct {
        const rlxc_sinfo *x, *then, *otherwise, *join;
    } rows[] = {
        {known, NULL, NULL, known},
        {known, known, NULL, known},  /* n is bound outside, so it remains */
        {rank2, fresh, fresh, rank2}, /* each branch binds its own m, out of scope afterwards */
        {known, fresh, NULL, rank2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        graph g = graph_new(fx.ctx, fx.module, "f", false);
        const rlxc_sinfo *flag = rlxc_sinfo_tensor(fx.ctx, RLX_B8, 0, NULL, NULL);
        rlxc_atom cond = rlxc_atom_var(graph_param(&g, "cond", flag));
        rlxc_rvar *x = graph_param(&g, "x", rows[i].x);
        sides then = {x, rows[i].then}, otherwise = {x, rows[i].otherwise};
        rlxc_binding *b = graph_bind(&g, RLXC_FORM_IF, "y", &cond, 1);
        b->then = graph_branch(&g, fill_side, &then);
        b->otherwise = graph_branch(&g, fill_side, &otherwise);
        cr_expect_eq(graph_infer(&g, b)->sinfo, rows[i].join, "row %zu: %s", i,
                     rlxc_sinfo_text(fx.ctx, b->var->sinfo));
    }
    cr_expect(!rlxc_failed(fx.ctx));
    rlxc_context_destroy(fx.ctx);
}

RLX_TEST(infer, closures_and_extern_functions)
{
    fixture fx = begin(t);
    graph g = graph_new(fx.ctx, fx.module, "main", false);
    const rlxc_expr *k = rlxc_shape_var(fx.ctx, "k");
    const rlxc_sinfo *param = graph_tensor(fx.ctx, k, NULL);
    /* (Tensor((k,))) -> Tensor((k, n)): n is captured, the call binds k. */
    const rlxc_sinfo *fn =
        rlxc_sinfo_callable(fx.ctx, &param, 1, graph_tensor(fx.ctx, k, fx.n), true);
    rlxc_atom x = rlxc_atom_var(graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, NULL)));
    rlxc_atom f = rlxc_atom_var(graph_param(&g, "f", fn));
    const rlxc_sinfo *got = graph_infer(&g, graph_call(&g, "y", f, &x, 1))->sinfo;
    cr_expect_eq(got, graph_tensor(fx.ctx, fx.n, fx.n));

    rlxc_atom callee = rlxc_atom_extern(fx.ctx, "somewhere");
    rlxc_binding *b = graph_call(&g, "e", callee, &x, 1);
    cr_expect_eq(graph_infer(&g, b)->sinfo, rlxc_sinfo_object(fx.ctx));
    const rlxc_sinfo *stated[] = {param, fn};
    b->sinfo_args = stated;
    b->n_sinfo_args = 1;
    cr_expect_eq(graph_infer(&g, b)->sinfo, param);
    b->n_sinfo_args = 2;
    cr_expect_eq(graph_infer(&g, b)->sinfo, rlxc_sinfo_tuple(fx.ctx, stated, 2));
    cr_expect(!rlxc_failed(fx.ctx), "%s", rlxc_render_diagnostics(fx.ctx));
    rlxc_context_destroy(fx.ctx);
}

RLX_TEST(module, names_stay_unique)
{
    fixture fx = begin(t);
    rlxc_function *functions[40];
    for (int i = 0; i < 40; i++) {
        graph g = graph_new(fx.ctx, fx.module, "f", false);
        functions[i] = g.f;
        cr_assert(rlxc_module_add_relax(fx.ctx, fx.module, g.f, true) != NULL);
        for (int k = 0; k < i; k++)
            cr_assert_neq(functions[k]->name, g.f->name, "%s", g.f->name);
        cr_assert_eq(rlxc_module_find(fx.module, g.f->name)->relax, g.f);
    }
    graph g = graph_new(fx.ctx, fx.module, "f", false);
    cr_expect_null(rlxc_module_add_relax(fx.ctx, fx.module, g.f, false));
    rlxc_module_remove(fx.ctx, fx.module, functions[7]->name);
    cr_expect_null(rlxc_module_find(fx.module, functions[7]->name));
    cr_expect_eq(fx.module->globals.count, 39);
    cr_expect_eq(fx.module->globals.items[7]->relax, functions[8], "order is kept");
    rlxc_context_destroy(fx.ctx);
}

/* --- rewriting -------------------------------------------------------------------------------- */

/* Replaces copies by their sources. */
static rlxc_rewrite_action drop_copies(void *user, rlxc_builder *b, rlxc_binding *binding,
                                       rlxc_atom *replacement)
{
    uint32_t *seen = user;
    (void)b;
    (*seen)++;
    if (binding->form != RLXC_FORM_COPY)
        return RLXC_REWRITE_KEEP;
    *replacement = binding->args[0];
    return RLXC_REWRITE_REPLACE;
}

RLX_TEST(rewrite, hundred_thousand_copies_collapse)
{
    enum { N = 100000 };
    fixture fx = begin(t);
    graph g = graph_new(fx.ctx, fx.module, "main", true);
    rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, NULL)), *last = x;
    for (int i = 0; i < N; i++)
        last = i % 2 ? graph_copy(&g, "c", last) : graph_add(&g, "a", last, x);
    graph_end(&g, last);
    cr_assert(rlxc_well_formed(fx.ctx, fx.module, "before", true), "%s",
              rlxc_render_diagnostics(fx.ctx));
    uint32_t seen = 0;
    rlxc_rewrite_pass pass = {.user = &seen, .binding = drop_copies};
    rlxc_rewrite_module(fx.ctx, fx.module, &pass);
    cr_expect_eq(seen, N);
    cr_assert_eq(g.f->body.n_blocks, 1);
    cr_expect_eq(g.f->body.blocks[0]->n, N / 2);
    cr_expect(rlxc_well_formed(fx.ctx, fx.module, "after", true), "%s",
              rlxc_render_diagnostics(fx.ctx));
    const rlxc_rvar *result = g.f->body.result.var;
    cr_expect(!result->is_dataflow && strcmp(result->name, "a") == 0,
              "what takes the place of an output becomes one");
    const uint32_t *uses = rlxc_count_uses(fx.ctx, g.f);
    cr_expect_eq(uses[x->id], N / 2 + 1);
    cr_expect_eq(uses[result->id], 1);
    rlxc_context_destroy(fx.ctx);
}

static rlxc_rvar *copy_twice(graph *g, void *user)
{
    rlxc_rvar *c = graph_copy(g, "c", user);
    return graph_add(g, "s", c, c);
}

RLX_TEST(rewrite, nested_bodies_are_walked)
{
    fixture fx = begin(t);
    graph g = graph_new(fx.ctx, fx.module, "main", false);
    rlxc_atom cond =
        rlxc_atom_var(graph_param(&g, "cond", rlxc_sinfo_tensor(fx.ctx, RLX_B8, 0, NULL, NULL)));
    rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, NULL));
    rlxc_rvar *outer = graph_copy(&g, "outer", x);
    rlxc_binding *b = graph_bind(&g, RLXC_FORM_IF, "y", &cond, 1);
    b->then = graph_branch(&g, copy_twice, outer);
    b->otherwise = graph_branch(&g, copy_twice, x);
    rlxc_rvar *y = graph_infer(&g, b);

    /* A local function that captures |outer|. */
    graph inner = graph_new(fx.ctx, fx.module, "inner", false);
    inner.f->parent = g.f;
    rlxc_rvar *p = graph_param(&inner, "p", x->sinfo);
    inner.f->body.result = rlxc_atom_var(graph_add(&inner, "q", p, graph_copy(&inner, "c", outer)));
    inner.f->ret = x->sinfo;
    rlxc_binding *local = graph_bind(&g, RLXC_FORM_FUNCTION, "inner", NULL, 0);
    local->function = inner.f;
    rlxc_rvar *closure = graph_infer(&g, local);
    rlxc_atom arg = rlxc_atom_var(y);
    graph_end(&g, graph_infer(&g, graph_call(&g, "z", rlxc_atom_var(closure), &arg, 1)));
    cr_assert(rlxc_well_formed(fx.ctx, fx.module, "before", true), "%s",
              rlxc_render_diagnostics(fx.ctx));

    uint32_t seen = 0;
    rlxc_rewrite_pass pass = {.user = &seen, .binding = drop_copies};
    rlxc_rewrite_function(fx.ctx, fx.module, g.f, &pass);
    cr_expect_eq(seen, 10);
    cr_expect(rlxc_well_formed(fx.ctx, fx.module, "after", true), "%s",
              rlxc_render_diagnostics(fx.ctx));
    const rlxc_binding_block *block = g.f->body.blocks[0];
    cr_assert_eq(block->n, 3);
    cr_expect_eq(block->bindings[0]->then->blocks[0]->bindings[0]->args[0].var, x);
    cr_expect_eq(inner.f->body.blocks[0]->bindings[0]->args[1].var, x);
    rlxc_context_destroy(fx.ctx);
}

/* Replaces y = add(a, b) by multiply(a, b) of the same type. */
static rlxc_rewrite_action multiply_instead(void *user, rlxc_builder *b, rlxc_binding *binding,
                                            rlxc_atom *replacement)
{
    (void)user;
    *replacement = rlxc_emit_op(b, "multiply", binding->args, binding->n_args, binding->attrs, "m");
    return RLXC_REWRITE_REPLACE;
}

RLX_TEST(rewrite, emitted_bindings_have_type_range_and_dataflow)
{
    fixture fx = begin(t);
    graph g = graph_new(fx.ctx, fx.module, "main", true);
    rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, NULL));
    rlxc_rvar *first = graph_add(&g, "a", x, x);
    g.block->bindings[0]->range = (rlxc_range){0, 7, 3, 7, 9};
    graph_end(&g, graph_add(&g, "b", first, x));
    rlxc_rewrite_pass pass = {.binding = multiply_instead};
    rlxc_rewrite_function(fx.ctx, fx.module, g.f, &pass);
    const rlxc_binding_block *block = g.f->body.blocks[0];
    cr_assert_eq(block->n, 2);
    cr_expect_str_eq(block->bindings[0]->op->name, "multiply");
    cr_expect_eq(block->bindings[0]->range.line, 7);
    cr_expect_eq(block->bindings[0]->var->sinfo, x->sinfo);
    cr_expect(block->bindings[0]->var->is_dataflow);
    cr_expect(!block->bindings[1]->var->is_dataflow);
    cr_expect_eq(g.f->body.result.var, block->bindings[1]->var);
    cr_expect(rlxc_well_formed(fx.ctx, fx.module, "after", true), "%s",
              rlxc_render_diagnostics(fx.ctx));
    rlxc_context_destroy(fx.ctx);
}

/* Builds, checks, rewrites and compares a function of 20 000 bindings; false if the context failed.
 */
static bool whole_round(const rlx_test *t)
{
    fixture fx = begin(t);
    if (!fx.ctx)
        return false;
    graph g = graph_new(fx.ctx, fx.module, "main", false);
    rlxc_rvar *x = graph_param(&g, "x", graph_tensor(fx.ctx, fx.n, NULL)), *last = x;
    for (int i = 0; i < 20000 && !rlxc_failed(fx.ctx); i++)
        last = i % 3 ? graph_copy(&g, "c", last) : graph_add(&g, "a", last, x);
    graph_end(&g, last);
    uint32_t seen = 0;
    rlxc_rewrite_pass pass = {.user = &seen, .binding = drop_copies};
    bool good = !rlxc_failed(fx.ctx) && rlxc_well_formed(fx.ctx, fx.module, "before", true);
    if (good)
        rlxc_rewrite_module(fx.ctx, fx.module, &pass);
    good = good && !rlxc_failed(fx.ctx) && rlxc_well_formed(fx.ctx, fx.module, "after", true) &&
           rlxc_module_equal(fx.ctx, fx.module, fx.module, NULL);
    cr_expect(good || rlxc_failed(fx.ctx), "only a failed context may say no");
    rlxc_context_destroy(fx.ctx);
    return good;
}

RLX_TEST(rewrite, every_allocation_may_fail)
{
    size_t before = t->calls;
    cr_assert(whole_round(t));
    size_t n = t->calls - before;
    cr_assert_gt(n, 3);
    t->fail_after = true;
    for (size_t i = 1; i <= n; i++) {
        t->fail_at = t->calls + i;
        cr_expect(!whole_round(t), "allocation %zu of %zu failed and nobody noticed", i, n);
        cr_assert_eq(t->live_blocks, 0, "allocation %zu", i);
    }
    t->fail_at = 0;
    cr_expect(whole_round(t));
}
