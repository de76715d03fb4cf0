"""Branches whose surviving tensors need different sizes: the smaller first, the larger first."""
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

    @T.prim_func(private=True)
    def widen(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n * 2,), "float32")
        for i in range(n * 2):
            with T.block("b"):
                vi = T.axis.spatial(n * 2, i)
                o[vi] = x[vi // 2]

    @T.prim_func(private=True)
    def narrow(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n * 2,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi * 2] + x[vi * 2 + 1]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        k = T.int64()
        l = T.int64()
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = p
        else:
            q = R.call_tir(cls.widen, (a,), out_sinfo=R.Tensor((n * 2,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = q
        b = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, z), out_sinfo=R.Tensor((n,), dtype="float32"))
        m = R.match_cast(r, R.Tensor((k,), dtype="float32"))
        s = R.call_tir(cls.add, (m, m), out_sinfo=R.Tensor((k,), dtype="float32"))
        s2 = R.call_tir(cls.add, (s, m), out_sinfo=R.Tensor((k,), dtype="float32"))
        e = R.call_tir(cls.add, (d, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.widen, (e,), out_sinfo=R.Tensor((n * 2,), dtype="float32"))
            t: R.Tensor(dtype="float32", ndim=1) = p
        else:
            q = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            t: R.Tensor(dtype="float32", ndim=1) = q
        f = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, e), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.match_cast(t, R.Tensor((l,), dtype="float32"))
        u = R.call_tir(cls.add, (o, o), out_sinfo=R.Tensor((l,), dtype="float32"))
        return (s2, u, g)
