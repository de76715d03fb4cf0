# A check moves into the first kernel that reads its result, even a fused one; a limit that is not constant
# moves only if it is a dimension of the kernel's buffers. A result that is read elsewhere keeps its check.
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

    @R.function
    def fused(a: R.Tensor((4, 6), "float32"), b: R.Tensor(("m", 6), "float32"), i: R.Tensor(("n",), "int32"), j: R.Tensor(("n",), "int64")):
        with R.dataflow():
            x = R.take(a, i, axis=0, mode="fast")
            y = R.take(b, j, axis=0, mode="fast")
            z = R.add(x, y)
            R.output(z)
        return z

    @R.function
    def product(w: R.Tensor(("m", 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, mode="fast")
            R.output(y)
        return y
