# A product of float16 with its epilogue: fragments of tensor cores, the terms in pieces through shared memory.
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "cuda"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(64)), "float16")
        B = T.match_buffer(b, (T.int64(48), T.int64(64)), "float16")
        C = T.match_buffer(c, (n, T.int64(48)))
        P = T.alloc_buffer((n, T.int64(48)))
        for i, j, k in T.grid(n, T.int64(48), T.int64(64)):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vj, vk])
        for i, j in T.grid(n, T.int64(48)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(P[vi, vj], T.float32(0))

    @R.function
    def main(a: R.Tensor(("n", 64), "float16"), b: R.Tensor((48, 64), "float16")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((n, 48), "float32"))
            R.output(c)
        return c
