/* Dataflow patterns (docs/patterns.md) through rlx/ir.h: what matches, what is captured, and what
 * takes its place. */
#include <string.h>

#include "tests/compiler/library.h"

static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def copied(a: T.Buffer((4,), \"float32\"), b: T.Buffer((4,), \"float32\")):\n"
    "        for i in range(4):\n"
    "            with T.block(\"b\"):\n"
    "                vi = T.axis.spatial(4, i)\n"
    "                b[vi] = a[vi]\n"
    "    @R.function(private=True)\n"
    "    def twice(v: R.Tensor((\"m\", 8), \"float32\")) -> R.Tensor((\"m\", 8), \"float32\"):\n"
    "        t = R.add(v, v)\n"
    "        return t\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 8), \"float32\"), w: R.Tensor((8, 8), \"float32\"),\n"
    "             v: R.Tensor((4,), \"float32\")):\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            product = R.matmul(x, w)\n"
    "            biased = R.add(product, R.const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],"
    " \"float32\"))\n"
    "            active = R.nn.relu(biased)\n"
    "            soft = R.nn.softmax(active, axis=1)\n"
    "            pair = (soft, product)\n"
    "            first = pair[0]\n"
    "            both = R.concat((first, active), axis=0)\n"
    "            doubled = cls.twice(both)\n"
    "            whole = R.astype(doubled, dtype=\"int32\")\n"
    "            half = R.multiply(active, R.const(0.5, \"float32\"))\n"
    "            kept = R.call_tir(cls.copied, (v,), out_sinfo=R.Tensor((4,), \"float32\"))\n"
    "            total = R.sum(half, axis=[0, 1])\n"
    "            R.output(whole, kept, total, pair)\n"
    "        return (whole, kept, total, pair)\n";

static const rlx_ir_match *match(rlx_test *t, rlx_ir_module *m, const char *pattern, bool shared)
{
    rlx_ir_global g;
    const rlx_ir_match *found = NULL;
    cr_assert(rlx_ir_module_find(m, "main", &g));
    RLX_OKAY(rlx_ir_function_match(m, g.function, pattern, NULL, shared, &found, &t->error));
    return found;
}

/* The name of the variable at the root of the first match; "" if there is none. */
static const char *root(rlx_test *t, rlx_ir_module *m, const char *pattern, bool shared)
{
    const rlx_ir_binding *b = rlx_ir_match_binding(match(t, m, pattern, shared), 0);
    return b ? rlx_ir_var_name(rlx_ir_binding_var(b)) : "";
}

RLX_TEST(patterns, each_form_matches_what_it_says)
{
    static const struct {
        const char *pattern, *root; /* "": no match */
    } cases[] = {
        {"(nn.relu _)", "active"},
        {"(nn.relu (add (matmul x w) b))", "active"},
        {"(nn.relu (add b (matmul x w)))", "active"}, /* either order */
        {"(nn.relu (matmul x w))", ""},
        {"(matmul x =x)", ""},
        {"(_ (_ (matmul)))", "active"}, /* any operators */
        {"(tuple a b)", "pair"},
        {"(tuple a b c)", ""},
        {"(item 0 (tuple (nn.softmax _) p))", "first"},
        {"(item 1 _)", ""},
        {"(item (tuple _ _))", "first"},
        {"(concat (tuple (item _) a))", "both"},
        {"(call twice (concat))", "doubled"},
        {"(call copied v)", "kept"},
        {"(call _ v{rank=1})", "kept"},
        {"(call other v)", ""},
        {"_", "product"}, /* the root is of the match, whatever it is */
        {"[_{rank=1} & !(sum _)]", "kept"},
        {"(add x c{constant})", "biased"},
        {"(add c{constant} x)", "biased"},
        {"(nn.relu c{constant})", ""},
        {"(matmul x{param} w{param})", "product"},
        {"(add x{param} _)", ""},
        {"(multiply x 0.5)", "half"},
        {"(multiply x 0.25)", ""},
        {"(multiply x 1e999)", ""},
        {"(add)", "biased"}, /* operands that are not written may be anything */
        {"(multiply c{constant})", "half"},
        {"(multiply =x x{constant})", ""},
        {"(times x)", "half"},
        {"(times x _)", "half"},
        {"(over)", ""},
        {"(rooted)", ""},
        {"(square)", ""},
        {"(sqrt)", ""},
        {"(rsqrt)", ""},
        {"[(cast) & (astype)]", "whole"},
        {"(nn.softmax x){.axis=1}", "soft"},
        {"(nn.softmax x){.axis=0}", ""},
        {"(nn.softmax x){.other=1}", ""},
        {"(sum x){.axis=[0, 1], .keepdims=False}", "total"},
        {"(sum x){.axis=[0]}", ""},
        {"(astype x){.dtype=int32}", "whole"},
        {"(astype x){.dtype=\"float16\"}", ""},
        {"(astype x){dtype=int32}", "whole"},
        {"(_ x{dtype=int32})", ""},
        {"(_ x){dtype=int32, rank=2}", "whole"},
        {"(_ x){rank=1}", "kept"},
        {"(call _ x{shape=(4)})", "kept"},
        {"(matmul a{shape=(n, k)} b{shape=(k, 8)}){shape=(n, _)}", "product"},
        {"(matmul a{shape=(n, k)} b{shape=(n, _)})", ""},
        {"(matmul a{shape=(k, k)} b)", ""},
        {"(nn.relu x){same_shape=x}", "active"},
        {"(concat (tuple a b)){same_shape=a}", ""},
        {"(concat (tuple a{same_shape=b} b))", "both"},
        {"(_ x){type=\"R.Tensor((4,), 'float32')\"}", "kept"},
        {"(matmul x){type=\"R.Tensor(('n', 8), 'float32')\"}", "product"},
        {"(matmul x){type=\"R.Tensor((5, 8), 'float32')\"}", ""},
        {"(matmul x){type=\"R.Tensor(dtype='float32', ndim=2)\"}", "product"},
        {"(matmul x){type=\"R.Tensor(dtype='float32', ndim=3)\"}", ""},
        {"(matmul){args=2}", "product"},
        {"(matmul){args=3}", ""},
        {"[(nn.gelu x) | (nn.relu x)]", "active"},
        {"[(nn.relu x) & _{rank=2} & _{dtype=float32}]", "active"},
        {"[(nn.relu x) & _{rank=3}]", ""},
        {"(nn.softmax !(add _ _))", "soft"},
        {"(nn.softmax !(nn.relu _))", ""},
        {"p=(matmul x w){used_by=a}; a=(add p c)", "product"},
        {"p=(matmul x w){only_used_by=a}; a=(add p c)", ""}, /* pair reads it, too */
        {"s=(nn.softmax x){only_used_by=q}; q=(tuple s _)", "soft"},
        {"r=(nn.relu _){used_by=s}; s=(nn.softmax =r); c=(concat (tuple _ =r))", "active"},
        {"r=(nn.relu _); s=(nn.gelu =r)", ""},
    };
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *want = cases[i].root;
        const char *got = root(t, m, cases[i].pattern, true);
        cr_expect_str_eq(got, want, "%s: %s instead of %s", cases[i].pattern, got, want);
    }
    rlx_compiler_destroy(c);
}

RLX_TEST(patterns, captures_are_given)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    const rlx_ir_match *found =
        match(t, m, "(nn.relu s=(add p=(matmul x w) b)){shape=(rows, _)}", true);
    cr_assert_not_null(found);
    cr_expect_str_eq(rlx_ir_var_name(rlx_ir_value_var(rlx_ir_match_value(found, "p"))), "product");
    cr_expect_eq(rlx_ir_value_get_kind(rlx_ir_match_value(found, "b")), RLX_IR_VALUE_CONSTANT);
    cr_expect_null(rlx_ir_match_value(found, "q"));
    cr_expect_str_eq(rlx_ir_expr_text(c, rlx_ir_match_dim(found, "rows")), "n");
    cr_expect_null(rlx_ir_match_dim(found, "x"));
    cr_expect_str_eq(rlx_ir_binding_op(rlx_ir_match_binding(found, 2)), "matmul");
    cr_expect_null(rlx_ir_match_binding(found, 3));
    /* The product is used outside. */
    cr_expect_null(match(t, m, "(nn.relu (add (matmul x w) b))", false));
    cr_expect_not_null(match(t, m, "(nn.relu (add p b))", false));
    rlx_compiler_destroy(c);
}

RLX_TEST(patterns, malformed_ones_are_errors)
{
    static const struct {
        const char *pattern, *message;
    } cases[] = {
        {"", "expected a pattern"},
        {"(add x", "expected ')'"},
        {"[a b]", "alternatives are separated"},
        {"[a | b & c]", "alternatives are separated"},
        {"x y", "expected the end"},
        {"(item a b)", "item has one tuple"},
        {"(item 1.5 a)", "an integer below 2^32"},
        {"(item 4294967296 a)", "an integer below 2^32"},
        {"(item 99999999999999999999 a)", "an integer below 2^32"},
        {"(cast a b)", "too many operands"},
        {"(times a b c)", "too many operands"},
        {"x{size=3}", "no such condition"},
        {"x{dtype=float33}", "element type"},
        {"x{rank=two}", "needs a number"},
        {"x{constant=1}", "has no value"},
        {"x{shape=3}", "list of dimensions"},
        {"x{same_shape=3}", "name of a capture"},
        {"x{type=\"R.Tensr\"}", "Tensr"},
        {"x{.axis=\"a}", "closing quote"},
        {"x{.axis=[1 2]}", "expected ','"},
        {"=", "expected a name"},
    };
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    rlx_ir_global g;
    cr_assert(rlx_ir_module_find(m, "main", &g));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rlx_ir_match *found;
        rlx_error err = {0};
        cr_expect_eq(
            rlx_ir_function_match(m, g.function, cases[i].pattern, NULL, true, &found, &err),
            RLX_E_INVALID_MODULE, "%s", cases[i].pattern);
        cr_expect(strstr(err.message, cases[i].message) != NULL, "%s: %s", cases[i].pattern,
                  err.message);
    }
    char deep[400];
    memset(deep, '!', sizeof deep - 2);
    memcpy(deep + sizeof deep - 2, "x", 2);
    const rlx_ir_match *found;
    rlx_error err = {0};
    cr_expect_eq(rlx_ir_function_match(m, g.function, deep, NULL, true, &found, &err),
                 RLX_E_INVALID_MODULE);
    cr_expect(strstr(err.message, "too deep") != NULL, "%s", err.message);
    rlx_compiler_destroy(c);
}

/* --- replacing ------------------------------------------------------------------------------- */

static const rlx_ir_value *as_silu(void *user, rlx_ir_builder *b, const rlx_ir_match *found)
{
    const rlx_ir_value *x = rlx_ir_match_value(found, "x"), *out = NULL;
    uint32_t *seen = user;
    if (++*seen > 1 || rlx_ir_builder_op(b, "silu", "nn.silu", &x, 1, NULL, &out, NULL) != RLX_OK)
        return NULL;
    return out;
}

static uint32_t replace(rlx_test *t, rlx_ir_module *m, const char *pattern)
{
    rlx_ir_global g;
    uint32_t n = 0;
    cr_assert(rlx_ir_module_find(m, "main", &g));
    RLX_OKAY(rlx_ir_function_replace(m, g.function, pattern, true, NULL, NULL, &n, &t->error));
    return n;
}

RLX_TEST(patterns, replacements_are_built)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    rlx_ir_global g;
    uint32_t n = 0, seen = 0;
    cr_expect_eq(replace(t, m, "(multiply x 0.5) -> (add (divide x 2.0) 0)"), 1);
    cr_expect_eq(replace(t, m, "(nn.softmax x) -> (nn.log_softmax x){.axis=0}"), 1);
    cr_expect_eq(replace(t, m, "(item 0 (tuple a b)) -> a"), 1);
    cr_expect_eq(replace(t, m, "(nn.gelu x) -> x"), 0);
    cr_expect_eq(replace(t, m, "x{rank=1} -> x"), 0); /* itself */
    cr_expect_eq(replace(t, m, "x{.axis=\"->\"} -> x"), 0);
    /* refused: another shape */
    cr_expect_eq(replace(t, m, "(concat (tuple a b)) -> a"), 0);
    cr_expect_eq(replace(t, m, "(concat (tuple a b)) -> (concat (tuple b a)){.axis=0}"), 1);
    cr_expect_eq(replace(t, m, "(call twice x) -> (call twice (multiply x 1))"), 1);
    cr_assert(rlx_ir_module_find(m, "main", &g));
    RLX_OKAY(
        rlx_ir_function_replace(m, g.function, "(nn.relu x)", true, as_silu, &seen, &n, &t->error));
    cr_expect_eq(n, 1);
    const char *text = rlx_ir_module_print(m);
    static const char *const parts[] = {"R.nn.log_softmax(", "axis=0)",    "R.divide(",
                                        "R.nn.silu(",        "R.concat((", "cls.twice("};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]) != NULL, "%s is not in\n%s", parts[i], text);
    cr_expect(strstr(text, "R.nn.relu(") == NULL, "%s", text);
    RLX_OKAY(rlx_ir_module_check(m, &t->error));
    RLX_OKAY(rlx_ir_module_lower(m, NULL, &t->error));
    rlx_compiler_destroy(c);
}

RLX_TEST(patterns, wrong_replacements_are_errors)
{
    static const struct {
        const char *pattern, *message;
    } cases[] = {
        {"(nn.relu x)", "expected '->'"},
        {"(nn.relu x) -> y", "does not capture 'y'"},
        {"(nn.relu x) -> (nn.rel x)", "no operator 'nn.rel'"},
        {"(nn.relu x) -> (call nobody x)", "no Relax function 'nobody'"},
        {"(nn.relu x) -> [x | x]", "not a value"},
        {"(nn.relu x) -> (nn.softmax x){.axs=1}", "axs"},
        {"(nn.relu x) -> x{constant}", "takes no operands or conditions"},
        {"(nn.relu x) -> y=(nn.gelu x)", "takes no operands or conditions"},
        {"x{dtype=int32} -> (item 4294967295 (tuple x x))", "out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlx_compiler *c = library_compiler(t);
        rlx_ir_module *m = library_parse(t, c, MODULE);
        rlx_ir_global g;
        rlx_error err = {0};
        uint32_t n = 0;
        cr_assert(rlx_ir_module_find(m, "main", &g));
        cr_expect_eq(
            rlx_ir_function_replace(m, g.function, cases[i].pattern, true, NULL, NULL, &n, &err),
            RLX_E_INVALID_MODULE, "%s", cases[i].pattern);
        cr_expect(strstr(err.message, cases[i].message) != NULL, "%s: %s", cases[i].pattern,
                  err.message);
        rlx_compiler_destroy(c);
    }
}
