# f(a, b, o): o = a b on a device
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (T.int64(20), T.int64(33)))
        O = T.match_buffer(o, (n, T.int64(33)))
        for i, j, k in T.grid(n, T.int64(33), T.int64(20)):
            with T.block("O"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + A[vi, vk] * B[vk, vj]
