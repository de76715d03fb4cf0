"""Functions of constant weights are evaluated at compile time only if that is safe, even if an attribute asks for it."""
# call reads_outside: tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}, tensor bool [] {false} => tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}
# call divides: tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}, tensor bool [] {false} => tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}
# call asks_for_it: tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}, tensor bool [] {false} => tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def outside(w: T.handle, y: T.handle):
        W = T.match_buffer(w, (T.int64(4), T.int64(4)), "int8")
        Y = T.match_buffer(y, (T.int64(4), T.int64(4)))
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("m"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.Cast("float32", W[vi * vi + T.int64(1000000000000), vj])

    @T.prim_func(private=True)
    def divide(w: T.handle, z: T.handle, y: T.handle):
        W = T.match_buffer(w, (T.int64(4), T.int64(4)), "int8")
        Z = T.match_buffer(z, (T.int64(4),), "int8")
        Y = T.match_buffer(y, (T.int64(4), T.int64(4)))
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("m"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.Cast("float32", T.Div(W[vi, vj], Z[vj]))

    @T.prim_func(private=True)
    def asked(w: T.handle, y: T.handle):
        T.func_attr({"rlx.fold": 1})
        W = T.match_buffer(w, (T.int64(4),))
        Y = T.match_buffer(y, (T.int64(4),))
        for i in range(T.int64(4)):
            with T.block("m"):
                vi = T.axis.spatial(T.int64(4), i)
                Y[vi * vi + T.int64(1000000000000)] = W[vi]

    @R.function
    def reads_outside(x: R.Tensor(("n", 4), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        cls = Module
        if c:
            w = R.call_tir(cls.outside, (R.const([[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], "int8"),), out_sinfo=R.Tensor((4, 4), "float32"))
            y = R.matmul(x, w)
        else:
            y = R.add(x, R.const(0.0, "float32"))
        return y

    @R.function
    def divides(x: R.Tensor(("n", 4), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        cls = Module
        if c:
            w = R.call_tir(cls.divide, (R.const([[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], "int8"), R.const([0, 0, 0, 0], "int8")), out_sinfo=R.Tensor((4, 4), "float32"))
            y = R.matmul(x, w)
        else:
            y = R.add(x, R.const(0.0, "float32"))
        return y

    @R.function
    def asks_for_it(x: R.Tensor(("n", 4), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        cls = Module
        if c:
            a = R.call_tir(cls.asked, (R.const([1.0, 2.0, 3.0, 4.0], "float32"),), out_sinfo=R.Tensor((4,), "float32"))
            y = R.add(x, a)
        else:
            y = R.add(x, R.const(0.0, "float32"))
        return y
