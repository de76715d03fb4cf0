from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        z: R.Tensor((n + m,), "float32") = R.concat((x, y), axis=0)
        w: R.Tensor((3,), "float32") = R.exp(z)
        return w
