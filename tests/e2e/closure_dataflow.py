"""Local functions in dataflow blocks, with dataflow blocks of their own."""
# call main: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {6, 16, 30}
# call handed_out: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 6}
from tvm.script import relax as R
from tvm.script import tir as T


@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    with R.dataflow():
        y = R.add(x, x)

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            with R.dataflow():
                a = R.multiply(z, x)
                b = R.add(a, y)
                R.output(b)
            return b

        w = f(y)
        v = R.add(w, y)
        R.output(v)
    return v


@R.function
def handed_out(x: R.Tensor(("n",), "float32")) -> R.Object:
    n = T.int64()
    with R.dataflow():

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.add(R.multiply(z, x), x)

        R.output(f)
    return f(x)
