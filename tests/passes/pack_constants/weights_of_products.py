# A constant operand of a product is stored in panels padded with zeros: one function, one copy for both products.
# Other operands stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), y: R.Tensor(("n", 2), "float32"), v: R.Tensor((5, 5), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[0.5], [2.0]], "float32"), R.shape([2, 5]))
            a = R.matmul(x, w)
            b = R.matmul(y, w)
            c = R.add(a, b)
            d = R.matmul(c, v)
            R.output(d)
        return d
