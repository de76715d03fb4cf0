# ==== calls
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plain(a: T.handle, n: T.int64, b_buffer: T.Buffer((), "bool")):
        a_d0 = T.int64()
        a_d1 = T.int64()
        a_buffer = T.match_buffer(a, (a_d0, a_d1))
        T.evaluate(0)

    @T.prim_func(private=True)
    def results(A: T.Buffer((4,), "int8"), b: T.handle, c: T.handle):
        b_d0 = T.int64()
        c_d0 = T.int64()
        c_d1 = T.int64()
        b_buffer = T.match_buffer(b, (b_d0,), "float16")
        c_buffer = T.match_buffer(c, (c_d0, c_d1), "int64")
        T.evaluate(A[0])

    @T.prim_func(private=True)
    def dyn(a: T.handle, n: T.int64):
        a_d0 = T.int64()
        a_d1 = T.int64()
        a_buffer = T.match_buffer(a, (a_d0, a_d1))
        T.evaluate(n)

    @T.prim_func(private=True)
    def nobody(a: T.handle):
        T.evaluate(0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor((), dtype="bool"), z: R.Tensor((4,), dtype="int8")) -> R.Tuple(R.Tensor(("n",), dtype="float16"), R.Tensor((2, "n"), dtype="int64")):
        n = T.int64()
        cls = Module
        _: R.Tuple = cls.plain(x, R.prim_value(n), y)
        r: R.Tuple(R.Tensor((n,), dtype="float16"), R.Tensor((2, n), dtype="int64")) = R.call_tir(cls.results, (z,), out_sinfo=[R.Tensor((n,), dtype="float16"), R.Tensor((2, n), dtype="int64")])
        _1: R.Tuple = R.vm.call_tir_dyn(cls.dyn, (x, R.shape([n])))
        return r
