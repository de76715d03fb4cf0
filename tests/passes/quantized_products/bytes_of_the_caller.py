# Both operands are bytes of the caller minus a zero: the second is packed in each call. Fewer than 16
# columns are left alone.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 37), dtype="uint8"), a: R.Tensor((), dtype="uint8"),
             y: R.Tensor((37, 19), dtype="int8"), b: R.Tensor((), dtype="int8"),
             few: R.Tensor((37, 15), dtype="int8")):
        with R.dataflow():
            xi = R.subtract(R.astype(x, dtype="int32"), R.astype(a, dtype="int32"))
            yi = R.subtract(R.astype(y, dtype="int32"), R.astype(b, dtype="int32"))
            z = R.matmul(xi, yi)
            w = R.matmul(xi, R.astype(few, dtype="int32"))
            R.output(z, w)
        return z, w
