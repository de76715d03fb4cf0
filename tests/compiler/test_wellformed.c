/* Each graph invariant has a module that breaks it, and module equality sees exactly the
 * differences that matter. */
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "tests/compiler/graph.h"
#include "tests/support/rlx_test.h"

static rlxc_rvar *fill_add(graph *g, void *user)
{
    return graph_add(g, "inside", user, user);
}

static rlxc_prim_func *empty_prim(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_prim_func *f = rlxc_alloc(ctx, sizeof *f);
    f->params = rlxc_alloc(ctx, 2 * sizeof *f->params);
    f->params[0] = (rlxc_prim_param){rlxc_var(ctx, "a", rlxc_dtype_handle()),
                                     rlxc_buffer_new(ctx, "A", RLX_F32, &a, 1)};
    f->params[1] = (rlxc_prim_param){rlxc_var(ctx, "b", rlxc_dtype_handle()),
                                     rlxc_buffer_new(ctx, "B", RLX_F32, &b, 1)};
    f->n_params = 2;
    f->name = rlxc_intern_cstr(ctx, "prim");
    f->ret_dtype = rlxc_dtype_void();
    f->body = rlxc_stmt_evaluate(ctx, rlxc_i64(ctx, 0));
    return f;
}

static rlxc_binding *call_tir(graph *g, rlxc_rvar *const *args, uint32_t n, const rlxc_sinfo *out)
{
    rlxc_atom items[4];
    for (uint32_t i = 0; i < n; i++)
        items[i] = rlxc_atom_var(args[i]);
    rlxc_atom all[] = {rlxc_atom_global(g->ctx, "prim"), rlxc_atom_tuple(g->ctx, items, n)};
    rlxc_binding *b = graph_bind(g, RLXC_FORM_CALL, "t", all, 2);
    b->op = rlxc_find_operator("call_tir", 8);
    b->sinfo_args = rlxc_copy(g->ctx, (const void *)&out, sizeof out);
    b->n_sinfo_args = 1;
    b->var->sinfo = out;
    return b;
}

enum violation {
    NONE,
    BOUND_TWICE,
    BEFORE_DEFINITION,
    OUTSIDE_ITS_BRANCH,
    DATAFLOW_ESCAPES,
    DATAFLOW_IN_BINDING_BLOCK,
    SYMBOL_UNBOUND,
    SYMBOL_OF_SHAPE_UNBOUND,
    NO_RESULT,
    ARITY,
    NO_SUCH_GLOBAL,
    CALL_TIR_COUNT,
    CALL_TIR_SHAPE,
    IF_IN_DATAFLOW,
    IMPURE_IN_PURE_FUNCTION,
    IMPURE_IN_DATAFLOW,
    TWO_GLOBALS,
    NEGATIVE_SIZE,
    NEGATIVE_BUFFER,
    NEGATIVE_ALLOCATION,
    N_VIOLATIONS
};

static const char *const wants[N_VIOLATIONS] = {
    [BOUND_TWICE] = "'a' is bound twice",
    [BEFORE_DEFINITION] = "'b' is used where it is not defined",
    [OUTSIDE_ITS_BRANCH] = "'inside' is used where it is not defined",
    [DATAFLOW_ESCAPES] = "'a' is used where it is not defined",
    [DATAFLOW_IN_BINDING_BLOCK] = "dataflow variable 'a'",
    [SYMBOL_UNBOUND] = "symbolic variable 'free'",
    [SYMBOL_OF_SHAPE_UNBOUND] = "symbolic variable 'free'",
    [NO_RESULT] = "no result",
    [ARITY] = "operator 'add' takes 2 operands, but 1 were given",
    [NO_SUCH_GLOBAL] = "no function 'prim'",
    [CALL_TIR_COUNT] = "'prim' has 2 parameters, but the call gives 3",
    [CALL_TIR_SHAPE] = "argument 2 of 'prim': expected",
    [IF_IN_DATAFLOW] = "an if is inside a dataflow block",
    [IMPURE_IN_PURE_FUNCTION] = "impure call of 'effect' in 'main'",
    [IMPURE_IN_DATAFLOW] = "impure call of 'effect' in a dataflow block",
    [TWO_GLOBALS] = "the name 'main' is defined twice",
    [NEGATIVE_SIZE] = "dimension 1 of a tensor is negative (-2)",
    [NEGATIVE_BUFFER] = "dimension 0 of B is negative (-2)",
    [NEGATIVE_ALLOCATION] = "dimension 0 of p is negative (-2)",
};

/* def main(cond, x): a = add(x, x); b = add(a, x); return b -- with one fault. */
static void build(rlxc_context *ctx, rlxc_module *module, enum violation v)
{
    bool dataflow = v == IF_IN_DATAFLOW || v == IMPURE_IN_DATAFLOW || v == DATAFLOW_ESCAPES;
    graph g = graph_new(ctx, module, "main", dataflow);
    const rlxc_expr *minus = rlxc_i64(ctx, -2);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *free_var = rlxc_shape_var(ctx, "free");
    const rlxc_sinfo *type = graph_tensor(ctx, n, NULL);
    rlxc_atom cond =
        rlxc_atom_var(graph_param(&g, "cond", rlxc_sinfo_tensor(ctx, RLX_B8, 0, NULL, NULL)));
    rlxc_rvar *x = graph_param(&g, "x", type);
    rlxc_rvar *a = graph_add(&g, "a", x, x), *b = graph_add(&g, "b", a, x), *result = b;
    rlxc_binding **bindings = g.block->bindings;
    rlxc_atom xs[] = {rlxc_atom_var(x)};
    graph_end(&g, result);
    rlxc_prim_func *prim =
        empty_prim(ctx, n, v == NEGATIVE_BUFFER ? minus : rlxc_mul(ctx, n, rlxc_i64(ctx, 1)));
    if (v != NO_SUCH_GLOBAL)
        rlxc_module_add_prim(ctx, module, prim, false);
    switch (v) {
    case NONE:
    case N_VIOLATIONS:
        break;
    case BOUND_TWICE:
        bindings[1]->var = a;
        g.f->body.result = rlxc_atom_var(a);
        break;
    case BEFORE_DEFINITION: {
        rlxc_binding *first = bindings[0];
        rlxc_atom args[] = {rlxc_atom_var(b), rlxc_atom_var(x)};
        first->args = rlxc_atom_tuple(ctx, args, 2).items;
        break;
    }
    case OUTSIDE_ITS_BRANCH:
    case IF_IN_DATAFLOW: {
        rlxc_binding *i = graph_bind(&g, RLXC_FORM_IF, "y", &cond, 1);
        i->then = graph_branch(&g, fill_add, x);
        i->otherwise = graph_branch(&g, fill_add, x);
        graph_infer(&g, i);
        if (v == OUTSIDE_ITS_BRANCH)
            g.f->body.result = i->then->result;
        break;
    }
    case DATAFLOW_ESCAPES:
        g.f->body.result = rlxc_atom_var(a);
        break;
    case DATAFLOW_IN_BINDING_BLOCK:
        a->is_dataflow = true;
        break;
    case SYMBOL_UNBOUND:
        a->sinfo = graph_tensor(ctx, free_var, NULL);
        break;
    case SYMBOL_OF_SHAPE_UNBOUND: {
        rlxc_atom shape = rlxc_atom_shape(ctx, &free_var, 1);
        rlxc_binding *c = graph_bind(&g, RLXC_FORM_COPY, "s", &shape, 1);
        c->var->sinfo = rlxc_sinfo_shape(ctx, 1, NULL);
        break;
    }
    case NO_RESULT:
        g.f->body.result = (rlxc_atom){.kind = RLXC_ATOM_NONE};
        break;
    case ARITY:
        bindings[1]->n_args = 1;
        break;
    case NO_SUCH_GLOBAL:
    case CALL_TIR_COUNT: {
        rlxc_rvar *args[] = {x, a};
        call_tir(&g, args, v == CALL_TIR_COUNT ? 2 : 1, type);
        break;
    }
    case CALL_TIR_SHAPE:
        call_tir(&g, &x, 1, graph_tensor(ctx, n, n));
        break;
    case IMPURE_IN_PURE_FUNCTION:
    case IMPURE_IN_DATAFLOW:
        graph_infer(&g, graph_call(&g, "_", rlxc_atom_extern(ctx, "effect"), xs, 1));
        break;
    case NEGATIVE_SIZE:
        g.f->ret = graph_tensor(ctx, n, minus);
        break;
    case NEGATIVE_BUFFER:
        break;
    case NEGATIVE_ALLOCATION: {
        rlxc_stmt *allocate = rlxc_alloc(ctx, sizeof *allocate);
        allocate->kind = RLXC_STMT_ALLOCATE;
        allocate->allocate.var = rlxc_var(ctx, "p", rlxc_dtype_handle());
        allocate->allocate.extents = rlxc_copy(ctx, &minus, sizeof minus);
        allocate->allocate.n = 1;
        prim->body = allocate;
        break;
    }
    case TWO_GLOBALS:
        RLXC_PUSH(ctx, &module->globals,
                  rlxc_copy(ctx, module->globals.items[0], sizeof *module->globals.items[0]));
        break;
    }
}

RLX_TEST(wellformed, each_violation_is_found_and_named)
{
    for (int v = NONE; v < N_VIOLATIONS; v++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *module = rlxc_module_new(ctx);
        build(ctx, module, (enum violation)v);
        cr_assert(!rlxc_failed(ctx), "%d: %s", v, rlxc_render_diagnostics(ctx));
        bool good = rlxc_well_formed(ctx, module, "test", false);
        const char *text = rlxc_render_diagnostics(ctx);
        cr_expect_eq(good, wants[v] == NULL, "violation %d: %s", v, text);
        cr_expect_eq(rlxc_error_count(ctx), wants[v] ? 1u : 0u, "violation %d: %s", v, text);
        if (wants[v])
            cr_expect(strstr(text, wants[v]) != NULL, "violation %d: %s", v, text);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(wellformed, impure_calls_are_fine_where_they_are_declared)
{
    for (int kind = 0; kind < 3; kind++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *module = rlxc_module_new(ctx);
        build(ctx, module, IMPURE_IN_PURE_FUNCTION);
        rlxc_function *f = module->globals.items[0]->relax;
        const char *pure = rlxc_intern_cstr(ctx, "pure");
        const char *force = rlxc_intern_cstr(ctx, "relax.force_pure");
        rlxc_binding *call = f->body.blocks[0]->bindings[2];
        if (kind == 0)
            f->is_pure = false;
        else if (kind == 1)
            f->attrs = rlxc_attrs_with(ctx, f->attrs, force, rlxc_attr_bool(true));
        else
            call->attrs = rlxc_attrs_with(ctx, call->attrs, pure, rlxc_attr_bool(true));
        cr_expect(rlxc_well_formed(ctx, module, "test", false), "%d: %s", kind,
                  rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

/* --- equality --------------------------------------------------------------------------------- */

enum variant {
    PLAIN,
    RENAMED,     /* different variable names, symbols created in another order */
    SPLIT_BLOCK, /* the same bindings in two blocks */
    OTHER_OPERAND,
    OTHER_SHAPE,
    OTHER_CONSTANT,
    OTHER_PURITY,
    N_VARIANTS
};

/* def f(x: Tensor((n, m)), y: Tensor((n + m,))): a = add(y, const); b = add(a, a or y) */
static rlxc_module *variant_of(rlxc_context *ctx, enum variant v)
{
    static const float ones[2] = {1, 1}, twos[2] = {2, 2};
    rlxc_module *module = rlxc_module_new(ctx);
    const rlxc_expr *n, *m;
    if (v == RENAMED) {
        m = rlxc_shape_var(ctx, "q");
        n = rlxc_shape_var(ctx, "p");
    } else {
        n = rlxc_shape_var(ctx, "n");
        m = rlxc_shape_var(ctx, "m");
    }
    graph g = graph_new(ctx, module, "f", false);
    const rlxc_expr *sum = rlxc_add(ctx, n, m);
    if (v == OTHER_SHAPE)
        sum = rlxc_add(ctx, n, n);
    graph_param(&g, "x", graph_tensor(ctx, n, m));
    rlxc_rvar *y = graph_param(&g, v == RENAMED ? "why" : "y", graph_tensor(ctx, sum, NULL));
    int64_t shape[] = {1};
    rlxc_constant *c =
        rlxc_constant_new(ctx, RLX_F32, 1, shape, v == OTHER_CONSTANT ? twos : ones, sizeof(float));
    rlxc_atom args[] = {rlxc_atom_var(y), rlxc_atom_constant(c)};
    rlxc_binding *first = graph_bind(&g, RLXC_FORM_CALL, "a", args, 2);
    first->op = rlxc_find_operator("add", 3);
    rlxc_rvar *a = graph_infer(&g, first);
    if (v == SPLIT_BLOCK) {
        g.block = rlxc_block_new(ctx, false);
        rlxc_body_push(ctx, &g.f->body, g.block);
    }
    g.f->is_pure = v != OTHER_PURITY;
    graph_end(&g, graph_add(&g, "b", a, v == OTHER_OPERAND ? y : a));
    return module;
}

RLX_TEST(equal, modules_up_to_renaming)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_module *plain = variant_of(ctx, PLAIN);
    for (int v = PLAIN; v < N_VARIANTS; v++) {
        const char *why = NULL;
        bool same = rlxc_module_equal(ctx, plain, variant_of(ctx, (enum variant)v), &why);
        cr_expect_eq(same, v <= SPLIT_BLOCK, "variant %d: %s", v, why ? why : "equal");
        cr_expect(same || why, "variant %d gives no reason", v);
        if (v == OTHER_OPERAND)
            cr_expect(strstr(why, "'b'") != NULL, "%s", why);
    }
    cr_expect(!rlxc_failed(ctx), "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}

/* Types of values without annotations are known only after inference. */
RLX_TEST(wellformed, inferred_types_are_checked_as_errors_of_the_user)
{
    static const char text[] =
        "@I.ir_module\n"
        "class Module:\n"
        "    @T.prim_func\n"
        "    def copy(A: T.Buffer((8, 4), \"float32\"), C: T.Buffer((8, 4), \"float32\")):\n"
        "        for i, j in T.grid(8, 4):\n"
        "            C[i, j] = A[i, j]\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((4, 4), \"float32\")):\n"
        "        y = R.exp(x)\n"
        "        z = R.call_tir(Module.copy, (y,), out_sinfo=R.Tensor((8, 4), \"float32\"))\n"
        "        return z\n";
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, sizeof text - 1);
    const rlxc_options options = {0};
    cr_assert(module && rlxc_well_formed(ctx, module, "parse", false));
    cr_expect(!rlxc_pass_infer(ctx, module, &options));
    cr_expect(strstr(rlxc_render_diagnostics(ctx),
                     "m.py:10:13: error: argument 1 of 'copy': expected R.Tensor((8, 4), "
                     "dtype=\"float32\"), got R.Tensor((4, 4), dtype=\"float32\")") != NULL,
              "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}
