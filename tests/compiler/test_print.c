/* The printer: literals, precedence, types; printed modules parse to equal modules. */
#include <math.h>
#include <string.h>

#include "compiler/script/print.h"
#include "tests/support/rlx_test.h"

RLX_TEST(print, floats_are_the_shortest_that_read_back)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {100.0, "100.0"},
        {123456.789, "123456.789"},
        {1e15, "1000000000000000.0"},
        {1e16, "1.0e+16"},
        {1.5e300, "1.5e+300"},
        {0.0001, "0.0001"},
        {0.00001, "1.0e-05"},
        {5e-324, "5.0e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {3.4028234663852886e38, "3.4028234663852886e+38"},
        {0.70710678118654757, "0.7071067811865476"},
        {0.30000000000000004, "0.30000000000000004"},
        {9007199254740993.0, "9007199254740992.0"},
    };
    (void)t;
    char text[RLXC_FLOAT_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(rlxc_float_text(rows[i].value, text), rows[i].text);
    cr_expect_str_eq(rlxc_float_text((double)NAN, text), "nan");
    cr_expect_str_eq(rlxc_float_text(-(double)INFINITY, text), "-inf");
}

/* --- expressions ----------------------------------------------------------------------------- */

RLX_TEST(print, expressions_have_the_fewest_parentheses)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_expr *a = rlxc_var(ctx, "a", RLX_I32), *b = rlxc_var(ctx, "b", RLX_I32);
    const rlxc_expr *c = rlxc_var(ctx, "c", RLX_I32), *f = rlxc_var(ctx, "f", RLX_F32);
    const rlxc_expr *wide = rlxc_var(ctx, "w", RLX_I64);
    const rlxc_expr *lt = rlxc_binary(ctx, RLXC_EXPR_LT, a, b);
    const rlxc_expr *gt = rlxc_binary(ctx, RLXC_EXPR_GT, b, c);
    const rlxc_expr *or_ = rlxc_binary(ctx, RLXC_EXPR_OR, lt, gt);
#define BIN(kind, x, y) rlxc_binary(ctx, RLXC_EXPR_##kind, x, y)
    const struct {
        const rlxc_expr *e;
        const char *text;
    } rows[] = {
        {rlxc_mul(ctx, rlxc_add(ctx, a, b), c), "(a + b) * c"},
        {rlxc_add(ctx, rlxc_mul(ctx, a, b), c), "a * b + c"},
        {rlxc_add(ctx, a, rlxc_add(ctx, b, c)), "a + (b + c)"},
        {rlxc_add(ctx, rlxc_add(ctx, a, b), c), "a + b + c"},
        {rlxc_sub(ctx, a, rlxc_sub(ctx, b, c)), "a - (b - c)"},
        {rlxc_mul(ctx, a, BIN(FLOORDIV, b, c)), "a * (b // c)"},
        {BIN(FLOORMOD, rlxc_mul(ctx, a, b), c), "a * b % c"},
        {BIN(DIV, a, rlxc_add(ctx, b, c)), "T.Div(a, b + c)"},
        {BIN(DIV, f, f), "f / f"},
        {BIN(MOD, a, b), "T.truncmod(a, b)"},
        {BIN(MIN, a, BIN(MAX, b, c)), "T.min(a, T.max(b, c))"},
        {BIN(AND, or_, lt), "(a < b or b > c) and a < b"},
        {BIN(OR, BIN(AND, lt, gt), lt), "a < b and b > c or a < b"},
        {rlxc_not(ctx, or_), "not (a < b or b > c)"},
        {BIN(EQ, lt, gt), "(a < b) == (b > c)"},
        {rlxc_add(ctx, a, rlxc_int(ctx, RLX_I32, -1)), "a + -1"},
        {rlxc_add(ctx, wide, rlxc_i64(ctx, 4)), "w + T.int64(4)"},
        {rlxc_mul(ctx, f, rlxc_float(ctx, RLX_F32, 0.5)), "f * T.float32(0.5)"},
        {rlxc_float(ctx, RLX_F32, -(double)INFINITY), "T.float32(\"-inf\")"},
        {rlxc_bool(ctx, true), "T.bool(True)"},
        {rlxc_int(ctx, RLX_U64, -1), "T.uint64(18446744073709551615)"},
        {rlxc_cast(ctx, RLX_F32, rlxc_add(ctx, a, b)), "T.Cast(\"float32\", a + b)"},
        {rlxc_select(ctx, lt, a, b), "T.Select(a < b, a, b)"},
        {rlxc_ramp(ctx, a, rlxc_int(ctx, RLX_I32, 2), 4), "T.Ramp(a, 2, 4)"},
        {rlxc_broadcast(ctx, a, 8), "T.Broadcast(a, 8)"},
        {rlxc_call(ctx, RLX_F32, rlxc_intern_cstr(ctx, "exp"), &f, 1), "T.exp(f)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(rlxc_print_expr(ctx, rows[i].e), rows[i].text);
    rlxc_context_destroy(ctx);
}

RLX_TEST(print, shared_expressions_are_cut_not_unfolded_without_end)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_expr *x = rlxc_var(ctx, "x", RLX_F32);
    for (int i = 0; i < 100; i++)
        x = rlxc_mul(ctx, x, x); /* 2^100 leaves */
    const char *text = rlxc_print_expr(ctx, x);
    cr_expect(strstr(text, "...") != NULL);
    cr_expect_not(rlxc_failed(ctx));
    rlxc_context_destroy(ctx);
}

RLX_TEST(print, types)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const rlxc_expr *n = rlxc_shape_var(ctx, "n");
    const rlxc_expr *dims[2] = {rlxc_add(ctx, n, rlxc_i64(ctx, 1)), rlxc_i64(ctx, 4)};
    rlx_dtype none = rlxc_dtype_void();
    const rlxc_sinfo *s = rlxc_sinfo_tensor(ctx, RLX_F32, 2, dims, NULL);
    const rlxc_sinfo *fields[2] = {s, rlxc_sinfo_object(ctx)};
    const struct {
        const rlxc_sinfo *s;
        const char *text;
    } rows[] = {
        {s, "R.Tensor((n + 1, 4), dtype=\"float32\")"},
        {rlxc_sinfo_tensor(ctx, RLX_F32, 1, dims + 1, "llvm:0"),
         "R.Tensor((4,), dtype=\"float32\", vdevice=\"llvm:0\")"},
        {rlxc_sinfo_tensor(ctx, RLX_B8, 0, NULL, NULL), "R.Tensor((), dtype=\"bool\")"},
        {rlxc_sinfo_tensor(ctx, none, RLXC_UNKNOWN_NDIM, NULL, NULL), "R.Tensor"},
        {rlxc_sinfo_tensor(ctx, none, 3, NULL, NULL), "R.Tensor(ndim=3)"},
        {rlxc_sinfo_tensor(ctx, RLX_I8, 3, NULL, NULL), "R.Tensor(dtype=\"int8\", ndim=3)"},
        {rlxc_sinfo_tensor(ctx, RLX_I8, RLXC_UNKNOWN_NDIM, NULL, NULL), "R.Tensor(dtype=\"int8\")"},
        {rlxc_sinfo_shape(ctx, 2, dims), "R.Shape([n + 1, 4])"},
        {rlxc_sinfo_shape(ctx, 2, NULL), "R.Shape(ndim=2)"},
        {rlxc_sinfo_shape(ctx, RLXC_UNKNOWN_NDIM, NULL), "R.Shape(ndim=-1)"},
        {rlxc_sinfo_prim(ctx, RLX_I64, NULL), "R.Prim(\"int64\")"},
        {rlxc_sinfo_prim(ctx, RLX_I64, n), "R.Prim(value=n)"},
        {rlxc_sinfo_tuple(ctx, NULL, 0), "R.Tuple"},
        {rlxc_sinfo_tuple(ctx, fields, 2),
         "R.Tuple(R.Tensor((n + 1, 4), dtype=\"float32\"), R.Object)"},
        {rlxc_sinfo_callable(ctx, fields + 1, 1, fields[1], true),
         "R.Callable((R.Object,), R.Object, True)"},
        {rlxc_sinfo_callable_opaque(ctx, NULL, false), "R.Callable(purity=False)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(rlxc_sinfo_text(ctx, rows[i].s), rows[i].text);
    rlxc_context_destroy(ctx);
}

/* --- modules --------------------------------------------------------------------------------- */

/* Parses |text|; its print must parse to an equal module and print identically. With |exact| the
 * print must also end with |text|, line for line. */
static void check_module(rlx_test *t, const char *what, const char *text, bool exact)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
    cr_assert(module != NULL, "%s: %s", what, rlxc_render_diagnostics(ctx));
    const char *printed = rlxc_print_module(ctx, module);
    rlxc_module *again = rlxc_parse_module(ctx, "printed.py", printed, strlen(printed));
    cr_assert(again != NULL, "%s: %s\n%s", what, rlxc_render_diagnostics(ctx), printed);
    const char *why = "";
    cr_expect(rlxc_module_equal(ctx, module, again, &why), "%s: %s\n%s", what, why, printed);
    cr_expect_str_eq(rlxc_print_module(ctx, again), printed, "%s", what);
    if (exact)
        cr_expect(strstr(printed, text) != NULL, "%s printed as\n%s", what, printed);
    rlxc_context_destroy(ctx);
}

#define RELAX_HEAD "@I.ir_module\nclass Module:\n    @R.function\n"
#define N4 "R.Tensor((n, 4), dtype=\"float32\")"
#define N4_IN "R.Tensor((\"n\", 4), dtype=\"float32\")"

static const struct {
    const char *name, *text;
    bool exact;
} modules[] = {
    {"dataflow",
     RELAX_HEAD "    def main(x: " N4_IN ") -> " N4_IN ":\n"
                "        n = T.int64()\n"
                "        with R.dataflow():\n"
                "            lv: " N4 " = R.add(x, R.const(0.5, \"float32\"))\n"
                "            gv: " N4 " = R.exp(lv)\n"
                "            R.output(gv)\n"
                "        return gv\n",
     true},
    {"names that clash",
     RELAX_HEAD "    def main(n: R.Tensor((\"m\",), dtype=\"float32\")) -> R.Tensor((\"m\",), "
                "dtype=\"float32\"):\n"
                "        m = T.int64()\n"
                "        y: R.Tensor((m,), dtype=\"float32\") = R.add(n, n)\n"
                "        y: R.Tensor((m,), dtype=\"float32\") = R.add(y, n)\n"
                "        lambda_: R.Tensor((m,), dtype=\"float32\") = R.add(y, y)\n"
                "        return lambda_\n",
     false},
    {"signature expressions",
     RELAX_HEAD
     "    def main(x: R.Tensor((\"n * 2\", \"n\"), dtype=\"float32\"), s: R.Shape([\"n\", \"k\"]), "
     "p: R.Prim(value=\"k\"), q: R.Prim(\"int64\"), o: R.Object) -> R.Tuple(R.Shape([\"k\", 3]), "
     "R.Tensor(dtype=\"float32\", ndim=2)):\n"
     "        n = T.int64()\n"
     "        k = T.int64()\n"
     "        z: R.Tuple(R.Shape([k, 3]), R.Tensor((n * 2, n), dtype=\"float32\")) = "
     "(R.shape([k, 3]), x)\n"
     "        return z\n",
     false},
    {"branches and tuples",
     RELAX_HEAD "    def main(x: " N4_IN ", c: R.Tensor((), dtype=\"bool\")) -> " N4_IN ":\n"
                "        n = T.int64()\n"
                "        if c:\n"
                "            t: R.Tuple(" N4 ", R.Tuple(" N4 ")) = (x, (x,))\n"
                "            y: " N4 " = t[0]\n"
                "        else:\n"
                "            y: " N4 " = x\n"
                "        return y\n",
     false},
    {"local functions",
     RELAX_HEAD "    def main(x: " N4_IN ") -> " N4_IN ":\n"
                "        n = T.int64()\n"
                "        m = T.int64()\n"
                "        @R.function\n"
                "        def inner(a: R.Tensor((m, 4), dtype=\"float32\")) -> R.Tensor((m, 4), "
                "dtype=\"float32\"):\n"
                "            b: R.Tensor((m, 4), dtype=\"float32\") = R.add(a, a)\n"
                "            return b\n"
                "        y: " N4 " = inner(x)\n"
                "        return y\n",
     false},
    {"calls out",
     "@I.ir_module\n"
     "class Module:\n"
     "    @T.prim_func\n"
     "    def k(x: T.Buffer((T.int64(4),), \"float32\"), o: T.Buffer((T.int64(4),), "
     "\"float32\")):\n"
     "        T.func_attr({\"op_pattern\": 0, \"tir.noalias\": T.bool(True)})\n"
     "        # with T.block(\"root\"):\n"
     "        for i in range(T.int64(4)):\n"
     "            with T.block(\"b\"):\n"
     "                vi = T.axis.spatial(T.int64(4), i)\n"
     "                T.reads(x[vi])\n"
     "                T.writes(o[vi])\n"
     "                o[vi] = x[vi] * T.float32(2.0)\n"
     "\n"
     "    @R.function(private=True, pure=False)\n"
     "    def f(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tuple(R.Tensor((4,), "
     "dtype=\"float32\"), R.Tensor((4,), dtype=\"float32\")):\n"
     "        R.func_attr({\"a\": 1, \"b\": [1, 2.5, \"c\\n\"], \"d\": {\"n\": 16}})\n"
     "        cls = Module\n"
     "        y = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
     "        z = R.call_packed(\"vm.f\", y, R.str(\"s\"), R.dtype(\"int8\"), R.prim_value(3), "
     "sinfo_args=(R.Tensor((4,), dtype=\"float32\"),))\n"
     "        w = R.call_dps_packed(\"vm.g\", (z,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
     "        v = R.match_cast(w, R.Tensor((4,), dtype=\"float32\"))\n"
     "        cls.k(v, w)\n"
     "        return (v, w)\n",
     false},
    {"memory",
     RELAX_HEAD "    def main(x: " N4_IN ") -> " N4_IN ":\n"
                "        n = T.int64()\n"
                "        s: R.Object = R.memory.alloc_storage(R.shape([n * 16]), R.prim_value(0), "
                "R.str(\"global\"), R.dtype(\"float32\"))\n"
                "        a: " N4 " = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([n, 4]), "
                "R.dtype(\"float32\"))\n"
                "        _ = R.memory.kill_storage(s)\n"
                "        _ = R.memory.kill_tensor(a)\n"
                "        return x\n",
     false},
    {"attributes",
     "@I.ir_module\n"
     "class Module:\n"
     "    I.module_attrs({\"note\": 7})\n"
     "    I.module_global_infos({\"vdevice\": [I.vdevice({\"kind\": \"llvm\", \"keys\": "
     "[\"cpu\"]}, 0, \"global\")]})\n"
     "    @R.function\n"
     "    def main(x: R.Tensor((2, 2), dtype=\"float32\")) -> R.Tensor((2,), dtype=\"float32\"):\n"
     "        y = R.sum(x, axis=[-1], keepdims=False)\n"
     "        z = R.nn.softmax(y, axis=-1)\n"
     "        return z\n",
     false},
};

RLX_TEST(print, relax_modules_read_back)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        check_module(t, modules[i].name, modules[i].text, modules[i].exact);
}

#define PRIM(signature, body) \
    "@I.ir_module\nclass Module:\n    @T.prim_func\n    def k(" signature "):\n" body

static const struct {
    const char *name, *text;
    bool exact;
} prims[] = {
    {"symbolic matmul",
     PRIM("a: T.handle, b: T.handle, c: T.handle",
          "        n = T.int64()\n"
          "        A = T.match_buffer(a, (n, T.int64(4)), \"float16\")\n"
          "        B = T.match_buffer(b, (T.int64(4), n))\n"
          "        C = T.match_buffer(c, (n, n))\n"
          "        # with T.block(\"root\"):\n"
          "        D = T.alloc_buffer((n, n))\n"
          "        for i, j, k_1 in T.grid(n, n, T.int64(4)):\n"
          "            with T.block(\"D\"):\n"
          "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k_1])\n"
          "                T.reads(A[vi, vk], B[vk, vj])\n"
          "                T.writes(D[vi, vj])\n"
          "                with T.init():\n"
          "                    D[vi, vj] = T.float32(0.0)\n"
          "                D[vi, vj] = D[vi, vj] + T.Cast(\"float32\", A[vi, vk]) * B[vk, vj]\n"
          "        for i, j in T.grid(n, n):\n"
          "            with T.block(\"C\"):\n"
          "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
          "                T.reads(D[vi, vj])\n"
          "                T.writes(C[vi, vj])\n"
          "                T.block_attr({\"axis\": 1})\n"
          "                C[vi, vj] = T.max(D[vi, vj], T.float32(0.0))\n"),
     true},
    {"plain statements",
     PRIM("x: T.Buffer((8,), \"int32\"), o: T.Buffer((8,), \"int32\"), s: T.int32",
          "        for i in T.parallel(2):\n"
          "            for j in T.vectorized(4):\n"
          "                v: T.int32 = x[i * 4 + j] * 2\n"
          "                if v > s and v % 3 != 0:\n"
          "                    o[i * 4 + j] = T.Select(v < 0, -v, v)\n"
          "                else:\n"
          "                    o[i * 4 + j] = T.if_then_else(v == 1, T.Div(v, 2), "
          "T.truncmod(v, 2))\n"
          "        for i in T.unroll(1, 3):\n"
          "            while o[i] > 1:\n"
          "                o[i] = o[i] // 2\n"
          "        assert s > 0, \"s must be \\\"positive\\\"\"\n"),
     false},
    {"storage",
     PRIM("x: T.Buffer((2, 6), \"float32\"), o: T.Buffer((12,), \"float32\")",
          "        f = T.decl_buffer((12,), data=x.data)\n"
          "        p = T.allocate([12], \"float32\", \"global\")\n"
          "        q = T.decl_buffer((12,), data=p)\n"
          "        c = T.allocate_const([1.0, -2.5], \"float32\", [2])\n"
          "        d = T.decl_buffer((2,), data=c)\n"
          "        for i in range(12):\n"
          "            q[i] = f[i] + d[i % 2]\n"
          "        o[T.Ramp(0, 1, 4)] = q[T.Ramp(0, 2, 4)] * T.Broadcast(T.float32(3.0), 4)\n"
          "        for i in range(4, 12):\n"
          "            o[i] = q[i]\n"),
     false},
    {"regions",
     PRIM("x: T.Buffer((8, 8), \"float32\"), o: T.Buffer((8, 8), \"float32\")",
          "        for bi, bj in T.grid(2, 4):\n"
          "            with T.block(\"outer\"):\n"
          "                vbi, vbj = T.axis.remap(\"SS\", [bi, bj])\n"
          "                T.where(bi * 4 + bj < 7)\n"
          "                T.reads(x[vbi * 4:vbi * 4 + 4, vbj * 2:vbj * 2 + 2])\n"
          "                T.writes(o[vbi * 4:vbi * 4 + 4, vbj * 2:vbj * 2 + 2])\n"
          "                a = T.match_buffer(x[vbi * 4:vbi * 4 + 4, vbj * 2:vbj * 2 + 2], "
          "(4, 2), strides=(\"a_s0\", \"a_s1\"), offset_factor=1)\n"
          "                b = T.match_buffer(o[vbi * 4:vbi * 4 + 4, vbj * 2:vbj * 2 + 2], "
          "(4, 2), strides=(8, 1), offset_factor=1)\n"
          "                for i, j in T.grid(4, 2):\n"
          "                    with T.block(\"inner\"):\n"
          "                        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
          "                        T.reads(a[vi, vj])\n"
          "                        T.writes(b[vi, vj])\n"
          "                        b[vi, vj] = a[vi, vj] + T.float32(2.0)\n"),
     false},
    {"scalars and intrinsics",
     PRIM("x: T.Buffer((), \"float32\"), o: T.Buffer((3,), \"int64\")",
          "        o[0] = T.Cast(\"int64\", T.floor(x[()]))\n"
          "        o[1] = T.shift_right(o[0], T.int64(2))\n"
          "        o[2] = T.Cast(\"int64\", T.reinterpret(\"int32\", T.min(x[()], "
          "T.float32(\"inf\"))))\n"
          "        T.evaluate(T.Let(o[0] + T.int64(1), where={y: o[1]}))\n"),
     false},
};

RLX_TEST(print, prim_funcs_read_back)
{
    for (size_t i = 0; i < sizeof prims / sizeof *prims; i++)
        check_module(t, prims[i].name, prims[i].text, prims[i].exact);
}

RLX_TEST(print, constants_keep_every_bit)
{
    static const uint32_t bits[4] = {0x7fc00001u, 0xff800000u, 0x80000000u, 0x3f800000u};
    static const struct {
        rlx_dtype dtype;
        uint64_t element;
        const char *text; /* NULL: tested through the metadata block */
    } scalars[] = {
        {{RLX_FLOAT, 32, 1}, 0x3f800000u, "R.const(1.0, \"float32\")"},
        {{RLX_FLOAT, 32, 1}, 0x7fc00001u, NULL},
        {{RLX_FLOAT, 16, 1}, 0x3555u, "R.const(0.333251953125, \"float16\")"},
        {{RLX_FLOAT, 16, 1}, 0x0001u, "R.const(5.9604644775390625e-08, \"float16\")"},
        {{RLX_BFLOAT, 16, 1}, 0x3fc0u, "R.const(1.5, \"bfloat16\")"},
        {{RLX_INT, 8, 1}, 0xffu, "R.const(-1, \"int8\")"},
        {{RLX_UINT, 64, 1}, UINT64_MAX, "R.const(18446744073709551615, \"uint64\")"},
        {{RLX_BOOL, 8, 1}, 1u, "R.const(True, \"bool\")"},
    };
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_module_new(ctx);
    rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
    f->name = rlxc_intern_cstr(ctx, "main");
    f->is_pure = true;
    rlxc_binding_block *block = rlxc_block_new(ctx, false);
    const int64_t shape[2] = {2, 2};
    const size_t n = sizeof scalars / sizeof *scalars;
    for (size_t i = 0; i <= n; i++) {
        rlxc_binding *b = rlxc_binding_new(ctx, RLXC_FORM_COPY, rlxc_rvar_new(ctx, f, "v", NULL));
        const void *data = i < n ? rlxc_copy(ctx, &scalars[i].element, 8) : (const void *)bits;
        rlxc_atom atom = rlxc_atom_constant(
            i < n ? rlxc_constant_new(ctx, scalars[i].dtype, 0, shape, data,
                                      rlx_dtype_size(scalars[i].dtype))
                  : rlxc_constant_new(ctx, RLX_F32, 2, shape, data, sizeof bits));
        b->args = rlxc_copy(ctx, &atom, sizeof atom);
        b->n_args = 1;
        rlxc_block_push(ctx, block, b);
    }
    rlxc_body_push(ctx, &f->body, block);
    f->body.result = rlxc_atom_var(block->bindings[n]->var);
    rlxc_module_add_relax(ctx, module, f, false);

    const char *text = rlxc_print_module(ctx, module);
    for (size_t i = 0; i < n; i++)
        cr_expect(scalars[i].text == NULL || strstr(text, scalars[i].text) != NULL, "%s in\n%s",
                  scalars[i].text, text);
    rlxc_module *again = rlxc_parse_module(ctx, "printed.py", text, strlen(text));
    cr_assert(again != NULL, "%s\n%s", rlxc_render_diagnostics(ctx), text);
    const rlxc_binding_block *read = again->globals.items[0]->relax->body.blocks[0];
    cr_assert_eq(read->n, n + 1);
    for (size_t i = 0; i <= n; i++) {
        const rlxc_constant *was = block->bindings[i]->args[0].constant;
        const rlxc_constant *is = read->bindings[i]->args[0].constant;
        cr_expect(rlxc_dtype_eq(was->dtype, is->dtype), "constant %zu", i);
        cr_expect(was->nbytes == is->nbytes && memcmp(was->data, is->data, was->nbytes) == 0,
                  "constant %zu", i);
    }
    rlxc_context_destroy(ctx);
}

/* Checks after each pass print the module: its weights must not be copied each time. */
RLX_TEST(print, kept_constants_are_written_once)
{
    enum { SIZE = 1 << 20 };
    static const float weights[SIZE / 4] = {1, 2, 3}, others[2] = {4, 5};
    const int64_t shapes[] = {SIZE / 4, 2};
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_module_new(ctx);
    rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
    rlxc_kept kept = {0};
    f->name = rlxc_intern_cstr(ctx, "main");
    f->is_pure = true;
    f->body.result =
        rlxc_atom_constant(rlxc_constant_new(ctx, RLX_F32, 1, &shapes[0], weights, SIZE));
    rlxc_module_add_relax(ctx, module, f, false);
    for (int i = 0; i < 4; i++) {
        const bool first = i == 0 || i == 2;
        if (i == 2)
            f->body.result = rlxc_atom_constant(
                rlxc_constant_new(ctx, RLX_F32, 1, &shapes[1], others, sizeof others));
        const char *text = rlxc_print_module_keeping(ctx, module, &kept), *why = NULL;
        cr_expect_eq(strstr(text, "load_json") != NULL, first, "%d", i);
        cr_expect(i == 0 || strlen(text) < 2000, "%d: %zu bytes", i, strlen(text));
        rlxc_module *again = rlxc_parse_module_keeping(ctx, "kept.py", text, strlen(text), &kept);
        cr_assert(again, "%d: %s", i, rlxc_render_diagnostics(ctx));
        cr_expect(rlxc_module_equal(ctx, module, again, &why), "%d: %s", i, why);
        const rlxc_constant *read = again->globals.items[0]->relax->body.result.constant;
        cr_expect_eq(read == f->body.result.constant, !first, "%d", i);
    }
    cr_expect_eq(kept.constants.count, 2);
    rlxc_context_destroy(ctx);
}
