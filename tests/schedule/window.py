# f(a, b, o): 3 times the sums of 2 a + b over windows of three
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(40)))
        B = T.match_buffer(b, (n, T.int64(40)))
        O = T.match_buffer(o, (n, T.int64(38)))
        X = T.alloc_buffer((n, T.int64(40)))
        Y = T.alloc_buffer((n, T.int64(40)))
        Z = T.alloc_buffer((n, T.int64(38)))
        for i, j in T.grid(n, T.int64(40)):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(n, T.int64(40)):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] + B[vi, vj]
        for i, j, k in T.grid(n, T.int64(38), T.int64(3)):
            with T.block("Z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Z[vi, vj] = T.float32(0)
                Z[vi, vj] = Z[vi, vj] + Y[vi, vj + vk]
        for i, j in T.grid(n, T.int64(38)):
            with T.block("O"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = Z[vi, vj] * T.float32(3)
