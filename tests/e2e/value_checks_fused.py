"""Index checks that run in kernels: all integer types, limits that are sizes of the
kernel's buffers, several in one kernel, and checks of operators fused into others."""
# call take_int8: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int8 [3] {0, -3, 2} => tensor float32 [3, 2] {1, 2, 1, 2, 5, 6}
# fail take_int8: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int8 [2] {0, -128} => take: index -128 at [1] is out of range: expected -3 to 2
# fail take_int8: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int8 [1] {127} => take: index 127 at [0] is out of range
# call long: tensor int8 [3] {127, -128, -1} => tensor int32 [3] {127, 72, 199}
# fail take_int32: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int32 [1] {-2147483648} => index -2147483648 at [0]
# fail take_int32: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int32 [9] {0, 0, 0, 0, 0, 0, 0, 0, 3} => index 3 at [8]
# fail take_int64: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int64 [1] {-9223372036854775808} => index -9223372036854775808 at [0]
# fail take_int64: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor int64 [1] {9223372036854775807} => index 9223372036854775807 at [0]
# fail take_int64: tensor float32 [0, 2] {}, tensor int64 [1] {0} => index 0 at [0] is out of range: the dimension is empty
# call take_int64: tensor float32 [0, 2] {}, tensor int64 [0] {} => tensor float32 [0, 2] {}
# call take_uint8: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor uint8 [1] {2} => tensor float32 [1, 2] {5, 6}
# fail take_uint8: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor uint8 [1] {255} => index 255 at [0]
# fail take_uint64: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor uint64 [1] hex "ffffffffffffffff" => index 18446744073709551615 at [0]
# fail take_uint64: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}, tensor uint64 [1] hex "0000000000000080" => index 9223372036854775808 at [0]
# call fused: tensor float32 [2, 2] {1, 2, 3, 4}, tensor float32 [3, 2] {10, 20, 30, 40, 50, 60}, tensor int64 [1] {-1}, tensor int32 [1] {2} => tensor float32 [1, 2] {53, 64}
# fail fused: tensor float32 [2, 2] {1, 2, 3, 4}, tensor float32 [3, 2] {10, 20, 30, 40, 50, 60}, tensor int64 [1] {2}, tensor int32 [1] {2} => take: index 2 at [0] is out of range: expected -2 to 1
# fail fused: tensor float32 [2, 2] {1, 2, 3, 4}, tensor float32 [3, 2] {10, 20, 30, 40, 50, 60}, tensor int64 [1] {1}, tensor int32 [1] {-4} => take: index -4 at [0] is out of range: expected -3 to 2
# call twice: tensor float32 [2] {1, 2}, tensor int64 [1] {1}, tensor int64 [1] {-2} => tensor float32 [1] {3}
# fail twice: tensor float32 [2] {1, 2}, tensor int64 [1] {2}, tensor int64 [1] {0} => take: index 2 at [0]
# fail twice: tensor float32 [2] {1, 2}, tensor int64 [1] {0}, tensor int64 [1] {-3} => take: index -3 at [0]
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
# each TYPE: int8 int32 int64 uint8 uint64
    @R.function
    def take_TYPE(x: R.Tensor(("n", 2), "float32"), i: R.Tensor(("k",), "TYPE")):
        y = R.take(x, i, axis=0)
        return y

# end
    @R.function
    def long(i: R.Tensor(("k",), "int8")):
        x = R.arange(0, 200, 1, dtype="int32")
        y = R.take(x, i, axis=0)
        return y

    @R.function
    def fused(a: R.Tensor(("n", 2), "float32"), b: R.Tensor(("m", 2), "float32"), i: R.Tensor(("k",), "int64"), j: R.Tensor(("k",), "int32")):
        with R.dataflow():
            x = R.take(a, i, axis=0)
            y = R.take(b, j, axis=0)
            z = R.add(x, y)
            R.output(z)
        return z

    @R.function
    def twice(a: R.Tensor(("n",), "float32"), i: R.Tensor(("k",), "int64"), j: R.Tensor(("k",), "int64")):
        with R.dataflow():
            x = R.take(a, i, axis=0)
            y = R.take(a, j, axis=0)
            z = R.add(R.exp(R.log(x)), y)
            R.output(z)
        return z
