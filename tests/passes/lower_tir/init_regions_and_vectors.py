# Blocks become loops: a reduction's init in its own nest, matched regions as views, vectorized
# loops as vector statements.
@I.ir_module
class Module:
    @T.prim_func
    def k(pa: T.handle, po: T.handle, pv: T.handle):
        n = T.int64()
        A = T.match_buffer(pa, (n, 8), "float32")
        O = T.match_buffer(po, (8,), "float32")
        V = T.match_buffer(pv, (n, 8), "float32")
        for r, j in T.grid(n, T.int64(8)):
            with T.block("sum"):
                vj, vr = T.axis.remap("SR", [j, r])
                T.where(j * j < 36)
                with T.init():
                    O[vj] = T.float32(0.0)
                O[vj] = O[vj] + A[vr, vj]
        for i in range(n):
            with T.block("rows"):
                vi = T.axis.spatial(n, i)
                row = T.match_buffer(V[vi, 0:8], (8,), strides=("s",), offset_factor=1)
                for l in T.vectorized(8):
                    row[l] = A[vi, l] * T.float32(2.0)

    @R.function
    def main(a: R.Tensor(("n", 8), "float32")):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.k, (a,), out_sinfo=[R.Tensor((8,), "float32"), R.Tensor((n, 8), "float32")])
        return y
