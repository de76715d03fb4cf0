# Rows of a table are taken in its stored type, whatever spelling widens it; not if a step has
# a vector, or if the wide table is no wider.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def dequantized(i: R.Tensor(("n",), "int64")):
        t = R.const([[1, -2], [3, 4], [5, 127]], "int8")
        with R.dataflow():
            d = R.dequantize(t, R.const(0.5, "float32"), R.const(3, "int8"), axis=1)
            y = R.take(d, i, axis=0)
            R.output(y)
        return y

    @R.function
    def spelled_out(i: R.Tensor((), "int64")):
        t = R.const([[1, 2], [3, 4], [5, 255]], "uint8")
        with R.dataflow():
            c = R.subtract(R.astype(t, "int32"), R.astype(R.const(128, "uint8"), "int32"))
            d = R.multiply(R.astype(c, "float32"), R.const(0.25, "float32"))
            y = R.take(d, i, axis=1)
            R.output(y)
        return y

    @R.function
    def by_columns(i: R.Tensor(("n",), "int64")):
        t = R.const([[1, -2], [3, 4]], "int8")
        with R.dataflow():
            d = R.multiply(R.astype(t, "float32"), R.const([0.5, 2.0], "float32"))
            y = R.take(d, i, axis=0)
            R.output(y)
        return y

    @R.function
    def as_wide(i: R.Tensor(("n",), "int64")):
        t = R.const([1.0, 2.0], "float32")
        with R.dataflow():
            d = R.multiply(t, R.const(0.5, "float32"))
            y = R.take(d, i)
            R.output(y)
        return y
