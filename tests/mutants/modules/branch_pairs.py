"""Two tensors outlive the else branch, one the then branch; and a branch inside a branch."""
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
        if c:
            p = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (p, a)
        else:
            p = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (q, p)
        r0 = r[0]
        r1 = r[1]
        d = R.call_tir(cls.add, (r0, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, r1), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_tir(cls.add, (e, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            if c:
                u = o
            else:
                q = R.call_tir(cls.add, (p, p), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = q
            s = (p, u)
        else:
            s = (e, o)
        s0 = s[0]
        s1 = s[1]
        f = R.call_tir(cls.add, (s0, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, s1), out_sinfo=R.Tensor((n,), dtype="float32"))
        return g
