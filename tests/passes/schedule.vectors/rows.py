# Products on a device that is a CPU: tiles of vectors in registers, factors read in place, the epilogue on the tile. The rows are two axes,
# of which one has one turn, and the columns are two axes whose last fills vectors.
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256"})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, T.int64(64)))
        B = T.match_buffer(b, (T.int64(3), T.int64(64), T.int64(48)))
        C = T.match_buffer(c, (T.int64(3), T.int64(1), n, T.int64(48)))
        P = T.alloc_buffer((T.int64(3), T.int64(1), n, T.int64(48)))
        for h, g, i, j, k in T.grid(T.int64(3), T.int64(1), n, T.int64(48), T.int64(64)):
            with T.block("P"):
                vh, vg, vi, vj, vk = T.axis.remap("SSSSR", [h, g, i, j, k])
                with T.init():
                    P[vh, vg, vi, vj] = T.float32(0)
                P[vh, vg, vi, vj] = P[vh, vg, vi, vj] + A[vg, vi, vk] * B[vh, vk, vj]
        for h, g, i, j in T.grid(T.int64(3), T.int64(1), n, T.int64(48)):
            with T.block("C"):
                vh, vg, vi, vj = T.axis.remap("SSSS", [h, g, i, j])
                C[vh, vg, vi, vj] = T.exp(P[vh, vg, vi, vj])

    @T.prim_func
    def columns_apart(A: T.Buffer((T.int64(9), T.int64(64)), "float32"), B: T.Buffer((T.int64(48), T.int64(64)), "float32"), C: T.Buffer((T.int64(9), T.int64(48)), "float32")):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256"})
        for i, j, k in T.grid(T.int64(9), T.int64(48), T.int64(64)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @R.function
    def main(a: R.Tensor((1, "n", 64), "float32"), b: R.Tensor((3, 64, 48), "float32"), d: R.Tensor((9, 64), "float32"), e: R.Tensor((48, 64), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((3, 1, n, 48), "float32"))
            f = R.call_tir(cls.columns_apart, (d, e), out_sinfo=R.Tensor((9, 48), "float32"))
            R.output(c, f)
        return (c, f)
