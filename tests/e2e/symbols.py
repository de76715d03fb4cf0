# ==== forms
"""Symbolic sizes: expressions in signatures and results, several symbols, checks on entry."""
# call expressions: tensor float32 [3] {1, 2, 3}, tensor float32 [7] {1, 2, 3, 4, 5, 6, 7} => tensor float32 [7] {2, 4, 6, 8, 10, 12, 14}
# fail expressions: tensor float32 [3] {1, 2, 3}, tensor float32 [6] {1, 2, 3, 4, 5, 6} => argument 1 'y' of expressions, dimension 0: expected (n * 2) + 1 = 7, got 6; n = 3 (bound by argument 0 'x', dimension 0)
# call later: tensor float32 [6] {1, 2, 3, 4, 5, 6}, tensor float32 [2] {1, 2}, shape [3] => shape [2, 3, 6]
# fail later: tensor float32 [5] {1, 2, 3, 4, 5}, tensor float32 [2] {1, 2}, shape [3] => argument 0 'x' of later, dimension 0: expected n * m = 6, got 5
# call mixed: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float32 [3, 2] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 2] {22, 28, 49, 64}
# fail mixed: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float32 [2, 2] {1, 2, 3, 4} => argument 1 'y' of mixed, dimension 0: expected m = 3, got 2 (bound by argument 0 'x', dimension 1)
# fail mixed: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float64 [3, 2] {1, 2, 3, 4, 5, 6} => argument 1 'y' of mixed: expected Tensor((m, n), float32), got a float64 tensor
# fail mixed: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => takes 2 arguments, got 1
# call prims: int 3, tensor float32 [3] {1, 2, 3} => tensor float32 [4, 3] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
# fail prims: int 4, tensor float32 [3] {1, 2, 3} => expected kk = 4, got 3
# call functions: tensor float32 [7] {1, 2, 3, 4, 5, 6, 7} => shape [3, 1, 7, 3, 8, 8, 1]
# call functions: tensor float32 [0] {} => shape [0, 0, 3, 0, 0, 1, 0]
# call wrong_claim: tensor float32 [4] {1, 2, 3, 4}, tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {2, 4, 6, 8}
# call ones: tensor float32 [1, 3] {1, 2, 3}, tensor float32 [2, 1] {10, 20} => tensor float32 [2, 3] {11, 12, 13, 21, 22, 23}
# call ones: tensor float32 [1, 0] {}, tensor float32 [2, 1] {10, 20} => tensor float32 [2, 0] {}
# call concatenated: tensor float32 [2] {1, 2}, tensor float32 [1] {3} => tensor float32 [6] {1, 2, 3, 1, 2, 3}
# call negative: int -5 => tuple(int -3, int 5, int 4, int -2, int 1, int 0)
# call negative: int 7 => tuple(int 3, int 7, int 7, int 2, int 1, int 7)
# call negative_shape: shape [-5] => shape [-3, 5, -10, 0]
# fail overflow: shape [4611686018427387904] => overflow
# fail division: shape [0] => zero
# fail too_large: shape [4611686018427387904] => 
# fail negative_size: shape [-3] => negative
# call used_as_value: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {4, 5, 6}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def expressions(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n * 2 + 1",), "float32")) -> R.Tensor(("n * 2 + 1",), "float32"):
        n = T.int64()
        z: R.Tensor((n + n + 1,), "float32") = R.add(y, y)
        return z

    @R.function
    def later(x: R.Tensor(("n * m",), "float32"), y: R.Tensor(("n",), "float32"), s: R.Shape(["m"])) -> R.Shape(["n", "m", "n * m"]):
        n, m = T.int64(), T.int64()
        return R.shape([n, m, n * m])

    @R.function
    def mixed(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m", "n"), "float32")) -> R.Tensor(("n", "n"), "float32"):
        return R.matmul(x, y)

    @R.function
    def prims(k: R.Prim(value="kk"), x: R.Tensor(("kk",), "float32")) -> R.Tensor(("kk + 1", "kk"), "float32"):
        kk = T.int64()
        return R.zeros((kk + 1, kk), "float32")

    @R.function
    def functions(x: R.Tensor(("n",), "float32")) -> R.Shape(ndim=7):
        n = T.int64()
        return R.shape([n // 2, n % 2, T.max(n, 3), T.min(n, 3), (n + 3) // 4 * 4, n + 1 - n // 8, T.Select(n > 3, 1, 0)])

    @R.function
    def wrong_claim(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n,), "float32"))
        return R.add(x, z)

    @R.function
    def ones(x: R.Tensor((1, "m"), "float32"), y: R.Tensor(("n", 1), "float32")) -> R.Tensor(("n", "m"), "float32"):
        return R.add(x, y)

    @R.function
    def concatenated(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("(n + m) * 2",), "float32"):
        n, m = T.int64(), T.int64()
        z: R.Tensor((n + m,), "float32") = R.concat((x, y))
        w: R.Tensor((n * 2 + m * 2,), "float32") = R.concat((z, z))
        return w

    @R.function
    def negative(k: R.Prim(value="k")):
        k = T.int64()
        return (
            R.prim_value(T.floordiv(k, 2)),
            R.prim_value(T.max(k, 0 - k)),
            R.prim_value(T.floormod(k, 9)),
            R.prim_value(T.truncdiv(k, 2) + T.truncmod(k, 2) * (0 - 0) - T.Select(k > 0, 1, 0)),
            R.prim_value(T.floormod(k, 2)),
            R.prim_value(T.max(k, 0)),
        )

    @R.function
    def negative_shape(s: R.Shape(["k"])) -> R.Shape(ndim=4):
        k = T.int64()
        return R.shape([T.floordiv(k, 2), T.max(k, 0 - k), k * 2, T.max(k, 0)])

    @R.function
    def overflow(s: R.Shape(["k"])) -> R.Shape(ndim=1):
        k = T.int64()
        return R.shape([k * 4 - 1])

    @R.function
    def division(s: R.Shape(["k"])) -> R.Shape(ndim=1):
        k = T.int64()
        return R.shape([100 // k])

    @R.function
    def too_large(s: R.Shape(["k"])) -> R.Tensor(ndim=1):
        k = T.int64()
        return R.zeros((k,), "float32")

    @R.function
    def negative_size(s: R.Shape(["k"])) -> R.Tensor(ndim=1):
        k = T.int64()
        return R.zeros((k,), "float32")

    @T.prim_func(private=True)
    def shift(x: T.handle, s: T.int64, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,), "float32")
        B = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.Cast("float32", s)

    @R.function
    def used_as_value(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.shift, (x, R.prim_value(n)), out_sinfo=R.Tensor((n,), "float32"))
        return y

# ==== tvm
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
