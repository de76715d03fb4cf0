"""The same indices in rows of a different length."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 4), "float32")
        o = T.match_buffer(po, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                vj = T.axis.spatial(3, j)
                o[vi, vj] = x[vi, vj]

    @T.prim_func(private=True)
    def g(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = x[vi] + T.Cast("float32", vj)

    @T.prim_func(private=True)
    def h(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 3), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi, 0] + x[vi, 2] * T.float32(3)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.g, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        d = R.call_tir(cls.f, (b,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
        e = R.call_tir(cls.h, (d,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e
