"""A tail-recursive function that returns a shape, which holds none of its arguments' memory."""
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
    def turn(x: R.Tensor(("n",), dtype="float32"), k: R.Tensor((), dtype="int64")) -> R.Shape(ndim=1):
        n = T.int64()
        cls = Module
        go = R.greater(k, R.const(0, "int64"))
        if go:
            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            l = R.subtract(k, R.const(1, "int64"))
            r = cls.turn(d, l)
        else:
            s = R.unique(x)
            r = R.shape_of(s)
        return r

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = cls.turn(a, R.const(4, "int64"))
        return b
