from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        a = R.exp(x)
        b = R.match_cast(x, R.Tensor((n,), "float32"))
        c = R.negative(x)
        d = R.sin(c)
        return a
