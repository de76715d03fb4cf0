"""Values other than tensors: shapes, prims, strings, dtypes, constants, tuples, null; print, assert."""
# call shapes: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(shape [2, 3], tensor int64 [2] {2, 3}, shape [3, 2])
# call from_tensor: tensor int64 [2] {3, 2}, tensor float32 [6] {1, 2, 3, 4, 5, 6} => tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}
# fail from_tensor: tensor int64 [2] {4, 2}, tensor float32 [6] {1, 2, 3, 4, 5, 6} => 6
# fail from_tensor: tensor int64 [2] {-3, -2}, tensor float32 [6] {1, 2, 3, 4, 5, 6} => -
# call constants: => tuple(tensor int8 [2, 2] {1, -2, 3, 4}, tensor bool [] {true}, int 7, float 2.5, "text", dtype float16, true, none, tuple(), tensor float32 [0] {})
# call precise: => tuple(tensor uint64 [1] hex "ffffffffffffffff", tensor int64 [1] {-9223372036854775808}, tensor float64 [1] {0.1}, tensor bfloat16 [1] hex "c03f", tensor float16 [1] hex "ff7b", tensor uint8 [1] {255})
# call checked: tensor bool [] {true}, tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# fail checked: tensor bool [] {false}, tensor float32 [2] {1, 2} => value 2 of 7
# call checked_prim: int 3 => int 3
# fail checked_prim: int -3 => k is -3
# call tuple_through: tuple(tensor float32 [1] {1}, tuple(tensor float32 [1] {2}, tensor float32 [1] {3})) => tuple(tuple(tensor float32 [1] {2}, tensor float32 [1] {3}), tensor float32 [1] {1}, tensor float32 [1] {5})
# call same_twice: tensor float32 [1] {1} => tuple(tensor float32 [1] {1}, tensor float32 [1] {1}, tuple(tensor float32 [1] {1}))
# call identity: tensor float32 [1] {1} => tensor float32 [1] {1}
# call identity: shape [-1, 7] => shape [-1, 7]
# call identity: none => none
# call operators: tensor float32 [3] {1, 2, 3} => tuple(tensor bool [3] {false, false, true}, tensor float32 [3] {-1, -2, -3}, tensor float32 [3] {0.5, 2, 4.5}, tensor float32 [3] {1, 4, 9})
# call floats: float 0.5 => tuple(float 0.5, float 1.5)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def shapes(x: R.Tensor(("n", "m"), "float32")):
        n, m = T.int64(), T.int64()
        s = R.shape_of(x)
        t = R.shape_to_tensor(s)
        return (s, t, R.shape([m, n]))

    @R.function
    def from_tensor(t: R.Tensor((2,), "int64"), x: R.Tensor(("n",), "float32")):
        a, b = T.int64(), T.int64()
        s: R.Shape(ndim=2) = R.tensor_to_shape(t)
        _ = R.match_cast(s, R.Shape([a, b]))
        y: R.Tensor((a, b), "float32") = R.reshape(x, R.shape([a, b]))
        return y

    @R.function
    def constants():
        return (
            R.const([[1, -2], [3, 4]], "int8"),
            R.const(True, "bool"),
            R.prim_value(7),
            R.prim_value(T.float64(2.5)),
            R.str("text"),
            R.dtype("float16"),
            R.prim_value(True),
            R.null_value(),
            R.tuple(),
            R.const([], "float32"),
        )

    @R.function
    def precise():
        return (
            R.const([18446744073709551615], "uint64"),
            R.const([-9223372036854775808], "int64"),
            R.const([0.1], "float64"),
            R.const([1.5], "bfloat16"),
            R.const([65504.0], "float16"),
            R.const([255], "uint8"),
        )

    @R.function(pure=False)
    def checked(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        _ = R.print(x, R.shape([n]), format="x is {} of {}")
        _ = R.assert_op(c, (R.prim_value(n), R.prim_value(7)), format="value {} of {}")
        return R.add(x, x)

    @R.function(pure=False)
    def checked_prim(k: R.Prim(value="k")) -> R.Prim("int64"):
        k = T.int64()
        _ = R.assert_op(R.prim_value(k > 0), format_args=R.prim_value(k), format="k is {}")
        return R.prim_value(k)

    @R.function
    def tuple_through(t: R.Tuple(R.Tensor((1,), "float32"), R.Tuple(R.Tensor((1,), "float32"), R.Tensor((1,), "float32")))):
        a = t[0]
        u = t[1]
        b, c = u[0], u[1]
        return (u, a, R.add(b, c))

    @R.function
    def same_twice(x: R.Tensor(("n",), "float32")):
        y = x
        z = (y,)
        return (x, y, z)

    @R.function
    def identity(x: R.Object) -> R.Object:
        return x

    @R.function
    def operators(x: R.Tensor(("n",), "float32")):
        return (x > 2.0, -x, x * x / R.const(2, "float32"), x ** 2.0)

    @R.function
    def floats(f: R.Prim("float64")):
        g = R.prim_value(T.float64(1.5))
        return (f, g)
