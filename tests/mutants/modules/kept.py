"""A packed function keeps its arguments after the call, on its own, in a function and in a closure."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(px: T.handle, py: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + y[vi]

    @R.function(private=True, pure=False)
    def keep(x: R.Tensor(("n",), dtype="float32")) -> R.Object:
        k = R.call_packed("test.keep", x, sinfo_args=R.Object)
        return k

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_packed("test.keep", a, sinfo_args=R.Object)
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = cls.keep(d)
        e = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(f, R.shape([1, n]))
        m = R.call_packed("test.keep", v, sinfo_args=R.Object)
        g = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.add, (g, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_dps_packed("test.fill", (h,), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (o, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (i, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_packed("test.kept", sinfo_args=R.Object)
        return (j, z)
