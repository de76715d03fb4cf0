"""Calls whose results share memory with their arguments, or do not: functions, a builtin."""
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

    @R.function(private=True)
    def same(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return x

    @R.function(private=True)
    def pair(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32")):
        return (y, x)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = cls.same(a)
        b = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        t = cls.pair(e, d)
        f = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        t0 = t[0]
        t1 = t[1]
        h = R.call_tir(cls.add, (g, t0), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, t1), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = cls.same(i)
        j = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = R.call_tir(cls.add, (j, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        m = R.call_tir(cls.add, (l, k), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_tir(cls.add, (m, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_packed("rlx.copy", o, sinfo_args=R.Tensor((n,), dtype="float32"))
        p = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        q = R.call_tir(cls.add, (p, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        r = R.call_tir(cls.add, (q, z), out_sinfo=R.Tensor((n,), dtype="float32"))
        s = R.call_tir(cls.add, (r, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return s
