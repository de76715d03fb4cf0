"""Products with integer weights whose arithmetic is wider, wraps around, or has more dimensions."""
# call large_sums: tensor uint8 [1, 1] {255} => tensor float32 [1, 1] {2470809600}
# call scale_adds_dimension: tensor int8 [2, 2] {1, -2, 3, 4} => tensor float32 [1, 2, 2] {-0.5, -10.5, 13.5, 28.5}
# call wide_difference: tensor int8 [1, 2] {1, 0} => tensor int32 [1, 3] {-700000, -300000, -900000}
# call unsigned_difference: tensor float32 [1, 2] {0, 1} => tensor float32 [1, 2] {4294967292, 4}
# call unsigned_numbers: tensor float32 [1, 2] {0, 1} => tensor float32 [1, 2] {4294967168, 4}
# call narrow_zero: tensor float32 [1, 2] {1, 1} => tensor float32 [1, 2] {120, 119}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def large_sums(q: R.Tensor((1, 1), "uint8")):
        with R.dataflow():
            r = R.broadcast_to(q, R.shape([1, 200]))
            a = R.astype(r, "int32")
            b = R.subtract(a, R.const(-128, "int32"))
            f = R.astype(b, "float32")
            x = R.multiply(f, R.const(1.0, "float32"))
            w = R.astype(R.const([[255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255], [255]], "uint8"), "float32")
            z = R.subtract(w, R.const(-32001.0, "float32"))
            y = R.matmul(x, z)
            R.output(y)
        return y

    @R.function
    def scale_adds_dimension(q: R.Tensor(("m", 2), "int8")):
        with R.dataflow():
            a = R.astype(q, "int32")
            f = R.astype(a, "float32")
            x = R.multiply(f, R.const([[[0.5]]], "float32"))
            w = R.dequantize(R.const([[5, 3], [3, 12]], "int8"), R.const(1.0, "float32"), R.const(0, "int8"), out_dtype="float32")
            y = R.matmul(x, w)
            R.output(y)
        return y

    @R.function
    def wide_difference(q: R.Tensor(("m", 2), "int8")):
        with R.dataflow():
            a = R.astype(q, "int32")
            x = R.subtract(a, R.const([1, 100000], "int32"))
            w = R.astype(R.const([[5, -100, 3], [7, 3, 9]], "int8"), "int32")
            y = R.matmul(x, w)
            R.output(y)
        return y

    @R.function
    def unsigned_difference(x: R.Tensor(("m", 2), "float32")):
        with R.dataflow():
            w = R.astype(R.const([[5, 100], [4, 12]], "uint8"), "uint32")
            z = R.subtract(w, R.const(8, "uint32"))
            f = R.astype(z, "float32")
            y = R.matmul(x, f)
            R.output(y)
        return y

    @R.function
    def unsigned_numbers(x: R.Tensor(("m", 2), "float32")):
        with R.dataflow():
            w = R.astype(R.const([[5, 100], [-128, 4]], "int8"), "uint32")
            f = R.astype(w, "float32")
            y = R.matmul(x, f)
            R.output(y)
        return y

    @R.function
    def narrow_zero(x: R.Tensor(("m", 2), "float32")):
        with R.dataflow():
            w = R.astype(R.const([[5, 3], [3, 4]], "uint8"), "int32")
            z = R.astype(R.astype(R.const([200, 200], "uint8"), "int8"), "int32")
            d = R.subtract(w, z)
            f = R.astype(d, "float32")
            y = R.matmul(x, f)
            R.output(y)
        return y
