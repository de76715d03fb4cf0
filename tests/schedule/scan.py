# f(a, o): o[i, j] = a[i, 0] + ... + a[i, j]
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        O = T.match_buffer(o, (n, T.int64(20)))
        for i in range(n):
            with T.block("O"):
                vi = T.axis.spatial(n, i)
                for k in range(T.int64(20)):
                    O[vi, k] = T.if_then_else(T.int64(0) < k, O[vi, k - T.int64(1)] + A[vi, k], A[vi, k])
