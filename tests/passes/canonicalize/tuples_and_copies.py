from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        with R.dataflow():
            a = x
            t = (a, y)
            b = t[1]
            c = R.match_cast(b, R.Tensor((n,), "float32"))
            d = R.add(c, t[0])
            R.output(d)
        return d
