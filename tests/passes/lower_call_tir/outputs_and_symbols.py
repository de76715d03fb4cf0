from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def halves(px: T.handle, pa: T.handle, pb: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n * 2,))
        a = T.match_buffer(pa, (n,))
        b = T.match_buffer(pb, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                a[vi] = x[vi]
                b[vi] = x[n + vi]

    @T.prim_func(private=True)
    def shift(px: T.handle, po: T.handle, s: T.int64):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + T.Cast("float32", s)

    @T.prim_func(private=True)
    def bump(px: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n * 2",), dtype="float32"), s: R.Shape(["n", "k"])) -> R.Object:
        n = T.int64()
        k = T.int64()
        cls = Module
        t = R.call_tir(cls.halves, (x,), out_sinfo=[R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")])
        a = t[0]
        b = R.call_tir(cls.shift, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([k]))
        c = R.call_tir_inplace(cls.bump, (b,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        d = R.call_tir_inplace(cls.bump, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        e = R.call_dps_packed("my.kernel", (d, a), out_sinfo=R.Tensor((n, 2), dtype="float32"))
        return (c, t, e)
