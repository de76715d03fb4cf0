# ==== batched
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

# ==== border
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

# ==== convolution
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

# ==== cube
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

# ==== device
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

# ==== norm
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

# ==== product
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

# ==== scan
# f(a, o): o[i, j] = a[i, 0] + ... + a[i, j]
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        O = T.match_buffer(o, (n, T.int64(20)))
        for i in range(n):
            with T.block("O"):
                vi = T.axis.spatial(n, i)
                for k in range(T.int64(20)):
                    O[vi, k] = T.if_then_else(T.int64(0) < k, O[vi, k - T.int64(1)] + A[vi, k], A[vi, k])

# ==== softmax
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

# ==== total
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

# ==== window
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
