# A product after split (one that does not divide), reorder, cache_read, cache_write and decompose_reduction; a map
# after fuse, split and vectorize; a product with swapped operands. All become plain loops.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.Buffer((32, 768), "float32"), y: T.Buffer((768, 77), "float32"), z: T.Buffer((32, 77), "float32")):
        T.func_attr({"tir.is_scheduled": True})
        z_local = T.alloc_buffer((32, 77), scope="local")
        y_local = T.alloc_buffer((768, 77), scope="local")
        for i, j_0 in T.grid(32, 5):
            for j_1_init in T.vectorized(16):
                with T.block("z_init"):
                    vi = T.axis.spatial(32, i)
                    vj = T.axis.spatial(77, j_0 * 16 + j_1_init)
                    T.where(j_0 * 16 + j_1_init < 77)
                    z_local[vi, vj] = T.float32(0)
            for k_0 in range(192):
                for ax0, ax1 in T.grid(4, 16):
                    with T.block("y_local"):
                        v0 = T.axis.spatial(768, k_0 * 4 + ax0)
                        v1 = T.axis.spatial(77, j_0 * 16 + ax1)
                        T.where(j_0 * 16 + ax1 < 77)
                        y_local[v0, v1] = y[v0, v1]
                for k_1, j_1 in T.grid(4, 16):
                    with T.block("z_update"):
                        vi = T.axis.spatial(32, i)
                        vj = T.axis.spatial(77, j_0 * 16 + j_1)
                        vk = T.axis.reduce(768, k_0 * 4 + k_1)
                        T.where(j_0 * 16 + j_1 < 77)
                        z_local[vi, vj] = x[vi, vk] * y_local[vk, vj] + z_local[vi, vj]
            for ax1 in range(16):
                with T.block("z_local"):
                    v0 = T.axis.spatial(32, i)
                    v1 = T.axis.spatial(77, j_0 * 16 + ax1)
                    T.where(j_0 * 16 + ax1 < 77)
                    z[v0, v1] = z_local[v0, v1]

    @T.prim_func(private=True)
    def map(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(77)))
        B = T.match_buffer(b, (n, T.int64(77)))
        for f_0 in T.parallel((n * T.int64(77) + T.int64(31)) // T.int64(32)):
            for f_1 in T.vectorized(T.int64(32)):
                with T.block("B"):
                    vi = T.axis.spatial(n, (f_0 * T.int64(32) + f_1) // T.int64(77))
                    vj = T.axis.spatial(T.int64(77), (f_0 * T.int64(32) + f_1) % T.int64(77))
                    T.where(f_0 * T.int64(32) + f_1 < n * T.int64(77))
                    B[vi, vj] = T.exp(A[vi, vj])

    @R.function
    def main(x: R.Tensor((32, 768), "float32"), y: R.Tensor((768, 77), "float32"), u: R.Tensor(("n", 77), "float32")):
        n = T.int64()
        cls = Module
        z = R.call_tir(cls.product, (x, y), out_sinfo=R.Tensor((32, 77), "float32"))
        v = R.call_tir(cls.map, (u,), out_sinfo=R.Tensor((n, 77), "float32"))
        return (z, v)
