# Rows read by many columns are widened once; a single row, or few columns, do not justify a copy.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 8), "float16"), r: R.Tensor((1, 8), "float16"), w: R.Tensor((8, 40), "float16"), v: R.Tensor((8, 3), "float16")):
        m = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.matmul(r, w)
            u = R.matmul(x, v)
            t = (y, z, u)
            R.output(t)
        return t
