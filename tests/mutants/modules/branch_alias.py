"""The result of an IF is an earlier tensor, in one branch or the other."""
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
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            r = a
        else:
            r = b
        d = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (r, e), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (g, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            v = R.reshape(p, R.shape([n]))
            s = v
        else:
            s = g
        h = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (s, i), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_tir(cls.add, (j, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        return k
