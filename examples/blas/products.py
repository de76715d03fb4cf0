# relu(x w + b) and a further product, for any number of rows: what examples/blas/blas.c runs.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3), "float32"), w: R.Tensor((3, 3), "float32"), b: R.Tensor((3,), "float32")
    ) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.nn.relu(R.add(R.matmul(x, w), b))
            y = R.matmul(a, w)
            R.output(y)
        return y
