"""A reduction axis."""
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
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i, k in T.grid(n, n):
            with T.block("b"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + x[vk]
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d
