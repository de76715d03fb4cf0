# f(a, b, o): o = a + b inside of a border of zeros, of two columns along the last axis
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
        O = T.match_buffer(o, (n, m, p + T.int64(4)))
        for i, j, k in T.grid(n, m, p + T.int64(4)):
            with T.block("O"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                O[vi, vj, vk] = T.if_then_else(T.int64(2) <= vk and vk < p + T.int64(2), A[vi, vj, vk - T.int64(2)] + B[vi, vj, vk - T.int64(2)], T.float32(0))
