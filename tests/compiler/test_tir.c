/* Tensor IR: sequences, rewriting with sharing, cloning, equality and hashing up to renaming, the
 * order of symbolic dimensions. */
#include <string.h>

#include "compiler/ir/relax.h"
#include "tests/support/rlx_test.h"

/* for i in range(n): with block(v = i): B[v] = A[v] * factor + n */
static rlxc_prim_func *scale(rlxc_context *ctx, const char *i_name, double factor)
{
    const rlxc_expr *n = rlxc_shape_var(ctx, "n");
    const rlxc_expr *i = rlxc_var(ctx, i_name, RLX_I64), *v = rlxc_var(ctx, "v", RLX_I64);
    rlxc_buffer *a = rlxc_buffer_new(ctx, "A", RLX_F32, &n, 1);
    rlxc_buffer *b = rlxc_buffer_new(ctx, "B", RLX_F32, &n, 1);
    const rlxc_expr *product =
        rlxc_binary(ctx, RLXC_EXPR_MUL, rlxc_load(ctx, a, &v, 1), rlxc_float(ctx, RLX_F32, factor));
    const rlxc_expr *value = rlxc_add(ctx, product, rlxc_cast(ctx, RLX_F32, n));
    rlxc_axis *axis = rlxc_alloc(ctx, sizeof *axis);
    *axis = (rlxc_axis){RLXC_AXIS_SPATIAL, v, rlxc_i64(ctx, 0), n};
    rlxc_block *block = rlxc_alloc(ctx, sizeof *block);
    *block = (rlxc_block){.name = rlxc_intern_cstr(ctx, "T"),
                          .axes = axis,
                          .n_axes = 1,
                          .body = rlxc_stmt_store(ctx, b, &v, 1, value)};
    const rlxc_stmt *body = rlxc_stmt_block(ctx, block, &i, NULL);
    rlxc_prim_func *f = rlxc_alloc(ctx, sizeof *f);
    rlxc_prim_param *params = rlxc_alloc(ctx, 2 * sizeof *params);
    params[0] = (rlxc_prim_param){rlxc_var(ctx, "var_A", rlxc_dtype_handle()), a};
    params[1] = (rlxc_prim_param){rlxc_var(ctx, "var_B", rlxc_dtype_handle()), b};
    *f = (rlxc_prim_func){.name = rlxc_intern_cstr(ctx, "scale"),
                          .params = params,
                          .n_params = 2,
                          .ret_dtype = rlxc_dtype_void(),
                          .body =
                              rlxc_stmt_for(ctx, i, rlxc_i64(ctx, 0), n, RLXC_LOOP_SERIAL, body)};
    return f;
}

static bool well_formed(rlxc_context *ctx, rlxc_prim_func *f)
{
    rlxc_module *m = rlxc_module_new(ctx);
    rlxc_module_add_prim(ctx, m, f, true);
    return rlxc_well_formed(ctx, m, "test", false);
}

RLX_TEST(tir, sequences_are_flat)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_stmt *one =
        rlxc_stmt_evaluate(ctx, rlxc_var(ctx, rlxc_intern_cstr(ctx, "a"), RLX_I64));
    const rlxc_stmt *two =
        rlxc_stmt_evaluate(ctx, rlxc_var(ctx, rlxc_intern_cstr(ctx, "b"), RLX_I64));
    const rlxc_stmt *pair[] = {one, two};
    const rlxc_stmt *inner = rlxc_stmt_seq(ctx, pair, 2), *empty = rlxc_stmt_seq(ctx, NULL, 0);
    cr_expect(rlxc_stmt_is_nothing(empty) && !rlxc_stmt_is_nothing(one));
    const rlxc_stmt *mixed[] = {empty, inner, one, empty};
    const rlxc_stmt *outer = rlxc_stmt_seq(ctx, mixed, 4);
    cr_assert(outer->kind == RLXC_STMT_SEQ && outer->seq.n == 3);
    cr_expect(outer->seq.items[1] == two && outer->seq.items[2] == one);
    cr_expect_eq(rlxc_stmt_seq(ctx, pair, 1), one);
    const rlxc_stmt *lonely[] = {empty, two};
    cr_expect_eq(rlxc_stmt_seq(ctx, lonely, 2), two);
    const rlxc_stmt *nothing[] = {empty, empty};
    cr_expect(rlxc_stmt_is_nothing(rlxc_stmt_seq(ctx, nothing, 2)));
    rlxc_context_destroy(ctx);
}

typedef struct replacing {
    rlxc_context *ctx;
    const rlxc_expr *from, *to;
    const rlxc_buffer *old;
    rlxc_buffer *fresh;
} replacing;

static const rlxc_expr *replace_expr(void *user, const rlxc_expr *e)
{
    replacing *r = user;
    return rlxc_substitute(r->ctx, e, &r->from, &r->to, 1);
}

static rlxc_buffer *replace_buffer(void *user, const rlxc_buffer *b)
{
    replacing *r = user;
    return b == r->old ? r->fresh : NULL;
}

RLX_TEST(tir, rewriting_shares_untouched_parts)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_prim_func *f = scale(ctx, "i", 2.0);
    replacing r = {.ctx = ctx, .from = rlxc_var(ctx, "absent", RLX_I64), .to = rlxc_i64(ctx, 1)};
    rlxc_stmt_rewriter none = {.user = &r, .expr = replace_expr, .buffer = replace_buffer};
    cr_expect_eq(rlxc_stmt_rewrite(ctx, f->body, &none), f->body);

    /* A[A[v]]: a buffer inside its own index is replaced as well. */
    rlxc_buffer *a = f->params[0].buffer;
    r.old = a;
    r.fresh = rlxc_buffer_new(ctx, "C", RLX_F32, a->shape, 1);
    const rlxc_expr *v = rlxc_var(ctx, "v", RLX_I64);
    const rlxc_expr *inner = rlxc_cast(ctx, RLX_I64, rlxc_load(ctx, a, &v, 1));
    const rlxc_stmt *s = rlxc_stmt_evaluate(ctx, rlxc_load(ctx, a, &inner, 1));
    const rlxc_stmt *mapped = rlxc_stmt_rewrite(ctx, s, &none);
    const rlxc_expr *want = rlxc_cast(ctx, RLX_I64, rlxc_load(ctx, r.fresh, &v, 1));
    cr_expect_eq(mapped->evaluate, rlxc_load(ctx, r.fresh, &want, 1));

    /* Renaming a variable also renames its binder; replacing it by an expression leaves the binder.
     */
    const rlxc_expr *i = f->body->loop.var;
    r.from = i;
    r.to = rlxc_var(ctx, "j", RLX_I64);
    const rlxc_stmt *renamed = rlxc_stmt_rewrite(ctx, f->body, &none);
    cr_expect(renamed->loop.var == r.to && renamed->loop.body->block.values[0] == r.to);
    cr_expect(f->body->loop.var == i, "the old tree is as before");
    rlxc_context_destroy(ctx);
}

RLX_TEST(tir, clone_shares_no_binder)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_prim_func *f = scale(ctx, "i", 2.0), *g = rlxc_prim_func_clone(ctx, f);
    cr_expect(rlxc_prim_func_equal(ctx, f, g));
    cr_expect_eq(rlxc_prim_func_hash(ctx, f), rlxc_prim_func_hash(ctx, g));
    cr_expect_neq(f->body->loop.var, g->body->loop.var);
    cr_expect_neq(f->params[0].buffer, g->params[0].buffer);
    cr_expect_neq(f->params[0].buffer->data, g->params[0].buffer->data);
    cr_expect_neq(f->params[0].buffer->shape[0], g->params[0].buffer->shape[0]);
    const rlxc_block *b = g->body->loop.body->block.block;
    cr_expect_neq(b->axes[0].var, f->body->loop.body->block.block->axes[0].var);
    cr_expect_eq(b->axes[0].extent, g->params[0].buffer->shape[0]);
    cr_expect_eq(b->body->store.buffer, g->params[1].buffer);
    cr_expect(well_formed(ctx, g), "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}

RLX_TEST(tir, equality_is_up_to_renaming)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_prim_func *f = scale(ctx, "i", 2.0);
    rlxc_prim_func *same = scale(ctx, "other", 2.0), *other = scale(ctx, "i", 3.0);
    cr_expect(rlxc_prim_func_equal(ctx, f, same));
    cr_expect_eq(rlxc_prim_func_hash(ctx, f), rlxc_prim_func_hash(ctx, same));
    cr_expect(!rlxc_prim_func_equal(ctx, f, other));
    cr_expect_neq(rlxc_prim_func_hash(ctx, f), rlxc_prim_func_hash(ctx, other));
    /* Swapping two buffers is not a renaming: one is read, the other written. */
    rlxc_prim_func *swapped = scale(ctx, "i", 2.0);
    rlxc_prim_param first = swapped->params[0];
    swapped->params[0] = swapped->params[1];
    swapped->params[1] = first;
    cr_expect(!rlxc_prim_func_equal(ctx, f, swapped));
    rlxc_context_destroy(ctx);
}

RLX_TEST(tir, dims_are_in_order_of_parameters)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n"), *m = rlxc_shape_var(ctx, "m");
    const rlxc_expr *k = rlxc_shape_var(ctx, "k");
    const rlxc_expr *first[] = {m, rlxc_mul(ctx, n, rlxc_i64(ctx, 2))}, *second[] = {n, m};
    rlxc_prim_param params[] = {
        {rlxc_var(ctx, "a", rlxc_dtype_handle()), rlxc_buffer_new(ctx, "A", RLX_F32, first, 2)},
        {k, NULL},
        {rlxc_var(ctx, "b", rlxc_dtype_handle()), rlxc_buffer_new(ctx, "B", RLX_F32, second, 2)}};
    rlxc_prim_func f = {.params = params, .n_params = 3};
    const rlxc_expr **vars;
    uint32_t count;
    rlxc_prim_func_dims(ctx, &f, &vars, &count);
    cr_assert_eq(count, 3);
    cr_expect(vars[0] == m && vars[1] == n && vars[2] == k);
    rlxc_context_destroy(ctx);
}

RLX_TEST(tir, well_formedness_finds_each_violation)
{
    for (int kind = 0; kind <= 6; kind++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_prim_func *f = scale(ctx, "i", 2.0);
        const rlxc_expr *stray = rlxc_var(ctx, "stray", RLX_I64);
        rlxc_buffer *a = f->params[0].buffer;
        const char *want = NULL;
        switch (kind) {
        case 0:
            break;
        case 1:
            f->body = rlxc_stmt_store(ctx, a, &stray, 1, rlxc_float(ctx, RLX_F32, 0));
            want = "'stray' is used where it is not defined";
            break;
        case 2: {
            rlxc_buffer *lost = rlxc_buffer_new(ctx, "lost", RLX_F32, a->shape, 1);
            const rlxc_expr *zero = rlxc_i64(ctx, 0);
            f->body = rlxc_stmt_store(ctx, lost, &zero, 1, rlxc_float(ctx, RLX_F32, 0));
            want = "buffer 'lost'";
            break;
        }
        case 3:
            f->body = rlxc_stmt_store(ctx, a, NULL, 0, rlxc_float(ctx, RLX_F32, 0));
            want = "1 dimensions, but 0 indices";
            break;
        case 4: { /* the loop variable used after its loop */
            const rlxc_stmt *both[] = {f->body, rlxc_stmt_evaluate(ctx, f->body->loop.var)};
            f->body = rlxc_stmt_seq(ctx, both, 2);
            want = "'i' is used where it is not defined";
            break;
        }
        case 5: { /* a let is in scope only until the end of its sequence */
            const rlxc_stmt *in[] = {rlxc_stmt_let(ctx, stray, rlxc_i64(ctx, 3)),
                                     rlxc_stmt_evaluate(ctx, stray)};
            const rlxc_stmt *seq = rlxc_stmt_seq(ctx, in, 2);
            const rlxc_stmt *out[] = {
                rlxc_stmt_if(ctx, rlxc_bool(ctx, true), seq, NULL),
                rlxc_stmt_evaluate(ctx, rlxc_add(ctx, stray, rlxc_i64(ctx, 1)))};
            f->body = rlxc_stmt_seq(ctx, out, 2);
            want = "'stray' is used where it is not defined";
            break;
        }
        case 6:
            f->body = rlxc_stmt_for(ctx, stray, rlxc_i64(ctx, 0), rlxc_i64(ctx, 4),
                                    RLXC_LOOP_SERIAL, NULL);
            want = "a statement is missing";
            break;
        }
        bool good = well_formed(ctx, f);
        const char *text = rlxc_render_diagnostics(ctx);
        cr_expect_eq(good, want == NULL, "kind %d: %s", kind, text);
        cr_expect_eq(rlxc_error_count(ctx), want ? 1u : 0u, "kind %d: %s", kind, text);
        if (want)
            cr_expect(strstr(text, want) != NULL, "kind %d: %s", kind, text);
        rlxc_context_destroy(ctx);
    }
}
