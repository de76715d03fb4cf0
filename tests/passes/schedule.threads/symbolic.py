# Fused axes of symbolic extents: quotients and remainders of a thread's number tell them apart.
@I.ir_module
class Module:
    @T.prim_func
    def turned(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        b = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (b, T.int64(4), n, T.int64(8)))
        C = T.match_buffer(c, (b, n, T.int64(4), T.int64(8)))
        for i, j, k, l in T.grid(b, n, T.int64(4), T.int64(8)):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
                C[vi, vj, vk, vl] = A[vi, vk, vj, vl]

    @T.prim_func
    def largest(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), T.int64(4), n, n))
        C = T.match_buffer(c, (T.int64(1), T.int64(4), n))
        for i, j, k, l in T.grid(T.int64(1), T.int64(4), n, n):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSSR", [i, j, k, l])
                with T.init():
                    C[vi, vj, vk] = T.float32(0)
                C[vi, vj, vk] = T.max(C[vi, vj, vk], A[vi, vj, vk, vl])

    @R.function
    def main(a: R.Tensor(("b", 4, "n", 8), "float32"), c: R.Tensor((1, 4, "n", "n"), "float32")):
        b = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.turned, (a,), out_sinfo=R.Tensor((b, n, 4, 8), "float32"))
            e = R.call_tir(cls.largest, (c,), out_sinfo=R.Tensor((1, 4, n), "float32"))
            R.output(d, e)
        return (d, e)
