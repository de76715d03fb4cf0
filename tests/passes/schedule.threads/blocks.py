# Blocks of a device's function go to its threads, one number for each element.
@I.ir_module
class Module:
    @T.prim_func
    def add(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (T.int64(20),))
        C = T.match_buffer(c, (n, T.int64(20)))
        for i, j in T.grid(n, T.int64(20)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vj]

    @T.prim_func
    def small(A: T.Buffer((T.int64(7),), "float32"), C: T.Buffer((T.int64(7),), "float32")):
        T.func_attr({"target": "opencl"})
        for i in range(T.int64(7)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(7), i)
                C[vi] = A[vi] * T.float32(2)

    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)))
        B = T.match_buffer(b, (T.int64(4), T.int64(48)))
        C = T.match_buffer(c, (n, T.int64(48)))
        for i, j, k in T.grid(n, T.int64(48), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def total(a: T.handle, C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl"})
        A = T.match_buffer(a, (T.int64(9),))
        for k in range(T.int64(9)):
            with T.block("C"):
                vk = T.axis.reduce(T.int64(9), k)
                with T.init():
                    C[()] = T.float32(0)
                C[()] = C[()] + A[vk]

    @R.function
    def main(a: R.Tensor(("n", 20), "float32"), b: R.Tensor((20,), "float32"), x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 48), "float32"), s: R.Tensor((7,), "float32"), v: R.Tensor((9,), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((n, 20), "float32"))
            d = R.call_tir(cls.small, (s,), out_sinfo=R.Tensor((7,), "float32"))
            e = R.call_tir(cls.product, (x, w), out_sinfo=R.Tensor((n, 48), "float32"))
            f = R.call_tir(cls.total, (v,), out_sinfo=R.Tensor((), "float32"))
            R.output(c, d, e, f)
        return (c, d, e, f)
