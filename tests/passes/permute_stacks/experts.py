# Matrices of a constant stack, each transposed after it was taken.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 2), "float32"), i: R.Tensor((), "int64"), many: R.Tensor((3,), "int64")):
        with R.dataflow():
            w = R.take(R.const([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]], "float32"), i, axis=0)
            t = R.permute_dims(w, axes=[1, 0])
            v = R.take(R.const([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]], "float32"), i, axis=1)
            u = R.permute_dims(v)
            several = R.permute_dims(R.take(R.const([[1.0, 2.0], [3.0, 4.0]], "float32"), many, axis=0))
            y = (R.matmul(x, t), R.matmul(x, u), several)
            R.output(y)
        return y
