/* Pass check_accesses: accesses that provably leave their buffers are errors at their lines;
 * accesses that may be valid are not reported. */
#include "tests/support/rlx_test.h"

#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/script/script.h"

/* The body starts at line 5. */
#define HEAD                                                                       \
    "from tvm.script import ir as I, tir as T\n"                                   \
    "@T.prim_func\n"                                                               \
    "def k(A: T.Buffer((4, \"n\"), \"float32\"), B: T.Buffer((4,), \"float32\"), " \
    "P: T.Buffer((4,), \"int32\")):\n"                                             \
    "    n = T.int64()\n"

static const struct {
    const char *body, *says; /* NULL: no error */
} rows[] = {
    {"    for i in range(4):\n        B[i] = A[i, 0]\n", NULL},
    {"    for i in range(4):\n        B[i + 1] = T.float32(0)\n",
     "m.py:6:9: error: store to 'B' outside of the buffer: index 0 reaches 4, the dimension is 4"},
    {"    for i in range(4):\n        B[i] = A[i - 1, 0]\n",
     "m.py:6:9: error: load from 'A' outside of the buffer: index 0 reaches -1"},
    {"    for i in range(4):\n        B[i] = A[3 - i, 0]\n", NULL},
    {"    for i in range(4):\n        B[i] = A[2 - i, 0]\n", "index 0 reaches -1"},
    {"    for i, j in T.grid(2, 2):\n        B[i * 2 + j] = T.float32(0)\n", NULL},
    {"    for i, j in T.grid(2, 2):\n        B[i * 3 + j] = T.float32(0)\n", "index 0 reaches 4"},
    {"    B[4] = T.float32(0)\n", "m.py:5:5: error: store to 'B'"},
    {"    B[-1] = T.float32(0)\n", "index 0 reaches -1"},
    /* named sizes */
    {"    for j in range(n):\n        A[0, j] = T.float32(0)\n", NULL},
    {"    for j in range(n):\n        A[0, j + 1] = T.float32(0)\n",
     "index 1 reaches beyond dimension 1"},
    {"    A[0, n] = T.float32(0)\n", "index 1 reaches beyond dimension 1"},
    {"    A[0, n - 1] = T.float32(0)\n", NULL},
    {"    A[0, 0] = T.float32(0)\n", NULL},
    {"    for j in range(n):\n        B[j] = A[0, j]\n", NULL},
    /* blocks and let bindings */
    {"    for i in range(4):\n        with T.block(\"b\"):\n"
     "            vi = T.axis.spatial(4, i)\n            B[vi + 2] = T.float32(0)\n",
     "index 0 reaches 5"},
    {"    for i in range(8):\n        with T.block(\"b\"):\n"
     "            vi = T.axis.spatial(4, i)\n            T.where(i < 4)\n"
     "            B[vi] = T.float32(0)\n",
     NULL},
    {"    for i in range(4):\n        with T.LetStmt(i + 1) as j:\n            B[j] = A[i, 0]\n",
     "index 0 reaches 4"},
    /* unreachable accesses and unknown indices */
    {"    for i in range(0):\n        B[i + 9] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n        for j in range(i):\n            B[j + 3] = T.float32(0)\n",
     NULL},
    {"    for i in range(4):\n        if i < 3:\n            B[i + 1] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n"
     "        B[i] = T.if_then_else(i > 0, A[i - 1, 0], T.float32(0))\n",
     NULL},
    {"    for i in range(4):\n        B[i] = T.Select(i > 0, A[i - 1, 0], T.float32(0))\n", NULL},
    {"    for i in range(4):\n        B[P[i] + 100] = T.float32(0)\n", NULL},
    {"    for i in range(4):\n        B[P[i + 1]] = T.float32(0)\n",
     "load from 'P' outside of the buffer: index 0 reaches 4"},
    {"    for i in range(8):\n        B[i // 2] = T.float32(0)\n", NULL},
    {"    for i in range(8):\n        B[i % 4] = T.float32(0)\n", NULL},
};

RLX_TEST(accesses, accesses_that_provably_leave_their_buffer_are_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_options options = {0};
        char text[2048];
        snprintf(text, sizeof text, HEAD "%s", rows[i].body);
        rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
        cr_assert(module != NULL, "row %zu: %s", i, rlxc_render_diagnostics(ctx));
        bool passes = rlxc_pass_check_accesses(ctx, module, &options);
        const char *said = rlxc_render_diagnostics(ctx);
        if (rows[i].says == NULL)
            cr_expect(passes, "row %zu: %s", i, said);
        else
            cr_expect(!passes && strstr(said, rows[i].says), "row %zu: %s", i, said);
        rlxc_context_destroy(ctx);
    }
}
