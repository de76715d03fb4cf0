# The places where TVM's releases declare the symbols of a function.
# call below: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}
# call outside: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [6] {2, 4, 6, 8, 10, 12}
# call bracket: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float32 [2] {1, 2} => tensor float32 [2, 3] {2, 4, 6, 8, 10, 12}
# call narrow: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 3}
from typing import TypeVar
from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def copy(x: T.Buffer(("a", "b"), "float32"), y: T.Buffer((a, b), "float32")):
        a, b = T.int64(), T.int64()
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(a, b):
            with T.sblock("copy"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                y[v0, v1] = x[v0, v1]
    @T.prim_func(private=True, s_tir=True)
    def flat(x: T.Buffer((n, T.int64(3)), "float32"), y: T.Buffer(("n * T.int64(3)",), "float32")):
        for i in range(n * T.int64(3)):
            with T.sblock("flat"):
                v = T.axis.spatial(n * T.int64(3), i)
                y[v] = x[v // T.int64(3) % n, v % T.int64(3)]
    @T.prim_func(private=True, s_tir=True)
    def plus[m](x: T.Buffer((m,), "float32"), y: T.Buffer((m,), "float32")):
        for i in range(m):
            with T.sblock("plus"):
                v = T.axis.spatial(m, i)
                y[v] = x[v] + T.float32(1)
    @T.prim_func(private=True)
    def small(x: T.Buffer(("k",), "float32"), y: T.Buffer(("k",), "float32")):
        k = T.int32()
        for i in range(k):
            with T.block("small"):
                v = T.axis.spatial(k, i)
                y[v] = x[v] + T.float32(1)
    @R.function
    def below(x: R.Tensor(("a", "b"), dtype="float32")) -> R.Tensor(("a", "b"), dtype="float32"):
        a = T.int64()
        b = T.int64()
        cls = Module
        gv = R.call_tir(cls.copy, (x,), out_ty=R.Tensor((a, b), dtype="float32"))
        return gv
    @R.function
    def outside(x: R.Tensor((n, 3), dtype="float32")) -> R.Tensor(("n * 3",), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((n, 3), dtype="float32") = R.add(x, x)
            gv = R.call_tir(Module.flat, (lv,), out_ty=R.Tensor((n * 3,), dtype="float32"))
            R.output(gv)
        return gv
    @R.function
    def bracket[m, k: int](x: R.Tensor((m, k), dtype="float32"), y: R.Tensor((m,), "float32")) -> R.Tensor((m, k), dtype="float32"):
        z = R.call_tir(Module.plus, (y,), out_ty=R.Tensor((m,), "float32"))
        gv: R.Tensor((m, k), dtype="float32") = R.add(x, x)
        return gv
    @R.function
    def narrow(x: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
        k = T.int64()
        return R.call_tir(Module.small, (x,), out_ty=R.Tensor((k,), "float32"))
