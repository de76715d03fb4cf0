"""Loaded integers that overflow in index arithmetic: numbers wrap, and positions stay inside their tensor."""
# lenient
# call unsigned_positions: tensor float32 [3] {1, 2, 3}, tensor uint64 [4] hex "0100000000000000ffffffffffffffff00000000000000800000000001000080" => tensor float32 [4] {2, 1, 1, 1}
# call product_positions: tensor float32 [3] {1, 2, 3}, tensor uint16 [3] {1, 65535, 65535}, tensor uint16 [3] {2, 65535, 40000} => tensor float32 [3] {3, 1, 1}
# call one_position: tensor float32 [2, 2] {1, 2, 3, 4}, tensor uint16 [] {65535}, tensor uint16 [] {40000} => tensor float32 [2] {1, 2}
# call products: tensor uint16 [3] {3, 65535, 65535}, tensor uint16 [3] {2, 65535, 40000} => tuple(tensor int32 [3] {6, 0, 0}, tensor int64 [3] {6, -131071, -1673567296})
# call unsigned_as_signed: tensor uint64 [2] hex "0500000000000000ffffffffffffffff" => tensor int64 [2] {5, 0}
# call after: tensor int32 [3] {5, 2147483647, -2147483648} => tuple(tensor bool [3] {true, false, true}, tensor int32 [3] {6, 2147483647, -2147483647}, tensor bool [3] {true, true, true})
# call halves: tensor int32 [4] {5, 1073741824, 2147483647, -2147483648} => tuple(tensor int32 [4] {5, -1073741824, -1, 0}, tensor int32 [4] {-3, -536870912, -1073741824, 1073741824}, tensor int32 [4] {1, 134217728, 268435456, -268435456})
# call thirds: tensor int64 [2] {1, 6148914691236517205} => tensor bool [2] {true, false}
# call vector: tensor int32 [16] {2147483640, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} => tuple(tensor int32 [16] {120, 121, 122, 123, 124, 125, 126, 127, -128, -127, -126, -125, -124, -123, -122, -121}, tensor int32 [16] {251, 252, 253, 254, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, tensor int64 [16] {2147483640, 2147483641, 2147483642, 2147483643, 2147483644, 2147483645, 2147483646, 2147483647, -2147483648, -2147483647, -2147483646, -2147483645, -2147483644, -2147483643, -2147483642, -2147483641})
# call far_steps: tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [1] {1}, tensor float32 [1] {3}, tensor float32 [0] {}, tensor float32 [1] {2})
# call far_steps: tensor float32 [2] {1, 2} => tuple(tensor float32 [1] {1}, tensor float32 [1] {2}, tensor float32 [0] {}, tensor float32 [1] {2})
# call far_steps: tensor float32 [0] {} => tuple(tensor float32 [0] {}, tensor float32 [0] {}, tensor float32 [0] {}, tensor float32 [0] {})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def vector_of(x: T.Buffer((16,), "int32"), a: T.Buffer((16,), "int32"), b: T.Buffer((16,), "int32"), c: T.Buffer((16,), "int64")):
        for i in T.vectorized(16):
            with T.block("b"):
                v = T.axis.spatial(16, i)
                a[v] = T.Cast("int32", T.Cast("int8", v + 120))
                b[v] = T.Cast("int32", T.Cast("uint8", v - 5))
                c[v] = T.Cast("int64", x[0] + v)

    @R.function
    def vector(x: R.Tensor((16,), "int32")):
        cls = Module
        return R.call_tir(cls.vector_of, (x,), out_sinfo=[R.Tensor((16,), "int32"), R.Tensor((16,), "int32"), R.Tensor((16,), "int64")])

    @R.function
    def unsigned_positions(x: R.Tensor((3,), "float32"), at: R.Tensor(("n",), "uint64")):
        return R.take(x, at, axis=0)

    @R.function
    def product_positions(x: R.Tensor((3,), "float32"), a: R.Tensor(("n",), "uint16"), b: R.Tensor(("n",), "uint16")):
        with R.dataflow():
            at = R.multiply(R.astype(a, "int32"), R.astype(b, "int32"))
            y = R.take(x, at, axis=0)
            R.output(y)
        return y

    @R.function
    def one_position(x: R.Tensor((2, 2), "float32"), a: R.Tensor((), "uint16"), b: R.Tensor((), "uint16")):
        with R.dataflow():
            at = R.multiply(R.astype(a, "int32"), R.astype(b, "int32"))
            y = R.take(x, at, axis=0)
            R.output(y)
        return y

    @R.function
    def products(a: R.Tensor(("n",), "uint16"), b: R.Tensor(("n",), "uint16")):
        with R.dataflow():
            p = R.multiply(R.astype(a, "int32"), R.astype(b, "int32"))
            y = R.maximum(p, R.const(0, "int32"))
            z = R.astype(p, "int64")
            R.output(y, z)
        return (y, z)

    @R.function
    def unsigned_as_signed(x: R.Tensor(("n",), "uint64")):
        with R.dataflow():
            y = R.maximum(R.astype(x, "int64"), R.const(0, "int64"))
            R.output(y)
        return y

    @R.function
    def after(x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            s = R.add(x, R.const(1, "int32"))
            less = R.less(x, s)
            most = R.maximum(x, s)
            other = R.not_equal(x, s)
            R.output(less, most, other)
        return (less, most, other)

    @R.function
    def halves(x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            twice = R.multiply(x, R.const(2, "int32"))
            y = R.floor_divide(twice, R.const(2, "int32"))
            down = R.floor_divide(x, R.const(-2, "int32"))
            q = R.floor_divide(x, R.const(4, "int32"))
            z = R.floor_divide(R.add(q, R.const(1, "int32")), R.const(2, "int32"))
            R.output(y, down, z)
        return (y, down, z)

    @R.function
    def thirds(x: R.Tensor(("n",), "int64")):
        with R.dataflow():
            y = R.not_equal(R.add(R.multiply(x, R.const(3, "int64")), R.const(1, "int64")), R.const(0, "int64"))
            R.output(y)
        return y

    @R.function
    def far_steps(x: R.Tensor(("n",), "float32")):
        with R.dataflow():
            first = R.strided_slice(x, axes=[0], begin=[0], end=[9], strides=[9223372036854775807])
            last = R.strided_slice(x, axes=[0], begin=[-1], end=[-9], strides=[-9223372036854775807])
            none = R.strided_slice(x, axes=[0], begin=[2], end=[1], strides=[9223372036854775807])
            second = R.strided_slice(x, axes=[0], begin=[1], end=[3], strides=[4611686018427387904])
            R.output(first, last, none, second)
        return (first, last, none, second)
