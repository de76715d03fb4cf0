# Handles without a matched buffer: in a plain call, in call_tir's arguments and results, in call_tir_dyn; and one that no call determines.
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plain(a: T.handle, n: T.int64, b: T.handle):
        T.evaluate(0)

    @T.prim_func(private=True)
    def results(a: T.handle, b: T.handle, c: T.handle):
        A = T.match_buffer(a, (4,), "int8")
        T.evaluate(A[0])

    @T.prim_func(private=True)
    def dyn(a: T.handle, n: T.int64):
        T.evaluate(n)

    @T.prim_func(private=True)
    def nobody(a: T.handle):
        T.evaluate(0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((), "bool"), z: R.Tensor((4,), "int8")):
        n = T.int64()
        cls = Module
        _ = cls.plain(x, R.prim_value(n), y)
        r = R.call_tir(cls.results, (z,), out_sinfo=[R.Tensor((n,), "float16"), R.Tensor((2, n), "int64")])
        _1 = R.vm.call_tir_dyn(cls.dyn, (x, R.shape([n])))
        return r
