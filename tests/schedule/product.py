# f(a, b, o): o = exp(a b)
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (T.int64(20), T.int64(33)))
        O = T.match_buffer(o, (n, T.int64(33)))
        C = T.alloc_buffer((n, T.int64(33)))
        for i, j, k in T.grid(n, T.int64(33), T.int64(20)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(n, T.int64(33)):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = T.exp(C[vi, vj])
