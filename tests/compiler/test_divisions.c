/* Divisions of indices in the loops of element-wise kernels, seen in LLVM's text: none where
 * fused loops of leading dimensions 1 need none, and none with care for signs where the index and
 * the dimension cannot be negative. */
#include <stdio.h>
#include <string.h>

#include "rlx/compiler.h"
#include "tests/compiler/library.h"
#include "tests/support/rlx_test.h"

typedef struct division_case {
    const char *a, *b; /* shapes of the operands of a product */
    bool divides;      /* by variables */
} division_case;

static size_t occurrences(const char *text, size_t size, const char *word)
{
    size_t n = 0;
    for (const char *at = text, *end = text + size;
         (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL; at++)
        n++;
    return n;
}

static void check(rlx_test *t, const division_case *row)
{
    char text[500];
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n"
             "    def main(x: R.Tensor((%s), \"float32\"), y: R.Tensor((%s), \"float32\")):\n"
             "        with R.dataflow():\n            z = R.multiply(x, y)\n"
             "            R.output(z)\n        return z\n",
             row->a, row->b);
    rlx_compile_options_init(&o);
    o.cpu = "x86-64-v3";
    RLX_OKAY(
        rlx_ir_module_emit(library_parse(t, c, text), &o, RLX_EMIT_LLVM, &data, &size, &t->error));
    const size_t n = occurrences(data, size, "div i64 %") + occurrences(data, size, "rem i64 %");
    cr_expect_eq(n > 0, row->divides, "%s times %s: %zu", row->a, row->b, n);
    cr_expect_eq(occurrences(data, size, "llvm.abs.i64"), (size_t)0, "%s times %s", row->a, row->b);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
}

RLX_TEST(divisions, indices_are_divided_only_where_they_must_be)
{
    static const division_case rows[] = {
        {"\"n\", 24", "\"n\", 24", false},
        {"1, \"n\", 24", "1, \"n\", 24", false},
        {"1, 1, \"n\", \"m\"", "1, 1, \"n\", \"m\"", false},
        {"1, \"n\", 24", "1, 1, 24", false},
        {"\"b\", \"h\", \"w\", 16", "\"b\", 1, 1, 16", true}, /* the image of a row */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(t, &rows[i]);
}
