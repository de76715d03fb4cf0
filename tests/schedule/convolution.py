# f(a, b, o): o = a convolution of a (n images of 4 channels) with b (12 of 3 x 3), plus 1
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(7), T.int64(9), T.int64(4)))
        B = T.match_buffer(b, (T.int64(12), T.int64(3), T.int64(3), T.int64(4)))
        O = T.match_buffer(o, (n, T.int64(5), T.int64(7), T.int64(12)))
        C = T.alloc_buffer((n, T.int64(5), T.int64(7), T.int64(12)))
        for i, y, x, c, ky, kx, k in T.grid(n, T.int64(5), T.int64(7), T.int64(12), T.int64(3), T.int64(3), T.int64(4)):
            with T.block("C"):
                vi, vy, vx, vc, vky, vkx, vk = T.axis.remap("SSSSRRR", [i, y, x, c, ky, kx, k])
                with T.init():
                    C[vi, vy, vx, vc] = T.float32(0)
                C[vi, vy, vx, vc] = C[vi, vy, vx, vc] + A[vi, vy + vky, vx + vkx, vk] * B[vc, vky, vkx, vk]
        for i, y, x, c in T.grid(n, T.int64(5), T.int64(7), T.int64(12)):
            with T.block("O"):
                vi, vy, vx, vc = T.axis.remap("SSSS", [i, y, x, c])
                O[vi, vy, vx, vc] = C[vi, vy, vx, vc] + T.float32(1)
