"""Tensors made before an IF and used in one branch, in both, after it; branch results, nested."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_tir(cls.add, (b, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (z, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            s = R.call_tir(cls.add, (q, p), out_sinfo=R.Tensor((n,), dtype="float32"))
            if c:
                t = R.call_tir(cls.add, (s, q), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = t
            else:
                t = R.call_tir(cls.add, (s, s), out_sinfo=R.Tensor((n,), dtype="float32"))
                t2 = R.call_tir(cls.add, (t, x), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = t2
            w = R.call_tir(cls.add, (u, p), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = w
        else:
            p = R.call_tir(cls.add, (b, b), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = q
        d = R.call_tir(cls.add, (r, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            m = e
        else:
            m = d
        f = R.call_tir(cls.add, (m, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return f
