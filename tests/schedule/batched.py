# f(a, b, o): o[h] = relu(a[h] b[h]') for each of 3 matrices
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (T.int64(3), n, T.int64(40)))
        B = T.match_buffer(b, (T.int64(3), T.int64(37), T.int64(40)))
        O = T.match_buffer(o, (T.int64(3), n, T.int64(37)))
        C = T.alloc_buffer((T.int64(3), n, T.int64(37)))
        for h, i, j, k in T.grid(T.int64(3), n, T.int64(37), T.int64(40)):
            with T.block("C"):
                vh, vi, vj, vk = T.axis.remap("SSSR", [h, i, j, k])
                with T.init():
                    C[vh, vi, vj] = T.float32(0)
                C[vh, vi, vj] = C[vh, vi, vj] + A[vh, vi, vk] * B[vh, vj, vk]
        for h, i, j in T.grid(T.int64(3), n, T.int64(37)):
            with T.block("O"):
                vh, vi, vj = T.axis.remap("SSS", [h, i, j])
                O[vh, vi, vj] = T.max(C[vh, vi, vj], T.float32(0))
