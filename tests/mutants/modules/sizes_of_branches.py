"""A tensor outlives its branch, but its size is known only in the branch."""
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
        j = T.int64()
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            k = T.int64()
            p = R.unique(a)
            q = R.match_cast(p, R.Tensor((k,), dtype="float32"))
            s = R.call_tir(cls.add, (q, q), out_sinfo=R.Tensor((k,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = s
        else:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = p
        m = R.match_cast(r, R.Tensor((j,), dtype="float32"))
        d = R.call_tir(cls.add, (m, m), out_sinfo=R.Tensor((j,), dtype="float32"))
        e = R.call_tir(cls.add, (d, m), out_sinfo=R.Tensor((j,), dtype="float32"))
        return e
