/* The TVMScript parser: the texts of tests/script and examples are read, printed and read again to
 * an equal module; values are kept exactly; every kind of error names its place and cause. */
#include "tests/support/rlx_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/script/lexer.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"

static void round_trip(rlx_test *t, const char *path)
{
    size_t length;
    char *text = file_read(path, &length);
    const char *why = "";
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_parse_module(ctx, path, text, length);
    cr_expect(module, "%s", rlxc_render_diagnostics(ctx));
    if (module) {
        cr_expect(rlxc_well_formed(ctx, module, "parse", false), "%s",
                  rlxc_render_diagnostics(ctx));
        const char *printed = rlxc_print_module(ctx, module);
        rlxc_module *again = rlxc_parse_module(ctx, "printed.py", printed, strlen(printed));
        cr_expect(again, "%s", rlxc_render_diagnostics(ctx));
        cr_expect(again && rlxc_module_equal(ctx, module, again, &why), "%s: %s\n%s", path, why,
                  printed);
    }
    rlxc_context_destroy(ctx);
    free(text);
}

static void round_trip_folder(rlx_test *t, const char *folder, unsigned least)
{
    DIR *dir = opendir(folder);
    cr_assert(dir, "%s", folder);
    unsigned n = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[512];
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 3, ".py") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        round_trip(t, path);
        n++;
    }
    closedir(dir);
    cr_expect(n >= least, "%s holds %u scripts, expected %u", folder, n, least);
}

RLX_TEST(parse, scripts_survive_print_and_parse)
{
    round_trip_folder(t, "tests/script", 6);
    round_trip_folder(t, "examples/chargpt", 1);
    round_trip_folder(t, "examples/digits", 1);
    round_trip_folder(t, "examples/embed", 1);
}

/* The printed text must contain |want|. */
#define FN \
    "@R.function\ndef main(x: R.Tensor((\"n\", 4), \"float32\"), c: R.Tensor((), \"bool\")):\n"
#define METADATA /* one float32 */                                                                 \
    "metadata = tvm.ir.load_json('{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": " \
    "\"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, {\"type_key\": \"Array\", "     \
    "\"data\": [3]}, {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\"}}], "     \
    "\"b64ndarrays\": "                                                                            \
    "[\"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQABAAAAAAAAAAQAAAAAAAAAAACAPw==\"]}')\n"
#define PF "@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\"), n: T.int32):\n"
#define TEN "1,1,1,1,1,1,1,1,1,1,"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define ADDS "  T.attr(T.comm_reducer(lambda x, y: x + y, [0.0]), \"reduce_scope\", 0)\n"

RLX_TEST(parse, texts_mean_what_they_say)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {FN "  return x\n", "return x"},
        {PF "  for i in range(n, n + (n - 2 * n + 7)):\n    A[i] = A[0]\n",
         "range(n, n + (n - 2 * n + 7))"},
        {FN "  y = R.add(R.exp(x), x)\n  return y\n", "gv = R.exp(x)\n        y = R.add(gv, x)"},
        {FN "  return x * 2\n", "R.multiply(x, R.const(2.0, \"float32\"))"},
        {FN "  return 2 - x\n", "R.subtract(R.const(2.0, \"float32\"), x)"},
        {FN "  return R.sum(x, -1, True)\n", "R.sum(x, axis=[-1], keepdims=True)"},
        {FN "  return R.sum(keepdims=True, x=x)\n", "R.sum(x, axis=None, keepdims=True)"},
        {FN "  return R.reshape(x, (-1, 2))\n", "R.reshape(x, R.shape([-1, 2]))"},
        {FN "  return R.zeros((n, 3))\n", "R.zeros(R.shape([n, 3]), dtype=\"float32\")"},
        {FN "  return x.astype(\"int8\")\n", "R.astype(x, dtype=\"int8\")"},
        {FN "  y = x; return y\n", "y = x\n        return y"},
        {FN "  a, b = x, c\n  a, b = b, a\n  return a\n", "return a_1"},
        {FN "  return R.const(-0.0, \"float64\")\n", "R.const(-0.0, \"float64\")"},
        {FN "  return R.const(0x10, \"uint8\")\n", "R.const(16, \"uint8\")"},
        {FN "  return R.const(np.array(3))\n", "R.const(3, \"int64\")"},
        {FN "  return R.const(np.array(0.5))\n", "R.const(0.5, \"float64\")"},
        {FN "  return R.const(numpy.array(True))\n", "R.const(True, \"bool\")"},
        {FN "  return R.const(np.array(7, dtype=\"int8\"), \"uint8\")\n", "R.const(7, \"uint8\")"},
        {FN "  return R.const(1_000)\n", "R.const(1000, \"int32\")"},
        {FN "  return R.const(65504, \"float16\")\n", "R.const(65504.0, \"float16\")"},
        {FN "  return R.const(6e-8, \"float16\")\n",
         "R.const(5.9604644775390625e-08, \"float16\")"},
        {FN "  return R.const(3.14, \"bfloat16\")\n", "R.const(3.140625, \"bfloat16\")"},
        {FN "  return R.shape([\"n * 2 + 1\", n // 2])\n", "R.shape([n * 2 + 1, n // 2])"},
        {FN "  if c:\n    y = x\n  elif c:\n    y = R.exp(x)\n  else:\n    y = x\n  return y\n",
         "else:\n            if c:\n                y_1 = R.exp(x)"},
        {FN "  if c: return x\n  else: return R.exp(x)\n", "return gv"},
        {FN "  R.func_attr({\"global_symbol\": \"main\", \"a\": 1})\n  return x\n",
         "R.func_attr({\"a\": 1})"},
        {"from tvm.script import relax as rx\n@rx.function\ndef f(a: rx.Object):\n  return a\n",
         "def f(a: R.Object)"},
        {"from tvm.script import relax as rx\n@rx.function\ndef f(a):\n  return a\n",
         "def f(a: R.Object)"},
        {"import tvm\n@tvm.script.relax.function\ndef f(a: tvm.script.relax.Object):\n  return a\n",
         "def f(a: R.Object)"},
        {"@R.function\ndef f(a: R.Tensor(\"int8\"), b: R.Tensor(ndim=2), d: R.Tensor((), \"\")):\n"
         "  return a\n",
         "f(a: R.Tensor(dtype=\"int8\"), b: R.Tensor(ndim=2), d: R.Tensor(()))"},
        {"@R.function\ndef f(a: R.Tensor((_, _), \"int8\")) -> None:\n  return ()\n",
         "a: R.Tensor(dtype=\"int8\", ndim=2)) -> R.Tuple:"},
        {PF "  A[n] = 1\n", "A[n] = T.float32(1.0)"},
        {PF "  for ij in T.grid(2, *A.shape):\n    A[0] = 1\n", "for ij_0, ij_1 in T.grid(2, 16):"},
        {"from tvm.script import s_tir as Ts, tirx as T\n@Ts.prim_func\ndef f(A: T.Buffer((2,))):\n"
         "  A[1] = A[0]\n",
         "A[1] = A[0]"},
        {PF "  A[n] = A[n] if n > 3 else 0\n", "T.if_then_else(n > 3, A[n], T.float32(0.0))"},
        {PF "  A[0] = T.float32(\"-inf\")\n", "T.float32(\"-inf\")"},
        {PF "  A[-n + 3 - -2] = 0x7f\n", "A[0 - n + 3 - -2] = T.float32(127.0)"},
        {PF "  A[n] = T.Cast(\"float32\", 1 < n < 4)\n", "T.Cast(\"float32\", 1 < n and n < 4)"},
        {PF "  A[2 ** 3 if False else n] = 1\n", NULL},
        {PF "  for i in T.grid(2):\n    for j in range(1, n): A[i] = A[j]\n",
         "for i in range(2):\n            for j in range(1, 1 + (n - 1)):"},
        {PF "  A[n << 1 & 3 | 4] += 1\n", "T.bitwise_or(T.bitwise_and(T.shift_left(n, 1), 3), 4)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *m = rlxc_parse_module(ctx, "t.py", cases[i].text, strlen(cases[i].text));
        if (!cases[i].want) {
            cr_expect(!m, "%s must be refused", cases[i].text);
        } else if (!m) {
            cr_expect(m, "%s", rlxc_render_diagnostics(ctx));
        } else {
            const char *printed = rlxc_print_module(ctx, m);
            cr_expect(strstr(printed, cases[i].want), "lacks %s:\n%s", cases[i].want, printed);
        }
        rlxc_context_destroy(ctx);
    }
}

typedef struct error_case {
    const char *text;
    uint32_t line, col;
    const char *message;
} error_case;

static void expect_errors(rlx_test *t, const error_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const error_case *c = &cases[i];
        cr_expect(!rlxc_parse_module(ctx, "t.py", c->text, strlen(c->text)), "accepted: %s",
                  c->text);
        size_t count = 0;
        const rlxc_diagnostic *d = rlxc_diagnostics(ctx, &count);
        bool good = count == 1 && d->range.line == c->line && d->range.col == c->col &&
                    strstr(d->message, c->message);
        cr_expect(good, "%s: expected %u:%u: %s, got\n%s", c->text, c->line, c->col, c->message,
                  rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(parse, errors_name_place_and_cause)
{
    static const error_case cases[] = {
        {"", 1, 1, "defines no function"},
        {"\xff", 1, 1, "not UTF-8"},
        {"def f():\n  return 1\n", 1, 1, "needs the decorator"},
        {"@R.funktion\ndef f():\n  pass\n", 1, 2, "unknown decorator 'R.funktion'"},
        {"x = 1\n", 1, 1, "not allowed outside functions"},
        {"@I.ir_module\nclass M:\n  for i in x: pass\n", 3, 3, "'for' is not allowed"},
        {FN "  return R.relux(x)\n", 3, 10, "operator R.relux is not supported"},
        {FN "  return R.addd(x, x)\n", 3, 10, "did you mean R.add?"},
        {FN "  return R.sum(x, axes=1)\n", 3, 24, "has no argument 'axes'; it takes (x, axis"},
        {FN "  return R.add(x)\n", 3, 10, "argument 'rhs' is missing"},
        {FN "  return R.add(x, x, x)\n", 3, 22, "at most 2 arguments, got 3"},
        {FN "  return R.add(x, lhs=x)\n", 3, 23, "argument 'lhs' is given twice"},
        {FN "  return R.sum(x, keepdims=2)\n", 3, 28, "must be True or False, got 2"},
        {FN "  return R.astype(x, \"f31\")\n", 3, 22, "must be an element type"},
        {FN "  y = R.add(x, z)\n  w = R.exp(y)\n  return w\n", 3, 16, "'z' is not defined"},
        {FN "  y = R.add(x, )) \n  return y\n", 3, 17,
         "expected the end of the statement, got ')'"},
        {FN "  y = \"abc\n  return y\n", 3, 7, "unterminated string"},
        {FN "  y = \"\\xzz\"\n  return y\n", 3, 7, "malformed escape"},
        {FN "  y = f\"abc\"\n  return y\n", 3, 7, "prefix 'f'"},
        {FN "  y = R.const(99999999999999999999)\n  return y\n", 3, 15, "does not fit 64 bits"},
        {FN "  y = R.const(12abc)\n  return y\n", 3, 15, "malformed number"},
        {FN "  y = x ? x\n  return y\n", 3, 9, "unexpected character '?'"},
        {FN "  y = x\n    z = x\n  return y\n", 4, 5, "expected a line at the block's"},
        {FN "  if c:\n      y = x\n    z = x\n  return x\n", 5, 5, "dedent to column 5 matches no"},
        {FN "  y = x\n", 2, 68, "function 'main' does not return"},
        {FN "  return x\n  y = x\n", 4, 3, "statements after return"},
        {FN "  if c:\n    y = x\n  return x\n", 3, 3, "needs an else"},
        {FN "  if c:\n    y = x\n  else:\n    z = x\n  return x\n", 3, 3, "got 'y' and 'z'"},
        {FN "  if c:\n    pass\n  else:\n    z = x\n  return x\n", 3, 3, "must end by binding"},
        {FN "  if c:\n    return x\n  else:\n    z = x\n  return x\n", 3, 3,
         "both branches of an if must return"},
        {FN "  while c:\n    y = x\n  return x\n", 3, 3, "'while' is not supported"},
        {FN "  del x\n  return x\n", 3, 3, "'del' is not a statement"},
        {FN "  x += 1\n  return x\n", 3, 3, "this statement is not supported"},
        {FN "  y = z = x\n  return x\n", 3, 9, "chained assignment"},
        {FN "  with R.dataflow():\n    y = x\n    R.output(q)\n  return x\n", 5, 14,
         "R.output: 'q'"},
        {FN "  with R.dataflow():\n    y = x\n    R.output()\n  return y\n", 6, 10,
         "'y' is not defined"},
        {FN "  with R.dataflow():\n    return x\n", 4, 5, "return is not allowed here"},
        {FN "  with R.flow():\n    y = x\n  return x\n", 3, 8, "expected R.dataflow()"},
        {FN "  R.output(x)\n  return x\n", 3, 3, "outside a dataflow block"},
        {FN "  y = R.match_cast(x, R.Tensor((q, 4)))\n  return y\n", 3, 33, "'q' is not defined"},
        {FN "  y = R.match_cast(x, R.Tensor((x, 4)))\n  return y\n", 3, 33, "is a Relax variable"},
        {FN "  m = T.int32()\n  return x\n", 3, 7, "must be int64, got int32"},
        {FN "  y = R.shape([1.5])\n  return y\n", 3, 16, "must be an integer, got float32"},
        {FN "  y = R.shape([\"n +\"])\n  return y\n", 3, 16, "expected an expression"},
        {FN "  y = R.shape([n + \"n\"])\n  return y\n", 3, 20, "expected a scalar expression"},
        {FN "  y = R.const(300, \"int8\")\n  return y\n", 3, 15, "300 is not a value of int8"},
        {FN "  y = R.const(1.5, \"int8\")\n  return y\n", 3, 15, "is not a value of int8"},
        {FN "  y = R.const([[1, 2], [3]])\n  return y\n", 3, 15, "different lengths"},
        {FN "  y = R.const([[1], 2])\n  return y\n", 3, 21, "different depths"},
        {FN "  return metadata[\"relax.expr.Constant\"][0]\n", 3, 10, "'metadata' is not defined"},
        {FN "  cls = 1\n  return cls.f(x)\n", 4, 10, "no method 'f'"},
        {FN "  return x[1.5]\n", 3, 12, "must be a constant integer"},
        {FN "  return R.TupleGetItem(x)\n", 3, 10, "takes a tuple and an index"},
        {FN "  return R.nn.relu(T.FloatImm(\"int32\", 1))\n", 3, 20, "cannot be int32"},
        {FN "  y = R.exp(x)\n  return R.match_cast(y, y.ty)\n", 4, 26, "'y' has no annotation"},
        {"@I.ir_module\nclass M:\n  f = R.ExternFunc(\"g\")\n  @R.function\n  def f(x: "
         "R.Object):\n    return x\n",
         3, 3, "'f' is defined twice"},
        {FN "  return nope(x)\n", 3, 10, "'nope' is not defined"},
        {FN "  return nope.f\n", 3, 10, "'nope' is not defined"},
        {FN "  return x.T\n", 3, 10, "'x.T' is not a value"},
        {FN "  return R.call_packed(x)\n", 3, 10, "needs the function's name in quotes"},
        {FN "  return R.call_tir(main, x)\n", 3, 10, "takes a function, a tuple of arguments"},
        {"@I.ir_module\nclass M:\n  @R.function\n  def f(x: R.Object):\n    return M.g(x)\n", 5, 12,
         "module 'M' has no function 'g'"},
        {"@R.function\ndef f(x: R.Object):\n  return x\n@R.function\ndef f(x: R.Object):\n  return "
         "x\n",
         5, 5, "'f' is defined twice"},
        {"@R.function\ndef f(x: R.Object, x: R.Object):\n  return x\n", 2, 20, "declared twice"},
        {"@R.function\ndef f(x: R.Object = 1):\n  return x\n", 2, 19, "no default values"},
        {"@R.function\ndef f(x: R.Tensr):\n  return x\n", 2, 10, "expected a type such as"},
        {"@R.function\ndef f(x: R.Tensor((4,), ndim=3)):\n  return x\n", 2, 10, "but ndim=3"},
        {"@R.function\ndef f(x: R.Tensor((4,), layout=3)):\n  return x\n", 2, 32,
         "has no argument 'layout'"},
        {"@R.function\ndef f(x: R.Prim):\n  return x\n", 2, 10, "R.Prim needs a type or a value"},
        {PF "  for i in T.thread_binding(16, thread=\"threadIdx.w\"):\n    A[i] = 1.0\n", 3, 40,
         "unknown thread axis \"threadIdx.w\""},
        {PF "  b = T.env_thread(\"block\")\n", 3, 20, "unknown thread axis \"block\""},
        {PF "  b = T.env_thread(\"threadIdx.x\", \"float32\")\n", 3, 35,
         "a thread is an integer, not float32"},
        {PF "  b = T.env_thread(4)\n", 3, 7, "takes the name of a thread axis in quotes"},
        {PF "  b = T.env_thread(\"threadIdx.x\")\n  A[b] = 1.0\n", 4, 5,
         "no T.launch_thread(b, ...) encloses this use of 'b'"},
        {PF "  with T.launch_thread(\"threadIdx.q\", 4) as b:\n    A[b] = 1.0\n", 3, 24,
         "unknown thread axis \"threadIdx.q\""},
        {PF "  with T.launch_thread(c, 4):\n    A[0] = 1.0\n", 3, 24,
         "'c' is not a thread: T.launch_thread takes \"threadIdx.x\" or a name from T.env_thread"},
        {PF "  b = T.launch_thread(\"threadIdx.x\")\n", 3, 7,
         "T.launch_thread takes a thread and a number of threads"},
        {PF "  b = T.launch_thread(\"threadIdx.x\", 1.5)\n", 3, 38,
         "the number of threads must be an integer, got float32"},
        {PF "  for i in range(2):\n    b = T.launch_thread(\"threadIdx.x\", 4)\n    break\n", 5, 5,
         "'break' outside of a loop"},
        {PF "  T.attr(n, \"thread_extent\", 4)\n", 3, 10,
         "'n' is not a thread: T.attr(..., \"thread_extent\", n) takes a name from T.env_thread"},
        {PF "  T.break_loop()\n", 3, 3, "'break' outside of a loop"},
        {PF "  assert A[0] > 0, (\"E\", [1])\n", 3, 20, "the message of an assertion is a string"},
        {PF "  for i in T.parallel(4):\n    T.continue_loop()\n", 4, 5,
         "'continue' in a parallel or vectorized loop"},
        {PF "  T.tvm_thread_allreduce(T.uint32(1), A[0])\n", 3, 3,
         "T.tvm_thread_allreduce must be inside T.attr(T.comm_reducer(...), \"reduce_scope\", "
         "...)"},
        {PF "  A[0] = T.tvm_thread_allreduce(T.uint32(1), A[0])\n", 3, 10,
         "T.tvm_thread_allreduce is not supported: it is a statement"},
        {PF "  T.attr(T.comm_reducer(lambda x: x, [0.0]), \"reduce_scope\", 0)\n", 3, 10,
         "T.comm_reducer takes a lambda of two parameters for each"},
        {PF "  T.attr(T.comm_reducer(lambda x, y: (x, y), [0.0]), \"reduce_scope\", 0)\n", 3, 38,
         "2 results for 1 values"},
        {PF ADDS "  T.tvm_thread_allreduce(T.uint32(2), A[0], True, A[1])\n", 4, 3,
         "T.tvm_thread_allreduce takes 1, the number of values of its reducer"},
        {PF ADDS "  T.tvm_thread_allreduce(T.uint32(1), A[0], True, 4)\n", 4, 51,
         "a result of T.tvm_thread_allreduce is an element of a buffer"},
        {PF ADDS "  T.tvm_thread_allreduce(T.uint32(1), A[0], True, A[1], n)\n", 4, 57,
         "'n' is not bound to threadIdx.x, .y or .z around T.tvm_thread_allreduce"},
        {PF ADDS "  x = T.launch_thread(\"threadIdx.x\", n)\n"
                 "  T.tvm_thread_allreduce(T.uint32(1), A[0], True, A[1], x)\n",
         5, 3, "needs a small constant number of threads threadIdx.x"},
        {PF "  T.ptx_wait_barrier(0)\n", 3, 3,
         "T.ptx_wait_barrier is not supported: it belongs to GPUs"},
        {PF "  S = T.alloc_buffer((4,), scope=\"wmma.accumulator\")\n", 3, 34,
         "memory scope \"wmma.accumulator\" is not supported"},
        {PF "  A[T.vscale()] = 1.0\n", 3, 5, "T.vscale is not supported: it makes vectors of"},
        {PF "  T.call_packed_lowered(\"f\", 0, 0, 0, 1)\n", 3, 3,
         "T.call_packed_lowered is not supported: it only occurs after MakePackedAPI"},
        {PF "  T.call_packed(1)\n", 3, 3, "T.call_packed needs the function's name in quotes"},
        {PF "  A[0:4] = T.Shuffle([A[0:4]], 1)\n", 3, 12, "T.Shuffle takes a list of vectors"},
        {PF "  A[0] = T.large_uint_imm(n, 1)\n", 3, 10, "T.large_uint_imm takes two constants"},
        {PF "  B = A.view(\"float64\")\n", 3, 7, "needs elements of float32's size"},
        {PF "  for i in range(0, 16, n):\n    A[i] = 1.0\n", 3, 25,
         "the step of a loop must be a positive constant"},
        {PF "  for i, j in T.grid(2):\n    A[i] = 1.0\n", 3, 7, "2 loop variables for 1 loops"},
        {PF "  for i in T.grid(*n):\n    A[i] = 1.0\n", 3, 19, "'n' cannot be unpacked"},
        {PF "  for i in T.grid(*[]):\n    A[i] = 1.0\n", 3, 12, "T.grid takes 1 to"},
        {PF "  for ij in T.grid(2, 3):\n    A[ij] = 1.0\n", 4, 7, "has 1 dimensions, got 2"},
        {PF "  A[0] = T.exp(*A.shape)\n", 3, 16, "unpacked arguments (*) are not supported here"},
        {FN "  return R.add(x, *x)\n", 3, 19, "this operator is not supported on tensors"},
        {FN "  return f(**x)\n", 3, 12, "got '**'"},
        {PF "  for i in range(1.5):\n    A[i] = 1.0\n", 3, 18, "must be integers, got float32"},
        {PF "  A[0, 1] = 1.0\n", 3, 4, "has 1 dimensions, got 2 indices"},
        {PF "  A[0.5] = 1.0\n", 3, 5, "an index must be an integer"},
        {PF "  A[i] = 1.0\n", 3, 5, "'i' is not defined"},
        {PF "  B[n] = 1.0\n", 3, 3, "'B' is not a buffer"},
        {PF "  A[n] = B[n]\n", 3, 10, "'B' is not defined"},
        {PF "  A[n] = A\n", 3, 10, "buffer 'A' is used without indices"},
        {PF "  A[n] = A[0:4]\n", 3, 10, "takes float32 here, got float32x4"},
        {PF "  A[0:4] = A[0:8]\n", 3, 12, "takes float32x4 here, got float32x8"},
        {PF "  A[0:4] = A[0:4] + A[0:8]\n", 3, 12, "vectors of 4 and 8 lanes"},
        {PF "  A[0:n] = 1.0\n", 3, 5, "constant length"},
        {PF "  A[n / 2] = 1.0\n", 3, 5, "'/' of integers is ambiguous"},
        {PF "  A[0] = T.foo(1)\n", 3, 10, "T.foo is not supported"},
        {PF "  A[0] = T.exp(A[0], A[1])\n", 3, 10, "T.exp takes 1 argument, got 2"},
        {PF "  A[0] = T.exp(n)\n", 3, 10, "takes a floating-point value, got int32"},
        {PF "  A[0] = A.data + 1\n", 3, 10, "arithmetic on handle and int32"},
        {PF "  A[0] = T.Cast(\"handle\", n)\n", 3, 10, "no cast from int32 to handle"},
        {PF "  A[0] = T.infinity(\"int32\")\n", 3, 10, "int32 has no infinity"},
        {PF "  A[0] = T.float32(\"abc\")\n", 3, 20, "T.float32 cannot hold \"abc\""},
        {PF "  A[0] = T.Cast(\"float32\", T.int8(300))\n", 3, 35, "T.int8 cannot hold 300"},
        {PF "  def g():\n    pass\n  A[0] = 1.0\n", 3, 3, "definitions inside a PrimFunc"},
        {PF "  B = T.match_buffer(n, (4,))\n", 3, 22, "parameter 'n' is not a handle"},
        {PF "  B = T.alloc_buffer((4,), \"abc\")\n", 3, 28, "unknown element type \"abc\""},
        {PF "  B = T.alloc_buffer((4,), strides=[1, 2])\n", 3, 36, "2 strides for 1 dimensions"},
        {PF "  p = T.allocate_const([1, 2], \"int8\", [3])\n", 3, 40, "do not match the 2 values"},
        {METADATA PF
         "  p = T.allocate_const(metadata[\"relax.expr.Constant\"][0], \"int8\", [1])\n",
         4, 24, "the tensor has the element type float32, expected int8"},
        {PF "  for i in range(16):\n    with T.block(\"b\"):\n      v = T.axis.remap(\"X\", [i])\n",
         5, 24, "unknown kind of axis 'X'"},
        {PF "  for i in range(16):\n    with T.block(\"b\"):\n      v = T.axis.remap(\"S\", [n])\n",
         5, 30, "'n' is not a loop variable"},
        {PF "  with T.block(\"b\"):\n    T.reads(n)\n    A[0] = 1.0\n", 4, 13, "expected a region"},
        {"@T.prim_func\ndef f(a):\n  T.evaluate(0)\n", 2, 7, "parameter 'a' needs a type"},
        {"metadata = tvm.ir.load_json(\"{\")\n" FN "  return x\n", 1, 29, "metadata is not JSON"},
        {"metadata = tvm.ir.load_json(\"{}\")\n" FN "  return x\n", 1, 29, "no list of nodes"},
    };
    expect_errors(t, cases, sizeof cases / sizeof *cases);
}

RLX_TEST(parse, negative_sizes_are_refused)
{
    static const error_case cases[] = {
        {"@R.function\ndef f(x: R.Tensor((4, -2))):\n  return x\n", 2, 23,
         "dimension 1 is negative (-2)"},
        {"@R.function\ndef f(x: R.Tensor((\"n - n - 1\",))):\n  return x\n", 2, 20,
         "dimension 0 is negative (-1)"},
        {"@R.function\ndef f(x: R.Object) -> R.Tuple(R.Tensor((1 - 4,))):\n  return x\n", 2, 41,
         "dimension 0 is negative (-3)"},
        {FN "  s: R.Shape([-1]) = R.shape([-1])\n  y = R.match_cast(x, R.Tensor(s))\n  return y\n",
         4, 32, "dimension 0 is negative (-1)"},
        {FN "  y = R.call_tir(\"f\", (x,), (-4,), dtype=\"float32\")\n  return y\n", 3, 30,
         "dimension 0 is negative (-4)"},
        {FN "  y = R.match_shape(x, (n, -1))\n  return y\n", 3, 28, "dimension 1 is negative (-1)"},
        {"@T.prim_func\ndef f(A: T.Buffer((-1,))):\n  A[0] = 1.0\n", 2, 20,
         "dimension 0 is negative (-1)"},
        {"@T.prim_func\ndef f(a: T.handle):\n  A = T.match_buffer(a, (2, -1))\n", 3, 29,
         "dimension 1 is negative (-1)"},
        {PF "  with T.block(\"b\"):\n    B = T.match_buffer(A[3:1], offset_factor=1)\n", 4, 9,
         "dimension 0 is negative (-2)"},
        {PF "  B = T.alloc_buffer((-8,))\n", 3, 23, "dimension 0 is negative (-8)"},
        {PF "  for i in range(2):\n    B = T.alloc_buffer(-8)\n", 4, 24,
         "dimension 0 is negative (-8)"},
        {PF "  p = T.allocate([2, n - n - 2], \"float32\")\n", 3, 22,
         "dimension 1 is negative (-2)"},
        {PF "  p = T.allocate_const([1.0], \"float32\", [-1, -1])\n", 3, 43,
         "dimension 0 is negative (-1)"},
        {PF "  p = T.allocate_const([], \"float32\", [n, 0])\n", 3, 39,
         "do not match the 0 values"},
        {PF "  p = T.allocate_const([" HUNDRED HUNDRED "1], \"int8\", [400])\n", 3, 437,
         "do not match the 201 values: TVM prints no more"},
        {PF "  p = T.allocate_const([1.0], \"float32\", [1])\n  B = T.Buffer((-1, -1), data=p)\n",
         4, 17, "dimension 0 is negative (-1)"},
        {PF "  B = T.decl_buffer((-2,), data=A.data)\n", 3, 22, "dimension 0 is negative (-2)"},
        {PF "  B = A.view(-4, -4)\n", 3, 14, "dimension 0 is negative (-4)"},
        {PF "  B = A[8:4]\n", 3, 9, "dimension 0 is negative (-4)"},
    };
    expect_errors(t, cases, sizeof cases / sizeof *cases);
}

/* |head|, |unit| n times, |tail|, |close| n times: one error whose message contains |message|. */
static void expect_too_deep(rlx_test *t, const char *head, const char *unit, unsigned n,
                            const char *tail, const char *close, const char *message)
{
    size_t size = strlen(head) + (strlen(unit) + strlen(close)) * n + strlen(tail) + 1;
    char *text = malloc(size), *p = text;
    cr_assert(text);
    p = stpcpy(p, head);
    for (unsigned i = 0; i < n; i++)
        p = stpcpy(p, unit);
    p = stpcpy(p, tail);
    for (unsigned i = 0; i < n; i++)
        p = stpcpy(p, close);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    cr_expect(!rlxc_parse_module(ctx, "t.py", text, strlen(text)));
    size_t count = 0;
    const rlxc_diagnostic *d = rlxc_diagnostics(ctx, &count);
    cr_expect(count >= 1 && strstr(d->message, message), "%s...: %s", unit,
              rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
    free(text);
}

RLX_TEST(parse, depth_is_limited)
{
    expect_too_deep(t, FN "  return ", "(", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "-", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "not ", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "x + ", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "x ** ", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "R.exp(", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return x", "[0]", 100000, "\n", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return x", ".a", 100000, "\n", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "(x, ", 70, "x", ")", "nested more than 64 deep");
    expect_too_deep(t, "@R.function\ndef f() -> ", "R.Tuple(", 70, "R.Object", ")",
                    "nested more than 64");
    expect_too_deep(t, FN "  return ", "lambda: ", 100000, "x", "", "nested more than 200 deep");
    expect_too_deep(t, FN "  return ", "x if x else ", 100000, "x", "",
                    "nested more than 200 deep");
    expect_too_deep(t, PF "  ", "if n: ", 100000, "pass\n", "", "nested more than 64 deep");
}

RLX_TEST(parse, errors_stop_at_the_limit)
{
    char text[4096] = FN;
    for (int i = 0; i < 40; i++)
        strcat(text, "  y = R.foo(x)\n");
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    cr_expect(!rlxc_parse_module(ctx, "t.py", text, strlen(text)));
    size_t count = 0;
    rlxc_diagnostics(ctx, &count);
    cr_expect_eq(count, (size_t)RLXC_MAX_ERRORS);
    rlxc_context_destroy(ctx);
}

/* 100 000 bindings in one function, and 100 000 nested expressions in sequence. */
RLX_TEST(parse, long_functions)
{
    enum { N = 100000 };
    char *text = malloc(64 + (size_t)N * 48), *p = text;
    cr_assert(text);
    p += sprintf(p, "@R.function\ndef f(x: R.Tensor((4,), \"float32\")):\n");
    for (int i = 0; i < N; i++)
        p += sprintf(p, "  x = R.add(x, R.exp(x))\n");
    p += sprintf(p, "  return x\n");
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_parse_module(ctx, "t.py", text, (size_t)(p - text));
    cr_expect(m && m->globals.items[0]->relax->body.blocks[0]->n == 2 * N, "%s",
              rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
    free(text);
}

/* Adjacent strings are concatenated, in memory proportional to their size. */
RLX_TEST(parse, strings_of_many_parts)
{
    enum { N = 50000 };
    char *text = malloc(64 + (size_t)N * 4), *p = text;
    cr_assert(text);
    p += sprintf(p, "@R.function\ndef f():\n  return R.str(");
    for (int i = 0; i < N; i++)
        p += sprintf(p, "\"%c\" ", 'a' + i % 26);
    p += sprintf(p, ")\n");
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_parse_module(ctx, "t.py", text, (size_t)(p - text));
    cr_assert(m, "%s", rlxc_render_diagnostics(ctx));
    rlxc_atom result = m->globals.items[0]->relax->body.result;
    cr_assert(result.kind == RLXC_ATOM_STRING);
    cr_expect(strlen(result.text) == N && result.text[27] == 'b' &&
              result.text[N - 1] == 'a' + (N - 1) % 26);
    cr_expect(t->live_bytes < 64 << 20, "%zu bytes", t->live_bytes);
    rlxc_context_destroy(ctx);
    free(text);
}

RLX_TEST(parse, strings_of_empty_parts)
{
    const char *text = "@R.function\ndef f():\n  return R.str(\"\" \"\")\n";
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_parse_module(ctx, "t.py", text, strlen(text));
    cr_assert(m, "%s", rlxc_render_diagnostics(ctx));
    rlxc_atom result = m->globals.items[0]->relax->body.result;
    cr_expect(result.kind == RLXC_ATOM_STRING && result.text && result.text[0] == '\0');
    rlxc_context_destroy(ctx);
}

RLX_TEST(parse, out_of_memory_at_every_allocation)
{
    size_t length;
    char *text = file_read("tests/script/relax_forms.py", &length);
    for (size_t at = 1;; at++) {
        t->calls = 0;
        t->fail_at = at;
        t->fail_after = true;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        bool done = ctx && rlxc_parse_module(ctx, "t.py", text, length) && t->calls < at;
        cr_expect(!ctx || done || rlxc_failed(ctx));
        if (ctx)
            rlxc_context_destroy(ctx);
        if (done || at > 4000) {
            cr_expect(done, "the sweep did not end");
            break;
        }
    }
    t->fail_at = 0;
    t->fail_after = false;
    free(text);
}
