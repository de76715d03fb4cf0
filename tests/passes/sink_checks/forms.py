# A check goes into the first kernel that reads what it gives; what is read elsewhere, or with limits
# that are no numbers, stays.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function
    def main(w: R.Tensor((10, 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, axis=0, mode="fast")
            z = R.take(w, x, axis=0, mode="fast")
            R.output(y, z)
        return (y, z)

    @R.function
    def symbolic(w: R.Tensor(("m", 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, axis=0, mode="fast")
            R.output(y)
        return y

    @R.function
    def branch(c: R.Tensor((), "bool"), w: R.Tensor((5,), "float32"), x: R.Tensor(("n",), "int64")):
        y = R.take(w, x, axis=0, mode="fast")
        if c:
            v = R.add(y, y)
            z = v
        else:
            v = R.exp(y)
            z = v
        return z
