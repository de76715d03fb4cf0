/* Explicit memory: lowering of call_tir, storage planning, kills, and the plan verifier, which must
 * accept every plan for random programs and catch overlaps injected into them. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/analysis/inplace.h"
#include "compiler/analysis/verify_inplace.h"
#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "tests/compiler/random_program.h"
#include "tests/support/rlx_test.h"

/* ADD(v, a, b): v = a + b, indented for the function's body. */
#define T1 VECTOR_TYPE
#define ADD(v, a, b) \
    "        " v ": " T1 " = R.call_tir(cls.add, (" a ", " b "), out_sinfo=" T1 ")\n"
#define IN_ADD(v, a, b) "    " ADD(v, a, b)

static rlxc_module *parse(rlxc_context *ctx, const char *body)
{
    const char *text = rlxc_internf(ctx, "%s%s", random_program_header, body);
    rlxc_module *module = rlxc_parse_module(ctx, "test.py", text, strlen(text));
    rlxc_options options = {.opt_level = 0};
    if (module && rlxc_pass_infer(ctx, module, &options) &&
        rlxc_pass_lower_call_tir(ctx, module, &options))
        return module;
    cr_expect(false, "%s%s", rlxc_render_diagnostics(ctx), text);
    return NULL;
}

typedef struct op_count {
    const char *name;
    unsigned n;
} op_count;

static bool count_one(void *user, rlxc_binding *b)
{
    op_count *c = user;
    c->n += rlxc_is_op(b, c->name);
    return true;
}

static unsigned count_op(rlxc_context *ctx, const rlxc_module *module, const char *name)
{
    const rlxc_global *g = rlxc_module_find(module, rlxc_intern_cstr(ctx, "main"));
    op_count c = {name, 0};
    rlxc_each_binding(&g->relax->body, count_one, &c);
    return c.n;
}

RLX_TEST(memory_plan, storages_are_shared_where_lifetimes_do_not_meet)
{
    static const struct {
        const char *what, *body;
        unsigned storages, own;
    } rows[] = {
        {"a lone result", ADD("a", "x", "y") "        return a\n", 0, 1},
        {"a chain is computed in place",
         ADD("a", "x", "y") ADD("b", "a", "y") ADD("d", "b", "y") ADD("e", "d", "y")
             ADD("f", "e", "y") "        return f\n",
         1, 1},
        {"a value read again late stays",
         ADD("a", "x", "y") ADD("b", "a", "y") ADD("d", "b", "y") ADD("e", "d", "a")
             ADD("f", "e", "y") "        return f\n",
         2, 1},
        {"a reshape keeps its source",
         ADD("a", "x", "y") "        v = R.reshape(a, R.shape([n]))\n" ADD("b", "y", "y")
             ADD("d", "b", "y") ADD("e", "d", "v") ADD("f", "e", "y") "        return f\n",
         2, 1},
        {"a match_cast keeps its source",
         ADD("a", "x", "y") "        v = R.match_cast(a, " T1 ")\n" ADD("b", "y", "y")
             ADD("d", "b", "y") ADD("e", "d", "v") ADD("f", "e", "y") "        return f\n",
         2, 1},
        {"a tuple keeps its items",
         ADD("a", "x", "y") ADD("b", "y", "y") "        t = (a, b)\n" ADD("d", "y", "y")
             ADD("e", "d", "y") "        return (t, e)\n",
         1, 3},
        {"results of branches escape through the IF",
         ADD("a", "x", "y") "        if c:\n" IN_ADD("p", "a", "y")
             IN_ADD("q", "p", "y") "            r = q\n        else:\n" IN_ADD(
                 "q", "a", "x") "            r = q\n        return r\n",
         2, 2},
        {"branches share storage of before the IF",
         ADD("a", "x", "y") ADD("b", "a", "y") "        if c:\n" IN_ADD("p", "b", "y") IN_ADD(
             "q", "p", "y") IN_ADD("s", "q",
                                   "y") "            r = s\n        else:\n" IN_ADD("p", "b", "y")
             IN_ADD("q", "p", "y") "            r = q\n" ADD("d", "r", "y") "        return d\n",
         3, 1},
        {"a packed function may keep what it gets",
         ADD("a", "x",
             "y") "        k = R.call_packed(\"test.keep\", a, sinfo_args=R.Object)\n" ADD("b", "y",
                                                                                           "y")
             ADD("d", "b", "y") "        return (d, k)\n",
         1, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options = {0};
        rlxc_module *m = parse(ctx, rows[i].body);
        if (m) {
            cr_expect(rlxc_pass_plan_memory(ctx, m, &options) &&
                          rlxc_pass_insert_kill(ctx, m, &options) &&
                          rlxc_pass_verify_plan(ctx, m, &options) &&
                          rlxc_well_formed(ctx, m, "test", true),
                      "%s: %s", rows[i].what, rlxc_render_diagnostics(ctx));
            unsigned storages = count_op(ctx, m, "memory.alloc_storage");
            unsigned own = count_op(ctx, m, "builtin.alloc_tensor");
            cr_expect(storages == rows[i].storages && own == rows[i].own,
                      "%s: %u storages and %u tensors of their own, expected %u and %u\n%s",
                      rows[i].what, storages, own, rows[i].storages, rows[i].own,
                      rlxc_print_module(ctx, m));
            cr_expect_geq(count_op(ctx, m, "memory.kill_storage"), storages);
        }
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(memory_plan, in_place_writes_only_where_nobody_else_looks)
{
#define INC(v, a)                                                              \
    "        " v " = R.call_tir_inplace(cls.inc, (" a ",), out_sinfo=" T1 ", " \
    "inplace_indices=[0])\n"
    static const struct {
        const char *what, *body;
        bool copies;
    } rows[] = {
        {"the last reader", ADD("a", "x", "y") INC("b", "a") "        return b\n", false},
        {"read again", ADD("a", "x", "y") INC("b", "a") ADD("d", "b", "a") "        return d\n",
         true},
        {"a parameter", INC("b", "x") "        return b\n", true},
        {"a view of a parameter",
         "        v = R.reshape(x, R.shape([n]))\n" INC("b", "v") "        return b\n", true},
        {"a view is read later",
         ADD("a", "x", "y") "        v = R.reshape(a, R.shape([n]))\n" INC("b", "a")
             ADD("d", "b", "v") "        return d\n",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *m = parse(ctx, rows[i].body);
        if (m)
            cr_expect_eq(strstr(rlxc_print_module(ctx, m), "rlx.copy") != NULL, rows[i].copies,
                         "%s\n%s", rows[i].what, rlxc_print_module(ctx, m));
        rlxc_context_destroy(ctx);
    }
}

/* --- which operands may be written over ------------------------------------------------------- */

typedef bool (*proof_fn)(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);

/* Whether |proof| lets o overwrite x in f(x, y, o) with the statements |body|; x is parameter 0, o
 * parameter 2. */
static bool overwrites(rlx_test *t, proof_fn proof, const char *shapes, const char *body)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const char *text =
        rlxc_internf(ctx,
                     "from tvm.script import ir as I\nfrom tvm.script import tir as T\n"
                     "@I.ir_module\nclass Module:\n    @T.prim_func\n"
                     "    def f(px: T.handle, py: T.handle, po: T.handle):\n"
                     "        n = T.int64()\n        m = T.int64()\n%s%s",
                     shapes, body);
    rlxc_module *module = rlxc_parse_module(ctx, "test.py", text, strlen(text));
    cr_expect(module, "%s\n%s", rlxc_render_diagnostics(ctx), text);
    const rlxc_global *g = module ? rlxc_module_find(module, rlxc_intern_cstr(ctx, "f")) : NULL;
    bool holds = g && proof(ctx, g->prim, 0, 2);
    rlxc_context_destroy(ctx);
    return holds;
}

#define SHAPES(x, y, o)                       \
    "        x = T.match_buffer(px, " x ")\n" \
    "        y = T.match_buffer(py, " y ")\n" \
    "        o = T.match_buffer(po, " o ")\n"
#define SQUARES SHAPES("(n, n)", "(n,)", "(n, n)")
#define BLOCK(store)                                        \
    "        for i, j in T.grid(n, n):\n"                   \
    "            with T.block(\"b\"):\n"                    \
    "                u, v = T.axis.remap(\"SS\", [i, j])\n" \
    "                " store "\n"

RLX_TEST(memory_plan, operands_are_overwritten_only_element_by_element)
{
    static const struct {
        const char *what, *shapes, *body;
        bool holds;
        bool proved; /* by the verifier, which may prove more than the planner uses */
    } rows[] = {
        {"the same element", SQUARES, BLOCK("o[u, v] = x[u, v] + T.float32(1)"), true, true},
        {"another operand anywhere", SQUARES, BLOCK("o[u, v] = x[u, v] + y[v]"), true, true},
        {"twice", SQUARES, BLOCK("o[u, v] = x[u, v] * x[u, v]"), true, true},
        {"transposed", SQUARES, BLOCK("o[u, v] = x[v, u]"), false, false},
        {"a neighbour", SQUARES, BLOCK("o[u, v] = x[u, v] + x[u, 0]"), false, false},
        {"stored transposed", SQUARES, BLOCK("o[v, u] = x[u, v]"), false, false},
        {"reads its result", SQUARES, BLOCK("o[u, v] = o[u, v] + x[u, v]"), false, false},
        {"through a temporary", SQUARES,
         "        t = T.alloc_buffer((n, n))\n" BLOCK("t[u, v] = x[u, v]")
             BLOCK("o[u, v] = t[u, v] + y[u]"),
         true, true},
        {"through a transposed temporary", SQUARES,
         "        t = T.alloc_buffer((n, n))\n" BLOCK("t[u, v] = x[u, v]")
             BLOCK("o[u, v] = t[v, u]"),
         false, false},
        {"read again after the result", SQUARES, BLOCK("o[u, v] = x[u, v]") BLOCK("y[u] = x[u, v]"),
         false, false},
        {"computed twice", SQUARES,
         "        for r, i, j in T.grid(2, n, n):\n            with T.block(\"b\"):\n"
         "                u, v = T.axis.remap(\"SS\", [i, j])\n"
         "                o[u, v] = x[u, v] + T.float32(1)\n",
         false, false},
        {"a sum", SQUARES,
         "        for i, j, k in T.grid(n, n, n):\n            with T.block(\"b\"):\n"
         "                u, v, w = T.axis.remap(\"SSR\", [i, j, k])\n"
         "                with T.init():\n                    o[u, v] = T.float32(0)\n"
         "                o[u, v] = o[u, v] + x[u, w]\n",
         false, false},
        {"of another shape", SHAPES("(n, m)", "(n,)", "(n, n)"),
         BLOCK("o[u, v] = x[u, v] + T.float32(1)"), false, false},
        {"of a smaller type", SHAPES("(n, n), \"float16\"", "(n,)", "(n, n)"),
         BLOCK("o[u, v] = T.Cast(\"float32\", x[u, v])"), false, false},
        {"plain loops", SQUARES,
         "        for i, j in T.grid(n, n):\n            o[i, j] = x[i, j]\n", false, true},
        {"shifted and stored as far", SQUARES, BLOCK("o[u + 1, v] = x[u + 1, v]"), false, false},
        {"reversed", SQUARES, BLOCK("o[u, v] = x[n - 1 - u, v]"), false, false},
        {"another spelling of the place", SQUARES, BLOCK("o[u, v] = x[u + v - v, v]"), false, true},
        {"the same element or another", SQUARES,
         BLOCK("o[u, v] = T.if_then_else(u < 3, x[u, v], x[0, v])"), false, false},
        {"an index from the operand", SQUARES,
         BLOCK("o[u, v] = x[u, v] + y[T.Cast(\"int64\", x[v, u])]"), false, false},
        {"extents from the operand", SQUARES,
         "        for i in range(n):\n            for j in range(T.Cast(\"int64\", x[0, 0])):\n"
         "                with T.block(\"b\"):\n                    u, v = T.axis.remap(\"SS\", "
         "[i, j])\n"
         "                    o[u, v] = x[u, v]\n",
         false, false},
        {"with another result first", SHAPES("(n, n)", "(n, n)", "(n, n)"),
         BLOCK("y[u, v] = x[u, v]") BLOCK("o[u, v] = y[u, v] + x[u, v]"), true, true},
        {"with another result elsewhere", SHAPES("(n, n)", "(n, n)", "(n, n)"),
         BLOCK("y[u, v] = T.Cast(\"float32\", u)") BLOCK("o[u, v] = y[v, u] + x[u, v]"), false,
         false},
        {"a sum of another operand before", SQUARES,
         "        t = T.alloc_buffer((n, n))\n" BLOCK("t[u, 0] = y[u] + y[v]")
             BLOCK("o[u, v] = x[u, v] + t[v, 0]"),
         false, true},
        {"stored twice", SQUARES, BLOCK("o[u, v] = x[u, v]") BLOCK("o[u, v] = y[u]"), false, false},
        {"the operand is stored to", SQUARES, BLOCK("x[u, v] = y[v]") BLOCK("o[u, v] = y[u]"),
         false, false},
        {"passed on", SQUARES,
         BLOCK("o[u, v] = T.call_extern(\"float32\", \"f\", x.data, x[u, v])"), false, false},
        {"under a condition", SQUARES,
         "        for i, j in T.grid(n, n):\n            with T.block(\"b\"):\n"
         "                u, v = T.axis.remap(\"SS\", [i, j])\n                T.where(i < 3)\n"
         "                o[u, v] = x[u, v]\n",
         false, false},
        {"not stored at all", SQUARES, BLOCK("y[u] = x[u, v]"), false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(overwrites(t, rlxc_may_overwrite, rows[i].shapes, rows[i].body), rows[i].holds,
                     "planner: %s", rows[i].what);
        cr_expect_eq(overwrites(t, rlxc_blocks_overwrite, rows[i].shapes, rows[i].body),
                     rows[i].proved, "verifier: %s", rows[i].what);
    }
}

#define FLAT(body)                                            \
    "        for r in T.parallel(n * n):\n"                   \
    "            x1 = T.decl_buffer((n * n,), data=x.data)\n" \
    "            o1 = T.decl_buffer((n * n,), data=o.data)\n" \
    "            " body "\n"
#define ROWS "        for i in T.parallel(n):\n"
#define COLUMNS(store) "            for j in range(n):\n                " store "\n"

RLX_TEST(memory_plan, loops_overwrite_what_they_have_read)
{
    static const struct {
        const char *what, *shapes, *body;
        bool holds;
    } rows[] = {
        {"the same element", SQUARES, ROWS COLUMNS("o[i, j] = x[i, j] + y[j]"), true},
        {"through flat views", SQUARES, FLAT("o1[r] = x1[r] * x1[r]"), true},
        {"a flat view and rows", SQUARES,
         "        for r in range(n * n):\n"
         "            o1 = T.decl_buffer((n * n,), data=o.data)\n"
         "            o1[r] = x[r // n, r % n]\n",
         false},
        {"a quotient and its remainder", SQUARES,
         "        for r in T.parallel(n * n):\n"
         "            o[r // n, r % n] = x[r // n, r % n]\n",
         true},
        {"a quotient and another remainder", SQUARES,
         "        for r in T.parallel(n * n):\n"
         "            o[r // n, r % 7] = x[r // n, r % 7]\n",
         false},
        {"a quotient alone", SQUARES,
         "        for r in T.parallel(n * n):\n            o[r // n, 0] = x[r // n, 0]\n", false},
        {"a neighbour", SQUARES, FLAT("o1[r] = x1[r] + x1[T.max(r - 1, 0)]"), false},
        {"transposed", SQUARES, ROWS COLUMNS("o[i, j] = x[j, i]"), false},
        {"blocks", SQUARES, BLOCK("o[u, v] = x[u, v] + y[v]"), true},
        {"transposed by a block", SQUARES,
         "        for i, j in T.grid(n, n):\n            with T.block(\"b\"):\n"
         "                u, v = T.axis.remap(\"SS\", [j, i])\n                o[u, v] = x[v, u]\n",
         false},
        {"rows read before they are written", SQUARES,
         ROWS COLUMNS("y[j] = y[j] + x[i, j]") COLUMNS("o[i, j] = y[j]"), true},
        {"rows read after they are written", SQUARES,
         ROWS COLUMNS("o[i, j] = y[j]") COLUMNS("y[j] = y[j] + x[i, j]"), false},
        {"another row", SQUARES, ROWS COLUMNS("y[j] = y[j] + x[j, i]") COLUMNS("o[i, j] = y[j]"),
         false},
        {"all read before", SQUARES,
         ROWS COLUMNS("y[i] = y[i] + x[j, i]") ROWS COLUMNS("o[i, j] = y[j]"), true},
        {"read again in a turn of a loop around", SQUARES,
         "        for k in range(2):\n            for i in range(n):\n"
         "                o[i, 0] = x[i, 0] + T.float32(1)\n",
         false},
        {"written too", SQUARES, ROWS COLUMNS("x[i, j] = o[i, j]"), false},
        {"passed on", SQUARES, ROWS COLUMNS("o[i, j] = T.call_extern(\"float32\", \"f\", x.data)"),
         false},
        {"of another shape", SHAPES("(n, m)", "(n,)", "(n, n)"), ROWS COLUMNS("o[i, j] = x[i, j]"),
         false},
        {"of a smaller type", SHAPES("(n, n), \"float16\"", "(n,)", "(n, n)"),
         ROWS COLUMNS("o[i, j] = T.Cast(\"float32\", x[i, j])"), false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(overwrites(t, rlxc_loops_overwrite, rows[i].shapes, rows[i].body),
                     rows[i].holds, "%s", rows[i].what);
}

/* --- the verifier on plans written by hand ---------------------------------------------------- */

#define STORAGE(s, bytes)                                                            \
    "        " s " = R.memory.alloc_storage(R.shape([" bytes "]), R.prim_value(0), " \
    "R.str(\"global\"), R.dtype(\"uint8\"))\n"
#define PLANNED(s, bytes)                                                            \
    "        " s " = R.memory.alloc_storage(R.shape([" bytes "]), R.prim_value(0), " \
    "R.str(\"planned\"), R.dtype(\"uint8\"))\n"
#define TENSOR(v, s, offset)                                                          \
    "        " v ": " T1 " = R.memory.alloc_tensor(" s ", R.prim_value(" offset "), " \
    "R.shape([n]), R.dtype(\"float32\"))\n"
#define RUN(a, b, o) "        cls.add(" a ", " b ", " o ")\n"
/* A function with loops writes b over a in planned memory; its annotation says that it may. */
#define RUN_NOTED(loops)                                                               \
    PLANNED("s", "n * 4")                                                              \
    TENSOR("a", "s", "0")                                                              \
    RUN("x", "y", "a")                                                                 \
    TENSOR("b", "s", "0")                                                              \
    "        cls.noted(a, y, b)\n        return x\n\n    @T.prim_func(private=True)\n" \
    "    def noted(px: T.handle, py: T.handle, po: T.handle):\n"                       \
    "        T.func_attr({\"tir.noalias\": True, \"rlx.in_place\": [0, 2]})\n"         \
    "        n = T.int64()\n" SHAPES("(n,)", "(n,)", "(n,)") loops
/* Split loops that read and write at |at|. */
#define RUN_SPLIT(inner, at)                      \
    RUN_NOTED("        for i in range(n):\n"      \
              "            for j in " inner ":\n" \
              "                o[" at "] = x[" at "]\n")
/* One loop over all of three dimensions, that reads and writes at |at|; and two. */
#define RUN_FUSED(at)                                                \
    RUN_NOTED("        x3 = T.decl_buffer((n, n, 5), data=x.data)\n" \
              "        o3 = T.decl_buffer((n, n, 5), data=o.data)\n" \
              "        for f in range(n * n * 5):\n            o3[" at "] = x3[" at "]\n")
#define RUN_FUSED_SPLIT(at)                                          \
    RUN_NOTED("        x3 = T.decl_buffer((n, n, 8), data=x.data)\n" \
              "        o3 = T.decl_buffer((n, n, 8), data=o.data)\n" \
              "        for i in range(n * n):\n"                     \
              "            for j in range(T.int64(8)):\n"            \
              "                o3[" at "] = x3[" at "]\n")

RLX_TEST(memory_plan, the_verifier_names_the_fault)
{
    static const struct {
        const char *body, *message; /* NULL: accepted */
    } rows[] = {
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "0")
             RUN("x", "y", "b") "        return b\n",
         NULL},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "0")
             RUN("a", "y", "b") "        return b\n",
         "'a' is used after 'b' reused its memory"},
        {STORAGE("s", "n * 8") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "n * 4")
             RUN("a", "y", "b") "        return b\n",
         NULL},
        {STORAGE("s", "n * 8") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "n * 3")
             RUN("a", "y", "b") "        return b\n",
         "'a' is used after 'b' reused its memory"},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0") RUN(
             "x", "y",
             "a") "        v = R.reshape(a, R.shape([n]))\n        t = (v, x)\n" TENSOR("b", "s",
                                                                                        "0")
             RUN("x", "y", "b") "        w = t[0]\n        return w\n",
         "'v' is used after 'b' reused its memory"},
        {STORAGE("s", "40") "        a: R.Tensor((11,), dtype=\"float32\") = "
                            "R.memory.alloc_tensor(s, R.prim_value(0), R.shape([11]), "
                            "R.dtype(\"float32\"))\n        return a\n",
         "'a' does not fit in storage 's'"},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "0")
             RUN("a", "y", "b") ADD("d", "b", "y") "        return d\n",
         NULL},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0") RUN(
             "x", "y",
             "a") "        v = R.reshape(a, R.shape([n]))\n        t = (x, v)\n        return t\n",
         "'t' outlives the planned memory that it may lie in"},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        if c:\n            r = x\n        else:\n            r = "
                                "a\n        return r\n",
         "'r' outlives the planned memory that it may lie in"},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        k = R.call_packed(\"test.keep\", a, "
                                "sinfo_args=R.Object)\n        return k\n",
         "'a' outlives the planned memory that it may lie in"},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        k = R.call_packed(\"rlx.copy\", a, sinfo_args=R.Object)\n "
                                "       return x\n",
         NULL},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        k: R.Object = cls.main(a, y, c)\n        return k\n",
         "'a' outlives the planned memory that it may lie in"},
        {PLANNED("s", "40") TENSOR("a", "s", "0") RUN("x", "y", "a") "        return x\n",
         "'a' does not fit in storage 's'"},
        {PLANNED("s", "n * 3 + 64") TENSOR("a", "s", "0") RUN("x", "y", "a") "        return x\n",
         "'a' does not fit in storage 's'"},
        {PLANNED("s", "n * 4 + 64") TENSOR("a", "s", "0") RUN("x", "y", "a") "        return x\n",
         NULL},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0") RUN("x", "y", "a") TENSOR("b", "s", "0")
             RUN("a", "y", "b") RUN("a", "y", "b") "        return b\n",
         "'a' is used after 'b' reused its memory"},
        {PLANNED("s", "n * 8") TENSOR("a", "s", "n * 4") "        return x\n",
         "'a' is not at the start of its planned storage"},
        {PLANNED("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        R.memory.kill_storage(s)\n        return a\n",
         "'a' is used after its storage 's' was killed"},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0") "        R.memory.kill_storage(s)\n" TENSOR(
             "b", "s", "0") "        return b\n",
         "'s' is used after it was killed"},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0") "        R.memory.kill_tensor(a)\n        "
                                                     "R.memory.kill_tensor(a)\n        return x\n",
         "'a' is killed twice"},
        {"        R.vm.kill_object(x)\n        return y\n", "the parameter 'x' is killed"},
        {STORAGE("s", "n * 4") "        r = R.invoke_pure_closure(s, (x,), sinfo_args=R.Object)\n"
                               "        return r\n",
         "'s' is a storage, which cannot be called"},
        {STORAGE("s", "n * 4") "        r: R.Object = s(x)\n        return r\n",
         "'s' is a storage, which cannot be called"},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y", "a") "        if c:\n    " TENSOR("b", "s", "0") "    " RUN(
                 "x", "y", "b") "            r = b\n        else:\n            r = "
                                "y\n" ADD("d", "r", "a") "        return d\n",
         "'a' is used after 'b' reused its memory"},
        {STORAGE("s", "n * 4") TENSOR("a", "s", "0")
             RUN("x", "y",
                 "a") "        if c:\n            R.memory.kill_tensor(a)\n            r = x\n"
                      "        else:\n            r = y\n        return r\n",
         "'a' is killed in one branch only"},
        {RUN_NOTED("        for i in range(n):\n            o[i] = x[i] + y[i]\n"), NULL},
        {RUN_NOTED("        for i in range(n):\n            o[i] = x[n - 1 - i]\n"),
         "rlx.in_place of 'noted' states that parameter 2 may overwrite parameter 0"},
        {RUN_FUSED("f // (n * 5), f // 5 % n, f % 5"), NULL},
        {RUN_FUSED("f // 5 // n, f // 5 % n, f % 5"), NULL},
        {RUN_FUSED("f // (n * 5), 0, f % 5"), "'noted' states that parameter 2 may overwrite"},
        {RUN_FUSED("f // (n * 5), f // 5 % 3, f % 5"), "'noted' states that parameter 2"},
        {RUN_FUSED("f // (n * 5), f // 5 % n, f % 4"), "'noted' states that parameter 2"},
        {RUN_FUSED("0, f // 5 % n, f % 5"), "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(T.int64(8))", "i * 8 + j"), NULL},
        {RUN_SPLIT("range(T.int64(1), T.int64(9))", "j + i * 8"), NULL},
        {RUN_SPLIT("range(T.int64(8))", "(i + 1) * 9 + j"), NULL},
        {RUN_SPLIT("range(T.int64(8))", "i * 7 + j"),
         "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(T.int64(8))", "i * 8 - j"),
         "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(T.int64(8))", "i * 8 + j * 2"),
         "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(T.int64(8))", "i * 8"), "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(n)", "i * 8 + j"), "'noted' states that parameter 2 may overwrite"},
        {RUN_SPLIT("range(i, i + 8)", "i * 8 + j"), "'noted' states that parameter 2 may"},
        {RUN_FUSED_SPLIT("i // n, i % n, j"), NULL},
        {RUN_FUSED_SPLIT("(i * 8 + j) // (n * 8), (i * 8 + j) // 8 % n, (i * 8 + j) % 8"), NULL},
        {RUN_FUSED_SPLIT("(i * 7 + j) // (n * 8), (i * 7 + j) // 8 % n, (i * 7 + j) % 8"),
         "'noted' states that parameter 2 may overwrite"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options = {0};
        rlxc_module *m = parse(ctx, rows[i].body);
        if (m) {
            bool accepted = rlxc_pass_verify_plan(ctx, m, &options);
            const char *said = rlxc_render_diagnostics(ctx);
            cr_expect(accepted == (rows[i].message == NULL), "row %zu: %s", i, said);
            if (rows[i].message)
                cr_expect(strstr(said, rows[i].message), "row %zu: %s", i, said);
        }
        rlxc_context_destroy(ctx);
    }
}

/* --- random programs ---------------------------------------------------------------------------
 */

static bool is_read(const rlxc_binding_block *block, uint32_t from, const rlxc_rvar *var)
{
    for (uint32_t i = from; i < block->n; i++)
        for (uint32_t k = 0; k < block->bindings[i]->n_args; k++)
            if (block->bindings[i]->args[k].kind == RLXC_ATOM_VAR &&
                block->bindings[i]->args[k].var == var)
                return true;
    return false;
}

/* Moves a tensor at the function's top level into the storage of another that is read later. */
static bool inject_overlap(rlxc_function *f)
{
    for (uint32_t k = 0; k < f->body.n_blocks; k++) {
        rlxc_binding_block *block = f->body.blocks[k];
        for (uint32_t i = 0; i < block->n; i++) {
            const rlxc_binding *a = block->bindings[i];
            if (!rlxc_is_op(a, "memory.alloc_tensor"))
                continue;
            for (uint32_t j = i + 1; j + 1 < block->n; j++) {
                rlxc_binding *b = block->bindings[j], *call = block->bindings[j + 1];
                if (!rlxc_is_op(b, "memory.alloc_tensor") || call->callee.kind != RLXC_ATOM_GLOBAL)
                    continue;
                if (call->args[0].kind != RLXC_ATOM_VAR || call->args[0].var != a->var ||
                    !is_read(block, j + 2, a->var))
                    continue;
                rlxc_atom *args = (rlxc_atom *)(uintptr_t)b->args;
                args[0] = a->args[0];
                return true;
            }
        }
    }
    return false;
}

RLX_TEST(memory_plan, random_programs_verify_and_injected_overlaps_do_not)
{
    unsigned injected = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options = {0};
        random_program *p = rlxc_alloc(ctx, sizeof *p);
        p->text.ctx = ctx;
        random_program_make(p, seed, 4 + seed % 20);
        rlxc_module *m = parse(ctx, p->text.data);
        if (m) {
            cr_expect(rlxc_pass_plan_memory(ctx, m, &options) &&
                          rlxc_pass_insert_kill(ctx, m, &options) &&
                          rlxc_pass_verify_plan(ctx, m, &options) &&
                          rlxc_well_formed(ctx, m, "test", true),
                      "seed %u: %s\n%s", seed, rlxc_render_diagnostics(ctx), p->text.data);
        }
        m = parse(ctx, p->text.data);
        if (m && rlxc_pass_plan_memory(ctx, m, &options) &&
            inject_overlap(rlxc_module_find(m, rlxc_intern_cstr(ctx, "main"))->relax)) {
            injected++;
            cr_expect(!rlxc_pass_verify_plan(ctx, m, &options), "seed %u: overlap not found\n%s",
                      seed, rlxc_print_module(ctx, m));
        }
        rlxc_context_destroy(ctx);
    }
    cr_expect_gt(injected, 10u);
}
