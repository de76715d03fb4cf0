from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        with R.dataflow():
            w = R.add(R.const(1.5, "float32"), R.const(2, "float32"))
            y = R.multiply(x, w)
            z = R.sum(y, axis=[1], keepdims=False)
            R.output(z)
        return z
