# Linear layers on merged rows: with bias and activation, without, and where the rows stay merged, are
# split otherwise, or something else reads the product.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def layer(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32"), c: R.Tensor((6,), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.matmul(r, w)
            z = R.add(m, c)
            a = R.nn.relu(R.multiply(R.const(2.0, "float32"), z))
            y = R.reshape(a, R.shape([b, s, 6]))
            R.output(y)
        return y

    @R.function
    def product(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            y = R.reshape(R.matmul(R.reshape(x, R.shape([b * s, 4])), w), R.shape([b, s, 6]))
            R.output(y)
        return y

    @R.function
    def others(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32"), d: R.Tensor(("b", "s", 6), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            merged = R.matmul(r, w)
            turned = R.reshape(R.nn.relu(R.matmul(r, w)), R.shape([s, b, 6]))
            full = R.reshape(R.add(R.matmul(r, w), R.reshape(d, R.shape([b * s, 6]))), R.shape([b, s, 6]))
            read = R.exp(merged)
            again = R.reshape(merged, R.shape([b, s, 6]))
            y = (turned, full, read, again)
            R.output(y)
        return y
