from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Tensor((), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def scale(a: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            b: R.Tensor((n,), "float32") = R.multiply(a, k)
            return b

        y: R.Tensor((n,), "float32") = scale(x)
        z: R.Tensor((n,), "float32") = scale(y)
        return z
