# A softmax runs in one launch, a block of threads for each row; a sum of all is a tree.
@I.ir_module
class Module:
    @T.prim_func
    def soft(x: T.handle, y: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(8), T.int64(300)))
        Y = T.match_buffer(y, (n, T.int64(8), T.int64(300)))
        M = T.alloc_buffer((n, T.int64(8)))
        E = T.alloc_buffer((n, T.int64(8), T.int64(300)))
        S = T.alloc_buffer((n, T.int64(8)))
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("M"):
                vi, vh, vk = T.axis.remap("SSR", [i, h, k])
                with T.init():
                    M[vi, vh] = T.float32("-inf")
                M[vi, vh] = T.max(M[vi, vh], X[vi, vh, vk])
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("E"):
                vi, vh, vk = T.axis.remap("SSS", [i, h, k])
                E[vi, vh, vk] = T.exp(X[vi, vh, vk] - M[vi, vh])
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("S"):
                vi, vh, vk = T.axis.remap("SSR", [i, h, k])
                with T.init():
                    S[vi, vh] = T.float32(0)
                S[vi, vh] = S[vi, vh] + E[vi, vh, vk]
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("Y"):
                vi, vh, vk = T.axis.remap("SSS", [i, h, k])
                Y[vi, vh, vk] = E[vi, vh, vk] / S[vi, vh]

    @T.prim_func
    def total(a: T.handle, C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        for k in range(n):
            with T.block("C"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[()] = T.float32(0)
                C[()] = C[()] + A[vk]

    @R.function
    def main(a: R.Tensor(("n", 8, 300), "float32"), v: R.Tensor(("m",), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.soft, (a,), out_sinfo=R.Tensor((n, 8, 300), "float32"))
            f = R.call_tir(cls.total, (v,), out_sinfo=R.Tensor((), "float32"))
            R.output(c, f)
        return (c, f)
