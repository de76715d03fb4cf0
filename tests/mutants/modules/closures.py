"""A closure holds a captured tensor, and returns it."""
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

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))

        @R.function
        def held(z: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
            return a

        @R.function
        def given(z: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
            return z

        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = held(d)
        e = R.call_tir(cls.add, (d, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        w = given(f)
        g = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.add, (g, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, w), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (i, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        u = held(j)
        k = R.call_tir(cls.add, (j, u), out_sinfo=R.Tensor((n,), dtype="float32"))
        return k
