# All of a device's function runs on threads: loops whose iterations do not meet are theirs, in front
# of those that stay in order; the rest is left to one thread. Loops with threads stay as they are.
@I.ir_module
class Module:
    @T.prim_func
    def sums(a: T.handle, s: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(40)))
        S = T.match_buffer(s, (n, T.int64(40)))
        for i in range(n):
            for k in range(T.int64(40)):
                S[i, k] = T.if_then_else(T.int64(0) < k, S[i, k - T.int64(1)] + A[i, k], A[i, k])

    @T.prim_func
    def scatter(a: T.handle, p: T.handle, s: T.handle):
        T.func_attr({"target": {"kind": "opencl"}})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(40)))
        P = T.match_buffer(p, (m,), "int64")
        S = T.match_buffer(s, (n, T.int64(40)))
        for i in range(m):
            if T.int64(0) < n:
                for k in range(T.int64(40)):
                    S[P[i], k] = A[i, k]

    @T.prim_func
    def alone(A: T.Buffer((T.int64(8),), "float32"), S: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"target": "opencl"})
        B = T.alloc_buffer((T.int64(8),))
        B[0] = A[0]
        for i in range(T.int64(7)):
            B[i + 1] = B[i] * A[i + 1]
        for i in range(T.int64(8)):
            S[i] = B[T.int64(7) - i]

    @T.prim_func
    def bound(A: T.Buffer((T.int64(64),), "float32"), S: T.Buffer((T.int64(64),), "float32")):
        T.func_attr({"target": "opencl"})
        for b in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for t in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                with T.block("S"):
                    vi = T.axis.spatial(T.int64(64), b * T.int64(64) + t)
                    S[vi] = A[vi]

    @R.function
    def main(a: R.Tensor(("n", 40), "float32"), b: R.Tensor(("m", 40), "float32"), p: R.Tensor(("m",), "int64"), v: R.Tensor((8,), "float32"), w: R.Tensor((64,), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.sums, (a,), out_sinfo=R.Tensor((n, 40), "float32"))
            d = R.call_tir(cls.scatter, (b, p), out_sinfo=R.Tensor((n, 40), "float32"))
            e = R.call_tir(cls.alone, (v,), out_sinfo=R.Tensor((8,), "float32"))
            f = R.call_tir(cls.bound, (w,), out_sinfo=R.Tensor((64,), "float32"))
            R.output(c, d, e, f)
        return (c, d, e, f)
