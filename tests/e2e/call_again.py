"""Tail recursion needs no frames; arguments are exchanged simultaneously; dimensions may change in every call."""
# call main: tensor int64 [] {200000}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tuple(tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4})
# call main: tensor int64 [] {7}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tuple(tensor float32 [2] {3, 4}, tensor float32 [2] {1, 2})
# call main: tensor int64 [] {0}, tensor float32 [0] {}, tensor float32 [0] {} => tuple(tensor float32 [0] {}, tensor float32 [0] {})
# call grow: tensor int64 [] {3}, tensor float32 [1] {5} => tensor float32 [4] {5, 0, 0, 0}
# call nested: tensor int64 [] {20001}, tensor float32 [1] {0} => tensor float32 [1] {10001}
# call promised: tensor int64 [] {1}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tensor float32 [2] {1, 2}
# fail promised: tensor int64 [] {1}, tensor float32 [2] {1, 2}, tensor float32 [3] {3, 4, 5} => expected
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(i: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n,), "float32")) = (x, y)
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            r: R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n,), "float32")) = cls.main(j, y, x)
        return r

    @R.function
    def grow(i: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor(ndim=1, dtype="float32") = x
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            y: R.Tensor((n + 1,), "float32") = R.concat((x, R.zeros((1,), "float32")), axis=0)
            r: R.Tensor(ndim=1, dtype="float32") = cls.grow(j, y)
        return r

    @R.function
    def nested(i: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor((n,), "float32") = x
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            odd: R.Tensor((), "bool") = R.equal(R.bitwise_and(i, R.const(1, "int64")), R.const(1, "int64"))
            if odd:
                y: R.Tensor((n,), "float32") = R.add(x, R.const(1, "float32"))
                r: R.Tensor((n,), "float32") = cls.nested(j, y)
            else:
                r: R.Tensor((n,), "float32") = cls.nested(j, x)
        return r

    @R.function
    def promised(i: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor((m,), "float32") = y
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            z: R.Tensor((n,), "float32") = cls.promised(j, y, x)
            r: R.Tensor((m,), "float32") = R.match_cast(z, R.Tensor((m,), "float32"))
        return r
