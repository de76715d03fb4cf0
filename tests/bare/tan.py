# A kernel that calls a function of libm, which the host program of the bare runtime gives it.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "int64")) -> R.Tensor(("n",), "float32"):
        with R.dataflow():
            y = R.tan(R.astype(x, "float64"))
            out = R.astype(y, "float32")
            R.output(out)
        return out
