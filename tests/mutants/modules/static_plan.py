"""Storages with the sizes of a bound."""
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
        R.func_attr({"tir_var_lower_bound": {"n": 0}, "tir_var_upper_bound": {"n": 4096}})
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e
