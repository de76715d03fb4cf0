# f(a, o): o[0] = the sum of a[i, j] for i, j < n
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, n))
        O = T.match_buffer(o, (T.int64(1),))
        for u, i, j in T.grid(T.int64(1), n, n):
            with T.block("O"):
                vu, vi, vj = T.axis.remap("SRR", [u, i, j])
                with T.init():
                    O[vu] = T.float32(0)
                O[vu] = O[vu] + A[vi, vj]
