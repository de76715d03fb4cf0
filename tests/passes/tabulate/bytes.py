# A function of one number of 8 bits becomes a look-up: through other 8-bit numbers and by every way
# from the number to the result. Not with a second tensor, with a vector among the constants, where
# something else reads what is between, or for a few operators.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def hard_swish(x: R.Tensor(("n", 4), "uint8")):
        with R.dataflow():
            d = R.dequantize(x, R.const(0.05, "float32"), R.const(110, "uint8"))
            a = R.clip(R.add(R.divide(d, R.const(6.0, "float32")), R.const(0.5, "float32")), 0, 1)
            q = R.quantize(a, R.const(0.004, "float32"), R.const(0, "uint8"), out_dtype="uint8")
            h = R.multiply(d, R.dequantize(q, R.const(0.004, "float32"), R.const(0, "uint8")))
            y = R.quantize(h, R.const(0.03, "float32"), R.const(12, "uint8"), out_dtype="uint8")
            R.output(y)
        return y

    @R.function
    def spelled_out(x: R.Tensor((2, 3), "int8")):
        with R.dataflow():
            d = R.multiply(R.astype(R.add(R.astype(x, "int32"), R.const(9, "int32")), "float32"), R.const(0.1, "float32"))
            e = R.multiply(R.sigmoid(d), R.const([[2.0]], "float32"))
            y = R.astype(R.round(R.multiply(e, d)), "int8")
            R.output(y)
        return y

    @R.function
    def two_tensors(x: R.Tensor((8,), "uint8"), z: R.Tensor((8,), "float32")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            y = R.astype(R.cos(R.round(R.multiply(d, z))), "uint8")
            R.output(y)
        return y

    @R.function
    def vector(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            s = R.multiply(d, R.const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "float32"))
            y = R.astype(R.cos(R.round(s)), "uint8")
            R.output(y)
        return y

    @R.function
    def read_elsewhere(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            y = R.astype(R.cos(R.round(R.negative(d))), "uint8")
            R.output(d, y)
        return (d, y)

    @R.function
    def few(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            y = R.astype(R.round(R.exp(R.astype(x, "float32"))), "uint8")
            R.output(y)
        return y
