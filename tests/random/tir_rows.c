/* The PrimFuncs called by random programs. */
#include "tests/random/program.h"

#define HEAD(name)                                                                  \
    "    @T.prim_func(private=True)\n    def " name "(a: T.handle, b: T.handle):\n" \
    "        n = T.int64()\n        m = T.int64()\n"                                \
    "        A = T.match_buffer(a, (n, m), \"float32\")\n"
#define LOOP                                                                  \
    "        for i, j in T.grid(n, m):\n            with T.block(\"out\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"

const tir_row tir_rows[TIR_COUNT] = {
    [TIR_SCALE] = {"scale", 1,
                   HEAD("scale") "        B = T.match_buffer(b, (n, m), \"float32\")\n" LOOP
                                 "                B[vi, vj] = A[vi, vj] * T.float32(2) + "
                                 "T.float32(1)\n"},
    [TIR_TRANSPOSE] = {"transpose", 1,
                       HEAD("transpose") "        B = T.match_buffer(b, (m, n), \"float32\")\n" LOOP
                                         "                B[vj, vi] = A[vi, vj]\n"},
    [TIR_ROW_SUM] = {"row_sum", 1,
                     HEAD("row_sum") "        B = T.match_buffer(b, (n,), \"float32\")\n"
                                     "        for i, j in T.grid(n, m):\n"
                                     "            with T.block(\"out\"):\n"
                                     "                vi, vj = T.axis.remap(\"SR\", [i, j])\n"
                                     "                with T.init():\n"
                                     "                    B[vi] = T.float32(0)\n"
                                     "                B[vi] = B[vi] + A[vi, vj]\n"},
    /* two stages with a buffer between them */
    [TIR_MIRROR] = {"mirror", 1,
                    HEAD("mirror") "        B = T.match_buffer(b, (n, m), \"float32\")\n"
                                   "        S = T.alloc_buffer((n, m), \"float32\")\n"
                                   "        for i, j in T.grid(n, m):\n"
                                   "            with T.block(\"square\"):\n"
                                   "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                                   "                S[vi, vj] = A[vi, vj] * A[vi, vj]\n" LOOP
                                   "                B[vi, vj] = S[vi, m - 1 - vj]\n"},
    [TIR_MAXIMUM] = {"row_maximum", 2,
                     "    @T.prim_func(private=True)\n"
                     "    def row_maximum(a: T.handle, c: T.handle, b: T.handle):\n"
                     "        n = T.int64()\n        m = T.int64()\n"
                     "        A = T.match_buffer(a, (n, m), \"float32\")\n"
                     "        C = T.match_buffer(c, (m,), \"float32\")\n"
                     "        B = T.match_buffer(b, (n, m), \"float32\")\n" LOOP
                     "                B[vi, vj] = T.max(A[vi, vj], C[vj])\n"},
};
