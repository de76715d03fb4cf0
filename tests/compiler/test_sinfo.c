/* Struct info: interning, relations between types, matching, and erasing symbols. */
#include <string.h>

#include "compiler/ir/sinfo.h"
#include "tests/support/rlx_test.h"

/* Types that the tables below refer to by index. */
enum {
    OBJ,
    F32_NM,    /* Tensor((n, m), float32) */
    F32_N_2,   /* Tensor((n, 2), float32) */
    F32_2_2,   /* Tensor((2, 2), float32) */
    F32_RANK2, /* Tensor(ndim=2, float32) */
    F32_ANY,   /* Tensor(float32) */
    ANY,       /* Tensor() */
    SCALAR,    /* Tensor((), float32) */
    I32_NM,
    SHAPE_NM,
    SHAPE_2,
    SHAPE_ANY,
    PRIM_I64,
    PRIM_N,
    PRIM_4,
    PAIR,     /* Tuple(F32_NM, PRIM_I64) */
    PAIR_ANY, /* Tuple(ANY, PRIM_I64) */
    UNIT,
    FN,        /* Callable((Tensor((k,), f32)), Tensor((k,), f32)) */
    FN_SAME,   /* the same with another k */
    FN_VAGUE,  /* Callable((Tensor((k,), f32)), Object) */
    FN_OPAQUE, /* Callable */
    COUNT
};

typedef struct types {
    rlxc_context *ctx;
    const rlxc_expr *n, *m;
    const rlxc_sinfo *at[COUNT];
} types;

static const rlxc_sinfo *tensor(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *dims[] = {a, b};
    return rlxc_sinfo_tensor(ctx, RLX_F32, b ? 2 : 1, dims, NULL);
}

static const rlxc_sinfo *identity_of(rlxc_context *ctx, bool vague)
{
    const rlxc_sinfo *t = tensor(ctx, rlxc_shape_var(ctx, "k"), NULL);
    return rlxc_sinfo_callable(ctx, &t, 1, vague ? NULL : t, true);
}

static types make_types(const rlx_test *test)
{
    rlxc_context *ctx = rlxc_context_create(&test->allocator);
    types t = {.ctx = ctx, .n = rlxc_shape_var(ctx, "n"), .m = rlxc_shape_var(ctx, "m")};
    const rlxc_expr *two = rlxc_i64(ctx, 2);
    const rlxc_expr *nm[] = {t.n, t.m};
    t.at[OBJ] = rlxc_sinfo_object(ctx);
    t.at[F32_NM] = tensor(ctx, t.n, t.m);
    t.at[F32_N_2] = tensor(ctx, t.n, two);
    t.at[F32_2_2] = tensor(ctx, two, two);
    t.at[F32_RANK2] = rlxc_sinfo_tensor(ctx, RLX_F32, 2, NULL, NULL);
    t.at[F32_ANY] = rlxc_sinfo_tensor(ctx, RLX_F32, RLXC_UNKNOWN_NDIM, NULL, NULL);
    t.at[ANY] = rlxc_sinfo_tensor(ctx, rlxc_dtype_void(), RLXC_UNKNOWN_NDIM, NULL, NULL);
    t.at[SCALAR] = rlxc_sinfo_tensor(ctx, RLX_F32, 0, NULL, NULL);
    t.at[I32_NM] = rlxc_sinfo_tensor(ctx, RLX_I32, 2, nm, NULL);
    t.at[SHAPE_NM] = rlxc_sinfo_shape(ctx, 2, nm);
    t.at[SHAPE_2] = rlxc_sinfo_shape(ctx, 2, NULL);
    t.at[SHAPE_ANY] = rlxc_sinfo_shape(ctx, RLXC_UNKNOWN_NDIM, NULL);
    t.at[PRIM_I64] = rlxc_sinfo_prim(ctx, RLX_I64, NULL);
    t.at[PRIM_N] = rlxc_sinfo_prim(ctx, RLX_I64, t.n);
    t.at[PRIM_4] = rlxc_sinfo_prim(ctx, RLX_I64, rlxc_i64(ctx, 4));
    const rlxc_sinfo *pair[] = {t.at[F32_NM], t.at[PRIM_I64]};
    const rlxc_sinfo *vague[] = {t.at[ANY], t.at[PRIM_I64]};
    t.at[PAIR] = rlxc_sinfo_tuple(ctx, pair, 2);
    t.at[PAIR_ANY] = rlxc_sinfo_tuple(ctx, vague, 2);
    t.at[UNIT] = rlxc_sinfo_tuple(ctx, NULL, 0);
    t.at[FN] = identity_of(ctx, false);
    t.at[FN_SAME] = identity_of(ctx, false);
    t.at[FN_VAGUE] = identity_of(ctx, true);
    t.at[FN_OPAQUE] = rlxc_sinfo_callable_opaque(ctx, NULL, false);
    return t;
}

RLX_TEST(sinfo, equal_types_are_one_pointer)
{
    types ty = make_types(t);
    rlxc_context *ctx = ty.ctx;
    const rlxc_expr *two = rlxc_i64(ctx, 2);
    const rlxc_expr *sum = rlxc_add(ctx, ty.n, ty.m), *mus = rlxc_add(ctx, ty.m, ty.n);
    cr_expect_eq(tensor(ctx, ty.n, two), ty.at[F32_N_2]);
    cr_expect_eq(tensor(ctx, sum, two), tensor(ctx, mus, two), "dimensions are canonical");
    cr_expect_eq(rlxc_sinfo_tuple(ctx, NULL, 0), ty.at[UNIT]);
    cr_expect_neq(ty.at[SCALAR], ty.at[F32_ANY], "a scalar is not a tensor of unknown rank");
    cr_expect(ty.at[SCALAR]->dims != NULL && ty.at[SCALAR]->ndim == 0);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < i; k++)
            cr_expect_neq(ty.at[i], ty.at[k], "types %d and %d", i, k);
    /* Enough entries to grow the table; all are found again. */
    enum { MANY = 5000 };
    static const rlxc_sinfo *many[MANY];
    for (int i = 0; i < MANY; i++)
        many[i] = tensor(ctx, rlxc_i64(ctx, i + 10), NULL);
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(tensor(ctx, rlxc_i64(ctx, i + 10), NULL), many[i], "%d", i);
    rlxc_context_destroy(ctx);
}

RLX_TEST(sinfo, subsumes_and_compatible)
{
    static const struct {
        int b, a;
        bool subsumes, compatible;
    } rows[] = {
        {OBJ, F32_NM, true, true},        {F32_NM, OBJ, false, true},
        {F32_NM, F32_NM, true, true},     {F32_RANK2, F32_NM, true, true},
        {F32_NM, F32_RANK2, false, true}, {F32_ANY, F32_NM, true, true},
        {ANY, I32_NM, true, true},        {F32_NM, I32_NM, false, false},
        {F32_NM, ANY, false, true},       {F32_NM, F32_N_2, false, true},
        {F32_N_2, F32_2_2, false, true},  {SCALAR, F32_NM, false, false},
        {SCALAR, F32_ANY, false, true},   {SHAPE_2, SHAPE_NM, true, true},
        {SHAPE_NM, SHAPE_2, false, true}, {SHAPE_ANY, SHAPE_2, true, true},
        {SHAPE_NM, F32_NM, false, false}, {PRIM_I64, PRIM_4, true, true},
        {PRIM_4, PRIM_I64, false, true},  {PRIM_4, PRIM_N, false, true},
        {PAIR_ANY, PAIR, true, true},     {PAIR, PAIR_ANY, false, true},
        {PAIR, UNIT, false, false},       {FN, FN_SAME, true, true},
        {FN_VAGUE, FN, true, true},       {FN, FN_VAGUE, false, true},
        {FN_OPAQUE, FN, true, true},      {FN, PRIM_4, false, false},
    };
    types ty = make_types(t);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const rlxc_sinfo *b = ty.at[rows[i].b], *a = ty.at[rows[i].a];
        cr_expect_eq(rlxc_sinfo_subsumes(ty.ctx, b, a), rows[i].subsumes, "row %zu", i);
        cr_expect_eq(rlxc_sinfo_compatible(ty.ctx, b, a), rows[i].compatible, "row %zu", i);
    }
    rlxc_context_destroy(ty.ctx);
}

RLX_TEST(sinfo, join_is_the_common_type)
{
    static const struct {
        int a, b, join;
    } rows[] = {
        {F32_NM, F32_NM, F32_NM}, {F32_NM, F32_N_2, F32_RANK2}, {F32_NM, SCALAR, F32_ANY},
        {F32_ANY, I32_NM, ANY},   {F32_NM, PRIM_4, OBJ},        {PRIM_4, PRIM_N, PRIM_I64},
        {PAIR, UNIT, OBJ},        {SHAPE_NM, SHAPE_2, SHAPE_2}, {SHAPE_ANY, SHAPE_2, SHAPE_ANY},
        {OBJ, F32_NM, OBJ},
    };
    types ty = make_types(t);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const rlxc_sinfo *a = ty.at[rows[i].a], *b = ty.at[rows[i].b];
        cr_expect_eq(rlxc_sinfo_join(ty.ctx, a, b), ty.at[rows[i].join], "row %zu", i);
        cr_expect_eq(rlxc_sinfo_join(ty.ctx, b, a), ty.at[rows[i].join], "row %zu reversed", i);
    }
    const rlxc_sinfo *i32_pair[] = {ty.at[I32_NM], ty.at[PRIM_4]};
    const rlxc_sinfo *joined =
        rlxc_sinfo_join(ty.ctx, ty.at[PAIR], rlxc_sinfo_tuple(ty.ctx, i32_pair, 2));
    cr_assert_eq(joined->kind, RLXC_SINFO_TUPLE);
    cr_expect(rlxc_dtype_is_void(joined->fields[0]->dtype) && joined->fields[0]->dims != NULL);
    cr_expect_eq(joined->fields[1], ty.at[PRIM_I64]);
    rlxc_context_destroy(ty.ctx);
}

static bool is_not(void *user, const rlxc_expr *var)
{
    return var != user;
}

RLX_TEST(sinfo, substitute_erase_collect)
{
    types ty = make_types(t);
    rlxc_context *ctx = ty.ctx;
    const rlxc_expr *vars[] = {ty.n, ty.m}, *values[] = {ty.m, ty.n};
    const rlxc_sinfo *swapped = rlxc_sinfo_substitute(ctx, ty.at[PAIR], vars, values, 2);
    cr_expect_eq(swapped->fields[0], tensor(ctx, ty.m, ty.n), "substitution is simultaneous");
    const rlxc_expr *two[] = {rlxc_i64(ctx, 2)};
    cr_expect_eq(rlxc_sinfo_substitute(ctx, ty.at[F32_N_2], vars, two, 1), ty.at[F32_2_2]);

    void *n = (void *)(uintptr_t)ty.n;
    cr_expect_eq(rlxc_sinfo_erase(ctx, ty.at[F32_N_2], is_not, n), ty.at[F32_RANK2]);
    cr_expect_eq(rlxc_sinfo_erase(ctx, ty.at[F32_2_2], is_not, n), ty.at[F32_2_2]);
    cr_expect_eq(rlxc_sinfo_erase(ctx, ty.at[PRIM_N], is_not, n), ty.at[PRIM_I64]);
    const rlxc_sinfo *derived = tensor(ctx, rlxc_add(ctx, ty.n, ty.m), NULL);
    cr_expect(rlxc_sinfo_erase(ctx, derived, is_not, n)->dims == NULL);

    rlxc_var_list list = {0};
    rlxc_sinfo_collect_vars(ctx, ty.at[PAIR], &list);
    rlxc_sinfo_collect_vars(ctx, ty.at[F32_NM], &list);
    rlxc_sinfo_collect_vars(ctx, ty.at[FN], &list);
    cr_expect(list.vars.count == 2 && list.vars.items[0] == ty.n && list.vars.items[1] == ty.m);
    rlxc_context_destroy(ctx);
}

RLX_TEST(sinfo, match_binds_lone_symbols_and_refutes)
{
    types ty = make_types(t);
    rlxc_context *ctx = ty.ctx;
    const rlxc_expr *k = rlxc_shape_var(ctx, "k");
    const rlxc_expr *twice = rlxc_mul(ctx, k, rlxc_i64(ctx, 2));
    struct {
        const rlxc_sinfo *pattern, *value;
        bool fits;
        const rlxc_expr *k; /* expected binding of k, or NULL */
    } rows[] = {
        {tensor(ctx, k, NULL), tensor(ctx, ty.n, NULL), true, ty.n},
        {tensor(ctx, k, k), ty.at[F32_2_2], true, rlxc_i64(ctx, 2)},
        {tensor(ctx, k, k), ty.at[F32_NM], true, ty.n},
        {tensor(ctx, k, k), tensor(ctx, rlxc_i64(ctx, 2), rlxc_i64(ctx, 3)), false, NULL},
        /* The expression comes before the dimension that binds its symbol. */
        {tensor(ctx, twice, k), tensor(ctx, rlxc_i64(ctx, 6), rlxc_i64(ctx, 3)), true,
         rlxc_i64(ctx, 3)},
        {tensor(ctx, twice, k), tensor(ctx, rlxc_i64(ctx, 5), rlxc_i64(ctx, 3)), false, NULL},
        {tensor(ctx, k, NULL), ty.at[F32_NM], false, NULL},
        {tensor(ctx, k, k), ty.at[I32_NM], false, NULL},
        {tensor(ctx, k, k), ty.at[F32_RANK2], true, NULL},
        {tensor(ctx, k, k), ty.at[OBJ], true, NULL},
        {ty.at[PRIM_4], ty.at[PRIM_N], true, NULL},
        {rlxc_sinfo_prim(ctx, RLX_I64, k), ty.at[PRIM_4], true, rlxc_i64(ctx, 4)},
        {tensor(ctx, rlxc_i64(ctx, 3), NULL), tensor(ctx, rlxc_i64(ctx, 4), NULL), false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rlxc_bindings bound = {0};
        cr_expect_eq(rlxc_sinfo_match(ctx, rows[i].pattern, rows[i].value, &bound), rows[i].fits,
                     "row %zu", i);
        if (!rows[i].fits)
            continue;
        cr_expect_eq(bound.vars.count, rows[i].k ? 1u : 0u, "row %zu", i);
        if (rows[i].k && bound.vars.count == 1)
            cr_expect(bound.vars.items[0] == k && bound.values.items[0] == rows[i].k, "row %zu", i);
    }
    cr_expect(!rlxc_failed(ctx));
    rlxc_context_destroy(ctx);
}

RLX_TEST(sinfo, nesting_and_rank_are_limited)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_sinfo *s = rlxc_sinfo_object(ctx);
    for (int i = 0; i < RLXC_MAX_DEPTH; i++)
        s = rlxc_sinfo_tuple(ctx, &s, 1);
    cr_expect(!rlxc_failed(ctx));
    s = rlxc_sinfo_tuple(ctx, &s, 1);
    cr_expect(rlxc_failed(ctx));
    cr_expect_eq(s->kind, RLXC_SINFO_OBJECT);
    rlxc_context_destroy(ctx);

    ctx = rlxc_context_create(&t->allocator);
    s = rlxc_sinfo_tensor(ctx, RLX_F32, RLXC_MAX_NDIM + 1, NULL, NULL);
    cr_expect(rlxc_failed(ctx) && s->ndim == RLXC_UNKNOWN_NDIM);
    rlxc_context_destroy(ctx);
}
