# A product of one row: threads for columns, and for parts of the terms, which one of them adds up.
@I.ir_module
class Module:
    @T.prim_func
    def product(A: T.Buffer((T.int64(1), T.int64(300)), "float32"), B: T.Buffer((T.int64(300), T.int64(48)), "float32"), C: T.Buffer((T.int64(1), T.int64(48)), "float32")):
        T.func_attr({"target": "cuda"})
        for i, j, k in T.grid(T.int64(1), T.int64(48), T.int64(300)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def apart(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(48)))
        C = T.match_buffer(c, (T.int64(48),))
        for j, k in T.grid(T.int64(48), n):
            with T.block("C"):
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    C[vj] = T.float32(0)
                C[vj] = C[vj] + A[vk, vj]

    @R.function
    def main(a: R.Tensor((1, 300), "float32"), b: R.Tensor((300, 48), "float32"), x: R.Tensor(("n", 48), "float32")):
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((1, 48), "float32"))
            d = R.call_tir(cls.apart, (x,), out_sinfo=R.Tensor((48,), "float32"))
            R.output(c, d)
        return (c, d)
