from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        a: R.Tensor((n,), "float32") = R.exp(x)
        if c:
            b: R.Tensor((n,), "float32") = R.exp(x)
            d: R.Tensor((n,), "float32") = R.add(a, b)
            y: R.Tensor((n,), "float32") = R.negative(d)
        else:
            e: R.Tensor((n,), "float32") = R.sin(x)
            y: R.Tensor((n,), "float32") = R.negative(e)
        f: R.Tensor((n,), "float32") = R.sin(x)
        g: R.Tensor((n,), "float32") = R.add(f, y)
        return g
