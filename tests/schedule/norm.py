# f(a, o): o[i, j] = a[i, j] / sqrt(mean of a[i]^2), and the rows' largest element at its end
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(200)))
        O = T.match_buffer(o, (n, T.int64(201)))
        S = T.alloc_buffer((n,))
        M = T.alloc_buffer((n,))
        for i, k in T.grid(n, T.int64(200)):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk] * A[vi, vk]
        for i, k in T.grid(n, T.int64(200)):
            with T.block("M"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    M[vi] = T.float32("-inf")
                M[vi] = T.max(M[vi], A[vi, vk])
        for i, j in T.grid(n, T.int64(201)):
            with T.block("O"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = T.if_then_else(vj < T.int64(200), A[vi, T.min(vj, T.int64(199))] / T.sqrt(S[vi] / T.float32(200) + T.float32(1)), M[vi])
