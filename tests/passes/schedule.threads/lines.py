# On a device that is a CPU the blocks are rows, and their threads neighbours of the last axis: no element is numbered. Short rows are numbered.
@I.ir_module
class Module:
    @T.prim_func
    def scale(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, m))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (T.int64(1), n, m))
        for g, i, j in T.grid(T.int64(1), n, m):
            with T.block("C"):
                vg, vi, vj = T.axis.remap("SSS", [g, i, j])
                C[vg, vi, vj] = A[vg, vi, vj] * B[vi]

    @T.prim_func
    def whole(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(192)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(192)))
        for i, j in T.grid(n, T.int64(192)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi]

    @T.prim_func
    def short(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(20)))
        for i, j in T.grid(n, T.int64(20)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi]

    @R.function
    def main(a: R.Tensor((1, "n", "m"), "float32"), b: R.Tensor(("n",), "float32"), d: R.Tensor(("n", 192), "float32"), e: R.Tensor(("n", 20), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.scale, (a, b), out_sinfo=R.Tensor((1, n, m), "float32"))
            f = R.call_tir(cls.whole, (d, b), out_sinfo=R.Tensor((n, 192), "float32"))
            g = R.call_tir(cls.short, (e, b), out_sinfo=R.Tensor((n, 20), "float32"))
            R.output(c, f, g)
        return (c, f, g)
