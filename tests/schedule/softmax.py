# f(a, b, o): the softmax of the rows of a + b
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (T.int64(40), n))
        B = T.match_buffer(b, (T.int64(40), n))
        O = T.match_buffer(o, (T.int64(40), n))
        X = T.alloc_buffer((T.int64(40), n))
        M = T.alloc_buffer((T.int64(40),))
        E = T.alloc_buffer((T.int64(40), n))
        S = T.alloc_buffer((T.int64(40),))
        for i, j in T.grid(T.int64(40), n):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = A[vi, vj] + B[vi, vj]
        for i, k in T.grid(T.int64(40), n):
            with T.block("M"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], X[vi, vk])
        for i, j in T.grid(T.int64(40), n):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(X[vi, vj] - M[vi])
        for i, k in T.grid(T.int64(40), n):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + E[vi, vk]
        for i, j in T.grid(T.int64(40), n):
            with T.block("O"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = E[vi, vj] / S[vi]
