from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def lora(x: R.Tensor(("b", "n", 64), "float32"), a: R.Tensor((64, 4), "float32"), c: R.Tensor((4, 96), "float32")):
        with R.dataflow():
            w = R.matmul(a, c)
            y = R.matmul(x, w)
            R.output(y)
        return y

    @R.function
    def transposed(x: R.Tensor(("n", 64), "float32"), a: R.Tensor((96, 4), "float32"), c: R.Tensor((4, 64), "float32")):
        with R.dataflow():
            w = R.matmul(a, c)
            t = R.permute_dims(w)
            y = R.matmul(x, t)
            R.output(y)
        return y

    @R.function
    def to_the_right(x: R.Tensor((64, 4), "float32"), a: R.Tensor((4, 64), "float32"), c: R.Tensor((64, 1), "float32")):
        with R.dataflow():
            w = R.matmul(x, a)
            y = R.matmul(w, c)
            R.output(y)
        return y

    @R.function
    def stays(x: R.Tensor(("n", 64), "float32"), a: R.Tensor((64, 4), "float32"), c: R.Tensor((4, 96), "float32")):
        with R.dataflow():
            # in order, read twice, and cheaper only for small n
            first = R.matmul(x, a)
            y = R.matmul(first, c)
            twice = R.matmul(a, c)
            z = R.matmul(x, twice)
            square = R.matmul(x, R.ones((64, 64), "float32"))
            u = R.matmul(square, R.ones((64, 32), "float32"))
            R.output(y, z, twice, u)
        return (y, z, twice, u)
