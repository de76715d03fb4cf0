# f(a, b, o): o = exp(a + b) + b[0]
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        m = T.int64()
        p = T.int64()
        A = T.match_buffer(a, (n, m, p))
        B = T.match_buffer(b, (n, m, p))
        O = T.match_buffer(o, (n, m, p))
        C = T.alloc_buffer((n, m, p))
        for i, j, k in T.grid(n, m, p):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                C[vi, vj, vk] = A[vi, vj, vk] + B[vi, vj, vk]
        for i, j, k in T.grid(n, m, p):
            with T.block("O"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                O[vi, vj, vk] = T.exp(C[vi, vj, vk]) + B[T.int64(0), vj, vk]
