"""Calls between functions: symbols of the callee, recursion, mutual recursion, tuples, shapes, prims."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [6] {1, 2, 3, 4, 5, 6}, int 13, shape [3, 2])
# call main: tensor float32 [0, 3] {} => tuple(tensor float32 [0] {}, int 1, shape [3, 0])
# call even: tensor int64 [] {6} => tensor bool [] {true}
# call even: tensor int64 [] {7} => tensor bool [] {false}
# call fact: int 5, tensor float32 [2] {1, 2} => tensor float32 [2] {32, 64}
# call pairs: tuple(tensor float32 [2] {1, 2}, tuple(shape [2, 5], int 7)) => tuple(int 7, tuple(shape [5], tensor float32 [2] {1, 2}))
# fail pairs: tuple(tensor float32 [2] {1, 2}, tuple(shape [3, 5], int 7)) => argument 0 't' of pairs, item 1.0, dimension 0: expected n = 2, got 3 (bound by argument 0 't', item 0, dimension 0)
# fail pairs: tuple(tensor float32 [2] {1, 2}, shape [3, 5]) => argument 0 't' of pairs, item 1: expected
# call halves: tensor float32 [4] {1, 2, 3, 4}, shape [2] => tensor float32 [2] {4, 6}
# fail halves: tensor float32 [3] {1, 2, 3}, shape [2] => argument 0 'x' of halves, dimension 0: expected n * 2 = 4, got 3; n = 2 (bound by argument 1 's', dimension 0)
# call untyped: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [2] {4, 6}
# fail untyped: tensor float32 [3] {1, 2, 3} => n * 2
# fail untyped: int 4 => got the int 4
# call different: tensor float32 [2] {1, 2}, tensor float32 [3] {1, 2, 3} => tuple(shape [2, 3], shape [3, 2])
# fail endless: int 1 => frames
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function(private=True)
    def flat(x: R.Tensor(("a", "b"), "float32")) -> R.Tensor(("a * b",), "float32"):
        a = T.int64()
        b = T.int64()
        y = R.reshape(x, (a * b,))
        return y

    @R.function(private=True)
    def size(s: R.Shape(["a", "b"])) -> R.Prim("int64"):
        a = T.int64()
        b = T.int64()
        return R.prim_value(a * b * 2 + 1)

    @R.function(private=True)
    def swap(s: R.Shape(["a", "b"])) -> R.Shape(["b", "a"]):
        a = T.int64()
        b = T.int64()
        return R.shape([b, a])

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        a: R.Tensor((n * m,), "float32") = cls.flat(x)
        b: R.Prim("int64") = cls.size(R.shape([n, m]))
        c: R.Shape([m, n]) = cls.swap(R.shape([n, m]))
        return (a, b, c)

    @R.function
    def even(i: R.Tensor((), "int64")) -> R.Tensor((), "bool"):
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor((), "bool") = R.const(True, "bool")
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            r: R.Tensor((), "bool") = cls.odd(j)
        return r

    @R.function
    def odd(i: R.Tensor((), "int64")) -> R.Tensor((), "bool"):
        cls = Module
        c: R.Tensor((), "bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor((), "bool") = R.const(False, "bool")
        else:
            j: R.Tensor((), "int64") = R.subtract(i, R.const(1, "int64"))
            r: R.Tensor((), "bool") = cls.even(j)
        return r

    @R.function
    def fact(k: R.Prim(value="q"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        q = T.int64()
        n = T.int64()
        cls = Module
        c = R.prim_value(q > 0)
        if c:
            r = cls.fact(R.prim_value(q - 1), R.add(x, x))
        else:
            r = x
        return r

    @R.function
    def pairs(t: R.Tuple(R.Tensor(("n",), "float32"), R.Tuple(R.Shape(["n", "m"]), R.Prim("int64")))):
        n = T.int64()
        m = T.int64()
        a = t[0]
        b = t[1]
        c = b[1]
        return (c, (R.shape([m]), a))

    @R.function
    def halves(x: R.Tensor(("n * 2",), "float32"), s: R.Shape(["n"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y = R.split(x, 2)
        return R.add(y[0], y[1])

    @R.function
    def untyped(x: R.Object) -> R.Object:
        cls = Module
        y = R.match_cast(x, R.Tensor(ndim=1, dtype="float32"))
        z = cls.halves(y, R.shape([2]))
        return z

    @R.function(private=True)
    def concat_shapes(a: R.Tensor(("n",), "float32"), b: R.Tensor(("m",), "float32")) -> R.Shape(["n", "m"]):
        n = T.int64()
        m = T.int64()
        return R.shape([n, m])

    @R.function
    def different(a: R.Tensor(("n",), "float32"), b: R.Tensor(("m",), "float32")):
        cls = Module
        x = cls.concat_shapes(a, b)
        y = cls.concat_shapes(b, a)
        return (x, y)

    @R.function
    def endless(i: R.Prim("int64")) -> R.Object:
        cls = Module
        j = cls.endless(i)
        return (j, i)
