"""Code left by another tool's schedule: split, fused, reordered loops, caches, a decomposed reduction; and code
that only looks like it."""
# call main: tensor float32 [3, 4] {-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1}, tensor float32 [4, 5] {-3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2}, tensor float32 [2, 3] {-2, -1, 0, 1, 2, 3}, tensor float32 [5, 2] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9} => tuple(tensor float32 [3, 5] {2, 0, 5, 3, 1, -10, -11, 2, 1, 7, 3, 3, -11, -11, 3}, tensor float32 [2, 3] {-4, -2, 0, 2, 4, 6}, tensor float32 [5] {1, 5, 9, 13, 17}, tensor float32 [5] {0, 2, 6, 12, 20})
# call main: tensor float32 [3, 4] {-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1}, tensor float32 [4, 5] {-3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2}, tensor float32 [0, 3] {}, tensor float32 [5, 2] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9} => tuple(tensor float32 [3, 5] {2, 0, 5, 3, 1, -10, -11, 2, 1, 7, 3, 3, -11, -11, 3}, tensor float32 [0, 3] {}, tensor float32 [5] {1, 5, 9, 13, 17}, tensor float32 [5] {0, 2, 6, 12, 20})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.Buffer((3, 4), "float32"), y: T.Buffer((4, 5), "float32"), z: T.Buffer((3, 5), "float32")):
        z_local = T.alloc_buffer((3, 5), scope="local")
        y_local = T.alloc_buffer((4, 5), scope="local")
        for i, j_0 in T.grid(3, 3):
            for j_1_init in T.vectorized(2):
                with T.block("z_init"):
                    vi = T.axis.spatial(3, i)
                    vj = T.axis.spatial(5, j_0 * 2 + j_1_init)
                    T.where(j_0 * 2 + j_1_init < 5)
                    z_local[vi, vj] = T.float32(0)
            for k_0 in range(2):
                for ax0, ax1 in T.grid(2, 2):
                    with T.block("y_local"):
                        v0 = T.axis.spatial(4, k_0 * 2 + ax0)
                        v1 = T.axis.spatial(5, j_0 * 2 + ax1)
                        T.where(j_0 * 2 + ax1 < 5)
                        y_local[v0, v1] = y[v0, v1]
                for k_1, j_1 in T.grid(2, 2):
                    with T.block("z_update"):
                        vi = T.axis.spatial(3, i)
                        vj = T.axis.spatial(5, j_0 * 2 + j_1)
                        vk = T.axis.reduce(4, k_0 * 2 + k_1)
                        T.where(j_0 * 2 + j_1 < 5)
                        z_local[vi, vj] = x[vi, vk] * y_local[vk, vj] + z_local[vi, vj]
            for ax1 in range(2):
                with T.block("z_local"):
                    v0 = T.axis.spatial(3, i)
                    v1 = T.axis.spatial(5, j_0 * 2 + ax1)
                    T.where(j_0 * 2 + ax1 < 5)
                    z[v0, v1] = z_local[v0, v1]

    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)))
        B = T.match_buffer(b, (n, T.int64(3)))
        for f_0 in T.parallel((n * T.int64(3) + T.int64(3)) // T.int64(4)):
            for f_1 in T.vectorized(T.int64(4)):
                with T.block("B"):
                    vi = T.axis.spatial(n, (f_0 * T.int64(4) + f_1) // T.int64(3))
                    vj = T.axis.spatial(T.int64(3), (f_0 * T.int64(4) + f_1) % T.int64(3))
                    T.where(f_0 * T.int64(4) + f_1 < n * T.int64(3))
                    B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func(private=True)
    def overlapping_tiles(x: T.Buffer((5, 2), "float32"), z: T.Buffer((5,), "float32")):
        for t in range(2):
            for i in range(3):
                with T.block("z_init"):
                    vi = T.axis.spatial(5, t * 2 + i)
                    z[vi] = T.float32(0)
            for i, k in T.grid(3, 2):
                with T.block("z_update"):
                    vi = T.axis.spatial(5, t * 2 + i)
                    vk = T.axis.reduce(2, k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def prefix_sums(x: T.Buffer((5, 2), "float32"), z: T.Buffer((5,), "float32")):
        s = T.alloc_buffer((1,))
        for k in range(5):
            with T.block("s"):
                vi = T.axis.spatial(1, 0)
                vk = T.axis.reduce(5, k)
                with T.init():
                    s[vi] = T.float32(0)
                s[vi] = s[vi] + x[vk, 0]
            with T.block("z"):
                vk = T.axis.spatial(5, k)
                z[vk] = s[0]

    @R.function
    def main(x: R.Tensor((3, 4), "float32"), y: R.Tensor((4, 5), "float32"), u: R.Tensor(("n", 3), "float32"), w: R.Tensor((5, 2), "float32")):
        n = T.int64()
        cls = Module
        z = R.call_tir(cls.product, (x, y), out_sinfo=R.Tensor((3, 5), "float32"))
        v = R.call_tir(cls.twice, (u,), out_sinfo=R.Tensor((n, 3), "float32"))
        h = R.call_tir(cls.overlapping_tiles, (w,), out_sinfo=R.Tensor((5,), "float32"))
        p = R.call_tir(cls.prefix_sums, (w,), out_sinfo=R.Tensor((5,), "float32"))
        return (z, v, h, p)
